"""Every question to rows of every source and dtype: ``make fuzz``.

A frame answers first; then the same rows in another order, in other dtypes, as arrays, groups,
chunks, partitions, polars frames or samples in xarray. All must answer alike.
"""

from collections.abc import Callable
from typing import Any

import dask
import dask.dataframe as dd
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes

import pu_accessor.dask
import pu_accessor.polars
from pu_accessor import PUError
from pu_accessor.roles_and_assumptions import OTHERS
from tests.sources.test_pieces import cut, shrink
from tests.worlds import FRAMES, MODELS, Question, attempt, frames, fuzzed, public, questions

# Of dask itself, which a later pandas will need it to leave out.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")

# Draws of a sample differ; a report is made of the other answers.
METHODS = [name for name in public(FRAMES) if name not in ("sample_to_label", "report")]
SCORES = ["float64", "float32", "object", "Float64", "double[pyarrow]"]
LABELS = ["object", "Int8", "Float32", "boolean", "bool[pyarrow]", "category"]


def grouped(frame: pd.DataFrame, roles: dict[str, Any]) -> Any:
    """Return the accessor of a groupby."""
    if not roles["by"]:
        raise NotImplementedError
    rest = {name: role for name, role in roles.items() if name != "by"}
    groups: Any = frame.groupby(roles["by"])
    return groups.pu(**rest)


def in_arrays(frame: pd.DataFrame, roles: dict[str, Any]) -> Any:
    """Return the accessor of two arrays."""
    if roles["by"] or isinstance(roles["score"], list) or roles["on_error"] != "raise":
        raise NotImplementedError
    coding = {n: r for n, r in roles.items() if n in ("positive", "negative", "unlabeled")}
    named = {name: roles[name] for name in OTHERS if roles[name]}
    columns = {name: frame[column].to_numpy() for name, column in named.items()}
    label = frame[roles.get("label", "label")].to_numpy()
    return pu_accessor.from_arrays(
        frame[roles["score"]].tolist(), label, nan_policy=roles["nan_policy"], **columns, **coding
    )


def in_xarray(frame: pd.DataFrame, roles: dict[str, Any]) -> Any:
    """Return the accessor of samples."""
    if roles["by"] or isinstance(roles["score"], list):
        raise NotImplementedError
    rest = {name: role for name, role in roles.items() if name not in ("by", "pool", "average")}
    return xr.Dataset.from_dataframe(frame.rename_axis("place")).pu(dim="place", **rest)


def loosened(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the same values in other dtypes."""
    # What float32 rounds is another score.
    kept = (frame[MODELS].astype("float32") == frame[MODELS]).all(axis=None)
    score = str(rng.choice([one for one in SCORES if kept or one != "float32"]))
    counted = (frame["times"] % 1 == 0).all()
    kinds: dict[str, Any] = {
        **dict.fromkeys(MODELS, score),
        "label": str(rng.choice(LABELS)),
        "key": str(rng.choice(["object", "str", "category"])),
        "fold": str(rng.choice(["int8", "uint64", "Int32", "int64[pyarrow]"])),
        "patient": str(rng.choice(["object", "category", "int32", "Float64"])),
        "times": str(rng.choice(["float32", "object", *(["Int64", "uint8"] if counted else [])])),
    }
    return frame.astype({"label": "boolean"}).astype(kinds)


def in_polars(frame: pd.DataFrame) -> Any:
    """Return a polars frame."""
    return pl.from_pandas(frame, nan_to_null=False)


def in_partitions(frame: pd.DataFrame, parts: int) -> Any:
    """Return a dask frame."""
    return dd.from_pandas(frame, npartitions=parts, sort=False)


Draw = np.random.Generator
Source = Callable[[pd.DataFrame, dict[str, Any], Draw], Any]
SOURCES: dict[str, Source] = {
    "shuffled": lambda df, roles, rng: df.iloc[rng.permutation(len(df))].pu(**roles),
    "repeated index": lambda df, roles, rng: df.set_axis([7] * len(df)).pu(**roles),
    "other dtypes": lambda df, roles, rng: loosened(df, rng).pu(**roles),
    "groupby": lambda df, roles, _: grouped(df, roles),
    "arrays": lambda df, roles, _: in_arrays(df, roles),
    "xarray": lambda df, roles, _: in_xarray(df, roles),
    "polars": lambda df, roles, _: in_polars(df).pu(**roles),
    "lazy polars": lambda df, roles, _: in_polars(df).lazy().pu(**roles),
    "chunks": lambda df, roles, rng: pu_accessor.from_chunks(
        cut(df, rng.integers(0, 60, 3).tolist()), **roles
    ),
    "small chunks": lambda df, roles, rng: pu_accessor.from_chunks(
        [loosened(one, rng) for one in cut(df, rng.integers(0, 60, 3).tolist())], **roles
    ),
    "dask": lambda df, roles, rng: in_partitions(df, int(rng.integers(1, 4))).pu(**roles),
}


# Methods that are answered alike where few scores are kept; bounds alone may be wider then.
EXACT = {"metric", "cutoff", "compare", "calibration", "net_benefit", "robustness"}


def seen(ax: Any) -> list[Any]:
    """Return what is drawn on Axes, or on all of a grid."""
    every = [ax] if isinstance(ax, Axes) else [*ax.axes.flat]
    found = []
    for one in every:
        found += [line.get_xydata() for line in one.lines]
        found += [patch.get_path().vertices for patch in one.patches]
        found += [np.frombuffer(one.get_xlabel().encode(), "u1")]
    plt.close("all")
    return found


def check_alike(found: Any, expected: Any) -> None:
    """Hold an answer against that of the frame: numbers to the last digits but one."""
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9, atol=1e-9)
    elif isinstance(expected, xr.Dataset):
        xr.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    else:
        assert len(found) == len(expected) > 0
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def ask(question: Question, make: Callable[[], Any]) -> Any:
    """Return what an accessor answers, drawings as numbers, and its warnings."""

    def asked() -> Any:
        found = getattr(make().assume(**question.assumed), question.method)(**question.keywords)
        return seen(found) if question.method.startswith("plot_") else found

    return attempt(asked)


@pytest.mark.parametrize("method", METHODS)
def test_every_source_answers_alike(method: str) -> None:
    @fuzzed(60 if method.startswith("plot_") else 12)  # what is drawn is slow
    @given(frame=frames(), question=questions(method), seed=st.integers(0, 2**32), data=st.data())
    def holds(frame: pd.DataFrame, question: Question, seed: int, data: st.DataObject) -> None:
        roles = question.roles
        expected, warned = ask(question, lambda: frame.pu(**roles))
        name, rng = data.draw(st.sampled_from(sorted(SOURCES))), np.random.default_rng(seed)
        with dask.config.set(scheduler="synchronous"), pytest.MonkeyPatch.context() as patch:
            if name == "small chunks" and question.method in EXACT:
                shrink(patch)
            try:
                found, told = ask(question, lambda: SOURCES[name](frame, roles, rng))
            except NotImplementedError:
                return
        # What a source has not.
        unknown = "data in arrays", "data in chunks", "data in a Dataset", "rows are not in memory"
        if isinstance(found, PUError) and any(text in str(found) for text in unknown):
            return
        if isinstance(expected, PUError) or isinstance(found, PUError):
            # Of several that are wrong another one may be met first.
            kinds = [
                ValueError if isinstance(x, ValueError) else type(x) for x in (found, expected)
            ]
            assert kinds[0] is kinds[1], (name, found, expected)
        else:
            check_alike(found, expected)
            assert [text[:30] for text in told] == [text[:30] for text in warned]

    holds()

"""Every source answers as a frame of the same rows does: any question, any dtypes and pieces."""

import re
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor.dask
import pu_accessor.polars
from pu_accessor import PUError
from pu_accessor.roles_and_assumptions import OTHERS
from tests.cases import ROLES, pu, put
from tests.worlds import CODED, attempt, fuzzed

# Of dask itself, which a later pandas will need it to leave out.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")

Rows = pd.DataFrame
Roles = dict[str, Any]
Rng = np.random.Generator
MODELS = ["score", "other"]


def draw_rows(size: int, seed: int) -> Rows:
    """Return tied scores of two models, labels of all kinds, keys, and numbers of each role."""
    rng, place = np.random.default_rng(seed), np.arange(size)
    truth, shown = rng.random(size) < 0.5, rng.random(size) < 0.6
    shown &= truth | (rng.random() < 0.5)  # without known negatives, too
    truth[:4] = shown[:4] = True
    shown[4:8] = False
    frame = pd.DataFrame({name: rng.normal(truth).round(rng.integers(0, 4)) for name in MODELS})
    frame["p"] = (1 / (1 + np.exp(-frame["score"]))).round(3)
    frame["score"] = frame["score"].mask(rng.random(size) < 0.05, rng.choice([0, np.inf, -np.inf]))
    frame["holes"] = frame["score"].mask((rng.random(size) < 0.1) & (place > 8))
    frame["label"] = np.where(shown, truth, np.nan)
    frame["said"] = np.where(shown, np.where(truth, "yes", "no"), "?")
    frame["propensity"] = np.where(shown & truth, rng.uniform(0.3, 1, size).round(1), np.nan)
    frame["key"] = pd.Series(np.resize(["b", "a"], size)).where(place % 19 != 17, None)
    frame["fold"], frame["patient"] = rng.integers(0, 2, size), rng.integers(0, size // 2, size)
    frame["times"] = rng.integers(0, 4, size).clip(place < 8)
    frame["weight"] = rng.choice([1, 1.25, 3], size)
    return frame


rows = st.builds(draw_rows, st.integers(30, 90), st.integers(0, 2**32))
FRAME = draw_rows(400, 1)


# What is bound, of which most is nothing; what is asked; and what makes groups or models.
WORST = {"score": "holes", "nan_policy": "worst"}
OMIT = {"score": "holes", "nan_policy": "omit"}
BOUND: list[Roles] = [{"cluster": "patient"}, {"weight": "weight"}, {"count": "times"}]
BOUND += [{"propensity": "propensity"}, WORST, OMIT, OMIT | {"propensity": "propensity"}]
BOUND += [{"score": "holes", "nan_policy": "unretrieved"}, CODED, {"unlabeled": [0, None]}]
BOUND += [{"cluster": "patient", "count": "times"}, {"monotone": True}, {"selection_odds": 1.5}]
BOUND += [{"contamination": 0.1}, *({"reference": x} for x in ("tightest", "negatives"))]
GROUPED: list[Roles] = [{"by": "key"}, {"by": ["fold", "key"]}, {"by": "key", "score": MODELS}]
GROUPED += [{"by": ["fold", "key"], "average": "fold"}]
P, AT, OLD = {"score": "p"}, {"at": {"threshold": 0.5}}, {"target": "examples"}
PLACES: list[Any] = [AT["at"], {"fraction": 0.1}, {"fpr": 0.1}, "maximum"]
ASKED: list[tuple[str, Roles]] = [
    ("contingency", {"beta": [0.1, 0.3], "ranks": [9, 30]}),
    ("contingency", {"beta": {"a": 0.3, "b": 0.2}, "ranks": [0, 5], "by": "key"}),
    ("contingency", {"beta": 0.3, "ranks": "breakpoints", "band": "simultaneous"}),
    *(("roc_bounds", more) for more in ({"beta": [0.05, 0.3]}, {"beta": 0.3, "band": "dkw"})),
    ("pr_bounds", {"beta": 0.3, "target": "population"}),
    ("rank_cdf", {"beta": 0.3, "band": "bootstrap"}),
    *((name, {"beta": [0.2, 0.3]}) for name in ("auroc", "average_precision")),
    *(("auroc", {"beta": 0.3, **more}) for more in (OLD, {"max_fpr": 0.2})),
    *(("average_precision", {"beta": 0.3, **more}) for more in (OLD, {"prevalence": 0.1})),
    ("metric", {"metric": ["f1", "lift"], "beta": 0.3, "at": {"rank": [9, 30]}}),
    *(("metric", {"metric": "precision", "beta": 0.3, "at": at}) for at in PLACES),
    ("metric", {"metric": "bedroc", "beta": 0.3, **OLD}),
    ("metric", {"metric": "net_benefit", "beta": 0.3, "at": {"threshold": [0.2, 0.5]}, **P}),
    ("metric", {"metric": "boyce"}),
    ("calibration", {"beta": 0.3, "bins": 4, **P}),
    ("cutoff", {"beta": 0.3, "precision": 0.4}),
    ("cutoff", {"beta": 0.3, "recall": 0.5, "target": "population"}),
    *(("estimate_beta", {"method": how}) for how in ("feasible", "mean_matching")),
    ("check_assumptions", {"beta": 0.3, "strata": "fold", "wave": "fold"}),
    ("compare", {"score": ["holes", "other"], "metric": "auroc", "beta": 0.3}),
    ("compare", {"score": MODELS, "metric": "precision", "beta": 0.3, **AT}),
    ("compare", {"score": MODELS}),
    ("gap", {"metric": "auroc", "beta": 0.3, "by": "key"}),
    ("gap", {"metric": "recall", "beta": 0.3, "by": "key", **AT}),
    ("dominance", {"beta": 0.3, "by": "key"}),
    ("robustness", {"metric": "auroc", "beta": 0.3, "over": {"selection_odds": [1, 2]}}),
]
# Methods that are answered alike where few scores are kept; bounds alone may be wider then.
EXACT = {"metric", "cutoff", "compare", "calibration", "robustness"}
# What a source has not.
UNKNOWN = "data in arrays", "data in chunks", "data in a Dataset", "rows are not in memory"


def in_arrays(frame: Rows, roles: Roles, rng: Rng) -> Any:
    """Return the accessor of two arrays."""
    terms: Any = {"score": "score", "label": "label"} | roles
    named = [role for role in ("score", "label", *OTHERS) if role in terms]
    terms |= {role: frame[terms[role]].to_numpy() for role in named}
    return pu_accessor.from_arrays(**terms)


def in_xarray(frame: Rows, roles: Roles, rng: Rng) -> Any:
    """Return the accessor of samples."""
    return xr.Dataset.from_dataframe(frame.rename_axis("place")).pu(dim="place", **roles)


def in_models(frame: Rows, roles: Roles, rng: Rng) -> Any:
    """Return the accessor of samples of two models."""
    ds = xr.Dataset.from_dataframe(frame.drop(columns="score").rename_axis("place"))
    ds = ds.assign(score=(("place", "model"), frame[MODELS].to_numpy()), model=MODELS)
    return ds.pu(dim="place", **roles | {"score": "score"})


def grouped(frame: Rows, roles: Roles, rng: Rng) -> Any:
    """Return the accessor of a groupby."""
    return pu(frame.groupby(roles["by"]))(**{x: roles[x] for x in roles if x != "by"})


def parted(frame: Rows, parts: int) -> Any:
    """Return the accessor of partitions."""
    from_pandas: Any = dd.from_pandas
    return pu(from_pandas(frame, npartitions=parts, sort=False))


SCORES = ["float64", "object", "Float64", "double[pyarrow]"]
LABELS = ["object", "Int8", "Float32", "boolean", "bool[pyarrow]", ""]  # "": categories of numbers
KINDS = {"key": ["object", "string", "category"], "fold": ["int8", "uint64", "Int32"]}
KINDS |= {"patient": ["object", "", "int32", "Float64"], "label": LABELS}
KINDS |= dict.fromkeys([*MODELS, "holes"], SCORES)
KINDS |= {"times": ["Int64", "uint8", "float32", "object"]}


def loosened(frame: Rows, rng: Rng, numbers: str = "category") -> Rows:
    """Return the same values in other dtypes. Old polars reads no categories of numbers."""
    kinds: Any = {name: str(rng.choice(some)) or numbers for name, some in KINDS.items()}
    return frame.astype({"label": "boolean"}).astype(kinds)


def cut(frame: Rows, places: list[int]) -> list[Rows]:
    """Cut a frame into chunks, some of them empty."""
    ends = [0, *sorted(place % (len(frame) + 1) for place in places), len(frame)]
    return [frame.iloc[start:end] for start, end in pairwise(ends)]


def chunks_of(frame: Rows, rng: Rng) -> list[Rows]:
    """Return four chunks."""
    return cut(frame, rng.integers(0, len(frame), 3).tolist())


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the way of large data with small ones: few scores are kept."""
    monkeypatch.setattr("pu_accessor.sources.chunks._MAX_SAMPLED_ROWS", 3)
    monkeypatch.setattr("pu_accessor.sources.pieces._MAX_SAMPLE_VALUES", 4)


SOURCES: dict[str, Callable[[Rows, Roles, Rng], Any]] = {
    "rows in another order": lambda df, roles, rng: df.iloc[rng.permutation(len(df))].pu(**roles),
    "one label of the index": lambda df, roles, _: df.set_axis([7] * len(df)).pu(**roles),
    "other dtypes": lambda df, roles, rng: loosened(df, rng).pu(**roles),
    "groupby": grouped,
    "arrays": in_arrays,
    "xarray": in_xarray,
    "models in xarray": in_models,
    "polars": lambda df, roles, rng: pu(pl.from_pandas(loosened(df, rng, "Int16")))(**roles),
    "lazy polars": lambda df, roles, _: pu(pl.from_pandas(df, nan_to_null=False).lazy())(**roles),
    "chunks": lambda df, roles, rng: pu_accessor.from_chunks(chunks_of(df, rng), **roles),
    "chunks of other dtypes": lambda df, roles, rng: pu_accessor.from_chunks(
        [loosened(one, rng) for one in chunks_of(df, rng)], **roles
    ),
    "partitions": lambda df, roles, rng: parted(df, int(rng.integers(1, 4)))(**roles),
}
SOURCES["small chunks"] = SOURCES["chunks"]


def check_alike(found: Any, expected: Any, *, attrs: bool = True) -> None:
    """Hold an answer against that of the frame: numbers to the last digits but one."""
    close: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-9}
    assert type(found) is type(expected)
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, **close)
    else:
        xr.testing.assert_allclose(found, expected, **close)
        each = zip(found.variables.values(), expected.variables.values(), strict=True)
        assert all((x.dtype, x.attrs) == (y.dtype, y.attrs) for x, y in each) or not attrs
    assert found.attrs == expected.attrs or not attrs


PAIRS = [one | other for one, other in combinations(BOUND, 2)]
EXTRA = [{}, {}, *BOUND, *GROUPED, *(one | GROUPED[0] for one in BOUND), *PAIRS]
QUESTIONS = [(method, extra | terms) for extra in EXTRA for method, terms in ASKED]


def fits(source: str, method: str, terms: Roles) -> bool:
    """Tell what can be asked: arrays and samples have no groups, a groupby has them."""
    if source == "groupby":
        return "by" in terms
    if source == "models in xarray":
        return "by" not in terms and terms.get("score", MODELS) == MODELS
    return source not in ("arrays", "xarray") or ("by" not in terms and method != "compare")


@pytest.mark.parametrize("source", SOURCES)
@fuzzed(1)
@given(frame=rows, seed=st.integers(0, 2**32), data=st.data())
def test_a_source_answers_as_the_frame_does(
    source: str, frame: Rows, seed: int, data: st.DataObject
) -> None:
    method, asked = data.draw(st.sampled_from([one for one in QUESTIONS if fits(source, *one)]))
    roles = {name: asked[name] for name in ROLES if name in asked}
    roles |= {"score": MODELS} if source == "models in xarray" else {}
    terms = {name: asked[name] for name in asked if name not in ROLES}
    with dask.config.set(scheduler="synchronous"), pytest.MonkeyPatch.context() as patch:
        if source == "small chunks" and method in EXACT:
            shrink(patch)
        rng = np.random.default_rng(seed)
        found, told = attempt(lambda: put(SOURCES[source](frame, roles, rng), method, **terms))
    if isinstance(found, PUError) and any(text in str(found) for text in UNKNOWN):
        return
    expected, warned = attempt(lambda: put(frame.pu(**roles), method, **terms))
    if isinstance(expected, PUError) or isinstance(found, PUError):
        # Of several that are wrong another one may be met first.
        kinds = [ValueError if isinstance(x, ValueError) else type(x) for x in (found, expected)]
        assert kinds[0] is kinds[1], (found, expected)
        return
    named = source not in ("arrays", "models in xarray")  # which name columns otherwise
    check_alike(found, expected, attrs=named)
    assert [text[:30] for text in told] == [text[:30] for text in warned]


# Roles and questions that are wrong in each source alike.
WRONG_ROLES = """score='gone'; label='lable'; propensity='odd'; by='kex'; by=['key', 'kex']
by='score'; by=['key', 'key']; by=[]; score=['score', 'gone']; score='holes'; label='fold'
score=None; score=['score', 'score']; by=('key', 'fold'); by={'key'}; label='score'
label=['label']; label='said'; by=['key', ['fold']]; label='odd', positive=7; label='patient'
by='none'; by=['none', 'fold']; score='nothing', nan_policy='omit'; by='half'
propensity='times'; propensity='holes'; weight='said'; cluster='key'
label='half', positive=[1, 2], negative=2"""
CALLS = [
    *(f"pu({one}).auroc(0.3, target='examples')" for one in re.split("; |\n", WRONG_ROLES)),
    *("pu(by='key').auroc({'a': 0.3, 'd': 0.3})", "pu(by='key').contingency(0.3, ranks=399)"),
    *("pu.contingency(0.3, ranks=401)", "pu.gap('auroc', 0.3)"),
    "pu(score=['score', 'other'], by='key').gap('auroc', 0)",
    "pu(score='holes', nan_policy='omit').contingency(0.3, ranks=399)",
    "pu(score=['score', 'holes']).compare()",
]
WRONG = FRAME.assign(none=None, nothing=np.nan, half=FRAME["label"].fillna(2))


@pytest.mark.parametrize("source", ["chunks", "partitions", "lazy polars"])
@pytest.mark.parametrize("call", CALLS)
def test_errors_are_those_of_the_frame(call: str, source: str) -> None:
    with dask.config.set(scheduler="synchronous"):
        accessor = SOURCES[source](WRONG, {}, np.random.default_rng(0))
        found, _ = attempt(lambda: eval(call, {"pu": accessor}))
    expected, _ = attempt(lambda: eval(call, {"pu": WRONG.pu}))
    assert isinstance(expected, PUError)
    assert (type(found), str(found)) == (type(expected), str(expected))

"""Rankings to try things on: hand-made strategies and seeded draws."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr
from hypothesis import strategies as st

from pu_accessor import PUWarning
from pu_accessor.roles_and_assumptions import ASSUMPTIONS
from tests.support.oracles import completion_oracle, oracle

Labels = list[bool | None]
FloatArray = npt.NDArray[np.float64]
ROLES = ["score", "label", "by", "propensity", "positive", "negative", "unlabeled", "nan_policy"]
ROLES += ["on_error", "progress", "dim", "cluster", "weight", "count", "average"]
ASSUMED = [*ASSUMPTIONS]

AREAS = {"roc": "auroc", "pr": "average_precision"}  # metrics, by their curves
BANDS = ["exact", "bootstrap", "dkw", "simultaneous"]
ORACLES = {band: getattr(oracle, f"{band}_band") for band in BANDS}
LOOKS: dict[str, Any] = {"legend": True, "baseline": False}  # what all plots take
LOOKS |= dict.fromkeys(["hue", "col", "ax", "line_kws", "band_kws", "palette", "height"])


class Case(NamedTuple):
    """Scores and labels, and a beta that fits them."""

    score: list[float]
    label: Labels
    beta: float


def draw_case(seed: int, known_negatives: bool = True) -> Case:
    """Draw a small ranking with ties, better or worse than chance."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(4, 40))
    truth = rng.random(size) < rng.uniform(0.2, 0.8)
    truth[0] = True
    score = np.round(rng.normal(rng.uniform(-1, 2.5) * truth), int(rng.integers(0, 3)))
    shown = rng.random(size) < rng.uniform(0.1, 0.7)
    shown[0] = True
    hidden = ~shown | (~truth & (not known_negatives))
    label = [None if gone else bool(true) for gone, true in zip(hidden, truth, strict=True)]
    beta = 0.0 if None not in label else float(rng.choice([0, 1, 0.5, round(rng.random(), 3)]))
    return Case(score.tolist(), label, beta)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Small rankings, mostly tied, with a known positive and an unlabeled example at least."""
    label = [True, None, *draw(st.lists(st.sampled_from([True, False, None, None]), max_size=25))]
    grid = st.integers(0, draw(st.sampled_from([1, 4, 30]))).map(float)
    score = draw(st.lists(grid, min_size=len(label), max_size=len(label)))
    return Case(score, label, draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])))


def framed(score: Any, label: Any) -> pd.DataFrame:
    """Return a frame with the default column names."""
    return pd.DataFrame({"score": score, "label": pd.array(label, dtype="boolean")})


def as_frame(case: Case) -> pd.DataFrame:
    """Return a case as a frame with the default column names."""
    return framed(case.score, case.label)


def estimates_of(frame: pd.DataFrame, beta: float, ends: Any = None) -> list[oracle.Table]:
    """Return the tables of the estimate, not rounded, cut to those of two bounds if passed."""
    labels = [None if pd.isna(one) else bool(one) for one in frame["label"]]
    m = oracle.latent_count(beta, labels.count(None))
    return completion_oracle.estimates(frame["score"].tolist(), labels, m, ends)


def as_tables(tables: xr.Dataset, bound: str) -> list[oracle.Table]:
    """Return one bound of tables for one beta as the oracle writes them."""
    one = tables.isel(beta=0).sel(bound=bound)
    columns = [one[name].values.tolist() for name in ("rank", "tp", "fp", "fn", "tn", "clipped")]
    return [oracle.Table(*row) for row in zip(*columns, strict=True)]


def binormal(
    positives: int, negatives: int, known: float, seed: int, shift: float = 1.0
) -> tuple[pd.DataFrame, float, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Draw scores N(shift, 1) and N(0, 1), show a share of the positives; also beta and truth."""
    rng = np.random.default_rng(seed)
    truth = np.arange(positives + negatives) < positives
    label = np.full(truth.size, np.nan)
    label[: round(known * positives)] = 1  # scores are exchangeable: this is a random sample
    frame = pd.DataFrame({"score": rng.normal(shift * truth), "label": label})
    return frame, float(truth[np.isnan(label)].mean()), truth


def check_place(one: xr.Dataset, own: xr.Dataset) -> None:
    """Compare tables of a group with its own, at its last cutoff at or before each rank."""
    ragged, at = "cutoff" in one.dims, np.searchsorted(own["rank"], one["rank"], side="right") - 1
    if not own["rank"].attrs["n_cutoffs"]:  # a selection
        at = np.arange(own.sizes["rank"])
        assert one["rank"].values.tolist() == own["rank"].values.tolist()
    elif ragged:  # the last one is repeated
        assert at.tolist() == [min(i, own.sizes["rank"] - 1) for i in range(at.size)]
    for name in (*own.data_vars, "threshold"):
        assert (one[name].dtype, one[name].attrs) == (own[name].dtype, own[name].attrs)
        np.testing.assert_array_equal(one[name].values, own[name].isel(rank=at).values)
    for name in ("beta", "n_known_positive", "n_known_negative", "n_unlabeled"):
        assert one[name].values.tolist() == own[name].values.tolist()


def put(accessor: Any, method: str, /, *args: Any, **keywords: Any) -> Any:
    """Put a question with those keywords that are its own, and bind and assume the others."""
    roles = {name: keywords.pop(name) for name in ROLES if name in keywords}
    assumed = {name: keywords.pop(name) for name in ASSUMED if name in keywords}
    accessor = accessor(**roles) if roles else accessor
    accessor = accessor.assume(**assumed) if assumed else accessor
    return getattr(accessor, method)(*args, **keywords)


def quiet(data: Any, method: str, /, *args: Any, **keywords: Any) -> pd.DataFrame:
    """Put a question to data and let it warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        found: pd.DataFrame = put(data.pu, method, *args, **keywords)
    return found


def placements(frame: pd.DataFrame, name: str) -> tuple[FloatArray, FloatArray]:
    """Return what each known positive wins against the rest, and loses each of these to them."""
    score, known = frame[name].to_numpy(), (frame["label"] == 1).to_numpy()
    wins = (np.sign(score[known][:, np.newaxis] - score[~known]) + 1) / 2
    return wins.mean(axis=1), wins.mean(axis=0)


def pu(thing: Any) -> Any:
    """Return the accessor of a groupby, of which stubs do not know."""
    return thing.pu


def put_of_these(accessor: Any, method: str, /, *args: Any, **keywords: Any) -> Any:
    """Put a question about these examples, also where others are meant if nothing is said."""
    about = {"target": "examples"} if method in ("auroc", "average_precision") else {}
    return put(accessor, method, *args, **about, **keywords)


def legend_of(drawing: Any) -> Any:
    """Return the legend of a plot: within its Axes, or outside of them in their figure."""
    if not hasattr(drawing, "get_legend"):
        return drawing.legend  # a grid
    outside = drawing.figure.legends
    return drawing.get_legend() or (outside[0] if outside else None)


def legend(drawing: Any) -> list[str]:
    """Return what the legend of a plot names, in order, without areas; nothing without one."""
    box = legend_of(drawing)
    return [] if box is None else [text.get_text().split("  ")[0] for text in box.get_texts()]


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return what a method takes; for `**looks` of a plot, each keyword with its default."""
    named = dict(inspect.signature(function).parameters)
    named.pop("self", None)
    kind = inspect.Parameter.KEYWORD_ONLY
    if named.pop("looks", None) is not None:
        named |= {one: inspect.Parameter(one, kind, default=LOOKS[one]) for one in LOOKS}
    return [*named.values()]

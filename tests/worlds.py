"""What laws are tried on: drawn rows, roles, questions with any keywords, and rotten values."""

import inspect
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes

import pu_accessor
from pu_accessor import PUError, PUWarning
from tests.cases import ASSUMED, BANDS, LOOKS, parameters_of

FRAMES, TABLES = type(pd.DataFrame().pu), type(xr.Dataset().pu)
MODELS = ["score", "other"]
CODED = {"label": "said", "positive": "yes", "negative": "no", "unlabeled": "?"}


def fuzzed(share: float) -> settings:
    """Return settings for a share of the examples, however slow they are."""
    whole = settings.default.max_examples if settings.default else 1
    examples = max(int(whole / share), 1)
    return settings(max_examples=examples, suppress_health_check=list(HealthCheck))


def attempt(ask: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return an answer, or the error of ours in its place; and the texts of our warnings.

    Nothing else is raised or warned of, and no text is longer than 300 characters.
    """
    found: Any
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Of dask itself, which a later pandas will need it to leave out.
        warnings.filterwarnings("ignore", "The inplace keyword in DataFrame")
        try:
            found = ask()
        except PUError as error:
            found = error
    assert not [one for one in caught if one.category is not PUWarning], [*map(str, caught)]
    told = sorted({str(one.message) for one in caught})
    texts = [*told, str(found)] if isinstance(found, PUError) else told
    assert all(0 < len(text) <= 300 for text in texts), texts
    return found, told


def settled(ask: Callable[[dict[str, Any]], Any], asked: dict[str, Any]) -> dict[str, Any]:
    """Return keywords without those that are refused beside others, as the errors say."""
    for _ in range(20):
        told = str(attempt(lambda: ask(asked))[0])  # noqa: B023
        refused = re.match(r"(\w+) (?:must (?:be left out|not be)|is not available)", told)
        if told.startswith(("target must not be 'population'", "beta must be passed")):
            asked = asked | ({"beta": 0.3} if told[0] == "b" else {"target": "examples"})
        elif not refused or refused[1] not in asked:
            break
        else:
            asked = {name: value for name, value in asked.items() if name != refused[1]}
    return asked


def seen(ax: Any) -> list[Any]:
    """Return what is drawn on Axes, or on all of a grid, and close it."""
    found: list[Any] = []
    for one in [ax] if isinstance(ax, Axes) else [*ax.axes.flat]:
        found += [line.get_xydata() for line in one.lines]
        found += [patch.get_path().vertices for patch in one.patches]
        found += [np.frombuffer(one.get_xlabel().encode(), "u1")]
    plt.close("all")
    return found


def check_alike(found: Any, expected: Any) -> None:
    """Hold an answer against another: numbers to the last digits but some."""
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9, atol=1e-9)
    elif isinstance(expected, list):
        assert len(found) == len(expected) > 0
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    else:
        xr.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def rows(size: int, seed: int, kind: str) -> pd.DataFrame:
    """Return rows of two models, tied or not, with and without known negatives."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < rng.uniform(0.1, 0.9)
    shown = rng.random(size) < rng.uniform(0.1, 0.9)
    shown &= truth | (rng.random() < 0.5)
    digits = int(rng.integers(0, 3))
    frame = pd.DataFrame({name: rng.normal(rng.uniform(-1, 3) * truth) for name in MODELS})
    if kind == "probability":
        frame = frame.apply(lambda x: 1 / (1 + np.exp(-x))).round(digits + 1)
    elif kind == "level":
        frame["score"] = 1.0
    else:
        frame = frame.round(0 if kind == "whole" else digits)
    odd = {"infinite": [np.inf, -np.inf], "holes": [np.nan]}.get(kind, [])
    for name in MODELS if odd else []:
        frame[name] = frame[name].mask(rng.random(size) < 0.15, rng.choice(odd, size))
    times: list[Any] = [rng.choice([0, 1, 1, 2, 7], size), rng.integers(1, 5, size) / 1.0]
    times += [rng.integers(4, 20, size) / 4]
    return frame.assign(
        label=np.where(shown, truth, np.nan),
        said=np.where(shown, np.where(truth, "yes", "no"), "?"),
        key=rng.choice(list("ab"), size),
        fold=rng.integers(0, 2, size),
        propensity=np.where(truth, np.round(rng.uniform(0.3, 1, size), 1), np.nan),
        id=rng.permutation(size),
        patient=rng.integers(0, 1 + size // 2, size),
        times=times[size % 3],
    )


def frames() -> st.SearchStrategy[pd.DataFrame]:
    """Rows of any kind."""
    kinds = ["probability", "round", "whole", "infinite", "holes", "level"]
    return st.builds(rows, st.integers(1, 60), st.integers(0, 2**32 - 1), st.sampled_from(kinds))


@st.composite
def roles(draw: st.DrawFn) -> dict[str, Any]:
    """What columns mean: the default most often."""
    options: dict[str, list[Any]] = {
        "score": ["score", "score", "score", "other", MODELS],
        "by": [None, None, None, "key", ["key", "fold"]],
        "propensity": [None, None, None, "propensity"],
        "nan_policy": ["raise", "omit", "worst"],
        "on_error": ["raise", "skip"],
        "cluster": [None, None, None, "patient"],
        "weight": [None, None, None, None, "times"],
        "count": [None, None, None, None, "times"],
    }
    found = {name: draw(st.sampled_from(some)) for name, some in options.items()}
    if found["by"] and draw(st.integers(0, 3)) == 0:
        found["average"] = draw(st.sampled_from([True, "key"]))
    coding = [{}, {}, CODED, {"unlabeled": [0, None]}]
    return {**found, **draw(st.sampled_from(coding))}


def half_band(n: int, m: int, level: float) -> Any:
    """Return a band of a user's own."""
    k = np.arange(n + 1)
    return k * m // (2 * n), m - (n - k) * m // (2 * n)


def _own(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return a metric of a user's own."""
    return tp * tn - fp * fn


METRICS = [
    *["accuracy", "balanced_accuracy", "f1", "fdr", "fnr", "for", "fpr", "informedness"],
    *["jaccard", "kappa", "lift", "mcc", "npv", "precision", "recall", "tnr", "tpr"],
]
NAMES: list[Any] = [*METRICS, pu_accessor.fbeta(2), _own]
BETAS = st.one_of(
    st.builds(pd.Interval, st.sampled_from([0, 0.05, 0.1]), st.sampled_from([0.3, 0.5, 0.9])),
    st.sampled_from([0, 0.0, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0]),
    st.floats(0, 1),
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.6]), min_size=1, max_size=3, unique=True),
)
SHARES = st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.1, 0.5, 0.9]))
RANKS, SCORES = st.integers(0, 61), st.floats(-3, 3)
GOALS = ["precision", "recall", "fpr", "cost"]
BY_SHARE = st.tuples(st.sampled_from(["fraction", "fpr", "recall", "precision"]), SHARES)
STRATA, ENDS = st.sampled_from(["key", "fold"]), [0.2, 0.5, 0.7]
OVER = [{"selection_odds": [1, 1.5, 2]}, {"contamination": [0, 0.1]}, {"prevalence": [0.1, 0.4]}]
WHOLE: list[Any] = ["auroc", "average_precision", "bedroc", "boyce", "net_benefit", "difference"]
WHOLE += [pu_accessor.bedroc(5)]

# What each argument may be, whatever it belongs to; where a method takes others, by its name.
VALID: dict[str, st.SearchStrategy[Any]] = {
    "beta": BETAS,
    "level": st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]),
    "band": st.sampled_from([*BANDS, half_band]),
    "reference": st.sampled_from(["positives", "negatives", "tightest"]),
    "selection_odds": st.sampled_from([1, 1.0, 1.5, 2, 5, np.inf]),
    "contamination": st.sampled_from([0, 0.05, 0.3]),
    "monotone": st.booleans(),
    "ranks": st.one_of(
        st.sampled_from(["all", "breakpoints"]), RANKS, st.lists(RANKS, min_size=1, max_size=4)
    ),
    "target": st.sampled_from(["population", "examples"]),
    "max_fpr": st.sampled_from([0.05, 0.3, 1.0]),
    "at": st.one_of(
        RANKS,
        st.sampled_from(["youden", "maximum"]),
        st.builds(lambda x: {"threshold": x}, SCORES),
        BY_SHARE.map(lambda one: dict([one])),
    ),
    **dict.fromkeys(["wave", "check_assumptions strata"], STRATA),
    "method": st.sampled_from(["feasible", "mean_matching"]),
    **dict.fromkeys(["precision", "recall", "fpr", "prevalence"], SHARES),
    **dict.fromkeys(["above", "below", "expected_beta"], SHARES),
    "cost": st.sampled_from([(1, 5), (2.5, 1), (0, 1)]),
    **dict.fromkeys(["models", "size"], st.integers(1, 9)),
    "on": st.just("id"),
    "over": st.sampled_from(OVER),
    "sample_to_label strata": st.one_of(SHARES, st.just(ENDS)),
    "bins": st.one_of(st.integers(1, 12), st.just(ENDS), st.just([0, 0.2, 1])),
    "fraction": st.one_of(SHARES, st.just([0.05, 0.2])),
    "random_state": st.integers(0, 9),
    "x": st.sampled_from(["rank", "fraction", "threshold", "beta", "selection_odds"]),
    "rank": st.one_of(RANKS, st.lists(RANKS, max_size=3)),
    "threshold": st.one_of(SCORES, st.just([0.5, 0.1])),
    "order": st.sampled_from([["a", "b"], ["b", "a"], ["b"], MODELS]),
    "metric": st.sampled_from(["auroc", "average_precision", "difference", *METRICS, _own]),
    "area metric": st.sampled_from(["auroc", "average_precision"]),
    "compare metric": st.sampled_from(["auroc", "bedroc", "net_benefit", *NAMES]),
    "metric metric": st.sampled_from([*WHOLE[:5], *WHOLE[6:], *NAMES]),
    "plot_metric metric": st.sampled_from(["auroc", "net_benefit", *NAMES]),
}


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return what a function takes, by name."""
    return {one.name: one for one in parameters_of(function)}


@st.composite
def keywords(draw: st.DrawFn, kind: type, method: str) -> dict[str, Any]:
    """Valid keywords of a method: those that it needs, and a few of the others."""
    found: dict[str, Any] = {}
    for name, one in parameters(getattr(kind, method)).items():
        needed = one.default is one.empty
        if name not in (*LOOKS, *GOALS) and (needed or draw(st.integers(0, 4)) == 0):
            own = f"{method} {name}"
            found[name] = draw(VALID[own if own in VALID else name])
    if found.get("metric", "auroc") not in WHOLE and "at" in parameters(getattr(kind, method)):
        found["at"] = draw(VALID["at"])
    if method == "cutoff":
        goal = draw(st.sampled_from(GOALS))
        found[goal] = draw(VALID[goal])
    return found


@st.composite
def assumptions(draw: st.DrawFn) -> dict[str, Any]:
    """What is taken for granted: mostly nothing."""
    return {name: draw(VALID[name]) for name in ASSUMED if draw(st.integers(0, 9)) == 0}


def public(kind: type) -> list[str]:
    """Return the methods of an accessor."""
    names = [name for name in dir(kind) if name[0] != "_" and callable(getattr(kind, name))]
    return [name for name in names if name != "assume"]


ODD: list[Any] = [
    *[0, 1, -1, 10**30, -0.0, 0.5, 1.5, 1e308, 5e-324, 2**63, 10**400, np.longdouble("1e4000")],
    *[np.nan, np.inf, -np.inf, True, 1 + 1j, Decimal("sNaN"), Fraction(1, 3), np.float32(0.3)],
    *[np.int8(-1), np.bool_(True), pd.NA, pd.NaT, None, ..., object, len, lambda *args: args],
    *["", " ", "x", "0.3", "all", "score", "\n", "$x$", "\ud800", "x" * 10**5, b"x"],
    *[type("Hidden", (), {"__repr__": lambda _: "<hidden>" * 200})(), range(10**12)],
    *[pd.Timestamp("2024"), slice(None), memoryview(b"x"), np.random.default_rng(0)],
    *[pd.DataFrame({"low": [0.1], "high": [0.2]}), pd.Series({"a": 0.3, "b": 0.2})],
    *[np.zeros((2, 2)), np.zeros((1, 0)), xr.Dataset(), xr.DataArray(0.3), [[0.1, 0.2], [0.3]]],
]
PLAIN = st.one_of(st.sampled_from(ODD[:-8]), st.floats(), st.integers(), st.text(max_size=5))
CONTAINERS: list[Callable[[list[Any]], Any]] = [
    *[list, tuple],
    *[lambda x: [x], lambda x: {*map(str, x)}, lambda x: np.array(x, object)],
    *[lambda x: dict.fromkeys(map(repr, x), 0.3), lambda x: {"rank": x}],
    *[lambda x: {"threshold": x[:1]}, lambda x: dict(zip(["fp", "fn"], x, strict=False))],
    *[lambda x: pd.Series(x, dtype=object), lambda x: pd.Index(x, dtype="O")],
    *[lambda x: xr.DataArray(np.array(x, object), dims="key")],
    *[lambda x: pd.DataFrame({"beta": x}, dtype=object)],
]
LISTS = st.one_of([st.lists(x, max_size=3) for x in (PLAIN, st.floats(0, 1), st.floats())])
FILLED = st.tuples(st.sampled_from(CONTAINERS), LISTS).map(lambda one: one[0](one[1]))
ROTTEN = st.one_of(st.sampled_from(ODD), PLAIN, FILLED)

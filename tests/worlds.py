"""What the fuzzers draw: rows, roles, questions with any keywords, and rotten values."""

import datetime as dt
import inspect
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUError, PUWarning
from pu_accessor.roles_and_assumptions import ASSUMPTIONS
from tests.cases import parameters_of

FRAMES, TABLES = type(pd.DataFrame().pu), type(xr.Dataset().pu)
MODELS = ["score", "other"]
CODED = {"label": "said", "positive": "yes", "negative": "no", "unlabeled": "?"}


def some(share: int) -> int:
    """Return how many examples to draw: a share of what the profile says."""
    whole = settings.default.max_examples if settings.default else 1
    return max(whole // share, 1)


def fuzzed(share: int) -> settings:
    """Return settings for a share of the examples, however slow they are."""
    return settings(max_examples=some(share), suppress_health_check=list(HealthCheck))


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


class Question(NamedTuple):
    """A method with its arguments, what the columns mean, and what is taken for granted."""

    method: str
    keywords: dict[str, Any]
    roles: dict[str, Any]
    assumed: dict[str, Any] = {}  # noqa: RUF012

    def put(self, accessor: Any) -> Any:
        """Ask an accessor of which nothing has been said yet."""
        bound = accessor(**self.roles).assume(**self.assumed)
        return getattr(bound, self.method)(**self.keywords)


@st.composite
def frames(draw: st.DrawFn, most: int = 60) -> pd.DataFrame:
    """Rows of two models, probabilities or not, tied or not, with and without known negatives."""
    size, seed = draw(st.integers(1, most)), draw(st.integers(0, 2**32 - 1))
    kind = draw(st.sampled_from(["probability", "round", "whole", "infinite", "holes", "level"]))
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < rng.uniform(0.1, 0.9)
    shown = rng.random(size) < rng.uniform(0.1, 0.9)
    shown &= truth | (rng.random() < 0.5)
    digits = int(rng.integers(0, 3))
    scores = {name: rng.normal(rng.uniform(-1, 3) * truth) for name in MODELS}
    if kind == "probability":
        scores = {name: np.round(1 / (1 + np.exp(-x)), digits + 1) for name, x in scores.items()}
    elif kind != "level":
        scores = {
            name: np.round(x, 0 if kind == "whole" else digits) for name, x in scores.items()
        }
    else:
        scores["score"] = np.ones(size)
    if kind in ("infinite", "holes"):
        odd = [np.inf, -np.inf] if kind == "infinite" else [np.nan]
        for x in scores.values():
            x[rng.random(size) < 0.15] = rng.choice(odd)
    label = np.where(shown, truth, np.nan)
    times = [rng.choice([0, 1, 1, 2, 7], size), rng.integers(1, 5, size) / 1.0]
    times += [rng.integers(4, 20, size) / 4]
    return pd.DataFrame(
        {
            **scores,
            "label": label,
            "said": np.where(shown, np.where(truth, "yes", "no"), "?"),
            "key": rng.choice(list("ab"), size),
            "fold": rng.integers(0, 2, size),
            "propensity": np.where(truth, np.round(rng.uniform(0.3, 1, size), 1), np.nan),
            "id": rng.permutation(size),
            "patient": rng.integers(0, 1 + size // 2, size),
            "times": times[size % 3],
        }
    )


@st.composite
def roles(draw: st.DrawFn) -> dict[str, Any]:
    """What columns mean: the default most often."""
    found: dict[str, Any] = {}
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
    for name, some in options.items():
        found[name] = draw(st.sampled_from(some))
    if found["by"] and draw(st.integers(0, 3)) == 0:
        found[draw(st.sampled_from(["pool", "average"]))] = draw(st.sampled_from([True, "key"]))
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
AT = st.one_of(
    st.integers(0, 61),
    st.sampled_from(["youden", "maximum"]),
    st.builds(lambda x: {"threshold": x}, st.floats(-3, 3)),
    st.builds(
        lambda name, x: {name: x},
        st.sampled_from(["fraction", "fpr", "recall", "precision"]),
        SHARES,
    ),
)
COSTS = st.sampled_from([(1, 5), (2.5, 1), (0, 1)])
QUANTITIES = ["auroc", "average_precision", "difference", *METRICS]
ODDS = st.sampled_from([1, 1.0, 1.5, 2, 5, np.inf])
WHOLE: list[Any] = ["auroc", "average_precision", "bedroc", "boyce", "net_benefit"]
WHOLE += [pu_accessor.bedroc(5)]
AREAS = st.sampled_from(["auroc", "average_precision"])
TARGETS = st.sampled_from(["population", "examples"])

# What each argument may be, whatever it belongs to; where a method takes others, by its name. The
# suite tests that none is missing.
VALID: dict[str, st.SearchStrategy[Any]] = {
    "beta": BETAS,
    "level": st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]),
    "band": st.sampled_from(["exact", "simultaneous", "bootstrap", "dkw", half_band]),
    "reference": st.sampled_from(["positives", "negatives", "tightest", "both"]),
    "selection_odds": ODDS,
    "contamination": st.sampled_from([0, 0.05, 0.3]),
    "monotone": st.booleans(),
    "ranks": st.one_of(
        st.sampled_from(["all", "breakpoints"]),
        st.integers(0, 61),
        st.lists(st.integers(0, 61), min_size=1, max_size=4),
    ),
    "target": TARGETS,
    "prevalence": SHARES,
    "max_fpr": st.sampled_from([0.05, 0.3, 1.0]),
    "adjust": st.sampled_from(["holm", "max_t"]),
    "at": AT,
    "wave": st.sampled_from(["key", "fold"]),
    "check_assumptions strata": st.sampled_from(["key", "fold"]),
    "report strata": st.sampled_from(["key", "fold"]),
    "method": st.sampled_from(["feasible", "mean_matching", "two_sided"]),
    "precision": SHARES,
    "recall": SHARES,
    "fpr": SHARES,
    "cost": COSTS,
    "models": st.integers(1, 9),
    "on": st.just("id"),
    "metric": st.sampled_from([*QUANTITIES, _own]),
    "over": st.sampled_from(
        [{"selection_odds": [1, 1.5, 2]}, {"contamination": [0, 0.1]}, {"prevalence": [0.1, 0.4]}]
    ),
    "above": SHARES,
    "below": SHARES,
    "sample_to_label strata": st.one_of(SHARES, st.just([0.2, 0.5, 0.7])),
    "allocate": st.sampled_from(["neyman", "proportional"]),
    "expected_beta": SHARES,
    "bins": st.one_of(st.integers(1, 12), st.just([0.2, 0.5, 0.7]), st.just([0, 0.2, 1])),
    "fraction": st.one_of(SHARES, st.just([0.05, 0.2])),
    "size": st.integers(1, 9),
    "random_state": st.integers(0, 9),
    "x": st.sampled_from(["rank", "fraction", "threshold", "beta", "selection_odds"]),
    "baseline": st.booleans(),
    "rank": st.one_of(st.integers(0, 61), st.lists(st.integers(0, 61), max_size=3)),
    "threshold": st.one_of(st.floats(-3, 3), st.just([0.5, 0.1])),
    "palette": st.sampled_from(["colorblind", "viridis", ["red", "#00f", "0.5", "k"]]),
    "legend": st.sampled_from(["auto", "brief", "full", False]),
    "height": st.sampled_from([1.5, 3.2]),
    "order": st.sampled_from([["a", "b"], ["b", "a"], ["b"], MODELS]),
    "title": st.text(max_size=9),
    "area metric": AREAS,
    "compare metric": st.sampled_from(["auroc", "bedroc", "net_benefit", *NAMES]),
    "metric metric": st.sampled_from([*WHOLE, *NAMES]),
    "plot_metric metric": st.sampled_from(["auroc", "net_benefit", *NAMES]),
}
GOALS = ["precision", "recall", "fpr", "cost"]
LOOKS = {"hue", "col", "row", "ax", "line_kws", "band_kws"}


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return what a function takes, by name."""
    return {one.name: one for one in parameters_of(function)}


def valid(method: str, name: str) -> st.SearchStrategy[Any]:
    """Return the strategy for an argument."""
    return VALID[f"{method} {name}"] if f"{method} {name}" in VALID else VALID[name]


@st.composite
def keywords(draw: st.DrawFn, kind: type, method: str) -> dict[str, Any]:
    """Valid keywords of a method: those that it needs, and a few of the others."""
    found: dict[str, Any] = {}
    for name, one in parameters(getattr(kind, method)).items():
        needed = one.default is one.empty
        if name not in (*LOOKS, *GOALS) and (needed or draw(st.integers(0, 4)) == 0):
            found[name] = draw(valid(method, name))
    if method == "cutoff":
        goal = draw(st.sampled_from(GOALS))
        found[goal] = draw(VALID[goal])
    return found


@st.composite
def assumptions(draw: st.DrawFn) -> dict[str, Any]:
    """What is taken for granted: mostly nothing."""
    return {name: draw(VALID[name]) for name in ASSUMPTIONS if draw(st.integers(0, 9)) == 0}


@st.composite
def questions(draw: st.DrawFn, method: str) -> Question:
    """Put a method of ``df.pu`` with any of its keywords and any roles."""
    return Question(method, draw(keywords(FRAMES, method)), draw(roles()), draw(assumptions()))


def public(kind: type) -> list[str]:
    """Return the methods of an accessor."""
    names = [name for name in dir(kind) if name[0] != "_" and callable(getattr(kind, name))]
    return [name for name in names if name != "assume"]


class Hidden:
    """An object of which nothing is known."""

    def __repr__(self) -> str:
        return "<hidden>" * 200


NUMBERS: list[Any] = [
    *[0, 1, -1, 2, 10**30, -(10**30), 0.0, -0.0, 0.5, 1.5, -0.1, 1e308, 5e-324, 2**63, 2**31],
    *[float("nan"), float("inf"), -float("inf"), True, False, 1 + 1j, Decimal("0.3")],
    *[
        Decimal("sNaN"),
        Decimal("NaN"),
        Fraction(1, 3),
        Fraction(10**400, 3),
        10**400,
        np.longdouble("1e4000"),
        np.float32(0.3),
        np.int8(-1),
        np.bool_(True),
    ],
    *[np.float64("nan"), np.longdouble("0.3"), pd.NA, pd.NaT, np.datetime64("NaT", "s")],
]
TEXTS: list[Any] = [
    "",
    " ",
    "x",
    "0.3",
    "all",
    "score",
    "\n",
    "$x$",
    "\ud800",
    "x" * 100_000,
    b"x",
]
OTHERS: list[Any] = [
    *[None, ..., Hidden(), object, len, lambda: 0, lambda *args: None, lambda *args: args],
    *[set(), {0.3}, frozenset([1]), {}, {"a": 0.3}, {"rank": np.nan}, {"rank": [1]}, {None: None}],
    *[{"threshold": "x"}, {"fp": 1}, {"fp": np.nan, "fn": []}, {"fraction": 1e30}, {"x": {}}],
    *[[], [[]], [None], [np.nan], [0.3, "x"], ["x", 3], [0.1, 0.1], (), (1,), (0.1, 0.2, 0.3)],
    *[(0.5, 0.1), (np.nan, 1), (-np.inf, np.inf), [[0.1, 0.2], [0.3]], [10**30], [-1]],
    *[np.array([]), np.array(0.3), np.zeros((2, 2)), np.array(["a"]), np.array([None])],
    *[np.array([0.3], object), np.array([np.nan]), np.zeros((1, 0)), np.array([True])],
    *[
        pd.Series([0.3]),
        pd.Series([], dtype=float),
        pd.Series({"a": 0.3, "b": 0.2}),
        pd.Series(["x"]),
    ],
    *[pd.DataFrame(), pd.DataFrame({"beta": [0.3]}), pd.DataFrame({"low": [0.1], "high": [0.2]})],
    *[
        pd.Index([0.3]),
        pd.Timestamp("2024"),
        pd.Categorical(["a"]),
        pd.array([None], dtype="Int8"),
    ],
    *[
        xr.DataArray(0.3),
        xr.DataArray([0.3], dims="key"),
        xr.Dataset(),
        xr.DataArray([], dims="x"),
    ],
    *[range(3), range(0), range(10**12), dt.date(2024, 1, 1), slice(None), memoryview(b"x")],
    *[np.random.default_rng(0), np.random.RandomState(0), re.compile("x")],
]
ROTTEN = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(TEXTS),
    st.sampled_from(OTHERS),
    st.floats(),
    st.integers(),
    st.text(max_size=5),
    st.recursive(
        st.one_of(st.none(), st.floats(), st.integers(-3, 3), st.text(max_size=2)),
        lambda some: st.one_of(
            st.lists(some, max_size=3), st.dictionaries(st.text(max_size=2), some, max_size=2)
        ),
        max_leaves=4,
    ),
)

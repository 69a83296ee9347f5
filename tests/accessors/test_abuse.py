"""What no argument can be is refused in our own words, by name: what fuzzing found."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUDataError, PUError, PUTypeError, PUValueError, PUWarning
from tests.sources.test_pieces import FRAME
from tests.support.long import draws

ROWS = FRAME.replace([np.inf, -np.inf], 0).assign(p=1 / (1 + FRAME["other"] ** 2), id=FRAME.index)
PU = ROWS.pu(score="p")
TABLES = PU.contingency([0.1, 0.3])
NO_CHUNKS: Any = lambda: None  # noqa: E731
API: Any = pu_accessor
EMPTY = np.array([])
ODD = pd.Series(["x"], index=[1])
STRATA = pd.DataFrame({"stratum": ["a"]})
KEYED = xr.DataArray([0.1, 0.2], {"g": [1, 2]}, "g")
SIGNALS: Any = [Decimal("sNaN")] * len(ROWS)
SAME = {"selection_odds": 1}
REPEATED = pd.Series([0.1, 0.2], index=[1, 1])
TWICE = {"beta_interval": pd.Series([(0.1, 0.3)] * 2, index=[0, 0])}
THIRDS = ROWS.assign(g=ROWS.index % 3).pu(score="p", by="g")
UNKNOWN = ROWS.assign(label=np.nan, propensity=0.5).pu(propensity="propensity")
KNOWN = pd.DataFrame({"score": [3, 2], "other": [2, 3], "label": [1, 1]})
BOTH = KNOWN.head(1).pu(score=["score", "other"], negative=0)
THESE = {"target": "examples"}
NO_FLAG = [pd.NA, np.array([]), np.zeros((2, 2)), pd.Series([0.3]), pd.DataFrame(), 1, None]

ARRAYS: dict[str, Callable[[Any], Any]] = {
    "ranks": lambda value: PU.contingency(0.3, ranks=value),
    "beta": lambda value: PU.contingency(value),
    "beta_interval": lambda value: PU.auroc(0.3, beta_interval=value),
    "bins": lambda value: PU.calibration(0.3, bins=value),
    "thresholds": lambda value: PU.net_benefit(0.3, thresholds=value),
    "fraction": lambda value: PU.metric("lift", 0.3, at={"fraction": value}),
    "selection_odds": lambda value: PU.plot_robustness("auroc", 0.3, selection_odds=value),
    "band": lambda value: PU.contingency(0.3, band=(value, value)),
    "rank": lambda value: TABLES.pu.at(rank=value),
    "threshold": lambda value: TABLES.pu.at(threshold=value),
    "score": lambda value: pu_accessor.from_arrays(value, [1, None]).auroc(0.3),
}
FLAGS: dict[str, Callable[[Any], Any]] = {
    "baseline": lambda value: PU.plot_roc(0.3, baseline=value),
    "tables": lambda value: TABLES.pu.plot_pr(baseline=value),
    "progress": lambda value: PU(progress=value),
    "rest": lambda value: pu_accessor.beta_from_labels(12, 50, 2000, rest=value),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_no_array_is_named(name: str) -> None:
    for value in (xr.Dataset(), range(10**12), [[0.1, 0.2], [0.3]]):
        with pytest.raises(PUTypeError, match=name) as told:
            ARRAYS[name](value)
        assert len(str(told.value)) <= 300


@pytest.mark.parametrize("name", FLAGS)
def test_what_is_neither_true_nor_false_is_named(name: str) -> None:
    for value in NO_FLAG:
        with pytest.raises(PUTypeError, match=r"must be True or False, but .* was passed"):
            FLAGS[name](value)


@pytest.mark.parametrize("value", [object, len, lambda: 0, lambda tp: tp])
def test_functions_of_other_arguments_are_named(value: Any) -> None:
    with pytest.raises(PUTypeError, match="must be a function of the arrays tp, fp, fn and tn"):
        PU.metric(value, 0.3, at=20)
    with pytest.raises(PUTypeError, match=r"must be a function \(n, m, level\)"):
        PU.contingency(0.3, band=value)


CALLS: list[tuple[str, Callable[[], Any]]] = [
    ("at must hold one fraction or more", lambda: TABLES.pu.at(fraction=[])),
    ("at must be one rank or an array", lambda: TABLES.isel(beta=0).pu.plot_table(at=2**64)),
    ("must be one of", lambda: TABLES.pu.plot_against_beta({})),
    ("above must be a number", lambda: PU.robustness("auroc", 0.3, above="x", **SAME)),
    ("above must be finite", lambda: PU.robustness("auroc", 0.3, above=np.nan, **SAME)),
    ("quantity must be one of", lambda: PU.robustness(["f1"], 0.3, **SAME)),
    ("models must be", lambda: PU.cutoff(0.3, recall=0.5, models=10**30)),
    ("must be a function that is called without", lambda: API.from_chunks(len).auroc(0.3)),
    ("beta_interval must be", lambda: PU.auroc(0.3, beta_interval=(-np.inf, np.inf))),
    (r"^beta_interval must have each key once, .* \[0\] twice", lambda: PU.auroc(0.3, **TWICE)),
    (r"^beta must have each key once, .* \[1\] twice", lambda: PU.auroc(REPEATED)),
    (r"beta must have a value for .* none for \[0\]; its keys", lambda: THIRDS.auroc(KEYED)),
    (
        r"found must be True .* row 1 holds 'x'\.",
        lambda: API.labeling.add_labels(ROWS["label"], ODD),
    ),
    ("^n_labeled must be left out with .* 50 was", lambda: API.beta_from_labels(STRATA, 50)),
    (r"method must be one of \['exact', 'h", lambda: API.beta_from_labels(1, 5, 9, method=EMPTY)),
    ("found must be a frame of rows as sample_", lambda: API.labeling.rates_from_labels(ODD, "a")),
    ("weight must be the name .* set w", lambda: API.from_chunks([ROWS], weight=set()).auroc(0.3)),
    (r"n_unlabeled must be at most 10\*\*12", lambda: API.beta_from_labels(12, 50, 10**30)),
    ("positive must be a value", lambda: ROWS.pu(positive=range(10**12)).auroc(0.3)),
    ("pool must be True", lambda: ROWS.pu(by="key", pool=[["key"]]).auroc(0.3)),
    ("dim must be", lambda: ROWS.to_xarray().pu(dim=pd.Series([1])).auroc(0.3)),
    ("must be a function that returns an iter", lambda: API.from_chunks(NO_CHUNKS).auroc(0.3)),
    ("chunks must be an iterable", lambda: API.from_chunks(np.array(0.3)).auroc(0.3)),
    ("sNaN", lambda: ROWS.assign(label=SIGNALS).pu.auroc(0.3)),
]


def test_values_that_look_odd_and_are_right() -> None:
    one, other = (PU.auroc(0.3, selection_odds=odds) for odds in (1e308, np.inf))
    assert one["range_lower"].equals(other["range_lower"])
    label = [1, 1, None, None]
    found = pu_accessor.from_arrays([4, 3, 2, 1], label, positive=xr.DataArray(1))
    assert found.auroc(0).equals(pu_accessor.from_arrays([4, 3, 2, 1], label).auroc(0))
    how = {"pilot": {"auroc": 0.8}, "beta": 0.1, "n_unlabeled": 5000}
    needed = [API.labeling.positives_needed(width, **how) for width in (np.longdouble("0.1"), 0.1)]
    assert needed[0].equals(needed[1])


# Questions without an answer


UNANSWERED: list[tuple[str, Callable[[], Any]]] = [
    ("label must mark at least one known positive", lambda: UNKNOWN.auroc(0.3, **THESE)),
    ("label must mark at least one known", lambda: UNKNOWN.average_precision(0.3, **THESE)),
    ("needs negatives", lambda: KNOWN.pu(negative=0).gap("auroc", 0)),
    ("selection_odds must be left out where all", lambda: BOTH.compare(selection_odds=1.5)),
]


@pytest.mark.parametrize(("said", "ask"), [*CALLS, *UNANSWERED])
def test_other_values_are_named(said: str, ask: Callable[[], Any]) -> None:
    with pytest.raises(PUDataError if (said, ask) in UNANSWERED else PUError, match=said):
        ask()


def test_draws_that_vanish() -> None:
    rows = pd.DataFrame({"score": [4, 1, 2, 3], "label": [np.nan, 1, 1, 1]})
    found = rows.pu.average_precision(2**-8, target="examples", level=0.5, selection_odds=1.5)
    assert 0 <= found["lower"].item() <= found["estimate"].item() <= found["upper"].item() <= 1
    # Of weights, too: some draws of .003 latent positives are too small for a number.
    rows = pd.DataFrame({"score": range(6), "label": [1, 1, 1, *[np.nan] * 3]})
    rows["p"] = [0.5, 0.6, 0.7, *[np.nan] * 3]
    with pytest.warns(PUWarning, match="effective number"):
        found = rows.pu(propensity="p").average_precision(0.001, target="examples")
    near = found[["lower", "estimate", "upper"]].to_numpy().ravel()
    assert near == pytest.approx(23 / 60, abs=0.002) and (np.diff(near) > 0).all()


@pytest.mark.parametrize("kind", [draws.FRAMES, draws.TABLES])
def test_fuzzers_draw_every_argument(kind: type) -> None:
    asked = {
        f"{method} {name}"
        for method in draws.public(kind)
        for name in {*draws.parameters(getattr(kind, method))} - {*draws.LOOKS, *draws.GOALS}
    }
    assert len(asked) > 20
    assert not [one for one in asked if not {one, one.partition(" ")[2]} & draws.VALID.keys()]


def test_names_to_average_over() -> None:
    odd: list[Any] = [[], [[]], [np.zeros(2)], [pd.NA], "site", ["key", 3]]
    for value in odd:
        with pytest.raises(PUValueError, match="average must be True, or name some of the colu"):
            ROWS.pu(by="key").auroc(0.3, average=value)


@pytest.mark.parametrize("value", [np.array([]), xr.DataArray([], dims="x"), pd.DataFrame(), ""])
def test_panels_have_names(value: Any) -> None:
    for size in ({}, {"height": 2}, {"ax": plt.subplots()[1]}):
        for ask, asked in ((PU.plot_roc, (0.3,)), (PU.plot_forest, ("auroc", 0.3))):
            with pytest.raises(PUValueError, match=r"col must be|ax must not be"):
                ask(*asked, col=value, **size)


def test_precisions_next_to_nothing() -> None:
    assert PU.cutoff(0.3, precision=5e-324)["rank"].item() == len(ROWS)
    found = [PU.metric("accuracy", 0.3, at={"precision": least}) for least in (2.0**-1022, 0.0)]
    pd.testing.assert_frame_equal(*found)


def test_where_no_example_is_negative_in_whole_numbers_there_is_no_area() -> None:
    pu: Any = pd.DataFrame({"score": [2.0, 1.0], "label": [1, None]}).pu
    with pytest.warns(PUWarning, match="one other example"):
        assert pu.average_precision(0.9, prevalence=0.5)["lower"].isna().all()
    with pytest.warns(PUWarning, match="one other example"):
        assert pu.auroc(0, beta_interval=(0, 0.5), max_fpr=0.05)["lower"].isna().all()

"""What no argument can be is refused in our own words, by name: what fuzzing found."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes

import pu_accessor
from pu_accessor import PUDataError, PUError, PUTypeError, PUValueError, PUWarning
from tests.sources.test_pieces import FRAME
from tests.support.long import draws

ROWS = FRAME.replace([np.inf, -np.inf], 0).assign(p=1 / (1 + FRAME["other"] ** 2), id=FRAME.index)
PU = ROWS.pu(score="p")
TABLES = PU.contingency([0.1, 0.3])
NO_ARRAY = [xr.Dataset(), range(10**12), [[0.1, 0.2], [0.3]]]
NO_CHUNKS: Any = lambda: None  # noqa: E731
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
    "practice": lambda value: PU.plot_net_benefit(0.3, baseline=value),
    "progress": lambda value: PU(progress=value),
    "rest": lambda value: pu_accessor.beta_from_labels(12, 50, 2000, rest=value),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_no_array_is_named(name: str) -> None:
    for value in NO_ARRAY:
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


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "no fraction": (lambda: TABLES.pu.at(fraction=[]), "fraction must hold one number or more"),
    "unhashable": (lambda: TABLES.pu.plot_against_beta({}), "must be one of"),
    "above text": (
        lambda: PU.robustness("auroc", 0.3, above="x", selection_odds=1),
        "above must be a number",
    ),
    "above NaN": (
        lambda: PU.robustness("auroc", 0.3, above=np.nan, selection_odds=1),
        "above must be finite",
    ),
    "quantity": (lambda: PU.robustness(["f1"], 0.3, selection_odds=1), "quantity must be one of"),
    "bins": (lambda: PU.calibration(0.3, bins=2**31), "bins must be from 1 to 1,000,000"),
    "alpha": (lambda: PU.bedroc(0.3, alpha=1e-300), "alpha must be 1e-06 or more"),
    "models": (lambda: PU.cutoff(0.3, recall=0.5, models=10**30), "models must be"),
    "opener": (
        lambda: pu_accessor.from_chunks(len).auroc(0.3),  # type: ignore[arg-type]
        "chunks must be a function that is called without arguments",
    ),
    "infinite": (lambda: PU.auroc(0.3, beta_interval=(-np.inf, np.inf)), "beta_interval must be"),
    "interval twice": (
        lambda: PU.auroc(0.3, beta_interval=pd.Series([(0.1, 0.3)] * 2, index=[0, 0])),
        r"^beta_interval must have each key once, but has \[0\] twice",
    ),
    "first key of an array": (
        lambda: (
            ROWS.assign(g=ROWS.index % 3)
            .pu(score="p", by="g")
            .auroc(xr.DataArray([0.1, 0.2], {"g": [1, 2]}, "g"))
        ),
        r"beta must have a value for each key, but has none for \[0\]; its keys",
    ),
    "infinite beta": (lambda: PU.auroc([0.1, np.inf]), r"beta must lie in \[0, 1\]"),
    "found": (
        lambda: pu_accessor.add_labels(pd.Series([1, None]), pd.Series(["x"], index=[1])),
        r"found must be True or False, but row 1 holds 'x'\.",
    ),
    "count of strata": (
        lambda: pu_accessor.beta_from_labels(pd.DataFrame({"stratum": ["a"]}), 50),
        "^n_labeled must be left out with rows of strata, but 50 was passed",
    ),
    "method": (
        lambda: pu_accessor.beta_from_labels(12, 50, 99, method=np.array([])),  # type: ignore[arg-type]
        r"method must be one of \['exact', 'hpd'\]",
    ),
    "frame": (
        lambda: pu_accessor.rates_from_labels(pd.Series([1, 0]), "a"),  # type: ignore[arg-type]
        "found must be a frame of rows as sample_to_label draws them",
    ),
    "mark": (lambda: PU.plot_roc(0.3, mark=-1), "mark must be a rank from 0"),
    "mark of tables": (
        lambda: PU.contingency(0.3).pu.plot_pr(mark=-1),
        "mark must be a rank from 0",
    ),
    "weight of chunks": (
        lambda: pu_accessor.from_chunks([ROWS], weight=set()).auroc(0.3),  # type: ignore[arg-type]
        "weight must be the name of a column, but a set was passed",
    ),
    "count": (
        lambda: pu_accessor.beta_from_labels(12, 50, 10**30),
        r"n_unlabeled must be at most 2\*\*53",
    ),
    "weight": (lambda: pu_accessor.fbeta(1e308), "weight must be above 0 and finite"),
    "positive": (lambda: ROWS.pu(positive=range(10**12)).auroc(0.3), "positive must be a value"),
    "pool": (lambda: ROWS.pu(by="key", pool=[["key"]]).auroc(0.3), "pool must be True"),
    "dim": (lambda: ROWS.to_xarray().pu(dim=pd.Series([1])).auroc(0.3), "dim must be"),
    "chunks": (
        lambda: pu_accessor.from_chunks(NO_CHUNKS).auroc(0.3),
        "chunks must be a function that returns an iterable",
    ),
    "no chunks": (
        lambda: pu_accessor.from_chunks(np.array(0.3)).auroc(0.3),
        "chunks must be an iterable",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_values_are_named(name: str) -> None:
    call, said = CALLS[name]
    with pytest.raises(PUError, match=said):
        call()


def test_values_that_look_odd_and_are_right() -> None:
    one, other = (PU.auroc(0.3, selection_odds=odds) for odds in (1e308, np.inf))
    assert one["range_lower"].equals(other["range_lower"])
    label = [1, 1, None, None]
    found = pu_accessor.from_arrays([4, 3, 2, 1], label, positive=xr.DataArray(1))
    assert found.auroc(0).equals(pu_accessor.from_arrays([4, 3, 2, 1], label).auroc(0))
    widths: list[Any] = [np.longdouble("0.1"), 0.1]
    needed = [
        pu_accessor.positives_needed(w, pilot={"auroc": 0.8}, beta=0.1, n_unlabeled=5000)
        for w in widths
    ]
    assert needed[0].equals(needed[1])
    with pytest.raises(PUValueError, match=r"sNaN"):
        ROWS.assign(label=np.array([Decimal("sNaN")] * len(ROWS))).pu.auroc(0.3)


# Questions without an answer


@pytest.mark.parametrize("method", ["auroc", "average_precision"])
def test_propensities_without_known_positives(method: str) -> None:
    rows = ROWS.assign(label=np.nan, propensity=0.5)
    with pytest.raises(PUDataError, match="label must mark at least one known positive"):
        getattr(rows.pu(propensity="propensity"), method)(0.3, target="examples")


def test_groups_of_known_positives_alone() -> None:
    rows = pd.DataFrame({"score": [3, 2], "label": [1, 1]})
    with pytest.raises(PUDataError, match="needs negatives"):
        rows.pu(negative=0).gap("auroc", 0)


def test_a_selection_of_known_positives_alone() -> None:
    rows = pd.DataFrame({"score": [0.9], "other": [0.8], "label": [1.0]})
    with pytest.raises(PUDataError, match="selection_odds must be left out where all examples"):
        rows.pu(score=["score", "other"], negative=0).compare(selection_odds=1.5)


def test_a_precision_next_to_nothing_takes_all() -> None:
    assert PU.cutoff(0.3, precision=5e-324)["rank"].item() == len(ROWS)


def test_draws_that_vanish() -> None:
    rows = pd.DataFrame({"score": [4, 1, 2, 3], "label": [np.nan, 1, 1, 1]})
    found = rows.pu.average_precision(2**-8, target="examples", level=0.5, selection_odds=1.5)
    assert 0 <= found["lower"].item() <= found["estimate"].item() <= found["upper"].item() <= 1


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


@pytest.mark.parametrize("size", [{}, {"height": 2}, {"ax": Axes}])
@pytest.mark.parametrize("value", [np.array([]), xr.DataArray([], dims="x"), pd.DataFrame(), ""])
def test_panels_have_names(value: Any, size: dict[str, Any]) -> None:
    if "ax" in size:
        size = {"ax": plt.subplots()[1]}
    for ask in (PU.plot_roc, PU.plot_forest):
        asked = ("auroc", 0.3) if ask == PU.plot_forest else (0.3,)
        with pytest.raises(PUValueError, match=r"col must be|ax must not be"):
            ask(*asked, col=value, **size)


def test_numbers_at_the_ends_of_floating_point() -> None:
    with pytest.raises(PUValueError, match=r"beta must lie in \[0, 1\], but .1.79"):
        PU.contingency(np.finfo(float).max)
    least = float(np.finfo(float).tiny)
    found = PU.metric("accuracy", 0.3, at={"precision": least})
    pd.testing.assert_frame_equal(found, PU.metric("accuracy", 0.3, at={"precision": 0.0}))


def test_where_no_example_is_negative_in_whole_numbers_there_is_no_area() -> None:
    pu: Any = pd.DataFrame({"score": [2.0, 1.0], "label": [1, None]}).pu
    with pytest.warns(PUWarning, match="one other example"):
        assert pu.average_precision(0.9, prevalence=0.5)["lower"].isna().all()
    with pytest.warns(PUWarning, match="one other example"):
        assert pu.auroc(0, beta_interval=(0, 0.5), max_fpr=0.05)["lower"].isna().all()

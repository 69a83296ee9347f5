"""Beta from a prevalence or a label frequency: units that convert, and those confused."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import pu_accessor
from pu_accessor import PUTypeError, PUValueError, labeling

# Labels made by hand, and other units

PREVALENCE: Any = pu_accessor.beta_from_prevalence
FREQUENCY: Any = pu_accessor.beta_from_label_frequency
LABELS: Any = pu_accessor.beta_from_labels
NEEDED: Any = labeling.labels_needed
WHOLE: Any = {"of": "population"}
HPD: Any = {"method": "hpd"}
NO_PRIOR = [HPD | {"prior": ends} for ends in [(0, 2), (2, 0), (math.inf, 2), (2, math.inf)]]


def test_units_at_their_ends_but_for_rounding() -> None:
    assert 0.29 * 100 < 29 and 0.07 * 100 > 7
    assert PREVALENCE(0.29, 29, 71) == 0 and PREVALENCE(0.25, 0, 10**12) == 0.25
    assert PREVALENCE(0.07, 0, 7, 93) == 1
    assert PREVALENCE(1, 100, 900) == 1 and PREVALENCE(0.1, 100, 900) == 0
    assert 0.29 * 10**8 < 29 * 10**6 and PREVALENCE(0.29, 29 * 10**6, 71 * 10**6) == 0
    beta = PREVALENCE(0.3, n_positive=100, n_unlabeled=800, n_negative=100)
    assert beta == pytest.approx((300 - 100) / 800)
    assert FREQUENCY(0.25, 100, 900) == pytest.approx(300 / 900)
    assert FREQUENCY(1, 100, 900) == 0


def test_of_a_population_the_limits_are_binomial() -> None:
    found = PREVALENCE(0.25, 200, 950, 50, of="population", level=0.9)
    low, high = stats.binom.interval(0.9, 1200, 0.25)
    want = [100 / 950, (low - 200) / 950, (high - 200) / 950, 0.9]
    assert found.iloc[0, :4].tolist() == pytest.approx(want)
    assert found[["method", "n_unlabeled", "n"]].iloc[0].tolist() == ["prevalence", 950, 200]
    share = PREVALENCE(0.25, 200, 950, 50, of="rows")
    assert found["beta"].item() == pytest.approx(share)
    # Known positives from elsewhere say nothing of the rest, and are not counted.
    alone = PREVALENCE(0.25, 0, 950, of="population")
    assert alone["beta"].item() == 0.25 and "n" not in alone


def test_of_a_population_limits_are_cut_to_what_there_is_room_for() -> None:
    few = PREVALENCE(0.1, 105, 895, of="population").iloc[0]
    assert few["beta"] == few["lower"] == 0 < few["upper"] < 0.03
    all_of_it = PREVALENCE(1, 100, 900, of="population").iloc[0]
    assert all_of_it[["beta", "lower", "upper"]].tolist() == [1, 1, 1]


def test_of_a_population_intervals_hold_jointly() -> None:
    rng = np.random.default_rng(1)
    score = rng.normal(2.5 * (np.arange(1200) < 250))
    pu = pu_accessor.from_arrays(score, np.where(np.arange(1200) < 200, 1, np.nan))
    beta = PREVALENCE(250 / 1200, 200, 1000, of="population")
    wide, narrow = pu.auroc(beta).iloc[0], pu.auroc(0.05).iloc[0]
    assert wide["estimate"] == pytest.approx(narrow["estimate"])
    assert wide["lower"] < narrow["lower"] < narrow["upper"] <= wide["upper"]
    with pytest.raises(PUValueError, match="beta must be an estimate for these examples"):
        pu.auroc(PREVALENCE(0.2, 199, 1000, of="population"))


@pytest.mark.parametrize(
    ("call", "args", "how", "error", "told"),
    [
        (PREVALENCE, (0.3, 1, 9), {"of": "set"}, PUValueError, "^of must be one of"),
        (PREVALENCE, (3, 1, 9), WHOLE, PUValueError, "^prevalence must lie in"),
        (PREVALENCE, (0.3, 1, 0), WHOLE, PUValueError, "0 unlabeled examples"),
        (PREVALENCE, (0.3, 1, 9), {**WHOLE, "level": 95}, PUValueError, "^level must lie in"),
        (PREVALENCE, (0.05, 100, 900), {}, PUValueError, "^a prevalence of 0.05 leaves -50 pos"),
        (PREVALENCE, (1, 100, 800, 100), {}, PUValueError, "leaves 900"),
        (PREVALENCE, (0.29 - 1e-8, 29, 71), {}, PUValueError, "no share"),  # 28.999999 of 100
        (PREVALENCE, (1.0, 29, 70, 1), {}, PUValueError, "which is no share"),  # 71 of 70
        (PREVALENCE, (1, 100, 0), {}, PUValueError, "leaves 0 positives for 0 unlabeled"),
        *((PREVALENCE, (x, 100, 800, 100), WHOLE, PUValueError, "no share") for x in (0.01, 0.99)),
        (PREVALENCE, ("3", 100, 900), {}, PUTypeError, "be a number"),
        (PREVALENCE, (0.3, 1.5, 900), {}, PUTypeError, "n_positive must"),
        (PREVALENCE, (0.3, -1, 900), {}, PUValueError, "be at least 0"),
        (PREVALENCE, (0.3, 1, -9), {}, PUValueError, "^n_unlabeled must be at least 0"),
        (PREVALENCE, (0.3, 1, 9, 2.0), {}, PUTypeError, "^n_negative must be an integer"),
        (PREVALENCE, (0.3, 10**12 + 1, 9), {}, PUValueError, "^n_positive must be at most"),
        (FREQUENCY, (0, 1, 9), {}, PUValueError, "but 0 was passed"),
        (FREQUENCY, (0.01, 10, 9), {}, PUValueError, "^a label frequency of 0.01 leaves 990 "),
        (FREQUENCY, (2, 1, 9), {}, PUValueError, "^label_frequency must lie in"),
        (FREQUENCY, (0.5, -1, 9), {}, PUValueError, "^n_positive must be at least 0"),
        (LABELS, (3, 2, 9), {}, PUValueError, "0 <= n_positive <="),
        (LABELS, (0, 0, 9), {}, PUValueError, "something labeled"),
        (LABELS, (1, 2, 9), {"method": "hypergeometric"}, PUValueError, "mean 'exact'"),
        (LABELS, (1, 2, 9), {"method": "hdi"}, PUValueError, "Did you mean 'hpd'"),
        (LABELS, (-1, 2, 9), {}, PUValueError, "^n_positive must be at"),
        (LABELS, (1, 2, 9), {"level": 2}, PUValueError, "^level must lie"),
        (LABELS, (1, 2, 9), {"prior": (2, 2)}, PUValueError, "prior must"),
        *((LABELS, (1, 2, 9), how, PUValueError, "above 0") for how in NO_PRIOR),
        (LABELS, (1, 2, 9), {**HPD, "prior": 2}, PUTypeError, "a pair"),
        (LABELS, (1, 2, 2), {"rest": True}, PUValueError, "all 2 were"),
        (LABELS, (1, 2, 9), {"rest": "no"}, PUTypeError, "^rest must be True or False"),
        (NEEDED, (2, 9), {}, PUValueError, "^width must lie in"),
        (NEEDED, (0.1, -9), {}, PUValueError, "^n_unlabeled must be at least 1"),
        (NEEDED, (0.1, 9), {"beta": 2}, PUValueError, "^beta must lie in"),
        (NEEDED, (0.1, 9), {"level": 2}, PUValueError, "^level must lie in"),
        (NEEDED, (0.1, 9), {"probability": 0}, PUValueError, r"^probability must lie in \(0, 1\)"),
        (NEEDED, (0.1, 9), {"probability": 1}, PUValueError, "^probability must lie in"),
        (NEEDED, (0.1, 0), {}, PUValueError, "at least 1, but 0 was"),
    ],
)
def test_confused_units(call: Any, args: Any, how: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        call(*args, **how)

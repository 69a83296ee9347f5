"""Beta from a prevalence or a label frequency: units that convert, and those confused."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import pu_accessor
from pu_accessor import PUValueError

# Labels made by hand, and other units

PREVALENCE: Any = pu_accessor.beta_from_prevalence
FREQUENCY: Any = pu_accessor.beta_from_label_frequency


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

"""The simultaneous band on new examples: joint probabilities, and what follows from them."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.bands import future_data as bands
from pu_accessor.inference.bands.future_data import (
    bound_rates,
    cut_to_concave,
    joint_share_limits,
    share_limits,
)
from pu_accessor.ranking import Counts, Ranking
from tests.support.oracles import new_examples_oracle


def make_ranking(
    seed: int, n: int = 60, size: int = 400, step: float = 0.0, shift: float = 1.5, **how: Any
) -> Ranking:
    """Rank positives N(shift, 1) of which n are known, and others of which .3 are positive."""
    rng = np.random.default_rng(seed)
    known = np.arange(n + size) < n
    score = rng.normal(shift * (known | (rng.random(n + size) < 0.3)))
    score = np.round(score / step) * step if step else score
    return rank_examples(score, known, np.arange(n + size) >= n + 0.9 * size, **how)


@pytest.mark.parametrize("seed", range(4))
def test_joint_probability_is_that_of_the_determinant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    middle = np.sort(rng.random(n))
    lower = [Fraction(max(round(100 * (each - 0.3)), 0), 100) for each in middle]
    upper = [Fraction(min(round(100 * (each + 0.3)), 100), 100) for each in middle]
    exact = new_examples_oracle.within(lower, upper)
    found = bands.probability_within(np.array(lower, np.float64), np.array(upper, np.float64))
    assert found == pytest.approx(float(exact), abs=1e-12)
    assert bands.probability_within(np.full(3, 0.5), np.full(3, 0.4)) == 0


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9995])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_local_level_meets_the_joint_one(n: int, level: float, both: bool) -> None:
    alpha = bands.local_alpha_of_share(n, level, both)
    lower, upper = share_limits(np.arange(n + 1), n, alpha)
    joint = bands.probability_within(lower[1:], upper[:-1] if both else np.ones(n))
    assert level <= joint + 1e-9 and 1 - joint == pytest.approx(1 - level, rel=2e-3)


def test_local_level_beyond_what_is_counted() -> None:
    # Computed once with a larger limit.
    counted = {(5000, 0.95): 0.00075896, (20000, 0.95): 0.00059948, (60000, 0.95): 0.00051152}
    for (n, level), alpha in counted.items():
        assert 0.94 * alpha < bands.local_alpha_of_share(n, level) <= alpha


def test_limits_of_shares_are_those_of_clopper_and_pearson() -> None:
    limits = share_limits(np.arange(8), 7, 0.1)
    for found in range(8):
        interval = stats.binomtest(found, 7).proportion_ci(0.9)
        assert limits[:, found].tolist() == pytest.approx(list(interval), abs=1e-12)


@pytest.mark.parametrize("tail", [0.5, 1e-3, 1e-7])
def test_limits_of_many_counts_are_interpolated(tail: float) -> None:
    size, rng = 10**7, np.random.default_rng(3)
    found = np.unique(np.concatenate([np.arange(3000), rng.integers(size, size=20_000), [size]]))
    lower, upper = share_limits(found, size, 2 * tail)
    some = np.arange(1, found.size - 1, 7)
    exact = stats.beta.ppf(tail, found[some], size - found[some] + 1)
    error = np.sqrt(found[some] * (1 - found[some] / size)) / size
    assert np.abs((lower[some] - exact) / error).max() < 1e-5
    exact = stats.beta.isf(tail, found[some] + 1, size - found[some])
    assert np.abs((upper[some] - exact) / error).max() < 1e-5
    assert lower[0] == 0 and upper[-1] == 1


def test_levels_of_both_samples_multiply() -> None:
    n, size, level = 80, 900, 0.9
    shares = joint_share_limits(np.arange(n + 1), np.arange(n + 1), n, size, level)
    rest = joint_share_limits(np.arange(2), np.arange(2), n, size, level).rest
    known = bands.probability_within(shares.known[0, 1:], shares.known[1, :-1])
    of_rest = 1 - 0.1 * 80**0.5 / (80**0.5 + 900**0.5)
    assert known == pytest.approx(level / of_rest, abs=1e-4)
    alpha = bands.local_alpha_of_share(size, of_rest)
    np.testing.assert_allclose(rest, share_limits(np.arange(2), size, alpha))


@pytest.mark.parametrize("step", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_cut_limits_lie_within_the_others(seed: int, step: float) -> None:
    ranking = make_ranking(seed, step=step)
    wide, cut = (bound_rates(ranking, 0.3, 0.95, monotone) for monotone in (False, True))
    assert bands.bound_curve(ranking, 0.3, 0.95, True).band.refuted_at is None
    for before, after in zip(wide, cut, strict=True):
        assert (after[0] >= before[0] - 1e-12).all() and (after[1] <= before[1] + 1e-12).all()
        assert (after[0] <= after[1] + 1e-12).all()
        # The rates never fall with the list, and lift never rises.
        turn = -1 if before is wide.lift else 1
        assert (turn * np.diff(after) >= -1e-9).all()


def test_rates_against_all_that_is_possible() -> None:
    """At each threshold F and x lie in their limits, and F is a concave function of x."""
    ranking, b = make_ranking(1), 0.3
    rates = bound_rates(ranking, b, 0.95, True)
    known = ranking.known_positive
    shares = joint_share_limits(known, ranking.rank - known, 60, 400, 0.95)
    x = np.unique(np.concatenate([[0.0, 1.0], *shares.rest]))
    above = [shares.known[0][shares.rest[1] <= each].max(initial=0) for each in x]
    below = [shares.known[1][shares.rest[0] >= each].min(initial=1) for each in x]
    curve = cut_to_concave(x, np.array(above), np.array(below), 1 / b)
    assert curve.refuted_at is None
    for cutoff in range(0, ranking.rank.size, 7):
        inside = (x >= shares.rest[0, cutoff]) & (x <= shares.rest[1, cutoff])
        low = np.maximum(curve.lower[inside], shares.known[0, cutoff])
        high = np.minimum(curve.upper[inside], shares.known[1, cutoff])
        fits = low <= high + 1e-12
        place, low, high = x[inside][fits], low[fits], high[fits]
        tpr, fpr = rates.tpr[:, cutoff], rates.fpr[:, cutoff]
        assert tpr[0] <= low.min() + 1e-12 and tpr[1] >= high.max() - 1e-12
        assert fpr[0] <= ((place - b * high) / (1 - b)).min() + 1e-12
        assert fpr[1] >= ((place - b * low) / (1 - b)).max() - 1e-12


def test_limits_of_lift_by_hand() -> None:
    known, rest, n, size = 30, 50, 60, 400
    lower, upper = bands.lift_limits(np.array([known]), np.array([rest]), n, size, 0.95)[:, 0]
    few, many = (bands.local_alpha_of_share(each, 0.95) / 2 for each in (n, size))
    beta = stats.beta
    tpr, low = (beta.ppf(tail, known, n - known + 1) for tail in (0.5, few))
    share, high = (beta.ppf(tail, rest + 1, size - rest) for tail in (0.5, 1 - few))
    spread = np.hypot(np.log(tpr / low), np.log(high / share))
    assert lower == pytest.approx(tpr / share * np.exp(-spread))
    tpr, high = (beta.ppf(tail, known + 1, n - known) for tail in (0.5, 1 - many))
    share, low = (beta.ppf(tail, rest, size - rest + 1) for tail in (0.5, many))
    spread = np.hypot(np.log(high / tpr), np.log(share / low))
    assert upper == pytest.approx(tpr / share * np.exp(spread))


def test_curve_is_between_the_samples_own_errors_and_their_sum() -> None:
    ranking = make_ranking(4, n=100, size=1000)
    known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
    x, lower, upper = bands.curve_limits(known, rest, 100, 1000, 0.95)
    alpha = bands.local_alpha_of_share(100, 0.95)
    exact = share_limits(known, 100, alpha)
    ends = share_limits(rest, 1000, alpha)
    for place in np.searchsorted(x, [0.05, 0.1, 0.3, 0.6]):
        # As if the shares of the rest were known, and as if both were at their worst at once.
        alone = exact[0][rest / 1000 <= x[place]].max(), exact[1][rest / 1000 >= x[place]].min()
        both = exact[0][ends[1] <= x[place]].max(), exact[1][ends[0] >= x[place]].min()
        assert both[0] - 1e-12 <= lower[place] <= alone[0] + 1e-12
        assert alone[1] - 1e-12 <= upper[place] <= both[1] + 1e-12


def test_nothing_known_bounds_nothing() -> None:
    rank = np.arange(5)
    score = np.arange(5, 0.0, -1)
    ranking = Ranking(rank, score, 0 * rank, 0 * rank, rank, Counts(0, 0, 4))
    rates = bound_rates(ranking, 0.25, 0.95, True)
    assert rates.tpr.tolist() == [[0] * 5, [1] * 5]
    assert (rates.lift[1] == 4).all()
    assert (rates.lift[0] == 1).all()  # that scores are no worse than chance is taken for granted


def test_no_positive_among_the_rest() -> None:
    """Then x is the false positive rate, and a curve may be as steep as it likes."""
    ranking = make_ranking(2)
    rates = bound_rates(ranking, 0.0, 0.95, True)
    known = ranking.known_positive
    shares = joint_share_limits(known, ranking.rank - known, 60, 400, 0.95)
    np.testing.assert_allclose(rates.fpr, shares.rest)
    assert np.isinf(rates.lift[1, 0])


def test_nothing_is_cut_where_the_curve_is_refuted() -> None:
    """The best-ranked and the worst-ranked examples are positive, those between are not."""
    rank = np.arange(401)
    known = np.minimum(rank, 50) + np.clip(rank - 350, 0, 50)
    score = np.arange(401, 0.0, -1)
    ranking = Ranking(rank, score, known, 0 * known, rank - known, Counts(100, 0, 300))
    wide, cut = (bound_rates(ranking, 0.1, 0.95, monotone) for monotone in (False, True))
    curves = [bands.bound_curve(ranking, 0.1, 0.95, monotone) for monotone in (False, True)]
    assert [curve.band.refuted_at is None for curve in curves] == [True, False]
    for before, after in zip(
        [*wide, *curves[0].band[:2]], [*cut, *curves[1].band[:2]], strict=True
    ):
        np.testing.assert_array_equal(before, after)


def test_curves_of_many_known_positives_leave_out_some_cutoffs() -> None:
    ranking = make_ranking(5, n=5_000, size=20_000)
    known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
    x, lower, upper = bands.curve_limits(known, rest, 5_000, 20_000, 0.95)
    assert x.size < 60_000
    ends = share_limits(rest, 20_000, bands.local_alpha_of_share(5_000, 0.95))
    true = np.interp(x, rest / 20_000, known / 5_000)
    assert (lower <= true + 1e-3).all() and (upper >= true - 1e-3).all()
    assert (upper - lower).max() < 0.1 and ends.shape[1] == known.size

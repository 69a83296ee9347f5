"""Bands on new examples, and lists with one guarantee: joint probabilities, and definitions."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference import future_bands
from pu_accessor.inference.future_bands import bound_rates, share_limits
from pu_accessor.inference.guaranteed_cutoffs import Goal, find_future_rank
from pu_accessor.ranking import Counts, Ranking
from pu_accessor.roles_and_assumptions import Terms
from tests.cases import binormal, put
from tests.support.oracles import new_examples_oracle, population_oracle

BETA_PPF = stats.beta.ppf


def make_ranking(
    seed: int, n: int = 60, size: int = 400, step: float = 0.0, shift: float = 1.5, **how: Any
) -> Ranking:
    """Rank positives N(shift, 1) of which n are known, and others of which .3 are positive."""
    rng = np.random.default_rng(seed)
    known = np.arange(n + size) < n
    score = rng.normal(shift * (known | (rng.random(n + size) < 0.3)))
    score = np.round(score / step) * step if step else score
    return rank_examples(score, known, np.arange(n + size) >= n + 0.9 * size, **how)


def ranked(known: Any) -> Ranking:
    """Return a ranking without ties from the known positives at or above each rank."""
    rank = np.arange(len(known))
    total = Counts(int(known[-1]), 0, int(rank[-1] - known[-1]))
    return Ranking(rank, np.append(np.inf, -rank[1:]), known, 0 * rank, rank - known, total)


@pytest.mark.parametrize("seed", range(4))
def test_joint_probability_is_that_of_the_determinant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    middle = np.sort(rng.random(n))
    lower, upper = np.maximum(middle - 0.3, 0), np.minimum(middle + 0.3, 1)
    exact = new_examples_oracle.within(lower.tolist(), upper.tolist())
    assert future_bands.probability_within(lower, upper) == pytest.approx(exact, abs=1e-12)
    assert future_bands.probability_within(np.full(3, 0.5), np.full(3, 0.4)) == 0


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9995])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_local_level_meets_the_joint_one(n: int, level: float, both: bool) -> None:
    alpha = future_bands.local_alpha_of_share(n, level, both)
    lower, upper = share_limits(np.arange(n + 1), n, alpha)
    joint = future_bands.probability_within(lower[1:], upper[:-1] if both else np.ones(n))
    assert level <= joint + 1e-9 and 1 - joint == pytest.approx(1 - level, rel=2e-3)


def test_local_level_beyond_what_is_counted() -> None:
    # Computed once with a larger limit.
    for n, alpha in {5000: 0.00075896, 20000: 0.00059948, 60000: 0.00051152}.items():
        assert 0.94 * alpha < future_bands.local_alpha_of_share(n, 0.95) <= alpha


@pytest.mark.parametrize("tail", [0.5, 1e-3, 1e-7])
@pytest.mark.parametrize("size", [7, 10**7])
def test_limits_of_shares_are_those_of_clopper_and_pearson(size: int, tail: float) -> None:
    some = np.random.default_rng(3).integers(size, size=4_000)
    found = np.unique(np.concatenate([np.arange(min(size, 3000)), some, [size]]))
    lower, upper = share_limits(found, size, 2 * tail)
    assert lower[0] == 0 and upper[-1] == 1
    inner, limits = found[1:-1], np.stack([lower, upper])[:, 1:-1]
    exact = BETA_PPF(tail, inner, size - inner + 1), stats.beta.isf(tail, inner + 1, size - inner)
    error = np.sqrt(inner * (1 - inner / size)) / size
    assert np.abs((limits - exact) / error).max() < 1e-4


def test_levels_of_both_samples_multiply() -> None:
    n, size, level = 80, 900, 0.9
    shares = future_bands.joint_share_limits(np.arange(n + 1), np.arange(n + 1), n, size, level)
    of_rest = 1 - 0.1 * 80**0.5 / (80**0.5 + 900**0.5)
    known = future_bands.probability_within(shares.known[0, 1:], shares.known[1, :-1])
    assert known == pytest.approx(level / of_rest, abs=1e-4)
    alpha = future_bands.local_alpha_of_share(size, of_rest)
    np.testing.assert_allclose(shares.rest, share_limits(np.arange(n + 1), size, alpha))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("step", [0.0, 0.5])
def test_rates_are_all_that_is_possible(seed: int, step: float) -> None:
    """At each threshold F and x lie in their limits, and F is a concave function of x."""
    ranking, b = make_ranking(1 + seed, step=step), 0.3
    wide, rates = (bound_rates(ranking, b, 0.95, monotone) for monotone in (False, True))
    # Lift never rises with the list, and is at least 1.
    highest = np.minimum.accumulate(wide.lift[1])
    lowest = np.maximum(np.maximum.accumulate(wide.lift[0, ::-1])[::-1], 1)
    np.testing.assert_allclose(rates.lift, [lowest, highest])
    known = ranking.known_positive
    shares = future_bands.joint_share_limits(known, ranking.rank - known, 60, 400, 0.95)
    x = np.unique(np.concatenate([[0.0, 1.0], *shares.rest]))
    above = [shares.known[0][shares.rest[1] <= each].max(initial=0) for each in x]
    below = [shares.known[1][shares.rest[0] >= each].min(initial=1) for each in x]
    curve = future_bands.cut_to_concave(x, np.array(above), np.array(below), 1 / b)
    for cutoff in range(0, ranking.rank.size, 3):
        inside = (x >= shares.rest[0, cutoff]) & (x <= shares.rest[1, cutoff])
        low = np.maximum(curve.lower[inside], shares.known[0, cutoff])
        high = np.minimum(curve.upper[inside], shares.known[1, cutoff])
        fits = low <= high + 1e-12
        place, low, high = x[inside][fits], low[fits], high[fits]
        tpr, fpr = rates.tpr[:, cutoff], rates.fpr[:, cutoff]
        assert tpr[0] <= low.min() + 1e-12 and tpr[1] >= high.max() - 1e-12
        assert fpr[0] <= ((place - b * high) / (1 - b)).min() + 1e-12
        assert fpr[1] >= ((place - b * low) / (1 - b)).max() - 1e-12
    for before, after in zip(wide, rates, strict=True):
        assert (after[0] >= before[0] - 1e-12).all() and (after[1] <= before[1] + 1e-12).all()


@pytest.mark.parametrize("monotone", [False, True])
def test_curves_are_those_of_the_rates(monotone: bool) -> None:
    pu: Any = binormal(200, 500, 0.3, 0, shift=2.0)[0].pu.assume(monotone=monotone)
    curves, ranking = put(pu, "roc_bounds", 0.25, target="population"), pu._rank().make(0)
    rates = bound_rates(ranking, 160 / 640, 0.95, monotone)
    common = np.isin(curves["rank"], ranking.rank)
    for name, wanted in {"tpr": rates.tpr, "fpr": rates.fpr[::-1]}.items():
        found = curves[name].isel(bound=[0, 2], beta=0).transpose("bound", ...).to_numpy()
        np.testing.assert_allclose(found[:, common], wanted, atol=1e-12)


def test_limits_of_lift_by_hand() -> None:
    known, rest, n, size = 30, 50, 60, 400
    found = future_bands.lift_limits(np.array([known]), np.array([rest]), n, size, 0.95)[:, 0]
    for side, number in enumerate((n, size)):
        tails = np.array([0, 1]) + np.array([0.5, -0.5]) * future_bands.local_alpha_of_share(
            number, 0.95
        )
        tpr: Any = BETA_PPF([0.5, tails[side]], known + side, n - known + 1 - side)
        share: Any = BETA_PPF([0.5, tails[1 - side]], rest + 1 - side, size - rest + side)
        spread = np.hypot(*np.diff(np.log([tpr, share])))
        assert found[side] == pytest.approx(tpr[0] / share[0] * np.exp((2 * side - 1) * spread))


def test_the_curve_holds_all_that_are_moved_by_errors_of_both_samples() -> None:
    ranking = make_ranking(4, n=100, size=1000)
    known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
    x, lower, upper = future_bands.curve_limits(known, rest, 100, 1000, 0.95)
    z = stats.norm.ppf(future_bands.local_alpha_of_share(100, 0.95) / 2)
    for place in np.searchsorted(x, [0.05, 0.1, 0.3, 0.6, 0.9]):
        ends = []
        for angle in np.linspace(0, np.pi / 2, 7):
            of_known, of_rest = (2 * stats.norm.cdf(z * f(angle)) for f in (np.sin, np.cos))
            few, many = share_limits(known, 100, of_known)
            left, right = share_limits(rest, 1000, of_rest)
            ends.append((few[right <= x[place]].max(), many[left >= x[place]].min()))
        wanted = min(few for few, _ in ends), max(many for _, many in ends)
        assert (lower[place], upper[place]) == pytest.approx(wanted, abs=1e-12)


def test_curves_of_many_known_positives_leave_out_some_cutoffs() -> None:
    ranking = make_ranking(5, n=5_000, size=20_000)
    known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
    x, lower, upper = future_bands.curve_limits(known, rest, 5_000, 20_000, 0.95)
    assert x.size < 60_000
    true = np.interp(x, rest / 20_000, known / 5_000)
    assert (lower <= true + 1e-3).all() and (upper >= true - 1e-3).all()
    assert (upper - lower).max() < 0.1


def test_rates_of_a_single_kind() -> None:
    """Without known positives; and without positives among the rest: then x is the fpr."""
    rates = bound_rates(ranked(np.zeros(5, np.int64)), 0.25, 0.95, True)
    assert rates.tpr.tolist() == [[0] * 5, [1] * 5]
    assert rates.lift.tolist() == [[1] * 5, [4] * 5]  # scores are no worse than chance
    ranking = make_ranking(2)
    rates, known = bound_rates(ranking, 0.0, 0.95, True), ranking.known_positive
    shares = future_bands.joint_share_limits(known, ranking.rank - known, 60, 400, 0.95)
    np.testing.assert_allclose(rates.fpr, shares.rest)
    assert np.isinf(rates.lift[1, 0])


def test_nothing_is_cut_where_the_curve_is_refuted() -> None:
    """The best-ranked and the worst-ranked examples are positive, those between are not."""
    rank = np.arange(401)
    ranking = ranked(np.minimum(rank, 50) + np.clip(rank - 350, 0, 50))
    wide, cut = (bound_rates(ranking, 0.1, 0.95, monotone) for monotone in (False, True))
    concave = future_bands.bound_curve(ranking, 0.1, 0.95)
    assert concave.refuted_at is not None
    limits = future_bands.curve_limits(*future_bands.counts_of_samples(ranking), 0.95)[1:]
    for before, after in zip([*wide, *limits], [*cut, *concave[:2]], strict=True):
        np.testing.assert_array_equal(before, after)


# Lists

N, SIZE, B = 100, 1000, 0.3
BETA = B / 0.9  # a tenth of the rest is known to be negative


def draw_list(seed: int, step: float = 0.0, **how: Any) -> Ranking:
    """Rank examples that are told apart better."""
    return make_ranking(seed, N, SIZE, step, 2.0, **how)


def rank_of(ranking: Ranking, beta: float, goal: Goal, monotone: bool) -> int:
    """Return the rank that meets a goal on future data, where all is estimated at one beta."""
    return find_future_rank(ranking.with_fields(monotone=monotone), beta, goal, Terms(), beta)


@pytest.mark.parametrize("goal", [Goal("precision", 0.7), Goal("fpr", 0.1), Goal("recall", 0.8)])
@pytest.mark.parametrize("step", [0.0, 0.25])
def test_lists_are_those_of_all_cutoffs(step: float, goal: Goal) -> None:
    both = (draw_list(0, step, ranks=ranks) for ranks in ("breakpoints", "all"))
    few, every = (rank_of(ranking, BETA, goal, True) for ranking in both)
    assert few == every


def test_the_guarantee_of_a_list_by_hand() -> None:
    """That of recall is the classical tolerance limit; precision has two limits and medians."""
    ranking, goals = draw_list(0, ranks="all"), [Goal("recall", 0.8), Goal("precision", 0.7)]
    recall, precision = (rank_of(ranking, BETA, one, True) for one in goals)
    fewest = int(ranking.known_positive[np.searchsorted(ranking.rank, recall)])
    limits = [BETA_PPF(0.05, known, N - known + 1) for known in (fewest, fewest - 1)]
    assert limits[0] >= 0.8 > limits[1]
    plain = rank_of(ranking, BETA, goals[1], False)  # which holds at all cutoffs
    joint = future_bands.local_alpha_of_share(N, 0.95, both=False) / 2
    k, h = ranking.known_positive, ranking.rank - ranking.known_positive
    share = (N + B * SIZE) / (N + SIZE)  # of positives, which has an error, too
    low_share, _ = population_oracle.wilson(share, N + SIZE, stats.norm.ppf(0.95))
    for found, tail, step in ((precision, 0.045, 1.06), (plain, joint, 1.0)):
        known, low = (BETA_PPF(part, k, N - k + 1) for part in (0.5, tail))
        rest, high = (BETA_PPF(part, h + 1, SIZE - h) for part in (0.5, 1 - tail))
        lift = known / rest / np.exp(np.hypot(np.log(known / low), np.log(high / rest)))
        found_odds, low_odds = (
            np.log(each * (1 - B) / np.maximum(1 - B * each, 1e-9))
            for each in (np.maximum(k, 1e-3) / N * SIZE / np.maximum(h, 1e-3), lift)
        )
        off = np.hypot(found_odds - low_odds, special.logit(share) - special.logit(low_share))
        value = special.expit(special.logit(share) + found_odds - off)
        assert value[ranking.rank == found] >= 0.7 > value[h > step * h[ranking.rank == found]][0]


GOALS: list[tuple[str, float, bool, int]] = [
    *(("precision", 1.0, True, 0), ("fpr", 0.0, True, 0), ("recall", 1.0, True, 0)),
    *(("precision", 0.0, True, 1001), ("precision", 0.0, False, 1100), ("fpr", 1.0, True, 1001)),
]


@pytest.mark.parametrize(("name", "value", "monotone", "least"), GOALS)
def test_goals_that_nothing_or_all_meets(
    name: str, value: float, monotone: bool, least: int
) -> None:
    found = rank_of(draw_list(1), BETA, Goal(name, value), monotone)
    assert found >= least and (found > 0) == (least > 0)


def test_a_small_rate_is_walked_to_its_end() -> None:
    """A perfect ranking: half of the rest are positive, and above all others."""
    ranking = ranked(np.minimum(np.arange(1501) // 2, 500))
    goals = [Goal("fpr", value) for value in (0.001, 0.02)]
    none, some = (rank_of(ranking, 0.5, goal, True) for goal in goals)
    assert none == 0 < some  # not a single negative is above, but the limit is larger


@pytest.mark.parametrize("known", [np.arange(6), np.zeros(6, np.int64)], ids=["known", "rest"])
def test_one_kind_alone_promises_nothing(known: Any) -> None:
    for name, monotone in product(["precision", "fpr"], [False, True]):
        assert rank_of(ranked(known), 0.2, Goal(name, 0.5), monotone) == 0
    assert rank_of(ranked(known), 0.0, Goal("recall", 0.5), True) == known[-1]

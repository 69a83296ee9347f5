"""Lists with one guarantee on new examples: by hand, by definition, and how often they miss."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from pu_accessor.inference.bands.future_data import bound_rates, precision_from_lift
from pu_accessor.inference.estimates.guaranteed_cutoffs import Goal, find_future_cutoff
from pu_accessor.ranking import Counts, Ranking, Ranks
from tests.numerics import test_on_new_examples

N, SIZE, B = 100, 1000, 0.3
BETA = B / 0.9  # a tenth of the rest is known to be negative


def make_ranking(seed: int, step: float = 0.0, ranks: Ranks = "breakpoints") -> Ranking:
    return test_on_new_examples.make_ranking(seed, N, SIZE, step, 2.0, ranks=ranks)


def test_recall_is_the_classical_tolerance_limit() -> None:
    ranking = make_ranking(0)
    found = find_future_cutoff(ranking, BETA, Goal("recall", 0.8), 0.95, False)
    cutoff = int(np.searchsorted(ranking.rank, found.rank))
    k = int(ranking.known_positive[cutoff])
    assert found.bound == pytest.approx(stats.beta.ppf(0.05, k, N - k + 1)) and found.bound >= 0.8
    assert stats.beta.ppf(0.05, k - 1, N - k + 2) < 0.8
    assert ranking.threshold[cutoff] == found.threshold


@pytest.mark.parametrize("goal", [Goal("precision", 0.7), Goal("fpr", 0.1)])
@pytest.mark.parametrize("step", [0.0, 0.25])
@pytest.mark.parametrize("seed", range(2))
def test_lists_are_those_of_all_cutoffs(seed: int, step: float, goal: Goal) -> None:
    both = make_ranking(seed, step), make_ranking(seed, step, "all")
    few, every = (find_future_cutoff(ranking, BETA, goal, 0.95, True) for ranking in both)
    assert few == every


def test_a_walk_by_hand() -> None:
    """The limit of one list of precision, from two binomial limits and two medians."""
    ranking = make_ranking(0, ranks="all")
    found = find_future_cutoff(ranking, BETA, Goal("precision", 0.7), 0.95, True)
    cutoff = int(np.searchsorted(ranking.rank, found.rank))
    k = int(ranking.known_positive[cutoff])
    h = found.rank - k
    beta = stats.beta
    known, low = (beta.ppf(share, k, N - k + 1) for share in (0.5, 0.045))
    rest, high = (beta.ppf(share, h + 1, SIZE - h) for share in (0.5, 0.955))
    lift = known / rest / np.exp(np.hypot(np.log(known / low), np.log(high / rest)))
    value = (N + B * SIZE) / (N + SIZE / lift)
    assert found.bound == pytest.approx(value) and value >= 0.7


def test_without_monotone_scores_all_cutoffs_hold() -> None:
    ranking = make_ranking(3)
    found = find_future_cutoff(ranking, BETA, Goal("precision", 0.6), 0.95, False)
    lower = precision_from_lift(bound_rates(ranking, B, 0.95, False).lift[0], N, SIZE, B)
    met = ranking.rank[lower >= 0.6]
    assert met.size and found.rank >= met[-1]  # one side alone is narrower
    assert 0.6 <= found.bound < 0.65


def test_goals_that_nothing_or_everything_meets() -> None:
    ranking = make_ranking(1)
    for goal in (Goal("precision", 1.0), Goal("fpr", 0.0), Goal("recall", 1.0)):
        found = find_future_cutoff(ranking, BETA, goal, 0.95, True)
        assert (found.rank, found.threshold) == (0, np.inf) and np.isnan(found.bound)
    assert find_future_cutoff(ranking, BETA, Goal("precision", 0.0), 0.95, True).rank > 1000
    assert find_future_cutoff(ranking, BETA, Goal("precision", 0.0), 0.95, False).rank == N + SIZE
    assert find_future_cutoff(ranking, BETA, Goal("fpr", 1.0), 0.95, True).rank > 1000
    assert find_future_cutoff(ranking, 0.0, Goal("fpr", 0.2), 0.95, True).rank > 0


def test_a_small_rate_is_walked_to_its_end() -> None:
    """A perfect ranking: half of the rest are positive, and above all others."""
    rank = np.arange(1501)
    known = np.minimum(rank // 2, 500)
    total = Counts(500, 0, 1000)
    ranking = Ranking(rank, np.arange(1501, 0.0, -1), known, 0 * known, rank - known, total)
    found = find_future_cutoff(ranking, 0.5, Goal("fpr", 0.001), 0.95, True)
    assert found.rank == 0  # not a single negative is above, but the limit is larger
    found = find_future_cutoff(ranking, 0.5, Goal("fpr", 0.02), 0.95, True)
    assert found.rank > 0 and found.bound <= 0.02


def test_one_kind_alone_promises_nothing() -> None:
    rank = np.arange(6)
    for known in (rank, 0 * rank):
        total = Counts(int(known[-1]), 0, 5 - int(known[-1]))
        ranking = Ranking(rank, np.arange(6, 0.0, -1), known, 0 * rank, rank - known, total)
        for name, monotone in product(("precision", "fpr"), (False, True)):
            assert find_future_cutoff(ranking, 0.2, Goal(name, 0.5), 0.95, monotone).rank == 0
        assert find_future_cutoff(ranking, 0.0, Goal("recall", 0.5), 0.95, True).rank == known[-1]

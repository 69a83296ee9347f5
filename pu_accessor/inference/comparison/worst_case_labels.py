"""Compare models that ranked the same examples, with biased selection or wrong labels.

The difference is lowest if known positives with the highest rank differences are wrong and those
with the lowest represent most hidden ones. Coverage is not proven; it was simulated.
"""

from dataclasses import replace

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import latent_shares
from pu_accessor.inference.comparison.pair_tests import adjust_by_holm
from pu_accessor.inference.comparison.paired_models import PairedTests, compare_paired
from pu_accessor.inference.estimates.known_positives import count_positives
from pu_accessor.inference.settings import count_wrong
from pu_accessor.ranking import Counts, FloatArray, PairedRanks

_MAX_ODDS = 1e9  # a larger factor counts as unlimited
_HIDDEN_PER_KNOWN = 1e6  # hidden positives per known one, without a beta


def compare_worst_case(
    paired: PairedRanks,
    betas: FloatArray | None,
    level: float,
    target: str,
    *,
    odds: float = 1.0,
    contamination: float = 0.0,
) -> PairedTests:
    """Compare the AUROC of models with biased or wrong labels, as far as is assumed."""
    if odds > 1 and betas is None and sum(paired.total) == paired.total.known_positive:
        raise PUDataError(
            "selection_odds must be omitted where all examples are known positives: AUROC needs "
            "others to rank them against."
        )
    plain = compare_paired(paired, betas, level, target)
    pairs = zip(plain.first.tolist(), plain.second.tolist(), strict=True)
    selected = [_select_pair(paired, pair) for pair in pairs]
    each, failures = [None] if betas is None else [*betas[:, np.newaxis]], (odds, contamination)

    def compare(both: PairedRanks, beta: FloatArray | None, side: int) -> PairedTests:
        both = _relabel_for_extreme(both, beta, *failures, side)
        return compare_paired(both, beta, level, target)

    low, high = ([[compare(both, b, side) for b in each] for both in selected] for side in (-1, 1))

    def stack_tests(name: str) -> FloatArray:
        ends = [[[getattr(t, name)[0, 0] for t in row] for row in end] for end in (low, high)]
        own = np.broadcast_to(getattr(plain, name), np.shape(ends[0]))
        return np.stack([own, *np.array(ends)])

    signs, unlimited = stack_tests("sign"), odds > _MAX_ODDS and bool(paired.total.unlabeled)
    is_same_sign = (signs == signs[0]).all(axis=0) & (not unlimited)
    tests = [*map(stack_tests, ("statistic", "df", "p_value"))]
    largest = np.argmax(np.nan_to_num(tests[2], nan=np.inf), axis=0)[np.newaxis]
    statistic, df, p_value = (np.take_along_axis(column, largest, axis=0)[0] for column in tests)
    is_undecided = ~is_same_sign & ~np.isnan(p_value)
    statistic = np.where(is_undecided, 0.0, statistic)
    p_value = np.where(is_undecided, 1.0, p_value)
    worst = replace(plain, statistic=statistic, df=df, p_value=p_value)
    worst = replace(worst, sign=plain.sign * is_same_sign, p_adjusted=adjust_by_holm(p_value))
    if not plain.has_size:
        return worst
    lower, upper = np.fmin.reduce(stack_tests("lower")), np.fmax.reduce(stack_tests("upper"))
    if unlimited:  # hidden positives may have any rank
        lower, upper = np.fmin(lower, -1.0), np.fmax(upper, 1.0)
    return replace(worst, lower=lower, upper=upper)


def _select_pair(paired: PairedRanks, models: tuple[int, int]) -> PairedRanks:
    """Return the ranks of two of the models."""
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.ranks_among_known))
    both = np.ix_(models, models)
    return paired._replace(
        ranks={model: ranks[model] for model in models},
        ranks_among_known={model: among[model] for model in models},
        covariance=paired.covariance[both],
        moves=paired.moves[:, both[0], both[1]],
        equal=paired.equal[both],
        rows=paired.rows and paired.rows._replace(scores=paired.rows.scores[[*models]]),
    )


def _relabel_for_extreme(
    both: PairedRanks, beta: FloatArray | None, odds: float, contamination: float, side: int
) -> PairedRanks:
    """Return two models with labels at which their difference is lowest (-1), or highest (1)."""
    both = _remove_wrong_labels(both, contamination, side)
    n, (a, b) = both.total.known_positive, both.ranks.values()
    hidden = _HIDDEN_PER_KNOWN * n
    if beta is not None:
        hidden = float(count_positives(both.total, beta)[0]) - n
    if odds == 1 or not hidden:
        return both
    value = side * (b - a)
    order, weight = np.argsort(-value, kind="stable"), np.empty(n)
    weight[order] = _extreme_weights(value[order], min(odds, _MAX_ODDS))
    return both._replace(known_weight=1 + latent_shares(1 + weight, hidden))


def _extreme_weights(values: FloatArray, odds: float) -> FloatArray:
    """Return the weights, from 1 to `odds`, that maximize the mean of descending values."""
    n = values.size
    through, above = np.concatenate([[0.0], np.cumsum(values)]), np.arange(n + 1)
    mean = (odds * through + through[-1] - through) / (odds * above + n - above)
    return np.where(np.arange(n) < int(np.argmax(mean)), odds, 1.0)


def _remove_wrong_labels(both: PairedRanks, contamination: float, side: int) -> PairedRanks:
    """Return two models without the known positives at one end, which become negatives."""
    wrong = count_wrong(both.total.known_positive, contamination)
    if not wrong:
        return both
    (a, b), total = both.ranks.values(), both.total
    right = np.sort(np.argsort(side * (b - a), kind="stable")[wrong:])
    ranks = {model: of_model[right] for model, of_model in both.ranks.items()}
    among = {model: scipy.stats.rankdata(of_model) for model, of_model in ranks.items()}
    known, negatives = total.known_positive - wrong, total.known_negative + wrong
    total = Counts(known, negatives, total.unlabeled)
    return both._replace(ranks=ranks, ranks_among_known=among, total=total)

"""Compare models that ranked the same examples, with biased selection or wrong labels.

The difference is lowest if known positives with the highest rank differences are wrong and those
with the lowest represent most hidden ones. Coverage is not proven, but simulated (coverage.csv:
"`compare`: AUROC, future data", design "selection odds of 3").
"""

from dataclasses import replace

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.bands.weighted import hidden_shares
from pu_accessor.inference.comparison.pair_tests import adjust_by_holm, list_pairs
from pu_accessor.inference.comparison.paired_models import Pair, compare_paired, same_order
from pu_accessor.inference.estimates.known_positives import count_positives
from pu_accessor.inference.influence import least_placement_square
from pu_accessor.inference.tables.hidden_bounds import count_wrong
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
) -> Answer:
    """Compare the AUROC of models with biased or wrong labels, as far as is assumed."""
    if odds > 1 and betas is None and sum(paired.total) == paired.total.known_positive:
        raise PUDataError(
            "selection_odds must be omitted where all examples are known positives: AUROC needs "
            "others to rank them against."
        )
    plain = compare_paired(paired, betas, level, target)
    pairs = [*zip(*list_pairs(len(paired.ranks)), strict=True)]
    each, failures = [None] if betas is None else [*betas[:, np.newaxis]], (odds, contamination)

    def compare(pair: Pair, beta: FloatArray | None, side: int) -> Answer:
        relabeled = _relabel_for_extreme(paired, pair, beta, *failures, side)
        return compare_paired(relabeled, beta, level, target, [pair])

    low, high = ([[compare(pair, b, side) for b in each] for pair in pairs] for side in (-1, 1))

    def stack(name: str) -> FloatArray:
        def of(tests: Answer) -> FloatArray:
            return np.asarray({**tests.columns, **vars(tests)}[name])

        ends = [[[of(tests)[0, 0] for tests in row] for row in end] for end in (low, high)]
        return np.stack([of(plain), *np.array(ends)])

    signs, *tests = map(stack, ("sign", "statistic", "df", "p_value"))
    unlimited = odds > _MAX_ODDS and bool(paired.total.unlabeled)
    is_same_sign = (signs == signs[0]).all(axis=0) & (not unlimited)
    largest = np.argmax(np.nan_to_num(tests[2], nan=np.inf), axis=0)[np.newaxis]
    statistic, df, p_value = (np.take_along_axis(column, largest, axis=0)[0] for column in tests)
    is_undecided = ~is_same_sign & ~np.isnan(p_value)
    p_value = np.where(is_undecided, 1.0, p_value)
    lower, upper = np.fmin.reduce(stack("lower")), np.fmax.reduce(stack("upper"))
    if unlimited:  # hidden positives may have any rank
        lower, upper = np.fmin(lower, -1.0), np.fmax(upper, 1.0)
    return replace(plain, lower=lower, upper=upper).with_columns(
        statistic=np.where(is_undecided, 0.0, statistic),
        df=df,
        p_value=p_value,
        p_adjusted=adjust_by_holm(p_value),
        sign=signs[0] * is_same_sign,
    )


def _relabel_for_extreme(
    paired: PairedRanks,
    pair: Pair,
    beta: FloatArray | None,
    odds: float,
    contamination: float,
    side: int,
) -> PairedRanks:
    """Return models with labels at which the difference of two is lowest (-1), or highest (1)."""
    paired = _remove_wrong_labels(paired, pair, contamination, side)
    n, hidden = paired.total.known_positive, _HIDDEN_PER_KNOWN * paired.total.known_positive
    if beta is not None:
        hidden = float(count_positives(paired.total, beta)[0]) - n
    if odds == 1 or not hidden:
        return paired
    value = side * _rank_difference(paired, pair)
    order, weight = np.argsort(-value, kind="stable"), np.empty(n)
    weight[order] = _extreme_weights(value[order], min(odds, _MAX_ODDS))
    return paired._replace(known_weight=1 + hidden_shares(1 + weight, hidden))


def _rank_difference(paired: PairedRanks, pair: Pair) -> FloatArray:
    """Return by how many ranks the first of two models is ahead, for each known positive."""
    first, second = ([*paired.ranks.values()][model] for model in pair)
    return second - first


def _extreme_weights(values: FloatArray, odds: float) -> FloatArray:
    """Return the weights, from 1 to `odds`, that maximize the mean of descending values."""
    n = values.size
    through, above = np.concatenate([[0.0], np.cumsum(values)]), np.arange(n + 1)
    mean = (odds * through + through[-1] - through) / (odds * above + n - above)
    return np.where(np.arange(n) < int(np.argmax(mean)), odds, 1.0)


def _remove_wrong_labels(
    paired: PairedRanks, pair: Pair, contamination: float, side: int
) -> PairedRanks:
    """Return models without the known positives at one end, which become negatives."""
    total = paired.total
    wrong = count_wrong(total.known_positive, contamination)
    if not wrong:
        return paired
    ahead = _rank_difference(paired, pair)
    right = np.sort(np.argsort(side * ahead, kind="stable")[wrong:])
    ranks = {model: of_model[right] for model, of_model in paired.ranks.items()}
    total = Counts(total.known_positive - wrong, total.known_negative + wrong, total.unlabeled)
    farthest = _farthest_move(paired, pair, total, ahead - ahead[right].mean())
    return paired._replace(
        ranks=ranks, total=total, farthest=np.full_like(paired.farthest, farthest)
    )


def _farthest_move(paired: PairedRanks, pair: Pair, total: Counts, moved: FloatArray) -> float:
    """Return how far an example may move, whichever labels are wrong of known positives."""
    if same_order(paired, pair):
        return 0.0
    before, known, rest = paired.total.known_positive, total.known_positive, sum(total[1:])
    wrong, sizes = before - known, [np.abs(moved).max() / rest]
    # An example moves past at most all wrong ones more.
    sizes.append(min((paired.farthest[pair] * before + wrong) / known, 1.0))
    for model in pair:
        ranks = np.sort([*paired.ranks.values()][model])
        for right in (ranks[wrong:], ranks[:known]):
            above = (right.mean() - (known + 1) / 2) / rest
            sizes.append(least_placement_square(above) ** 0.5)
    return float(max(sizes))

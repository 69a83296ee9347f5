"""The continuous Boyce index: known positives relative to the background, over the scores."""

from math import inf, nan

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import CountArray, FloatArray, Ranking

_WINDOWS = 101  # that overlap, from the lowest score to the highest
_WIDTH = 0.1  # of each, of the range of scores
_NEAR = 1e-9  # of the range of scores, within which a score is at the end of a window
_DIGITS = 10  # of ratios that are told apart


def estimate_boyce(ranking: Ranking) -> Estimates:
    """Return the rank correlation of the predicted-to-expected ratio with the score: no interval.

    Notes
    -----
    A window of scores, closed at both ends, holds the share p of the known positives and the share
    e of the background, which is all other examples. The index is Spearman's correlation of p/e
    with the middle of the window. Were known positives, a share a of all examples, part of the
    background, the ratio would be p/(a*p + (1 - a)*e), which rises with p/e: the same index.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> score = np.append(np.inf, np.arange(12, 0, -1))
    >>> ranking = Ranking(rank, score, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> estimate_boyce(ranking).value.round(3)
    array([0.918])
    """
    check_labels(np.zeros(1), ranking.total)
    low, high = _ends(ranking)
    span = high - low
    start = np.linspace(low, high - _WIDTH * span, _WINDOWS)
    end = np.linspace(low + _WIDTH * span, high, _WINDOWS)
    known, rest = _shares_inside(ranking, start - _NEAR * span, end + _NEAR * span)
    ratio = np.where(known > 0, inf, nan)
    np.divide(known, rest, out=ratio, where=rest > 0)
    unknown = np.full(1, nan)
    return Estimates(np.full(1, _rank_correlation(ratio)), unknown, unknown, unknown)


def _ends(ranking: Ranking) -> tuple[float, float]:
    """Return the lowest and the highest score."""
    total = ranking.total
    if total.known_positive == sum(total):
        raise PUDataError(
            f"boyce needs a background, but all {sum(total)} examples are known positives. Put "
            "unlabeled examples below them, such as random places: pd.concat."
        )
    best = ranking.refine(np.array([min(1, total.unlabeled)]))
    low, high = float(ranking.threshold[-1]), float(best.threshold[1])
    if not 0 < high - low < inf:
        raise PUDataError(
            f"boyce needs scores that differ and a finite range, but they go from {low:g} to "
            f"{high:g}. Windows are parts of it. Leave out missing ones, nan_policy='omit', and "
            "bound others by df['score'].clip."
        )
    return low, high


def _shares_inside(
    ranking: Ranking, start: FloatArray, end: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the known positives, and of all others, in each window."""
    above = ranking.above_each(np.append(start, end))
    here = ranking.at(np.unique(above))
    first, after = np.searchsorted(here.rank, above).reshape(2, -1)
    total = ranking.total

    def share(heads: CountArray, every: float) -> FloatArray:
        inside: FloatArray = (heads[first] - heads[after]) / every
        return inside

    known, every = here.known_positive, total.known_positive
    if ranking.weight is not None:
        through = np.append(0, np.cumsum(ranking.weight))
        known, every = through[here.known_rows], through[-1]
    rest = here.known_negative + here.unlabeled
    return share(known, every), share(rest, total.known_negative + total.unlabeled)


def _rank_correlation(ratio: FloatArray) -> float:
    """Return Spearman's correlation of ratios with their order, without those that are NaN."""
    ranks = scipy.stats.rankdata(np.round(ratio[~np.isnan(ratio)], _DIGITS))
    if ranks.size < 2 or ranks.min() == ranks.max():
        return nan
    return float(np.corrcoef(np.arange(ranks.size), ranks)[0, 1])

"""Curves of contingency tables: the areas under them, and how they change with beta."""

from collections.abc import Callable
from math import nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pu_accessor.checks import check_share, hidden_counts
from pu_accessor.inference.completion import ROUNDING, edges_of, latent_above
from pu_accessor.inference.tables.contingency import Table, completed_table
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Numbers, Ranking, TieBlocks

_AT_ONCE = 1 << 18  # cutoffs times betas of which areas are computed together
_BETAS = 64  # most of these, as each brings cutoffs of its own


def check_max_fpr(max_fpr: float | None) -> float | None:
    """Check up to which false positive rate an area goes."""
    return None if max_fpr is None else check_share("max_fpr", max_fpr, "[1e-12, 1]")


def area(
    curve: str,
    tp: npt.NDArray[Any],
    fp: npt.NDArray[Any],
    fn: npt.NDArray[Any],
    tn: npt.NDArray[Any],
    *,
    max_fpr: float | None = None,
) -> FloatArray:
    """Return the area under each curve.

    Where some known positives may be wrong, the positives of a bound are not the same at each
    cutoff: then the area is that under rates.

    Examples
    --------
    >>> tp, fp = np.array([0, 1, 2]), np.array([0, 0, 1])
    >>> area("roc", tp, fp, 2 - tp, 1 - fp)
    np.float64(0.75)
    """
    positives = tp + fn
    if curve == "pr":
        # On a segment precision is (tp + u*gain)/(head + u*added), u = 0..1, whose integral is the
        # precision at its start and the one within, weighted by log(1 + x)/x, x = added/head.
        head, start = tp + fp, np.maximum((tp + fp)[..., :-1], 1)
        gain, added = np.diff(tp, axis=-1), np.diff(head, axis=-1)
        growth = added / start
        weight = np.log1p(growth) / np.where(growth > 0, growth, 1)
        weight = np.where(head[..., :-1] > 0, weight, 0)  # from rank 0 on precision is constant
        precision = tp[..., :-1] / start * weight + gain / np.maximum(added, 1) * (1 - weight)
        return np.asarray(np.sum(np.diff(_rate(tp, positives), axis=-1) * precision, axis=-1))
    if (positives != positives[..., -1:]).any():
        tp, fp = _rate(tp, positives), _rate(fp, fp + tn)
    return _roc_area(tp, fp, max_fpr)


def _rate(part: Numbers, whole: Numbers) -> FloatArray:
    """Return a share of some examples, NaN where there are none."""
    return part / np.where(whole > 0, whole, np.nan)


def _roc_area(tp: Numbers, fp: Numbers, limit: float | None) -> FloatArray:
    """Return the area under straight lines, up to a false positive rate where one is given.

    A known positive that enters the head can bring latent ones with it, which were false positives
    before: there a bound steps up and back, and the area of such a step is negative.
    """
    positives, negatives = tp[..., -1], fp[..., -1]
    width, rise = np.diff(fp, axis=-1), np.diff(tp, axis=-1)
    slope = rise / np.where(width == 0, 1, width)
    stop = fp if limit is None else np.minimum(fp, np.expand_dims(negatives * limit, -1))
    start, end = stop[..., :-1], stop[..., 1:]
    height: FloatArray = (start + end) / 2
    height -= fp[..., :-1]
    height *= slope
    height += tp[..., :-1]
    height *= width if limit is None else end - start
    covered = np.sum(height, axis=-1)
    both = (positives > 0) & (negatives > 0)
    share: FloatArray = covered / np.where(both, positives * negatives, np.nan)
    if limit is None:
        return share
    chance = limit**2 / 2
    return (1 + (share - chance) / (limit - chance)) / 2


def completed_area(
    curve: str,
    ranking: Ranking,
    betas: FloatArray,
    max_fpr: float | None = None,
    *,
    on_new: bool = False,
    prevalence: float | None = None,
) -> FloatArray:
    """Return the area under the curve of the one estimate, or its average precision.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> [completed_area(curve, ranking, np.array([0.25])).round(3) for curve in ("roc", "pr")]
    [array([0.798]), array([0.77])]
    """

    def areas(betas: FloatArray) -> FloatArray:
        completed, table = completed_table(ranking, betas, on_new=on_new)
        counts = [count.T for count in table]
        if curve == "roc":
            return area(curve, *counts, max_fpr=max_fpr)
        labeled = np.diff(completed.known_positive + completed.known_negative) > 0
        each = [_average_precision(tp, completed.rank, labeled, prevalence) for tp in counts[0]]
        return np.array(each)

    return of_few_betas(areas, ranking, betas)


def of_few_betas(
    areas: Callable[[FloatArray], FloatArray], ranking: Ranking, betas: FloatArray
) -> FloatArray:
    """Return areas, betas in the last dimension, in memory that does not grow with the betas."""
    at_once = max(min(_AT_ONCE // ranking.rank.size, _BETAS), 1)
    parts = range(0, max(betas.size, 1), at_once)
    return np.concatenate([areas(betas[at : at + at_once]) for at in parts], axis=-1)


def completed_aurocs(stack: TieBlocks, betas: FloatArray) -> FloatArray:
    """Return the area under the ROC curve of many rankings without known negatives.

    `betas` has a row for each ranking, as what is returned. NaN where latent positives lie below
    the last known one: scores that are tied there are not in a stack.
    """
    known, _, unlabeled = stack.total.T
    above = stack.known_through - stack.known_inside
    sides = np.stack([above, stack.known_through], axis=1).ravel()
    heads = np.stack([stack.start - above, stack.unlabeled], axis=1).ravel()
    owner = np.repeat(stack.ranking_index, 2)
    is_first = np.diff(owner, prepend=-1) > 0
    is_last = np.diff(owner, append=-1) != 0
    last = np.repeat(heads[is_last], np.diff(np.flatnonzero(is_last), prepend=-1))
    edges = edges_of(heads, sides.astype(np.float64), known[owner], last, owner)
    pairs = zip(betas, unlabeled.tolist(), strict=True)
    counts = np.stack([hidden_counts(row, size) for row, size in pairs])
    areas = np.full(betas.shape, np.nan)
    for column, latent in enumerate(counts.T):
        hidden = latent_above(edges, latent, unlabeled)
        tp, fp = sides + hidden, heads - hidden
        before, height = (
            np.where(is_first, 0, np.roll(fp, 1)),
            np.where(is_first, 0, np.roll(tp, 1)),
        )
        pieces = (fp - before) * (height + tp) / 2
        negatives, positives = unlabeled - latent, known + latent
        pieces += is_last * ((negatives[owner] - fp) * positives[owner])
        covered = np.bincount(owner, pieces, minlength=known.size)
        left = np.bincount(owner, is_last * (positives[owner] - tp), minlength=known.size)
        plain = (positives > 0) & (negatives > 0) & (left < ROUNDING)
        areas[plain, column] = (covered / np.maximum(positives * negatives, 1))[plain]
    return areas


def odds_factor(prevalence: float | None, positives: Numbers, negatives: Numbers) -> FloatArray:
    """Return how many times the odds of a positive are those of some counts.

    Examples
    --------
    >>> odds_factor(0.5, np.array([1.0, 2.0]), np.array([3.0, 2.0]))
    array([3., 1.])
    """
    if prevalence is None:
        return np.ones(positives.size)
    some = np.where(negatives > 0, negatives, np.nan)  # none stand for those of a prevalence
    return prevalence / (1 - prevalence) * some / positives


def _sum_of_ratios(
    start: FloatArray, gain: FloatArray, above: FloatArray, growth: FloatArray, size: IntArray
) -> FloatArray:
    """Return the sums over r = 1..size of (start + gain*r)/(above + growth*r), by digamma.

    Where the ratios hardly change they are those of a straight line: the rest would be rounding.
    """
    pairs = size * (size + 1) / 2
    straight = (size > 0) & (growth * size <= _STRAIGHT * above)
    level = np.where(straight, above, 1)
    bend = growth / level * (start * pairs + gain * pairs * (2 * size + 1) / 3)
    line = (start * size + gain * pairs - bend) / level
    first = above / np.where(straight, 1, growth)
    # Far out digamma functions differ by less than their rounding, logarithms do not.
    middle = first + 0.5
    far = (
        np.log1p(size / np.maximum(middle, _FAR)) - (1 / middle**2 - 1 / (middle + size) ** 2) / 24
    )
    near = scipy.special.digamma(first + size + 1) - scipy.special.digamma(first + 1)
    harmonic = np.where(middle > _FAR, far, near)
    total = (gain * (size - first * harmonic) + start * harmonic) / np.where(straight, 1, growth)
    return np.where(straight, line, total)


def _average_precision(
    tp: Numbers, rank: IntArray, is_block: BoolArray, prevalence: float | None
) -> float:
    """Return the mean over all positives of the precision at their cutoff.

    In a block of tied scores that is its end. Between blocks V positives lie anywhere among c
    unlabeled examples, of which one or two whole numbers have the mean v: the r-th example is
    positive with the probability v/c, and with one before it with E[V(V-1)]/(c(c-1)) times r - 1.
    With A positives among R examples above, the sum over r of what these have over R + r has a
    closed form by digamma functions.

    At another prevalence each positive counts w times, so that R + r becomes R + r + (w - 1) times
    the true positives that are expected there, which is straight in r, too.
    """
    # What is estimated does not depend on which cutoffs are there: those between which true
    # positives go on straight, outside blocks, are left out.
    slope = np.where(is_block, np.nan, np.diff(tp) / np.diff(rank))
    bends = np.append(~(np.abs(np.diff(slope)) <= _SAME_SLOPE), True)
    tp, rank, is_block = tp[np.append(True, bends)], rank[np.append(True, bends)], is_block[bends]
    positives = tp[-1:]
    factor = odds_factor(prevalence, positives, rank[-1] - positives)
    start, gained, size = tp[:-1], np.diff(tp), np.diff(rank)
    true = factor * tp[1:]
    heads = rank[1:] - tp[1:] + true
    tied = gained * true / np.where(heads > 0, heads, 1)
    below = np.floor(gained)
    pairs = below * (below - 1 + 2 * (gained - below)) / np.maximum(size - 1, 1)
    other = pairs / np.where(gained > 0, gained, 1)  # positives, of each example of the gap above
    # The first by itself, and what is false apart from what is true: with few positives nothing
    # is lost by a difference.
    true, gain = factor * (start + 1), factor * other
    heads = rank[:-1] - start + true
    sums = true / heads + _sum_of_ratios(true, gain, heads, 1 - other + gain, size - 1)
    apart = gained / size * sums
    whole = np.where(is_block, tied, apart).sum()
    return float(whole / positives[0]) if positives[0] > 0 else nan


def average_precision_bounds(lower: Numbers, upper: Numbers, rank: IntArray) -> FloatArray:
    """Return the lowest and the highest average precision between bounds of true positives.

    Bounds have shapes (betas, cutoffs), at the cutoffs of a ranking, and the result (2, betas).
    Take the j-th positive from the top. By the cutoff where the lower bound reaches j it is found,
    with at most F false positives there: its precision is j/(j + F) or more, whichever scores are
    tied. Before the cutoff where the upper bound reaches j it is not found: its precision is at
    most the highest of the upper bound from there on.

    Examples
    --------
    >>> lower, upper = np.array([[0, 0, 1, 2]]), np.array([[0, 1, 2, 2]])
    >>> average_precision_bounds(lower, upper, np.array([0, 2, 4, 6]))
    array([[0.29166667],
           [0.5       ]])
    """
    one = np.ones(1)
    start, gained = lower[..., :-1].astype(np.float64), np.diff(lower, axis=-1)
    false = (rank - lower)[..., 1:]
    lowest = _sum_of_ratios(start, one, start + false, one, gained).sum(axis=-1)

    later = np.maximum.accumulate((upper[..., 1:] / rank[1:])[..., ::-1], axis=-1)[..., ::-1]
    highest = (np.diff(upper, axis=-1) * later).sum(axis=-1)
    positives = np.where(lower[..., -1] > 0, lower[..., -1], np.nan)
    return np.stack([lowest, highest]) / positives


_SAME_SLOPE = 1e-9  # true positives for each example, that rounding may differ by
_STRAIGHT = 1e-5  # of the sum below ratios, by which it grows
_FAR = 1e3  # beyond, logarithms have all digits of sums of 1/r


class Known(NamedTuple):
    """The known examples of each table, as arrays that broadcast against its counts."""

    above: IntArray  # known positives at or above the cutoff
    below: IntArray  # known negatives at or above the cutoff
    positives: IntArray  # in all
    negatives: IntArray
    unlabeled: IntArray
    from_positives: BoolArray  # the band bounds latent positives, not negatives
    shared: BoolArray  # where nothing is latent, T is the share of known examples in the head


class Derivatives(NamedTuple):
    """Derivatives by beta of three rates and of the four counts, arrays of float64."""

    tpr: FloatArray
    fpr: FloatArray
    precision: FloatArray
    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray


def beta_derivatives(table: Table, clipped: BoolArray, known: Known) -> Derivatives:
    """Return the derivatives of rates and counts by beta ([1]_, Appendix B, corrected).

    T is held fixed: the share of the latent positives in the head by the band, or, from known
    negatives, that of the latent negatives. All counts are then straight in beta: if all unlabeled
    examples were positive instead of none, `T*unlabeled` more positives would be in the head.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    """
    tp, fp, fn, tn = table
    head, positives, negatives = tp + fp, tp + fn, fp + tn
    of_kind = (
        (tp - known.above, positives - known.positives, known.above, known.positives),
        (fp - known.below, negatives - known.negatives, known.below, known.negatives),
    )
    # T, the share of the latent examples in the head; if there are none, of known ones.
    shares = [
        np.where(known.shared & (hidden == 0), _rate(above, whole), _rate(latent, hidden))
        for latent, hidden, above, whole in of_kind
    ]
    share = np.where(known.from_positives, *shares)
    rates = (
        _rate(share * positives - tp, positives.astype(np.float64) ** 2),
        _rate(fp - share * negatives, negatives.astype(np.float64) ** 2),
        np.where(head == 0, 0.0, _rate(share, head)),
        *(share, -share, 1 - share, share - 1),
    )
    return Derivatives(*(np.where(clipped, 0.0, rate * known.unlabeled) for rate in rates))

"""Areas under curves of contingency tables, average precision, and curves of future data."""

from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np
import scipy

from pu_accessor.checks import check_share, hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference import future_bands
from pu_accessor.inference.completion import COUNT_TOLERANCE, hidden_positives_above, make_edges
from pu_accessor.inference.contingency import BOUNDS, ESTIMATE, LIMITS, Table, completed_table
from pu_accessor.inference.known_positives import FloatPair
from pu_accessor.inference.worlds import FutureData, precision_limit
from pu_accessor.ranking import (
    BoolArray,
    FloatArray,
    IntArray,
    KnownBlocks,
    Numbers,
    Ranking,
    increments,
)
from pu_accessor.roles_and_assumptions import Terms

_BATCH_SIZE = 1 << 18  # cutoffs times betas
_MAX_BATCH_BETAS = 64  # each adds cutoffs of its own
_SLOPE_TOLERANCE = 1e-9  # in true positives per example
_MIN_GROWTH = 1e-5  # of the denominator of ratios, below which their sum is that of a line
_TINY = 1e-9  # replaces a precision, or true positives, of 0
_MIN_ASYMPTOTIC = 1e3  # from which logarithms are more precise than digamma functions


def check_max_fpr(max_fpr: float | None) -> float | None:
    """Return the checked largest false positive rate of an area."""
    return None if max_fpr is None else check_share("max_fpr", max_fpr, "[1e-12, 1]")


def roc_area(
    tp: Numbers, fp: Numbers, fn: Numbers, tn: Numbers, *, max_fpr: float | None = None
) -> FloatArray:
    """Return the area under straight lines, standardized up to `max_fpr` if given.

    It is of rates, if positives differ between cutoffs.
    """
    # Steps back in fp, as a known positive brings hidden ones, have a negative area.
    all_positive = tp + fn
    if (all_positive != all_positive[..., -1:]).any():
        tp, fp = _rate(tp, all_positive), _rate(fp, fp + tn)
    positives, negatives = tp[..., -1], fp[..., -1]
    width, rise = increments(fp), increments(tp)
    slope = rise / np.where(width == 0, 1, width)
    stop = fp if max_fpr is None else np.minimum(fp, np.expand_dims(negatives * max_fpr, -1))
    start, end = stop[..., :-1], stop[..., 1:]
    height: FloatArray = (start + end) / 2
    height -= fp[..., :-1]
    height *= slope
    height += tp[..., :-1]
    height *= width if max_fpr is None else end - start
    covered = np.sum(height, axis=-1)
    both = (positives > 0) & (negatives > 0)
    share: FloatArray = covered / np.where(both, positives * negatives, np.nan)
    if max_fpr is None:
        return share
    chance = max_fpr**2 / 2
    return (1 + (share - chance) / (max_fpr - chance)) / 2


def curve_rates(curve: str, tp: Numbers, fp: Numbers, fn: Numbers, tn: Numbers) -> FloatPair:
    """Return the x and y values of a curve at each cutoff."""
    recall = _rate(tp, tp + fn)
    if curve == "roc":
        return _rate(fp, fp + tn), recall
    head = tp + fp
    precision = _rate(tp, head)
    precision[head == 0] = 1.0
    return recall, precision


def _rate(part: Numbers, whole: Numbers) -> FloatArray:
    return part / np.where(whole > 0, whole, np.nan)


def area_of_estimate(
    metric: Any,
    ranking: Ranking,
    betas: FloatArray,
    *,
    on_new: bool = False,
    prevalence: float | None = None,
) -> FloatArray:
    """Return the area under the curve of the estimate, or its average precision."""

    def areas(betas: FloatArray) -> FloatArray:
        completed, table = completed_table(ranking, betas, on_new=on_new)
        counts = [count.T for count in table]
        if metric.curve == "roc":
            return roc_area(*counts, max_fpr=metric.max_fpr)
        labeled = increments(completed.known_positive + completed.known_negative) > 0
        each = [_average_precision(tp, completed.rank, labeled, prevalence) for tp in counts[0]]
        return np.array(each)

    return in_batches_of_betas(areas, ranking, betas)


def in_batches_of_betas(
    areas: Callable[[FloatArray], FloatArray], ranking: Ranking, betas: FloatArray
) -> FloatArray:
    """Return areas, betas in the last dimension, computed in batches of betas."""
    at_once = max(min(_BATCH_SIZE // ranking.rank.size, _MAX_BATCH_BETAS), 1)
    parts = range(0, max(betas.size, 1), at_once)
    return np.concatenate([areas(betas[at : at + at_once]) for at in parts], axis=-1)


def aurocs_of_estimates(stack: KnownBlocks, betas: FloatArray) -> FloatArray:
    """Return AUROC of many rankings without known negatives, shape as `betas`."""
    # NaN if hidden positives rank below the last known one: a stack has no ties there.
    known, _, unlabeled = stack.total.T
    above = stack.known - stack.number
    sides = np.stack([above, stack.known], axis=1).ravel()
    heads = np.stack([stack.start - above, stack.unlabeled], axis=1).ravel()
    owner = np.repeat(stack.owner, 2)
    is_first = np.diff(owner, prepend=-1) > 0
    is_last = np.diff(owner, append=-1) != 0
    last = np.repeat(heads[is_last], np.diff(np.flatnonzero(is_last), prepend=-1))
    edges = make_edges(heads, sides.astype(np.float64), known[owner], last, owner)
    areas = np.full(betas.shape, np.nan)
    for column, hidden in enumerate(hidden_counts(betas, unlabeled[:, np.newaxis]).T):
        in_head = hidden_positives_above(edges, hidden, unlabeled)
        tp, fp = sides + in_head, heads - in_head
        before = np.where(is_first, 0, np.roll(fp, 1))
        height = np.where(is_first, 0, np.roll(tp, 1))
        pieces = (fp - before) * (height + tp) / 2
        negatives, positives = unlabeled - hidden, known + hidden
        pieces += is_last * ((negatives[owner] - fp) * positives[owner])
        covered = np.bincount(owner, pieces, minlength=known.size)
        left = np.bincount(owner, is_last * (positives[owner] - tp), minlength=known.size)
        is_defined = (positives > 0) & (negatives > 0) & (left < COUNT_TOLERANCE)
        areas[is_defined, column] = (covered / np.maximum(positives * negatives, 1))[is_defined]
    return areas


def odds_factor(prevalence: float | None, positives: Numbers, negatives: Numbers) -> FloatArray:
    """Return the odds of a prevalence over those of some counts."""
    if prevalence is None:
        return np.ones(positives.size)
    return prevalence / (1 - prevalence) * np.where(negatives > 0, negatives, np.nan) / positives


def _sum_of_ratios(
    start: FloatArray, gain: FloatArray, above: FloatArray, growth: FloatArray, size: IntArray
) -> FloatArray:
    """Return the sums over r = 1..size of (start + gain*r)/(above + growth*r), by digamma."""
    pairs = size * (size + 1) / 2
    is_linear = (size > 0) & (growth * size <= _MIN_GROWTH * above)
    level = np.where(is_linear, above, 1)
    bend = growth / level * (start * pairs + gain * pairs * (2 * size + 1) / 3)
    line = (start * size + gain * pairs - bend) / level
    first = above / np.where(is_linear, 1, growth)
    middle = first + 0.5
    by_logarithm = (
        np.log1p(size / np.maximum(middle, _MIN_ASYMPTOTIC))
        - (1 / middle**2 - 1 / (middle + size) ** 2) / 24
    )
    by_digamma = scipy.special.digamma(first + size + 1) - scipy.special.digamma(first + 1)
    harmonic = np.where(middle > _MIN_ASYMPTOTIC, by_logarithm, by_digamma)
    total = (gain * (size - first * harmonic) + start * harmonic) / np.where(is_linear, 1, growth)
    return np.where(is_linear, line, total)


def _average_precision(
    tp: Numbers, rank: Numbers, is_block: BoolArray, prevalence: float | None
) -> float:
    """Return the mean over all positives of the precision at their cutoff."""
    # Between blocks V positives, v on average, are anywhere among c unlabeled examples: before the
    # r-th, if it is positive, there are E[V(V-1)]/(v(c-1))*(r - 1).
    # Leave out cutoffs between which true positives are linear, outside of blocks.
    slope = np.where(is_block, np.nan, increments(tp) / increments(rank))
    bends = np.append(~(np.abs(increments(slope)) <= _SLOPE_TOLERANCE), True)
    tp, rank, is_block = tp[np.append(True, bends)], rank[np.append(True, bends)], is_block[bends]
    positives = tp[-1:]
    factor = odds_factor(prevalence, positives, rank[-1] - positives)
    start, gained, size = tp[:-1], increments(tp), increments(rank)
    true = factor * tp[1:]
    heads = rank[1:] - tp[1:] + true
    tied = gained * true / np.where(heads > 0, heads, 1)
    below = np.floor(gained)
    pairs = below * (below - 1 + 2 * (gained - below)) / np.maximum(size - 1, 1)
    other = pairs / np.where(gained > 0, gained, 1)
    # Separate the first example, and false from true positives, to avoid cancellation.
    true, gain = factor * (start + 1), factor * other
    heads = rank[:-1] - start + true
    sums = true / heads + _sum_of_ratios(true, gain, heads, 1 - other + gain, size - 1)
    whole = np.where(is_block, tied, gained / size * sums).sum()
    return float(whole / positives[0]) if positives[0] > 0 else nan


def extreme_average_precision(side: int, tp: Numbers, fp: Numbers, fn: Numbers) -> FloatArray:
    """Return the lowest (-1) or the highest (1) average precision that a bound allows."""
    # The j-th positive is between the cutoffs where upper and lower bounds are j: its precision is
    # at least j/(j + F), F the false positives at the latter, at most the maximum from the former.
    head, one = tp + fp, np.ones(1)
    if side < 0:
        tp = np.maximum.accumulate(tp, axis=-1)
        start, false = tp[..., :-1].astype(np.float64), (head - tp)[..., 1:]
        extreme = _sum_of_ratios(start, one, start + false, one, increments(tp))
    else:
        tp = np.minimum.accumulate(tp[..., ::-1], axis=-1)[..., ::-1]
        precision = _rate(tp[..., 1:], head[..., 1:])
        extreme = np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]
        extreme *= increments(tp)
    positives = (tp + fn).min(axis=-1)  # fewer if labels may be wrong
    return np.asarray(np.minimum(_rate(extreme.sum(axis=-1), positives), 1))


def average_precision_of_table(
    side: int, tp: Numbers, fp: Numbers, fn: Numbers, known_positive: Numbers, unlabeled: Numbers
) -> float:
    """Return the average precision of a labeling (0), or what a bound allows (-1 or 1)."""
    hidden, head = tp - known_positive, tp + fp
    is_certain = fn[0] == tp[-1] and (not hidden.any() or np.array_equal(hidden, unlabeled))
    if side and not is_certain:
        return float(extreme_average_precision(side, tp, fp, fn))
    new = np.diff(head, prepend=-1) > COUNT_TOLERANCE  # shorter rankings repeat their last cutoff
    labeled = increments((head - unlabeled)[new]) > COUNT_TOLERANCE
    return _average_precision(tp[new], head[new], labeled, None) if labeled.size else nan


def bound_curve_on_future_data(
    curve: str, ranking: Ranking, betas: FloatArray, terms: Terms
) -> tuple[Ranking, Table]:
    """Bound a curve on future data at all thresholds jointly, shape (cutoffs, 3, betas)."""
    # Bounds have the rates of the ROC curve, or precision and recall; their other values are void.
    if ranking.whole is not None:  # joint limits need all cutoffs
        every = ranking.whole.refine(ranking.unlabeled, exact=True)
        every, table = bound_curve_on_future_data(curve, every, betas, terms)
        chosen = np.searchsorted(every.head, ranking.head)
        return ranking, Table(*(count[chosen] for count in table))
    ranking, completed = completed_table(ranking, betas, on_new=True)
    positives, negatives = (part[-1] for part in (completed.tp, completed.fp))
    if not negatives.all():
        raise PUDataError(
            "target must be 'examples' if no example is negative, but 'population' was passed: "
            "there is no false positive rate. Pass a smaller beta, or add unlabeled rows."
        )
    world, level = FutureData.of(ranking, betas, terms), terms.level
    tp = np.repeat(completed.tp[:, np.newaxis].astype(np.float64), len(BOUNDS), axis=1)
    fp = np.repeat(completed.fp[:, np.newaxis].astype(np.float64), len(BOUNDS), axis=1)
    least = _TINY if curve == "pr" else 0
    np.maximum(tp, least, out=tp)
    shares = ((positives - world.n) / max(world.rest, 1)).tolist()
    for column, share in enumerate(shares):
        rates = future_bands.bound_rates(ranking, share, level, ranking.monotone)
        true, false = tp[:, ESTIMATE, column].copy(), completed.fp[:, column]
        tp[:, LIMITS, column] = np.maximum(_include(positives[column] * rates.tpr, true), least)
        if curve == "roc":
            fp[:, LIMITS, column] = _include(negatives[column] * rates.fpr, false)[:, ::-1]
            continue
        one = world.at(column)
        limits = [
            precision_limit(one, ranking, lift, side, level)[0]
            for lift, side in zip(rates.lift, (-1, 1), strict=True)
        ]
        with np.errstate(invalid="ignore"):
            precision = _include(np.stack(limits), true / (true + false))
        fp[:, LIMITS, column] = tp[:, LIMITS, column] * (1 / np.maximum(precision, _TINY) - 1)
    return ranking, Table(tp, fp, positives - tp, negatives - fp)


def _include(limits: FloatArray, estimate: Numbers) -> FloatArray:
    """Return limits widened to include the estimate, (cutoffs, 2), from (2, cutoffs)."""
    return np.stack([np.fmin(limits[0], estimate), np.fmax(limits[1], estimate)], axis=1)

"""Positives among examples of strata, of which random samples were labeled by hand."""

from functools import reduce
from math import prod
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.prior.labeling import hypergeometric_limits
from pu_accessor.ranking import FloatArray, IntArray

_SPARED = 0.1  # of 1 - level, for the numbers of positives of each stratum by itself
_ENTRIES, _CELLS = 400_000, 500  # probabilities of each stratum, about; cells at least
_ERRORS = 2.0  # standard errors that the statistic takes off
_SAME = 1e-6  # relative difference of probabilities that are taken as equal
_SAME_STATISTIC = 1e-9  # of its range: statistics that differ by less are taken as equal
_SCARCE = 1e-12  # outcomes of a smaller probability are joined
_OUTCOMES = 200_000  # at most, of the strata of a block together
_SECOND_CELLS = 64  # of the second axis, in each box
_WORK = 2.5e8  # operations, about, until the search gives up
_AT_ONCE = 2e6  # operations of the boxes that are cut at once
_NEVER = 2**60  # a number that no stratum reaches


class Stratum(NamedTuple):
    """Examples of which some were drawn at random and labeled by hand."""

    positives: int  # found among those labeled
    labeled: int
    total: int

    @property
    def expected(self) -> float:
        """The estimate of the number of positives."""
        return self.positives * self.total / self.labeled


class _Axis(NamedTuple):
    """Numbers of positives of one stratum, in cells, and the outcomes among its labels."""

    lowest: IntArray  # number of each cell, shape (cells,)
    highest: IntArray
    probability: FloatArray  # of each outcome at the highest number, shape (cells, outcomes)
    value: FloatArray  # that each outcome adds to the statistic, never falling


_POINT = _Axis(np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones((1, 1)), np.zeros(1))


def sum_limits(strata: list[Stratum], level: float) -> tuple[int, int]:
    """Bound the number of positives in strata together.

    Notes
    -----
    A sum is ruled out if a statistic would be as far off, in that direction, with a small
    probability, however the sum is made up of numbers that the limits of each stratum allow
    ([1]_). Those limits hold jointly with a probability of 1 - g, and the tails are
    (1 - level - g)/2 each, g a tenth of 1 - level. So both limits together hold with a probability
    of at least `level`, whatever the statistic.

    That of the lower limit is the sum over S strata of N x/s - 2 e/sqrt(S): the estimate ([2]_)
    less standard errors e. With the estimate alone numbers near 1/2 in each stratum, which make it
    vary most, would make intervals longer. It is the same at each level, so that limits of a
    higher one hold those of a lower.

    References
    ----------
    .. [1] R. L. Berger, D. D. Boos, *P values maximized over a confidence set for the nuisance
       parameter*, Journal of the American Statistical Association 89 (1994) 1012-1016.
    .. [2] J. P. Wendell, J. Schmee, *Exact inference for proportions from a stratified finite
       population*, Journal of the American Statistical Association 91 (1996) 825-830.

    Examples
    --------
    >>> sum_limits([Stratum(1, 60, 800), Stratum(25, 40, 200)], 0.95)
    (100, 195)
    >>> sum_limits([Stratum(0, 30, 700), Stratum(5, 30, 200), Stratum(25, 40, 100)], 0.95)
    (67, 175)
    >>> sum_limits([Stratum(12, 50, 2000)], 0.95)
    (264, 760)
    """
    if len(strata) == 1:
        return hypergeometric_limits(*strata[0], level)
    turned = [s._replace(positives=s.labeled - s.positives) for s in strata]
    return _lowest(strata, level), sum(s.total for s in strata) - _lowest(turned, level)


def _lowest(strata: list[Stratum], level: float) -> int:
    """Return the lowest sum that is not ruled out."""
    spared = _SPARED * (1 - level)
    tail = (1 - level - spared) / 2 * (1 - _SAME)
    errors = _ERRORS / len(strata) ** 0.5
    axes = [_axis(stratum, (1 - spared) ** (1 / len(strata)), errors) for stratum in strata]
    observed = sum(axis.value[s.positives] for axis, s in zip(axes, strata, strict=True))
    return _lowest_sum(axes, observed, tail, round(sum(s.expected for s in strata)))


def _axis(stratum: Stratum, level: float, errors: float) -> _Axis:
    """Return the numbers that the limits of a stratum allow, in cells.

    The value of each count of positives is the estimate less some standard errors.
    """
    low, high = hypergeometric_limits(*stratum, level)
    most = max(_ENTRIES // (stratum.labeled + 1), _CELLS)
    highest = np.unique(np.linspace(low, high, min(most, high - low + 1)).astype(np.int64))
    lowest = np.append(low, highest[:-1] + 1)
    count = np.arange(stratum.labeled + 1)
    share = (count + 0.5) / (stratum.labeled + 1)
    drawn = stratum.labeled / stratum.total
    error = np.sqrt(stratum.labeled * share * (1 - share) * (1 - drawn))
    value = np.maximum.accumulate(stratum.total / stratum.labeled * (count - errors * error))
    return _Axis(lowest, highest, _probabilities(stratum, highest), value)


def _probabilities(stratum: Stratum, positives: IntArray) -> FloatArray:
    """Return the probability of each count among those labeled, for some numbers of positives.

    All follow from that of the count that was found by rational ratios, and their sum is 1.
    """
    found, labeled, total = map(float, stratum)
    hidden = positives[:, np.newaxis] - found
    others = total - labeled - hidden  # not drawn, of either kind
    up, down = np.arange(labeled - found), np.arange(found)
    with np.errstate(divide="ignore"):  # the logarithm of what is impossible
        above = np.log((labeled - found - up) / (found + up + 1))
        above = above + np.log(np.maximum(hidden - up, 0) / (others + up + 1))
        below = np.log((found - down) / (labeled - found + down + 1))
        below = below + np.log(np.maximum(others - down, 0) / (hidden + down + 1))
    above, below = np.cumsum(above, axis=1), np.cumsum(below, axis=1)
    logs = np.hstack([below[:, ::-1], np.zeros_like(hidden), above])
    ratio = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(ratio / ratio.sum(axis=1, keepdims=True))


def _lowest_sum(axes: list[_Axis], observed: float, tail: float, most: int) -> int:
    """Return the lowest sum at which a statistic as high as observed has more than a probability.

    That is the lowest of all compositions of sums, or less where the search gives up, and at most
    `most`.

    Notes
    -----
    Branch and bound. The probability grows with the number of positives of each stratum. So in a
    box of all numbers but the last, these are at least at its lower corner, and the last number
    is at least that which makes the statistic likely at the upper corner. The box with the lowest
    bound is cut next. Of three strata and more the two with the widest limits are bounded cell by
    cell: then a box needs fewer cuts.
    """
    search = _Search(axes, observed, tail)
    boxes, reached = search.bound(np.zeros((1, len(search.axes)), np.int64), search.ends)
    work = search.cost
    while True:
        most = min(most, reached)
        boxes = boxes[boxes[:, 0] < most]
        if not boxes.size or work > _WORK:
            return int(boxes[:, 0].min(initial=most))
        boxes = boxes[np.argsort(boxes[:, 0], kind="stable")]
        at_once = max(int(_AT_ONCE / search.cost), 1)
        parts, reached = search.bound(*search.cut(*np.hsplit(boxes[:at_once, 1:], 2)))
        work += search.cost * len(parts)
        boxes = np.vstack([boxes[at_once:], parts])


class _Search:
    """Axes in two blocks, whose outcomes were sorted once: only their probabilities vary.

    A box is a range of cells of all axes but the last. A row of boxes has the bound, no sum in the
    box that makes the statistic likely being lower; the first cell of each axis; and the last.
    """

    def __init__(self, axes: list[_Axis], observed: float, tail: float) -> None:
        trimmed = map(_trim, axes)
        *others, last = sorted(trimmed, key=lambda axis: axis.highest[-1] - axis.lowest[0])
        second = others.pop() if len(others) > 1 else _POINT
        number = max(len(axes) // 2 - 2, 0)
        *beside, self.second, self.last = _thin([*others[:number], second, last])
        sorted_axes = _thin(others[number:])  # a block of its own
        value = _values(sorted_axes)
        self.order = np.argsort(value, kind="stable")  # of its outcomes
        same = _SAME_STATISTIC * sum(axis.value[-1] - axis.value[0] for axis in axes)
        needed = observed - same - _values([*beside, self.second, self.last])
        # The first in that order that is enough, of each outcome of the other block.
        shape = -1, self.second.value.size, self.last.value.size
        self.fewest = np.searchsorted(value[self.order], needed).reshape(shape)
        self.axes = [*beside, *sorted_axes, self.second]  # all but the last
        self.tail, self.beside = tail, len(beside)
        self.ends = np.array([[axis.lowest.size - 1 for axis in self.axes]])
        self.cells = min(_SECOND_CELLS, self.second.lowest.size)  # in each box
        # Operations that it takes to bound a box, about.
        steps = self.second.value.size // 8 + self.last.lowest.size.bit_length()
        outcomes = self.order.size + self.fewest.size
        self.cost = outcomes + self.cells * steps * self.last.value.size

    def bound(self, first: IntArray, last: IntArray) -> tuple[IntArray, int]:
        """Bound boxes from below, and return the lowest sum that is known to be likely."""
        start, stop = _cells(first[:, -1], last[:, -1], self.cells)
        number = self._unlikely(self.second.probability[stop] @ self._tails(last))
        lowest = np.append(self.last.lowest, _NEVER)[number] + self.second.lowest[start]
        highest = np.append(self.last.highest, _NEVER)[number] + self.second.highest[stop]
        for i, axis in enumerate(self.axes[:-1]):
            lowest += axis.lowest[first[:, i, np.newaxis]]
            highest += axis.highest[last[:, i, np.newaxis]]
        bound = lowest.min(axis=1)
        whole = (first == last).all(axis=1)  # cannot be cut: its bound has to do
        reached = np.where(whole, bound, highest.min(axis=1))
        return np.column_stack([bound, first, last]), int(reached.min())

    def cut(self, first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
        """Halve boxes where they are widest, and return the first and last cells of all parts."""
        cells = zip(self.axes, first.T, last.T, strict=True)
        widths = [axis.highest[end] - axis.lowest[start] for axis, start, end in cells]
        width = np.stack(widths, axis=1).astype(np.float64)
        width[:, -1] /= self.cells
        rows = np.arange(len(width))
        widest = np.argmax(np.where(first < last, width, -1), axis=1)
        middle = (first[rows, widest] + last[rows, widest]) // 2
        upper, lower = first.copy(), last.copy()
        upper[rows, widest], lower[rows, widest] = middle + 1, middle
        return np.concatenate([first, upper]), np.concatenate([lower, last])

    def _tails(self, corner: IntArray) -> FloatArray:
        """Return the probability of enough, for each outcome of the second and the last axis.

        The shape is (boxes, outcomes, outcomes).
        """
        joint = [axis.probability[i] for axis, i in zip(self.axes, corner.T, strict=True)]
        ordered = _joint(joint[self.beside : -1], len(corner))[:, self.order]
        at_least = np.cumsum(ordered[:, ::-1], axis=1)[:, ::-1]
        at_least = np.pad(at_least, ((0, 0), (0, 1)))
        beside = _joint(joint[: self.beside], len(corner))[:, :, np.newaxis, np.newaxis]
        return np.asarray((beside * at_least[:, self.fewest]).sum(axis=1))

    def _unlikely(self, tails: FloatArray) -> IntArray:
        """Return how many cells of the last axis leave the statistic unlikely."""
        size = self.last.lowest.size
        number = np.zeros(tails.shape[:-1], np.int64)
        for power in reversed(range(size.bit_length())):
            trial = number + 2**power
            probability = self.last.probability[np.minimum(trial, size) - 1]
            unlikely = np.einsum("bco,bco->bc", probability, tails) <= self.tail
            number = np.where((trial <= size) & unlikely, trial, number)
        return number


def _cells(first: IntArray, last: IntArray, number: int) -> tuple[IntArray, IntArray]:
    """Cut ranges of cells into some parts; some are there twice where a range has fewer."""
    size = (last - first + 1)[:, np.newaxis]
    stop = first[:, np.newaxis] + np.maximum(size * np.arange(1, number + 1) // number - 1, 0)
    start = np.column_stack([first, stop[:, :-1] + 1])
    return np.minimum(start, stop), stop


def _values(axes: list[_Axis]) -> FloatArray:
    """Return what all outcomes of some axes add to the statistic."""
    return reduce(lambda sums, axis: np.add.outer(sums, axis.value).ravel(), axes, np.zeros(1))


def _joint(parts: list[FloatArray], boxes: int) -> FloatArray:
    """Return the probabilities of all outcomes of some axes, shape (boxes, outcomes)."""
    joint = np.ones((boxes, 1))
    for part in parts:
        joint = (joint[:, :, np.newaxis] * part[:, np.newaxis]).reshape(boxes, -1)
    return joint


def _trim(axis: _Axis) -> _Axis:
    """Join the outcomes at both ends that are hardly possible."""
    possible = np.flatnonzero(axis.probability.max(axis=0) > _SCARCE)
    inner = np.arange(possible[0] + 1, min(possible[-1] + 2, axis.value.size))
    return _join(axis, np.append(0, inner))


def _thin(axes: list[_Axis]) -> list[_Axis]:
    """Join outcomes by pairs until those of the axes together are few enough."""
    axes = [*axes]
    while prod(sizes := [axis.value.size for axis in axes]) > _OUTCOMES:
        most = int(np.argmax(sizes))
        axes[most] = _join(axes[most], np.arange(0, sizes[most], 2))
    return axes


def _join(axis: _Axis, starts: IntArray) -> _Axis:
    """Join outcomes: each counts as the highest, so that no probability is lower than before."""
    value = axis.value[np.append(starts[1:], axis.value.size) - 1]
    return axis._replace(probability=np.add.reduceat(axis.probability, starts, 1), value=value)

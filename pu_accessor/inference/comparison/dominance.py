"""Compare the ROC curves of two models: which is above the other, and where they cross."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pu_accessor.errors import PUValueError
from pu_accessor.inference.comparison.pair_tests import list_pairs
from pu_accessor.ranking import BoolArray, FloatArray, IntArray

# Rates are ratios of counts, and interpolations of them.
_RATE_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Dominance:
    """Where the ROC curves of models are, for each pair of models and beta."""

    first: IntArray  # positions of the models
    second: IntArray
    dominates: IntArray  # position of the model, -1 where none does; shape (pairs, betas)
    equal: BoolArray  # central curves coincide
    disjoint: BoolArray  # a lower curve is strictly above the other upper one
    crossings: tuple[tuple[tuple[float, ...], ...], ...]  # false positive rates of crossings


class MonotoneCurve(NamedTuple):
    """A curve that never falls: corners with straight lines between them; it may jump."""

    fpr: FloatArray
    tpr: FloatArray


def compare_roc_curves(fpr: FloatArray, tpr: FloatArray) -> Dominance:
    """Compare the ROC curves of models at each beta ([C15], section 6.2), without their dips."""
    first, second = list_pairs(len(fpr))
    if np.isnan(fpr).any():
        raise PUValueError(
            "An ROC curve needs negatives, but at some beta there are none. Pass a smaller beta, "
            "or add rows without labels."
        )
    curves = [
        [
            [_monotone_curve(*curve) for curve in zip(*bounds, strict=True)]
            for bounds in zip(*model, strict=True)
        ]
        for model in zip(fpr, tpr, strict=True)
    ]
    verdicts = [
        [_compare_curves(*at_beta) for at_beta in zip(curves[a], curves[b], strict=True)]
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    ahead, behind, disjoint = (
        np.array([[verdict[field] for verdict in row] for row in verdicts]) for field in range(3)
    )
    winner = np.where(ahead, first[:, np.newaxis], second[:, np.newaxis])
    return Dominance(
        first,
        second,
        dominates=np.where(ahead == behind, -1, winner),
        equal=~(ahead | behind),
        disjoint=disjoint,
        crossings=tuple(tuple(verdict[3] for verdict in row) for row in verdicts),
    )


def _compare_curves(
    first: Sequence[MonotoneCurve], second: Sequence[MonotoneCurve]
) -> tuple[bool, bool, bool, tuple[float, ...]]:
    """Return if the first is above and below the second, if they are disjoint, and crossings."""
    fpr, a, b = _limits_at_corners(first[1], second[1])
    difference = _curve_difference(a, b)
    disjoint = _is_above(first[0], second[2]) or _is_above(second[0], first[2])
    above, below = bool((difference > 0).any()), bool((difference < 0).any())
    return above, below, disjoint, crossings(fpr, difference)


def _limits_at_corners(
    first: MonotoneCurve, second: MonotoneCurve
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return all corners, and both limits of two curves there, from within, left to right."""
    corners = np.union1d(first.fpr, second.fpr)
    sides = [
        np.stack([_curve_limit(curve, corners, side) for side in ("left", "right")], axis=1)
        for curve in (first, second)
    ]
    a, b = (side.ravel()[1:-1] for side in sides)
    return np.repeat(corners, 2)[1:-1], a, b


def _curve_difference(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the height of the first curve above the second; 0 within rounding."""
    difference = first - second
    return np.where(np.abs(difference) <= _RATE_TOLERANCE, 0.0, difference)


def _is_above(first: MonotoneCurve, second: MonotoneCurve) -> bool:
    """Tell if the first curve is strictly above the second, where they are not both at an end."""
    _, a, b = _limits_at_corners(first, second)
    is_ahead, at_end = _curve_difference(a, b) > 0, (a == b) & np.isin(a, [0, 1])
    return bool((is_ahead | at_end).all() and is_ahead.any())


def _monotone_curve(fpr: FloatArray, tpr: FloatArray) -> MonotoneCurve:
    """Return the highest true positive rate at or left of each false positive rate."""
    fpr, tpr = _fill_dips(fpr, tpr)
    lowest = np.minimum.accumulate(fpr[::-1])[::-1]
    # A line from i to i + 1 is cut at the lowest rate from i + 1 on.
    start, end, stop = fpr[:-1], fpr[1:], lowest[1:]
    cut = (start < stop) & (stop < end)
    share = (stop[cut] - start[cut]) / (end[cut] - start[cut])
    height = tpr[:-1][cut] + share * (tpr[1:][cut] - tpr[:-1][cut])
    position = np.flatnonzero(cut) + 1
    fpr, tpr = np.insert(lowest, position, stop[cut]), np.insert(tpr, position, height)
    is_new = np.append(True, (np.diff(fpr) > 0) | (np.diff(tpr) > 0))
    return MonotoneCurve(fpr[is_new], tpr[is_new])


def _fill_dips(fpr: FloatArray, tpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Keep a curve at its highest value until it is higher again."""
    highest = np.maximum.accumulate(tpr)
    start, end, height = tpr[:-1], tpr[1:], highest[:-1]
    below = (start < height) & (height < end)
    if below.any():
        share = (height[below] - start[below]) / (end[below] - start[below])
        return_fpr = fpr[:-1][below] + share * (fpr[1:][below] - fpr[:-1][below])
        position = np.flatnonzero(below) + 1
        fpr = np.insert(fpr, position, return_fpr)
        highest = np.insert(highest, position, height[below])
    return fpr, highest


def _curve_limit(curve: MonotoneCurve, at: FloatArray, side: str) -> FloatArray:
    """Return a curve's limit from the left or right at some false positive rates."""
    corner = np.searchsorted(curve.fpr, at, side="left").clip(max=curve.fpr.size - 1)
    if side == "right":
        corner = np.searchsorted(curve.fpr, at, side="right") - 1
    between = np.interp(at, curve.fpr, curve.tpr)
    return np.where(curve.fpr[corner] == at, curve.tpr[corner], between)


def crossings(x: FloatArray, lead: FloatArray) -> tuple[float, ...]:
    """Return where the lead passes from one curve to the other."""
    crossed_at = []
    for before, after in pairwise(np.flatnonzero(lead).tolist()):
        if (lead[before] > 0) == (lead[after] > 0):
            continue
        if after > before + 1:  # equal from the next point on
            crossed_at.append(float(x[before + 1]))
        else:
            share = lead[before] / (lead[before] - lead[after])
            crossed_at.append(float(x[before] + share * (x[after] - x[before])))
    return tuple(crossed_at)

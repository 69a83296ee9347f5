"""Areas under ROC and precision-recall curves, by closed forms for each step of the counts."""

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["area", "check_max_fpr"]


def check_max_fpr(max_fpr: float | None) -> None:
    """Raise unless a partial area is defined."""
    if max_fpr is None:
        return
    if isinstance(max_fpr, bool) or not isinstance(max_fpr, Real):
        raise PUTypeError(f"max_fpr must be a number in (0, 1], but {max_fpr!r} was passed.")
    if not 0 < max_fpr <= 1:
        raise PUValueError(f"max_fpr must lie in (0, 1], but {max_fpr!r} was passed.")


def area(
    curve: str,
    tp: npt.NDArray[Any],
    fp: npt.NDArray[Any],
    fn: npt.NDArray[Any],
    max_fpr: float | None = None,
) -> FloatArray:
    """Return the area under each curve.

    Examples
    --------
    >>> area("roc", np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([2, 1, 0]))
    np.float64(0.75)
    """
    if curve == "pr":
        positives = (tp + fn)[..., -1]
        share: FloatArray = _pr_area(tp, tp + fp) / np.where(positives > 0, positives, np.nan)
        return share
    return _roc_area(tp, fp, None if max_fpr is None else float(max_fpr))


def _roc_area(tp: IntArray, fp: IntArray, limit: float | None) -> FloatArray:
    """Return the area under straight lines, up to a false positive rate where one is given.

    A known positive that enters the head brings latent ones with it, at the cost of false
    positives: there the curve steps up and back, and the area of such a step is negative.
    """
    positives, negatives = tp[..., -1], fp[..., -1]
    width, rise = np.diff(fp, axis=-1), np.diff(tp, axis=-1)
    slope = rise / np.where(width == 0, 1, width)
    stop = fp if limit is None else np.minimum(fp, np.expand_dims(negatives * limit, -1))
    start, end = stop[..., :-1], stop[..., 1:]
    height = tp[..., :-1] + slope * ((start + end) / 2 - fp[..., :-1])
    covered = np.sum((end - start) * height, axis=-1)
    both = (positives > 0) & (negatives > 0)
    share: FloatArray = covered / np.where(both, positives * negatives, np.nan)
    if limit is None:
        return share
    chance = limit**2 / 2
    return (1 + (share - chance) / (limit - chance)) / 2


def _pr_area(tp: IntArray, head: IntArray) -> FloatArray:
    """Return the integral of precision d(tp), tp and head straight between two cutoffs.

    On a segment precision is (tp + u*gain)/(head + u*added), u = 0..1, whose integral is the
    precision at its start and the one within the segment, weighted by log(1 + x)/x, where
    x = added/head.
    """
    gain, added = np.diff(tp, axis=-1), np.diff(head, axis=-1)
    start = np.maximum(head[..., :-1], 1)
    growth = added / start
    weight = np.log1p(growth) / np.where(growth > 0, growth, 1)
    weight = np.where(head[..., :-1] > 0, weight, 0)  # from rank 0 on precision is constant
    within = gain / np.maximum(added, 1)
    precision = tp[..., :-1] / start * weight + within * (1 - weight)
    integral: FloatArray = np.sum(gain * precision, axis=-1)
    return integral

"""Slow references for curves at each place of a grid, and for what lies a step around it."""

import numpy as np

from pu_accessor.ranking import FloatArray


def height_at(fpr: FloatArray, tpr: FloatArray, at: FloatArray, side: str) -> FloatArray:
    """Return the lowest or highest point of a path on each vertical line, slowly; it may turn."""
    better = np.maximum if side == "upper" else np.minimum
    found = np.full(at.size, 0.0 if side == "upper" else 1.0)
    for start, end, low, high in zip(fpr[:-1], fpr[1:], tpr[:-1], tpr[1:], strict=True):
        there = (min(start, end) <= at) & (at <= max(start, end))
        part = (at[there] - start) / (end - start) if end != start else np.array([[0.0], [1.0]])
        heights = np.atleast_2d(low + part * (high - low))
        found[there] = better(found[there], better.reduce(heights, axis=0))
    return found


def precision_at(tp: FloatArray, head: FloatArray, at: FloatArray, side: str) -> FloatArray:
    """Return the highest, or lowest, precision at some numbers of true positives, slowly."""
    near = 1e-9 * tp[-1]
    found = np.full(at.size, 0.0 if side == "upper" else 1.0)
    for low, high, start, end in zip(tp[:-1], tp[1:], head[:-1], head[1:], strict=True):
        there = (low - near <= at) & (at <= high + near)
        if not there.any():
            continue
        part = np.clip((at[there] - low) / (high - low), 0, 1) if high > low else np.ones(1)
        for share in [part] if high > low else [np.zeros(1), part]:
            place = start + share * (end - start)
            fresh = (high - low) / (end - start)
            value = np.where(place > 0, at[there] / np.where(place > 0, place, 1), fresh)
            better = np.maximum if side == "upper" else np.minimum
            if not (start == 0 and high == low and not share.any()):
                found[there] = better(found[there], value)
    return found


def around(limit: FloatArray, grid: FloatArray, step: float, side: str) -> FloatArray:
    """Return the farthest limit within a step of each place of a grid, and one at either side."""
    first = (np.searchsorted(grid, grid - step) - 1).clip(min=0)
    last = (np.searchsorted(grid, grid + step, side="right") + 1).clip(max=grid.size)
    farther = np.maximum if side == "upper" else np.minimum
    ends = np.stack([first, last], axis=1).ravel()
    return np.asarray(farther.reduceat(np.append(limit, limit[-1]), ends)[::2], float)


def height_of(curve: str, tp: FloatArray, fp: FloatArray, at: FloatArray, side: str) -> FloatArray:
    """Return the lowest or highest point of a curve at each place of a grid, slowly."""
    if curve == "roc":
        return height_at(fp / fp[-1], tp / tp[-1], at, side)
    return precision_at(tp, tp + fp, at * tp[-1], side)

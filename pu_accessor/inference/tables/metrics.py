"""Metrics of contingency tables, on plain arrays of counts."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.checks import is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray

Array: TypeAlias = npt.NDArray[Any]
Metric: TypeAlias = Callable[[Array, Array, Array, Array], Any]


def _share(part: Array, whole: Array) -> FloatArray:
    """Return a ratio, NaN where there is nothing to divide by."""
    ratio: FloatArray = part / np.where(whole == 0, np.nan, whole)
    return ratio


def curve_rates(
    curve: str, tp: Array, fp: Array, positives: Array, negatives: Array
) -> tuple[FloatArray, FloatArray]:
    """Return where a curve passes at each cutoff.

    Examples
    --------
    >>> curve_rates("pr", np.array([0, 1]), np.array([0, 1]), np.array(2), np.array(6))
    (array([0. , 0.5]), array([1. , 0.5]))
    """
    recall = _share(tp, positives)
    if curve == "roc":
        return _share(fp, negatives), recall
    head = tp + fp
    precision = _share(tp, head)
    precision[head == 0] = 1.0
    return recall, precision


def _recall(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return the true positive rate."""
    return _share(tp, tp + fn)


def _mcc(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return the Matthews correlation; in floats, as products of four counts overflow."""
    tp, fp, fn, tn = (np.asarray(count, np.float64) for count in (tp, fp, fn, tn))
    with np.errstate(invalid="ignore"):  # of what is no table
        scale = ((tp + fp) * (tn + fn)) ** 0.5 * ((tp + fn) * (tn + fp)) ** 0.5
    return _share(tp * tn - fp * fn, scale)


def _kappa(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return Cohen's kappa; in floats, as products of counts overflow."""
    tp, fp, fn, tn = (np.asarray(count, np.float64) for count in (tp, fp, fn, tn))
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return _share(2 * (tp * tn - fp * fn), chance)


METRICS: Mapping[str, Metric] = {
    "tpr": _recall,
    "recall": _recall,
    "fpr": lambda tp, fp, fn, tn: _share(fp, fp + tn),
    "tnr": lambda tp, fp, fn, tn: _share(tn, fp + tn),
    "fnr": lambda tp, fp, fn, tn: _share(fn, tp + fn),
    "precision": lambda tp, fp, fn, tn: _share(tp, tp + fp),
    "fdr": lambda tp, fp, fn, tn: _share(fp, tp + fp),
    "npv": lambda tp, fp, fn, tn: _share(tn, tn + fn),
    "accuracy": lambda tp, fp, fn, tn: _share(tp + tn, tp + fp + fn + tn),
    "balanced_accuracy": lambda tp, fp, fn, tn: (_share(tp, tp + fn) + _share(tn, fp + tn)) / 2,
    "f1": lambda tp, fp, fn, tn: _share(2 * tp, 2 * tp + fp + fn),
    "mcc": _mcc,
    "informedness": lambda tp, fp, fn, tn: _share(tp, tp + fn) - _share(fp, fp + tn),
    "kappa": _kappa,
    "jaccard": lambda tp, fp, fn, tn: _share(tp, tp + fp + fn),
    "lift": lambda tp, fp, fn, tn: _share(_share(tp, tp + fp), _share(tp + fn, tp + fp + fn + tn)),
}


def fbeta(weight: float) -> Metric:
    """Return the F measure in which recall weighs so many times as much as precision.

    Parameters
    ----------
    weight : float
        Above 0. What others call the beta of F-beta: 2 is for F2, 0.5 for F0.5, and 1 makes the
        metric "f1". It has nothing to do with the share of positives among the unlabeled.

    Returns
    -------
    callable
        From the arrays tp, fp, fn and tn to (1 + weight**2)*tp / ((1 + weight**2)*tp +
        weight**2*fn + fp), for all methods that take a metric. Results call it "f2".

    Raises
    ------
    PUTypeError
        If `weight` is no number.
    PUValueError
        If it is not above 0, or infinite.

    See Also
    --------
    pandas.DataFrame.pu.metric : Evaluates it at a cutoff.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> found = df.pu.metric(pu_accessor.fbeta(2), 0.25, at=6)
    >>> found[["metric", "rank", "estimate", "lower", "upper"]].round(3)
      metric  rank  estimate  lower  upper
    0     f2     6     0.714    0.5  0.833
    """
    if not is_number(weight):
        raise PUTypeError(f"weight must be a number, but {weight!r} was passed: fbeta(2) for F2.")
    square = float(weight) * float(weight)
    if not (weight > 0 and 0 < square < inf):
        raise PUValueError(
            f"weight must be above 0 and finite, but {weight!r} was passed. For precision alone, "
            "or recall alone, ask for these: df.pu.metric('recall', 0.3, at=100)."
        )

    def weighted(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
        return _share((1 + square) * tp, (1 + square) * tp + square * fn + fp)

    weighted.__name__ = f"f{float(weight):g}"
    return weighted


def metric_name(metric: str | Metric) -> str:
    """Return the name of a metric, ours or a user's."""
    return str(getattr(metric, "__name__", type(metric).__name__)) if callable(metric) else metric


def evaluate(metric: str | Metric, tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Evaluate a metric on contingency tables.

    Examples
    --------
    >>> counts = (np.array([count]) for count in (1, 1, 2, 6))
    >>> evaluate("recall", *counts)
    array([0.33333333])
    """
    if not callable(metric):
        counts = (np.asarray(count) for count in (tp, fp, fn, tn))
        values: Array = METRICS[metric](*counts)
        return values
    with np.errstate(all="ignore"):  # 0/0 of counts needs no warning
        try:
            returned = metric(*(np.array(count) for count in (tp, fp, fn, tn)))
        except TypeError as error:
            raise PUTypeError(
                f"metric {metric_name(metric)!r} must be a function of the arrays tp, fp, fn and "
                f"tn, but raised: {error}."
            ) from error
    values = np.asarray(returned)
    if values.shape != tp.shape or values.dtype.kind not in "biuf":
        raise PUTypeError(
            f"metric {metric_name(metric)!r} must return an array of numbers, one for each table "
            f"(shape {tp.shape}), but returned {type(returned).__name__} of shape {values.shape}. "
            "Compute it from tp, fp, fn and tn by arithmetic of whole arrays."
        )
    return values

"""Metrics of contingency tables, on plain arrays of counts."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.errors import PUTypeError, check_option
from pu_accessor.ranking import FloatArray

__all__ = ["METRICS", "Metric", "check_metric", "evaluate", "evaluate_on_curve", "metric_name"]

Array: TypeAlias = npt.NDArray[Any]
Metric: TypeAlias = Callable[[Array, Array, Array, Array], Any]


def _share(part: Array, whole: Array) -> FloatArray:
    """Return a ratio, NaN where there is nothing to divide by."""
    ratio = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=ratio, where=whole != 0)
    return ratio


def _recall(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return the true positive rate."""
    return _share(tp, tp + fn)


def _mcc(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return the Matthews correlation; in floats, as products of four counts overflow."""
    tp, fp, fn, tn = (count.astype(np.float64) for count in (tp, fp, fn, tn))
    with np.errstate(invalid="ignore"):  # of what is no table
        scale = ((tp + fp) * (tn + fn)) ** 0.5 * ((tp + fn) * (tn + fp)) ** 0.5
    return _share(tp * tn - fp * fn, scale)


def _kappa(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return Cohen's kappa; in floats, as products of counts overflow."""
    tp, fp, fn, tn = (count.astype(np.float64) for count in (tp, fp, fn, tn))
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return _share(2 * (tp * tn - fp * fn), chance)


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "tpr": _recall,
        "recall": _recall,
        "fpr": lambda tp, fp, fn, tn: _share(fp, fp + tn),
        "tnr": lambda tp, fp, fn, tn: _share(tn, fp + tn),
        "fnr": lambda tp, fp, fn, tn: _share(fn, tp + fn),
        "precision": lambda tp, fp, fn, tn: _share(tp, tp + fp),
        "npv": lambda tp, fp, fn, tn: _share(tn, tn + fn),
        "accuracy": lambda tp, fp, fn, tn: _share(tp + tn, tp + fp + fn + tn),
        "balanced_accuracy": lambda tp, fp, fn, tn: (
            (_share(tp, tp + fn) + _share(tn, fp + tn)) / 2
        ),
        "f1": lambda tp, fp, fn, tn: _share(2 * tp, 2 * tp + fp + fn),
        "mcc": _mcc,
        "informedness": lambda tp, fp, fn, tn: _share(tp, tp + fn) - _share(fp, fp + tn),
        "kappa": _kappa,
        "jaccard": lambda tp, fp, fn, tn: _share(tp, tp + fp + fn),
        "lift": lambda tp, fp, fn, tn: _share(
            _share(tp, tp + fp), _share(tp + fn, tp + fp + fn + tn)
        ),
    }
)

_SYNONYMS = {
    "sensitivity": "recall",
    "hit_rate": "recall",
    "fall_out": "fpr",
    "specificity": "tnr",
    "miss_rate": "fnr",
    "ppv": "precision",
    "youden": "informedness",
    "bookmaker": "informedness",
    "iou": "jaccard",
    "phi": "mcc",
    "enrichment": "lift",
}


def check_metric(metric: str | Metric) -> None:
    """Raise unless it is a function or the name of a metric of ours.

    Parameters
    ----------
    metric : str or callable
        What came.

    Raises
    ------
    PUValueError
        If no metric has that name.
    """
    if not callable(metric):
        check_option("metric", metric, METRICS, _SYNONYMS)


def metric_name(metric: str | Metric) -> str:
    """Return the name of a metric, ours or a user's.

    Parameters
    ----------
    metric : str or callable
        As `check_metric` lets it pass.

    Returns
    -------
    str
    """
    return str(getattr(metric, "__name__", type(metric).__name__)) if callable(metric) else metric


def evaluate(metric: str | Metric, tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Evaluate a metric on contingency tables.

    Parameters
    ----------
    metric : str or callable
        One of `METRICS` by name, or a function of tp, fp, fn and tn that returns an array of their
        shape. It gets copies: it may change them.
    tp, fp, fn, tn : ndarray of integers or floats, of one shape
        Counts, in examples.

    Returns
    -------
    ndarray of that shape
        float64 for a metric of ours: NaN where a ratio has no denominator.

    Raises
    ------
    PUTypeError
        If a user's function returns something else.

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
    with np.errstate(all="ignore"):  # of counts 0/0 is nothing to warn of
        found = metric(*(np.array(count) for count in (tp, fp, fn, tn)))
    values = np.asarray(found)
    if values.shape != tp.shape or values.dtype.kind not in "biuf":
        raise PUTypeError(
            f"metric {metric_name(metric)!r} must return an array of numbers, one for each table "
            f"(shape {tp.shape}), but returned {type(found).__name__} of shape {values.shape}. "
            "Compute it from tp, fp, fn and tn by arithmetic of whole arrays."
        )
    return values


def evaluate_on_curve(rate: str, tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Evaluate a rate that a curve is drawn of.

    Parameters
    ----------
    rate : str
        One of `METRICS`.
    tp, fp, fn, tn : ndarray of integers or floats, of one shape
        Counts, in examples.

    Returns
    -------
    ndarray of float64, of that shape
        As `evaluate`; but precision is 1 where nothing is predicted positive, where curves start,
        as scikit-learn's do. As a metric of that table it has no value.

    Examples
    --------
    >>> counts = [np.array(count) for count in ([0, 1], [0, 1], [2, 1], [6, 5])]
    >>> evaluate_on_curve("precision", *counts), evaluate("precision", *counts)
    (array([1. , 0.5]), array([nan, 0.5]))
    """
    values: FloatArray = evaluate(rate, tp, fp, fn, tn)
    return np.where(tp + fp == 0, 1.0, values) if rate == "precision" else values

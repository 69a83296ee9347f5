"""Questions put to contingency tables: curves, metrics, areas, long frames."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, check_option
from pu_accessor.inference.envelopes import pr_envelope, roc_envelope, widen
from pu_accessor.inference.tables import COUNTS
from pu_accessor.ranking import FloatArray, IntArray

__all__ = [
    "METRICS",
    "Metric",
    "area",
    "check_max_fpr",
    "check_whole",
    "metric",
    "pr",
    "roc",
    "to_frame",
]

Array: TypeAlias = xr.DataArray
Metric: TypeAlias = Callable[[Array, Array, Array, Array], Array]


def _where(values: Array, condition: Array, other: float) -> Array:
    """Return values where a condition holds, of plain arrays, too."""
    if isinstance(values, np.ndarray):
        return cast("Array", np.where(condition, values, other))
    return values.where(condition, other)


def _share(part: Array, whole: Array) -> Array:
    """Return a ratio, NaN where there is nothing to divide by."""
    return part / _where(whole, whole != 0, np.nan)


def _precision(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Return precision, 1 where nothing is predicted positive, as scikit-learn's curves do."""
    return _where(_share(tp, tp + fp), tp + fp != 0, 1.0)


def _mcc(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Return the Matthews correlation; in floats, as products of four counts overflow."""
    tp, fp, fn, tn = (count.astype(np.float64) for count in (tp, fp, fn, tn))
    scale = ((tp + fp) * (tn + fn)) ** 0.5 * ((tp + fn) * (tn + fp)) ** 0.5
    return _share(tp * tn - fp * fn, scale)


def _kappa(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Return Cohen's kappa; in floats, as products of counts overflow."""
    tp, fp, fn, tn = (count.astype(np.float64) for count in (tp, fp, fn, tn))
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return _share(2 * (tp * tn - fp * fn), chance)


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "tpr": lambda tp, fp, fn, tn: _share(tp, tp + fn),
        "fpr": lambda tp, fp, fn, tn: _share(fp, fp + tn),
        "tnr": lambda tp, fp, fn, tn: _share(tn, fp + tn),
        "fnr": lambda tp, fp, fn, tn: _share(fn, tp + fn),
        "precision": _precision,
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
    "recall": "tpr",
    "sensitivity": "tpr",
    "hit_rate": "tpr",
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


def metric(tables: xr.Dataset, name: str | Metric) -> xr.DataArray:
    """Evaluate a metric on each contingency table.

    At a given cutoff and beta every sensible metric improves with the number of true positives.
    Its values at ``bound="lower"`` and ``"upper"`` therefore bound it; for an error rate such as
    fpr the upper bound on performance is the smaller number.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`.
    name : str or callable
        One of tpr, fpr, tnr, fnr, precision, npv, accuracy, balanced_accuracy, f1, mcc,
        informedness, kappa, jaccard, lift; or a function of tp, fp, fn, tn (DataArrays of int64)
        that returns a DataArray.

    Returns
    -------
    DataArray
        float64, dimensions as `tp`. A ratio without a denominator is NaN, save that precision
        at rank 0 is 1, as in scikit-learn's curves.

    Raises
    ------
    PUKeyError
        If `tables` holds no tables.
    PUValueError
        If no metric has that name.
    PUTypeError
        If `name` is neither, or the function returns something else than a DataArray.
    """
    if not callable(name):
        check_option("metric", name, METRICS, _SYNONYMS)
    label = str(getattr(name, "__name__", type(name).__name__)) if callable(name) else name
    values = widen(_at_each(tables, name), tables, lambda inner: _at_each(inner, name))
    return _labeled(values.rename(label), {**tables.attrs, "long_name": label})


def _at_each(tables: xr.Dataset, name: str | Metric) -> xr.DataArray:
    """Evaluate a metric, ours or a user's, on each table."""
    counts = _counts(tables)
    if not callable(name):
        return counts[0].copy(data=_evaluate(name, counts).data)
    values = name(*(count.copy() for count in counts))  # a user's function may change them
    if not isinstance(values, xr.DataArray):
        raise PUTypeError(
            f"metric {getattr(name, '__name__', name)!r} must return a DataArray, but returned "
            f"{type(values).__name__}. Compute it from tp, fp, fn and tn by arithmetic."
        )
    return values


def roc(tables: xr.Dataset) -> xr.Dataset:
    """Return the ROC curve of each bound and beta.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`.

    Returns
    -------
    Dataset
        `fpr` and `tpr` (float64) over the dimensions of `tp`; NaN without negatives.

    Raises
    ------
    PUKeyError
        If `tables` holds no tables.
    """
    curves = _curve(tables, {"fpr": "false positive rate", "tpr": "true positive rate"})
    return _with_envelope(curves, tables, roc_envelope)


def pr(tables: xr.Dataset) -> xr.Dataset:
    """Return the precision-recall curve of each bound and beta.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`.

    Returns
    -------
    Dataset
        `recall` and `precision` (float64) over the dimensions of `tp`; precision at rank 0 is 1.
        Between two cutoffs the curve is not a straight line [1]_.

    Raises
    ------
    PUKeyError
        If `tables` holds no tables.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, *The relationship between precision-recall and ROC curves*,
       ICML 2006.
    """
    curves = _curve(tables, {"tpr": "recall", "precision": "precision"}).rename(tpr="recall")
    return _with_envelope(curves, tables, pr_envelope)


def _with_envelope(
    curves: xr.Dataset,
    tables: xr.Dataset,
    envelope: Callable[[xr.Dataset], Mapping[str, Any] | None],
) -> xr.Dataset:
    """Add the envelope of whole curves where there is an interval of beta."""
    if "interval_tp" not in tables or not _is_whole(tables):
        return curves
    found = envelope(tables)
    assert found is not None
    name, *coords = found
    return curves.assign({name: found[name]}).assign_coords({c: found[c] for c in coords})


def area(tables: xr.Dataset, curve: str, *, max_fpr: float | None = None) -> xr.DataArray:
    """Return the area under the curve of each bound and beta.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, at all cutoffs or at the breakpoints.
    curve : {"roc", "pr"}
        Which curve. The one of precision and recall is taken through the contingency tables
        between two cutoffs [1]_, not along straight lines.
    max_fpr : float in (0, 1], optional
        Take the ROC curve up to this false positive rate, standardised [2]_ so that chance is
        0.5 and perfection 1, as ``sklearn.metrics.roc_auc_score(max_fpr=...)`` does.

    Returns
    -------
    DataArray
        float64 over the dimensions of `tp` but rank; NaN without negatives (ROC).

    Raises
    ------
    PUKeyError
        If `tables` holds no tables.
    PUValueError, PUTypeError
        If `tables` holds a part of the cutoffs, or an argument is not allowed.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, *The relationship between precision-recall and ROC curves*,
       ICML 2006.
    .. [2] D. K. McClish, *Analyzing a portion of the ROC curve*, Medical Decision Making 9
       (1989) 190-195.
    """
    _counts(tables)
    check_option("curve", curve, ["roc", "pr"])
    if max_fpr is not None:
        check_max_fpr(curve, max_fpr)
    check_whole(tables)
    values = widen(
        _area(tables, curve, max_fpr), tables, lambda inner: _area(inner, curve, max_fpr)
    )
    name = {"roc": "AUROC", "pr": "area under the PR curve"}[curve]
    limit = {} if max_fpr is None else {"max_fpr": float(max_fpr)}
    at_cutoffs = [key for key, coord in tables.coords.items() if "rank" in coord.dims]
    values = values.drop_vars(at_cutoffs, errors="ignore")
    return _labeled(values.rename("area"), {**tables.attrs, "long_name": name, **limit})


def _area(tables: xr.Dataset, curve: str, max_fpr: float | None) -> xr.DataArray:
    """Return the area under each curve."""
    tp, fp, fn, _ = _counts(tables)
    if curve == "pr":
        positives = (tp + fn).isel(rank=-1, drop=True)
        return _reduce(_pr_area, tp, tp + fp) / positives.where(positives > 0)
    return _reduce(_roc_area, tp, fp, limit=max_fpr and float(max_fpr))


def to_frame(dataset: xr.Dataset) -> pd.DataFrame:
    """Return tables or curves as a long frame.

    Parameters
    ----------
    dataset : Dataset
        Tables, or curves of them.

    Returns
    -------
    DataFrame
        A row for each rank, bound and beta, with a RangeIndex: ready for seaborn.

    Raises
    ------
    PUKeyError
        If there is no dimension rank.
    """
    if "rank" not in dataset.dims:
        raise PUKeyError(
            f"The Dataset must hold tables or curves over rank, but its dimensions are "
            f"{list(dataset.dims)}. Ask for them first: df.pu.contingency(beta=0.3)."
        )
    # Envelopes, and what they are made of, stand on axes of their own.
    dims = next(
        variable.dims for variable in dataset.data_vars.values() if "rank" in variable.dims
    )
    aside = [
        name for name, variable in dataset.variables.items() if set(variable.dims) - set(dims)
    ]
    dataset = dataset.drop_vars(aside)
    if "beta" in dataset.dims and "beta" not in dataset.indexes:  # one for each group: a column
        flat = dataset.rename_dims(beta="beta position").to_dataframe().reset_index()
        flat = flat.drop(columns="beta position")
    else:
        flat = dataset.to_dataframe().reset_index()
    where = [name for name in flat.columns if name not in dataset.data_vars]
    return flat[[*where, *dataset.data_vars]]


def _counts(tables: xr.Dataset) -> tuple[Array, Array, Array, Array]:
    """Return tp, fp, fn and tn, or say that these are no tables."""
    missing = [name for name in COUNTS if name not in tables.data_vars]
    if missing:
        raise PUKeyError(
            f"The Dataset must hold contingency tables, variables {list(COUNTS)}, but {missing} "
            f"are not among its {list(tables.data_vars)}. Ask for them first: "
            "df.pu.contingency(beta=0.3).pu.metric('f1')."
        )
    tp, fp, fn, tn = (  # differences of unsigned integers would wrap around
        tables[name].astype(np.int64) if tables[name].dtype.kind == "u" else tables[name]
        for name in COUNTS
    )
    return tp, fp, fn, tn


def _labeled(values: Array, attrs: Mapping[str, Any]) -> Array:
    """Replace the attributes: those of counts, such as their units, are not those of a share."""
    values.attrs = dict(attrs)
    return values


def _evaluate(name: str, counts: Sequence[Array]) -> xr.Variable:
    """Evaluate a metric of ours: on plain arrays where these are alike, which is quicker.

    Variables have no indexes to align, either, but other dimensions, and lazy data.
    """
    variables = [count.variable for count in counts]
    dims, evaluate = variables[0].dims, cast("Callable[..., Any]", METRICS[name])
    if all(one.dims == dims and isinstance(one.data, np.ndarray) for one in variables):
        return xr.Variable(dims, evaluate(*(one.data for one in variables)), fastpath=True)
    return cast("xr.Variable", evaluate(*variables)).transpose(*dims)


def _curve(tables: xr.Dataset, names: Mapping[str, str]) -> xr.Dataset:
    """Return two metrics of the tables side by side, labeled."""
    counts = _counts(tables)
    rates = {name: _evaluate(name, counts) for name in names}
    for name, label in names.items():
        rates[name].attrs = {"long_name": label}
    inner = [name for name in ("interval_bound", "interval_beta") if name in tables.coords]
    coords = tables.coords if not inner else tables.drop_vars(inner).coords
    return xr.Dataset(rates, coords, tables.attrs)


def check_max_fpr(curve: str, max_fpr: float) -> None:
    """Raise unless a partial area is defined.

    Parameters
    ----------
    curve : str
        Only "roc" has one.
    max_fpr : float
        False positive rate up to which it is taken.

    Raises
    ------
    PUValueError, PUTypeError
        If it is no number in (0, 1], or the curve is another.
    """
    if curve != "roc":
        raise PUValueError(
            f"max_fpr must be None for curve={curve!r}, but {max_fpr!r} was passed. Only the ROC "
            "curve has a partial area: curve='roc'."
        )
    if isinstance(max_fpr, bool) or not isinstance(max_fpr, Real):
        raise PUTypeError(f"max_fpr must be a number in (0, 1], but {max_fpr!r} was passed.")
    if not 0 < max_fpr <= 1:
        raise PUValueError(f"max_fpr must lie in (0, 1], but {max_fpr!r} was passed.")


def check_whole(tables: xr.Dataset) -> None:
    """Raise unless the tables trace a curve from end to end.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`.

    Raises
    ------
    PUValueError
        If cutoffs are missing.
    """
    if _is_whole(tables):
        return
    ranks = tables["rank"].values if "rank" in tables.dims else np.array([])
    raise PUValueError(
        "Whole curves need the tables of all cutoffs or breakpoints, but these are a selection of "
        f"{ranks.size} ranks ({', '.join(map(str, ranks[:3]))}, ...). Make them with "
        "ranks='breakpoints', and select after taking areas."
    )


def _is_whole(tables: xr.Dataset) -> bool:
    """Tell whether tables trace a curve from end to end."""
    if not tables.sizes.get("rank"):
        return False
    counts = {name: tables[name].variable for name in COUNTS}  # without indexes to align
    first = counts["tp"].isel(rank=0).to_numpy() + counts["fp"].isel(rank=0).to_numpy()
    last = counts["fn"].isel(rank=-1).to_numpy() + counts["tn"].isel(rank=-1).to_numpy()
    # A place that unstacking left empty has no ends.
    ends = np.nan_to_num(first).any() or np.nan_to_num(last).any()
    thinned = tables.sizes["rank"] != tables.attrs.get("n_cutoffs", tables.sizes["rank"])
    return not (ends or thinned or tables.attrs.get("ranks") == "selected")


def _reduce(function: Callable[..., Any], *curves: Array, **kwargs: Any) -> Array:
    """Apply a function of curves (cutoffs last) and get rid of the rank dimension."""
    values: Array = xr.apply_ufunc(
        function, *curves, input_core_dims=[["rank"]] * len(curves), kwargs=kwargs
    )
    return values


def _roc_area(tp: IntArray, fp: IntArray, limit: float | None) -> FloatArray:
    """Return the area under straight lines, up to a false positive rate where one is given.

    A known positive that enters the head brings latent ones with it, at the cost of false
    positives: there the curve steps up and back, and the area of such a step is negative.
    """
    positives, negatives = tp[..., -1], fp[..., -1]
    width, rise = np.diff(fp, axis=-1), np.diff(tp, axis=-1)
    slope = rise / np.where(width == 0, 1, width)
    stop = np.minimum(fp, np.expand_dims(negatives * (1.0 if limit is None else limit), -1))
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

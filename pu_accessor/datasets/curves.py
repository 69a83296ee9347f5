"""What is asked of contingency tables that stand in a Dataset: curves, metrics, areas, slopes."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.schema import (
    AXIS,
    BOUND,
    COUNTS,
    TOTALS,
    TRACES,
    VARIABLES,
    axis_of,
    check_whole,
    counts_of,
    is_on_new,
)
from pu_accessor.errors import PUKeyError, PUValueError
from pu_accessor.inference.comparison.dominance import dominance as compare_curves
from pu_accessor.inference.contamination import count_wrong, missing_positives
from pu_accessor.inference.metrics import AnyMetric, curve_rates, read_metric
from pu_accessor.inference.tables.contingency import Table
from pu_accessor.inference.tables.curves import Derivatives, Known, check_max_fpr
from pu_accessor.inference.tables.curves import area as area_under
from pu_accessor.inference.tables.curves import beta_derivatives as differentiate
from pu_accessor.questions.comparison import pair_columns
from pu_accessor.ranking import FloatArray

_AREAS = {"roc": "AUROC", "pr": "area under the PR curve"}
# What bounds of an area are worth: whether each cutoff is bounded, or all of them jointly.
_PROMISE = {
    True: "the true area lies between the bounds with a probability of at least level",
    False: "none: bounds hold at each cutoff; for the area between them: band='simultaneous'",
}


def curve(tables: xr.Dataset, name: str) -> xr.Dataset:
    """Return the ROC or the precision-recall curve of each bound and beta."""
    x, y, _, envelope = TRACES[name]
    tp, fp, fn, tn = (count.variable for count in counts_of(tables))
    found = _lift(partial(curve_rates, name), (tp, fp, tp + fn, fp + tn), outputs=2)
    rates = {rate: values.transpose(*tp.dims) for rate, values in zip((x, y), found, strict=True)}
    if envelope in tables:
        rates[envelope] = tables[envelope].variable
    for rate, values in rates.items():
        values.attrs = dict(VARIABLES[rate].attrs)
    coords = tables.drop_vars("interval_beta", errors="ignore").coords
    return with_grid(xr.Dataset(rates, coords, tables.attrs), name)


def with_grid(curves: xr.Dataset, name: str) -> xr.Dataset:
    """Return curves with the coordinates of their envelope, where there is one."""
    return curves


def tables_of(curves: xr.Dataset) -> xr.Dataset:
    """Return curves, as `curve` returns them, with the tables that they are of; tables as are."""
    needed = {"beta", "rank", *TOTALS}
    names = [name for name, (x, y, *_) in TRACES.items() if needed | {x, y} <= {*curves.variables}]
    if COUNTS[0] in curves or not names:
        return curves
    rate = "tpr" if names[0] == "roc" else "recall"
    known, against, unlabeled = (curves[name] for name in TOTALS)
    positives = known + np.floor(curves["beta"] * unlabeled + 0.5) - _none_of_known(curves)
    negatives = known + against + unlabeled - positives
    tp = curves[rate] * positives
    fp = curves["fpr"] * negatives if rate == "tpr" else curves["rank"] - tp
    if rate == "recall" and is_on_new(curves):  # where limits of both rates are no one table
        fp = (tp * (1 / curves["precision"] - 1)).where(tp > 0, fp)
    counts = dict(zip(COUNTS, (tp, fp, positives - tp, negatives - fp), strict=True))
    dims = curves[rate].dims
    return curves.assign(
        {name: (dims, count.transpose(*dims).data) for name, count in counts.items()}
    )


def _none_of_known(curves: xr.Dataset) -> xr.DataArray | int:
    """Return how many known positives are none at each bound, where some may be wrong."""
    if not (share := curves.attrs.get("contamination")):
        return 0
    above, known = curves["known_positive"], curves[TOTALS[0]]
    wrong = known.copy(data=np.vectorize(partial(count_wrong, contamination=share))(known))
    lower, none, upper = missing_positives(above, known, wrong)
    of_bound = {"lower": lower, "upper": upper}
    each = [of_bound.get(bound, none) for bound in np.ravel(curves["bound"]).tolist()]
    missing: xr.DataArray = xr.concat(each, curves["bound"]) if curves["bound"].ndim else each[0]
    return missing


def metric(tables: xr.Dataset, quantity: AnyMetric) -> xr.DataArray:
    """Evaluate a metric on each contingency table."""
    label = read_metric(quantity, None, "tables").name
    values = _evaluate(quantity, tables)
    values.attrs = {**tables.attrs, "long_name": label}
    return values.rename(label)


def between_cutoffs(tables: xr.Dataset, points: int) -> tuple[FloatArray, FloatArray]:
    """Return the ranks of the cutoffs of one ranking, and others in between."""
    ranks = tables["rank"] if is_on_new(tables) else tables["tp"] + tables["fp"]
    own = np.unique(ranks.to_numpy().astype(np.float64))
    more = np.append(
        np.linspace(own[0], own[-1], points), np.geomspace(1, max(own[-1], 1), points)
    )
    more = more[(more > own[0]) & (more < own[-1])]
    return own, np.setdiff1d(more, own)


def area(tables: xr.Dataset, quantity: str, *, max_fpr: float | None = None) -> xr.DataArray:
    """Return the area under the curve of each bound and beta."""
    counts_of(tables)
    curve, max_fpr = _read_area(quantity, max_fpr)
    check_whole(tables)
    reduce = partial(_area, curve=curve, max_fpr=max_fpr)
    values = reduce(tables).rename("area")
    at_cutoffs = [n for n, coord in tables.coords.items() if axis_of(tables.dims) in coord.dims]
    values = values.drop_vars([*at_cutoffs, "n_cutoffs", "all_cutoffs"], errors="ignore")
    values.attrs = {
        **tables.attrs,
        "long_name": _AREAS[curve],
        "promise": _PROMISE[tables.attrs.get("band") == "simultaneous"],
        **({} if max_fpr is None else {"max_fpr": max_fpr}),
    }
    return values


def _read_area(quantity: str, max_fpr: float | None) -> tuple[str, float | None]:
    """Return the curve that a quantity is the area under, and up to where; raise if none is."""
    curve = str(read_metric(quantity, None, "area").curve)
    if max_fpr is not None and curve != "roc":
        raise PUValueError(
            f"max_fpr must be None with {quantity!r}, but {max_fpr!r} was passed. Only the ROC "
            "curve has a partial area: ds.pu.area('auroc', max_fpr=0.1)."
        )
    return curve, check_max_fpr(max_fpr)


def _area(tables: xr.Dataset, curve: str, max_fpr: float | None) -> xr.DataArray:
    """Return the area under each curve."""
    counts = counts_of(tables)
    axis = axis_of(tables.dims)
    areas = _lift(partial(area_under, curve, max_fpr=max_fpr), counts, [[axis]] * len(counts))
    return _put(areas, counts[0].isel({axis: 0}))


def _evaluate(name: AnyMetric, tables: xr.Dataset) -> xr.DataArray:
    """Evaluate a metric on each table; a function of a user's only on tables that there are."""
    counts = counts_of(tables)
    metric = read_metric(name, None, "tables")
    if not metric.is_function:
        return _put(_lift(metric, counts), counts[0])
    in_memory = [count.variable.compute() for count in counts]  # it may return any dtype
    return _put(xr.apply_ufunc(metric, *in_memory), counts[0])


def _put(values: xr.Variable, place: xr.DataArray) -> xr.DataArray:
    """Put values in the place of others."""
    return place.copy(data=values.transpose(*place.dims).data)


def _lift(
    function: Callable[..., Any],
    arrays: Sequence[xr.DataArray | xr.Variable],
    core: Sequence[Sequence[str]] | None = None,
    outputs: int = 1,
) -> Any:
    """Apply a function of arrays that returns floats to Variables, or to each of their chunks.

    Nothing is aligned: they come from one Dataset.
    """
    return xr.apply_ufunc(
        function,
        *(array.variable if isinstance(array, xr.DataArray) else array for array in arrays),
        input_core_dims=core,
        output_core_dims=[[]] * outputs,
        dask="parallelized",
        output_dtypes=[np.float64] * outputs,
        dask_gufunc_kwargs={"allow_rechunk": True},
    )


_ROUNDED = 1  # by a half of an example, beta * unlabeled may be rounded otherwise
_NEEDED = ("beta", "clipped", "reference", "known_positive", *TOTALS)


def beta_derivatives(tables: xr.Dataset) -> xr.Dataset:
    """Return the derivatives of rates and counts by beta at each cutoff."""
    counts = counts_of(tables)
    _check_derivable(tables)
    above = tables["known_positive"]
    below = tables.coords.get("known_negative", above)  # unread where these were not asked for
    totals = [tables[name] for name in TOTALS]
    from_positives = tables["reference"] == "positives"
    if "tightest" in tables.coords:
        chosen = (tables["reference"] == "tightest") & (tables["tightest"] == "positives")
        from_positives = from_positives | chosen
    # Known examples with weights are no simple random sample.
    weighted = "n_effective" in tables.coords
    shared = (tables["bound"] == "estimate") & (not weighted)
    clipped = tables["clipped"] == True  # noqa: E712 -- or missing
    arrays = [*counts, clipped, above, below, *totals, from_positives, shared]
    slopes = _lift(
        lambda *arrays: tuple(differentiate(Table(*arrays[:4]), arrays[4], Known(*arrays[5:]))),
        arrays,
        outputs=len(Derivatives._fields),
    )
    variables = {}
    for name, slope in zip(Derivatives._fields, slopes, strict=True):
        variables[name] = slope.transpose(*counts[0].dims)
        variables[name].attrs = {"long_name": f"derivative of {name} by β̂"}
    kept = tables.drop_vars([*tables.data_vars]).drop_vars("interval_beta", errors="ignore")
    return kept.assign(variables)


def _check_derivable(tables: xr.Dataset) -> None:
    """Raise unless these are tables that say where they come from."""
    if missing := [name for name in _NEEDED if name not in tables.variables]:
        raise PUKeyError(
            f"The Dataset must hold contingency tables as they were made, {[*COUNTS, *_NEEDED]}, "
            f"but {missing} are not among its variables. Ask for them first: "
            "df.pu.contingency(beta=0.3).pu.beta_derivatives().",
            page="tables",
        )
    if tables.attrs.get("contamination"):
        raise PUValueError(
            "contamination must be 0 for derivatives, but tables have "
            f"contamination={tables.attrs['contamination']:g}: their bounds are not of one number "
            "of positives. Make tables without it."
        )
    if (tables["reference"] == "both").any():
        raise PUValueError(
            "reference must not be 'both' for derivatives: bounds that have something from known "
            "positives and from known negatives have none of their own. Make tables with "
            "reference='tightest'."
        )
    if np.asarray(tables["bound"]).ndim != 1:
        raise PUValueError(
            "beta_derivatives needs the dimension bound. Select with a list, which keeps it: "
            "ds.sel(bound=['estimate'])."
        )
    # Each beta says how many positives there are; some ways to join keep the numbers of others.
    known, against, unlabeled = (tables[name] for name in TOTALS)
    latent = np.floor(tables["beta"] * unlabeled + 0.5)
    positives, negatives = known + latent, against + unlabeled - latent
    tp, fp, fn, tn = counts_of(tables)
    if abs(tp + fn - positives).max() + abs(fp + tn - negatives).max() > _ROUNDED:
        raise PUValueError(
            f"The numbers of examples, {[*TOTALS]}, are not those of the tables: joining may "
            "have kept those of the first alone. Join them with "
            "xr.concat([ds, ds], 'model', coords='different', compat='equals')."
        )


def dominance(tables: xr.Dataset) -> pd.DataFrame:
    """Compare where the ROC curves of models lie, at each beta."""
    curves = curve(tables, "roc")
    dim, axis = _models_dim(curves), axis_of(curves.dims)
    check_whole(tables)
    ordered = curves.transpose(dim, "beta", "bound", axis, ...).sel(bound=BOUND)
    verdicts = compare_curves(ordered["fpr"].to_numpy(), ordered["tpr"].to_numpy())
    index = curves.get_index(dim)
    keys = index.tolist()
    betas = curves["beta"].transpose(..., "beta").to_numpy()
    first, second = verdicts.first, verdicts.second
    own = {"beta_a": betas[first], "beta_b": betas[second]} if betas.ndim > 1 else {"beta": betas}
    winners = np.array([*keys, None], dtype=object)[verdicts.dominates.ravel()]
    crossings = [of_beta for pair in verdicts.crossings for of_beta in pair]
    columns = {
        **own,
        "dominates": pd.Index(winners, dtype=object, tupleize_cols=False),
        "equal": verdicts.equal,
        "disjoint": verdicts.disjoint,
        "crossings": pd.Index(crossings, dtype=object, tupleize_cols=False),
    }
    names = [str(name) for name in index.names]
    return pd.DataFrame(pair_columns(names, keys, (first, second), columns))


def _models_dim(curves: xr.Dataset) -> str:
    """Return the dimension of the models, or say what is wrong with the curves."""
    dims = curves["fpr"].dims
    more = [str(dim) for dim in dims if dim not in (AXIS, "rank", "bound", "beta")]
    if (len(more) == 1 and curves.sizes[more[0]] < 2) or not more:
        raise PUValueError(
            "A comparison needs two or more models, but there is one. Name two columns of scores, "
            "df.pu(score=['svm', 'forest']), or a column with two keys, df.pu(by='model').",
            page="many_models#which-model-is-better",
        )
    if len(more) != 1 or len(dims) != 4:
        raise PUValueError(
            "dominance compares the models along one dimension beside cutoffs, bound and beta, "
            f"but the tables have {dict(curves['fpr'].sizes)}. Stack several dimensions: "
            f"ds.stack(group={more})."
        )
    if lacking := [bound for bound in BOUND if bound not in curves["bound"].to_numpy()]:
        raise PUValueError(f"dominance needs the bounds {[*BOUND]}, but {lacking} is missing.")
    return more[0]


def gain(tables: xr.Dataset) -> xr.Dataset:
    """Return cumulative gains: recall against the fraction of examples predicted positive."""
    found, whole = {"bound": 0, "beta": 0}, {"bound": 0, axis_of(tables.dims): 0}
    tp, fp, fn, tn = counts_of(tables)
    head, positives = (tp[found] + fp[found]), (tp[whole] + fn[whole])
    fraction = head / (head + fn[found] + tn[found])
    prevalence = positives / (positives + fp[whole] + tn[whole])
    gains = metric(tables, "recall").rename("gain").to_dataset().assign_attrs(tables.attrs)
    gains["gain"].attrs = {"long_name": "share of positives found"}
    aside = {"fraction": fraction.variable, "prevalence": prevalence.variable}
    if "interval_beta" in tables.coords:
        aside["interval_beta"] = tables["interval_beta"].variable
    return gains.assign_coords(aside)

"""Draw a Dataset: ROC, precision-recall and rank CDF curves, and metrics by cutoff."""

import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.datasets.schema import (
    BOUND,
    COUNTS,
    CUTOFF_DIM,
    TOTALS,
    cutoff_dim,
    has_all_cutoffs,
    read_dataset,
)
from pu_accessor.datasets.tables import unrounded
from pu_accessor.errors import PUError, PUValueError, PUWarning
from pu_accessor.inference.curves import curve_rates
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.plots import drawing
from pu_accessor.plots.drawing import Curve, Path
from pu_accessor.plots.options import Options, ink
from pu_accessor.plots.panels import Drawing, draw_panels
from pu_accessor.ranking import FloatArray, IntArray

Table: TypeAlias = Mapping[str, Any]  # arrays over the cutoffs of one bound, and numbers
Trace: TypeAlias = Callable[[Table], Path]

_AXES = {
    "rank": "examples predicted positive",
    "threshold": "threshold (lowest score predicted positive)",
    "fraction": "share of examples predicted positive",
}
_PR_POINTS, _METRIC_POINTS = 200, 400  # vertices added between cutoffs, evenly and by log
_MAX_AREAS = 5  # in a legend
_AREA_NAMES: Mapping[str, str] = {"roc": "AUROC", "pr": "AP"}
_MAX_CUTOFFS_DRAWN, _PIXELS = 4_000, 1_500  # more are thinned out to the pixels of an axis
_RECALL_LABEL = "share of positives found"


def _check_thresholds(tables: xr.Dataset) -> None:
    """Raise unless the tables have all cutoffs and their thresholds."""
    every = "rank" not in tables or tables["rank"].attrs.get("cutoffs", "all") == "all"
    if not (every and has_all_cutoffs(tables) and "threshold" in tables.coords):
        raise PUValueError(
            "x='threshold' needs the tables of all cutoffs and their thresholds, but some are "
            "missing. Make them with ranks='all', and select after drawing."
        )


def _check_negatives(tables: xr.Dataset) -> None:
    """Raise if there are no negatives at some beta."""
    first = tables.isel({cutoff_dim(tables.dims): 0})
    dims = [dim for dim in first["fp"].dims if dim != "beta"]
    empty = (first["fp"] + first["tn"] == 0).any(dims)
    if empty.any():
        betas = tables["beta"].to_numpy()[..., empty]
        raise PUValueError(
            f"An ROC curve needs negatives, but at beta = {betas.tolist()} there are none. Pass a "
            "smaller beta, add rows that are not known, or draw the other curve: plot_pr."
        )


def plot_curves(
    tables: xr.Dataset,
    curve: str | Metric,
    looks: Options,
    *,
    x: str = "rank",
    areas: Callable[[], pd.DataFrame] | None = None,
) -> Drawing:
    """Draw "roc", "pr", "rank_cdf" or a metric at each cutoff: lines between filled bounds.

    Few curves have the area with its interval, of the frame of `areas`, in the legend.
    """
    if curve == "rank_cdf":
        return _plot_rank_cdf(tables, looks)
    tables = read_dataset(tables, "counts").compute()
    _check(tables, cutoff_dim(tables.dims))
    if curve == "roc":
        _check_negatives(tables)
    if x == "threshold":
        _check_thresholds(tables)
    name = ""
    if isinstance(curve, str):
        name, (xlabel, ylabel, trace, mark) = curve, _RATES[curve]
    elif (curve.key, x) == ("recall", "fraction"):
        xlabel, ylabel, trace, mark = _AXES[x], _RECALL_LABEL, _trace_metric(curve, x), _mark_gains
    else:
        xlabel, ylabel = _AXES[x], drawing.write_name(curve.label)
        trace, mark = _trace_metric(curve, x), drawing.mark_infeasible
    tables = visible(tables, x)
    tables = unrounded(tables) if name else tables
    ends = (tables["tp"] + tables["fp"]).max("bound")
    tables = tables.assign(cut=_is_cut(tables).variable, end=ends.variable)
    curves, band = _curves(tables, trace, name, x)
    if not getattr(curve, "is_function", False):  # which may turn anywhere
        curves = [drawing.without_teeth(one, name) for one in curves]
    sign = -1 if getattr(curve, "less_is_better", False) else 1
    frame = _ask_areas(areas if len(curves) <= _MAX_AREAS else None)
    for one in curves:
        one.extra.update(sign=sign, area=_area_of(frame, one), area_name=_AREA_NAMES.get(name))

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel=xlabel, ylabel=ylabel)
        drawing.draw_bands(ax, curves, band, looks)
        drawing.draw_lines(ax, curves, looks)
        mark(ax, curves)
        if curve == "roc" and looks["ax"] is None:
            ax.set_box_aspect(1)  # also when zoomed

    return draw_panels(curves, draw, looks)


def _ask_areas(areas: Callable[[], pd.DataFrame] | None) -> pd.DataFrame:
    """Return the areas under curves; none where they are refused."""
    with warnings.catch_warnings(action="ignore", category=PUWarning), suppress(PUError):
        if areas is not None:
            return areas()
    return pd.DataFrame()


def _area_of(frame: pd.DataFrame, curve: Curve) -> str:
    """Return the area of a curve with its interval, or nothing if it has none."""
    for name, key in curve.where.items():
        if name in frame:
            frame = frame[frame[name].map(write_missing) == key]
    if len(frame) != 1 or not np.isfinite(frame["estimate"].item()):
        return ""
    return drawing.write_interval(*frame.iloc[0][["estimate", "lower", "upper"]])


def _mark_roc(ax: Axes, curves: Sequence[Curve]) -> None:
    drawing.draw_diagonal(ax)
    drawing.show_rates(ax)


def _mark_pr(ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw the prevalence, which is the precision by chance."""
    for prevalence, hue in drawing.prevalences(curves):
        drawing.draw_chance(ax, [0, 1], [prevalence] * 2, **hue)
    drawing.show_rates(ax)


def _mark_gains(ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw the gains of a random and of a perfect ranking."""
    drawing.mark_infeasible(ax, curves)
    drawing.draw_chance(ax, [0, 1], [0, 1])
    for share, hue in drawing.prevalences(curves):
        style = {"label": "perfect", "linestyle": "-", "linewidth": 0.8, **hue}
        drawing.draw_chance(ax, [0, share, 1], [0, 1, 1], **style)
    drawing.show_rates(ax)


def _plot_rank_cdf(cdf: xr.Dataset, looks: Options) -> Drawing:
    """Draw the rank CDF of the known positives, and the band of the hidden ones."""
    from_positives = bool((cdf["reference"] == "positives").all())
    same_at_each_beta = from_positives and "n_effective" not in cdf.coords

    def trace(table: Table) -> Path:
        inside = table["rank"] <= sum(table[name] for name in TOTALS)  # groups may end earlier
        return table["rank"][inside], table["rank_cdf"][inside]

    curves, band = _curves(visible(cdf), trace, "rank_cdf")
    for one in curves:
        one.extra["sign"] = 1
        if same_at_each_beta:  # bands are named by beta alone
            one.extra["score"] = None

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel=_AXES["rank"], ylabel=_RECALL_LABEL)
        ends = {int(curve.extra["examples"]): {"color": curve.color} for curve in curves}
        for end, hue in ends.items():
            drawing.draw_chance(ax, [0, end], [0, 1], **(hue if len(ends) > 1 else {}))
        # One line, and a band for each beta.
        keys = [{**curve.where, "beta": None} for curve in curves]
        shared = same_at_each_beta and all(key == keys[0] for key in keys)
        color = curves[0].color if drawing.curves_on(ax) else ink(ax)
        label = band.replace("\n", " ") if shared and len(curves) > 1 else band
        drawing.draw_bands(ax, curves, label, looks, is_shared=shared)
        score = cdf.attrs.get("score")
        name = f"known positives, by {drawing.write_name(score)}" if score else "known positives"
        known = curves[0]._replace(color=color, label=name, style={})
        drawn = [known] if shared else curves
        drawing.draw_lines(ax, drawn, looks)
        drawing.show_rates(ax, along=False)

    return draw_panels(curves, draw, looks)


# A Dataset -> its curves


def _curves(
    tables: xr.Dataset, trace: Trace, name: str, x: str = "rank"
) -> tuple[list[Curve], str]:
    """Return the curves of a Dataset, and the label of bands."""
    axis = cutoff_dim(tables.dims)
    curves: list[Curve] = []
    inside: list[Curve] = []  # of betas that are used only for the limits of their interval
    drawn = name if name in tables else "tp"
    for where, bounds in _take_apart(tables, axis, drawn):
        table = bounds[1]
        estimate, lower, upper = map(trace, bounds)
        extra = _extra_of(table, x) | {"score": tables.attrs.get("score")}
        beta = float(table["beta"]) if np.any(table.get("n_unlabeled", 1)) else None
        curve = Curve(where, beta, estimate, lower, upper, extra)
        (inside if table.get("inside", False) else curves).append(curve)
    curves = [_widen(curve, inside, name) for curve in curves]
    references, intervals = tables.get("reference", ()), drawing.intervals_of_beta(curves)
    return curves, drawing.band_label(tables.attrs, intervals, references)


def _check(dataset: xr.Dataset, axis: str) -> None:
    """Raise unless the Dataset has the dimensions and bounds of curves."""
    dims = (axis, "bound", "beta")
    lacking = [d for d in dims if d not in dataset.dims or d not in (CUTOFF_DIM, *dataset.coords)]
    bounds = [] if lacking else [b for b in BOUND if b not in dataset["bound"].to_numpy()]
    if lacking or bounds:
        back = "Select with lists, which keep dimensions."
        if lacking[:1] == ["beta"] and "beta" in dataset.coords:
            back = f"Put it back: ds.expand_dims({lacking[0]!r})."
        elif lacking[:1] == [axis]:
            back = "Draw all cutoffs, or take a number of one: ds.pu.metric('recall')."
        raise PUValueError(
            f"A plot needs the dimensions {', '.join(dims)} with the bounds {[*BOUND]}, but "
            f"{lacking or bounds} is missing. {back}"
        )
    betas = dataset["beta"].to_numpy()
    if betas.ndim == 1 and not 0 < betas.size == np.unique(betas).size:
        raise PUValueError(f"A plot needs each beta once, but there are {betas.tolist()}.")
    points = dataset["rank" if axis == CUTOFF_DIM and "rank" in dataset.coords else axis]
    steps = np.diff(points.transpose(..., axis).to_numpy())
    # Rankings with fewer cutoffs repeat their last one.
    if points.sizes[axis] < 2 or (steps < 0 if axis == CUTOFF_DIM else steps <= 0).any():
        raise PUValueError(
            f"A plot needs two or more increasing ranks, but there are {points.sizes[axis]}: "
            f"{np.ravel(points)[:5].tolist()}. Make tables with ranks='breakpoints', or "
            "ds.sortby('rank')."
        )


def _take_apart(
    dataset: xr.Dataset, axis: str, drawn: str
) -> Iterator[tuple[dict[str, Hashable], Sequence[Table]]]:
    """Yield the key of each curve, and its arrays: estimate, lower, upper."""
    dims = [str(dim) for dim in dataset[drawn].dims if dim not in (axis, "bound")]
    dims.sort(key=lambda dim: dim == "beta")  # models first
    indexes = {dim: dataset.get_index(dim) for dim in dims if dim in dataset.indexes}
    dataset = dataset.drop_dims({*dataset.dims} - {*dims, "bound", axis})
    for position in np.ndindex(*(dataset.sizes[dim] for dim in dims)):
        places = dict(zip(dims, position, strict=True))
        one = dataset.isel(places)
        known = one[drawn].count("bound").to_numpy() > 0
        if {"tp", "fp"} <= {*one.variables}:  # without repeats of the last cutoff
            counts = np.stack([one[name].transpose("bound", axis) for name in ("tp", "fp")])
            known[1:] &= np.diff(counts).any(axis=(0, 1))
        elif axis == CUTOFF_DIM and "rank" in one.coords:
            known &= np.diff(one["rank"], prepend=-1) > 0
        if not known.any():
            continue
        where: dict[str, Hashable] = {}
        for dim, index in indexes.items():
            key: Any = index[places[dim]]
            where[dim] = key
            if isinstance(index, pd.MultiIndex):
                where |= zip(map(str, index.names), key, strict=True)
        one = one.isel({axis: known})
        sides = (one.sel(bound=bound).variables for bound in ("estimate", "lower", "upper"))
        tables = [{str(name): array.values for name, array in side.items()} for side in sides]
        yield {name: write_missing(value) for name, value in where.items()}, tables


def write_missing(key: Hashable) -> Hashable:
    """Return a key, or "missing" for NaN, which does not equal itself."""
    is_missing = pd.api.types.is_scalar(key) and pd.isna(key)  # type: ignore[call-overload]
    return "missing" if is_missing else key


def _extra_of(table: Table, x: str) -> dict[str, Any]:
    """Return the prevalence of a curve, and where its bounds are clipped to one value."""
    if not {*COUNTS} <= {*table}:
        return {"examples": sum(table[name] for name in TOTALS)}
    tp, fp, fn, tn = (float(table[name][0]) for name in COUNTS)
    prevalence = (tp + fn) / (tp + fp + fn + tn)
    along = table["threshold"] if x == "threshold" else table["end"]
    places = along.astype(np.float64) / ((table["end"][-1] or 1) if x == "fraction" else 1)
    upwards = np.flatnonzero(np.isfinite(places))[:: -1 if x == "threshold" else 1]
    return {"prevalence": prevalence, "cut": (places[upwards], table["cut"][upwards])}


def _is_cut(tables: xr.Dataset) -> xr.DataArray:
    """Tell at which cutoffs both bounds are clipped to one value."""
    clipped = tables.get("clipped", xr.zeros_like(tables["tp"])) == True  # noqa: E712 -- or missing
    lower, upper = (tables["tp"].sel(bound=end) for end in ("lower", "upper"))
    return clipped.sel(bound=["lower", "upper"]).all("bound") & (lower >= upper)


# Vertices


def _ranks(table: Table) -> FloatArray:
    """Return the ranks of cutoffs; a group ends at its size, where larger ones have more ranks."""
    size = sum(float(table[name][0]) for name in COUNTS)
    return np.fmin(np.asarray(table.get("rank", table["tp"] + table["fp"]), np.float64), size)


def _filled(table: Table, points: int) -> tuple[FloatArray, list[FloatArray]]:
    """Return the ranks of cutoffs and more between them, and the counts there."""
    ranks = _ranks(table)
    own = np.unique(ranks)
    more = [np.linspace(own[0], own[-1], points), np.geomspace(1, max(own[-1], 1), points)]
    filled = np.unique(np.concatenate([own, *(m[(m > own[0]) & (m < own[-1])] for m in more)]))
    return filled, [np.interp(filled, ranks, table[name]) for name in COUNTS]


def _trace_pr(table: Table) -> Path:
    """Follow recall and precision along straight lines of tp and fp (Davis, Goadrich, 2006)."""
    tp = table["tp"].astype(np.float64)
    known = np.isfinite(tp)
    # Precision is 0 or undefined before the first positive: a spike at recall 0.
    first = known & (np.arange(tp.size) >= np.argmax(known & (tp > 0)))
    names = [name for name in (*COUNTS, "rank") if name in table]
    _, (tp, fp, fn, _) = _filled({name: table[name][first] for name in names}, _PR_POINTS)
    above, positives = tp + fp, tp + fn  # which contamination changes along the curve
    recall, precision = tp / positives, tp / np.where(above > 0, above, 1)
    if recall[0] == 0:
        return recall, precision
    return np.append(0, recall), np.append(precision[0], precision)


def _trace_metric(metric: Metric, x: str) -> Trace:
    """Return how to follow a metric: along straight lines of the counts, or in steps."""

    def trace(table: Table) -> Path:
        counts = [table[name] for name in COUNTS]
        if x == "threshold":
            known = np.isfinite(table["threshold"])
            along, steps = drawing.step_corners(table["threshold"][known], values(counts)[known])
            return along[::-1], steps[::-1]
        scale = sum(float(count[0]) for count in counts) if x == "fraction" else 1.0
        if metric.is_function:  # defined only for whole counts
            own, first = np.unique(_ranks(table), return_index=True)
            return own / scale, values(counts)[first]
        filled, between = _filled(table, _METRIC_POINTS)
        return filled / scale, values(between)

    def values(counts: Sequence[FloatArray]) -> FloatArray:
        return np.asarray(metric(*counts), dtype=np.float64)

    return trace


_RATES: Mapping[str, tuple[str, str, Trace, Callable[..., None]]] = {
    "roc": (
        *("false positive rate", "true positive rate"),
        lambda table: curve_rates("roc", *(table[name] for name in COUNTS)),
        _mark_roc,
    ),
    "pr": ("recall", "precision", _trace_pr, _mark_pr),
}


def _widen(curve: Curve, inside: Sequence[Curve], name: str) -> Curve:
    """Return a curve with the lowest and the highest edges over an interval of beta."""
    key = {**curve.where, "beta": None}
    others = [other for other in inside if {**other.where, "beta": None} == key]
    each = [curve, *others]
    if name in _RATES:
        each = [drawing.without_teeth(one, name) for one in each]
    paths = [drawing.known(path) for one in each for path in (one.lower, one.upper)]
    paths = [path for path in paths if path[0].size]
    if not (others and paths) or curve.beta == 0:
        return curve
    places = np.unique(np.concatenate([x for x, _ in paths]))
    if places.size > _MAX_CUTOFFS_DRAWN:
        places = np.unique(places[[0, -1, *_at_pixels(places)]])
    # Paths may rise or fall at one place, so heights are those just before and after it.
    x = np.stack([np.nextafter(places, end) for end in (-np.inf, np.inf)], axis=1).ravel()
    heights = [np.interp(x, *path, left=np.nan, right=np.nan) for path in paths]
    betas = [float(one.beta or 0) for one in others]
    return curve._replace(
        lower=(x, np.fmin.reduce(heights)),
        upper=(x, np.fmax.reduce(heights)),
        extra=curve.extra | {"interval": (min(betas), max(betas))},
    )


# Cutoffs


def visible(curves: xr.Dataset, x: str = "rank") -> xr.Dataset:
    """Thin out cutoffs that are too close to see along x, before anything is computed for them."""
    axis = cutoff_dim(curves.dims)
    size = curves.sizes[axis]
    if size <= _MAX_CUTOFFS_DRAWN or "rank" not in curves.coords:
        return curves
    kept = {0, size - 1}
    for name in {"rank", "threshold" if x == "threshold" else "rank"}:
        for places in curves[name].transpose(..., axis).to_numpy().reshape(-1, size):
            kept.update(_at_pixels(places.astype(np.float64)).tolist())
    return curves.isel({axis: sorted(kept)})


def _at_pixels(places: FloatArray) -> IntArray:
    """Return the first position in each pixel, on an even scale and on ones denser at an end."""
    position = np.flatnonzero(np.isfinite(places))
    along = np.abs(places[position] - places[position[:1]])
    if not along.any():
        return position[:0]
    pixels = [_PIXELS * along / along[-1]]
    for away in (along, along[-1] - along):
        nearest = away[away > 0].min()
        decades = np.log(along[-1] / nearest) or 1
        pixels.append(2 * _PIXELS * np.log(np.maximum(away, nearest) / nearest) / decades)
    steps = np.abs(np.diff(np.floor(pixels), axis=1)).max(axis=0)
    before_gaps, first = np.flatnonzero(steps > 1), np.flatnonzero(steps > 0) + 1
    return np.asarray(position[np.append(before_gaps, first)])

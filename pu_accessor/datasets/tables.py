"""Rankings -> bounded tables and curves in one Dataset; of these a long frame, or some cutoffs."""

from collections.abc import Hashable
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr

from pu_accessor.checks import as_array, check_share
from pu_accessor.datasets.assemble import Page, lay_out
from pu_accessor.datasets.curves import with_grid
from pu_accessor.datasets.schema import AXIS, COUNTS, INTERVAL, TOTALS, TRACES, VARIABLES, axis_of
from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.metrics import curve_rates
from pu_accessor.inference.settings import Beta, Settings, check_target
from pu_accessor.inference.tables.contingency import (
    RankCdf,
    Table,
    Tables,
    curve_on_new,
    tables_in_parts,
)
from pu_accessor.inference.tables.contingency import rank_cdf as bound_rank_cdf
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Request, map_rankings
from pu_accessor.ranking import FloatArray, Ranking, Ranks

Array = npt.NDArray[Any]

_NO_COORDINATE = "The Dataset must have the coordinate {!r}, but has none."
# No column or dimension of a user's is called so.
_NEW, _BETA, _WANTED = "__pu_new__", "__pu_beta__", "__pu_wanted__"


def contingency(
    request: Request,
    betas: Betas,
    settings: Settings,
    ranks: Ranks,
    *,
    warn: bool = True,
    baseline: bool = False,
    rounded: bool = True,
    target: str = "examples",
    curve: str = "roc",
    rates: bool = False,
) -> xr.Dataset:
    """Bound the contingency table at each cutoff of each ranking.

    Where beta has an interval the tables at betas within it come, too. Curves and metrics are read
    from estimates that are not `rounded` to whole examples. Those of new examples never are, and
    bound both rates of a ROC `curve`, or precision and recall. With `rates` these and the envelope
    of the curve come in place of all counts, which takes less memory.
    """
    check_target(target)
    on_new = target == "population"
    if on_new:
        settings = _settings_on_new(target, betas, settings)
    else:
        betas.refuse_contaminated(settings)
        betas, settings = betas.split(settings)
    betas = betas.with_baseline() if baseline else betas

    def of_new_examples(ranking: Ranking, beta: Beta, own: Settings) -> Page:
        ranking, table = curve_on_new(curve, ranking, beta.values, own.level)
        tp, fp, fn, tn = table
        if rates:
            return Page(ranking, _rates(curve, tp, fp, tp + fn, fp + tn))
        return Page(ranking, _counts(table, np.zeros(tp.shape, np.bool_)))

    def read_part(tables: Tables, own: Settings) -> dict[str, Array]:
        if rates:
            tp, positives, negatives = tables.tp, tables.positives, tables.negatives
            arrays = _rates(curve, tp, tables.fp, positives, negatives)
        else:
            arrays = _counts(tables.table, tables.clipped)
        return {**arrays, **_coordinates(tables, own)}

    def question(ranking: Ranking, beta: Beta, own: Settings) -> Page:
        arrays: dict[str, Array] = {}
        end = 0
        parts = tables_in_parts(ranking, beta.values, own, rounded=rounded)
        for tables in parts:
            start, end = end, end + tables.betas.size
            ranking = tables.ranking
            _put(read_part(tables, own), arrays, slice(start, end), beta.values.size)
        return Page(ranking, arrays)

    rankings = request.rankings(ranks, settings)
    answer = of_new_examples if on_new else question
    results = map_rankings(request, rankings, answer, betas, settings, warn=warn, clustered=True)
    arrays = results.each[0].content.arrays
    x, y, _, envelope = TRACES[curve]
    data = [x, y, envelope] if rates else [*COUNTS, "clipped", *INTERVAL]
    tables = lay_out(results, [name for name in data if name in arrays], request)
    return tables.assign_attrs(target=target) if on_new else tables


def _counts(table: Table, clipped: Array) -> dict[str, Array]:
    """Return the arrays of tables."""
    return {**dict(zip(COUNTS, table, strict=True)), "clipped": clipped}


def _rates(
    curve: str, tp: Array, fp: Array, positives: Array, negatives: Array
) -> dict[str, Array]:
    """Return the two rates of a curve."""
    both = curve_rates(curve, tp, fp, positives, negatives)
    return dict(zip(TRACES[curve][:2], both, strict=True))


def _put(part: dict[str, Array], arrays: dict[str, Array], columns: slice, betas: int) -> None:
    """Put arrays at some of the betas beside those at others."""
    for name, array in part.items():
        if VARIABLES[name].dims[-1:] != ("beta",) or array.shape[-1] == betas:
            arrays[name] = array
            continue
        if name not in arrays:
            arrays[name] = np.empty((betas, *array.T.shape[1:]), array.dtype).T
        arrays[name][..., columns] = array


def _settings_on_new(target: str, betas: Betas, settings: Settings) -> Settings:
    """Return the settings of the band for new examples, or raise where there is none."""
    allowed = [Settings(settings.level, band) for band in ("exact", "simultaneous")]
    if settings not in allowed:
        raise PUValueError(
            "band, reference, selection_odds and contamination must be left out with "
            f"target='population', but {band_name(settings.band)!r}, {settings.reference!r}, "
            f"{settings.selection_odds:g} and {settings.contamination:g} were passed: for new "
            "examples there is one band, from known positives against the rest. Leave them out, "
            "or pass target='examples'.",
            page="population",
        )
    if betas.vary:
        raise PUValueError(
            "beta must be a number with target='population', and beta_interval be left out: the "
            "band for new examples is at one beta. Ask at both ends: beta=[low, high].",
            page="population",
        )
    return allowed[-1]


def curve_bounds(
    request: Request, curve: str, betas: Betas, settings: Settings, ranks: Ranks, target: str
) -> xr.Dataset:
    """Bound the ROC or the precision-recall curve of each ranking."""
    asked = request, betas, settings, ranks
    curves = contingency(*asked, rounded=False, target=target, curve=curve, rates=True)
    return with_grid(curves, curve)


def rank_cdf(request: Request, betas: Betas, settings: Settings, ranks: Ranks) -> xr.Dataset:
    """Bound the rank CDF of the latent positives of each ranking."""
    betas.refuse_estimates()

    def question(ranking: Ranking, beta: Beta, own: Settings) -> Page:
        cdf = bound_rank_cdf(ranking, beta.values, own)
        return Page(cdf.ranking, {"rank_cdf": cdf.share, **_coordinates(cdf, own)})

    rankings = request.rankings(ranks, settings)
    results = map_rankings(request, rankings, question, betas, settings, clustered=True)
    return lay_out(results, ["rank_cdf"], request)


def _coordinates(bounded: Tables | RankCdf, settings: Settings) -> dict[str, Array]:
    """Return the coordinates that the settings call for."""
    coordinates: dict[str, Array] = {}
    if settings.reference != "positives":
        coordinates["known_negative"] = bounded.ranking.known_negative
    if settings.reference in ("tightest", "both"):
        coordinates["tightest"] = np.array(bounded.tightest, dtype=object)
    if bounded.local_alpha is not None:
        coordinates["local_alpha"] = bounded.local_alpha
    return coordinates


def to_frame(dataset: xr.Dataset) -> pd.DataFrame:
    """Return tables or curves as a long frame."""
    axis = axis_of(dataset.dims)
    # A file may give variables back in another order: those within an interval of beta first.
    outer = (v.dims for v in dataset.data_vars.values() if "interval_bound" not in v.dims)
    dims = next((dims for dims in outer if axis in dims), None)
    if dims is None:
        raise PUKeyError(
            f"The Dataset must hold tables or curves over {axis}, but its variables are "
            f"{list(dataset.data_vars)}.",
            page="tables",
        )
    if axis not in (AXIS, *dataset.coords):
        raise PUKeyError(_NO_COORDINATE.format(axis))
    kept = dataset.drop_vars(
        [name for name in dataset.variables if _is_aside(dataset, name, dims)]
    )
    if "beta" in kept.dims and "beta" not in kept.indexes:  # one for each group: a column
        kept = kept.rename_dims(beta=_BETA)
    order = [_BETA if dim == "beta" and dim not in kept.dims else dim for dim in dims]
    flat = kept.assign_coords({_NEW: _is_new(dataset, axis)}).to_dataframe(order)
    twice = [name for name in flat.columns if name in flat.index.names]  # before xarray 2025.10
    flat = flat.drop(columns=twice).reset_index()
    flat = flat[flat[_NEW]].reset_index(drop=True)
    coords = [name for name in flat.columns if name not in (*kept.data_vars, _NEW, _BETA)]
    if axis == AXIS and "rank" in coords:  # stands where the dimension would
        coords.remove("rank")
        coords[coords.index(AXIS)] = "rank"
    return flat[[*(name for name in coords if name != AXIS), *kept.data_vars]]


def _is_aside(dataset: xr.Dataset, name: Hashable, dims: tuple[Hashable, ...]) -> bool:
    """Tell whether a variable stands on axes of its own, or is a number of the whole ranking."""
    number = name in VARIABLES and not VARIABLES[str(name)].dims
    return bool({*dataset[name].dims} - {*dims}) or (number and not dataset[name].dims)


def _is_new(dataset: xr.Dataset, axis: str) -> xr.DataArray:
    """Tell which cutoffs are no repeats of another, with which shorter rankings end."""
    if axis == "rank" or "rank" not in dataset.variables or not dataset.get("n_cutoffs", 1):
        return xr.DataArray(np.ones(dataset.sizes[axis], dtype=bool), dims=axis)
    new: xr.DataArray = xr.apply_ufunc(
        lambda ranks: ~(pd.Series(ranks).duplicated() | np.isnan(ranks)).to_numpy(),
        xr.DataArray(dataset["rank"].variable).load(),
        input_core_dims=[[axis]],
        output_core_dims=[[axis]],
        vectorize=True,
    )
    return new


def at_cutoffs(dataset: xr.Dataset, **wanted: Any) -> xr.Dataset:
    """Return the last cutoffs at or before some ranks, thresholds or fractions."""
    axis = axis_of(dataset.dims)
    passed = {name: value for name, value in wanted.items() if value is not None}
    if len(passed) != 1:
        raise PUTypeError(
            f"at takes one of rank, threshold and fraction, but {sorted(passed) or 'none'} was "
            "passed. For example ds.pu.at(rank=100)."
        )
    ((name, value),) = passed.items()
    goal = xr.Variable(_WANTED, _numbers(name, value))
    coordinate = "threshold" if name == "threshold" else "rank"
    if missing := [key for key in ("rank", coordinate) if key not in dataset.coords]:
        raise PUKeyError(_NO_COORDINATE.format(missing[0]))
    if name == "fraction":
        with np.errstate(invalid="ignore"):  # an empty place has no size
            goal = xr.apply_ufunc(_part, goal, _sizes(dataset, axis), vectorize=True)
    cutoffs = _last_reached(dataset, axis, coordinate, goal)
    plain = dataset.reset_index([name for name in ("rank",) if name in dataset.indexes])
    numbered = dataset if axis == AXIS else plain.rename_dims(rank=AXIS)
    selected = numbered.isel({AXIS: cutoffs})
    selected = selected.assign_coords(n_cutoffs=np.int64(0))
    if axis == "rank" and {"tp", "fp"} <= {*selected.data_vars}:  # of shared ranks, not its own
        head = selected["tp"].variable + selected["fp"].variable
        own = head.isel(bound=0, beta=0, missing_dims="ignore")  # the same of all
        whole = dataset["rank"].dtype.kind != "f" or not (dataset["rank"] % 1).any()
        selected = selected.assign_coords(rank=own.compute().round() if whole else own.compute())
    if np.ndim(value) == 0:
        return selected.isel({_WANTED: 0})
    return selected.rename_dims({_WANTED: AXIS})


def _last_reached(
    dataset: xr.Dataset, axis: str, coordinate: str, goal: xr.Variable
) -> xr.Variable:
    """Return the position of the last cutoff that a rank or threshold reaches, of each group."""
    points, rank = (dataset[name].variable.to_base_variable() for name in (coordinate, "rank"))
    reached = points >= goal if coordinate == "threshold" else points <= goal
    filled = rank.notnull().any(axis)  # noqa: PD004 -- a place that unstacking left empty is not
    if bool((filled & ~reached.any(axis)).any()):
        raise PUValueError(
            f"at must not lie before the first cutoff, but {goal.values.ravel()[:5].tolist()} was "
            f"passed for {coordinate}s from {points.values.ravel()[0]:g} on. Make tables from "
            "rank 0 on: ranks='breakpoints'."
        )
    if coordinate == "rank" and bool((goal > rank.max()).any()):
        raise PUValueError(
            f"at must not lie beyond the last rank, {int(rank.max())}, but "
            f"{goal.values.ravel()[:5].tolist()} was passed."
        )
    return xr.DataArray(rank).where(xr.DataArray(reached), -1).fillna(-1).argmax(axis).variable


def _part(share: float, size: float) -> float:
    """Return a share of some examples, in decimals as printed, rounded down."""
    return float(floor(Fraction(str(share)) * int(size))) if size == size else np.nan


def _sizes(dataset: xr.Dataset, axis: str) -> xr.Variable:
    """Return the number of examples of each ranking."""
    if all(name in dataset.coords for name in TOTALS):
        known, against, unlabeled = (dataset[name].variable for name in TOTALS)
        return known + against + unlabeled
    return dataset["rank"].variable.to_base_variable().max(axis)


def _numbers(name: str, value: Any) -> FloatArray:
    """Return what is wanted as numbers."""
    numbers = np.atleast_1d(as_array(value))
    if numbers.dtype.kind not in "iuf" or numbers.ndim > 1 or np.isnan(numbers).any():
        raise PUTypeError(
            f"at must be one {name} or an array of them, numbers below 2**64, but "
            f"{brief(value)} was passed."
        )
    if not numbers.size:
        raise PUValueError(f"at must hold one {name} or more, but nothing was passed.")
    if name == "fraction":
        for share in numbers.tolist():
            check_share("fraction", share)
    return numbers

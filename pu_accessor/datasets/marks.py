"""What stands at cutoffs that are asked for: points of curves, and one bounded table."""

import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr

from pu_accessor.datasets.curves import curve as trace
from pu_accessor.datasets.schema import BOUND, COUNTS, TRACES, axis_of, counts_of
from pu_accessor.datasets.tables import at_cutoffs
from pu_accessor.datasets.values import lay_out_curves
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.cutoff_spec import FIXED, At, Cutoff, read_at, read_cutoffs
from pu_accessor.inference.estimates.joint import estimate
from pu_accessor.inference.metrics import MetricFunction, name_cutoff, read_metrics
from pu_accessor.inference.settings import Beta, Settings
from pu_accessor.questions import estimates
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.estimates import cutoffs_needed
from pu_accessor.questions.request import Request, map_rankings
from pu_accessor.ranking import FloatArray, Ranking

# What errors call a cutoff that is marked: "at", or what it is given by.
_CALLED = re.compile(r"\bat(?= must|=)|^(rank|threshold|fraction)(?= must)")


@contextmanager
def _as_mark() -> Iterator[None]:
    """Call "mark" what errors of cutoffs call "at"."""
    try:
        yield
    except (PUTypeError, PUValueError) as error:
        raise type(error)(_CALLED.sub("mark", str(error))) from None


@_as_mark()
def ask_marks(
    tables: xr.Dataset,
    request: Request,
    curve: str,
    at: At | None,
    betas: Betas,
    settings: Settings,
    target: str,
) -> xr.Dataset:
    """Add to tables the points of a curve at some cutoffs, and what is written beside them.

    Of a ROC curve on new examples each point has its region, which holds both rates jointly.
    """
    if at is None:
        return tables
    cutoffs = read_cutoffs(at)
    rates, with_region = [*TRACES[curve][:2]], (curve, target) == ("roc", "population")
    each = settings.at_level(settings.level**0.5) if with_region else settings
    answers = estimates.metric(request, rates, betas, at, each, target)
    dims = _dims_of_curves(tables)
    shape = [*(tables.sizes[dim] for dim in dims), len(rates), -1]
    columns = ["estimate", "threshold", "lower", "upper"]
    points, thresholds, *limits = (answers[name].to_numpy().reshape(shape) for name in columns)
    names = _write_cutoffs(cutoffs, thresholds[..., 0, :])
    over = (*dims, "mark")
    marked = _mark(tables, over, points[..., 0, :], points[..., 1, :], names)
    if not with_region:
        return marked
    ends = np.moveaxis(np.concatenate(limits, axis=-2), -2, 0)
    sides = zip(("left", "bottom", "right", "top"), ends, strict=True)
    return marked.assign_coords({f"mark_{side}": (over, end) for side, end in sides})


@_as_mark()
def mark_tables(tables: xr.Dataset, curve: str, at: At | None) -> xr.Dataset:
    """Add to tables of a user the points of a curve at the last cutoffs that are reached."""
    if at is None:
        return tables
    cutoffs = _read_fixed("mark", read_cutoffs(at))
    values = [cutoff.value for cutoff in cutoffs]
    points = at_cutoffs(trace(tables, curve), **{cutoffs[0].kind: values}).sel(bound="estimate")
    dims = (*_dims_of_curves(tables), axis_of(points.dims))
    x, y = (points[rate].transpose(*dims).to_numpy() for rate in TRACES[curve][:2])
    return _mark(tables, (*dims[:-1], "mark"), x, y, _write_cutoffs(cutoffs, x))


def _dims_of_curves(tables: xr.Dataset) -> list[Hashable]:
    """Return the dimensions along which curves differ: groups and betas."""
    dims = tables[COUNTS[0]].dims
    return [dim for dim in dims if dim not in (axis_of(dims), "bound")]


def _mark(
    tables: xr.Dataset, dims: tuple[Hashable, ...], x: FloatArray, y: FloatArray, names: Any
) -> xr.Dataset:
    return tables.assign_coords(mark_x=(dims, x), mark_y=(dims, y), mark_name=(dims, names))


def _write_cutoffs(cutoffs: Sequence[Cutoff], thresholds: FloatArray) -> npt.NDArray[np.object_]:
    """Write cutoffs as they are asked for; the threshold of those that estimates choose."""
    if cutoffs[0].kind not in FIXED:
        written = [f"threshold {threshold:.3g}" for threshold in thresholds.ravel()]
        return np.array(written, dtype=object).reshape(thresholds.shape)
    names = [
        name_cutoff(cutoff).removeprefix(" among the ").removeprefix(" at ") for cutoff in cutoffs
    ]
    return np.broadcast_to(np.array(names, dtype=object), thresholds.shape)


def _read_fixed(argument: str, cutoffs: Sequence[Cutoff]) -> Sequence[Cutoff]:
    """Raise unless tables of a user have such cutoffs."""
    if cutoffs[0].kind in FIXED:
        return cutoffs
    raise PUValueError(
        f"{argument} must be a rank, a threshold or a fraction where tables are given, but "
        f"{cutoffs[0].kind!r} was passed. Ask the rows: df.pu finds such a cutoff."
    )


# One table


class Cells(NamedTuple):
    """The counts of one ranking at one cutoff."""

    value: FloatArray  # over (place, bound, beta)


def ask_cells(request: Request, betas: Betas, at: At, settings: Settings) -> xr.Dataset:
    """Bound the four counts at one cutoff of each ranking."""
    cutoff = read_at(at)
    if cutoff.kind == "maximum":
        raise PUValueError(
            "at must not be 'maximum' for a table, which has no one value that could be highest. "
            "Pass at='youden', a rank, or at={'threshold': 0.5}."
        )
    counts = read_metrics([_count_of(position) for position in range(len(COUNTS))], "metric")

    def question(ranking: Ranking, beta: Beta, own: Settings) -> Cells:
        bounded = [estimate(count, ranking, beta, own, "examples", cutoff) for count in counts]
        return Cells(np.stack([(each.lower, each.value, each.upper) for each in bounded]))

    betas, _ = betas.split(settings)
    rankings = request.rankings(cutoffs_needed(counts, cutoff), settings)
    results = map_rankings(request, rankings, question, betas, settings, clustered=True)
    cells = lay_out_curves(results, "place", {}).assign_coords(place=[*COUNTS])
    return cells.assign_attrs(cutoff=name_cutoff(cutoff))


def _count_of(position: int) -> MetricFunction:
    """Return the metric that is one of the counts itself."""

    def count(*table: FloatArray) -> FloatArray:
        return table[position]

    count.__name__ = COUNTS[position]
    return count


def cells_of_tables(tables: xr.Dataset, at: At) -> xr.Dataset:
    """Return the four counts at the last cutoff that is reached in tables of a user."""
    counts_of(tables)
    (cutoff,) = _read_fixed("at", [read_at(at)])
    selected = at_cutoffs(tables, **{cutoff.kind: cutoff.value})
    counts = [selected[name].sel(bound=BOUND) for name in COUNTS]
    cells = xr.concat(counts, pd.Index(COUNTS, name="place"), coords="minimal", compat="override")
    attrs = {**tables.attrs, "cutoff": name_cutoff(cutoff)}
    return cells.astype(np.float64).rename("value").to_dataset().assign_attrs(attrs)

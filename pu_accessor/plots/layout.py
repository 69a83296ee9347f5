"""Which curve gets which hue and which panel: a Dataset of many dimensions -> Axes or a grid."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import ceil
from typing import Any, Literal, NamedTuple, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Text
from seaborn import FacetGrid

from pu_accessor.errors import PUTypeError, PUValueError, suggestion
from pu_accessor.plots.artists import (
    Curve,
    Style,
    check_styles,
    count_curves,
    kept,
    legend_entries,
)
from pu_accessor.plots.names import tell_key, tell_panel, write_name
from pu_accessor.ranking import BoolArray
from pu_accessor.results.schema import AXIS, BOUND

__all__ = ["Drawing", "Legend", "Look", "draw_panels"]

Drawing: TypeAlias = Axes | FacetGrid
Values: TypeAlias = Mapping[str, Sequence[Hashable]]
Legend: TypeAlias = Literal["best", "lower right", "outside"]

_DARK_GREY = "0.25"
_ENTRIES = 3.6  # of a legend in an inch of height
_MANY = 8  # hues that a palette of distinct colours has; more get a continuous one, and space
_NAIVE = "β̂ = 0 (unlabeled as negative)"


class Look(NamedTuple):
    """How a picture looks: the same for all plots.

    Parameters
    ----------
    hue, col, row : str, optional
        The dimensions (or levels of a MultiIndex) that colours, columns and rows of panels tell
        apart.
    baseline : bool
        Whether to insist on the curve of beta = 0.
    ax : matplotlib Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon.

    Raises
    ------
    PUTypeError
        When checked: if artists do not take these properties.
    """

    hue: str | None = None
    col: str | None = None
    row: str | None = None
    baseline: bool = False
    ax: Axes | None = None
    line_kws: Style = None
    band_kws: Style = None

    def check(self) -> None:
        """Raise unless artists take the properties: before a figure is made."""
        check_styles(self.line_kws, self.band_kws)


class _Slice(NamedTuple):
    """One curve of a Dataset: where it stands along each dimension, and its values."""

    where: Mapping[str, Hashable]
    data: xr.Dataset

    @property
    def beta(self) -> float | None:
        """The one beta of the curve; none where it runs along beta."""
        return float(self.data["beta"]) if self.data["beta"].ndim == 0 else None


def draw_panels(
    dataset: xr.Dataset,
    draw: Callable[[Axes, list[Curve]], None],
    look: Look,
    *,
    along: str | None = None,
    legend: Legend = "best",
) -> Drawing:
    """Draw each curve of a Dataset in its panel and hue.

    Parameters
    ----------
    dataset : Dataset
        What is drawn is its first variable over `along`.
    draw : callable
        Draws some curves on Axes.
    look : Look
        What hues and panels tell apart, and where to draw.
    along : str, optional
        The dimension that a curve runs along: the cutoffs if not given.
    legend : {"best", "lower right", "outside"}, default "best"
        Where the legend stands.

    Returns
    -------
    matplotlib Axes or seaborn FacetGrid
        A grid where there are columns or rows.

    Raises
    ------
    PUValueError
        If a dimension or a bound is missing, or one dimension too many has no hue, column or row;
        if `ax` is given for a grid.
    PUTypeError
        If `ax` is no Axes.
    """
    along = _cutoffs(dataset) if along is None else along
    _check(dataset, along)
    slices = _slices(dataset, along)
    values = _values(slices)
    look = _assign(dataset, look, values)
    before = set(plt.get_fignums())
    try:
        if look.col or look.row:
            return _draw_grid(slices, draw, look, values)
        return _draw_axes(slices, draw, look, values, legend)
    except Exception:
        for number in set(plt.get_fignums()) - before:  # nobody has a use for half a picture
            plt.close(number)
        raise


def _cutoffs(dataset: xr.Dataset) -> str:
    """Return the dimension of the cutoffs; that of a single ranking where there is none."""
    return AXIS if AXIS in dataset.dims else "rank"


def _check(dataset: xr.Dataset, along: str) -> None:
    """Raise unless there are curves and a band for each."""
    dims = dict.fromkeys([along, "bound", "beta"])
    named = [dim for dim in dims if dim == AXIS or dim in dataset.coords]
    lacking = [dim for dim in dims if dim not in dataset.dims or dim not in named]
    bounds = [] if lacking else [b for b in BOUND if b not in dataset["bound"].to_numpy()]
    if lacking or bounds:
        raise PUValueError(
            f"A plot needs the dimensions {', '.join(dims)} with the bounds {[*BOUND]}, "
            f"but {lacking or bounds} is missing. {_keep(dataset, lacking)}"
        )
    betas = dataset["beta"].to_numpy()
    if betas.ndim == 1 and not 0 < betas.size == np.unique(betas).size:
        raise PUValueError(f"A plot needs each beta once, but there are {betas.tolist()}.")
    points = dataset["rank" if along == AXIS and "rank" in dataset.coords else along]
    steps = np.diff(points.transpose(..., along).to_numpy())
    # Rankings with cutoffs of their own repeat their last one.
    if points.sizes[along] < 2 or (steps < 0 if along == AXIS else steps <= 0).any():
        name = "rank" if along == AXIS else along
        advice = {
            "rank": "Make tables with ranks='breakpoints', or ds.sortby('rank').",
            "beta": "Pass several: beta=[0.1, 0.2, 0.3].",
            "threshold": "Pass several: thresholds=[0.1, 0.2, 0.3].",
            "bin": "Pass a larger number: bins=10.",
        }
        raise PUValueError(
            f"A plot needs two or more increasing {name}s, but there are {points.sizes[along]}: "
            f"{np.ravel(points)[:5].tolist()}. {advice[name]}"
        )


def _keep(dataset: xr.Dataset, lacking: list[str]) -> str:
    """Say how a dimension is kept, or comes back."""
    if lacking and lacking[0] in dataset.coords and lacking[0] != "bound":
        return f"Put it back: ds.expand_dims({lacking[0]!r})."
    return "Select with a list, which keeps the dimension."


def _slices(dataset: xr.Dataset, along: str) -> list[_Slice]:
    """Take a Dataset apart into curves, without what has no value."""
    drawn = next(name for name, variable in dataset.data_vars.items() if along in variable.dims)
    dims = [str(dim) for dim in dataset[drawn].dims if dim not in (along, "bound")]
    dims.sort(key=lambda dim: dim == "beta")  # models first
    slices = []
    for position in np.ndindex(*(dataset.sizes[dim] for dim in dims)):
        place = dict(zip(dims, position, strict=True))
        data = dataset.isel(place)
        there = _have_value(data[drawn].transpose("bound", along))
        if along == AXIS and "rank" in data.coords:  # without the repeats of the last cutoff
            there &= np.diff(data["rank"].to_numpy(), prepend=-1) > 0
        if there.any():
            slices.append(_Slice(_where(dataset, place), data.isel({along: kept(there)})))
    if not slices:
        raise PUValueError(f"There is nothing to draw: {drawn!r} has no value at all.")
    return slices


def _have_value(values: xr.DataArray) -> BoolArray:
    """Tell which points of a curve have a value at any bound."""
    there = np.zeros(values.shape[1], dtype=bool)
    for bound in values.to_numpy():
        there |= ~np.isnan(bound)
        if there.all():
            break
    return there


def _where(dataset: xr.Dataset, place: Mapping[str, int]) -> dict[str, Hashable]:
    """Return the value of each dimension, and of each level of a MultiIndex, at a place."""
    where: dict[str, Hashable] = {}
    for dim, position in place.items():
        if dim == "beta" and dataset["beta"].ndim > 1:  # each group has its own
            continue
        index = dataset.get_index(dim)
        where[dim] = index[position]
        if isinstance(index, pd.MultiIndex):
            where.update(zip(map(str, index.names), index[position], strict=True))
    # A missing key does not equal itself.
    return {name: "missing" if _is_missing(value) else value for name, value in where.items()}


def _is_missing(value: Hashable) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))  # type: ignore[call-overload]


def _values(slices: Sequence[_Slice]) -> dict[str, list[Hashable]]:
    """Return the values that curves have along each dimension; the naive beta is none of them."""
    several = len({one.beta for one in slices}) > 1
    values: dict[str, dict[Hashable, None]] = {}
    for one in slices:
        for name, value in one.where.items():
            found = values.setdefault(name, {})
            if not (name == "beta" and value == 0 and several):
                found[value] = None
    return {name: list(found) for name, found in values.items()}


def _assign(dataset: xr.Dataset, look: Look, values: Values) -> Look:
    """Check hue, col, row and ax, and take the one dimension that is left as hue."""
    asked = {name: getattr(look, name) for name in ("hue", "col", "row")}
    named = {name: dim for name, dim in asked.items() if dim is not None}
    _check_named(named, values)
    if not isinstance(look.ax, Axes | None):
        raise PUTypeError(
            f"ax must be a matplotlib Axes, but a {type(look.ax).__name__} was passed."
        )
    if look.ax is not None and (look.col or look.row):
        raise PUValueError(
            "ax must not be passed with col or row, which make a figure of their own. Leave it "
            "out, or leave these out: hue alone draws on it."
        )
    settled = _settled(dataset, set(named.values()))
    left = [name for name, found in values.items() if len(found) > 1 and name not in settled]
    if len(left) > (look.hue is None):
        raise PUValueError(
            f"Curves differ in {', '.join(left)}: hue, col and row must tell them apart. "
            f"{_tell_apart(left, [name for name in asked if name not in named])}"
        )
    return look._replace(hue=left[0]) if left else look


def _tell_apart(left: Sequence[str], free: Sequence[str]) -> str:
    """Say which arguments tell all curves apart, or that these are too few."""
    if len(left) > len(free):
        return f"Draw fewer: of {left[-1]} one at a time."
    written = ", ".join(f"{name}={dim!r}" for name, dim in zip(free, left, strict=False))
    return f"Pass {written}."


def _check_named(named: Mapping[str, str], values: Values) -> None:
    """Raise unless hue, col and row are dimensions, and different ones."""
    for name, dim in named.items():
        if not isinstance(dim, str) or dim not in values:
            by = f" For groups of rows, say so before: df.pu(by={dim!r})."
            raise PUValueError(
                f"{name} must be one of the dimensions {list(values)}, but {dim!r} was passed."
                f"{suggestion(dim, values) or by}"
            )
    if len(set(named.values())) < len(named):
        raise PUValueError(f"hue, col and row must be different, but {dict(named)} was passed.")


def _settled(dataset: xr.Dataset, named: set[str]) -> set[str]:
    """Return the names that need no hue any more: levels stand for their index, or it for them."""
    settled = set(named)
    for dim in dataset.dims:
        index = dataset.indexes.get(dim)
        if isinstance(index, pd.MultiIndex):
            levels = {str(name) for name in index.names}
            if levels & named:
                settled.add(str(dim))
            if str(dim) in named or not levels & named:
                settled |= levels
    return settled


def _draw_axes(
    slices: Sequence[_Slice],
    draw: Callable[[Axes, list[Curve]], None],
    look: Look,
    values: Values,
    legend: Legend,
) -> Axes:
    """Draw all curves on one Axes."""
    hues = len(values.get(str(look.hue), []))
    outside = legend == "outside" or hues > _MANY
    width, height = plt.rcParams["figure.figsize"]
    columns = _legend_columns(hues, height)
    if look.ax is None:  # with room for a long legend beside it
        size = (width + 1.5 * columns * outside, height)
        ax = plt.subplots(layout="constrained", figsize=size)[1]
    else:
        ax = look.ax
    draw(ax, _curves(slices, look.hue, values, count_curves(ax)))
    _add_legend(ax, _title(look, values), "outside" if outside else legend, columns)
    return ax


def _legend_columns(hues: int, height: float) -> int:
    """Return how many columns a legend beside Axes needs; bands and the like add three entries."""
    return ceil((hues + 3) / (_ENTRIES * height))


def _curves(slices: Sequence[_Slice], hue: str | None, values: Values, drawn: int) -> list[Curve]:
    """Give each curve a colour and a name, baselines last."""
    keys = values[hue] if hue else [None]
    colors = dict(zip(keys, _palette(hue, len(keys), drawn), strict=True))
    betas = {one.beta for one in slices}
    write_beta = _beta_writer(betas)
    by_model = hue not in (None, "beta") and len(keys) > 1
    naive = [
        one.beta == 0 and "beta" in one.where and (len(betas) > 1 or not by_model)
        for one in slices
    ]
    curves = []
    for one, is_baseline in zip(slices, naive, strict=True):
        key = one.where[hue] if hue else None
        color = colors[key] if by_model or not is_baseline else _DARK_GREY
        label = _NAIVE if is_baseline else _name(hue, key, one, write_beta)
        curves.append(Curve(one.data, color, label, is_baseline, naive.count(False) > 1, by_model))
    return sorted(curves, key=lambda curve: curve.is_baseline)


def _palette(hue: str | None, size: int, drawn: int) -> Sequence[Any]:
    """Return colours: betas from dark to light, to be told apart in grey.

    Anything else takes the next ones that are not on the Axes yet.
    """
    if hue == "beta" and size > 1:
        return list(sns.color_palette("flare" if drawn else "viridis", size))
    if drawn + size > _MANY:
        return list(sns.color_palette("husl", drawn + size)[drawn:])
    return list(sns.color_palette("colorblind", drawn + size)[drawn:])


def _beta_writer(betas: set[float | None]) -> Callable[[float | None], str]:
    """Return how to write betas, in as many digits as tell them apart."""
    numbers = [beta for beta in betas if beta is not None]
    digits = next(
        d for d in range(3, 18) if len({f"{beta:.{d}g}" for beta in numbers}) == len(numbers)
    )
    return lambda beta: "estimate" if beta is None else f"β̂ = {beta:.{digits}g}"


def _name(
    hue: str | None, key: Hashable, one: _Slice, write_beta: Callable[[float | None], str]
) -> str:
    """Return the name of a curve: that of its hue, with a beta of its own where it has one."""
    if hue in (None, "beta"):
        return write_beta(one.beta)
    own = one.beta is not None and "beta" not in one.where
    return f"{tell_key(key)}, {write_beta(one.beta)}" if own else tell_key(key)


def _title(look: Look, values: Values) -> str:
    """Say what the hues are, and the one beta that all have."""
    if look.hue in (None, "beta"):
        return ""
    betas = values.get("beta", [])
    alone = len(betas) == 1 and "beta" not in (look.col, look.row)
    hue = write_name(look.hue)
    return f"{hue} (β̂ = {betas[0]:g})" if alone else hue


def _add_legend(ax: Axes, title: str, legend: Legend, columns: int) -> None:
    """Put a legend on Axes, or beside them where it is long."""
    labels, handles = zip(*legend_entries([ax]), strict=True)
    place: dict[str, Any] = {"loc": legend}
    if legend == "outside":
        ax.set_anchor("W")  # beside the legend, where an aspect makes the Axes narrower
        place = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    ax.legend(
        handles,
        labels,
        title=title or None,
        ncols=columns,
        framealpha=0.8,
        edgecolor="none",
        **place,
    )


def _draw_grid(
    slices: Sequence[_Slice],
    draw: Callable[[Axes, list[Curve]], None],
    look: Look,
    values: Values,
) -> FacetGrid:
    """Draw a grid of panels with one legend."""
    order = {name: values[name] for name in (look.row, look.col) if name}
    cells = pd.DataFrame([{name: one.where[name] for name in order} for one in slices])
    wrap = not look.row and len(values[str(look.col)]) > 4
    with plt.rc_context({"text.parse_math": False}):  # it draws titles of its own at first
        grid = FacetGrid(
            cells,
            row=look.row,
            col=look.col,
            row_order=order.get(str(look.row)),
            col_order=order.get(str(look.col)),
            col_wrap=4 if wrap else None,
            height=3.2,
        )
    for text in grid.figure.findobj(Text):
        text.set_parse_math(True)
    curves = {id(curve.data): curve for curve in _curves(slices, look.hue, values, 0)}
    for key, ax in grid.axes_dict.items():
        wanted = dict(zip(order, key if len(order) == 2 else (key,), strict=True))
        inside = {id(one.data) for one in slices if _belongs(one, wanted)}
        if inside:
            draw(ax, [curve for place, curve in curves.items() if place in inside])
        ax.set_title(", ".join(tell_panel(name, value) for name, value in wanted.items()))
    drawn = next(ax for ax in grid.axes.flat if ax.get_xlabel())
    grid.set_axis_labels(drawn.get_xlabel(), drawn.get_ylabel())  # of the outer panels alone
    grid.add_legend(
        dict(legend_entries(list(grid.axes.flat))),
        title=_title(look, values),
        ncols=_legend_columns(
            len(values.get(str(look.hue), [])), float(grid.figure.get_figheight())
        ),
    )
    grid.tight_layout()
    return grid


def _belongs(one: _Slice, wanted: Mapping[str, Hashable]) -> bool:
    """Whether a curve belongs to a panel; a baseline belongs to those of all betas."""
    return all(
        one.where[name] == value or (name == "beta" and one.beta == 0)
        for name, value in wanted.items()
    )

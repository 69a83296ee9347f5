"""Arrays of many rankings -> one Dataset."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from pu_accessor.checks import Interval
from pu_accessor.datasets.schema import AXIS, BOUND, VARIABLES
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.settings import Settings
from pu_accessor.questions.request import Request, Results, describe
from pu_accessor.ranking import IntArray, Ranking

_BOUND = PandasIndex(pd.Index(BOUND, dtype=object), "bound")  # the same for all results

Array: TypeAlias = npt.NDArray[Any]


class Page(NamedTuple):
    """What one ranking has to say.

    Parameters
    ----------
    ranking : Ranking
        With the cutoffs of the arrays.
    arrays : dict of str to ndarray
        By the names of `VARIABLES`, over what these stand over, cutoffs first.
    """

    ranking: Ranking
    arrays: dict[str, Array]


def lay_out(results: Results[Page], data: Sequence[str], request: Request) -> xr.Dataset:
    """Lay the arrays of all rankings side by side."""
    if taken := [name for name in results.names if name in {*VARIABLES, AXIS}]:
        raise PUValueError(
            f"by, or a dimension, must not be called {taken[0]!r}, which has its meaning in the "
            f"result. Rename it first: df.rename(columns={{{taken[0]!r}: 'group'}})."
        )
    pages = [result.content for result in results.each]
    found = _single(results, pages) if not results.names else _side_by_side(results, pages)
    interval = None if results.betas is None else results.betas.shared_interval
    if "interval_beta" in found and interval is not None:  # the same for all
        inside = pages[0].arrays["interval_beta"]
        found["interval_beta"] = _variable("interval_beta", inside, AXIS)
    reference = results.settings.reference
    found["reference"] = _variable("reference", np.array(reference, dtype=object), AXIS)
    variables = {name: found[name] for name in data}
    others = {name: variable for name, variable in found.items() if name not in variables}
    tables = xr.Dataset(variables, _coordinates(others, results), _attributes(results, interval))
    template = request.template() if results.names else None
    return tables if template is None else _spread(tables, results.names, template)


def _attributes(results: Results[Page], interval: Interval | None) -> dict[str, Any]:
    """Tell a reader how the tables can be made again."""
    settings, rankings = results.settings, [result.content.ranking for result in results.each]
    odds = settings.selection_odds
    # A line for each group that was left out, as files hold no mapping.
    skipped = "\n".join(f"{group}: {why}" for group, why in results.skipped.items())
    return {
        "level": settings.level,
        "band": band_used(settings, rankings[0]),
        **({} if odds == 1 else {"selection_odds": odds}),
        "target": "examples",
        **_shared([ranking.columns for ranking in rankings]),
        **({} if interval is None else {"beta_interval": [*interval]}),
        **({"skipped": skipped} if skipped else {}),
    }


def band_used(settings: Settings, ranking: Ranking) -> str:
    """Return the name of the band that a ranking gets."""
    return "weighted" if ranking.weight is not None else band_name(settings.band)


def _ordinates(page: Page) -> dict[str, Array]:
    """Return a page's arrays, with what all pages have over the cutoffs."""
    ranking = page.ranking
    return {
        "rank": ranking.rank,
        "threshold": ranking.threshold,
        "known_positive": ranking.known_positive,
        **page.arrays,
    }


def _single(results: Results[Page], pages: Sequence[Page]) -> dict[str, xr.Variable]:
    """Return the variables of a single ranking."""
    (result,), (page,) = results.each, pages
    numbers = {} if result.about is None else describe(result.about)
    every = {**_ordinates(page), "beta": result.beta.values, **numbers}
    every |= _extent(pages, page.ranking.rank.size)
    return {name: _variable(name, np.asarray(array), "rank") for name, array in every.items()}


def _side_by_side(results: Results[Page], pages: Sequence[Page]) -> dict[str, xr.Variable]:
    """Return the variables of several rankings, a dimension of their keys first."""
    dim = _dim(results.names)
    arrays = [_ordinates(page) for page in pages]
    axis, ranks, place = _places(pages)
    found = {}
    for name in arrays[0]:
        if AXIS in VARIABLES[name].dims:
            stacked = place([some[name] for some in arrays])
        else:
            stacked = np.stack([some[name] for some in arrays])
        found[name] = _variable(name, stacked, axis, dim)
    if axis == "rank":
        found["rank"] = _variable("rank", ranks, axis)
    betas = np.stack([result.beta.values for result in results.each])
    found["beta"] = (
        _variable("beta", betas, axis, dim)
        if results.own_beta
        else _variable("beta", betas[0], axis)
    )
    numbers = [{} if result.about is None else describe(result.about) for result in results.each]
    for name in dict.fromkeys(name for some in numbers for name in some):
        own = np.array([some.get(name, np.nan) for some in numbers])
        found[name] = _variable(name, own, axis, dim)
    shared = _extent(pages, found["rank"].shape[-1])
    return found | {
        name: _variable(name, np.asarray(array), axis) for name, array in shared.items()
    }


def _places(
    pages: Sequence[Page],
) -> tuple[str, IntArray, Callable[[Sequence[Array]], Array]]:
    """Return the cutoffs' dimension, the ranks along it, and how arrays are put along it."""
    ranks = [page.ranking.rank for page in pages]
    extent = pages[0].ranking.extent
    if extent == "breakpoints":
        return AXIS, ranks[0], _padded
    if extent == "selected":  # the same for all, in the order asked for
        return "rank", ranks[0], np.stack
    shared = np.unique(np.concatenate(ranks))
    # A cutoff that a ranking does not have takes its last one at or before it.
    last = [np.searchsorted(own, shared, side="right") - 1 for own in ranks]
    return "rank", shared, lambda arrays: _gathered(arrays, last)


def _padded(arrays: Sequence[Array]) -> Array:
    """Stack arrays of different lengths; the shorter ones repeat what they end with."""
    shape = (len(arrays), max(len(array) for array in arrays), *arrays[0].shape[1:])
    stacked = np.empty(shape, arrays[0].dtype)
    for row, array in zip(stacked, arrays, strict=True):
        row[: len(array)] = array
        row[len(array) :] = array[-1]
    return stacked


def _gathered(arrays: Sequence[Array], places: Sequence[IntArray]) -> Array:
    """Stack what stands at some places of each array."""
    shape = (len(arrays), places[0].size, *arrays[0].shape[1:])
    stacked = np.empty(shape, arrays[0].dtype)
    for row, array, place in zip(stacked, arrays, places, strict=True):
        np.take(array, place, axis=0, out=row)
    return stacked


def _variable(name: str, array: Array, axis: str, *leading: str) -> xr.Variable:
    """Return a variable over what its name stands over."""
    meaning = VARIABLES[name]
    dims = [axis if dim == AXIS else dim for dim in meaning.dims]
    return xr.Variable((*leading, *dims), array, meaning.attrs)


def _extent(pages: Sequence[Page], size: int) -> dict[str, Any]:
    """Return the coordinates that say whether these are whole curves, and all cutoffs."""
    extent = pages[0].ranking.extent
    return {
        "n_cutoffs": np.int64(0 if extent == "selected" else size),
        "all_cutoffs": np.bool_(extent == "all"),
    }


def _shared(columns: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the names of columns that all rankings share."""
    return {
        role: name
        for role, name in columns[0].items()
        if all(other[role] == name for other in columns)
    }


def _dim(names: Sequence[str]) -> str:
    """Return the name of the keys' dimension."""
    dim = names[0] if len(names) == 1 else "group"
    while len(names) > 1 and dim in names:
        dim += "s"
    return dim


def _coordinates(found: dict[str, xr.Variable], results: Results[Page]) -> xr.Coordinates:
    """Make coordinates of variables, with an index along each dimension that has values."""
    keys = key_coordinates(results)
    along = {
        name: PandasIndex(pd.Index(found[name].to_numpy()), name)
        for name in ("rank", "beta", "interval_beta")
        if name in found and found[name].dims == (name,)
    }
    every = {**found, **_BOUND.create_variables(), **keys.variables}
    for name, index in along.items():
        every |= index.create_variables({name: found[name]})
    # Said outright: else xarray looks at each of them again, which takes as long as all the rest.
    return xr.Coordinates(every, {**keys.xindexes, **along, "bound": _BOUND})


def key_coordinates(results: Results[Any]) -> xr.Coordinates:
    """Return the coordinate of the keys: an index, or a MultiIndex of several levels."""
    names, keys = results.names, [result.key for result in results.each]
    if not names:
        return xr.Coordinates()
    dim = _dim(names)
    if len(names) > 1:
        tuples = cast("list[tuple[Any, ...]]", keys)
        levels = pd.MultiIndex.from_tuples(tuples, names=list(names))
        return xr.Coordinates.from_pandas_multiindex(levels, dim)
    return xr.Coordinates({dim: (dim, pd.Index(keys, tupleize_cols=False))})


def _spread(tables: xr.Dataset, names: Sequence[str], samples: xr.Dataset) -> xr.Dataset:
    """Give each level of the keys a dimension of its own, as the samples have.

    Not where groups have been left out: these have no place in the product any more.
    """
    shape = [samples.sizes[name] for name in names]
    dim = _dim(names)
    if tables.sizes[dim] < np.prod(shape):
        return tables

    def spread(variable: xr.Variable) -> xr.Variable:
        if dim not in variable.dims:
            return variable
        values = variable.to_numpy().reshape(*shape, *variable.shape[1:])
        return xr.Variable((*names, *variable.dims[1:]), values, variable.attrs)

    apart = {
        name: spread(variable)
        for name, variable in tables.variables.items()
        if name not in (dim, *names)
    }
    coords: list[Hashable] = [name for name in apart if name in tables.coords]
    foreign = [
        name
        for name, coord in samples.coords.items()
        if not coord.dims or not set(coord.dims) <= set(names) or name in VARIABLES
    ]
    return (
        xr.Dataset(apart, attrs=tables.attrs)
        .set_coords(coords)
        .assign_coords(samples.drop_vars(foreign).copy(deep=True).coords)
    )

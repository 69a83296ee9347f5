"""Arrays of many rankings -> one Dataset."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from pu_accessor.checks import Interval
from pu_accessor.datasets.schema import AXIS, BOUND, VARIABLES
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.questions.request import Request, Result, Results, describe
from pu_accessor.ranking import IntArray, Ranking

_BOUND = PandasIndex(pd.Index(BOUND, dtype=object), "bound")  # the same for all results

Array: TypeAlias = npt.NDArray[Any]


class Page(NamedTuple):
    """What one ranking has to say."""

    ranking: Ranking  # with the cutoffs of the arrays
    arrays: dict[str, Array]  # by the names of `VARIABLES`, over what these stand over


def lay_out(results: Results[Page], data: Sequence[str], request: Request) -> xr.Dataset:
    """Lay the arrays of all rankings side by side."""
    refuse_names(results.names, {*VARIABLES, AXIS})
    found = _stack(results)
    interval = None if results.betas is None else results.betas.shared_interval
    if "interval_beta" in found and interval is not None:  # the same for all
        inside = results.each[0].content.arrays["interval_beta"]
        found["interval_beta"] = _variable("interval_beta", inside, AXIS)
    reference = results.settings.reference
    found["reference"] = _variable("reference", np.array(reference, dtype=object), AXIS)
    variables = {name: found.pop(name) for name in data} | found
    # Coordinates at first: to merge data and coordinates takes longer than all else here.
    tables = _coordinates(variables, results).to_dataset().reset_coords(data)
    tables.attrs = _attributes(results, interval)
    return spread(tables, results.names, request)


def refuse_names(names: Sequence[str], taken: Iterable[str]) -> None:
    """Raise where a level of the keys is called as something else in the result."""
    if both := [name for name in names if name in {*taken}]:
        raise PUValueError(
            f"by, or a dimension, must not be called {both[0]!r}, which has its meaning in the "
            f"result. Rename it first: df.rename(columns={{{both[0]!r}: 'group'}})."
        )


def _attributes(results: Results[Page], interval: Interval | None) -> dict[str, Any]:
    """Tell a reader how the tables can be made again."""
    settings, rankings = results.settings, [result.content.ranking for result in results.each]

    def is_shared(role: str) -> bool:
        return len({ranking.columns[role] for ranking in rankings}) == 1

    return {
        "level": settings.level,
        "band": rankings[0].design or band_name(settings.band),
        **settings.failure,
        "target": "examples",
        **{role: name for role, name in rankings[0].columns.items() if is_shared(role)},
        **({} if interval is None else {"beta_interval": [*interval]}),
        **name_skipped(results),
    }


def name_skipped(results: Results[Any]) -> dict[str, str]:
    """Say in a line why each group was left out that was, as files hold no mapping."""
    skipped = "\n".join(f"{group}: {why}" for group, why in results.skipped.items())
    return {"skipped": skipped} if skipped else {}


def _stack(results: Results[Page]) -> dict[str, xr.Variable]:
    """Return the variables of all rankings; of several a dimension of their keys comes first."""
    dims = [_dim(results.names)] if results.names else []
    rankings = [result.content.ranking for result in results.each]
    axis, ranks, positions = _along_cutoffs(rankings, bool(dims))
    arrays = [_arrays_of(result) for result in results.each]
    found = {}
    for name in dict.fromkeys(chain.from_iterable(arrays)):
        own = [np.asarray(of_ranking.get(name, np.nan)) for of_ranking in arrays]
        if not dims:
            stacked = own[0]
        elif AXIS in VARIABLES[name].dims:
            stacked = _take(_lengthen(name, own), positions)
        else:
            stacked = np.stack(_lengthen(name, own))
        found[name] = _variable(name, stacked, axis, *dims)
    if axis == "rank":
        found["rank"] = _variable("rank", ranks, axis)
    if not results.own_beta:
        found["beta"] = _variable("beta", results.each[0].beta.values, axis)
    extent, cutoffs = rankings[0].extent, found["rank"].shape[-1]
    n_cutoffs = np.asarray(0 if extent == "selected" else cutoffs, np.int64)
    found["n_cutoffs"] = _variable("n_cutoffs", n_cutoffs, axis)
    found["all_cutoffs"] = _variable("all_cutoffs", np.asarray(extent == "all"), axis)
    return found


def _arrays_of(result: Result[Page]) -> dict[str, Any]:
    """Return the arrays of one ranking, with what all have over the cutoffs, and its numbers."""
    ranking, arrays = result.content
    names = "rank", "threshold", "known_positive"
    over_cutoffs = {name: getattr(ranking, name) for name in names}
    numbers = {} if result.about is None else describe(result.about)
    return {**over_cutoffs, **arrays, "beta": result.beta.values, **numbers}


def _along_cutoffs(
    rankings: Sequence[Ranking], several: bool
) -> tuple[str, IntArray, list[IntArray]]:
    """Return the cutoffs' dimension, the ranks along it, and the positions of each ranking."""
    ranks, extent = [ranking.rank for ranking in rankings], rankings[0].extent
    if not several or extent == "selected":  # the same for all, in the order asked for
        return "rank", ranks[0], [np.arange(ranks[0].size)] * len(ranks)
    if extent == "breakpoints":  # the shorter ones repeat what they end with
        every = np.arange(max(own.size for own in ranks))
        return AXIS, ranks[0], [np.minimum(every, own.size - 1) for own in ranks]
    shared = np.unique(np.concatenate(ranks))
    # A cutoff that a ranking does not have takes its last one at or before it.
    return "rank", shared, [np.searchsorted(own, shared, side="right") - 1 for own in ranks]


def _take(arrays: Sequence[Array], positions: Sequence[IntArray]) -> Array:
    """Stack what stands at some positions of each array."""
    shape = (len(arrays), positions[0].size, *arrays[0].shape[1:])
    dtype = np.result_type(*arrays)  # weights may be whole in some groups alone
    stacked = np.empty(shape, dtype)
    for row, array, of_ranking in zip(stacked, arrays, positions, strict=True):
        array = array.astype(dtype, copy=False)
        np.take(array, of_ranking, axis=0, out=row, mode="clip")  # which needs no buffer
    return stacked


def _lengthen(name: str, arrays: list[Array]) -> list[Array]:
    """Let all rankings have as many betas within an interval: shorter ones repeat the last."""
    if VARIABLES[name].dims[-1:] != ("interval_beta",):
        return arrays
    every = np.arange(max(array.shape[-1] for array in arrays))
    return [array.take(every, axis=-1, mode="clip") for array in arrays]


def _variable(name: str, array: Array, axis: str, *leading: str) -> xr.Variable:
    """Return a variable over what its name stands over."""
    meaning = VARIABLES[name]
    dims = [axis if dim == AXIS else dim for dim in meaning.dims]
    return xr.Variable((*leading, *dims), array, meaning.attrs, fastpath=True)


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
        name: PandasIndex(pd.Index(found[name].to_numpy(), name=name), name)
        for name in ("rank", "beta", "interval_beta")
        if name in found and found[name].dims == (name,)
    }
    every = {**found, **_BOUND.create_variables(), **keys.variables}
    for name, index in along.items():
        every |= index.create_variables({name: found[name]})
    # Said outright: else xarray looks at each of them again, which takes as long as all the rest.
    indexes = {**keys.xindexes, **along, "bound": _BOUND}
    return xr.Coordinates(every, {name: indexes[name] for name in every if name in indexes})


def key_coordinates(results: Results[Any]) -> xr.Coordinates:
    """Return the coordinate of the keys: an index, or a MultiIndex of several levels."""
    names = results.names
    keys: list[Any] = [result.key for result in results.each]
    if not names:
        return xr.Coordinates()
    dim = _dim(names)
    if len(names) > 1:
        levels = pd.MultiIndex.from_tuples(keys, names=list(names))
        return xr.Coordinates.from_pandas_multiindex(levels, dim)
    return xr.Coordinates({dim: (dim, pd.Index(keys, tupleize_cols=False))})


def spread(tables: xr.Dataset, names: Sequence[str], request: Request) -> xr.Dataset:
    """Give each level of the keys a dimension of its own, where the samples have that.

    Not where groups have been left out: these have no place in the product any more.
    """
    samples = request.template() if names else None
    if samples is None:
        return tables
    shape = [samples.sizes[name] for name in names]
    dim = _dim(names)
    if tables.sizes[dim] < np.prod(shape):
        return tables

    def reshape(variable: xr.Variable) -> xr.Variable:
        if dim not in variable.dims:
            return variable
        values = variable.to_numpy().reshape(*shape, *variable.shape[1:])
        return xr.Variable((*names, *variable.dims[1:]), values, variable.attrs)

    apart = {
        name: reshape(variable)
        for name, variable in tables.variables.items()
        if name not in (dim, *names)
    }
    coords: list[Hashable] = [name for name in apart if name in tables.coords]
    foreign = [
        name
        for name, coord in samples.coords.items()
        if not coord.dims or not set(coord.dims) <= set(names) or name in {*VARIABLES, *apart}
    ]
    return (
        xr.Dataset(apart, attrs=tables.attrs)
        .set_coords(coords)
        .assign_coords(samples.drop_vars(foreign).copy(deep=True).coords)
    )

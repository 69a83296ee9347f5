"""Arrays of many rankings -> one Dataset."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from pu_accessor.datasets.schema import BOUND, CUTOFF_DIM, TABLE, VARIABLES
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import FloatArray, IntArray, Ranking

Array: TypeAlias = npt.NDArray[Any]

_BOUND = PandasIndex(pd.Index(BOUND, dtype=object), "bound")  # the same for all results


class RankingArrays(NamedTuple):
    """What one ranking has to say."""

    ranking: Ranking  # with the cutoffs of the arrays
    betas: FloatArray
    arrays: Mapping[str, Any]  # by the names of `VARIABLES`, over what these stand over


def build_dataset(
    names: Sequence[str],
    keys: Sequence[Hashable],
    pages: Sequence[RankingArrays],
    attrs: Mapping[str, Any],
    *,
    reference: str = "positives",
    own_beta: bool = False,
    points: int | None = None,
    template: xr.Dataset | None = None,
) -> xr.Dataset:
    """Lay the arrays of all rankings side by side."""
    if both := [name for name in names if name in {*VARIABLES, CUTOFF_DIM}]:
        raise PUValueError(
            f"by, or a dimension, must not be called {both[0]!r}, which has its meaning in the "
            f"result. Rename it first: df.rename(columns={{{both[0]!r}: 'group'}})."
        )
    variables = _stack(_dims_of(names), pages, own_beta)
    dims = variables["beta"].dims[-1:]
    if points is not None and points < variables["beta"].shape[-1]:
        inside = np.arange(variables["beta"].shape[-1]) >= points
        variables["inside"] = xr.Variable(dims, inside, VARIABLES["inside"].attrs)
    variables["reference"] = xr.Variable((), np.array(reference, dtype=object))
    data = [name for name in variables if VARIABLES[name].dims == TABLE]
    in_order = {name: variables.pop(name) for name in data} | variables
    # Coordinates at first: to merge data and coordinates takes longer than all else here.
    coords = _coordinates(in_order, names, keys)
    tables = coords.to_dataset().reset_coords(data)
    columns = [page.ranking.columns for page in pages]
    shared = {
        role: name for role, name in columns[0].items() if all(c[role] == name for c in columns)
    }
    tables.attrs = {**attrs, **shared}
    return tables if template is None else _spread(tables, names, template)


def _dims_of(names: Sequence[str]) -> list[str]:
    """Return the dimension of the keys, if there is one."""
    dim = names[0] if len(names) == 1 else "group"
    while len(names) > 1 and dim in names:
        dim += "s"
    return [dim] if names else []


def _stack(
    dims: list[str], pages: Sequence[RankingArrays], own_beta: bool
) -> dict[str, xr.Variable]:
    """Return the variables of all rankings; of several the dimension of their keys comes first."""
    rankings = [page.ranking for page in pages]
    axis, ranks, positions = _along_cutoffs(rankings, bool(dims))
    of_cutoffs = ("rank", "threshold", "known_positive")
    arrays = [
        {
            **{name: getattr(page.ranking, name) for name in of_cutoffs},
            **page.arrays,
            "beta": page.betas,
        }
        for page in pages
    ]
    found = {}
    for name in dict.fromkeys(name for of_ranking in arrays for name in of_ranking):
        own = [np.asarray(of_ranking.get(name, np.nan)) for of_ranking in arrays]
        if not dims:
            stacked = own[0]
        elif CUTOFF_DIM in VARIABLES[name].dims:
            stacked = _take(_lengthen(name, own), positions)
        else:
            stacked = np.stack(_lengthen(name, own))
        found[name] = _variable(name, stacked, axis, *dims)
    if axis == "rank":
        found["rank"] = _variable("rank", ranks, axis)
    if not own_beta:
        found["beta"] = _variable("beta", pages[0].betas, axis)
    extent, cutoffs = rankings[0].extent, found["rank"].shape[-1]
    found["rank"].attrs |= {"cutoffs": extent, "n_cutoffs": cutoffs * (extent != "selected")}
    return found


def _variable(name: str, array: Array, axis: str, *leading: str) -> xr.Variable:
    """Return a variable over what its name stands over."""
    meaning = VARIABLES[name]
    dims = [axis if dim == CUTOFF_DIM else dim for dim in meaning.dims]
    return xr.Variable((*leading, *dims), array, meaning.attrs, fastpath=True)


def _along_cutoffs(
    rankings: Sequence[Ranking], several: bool
) -> tuple[str, IntArray, list[IntArray]]:
    """Return the cutoffs' dimension, the ranks along it, and the positions of each ranking."""
    ranks, extent = [ranking.rank for ranking in rankings], rankings[0].extent
    if not several or extent == "selected":  # the same for all, in the order asked for
        return "rank", ranks[0], [np.arange(ranks[0].size)] * len(ranks)
    if extent == "breakpoints":  # the shorter ones repeat what they end with
        every = np.arange(max(own.size for own in ranks))
        return CUTOFF_DIM, ranks[0], [np.minimum(every, own.size - 1) for own in ranks]
    shared = np.unique(np.concatenate(ranks))
    # A cutoff that a ranking does not have takes its last one at or before it.
    return "rank", shared, [np.searchsorted(own, shared, side="right") - 1 for own in ranks]


def _take(arrays: Sequence[Array], positions: Sequence[IntArray]) -> Array:
    """TieBlocks what stands at some positions of each array."""
    shape = (len(arrays), positions[0].size, *arrays[0].shape[1:])
    dtype = np.result_type(*arrays)  # weights may be whole in some groups alone
    stacked = np.empty(shape, dtype)
    for row, array, of_ranking in zip(stacked, arrays, positions, strict=True):
        array = array.astype(dtype, copy=False)
        np.take(array, of_ranking, axis=0, out=row, mode="clip")  # which needs no buffer
    return stacked


def _lengthen(name: str, arrays: list[Array]) -> list[Array]:
    """Let all rankings have as many betas: shorter grids repeat their last one."""
    sizes = {array.shape[-1:] for array in arrays}
    if VARIABLES[name].dims[-1:] != ("beta",) or len(sizes) == 1:
        return arrays
    every = np.arange(max(max(size) for size in sizes))
    return [array.take(every, axis=-1, mode="clip") for array in arrays]


def _coordinates(
    found: dict[str, xr.Variable], names: Sequence[str], keys: Sequence[Any]
) -> xr.Coordinates:
    """Make coordinates of variables, with an index along each dimension that has values."""
    of_keys = xr.Coordinates()
    if len(names) == 1:
        of_keys = xr.Coordinates({names[0]: (names[0], pd.Index(keys, tupleize_cols=False))})
    elif names:
        levels = pd.MultiIndex.from_tuples(keys, names=list(names))
        of_keys = xr.Coordinates.from_pandas_multiindex(levels, *_dims_of(names))
    along = {
        name: PandasIndex(pd.Index(found[name].to_numpy(), name=name), name)
        for name in ("rank", "beta")
        if found[name].dims == (name,)
    }
    every = {**found, **_BOUND.create_variables(), **of_keys.variables}
    for name, index in along.items():
        every |= index.create_variables({name: found[name]})
    # Said outright: else xarray looks at each of them again, which takes as long as all the rest.
    indexes = {**of_keys.xindexes, **along, "bound": _BOUND}
    return xr.Coordinates(every, {name: indexes[name] for name in every if name in indexes})


def _spread(tables: xr.Dataset, names: Sequence[str], samples: xr.Dataset) -> xr.Dataset:
    """Give each level of the keys a dimension of its own, as the samples have it."""
    shape, (dim,) = [samples.sizes[name] for name in names], _dims_of(names)
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
    foreign = [
        name
        for name, coord in samples.coords.items()
        if not coord.dims or not set(coord.dims) <= set(names) or name in {*VARIABLES, *apart}
    ]
    return (
        xr.Dataset(apart, attrs=tables.attrs)
        .set_coords([name for name in apart if name in tables.coords])
        .assign_coords(samples.drop_vars(foreign).copy(deep=True).coords)
    )

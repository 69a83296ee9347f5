"""Join the arrays of many rankings in one Dataset."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from pu_accessor.datasets.schema import BOUND, CUTOFF_DIM, TABLE_DIMS, VARIABLES
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import FloatArray, IntArray, Ranking

Array: TypeAlias = npt.NDArray[Any]

_BOUND = PandasIndex(pd.Index(BOUND, dtype=object), "bound")  # shared by all results


class RankingArrays(NamedTuple):
    """The tables or curves of one ranking."""

    ranking: Ranking  # with the cutoffs of the arrays
    betas: FloatArray
    arrays: Mapping[str, Any]  # by the names of `VARIABLES`, with the dimensions of these


def build_dataset(
    names: Sequence[str],
    keys: Sequence[Hashable],
    pages: Sequence[RankingArrays],
    attrs: Mapping[str, Any],
    *,
    reference: str = "positives",
    own_beta: bool = False,  # of each ranking
    points: int | None = None,  # betas that come before those of an interval
    template: xr.Dataset | None = None,  # with the dimensions whose product the keys are
) -> xr.Dataset:
    """Join the arrays of all rankings."""
    if taken := [name for name in names if name in {*VARIABLES, CUTOFF_DIM}]:
        raise PUValueError(
            f"by, or a dimension, must not be called {taken[0]!r}, which is a name in the result. "
            f"Rename it first: df.rename(columns={{{taken[0]!r}: 'group'}})."
        )
    variables = _stack(_key_dims(names), pages, own_beta)
    dims = variables["beta"].dims[-1:]
    if points is not None and points < variables["beta"].shape[-1]:
        inside = np.arange(variables["beta"].shape[-1]) >= points
        variables["inside"] = xr.Variable(dims, inside, VARIABLES["inside"].attrs)
    variables["reference"] = xr.Variable((), np.array(reference, dtype=object))
    data = [name for name in variables if VARIABLES[name].dims == TABLE_DIMS]
    in_order = {name: variables.pop(name) for name in data} | variables
    # First all are coordinates: to merge data and coordinates takes longer than all else here.
    tables = _coordinates(in_order, names, keys).to_dataset().reset_coords(data)
    columns = [page.ranking.columns for page in pages]
    shared = {
        role: name for role, name in columns[0].items() if all(c[role] == name for c in columns)
    }
    tables.attrs = {**attrs, **shared}
    return tables if template is None else _unstack(tables, names, template)


def _key_dims(names: Sequence[str]) -> list[str]:
    """Return the dimension of the keys, if there is one."""
    dim = names[0] if len(names) == 1 else "group"
    while len(names) > 1 and dim in names:
        dim += "s"
    return [dim] if names else []


def _stack(
    dims: list[str], pages: Sequence[RankingArrays], own_beta: bool
) -> dict[str, xr.Variable]:
    """Return the variables of all rankings, the dimension of their keys first."""
    rankings = [page.ranking for page in pages]
    axis, ranks, positions = _align_cutoffs(rankings, bool(dims))
    own = ("rank", "threshold", "known_positive", "unlabeled")
    arrays: list[dict[str, Any]] = [
        {**{name: getattr(of, name) for name in own}, **of_ranking, "beta": betas}
        for of, betas, of_ranking in pages
    ]
    variables = {}
    for name in dict.fromkeys(name for of_ranking in arrays for name in of_ranking):
        each = [np.asarray(of_ranking.get(name, np.nan)) for of_ranking in arrays]
        if not dims:
            stacked = each[0]
        elif CUTOFF_DIM in VARIABLES[name].dims:
            padded = zip(_pad_betas(name, each), positions, strict=True)
            stacked = np.stack([array.take(at, axis=0, mode="clip") for array, at in padded])
        else:
            stacked = np.stack(_pad_betas(name, each))
        variables[name] = _variable(name, stacked, axis, *dims)
    if axis == "rank":
        variables["rank"] = _variable("rank", ranks, axis)
    if not own_beta:
        variables["beta"] = _variable("beta", pages[0].betas, axis)
    extent, cutoffs = rankings[0].extent, variables["rank"].shape[-1]
    variables["rank"].attrs |= {"cutoffs": extent, "n_cutoffs": cutoffs * (extent != "selected")}
    return variables


def _variable(name: str, array: Array, axis: str, *leading: str) -> xr.Variable:
    """Return a variable with the dimensions and attributes of its name."""
    spec = VARIABLES[name]
    dims = [axis if dim == CUTOFF_DIM else dim for dim in spec.dims]
    return xr.Variable((*leading, *dims), array, spec.attrs, fastpath=True)


def _align_cutoffs(
    rankings: Sequence[Ranking], several: bool
) -> tuple[str, IntArray, list[IntArray]]:
    """Return the cutoffs' dimension, the ranks along it, and the positions of each ranking."""
    ranks, extent = [ranking.rank for ranking in rankings], rankings[0].extent
    if not several or extent == "selected":  # the same for all
        return "rank", ranks[0], [np.arange(ranks[0].size)] * len(ranks)
    if extent == "breakpoints":  # shorter rankings repeat their last cutoff
        every = np.arange(max(own.size for own in ranks))
        return CUTOFF_DIM, ranks[0], [np.minimum(every, own.size - 1) for own in ranks]
    shared = np.unique(np.concatenate(ranks))
    # At other ranks a ranking repeats its last cutoff before.
    return "rank", shared, [np.searchsorted(own, shared, side="right") - 1 for own in ranks]


def _pad_betas(name: str, arrays: list[Array]) -> list[Array]:
    """Repeat the last beta of shorter grids."""
    sizes = {array.shape[-1:] for array in arrays}
    if VARIABLES[name].dims[-1:] != ("beta",) or len(sizes) == 1:
        return arrays
    every = np.arange(max(max(size) for size in sizes))
    return [array.take(every, axis=-1, mode="clip") for array in arrays]


def _coordinates(
    variables: dict[str, xr.Variable], names: Sequence[str], keys: Sequence[Any]
) -> xr.Coordinates:
    """Make coordinates of variables, with an index along each dimension that has values."""
    of_keys = xr.Coordinates()
    if len(names) == 1:
        of_keys = xr.Coordinates({names[0]: (names[0], pd.Index(keys, tupleize_cols=False))})
    elif names:
        levels = pd.MultiIndex.from_tuples(keys, names=list(names))
        of_keys = xr.Coordinates.from_pandas_multiindex(levels, *_key_dims(names))
    every = {**variables, **_BOUND.create_variables(), **of_keys.variables}
    indexes: dict[Any, Any] = {**of_keys.xindexes, "bound": _BOUND}
    for name in ("rank", "beta"):
        if variables[name].dims == (name,):
            indexes[name] = PandasIndex(pd.Index(variables[name].to_numpy(), name=name), name)
            every |= indexes[name].create_variables({name: variables[name]})
    # Without indexes xarray makes them again, which takes as long as all the rest.
    return xr.Coordinates(every, {name: indexes[name] for name in every if name in indexes})


def _unstack(tables: xr.Dataset, names: Sequence[str], samples: xr.Dataset) -> xr.Dataset:
    """Return tables with a dimension for each level of the keys, unless groups are left out."""
    shape, (dim,) = [samples.sizes[name] for name in names], _key_dims(names)
    if tables.sizes[dim] < np.prod(shape):
        return tables
    variables = {}
    for name, variable in tables.variables.items():
        if name in (dim, *names):
            continue
        if dim in variable.dims:
            values = variable.to_numpy().reshape(*shape, *variable.shape[1:])
            variable = xr.Variable((*names, *variable.dims[1:]), values, variable.attrs)
        variables[name] = variable
    others = [
        name
        for name, coord in samples.coords.items()
        if not coord.dims or not set(coord.dims) <= set(names) or name in {*VARIABLES, *variables}
    ]
    return (
        xr.Dataset(variables, attrs=tables.attrs)
        .set_coords([name for name in variables if name in tables.coords])
        .assign_coords(samples.coords.to_dataset().drop_vars(others).copy(deep=True).coords)
    )

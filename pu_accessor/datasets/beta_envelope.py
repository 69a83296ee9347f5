"""Tables at betas within an interval -> the lowest and highest of what is evaluated on them."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from pu_accessor.datasets.schema import COUNTS, SIDES

__all__ = ["ENVELOPE", "inner_tables", "widen"]

ENVELOPE = ("envelope_lower", "envelope_upper")


def inner_tables(tables: xr.Dataset, *, bends: bool = False) -> xr.Dataset | None:
    """Return the tables at betas within the interval, those of the points among them."""
    if "interval_tp" not in tables:
        return None
    inner = _bare(tables["interval_tp"]).rename(interval_bound="bound", interval_beta="beta")
    positives = _bare(tables["interval_positives"]).rename(interval_beta="beta")
    if bends:
        inner, positives = _with_bends(inner, positives, tables)
    points = {name: _points(tables[name], tables) for name in COUNTS}
    head, tail = (
        (points[one] + points[other]).isel(bound=0, beta=0)
        for one, other in (("tp", "fp"), ("fn", "tn"))
    )
    counts = {"tp": inner, "fp": head - inner, "fn": positives - inner}
    counts["tn"] = tail - counts["fn"]
    within = _are_within(tables)
    dims = [*(dim for dim in inner.dims if dim not in ("bound", "beta")), "bound", "beta"]
    found = {}
    for name, count in counts.items():
        parts = [count.transpose(*dims)]
        if within is not None:  # a point outside gives way to any within
            own = points[name].where(within, parts[0].isel(beta=0))
            parts.append(own.transpose(*dims).astype(count.dtype))
        found[name] = (dims, np.concatenate([part.to_numpy() for part in parts], axis=-1))
    sides = ("bound", SIDES)
    return xr.Dataset(found, coords={"bound": sides}, attrs=tables.attrs)


def widen(
    values: xr.DataArray,
    tables: xr.Dataset,
    evaluate: Callable[[xr.Dataset], xr.DataArray],
    *,
    bends: bool,
) -> xr.DataArray:
    """Add the envelope to what has been evaluated for each table."""
    inner = inner_tables(tables, bends=bends)
    if inner is None or "bound" not in values.dims:
        return values
    found = _bare(evaluate(inner))
    low, high = found.min(["bound", "beta"]), found.max(["bound", "beta"])
    # Of an error rate the lower bound on performance is the larger number.
    if float((found.isel(bound=1) - found.isel(bound=0)).sum()) < 0:
        low, high = high, low
    one = {"bound": 1, **({"beta": values.sizes["beta"]} if "beta" in values.dims else {})}
    ends = [end.expand_dims(one).transpose(*values.dims).to_numpy() for end in (low, high)]
    axis = values.get_axis_num("bound")
    data = np.concatenate([ends[0], values.to_numpy(), ends[1]], axis=axis)
    bounds = np.array([ENVELOPE[0], *values["bound"].to_numpy(), ENVELOPE[1]], dtype=object)
    kept = values.drop_vars("bound").isel(bound=[0] * bounds.size)
    return kept.copy(data=data).assign_coords(bound=("bound", bounds))


def _with_bends(
    inner: xr.DataArray, positives: xr.DataArray, tables: xr.Dataset
) -> tuple[xr.DataArray, xr.DataArray]:
    """Add the tables at which bounds bend to those of betas within the interval."""
    names = {"interval_bound": "bound", "interval_bend": "beta"}
    tp, there = (
        _bare(tables[f"interval_bend_{name}"]).rename(
            {old: new for old, new in names.items() if old in tables[f"interval_bend_{name}"].dims}
        )
        for name in ("tp", "positives")
    )
    return (
        xr.concat([inner, tp.transpose(*inner.dims)], "beta"),
        xr.concat([positives.broadcast_like(inner), there.transpose(*inner.dims)], "beta"),
    )


def _bare(array: xr.DataArray) -> xr.DataArray:
    """Return an array without coordinates: there is nothing to align."""
    return xr.DataArray(array.data, dims=array.dims)


def _points(counts: xr.DataArray, tables: xr.Dataset) -> xr.DataArray:
    """Return counts of the points at both bounds, with dimensions for bound and beta."""
    counts = _bare(counts)
    if "bound" in counts.dims:
        bounds = tables["bound"].to_numpy().tolist()
        there = [bounds.index(side) for side in SIDES if side in bounds]
        counts = counts.isel(bound=there if len(there) == len(SIDES) else [0])
    return counts.expand_dims([dim for dim in ("bound", "beta") if dim not in counts.dims])


def _are_within(tables: xr.Dataset) -> xr.DataArray | None:
    """Tell which points lie within the interval; None where bounds are not there."""
    if not set(SIDES) <= set(np.ravel(tables["bound"]).tolist()) or "beta" not in tables.coords:
        return None
    ends = _bare(tables["interval_beta"])
    betas = _bare(tables["beta"])
    betas = betas if "beta" in betas.dims else betas.expand_dims("beta")
    within: xr.DataArray = (betas >= ends.min("interval_beta")) & (
        betas <= ends.max("interval_beta")
    )
    return within

"""Derivatives of rates and counts by beta, for contingency tables that stand in a Dataset."""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from pu_accessor.datasets.lift import lift
from pu_accessor.datasets.schema import COUNTS, TOTALS, counts_of
from pu_accessor.errors import PUKeyError, PUValueError
from pu_accessor.inference.tables.contingency import Table
from pu_accessor.inference.tables.derivatives import Derivatives, Known
from pu_accessor.inference.tables.derivatives import beta_derivatives as differentiate

__all__ = ["beta_derivatives"]

_ROUNDED = 1  # by a half of an example, beta * unlabeled may be rounded otherwise
_NEEDED = ("beta", "clipped", "reference", "known_positive", *TOTALS)


def beta_derivatives(tables: xr.Dataset) -> xr.Dataset:
    """Return the derivatives of rates and counts by beta at each cutoff."""
    counts = counts_of(tables)
    _check(tables)
    above = tables["known_positive"]
    below = tables["known_negative"] if "known_negative" in tables.coords else 0 * above
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
    found = lift(_on_arrays, arrays, outputs=len(Derivatives._fields))
    rates = dict(zip(Derivatives._fields, found, strict=True))
    for name, rate in rates.items():
        rates[name] = rate.transpose(*counts[0].dims)
        rates[name].attrs = {"long_name": f"derivative of {name} by β̂"}
    inner = [name for name in ("interval_bound", "interval_beta") if name in tables.coords]
    return tables.drop_vars([*tables.data_vars, *inner]).assign(rates)


def _on_arrays(*arrays: Any) -> Any:
    """Differentiate plain arrays."""
    counts, clipped, known = arrays[:4], arrays[4], arrays[5:]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    spread = partial(np.broadcast_to, shape=shape)
    return tuple(
        differentiate(Table(*map(spread, counts)), spread(clipped), Known(*map(spread, known)))
    )


def _check(tables: xr.Dataset) -> None:
    """Raise unless these are tables that say where they come from."""
    missing = [name for name in _NEEDED if name not in tables.variables]
    if missing:
        raise PUKeyError(
            f"The Dataset must hold contingency tables as they were made, {[*COUNTS, *_NEEDED]}, "
            f"but {missing} are not among its variables. Ask for them first: "
            "df.pu.contingency(beta=0.3).pu.beta_derivatives().",
            page="results",
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
    _check_totals(tables)


def _check_totals(tables: xr.Dataset) -> None:
    """Raise where numbers of examples are those of other tables, as some ways to join leave them.

    Each beta says how many positives there are.
    """
    known, against, unlabeled = (tables[name] for name in TOTALS)
    latent = np.floor(tables["beta"] * unlabeled + 0.5)
    positives, negatives = known + latent, against + unlabeled - latent
    tp, fp, fn, tn = counts_of(tables)
    other = abs(tp + fn - positives).max() + abs(fp + tn - negatives).max()
    if other > _ROUNDED:
        raise PUValueError(
            f"The numbers of examples, {[*TOTALS]}, are not those of the tables: joining may "
            "have kept those of the first alone. Join them with "
            "xr.concat([ds, ds], 'model', coords='different', compat='equals')."
        )

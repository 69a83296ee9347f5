"""What checks of the assumptions look at, to be drawn: rank CDFs of waves, shares of strata."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.assemble import key_coordinates
from pu_accessor.datasets.schema import BOUND
from pu_accessor.datasets.slices import PLACE
from pu_accessor.questions.assumptions import Shares, Waves
from pu_accessor.questions.request import Results


def lay_out_waves(results: Results[Waves]) -> xr.Dataset:
    """Lay rank CDFs over waves and cutoffs; the three bounds of each are one."""
    parts = []
    for result in results.each:
        names, above, found = result.content
        value = np.repeat(found[:, np.newaxis], len(BOUND), axis=1)
        data = {"value": (("wave", "bound", PLACE), value), "above": (PLACE, above)}
        wave = pd.Index(names, tupleize_cols=False)
        parts.append(xr.Dataset(data, {"wave": wave, PLACE: np.arange(above.size)}))
    waves = _side_by_side(parts, results)
    no_beta = np.full(waves.sizes[PLACE], np.nan)
    return waves.assign_coords(bound=BOUND, beta=(PLACE, no_beta))


def lay_out_strata(results: Results[Shares], level: float) -> xr.Dataset:
    """Lay the known share of strata over places; the bounds are what chance leaves."""
    parts = []
    for result in results.each:
        names, known, most, cap = result.content
        bounds = np.stack([0 * most, np.broadcast_to(known, most.shape), most])
        data = {"value": (("bound", "beta", PLACE), bounds), "cap": ("beta", cap)}
        coords = {PLACE: pd.Index(names, dtype=object, tupleize_cols=False)}
        beta = np.arange(cap.size) if results.own_beta else result.beta.values
        parts.append(xr.Dataset(data, {**coords, "beta": beta}))
    shares = _side_by_side(parts, results)
    if results.own_beta:
        dims = (*key_coordinates(results).sizes, "beta")
        betas = np.stack([result.beta.values for result in results.each])
        shares = shares.assign_coords(beta=(dims, betas))
    shares = shares.assign(name=(PLACE, shares[PLACE].to_numpy())).assign_attrs(level=level)
    return shares.assign_coords({PLACE: np.arange(shares.sizes[PLACE]), "bound": BOUND})


def _side_by_side(parts: Sequence[xr.Dataset], results: Results[Any]) -> xr.Dataset:
    """Put the Datasets of rankings along the dimension of their keys."""
    keys = key_coordinates(results)
    if not results.names:
        return parts[0]
    dim = next(iter(keys.sizes))
    together: xr.Dataset = xr.concat(parts, dim=dim, join="outer", data_vars="all")
    return together.assign_coords(keys)

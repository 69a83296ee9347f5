"""How areas, metrics and the order of models depend on beta."""

from itertools import pairwise

import numpy as np
import xarray as xr

from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError
from pu_accessor.inference.metrics import Metric, area, metric
from pu_accessor.ranking import FloatArray

__all__ = ["crossings", "infeasible", "values_by_beta"]


def values_by_beta(
    tables: xr.Dataset,
    name: str | Metric,
    *,
    at: int | None = None,
    whole: xr.Dataset | None = None,
) -> xr.Dataset:
    """Evaluate an area, or a metric at a rank, at each beta of some tables.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn` over (rank, bound, beta) and any other dimensions.
    name : str or callable
        "roc" or "pr" for the area under that curve; or a metric.
    at : int, optional
        The rank of a metric; one that the tables have.
    whole : Dataset, optional
        Tables at the breakpoints, to judge what is infeasible, where `tables` hold one cutoff.

    Returns
    -------
    Dataset
        `value` (float64) over the dimensions of the tables but rank, betas ascending, and
        `infeasible` (bool) over the same but bound: see `infeasible`.

    Raises
    ------
    PUKeyError
        If `tables` holds no tables.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed, tables lack cutoffs or the rank.
    """
    if name in ("roc", "pr"):
        if at is not None:
            raise PUValueError(
                f"at must not be passed with the area under a curve, {name!r}, but {at!r} was: an "
                "area has no rank. Pass a metric, for example 'precision', or leave it out."
            )
        value = area(tables, str(name))
    else:
        values = metric(tables, name)
        value = _at_rank(values, at, tables["tp"] + tables["fp"])
    result = xr.Dataset(
        {"value": value, "infeasible": infeasible(tables if whole is None else whole)},
        attrs=value.attrs,
    )
    return result.sortby("beta") if result["beta"].ndim == 1 else result


def infeasible(tables: xr.Dataset) -> xr.DataArray:
    """Say at which betas the band itself is impossible at some cutoff: beta is too high.

    There all three bounds are clipped to the same table: even the lower bound has more latent
    positives in the head than there are unlabeled examples, or even the upper one fewer than must
    be there, as the tail is too small for the others. Either beta is too high, or labels are not a
    random sample of the positives.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn` and `clipped`.

    Returns
    -------
    DataArray
        bool, over the dimensions of the tables but rank and bound. False at a beta of 1, where all
        tables are clipped, feasible or not.
    """
    if "clipped" not in tables:
        raise PUKeyError(
            "Tables must say where they are clipped, but there is no 'clipped' among "
            f"{list(tables.data_vars)}. Make them with df.pu.contingency."
        )
    tp, negative = tables["tp"], tables["fp"] + tables["tn"]
    spread = tp.max("bound") > tp.min("bound")
    clipped = (tables["clipped"] == True).all("bound") & ~spread  # noqa: E712 -- or missing
    known = _known_negatives(tables)
    beyond = clipped & (negative.isel(bound=0, drop=True) > known)
    return beyond.any("rank").rename("infeasible")


def crossings(x: FloatArray, lead: FloatArray) -> tuple[float, ...]:
    """Return where the lead passes from one to the other: where the one that has it loses it.

    Parameters
    ----------
    x : ndarray of float64, shape (points,)
        Non-decreasing.
    lead : ndarray of float64, shape (points,)
        By how much the first is ahead; straight between points, 0 where they are level.

    Returns
    -------
    tuple of float
        Ascending.

    Examples
    --------
    >>> crossings(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, -1.0, 0.0, 2.0]))
    (0.5, 2.0)
    """
    leading = np.flatnonzero(lead)
    found = []
    for here, there in pairwise(leading.tolist()):
        if (lead[here] > 0) == (lead[there] > 0):
            continue
        if there > here + 1:  # level from the next point on
            found.append(float(x[here + 1]))
        else:
            share = lead[here] / (lead[here] - lead[there])
            found.append(float(x[here] + share * (x[there] - x[here])))
    return tuple(found)


def _at_rank(values: xr.DataArray, at: int | None, head: xr.DataArray) -> xr.DataArray:
    """Select a rank."""
    if at is None:
        raise PUValueError(
            f"at must be the rank of the metric {values.name!r}, a number of examples predicted "
            "positive, but None was passed. Pass for example at=100."
        )
    if isinstance(at, bool) or not isinstance(at, int | np.integer):
        raise PUTypeError(f"at must be an integer, a rank, but {at!r} was passed.")
    there = "rank" in values.dims and at in values["rank"].to_numpy()
    if there and values.attrs.get("ranks") == "breakpoints":
        there = bool((head.sel(rank=at) == at).all())  # of several, some may have no cutoff there
    if not there:
        raise PUValueError(
            f"at must be a rank of the tables, but {at!r} is none. Make them there: "
            f"df.pu.contingency(..., ranks={at!r})."
        )
    return values.sel(rank=at, drop=True)


def _known_negatives(tables: xr.Dataset) -> xr.DataArray:
    """Return the number of known negatives, by group where there are groups."""
    if "n_known_negative" in tables.coords:
        return tables["n_known_negative"]
    return xr.DataArray(tables.attrs.get("n_known_negative", 0))

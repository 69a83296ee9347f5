"""Cutoffs and known examples beside tables are theirs, or those of others, which is an error.

Some ways to join keep the coordinates of the first table alone. Thresholds cannot be told from
counts; but they go with the known examples at each cutoff, and these can.
"""

import numpy as np
import xarray as xr

from pu_accessor.errors import PUValueError
from pu_accessor.results.schema import COUNTS

__all__ = ["check_beside"]

_TOTALS = ("n_known_positive", "n_known_negative")
_EXACT = 2.0**52  # products of counts that are no larger are whole numbers in float64, too


def check_beside(tables: xr.Dataset) -> None:
    """Raise where cutoffs or known examples are those of other tables.

    Parameters
    ----------
    tables : Dataset
        With numbers. Those in chunks are not looked at, nor what lacks known examples.

    Raises
    ------
    PUValueError
        If ranks are not numbers of predicted positives, there are more known examples than
        predicted ones, or the estimate does not follow from the known ones.
    """
    there = tables.variables
    if not {*COUNTS} <= {*there} or any(there[name].chunks is not None for name in COUNTS):
        return
    tp, fp, fn, tn = (there[name] for name in COUNTS)
    wrong = []
    if "rank" not in tables.dims and _stands(tables, ["rank"]):
        wrong.append(tp + fp != there["rank"])
    for hit, missed, seen, of in (
        (tp, fn, "known_positive", "n_known_positive"),
        (tn, fp, "known_negative", "n_known_negative"),
    ):
        if _stands(tables, [seen, of]):
            behind = there[of] - there[seen]
            above, below = (there[seen], behind) if hit is tp else (behind, there[seen])
            wrong += [hit < above, missed < below]
            if _follows(tables, "positives" if hit is tp else "negatives"):
                wrong.append(_elsewhere(tables, hit - above, missed - below, above, there[of]))
    empty = (tp + fp).isnull()
    if any((one & ~empty).any() for one in wrong):
        raise PUValueError(
            "Cutoffs, thresholds or known examples are not those of the tables: joining may have "
            "kept those of the first alone. Join them with "
            "xr.concat(..., coords='different', compat='equals')."
        )


def _stands(tables: xr.Dataset, names: list[str]) -> bool:
    """Tell whether there are such coordinates, over dimensions of the tables."""
    there, dims = tables.variables, {*tables["tp"].dims}
    return all(name in there and {*there[name].dims} <= dims for name in names)


def _follows(tables: xr.Dataset, reference: str) -> bool:
    """Tell whether the estimate is that of a random sample of known examples, without weights."""
    names = {"reference", "bound"}
    if not names <= {*tables.variables} or "n_effective" in tables.variables:
        return False
    if "bound" not in tables["tp"].dims or not _stands(tables, ["clipped"]):
        return False
    references = {*np.ravel(tables["reference"].to_numpy()).tolist()}
    bounds = tables["bound"]
    return references == {reference} and bounds.ndim == 1 and "estimate" in bounds.to_numpy()


def _elsewhere(
    tables: xr.Dataset,
    hit: xr.Variable,
    missed: xr.Variable,
    seen: xr.Variable,
    of: xr.Variable,
) -> xr.Variable:
    """Tell where the estimate is not what the known examples say, nor clipped, nor at a bound."""
    latent = hit + missed
    if not (of > 0).all() or float((2.0 * seen * latent).max()) > _EXACT:
        return xr.Variable((), False)
    claimed = (2 * seen * latent + of) // (2 * of)
    bounds = tables["bound"].to_numpy().tolist()
    at = {name: {"bound": bounds.index(name)} for name in bounds}
    one, other = hit.isel(at["estimate"]), claimed.isel(at["estimate"])
    clipped = tables["clipped"].variable.isel(at["estimate"], missing_dims="ignore")
    differ = (one < other) | (one > other)  # not where one is missing
    differ = differ & (clipped == False)  # noqa: E712 -- or missing
    for name in {"lower", "upper"} & {*at}:
        differ = differ & (one != hit.isel(at[name]))
    return differ

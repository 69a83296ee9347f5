"""Cutoffs and known examples beside tables are theirs, or those of others, which is an error.

Some ways to join keep the coordinates of the first table alone. Thresholds cannot be told from
counts; but they go with the known examples at each cutoff, and these mostly can.
"""

import xarray as xr

from pu_accessor.datasets.schema import COUNTS
from pu_accessor.errors import PUValueError

__all__ = ["check_beside"]


def check_beside(tables: xr.Dataset) -> None:
    """Raise where cutoffs or known examples are those of other tables."""
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
    empty = (tp + fp).isnull()
    if any((one & ~empty).any() for one in wrong):
        raise PUValueError(
            "Cutoffs, thresholds or known examples are not those of the tables: joining may have "
            "kept those of the first alone. Join them with "
            "xr.concat([ds, ds], 'model', coords='different', compat='equals')."
        )


def _stands(tables: xr.Dataset, names: list[str]) -> bool:
    """Tell whether there are such coordinates, over dimensions of the tables."""
    there, dims = tables.variables, {*tables["tp"].dims}
    return all(name in there and {*there[name].dims} <= dims for name in names)

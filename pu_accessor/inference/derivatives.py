"""How fast rates change with beta."""

import numpy as np
import xarray as xr

from pu_accessor.errors import PUKeyError, PUValueError
from pu_accessor.inference.tables import COUNTS

__all__ = ["sensitivity"]


def sensitivity(tables: xr.Dataset) -> xr.Dataset:
    """Return the derivatives of rates by beta at each cutoff ([1]_, Appendix B, corrected).

    What the band says, T, is held fixed: the share of the latent positives in the head, or, from
    known negatives, that of the latent negatives there.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, `clipped` and the known examples at each cutoff.

    Returns
    -------
    Dataset
        `tpr`, `fpr` and `precision` (float64, per unit of beta) over the dimensions of `tp`. 0
        where clipped, NaN where a rate has no denominator, and for the bounds where nothing is
        latent, as there is no T.

    Raises
    ------
    PUKeyError
        If `tables` lacks a variable.
    PUValueError
        If its reference is "both": bounds that have something from either have no derivative of
        their own.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    """
    _check(tables)
    tp, fp, fn, tn = (tables[name] for name in COUNTS)
    head, positives, negatives = tp + fp, tp + fn, fp + tn
    known, unlabeled = _total(tables, "n_known_positive"), _total(tables, "n_unlabeled")
    against = _total(tables, "n_known_negative")
    reference = tables.attrs["reference"]
    if reference == "tightest":
        from_positives = tables["tightest"] == "positives"
    else:
        from_positives = xr.DataArray(reference == "positives")
    above = tables["known_positive"]
    below = tables["known_negative"] if "known_negative" in tables.coords else xr.zeros_like(above)
    share = _where(
        from_positives,
        _share(tables, tp - above, positives - known, above, known),
        _share(tables, fp - below, negatives - against, below, against),
    )
    # With T fixed all counts are straight in beta: of U examples more that share is in the head.
    gains = {
        "tpr": _where(
            from_positives,
            share * known - above,
            share * (known + unlabeled) - (head - below),
        )
        / positives.where(positives > 0) ** 2,
        "fpr": _where(
            from_positives,
            head - above - share * (against + unlabeled),
            below - share * against,
        )
        / negatives.where(negatives > 0) ** 2,
        "precision": (share / head.where(head > 0)).where(head > 0, 0.0),
    }
    rates = {
        name: (gain * unlabeled)
        .where(~tables["clipped"].astype(bool), 0.0)
        .transpose(*tp.dims)
        .variable
        for name, gain in gains.items()
    }
    for name, rate in rates.items():
        rate.attrs = {"long_name": f"derivative of {name} by β̂"}
    inner = [name for name in ("interval_bound", "interval_beta") if name in tables.coords]
    return tables.drop_vars([*tables.data_vars, *inner]).assign(rates)


def _where(condition: xr.DataArray, one: xr.DataArray, other: xr.DataArray) -> xr.DataArray:
    """Return the one where a condition holds, elsewhere the other."""
    return one.where(condition, other)


def _share(
    tables: xr.Dataset,
    latent: xr.DataArray,
    hidden: xr.DataArray,
    above: xr.DataArray,
    known: xr.DataArray,
) -> xr.DataArray:
    """Return T: for the estimate the share of known examples of a kind that are in the head."""
    share = latent / hidden.where(hidden > 0)
    if "n_effective" in {*tables.attrs, *tables.coords}:  # known examples have weights
        return share
    return _where(tables["bound"] == "estimate", above / known.where(known > 0), share)


def _total(tables: xr.Dataset, name: str) -> xr.DataArray:
    """Return a number of examples, by group where there are groups."""
    return tables[name] if name in tables.coords else xr.DataArray(tables.attrs[name])


def _check(tables: xr.Dataset) -> None:
    """Raise unless these are tables that say where they come from."""
    needed = [*COUNTS, "clipped", "known_positive"]
    missing = [name for name in needed if name not in tables.variables]
    if missing or "reference" not in tables.attrs:
        raise PUKeyError(
            f"The Dataset must hold contingency tables as they were made, but {missing} are not "
            "among its variables. Ask for them first: "
            "df.pu.contingency(beta=0.3).pu.sensitivity()."
        )
    if tables.attrs["reference"] == "both":
        raise PUValueError(
            "reference must not be 'both' for derivatives: bounds that have something from known "
            "positives and from known negatives have none of their own. Make tables with "
            "reference='tightest'."
        )
    if np.asarray(tables["bound"]).ndim != 1:
        raise PUValueError(
            "sensitivity needs the dimension bound. Select with a list, which keeps it: "
            "ds.sel(bound=['estimate'])."
        )

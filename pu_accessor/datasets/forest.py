"""Numbers of many models, side by side: a frame of them -> a Dataset over places."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import as_array
from pu_accessor.datasets.schema import BOUND
from pu_accessor.errors import PUTypeError, PUValueError, brief, nearest, suggestion
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.tables.rates import METRICS, Metric, check_metric, metric_name

__all__ = ["AREAS", "check_number", "name_number", "over_places"]

AREAS = {"auroc": "AUROC", "average_precision": "average precision"}


def check_number(
    quantity: str | Metric, at: At | None, band: object = "exact", reference: object = "positives"
) -> None:
    """Raise unless a number and its cutoff go together."""
    if isinstance(quantity, str) and quantity in AREAS:
        if at is not None:
            raise PUValueError(
                f"at must not be passed with {quantity!r}, which has no cutoff. Leave it out."
            )
        if (band, reference) != ("exact", "positives"):
            raise PUValueError(
                f"band and reference must be left out with {quantity!r}, which takes no band. "
                "They go with a metric at a cutoff."
            )
        return
    if nearest(quantity, [*METRICS, *AREAS]) in AREAS:
        raise PUValueError(
            f"quantity must be one of {[*AREAS]}, or a metric, but {brief(quantity)} was passed."
            f"{suggestion(quantity, AREAS)}"
        )
    check_metric(quantity)
    values: list[Any] = [*at.values()] if isinstance(at, Mapping) else [at]
    if at is None or any(as_array(value).ndim for value in values):
        raise PUValueError(
            f"at must say the one cutoff of {metric_name(quantity)!r}, but {brief(at)} was "
            "passed. Pass for example at=100 or at={'threshold': 0.5}."
        )


def name_number(quantity: str | Metric, at: At | None) -> tuple[str, str]:
    """Return the name of a number, and what its cutoff is in words.

    Examples
    --------
    >>> name_number("f1", 100), name_number("recall", {"fpr": 0.1})
    (('f1', ' among the top 100'), ('recall', ' at fpr 0.1'))
    """
    if isinstance(quantity, str) and quantity in AREAS:
        return AREAS[quantity], ""
    name = metric_name(quantity)
    if at == "youden":
        return name, " where informedness is highest"
    if at == "maximum":
        return name, ", at its maximum"
    given: Mapping[str, Any] = at if isinstance(at, Mapping) else {"rank": at}
    if "fraction" in given:
        return name, f" among the top {100 * given['fraction']:g}%"
    if "rank" in given:
        return name, f" among the top {given['rank']:,}"
    return name, "".join(f" at {kind} {value:g}" for kind, value in given.items())


def over_places(
    found: pd.DataFrame, apart: Sequence[str | None], order: Sequence[Hashable] | None
) -> xr.Dataset:
    """Lay numbers out over places, one below the other, and what is told apart otherwise."""
    keys = [str(name) for name in found.columns[: list(found.columns).index("beta")]]
    aside = [key for key in keys if key in apart]
    listed = [key for key in keys if key not in aside]
    rows = found.assign(place=pd.Series(_tell_places(found, listed), found.index, dtype=object))
    names = _ordered(list(dict.fromkeys(rows["place"])), order, listed)
    rows = rows[rows["place"].isin(names)]
    own = bool(rows.groupby(["place", *aside], sort=False).size().max() == 1)
    own = own and not (rows["beta"] == rows["beta"].iloc[0]).all()
    index = ["place", *aside] if own else ["place", *aside, "beta"]
    table = rows.set_index(index)[[*BOUND]].to_xarray().sel(place=names)
    values = xr.concat([table[name] for name in BOUND], dim=pd.Index(BOUND, name="bound"))
    dataset = values.rename("value").to_dataset().assign_coords(place=np.arange(len(names)))
    if own:
        betas = dict(zip(rows["place"], rows["beta"], strict=True))
        dataset = dataset.assign_coords(beta=("place", [betas[name] for name in names]))
    told = np.empty(len(names), dtype=object)  # some are tuples
    told[:] = names
    level, target = rows["level"].iloc[0], rows["target"].iloc[0]
    named: xr.Dataset = dataset.assign(name=("place", told))
    return named.assign_attrs(level=level, target=target)


def _tell_places(found: pd.DataFrame, listed: Sequence[str]) -> list[Hashable]:
    """Return the key of each row: of one column as it is, of several as a tuple."""
    if not listed:
        return [""] * len(found)
    if len(listed) == 1:
        return list(found[listed[0]])
    return list(zip(*(found[name] for name in listed), strict=True))


def _ordered(
    names: Sequence[Hashable], order: Sequence[Hashable] | None, listed: Sequence[str]
) -> list[Hashable]:
    """Return keys in the order that was asked for."""
    if order is None:
        return [*names]
    try:  # one more than there are is enough to see that some are wrong
        asked: list[Hashable] = (
            [order] if isinstance(order, str) else [*islice(order, len(names) + 1)]
        )
    except TypeError as error:
        raise PUTypeError(
            f"order must be a list of keys of {', '.join(listed) or 'groups'}, but "
            f"{brief(order)} was passed. Leave it out for the order of the rows."
        ) from error
    known = {*names}
    wrong = [key for key in asked if not pd.api.types.is_hashable(key) or key not in known]
    if wrong or not asked or len({*asked}) < len(asked):
        raise PUValueError(
            f"order must hold keys of {', '.join(listed) or 'groups'}, each once, but "
            f"{brief(wrong or asked)} was passed. There are {brief([*names])}."
        )
    return asked

"""A beta for all groups, or one for each."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import Beta, as_array, as_betas
from pu_accessor.errors import PUError, PUKeyError, PUTypeError, PUValueError, brief, shorten
from pu_accessor.inference.estimates.joint import BetaRange
from pu_accessor.ranking import FloatArray

__all__ = [
    "Estimated",
    "GroupBeta",
    "KeyBetas",
    "alike",
    "beta_by_key",
    "check_beta",
    "is_by_key",
    "name_group",
    "split_key",
    "value_by_key",
    "with_baseline",
]

GroupBeta: TypeAlias = Beta | Mapping[Any, float] | pd.Series | pd.DataFrame | xr.DataArray


@runtime_checkable
class Estimated(Protocol):
    """Estimates of beta that have been read: see `pu_accessor.questions.ranges`."""

    def by_key(self, names: Sequence[str], keys: Sequence[Hashable]) -> "KeyBetas":
        """Return the beta of each ranking, with its interval."""


class KeyBetas(NamedTuple):
    """The beta of each key, whether each has its own, and its interval where there is one."""

    own: bool
    values: list[FloatArray]
    ranges: list[BetaRange] | None = None


def check_beta(beta: GroupBeta | Estimated) -> None:
    """Raise what can be said of beta before the keys are known."""
    if isinstance(beta, Estimated):
        return
    if isinstance(beta, pd.DataFrame):
        raise PUTypeError(
            "beta must be a number here, or one for each group, but a frame was passed. Take its "
            "point: beta=found['beta'].item(); for groups found.set_index('site')['beta'].",
            page="many_models#a-beta-for-each-group",
        )
    if not is_by_key(beta):
        as_betas(cast("Beta", beta))
    elif isinstance(beta, Mapping):
        for key, value in beta.items():
            _check((), key, value)


def with_baseline(beta: GroupBeta) -> GroupBeta:
    """Add the naive beta of 0 where it is not there."""
    if is_by_key(beta):
        raise PUValueError(
            "baseline=True needs the same betas for all groups, but each has its own. Draw one "
            "group after the other: df[df['site'] == 'a'].pu.plot_roc(0.3, baseline=True, ax=ax)."
        )
    betas = as_betas(cast("Beta", beta))
    return betas if (betas == 0).any() else np.concatenate([[0.0], betas])


def beta_by_key(
    beta: GroupBeta | Estimated, names: Sequence[str], keys: Sequence[Hashable]
) -> KeyBetas:
    """Return the beta of each key."""
    if isinstance(beta, Estimated):
        return beta.by_key(names, keys)
    table = _table(beta, names, keys)
    if table is None:
        return KeyBetas(False, [as_betas(cast("Beta", beta))] * len(keys))
    found = value_by_key("beta", table, names, keys)
    return KeyBetas(
        True, [_check(names, key, value) for key, value in zip(keys, found, strict=True)]
    )


def value_by_key(
    name: str, table: Mapping[Hashable, Any], names: Sequence[str], keys: Sequence[Hashable]
) -> list[Any]:
    """Return what an argument has for each key."""
    if not names:
        what = {"beta": "a number or an array of numbers", "beta_interval": "a pair of numbers"}
        raise PUTypeError(
            f"{name} must be {what[name]} where rows are not ranked apart, but one for each of "
            f"{len(table)} keys was passed. Name the column of these keys, df.pu(by='site'), or "
            "pass "
            f"{what[name].split(' or ')[0]}."
        )
    table = {alike(key): value for key, value in table.items()}
    found = _for_all_models(table, names, keys)
    if missing := [key for key in keys if alike(key) not in found]:
        raise PUKeyError(
            f"{name} must have a value for each key, but has none for "
            f"[{shorten(map(brief, missing))}]; its keys are [{shorten(map(brief, table))}].",
            page="many_models#a-beta-for-each-group",
        )
    return [found[alike(key)] for key in keys]


def is_by_key(beta: object) -> bool:
    """Tell a beta for each key from one, or several, that all share."""
    if isinstance(beta, xr.DataArray):
        return not set(beta.dims) <= {"beta"}
    return isinstance(beta, Mapping | pd.Series)


def split_key(names: Sequence[str], key: Hashable) -> tuple[Hashable, ...]:
    """Return a key's value for each name."""
    return (key,) if len(names) == 1 else cast("tuple[Hashable, ...]", key)


def name_group(names: Sequence[str], key: Hashable) -> str:
    """Say which group it is, for messages.

    Examples
    --------
    >>> name_group(["model", "fold"], ("svm", 1))
    "group model='svm', fold=1"
    """
    pairs = zip(names, split_key(names, key), strict=True)
    return "group " + ", ".join(f"{name}={value!r}" for name, value in pairs)


def _table(
    beta: GroupBeta, names: Sequence[str], keys: Sequence[Hashable]
) -> Mapping[Hashable, Any] | None:
    """Return the values by key, or nothing where one beta is for all."""
    if isinstance(beta, Mapping):
        return beta
    if isinstance(beta, pd.Series):
        if not beta.index.is_unique:
            twice = beta.index[beta.index.duplicated()].tolist()
            raise PUValueError(
                f"beta must have each key once, but has {twice[:5]} twice or more.",
                page="many_models#a-beta-for-each-group",
            )
        return dict(beta.items())
    if isinstance(beta, xr.DataArray) and is_by_key(beta):
        return _from_array(beta, names, keys)
    return None


def _from_array(
    beta: xr.DataArray, names: Sequence[str], keys: Sequence[Hashable]
) -> dict[Hashable, Any]:
    """Select a value for each key, the same along the dimensions that the array does not have."""
    if more := [str(dim) for dim in beta.dims if dim not in names]:
        raise PUTypeError(
            f"beta must have dimensions of the keys, {list(names)}, but also has {more}. For "
            "betas that all groups share, pass an array without names.",
            page="many_models#a-beta-for-each-group",
        )
    values = [dict(zip(names, split_key(names, key), strict=True)) for key in keys]
    for dim in map(str, beta.dims):
        _check_labels(beta, dim, list(dict.fromkeys(value[dim] for value in values)))
    table = {}
    for key, value in zip(keys, values, strict=True):
        try:
            table[key] = beta.sel({dim: value[str(dim)] for dim in beta.dims}).item()
        except KeyError:
            continue  # said by the caller
    return table


def _check_labels(beta: xr.DataArray, dim: str, found: list[Hashable]) -> None:
    """Raise unless a value can be looked up along a dimension."""
    index = beta.indexes.get(dim)
    if index is None and found != list(range(beta.sizes[dim])):
        raise PUValueError(
            f"beta must have coordinates along {dim!r}, to find the value of each key. Give it "
            f"those of the keys: beta.assign_coords({dim}=...).",
            page="many_models#a-beta-for-each-group",
        )
    if index is not None and not index.is_unique:
        raise PUValueError(
            f"beta must have each coordinate along {dim!r} once, but "
            f"{index[index.duplicated()].tolist()[:5]} are there twice or more."
        )


def _for_all_models(
    found: dict[Hashable, Any], names: Sequence[str], keys: Sequence[Hashable]
) -> dict[Hashable, Any]:
    """Give all models of a group its value, where keys of groups alone are there."""
    if len(names) < 2 or names[-1] != "model" or any(alike(key) in found for key in keys):
        return found
    groups = {key: split_key(names, key)[:-1] for key in keys}
    own = {key: group[0] if len(group) == 1 else group for key, group in groups.items()}
    return found | {
        alike(key): found[alike(group)] for key, group in own.items() if alike(group) in found
    }


def alike(key: Hashable) -> Hashable:
    """Return a key that equals itself, also where it is missing."""
    if isinstance(key, tuple):
        return tuple(map(alike, key))
    return None if pd.api.types.is_scalar(key) and pd.isna(key) else key  # type: ignore[call-overload]


def _check(names: Sequence[str], key: Hashable, value: Any) -> FloatArray:
    """Raise unless a key has one number, which is a share."""
    if as_array(value).ndim:
        raise PUTypeError(
            f"beta must have one number for each key, but {key!r} has {value!r}. For several "
            "betas that all groups share, pass an array.",
            page="many_models#a-beta-for-each-group",
        )
    try:
        return as_betas(value)
    except PUError as error:
        group = name_group(names, key) if names else f"group {key!r}"
        raise type(error)(f"{group}: {error}") from error

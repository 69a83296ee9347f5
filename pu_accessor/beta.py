"""Beta as a user passes it: numbers, by group, an interval, or an estimate with its error."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, isnan
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
import xarray as xr

from pu_accessor.checks import as_array, as_betas, check_level
from pu_accessor.errors import (
    PUDataError,
    PUError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    brief,
    shorten,
)
from pu_accessor.ranking import Counts, FloatArray

UserBeta: TypeAlias = (
    npt.ArrayLike
    | Mapping[Any, float]
    | pd.Interval
    | Mapping[Any, pd.Interval]
    | pd.Series
    | pd.DataFrame
    | xr.DataArray
)
Interval: TypeAlias = tuple[float, float]
_GRID_STEP, _MIN_GRID_STEPS = 0.01, 8  # of betas within an interval
_DIVISORS_NEAR_ZERO = np.array([64, 32, 16, 8, 4, 2])  # of the first step, near 0
_MAX_BETA = 1 - 1e-6  # of a limit: at 1 nothing is negative, and few metrics exist
_GRID_SHARES = np.array([0.25, 0.5, 0.75])  # of the range of feasible betas
_ESTIMATE_COLUMNS = ("beta", "lower", "upper", "level")
_OTHER_COLUMNS = ("reason", "method", "n", "n_unlabeled", "n_positive", "n_labeled")


class Beta(NamedTuple):
    """The betas of one ranking: numbers, an interval, or an estimate with its interval."""

    values: FloatArray  # numbers, the middle of an interval, or the point of an estimate
    interval: Interval | None = None  # of possible or estimated betas
    level: float | None = None  # of the interval of an estimate; None: no estimate
    is_upper_limit: bool = False  # the point is the largest feasible beta, all below are possible
    n: int | None = None  # known positives of the estimate
    unlabeled: int | None = None  # examples of the estimate

    @property
    def is_estimate(self) -> bool:
        """Whether beta has an error, which results include."""
        return self.level is not None

    @property
    def point(self) -> float:
        """The first of its values."""
        return float(self.values[0])

    @property
    def lower(self) -> float:
        """The smallest possible beta."""
        return self.point if self.interval is None else self.interval[0]

    @property
    def upper(self) -> float:
        """The largest possible beta."""
        return self.point if self.interval is None else self.interval[1]

    def within(self) -> FloatArray:
        """Return its values, then a grid of its interval."""
        if self.interval is None:
            return self.values
        inside = np.minimum(betas_within(self.interval), max(self.point, _MAX_BETA))
        return np.concatenate([self.values, np.setdiff1d(inside, self.values)])

    def grid(self, level: float) -> FloatArray:
        """Return the betas of a joint result: the point, then a grid of its interval."""
        if self.level is None:
            return self.within()
        point, (lower, upper) = self.point, self._limits_at((1 + level) / 2)
        upper = min(upper, max(point, _MAX_BETA))
        inside = lower + _GRID_SHARES * (point - lower)
        if not self.is_upper_limit or point <= lower:
            inside = np.empty(0)
        return np.concatenate([[point, lower, upper], inside])

    def at_level(self, level: float) -> Beta:
        """Return an estimate with the interval of another level."""
        lower, upper = self._limits_at(level if self.is_upper_limit else (1 + level) / 2)
        return self._replace(interval=(lower, min(upper, 1.0)), level=level)

    def _limits_at(self, share: float) -> Interval:
        """Return the limits at another quantile of the normal distribution."""
        level = self.level or 0.0
        stated = level if self.is_upper_limit else (1 + level) / 2
        scale = scipy.special.ndtri(share) / max(scipy.special.ndtri(stated), 1e-9)
        down = (1.0 if self.is_upper_limit else scale) * (self.point - self.lower)
        return max(self.point - down, 0.0), self.point + scale * (self.upper - self.point)

    def check_counts(self, total: Counts) -> None:
        """Raise if an estimate is missing, or of other examples."""
        if self is NOT_ESTIMATED:
            raise PUDataError("beta is NaN, as its estimate failed. Pass a number.")
        for name, estimated_from, examples in (
            ("known positives", self.n, total.known_positive),
            ("unlabeled examples", self.unlabeled, total.unlabeled),
        ):
            if estimated_from is not None and estimated_from != examples:
                raise PUValueError(
                    f"beta must be estimated from these rows, which have {examples} {name}, but "
                    f"its estimate has {estimated_from}. Estimate it from the same rows: "
                    "df.pu.estimate_beta(), or beta_from_labels with their n_unlabeled."
                )


def betas_within(interval: Interval) -> FloatArray:
    """Return a grid of an interval with both ends, finer near 0."""
    low, high = interval
    steps = max(ceil(round((high - low) / _GRID_STEP, 9)), _MIN_GRID_STEPS)
    # Rounded, so that no beta is repeated because of its last digit.
    between = np.linspace(low, high, steps + 1)[1:-1]
    if low < _GRID_STEP:  # where bounds are not linear in beta
        between = np.append(low + (high - low) / steps / _DIVISORS_NEAR_ZERO, between)
    inside = [float(f"{share:.12g}") for share in between]
    return np.unique(np.clip([low, *inside, high], low, high))


NO_BETA = Beta(np.empty(0))
NOT_ESTIMATED = Beta(np.full(1, np.nan))  # of a group whose estimate failed


@dataclass(frozen=True, eq=False)
class Betas:
    """The betas of all rankings: the same for all, or one for each key."""

    shared: Beta | None = NO_BETA
    by_key: Mapping[Any, Beta] | xr.DataArray | None = None
    levels: tuple[str, ...] | None = None  # of the keys of estimates
    level: float | None = None  # of the intervals of estimates

    @property
    def kind(self) -> str:
        """Points, an interval or an estimate."""
        if self.level is not None:
            return "estimate"
        each = self.by_key.values() if isinstance(self.by_key, Mapping) else [self.shared]
        return "interval" if any(one is not None and one.interval for one in each) else "points"

    @property
    def estimate(self) -> Beta | None:
        """The estimate for all rankings together."""
        return None if self.level is None else self.shared

    def of(self, names: Sequence[str], keys: Sequence[Hashable]) -> list[Beta]:
        """Return the beta of each key."""
        if self.by_key is None:
            return [cast("Beta", self.shared)] * len(keys)
        by_key, levels = self.by_key, self.levels
        if isinstance(by_key, xr.DataArray):
            levels = tuple(map(str, by_key.dims))
            by_key = _read_array(by_key, names, keys)
        if levels is not None:
            by_key = _select(by_key, levels, names, keys)
        values = _look_up(by_key, names, keys)
        return [_read_value(names, key, value) for key, value in zip(keys, values, strict=True)]

    def split(self, level: float) -> tuple[Betas, float]:
        """Return betas and the level left to rankings, halving the error if necessary."""
        if self.level is None:
            return self, level
        if self.level > level:
            return self, round(1 - (self.level - level), 12)
        half = round((1 + level) / 2, 12)
        if self.shared is not None:
            return replace(self, shared=self.shared.at_level(half), level=half), half
        estimates = cast("Mapping[Any, Beta]", self.by_key).items()
        moved = {key: one.at_level(half) if one.level else one for key, one in estimates}
        return replace(self, by_key=moved, level=half), half

    def with_baseline(self) -> Betas:
        """Return these with beta = 0, first unless there is an interval."""
        if self.shared is None:
            raise PUValueError(
                "baseline=True needs the same betas for all groups, but each has its own. Draw "
                "one group at a time: df[df['site'] == 'a'].pu.plot_roc(0.3, "
                "baseline=True, ax=ax)."
            )
        values = self.shared.values
        if (values == 0).any():
            return self
        both = [0.0, *values] if self.shared.interval is None else [*values, 0.0]
        return replace(self, shared=self.shared._replace(values=np.array(both)))


def read_betas(beta: UserBeta | None) -> Betas:
    """Return valid betas, from what a user passes."""
    if isinstance(beta, pd.DataFrame):
        return _read_estimates(beta)
    if isinstance(beta, pd.Interval):
        return Betas(_read_interval(beta))
    if isinstance(beta, xr.DataArray) and not set(beta.dims) <= {"beta"}:
        return Betas(None, beta)
    if isinstance(beta, pd.Series):
        if not beta.index.is_unique:
            twice = beta.index[beta.index.duplicated()].tolist()
            raise PUValueError(
                f"beta must have each key once, but {twice[:5]} are repeated. Keep one of each: "
                "beta[~beta.index.duplicated()]."
            )
        beta = dict(beta.items())
    if isinstance(beta, Mapping):
        return Betas(None, {key: _read_value((), key, value) for key, value in beta.items()})
    return Betas(Beta(as_betas(cast("npt.ArrayLike", beta))))


def _read_interval(interval: pd.Interval) -> Beta:
    """Return the betas of an interval; the point is the middle."""
    low, high = as_betas(np.unique([interval.left, interval.right]))[[0, -1]].tolist()
    return Beta(as_betas((low + high) / 2), (low, high))


def _read_estimates(beta: pd.DataFrame) -> Betas:
    """Return the estimates of a frame."""
    if missing := [name for name in _ESTIMATE_COLUMNS if name not in beta.columns]:
        raise PUKeyError(
            f"beta must be a number, or a frame with the columns {[*_ESTIMATE_COLUMNS]}, but "
            f"it lacks {missing}. df.pu.estimate_beta and beta_from_labels return one."
        )
    levels = tuple(
        str(name) for name in beta.columns if name not in (*_ESTIMATE_COLUMNS, *_OTHER_COLUMNS)
    )
    rows = beta.to_dict("records")
    estimates = {
        tuple(normalize_key(row[name]) for name in levels): _read_row(row)
        if row.get("reason") is None or pd.notna(row["beta"])
        else NOT_ESTIMATED
        for row in rows
    }
    if len(estimates) < len(beta) or not rows:
        raise PUValueError(
            f"beta must have one row for each key, but a frame of {len(beta)} rows with "
            f"{len(estimates)} different keys ({[*levels] or 'no column of keys'}) was passed. "
            "Keep the column of the groups."
        )
    stated, *others = sorted({one.level for one in estimates.values() if one.level is not None})
    if others:
        raise PUValueError(
            f"beta must have one level in all rows, but {[stated, *others]} was passed. Estimate "
            "all rows at the same level."
        )
    if levels:
        return Betas(None, estimates, levels, stated)
    return Betas(estimates[()], level=stated)


def _read_row(row: Mapping[Hashable, Any]) -> Beta:
    """Return the estimate of a row."""
    values, (point,) = as_betas(row["beta"]), as_betas(row["beta"]).tolist()
    lower, upper = as_betas(row["lower"]).item(), as_betas(row["upper"]).item()
    counts = (row.get(name) for name in ("n", "n_unlabeled"))
    n, unlabeled = (None if count is None or isnan(count) else int(count) for count in counts)
    within = min(lower, point), max(upper, point)
    is_upper_limit = row.get("method") == "feasible"
    return Beta(values, within, check_level(row["level"]), is_upper_limit, n, unlabeled)


def _look_up(
    values: Mapping[Any, Any], names: Sequence[str], keys: Sequence[Hashable]
) -> list[Any]:
    """Return the value of each key; models may share the value of their group."""
    if not names:
        raise PUTypeError(
            "beta must be a number or an array of numbers without groups, but one for each of "
            f"{len(values)} keys was passed. Name the column of these keys, df.pu(by='site'), or "
            "pass a number."
        )
    known = {normalize_key(key): value for key, value in values.items()}
    one_model = len(names) > 1 and names[-1] == "model"
    if one_model and not any(normalize_key(key) in known for key in keys):
        groups = {key: split_key(names, key)[:-1] for key in keys}
        known |= {
            normalize_key(key): known[group]
            for key, levels in groups.items()
            if (group := normalize_key(levels[0] if len(levels) == 1 else levels)) in known
        }
    if missing := [key for key in keys if normalize_key(key) not in known]:
        raise PUKeyError(
            "beta must have a value for each key, but has none for "
            f"[{shorten(map(brief, missing))}]; its keys are [{shorten(map(brief, values))}]."
        )
    return [known[normalize_key(key)] for key in keys]


def _select(
    values: Mapping[Any, Any],
    levels: Sequence[str],
    names: Sequence[str],
    keys: Sequence[Hashable],
) -> dict[Hashable, Any]:
    """Return the value of each key, by some of its levels."""
    if foreign := [level for level in levels if level not in names]:
        raise PUKeyError(
            f"beta must have one value, or one for each of the keys {[*names]}, but it has one "
            f"for each {foreign[0]!r}. Select some: of a frame beta[beta[{foreign[0]!r}] == ...]"
            f".drop(columns={foreign[0]!r}), of an array beta.sel({foreign[0]}=...)."
        )
    positions = [names.index(level) for level in levels]
    parts = {
        key: tuple(normalize_key(split_key(names, key)[position]) for position in positions)
        for key in keys
    }
    return {key: values[part] for key, part in parts.items() if part in values}


def _read_array(
    beta: xr.DataArray, names: Sequence[str], keys: Sequence[Hashable]
) -> dict[Hashable, Any]:
    """Return the values of an array by key; raise unless it has coordinates, each once."""
    for level, dim in enumerate(names):
        labels = [*dict.fromkeys(split_key(names, key)[level] for key in keys)]
        is_bare = dim in beta.dims and dim not in beta.indexes
        if (is_bare and labels != [*range(beta.sizes[dim])]) or (
            dim in beta.indexes and not beta.indexes[dim].is_unique
        ):
            raise PUValueError(
                f"beta must have coordinates along {dim!r}, each once, to find the value of each "
                f"key. Give it those of the keys: beta.assign_coords({dim}=...), or "
                f"beta.drop_duplicates({dim!r})."
            )
    levels = product(*(beta.get_index(dim) for dim in beta.dims))
    return dict(zip(map(normalize_key, levels), beta.to_numpy().ravel().tolist(), strict=True))


def _read_value(names: Sequence[str], key: Hashable, value: Any) -> Beta:
    """Return the beta of one key."""
    if isinstance(value, Beta):
        return value
    if not isinstance(value, pd.Interval) and as_array(value).ndim:
        raise PUTypeError(
            f"beta must have one number for each key, but {key!r} has {value!r}. For several "
            "betas that all groups share, pass an array."
        )
    try:
        return _read_interval(value) if isinstance(value, pd.Interval) else Beta(as_betas(value))
    except PUError as error:
        group = name_group(names, key) if names else f"group {key!r}"
        raise type(error)(f"{group}: {error}") from error


def split_key(names: Sequence[str], key: Hashable) -> tuple[Hashable, ...]:
    """Return the levels of a key."""
    if not names:
        return ()
    return (key,) if len(names) == 1 else cast("tuple[Hashable, ...]", key)


def name_group(names: Sequence[str], key: Hashable) -> str:
    """Return the name of a group, for messages."""
    pairs = zip(names, split_key(names, key), strict=True)
    return "group " + ", ".join(f"{name}={value!r}" for name, value in pairs)


def normalize_key(key: Any) -> Hashable:
    """Return a key with None for missing levels, as NaN does not equal itself."""
    if isinstance(key, tuple):
        return tuple(map(normalize_key, key))
    missing = pd.api.types.is_scalar(key) and pd.isna(key)
    return None if missing else cast("Hashable", key)

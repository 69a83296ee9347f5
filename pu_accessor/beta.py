"""Beta as a user says it: numbers, by group, an interval, or an estimate with its error."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
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
_STEP, _MIN_STEPS = 0.01, 8  # of betas within an interval
_NEAR_ZERO = np.array([64, 32, 16, 8, 4, 2])  # parts of the first step, near 0
_HIGHEST = 1 - 1e-6  # of a limit on beta: at 1 nothing is negative, and little has a value
_BETWEEN = np.array([0.25, 0.5, 0.75])  # of the way where any beta may be the true one
_ESTIMATE = ("beta", "lower", "upper", "level")
_NO_KEYS = ("reason", "method", "n", "n_unlabeled", "n_positive", "n_labeled")
# What limits of other methods give is an estimate.
_LIMITS = {"feasible": "upper", "two_sided": "both"}
_BY_GROUP = "many_models#a-beta-for-each-group"
_WITH_ERROR = "beta#with-its-error"


class Beta(NamedTuple):
    """The betas at which one ranking is asked; or where one varies, or how far it can be off."""

    values: (
        FloatArray  # at which answers are given; the middle of an interval, an estimate's point
    )
    interval: Interval | None = None  # within which beta varies, or is estimated to lie
    level: float | None = None  # at which the interval of an estimate holds; None: no estimate
    limits: str = "none"  # ends that say what is feasible: none, upper or both
    n: int | None = None  # known positives that the estimate is about
    unlabeled: int | None = None  # examples that it is about

    @property
    def is_estimate(self) -> bool:
        """Whether beta has an error, so that answers hold jointly with it."""
        return self.level is not None

    @property
    def kind(self) -> str:
        """What it is: points, an interval or an estimate."""
        return (
            "estimate" if self.is_estimate else "points" if self.interval is None else "interval"
        )

    @property
    def point(self) -> float:
        """The first of its values."""
        return float(self.values[0])

    @property
    def lower(self) -> float:
        """The least that it can be."""
        return self.point if self.interval is None else self.interval[0]

    @property
    def upper(self) -> float:
        """The most that it can be."""
        return self.point if self.interval is None else self.interval[1]

    def within(self) -> FloatArray:
        """Return its values, then a grid of what beta can be within its interval."""
        if self.interval is None:
            return self.values
        inside = np.minimum(betas_within(self.interval), max(self.point, _HIGHEST))
        return np.concatenate([self.values, np.setdiff1d(inside, self.values)])

    def grid(self, level: float) -> FloatArray:
        """Return the betas at which a joint answer is asked: the point, then where it may lie."""
        if self.level is None:
            return self.within()
        point, highest = self.point, max(self.point, _HIGHEST)
        lower, upper = self._limits_at((1 + level) / 2)
        upper = min(upper, highest)
        last = {"none": lower, "upper": point, "both": upper}[self.limits]
        between = lower + _BETWEEN * (last - lower) if last > lower else np.empty(0)
        return np.concatenate([[point, lower, upper], between])

    def at_level(self, level: float) -> Beta:
        """Return an estimate with the interval of another level."""
        lower, upper = self._limits_at(level if self.limits == "upper" else (1 + level) / 2)
        return self._replace(interval=(lower, min(upper, 1.0)), level=level)

    def _limits_at(self, share: float) -> Interval:
        level, upper_alone = self.level or 0.0, self.limits == "upper"
        stated = level if upper_alone else (1 + level) / 2
        scale = scipy.special.ndtri(share) / max(scipy.special.ndtri(stated), 1e-9)
        down = (1.0 if upper_alone else scale) * (self.point - self.lower)
        return max(self.point - down, 0.0), self.point + scale * (self.upper - self.point)

    def check_counts(self, total: Counts) -> None:
        """Raise if an estimate is about other examples than these, or there is none."""
        if self is NOT_ESTIMATED:
            raise PUDataError("beta has no value, as its estimate had none. Pass a number.")
        for name, estimated_from, examples in (
            ("known positives", self.n, total.known_positive),
            ("unlabeled examples", self.unlabeled, total.unlabeled),
        ):
            if estimated_from is not None and estimated_from != examples:
                raise PUValueError(
                    f"beta must be an estimate for these examples, which have {examples} {name}, "
                    f"but it is for {estimated_from}. Estimate it from the same rows: "
                    "df.pu.estimate_beta(), or beta_from_labels with their n_unlabeled.",
                    page=_WITH_ERROR,
                )


def betas_within(interval: Interval) -> FloatArray:
    """Return betas within an interval, both ends among them, closer together near 0.

    Examples
    --------
    >>> betas_within((0.2, 0.24)).tolist()
    [0.2, 0.205, 0.21, 0.215, 0.22, 0.225, 0.23, 0.235, 0.24]
    """
    low, high = interval
    steps = max(ceil(round((high - low) / _STEP, 9)), _MIN_STEPS)
    # In decimals, as printed: no beta shall be there twice for the sake of its last digit.
    between = np.linspace(low, high, steps + 1)[1:-1]
    if low < _STEP:  # where bounds are not straight in beta
        between = np.append(low + (high - low) / steps / _NEAR_ZERO, between)
    inside = [float(f"{share:.12g}") for share in between]
    return np.unique(np.clip([low, *inside, high], low, high))


NO_BETA = Beta(np.empty(0))
NOT_ESTIMATED = Beta(np.full(1, np.nan))  # of a group that has no answer


@dataclass(frozen=True, eq=False)
class Betas:
    """The betas of all rankings: the same for all, or each key's own."""

    shared: Beta | None = NO_BETA
    by_key: Mapping[Any, Any] | xr.DataArray | None = None  # numbers, intervals or `Beta`
    levels: tuple[str, ...] | None = None  # of keys that estimates have a row for
    level: float | None = None  # at which the intervals of estimates hold

    @property
    def kind(self) -> str:
        """What each is: points, an interval or an estimate."""
        if self.level is not None:
            return "estimate"
        if self.shared is not None:
            return self.shared.kind
        values = self.by_key.values() if isinstance(self.by_key, Mapping) else ()
        return "interval" if any(isinstance(v, pd.Interval) for v in values) else "points"

    @property
    def estimate(self) -> Beta | None:
        """The one estimate that is for all rankings together."""
        return None if self.level is None else self.shared

    def of(self, names: Sequence[str], keys: Sequence[Hashable]) -> list[Beta]:
        """Return the beta of each key."""
        if self.by_key is None:
            return [cast("Beta", self.shared)] * len(keys)
        by_key = self.by_key
        if isinstance(by_key, xr.DataArray):
            by_key = _select(by_key, names, keys)
        elif self.levels is not None:
            by_key = _select_estimates(by_key, self.levels, names, keys)
        found = _look_up(by_key, names, keys)
        return [_of_group(names, key, value) for key, value in zip(keys, found, strict=True)]

    def split(self, level: float) -> tuple[Betas, float]:
        """Return betas and a level between which the error is split, if need be in halves."""
        if self.level is None:
            return self, level
        half = round((1 + level) / 2, 12)
        if self.level <= level:
            return self._changed(lambda beta: beta.at_level(half), half), half
        return self, level_left(level, self.level)

    def with_baseline(self) -> Betas:
        """Return these after beta = 0; an interval's, or an estimate's, own beta stays first."""
        if self.shared is None:
            raise PUValueError(
                "baseline=True needs the same betas for all groups, but each has its own. Draw "
                "one group after the other: df[df['site'] == 'a'].pu.plot_roc(0.3, "
                "baseline=True, ax=ax)."
            )
        values = self.shared.values
        if (values == 0).any():
            return self
        both = [0.0, *values] if self.shared.interval is None else [*values, 0.0]
        return replace(self, shared=self.shared._replace(values=np.array(both)))

    def _changed(self, change: Callable[[Beta], Beta], level: float) -> Betas:
        if self.shared is not None:
            return replace(self, shared=change(self.shared), level=level)
        estimates = cast("Mapping[Any, Beta]", self.by_key)
        moved = {key: change(one) if one.level else one for key, one in estimates.items()}
        return replace(self, by_key=moved, level=level)


def level_left(level: float, beta_level: float) -> float:
    """Return the level that is left to the ranking, so that both statements hold at a level.

    Examples
    --------
    >>> level_left(0.95, 0.975)
    0.975
    """
    return round(1 - (beta_level - level), 12)


def read_betas(beta: UserBeta) -> Betas:
    """Read what a user passes as beta."""
    if isinstance(beta, pd.DataFrame):
        return _read_estimates(beta)
    if isinstance(beta, pd.Interval):
        return Betas(_read_interval(beta))
    if isinstance(beta, xr.DataArray) and not set(beta.dims) <= {"beta"}:
        return Betas(None, beta)
    if isinstance(beta, pd.Series):
        beta = _unique(beta)
    if isinstance(beta, Mapping):
        for key, value in beta.items():
            _of_group((), key, value)
        return Betas(None, beta)
    return Betas(Beta(as_betas(cast("npt.ArrayLike", beta))))


def _read_interval(interval: pd.Interval) -> Beta:
    """Return the beta that varies within an interval; its point is the middle."""
    low, high = as_betas(np.unique([interval.left, interval.right]))[[0, -1]].tolist()
    return Beta(as_betas((low + high) / 2), (low, high))


def _read_estimates(beta: pd.DataFrame) -> Betas:
    if missing := [name for name in _ESTIMATE if name not in beta.columns]:
        raise PUKeyError(
            f"beta must be a number, or a frame with the columns {[*_ESTIMATE]}, but it lacks "
            f"{missing}. df.pu.estimate_beta and beta_from_labels return one."
        )
    levels = tuple(str(name) for name in beta.columns if name not in (*_ESTIMATE, *_NO_KEYS))
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
            "Keep the column of the groups.",
            page=_WITH_ERROR,
        )
    stated, *others = sorted({one.level for one in estimates.values() if one.level is not None})
    if others:
        raise PUValueError(
            f"beta must hold at one level, but {[stated, *others]} was passed. Estimate all rows "
            "at the same level.",
            page=_WITH_ERROR,
        )
    if levels:
        return Betas(None, estimates, levels, stated)
    return Betas(estimates[()], level=stated)


def _read_row(row: Mapping[Hashable, Any]) -> Beta:
    values, (point,) = as_betas(row["beta"]), as_betas(row["beta"]).tolist()
    lower, upper = as_betas(row["lower"]).item(), as_betas(row["upper"]).item()
    n, unlabeled = (_as_count(row.get(name)) for name in ("n", "n_unlabeled"))
    within = min(lower, point), max(upper, point)
    limits = _LIMITS.get(str(row.get("method")), "none")
    return Beta(values, within, check_level(row["level"]), limits, n, unlabeled)


def _as_count(value: Any) -> int | None:
    return None if value is None or isnan(value) else int(value)


def _unique(values: pd.Series[Any]) -> dict[Hashable, Any]:
    if not values.index.is_unique:
        twice = values.index[values.index.duplicated()].tolist()
        raise PUValueError(
            f"beta must have each key once, but has {twice[:5]} twice or more.", page=_BY_GROUP
        )
    return dict(values.items())


def _look_up(
    values: Mapping[Any, Any], names: Sequence[str], keys: Sequence[Hashable]
) -> list[Any]:
    if not names:
        raise PUTypeError(
            "beta must be a number or an array of numbers where rows are not ranked apart, but "
            f"one for each of {len(values)} keys was passed. Name the column of these keys, "
            "df.pu(by='site'), or pass a number."
        )
    known = {normalize_key(key): value for key, value in values.items()}
    one_model = len(names) > 1 and names[-1] == "model"
    if one_model and not any(normalize_key(key) in known for key in keys):
        groups = {key: split_key(names, key)[:-1] for key in keys}  # models have their group's
        known |= {
            normalize_key(key): known[group]
            for key, levels in groups.items()
            if (group := normalize_key(levels[0] if len(levels) == 1 else levels)) in known
        }
    if missing := [key for key in keys if normalize_key(key) not in known]:
        raise PUKeyError(
            "beta must have a value for each key, but has none for "
            f"[{shorten(map(brief, missing))}]; its keys are [{shorten(map(brief, values))}].",
            page=_BY_GROUP,
        )
    return [known[normalize_key(key)] for key in keys]


def _select_estimates(
    estimates: Mapping[Any, Beta],
    levels: Sequence[str],
    names: Sequence[str],
    keys: Sequence[Hashable],
) -> dict[Hashable, Beta]:
    if foreign := [level for level in levels if level not in names]:
        each = f", or of a row for each of {[*names]}" if names else " where rows are one ranking"
        raise PUKeyError(
            f"beta must be a frame of one row{each}, but it has rows by {foreign[0]!r}, too. Pass "
            f"some of its rows: beta=found[found[{foreign[0]!r}] == ...]"
            f".drop(columns={foreign[0]!r}).",
            page=_WITH_ERROR,
        )
    places = [names.index(level) for level in levels]
    wanted = {
        key: tuple(normalize_key(split_key(names, key)[place]) for place in places) for key in keys
    }
    return {key: estimates[own] for key, own in wanted.items() if own in estimates}


def _select(
    beta: xr.DataArray, names: Sequence[str], keys: Sequence[Hashable]
) -> dict[Hashable, Any]:
    if more := [str(dim) for dim in beta.dims if dim not in names]:
        raise PUTypeError(
            f"beta must have dimensions of the keys, {list(names)}, but also has {more}. For "
            "betas that all groups share, pass an array without names.",
            page=_BY_GROUP,
        )
    parts = [dict(zip(names, split_key(names, key), strict=True)) for key in keys]
    for dim in map(str, beta.dims):
        _check_labels(beta, dim, list(dict.fromkeys(part[dim] for part in parts)))
    selected = {}
    for key, part in zip(keys, parts, strict=True):
        try:
            selected[key] = beta.sel({dim: part[str(dim)] for dim in beta.dims}).item()
        except KeyError:
            continue  # the caller says which keys have no value
    return selected


def _check_labels(beta: xr.DataArray, dim: str, wanted: list[Hashable]) -> None:
    index = beta.indexes.get(dim)
    if index is None and wanted != list(range(beta.sizes[dim])):
        raise PUValueError(
            f"beta must have coordinates along {dim!r}, to find the value of each key. Give it "
            f"those of the keys: beta.assign_coords({dim}=...).",
            page=_BY_GROUP,
        )
    if index is not None and not index.is_unique:
        raise PUValueError(
            f"beta must have each coordinate along {dim!r} once, but "
            f"{index[index.duplicated()].tolist()[:5]} are there twice or more."
        )


def _of_group(names: Sequence[str], key: Hashable, value: Any) -> Beta:
    if isinstance(value, Beta):
        return value
    if not isinstance(value, pd.Interval) and as_array(value).ndim:
        raise PUTypeError(
            f"beta must have one number for each key, but {key!r} has {value!r}. For several "
            "betas that all groups share, pass an array.",
            page=_BY_GROUP,
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
    """Say which group it is, for messages.

    Examples
    --------
    >>> name_group(["site", "model"], ("a", "svm"))
    "group site='a', model='svm'"
    """
    pairs = zip(names, split_key(names, key), strict=True)
    return "group " + ", ".join(f"{name}={value!r}" for name, value in pairs)


def normalize_key(key: Any) -> Hashable:
    """Return a key with None for what is missing, as NaN does not equal itself."""
    if isinstance(key, tuple):
        return tuple(map(normalize_key, key))
    missing = pd.api.types.is_scalar(key) and pd.isna(key)
    return None if missing else cast("Hashable", key)

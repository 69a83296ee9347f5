"""What a user passes as beta is read once, and asked for the betas of each ranking."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr

from pu_accessor.checks import Interval, as_array, as_betas, as_interval, check_level
from pu_accessor.errors import PUError, PUKeyError, PUTypeError, PUValueError, brief, shorten
from pu_accessor.inference.settings import Beta as BetaRange
from pu_accessor.inference.settings import Settings

Beta: TypeAlias = npt.ArrayLike | Mapping[Any, float] | pd.Series | pd.DataFrame | xr.DataArray
BetaInterval: TypeAlias = Interval | Mapping[Any, Interval] | pd.Series | pd.DataFrame

_ESTIMATE = ("beta", "lower", "upper", "level")
_NO_KEYS = ("method", "n", "n_unlabeled", "n_positive", "n_labeled")
# What other methods give is an estimate.
_LIMITS = {"feasible": "upper", "simultaneous": "upper", "two_sided": "both"}
_ENDS = ("low", "high")
_SHARED = {"beta": "a number or an array of numbers", "beta_interval": "a pair of numbers"}


@dataclass(frozen=True, eq=False)
class Betas:
    """The betas of all rankings, as a user passes them."""

    # The same for all rankings; or a number for each key, or an estimate for the values of some
    # levels of it.
    values: BetaRange | Mapping[Any, Any] | xr.DataArray
    levels: tuple[str, ...] | None = None
    interval: Interval | Mapping[Hashable, Interval] | None = None  # within which beta varies
    level: float | None = None  # at which the intervals of estimates hold

    @property
    def shared(self) -> BetaRange | None:
        """The betas that all rankings share; none where each has its own."""
        return self.values if isinstance(self.values, BetaRange) else None

    @property
    def are_estimates(self) -> bool:
        """Whether they were estimated, and have intervals."""
        return self.level is not None

    @property
    def estimate(self) -> BetaRange | None:
        """The one estimate that all rankings share, if there is one."""
        return self.shared if self.are_estimates else None

    @property
    def vary(self) -> bool:
        """Whether there is an interval within which beta varies."""
        return self.are_estimates or self.interval is not None

    @property
    def shared_interval(self) -> Interval | None:
        """The interval that all rankings share, where there is one."""
        if self.are_estimates:
            return self.estimate and self.estimate.interval
        return None if isinstance(self.interval, Mapping) else self.interval

    def of(self, names: Sequence[str], keys: Sequence[Hashable]) -> list[BetaRange]:
        """Return the betas of each ranking."""
        if self.shared is not None and not isinstance(self.interval, Mapping):
            return [self.shared] * len(keys)
        values: list[Any] = [self.values] * len(keys)
        intervals: list[Any] = [self.interval] * len(keys)
        if not isinstance(self.values, BetaRange):
            by_key = self.values
            if isinstance(by_key, xr.DataArray):
                by_key = _select(by_key, names, keys)
            elif self.levels is not None:
                by_key = _select_estimates(by_key, self.levels, names, keys)
            values = _look_up("beta", by_key, names, keys)
        if isinstance(self.interval, Mapping):
            intervals = _look_up("beta_interval", self.interval, names, keys)
        return [
            _of_group(names, key, value, interval)
            for key, value, interval in zip(keys, values, intervals, strict=True)
        ]

    def leave(self, settings: Settings) -> Settings:
        """Return settings at the level that is left where intervals of beta are to hold, too."""
        return settings.at_level(ranking_level(settings.level, self.level))

    def split(self, settings: Settings) -> tuple["Betas", Settings]:
        """Return betas and settings between which the level is split, if need be in halves.

        An estimate that holds at a higher level than the answer stands as it is. Any other is
        brought to such a level.
        """
        if self.level is None or self.level > settings.level:
            return self, self.leave(settings)
        half = round((1 + settings.level) / 2, 12)
        values = self.values
        if isinstance(values, Mapping):
            moved: Any = {key: each.at_level(half) for key, each in values.items()}
        else:
            moved = cast("BetaRange", values).at_level(half)
        split = replace(self, values=moved, level=half)
        return split, split.leave(settings)

    def with_baseline(self) -> "Betas":
        """Add the naive beta of 0 where it is not there; of estimates there is no error then."""
        if self.shared is None:
            raise PUValueError(
                "baseline=True needs the same betas for all groups, but each has its own. Draw "
                "one group after the other: df[df['site'] == 'a'].pu.plot_roc(0.3, "
                "baseline=True, ax=ax)."
            )
        values = self.shared.values
        if not (values == 0).any():
            values = np.concatenate([[0.0], values])
        return replace(self, values=self.shared._replace(values=values, level=None))

    def points(self) -> Any:
        """Return the points of estimates: a number, or one for each key."""
        if self.shared is not None:
            return self.shared.point
        estimates = cast("Mapping[Any, BetaRange]", self.values)
        return {key[0] if len(key) == 1 else key: beta.point for key, beta in estimates.items()}

    def refuse_estimates(self) -> None:
        """Raise where a question takes no interval of beta."""
        if self.are_estimates:
            raise PUTypeError(
                "beta must be a number here, or one for each group, but a frame was passed. Take "
                "its point: beta=found['beta'].item(); for groups "
                "found.set_index('site')['beta'].",
                page="many_models#a-beta-for-each-group",
            )

    def refuse_odds(self, settings: Settings) -> None:
        """Raise if an estimate of beta meets labels that are not quite random, or wrong."""
        for name, value in settings.failure.items() if self.are_estimates else ():
            raise PUValueError(
                f"beta must be a number with {name}={value:g}, but a frame of "
                "estimates was passed, whose error is that of labels selected at random. Pass the "
                "point, or its ends one after the other: beta=found['upper'].item()."
            )

    def refuse_contaminated(self, settings: Settings) -> None:
        """Raise where tables are asked for while beta varies, and known positives may be wrong."""
        if settings.contamination and self.vary:
            raise PUValueError(
                "beta must be a number without a beta_interval with "
                f"contamination={settings.contamination:g}, but it varies: tables are bounded at "
                "one beta then. Ask at both ends: beta=[low, high]."
            )


def ranking_level(level: float, beta_level: float | None) -> float:
    """Return the level that is left to the ranking, so that both statements hold at a level.

    Where beta is no estimate, that is the whole level.

    Examples
    --------
    >>> ranking_level(0.95, 0.98)
    0.97
    """
    if beta_level is None:
        return level
    left = round(1 - (beta_level - level), 12)
    if left >= 1:
        half = round((1 + level) / 2, 12)
        raise PUValueError(
            f"beta must hold at a higher level than the {level:g} of the answer, but it holds at "
            f"{beta_level:g}: 1 - level is shared between beta and the ranking. Pass level={half} "
            "to estimate_beta or beta_from_labels, or a lower level here.",
            page="beta#with-its-error",
        )
    return left


def read_betas(beta: Beta, interval: BetaInterval | None = None) -> Betas:
    """Read beta, and check all that needs no keys."""
    if isinstance(beta, pd.DataFrame):
        return _read_estimates(beta, interval)
    within = _read_interval(interval)
    if isinstance(beta, xr.DataArray) and not set(beta.dims) <= {"beta"}:
        return Betas(beta, interval=within)
    if isinstance(beta, pd.Series):
        return Betas(_unique("beta", beta), interval=within)
    if isinstance(beta, Mapping):
        for key, value in beta.items():
            _of_group((), key, value, None)
        return Betas(beta, interval=within)
    shared = None if isinstance(within, Mapping) else within
    return Betas(BetaRange(as_betas(cast("npt.ArrayLike", beta)), shared), interval=within)


def _read_estimates(beta: pd.DataFrame, interval: BetaInterval | None) -> Betas:
    """Read a frame as `estimate_beta` and `beta_from_labels` return it."""
    if interval is not None:
        raise PUValueError(
            f"beta_interval must be left out where beta is a frame, but {interval!r} was passed: "
            "the frame holds an interval.",
            page="beta#with-its-error",
        )
    if missing := [name for name in _ESTIMATE if name not in beta.columns]:
        raise PUKeyError(
            f"beta must be a number, or a frame with the columns {[*_ESTIMATE]}, but it lacks "
            f"{missing}. df.pu.estimate_beta and beta_from_labels return one."
        )
    levels = tuple(str(name) for name in beta.columns if name not in (*_ESTIMATE, *_NO_KEYS))
    rows = beta.to_dict("records")
    estimates = {tuple(alike(row[name]) for name in levels): _read_row(row) for row in rows}
    if len(estimates) < len(beta) or not rows:
        raise PUValueError(
            f"beta must have one row for each key, but a frame of {len(beta)} rows with "
            f"{len(estimates)} different keys ({[*levels] or 'no column of keys'}) was passed. "
            "Keep the column of the groups.",
            page="beta#with-its-error",
        )
    stated, *others = sorted({cast("float", estimate.level) for estimate in estimates.values()})
    if others:
        raise PUValueError(
            f"beta must hold at one level, but {[stated, *others]} was passed. Estimate all rows "
            "at the same level.",
            page="beta#with-its-error",
        )
    return Betas(estimates if levels else estimates[()], levels or None, None, stated)


def _read_row(row: Mapping[Hashable, Any]) -> BetaRange:
    """Read one estimate."""
    values, (point,) = as_betas(row["beta"]), as_betas(row["beta"]).tolist()
    lower, upper = as_interval((row["lower"], row["upper"])) or (point, point)
    n, unlabeled = (_as_count(row.get(name)) for name in ("n", "n_unlabeled"))
    within = min(lower, point), max(upper, point)
    limits = _LIMITS.get(str(row.get("method")), "none")
    return BetaRange(values, within, check_level(row["level"]), limits, n, unlabeled)


def _as_count(value: Any) -> int | None:
    """Return a count where there is one."""
    return None if value is None or isnan(value) else int(value)


def _read_interval(interval: BetaInterval | None) -> Interval | Mapping[Hashable, Interval] | None:
    """Read one interval, or several by key."""
    if isinstance(interval, pd.DataFrame):
        if [*interval.columns] != [*_ENDS]:
            raise PUValueError(
                f"beta_interval must have the columns {[*_ENDS]}, but has {[*interval.columns]}. "
                "Name them: intervals[['lower', 'upper']].set_axis(['low', 'high'], axis=1)."
            )
        pairs = [*interval.itertuples(index=False, name=None)]
        interval = pd.Series(pairs, index=interval.index, dtype=object)
    if isinstance(interval, pd.Series):
        return _unique("beta_interval", interval)
    return interval if isinstance(interval, Mapping) else as_interval(interval)


def _unique(name: str, values: "pd.Series[Any]") -> dict[Hashable, Any]:
    """Return values by key, or say which keys are there twice."""
    if not values.index.is_unique:
        twice = values.index[values.index.duplicated()].tolist()
        raise PUValueError(
            f"{name} must have each key once, but has {twice[:5]} twice or more.",
            page="many_models#a-beta-for-each-group",
        )
    return dict(values.items())


def _look_up(
    name: str, values: Mapping[Any, Any], names: Sequence[str], keys: Sequence[Hashable]
) -> list[Any]:
    """Return what an argument has for each key."""
    if not names:
        raise PUTypeError(
            f"{name} must be {_SHARED[name]} where rows are not ranked apart, but one for each of "
            f"{len(values)} keys was passed. Name the column of these keys, df.pu(by='site'), or "
            f"pass {_SHARED[name].split(' or ')[0]}."
        )
    known = {alike(key): value for key, value in values.items()}
    if len(names) > 1 and names[-1] == "model" and not any(alike(key) in known for key in keys):
        groups = {key: split_key(names, key)[:-1] for key in keys}  # all models have their group's
        known |= {
            alike(key): known[group]
            for key, levels in groups.items()
            if (group := alike(levels[0] if len(levels) == 1 else levels)) in known
        }
    if missing := [key for key in keys if alike(key) not in known]:
        raise PUKeyError(
            f"{name} must have a value for each key, but has none for "
            f"[{shorten(map(brief, missing))}]; its keys are [{shorten(map(brief, values))}].",
            page="many_models#a-beta-for-each-group",
        )
    return [known[alike(key)] for key in keys]


def _select_estimates(
    estimates: Mapping[Any, BetaRange],
    levels: Sequence[str],
    names: Sequence[str],
    keys: Sequence[Hashable],
) -> dict[Hashable, BetaRange]:
    """Select the estimate of each key, which are the same along levels that estimates lack."""
    if foreign := [level for level in levels if level not in names]:
        apart = " where rows are not ranked apart"
        each = f", or of a row for each of {[*names]}" if names else apart
        raise PUKeyError(
            f"beta must be a frame of one row{each}, but it has rows by {foreign[0]!r}, too. Pass "
            f"some of its rows: beta=found[found[{foreign[0]!r}] == ...]"
            f".drop(columns={foreign[0]!r}).",
            page="beta#with-its-error",
        )
    places = [names.index(level) for level in levels]
    wanted = {key: tuple(alike(split_key(names, key)[place]) for place in places) for key in keys}
    return {key: estimates[own] for key, own in wanted.items() if own in estimates}


def _select(
    beta: xr.DataArray, names: Sequence[str], keys: Sequence[Hashable]
) -> dict[Hashable, Any]:
    """Select a value for each key, the same along the dimensions that the array does not have."""
    if more := [str(dim) for dim in beta.dims if dim not in names]:
        raise PUTypeError(
            f"beta must have dimensions of the keys, {list(names)}, but also has {more}. For "
            "betas that all groups share, pass an array without names.",
            page="many_models#a-beta-for-each-group",
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
    """Raise unless a value can be looked up along a dimension."""
    index = beta.indexes.get(dim)
    if index is None and wanted != list(range(beta.sizes[dim])):
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


def _of_group(
    names: Sequence[str], key: Hashable, value: Any, interval: Interval | None
) -> BetaRange:
    """Return the betas of one group, within an interval where there is one."""
    if not isinstance(value, BetaRange) and as_array(value).ndim:
        raise PUTypeError(
            f"beta must have one number for each key, but {key!r} has {value!r}. For several "
            "betas that all groups share, pass an array.",
            page="many_models#a-beta-for-each-group",
        )
    try:
        within = as_interval(interval)
        if not isinstance(value, BetaRange):
            return BetaRange(as_betas(value), within)
    except PUError as error:
        group = name_group(names, key) if names else f"group {key!r}"
        raise type(error)(f"{group}: {error}") from error
    return value if within is None else value._replace(interval=within)


def split_key(names: Sequence[str], key: Hashable) -> tuple[Hashable, ...]:
    """Return a key's value for each name."""
    if not names:
        return ()
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


def alike(key: Any) -> Hashable:
    """Return a key that equals itself, also where it is missing."""
    if isinstance(key, tuple):
        return tuple(map(alike, key))
    missing = pd.api.types.is_scalar(key) and pd.isna(key)
    return None if missing else cast("Hashable", key)

"""Frames of estimated betas, as `estimate_beta` and `beta_from_labels` return them, are read."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.checks import as_betas, as_interval, check_level
from pu_accessor.errors import PUKeyError, PUValueError
from pu_accessor.inference.estimates.joint import (
    JOINT,
    BetaRange,
    check_joint,
    ranking_level,
)
from pu_accessor.questions.betas import GroupBeta, KeyBetas, name_group, split_key
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import Counts

__all__ = [
    "Fixed",
    "Ranges",
    "check_random",
    "points_of",
    "read_ranges",
    "tell_of",
    "with_interval",
]

_COLUMNS = ("beta", "lower", "upper", "level")
_OTHERS = ("method", "n", "n_unlabeled")
_LIMITS = {"feasible": "upper", "two_sided": "both"}  # what other methods give is an estimate


@dataclass(frozen=True)
class Ranges:
    """Estimates of beta by key, and how their errors are put together with those of rankings.

    Parameters
    ----------
    names : tuple of str
        The levels of a ranking's key that have estimates of their own; none where one is for all.
    each : mapping of tuple to BetaRange
        By the values of these levels.
    level : float
        At which answers are to hold, in (0, 1).
    joint : {"approximate", "guaranteed"}
        How.
    """

    names: tuple[str, ...]
    each: Mapping[tuple[Hashable, ...], BetaRange]
    level: float
    joint: str

    @property
    def left(self) -> float:
        """The level at which the rankings are asked."""
        if self.joint == "approximate":
            return self.level
        return ranking_level(self.level, next(iter(self.each.values())).level)

    def of(self, names: Sequence[str], key: Hashable) -> BetaRange:
        """Return the estimate of a ranking."""
        if foreign := [name for name in self.names if name not in names]:
            raise PUKeyError(
                f"beta must be a frame of one row, or of a row for each of {[*names]}, but it has "
                f"rows by {foreign[0]!r}, too. Pass some of its rows: "
                f"beta=found[found[{foreign[0]!r}] == ...].drop(columns={foreign[0]!r}).",
                page="joint",
            )
        levels = dict(zip(names, split_key(names, key), strict=True)) if names else {}
        own = tuple(_alike(levels[name]) for name in self.names)
        if own not in self.each:
            raise PUKeyError(
                f"beta must have a row for each key, but has none for "
                f"{name_group(self.names, own if len(own) > 1 else own[0])}.",
                page="many_models#a-beta-for-each-group",
            )
        return self.each[own]

    def by_key(self, names: Sequence[str], keys: Sequence[Hashable]) -> KeyBetas:
        """Return the beta of each ranking, with its interval."""
        ranges = [self.of(names, key) for key in keys]
        return KeyBetas(bool(self.names), [np.array([one.beta]) for one in ranges], ranges)


class Fixed(NamedTuple):
    """Betas of tables: numbers, or the points of estimates with the counts they are about."""

    beta: GroupBeta
    ranges: tuple[BetaRange, ...] = ()

    def check_counts(self, total: Counts) -> None:
        """Raise if all estimates are of other examples: see `BetaRange.check_counts`."""
        if self.ranges and not any(one.is_about(total) for one in self.ranges):
            self.ranges[0].check_counts(total)


def read_ranges(beta: GroupBeta, rules: Rules, joint: str) -> Ranges | None:
    """Read a frame of estimates, or return nothing where beta is something else."""
    check_joint(joint)
    level, interval = rules.shared.level, rules.beta_interval
    if not isinstance(beta, pd.DataFrame):
        if joint != JOINT[0]:
            raise PUValueError(
                f"joint must be left out where beta is a number, but {joint!r} was passed: it "
                "says how the error of beta counts. Pass what df.pu.estimate_beta or "
                "beta_from_labels returns as beta."
            )
        return None
    if interval is not None:
        raise PUValueError(
            f"beta_interval must be left out where beta is a frame, but {interval!r} was passed: "
            "the frame holds an interval.",
            page="joint",
        )
    if missing := [name for name in _COLUMNS if name not in beta.columns]:
        raise PUKeyError(
            f"beta must be a number, or a frame with the columns {[*_COLUMNS]}, but it lacks "
            f"{missing}. df.pu.estimate_beta and beta_from_labels return one."
        )
    names = tuple(str(name) for name in beta.columns if name not in (*_COLUMNS, *_OTHERS))
    rows = beta.to_dict("records")
    each = {tuple(_alike(row[name]) for name in names): _range(row) for row in rows}
    if len(each) < len(beta) or not rows:
        raise PUValueError(
            f"beta must have one row for each key, but a frame of {len(beta)} rows with "
            f"{len(each)} different keys ({[*names] or 'no column of keys'}) was passed. Keep the "
            "column of the groups.",
            page="joint",
        )
    if len({one.level for one in each.values()}) > 1:
        raise PUValueError(
            f"beta must hold at one level, but {sorted({one.level for one in each.values()})} was "
            "passed. Estimate all rows at the same level.",
            page="joint",
        )
    return Ranges(names, each, level, joint)


def check_random(ranges: Ranges | None, rules: Rules) -> None:
    """Raise if an estimate of beta meets labels that are not quite random."""
    if ranges is not None and rules.selection_odds != 1:
        raise PUValueError(
            f"beta must be a number with selection_odds={rules.selection_odds:g}, but a frame of "
            "estimates was passed, whose error is that of labels selected at random. Pass the "
            "point, or its ends one after the other: beta=found['upper'].item()."
        )


def tell_of(
    ranges: Ranges | None, names: Sequence[str], key: Hashable, rows: int = 1
) -> dict[str, Any]:
    """Return what a result says of an estimated beta, as columns."""
    if ranges is None:
        return {}
    beta = ranges.of(names, key)
    return {
        "beta_lower": [beta.lower] * rows,
        "beta_upper": [beta.upper] * rows,
        "joint": [ranges.joint] * rows,
    }


def with_interval(beta: GroupBeta, rules: Rules) -> tuple[Fixed, Rules]:
    """Turn a frame of estimates into their points, and rules with their intervals."""
    if not isinstance(beta, pd.DataFrame):
        return Fixed(beta), rules
    ranges = read_ranges(beta, rules, "guaranteed")
    if ranges is None:
        return Fixed(beta), rules
    every = tuple(ranges.each.values())
    intervals = {key: (one.lower, one.upper) for key, one in _by_key(ranges).items()}
    interval: Any = intervals if ranges.names else intervals[()]
    return Fixed(points_of(ranges), every), replace(
        rules, level=ranges.left, beta_interval=interval
    )


def points_of(ranges: Ranges) -> GroupBeta:
    """Return the estimates without their intervals: one, or one for each key."""
    points = {key: one.beta for key, one in _by_key(ranges).items()}
    return points if ranges.names else points[()]


def _by_key(ranges: Ranges) -> dict[Hashable, BetaRange]:
    """Return estimates by keys as rankings have them: no tuple where there is one level."""
    alone = len(ranges.names) == 1
    return {levels[0] if alone else levels: one for levels, one in ranges.each.items()}


def _range(row: Mapping[Hashable, Any]) -> BetaRange:
    """Read one row."""
    interval = as_interval((row["lower"], row["upper"]))
    (beta,) = as_betas(row["beta"]).tolist()
    lower, upper = interval or (beta, beta)
    counts = {name: _count(row.get(name)) for name in ("n", "n_unlabeled")}
    return BetaRange(
        beta,
        min(lower, beta),
        max(upper, beta),
        check_level(row["level"]),
        _LIMITS.get(str(row.get("method")), "none"),
        counts["n"],
        counts["n_unlabeled"],
    )


def _count(value: Any) -> int | None:
    """Return a count where there is one."""
    return None if value is None or isnan(value) else int(value)


def _alike(key: Any) -> Hashable:
    """Return a key that equals itself, also where it is missing."""
    found: Hashable = None if pd.api.types.is_scalar(key) and pd.isna(key) else key
    return found

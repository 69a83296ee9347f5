"""How latent positives are bounded, as a user says it: for all rankings, or for each of them."""

import reprlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import Interval
from pu_accessor.errors import PUError, PUTypeError, PUValueError
from pu_accessor.inference.bands.lookup import Band, RankBand, Side, at_some_ranks, read_side
from pu_accessor.inference.settings import Rule
from pu_accessor.questions.betas import alike, name_group, split_key, value_by_key

__all__ = ["GroupInterval", "RankBounds", "Rules", "UserBand"]

RankBounds: TypeAlias = tuple[Any, Any]
UserBand: TypeAlias = str | Band | RankBounds
GroupInterval: TypeAlias = Interval | Mapping[Any, Interval] | pd.Series | pd.DataFrame

_ENDS = ("low", "high")


@dataclass(frozen=True, eq=False)
class Rules:
    """How latent positives are bounded in each ranking.

    Parameters
    ----------
    level : float, default 0.95
        Probability of coverage, in (0, 1).
    band : str, callable or (lower, upper), default "exact"
        As in `Rule`; or bounds on the rank CDF of the latent positives, each an array over the
        ranks 0, 1, ..., a DataArray over "rank" and keys, or a function of the rank.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from.
    beta_interval : (float, float), or mapping, Series or DataFrame of them by key, optional
        Where beta may lie.
    selection_odds : float, default 1
        By which factor the odds of being labeled may differ between two positives.
    """

    level: float = 0.95
    band: UserBand = "exact"
    reference: str = "positives"
    beta_interval: GroupInterval | None = None
    selection_odds: float = 1.0
    shared: Rule = field(init=False, repr=False)
    intervals: Mapping[Hashable, Interval] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        intervals = _intervals(self.beta_interval)
        one = cast("Interval | None", self.beta_interval) if intervals is None else None
        # Of bounds by rank, what can be said before the keys are known.
        band = _rank_band(self.band, (), None) if isinstance(self.band, tuple) else self.band
        object.__setattr__(self, "intervals", intervals)
        rule = Rule(self.level, band, self.reference, one, self.selection_odds)
        object.__setattr__(self, "shared", rule)

    @property
    def by_rank(self) -> bool:
        """Whether bounds are given by rank, so that they have something to say at all cutoffs."""
        return isinstance(self.band, tuple)

    @property
    def has_interval(self) -> bool:
        """Whether beta varies within an interval."""
        return self.beta_interval is not None

    def each(self, names: Sequence[str], keys: Sequence[Hashable]) -> list[Rule]:
        """Return the rule of each ranking."""
        rules = [self.shared] * len(keys)
        if isinstance(self.band, tuple) and any(isinstance(s, xr.DataArray) for s in self.band):
            bands = [_rank_band(self.band, names, split_key(names, key)) for key in keys]
            rules = [replace(rule, band=band) for rule, band in zip(rules, bands, strict=True)]
        if self.intervals is None:
            return rules
        found = value_by_key("beta_interval", self.intervals, names, keys)
        return [
            _replaced(rule, interval, names, key)
            for rule, interval, key in zip(rules, found, keys, strict=True)
        ]


def _replaced(rule: Rule, interval: Any, names: Sequence[str], key: Hashable) -> Rule:
    """Return a rule with the interval of its group, which an error names."""
    try:
        return replace(rule, beta_interval=interval)
    except PUError as error:
        raise type(error)(f"{name_group(names, key)}: {error}") from error


def _intervals(given: GroupInterval | None) -> Mapping[Hashable, Interval] | None:
    """Return intervals by key, or nothing where one is for all."""
    if isinstance(given, pd.DataFrame):
        if [*given.columns] != [*_ENDS]:
            raise PUValueError(
                f"beta_interval must have the columns {[*_ENDS]}, but has {[*given.columns]}. "
                "Name them: intervals[['lower', 'upper']].set_axis(['low', 'high'], axis=1)."
            )
        pairs = given.itertuples(index=False, name=None)
        given = pd.Series([*pairs], index=given.index, dtype=object)
    if isinstance(given, pd.Series):
        if not given.index.is_unique:
            twice = given.index[given.index.duplicated()].tolist()
            raise PUValueError(
                f"beta_interval must have each key once, but has {twice[:5]} twice or more."
            )
        return dict(given.items())
    return given if isinstance(given, Mapping) else None


def _rank_band(band: RankBounds, names: Sequence[str], key: Sequence[Hashable] | None) -> RankBand:
    """Return bounds by rank for one key; with none, before the keys are known."""
    if len(band) != 2:
        raise PUTypeError(
            f"band must be a pair of bounds by rank, (lower, upper), but {len(band)} were passed."
        )
    lower, upper = (
        _side(name, values, names, key)
        for name, values in zip(("lower", "upper"), band, strict=True)
    )
    return RankBand(lower, upper)


def _side(name: str, values: Any, names: Sequence[str], key: Sequence[Hashable] | None) -> Side:
    """Return one bound for one key."""
    if not isinstance(values, xr.DataArray):
        return read_side(name, values)
    if "rank" not in values.dims:
        raise PUTypeError(
            f"band must have bounds over the dimension 'rank', but its {name} has "
            f"{[str(dim) for dim in values.dims]}. Rename it: array.rename(cutoff='rank')."
        )
    own = {str(dim) for dim in values.dims} - {"rank"}
    if key is None:
        return read_side(name, np.zeros(1))  # never asked
    if more := sorted(own - set(names)):
        raise PUTypeError(
            f"band must have bounds over 'rank' and keys, {list(names)}, but its {name} has "
            f"{more}, too. Select of it: array.sel(...)."
        )
    one = _select(name, values, {n: k for n, k in zip(names, key, strict=True) if n in own})
    index = one.indexes.get("rank")
    if index is None:
        return read_side(name, one.to_numpy())
    if not (index.is_unique and pd.api.types.is_integer_dtype(index)):
        raise PUValueError(
            f"band must have each rank once, and integers, but the coordinate rank of its {name} "
            f"is {reprlib.repr(index.tolist())}."
        )
    return at_some_ranks(name, index.to_numpy(), one.to_numpy())


def _select(name: str, values: xr.DataArray, key: Mapping[str, Any]) -> xr.DataArray:
    """Select the bounds of a key."""
    for dim, label in key.items():
        index = values.indexes.get(dim)
        if index is None or alike(label) not in {alike(one) for one in index.tolist()}:
            there = "no coordinate" if index is None else f"{index.tolist()[:5]}"
            raise PUValueError(
                f"band must have bounds for {dim}={label!r}, but its {name} has {there} along "
                f"{dim!r}."
            )
    return values.sel(key)

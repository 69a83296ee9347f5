"""What each ranking is asked with: how its latent positives are bounded, and its betas."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import (
    Interval,
    check_level,
    check_option,
    check_selection_odds,
    check_share,
    interval_betas,
)
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import Band, RankBand, band_name
from pu_accessor.ranking import Counts, FloatArray

TARGETS = ("population", "examples")
REFERENCES = ("positives", "negatives", "tightest", "both")
_HIGHEST = 1 - 1e-6  # of a limit on beta: at 1 nothing is negative, and little has a value
_BETWEEN = np.array([0.25, 0.5, 0.75])  # of the way where any beta may be the true one


@dataclass(frozen=True)
class Settings:
    """How latent positives are bounded, and which examples answers are about."""

    level: float = 0.95  # of coverage, in (0, 1)
    # Of one kind of examples given the known ones, or by rank.
    band: str | Band | RankBand = "exact"
    reference: str = "positives"  # from which known examples; "both": each at half of 1 - level
    selection_odds: float = 1.0  # between two examples of a kind
    prevalence: float | None = None  # of new examples; None: that of these
    contamination: float = 0.0  # of the known positives at most this share is negative
    # Whether lower limits hold with the level, and upper ones, and not both together.
    one_sided: bool = False

    def __post_init__(self) -> None:
        band_name(self.band)
        check_option("reference", self.reference, REFERENCES)
        checked: dict[str, float] = {
            "level": check_level(self.level),
            "selection_odds": check_selection_odds(self.selection_odds),
            "contamination": check_share("contamination", self.contamination, "[0, 0.5)"),
        }
        if self.prevalence is not None:
            checked["prevalence"] = check_share("prevalence", self.prevalence, "[1e-30, 1)")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def failure(self) -> dict[str, float]:
        """How labels may fail to be a random sample, by name; empty where they may not."""
        usual = {"selection_odds": 1.0, "contamination": 0.0}
        return {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    @property
    def is_by_rank(self) -> bool:
        """Whether bounds are given by rank, so that they say something at every cutoff."""
        return isinstance(self.band, RankBand)

    def of(self, names: Sequence[str], key: Hashable) -> "Settings":
        """Return the settings of one ranking: bounds by rank can differ between groups."""
        if not isinstance(self.band, RankBand):
            return self
        return replace(self, band=self.band.of(names, key))

    def at_level(self, level: float) -> "Settings":
        """Return the same settings at another level."""
        return self if level == self.level else replace(self, level=level)


class Beta(NamedTuple):
    """The betas of one ranking, an interval of them, or an estimate with its interval."""

    values: FloatArray  # at which answers are given; of an estimate its point
    interval: Interval | None = None  # within which beta varies
    level: float | None = None  # of coverage; None: beta is no estimate
    limits: str = "none"  # ends that say what is feasible: none, upper or both
    n: int | None = None  # known positives that the estimate is about
    unlabeled: int | None = None  # examples that it is about

    @property
    def is_estimate(self) -> bool:
        """Whether beta was estimated, with an interval."""
        return self.level is not None

    @property
    def point(self) -> float:
        """The first beta: that of an estimate."""
        return float(self.values[0])

    @property
    def lower(self) -> float:
        """The lower end of the interval; the point where there is none."""
        return self.point if self.interval is None else self.interval[0]

    @property
    def upper(self) -> float:
        """The upper end of the interval; the point where there is none."""
        return self.point if self.interval is None else self.interval[1]

    def grid(self, level: float) -> FloatArray:
        """Return the betas at which the ranking is asked, the point first."""
        if not self.is_estimate:
            inside = interval_betas(self.interval, self.values)
            return np.concatenate([self.values, np.setdiff1d(inside, self.values)])
        point = self.point
        highest = max(point, _HIGHEST)
        lower, upper = self._limits_at((1 + level) / 2)
        upper = min(upper, highest)
        last = {"none": lower, "upper": point, "both": upper}[self.limits]
        between = lower + _BETWEEN * (last - lower) if last > lower else np.empty(0)
        return np.concatenate([[point, lower, upper], between])

    def at_level(self, level: float) -> "Beta":
        """Return the estimate with an interval at another level, as if its error were normal."""
        lower, upper = self._limits_at(level if self.limits == "upper" else (1 + level) / 2)
        return self._replace(interval=(lower, min(upper, 1.0)), level=level)

    def _limits_at(self, share: float) -> Interval:
        """Return limits beyond which the rest of that share lies, by quantiles of the normal."""
        level, upper_alone = self.level or 0.0, self.limits == "upper"
        stated = level if upper_alone else (1 + level) / 2
        scale = scipy.special.ndtri(share) / max(scipy.special.ndtri(stated), 1e-9)
        down = (1.0 if upper_alone else scale) * (self.point - self.lower)
        return max(self.point - down, 0.0), self.point + scale * (self.upper - self.point)

    def check_counts(self, total: Counts) -> None:
        """Raise if beta was estimated from other examples."""
        for name, estimated_from, examples in (
            ("known positives", self.n, total.known_positive),
            ("unlabeled examples", self.unlabeled, total.unlabeled),
        ):
            if estimated_from is not None and estimated_from != examples:
                raise PUValueError(
                    f"beta must be an estimate for these examples, which have {examples} {name}, "
                    f"but it is for {estimated_from}. Estimate it from the same rows: "
                    "df.pu.estimate_beta(), or beta_from_labels with their n_unlabeled.",
                    page="beta#with-its-error",
                )


def check_target(target: str) -> None:
    """Raise unless numbers can be about that."""
    check_option("target", target, TARGETS)

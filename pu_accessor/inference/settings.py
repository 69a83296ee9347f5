"""Settings of an analysis: band, reference, level, target and departures from random labels."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from pu_accessor.checks import check_option
from pu_accessor.inference.bands.lookup import UserBand

TARGETS = ("population", "examples")


@dataclass(frozen=True)
class Settings:
    """How hidden positives are bounded."""

    level: float = 0.95
    band: UserBand = "exact"
    reference: str = "positives"
    selection_odds: float = 1.0
    prevalence: float | None = None  # of future data; None: that of the sample
    contamination: float = 0.0  # largest share of known positives that are negative
    one_sided: bool = False  # the level is that of lower and of upper limits, each

    @property
    def failure(self) -> dict[str, float]:
        """The settings under which labels may not be a random sample, by name."""
        usual = {"selection_odds": 1.0, "contamination": 0.0}
        return {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    @property
    def at_random(self) -> "Settings":
        """The same for labels that are a random sample."""
        return replace(self, selection_odds=1.0, contamination=0.0) if self.failure else self

    def at_level(self, level: float) -> "Settings":
        """Return the same settings at another level."""
        return self if level == self.level else replace(self, level=level)


def count_wrong(known: int, contamination: float) -> int:
    """Return how many known positives may be negative: floor(contamination*known)."""
    return floor(Fraction(str(contamination)) * known) if contamination else 0


def check_target(target: str) -> None:
    """Raise unless the target exists."""
    check_option("target", target, TARGETS)

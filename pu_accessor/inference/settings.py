"""What each ranking is asked with: how its latent positives are bounded, and its betas."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pu_accessor.checks import check_level, check_option, check_selection_odds, check_share
from pu_accessor.inference.bands.lookup import Band, RankBand, band_name

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


def check_target(target: str) -> None:
    """Raise unless numbers can be about that."""
    check_option("target", target, TARGETS)

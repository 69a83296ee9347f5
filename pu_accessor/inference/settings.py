"""What each ranking is asked with: how its latent positives are bounded, and its betas."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from pu_accessor.checks import check_option
from pu_accessor.inference.bands.lookup import Band, RankBand

TARGETS = ("population", "examples")


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

    @property
    def failure(self) -> dict[str, float]:
        """How labels may fail to be a random sample, by name; empty where they may not."""
        usual = {"selection_odds": 1.0, "contamination": 0.0}
        return {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    @property
    def is_by_rank(self) -> bool:
        """Whether bounds are given by rank, so that they say something at every cutoff."""
        return isinstance(self.band, RankBand)

    @property
    def at_random(self) -> "Settings":
        """The same for labels that are a random sample."""
        return replace(self, selection_odds=1.0, contamination=0.0) if self.failure else self

    def of(self, names: Sequence[str], key: Hashable) -> "Settings":
        """Return the settings of one ranking: bounds by rank can differ between groups."""
        if not isinstance(self.band, RankBand):
            return self
        return replace(self, band=self.band.of(names, key))

    def at_level(self, level: float) -> "Settings":
        """Return the same settings at another level."""
        return self if level == self.level else replace(self, level=level)


def count_wrong(known: int, contamination: float) -> int:
    """Return how many known positives may be wrong.

    Examples
    --------
    >>> count_wrong(100, 0.29), count_wrong(9, 0.1)
    (29, 0)
    """
    return floor(Fraction(str(contamination)) * known) if contamination else 0


def check_target(target: str) -> None:
    """Raise unless numbers can be about that."""
    check_option("target", target, TARGETS)

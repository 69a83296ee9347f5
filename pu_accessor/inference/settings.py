"""How latent positives are bounded: checked once, before anything is read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial

from pu_accessor.checks import (
    Interval,
    as_interval,
    check_level,
    check_option,
    check_selection_odds,
)
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.by_rank import RankBand
from pu_accessor.inference.bands.exact import Bounds
from pu_accessor.inference.bands.lookup import Band, band_name, latent_bounds_each

__all__ = ["REFERENCES", "Rule", "check_target"]

REFERENCES = ("positives", "negatives", "tightest", "both")
_WITH_ODDS = ("exact", "simultaneous")
_REMEMBERED = 64


@dataclass(frozen=True)
class Rule:
    """How latent positives are bounded.

    Parameters
    ----------
    level : float, default 0.95
        Probability of coverage, in (0, 1).
    band : {"exact", "simultaneous", "bootstrap", "dkw"}, callable or RankBand, default "exact"
        Bounds on the latent examples of one kind, given the known ones; or on the latent positives
        at each rank.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from; "both" is what the two bands have in common,
        each at half of 1 - level.
    beta_interval : (float, float), optional
        Where beta may lie, for envelopes.
    selection_odds : float, default 1
        By which factor the odds of being labeled may differ between two examples of a kind; above
        1 with the bands "exact" and "simultaneous" alone.
    """

    level: float = 0.95
    band: str | Band | RankBand = "exact"
    reference: str = "positives"
    beta_interval: Interval | None = None
    selection_odds: float = 1.0
    # From n, some m and the level to the band's tables: models of the same examples ask for the
    # same ones, so that they are remembered as long as the question lasts.
    bounds: Callable[[int, tuple[int, ...], float], Bounds] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        band_name(self.band)
        check_option("reference", self.reference, REFERENCES)
        if isinstance(self.band, RankBand) and self.reference != "positives":
            raise PUValueError(
                f"reference must be 'positives' with bounds by rank, but {self.reference!r} was "
                "passed: they say themselves where the latent positives are. Leave it out."
            )
        object.__setattr__(self, "level", check_level(self.level))
        object.__setattr__(self, "beta_interval", as_interval(self.beta_interval))
        odds = check_selection_odds(self.selection_odds)
        object.__setattr__(self, "selection_odds", odds)
        if odds > 1 and not (isinstance(self.band, str) and self.band in _WITH_ODDS):
            raise PUValueError(
                f"band must be 'exact' or 'simultaneous' with selection_odds={odds:g}, but "
                f"{band_name(self.band)!r} was passed: it holds for labels at random alone. Pass "
                "one of the two, or leave selection_odds out."
            )
        if isinstance(self.band, RankBand):
            return
        table = partial(latent_bounds_each, self.band, selection_odds=odds)
        bounds = lru_cache(maxsize=_REMEMBERED)(table)
        object.__setattr__(self, "bounds", bounds)


def check_target(target: str, other: str | None = None) -> None:
    """Raise unless numbers can be about what they are asked to be about."""
    check_option("target", target, ("population", "examples"))
    if other is not None and target == "population":
        raise PUValueError(
            f"target must be 'examples' with {other}, but 'population' was asked for, the "
            "default: there is no interval for new examples then. Pass target='examples'."
        )

"""What each ranking is asked with: how its latent positives are bounded, and its betas."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import (
    Interval,
    check_level,
    check_option,
    check_selection_odds,
    check_share,
)
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.exact import Bounds
from pu_accessor.inference.bands.lookup import Band, RankBand, band_name, latent_bounds_each
from pu_accessor.ranking import Counts, FloatArray

TARGETS = ("population", "examples")
REFERENCES = ("positives", "negatives", "tightest", "both")
_WITH_ODDS = ("exact", "simultaneous")
_REMEMBERED = 64
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
    # From n, some m, the level and the number of cutoffs, where they are few, to the tables of the
    # band: models of the same examples ask for the same ones, so that they are remembered as long
    # as the question lasts.
    bounds: Callable[..., Bounds] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        band_name(self.band)
        check_option("reference", self.reference, REFERENCES)
        if isinstance(self.band, RankBand) and self.reference != "positives":
            raise PUValueError(
                f"reference must be 'positives' with bounds by rank, but {self.reference!r} was "
                "passed: they say themselves where the latent positives are. Leave it out."
            )
        object.__setattr__(self, "level", check_level(self.level))
        odds = check_selection_odds(self.selection_odds)
        object.__setattr__(self, "selection_odds", odds)
        if odds > 1 and not (isinstance(self.band, str) and self.band in _WITH_ODDS):
            raise PUValueError(
                f"band must be 'exact' or 'simultaneous' with selection_odds={odds:g}, but "
                f"{band_name(self.band)!r} was passed: it holds for labels at random alone. Pass "
                "one of the two, or leave selection_odds out."
            )
        if self.prevalence is not None:
            prevalence = check_share("prevalence", self.prevalence, "[1e-30, 1)")
            object.__setattr__(self, "prevalence", prevalence)
        wrong = check_share("contamination", self.contamination, "[0, 0.5)")
        object.__setattr__(self, "contamination", wrong)
        if self.contamination:
            self._check_contamination()
        if isinstance(self.band, RankBand):
            return
        one_sided = self.one_sided
        table = partial(latent_bounds_each, self.band, selection_odds=odds, one_sided=one_sided)
        bounds = lru_cache(maxsize=_REMEMBERED)(table)
        object.__setattr__(self, "bounds", bounds)

    def _check_contamination(self) -> None:
        """Raise where nobody knows what wrong known positives do."""
        for argument, value, allowed in (
            ("selection_odds", self.selection_odds, 1),
            ("reference", self.reference, "positives"),
            ("prevalence", self.prevalence, None),
        ):
            if value != allowed:
                raise PUValueError(
                    f"{argument} must be left out with contamination={self.contamination:g}, but "
                    f"{value!r} was passed: what both do together is not known. Leave one out."
                )

    @property
    def failure(self) -> dict[str, float]:
        """How labels may fail to be a random sample, by name; empty where they may not."""
        usual = {"selection_odds": 1.0, "contamination": 0.0}
        return {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    @cached_property
    def at_random(self) -> "Settings":
        """These settings with labels selected at random, where they are not; it remembers, too."""
        return replace(self, selection_odds=1.0)

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


class BetaRange(NamedTuple):
    """The betas of one ranking; where they are an estimate, with its interval."""

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
        """Return the betas at which the ranking is asked, the estimate first."""
        point = self.point
        highest = max(point, _HIGHEST)
        lower, upper = self._limits_at((1 + level) / 2)
        upper = min(upper, highest)
        last = {"none": lower, "upper": point, "both": upper}[self.limits]
        between = lower + _BETWEEN * (last - lower) if last > lower else np.empty(0)
        return np.concatenate([[point, lower, upper], between])

    def at_level(self, level: float) -> "BetaRange":
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


def check_prevalence(settings: Settings, target: str, other: str | None = None) -> None:
    """Raise if another prevalence is asked for where it means nothing, or has no interval."""
    other = other or ("selection_odds" if settings.selection_odds > 1 else None)
    if settings.prevalence is None or (target == "population" and other is None):
        return
    why = other or "target='examples': these have the prevalence they have"
    raise PUValueError(
        f"prevalence must be left out with {why}, but {settings.prevalence!r} was passed. It is "
        "that of new examples: take target='population', and a metric at={'threshold': 0.5}.",
        page="population#another-prevalence",
    )


def check_target(target: str, other: str | None = None) -> None:
    """Raise unless numbers can be about what they are asked to be about."""
    check_option("target", target, TARGETS)
    if other is not None and target == "population":
        raise PUValueError(
            f"target must be 'examples' with {other}, but 'population' was asked for, the "
            "default: there is no interval for new examples then. Pass target='examples'."
        )

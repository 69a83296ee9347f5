"""What quantities are where labels fail by some measure, and how much breaks a conclusion.

Odds of being labeled differ by a factor, or a share of the known positives is wrong.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, isinf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.checks import as_array, check_selection_odds, is_number
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.inference.comparison.pairwise import find_pairs
from pu_accessor.inference.contamination import count_wrong
from pu_accessor.inference.estimates.cutoff_spec import At, Cutoff
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.joint import estimate
from pu_accessor.inference.metrics import AnyMetric, Metric, read_metric
from pu_accessor.inference.search import find_breaking_point
from pu_accessor.inference.settings import Beta, Settings, check_target
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.comparison import pair_columns, paired_tests
from pu_accessor.questions.estimates import warn_of_areas
from pu_accessor.questions.request import Columns, Request, as_rows, map_rankings, name_settings
from pu_accessor.ranking import BoolArray, FloatArray, PairedRanks, Ranking

On: TypeAlias = Hashable | list[Hashable] | None

_RANGE = ("range_lower", "range_upper")
_HALF = 0.5 - 1e-9  # the largest share that may be wrong


class Conclusion(NamedTuple):
    """What is concluded from a quantity of one model, or from the difference of two."""

    quantity: Metric
    cutoff: Cutoff | None
    above: float  # what the quantity exceeds; for a difference, which is not 0, that is 0
    target: str
    settings: Settings  # for labels at random
    on: On = None
    fails: str = "selection_odds"  # what of the labels: a field of the settings

    @property
    def is_difference(self) -> bool:
        """Whether it is about two models."""
        return "pairs" in self.quantity.can

    @property
    def named(self) -> dict[str, Any]:
        """What it is about, by name."""
        about = {"quantity": self.quantity.name, "above": self.above}
        return about | name_settings(self.settings, self.target)

    def at_factor(self, factor: float) -> Settings:
        """Return the settings at which odds differ by a factor, or a share is wrong."""
        fails: dict[str, Any] = {self.fails: factor}
        return replace(self.settings, **fails)

    def value(self, ranked: Ranking | PairedRanks, betas: FloatArray, factor: float) -> Estimates:
        """Return the value, or the differences of pairs, where labels fail by so much."""
        settings, beta = self.at_factor(factor), Beta(betas)
        if isinstance(ranked, Ranking):
            return estimate(self.quantity, ranked, beta, settings, self.target, self.cutoff)
        tests = paired_tests(ranked, beta, settings, self.target)
        unknown = np.full(tests.difference.shape, np.nan)
        return Estimates(tests.difference, unknown, tests.lower, tests.upper, reach=tests.reach)

    def holds(self, value: Estimates) -> BoolArray:
        """Tell where an interval leaves no doubt."""
        return (value.lower > self.above) | (self.is_difference & (value.upper < self.above))


def read_conclusion(
    quantity: AnyMetric,
    at: At | None,
    above: float | None,
    target: str | None,
    settings: Settings,
    on: On = None,
) -> Conclusion:
    """Check what robustness is asked of."""
    entry = read_metric(quantity, at, "robustness")
    if entry.needs_cutoff:
        target = "examples" if target is None else target
        check_target(target)
        replace(settings, selection_odds=2.0)  # raises where the band has no factor
    else:
        target = "population" if target is None else target
        check_target(target)
    conclusion = Conclusion(entry, entry.read_cutoff(at), entry.chance, target, settings, on)
    if conclusion.is_difference and above is not None:
        raise PUValueError(
            f"above must be left out with {entry.name!r}, but {above!r} was passed: the "
            "conclusion is that one model is better than the other."
        )
    if on is not None and not conclusion.is_difference:
        raise PUValueError(
            f"on must be left out with {entry.name!r}, but {brief(on)} was passed: it "
            "pairs the rows of models, and a number of one model needs no pairs."
        )
    return conclusion if above is None else conclusion._replace(above=_read_above(above))


def _read_above(above: float) -> float:
    """Check what a quantity is to exceed."""
    if not is_number(above):
        raise PUTypeError(f"above must be a number, but {brief(above)} was passed.")
    if not isfinite(above):
        raise PUValueError(f"above must be finite, but {above!r} was passed.")
    return float(above)


def robustness(
    request: Request,
    conclusion: Conclusion,
    betas: Betas,
    selection_odds: float | Sequence[float],
    contamination: float | Sequence[float] | None = None,
) -> pd.DataFrame:
    """Return a quantity with its bounds for each factor, and the factor that breaks a conclusion.

    There is a row for each ranking or pair of models, beta and factor; with `contamination` for
    each share of wrong known positives.
    """
    odds = _read_odds(selection_odds)
    if contamination is not None:
        odds, conclusion = _read_shares(contamination, conclusion)
    betas.refuse_estimates()

    def question(
        ranked: Ranking | PairedRanks, beta: Beta, _: Settings
    ) -> tuple[Columns, str | None]:
        if isinstance(ranked, PairedRanks) and ranked.designed:
            raise PUValueError(
                "cluster and weight must be left out for robustness of a difference, but one is "
                "bound: it takes each row as one of a random sample. The difference itself is "
                "there: df.pu(score=['svm', 'forest'], cluster='site').compare(0.3).",
                page="clusters",
            )
        points = _breaking_points(ranked, beta.values, conclusion)
        values = [conclusion.value(ranked, beta.values, factor) for factor in odds]
        columns = _columns(conclusion.fails, beta.values, odds, values, points)
        if isinstance(ranked, Ranking):
            return columns, values[0].band
        models = [*ranked.ranks]
        return pair_columns(ranked.names, models, find_pairs(len(models)), columns), None

    if conclusion.is_difference:
        results = map_rankings(request, request.pair(conclusion.on), question, betas)
    else:
        rankings = request.rankings("breakpoints", conclusion.settings)
        results = map_rankings(request, rankings, question, betas, conclusion.settings)
    band = results.each[0].content[1]
    named = conclusion.named | ({} if band is None else {"band": band})
    frame = as_rows(results, lambda content, _: content[0], named)
    if conclusion.is_difference:
        return frame
    if conclusion.cutoff is None:
        warn_of_areas(frame[frame[conclusion.fails] == odds[0]], results)
    return frame


def _breaking_points(
    ranked: Ranking | PairedRanks, betas: FloatArray, conclusion: Conclusion
) -> FloatArray:
    """Return the factor that breaks a conclusion at each beta, of each pair."""

    def holds(factor: float, beta: FloatArray, pair: tuple[int, ...]) -> bool:
        return bool(conclusion.holds(conclusion.value(ranked, beta, factor))[*pair, 0])

    at_random = conclusion.value(ranked, betas, getattr(Settings, conclusion.fails)).lower
    points = np.full(at_random.shape, np.nan)
    for *pair, column in np.argwhere(~np.isnan(at_random)).tolist():
        still = partial(holds, beta=betas[[column]], pair=tuple(pair))
        if conclusion.fails == "contamination":
            points[*pair, column] = _breaking_share(ranked.total.known_positive, still)
        else:
            points[*pair, column] = find_breaking_point(still)
    return points


def _breaking_share(known: int, holds: Callable[[float], bool]) -> float:
    """Return the least share of wrong known positives with which a conclusion does not hold.

    Infinite where it holds with all shares below one half.
    """
    wrong = 0
    highest = count_wrong(known, _HALF)
    if holds(highest / max(known, 1)):
        return np.inf
    while highest - wrong > 1:
        middle = (wrong + highest) // 2
        wrong, highest = (middle, highest) if holds(middle / known) else (wrong, middle)
    return highest / known if holds(0.0) else 0.0


def _columns(
    fails: str,
    betas: FloatArray,
    odds: Sequence[float],
    values: Sequence[Estimates],
    points: FloatArray,
) -> dict[str, Any]:
    """Return the columns of a row for each beta and factor, within each pair of models."""
    estimate, lower, upper = (
        np.stack([getattr(value, name) for value in values], -1)
        for name in ("value", "lower", "upper")
    )
    ranges = {}
    if values[0].band is None:  # where labels are random there is one estimate
        reach = [each.reach or (each.value, each.value) for each in values]
        ranges = dict(zip(_RANGE, np.stack(reach, -1), strict=True))
    return {
        "beta": betas[:, np.newaxis],
        fails: np.array(odds),
        "breaking_point": points[..., np.newaxis],
        **ranges,
        "estimate": estimate,
        "lower": lower,
        "upper": upper,
    }


def check_drawn(
    betas: Betas, selection_odds: Sequence[float], contamination: Sequence[float] | None
) -> None:
    """Raise unless robustness can be drawn: at the same betas, and over several factors."""
    if contamination is not None and np.unique(as_array(contamination)).size < 2:
        raise PUValueError(
            f"contamination must hold two or more shares, but {brief(contamination)} was passed. "
            "For example contamination=[0, 0.05, 0.1, 0.2]."
        )
    odds = _read_odds(selection_odds)
    if contamination is None and (len(odds) < 2 or isinf(odds[-1])):
        raise PUValueError(
            f"selection_odds must hold two or more finite factors, but {odds} was passed. For "
            "example selection_odds=[1, 1.5, 2, 3]."
        )
    if betas.shared is None:
        raise PUValueError(
            "plot_robustness needs the same betas for all groups, but each has its own. Pass a "
            "number or an array, or draw one group after the other on ax=."
        )


def _read_shares(
    contamination: float | Sequence[float], conclusion: Conclusion
) -> tuple[list[float], Conclusion]:
    """Check shares of wrong known positives, and sort them."""
    shares = np.atleast_1d(as_array(contamination))
    if shares.ndim > 1 or shares.dtype.kind not in "iuf" or not shares.size:
        raise PUTypeError(
            "contamination must be numbers in [0, 0.5), but "
            f"{brief(contamination)} was passed. For example contamination=[0, 0.05, 0.1]."
        )
    every = sorted({float(share) for share in shares.tolist()})
    conclusion = conclusion._replace(fails="contamination")
    for share in every:
        conclusion.at_factor(share)  # raises where it is none
    return every, conclusion


def _read_odds(selection_odds: float | Sequence[float]) -> list[float]:
    """Check factors, and sort them."""
    factors = np.atleast_1d(as_array(selection_odds))
    if factors.ndim > 1 or factors.dtype.kind not in "iuf" or not factors.size:
        raise PUTypeError(
            "selection_odds must be numbers from 1 on, but "
            f"{brief(selection_odds)} was passed. For example selection_odds=[1, 1.5, 2, 3]."
        )
    return sorted({check_selection_odds(factor) for factor in factors.tolist()})

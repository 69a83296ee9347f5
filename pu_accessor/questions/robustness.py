"""What quantities are for selections within several factors, and which break a conclusion."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from math import isfinite, isinf
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.checks import as_array, check_selection_odds
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.inference.comparison.paired import PairedTests
from pu_accessor.inference.estimates.cutoff_spec import At, Cutoff
from pu_accessor.inference.quantities import Quantity, read_quantity, refuse_band
from pu_accessor.inference.search import find_breaking_point
from pu_accessor.inference.settings import BetaRange, Settings, check_target
from pu_accessor.inference.tables.latent_bounds import check_selection
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.inference.value import Value, value_of
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.comparison import pair_columns, paired_tests
from pu_accessor.questions.estimates import warn_of_areas
from pu_accessor.questions.request import Columns, Request, as_rows, map_rankings
from pu_accessor.ranking import FloatArray, PairedRanks, Ranking

On: TypeAlias = Hashable | list[Hashable] | None

_RANGE = ("range_lower", "range_upper")


class Conclusion(NamedTuple):
    """What is concluded from a quantity.

    Parameters
    ----------
    quantity : Quantity
        Of one model; or the difference of two.
    cutoff : Cutoff, optional
        Where a metric is evaluated.
    above : float
        The conclusion is that the quantity is above this; for a difference that it is not 0.
    target : {"population", "examples"}
        Whether the quantity is about new examples or about these.
    settings : Settings
        How to bound, for labels at random.
    on : hashable or list of hashable, optional
        Columns that pair the rows of models in rows, for a difference.
    """

    quantity: Quantity
    cutoff: Cutoff | None
    above: float
    target: str
    settings: Settings
    on: On = None

    def at_factor(self, factor: float) -> Settings:
        """Return the settings at which odds differ by a factor."""
        return replace(self.settings, selection_odds=factor)

    def value(self, ranking: Ranking, betas: FloatArray, factor: float) -> Value:
        """Return the value of a ranking where odds differ by a factor."""
        settings, beta = self.at_factor(factor), BetaRange(betas)
        return value_of(self.quantity, ranking, beta, settings, self.target, self.cutoff)

    def tests(self, paired: PairedRanks, betas: FloatArray, factor: float) -> PairedTests:
        """Return the differences of models where odds differ by a factor."""
        settings, beta = self.at_factor(factor), BetaRange(betas)
        return paired_tests(paired, beta, settings, self.target, "approximate")


def read_conclusion(
    quantity: str | Metric,
    at: At | None,
    above: float | None,
    target: str | None,
    settings: Settings,
    on: On = None,
) -> Conclusion:
    """Check what robustness is asked of."""
    entry = read_quantity(quantity, at, "robustness")
    refuse_band(entry, settings.band, settings.reference)
    if entry.needs_cutoff:
        target = "examples" if target is None else target
        check_target(target, "a metric, which bands bound of these examples")
        replace(settings, selection_odds=2.0)  # raises where the band has no factor
    else:
        target = "population" if target is None else target
        check_target(target)
    is_difference = "pairs" in entry.can
    if is_difference and above is not None:
        raise PUValueError(
            f"above must be left out with {entry.name!r}, but {above!r} was passed: the "
            "conclusion is that one model is better than the other."
        )
    if on is not None and not is_difference:
        raise PUValueError(
            f"on must be left out with {entry.name!r}, but {brief(on)} was passed: it "
            "pairs the rows of models, and a number of one model needs no pairs."
        )
    limit = entry.chance if above is None else _read_above(above)
    return Conclusion(entry, entry.read_cutoff(at), limit, target, settings, on)


def _read_above(above: float) -> float:
    """Check what a quantity is to exceed."""
    if isinstance(above, bool) or not isinstance(above, Real):
        raise PUTypeError(f"above must be a number, but {brief(above)} was passed.")
    if not isfinite(above):
        raise PUValueError(f"above must be finite, but {above!r} was passed.")
    return float(above)


def robustness(
    request: Request,
    conclusion: Conclusion,
    betas: Betas,
    selection_odds: float | Sequence[float],
) -> pd.DataFrame:
    """Return a quantity with its bounds for each factor, and the factor that breaks a conclusion.

    There is a row for each ranking or pair of models, beta and factor.
    """
    odds = _read_odds(selection_odds)
    betas.refuse_estimates()
    if "pairs" in conclusion.quantity.can:
        return _of_pairs(request, conclusion, betas, odds)

    def question(ranking: Ranking, beta: BetaRange, _: Settings) -> Columns:
        check_selection(ranking, conclusion.at_factor(2.0))
        values = [conclusion.value(ranking, beta.values, factor) for factor in odds]
        points = [
            _breaking_point(ranking, beta.values[[i]], conclusion) for i in range(beta.values.size)
        ]
        return _columns(conclusion, beta.values, odds, values, np.array(points))

    rankings = request.rankings("breakpoints", conclusion.settings)
    results = map_rankings(request, rankings, question, betas, conclusion.settings)
    frame = as_rows(results)
    if conclusion.cutoff is None:
        warn_of_areas(frame[frame["selection_odds"] == odds[0]], results)
    return frame


def _breaking_point(ranking: Ranking, beta: FloatArray, conclusion: Conclusion) -> float:
    """Return the factor that breaks a conclusion at one beta."""

    def holds(factor: float) -> bool:
        return bool(conclusion.value(ranking, beta, factor).lower[0] > conclusion.above)

    at_random = conclusion.value(ranking, beta, 1.0)
    return np.nan if np.isnan(at_random.lower[0]) else find_breaking_point(holds)


def _of_pairs(
    request: Request, conclusion: Conclusion, betas: Betas, odds: Sequence[float]
) -> pd.DataFrame:
    """Return the difference of models for each factor, and the one that changes their order."""

    def question(paired: PairedRanks, beta: BetaRange, _: Settings) -> Columns:
        values = beta.values
        at_random = conclusion.tests(paired, values, 1.0)
        points = np.empty(at_random.difference.shape)
        for pair, column in np.ndindex(points.shape):
            holds = _order_holds(paired, values[[column]], pair, conclusion)
            points[pair, column] = find_breaking_point(holds)
        points[np.isnan(at_random.lower)] = np.nan
        tests = [conclusion.tests(paired, values, factor) for factor in odds]
        of_odds = [Value(each.difference, each.lower, each.upper, each.reach) for each in tests]
        columns = _columns(conclusion, values, odds, of_odds, points)
        pairs = at_random.first, at_random.second
        return pair_columns(paired.names, [*paired.ranks], pairs, columns)

    results = map_rankings(request, request.pair(conclusion.on), question, betas)
    return as_rows(results)


def _order_holds(
    paired: PairedRanks, beta: FloatArray, pair: int, conclusion: Conclusion
) -> Callable[[float], bool]:
    """Return whether an interval leaves out 0, as a function of the factor."""

    def holds(factor: float) -> bool:
        tests = conclusion.tests(paired, beta, factor)
        return bool(tests.lower[pair, 0] > 0 or tests.upper[pair, 0] < 0)

    return holds


def _columns(
    conclusion: Conclusion,
    betas: FloatArray,
    odds: Sequence[float],
    values: Sequence[Value],
    points: FloatArray,
) -> dict[str, Any]:
    """Return the columns of a row for each beta and factor, within each pair of models."""
    band = values[0].band
    bounds = [(value.estimate, value.lower, value.upper) for value in values]
    estimate, lower, upper = (np.stack(side, -1) for side in zip(*bounds, strict=True))
    ranges = {}
    if band is None:  # where labels are random there is one estimate
        reach = [value.reach or (value.estimate, value.estimate) for value in values]
        ranges = {
            name: np.stack(end, -1)
            for name, end in zip(_RANGE, zip(*reach, strict=True), strict=True)
        }
    return {
        "beta": betas[:, np.newaxis],
        "selection_odds": np.array(odds),
        "quantity": conclusion.quantity.name,
        "estimate": estimate,
        **ranges,
        "lower": lower,
        "upper": upper,
        "above": conclusion.above,
        "breaking_point": points[..., np.newaxis],
        "level": conclusion.settings.level,
        **({} if band is None else {"band": band}),
        "target": conclusion.target,
    }


def check_drawn(betas: Betas, selection_odds: Sequence[float]) -> None:
    """Raise unless robustness can be drawn: at the same betas, and over several factors."""
    odds = _read_odds(selection_odds)
    if len(odds) < 2 or isinf(odds[-1]):
        raise PUValueError(
            f"selection_odds must hold two or more finite factors, but {odds} was passed. For "
            "example selection_odds=[1, 1.5, 2, 3]."
        )
    if betas.shared is None:
        raise PUValueError(
            "plot_robustness needs the same betas for all groups, but each has its own. Pass a "
            "number or an array, or draw one group after the other on ax=."
        )


def _read_odds(selection_odds: float | Sequence[float]) -> list[float]:
    """Check factors, and sort them."""
    factors = np.atleast_1d(as_array(selection_odds))
    if factors.ndim > 1 or factors.dtype.kind not in "iuf" or not factors.size:
        raise PUTypeError(
            "selection_odds must be numbers from 1 on, but "
            f"{brief(selection_odds)} was passed. For example selection_odds=[1, 1.5, 2, 3]."
        )
    return sorted({check_selection_odds(factor) for factor in factors.tolist()})

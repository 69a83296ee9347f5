"""What numbers are for selections within several factors, and which break a conclusion."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from math import isfinite, isinf
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import as_array, check_selection_odds
from pu_accessor.datasets.schema import BOUND
from pu_accessor.errors import PUTypeError, PUValueError, brief, suggestion
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.comparison.paired import Difference, compare_paired
from pu_accessor.inference.comparison.within_odds import compare_within
from pu_accessor.inference.estimates.cutoff_spec import At, read_at
from pu_accessor.inference.estimates.metric_at import metric_at
from pu_accessor.inference.estimates.within_odds import estimate_any
from pu_accessor.inference.search import find_breaking_point
from pu_accessor.inference.settings import Rule, check_target
from pu_accessor.inference.tables.latent_bounds import check_selection
from pu_accessor.inference.tables.rates import METRICS, Metric, metric_name
from pu_accessor.questions.betas import GroupBeta, check_beta, is_by_key
from pu_accessor.questions.comparison import compare_paired as ask_pairs
from pu_accessor.questions.comparison import name_pairs
from pu_accessor.questions.estimates import auroc, average_precision, metric
from pu_accessor.questions.request import Asked, ask, ask_rankings
from pu_accessor.questions.rows import as_rows
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, PairedRanks, Ranking

__all__ = ["Quantity", "breaking_points", "read_quantity", "values_by_odds"]

On: TypeAlias = Hashable | list[Hashable] | None

_AREAS = {"auroc": "roc", "average_precision": "pr"}
_NAMES = {"auroc": "AUROC", "average_precision": "average precision"}
_DIFFERENCE = "difference"
_RANGE = ("range_lower", "estimate", "range_upper")


class Quantity(NamedTuple):
    """A number, and what is concluded from it.

    Parameters
    ----------
    name : str or callable
        "auroc", "average_precision", "difference", or a metric.
    at : int, mapping of str to float, or {"youden", "maximum"}, optional
        The cutoff of a metric.
    above : float
        The conclusion is that the number is above this; for a difference that it is not 0.
    target : {"population", "examples"}
        Whether the number is about new examples or about these.
    rule : Rule
        How to bound, for labels at random.
    on : hashable or list of hashable, optional
        Columns that pair the rows of models in rows, for a difference.
    """

    name: str | Metric
    at: At | None
    above: float
    target: str
    rule: Rule
    on: On = None

    @property
    def label(self) -> str:
        """Its name."""
        return self.name if isinstance(self.name, str) else metric_name(self.name)


def read_quantity(
    name: str | Metric,
    at: At | None,
    above: float | None,
    target: str | None,
    rule: Rule,
    on: On = None,
) -> Quantity:
    """Check what robustness is asked of."""
    areas = [*_AREAS, _DIFFERENCE]
    if not callable(name) and not (isinstance(name, str) and name in [*areas, *METRICS]):
        raise PUValueError(
            f"quantity must be one of {areas}, or a metric, but {brief(name)} was passed."
            f"{suggestion(name, [*areas, *METRICS])}"
        )
    if isinstance(name, str) and name in areas:
        about = "population" if target is None else target
        check_target(about)
        if at is not None:
            raise PUValueError(f"at must not be passed with {name!r}, which has no cutoff.")
        if (rule.band, rule.reference) != (Rule().band, Rule().reference):
            raise PUValueError(
                f"band and reference must be left out with {name!r}, which takes no band. They go "
                "with a metric at a cutoff."
            )
    else:
        if at is None:
            raise PUValueError(
                f"at must say the cutoff of {metric_name(name)!r}, for example at=100 or "
                "at={'recall': 0.9}."
            )
        read_at(at)
        about = "examples" if target is None else target
        check_target(about, "a metric, which bands bound of these examples")
        replace(rule, selection_odds=2.0)  # raises where the band has no factor
    _check_difference(name, above, on)
    default = 0.0 if name == _DIFFERENCE else 0.5
    if above is None:
        return Quantity(name, at, default, about, rule, on)
    if isinstance(above, bool) or not isinstance(above, Real):
        raise PUTypeError(f"above must be a number, but {brief(above)} was passed.")
    if not isfinite(above):
        raise PUValueError(f"above must be finite, but {above!r} was passed.")
    return Quantity(name, at, float(above), about, rule)


def _check_difference(name: str | Metric, above: float | None, on: On) -> None:
    """Raise where something does not go with a difference, or with a number that is none."""
    if name == _DIFFERENCE and above is not None:
        raise PUValueError(
            f"above must be left out with 'difference', but {above!r} was passed: the conclusion "
            "is that one model is better than the other."
        )
    if name != _DIFFERENCE and on is not None:
        raise PUValueError(
            f"on must be left out with {metric_name(name)!r}, but {brief(on)} was passed: it "
            "pairs the rows of models, and a number of one model needs no pairs."
        )


def breaking_points(asked: Asked, beta: GroupBeta, quantity: Quantity) -> pd.DataFrame:
    """Return by which factor odds may differ before a conclusion breaks."""
    check_beta(beta)
    if quantity.name == _DIFFERENCE:
        return _of_pairs(asked, beta, quantity)

    def question(ranking: Ranking, betas: FloatArray, _: Rule) -> dict[str, Any]:
        check_selection(ranking, replace(quantity.rule, selection_odds=2.0))
        estimate, lower = np.empty(betas.size), np.empty(betas.size)
        for place in range(betas.size):
            estimate[place], lower[place] = _break(ranking, betas[[place]], quantity)
        return {
            "quantity": [quantity.label] * betas.size,
            "estimate": estimate,
            "above": np.full(betas.size, quantity.above),
            "breaking_point": lower,
            "level": np.full(betas.size, quantity.rule.level),
            "target": [quantity.target] * betas.size,
        }

    answers = ask_rankings(asked, "breakpoints", beta, Rules(quantity.rule.level), question)
    return as_rows(answers, [answer.content for answer in answers.each], betas=True)


def values_by_odds(
    asked: Asked, beta: GroupBeta, quantity: Quantity, selection_odds: Sequence[float]
) -> xr.Dataset:
    """Return a number with its bounds for each of some factors, to be drawn."""
    odds = _read_odds(selection_odds)
    if is_by_key(beta):
        raise PUValueError(
            "plot_robustness needs the same betas for all groups, but each has its own. Pass a "
            "number or an array, or draw one group after the other on ax=."
        )
    broken = breaking_points(asked, beta, quantity)
    each = [_at(asked, beta, quantity, factor).assign(selection_odds=factor) for factor in odds]
    every = pd.concat(each, ignore_index=True)
    keys = _keys(broken)
    if quantity.name == _DIFFERENCE:
        sides = [key for key in keys if str(key)[-2:] in ("_a", "_b")]
        broken, every = (_with_pairs(frame, sides) for frame in (broken, every))
        keys = [*(key for key in keys if key not in sides), "pair"]
    found = every.set_index([*keys, "beta", "selection_odds"]).to_xarray()
    value = _by_bound(found, ("lower", "estimate", "upper"))
    data = {"value": value, "breaking_point": _places(broken, keys)}
    if "range_lower" in found:
        for name in ("range_lower", "range_upper"):  # at a factor of 1 there is no other
            found[name] = found[name].fillna(found["estimate"])
        data["range"] = _by_bound(found, _RANGE)
    band = {"band": band_name(quantity.rule.band)} if quantity.at is not None else {}
    attrs = {
        "level": quantity.rule.level,
        **band,
        "target": quantity.target,
        "above": quantity.above,
        "long_name": _long_name(quantity),
    }
    as_they_came = {key: pd.unique(every[key]) for key in keys}
    return xr.Dataset(data, attrs=attrs).sel(as_they_came)


def _break(ranking: Ranking, betas: FloatArray, quantity: Quantity) -> tuple[float, float]:
    """Return the estimate at one beta, and the factor that breaks the conclusion."""

    def ends(odds: float) -> tuple[float, float]:
        rule = replace(quantity.rule, selection_odds=odds)
        if isinstance(quantity.name, str) and quantity.name in _AREAS:
            area = estimate_any(ranking, betas, rule, _AREAS[quantity.name], quantity.target)
            return float(area.value[0]), float(area.lower[0])
        at = cast("At", quantity.at)  # a metric has one
        found = metric_at(ranking, betas, quantity.name, read_at(at), rule)
        return float(found.estimate[0]), float(found.lower[0])

    estimate, lower = ends(1.0)
    if np.isnan(lower):
        return estimate, np.nan
    return estimate, find_breaking_point(lambda odds: ends(odds)[1] > quantity.above)


def _of_pairs(asked: Asked, beta: GroupBeta, quantity: Quantity) -> pd.DataFrame:
    """Return by which factor odds may differ before models change their order."""
    level, target = quantity.rule.level, quantity.target

    def question(paired: PairedRanks, betas: FloatArray) -> dict[str, Any]:
        base = compare_paired(paired, betas, level, target)
        size = cast("Difference", base.size)  # there are betas
        points = np.empty(size.difference.shape)
        for column in range(betas.size):
            for pair in range(base.first.size):
                holds = _order_holds(paired, betas[[column]], pair, quantity)
                points[pair, column] = find_breaking_point(holds)
        points[np.isnan(size.lower)] = np.nan
        rows = np.repeat(np.arange(base.first.size), betas.size)
        pairs = name_pairs(paired.names, [*paired.ranks], base.first[rows], base.second[rows])
        return {
            **pairs,
            "beta": np.tile(betas, base.first.size),
            "quantity": [_DIFFERENCE] * rows.size,
            "estimate": size.difference.ravel(),
            "above": np.zeros(rows.size),
            "breaking_point": points.ravel(),
            "level": np.full(rows.size, level),
            "target": [target] * rows.size,
        }

    answers = ask(asked, asked.pair(quantity.on), question, beta)
    return as_rows(answers, [answer.content for answer in answers.each])


def _order_holds(
    paired: PairedRanks, betas: FloatArray, pair: int, quantity: Quantity
) -> Callable[[float], bool]:
    """Return whether an interval leaves out 0, as a function of the factor."""

    def holds(odds: float) -> bool:
        level, target = quantity.rule.level, quantity.target
        found = (
            compare_within(paired, betas, level, target, odds)
            if odds > 1
            else compare_paired(paired, betas, level, target)
        )
        size = cast("Difference", found.size)  # there is a beta
        return bool(size.lower[pair, 0] > 0 or size.upper[pair, 0] < 0)

    return holds


def _at(asked: Asked, beta: GroupBeta, quantity: Quantity, odds: float) -> pd.DataFrame:
    """Ask for the number at one factor."""
    given = quantity.rule
    rule = Rules(given.level, band_name(given.band), given.reference, selection_odds=odds)
    if quantity.name == _DIFFERENCE:
        found = ask_pairs(asked, beta, quantity.on, rule, quantity.target)
        return found.rename(columns={"difference": "estimate"})
    if quantity.name == "auroc":
        return auroc(asked, beta, rule, quantity.target)
    if quantity.name == "average_precision":
        return average_precision(asked, beta, rule, quantity.target)
    return metric(asked, quantity.name, beta, cast("At", quantity.at), rule, quantity.target)


def _keys(broken: pd.DataFrame) -> list[Hashable]:
    """Return the columns of the keys: those before beta."""
    return [*broken.columns[: broken.columns.get_loc("beta")]]


def _with_pairs(frame: pd.DataFrame, sides: Sequence[Hashable]) -> pd.DataFrame:
    """Name pairs of models in one column."""
    half = len(sides) // 2
    first, second = (
        frame[[*some]].astype(str).agg(", ".join, axis=1) for some in (sides[:half], sides[half:])
    )
    return frame.assign(pair=first + " less " + second)


def _places(broken: pd.DataFrame, keys: Sequence[Hashable]) -> xr.DataArray:
    """Return breaking points over groups and betas."""
    found: xr.DataArray = broken.set_index([*keys, "beta"])["breaking_point"].to_xarray()
    return found


def _by_bound(found: xr.Dataset, names: Sequence[str]) -> xr.DataArray:
    """Put columns along the dimension of bounds."""
    bounds = xr.concat([found[name] for name in names], dim=pd.Index(BOUND, name="bound"))
    return bounds.transpose(..., "bound", "beta", "selection_odds").rename("value")


def _long_name(quantity: Quantity) -> str:
    """Return the label of the axis."""
    if quantity.name == _DIFFERENCE:
        return "difference in AUROC"
    if quantity.label in _NAMES:
        return _NAMES[quantity.label]
    return quantity.label.replace("_", " ")


def _read_odds(selection_odds: Sequence[float]) -> list[float]:
    """Check factors, and sort them."""
    every = np.atleast_1d(as_array(selection_odds))
    if every.ndim > 1 or every.dtype.kind not in "iuf":
        raise PUTypeError(
            "selection_odds must be numbers from 1 on, but "
            f"{brief(selection_odds)} was passed. For example selection_odds=[1, 1.5, 2, 3]."
        )
    odds = sorted({check_selection_odds(each) for each in every.tolist()})
    if len(odds) < 2 or isinf(odds[-1]):
        raise PUValueError(
            f"selection_odds must hold two or more finite factors, but {odds} was passed. For "
            "example selection_odds=[1, 1.5, 2, 3]."
        )
    return odds

"""Numbers with intervals of many rankings -> one tidy frame."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.errors import shorten, warn_caller
from pu_accessor.inference.estimates.auroc import estimate_auroc
from pu_accessor.inference.estimates.average_precision import (
    estimate_precision,
    estimate_precision_around,
)
from pu_accessor.inference.estimates.batched import estimate_population_aurocs
from pu_accessor.inference.estimates.binomial import metric_on_new
from pu_accessor.inference.estimates.cutoff_spec import At, Cutoff, are_several, read_cutoffs
from pu_accessor.inference.estimates.fallbacks import Estimates
from pu_accessor.inference.estimates.joint import (
    BetaRange,
    join_estimates,
    join_metric_at,
    join_metric_on_new,
)
from pu_accessor.inference.estimates.metric_at import AtCutoff, metric_at
from pu_accessor.inference.estimates.population_auroc import estimate_population_auroc
from pu_accessor.inference.estimates.population_average_precision import (
    estimate_population_precision,
)
from pu_accessor.inference.estimates.within_odds import check_whole_area, estimate_within
from pu_accessor.inference.settings import Rule, check_target
from pu_accessor.inference.tables.areas import check_max_fpr
from pu_accessor.inference.tables.rates import Metric, as_metrics, metric_name
from pu_accessor.questions.betas import GroupBeta
from pu_accessor.questions.macro_average import (
    Over,
    average_of_auroc,
    average_of_metrics,
    average_of_precision,
    average_over,
)
from pu_accessor.questions.ranges import check_random, read_ranges, tell_of
from pu_accessor.questions.request import Asked, ask_rankings
from pu_accessor.questions.rows import Answer, Answers, as_rows
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, Ranking, Stack

__all__ = ["Area", "auroc", "average_precision", "metric", "read_target", "with_intervals"]

_ROUNDING = 1e-9  # of an estimate, by which it is not outside
_REACH = ("range_lower", "range_upper")


def auroc(
    asked: Asked,
    beta: GroupBeta,
    rules: Rules,
    target: str,
    *,
    max_fpr: float | None = None,
    joint: str = "approximate",
    over: Over | None = None,
) -> pd.DataFrame:
    """Estimate the area under the ROC curve of each ranking, with an interval."""
    check_max_fpr(max_fpr)
    check_target(target, "max_fpr=..." if max_fpr is not None and max_fpr < 1 else None)
    check_whole_area(rules.shared, max_fpr)
    if over is not None:
        asked_of = average_of_auroc(target, max_fpr)
        return average_over(over, asked, beta, rules, target, joint, asked_of)

    def estimate(ranking: Ranking, betas: FloatArray, rule: Rule) -> Estimates:
        if rule.selection_odds > 1:
            return estimate_within(ranking, betas, rule, "roc", target)
        if target == "population":
            return estimate_population_auroc(ranking, betas, rule)
        return estimate_auroc(ranking, betas, rule, max_fpr)

    def at_once(stack: Stack, betas: FloatArray) -> list[Estimates | None]:
        return estimate_population_aurocs(stack, betas, rules.shared.level)

    plain = target == "population" and not rules.has_interval and rules.selection_odds == 1
    ask = Area(rules, target, joint, estimate, at_once if plain else None)
    return with_intervals(asked, beta, ask)


def average_precision(
    asked: Asked,
    beta: GroupBeta,
    rules: Rules,
    target: str,
    *,
    joint: str = "approximate",
    over: Over | None = None,
) -> pd.DataFrame:
    """Estimate the average precision of each ranking, with an interval."""
    check_target(target)
    if over is not None:
        asked_of = average_of_precision()
        return average_over(over, asked, beta, rules, target, joint, asked_of)

    def estimate(ranking: Ranking, betas: FloatArray, rule: Rule) -> Estimates:
        if rule.selection_odds > 1:
            return estimate_within(ranking, betas, rule, "pr", target)
        if target == "population":
            return estimate_population_precision(ranking, betas, rule)
        return estimate_precision(ranking, betas, rule)

    around = estimate_precision_around if target == "examples" else None
    return with_intervals(asked, beta, Area(rules, target, joint, estimate, around=around))


def metric(
    asked: Asked,
    name: str | Metric | Sequence[str | Metric],
    beta: GroupBeta,
    at: At,
    rules: Rules,
    target: str | None,
    *,
    joint: str = "approximate",
    over: Over | None = None,
) -> pd.DataFrame:
    """Evaluate metrics of each ranking at the cutoffs that a person reports."""
    cutoffs = read_cutoffs(at)
    each = [(one, cutoff) for one in as_metrics(name) for cutoff in cutoffs]
    places = [cutoff.value for _, cutoff in each] if are_several(at) else []
    labels = [metric_name(one) for one, _ in each]
    if over is not None:
        goal = "population" if target is None else target
        named = {"metric": labels} | ({"at": places} if places else {})
        asked_of = average_of_metrics(each, named)
        return average_over(over, asked, beta, rules, goal, joint, asked_of)
    about = read_target(target, cutoffs[0], rules)
    ranges = read_ranges(beta, rules, joint)
    check_random(ranges, rules)

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> list[AtCutoff]:
        if about == "population":
            return [metric_on_new(ranking, betas, one, at.value, rule) for one, at in each]
        return [metric_at(ranking, betas, one, at, rule) for one, at in each]

    def joined(ranking: Ranking, beta: BetaRange) -> list[AtCutoff]:
        beta.check_counts(ranking.total)
        rule = rules.shared
        if about == "population":
            return [
                join_metric_on_new(ranking, beta, one, at.value, rule, joint) for one, at in each
            ]
        return [join_metric_at(ranking, beta, one, at, rule, joint) for one, at in each]

    # What a user's function maximises can be anywhere.
    chosen = cutoffs[0].kind in ("maximum", "youden") and any(callable(one) for one, _ in each)
    estimated = beta if ranges is None else ranges
    answers = ask_rankings(
        asked, "all" if chosen else "breakpoints", estimated, rules, question, joined=joined
    )
    columns = [
        _cutoff_columns(a, labels, places, rules, about)
        | tell_of(ranges, answers.names, a.key, a.betas.size * len(each))
        for a in answers.each
    ]
    return as_rows(answers, columns)


def _cutoff_columns(
    answer: Answer[list[AtCutoff]],
    labels: Sequence[str],
    places: Sequence[float],
    rules: Rules,
    about: str,
) -> dict[str, Any]:
    """Return metrics at cutoffs as columns, betas first, and what they are about."""
    found, betas = answer.content, answer.betas
    size = len(found) * betas.size
    fields = ["rank", "threshold", "estimate", "lower", "upper"]
    if found[0].envelope_lower is not None:
        fields += ["envelope_lower", "envelope_upper"]
    return {
        "beta": np.repeat(betas, len(found)),
        "metric": [*labels] * betas.size,
        **({"at": [*places] * betas.size} if places else {}),
        **{name: np.stack([getattr(one, name) for one in found], 1).ravel() for name in fields},
        "level": np.full(size, rules.shared.level),
        **_odds(rules, size),
        "band": [one.band for one in found] * betas.size,
        "target": [about] * size,
    }


def read_target(target: str | None, cutoff: Cutoff, rules: Rules) -> str:
    """Return what a metric at a cutoff is about, or say what it cannot be about."""
    fixed = cutoff.kind == "threshold"
    if target is None:
        return "population" if fixed and _is_plain(rules) else "examples"
    check_target(target, None if fixed else f"at={cutoff.kind!r}, which is a cutoff of these")
    if target == "population" and not _is_plain(rules):
        check_target(target, "a band, reference or selection_odds, which bound these examples")
    return target


def _is_plain(rules: Rules) -> bool:
    """Tell whether no band was chosen."""
    names = "band", "reference", "selection_odds"
    return all(getattr(rules, name) == getattr(Rules(), name) for name in names)


def _odds(rules: Rules, size: int) -> dict[str, FloatArray]:
    """Return the column of the factor, where labels are not taken to be random."""
    odds = rules.selection_odds
    return {} if odds == 1 else {"selection_odds": np.full(size, odds)}


class Area(NamedTuple):
    """What is asked of each ranking: an area, of new examples or of these.

    Parameters
    ----------
    rules : Rules
        With the level.
    target : {"population", "examples"}
        What it is about.
    joint : {"approximate", "guaranteed"}
        How the error of an estimated beta is put together with that of the ranking.
    estimate : callable
        From a ranking, betas and a rule to estimates in [0, 1].
    at_once : callable, optional
        As in `pu_accessor.questions.request.ask_rankings`.
    around : callable, optional
        As `estimate`, with limits at the first beta alone, where they take long.
    """

    rules: Rules
    target: str
    joint: str
    estimate: Callable[[Ranking, FloatArray, Rule], Estimates]
    at_once: Callable[[Stack, FloatArray], list[Estimates | None]] | None = None
    around: Callable[[Ranking, FloatArray, Rule], Estimates] | None = None


def with_intervals(asked: Asked, beta: GroupBeta, area: Area) -> pd.DataFrame:
    """Estimate for each ranking and beta."""
    rules, level = area.rules, area.rules.shared.level
    ranges = read_ranges(beta, rules, area.joint)
    check_random(ranges, rules)
    inner = rules.shared if ranges is None else replace(rules.shared, level=ranges.left)

    def joined(ranking: Ranking, beta: BetaRange) -> Estimates:
        beta.check_counts(ranking.total)
        quick = beta.limits == "none" and area.joint == "approximate"
        estimate = area.around if quick and area.around is not None else area.estimate
        found = estimate(ranking, beta.betas(level, area.joint), inner)
        return join_estimates(found, beta, area.joint)

    answers = ask_rankings(
        asked,
        "breakpoints",
        beta if ranges is None else ranges,
        rules,
        area.estimate,
        at_once=area.at_once,
        joined=joined,
    )
    size = answers.each[0].betas.size
    about = {
        "level": np.full(size, level),
        **_odds(rules, size),
        "target": np.full(size, area.target, object),
    }
    columns = [
        _columns(a.content, about) | tell_of(ranges, answers.names, a.key) for a in answers.each
    ]
    found = as_rows(answers, columns, betas=True)
    _warn_of(found, answers)
    return found


def _columns(found: Estimates, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return estimates as columns, and what they are about."""
    columns = {
        "estimate": found.value,
        "standard_error": found.error,
        "lower": found.lower,
        "upper": found.upper,
        **({} if found.reach is None else dict(zip(_REACH, found.reach, strict=True))),
        **about,
    }
    if found.envelope is None:
        return columns
    size, (low, high) = found.value.size, found.envelope
    return columns | {
        "envelope_lower": np.full(size, low),
        "envelope_upper": np.full(size, high),
    }


def _warn_of(found: pd.DataFrame, answers: Answers[Estimates]) -> None:
    """Warn of estimates that have no standard error, or that no table can have."""
    # Where beta exceeds its limit, that is said already.
    beyond = np.concatenate([a.betas > _limit(a) for a in answers.each])
    alone = np.concatenate([np.full(a.betas.size, _has_one(a)) for a in answers.each])
    value = found["estimate"]
    for which, told in (
        (
            found["lower"].isna() & alone,
            "there is one known positive alone, or one other example, which has no standard "
            "error: the interval is NaN. Label more, or take the areas under bounding curves: "
            "df.pu.contingency(0.3).pu.area('roc')",
        ),
        (
            ((value < -_ROUNDING) | (value > 1 + _ROUNDING) | (value.isna() & ~alone)) & ~beyond,
            "the estimate lies outside [0, 1], and is NaN where by more than its error: "
            "beta is too high for this ranking, or the labels are no random sample of the "
            "positives. Pass a smaller beta",
        ),
    ):
        if which.any():
            rows = found.loc[which, [*answers.names, "beta"]].to_dict("records")
            where = shorten(map(str, rows), most=3, width=100)
            text = f"In {which.sum()} of {len(found)} rows {told}. They are at [{where}]."
            warn_caller(text, page="beta#too-high" if "beta" in told else None)


def _has_one(answer: Any) -> bool:
    """Tell if there is one known positive alone, or one other example."""
    if answer.about is None:
        return False
    total = answer.about.total
    return bool(total.known_positive == 1 or total.known_negative + total.unlabeled < 2)


def _limit(answer: Any) -> float:
    """Return the limit on beta that known positives set, infinite where they set none."""
    limit = float("nan") if answer.about is None else float(answer.about.beta_limit)
    return limit if limit == limit else float("inf")

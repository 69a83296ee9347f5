"""Numbers with intervals of many rankings -> one tidy frame."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.errors import shorten, warn_caller
from pu_accessor.inference.estimates.auroc import estimate_auroc
from pu_accessor.inference.estimates.binomial import metric_on_new
from pu_accessor.inference.estimates.complete import Estimates
from pu_accessor.inference.estimates.cutoff import At, Cutoff, metric_at, read_at
from pu_accessor.inference.estimates.population import estimate_population_auroc
from pu_accessor.inference.estimates.population_precision import estimate_population_precision
from pu_accessor.inference.estimates.precision import estimate_precision
from pu_accessor.inference.estimates.stacked import estimate_population_aurocs
from pu_accessor.inference.rule import Rule, check_target
from pu_accessor.inference.tables.areas import check_max_fpr
from pu_accessor.inference.tables.rates import Metric, check_metric, metric_name
from pu_accessor.ranking import FloatArray, Ranking, Ranks, Stack
from pu_accessor.results.ask import Answers, Asked, as_rows, ask_rankings
from pu_accessor.results.betas import GroupBeta

__all__ = ["auroc", "average_precision", "metric"]


def auroc(
    asked: Asked, beta: GroupBeta, rule: Rule, target: str, *, max_fpr: float | None = None
) -> pd.DataFrame:
    """Estimate the area under the ROC curve of each ranking, with an interval.

    Parameters
    ----------
    asked : Asked
        Whom to ask.
    beta : float, array-like of float, or mapping, Series or DataArray of float by key
        Fraction of positives among the unlabeled, in [0, 1).
    rule : Rule
        Its level and interval of beta.
    target : {"population", "examples"}
        Whether the interval is about new examples or about these.
    max_fpr : float in (0, 1], optional
        Take the curve up to this false positive rate, standardised.

    Returns
    -------
    DataFrame
        A row for each group and beta: the key, beta, estimate, standard_error, lower, upper,
        level, target; with an interval of beta also envelope_lower, envelope_upper.

    Warns
    -----
    PUWarning
        If there is one known positive alone; if an estimate lies outside [0, 1].
    """
    check_max_fpr(max_fpr)
    check_target(target, "max_fpr=..." if max_fpr is not None and max_fpr < 1 else None)

    def question(ranking: Ranking, betas: FloatArray) -> Estimates:
        if target == "population":
            return estimate_population_auroc(ranking, betas, rule)
        return estimate_auroc(ranking, betas, rule, max_fpr)

    def at_once(stack: Stack, betas: FloatArray) -> list[Estimates | None]:
        return estimate_population_aurocs(stack, betas, rule.level)

    plain = target == "population" and rule.beta_interval is None
    return _with_intervals(asked, beta, rule, target, question, at_once if plain else None)


def average_precision(asked: Asked, beta: GroupBeta, rule: Rule, target: str) -> pd.DataFrame:
    """Estimate the average precision of each ranking, with an interval.

    Parameters
    ----------
    asked, beta, rule, target
        As in `auroc`.

    Returns
    -------
    DataFrame
        As `auroc`.

    Warns
    -----
    PUWarning
        As `auroc`.
    """
    check_target(target)

    def question(ranking: Ranking, betas: FloatArray) -> Estimates:
        if target == "population":
            return estimate_population_precision(ranking, betas, rule)
        return estimate_precision(ranking, betas, rule)

    return _with_intervals(asked, beta, rule, target, question)


def metric(
    asked: Asked, name: str | Metric, beta: GroupBeta, at: At, rule: Rule, target: str | None
) -> pd.DataFrame:
    """Evaluate a metric of each ranking at the cutoff that a person reports.

    Parameters
    ----------
    asked, beta, rule
        As in `auroc`.
    name : str or callable
        As in `pu_accessor.results.curves.metric`.
    at : int, mapping of str to float, or {"youden", "maximum"}
        Which cutoff.
    target : {"population", "examples"}, optional
        Whether the interval is about new examples, which takes a threshold, or about these. By
        default that is new examples at a threshold, and these at all other cutoffs.

    Returns
    -------
    DataFrame
        A row for each group and beta: the key, beta, metric, rank, threshold, estimate, lower,
        upper, level, band, target.
    """
    check_metric(name)
    cutoff = read_at(at)
    about, label = _read_target(target, cutoff, rule), metric_name(name)

    def question(ranking: Ranking, betas: FloatArray) -> dict[str, Any]:
        if about == "population":
            found = metric_on_new(ranking, betas, name, cutoff.value, rule)
        else:
            found = metric_at(ranking, betas, name, cutoff, rule)
        ends = {
            "envelope_lower": found.envelope_lower,
            "envelope_upper": found.envelope_upper,
        }
        return {
            "metric": [label] * betas.size,
            "rank": found.rank,
            "threshold": found.threshold,
            "estimate": found.estimate,
            "lower": found.lower,
            "upper": found.upper,
            **{key: end for key, end in ends.items() if end is not None},
            "level": np.full(betas.size, rule.level),
            "band": [found.band] * betas.size,
            "target": [about] * betas.size,
        }

    # What a user's function maximises can be anywhere.
    ranks: Ranks = (
        "all" if callable(name) and cutoff.kind in ("maximum", "youden") else "breakpoints"
    )
    answers = ask_rankings(asked, ranks, beta, rule.level, question)
    return as_rows(answers, [answer.content for answer in answers.each], betas=True)


def _read_target(target: str | None, cutoff: Cutoff, rule: Rule) -> str:
    """Return what a metric at a cutoff is about, or say what it cannot be about."""
    fixed = cutoff.kind == "threshold"
    if target is None:
        return "population" if fixed and _is_plain(rule) else "examples"
    check_target(target, None if fixed else f"at={cutoff.kind!r}, which is a cutoff of these")
    if target == "population" and not _is_plain(rule):
        check_target(target, "a band or reference, which bound these examples")
    return target


def _is_plain(rule: Rule) -> bool:
    """Tell whether no band was chosen."""
    return (rule.band, rule.reference) == (Rule().band, Rule().reference)


def _with_intervals(
    asked: Asked,
    beta: GroupBeta,
    rule: Rule,
    target: str,
    question: Callable[[Ranking, FloatArray], Estimates],
    at_once: Callable[[Stack, FloatArray], list[Estimates | None]] | None = None,
) -> pd.DataFrame:
    """Estimate for each ranking and beta."""
    answers = ask_rankings(asked, "breakpoints", beta, rule.level, question, at_once=at_once)
    size = answers.each[0].betas.size
    about = {"level": np.full(size, rule.level), "target": np.full(size, target, object)}
    found = as_rows(answers, [_columns(a.content, about) for a in answers.each], betas=True)
    _warn_of(found, answers)
    return found


def _columns(found: Estimates, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return estimates as columns, and what they are about."""
    columns = {
        "estimate": found.value,
        "standard_error": found.error,
        "lower": found.lower,
        "upper": found.upper,
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
            "df.pu.contingency(...).pu.area",
        ),
        (
            ((value < 0) | (value > 1) | (value.isna() & ~alone)) & ~beyond,
            "the estimate lies outside [0, 1], and is NaN where by more than its error: "
            "beta is too high for this ranking, or the labels are no random sample of the "
            "positives. Pass a smaller beta",
        ),
    ):
        if which.any():
            rows = found.loc[which, [*answers.names, "beta"]].to_dict("records")
            where = shorten(map(str, rows), most=3, width=100)
            warn_caller(f"In {which.sum()} of {len(found)} rows {told}. They are at [{where}].")


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

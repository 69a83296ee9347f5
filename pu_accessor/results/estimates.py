"""Numbers with intervals of many rankings -> one tidy frame."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.errors import warn_caller
from pu_accessor.inference.estimates.auroc import estimate_auroc
from pu_accessor.inference.estimates.complete import Estimates
from pu_accessor.inference.estimates.cutoff import At, metric_at, read_target
from pu_accessor.inference.estimates.precision import estimate_precision
from pu_accessor.inference.rule import Rule
from pu_accessor.inference.tables.areas import check_max_fpr
from pu_accessor.inference.tables.rates import Metric, check_metric, metric_name
from pu_accessor.ranking import FloatArray, Ranking, Ranks
from pu_accessor.results.ask import Answers, Asked, as_rows, ask_rankings
from pu_accessor.results.betas import GroupBeta

__all__ = ["auroc", "average_precision", "metric"]


def auroc(
    asked: Asked, beta: GroupBeta, rule: Rule, *, max_fpr: float | None = None
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
    max_fpr : float in (0, 1], optional
        Take the curve up to this false positive rate, standardised.

    Returns
    -------
    DataFrame
        A row for each group and beta: the key, beta, estimate, standard_error, lower, upper,
        level; with an interval of beta also envelope_lower, envelope_upper.

    Warns
    -----
    PUWarning
        If there is one known positive alone; if an estimate lies outside [0, 1].
    """
    check_max_fpr(max_fpr)

    def question(ranking: Ranking, betas: FloatArray) -> Estimates:
        return estimate_auroc(ranking, betas, rule, max_fpr)

    return _with_intervals(asked, beta, rule, question)


def average_precision(asked: Asked, beta: GroupBeta, rule: Rule) -> pd.DataFrame:
    """Estimate the average precision of each ranking, with an interval.

    Parameters
    ----------
    asked, beta, rule
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

    def question(ranking: Ranking, betas: FloatArray) -> Estimates:
        return estimate_precision(ranking, betas, rule)

    return _with_intervals(asked, beta, rule, question)


def metric(asked: Asked, name: str | Metric, beta: GroupBeta, at: At, rule: Rule) -> pd.DataFrame:
    """Evaluate a metric of each ranking at the cutoff that a person reports.

    Parameters
    ----------
    asked, beta, rule
        As in `auroc`.
    name : str or callable
        As in `pu_accessor.results.curves.metric`.
    at : int, mapping of str to float, or {"youden", "maximum"}
        Which cutoff.

    Returns
    -------
    DataFrame
        A row for each group and beta: the key, beta, metric, rank, threshold, estimate, lower,
        upper, level, band.
    """
    check_metric(name)
    target = read_target(at)
    label = metric_name(name)

    def question(ranking: Ranking, betas: FloatArray) -> dict[str, Any]:
        found = metric_at(ranking, betas, name, target, rule)
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
        }

    # What a user's function maximises can be anywhere.
    ranks: Ranks = (
        "all" if callable(name) and target.kind in ("maximum", "youden") else "breakpoints"
    )
    answers = ask_rankings(asked, ranks, beta, rule.level, question)
    return as_rows(answers, [answer.content for answer in answers.each], betas=True)


def _with_intervals(
    asked: Asked,
    beta: GroupBeta,
    rule: Rule,
    question: Callable[[Ranking, FloatArray], Estimates],
) -> pd.DataFrame:
    """Estimate for each ranking and beta."""
    answers = ask_rankings(asked, "breakpoints", beta, rule.level, question)
    found = as_rows(answers, [_columns(a.content, rule) for a in answers.each], betas=True)
    _warn_of(found, answers)
    return found


def _columns(found: Estimates, rule: Rule) -> dict[str, FloatArray]:
    """Return estimates as columns."""
    size = found.value.size
    columns = {
        "estimate": found.value,
        "standard_error": found.error,
        "lower": found.lower,
        "upper": found.upper,
        "level": np.full(size, rule.level),
    }
    if found.envelope is None:
        return columns
    low, high = found.envelope
    return columns | {
        "envelope_lower": np.full(size, low),
        "envelope_upper": np.full(size, high),
    }


def _warn_of(found: pd.DataFrame, answers: Answers[Estimates]) -> None:
    """Warn of estimates that have no standard error, or that no table can have."""
    # Where beta exceeds its limit, that is said already.
    beyond = np.concatenate([np.isin(a.betas, _too_high(a.betas, a)) for a in answers.each])
    alone = np.concatenate([np.full(a.betas.size, _has_one(a)) for a in answers.each])
    value = found["estimate"]
    for which, told in (
        (
            found["lower"].isna() & alone,
            "there is one known positive alone, which has no standard error: the interval is NaN. "
            "Label more, or take the areas under bounding curves: df.pu.contingency(...).pu.area",
        ),
        (
            ((value < 0) | (value > 1) | (value.isna() & ~alone)) & ~beyond,
            "the estimate lies outside [0, 1], and is NaN where by more than its error: "
            "beta is too high for this ranking, or the labels are no random sample of the "
            "positives. Pass a smaller beta",
        ),
    ):
        if which.any():
            where = found.loc[which, [*answers.names, "beta"]].head(5).to_dict("records")
            warn_caller(f"In {which.sum()} of {len(found)} rows {told}. They are at {where}.")


def _has_one(answer: Any) -> bool:
    """Tell if there is one known positive alone."""
    return answer.about is not None and answer.about.total.known_positive == 1


def _too_high(betas: FloatArray, answer: Any) -> FloatArray:
    """Return the betas above the limit, where there is one."""
    limit = np.inf if answer.about is None else answer.about.beta_limit
    high: FloatArray = betas[betas > limit]
    return high

"""Metrics with intervals: areas under curves, and metrics at a cutoff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import cleandoc
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.beta import Beta, Betas, UserBeta
from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUTypeError
from pu_accessor.inference import cutoff_spec
from pu_accessor.inference.answer import Answer, join_answers
from pu_accessor.inference.areas_on_future_data import estimate_aurocs
from pu_accessor.inference.curves import check_max_fpr
from pu_accessor.inference.estimate_metric import (
    Asked,
    estimate_metric,
    is_auroc_of_future,
    targets_of,
)
from pu_accessor.inference.known_positives import count_positives
from pu_accessor.inference.metric_entry import AnyMetric, Metric
from pu_accessor.inference.metrics import METRICS, describe_metrics, read_metrics
from pu_accessor.questions import doubts, evaluation
from pu_accessor.questions.average import average_over, check_average
from pu_accessor.ranking import FloatArray, KnownBlocks, Ranking
from pu_accessor.roles_and_assumptions import Terms, UserBand

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor


def auroc(
    self: Accessor,
    beta: UserBeta,
    *,
    max_fpr: float | None = None,
    target: str = "population",
    level: float = 0.95,
) -> pd.DataFrame:
    """Estimate the area under the ROC curve, with an interval.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: the fraction of positives among them, in [0, 1]. One number,
        several, or one for each group; a ``pd.Interval`` of possible values; or the frame of
        `estimate_beta` or `beta_from_labels`, whose error the intervals then include.
    max_fpr : float, optional
        Partial AUC up to this false positive rate, 1e-12 to 1, standardised so that chance is 0.5,
        as in scikit-learn.
    target : {"population", "examples"}, default "population"
        What the interval is about: future data from the same source, or this sample.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, metric, beta, target, estimate, lower, upper
        (float64), and standard_error, where beta is a number.

    Raises
    ------
    PUValueError
        If there are no negatives, or an assumption is not supported.

    Warns
    -----
    PUWarning
        If beta exceeds the limit that the known positives set, or only one positive is known: the
        interval may be NaN.

    See Also
    --------
    plot_roc : The curve with its band.
    compare : Which of several models is better.

    Notes
    -----
    The estimate is the area of one possible labeling, that of `plot_roc`. The interval is that of
    the unbiased 1 - (mean(R) - (P + 1)/2)/M, extended to the estimate. R are the mid-ranks of the
    n known positives, P = n + beta*U positives and M negatives. Its error on future data is
    DeLong's [1]_, in this sample that of n of P positives. With selection odds or contamination
    the limits are supported by simulation, not proven.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu.auroc(0.17).round(3)
      metric  beta      target  estimate  lower  upper  standard_error
    0  auroc  0.17  population     0.889  0.852  0.921           0.017
    """
    part = check_max_fpr(max_fpr)
    entry = METRICS["auroc"] if part == 1 else replace(METRICS["auroc"], max_fpr=part)
    return estimate_metrics(self, [entry], beta, target=target, level=level)


def average_precision(
    self: Accessor, beta: UserBeta, *, target: str = "population", level: float = 0.95
) -> pd.DataFrame:
    """Estimate the average precision, with an interval.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    target : {"population", "examples"}, default "population"
        What the interval is about: future data from the same source, or this sample.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).

    Returns
    -------
    DataFrame
        The columns of `auroc`.

    Raises
    ------
    PUValueError
        If an assumption is not supported.

    Warns
    -----
    PUWarning
        As `auroc`; or if the interval may be wrong, as with fewer than 50 known positives.

    See Also
    --------
    plot_pr : The precision-recall curve with its band.

    Notes
    -----
    The mean over positives of the precision at their cutoff, as in scikit-learn, of one possible
    labeling. Future data have the prevalence of this sample, or that of
    ``assume(prevalence=...)``. In this sample, hidden positives are distributed at random over the
    gaps between known ones [1]_. With selection odds or contamination the limits are supported by
    simulation, not proven.

    References
    ----------
    .. [1] J. N. Arvesen, Annals of Mathematical Statistics 40 (1969) 2076-2100.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu.average_precision(0.17)[["estimate", "lower", "upper"]].round(3)
       estimate  lower  upper
    0     0.776  0.651  0.901
    """
    return estimate_metrics(self, [METRICS["average_precision"]], beta, target=target, level=level)


def metric(
    self: Accessor,
    metric: AnyMetric | Sequence[AnyMetric],
    beta: UserBeta | None = None,
    *,
    at: cutoff_spec.At | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
) -> pd.DataFrame:
    """Estimate metrics, with their intervals.

    Parameters
    ----------
    metric : str, callable, Metric, or a list of these
        A name of the list in the notes; ``pu_accessor.fbeta(2)``, ``pu_accessor.bedroc(80.5)``; or
        a function of the arrays tp, fp, fn and tn.
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame, optional
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains. Not
        needed for boyce, bpref, and recall or fnr of future data at a threshold.
    at : int, str or mapping, optional
        The cutoff. A number of examples predicted positive: 100 or ``{"rank": 100}``; a share of
        all examples, ``{"fraction": 0.1}``, rounded up to whole ones; a score,
        ``{"threshold": 0.5}``. A point of the true curve: the first cutoff with
        ``{"recall": 0.9}``, the last with ``{"fpr": 0.05}`` or ``{"precision": 0.9}``. The cutoff
        with the highest estimate, "maximum", or the highest informedness, "youden": limits are for
        that cutoff, not for the true maximum. With `average=` "maximum" is that of f1 or
        ``pu_accessor.fbeta`` of mean precision and mean recall over all thresholds, Fmax. A list
        has several of one kind, ``{"rank": [50, 100]}``.
    target : {"population", "examples"}, optional
        Future data, or this sample. By default future data without a cutoff, at a threshold, of
        weighted rows and for averages; this sample at other cutoffs, and for ndcg, reciprocal_rank
        and r_precision. A fraction of future data is a point of the true curve.
    level : float, default 0.95
        Confidence level of the intervals, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above the cutoff, for this sample: see `contingency`.

    Returns
    -------
    DataFrame
        A row for each group, beta, metric and cutoff: the group, metric (the name that was
        passed), at, beta, rank and threshold of the cutoff, target, estimate, lower, upper. With a
        cutoff also clipped (bool, a limit is cut to what is possible) and, at a rank or fraction,
        examples_at_threshold (int64, more than the rank in a block of ties). At a point of the
        true curve, rank and threshold are where the estimated rate is the requested one; the
        true cutoff lies between rank_lower and rank_upper (int64).

    Raises
    ------
    PUValueError
        If a metric lacks its cutoff, no cutoff has the requested rate, or arguments or assumptions
        exclude each other, such as future data and a rank.

    See Also
    --------
    cutoff : The cutoff at which a rate is guaranteed.
    plot_metric : A metric at all cutoffs.

    Notes
    -----
    On future data the shares of known positives and of the rest above the threshold, and that of
    positives among all rows unless ``assume(prevalence=...)`` states it, are binomials with
    Wilson's intervals, combined by MOVER [1]_. A cutoff chosen by a maximum uses the band
    "simultaneous" in place of "exact". A rank in a block of ties means the mean over its orders.

    At a recall, fpr or precision the limits are the extremes of the metric over the cutoffs where
    the band allows that rate [2]_: exact for this sample, asymptotic for future data. For a
    precision, half of 1 - level is spent on joint limits at all cutoffs.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] J. Neyman, Philosophical Transactions A 236 (1937) 333-380.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> rates = df.pu.metric(["precision", "recall"], 0.17, at={"rank": [100, 200]})
    >>> rates[["metric", "at", "estimate", "lower", "upper"]].round(3)
          metric   at  estimate  lower  upper
    0  precision  100     1.000  0.820  1.000
    1  precision  200     0.943  0.835  1.000
    2     recall  100     0.197  0.161  0.197
    3     recall  200     0.371  0.329  0.394
    >>> df.pu.metric(pu_accessor.bedroc(alpha=5), 0.17)[["estimate", "lower", "upper"]].round(3)
       estimate  lower  upper
    0      0.83  0.769  0.896
    """
    entries = read_metrics(metric, "metric")
    return estimate_metrics(self, entries, beta, at=at, target=target, level=level, band=band)


_NOTES = cleandoc(metric.__doc__ or "").partition("\nReferences\n")
metric.__doc__ = f"{_NOTES[0]}\n{describe_metrics()}\n{_NOTES[1]}{_NOTES[2]}\n"


def default_target(self: Accessor, cutoff: cutoff_spec.Cutoff | None) -> str:
    """Return the default target: weighted rows are a sample of future data where it has them."""
    if self._terms.average or cutoff is None or cutoff.kind == "threshold":
        return "population"
    is_of_rows = cutoff.kind in ("rank", "fraction", "recall", "fpr")
    return "population" if is_of_rows and self._terms.weight is not None else "examples"


def exclusion_facts(
    entry: Metric, cutoff: cutoff_spec.Cutoff | None
) -> tuple[str, dict[str, Any]]:
    """Return the name of a metric in the table of exclusions, and the facts of its cutoff."""
    kind = "" if cutoff is None else cutoff.kind
    of_cutoff = entry.estimator is None or entry.own_cutoff is not None
    return "at a cutoff" if of_cutoff else entry.key, {
        "at=a cutoff chosen from the data": kind in (*cutoff_spec.OPTIMIZED, "precision"),
        "at=a cutoff that only this sample has": kind
        not in (*("", "threshold", "fraction"), *cutoff_spec.RATES),
        "at=a cutoff with the maximum of any function": cutoff
        and entry.ranks_needed(cutoff) == "all",
        "at=a cutoff that depends on beta": kind not in ("", *cutoff_spec.FIXED),
        "at=a share or rate of all examples": kind in ("fraction", "youden", "fpr", "recall"),
        "at=the first positive": kind == "first",
        "at=a metric's own cutoff": kind in ("first", "positives"),
        "max_fpr": entry.max_fpr,
        "a metric that counts negatives": entry.counts_negatives,
    }


class _RankingEstimates(NamedTuple):
    """The estimates of one ranking."""

    each: list[Answer]
    doubts: Mapping[str, str] = MappingProxyType({})  # text of a warning -> a number in it


def estimate_metrics(
    self: Accessor,
    entries: Sequence[Metric],
    beta: UserBeta | None,
    *,
    at: cutoff_spec.At | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    warn_limits: bool = True,
) -> pd.DataFrame:
    """Estimate metrics of each ranking, or their averages; warn of limits, or add them."""
    asked, betas, terms = read_questions(self, entries, at, target, beta, level, band)
    named: dict[str, list[Any]] = {"metric": [one.metric.name for one in asked]}
    if at is not None:
        cutoffs, chosen = [one.cutoff for one in asked if one.cutoff], cutoff_spec.OPTIMIZED
        named["at"] = [one.kind if one.kind in chosen else one.value for one in cutoffs]
    if self._terms.average:
        return average_over(self, asked, betas, terms, named)

    def compute(ranking: Ranking, beta: Beta) -> _RankingEstimates:
        answers = [_estimate(one, ranking, beta, terms) for one in asked]
        return _RankingEstimates(answers, doubts.doubt_metrics(asked, ranking, beta))

    def columns(answers: list[Answer], beta: Beta) -> evaluation.Columns:
        return named | {"beta": beta.values[:, np.newaxis]} | _columns(answers, asked, betas)

    def compute_stack(stack: KnownBlocks, betas: FloatArray) -> list[_RankingEstimates | None]:
        areas = estimate_aurocs(stack, betas, terms.level)
        return [None if area is None else _RankingEstimates([area]) for area in areas]

    needed = {one.metric.ranks_needed(one.cutoff) for one in asked}
    rankings = self._rank("all" if "all" in needed else "breakpoints")
    is_plain = warn_limits and betas.kind == "points" and terms.is_random
    together = compute_stack if is_plain and is_auroc_of_future(asked) else None
    options: dict[str, Any] = {"warn_limits": warn_limits, "compute_stack": together}
    results = evaluation.evaluate(terms, rankings, compute, betas, **options)
    bands = {one.band for result in results.each for one in result.content.each if one.band}
    attrs = self._attrs(terms, targets_of(asked), band=", ".join(sorted(bands)))
    frame = evaluation.results_frame(results, columns, attrs, join=_join_estimates)
    return _finish(frame, results, asked, warn_limits=warn_limits, with_beta=beta is not None)


def read_questions(
    self: Accessor,
    entries: Sequence[Metric],
    at: cutoff_spec.At | None,
    target: str | None,
    beta: UserBeta | None,
    level: float,
    band: UserBand,
) -> tuple[list[Asked], Betas, Terms]:
    """Return each metric with each cutoff, and what was read for all of them."""
    asked = []
    for entry, cutoff in product(entries, [None] if at is None else cutoff_spec.read_cutoffs(at)):
        own = entry.check_cutoff(cutoff)
        if self._terms.average:
            check_average(entry, own)
        one = Asked(entry, own, default_target(self, own) if target is None else target)
        betas, terms = _read_metric_arguments(self, one, beta, level=level, band=band)
        asked.append(one)
    return asked, betas, terms


def _estimate(asked: Asked, ranking: Ranking, beta: Beta, terms: Terms) -> Answer:
    """Estimate a metric; of decisions also the prevalence, for the value of treating all."""
    answer = estimate_metric(asked, ranking, beta, terms)
    if asked.metric.cutoff != "probability":
        return answer
    total, positives = ranking.total, count_positives(ranking.total, beta.values)
    if asked.target == "examples":  # whole numbers
        hidden = hidden_counts(beta.values, total.unlabeled)
        positives = (total.known_positive + hidden).astype(np.float64)
    prevalence = positives / sum(total) if terms.prevalence is None else terms.prevalence
    return answer.with_columns(prevalence=prevalence)


def is_of_known(asked: Asked) -> bool:
    """Tell whether known positives are enough for a metric of future data, whatever beta is."""
    metric, cutoff, target = asked
    at_threshold = cutoff is not None and cutoff.kind == "threshold"
    return at_threshold and target == "population" and metric.depends_on == "recall"


def _read_metric_arguments(
    self: Accessor, asked: Asked, beta: UserBeta | None, **arguments: Any
) -> tuple[Betas, Terms]:
    """Read beta and the band for a metric; raise where arguments exclude each other."""
    entry, cutoff, target = asked
    of_known = is_of_known(asked)
    if beta is None and entry.takes_beta and not of_known:
        raise PUTypeError(
            f"beta must be passed for {entry.name!r}: the fraction of positives among the "
            f"unlabeled, for example {entry.example.partition(';')[0]}. To estimate it: "
            "beta=df.pu.estimate_beta()."
        )
    method, facts = exclusion_facts(entry, cutoff)
    # An average over new groups is at the same cutoff of each.
    facts["at=a cutoff that only this sample has"] &= not self._terms.average
    if self._terms.weight is not None and cutoff is not None and cutoff.kind == "rank":
        facts["at=a cutoff that only this sample has"] = False  # a fraction of what rows stand for
    betas, terms = self._read_arguments(method, beta, target=target, **arguments, **facts)
    if cutoff is None or cutoff.kind != "precision":  # which depends on the prevalence
        entry.check_prevalence(terms.prevalence)
    if beta is None:
        value = 0.0 if of_known or self._terms.average else np.nan
        betas = Betas(Beta(np.array([value])))
    return betas, terms


def _join_estimates(estimates: list[_RankingEstimates]) -> list[Answer]:
    """Return the answers of all rankings as one for each metric."""
    return [*map(join_answers, zip(*(one.each for one in estimates), strict=True))]


def _columns(answers: list[Answer], asked: Sequence[Asked], betas: Betas) -> dict[str, Any]:
    """Return the columns of answers, over betas and metrics."""
    columns = evaluation.answer_columns(answers, [one.target for one in asked])
    kinds = {one.cutoff.kind if one.cutoff else None for one in asked}
    if not kinds & {"rank", "fraction"}:
        columns.pop("examples_at_threshold", None)  # the rank
    if betas.kind == "points" and (
        "rank" not in columns or not all("rank" in one.columns for one in answers)
    ):
        errors = np.stack([one.error for one in answers], -1)  # each at one beta
        columns["standard_error"] = np.minimum(errors, 0.5)  # of numbers in [0, 1]
    return columns


def _finish(
    frame: pd.DataFrame,
    results: evaluation.Results[_RankingEstimates],
    asked: Sequence[Asked],
    *,
    warn_limits: bool,
    with_beta: bool,
) -> pd.DataFrame:
    """Add the columns that plots need, and warn of rows without an interval."""
    if not with_beta:
        del frame["beta"]
    if not warn_limits:
        diagnostics = [result.diagnostics for result in results.each]
        limits = [one.beta_limit if one else np.nan for one in diagnostics]
        frame["beta_limit"] = np.repeat(limits, len(frame) // len(limits))
    doubts.warn_of_results(results, lambda result: result.content.doubts)
    if with_beta and warn_limits:
        doubts.warn_of_results(results, partial(doubts.doubt_intervals, asked, results.terms))
    return evaluation.add_failed_groups(frame, results)

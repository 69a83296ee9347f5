"""Numbers with intervals: metrics, areas among them, guaranteed cutoffs, and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.beta import Beta, Betas, UserBeta
from pu_accessor.checks import check_count, latent_counts
from pu_accessor.errors import PUTypeError, PUValueError, warn_caller
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.areas_on_new_examples import (
    effective_rest,
    estimate_population_aurocs,
)
from pu_accessor.inference.estimates.cutoff_spec import (
    CHOSEN,
    FIXED,
    RATES,
    At,
    Cutoff,
    read_cutoffs,
)
from pu_accessor.inference.estimates.guaranteed_cutoffs import (
    Cost,
    Goal,
    Guaranteed,
    band_of,
    find_guaranteed,
    find_on_new,
    read_goal,
)
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.joint import estimate, widen
from pu_accessor.inference.estimates.utility import (
    Reliability,
    as_edges,
    check_bin_band,
    reliability,
)
from pu_accessor.inference.estimates.utility import scores_are_of_known as are_of_known
from pu_accessor.inference.metrics import METRICS, AnyMetric, Metric, names_for, read_metrics
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.curves import check_max_fpr
from pu_accessor.questions.ask import (
    Answer,
    Answers,
    Columns,
    as_rows,
    ask,
    warn_of_groups,
    warn_of_rows,
    with_reasons,
)
from pu_accessor.questions.average import average_over
from pu_accessor.questions.rank_bands import UserBand
from pu_accessor.ranking import Counts, FloatArray, Ranking, Rankings, Ranks, Stack

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

_MODEL = "model"
_MAX_MODELS = 1_000_000
# Known positives, and rows of the rest in effect, below which intervals of average precision on
# new examples may not hold. Calibrated by simulation: with fewer rows they cover .86 on average.
_MIN_FOR_PRECISION = 50


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
        several, or one for each group; a ``pd.Interval`` within which it varies; or the frame of
        `estimate_beta` or `beta_from_labels`, with which intervals hold jointly.
    max_fpr : float, optional
        Take the ROC curve up to this false positive rate, 1e-12 to 1: the partial AUC,
        standardised so that chance is 0.5, as scikit-learn has it.
    target : {"population", "examples"}, default "population"
        What the interval is about: future data from the same source, or this sample once all
        labels were known.
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
        If there are no negatives, or what is assumed does not go with it.

    Warns
    -----
    PUWarning
        If beta exceeds the limit that the known positives set, or if there is one known positive:
        the interval may be NaN then.

    See Also
    --------
    average_precision : Where positives are rare.
    compare : The difference of two models, without beta.

    Notes
    -----
    The estimate is the area of one possible labeling, that of `plot_roc`. The interval is built
    around the unbiased 1 - (mean(R) - (P + 1)/2)/M, with R the mid-ranks of the n known positives,
    P = n + beta*U positives and M negatives, and reaches to the estimate. For future data its
    error is DeLong's [1]_, of known positives and the rest as two samples, divided by the share
    of negatives among the rest. For this sample known positives are drawn from P positives
    without replacement.

    Within selection odds or contamination each limit moves, on the logit scale, by as much as the
    area under the bounding curve of the band "exact" does: measured, not proven.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or more
       correlated receiver operating characteristic curves: a nonparametric approach*, Biometrics
       44 (1988) 837-845.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.auroc(0.25).round(3)
      metric  beta      target  estimate  lower  upper  standard_error
    0  auroc  0.25  population     0.798  0.209    1.0           0.212
    """
    part = check_max_fpr(max_fpr)
    entry = METRICS["auroc"] if part == 1 else replace(METRICS["auroc"], max_fpr=part)
    return estimates(self, [entry], beta, target=target, level=level)


def average_precision(
    self: Accessor, beta: UserBeta, *, target: str = "population", level: float = 0.95
) -> pd.DataFrame:
    """Estimate the average precision, with an interval.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as in `auroc`.
    target : {"population", "examples"}, default "population"
        What the interval is about: future data, or this sample.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).

    Returns
    -------
    DataFrame
        As `auroc`.

    Raises
    ------
    PUValueError
        As `auroc`.

    Warns
    -----
    PUWarning
        As `auroc`.

    See Also
    --------
    auroc : The area under the ROC curve.

    Notes
    -----
    The mean over positives of the precision at their cutoff, as scikit-learn has it, of one
    possible labeling. Future data have the prevalence of this sample, or that of
    ``assume(prevalence=...)``; the error is that of influence functions, on the logit scale, and
    holds from 50 known positives on. For this sample latent positives are shared out at random
    to the gaps between known ones [1]_. Within selection odds or contamination the limits are as
    in `auroc`, and reach to the area under the bounding curve: measured, not proven.

    References
    ----------
    .. [1] J. N. Arvesen, *Jackknifing U-statistics*, Annals of Mathematical Statistics 40
       (1969) 2076-2100.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.average_precision(0.25)[["estimate", "lower", "upper"]].round(3)
       estimate  lower  upper
    0      0.77  0.204    1.0
    """
    return estimates(self, [METRICS["average_precision"]], beta, target=target, level=level)


def metric(
    self: Accessor,
    metric: AnyMetric | Sequence[AnyMetric],
    beta: UserBeta | None = None,
    *,
    at: At | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
) -> pd.DataFrame:
    """Evaluate metrics, with their intervals.

    Parameters
    ----------
    metric : str, callable, Metric, or a list of these
        At a cutoff: accuracy, balanced_accuracy, f1, fdr, fnr, for (elusion), fpr, informedness,
        jaccard, kappa, lift, mcc, npv, precision, recall, tnr, ``pu_accessor.fbeta(2)``, or a
        function of the arrays tp, fp, fn and tn; net_benefit, of probabilities at a threshold. Of
        the whole ranking: auroc, average_precision, bedroc, ``pu_accessor.bedroc(alpha=80.5)``,
        and boyce, the continuous Boyce index, which needs no beta. Of a search: ndcg at a rank,
        with binary gains, reciprocal_rank, r_precision, and bpref, which needs no beta.
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as in `auroc`. Recall and fnr of future data do without.
    at : int, str or mapping, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``; a share of
        them, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``. A point of the true curve:
        the first cutoff with ``{"recall": 0.9}``, the last with ``{"fpr": 0.05}`` or
        ``{"precision": 0.9}``. The cutoff where the estimate is highest, "maximum", or that of
        informedness, "youden": limits are of the cutoff that was taken, not of the true maximum.
        Several of one kind are a list, ``{"rank": [50, 100]}``.
    target : {"population", "examples"}, optional
        What the interval is about: future data, or this sample. By default future data without
        a cutoff and at a threshold, this sample at any other cutoff, and of ndcg,
        reciprocal_rank and r_precision.
    level : float, default 0.95
        Confidence level of each interval, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the latent positives above the cutoff, of this sample: as in `contingency`.

    Returns
    -------
    DataFrame
        A row for each group, beta, metric and cutoff: the group, metric, at, beta, rank and
        threshold of the cutoff, target, estimate, lower, upper; of a cutoff clipped (bool, a
        limit is cut to what can be) and, at a rank or fraction, examples_at_threshold (int64,
        above the rank in a block of ties). At a recall, fpr or precision rank and threshold are
        where the estimate is as asked; rank_lower and rank_upper (int64) are between which the
        true cutoff lies. Lower is the smaller number, also of an error rate.

    Raises
    ------
    PUValueError
        If a metric lacks its cutoff, or no cutoff is as asked; if what is assumed or asked does
        not go together, such as future data and a rank.

    See Also
    --------
    cutoff : The cutoff at which a metric is guaranteed.
    plot_metric : At all cutoffs.
    gap : Between groups.

    Notes
    -----
    On future data the shares of known positives and of the rest above the threshold are two
    binomials with Wilson's intervals, put together by MOVER [1]_. At a cutoff that is chosen by a
    maximum the band is "simultaneous" in place of "exact". A rank inside a block of tied scores
    means the expectation over all orders of the block.

    At a recall r of this sample limits are exact, by inversion of the band [2]_: the true labels
    fix the cutoff R of that point, and the band covers at R. So R is one of the cutoffs where the
    band allows TP = ceil(r*P) of P positives, and each of these has one table: FP = R - TP; for
    an fpr f FP = floor(f*M) of M negatives, for a precision p TP = p*R. Limits are the extremes of
    the metric over these tables. For a precision, which rises and falls, half of 1 - level
    goes to limits at all cutoffs jointly. Of future data the intervals of both shares are
    inverted alike: that is asymptotic.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] J. Neyman, *Outline of a theory of statistical estimation based on the classical theory
       of probability*, Philosophical Transactions A 236 (1937) 333-380.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> found = df.pu.metric(["precision", "recall"], 0.25, at={"rank": [2, 4]})
    >>> found[["metric", "at", "rank", "estimate", "lower", "upper"]].round(3)
          metric  at  rank  estimate  lower  upper
    0  precision   2     2     0.714  0.500  1.000
    1  precision   4     4     0.714  0.500  1.000
    2     recall   2     2     0.238  0.167  0.333
    3     recall   4     4     0.476  0.333  0.667
    >>> found = df.pu.metric(pu_accessor.bedroc(alpha=5), 0.25, target="examples")
    >>> found[["estimate", "lower", "upper"]].round(3)
       estimate  lower  upper
    0     0.705  0.436    1.0
    """
    entries = read_metrics(metric, "metric")
    return estimates(self, entries, beta, at=at, target=target, level=level, band=band)


# One question for all metrics


def default_target(cutoff: Cutoff | None) -> str:
    """Return what an interval is about unless somebody says: it depends on the cutoff alone."""
    return "population" if cutoff is None or cutoff.kind == "threshold" else "examples"


def facts_of(entry: Metric, cutoff: Cutoff | None) -> tuple[str, dict[str, Any]]:
    """Return what a metric is to the table of exclusions, and what is asked of its cutoff."""
    kind = "" if cutoff is None else cutoff.kind
    return entry.question, {
        "at=chosen": kind in (*CHOSEN, "precision"),
        "at=cutoff of this sample": kind not in ("", "threshold", *RATES),
        "at=estimated": kind not in ("", *FIXED),
        "at=of all examples": kind in ("fraction", "youden", "fpr", "recall"),
        "at=first": kind == "first",
        "at=its own": kind in ("first", "positives"),
        "max_fpr": entry.max_fpr,
        "negatives count": "retrieval" not in entry.can,
    }


def cutoffs_needed(entries: Sequence[Metric], cutoff: Cutoff | None) -> Ranks:
    """Return at which cutoffs a ranking is needed: at all where one is looked for anywhere."""
    chosen = cutoff is not None and cutoff.kind in CHOSEN
    anywhere = any(entry.is_function for entry in entries) and chosen
    anywhere |= any(entry.anywhere for entry in entries)
    return "all" if anywhere else "breakpoints"


def estimates(
    self: Accessor,
    entries: Sequence[Metric],
    beta: UserBeta | None,
    *,
    at: At | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    limits: bool = True,
) -> pd.DataFrame:
    """Estimate metrics of each ranking, at each beta and cutoff, or their means over groups.

    Where betas are above their limits is told, or written into a column of these.
    """
    cutoffs = [None] if at is None else read_cutoffs(at)
    each = [(entry, entry.check_cutoff(cutoff)) for entry in entries for cutoff in cutoffs]
    target = default_target(each[0][1]) if target is None else target
    for entry, cutoff in each:
        betas, settings = _begin(self, entry, cutoff, beta, level, band, target)
    named: dict[str, list[Any]] = {"metric": [entry.name for entry, _ in each]}
    if at is not None:
        named["at"] = [
            cutoff.kind if cutoff.kind in CHOSEN else cutoff.value for _, cutoff in each if cutoff
        ]
    if self._terms.average:
        return average_over(self, each, betas, settings, target, named)

    is_precision = entries[0].curve == "pr" and target == "population" and limits

    def question(ranking: Ranking, beta: Beta, own: Settings) -> _Found:
        found = [estimate(entry, ranking, beta, own, target, cutoff) for entry, cutoff in each]
        of_known = entries[0].of_probabilities and are_of_known(ranking, beta.values)
        return _Found(found, of_known, effective_rest(ranking) if is_precision else np.nan)

    def at_once(stack: Stack, values: FloatArray) -> list[_Found | None]:
        found = estimate_population_aurocs(stack, values, settings.level)
        return [None if one is None else _Found([one]) for one in found]

    def columns(found: _Found, beta: Beta) -> Columns:
        numbers = _columns(found.each, betas, target)
        if cutoffs[0] is None or cutoffs[0].kind not in ("rank", "fraction"):
            numbers.pop("examples_at_threshold", None)  # there it is the rank
        if self._terms.pool and "threshold" in numbers:
            numbers["threshold"] = np.nan  # scores of pooled groups are on no common scale
        return named | {"beta": beta.values[:, np.newaxis]} | numbers

    is_plain = [*entries] == [METRICS["auroc"]] and target == "population" and limits
    is_plain = is_plain and betas.kind == "points" and not settings.failure
    needed, exact = cutoffs_needed(entries, cutoffs[0]), not all(entry.curve for entry in entries)
    rankings = self._rank(needed, by_rank=settings.is_by_rank, exact=exact)
    asked = rankings, question, betas, settings
    answers = ask(self._terms, *asked, at_once=at_once if is_plain else None, limits=limits)
    bands = dict.fromkeys(one.band for answer in answers.each for one in answer.content.each)
    attrs = self._attrs(settings, target, band=", ".join(band for band in bands if band))
    frame, with_beta = as_rows(answers, columns, attrs), beta is not None
    return _finish(frame, answers, entries[0], limits=limits, with_beta=with_beta)


def _begin(
    self: Accessor,
    entry: Metric,
    cutoff: Cutoff | None,
    beta: UserBeta | None,
    level: float,
    band: UserBand,
    target: str,
) -> tuple[Betas, Settings]:
    """Read beta and the band for a metric; raise where what is asked excludes others."""
    of_known = cutoff is not None and cutoff.kind == "threshold" and target == "population"
    of_known &= "without_beta" in entry.can
    if beta is None and entry.takes_beta and not of_known:
        raise PUTypeError(
            f"beta must be passed for {entry.name!r}: the fraction of positives among the "
            f"unlabeled, for example {entry.ask.partition(';')[0]}."
        )
    kind, facts = facts_of(entry, cutoff)
    # Of new groups it is about as many first ranks of each.
    facts["at=cutoff of this sample"] &= not self._terms.average
    betas, settings = self._begin(kind, beta, level=level, band=band, target=target, **facts)
    if cutoff is None or cutoff.kind != "precision":  # which depends on it
        entry.check_prevalence(settings.prevalence)
    if beta is None:
        value = 0.0 if of_known or self._terms.average else np.nan
        betas = Betas(Beta(np.array([value])))
    return betas, settings


def _finish(
    frame: pd.DataFrame, answers: Answers[_Found], entry: Metric, *, limits: bool, with_beta: bool
) -> pd.DataFrame:
    """Add what pictures need besides, and warn of rows without an interval."""
    if not with_beta:
        del frame["beta"]
    elif not entry.needs_cutoff and limits:
        warn_of_areas(frame, answers)
        if entry.curve == "pr":
            _warn_of_precision(frame, answers)
    each = len(frame) // len(answers.each)  # rows
    if not limits:
        of_each = [one.about.beta_limit if one.about else np.nan for one in answers.each]
        frame["beta_limit"] = np.repeat(of_each, each)
    if entry.of_probabilities:
        shares = [_prevalence(answer, frame.attrs["target"]) for answer in answers.each]
        frame["prevalence"] = np.concatenate([np.repeat(s, each // s.size) for s in shares])
        _warn_of_known(answers)
    return with_reasons(frame, answers)


class _Found(NamedTuple):
    """The numbers of one ranking."""

    each: list[Estimates]
    of_known: bool = False  # whether scores look like probabilities of being known
    effective_rest: float = np.nan  # of weighted rows, for average precision on new examples


def _prevalence(answer: Answer[Any], target: str) -> FloatArray:
    """Return the share of positives among all examples, at each beta; these are whole numbers."""
    total = answer.about.total if answer.about else Counts(0, 0, 0)
    betas, unlabeled = answer.beta.values, total.unlabeled
    latent = latent_counts(betas, unlabeled) if target == "examples" else betas * unlabeled
    share: FloatArray = (total.known_positive + latent) / max(sum(total), 1)
    return share


def _warn_of_known(answers: Answers[_Found]) -> None:
    if known := sum(answer.content.of_known for answer in answers.each):
        warn_caller(
            "Scores look like probabilities of being known, not of being positive: their mean is "
            f"the share of known positives (in {known} of {len(answers.each)} rankings). Divide "
            "them by the share of positives that are known, n/(n + beta*n_unlabeled).",
            page="practice#calibration",
        )


def _warn_of_precision(frame: pd.DataFrame, answers: Answers[_Found]) -> None:
    """Warn where intervals of average precision may not hold, though the rows look plain."""
    value, lower, upper = (frame[name].to_numpy() for name in ("estimate", "lower", "upper"))
    cut = (lower < upper) & (((lower == value) & (value > 0)) | ((upper == value) & (value < 1)))
    if not answers.settings.failure:
        warn_of_rows(
            frame,
            pd.Series(cut, frame.index),
            answers.names,
            "a limit is the estimate itself, as the unbiased statistic is one that no labels can "
            "have: the interval may be too short on that side. Know more positives",
        )
    if frame.attrs["target"] != "population":
        return
    known = [
        (key, f"{about.total.known_positive:g}")
        for key, _, about, _ in answers.each
        if about is not None
        and not about.single
        and about.total.known_positive < _MIN_FOR_PRECISION
    ]
    warn_of_groups(
        answers.names,
        known,
        f"Fewer than {_MIN_FOR_PRECISION} positives are known ({{}}): intervals of average "
        "precision on new examples may not hold. Know more positives, ask for auroc, or for "
        "target='examples'.",
        "population",
    )
    rest = [
        (key, f"{found.effective_rest:.1f}")
        for key, _, _, found in answers.each
        if found.effective_rest < _MIN_FOR_PRECISION
    ]
    warn_of_groups(
        answers.names,
        rest,
        "Weights leave average precision to fewer rows, beside the known positives, than "
        f"{_MIN_FOR_PRECISION} in effect ({{}}), as few of these rank high: its interval may not "
        "hold. Draw more of the rows that rank high.",
        "clusters",
    )


def _columns(found: list[Estimates], betas: Betas, target: str) -> dict[str, Any]:
    """Return the columns of a ranking's numbers, over betas and what was asked."""

    def stack(name: str) -> Any:
        return np.stack([getattr(one, name) for one in found], 1)

    columns: dict[str, Any] = {}
    if found[0].rank is not None:
        columns |= {name: stack(name) for name in ("rank", "threshold")}
    columns["target"] = target
    columns |= {"estimate": stack("value"), "lower": stack("lower"), "upper": stack("upper")}
    if found[0].rank is not None:
        columns |= {name: stack(name) for name in ("clipped", "examples_at_threshold")}
        if found[0].rank_lower is not None:
            columns |= {name: stack(name) for name in ("rank_lower", "rank_upper")}
    elif betas.kind == "points":  # that at one beta
        columns["standard_error"] = np.minimum(stack("error"), 0.5)  # of numbers in [0, 1]
    return columns


def warn_of_areas(areas: pd.DataFrame, answers: Answers[Any]) -> None:
    """Warn of rows whose interval is NaN, and say why."""
    # A first look into a column of a frame takes as long as ten of arrays.
    if not np.isnan(areas["lower"].to_numpy()).any():
        return
    missing = areas["lower"].isna() & ~areas["metric"].isin(names_for("no interval"))
    sizes = len(areas) // len(answers.each)
    single = np.repeat(
        [each.about is not None and each.about.single for each in answers.each], sizes
    )
    warn_of_rows(
        areas,
        missing & single,
        answers.names,
        "there is one known positive alone, or one other example, which has no standard "
        "error: the interval is NaN. Label more, or take the areas under bounding curves: "
        "df.pu.contingency(0.3).pu.area('auroc')",
    )
    # Of random labels the limit is known, and that beta exceeds it was said.
    limits = [each.about.beta_limit if each.about else np.nan for each in answers.each]
    warn_of_rows(
        areas,
        missing & ~single & np.isnan(np.repeat(limits, sizes)),
        answers.names,
        "the known positives rule beta out, as it needs more latent ones than there is room for, "
        "or one cluster holds all others: the interval is NaN. Pass a smaller beta",
    )


# Guaranteed cutoffs


def cutoff(
    self: Accessor,
    beta: UserBeta,
    *,
    precision: float | None = None,
    recall: float | None = None,
    fpr: float | None = None,
    cost: Cost | None = None,
    models: int | None = None,
    target: str = "examples",
    level: float = 0.95,
) -> pd.DataFrame:
    """Find the cutoff that is guaranteed to reach a goal.

    One of `precision`, `recall`, `fpr` and `cost` is passed. With a probability of at least
    `level` it is reached at the cutoff that is returned, although that is chosen by looking.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as in `auroc`; the guarantee holds at any beta of an
        interval or estimate, which must hold at a higher level than `level`.
    precision : float, optional
        The deepest rank whose lower bound of precision is at least that.
    recall : float, optional
        The shallowest rank whose lower bound of recall is at least that.
    fpr : float, optional
        The deepest rank whose upper bound of the false positive rate is at most that.
    cost : (float, float), optional
        What a false positive and a false negative cost: the rank with the smallest upper bound
        of the cost of all examples.
    models : int, optional
        How many models were looked at: 1 - level is split over them. By default the number of
        those in `score`, or along "model".
    target : {"examples", "population"}, default "examples"
        What the guarantee is about: this sample, or future data at the threshold.
    level : float, default 0.95
        Probability with which the goal is reached, in (0, 1), at least.

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, metric, goal, beta, rank (int64), threshold,
        target, estimate, lower, upper (float64), clipped (bool), and attainable, the best goal
        for which there is a cutoff. Where no cutoff reaches the goal rank is 0, the threshold
        inf, and the bounds are NaN. The rows above it are ``df[df["score"] >= threshold]``.
        ``.attrs["statement"]`` says in a sentence what is guaranteed.

    Raises
    ------
    PUValueError
        If not one goal is passed, or with propensities, clusters or weights.

    Warns
    -----
    PUWarning
        If no cutoff reaches the goal.

    See Also
    --------
    metric : Metrics at a cutoff that is given.

    Notes
    -----
    For precision and cost lower limits hold at all cutoffs jointly. Recall and the false positive
    rate only grow with the rank: cutoffs are tested one by one by exact limits, and the last one
    before the first that fails is taken [1]_.

    References
    ----------
    .. [1] A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei, *Learn then test*,
       Annals of Applied Statistics 19 (2025) 1641-1662.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(3 * truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(4000) < 500, 1, np.nan)})
    >>> found = df.pu.cutoff(1 / 7, precision=0.9)
    >>> found[["rank", "attainable", "lower"]].round(3)
       rank  attainable  lower
    0   782         1.0    0.9
    """
    goal = read_goal(precision, recall, fpr, cost)
    betas, settings = self._begin("cutoff", beta, level=level, target=target, cost=cost)
    _check_level(betas, level)
    betas, left = betas.split(level)
    rankings = self._rank()
    among = _count_models(rankings) if models is None else _check_models(models)
    settings = replace(settings, level=left, band="simultaneous")
    for_one_model = 1 - (1 - left) / among

    def question(ranking: Ranking, beta: Beta, own: Settings) -> list[Guaranteed]:
        each, own = beta.values[:, np.newaxis], own.at_level(for_one_model)
        if target == "population":
            each = each if beta.interval is None else np.array([[beta.point, *beta.interval]])
            return [find_on_new(ranking, betas, goal, own.level) for betas in each]
        each = each if beta.interval is None else beta.within()[np.newaxis]
        return [find_guaranteed(ranking, betas, goal, own) for betas in each]

    def columns(cutoffs: list[Guaranteed], beta: Beta) -> Columns:
        def of(name: str) -> list[Any]:
            return [getattr(cutoff, name) for cutoff in cutoffs]

        located = {name: of(name) for name in ("rank", "threshold")}
        if self._terms.pool:
            located["threshold"] = [np.nan]
        ends = ("estimate", "lower", "upper", "clipped", "attainable")
        asked = {"metric": goal.name, "goal": goal.value, "beta": beta.values}
        return {**asked, **located, "target": target, **{name: of(name) for name in ends}}

    answers = ask(self._terms, rankings, question, betas, settings)
    band = band_of(goal) if target == "examples" else "two samples"
    attrs = {**self._attrs(settings, target, band=band), "level": level, "models": among}
    cutoffs = as_rows(answers, columns, attrs)
    cutoffs.attrs["statement"] = _state(cutoffs, goal, level, among)
    if cutoffs["lower"].isna().any():
        step = "Ask for less, at a lower level, or label more."
        warn_caller(f"{cutoffs.attrs['statement']} {step}", page="cutoffs")
    return with_reasons(cutoffs, answers)


def _check_level(betas: Betas, level: float) -> None:
    """Raise unless the error of an estimate leaves some of 1 - level to the ranking."""
    if betas.level is None or betas.level > level:
        return
    half = round((1 + level) / 2, 12)
    raise PUValueError(
        f"beta must hold at a higher level than the {level:g} of the guarantee, but it holds at "
        f"{betas.level:g}: 1 - level is shared between beta and the ranking. Pass level={half:g} "
        "to estimate_beta or beta_from_labels, or a lower level here.",
        page="beta#with-its-error",
    )


def _check_models(models: int) -> int:
    number = check_count("models", models)
    if not 1 <= number <= _MAX_MODELS:
        raise PUValueError(
            "models must be the number of models that were looked at, from 1 to "
            f"{_MAX_MODELS:,}, but {models!r} was passed."
        )
    return number


def _count_models(rankings: Rankings) -> int:
    if _MODEL not in rankings.names:
        return 1
    if len(rankings.names) == 1:
        return max(len(rankings.keys), 1)
    level = rankings.names.index(_MODEL)
    return max(len({key[level] for key in rankings.keys}), 1)  # type: ignore[index]


def _state(cutoffs: pd.DataFrame, goal: Goal, level: float, among: int) -> str:
    """Say in a sentence what is guaranteed, or that nothing is."""
    unmet = cutoffs["lower"].isna()
    above = goal.name in ("precision", "recall")
    words = {"cost": f"the {goal.name} is at most its upper limit"}
    reached = words.get(
        goal.name, f"{goal.name} is at {'least' if above else 'most'} {goal.value:g}"
    )
    where = "each of these cutoffs" if len(cutoffs) > 1 else "this cutoff"
    chosen = f", whichever of {among} models is chosen" if among > 1 else ""
    guarantee = (
        f"With a probability of at least {level:g} {reached} at {where}{chosen}, if beta is right "
        "and what is assumed holds."
    )
    if not unmet.any():
        return guarantee
    rows = "" if len(cutoffs) == 1 else f"In {unmet.sum()} of {len(cutoffs)} rows: "
    none = f"{rows}no cutoff has a {goal.name} of {goal.value:g} for sure, and the rank is 0."
    attainable = cutoffs.loc[unmet, "attainable"].dropna()
    if attainable.size:
        best = attainable.max() if above else attainable.min()
        none += f" The best bound of any cutoff is {best:.4g}."
    none = none[:1].upper() + none[1:]
    return none if unmet.all() else f"{none} At the others: {guarantee}"


# Calibration


def calibration(
    self: Accessor,
    beta: UserBeta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
) -> pd.DataFrame:
    """Compare probabilities with the share of positives among the examples that have them.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as in `auroc`.
    bins : int, or array of float, default 10
        How many bins of one width, or their edges, from 0 to 1.
    level : float, default 0.95
        Confidence level of the limits, in (0, 1).
    band : {"exact", "simultaneous"}, default "exact"
        Whether limits hold for each bin, or for all jointly.

    Returns
    -------
    DataFrame
        A row for each group, beta and bin: the group, beta, left, right, mean_score, target,
        estimate, lower, upper (float64): the share of positives in the bin, and its limits; and
        examples and known_positive (int64). A bin without examples has NaN.

    Raises
    ------
    PUValueError
        If scores are no probabilities, or labels have propensities.

    See Also
    --------
    plot_calibration : The picture, a reliability diagram.

    Notes
    -----
    Known positives are a simple random sample of all: how many of them are in a bin is
    hypergeometric, and the limits are the numbers that it does not reject. A model that was
    trained to tell known positives from the rest gives the probability of being *known*.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> found = df.pu.calibration(0.5, bins=2)
    >>> found[["left", "right", "examples", "estimate", "lower", "upper"]].round(2)
       left  right  examples  estimate  lower  upper
    0   0.0    0.5         4      0.25   0.25    1.0
    1   0.5    1.0         5      1.00   0.40    1.0
    """
    edges = as_edges(bins)
    betas, settings = self._begin("calibration", beta, level=level, band=band)
    check_bin_band(settings)
    betas, left = betas.split(level)

    def question(ranking: Ranking, beta: Beta, own: Settings) -> Reliability:
        return reliability(ranking, beta.within(), edges, own)

    def columns(found: Reliability, beta: Beta) -> Columns:
        points = {"left": edges[:-1], "right": edges[1:]}
        low, middle, high = np.moveaxis(found.value, 1, 0)
        widened = widen(low, middle, high, points=beta.values.size)
        lower, estimate, upper = (side.T for side in widened)
        ends = {"estimate": estimate, "lower": lower, "upper": upper}
        located = {**points, "mean_score": found.mean_score, "target": "examples"}
        counts = {"examples": found.examples, "known_positive": found.known_positive}
        return {"beta": beta.values[:, np.newaxis], **located, **ends, **counts}

    answers = ask(self._terms, self._rank(), question, betas, settings.at_level(left))
    attrs = self._attrs(settings, "examples", band=band_name(settings.band))
    return with_reasons(as_rows(answers, columns, attrs), answers)

"""Estimates of beta, checks of assumptions, and their robustness."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pu_accessor.beta import Beta, UserBeta
from pu_accessor.checks import as_array, check_level, check_option, is_number
from pu_accessor.errors import PUTypeError, PUValueError, brief, warn_caller
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.assumption_tests import Check, breaking_point, run_checks
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.cutoff_spec import At, Cutoff
from pu_accessor.inference.estimate_metric import Asked, estimate_metric
from pu_accessor.inference.hidden_bounds import count_wrong
from pu_accessor.inference.metric_entry import AnyMetric, Metric
from pu_accessor.inference.metrics import read_metric
from pu_accessor.inference.prior import METHODS, Prior, estimate_prior
from pu_accessor.questions import doubts, evaluation
from pu_accessor.questions.comparison import paired_tests
from pu_accessor.questions.estimation import default_target, exclusion_facts
from pu_accessor.ranking import (
    AnnotatedRanking,
    BoolArray,
    Counts,
    FloatArray,
    LazyByKey,
    PairedRanks,
    Ranking,
)
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.frames import rank_annotated

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

_MAX_CONTAMINATION = 0.5 - 1e-9
# Default values of each assumption.
SWEEPS: Mapping[str, tuple[float, ...]] = {
    "selection_odds": (1, 1.25, 1.5, 2, 2.5, 3, 4, 5),
    "contamination": (0, 0.02, 0.05, 0.1, 0.15, 0.2),
    "prevalence": (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
}


def estimate_beta(
    self: Accessor, *, method: str = "feasible", level: float = 0.95
) -> pd.DataFrame:
    """Estimate the class prior of the unlabeled, as far as the data allow.

    Parameters
    ----------
    method : {"feasible", "mean_matching"}, default "feasible"
        "feasible" uses known positives and unlabeled rows, which give only an *upper limit* and
        the largest plausible beta. "mean_matching" needs known negatives that are a random sample
        of the negatives.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group: the group, beta, lower, upper, level (float64), method (str), n, the
        known positives, and n_unlabeled (int64). Pass it as ``beta=`` to other methods.
        ``.attrs["assumptions"]`` states the assumptions of the method.

    Raises
    ------
    PUValueError
        If nothing is unlabeled, or known negatives are needed and missing.

    Warns
    -----
    PUWarning
        If the data say little or nothing about beta, or contradict the assumptions.

    See Also
    --------
    pu_accessor.beta_from_labels : The estimate from labels made by hand.

    Notes
    -----
    With M hidden positives, k of n known positives and h unlabeled rows at or above a cutoff, M is
    feasible at delta if max(k/n - min(h, M)/M) is at most sqrt(ln(1/delta)/2 * (1/n + 1/M)).
    "feasible" takes the largest such M, at delta = 1 - level for the upper limit and 0.5 for beta,
    which is right only if negatives never rank at the top. Scores of training rows and nonrandom
    labels break every method.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu.estimate_beta()[["beta", "lower", "upper", "method"]].round(3)
        beta  lower  upper    method
    0  0.179    0.0  0.242  feasible
    """
    level = check_level(level)
    check_option("method", method, METHODS)
    self._read_arguments("estimate_beta", level=level)

    def compute(ranking: Ranking, _: Beta) -> tuple[Prior, Counts]:
        return estimate_prior(ranking, method, level), ranking.total

    def columns(content: tuple[Prior, Counts], _: Beta) -> evaluation.Columns:
        prior, total = content
        ends = {"beta": [prior.beta], "lower": prior.lower, "upper": prior.upper}
        counts = {"n": total.known_positive, "n_unlabeled": total.unlabeled}
        return {**ends, "level": level, "method": method, **counts}

    results = evaluation.evaluate(self._terms, self._rank(), compute)
    priors = [result.content[0] for result in results.each]
    warnings = Counter(text for prior in priors for text in prior.warnings)
    for text, times in warnings.items():
        where = f" (in {times} of {len(priors)} groups)" if results.names else ""
        warn_caller(f"{text}{where}")
    attrs = {"assumptions": priors[0].assumptions}  # the same for all
    return evaluation.add_failed_groups(evaluation.results_frame(results, columns, attrs), results)


# Checks


def check_assumptions(
    self: Accessor,
    beta: UserBeta | None = None,
    *,
    wave: Hashable | None = None,
    strata: Hashable | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Test whether the data contradict labels at random, or beta.

    Each test detects some failures and not others. A small p value is evidence against an
    assumption; a large one proves nothing.

    Parameters
    ----------
    beta : float, array, mapping, Series or DataArray, optional
        Class prior of the unlabeled: numbers, or one for each group; without it the tests that
        need it are left out.
    wave : hashable, optional
        Column that says when, where or by whom each known positive was labeled.
    strata : hashable, optional
        Column of strata of the rows, such as site, year or sex.
    level : float, default 0.95
        Level of the tests, in (0, 1): p values up to 1 - level are reported as contradictions.

    Returns
    -------
    DataFrame
        A row for each group, check and beta: the group, check (str), beta, statistic,
        odds_at_least (the smallest ratio of the odds of being labeled, if beta is right), p_value
        (float64), and finding, a sentence. The checks:

        * "waves", with `wave`: known positives of all waves have the same ranks among the rest.
        * "strata", with `strata` and beta: no stratum has too many known positives.
        * "negatives", with known negatives and beta: AUROC by beta equals that against them.
        * "limit", with beta: the known positives allow that many hidden positives.
        * "monotone": the scores allow ``assume(monotone=True)``.

        With clusters, only waves are checked.

    Raises
    ------
    PUDataError, PUValueError
        If a wave has one known positive, there are fewer than two waves, `strata` is passed
        without beta or with clusters, or there are propensities or weights.

    See Also
    --------
    robustness : How wrong an assumption may be before a conclusion fails.

    Notes
    -----
    Waves: the statistic of Kruskal and Wallis [1]_ of shares of the rest above, by permutations.
    Strata: hypergeometric tails, with Holm's p value [2]_. Negatives: Student's t. Limit:
    p = exp(-2*D**2/(1/n + 1/m)) with D = max(k/n - min(h, m)/m). Monotone: the smallest of some
    levels at which the simultaneous band contains no concave curve.

    References
    ----------
    .. [1] W. H. Kruskal, W. A. Wallis, J. Am. Stat. Assoc. 47 (1952) 583-621.
    .. [2] S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> checks = df.pu.check_assumptions(0.17, strata="site")
    >>> checks[["check", "beta", "statistic", "p_value"]].round(3)
          check  beta  statistic  p_value
    0    strata  0.17      0.112    1.000
    1     limit  0.17      0.046    0.599
    2  monotone   NaN        NaN    1.000
    >>> checks["finding"][1]
    'The known positives leave room for the hidden positives.'
    """
    level = check_level(level)
    facts: dict[str, Any] = {"strata": strata, "wave": wave, "no wave": wave is None}
    betas, _ = self._read_arguments("check_assumptions", beta, level=level, **facts)
    if beta is None and strata is not None:
        raise PUValueError(
            f"beta must be passed with strata={brief(strata)}: the known share of each is tested "
            "against that of all positives. Pass beta=0.3, or leave strata out."
        )
    if wave is None and strata is None:
        rankings = self._rank()

        def annotate(position: int) -> AnnotatedRanking:
            return AnnotatedRanking(rankings.make(position))

        keyed = LazyByKey(rankings.names, rankings.keys, annotate, rankings.visit)
    else:
        keyed = rank_annotated(self._source, self._terms, wave, strata)

    def compute(rows: AnnotatedRanking, beta: Beta) -> list[Check]:
        check_labels(np.append(beta.values, 0.0), rows.total)
        return [*run_checks(rows, beta.values.tolist(), round(1 - level, 12))]

    def columns(checks: list[Check], _: Beta) -> evaluation.Columns:
        by_name = dict(zip(Check._fields, zip(*checks, strict=True), strict=True))
        texts = {name: np.array(by_name[name], object) for name in ("check", "finding")}
        return by_name | texts

    results = evaluation.evaluate(self._terms, keyed, compute, None if beta is None else betas)
    return evaluation.add_failed_groups(
        evaluation.results_frame(results, columns, {"level": level}), results
    )


# Robustness


def robustness(
    self: Accessor,
    metric: AnyMetric,
    beta: UserBeta,
    *,
    over: Mapping[str, Sequence[float]] | None = None,
    above: float | None = None,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Estimate a metric under violations of an assumption, and find what breaks a conclusion.

    Parameters
    ----------
    metric : str, callable or Metric
        "auroc", "average_precision", a metric at a cutoff, or "difference", of the AUROC of two
        models.
    beta : float, array, mapping, Series or DataArray
        Class prior of the unlabeled: numbers, or one for each group.
    over : mapping, default {"selection_odds": (1, 1.25, 1.5, 2, 2.5, 3, 4, 5)}
        The assumption, "selection_odds" or "contamination", and its values; or "prevalence", in
        future data.
    above : float, optional
        The conclusion is that the metric exceeds this: by default the value by chance.
    on : hashable or list of hashable, optional
        Columns that identify an example, for "difference" of models in separate rows.
    at : int, str or mapping, optional
        The cutoff, as `metric` explains.
    target : {"population", "examples"}, optional
        Future data, or this sample; the default is that of `metric`.
    level : float, default 0.95
        Confidence level of intervals, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group, or pair of models, beta and value: the group, metric, beta, the
        assumption, target, estimate, lower, upper, and breaking_point, the smallest value at which
        the conclusion fails for some selection of labels; infinite if it never fails. A prevalence
        has no breaking point.

    Raises
    ------
    PUValueError
        For propensities, clusters or weights, or a metric without its cutoff.

    See Also
    --------
    check_assumptions : Tests of the assumptions.
    plot_metric : The same over an assumption, drawn.

    Notes
    -----
    At the breaking point the conclusion *may* be wrong: that takes the least favourable dependence
    of labels on scores.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> sweep = df.pu.robustness("auroc", 0.17, over={"selection_odds": [1, 2]})
    >>> sweep[["selection_odds", "estimate", "lower", "upper", "breaking_point"]].round(2)
       selection_odds  estimate  lower  upper  breaking_point
    0             1.0      0.89   0.85   0.92           19.56
    1             2.0      0.89   0.78   0.95           19.56
    """
    entry = read_metric(metric, "robustness")
    default = {"selection_odds": SWEEPS["selection_odds"]}
    assumption, values = _read_sweep(default if over is None else over)
    cutoff = entry.read_cutoff(at)
    target = default_target(self, cutoff) if target is None else target
    if above is not None and (not is_number(above) or not isfinite(above)):
        raise PUTypeError(
            f"above must be a finite number, but {brief(above)} was passed. Pass above=0.7."
        )
    is_pair = entry.key == "difference"
    facts: dict[str, Any] = {"a difference": is_pair, "a metric of one model": not is_pair}
    facts |= {"on": on, "above": above, "over=a prevalence": assumption == "prevalence"}
    betas, terms = self._read_arguments("robustness", beta, level=level, target=target, **facts)
    # Each value raises where the assumption itself would.
    assumed: list[dict[str, Any]] = [{assumption: value} for value in values]
    sweeps = [self.assume(**each) for each in assumed]  # type: ignore[arg-type, unused-ignore]
    method, facts = ("compare", {}) if is_pair else exclusion_facts(entry, cutoff)
    sweeps[-1]._read_arguments(method, beta, level=level, target=target, **facts)
    entry.check_prevalence(sweeps[-1]._terms.prevalence)
    threshold = 0.5 * (not is_pair) if above is None else float(above)
    sweep = Sweep(entry, cutoff, target, terms, assumption, threshold)

    def compute(ranked: Ranking | PairedRanks, beta: Beta) -> evaluation.Columns:
        columns = _sweep_columns(sweep, ranked, beta, values)
        if isinstance(ranked, Ranking):
            return columns
        return evaluation.pair_columns(ranked.names, [*ranked.ranks], columns)

    attrs = self._attrs(terms, target) | ({"above": threshold} if sweep.breaks else {})
    keyed: Any = self._pair(on) if is_pair else self._rank(entry.ranks_needed(cutoff))
    results = evaluation.evaluate(terms, keyed, compute, betas)
    frame = evaluation.results_frame(results, attrs=attrs)
    if cutoff is None and not is_pair:
        doubts.warn_of_results(results, lambda r: doubts.doubt_interval(r, r.content["lower"]))
    return evaluation.add_failed_groups(frame, results)


@dataclass(frozen=True)
class Sweep:
    """A metric, and the conclusion that it exceeds a number, under violations of an assumption."""

    metric: Metric
    cutoff: Cutoff | None
    target: str
    terms: Terms  # for labels at random
    assumption: str  # that is varied
    above: float  # 0 for a difference

    @property
    def breaks(self) -> bool:
        """Whether values are violations, of which one breaks the conclusion."""
        return self.assumption != "prevalence"

    def value(self, ranked: Ranking | PairedRanks, beta: Beta, violation: float) -> Answer:
        """Return the metric, or the difference of models, under a violation."""
        changed: dict[str, Any] = {self.assumption: violation}
        terms = replace(self.terms, **changed)
        if isinstance(ranked, Ranking):
            asked = Asked(self.metric, self.cutoff, self.target)
            return estimate_metric(asked, ranked, beta, terms)
        return paired_tests(ranked, beta, terms, self.target)

    def supports(self, value: Answer) -> BoolArray:
        """Return whether the conclusion is supported."""
        two_sided = self.metric.key == "difference"
        return (value.lower > self.above) | (two_sided & (value.upper < self.above))


def _read_sweep(over: Mapping[str, Sequence[float]]) -> tuple[str, list[float]]:
    """Return the assumption to vary, and its values in order."""
    if not isinstance(over, Mapping) or len(over) != 1:
        raise PUTypeError(
            f"over must map one of {[*SWEEPS]} to its values, but {brief(over)} was "
            "passed. For example over={'selection_odds': [1, 1.5, 2]}."
        )
    ((name, values),) = over.items()
    check_option("over", name, SWEEPS)
    numbers = np.atleast_1d(as_array(values))
    if numbers.ndim > 1 or numbers.dtype.kind not in "iuf" or not numbers.size:
        raise PUTypeError(
            f"over must have numbers, but {brief(values)} was passed for {name!r}. For example "
            f"over={{{name!r}: {[*SWEEPS[name][:3]]}}}."
        )
    assumed = (Terms().update(**{name: number}) for number in numbers.tolist())
    return name, sorted({float(getattr(terms, name)) for terms in assumed})


def _breaking_points(ranked: Ranking | PairedRanks, beta: Beta, sweep: Sweep) -> FloatArray:
    """Return the smallest violation that breaks the conclusion, for each pair and beta."""

    def supports(violation: float, at: Beta, pair: tuple[int, ...]) -> bool:
        return bool(sweep.supports(sweep.value(ranked, at, violation))[*pair, 0])

    at_random = sweep.value(ranked, beta, SWEEPS[sweep.assumption][0]).lower
    points = np.full(at_random.shape, nan)
    for *pair, column in np.argwhere(~np.isnan(at_random)).tolist():
        at = Beta(beta.values[[column]]) if beta.interval is None else beta
        supported = partial(supports, at=at, pair=tuple(pair))
        if sweep.assumption == "contamination":  # a share of whole known positives
            known = ranked.total.known_positive
            shares = np.arange(count_wrong(known, _MAX_CONTAMINATION) + 1) / max(known, 1)
            first = bisect_left(shares, True, key=lambda share: not supported(float(share)))
            points[*pair, column] = [*shares, inf][first]
        else:
            points[*pair, column] = breaking_point(supported)
    return points


def _sweep_columns(
    sweep: Sweep, ranked: Ranking | PairedRanks, beta: Beta, values: Sequence[float]
) -> dict[str, Any]:
    """Return the columns of a sweep, over betas and values."""
    answers = [replace(sweep.value(ranked, beta, v), columns={}) for v in values]
    columns = {
        "metric": sweep.metric.name,
        "beta": beta.values[:, np.newaxis],
        sweep.assumption: np.array(values),
        **evaluation.answer_columns(answers, sweep.target),
    }
    if sweep.breaks:
        columns["breaking_point"] = _breaking_points(ranked, beta, sweep)[..., np.newaxis]
    return columns

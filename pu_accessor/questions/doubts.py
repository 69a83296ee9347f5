"""Doubts about results: the texts of warnings, and the rankings that they are about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from pu_accessor.beta import Beta, name_group, split_key
from pu_accessor.errors import PUDataError, brief, shorten, warn_caller
from pu_accessor.inference.areas_on_future_data import effective_size_of_rest
from pu_accessor.inference.assumption_tests import is_single
from pu_accessor.inference.calibration import scores_match_known_share
from pu_accessor.inference.estimate_metric import Asked
from pu_accessor.ranking import Counts, FloatArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

if TYPE_CHECKING:
    from pu_accessor.questions.evaluation import Result, Results

_MIN_EFFECTIVE_SIZE = 10  # known positives
MIN_CLUSTERS = 10  # with a known positive
_MAX_WEIGHT_SHARE = 0.1  # of one row
_LOW_AUROC = 0.35  # of known positives against the rest: scores may be reversed
_LOW_AUROC_ERRORS = 3.5  # standard errors below a half
_ABOVE_LIMIT = (
    "beta exceeds the upper limit that the known positives set at this level ({}). Pass a "
    "smaller beta (see df.pu.estimate_beta). If beta is right, the known positives are not a "
    "random sample of the positives."
)
_FEW_EFFECTIVE = (
    f"The effective number of known positives is below {_MIN_EFFECTIVE_SIZE} ({{}}): a few "
    "small propensities have most of the weight, and intervals may be wrong. Label more such "
    "examples, or bound the propensities from below: df['propensity'].clip(lower=0.05)."
)
_NOT_MONOTONE = (
    "monotone=True is rejected at level {:g}: no concave curve fits the known positives where "
    "this share of the rest ranks above ({{}}). Leave monotone out: results that assume it are "
    "wrong."
)
FEW_CLUSTERS = (
    f"Fewer than {MIN_CLUSTERS} clusters contain a known positive ({{}}): the variation "
    "among clusters is hardly known, and intervals may be wrong. Label positives of more "
    "clusters."
)
_HEAVY_ROW = (
    "One row has more than a tenth of the weight of its kind, known positives or others ({}). "
    "With weight= it counts as one sampled row, and intervals are long. If it stands for that "
    "many identical rows: df.pu(count=...)."
)
# Known positives, and effective rows of the rest, that intervals of average precision on future
# data need, by simulation (coverage.csv: "`average_precision`, future data", whose warned ones).
_MIN_FOR_PRECISION = 50
_FEW_KNOWN = (
    f"Fewer than {_MIN_FOR_PRECISION} positives are known ({{}}): intervals of average precision "
    "on future data may be wrong. Label more positives, or use auroc or target='examples'."
)
_FEW_ROWS = (
    "Weights leave average precision to fewer rows, other than known positives, than "
    f"{_MIN_FOR_PRECISION} in effect ({{}}), as few of these rank high: its interval may be "
    "wrong. Sample more of the rows that rank high."
)
_NO_ERROR = (
    "There is only one known positive, or one other example, which has no standard error: the "
    "interval is NaN ({}). Label more, or use the areas under bounding curves: "
    "df.pu.contingency(0.3).pu.area('auroc')."
)
_BETA_TOO_HIGH = (
    "beta is too high for the known positives, as there is no room for its hidden positives, or "
    "one cluster has all others: the interval is NaN ({}). Pass a smaller beta."
)
_CLIPPED = (
    "A limit is the estimate itself ({}), as no labels attain the unbiased statistic: the "
    "interval may be too short on that side. Label more positives."
)
_OF_KNOWN = (
    "Scores look like probabilities of being known, not of being positive: their mean is the "
    "share of known positives ({}). Divide them by the share of positives that are known, "
    "n/(n + beta*n_unlabeled)."
)


# Of any method


def warn_of_skipped(reasons: Mapping[str, str], n_results: int) -> None:
    """Warn of skipped groups; raise if no group has a result."""
    (group, why), *further = ((key, reason.rstrip(".")) for key, reason in reasons.items())
    others = f" The others: {_join_first(other for other, _ in further)}." if further else ""
    if not n_results:
        raise PUDataError(f"No group has a result: {group}: {why}.{others}")
    warn_caller(
        f"{len(reasons)} of {len(reasons) + n_results} groups are left out (on_error='skip'): "
        f"{group}: {why}.{others} attrs['skipped'] has the reason of each."
    )


def doubt_result(
    result: Result[Any], level: float, warn_limits: bool, per_group: bool
) -> dict[str, str]:
    """Return warnings about beta, the data or the scores of one ranking, each with a number."""
    one: Any = result.diagnostics
    beta, doubts = result.beta, dict[str, str]()
    if one is None:
        return doubts
    lowest = np.array([beta.lower]) if beta.is_estimate else beta.values
    if warn_limits and (high := one.beyond(lowest)).size:
        values = ", ".join(f"{value:g}" for value in np.unique(high).tolist())
        doubts[_ABOVE_LIMIT] = f"{values} > {one.beta_limit:.4g}"
    elif one.n_effective < _MIN_EFFECTIVE_SIZE:
        doubts[_FEW_EFFECTIVE] = f"{one.n_effective:.1f}"
    if not isnan(one.refuted_at):
        doubts[_NOT_MONOTONE.format(level)] = f"{100 * one.refuted_at:.2g}%"
    if per_group and one.clusters < MIN_CLUSTERS:
        doubts[FEW_CLUSTERS] = f"{one.clusters:g}"
    if per_group and one.heaviest > _MAX_WEIGHT_SHARE:
        doubts[_HEAVY_ROW] = f"{one.heaviest:.0%}"
    return doubts


def warn_of_reversed_scores(results: Results[Any], *, per_group: bool) -> None:
    """Warn of scores that may be lower for positives, in each group or on average."""
    known = [
        (key, one.above, one.above_error)
        for key, _, one, _ in results.each
        if one is not None and not isnan(one.above)
    ]
    if not known:
        return
    keys, *numbers = zip(*known, strict=True)
    (areas, errors), names, terms = np.array(numbers), results.names, results.terms
    if not per_group:
        keys, names, areas = ((),), (), areas.mean(keepdims=True)
        errors = np.sqrt(np.sum(errors**2, keepdims=True)) / errors.size
    # More groups need more standard errors, to warn as rarely as with one.
    needed = _LOW_AUROC_ERRORS + 0.55 * np.log10(areas.size)
    low = np.flatnonzero((areas < _LOW_AUROC) & (0.5 - areas > needed * errors))
    if low.size:
        wide = terms.is_wide and per_group
        model = split_key(names, keys[low[0]])[-1] if wide else terms.models[0]
        text = (
            "Known positives score far below the others: AUROC against them is less than "
            f"{_LOW_AUROC} ({{}}). Higher scores must be more positive. If lower is, as for "
            f"energies, distances and ranks, negate the scores first: df[{model!r}] = "
            f"-df[{model!r}]."
        )
        warn_of_groups(names, [(keys[one], {text: f"{areas[one]:.2g}"}) for one in low.tolist()])


def warn_of_other_rows(results: Results[Any], models: list[Hashable]) -> None:
    """Warn of models that score different rows, which compare leaves out."""
    totals: dict[tuple[Hashable, ...], dict[Hashable, Counts]] = {}
    for key, _, one, _ in results.each:
        if one is not None:
            totals.setdefault(split_key(results.names, key)[:-1], {})[key] = one.total
    text = (
        "With nan_policy='omit' models are evaluated on different rows ({}), among which beta may "
        f"differ. On common rows, as compare: df.dropna(subset={brief(models)})."
    )
    differing = [
        (key, {text: f"{sum(total):g} rows, {total.known_positive:g} known"})
        for of_models in totals.values()
        for key, total in of_models.items()
        if len({*of_models.values()}) > 1
    ]
    warn_of_groups(results.names, differing)


def warn_of_results(
    results: Results[Any], doubt: Callable[[Result[Any]], Mapping[str, str]]
) -> None:
    """Warn once in each text about the results that give a reason to doubt."""
    warn_of_groups(results.names, [(result.key, doubt(result)) for result in results.each])


def warn_of_groups(
    names: Sequence[str], found: Iterable[tuple[Hashable, Mapping[str, str]]]
) -> None:
    """Warn once in each text that some groups have, with the detail of each."""
    details: dict[str, list[str]] = {}
    for key, texts in found:
        group = f"{name_group(names, key)}: " if names else ""
        for text, detail in texts.items():
            details.setdefault(text, []).append(f"{group}{detail}")
    for text, each in details.items():
        warn_caller(text.format(_join_first(each)))


def _join_first(groups: Iterable[str]) -> str:
    """Join the first three names of groups."""
    return shorten(groups, "; ", most=3, width=100)


# Of metrics


def doubt_metrics(asked: Sequence[Asked], ranking: Ranking, beta: Beta) -> dict[str, str]:
    """Return warnings about the scores or the intervals of one ranking, each with a number."""
    doubts, known = dict[str, str](), ranking.total.known_positive
    is_decision = any(one.metric.cutoff == "probability" for one in asked)
    if is_decision and scores_match_known_share(ranking, beta.values):
        doubts[_OF_KNOWN] = f"{known / sum(ranking.total):.3g}"
    if any(one.metric.curve == "pr" and one.target == "population" for one in asked):
        if known < _MIN_FOR_PRECISION and not is_single(ranking.total):
            doubts[_FEW_KNOWN] = f"{known:g}"
        if (rest := effective_size_of_rest(ranking)) < _MIN_FOR_PRECISION:
            doubts[_FEW_ROWS] = f"{rest:.1f}"
    return doubts


def doubt_intervals(asked: Sequence[Asked], terms: Terms, result: Result[Any]) -> dict[str, str]:
    """Return warnings about missing or short intervals of metrics of a whole ranking."""
    doubts: dict[str, str] = {}
    for one, answer in zip(asked, result.content.each, strict=True):
        if one.cutoff is None and one.metric.takes_beta:
            doubts |= doubt_interval(result, answer.lower)
        if one.metric.curve == "pr" and terms.is_random:
            value, lower, upper = answer.parts
            is_cut = ((lower == value) & (value > 0)) | ((upper == value) & (value < 1))
            if (is_cut & (lower < upper)).any():
                doubts[_CLIPPED] = f"{value[is_cut & (lower < upper)][0]:.3g}"
    return doubts


def doubt_interval(result: Result[Any], lower: FloatArray) -> dict[str, str]:
    """Return why lower limits of one ranking, over betas first, are NaN, and at which betas."""
    one, missing = result.diagnostics, np.isnan(lower).reshape(len(lower), -1).any(axis=1)
    # Where the limit on beta is known, beta above it has its own warning.
    has_own = one is not None and not one.single and not np.isnan(one.beta_limit)
    if has_own or not missing.any():
        return {}
    betas = ", ".join(f"{beta:g}" for beta in result.beta.values[missing].tolist())
    is_single = one is not None and one.single
    return {_NO_ERROR if is_single else _BETA_TOO_HIGH: f"beta = {betas}"}

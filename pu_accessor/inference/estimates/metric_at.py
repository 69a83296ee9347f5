"""A metric at the one cutoff that a person reports, with its interval."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import ceil, floor, nan
from typing import Any, TypeAlias

import numpy as np

from pu_accessor.checks import Interval, interval_betas
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.cutoff_spec import CHOSEN, FIXED, Cutoff, no_rank
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Tables, central_table, make_tables
from pu_accessor.inference.tables.curves import point_envelopes
from pu_accessor.inference.tables.metrics import Metric, evaluate
from pu_accessor.ranking import FloatArray, IntArray, Ranking


@dataclass(frozen=True, eq=False)
class AtCutoff:
    """A metric of one ranking at one cutoff for each beta."""

    rank: IntArray  # examples predicted positive
    threshold: FloatArray  # lowest score that is
    estimate: FloatArray
    lower: FloatArray  # the smaller number, also of an error rate
    upper: FloatArray
    envelope_lower: FloatArray | None  # while beta varies within an interval
    envelope_upper: FloatArray | None
    band: str  # its name


# From a ranking, a beta, the value of a cutoff and a rule to a ranking of one cutoff.
_Search: TypeAlias = Callable[[Ranking, float, float, Settings], Ranking]


def metric_at(
    ranking: Ranking,
    betas: FloatArray,
    name: str | Metric,
    at: Cutoff,
    rule: Settings,
    interval: Interval | None = None,
) -> AtCutoff:
    """Evaluate a metric at one cutoff, with its interval.

    Examples
    --------
    >>> from pu_accessor.inference.estimates.cutoff_spec import read_at
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = metric_at(ranking, np.array([0.25]), "precision", read_at(4), Settings())
    >>> found.threshold, found.estimate, found.lower, found.upper, found.band
    (array([8.5]), array([0.75]), array([0.5]), array([1.]), 'exact')
    """
    interval_betas(interval, betas)
    rule = rule_at(ranking, at, rule)
    if at.kind in FIXED:
        here = find_cutoff(ranking, betas[0], name, at, rule)
        return evaluate_at(here, betas, name, rule, interval)
    return _at_each(ranking, betas, name, at, rule, interval)


def rule_at(ranking: Ranking, at: Cutoff, rule: Settings) -> Settings:
    """Return the rule for a cutoff: one chosen by estimates takes bounds of all cutoffs."""
    if at.kind not in (*CHOSEN, "precision"):
        return rule
    if ranking.weight is not None:
        raise PUValueError(
            f"at must not choose a cutoff by {at.kind!r} with propensity=...: no band holds "
            "at all cutoffs jointly there. Pass a rank, or {'recall': 0.9}."
        )
    return replace(rule, band="simultaneous") if rule.band == "exact" else rule


def fixed_cutoff(ranking: Ranking, at: Cutoff) -> Ranking:
    """Find a cutoff that no beta moves: of ranks the last cutoff at or before it."""
    examples, rank = sum(ranking.total), at.value
    if at.kind == "threshold":
        rank = ranking.above(at.value)
    elif at.kind == "fraction":
        rank = floor(Fraction(str(at.value)) * examples)
    if rank > examples:
        raise no_rank(f"{examples}, the number of examples", rank)
    return ranking.at(np.array([rank], np.int64))


def find_cutoff(
    ranking: Ranking, beta: float, name: str | Metric, at: Cutoff, rule: Settings
) -> Ranking:
    """Find the cutoff that a person reports."""
    if at.kind in FIXED:
        return fixed_cutoff(ranking, at)
    if at.kind in CHOSEN:
        return _at_best(ranking, beta, "informedness" if at.kind == "youden" else name, rule)
    return _SEARCHES[at.kind](ranking, beta, at.value, rule)


def _at_each(
    ranking: Ranking,
    betas: FloatArray,
    name: str | Metric,
    at: Cutoff,
    rule: Settings,
    interval: Interval | None,
) -> AtCutoff:
    """Evaluate at the cutoff of each beta."""
    found = [
        evaluate_at(
            find_cutoff(ranking, beta, name, at, rule), np.array([beta]), name, rule, interval
        )
        for beta in betas.tolist()
    ]

    def join(name: str) -> FloatArray | None:
        values = [getattr(answer, name) for answer in found]
        return None if values[0] is None else np.concatenate(values)

    names = [field.name for field in fields(AtCutoff)]
    joined: dict[str, Any] = {name: join(name) for name in names if name != "band"}
    return replace(found[0], **joined)


def evaluate_at(
    here: Ranking,
    betas: FloatArray,
    name: str | Metric,
    rule: Settings,
    interval: Interval | None = None,
) -> AtCutoff:
    """Evaluate at the one cutoff that a ranking has."""
    tables = make_tables(here, betas, rule, interval)
    first, estimate, last = evaluate(name, *tables.table)[0].astype(np.float64)
    low, high = envelope_at(tables, name)
    return AtCutoff(
        rank=(tables.tp + tables.fp)[0, 0],
        threshold=np.repeat(here.threshold, betas.size),
        estimate=estimate,
        lower=np.minimum(first, last),
        upper=np.maximum(first, last),
        envelope_lower=low,
        envelope_upper=high,
        band=band_name(rule.band) if here.weight is None else "weighted",
    )


def envelope_at(
    tables: Tables, name: str | Metric, cutoff: int = 0
) -> tuple[FloatArray | None, FloatArray | None]:
    """Return the lowest and the highest at one cutoff while beta varies, with each point."""
    if tables.inner is None:
        return None, None
    low, high = point_envelopes(
        tables,
        tables.inner,
        lambda table: evaluate(name, *table).astype(np.float64),
        kinks=True,
    )
    return low[cutoff], high[cutoff]


def _at_fpr(ranking: Ranking, beta: float, value: float, rule: Settings) -> Ranking:
    """Find the last cutoff whose estimated false positive rate is at most a value."""
    finer, table = central_table(ranking, beta, rule)
    rates = evaluate("fpr", *table)
    if np.isnan(rates).any():
        raise PUDataError(
            "at={'fpr': ...} needs negatives, but at this beta there are none. Pass a smaller "
            "beta, or a rank.",
            page="beta#too-high",
        )
    last = int(np.flatnonzero(rates <= value)[-1])
    # Up to the next bend each further example is a false positive.
    negatives = int(table.fp[0] + table.tn[0])
    most = floor(value * negatives)
    most += ((most + 1) / negatives <= value) - (most / negatives > value)  # as floats compare
    room = most - int(table.fp[last])
    finer = finer.refine(_between(finer, last, int(finer.unlabeled[last]) + room))
    finer, table = central_table(finer, beta, rule)
    return finer.take(np.flatnonzero(evaluate("fpr", *table) <= value)[-1:])


def _at_recall(ranking: Ranking, beta: float, value: float, rule: Settings) -> Ranking:
    """Find the first cutoff whose estimated recall is at least a value."""
    finer, table = central_table(ranking, beta, rule)
    positives = int(table.tp[-1])
    if not positives:
        raise PUDataError(
            "at={'recall': ...} needs positives, but at this beta there are none. Pass a larger "
            "beta, or a rank."
        )
    first = int(np.flatnonzero(evaluate("recall", *table) >= value)[0])
    # Since the last bend each further example is a true positive, or none is.
    least = ceil(value * positives)
    least += (least / positives < value) - ((least - 1) / positives >= value)
    spare = int(table.tp[first]) - least
    finer = finer.refine(_between(finer, first - 1, int(finer.unlabeled[first]) - spare))
    finer, table = central_table(finer, beta, rule)
    return finer.take(np.flatnonzero(evaluate("recall", *table) >= value)[:1])


def _at_precision(ranking: Ranking, beta: float, value: float, rule: Settings) -> Ranking:
    """Find the last cutoff whose estimated precision is at least a value."""
    finer, table = central_table(ranking, beta, rule)
    found = evaluate("precision", *table)
    if not (found >= value).any():
        highest = max(found[1:].tolist(), default=nan)
        raise PUDataError(
            f"at={{'precision': {value:g}}} is reached by no cutoff: at beta = {beta:g} the "
            f"highest estimated precision is {highest:.4g}. Ask for less, or at='maximum'."
        )
    last = int(np.flatnonzero(found >= value)[-1])
    # After it each further example is a false positive, up to the next bend.
    true, head = int(table.tp[last]), int(table.tp[last] + table.fp[last])
    total = sum(ranking.total)
    most = total if true >= value * total else floor(true / value)
    most += (true / (most + 1) >= value) - (true / max(most, 1) < value)  # as floats compare
    here = _between(finer, last, int(finer.unlabeled[last]) + most - head)
    finer, table = central_table(finer.refine(here), beta, rule)
    return finer.take(np.flatnonzero(evaluate("precision", *table) >= value)[-1:])


def _at_best(ranking: Ranking, beta: float, name: str | Metric, rule: Settings) -> Ranking:
    """Find the cutoff at which the estimate of a metric is highest.

    It is one at which curves bend; or next to no examples or to all, where a metric may have no
    value.
    """
    unlabeled = ranking.total.unlabeled
    ends = np.unique([1, max(unlabeled - 1, 1)])[:unlabeled]
    finer, table = central_table(ranking.refine(ends), beta, rule)
    values = np.where(finer.rank > 0, evaluate(name, *table), np.nan)  # a cutoff, not none
    if np.isnan(values).all():
        raise PUDataError("at needs a cutoff at which the metric has a value, but there is none.")
    return finer.take(np.array([np.nanargmax(values)]))


def _between(ranking: Ranking, position: int, unlabeled: int) -> IntArray:
    """Return a count of unlabeled examples if cutoffs between two others may have it."""
    here, following = max(position, 0), min(position + 1, ranking.rank.size - 1)
    alike = (
        ranking.known_positive[here] == ranking.known_positive[following]
        and ranking.known_negative[here] == ranking.known_negative[following]
    )
    inside = ranking.unlabeled[here] < unlabeled < ranking.unlabeled[following]
    return np.array([unlabeled] if alike and inside else [], np.int64)


_SEARCHES: Mapping[str, _Search] = {
    "fpr": _at_fpr,
    "recall": _at_recall,
    "tpr": _at_recall,
    "precision": _at_precision,
}

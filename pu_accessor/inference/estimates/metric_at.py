"""A metric at the one cutoff that a person reports, with its interval."""

from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from math import floor, nan
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.contamination import count_wrong, relabel
from pu_accessor.inference.estimates.cutoff_spec import CHOSEN, FIXED, Cutoff, no_rank
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.metrics import METRICS, Metric
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Table, completed_table, make_tables, mix
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking

_AT_ONCE = 1 << 16  # heads of a gap that are looked at together
_SAME = 1e-12  # rates that are as near are equal where counts are no whole numbers


class Head(NamedTuple):
    """The examples predicted positive: down to a cutoff, or into a block of tied scores."""

    ends: Ranking  # the cutoff, or the two around the block
    part: FloatArray  # weight of each: where between them the head ends

    @property
    def rank(self) -> float:
        """Examples predicted positive."""
        rank = float(self.part @ self.ends.head)
        return round(rank) if self.ends.head.dtype.kind == "i" else rank

    def share_error(self, rule: Settings) -> Settings:
        """Return the rule at which limits at two ends share what is left to error."""
        if self.part.size == 1 or rule.band == "simultaneous":
            return rule
        return rule.at_level((1 + rule.level) / 2)


def metric_at(
    ranking: Ranking,
    betas: FloatArray,
    metric: Metric,
    at: Cutoff,
    rule: Settings,
    head_at: float | None = None,
) -> Estimates:
    """Evaluate a metric at one cutoff, with its interval; at that of the beta `head_at`, if any.

    Notes
    -----
    Where a rank falls into a block of tied scores, its counts are the expectation over all orders
    of the block. The limits are between those of the band at both ends of the block, each at half
    of 1 - level: they cover with a probability of at least `level`.

    Examples
    --------
    >>> from pu_accessor.inference.estimates.cutoff_spec import read_at
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = metric_at(
    ...     ranking, np.array([0.25]), METRICS["precision"], read_at(4), Settings()
    ... )
    >>> found.threshold, found.value.round(3), found.lower, found.upper, found.band
    (array([8.5]), array([0.714]), array([0.5]), array([1.]), 'exact')
    """
    rule = rule_at(at, rule)
    if at.kind in FIXED or head_at is not None:
        return evaluate_at(
            find_head(ranking, head_at or 0.0, metric, at, rule), betas, metric, rule
        )
    each = [
        evaluate_at(find_head(ranking, beta, metric, at, rule), np.array([beta]), metric, rule)
        for beta in betas.tolist()
    ]
    names = [field.name for field in fields(Estimates)]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in each])
        for name in names
        if isinstance(getattr(each[0], name), np.ndarray)
    }
    return replace(each[0], **joined)


def rule_at(at: Cutoff, rule: Settings) -> Settings:
    """Return the rule for a cutoff: one chosen by estimates takes bounds of all cutoffs."""
    chosen = at.kind in (*CHOSEN, "precision")
    return replace(rule, band="simultaneous") if chosen and rule.band == "exact" else rule


def fixed_head(ranking: Ranking, at: Cutoff) -> Head:
    """Find a head that no beta moves."""
    examples, rank = sum(ranking.total), at.value
    if at.kind == "threshold":
        rank = ranking.above(at.value).item()
    elif at.kind == "fraction":
        rank = floor(Fraction(str(at.value)) * examples)
    if rank > examples:
        raise no_rank(f"{examples}, the number of examples", rank)
    return _head_at(ranking, rank)


def _head_at(ranking: Ranking, rank: float) -> Head:
    """Return the head of a rank: where it is in a block of ties, and the cutoffs around that."""
    here = ranking.at(np.array([rank]))
    start = here.head[0].item()
    if start == rank:
        return Head(here, np.ones(1))
    reached = here.unlabeled + (rank - start)  # in a block without labels; others have both ends
    finer = ranking.refine(reached[reached <= ranking.total.unlabeled])
    end = int(np.searchsorted(finer.rank, rank))
    inside = (rank - start) / (finer.rank[end].item() - start)
    return Head(finer.take(np.array([end - 1, end])), np.array([1 - inside, inside]))


def find_head(ranking: Ranking, beta: float, metric: Metric, at: Cutoff, rule: Settings) -> Head:
    """Find the head that a person reports."""
    if at.kind in FIXED:
        return fixed_head(ranking, at)
    if at.kind in CHOSEN:
        metric = METRICS["informedness"] if at.kind == "youden" else metric
        return Head(_at_best(ranking, beta, metric, rule), np.ones(1))
    return Head(_at_rate(ranking, beta, at, rule), np.ones(1))


def evaluate_at(head: Head, betas: FloatArray, metric: Metric, rule: Settings) -> Estimates:
    """Evaluate a metric of one head."""
    ends, size = head.ends, betas.size
    tables = mix(make_tables(ends, betas, head.share_error(rule)), head.part)
    first, estimate, last = metric(*tables.table)[0].astype(np.float64)
    return Estimates(
        estimate,
        np.full(size, nan),
        np.minimum(first, last),
        np.maximum(first, last),
        band=ends.design or band_name(rule.band),
        rank=np.full(size, head.rank),
        threshold=np.full(size, ends.threshold[-1]),
        examples_at_threshold=np.full(size, ends.head[-1]),
        clipped=np.asarray(tables.clipped[0, ::2].any(axis=0)),
    )


def _at_rate(ranking: Ranking, beta: float, at: Cutoff, rule: Settings) -> Ranking:
    """Find the last cutoff with at most an fpr or at least a precision; for recall the first."""
    last = at.kind != "recall"

    def met_at(table: Table) -> IntArray:
        met = np.flatnonzero(_is_met(table, at))
        return met[-1:] if last else met[:1]

    finer, table = _complete(ranking, beta, rule)
    _check_rates(table, beta, at)
    start, size = _gap(finer, int(met_at(table)[0]) - (not last))
    low, high = 0, size
    while True:
        more = np.unique(np.linspace(low, high, min(high - low, _AT_ONCE) + 1).astype(np.int64))
        inside = _inside(finer, start, more[1:-1])
        met = met_at(_complete(inside, beta, rule)[1])
        if high - low <= _AT_ONCE:
            break
        low, high = _near(more, met, last)
    finer, table = _complete(finer.refine(inside.unlabeled[met]), beta, rule)
    return finer.take(met_at(table))


def _near(more: IntArray, met: IntArray, last: bool) -> tuple[int, int]:
    """Return between which heads of a gap a rate is met last, or first.

    In a gap it rises all along, or falls. `met` says where it is met among all but both ends.
    """
    place = int(met[0]) + 1 if met.size else (0 if last else more.size - 1)
    low, high = (place, place + 1) if last else (place - 1, place)
    # That head is still one of those between.
    first = more[low] - 1 if last else more[low]
    final = more[high] if last else more[high] + 1
    return max(int(first), int(more[0])), min(int(final), int(more[-1]))


def _is_met(table: Table, at: Cutoff) -> BoolArray:
    """Tell at which cutoffs an fpr is at most what is asked for, or another rate at least that."""
    rates = METRICS[at.kind](*table)
    rounding = np.where(table.tp % 1 > 0, _SAME, 0.0)  # whole counts have the nearest float
    if at.kind == "fpr":
        return np.asarray(rates <= at.value + rounding)
    return np.asarray(rates >= at.value - rounding)


def _check_rates(table: Table, beta: float, at: Cutoff) -> None:
    """Raise unless a rate has values, and a precision is reached."""
    rates = METRICS[at.kind](*table)
    if at.kind != "precision" and np.isnan(rates).any():
        kind, change = ("negatives", "smaller") if at.kind == "fpr" else ("positives", "larger")
        raise PUDataError(
            f"at={{{at.kind!r}: ...}} needs {kind}, but at this beta there are none. Pass a "
            f"{change} beta, or a rank.",
            page="beta#too-high",
        )
    if at.kind == "precision" and not _is_met(table, at).any():
        highest = max(rates[1:].tolist(), default=nan)
        raise PUDataError(
            f"at={{'precision': {at.value:g}}} is reached by no cutoff: at beta = {beta:g} the "
            f"highest estimated precision is {highest:.4g}. Ask for less, or at='maximum'."
        )


def _at_best(ranking: Ranking, beta: float, metric: Metric, rule: Settings) -> Ranking:
    """Find the cutoff at which the estimate of a metric is highest.

    It is one at which curves bend; or next to no examples or to all, where a metric may have no
    value; or, of MCC, between two where it is negative at each.
    """
    unlabeled = ranking.total.unlabeled
    ends = np.unique([1, max(unlabeled - 1, 1)])[:unlabeled]
    finer, table = _complete(ranking.refine(ends), beta, rule)
    if metric.peaks_between and (turns := _turns_of_mcc(finer, table)).size:
        finer, table = _complete(finer.refine(turns), beta, rule)
    values = np.where(finer.rank > 0, metric(*table), np.nan)  # a cutoff, not none
    if np.isnan(values).all():
        raise PUDataError("at needs a cutoff at which the metric has a value, but there is none.")
    return finer.take(np.array([np.nanargmax(values)]))


def _turns_of_mcc(ranking: Ranking, table: Table) -> IntArray:
    """Return counts of unlabeled examples next to a maximum of MCC, where that is negative.

    Among N examples, P of them positive, N*tp - P*h is a + b*h between two cutoffs, and MCC is in
    proportion to (a + b*h)/sqrt(h*(N - h)). That turns at h = a*N/(2*a + b*N) alone, where a
    negative one is highest, and a positive one lowest: none counts if one cutoff has 0 or more.
    """
    head, size = ranking.head.astype(np.float64), sum(ranking.total)
    level = size * table.tp - (table.tp + table.fn) * head
    if (level[1:-1] >= 0).any():
        return np.empty(0, np.int64)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.diff(level) / np.diff(head)
        start = level[:-1] - slope * head[:-1]
        turn = start * size / (2 * start + slope * size)
    inside = (turn > head[:-1]) & (turn < head[1:])
    inside &= np.diff(ranking.known_positive + ranking.known_negative) == 0
    unlabeled = (turn - head[:-1] + ranking.unlabeled[:-1])[inside].astype(np.int64)
    return np.unique([unlabeled, unlabeled + 1])


def _complete(ranking: Ranking, beta: float, rule: Settings) -> tuple[Ranking, Table]:
    """Return the table of the estimate at each cutoff."""
    ranking, table = completed_table(ranking, np.array([beta]), rule)
    return ranking, Table(*(count[:, 0] for count in table))


def _gap(ranking: Ranking, start: int) -> tuple[int, int]:
    """Return a cutoff, and how many examples lie from there to the next, all of them unlabeled.

    Between blocks of labeled examples there are none.
    """
    first, last = max(start, 0), min(start + 1, ranking.rank.size - 1)
    alike = all(
        kind[first] == kind[last] for kind in (ranking.known_positive, ranking.known_negative)
    )
    return first, int(np.ceil(ranking.unlabeled[last] - ranking.unlabeled[first])) if alike else 0


def _inside(ranking: Ranking, first: int, more: IntArray) -> Ranking:
    """Return heads that have more unlabeled examples than one of the cutoffs.

    Most are no cutoffs where scores are tied.
    """
    heads = ranking.take(np.full(more.size, first), ranking.rank[first] + more)
    return replace(heads, unlabeled=heads.unlabeled + more)


def contaminated_metric(
    ranking: Ranking, at: Cutoff, rule: Settings, ask: Callable[[Ranking, Settings], Estimates]
) -> Estimates:
    """Evaluate a metric at one cutoff where a share of the known positives may be wrong.

    `ask` evaluates it where none is.

    Notes
    -----
    With k of n known positives in the head and w wrong ones, up to min(w, k) of them there, the
    fewest true positives are those of min(w, k) wrong ones in the head: n - w known positives,
    k - w of them in the head, through the band, and w false positives more. The most are those of
    min(w, n - k) wrong ones below the cutoff. As each further wrong one in the head takes a true
    positive away and adds a false one, no other number is worse. Where all known positives in the
    head are wrong, or all below, the others are on the other side, or are right: both are tried.
    """
    plain = replace(rule, contamination=0.0)
    base, n = ask(ranking, plain), ranking.total.known_positive
    most = count_wrong(n, rule.contamination)
    above = fixed_head(ranking, at).ends.known_positive.tolist()
    numbers = {min(most, each) for k in above for each in (k, n - k)} | {most}
    found = [base] + [
        ask(relabel(ranking, wrong, first), plain)
        for wrong in sorted(numbers - {0})
        for first in (0, n - wrong)
    ]
    names = {"lower": np.fmin, "upper": np.fmax, "clipped": np.logical_or}
    ends = {name: of.reduce([getattr(each, name) for each in found]) for name, of in names.items()}
    return replace(base, **ends)

"""A metric at the one cutoff that a person reports, with its interval."""

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import floor, nan
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.checks import interval_betas
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.cutoff_spec import CHOSEN, FIXED, Cutoff, no_rank
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.inference.tables.contingency import Table, completed_table, make_tables, mix
from pu_accessor.inference.tables.curves import point_envelopes
from pu_accessor.inference.tables.metrics import Metric, evaluate
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking

_AT_ONCE = 1 << 16  # heads of a gap that are looked at together
_SAME = 1e-12  # rates that are as near are equal where counts are no whole numbers


@dataclass(frozen=True, eq=False)
class AtCutoff:
    """A metric of one ranking at one cutoff for each beta."""

    rank: IntArray  # examples predicted positive
    threshold: FloatArray  # lowest score that is
    examples_at_threshold: IntArray  # with that score or a higher one: more in a block of ties
    estimate: FloatArray
    lower: FloatArray  # the smaller number, also of an error rate
    upper: FloatArray
    clipped: BoolArray  # whether a limit is cut to what the unlabeled examples allow
    envelope_lower: FloatArray | None  # while beta varies within an interval
    envelope_upper: FloatArray | None
    band: str  # its name


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
    ranking: Ranking, beta: BetaRange, name: str | Metric, at: Cutoff, rule: Settings
) -> AtCutoff:
    """Evaluate a metric at one cutoff, with its interval.

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
    >>> beta = BetaRange(np.array([0.25]))
    >>> found = metric_at(ranking, beta, "precision", read_at(4), Settings())
    >>> found.threshold, found.estimate.round(3), found.lower, found.upper, found.band
    (array([8.5]), array([0.714]), array([0.5]), array([1.]), 'exact')
    """
    interval_betas(beta.interval, beta.values)
    rule = rule_at(ranking, at, rule)
    if at.kind in FIXED:
        return evaluate_at(fixed_head(ranking, at), beta, name, rule)
    answers = [
        evaluate_at(
            find_head(ranking, each, name, at, rule),
            BetaRange(np.array([each]), beta.interval),
            name,
            rule,
        )
        for each in beta.values.tolist()
    ]

    def join(name: str) -> FloatArray | None:
        values = [getattr(answer, name) for answer in answers]
        return None if values[0] is None else np.concatenate(values)

    names = [field.name for field in fields(AtCutoff)]
    joined: dict[str, Any] = {name: join(name) for name in names if name != "band"}
    return replace(answers[0], **joined)


def rule_at(ranking: Ranking, at: Cutoff, rule: Settings) -> Settings:
    """Return the rule for a cutoff: one chosen by estimates takes bounds of all cutoffs."""
    if at.kind not in (*CHOSEN, "precision"):
        return rule
    if ranking.design is not None:
        raise PUValueError(
            f"at must not choose a cutoff by {at.kind!r} with propensity=..., cluster=... or "
            "weight=...: no band holds at all cutoffs jointly there. Pass a rank, or {'recall': "
            "0.9}."
        )
    return replace(rule, band="simultaneous") if rule.band == "exact" else rule


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


def find_head(
    ranking: Ranking, beta: float, name: str | Metric, at: Cutoff, rule: Settings
) -> Head:
    """Find the head that a person reports."""
    if at.kind in FIXED:
        return fixed_head(ranking, at)
    if at.kind in CHOSEN:
        metric = "informedness" if at.kind == "youden" else name
        return Head(_at_best(ranking, beta, metric, rule), np.ones(1))
    return Head(_at_rate(ranking, beta, at, rule), np.ones(1))


def evaluate_at(head: Head, beta: BetaRange, name: str | Metric, rule: Settings) -> AtCutoff:
    """Evaluate a metric of one head."""
    ends, size = head.ends, beta.values.size
    parts = make_tables(ends, beta.values, head.share_error(rule), beta.interval, every_count=True)
    tables = mix(parts, head.part)
    first, estimate, last = evaluate(name, *tables.table)[0].astype(np.float64)
    lowest = highest = None
    if tables.inner is not None:

        def value(table: Table) -> FloatArray:
            return evaluate(name, *table).astype(np.float64)

        both = point_envelopes(tables, tables.inner, value, kinks=True)
        lowest, highest = (end[0] for end in both)
    return AtCutoff(
        np.full(size, head.rank),
        np.full(size, ends.threshold[-1]),
        np.full(size, ends.head[-1]),
        estimate,
        np.minimum(first, last),
        np.maximum(first, last),
        np.asarray(tables.clipped[0, ::2].any(axis=0)),
        lowest,
        highest,
        band=ends.design or band_name(rule.band),
    )


def _at_rate(ranking: Ranking, beta: float, at: Cutoff, rule: Settings) -> Ranking:
    """Find the last cutoff with at most an fpr or at least a precision; for recall the first."""
    last = at.kind not in ("recall", "tpr")

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
    rates = evaluate(at.kind, *table)
    rounding = np.where(table.tp % 1 > 0, _SAME, 0.0)  # whole counts have the nearest float
    if at.kind == "fpr":
        return np.asarray(rates <= at.value + rounding)
    return np.asarray(rates >= at.value - rounding)


def _check_rates(table: Table, beta: float, at: Cutoff) -> None:
    """Raise unless a rate has values, and a precision is reached."""
    rates = evaluate(at.kind, *table)
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


def _at_best(ranking: Ranking, beta: float, name: str | Metric, rule: Settings) -> Ranking:
    """Find the cutoff at which the estimate of a metric is highest.

    It is one at which curves bend; or next to no examples or to all, where a metric may have no
    value; or, of MCC, between two where it is negative at each.
    """
    unlabeled = ranking.total.unlabeled
    ends = np.unique([1, max(unlabeled - 1, 1)])[:unlabeled]
    finer, table = _complete(ranking.refine(ends), beta, rule)
    if name == "mcc" and (turns := _turns_of_mcc(finer, table)).size:
        finer, table = _complete(finer.refine(turns), beta, rule)
    values = np.where(finer.rank > 0, evaluate(name, *table), np.nan)  # a cutoff, not none
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

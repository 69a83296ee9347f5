"""Evaluate a metric at one cutoff, with its interval."""

from typing import NamedTuple

import numpy as np

from pu_accessor.beta import Beta
from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference import contingency
from pu_accessor.inference.answer import Answer, join_answers
from pu_accessor.inference.bands import band_name
from pu_accessor.inference.cutoff_spec import FIXED, Cutoff, rank_error, rank_of_fraction
from pu_accessor.inference.hidden_bounds import (
    bound_hidden,
    complete_at_bends,
    make_bands,
    references_used,
)
from pu_accessor.inference.known_positives import FloatPair, count_negatives
from pu_accessor.inference.metric_entry import Metric, Turns
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.worlds import FutureData, limits_at_threshold
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_BETA_SHARES = np.sin(np.linspace(0, np.pi / 2, 5))[1:]  # of the error of beta


class CutoffPosition(NamedTuple):
    """A cutoff, or a position within a block of tied scores."""

    ends: Ranking  # the cutoff, or the two around the block
    weights: FloatArray  # of each, by how near the position is

    @property
    def rank(self) -> float:
        """Examples predicted positive."""
        rank = float(self.weights @ self.ends.head)
        return round(rank) if self.ends.head.dtype.kind == "i" else rank

    def split_error(self, terms: Terms) -> Terms:
        """Return the terms with the error split between the two ends of a block."""
        if self.weights.size == 1 or terms.band == "simultaneous":
            return terms
        return terms.at_level((1 + terms.level) / 2)


def metric_at_cutoff(
    ranking: Ranking, betas: FloatArray, metric: Metric, at: Cutoff, terms: Terms
) -> Answer:
    """Evaluate a metric at one cutoff on this sample."""
    if at.kind in FIXED:
        return evaluate_at_position(locate_cutoff(ranking, at), betas, metric, terms)
    each = []
    for beta in betas[:, np.newaxis]:
        position = locate_chosen_cutoff(ranking, beta.item(), metric, at, terms)
        each.append(evaluate_at_position(position, beta, metric, terms))
    return join_answers(each)


def locate_cutoff(ranking: Ranking, at: Cutoff) -> CutoffPosition:
    """Return the position of a cutoff that does not depend on beta."""
    examples, rank = sum(ranking.total), at.value
    if at.kind == "threshold":
        rank = ranking.count_at_or_above(np.array([at.value])).item()
    elif at.kind == "fraction":
        rank = rank_of_fraction(at.value, examples)
    if rank > examples:
        raise rank_error(f"{examples}, the number of examples", rank)
    cutoff = ranking.at(np.array([rank]))
    start = cutoff.head[0].item()
    if start == rank:
        return CutoffPosition(cutoff, np.ones(1))
    # Only blocks without labels can be refined; others have both ends in the ranking.
    unlabeled = cutoff.unlabeled + (rank - start)
    finer = ranking.refine(unlabeled[unlabeled <= ranking.total.unlabeled], exact=True)
    end = int(np.searchsorted(finer.rank, rank))
    share = (rank - start) / (finer.rank[end].item() - start)
    return CutoffPosition(finer.take(np.array([end - 1, end])), np.array([1 - share, share]))


def locate_chosen_cutoff(
    ranking: Ranking, beta: float, metric: Metric, at: Cutoff, terms: Terms
) -> CutoffPosition:
    """Return the position of any cutoff, at one beta."""
    if at.kind in FIXED:
        return locate_cutoff(ranking, at)
    if at.kind == "positives":
        hidden = hidden_counts(np.array(beta), ranking.total.unlabeled).item()
        return locate_cutoff(ranking, Cutoff("rank", ranking.total.known_positive + hidden))
    metric = METRICS["informedness"] if at.kind == "youden" else metric
    return CutoffPosition(_best_cutoff(ranking, beta, metric, terms), np.ones(1))


def evaluate_at_position(
    position: CutoffPosition, betas: FloatArray, metric: Metric, terms: Terms
) -> Answer:
    """Evaluate a metric at one position."""
    ends = position.ends
    tables = contingency.make_tables(ends, betas, position.split_error(terms))
    # Within a block the expected table over all orders of ties.
    table = (contingency.mean_of_ends(position.weights, count) for count in tables.table)
    values = metric(*table).astype(np.float64)
    lower, upper = values.min(axis=0), values.max(axis=0)  # include the estimate
    answer = Answer(values[1], lower, upper, band=ends.design or band_name(terms.band))
    return add_location(answer, position, np.asarray(tables.clipped[:, ::2].any(axis=(0, 1))))


def join_tables_over_beta(
    metric: Metric, ranking: Ranking, beta: Beta, terms: Terms, at: Cutoff
) -> Answer:
    """Evaluate a metric of this sample at one cutoff, over all betas of an estimate."""
    # Limits of the metric that are joint as others are cover too little, as a bound that is cut to
    # what the unlabeled examples allow leaves no error: it is kept whole at all betas.
    kinds = references_used(terms.reference, ranking)
    contingency.check_labels(np.array([beta.upper]), ranking.total, kinds)
    position = locate_chosen_cutoff(ranking, beta.point, metric, at, terms)
    betas, kept = _betas_and_band_share(beta, terms.level)
    at_point = evaluate_at_position(position, betas[:1], metric, terms)
    (cutoffs, weights), terms = position, position.split_error(terms)
    hidden = hidden_counts(betas, cutoffs.total.unlabeled)
    each = [cutoffs.take(np.array([index])) for index in range(weights.size)]
    bounds = np.stack([_tight_bounds(cutoff, hidden, kept, terms) for cutoff in each])
    known = cutoffs.known_positive[:, np.newaxis, np.newaxis]
    tp = contingency.mean_of_ends(weights, known + bounds)
    rank = contingency.mean_of_ends(weights, cutoffs.head)
    positives, size = cutoffs.total.known_positive + hidden, sum(cutoffs.total)
    values = metric(*contingency.Table.of(tp, rank, positives, size)).astype(np.float64)
    return at_point.with_limits(np.fmin.reduce(values, None), np.fmax.reduce(values, None))


def _betas_and_band_share(beta: Beta, level: float) -> FloatPair:
    """Return betas from the estimate to its limits, and the share of the band kept at each."""
    point, lower, upper, *inside = beta.grid(level)
    kept = np.sqrt(1 - _BETA_SHARES**2)
    up = point + _BETA_SHARES * (upper - point)
    free, down = [point], point - _BETA_SHARES * (point - lower)
    if beta.is_upper_limit:  # all betas below are as likely
        free, down = [point, lower, *inside], np.empty(0)
    shares = np.concatenate([np.ones(len(free)), kept[: down.size], kept])
    return np.concatenate([free, down, up]), shares


def _tight_bounds(cutoff: Ranking, hidden: IntArray, kept: FloatArray, terms: Terms) -> IntArray:
    """Return both bounds on the hidden positives at a cutoff, moved towards the estimate."""
    unlabeled, predicted = cutoff.total.unlabeled, int(cutoff.unlabeled[0])
    bounds = bound_hidden(make_bands(cutoff, hidden, terms), cutoff, terms)
    low, high = bounds.claimed[0]
    completed = complete_at_bends(cutoff, hidden, bounds.tightest)[1]
    fewest, most = np.maximum(hidden - (unlabeled - predicted), 0), np.minimum(hidden, predicted)
    middle = np.clip(completed[0], low, high)
    below = 1.0 if (low < fewest).any() else kept
    above = 1.0 if (high > most).any() else kept
    lower = np.floor(middle - below * (middle - low))
    upper = np.ceil(middle + above * (high - middle))
    return np.clip(np.stack([lower, upper]).astype(np.int64), fewest, most)


def add_location(
    answer: Answer, position: CutoffPosition, clipped: BoolArray | bool = False
) -> Answer:
    """Add rank and threshold to an answer, and whether a limit is cut to what is possible."""
    ends, rank = position.ends, position.rank
    is_below = ends.unranked > 0 and np.isnan(ends.threshold[-1])  # all that was ranked
    through = rank if is_below else ends.head[-1]
    return answer.with_columns(
        rank=rank, threshold=ends.threshold[-1], clipped=clipped, examples_at_threshold=through
    )


def _best_cutoff(ranking: Ranking, beta: float, metric: Metric, terms: Terms) -> Ranking:
    """Return the cutoff with the highest estimate, at a bend of the curves or an end."""
    unlabeled = ranking.total.unlabeled
    ends = np.unique([1, max(unlabeled - 1, 1)])[:unlabeled]
    finer, table = _complete_tables(ranking.refine(ends, exact=True), beta, terms)
    if metric.turns and (beside := _beside_turns(finer, table, metric.turns)).size:
        finer, table = _complete_tables(finer.refine(beside, exact=True), beta, terms)
    is_ranked = (finer.rank > 0) & (finer.rank <= sum(ranking.total) - ranking.unranked)
    values = np.where(is_ranked, metric(*table), np.nan)
    if np.isnan(values).all():
        raise PUDataError("at needs a cutoff at which the metric has a value, but there is none.")
    return finer.take(np.array([np.nanargmax(values)]))


def _beside_turns(ranking: Ranking, table: contingency.Table, turns: Turns) -> IntArray:
    """Return counts of unlabeled examples next to where a metric turns between cutoffs."""
    head = ranking.head.astype(np.float64)
    tp, positives = (each.astype(np.float64) for each in (table.tp, table.tp + table.fn))
    turn = turns(tp, head, positives, sum(ranking.total))
    inside = (turn > head[:-1]) & (turn < head[1:])
    inside &= np.diff(ranking.known_positive + ranking.known_negative) == 0
    unlabeled = (turn - head[:-1] + ranking.unlabeled[:-1])[inside].astype(np.int64)
    return np.unique([unlabeled, unlabeled + 1])


def _complete_tables(
    ranking: Ranking, beta: float, terms: Terms
) -> tuple[Ranking, contingency.Table]:
    """Return the tables of the estimate at each cutoff."""
    ranking, table = contingency.completed_table(ranking, np.array([beta]), terms)
    return ranking, contingency.Table(*(count[:, 0] for count in table))


def future_metric_at_threshold(
    ranking: Ranking, betas: FloatArray, metric: Metric, at: Cutoff, terms: Terms
) -> Answer:
    """Evaluate a metric of future data at a threshold, with its interval."""
    count_negatives(ranking.total, betas, "metric on future data")
    position = locate_cutoff(ranking, at)
    answer = evaluate_completed(position, betas, metric, terms.prevalence)
    world = FutureData.of(ranking, betas, terms)
    limits = limits_at_threshold(world, ranking, position.ends, metric, answer.value)
    return answer.with_limits(*limits)


def evaluate_completed(
    position: CutoffPosition, betas: FloatArray, metric: Metric, prevalence: float | None
) -> Answer:
    """Estimate a metric of future data at one position, without limits."""
    ends, weights = position
    _, table = contingency.completed_table(ends, betas, on_new=True)
    table = contingency.Table(*(contingency.mean_of_ends(weights, count) for count in table))
    value = metric(*table.at_prevalence(prevalence)).astype(np.float64)
    return add_location(Answer(value, value, value, band="binomial"), position)

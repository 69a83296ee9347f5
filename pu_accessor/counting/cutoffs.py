"""Scores and labels -> rankings: which cutoffs there are, and what lies at or above each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from pu_accessor.counting.gaps import (
    Best,
    Gaps,
    count_gaps,
    distinct,
    nth_best,
    scores_inside,
)
from pu_accessor.errors import PUTypeError, PUValueError, check_option
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking, Ranks

__all__ = ["Examples", "mid_ranks", "rank_counted", "rank_examples"]


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples whose scores are only counted, wherever they are.

    Parameters
    ----------
    known_positive, known_negative : ndarray of float64, shape (labeled examples of that kind,)
        Their scores, NaN the worst.
    size : int
        Number of examples, labeled and unlabeled.
    count : callable
        From distinct values, best first, to the gaps that all scores make between them.
    fetch : callable
        From values and numbers of gaps to all scores in these gaps.
    propensity : ndarray of float64, shape (known positives,), optional
        Probability with which each known positive was labeled, in (0, 1].
    """

    known_positive: FloatArray
    known_negative: FloatArray
    size: int
    count: Callable[[FloatArray], Gaps]
    fetch: Callable[[FloatArray, IntArray], FloatArray]
    propensity: FloatArray | None = None


class _Labeled(NamedTuple):
    """Labeled examples by score: negated distinct values, ascending, and how many are no worse.

    The latter start with none, so that they belong to a number of values.
    """

    cost: FloatArray
    positive: IntArray
    negative: IntArray

    def above(self, threshold: FloatArray) -> IntArray:
        """Return the number of values at or above each threshold."""
        above: IntArray = np.searchsorted(self.cost, 0.0 - threshold, side="right")
        return above.astype(np.int64)


def rank_examples(
    score: FloatArray,
    positive: BoolArray,
    negative: BoolArray,
    *,
    ranks: Ranks = "all",
    highest: int | None = None,
    propensity: FloatArray | None = None,
    source: Mapping[str, str] | None = None,
) -> Ranking:
    """Rank examples by score and count each kind at each cutoff.

    Parameters
    ----------
    score : ndarray of float64, shape (examples,)
        Higher is more positive. Tied scores share a cutoff; NaN ranks last.
    positive, negative : ndarray of bool, shape (examples,)
        Which examples are known positives and known negatives; the others are unlabeled.
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Every attained cutoff; those between which all bounds are straight; or the last attained
        cutoff at or before each of these ranks, from 0 to the number of examples.
    highest : int, optional
        The highest rank that may be asked for, where it is not the number of examples: a smaller
        one of several rankings ends earlier.
    propensity : ndarray of float64, shape (examples,), optional
        Probability with which each positive is labeled, in (0, 1]; only that of the known
        positives is read.
    source : mapping of str to str, optional
        Where the scores and labels come from.

    Returns
    -------
    Ranking

    Raises
    ------
    PUValueError
        If `ranks` is another word, or holds a rank that the ranking does not have.
    PUTypeError
        If `ranks` holds anything but integers.
    """
    known = score[positive], score[negative]
    odds = None if propensity is None else propensity[positive]
    if isinstance(ranks, str) and ranks == "all":
        unlabeled = score[~(positive | negative)]
        return _rank_all(*known, unlabeled, odds, {**(source or {}), "ranks": ranks})
    examples = Examples(
        *known,
        score.size,
        partial(count_gaps, scores=score),
        partial(scores_inside, scores=score),
        odds,
    )
    return rank_counted(examples, ranks=ranks, highest=highest, source=source)


def rank_counted(
    examples: Examples,
    *,
    gaps: Gaps | None = None,
    ranks: Ranks = "breakpoints",
    highest: int | None = None,
    source: Mapping[str, str] | None = None,
) -> Ranking:
    """Rank examples by counting their scores between the labeled ones.

    Parameters
    ----------
    examples : Examples
        In memory, in pieces or on a cluster.
    gaps : Gaps, optional
        Their counts between the labeled scores, if these have been counted already.
    ranks : "breakpoints", int or array-like of int, default "breakpoints"
        As in `rank_examples`, but for all cutoffs: these take all scores.
    highest, source
        As in `rank_examples`.

    Returns
    -------
    Ranking

    Raises
    ------
    PUValueError, PUTypeError
        As in `rank_examples`.
    """
    if isinstance(ranks, str):
        check_option("ranks", ranks, ["all", "breakpoints"])
    source = {**(source or {}), "ranks": "breakpoints"}
    values, at = distinct(np.concatenate([examples.known_positive, examples.known_negative]))
    labeled = _label(values, examples)
    gaps = examples.count(values) if gaps is None else gaps
    finder = _Finder(labeled, gaps, gaps.without(at), examples)
    weight = _weights(examples.known_positive, examples.propensity)
    ranking = replace(_rank_blocks(labeled, finder.free, weight, source), finder=finder)
    if isinstance(ranks, str):
        return ranking
    return ranking.at(_requested(ranks, highest or examples.size))


def _label(values: FloatArray, examples: Examples) -> _Labeled:
    """Count the labeled examples at or above each of their scores."""
    cost = 0.0 - values
    counts = [
        np.bincount(np.searchsorted(cost, 0.0 - kind), minlength=values.size)
        for kind in (examples.known_positive, examples.known_negative)
    ]
    return _Labeled(cost, *(np.append(0, np.cumsum(count)).astype(np.int64) for count in counts))


def _weights(positive: FloatArray, propensity: FloatArray | None) -> FloatArray | None:
    """Return one over the propensities, best-ranked first."""
    if propensity is None:
        return None
    # Among ties by weight: the order of rows shall not matter.
    weight: FloatArray = 1 / propensity[np.lexsort((propensity, 0.0 - positive))]
    return weight


def _rank_blocks(
    labeled: _Labeled, gaps: Gaps, weight: FloatArray | None, source: Mapping[str, str]
) -> Ranking:
    """Make a cutoff of each labeled score and of the worst unlabeled one in each gap."""
    lowest, through = gaps.blocks()
    there = np.ones(lowest.size, np.bool_)
    there[::2] = gaps.inside > 0
    above = (np.arange(lowest.size, dtype=np.int64) + 1)[there] // 2
    threshold = np.append(np.inf, lowest[there])
    unlabeled = np.append(0, through[there])
    return _at_thresholds(labeled, threshold, unlabeled, np.append(0, above), weight, source)


def _at_thresholds(
    labeled: _Labeled,
    threshold: FloatArray,
    unlabeled: IntArray,
    above: IntArray,
    weight: FloatArray | None,
    source: Mapping[str, str],
) -> Ranking:
    """Make a ranking of cutoffs, given the labeled scores at or above each."""
    positive, negative = labeled.positive[above], labeled.negative[above]
    total = Counts(int(labeled.positive[-1]), int(labeled.negative[-1]), int(unlabeled[-1]))
    return Ranking(
        rank=positive + negative + unlabeled,
        threshold=threshold,
        known_positive=positive,
        known_negative=negative,
        unlabeled=unlabeled,
        total=total,
        source=source,
        weight=weight,
    )


def mid_ranks(score: FloatArray, among: BoolArray) -> FloatArray:
    """Return the ranks of some examples among all, from the top, ties averaged.

    Parameters
    ----------
    score : ndarray of float64, shape (examples,)
        Higher is more positive; NaN ranks last.
    among : ndarray of bool, shape (examples,)
        Whose ranks to return.

    Returns
    -------
    ndarray of float64, shape (wanted,)
        1 for the best alone; in the order of the examples.

    Examples
    --------
    >>> mid_ranks(np.array([3.0, 1.0, 2.0, 2.0]), np.array([True, True, True, False]))
    array([1. , 4. , 2.5])
    """
    values, _ = distinct(score[among])
    _, through = count_gaps(values, score).blocks()
    value = np.searchsorted(0.0 - values, 0.0 - score[among])
    ranks: FloatArray = (through[2 * value] + through[2 * value + 1] + 1) / 2
    return ranks


def _requested(ranks: int | Sequence[int] | IntArray, examples: int) -> IntArray:
    """Check the ranks that a user asks for."""
    wanted = np.atleast_1d(np.asarray(ranks))
    if wanted.ndim > 1 or (wanted.size and not np.issubdtype(wanted.dtype, np.integer)):
        raise PUTypeError(
            "ranks must be 'all', 'breakpoints', an integer or a one-dimensional array of "
            f"integers, but {ranks!r} was passed. For shares of the {examples} examples, "
            f"multiply and round: (share * {examples}).astype(int)."
        )
    if np.unique(wanted).size < max(wanted.size, 1):
        raise PUValueError(
            f"ranks must hold at least one rank and each once, but {wanted.tolist()[:20]} was "
            "passed. np.unique(ranks) has each once."
        )
    outside = wanted[(wanted < 0) | (wanted > examples)]
    if outside.size:
        raise PUValueError(
            f"ranks must lie between 0 and {examples}, the number of examples, but "
            f"{outside.tolist()[:5]} was passed."
        )
    return wanted.astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Finder:
    """Finds cutoffs by a further look at the scores."""

    labeled: _Labeled
    gaps: Gaps  # of all scores
    free: Gaps  # of the unlabeled
    examples: Examples

    def _nth_best(self, targets: IntArray, gaps: Gaps) -> Best:
        return nth_best(targets, gaps, self.examples.count, self.examples.fetch)

    def refine(self, ranking: Ranking, unlabeled: IntArray) -> Ranking:
        """Add the cutoffs at both edges of the tie blocks in which unlabeled examples lie."""
        best = self._nth_best(unlabeled, self.free)
        better = best.before > 0
        threshold = np.concatenate([ranking.threshold[1:], best.score, best.better[better]])
        through = np.concatenate([ranking.unlabeled[1:], best.through, best.before[better]])
        _, first = np.unique(0.0 - threshold, return_index=True)
        threshold, through = threshold[first], through[first]
        return replace(
            _at_thresholds(
                self.labeled,
                np.append(np.inf, threshold),
                np.append(0, through),
                np.append(0, self.labeled.above(threshold)),
                ranking.weight,
                ranking.source,
            ),
            finder=self,
        )

    def at(self, ranking: Ranking, ranks: IntArray) -> Ranking:
        """Return the last attained cutoff at or before each of some ranks."""
        ends = np.minimum(ranks, self.examples.size)
        best = self._nth_best(ends.clip(min=1), self.gaps)
        attained = ends == best.through
        threshold = np.where(attained, best.score, best.better)
        through = np.where(attained, best.through, best.before)
        none = (ends == 0) | (through == 0)
        above = np.where(none, 0, self.labeled.above(threshold))
        positive, negative = self.labeled.positive[above], self.labeled.negative[above]
        return replace(
            ranking,
            rank=ranks,
            threshold=np.where(none, np.inf, threshold),
            known_positive=positive,
            known_negative=negative,
            unlabeled=np.where(none, 0, through) - positive - negative,
            source={**ranking.source, "ranks": "selected"},
            finder=None,
            whole=ranking,
        )

    def above(self, threshold: float) -> int:
        """Return the number of examples at or above a score."""
        gaps = self.examples.count(np.array([threshold]))
        return int(gaps.inside[0] + gaps.at[0])


def _rank_all(
    positive: FloatArray,
    negative: FloatArray,
    unlabeled: FloatArray,
    propensity: FloatArray | None,
    source: Mapping[str, str],
) -> Ranking:
    """Count each kind at rank 0 and at or above each score."""
    # Negated not by a sign: no threshold shall print as -0.0. Sorted, NaN comes last by itself.
    kinds = [np.sort(0.0 - kind) for kind in (positive, negative, unlabeled)]
    values = np.unique(np.concatenate(kinds))
    counts = [np.searchsorted(kind, values, side="right").astype(np.int64) for kind in kinds]
    above = [np.concatenate([[0], count]) for count in counts]
    return Ranking(
        rank=above[0] + above[1] + above[2],
        threshold=np.concatenate([[np.inf], 0.0 - values]),
        known_positive=above[0],
        known_negative=above[1],
        unlabeled=above[2],
        total=Counts(*(kind.size for kind in kinds)),
        source=source,
        weight=_weights(positive, propensity),
    )

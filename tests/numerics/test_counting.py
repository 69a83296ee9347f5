"""Counts between labeled scores, against a full sort."""

from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as some

from pu_accessor.counting import score_gaps, threads

Array: TypeAlias = np.ndarray[Any, Any]
Scores: TypeAlias = tuple[Array, Array]

ODD = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2e-310, 1e308, -1e308]
KINDS = [st.sampled_from([*ODD, 0.1, 0.5, 2.0]), st.floats(width=64), st.floats(0, 1, width=32)]
SCORES = st.sampled_from(KINDS).flatmap(
    lambda values: st.tuples(
        *(some.arrays(np.float64, st.integers(0, size), elements=values) for size in (12, 60))
    )
)
CUTS = st.lists(st.integers(0, 60), max_size=4)
EVERY = np.repeat(ODD, 5)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the way of large data with small ones."""
    monkeypatch.setattr(score_gaps, "_MAX_SORTED_TOGETHER", 16)
    monkeypatch.setattr(threads, "_MIN_SCORES_FOR_THREADS", 30)


def order(scores: Array) -> list[Any]:
    """Return scores as they compare, from the best down: NaN last, as a value of its own."""
    return sorted((-np.inf if np.isnan(x) else x, not np.isnan(x)) for x in scores.tolist())[::-1]


def between(values: Array, scores: Array) -> list[list[Any]]:
    """Return the scores in each gap, as they compare."""
    ends = [(np.inf, 2), *order(values), (-np.inf, -1)]
    return [[x for x in order(scores) if a > x > b] for a, b in pairwise(ends)]


def assert_same(found: score_gaps.GapCounts, values: Array, scores: Array) -> None:
    """Compare counts with those of as slow a way as there is."""
    gaps = between(values, scores)
    lowest = [(x[-1][0] if x[-1][1] else np.nan) if x else np.inf for x in gaps]
    at = [order(scores).count(mark) for mark in order(values)]
    expected = values, np.array(at, int), np.array([len(x) for x in gaps]), np.array(lowest)
    for name, wanted in zip(("values", "at", "inside", "lowest"), expected, strict=True):
        np.testing.assert_array_equal(getattr(found, name), wanted)
    assert not any(np.signbit(x[x == 0]).any() for x in (found.values, found.lowest))


def pieces(scores: Array, cuts: list[int]) -> list[Array]:
    return np.split(scores, sorted(cut % (scores.size + 1) for cut in cuts))


@given(scores=SCORES, cuts=CUTS)
@example(scores=(np.array([1e308, -1e308]), EVERY), cuts=[7])
@example(scores=(np.array([np.nan, np.inf, -np.inf]), EVERY), cuts=[30])
@example(scores=(np.array([2.0, 2.0]), EVERY), cuts=[])
def test_gaps_are_those_of_a_full_sort(scores: Scores, cuts: list[int]) -> None:
    labeled, unlabeled = scores
    values, known = score_gaps.distinct_scores(labeled)
    cut = [score_gaps.sort_scores(piece) for piece in pieces(unlabeled, cuts)]
    parts = [score_gaps.count_gaps(values, piece) for piece in cut]
    assert_same(reduce(score_gaps.GapCounts.merge, parts), values, unlabeled)
    together = score_gaps.sort_scores(np.concatenate([labeled, unlabeled]))
    both = score_gaps.count_gaps(values, together)
    assert_same(replace(both, at=both.at - known), values, unlabeled)


@given(scores=SCORES, cuts=CUTS, targets=st.lists(st.integers(1, 60), min_size=1, max_size=5))
@example(scores=(np.array([]), EVERY), cuts=[], targets=[1, 20, 59, 60])
@example(scores=(np.array([1.0]), np.linspace(0, 1, 60)), cuts=[9], targets=[1, 2, 30, 60])
@example(scores=(np.array([np.nan, 0.0]), EVERY), cuts=[], targets=[1, 20, 33, 60])
def test_best_scores_of_a_full_sort(scores: Scores, cuts: list[int], targets: list[int]) -> None:
    labeled, unlabeled = scores
    wanted = np.array([target for target in targets if target <= unlabeled.size], np.int64)
    values, at = score_gaps.distinct_scores(labeled)
    # Labeled scores are counted along: what is found must be the unlabeled ones.
    parts = [*map(score_gaps.SortedScores.of, pieces(np.concatenate([unlabeled, labeled]), cuts))]
    every = score_gaps.count_gaps(values, parts)

    def fetch(numbers: Array) -> score_gaps.SortedScores:
        return score_gaps.SortedScores.of(score_gaps.scores_inside(every.values, numbers, parts))

    found = score_gaps.order_statistics(wanted, replace(every, at=every.at - at), fetch)
    values, at = score_gaps.distinct_scores(unlabeled)
    through = np.append(0, np.cumsum(at))
    block = np.searchsorted(through[1:], wanted)
    np.testing.assert_array_equal(found.score, values[block])
    np.testing.assert_array_equal(found.better, np.append(np.inf, values)[block])
    np.testing.assert_array_equal(found.through, through[block + 1])
    np.testing.assert_array_equal(found.before, through[block])
    assert not any(np.signbit(x[x == 0]).any() for x in (found.score, found.better))


def test_scores_that_are_not_fetched_are_not_tied() -> None:
    gaps = score_gaps.SortedScores.of(np.array([4.0, 2.0, 2.0, 1.0])).count(np.array([3.0]))
    found = score_gaps.order_statistics(np.array([1, 2, 3, 4]), gaps, None)
    np.testing.assert_array_equal(found.score, [4.0, np.nan, np.nan, 1.0])
    np.testing.assert_array_equal(found.better, [np.inf, 4.0, np.nan, np.nan])
    assert (found.through.tolist(), found.before.tolist()) == ([1, 2, 3, 4], [0, 1, 2, 3])

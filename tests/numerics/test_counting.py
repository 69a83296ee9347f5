"""Counts between labeled scores, against a full sort."""

from dataclasses import replace
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as some

from pu_accessor.counting import score_gaps as gaps_module
from pu_accessor.counting import threads
from pu_accessor.counting.score_gaps import (
    GapCounts,
    OrderStatistics,
    SortedScores,
    count_gaps,
    distinct_scores,
    order_statistics,
    scores_inside,
    sort_scores,
)

Array = npt.NDArray[Any]
Scores: TypeAlias = tuple[Array, Array]

ODD = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2e-310, 1e308, -1e308]
TIED = st.sampled_from([*ODD, 0.1, 0.5, 2.0])
ANY = st.floats(width=64)
NEAR = st.floats(0, 1, width=32)
SCORES = st.sampled_from([TIED, ANY, NEAR]).flatmap(
    lambda values: st.tuples(
        *(some.arrays(np.float64, st.integers(0, size), elements=values) for size in (12, 60))
    )
)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the way of large data with small ones."""
    monkeypatch.setattr(gaps_module, "_MAX_SORTED_TOGETHER", 16)
    monkeypatch.setattr(threads, "_MIN_SCORES_FOR_THREADS", 30)


def order(scores: Array) -> list[Any]:
    """Return scores as they compare, from the best down: NaN last, as a value of its own."""
    return sorted((-np.inf if np.isnan(x) else x, not np.isnan(x)) for x in scores.tolist())[::-1]


def by_sorting(values: Array, scores: Array) -> GapCounts:
    """Count at and between values as slowly as can be."""
    ordered, marks = order(scores), order(values)
    at = [sum(x == mark for x in ordered) for mark in marks]
    ends = [(np.inf, 2), *marks, (-np.inf, -1)]
    between = [[x for x in ordered if ends[i] > x > ends[i + 1]] for i in range(len(ends) - 1)]
    lowest = [(x[-1][0] if x[-1][1] else np.nan) if x else np.inf for x in between]
    return GapCounts(
        values, np.array(at, int), np.array([len(x) for x in between]), np.array(lowest)
    )


def assert_same(found: GapCounts, expected: GapCounts) -> None:
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(found.at, expected.at)
    np.testing.assert_array_equal(found.inside, expected.inside)
    np.testing.assert_array_equal(found.lowest, expected.lowest)
    assert found.at.dtype == found.inside.dtype == np.int64
    assert_no_minus_0(found.values, found.lowest)


def assert_no_minus_0(*thresholds: Array) -> None:
    for each in thresholds:
        assert not np.signbit(each[each == 0]).any()


def pieces(scores: Array, cuts: list[int]) -> list[Array]:
    return np.split(scores, sorted(cut % (scores.size + 1) for cut in cuts))


@given(scores=SCORES, cuts=st.lists(st.integers(0, 60), max_size=4))
@example(scores=(np.array([1e308, -1e308]), np.repeat(ODD, 5)), cuts=[7])
@example(scores=(np.array([5e-324, 0.0]), np.repeat(ODD, 5)), cuts=[])
@example(scores=(np.array([np.nan, np.inf, -np.inf]), np.repeat(ODD, 5)), cuts=[30])
@example(scores=(np.array([2.0, 2.0]), np.repeat(ODD, 5)), cuts=[])
@example(scores=(np.array([1.0, 0.5]), np.array([1.0])), cuts=[])
def test_gaps_are_those_of_a_full_sort(scores: Scores, cuts: list[int]) -> None:
    labeled, unlabeled = scores
    values, _ = distinct_scores(labeled)
    expected = by_sorting(values, unlabeled)
    parts = [count_gaps(values, sort_scores(piece)) for piece in pieces(unlabeled, cuts)]
    assert_same(reduce(GapCounts.merge, parts), expected)
    both = count_gaps(values, sort_scores(np.concatenate([labeled, unlabeled])))
    assert_same(replace(both, at=both.at - distinct_scores(labeled)[1]), expected)


@given(
    scores=SCORES,
    cuts=st.lists(st.integers(0, 60), max_size=3),
    targets=st.lists(st.integers(1, 60), min_size=1, max_size=5),
)
@example(scores=(np.array([]), np.repeat(ODD, 5)), cuts=[], targets=[1, 20, 59, 60])
@example(scores=(np.array([1.0]), np.linspace(0, 1, 60)), cuts=[9], targets=[1, 2, 30, 60])
@example(scores=(np.array([1e308, -1e308]), np.repeat(ODD, 5)), cuts=[9], targets=[1, 20, 33])
def test_best_scores_of_a_full_sort(scores: Scores, cuts: list[int], targets: list[int]) -> None:
    labeled, unlabeled = scores
    wanted = np.array([target for target in targets if target <= unlabeled.size], np.int64)
    values, at = distinct_scores(labeled)
    # Labeled scores are counted along: what is found must be the unlabeled ones.
    parts = [
        SortedScores.of(piece) for piece in pieces(np.concatenate([unlabeled, labeled]), cuts)
    ]
    every = count_gaps(values, parts)
    free = replace(every, at=every.at - at)

    def fetch(numbers: Array) -> SortedScores:
        return SortedScores.of(scores_inside(every.values, numbers, parts))

    assert_best(order_statistics(wanted, free, fetch), wanted, unlabeled)


def test_scores_that_are_not_fetched_are_not_tied() -> None:
    gaps = SortedScores.of(np.array([4.0, 2.0, 2.0, 1.0])).count(np.array([3.0]))
    found = order_statistics(np.array([1, 2, 3, 4]), gaps, None)
    np.testing.assert_array_equal(found.score, [4.0, np.nan, np.nan, 1.0])
    np.testing.assert_array_equal(found.through, [1, 2, 3, 4])
    np.testing.assert_array_equal(found.better, [np.inf, 4.0, np.nan, np.nan])
    np.testing.assert_array_equal(found.before, [0, 1, 2, 3])


def assert_best(found: OrderStatistics, targets: Array, scores: Array) -> None:
    values, at = distinct_scores(scores)
    through = np.cumsum(at)
    block = np.searchsorted(through, targets)
    np.testing.assert_array_equal(found.score, values[block])
    np.testing.assert_array_equal(found.through, through[block])
    np.testing.assert_array_equal(
        found.better, np.append(values, np.inf)[block - 1 + (block == 0) * (values.size + 1)]
    )
    np.testing.assert_array_equal(found.before, np.concatenate([[0], through])[block])
    assert found.through.dtype == found.before.dtype == np.int64
    assert_no_minus_0(found.score, found.better)


BELOW = np.array([np.nan, -np.inf, 0.0, 2.0, np.nan])


@given(
    arrays=SCORES,
    chosen=st.lists(st.integers(0, 60), unique=True),
    dtype=st.sampled_from([np.float64, np.float32]),
)
@example(arrays=(np.array([]), BELOW), chosen=[0], dtype=np.float64)
@example(arrays=(np.array([1.0]), BELOW), chosen=[1], dtype=np.float64)
@example(arrays=(np.array([np.nan, 0.0]), BELOW), chosen=[0, 2], dtype=np.float64)
@example(arrays=(np.array([1e300, 0.1]), BELOW), chosen=[0, 1], dtype=np.float32)
def test_scores_in_gaps_of_a_full_sort(arrays: Scores, chosen: list[int], dtype: Any) -> None:
    with np.errstate(over="ignore"):
        values, scores = distinct_scores(arrays[0])[0], arrays[1].astype(dtype)
    numbers = sorted({number % (values.size + 1) for number in chosen})
    parts = sort_scores(scores)
    found = scores_inside(values, np.array(numbers, np.int64), parts)
    ordered, marks = order(scores), order(values)
    ends = [(np.inf, 2), *marks, (-np.inf, -1)]
    wanted = [x for x in ordered for i in numbers if ends[i] > x > ends[i + 1]]
    assert order(found) == sorted(wanted)[::-1]

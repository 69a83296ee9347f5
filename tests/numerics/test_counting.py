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
from scipy import special

from pu_accessor.counting import cells, score_gaps, threads
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.counting.placements import PlacementTable, find_steps, sum_placements
from pu_accessor.ranking import Clusters

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
    monkeypatch.setattr(threads, "_AT_ONCE", 16)
    monkeypatch.setattr(threads, "_SCORES_PER_THREAD", 15)
    monkeypatch.setattr(cells, "_MIN_SCORES", 4)


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
    gaps = score_gaps.Gaps.of(values, unlabeled)
    parts = [gaps.count(piece) for piece in pieces(unlabeled, cuts)]
    assert_same(reduce(score_gaps.GapCounts.merge, parts), values, unlabeled)
    both = gaps.count(np.concatenate([labeled, unlabeled]))
    assert_same(replace(both, at=both.at - known), values, unlabeled)


@given(scores=SCORES, targets=st.lists(st.integers(1, 60), min_size=1, max_size=5))
@example(scores=(np.array([]), EVERY), targets=[1, 20, 59, 60])
@example(scores=(np.array([1.0]), np.linspace(0, 1, 60)), targets=[1, 2, 30, 60])
@example(scores=(np.array([np.nan, 0.0]), EVERY), targets=[1, 20, 33, 60])
def test_best_scores_of_a_full_sort(scores: Scores, targets: list[int]) -> None:
    labeled, unlabeled = scores
    wanted = np.array([target for target in targets if target <= unlabeled.size], np.int64)
    values, at = score_gaps.distinct_scores(labeled)
    # Labeled scores are counted along: what is found must be the unlabeled ones.
    rows = np.concatenate([unlabeled, labeled])
    gaps = score_gaps.Gaps.of(values, rows)
    every = gaps.count(rows)

    def fetch(numbers: Array) -> score_gaps.Fetched:
        return gaps.fetch(numbers, rows)

    found = score_gaps.order_statistics(wanted, replace(every, at=every.at - at), fetch)
    values, at = score_gaps.distinct_scores(unlabeled)
    through = np.append(0, np.cumsum(at))
    block = np.searchsorted(through[1:], wanted)
    np.testing.assert_array_equal(found.score, values[block])
    np.testing.assert_array_equal(found.better, np.append(np.inf, values)[block])
    np.testing.assert_array_equal(found.through, through[block + 1])
    np.testing.assert_array_equal(found.before, through[block])
    assert not any(np.signbit(x[x == 0]).any() for x in (found.score, found.better))


@pytest.mark.parametrize("weight", [None, np.arange(90) % 4 + 0.5])
def test_sums_of_scores_are_those_of_rows(weight: Any) -> None:
    score, starts = np.arange(90)[::-1] // 3 * 1e-3, np.array([-1.0, 0.004, 0.0185, 0.5])
    kinds = np.arange(90) % 7 == 0, np.arange(90) % 7 == 1
    bins = np.searchsorted(starts, score, side="right") - 1
    wanted = np.bincount(bins, score * (1 if weight is None else weight), starts.size)
    for ranks in ("all", "breakpoints"):
        ranking = rank_examples(score, *kinds, ranks=ranks, weight=weight)  # type: ignore[arg-type]
        np.testing.assert_allclose(ranking.sums_from(starts), wanted, rtol=1e-12)


def test_scores_that_are_not_fetched_are_not_tied() -> None:
    scores, values = np.array([4.0, 2.0, 2.0, 1.0]), np.array([3.0])
    gaps = score_gaps.Gaps.of(values, scores).count(scores)
    found = score_gaps.order_statistics(np.array([1, 2, 3, 4]), gaps, None)
    np.testing.assert_array_equal(found.score, [4.0, np.nan, np.nan, 1.0])
    np.testing.assert_array_equal(found.better, [np.inf, 4.0, np.nan, np.nan])
    assert (found.through.tolist(), found.before.tolist()) == ([1, 2, 3, 4], [0, 1, 2, 3])


ODD = [np.inf, -np.inf, np.nan, 0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1.0, 1 + 1e-15]


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 5003])
def test_many_scores_in_threads(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PU_ACCESSOR_MAX_THREADS", "3")
    monkeypatch.setattr(threads, "_SCORES_PER_THREAD", 500)
    monkeypatch.setattr(threads, "_AT_ONCE", 64)
    rng = np.random.default_rng(0)
    score = rng.normal(size=(2, size)).round(2)
    known = rng.normal(size=(2, 5)).round(2)
    places = [PlacementTable.of(*each) for each in zip(known, score, strict=True)]
    whole = sum_placements(places, score)
    found = np.stack([place.above(one) for place, one in zip(places, score, strict=True)])
    for counts, own in zip(whole.counts, found, strict=True):
        np.testing.assert_array_equal(counts, np.bincount(own, minlength=11))
        assert counts.dtype == np.int64
    move = (found[0] - found[1]).astype(float)
    assert whole.moments.tolist() == [[move.sum(), move @ move]]
    assert whole.farthest.tolist() == [np.abs(move).max(initial=0)]
    assert whole.equal.tolist() == [not size]


floats = st.one_of(
    *(st.floats(), st.sampled_from(ODD), st.integers(-20, 20).map(lambda x: 1e9 + x * 1e-7)),
    *(st.integers(-9, 9).map(float), st.floats(-1, 1), st.floats(-700, 700).map(np.exp)),
)


@given(st.lists(floats, max_size=12), st.lists(floats, max_size=60), st.sampled_from([1, 8, 4096]))
def test_blocks_are_those_of_a_search(known: list[float], some: list[float], most: int) -> None:
    values, scores = np.unique(np.array(known, float)), np.array([*some, *known], float)
    values = values[~np.isnan(values)] + 0.0
    left, right = (values.searchsorted(scores, side) for side in ("left", "right"))
    wanted = np.where(np.isnan(scores), 0, left + right)
    for scale in (None, *cells._scales(values[np.isfinite(values)][:most])):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cells, "_scales", lambda _: [scale] if scale else [])  # noqa: B023
            patch.setattr(cells, "_MAX_CELLS", most)
            found = cells.Cells.of(values, scores).blocks(scores)
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == np.int32


@pytest.mark.parametrize("kind", [float, np.float32])
def test_few_scores_are_searched_for(kind: Any) -> None:
    """The table says where most are, of even scores and of very uneven ones."""
    rng, share = np.random.default_rng(0), special.expit
    normal = rng.normal(size=50_000)
    shapes = [normal, share(6 * normal - 8), share(6 * normal + 8), rng.standard_cauchy(50_000)]
    shapes += [rng.lognormal(0, 3, 50_000), rng.integers(0, 90, 50_000).astype(float)]
    for scores in (shape.astype(kind) for shape in shapes):
        values = np.unique(scores[:300]).astype(float)
        found = cells.Cells.of(values[~np.isnan(values)], scores)
        assert found._look_up(scores.astype(float))[1].size < 5_000


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_sums_are_those_of_rows(threads: str, missing: float, monkeypatch: Any) -> None:
    monkeypatch.setenv("PU_ACCESSOR_MAX_THREADS", threads)
    monkeypatch.setattr("pu_accessor.counting.threads._SCORES_PER_THREAD", 1)
    monkeypatch.setattr("pu_accessor.counting.threads._AT_ONCE", 7)
    rng = np.random.default_rng(5)
    score = np.round(rng.normal(size=200), 1)
    score[rng.random(200) < missing] = np.nan
    score[:4] = np.inf, -np.inf, 0.0, -0.0
    positive, code = rng.random(200) < 0.3, rng.integers(0, 12, 200)
    values = np.unique(score[~np.isnan(score)])[::-1]
    for threshold in (values, values[::5], *np.array([[0.25], [np.inf], [np.nan]])):
        edges = np.concatenate([[np.inf], threshold, [np.nan]])
        known, rest = rng.normal(size=(2, edges.size - 1))
        low: Any = {"nan": -np.inf, "posinf": np.inf, "neginf": -1e9}
        cost, worst = np.nan_to_num(score, **low), np.nan_to_num(edges[1:], **low)
        step = np.array([np.argmax(worst <= one) for one in cost])
        moved, expected = np.where(positive, known[step], rest[step]), np.zeros((2, 15))
        np.add.at(expected, (1 - positive, code), moved)
        rows = Clusters(score, positive, code, 15, find_steps)
        np.testing.assert_array_equal(rows.steps(edges), step)
        sums = rows.sums(edges, known, rest)
        np.testing.assert_allclose(sums, expected, atol=1e-12)

"""Rankings: ranks and placements of several models, blocks of known positives, stacks."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pu_accessor.counting import gaps as module
from pu_accessor.counting import placements, threads
from pu_accessor.counting.cutoffs import rank_examples, stack_examples
from pu_accessor.counting.gaps import Lookup
from pu_accessor.counting.placements import PlacementTable, count_above, rank_pairs
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from tests.numerics.test_counting import ODD as ODD_SCORES

ODD = [0.0, 1.0, 2.0, 3.5, np.nan, np.inf, -np.inf, 1.7e308, -1e-300, -1.7e308]


def draw(seed: int) -> tuple[FloatArray, BoolArray]:
    """Draw scores of some models, often tied, missing or of any size, and known positives."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 4)), int(rng.integers(1, 60))
    score = rng.normal(size=shape) * rng.choice([1, 1e-9, 1e9])
    score = rng.choice(ODD, shape) if seed % 3 == 0 else np.round(score, int(rng.integers(0, 12)))
    return score, rng.random(shape[1]) < 0.4


def below(score: FloatArray) -> FloatArray:
    """Return what each example wins against each other: 1, 1/2 or 0; missing scores lose."""
    place = np.unique(score, return_inverse=True)[1].astype(np.float64)
    place[np.isnan(score)] = -1
    return (np.sign(place[:, np.newaxis] - place) + 1) / 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", [*range(16), 75])
def test_ranks_and_covariance_of_pairs(seed: int, weighted: bool) -> None:
    score, known = draw(seed)
    known[0] |= weighted
    n = int(known.sum())
    weight = np.random.default_rng(seed).choice([0.3, 1.0, 2.5, 7.0], n) if weighted else None
    places = [PlacementTable.of(one, weight) for one in score[:, known]]
    above = count_above(places, score[:, :7]).merge(count_above(places, score[:, 7:]))
    ranks, among, covariance, moves = rank_pairs(places, score[:, known], above)
    wins = [below(one) for one in score]
    for one, found, alone in zip(wins, ranks, among, strict=True):  # which no weight moves
        lost = 1 - one[known]
        np.testing.assert_array_equal(found, lost.sum(axis=1) + 0.5)
        np.testing.assert_array_equal(alone, lost[:, known].sum(axis=1) + 0.5)
    if not n or (~known).sum() < 2:
        assert np.isnan(covariance).all()
        return
    shares = np.array([np.average(one[known], axis=0, weights=weight) for one in wins])
    placed = shares[:, ~known]
    covaried = np.cov(placed).reshape(covariance.shape)
    np.testing.assert_allclose(covariance, covaried, atol=1e-12)
    apart = placed[:, np.newaxis] - placed
    for power, found in zip((2, 4), moves, strict=True):
        np.testing.assert_allclose(found, (apart**power).mean(axis=2), atol=1e-12)
    for place, own, share in zip(places, score, shares, strict=True):
        found = place.center(place.above(own))
        np.testing.assert_allclose(found, n * (2 * share - 1), atol=1e-12 * n)


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 5003])
def test_many_scores_in_threads(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PU_ACCESSOR_MAX_THREADS", "3")
    monkeypatch.setattr(threads, "_WORTH", 2000)
    monkeypatch.setattr(placements, "_PIECE", 64)
    rng = np.random.default_rng(0)
    score = rng.normal(size=(2, size)).round(2)
    places = [PlacementTable.of(one) for one in rng.normal(size=(2, 5)).round(2)]
    whole = count_above(places, score)
    found = np.stack([place.above(one) for place, one in zip(places, score, strict=True)])
    for counts, own in zip(whole.counts, found, strict=True):
        np.testing.assert_array_equal(counts, np.bincount(own, minlength=11))
        assert counts.dtype == np.int64
    np.testing.assert_array_equal(whole.products[0], (found - 5.0) @ (found - 5.0).T)
    apart = ((found[0] - found[1]) / 5.0) ** 4
    np.testing.assert_allclose(whole.products[1, 0, 1], apart.sum(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("piece", [1, 64, 1 << 16])
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("distinct", [3, 1_000])
def test_stacked_rankings(distinct: int, together: bool, piece: int, monkeypatch: Any) -> None:
    monkeypatch.setattr("pu_accessor.counting.cutoffs._PIECE", piece)
    rng = np.random.default_rng(distinct)
    sizes = rng.integers(1, 30, 50)
    size = int(sizes.sum())
    score = rng.integers(distinct, size=size) / 7
    score[rng.random(size) < 0.1] = np.nan
    score[rng.random(size) < 0.1] = -np.inf
    kind = rng.choice(3, size, p=[0.3, 0.1, 0.6])
    positive, negative = kind == 0, kind == 1
    edges = np.append(0, np.cumsum(sizes))
    order = rng.permutation(size)
    parts: list[slice | IntArray] = [
        slice(start, end) if together else order[start:end]
        for start, end in pairwise(edges.tolist())
    ]
    stack = stack_examples(score, positive, negative, parts)
    assert (np.diff(stack.owner) >= 0).all()
    for number, rows in enumerate(parts):
        ranking = rank_examples(score[rows], positive[rows], negative[rows])
        found = np.diff(ranking.known_positive)
        there = np.flatnonzero(found)
        here = stack.owner == number
        np.testing.assert_array_equal(stack.total[number], ranking.total)
        np.testing.assert_array_equal(stack.found[here], found[there])
        np.testing.assert_array_equal(stack.known[here], ranking.known_positive[there + 1])
        np.testing.assert_array_equal(stack.start[here], ranking.rank[there])
        np.testing.assert_array_equal(stack.end[here], ranking.rank[there + 1])
        np.testing.assert_array_equal(stack.unlabeled[here], ranking.unlabeled[there + 1])


SHAPES: dict[str, Any] = {
    "odd": lambda rng, size: rng.choice([*ODD_SCORES, 1.7e308, -1.7e308], size),
    "any bits": lambda rng, size: rng.integers(-(2**63), 2**63 - 1, size).view(np.float64),
    "tied": lambda rng, size: rng.normal(size=size).round(1) * 10.0 ** rng.integers(-300, 300),
    "close": lambda rng, size: 1e9 + rng.integers(0, 20, size) * 1e-7,
    "over all magnitudes": lambda rng, size: rng.lognormal(0, 200, size),
    "with outliers": lambda rng, size: np.append(rng.normal(size=size), rng.choice(ODD_SCORES, 3)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_blocks_are_those_of_a_search(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        monkeypatch.setattr(module, "_FEWEST", int(rng.choice([1, 8, 1 << 12])))
        values, scores = (SHAPES[shape](rng, rng.integers(0, most)) for most in (12, 60))
        values = np.unique(values[~np.isnan(values)]) + 0.0
        left, right = (values.searchsorted(scores, side) for side in ("left", "right"))
        found = Lookup.of(values, scores).blocks(scores)
        np.testing.assert_array_equal(found, np.where(np.isnan(scores), 0, left + right))
        assert found.dtype == np.int64


@pytest.mark.parametrize("spread", [0.01, 3.0])
def test_few_scores_are_searched_for(spread: float) -> None:
    """The table says where most are, of even scores and of very uneven ones."""
    scores = np.random.default_rng(0).lognormal(0, spread, 50_000)
    lookup = Lookup.of(np.unique(scores[:300]), scores)
    assert np.mean(lookup._look(scores) < 0) < 0.4

"""Many rankings in one pass, against each of them by itself."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pu_accessor.counting.cutoffs import rank_examples, stack_examples
from pu_accessor.ranking import IntArray


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

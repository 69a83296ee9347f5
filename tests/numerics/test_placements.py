"""Rankings: ranks and placements of several models, blocks of known positives, stacks."""

from typing import Any

import numpy as np
import pytest

from pu_accessor.counting import placements, threads
from pu_accessor.counting import score_lookup as module
from pu_accessor.counting.placements import PlacementTable, sum_placements
from pu_accessor.counting.score_lookup import Lookup
from tests.numerics.test_counting import ODD as ODD_SCORES


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 5003])
def test_many_scores_in_threads(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PU_ACCESSOR_MAX_THREADS", "3")
    monkeypatch.setattr(threads, "_MIN_SCORES_FOR_THREADS", 2000)
    monkeypatch.setattr(placements, "_SCORES_AT_ONCE", 64)
    rng = np.random.default_rng(0)
    score = rng.normal(size=(2, size)).round(2)
    places = [PlacementTable.of(one) for one in rng.normal(size=(2, 5)).round(2)]
    whole = sum_placements(places, score)
    found = np.stack([place.above(one) for place, one in zip(places, score, strict=True)])
    for counts, own in zip(whole.counts, found, strict=True):
        np.testing.assert_array_equal(counts, np.bincount(own, minlength=11))
        assert counts.dtype == np.int64
    np.testing.assert_array_equal(whole.products, (found - 5.0) @ (found - 5.0).T)
    levels = found * 32 // 11
    counts = np.bincount(levels[0] * 32 + levels[1], minlength=32**2)
    np.testing.assert_array_equal(whole.levels, [counts])
    assert whole.equal.tolist() == [not size]


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
        monkeypatch.setattr(module, "_MIN_CELLS", int(rng.choice([1, 8, 1 << 12])))
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
    assert np.mean(lookup.table[lookup._cells(scores)] < 0) < 0.4

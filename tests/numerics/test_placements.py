"""Rankings: ranks and placements of several models, blocks of known positives, stacks."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor.counting import placements, score_lookup, threads
from pu_accessor.counting.placements import PlacementTable, sum_placements
from pu_accessor.counting.score_lookup import Lookup

ODD = [np.inf, -np.inf, np.nan, 0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1.0, 1 + 1e-15]


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


floats = st.one_of(
    *(st.floats(), st.sampled_from(ODD), st.integers(-20, 20).map(lambda x: 1e9 + x * 1e-7)),
    *(st.integers(-9, 9).map(float), st.floats(-1, 1), st.floats(-700, 700).map(np.exp)),
)


@given(st.lists(floats, max_size=12), st.lists(floats, max_size=60), st.sampled_from([1, 8, 4096]))
def test_blocks_are_those_of_a_search(known: list[float], some: list[float], cells: int) -> None:
    values, scores = np.unique(np.array(known, float)), np.array([*some, *known], float)
    values = values[~np.isnan(values)] + 0.0
    left, right = (values.searchsorted(scores, side) for side in ("left", "right"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_lookup, "_MIN_CELLS", cells)
        found: Any = Lookup.of(values, scores).blocks(scores)
    np.testing.assert_array_equal(found, np.where(np.isnan(scores), 0, left + right))
    assert found.dtype == np.int64


@pytest.mark.parametrize("spread", [0.01, 3.0])
def test_few_scores_are_searched_for(spread: float) -> None:
    """The table says where most are, of even scores and of very uneven ones."""
    scores = np.random.default_rng(0).lognormal(0, spread, 50_000)
    lookup = Lookup.of(np.unique(scores[:300]), scores)
    assert np.mean(lookup.table[lookup._cells(scores)] < 0) < 0.4

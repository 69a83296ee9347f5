"""Ranks and placements of several models, against every pair of examples."""

import numpy as np
import pytest

from pu_accessor.counting import placements, threads
from pu_accessor.counting.placements import PlacementTable, count_above, rank_pairs
from pu_accessor.ranking import BoolArray, FloatArray

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

"""Bands cut to concave functions, against linear programs and against all triples of places."""

import numpy as np
import pytest

from pu_accessor.inference.bands.on_new_examples import cut_to_concave
from pu_accessor.ranking import FloatArray
from tests.support.oracles.concave_oracle import by_linear_programs, by_triples

Band = tuple[FloatArray, FloatArray, FloatArray, float]


def draw_band(seed: int) -> Band:
    """Return a band around a curve that is concave, or nearly: wide, narrow, with flat parts."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 13))
    x = np.concatenate([[0], np.sort(rng.random(size)), [1]])
    curve = x ** rng.choice([0.3, 0.6, 1.0, 1.1])
    wide = rng.choice([0.0, 0.02, 0.1, 0.4])
    lower = np.clip(curve - wide * rng.random(x.size), 0, 1)
    upper = np.clip(curve + wide * rng.random(x.size), 0, 1)
    if rng.random() < 0.4:
        lower, upper = np.floor(lower * 8) / 8, np.ceil(upper * 8) / 8
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    lower[0], upper[-1] = 0, 1
    return x, lower, upper, float(rng.choice([1.5, 4.0, 20.0, np.inf]))


@pytest.mark.parametrize("block", range(4))
def test_limits_are_those_of_linear_programs(block: int) -> None:
    seen = set()
    for seed in range(15 * block, 15 * block + 15):
        x, lower, upper, slope = draw_band(seed)
        limits = by_linear_programs(x, lower, upper, slope)
        band = cut_to_concave(x, lower, upper, slope)
        seen.add(limits is None)
        assert (band.refuted_at is not None) == (limits is None), seed
        if limits is None:
            np.testing.assert_array_equal(np.stack(band[:2]), [lower, upper])
        else:
            np.testing.assert_allclose(np.stack(band[:2]), np.stack(limits), atol=1e-7)
    assert seen == {True, False}


def test_limits_are_the_closed_form() -> None:
    for seed in range(1000, 1024):
        rng = np.random.default_rng(seed)
        x = np.append(np.sort(rng.random(30)), 1)
        x[0] = 0
        curve, wide = x**0.5, rng.choice([0.01, 0.1, 0.5])
        lower = np.maximum.accumulate(np.maximum(curve - wide * rng.random(31), 0))
        upper = np.minimum(curve + wide * rng.random(31), 1)
        upper = np.minimum.accumulate(upper[::-1])[::-1]
        lower[0], upper[0], upper[-1] = 0, 0, 1
        band = cut_to_concave(x, lower, upper, 30.0)
        assert band.refuted_at is None
        expected = by_triples(x, lower, upper, 30.0)
        np.testing.assert_allclose(np.stack(band[:2]), expected, atol=1e-9)


def test_ties_hold_all_limits() -> None:
    x = np.array([0, 0.2, 0.2, 0.5, 1, 1])
    lower, upper = np.array([0, 0.1, 0.3, 0.4, 0.9, 1]), np.array([0.1, 0.5, 0.6, 0.8, 1, 1])
    once = cut_to_concave(x[[0, 1, 3, 4]], lower[[0, 2, 3, 5]], upper[[0, 1, 3, 4]], 3.0)
    band = cut_to_concave(x, lower, upper, 3.0)
    for tied, alone in zip(band[:2], once[:2], strict=True):
        np.testing.assert_allclose(tied, alone[[0, 1, 1, 2, 3, 3]])


REFUTED = [
    ([0, 0.4, 0.8, 1], [0, 1, 1, 1], 1.9, 0.4),  # more than every example positive
    ([0, 0.1, 0.6, 1], [0, 0.2, 1, 1], 9.0, 0.2),  # a chord above the band: a bend upwards
    ([0, 0.1, 0.2, 1], [0, 1, 0.3, 1], 9.0, 0.4),  # below the diagonal: worse than chance
    ([0.1, 0.3, 0.6, 1], [0.2, 1, 1, 1], 9.0, 0.0),  # positives before the first example
]


@pytest.mark.parametrize(("lower", "upper", "slope", "place"), REFUTED)
def test_refuted(lower: list[float], upper: list[float], slope: float, place: float) -> None:
    x = np.array([0, 0.2, 0.4, 1])
    band = cut_to_concave(x, np.array(lower), np.array(upper), slope)
    assert band.refuted_at == place
    np.testing.assert_array_equal(np.stack(band[:2]), [lower, upper])


def test_large_bands_take_no_time_of_squares() -> None:
    rng = np.random.default_rng(5)
    x = np.append(np.sort(rng.random(100_000)), 1)
    x[0] = 0
    noise = rng.random((2, x.size)) * 0.02
    lower = np.maximum.accumulate(np.maximum(x**0.4 - noise[0], 0))
    upper = np.minimum.accumulate(np.minimum(x**0.4 + noise[1], 1)[::-1])[::-1]
    band = cut_to_concave(x, lower, upper, np.inf)
    assert band.refuted_at is None
    assert (band.lower <= x**0.4 + 1e-12).all() and (band.upper >= x**0.4 - 1e-12).all()

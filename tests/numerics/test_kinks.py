"""Where bounds bend between two betas."""

from fractions import Fraction

import numpy as np

from pu_accessor.inference.tables.contingency import MOST_KINKS, find_kinks, with_ends


def bends_of(found: list[int], latent: list[int], head: int) -> list[tuple[int, int]]:
    """Return the sharpest places where a line to the left and one to the right meet, in between.

    Each with how many latent positives are in the head there; the first within, where none is.
    """
    sharp = []
    for left, right in zip(range(1, len(latent) - 2), range(2, len(latent) - 1), strict=True):
        x, y = latent[left], latent[right]
        before = Fraction(found[left] - found[left - 1], max(x - latent[left - 1], 1))
        after = Fraction(found[right + 1] - found[right], max(latent[right + 1] - y, 1))
        if before == after or x == y:
            continue
        # found[left] + before * t == found[right] - after * (y - x - t)
        t = (found[right] - found[left] - after * (y - x)) / (before - after)
        straight = found[left] + Fraction(found[right] - found[left], y - x) * t
        off = abs(found[left] + before * t - straight)
        if 0 < t < y - x and off > 1:
            meet = round(x + t)
            ends = found[left] + before * (meet - x), found[right] - after * (y - meet)
            level = min(ends) if after < before else max(ends)
            sharp.append((off, meet, min(max(round(level), 0), min(head, meet))))
    some = [(meet, level) for _, meet, level in sorted(sharp)[-MOST_KINKS:]]
    return sorted(some + [(latent[1], found[1])] * (MOST_KINKS - len(some)))


def test_bends_are_those_of_a_slow_reference() -> None:
    rng = np.random.default_rng(1)
    many = 0
    for size, clipped in ((14, False), (14, True), (9, True), (5, False), (4, True), (3, True)):
        latent = np.sort(rng.choice(400, size, replace=False))
        if clipped:  # an interval up to an end
            latent[:2], latent[-2:] = 0, 400
        head = rng.integers(0, 400, 12)
        steps = rng.integers(0, 1 + np.diff(latent), (12, 2, size - 1))
        found = np.cumsum(np.insert(steps, 0, rng.integers(-5, 40, (12, 2)), axis=-1), axis=-1)
        at, there = find_kinks(found, latent, head)
        assert at.dtype == there.dtype == np.int64
        for cutoff, side in np.ndindex(12, 2):
            wanted = bends_of(found[cutoff, side].tolist(), latent.tolist(), int(head[cutoff]))
            pairs = zip(there[cutoff, side].tolist(), at[cutoff, side].tolist(), strict=True)
            assert sorted(pairs) == wanted
            many += len({*wanted}) == MOST_KINKS
        again = find_kinks(np.tile(found, (500, 1, 1)), latent, np.tile(head, 500))
        np.testing.assert_array_equal(again, np.tile([at, there], (1, 500, 1, 1)))
    assert many > 20


def test_straight_lines_and_few_betas_have_no_bends() -> None:
    latent = np.arange(0, 1001, 100)
    found = np.broadcast_to(latent * 3 // 7, (5, 2, latent.size))
    at, there = find_kinks(found, latent, np.full(5, 1000))
    assert (there == 100).all() and (at == 42).all()
    latent = np.array([5, 5, 5])
    at, there = find_kinks(np.full((2, 2, 3), 4), latent, np.array([9, 9]))
    assert (there == 5).all() and (at == 4).all()


def test_beyond_an_interval_lie_numbers_that_there_can_be() -> None:
    assert with_ends(np.array([10, 20, 40]), 100)[[0, -1]].tolist() == [0, 60]
    assert with_ends(np.array([5, 20, 95]), 100)[[0, -1]].tolist() == [0, 100]
    assert with_ends(np.array([7]), 100)[[0, -1]].tolist() == [7, 7]
    assert with_ends(np.array([2, 3, 7, 11, 13]), 100)[[0, -1]].tolist() == [1, 15]
    assert with_ends(np.array([4, 7]), 100)[[0, -1]].tolist() == [1, 10]

"""Where bounds bend between two betas."""

import numpy as np

from pu_accessor.inference.tables.bends import MOST_BENDS, beyond, find_bends


def test_bends_of_lines_are_where_they_meet() -> None:
    latent = np.arange(0, 1001, 100)
    kinks = np.array([[150, 620], [333, 777]])
    for low, high in kinks.tolist():
        heights = np.cumsum([0, 0.9 * low, 0.2 * (high - low), 1000 - high])
        exact = np.interp(np.arange(1001), [0, low, high, 1000], heights)
        head = np.array([1000])
        found = np.rint(exact[latent]).astype(np.int64)
        two = np.stack([found, found])[np.newaxis]
        at, there = find_bends(two, latent, head)
        assert at.shape == there.shape == (1, 2, MOST_BENDS)
        for kink in (low, high):
            nearest = int(np.abs(there[0, 0] - kink).argmin())
            assert abs(there[0, 0, nearest] - kink) <= 4
        assert np.abs(at[0] - exact[there[0]]).max() <= 1.01
        assert (there[0] == latent[1]).sum() == 2 * (MOST_BENDS - 2)  # the others are none


def test_straight_lines_do_not_bend() -> None:
    latent = np.arange(0, 1001, 100)
    found = np.broadcast_to(latent * 3 // 7, (5, 2, latent.size))
    at, there = find_bends(found, latent, np.full(5, 1000))
    assert (there == 100).all() and (at == 42).all()


def test_few_betas_have_no_bends() -> None:
    latent = np.array([5, 5, 5])
    at, there = find_bends(np.full((2, 2, 3), 4), latent, np.array([9, 9]))
    assert (there == 5).all() and (at == 4).all()


def test_beyond_an_interval_lie_numbers_that_there_can_be() -> None:
    assert beyond(np.array([10, 20, 40]), 100).tolist() == [0, 60]
    assert beyond(np.array([5, 20, 95]), 100).tolist() == [0, 100]
    assert beyond(np.array([7]), 100).tolist() == [7, 7]

"""Counting with several threads: the same counts, and nothing left behind."""

import os
import threading
from typing import Any

import numpy as np
import pytest
import xarray as xr

from pu_accessor import from_arrays
from pu_accessor.counting import threads
from pu_accessor.counting.threads import count_threads, in_pieces, one_thread

OURS, OTHERS = "PU_ACCESSOR_MAX_THREADS", "OMP_NUM_THREADS"
RNG = np.random.default_rng(0)
SCORES = np.where(RNG.random(5000) < 0.01, np.nan, RNG.normal(size=5000).round(2))
LABEL = np.where(np.arange(5000) % 25, np.nan, np.arange(5000) % 50 == 0)


@pytest.fixture(autouse=True)
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (OURS, OTHERS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(threads, "_SCORES_PER_THREAD", 500)


@pytest.mark.parametrize(("number", "size"), [(1, 300), (3, 10_000), (3, 300)])
def test_pieces_answer_as_one(number: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pu, answers = from_arrays(SCORES, LABEL, nan_policy="worst"), []
    for threads_, most in ((1, 10**9), (number, size)):
        monkeypatch.setenv(OURS, str(threads_))
        monkeypatch.setattr(threads, "_AT_ONCE", most)
        answers += [(pu.roc_bounds([0.1, 0.3]), pu.contingency(0.2, ranks=range(1, 5000, 61)))]
    for one, other in zip(*answers, strict=True):
        xr.testing.assert_identical(one, other)


@pytest.mark.parametrize("told", [6, 1, None])
def test_number_of_threads(told: int | None, monkeypatch: Any) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 3, 9, 11}, raising=False)
    assert (count_threads(9999), count_threads(1999), count_threads(0)) == (4, 3, 1)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: told)
    assert (count_threads(9999), count_threads(999)) == (told or 1, 1)
    monkeypatch.setenv(OTHERS, "5,2")
    assert count_threads(9999) == 5
    monkeypatch.setenv(OURS, "3")
    with one_thread():
        assert count_threads(9999) == 1
    assert count_threads(9999) == 3


def test_no_thread_is_left(monkeypatch: Any) -> None:
    monkeypatch.setenv(OURS, "4")
    monkeypatch.setattr(threads, "_AT_ONCE", 100)
    before = threading.active_count()
    runs = in_pieces(lambda pieces: [piece.start for piece in pieces], 2000)
    assert runs == [[*range(start, 2000, 400)] for start in (0, 100, 200, 300)]
    with pytest.raises(ZeroDivisionError):
        in_pieces(lambda pieces: [1 / piece.start for piece in pieces], 2000)
    assert threading.active_count() == before

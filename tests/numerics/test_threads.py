"""Counting with several threads: the same counts, and nothing left behind."""

import os
import threading
from typing import Any

import numpy as np
import pytest
import xarray as xr

from pu_accessor import from_arrays
from pu_accessor.counting import score_gaps, threads
from pu_accessor.counting.threads import count_threads, in_threads, one_thread

OURS, OTHERS = "PU_ACCESSOR_MAX_THREADS", "OMP_NUM_THREADS"
RNG = np.random.default_rng(0)
SCORES = np.where(RNG.random(5000) < 0.01, np.nan, RNG.normal(size=5000).round(2))
LABEL = np.where(np.arange(5000) % 25, np.nan, np.arange(5000) % 50 == 0)


@pytest.fixture(autouse=True)
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (OURS, OTHERS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(threads, "_MIN_SCORES_FOR_THREADS", 1000)


@pytest.mark.parametrize(("number", "size"), [(1, 300), (3, 10_000), (3, 300)])
def test_parts_answer_as_one_sort(number: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pu, answers = from_arrays(SCORES, LABEL, nan_policy="worst"), []
    for threads_, most in ((1, 10**9), (number, size)):
        monkeypatch.setenv(OURS, str(threads_))
        monkeypatch.setattr(score_gaps, "_MAX_SORTED_TOGETHER", most)
        answers += [(pu.roc_bounds([0.1, 0.3]), pu.contingency(0.2, ranks=range(1, 5000, 61)))]
    for one, other in zip(*answers, strict=True):
        xr.testing.assert_identical(one, other)


@pytest.mark.parametrize("told", [6, 1, None])
def test_number_of_threads(told: int | None, monkeypatch: Any) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 3, 9, 11}, raising=False)
    assert count_threads(1000) == 4
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: told)
    assert (count_threads(1000), count_threads(999)) == (told or 1, 1)
    monkeypatch.setenv(OTHERS, "5,2")
    assert count_threads(1000) == 5
    monkeypatch.setenv(OURS, "3")
    with one_thread():
        assert count_threads(1000) == 1
    assert count_threads(1000) == 3


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    assert in_threads(lambda x: x * x, range(20), 4) == [x * x for x in range(20)]
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda x: 1 / x, range(20), 4)
    assert threading.active_count() == before

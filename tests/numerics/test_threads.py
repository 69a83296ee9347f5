"""Counting with several threads: the same counts, and nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
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

LONG = """
import signal, numpy as np, pu_accessor
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs behind a shell ignores it
scores = np.random.default_rng(0).normal(size=1_000_000)
ranking = pu_accessor.from_arrays(scores, np.where(np.arange(scores.size) < 100_000, 1.0, np.nan))
print("begun", flush=True)
while True:
    ranking.auroc(0.1)
"""


@pytest.fixture(autouse=True)
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (OURS, OTHERS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(threads, "_MIN_SCORES_FOR_THREADS", 1000)


@pytest.mark.parametrize(("number", "size"), [(1, 10_000), (1, 300), (3, 10_000), (3, 300)])
def test_parts_answer_as_one_sort(number: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OURS, str(number))
    monkeypatch.setattr(score_gaps, "_MAX_SORTED_TOGETHER", size)
    label = np.where(np.arange(SCORES.size) % 25, np.nan, np.arange(SCORES.size) % 50 == 0)
    ranks = np.arange(1, SCORES.size, 61)
    pu = from_arrays(SCORES, label, nan_policy="worst")
    questions = (partial(pu.roc_bounds, [0.1, 0.3]), partial(pu.contingency, 0.2, ranks=ranks))
    answers = [ask() for ask in questions]
    monkeypatch.setattr(score_gaps, "_MAX_SORTED_TOGETHER", 10**9)
    monkeypatch.setenv(OURS, "1")
    for ask, answer in zip(questions, answers, strict=True):
        xr.testing.assert_identical(ask(), answer)


def test_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert count_threads(1000) == cores
    assert count_threads(999) == 1
    monkeypatch.setenv(OTHERS, "5,2")
    assert count_threads(1000) == 5
    monkeypatch.setenv(OURS, "3")
    assert count_threads(1000) == 3
    with one_thread():
        assert count_threads(1000) == 1
    assert count_threads(1000) == 3


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    assert in_threads(lambda x: x * x, range(20), 4) == [x * x for x in range(20)]
    assert threading.active_count() == before
    begun = []

    def fail(item: int) -> None:
        begun.append(item)
        time.sleep(0.01)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        in_threads(fail, range(1000), 2)
    assert threading.active_count() == before
    assert len(begun) < 100  # what has not begun by then never does


def test_an_interrupt_ends_a_long_call() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        try:
            _, told = child.communicate(timeout=30)
        finally:
            child.kill()
    assert "KeyboardInterrupt" in told
    assert child.returncode != 0


@pytest.mark.parametrize(("told", "cores"), [(6, 6), (1, 1), (None, 1)])
def test_cores_where_none_are_set_apart(told: int | None, cores: int, monkeypatch: Any) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: told)
    assert count_threads(1000) == cores

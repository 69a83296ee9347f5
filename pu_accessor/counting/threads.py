"""Choose the number of threads for counting, and run functions in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from pu_accessor.errors import PUValueError

Item = TypeVar("Item")
Result = TypeVar("Result")

# The second also limits NumPy's libraries, scikit-learn and pyarrow; dask sets it to 1 in workers.
_VARIABLES = ("PU_ACCESSOR_MAX_THREADS", "OMP_NUM_THREADS")
_MAX_THREADS = 10_000
_MIN_SCORES_FOR_THREADS = 1 << 19  # with fewer, a second thread takes longer than it saves
_single_thread: ContextVar[bool] = ContextVar("pu_accessor: one thread", default=False)


def count_threads(scores: int) -> int:
    """Return the number of threads for so many scores."""
    limit = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for name in _VARIABLES:
        if value := os.environ.get(name):
            first = value.split(",")[0].strip()  # OpenMP takes a list, one for each level
            if not first.isdecimal() or not 1 <= int(first) <= _MAX_THREADS:
                raise PUValueError(
                    f"{name} must be a number of threads, 1 to {_MAX_THREADS}, but {value!r} was "
                    "set. Unset it to use all cores."
                )
            limit = int(first)
            break
    return 1 if scores < _MIN_SCORES_FOR_THREADS or _single_thread.get() else limit or 1


def in_threads(
    function: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """Apply a function to each item, in order."""
    if threads == 1 or len(items) == 1:
        return [*map(function, items)]
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        return [*pool.map(function, items)]


@contextmanager
def one_thread() -> Iterator[None]:
    """Count in one thread within this context, which other threads run, too."""
    token = _single_thread.set(True)
    try:
        yield
    finally:
        _single_thread.reset(token)

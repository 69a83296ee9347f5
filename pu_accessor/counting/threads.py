"""Choose the number of threads for counting, and run functions in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from pu_accessor.errors import PUValueError

Result = TypeVar("Result")

# The second also limits NumPy's libraries, scikit-learn and pyarrow; dask sets it to 1 in workers.
_VARIABLES = ("PU_ACCESSOR_MAX_THREADS", "OMP_NUM_THREADS")
_MAX_THREADS = 10_000
_SCORES_PER_THREAD = 1 << 20  # with fewer, one more takes longer than it saves
_AT_ONCE = 1 << 16  # scores of a piece, whose columns fit into the cache
_single_thread: ContextVar[bool] = ContextVar("pu_accessor: one thread", default=False)


def count_threads(scores: int) -> int:
    """Return the number of threads for so many scores."""
    most = 1 if _single_thread.get() else scores // _SCORES_PER_THREAD
    if most <= 1:
        return 1
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
    return min(limit or 1, most)


def in_pieces(function: Callable[[Iterable[slice]], Result], size: int) -> list[Result]:
    """Apply a function to pieces of so many scores that fit into the cache, those of a thread."""
    threads = count_threads(size)
    starts = range(0, size, _AT_ONCE)
    runs = [
        [slice(start, start + _AT_ONCE) for start in starts[first::threads]]
        for first in range(max(min(threads, len(starts)), 1))
    ]
    if len(runs) == 1:
        return [function(runs[0])]
    with ThreadPoolExecutor(len(runs)) as pool:
        return [*pool.map(function, runs)]


@contextmanager
def one_thread() -> Iterator[None]:
    """Count in one thread within this context, which other threads run, too."""
    token = _single_thread.set(True)
    try:
        yield
    finally:
        _single_thread.reset(token)

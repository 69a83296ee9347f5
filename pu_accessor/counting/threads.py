"""The number of threads for counting, and a pool of them for one pass."""

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

# The first is ours. The second also limits NumPy's libraries, scikit-learn and pyarrow, and dask
# sets it to 1 in its workers.
_VARIABLES = ("PU_ACCESSOR_MAX_THREADS", "OMP_NUM_THREADS")
_MOST = 10_000  # threads
_WORTH = 1 << 19  # with fewer scores a second thread takes longer to start than it saves
_alone: ContextVar[bool] = ContextVar("pu_accessor: one thread", default=False)


def count_threads(scores: int) -> int:
    """Return the number of threads for so many scores."""
    limit = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for name in _VARIABLES:
        if value := os.environ.get(name):
            first = value.split(",")[0].strip()  # OpenMP takes a list, one for each level
            if not first.isdecimal() or not 1 <= int(first) <= _MOST:
                raise PUValueError(
                    f"{name} must be a number of threads, 1 to {_MOST}, but {value!r} was set. "
                    "Unset it to use all cores."
                )
            limit = int(first)
            break
    return 1 if scores < _WORTH or _alone.get() else limit or 1


def in_threads(
    function: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """Apply a function to each item, in order."""
    if threads == 1 or len(items) == 1:
        return [*map(function, items)]
    with ThreadPoolExecutor(min(threads, len(items)) - 1) as pool:
        others = [pool.submit(function, item) for item in items]
        try:
            # This thread takes the last item that nobody has: it does not wait for others to wake.
            own = [function(items[i]) for i in reversed(range(len(items))) if others[i].cancel()]
            return [own.pop() if other.cancelled() else other.result() for other in others]
        finally:
            pool.shutdown(cancel_futures=True)  # if one raises


@contextmanager
def one_thread() -> Iterator[None]:
    """Count with one thread within this context, where other threads count already."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)

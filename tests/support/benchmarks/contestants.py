"""What is raced in the benchmarks: rows, rivals, and a stopwatch that takes turns."""

import cProfile
import gc
import pstats
import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.counting.threads import one_thread

BETA = 0.3
KNOWN = 5_000  # of the main line
RESAMPLES = 2_000
LEVEL = 0.95
SEED = 150406837

_BLOCK = 100  # resamples that are counted at once
_SHOWN = 4  # functions of a profile
_LONG = 0.3  # seconds that are profiled, at least
_CUTOFFS = 1_000  # cutoffs whose quantiles are taken at once

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Contestant: TypeAlias = Callable[[], object]


class Benchmark(Protocol):
    """What is used of the fixture of pytest-benchmark."""

    extra_info: dict[str, Any]

    def pedantic(
        self, target: Contestant, *, setup: Callable[[], None] | None = None, rounds: int = 1
    ) -> object:
        """Time a function in some rounds, each after the setup, which is not timed."""


class Rows:
    """Scores, labels and the frame that holds both: N(1.2, 1) and N(0, 1), which no two share."""

    def __init__(self, size: int, known: int, beta: float = BETA, seed: int = SEED) -> None:
        rng = np.random.default_rng([seed, size, known])
        positive = rng.random(size) < beta
        positive[:known] = True
        self.score: FloatArray = rng.standard_normal(size) + 1.2 * positive
        self.label: BoolArray = np.zeros(size, np.bool_)
        self.label[rng.choice(np.flatnonzero(positive), known, replace=False)] = True
        label = np.where(self.label, 1.0, np.nan)
        self.frame = pd.DataFrame({"score": self.score, "label": label})
        assert np.unique(self.score).size == size


def race(
    benchmark: Benchmark,
    kind: str,
    about: Mapping[str, object],
    contestants: Mapping[str, Contestant],
    rounds: int,
) -> None:
    """Time contestants in turns, and keep the best time of each.

    The first one is that of pytest-benchmark; the others run before each of its rounds.
    """
    (name, first), *others = contestants.items()
    best: dict[str, float] = {}

    def run(name: str, contestant: Contestant) -> None:
        start = time.perf_counter()
        contestant()
        taken = time.perf_counter() - start
        best[name] = min(taken, best.get(name, taken))

    def others_first() -> None:
        gc.collect()
        for other in others:
            run(*other)

    gc.disable()  # until the end of each round
    try:
        benchmark.pedantic(lambda: run(name, first), setup=others_first, rounds=rounds)
    finally:
        gc.enable()
    seconds = {name: best[name] for name in contestants}  # in the order in which they were named
    profiles = {name: profile(contestant) for name, contestant in contestants.items()}
    benchmark.extra_info.update(
        kind=kind, about=dict(about), rounds=rounds, seconds=seconds, profiles=profiles
    )


def profile(contestant: Contestant) -> str:
    """Say where most of the time goes, with one thread: functions by their own time."""
    profiler, start = cProfile.Profile(time.process_time), time.perf_counter()
    with one_thread():
        while time.perf_counter() - start < _LONG:  # imports run in other processes
            profiler.runcall(contestant)
    stats: Any = pstats.Stats(profiler)
    own = {key: entry[2] for key, entry in stats.stats.items()}
    most = sorted(own.items(), key=lambda item: item[1], reverse=True)[:_SHOWN]
    total = sum(own.values())
    return ", ".join(f"{_called(*key)} {seconds / total:.0%}" for key, seconds in most)


def _called(_path: str, _line: int, name: str) -> str:
    """Return the name of a function, without what says that it is no Python."""
    words = [word for word in name.strip("{}<>").split() if word not in ("built-in", "method")]
    return words[0].strip("'").rpartition(".")[2].replace("_", r"\_")  # no emphasis in Markdown


def peak_memory(contestant: Contestant) -> int:
    """Return the most bytes that a contestant has at once, beyond those it began with."""
    gc.collect()
    tracemalloc.start()
    try:
        contestant()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def one_pass(score: FloatArray) -> object:
    """Read all scores once and do next to nothing: no answer comes quicker."""
    return score.sum()


def known_ranks(score: FloatArray, label: BoolArray) -> IntArray:
    """Return the places of the known positives, best first, from 0."""
    return np.flatnonzero(label[np.argsort(-score)]).astype(np.int64)


def bootstrap(score: FloatArray, label: BoolArray, resamples: int = RESAMPLES) -> FloatArray:
    """Bound the rank CDF of the positives at each cutoff, literally as the paper does.

    The known positives are drawn with replacement, the CDF of each draw is taken at each cutoff,
    and at each cutoff its quantiles over all draws.
    """
    places, size = known_ranks(score, label), score.size
    rng = np.random.default_rng(SEED)
    found = np.empty((resamples, size), np.int32)
    for start in range(0, resamples, _BLOCK):
        rows = min(_BLOCK, resamples - start)
        drawn = places[rng.integers(places.size, size=(rows, places.size))]
        drawn += size * np.arange(rows)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        np.cumsum(counts, axis=1, out=found[start : start + rows])
    bounds = [
        _quantiles(np.ascontiguousarray(found[:, start : start + _CUTOFFS].T))
        for start in range(0, size, _CUTOFFS)
    ]
    return np.concatenate(bounds, axis=1) / places.size


def bootstrap_known(score: FloatArray, label: BoolArray, resamples: int = RESAMPLES) -> FloatArray:
    """Return the same bounds, but take quantiles at the known positives alone.

    Between two of them the CDF of each draw is constant: all else repeats itself.
    """
    places, size = known_ranks(score, label), score.size
    rng = np.random.default_rng(SEED)
    n = places.size
    drawn = rng.integers(n, size=(resamples, n)) + n * np.arange(resamples)[:, np.newaxis]
    counts = np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n)
    found = np.zeros((n + 1, resamples), np.int32)
    np.cumsum(counts.T, axis=0, out=found[1:])
    above = np.searchsorted(places, np.arange(size), side="right")
    bounds: FloatArray = _quantiles(found)[:, above] / n
    return bounds


def _quantiles(found: npt.NDArray[np.int32]) -> FloatArray:
    """Return the limits of the middle share of each row."""
    tail = (1 - LEVEL) / 2
    return np.quantile(found, [tail, 1 - tail], axis=1)

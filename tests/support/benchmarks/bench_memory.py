"""How much memory things take at their peak, as allocated through numpy."""

import pytest
from sklearn.metrics import roc_curve

import pu_accessor  # noqa: F401
from tests.support.benchmarks.contestants import (
    BETA,
    KNOWN,
    Benchmark,
    Contestant,
    Rows,
    peak_memory,
)


@pytest.mark.parametrize(
    ("size", "method"),
    [
        (1_000_000, "all cutoffs"),
        (1_000_000, "roc_bounds"),
        (1_000_000, "auroc"),
        (1_000_000, "roc_curve"),
        (10_000_000, "roc_bounds"),
        (10_000_000, "auroc"),
        (10_000_000, "roc_curve"),
    ],
)
def test_peak(benchmark: Benchmark, size: int, method: str) -> None:
    rows = Rows(size, KNOWN)
    pu = rows.frame.pu
    contestants: dict[str, Contestant] = {
        "all cutoffs": lambda: pu.contingency(BETA, ranks="all"),
        "roc_bounds": lambda: pu.roc_bounds(BETA),
        "auroc": lambda: pu.auroc(BETA),
        "roc_curve": lambda: roc_curve(rows.label, rows.score),
    }
    result = benchmark.pedantic(contestants[method])
    benchmark.extra_info.update(
        kind="memory",
        about={"rows": size, "known": KNOWN, "method": method},
        columns=int(rows.frame.memory_usage(index=False).sum()),
        result=_bytes(result),
        peak=peak_memory(contestants[method]),
    )


def _bytes(result: object) -> int:
    """Return the bytes of a Dataset, a frame or some arrays."""
    if isinstance(result, tuple):
        return sum(map(_bytes, result))
    usage = getattr(result, "memory_usage", None)
    return int(usage().sum() if usage else getattr(result, "nbytes", 0))

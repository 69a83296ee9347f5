"""How many rows a second come from Parquet through two workers of 1 GiB each, and their peak.

``PU_BENCH_FILES`` is the number of files of 2,000,000 rows: 50, if nothing else is set. All are
written first, one by one, and deleted at the end.
"""

import os
import shutil
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.benchmarks.contestants import BETA, KNOWN, SEED, Benchmark

ROWS_IN_FILE = 2_000_000
WORKERS = 2
MEMORY_LIMIT = 1 << 30


def write_file(path: Path, number: int, known: int) -> None:
    """Write rows with some known positives: float32 scores, nullable labels."""
    rng = np.random.default_rng([SEED, number])
    positive = rng.random(ROWS_IN_FILE) < BETA
    positive[:known] = True
    score = (rng.standard_normal(ROWS_IN_FILE) + 1.2 * positive).astype(np.float32)
    label = pd.array(np.zeros(ROWS_IN_FILE, np.bool_), dtype="boolean")
    chosen = rng.choice(np.flatnonzero(positive), known, replace=False)
    label[:] = pd.NA
    label[chosen] = True
    pd.DataFrame({"score": score, "label": label}).to_parquet(path)


def peak() -> int:
    """Return the most bytes that this process has held, on Linux.

    Not that of `resource.getrusage`: there a new process starts with the peak of its parent.
    """
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


@pytest.mark.filterwarnings("ignore")  # of dask and distributed, as they shut down
@pytest.mark.parametrize("method", ["roc_bounds", "auroc"])
def test_parquet(benchmark: Benchmark, parquet: Path, method: str) -> None:
    dd, distributed = map(import_module, ("dask.dataframe", "distributed"))
    import_module("pu_accessor.dask")
    with (
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit=MEMORY_LIMIT,
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(import_module, "pu_accessor.dask")
        idle = client.run(peak)
        frame = dd.read_parquet(parquet)
        start = time.perf_counter()
        benchmark.pedantic(lambda: getattr(frame.pu, method)(BETA))
        seconds = time.perf_counter() - start
        peaks = client.run(peak)
        start = time.perf_counter()
        frame[["score", "label"]].map_partitions(len, meta=("rows", int)).compute()
        reading = time.perf_counter() - start
    files = sorted(parquet.iterdir())
    benchmark.extra_info.update(
        kind="dask",
        about={"method": method, "files": len(files), "rows": ROWS_IN_FILE * len(files)},
        disk=sum(file.stat().st_size for file in files),
        seconds=seconds,
        reading=reading,
        idle=max(idle.values()),
        peak=max(peaks.values()),
        limit=MEMORY_LIMIT,
    )


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("rows")
    files = int(os.environ.get("PU_BENCH_FILES", "50"))
    for number in range(files):
        known = KNOWN // files + (number < KNOWN % files)
        write_file(folder / f"{number:03}.parquet", number, known)
    yield folder
    shutil.rmtree(folder)

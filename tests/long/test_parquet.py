"""100,000,000 rows of Parquet through two workers of 1 GiB each: ``make test TESTS=...``.

``PU_ACCESSOR_FILES`` is the number of files of 2,000,000 rows: 50, if nothing else is set. All are
written first, and deleted at the end.
"""

import os
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BETA, KNOWN, ROWS = 0.3, 5_000, 2_000_000


def write_file(path: Path, number: int, known: int) -> None:
    """Write rows with some known positives: float32 scores, nullable labels."""
    rng = np.random.default_rng(number)
    positive = rng.random(ROWS) < BETA
    positive[:known] = True
    score = (rng.standard_normal(ROWS) + 1.2 * positive).astype(np.float32)
    label = pd.array([pd.NA] * ROWS, dtype="boolean")
    label[rng.choice(np.flatnonzero(positive), known, replace=False)] = True
    pd.DataFrame({"score": score, "label": label}).to_parquet(path)


def peak() -> int:
    """Return the most bytes that this process has held, on Linux."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write the files, and delete them."""
    folder, files = tmp_path_factory.mktemp("rows"), int(os.environ.get("PU_ACCESSOR_FILES", "50"))
    for number in range(files):
        write_file(folder / f"{number:03}.parquet", number, KNOWN // files)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.filterwarnings("ignore")  # of dask and distributed, as they shut down
@pytest.mark.parametrize("method", ["roc_bounds", "auroc"])
def test_workers_hold_a_small_part_of_the_rows(parquet: Path, method: str) -> None:
    dd, distributed = map(import_module, ("dask.dataframe", "distributed"))
    import_module("pu_accessor.dask")
    limits = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": 1 << 30}
    with (
        distributed.LocalCluster(**limits, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(import_module, "pu_accessor.dask")
        frame = dd.read_parquet(parquet)
        assert getattr(frame.pu, method)(BETA) is not None
        assert max(client.run(peak).values()) < 400 << 20

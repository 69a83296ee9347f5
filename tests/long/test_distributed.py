"""A worker is killed during each question: ``make test TESTS=tests/long``."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import dask
import dask.dataframe as dd
import distributed
import pytest

import pu_accessor.dask  # noqa: F401
from pu_accessor import PUError
from tests.cases import put
from tests.sources.test_dask import on
from tests.sources.test_every_source import ASKED, BOUND, FRAME, MODELS
from tests.sources.test_pieces import check_both

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")

PARTS = [part.reset_index(drop=True) for _, part in FRAME.groupby(FRAME.index // 80)]
SPOILT = 3  # the partition that is the death of its worker
QUESTIONS = [*ASKED, *(("auroc", {"beta": 0.3, "target": "examples"} | one) for one in BOUND)]
# On a busy machine a worker takes long to start again. Some time after a death, 15 s by default,
# a cluster looks whether the worker is back, and gives it up where it was killed again just then.
PATIENCE = {
    "distributed.deploy.lost-worker-timeout": "1 day",
    "distributed.scheduler.no-workers-timeout": "300s",
}


@contextmanager
def start(**settings: Any) -> Iterator[Any]:
    """Start two workers; those that die are started again."""
    kind: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        dask.config.set({**PATIENCE, **settings}),
        distributed.LocalCluster(**kind, dashboard_address=":0", death_timeout=300) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start a cluster once."""
    with start() as client:
        yield client


def deadly(folder: Path, deaths: list[int]) -> Any:
    """Return partitions, of which one kills who loads it these times; each load leaves a file."""
    here = os.getpid()

    def load(number: int) -> Any:
        if number == SPOILT and os.getpid() != here:
            loaded = len(list(folder.iterdir()))
            (folder / f"{loaded:02} {os.getpid()}").touch()
            if loaded in deaths:
                os.kill(os.getpid(), signal.SIGKILL)
        return PARTS[number]

    return dd.from_map(load, range(len(PARTS)), meta=FRAME.iloc[:0])


@pytest.mark.parametrize(("method", "terms"), QUESTIONS, ids=str)
def test_a_worker_is_killed(
    method: str, terms: dict[str, Any], cluster: Any, tmp_path: Any
) -> None:
    with on(cluster):
        check_both(lambda pu: put(pu, method, **terms), FRAME, deadly(tmp_path, [0]).pu)


def test_a_worker_that_dies_on_the_way(cluster: Any, tmp_path: Path) -> None:
    deaths = [0, 2]  # for labeled scores, then for counts
    with on(cluster):
        parts = deadly(tmp_path, deaths)
        check_both(lambda pu: pu(score=MODELS, by="key").auroc(0.3), FRAME, parts.pu)
    loads = [path.name.split()[1] for path in sorted(tmp_path.iterdir())]
    # Results that die with a worker are made again: a busy cluster may load once more.
    assert len(loads) in (4, 5) and loads[0] != loads[1] and loads[2] != loads[3]


def test_all_workers_are_killed(tmp_path: Path) -> None:
    with start() as client, on(client):
        with pytest.raises(PUError, match=r"(?s)^ddf could not be read, .*KilledWorker"):
            deadly(tmp_path, [*range(99)]).pu(by="key").auroc(0.3)
        assert len(list(tmp_path.iterdir())) == 4  # as often as dask tries
        # The cluster is none the worse, and nothing was kept of what had been counted.
        check_both(lambda pu: pu.auroc(0.3), FRAME, deadly(tmp_path, []).pu)


def test_no_worker_is_left() -> None:
    ddf = dd.from_pandas(FRAME, npartitions=4, sort=False)
    with start(**{"distributed.scheduler.no-workers-timeout": "2s"}) as client:
        client.cluster.scale(0)
        while client.scheduler_info()["workers"]:
            sleep(0.1)
        with on(client), pytest.raises(PUError, match=r"(?s)^ddf could not be .*NoWorkerError"):
            ddf.pu.auroc(0.3)

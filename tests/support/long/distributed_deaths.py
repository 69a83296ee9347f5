"""A worker is killed during each question: ``make test-distributed``."""

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
import numpy as np
import pytest

import pu_accessor.dask  # noqa: F401
from pu_accessor import PUError
from tests.sources.test_dask import on
from tests.sources.test_pieces import ASKED, FRAME, MODELS, Ask, check_same, quietly

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")

ROWS = FRAME.assign(
    site=np.arange(len(FRAME)) % 37,
    times=1 + np.arange(len(FRAME)) % 3,
    chance=FRAME["other"].rank(pct=True),
)
PARTS = [part.reset_index(drop=True) for _, part in ROWS.groupby(ROWS.index // 80)]
SPOILT = 3  # the partition that is the death of its worker
AT = {"threshold": 0.5}
# What partitions are asked of which the suite holds nothing against a death.
MORE: dict[str, Ask] = {
    "average": lambda pu: pu(by="key", average=True).auroc(0.3),
    "average precision": lambda pu: pu.average_precision(0.3),
    "average precision of clusters": lambda pu: pu(cluster="site").average_precision(0.3),
    "average precision within odds": lambda pu: pu.assume(selection_odds=1.5).average_precision(
        0.3, target="examples"
    ),
    "bedroc": lambda pu: pu.metric("bedroc", 0.3, target="examples"),
    "beta from both sides": lambda pu: pu.estimate_beta(method="two_sided"),
    "boyce": lambda pu: pu(score="chance").metric("boyce"),
    "calibration": lambda pu: pu(score="chance").calibration(0.3),
    "check_assumptions": lambda pu: pu.check_assumptions(0.3),
    "clusters": lambda pu: pu(cluster="site").auroc(0.3),
    "compare clusters": lambda pu: pu(score=MODELS, cluster="site").compare("auroc", 0.3),
    "contamination": lambda pu: pu.assume(contamination=0.05).auroc(0.3, target="examples"),
    "cutoff": lambda pu: pu.cutoff(0.3, precision=0.5),
    "from both": lambda pu: pu.assume(reference="both").roc_bounds(0.3),
    "gap of a metric": lambda pu: pu(by="fold").gap("f1", 0.3, at=AT),
    "metric of clusters": lambda pu: pu(cluster="site").metric("precision", 0.3, at=AT),
    "monotone": lambda pu: pu.assume(monotone=True).roc_bounds(0.3),
    "net_benefit": lambda pu: pu(score="chance").metric("net_benefit", 0.3, at=AT),
    "new examples": lambda pu: pu.pr_bounds(0.3, target="population"),
    "odds": lambda pu: pu.assume(selection_odds=1.5).auroc(0.3, target="examples"),
    "robustness": lambda pu: pu.robustness("auroc", 0.3, above=0.5),
    "weights": lambda pu: pu(weight="times").auroc(0.3),
    "roc of weights": lambda pu: pu(weight="times").roc_bounds(0.3),
}
EVERY = {name: ask for name, ask in ASKED.items() if not name.startswith("plot")} | {
    name: quietly(ask) for name, ask in MORE.items()
}


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


def deadly(folder: Path, deaths: int) -> Any:
    """Return partitions; the first workers to load one of them are killed."""
    here = os.getpid()

    def load(number: int) -> Any:
        if number == SPOILT and os.getpid() != here:
            died = len(list(folder.iterdir()))
            if died < deaths:
                (folder / str(died)).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return PARTS[number]

    return dd.from_map(load, range(len(PARTS)), meta=ROWS.iloc[:0])


@pytest.mark.parametrize("name", EVERY)
def test_a_worker_is_killed(name: str, cluster: Any, tmp_path: Path) -> None:
    with on(cluster):
        check_same(EVERY[name](deadly(tmp_path, 1).pu), EVERY[name](ROWS.pu))
    assert len(list(tmp_path.iterdir())) == 1


# The same, with what is read again, and where


def test_a_worker_that_dies_on_the_way(cluster: Any, tmp_path: Path) -> None:
    parts = [part.reset_index(drop=True) for _, part in FRAME.groupby(FRAME.index // 80)]
    here = os.getpid()

    def load(number: int) -> Any:
        if number == 3:
            loaded = len(list(tmp_path.iterdir()))
            (tmp_path / f"{loaded} {os.getpid()}").touch()
            if loaded in (0, 2) and os.getpid() != here:  # for labeled scores, then for counts
                os._exit(1)
        return parts[number]

    ddf = dd.from_map(load, range(len(parts)), meta=FRAME.iloc[:0])
    expected = FRAME.pu(score=MODELS, by="key").auroc(0.3)
    with on(cluster):
        check_same(ddf.pu(score=MODELS, by="key").auroc(0.3), expected)
    loads = sorted(path.name.split() for path in tmp_path.iterdir())
    # Results that die with a worker are made again: a busy cluster may load once more.
    assert len(loads) in (4, 5) and str(here) not in [process for _, process in loads]
    assert loads[0][1] != loads[1][1] and loads[2][1] != loads[3][1]


def test_all_workers_are_killed(tmp_path: Path) -> None:
    with start() as client, on(client):
        with pytest.raises(PUError, match=r"(?s)^ddf could not be read, .*KilledWorker"):
            deadly(tmp_path, 99).pu(by="key").auroc(0.3)
        # The cluster is none the worse, and nothing was kept of what had been counted.
        check_same(deadly(tmp_path, 0).pu.auroc(0.3), FRAME.pu.auroc(0.3))
    assert len(list(tmp_path.iterdir())) == 4  # as often as dask tries


def test_no_worker_is_left() -> None:
    ddf = dd.from_pandas(FRAME, npartitions=4, sort=False)
    with start(**{"distributed.scheduler.no-workers-timeout": "2s"}) as client:
        client.cluster.scale(0)
        while client.scheduler_info()["workers"]:
            sleep(0.1)
        with on(client), pytest.raises(PUError, match=r"(?s)^ddf could not be .*NoWorkerError"):
            ddf.pu.auroc(0.3)

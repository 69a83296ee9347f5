"""What is of dask DataFrames alone: schedulers, groupbys, what is loaded and what travels."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUError
from tests.cases import pu
from tests.sources.test_every_source import FRAME, MODELS
from tests.sources.test_pieces import Ask, check_both

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
distributed: Any = pytest.importorskip("distributed")
pytest.importorskip("pyarrow.parquet")

import pu_accessor.dask  # noqa: E402, F401

# Of dask itself, which a later pandas will need it to leave out.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")

DDF = dd.from_pandas(FRAME, npartitions=4, sort=False)
# Of these each takes other ways through partitions: counts, corners, pairs, all in one frame.
SOME: list[Ask] = [
    lambda pu: pu(by="key").contingency({"a": 0.2, "b": 0.5}, ranks=[60, 7]),
    lambda pu: pu(by="key").assume(reference="tightest").roc_bounds(0.3),
    lambda pu: pu(score=["holes", "other"], nan_policy="omit").compare("auroc", 0.3),
    lambda pu: pu(cluster="patient").auroc(0.3),
]


@pytest.fixture(autouse=True)
def one_by_one() -> Iterator[None]:
    """Run in this thread, but for what says otherwise."""
    with dask.config.set(scheduler="synchronous"):
        yield


@contextmanager
def on(cluster: Any) -> Iterator[None]:
    """Run on a cluster; its client in the settings would keep workers from being restarted."""
    with dask.config.set(scheduler=None), cluster.as_current():
        yield


def test_threads() -> None:
    with dask.config.set(scheduler="threads", num_workers=4):
        for ask in SOME:
            check_both(ask, FRAME, DDF.pu)


def test_a_cluster(tmp_path: Path) -> None:
    """tests/long has two workers, and kills them."""
    for start in (0, 150):  # in files of several row groups
        FRAME[start:][:150].to_parquet(tmp_path / f"{start}.parquet", row_group_size=40)
    parts = dd.read_parquet(tmp_path, split_row_groups=True)
    assert parts.npartitions == 4 + 4
    kind = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "protocol": "tcp"}
    with (
        distributed.LocalCluster(**kind, dashboard_address=":0") as local,
        distributed.Client(local, set_as_default=False) as client,
        on(client),
    ):
        for ask in SOME:
            check_both(ask, FRAME[:300], parts.pu)
        check_both(lambda pu: pu(score="holes").auroc(0.3), FRAME, DDF.pu)  # an error


@pytest.mark.parametrize("by", [["key"], ["fold", "key"]])
def test_groupbys(by: Any) -> None:
    frame = FRAME.assign(key=pd.Categorical(FRAME["key"], ["c", "b", "a"]))
    ddf = dd.from_pandas(frame, npartitions=3, sort=False)
    for observed in (True, False):
        found = ddf.groupby(by, observed=observed).pu.auroc(0.3)
        assert found.equals(pu(frame.groupby(by, observed=observed)).auroc(0.3))
    assert DDF.groupby(DDF["key"]).pu.auroc(0.3).equals(FRAME.pu(by="key").auroc(0.3))


GROUPBYS: list[Any] = [
    (lambda: DDF.groupby(DDF["fold"] > 0), "must be one of columns"),
    (lambda: DDF.groupby("key", sort=False), "must have sort=True"),
    (lambda: DDF.groupby("key", dropna=False), "must have dropna=True"),
    (lambda: DDF.groupby("key")["score"], "of a whole frame"),
]


@pytest.mark.parametrize(("group", "told"), GROUPBYS)
def test_other_groupbys_are_refused(group: Any, told: str) -> None:
    with pytest.raises(PUError, match=told):
        group().pu  # noqa: B018


def test_partitions_are_read_twice_for_all_groups_and_models_and_of_named_columns() -> None:
    read, names = [0] * 4, set[str]()

    def load(number: int, columns: Any = None) -> Any:
        some = FRAME[100 * number :][:100][columns or [*FRAME]]
        read[number] += 1
        names.update(some.columns)
        return some

    ddf = dd.from_map(load, range(4), meta=FRAME.iloc[:0])
    check_both(lambda pu: pu(score=MODELS, by="key").roc_bounds([0.1, 0.3]), FRAME, ddf.pu)
    assert read == [2] * 4 and names == {"key", "label", *MODELS}


def test_nothing_but_counts_and_labeled_scores_travels(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, known, rng = 100_000, 60, np.random.default_rng(3)
    frame = pd.DataFrame({"score": rng.normal(size=rows), "key": rng.choice(["a", "b"], rows)})
    frame["label"] = frame["score"].sample(known, random_state=3) * 0 + 1
    frame["square"] = frame["score"] ** 2
    ddf = dd.from_pandas(frame, npartitions=4, sort=False)
    monkeypatch.setattr("pu_accessor.sources.chunks._MAX_SAMPLED_ROWS", 100)
    sizes: list[int] = []

    def note(key: Any, value: Any, graph: Any, state: Any, worker: Any) -> None:
        if not isinstance(value, pd.DataFrame):  # which stays where it is
            sizes.append(len(pickle.dumps(value)))

    asked: list[Ask] = [lambda pu: pu(by="key").contingency(0.05, ranks=[10_000, 45_000])]
    asked += [lambda pu: pu.auroc(0.05), lambda pu: pu(score=["score", "square"]).compare()]
    with dask.callbacks.Callback(posttask=note):
        for ask in asked:
            check_both(ask, frame, ddf.pu)
    assert 8 * known < max(sizes) < 20_000  # a partition's scores are 200,000


def test_a_cluster_that_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed.scheduler import KilledWorker

    killed = KilledWorker("task", Mock(address="tcp://127.0.0.1:1"), allowed_failures=3)
    monkeypatch.setattr("pu_accessor.dask.compute", Mock(side_effect=killed))
    with pytest.raises(PUError, match=r"(?s)^ddf could .*KilledWorker.*no result.*repartition"):
        DDF.pu.auroc(0.3)

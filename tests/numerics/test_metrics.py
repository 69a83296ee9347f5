"""The table of metrics by itself, and the one entrance to estimates of any of them."""

import pickle
from typing import Any

import numpy as np
import numpy.testing as npt
import pytest

from pu_accessor.beta import Beta
from pu_accessor.errors import PUValueError
from pu_accessor.inference.estimates.joint import estimate, widen
from pu_accessor.inference.metrics import METRICS, PURPOSES, bedroc, fbeta, read_metric
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import Counts, Ranking

PLAIN = Settings()


def draw_ranking(seed: int, size: int = 300, *, probabilities: bool = False) -> Ranking:
    """Draw a ranking with half of its positives known."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.3
    score = rng.normal(1.2 * truth)
    known = truth & (rng.random(size) < 0.5)
    order = np.argsort(-score)
    above = np.append(0, np.cumsum(known[order]))
    threshold = score[order]
    if probabilities:
        threshold = 1 / (1 + np.exp(-threshold))
    rank = np.arange(size + 1)
    total = Counts(int(known.sum()), 0, int((~known).sum()))
    return Ranking(rank, np.append(np.inf, threshold), above, 0 * above, rank - above, total)


def at(values: float | list[float], interval: tuple[float, float] | None = None) -> Beta:
    return Beta(np.atleast_1d(np.array(values, np.float64)), interval)


@pytest.mark.parametrize("name", METRICS)
def test_entries_name_themselves_and_survive_a_pickle(name: str) -> None:
    metric = METRICS[name]
    assert metric.name == name and metric.label and metric.ask and metric.can
    assert {*metric.can} <= {*PURPOSES, "pairs", "test", "without_beta"}
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_makers_survive_a_pickle_and_keep_what_they_were_made_with() -> None:
    counts = tuple(np.array([count]) for count in (3, 1, 2, 4))
    again = pickle.loads(pickle.dumps(fbeta(2)))
    npt.assert_array_equal(again(*counts), fbeta(2)(*counts))
    npt.assert_allclose(fbeta(1)(*counts), METRICS["f1"](*counts))
    assert pickle.loads(pickle.dumps(bedroc(80.5))).alpha == 80.5


@pytest.mark.parametrize(
    ("metric", "how", "message"),
    [
        ("auroc", 100, "at must be left out with 'auroc'"),
        ("boyce", 100, "at must be left out with 'boyce'"),
        ("f1", None, "at must say the one cutoff of 'f1'"),
        ("f1", {"rank": [1, 2]}, "at must say the one cutoff of 'f1'"),
        ("net_benefit", 100, "at must be a threshold above 0 and below 1"),
        ("net_benefit", {"threshold": 1.0}, "at must be a threshold above 0 and below 1"),
        ("recal", 100, "metric must be .* Did you mean 'recall'"),
        ("difference", None, "metric must be .* That is df.pu"),
    ],
)
def test_a_metric_and_its_cutoff_have_to_go_together(metric: str, how: Any, message: str) -> None:
    with pytest.raises(PUValueError, match=message):
        read_metric(metric, how, "metric")


def test_boyce_takes_no_beta_and_has_no_interval() -> None:
    found = estimate(METRICS["boyce"], draw_ranking(3), at([]), PLAIN, "examples", None)
    assert 0.5 < found.value[0] <= 1 and np.isnan([found.lower, found.upper, found.error]).all()


def test_points_keep_their_own_limits() -> None:
    three = np.array([[0.3, 0.2, 0.5]])
    same = widen(three - 0.1, three, three + 0.1, 3)
    npt.assert_array_equal(same[0], three - 0.1)
    low, middle, high = widen(three - 0.1, three, three + 0.1, 2)
    npt.assert_allclose(low, [[0.1, 0.1]])
    npt.assert_allclose([middle, high], [[[0.3, 0.2]], [[0.6, 0.6]]])

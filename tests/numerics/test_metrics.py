"""The table of metrics by itself, and the one entrance to estimates of any of them."""

import pickle
from typing import Any

import numpy as np
import numpy.testing as npt
import pytest

from pu_accessor.beta import Beta
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference.estimates.cutoff_spec import SYNONYMS, Cutoff, read_at
from pu_accessor.inference.estimates.joint import estimate, widen
from pu_accessor.inference.metrics import (
    METRICS,
    PURPOSES,
    Metric,
    bedroc,
    fbeta,
    names_for,
    read_metric,
    read_metrics,
)
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


@pytest.mark.parametrize("name", SYNONYMS)
def test_synonyms_are_read_and_one_name_is_written(name: str) -> None:
    meant = SYNONYMS[name]
    purpose = "score" if "score" in METRICS[meant].can else "compare"
    cutoff = {"rank": 3} if METRICS[meant].needs_cutoff else None
    for spelled in (name, name.upper()):
        assert read_metric(spelled, cutoff, purpose) is METRICS[meant]
    assert read_at({"tpr": 0.5}) == Cutoff("recall", 0.5)


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


def test_several_metrics_are_told_apart_by_name() -> None:
    assert [each.name for each in read_metrics(["recall", fbeta(2)], "metric")] == ["recall", "f2"]
    with pytest.raises(PUValueError, match="metric must name at least one, and each once"):
        read_metrics(["recall", "sensitivity"], "metric")
    with pytest.raises(PUTypeError, match="metric must be a name, a function, or a list"):
        read_metrics(3, "metric")  # type: ignore[arg-type]


def ways_to_ask() -> list[tuple[Metric, str, Cutoff | None]]:
    """Return metrics with a target, and a cutoff where they need one."""
    areas = [(METRICS[name], None) for name in names_for("area")] + [(bedroc(5), None)]
    cutoffs = Cutoff("rank", 40), Cutoff("threshold", 0.6), Cutoff("youden")
    rates = [(METRICS[name], cutoff) for name in ("f1", "mcc") for cutoff in cutoffs]
    asked = [*areas, *rates, (METRICS["net_benefit"], Cutoff("threshold", 0.4))]
    return [
        (metric, target, cutoff)
        for metric, cutoff in asked
        for target in ("examples", "population")
        if target == "examples" or cutoff is None or cutoff.kind == "threshold"
    ]


@pytest.mark.parametrize(("metric", "target", "cutoff"), ways_to_ask())
def test_an_interval_has_the_ends_of_all_betas_within(
    metric: Metric, target: str, cutoff: Cutoff | None
) -> None:
    ranking = draw_ranking(1, probabilities=True)
    within = estimate(metric, ranking, at(0.25, (0.1, 0.4)), PLAIN, target, cutoff)
    point = estimate(metric, ranking, at(0.25), PLAIN, target, cutoff)
    npt.assert_allclose(within.value, point.value, rtol=1e-12)
    assert within.lower[0] <= point.lower[0] and point.upper[0] <= within.upper[0]
    if cutoff is not None and cutoff.kind == "youden":
        return  # another cutoff at each beta
    betas = np.linspace(0.1, 0.4, 61 if cutoff is None else 1201)
    each = estimate(metric, ranking, Beta(betas), PLAIN, target, cutoff)
    npt.assert_allclose(within.lower, each.lower.min(), atol=1e-3)
    npt.assert_allclose(within.upper, each.upper.max(), atol=1e-3)
    assert (
        within.lower[0] <= each.lower.min() + 1e-9 and within.upper[0] >= each.upper.max() - 1e-9
    )


def test_net_benefit_is_what_its_formula_says() -> None:
    ranking, threshold = draw_ranking(2, probabilities=True), 0.4
    cutoff, beta = Cutoff("threshold", threshold), at([0.2, 0.3])
    found = estimate(METRICS["net_benefit"], ranking, beta, PLAIN, "examples", cutoff)
    tpr, fpr = (
        estimate(METRICS[name], ranking, beta, PLAIN, "examples", cutoff).value
        for name in ("recall", "fpr")
    )
    latent = np.round(beta.values * ranking.total.unlabeled)
    share = (ranking.total.known_positive + latent) / sum(ranking.total)
    odds = threshold / (1 - threshold)
    npt.assert_allclose(found.value, share * tpr - (1 - share) * fpr * odds)
    with pytest.raises(PUDataError, match="net_benefit needs scores that are probabilities"):
        estimate(METRICS["net_benefit"], draw_ranking(2), beta, PLAIN, "examples", cutoff)


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

"""Curves of new examples: ``target="population"`` of ROC and PR curves and their pictures."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUDataError, PUValueError
from pu_accessor.inference.bands.on_new_examples import bound_on_new
from tests.cases import put

BETA = 0.25
RNG = np.random.default_rng(0)
TRUTH = np.arange(700) < 200
FRAME = pd.DataFrame(
    {"score": RNG.normal(2 * TRUTH), "label": np.where(np.arange(700) < 60, 1.0, np.nan)}
)


def ends(curves: Any, name: str) -> list[np.ndarray]:
    """Return the lower and the upper bound at the first beta."""
    return [curves[name].sel(bound=bound).to_numpy()[:, 0] for bound in ("lower", "upper")]


@pytest.mark.parametrize("monotone", [False, True])
def test_rates_are_those_of_the_band(monotone: bool) -> None:
    pu = FRAME.pu(monotone=monotone)
    curves = put(pu, "roc_bounds", BETA, target="population")
    ranking = pu._request().rank("breakpoints").make(0)
    rates = bound_on_new(ranking, 160 / 640, 0.95, monotone)
    common = np.isin(curves["rank"], ranking.rank)
    assert common.sum() == ranking.rank.size
    for curve, limit in zip(ends(curves, "tpr"), rates.tpr, strict=True):
        assert curve[common] == pytest.approx(limit, abs=1e-12)
    for curve, limit in zip(ends(curves, "fpr"), rates.fpr[::-1], strict=True):
        assert curve[common] == pytest.approx(limit, abs=1e-12)
    assert curves.attrs["target"] == "population" and curves.attrs["band"] == "simultaneous"


@pytest.mark.parametrize("method", ["roc_bounds", "pr_bounds"])
def test_the_estimate_is_within_and_that_of_these_examples(method: str) -> None:
    new, old = (
        getattr(FRAME.pu, method)(BETA, target=target) for target in ("population", "examples")
    )
    height = "tpr" if method == "roc_bounds" else "precision"
    lower, upper = ends(new, height)
    estimate = new[height].sel(bound="estimate").to_numpy()[:, 0]
    inside = slice(1, None)  # at rank 0 precision is 1 by convention
    assert (lower[inside] <= estimate[inside] + 1e-9).all()
    assert (estimate[inside] <= upper[inside] + 1e-9).all()
    shared = np.intersect1d(new["rank"], old["rank"])
    at = {"rank": shared, "bound": "estimate"}
    np.testing.assert_allclose(new[height].sel(at), old[height].sel(at), atol=0.02)


@pytest.mark.parametrize("monotone", [False, True])
def test_tables_are_those_of_the_curve_at_any_ranks(monotone: bool) -> None:
    pu = FRAME.pu(monotone=monotone)
    tables = put(pu, "contingency", BETA, target="population")
    assert tables.attrs["target"] == "population" and tables["tp"].dtype == np.float64
    curve = put(pu, "roc_bounds", BETA, target="population", ranks="all")
    for name, part, other in (("tpr", "tp", "fn"), ("fpr", "fp", "tn")):
        rate = tables[part] / (tables[part] + tables[other])
        np.testing.assert_allclose(rate, curve[name], atol=1e-12)
    assert float(tables["tp"].max()) == pytest.approx(60 + BETA * 640)
    for chosen in (
        pu.contingency(BETA, target="population", ranks=[30, 100, 500]),
        pu.contingency(BETA, target="population", ranks="all").pu.at(rank=[30, 100, 500]),
    ):
        np.testing.assert_allclose(chosen["tp"], tables["tp"].sel(rank=[30, 100, 500]), atol=1e-9)
    metric = tables.pu.metric("f1")
    assert bool((metric.sel(bound="lower") <= metric.sel(bound="upper")).all())


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
def test_a_metric_of_new_examples_is_drawn_at_its_cutoffs(x: str) -> None:
    ax = FRAME.pu(monotone=True).plot_metric("precision", BETA, x=x, target="population")
    tables = FRAME.pu(monotone=True).pr_bounds(BETA, target="population", ranks="all")
    wanted = tables["precision"].sel(bound="estimate").isel(beta=0).to_numpy()[1:]
    places = {
        "rank": tables["rank"],
        "fraction": tables["rank"] / 700,
        "threshold": tables["threshold"],
    }[x].to_numpy()[1:]
    drawn = np.interp(places, *ax.lines[0].get_data())
    assert np.quantile(np.abs(drawn - wanted), 0.98) < 0.02


def test_monotone_scores_have_a_precise_head() -> None:
    plain, rising = (
        FRAME.pu(monotone=flag).pr_bounds(BETA, target="population") for flag in (False, True)
    )
    head = (plain["rank"] > 5) & (plain["rank"] < 60)
    low = [ends(curves, "precision")[0][head.to_numpy()] for curves in (plain, rising)]
    assert (low[1] >= low[0] - 1e-12).all()
    assert low[1].min() > 0.5 > low[0].min()


@pytest.mark.parametrize(
    "arguments",
    [{"band": "dkw"}, {"reference": "negatives"}, {"selection_odds": 2.0}],
)
def test_other_bands_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(PUValueError, match="must be left out with target='population'"):
        FRAME.pu.roc_bounds(BETA, target="population", **arguments)


def test_what_there_is_no_band_for_is_refused() -> None:
    with pytest.raises(PUValueError, match=r"without an interval.*beta=\[low, high\]"):
        FRAME.pu.plot_roc(BETA, target="population", beta_interval=(0.1, 0.4))
    with pytest.raises(PUValueError, match="target must be one of"):
        FRAME.pu.pr_bounds(BETA, target="new")
    with pytest.raises(PUDataError, match="nothing is negative"):
        FRAME.pu.roc_bounds(1, target="population")
    with pytest.raises(PUValueError, match="target must be 'examples' with propensity"):
        FRAME.assign(p=0.4).pu(propensity="p").roc_bounds(BETA, target="population")


def test_pictures_draw_the_band() -> None:
    for ask in ("plot_roc", "plot_pr"):
        ax = getattr(FRAME.pu(monotone=True), ask)(BETA, target="population")
        labels = ax.get_figure().findobj(lambda artist: hasattr(artist, "get_text"))
        texts = " ".join(label.get_text() for label in labels)
        assert "95% simultaneous band,\nnew examples" in texts and "these examples" not in texts


@pytest.mark.parametrize("beta", [0.0, 0.05])
def test_precision_is_known_where_none_of_the_rest_is_above(beta: float) -> None:
    rng = np.random.default_rng(0)
    label = np.where(np.arange(60) < 15, 1.0, np.nan)
    score = np.concatenate([rng.normal(3, 1, 15), rng.normal(0, 1, 45)])
    pu = pd.DataFrame({"score": score, "label": label}).pu
    precision = pu.pr_bounds(beta, target="population")["precision"]
    assert precision.notnull().all() and "clipped" not in precision.coords
    assert (precision.sel(bound="upper")[:4] == 1).all()
    assert (precision.diff("bound") >= 0).all()

"""Curves of new examples: ``target="population"`` of ROC and PR curves and their pictures."""

from typing import Any

import numpy as np
import pytest

from pu_accessor.inference.bands.on_new_examples import bound_on_new
from tests.cases import binormal, put

BETA = 0.25
FRAME = binormal(200, 500, 0.3, 0, shift=2.0)[0]
NEW: dict[str, Any] = {"target": "population"}


def ends(curves: Any, name: str) -> list[np.ndarray]:
    """Return the lower and the upper bound at the first beta."""
    return [curves[name].sel(bound=bound).to_numpy()[:, 0] for bound in ("lower", "upper")]


@pytest.mark.parametrize("monotone", [False, True])
def test_rates_are_those_of_the_band(monotone: bool) -> None:
    pu = FRAME.pu.assume(monotone=monotone)
    curves = put(pu, "roc_bounds", BETA, **NEW)
    ranking = pu._rank().make(0)
    rates = bound_on_new(ranking, 160 / 640, 0.95, monotone)
    common = np.isin(curves["rank"], ranking.rank)
    assert common.sum() == ranking.rank.size
    limits = {"tpr": rates.tpr, "fpr": rates.fpr[::-1]}
    for name, wanted in limits.items():
        for curve, limit in zip(ends(curves, name), wanted, strict=True):
            assert curve[common] == pytest.approx(limit, abs=1e-12)
    assert curves.attrs["target"] == "population" and curves.attrs["band"] == "simultaneous"


@pytest.mark.parametrize("monotone", [False, True])
def test_tables_are_those_of_the_curve_at_any_ranks(monotone: bool) -> None:
    pu, some = FRAME.pu.assume(monotone=monotone), [30, 100, 500]
    tables, every = pu.contingency(BETA, **NEW), pu.contingency(BETA, ranks="all", **NEW)
    assert tables.attrs["target"] == "population" and tables["tp"].dtype == np.float64
    curve = pu.roc_bounds(BETA, ranks="all", **NEW)
    for name, part, other in (("tpr", "tp", "fn"), ("fpr", "fp", "tn")):
        rate = tables[part] / (tables[part] + tables[other])
        np.testing.assert_allclose(rate, curve[name], atol=1e-12)
    assert float(tables["tp"].max()) == pytest.approx(60 + BETA * 640)
    for chosen in (pu.contingency(BETA, ranks=some, **NEW), every.pu.at(rank=some)):
        np.testing.assert_allclose(chosen["tp"], tables["tp"].sel(rank=some), atol=1e-9)
    metric = tables.pu.metric("f1")
    assert bool((metric.sel(bound="lower") <= metric.sel(bound="upper")).all())


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
def test_a_metric_of_new_examples_is_drawn_at_its_cutoffs(x: str) -> None:
    pu: Any = FRAME.pu.assume(monotone=True)
    ax = pu.plot_metric("precision", BETA, x=x, **NEW)
    tables = pu.pr_bounds(BETA, ranks="all", **NEW)
    wanted = tables["precision"].sel(bound="estimate").isel(beta=0).to_numpy()[1:]
    places = tables["threshold" if x == "threshold" else "rank"].to_numpy()[1:]
    drawn = np.interp(places / (700 if x == "fraction" else 1), *ax.lines[0].get_data())
    assert np.quantile(np.abs(drawn - wanted), 0.98) < 0.02


def test_monotone_scores_have_a_precise_head() -> None:
    plain, rising = (
        ends(curves.sel(rank=slice(6, 59)), "precision")[0]
        for curves in (FRAME.pu.assume(monotone=m).pr_bounds(BETA, **NEW) for m in (False, True))
    )
    assert (rising >= plain - 1e-12).all()
    assert rising.min() > 0.5 > plain.min()


def test_pictures_draw_the_band() -> None:
    for ask in ("plot_roc", "plot_pr"):
        ax = getattr(FRAME.pu.assume(monotone=True), ask)(BETA, target="population")
        labels = ax.get_figure().findobj(lambda artist: hasattr(artist, "get_text"))
        texts = " ".join(label.get_text() for label in labels)
        assert "95% simultaneous band,\nnew examples" in texts and "these examples" not in texts


@pytest.mark.parametrize("beta", [0.0, 0.05])
def test_precision_is_known_where_none_of_the_rest_is_above(beta: float) -> None:
    pu = binormal(15, 45, 1, seed=0, shift=3.0)[0].pu
    precision = pu.pr_bounds(beta, target="population")["precision"]
    assert precision.notnull().all() and "clipped" not in precision.coords
    assert (precision.sel(bound="upper")[:4] == 1).all()
    assert (precision.diff("bound") >= 0).all()

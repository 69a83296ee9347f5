"""What pictures of curves share, read back from their artists."""

from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from pu_accessor import PUTypeError, PUValueError, PUWarning
from pu_accessor.ranking import FloatArray
from tests.arguments.test_propensity import FRAME as WEIGHTED
from tests.arguments.test_reference import REFERENCES, sites
from tests.cases import binormal, legend

FRAME, BETA, _ = binormal(200, 600, 0.3, seed=1)

BETAS = [0.1, 0.2, 0.3]


def lines(ax: Axes) -> dict[str, Line2D]:
    return {str(line.get_label()): line for line in ax.lines}


def path(line: Line2D) -> tuple[FloatArray, FloatArray]:
    x, y = np.asarray(line.get_xydata(), dtype=np.float64).T
    return x, y


def bands(ax: Axes) -> list[Polygon]:
    return [patch for patch in ax.patches if isinstance(patch, Polygon)]


@pytest.mark.parametrize("name", ["plot_roc", "plot_pr", "plot_rank_cdf"])
def test_axes_and_properties_are_those_given(name: str) -> None:
    ax, looks = plt.subplots()[1], {"fc": "green", "alpha": 0.5}
    plot = getattr(FRAME.pu, name)
    assert plot(0.2, ax=ax, line_kws={"c": "red", "lw": 3}, band_kws=looks) is ax
    line = lines(ax)["known positives" if name == "plot_rank_cdf" else "β = 0.2"]
    assert to_hex(line.get_color()) == "#ff0000" and line.get_linewidth() == 3
    assert to_rgba(bands(ax)[0].get_facecolor()) == to_rgba("green", 0.5)


def test_names_of_near_betas_of_high_levels_and_without_attributes() -> None:
    assert legend(FRAME.pu.plot_roc([0.3001, 0.3002]))[:2] == ["β = 0.3001", "β = 0.3002"]
    sure = FRAME.pu.plot_roc(0.3, level=0.9999999)
    assert "99.99999% band, pointwise" in legend(sure)
    assert legend(FRAME.pu.contingency(0.2, ranks="all").drop_attrs().pu.plot_roc())[1] == "band"


@pytest.mark.parametrize("color", [{"color": "green"}, {"fc": "green"}])
def test_a_band_in_another_colour_stays_transparent(color: dict[str, str]) -> None:
    (band,) = bands(FRAME.pu.plot_roc(0.2, band_kws=color))
    assert to_rgba(band.get_facecolor()) == to_rgba("green", 0.25)
    assert to_rgba(band.get_edgecolor()) == to_rgba("green", 0.7)


def test_a_part_of_the_ranks_is_a_part_of_the_curve() -> None:
    whole, part = FRAME.pu.plot_pr(0.2), FRAME.pu.plot_pr(0.2, ranks=range(21))
    x, _ = path(lines(part)["β = 0.2"])
    curve = FRAME.pu.pr_bounds(0.2, ranks="all").sel(beta=0.2, bound="estimate")
    assert x[-1] == pytest.approx(float(curve["recall"].sel(rank=20)))
    for ax in (whole, part):
        _, chance = path(lines(ax)["chance"])
        assert chance == pytest.approx((60 + 148) / 800)


TABLES = FRAME.pu.contingency([0.2, 0.3], ranks="breakpoints")
TWO_MODELS = xr.concat([TABLES, TABLES], "model")
BACKWARDS = TABLES.isel(rank=slice(None, None, -1))
PU: Any = FRAME.pu
REFUSED: list[tuple[str, Callable[[], Any]]] = [
    (r"needs negatives, but at beta = \[1.0\] there are none.* plot_pr", lambda: PU.plot_roc(1)),
    (r"\['beta'\] is missing. .*: ds.expand_dims", lambda: TABLES.sel(beta=0.2).pu.plot_roc()),
    (r"\['upper'\] is missing", lambda: TABLES.isel(bound=[0, 1]).pu.plot_pr()),
    ("needs tables for beta = 0, but there a", lambda: TABLES.pu.plot_roc(baseline=True)),
    ("differ in model, beta: hue, col and row must", lambda: TWO_MODELS.pu.plot_pr()),
    (r"two or more increasing ranks, .* are 1: \[5", lambda: PU.plot_roc(0.2, ranks=5)),
    (r"increasing ranks, .* or ds.sortby\('rank'\)", lambda: BACKWARDS.pu.plot_pr()),
    (r"but there are \[0.2, 0.2\]", lambda: TABLES.sel(beta=[0.2, 0.2]).pu.plot_roc()),
    ("its dimension 'beta' is empty", lambda: TABLES.sel(beta=[]).pu.plot_roc()),
    ("nothing was passed", lambda: PU.plot_roc([], baseline=True)),
    ("but '0.3' was passed", lambda: PU.plot_roc("0.3", baseline=True)),
]


@pytest.mark.parametrize(("said", "ask"), REFUSED)
def test_what_cannot_be_drawn_leaves_no_figure(said: str, ask: Callable[[], Any]) -> None:
    with pytest.raises(PUTypeError if "'0.3'" in said else PUValueError, match=said):
        ask()
    assert plt.get_fignums() == []


def test_pr_of_no_negatives_ends_at_one() -> None:
    assert path(lines(PU.plot_pr(1))["β = 1"])[1].tolist()[-1] == 1


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
def test_a_strip_says_where_bounds_of_a_metric_are_cut_to_one_value(x: str) -> None:
    def strips(ax: Axes) -> list[tuple[float, float]]:
        shown = [each for each in ax.patches if each.get_label() == "bounds cut to one value"]
        ends = [each.get_extents().transformed(ax.transData.inverted()) for each in shown]
        return [(float(box.x0), float(box.x1)) for box in ends]

    assert not strips(FRAME.pu.plot_metric("precision", BETAS[0], x=x))
    with pytest.warns(PUWarning, match="exceeds"):
        ax = FRAME.pu.plot_metric("precision", 0.9, x=x)
    with pytest.warns(PUWarning, match="exceeds"):
        tables = FRAME.pu.contingency(0.9, ranks="all").isel(beta=0)
    assert "bounds cut to one value" in legend(ax)
    tp, cut = tables["tp"], tables["clipped"].sel(bound=["lower", "upper"]).all("bound")
    cut &= tp.sel(bound="lower") == tp.sel(bound="upper")
    places = {"rank": tp["rank"], "fraction": tp["rank"] / 800, "threshold": tables["threshold"]}
    (starts, ends), place = np.transpose(strips(ax)), places[x].to_numpy()[:, None]
    inside = ((starts <= place) & (place <= ends)).any(axis=1)
    assert np.mean(inside == cut.to_numpy()) > 0.98


BANDS = {
    "positives": "95% band, pointwise",
    "negatives": "95% band, pointwise,\nfrom known negatives",
    "tightest": "95% band, pointwise,\nfrom the tighter kind",
    "both": "95% band, pointwise,\nfrom both kinds",
}


@pytest.mark.parametrize("reference", REFERENCES)
def test_plots_draw_the_estimate_of_the_reference(reference: str) -> None:
    pu = sites().rename(columns={"m": "score"}).pu.assume(reference=reference)
    for plot in (pu.plot_roc, pu.plot_pr, partial(pu.plot_metric, "precision")):
        ax = plot(beta=0.2)
        assert legend(ax)[:2] == ["β = 0.2", BANDS[reference]]
        assert len(np.asarray(lines(ax)["β = 0.2"].get_xdata())) > 20
    ax = pu.plot_roc(0.2)
    curve = pu.roc_bounds(0.2).sel(bound="estimate", beta=0.2)
    drawn = np.transpose(lines(ax)["β = 0.2"].get_xydata())
    np.testing.assert_array_equal(drawn, [curve["fpr"], curve["tpr"]])


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr", "plot_metric", "plot_rank_cdf"])
def test_pictures_take_propensities(plot: str) -> None:
    name = ("f1",) if plot == "plot_metric" else ()
    frames = WEIGHTED, WEIGHTED.assign(propensity=0.5)
    drawn = [getattr(rows.pu(propensity="propensity"), plot)(*name, beta=0.3) for rows in frames]
    one, other = (np.asarray(lines(ax)["β = 0.3"].get_xydata()) for ax in drawn)
    assert one.shape != other.shape or not np.allclose(one, other)
    assert any("95% band, pointwise (weighted)" in text for text in legend(drawn[0]))

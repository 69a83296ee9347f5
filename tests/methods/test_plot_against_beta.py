"""Pictures against beta: its upper limit, changes of order, shades where bounds are clipped."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

from pu_accessor import PUWarning
from tests.arguments.test_beta_limit import FRAME, GROUPS, LIMIT, told, upper
from tests.cases import AREAS, Labels, estimates_of, framed, legend
from tests.plots.test_many import BAND, MODELS, WIDE, bands, lines, path
from tests.plots.test_many import GRID as BETAS
from tests.support.oracles import completion_oracle, oracle

GRID = np.arange(10) / 10


def marked(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if "upper limit" in str(line.get_label())]


@pytest.mark.parametrize(("name", "at"), [("auroc", None), ("f1", 40)])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_limit_is_marked(name: str, at: int | None, level: float) -> None:
    drawn: list[Any] = []
    ask = partial(FRAME.pu.plot_metric, name, GRID, x="beta", at=at, level=level)
    assert not told(lambda: drawn.append(ask()))
    (line,) = marked(drawn[0])
    assert np.ravel(line.get_xdata()).tolist() == [upper(FRAME, level)] * 2
    label = f"{level:.0%} upper limit on β̂"
    assert line.get_label() == label and legend(drawn[0]).count(label) == 1


def test_each_model_has_its_mark_in_its_hue() -> None:
    frame = FRAME.assign(other=FRAME["score"] + np.random.default_rng(0).normal(0, 2, len(FRAME)))
    ax = frame.pu(score=["score", "other"]).plot_metric("auroc", GRID, x="beta")
    hues = {line.get_label(): to_hex(line.get_color()) for line in ax.lines}
    limits = {hues[model]: upper(frame, score=model) for model in ("score", "other")}
    expected = {hue: limit for hue, limit in limits.items() if limit <= 0.9}
    found = {to_hex(line.get_color()): line.get_xdata()[0] for line in marked(ax)}
    assert found == expected and len(found) > 0
    assert legend(ax).count("95% upper limit on β̂") == 1


def test_panels_have_their_own_mark() -> None:
    some = GROUPS[GROUPS["g"].isin(["a", "b"])]
    grid = some.pu(by="g").plot_metric("average_precision", [0, 0.01, 0.3, 0.8], x="beta", col="g")
    places = [[line.get_xdata()[0] for line in marked(ax)] for ax in grid.axes.flat]
    assert places == [[upper(rows)] for _, rows in some.groupby("g")]


@pytest.mark.parametrize("betas", [GRID[:4], GRID[7:]])
def test_a_limit_outside_the_picture_is_not_marked(betas: Any) -> None:
    assert betas[-1] < LIMIT or betas[0] > LIMIT
    ax = FRAME.pu.plot_metric("average_precision", betas, x="beta")
    assert not marked(ax) and not any("upper limit" in text for text in legend(ax))
    assert marked(FRAME.pu.plot_metric("average_precision", [LIMIT, 0.99], x="beta"))


def test_tables_mark_their_limit_and_propensities_have_none() -> None:
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = FRAME.pu.contingency(GRID, ranks="all")
    (line,) = marked(tables.pu.plot_metric("auroc", x="beta"))
    assert line.get_xdata()[0] == LIMIT
    frame = FRAME.assign(propensity=0.4)
    assert not marked(frame.pu(propensity="propensity").plot_metric("auroc", GRID, x="beta"))


def placed(**ranks: Any) -> pd.DataFrame:
    """Return 220 rows and models that put 20 known positives at some ranks, from 1."""
    frame = pd.DataFrame({"label": np.where(np.arange(220) < 20, 1, np.nan)})
    for model, places in ranks.items():
        rest = np.setdiff1d(np.arange(1, 221), places)
        frame[model] = -np.concatenate([places, rest])
    return frame


# Some at the top and some far down; all at one density.
SWAP = placed(peak=[*range(4, 41, 4), *range(55, 218, 18)], even=np.arange(6, 121, 6))
PAIR = SWAP.pu(score=["peak", "even"])


def shades(ax: Axes) -> list[Any]:
    return [one for one in ax.patches if one.get_label() == "bounds cut to one value"]


def marks(ax: Axes) -> list[float]:
    drawn = [line for line in ax.lines if line.get_label() == "order changes"]
    return [float(x) for line in drawn for x in path(line)[:, 0]]


def test_what_is_drawn_against_beta_is_one_labeling_for_each() -> None:
    label: Labels = [*[True] * 20, *[None] * 200]
    some = BETAS[1:5:3]
    roc, pr = (lines(PAIR.plot_metric(name, some, x="beta")) for name in AREAS.values())
    for model in ("peak", "even"):
        score = SWAP[model].tolist()
        areas = [completion_oracle.area("auroc", score, label, beta) for beta in some]
        np.testing.assert_allclose(path(roc[model]).T, np.array([some, areas]))
        frame = framed(score, label)
        areas = [oracle.pr_area(estimates_of(frame, beta)) for beta in some]
        np.testing.assert_allclose(path(pr[model]).T, np.array([some, areas]))


def test_pr_marks_a_change_of_order_that_auroc_does_not_have() -> None:
    roc, pr = (PAIR.plot_metric(name, BETAS[:6], x="beta") for name in AREAS.values())
    assert marks(roc) == [] and shades(roc) == shades(pr) == []
    (x,) = marks(pr)
    drawn = [path(lines(pr)[model])[:, 1] for model in ("peak", "even")]
    area = xr.DataArray(drawn, {"model": ["peak", "even"], "beta": BETAS[:6]}, ("model", "beta"))
    lead = area.sel(model="peak") - area.sel(model="even")
    before, after = lead.sel(beta=slice(0, x)), lead.sel(beta=slice(x, None))
    assert (before > 0).all() and (after < 0).all() and before.size + after.size == 6
    near = [before.values[-1], -after.values[0]]
    assert x == pytest.approx(before["beta"].values[-1] + 0.1 * near[0] / sum(near))
    assert legend(pr) == ["peak", "even", BAND, "order changes"]
    assert legend(roc) == ["peak", "even", BAND]
    assert (roc.get_ylabel(), pr.get_ylabel()) == ("AUROC", "area under the PR curve")


def test_band_against_beta_is_that_of_the_metric_and_betas_may_come_in_any_order() -> None:
    tables = WIDE.pu(score=MODELS).contingency(BETAS[::-1], ranks=[5, 20])
    ax = tables.pu.plot_metric("precision", x="beta", at=20)
    assert ax.get_ylabel() == "precision among the top 20"
    values = tables.pu.metric("precision").sel(rank=20).sortby("beta")
    for model, band in zip(MODELS, bands(ax), strict=True):
        up, down = (values.sel(model=model, bound=b).values for b in ("upper", "lower"))
        x, y = band.get_xy()[:16].T
        np.testing.assert_array_equal(x, [*BETAS, *BETAS[::-1]])
        np.testing.assert_array_equal(y, [*up, *down[::-1]])


def test_shade_is_where_both_bounds_are_clipped_to_one_table() -> None:
    frame = placed(top=np.arange(1, 21), even=np.arange(11, 221, 11)[:20])
    grid = np.linspace(0, 0.9, 19)
    ax = frame.pu(score=["top", "even"]).plot_metric("auroc", grid, x="beta")
    tables = frame.pu(score=["top", "even"]).contingency(grid, ranks="all")
    clipped = tables["clipped"].sel(bound=["lower", "upper"]).all("bound")
    one = (tables["tp"].max("bound") == tables["tp"].min("bound")) & clipped
    beyond = one.any("rank").sel(model="top").values
    assert 1 < beyond.sum() < grid.size and not one.any("rank").sel(model="even").any()
    first = int(np.argmax(beyond))
    (strip,) = shades(ax)
    ends = strip.get_x(), strip.get_x() + strip.get_width()
    assert ends == pytest.approx((grid[first - 1 : first + 1].mean(), 0.9))
    assert to_rgb(strip.get_edgecolor()) == to_rgb(lines(ax)["top"].get_color())
    assert to_hex(lines(ax)["top"].get_color()) != to_hex(lines(ax)["even"].get_color())


def test_the_order_by_auroc_may_change() -> None:
    # The AUROC of one labeling is not straight in beta, as an unbiased one is.
    top = [*range(4, 49, 4), *range(75, 160, 12)]
    frame = placed(peak=top, even=np.arange(6, 121, 6))
    ax = frame.pu(score=["peak", "even"]).plot_metric("auroc", BETAS[:6], x="beta")
    assert marks(ax) and not shades(ax)
    twins = WIDE.assign(twin=WIDE["m0"]).pu(score=["m0", "twin"])
    assert marks(twins.plot_metric("average_precision", BETAS, x="beta")) == []
    alone = placed(top=np.arange(1, 21)).pu(score="top")  # at a rank as of the area
    for name, at in (("average_precision", None), ("f1", 200)):
        assert len(shades(alone.plot_metric(name, BETAS, x="beta", at=at))) == 1

"""Forests: dots and bars are the numbers that the methods return."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from pu_accessor import PUTypeError, PUValueError
from tests.cases import binormal, legend
from tests.methods.test_plot_metric import line as dots

FRAME = binormal(60, 200, 0.5, seed=5)[0]
RNG = np.random.default_rng(6)
for number in range(3):
    FRAME[f"m{number}"] = FRAME["score"] + number * RNG.normal(size=len(FRAME))
FRAME["site"] = RNG.choice(["x", "y"], len(FRAME))
MODELS = ["m0", "m1", "m2"]


def bars(ax: Axes) -> list[tuple[float, float, float]]:
    """Return left, right and middle of each bar."""
    corners = [one.get_xy() for one in ax.patches if isinstance(one, Polygon)]
    return [(*np.sort(one[:, 0])[[0, -1]], one[:4, 1].mean()) for one in corners]


def names(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.parametrize(
    ("metric", "keywords", "label"),
    [
        ("auroc", {}, "AUROC"),
        ("average_precision", {"target": "examples", "level": 0.8}, "average precision"),
        ("f1", {"at": {"rank": 40}}, "F1 among the top 40"),
        ("npv", {"at": {"fraction": 0.2}}, "negative predictive value among the top 20%"),
        ("recall", {"at": "youden"}, "recall where informedness is highest"),
        ("f1", {"at": "maximum"}, "F1, at its maximum"),
        ("f1", {"at": {"threshold": 0.5}, "target": "examples"}, "F1 at threshold 0.5"),
    ],
)
def test_a_forest_has_the_numbers_of_the_method(metric: str, keywords: Any, label: str) -> None:
    pu = FRAME.pu(score=MODELS)
    found = pu.metric(metric, 0.2, **keywords)
    ax = pu.plot_forest(metric, 0.2, **keywords)
    np.testing.assert_allclose(dots(ax, "β = 0.2").T, [found["estimate"], range(3)])
    np.testing.assert_allclose(np.transpose(bars(ax)), [found["lower"], found["upper"], range(3)])
    assert names(ax) == MODELS and ax.get_xlabel() == label
    assert ax.get_ylim() == (2.5, -0.5)  # the first on top
    about = "future data" if found.attrs["target"] == "population" else "this sample"
    told = legend(ax)
    assert told[1] == f"{100 * keywords.get('level', 0.95):g}% interval,\n{about}"
    assert ("chance" in told) == (metric == "auroc")


def test_hues_stand_below_each_other_and_the_naive_estimate_is_a_cross() -> None:
    pu = FRAME.pu(score=MODELS)
    ax = pu.plot_forest("auroc", [0.1, 0.2], baseline=True)
    found = pu.auroc([0, 0.1, 0.2])
    for beta, shift in ((0.1, -0.2), (0.2, 0.2)):
        x, y = dots(ax, f"β = {beta}").T
        np.testing.assert_allclose(x, found.loc[found["beta"] == beta, "estimate"])
        np.testing.assert_allclose(y, shift + np.arange(3))
    x, y = dots(ax, "β = 0 (unlabeled as negative)").T
    np.testing.assert_allclose(x, found.loc[found["beta"] == 0, "estimate"])
    np.testing.assert_allclose(y, range(3))
    assert len(bars(ax)) == 6  # nothing is latent at beta = 0
    np.testing.assert_allclose(dots(ax, "chance"), [[0.5, -0.5], [0.5, 2.5]])
    heights = [np.ptp(one.get_xy()[:, 1]) for one in ax.patches]
    assert np.ptp(heights) < 1e-9 and 0.08 < heights[0] < 0.12  # 0.12 inches


def test_groups_get_hues_panels_or_places() -> None:
    pu = FRAME.pu(score=MODELS, by="site")
    assert names(pu.plot_forest("auroc", 0.2))[:2] == ["x, m0", "x, m1"]
    ax = pu.plot_forest("auroc", 0.2, hue="site")
    assert names(ax) == MODELS and len(bars(ax)) == 6
    grid = pu.plot_forest("auroc", 0.2, col="site", height=2)
    assert [len(bars(panel)) for panel in grid.axes.flat] == [3, 3]
    found = pu.auroc(0.2)
    drawn = [dots(panel, "β = 0.2")[:, 0] for panel in grid.axes.flat]
    np.testing.assert_allclose(np.concatenate(drawn), found["estimate"])
    assert grid.figure.get_figheight() == 2


def test_order_picks_and_sorts_and_own_betas_are_told() -> None:
    pu = FRAME.pu(score=MODELS[::-1])
    best = pu.auroc(0.2).sort_values("estimate", ascending=False)["model"]
    assert [*best] != MODELS[::-1]
    for order in (best, "estimate"):  # the largest first
        ax = pu.plot_forest("auroc", 0.2, order=order)
        assert names(ax) == [*best] and (np.diff(dots(ax, "β = 0.2")[:, 0]) < 0).all()
    assert names(pu.plot_forest("auroc", 0.2, order=["m2"])) == ["m2"]
    for wrong in (0, len, xr.DataArray(0.3)):
        with pytest.raises(PUTypeError, match="order must be a list of keys of model, but"):
            pu.plot_forest("auroc", 0.2, order=wrong)
    odd: list[Any] = [["m9"], ["m2", "m2"], [[]], [pd.NA], np.zeros((2, 2)), range(10**12), []]
    for keys in odd:
        with pytest.raises(PUValueError, match="order must contain keys of model, each once, but"):
            pu.plot_forest("auroc", 0.2, order=keys)
    ax = FRAME.pu(by="site").plot_forest("auroc", {"x": 0.1, "y": 0.25})
    assert names(ax) == ["x\nβ = 0.1", "y\nβ = 0.25"]
    np.testing.assert_allclose(
        dots(ax, "estimate")[:, 0], FRAME.pu(by="site").auroc({"x": 0.1, "y": 0.25})["estimate"]
    )

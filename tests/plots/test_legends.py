"""What legends say, and where they stand."""

from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba

from pu_accessor.plots import shared_legend
from tests.cases import binormal, legend_of

ROWS = binormal(60, 180, 0.5, seed=0, shift=1.5)[0].assign(site=np.resize(["b", "a"], 240))
PU: Any = ROWS.pu
SITES: Any = ROWS.pu(by="site")


def texts(legend: Any) -> list[str]:
    """Return what a legend says, its title first."""
    return [legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())]


def test_the_keys_are_the_title_and_what_they_share_is_grey() -> None:
    (legend,) = SITES.plot_roc(0.15, baseline=True).figure.legends
    assert texts(legend)[:3] == ["site (β̂ = 0.15)", "a", "b"]
    naive, chance = (legend.legend_handles[place].get_color() for place in (2, -1))
    assert naive == chance == pytest.approx((0.4, 0.4, 0.4))


def test_panels_share_a_legend_with_its_title() -> None:
    pu: Any = ROWS.assign(half=np.arange(240) // 2 % 2).pu(by=["site", "half"])
    betas = {(site, half): 0.2 - half / 10 for site in "ab" for half in (0, 1)}
    (legend,) = pu.plot_roc(betas, col="half", hue="site").figure.legends
    assert texts(legend)[:2] == ["site", "a, β̂ = 0.2"]
    (legend,) = PU.plot_roc([0.1, 0.2], col="beta").figure.legends
    assert texts(legend)[:2] == ["", "estimate"]  # the betas are in the titles


@pytest.mark.parametrize(("inches", "size"), [(3.9, 8.33), (4, 10), (4.9, 8.33), (5, 10)])
def test_print_is_small_where_there_is_little_room(inches: float, size: float) -> None:
    ours = inches > 4  # else the Axes of a user are as wide
    ax = None if ours else plt.figure(figsize=(inches, 3)).add_axes((0, 0, 1, 1))
    with mpl.rc_context({"figure.figsize": (inches, 3)}):
        ax = SITES.plot_roc(0.15, ax=ax)
    legend = legend_of(ax)
    told = [legend.get_title(), *legend.get_texts()]
    assert {round(text.get_fontsize(), 2) for text in told} == {size}
    frame = legend.get_frame()
    face, edge = (to_rgba(color)[3] for color in (frame.get_facecolor(), frame.get_edgecolor()))
    assert (face, edge) == (0 if ours else 0.8, 0)
    with mpl.rc_context({"figure.figsize": (inches, 3), "legend.fontsize": 7}):  # a choice
        ax = SITES.plot_roc(0.15, ax=None if ours else ax)
    assert {text.get_fontsize() for text in legend_of(ax).get_texts()} == {7}


@pytest.mark.parametrize(("size", "is_below"), [((8, 5), False), ((7.9, 5), True)])
def test_a_shared_legend_is_beside_wide_figures(size: tuple[float, float], is_below: bool) -> None:
    figure, axes = plt.subplots(1, 2, figsize=size)
    for ax in axes:
        ROWS.pu.plot_roc(0.15, ax=ax)
    box = shared_legend(figure)
    figure.draw_without_rendering()
    assert (box.get_window_extent().y1 < axes[0].get_window_extent().y0) == is_below


def test_where_no_curve_can_be_is_hatched_at_its_foot() -> None:
    ax = SITES.plot_metric("precision", 0.6)
    hatched = [patch for patch in ax.patches if patch.get_hatch() == "///"]
    assert len(hatched) >= 2
    assert len({patch.get_gid() for patch in hatched}) == 2

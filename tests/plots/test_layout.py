"""Where pictures stand: a user's Axes keep their place, our figures have equal panels."""

import re
import zlib
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from pu_accessor import PUValueError
from pu_accessor.plots import shared_legend
from pu_accessor.questions.accessor import Accessor
from tests.cases import binormal, legend, legend_of
from tests.plots.test_looks import BAND, BETA, FRAME, NAMES, PLOTS, draw, each, every_plot


def positions(figure: Figure) -> list[tuple[float, ...]]:
    return [ax.get_position().bounds for ax in figure.axes]


def place(figure: Figure, layout: str | None) -> None:
    """Put Axes where the layout has them."""
    if layout == "tight_layout()":
        figure.tight_layout()
    figure.draw_without_rendering()


def holds(outer: Any, inner: Any) -> bool:
    """Return whether something is drawn within something else."""
    box, extent = outer.get_window_extent(), inner.get_window_extent()
    return bool(box.contains(*extent.min) and box.contains(*extent.max))


def panels(rows: int, layout: str | None) -> tuple[Figure, list[Axes]]:
    """Return rows of two Axes, in place as the layout has it."""
    engine: Any = None if layout == "tight_layout()" else layout
    figure, axes = plt.subplots(rows, 2, figsize=(7, 3.5 * rows), layout=engine)
    place(figure, layout)
    return figure, [*axes.flat]


@every_plot
def test_a_plot_leaves_the_axes_of_a_user_where_they_are(plot: str) -> None:
    figure, (ax, _) = panels(1, "constrained")
    before = positions(figure)
    draw(plot, 3, ax=ax)
    np.testing.assert_allclose(positions(figure), before, rtol=0, atol=1e-9)
    assert figure.get_size_inches().tolist() == [7, 3.5] and figure.legends == []
    assert ax.get_box_aspect() is None and ax.get_aspect() == "auto"
    assert holds(ax, legend_of(ax))
    assert not legend_of(ax).get_in_layout()  # it takes no room, as the next test measures


@pytest.mark.parametrize("layout", [None, "constrained", "tight", "tight_layout()"])
def test_a_legend_takes_no_room_from_the_axes_of_a_user(layout: str | None) -> None:
    drawn = []
    for wanted in ("auto", False):
        figure, (ax, _) = panels(1, layout)
        draw("plot_roc", 3, ax=ax, legend=wanted)
        place(figure, layout)
        drawn.append(positions(figure))
        assert not wanted or holds(ax, legend_of(ax))
    np.testing.assert_allclose(drawn[0], drawn[1], rtol=0, atol=1e-9)


def test_tiny_axes_of_a_user_have_no_legend_unless_it_is_asked_for() -> None:
    axes = plt.subplots(1, 3, figsize=(2, 0.7))[1]
    assert legend_of(draw("plot_roc", 3, ax=axes[0])) is None
    assert legend(draw("plot_roc", 3, ax=axes[1], legend="brief")) == NAMES[:3]


@pytest.mark.parametrize(("plot", "models"), each(["plot_roc"], [2, 5], 2))
def test_panels_of_a_grid_are_of_one_size_beside_one_legend(plot: str, models: int) -> None:
    grid = draw(plot, models, col="model", height=2.1)
    assert grid.figure.get_figheight() == (2.1 if models == 2 else 4.2)
    grid.figure.draw_without_rendering()
    sizes = np.array([ax.get_window_extent().size for ax in grid.axes.flat])
    np.testing.assert_allclose(sizes, sizes[:1].repeat(models, 0), rtol=1e-3)
    assert sizes.min() > 0.6 * grid.figure.dpi
    assert grid.figure.legends == [grid.legend]
    box = grid.legend.get_window_extent()
    assert not any(box.overlaps(ax.get_tightbbox()) for ax in grid.axes.flat)


# One legend for the panels of a user


@pytest.mark.parametrize("layout", [None, "tight", "constrained"])
def test_a_shared_legend_names_all_once(layout: str | None) -> None:
    (figure, axes), size = panels(2, layout), (12, 5) if layout == "constrained" else (7, 7)
    figure.set_size_inches(size)
    plots = ["plot_roc", "plot_pr", "gains", "plot_metric"]
    for plot, ax in zip(plots, axes, strict=True):
        draw(plot, 2, ax=ax, baseline=True)
    shared = shared_legend(figure)
    figure.draw_without_rendering()
    chance = ["chance", "perfect"]
    curves = [*NAMES[:2], "β = 0 (unlabeled as negative)"]
    assert texts(shared) == [f"model (β = {BETA})", *curves, BAND, *chance]
    assert figure.legends == [shared] and all(ax.get_legend() is None for ax in axes)
    assert figure.get_size_inches().tolist() == [*size]
    box = shared.get_window_extent()
    assert holds(figure, shared) and not any(box.overlaps(ax.get_window_extent()) for ax in axes)
    widths = [ax.get_window_extent().width for ax in axes]
    assert max(widths) < 1.001 * min(widths)


def test_a_shared_legend_is_put_up_anew_and_needs_names() -> None:
    figure, axes = plt.subplots(1, 2, figsize=(7, 3))
    with pytest.raises(PUValueError, match="figure must have Axes with labels"):
        shared_legend(figure)
    draw("plot_roc", 2, ax=axes[0])
    assert texts(shared_legend(figure, title="first"))[0] == "first"
    axes[1].plot([0, 1], [1, 0], label="mine")
    shared = shared_legend(figure, title="second", brief=True)
    assert figure.legends == [shared]
    assert texts(shared) == ["second", *NAMES[:2], "mine"]


def test_a_plot_on_a_figure_with_a_shared_legend_names_all_panels() -> None:
    figure, axes = plt.subplots(2, 2, figsize=(7, 7))
    draw("plot_roc", 2, ax=axes[0, 0])
    shared_legend(figure)
    FRAME.pu(score=NAMES[5]).plot_metric("recall", BETA, x="fraction", ax=axes[1, 1])
    (shared,) = figure.legends
    assert {*NAMES[:2], f"β = {BETA}", "chance", "perfect"} <= {*texts(shared)}
    figure.draw_without_rendering()
    assert shared.get_window_extent().y1 < axes[1, 1].get_window_extent().y0  # still below
    assert axes[1, 1].get_legend() is None


# Files


def test_text_is_text_in_a_pdf(tmp_path: Path) -> None:
    grid = draw("plot_roc", 2, col="model")
    grid.figure.savefig(tmp_path / "grid.pdf")
    streams = re.findall(rb"stream\r?\n(.*?)endstream", (tmp_path / "grid.pdf").read_bytes(), re.S)
    pages = b"".join(zlib.decompress(each) for each in streams if each.startswith(b"x\x9c"))
    shown = b"".join(re.findall(rb"\(([^()]*)\)", pages))
    assert b"chance" in shown and b"model" in shown


def test_all_plots_are_looked_at() -> None:
    drawn = {plot if plot.startswith("plot_") else "plot_metric" for plot in PLOTS}
    assert drawn == {name for name in dir(Accessor) if name.startswith("plot_")}


ROWS = binormal(60, 180, 0.5, seed=0, shift=1.5)[0].assign(site=np.resize(["b", "a"], 240))
PU: Any = ROWS.pu
SITES: Any = ROWS.pu(by="site")


def texts(legend: Any) -> list[str]:
    """Return what a legend says, its title first."""
    return [legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())]


def test_the_keys_are_the_title_and_what_they_share_is_grey() -> None:
    (legend,) = SITES.plot_roc(0.15, baseline=True).figure.legends
    assert texts(legend)[:3] == ["site (β = 0.15)", "a", "b"]
    naive, chance = (legend.legend_handles[place].get_color() for place in (2, -1))
    assert naive == chance == pytest.approx((0.4, 0.4, 0.4))


def test_panels_share_a_legend_with_its_title() -> None:
    pu: Any = ROWS.assign(half=np.arange(240) // 2 % 2).pu(by=["site", "half"])
    betas = {(site, half): 0.2 - half / 10 for site in "ab" for half in (0, 1)}
    (legend,) = pu.plot_roc(betas, col="half", hue="site").figure.legends
    assert texts(legend)[:2] == ["site", "a, β = 0.2"]
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


def test_impossible_bands_have_strips_in_their_colours_without_hatching() -> None:
    ax = SITES.plot_metric("precision", 0.6)
    strips = [patch for patch in ax.patches if patch.get_label() == "bounds cut to one value"]
    assert len(strips) >= 2 and not any(patch.get_hatch() for patch in strips)
    assert len({patch.get_gid() for patch in strips}) == 2
    assert len({patch.get_facecolor() for patch in strips}) == 2


def test_a_shared_legend_names_artists_of_the_user_of_any_kind() -> None:
    figure, ax = plt.subplots(figsize=(7, 4))
    draw("plot_roc", 2, ax=ax)
    ax.errorbar([0.5], [0.5], [0.1], label="bars")
    ax.scatter([0.2], [0.2], label="dots")
    ax.hlines([0.1], 0, 1, label="lines")
    assert {"bars", "dots", "lines"} < {*texts(shared_legend(figure))}

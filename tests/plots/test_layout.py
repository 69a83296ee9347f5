"""Where pictures stand: a user's Axes keep their place, our figures have equal panels."""

import re
import zlib
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pu_accessor import PUValueError
from pu_accessor.plots import shared_legend
from pu_accessor.questions.accessor import Accessor
from tests.cases import legend, legend_of
from tests.plots.test_legends import texts
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
    chance = ["chance", "chance (prevalence)", "perfect"]
    curves = [*NAMES[:2], "β̂ = 0 (unlabeled as negative)"]
    assert texts(shared) == [f"model (β̂ = {BETA})", *curves, BAND, *chance]
    assert figure.legends == [shared] and all(ax.get_legend() is None for ax in axes)
    assert figure.get_size_inches().tolist() == [*size]
    box = shared.get_window_extent()
    assert holds(figure, shared) and not any(box.overlaps(ax.get_window_extent()) for ax in axes)
    widths = [ax.get_window_extent().width for ax in axes]
    assert max(widths) < 1.001 * min(widths)


def test_a_shared_legend_is_put_up_anew_and_needs_names() -> None:
    figure, axes = plt.subplots(1, 2, figsize=(7, 3))
    with pytest.raises(PUValueError, match="figure must hold Axes on which something has a name"):
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
    assert {*NAMES[:2], f"β̂ = {BETA}", "chance", "perfect"} <= {*texts(shared)}
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

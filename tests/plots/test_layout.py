"""Where pictures stand and what is written on them: panels, legends, labels, and odd names."""

from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

from pu_accessor import PUValueError, PUWarning
from pu_accessor.plots import shared_legend
from tests.cases import legend_of
from tests.plots.pictures import BAND, FRAME, MODELS, NAIVE, curves, draw, texts

LONG = FRAME.rename(columns=lambda name: name.replace("model", "a model of many parameters"))


def holds(outer: Any, inner: Any) -> bool:
    """Return whether something is drawn within something else."""
    box, extent = outer.get_window_extent(), inner.get_window_extent()
    return bool(box.padded(1).contains(*extent.min) and box.padded(1).contains(*extent.max))


@pytest.mark.parametrize("plot", ["plot_roc", "plot_forest"])
def test_a_plot_leaves_the_axes_of_a_user_where_they_are(plot: str) -> None:
    figure, (ax, _) = plt.subplots(1, 2, figsize=(7, 3.5))
    figure.draw_without_rendering()
    before = [each.get_position().bounds for each in figure.axes]
    draw(plot, 3, ax=ax)
    after = [each.get_position().bounds for each in figure.axes]
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9)
    assert figure.get_size_inches().tolist() == [7, 3.5] and figure.legends == []
    assert ax.get_box_aspect() is None and ax.get_aspect() == "auto"
    assert holds(ax, legend_of(ax)) and not legend_of(ax).get_in_layout()


@pytest.mark.parametrize(("width", "models"), [(3.3, 12), (7, 3)])
def test_a_legend_of_a_new_figure_stands_outside_and_nothing_is_cut_off(
    width: float, models: int
) -> None:
    for plot in ("plot_roc", "plot_forest"):
        with mpl.rc_context({"figure.figsize": (width, 0.75 * width)}):
            ax = draw(plot, models)
        ax.figure.draw_without_rendering()
        (box,) = ax.figure.legends
        assert ax.get_legend() is None
        assert not box.get_window_extent().overlaps(ax.get_window_extent())
        drawn, size = ax.figure.get_tightbbox(), ax.figure.get_size_inches()  # with all texts
        assert (drawn.min > -0.01).all() and (drawn.max < size + 0.01).all()
        wide, high = ax.get_window_extent().size / ax.figure.dpi
        is_roc = plot == "plot_roc"  # numbers take room right of a forest, as high as its rows
        assert wide > 0.35 * width or (not is_roc and wide > 2.2)
        assert high > (0.35 * width if is_roc else 0.8)


@pytest.mark.parametrize(("plot", "models"), [("plot_roc", 2), ("plot_roc", 5), ("plot_pr", 3)])
def test_panels_of_a_grid_are_of_one_size_beside_one_legend(plot: str, models: int) -> None:
    grid = draw(plot, models, col="model", height=None if models == 3 else 2.1)
    assert grid.figure.get_figheight() == {2: 2.1, 3: 3.2, 5: 4.2}[models]
    grid.figure.draw_without_rendering()
    sizes = np.array([ax.get_window_extent().size for ax in grid.axes.flat])
    np.testing.assert_allclose(sizes, sizes[:1].repeat(models, 0), rtol=1e-3)
    assert sizes.min() > 0.6 * grid.figure.dpi and grid.figure.legends == [grid.legend]
    box = grid.legend.get_window_extent()
    assert not any(box.overlaps(ax.get_tightbbox()) for ax in grid.axes.flat)
    assert models != 5 or [bool(ax.get_xlabel()) for ax in grid.axes.flat] == [False] + [True] * 4


@pytest.mark.filterwarnings("ignore:The legend was left out")
@pytest.mark.parametrize(
    ("plot", "models", "inches"),
    [("plot_roc", 3, 2), ("gains", 3, 2), ("plot_roc", 3, 3.5), ("plot_forest", 12, 3.5)],
)
def test_legends_and_names_hide_no_data(plot: str, models: int, inches: float) -> None:
    figure, ax = plt.subplots(figsize=(inches, inches), layout="constrained")
    draw(plot, models, LONG, ax=ax)
    figure.draw_without_rendering()
    if named := legend_of(ax):
        box = named.get_window_extent()
        for line in curves(ax):
            assert not box.count_contains(ax.transData.transform(line.get_xydata()))
    names = [text.get_window_extent() for text in ax.get_yticklabels() if text.get_text()]
    assert max(name.width for name in names) < ax.bbox.width and figure.get_figheight() == inches
    heights = sorted(name.y0 for name in names)
    assert plot != "plot_forest" or min(np.diff(heights)) > 0.7 * names[0].height


@pytest.mark.parametrize("layout", ["constrained", None])
def test_a_legend_that_fits_nowhere_is_below_or_is_missed_aloud(layout: Any) -> None:
    figure, ax = plt.subplots(figsize=(4, 3), layout=layout)
    rng = np.random.default_rng(0)
    for shift in range(60):  # lines everywhere
        ax.plot([0, 1], rng.random(2), gid="pu_accessor curve", label=f"_{shift}")
    if layout is None:
        with pytest.warns(PUWarning, match=r"shared_legend\(ax\.figure\)"):
            draw("gains", ax=ax)
        assert ax.get_legend() is None
        assert "perfect" in texts(shared_legend(figure))
        return
    draw("gains", ax=ax)
    figure.draw_without_rendering()
    assert legend_of(ax).get_window_extent().y1 < ax.xaxis.label.get_window_extent().y0
    assert ax.get_window_extent().height > 0.4 * figure.bbox.height and holds(
        figure, legend_of(ax)
    )


@pytest.mark.filterwarnings("ignore:The legend was left out")
@pytest.mark.parametrize("layout", ["constrained", None])
def test_a_legend_on_narrow_axes_is_within_the_figure_or_left_out(layout: Any) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(3.3, 2.2), layout=layout)
    for plot, ax in zip(("plot_roc", "plot_pr"), axes, strict=True):
        draw(plot, 2, ax=ax)
    figure.draw_without_rendering()
    for named in filter(None, map(legend_of, axes)):
        assert holds(figure, named)


# One legend for the panels of a user


LEFT_OUT = "ignore:The legend was left out"


@pytest.mark.filterwarnings(LEFT_OUT)
@pytest.mark.parametrize(
    ("layout", "size", "is_below"),
    [(None, (7, 7), True), ("constrained", (8, 5), False), ("tight", (7.9, 5), True)],
)
def test_a_shared_legend_names_all_once(layout: Any, size: Any, is_below: bool) -> None:
    figure, axes = plt.subplots(2, 2, figsize=size, layout=layout)
    figure.draw_without_rendering()
    for plot, ax in zip(("plot_roc", "plot_pr", "gains"), axes.flat[:3], strict=True):
        draw(plot, 2, ax=ax, baseline=True)
    shared = shared_legend(figure)
    told = ["model (β = 0.2)", *MODELS[:2], NAIVE, BAND, "chance", "perfect"]
    assert texts(shared) == told
    figure.draw_without_rendering()
    assert figure.legends == [shared] and all(ax.get_legend() is None for ax in axes.flat)
    assert figure.get_size_inches().tolist() == [*size] and holds(figure, shared)
    box, panels = shared.get_window_extent(), [ax.get_window_extent() for ax in axes.flat]
    assert not any(box.overlaps(panel) for panel in panels)
    assert np.ptp([panel.width for panel in panels]) < 0.1
    assert (box.y1 < panels[-1].y0) == is_below
    draw("gains", beta=0.1, ax=axes[1, 1])
    (shared,) = figure.legends
    assert (
        texts(shared) == [*told[:3], f"{MODELS[3]}, β = 0.1", *told[3:]]
        and axes[1, 1].get_legend() is None
    )
    assert (shared.get_gid() == "pu_accessor legend below") == is_below


@pytest.mark.filterwarnings(LEFT_OUT)
def test_a_shared_legend_is_put_up_anew_with_artists_of_the_user_of_any_kind() -> None:
    figure, axes = plt.subplots(1, 2, figsize=(7, 3))
    with pytest.raises(PUValueError, match="figure must have Axes with labels"):
        shared_legend(figure)
    draw("plot_roc", 2, ax=axes[0])
    assert texts(shared_legend(figure, title="first"))[0] == "first"
    axes[1].plot([0, 1], [1, 0], label="mine")
    axes[1].errorbar([0.5], [0.5], [0.1], label="bars")
    axes[1].scatter([0.2], [0.2], label="dots")
    axes[1].hlines([0.1], 0, 1, label="lines")
    shared = shared_legend(figure, title="second")
    assert figure.legends == [shared]
    assert {*texts(shared)} >= {"second", *MODELS[:2], "mine", "bars", "dots", "lines"}


# Names that mean something to matplotlib


NAMES = ["_hidden", "$x$", "$$", "a$b", r"$\frac$", r"\$", "<script>", "100%", "{x}", "_", ""]


def shown(figure: Any) -> list[str]:
    """Draw a figure, and return all its texts, of which none may be mathematics."""
    figure.draw_without_rendering()
    drawn = [text._preprocess_math(text.get_text()) for text in figure.findobj(Text)]
    assert not any(mathematics for _, mathematics in drawn)
    return [str(clean).split("  ")[0].strip() for clean, _ in drawn]


def test_names_are_shown_as_they_are_but_for_very_long_ones() -> None:
    frame = FRAME.assign(**{name: FRAME["score"] + place for place, name in enumerate(NAMES)})
    assert {*NAMES} <= {*shown(frame.pu(score=NAMES).plot_forest("auroc", 0.2).figure)}
    for some in (NAMES[:6], NAMES[6:]):
        assert {*some} <= {*shown(frame.pu(score=some).plot_roc(0.2).figure)}
    names = np.where(FRAME["site"] == "a", "$x$", "b" * 2_500 + "end")
    pu = FRAME.assign(**{"$$": names}).pu(by="$$")
    assert "$$ = $x$" in shown(pu.plot_roc(0.2, col="$$").figure)
    assert "$$ (β = 0.2)" in shown(pu.plot_pr(0.2).figure)
    for drawing in (pu.plot_forest("auroc", 0.2), pu.plot_roc(0.2, col="$$")):
        told = shown(drawing.figure)
        assert max(map(len, told)) < 200 and any(text.endswith("end") for text in told)

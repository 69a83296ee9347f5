"""How pictures look: palettes, ink, the style of each kind of artist, and options of all plots."""

import colorsys
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import seaborn as sns
from cycler import cycler
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.lines import Line2D

from pu_accessor import PUError, PUTypeError, PUValueError
from tests.cases import legend, legend_of
from tests.plots.pictures import BAND, CALLS, FRAME, MODELS, bands, colors, curves, draw, of_kind

TWO = ["red", "blue"]
every_plot = pytest.mark.parametrize("plot", CALLS)


def luminance(color: Any) -> float:
    """Return the relative luminance of a colour: WCAG 2.2."""
    channels = np.array(to_rgb(color))
    light = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(light @ [0.2126, 0.7152, 0.0722])


def contrast(one: Any, other: Any) -> float:
    """Return the contrast of two colours, from 1 to 21: WCAG 2.2."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


# Palettes


def palette_of(name: str, size: int = 3) -> list[str]:
    return [to_hex(color) for color in sns.color_palette(name, size)]


MAPPED = {MODELS[1]: "black", MODELS[0]: "red", MODELS[2]: "0.5", "other": "C0"}
MORE = ["#df2666", "#43c5ea", "#555416", "#c52ec8", "#3fcbb1", "#7d4216"]  # hues far apart
PALETTES: dict[str, tuple[Any, list[str]]] = {
    "name": ("deep", palette_of("deep")),
    "list": (["red", "C2", (0, 0, 1)], ["#ff0000", to_hex("C2"), "#0000ff"]),
    "tuple": (("red", "green", "blue", "black"), ["#ff0000", to_hex("green"), "#0000ff"]),
    "dict": (MAPPED, ["#ff0000", "#000000", "#808080"]),
    "scale": (mpl.colormaps["viridis"], palette_of("viridis")),
    "list of a map": (mpl.colormaps["tab10"], palette_of("tab10")),
    "default": (None, palette_of("colorblind")),
}


@pytest.mark.parametrize("name", PALETTES)
def test_palettes(name: str) -> None:
    palette, expected = PALETTES[name]
    ax = draw("plot_roc", 3, palette=palette)
    assert colors(ax) == expected == [to_hex(band.get_edgecolor()) for band in bands(ax)]


def test_palettes_of_betas_of_panels_and_of_one_curve() -> None:
    assert colors(FRAME.pu.plot_roc([0.1, 0.2], palette="rocket")) == palette_of("rocket", 2)
    assert colors(FRAME.pu.plot_roc(0.1, palette=["red"])) == ["#ff0000"]
    for plot in ("plot_pr", "plot_forest"):
        grid = draw(
            plot, 2, beta=[0.1, 0.2], col="beta" if plot == "plot_pr" else None, palette=TWO
        )
        panels = grid.axes.flat if plot == "plot_pr" else [grid]
        assert {tuple(colors(ax)) for ax in panels} == {("#ff0000", "#0000ff")}
    frame = FRAME.assign(group=np.arange(len(FRAME)) % 14)  # more than stay apart in the palette
    ax = frame.pu(by="group").plot_roc(0.2, band="dkw")
    assert colors(ax) == [*palette_of("colorblind", 8), *MORE]


TOO_FEW: list[tuple[int, Any, str]] = [
    (3, TWO, "palette must have a .* each of the 3 curves, but it has 2. Pass one of"),
    (12, "Set2", "palette must have .* each of the 12 curves, but it has 8"),
    (12, mpl.colormaps["tab10"], "palette must have .* of the 12 curves, but it has 10"),
    (3, {MODELS[0]: "red"}, r"palette must have a .* key, but \['model 1', .* is miss"),
    (1, {"a": "red"}, "must not be a mapping where there is one curve"),
]


@pytest.mark.parametrize(("models", "palette", "words"), TOO_FEW)
def test_palettes_of_too_few_colours_leave_no_figure(
    models: int, palette: Any, words: str
) -> None:
    with pytest.raises(PUValueError, match=words):
        draw("plot_roc", models, palette=palette)
    assert plt.get_fignums() == []


@every_plot
def test_bad_options_are_refused_before_a_row_is_read(plot: str) -> None:
    unread, asked = (
        FRAME.assign(label="?"),
        {"palette": "virdis", "legend": "none", "hue": ["model"]},
    )
    bad = [{name: value} for name, value in asked.items()]
    for looks in [*bad, {"line_kws": {"hue": 1}}, {"height": 2}, {"ax": "x"}, {"baseline": 1}]:
        with pytest.raises((PUTypeError, PUValueError), match=f"^{next(iter(looks))} (must|is)"):
            draw(plot, 3, unread, **looks)
    with pytest.raises(PUValueError, match="label column 'label' contains"):
        draw(plot, 3, unread)
    assert plt.get_fignums() == []


# The colours of a user


@pytest.mark.parametrize("style", ["default", "cycle", "dark_background", "grayscale"])
def test_the_cycle_that_was_chosen_is_the_default(style: str) -> None:
    with mpl.rc_context():
        if style == "cycle":
            plt.rc("axes", prop_cycle=cycler(color=["crimson", "teal", "navy"]))
        else:
            plt.style.use(style)
        ax = draw("plot_roc", 3)
        cycle = [to_hex(color) for color in plt.rcParams["axes.prop_cycle"].by_key()["color"]]
        assert colors(ax) == (palette_of("colorblind") if style == "default" else cycle[:3])
        draw("plot_roc", 1, ax=ax)
        assert len({*colors(ax)}) == 4


PAINTS = {"dark_background": "black", "black figure": "#1b1b1b", "transparent on dark": "#111111"}
SEEN = [(plot, "dark_background") for plot in CALLS] + [("plot_roc", paint) for paint in PAINTS]


@pytest.mark.parametrize(("plot", "paint"), SEEN[1:])
def test_all_ink_can_be_seen_on_dark_grounds(plot: str, paint: str) -> None:
    with mpl.rc_context():
        if paint == "dark_background":
            plt.style.use("dark_background")
            ax = plt.subplots()[1]
        else:
            ax = plt.subplots(facecolor="#111111")[1]
            ax.set_facecolor("none" if paint == "transparent on dark" else "#1b1b1b")
        draw(plot, 1, ax=ax)
        shown = [line for line in ax.lines if line.get_linestyle() or line.get_marker()]
        assert min(contrast(line.get_color(), PAINTS[paint]) for line in shown) > 3
        box = legend_of(ax)
        seen = [contrast(x.get_color(), box.get_frame().get_facecolor()) for x in box.get_texts()]
        assert paint != "dark_background" or min(seen) > 7


@pytest.mark.parametrize(("style", "ground"), [("default", "white"), ("dark_background", "black")])
def test_betas_can_be_seen_on_any_ground(style: str, ground: str) -> None:
    with plt.style.context(style):
        ax = FRAME.pu.plot_roc(np.arange(1, 13) / 40)
        assert min(contrast(color, ground) for color in colors(ax)) > 1.9
        light = [luminance(color) for color in colors(ax)]
        assert light == sorted(light, reverse=style == "default") and len({*light}) == 12
        assert np.ptp([colorsys.rgb_to_hsv(*to_rgb(color))[0] for color in colors(ax)]) < 0.1
        FRAME.pu.plot_roc([0.1, 0.2], ax=ax)
        assert len({*colors(ax)}) == 14


def test_twelve_models_have_colours_apart_and_bands_where_asked_for_that_are_edges() -> None:
    few, many = draw("plot_roc", 3), draw("plot_roc", 12)
    seen = np.array([to_rgb(color) for color in colors(many)])
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    assert apart[np.triu_indices(12, 1)].min() > 0.15 and colors(many)[:3] == colors(few)
    assert not bands(many) and BAND not in legend(many) and len(bands(draw("plot_roc", 6))) == 6
    asked = draw("plot_roc", 12, band_kws={"linewidth": 0.6})
    opacity = {(band.get_facecolor()[3], band.get_edgecolor()[3]) for band in bands(asked)}
    assert opacity == {(0.03, 0.7)} and len(bands(asked)) == 12


# The style of each kind of artist: lines by their style, width and marker, areas by their hatch,
# width and how dense face and edge are; first what lies above what.

LOOKS: dict[str, tuple[Any, ...]] = {
    "curve": (3, "-", 1.8, "None", 6, 1),
    "curve of dots": (3, "None", 1.8, "o", 6, 0.75),
    "curve through dots": (3, "-", 0.8, "o", 6, 0.75),
    "counts": (1, None, 0.6, 0.25, 1),
    "baseline": (3, "--", 1.3, "None", 6, 1),
    "baseline of crosses": (3, "None", 1.5, "x", 6, 1),
    "band": (2, None, 0.6, 0.25, 0.7),
    "band of two": (2, None, 0.6, 0.18, 0.7),
    "chance": (1, ":", 1, "None", 6, 1),
    "chance, solid": (1, "-", 0.8, "None", 6, 1),
    "change": (4, "None", 1.5, "X", 8, 1),
    "break": (4, "None", 1.5, "X", 8, 1),
    "limit": (2.5, "-.", 1.1, "v", 7, 1),
    "shade": (0, None, 0, 0.06, 0),
    "infeasible": (1, None, 0, 0.4, 1),
    "hollow": (3.5, "None", 1.5, "o", 6, 1),
}
PAIR: Any = FRAME.pu(score=["score", MODELS[0]])
PICTURES: dict[str, tuple[Callable[[], Any], str]] = {
    "roc": (partial(draw, "plot_roc"), "curve; band; chance; baseline"),
    "over beta": (
        lambda: PAIR.plot_metric("f1", [0, 0.2, 0.5, 0.98], x="beta", at=40),
        "curve; band of two; change; shade; infeasible; limit",
    ),
    "odds": (
        lambda: FRAME.pu.plot_metric("auroc", 0.2, x="selection_odds"),
        "curve; band; chance; break",
    ),
    "gain": (partial(draw, "gains"), "curve; band; chance; chance, solid"),
    "benefit": (partial(draw, "net benefit"), "curve; band; chance; chance, solid"),
    "calibration": (
        partial(draw, "plot_calibration", baseline=True, bins=20),
        "band; curve through dots; baseline of crosses; chance; hollow; counts",
    ),
    "forest": (partial(draw, "plot_forest"), "band; curve of dots; baseline of crosses; chance"),
}


def look(one: Any) -> tuple[Any, ...]:
    kind = str(one.get_gid()).removeprefix("pu_accessor ").split(":")[0]
    if isinstance(one, Line2D):
        marker = one.get_marker(), one.get_markersize(), one.get_markeredgewidth()
        return kind, one.get_zorder(), one.get_linestyle(), one.get_linewidth(), *marker
    dense = (round(to_rgba(color)[3], 9) for color in (one.get_facecolor(), one.get_edgecolor()))
    return kind, one.get_zorder(), one.get_hatch(), one.get_linewidth(), *dense


@pytest.mark.parametrize("name", PICTURES)
def test_each_kind_of_artist_has_its_look(name: str) -> None:
    ask, kinds = PICTURES[name]
    ax = ask()
    expected = {(re.split("[ ,]", kind)[0], *LOOKS[kind]) for kind in kinds.split("; ")}
    assert {look(one) for one in (*ax.lines, *ax.patches)} == expected
    rings = of_kind(ax, "hollow")
    for line in [line for line in ax.lines if line.get_marker() in ("o", "X")]:
        ink = line.get_markerfacecolor(), line.get_markeredgecolor()
        assert to_hex(ink[line not in rings]) == "#ffffff"
    assert len(ax.texts) == (name == "odds")
    for text in ax.texts:
        place = text.xyann, text.anncoords, text.get_ha(), text.get_va(), text.get_zorder()
        assert place == ((0, 7), "offset points", "center", "baseline", 3)
        assert text.get_fontsize() < mpl.rcParams["font.size"]


@every_plot
def test_axes_and_properties_are_those_given(plot: str) -> None:
    ax = plt.subplots()[1]
    assert draw(plot, ax=ax, line_kws={"c": "crimson", "lw": 3, "marker": "s"}) is ax
    assert {(line.get_linewidth(), line.get_marker()) for line in curves(ax)} == {(3, "s")}
    crimson, navy = to_rgba("crimson", 0.25), to_rgba("navy", 0.25)
    assert {band.get_facecolor() for band in bands(ax)} == {crimson}
    assert {*colors(ax)} == {to_hex("crimson")} and ax.get_box_aspect() is None
    for look, edge in (({"fc": "navy"}, 0.7), ({"color": "navy", "lw": 2}, 0.7)):
        ax = draw(plot, line_kws={"color": "crimson"}, band_kws=look)
        assert {(band.get_facecolor(), band.get_edgecolor()) for band in bands(ax)} == {
            (navy, to_rgba("navy", edge))
        }
        assert {band.get_linewidth() for band in bands(ax)} == {look.get("lw", 0.6)}
    ax = draw(plot, band_kws={"fc": "green", "alpha": 0.5})
    assert {band.get_facecolor() for band in bands(ax)} == {to_rgba("green", 0.5)}


def test_odd_properties_and_tables_are_drawn_or_refused_in_words() -> None:
    tables = FRAME.pu(score=MODELS[:2]).contingency([0.2, 0.4], ranks="all")
    noted = tables.assign_coords(note=("model", ["x", "y"]))
    for plot in (
        lambda: FRAME.pu.plot_roc(0.2, band_kws={"facecolor": None}),
        lambda: FRAME.pu.plot_roc(0.2, line_kws={"color": (0.1, 0.2, 0.3, 0.4)}),
        lambda: noted.pu.plot_pr(hue="model", col="beta"),
        lambda: tables.drop_vars("clipped").pu.plot_metric("f1", hue="model", col="beta"),
        lambda: tables.drop_vars("threshold").pu.plot_metric("f1", hue="model", col="beta"),
    ):
        plot()
    plt.close("all")
    with pytest.raises(PUError, match="'beta' must have its labels"):
        tables.drop_vars("beta").pu.plot_roc(hue="model", col="beta")
    with pytest.raises(ZeroDivisionError):
        FRAME.pu.plot_metric(lambda tp, fp, fn, tn: tp if not tp.size else 1 / 0, 0.2)
    assert plt.get_fignums() == []


# Axes

RATES = (-0.02, 1.02)
HEADS = (-0.02 * len(FRAME), 1.02 * len(FRAME))
VIEWS = {"plot_roc": RATES, "plot_pr": RATES, "plot_rank_cdf": HEADS, "gains": RATES}


@pytest.mark.parametrize("plot", [*VIEWS, "plot_calibration"])
def test_rates_are_shown_whole(plot: str) -> None:
    for ax in (draw(plot), draw(plot, rows=FRAME.iloc[::3], ax=draw(plot))):
        low = -0.12 if plot == "plot_calibration" else -0.02
        assert (ax.get_xlim(), ax.get_ylim()) == (
            VIEWS.get(plot, RATES),
            pytest.approx((low, 1.02)),
        )
    assert draw(plot).get_box_aspect() == (1 if plot == "plot_roc" else None)


def test_roc_plots_can_be_zoomed_and_have_a_logarithmic_axis() -> None:
    for view in ({"xlim": (0, 0.1), "ylim": (0.5, 1)}, {"xscale": "log", "xlim": (1e-3, 1)}):
        ax = draw("plot_roc")
        ax.set(**view)
        ax.figure.draw_without_rendering()
        box = ax.get_window_extent()
        assert box.width == pytest.approx(box.height, rel=0.01)
        assert ax.get_xlim() == view["xlim"] and ax.get_ylim() == view.get("ylim", RATES)


@pytest.mark.parametrize("is_later", [False, True])
@every_plot
def test_curves_are_shown_on_logarithmic_axes(plot: str, is_later: bool) -> None:
    figure, ax = plt.subplots()
    rows = "linear" if plot == "plot_forest" and is_later else "log"
    calls = [partial(ax.set, xscale="log", yscale=rows), partial(draw, plot, ax=ax)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in calls[::-1] if is_later else calls:
            call()
        figure.draw_without_rendering()
    for line in curves(ax):
        points = np.asarray(line.get_xydata())
        y = points[:, 1] if ax.get_yscale() != "linear" else 1
        seen = points[np.minimum(points[:, 0], y) > 0]
        inside = ax.bbox.padded(1).count_contains(ax.transData.transform(seen))
        assert len(seen) and inside == len(seen)

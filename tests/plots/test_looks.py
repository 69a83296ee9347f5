"""How pictures look: palettes, ink, legends and labels, read back from their artists."""

import colorsys
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from unittest.mock import Mock

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from pu_accessor import PUTypeError, PUValueError
from pu_accessor.plots import plot_rows
from pu_accessor.plots.options import ground
from pu_accessor.questions.accessor import Accessor
from pu_accessor.sources.frames import FrameSource
from tests.cases import binormal, legend, legend_of

FRAME = binormal(40, 120, 0.5, seed=5)[0]
RNG = np.random.default_rng(6)
for number in range(12):
    noisy = FRAME["score"] + (0.1 + number / 4) * RNG.normal(size=len(FRAME))
    FRAME[f"model {number}"] = 1 / (1 + np.exp(1 - noisy))
NAMES = [name for name in FRAME.columns if name.startswith("model")]
BETA = 0.15
TWO = ["red", "blue"]
BAND = "95% band, pointwise"
PLOTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "plot_roc": ((BETA,), {"baseline": True}),
    "plot_pr": ((BETA,), {"baseline": True}),
    "plot_rank_cdf": ((BETA,), {}),
    "plot_metric": (("npv", BETA), {}),
    "beta": (("average_precision", [0.0, 0.2, 0.4, 0.6]), {"x": "beta"}),
    "selection_odds": (("precision", BETA), {"x": "selection_odds", "at": 40}),
    "gains": (("recall", BETA), {"x": "fraction"}),
    "net benefit": (
        ("net_benefit", BETA),
        {"x": "threshold", "at": {"threshold": (np.arange(1, 20) / 20).tolist()}},
    ),
    "plot_calibration": ((BETA,), {"bins": 4}),
    "plot_forest": (("auroc", BETA), {"baseline": True}),
}
METHODS = [name if name in dir(Accessor) else "plot_metric" for name in PLOTS]
every_plot = pytest.mark.parametrize("plot", PLOTS)


def each(plots: Sequence[str], others: Sequence[Any], usual: Any) -> list[Any]:
    """Pair every plot with what is usual, some plots with all; the other pairs take long."""
    return [
        pytest.param(plot, one, marks=[] if one == usual or plot in plots else pytest.mark.long)
        for plot in PLOTS
        for one in others
    ]


def draw(plot: str, models: int = 1, **keywords: Any) -> Any:
    arguments, usual = PLOTS[plot]
    score: Any = NAMES[3] if models == 1 else NAMES[:models]
    method = plot if plot in dir(Accessor) else "plot_metric"
    return getattr(FRAME.pu(score=score), method)(*arguments, **{**usual, **keywords})


def curves(ax: Axes) -> list[Line2D]:
    return [line for line in ax.lines if str(line.get_gid()).startswith("pu_accessor curve")]


def colors(ax: Axes) -> list[str]:
    return [to_hex(line.get_color()) for line in curves(ax)]


def of_kind(ax: Axes, kind: str) -> list[Any]:
    gid = f"pu_accessor {kind}"
    return [one for one in (*ax.lines, *ax.patches) if str(one.get_gid()).startswith(gid)]


def luminance(color: Any) -> float:
    """Return the relative luminance of a colour: WCAG 2.2."""
    channels = np.array(to_rgb(color))
    light = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(light @ [0.2126, 0.7152, 0.0722])


def contrast(one: Any, other: Any) -> float:
    """Return the contrast of two colours, from 1 to 21: WCAG 2.2."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def cut_off(figure: Any) -> list[str]:
    """Return what reaches over an edge of the figure, as it is drawn."""
    edge = figure.bbox.padded(1)
    found = []
    for ax in figure.axes:
        texts: list[Any] = [ax.xaxis.label, ax.yaxis.label, ax.title, *ax.texts]
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts += [one.label1 for one in axis.get_major_ticks() if low <= one.get_loc() <= high]
        texts += [box for box in [legend_of(ax)] if box is not None]
        for one in texts:
            extent = one.get_window_extent()
            inside = edge.contains(*extent.min) and edge.contains(*extent.max)
            shown = not isinstance(one, Text) or one.get_text().strip()
            if shown and extent.width and not inside:
                found.append(one.get_text() if isinstance(one, Text) else "legend")
    return found


# Legends and labels


SIZES = [(3.3, 1), (3.3, 3), (3.3, 12), (7, 3), (12, 3)]  # inches, models


@pytest.mark.parametrize(("plot", "size"), each(["plot_roc"], SIZES, (3.3, 3)))
def test_legends_stand_outside_and_nothing_is_cut_off(plot: str, size: tuple[float, int]) -> None:
    width, models = size
    with mpl.rc_context({"figure.figsize": (width, 0.75 * width)}):
        ax = draw(plot, models)
    ax.figure.draw_without_rendering()
    assert len(ax.figure.legends) == 1 and ax.get_legend() is None
    box = legend_of(ax).get_window_extent()
    assert not box.overlaps(ax.get_window_extent())
    assert cut_off(ax.figure) == []
    assert len(curves(ax)) == (1 if plot == "plot_forest" else models)
    assert min(ax.get_window_extent().size / ax.figure.dpi) > 0.35 * width


def test_a_label_longer_than_its_axis_is_broken_once() -> None:
    with mpl.rc_context({"figure.figsize": (2.2, 2.5)}):
        label = draw("beta").get_xlabel()
    assert label.count("\n") == 1 and label.replace("\n", " ") == AXES["beta"][0]


def test_small_axes_of_a_user_name_curves_alone() -> None:
    for size, has_band in (((7, 6), True), ((3.3, 3), False)):
        named = legend(draw("plot_roc", 2, ax=plt.subplots(figsize=size)[1]))
        assert named[:2] == NAMES[:2] and (BAND in named) == has_band == (len(named) > 2)
        full = draw("plot_roc", 2, ax=plt.subplots(figsize=size)[1], legend="full")
        assert BAND in legend(full)


def test_what_legends_name() -> None:
    full = legend(draw("plot_roc", 3))
    assert full == [*NAMES[:3], "β = 0 (unlabeled as negative)", BAND, "chance"]
    assert legend(draw("plot_roc", 3, legend="full")) == full
    assert legend(draw("plot_roc", 3, legend="brief")) == NAMES[:3]
    assert legend_of(draw("plot_roc", 3, legend=False)) is None
    betas = np.round(np.linspace(0.02, 0.4, 12), 3)
    every = [f"β = {beta:g}" for beta in betas]
    pu = FRAME.pu
    assert legend(pu.plot_roc(betas, legend="full"))[:12] == every
    some = legend(pu.plot_roc(betas, legend="brief"))
    assert set(some) <= {*every} and 4 <= len(some) <= 6 and some[0] == every[0]
    assert legend(pu.plot_roc(betas))[: len(some)] == some


def test_two_calls_on_one_axes_name_both_curves() -> None:
    for plot, curve in (("plot_rank_cdf", "known positives"), ("plot_roc", f"β = {BETA}")):
        ax: Any = None
        for name in (NAMES[0], NAMES[4]):
            ax = getattr(FRAME.pu(score=name), plot)(BETA, ax=ax)
        told = [f"{name}, {curve}" for name in (NAMES[0], NAMES[4])]
        assert legend(ax)[:2] == told and len(set(colors(ax))) == 2
    FRAME.pu(score=NAMES[4]).plot_roc(BETA, ax=ax)
    assert legend(ax)[2] == f"β = {BETA}"
    ax = FRAME.pu.plot_roc(BETA)
    FRAME.sample(frac=0.8, random_state=0).pu.plot_roc(BETA, ax=ax)
    assert legend(ax)[:2] == [f"β = {BETA}", f"β = {BETA} (2)"]


# Palettes


def palette_of(name: str, size: int = 3) -> list[str]:
    return [to_hex(color) for color in sns.color_palette(name, size)]


MAPPED = {NAMES[1]: "black", NAMES[0]: "red", NAMES[2]: "0.5", "other": "C0"}
PALETTES: dict[str, tuple[Any, list[str]]] = {
    "name": ("deep", palette_of("deep")),
    "list": (["red", "C2", (0, 0, 1)], ["#ff0000", to_hex("C2"), "#0000ff"]),
    "tuple": (("red", "green", "blue", "black"), ["#ff0000", to_hex("green"), "#0000ff"]),
    "dict": (MAPPED, ["#ff0000", "#000000", "#808080"]),
    "scale": (mpl.colormaps["viridis"], palette_of("viridis")),
    "list of a map": (mpl.colormaps["tab10"], palette_of("tab10")),
}


@pytest.mark.parametrize("name", PALETTES)
def test_palettes(name: str) -> None:
    palette, expected = PALETTES[name]
    ax = draw("plot_roc", 3, palette=palette)
    assert colors(ax) == expected
    assert {to_hex(band.get_edgecolor()) for band in of_kind(ax, "band")} == {*expected}


def test_a_palette_of_betas_and_of_one_curve() -> None:
    ax = FRAME.pu.plot_roc([0.1, 0.2], palette="rocket")
    assert colors(ax) == palette_of("rocket", 2)
    assert colors(FRAME.pu.plot_roc(0.1, palette=["red"])) == ["#ff0000"]
    grid = FRAME.pu(score=NAMES[:2]).plot_pr([0.1, 0.2], col="beta", palette=TWO)
    assert [colors(ax) for ax in grid.axes.flat] == [["#ff0000", "#0000ff"]] * 2
    ax = FRAME.pu(score=NAMES[:3]).plot_forest("auroc", [0.1, 0.2], palette=TWO)
    assert colors(ax) == ["#ff0000", "#0000ff"]
    with pytest.raises(PUValueError, match="must not be a mapping where there is one curve"):
        draw("plot_roc", palette={"a": "red"})


BAD_VALUES: dict[str, dict[str, Any]] = {
    "palette must have a .* each of the 3 curves, but it has 2. Pass one of": {"palette": TWO},
    "palette must have .* each of the 12 curves, but it has 8": {"palette": "Set2"},
    "palette must have .* of the 12 curves, but it has 10": {"palette": mpl.colormaps["tab10"]},
    r"palette must have a .* key, but \['model 1', .* is miss": {"palette": {NAMES[0]: "red"}},
    "palette must contain matplotlib colours, but 'rde' was passed": {"palette": ["red", "rde"]},
    "palette must contain matplotlib colours, but nothing was passed": {"palette": []},
    "palette must contain matplotlib colours, but 0 was passed": {"palette": range(10**12)},
    "palette must be the name .*, but 'virdis' was passed": {"palette": "virdis"},
    r"For one colour pass a list: palette=\['crimson'\]": {"palette": "crimson"},
    r"legend must be one of \['auto', 'brief', 'full'\], but 'none' .* Pass F": {"legend": "none"},
    "legend must be one of .*, but True was passed": {"legend": True},
    "legend must be one of .*, but 'outside' .*mean 'auto'": {"legend": "outside"},
    r"height is that of the .* first: ax=plt.subplots\(figsize=\(2.6, 2\)\)\[1\].": {"height": 2},
    "height must be a number of inches above 0, but '2' was": {"height": "2", "col": "beta"},
    "height must be a number of inches above 0, but -2": {"height": -2},
    "hue, col and row must be different": {"hue": "model", "row": "model"},
    r"hue must be the name of one of the dimensions, but \['model'\]": {"hue": ["model"]},
    "ax must not be passed with col or row": {"ax": Figure().subplots(), "col": "model"},
}
BAD_TYPES: dict[str, dict[str, Any]] = {
    "palette must be a name, a list or mapping .*, but a int": {"palette": 3},
    "but a ndarray was passed. Pass palette=": {"palette": np.array("red")},
    "but a list_iterator was passed. Pass palette=": {"palette": iter(["red"])},
    "line_kws must be a mapping of properties": {"line_kws": {"hue": 1}},
    "band_kws must be a mapping of properties": {"band_kws": "red"},
    "ax must be a matplotlib Axes, but a str": {"ax": "x"},
}
BAD = BAD_VALUES | BAD_TYPES


TABLES = FRAME.pu.contingency(BETA, ranks="breakpoints")
EARLY = {message: looks for message, looks in BAD.items() if "palette must have" not in message}


@pytest.mark.parametrize("message", sorted(BAD.keys() - EARLY.keys()))
def test_palettes_that_have_too_few_colours(message: str) -> None:
    with pytest.raises(PUValueError, match=message):
        draw("plot_roc", 12 if "12 curves" in message else 3, **BAD[message])
    assert plt.get_fignums() == []


@pytest.mark.parametrize("plot", [*PLOTS, "tables"])
def test_bad_options_are_refused_before_a_row_is_read(plot: str, monkeypatch: Any) -> None:
    unread = Mock(side_effect=AssertionError("a row is read"))
    monkeypatch.setattr(FrameSource, "rank", unread)
    monkeypatch.setattr(FrameSource, "pair", unread)
    ask: Any = TABLES.pu.plot_pr if plot == "tables" else partial(draw, plot, 3)
    for message, looks in EARLY.items():
        with pytest.raises(PUTypeError if message in BAD_TYPES else PUValueError, match=message):
            ask(**looks)
    assert plt.get_fignums() == []
    if plot != "tables":
        with pytest.raises(AssertionError, match="a row is read"):
            ask()


# The colours of a user


@pytest.fixture(params=["default", "cycle", "seaborn", "dark_background", "grayscale"])
def style(request: pytest.FixtureRequest) -> Iterator[str]:
    with mpl.rc_context():
        if request.param == "cycle":
            plt.rc("axes", prop_cycle=cycler(color=["crimson", "teal", "navy"]))
        elif request.param == "seaborn":
            sns.set_theme(style="darkgrid", palette="muted")
        else:
            plt.style.use(request.param)
        yield request.param


def test_the_cycle_that_was_chosen_is_the_default(style: str) -> None:
    ax = draw("plot_roc", 3)
    cycle = [to_hex(color) for color in plt.rcParams["axes.prop_cycle"].by_key()["color"]]
    assert colors(ax) == (palette_of("colorblind") if style == "default" else cycle[:3])
    draw("plot_roc", 1, ax=ax)
    assert len(set(colors(ax))) == 4


PAINTS = ["dark_background", "black figure", "transparent on dark"]


@pytest.mark.parametrize(("plot", "paint"), each(["plot_roc"], PAINTS, "dark_background"))
def test_all_ink_can_be_seen_on_dark_grounds(plot: str, paint: str) -> None:
    with mpl.rc_context():
        if paint == "dark_background":
            plt.style.use("dark_background")
            ax = plt.subplots()[1]
        else:
            ax = plt.subplots(facecolor="#111111")[1]
            ax.set_facecolor("none" if paint == "transparent on dark" else "#1b1b1b")
        draw(plot, 1, ax=ax)
        assert luminance(ground(ax)) < 0.02
        lines = [line for line in ax.lines if line.get_linestyle() or line.get_marker()]
        assert min(contrast(line.get_color(), ground(ax)) for line in lines) > 3
        box = legend_of(ax)
        seen = [contrast(x.get_color(), box.get_frame().get_facecolor()) for x in box.get_texts()]
        assert paint != "dark_background" or min(seen) > 7


def test_betas_can_be_seen_on_any_ground() -> None:
    for name in ("default", "dark_background"):
        with plt.style.context(name):
            ax = FRAME.pu.plot_roc(np.arange(1, 13) / 40)
            assert min(contrast(color, ground(ax)) for color in colors(ax)) > 1.9
            light = [luminance(color) for color in colors(ax)]
            assert light == sorted(light, reverse=name == "default") and len({*light}) == 12
            hues = [colorsys.rgb_to_hsv(*to_rgb(color))[0] for color in colors(ax)]
            assert np.ptp(hues) < 0.1  # one hue, from light to dark


def test_twelve_models_have_colours_apart_and_bands_where_asked_for_that_are_edges() -> None:
    few, many = draw("plot_roc", 3), draw("plot_roc", 12)
    seen = np.array([to_rgb(color) for color in colors(many)])
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    assert apart[np.triu_indices(12, 1)].min() > 0.15
    assert colors(many)[:3] == colors(few)
    assert min(band.get_facecolor()[3] for band in of_kind(few, "band")) > 0.1
    assert not of_kind(many, "band") and BAND not in legend(many)
    asked = of_kind(draw("plot_roc", 12, band_kws={"linewidth": 0.6}), "band")
    assert len(asked) == 12 and max(band.get_facecolor()[3] for band in asked) < 0.05
    assert min(band.get_edgecolor()[3] for band in asked) > 0.5


MORE = ["#df2666", "#43c5ea", "#555416", "#c52ec8", "#3fcbb1", "#7d4216"]  # hues far apart


def test_fourteen_groups_have_as_many_of_the_palette_as_stay_apart_then_others() -> None:
    frame = FRAME.assign(group=np.arange(len(FRAME)) % 14)
    ax = frame.pu(by="group").plot_roc(0.2, band="dkw")
    assert colors(ax) == [*palette_of("colorblind", 8), *MORE]


RATES = (-0.02, 1.02)
HEAD, FOUND = "examples predicted positive", "share of positives found"
AXES: dict[str, tuple[Any, ...]] = {  # in words, with what each axis shows where that is fixed
    "plot_roc": ("false positive rate", "true positive rate", RATES, RATES),
    "plot_pr": ("recall", "precision", RATES, RATES),
    "plot_rank_cdf": (HEAD, FOUND, (-0.02 * len(FRAME), 1.02 * len(FRAME)), RATES),
    "plot_metric": (HEAD, "negative predictive value"),
    "beta": ("class prior β of the unlabeled", "average precision"),
    "selection_odds": (
        "selection odds (factor between odds of being labeled), at\nmost",
        "precision among the top 40",
    ),
    "gains": (f"share of {HEAD}", FOUND, RATES, RATES),
    "net benefit": ("threshold probability", "net benefit"),
    "plot_calibration": (
        "mean predicted probability",
        "share of positives",
        RATES,
        (-(0.1 + 0.02), 1.02),
    ),
    "plot_forest": ("AUROC", ""),
}


@every_plot
def test_axes_are_named_and_a_band_goes_with_the_colour_of_its_line(plot: str) -> None:
    ax = draw(plot, line_kws={"c": "crimson"})
    shown = ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim(), ax.get_ylim()
    assert shown[: len(AXES[plot])] == AXES[plot]
    for band in of_kind(ax, "band"):
        assert to_hex(band.get_edgecolor()) == to_hex(band.get_facecolor()) == to_hex("crimson")
    ax = draw(plot, line_kws={"color": "crimson"}, band_kws={"color": "navy"})
    bands = [to_hex(band.get_facecolor()) for band in of_kind(ax, "band")]
    assert {*bands} == {to_hex("navy")}


# What lies above what, and how it is drawn: lines by their style, width and marker, areas by their
# hatch, width and how dense face and edge are.

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
PAIR = FRAME.pu(score=["score", NAMES[0]])
FAILING: dict[str, Any] = {"over": {"selection_odds": [1, 2, 20]}}
PICTURES: dict[str, Callable[[], Any]] = {
    "roc": lambda: draw("plot_roc"),
    "new examples": lambda: FRAME.pu.plot_roc(BETA, target="population"),
    "against beta": lambda: PAIR.plot_metric("recall", [0, 0.2, 0.5, 0.9], x="beta", at=30),
    "robustness": lambda: plot_rows(
        FRAME.pu.robustness("auroc", BETA, **FAILING), "selection_odds", {}
    ),
    "gain": lambda: draw("gains"),
    "benefit": lambda: draw("net benefit"),
    "calibration": lambda: draw("plot_calibration", baseline=True, bins=20),
    "forest": lambda: draw("plot_forest"),
}
KINDS = {  # of artists in each
    "roc": "curve; band; chance; baseline",
    "new examples": "curve; band; chance",
    "against beta": "curve; band of two; change; shade; infeasible; limit",
    "robustness": "curve; band; chance; break",
    "gain": "curve; band; chance; chance, solid",
    "benefit": "curve; band; chance; chance, solid",
    "calibration": "band; curve through dots; baseline of crosses; chance; hollow; counts",
    "forest": "band; curve of dots; baseline of crosses; chance",
}
BESIDE = {"robustness": ("2.26", (0, 7), "center", "baseline", 3)}


def look(one: Any) -> tuple[Any, ...]:
    kind = str(one.get_gid()).removeprefix("pu_accessor ").split(":")[0]
    if isinstance(one, Line2D):
        marker = one.get_marker(), one.get_markersize(), one.get_markeredgewidth()
        return kind, one.get_zorder(), one.get_linestyle(), one.get_linewidth(), *marker
    dense = (round(to_rgba(color)[3], 9) for color in (one.get_facecolor(), one.get_edgecolor()))
    return kind, one.get_zorder(), one.get_hatch(), one.get_linewidth(), *dense


@pytest.mark.parametrize("name", PICTURES)
def test_each_kind_of_artist_has_its_look(name: str) -> None:
    ax, kinds = PICTURES[name](), KINDS[name].split("; ")
    expected = {(re.split("[ ,]", kind)[0], *LOOKS[kind]) for kind in kinds}
    assert {look(one) for one in (*ax.lines, *ax.patches)} == expected
    marks = [line for line in ax.lines if line.get_marker() in ("o", "X")]
    rings = of_kind(ax, "hollow")
    for line in marks:
        inside, edge = line.get_markerfacecolor(), line.get_markeredgecolor()
        assert (to_hex(inside), to_hex(edge))[line not in rings] == "#ffffff"
    assert len(ax.texts) == (name in BESIDE)
    for text in ax.texts:
        place = text.xyann, text.get_ha(), text.get_va(), text.get_zorder()
        assert (text.get_text(), *place) == BESIDE[name]
        assert text.anncoords == "offset points"
        assert text.get_fontsize() < mpl.rcParams["font.size"]


# Axes


def test_roc_plots_can_be_zoomed_and_have_a_logarithmic_axis() -> None:
    for view in ({"xlim": (0, 0.1), "ylim": (0.5, 1)}, {"xscale": "log", "xlim": (1e-3, 1)}):
        ax = draw("plot_roc")
        ax.set(**view)
        ax.figure.draw_without_rendering()
        box = ax.get_window_extent()
        assert box.width == pytest.approx(box.height, rel=0.01)
        assert ax.get_xlim() == view["xlim"] and ax.get_ylim() == view.get("ylim", RATES)


@pytest.mark.parametrize("scale", ["log", "symlog"])
@every_plot
def test_curves_are_shown_on_axes_of_another_scale(plot: str, scale: str) -> None:
    for is_later in (False, True):
        figure, ax = plt.subplots()
        rows = "linear" if plot == "plot_forest" and is_later else scale
        to_scale = partial(ax.set, xscale=scale, yscale=rows)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            calls = [to_scale, partial(draw, plot, ax=ax)]
            for call in calls[::-1] if is_later else calls:
                call()
            figure.draw_without_rendering()
        for line in curves(ax):
            points = np.asarray(line.get_xydata())
            y = points[:, 1] if ax.get_yscale() != "linear" else 1
            seen = points[(np.minimum(points[:, 0], y) > 0) | (scale == "symlog")]
            places = ax.transData.transform(seen)
            assert len(seen) and ax.bbox.padded(1).count_contains(places) == len(seen)


LONG = {name: f"{name}, with all of its hyperparameters written out one by one" for name in NAMES}


@pytest.mark.parametrize("inches", [(2.2, 1.8), (3.5, 3.5)])
@pytest.mark.parametrize("models", [3, 12])
@every_plot
def test_legends_and_names_hide_no_data(plot: str, models: int, inches: Any) -> None:
    frame = FRAME.rename(columns=LONG)
    arguments, usual = PLOTS[plot]
    method = getattr(
        frame.pu(score=[*LONG.values()][:models]), dict(zip(PLOTS, METHODS, strict=True))[plot]
    )
    figure, ax = plt.subplots(figsize=inches, layout="constrained")
    method(*arguments, **usual, ax=ax)
    figure.draw_without_rendering()
    named = legend_of(ax)
    for line in curves(ax) if named else ():
        assert not named.get_window_extent().count_contains(
            ax.transData.transform(line.get_xydata())
        )
    assert plot == "plot_forest" or bool(of_kind(ax, "band")) == (models <= 6)
    names = [text.get_window_extent() for text in ax.get_yticklabels() if text.get_text()]
    assert max(name.width for name in names) < ax.bbox.width
    heights = sorted(name.y0 for name in names)
    assert plot != "plot_forest" or min(np.diff(heights)) > 0.7 * min(
        name.height for name in names
    )


def test_the_last_step_of_a_tied_rank_cdf_is_clear_of_the_frame() -> None:
    tied = pd.DataFrame({"score": [2.0, 2, 1, 1, 1], "label": [1, None, 1, 1, None]})
    ax = tied.pu.plot_rank_cdf(0.5)
    (line,) = curves(ax)
    end = np.asarray(line.get_xydata())[-2:]
    assert end[0, 0] == end[1, 0] == 5 and end[0, 1] < end[1, 1]
    assert ax.get_xlim()[1] > 5 and ax.get_ylim()[1] > 1

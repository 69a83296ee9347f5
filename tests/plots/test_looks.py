"""How pictures look, against a description of each, and bad options."""

import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from cycler import cycler

from pu_accessor import PUError, PUTypeError, PUValueError, PUWarning
from tests.plots.pictures import CALLS, FRAME, MODELS, TRUTH, describe, draw
from tests.plots.test_contract import ELSEWHERE, PLOTS, drawn

KNOWN = Path(__file__).with_name("pictures.txt")
TWO, HALF, FINE = ["red", "blue"], {"fc": "green", "alpha": 0.5}, np.linspace(0.02, 0.4, 8)
PU, PAIR, SITES = FRAME.pu, FRAME.pu(score=["score", MODELS[0]]), FRAME.pu(by="site")
BACK: Any = FRAME.pu(score=MODELS[2::-1])
ROWS: Any = FRAME.pu(score=MODELS[:3], by="site")
every_plot = pytest.mark.parametrize("plot", CALLS)


def within(settings: Any, ask: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Draw with a style or settings of matplotlib's."""
    with plt.style.context(settings):
        return ask(*args, **keywords)


def on(size: float, ask: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Draw on Axes of a user, which fill a figure of some inches."""
    return ask(*args, ax=plt.figure(figsize=(size, size)).add_axes((0, 0, 1, 1)), **keywords)


def in_turn(*asks: Callable[..., Any]) -> Any:
    """Draw on the same Axes."""
    ax = None
    for ask in asks:
        ax = ask(ax=ax)
    return ax


def named(name: str) -> Any:
    """Draw a metric and a band of a user that have this name."""

    def band(n: int, m: int, level: float) -> Any:
        k = np.arange(n + 1)
        return k * m // n, -(-k * m // n)

    def metric(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return tp - fp

    band.__name__ = metric.__name__ = name
    return PU.plot_metric(metric, [0.1, 0.2], x="beta", at=20, band=band)


def scaled(plot: str, is_later: bool) -> Any:
    """Draw on logarithmic axes, or make them logarithmic."""
    figure, scales = plt.figure(), {"xscale": "log", "yscale": "log"}
    ax = draw(plot, ax=figure.add_subplot(**({} if is_later else scales)))
    ax.set(**(scales if is_later else {}))
    figure.draw_without_rendering()
    return ax


CYCLE = {"axes.prop_cycle": cycler(color=["crimson", "teal", "navy"])}
PRINT = [{"figure.figsize": (4.9, 3)}, {"figure.figsize": (5, 3)}]
PRINT.append({"figure.figsize": (4.9, 3), "legend.fontsize": 7})
MAPPED = {MODELS[1]: "black", MODELS[0]: "red", MODELS[2]: "0.5", "other": "C0"}
PALETTES: list[Any] = [["red", "C2", (0, 0, 1), "black"], MAPPED]
PALETTES += [mpl.colormaps["viridis"], mpl.colormaps["tab10"]]
FIRST, LAST, HALF_OF = FRAME.pu(score=MODELS[0]), FRAME.pu(score=MODELS[4]), FRAME[::2].pu
SURE = FRAME.assign(score=TRUTH + FRAME["score"] / 2)
GROUPS = FRAME.assign(group=np.arange(len(FRAME)) % 14)
OWN: Any = {"x": "threshold", "at": {"threshold": [0.1, 0.3]}, "col": "site"}
SAID = ["unlike", "population", "simultaneous", "negatives", "tightest", "both"]  # of bands
MANY = partial(PU.plot_roc, FINE)
PICTURES: dict[str, Callable[[], Any]] = {
    **{name: partial(drawn, name, "one") for name in PLOTS if name not in ("mcc", "gain")},
    **{f"roc, {one}": partial(drawn, "roc", one) for one in ("groups", *[*ELSEWHERE][:3])},
    "roc, kinds of bands": lambda: in_turn(*(partial(drawn, "roc", one) for one in SAID)),
    "net benefit, models": partial(drawn, "net benefit", "models"),
    **{f"{one}, groups": partial(drawn, one, "groups") for one in ("pr", "recall", "rank CDF")},
    "rank CDFs of betas": partial(PU.plot_rank_cdf, [0.1, 0.2, 0.3]),
    "rank CDFs of many betas": partial(PU.plot_rank_cdf, FINE),
    "own thresholds": partial(SITES.plot_metric, "net_benefit", {"a": 0.1, "b": 0.2}, **OWN),
    "changes": partial(PAIR.plot_metric, "f1", [0, 0.2, 0.5, 0.98], x="beta", at=40),
    "limits": partial(SITES.plot_metric, "auroc", [0, 0.8, 0.9], x="beta", col="site", level=0.6),
    **{
        f"impossible {x}": partial(PU.plot_metric, "precision", 0.95, x=x)
        for x in ("fraction", "threshold")
    },
    "impossible for two": partial(SITES.plot_metric, "precision", 0.98),
    "impossible areas": lambda: PAIR.contingency([0.2, 0.95, 0.98, 1], ranks="all").pu.plot_metric(
        "recall", x="beta", at=40
    ),
    "odds of models": partial(PAIR.plot_metric, "auroc", 0.2, x="selection_odds", level=0.8),
    "throughout": partial(SURE.pu.plot_metric, "auroc", 0.2, x="contamination"),
    "a model without values": partial(
        PAIR.plot_metric, "precision", [0.1, 0.2], x="beta", at={"threshold": 0.918}
    ),
    "calibration": partial(draw, "plot_calibration", baseline=True, bins=20),
    "calibration of many": partial(draw, "plot_calibration", beta=FINE, band_kws=HALF),
    "calibration without bars": partial(draw, "plot_calibration", beta=FINE),
    "calibration in panels": partial(draw, "plot_calibration", 2, col="model"),
    "forest of f1": partial(ROWS.plot_forest, "f1", 0.2, at={"fraction": 0.2}, hue="site"),
    "forest of groups": partial(ROWS.plot_forest, "recall", 0.2, at="youden"),
    "forest of panels": partial(draw, "plot_forest", 3, beta=[0.1, 0.2], col="beta", height=2),
    "forest of own betas": partial(SITES.plot_forest, "auroc", {"a": 0.1, "b": 0.25}),
    "estimate of beta": lambda: PU.plot_metric("f1", PU.estimate_beta(), baseline=True),
    "near betas": partial(PU.plot_roc, [0.3001, 0.3002], palette="rocket"),
    "six betas": partial(PU.plot_roc, FINE[:6]),
    "many betas": MANY,
    "many betas in full on black": partial(within, "dark_background", MANY, legend="full"),
    "fourteen groups": partial(GROUPS.pu(by="group").plot_roc, 0.2, band="dkw"),
    "seven bands": partial(draw, "plot_rank_cdf", 7, band_kws={"linewidth": 0.6}),
    "no legend": partial(draw, "over beta", legend=False),
    "brief": partial(draw, "plot_roc", 2, legend="brief"),
    "with lines": partial(draw, "plot_roc", line_kws={"c": "crimson", "lw": 3}),
    "with colours": partial(draw, "plot_pr", line_kws={"color": "k"}, band_kws={"color": "navy"}),
    "with faces": partial(draw, "plot_forest", 2, band_kws=HALF, line_kws={"marker": "s"}),
    "translucent": partial(draw, "plot_roc", band_kws={"fc": (0.1, 0.2, 0.3, 0.4)}),
    **{
        f"palette {place}": partial(draw, "plot_rank_cdf", 3, palette=palette)
        for place, palette in enumerate(PALETTES)
    },
    "cycle": partial(within, CYCLE, draw, "plot_rank_cdf", 3),
    "grayscale": partial(within, "grayscale", draw, "plot_rank_cdf", 3, band_kws=HALF),
    "two models in turn": lambda: in_turn(
        *(partial(one.plot_rank_cdf, 0.2) for one in (FIRST, LAST))
    ),
    "in turn": lambda: in_turn(
        *(partial(one.plot_roc, 0.2) for one in (FIRST, LAST, LAST, HALF_OF))
    ),
    "betas in turn": lambda: in_turn(
        *(partial(PU.plot_roc, betas) for betas in (FINE[:2], FINE[2:4]))
    ),
    **{
        f"{plot} on black": partial(within, "dark_background", draw, plot)
        for plot in ("plot_calibration", "plot_forest")
    },
    **{
        f"{face} on grey": lambda face=face: draw(
            "plot_roc", ax=plt.figure(facecolor="#111").add_subplot(facecolor=face)
        )
        for face in ("#333", "none")
    },
    **{f"metric {name}": partial(named, name) for name in ("_gain", "<lambda>")},
    **{
        f"forest in order {order}": partial(BACK.plot_forest, "auroc", 0.2, order=order)
        for order in (MODELS[:3], "estimate", MODELS[1])
    },
    **{f"{plot} in logarithms": partial(scaled, plot, False) for plot in [*CALLS][-3:]},
    **{f"{plot} in logarithms later": partial(scaled, plot, True) for plot in ["gains"]},
    **{
        f"print {place}": partial(within, how, SITES.plot_roc, 0.15)
        for place, how in enumerate(PRINT)
    },
    **{f"Axes of {size}": partial(on, size, SITES.plot_roc, 0.15) for size in (0.5, 3.9, 4)},
    "small Axes in full": partial(on, 2.5, SITES.plot_roc, 0.15, legend="full"),
}


def description(name: str) -> str:
    with warnings.catch_warnings(action="ignore", category=PUWarning):
        told = "\n".join(describe(PICTURES[name]()))
    plt.close("all")
    return f"== {name}: {told}\n"


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_look_as_they_looked(name: str) -> None:
    """Look at the difference; if it is meant: python -m tests.plots.test_looks."""
    known = re.split("(?m)^(?=== )", KNOWN.read_text(encoding="utf-8"))[1:]
    assert description(name).splitlines() == known[[*PICTURES].index(name)].splitlines()


# Bad options and odd tables


@every_plot
def test_bad_options_are_refused_before_a_row_is_read(plot: str) -> None:
    unread = FRAME.assign(label="?")
    bad: list[dict[str, Any]] = [{"palette": "virdis"}, {"legend": "none"}, {"hue": ["model"]}]
    for looks in [*bad, {"line_kws": {"hue": 1}}, {"height": 2}, {"ax": "x"}, {"baseline": 1}]:
        with pytest.raises((PUTypeError, PUValueError), match=f"^{next(iter(looks))} (must|is)"):
            draw(plot, 3, unread, **looks)
    with pytest.raises(PUValueError, match="label column 'label' contains"):
        draw(plot, 3, unread)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("col", [None, "beta"])
def test_a_palette_of_too_few_colours_leaves_no_figure(col: str | None) -> None:
    with pytest.raises(PUValueError, match="each of the 3 curves, but it has 2"):
        draw("plot_roc", 3, palette=TWO, col=col)
    assert plt.get_fignums() == []


def test_odd_properties_and_tables_are_drawn_or_refused_in_words() -> None:
    tables = FRAME.pu(score=MODELS[:2]).contingency([0.2, 0.4], ranks="all")
    noted = tables.assign_coords(note=("model", ["x", "y"]))
    PU.plot_roc(0.2, band_kws={"facecolor": None})
    noted.pu.plot_pr(hue="model", col="beta")
    for name in ("clipped", "threshold"):
        tables.drop_vars(name).pu.plot_metric("f1", hue="model", col="beta")
    plt.close("all")
    with pytest.raises(PUError, match="'beta' must have its labels"):
        tables.drop_vars("beta").pu.plot_roc(hue="model", col="beta")
    with pytest.raises(ZeroDivisionError):
        PU.plot_metric(lambda tp, fp, fn, tn: tp if not tp.size else 1 / 0, 0.2)
    assert plt.get_fignums() == []


if __name__ == "__main__":
    mpl.use("Agg")
    KNOWN.write_text("".join(map(description, PICTURES)), encoding="utf-8")

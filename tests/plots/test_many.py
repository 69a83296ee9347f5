"""Pictures of many models, groups and betas, read back from their artists."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D
from seaborn import FacetGrid

from pu_accessor import PUError, PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray
from tests.arguments.test_by import FRAME as FRAME
from tests.arguments.test_by import SPLIT as SPLIT
from tests.cases import binormal, legend, put
from tests.plots.test_curves import bands as bands
from tests.plots.test_curves import lines as lines

OWN = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}

BAND = "95% band, pointwise"

NAIVE = "β = 0 (unlabeled as negative)"

PLOTS: dict[str, dict[str, Any]] = {
    "plot_roc": {},
    "plot_pr": {},
    "plot_rank_cdf": {},
    "plot_metric": {"metric": "f1"},
}

every_plot = pytest.mark.parametrize("plot", PLOTS)


def wide(models: int, rows: int = 60) -> pd.DataFrame:
    """Return a frame with models m0, m1, ... of falling quality."""
    frame = binormal(rows // 3, rows - rows // 3, 0.4, seed=2)[0]
    noise = np.random.default_rng(3).normal(size=(models, rows))
    scores = {f"m{i}": frame["score"] + i * noise[i] / models for i in range(models)}
    return frame[["label"]].assign(**scores)


WIDE = wide(3)

MODELS = list(WIDE.columns[1:])

TABLES = WIDE.pu(score=MODELS[:2]).contingency([0.2, 0.4], ranks="breakpoints")

GRID = np.arange(8) / 10


def draw(plot: str, thing: Any, beta: Any, **keywords: Any) -> Any:
    return put(thing.pu, plot, beta=beta, **{**PLOTS.get(plot, {}), **keywords})


def path(line: Line2D) -> FloatArray:
    return np.asarray(line.get_xydata(), dtype=np.float64)


def artists(drawing: Any) -> list[Any]:
    """Return all that can be told apart by eye, panel by panel."""
    panels = list(drawing.axes.flat) if isinstance(drawing, FacetGrid) else [drawing]
    looks: list[Any] = [legend(drawing)]
    for ax in panels:
        curves = [(path(x).tolist(), to_hex(x.get_color()), x.get_linestyle()) for x in ax.lines]
        fills = [(x.get_xy().tolist(), x.get_facecolor()) for x in bands(ax)]
        looks.append((ax.get_title(), curves, fills, ax.get_xlim(), ax.get_ylim()))
    return looks


# Groups of different sizes


@every_plot
def test_a_ragged_groups_curve_is_that_of_the_group_alone(plot: str) -> None:
    for x in ["rank", "fraction", "threshold"] if plot == "plot_metric" else [None]:
        keywords = {} if x is None else {"x": x}
        together = draw(plot, FRAME, 0.3, by="model", **keywords)
        for key, rows in FRAME.groupby("model"):
            alone = draw(plot, rows, 0.3, **keywords)
            label = "known positives" if plot == "plot_rank_cdf" else "β = 0.3"
            one, other = path(lines(together)[str(key)]), path(lines(alone)[label])
            if plot == "plot_roc":  # steps back: compare the corners
                assert set(map(tuple, one)) == set(map(tuple, other))
                continue
            inside = np.linspace(other[0, 0], other[-1, 0], 601)[1:-1] + 1e-7
            np.testing.assert_array_equal(one[0], other[0])
            np.testing.assert_allclose(np.interp(inside, *one.T), np.interp(inside, *other.T))


# Hues, columns and rows


@pytest.mark.parametrize(
    ("plot", "layout", "title"),
    [
        ("plot_roc", {"hue": "model", "col": "beta"}, "β = 0.4"),
        ("plot_metric", {"hue": "model", "col": "beta"}, "β = 0.4"),
        ("plot_pr", {"row": "beta", "col": "model"}, "β = 0.4, model = m1"),
    ],
)
def test_panels_hold_curves_of_their_own(plot: str, layout: Any, title: Any) -> None:
    tables = TABLES.sel(model=MODELS[:2], beta=[0.2, 0.4])
    grid = getattr(tables.pu, plot)(**PLOTS[plot], **layout)
    assert isinstance(grid, FacetGrid)
    assert grid.axes.flat[-1].get_title() == title
    assert sum(len(bands(ax)) for ax in grid.axes.flat) == 4
    apart = set(layout.values()) - {layout.get("hue")}
    place = {dim: [{"beta": 0.4, "model": "m1"}[dim]] for dim in apart}
    alone = getattr(tables.sel(place).pu, plot)(**PLOTS[plot])
    one, other = artists(grid)[-1], artists(alone)[-1]
    assert [x[0] for x in one[1]] == [x[0] for x in other[1]]
    assert [x[0] for x in one[2]] == [x[0] for x in other[2]] != []


def test_levels_of_a_multiindex_and_the_group_itself_are_dimensions() -> None:
    tables = FOLDS.contingency(0.3, ranks="breakpoints")
    groups = ["a, 0", "a, 1", "b, 0", "b, 1", "c, 0", "d, 0", "d, 1"]
    assert legend(tables.pu.plot_pr())[:7] == legend(tables.pu.plot_pr(hue="group"))[:7] == groups
    grid = tables.pu.plot_pr(hue="fold", col="model")
    beside = HALVES.sel(beta=[0.2]).pu.plot_pr(hue="group", col="model")
    for panels in (grid, beside):
        assert [len(bands(ax)) for ax in panels.axes.flat] == [2, 2, 1, 2]
    assert legend(grid)[:2] == ["0", "1"]
    spread = tables.unstack("group").pu.plot_pr(row="fold", col="model")
    assert [len(bands(ax)) for ax in spread.axes.flat] == [1, 1, 1, 1, 1, 1, 0, 1]


# Baselines and betas of groups


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr"])
def test_baseline_is_in_all_panels_of_beta(plot: str) -> None:
    grid = draw(plot, WIDE, [0.2, 0.4], score=MODELS, col="beta", baseline=True)
    chance = {"plot_roc": ["chance"], "plot_pr": ["chance"]}.get(plot, [])
    assert [ax.get_title() for ax in grid.axes.flat] == ["β = 0.2", "β = 0.4"]
    assert legend(grid) == [*MODELS, NAIVE, BAND, *chance]
    for ax in grid.axes.flat:
        dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
        hues = [to_hex(lines(ax)[model].get_color()) for model in MODELS]
        assert [to_hex(line.get_color()) for line in dashed] == hues
        assert len(bands(ax)) == 3
        assert len([x for x in ax.lines if x.get_linestyle() == ":"]) == len(chance)
    handles = dict(zip(legend(grid), grid.legend.legend_handles, strict=True))
    gray = [to_rgb(handles[NAIVE].get_color()), to_rgb(handles[BAND].get_facecolor())]
    assert all(len(set(color)) == 1 for color in gray)


@every_plot
def test_a_legend_names_the_beta_of_each_group(plot: str) -> None:
    ax = draw(plot, FRAME, OWN, by="model")
    assert legend(ax)[:5] == [*(f"{key}, β = {OWN[key]}" for key in "abcd"), BAND]
    assert legend(draw(plot, FRAME, {**OWN, "a": 0}, by="model"))[0].startswith("a")
    with pytest.raises(PUValueError, match=r"hue must be one of .*\['model'\], but 'beta'"):
        draw(plot, FRAME, OWN, by="model", hue="beta")


@every_plot
def test_chance_lines(plot: str) -> None:
    ax = draw(plot, FRAME, 0, by="model")
    dotted = [path(line)[[0, -1]].tolist() for line in ax.lines if line.get_linestyle() == ":"]
    counts = FRAME.groupby("model")["label"].agg(["sum", "size"])
    wanted: dict[str, Any] = {
        "plot_roc": [[[0, 0], [1, 1]]],
        "plot_pr": [[[0, p], [1, p]] for p in (counts["sum"] / counts["size"]).tolist()],
        "plot_rank_cdf": [[[0, 0], [n, 1]] for n in counts["size"].tolist()],
    }
    np.testing.assert_allclose(sorted(dotted), sorted(wanted.get(plot, [])))


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr", "plot_metric", "against beta"])
def test_models_drawn_one_after_the_other_keep_their_colours_apart(plot: str) -> None:
    against = plot == "against beta"
    plot = "plot_metric" if against else plot
    ax: Any = None
    keywords: dict[str, Any] = {"metric": AP, "x": "beta"} if against else {}
    for model in MODELS:
        keywords |= {"score": model, "line_kws": {"label": model}}
        ax = draw(plot, WIDE, GRID if against else 0.2, ax=ax, **keywords)
    assert plt.get_fignums() == [ax.figure.number]
    assert len({to_hex(lines(ax)[model].get_color()) for model in MODELS}) == 3
    assert legend(ax)[:3] == MODELS


# Bad input


PU: Any = WIDE.pu(score=MODELS)


def against_beta(name: str, beta: Any, **keywords: Any) -> Callable[[], Any]:
    return lambda: PU.plot_metric(name, beta, x="beta", **keywords)


def roc(beta: Any = (0.2, 0.4), **keywords: Any) -> Callable[[], Any]:
    return lambda: PU.plot_roc(beta, **keywords)


def metric(name: Any, beta: Any = 0.3, **keywords: Any) -> Callable[[], Any]:
    return lambda: PU.plot_metric(name, beta, **keywords)


def f1(at: Any) -> Callable[[], Any]:
    return against_beta("f1", GRID, at=at)


def f1_of_tables() -> Any:
    return TABLES.pu.plot_metric("f1", x="threshold", hue="model", col="beta")


ANY = {"m0": 0.1, "m1": 0.2, "m2": 0.3}

AP = "average_precision"

BAD: list[tuple[Callable[[], Any], str]] = [
    (roc(hue="modle"), r"hue must be one .*\['model', 'beta'\], but 'modle'.* mean 'model'"),
    (roc(), "Curves differ in model, beta: hue, col and row must tell them apart"),
    (roc(ANY, baseline=True), "baseline=True needs the same betas for all groups"),
    (roc(ANY, col="beta"), "col must be one of the dimensions"),
    (against_beta("auroc", 0.2), "beta must be several numbers with x='beta', but one was"),
    (against_beta("auroc", ANY), "beta must be several numbers with x='beta', but one was"),
    (f1(None), "at must be one cutoff for 'f1', but None was"),
    (against_beta(AP, GRID, at=5), f"at must be left out with '{AP}', which has no cutoff"),
    (f1([5]), r"at must be one cutoff for 'f1', but \[5\] was"),
    (f1(5.0), "must be .*an integer.* but 5.0 was"),
    (f1(10**30), "at must be a rank from 0 to 60, the number of examples"),
    (f1(-(10**30)), "at must be a rank from 0 to .* but -10+ was"),
    (against_beta("auroc", GRID, hue="beta"), "hue must be one of .*, but 'beta' was"),
    (metric(lambda tp, fp, fn, tn: 1), "must return an array"),
    (f1_of_tables, r"needs the tables of all cutoffs .* ranks='all'"),
]


@pytest.mark.parametrize(("plot", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_arguments_are_named_without_a_figure(plot: Callable[[], Any], message: str) -> None:
    with pytest.raises((PUValueError, PUTypeError), match=message):
        plot()
    assert plt.get_fignums() == []


# What once went wrong


WHOLE = WIDE.pu(score="m0").contingency(0.2, ranks="all")

FOLDS = SPLIT.pu(by=["model", "fold"])

HALVES = FOLDS.contingency([0.2, 0.4], ranks="breakpoints")


def bare(name: str) -> Any:
    return TABLES.drop_vars(name).pu


PARTS = [WIDE.pu(score=score).contingency(0.2, ranks="breakpoints") for score in MODELS]

NOTED = xr.merge([{"note": ("model", ["x", "y"])}, TABLES])

LEAKS: dict[str, Callable[[], Any]] = {
    "max() of an empty panel": lambda: FOLDS.plot_rank_cdf(0.2, row="fold", col="model"),
    "NaN cast to int": lambda: xr.concat(PARTS, "model", join="outer").pu.plot_pr(),
    "nothing to put in a legend": against_beta("lift", GRID, at=0),
    "no beta coordinate": lambda: bare("beta").plot_roc(hue="model", col="beta"),
    "no threshold": lambda: WHOLE.drop_vars("threshold").pu.plot_metric("f1", x="threshold"),
    "no clipped": lambda: bare("clipped").plot_metric("f1", hue="model", col="beta"),
    "isnan of text": lambda: NOTED.pu.plot_pr(hue="model", col="beta"),
    "unhashable hue": roc(hue=["model"]),
    "facecolor None": roc(0.2, band_kws={"facecolor": None}),
    "color twice": roc(0.2, line_kws={"c": "red", "color": "blue"}),
}

WORDS = {*LEAKS} - {"max() of an empty panel"}  # which is to be drawn


@pytest.mark.parametrize("case", LEAKS)
def test_odd_input_is_drawn_or_refused_in_words(case: str) -> None:
    try:
        LEAKS[case]()
    except PUError:
        assert case in WORDS and plt.get_fignums() == []

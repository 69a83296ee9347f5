"""Lines and bands hold the numbers that the method of the same name gives for each curve alone."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from tests.cases import ASSUMED, legend, put
from tests.plots.pictures import (
    BAND,
    BOUNDS,
    FRAME,
    KINDS,
    MODELS,
    TRUTH,
    at,
    bands,
    curves,
    draw,
    extent,
    of_kind,
    path,
)

GRID = [0.0, 0.2, 0.4, 0.6]
THRESHOLDS = {"threshold": [0.1, 0.25, 0.5]}
SWEEPS = {  # as they are if nothing is said
    "selection_odds": [1, 1.25, 1.5, 2, 2.5, 3, 4, 5],
    "contamination": [0, 0.02, 0.05, 0.1, 0.15, 0.2],
}


def gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 5 * tp - fp


class Plot(NamedTuple):
    """A plot with its arguments, the points that it must hold, and their vertices."""

    method: str
    arguments: dict[str, Any]
    points: Callable[..., list[Any]]
    vertices: Callable[..., Any] | None = None  # none: there are more, between the points


def of_curves(plot: str, ask: str, x: str, y: str, *vertices: Any, **usual: Any) -> Plot:
    """Return a plot of the curves of a method."""

    def points(pu: Any, beta: Any, **how: Any) -> list[Any]:
        found = getattr(pu, ask)(beta, **usual | how).isel(beta=0)
        each = (found.sel(bound=bound) for bound in BOUNDS)
        return [np.transpose([one[x], one[y]]).astype(float) for one in each]

    return Plot(plot, usual, points, *vertices)


def by_cutoff(metric: Any, x: str, *vertices: Any) -> Plot:
    """Return a plot of a metric at all cutoffs, or at those where its bounds change."""

    def points(pu: Any, beta: Any, **how: Any) -> list[Any]:
        ranks = "all" if vertices else "breakpoints"
        ranks = pu.contingency(beta, ranks=ranks, **how)["rank"].to_numpy()
        found = pu.metric(metric, beta, at={"rank": ranks}, target="examples", **how)
        found["fraction"] = found["rank"] / found["rank"].iloc[-1]
        return [found[[x, bound]].to_numpy(float) for bound in BOUNDS]

    return Plot("plot_metric", {"metric": metric, "x": x}, points, *vertices)


def of_rows(x: str, metric: str, at: Any = None, method: str = "metric", **more: Any) -> Plot:
    """Return a plot of the rows of a method."""

    def points(pu: Any, beta: Any, **how: Any) -> list[Any]:
        found = getattr(pu, method)(metric, beta, at=at, **more, **how)
        along = "at" if x == "threshold" else x
        return [found[[along, bound]].to_numpy(float) for bound in BOUNDS]

    return Plot("plot_metric", {"metric": metric, "x": x, "at": at}, points, lambda each, _: each)


def steps(points: Any, bound: str) -> Any:
    """Return the corners of steps that hold each value up to the next place."""
    return np.transpose([np.repeat(points[:, 0], 2)[1:], np.repeat(points[:, 1], 2)[:-1]])


def staircase(points: Any, bound: str) -> Any:
    """Return the edge of a ROC band, which does not step back, or the line as it is."""
    x, y = points.T
    if bound == "lower":
        x, y = np.maximum.accumulate(x), np.minimum.accumulate(y[::-1])[::-1]
    elif bound == "upper":
        x, y = np.minimum.accumulate(x[::-1])[::-1], np.maximum.accumulate(y)
    return np.transpose([x, y])


PLOTS: dict[str, Plot] = {
    "roc": of_curves("plot_roc", "roc_bounds", "fpr", "tpr", staircase),
    "pr": of_curves("plot_pr", "pr_bounds", "recall", "precision"),
    "rank CDF": of_curves("plot_rank_cdf", "rank_cdf", "rank", "rank_cdf", lambda each, _: each),
    "f1": by_cutoff("f1", "rank"),
    "recall": by_cutoff("recall", "fraction"),
    "gain": by_cutoff(gain, "rank", lambda each, _: each),
    "precision": by_cutoff("precision", "threshold", lambda *of: steps(*of)[::-1]),
    "net benefit": of_rows("threshold", "net_benefit", THRESHOLDS, target="examples"),
    "average precision by beta": of_rows("beta", "average_precision"),
    "f1 by beta": of_rows("beta", "f1", 40),
    **{
        f"precision by {x}": of_rows(x, "precision", 40, "robustness", over={x: values})
        for x, values in SWEEPS.items()
    },
}

Variation = tuple[Any, dict[str, Any], list[Any]]  # beta, keywords, curves in order:
ONE: list[Any] = [("", {}, 0.2)]  # panel, what is ranked, beta
TWO, OWN, BETAS = MODELS[:2], {"a": 0.1, "b": 0.3}, [0.2, 0.4]
EVERYWHERE: dict[str, Variation] = {
    "one": (0.2, {}, ONE),
    "models": (0.2, {"score": TWO}, [("", {"score": name}, 0.2) for name in TWO]),
    "groups": (OWN, {"by": "site"}, [("", {"site": site}, OWN[site]) for site in OWN]),
}
VARIATIONS: dict[str, Variation] = EVERYWHERE | {
    "hues in panels": (
        BETAS,
        {"score": TWO, "hue": "model", "col": "beta", "baseline": True},
        [(f"β = {b}", {"score": one}, own) for b in BETAS for own in (b, 0) for one in TWO],
    ),
    "betas": (BETAS, {"baseline": True}, [("", {}, beta) for beta in (*BETAS, 0)]),
    "propensities": (0.2, {"propensity": "p"}, ONE),
    "unlike": (0.2, {"selection_odds": 2, "contamination": 0.1}, ONE),
    "population": (0.2, {"target": "population"}, ONE),
    "simultaneous": (0.2, {"band": "simultaneous", "level": 0.9999999}, ONE),
    **{kind: (0.2, {"reference": kind, "label": "kinds"}, ONE) for kind in KINDS},
}
# Not a value at each rank of groups, new examples at ranks of this sample.
NOT = [("gain", "groups"), ("f1", "population"), *product(["roc"], ["hues in panels", "betas"])]
PAIRS = [*product(PLOTS, EVERYWHERE), *product(["roc"], [*VARIATIONS][3:])]
PAIRS += [*product(["pr"], ["hues in panels", "betas", "unlike"])]
PAIRS += [*product(["f1"], [*VARIATIONS][5:])]


def drawn(name: str, variation: str, **more: Any) -> Any:
    """Draw a variation of a plot."""
    plot, (beta, keywords, _) = PLOTS[name], VARIATIONS[variation]
    asked = {"beta": GRID if " by beta" in name else beta, **plot.arguments, **keywords, **more}
    return put(FRAME.pu, plot.method, **asked)


@pytest.mark.parametrize(("name", "variation"), [pair for pair in PAIRS if pair not in NOT])
def test_pictures_hold_the_numbers_of_methods(name: str, variation: str) -> None:
    drawing, (_, asked, wanted) = drawn(name, variation), VARIATIONS[variation]
    panels = [*drawing.axes.flat] if "col" in asked else [drawing]
    assert [*dict.fromkeys(panel for panel, *_ in wanted)] == [ax.get_title() for ax in panels]
    how = {key: asked[key] for key in ("level", "band", "target") if key in asked}
    for ax in panels:
        filled, shown = iter(bands(ax)), [*curves(ax), *of_kind(ax, "baseline")]
        inside = [curve for curve in wanted if curve[0] == ax.get_title()]
        for line, (_, ranked, beta) in zip(shown, inside, strict=True):
            rows = FRAME[FRAME["site"] == ranked.get("site", FRAME["site"])]
            roles = {key: asked[key] for key in ("label", "propensity") if key in asked}
            pu = rows.pu(score=ranked.get("score", "score"), **roles)
            pu = pu.assume(**{key: asked[key] for key in ASSUMED if key in asked})
            points = PLOTS[name].points(pu, GRID if " by beta" in name else beta, **how)
            compare(name, points, path(line), next(filled).get_xy() if beta else None)
        assert next(filled, None) is None


def new(vertices: Any) -> Any:
    """Return vertices that differ from the one before."""
    return vertices[np.append(True, (np.diff(vertices, axis=0) != 0).any(axis=1))]


def compare(name: str, points: list[Any], line: Any, edges: Any) -> None:
    """Compare what is drawn with the estimates, lower and upper bounds of its curve."""
    points = [each[np.isfinite(each).all(axis=1)] for each in points]
    vertices = PLOTS[name].vertices
    if name == "pr":  # undefined before the first positive
        points = [each[np.argmax(each[:, 0] > 0) :] for each in points]
    if name in ("pr", "f1", "precision") and edges is not None:
        check_hull(edges, *points[1:], turns=1 if name == "pr" else 5)
        edges = None
    if vertices is not None:
        middle, low, high = (vertices(*each) for each in zip(points, BOUNDS, strict=True))
        np.testing.assert_allclose(new(line), new(middle), rtol=1e-12, atol=1e-12)
        if edges is not None:
            around = new(np.concatenate([high, low[::-1], high[:1]]))
            np.testing.assert_allclose(new(np.append(edges, edges[:1], 0)), around, 1e-12, 1e-12)
        return
    for shown, wanted in ((line, points[:1]), (edges, points[1:])):
        for each in wanted if shown is not None else []:
            assert {*map(tuple, each.round(9))} <= {*map(tuple, shown.round(9))}


def check_hull(edges: Any, *bounds: Any, turns: int) -> None:
    """Raise unless a band holds its bounds, and each edge turns seldom: it has no teeth."""
    for each, sign in zip(bounds, (-1, 1), strict=True):
        found = height(edges, each[:, 0], sign)
        assert (sign * (found - each[:, 1]) > -1e-6).all()
        steps = np.diff(found[np.argsort(each[:, 0], kind="stable")])
        assert np.sum(np.diff(np.sign(steps[np.abs(steps) > 1e-9])) != 0) <= turns


def height(edges: Any, x: Any, sign: int) -> Any:
    """Return the height of the upper or the lower edge of an area."""
    turn = int(np.argmax(np.diff(edges[:, 0]) < 0))
    edge = edges[: turn + 1] if sign > 0 else edges[turn:][::-1]
    return sign * np.max([sign * np.interp(x + near, *edge.T) for near in (-1e-9, 1e-9)], axis=0)


def test_reliability_diagrams_hold_bins() -> None:
    gap = FRAME[(FRAME["model 0"] < 0.4) | (FRAME["model 0"] > 0.6)].pu(score="model 0")
    asked: Any = {"bins": 5, "band": "simultaneous"}
    found = gap.calibration(0.2, **asked).dropna()
    assert len(found) == 4  # the bin between is empty
    for betas, half, shift in (([0.2], 0.006, 0), ([0.2, 0.4], 0.005, -0.005)):
        ax = gap.plot_calibration(betas, **asked)
        (counts,) = of_kind(ax, "counts")
        middle = found["mean_score"] + shift  # several betas are side by side
        np.testing.assert_allclose(at(ax, "β = 0.2").T, [middle, found["estimate"]])
        wanted = np.transpose([middle - half, middle + half, found["lower"], found["upper"]])
        np.testing.assert_allclose([extent(ax, bar) for bar in bands(ax)][:4], wanted)
        corners = counts.get_xy()[:-1].reshape(-1, 4, 2)
        share = found["examples"] / found["examples"].max()
        np.testing.assert_allclose(corners[:, [0, 2], 0], found[["left", "right"]])
        np.testing.assert_allclose(corners[:, :2, 1].T, [[0] * 4, 0.1 * share])


@pytest.mark.parametrize(
    ("metric", "asked"),
    [("average_precision", {"target": "examples", "level": 0.8}), ("recall", {"at": "youden"})],
)
def test_a_forest_has_the_numbers_of_the_method(metric: str, asked: Any) -> None:
    pu = FRAME.pu(score=MODELS[:3])
    ax, found = pu.plot_forest(metric, [0.1, 0.2], **asked), pu.metric(metric, [0.1, 0.2], **asked)
    for beta, shift, bars in ((0.1, -0.2, bands(ax)[:3]), (0.2, 0.2, bands(ax)[3:])):
        own, places = found[found["beta"] == beta], np.arange(3) + shift
        np.testing.assert_allclose(at(ax, f"β = {beta}").T, [own["estimate"], places])
        left, right, *rows = np.transpose([extent(ax, bar) for bar in bars])
        np.testing.assert_allclose([left, right], [own["lower"], own["upper"]])
        np.testing.assert_allclose(np.mean(rows, axis=0), places)
    digits = [*own[["estimate", "lower", "upper"]].itertuples(index=False)]
    wanted = [f"{middle:.3f} [{low:.3f}, {high:.3f}]" for middle, low, high in digits]
    assert [text.get_text() for text in ax.texts][3:] == wanted
    assert 1.5 < ax.figure.get_figheight() < 3.5  # as high as its rows


@pytest.mark.filterwarnings("ignore:beta is not known well")
@pytest.mark.parametrize("plot", ["plot_forest", "net benefit", "plot_calibration", "plot_pr"])
def test_legends_say_the_interval_of_beta_and_the_level_that_was_asked_for(plot: str) -> None:
    asked: dict[str, Any] = {"level": 0.9} | ({"baseline": False} if plot != "net benefit" else {})
    intervals = (pd.Interval(0.1, 0.3), "0.1 to 0.3"), (FRAME.pu.estimate_beta(), " to 0.")
    for beta, said in intervals:
        drawn = draw(plot, **asked | {"beta": beta})
        told = next(text for text in legend(drawn) if "90% " in text)
        assert "β from " in told and said in told


def test_groups_with_intervals_of_beta_say_each_and_known_labels_say_no_beta() -> None:
    sites, betas = FRAME.pu(by="site"), {"a": pd.Interval(0.1, 0.3), "b": pd.Interval(0.15, 0.25)}
    said = "β = 0.2 (0.1 to 0.3)", "β = 0.2 (0.15 to 0.25)"
    ax = sites.plot_forest("auroc", betas)
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"a\n{said[0]}", f"b\n{said[1]}"]
    assert legend(ax)[:2] == ["score", "95% interval,\nfuture data"]
    of_threshold = sites.plot_metric("net_benefit", betas, x="threshold")
    for drawing in (sites.plot_roc(betas), of_threshold, sites.plot_calibration(betas, bins=4)):
        told = legend(drawing)
        assert told[:2] == [f"a, {said[0]}", f"b, {said[1]}"] and "from" not in str(told)
    known = FRAME.assign(label=TRUTH.astype(int)).pu(negative=0)
    assert legend(known.plot_roc(0)) == ["score", BAND, "chance"]
    assert legend(known.plot_forest("auroc", 0))[0] == "score"


def test_one_model_has_a_row_for_each_beta_and_chance_only_where_it_is_near() -> None:
    one = FRAME.pu.plot_forest("auroc", pd.Interval(0.1, 0.3))  # the legend has the interval
    assert [text.get_text() for text in one.get_yticklabels()] == ["score\nβ = 0.2"]
    ax = FRAME.pu.plot_forest("auroc", [0.1, 0.2])
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["score\nβ = 0.1", "score\nβ = 0.2"]
    assert "chance" not in legend(
        FRAME.assign(score=TRUTH + FRAME["score"]).pu.plot_forest("auroc", 0.2)
    )
    assert "chance" in legend(FRAME.assign(score=-FRAME["score"]).pu.plot_forest("auroc", 0.2))

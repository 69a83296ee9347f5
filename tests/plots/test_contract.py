"""Lines and bands hold the numbers that the method of the same name gives for each curve alone."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.cases import ASSUMED, legend_of, put
from tests.plots.pictures import BAND, FRAME, MODELS, NAIVE, bands, path, texts

BOUNDS = ("estimate", "lower", "upper")
GRID, THRESHOLDS = [0.0, 0.2, 0.4, 0.6], [0.1, 0.25, 0.5]
ODDS = {"selection_odds": [1, 1.25, 1.5, 2, 2.5, 3, 4, 5]}
SHARES = {"contamination": [0, 0.02, 0.05, 0.1, 0.15, 0.2]}
HEAD, FOUND = "examples predicted positive", "share of positives found"


def gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 5 * tp - fp


def of_tables(name: str, x: str, y: str, **usual: Any) -> Callable[..., list[Any]]:
    """Return how to ask a method for the points of its curves."""

    def numbers(pu: Any, beta: Any, **how: Any) -> list[Any]:
        found = getattr(pu, name)(beta, **usual | how).isel(beta=0)
        each = (found.sel(bound=bound) for bound in BOUNDS)
        return [np.transpose([one[x], one[y]]).astype(float) for one in each]

    return numbers


def of_rows(x: str, method: str, *asked: Any, **usual: Any) -> Callable[..., list[Any]]:
    """Return how to ask a method for its rows."""

    def numbers(pu: Any, beta: Any, **how: Any) -> list[Any]:
        found = getattr(pu, method)(*asked, beta, **usual | how)
        return [found[[x, bound]].to_numpy(float) for bound in BOUNDS]

    return numbers


def at_cutoffs(x: str, metric: Any) -> Callable[..., list[Any]]:
    """Return how to ask for a metric at all cutoffs, or where its bounds change."""

    def numbers(pu: Any, beta: Any, **how: Any) -> list[Any]:
        whole = x == "threshold" or callable(metric)
        tables = pu.contingency(0, ranks="all" if whole else "breakpoints")
        at = {"rank": tables["rank"].to_numpy()}
        found = pu.metric(metric, beta, at=at, **{"target": "examples"} | how)
        found["fraction"] = found["rank"] / found["rank"].iloc[-1]
        return [found[[x, bound]].to_numpy(float) for bound in BOUNDS]

    return numbers


def exact(points: Any, bound: str) -> Any:
    return points


def steps(points: Any, bound: str) -> Any:
    """Return the corners of steps that hold each value up to the next place."""
    return np.transpose([np.repeat(points[:, 0], 2)[1:], np.repeat(points[:, 1], 2)[:-1]])


def falling(points: Any, bound: str) -> Any:
    return steps(points, bound)[::-1]


def staircase(points: Any, bound: str) -> Any:
    """Return the edge of a ROC band, which does not step back, or the line as it is."""
    x, y = points.T
    if bound == "lower":
        x, y = np.maximum.accumulate(x), np.minimum.accumulate(y[::-1])[::-1]
    elif bound == "upper":
        x, y = np.minimum.accumulate(x[::-1])[::-1], np.maximum.accumulate(y)
    return np.transpose([x, y])


class Plot(NamedTuple):
    """A plot, what it must hold, what its axes and legend say, and vertices from points."""

    call: tuple[str, dict[str, Any]]
    numbers: Callable[..., list[Any]]
    axes: tuple[str, str]
    marks: list[str]
    vertices: Callable[..., Any] | None = None  # none: there are more, between the points


def over(x: str, metric: Any = "f1", **more: Any) -> tuple[str, dict[str, Any]]:
    return "plot_metric", {"metric": metric, "x": x, **more}


AP, SHARE = "average_precision", f"share of {HEAD}"
LOWEST = "threshold (lowest score predicted positive)"
CONCLUSION = ["conclusion breaks", "conclusion: above 0.5"]
ODDS_AXIS = "selection odds (factor between odds of being labeled), at most"
WRONG = "share of negatives among the known positives, at most"
PLOTS: dict[str, Plot] = {
    "roc": Plot(
        ("plot_roc", {"ranks": "all"}),
        of_tables("roc_bounds", "fpr", "tpr", ranks="all"),
        ("false positive rate", "true positive rate"),
        ["chance"],
        vertices=staircase,
    ),
    "pr": Plot(
        ("plot_pr", {}),
        of_tables("pr_bounds", "recall", "precision"),
        ("recall", "precision"),
        ["chance"],
    ),
    "rank CDF": Plot(
        ("plot_rank_cdf", {}),
        of_tables("rank_cdf", "rank", "rank_cdf"),
        (HEAD, FOUND),
        ["chance"],
        vertices=steps,
    ),
    "f1": Plot(over("rank"), at_cutoffs("rank", "f1"), (HEAD, "F1"), []),
    "mcc": Plot(
        over("fraction", "mcc"), at_cutoffs("fraction", "mcc"), (SHARE, "Matthews correlation"), []
    ),
    "recall": Plot(
        over("fraction", "recall"),
        at_cutoffs("fraction", "recall"),
        (SHARE, FOUND),
        ["chance", "perfect"],
    ),
    "gain": Plot(over("rank", gain), at_cutoffs("rank", gain), (HEAD, "gain"), [], vertices=exact),
    "precision by threshold": Plot(
        over("threshold", "precision"),
        at_cutoffs("threshold", "precision"),
        (LOWEST, "precision"),
        [],
        vertices=falling,
    ),
    "net benefit": Plot(
        over("threshold", "net_benefit", at={"threshold": THRESHOLDS}),
        of_rows("at", "metric", "net_benefit", at={"threshold": THRESHOLDS}, target="examples"),
        ("threshold probability", "net benefit"),
        ["treat all", "treat none"],
        vertices=exact,
    ),
    "average precision by beta": Plot(
        over("beta", AP),
        of_rows("beta", "metric", AP),
        ("class prior β of the unlabeled", "average precision"),
        [],
        vertices=exact,
    ),
    "f1 by beta": Plot(
        over("beta", at=40),
        of_rows("beta", "metric", "f1", at=40),
        ("class prior β of the unlabeled", "F1 among the top 40"),
        [],
        vertices=exact,
    ),
    "precision by odds": Plot(
        over("selection_odds", "precision", at=40),
        of_rows("selection_odds", "robustness", "precision", over=ODDS, at=40),
        (ODDS_AXIS, "precision among the top 40"),
        CONCLUSION,
        vertices=exact,
    ),
    "precision by contamination": Plot(
        over("contamination", "precision", at=40),
        of_rows("contamination", "robustness", "precision", over=SHARES, at=40),
        (WRONG, "precision among the top 40"),
        CONCLUSION,
        vertices=exact,
    ),
}

Curves = list[tuple[str, str, dict[str, Any], float]]  # panel, label, what is ranked, beta


class Variation(NamedTuple):
    """What is ranked and how it is drawn, the curves that must be there, and what is named."""

    roles: dict[str, Any]
    beta: Any
    looks: dict[str, Any]
    curves: Curves
    title: str = ""
    band: str = BAND
    how: dict[str, Any] = {}  # noqa: RUF012


REFERENCES = {
    "positives": "",
    "negatives": ",\nfrom known negatives",
    "tightest": ",\nfrom the tighter kind",
    "both": ",\nfrom both kinds",
}
TWO, OWN, BETAS = MODELS[:2], {"a": 0.1, "b": 0.3}, [0.2, 0.4]
ONE: Curves = [("", "β = 0.2", {}, 0.2)]
EVERYWHERE: dict[str, Variation] = {
    "one": Variation({}, 0.2, {}, ONE),
    "models": Variation(
        {"score": TWO},
        0.2,
        {},
        [("", name, {"score": name}, 0.2) for name in TWO],
        "model (β = 0.2)",
    ),
    "groups": Variation(
        {"by": "site"},
        OWN,
        {},
        [("", f"{key}, β = {beta}", {"site": key}, beta) for key, beta in OWN.items()],
        "site",
    ),
}
ELSEWHERE: dict[str, Variation] = {
    "panels": Variation(
        {"score": TWO},
        0.2,
        {"col": "model"},
        [(f"model = {name}", "β = 0.2", {"score": name}, 0.2) for name in TWO],
    ),
    "betas": Variation({}, BETAS, {}, [("", f"β = {beta}", {}, beta) for beta in BETAS]),
    "baseline": Variation({}, 0.2, {"baseline": True}, [*ONE, ("", NAIVE, {}, 0)]),
    "hues in panels": Variation(
        {"score": TWO},
        BETAS,
        {"hue": "model", "col": "beta", "baseline": True},
        [
            (f"β = {beta}", name, {"score": model}, own)
            for beta in BETAS
            for own in (beta, 0)
            for model in TWO
            for name in [model if own else NAIVE]
        ],
        "model",
    ),
    "rows and columns": Variation(
        {"score": TWO},
        BETAS,
        {"row": "beta", "col": "model"},
        [
            (f"β = {beta}, model = {name}", "estimate", {"score": name}, beta)
            for beta in BETAS
            for name in TWO
        ],
    ),
    **{
        f"reference {reference}": Variation(
            {"reference": reference, "label": "kinds", "negative": 0},
            0.2,
            {},
            ONE,
            band=f"{BAND}{kind}",
        )
        for reference, kind in REFERENCES.items()
    },
    "propensities": Variation({"propensity": "p"}, 0.2, {}, ONE, band=f"{BAND} (weighted)"),
    "odds": Variation(
        {"selection_odds": 2, "contamination": 0.1},
        0.2,
        {},
        ONE,
        band=f"{BAND},\nodds within 2,\ncontamination up to 10%",
    ),
    "new examples": Variation(
        {}, 0.2, {}, ONE, "", "95% band, simultaneous,\nfuture data", {"target": "population"}
    ),
    "level": Variation({}, 0.2, {}, ONE, "", "99.99999% band, pointwise", {"level": 0.9999999}),
    "jointly": Variation({}, 0.2, {}, ONE, "", "95% band, simultaneous", {"band": "simultaneous"}),
}
# Not a value at each rank of groups, new examples at ranks of this sample, a change of order.
NOT = [("gain", "groups"), ("f1", "new examples"), ("average precision by beta", "groups")]
PAIRS = [*product(PLOTS, EVERYWHERE), *product(["roc", "f1"], ELSEWHERE)]
PAIRS += product(["pr", "precision by threshold"], [*ELSEWHERE][:4])


def put_to(rows: Any, ranked: dict[str, Any], one: Variation) -> Any:
    """Return the accessor of the rows that one curve is of."""
    rows = rows[rows["site"] == ranked["site"]] if "site" in ranked else rows
    bound = {
        key: value
        for key, value in one.roles.items()
        if key in ("label", "negative", "propensity")
    }
    bound |= {key: value for key, value in ranked.items() if key == "score"}
    assumed = {key: value for key, value in one.roles.items() if key in ASSUMED}
    return rows.pu(**bound).assume(**assumed)


@pytest.mark.parametrize(("name", "variation"), [pair for pair in PAIRS if pair not in NOT])
def test_pictures_hold_the_numbers_of_methods(name: str, variation: str) -> None:
    plot, one = PLOTS[name], (EVERYWHERE | ELSEWHERE)[variation]
    method, keywords = plot.call
    grid = GRID if keywords.get("x") == "beta" else None  # else a curve for each beta
    asked = keywords | one.roles | one.looks | one.how
    drawing = put(FRAME.pu, method, beta=grid or one.beta, **asked)
    panels = [*drawing.axes.flat] if {"col", "row"} & {*one.looks} else [drawing]
    assert [*dict.fromkeys(panel for panel, *_ in one.curves)] == [ax.get_title() for ax in panels]
    for ax in panels:
        left, filled = [*ax.lines], iter(bands(ax))
        for _, label, ranked, beta in (
            curve for curve in one.curves if curve[0] == ax.get_title()
        ):
            line = next(line for line in left if line.get_label() == of_plot(name, label))
            left.remove(line)
            is_baseline = label == NAIVE
            edges = None if is_baseline else next(filled).get_xy()
            points = plot.numbers(put_to(FRAME, ranked, one), grid or beta, **one.how)
            compare(name, points, path(line), edges)
            assert line.get_linestyle() == ("--" if is_baseline else "-")
        assert next(filled, None) is None
        assert {*plot.marks} == {line.get_label() for line in left}
    labels = dict.fromkeys(of_plot(name, label) for _, label, *_ in one.curves)
    title = one.title.removesuffix(" (β = 0.2)") if grid else one.title
    assert texts(legend_of(drawing)) == [title, *labels, band_of(name, one), *plot.marks]
    low = panels[-1]
    shown = low.get_xlabel(), panels[0].get_ylabel()
    assert tuple(label.replace("\n", " ") for label in shown) == plot.axes


def band_of(name: str, one: Variation) -> str:
    """Return how a plot names its bands."""
    if " by " not in name or "threshold" in name:
        of_one = name == "rank CDF" and one.title == ""
        return f"{one.band}, β = 0.2" if of_one else one.band
    ours = {"average precision by beta": "95% band,\nfuture data", "f1 by beta": BAND}
    return ours.get(name, "95% interval")


def of_plot(name: str, label: str) -> str:
    """Return how a plot names a curve: not by a beta, if beta is its x axis."""
    if "by beta" in name:
        return "estimate" if label.startswith("β") else label.split(", β")[0]
    return "known positives" if name == "rank CDF" and label.startswith("β") else label


def new(vertices: Any) -> Any:
    """Return vertices that differ from the one before."""
    return vertices[np.append(True, (np.diff(vertices, axis=0) != 0).any(axis=1))]


def compare(name: str, points: list[Any], line: Any, edges: Any) -> None:
    """Compare what is drawn with the estimates, lower and upper bounds of its curve."""
    points = [each[np.isfinite(each).all(axis=1)] for each in points]
    vertices = PLOTS[name].vertices
    if vertices is not None:
        middle, low, high = (vertices(*each) for each in zip(points, BOUNDS, strict=True))
        np.testing.assert_allclose(new(line), new(middle), rtol=1e-12, atol=1e-12)
        if edges is not None:
            around = new(np.concatenate([high, low[::-1], high[:1]]))
            np.testing.assert_allclose(new(np.append(edges, edges[:1], 0)), around, 1e-12, 1e-12)
        return
    if name == "pr":  # undefined before the first positive; the band has no teeth
        middle, low, high = (each[np.argmax(each[:, 0] > 0) :] for each in points)
        assert {*map(tuple, middle.round(9))} <= {*map(tuple, line.round(9))}
        for each, sign in ((low, -1), (high, 1)) if edges is not None else ():
            assert (sign * (height(edges, each[:, 0], sign) - each[:, 1]) > -1e-6).all()
        return
    for drawn, wanted in ((line, points[:1]), (edges, points[1:])):
        for each in wanted if drawn is not None else []:
            assert {*map(tuple, each.round(9))} <= {*map(tuple, drawn.round(9))}


def height(edges: Any, x: Any, sign: int) -> Any:
    """Return the height of the upper or the lower edge of an area."""
    turn = int(np.argmax(np.diff(edges[:, 0]) < 0))
    edge = edges[: turn + 1] if sign > 0 else edges[turn:][::-1]
    return sign * np.max([sign * np.interp(x + near, *edge.T) for near in (-1e-9, 1e-9)], axis=0)


@pytest.mark.parametrize(("name", "area"), [("roc", "auroc"), ("pr", "average_precision")])
def test_bands_of_curves_add_little_to_their_bounds(name: str, area: str) -> None:
    (band,) = bands(getattr(FRAME.pu, f"plot_{name}")(0.2))
    x, y = band.get_xy().T
    found = abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2
    bounds = FRAME.pu.contingency(0.2).pu.area(area).isel(beta=0)
    expected = float(bounds.sel(bound="upper") - bounds.sel(bound="lower"))
    assert expected < found < 1.1 * expected

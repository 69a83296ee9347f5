"""Between cutoffs, at the ends of curves, over intervals of beta, of tables, of many cutoffs."""

from fractions import Fraction
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.spatial import cKDTree

import pu_accessor
from tests.cases import binormal, legend
from tests.plots.pictures import BAND, FRAME, MODELS, NAIVE, at, bands, curves, path
from tests.plots.test_contract import check_hull, gain, height
from tests.support.oracles import oracle


@pytest.mark.parametrize("name", ["f1", "precision", "mcc"])
@pytest.mark.parametrize("ranks", [[0, 1, 4, 30, 200], [3, 7]])
def test_between_cutoffs_a_metric_follows_straight_lines_of_counts(name: str, ranks: Any) -> None:
    tables = FRAME.pu(score="model 0").contingency(0.2, ranks=list(ranks))
    x, y = at(tables.pu.plot_metric(name), "β = 0.2").T
    one = tables.sel(beta=0.2, bound="estimate")
    counts = [np.interp(x, one["rank"], one[key]) for key in oracle.Table._fields[:5]]
    exact: list[Any] = [[*map(Fraction, each)] for each in np.transpose(counts).tolist()]
    values = [oracle.metric(name, oracle.Table._make([*each, False])) for each in exact]
    np.testing.assert_allclose(y, values)
    assert (np.diff(x) > 0).all() and x.size > 400 and {*ranks[1:]} <= {*x} and x[-1] == ranks[-1]
    new = FRAME.pu.contingency(0.2, ranks=[*range(241)], target="population")
    cutoffs = FRAME.pu.contingency(0.2)["rank"].to_numpy()  # tied ranks repeat the one before
    assert {*cutoffs} <= {*bands(new.pu.plot_metric(name))[0].get_xy()[:, 0]}


def test_each_group_ends_at_its_own_size() -> None:
    sizes = FRAME["site"].value_counts()
    tables = FRAME.pu(by="site").contingency([0.2], ranks=[0, 10, 100, sizes.max()])
    for metric, x in product(("f1", gain), ("rank", "fraction")):
        ax = tables.pu.plot_metric(metric, x=x)
        for site, band in zip("ab", bands(ax), strict=True):
            end = sizes[site] if x == "rank" else 1
            assert at(ax, site)[-1, 0] == band.get_xy()[:, 0].max() == end


def test_groups_without_a_result_are_not_drawn() -> None:
    frame = FRAME.assign(label=FRAME["label"].where(FRAME["site"] == "a"))
    ax = frame.pu(by="site", on_error="nan").plot_metric("auroc", [0.1, 0.2], x="beta")
    assert len(bands(ax)) == 1


def test_precision_recall_starts_with_the_first_positive_and_bends() -> None:
    pu = pu_accessor.from_arrays([4, 3, 2, 1], [False, True, None, None])
    for ranks in ("all", "breakpoints"):
        start = at(pu.contingency(0.5, ranks=ranks).pu.plot_pr(), "β = 0.5")[:2]
        assert start.tolist() == [[0, 0.5], [0.5, 0.5]]
    pu = pu_accessor.from_arrays([4, 3, 2, 1], [False, False, None, True])
    assert {*at(pu.contingency(0, ranks=[1, 2]).pu.plot_pr(), NAIVE)[:, 1]} == {0}
    x, y = at(FRAME.pu.plot_pr(0.2), "β = 0.2").T
    found = FRAME.pu.pr_bounds(0.2).isel(beta=0).sel(bound="estimate")["recall"]
    part = np.arange(1, 240.001, 0.01)
    recall = np.interp(part, found["rank"], found)
    area = 72 * (np.trapezoid(recall / part, recall) + recall[0] ** 2)
    assert np.trapezoid(y, x) == pytest.approx(area, abs=1e-3)


def test_a_rank_cdf_from_known_negatives_is_straight_between_them() -> None:
    # Of three latent negatives (1/2 - 1/4)/(3/2) = 1/6 are below the last known one, and none
    # is above the first. So of three latent positives 1 is above that, and 1/2 below the last.
    ramp = pu_accessor.from_arrays(range(8, 0, -1), [None, False, *[None] * 4, False, None])
    ax = ramp(negative=False).assume(reference="negatives").plot_rank_cdf(0.5)
    heights = 3 * np.interp(range(9), *at(ax, "β = 0.5").T)
    assert heights == pytest.approx([0, 1, 1, 11 / 8, 14 / 8, 17 / 8, 2.5, 2.5, 3])


def test_points_without_a_value_are_left_out() -> None:
    frame = pd.DataFrame({"score": [5, 4, 3, 2, 1], "label": [None, 1, None, None, 1]})
    tables = frame.pu.contingency(0.5, ranks="all").astype(float)
    gone = tables.where(~tables["rank"].isin([2, 4]))
    known = tables.pu.roc_bounds().isel(rank=[0, 1, 3, 5]).sel(bound="estimate", beta=0.5)
    np.testing.assert_array_equal(at(gone.pu.plot_roc(), "β = 0.5")[:, 0], known["fpr"])


@pytest.mark.parametrize(
    ("metric", "at", "best"), [("auroc", None, -1), ("fnr", 40, 1), ("recall", 40, -1)]
)
def test_of_many_models_the_best_three_have_colours_and_names(
    metric: str, at: Any, best: int
) -> None:
    pu = FRAME.pu(score=MODELS[:9])
    ax = pu.plot_roc(0.2) if at is None else pu.plot_metric(metric, 0.2)
    three = legend(ax)[:3]
    means = pu.metric(metric, 0.2, at=at, target="examples").set_index("model")["estimate"]
    if at is not None:
        means = pd.Series({m: np.trapezoid(*at_all(pu(score=m), metric)) for m in MODELS[:9]})
    assert {*three} == {*(best * means).nsmallest(3).index} and legend(ax)[3] == "6 others"
    others = [line for line in curves(ax) if line.get_label() == "6 others"]
    assert len(others) == 6 and len({line.get_color() for line in others}) == 1
    assert legend(FRAME.pu(score=MODELS[:8]).plot_roc(0.2))[:8] == MODELS[:8]
    betas = legend(FRAME.pu.plot_roc([*np.arange(10) / 100]))
    assert not any("others" in text for text in betas)
    named = pu.plot_roc(0.2, palette="husl")
    assert legend(named)[:9] == MODELS[:9]


def at_all(pu: Any, metric: str) -> Any:
    """Return the values of a metric at all cutoffs, and their ranks."""
    ranks = [*range(241)]
    found = pu.metric(metric, 0.2, at={"rank": ranks}, target="examples")
    return found["estimate"].to_numpy(), found["rank"].to_numpy()


def test_grey_curves_differ_in_their_lines() -> None:
    with plt.style.context("grayscale"):
        lines = curves(FRAME.pu(score=MODELS[:4]).plot_roc(0.2))
        assert len({str(line._dash_pattern) for line in lines}) == 4  # type: ignore[attr-defined]
        ax = FRAME.pu(score=MODELS[0]).plot_roc(0.2)
        pair = curves(FRAME.pu(score=MODELS[1]).plot_roc(0.2, ax=ax))  # of two calls
        assert len({str(line._dash_pattern) for line in pair}) == 2  # type: ignore[attr-defined]
    assert {line.get_linestyle() for line in curves(FRAME.pu(score=MODELS[:4]).plot_roc(0.2))} == {
        "-"
    }


def test_levels_of_a_multiindex_and_the_group_itself_are_dimensions() -> None:
    rows = FRAME.assign(fold=np.arange(240) // 3 % 2)
    rows = rows[(rows["site"] == "a") | (rows["fold"] == 0)]  # (b, 1) is not there
    pu: Any = rows.pu(by=["site", "fold"])
    tables, groups = pu.contingency([0.2], ranks="breakpoints"), ["a, 0", "a, 1", "b, 0"]
    assert legend(tables.pu.plot_pr())[:3] == legend(tables.pu.plot_pr(hue="group"))[:3] == groups
    for hue, names in (("fold", ["0", "1"]), ("group", groups)):
        grid = tables.pu.plot_pr(hue=hue, col="site")
        assert [len(bands(ax)) for ax in grid.axes.flat] == [2, 1]
        assert legend(grid)[: len(names)] == names
    grid = tables.unstack("group").pu.plot_pr(hue="fold", col="site")
    assert [len(bands(ax)) for ax in grid.axes.flat] == [2, 1]


def test_tables_and_curves_draw_what_their_rows_do() -> None:
    every = FRAME.pu.contingency([0, 0.1, 0.2], ranks="breakpoints")
    of_pr, of_roc = (getattr(FRAME.pu, f"{name}_bounds")([0, 0.1, 0.2]) for name in ("pr", "roc"))
    for plot in ("plot_roc", "plot_pr"):
        expected = getattr(FRAME.pu, plot)([0.1, 0.2], baseline=True)
        for tables in (of_roc, of_pr, every):
            drawn = getattr(tables.pu, plot)(baseline=True)
            assert legend(drawn) == legend(expected)
            for one, other in zip(drawn.lines, expected.lines, strict=True):
                np.testing.assert_allclose(path(one), path(other), rtol=0, atol=1e-9)
            for band, other in zip(bands(drawn), bands(expected), strict=True):
                np.testing.assert_allclose(band.get_xy(), other.get_xy(), rtol=0, atol=1e-9)
    assert legend(every.drop_attrs().pu.plot_roc())[-2] == "band"


@pytest.mark.parametrize("x", ["fraction", "threshold"])
def test_a_band_over_an_interval_of_beta_holds_those_of_all_betas(x: str) -> None:
    tables = FRAME.pu.contingency(pd.Interval(0.1, 0.3), ranks="all")
    ax = tables.pu.plot_metric("precision", x=x)
    assert legend(ax) == ["score, β = 0.2", f"{BAND},\nβ from 0.1 to 0.3"]
    plain = tables.drop_vars("inside").isel(rank=slice(1, None))
    place = plain["threshold" if x == "threshold" else "rank"] / (240 if x == "fraction" else 1)
    values = plain.pu.metric("precision")
    ends = values.min(["beta", "bound"]), values.max(["beta", "bound"])
    check_hull(bands(ax)[0].get_xy(), *(np.transpose([place, side]) for side in ends), turns=5)
    alone = tables.sel(beta=[0.2]).drop_attrs().pu.plot_metric("precision", x=x)
    np.testing.assert_array_equal(at(ax, "β = 0.2"), at(alone, "β = 0.2"))
    none = tables.sel(beta=[0.1, 0.2]).assign_coords(inside=("beta", [False, False]))
    assert legend(none.pu.plot_metric("precision", x=x)) == ["β = 0.1", "β = 0.2", BAND]


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr"])
def test_a_band_of_a_curve_over_an_interval_is_around_those_of_all_betas(plot: str) -> None:
    def edges(some: Any) -> Any:
        (band,) = bands(getattr(some.pu, plot)())
        return band.get_xy()

    tables = FRAME.pu.contingency([0.2, 0.1, 0.3])
    inside = ("beta", [False, True, True])
    each = [edges(tables.sel(beta=[beta])) for beta in (0.1, 0.2, 0.3)]
    x = np.linspace(0.0005, 0.9995, 1000)  # between those of the drawn
    for sign in (-1, 1):
        found = sign * height(edges(tables.assign_coords(inside=inside)), x, sign)
        wanted = np.max([sign * height(one, x, sign) for one in each], axis=0)
        apart = np.abs(found - wanted)
        assert np.mean(apart) < 5e-4 and np.quantile(apart, 0.9) < 2e-3
    head = tables.isel(rank=slice(40))  # it ends where the last of them does
    last = max(edges(head.sel(beta=[beta]))[:, 0].max() for beta in (0.1, 0.2, 0.3))
    assert last - 1e-3 < edges(head.assign_coords(inside=inside))[:, 0].max() <= last < 0.99


@pytest.mark.parametrize("metric", ["f1", "mcc", "informedness"])
def test_a_band_without_teeth_is_hardly_wider_where_a_metric_has_two_peaks(metric: str) -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(2_000) < 0.25
    shift = np.where(rng.random(2_000) < 0.5, 2, -2)  # half of the positives are at the bottom
    rows = pd.DataFrame({"score": rng.normal(size=2_000) + shift * truth})
    rows["label"] = np.where(truth & (rng.random(2_000) < 0.4), 1, np.nan)
    tables = rows.pu.contingency(0.17, ranks="all")
    values, rank = tables.pu.metric(metric).isel(beta=0), tables["rank"].to_numpy()
    low, high = (values.sel(bound=bound).to_numpy() for bound in ("lower", "upper"))
    edges, known = bands(tables.pu.plot_metric(metric))[0].get_xy(), np.isfinite(low + high)
    drawn = height(edges, rank, 1) - height(edges, rank, -1)
    assert 1 <= np.trapezoid(drawn[known]) / np.trapezoid((high - low)[known]) < 1.08


LARGE = binormal(4_000, 11_000, 0.1, seed=4)[0]
TABLES = {  # the second has few scores along most of their axis
    name: LARGE.assign(score=score).pu.contingency([0, 0.2], ranks="all")
    for name, score in {"even": LARGE["score"], "skewed": np.exp(4 * LARGE["score"])}.items()
}
MOST = 24_000  # vertices: two for each cutoff that is seen where values are held, at most
DRAWN: list[tuple[Any, str]] = [("", "roc"), ("", "pr"), ("mcc", "fraction"), (gain, "rank")]


def densely(vertices: Any) -> Any:
    """Return points on straight lines from each vertex to the next, less than a pixel apart."""
    steps = np.maximum(np.ceil(2 * np.abs(np.diff(vertices, axis=0)).max(1)).astype(int), 1)
    starts = np.repeat(np.arange(steps.size), steps)
    part = (np.arange(steps.sum()) - np.repeat(np.cumsum(steps) - steps, steps)) / steps[starts]
    return vertices[starts] + part[:, None] * (vertices[starts + 1] - vertices[starts])


@pytest.mark.parametrize(
    ("metric", "x", "kind"),
    [*((*one, "even") for one in DRAWN), *(("precision", "threshold", kind) for kind in TABLES)],
)
def test_cutoffs_left_out_are_near_the_drawn(metric: Any, x: str, kind: str) -> None:
    tables, whole = TABLES[kind].sel(beta=[0.2]), TABLES[kind].copy(deep=True)
    outside: Any = ()
    if metric:
        ax = tables.pu.plot_metric(metric, x=x)
        places = tables["threshold" if x == "threshold" else "rank"]
        values = tables.pu.metric(metric).isel(beta=0)
        edges = [values.sel(bound=bound) for bound in ("lower", "upper")]
        if isinstance(metric, str):  # without teeth: the band is around them
            outside, edges = zip((-1, 1), edges, strict=True), []
    else:
        ax, curve = getattr(tables.pu, f"plot_{x}")(), getattr(tables.pu, f"{x}_bounds")()
        names = ("fpr", "tpr") if x == "roc" else ("recall", "precision")
        places, values = (curve[name].isel(beta=0).sel(bound="estimate") for name in names)
        edges = []
    middle = values.sel(bound="estimate") if metric else values
    (line,), (band,), scale = curves(ax), bands(ax), ax.viewLim.size / 1_000  # of a pixel
    for sign, each in outside:
        points = np.transpose([places / (15_000 if x == "fraction" else 1), each])
        left_out = sign * (points[:, 1] - height(band.get_xy(), points[:, 0], sign)) > 0
        distances, _ = cKDTree(densely(band.get_xy() / scale)).query(points[left_out] / scale)
        assert np.max(distances, initial=0) < 2
    for drawn, heights in ((path(line), [middle]), (band.get_xy(), edges)):
        assert 500 < len(drawn) <= 2 * MOST
        for each in heights:
            points = np.transpose([places / (15_000 if x == "fraction" else 1), each])
            known = np.isfinite(points).all(axis=1) & (tables["known_positive"] > 0).to_numpy()
            distances, _ = cKDTree(densely(drawn / scale)).query(points[known] / scale)
            assert np.max(distances) < 2
    xr.testing.assert_identical(TABLES[kind], whole)  # what is drawn stays whole


@pytest.mark.parametrize("target", ["examples", "population"])
@pytest.mark.parametrize(("plot", "metric"), [("roc", "auroc"), ("pr", "average_precision")])
def test_legends_have_the_area_of_few_curves_about_the_target_of_the_plot(
    plot: str, metric: str, target: str
) -> None:
    name = {"roc": "AUROC", "pr": "AP"}[plot]

    def areas(pu: Any, beta: Any) -> list[str]:
        ax = getattr(pu, f"plot_{plot}")(beta, target=target, level=0.9)
        return [str(line.get_label()) for line in curves(ax)]

    for pu, beta in (
        (FRAME.pu(score=MODELS[:3]), 0.2),
        (FRAME.pu, [0.1, 0.2]),
        (FRAME.pu(by="site"), {"a": 0.1, "b": 0.3}),
        (FRAME.pu, pd.Interval(0.1, 0.3) if target == "examples" else 0.3),
    ):
        rows = pu.metric(metric, beta, target=target, level=0.9)
        numbers = rows[["estimate", "lower", "upper"]].itertuples(index=False)
        wanted = [f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in numbers]
        ax = getattr(pu, f"plot_{plot}")(beta, target=target, level=0.9)
        said = [str(line.get_label()).split("  ")[1].strip() for line in curves(ax)]
        title = ax.figure.legends[0].get_title().get_text()
        assert f"{title} {said[0]}".count(name) == 1  # once, in the title or with the curve
        assert [text.removeprefix(f"{name} ") for text in said] == wanted
    assert areas(FRAME.pu(score=MODELS[:6]), 0.2) == MODELS[:6]  # too many
    negatives = FRAME.pu(label="kinds").assume(reference="negatives")  # which areas refuse
    assert target == "population" or areas(negatives, 0.2) == ["score, β = 0.2"]
    (line,) = curves(getattr(FRAME.pu.contingency(0.2).pu, f"plot_{plot}")())
    assert line.get_label() == "score, β = 0.2"  # tables have no ranking

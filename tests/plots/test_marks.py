"""What stands beside the curves: chance, limits, changes, strips, bins; and odd curves."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

import pu_accessor
from tests.cases import legend, put, quiet
from tests.plots.pictures import (
    BAND,
    FRAME,
    MODELS,
    NAIVE,
    TRUTH,
    at,
    bands,
    curves,
    extent,
    lines,
    of_kind,
    path,
    placed,
)
from tests.support.oracles import oracle

GRID = np.arange(8) / 10
TWO: Any = FRAME.pu(score=MODELS[:2])
SITES: Any = FRAME.pu(by="site")
SIZES = FRAME.groupby("site")["label"].agg(["sum", "size"])
COUNTS = ("tp", "fp", "fn", "tn")


def chances(ax: Axes) -> list[Any]:
    return sorted(path(line)[[0, -1]].tolist() for line in lines(ax, "chance"))


def test_chance_is_that_of_each_group() -> None:
    share = (SIZES["sum"] / SIZES["size"]).tolist()
    assert chances(SITES.plot_roc(0)) == [[[0, 0], [1, 1]]]
    assert chances(SITES.plot_pr(0)) == sorted([[0, p], [1, p]] for p in share)
    ax = SITES.plot_rank_cdf(0)
    assert chances(ax) == [[[0, 0], [n, 1]] for n in sorted(SIZES["size"])]
    assert chances(FRAME.pu.plot_pr(0.2, ranks=range(21))) == [[[0, 0.3], [1, 0.3]]]
    assert {to_hex(line.get_color()) for line in lines(SITES.plot_pr(0), "chance")} == {
        to_hex(line.get_color()) for line in curves(SITES.plot_pr(0))
    }
    ax = FRAME.pu.plot_metric("recall", [0.1, 0.2], x="fraction")
    perfect = [path(line).tolist() for line in lines(ax, "perfect")]
    assert perfect == [[[0, 0], [p, 1], [1, 1]] for p in (51 / 240, 0.3)]
    np.testing.assert_array_equal(at(ax, "chance"), [[0, 0], [1, 1]])


def test_decision_curves_have_both_defaults_below_them() -> None:
    ax = FRAME.pu.plot_metric("net_benefit", 0.2, x="threshold")
    x = np.arange(1, 100) / 100
    treat_all = 0.3 - 0.7 * x / (1 - x)
    np.testing.assert_allclose(at(ax, "treat all").T, [x, treat_all])
    assert at(ax, "treat none").tolist() == [[0.01, 0], [0.99, 0]]
    top = max(bands(ax)[0].get_xy()[:, 1].max(), treat_all.max())
    assert ax.get_ylim() == pytest.approx((-0.2 * top, 1.05 * top))
    asked: Any = {"x": "threshold", "at": {"threshold": [0.1, 0.3]}}
    ax = SITES.plot_metric("net_benefit", {"a": 0.1, "b": 0.2}, **asked)
    hues = [to_hex(line.get_color()) for line in lines(ax, "treat all")]
    assert hues == [to_hex(line.get_color()) for line in curves(ax)]


@pytest.mark.parametrize("name", ["f1", "precision", "mcc", "lift"])
@pytest.mark.parametrize("ranks", [[0, 1, 4, 30, 200], [3, 7], range(201)])
def test_between_cutoffs_a_metric_follows_straight_lines_of_counts(name: str, ranks: Any) -> None:
    tables = FRAME.assign(score=FRAME["model 0"]).pu.contingency(0.2, ranks=list(ranks))
    x, y = at(tables.pu.plot_metric(name), "β = 0.2").T
    one = tables.sel(beta=0.2, bound="estimate")
    counts = np.transpose([x, *(np.interp(x, one["rank"], one[key]) for key in COUNTS)])
    tables_there = [oracle.Table(*map(Fraction, each), False) for each in counts.tolist()]  # type: ignore[arg-type]
    np.testing.assert_allclose(y, [oracle.metric(name, each) for each in tables_there])
    assert (np.diff(x) > 0).all() and x.size > 400
    assert {*ranks[1:]} <= {*x} and x[-1] == ranks[-1]


# Odd curves


def test_precision_recall_starts_with_the_first_positive_and_bends() -> None:
    pu = pu_accessor.from_arrays([4, 3, 2, 1], [False, True, None, None])
    for ranks in ("all", "breakpoints"):
        start = at(pu.contingency(0.5, ranks=ranks).pu.plot_pr(), "β = 0.5")[:2]
        assert start.tolist() == [[0, 0.5], [0.5, 0.5]]
    pu = pu_accessor.from_arrays([4, 3, 2, 1], [False, False, None, True])
    ax = pu.contingency(0, ranks=[1, 2]).pu.plot_pr()
    assert {*at(ax, NAIVE)[:, 1]} == {0}
    assert at(FRAME.pu.plot_pr(1), "β = 1")[-1, 1] == 1
    x, y = at(FRAME.pu.plot_pr(0.2), "β = 0.2").T
    tables = FRAME.pu.contingency(0.2, ranks="all").isel(beta=0).sel(bound="estimate")
    found = FRAME.pu.pr_bounds(0.2).isel(beta=0).sel(bound="estimate")["recall"]
    part = np.arange(1, 240.001, 0.01)
    tp = 72 * np.interp(part, found["rank"], found)
    area = np.trapezoid(tp / part, tp / 72) + tp[0] / part[0] * tp[0] / 72
    assert np.trapezoid(y, x) == pytest.approx(area, abs=1e-3) and tables.sizes["rank"] > 50


def test_a_rank_cdf_of_several_betas_is_one_curve_with_bands() -> None:
    ax = FRAME.pu.plot_rank_cdf([0.1, 0.2, 0.3])
    told = [f"{BAND}, β = {beta}" for beta in (0.1, 0.2, 0.3)]
    assert legend(ax) == ["known positives", *told, "chance"] and len(ax.lines) == 2
    assert len({band.get_facecolor() for band in bands(ax)}) == 3
    assert len(bands(FRAME.pu.plot_rank_cdf(np.arange(1, 9) / 10))) == 8
    # n = 1, m = 3, level .4: lower 0, 1 and upper 2, 3 of 3 (by hand in the tests of bands).
    frame = pd.DataFrame({"score": [4, 3, 2, 1], "label": [None, 1, None, None]})
    (band,) = bands(frame.pu.plot_rank_cdf(1, level=0.4))
    assert {*(band.get_xy()[:, 1] * 3).round(9)} == {0, 1, 2, 3}
    # Of three latent negatives (1/2 - 1/4)/(3/2) = 1/6 are below the last known one, and none
    # is above the first. So of three latent positives 1 is above that, and 1/2 below the last.
    ramp = pu_accessor.from_arrays(range(8, 0, -1), [None, False, *[None] * 4, False, None])
    expected = [0, 1, 1, 1 + 3 / 8, 1 + 6 / 8, 1 + 9 / 8, 2.5, 2.5, 3]
    for ranks in ("all", "breakpoints"):
        ax = ramp(negative=False).assume(reference="negatives").plot_rank_cdf(0.5, ranks=ranks)
        heights = np.interp(range(9), *at(ax, "β = 0.5").T)
        assert heights == pytest.approx([latent / 3 for latent in expected])


def test_points_without_a_value_are_left_out() -> None:
    frame = pd.DataFrame({"score": [5, 4, 3, 2, 1], "label": [None, 1, None, None, 1]})
    tables = frame.pu.contingency(0.5, ranks="all").astype(float)
    gone = tables.where(~tables["rank"].isin([2, 4]))
    known = tables.pu.roc_bounds().isel(rank=[0, 1, 3, 5]).sel(bound="estimate", beta=0.5)
    np.testing.assert_array_equal(at(gone.pu.plot_roc(), "β = 0.5")[:, 0], known["fpr"])


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
    for grid in (
        tables.unstack("group").pu.plot_pr(row="fold", col="site"),
        pu.plot_rank_cdf(0.2, row="fold", col="site"),
    ):
        assert [len(bands(ax)) for ax in grid.axes.flat] == [1, 1, 1, 0]


# Tables of others


def test_tables_and_curves_draw_what_their_rows_do() -> None:
    every = FRAME.pu.contingency([0, 0.1, 0.2], ranks="breakpoints")
    of_pr, of_roc = (getattr(FRAME.pu, f"{name}_bounds")([0, 0.1, 0.2]) for name in ("pr", "roc"))
    for plot in ("plot_roc", "plot_pr"):
        expected = getattr(FRAME.pu, plot)([0.1, 0.2], baseline=True)
        for tables in (of_roc, of_pr, every):
            drawn = getattr(tables.pu, plot)(baseline=True)
            assert legend(drawn) == legend(expected)
            for one, other in zip(drawn.lines, expected.lines, strict=True):
                if tables is not every:  # whose estimates are whole examples
                    np.testing.assert_allclose(path(one), path(other), rtol=0, atol=1e-9)
            for band, other in zip(bands(drawn), bands(expected), strict=True):
                np.testing.assert_allclose(band.get_xy(), other.get_xy(), rtol=0, atol=1e-9)
    assert legend(every.drop_attrs().pu.plot_roc())[-2] == "band"


@pytest.mark.parametrize(
    ("name", "at"), [("auroc", None), ("precision", {"rank": 20}), ("f1", {"fraction": 0.1})]
)
def test_tables_are_drawn_over_beta(name: str, at: Any) -> None:
    tables = TWO.contingency(GRID[:6])
    found = tables.pu.area(name) if at is None else tables.pu.at(**at).pu.metric(name)
    ax = tables.pu.plot_metric(name, x="beta", at=at)
    for model, band in zip(MODELS[:2], bands(ax), strict=True):
        low, middle, high = (
            found.sel(model=model, bound=b) for b in ("lower", "estimate", "upper")
        )
        np.testing.assert_allclose(path(lines(ax, model)[0]).T, [GRID[:6], middle])
        np.testing.assert_allclose(band.get_xy()[:12, 1], [*high, *low[::-1]])
    assert legend(ax) == [*MODELS[:2], BAND]


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
def test_a_band_over_an_interval_of_beta_holds_those_of_all_betas(x: str) -> None:
    tables = FRAME.pu.contingency(pd.Interval(0.1, 0.3), ranks="all")
    ax = tables.pu.plot_metric("precision", x=x)
    assert legend(ax) == ["β = 0.2", f"{BAND},\nβ from 0.1 to 0.3"]
    plain = tables.drop_vars("inside").isel(rank=slice(1, None))
    place = plain["threshold" if x == "threshold" else "rank"] / (240 if x == "fraction" else 1)
    edges = {*map(tuple, bands(ax)[0].get_xy().round(9))}
    values = plain.pu.metric("precision").sel(bound=["lower", "upper"])
    for side in (values.max(["beta", "bound"]), values.min(["beta", "bound"])):
        assert {*zip(place.values.round(9), side.values.round(9), strict=True)} <= edges
    np.testing.assert_array_equal(
        at(ax, "β = 0.2"), at(tables.sel(beta=[0.2]).pu.plot_metric("precision", x=x), "β = 0.2")
    )
    with_naive = FRAME.pu.plot_metric("precision", pd.Interval(0.1, 0.3), x=x, baseline=True)
    assert legend(with_naive)[1] == NAIVE
    none = tables.sel(beta=[0.1, 0.2]).assign_coords(inside=("beta", [False, False]))
    assert legend(none.pu.plot_metric("precision", x=x)) == ["β = 0.1", "β = 0.2", BAND]


# Where bands are impossible, limits are passed, and orders change


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
def test_a_strip_says_where_bounds_of_a_metric_are_cut_to_one_value(x: str) -> None:
    assert not of_kind(FRAME.pu.plot_metric("precision", 0.1, x=x), "infeasible")
    ax = FRAME.pu.plot_metric("precision", 0.95, x=x)
    tables = FRAME.pu.contingency(0.95, ranks="all").isel(beta=0)
    assert "bounds cut to one value" in legend(ax)
    tp, cut = tables["tp"], tables["clipped"].sel(bound=["lower", "upper"]).all("bound")
    cut &= tp.sel(bound="lower") == tp.sel(bound="upper")
    places = {"rank": tp["rank"], "fraction": tp["rank"] / 240, "threshold": tables["threshold"]}
    strips = np.transpose([extent(ax, strip)[:2] for strip in of_kind(ax, "infeasible")])
    place = places[x].to_numpy()[:, np.newaxis]
    inside = ((strips[0] <= place) & (place <= strips[1])).any(axis=1)
    assert 0.05 < np.mean(cut) < 0.95 and np.mean(inside == cut.to_numpy()) > 0.98


PAIR = placed(top=np.arange(1, 21), even=np.arange(11, 221, 11)[:20]).pu(score=["top", "even"])
FINE = np.linspace(0, 0.9, 19)


@pytest.mark.parametrize("name", ["f1", "auroc"])
def test_a_strip_in_its_hue_says_at_which_betas_a_band_is_impossible(name: str) -> None:
    if name == "f1":
        ax = PAIR.plot_metric("f1", FINE, x="beta", at=40)
        found = PAIR.metric("f1", FINE, at=40).set_index("model")
        beyond = (found["clipped"] & (found["lower"] == found["upper"]))["top"].to_numpy()
    else:
        tables = PAIR.contingency(FINE, ranks="all")
        ax = tables.pu.plot_metric("auroc", x="beta")
        ends = tables.sel(model="top", bound=["lower", "upper"])
        meet = ends["tp"].isel(bound=0) == ends["tp"].isel(bound=1)
        beyond = (ends["clipped"].all("bound") & meet).any("rank").to_numpy()
        assert not of_kind(PAIR.roc_bounds(FINE).pu.plot_metric("auroc", x="beta"), "infeasible")
    first = int(np.argmax(beyond))
    (strip,) = of_kind(ax, "infeasible")
    wanted = FINE[first - 1 : first + 1].mean(), 0.9, 0, 0.03
    height = strip.get_y(), strip.get_height()
    assert [strip.get_x(), strip.get_x() + strip.get_width(), *height] == pytest.approx(wanted)
    assert to_rgb(strip.get_edgecolor()) == to_rgb(lines(ax, "top")[0].get_color())
    assert to_rgb(strip.get_edgecolor()) != to_rgb(lines(ax, "even")[0].get_color())


def test_strips_of_several_curves_stand_above_each_other() -> None:
    ax = SITES.plot_metric("precision", 0.98)
    strips = {patch.get_gid(): patch for patch in of_kind(ax, "infeasible")}
    assert [one.get_y() for one in strips.values()] == pytest.approx([0, 0.03])
    assert len({patch.get_facecolor() for patch in strips.values()}) == 2


@pytest.mark.parametrize(("name", "at"), [("auroc", None), ("f1", 40)])
def test_the_limit_on_beta_is_marked_in_each_hue(name: str, at: int | None) -> None:
    grid = np.linspace(0, 0.95, 20)
    asked: Any = {"x": "beta", "at": at, "level": 0.8}
    for roles, looks in (({"score": MODELS[:2]}, {}), ({"by": "site"}, {"col": "site"})):
        drawing = put(FRAME.pu, "plot_metric", name, grid, **roles, **looks, **asked)
        panels = [*drawing.axes.flat] if looks else [drawing]
        limits = quiet(FRAME, "estimate_beta", level=0.8, **roles)["upper"].tolist()
        found = [one for ax in panels for one in of_kind(ax, "limit")]
        hues = [one.get_color() for ax in panels for one in curves(ax)]
        shown = [(x, hue) for x, hue in zip(limits, hues, strict=True) if x <= 0.95]
        assert [(one.get_xdata()[0], one.get_color()) for one in found] == shown != []
        assert legend(drawing).count("80% upper limit on β") == 1


def test_a_change_of_order_is_marked() -> None:
    peak = [*range(4, 41, 4), *range(55, 218, 18)]  # some at the top and some far down
    pu = placed(peak=peak, even=np.arange(6, 121, 6)).pu(score=["peak", "even"])
    asked: Any = {"x": "beta", "target": "examples"}
    ax = pu.plot_metric("average_precision", GRID[5::-1], **asked)
    one, other = at(ax, "peak"), at(ax, "even")
    lead = one[:, 1] - other[:, 1]
    place = int(np.argmax(lead < 0))
    part = lead[place - 1] / (lead[place - 1] - lead[place])
    assert (lead[:place] > 0).all() and (lead[place:] < 0).all() and 0 < place < 6
    height = np.interp(part, [0, 1], one[place - 1 : place + 1, 1])
    assert at(ax, "order changes") == pytest.approx(
        np.array([[GRID[place - 1] + part / 10, height]])
    )
    assert legend(ax) == ["peak", "even", "95% band", "order changes"]
    assert "order changes" not in legend(pu.plot_metric("auroc", GRID[:6], **asked))
    twins = FRAME.assign(twin=FRAME["score"]).pu(score=["score", "twin"])
    ax = twins.plot_metric("average_precision", GRID, x="beta")
    assert "order changes" not in legend(ax)


def test_a_conclusion_breaks_at_its_mark() -> None:
    ax = FRAME.pu.plot_metric("auroc", 0.2, x="selection_odds")
    broken = FRAME.pu.robustness("auroc", 0.2)["breaking_point"].iloc[0]
    assert 1 < broken < 5 and ax.get_xscale() == "log"
    assert at(ax, "conclusion breaks").tolist() == [[broken, 0.5]]
    assert at(ax, "conclusion: above 0.5").tolist() == [[1, 0.5], [5, 0.5]]
    (text,) = ax.texts
    assert text.get_text() == f"{broken:.3g}"
    high = FRAME.assign(score=TRUTH + FRAME["score"] / 2).pu
    ax = high.plot_metric("auroc", 0.2, x="contamination")
    assert [text.get_text() for text in ax.texts] == ["above 0.5 throughout"]
    assert legend(ax)[2:] == []


# Bins


def test_reliability_diagrams_draw_bins() -> None:
    gap = FRAME[(FRAME["model 0"] < 0.4) | (FRAME["model 0"] > 0.6)].pu(score="model 0")
    ax = gap.plot_calibration(0.2, bins=5, band="simultaneous")
    found = gap.calibration(0.2, bins=5, band="simultaneous").dropna()
    np.testing.assert_allclose(at(ax, "β = 0.2"), found[["mean_score", "estimate"]])
    (counts,) = of_kind(ax, "counts")
    assert len(found) == 4  # the bin between is empty
    middle = found["mean_score"]
    wanted = np.transpose([middle - 0.006, middle + 0.006, found["lower"], found["upper"]])
    np.testing.assert_allclose([extent(ax, bar) for bar in bands(ax)], wanted)
    corners, most = counts.get_xy()[:-1].reshape(-1, 4, 2), found["examples"].max()
    np.testing.assert_allclose(corners[:, [0, 2], 0], found[["left", "right"]])
    np.testing.assert_allclose(corners[:, :2, 1].T, [[0] * 4, 0.1 * found["examples"] / most])
    told = ["95% band, simultaneous", "calibrated", f"number of examples (at most {most})"]
    assert legend(ax)[1:] == told


def test_bins_stand_side_by_side_and_are_hollow_without_known_positives() -> None:
    pu: Any = FRAME.pu(score="model 0")
    ax, found = pu.plot_calibration(0.2, bins=20), pu.calibration(0.2, bins=20).dropna()
    unknown = found[found["known_positive"] == 0]
    assert 0 < len(unknown) < len(found)
    np.testing.assert_allclose(at(ax, "no known positive"), unknown[["mean_score", "estimate"]])
    assert "no known positive" not in legend(pu.plot_calibration(0.2, bins=[0, 0.5, 1]))
    ax, mean = pu.plot_calibration([0.1, 0.2], bins=4), pu.calibration(0.1, bins=4)["mean_score"]
    for beta, shift in ((0.1, -0.008), (0.2, 0.008)):
        np.testing.assert_allclose(at(ax, f"β = {beta}")[:, 0], mean + shift)
    assert len(ax.patches) == 1 + 8  # the counts are the same
    ax = pu.plot_calibration(np.arange(1, 9) / 20, bins=4)  # too many for bars
    assert at(ax, "β = 0.05")[:, 0] == pytest.approx(mean) and not bands(ax)
    asked = pu.plot_calibration(np.arange(1, 9) / 20, bins=4, band_kws={"alpha": 0.5})
    assert len(bands(asked)) == 8 * 4


# Forests


def names(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.parametrize(
    ("metric", "keywords", "label"),
    [
        ("auroc", {}, "AUROC"),
        ("average_precision", {"target": "examples", "level": 0.8}, "average precision"),
        ("f1", {"at": {"rank": 40}}, "F1 among the top 40"),
        ("npv", {"at": {"fraction": 0.2}}, "negative predictive value among the top 20%"),
        ("recall", {"at": "youden"}, "recall where informedness is highest"),
        ("f1", {"at": "maximum"}, "F1, at its maximum"),
        ("f1", {"at": {"threshold": 0.5}, "target": "examples"}, "F1 at threshold 0.5"),
    ],
)
def test_a_forest_has_the_numbers_of_the_method(metric: str, keywords: Any, label: str) -> None:
    pu = FRAME.pu(score=MODELS[:3])
    found, ax = pu.metric(metric, 0.2, **keywords), pu.plot_forest(metric, 0.2, **keywords)
    np.testing.assert_allclose(at(ax, "β = 0.2").T, [found["estimate"], range(3)])
    bars = np.transpose([extent(ax, bar) for bar in bands(ax)])
    np.testing.assert_allclose(bars[:2], [found["lower"], found["upper"]])
    np.testing.assert_allclose(bars[2:].mean(axis=0), range(3), atol=1e-9)
    assert names(ax) == MODELS[:3] and ax.get_xlabel() == label
    assert ax.get_ylim() == (2.5, -0.5)  # the first on top
    about = "future data" if found.attrs["target"] == "population" else "this sample"
    told = f"{100 * keywords.get('level', 0.95):g}% interval,\n{about}"
    assert legend(ax)[1:] == [told, *["chance"] * (metric == "auroc")]


def test_hues_of_a_forest_stand_below_each_other_and_the_naive_estimate_is_a_cross() -> None:
    pu = FRAME.pu(score=MODELS[:3])
    ax, found = pu.plot_forest("auroc", [0.1, 0.2], baseline=True), pu.auroc([0, 0.1, 0.2])
    for beta, label, shift in ((0.1, "β = 0.1", -0.2), (0.2, "β = 0.2", 0.2), (0, NAIVE, 0)):
        values = found.loc[found["beta"] == beta, "estimate"]
        np.testing.assert_allclose(at(ax, label).T, [values, shift + np.arange(3)])
    assert len(bands(ax)) == 6  # nothing is latent at beta = 0
    np.testing.assert_allclose(at(ax, "chance"), [[0.5, -0.5], [0.5, 2.5]])
    heights = np.ptp([bar.get_xy()[:, 1] for bar in bands(ax)], axis=1)
    assert np.ptp(heights) < 1e-9 and 0.08 < heights[0] < 0.12  # 0.12 inches


def test_groups_of_a_forest_get_hues_panels_or_places_in_any_order() -> None:
    pu: Any = FRAME.pu(score=MODELS[:3], by="site")
    assert names(pu.plot_forest("auroc", 0.2))[:2] == ["a, model 0", "a, model 1"]
    ax = pu.plot_forest("auroc", 0.2, hue="site")
    assert names(ax) == MODELS[:3] and len(bands(ax)) == 6
    grid = pu.plot_forest("auroc", 0.2, col="site", height=2)
    drawn = [at(panel, "β = 0.2")[:, 0] for panel in grid.axes.flat]
    np.testing.assert_allclose(np.concatenate(drawn), pu.auroc(0.2)["estimate"])
    pu = FRAME.pu(score=MODELS[2::-1])
    best = pu.auroc(0.2).sort_values("estimate", ascending=False)["model"].tolist()
    assert best != MODELS[2::-1]
    for order, wanted in ((best, best), ("estimate", best), ([MODELS[2]], [MODELS[2]])):
        ax = pu.plot_forest("auroc", 0.2, order=order)
        assert names(ax) == wanted and (np.diff(at(ax, "β = 0.2")[:, 0]) < 0).all()
    ax = SITES.plot_forest("auroc", {"a": 0.1, "b": 0.25})
    assert names(ax) == ["a\nβ = 0.1", "b\nβ = 0.25"]
    found = SITES.auroc({"a": 0.1, "b": 0.25})["estimate"]
    np.testing.assert_allclose(at(ax, "estimate")[:, 0], found)

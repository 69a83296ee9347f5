"""ROC and precision-recall curves and rank CDFs, read back from their artists."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.patches import Polygon

import pu_accessor
from pu_accessor.ranking import Ranks
from tests.arguments.test_reference import ask
from tests.cases import Case, as_frame, legend
from tests.plots.test_curves import BETAS, FRAME, bands, lines, path
from tests.plots.test_many import FRAME as GROUPS
from tests.plots.test_many import WIDE, draw


def area_between(band: Polygon) -> float:
    """Return the area of a polygon by the shoelace formula."""
    x, y = band.get_xy().T
    return float(abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))) / 2


def test_roc_line_and_band_are_the_bounds() -> None:
    ax = FRAME.pu.plot_roc(0.2)
    curves = FRAME.pu.roc_bounds(0.2).sel(beta=0.2)
    line = lines(ax)["β = 0.2"]
    np.testing.assert_array_equal(line.get_xdata(), curves["fpr"].sel(bound="estimate"))
    np.testing.assert_array_equal(line.get_ydata(), curves["tpr"].sel(bound="estimate"))
    (band,) = bands(ax)
    up, down = (curves.sel(bound=bound) for bound in ("upper", "lower"))
    size = up.sizes["rank"]
    x, y = band.get_xy()[: 2 * size].T
    np.testing.assert_array_equal(y, np.append(up["tpr"], down["tpr"][::-1]))
    left, right = x[:size], x[size:][::-1]
    assert (np.diff(left) >= 0).all() and (np.diff(right) >= 0).all()  # no edge steps back
    assert (left <= up["fpr"]).all() and (right >= down["fpr"]).all()
    areas = FRAME.pu.contingency(0.2, ranks="all").pu.area("auroc").sel(beta=0.2)
    expected = float(areas.sel(bound="upper") - areas.sel(bound="lower"))
    assert expected < area_between(band) < 1.1 * expected
    x, y = path(lines(ax)["chance"])
    assert x[0] == 0 and x[-1] == 1 and (x == y).all()
    assert legend(ax) == ["β = 0.2", "95% band, pointwise", "chance"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")
    assert ax.get_box_aspect() == 1


@pytest.mark.parametrize("curve", ["roc", "pr"])
def test_curves_of_new_examples_are_drawn_as_by_their_plot(curve: str) -> None:
    asked: Any = {"target": "population"}
    curves = getattr(FRAME.pu, f"{curve}_bounds")(0.2, **asked)
    drawn = getattr(curves.pu, f"plot_{curve}")()
    expected = getattr(FRAME.pu, f"plot_{curve}")(0.2, **asked)
    assert legend(drawn) == legend(expected)
    for one, other in zip(drawn.patches, expected.patches, strict=True):
        np.testing.assert_allclose(one.get_xy(), other.get_xy(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("bounds", ["roc_bounds", "pr_bounds"])
def test_curves_are_drawn_and_measured_as_their_tables(bounds: str) -> None:
    curves = getattr(FRAME.pu, bounds)([0.1, 0.2])
    tables = FRAME.pu.contingency([0.1, 0.2], ranks="breakpoints")
    ends = {"bound": ["lower", "upper"]}  # estimates of tables are whole examples
    for metric in ("auroc", "average_precision"):
        area = curves.pu.area(metric)
        xr.testing.assert_allclose(area.sel(ends), tables.pu.area(metric).sel(ends))
    told = re.sub(r"\s", "", repr(curves.pu))
    assert told.startswith("<ds.pu:area,at,to_frame,plot_roc,plot_pr;")
    for plot in ("plot_roc", "plot_pr"):
        drawn, expected = getattr(curves.pu, plot)(), getattr(FRAME.pu, plot)([0.1, 0.2])
        assert legend(drawn) == legend(expected)
        for name, line in lines(expected).items():
            both = path(lines(drawn)[name]), path(line)
            np.testing.assert_allclose(*both, rtol=0, atol=1e-9)


def test_pr_line_bends_between_cutoffs() -> None:
    ax = FRAME.pu.plot_pr(0.2)
    tables = FRAME.pu.contingency(0.2, ranks="all").sel(beta=0.2)
    x, y = path(lines(ax)["β = 0.2"])
    # Each cutoff that finds a positive lies on the line; the area under it is the closed form.
    curve = FRAME.pu.pr_bounds(0.2, ranks="all").sel(beta=0.2, bound="estimate")
    recall, head = curve["recall"].to_numpy(), curve["rank"].to_numpy()
    curve = curve.isel(rank=slice(1, None))
    drawn = set(zip(np.round(x, 9), np.round(y, 9), strict=True))
    breakpoints = FRAME.pu.contingency(0.2, ranks="breakpoints")["rank"].values[1:]
    found = curve.sel(rank=breakpoints).where(curve["recall"] > 0, drop=True)
    points = np.round([found["recall"], found["precision"]], 9).T
    assert len(points) > 100 and {*map(tuple, points)} <= drawn
    # Counts are straight between cutoffs. The first cutoff finds something: it is level before.
    positives = 60 + round(0.2 * 740)
    part = np.arange(0, head[-1] + 1e-9, 0.01)
    tp = np.interp(part, head, recall * positives)
    precision = tp[1:] / part[1:]
    area = np.trapezoid(np.append(precision[0], precision), tp / positives)
    assert recall[1] > 0 and np.trapezoid(y, x) == pytest.approx(area, abs=1e-3)
    (band,) = bands(ax)
    bounds = tables.pu.area("average_precision")
    expected = float(bounds.sel(bound="upper") - bounds.sel(bound="lower"))
    assert expected < area_between(band) < 1.1 * expected
    assert path(lines(ax)["chance"])[1] == pytest.approx(positives / 800)
    assert legend(ax) == ["β = 0.2", "95% band, pointwise", "chance"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")


@pytest.mark.parametrize("ranks", ["all", "breakpoints"])
def test_pr_starts_with_the_first_cutoff_that_finds_a_positive(ranks: Ranks) -> None:
    # Above it precision is 0, or 1 by convention: drawn, either would be a spike at recall 0.
    label = [False, True, None, None]
    ranking = pu_accessor.from_arrays([4, 3, 2, 1], label)
    x, y = path(lines(ranking.contingency(0.5, ranks=ranks).pu.plot_pr())["β = 0.5"])
    assert (x[:2].tolist(), y[:2].tolist()) == ([0, 0.5], [0.5, 0.5])
    for line in FRAME.pu.plot_pr(0.2, baseline=True).lines:
        assert path(line)[1][0] > 0


def test_pr_without_any_positive_found_is_level() -> None:
    label = [False, False, None, True]
    tables = pu_accessor.from_arrays([4, 3, 2, 1], label).contingency(0, ranks=[1, 2])
    assert set(path(tables.pu.plot_pr().lines[0])[1]) == {0}


def test_rank_cdf_draws_what_the_method_returns() -> None:
    cdf = FRAME.pu.rank_cdf(0.2)["rank_cdf"].sel(beta=0.2)
    x, y = path(lines(FRAME.pu.plot_rank_cdf(0.2))["known positives"])
    np.testing.assert_array_equal(x, np.repeat(cdf["rank"].to_numpy(), 2)[1:])
    np.testing.assert_array_equal(y, np.repeat(cdf.sel(bound="estimate").to_numpy(), 2)[:-1])


def test_rank_cdf_band_is_that_of_the_latent_positives() -> None:
    # n = 1, m = 3, level .4: lower 0, 1 and upper 2, 3 of 3 (by hand in the tests of bands).
    frame = pd.DataFrame({"score": [4, 3, 2, 1], "label": [None, 1, None, None]})
    ax = frame.pu.plot_rank_cdf(1, level=0.4)
    (band,) = bands(ax)
    heights = set(np.round(band.get_xy()[:, 1] * 3, 9).tolist())
    assert heights == {0, 1, 2, 3}


def test_rank_cdf_of_several_betas_has_one_curve() -> None:
    ax = FRAME.pu.plot_rank_cdf(BETAS)
    told = [f"95% band, pointwise, β = {beta}" for beta in BETAS]
    assert legend(ax) == ["known positives", *told, "chance"]
    assert len(ax.lines) == 2
    assert len({band.get_facecolor() for band in bands(ax)}) == len(BETAS)


RAMP = Case([8, 7, 6, 5, 4, 3, 2, 1], [None, False, None, None, None, None, False, None], 0.5)


SCORE: list[float] = [16, 3, 14, 1, 2, 9, 8, 10, 15, 7, 6, 4, 13, 11, 12, 0, 5]
NEAR = Case(SCORE, [{"0": False, "1": True}.get(kind) for kind in "0?0?????0??01?01?"], 0.5)


@pytest.mark.parametrize(
    ("case", "reference", "ranks"), [(RAMP, "negatives", range(9)), (NEAR, "tightest", [4])]
)
def test_rank_cdf_is_the_same_at_breakpoints(case: Case, reference: str, ranks: Any) -> None:
    assert case is RAMP or ask(NEAR, reference=reference)["tightest"].item() == "negatives"
    every, few = (
        as_frame(case)
        .pu.assume(reference=reference)
        .plot_rank_cdf(0.5, ranks=kind)
        .get_lines()[-1]
        for kind in ("all", "breakpoints")
    )
    # Straight from place to place; 4 is a labeled score, where both have a cutoff.
    heights, others = (np.interp(ranks, *path(line)) for line in (every, few))
    assert heights == pytest.approx(others)
    if case is RAMP:
        # Of three latent negatives (1/2 - 1/4)/(3/2) = 1/6 are below the last known one, and none
        # is above the first. So of three latent positives 1 is above that, and 1/2 below the last.
        ramp = [0, 1, 1, 1 + 3 / 8, 1 + 6 / 8, 1 + 9 / 8, 2.5, 2.5, 3]
        assert heights == pytest.approx([latent / 3 for latent in ramp])
        assert "known positives" not in legend(every.axes)  # there are none


@pytest.mark.parametrize("col", [None, "model"])
def test_rank_cdfs_show_the_whole_of_the_largest(col: str | None) -> None:
    ax = draw("plot_rank_cdf", WIDE, 0.2, score="m0")
    ax = WIDE[:30].pu(score="m1").plot_rank_cdf(0.2, ax=ax)
    grid = GROUPS.pu(by="model").plot_rank_cdf(0.2, col=col)
    many = GROUPS.assign(n_trees=1000).pu(by="n_trees").plot_rank_cdf(0.2)  # called like a count
    shown = ax if col is None else grid.axes.flat[0]
    for one, size in ((shown, 39 if col else 60), (many, len(GROUPS))):
        assert one.get_xlim() == pytest.approx((-0.02 * size, 1.02 * size))
    if col is None:  # each ends at its own size
        ends = [path(lines(grid)[key])[0][-1] for key in "abcd"]
        assert ends == GROUPS.groupby("model").size().tolist()

"""Precision-recall curves, read back from their artists."""

import numpy as np
import pytest

import pu_accessor
from pu_accessor.ranking import Ranks
from tests.cases import legend
from tests.methods.test_plot_roc import area_between
from tests.plots.test_curves import FRAME, bands, lines, path


def test_pr_line_bends_between_cutoffs() -> None:
    ax = FRAME.pu.plot_pr(0.2)
    tables = FRAME.pu.contingency(0.2, ranks="all").sel(beta=0.2)
    x, y = path(lines(ax)["β̂ = 0.2"])
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
    assert area_between(band) == pytest.approx(expected, abs=3e-3)
    assert path(lines(ax)["chance (prevalence)"])[1] == pytest.approx(positives / 800)
    assert legend(ax) == ["β̂ = 0.2", "95% exact band,\nthese examples", "chance (prevalence)"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")


@pytest.mark.parametrize("ranks", ["all", "breakpoints"])
def test_pr_starts_with_the_first_cutoff_that_finds_a_positive(ranks: Ranks) -> None:
    # Above it precision is 0, or 1 by convention: drawn, either would be a spike at recall 0.
    label = [False, True, None, None]
    ranking = pu_accessor.from_arrays([4, 3, 2, 1], label)
    x, y = path(lines(ranking.contingency(0.5, ranks=ranks).pu.plot_pr())["β̂ = 0.5"])
    assert (x[:2].tolist(), y[:2].tolist()) == ([0, 0.5], [0.5, 0.5])
    for line in FRAME.pu.plot_pr(0.2, baseline=True).lines:
        assert path(line)[1][0] > 0


def test_pr_without_any_positive_found_is_level() -> None:
    label = [False, False, None, True]
    tables = pu_accessor.from_arrays([4, 3, 2, 1], label).contingency(0, ranks=[1, 2])
    assert set(path(tables.pu.plot_pr().lines[0])[1]) == {0}

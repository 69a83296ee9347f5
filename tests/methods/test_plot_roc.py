"""ROC curves, read back from their artists."""

import re
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from pu_accessor import PUError, PUValueError
from tests.cases import legend
from tests.plots.test_curves import FRAME, bands, lines, path


def area_between(band: Polygon) -> float:
    """Return the area of a polygon by the shoelace formula."""
    x, y = band.get_xy().T
    return float(abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))) / 2


def test_roc_line_and_band_are_the_bounds() -> None:
    ax = FRAME.pu.plot_roc(0.2)
    curves = FRAME.pu.roc_bounds(0.2).sel(beta=0.2)
    line = lines(ax)["β̂ = 0.2"]
    np.testing.assert_array_equal(line.get_xdata(), curves["fpr"].sel(bound="estimate"))
    np.testing.assert_array_equal(line.get_ydata(), curves["tpr"].sel(bound="estimate"))
    (band,) = bands(ax)
    up, down = (curves["fpr"].sel(bound=bound).to_numpy() for bound in ("upper", "lower"))
    there_and_back = np.append(up, down[::-1])
    np.testing.assert_array_equal(band.get_xy()[: there_and_back.size, 0], there_and_back)
    areas = FRAME.pu.contingency(0.2).pu.area("auroc").sel(beta=0.2)
    expected = float(areas.sel(bound="upper") - areas.sel(bound="lower"))
    assert area_between(band) == pytest.approx(expected, abs=1e-9)
    x, y = path(lines(ax)["chance"])
    assert x[0] == 0 and x[-1] == 1 and (x == y).all()
    assert legend(ax) == ["β̂ = 0.2", "95% exact band,\nthese examples", "chance"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")
    assert ax.get_box_aspect() == 1


def marks(ax: Axes) -> list[Any]:
    """Return the marked points of each curve."""
    return [line.get_xydata() for line in ax.lines if line.get_gid() == "pu_accessor mark"]


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ({"threshold": 0.5}, ["threshold 0.5"]),
        ({"rank": [5, 40]}, ["top 5", "top 40"]),
        (5, ["top 5"]),
        ({"fraction": 0.1}, ["top 10%"]),
    ],
)
@pytest.mark.parametrize(
    ("plot", "rates", "beta"), [("roc", "fpr tpr", 0.2), ("pr", "recall precision", 0)]
)
def test_marked_cutoffs_stand_on_the_curve(
    plot: str, rates: str, beta: float, mark: Any, names: Any
) -> None:
    ax = getattr(FRAME.pu, f"plot_{plot}")(beta, mark=mark)
    found = FRAME.pu.metric(rates.split(), beta, at=mark, target="examples")
    expected = found["estimate"].to_numpy().reshape(2, -1).T
    (points,) = marks(ax)
    np.testing.assert_allclose(points, expected)
    assert sorted(text.get_text() for text in ax.texts) == sorted(names)
    tables = FRAME.pu.contingency(beta)  # estimates of tables are whole examples
    (points,) = marks(getattr(tables.pu, f"plot_{plot}")(mark=mark))
    np.testing.assert_allclose(points, expected, atol=0.11)


def test_marks_of_several_curves() -> None:
    two = FRAME.assign(other=-FRAME["score"]).pu(score=["score", "other"])
    ax = two.plot_roc([0.1, 0.2], mark={"recall": 0.5}, col="beta", baseline=True).axes.flat[1]
    found = two.metric(["fpr", "tpr"], 0.2, at={"recall": 0.5}, target="examples")
    expected = found["estimate"].to_numpy().reshape(2, 2)
    np.testing.assert_allclose(np.concatenate(marks(ax)), expected)
    told = [f"threshold {threshold:.3g}" for threshold in found["threshold"][::2]]
    assert {text.get_text() for text in ax.texts} == {*told}
    near, high = FRAME.pu.plot_roc([0.2, 0.21], mark=5), FRAME.pu.plot_pr(0.2, mark=5)
    assert (near.texts[0].get_va(), high.texts[0].get_va()) == ("top", "bottom")
    assert len(marks(near)) == 2 and [text.get_text() for text in near.texts] == ["top 5"]
    with pytest.raises(PUValueError, match="mark must be a rank, a threshold or a fraction where"):
        FRAME.pu.contingency(0.2).pu.plot_roc(mark="youden")
    for pu, beta in ((FRAME.pu, [0.2]), (FRAME.pu.contingency(0.2).pu, [])):
        for mark in (10**30, -1):
            with pytest.raises(PUError, match=rf"^mark must .*{mark}"):
                pu.plot_roc(*beta, mark=mark)


@pytest.mark.parametrize("curve", ["roc", "pr"])
@pytest.mark.parametrize("asked", [{"target": "population"}, {"beta_interval": (0.1, 0.3)}])
def test_curves_of_other_kinds_are_drawn_as_by_their_plot(curve: str, asked: Any) -> None:
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
    for quantity in ("auroc", "average_precision"):
        area = curves.pu.area(quantity)
        xr.testing.assert_allclose(area.sel(ends), tables.pu.area(quantity).sel(ends))
    told = re.sub(r"\s", "", repr(curves.pu))
    assert told.startswith("<ds.pu:area,at,to_frame,plot_roc,plot_pr;")
    for plot in ("plot_roc", "plot_pr"):
        drawn, expected = getattr(curves.pu, plot)(), getattr(FRAME.pu, plot)([0.1, 0.2])
        assert legend(drawn) == legend(expected)
        for name, line in lines(expected).items():
            both = path(lines(drawn)[name]), path(line)
            np.testing.assert_allclose(*both, rtol=0, atol=1e-9)


def test_marks_on_new_examples_are_framed_by_their_region() -> None:
    at = {"threshold": [0.2, 1.0]}
    ax = FRAME.pu.plot_roc(0.2, target="population", mark=at)
    frames = [patch for patch in ax.patches if patch.get_gid() == "pu_accessor region"]
    drawn = [patch.get_bbox().extents for patch in frames]
    sides = ["fpr_lower", "tpr_lower", "fpr_upper", "tpr_upper"]
    np.testing.assert_allclose(drawn, FRAME.pu.roc_region(0.2, at=at)[sides].to_numpy())
    plain = FRAME.pu.plot_roc(0.2, mark=at)
    assert not [patch for patch in plain.patches if patch.get_gid() == "pu_accessor region"]

"""ROC curves, read back from their artists."""

import re
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.patches import Polygon

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
    areas = FRAME.pu.contingency(0.2, ranks="all").pu.area("auroc").sel(beta=0.2)
    expected = float(areas.sel(bound="upper") - areas.sel(bound="lower"))
    assert area_between(band) == pytest.approx(expected, abs=1e-9)
    x, y = path(lines(ax)["chance"])
    assert x[0] == 0 and x[-1] == 1 and (x == y).all()
    assert legend(ax) == ["β̂ = 0.2", "95% exact band,\nthese examples", "chance"]
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

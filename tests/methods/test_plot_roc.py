"""ROC curves, read back from their artists."""

import numpy as np
import pytest
from matplotlib.patches import Polygon

from tests.plots.test_curves import FRAME, bands, legend, lines, path


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
    there_and_back = np.concatenate(
        [curves.sel(bound="upper")["fpr"], curves.sel(bound="lower")["fpr"][::-1]]
    )
    np.testing.assert_array_equal(band.get_xy()[: there_and_back.size, 0], there_and_back)
    areas = FRAME.pu.contingency(0.2).pu.area("auroc").sel(beta=0.2)
    expected = float(areas.sel(bound="upper") - areas.sel(bound="lower"))
    assert area_between(band) == pytest.approx(expected, abs=1e-9)
    x, y = path(lines(ax)["chance"])
    assert x[0] == 0 and x[-1] == 1 and (x == y).all()
    assert legend(ax) == ["β̂ = 0.2", "95% exact band,\nthese examples", "chance"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")
    assert ax.get_box_aspect() == 1

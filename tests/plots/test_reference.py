"""Pictures of bounds from known positives, known negatives, the tightest kind and both."""

import numpy as np
import pytest

from tests.arguments.test_reference import REFERENCES, sites
from tests.cases import legend

BANDS = {
    "positives": "95% exact band,\nthese examples",
    "negatives": "95% exact band,\nfrom known negatives,\nthese examples",
    "tightest": "95% exact band,\nfrom the tighter kind,\nthese examples",
    "both": "95% exact band,\nfrom both kinds,\nthese examples",
}


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", ["roc", "pr"])
def test_plots_draw_the_estimate_of_the_reference(name: str, reference: str) -> None:
    frame = sites().rename(columns={"m": "score"})
    ax = getattr(frame.pu, f"plot_{name}")(0.2, reference=reference)
    assert legend(ax)[:2] == ["β̂ = 0.2", BANDS[reference]]
    line = next(line for line in ax.get_lines() if line.get_label() == "β̂ = 0.2")
    if name == "roc":
        curve = frame.pu.roc_bounds(0.2, reference=reference).sel(bound="estimate", beta=0.2)
        np.testing.assert_array_equal(line.get_xdata(), curve["fpr"])
        np.testing.assert_array_equal(line.get_ydata(), curve["tpr"])
    else:
        assert len(np.asarray(line.get_xdata())) > 20


@pytest.mark.parametrize("reference", REFERENCES[1:])
def test_other_plots_draw(reference: str) -> None:
    frame = sites().rename(columns={"m": "score"})
    ax = frame.pu.plot_metric("precision", 0.2, reference=reference)
    assert BANDS[reference] in legend(ax)
    ax = frame.pu.plot_against_beta("auroc", [0.1, 0.2, 0.3], reference=reference)
    # What is drawn is the area under the curve of the estimate, which is not rounded.
    curve = frame.pu.roc_bounds([0.1, 0.2, 0.3], reference=reference).sel(bound="estimate")
    areas = np.trapezoid(curve["tpr"].values, curve["fpr"].values, axis=0)
    np.testing.assert_allclose(np.asarray(ax.get_lines()[0].get_ydata(), float), areas, rtol=1e-12)

"""Pictures of bounds from known positives, negatives, either or both, and of weighted ones."""

from functools import partial

import numpy as np
import pytest

from tests.arguments.test_propensity import FRAME as WEIGHTED
from tests.arguments.test_reference import REFERENCES, sites
from tests.cases import legend
from tests.plots.test_curves import lines

BANDS = {
    "positives": "95% exact band,\nthese examples",
    "negatives": "95% exact band,\nfrom known negatives,\nthese examples",
    "tightest": "95% exact band,\nfrom the tighter kind,\nthese examples",
    "both": "95% exact band,\nfrom both kinds,\nthese examples",
}


@pytest.mark.parametrize("reference", REFERENCES)
def test_plots_draw_the_estimate_of_the_reference(reference: str) -> None:
    pu = sites().rename(columns={"m": "score"}).pu.assume(reference=reference)
    for plot in (pu.plot_roc, pu.plot_pr, partial(pu.plot_metric, "precision")):
        ax = plot(beta=0.2)
        assert legend(ax)[:2] == ["β̂ = 0.2", BANDS[reference]]
        assert len(np.asarray(lines(ax)["β̂ = 0.2"].get_xdata())) > 20
    ax = pu.plot_roc(0.2)
    curve = pu.roc_bounds(0.2).sel(bound="estimate", beta=0.2)
    drawn = np.transpose(lines(ax)["β̂ = 0.2"].get_xydata())
    np.testing.assert_array_equal(drawn, [curve["fpr"], curve["tpr"]])


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr", "plot_metric", "plot_rank_cdf"])
def test_pictures_take_propensities(plot: str) -> None:
    name = ("f1",) if plot == "plot_metric" else ()
    frames = WEIGHTED, WEIGHTED.assign(propensity=0.5)
    drawn = [getattr(rows.pu(propensity="propensity"), plot)(*name, beta=0.3) for rows in frames]
    one, other = (np.asarray(lines(ax)["β̂ = 0.3"].get_xydata()) for ax in drawn)
    assert one.shape != other.shape or not np.allclose(one, other)
    assert any("95% weighted band" in text for text in legend(drawn[0]))

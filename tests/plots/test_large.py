"""Pictures of tables with very many cutoffs, which have few vertices, and of all in between."""

from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.spatial import cKDTree

from tests.cases import binormal
from tests.plots.pictures import bands, curves, path
from tests.plots.test_contract import gain

FRAME = binormal(4_000, 11_000, 0.1, seed=4)[0]
TABLES = {  # the second has few scores along most of their axis
    name: FRAME.assign(score=score).pu.contingency([0, 0.2], ranks="all")
    for name, score in {"even": FRAME["score"], "skewed": np.exp(4 * FRAME["score"])}.items()
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
    if metric:
        ax = tables.pu.plot_metric(metric, x=x)
        places = tables["threshold" if x == "threshold" else "rank"]
        values = tables.pu.metric(metric).isel(beta=0)
        edges = [values.sel(bound=bound) for bound in ("lower", "upper")]
    else:
        ax, curve = getattr(tables.pu, f"plot_{x}")(), getattr(tables.pu, f"{x}_bounds")()
        names = ("fpr", "tpr") if x == "roc" else ("recall", "precision")
        places, values = (curve[name].isel(beta=0).sel(bound="estimate") for name in names)
        edges = []
    middle = values.sel(bound="estimate") if metric else values
    (line,), (band,), scale = curves(ax), bands(ax), ax.viewLim.size / 1_000  # of a pixel
    for drawn, heights in ((path(line), [middle]), (band.get_xy(), edges)):
        assert 500 < len(drawn) <= 2 * MOST
        for each in heights:
            points = np.transpose([places / (15_000 if x == "fraction" else 1), each])
            known = np.isfinite(points).all(axis=1) & (tables["known_positive"] > 0).to_numpy()
            distances, _ = cKDTree(densely(drawn / scale)).query(points[known] / scale)
            assert np.max(distances) < 2
    xr.testing.assert_identical(TABLES[kind], whole)  # what is drawn stays whole

"""Pictures of tables with very many cutoffs, which have few vertices, and of all in between."""

from io import BytesIO
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial import cKDTree

from pu_accessor.datasets.schema import COUNTS
from pu_accessor.inference.metrics import METRICS, metrics_for
from pu_accessor.plots import curves as cutoffs
from tests.cases import binormal
from tests.plots.test_curves import bands, lines
from tests.plots.test_looks import curves

FRAME = binormal(4_000, 11_000, 0.1, seed=4)[0]
TABLES = FRAME.pu.contingency([0, 0.2], ranks="all")
_odd = FRAME.assign(score=np.where(FRAME["score"] > 1, np.exp(3 * FRAME["score"]), FRAME["score"]))
SKEWED = _odd.pu.contingency([0, 0.2], ranks="all")  # few scores along most of their axis
BY_RANK = TABLES.assign_coords(inside=("beta", [True, False]))


def gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 5 * tp - fp


MOST = 24_000  # vertices: two for each cutoff that is seen where values are held, at most
PIXELS = 1_000  # of a large picture
DPI = 120
PLOTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "roc": ("plot_roc", {}),
    "pr": ("plot_pr", {}),
    "rank": ("plot_metric", {"metric": "f1"}),
    "fraction": ("plot_metric", {"metric": "mcc", "x": "fraction"}),
    "threshold": ("plot_metric", {"metric": "precision", "x": "threshold"}),
    "gain by rank": ("plot_metric", {"metric": gain}),
    "gain by threshold": ("plot_metric", {"metric": gain, "x": "threshold"}),
}
# Of these each takes other ways: steps back, bends, a function of counts, steps held.
some_plots = pytest.mark.parametrize("plot", ["roc", "pr", "gain by rank", "threshold"])


def draw(plot: str, tables: xr.Dataset) -> Axes:
    method, arguments = PLOTS[plot]
    ax = getattr(tables.pu, method)(**arguments)
    assert isinstance(ax, Axes)
    return ax


def vertices(ax: Axes) -> list[int]:
    """Return how many vertices each line has, and each of two edges of each area."""
    edges = [len(area.get_xy()) // 2 for area in bands(ax)]
    assert edges
    return [*(len(np.asarray(line.get_xydata())) for line in ax.lines), *edges]


def paths(ax: Axes) -> list[Any]:
    """Return the vertices of each line and edge, in pixels of a large picture."""
    areas = [patch.get_xy() for patch in bands(ax)]
    drawn = [np.asarray(line.get_xydata()) for line in curves(ax)] + areas
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    return [(path - low) / (high - low) * PIXELS for path in drawn]


def densely(path: Any) -> Any:
    """Return points on straight lines from each vertex to the next, minus than a pixel apart."""
    steps = np.maximum(np.ceil(2 * np.abs(np.diff(path, axis=0)).max(1)).astype(int), 1)
    starts = np.repeat(np.arange(steps.size), steps)
    part = (np.arange(steps.sum()) - np.repeat(np.cumsum(steps) - steps, steps)) / steps[starts]
    return path[starts] + part[:, None] * (path[starts + 1] - path[starts])


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("skewed", [False, True])
def test_cutoffs_left_out_are_near_the_drawn(plot: str, skewed: bool, monkeypatch: Any) -> None:
    tables = (SKEWED if skewed else TABLES).sel(beta=[0.2])
    drawn = paths(draw(plot, tables))
    monkeypatch.setattr(cutoffs, "_MAX_CUTOFFS_DRAWN", np.inf)
    whole = paths(draw(plot, tables))
    assert len(drawn) == len(whole) > 1
    for few, all_of_them in zip(drawn, whole, strict=True):
        assert len(few) < len(all_of_them)
        distances, _ = cKDTree(densely(few)).query(all_of_them)
        assert np.max(distances) < 2


@some_plots
def test_pictures_of_many_cutoffs_have_few_vertices_in_small_files(plot: str) -> None:
    ax = draw(plot, TABLES)
    assert max(vertices(ax)) <= MOST
    assert isinstance(ax.figure, Figure)
    ax.figure.savefig(buffer := BytesIO(), format="pdf", dpi=DPI)
    assert len(buffer.getvalue()) < 250_000


def test_envelopes_and_rank_cdfs_of_many_cutoffs_have_few_vertices() -> None:
    for x in ("rank", "fraction", "threshold"):
        assert max(vertices(BY_RANK.pu.plot_metric("f1", x=x))) <= MOST
    ax = FRAME.pu.assume(reference="positives").plot_rank_cdf(0.2, ranks="all")
    assert max(vertices(ax)) <= MOST


def test_what_is_drawn_stays_whole() -> None:
    before = TABLES.copy(deep=True)
    inner = BY_RANK.copy(deep=True)
    for plot in PLOTS:
        draw(plot, TABLES)
        draw(plot, BY_RANK)
    xr.testing.assert_identical(TABLES, before)
    xr.testing.assert_identical(BY_RANK, inner)
    assert TABLES.pu.roc_bounds().sizes["rank"] == len(FRAME) + 1


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        *((name, [0, 1, 4, 30, 300]) for name in metrics_for("tables")),
        *product(["precision", "fpr", "mcc"], [[3, 7], range(301)]),
    ],
)
def test_between_cutoffs_a_metric_follows_straight_lines_of_counts(name: str, ranks: Any) -> None:
    frame = binormal(60, 240, 0.3, seed=7)[0]
    tables = frame.pu.contingency(0.2, ranks=list(ranks))
    x, y = np.asarray(lines(tables.pu.plot_metric(name))["β = 0.2"].get_xydata()).T
    one = tables.sel(beta=0.2, bound="estimate")
    between = [np.interp(x, one["rank"], one[key]) for key in COUNTS]
    np.testing.assert_array_equal(y, METRICS[name](*between))
    assert (np.diff(x) > 0).all()
    defined = one["rank"].to_numpy()[np.isfinite(METRICS[name](*(one[key] for key in COUNTS)))]
    assert set(defined[int(name == "precision" and defined[0] == 0) :]) <= set(x)
    assert x.size > 400


def test_points_without_a_value_at_any_bound_are_left_out() -> None:
    frame = pd.DataFrame({"score": [5, 4, 3, 2, 1], "label": [None, 1, None, None, 1]})
    tables = frame.pu.contingency(0.5, ranks="all").astype(float)
    gone = tables.where(~tables["rank"].isin([2, 4]))
    x = np.asarray(lines(gone.pu.plot_roc())["β = 0.5"].get_xdata())
    known = tables.pu.roc_bounds().isel(rank=[0, 1, 3, 5]).sel(bound="estimate", beta=0.5)
    np.testing.assert_array_equal(x, known["fpr"])

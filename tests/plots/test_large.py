"""Pictures of tables with very many cutoffs, which have few vertices, and of all in between."""

from io import BytesIO
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from scipy.spatial import cKDTree

from pu_accessor.datasets.schema import COUNTS
from pu_accessor.inference.tables.metrics import METRICS, evaluate
from pu_accessor.plots import artists, metrics
from pu_accessor.plots.artists import Path, hold
from tests.arguments.test_beta_interval import ask
from tests.cases import binormal

FRAME = binormal(4_000, 11_000, 0.1, seed=4)[0]
TABLES = FRAME.pu.contingency([0, 0.2], ranks="all")
BY_RANK = FRAME.pu.contingency(0.2, ranks="all", beta_interval=(0.1, 0.3))


def gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 5 * tp - fp


MOST = 16_000  # vertices: two for each cell of x, y, and the logarithm of x, at most
DPI = 120
PLOTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "roc": ("plot_roc", {}),
    "pr": ("plot_pr", {}),
    "rank": ("plot_metric", {"quantity": "f1"}),
    "fraction": ("plot_metric", {"quantity": "mcc", "x": "fraction"}),
    "threshold": ("plot_metric", {"quantity": "precision", "x": "threshold"}),
    "gain by rank": ("plot_metric", {"quantity": gain}),
    "gain by threshold": ("plot_metric", {"quantity": gain, "x": "threshold"}),
}
every_plot = pytest.mark.parametrize("plot", PLOTS)
# Of these each takes other ways: steps back, bends, a function of counts, steps held.
some_plots = pytest.mark.parametrize("plot", ["roc", "pr", "gain by rank", "threshold"])


def draw(plot: str, tables: xr.Dataset) -> Axes:
    method, arguments = PLOTS[plot]
    ax = getattr(tables.pu, method)(**arguments)
    assert isinstance(ax, Axes)
    return ax


def vertices(ax: Axes) -> list[int]:
    """Return how many vertices each line has, and each of two edges of each area."""
    areas = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    assert areas
    return [
        *(len(np.asarray(line.get_xydata())) for line in ax.lines),
        *(len(area.get_xy()) // 2 for area in areas),
    ]


def saved(ax: Axes, kind: str) -> bytes:
    buffer = BytesIO()
    assert isinstance(ax.figure, Figure)
    ax.figure.savefig(buffer, format=kind, dpi=DPI)
    return buffer.getvalue()


def smooth(size: int) -> Path:
    x = np.arange(float(size))
    return x, np.sin(x / size * 7) + (x == size // 3)


def precision(size: int) -> Path:
    """Return the precision at each rank, which jumps up and down at first."""
    ranks = np.arange(1.0, size + 1)
    positive = np.random.default_rng(0).random(size) < 0.5 * np.exp(-4 * ranks / size)
    return ranks, np.cumsum(positive) / ranks


def steps(size: int) -> Path:
    """Return values that are held, most from one score to the next, some for long."""
    x = np.sort(np.random.default_rng(0).exponential(size=size // 2) ** 3)
    return hold(x, np.tanh(x) + 0.2 * (np.arange(x.size) // 500 % 2))


def roc(size: int) -> Path:
    """Return a ROC curve: where it steps up it steps back, too."""
    positive = np.random.default_rng(0).random(size) < 0.3 * np.exp(-9 * np.arange(size) / size)
    fp = np.append(0, np.cumsum(np.where(positive, -1.5, 1.0))) + 2000.0
    tp = np.append(0, np.cumsum(positive))
    return fp / fp.max(), tp / tp[-1]


def vertical(size: int) -> Path:
    return np.full(size, 2.0), np.sort(np.random.default_rng(0).random(size))


@pytest.mark.parametrize("curve", [smooth, precision, steps, roc, vertical])
def test_vertices_that_are_left_out_are_within_a_pixel_of_others(curve: Any) -> None:
    x, y = curve(60_000)
    kept_x, kept_y = artists.thin(x, y)
    assert kept_x.size < 0.5 * x.size
    assert (kept_x[0], kept_y[0], kept_x[-1], kept_y[-1]) == (x[0], y[0], x[-1], y[-1])
    pixel = [max(np.ptp(side), 1e-9) / 2_000 for side in (x, y)]
    points, corners = (np.stack(path, axis=1) / pixel for path in ((x, y), (kept_x, kept_y)))
    distances, _ = cKDTree(corners).query(points, p=np.inf)
    assert np.max(distances) <= 1
    if x.min() > 0 and np.ptp(x) > 0:  # on a logarithmic axis, too
        scale = np.ptp(np.log(x)) / 2_000
        distances, _ = cKDTree(np.log(kept_x)[:, None]).query(np.log(x)[:, None])
        assert np.max(distances) <= scale


def test_few_points_and_those_without_an_extent_are_drawn_as_they_are() -> None:
    for x in (np.arange(100.0), np.append(np.arange(10_000.0), np.inf)):
        assert artists.thin(x, x)[0] is x


@some_plots
def test_pictures_of_many_cutoffs_have_few_vertices(plot: str) -> None:
    assert max(vertices(draw(plot, TABLES))) <= MOST


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
def test_envelopes_of_many_cutoffs_have_few_vertices(x: str) -> None:
    assert max(vertices(BY_RANK.pu.plot_metric("f1", x=x))) <= MOST


@some_plots
def test_vector_files_are_small(plot: str) -> None:
    assert len(saved(draw(plot, TABLES), "pdf")) < 250_000


def test_a_rank_cdf_of_many_cutoffs_has_few_vertices() -> None:
    ax = FRAME.pu.plot_rank_cdf(0.2, reference="positives", ranks="all")
    assert max(vertices(ax)) <= MOST


def test_what_is_drawn_stays_whole() -> None:
    before = TABLES.copy(deep=True)
    inner = BY_RANK.copy(deep=True)
    for plot in PLOTS:
        draw(plot, TABLES)
        draw(plot, BY_RANK)
        plt.close("all")
    xr.testing.assert_identical(TABLES, before)
    xr.testing.assert_identical(BY_RANK, inner)
    assert TABLES.pu.roc_bounds().sizes["rank"] == len(FRAME) + 1


def line(ax: Axes, beta: float = 0.2) -> Line2D:
    return next(one for one in ax.lines if one.get_label() == f"β̂ = {beta}")


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        *((name, [0, 1, 4, 30, 300]) for name in METRICS),
        *product(["precision", "fpr", "mcc"], [[3, 7], range(301)]),
    ],
)
def test_between_cutoffs_a_metric_follows_straight_lines_of_counts(name: str, ranks: Any) -> None:
    frame = binormal(60, 240, 0.3, seed=7)[0]
    tables = frame.pu.contingency(0.2, ranks=list(ranks))
    x, y = np.asarray(line(tables.pu.plot_metric(name)).get_xydata()).T
    one = tables.sel(beta=0.2, bound="estimate")
    between = [np.interp(x, one["rank"], one[key]) for key in COUNTS]
    np.testing.assert_array_equal(y, evaluate(name, *between))
    assert (np.diff(x) > 0).all()
    defined = one["rank"].to_numpy()[np.isfinite(evaluate(name, *(one[key] for key in COUNTS)))]
    assert set(defined[int(name == "precision" and defined[0] == 0) :]) <= set(x)
    assert x.size > 400


@pytest.mark.parametrize(
    ("name", "x"),
    [
        *(("precision", "rank"), ("fpr", "rank"), ("mcc", "rank"), (gain, "rank")),
        *(("mcc", "fraction"), ("precision", "threshold"), (gain, "threshold")),
    ],
)
def test_envelopes_do_not_depend_on_blocks(
    name: Any, x: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    for block in (7, 1_000):
        monkeypatch.setattr(metrics, "_BLOCK", block)
        ax = ask("bad").pu.plot_metric(name, x=x)
        drawn.append([patch.get_xy() for patch in ax.patches if isinstance(patch, Polygon)])
    for one, other in zip(*drawn, strict=True):
        np.testing.assert_array_equal(one, other)


def test_points_without_a_value_at_any_bound_are_left_out() -> None:
    frame = pd.DataFrame({"score": [5, 4, 3, 2, 1], "label": [None, 1, None, None, 1]})
    tables = frame.pu.contingency(0.5, ranks="all").astype(float)
    gone = tables.where(~tables["rank"].isin([2, 4]))
    x = np.asarray(line(gone.pu.plot_roc(), 0.5).get_xdata())
    known = tables.pu.roc_bounds().isel(rank=[0, 1, 3, 5]).sel(bound="estimate", beta=0.5)
    np.testing.assert_array_equal(x, known["fpr"])

"""Bands over an interval of beta, read back from their polygons."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Polygon

from tests.arguments.test_beta_interval import GROUPS, PARTS, SIDES, ask
from tests.cases import legend
from tests.plots.test_curves import bands


def hatched(ax: Axes) -> list[Polygon]:
    return [one for one in bands(ax) if str(one.get_label()).startswith("envelope")]


from tests.cases import binormal, legend
from tests.plots.test_curves import bands, lines

FRAME = binormal(40, 160, 0.4, seed=8)[0]
FRAME["g"] = np.where(np.arange(len(FRAME)) % 3, "a", "b")
BETAS = [0, 0.1, 0.15, 0.2, 0.25, 0.3]
INSIDE = ("beta", [False, True, True, False, True, True])
LOW, HIGH = 0.1, 0.3
PLOTS: dict[str, tuple[Any, ...]] = {"plot_roc": (), "plot_pr": (), "plot_metric": ("precision",)}
every_plot = pytest.mark.parametrize("plot", PLOTS)


def widened(pu: Any, **how: Any) -> xr.Dataset:
    tables: xr.Dataset = pu.contingency(BETAS, **how).assign_coords(inside=INSIDE)
    return tables


def draw(plot: str, tables: xr.Dataset, *arguments: Any, **keywords: Any) -> Any:
    return getattr(tables.pu, plot)(*(arguments or PLOTS[plot]), **keywords)


def edges(ax: Any) -> tuple[Any, Any]:
    """Return the upper and the lower edge of the one band."""
    (band,) = bands(ax)
    corners = band.get_xy()
    size = len(corners) // 2  # the first is repeated only where it is not the last one
    return corners[:size].T, corners[size : 2 * size][::-1].T


@every_plot
def test_a_curve_has_one_band_that_says_where_beta_lies(plot: str) -> None:
    tables = widened(FRAME.pu)
    ax = draw(plot, tables, baseline=True)
    assert "95% exact band,\nthese examples,\nβ̂ within (0.1, 0.3)" in legend(ax)
    assert len(bands(ax)) == 1 and "β̂ = 0 (unlabeled as negative)" in legend(ax)
    alone = draw(plot, tables.sel(beta=[0, 0.2]).drop_vars("inside"))
    line, other = (np.asarray(lines(each)["β̂ = 0.2"].get_xydata()) for each in (ax, alone))
    np.testing.assert_array_equal(line, other)
    assert not any("within" in text for text in legend(alone))
    none = tables.assign_coords(inside=("beta", [False] * len(BETAS)))
    assert len(bands(draw(plot, none))) == len(BETAS) - 1


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr"])
def test_the_band_holds_those_of_all_betas_and_nothing_else(plot: str) -> None:
    tables = widened(FRAME.pu)
    up, down = edges(draw(plot, tables))
    high, low = [], []
    for beta in BETAS[1:]:
        alone = tables.sel(beta=[beta]).drop_vars("inside")
        (around,) = bands(draw(plot, alone))
        high.append(at_equal_x(up[0], around.get_xy().T, max))
        low.append(at_equal_x(down[0], around.get_xy().T, min))
    np.testing.assert_allclose(up[1], np.max(high, 0), atol=1e-9)
    np.testing.assert_allclose(down[1], np.min(low, 0), atol=1e-9)


@every_plot
def test_groups_have_envelopes_in_their_hues_or_panels(plot: str) -> None:
    ax = draw(plot, GROUPS.pu(by="site"), beta=0.3, beta_interval=(0.2, 0.4))
    patches = hatched(ax)
    hues = {to_rgb(line.get_color()) for line in ax.lines if line.get_label() in PARTS}
    assert {to_rgb(patch.get_edgecolor()) for patch in patches} == hues
    assert len(patches) == len(hues) == 2 and count_named(ax) == 1
    how = {"beta": [0.25, 0.3], "beta_interval": (0.2, 0.4)}
    grid = draw(plot, GROUPS.pu(by="site"), col="site", **how)
    one, other = (patch.get_xy() for ax in grid.axes.flat for patch in hatched(ax))
    assert one.shape != other.shape or not np.allclose(one, other)
    assert count_named(grid) == 1


def test_the_polygon_is_the_envelope() -> None:
    tables = ask("mixed, wide")
    for plot, curve in (("plot_roc", "roc"), ("plot_pr", "pr")):
        curves = getattr(tables.pu, f"{curve}_bounds")()
        (patch,) = hatched(getattr(curves.transpose(*[*curves.dims][::-1]).pu, plot)())
        envelope = curves[{"roc": "tpr_envelope", "pr": "precision_envelope"}[curve]]
        grid = envelope[envelope.dims[0]].to_numpy()
        x, y = patch.get_xy()[: 2 * grid.size].T
        np.testing.assert_array_equal(x, [*grid, *grid[::-1]])
        low, high = (envelope.sel(envelope=side).to_numpy() for side in SIDES)
        np.testing.assert_array_equal(y, [*high, *low[::-1]])

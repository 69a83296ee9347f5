"""Bands over an interval of beta, read back from their polygons."""

from typing import Any

import numpy as np
import pytest
import xarray as xr

from pu_accessor.plots import curves
from tests.cases import binormal, legend
from tests.plots.test_curves import bands, lines

FRAME = binormal(40, 160, 0.4, seed=8)[0]
FRAME["g"] = np.where(np.arange(len(FRAME)) % 3, "a", "b")
BETAS = [0, 0.1, 0.15, 0.2, 0.25, 0.3]
INSIDE = ("beta", [False, True, True, False, True, True])
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
    assert "95% band, pointwise,\nβ from 0.1 to 0.3" in legend(ax)
    assert len(bands(ax)) == 1 and "β = 0 (unlabeled as negative)" in legend(ax)
    alone = draw(plot, tables.sel(beta=[0, 0.2]).drop_vars("inside"))
    line, other = (np.asarray(lines(each)["β = 0.2"].get_xydata()) for each in (ax, alone))
    np.testing.assert_array_equal(line, other)
    assert not any("within" in text for text in legend(alone))
    none = tables.assign_coords(inside=("beta", [False] * len(BETAS)))
    assert len(bands(draw(plot, none))) == len(BETAS) - 1


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr"])
def test_the_band_holds_those_of_all_betas_and_nothing_else(
    plot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves, "without_teeth", lambda curve, _: curve)
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


def at_equal_x(places: Any, path: Any, choose: Any) -> list[float]:
    """Return the highest, or the lowest, height at which a path passes each place."""
    x, y = path
    found: list[list[float]] = [[] for _ in places]
    for number, place in enumerate(places):
        for x0, x1, y0, y1 in zip(x[:-1], x[1:], y[:-1], y[1:], strict=True):
            if min(x0, x1) - 1e-12 <= place <= max(x0, x1) + 1e-12:
                part = (place - x0) / (x1 - x0) if x1 != x0 else 0
                found[number] += [y0 + part * (y1 - y0), *([y1] if x1 == x0 else [])]
    return [choose(heights) for heights in found]


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
@pytest.mark.parametrize("name", ["precision", "fpr", "mcc", lambda tp, fp, fn, tn: tp - fp])
def test_the_band_of_a_metric_has_the_lowest_and_the_highest(name: Any, x: str) -> None:
    tables = widened(FRAME.pu).isel(rank=slice(1, None) if x == "rank" else slice(None))
    up, down = edges(draw("plot_metric", tables, name, x=x))
    plain = tables.drop_vars("inside")
    values = plain.pu.metric(name).sel(beta=BETAS[1:], bound=["lower", "upper"])
    values = values.astype(float).isel(rank=slice(1, None))
    scale = {"rank": 1, "fraction": 1 / len(FRAME)}.get(x, 1)
    place = (values["rank"] * scale if x != "threshold" else values["threshold"]).to_numpy()
    for drawn, side in (
        (up, values.max(["beta", "bound"])),
        (down, values.min(["beta", "bound"])),
    ):
        known = np.isfinite(side.to_numpy())
        if x == "threshold":
            points = set(map(tuple, np.round(drawn.T, 9)))
            there = zip(place[known].round(9), side.to_numpy()[known].round(9), strict=True)
            assert set(there) <= points
        else:
            np.testing.assert_allclose(np.interp(place[known], *drawn), side[known], atol=2e-3)

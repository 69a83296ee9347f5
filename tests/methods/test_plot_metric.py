"""Pictures of a metric by cutoff, read back from their artists."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.cases import as_frame, draw_case
from tests.plots.test_many import TABLES, bands, metric, path, wide

# Metrics


@pytest.mark.parametrize("x", ["rank", "threshold", "fraction"])
@pytest.mark.parametrize("name", ["precision", "mcc", lambda tp, fp, fn, tn: tp - 2 * fp])
@pytest.mark.parametrize("seed", [3, 39])  # with ties
def test_metric_passes_through_the_values_at_all_cutoffs(name: Any, x: str, seed: int) -> None:
    frame = as_frame(draw_case(seed))
    tables = frame.pu.contingency(0.4, ranks="all").isel(rank=slice(1, None))
    values = tables.pu.metric(name).isel(beta=0).astype(np.float64)
    # The line is that of the estimate as it is, not of whole examples.
    ranks = {"rank": tables["rank"].values}
    found = frame.pu.metric(name, 0.4, at=ranks, target="examples")
    values.loc[{"bound": "estimate"}] = found["estimate"]
    place = {"rank": tables["rank"], "fraction": tables["rank"] / len(frame)}
    at = place.get(x, tables["threshold"]).to_numpy()
    ax = frame.pu.plot_metric(name, 0.4, x=x)
    assert ax.get_ylabel() == {"mcc": "Matthews correlation"}.get(str(values.name), values.name)
    (line,), (band,) = ax.lines, bands(ax)
    up, down = np.split(band.get_xy()[: 2 * len(path(line))], 2)
    for bound, drawn in {"lower": down[::-1], "estimate": path(line), "upper": up}.items():
        there = values.sel(bound=bound).to_numpy()
        known = np.isfinite(there)
        if x == "threshold":
            corners = {*map(tuple, np.round(drawn, 9))}
            assert {*zip(at[known], np.round(there[known], 9), strict=True)} <= corners
        else:  # ranks between two breakpoints are not corners of the line
            np.testing.assert_allclose(np.interp(at, *drawn.T)[known], there[known], atol=1e-4)
    if x == "threshold":  # the value of the next threshold below holds up to the one above
        u, v = path(line).T
        assert all(u[i] == u[i + 1] or v[i] == v[i + 1] for i in range(u.size - 1))
        middle = (at[:-1] + at[1:]) / 2
        drawn = v[np.searchsorted(u, middle)]
        expected = values.sel(bound="estimate").to_numpy()[:-1]
        known = np.isfinite(expected)
        np.testing.assert_allclose(drawn[known], expected[known], rtol=1e-7, atol=1e-12)


def test_lowest_panels_of_a_wrapped_grid_have_labels() -> None:
    frame = wide(5)
    grid = frame.pu(score=list(frame.columns[1:])).plot_metric("f1", 0.2, col="model")
    assert [bool(ax.get_xlabel()) for ax in grid.axes.flat] == [False, True, True, True, True]


@pytest.mark.parametrize(
    "name",
    [
        lambda tp, fp, fn, tn: np.where(tp > fp, tp, np.nan),
        lambda tp, fp, fn, tn: tp & 1,
        lambda tp, fp, fn, tn: tp > fp,
    ],
)
def test_metrics_that_tables_take_can_be_drawn(name: Any) -> None:
    assert TABLES.pu.metric(name).dims == TABLES["tp"].dims
    TABLES.pu.plot_metric(name, hue="model", col="beta")


def test_a_function_that_fails_leaves_no_figure() -> None:
    with pytest.raises(ZeroDivisionError):
        metric(lambda tp, fp, fn, tn: tp if not tp.size else 1 / 0)()
    assert plt.get_fignums() == []

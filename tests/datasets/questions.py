"""Every question to tables, for tests that go over all of them."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes


def _picture(ax: Axes) -> list[Any]:
    """Return what is drawn: each line and each corner of a band."""
    found = [line.get_xydata() for line in ax.lines]
    found += [patch.get_xy() for patch in ax.patches if hasattr(patch, "get_xy")]
    plt.close("all")
    return found


QUESTIONS: dict[str, Callable[[xr.Dataset], Any]] = {
    "roc": lambda ds: ds.pu.roc_bounds(),
    "pr": lambda ds: ds.pu.pr_bounds(),
    "f1": lambda ds: ds.pu.metric("f1"),
    "mcc": lambda ds: ds.pu.metric("mcc"),
    "kappa": lambda ds: ds.pu.metric("kappa"),
    "own metric": lambda ds: ds.pu.metric(lambda tp, fp, fn, tn: tp * tn - fp * fn),
    "area roc": lambda ds: ds.pu.area("auroc"),
    "area pr": lambda ds: ds.pu.area("average_precision"),
    "area of a part": lambda ds: ds.pu.area("auroc", max_fpr=0.1),
    "beta_derivatives": lambda ds: ds.pu.beta_derivatives(),
    "at rank": lambda ds: ds.pu.at(rank=[3, 30]).pu.metric("f1"),
    "at threshold": lambda ds: ds.pu.at(threshold=0.5).pu.metric("f1"),
    "at fraction": lambda ds: ds.pu.at(fraction=0.25).pu.metric("f1"),
    "to_frame": lambda ds: ds.pu.to_frame(),
    "plot_roc": lambda ds: _picture(ds.isel(model=0).pu.plot_roc()),
    "plot_pr": lambda ds: _picture(ds.isel(model=0).pu.plot_pr()),
    "plot_metric": lambda ds: _picture(ds.isel(model=0).pu.plot_metric("mcc")),
}


def within_interval(pu: Any) -> xr.Dataset:
    """Return tables over an interval of beta, whose middle is asked for."""
    tables: xr.Dataset = pu.contingency(pd.Interval(0.1, 0.2), ranks="all")
    return tables


def assert_same(actual: Any, expected: Any) -> None:
    """Hold an answer against another, whatever it is."""
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(actual, expected, check_dtype=False)
    elif isinstance(expected, list):
        assert len(actual) == len(expected) > 0
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    else:
        xr.testing.assert_allclose(actual, expected, rtol=1e-12, atol=0)
        assert set(actual.coords) == set(expected.coords)

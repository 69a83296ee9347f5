"""Curves with their bounds: `roc_bounds` and `pr_bounds`."""

import numpy as np
import pytest
import xarray as xr

from tests.cases import as_frame, binormal, draw_case
from tests.methods.test_contingency import ENDS, check_rounded

FRAME = as_frame(draw_case(8))


@pytest.mark.parametrize("ranks", ["breakpoints", "all", 5])
def test_roc_bounds_and_pr_bounds_are_curves_of_tables(ranks: str | int) -> None:
    tables = FRAME.pu.contingency(0.4, ranks=ranks, band="dkw", level=0.9)
    roc = FRAME.pu.roc_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    pr = FRAME.pu.pr_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    xr.testing.assert_identical(roc.sel(bound=ENDS), tables.pu.roc_bounds().sel(bound=ENDS))
    xr.testing.assert_identical(pr.sel(bound=ENDS), tables.pu.pr_bounds().sel(bound=ENDS))
    check_rounded(tables, roc)  # the estimate of tables is in whole examples
    np.testing.assert_allclose(pr["recall"], roc["tpr"])
    found = (pr["precision"] * (tables["tp"] + tables["fp"])).where(pr["rank"] > 0, 0)
    wanted = (roc["tpr"] * (tables["tp"] + tables["fn"])).transpose(*roc["tpr"].dims)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert list(roc.data_vars) == ["fpr", "tpr"]
    assert list(pr.data_vars) == ["recall", "precision"]
    assert roc["tpr"].dims == pr["recall"].dims == ("rank", "bound", "beta")


def test_curves_come_at_breakpoints() -> None:
    pu = binormal(60, 200, 0.3, seed=1)[0].pu
    breakpoints, every = pu.contingency(0.2, ranks="breakpoints"), pu.contingency(0.2, ranks="all")
    for curves in (pu.roc_bounds(0.2), pu.pr_bounds(0.2)):
        assert curves["rank"].values.tolist() == breakpoints["rank"].values.tolist()
        assert curves["n_cutoffs"] == breakpoints.sizes["rank"] < every.sizes["rank"]
        assert not curves["all_cutoffs"]
    assert every["all_cutoffs"] and every["n_cutoffs"] == every.sizes["rank"]
    some = every.isel(rank=[0, 1])
    assert some["n_cutoffs"] == every.sizes["rank"]  # so that it is known that some are missing
    assert pu.contingency(0.2, ranks=[3, 2])["n_cutoffs"] == 0

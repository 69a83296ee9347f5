"""Tables at some of their cutoffs."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from tests.accessors.test_accessors import FRAME, TABLES


def test_tables_at_some_cutoffs() -> None:
    several = pd.concat([FRAME.assign(site="a"), FRAME.iloc[:9].assign(site="b")])
    for tables in (
        TABLES,
        FRAME.pu.contingency([0, 0.4], ranks="breakpoints"),
        several.pu(by="site").contingency([0, 0.4], ranks="breakpoints"),
        several.pu(by="site").contingency([0, 0.4]),
    ):
        sites = tables["site"].values.tolist() if "site" in tables.coords else [None]
        for site in sites:
            one = tables if site is None else tables.sel(site=site)
            rank, threshold = one["rank"].values, one["threshold"].values
            size = int(one["n_known_positive"] + one["n_known_negative"] + one["n_unlabeled"])
            questions: list[tuple[dict[str, Any], int]]
            questions = [({"rank": asked}, asked) for asked in (0, 3, 4, size)]
            questions += [({"fraction": x}, int(x * size)) for x in (0, 0.2, 0.75, 1)]
            for question, asked in questions:
                last = np.flatnonzero(rank <= asked)[-1]
                expected = one["tp"].isel({one["tp"].dims[0]: last}).values
                got = tables.pu.at(**question)
                got = got if site is None else got.sel(site=site)
                np.testing.assert_array_equal(np.squeeze(got["tp"].values), expected.squeeze())
            at = float(np.median(FRAME["score"]))
            last = np.flatnonzero(threshold >= at)[-1]
            expected = one["tp"].isel({one["tp"].dims[0]: last}).values
            got = tables.pu.at(threshold=at)
            got = got if site is None else got.sel(site=site)
            np.testing.assert_array_equal(np.squeeze(got["tp"].values), expected.squeeze())


def test_ranks_need_no_index() -> None:
    rng = np.random.default_rng(0)
    label = np.where(rng.random(50) < 0.3, 1.0, np.nan)
    tables = pd.DataFrame({"score": rng.normal(size=50), "label": label}).pu.contingency(0.2)
    plain = tables.drop_indexes("rank").pu.at(rank=5)
    xr.testing.assert_identical(plain, tables.pu.at(rank=5))


def test_a_fraction_is_the_decimal_that_it_is_written_as() -> None:
    assert int(0.29 * 100) == 28  # in floats
    frame = pd.DataFrame({"score": np.arange(100.0), "label": [np.nan, 1] * 50})
    tables = frame.pu.contingency(0.2, ranks="all")
    assert tables.pu.at(fraction=0.29)["rank"] == 29
    assert frame.pu.metric("f1", 0.2, at={"fraction": 0.29})["rank"].item() == 29

"""Tables at some of their cutoffs."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from tests.cases import as_frame, draw_case

FRAME = as_frame(draw_case(8))
TABLES = FRAME.pu.contingency([0, 0.4], ranks="all")
SITES = pd.concat([FRAME.assign(site="a"), FRAME.iloc[:9].assign(site="b")]).pu(by="site")


@pytest.mark.parametrize(
    "tables",
    [
        *(TABLES, TABLES.drop_indexes("rank")),  # ranks need no index
        FRAME.pu.contingency([0, 0.4], ranks="breakpoints"),
        *(SITES.contingency([0, 0.4], ranks=ranks) for ranks in ("breakpoints", "all")),
    ],
)
def test_tables_at_some_cutoffs(tables: xr.Dataset) -> None:
    for site in tables["site"].values.tolist() if "site" in tables.coords else [None]:
        of = {} if site is None else {"site": site}
        one, median = tables.sel(of), float(np.median(FRAME["score"]))
        size = int(one["n_known_positive"] + one["n_known_negative"] + one["n_unlabeled"])
        questions: list[tuple[dict[str, float], Any]]
        questions = [({"rank": asked}, one["rank"] <= asked) for asked in (0, 3, 4, size)]
        questions += [({"fraction": x}, one["rank"] <= int(x * size)) for x in (0, 0.2, 0.75, 1)]
        questions += [({"threshold": median}, one["threshold"] >= median)]
        for question, is_above in questions:
            last = np.flatnonzero(is_above)[-1]
            expected = one["tp"].isel({one["tp"].dims[0]: last}).values
            got = tables.pu.at(**question).sel(of)["tp"].values
            np.testing.assert_array_equal(got.squeeze(), expected.squeeze())


def test_a_fraction_is_the_decimal_that_it_is_written_as() -> None:
    assert int(0.29 * 100) == 28  # in floats
    frame = pd.DataFrame({"score": np.arange(100.0), "label": [np.nan, 1] * 50})
    tables = frame.pu.contingency(0.2, ranks="all")
    assert tables.pu.at(fraction=0.29)["rank"] == 29
    assert frame.pu.metric("f1", 0.2, at={"fraction": 0.29})["rank"].item() == 29

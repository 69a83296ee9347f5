"""The columns of frames of numbers, in one order, and what their attributes say."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import pu_accessor

DF = pu_accessor.load_example()
ROLES: Any = {"score": ["score", "old_score"], "by": "site"}
BETA = pu_accessor.beta_from_labels(29, 150, 1_798, level=0.98)
AT: Any = {"rank": [100, 200]}
ORDER = ["site", "model", "metric", "at", "goal", "beta", "left", "right", "examples"]
ORDER += ["known_positive", "mean_score", "rank", "threshold", "target"]
NUMBERS = ["estimate", "lower", "upper"]

ASKS: dict[str, Callable[..., pd.DataFrame]] = {
    "auroc": lambda pu, beta: pu.auroc(beta),
    "average_precision": lambda pu, beta: pu.average_precision(beta),
    "bedroc": lambda pu, beta: pu.metric("bedroc", beta),
    "metric": lambda pu, beta: pu.metric(["f1", "recall"], beta, at=AT),
    "net_benefit": lambda pu, beta: pu.metric("net_benefit", beta, at={"threshold": [0.2]}),
    "calibration": lambda pu, beta: pu.calibration(beta, bins=4),
    "cutoff": lambda pu, beta: pu.cutoff(beta, precision=0.5),
}


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("roles", [{}, ROLES], ids=str)
@pytest.mark.parametrize("name", ASKS)
def test_columns_stand_in_one_order(name: str, roles: Any) -> None:
    for beta in (0.2, pd.Interval(0.15, 0.25), *(() if roles else (BETA,))):
        columns = [*ASKS[name](DF.pu(**roles), beta).columns]
        where = columns.index("estimate")
        assert columns[where : where + 3] == NUMBERS
        assert columns[:where] == [column for column in ORDER if column in columns]
        assert ("standard_error" in columns) == (
            isinstance(beta, float) and name in ("auroc", "average_precision", "bedroc")
        )


def test_what_rows_share_stands_in_attributes() -> None:
    found = DF.pu.assume(selection_odds=1).auroc(BETA, level=0.9)
    assert {"level": 0.9, "target": "population"}.items() <= found.attrs.items()
    assert "level" not in found
    found = DF.pu.assume(selection_odds=2).auroc(0.2)
    assert found.attrs["selection_odds"] == 2 and "selection_odds" not in found
    assert DF.pu.assume(prevalence=0.1).average_precision(0.2).attrs["prevalence"] == 0.1

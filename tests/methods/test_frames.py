"""What frames of numbers show in a terminal of 80 columns."""

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import pu_accessor

DF = pu_accessor.load_example()
WIDE = {"score": ["score", "old_score"]}
BETA = pu_accessor.beta_from_labels(29, 150, 1_798, level=0.98)
AT: Any = {"rank": [100, 200]}
OLD = int(pd.__version__.split(".")[0]) < 3  # it did not count the dots where it cuts

ASKS: dict[str, Callable[..., pd.DataFrame]] = {
    "auroc": lambda pu, beta, **how: pu.auroc(beta, **how),
    "average_precision": lambda pu, beta, **how: pu.average_precision(beta, **how),
    "bedroc": lambda pu, beta, **how: pu.bedroc(beta, **how),
    "metric": lambda pu, beta, **how: pu.metric(["f1", "recall"], beta, at=AT, **how),
    "net_benefit": lambda pu, beta, **how: pu.net_benefit(beta, thresholds=[0.2], **how),
    "calibration": lambda pu, beta, **how: pu.calibration(beta, bins=4, **how),
    "cutoff": lambda pu, beta, **how: pu.cutoff(beta, precision=0.5, **how),
}


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Show frames as in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    with pd.option_context("display.max_columns", 0, "display.width", 80):
        yield


@pytest.mark.parametrize(
    "roles", [{}, WIDE, {**WIDE, "by": "site"}], ids=["one", "models", "groups"]
)
@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.parametrize("name", ASKS)
def test_estimate_and_limits_are_shown(name: str, varies: bool, roles: Any) -> None:
    pu: Any = DF.pu(**roles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pu_accessor.PUWarning)
        if not varies or name == "cutoff":
            found = ASKS[name](pu, 0.2)
        elif "by" in roles:
            found = ASKS[name](pu, 0.2, beta_interval=(0.15, 0.25))
        else:
            found = ASKS[name](pu, BETA)
    header = repr(found).splitlines()[0]
    assert len(header) <= 80 + 4 * OLD
    assert header.split()[-3:] == ["estimate", "lower", "upper"]
    assert found.attrs["level"] <= 0.97 and "level" not in found


def test_comparisons_show_the_difference() -> None:
    found = DF.pu(**WIDE, by="site").compare(0.2)
    assert repr(found).splitlines()[0].split()[-3:] == ["difference", "lower", "upper"]


def test_what_rows_share_stands_in_attributes() -> None:
    found = DF.pu.auroc(BETA, selection_odds=1, level=0.9)
    told = {"level": 0.9, "target": "population", "joint": "approximate"}
    assert told.items() <= found.attrs.items()
    assert found.attrs["beta_interval"] == tuple(BETA[["lower", "upper"]].iloc[0])
    assert "standard_error" not in found and "standard_error" in DF.pu.auroc(0.2)
    found = DF.pu.auroc(0.2, selection_odds=2)
    assert found.attrs["selection_odds"] == 2 and "selection_odds" not in found
    assert DF.pu.average_precision(0.2, prevalence=0.1).attrs["prevalence"] == 0.1

"""What frames of numbers show in a terminal of 80 columns."""

from collections.abc import Callable
from functools import partial
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
    "metric": lambda pu, beta, **how: pu.metric(["f1", "recall"], beta, at=AT, **how),
    "net_benefit": lambda pu, beta, **how: pu.metric(
        "net_benefit", beta, at={"threshold": [0.2]}, **how, target="examples"
    ),
    "calibration": lambda pu, beta, **how: pu.calibration(beta, bins=4, **how),
    "cutoff": lambda pu, beta, **how: pu.cutoff(beta, precision=0.5, **how),
}


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Show frames as in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    with pd.option_context("display.max_columns", 0, "display.width", 80):
        yield


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("roles", [{}, WIDE, {**WIDE, "by": "site"}], ids=str)
@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.parametrize("name", ["auroc", "average_precision", "bedroc", *ASKS])
def test_estimate_and_limits_are_shown(name: str, varies: bool, roles: Any) -> None:
    pu: Any = DF.pu(**roles)
    ask = partial(ASKS[name], pu) if name in ASKS else getattr(pu, name)
    if not varies or name == "cutoff":
        found = ask(0.2)
    else:
        found = ask(0.2, beta_interval=(0.15, 0.25)) if "by" in roles else ask(BETA)
    header = repr(found).splitlines()[0]
    assert len(header) <= 80 + 4 * OLD
    assert header.split()[-3:] == ["estimate", "lower", "upper"]
    assert found.attrs["level"] <= 0.97 and "level" not in found


def test_what_rows_share_stands_in_attributes() -> None:
    found = DF.pu(**WIDE, by="site").compare("auroc", 0.2)
    assert repr(found).splitlines()[0].split()[-3:] == ["difference", "lower", "upper"]
    found = DF.pu.assume(selection_odds=1).auroc(BETA, level=0.9)
    told = {"level": 0.9, "target": "population", "joint": "approximate"}
    assert told.items() <= found.attrs.items()
    assert found.attrs["beta_interval"] == tuple(BETA[["lower", "upper"]].iloc[0])
    assert "standard_error" not in found and "standard_error" in DF.pu.auroc(0.2)
    found = DF.pu.assume(selection_odds=2).auroc(0.2)
    assert found.attrs["selection_odds"] == 2 and "selection_odds" not in found
    assert DF.pu.assume(prevalence=0.1).average_precision(0.2).attrs["prevalence"] == 0.1

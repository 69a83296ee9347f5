"""The columns of frames of numbers, in one order, what their attributes say, and how they look."""

import pickle
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pytest

import pu_accessor

DF = pu_accessor.load_example()
ROLES: Any = {"score": ["score", "old_score"], "by": "site"}
BETA = pu_accessor.beta_from_labels(29, 150, 1_798, level=0.98)
AT: Any = {"rank": [100, 200]}
ORDER = ["site", "model", "metric", "at", "goal", "beta", "left", "right", "mean_score"]
ORDER += ["rank", "threshold", "target"]
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


SHOWN: dict[str, Callable[[], pd.DataFrame]] = {
    **{name: partial(ask, DF.pu, 0.2) for name, ask in ASKS.items()},
    "compare": lambda: DF.pu(score=ROLES["score"]).compare("auroc", 0.2),
    "gap": lambda: DF.pu(by="site").gap("auroc", 0.2),
    "dominance": lambda: DF.pu(score=ROLES["score"]).dominance(0.2),
    "robustness": lambda: DF.pu.robustness("auroc", 0.2),
    "check_assumptions": lambda: DF.pu.check_assumptions(0.2, strata="site"),
    "estimate_beta": lambda: DF.pu.estimate_beta(),
    "beta_from_labels": lambda: BETA,
    "average": lambda: DF.pu(by="site", average=True).auroc(0.1),
}


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("name", SHOWN)
def test_an_answer_shows_four_digits_and_all_it_has(name: str) -> None:
    found = SHOWN[name]()
    for shown in (repr(found), found._repr_html_()):
        assert not re.search(r"[1-9]\.?[0-9]*\.[0-9]{4}|0\.0*[1-9][0-9]{4}|\.\.\.", shown)
        assert {*re.findall(r"\w+", " ".join(found.columns))} <= {*re.findall(r"\w+", shown)}
        assert name != "check_assumptions" or found["finding"].map(shown.__contains__).all()
    if "upper" in found:  # the estimate and its limits stand side by side
        assert "\\" not in repr(found).partition("upper")[0]


def test_an_answer_is_a_frame_like_others() -> None:
    found = DF.pu.auroc(0.2)
    plain = pd.DataFrame(found)
    assert {*map(type, (found.round(2), found[["beta"]], pd.concat([found])))} == {pd.DataFrame}
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found) != repr(plain)
    pd.testing.assert_frame_equal(found, plain)
    pd.testing.assert_frame_equal(plain, found)
    for chosen in ({"display.precision": 2}, {"display.float_format": "{:.2f}".format}):
        with pd.option_context(*next(iter(chosen.items()))):
            assert repr(found) == repr(plain)

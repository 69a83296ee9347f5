"""The columns of frames of numbers, in one order, what their attributes say, and how they look."""

import pickle
import re
from typing import Any

import pandas as pd
import pytest

import pu_accessor

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
DF = pu_accessor.load_example()
MODELS: Any = {"score": ["score", "old_score"]}
BETA = pu_accessor.beta_from_labels(29, 150, 1_798, level=0.98)
ORDER = ["site", "model", "metric", "at", "goal", "beta", "left", "right", "mean_score"]
ORDER += ["rank", "threshold", "target"]
ASKS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in ("auroc", "average_precision")},
    "bedroc": ("metric", {"metric": "bedroc"}),
    "metric": ("metric", {"metric": ["f1", "recall"], "at": {"rank": [100, 200]}}),
    "net_benefit": ("metric", {"metric": "net_benefit", "at": {"threshold": [0.2]}}),
    **{"calibration": ("calibration", {"bins": 4}), "cutoff": ("cutoff", {"precision": 0.5})},
}


@pytest.mark.parametrize("roles", [{}, MODELS | {"by": "site"}], ids=str)
@pytest.mark.parametrize("name", ASKS)
def test_columns_stand_in_one_order(name: str, roles: Any) -> None:
    method, asked = ASKS[name]
    for beta in (0.2, pd.Interval(0.15, 0.25), *(() if roles else (BETA,))):
        columns = [*getattr(DF.pu(**roles), method)(beta=beta, **asked).columns]
        where = columns.index("estimate")
        assert columns[where : where + 3] == ["estimate", "lower", "upper"]
        assert columns[:where] == [column for column in ORDER if column in columns]
        alone = isinstance(beta, float) and name in ("auroc", "average_precision", "bedroc")
        assert ("standard_error" in columns) == alone


def test_what_rows_share_stands_in_attributes() -> None:
    found = DF.pu.assume(selection_odds=2).auroc(0.2, level=0.9)
    assert found.attrs == {
        **found.attrs,
        "level": 0.9,
        "target": "population",
        "selection_odds": 2,
    }
    assert not {"level", "selection_odds"} & {*found}
    assert DF.pu.assume(prevalence=0.1).average_precision(0.2).attrs["prevalence"] == 0.1


SHOWN: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    *[({}, method, {"beta": 0.2, **asked}) for method, asked in ASKS.values()],
    *[(MODELS, method, {"beta": 0.2}) for method in ("compare", "dominance")],
    ({"by": "site"}, "gap", {"metric": "auroc", "beta": 0.2}),
    ({}, "robustness", {"metric": "auroc", "beta": 0.2}),
    ({}, "check_assumptions", {"beta": 0.2, "strata": "site"}),
    *[({}, "estimate_beta", {}), ({"by": "site", "average": True}, "auroc", {"beta": 0.1})],
]


@pytest.mark.parametrize("place", range(len(SHOWN) + 1))
def test_an_answer_shows_four_digits_and_all_it_has(place: int) -> None:
    roles, method, asked = [*SHOWN, ({}, "", {})][place]
    found = getattr(DF.pu(**roles), method)(**asked) if method else BETA
    for shown in (repr(found), found._repr_html_()):
        assert not re.search(r"[1-9]\.?[0-9]*\.[0-9]{4}|0\.0*[1-9][0-9]{4}|\.\.\.", shown)
        assert {*re.findall(r"\w+", " ".join(found.columns))} <= {*re.findall(r"\w+", shown)}
        assert "finding" not in found or found["finding"].map(shown.__contains__).all()
    if "upper" in found:  # the estimate and its limits stand side by side
        assert "\\" not in repr(found).partition("upper")[0]


def test_an_answer_is_a_frame_like_others() -> None:
    found = DF.pu.auroc(0.2)
    plain = pd.DataFrame(found)
    assert {*map(type, (found.round(2), found[["beta"]], pd.concat([found])))} == {pd.DataFrame}
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found) != repr(plain)
    pd.testing.assert_frame_equal(found, plain)
    for option, value in (("display.precision", 2), ("display.float_format", "{:.2f}".format)):
        with pd.option_context(option, value):
            assert repr(found) == repr(plain)

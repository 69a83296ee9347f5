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
BY: Any = {"by": "site"}
LABELED = pu_accessor.beta_from_labels(29, 150, 1_798, level=0.98)
BETAS = [0.2, pd.Interval(0.15, 0.25), LABELED]
ORDER = ["site", "model", "metric", "at", "goal", "beta", "left", "right", "mean_score"]
ORDER += ["rank", "threshold", "target", "estimate", "lower", "upper"]
NUMBERS: list[tuple[str, dict[str, Any]]] = [
    *[("auroc", {}), ("average_precision", {}), ("metric", {"metric": "bedroc"})],
    ("metric", {"metric": ["f1", "recall"], "at": {"rank": [100, 200]}}),
    ("metric", {"metric": "net_benefit", "at": {"threshold": [0.2]}}),
    ("calibration", {"bins": 4}),
    ("cutoff", {"precision": 0.5}),
]
CALLS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    *[({}, method, {"beta": beta, **asked}) for method, asked in NUMBERS for beta in BETAS],
    *[(MODELS | BY, method, {"beta": 0.2, **asked}) for method, asked in NUMBERS],
    *[(MODELS, method, {"beta": 0.2}) for method in ("compare", "dominance")],
    *[(BY, "gap", {"metric": "auroc", "beta": 0.2}), ({}, "estimate_beta", {})],
    *[({}, "robustness", {"metric": "auroc", "beta": 0.2}), ({}, "", {})],
    ({}, "check_assumptions", {"beta": 0.2, "strata": "site"}),
    (BY | {"average": True}, "auroc", {"beta": 0.1}),
]


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_an_answer_has_its_columns_in_one_order_and_shows_all(place: int) -> None:
    roles, method, asked = CALLS[place]
    found = getattr(DF.pu(**roles), method)(**asked) if method else LABELED
    columns = [*found.columns]
    if place < 4 * len(NUMBERS):
        assert columns[: columns.index("upper") + 1] == [one for one in ORDER if one in columns]
        area = method in ("auroc", "average_precision") or asked.get("metric") == "bedroc"
        assert ("standard_error" in columns) == (area and isinstance(asked["beta"], float))
    # Of a few rows; each has four digits.
    for shown in (repr(found), found._repr_html_()) if roles != MODELS | BY else ():
        assert not re.search(r"[1-9]\.?[0-9]*\.[0-9]{4}|0\.0*[1-9][0-9]{4}|\.\.\.", shown)
        assert {*re.findall(r"\w+", " ".join(columns))} <= {*re.findall(r"\w+", shown)}
        assert "finding" not in found or found["finding"].map(shown.__contains__).all()
        if "upper" in found and asked.get("beta") is not LABELED:  # estimate and limits in a row
            assert "\\" not in repr(found).partition("upper")[0]


def test_what_rows_share_stands_in_attributes() -> None:
    for assumed in ({"selection_odds": 2}, {"prevalence": 0.1}):
        found = DF.pu.assume(**assumed).average_precision(0.2, level=0.9)
        shared = {"level": 0.9, "target": "population", **assumed}
        assert shared.items() <= found.attrs.items() and not {"level", *assumed} & {*found}


def test_an_answer_is_a_frame_like_others() -> None:
    found = DF.pu.auroc(0.2)
    plain = pd.DataFrame(found)
    assert {*map(type, (found.round(2), found[["beta"]], pd.concat([found])))} == {pd.DataFrame}
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found) != repr(plain)
    pd.testing.assert_frame_equal(found, plain)
    for option, value in (("display.precision", 2), ("display.float_format", "{:.2f}".format)):
        with pd.option_context(option, value):
            assert repr(found) == repr(plain)

"""The columns of frames of numbers, in one order, what their attributes say, and how they look."""

import pickle
import re
from pathlib import Path
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


@pytest.mark.parametrize("beta", BETAS[:2])
@pytest.mark.parametrize("score", ["score", ["score", "old_score"]])
def test_a_wide_answer_states_what_rows_share_below_it(score: Any, beta: Any) -> None:
    lines = repr(DF.pu(score=score).robustness("auroc", beta)).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) == 2 + 8 * (1 if score == "score" else 2)
    assert lines[-1] == "[all rows: metric auroc, beta 0.2, target population]"


def test_an_estimate_of_beta_says_that_it_is_the_largest() -> None:
    found = DF.pu.estimate_beta()
    for shown in (repr(found), found._repr_html_()):
        assert "is the largest plausible beta: too high, unless" in " ".join(shown.split())


def test_an_answer_is_ready_to_paste(tmp_path: Path) -> None:
    name, file = "50%_a&b", tmp_path / "answer.xlsx"
    found = DF.rename(columns={"old_score": name}).pu(score=["score", name]).compare("auroc", 0.2)
    head, row = [line.split(" & ") for line in found.to_latex().splitlines()[2:5:2]]
    assert (head[:2], head[-2]) == ([r"model\_a", r"model\_b"], r"p\_adjusted")
    assert row[:4] == ["score", r"50\%\_a\&b", "auroc", "0.2"]
    assert row[5] == f"{found['difference'].item():.4g}" and row[8] == "202"
    assert "0 & score" in found.to_latex(index=True)
    with pd.option_context("display.float_format", "{:.2f}".format):
        assert " & 0.20 & " in found.to_latex()
    openpyxl = pytest.importorskip("openpyxl")
    found.to_excel(file)
    pd.testing.assert_frame_equal(pd.read_excel(file), found, check_dtype=False)
    columns = openpyxl.load_workbook(file).active.columns
    formats = {head.value: cell.number_format for head, cell in columns}
    assert (formats["n"], formats["difference"]) == ("General", "0.000")

"""Estimates of beta for each group, or one for all, in questions of several groups."""

from functools import partial
from typing import Any

import pandas as pd
import pytest
import xarray as xr
from scipy import special

import pu_accessor
from tests.arguments.test_beta_estimate import draw
from tests.support.studies import joint_gaps

FRAME = draw(size=900)
FRAME = FRAME.assign(p=special.expit(FRAME["a"] - 1), q=special.expit(FRAME["b"] - 1))
HIDDEN = {site: int(rows["label"].isna().sum()) for site, rows in FRAME.groupby("site")}
EACH: pd.DataFrame = pd.concat(
    pu_accessor.beta_from_labels(6, 60, hidden, level=0.98).assign(site=[site])
    for site, hidden in HIDDEN.items()
)
ALL = pu_accessor.beta_from_labels(12, 120, sum(HIDDEN.values()), level=0.98)
EXACT = EACH.assign(lower=EACH["beta"], upper=EACH["beta"]).drop(columns="n_unlabeled")
POINTS = EACH.set_index("site")["beta"]
ENDS = dict(zip(EACH["site"], zip(EACH["lower"], EACH["upper"], strict=True), strict=True))
PU: Any = FRAME.pu(score="p", by="site")
BOTH: Any = FRAME.pu(score=["p", "q"], by="site")
AT: dict[str, Any] = {"at": {"threshold": 0.5}}


TABLES: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("contingency", "roc_bounds", "pr_bounds")},
    **{"net_benefit": {"thresholds": [0.3, 0.5]}, "calibration": {"bins": 4}},
}


def ends_at(beta: pd.DataFrame, level: float) -> Any:
    """Return intervals of estimates at another level, by quantiles of the normal."""
    farther = special.ndtri((1 + level) / 2) / special.ndtri(0.99)
    lower = (beta["beta"] - farther * (beta["beta"] - beta["lower"])).clip(lower=0)
    ends = zip(lower, beta["beta"] + farther * (beta["upper"] - beta["beta"]), strict=True)
    return dict(zip(beta["site"], ends, strict=True)) if "site" in beta else next(ends)


@pytest.mark.parametrize("pu", [PU, BOTH, FRAME.pu(score="p")], ids=["one", "two", "no groups"])
@pytest.mark.parametrize("name", TABLES)
def test_tables_and_what_is_read_of_them_take_a_frame(name: str, pu: Any) -> None:
    """The point is the estimate, the envelope that of the interval, at the level that is left."""
    alone = ALL["beta"].item(), tuple(ALL[["lower", "upper"]].iloc[0])
    beta, (point, ends) = (EACH, (POINTS, ENDS)) if pu in (PU, BOTH) else (ALL, alone)
    ask = partial(getattr(pu, name), **TABLES[name])
    for level, left, within in ((0.95, 0.97, ends), (0.99, 0.995, ends_at(beta, 0.995))):
        found, by_hand = ask(beta, level=level), ask(point, level=left, beta_interval=within)
        if isinstance(found, pd.DataFrame):
            pd.testing.assert_frame_equal(found, by_hand)
        elif level == 0.95:
            xr.testing.assert_identical(found, by_hand)
        else:
            xr.testing.assert_allclose(found, by_hand)
    assert name != "roc_bounds" or pu.plot_roc(beta) is not None


def test_an_exact_beta_changes_no_gap() -> None:
    shared, at = ALL.assign(lower=0.1, upper=0.1, beta=0.1), {"threshold": 0.5}
    for name, where, beta, point in (
        *(("precision", at, EXACT, POINTS), ("precision", 100, EXACT, POINTS)),
        *(("f1", {"fpr": 0.1}, EXACT, POINTS), ("precision", at, shared, 0.1)),
    ):
        found, alone = (PU.gap(name, b, at=where) for b in (beta, point))
        pd.testing.assert_frame_equal(found[alone.columns], alone)
    one, other = PU.gap("auroc", shared, target="examples"), PU.auroc(0.1, target="examples")
    assert one["difference"].item() == pytest.approx(-other["estimate"].diff()[1])


@pytest.mark.parametrize("beta", [EACH, ALL], ids=["each", "all"])
@pytest.mark.parametrize(
    ("name", "how"),
    [
        *(("precision", AT), ("precision", {"at": 100})),
        *(("auroc", {"target": "population"}), ("auroc", {"target": "examples"})),
    ],
)
def test_the_error_of_beta_widens_gaps(name: str, how: Any, beta: pd.DataFrame) -> None:
    point = POINTS if "site" in beta else beta["beta"].item()
    found, alone = (PU.gap(name, b, **how).iloc[0] for b in (beta, point))
    wanted = alone["difference"]
    if name == "auroc":  # at a known beta it is of statistics without a bias
        areas = PU.auroc(point, **how)["estimate"]
        wanted = areas[0] - areas[1]
        assert alone["lower"] < wanted < alone["upper"]
    assert found["difference"] == pytest.approx(wanted)
    sure = PU.gap(name, beta.assign(level=0.995), **how).iloc[0]
    assert sure["lower"] < found["lower"] < found["difference"] < found["upper"] < sure["upper"]
    assert sure.attrs["joint"] == "guaranteed"
    if how == AT:
        assert found["upper"] - found["lower"] > alone["upper"] - alone["lower"]


def test_enrichment_is_no_further_off_than_at_the_ends() -> None:
    ask = partial(PU.metric, "lift", at={"fraction": [0.02, 0.1]})
    found, point, same = (ask(beta) for beta in (EACH, POINTS, EXACT))
    assert (found["estimate"] == point["estimate"]).all()
    assert (found["lower"] <= point["lower"]).all() and (found["upper"] >= point["upper"]).all()
    assert (found["upper"] > point["upper"] + 1e-6).any()
    pd.testing.assert_frame_equal(same[point.columns], point)


@pytest.mark.parametrize("shared", [pytest.param(False, marks=pytest.mark.long), True])
def test_gaps_cover(shared: bool) -> None:
    for cell in joint_gaps.run("normal .76", shared=shared, draws=16).values():
        assert 0.84 <= cell.coverage <= 1 and cell.point_width <= cell.width < 1

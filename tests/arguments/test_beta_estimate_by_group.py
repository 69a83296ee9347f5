"""Estimates of beta for each group, or one for all, in questions of several groups."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special

import pu_accessor
from tests.arguments.test_beta_estimate import draw

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
PU: Any = FRAME.pu(score="p", by="site")
BOTH: Any = FRAME.pu(score=["p", "q"], by="site")
AT: dict[str, Any] = {"at": {"threshold": 0.5}}


QUESTIONS: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("contingency", "roc_bounds", "pr_bounds")},
    **{"metric": {"metric": "net_benefit", **AT}, "calibration": {"bins": 4}},
}


def ends_at(beta: pd.DataFrame, level: float) -> list[float]:
    """Return the interval of an estimate at another level, by quantiles of the normal."""
    farther = special.ndtri((1 + level) / 2) / special.ndtri(0.99)
    point, low, high = beta[["beta", "lower", "upper"]].iloc[0]
    return [max(point - farther * (point - low), 0), point + farther * (high - point)]


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_group_has_the_row_of_its_estimate(name: str) -> None:
    found, both = (getattr(pu, name)(beta=EACH, **QUESTIONS[name]) for pu in (PU, BOTH))
    for site, rows in FRAME.groupby("site"):
        beta = EACH[EACH["site"] == site].drop(columns="site")
        alone = getattr(rows.pu(score="p"), name)(beta=beta, **QUESTIONS[name])
        if isinstance(alone, pd.DataFrame):
            one = found[found["site"] == site].drop(columns="site").reset_index(drop=True)
            pd.testing.assert_frame_equal(one, alone)
            one = both[(both["site"] == site) & (both["model"] == "p")]
            one = one.drop(columns=["site", "model"]).reset_index(drop=True)
            pd.testing.assert_frame_equal(one, alone)
        else:
            within = alone["beta"].values[np.asarray(alone["inside"])]
            assert within.size and np.isin(within, found["beta"].values).all()
            assert name != "roc_bounds" or rows.pu(score="p").plot_roc(beta) is not None


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("name", ["contingency", "roc_bounds", "pr_bounds"])
def test_tables_are_those_of_each_beta_at_the_level_that_is_left(name: str, level: float) -> None:
    ask = partial(getattr(FRAME.pu(score="p"), name), ranks="all")
    # The estimate holds at level .98; where more is asked, its errors are split in halves.
    left = 0.97 if level == 0.95 else 0.995
    found = ask(ALL, level=level)
    betas, inside = found["beta"].values, found["inside"].values
    assert betas[~inside].tolist() == [ALL["beta"].item()]
    wanted = list(ALL[["lower", "upper"]].iloc[0]) if level == 0.95 else ends_at(ALL, left)
    assert [betas[inside].min(), betas[inside].max()] == pytest.approx(wanted, rel=1e-9)
    each = ask(betas, level=left)
    for variable in found.data_vars:
        np.testing.assert_array_equal(found[variable], each[variable])


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_calibration_is_within_the_limits_of_each_beta(level: float) -> None:
    pu, limits = FRAME.pu(score="p"), ["lower", "upper"]
    found = pu.calibration(ALL, bins=4, level=level)
    betas = pu.contingency(ALL, level=level, ranks=[9])["beta"].values
    each = pu.calibration(betas, bins=4, level=0.97 if level == 0.95 else 0.995)
    each["bin"] = np.tile(np.arange(4), len(betas))
    wanted = each.groupby("bin").agg({"lower": "min", "upper": "max"})
    np.testing.assert_allclose(found[limits], wanted[limits], atol=1e-9)
    assert (found["beta"] == ALL["beta"].item()).all()


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
    assert found["lower"] < found["difference"] < found["upper"]
    if "site" in beta:  # an error that groups share cancels in part
        wide = PU.gap(name, beta.assign(level=0.9), **how).iloc[0]
        assert wide["lower"] < found["lower"] and found["upper"] < wide["upper"]
    if how == AT:
        assert found["upper"] - found["lower"] > alone["upper"] - alone["lower"]


def test_enrichment_is_no_further_off_than_at_the_ends() -> None:
    ask = partial(PU.metric, "lift", at={"fraction": [0.02, 0.1]})
    found, point, same = (ask(beta) for beta in (EACH, POINTS, EXACT))
    assert (found["estimate"] == point["estimate"]).all()
    assert (found["lower"] <= point["lower"]).all() and (found["upper"] >= point["upper"]).all()
    assert (found["upper"] > point["upper"] + 1e-6).any()
    pd.testing.assert_frame_equal(same[point.columns], point)

"""Estimates of beta as beta: what their error adds to answers, for all groups or for each."""

import math
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.testing as npt
import pandas as pd
import pytest
import xarray as xr
from scipy import special

import pu_accessor
from tests.cases import binormal, put
from tests.support.oracles import completion_oracle, oracle
from tests.support.oracles.joint_oracle import disc_limits

METHODS = {"by hand": False, "feasible": True}  # whether beta has only an upper limit
each_method = pytest.mark.parametrize("method", METHODS)
ENDS, LEVEL = ["lower", "upper"], 0.95
normal = special.ndtri


FROM_LABELS: Any = pu_accessor.beta_from_labels
RNG = np.random.default_rng(0)
FRAME, _, TRUTH = binormal(200, 600, 2 / 3, 0, 1.6)
FRAME = FRAME.rename(columns={"score": "a"}).assign(b=RNG.normal(1.2 * TRUTH))
FRAME = FRAME.assign(p=special.expit(FRAME["a"] - 1), q=special.expit(FRAME["b"] - 1))
FRAME["site"] = RNG.integers(1, 3, 800)
PU: Any = FRAME.pu(score="p")
BY_SITE: Any = FRAME.pu(score="p", by="site")
EACH: pd.DataFrame = pd.concat(
    FROM_LABELS(6 * site, 60, int(rows["label"].isna().sum()), level=0.98).assign(site=[site])
    for site, rows in FRAME.groupby("site")
)
AT: dict[str, Any] = {"at": {"threshold": 0.5}}


def estimated(method: str, numbers: list[float], level: float) -> pd.DataFrame:
    """Return the frame of an estimate: beta, its limits and their level."""
    columns = ["beta", *ENDS, "level"]
    return pd.DataFrame([[*numbers, level]], columns=columns).assign(method=method)


def grid_of(beta: pd.DataFrame, only_upper: bool, level: float) -> list[float]:
    """Return the estimate, its limits as of another level, and what is between some of them."""
    point, low, high, stated = beta[["beta", *ENDS, "level"]].iloc[0]
    one_sided = normal((1 + level) / 2) / normal(stated)
    both = normal((1 + level) / 2) / normal((1 + stated) / 2)
    low = low if only_upper else max(point - both * (point - low), 0)
    high = point + (one_sided if only_upper else both) * (high - point)
    inside = [low + share * (point - low) for share in (0.25, 0.5, 0.75) if only_upper]
    return [point, low, high, *inside]


def joined(asked: Any, only_upper: bool) -> list[float]:
    """Return an answer at the estimate, and limits of both errors, from those at each beta."""
    value = "difference" if "difference" in asked else "estimate"
    values, lows, highs = (asked[name].to_numpy() for name in (value, *ENDS))
    places = [0, 2, 2] if only_upper else [0, 1, 2]
    some = (part[places] for part in (values, values - lows, highs - values))
    low, high = disc_limits(*(tuple(each.tolist()) for each in some))
    free = [0, 1, *range(3, len(values))] if only_upper else [0]
    return [values[0], min(low, *lows[free]), max(high, *highs[free])]


TARGETS = ["population", "examples"]
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    *product(["auroc", "average_precision"], [{"target": one} for one in TARGETS]),
    *(("metric", {"metric": "precision", **AT}), ("compare", {"metric": "auroc"})),
    ("gap", {"metric": "precision", **AT}),
]


@each_method
@pytest.mark.parametrize(("name", "how"), QUESTIONS)
def test_errors_of_beta_and_of_the_ranking_add_like_the_disc(
    name: str, how: dict[str, Any], method: str
) -> None:
    level, pu = 0.9, {"compare": FRAME.pu(score=["a", "b"]), "gap": BY_SITE}.get(name, PU)
    beta = estimated(method, [0.1, 0.07, 0.13], 0.95)
    ask = partial(getattr(pu, name), level=level, **how)
    found, grid = ask(beta=beta).iloc[0], grid_of(beta, METHODS[method], level)
    one_by_one: pd.DataFrame = pd.concat(ask(beta=each) for each in grid)
    value, low, high = joined(one_by_one, METHODS[method])
    assert found["difference" if "difference" in found else "estimate"] == pytest.approx(value)
    assert found[ENDS].tolist() == pytest.approx([low, high], abs=2e-4)
    assert (found["beta"], found.attrs["level"]) == (0.1, level)
    if name == "compare":
        assert found["p_value"] == one_by_one["p_value"].iloc[0]


@pytest.mark.parametrize("metric", ["auroc", "average_precision"])
def test_an_interval_of_beta_has_the_differences_of_all_its_betas(metric: str) -> None:
    pu = FRAME.pu(score=["a", "b"])
    found = pu.compare(metric, pd.Interval(0.1, 0.3)).iloc[0]
    each, middle = pu.compare(metric, [0.1, 0.2, 0.3]), pu.compare(metric, 0.2).iloc[0]
    assert found[ENDS].tolist() == pytest.approx([each["lower"].min(), each["upper"].max()])
    others = ["difference", "beta", "p_value", "sign"]
    assert found[others].tolist() == pytest.approx(middle[others].tolist(), rel=1e-9)


@pytest.mark.parametrize("at", [{"recall": 0.5}, "youden"])
def test_metric_at_the_cutoff_of_the_point(at: Any) -> None:
    ask = partial(PU.metric, "precision", at=at, target="examples")
    point, same = ask(0.1), ["rank", "threshold", "estimate"]
    for beta in (FROM_LABELS(12, 120, 667), pd.Interval(0.05, 0.15)):
        pd.testing.assert_frame_equal(ask(beta)[same], point[same])


NAMES = ["precision", "recall", "fpr", "npv", "kappa"]


@each_method
@pytest.mark.parametrize("place", [0, 6, 12, 45, 85, 96])  # where limits are cut, and where not
def test_joint_limits_of_a_metric_are_those_of_all_tables(method: str, place: int) -> None:
    n, rest, only_upper = 20, 80, METHODS[method]
    score = np.arange(n + rest, 0, -1.0)
    known = np.isin(np.arange(n + rest), 3 * np.arange(n) + np.arange(n) // 7)
    labels = [True if one else None for one in known.tolist()]
    pu = pu_accessor.from_arrays(score, labels)
    point, low, high = 0.3, 0.14, 0.52
    beta, k = estimated(method, [point, low, high], LEVEL), int(known[:place].sum())
    head = place - k

    def claim(beta: float) -> tuple[int, float, int, int, int, int]:
        m = int(beta * rest + 0.5)
        lower, upper = (side[k] for side in oracle.exact_band(n, m, LEVEL))
        (completed,) = completion_oracle.latent_above(score.tolist(), labels, m, [head])
        middle = min(max(float(completed), lower), upper)
        return m, middle, lower, upper, max(m - rest + head, 0), min(m, head)

    grid = grid_of(beta, only_upper, LEVEL)
    walk = [(each, 1.0) for each in grid if each not in grid[1:3]]
    shares = np.sin(np.pi / 8 * np.arange(1, 5)).tolist()
    for end in grid[1 + only_upper : 3]:
        walk += [(point + t * (end - point), math.sqrt(max(1 - t * t, 0.0))) for t in shares]
    walk += [(low, 1.0)] * only_upper
    claims = [claim(beta) for beta, _ in walk]
    cut = any(c[2] < c[4] for c in claims), any(c[3] > c[5] for c in claims)
    found = pu.metric(NAMES, beta, at=place, target="examples", level=LEVEL)
    for name, row in zip(NAMES, found.to_dict("records"), strict=True):
        values = []
        for (m, middle, lower, upper, least, most), (_, left) in zip(claims, walk, strict=True):
            down, up = (1.0 if whole else left for whole in cut)
            ends = middle - down * (middle - lower), middle + up * (upper - middle)
            for v in (math.floor(ends[0] + 1e-12), math.ceil(ends[1] - 1e-12)):
                tp = k + min(max(v, least), most)
                table = oracle.Table(
                    place, tp, place - tp, n + m - tp, rest - m - place + tp, False
                )
                values.append(oracle.metric(name, table))
        assert row["lower"] == pytest.approx(np.fmin.reduce(values), abs=1e-12, nan_ok=True)
        assert row["upper"] == pytest.approx(np.fmax.reduce(values), abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("target", ["population", "examples"])
def test_an_estimate_too_high_may_have_limits(target: str) -> None:
    known = (np.arange(1000) < 650) & (np.arange(1000) % 13 < 4)  # 450 of 800 others are positive
    pu = pu_accessor.from_arrays(np.arange(1000.0, 0, -1), np.where(known, 1, np.nan))
    found, none = (pu.auroc(FROM_LABELS(k, 200, 800), target=target).iloc[0] for k in (121, 195))
    assert found["estimate"] == none["estimate"] == 1
    assert 0.8 < found["lower"] < 1 == found["upper"] and none[ENDS].isna().all()


def test_an_estimate_may_leave_no_negatives() -> None:
    beta = FROM_LABELS(20, 20, n_unlabeled=400).assign(beta=0.9)
    found = binormal(40, 400, 1, seed=0, shift=0)[0].pu.auroc(beta, level=0.9).iloc[0]
    assert 0 <= found["lower"] < found["estimate"] < found["upper"] <= beta["upper"].item() == 1


# Tables, and what goes through them


@pytest.mark.parametrize("stated", [0.98, 0.95])
@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("name", ["contingency", "roc_bounds", "pr_bounds"])
def test_tables_have_the_level_that_is_left(name: str, level: float, stated: float) -> None:
    beta = estimated("by hand", [0.1, 0.06, 0.17], stated)
    ask = partial(getattr(PU, name), ranks="all")
    # Where the estimate does not hold at a higher level, both errors are halves.
    left = round(1 - (stated - level), 12) if stated > level else (1 + level) / 2
    found = ask(beta, level=level)
    betas, inside = found["beta"].values, found["inside"].values
    assert betas[~inside].tolist() == [0.1]
    wanted = beta[ENDS].iloc[0].tolist() if stated > level else grid_of(beta, False, left)[1:3]
    assert [betas[inside].min(), betas[inside].max()] == pytest.approx(wanted, rel=1e-9)
    each = ask(betas, level=left)
    assert found.attrs["level"] == each.attrs["level"]
    for variable in found.data_vars:
        npt.assert_array_equal(found[variable], each[variable])
    if name == "contingency":
        limits = PU.calibration(beta, bins=4, level=level)
        bins = PU.calibration(betas, bins=4, level=left)
        bins = bins.assign(bin=np.tile(np.arange(4), len(betas))).groupby("bin")
        npt.assert_allclose(limits[ENDS], bins.agg({"lower": "min", "upper": "max"}), atol=1e-9)
        assert (limits["beta"] == 0.1).all()


# Groups

OF_GROUPS: dict[str, dict[str, Any]] = {"contingency": {}, "roc_bounds": {}, "auroc": {}}
OF_GROUPS |= {"calibration": {"bins": 4}, "metric": {"metric": "net_benefit", **AT}}


@pytest.mark.parametrize("name", OF_GROUPS)
def test_each_group_has_the_row_of_its_estimate(name: str) -> None:
    ask = partial(put, FRAME.pu, name, by="site", **OF_GROUPS[name])
    found, both = (ask(beta=EACH, score=score) for score in ("p", ["p", "q"]))
    for site, rows in FRAME.groupby("site"):
        beta = EACH[EACH["site"] == site].drop(columns="site")
        alone = getattr(rows.pu(score="p"), name)(beta=beta, **OF_GROUPS[name])
        if isinstance(alone, xr.Dataset):
            within = alone["beta"].values[np.asarray(alone["inside"])]
            assert within.size and np.isin(within, found["beta"].values).all()
            continue
        for answer in (found, both[both["model"] == "p"]):
            one = answer[answer["site"] == site].reset_index(drop=True)[alone.columns]
            pd.testing.assert_frame_equal(one, alone, check_exact=False, rtol=1e-11)
    if name == "auroc":
        by_site = ask(beta={1: 0.1, 2: 0.05}, score=["p", "q"])
        assert by_site["beta"].tolist() == [0.1, 0.1, 0.05, 0.05]


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("name", ["auroc", "precision"])
def test_gaps_of_two_estimates_add_the_squares_of_both(name: str, target: str) -> None:
    how: dict[str, Any] = {"target": target, **(AT if name == "precision" else {})}
    found = BY_SITE.gap(name, EACH, **how).iloc[0]
    a, b = BY_SITE.metric(name, EACH, **how).to_dict("records")
    gap = a["estimate"] - b["estimate"]

    def add(above: Any, below: Any) -> float:
        away = above["upper"] - above["estimate"], below["estimate"] - below["lower"]
        is_cut = above["upper"] == 1 or below["lower"] == 0
        return sum(away) if is_cut else math.hypot(*away)

    wanted = [gap, gap - add(b, a), gap + add(a, b)]
    assert found[["difference", *ENDS]].tolist() == pytest.approx(wanted, rel=1e-9)


def test_an_estimate_without_an_error_is_its_number() -> None:
    exact = EACH.assign(lower=EACH["beta"], upper=EACH["beta"])
    ask = partial(BY_SITE.metric, "lift", at={"fraction": [0.02, 0.1]})
    point = ask(EACH.set_index("site")["beta"])
    pd.testing.assert_frame_equal(ask(exact)[point.columns], point)


# Intervals of possible betas


WITHIN = [(0.05, 0.2), (0.0, 0.5), (0.13, 0.13)]
WHERE = [*product(["auroc", "f1", "precision"], TARGETS, WITHIN)]
WHERE += [*product(["average_precision"], TARGETS, WITHIN[:1])]


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(("name", "target", "ends"), WHERE)
def test_intervals_have_the_extreme_limits(name: str, target: str, ends: Any) -> None:
    rows = FRAME[::4]
    ask = partial(rows.pu(score="p").metric, name, target=target, **({} if "a" in name else AT))
    found, hidden = ask(pd.Interval(*ends)).iloc[0], int(rows["label"].isna().sum())
    counts = np.arange(math.ceil(ends[0] * hidden), ends[1] * hidden)
    exact = target == "examples" and name in ("f1", "precision")  # all tables are looked at
    each = ask(np.unique([*ends, *counts[:: 1 if exact else 29] / hidden]))
    wanted = [each["lower"].min(), each["upper"].max()]
    assert found[ENDS].tolist() == pytest.approx(wanted, abs=1e-12 if exact else 0.02)
    assert found["lower"] <= wanted[0] + 5e-4 and found["upper"] >= wanted[1] - 5e-4
    assert found["estimate"] == ask(sum(ends) / 2)["estimate"].item()

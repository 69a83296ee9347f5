"""Checks of assumptions, and how far a conclusion resists a violation of one."""

import warnings
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.cases import binormal, put
from tests.support.oracles import checks_oracle as oracle

FRAME, BETA, TRUTH = binormal(200, 800, 0.25, seed=3)  # a quarter of the positives is known
FRAME["better"] = FRAME["score"] + 0.4 * TRUTH
FRAME["worse"] = FRAME["score"] + 0.6 * np.random.default_rng(5).normal(size=TRUTH.size)
MODELS = ["better", "worse"]
PU: Any = FRAME.pu(score="better")
OVER = {"selection_odds": 1}
THESE: dict[str, Any] = {"at": 60, "target": "examples"}
QUESTIONS: list[Any] = [("auroc", 0.65, {}), ("average_precision", 0.3, {})]
QUESTIONS += [("precision", 0.3, THESE), ("difference", 0.0, {})]


@pytest.mark.parametrize(("quantity", "above", "how"), QUESTIONS)
@pytest.mark.parametrize("assumption", ["selection_odds", "contamination"])
def test_where_conclusions_break(quantity: str, above: float, how: Any, assumption: str) -> None:
    paired = quantity == "difference"
    pu, limit = (FRAME.pu(score=MODELS), {}) if paired else (PU, {"above": above})
    ask = partial(put, pu, *(("compare", "auroc") if paired else ("metric", quantity)), **how)
    ends = [1.5, 1] if assumption == "selection_odds" else [0.1, 0]
    found = pu.robustness(quantity, BETA, **limit, **how, over={assumption: ends})
    assert found[assumption].tolist() == ends[::-1]
    point = found["breaking_point"].iloc[0]
    tries: list[tuple[float, bool]] = [(point, True), (point * 1.002, False)]
    if assumption == "contamination":  # of 50 known positives
        tries = [((round(point * 50) + one) / 50, one < 0) for one in (-0.9, 0.1)]
    assert min(ends) < point < (np.inf if assumption == "selection_odds" else 0.5)
    for assumed, holds in tries:
        row = ask(beta=BETA, **{assumption: assumed}).iloc[0]
        assert (row["lower"] > above) == holds == (row.get("p_value", 1 - holds) < 0.05)


def test_a_metric_is_asked_at_each_prevalence() -> None:
    prevalences, at = [0.01, 0.3], {"threshold": 0.5}
    found = PU.robustness("precision", BETA, at=at, over={"prevalence": prevalences})
    each = [PU.assume(prevalence=p).metric("precision", BETA, at=at) for p in prevalences]
    limits = ["prevalence", "target", "estimate", "lower", "upper"]
    wanted = pd.concat(
        [one.assign(prevalence=p) for one, p in zip(each, prevalences, strict=True)]
    )
    pd.testing.assert_frame_equal(found[limits], wanted[limits].reset_index(drop=True))
    assert "breaking_point" not in found and "above" not in found.attrs


CERTAIN: list[Any] = [("auroc", {}, BETA, 0.95, 1), ("auroc", {}, BETA, -1, np.inf)]
CERTAIN += [("precision", THESE, BETA, 2, 0), ("precision", THESE, BETA, -2, np.inf)]
CERTAIN += [("auroc", {}, 0, 0.2, np.inf)]


@pytest.mark.parametrize(("name", "how", "beta", "above", "point"), CERTAIN)
def test_certain_conclusions(name: str, how: Any, beta: float, above: float, point: float) -> None:
    over = {"contamination": 0} if how else OVER  # it goes through all shares
    found = FRAME.pu.robustness(name, beta, above=above, over=over, **how)
    assert found["breaking_point"].tolist() == [point]


def test_each_beta_has_a_point_and_an_interval_that_of_its_first() -> None:
    betas: list[Any] = [[0.05, 0.2], pd.Interval(0.05, 0.2)]
    each, one = (FRAME.pu.robustness("auroc", b, over=OVER)["breaking_point"] for b in betas)
    assert len(each) == 2 and one.item() <= each.min() * 1.002


def test_models_in_rows_are_paired_by_a_column_and_may_be_turned() -> None:
    rows = FRAME.assign(id=range(len(FRAME))).drop(columns="score")
    long = rows.melt(["id", "label"], MODELS, "model", "score").pu(by="model")
    asked: dict[str, Any] = {"metric": "difference", "beta": BETA, "over": OVER}
    found, turned = (FRAME.pu(score=MODELS[::way]).robustness(**asked) for way in (1, -1))
    pd.testing.assert_frame_equal(long.robustness(**asked, on="id"), found)
    points = [each["breaking_point"].item() for each in (found, turned)]
    assert points[0] == pytest.approx(points[1], rel=2e-3)


def draw() -> pd.DataFrame:
    """Draw normal scores, labels at random, two sites and three strata."""
    rng, size = np.random.default_rng(0), 740
    frame, _, truth = binormal(200, 540, 0.3, 0, 1.5)
    frame.loc[200:239, "label"] = 0
    frame = frame.assign(truth=truth, site=rng.choice(["a", "b"], size))
    stratum = pd.cut(frame["score"] + rng.normal(size=size), [-9, 0, 2, 9], labels=[*"lmh"])
    return frame.assign(stratum=stratum.astype(str))


DF, SHARE = draw(), 140 / 640


def check(frame: Any, name: str, *args: Any, **keywords: Any) -> "pd.Series[Any]":
    """Return one row of the answer."""
    row: pd.Series[Any]
    row = frame.pu.check_assumptions(*args, **keywords).set_index("check").loc[name]
    return row


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_waves_have_the_share_of_all_permutations(seed: int, clustered: bool) -> None:
    """Clusters trade waves as a whole, or rows among themselves."""
    rng, known = np.random.default_rng(seed), 7 + clustered
    score = np.round(rng.normal(size=30), 1)
    wave = rng.permutation(np.resize([0, 1], known))
    cluster = np.sort(rng.integers(0, 4, known)) if clustered else np.arange(known)
    if clustered and seed % 2:
        wave = np.array([0, 1, 0, 1])[cluster]
        wave[cluster == cluster[0]], wave[cluster == cluster[-1]] = 0, 1
    rows = pd.DataFrame({"score": score, "id": [*cluster, *range(50, 80 - known)]})
    rows["label"], rows["wave"] = pd.Series([1.0] * known), pd.Series(wave)
    above = oracle.share_above(score[:known].tolist(), score[known:].tolist())
    roles: Any = {"cluster": "id"} if clustered else {}
    answer = rows.pu(**roles).check_assumptions(wave="wave")
    found = answer.iloc[0]
    samples = [[a for a, w in zip(above, wave, strict=True) if w == k] for k in (0, 1)]
    assert found["statistic"] == pytest.approx(stats.kruskal(*samples).statistic)
    assert f"average {min(map(np.mean, samples)):.1%} of the rest rank" in found["finding"]
    exact = oracle.waves(above, wave.tolist(), cluster.tolist())
    assert found["p_value"] == pytest.approx(exact, abs=0.02 if exact < 0.1 else 0.06)
    assert clustered == (len(answer) == 1)


def test_waves_that_differ_are_found_and_rows_without_one_are_in_none() -> None:
    shifted = DF["score"] + 1.2 * (DF["site"] == "b") * DF["truth"]
    found = check(DF.assign(score=shifted), "waves", wave="site")
    assert found["p_value"] < 0.001 and "Ranks of the waves differ" in found["finding"]
    assert found["finding"].index("'b'") < found["finding"].index("'a'")
    missing = DF["site"].where(np.arange(len(DF)) % 3 > 0)
    gone = DF[(DF["label"] != 1) | missing.notna()]
    some = [check(rows, "waves", wave="site") for rows in (DF.assign(site=missing), gone)]
    assert some[0]["statistic"] == pytest.approx(some[1]["statistic"])


def test_strata_have_exact_tails_and_holms_p_value() -> None:
    kinds = {"a": (9, 3, 3), "b": (7, 0, 13), "c": (4, 2, 160), None: (5, 0, 24)}
    stratum = np.repeat(np.array([*kinds], object), [sum(some) for some in kinds.values()])
    label = np.concatenate([np.repeat([1, 0, np.nan], some) for some in kinds.values()])
    score = np.random.default_rng(0).normal(size=label.size)
    frame = pd.DataFrame({"stratum": stratum, "label": label, "score": score})
    found = check(frame, "strata", 0.2, strata="stratum")
    known, latent = 25, round(0.2 * 200)  # also those without a stratum
    tails = [oracle.tail(k, s, known, latent) for k, s in ((9, 12), (7, 20), (4, known + latent))]
    assert found["p_value"] == pytest.approx(min(3 * float(min(tails)), 1))
    assert found["statistic"] == 9 / 12 and "9 of 12 rows" in found["finding"]
    odds = Fraction(found["odds_at_least"])
    assert odds > 1
    for factor, is_surprise in ((0.995, True), (1.005, False)):
        tail = oracle.tail(9, 12, known, latent, odds * Fraction(factor))
        assert (float(tail) <= 0.05 / 3) == is_surprise


@pytest.mark.parametrize("seed", range(5))
def test_negatives_are_tested_pair_by_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    label: list[bool | None] = [True] * 6 + [False] * (1 + seed) + [None] * 30
    score = np.round(rng.normal(size=len(label)), 1 + seed % 2)
    frame = pd.DataFrame({"score": score, "label": pd.array(label, "boolean")})
    found = check(frame, "negatives", 0.2)
    statistic, p_value = oracle.negatives(oracle.place(score.tolist(), label), 0.2)
    assert found["statistic"] == pytest.approx(statistic, rel=1e-5)
    assert found["p_value"] == pytest.approx(p_value, rel=1e-4)


def test_negatives_see_a_wrong_beta_and_say_which_agrees() -> None:
    high, low = (check(DF, "negatives", beta, level=0.8) for beta in (2.2 * SHARE, 0.2 * SHARE))
    assert "beta is too high" in high["finding"] and "beta is too low" in low["finding"]
    agree = float(high["finding"].split("beta = ")[1].rstrip("."))
    same = check(DF, "negatives", agree)
    assert same["p_value"] > 0.9 and "the difference is within chance" in same["finding"]
    above = check(DF, "negatives", 0.9)  # by which AUROC is above 1
    assert above["finding"].startswith("AUROC is 1.000 by beta")


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_the_limit_is_that_of_beta() -> None:
    upper, one = DF.pu.estimate_beta(level=0.9)["upper"].item(), 1 / DF["label"].isna().sum()
    for beta, is_beyond in ((upper, False), (upper + one, True)):
        found = check(DF, "limit", beta, level=0.9)
        assert (found["p_value"] <= 0.1) == is_beyond == ("too high" in found["finding"])
    assert check(DF, "limit", 0.0)["p_value"] == 1


def test_monotone_scores_are_refuted_where_the_warning_comes() -> None:
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.normal(2, 0.3, 80), rng.normal(4, 0.2, 60), rng.normal(size=500)])
    frame = pd.DataFrame({"score": score, "label": np.where(np.arange(640) < 60, 1.0, np.nan)})
    found = check(frame, "monotone")
    assert found["p_value"] <= 0.05 and "Scores are not monotone" in found["finding"]
    for alpha in (0.2, 0.05, 0.01, 1e-3, 1e-6):
        with warnings.catch_warnings(record=True, action="always") as told:
            frame.pu.assume(monotone=True).auroc(0.03, level=1 - alpha)
        is_refuted = any("rejected" in str(each.message) for each in told)
        assert is_refuted == (found["p_value"] <= alpha)
    assert check(DF, "monotone")["p_value"] == 1


def test_the_answer_has_a_row_for_each_check_and_beta() -> None:
    answer = DF.pu.check_assumptions([0.1, 0.2], wave="site", strata="stratum", level=0.9)
    assert answer.attrs["level"] == 0.9
    words = ["not differ", "No stratum", "No stratum", "within", "within", "room", "room"]
    told = zip([*words, "may never mean"], answer["finding"], strict=True)
    assert [(word, text) for word, text in told if word not in text] == []
    pairs = [*zip(answer["check"], answer["beta"].fillna(-1), strict=True)]
    by_beta = [(name, b) for name in ("strata", "negatives", "limit") for b in (0.1, 0.2)]
    assert pairs == [("waves", -1), *by_beta, ("monotone", -1)]
    assert answer["odds_at_least"].notna().tolist() == [name == "strata" for name, _ in pairs]

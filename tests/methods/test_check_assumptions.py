"""Checks of labels at random and beta, against enumeration, other libraries and simulation."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.support.oracles import checks_oracle as oracle

COLUMNS = ["check", "beta", "statistic", "odds_at_least", "p_value", "finding"]


def draw(seed: int, known: int = 60, latent: int = 140, negative: int = 40) -> pd.DataFrame:
    """Draw normal scores, labels at random, two sites and three strata."""
    rng = np.random.default_rng(seed)
    size = known + latent + negative + 500
    truth = np.arange(size) < known + latent
    label = np.full(size, np.nan)
    label[:known], label[known + latent : known + latent + negative] = 1, 0
    columns = {"score": rng.normal(1.5 * truth), "label": label, "truth": truth}
    frame = pd.DataFrame(columns | {"site": rng.choice(["a", "b"], size)})
    stratum = pd.cut(frame["score"] + rng.normal(size=size), [-9, 0, 2, 9], labels=[*"lmh"])
    return frame.assign(stratum=stratum.astype(str))


DF, BETA = draw(0), 140 / 640
BOTH: Any = {"wave": "site", "strata": "stratum"}


def check(frame: Any, name: str, *args: Any, **keywords: Any) -> "pd.Series[Any]":
    """Return one row of the answer."""
    answer = frame.pu.check_assumptions(*args, **keywords)
    row: pd.Series[Any] = answer.set_index("check").loc[name]
    return row


def few(seed: int, known: int, clustered: bool) -> tuple[pd.DataFrame, list[float], Any, Any]:
    """Draw a few known positives among others: rows, shares above, waves and clusters."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.normal(size=30), 1)
    wave = rng.permutation(np.resize([0, 1], known))
    cluster = np.sort(rng.integers(0, 4, known)) if clustered else np.arange(known)
    if clustered and seed % 2:
        wave = np.array([0, 1, 0, 1])[cluster]
        wave[cluster == cluster[0]] = 0
        wave[cluster == cluster[-1]] = 1
    rows = pd.DataFrame({"score": score, "id": [*cluster, *range(50, 80 - known)]})
    rows["label"], rows["wave"] = pd.Series([1.0] * known), pd.Series(wave)
    above = oracle.share_above(score[:known].tolist(), score[known:].tolist())
    return rows, above, wave.tolist(), cluster.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_waves_have_the_share_of_all_permutations(seed: int) -> None:
    frame, above, wave, cluster = few(seed, 7, clustered=False)
    found = check(frame, "waves", wave="wave")
    samples = [[a for a, w in zip(above, wave, strict=True) if w == k] for k in (0, 1)]
    assert found["statistic"] == pytest.approx(stats.kruskal(*samples).statistic)
    assert found["p_value"] == pytest.approx(oracle.waves(above, wave, cluster), abs=0.06)


@pytest.mark.parametrize("seed", range(6))
def test_clusters_trade_waves_as_a_whole_or_among_themselves(seed: int) -> None:
    frame, *known = few(seed, 8, clustered=True)
    answer = frame.pu(cluster="id").check_assumptions(wave="wave")
    assert answer["check"].tolist() == ["waves"]
    exact = oracle.waves(*known)
    assert answer["p_value"].item() == pytest.approx(exact, abs=0.02 if exact < 0.1 else 0.06)


def test_waves_that_differ_are_found_and_named() -> None:
    shifted = DF["score"] + 1.2 * (DF["site"] == "b") * DF["truth"]
    found = check(DF.assign(score=shifted), "waves", wave="site")
    assert found["p_value"] < 0.001 and np.isnan(found["odds_at_least"])
    assert "Ranks of the waves differ" in found["finding"]
    assert found["finding"].index("'b'") < found["finding"].index("'a'")


def test_known_positives_without_a_wave_are_in_none() -> None:
    missing = DF["site"].where(np.arange(len(DF)) % 3 > 0)
    kept = check(DF.assign(site=missing), "waves", wave="site")
    gone = DF[(DF["label"] != 1) | missing.notna()]
    assert kept["statistic"] == pytest.approx(check(gone, "waves", wave="site")["statistic"])


def strata_of(**rows: tuple[int, int, int]) -> pd.DataFrame:
    """Return known positives, known negatives and unlabeled rows of each stratum."""
    counts, kinds = np.ravel([*rows.values()]), np.tile([1.0, 0.0, np.nan], len(rows))
    frame = pd.DataFrame({"stratum": np.repeat([*rows], 3), "label": kinds})
    frame = frame.loc[np.repeat(frame.index, counts)].reset_index(drop=True)
    return frame.assign(score=np.random.default_rng(0).normal(size=len(frame)))


def test_strata_have_exact_tails_and_holms_p_value() -> None:
    frame = strata_of(a=(9, 3, 3), b=(7, 0, 13), c=(4, 2, 160), none=(5, 0, 24))
    frame = frame.assign(stratum=frame["stratum"].where(frame["stratum"] != "none"))
    found = check(frame, "strata", 0.2, strata="stratum")
    known, latent = 25, round(0.2 * 200)  # also those without a stratum
    tails = [oracle.tail(k, s, known, latent) for k, s in ((9, 12), (7, 20), (4, known + latent))]
    first, second, third = sorted(map(float, tails))
    holm = [3 * first, max(3 * first, 2 * second), max(3 * first, 2 * second, third)]
    assert found["p_value"] == pytest.approx(min(holm[0], 1))
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
    high, low = (check(DF, "negatives", beta) for beta in (2.2 * BETA, 0.2 * BETA))
    assert high["p_value"] < 0.01 and "beta is too high" in high["finding"]
    assert low["p_value"] < 0.2 and low["statistic"] < 0 < high["statistic"]
    low = check(DF, "negatives", 0.2 * BETA, level=0.8)
    assert "beta is too low" in low["finding"]
    agree = float(high["finding"].split("beta = ")[1].rstrip("."))
    same = check(DF, "negatives", agree)
    assert same["p_value"] > 0.9 and "the difference is within chance" in same["finding"]
    above = check(DF, "negatives", 0.9)  # by which AUROC is above 1
    assert above["finding"].startswith("AUROC is 1.000 by beta")


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("seed", range(2))
def test_the_limit_is_that_of_beta(seed: int) -> None:
    frame = draw(seed, known=30, negative=0)
    upper = frame.pu.estimate_beta(level=0.9)["upper"].item()
    for beta, is_beyond in ((upper, False), (upper + 1 / frame["label"].isna().sum(), True)):
        found = check(frame, "limit", beta, level=0.9)
        assert (found["p_value"] <= 0.1) == is_beyond == ("too high" in found["finding"])
    assert check(frame, "limit", 0.0)["p_value"] == 1


def test_monotone_scores_are_refuted_where_the_warning_comes() -> None:
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.normal(2, 0.3, 80), rng.normal(4, 0.2, 60), rng.normal(size=500)])
    frame = pd.DataFrame({"score": score, "label": np.where(np.arange(640) < 60, 1.0, np.nan)})
    found = check(frame, "monotone")
    assert found["p_value"] <= 0.05 and "Scores are not monotone" in found["finding"]
    for alpha in (0.2, 0.05, 0.02, 0.01, 1e-3, 1e-6):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            frame.pu.assume(monotone=True).auroc(0.03, level=1 - alpha)
        is_refuted = any("rejected" in str(each.message) for each in told)
        assert is_refuted == (found["p_value"] <= alpha)
    fine = check(DF, "monotone")
    assert fine["p_value"] == 1 and "may never mean" in fine["finding"]


def test_the_answer_has_a_row_for_each_check_and_beta() -> None:
    answer = DF.pu.check_assumptions([0.1, 0.2], **BOTH, level=0.9)
    assert [*answer.columns] == COLUMNS
    pairs = [*zip(answer["check"], answer["beta"].fillna(-1), strict=True)]
    by_beta = [(name, b) for name in ("strata", "negatives", "limit") for b in (0.1, 0.2)]
    assert pairs == [("waves", -1), *by_beta, ("monotone", -1)]
    assert answer.attrs["level"] == 0.9 and answer["finding"].str.endswith(".").all()
    assert DF.pu.check_assumptions()["check"].tolist() == ["monotone"]
    assert answer["odds_at_least"].notna().tolist() == [name == "strata" for name, _ in pairs]


# What is found, in words, without the numbers.
FINDINGS = [
    "Ranks of the waves do not differ by more than chance: on average #% of the rest rank above "
    "those of 'b', and #% above those of 'a'.",
    "No stratum has more known positives than expected by chance; the closest is 'h', with # of # "
    "rows.",
    "AUROC is # by beta, and # against known negatives: the difference is within chance.",
    "The known positives leave room for the hidden positives.",
    "A higher score may never mean a smaller probability of being positive.",
]
REFUTED = [
    "Stratum 'h' has more known positives than expected by chance: # of # rows, where #% of all "
    "positives are known. Labels favour it, or beta is too high.",
    "AUROC is # by beta, and # against known negatives: beta is too high, or a kind is no random "
    "sample. Both agree at beta = #.",
    "The best #% of the unlabeled leave no room for so many hidden positives: beta is too high, "
    "or labels favour the top.",
    FINDINGS[-1],
]


@pytest.mark.parametrize(
    ("beta", "columns", "told"), [(BETA, BOTH, FINDINGS), (0.9, {"strata": "stratum"}, REFUTED)]
)
def test_findings_are_told_in_words(beta: float, columns: Any, told: list[str]) -> None:
    found = DF.pu.check_assumptions(beta, **columns)["finding"]
    assert found.str.replace(r"\d+([.,]\d+)*", "#", regex=True).tolist() == told

"""Comparisons, dominance and beta where labels were selected with unequal probabilities."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor.ranking import FloatArray
from tests.support.oracles import comparison_oracle, gaps_oracle

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
MODELS = ["svm", "forest"]


def draw(seed: int, size: int = 60, decimals: int = 1) -> pd.DataFrame:
    """Draw the scores of two models, tied, and labels of which the best are known more often."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.4
    score = rng.normal(1.2 * truth)
    chance = np.clip(0.15 * np.exp(0.8 * score), 0.05, 1).round(2)
    known = truth & (rng.random(size) < chance)
    known[:3], truth[:3] = True, True
    scores = {"svm": score, "forest": score + rng.normal(size=size)}
    columns = {"label": np.where(known, 1, np.nan), "chance": np.where(truth, chance, np.nan)}
    return pd.DataFrame(scores).round(decimals).assign(**columns)


def weighed(df: pd.DataFrame, score: Any = MODELS) -> Any:
    return df.pu(score=score, propensity="chance")


def by_hand(df: pd.DataFrame, target: str) -> tuple[float, float, float]:
    """Return the mean rank difference, its squared error and the degrees of freedom of that.

    From all pairs of examples.
    """
    known = df["label"].notna().to_numpy()
    weight = 1 / df["chance"].to_numpy()[known]
    share = weight / weight.sum()

    def above(model: str, upper: Any, lower: Any) -> FloatArray:
        one, other = df[model].to_numpy()[upper], df[model].to_numpy()[lower]
        higher: FloatArray = (one[:, np.newaxis] > other) + 0.5 * (one[:, np.newaxis] == other)
        return higher

    every = np.ones(len(df), bool)
    apart = above("forest", every, known).sum(axis=0) - above("svm", every, known).sum(axis=0)
    mean = float(share @ apart)
    if target == "examples":
        drawn = 1 - df["chance"].to_numpy()[known]
        square = (share * (apart - mean)) ** 2 * drawn
        unit = float(np.mean(share**2 * drawn))
        return mean, *known_error(df, known, square, unit)
    # What each example adds as one of a pair, the known ones on either side.
    weighted = [above(model, known, every).T @ share for model in ("forest", "svm")]
    below = [above(model, known, known) @ share for model in ("forest", "svm")]
    pull = share * (apart - mean) + (below[0] - below[1]) - np.mean(below[0] - below[1])
    others = (weighted[0] - weighted[1])[~known]
    rest = others.size * others.var(ddof=1)
    of_known, freedom = known_error(df, known, pull**2, float(np.mean(share**2)))
    df = 1 / (of_known**2 / freedom + rest**2 / (others.size - 1))
    return mean, float(of_known + rest), float((of_known + rest) ** 2 * df)


def known_error(
    df: pd.DataFrame, known: Any, square: FloatArray, unit: float
) -> tuple[float, float]:
    """Return what known positives add to a squared error, and its degrees of freedom."""
    scores = df[MODELS].to_numpy().T
    won: Any = [(np.sign(s[known][:, np.newaxis] - s[~known]) + 1) / 2 for s in scores]
    moves = comparison_oracle.rest_moves(won[0], won[1], same=False)
    return comparison_oracle.known_error(square.tolist(), moves[0] * unit, moves[1] * unit**2)


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("seed", range(5))
def test_compare_agrees_with_all_pairs(seed: int, target: str) -> None:
    df = draw(seed)
    row = weighed(df).compare(target=target).iloc[0]
    mean, square, freedom = by_hand(df, target)
    assert row["df"] == pytest.approx(freedom, rel=1e-9)
    assert row["sign"] == np.sign(mean)
    assert row["statistic"] == pytest.approx(mean / square**0.5, rel=1e-9)
    sized = weighed(df).compare("auroc", [0.1, 0.3], target=target)
    negatives = (1 - np.array([0.1, 0.3])) * (len(df) - row["n"])
    np.testing.assert_allclose(sized["difference"], mean / negatives)
    assert sized["p_value"].tolist() == [row["p_value"]] * 2  # it does not contain beta
    assert ((sized["lower"] > 0) | (sized["upper"] < 0)).eq(row["p_value"] < 0.05).all()


@pytest.mark.parametrize("target", ["population", "examples"])
def test_a_copy_differs_by_nothing(target: str) -> None:
    df = draw(3).assign(copy=lambda df: df["svm"])
    row = weighed(df, ["svm", "copy"]).compare("auroc", [0.2], target=target).iloc[0]
    assert row[["difference", "lower", "upper", "statistic", "sign"]].tolist() == [0] * 5
    assert (row["p_value"], row["p_adjusted"]) == (1, 1)
    assert row["df"] == (np.inf if target == "population" else row["n"] - 1)


@pytest.mark.parametrize("target", ["population", "examples"])
def test_equal_propensities_are_none(target: str) -> None:
    df = draw(3).assign(chance=0.3)
    one, plain = (
        pu.compare("auroc", [0.2], target=target) for pu in (weighed(df), df.pu(score=MODELS))
    )
    pd.testing.assert_frame_equal(one, plain)
    beta, of_plain = (pu.estimate_beta() for pu in (weighed(df, "svm"), df.pu(score="svm")))
    assert beta.attrs["assumptions"].startswith("positives are labeled independently")
    assert beta.to_dict() == of_plain.to_dict()


def largest_feasible(frame: pd.DataFrame, delta: float) -> float:
    """Return the largest share of latent positives that weighted known ones do not rule out."""
    ranked = frame.sort_values(["score", "chance"], ascending=[False, True])
    known, others = ranked[ranked["label"] == 1], ranked.loc[ranked["label"].isna(), "score"]
    odds = (1 / known["chance"] - 1).to_numpy()
    shares = odds / odds.sum()
    spare = (gaps_oracle.unseen(1 / known["chance"].to_numpy()) - 1) / odds.sum()

    def ruled_out(latent: int) -> bool:
        ahead, variance = [], []
        for score in known["score"].unique():
            above = (known["score"] >= score).to_numpy()
            found = shares[above].sum()
            ahead.append(found - min((others >= score).sum(), latent) / latent)
            scatter = (1 - found) ** 2 * (shares[above] ** 2).sum()
            scatter += found**2 * ((shares[~above] ** 2).sum() + spare**2)
            variance.append(scatter + found * (1 - found) / latent)
        return bool(max(ahead) > math.sqrt(2 * math.log(1 / delta) * max(variance)))

    feasible = [latent for latent in range(1, others.size + 1) if not ruled_out(latent)]
    assert feasible == [*range(1, len(feasible) + 1)]
    return len(feasible) / others.size


@pytest.mark.parametrize("seed", range(7))
def test_weighted_limits_are_the_largest_that_are_not_ruled_out(seed: int) -> None:
    rng = np.random.default_rng([9, seed])
    score = rng.normal(2.0 * (np.arange(50) < 14)).round(1 - seed % 2)
    chance = rng.uniform(0.2, 0.9, 50) if seed % 4 else 1 / (1.5 + np.exp(score))
    label = np.where(np.arange(50) < (4, 7)[seed % 2], 1, np.nan)
    frame = pd.DataFrame({"score": score, "chance": chance, "label": label})
    if seed > 4:  # more of them, no two in one place
        frame = draw(seed, 120, decimals=4).rename(columns={"svm": "score"})
    found = frame.pu(propensity="chance").estimate_beta(level=0.9).iloc[0]
    assert found["beta"] == pytest.approx(largest_feasible(frame, 0.5))
    assert found["upper"] == pytest.approx(largest_feasible(frame, 0.1))

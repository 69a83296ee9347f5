"""Groups that are ranked apart and pooled, against loops over pairs within each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pandas.testing import assert_frame_equal
from scipy import special, stats

from pu_accessor import PUDataError
from tests.support.oracles import completion_oracle
from tests.worlds import attempt

BETA, MODELS = 0.15, ["score", "other"]
POOL: dict[str, Any] = {"by": "fold", "pool": True}


def make_frame(seed: int, folds: int = 4, size: int = 60, ties: bool = False) -> pd.DataFrame:
    """Return folds, each on a scale of its own, of sizes that differ."""
    rng = np.random.default_rng(seed)
    fold = np.repeat(np.arange(folds), size + 7 * np.arange(folds))
    truth = rng.random(fold.size) < 0.35
    score = rng.normal(truth)
    score = np.round(score * 2) / 2 if ties else score
    known = truth & (rng.random(fold.size) < 0.5)
    label = np.where(known, 1, np.where(~truth & (rng.random(fold.size) < 0.1), 0, np.nan))
    other = rng.normal(0.6 * truth) + fold
    scores = {"score": score * (1 + fold) - 20 * fold, "other": other}
    frame = pd.DataFrame({"fold": fold, **scores, "label": label})
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def placed(frame: pd.DataFrame, score: str = "score") -> tuple[list[Any], list[Any]]:
    """Return by fold the share of the rest below each known positive, and of those above it."""
    below, above = [], []
    for _, part in frame.groupby("fold"):
        is_known = part["label"] == 1
        known, rest = (part.loc[one, score].to_numpy() for one in (is_known, ~is_known))
        wins = (known[:, np.newaxis] > rest) + 0.5 * (known[:, np.newaxis] == rest)
        below.append(wins.mean(axis=1))
        above.append(wins.mean(axis=0))
    return below, above


def share_of_rest(frame: pd.DataFrame, beta: float) -> float:
    rest = frame["label"] != 1
    return beta * frame["label"].isna().sum() / rest.sum()


def as_shares(frame: pd.DataFrame) -> tuple[list[float], list[bool | None]]:
    """Return the share of the own fold that each row is above, and labels."""
    grouped = frame.groupby("fold")["score"]
    shares = (grouped.rank(method="min") - 1) / grouped.transform("size")
    return shares.tolist(), [{1: True, 0: False}.get(one) for one in frame["label"].tolist()]


def completed(frame: pd.DataFrame, method: str) -> float:
    """Return the one estimate: of the ranking by shares."""
    return completion_oracle.area(method, *as_shares(frame), BETA)


def error_of_mean(below: list[Any], above: list[Any]) -> float:
    """Return the error of a mean: known positives are one sample, the rest of each fold is one."""
    every = np.concatenate(below)
    parts = [
        (own.size / every.size) ** 2 * some.var(ddof=1) / some.size
        for some, own in zip(above, below, strict=True)
    ]
    return float((every.var(ddof=1) / every.size + sum(parts)) ** 0.5)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_auroc_and_its_difference(seed: int, ties: bool) -> None:
    frame = make_frame(seed, ties=ties)
    (below, above), (others_below, others_above) = (placed(frame, name) for name in MODELS)
    b, mean = share_of_rest(frame, BETA), np.concatenate(below).mean()
    found = frame.pu(**POOL).auroc(BETA).iloc[0]
    assert found["estimate"] == pytest.approx(completed(frame, "auroc"), rel=1e-9)
    error = error_of_mean(below, above)
    assert found["standard_error"] == pytest.approx(error / (1 - b), rel=1e-12)
    assert found["lower"] < (mean - b / 2) / (1 - b) < found["upper"]
    pairs = [*zip(below, others_below, strict=True)], [*zip(above, others_above, strict=True)]
    below, above = ([one - other for one, other in pair] for pair in pairs)
    mean = np.concatenate(below).mean()
    found = frame.pu(**POOL, score=MODELS).compare("auroc", BETA).iloc[0]
    assert found["difference"] == pytest.approx(mean / (1 - b), rel=1e-9)
    assert found["statistic"] == pytest.approx(mean / error_of_mean(below, above), rel=1e-9)


def unbiased_precision(frame: pd.DataFrame) -> float:
    """Return the statistic in the middle of the interval, from pairs within each fold."""
    n, unlabeled = (frame["label"] == 1).sum(), frame["label"].isna().sum()
    positives = n + BETA * unlabeled
    value = 0.0
    for _, part in frame.groupby("fold"):
        for score in part.loc[part["label"] == 1, "score"]:
            head = part["score"] >= score
            high = (part.loc[head, "label"] == 1).sum()
            value += (1 + (positives - 1) / (n - 1) * (high - 1)) / head.sum()
    return value / float(n)


@pytest.mark.filterwarnings("ignore:In .* a limit is the estimate itself")
@pytest.mark.parametrize("ties", [False, True])
def test_average_precision_and_its_error(ties: bool) -> None:
    """Known positives of all folds are one sample, the rest of each is one: here one example."""
    frame = make_frame(3, folds=3, size=35, ties=ties)
    lone = frame["fold"] == 2
    frame = frame[~lone | (frame["label"] == 1) | (frame.index == frame.index[lone][0])]
    frame = frame.assign(label=frame["label"].where(frame["fold"] != 2, 1.0))
    frame.loc[frame.index[frame["fold"] == 2][0], "label"] = np.nan
    is_known = (frame["label"] == 1).to_numpy()
    n, rest = int(is_known.sum()), int((~is_known).sum())
    positives = n + BETA * int(frame["label"].isna().sum())
    score, fold = frame["score"].to_numpy(), frame["fold"].to_numpy()

    def area(weight: Any) -> float:
        total = 0.0
        for one, at in zip(score[is_known], np.flatnonzero(is_known), strict=True):
            head = (fold == fold[at]) & (score >= one)
            total += weight[at] * weight[head & is_known].sum() / weight[head].sum()
        return positives * total / n**2

    pull = np.empty(len(frame))
    for place in range(len(frame)):
        step = 1e-4 * (np.arange(len(frame)) == place)
        pull[place] = (area(1 + step) - area(1 - step)) / 2e-4
    others = [pull[~is_known & (fold == one)] for one in range(3)]
    apart = np.concatenate([some - some.mean() for some in others])
    variance = n * pull[is_known].var(ddof=1) + rest * apart.var(ddof=1)
    found = frame.pu(**POOL).average_precision(BETA).iloc[0]
    assert found["estimate"] == pytest.approx(completed(frame, "average_precision"), rel=1e-9)
    assert found["standard_error"] == pytest.approx(variance**0.5, rel=1e-5)
    # Student's t of what the kurtosis of each sample says, on the logit scale of a share.
    below = 0.0
    for some, size in ((pull[is_known], n), (apart, rest)):
        away = some - some.mean()
        kurtosis = np.mean(away**4) / np.mean(away**2) ** 2
        below += (size * some.var(ddof=1)) ** 2 / min(2 * size / (kurtosis - 1), size - 1)
    share, value = n / positives, unbiased_precision(frame)
    middle = share * value
    away = stats.t.ppf(0.975, variance**2 / below) * variance**0.5 * share / middle / (1 - middle)
    for side, sign in (("lower", -1), ("upper", 1)):
        end = special.expit(special.logit(middle) + sign * away)
        limit = min(value + (end - middle) / share, 1.0)
        reached = min(limit, found["estimate"]) if sign < 0 else max(limit, found["estimate"])
        assert found[side] == pytest.approx(reached, rel=1e-5)


@pytest.mark.parametrize("ties", [False, True])
def test_answers_are_those_of_shares(ties: bool) -> None:
    frame = make_frame(6, ties=ties)
    both = frame.pu(**POOL), frame.assign(score=as_shares(frame)[0]).pu
    for ranks in ("breakpoints", "all"):
        tables = [pu.contingency([0.1, BETA], ranks=ranks).drop_attrs() for pu in both]
        xr.testing.assert_identical(*tables)
    asked: list[Any] = [lambda pu: pu.metric("precision", BETA, at={"fraction": 0.2})]
    asked += [lambda pu: pu.cutoff(BETA, recall=0.5), lambda pu: attempt(pu.estimate_beta)[0]]
    for ask in asked:
        pooled, alone = (ask(pu) for pu in both)
        if "threshold" in pooled:  # scores of folds are on no common scale
            assert pooled.pop("threshold").isna().all()
        assert_frame_equal(pooled, alone.drop(columns="threshold", errors="ignore"))


def test_pools_over_one_of_several_keys_and_models() -> None:
    frame = pd.concat([make_frame(seed).assign(site=f"s{seed}") for seed in range(2)])
    pu = frame.pu(by=["site", "fold"], score=MODELS, pool="fold")
    found = pu.auroc(BETA)
    assert list(found.columns[:3]) == ["site", "model", "metric"]
    for row in found.itertuples():
        part = frame[frame["site"] == row.site].pu(by="fold", score=row.model, pool=True)
        assert part.auroc(BETA)["estimate"].iloc[0] == pytest.approx(row.estimate, rel=1e-12)
    assert pu.roc_bounds(BETA)["group"].to_index().names == ["site", "model"]
    grouped = frame.groupby(["site", "fold"]).pu(score=MODELS, pool=["fold"])
    assert_frame_equal(grouped.auroc(BETA), found)


def test_folds_without_known_positives_are_no_obstacle() -> None:
    frame = make_frame(4)
    frame.loc[frame["fold"] == 1, "label"] = np.nan
    found = frame.pu(**POOL).auroc(BETA).iloc[0]
    assert found["estimate"] == pytest.approx(completed(frame, "auroc"), rel=1e-9)
    both = frame.pu(**POOL, score=MODELS).compare("auroc", BETA)
    assert np.isfinite(both["p_value"]).all()


NO_ANSWER: list[Any] = [
    (lambda f: f["label"].mask(f["fold"] == 0, 1), "than known positives, but one does not"),
    (lambda f: f["label"] * np.nan, "must mark at least one known positive, but none of"),
]


@pytest.mark.parametrize(("change", "told"), NO_ANSWER)
def test_folds_without_an_answer(change: Any, told: str) -> None:
    frame = make_frame(0)
    pooled = frame.assign(label=change(frame)).pu(by="fold", score=MODELS, pool=True)
    for ask in (pooled.compare, pooled.auroc, pooled(cluster="other").compare):
        with pytest.raises(PUDataError, match=told):
            ask(beta=BETA)

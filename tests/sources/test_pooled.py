"""Groups that are ranked apart and pooled, against loops over pairs within each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pandas.testing import assert_frame_equal
from scipy import special, stats

from pu_accessor import PUDataError
from tests.cases import placements
from tests.support.oracles import completion_oracle
from tests.worlds import attempt

BETA, MODELS = 0.15, ["score", "other"]
POOL: dict[str, Any] = {"by": "fold", "pool": True}


def make_frame(seed: int, ties: bool = False, size: int = 60) -> pd.DataFrame:
    """Return folds, each on a scale of its own, of sizes that differ."""
    rng = np.random.default_rng(seed)
    fold = np.repeat(np.arange(4), size + 7 * np.arange(4))
    truth, shown = rng.random(fold.size) < 0.35, rng.random(fold.size)
    label = np.where(shown < np.where(truth, 0.5, 0.1), truth, np.nan)
    score = np.round(rng.normal(truth), 0 if ties else 9) * (1 + fold) - 20 * fold
    other = rng.normal(0.6 * truth) + fold
    return pd.DataFrame({"fold": fold, "score": score, "other": other, "label": label})


def as_shares(frame: pd.DataFrame) -> Any:
    """Return the share of the own fold that each row is above."""
    scores = frame.groupby("fold")["score"]
    return (scores.rank(method="min") - 1) / scores.transform("size")


def completed(frame: pd.DataFrame, method: str) -> Any:
    """Return the one estimate: of the ranking by shares."""
    labels = [{1: True, 0: False}.get(one) for one in frame["label"].tolist()]
    found = completion_oracle.area(method, as_shares(frame).tolist(), labels, BETA)
    return pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_auroc_and_its_difference(seed: int, ties: bool) -> None:
    """Known positives of all folds are one sample, the rest of each fold is one."""
    frame = make_frame(seed, ties)
    pairs = [[placements(part, name) for name in MODELS] for _, part in frame.groupby("fold")]
    b = BETA * frame["label"].isna().sum() / (frame["label"] != 1).sum()

    def mean_and_error(below: Any, above: Any) -> tuple[float, float]:
        every = np.concatenate(below)
        each = [own.size**2 * x.var(ddof=1) / x.size for x, own in zip(above, below, strict=True)]
        error = every.var(ddof=1) / every.size + sum(each) / every.size**2
        return every.mean(), error**0.5

    mean, error = mean_and_error(*zip(*(one for one, _ in pairs), strict=True))
    found = frame.pu(**POOL).auroc(BETA).iloc[0]
    assert found["estimate"] == completed(frame, "auroc")
    assert found["standard_error"] == pytest.approx(error / (1 - b), rel=1e-12)
    assert found["lower"] < (mean - b / 2) / (1 - b) < found["upper"]
    moves = [(one[0] - other[0], one[1] - other[1]) for one, other in pairs]
    mean, error = mean_and_error(*zip(*moves, strict=True))
    found = frame.pu(**POOL, score=MODELS).compare("auroc", BETA).iloc[0]
    assert found["difference"] == pytest.approx(mean / (1 - b), rel=1e-9)
    assert found["statistic"] == pytest.approx(mean / error, rel=1e-9)


@pytest.mark.filterwarnings("ignore:In .* a limit is the estimate itself")
@pytest.mark.parametrize("ties", [False, True])
def test_average_precision_and_its_error(ties: bool) -> None:
    """Known positives of all folds are one sample, the rest of each is one: here one example."""
    frame = make_frame(3, ties, size=35)
    lone = (frame["fold"] == 2) & (frame["label"] != 1)
    frame = frame[~lone | (frame.index == frame.index[lone][0])].reset_index(drop=True)
    known = (frame["label"] == 1).to_numpy()
    n, rest = int(known.sum()), int((~known).sum())
    positives = n + BETA * int(frame["label"].isna().sum())
    score, fold = frame["score"].to_numpy(), frame["fold"].to_numpy()
    heads = (fold == fold[known][:, np.newaxis]) & (score >= score[known][:, np.newaxis])

    def area(weight: Any) -> float:
        shares = (heads & known) @ weight / (heads @ weight)
        return float(positives * shares @ weight[known] / n**2)

    steps = 1e-4 * np.eye(len(frame))
    pull = np.array([(area(1 + step) - area(1 - step)) / 2e-4 for step in steps])
    apart = np.concatenate([x - x.mean() for x in (pull[~known & (fold == f)] for f in range(4))])
    variance = n * pull[known].var(ddof=1) + rest * apart.var(ddof=1)
    found = frame.pu(**POOL).average_precision(BETA).iloc[0]
    assert found["estimate"] == completed(frame, "average_precision")
    assert found["standard_error"] == pytest.approx(variance**0.5, rel=1e-5)
    # Student's t of what the kurtosis of each sample says, on the logit scale of a share.
    below = 0.0
    for some, size in ((pull[known], n), (apart, rest)):
        away = some - some.mean()
        kurtosis = np.mean(away**4) / np.mean(away**2) ** 2
        below += (size * some.var(ddof=1)) ** 2 / min(2 * size / (kurtosis - 1), size - 1)
    high = (heads & known).sum(axis=1) - 1
    value = ((1 + (positives - 1) / (n - 1) * high) / heads.sum(axis=1)).mean()
    share = n / positives
    middle = share * value
    away = stats.t.ppf(0.975, variance**2 / below) * variance**0.5 * share / middle / (1 - middle)
    for side, sign in (("lower", -1), ("upper", 1)):
        end = special.expit(special.logit(middle) + sign * away)
        limit = min(value + (end - middle) / share, 1.0)
        reached = min(limit, found["estimate"]) if sign < 0 else max(limit, found["estimate"])
        assert found[side] == pytest.approx(reached, rel=1e-5)


@pytest.mark.parametrize("ties", [False, True])
def test_answers_are_those_of_shares(ties: bool) -> None:
    frame = make_frame(6, ties)
    both = frame.pu(**POOL), frame.assign(score=as_shares(frame)).pu
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
    frame["label"] = frame["label"].mask(frame["fold"] == 1)
    assert frame.pu(**POOL).auroc(BETA)["estimate"].item() == completed(frame, "auroc")
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

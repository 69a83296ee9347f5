"""BEDROC, against the papers' definitions and all labelings there are."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUWarning
from pu_accessor.inference.estimates.hidden_positive_limits import gamma_quantile
from tests.cases import Case, as_frame, draw_case
from tests.support.oracles import completion_oracle, practice_oracle

# from rdkit.ML.Scoring.Scoring import CalcBEDROC, CalcEnrichment  # rdkit 2026.09.1
# [CalcBEDROC([[x] for x in ACTIVE], 0, alpha) for alpha in (5.0, 20.0, 100.0)]
# CalcEnrichment([[x] for x in ACTIVE], 0, [0.05, 0.1, 0.3])
ACTIVE = [*map(int, "1101001000010000001000000")]

BEDROC = {5.0: 0.7218745929091755, 20.0: 0.8597499154187915, 100.0: 0.9996705691240746}

ENRICHMENT = {0.05: 4.166666666666667, 0.1: 2.777777777777778, 0.3: 2.0833333333333335}


def ranked(active: Any) -> pd.DataFrame:
    """Return a ranking in this order, fully labeled."""
    return pd.DataFrame({"score": -np.arange(len(active)), "label": np.asarray(active, float)})


def early(pu: Any, alpha: float, beta: Any = 0, **how: Any) -> "pd.Series[Any]":
    """Return BEDROC of these examples, at the first beta."""
    metric = pu_accessor.bedroc(alpha=alpha)
    row: pd.Series[Any] = pu.metric(metric, beta, target="examples", **how).iloc[0]
    return row


def test_fully_labeled_numbers_are_those_of_rdkit() -> None:
    pu = ranked(ACTIVE).pu(negative=0)
    found = [early(pu, alpha)["estimate"] for alpha in BEDROC]
    assert found == pytest.approx([*BEDROC.values()], rel=1e-12)
    factors = pu.metric("lift", 0, at={"fraction": [*ENRICHMENT]})
    assert factors["estimate"].tolist() == pytest.approx([*ENRICHMENT.values()], rel=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 20, 160.9, 5000])
@pytest.mark.parametrize("seed", [0, 1, 726198])  # in the last rounding adds to what is all
def test_fully_labeled_bedroc_is_that_of_the_paper(seed: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    active = rng.random(60) < rng.uniform(0.05, 0.6) * np.linspace(2, 0, 60)
    active[7] = True
    found = early(ranked(active).pu(negative=0), alpha)
    assert 0 <= found["estimate"] <= 1 + 1e-12
    if alpha < 5000:  # beyond, the paper's sums vanish
        wanted = practice_oracle.bedroc(active.tolist(), alpha)
        numbers = found[["estimate", "lower", "upper"]].tolist()
        assert numbers == pytest.approx([wanted] * 3, abs=1e-10)
    assert found["standard_error"] == 0


FEW = np.isin(np.arange(14), [0, 1, 3, 6, 7, 12])


@pytest.mark.parametrize("alpha", [2.0, 20.0])
def test_the_interval_is_around_what_is_unbiased(alpha: float) -> None:
    statistics, score = [], (-np.arange(14)).tolist()
    for known in combinations(np.flatnonzero(FEW), 3):
        is_known = np.isin(np.arange(14), known)
        found = early(ranked(np.where(is_known, 1, np.nan)).pu, alpha, [3 / 11, 0.28])
        statistics.append(practice_oracle.unbiased_bedroc(score, is_known.tolist(), 6, alpha))
        assert found["lower"] <= np.clip(statistics[-1], 0, 1) <= found["upper"]
        assert 0 <= found["lower"] <= found["estimate"] <= found["upper"] <= 1
    wanted = practice_oracle.bedroc(FEW.tolist(), alpha)
    assert np.mean(statistics) == pytest.approx(wanted, abs=1e-10)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("alpha", [0.5, 20.0])
@pytest.mark.parametrize("seed", range(6))
def test_bedroc_is_that_of_the_completed_labeling(seed: int, alpha: float) -> None:
    score, label, beta = draw_case(seed)
    case = Case([*score, 0.5], [*label, False], beta)  # with a negative
    found = early(as_frame(case).pu(negative=False), alpha, beta)["estimate"]
    assert found == pytest.approx(completion_oracle.bedroc(*case, alpha), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(("size", "ties"), [(3, 1), (3, 3), (4, 1)])
def test_squared_errors_are_unbiased(size: int, ties: int) -> None:
    # That of the mean of a sample without replacement, over all samples that there are.
    frame = pd.DataFrame({"score": -(np.arange(14) // ties)})
    errors, statistics, beta = [], [], (6 - size) / (14 - size)
    for known in combinations(np.flatnonzero(FEW), size):
        is_known = np.isin(np.arange(14), known)
        pu = frame.assign(label=np.where(is_known, 1, np.nan)).pu
        errors.append([early(pu, alpha, beta)["standard_error"] for alpha in (0.5, 2)])
        of = frame["score"].tolist(), is_known.tolist(), 6
        statistics.append([practice_oracle.unbiased_bedroc(*of, a) for a in (0.5, 2)])
    np.testing.assert_allclose(np.square(errors).mean(axis=0), np.var(statistics, axis=0))


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize(("n", "hidden"), [(1, 0.5), (1, 3), (2, 0.5), (2, 1), (4, 6)])
def test_limits_of_known_ones_that_rank_alike(n: int, hidden: float, level: float) -> None:
    # Known ones at ranks 7 to 8 + n of 26, two others among them. Those of the latent ones that
    # lie beyond have one of n + 1 random shares: all of them at the far end is the worst.
    size, positives, pace = 26, n + hidden, 12 / 26
    score = [*range(20, 14, -1)] + [3] * (n + 2) + [*range(2, n - 16, -1)]
    frame = ranked([np.nan] * 6 + [1] * n + [np.nan] * (20 - n)).assign(score=score)

    def mean(start: float, end: float) -> float:
        """Return the mean weight of the ranks from one place to another, but a factor."""
        return float((np.exp(-pace * start) - np.exp(-pace * end)) / (end - start))

    weight, stretch = mean(6, 8 + n), (1 + (n + 1) / hidden) ** 0.5
    top, bottom = mean(0, positives), mean(size - positives, size)
    worst, best = mean(size - hidden, size), mean(0, hidden)
    share = gamma_quantile(np.array([0.0, 1.0]), np.array([n, 1]), 1.0, (1 + level) / 2)
    found = early(frame.pu, 12, hidden / (size - n), level=level)
    for side, end in (("lower", mean(size - 1, size)), ("upper", mean(0, 1))):
        middle = weight + (end - weight) / (n + 1)
        latent = middle + stretch * (weight + share * (end - weight) - middle)
        latent = min(max(latent, worst), best)
        wanted = ((n * weight + hidden * latent) / positives - bottom) / (top - bottom)
        assert found[side] == pytest.approx(wanted, rel=1e-6)


def test_known_ones_at_an_end_have_a_limit_there() -> None:
    top = early(ranked([1, 1] + [np.nan] * 9).pu, 3, 0.2)
    assert 0 < top["lower"] < top["upper"] == 1 == pytest.approx(top["estimate"])
    bottom = early(ranked([np.nan] * 9 + [1, 1]).pu, 3, 0.2)
    # Nothing is below the known ones, so that the latent ones are anywhere above.
    assert bottom["lower"] == 0 < bottom["estimate"] <= bottom["upper"] < 1


def test_the_least_alpha_is_nearly_auroc() -> None:
    found = ranked(ACTIVE).pu(negative=0)
    area = found.auroc(0)["estimate"].item()
    assert early(found, 1e-4)["estimate"] == pytest.approx(area, abs=1e-4)


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_limits_of_bedroc_are_those_of_latent_positives_between_known_ones(alpha: float) -> None:
    size, ranks = 200, np.round(np.arange(1.5, 13.5, 0.8) ** 2).astype(int)
    frame = ranked(np.where(np.isin(np.arange(1, size + 1), ranks), 1, np.nan))
    latent, n = 46, ranks.size
    row = early(frame.pu, alpha, latent / (size - n))
    # All ways to share the latent ones out to the gaps are equally likely.
    rng = np.random.default_rng(0)
    shares = rng.multinomial(latent, rng.dirichlet(np.ones(n + 1), 20_000)) / latent
    weight = np.exp(-alpha * np.arange(1, size + 1) / size)
    best, worst = weight[: n + latent].mean(), weight[-n - latent :].mean()
    for end, tail, side in ((size, 0.025, "lower"), (1, 0.975, "upper")):
        mean = np.quantile(shares @ weight[np.append(ranks, end) - 1], tail)
        whole = (weight[ranks - 1].sum() + latent * mean) / (n + latent)
        assert row[side] == pytest.approx((whole - worst) / (best - worst), abs=0.006)


def test_one_known_positive_has_an_interval() -> None:
    found = early(ranked([np.nan, np.nan, 1, *[np.nan] * 40]).pu, 20, 0.1)
    assert np.isnan(found["standard_error"])
    assert 0 <= found["lower"] < found["estimate"] <= found["upper"] <= 1
    alone = ranked([0, 0, 1, *[0] * 40]).pu(negative=0)  # nothing is hidden
    assert early(alone, 20)["standard_error"] == 0


def test_what_has_no_answer() -> None:
    with pytest.warns(PUWarning, match="beta exceeds"):
        found = early(ranked([1] * 20 + [np.nan] * 200).pu, 20, 0.8)
    assert found[["lower", "upper"]].isna().all() and found["estimate"] == pytest.approx(1)
    with pytest.warns(PUWarning, match="one other example"):  # where all are positive
        assert np.isnan(early(ranked([1, 1, np.nan]).pu, 20, 0.9)["estimate"])


def test_next_to_no_latent_positives() -> None:
    pu = pu_accessor.from_arrays([0.0, 0.0, 9.0, 0.0, 0.0], [1, None, None, 1, None])
    tiny, none = pu.metric(pu_accessor.bedroc(alpha=0.5), [2.0**-52, 0.0], target="examples")[
        ["estimate", "lower", "upper"]
    ].to_numpy()
    np.testing.assert_allclose(tiny, none, atol=1e-6)

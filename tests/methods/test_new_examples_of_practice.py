"""BEDROC and net benefit of new examples, and the band of clusters that are labeled together."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pu_accessor

BETA = 0.25


def draw(seed: int, clusters: int = 60, rows: int = 4) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw patients with several rows, labeled as a whole; scores are probabilities."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(clusters), rows)
    truth = (rng.random(clusters) < 0.4)[patient]
    known = (rng.random(clusters) < 0.5)[patient] & truth
    known[:rows], truth[:rows], known[-rows:], truth[-rows:] = True, True, True, True
    score = rng.normal(size=clusters)[patient] + rng.normal(size=truth.size) + 2 * truth
    frame = pd.DataFrame({"score": 1 / (1 + np.exp(-score)), "patient": patient})
    return frame.assign(label=np.where(known, 1.0, np.nan)), truth


def influences_by_weight(score: np.ndarray, known: np.ndarray, alpha: float) -> np.ndarray:
    """Differentiate the mean weight of known positives by the weight of each row."""

    def mean(weight: np.ndarray) -> float:
        share = np.where(known, weight / weight[known].sum(), 0.0)
        sizes = np.where(known, known.sum(), (~known).sum())
        others = np.where(known, weight[known].sum(), weight[~known].sum())
        count = weight / others * sizes  # each sample keeps its size
        above = (count * (score >= score[:, np.newaxis])).sum(axis=1)
        return float(share @ np.exp(-alpha / score.size * above))

    step, each = 1e-6, np.eye(score.size)
    one = np.ones(score.size)
    slopes = [(mean(one + step * row) - mean(one - step * row)) / (2 * step) for row in each]
    return np.array(slopes)


def test_the_error_of_bedroc_is_that_of_what_each_row_contributes() -> None:
    frame, _ = draw(0, 40, 2)
    score, known = frame["score"].to_numpy(), frame["label"].notna().to_numpy()
    alpha, size, n = 20.0, len(frame), int(known.sum())
    slopes = influences_by_weight(score, known, alpha)
    squares = [np.sum(slopes[k] ** 2) * k.sum() / (k.sum() - 1) for k in (known, ~known)]
    positives = n + BETA * (size - n)
    weight = np.exp(-alpha / size * np.arange(1, size + 1))
    whole = np.cumsum(np.append(0.0, weight))
    full = int(positives)
    part = positives - full
    top = (whole[full] + part * weight[full]) / positives
    bottom = (whole[-1] - whole[size - full] + part * weight[size - full - 1]) / positives
    found = frame.pu.metric(pu_accessor.bedroc(alpha=alpha), BETA, target="population")
    expected = np.sqrt(sum(squares)) / (top - bottom)
    # The weight of a rank is the mean over that rank, not at its end: a factor for all.
    assert found["standard_error"].item() == pytest.approx(expected, rel=0.02)
    each = []
    for kind in (known, ~known):
        sums = np.bincount(frame["patient"], slopes * kind)
        share = np.bincount(frame["patient"], kind) / kind.sum()
        each.append(sums / np.sqrt(1 - share))
    clustered = np.sqrt(np.sum(sum(each) ** 2)) / (top - bottom)
    by_patient = frame.pu(cluster="patient").metric(
        pu_accessor.bedroc(alpha=alpha), BETA, target="population"
    )
    assert by_patient["standard_error"].item() == pytest.approx(clustered, rel=0.02)


def test_net_benefit_of_new_examples_is_that_of_rates_at_the_threshold() -> None:
    frame, _ = draw(1, clusters=90)
    found = frame.pu.metric("net_benefit", BETA, at={"threshold": [0.3, 0.6]}, target="population")
    assert found.attrs["band"] == "binomial"
    assert found.attrs["target"] == "population"
    n, size = int(frame["label"].notna().sum()), len(frame)
    share = (n + BETA * (size - n)) / size
    for row in found.itertuples():
        rates = frame.pu.metric(["recall", "fpr"], BETA, at={"threshold": row.at})
        tpr, fpr = rates["estimate"]
        odds = row.at / (1 - row.at)
        assert row.estimate == pytest.approx(share * tpr - (1 - share) * fpr * odds)
        assert row.lower < row.estimate < row.upper
        assert row.prevalence == pytest.approx(share)
    wide = frame.pu(cluster="patient").metric(
        "net_benefit", BETA, at={"threshold": 0.3}, target="population"
    )
    width = [each["upper"].iloc[0] - each["lower"].iloc[0] for each in (wide, found)]
    assert width[0] > 1.2 * width[1]


def limits_by_definition(cluster: np.ndarray, inside: np.ndarray, m: int) -> tuple[float, float]:
    """Return how few and how many of m latent positives lie where some of the known ones do."""
    _, code, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    here = np.bincount(code[inside], minlength=sizes.size)
    n, k, share = code.size, int(inside.sum()), float(inside.mean())
    square = np.sum((here - share * sizes) ** 2) * sizes.size / (sizes.size - 1)
    worth = m / (n + m) / max(square / (n * share * (1 - share)), 1)
    more = np.sum(sizes**2) / n
    low = np.floor(m * stats.beta(k * worth, (n - k + more) * worth).ppf(0.025))
    return low, m - np.floor(m * stats.beta((n - k) * worth, (k + more) * worth).ppf(0.025))


def test_bins_of_clusters_are_limited_by_their_definition() -> None:
    frame, _ = draw(4)
    known = frame["label"].notna()
    code, score = frame.loc[known, "patient"].to_numpy(), frame.loc[known, "score"]
    edges = [0, 0.3, 0.7, 1]
    found = frame.pu(cluster="patient").calibration(BETA, bins=edges)
    m = int(np.floor(BETA * int((~known).sum()) + 0.5))
    for row in found.itertuples():
        inside = ((score >= row.left) & (score < row.right)).to_numpy()
        low, high = limits_by_definition(code, inside, m)
        k = int(inside.sum())
        assert row.lower == pytest.approx((k + low) / row.examples, abs=1.01 / row.examples)
        most = min(high, row.examples - k)
        assert row.upper == pytest.approx((k + most) / row.examples, abs=1.01 / row.examples)
    rows = frame.pu.calibration(BETA, bins=edges)
    assert (found["upper"] - found["lower"] >= rows["upper"] - rows["lower"] - 1e-9).all()

"""Do averages hold whose groups share clusters, and comparisons by BEDROC and net benefit?

Run ``python -m tests.support.studies.shared_clusters --draws 300``, from the root: prints a line
for each cell. The truth of an average is the mean over fully labeled draws, that of a comparison
of two models the difference in 2,000,000 rows.
"""

import argparse
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special, stats

from pu_accessor import PUWarning
from pu_accessor.ranking import BoolArray, FloatArray

SEED, TRUE_DRAWS, FINE = 20261123, 120, 2_000_000
PREVALENCE, THRESHOLD, ALPHA = 0.3, 0.3, 20.0
Rng = np.random.Generator


class Queries(NamedTuple):
    """Queries of some rows, the first of them positive; how patients are in them."""

    kind: str  # "nested", "crossed" at random, or "full": as many rows of each in each query
    groups: int
    patients: int
    size: int
    positive: int
    known: int


QUERIES = (
    Queries("nested", 30, 0, 20, 8, 4),
    Queries("crossed", 40, 30, 20, 8, 4),
    Queries("crossed", 40, 30, 20, 8, 1),
    Queries("crossed", 15, 60, 20, 8, 4),
    Queries("crossed", 100, 15, 20, 8, 3),
    Queries("full", 30, 20, 20, 8, 4),
    Queries("full", 12, 10, 40, 16, 6),
    Queries("crossed", 40, 2000, 20, 8, 4),
)
AVERAGED = ("auroc", "average_precision", "precision")


def draw_queries(rng: Rng, cell: Queries) -> pd.DataFrame:
    """Draw rows: a patient's positives are as easy, and all rows as high, in each query."""
    patients = 4 * cell.groups if cell.kind == "nested" else cell.patients
    gain, common = rng.normal(size=(2, patients))
    query, place = np.divmod(np.arange(cell.groups * cell.size), cell.size)
    patient = rng.integers(0, patients, query.size)
    if cell.kind == "nested":
        patient = 4 * query + patient % 4
    elif cell.kind == "full":
        alike = np.resize(np.arange(patients), (cell.groups, cell.size))
        patient = rng.permuted(alike, axis=1).ravel()
    truth = place < cell.positive
    easy = 1 + gain[patient] + rng.normal(0, 0.3, query.size)
    score = truth * easy + 0.5 * common[patient] + rng.normal(size=query.size)
    label = np.where(place < cell.known, 1.0, np.nan)
    columns = {"query": query, "patient": patient, "score": score, "label": label, "truth": truth}
    return pd.DataFrame(columns)


def average(df: pd.DataFrame, name: str, beta: float, **roles: Any) -> "pd.Series[Any]":
    """Ask for the average of a quantity over new queries."""
    pu: Any = df.pu(by="query", **roles)
    if name == "precision":
        answer = pu(average=True).metric(name, beta, at=5, target="population")
    else:
        answer = getattr(pu(average=True), name)(beta)
    row: pd.Series[Any] = answer.iloc[0]
    return row


def study_average(cell: Queries, name: str, draws: int) -> str:
    """Return how often averages hold, by clusters and by groups alone; error held against sd."""
    rng = np.random.default_rng(SEED)
    true = []
    for _ in range(TRUE_DRAWS):
        labeled = draw_queries(rng, cell).assign(label=lambda df: df["truth"])
        true.append(average(labeled, name, 0.0, negative=False)["estimate"])
    truth, beta = np.mean(true), (cell.positive - cell.known) / (cell.size - cell.known)
    rows = []
    for _ in range(draws):
        df = draw_queries(rng, cell)
        one, other = (average(df, name, beta, cluster=each) for each in ("patient", None))
        holds = [row["lower"] <= truth <= row["upper"] for row in (one, other)]
        rows.append([*holds, one["estimate"], one["standard_error"] ** 2])
    clusters, groups, *_ = np.mean(rows, axis=0)
    sd, error = np.std(rows, axis=0)[2], np.mean(rows, axis=0)[3] ** 0.5
    return f"{clusters:.3f} by clusters, {groups:.3f} by groups; sd {sd:.4f}, error {error:.4f}"


class Pairs(NamedTuple):
    """Two models of some clusters of rows; the share of the positives that is known."""

    clusters: int
    size: int
    known: float


PAIRS = (Pairs(600, 1, 0.3), Pairs(200, 1, 0.5), Pairs(200, 6, 0.4), Pairs(60, 6, 0.5))
COMPARED: dict[str, dict[str, Any]] = {
    "bedroc": {"alpha": ALPHA},
    "net_benefit": {"at": {"threshold": THRESHOLD}},
}


def to_probability(score: FloatArray, shift: float) -> FloatArray:
    """Return the probability that a row is positive, of scores a shift apart."""
    odds = np.log(PREVALENCE / (1 - PREVALENCE))
    probability: FloatArray = special.expit(shift * (score - shift / 2) + odds)
    return probability


def draw_pairs(rng: Rng, cell: Pairs, better: float) -> tuple[pd.DataFrame, BoolArray]:
    """Draw rows of two models, correlation .5 within clusters, and the truth."""
    cluster = np.repeat(np.arange(cell.clusters), cell.size)

    def noise() -> FloatArray:
        own: FloatArray = rng.normal(size=cluster.size)
        return own if cell.size == 1 else (rng.normal(size=cell.clusters)[cluster] + own) / 2**0.5

    truth = np.asarray(noise() > stats.norm.ppf(1 - PREVALENCE))
    base, known = 0.7 * noise(), truth & (rng.random(cell.clusters) < cell.known)[cluster]
    shifts = {"a": 1.2, "b": 1.2 + better}
    columns = {
        name: to_probability(shift * truth + base + 0.51**0.5 * noise(), shift)
        for name, shift in shifts.items()
    }
    label = np.where(known, 1.0, np.nan)
    return pd.DataFrame({**columns, "label": label, "patient": cluster}), truth


def true_difference(name: str, better: float) -> float:
    """Return the quantity of the first model less that of the second, on new examples."""
    rng, values = np.random.default_rng(SEED), []
    truth = rng.random(FINE) < PREVALENCE
    for shift in (1.2, 1.2 + better):
        score = to_probability(shift * truth + rng.normal(size=FINE), shift)
        if name == "net_benefit":
            hit, cost = score >= THRESHOLD, THRESHOLD / (1 - THRESHOLD)
            values.append(np.mean(hit & truth) - cost * np.mean(hit & ~truth))
            continue
        rank = stats.rankdata(-score) / FINE
        top, bottom = (
            np.exp(-ALPHA * start) * -np.expm1(-ALPHA * PREVALENCE) / (ALPHA * PREVALENCE)
            for start in (0, 1 - PREVALENCE)
        )
        values.append((np.exp(-ALPHA * rank[truth]).mean() - bottom) / (top - bottom))
    return float(values[0] - values[1])


def study_pairs(cell: Pairs, name: str, better: float, draws: int) -> str:
    """Return how often differences hold, by clusters and by rows, and how often p is below .05."""
    rng, true, rows = np.random.default_rng(SEED), true_difference(name, better), []
    for _ in range(draws):
        df, truth = draw_pairs(rng, cell, better)
        beta = float(truth[df["label"].isna()].mean())
        how = {"metric": name, **COMPARED[name]}
        one, other = (
            df.pu(score=["a", "b"], cluster=each).compare("auroc", beta, **how).iloc[0]
            for each in ("patient", None)
        )
        holds = [row["lower"] <= true <= row["upper"] for row in (one, other)]
        rows.append([*holds, one["p_value"] < 0.05])
    clusters, alone, small = np.mean(rows, axis=0)
    return f"{clusters:.3f} by clusters, {alone:.3f} by rows; p < .05 in {small:.3f}"


def main() -> None:
    """Print a line for each cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=300)
    draws = parser.parse_args().draws
    warnings.simplefilter("ignore", PUWarning)
    for queries in QUERIES:
        for name in AVERAGED:
            if name != "average_precision" or queries.known > 1:
                print(*queries, name, study_average(queries, name, draws), flush=True)
    for pairs in PAIRS:
        for name in COMPARED:
            for better in (0.0, 0.5):
                print(*pairs, name, better, study_pairs(pairs, name, better, draws), flush=True)


if __name__ == "__main__":
    main()

"""Rows that are clustered, weighted or counted: errors are those of what each row adds."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from tests.cases import put
from tests.support.oracles import cluster_oracle, population_oracle

BETA, AT, ALPHA = 0.25, 0.6, 8.0


# Errors on new examples, of any design


def draw(kind: str, seed: int, clusters: int = 30, size: int = 4) -> pd.DataFrame:
    """Draw rows of clusters: scores of one cluster correlate, and so do its labels."""
    rng = np.random.default_rng([seed, *kind.encode()])
    sizes = rng.geometric(1 / size, clusters) if "unlike" in kind else size
    patient = np.repeat(np.arange(clusters), sizes)
    tendency, common = rng.random(clusters), 1.0
    if kind == "one kind each":
        tendency = np.round(tendency)
    if kind == "by row":  # all clusters are alike: the rows of each are held against each other
        tendency[:], common = 0.5, 3.0
    positive = rng.random(patient.size) < tendency[patient]
    noise = common * rng.normal(size=clusters)[patient] + rng.normal(size=patient.size)
    score = 1 / (1 + np.exp(-noise - 1.5 * positive))
    asked = rng.random(clusters)[patient] if kind != "by row" else rng.random(patient.size)
    label = np.where(positive & (asked < 0.6), 1.0, np.nan)
    if "negatives" in kind:
        label[~positive & (rng.random(patient.size) < 0.3)] = 0
    if "all labeled" in kind:
        label = positive.astype(float)
    score = np.round(score, 1) if "tied" in kind else score
    rows = pd.DataFrame({"score": score, "label": label, "patient": patient})
    rows["times"] = 1 + 4 * rng.random(len(rows))
    return rows.sample(frac=1, random_state=seed)


KINDS = ("plain", "tied", "negatives", "unlike sizes", "one kind each", "by row", "all labeled")
DESIGNS: dict[str, dict[str, Any]] = {
    "rows": {},
    "clusters": {"cluster": "patient"},
    "weights": {"weight": "times"},
    "both": {"cluster": "patient", "weight": "times"},
}
WORLDS = [(kind, design) for design in DESIGNS for kind in KINDS]


class World:
    """Rows, what is bound of them, and what the reference reads."""

    def __init__(self, kind: str, design: str, seed: int) -> None:
        rows, roles = draw(kind, seed), DESIGNS[design]
        self.beta = 0.0 if kind == "all labeled" else BETA
        self.pu: Any = rows.pu(negative=0, **roles)
        self.scores = rows["score"].tolist()
        labels = [None if math.isnan(one) else one == 1 for one in rows["label"]]
        base = rows["times"].to_numpy() if "weight" in roles else None
        self.of = cluster_oracle.shares(labels, self.beta, base)
        if "cluster" in roles:
            self.of = self.of._replace(free=False)
        own = rows["patient"].tolist() if "cluster" in roles else [*range(len(rows))]
        self.clusters = own if roles else None


@pytest.mark.filterwarnings("ignore:One row has")
@pytest.mark.parametrize("name", ["auroc", "average_precision", "bedroc"])
@pytest.mark.parametrize(("kind", "design"), WORLDS)
def test_errors_are_what_rows_add(kind: str, design: str, name: str) -> None:
    world = World(kind, design, 0)
    level = [0.95, 0.8][len(kind) % 2]
    metric = pu_accessor.bedroc(ALPHA) if name == "bedroc" else name
    row = world.pu.metric(metric, world.beta, target="population", level=level).iloc[0]
    if name == "bedroc":
        functional = cluster_oracle.bedroc_of(world.scores, world.of._replace(free=False), ALPHA)
        own = world.clusters or range(len(world.scores))
        found = cluster_oracle.errors(functional, world.of, own)
        squared = found.squared if world.clusters else found.plain.sum()
        assert row["standard_error"] == pytest.approx(squared**0.5, rel=1e-5)
        return
    reference = getattr(population_oracle, name)
    wanted = reference(world.scores, world.of, level, world.clusters)
    assert row["standard_error"] == pytest.approx(wanted.error, rel=1e-6)
    ends = [min(wanted.lower, row["estimate"]), max(wanted.upper, row["estimate"])]
    assert row[["lower", "upper"]].tolist() == pytest.approx(ends, abs=1e-7)


METRICS = {
    **cluster_oracle.METRICS,
    "net_benefit": lambda tp, fp, fn, tn: tp - fp * AT / (1 - AT),
}


@pytest.mark.filterwarnings("ignore:One row has")
@pytest.mark.parametrize(("kind", "design"), WORLDS)
def test_limits_at_a_threshold_are_those_of_two_samples(kind: str, design: str) -> None:
    world = World(kind, design, 1)
    level = [0.95, 0.8][len(kind) % 2]
    asked: dict[str, Any] = {"at": {"threshold": AT}, "target": "population", "level": level}
    found = world.pu.metric([*METRICS], world.beta, **asked)
    for row, function in zip(found.itertuples(), METRICS.values(), strict=True):
        low, high = population_oracle.metric(
            world.scores, world.of, AT, level, function, clusters=world.clusters
        )
        ends = [min(low, row.estimate), max(high, row.estimate)]
        assert [row.lower, row.upper] == pytest.approx(ends, rel=1e-6, abs=1e-9), row.metric

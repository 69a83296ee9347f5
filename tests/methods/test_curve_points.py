"""Metrics at a point of the true curve: by brute force, against the truth, and where it is odd."""

import math
from typing import Any

import pytest

from pu_accessor import PUDataError
from tests.cases import ORACLES, Case, as_frame, binormal, draw_case
from tests.support.oracles import oracle, point_oracle

FRAME, BETA, TRUTH = binormal(200, 600, 0.3, seed=5)
GOALS: list[dict[str, float]] = [
    {kind: goal} for kind in ("recall", "fpr", "precision") for goal in (0, 0.07, 0.4, 0.95, 1)
]
NAMES = ["precision", "recall", "fpr", "f1", "mcc", "npv"]


@pytest.mark.parametrize("band", ["exact", "dkw"])
@pytest.mark.parametrize("seed", range(6))
def test_limits_are_those_of_all_tables_that_the_goal_allows(seed: int, band: str) -> None:
    score, label, beta = draw_case(seed)
    score, label = [*score, 0.5, -0.25], [*label, False, None]
    tables = oracle.tables(score, label, beta, 0.95, ORACLES[band])
    pu = as_frame(Case(score, label, beta)).pu
    for goal in GOALS:
        ((kind, value),) = goal.items()
        if kind == "precision" and band == "exact":
            continue  # of which a part of the error goes to all cutoffs
        points = point_oracle.possible_points(kind, value, score, label, tables)
        asked: Any = {"at": goal, "target": "examples", "band": band}
        if not points:
            with pytest.raises(PUDataError, match="reached by no cutoff"):
                pu.metric("recall", beta, **asked)
            continue
        found = pu.metric(NAMES, beta, **asked).set_index("metric")
        ranks = [*(point.rank for point in points), found["rank"].iloc[0]]
        assert (found["rank_lower"] == min(ranks)).all() and (
            found["rank_upper"] == max(ranks)
        ).all()
        for name, row in found.iterrows():
            values = [oracle.metric(str(name), point) for point in points] + [row["estimate"]]
            values = [one for one in values if not math.isnan(one)] or [math.nan]
            wanted = pytest.approx([min(values), max(values)], nan_ok=True, abs=1e-9)
            assert row[["lower", "upper"]].tolist() == wanted, (goal, name)

"""Cutoffs with a guarantee."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUValueError, PUWarning
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.estimates.guaranteed_cutoffs import Goal, find_sample_cutoff
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Tables, make_tables
from tests.cases import binormal
from tests.support.oracles.joint_oracle import deepest


def draw(seed: int, decimals: int = 1) -> pd.DataFrame:
    """Draw tied scores of positives, of which a third is known, and others."""
    frame, _, truth = binormal(150, 250, 1 / 3, seed, 1.5)
    frame.loc[380:, "label"] = 0
    return frame.round(decimals).assign(truth=truth)


FRAME = draw(0)
PU: Any = FRAME.pu

pytestmark = pytest.mark.filterwarnings("ignore:No cutoff guarantees a")
BETA = 100 / 330


IN_TURN = ("recall", "fpr")  # tested at one cutoff after the other


def one_sided_tables(frame: pd.DataFrame, betas: list[float], level: float, band: str) -> Tables:
    """Return tables at all ranks whose lower bounds hold with the level by themselves."""
    ranking = frame.pu._rank("all").make(0)
    return make_tables(ranking, np.array(betas), Settings(level, band, one_sided=True))


# In the last the first known examples are reached at rank 13, where fpr is above 0.05.
@pytest.mark.parametrize(("seed", "decimals"), [(0, 1), (3, 6), (55376, 1), (55376, 6)])
def test_cutoff_against_all_tables(seed: int, decimals: int) -> None:
    frame = draw(seed, decimals)
    pu: Any = frame.pu
    goals = (0.2, 0.55, 0.9), (0.05, 0.2, 0.6), (0.5, 0.7, 0.9, 1.0)
    for goal, values in zip((*IN_TURN, "precision"), goals, strict=True):
        band = "exact" if goal in IN_TURN else "simultaneous"
        counts = one_sided_tables(frame, [BETA], 0.95, band).table
        rows = [*zip(*(count[:, 0, 0].astype(int).tolist() for count in counts), strict=True)]
        for value in values:
            found = pu.cutoff(BETA, **{goal: value})["rank"].item()
            assert found == deepest(rows, goal, value)
    cost, every = pu.cutoff(BETA, cost=(1, 3)).iloc[0], [fp + 3 * fn for _, fp, fn, _ in rows]
    assert cost["upper"] == min(every) and cost["lower"] == 0
    assert cost["rank"] == sum(rows[every.index(min(every))][:2])


def test_the_band_of_a_list_is_told() -> None:
    told = [FRAME.pu.cutoff(0.2, fpr=0.1, target=x).attrs for x in ("examples", "population")]
    assert [about["band"] for about in told] == ["exact", "two samples"]


def test_goal_out_of_reach_is_answered() -> None:
    shuffled: Any = FRAME.assign(score=np.arange(400) % 7)
    with pytest.warns(PUWarning, match="No cutoff guarantees a precision of 0.99"):
        found = shuffled.pu.cutoff(0.1, precision=0.99)
    row = found.iloc[0]
    assert row["rank"] == 0 and row["threshold"] == np.inf and np.isnan(row["lower"])
    assert row["attainable"] < 0.99
    assert f"any cutoff is {row['attainable']:.4g}." in found.attrs["statement"]
    reached = shuffled.pu.cutoff(0.1, precision=row["attainable"]).iloc[0]
    assert reached["rank"] > 0 and reached["lower"] == row["attainable"]
    # Known positives at the top leave no list that is sure to have no false positive.
    ranked: Any = pd.DataFrame({"score": np.arange(200.0), "label": [np.nan] * 151 + [1] * 49})
    with pytest.warns(PUWarning, match="No cutoff guarantees a fpr of 0"):
        assert ranked.pu.cutoff(0, fpr=0.0, target="population")["rank"].item() == 0


def test_level_is_split_over_models_and_not_over_groups() -> None:
    frame: Any = FRAME.assign(a=FRAME["score"], b=-FRAME["score"], site=np.arange(400) % 2)
    both, by_site = frame.pu(score=["a", "b"]), frame.pu(score=["a", "b"], by="site")
    found = both.cutoff(BETA, recall=0.5)
    assert (found.attrs["models"], found.attrs["level"]) == (2, 0.95)
    split = PU.cutoff(BETA, recall=0.5, level=0.975)["rank"].item()
    assert found["rank"][0] == split == PU.cutoff(BETA, recall=0.5, models=2)["rank"].item()
    alone = both.cutoff(BETA, recall=0.5, models=1)
    assert alone["rank"][0] == PU.cutoff(BETA, recall=0.5)["rank"].item() <= split
    in_groups = by_site.cutoff(BETA, recall=0.5)
    assert len(in_groups) == 4 and in_groups.attrs["models"] == 2
    assert by_site.cutoff(BETA, recall=0.5, models=4)["rank"].sum() > in_groups["rank"].sum()
    assert frame.pu(by="site").cutoff(BETA, recall=0.5).attrs["models"] == 1


def test_beta_with_its_error_makes_it_shorter() -> None:
    beta = pu_accessor.beta_from_labels(60, 200, 330, level=0.98)
    found = PU.cutoff(beta, precision=0.45).iloc[0]
    assert 0 < found["rank"] < PU.cutoff(0.3, precision=0.45)["rank"].item()
    tables = one_sided_tables(FRAME, [beta["lower"].item()], 0.97, "simultaneous")
    worst = tables.tp[tables.head == found["rank"], 0, 0] / found["rank"]
    assert worst.item() >= found["lower"] - 1e-12 >= 0.45 - 1e-12
    with pytest.raises(PUValueError, match="beta must be estimated at a higher level"):
        PU.cutoff(beta, precision=0.45, level=0.98)


def test_what_costs_nothing_is_done() -> None:
    nothing = PU.cutoff(BETA, cost=(1, 0)).iloc[0]
    assert nothing["rank"] == nothing["upper"] == 0 < nothing["attainable"]
    for cost in ([0, 2.5], (0, np.float32(1))):
        enough = PU.cutoff(BETA, cost=cost).iloc[0]
        assert enough["upper"] == enough["attainable"] == 0 < enough["rank"]


WORLDS = [  # positives and negatives at each score, best first; known positives
    ([1, 0, 1, 1, 0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1, 0, 1, 0, 1], 3),
    ([0, 0, 1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 0, 0, 1, 1], 2),
    ([3, 0, 2, 1], [1, 2, 3, 1], 3),
    ([2, 5], [3, 1], 4),
]


@pytest.mark.parametrize("reference", ["positives", "negatives"])
@pytest.mark.parametrize("world", WORLDS)
def test_guarantees_hold_over_all_labelings(world: Any, reference: str) -> None:
    positives, negatives, n = world
    each, size = np.ravel([positives, negatives], "F"), np.add(positives, negatives)
    truth = np.repeat(np.tile([True, False], size.size), each)
    score = -np.repeat(np.arange(size.size), size).astype(float)
    count, none = int(truth.sum()), np.zeros(truth.size, np.bool_)
    of_kind = truth == (reference == "positives")
    beta, level = (count - n * (reference == "positives")) / (truth.size - n), 0.7
    ways = [*combinations(np.flatnonzero(of_kind).tolist(), n)]
    settings = Settings(level, "simultaneous", reference)
    for goal in [Goal(name, g) for name in ("precision", *IN_TURN) for g in (0.35, 0.8)]:
        broken = 0
        for way in ways:
            label = np.isin(np.arange(truth.size), way)
            kinds = (label, none) if reference == "positives" else (none, label)
            found = find_sample_cutoff(
                rank_examples(score, *kinds), np.array([beta]), goal, settings
            )
            tp = int(truth[score >= found.threshold].sum())
            if goal.name == "fpr":
                broken += found.rank - tp > goal.value * (truth.size - count) + 1e-9
            else:
                whole = found.rank if goal.name == "precision" else count
                broken += tp < goal.value * whole - 1e-9
        assert broken / len(ways) <= 1 - level + 1e-12, goal


# ---------------------------------------------------------------------------------------------
# Lists on new examples


DRAWN = binormal(780, 1420, 200 / 780, 1, 2.0)[0]
RISING: Any = DRAWN.pu.assume(monotone=True)


def test_lists_on_new_examples_hold_at_each_beta_of_an_interval() -> None:
    alone = RISING.cutoff([0.25, 0.29, 0.33], precision=0.55, target="population")["rank"]
    sure = pu_accessor.beta_from_labels(29, 100, 2000, level=0.98)
    within = RISING.cutoff(sure, precision=0.55, target="population")["rank"].item()
    assert 0 < within <= alone[0] <= alone[1] <= alone[2]
    # Without rising scores there is none that is as pure.
    plain = DRAWN.pu.cutoff(0.29, precision=0.8, target="population")
    assert plain["rank"].item() == 0 and np.isnan(plain["lower"].item())
    assert ", and the rank is 0" in plain.attrs["statement"]
    assert RISING.cutoff(0.29, precision=0.8, target="population")["rank"].item() > 400


@pytest.mark.parametrize(
    ("goal", "value", "best"), [("precision", 0.999, max), ("fpr", 1e-9, min)]
)
def test_the_best_bound_of_all_rows_is_told(goal: str, value: float, best: Any) -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(300) < 90
    label = np.where(truth & (rng.random(300) < 0.3), 1.0, np.nan)
    a, b = rng.normal(0.8 * truth), rng.normal(0.3 * truth)
    a[299] = 9  # no list has known positives alone
    frame = pd.DataFrame({"a": a, "b": np.minimum(b, 1), "label": label})  # of b many are tied
    with pytest.warns(PUWarning, match=", and the rank is 0"):
        found = frame.pu(score=["a", "b"]).cutoff(0.2, **{goal: value})
    assert found["attainable"].nunique() == 2
    told = f"of any cutoff is {best(found['attainable']):.4g}."
    assert told in found.attrs["statement"]
    assert (
        f"In 2 of 2 rows: no cutoff guarantees a {goal} of {value:g}" in found.attrs["statement"]
    )

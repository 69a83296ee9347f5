"""Numbers on new examples: areas, and metrics at a threshold, at any prevalence."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import pu_accessor
from tests.cases import AREAS, Labels, binormal, framed, put, quiet
from tests.support.oracles import cluster_oracle, completion_oracle, oracle, population_oracle

# Of areas without limits, and of betas that are too high; the table of messages is about these.
pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
SEEDS, NUMBERS = range(6), ["estimate", "standard_error", "lower", "upper"]


def draw(seed: int) -> tuple[list[float], Labels, float]:
    """Draw scores, often tied, with three known positives and five others at least."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(12, 40))
    truth = rng.random(size) < 0.5
    score = np.round(rng.normal(rng.uniform(-0.5, 3) * truth), int(rng.integers(0, 3)))
    shown = rng.random(size) < rng.uniform(0.2, 0.8)
    label: Labels = [bool(t) if s else None for t, s in zip(truth, shown, strict=True)]
    label[:8] = True, True, True, None, None, None, None, False
    return list(map(float, score)), label, float(rng.choice([0.0, 0.1, 0.35]))


def ask(score: Any, label: Any, metric: Any, beta: Any, **how: Any) -> pd.DataFrame:
    """Ask for a metric of new examples."""
    how = {"target": "population", "negative": False, **how}
    return quiet(framed(score, label), "metric", metric, beta, **how)


def reaching(ends: tuple[float, float], estimate: float) -> list[float]:
    """Return limits that hold the one estimate; there are none where that has no value."""
    return [float(np.minimum(ends[0], estimate)), float(np.maximum(ends[1], estimate))]


# ---------------------------------------------------------------------------------------------
# Areas


Ranking = tuple[list[float], Labels, float]


def near_an_end(beta: float, above: list[float], sign: int) -> Ranking:
    """Rank four known positives at an end, but for a few others."""
    rest = [*above, *map(float, range(13 - len(above)))]
    return [sign * one for one in (22.0, 21.0, 20.0, 19.0, *rest)], [True] * 4 + [None] * 13, beta


RANKINGS: list[Ranking] = [draw(seed) for seed in SEEDS]
RANKINGS += [(score, label, 0.0) for score, label, _ in RANKINGS]
LONE: Ranking = [*map(float, range(20))], [*[None] * 10, True, *[None] * 9], 0.5
for few in ("?+?-?+?", "?+++-+", "?++-"):  # two of a kind are enough for an interval
    labels: Labels = [{"+": True, "-": False, "?": None}[one] for one in few]
    RANKINGS.append(([*map(float, range(len(few), 0, -1))], labels, 0.1))
ABOVE = [[], [20.5], [23.0, 20.5, 19.5], [21.0, 20.0]]
RANKINGS += [near_an_end(*one) for one in product([0.0, 0.05, 0.15], ABOVE, [1, -1])]


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("place", range(len(RANKINGS)))
@pytest.mark.parametrize("name", AREAS.values())
def test_areas_agree_with_the_reference(name: str, place: int, level: float) -> None:
    score, label, beta = RANKINGS[place]
    row, unlabeled = ask(score, label, name, beta, level=level).iloc[0], label.count(None)
    found = getattr(population_oracle, name)(score, cluster_oracle.shares(label, beta), level)
    estimate = completion_oracle.area(name, score, label, beta)
    assert row[NUMBERS[:2]].tolist() == pytest.approx([estimate, min(found.error, 0.5)], rel=1e-6)
    ends, excess = reaching(found[2:], estimate), max(found.value - 1, -found.value)
    if unlabeled and excess > 3 * found.error + 1e-9:
        # A statistic that is impossible refutes a beta that is above its limit.
        limit = quiet(framed(score, label), "estimate_beta", level=level, negative=False)
        if beta > limit["upper"].item() + 0.5 / unlabeled:
            ends = [math.nan] * 2
    if name == "auroc" or found.error > 1e-9:  # the limits of others are Wilson's
        assert row[NUMBERS[2:]].tolist() == pytest.approx(ends, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("seed", [68, 175])
def test_a_very_good_model_has_limits_at_the_true_beta(seed: int) -> None:
    """The statistic is above 1 by two errors or more, and beta above its limit by chance."""
    rng = np.random.default_rng(seed)
    score = np.r_[rng.normal(3.3, 1, 170), rng.normal(size=150)]
    pu, true = framed(score, [True] * 20 + [None] * 300).pu, stats.norm.cdf(3.3 / math.sqrt(2))
    with pytest.warns(pu_accessor.PUWarning, match="beta exceeds .* Pass a smaller beta"):
        row = pu.auroc(0.5).iloc[0]
    assert row["lower"] < true < row["upper"] == 1 and row["upper"] - row["lower"] < 0.3


def test_lone_examples_have_no_interval() -> None:
    # One known positive if no other is hidden; one of the rest.
    lone: Any = [([None, True, None, False], [0.0, 0.5], [0.5, 5 / 6])]
    for label, betas, estimates in [*lone, ([True] * 3 + [None], [0.0], [1.0])]:
        for name in AREAS.values():
            found = ask([4.0, 3.0, 2.0, 1.0], label, name, betas)
            assert found[NUMBERS[2:]].isna().all(axis=None)
        assert found["estimate"].tolist() == pytest.approx(estimates)
    # A negative less than a half is none in the one labeling.
    asked = [4.0, 3, 2, 1], [True] * 3 + [None], "lift", 0.9
    assert ask(*asked, at={"threshold": 2}, prevalence=0.2)["estimate"].isna().all()


@pytest.mark.parametrize("prevalence", [None, 0.01])
@pytest.mark.parametrize(("rows", "level"), [(1, 0.8), (1, 0.95), (2, 0.95)])
@pytest.mark.parametrize(("n", "rest"), [(4, 4), (10, 20), (40, 8)])
def test_average_precision_without_scatter_is_wilsons(
    n: int, rest: int, rows: int, level: float, prevalence: float | None
) -> None:
    """Rows of a cluster count as one, where nothing scatters."""
    truth, share = np.arange(n + rest) < n, prevalence or n / (n + rest)
    known, others = n // rows, rest // rows
    true = stats.binomtest(known, known).proportion_ci(level, method="wilson").low
    false = stats.binomtest(0, others).proportion_ci(level, method="wilson").high
    lower = true * share * true / (share * true + (1 - share) * false)
    frame = framed(1.0 * truth, truth).assign(cluster=np.arange(n + rest) // rows)
    how: dict[str, Any] = {"negative": False, "cluster": "cluster" if rows > 1 else None}
    found = put(frame.pu, "average_precision", 0, level=level, prevalence=prevalence, **how)
    assert found[NUMBERS].iloc[0].tolist() == pytest.approx([1, 0, lower, 1], rel=1e-9)


def test_average_precision_of_one_block_at_the_end_is_that_of_all() -> None:
    row = ask([0.0] * 10 + [1.0] * 20, [True] * 10 + [False] * 20, "average_precision", 0).iloc[0]
    error = (1 / 3 * 2 / 3 / 30) ** 0.5  # of the share of positives alone
    assert row[NUMBERS[:2]].tolist() == pytest.approx([1 / 3, error]) and row["upper"] == 1


@pytest.mark.parametrize("prevalence", [1e-9, 0.003, 0.1, 0.6])
@pytest.mark.parametrize("ranking", [*map(draw, SEEDS), LONE])
@pytest.mark.filterwarnings("ignore:invalid value")  # the error of one is NaN
def test_average_precision_at_a_prevalence(ranking: Any, prevalence: float) -> None:
    score, label, beta = ranking
    row = ask(score, label, "average_precision", beta, prevalence=prevalence).iloc[0]
    want = population_oracle.precision_error_at(score, label, beta, prevalence)
    near = 1e-3 if prevalence < 0.001 else 1e-5
    assert row["standard_error"] == pytest.approx(min(want, 0.5), rel=near, nan_ok=True)
    latent = oracle.latent_count(beta, label.count(None))
    tables, share = completion_oracle.completed(score, label, latent), Fraction(str(prevalence))
    factor = share / (1 - share) * tables[-1].fp / tables[-1].tp
    want = completion_oracle.average_precision(score, label, tables, factor)
    assert row["estimate"] == pytest.approx(want, rel=1e-9)
    # Limits are as far from the statistic on logits of the share of positives that is known there.
    n, positives = label.count(True), label.count(True) + beta * label.count(None)
    odds = prevalence / (1 - prevalence) * (len(label) - positives) / positives
    known = np.clip(1 - (1 - n / positives) / odds, 1e-9, n / positives)
    more = ask(score, label, "average_precision", beta, prevalence=prevalence, level=0.6).iloc[0]
    ends = np.array([one[NUMBERS[2:]] for one in (row, more)], float)
    is_cut = ends.max() == 1 or (np.sign(ends - row["estimate"]) != [-1, 1]).any()
    assert is_cut or abs(np.diff(special.logit(known * ends).mean(axis=1))) < 1e-7


# ---------------------------------------------------------------------------------------------
# Metrics at a threshold


def completed_at(score: list[float], label: Labels, beta: float, threshold: float) -> list[float]:
    """Return tpr and fpr of the one estimate at a threshold, and the prevalence."""
    m = oracle.latent_count(beta, label.count(None))
    *_, last = tables = completion_oracle.completed(score, label, m)
    rank = sum(one >= threshold for one in score)
    (here,) = (table for table in tables if table.rank == rank)
    return [float(x) for x in (here.tp / last.tp, here.fp / last.fp, last.tp / len(score))]


ALL = sorted({*cluster_oracle.METRICS} - {"tpr"})
SAME = np.array([[30.0, 20, 10, 40], [30, 60, 10, 120]])  # rates, at two shares of negatives
OF_RATES = {x for x in ALL if np.ptp([cluster_oracle.METRICS[x](*one) for one in SAME]) < 1e-12}
OF_BOTH = sorted({*ALL} - OF_RATES)  # of rates, and of the prevalence


FAILURES: list[dict[str, float]] = [{}, {"selection_odds": 3, "contamination": 0.2}]


@pytest.mark.parametrize("place", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("prevalence", [None, 0.1])
@pytest.mark.parametrize("drawn", [(0, 0.35, 1), (1, 0.1, 1), (4, 0, 1), (9, 0.6, -1)])
def test_metrics_agree_with_three_binomials(
    drawn: Any, prevalence: Any, place: float, failure: dict[str, float]
) -> None:
    seed, beta, way = drawn
    score, label, _ = draw(seed)
    score = [way * one for one in score]
    threshold = sorted(score)[int(len(score) * place)]
    tpr, fpr, share = completed_at(score, label, beta, threshold)
    p, of = prevalence or share, cluster_oracle.shares(label, beta)
    asked = {"at": {"threshold": threshold}, "level": 0.9, "prevalence": prevalence, **failure}
    labels = dict(zip(["odds", "wrong"], failure.values(), strict=False))
    for row in ask(score, label, OF_BOTH if prevalence else ALL, beta, **asked).itertuples():
        function = cluster_oracle.METRICS[str(row.metric)]
        estimate = function(p * tpr, (1 - p) * fpr, p * (1 - tpr), (1 - p) * (1 - fpr))
        ends = population_oracle.metric(score, of, threshold, 0.9, function, prevalence, **labels)
        want, found = [estimate, *reaching(ends, estimate)], [row.estimate, row.lower, row.upper]
        assert found == pytest.approx(want, rel=1e-7, abs=1e-9, nan_ok=True), row.metric


def test_newcombes_interval_of_informedness() -> None:
    """Newcombe's tenth method for 56/70 and 48/80: .0524 to .3339."""
    score, truth = np.repeat([1, 0, 1, 0], [56, 14, 48, 32]), np.arange(150) < 70
    found = ask(score, truth, "informedness", 0, at={"threshold": 1})
    wanted = pytest.approx([0.2, 0.0524, 0.3339], abs=5e-5)
    assert found[["estimate", "lower", "upper"]].iloc[0].tolist() == wanted


# ---------------------------------------------------------------------------------------------
# What other arguments change

BETA, NEW = 0.25, {"target": "population"}
OWN = (24 + BETA * 276) / 300  # the prevalence of FRAME
FRAME = binormal(80, 220, 0.3, 0, shift=2.0)[0].assign(patient=np.arange(300) % 75)


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("cluster", [None, "patient"])
def test_the_prevalence_of_these_examples_changes_only_limits(
    monotone: bool, cluster: Any
) -> None:
    pu: Any = FRAME.pu(cluster=cluster).assume(monotone=monotone)
    at = {"threshold": [0.5, 2]}
    of_tables: dict[str, Any] = {"metric": OF_BOTH, "at": at, **NEW}
    for how in ({"metric": "average_precision"}, of_tables):
        fixed, own = (each.metric(beta=BETA, **how) for each in (pu.assume(prevalence=OWN), pu))
        assert fixed["estimate"].tolist() == pytest.approx(own["estimate"].tolist(), rel=1e-12)
        more = np.array([fixed["lower"] - own["lower"], own["upper"] - fixed["upper"]])
        if cluster is None:  # in which errors can cancel
            assert more.min() > -1e-12 and (more.sum(axis=0) > 1e-9).all()


def test_precision_of_labeled_rows_is_a_proportion_of_those_above() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(1000) < 0.3
    score = rng.normal(1.5 * truth)
    k, above = int((truth & (score >= 1)).sum()), int((score >= 1).sum())
    found = ask(score, truth, "precision", 0, at={"threshold": 1}).iloc[0]
    wanted = stats.binomtest(k, above).proportion_ci(method="wilson")
    assert [found["lower"], found["upper"]] == pytest.approx([*wanted], abs=0.004)


def test_net_benefit_at_a_prevalence_is_that_of_its_function() -> None:
    pu = FRAME.assign(score=special.expit(FRAME["score"])).pu.assume(prevalence=0.05)

    def worth(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return (tp - fp / 4) / (tp + fp + fn + tn)

    asked = ("net_benefit", worth)
    named, function = (pu.metric(one, BETA, at={"threshold": 0.2}) for one in asked)
    columns = ["rank", "estimate", "lower", "upper"]
    pd.testing.assert_frame_equal(named[columns], function[columns])
    assert named["prevalence"].item() == 0.05 and named["upper"].item() > named["lower"].item()


def test_an_interval_of_beta_has_the_limits_of_all_its_betas() -> None:
    pu = FRAME.pu.assume(prevalence=0.05)
    each, found = map(pu.average_precision, (np.linspace(0.2, 0.3, 9), pd.Interval(0.2, 0.3)))
    wanted = pytest.approx((each["lower"].min(), each["upper"].max()), abs=1e-4)
    assert found[["lower", "upper"]].iloc[0].tolist() == wanted


CHANCES = [("auroc", None, 0.5), *(("average_precision", p, p or 0.3) for p in (None, 0.1))]


@pytest.mark.parametrize(("name", "prevalence", "chance"), CHANCES)
def test_monotone_scores_are_as_good_as_chance(name: str, prevalence: Any, chance: float) -> None:
    pu = binormal(60, 140, 1 / 3, 5, shift=0.3)[0].pu.assume(prevalence=prevalence)
    both = [pu, pu.assume(monotone=True)]
    plain, rising = (one.metric(name, 40 / 180, **NEW).iloc[0] for one in both)
    assert plain["lower"] < chance < rising["estimate"]
    assert rising["lower"] == pytest.approx(chance, rel=1e-9)
    assert prevalence or rising["upper"] == pytest.approx(plain["upper"], rel=1e-9)


@pytest.mark.parametrize("name", ["tpr", "fpr", "precision"])
def test_monotone_scores_have_limits_of_shares_and_of_curves(name: str) -> None:
    rising = FRAME.pu.assume(monotone=True)
    shares = stats.binomtest(93, 300).proportion_ci(0.99, method="wilson")
    for threshold in (0.5, 2.0, 3.0):
        asked: dict[str, Any] = {"at": {"threshold": threshold}, **NEW}
        found = rising.metric(name, BETA, **asked).iloc[0]
        one = FRAME.pu.metric(name, BETA, level=0.96, **asked).iloc[0]
        bounds = rising.pr_bounds if name == "precision" else rising.roc_bounds
        curve = bounds(BETA, level=0.99, ranks="all", **NEW)[name]
        ends = sorted(curve.sel(rank=found["rank"]).isel(beta=0)[::2].to_numpy())
        estimate, sides = found["estimate"], np.array([-1, 1])
        if name == "precision":  # which the share of positives moves, too
            known, rest = (
                (FRAME["score"][kind] >= threshold).mean()
                for kind in (FRAME["label"] == 1, FRAME["label"] != 1)
            )
            middle = np.log(known * (1 - BETA) / (rest - BETA * known)) + special.logit(OWN)
            off = special.logit(ends) - middle
            of_share = special.logit(shares) - special.logit(OWN)
            ends = special.expit(middle + np.sign(off) * np.sqrt(off**2 - of_share**2))
            moved = special.expit(special.logit(ends) + special.logit(shares) - special.logit(OWN))
            away = np.hypot(np.maximum(sides * (ends - estimate), 0), moved - ends)
            ends = estimate + sides * np.minimum(away, sides * (moved - estimate))
        wanted = reaching((max(one["lower"], ends[0]), min(one["upper"], ends[1])), estimate)
        assert found[["lower", "upper"]].tolist() == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("monotone", [False, True])
def test_tables_are_those_of_the_curve_at_any_ranks(monotone: bool) -> None:
    pu, some = FRAME.pu.assume(monotone=monotone), [30, 101, 250]
    tables, every = pu.contingency(BETA, **NEW), pu.contingency(BETA, ranks="all", **NEW)
    curve = pu.roc_bounds(BETA, ranks="all", **NEW)
    assert curve.attrs["band"] == tables.attrs["band"] == "simultaneous"
    for name, part, other in (("tpr", "tp", "fn"), ("fpr", "fp", "tn")):
        rate = tables[part] / (tables[part] + tables[other])
        np.testing.assert_allclose(rate, curve[name], atol=1e-12)
    assert float(tables["tp"].max()) == pytest.approx(24 + BETA * 276)
    goals = np.linspace(0.1, 0.9, 30)
    ranks = np.searchsorted(curve["tpr"].sel(bound="estimate", beta=BETA), goals).tolist()
    assert pu.metric("mcc", BETA, at={"recall": goals}, **NEW)["rank"].tolist() == ranks
    for chosen in (pu.contingency(BETA, ranks=some, **NEW), every.sel(rank=some)):
        np.testing.assert_allclose(chosen["tp"], tables["tp"].sel(rank=some), atol=1e-9)


@pytest.mark.parametrize("beta", [0.0, 0.05])
def test_precision_is_known_where_none_of_the_rest_is_above(beta: float) -> None:
    pu = binormal(15, 45, 1, seed=0, shift=3.0)[0].pu
    precision = pu.pr_bounds(beta, **NEW)["precision"]
    assert precision.notnull().all() and (precision.sel(bound="upper")[:4] == 1).all()


def test_a_part_that_ends_among_ties_has_the_error_of_two_shares() -> None:
    """Above are 24 of 40 known positives and 20 of 160 others, and all below are tied."""
    # Up to x + z the area is x*y/2 + z*y + (1 - y)*z**2/(1 - x)/2.
    y, x, z = 0.6, 0.125, 0.175
    by_y, w = x / 2 + z - z**2 / (1 - x) / 2, z / (1 - x)
    by_x = -y / 2 - (1 - y) * (w - w**2 / 2)
    error = math.hypot(by_y * (y * (1 - y) / 39) ** 0.5, by_x * (x * (1 - x) / 159) ** 0.5)
    frame = framed([2.0] * 44 + [1.0] * 156, np.repeat([True, False] * 2, [24, 20, 16, 140]))
    row = quiet(frame, "auroc", 0, max_fpr=x + z, negative=False).iloc[0]
    assert row["standard_error"] == pytest.approx(error / 0.51, rel=1e-9)


@pytest.mark.parametrize("beta", [0.05, 0.2])
def test_a_part_of_an_area_of_1_has_the_limit_of_separated_samples(beta: float) -> None:
    frame = framed([*range(40, 0, -1)], [True, None, True, None, True, *[None] * 35])
    row = quiet(frame, "auroc", beta, max_fpr=0.2).iloc[0]
    ends = ((1.0, 3), (0.0, 37))
    (tpr, _), (_, fpr) = (population_oracle.wilson(*end, stats.norm.ppf(0.975)) for end in ends)
    part = tpr * (0.2 - fpr / (1 - beta))
    limits = [(1 + (part - 0.02) / 0.18) / 2, 1]
    assert row["standard_error"] > 0 and row[["lower", "upper"]].tolist() == pytest.approx(limits)

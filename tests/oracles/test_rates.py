"""Metrics at cutoffs of every kind against enumerated surrogate sets, and on future data."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUDataError
from pu_accessor.sklearn import scorer
from tests.cases import ORACLES, Case, as_frame, binormal, cases, draw_case, quiet
from tests.support.oracles import (
    cluster_oracle,
    coherent_oracle,
    completion_oracle,
    goal_oracle,
    oracle,
    point_oracle,
)
from tests.support.oracles.practice_oracle import net_benefit
from tests.worlds import attempt, fuzzed

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
NAMES = sorted({*oracle.METRICS} - {"tpr"})  # which is recall
LIMITS = ["estimate", "lower", "upper"]
NEAR: dict[str, Any] = {"rel": 1e-12, "abs": 1e-12, "nan_ok": True}
FRAME, BETA, _ = binormal(200, 600, 0.3, seed=5)


def drawn(seed: int) -> Case:
    """Draw a ranking with something unlabeled, and a known negative."""
    score, label, beta = draw_case(seed)
    return Case([*score, 0.5, -0.25], [*label, False, None], beta)


def descending(label: list[bool | None], beta: float) -> Case:
    """Return a ranking in this order."""
    return Case([-float(place) for place in range(len(label))], label, beta)


def block(first: bool | None, inside: list[bool | None]) -> Case:
    """Return a ranking with a block of seven ties from rank 1 to 8, and without labels later."""
    score = [9.0, *[5.0] * 7, 3, 3, 2, 1, 0, 0, *[-1] * 4, -2, -2]
    return Case(score, [first, *inside, None, True, None, True, *[None] * 8], 0.25)


NONE: list[bool | None] = [None]
ODD = [
    block(None, [True, None, None, None, True, None, False]),
    block(True, NONE * 7),
    block(True, [True, False, True, False, False, True, True]),
    block(None, [*NONE * 6, True]),
    Case([1.0] * 20, [True, True, *NONE * 18], 1 / 3),
    *(descending([*some], 0.0) for some in ((True, None), (True, None, False), (None, True))),
    descending([True, True, None, None], 0.0),
    # MCC is highest before the last cutoff, or negative everywhere.
    descending([False, True, *NONE * 4], 1.0),
    drawn(140842),
    # A recall is .05 in fractions; what floats divide or multiply askew.
    drawn(169),
    *(descending([*[True] * n, *NONE * (55 - n)], 0.0) for n in (7, 16)),
    *(descending([*NONE * 3, True, *NONE * 90], (p - 1) / 93) for p in (25, 41)),
]


def add(cases: list[Case], **values: list[Any]) -> Callable[..., Any]:
    """Add cases to those that are drawn, each with all of some values."""

    def added(test: Callable[..., None]) -> Callable[..., None]:
        for case, *some in product(cases, *values.values()):
            test = example(case=case, **dict(zip(values, some, strict=True)))(test)
        return test

    return added


@cache
def tables_once(
    score: tuple[float, ...], label: tuple[Any, ...], beta: float, band: str, level: float
) -> dict[str, list[oracle.Table]]:
    """Return the tables of a ranking, the estimate not rounded."""
    plain = oracle.tables(score, label, beta, level, ORACLES[band])
    found = coherent_oracle.cut_if_joint(band, score, label, plain)
    m, ends = oracle.latent_count(beta, label.count(None)), (found["lower"], found["upper"])
    return {**found, "estimate": completion_oracle.estimates(score, label, m, ends)}


def tables_of(case: Case, band: str, level: float) -> dict[str, list[oracle.Table]]:
    return tables_once(tuple(case.score), tuple(case.label), case.beta, band, level)


def at_rank(
    case: Case, rank: int, band: str, level: float
) -> tuple[dict[str, oracle.Table], bool]:
    """Return the tables at a rank, which may be within a block of ties, and whether one is cut.

    There counts are the means over all orders of the block, and what is left to error is shared
    by its ends, but where bounds hold jointly as it is.
    """
    cuts = oracle.cutoffs(case.score, case.label)
    place = next(i for i, cut in enumerate(cuts) if cut.rank >= rank)
    if cuts[place].rank == rank:
        of = {bound: every[place] for bound, every in tables_of(case, band, level).items()}
        return of, of["lower"].clipped or of["upper"].clipped
    size, inside = cuts[place].rank - cuts[place - 1].rank, rank - cuts[place - 1].rank
    around = tables_of(case, band, level if band == "simultaneous" else (1 + level) / 2)
    mixed = {}
    for bound, every in around.items():
        pairs = zip(every[place - 1][1:5], every[place][1:5], strict=True)
        counts: Any = (Fraction(a * (size - inside) + b * inside, size) for a, b in pairs)
        mixed[bound] = oracle.Table(*(rank, *counts, False))
    sides = around["lower"], around["upper"]
    return mixed, any(side[i].clipped for side in sides for i in (place - 1, place))


def expect(name: str, of: dict[str, oracle.Table]) -> list[float]:
    """Return the estimate of a metric, and limits that hold it."""
    values = np.array([oracle.metric(name, of[bound]) for bound in LIMITS])
    return [values[0], values.min(), values.max()]  # all nan if one is


def ask(case: Case, name: Any, at: Any, **how: Any) -> pd.DataFrame:
    """Ask for metrics of these examples at cutoffs."""
    how = {"target": "examples", "negative": False, **how}
    return quiet(as_frame(case), "metric", metric=name, beta=case.beta, at=at, **how)


@add(ODD[:5], band=["exact", "simultaneous"], level=[0.9], names=[["precision", "mcc"]])
@given(
    case=cases(),
    band=st.sampled_from([*ORACLES]),
    level=st.sampled_from([0.5, 0.8, 0.95]),
    names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True),
)
def test_metrics_at_each_rank(case: Case, band: str, level: float, names: list[str]) -> None:
    ranks = [*range(len(case.score) + 1)]
    found = ask(case, names, {"rank": ranks}, band=band, level=level)
    columns = ["metric", "at", "beta", "rank", "threshold", "target", *LIMITS, "clipped"]
    assert [*found.columns] == [*columns, "examples_at_threshold"]
    assert [found.attrs[key] for key in ("level", "band", "target")] == [level, band, "examples"]
    assert [*zip(found["metric"], found["at"], strict=True)] == [*product(names, ranks)]
    assert (found["rank"] == found["at"]).all() and (found["beta"] == case.beta).all()
    cuts = oracle.cutoffs(case.score, case.label)
    for row in found.to_dict("records"):
        of, is_cut = at_rank(case, row["rank"], band, level)
        cut = next(one for one in cuts if one.rank >= row["rank"])
        wanted = pytest.approx(expect(row["metric"], of), **NEAR)
        assert [row[name] for name in LIMITS] == wanted, (row["rank"], row["metric"])
        where = row["threshold"], row["examples_at_threshold"], row["clipped"]
        assert where == (cut.threshold, cut.rank, is_cut)


def check_ranks(case: Case, found: pd.DataFrame, name: Any, band: str = "exact") -> None:
    """Hold answers at cutoffs against those at their ranks."""
    other = ask(case, name, {"rank": found["rank"].unique()}, band=band).set_index("rank")
    other = other.loc[found["rank"]].reset_index()
    same = [name for name in other.columns if name in found and name != "at"]
    pd.testing.assert_frame_equal(found[same], other[same])


@fuzzed(2)
@given(case=cases())
def test_thresholds_and_fractions_are_ranks(case: Case) -> None:
    score, fractions = np.array(case.score), [0, 0.1, 0.29, 0.37, 0.58, 1]
    thresholds = np.array([-99, score[0] - 1e-3, score[0], score[0] + 1e-3, 99])
    found = ask(case, "f1", {"threshold": thresholds})
    assert found["rank"].tolist() == [(score >= one).sum() for one in thresholds]
    check_ranks(case, found, "f1")
    found = ask(case, ["f1", "lift"], {"fraction": fractions})
    wanted = [math.ceil(oracle.decimal(one) * score.size) for one in fractions]
    assert found["rank"].tolist() == [*wanted, *wanted]
    check_ranks(case, found[: len(fractions)], "f1")


def near_9(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return -abs(tp + fp - 9.0)


def caught_early(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fn) * (fn + tn) / (tp + fp + fn + tn)


OWN = [near_9, caught_early]
BEST: list[Any] = [*NAMES, *OWN, "youden"]


@add(ODD[:-4], name=["mcc", "accuracy"], band=["dkw"])
@given(case=cases(), name=st.sampled_from(BEST), band=st.sampled_from(["simultaneous", "dkw"]))
def test_the_best_cutoff_is_at_the_highest_estimate(case: Case, name: Any, band: str) -> None:
    estimate = tables_of(case, band, 0.95)["estimate"][1:]
    at, name = ("youden", "informedness") if name == "youden" else ("maximum", name)
    of = partial(oracle.metric, name) if name in NAMES else lambda table: name(*table[1:5])
    values = {table.rank: float(of(table)) for table in estimate}
    if np.isnan([*values.values()]).all():
        with pytest.raises(PUDataError, match="there is none"):
            ask(case, name, at, band=band)
        return
    found = ask(case, name, at, band=band)
    best = values[found["rank"].item()]
    assert best == pytest.approx(np.nanmax([*values.values()]), abs=1e-12)
    check_ranks(case, found, name, band)


def test_a_maximum_is_the_same_wherever_it_is_asked_for() -> None:
    for seed in (2, 12, 26, 34):
        rng = np.random.default_rng(seed)
        truth = rng.random(60 + seed) < 0.4
        known = truth & (rng.random(truth.size) < 0.15)
        score = rng.normal(size=truth.size) + 1.2 * truth
        pu = pu_accessor.from_arrays(score, known)(unlabeled=False)
        each = pu.metric(caught_early, 0.3, at={"rank": [*range(1, score.size + 1)]})
        how: dict[str, Any] = {"metric": caught_early, "beta": 0.3, "at": "maximum"}
        found = [pu.metric(**how), pu.robustness(**how, over={"selection_odds": [1]}, above=0.1)]
        fixed = SimpleNamespace(decision_function=lambda x: x)
        values = [one["estimate"].item() for one in found]
        values.append(scorer(**how, unlabeled=False)(fixed, score, known))
        assert values == pytest.approx([each["estimate"].max()] * 3, rel=1e-12)


def test_the_best_cutoff_of_the_exact_band_has_joint_limits() -> None:
    betas = {"exact": [0.05, BETA], "simultaneous": [BETA]}
    for at in ("maximum", "youden"):
        one, other = (FRAME.pu.metric("f1", b, at=at, band=x).iloc[-1] for x, b in betas.items())
        pd.testing.assert_series_equal(one, other, check_names=False)


# Where a rate is given

KINDS = ["recall", "fpr", "precision"]
FAR = [0.0, 0.07, 0.43, 0.96, 1.0]  # goals, of which all but the ends are next to no rate


@add(ODD[:9], kind=KINDS, band=["dkw"])
@add(ODD[-5:-2], kind=["recall", "precision"], band=["dkw", "exact"])
@add(ODD[-2:], kind=["recall"], band=["exact"])
@given(case=cases(), kind=st.sampled_from(KINDS), band=st.sampled_from(["exact", "dkw"]))
def test_each_rate_finds_its_cutoff(case: Case, kind: str, band: str) -> None:
    """Its own estimate finds a cutoff, and what is next to it the one before or after."""
    level = 0.975 if (kind, band) == ("precision", "exact") else 0.95
    tables = tables_of(case, band, level)
    rates = np.array([oracle.metric(kind, table) for table in tables["estimate"]])
    ranks, whole = [table.rank for table in tables["estimate"]], rates[~np.isnan(rates)]
    if np.isnan(rates[-1]):
        with pytest.raises(PUDataError, match=r"needs (negatives|positives)"):
            ask(case, "lift", {kind: 0.5}, band=band)
        return
    rounding = 1e-12 if any(table.tp.denominator > 1 for table in tables["estimate"]) else 0
    near = [np.nextafter(whole, 9), np.nextafter(whole, -9)] if not rounding else []
    goals = np.unique(np.concatenate([whole, whole - 1e-9, whole + 1e-9, *near]))
    goals = goals[(goals >= 0) & (goals <= whole.max())]
    goals = np.union1d(goals[:: goals.size // 6 + 1], [one for one in FAR if one <= whole.max()])
    for row in ask(case, "mcc", {kind: goals}, band=band).to_dict("records"):
        goal = row["at"]
        with np.errstate(invalid="ignore"):
            met = rates <= goal + rounding if kind == "fpr" else rates >= goal - rounding
        place = np.flatnonzero(met)[0 if kind == "recall" else -1]
        assert row["rank"] == ranks[place], goal
        points = [tables["estimate"][place]]
        assert row["estimate"] == pytest.approx(oracle.metric("mcc", *points), **NEAR)
        if goal in FAR:
            points += point_oracle.possible_points(kind, goal, *case[:2], tables)
            values = np.array([oracle.metric("mcc", point) for point in points])
            ends = [np.fmin.reduce(values), np.fmax.reduce(values)]
            if level == 0.975:  # a part of the error goes to all cutoffs
                assert not (row["lower"] > ends[0] + 1e-9 or row["upper"] < ends[1] - 1e-9)
                continue
            assert [row["lower"], row["upper"]] == pytest.approx(ends, abs=1e-9, nan_ok=True)
            places = [point.rank for point in points]
            assert (row["rank_lower"], row["rank_upper"]) == (min(places), max(places))
            sides = [*tables["lower"], *tables["upper"]]
            assert row["clipped"] == any(t.clipped and t.rank in places[1:] for t in sides)


@pytest.mark.parametrize("kind", ["fpr", "recall", "precision"])
def test_a_rate_is_found_within_a_gap_of_many_rows(kind: str) -> None:
    label, start = np.full(90_000, np.nan), 0 if kind == "recall" else 30_000
    label[[0, 1, 15_000, 30_000, 30_001] if start else [0, 45_000, 45_001]] = 1
    pu = pd.DataFrame({"score": -np.arange(label.size), "label": label}).pu
    first, last = (start + 9_000, start + 44_995) if start else (12_000, 24_000)  # uncut
    ranks = np.array([first, *range(start + 21_000, start + 21_004), *range(last, last + 5)])
    rates = pu.metric(kind, 0.3, at={"rank": ranks})["estimate"]
    assert pu.metric(kind, 0.3, at={kind: rates})["rank"].tolist() == ranks.tolist()


@pytest.mark.parametrize("at", [{"rank": [20, 60]}, {"threshold": np.array([0.5, 1.5])}])
@pytest.mark.parametrize("beta", [[0.2, 0.1], pd.Interval(0.1, 0.2)], ids=str)
def test_several_are_each_of_them(at: Any, beta: Any) -> None:
    ((kind, values),) = at.items()
    names = ["precision", pu_accessor.fbeta(2)]
    found = FRAME.pu.metric(names, beta, at=at)
    parts = [FRAME.pu.metric(name, beta, at={kind: one}) for name, one in product(names, values)]
    wanted = pd.concat(parts).sort_values("beta", kind="stable", ascending=False)
    pd.testing.assert_frame_equal(found, wanted[[*found.columns]].reset_index(drop=True))
    assert found["metric"].unique().tolist() == ["precision", "f2"]


WHOLE = ["auroc", "r_precision", "boyce", "average_precision", "reciprocal_rank", "bedroc"]


@pytest.mark.parametrize(
    ("names", "at"), [(WHOLE, None), (["recall", "net_benefit", "PPV"], {"threshold": 0.5})]
)
def test_a_list_is_its_metrics_in_any_order(names: list[str], at: Any) -> None:
    few = FRAME[::5]  # known positives, to warn of
    frame = few.assign(score=1 / (1 + np.exp(-few["score"])), site=few.index % 2)
    for pu, without in ((frame.pu, ""), (frame.pu(by="site", average=True), "boyce")):
        asked = [name for name in names if name != without]
        single = [attempt(lambda: pu.metric(name, BETA, at=at)) for name in asked]  # noqa: B023
        columns: Any = None
        for order in (asked, asked[::-1], asked[2:] + asked[:2]):
            found, told = attempt(lambda: pu.metric(order, BETA, at=at))  # noqa: B023
            assert {*told} == {text for _, texts in single for text in texts}
            assert found["metric"].tolist() == order
            columns = columns or [*found.columns]
            assert columns == [*found.columns]
            for name, (one, _) in zip(asked, single, strict=True):
                row = found[found["metric"] == name][[*one.columns]].reset_index(drop=True)
                pd.testing.assert_frame_equal(row, one, check_dtype=False)


# The first positive


def mean_reciprocal_rank(tables: list[oracle.Table]) -> float:
    """Return the mean of 1/r over all orders of blocks, r the rank of the first positive."""
    total, none_above = 0.0, 1.0
    for before, after in pairwise(tables):
        for above in range(before.rank, after.rank):
            chance = min((after.tp - before.tp) / (after.rank - above), 1)
            total += none_above * chance / (above + 1)
            none_above *= 1 - chance
    return total


@add(ODD[:5])
@given(case=cases())
def test_reciprocal_rank_is_that_of_the_first_positive(case: Case) -> None:
    found = ask(case, "reciprocal_rank", None).iloc[0]
    values = {b: mean_reciprocal_rank(of) for b, of in tables_of(case, "exact", 0.95).items()}
    wanted = [values["estimate"], min(values.values()), max(values.values())]
    assert found[LIMITS].tolist() == pytest.approx(wanted, abs=1e-9)


# A user's own


def test_a_callable_is_a_metric_and_cannot_change_the_tables() -> None:
    tables = FRAME.pu.contingency(0.3, ranks="all")
    before = tables.copy(deep=True)

    def cost(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        fn *= 5
        return fn + fp

    values = tables.pu.metric(cost)
    assert values.name == "cost"
    np.testing.assert_array_equal(values, 5 * before["fn"] + before["fp"])
    xr.testing.assert_identical(tables, before)
    ratio = tables.pu.metric(lambda tp, fp, fn, tn: tp / (tp + fp))  # which may divide by nothing
    xr.testing.assert_equal(ratio, tables.pu.metric("precision"))


# Net benefit


def treat_all(row: Any) -> float:
    """Return the net benefit of treating all."""
    share, threshold = row["prevalence"], row["at"]
    return float(share - (1 - share) * threshold / (1 - threshold))


@given(case=cases(), band=st.sampled_from(["exact", "simultaneous"]))
def test_net_benefit_is_that_of_the_reference(case: Case, band: str) -> None:
    case = case._replace(score=[score / 30 for score in case.score])
    tables, cuts = tables_of(case, band, 0.95), oracle.cutoffs(case.score, case.label)
    found = ask(case, "net_benefit", {"threshold": [0.05, 0.3, 0.5, 0.77]}, band=band)
    for row in found.to_dict("records"):
        place = max(i for i, cut in enumerate(cuts) if cut.threshold >= row["at"])
        for bound, which in (*((bound, place) for bound in LIMITS), ("treat all", -1)):
            table = tables.get(bound, tables["estimate"])[which]
            wanted = net_benefit(table, Fraction(str(row["at"])))
            value = row[bound] if bound in row else treat_all(row)
            assert value == pytest.approx(float(wanted), abs=1e-12)
        assert row["rank"] == cuts[place].rank


def test_a_published_net_benefit() -> None:
    # Of 105 cancers among 750 men; dcurves for R (dcurves/data/r_bin_dca_result_1.csv) at 0.1.
    risks = np.repeat([0.2, 0.0, 0.2, 0.0], [87, 18, 193, 452])
    pu = pu_accessor.from_arrays(risks, np.arange(750) < 105)(negative=0)
    row = pu.metric("net_benefit", 0, at={"threshold": 0.1}, target="examples").iloc[0]
    wanted = [*[0.08740740740740742] * 3, 0.04444444444444445]
    assert [*row[LIMITS], treat_all(row)] == pytest.approx(wanted, rel=1e-12)


FUTURE = binormal(200, 600, 0.3, seed=5)[0]


# Ranks and limits of the Matthews correlation, by goal, decimals of the scores, and beta.
FUTURE_LIMITS: dict[tuple[str, float, int, float], list[float]] = {
    ("recall", 0.4, 9, 0.1): [125, 188, 251, 0.072117, 0.311184],
    ("recall", 0.4, 0, 0.3): [120, 322, 377, 0.018493, 0.496419],
    ("recall", 0.95, 2, 0.3): [554, 640, 800, -0.185861, 0.428252],
    ("recall", 0.95, 0, 0.1): [575, 761, 800, -0.207720, 0.235076],
    ("fpr", 0.07, 9, 0.3): [44, 108, 190, -0.018760, 0.515068],
    ("fpr", 0.07, 2, 0.3): [31, 108, 190, -0.018760, 0.513179],
    ("fpr", 0.07, 0, 0.1): [4, 17, 102, -0.013155, 0.317298],
    ("fpr", 0.8, 1, 0.3): [585, 678, 722, 0.109577, 0.347307],
    ("precision", 0.4, 9, 0.1): [0, 31, 233, 0.009678, 0.314826],
    ("precision", 0.4, 0, 0.3): [0, 607, 783, 0.001364, 0.536864],
    ("precision", 0.4, 0, 0.36): [0, 607, 800, 0.000310, 0.533967],  # with known negatives
}


@pytest.mark.parametrize(("kind", "goal", "decimals", "beta"), FUTURE_LIMITS)
def test_limits_stay_as_they_are(kind: str, goal: float, decimals: int, beta: float) -> None:
    label = FUTURE["label"].mask(FUTURE.index >= (700 if beta == 0.36 else 800), 0)
    pu = FUTURE.round(decimals).assign(label=label).pu(negative=0)
    found = pu.metric("mcc", beta, at={kind: goal}, target="population")
    ends = found[["rank_lower", "rank", "rank_upper", "lower", "upper"]].to_numpy(float)
    assert ends[0] == pytest.approx(FUTURE_LIMITS[kind, goal, decimals, beta], abs=1e-6)


FEW = binormal(40, 110, 0.3, seed=8)[0]
GOALS = [("recall", 0.5), ("recall", 0.9), ("fpr", 0.1), ("fpr", 0.5), ("fraction", 0.05)]
GOALS += [("fraction", 0.3)]


@pytest.mark.parametrize("beta", [0.1, 0.25])
@pytest.mark.parametrize("goal", GOALS)
def test_goals_on_future_data_are_points_near_some_cutoff(goal: Any, beta: float) -> None:
    labels = [True if one == 1 else None for one in FEW["label"]]
    of = cluster_oracle.shares(labels, beta)
    functions: dict[str, Any] = {
        "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn)
    }
    functions["f1"] = lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn)
    asked = FEW.pu.metric([*functions], beta, at=dict([goal]), target="population", level=0.9)
    for row in asked.itertuples():
        low, high = goal_oracle.limits(FEW["score"], of, goal, 0.9, functions[str(row.metric)])
        wanted = [min(low, row.estimate), max(high, row.estimate)]
        # The package takes fewer points of the line.
        assert [row.lower, row.upper] == pytest.approx(wanted, abs=2e-3)


EDGES: list[tuple[str, dict[str, float], list[float]]] = [
    ("recall", {"fraction": 0.0}, [0, 0, 0]),
    ("recall", {"fraction": 1.0}, [1, 1, 1]),
    ("lift", {"fraction": 1.0}, [1, 1, 1]),
    ("recall", {"threshold": 99.0}, [0, 0, 0.2425]),  # as of 0 among 12
    ("f1", {"recall": 0.0}, [0, 0, 0]),
    ("fpr", {"fpr": 0.0}, [0, 0, 0]),
    ("recall", {"recall": 1.0}, [1, 1, 1]),
]


@pytest.mark.parametrize(("name", "at", "wanted"), EDGES)
def test_ends_of_curves_on_future_data_have_an_answer(name: str, at: Any, wanted: Any) -> None:
    found = FEW.pu.metric(name, 0.2, at=at, target="population")
    assert found[LIMITS].iloc[0].tolist() == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_a_fraction_below_one_example_is_one(weight: Any) -> None:
    pu = FEW.assign(weight=2.5).pu(weight=weight)
    found = pu.metric("precision", 0.2, at={"fraction": [1e-9, 0.001]}, target="population")
    assert (found["rank"] == 1).all() and (found["lower"] < found["upper"]).all()


def test_recall_at_a_threshold_needs_no_beta() -> None:
    found = FUTURE.pu.metric(["recall", "fnr"], at={"threshold": 0.5})
    known = FUTURE.loc[FUTURE["label"] == 1, "score"]
    above, n, z2 = int((known >= 0.5).sum()), known.size, 1.959963984540054**2
    half = np.sqrt(z2 * (above * (n - above) / n + z2 / 4)) / (n + z2)
    middle = (above + z2 / 2) / (n + z2)
    wanted = np.array([[above / n, middle - half, middle + half]])
    wanted = np.concatenate([wanted, 1 - wanted[:, [0, 2, 1]]])
    np.testing.assert_allclose(found[["estimate", "lower", "upper"]], wanted)

"""Laws: what holds of any rows and any question, mostly by a second way to the same answer."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import pu_accessor
import pu_accessor.sklearn
from pu_accessor import PUError, fbeta
from tests import worlds
from tests.cases import AREAS, BANDS, put
from tests.worlds import (
    FRAMES,
    METRICS,
    MODELS,
    ROTTEN,
    TABLES,
    attempt,
    check_alike,
    fuzzed,
    keywords,
    public,
)

Draw = Callable[[st.SearchStrategy[Any]], Any]
METHODS = [name for name in public(FRAMES) if name != "report"]  # made of the others
NUMBERS = ["auroc", "average_precision", "metric", "estimate_beta", "cutoff", "calibration"]
COUNTED = ["contingency", "roc_bounds", "pr_bounds", "rank_cdf", "compare", "gap", "dominance"]
NUMBERS, COUNTED = [*NUMBERS, "robustness"], [*COUNTED, "check_assumptions"]
NEEDED: dict[str, dict[str, Any]] = {"gap": {"by": "key"}}
NEEDED |= {method: {"score": MODELS} for method in ("compare", "dominance")}
ENDS = ["estimate", "lower", "upper"]
BETA = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8])
ROUNDING = 1e-9
SAID: list[Any] = [{}, {}, {"cluster": "patient"}, {"weight": "times"}]
SAID += [{"propensity": "propensity"}, {"monotone": True}, {"contamination": 0.2}]
SAID += [{"reference": "tightest"}, {"selection_odds": 2}, {"prevalence": 0.2}]
ALONE = st.sampled_from(SAID)
# What composes; of two that exclude each other the one that is named by the error is left out.
BOUND: Any = st.builds(lambda one, other: one | other, ALONE, ALONE)


def answer(pu: Any, method: str, /, *args: Any, **keywords: Any) -> Any:
    """Return an answer, or the error; what is bound and assumed is among the keywords."""
    return attempt(lambda: put(pu, method, *args, **keywords))[0]


def answered(*found: Any) -> bool:
    """Tell if all are answers; where one is an error the others are."""
    failed = [isinstance(one, PUError) for one in found]
    assert len(set(failed)) == 1, found
    return not failed[0]


def question(frame: pd.DataFrame, draw: Draw, *methods: str) -> tuple[str, dict[str, Any]]:
    """Draw one of these methods, with valid keywords."""
    method = draw(st.sampled_from(methods))
    asked = draw(keywords(FRAMES, method)) | draw(BOUND)
    return method, worlds.settled(lambda one: put(frame.pu, method, **one), asked)


def rule(frame: pd.DataFrame, draw: Draw, **said: Any) -> dict[str, Any]:
    """Draw how tables are bounded."""
    bands, references = [*BANDS, worlds.half_band], ["positives", "negatives", "tightest"]
    asked = {"level": draw(st.sampled_from([0.5, 0.8, 0.95, 0.99])), **said}
    asked |= {"band": draw(st.sampled_from(bands)), "reference": draw(st.sampled_from(references))}
    if draw(st.booleans()):
        asked["selection_odds"] = draw(st.sampled_from([1.5, 4, np.inf]))
    if not (frame["label"] == 0).any():
        del asked["reference"]
    return worlds.settled(lambda one: put(frame.pu, "contingency", 0.3, **one), asked)


# Two ways to the same answer


def groups_and_models_are_answered_alone(frame: pd.DataFrame, draw: Draw) -> None:
    method, asked = question(frame, draw, *NUMBERS)
    asked |= {"at": 1} if isinstance(asked.get("at"), int) else {}
    asked |= {"models": 2} if method == "cutoff" else {}  # among which the error is divided
    if asked.get("metric") == "difference" or draw(st.booleans()):
        named, together = "key", frame.pu(negative=0, by="key", on_error="skip")
        parts = {key: rows.pu(negative=0) for key, rows in frame.groupby("key")}
    else:
        named, together = "model", frame.pu(score=MODELS)
        parts = {name: frame.pu(score=name) for name in MODELS}
    found = answer(together, method, **asked)
    if isinstance(found, PUError) and "weight" in asked:
        return  # what weights refuse is refused of all groups; one may have none but 1
    for key, part in parts.items():
        alone = answer(part, method, **asked)
        if isinstance(found, PUError) or isinstance(alone, PUError):
            assert isinstance(alone, PUError), (found, alone)
            assert isinstance(found, PUError) or key not in found[named].array
        else:
            rows = found[found[named] == key].reset_index(drop=True)
            check_alike(rows[list(alone.columns)], alone)


def without_latent_positives_it_is_scikit_learn(frame: pd.DataFrame, draw: Draw) -> None:
    """All unlabeled are negative then, as if they were labeled."""
    frame = frame.assign(score=frame["score"].rank(method="dense"))
    truth, score, size = frame["label"] == 1, frame["score"], draw(st.floats(0.2, 5))
    pu = frame.assign(label=draw(st.sampled_from([frame["label"], truth * 1.0]))).pu(negative=0)
    most, cutoff = draw(st.sampled_from([0.05, 0.3, 1.0])), draw(st.sampled_from(score.tolist()))
    areas = [metrics.roc_auc_score, metrics.average_precision_score]
    fbeta_score = metrics.fbeta_score(truth, score >= cutoff, beta=size)
    cases: list[tuple[str, dict[str, Any], float]] = [
        ("auroc", {"max_fpr": most}, areas[0](truth, score, max_fpr=most)),
        ("average_precision", {}, areas[1](truth, score)),
        ("metric", {"metric": fbeta(size), "at": {"threshold": cutoff}}, fbeta_score),
    ]
    for method, asked, expected in cases:
        found = put(pu, method, beta=0, target="examples", **asked)[ENDS]
        np.testing.assert_allclose(np.nan_to_num(found), [[expected] * 3], atol=1e-12)
    for area, function in zip(AREAS.values(), areas, strict=True):
        weighted = answer(pu(weight="times"), area, 0)
        if not isinstance(weighted, PUError):
            expected = function(truth, score, sample_weight=frame["times"])
            np.testing.assert_allclose(weighted["estimate"], expected, rtol=1e-12)
    roc = metrics.roc_curve(truth, score, drop_intermediate=False)
    pr = metrics.precision_recall_curve(truth, score)
    of_tables = draw(st.booleans())
    pu, how = pu.contingency(0, ranks="all").pu if of_tables else pu, {"beta": 0, "ranks": "all"}
    tables = [getattr(pu, f"{name}_bounds")(**({} if of_tables else how)) for name in AREAS]
    for bound in ENDS:
        one, other = (found.isel(beta=0).sel(bound=bound) for found in tables)
        np.testing.assert_allclose([one["fpr"], one["tpr"]], roc[:2], rtol=1e-12)
        np.testing.assert_allclose(other["precision"], pr[0][::-1], rtol=1e-12)
        np.testing.assert_allclose(other["recall"], pr[1][::-1], rtol=1e-12)
    np.testing.assert_array_equal(tables[0]["threshold"], roc[2])


def counts_are_rows(frame: pd.DataFrame, draw: Draw) -> None:
    frame = frame.assign(times=frame["times"] // 1)
    frame = frame[frame.groupby("key")["times"].transform("sum") > 0]
    groups = [{}, {"by": "key"}, {"by": "key", "average": True}]
    method, asked = question(frame, draw, *NUMBERS, *COUNTED)
    asked |= NEEDED.get(method) or draw(st.sampled_from(groups))
    asked = {name: value for name, value in asked.items() if name not in ("on", "weight")}
    asked = worlds.settled(lambda one: put(frame.pu, method, count="times", **one), asked)
    repeated = frame.loc[frame.index.repeat(frame["times"].astype(int))]
    one = answer(frame.pu, method, count="times", **asked)
    other = answer(repeated.pu, method, **asked)
    if answered(one, other):
        check_alike(one, other)


def numbers_are_those_of_tables(frame: pd.DataFrame, draw: Draw) -> None:
    beta, how, pu = draw(BETA), rule(frame, draw), frame.pu
    rank, name = draw(st.integers(1, len(frame))), draw(st.sampled_from(METRICS))
    tables = answer(pu, "contingency", beta, **how)
    if isinstance(tables, PUError):
        return
    row = answer(pu, "metric", name, beta, at=rank, **how).iloc[0]
    here = tables.sel(rank=rank, method="pad").isel(beta=0)
    if here["rank"].item() != rank:  # within ties a metric is the mean over all orders
        return
    ends = here.pu.metric(name).sel(bound=["lower", "upper"]).to_numpy()  # estimates are rounded
    np.testing.assert_allclose(row[["lower", "upper"]].astype(float), np.sort(ends))
    at = {"threshold": float(here["threshold"])}
    if np.isfinite(at["threshold"]):
        same = answer(pu, "metric", name, beta, at=at, target="examples", **how).iloc[0]
        both = [one[["rank", "estimate"]].astype(float) for one in (same, row)]
        np.testing.assert_array_equal(*both)


def order_of_scores_is_all(frame: pd.DataFrame, draw: Draw) -> None:
    of_order = [name for name in NUMBERS if name != "calibration"]
    method, asked = question(frame, draw, *of_order, "contingency", "roc_bounds")
    by_score = isinstance(asked.get("at"), dict) and "threshold" in asked["at"]
    if by_score or asked.get("metric") in ("boyce", "net_benefit"):
        return
    ranked = frame.assign(score=frame["score"].rank(method="dense") ** 3)
    one, other = (answer(rows.pu, method, **asked) for rows in (frame, ranked))
    if answered(one, other):
        drop = xr.Dataset.drop_vars if isinstance(one, xr.Dataset) else pd.DataFrame.drop
        named = {"columns": "threshold"} if drop is pd.DataFrame.drop else {"names": "threshold"}
        check_alike(*(drop(found, **named, errors="ignore") for found in (one, other)))


def each_row_twice(frame: pd.DataFrame, draw: Draw) -> None:
    # At other betas a completed labeling has its corners at other places.
    twice = pd.concat([frame, frame])
    one, other = (answer(rows.pu, "contingency", 0) for rows in (frame, twice))
    if answered(one, other):
        np.testing.assert_array_equal(2 * one["tp"], other["tp"])
    one, other = (answer(rows.pu, "auroc", 0) for rows in (frame, twice))
    if answered(one, other):
        both = np.array([one["estimate"], other["estimate"]])
        kept = both[:, ~np.isnan(both).any(axis=0)]  # too far outside for one alone
        np.testing.assert_allclose(kept[0], kept[1], atol=1e-12)


def curves_are_those_of_tables(frame: pd.DataFrame, draw: Draw) -> None:
    beta, how, pu = draw(BETA), rule(frame, draw), frame.pu
    tables = answer(pu, "contingency", beta, **how)
    few = answer(pu, "contingency", beta, ranks="breakpoints", **how)
    if not answered(tables, few):
        return
    curves = [answer(pu, name, beta, ranks="all", **how) for name in ("roc_bounds", "pr_bounds")]
    for of_rows, name in zip(curves, ("roc_bounds", "pr_bounds"), strict=True):
        check_alike(of_rows, getattr(tables.pu, name)())
    parts: list[tuple[str, dict[str, Any]]] = [("roc", {}), ("pr", {}), ("roc", {"max_fpr": 0.3})]
    for curve, part in parts:
        one, *others = (ds.pu.area(AREAS[curve], **part) for ds in (few, tables, *curves))
        for other in others:
            np.testing.assert_allclose(one.to_numpy(), other.to_numpy(), atol=ROUNDING)
        known = {name: how[name] for name in ("level", "selection_odds") if name in how}
        number = answer(pu, AREAS[curve], beta, target="examples", **known, **part)
        if "reference" not in how and not few["clipped"].sel(bound="estimate").any():
            of_tables = one.sel(bound="estimate").to_numpy()
            np.testing.assert_allclose(number["estimate"], of_tables, atol=ROUNDING)


# What is less, or more


def bounds_enclose_and_add_up(frame: pd.DataFrame, draw: Draw) -> None:
    assumed = draw(st.sampled_from([{}, {"contamination": 0.2}, {"monotone": True}]))
    betas = sorted(draw(st.sets(st.floats(0, 1), min_size=1, max_size=4)))
    how = rule(frame, draw, **assumed)
    tables = answer(frame.pu, "contingency", betas, **how)
    if isinstance(tables, PUError):
        return
    tp, fp, fn, tn = (tables[name] for name in ("tp", "fp", "fn", "tn"))
    assert (tp + fp == tables["rank"]).all() and (tp + fp + fn + tn == len(frame)).all()
    rises = [part.sel(bound="estimate").diff("rank") for part in (tp, fp)]  # no step to the left
    assert all((part >= 0).all() for part in (tp, fp, fn, tn, *rises))
    kind, band = how.get("reference", "positives"), how.get("band")
    if kind == "positives" and band not in ("simultaneous", worlds.half_band):
        assert (tp.diff("beta") >= 0).all()
    ordered = {"tp": tp}
    if kind == "positives":
        ordered |= {name: tables.pu.area(name).dropna("beta") for name in AREAS.values()}
    for values in ordered.values():
        steps = values.sel(bound=["lower", "estimate", "upper"]).diff("bound")
        assert (steps > -ROUNDING).all()


def bounds_are_nested(frame: pd.DataFrame, draw: Draw) -> None:
    how, beta = rule(frame, draw, **draw(BOUND)), draw(BETA)
    wider = {"level": [0.8, 0.95], "selection_odds": [1, draw(st.sampled_from([1.2, 3, np.inf]))]}
    name = draw(st.sampled_from([one for one in wider if one in how]))
    if how.get("band") is worlds.half_band:
        return
    narrow, wide = (answer(frame.pu, "contingency", beta, **{**how, name: x}) for x in wider[name])
    if answered(narrow, wide):
        assert (wide["tp"].sel(bound="lower") <= narrow["tp"].sel(bound="lower")).all()
        assert (wide["tp"].sel(bound="upper") >= narrow["tp"].sel(bound="upper")).all()


def intervals_hold_their_estimates_and_are_nested(frame: pd.DataFrame, draw: Draw) -> None:
    method, asked = question(frame, draw, "auroc", "average_precision", "metric")
    both = [answer(frame.pu, method, **{**asked, "level": level}) for level in (0.8, 0.95)]
    if not answered(*both):
        return
    for found in both:
        there = found[found["lower"].notna() & found["estimate"].between(0, 1)]
        ends = ["lower", *(["estimate"] if method != "metric" else []), "upper"]
        assert (there[ends].diff(axis=1).iloc[:, 1:] >= -ROUNDING).all(axis=None), there.T
    check_wider(*both)


def odds_widen_intervals(frame: pd.DataFrame, draw: Draw) -> None:
    method, asked = question(frame, draw, "auroc", "average_precision", "metric")
    odds = [1, 1.5, draw(st.sampled_from([2, 1e9, np.inf]))]
    asked = {name: one for name, one in asked.items() if name != "monotone"}  # another method
    each = [answer(frame.pu, method, **{**asked, "selection_odds": one}) for one in odds]
    if not isinstance(each[1], PUError) and answered(*each):
        check_wider(*each[:2])
        check_wider(*each[1:])


def check_wider(one: pd.DataFrame, other: pd.DataFrame) -> None:
    """Raise unless the intervals of the other answer hold those of one."""
    kept = one["lower"].notna() & other["lower"].notna()
    if "rank" not in one or one["rank"].equals(other["rank"]):
        assert (other["lower"] <= one["lower"] + ROUNDING)[kept].all(), (one.T, other.T)
        assert (other["upper"] >= one["upper"] - ROUNDING)[kept].all(), (one.T, other.T)


def intervals_of_beta_hold_all_between(frame: pd.DataFrame, draw: Draw) -> None:
    how, choice = rule(frame, draw, **draw(BOUND)), st.sampled_from([0, 0.1, 0.2, 0.35, 0.6])
    low, mid, high = sorted(draw(st.lists(choice, min_size=3, max_size=3, unique=True)))
    name, at = draw(st.sampled_from(["f1", "mcc", "tpr", "fpr", "fdr"])), len(frame) // 2
    betas = pd.Interval(low, high), [low, mid, high]
    one, each = (answer(frame.pu, "metric", name, beta, at=at, **how) for beta in betas)
    if answered(one, each) and each[["lower", "upper"]].notna().all(axis=None):
        assert one["lower"].item() <= each["lower"].min() + ROUNDING
        assert one["upper"].item() >= each["upper"].max() - ROUNDING
    wide, points = (answer(frame.pu, "contingency", beta, ranks="all", **how) for beta in betas)
    if "contamination" not in how and answered(wide, points):  # it takes no intervals
        found, values = (tables.pu.metric(name) for tables in (wide, points))
        found, values = (ends.sel(bound=["lower", "upper"]) for ends in (found, values))
        each_way = ["beta", "bound"]  # of an error rate the lower bound is the larger number
        assert not (found.min(each_way) > values.min(each_way) + ROUNDING).any()
        assert not (found.max(each_way) < values.max(each_way) - ROUNDING).any()


LAWS: list[Callable[[pd.DataFrame, Draw], None]] = [
    *[groups_and_models_are_answered_alone, without_latent_positives_it_is_scikit_learn],
    *[order_of_scores_is_all, each_row_twice, counts_are_rows, numbers_are_those_of_tables],
    *[curves_are_those_of_tables, bounds_enclose_and_add_up, bounds_are_nested],
    odds_widen_intervals,
    *[intervals_hold_their_estimates_and_are_nested, intervals_of_beta_hold_all_between],
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: str(law.__name__))
def test_law(law: Callable[[pd.DataFrame, Draw], None]) -> None:
    @fuzzed(2.5)
    @given(frame=worlds.frames(), data=st.data())
    def holds(frame: pd.DataFrame, data: st.DataObject) -> None:
        """Rows have scores; known positives and unlabeled ones are among those of each key."""
        kept = frame.fillna({"score": 0.0, "other": 0.0})
        more = kept.iloc[[0] * 4].assign(key=[*"aabb"], label=[1.0, np.nan] * 2, times=1)
        more = more.assign(said=["yes", "?"] * 2, propensity=0.5, patient=range(4))
        rows = pd.concat([kept, more], ignore_index=True)
        law(rows.assign(id=range(len(rows))), data.draw)

    holds()


# Small, one-sided and extreme rows, asked with extreme arguments

INF = np.inf
SIZES = [0, 1, 2, 3, 4, 6, 9, 15, 25, 40, 61, 61]
SCORES: list[list[float]] = [
    *([1.0], [0.0, 1.0], [0.0, -0.0, 1.0], [0.0, 0.25, 0.5, 0.75], [0.0, 0.5, 1.0, 1e-12]),
    *([-INF, INF], [-INF, INF, 0.0, 1.0], [np.nan], [np.nan, 0.5, 0.25]),
    *([1e305, -1e305, 1e290], [5e-324, 1e-310, 0.0]),
]
LABELS: list[list[float]] = [
    *([1, np.nan], [1, np.nan, np.nan], [1, 0, np.nan], [1, 1, 1, np.nan]),
    *([1.0], [1.0, 0.0]),
]
TIMES: list[list[float]] = [[0], [1], [0, 1, 2], [1, 1.5, 1e12], [1, 2, 3, 1e11], [1.25, 2, 7.5]]
PROPENSITIES: list[list[float]] = [[1], [0.3], [1e-12, 0.5, 1], [0.2, 0.9]]
SHARES = [0, 1, 1e-300, 5e-324, 1e-12, 1e-3, 0.3, 0.5, 0.999, 1 - 1e-12, 1 - 1e-16]
THRESHOLDS: list[Any] = [INF, -INF, 1e308, 1e-300, [0.999, 1 - 1e-12]]
RATES = ("fraction", "fpr", "recall", "precision")
SPANS = [(0, 1), (0.3, 0.3), (1 - 1e-9, 1), (0, 0), (1, 1), (0, 1e-12), (1e-300, 1)]
# What an argument may also be, where that is at an end of what it can be, or beyond.
EXTREME: dict[str, list[Any]] = {
    "beta": [*SHARES, [0, 0.3, 1], np.float32(0.3), *(pd.Interval(*ends) for ends in SPANS)],
    "level": [1e-12, 1e-3, 0.5, 0.999999, 1 - 1e-12, 1 - 1e-15],
    "selection_odds": [1, 1 + 1e-12, 100, 1e12, 1e300, INF],
    "contamination": [1e-300, 1e-12, 0.3, 0.499],
    "prevalence": [1e-30, 1e-12, 0.999, 1 - 1e-12, 1 - 1e-16],
    "max_fpr": [1e-300, 1e-12, 1e-9, 1 - 1e-12],
    "at": [0, 1, 61, *({"threshold": x} for x in THRESHOLDS)]
    + [{kind: share} for kind in RATES for share in SHARES],
    "bins": [1, [0, 1], [0, 1e-12, 1]],
    "cost": [(1e300, 1), (1e-300, 1), (1, 0)],
    "models": [1, 10**9],
    "ranks": [0, 1, [0], [2, 5]],
    **dict.fromkeys(("precision", "recall", "fpr", "expected_beta"), SHARES),
    **{name: [0, 1, INF, -INF, 1e308] for name in ("above", "below")},
}


def corner(seed: int) -> pd.DataFrame:
    """Draw rows of which some kind is rare, or there is none."""
    rng = np.random.default_rng(seed)
    frame = worlds.rows(int(rng.choice(SIZES)), seed, "level")

    def some(kinds: list[list[float]]) -> Any:
        return rng.choice(kinds[rng.integers(len(kinds))], len(frame))

    if rng.random() < 0.7:  # with ties
        frame = frame.assign(score=some(SCORES), other=some(SCORES))
    frame, kind = frame.assign(label=some(LABELS)), rng.integers(4)
    if kind < 2:  # all known positives lie above the rest, or below
        place = frame["score"].rank(ascending=bool(kind))
        frame["label"] = np.where(place >= place.quantile(), 1.0, np.nan)
    said = frame["label"].map({1.0: "yes", 0.0: "no"}).fillna("?")
    return frame.assign(said=said, propensity=some(PROPENSITIES), times=some(TIMES))


def check_order(found: Any, averaged: bool = False) -> None:
    """Raise unless an interval holds its estimate. An average is unbiased, and may lie outside."""
    if isinstance(found, pd.DataFrame) and "estimate" in found and not averaged:
        steps = found.filter(["lower", "estimate", "upper"]).astype(float).diff(axis=1)
        assert (steps.isna() | (steps >= -ROUNDING)).all(axis=None), found


def ask(accessor: Any, method: str, asked: dict[str, Any]) -> Any:
    """Ask, with what is bound and assumed among the keywords, and close what was drawn."""
    found = put(accessor, method, **asked)
    return worlds.seen(found) if method.startswith("plot_") else found


@pytest.mark.parametrize("method", METHODS)
def test_corners_have_an_answer_or_an_error_of_ours(method: str) -> None:
    @fuzzed(10 if method.startswith("plot_") else 2)
    @given(asked=keywords(FRAMES, method), seed=st.integers(0, 2**32), data=st.data())
    def holds(asked: dict[str, Any], seed: int, data: st.DataObject) -> None:
        asked = asked | data.draw(worlds.assumptions())
        for name in sorted({*asked} & {*EXTREME}):
            if data.draw(st.integers(0, 9)) < 7:
                asked[name] = data.draw(st.sampled_from(EXTREME[name]))
        rows = corner(seed)
        asked |= data.draw(worlds.roles()) | NEEDED.get(method, {})
        asked = worlds.settled(lambda one: ask(rows.pu, method, one), asked)
        found, _ = attempt(lambda: ask(rows.pu, method, asked))
        check_order(found, asked.get("average", False) is not False)
        if isinstance(found, xr.Dataset) and {"tp", "beta"} <= {*found.variables}:
            for more in (found.pu.to_frame, found.pu.roc_bounds, found.pu.beta_derivatives):
                attempt(more)

    holds()


LABEL = [1.0, np.nan, 1, np.nan, np.nan, 1, np.nan, np.nan]


def ranked(score: list[float], label: list[float] | None = None, **columns: Any) -> pd.DataFrame:
    """Return rows with scores and labels."""
    return pd.DataFrame({"score": score, "label": label or LABEL[: len(score)], **columns})


FALLING = ranked([*range(8, 0, -1)], other=[*range(8)], key=[0, 1] * 4, w=[1.5, 2] * 4)
POSITIVE = ranked([3, 2, 2, 1], [1.0] * 4, other=[1, 2, 3, 4], w=2)
THIRDS = ranked([*range(12, 0, -1)], [1.0] * 9 + [np.nan] * 3, key=[0, 1, 2] * 4, w=2)
# The first group has a cluster for each row.
THIRDS["c"] = [10, 0, 0, 13, 0, 0, 16, 1, 1, 19, 1, 1]
NEAR, FAR = {"target": "examples"}, {"target": "population"}
RARE = {"prevalence": 0.2, **FAR}
RECALL: dict[str, Any] = {"metric": "recall", "at": {"rank": 2}, "by": "key", "average": True}
# Each raised, or warned of, something of Python's or NumPy's; one had a standard error of 53.
FOUND: list[tuple[pd.DataFrame, str, dict[str, Any]]] = [
    (ranked([0.5] * 8), "metric", {"metric": "bedroc", "beta": 0.3, **FAR}),
    (ranked([0, 1] * 20, [1.0] * 40), "average_precision", {"beta": 0, "contamination": 0.05}),
    (ranked([np.nan] * 8), "calibration", {"beta": 0.3, "nan_policy": "worst"}),
    (FALLING, "cutoff", {"beta": 0, "precision": 1, "monotone": True, **FAR}),
    (FALLING, "metric", {"beta": 0.3, "weight": "w", **RECALL, **FAR}),
    (FALLING, "robustness", {"metric": "difference", "beta": 0.9, "score": MODELS}),
    (THIRDS, "auroc", {"beta": 0.2, "by": "key", "average": True, "cluster": "c", "weight": "w"}),
    (POSITIVE, "compare", {"score": MODELS, "contamination": 0.3}),
    (POSITIVE, "average_precision", {"beta": 0, "weight": "w"}),
    (FALLING.assign(w=[1] * 7 + [300_000]), "average_precision", {"beta": 1e-6, "weight": "w"}),
    (FALLING, "metric", {"metric": "f1", "beta": 0.3, "at": {"fraction": 0.01}, **RARE}),
    (ranked([1.7e308, 1.2e308, 1.6e308, 1.1e308]), "metric", {"metric": "boyce"}),
]


@pytest.mark.parametrize("place", range(len(FOUND)))
def test_what_fuzzing_found_is_answered(place: int) -> None:
    frame, method, asked = FOUND[place]
    found, _ = attempt(lambda: ask(frame.pu, method, asked))
    assert not isinstance(found, PUError)
    check_order(found, "average" in asked)
    assert "standard_error" not in found or not (found["standard_error"] > 0.5).any()


# Values of any kind in place of every argument

ROWS = worlds.rows(120, 8, "probability").assign(times=lambda df: 1 + df["id"] % 4)
SMALL = ROWS.pu(score=MODELS).contingency([0.3, 0.4], ranks="all")
# What is passed to a function where nothing is rotten.
USUAL: dict[str, Any] = {
    **{"data": ROWS, "chunks": [ROWS], "score": [3, 2, 1, 0], "listed": "a", "weight": 2},
    **{"label": pd.Series([1, None, None, 1]), "metric": "auroc", "n_positive": 20},
    **{"found": pd.Series([True], index=[1]), "label_frequency": 0.5, "n_unlabeled": 100},
    **{"n_labeled": 50, "prevalence": 0.3},
}
# What errors call an argument: of counts and shares they say what these leave.
SHARE = ["frequency", "prevalence"]
CALLED = {
    "chunks": ["score", "label"],
    "metric": ["at must", "whose order of models", "to compare"],
    **{"negative": ["unlabel", "column"], "positive": ["unlabel", "column"]},
    **{"unlabeled": ["column"], "label_frequency": ["label frequency"]},
    **{"n_positive": SHARE, "n_unlabeled": SHARE, "n_negative": SHARE},
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: function
    for name, function in vars(pu_accessor).items()
    if name in pu_accessor.__all__ and inspect.isfunction(function) and name != "load_example"
} | {"scorer": pu_accessor.sklearn.scorer, "frame": ROWS.pu.__call__}
FUNCTIONS["xarray"] = ROWS.to_xarray().pu(dim="index").__call__
OF_TABLES = [name for name in public(TABLES) if worlds.parameters(getattr(TABLES, name))]


def check_names(ask: Callable[[dict[str, Any]], Any], names: list[str], value: Any) -> None:
    """Put a value in the place of each argument; an error names it if it alone is in the way."""
    usual = isinstance(attempt(lambda: ask({}))[0], PUError)
    for name in names:
        found, _ = attempt(lambda: ask({name: value}))  # noqa: B023
        words = [name, *CALLED.get(name, [])]
        if isinstance(found, PUError) and not usual:
            assert any(word in str(found) for word in words), (name, value, str(found))


@pytest.mark.parametrize("method", [*METHODS, *(f"ds {one}" for one in OF_TABLES)])
def test_a_question_refuses_rotten_values_by_name(method: str) -> None:
    kind = TABLES if method.startswith("ds ") else FRAMES
    method = method.removeprefix("ds ")
    drawn = method.startswith("plot_")
    tables = SMALL.isel(model=0) if drawn else SMALL
    said: Any = st.sampled_from([{}, {"by": "key"}, {"score": MODELS}, {"cluster": "patient"}])

    @fuzzed(30 if drawn else 10)
    @given(value=ROTTEN, asked=keywords(kind, method), said=said)
    def holds(value: Any, asked: dict[str, Any], said: dict[str, Any]) -> None:
        pu: Any = tables.pu if kind is TABLES else ROWS.pu(**said)
        names = [*worlds.parameters(getattr(kind, method))]
        check_names(lambda more: ask(pu, method, {**asked, **more}), names, value)

    holds()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_refuses_rotten_values_by_name(name: str) -> None:
    known = worlds.parameters(FUNCTIONS[name])
    places = [one for one, kind in known.items() if kind.kind is not kind.VAR_KEYWORD]
    usual = {one: USUAL[one] for one in places if known[one].default is known[one].empty}

    def made(more: dict[str, Any]) -> Any:
        found = FUNCTIONS[name](**{**usual, **more})
        for shown in (repr, getattr(type(found), "_repr_html_", repr)):
            shown(found)
        if name in ("fbeta", "bedroc"):
            return ROWS.pu.metric(found, 0.3, at=20)
        return found.auroc(0.3) if hasattr(found, "auroc") else found

    fuzzed(4)(given(value=ROTTEN)(lambda value: check_names(made, places, value)))()


# Counts that are no rows


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        *[("auroc", {}), ("auroc", NEAR), ("average_precision", {}), ("estimate_beta", {})],
        ("metric", {"metric": ["precision", "mcc"], "at": {"fpr": 0.1}}),
        ("metric", {"metric": "bedroc", "cluster": "patient", **FAR}),
        ("compare", {"score": MODELS}),
    ],
)
def test_products_of_large_counts_are_not_beyond_integers(method: str, asked: Any) -> None:
    """Of so many rows, that there are more of them changes next to nothing."""
    rows, found = worlds.rows(400, 4, "round"), []
    asked = asked if method == "estimate_beta" else {"beta": 0.2, **asked}
    for most in (2**30, 2**44):
        each = rows.assign(n=np.where(rows["label"] == 1, 200, most))
        one, _ = attempt(lambda: put(each.pu, method, count="n", **asked))  # noqa: B023
        found += [one.select_dtypes("number").filter(regex="^(?!rank|n_|threshold|examples)")]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4, atol=1e-4)


# The package evaluates no text, unpickles nothing, knows no network and starts no process

REFUSED = r"(?:import|from) (?:{})\b|(?<![\w.])(?:{})\(|\.(?:{})\(|^ *assert ".format(
    "ctypes|http|marshal|mmap|multiprocessing|pickle|requests|shelve|shutil|socket|ssl|subprocess"
    "|tempfile|urllib|yaml",
    "eval|exec|compile|__import__|open|input",
    "read_pickle|query|eval|system|popen|fromfile|tofile|write_text|write_bytes|to_csv|to_netcdf"
    "|to_zarr|savefig",
)


def test_source_is_harmless() -> None:
    for path in Path(pu_accessor.__file__).parent.rglob("*.py"):
        text = re.sub(r'"""[\s\S]*?"""|#.*', "", path.read_text(encoding="utf-8"))
        found = {one.strip() for one in re.findall(REFUSED, text, re.MULTILINE)}
        # The one file that is written, where a user says; its pictures are drawn in memory.
        written = {"report.py": {".write_text("}, "panels.py": {".savefig("}}
        assert found <= written.get(path.name, set()), path

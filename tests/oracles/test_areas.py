"""AUROC, average precision, BEDROC and the Boyce index against slow references."""

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import pu_accessor
from tests.cases import Case, Labels, as_frame, draw_case, quiet
from tests.support.oracles import completion_oracle, estimates_oracle, gaps_oracle, oracle
from tests.worlds import fuzzed

NUMBERS = ["standard_error", "estimate", "lower", "upper"]


def draw(seed: int) -> Case:
    """Draw a ranking that has a negative for sure, and a beta."""
    score, label, beta = draw_case(seed)
    return Case([*score, 0.5], [*label, False], beta)


def descending(*label: bool | None, beta: float) -> Case:
    """Return a ranking in this order."""
    return Case([-float(place) for place in range(len(label))], [*label], beta)


DRAWN = st.integers(0, 10**6).map(draw)
YES, NONE = [True], [None]
# Where the corner of an estimate is within a block, and where limits of rates are.
BENT = [0.08, 1.26, 2.02, -0.23, -0.48, -0.25, -0.6, 0.77, 0.5]
DOWN = [9.0, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 0, -1, -2]
SIZES = [(30, 0), (14, 12), (16, 3), (13, 12), (60, 2), (90, 1), (77, 0)]
KINDS: Labels = [True, None, None, None, False, True, True, None, None, False]
# More than ten known positives, two of which are tied at the top.
MANY = Case(
    [-float(i // 2) for i in range(60)], [i == 2 or i % 4 == 3 or None for i in range(60)], 0.4
)
CASES = [
    MANY,
    descending(None, True, None, False, beta=0.5),
    descending(None, True, *NONE * 2, True, *NONE * 9, False, beta=0.3),
    descending(*YES * 8, *NONE * 40, beta=0.9),  # more latent ones than can follow them
    descending(*YES * 2, *NONE * 60, beta=0.95),
    descending(*NONE * 40, *YES * 8, beta=0.9),  # which may be by chance
    descending(*YES * 2, None, *YES * 2, *NONE * 21, beta=0.15),
    Case([9.0, *[5.0] * 9], [None, True, True, *NONE * 6, False], 0.5),
    Case([0.0, 0.0, 9.0, 0.0, 0.0], [True, None, None, True, None], 2.0**-52),
    Case(BENT, [True, *NONE * 7, False], 0.371),
    Case(DOWN, [True if place in (0, 3, 7) else None for place in range(15)], 0.25),
    Case([2.0] * 5 + [1.0] * 5, KINDS, 0.2),
    Case(
        [-float(i) for i, (size, _) in enumerate(SIZES) for _ in range(size)],
        [place < known or None for size, known in SIZES for place in range(size)],
        0.111,
    ),
]


MAKERS: dict[str, Any] = {
    "auroc": lambda most: {"max_fpr": most},
    "average_precision": lambda _: {},
    "bedroc": lambda alpha: {"metric": pu_accessor.bedroc(alpha)},
    "ndcg": lambda depth: {"metric": "ndcg", "at": depth},
}
EARLY = "bedroc", "ndcg"


def is_refuted(case: Case, value: float, error: float, level: float) -> bool:
    """Tell if a statistic is outside [0, 1] by three errors, and beta above its limit."""
    most = 1.0 if math.isnan(error) else 3 * error
    if max(value - 1, -value) <= most + 1e-9:
        return False
    limit = quiet(as_frame(case), "estimate_beta", level=level, negative=False)["upper"].item()
    return bool(case.beta > limit + 0.5 / case.label.count(None))


def between_bounds(case: Case, level: float, most: float | None = None) -> tuple[float, float]:
    """Return the areas that bounds of the exact band allow; or of average precision.

    There the j-th positive has a precision of at least j/(j + F), F the false ones where the lower
    bound reaches j, and at most the highest of the upper bound from where that reaches j.
    """
    bounds = oracle.tables(*case, level, oracle.exact_band)
    lower, upper = bounds["lower"], bounds["upper"]
    if most is not None:
        limit = Fraction(str(most))
        low, high = (completion_oracle.auroc(side, limit) for side in (lower, upper))  # type: ignore[arg-type]
        return float(low), float(high)
    each = []
    for j in range(1, lower[-1].tp + 1):
        false = next(table.fp for table in lower if table.tp >= j)
        best = max(table.tp / table.rank for table in upper if table.tp >= j)
        each.append((j / (j + false), best))
    low, high = np.mean(each, axis=0).tolist()
    return low, high


def limits_of_auroc(case: Case, found: Any, level: float, most: float) -> tuple[float, float]:
    """Return limits of an area, whole or up to a false positive rate."""
    if not found.squared:  # one score says nothing of what is below it
        return between_bounds(case, level, most)
    if most < 1 and estimates_oracle.doubt(*case, most) > 0.1:
        return between_bounds(case, level, most)
    below, n = np.array(found.below, float), case.label.count(True)
    latent = float(estimates_oracle.positives(*case[1:]) - n)
    limits = gaps_oracle.limits_of_mean(below, np.full(n, latent / n), level)
    moved = float(found.value) + float(found.slope) * (np.array(limits) - below.mean())
    ends = gaps_oracle.possible_aurocs(*case) if most == 1 else (0.0, 1.0)
    low, high = np.clip(moved, *ends).tolist()
    return low, high


def expect(metric: str, case: Case, level: float, how: float) -> list[float]:
    """Return the standard error, the estimate and the limits."""
    is_early, latent = metric in EARLY, oracle.latent_count(case[2], case[1].count(None))
    area = completion_oracle.early if is_early else completion_oracle.area
    estimate = area(metric, *case, how)
    if case.beta in (0, 1) or None not in case.label:
        return [0.0, *[estimate] * 3]
    if is_early:
        value, error, ends = gaps_oracle.early(metric, *case, how, level)
    else:
        more = [how] if metric == "auroc" else []
        name = "partial_auroc" if more else metric
        found = getattr(estimates_oracle, name)(*case, *more)
        value, error = float(found.value), found.standard_error
        if found.n == 1:
            ends = math.nan, math.nan
        elif more:
            ends = limits_of_auroc(case, found, level, how)
        elif latent:
            each = np.full(found.n, float(estimates_oracle.unseen(*case[1:])))  # in the mean
            each *= float(estimates_oracle.positives(*case[1:])) / found.n
            ends = gaps_oracle.average_precision(*case[:2], each, latent, level)
            ends = min(ends[0], max(value, 0)), max(ends[1], min(value, 1))
        else:
            ends = between_bounds(case, level)
    shown = min(error, 0.5) if error == error else error
    if is_refuted(case, value, error, level) or math.isnan(ends[0]):
        return [shown, estimate, math.nan, math.nan]
    low, high = (min(max(end, 0.0), 1.0) for end in ends)
    return [shown, estimate, min(low, estimate), max(high, estimate)]


def check(metric: str, case: Case, level: float, how: float) -> None:
    """Hold an answer against what is expected."""
    asked = {"beta": case.beta, "level": level, "target": "examples", **MAKERS[metric](how)}
    name = "metric" if metric in EARLY else metric
    found = quiet(as_frame(case), name, negative=False, **asked)
    wanted = expect(metric, case, level, how)
    names = [name for name in NUMBERS if name in found]  # there is no error at a depth
    numbers = found[names].to_numpy().ravel().tolist()
    assert numbers == pytest.approx(wanted[-len(names) :], rel=1e-6, abs=1e-9, nan_ok=True)


HOW = [("average_precision", 1.0), ("ndcg", 1), ("ndcg", 4)]
HOW += [("auroc", most) for most in (0.05, 0.115, 0.3, 0.77, 1.0)]
HOW += [("bedroc", alpha) for alpha in (1e-4, 0.5, 12.0, 160.9)]
both = pytest.mark.parametrize(("metric", "how"), HOW)


@both
@fuzzed(2)
@given(case=DRAWN, level=st.sampled_from([0.5, 0.8, 0.95]))
def test_areas_are_those_of_the_references(
    metric: str, how: float, case: Case, level: float
) -> None:
    check(metric, case, level, how)


@both
@pytest.mark.parametrize("case", CASES)
def test_odd_cases(case: Case, metric: str, how: float) -> None:
    check(metric, case, 0.5, how)


RANKINGS = [("987654321", "101100100"), ("554443221", "011010101"), ("111111", "110011")]


@pytest.mark.parametrize(("scores", "truth"), RANKINGS)
def test_references_have_no_bias(scores: str, truth: str) -> None:
    score, is_true = [float(one) for one in scores], [one == "1" for one in truth]
    places = [i for i, yes in enumerate(is_true) if yes]
    bedroc = completion_oracle.early("bedroc", score, is_true, 0, 2.0)
    for n in range(2, len(places) + 1):
        ways = [[i in few or None for i in range(len(score))] for few in combinations(places, n)]
        beta = Fraction(len(places) - n, len(score) - n)
        cases = [(score, way, beta) for way in ways]
        precise = [float(estimates_oracle.average_precision(*case).value) for case in cases]
        assert np.mean(precise) == pytest.approx(average_precision_score(is_true, score))
        areas = [estimates_oracle.auroc(*case) for case in cases]
        found = [[(float(one.value), one.standard_error) for one in areas]]
        if n < len(places):
            found += [[gaps_oracle.early("bedroc", *case, 2.0, 0.9)[:2] for case in cases]]
        for each, wanted in zip(found, (roc_auc_score(is_true, score), bedroc), strict=False):
            value, error = np.transpose(each)
            assert value.mean() == pytest.approx(wanted)
            assert np.mean(error**2) == pytest.approx(value.var(), abs=1e-12)


@pytest.mark.parametrize("score", [[1, 0], [0, 1]])
def test_where_nothing_scatters_a_part_has_an_interval_all_the_same(score: list[int]) -> None:
    frame = pd.DataFrame({"score": np.repeat(score, 30), "label": np.repeat([1, 0], 30)})
    row = frame.pu(negative=0).auroc(0, max_fpr=0.3).iloc[0]
    assert row["lower"] < row["upper"]


# The Boyce index


def boyce(score: Any, is_known: Any, weight: Any) -> float:
    """Go through 101 windows of a tenth of the scores' span one by one, in fractions."""
    scores = [Fraction(str(one)) for one in score]
    rows = [*zip(scores, is_known, map(Fraction, weight), strict=True)]
    low, span, ratios = min(scores), max(scores) - min(scores), []
    totals = [sum(w for _, known, w in rows if known == kind) for kind in (True, False)]
    for number in range(101):
        start = low + span * Fraction(9 * number, 1000)
        inside = [row for row in rows if start <= row[0] <= start + span / 10]
        known, rest = (sum(w for _, of, w in inside if of == kind) for kind in (True, False))
        if known or rest:
            ratios.append(float(known * totals[1] / (totals[0] * rest)) if rest else math.inf)
    if len({*ratios}) < 2:
        return math.nan
    places = [sorted({*ratios}).index(ratio) for ratio in ratios]
    return float(stats.spearmanr(places, range(len(ratios))).statistic)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@given(seed=st.integers(0, 10**6), role=st.sampled_from(["weight", "propensity", None]))
def test_boyce_is_its_definition(seed: int, role: str | None) -> None:
    frame = as_frame(draw(seed)).astype({"label": float})
    known, times = frame["label"].eq(1), np.random.default_rng(seed).choice([1, 2, 4], len(frame))
    frame["weight"], frame["propensity"] = times, 1 / times
    roles: dict[str, Any] = {} if role is None else {role: role}
    weight = np.where(known | (role == "weight"), times, 1) if role else np.ones(len(frame))
    row = frame.pu(negative=0, **roles).metric("boyce").iloc[0]
    wanted = boyce(frame["score"], known, weight)
    assert row["estimate"] == pytest.approx(wanted, rel=1e-9, nan_ok=True)
    assert row[["lower", "upper"]].isna().all()


@pytest.mark.parametrize("most", [0.2, 0.6])
def test_a_part_has_the_standard_error_of_the_jackknife(most: float) -> None:
    rng, kind = np.random.default_rng(2), np.repeat([0, 1, 2], [80, 90, 210])
    frame = pd.DataFrame({"score": rng.normal(kind < 2), "label": np.where(kind, np.nan, 1)})
    squares = []
    for rows in (kind == 0, kind > 0):
        each = [frame.drop(index=row).pu.auroc(0.3, max_fpr=most) for row in np.flatnonzero(rows)]
        squares.append(np.var([one["estimate"] for one in each]) * rows.sum())
    error = frame.pu.auroc(0.3, max_fpr=most)["standard_error"].item()
    assert error == pytest.approx(sum(squares) ** 0.5, rel=0.15)

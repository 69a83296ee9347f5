"""Bounds where labels are not quite random, against enumeration and the distribution itself."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score

from pu_accessor.inference import search
from pu_accessor.inference.bands.exact import exact, exact_each, exact_within
from pu_accessor.inference.bands.simultaneous import most_missed
from pu_accessor.inference.estimates import within_odds
from pu_accessor.inference.estimates.within_odds import estimate_any, estimate_within
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, FloatArray
from tests.cases import AREAS, Labels
from tests.support.oracles import completion_oracle, population_oracle
from tests.support.oracles import selection_oracle as oracle
from tests.support.oracles.weights_oracle import (
    WEIGHTED,
    Drawn,
    curves_between,
    draw,
    limits_within,
    places,
    scored,
)

INF = float("inf")


@pytest.mark.parametrize("odds", [1 + Fraction(1, 10**12), Fraction(3, 2), Fraction(37, 10)])
def test_exact_limits_are_those_of_rational_arithmetic(odds: Fraction) -> None:
    for n in (1, 2, 5, 12):  # the study goes over all
        latent = [*range(13), 20]
        found = zip(*exact_within(n, np.array(latent), 0.95, float(odds)), strict=True)
        for m, (lower, upper) in zip(latent, found, strict=True):
            expected = oracle.band(n, m, Fraction(95, 100), odds)
            assert (lower.tolist(), upper.tolist()) == expected


def lower_tail(n: int, m: int, k: int, v: int, odds: float) -> float:
    """Return P(V <= v): that of k + v positives k or more are known, which have the odds."""
    head = k + v
    known = np.arange(max(head - m, 0), min(n, head))
    steps = (n - known) * (head - known) / ((known + 1) * (m - head + known + 1.0)) * odds
    ways = np.append(0, np.cumsum(np.log(steps)))
    share = np.exp(ways - ways.max())
    return float(share[k - max(head - m, 0) :].sum() / share.sum())


LARGE: list[tuple[int, list[int], float]] = [
    *((300, [*range(600, 2600, 110)], 1.7), (60, [9, 400], 2.0), (420, [60, 411], 1.3)),
    *((600, [300], 40.0), (400, [4000], 300.0), (300, [900], 2.5), (900, [300], 2.5)),
    *((2000, [150], 30.0), (700, [5000], 1e6), (10_000, [10_000], 10.0)),
    *((10_000, [30_000], 50.0), (40_000, [12_000], 1e3)),
]


@pytest.mark.parametrize(("n", "m", "odds"), LARGE)
def test_exact_limits_are_those_of_tails(n: int, m: list[int], odds: float) -> None:
    latent, some = np.array(m), np.geomspace(1, n, 10).astype(int)
    lower, upper = exact_within(n, latent, 0.9, odds)
    cutoffs = np.unique([*some, *(n + 1 - some), n - 11]) if n > 600 else np.arange(1, n + 1)
    for row, k in product({0, latent.size - 1}, cutoffs.tolist()):
        many, v = m[row], int(lower[row, k])
        tail = lower_tail(n, many, k, v, odds)
        assert tail > 0.05 * (1 - 1e-6)
        assert not v or lower_tail(n, many, k, v - 1, odds) <= 0.05 * (1 + 1e-6)
        if k in some and n + many < 6000:
            expected = stats.nchypergeom_fisher.sf(k - 1, n + many, n, k + v, odds)
            assert tail == pytest.approx(float(expected), rel=1e-6)
    np.testing.assert_array_equal(upper, latent[:, np.newaxis] - lower[:, ::-1])


EXACT = [
    *((5000, 4000, 500_000, 0.95), (5000, 5000, 3_000_000, 0.95), (5, 3, 40, 0.95)),
    *((150, 20_000, 1_000_000, 0.9), (1000, 19_500, 900_000, 1 - 1e-5), (300, 20, 400, 0.2)),
    *((20_000, 20_000, 21_000, 0.999), (400, 410, 30_000, 1 - 1e-6)),
]


@pytest.mark.parametrize(("n", "least", "most", "level"), EXACT)
def test_a_factor_of_one_gives_the_exact_band(n: int, least: int, most: int, level: float) -> None:
    m = np.random.default_rng(n).permutation(np.linspace(least, most, 17).astype(np.int64))
    each = exact_each(n, m, level)
    np.testing.assert_array_equal(exact_within(n, m, level, 1.0), each)
    alone = [exact(n, latent, level) for latent in m.tolist()]
    np.testing.assert_array_equal(np.swapaxes(alone, 0, 1), each)


@pytest.mark.parametrize(("n", "m"), [(1, 3), (3, 2), (2, 4)])
@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(4)])
def test_the_worst_selection_changes_odds_once(n: int, m: int, odds: Fraction) -> None:
    lower, upper = [0, *range(n)], [min(k + 1, m) for k in range(n)] + [m]
    lower = list(map(min, lower, upper))
    below, above = oracle.most_missed(n, m, (lower, upper), odds)
    found = most_missed(n, m, np.array(upper), float(odds))
    assert found == pytest.approx(float(above), rel=1e-12)
    mirrored = m - np.array(lower)[::-1]
    assert most_missed(n, m, mirrored, float(odds)) == pytest.approx(float(below), rel=1e-12)


def completed(score: FloatArray, known: BoolArray, beta: float, curve: str) -> float:
    """Return an area of the one estimate."""
    labels: Labels = [True if one else None for one in known.tolist()]
    return completion_oracle.area(AREAS[curve], score.tolist(), labels, beta)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("odds", [1.4, 3.0])
def test_the_range_is_that_of_all_weights(seed: int, odds: float) -> None:
    ranking, rule, beta = draw(seed), Settings(selection_odds=odds), 0.4
    latent = beta * ranking.total.unlabeled
    ranks, ends = places(ranking)
    every = [oracle.auroc(ranks, some, latent, 24) for some in product((1.0, odds), repeat=5)]
    precision = [oracle.extreme_precision(ends, odds, latent, end, seed) for end in (False, True)]
    for curve, values in {"roc": every, "pr": precision}.items():
        found: Any = estimate_within(ranking, np.array([beta]), rule, curve, "examples")
        low, high = (float(end[0]) for end in found.reach)
        # It reaches to the estimate, which is of one possible labeling, and not beyond all.
        value = completed(*scored(seed, 5, 24), beta, curve)
        values = np.clip(values, *curves_between((seed, 5, 24), beta, INF, curve)).tolist()
        ends_of_it = [min(*values, value), max(*values, value)]
        assert [low, high] == pytest.approx(ends_of_it, abs=1e-12 if curve == "roc" else 1e-4)


@pytest.mark.parametrize("seed", [*range(8), 376658])  # the last has ties that are all positive
def test_any_labeling_lies_within_what_is_possible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, known = rng.integers(0, 2 + seed % 5, 12), [1, 1, 1, *[0] * (seed % 3)]
    frame = pd.DataFrame({"score": score, "label": [*known, *[np.nan] * (12 - len(known))]})
    beta = 3 / (12 - len(known))
    row = (
        frame.pu(negative=0).assume(selection_odds=INF).average_precision(beta, target="examples")
    )
    labelings = combinations(range(len(known), 12), 3)
    labels = [np.isin(np.arange(12), [0, 1, 2, *latent]) for latent in labelings]
    every = [average_precision_score(one, score) for one in labels]
    low, high = row[["range_lower", "range_upper"]].iloc[0]
    assert low - 1e-12 <= min(every) <= max(every) <= high + 1e-12


CASES: list[Any] = [
    *(((0, 5, 24), 0.4, 1.5), ((1, 5, 24), 0.05, 9.0), ((2, 9, 60), 0.1, 30.0)),
    *(((3, 26, 90), 0.2, 60.0), ((4, 4, 30), 0.2, INF), ((5, 2, 30), 0.2, 2.0)),
    *(((6, 3, 30), 0.2, 2.0), ((1, 1, 30), 0.2, 2.0), ((7, 5, 24), 0.0, 5.0)),
    *(((8, 25, 90), 0.05, 1.2), ((9, 9, 60), 0.3, 5.5)),
]


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("curve", ["roc", "pr"])
@pytest.mark.parametrize(("case", "beta", "odds"), CASES)
def test_limits_within(case: Drawn, beta: float, odds: float, curve: str, target: str) -> None:
    ranking, betas = draw(*case), np.array([0.0, beta])
    rule = Settings(0.9, selection_odds=odds)
    found: Any = estimate_any(ranking, betas, rule, curve, target)
    for place, one in enumerate(betas.tolist()):
        reach, limits = limits_within(case, one, odds, curve, target)
        value = completed(*scored(*case), one, curve)
        assert found.value[place] == pytest.approx(value, rel=1e-9)
        reach = [float(np.fmin(reach[0], value)), float(np.fmax(reach[1], value))]
        off = 1e-9 if curve == "roc" else 1e-4
        assert [float(end[place]) for end in found.reach] == pytest.approx(
            reach, abs=off, nan_ok=True
        )
        got = [float(end[place]) for end in (found.lower, found.upper)]
        assert got == pytest.approx(limits, abs=off, nan_ok=True)


@pytest.mark.parametrize("odds", [1.7, 4.0])
def test_weights_that_cannot_be_worst_are_left_out(odds: float, monkeypatch: Any) -> None:
    ranking, rule = draw(0, 200, 1500), Settings(0.5, selection_odds=odds)
    tried: list[BoolArray] = []
    found = estimate_within(ranking, np.array([0.1]), rule, "pr", "examples")

    def all_of_them(value: FloatArray, away: FloatArray) -> BoolArray:
        tried.append(search.may_be_lowest(value, away))
        return np.ones(value.size, np.bool_)

    monkeypatch.setattr(within_odds, "may_be_lowest", all_of_them)
    every = estimate_within(ranking, np.array([0.1]), rule, "pr", "examples")
    np.testing.assert_allclose(found.parts, every.parts, rtol=1e-12)
    assert not all(each.all() for each in tried)


def test_a_limit_changes_where_its_probability_is_the_tail() -> None:
    n, k, odds = 40_000, 20_000, 20.0  # among the longest sums there are
    v = int(exact_within(n, np.array([n]), 0.95, odds)[0][0, k])
    tail = lower_tail(n, n, k, v, odds)
    for nudge, limit in ((-3e-9, v), (3e-9, v + 1)):
        level = 1 - 2 * tail * (1 + nudge)
        assert exact_within(n, np.array([n]), level, odds)[0][0, k] == limit


@pytest.mark.parametrize("curve", ["roc", "pr"])
@pytest.mark.parametrize("beta", [0.0, 0.1, 0.4])
@pytest.mark.parametrize(("seed", "size"), [(0, 30), (4, 9)])
def test_intervals_at_known_weights(seed: int, size: int, beta: float, curve: str) -> None:
    ranking, level = draw(seed, 7, size), 0.9
    score, label = scored(seed, 7, size)
    weight = np.random.default_rng(seed).uniform(1, 4, 7)
    labels = [True if one else None for one in label.tolist()]
    want = population_oracle.weighted(curve, score.tolist(), labels, weight.tolist(), beta, level)
    found = WEIGHTED[curve, "population"](ranking, 1 + weight, np.array([beta]), level)
    assert (found.lower[0], found.upper[0]) == pytest.approx(want, abs=1e-6)

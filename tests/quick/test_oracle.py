"""Checks of the slow reference: against hand arithmetic, itself, scipy and scikit-learn."""

import math
import random
from fractions import Fraction
from importlib import import_module
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from tests.cases import Labels
from tests.support.oracles import completion_oracle, oracle
from tests.support.oracles.oracle import Table

# Imported by name because neither ships type stubs.
integrate = import_module("scipy.integrate")
stats = import_module("scipy.stats")
skm = import_module("sklearn.metrics")

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99]
RULES = [oracle.exact_band, oracle.bootstrap_band, oracle.dkw_band]
BOUNDS = ["lower", "estimate", "upper"]

# The worked example: n = 2, one known negative, |U| = 3, and beta = .4 gives
# m = floor(.4 * 3 + .5) = floor(1.7) = 1.
SCORES = [9.0, 8.0, 8.0, 7.0, 6.0, 5.0]
LABELS: Labels = [True, None, None, False, True, None]

# A ranking whose bounds may step back in fpr: n = m = 1 and |U| = 3 (.4 * 3 + .5 = 1.7).
BACK_SCORES = [4.0, 3.0, 2.0, 1.0]
BACK_LABELS: Labels = [None, None, True, None]


def random_ranking(
    seed: int, kinds: tuple[oracle.Label, ...] = (True, False, None)
) -> tuple[list[float], Labels]:
    """Draw a ranking with ties, in which every kind of label is at least once."""
    rng = random.Random(seed)
    labels = [*kinds, *rng.choices(kinds, k=rng.randint(12 - len(kinds), 30 - len(kinds)))]
    return [rng.randint(0, 9) / 4 for _ in labels], labels


def three(
    scores: list[float], labels: Labels, beta: float, level: float, rule: oracle.BandRule
) -> dict[str, list[Table]]:
    """Return the tables of both bounds, and of the estimate in whole examples."""
    bounds = oracle.tables(scores, labels, beta, level, rule)
    m = oracle.latent_count(beta, labels.count(None))
    return completion_oracle.with_estimate(scores, labels, m, bounds)


def read(*rows: str) -> list[Table]:
    """Return tables by rank, tp, fp, fn and tn; a star marks those that were clipped."""
    found = []
    for row in rows:
        rank, tp, fp, fn, tn = map(int, row.rstrip("*").split())
        found.append(Table(rank, tp, fp, fn, tn, row.endswith("*")))
    return found


def labeled_tables(scores: list[float], labels: Labels) -> list[Table]:
    """Return the tables of a ranking without unlabeled examples."""
    return oracle.tables(scores, labels, 0, 0.95, oracle.exact_band)["lower"]


# ---------------------------------------------------------------------------------------------
# The exact band


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "m"), list(product(range(6), range(6))))
def test_the_two_exact_derivations_agree(n: int, m: int, level: float) -> None:
    """Sums of probabilities are shares of arrangements."""
    assert oracle.exact_band(n, m, level) == oracle.exact_band_by_enumeration(n, m, level)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize(("n", "m"), [(1, 7), (6, 40), (25, 13), (60, 200)])
def test_exact_band_against_scipy(n: int, m: int, level: float) -> None:
    """V and W are beta-binomial."""
    lower, upper = oracle.exact_band(n, m, level)
    tail = (1 - level) / 2
    slack = 1e-9
    for k in range(1, n + 1):
        cdf = stats.betabinom(m, k, n - k + 1).cdf
        assert cdf(lower[k]) > tail - slack
        assert lower[k] == 0 or cdf(lower[k] - 1) <= tail + slack
    for k in range(n):
        above = stats.betabinom(m, k + 1, n - k).sf  # sf(x) = P(W >= x + 1)
        assert above(upper[k] - 1) > tail - slack
        assert upper[k] == m or above(upper[k]) <= tail + slack
    assert (lower[0], upper[n]) == (0, m)


# ---------------------------------------------------------------------------------------------
# The other bands


def test_bootstrap_band_by_hand() -> None:
    """Small binomials whose quantiles can be read off."""
    # n = 2, m = 4, quantiles 1/4 and 3/4. k = 1: Binomial(2, 1/2) has the CDF 1/4, 3/4, 1, so
    # the quantiles are 0 (1/4 >= 1/4) and 1 (3/4 >= 3/4): T = 0 and 1/2, heads 0 and 2.
    # k = 0 and k = 2 are degenerate: T = 0 and T = 1.
    assert oracle.bootstrap_band(2, 4, 0.5) == ([0, 0, 4], [0, 2, 4])
    # Quantiles .05 and .95 move k = 1 to j = 0 and j = 2.
    assert oracle.bootstrap_band(2, 4, 0.9) == ([0, 0, 4], [0, 4, 4])
    # n = 3, m = 2, level .5. k = 1: Binomial(3, 1/3) has the CDF 8/27, 20/27, 26/27, 1: j = 0
    # (8/27 > 1/4) and j = 2 (20/27 < 3/4): upper = ceil(4/3) = 2. k = 2: CDF 1/27, 7/27, 19/27,
    # 1: j = 1 and j = 3: lower = floor(2/3) = 0, upper = 2.
    assert oracle.bootstrap_band(3, 2, 0.5) == ([0, 0, 0, 2], [0, 2, 2, 2])


# ---------------------------------------------------------------------------------------------
# Tables


def test_enumerated_surrogate_sets_and_the_loop_agree() -> None:
    """Both ways to find the attainable heads agree for all small U."""
    for unlabeled in range(oracle.ENUMERATED_UNLABELED + 1):
        for h, m in product(range(unlabeled + 1), range(unlabeled + 1)):
            above = [place < h for place in range(unlabeled)]
            heads = oracle.attainable_by_enumeration(above, m)
            assert heads == oracle.attainable_by_loop(h, unlabeled, m)


def test_tables_by_hand() -> None:
    """Both bounds and the estimate of the worked example."""
    # The band (n = 2, m = 1, level .5, see above) is lower 0 0 0, upper 1 1 1. One of the three
    # unlabeled is in P*, so that with h = 0 above the cutoff the head is 0, with h = 2 it is 0 or
    # 1, with h = 3 it is 1. By the estimate all of it is above the last known positive, where
    # there is room: 0 at h = 0 and 1 from h = 2 on.
    #
    # rank  k q h  heads  lower  estimate  upper
    #  0    0 0 0  0      0      0         1 -> 0
    #  1    1 0 0  0      0      0         1 -> 0
    #  3    1 0 2  0 1    0      1         1
    #  4    1 1 2  0 1    0      1         1
    #  5    2 1 2  0 1    0      1         1
    #  6    2 1 3  1      0 -> 1 1         1
    #
    # and tp = k + TP_U, fp = q + h - TP_U, fn = (2 - k) + (1 - TP_U),
    # tn = (1 - q) + (3 - h) - (1 - TP_U).
    result = three(SCORES, LABELS, 0.4, 0.5, oracle.exact_band)
    start = ["0 0 0 3 3", "1 1 0 2 3"]
    best = ["3 2 1 1 2", "4 2 2 1 1", "5 3 2 0 1", "6 3 3 0 0"]
    lower = read(*start, "3 1 2 2 1", "4 1 3 2 0", "5 2 3 1 0", "6 3 3 0 0*")
    upper = read(*(row + "*" for row in start), *best)
    assert result == {"lower": lower, "estimate": read(*start, *best), "upper": upper}


# ---------------------------------------------------------------------------------------------
# Curves and areas


def test_a_step_back_in_fpr_counts_negatively() -> None:
    """Areas are signed where fpr falls."""
    # The bounds are 0 before the known positive and 1 from there on. The counts (fp, tp) are
    # (0,0) (1,0) (2,0) (1,2) (2,2), with 2 positives and 2 negatives: fp falls from 2 to 1.
    # Area: 0 + 0 - (1/2) * (1/2) + (1/2) * 1 = 1/4.
    back = oracle.tables(BACK_SCORES, BACK_LABELS, 0.4, 0.9, lambda n, m, level: ([0, 1], [0, 1]))
    estimate = back["lower"]
    assert [(t.fp, t.tp) for t in estimate] == [(0, 0), (1, 0), (2, 0), (1, 2), (2, 2)]
    assert oracle.roc_area(estimate) == Fraction(1, 4)
    # Up to 3/4: - (1/4) * (1/2 + 1) / 2 + (1/4) * 1 = 1/16; chance is 9/32:
    # (1 + (2/32 - 9/32) / (24/32 - 9/32)) / 2 = (1 - 7/15) / 2 = 4/15.
    assert oracle.roc_area(estimate, 0.75) == Fraction(4, 15)


@pytest.mark.parametrize("seed", range(10))
def test_curves_and_areas_against_sklearn(seed: int) -> None:
    """All-labeled rankings give the usual curves and areas under every band and bound."""
    scores, labels = random_ranking(seed, (True, False))
    fpr, tpr, thresholds = skm.roc_curve(labels, scores, drop_intermediate=False)
    assert [c.threshold for c in oracle.cutoffs(scores, labels)] == list(thresholds)
    for tables in three(scores, labels, 0, 0.95, RULES[seed % 3]).values():
        check_points(oracle.roc_points(tables), fpr, tpr)
    tables = labeled_tables(scores, labels)
    precision, recall, _ = skm.precision_recall_curve(labels, scores)
    check_points(oracle.pr_points(tables)[::-1], recall, precision)
    for limit in (None, 1.0, 0.5, 0.1, 0.01):
        expected = skm.roc_auc_score(labels, scores, max_fpr=limit)
        assert float(oracle.roc_area(tables, limit)) == pytest.approx(expected, abs=1e-12)


def check_points(points: list[tuple[Fraction, Fraction]], x: Any, y: Any) -> None:
    """Hold that a curve passes through these points."""
    np.testing.assert_allclose(np.array(points, float), np.transpose([x, y]), rtol=0, atol=1e-12)


def test_interpolated_precision_as_published() -> None:
    """Interpolation in counts gives the published values."""
    # Davis & Goadrich (2006), table 1: 20 positives, from 5 tp and 5 fp to 10 tp and 30 fp.
    start, end = Table(10, 5, 5, 15, 0, False), Table(40, 10, 30, 10, 0, False)
    published = [0.500, 0.375, 0.318, 0.286, 0.265, 0.250]
    values = [oracle.precision_between(start, end, i / 5) for i in range(6)]
    assert values == pytest.approx(published, abs=0.0005)
    # From the origin on, precision is that of the end of the line: 5 / 10.
    origin = Table(0, 0, 0, 20, 0, False)
    assert [oracle.precision_between(origin, start, t) for t in (0.0, 0.25, 1.0)] == [0.5] * 3


def test_pr_area_near_a_pole() -> None:
    """Precision falls steeply there."""
    # (0,0) (0,1) (100000,2): precision (1 + t) / (1 + ct) = 1/c + (1 - 1/c) / (1 + ct), with
    # c = 100001 and the mean 1/c + (1 - 1/c) ln(1 + c) / c.
    c = 100001
    ends = [Table(0, 0, 0, 2, c - 1, False), Table(1, 1, 0, 1, c - 1, False)]
    curve = [*ends, Table(c + 1, 2, c - 1, 0, 0, False)]
    expected = 0.5 + 0.5 * (1 / c + (1 - 1 / c) * math.log(1 + c) / c)
    assert oracle.pr_area(curve) == pytest.approx(expected, abs=1e-11)


def area_of_rise(start: Table, end: Table) -> float:
    """Return the integral of precision over tp between two tables, by scipy."""
    rise = end.tp - start.tp
    if rise == 0 or start.rank == 0:  # from the origin on, precision is that at the end
        return rise * end.tp / end.rank
    ranks_per_tp = (end.rank - start.rank) / rise

    def precision(tp: float) -> float:
        """Return the precision where tp is reached."""
        return tp / (start.rank + (tp - start.tp) * ranks_per_tp)

    return float(integrate.quad(precision, start.tp, end.tp, epsabs=1e-12, epsrel=1e-12)[0])


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("seed", range(6))
def test_pr_area_against_scipy(bound: str, seed: int) -> None:
    """The integral agrees with scipy's for every band and bound."""
    scores, labels = random_ranking(seed)
    curve = three(scores, labels, 0.3, 0.9, RULES[seed % 3])[bound]
    total = sum(area_of_rise(start, end) for start, end in pairwise(curve))
    expected = total / (curve[0].tp + curve[0].fn)
    assert oracle.pr_area(curve) == pytest.approx(expected, abs=1e-10)


# ---------------------------------------------------------------------------------------------
# Metrics


# Counts, metrics without a denominator, and what others are.
DEGENERATE = {
    "nothing predicted positive": ("0 0 0 2 2", "precision lift mcc", "f1=0 kappa=0 npv=0.5"),
    "all predicted positive": ("4 2 2 0 0", "npv mcc", "precision=0.5 lift=1 kappa=0"),
    # Chance agreement is 1/2, which is what there is.
    "no negatives": ("1 1 0 1 0", "fpr tnr balanced_accuracy informedness mcc", "kappa=0 lift=1"),
    "no positives": ("1 0 1 0 1", "tpr fnr balanced_accuracy informedness lift", "f1=0 jaccard=0"),
    "true negatives alone": ("0 0 0 0 2", "f1 jaccard kappa precision", "accuracy=1"),
    "true positives alone": ("2 2 0 0 0", "kappa fpr npv", "f1=1 jaccard=1 lift=1"),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_metrics_without_a_denominator(case: str) -> None:
    """A ratio without a denominator is nan."""
    counts, missing, others = DEGENERATE[case]
    (table,) = read(counts)
    assert all(math.isnan(oracle.metric(name, table)) for name in missing.split())
    for name, value in (other.split("=") for other in others.split()):
        assert oracle.metric(name, table) == pytest.approx(float(value), abs=1e-15)


@pytest.mark.parametrize("seed", range(10))
def test_metrics_against_sklearn(seed: int) -> None:
    """Metrics agree with scikit-learn's."""
    rng = random.Random(seed)
    tp, fp, fn, tn = (rng.randint(1, 12) for _ in range(4))
    truth = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    guess = [1] * (tp + fp) + [0] * (fn + tn)
    tpr, tnr = (skm.recall_score(truth, guess, pos_label=kind) for kind in (1, 0))
    precision, npv = (skm.precision_score(truth, guess, pos_label=kind) for kind in (1, 0))
    expected = {
        **{"tpr": tpr, "recall": tpr, "fnr": 1 - tpr, "tnr": tnr, "fpr": 1 - tnr},
        **{"precision": precision, "fdr": 1 - precision, "npv": npv},
        "lift": precision / np.mean(truth),
        "informedness": skm.balanced_accuracy_score(truth, guess, adjusted=True),
        "accuracy": skm.accuracy_score(truth, guess),
        "balanced_accuracy": skm.balanced_accuracy_score(truth, guess),
        "f1": skm.f1_score(truth, guess),
        "mcc": skm.matthews_corrcoef(truth, guess),
        "kappa": skm.cohen_kappa_score(truth, guess),
        "jaccard": skm.jaccard_score(truth, guess),
    }
    table = Table(tp + fp, tp, fp, fn, tn, False)
    values = {name: oracle.metric(name, table) for name in oracle.METRICS}
    assert values == pytest.approx(expected, abs=1e-12)

"""Checks of the slow reference: against hand arithmetic, itself, scipy and scikit-learn."""

import random
from fractions import Fraction
from importlib import import_module
from itertools import pairwise, product

import pytest

from tests.cases import Labels
from tests.methods.test_auroc import SMALL, hidden
from tests.support.oracles import comparison_oracle, completion_oracle, estimates_oracle, oracle
from tests.support.oracles.oracle import Table

# Imported by name because neither ships type stubs.
integrate = import_module("scipy.integrate")

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99]
RULES = [oracle.exact_band, oracle.bootstrap_band, oracle.dkw_band]
BOUNDS = ["lower", "estimate", "upper"]

# The worked example: n = 2, one known negative, |U| = 3, and beta = .4 gives
# m = floor(.4 * 3 + .5) = floor(1.7) = 1.
SCORES = [9.0, 8.0, 8.0, 7.0, 6.0, 5.0]
LABELS: Labels = [True, None, None, False, True, None]


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


# ---------------------------------------------------------------------------------------------
# The exact band


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "m"), list(product(range(6), range(6))))
def test_the_two_exact_derivations_agree(n: int, m: int, level: float) -> None:
    """Sums of probabilities are shares of arrangements."""
    assert oracle.exact_band(n, m, level) == oracle.exact_band_by_enumeration(n, m, level)


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


@pytest.mark.parametrize(("scores", "truth", "known_negatives"), SMALL)
def test_oracle_is_unbiased(
    scores: list[float], truth: list[int], known_negatives: list[int]
) -> None:
    labels = [yes == 1 for yes in truth]
    for n in range(1, sum(truth) + 1):
        beta = hidden(truth, n, known_negatives)
        ways = estimates_oracle.all_labels(labels, n, known_negatives)
        areas = [estimates_oracle.auroc(scores, way, beta) for way in ways]
        value = comparison_oracle.mean([one.value for one in areas])
        assert value == comparison_oracle.won_pairs(scores, labels)
        if n == 1:
            continue
        precise = [estimates_oracle.average_precision(scores, way, beta) for way in ways]
        average = comparison_oracle.mean([one.value for one in precise])
        assert average == estimates_oracle.true_average_precision(scores, labels)
        # The squared standard error of AUROC is unbiased, too: the mean of a simple random sample.
        spread = comparison_oracle.mean([(one.value - value) ** 2 for one in areas])
        assert comparison_oracle.mean([one.squared or Fraction(0) for one in areas]) == spread

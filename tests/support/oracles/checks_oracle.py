"""Slow reference for checks of the assumptions.

Permutations are all gone through, tails are sums of rational numbers, placements are counted pair
by pair, and what the package has in closed form of normal scores is integrated.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, groupby, permutations, product
from typing import NamedTuple

import numpy as np
from scipy import stats

from pu_accessor.ranking import FloatArray
from tests.support.oracles.comparison_oracle import total
from tests.support.oracles.population_oracle import binormal
from tests.support.oracles.selection_oracle import known_in_head


def share_above(known: Sequence[float], rest: Sequence[float]) -> list[float]:
    """Return the share of the rest above each known positive; ties count half."""
    return [sum((s > k) + (s == k) / 2 for s in rest) / len(rest) for k in known]


def arrangements(wave: Sequence[int], cluster: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Return each way in which known positives could be in the waves: all are equally likely.

    Clusters in one wave trade waves, rows of the others trade among themselves.
    """
    rows = [[i for i, c in enumerate(cluster) if c == each] for each in dict.fromkeys(cluster)]
    whole = [of for of in rows if len({wave[i] for i in of}) == 1]
    mixed = [of for of in rows if len({wave[i] for i in of}) > 1]
    between = {*permutations([wave[of[0]] for of in whole])}
    within = product(*({*permutations([wave[i] for i in of])} for of in mixed))
    for of_whole, of_mixed in product(between, list(within)):
        repeated = [[value] * len(of) for of, value in zip(whole, of_whole, strict=True)]
        placed = zip(chain(*whole, *mixed), chain(*repeated, *of_mixed), strict=True)
        yield tuple(value for _, value in sorted(placed))


def waves(above: Sequence[float], wave: Sequence[int], cluster: Sequence[int]) -> float:
    """Return the share of all arrangements that are as far apart as the one there is."""

    def statistic(of: Sequence[int]) -> float:
        pairs = sorted(zip(of, above, strict=True))
        samples = [[a for _, a in some] for _, some in groupby(pairs, key=lambda pair: pair[0])]
        return float(stats.kruskal(*samples).statistic)

    observed = statistic(wave)
    every = [statistic(each) >= observed - 1e-9 for each in arrangements(wave, cluster)]
    return sum(every) / len(every)


def tail(count: int, size: int, n: int, latent: int, odds: Fraction = Fraction(1)) -> Fraction:
    """Return P(count or more of n known are among so many positives) at some odds."""
    return sum(known_in_head(n, latent, size, odds)[count:], Fraction(0))


KINDS = True, None, False


class Placed(NamedTuple):
    """Three kinds of examples, held against each other pair by pair."""

    theta: float  # P(a known positive lies above an unlabeled example)
    area: float  # and above a known negative
    of_known: FloatArray  # shares of both kinds below each known positive, shape (2, n)
    of_unlabeled: FloatArray  # shares of known positives above
    of_negatives: FloatArray
    among: FloatArray  # shares of known positives above each of themselves

    @property
    def sizes(self) -> tuple[int, int, int]:
        return self.of_known.shape[1], self.of_unlabeled.size, self.of_negatives.size


def place(score: Sequence[float], label: Sequence[bool | None]) -> Placed:
    """Count pairs."""
    known, *others = ([s for s, y in zip(score, label, strict=True) if y is k] for k in KINDS)
    of_known = np.array([[1 - x for x in share_above(known, kind)] for kind in others])
    of_kinds = (np.array(share_above(kind, known)) for kind in (*others, known))
    theta, area = of_known.mean(axis=1).tolist()
    return Placed(theta, area, of_known, *of_kinds)


def variance(values: FloatArray) -> float:
    """Return the variance of a sample; 0 of one alone."""
    return float(values.var(ddof=1)) if values.size > 1 else 0.0


def likely(placed: Placed, beta: float) -> float:
    """Return AUROC by all negatives alike, with a pair more of each order."""
    n, unlabeled, negatives = placed.sizes
    latent = (1 - beta) * unlabeled
    by_beta = (placed.theta - beta / 2) / (1 - beta)
    both = (latent * by_beta + negatives * placed.area) / (latent + negatives)
    pairs = n * (latent + negatives)
    return (min(max(both, 0.0), 1.0) * pairs + 1) / (pairs + 2)


def of_negatives(placed: Placed, beta: float) -> float:
    """Return the variance of placements of negatives, by known and by unlabeled ones."""
    n, unlabeled, size = placed.sizes
    own = 2 * binormal(likely(placed, beta), 0.0)[1] + (size - 1) * variance(placed.of_negatives)
    own /= size + 1
    first = (placed.theta - beta / 2) / (1 - beta)
    second = (placed.of_unlabeled**2).mean() - beta * (placed.among**2).mean()
    implied = max(float(second) / (1 - beta) - first**2, 0.0)
    error = (placed.of_unlabeled**2).var() / unlabeled + beta**2 * (placed.among**2).var() / n
    doubts = {own: own / size, implied: float(error) / (1 - beta) ** 2}
    average = sum(value / doubt for value, doubt in doubts.items())
    return max(average / sum(1 / doubt for doubt in doubts.values()), own / 2)


def negatives(placed: Placed, beta: float) -> tuple[float, float]:
    """Return the statistic and the p value of the test of known negatives."""
    n, unlabeled, size = placed.sizes
    apart = placed.of_known[0] - (1 - beta) * placed.of_known[1]
    model = beta**2 / 12, binormal(likely(placed, beta), beta)[1]
    drawn = [
        (2 * m + (k - 1) * variance(values)) / (k + 1)
        for m, k, values in zip(model, (n, unlabeled), (apart, placed.of_unlabeled), strict=True)
    ]
    squares = [
        max(drawn[0], model[0]) / n,
        drawn[1] / unlabeled,
        (1 - beta) ** 2 * of_negatives(placed, beta) / size,
    ]
    away = placed.theta - beta / 2 - (1 - beta) * placed.area
    statistic = away / math.sqrt(sum(squares))
    freedom = (n + 1, unlabeled + 1, size + 4)
    _, df = total(*zip(squares, freedom, strict=True))
    return statistic, 2 * float(stats.t.sf(abs(statistic), df))

"""Slow reference for comparisons: mid-ranks, t tests, sums over rows, and dominance of curves.

Ranks, means, variances and curves are fractions; Student's distribution is that of scipy.

Student's data on sleep, with what R's documentation says of them:

>>> drug = [Fraction(x, 10) for x in (7, -16, -2, -12, -1, 34, 37, 8, 0, 20)]
>>> other = [Fraction(x, 10) for x in (19, 8, 11, 1, -1, 44, 55, 16, 46, 34)]
>>> apart = [x - y for x, y in zip(drug, other)]
>>> one = from_variance(mean(apart), variance(apart) / 10, 9)
>>> round(one.statistic, 4), one.df, round(one.p_value, 6)
(-4.0621, 9, 0.002833)
>>> [round(limit, 7) for limit in interval(one, 0.95)]
[-2.4598858, -0.7001142]
>>> two = welch(*(Group(mean(x), variance(x) / 10, 10, 9) for x in (drug, other)))
>>> round(two.statistic, 4), round(two.df, 3), round(two.p_value, 5)
(-1.8608, 17.776, 0.07939)
>>> [round(limit, 7) for limit in interval(two, 0.95)]
[-3.3654832, 0.2054832]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Label = bool | None
Scores = Sequence[float]
Labels = Sequence[Label]
Row = tuple[object, ...]
Point = tuple[Fraction, Fraction]
Array = NDArray[Any]
Functional = Callable[[Array, Array], float]  # of shares of rows among the known, and the rest
Moves = tuple[float, float]  # of the rest: mean square and mean fourth power

STEP = 1e-4  # of a weight: central differences are exact to about its square


class Outcome(NamedTuple):
    """A t test of a mean or a difference, with the standard error it rests on."""

    estimate: float
    se: float
    statistic: float
    df: float
    p_value: float


class Group(NamedTuple):
    """The estimated AUROC of one group, its variance and the df of that, and known positives."""

    auroc: Fraction
    variance: Fraction | float
    n: int
    df: float


def mid_rank(score: float, scores: Scores) -> Fraction:
    """Return the rank of a score from the top, 1 for the best, ties averaged."""
    return sum(Fraction((x > score) + (x >= score), 2) for x in scores) + Fraction(1, 2)


def known_ranks(scores: Scores, labels: Labels) -> list[Fraction]:
    """Return the mid-ranks, among all examples, of the known positives."""
    both = zip(scores, labels, strict=True)
    return [mid_rank(score, scores) for score, label in both if label is True]


def positives(labels: Labels, beta: float) -> Fraction:
    """Return P, the positives among all examples."""
    return labels.count(True) + Fraction(str(beta)) * labels.count(None)


def negatives(labels: Labels, beta: float) -> Fraction:
    """Return M, the examples that are not positive."""
    return len(labels) - positives(labels, beta)


def mean(values: Sequence[Fraction]) -> Fraction:
    """Return the mean."""
    return sum(values, Fraction(0)) / len(values)


def variance(values: Sequence[Fraction]) -> Fraction:
    """Return the variance, with n - 1 in the denominator."""
    return sum(((v - mean(values)) ** 2 for v in values), Fraction(0)) / (len(values) - 1)


def won_pairs(scores: Scores, truth: Sequence[bool]) -> Fraction:
    """Return the share of pairs of a positive and a negative that are in order."""
    return mean([mean(row) for row in won(scores, truth)])


def won(scores: Scores, labels: Labels) -> list[list[Fraction]]:
    """Return, for each known positive, what it wins against each other example: 1, 1/2 or 0."""
    known = [s for s, label in zip(scores, labels, strict=True) if label is True]
    others = [s for s, label in zip(scores, labels, strict=True) if label is not True]
    return [[Fraction((x > z) - (x < z) + 1, 2) for z in others] for x in known]


# ---------------------------------------------------------------------------------------------
# Tests


def t_quantile(level: float, df: float) -> float:
    """Return the t that |T| stays below with the probability level."""
    return float(stats.t.isf((1 - level) / 2, df))


def interval(test: Outcome, level: float) -> tuple[float, float]:
    """Return the limits of the confidence interval."""
    width = 0.0 if test.se == 0 else t_quantile(level, test.df) * test.se
    return test.estimate - width, test.estimate + width


def from_variance(estimate: Fraction, squared: Fraction | float, df: float) -> Outcome:
    """Return the t test of an estimate with a given squared standard error."""
    if squared == 0:
        side = (estimate > 0) - (estimate < 0)
        statistic = side * math.inf if side else 0.0
        return Outcome(float(estimate), 0.0, statistic, df, 0.0 if side else 1.0)
    se = math.sqrt(squared)
    statistic = float(estimate) / se
    return Outcome(float(estimate), se, statistic, df, 2 * float(stats.t.sf(abs(statistic), df)))


def satterthwaite(squares: Sequence[Fraction | float], dfs: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of variances, infinite without any."""
    below = sum(float(square) ** 2 / df for square, df in zip(squares, dfs, strict=True))
    return float(sum(squares)) ** 2 / below if below else math.inf


def welch(a: Group, b: Group) -> Outcome:
    """Return the t test of equal means with unequal variances."""
    squares = a.variance, b.variance
    return from_variance(a.auroc - b.auroc, sum(squares), satterthwaite(squares, (a.df, b.df)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return what Holm's procedure makes of p values: the least level that rejects each.

    >>> [round(p, 9) for p in holm([0.01, 0.04, 0.03, 0.005, 0.9])]
    [0.04, 0.09, 0.09, 0.025, 0.9]
    >>> holm([0.5, 0.9])
    [1.0, 1.0]
    """
    order = sorted(p for p in p_values if not math.isnan(p))
    raised = [(len(order) - place) * p for place, p in enumerate(order)]
    return [min(1.0, max(raised[: order.index(p) + 1])) if p in order else p for p in p_values]


def two_samples(table: Sequence[Sequence[Fraction]]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the mean of a table, and the variances that its rows and columns give it."""
    rows, columns = [mean(row) for row in table], [mean(c) for c in zip(*table, strict=True)]
    return mean(rows), variance(rows) / len(rows), variance(columns) / len(columns)


# ---------------------------------------------------------------------------------------------
# Comparisons of AUROC


def kurtosis_df(squares: Sequence[float]) -> float:
    """Return the degrees of freedom of a variance, by the kurtosis of what is squared."""
    n, plain = len(squares), sum(squares)
    kurtosis = n * sum(x * x for x in squares) / plain**2
    return float(min(2 * n / max(kurtosis - 1, 2 / n), n - 1))


def known_error(squares: Sequence[float], second: float, fourth: float) -> tuple[float, float]:
    """Return a sum of squares, with three degrees of freedom of what the rest says, and its df."""
    n, plain = len(squares), float(sum(squares))
    own, df = plain * n / (n - 1), kurtosis_df(squares) if plain else n - 1.0
    if n * second <= own:
        return own, df
    seen = min(df, 2 * n / max(fourth / second**2 - 1, 2 / n)) if plain else 0.0
    if seen >= 30:
        return own, df
    return (seen * own + 3 * n * second) / (seen + 3), min(seen + 3, n - 1)


def rest_moves(
    won_a: Sequence[Sequence[Fraction]], won_b: Sequence[Sequence[Fraction]], same: bool
) -> tuple[float, float]:
    """Return by how many ranks the rest moves: the mean square, and the mean fourth power.

    A rank is that of the middle of all with as many known positives above, in 32 steps.
    """
    n, size, middle = len(won_a), len(won_a[0]), []
    for table in (won_a, won_b):
        steps = [int(2 * sum(column)) * 32 // (2 * n + 1) for column in zip(*table, strict=True)]
        middle.append([sum((x < y) + (x == y) / 2 for x in steps) for y in steps])
    away = [x - y for x, y in zip(*middle, strict=True)] + [0.0 if same else float(size)]
    return sum(x**2 for x in away) / size, sum(x**4 for x in away) / size


def paired(a: Scores, b: Scores, labels: Labels, beta: float | None, target: str) -> Outcome:
    """Compare two rankings of the same examples, in ranks, by the mean difference in rank."""
    tables, both = [won(scores, labels) for scores in (a, b)], [*zip(a, b, strict=True)]
    pairs = combinations(both, 2)
    same = all((x > u) - (x < u) == (y > v) - (y < v) for (x, y), (u, v) in pairs)
    rest, on_new = len(tables[0][0]), target == "population"
    ranks = [known_ranks(scores, labels) for scores in (a, b)]
    if on_new:
        ranks = [[rest - sum(row) for row in table] for table in tables]
    apart, n = [y - x for x, y in zip(*ranks, strict=True)], len(ranks[0])
    drawn = 1.0 if beta is None or on_new else float(1 - n / positives(labels, beta))
    if n == 1 or (on_new and rest == 1):
        return Outcome(float(mean(apart)), *[math.nan] * 4)
    second, fourth = rest_moves(*tables, same)
    away = [(float(d - mean(apart)) / n) ** 2 for d in apart]
    known, df = known_error(away, second / n**2, fourth / n**4)
    moved = [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]
    of_rest = float(two_samples(moved)[2] * rest**2) if on_new else 0.0
    df = satterthwaite((known, of_rest), (df, rest - 1)) if on_new else df
    return from_variance(mean(apart), known * drawn + of_rest, df)


def group(scores: Scores, labels: Labels, beta: float, target: str) -> Group:
    """Return the AUROC of a group and its variance, on new examples or from the draw of labels.

    Without any variance it is that of half a known positive more, at the other end.
    """
    ranks, below = known_ranks(scores, labels), negatives(labels, beta)
    n, rest, on_new = len(ranks), len(labels) - len(ranks), target == "population"
    area = 1 - (mean(ranks) - (positives(labels, beta) + 1) / 2) / below
    if n == 1 or (on_new and rest == 1):
        return Group(area, math.nan, n, math.nan)
    drawn = 1 if on_new else 1 - n / positives(labels, beta)
    squares = [variance(ranks) / n * drawn / rest**2]
    if on_new:
        squares = [*two_samples(won(scores, labels))[1:]]
    df = satterthwaite(squares, (n - 1, rest - 1)[: len(squares)])
    square = sum(squares) or Fraction(1, 2) * drawn / n**2
    return Group(area, square * (rest / below) ** 2, n, min(df, 1e300) if any(squares) else n - 1)


def compare(
    models: Mapping[str, Scores], labels: Labels, beta: float | None, level: float, target: str
) -> list[Row]:
    """Return the rows of all pairs of models, with a size if there is a beta."""
    pairs = [*combinations(models, 2)]
    tests = [paired(models[a], models[b], labels, beta, target) for a, b in pairs]
    adjusted = holm([one.p_value for one in tests])
    rows: list[Row] = []
    for pair, one, p in zip(pairs, tests, adjusted, strict=True):
        scale = 1.0 if beta is None else float(negatives(labels, beta))
        size = [end / scale for end in (one.estimate, *interval(one, level))]
        sign = (one.estimate > 0) - (one.estimate < 0)
        rows.append((*pair, *(size if beta is not None else ()), *one[2:], p, sign))
    return rows


def gaps(groups: Mapping[str, Group], level: float) -> list[Row]:
    """Return the rows of all pairs of groups."""
    pairs = [*combinations(groups, 2)]
    tests = [welch(groups[a], groups[b]) for a, b in pairs]
    adjusted = holm([one.p_value for one in tests])
    return [
        (a, b, one.estimate, *interval(one, level), *one[2:], p)
        for (a, b), one, p in zip(pairs, tests, adjusted, strict=True)
    ]


# ---------------------------------------------------------------------------------------------
# Comparisons of any metric on new examples, by what each row adds


def functional(name: str, score: Array, known: Array, hidden: float, at: float) -> Functional:
    """Return a metric at a cutoff or alpha; `hidden` is the share of positives in the rest."""
    n, m, size = known.sum(), (~known).sum(), known.size
    above, found, hit = score >= score[:, np.newaxis], n + hidden * m, score >= at
    wins = (above.astype(float) + (score > score[:, np.newaxis])) / 2

    def average_precision(one: Array, other: Array) -> float:
        others = n * (above @ one - one)  # the other known positives at or above each row
        rank = 1 + others + m * (above @ other - other)
        return float(one @ ((1 + (found - 1) / (n - 1) * others) / rank))

    def bedroc(one: Array, other: Array) -> float:
        def weight(start: Any, length: Any) -> Any:
            return (np.exp(-at * start / size) - np.exp(-at * (start + length) / size)) / length

        heads = n * (above @ one) + m * (above @ other)
        top, bottom = weight(0.0, found), weight(size - found, found)
        return float((one @ weight(heads - 1, 1.0) - bottom) / (top - bottom))

    def at_threshold(one: Array, other: Array) -> float:
        true, p = one @ hit, found / size
        false = (other @ hit - hidden * true) / (1 - hidden)
        tp, fp = p * true, (1 - p) * false
        f1, cost = 2 * tp / (tp + fp + p), at / (1 - at)
        formulas = {"recall": true, "precision": tp / (tp + fp), "f1": f1}
        return float((formulas | {"net_benefit": tp - fp * cost})[name])

    def auroc(one: Array, other: Array) -> float:
        return float((other @ wins @ one - hidden / 2) / (1 - hidden))

    whole = {"average_precision": average_precision, "bedroc": bedroc, "auroc": auroc}
    return whole.get(name, at_threshold)


def pulls(value: Functional, known: Array) -> Array:
    """Return the slope by the weight of each row: as a known positive, and as one of the rest."""

    def moved(kind: int, step: Array) -> float:
        weights = [known + step * (kind == 0), ~known + step * (kind == 1)]
        return value(*(weight / weight.sum() for weight in weights))

    steps = STEP * np.eye(known.size)
    return np.array([[(moved(k, s) - moved(k, -s)) / (2 * STEP) for s in steps] for k in (0, 1)])


def moves_of(a: Array, b: Array, rest: Array, counted: int) -> Moves:
    """Return how far rows of the rest, as known positives, move between the pulls of two models.

    Those count that would pull most, and one more, which moves as far as any could.
    """
    best = np.argsort(-np.maximum(a[0], b[0])[rest], kind="stable")[:counted]
    squares, m = (a[0] - b[0])[rest][best] ** 2 * rest.sum() / counted, rest.sum()
    most = max(np.ptp(a[0]), np.ptp(b[0])) ** 2
    return (squares.sum() + most) / m, ((squares**2).sum() + most**2) / m


def by_cluster(terms: Array, known: Array, clusters: Array) -> tuple[float, float]:
    """Return the sum of squares by cluster, each part as though it were left out, and its df."""
    whole, sums = 0.0, []
    for cluster in np.unique(clusters):
        mine = clusters == cluster
        parts = [terms[mine & kind].sum() for kind in (known, ~known)]
        left = [1 - mine[kind].mean() for kind in (known, ~known)]
        whole += sum(part / share**0.5 for part, share in zip(parts, left, strict=True)) ** 2
        sums.append(sum(parts) ** 2)
    df = (
        kurtosis_df(squares)
        if (squares := [x for x in sums if x > 1e-12 * max(sums)])
        else math.inf
    )
    return whole, min(df, len(np.unique(clusters[known])) - 1.0)


def rows_error(
    terms: Array, known: Array, moves: Moves, clusters: Array | None, rest_df: float | None
) -> tuple[float, float]:
    """Return the squared error of a sum over rows of two samples, and its degrees of freedom."""
    own = [terms[kind] ** 2 for kind in (known, ~known)]
    (first, df), (second, df_of_rest) = known_error(own[0], *moves), known_error(own[1], 0, 0)
    df = satterthwaite((first, second), (df, rest_df or df_of_rest))
    if clusters is None:
        return first + second, df
    whole, most = by_cluster(terms, known, clusters)
    plain = sum(float(part.sum()) * part.size / (part.size - 1) for part in own)
    return (first + second) * max(
        whole / plain if plain else known.sum() / np.unique(clusters[known]).size, 1
    ), min(df, most)


# ---------------------------------------------------------------------------------------------
# Curves


def height(curve: Sequence[Point], x: Fraction, left: bool) -> Fraction:
    """Return the best that a rising line reaches at or left of x, or only to the left of it.

    >>> back = [(0, 0), (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4)), (1, 1)]
    >>> [float(height(back, Fraction(1, 4), left)) for left in (True, False)]
    [0.25, 0.75]
    """
    best = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x1 < x or (x1 == x and not left):
            best = y1
        elif x0 < x:
            best = max(best, y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return best


def pieces(a: Sequence[Point], b: Sequence[Point]) -> list[tuple[Fraction, ...]]:
    """Return what lies between cutoffs, left to right: both ends, and heights of a and of b."""
    grid = sorted({x for x, _ in (*a, *b)})
    return [
        (low, high, *(height(of, x, x == high) for of in (a, b) for x in (low, high)))
        for low, high in pairwise(grid)
    ]


def lead(a: Sequence[Point], b: Sequence[Point]) -> tuple[int, bool, tuple[float, ...]]:
    """Return which curve dominates (1, -1 or 0), if both are equal, and where the lead changes."""
    leads: list[tuple[Fraction, int]] = []  # who leads, in turn, and where that ends
    for left, right, a0, a1, b0, b1 in pieces(a, b):
        start, end = a0 - b0, a1 - b1
        middle = left + (right - left) * start / (start - end) if start * end < 0 else right
        for until, ahead in ((middle, start or end), (right, end or start)):
            leads += [(until, 1 if ahead > 0 else -1)] if ahead else []
    crossings = tuple(float(until) for (until, x), (_, y) in pairwise(leads) if x != y)
    who = {sign for _, sign in leads}
    return who.pop() if len(who) == 1 else 0, not leads, crossings


def strictly_above(a: Sequence[Point], b: Sequence[Point]) -> bool:
    """Tell if a curve lies above another somewhere, and wherever not both are 0 or both are 1."""
    for _, _, a0, a1, b0, b1 in pieces(a, b):
        if any(x < y or (x == y and x not in (0, 1)) for x, y in ((a0, b0), (a1, b1))):
            return False
        if (a0, a1) == (b0, b1) and a0 < a1:  # from 0 to 1, equal in between
            return False
    return lead(a, b)[0] == 1


def dominance(models: Mapping[str, Mapping[str, Sequence[tuple[int, ...]]]]) -> list[Row]:
    """Return the rows of all pairs of models, of the tables of each bound (tp, fp, fn, tn)."""
    curves = {
        name: {
            bound: [(Fraction(fp, fp + tn), Fraction(tp, tp + fn)) for tp, fp, fn, tn in tables]
            for bound, tables in of.items()
        }
        for name, of in models.items()
    }
    rows: list[Row] = []
    for a, b in combinations(models, 2):
        sign, equal, crossings = lead(*(curves[x]["estimate"] for x in (a, b)))
        pairs = (a, b), (b, a)
        disjoint = any(strictly_above(curves[x]["lower"], curves[y]["upper"]) for x, y in pairs)
        rows.append((a, b, {1: a, -1: b, 0: None}[sign], equal, disjoint, crossings))
    return rows

"""Slow reference for comparisons of rankings: mid-ranks, t tests and dominance of curves.

Ranks, means, variances and curves are fractions. Only square roots and the Student distribution
are floats, the latter by numerical integration of its density.

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
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from typing import NamedTuple

Label = bool | None
Scores = Sequence[float]
Labels = Sequence[Label]
Row = tuple[object, ...]
Point = tuple[Fraction, Fraction]
Piece = tuple[Fraction, Fraction, Point, Point]  # from, to, two heights of either curve

STEP = 1 / 64  # of the double exponential integration


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
    variance: Fraction
    n: int
    df: float


class Lead(NamedTuple):
    """How two curves lie: 1 if the first dominates, -1 if the second does, else 0."""

    dominates: int
    equal: bool
    crossings: tuple[Fraction, ...]


def exact(number: float) -> Fraction:
    """Return the decimal that a number prints as, exactly."""
    return Fraction(str(number))


# ---------------------------------------------------------------------------------------------
# Ranks and areas


def mid_rank(score: float, scores: Scores) -> Fraction:
    """Return the rank of a score from the top, 1 for the best, ties averaged."""
    above = sum(1 for other in scores if other > score)
    tied = sum(1 for other in scores if other == score)
    return above + Fraction(tied + 1, 2)


def known_ranks(scores: Scores, labels: Labels) -> list[Fraction]:
    """Return the mid-ranks, among all examples, of the known positives."""
    both = zip(scores, labels, strict=True)
    return [mid_rank(score, scores) for score, label in both if label is True]


def positives(labels: Labels, beta: float) -> Fraction:
    """Return P, the positives among all examples."""
    return labels.count(True) + exact(beta) * labels.count(None)


def negatives(labels: Labels, beta: float) -> Fraction:
    """Return M, the examples that are not positive; none is an error."""
    rest = len(labels) - positives(labels, beta)
    if rest <= 0:
        raise ValueError("no negatives")
    return rest


def mean(values: Sequence[Fraction]) -> Fraction:
    """Return the mean."""
    return sum(values, Fraction(0)) / len(values)


def variance(values: Sequence[Fraction]) -> Fraction:
    """Return the variance, with n - 1 in the denominator."""
    return sum(((v - mean(values)) ** 2 for v in values), Fraction(0)) / (len(values) - 1)


def auroc(scores: Scores, labels: Labels, beta: float) -> Fraction:
    """Return the AUROC if all positives rank, in the mean, as the known ones do."""
    best = (positives(labels, beta) + 1) / 2
    return 1 - (mean(known_ranks(scores, labels)) - best) / negatives(labels, beta)


def won_pairs(scores: Scores, truth: Sequence[bool]) -> Fraction:
    """Return the share of pairs of a positive and a negative that are in order."""
    both = list(zip(scores, truth, strict=True))
    heads = [score for score, true in both if true]
    tails = [score for score, true in both if not true]
    won = sum(Fraction((h > t) + (h >= t), 2) for h in heads for t in tails)
    return Fraction(won) / (len(heads) * len(tails))


# ---------------------------------------------------------------------------------------------
# The Student distribution


def t_two_sided(t: float, df: float) -> float:
    """Return P(|T| >= |t|)."""
    # With t = sqrt(df) / tan(angle), the density is proportional to sin(angle) ** (df - 1).
    limit = math.atan2(math.sqrt(df), abs(t))
    half = math.sqrt(math.pi) * math.exp(math.lgamma(df / 2) - math.lgamma((df + 1) / 2)) / 2
    parts = (slope * math.sin(limit * share) ** (df - 1) for share, slope in nodes())
    return limit * STEP * math.fsum(parts) / half


@cache
def nodes() -> list[tuple[float, float]]:
    """Return where the double exponential integration looks, and with which weights."""
    found = []
    for k in range(-256, 257):
        s = k * STEP
        share = 1 / (1 + math.exp(-math.pi * math.sinh(s)))
        found.append(
            (share, math.pi * math.cosh(s) * share / (1 + math.exp(math.pi * math.sinh(s))))
        )
    return found


@cache
def t_quantile(level: float, df: float) -> float:
    """Return the t that |T| stays below with the probability level."""
    low, high = 0.0, 1.0
    alpha = float(1 - exact(level))
    while t_two_sided(high, df) > alpha:
        high *= 2
    while low < (middle := (low + high) / 2) < high:  # until there is no float between
        if t_two_sided(middle, df) > alpha:
            low = middle
        else:
            high = middle
    return high


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
    return Outcome(float(estimate), se, statistic, df, t_two_sided(statistic, df))


def welch(a: Group, b: Group) -> Outcome:
    """Return the t test of equal means with unequal variances."""
    squared = a.variance + b.variance
    if squared == 0:
        return from_variance(a.auroc - b.auroc, squared, math.inf)
    df = float(squared) ** 2 / sum(float(g.variance) ** 2 / g.df for g in (a, b))
    return from_variance(a.auroc - b.auroc, squared, df)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return what Holm's procedure makes of p values: the least level that rejects each.

    >>> [round(p, 9) for p in holm([0.01, 0.04, 0.03, 0.005, 0.9])]
    [0.04, 0.09, 0.09, 0.025, 0.9]
    >>> holm([0.5, 0.9])
    [1.0, 1.0]
    """
    count = len(p_values)
    order = sorted(range(count), key=lambda i: p_values[i])
    result = [0.0] * count
    for place, i in enumerate(order):
        steps = [(count - j) * p_values[order[j]] for j in range(place + 1)]
        result[i] = min(1.0, max(steps))
    return result


# ---------------------------------------------------------------------------------------------
# Comparisons


def paired(a: Scores, b: Scores, labels: Labels, beta: float | None, target: str) -> Outcome:
    """Compare two rankings of the same examples: the test of the mean difference in rank."""
    if target == "population":
        return paired_on_new(a, b, labels)
    ranks = [known_ranks(scores, labels) for scores in (a, b)]
    apart = [of_b - of_a for of_a, of_b in zip(*ranks, strict=True)]
    squared, df = of_known(apart, rest_moves(won(a, labels), won(b, labels), alike(a, b)))
    drawn = Fraction(1) if beta is None else 1 - len(apart) / positives(labels, beta)
    return from_variance(mean(apart), squared * float(drawn), df)


def alike(a: Scores, b: Scores) -> bool:
    """Tell whether two models put all examples in the same order."""
    pairs = list(combinations(range(len(a)), 2))
    return all((a[i] > a[j]) - (a[i] < a[j]) == (b[i] > b[j]) - (b[i] < b[j]) for i, j in pairs)


def of_known(apart: Sequence[Fraction], moves: tuple[float, float]) -> tuple[float, float]:
    """Return what known positives add to the squared error of their mean, and its df."""
    n, away = len(apart), [float(d - mean(apart)) for d in apart]
    return known_error([(x / n) ** 2 for x in away], moves[0] / n**2, moves[1] / n**4)


def known_error(squares: Sequence[float], second: float, fourth: float) -> tuple[float, float]:
    """Return a sum of squares, with three degrees of freedom of what the rest says, and its df."""
    n, plain = len(squares), sum(squares)
    own, df = plain * n / (n - 1), n - 1.0

    def df_of(kurtosis: float) -> float:
        return min(2 * n / max(kurtosis - 1, 2 / n), n - 1)

    if plain:
        df = df_of(n * sum(x * x for x in squares) / plain**2)
    if n * second <= own:
        return own, df
    seen = min(df, df_of(fourth / second**2)) if plain else 0.0
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


def won(scores: Scores, labels: Labels) -> list[list[Fraction]]:
    """Return, for each known positive, what it wins against each other example: 1, 1/2 or 0."""
    known = [s for s, label in zip(scores, labels, strict=True) if label is True]
    others = [s for s, label in zip(scores, labels, strict=True) if label is not True]
    return [[Fraction((x > z) - (x < z) + 1, 2) for z in others] for x in known]


def two_samples(table: Sequence[Sequence[Fraction]]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the mean of a table, and the variances that its rows and columns give it."""
    rows, columns = [mean(row) for row in table], [mean(c) for c in zip(*table, strict=True)]
    return mean(rows), variance(rows) / len(rows), variance(columns) / len(columns)


def welch_df(squares: Sequence[Fraction], sizes: Sequence[int]) -> float:
    """Return the degrees of freedom of a sum of variances of means, infinite without any."""
    below = sum(float(s) ** 2 / (size - 1) for s, size in zip(squares, sizes, strict=True))
    return float(sum(squares)) ** 2 / below if below else math.inf


def paired_on_new(a: Scores, b: Scores, labels: Labels) -> Outcome:
    """Compare two rankings on new examples, pair by pair of examples; in ranks."""
    of_a, of_b = won(a, labels), won(b, labels)
    table = [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(of_a, of_b, strict=True)]
    rest = len(table[0])
    above = [[rest - sum(row, Fraction(0)) for row in rows] for rows in (of_a, of_b)]
    apart = [y - x for x, y in zip(*above, strict=True)]
    known, df = of_known(apart, rest_moves(of_a, of_b, alike(a, b)))
    squares = known, float(two_samples(table)[2] * rest**2)
    below = squares[0] ** 2 / df + squares[1] ** 2 / (rest - 1)
    return from_variance(
        mean(apart), sum(squares), sum(squares) ** 2 / below if below else math.inf
    )


def paired_interval(
    test: Outcome, labels: Labels, beta: float, level: float
) -> tuple[float, float, float]:
    """Return the difference in AUROC and its limits."""
    scale = float(negatives(labels, beta))
    low, high = interval(test, level)
    return test.estimate / scale, low / scale, high / scale


def group(scores: Scores, labels: Labels, beta: float, target: str) -> Group:
    """Return the AUROC of a group and its variance, on new examples or from the draw of labels."""
    ranks = known_ranks(scores, labels)
    n = len(ranks)
    if target == "population":
        table = won(scores, labels)
        rest = len(table[0])
        scale = rest / negatives(labels, beta)
        _, *squares = two_samples(table)
        df = welch_df(squares, [n, rest])
        return Group(auroc(scores, labels, beta), sum(squares) * scale**2, n, df)
    drawn = (1 - n / positives(labels, beta)) / negatives(labels, beta) ** 2
    return Group(auroc(scores, labels, beta), variance(ranks) / n * drawn, n, n - 1)


def compare(
    models: Mapping[str, Scores], labels: Labels, betas: Sequence[float], level: float, target: str
) -> list[Row]:
    """Return the rows of all pairs of models, with a size for each beta if there are any."""
    pairs = list(combinations(models, 2))
    rows: dict[tuple[int, int], Row] = {}
    for column, beta in enumerate(betas or [None]):
        tests = [paired(models[a], models[b], labels, beta, target) for a, b in pairs]
        adjusted = holm([one.p_value for one in tests])
        for place, (pair, one, p) in enumerate(zip(pairs, tests, adjusted, strict=True)):
            sign = (one.estimate > 0) - (one.estimate < 0)
            last = (sign, one.statistic, one.df, one.p_value, p, labels.count(True), target)
            sized: Row = ()
            if beta is not None:
                sized = (beta, *paired_interval(one, labels, beta, level), level)
            rows[place, column] = (*pair, *sized, *last)
    return [rows[place] for place in sorted(rows)]


def compare_unpaired(groups: Mapping[str, Group], level: float) -> list[Row]:
    """Return the rows of all pairs of groups, at one beta or at that of each group."""
    pairs = list(combinations(groups, 2))
    tests = [welch(groups[a], groups[b]) for a, b in pairs]
    adjusted = holm([one.p_value for one in tests])
    return [
        (a, b, one.estimate, *interval(one, level), level, *one[2:], p, groups[a].n, groups[b].n)
        for (a, b), one, p in zip(pairs, tests, adjusted, strict=True)
    ]


# ---------------------------------------------------------------------------------------------
# Curves


def roc(counts: Sequence[tuple[int, int, int, int]]) -> list[Point]:
    """Return the curve of tables of true and false positives, false and true negatives."""
    return [(Fraction(fp, fp + tn), Fraction(tp, tp + fn)) for tp, fp, fn, tn in counts]


def best_so_far(points: Sequence[Point]) -> list[Point]:
    """Return the best that a rising line reaches at or left of each x.

    Where the line comes back there is a step: what lies to the right of a later point is cut off.

    >>> back = [(0, 0), (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4)), (1, 1)]
    >>> [(float(x), float(y)) for x, y in best_so_far(back)]
    [(0.0, 0.0), (0.25, 0.25), (0.25, 0.5), (0.25, 0.75), (1.0, 1.0)]
    """
    result: list[Point] = []
    for i, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        limit = min(x for x, _ in points[i + 1 :])
        result.append((min(x0, limit), y0))
        if x0 < limit < x1:
            result.append((limit, y0 + (y1 - y0) * (limit - x0) / (x1 - x0)))
    return [*result, points[-1]]


def heights(curve: Sequence[Point], left: Fraction, right: Fraction) -> Point:
    """Return the heights at both ends of an open interval without cutoffs, from within."""
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 <= left and right <= x1:
            slope = (y1 - y0) / (x1 - x0)
            return y0 + slope * (left - x0), y0 + slope * (right - x0)
    raise ValueError("the curve does not reach from 0 to 1")


def pieces(a: Sequence[Point], b: Sequence[Point]) -> list[Piece]:
    """Return the intervals between cutoffs, left to right, and the heights of both curves."""
    first, second = best_so_far(a), best_so_far(b)
    grid = sorted({Fraction(0), Fraction(1), *(x for x, _ in first + second)})
    return [(x, y, heights(first, x, y), heights(second, x, y)) for x, y in pairwise(grid)]


def lead(a: Sequence[Point], b: Sequence[Point]) -> Lead:
    """Return which curve dominates, and where the lead passes from one to the other."""
    signs: list[tuple[Fraction, int]] = []  # who leads, in turn, and where that ends
    for left, right, (a0, a1), (b0, b1) in pieces(a, b):
        start, end = a0 - b0, a1 - b1
        middle = left + (right - left) * start / (start - end) if start * end < 0 else right
        for until, height in ((middle, start or end), (right, end or start)):
            signs.append((until, (height > 0) - (height < 0)))
    leads = [(until, sign) for until, sign in signs if sign]
    crossings = tuple(until for (until, x), (_, y) in pairwise(leads) if x != y)
    who = {sign for _, sign in leads}
    return Lead(who.pop() if len(who) == 1 else 0, not leads, crossings)


def strictly_above(a: Sequence[Point], b: Sequence[Point]) -> bool:
    """Tell if a curve lies above another somewhere, and wherever not both are 0 or both are 1."""
    for _, _, of_a, of_b in pieces(a, b):
        ends = list(zip(of_a, of_b, strict=True))
        if any(x < y or (x == y and x not in (0, 1)) for x, y in ends):
            return False
        if of_a == of_b and of_a[0] < of_a[1]:  # from 0 to 1, equal in between
            return False
    return lead(a, b).dominates == 1


def dominance(models: Mapping[str, Mapping[str, Sequence[Point]]]) -> list[Row]:
    """Return the rows of all pairs of models, each with its lower, estimate and upper curve."""
    rows: list[Row] = []
    for a, b in combinations(models, 2):
        found = lead(models[a]["estimate"], models[b]["estimate"])
        disjoint = any(
            strictly_above(models[one]["lower"], models[other]["upper"])
            for one, other in ((a, b), (b, a))
        )
        who = {1: a, -1: b, 0: None}[found.dominates]
        rows.append((a, b, who, found.equal, disjoint, tuple(map(float, found.crossings))))
    return rows

"""Slow reference for comparisons: mid-ranks, t tests, sums over rows, and dominance of curves.

Curves are fractions; Student's distribution is that of scipy.

Student's data on sleep, with what R's documentation says of them:

>>> drug = np.array([7, -16, -2, -12, -1, 34, 37, 8, 0, 20]) / 10
>>> other = np.array([19, 8, 11, 1, -1, 44, 55, 16, 46, 34]) / 10
>>> apart, each = drug - other, [(x.var(ddof=1) / 10, 9) for x in (drug, other)]
>>> print(*t_test(apart.mean(), apart.var(ddof=1) / 10, 9, 0.95).round(6))
-1.58 -2.459886 -0.700114 -4.062128 9.0 0.002833
>>> print(*t_test(apart.mean(), *total(*each), 0.95).round(5))
-1.58 -3.36548 0.20548 -1.86081 17.77647 0.07939
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tests.support.oracles.completion_oracle import weights

Array = NDArray[Any]
Labels = Sequence[bool | None]
Scores = Sequence[float]
Functional = Callable[[Array, Array], Array]  # of shares of rows among the known, and the rest
Part = tuple[float, float]  # a squared error and its df
Row = tuple[Any, ...]
Point = tuple[Fraction, Fraction]


# ---------------------------------------------------------------------------------------------
# Tests


def total(*parts: Part) -> Part:
    """Return a sum of variances, and its degrees of freedom, infinite without any."""
    whole, below = sum(x for x, _ in parts), sum(x**2 / df for x, df in parts)
    return whole, whole**2 / below if below else math.inf


def t_test(estimate: float, square: float, df: float, level: float) -> Array:
    """Return an estimate, its limits, statistic, degrees of freedom and p value."""
    if square == 0:
        statistic = math.copysign(math.inf, estimate) if estimate else 0.0
        return np.array([*[estimate] * 3, statistic, df, float(not estimate)])
    error = math.sqrt(square)
    away, statistic = stats.t.isf((1 - level) / 2, df) * error, estimate / error
    p_value = 2 * stats.t.sf(abs(statistic), df)
    return np.array([estimate, estimate - away, estimate + away, statistic, df, p_value])


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


# ---------------------------------------------------------------------------------------------
# AUROC


def wins(scores: Scores, labels: Labels) -> Array:
    """Return what each known positive wins against each other example: 1, 1/2 or 0."""
    known, score = np.array([label is True for label in labels]), np.array(scores)
    return np.asarray((np.sign(score[known][:, np.newaxis] - score[~known]) + 1) / 2)


def spread(values: Array) -> Array:
    """Return deviations from the mean, exactly 0 where nothing but rounding is."""
    away: Array = values - values.mean()
    return np.where(np.abs(away) < 1e-12 * (1 + np.abs(values).max()), 0, away)


def placements(scores: Scores, labels: Labels) -> Array:
    """Return the share of known positives above each example, ties half; each ties with itself."""
    known = [score for score, label in zip(scores, labels, strict=True) if label is True]
    return np.array([np.mean([(x > s) + (x == s) / 2 for x in known]) for s in scores])


def unseen(seen: Array, areas: Sequence[Any]) -> float:
    """Return the square of a move as far as the farthest, or to the place of one of the rest."""
    places = np.arange(0.5, 1e5) / 1e5
    return max(float(np.max(seen**2)), *(float(np.mean((places - x) ** 2)) for x in areas))


def paired(
    a: Sequence[float], b: Scores, labels: Labels, beta: float | None, target: str
) -> tuple[float, Part]:
    """Return the mean difference in rank of the known positives, and its squared error."""
    tables, on_new = [wins(scores, labels) for scores in (a, b)], target == "population"
    n, rest = tables[0].shape
    ranks = [stats.rankdata(-np.array(x))[[one is True for one in labels]] for x in (a, b)]
    apart = (tables[0] - tables[1]).sum(axis=1) if on_new else ranks[1] - ranks[0]
    hidden = 1.0 if beta is None or on_new else 1 - n / (n + beta * labels.count(None))
    if n == 1 or (on_new and rest == 1):
        return apart.mean(), (math.nan, math.nan)
    moved = placements(b, labels) - placements(a, labels)
    seen = np.append(spread(apart), rest * moved) / rest
    same = np.array_equal(stats.rankdata(a), stats.rankdata(b))
    more = 0.0 if same else unseen(seen, [table.mean() for table in tables])
    square = (spread(apart) @ spread(apart) + rest**2 * more) / n**2
    others = spread((tables[0] - tables[1]).mean(axis=0))
    square += others @ others * rest / (rest - 1) if on_new else 0.0
    return apart.mean(), (square * hidden, n - 1)


def group(scores: Scores, labels: Labels, beta: float, target: str) -> tuple[float, Part]:
    """Return the AUROC of a group, and its squared error on new examples or of the draw of labels.

    Without any error it is that of half a known positive more, at the other end.
    """
    table, p = wins(scores, labels), labels.count(True) + beta * labels.count(None)
    ranks = stats.rankdata(-np.array(scores))[[label is True for label in labels]]
    (n, rest), below, on_new = table.shape, len(labels) - p, target == "population"
    area, hidden = 1 - (ranks.mean() - (p + 1) / 2) / below, 1 if on_new else 1 - n / p
    if n == 1 or (on_new and rest == 1):
        return area, (math.nan, math.nan)
    terms = [table.mean(axis=1), table.mean(axis=0)] if on_new else [ranks / rest]
    squares = [(spread(x) @ spread(x) / (x.size - 1) / x.size, x.size - 1.0) for x in terms]
    square, df = total(*squares)
    if not square:
        square, df = 0.5 / n**2, n - 1
    return area, (square * hidden * (rest / below) ** 2, df)


def compare(
    models: Mapping[str, Scores], labels: Labels, beta: float | None, level: float, target: str
) -> list[Row]:
    """Return the rows of all pairs of models: in ranks, if there is no beta."""
    rows: list[Row] = []
    positives = labels.count(True) + (beta or 0) * labels.count(None)
    below, first = (1, 3) if beta is None else (len(labels) - positives, 0)
    for a, b in combinations(models, 2):
        mean, error = paired(models[a], models[b], labels, beta, target)
        test = t_test(mean, *error, level) / [below, below, below, 1, 1, 1]
        if beta is not None:  # limits that are possible, around the difference
            low, high = np.clip(test[1:3], -1, 1)
            test[1:3] = np.minimum(low, test[0]), np.maximum(high, test[0])
        rows.append((a, b, *test[first:], np.sign(mean)))
    return rows


def gaps(groups: Mapping[str, tuple[float, Part]], level: float) -> list[Row]:
    """Return the rows of all pairs of groups."""
    rows: list[Row] = []
    for a, b in combinations(groups, 2):
        (area, part), (other, other_part) = groups[a], groups[b]
        rows.append((a, b, *t_test(area - other, *total(part, other_part), level)))
    return rows


# ---------------------------------------------------------------------------------------------
# Comparisons of any metric on new examples, by what each row adds


def functional(name: str, score: Array, known: Array, hidden: float, at: float) -> Functional:
    """Return a metric at a cutoff or alpha; `hidden` is the share of positives in the rest."""
    n, m, size = known.sum(), (~known).sum(), known.size
    found, hit = n + hidden * m, (score >= at).astype(float)
    above, higher = ((score + tie > score[:, np.newaxis]).astype(float) for tie in (1e-9, 0))

    def average_precision(one: Array, other: Array) -> Any:
        others = n * (above @ one - one)  # the other known positives at or above each row
        rank = 1 + others + m * (above @ other - other)
        return np.sum(one * (1 + (found - 1) / (n - 1) * others) / rank, axis=0)

    def bedroc(one: Array, other: Array) -> Any:
        weight = weights("bedroc", size, at)
        heads = n * (above @ one) + m * (above @ other)
        top, bottom = weight(0.0, found), weight(size - found, found)
        return np.sum(one * (weight(heads - 1, 1.0) - bottom), axis=0) / (top - bottom)

    def at_threshold(one: Array, other: Array) -> Any:
        true, p = hit @ one, found / size
        tp, fp = p * true, (1 - p) * (hit @ other - hidden * true) / (1 - hidden)
        return {"recall": true, "precision": tp / (tp + fp), "f1": 2 * tp / (tp + fp + p)}[name]

    def auroc(one: Array, other: Array) -> Any:
        won = np.sum(other * ((above + higher) / 2 @ one), axis=0)
        return (won - hidden / 2) / (1 - hidden)

    whole = {"average_precision": average_precision, "bedroc": bedroc, "auroc": auroc}
    return whole.get(name, at_threshold)


def pulls(value: Functional, known: Array) -> Array:
    """Return the slope by the weight of each row: as a known positive, and as one of the rest."""
    found = []
    for kind in ((1, 0), (0, 1)):  # by a step to the side, which no rounding meets
        weights = [
            x[:, np.newaxis] + 1e-30j * k * np.eye(known.size)
            for x, k in zip((known, ~known), kind, strict=True)
        ]
        found.append(np.imag(value(*(weight / weight.sum(axis=0) for weight in weights))) * 1e30)
    return np.array(found)


def as_known(name: str, score: Array, known: Array, hidden: float, at: float) -> Array:
    """Return what each row would add as a known positive, all between two known ones alike."""
    own = pulls(functional(name, score, known, hidden, at), known)[0]
    gap = np.array([np.sum(score[known] >= x) + np.isin(x, score[known]) / 2 for x in score])
    inside = [~known & (gap == place) for place in gap]
    if name == "bedroc":  # as the mean of them
        means = [own[some | known * ~some.any()].mean() for some in inside]
        return np.asarray(np.where(known, own, means))
    if name != "average_precision":
        return np.asarray(own)
    # As the worst of them.
    worst = np.array([score[some].min(initial=np.inf) for some in inside])
    value = functional(name, np.where(known, score, worst), known, hidden, at)
    return np.asarray(pulls(value, known)[0])


def share_slope(name: str, score: Array, known: Array, hidden: float, at: float) -> float:
    """Return the slope of a metric by the share of positives, at the rates that were found."""
    size, step = known.size, 1e-5
    share = known.mean() + hidden * (~known).mean()
    true, others = (np.array([np.mean(score[k] >= x) for x in score]) for k in (known, ~known))
    false = (others - hidden * true) / (1 - hidden)
    hit, falsely = (np.mean(score[k] >= at) for k in (known, ~known))
    falsely = (falsely - hidden * hit) / (1 - hidden)

    def value(p: float) -> float:
        if name == "average_precision":
            kept = np.maximum(false, 0)
            return float(np.mean((p * true / (p * true + (1 - p) * kept))[known]))
        if name == "bedroc":
            heads, alpha = p * true + (1 - p) * false, at
            # Of a step of ranks, and at the ends of the scale: as the share of the first p.
            weight = weights("bedroc", 1, alpha)
            top, bottom = weight(0, p), weight(1 - p, p)
            each = weight(heads[known] - 1 / size, 1 / size)
            return float((each.mean() - bottom) / (top - bottom))
        tp, fp = p * hit, (1 - p) * falsely
        found = {"precision": tp / (tp + fp), "f1": 2 * tp / (tp + fp + p)}
        return float(found.get(name, 0.0))

    return (value(share + step) - value(share - step)) / (2 * step)


def rows_error(
    pulls: tuple[Array, Array], as_known: tuple[Array, Array], known: Array, least: float
) -> float:
    """Return the squared error of a difference, from what rows of two models add to each."""
    added = np.where(known, *(pulls[0] - pulls[1]))
    farthest = max(np.abs(added[known]).max(), np.abs(as_known[0] - as_known[1]).max())
    rest = (~known).sum()
    square = np.sum(added[known] ** 2) + np.sum(added[~known] ** 2) * rest / (rest - 1)
    return float(square + max(farthest, least) ** 2)


def cluster_effect(added: Array, known: Array, clusters: Array) -> tuple[float, Array]:
    """Return by how much clusters enlarge the error of rows, each part as if it were left out.

    Also return what each cluster adds.
    """
    sums, rest = [], (~known).sum()
    plain = np.sum(added[known] ** 2) + np.sum(added[~known] ** 2) * rest / (rest - 1)
    for cluster in np.unique(clusters):
        mine = clusters == cluster
        parts = [added[mine & kind].sum() for kind in (known, ~known)]
        left = [1 - mine[kind].mean() for kind in (known, ~known)]
        sums.append(sum(part / share**0.5 for part, share in zip(parts, left, strict=True)))
    whole = np.array(sums)
    if not plain:
        return float(known.sum() / np.unique(clusters[known]).size), whole
    return max(float(whole @ whole / plain), 1.0), whole


# ---------------------------------------------------------------------------------------------
# Curves


def height(curve: Sequence[Point], x: Fraction, left: bool) -> Fraction:
    """Return the best that a line reaches at or left of x, or only to the left of it.

    >>> back = [(0, 0), (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4)), (1, 1)]
    >>> [float(height(back, Fraction(1, 4), left)) for left in (True, False)]
    [0.25, 0.75]
    """
    best = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x1 < x or (x1 == x and not left):
            best = max(best, y1)
        elif x0 < x:
            best = max(best, y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return best


def pieces(a: Sequence[Point], b: Sequence[Point]) -> list[tuple[Fraction, ...]]:
    """Return what lies between cutoffs, left to right: both ends, and heights of a and of b."""
    grid = {x for x, _ in (*a, *b)}
    for curve in (a, b):  # and where one comes up to a height that it had
        for (x0, y0), (x1, y1) in pairwise(curve):
            grid |= {x0 + (x1 - x0) * (y - y0) / (y1 - y0) for _, y in curve if y0 < y < y1}
    return [
        (low, high, *(height(of, x, x == high) for of in (a, b) for x in (low, high)))
        for low, high in pairwise(sorted(grid))
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


def dominance(models: Mapping[str, Mapping[str, Sequence[Point]]]) -> list[Row]:
    """Return the rows of all pairs of models, each with its lower, estimate and upper curve."""
    rows: list[Row] = []
    for a, b in combinations(models, 2):
        sign, equal, crossings = lead(*(models[x]["estimate"] for x in (a, b)))
        pairs = (a, b), (b, a)
        disjoint = any(strictly_above(models[x]["lower"], models[y]["upper"]) for x, y in pairs)
        rows.append((a, b, {1: a, -1: b, 0: None}[sign], equal, disjoint, crossings))
    return rows

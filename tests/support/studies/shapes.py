"""Do AUROC and AP of these examples hold on every shape?

Scores of many shapes are drawn, a simple random sample of the positives is known, and AUROC and
average precision are asked for their intervals at the true beta. The shapes that the intervals
were chosen on are kept apart from those that they were not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from pu_accessor.inference.estimates.areas_on_this_sample import estimate_ap, estimate_auroc
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import Counts, FloatArray, Ranking

SEED, LEVEL = 20261121, 0.95
ASKED = {"auroc": estimate_auroc, "precision": estimate_ap}

Rng = np.random.Generator
Draw = Callable[[Rng, int, int], tuple[FloatArray, FloatArray]]


class Shape(NamedTuple):
    """How scores of so many positives and negatives are drawn, and the share of positives."""

    draw: Draw
    prevalence: float = 0.1


def normal(distance: float, deviation: float = 1.0) -> Draw:
    """Positives N(distance, deviation), negatives N(0, 1)."""
    return lambda rng, p, q: (rng.normal(distance, deviation, p), rng.normal(size=q))


def rounded(draw: Draw, step: float) -> Draw:
    """Scores of another shape, rounded."""
    return lambda rng, p, q: (lambda two: (_round(two[0], step), _round(two[1], step)))(
        draw(rng, p, q)
    )


def _round(score: FloatArray, step: float) -> FloatArray:
    rounded: FloatArray = np.round(score / step) * step
    return rounded


def _mixed(rng: Rng, size: int, share: float, low: FloatArray, high: FloatArray) -> FloatArray:
    chosen: FloatArray = np.where(rng.random(size) < share, high, low)
    return chosen


def hard_negatives(share: float, place: float) -> Draw:
    """A few negatives rank above most positives."""
    return lambda rng, p, q: (
        rng.normal(2, 0.7, p),
        _mixed(rng, q, share, rng.normal(size=q), rng.normal(place, 0.5, q)),
    )


def hidden(share: float) -> Draw:
    """A few positives look like negatives."""
    return lambda rng, p, q: (
        _mixed(rng, p, share, rng.normal(2.5, 1, p), rng.normal(size=p)),
        rng.normal(size=q),
    )


# What the intervals were chosen on.
CHOSEN: Mapping[str, Shape] = {
    "normal, AUROC .64": Shape(normal(0.5)),
    "normal, AUROC .80": Shape(normal(1.2)),
    "normal, AUROC .96": Shape(normal(2.5)),
    "normal, AUROC .999, rare": Shape(normal(4.4), 0.01),
    "wide positives": Shape(normal(1.2, 2.0)),
    "worse than chance": Shape(normal(-0.8)),
    "hard negatives": Shape(hard_negatives(0.05, 3)),
    "tenth of positives hidden": Shape(hidden(0.1)),
    "log-normal tail": Shape(lambda rng, p, q: (3 - rng.lognormal(0, 1.2, p), rng.normal(size=q))),
    "ties, 13 scores": Shape(rounded(normal(1.2), 0.5)),
}
# What they were not chosen on.
OTHERS: Mapping[str, Shape] = {
    "exponential": Shape(lambda rng, p, q: (rng.exponential(3, p), rng.exponential(size=q))),
    "beta, skewed": Shape(lambda rng, p, q: (rng.beta(5, 1, p), rng.beta(1, 3, q))),
    "gamma, skewed down": Shape(lambda rng, p, q: (2 - rng.gamma(0.5, 1, p), rng.normal(size=q))),
    "Student, 2 df": Shape(lambda rng, p, q: (1.5 + rng.standard_t(2, p), rng.standard_t(2, q))),
    "two kinds of positives": Shape(
        lambda rng, p, q: (
            _mixed(rng, p, 0.4, rng.normal(3, 0.5, p), rng.normal(0.5, 0.5, p)),
            rng.normal(size=q),
        )
    ),
    "twentieth of positives hidden": Shape(hidden(0.05)),
    "harder negatives, rare": Shape(hard_negatives(0.02, 3.5), 0.02),
    "worse than chance, skewed": Shape(
        lambda rng, p, q: (rng.exponential(0.4, p), rng.exponential(size=q))
    ),
    "101 scores": Shape(rounded(normal(1.2), 0.08)),
    "5 scores": Shape(rounded(normal(1.0), 1.5)),
    "half positive": Shape(normal(1.2), 0.5),
}


class Cell(NamedTuple):
    """How often an interval held the truth, and its mean width."""

    coverage: float
    below: float  # share of draws with the truth below the interval
    above: float
    width: float


class Drawn(NamedTuple):
    """A ranking, its beta, and the truth."""

    ranking: Ranking
    beta: float
    auroc: float
    precision: float


def labelings(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> Iterator[Drawn]:
    """Draw populations, and the known positives of each."""
    positives = max(round(known / share), known + 1)
    examples = round(positives / shape.prevalence)
    for _ in range(draws):
        score = np.concatenate(shape.draw(rng, positives, examples - positives))
        yield _rank(score, positives, known)


def _rank(score: FloatArray, positives: int, known: int) -> Drawn:
    """Rank examples, the positives first; scores are exchangeable, so the first ones are known."""
    _, place, size = np.unique(-score, return_inverse=True, return_counts=True)
    end = np.cumsum(size)
    found, labeled = (np.bincount(place[:k], minlength=size.size) for k in (positives, known))
    precision = float(found @ (np.cumsum(found) / end)) / positives
    mean = float(rankdata(-score)[:positives].mean())
    auroc = 1 - (mean - (positives + 1) / 2) / (score.size - positives)
    k, rank = (np.append(0, np.cumsum(each)) for each in (labeled, size))
    k, rank = k.astype(np.int64), rank.astype(np.int64)
    unlabeled = score.size - known
    total, none = Counts(known, 0, unlabeled), np.zeros(k.size, np.int64)
    ranking = Ranking(rank, 0.0 - rank, k, none, rank - k, total)
    return Drawn(ranking, (positives - known) / unlabeled, auroc, precision)


def look(
    shape: Shape,
    known: int,
    share: float,
    draws: int,
    name: str,
    asked: Sequence[str] = tuple(ASKED),
) -> dict[str, Cell]:
    """Simulate a cell."""
    words: list[int] = [SEED, known, round(1000 * share), *name.encode()]
    rule, found = Settings(LEVEL), {key: [] for key in asked}  # type: ignore[var-annotated]
    for drawn in labelings(shape, known, share, draws, np.random.default_rng(words)):
        for key in asked:
            limits = ASKED[key](drawn.ranking, np.array([drawn.beta]), rule)
            lower, upper, truth = limits.lower[0], limits.upper[0], getattr(drawn, key)
            below, above = truth < lower - 1e-9, truth > upper + 1e-9
            held = not (below or above or np.isnan(upper - lower))
            found[key].append((held, below, above, upper - lower))
    return {key: Cell(*np.nanmean(rows, axis=0).tolist()) for key, rows in found.items()}

"""Do intervals hold what is true of new examples?

Known positives and the rest are drawn anew each time, of scores whose AUROC, average precision and
rates are known, and intervals are asked at the true share of positives among the rest. Shapes that
were looked at while the intervals were chosen are kept apart from those that were not.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.counting.placements import PlacementTable, rank_pairs, sum_placements
from pu_accessor.inference.comparison.paired_models import compare_paired
from pu_accessor.inference.estimates.areas_on_future_data import (
    auroc_interval,
    estimate_population_ap,
)
from pu_accessor.inference.estimates.metric_at_cutoff import future_metric_at_threshold
from pu_accessor.inference.influence import Placements
from pu_accessor.inference.metrics import read_metric
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, Counts, FloatArray, Ranking

Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]

SEED, LEVEL = 2026, 0.95
TRUTH = 1_000_000  # scores of each kind that a true value is computed from
BLOCK = 10_000_000  # comparisons at once


class Shape(NamedTuple):
    """How scores of positives and of negatives are drawn."""

    positive: Draw
    negative: Draw


class Design(NamedTuple):
    """Known positives, others, and the share of positives among these."""

    known: int
    rest: int
    share: float


class Row(NamedTuple):
    """How often an interval held the truth, was above and below it, and how wide it was."""

    kind: str
    shape: str
    design: Design
    truth: float
    coverage: float
    above: float
    below: float
    width: float


def normal(mean: float, sd: float = 1.0, decimals: int | None = None) -> Draw:
    """Return normal scores, rounded to multiples of 1/decimals."""

    def draw(rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
        score = rng.normal(mean, sd, size)
        return score if decimals is None else np.round(score * decimals) / decimals

    return draw


def binomial(times: int, share: float) -> Draw:
    """Return counts as scores."""
    return lambda rng, size: rng.binomial(times, share, size).astype(np.float64)


def mixed(share: float, one: Draw, other: Draw) -> Draw:
    """Return a mixture of two."""

    def draw(rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
        return np.where(rng.random(size) < share, one(rng, size), other(rng, size))

    return draw


CHOSEN: Mapping[str, Shape] = {
    "normal .76": Shape(normal(1), normal(0)),
    "normal .96": Shape(normal(2.5), normal(0)),
    "normal .60": Shape(normal(0.36), normal(0)),
    "normal .99": Shape(normal(3.3), normal(0)),
    "wide": Shape(normal(1.2, 2), normal(0)),
    "narrow": Shape(normal(1.2, 0.5), normal(0)),
    "exponential": Shape(
        lambda r, s: 4 * r.exponential(size=s), lambda r, s: r.exponential(size=s)
    ),
    "tied, 2 per sd": Shape(normal(1.2, 1, 2), normal(0, 1, 2)),
    "10% hard negatives": Shape(normal(2), mixed(0.1, normal(2.5, 0.5), normal(-1))),
}
CHECKED: Mapping[str, Shape] = {
    "lognormal": Shape(lambda r, s: r.lognormal(1.2, 1, s), lambda r, s: r.lognormal(0, 1.5, s)),
    "beta": Shape(lambda r, s: r.beta(4, 1, s), lambda r, s: r.beta(1, 2, s)),
    "5 scores": Shape(binomial(4, 0.75), binomial(4, 0.35)),
    "101 scores": Shape(
        lambda r, s: np.round(r.beta(3, 1, s), 2), lambda r, s: np.round(r.beta(1, 6, s), 2)
    ),
    "3% hard negatives": Shape(normal(2), mixed(0.03, normal(4, 0.3), normal(0))),
    "worse than chance": Shape(normal(-1), normal(0)),
    "normal .999": Shape(normal(4.37), normal(0)),
    "wide .999": Shape(normal(6, 1.6), normal(0)),
    "Student's t": Shape(lambda r, s: 2 + r.standard_t(2, s), lambda r, s: r.standard_t(2, s)),
    "gamma": Shape(lambda r, s: r.gamma(0.5, 1, s), lambda r, s: r.gamma(0.1, 1, s)),
    "20% hidden positives": Shape(mixed(0.2, normal(0), normal(3)), normal(0)),
    "5% hidden positives": Shape(mixed(0.05, normal(0), normal(3)), normal(0)),
}
SHAPES = {**CHOSEN, **CHECKED}
AREAS = [
    *(Design(n, 300, share) for n in (5, 10, 20) for share in (0.1, 0.4)),
    *(Design(n, 2000, 0.01) for n in (5, 10, 20, 50)),
    *(Design(n, 500, 0.1) for n in (50, 200)),
    *(Design(n, n, 0.0) for n in (10, 50, 200)),
]
PRECISIONS = [Design(50, 500, 0.4), Design(50, 2000, 0.02), Design(200, 600, 0.0)]
RATES = [
    Design(n, rest, share) for n in (10, 50, 200) for rest, share in ((500, 0.1), (500, 0.4))
] + [Design(50, 100, 0.0)]
CUTOFFS = {
    "tpr .8, fpr .2": (0.8, 0.2),
    "tpr .5, fpr .02": (0.5, 0.02),
    "tpr .95, fpr .4": (0.95, 0.4),
}
METRICS = ("tpr", "fpr", "precision", "f1", "accuracy", "informedness")
PAIRS = [
    Design(n, rest, share) for n in (20, 50, 200) for rest, share in ((200, 0.0), (1000, 0.1))
]


# ---------------------------------------------------------------------------------------------
# Draws


def generator(*of: object) -> np.random.Generator:
    """Return the generator of a cell: its draws do not depend on the other cells."""
    return np.random.default_rng([SEED, *"".join(map(str, of)).encode()])


def draw_scores(
    shape: Shape, design: Design, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the scores of known positives and of the rest, a row for each draw."""
    known = shape.positive(rng, (draws, design.known))
    size = (draws, design.rest)
    hidden = rng.random(size) < design.share
    return known, np.where(hidden, shape.positive(rng, size), shape.negative(rng, size))


@cache
def true_values(shape: Shape, prevalence: float) -> tuple[float, float]:
    """Return AUROC, and average precision at a prevalence."""
    rng = np.random.default_rng(SEED)
    one, other = (np.sort(draw(rng, (TRUTH,))) for draw in shape)
    left, right = (np.searchsorted(other, one, side=side) for side in ("left", "right"))
    recall = 1 - np.searchsorted(one, one, side="left") / TRUTH
    false = 1 - left / TRUTH
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * false)
    return float((left + right).mean()) / 2 / TRUTH, float(precision.mean())


def summarise(
    kind: str, shape: str, design: Design, truth: float, limits: tuple[FloatArray, FloatArray]
) -> Row:
    """Count how often limits hold the truth."""
    above, below = (limits[0] > truth).mean(), (limits[1] < truth).mean()
    width = float(np.mean(limits[1] - limits[0]))
    missing = np.isnan(limits[0]).mean()
    return Row(kind, shape, design, truth, 1 - above - below - missing, above, below, width)


# ---------------------------------------------------------------------------------------------
# Cells


def auroc_row(name: str, design: Design, draws: int) -> Row:
    """Ask for AUROC: placements of all draws at once, and the private function of intervals."""
    rng = generator("auroc", name, design)
    known, rest = draw_scores(SHAPES[name], design, draws, rng)
    first, second = np.empty(known.shape), np.empty(rest.shape)
    step = max(1, BLOCK // (design.known * design.rest))
    for start in range(0, draws, step):
        here = slice(start, start + step)
        apart = known[here, :, np.newaxis] - rest[here, np.newaxis, :]
        wins = (np.sign(apart) + 1) / 2
        first[here], second[here] = wins.mean(axis=2), wins.mean(axis=1)
    placed = Placements(
        np.array([[design.known], [design.rest]], np.float64),
        np.stack([first.var(axis=1, ddof=1), second.var(axis=1, ddof=1)]),
        first.mean(axis=1),
    )
    truth, _ = true_values(SHAPES[name], 0.5)
    found = auroc_interval(np.full(draws, design.share), placed, LEVEL)
    return summarise("auroc", name, design, truth, (found.lower, found.upper))


def beta_of(design: Design) -> FloatArray:
    """Return beta: the rest are unlabeled, or known negatives where none of them is positive."""
    return np.array([design.share])


def precision_row(name: str, design: Design, draws: int) -> Row:
    """Ask for average precision."""
    rng = generator("average precision", name, design)
    known, rest = draw_scores(SHAPES[name], design, draws, rng)
    positive = np.arange(design.known + design.rest) < design.known
    none, rule, limits = np.zeros(positive.size, np.bool_), Settings(LEVEL), np.empty((2, draws))
    for turn in range(draws):
        score = np.concatenate([known[turn], rest[turn]])
        ranking = rank_examples(score, positive, none, ranks="breakpoints")
        found = estimate_population_ap(ranking, beta_of(design), rule)
        limits[:, turn] = found.lower[0], found.upper[0]
    size = design.known + design.rest
    prevalence = (design.known + design.share * design.rest) / size
    _, truth = true_values(SHAPES[name], prevalence)
    return summarise("average precision", name, design, truth, (limits[0], limits[1]))


def rate_row(name: str, cutoff: str, design: Design, draws: int) -> Row:
    """Ask for a metric at a threshold: what lies above it is all that matters."""
    true, false = CUTOFFS[cutoff]
    rng = generator(name, cutoff, design)
    known = rng.binomial(design.known, true, draws)
    hit = design.share * true + (1 - design.share) * false
    others = rng.binomial(design.rest, hit, draws)
    size, total = design.known + design.rest, Counts(design.known, 0, design.rest)
    seen, again = np.unique(np.stack([known, others]), axis=1, return_inverse=True)
    limits = np.empty(seen.shape)
    for turn, (k, h) in enumerate(seen.T.tolist()):
        rank, found = np.array([0, k + h, size]), np.array([0, k, design.known])
        ranking = Ranking(rank, np.array([np.inf, 1, 0]), found, 0 * rank, rank - found, total)
        metric = read_metric(name, 1, "metric")
        answer = future_metric_at_threshold(ranking, beta_of(design), metric, 1, Settings(LEVEL))
        limits[:, turn] = answer.lower[0], answer.upper[0]
    limits = limits[:, again.ravel()]
    positives = (design.known + design.share * design.rest) / size
    tp, fp = positives * true, (1 - positives) * false
    truth = {
        "tpr": true,
        "fpr": false,
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (tp + fp + positives),
        "accuracy": tp + 1 - positives - fp,
        "informedness": true - false,
    }[name]
    return summarise(name, cutoff, design, truth, (limits[0], limits[1]))


def size_row(models: str, design: Design, draws: int) -> Row:
    """Compare two models that are equally good: coverage is how often p is at least .05."""
    rng = generator("compare", models, design)
    positive = np.arange(design.known + design.rest) < design.known
    p_value = np.empty(draws)
    for turn in range(draws):
        truth = positive | (rng.random(positive.size) < design.share)
        scores = MODELS[models](rng, truth)
        known = scores[:, positive]
        places = [PlacementTable.of(one) for one in known]
        above, total = sum_placements(places, scores), Counts(design.known, 0, design.rest)
        paired = rank_pairs(("model",), ["a", "b"], places, known, above, total)
        p_value[turn] = compare_paired(paired, None, LEVEL, "population").p_value[0, 0]
    below = float((p_value < 1 - LEVEL).mean())
    return Row("compare", models, design, 0.0, 1 - below, below, 0.0, np.nan)


# Two models that are equally good, and what each of them makes of positives and negatives.
Pair: TypeAlias = Callable[[np.random.Generator, BoolArray], FloatArray]


def twins(shared: float) -> Pair:
    """Return normal scores of AUROC .76 with so much of their variance in common."""
    apart = 2**0.5 * float(special.ndtri(0.76))
    return lambda rng, truth: _noise(rng, truth.size, shared) + apart * truth


def _noise(rng: np.random.Generator, size: int, shared: float) -> FloatArray:
    joint, own = rng.normal(size=size), rng.normal(size=(2, size))
    noise: FloatArray = shared**0.5 * joint + (1 - shared) ** 0.5 * own
    return noise


COARSE = Shape(normal(1, 1, 1), normal(0, 1, 1))


def tied_against_untied(rng: np.random.Generator, truth: BoolArray) -> FloatArray:
    """Whole numbers as scores, and a normal model of the same AUROC."""
    area, _ = true_values(COARSE, 0.5)
    means = [1.0, 2**0.5 * float(special.ndtri(area))]
    scores = _noise(rng, truth.size, 0.6) + np.multiply.outer(means, truth)
    scores[0] = np.round(scores[0])
    return scores


def wide_against_narrow(rng: np.random.Generator, truth: BoolArray) -> FloatArray:
    """Curves of the same area that cross."""
    noise, area = _noise(rng, truth.size, 0.6), float(special.ndtri(0.8))
    scale = np.where(truth, [[2.0], [0.5]], 1.0)
    scores: FloatArray = noise * scale + truth * area * np.array([[5.0], [1.25]]) ** 0.5
    return scores


def hidden(rng: np.random.Generator, truth: BoolArray) -> FloatArray:
    """Each model takes another tenth of the positives for negatives."""
    seen = truth & (rng.random((2, truth.size)) > 0.1)
    return _noise(rng, truth.size, 0.6) + 2 * seen


def hard_negatives(rng: np.random.Generator, truth: BoolArray) -> FloatArray:
    """A twentieth of the negatives is above most positives, by both models."""
    hard = ~truth & (rng.random(truth.size) < 0.05)
    scores: FloatArray = _noise(rng, truth.size, 0.6) + 1.5 * truth + 3.5 * hard
    return scores


MODELS: Mapping[str, Pair] = {
    "alike": twins(0.9),
    "correlated": twins(0.6),
    "tied against untied": tied_against_untied,
    "wide against narrow": wide_against_narrow,
    "other positives hidden": hidden,
    "hard negatives": hard_negatives,
}
CHOSEN_MODELS = (*MODELS,)[:3]

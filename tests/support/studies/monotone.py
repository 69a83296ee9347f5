"""What monotone scores buy, what it costs where they are not, and whether lists keep their word.

Run ``python -m tests.support.studies.monotone --draws 1000``, from the root. Writes
``build/measured/monotone.csv``: a row for each question, shape, design and measure. With ``--only
bands`` one question is measured anew; estimates take a quarter of the draws.

Known positives and the rest are drawn anew each time, of scores whose true rates are known at
every threshold. In "monotone" shapes a higher score never means a smaller probability of being
positive. Nothing was chosen on the shapes but the first three, "normal, shift 1" to "3".
"""

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from scipy import stats

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.bands.future_data import Curve, Rates, bound_curve, bound_rates
from pu_accessor.inference.completion import monotone_hidden
from pu_accessor.inference.estimates.areas_on_this_sample import estimate_ap, estimate_auroc
from pu_accessor.inference.estimates.cutoff_spec import read_at
from pu_accessor.inference.estimates.guaranteed_cutoffs import Goal, find_future_cutoff
from pu_accessor.inference.estimates.metric_at_cutoff import (
    future_metric_at_threshold,
    metric_at_cutoff,
)
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, FloatArray, Ranking
from tests.support.studies.tables import table_path

SEED, LEVEL = 20261122, 0.95
TABLE = table_path("monotone")
FINE = 20_000  # thresholds that a true curve is known at
NEAR = 1e-5  # how exactly


class Scores(Protocol):
    """How scores of one kind are drawn, and how many lie at or above a threshold."""

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray: ...
    def above(self, threshold: FloatArray) -> FloatArray: ...


class Mixed(NamedTuple):
    """A mixture of distributions of scipy."""

    parts: tuple[tuple[float, object], ...]  # weights, and frozen distributions

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        counts = rng.multinomial(size, [weight for weight, _ in self.parts])
        drawn = [
            part.rvs(size=count, random_state=rng)  # type: ignore[attr-defined]
            for count, (_, part) in zip(counts.tolist(), self.parts, strict=True)
        ]
        return np.asarray(rng.permutation(np.concatenate(drawn)), np.float64)

    def above(self, threshold: FloatArray) -> FloatArray:
        total = np.zeros(np.shape(threshold))
        for weight, part in self.parts:
            discrete = hasattr(part, "pmf")
            total += weight * part.sf(threshold - 1e-9 if discrete else threshold)  # type: ignore[attr-defined]
        return total


class Scored(NamedTuple):
    """Scores of a real classifier, drawn with replacement."""

    scores: FloatArray  # ascending

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.choice(self.scores, size)

    def above(self, threshold: FloatArray) -> FloatArray:
        return 1 - np.searchsorted(self.scores, threshold) / self.scores.size


class Shape(NamedTuple):
    """Scores of positives and of negatives."""

    positive: Scores
    negative: Scores
    monotone: bool = True


class Design(NamedTuple):
    """Known positives, others, and the share of positives among these."""

    known: int
    rest: int
    b: float = 0.29


class Row(NamedTuple):
    """What was measured."""

    question: str
    shape: str
    monotone: bool
    known: int
    rest: int
    b: float
    measure: str
    value: float
    draws: int


def normal(mean: float, sd: float = 1.0) -> Mixed:
    return Mixed(((1.0, stats.norm(mean, sd)),))


def mixture(share: float, first: object, second: object) -> Mixed:
    return Mixed(((share, first), (1 - share, second)))


NOISE = normal(0)
MONOTONE: Mapping[str, Shape] = {
    "normal, shift 1": Shape(normal(1), NOISE),
    "normal, shift 2": Shape(normal(2), NOISE),
    "normal, shift 3": Shape(normal(3), NOISE),
    "chance": Shape(normal(0), NOISE),
    "30% like negatives": Shape(mixture(0.7, stats.norm(2.5), stats.norm(0)), NOISE),
    "log-normal": Shape(
        Mixed(((1.0, stats.lognorm(1.2, scale=6.0)),)), Mixed(((1.0, stats.lognorm(1.2)),))
    ),
    "beta": Shape(Mixed(((1.0, stats.beta(4, 1)),)), Mixed(((1.0, stats.beta(1, 2)),))),
    "5 scores": Shape(
        Mixed(((1.0, stats.binom(4, 0.75)),)), Mixed(((1.0, stats.binom(4, 0.35)),))
    ),
    "straight": Shape(
        Mixed(((1.0, stats.uniform(0.5, 0.5)),)), Mixed(((1.0, stats.uniform(0, 1)),))
    ),
}
OTHERS: Mapping[str, Shape] = {
    "worse than chance": Shape(normal(-0.5), NOISE, False),
    "two classes of positives": Shape(
        mixture(0.5, stats.norm(2.5, 0.5), stats.norm(-1, 0.5)), NOISE, False
    ),
    "a hook at the end": Shape(mixture(0.85, stats.norm(2), stats.norm(-3, 0.3)), NOISE, False),
    "hard negatives": Shape(normal(2), mixture(0.95, stats.norm(0), stats.norm(4, 0.3)), False),
    "wide positives": Shape(normal(1.5, 2), NOISE, False),
}
GOALS = {  # the first three are those that the issue names
    ("normal, shift 2", Design(200, 2000), Goal("precision", 0.8)),
    ("normal, shift 2", Design(64, 2000), Goal("precision", 0.7)),
    ("normal, shift 3", Design(64, 2000), Goal("precision", 0.8)),
    ("normal, shift 1", Design(200, 2000, 0.1), Goal("precision", 0.3)),
    ("30% like negatives", Design(200, 2000), Goal("precision", 0.8)),
    ("log-normal", Design(64, 2000), Goal("precision", 0.6)),
    ("beta", Design(64, 2000), Goal("precision", 0.7)),
    ("5 scores", Design(200, 2000), Goal("precision", 0.7)),
    ("straight", Design(200, 2000, 0.2), Goal("precision", 0.42)),
    ("normal, shift 2", Design(1000, 10000), Goal("precision", 0.8)),
    ("normal, shift 2", Design(200, 2000), Goal("precision", 0.9)),
    ("normal, shift 2", Design(20, 500), Goal("precision", 0.6)),
    ("breast cancer", Design(64, 2000), Goal("precision", 0.8)),
    ("digits, eights", Design(64, 2000, 0.1), Goal("precision", 0.7)),
    ("worse than chance", Design(200, 2000), Goal("precision", 0.4)),
    ("hard negatives", Design(200, 2000), Goal("precision", 0.7)),
    ("wide positives", Design(200, 2000), Goal("precision", 0.8)),
    *(
        (shape, design, goal)
        for shape in ("normal, shift 2", "5 scores", "hard negatives")
        for design in (Design(64, 2000), Design(200, 2000, 0.1))
        for goal in (Goal("fpr", 0.1), Goal("fpr", 0.02), Goal("recall", 0.8))
    ),
}


@cache
def shapes() -> dict[str, Shape]:
    """Return all shapes: real classifiers' scores are made once."""
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    real = {}
    for name, load, kind in (
        ("breast cancer", load_breast_cancer, 0),
        ("digits, eights", load_digits, 8),
    ):
        features, target = load(return_X_y=True)
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
        score = cross_val_predict(model, features, target == kind, method="decision_function")
        first, second = (np.sort(score[(target == kind) == side]) for side in (True, False))
        real[name] = Shape(Scored(first), Scored(second), monotone=False)
    return {**MONOTONE, **OTHERS, **real}


class Sample(NamedTuple):
    """Scores, those that are positive, and what is known of them; known positives come first."""

    score: FloatArray
    truth: BoolArray
    ranking: Ranking


def draw(shape: Shape, design: Design, rng: np.random.Generator, ranks: str) -> Sample:
    """Draw known positives and the rest."""
    n, size = design.known, design.rest
    hidden = int(rng.binomial(size, design.b))
    score = np.concatenate(
        [shape.positive.draw(rng, n + hidden), shape.negative.draw(rng, size - hidden)]
    )
    place = np.arange(n + size)
    known, none = place < n, np.zeros(n + size, np.bool_)
    ranking = rank_examples(score, known, none, ranks=ranks)  # type: ignore[arg-type]
    return Sample(score, place < n + hidden, ranking)


def samples(
    name: str, design: Design, draws: int, question: str, ranks: str = "breakpoints"
) -> Iterator[Sample]:
    """Draw as often as asked; each cell has a seed of its own."""
    rng = np.random.default_rng([SEED, *f"{question} {name} {design}".encode()])
    for _ in range(draws):
        yield draw(shapes()[name], design, rng, ranks)


@cache
def true_curve(name: str, b: float) -> tuple[FloatArray, FloatArray]:
    """Return the share x of the rest, and that F of positives, at fine thresholds."""
    shape, rng = shapes()[name], np.random.default_rng(SEED)
    drawn = np.concatenate([each.draw(rng, 10 * FINE) for each in shape[:2]])
    low, high, more = float(drawn.min()), float(drawn.max()), float(np.ptp(drawn))
    score = np.concatenate(
        [np.linspace(low - more, high + more, FINE), np.quantile(drawn, np.linspace(0, 1, FINE))]
    )
    score = np.unique(score)[::-1]
    tpr, fpr = shape.positive.above(score), shape.negative.above(score)
    x, tpr = (np.concatenate([[0.0], each, [1.0]]) for each in (b * tpr + (1 - b) * fpr, tpr))
    return x, tpr


# ---------------------------------------------------------------------------------------------
# Questions


def look_at_bands(name: str, design: Design, draws: int) -> dict[str, float]:
    """Return how often limits hold everywhere, how wide they are, and how often none is left."""
    measures = []
    for sample in samples(name, design, draws, "bands"):
        row: dict[str, float] = {}
        for kind, monotone in (("uncut", False), ("cut", True)):
            asked = (sample.ranking, design.b, LEVEL, monotone)
            band = bound_curve(*asked)
            row |= {"refuted": float(band.band.refuted_at is not None)}  # of the last
            row |= {f"{kind}: curve held": _curve_held(name, design, band)}
            rates, lift = _rates_held(name, design, sample.ranking, bound_rates(*asked))
            row |= {f"{kind}: rates held": rates, f"{kind}: lift held": lift}
            row |= {
                f"{kind}: width of precision, top {head:g}": _width(
                    design, band, head, kind == "cut"
                )
                for head in (0.05, 0.1, 0.3)
            }
        measures.append(row)
    return {key: float(np.mean([row[key] for row in measures])) for key in measures[0]}


def _curve_held(name: str, design: Design, curve: Curve) -> bool:
    """Tell whether the true curve lies within the band at all x."""
    true = np.interp(curve.x, *true_curve(name, design.b))
    lower, upper, _ = curve.band
    return bool((lower <= true + NEAR).all() and (upper >= true - NEAR).all())


def _rates_held(name: str, design: Design, ranking: Ranking, rates: Rates) -> tuple[bool, bool]:
    """Tell whether both rates, and lift, lie within their limits at all thresholds."""
    shape = shapes()[name]
    tpr, fpr = (each.above(ranking.threshold[1:]) for each in shape[:2])
    x = design.b * tpr + (1 - design.b) * fpr
    true = np.stack([tpr, fpr, tpr / x])
    limits = np.stack(rates)[:, :, 1:]
    held = (limits[:, 0] <= true + NEAR) & (limits[:, 1] >= true - NEAR)
    return bool(held[:2].all()), bool(held[2].all())


def _width(design: Design, curve: Curve, head: float, cut: bool) -> float:
    """Return the width of precision among the top share of the rest, of the rest alone."""
    place = int(np.searchsorted(curve.x, head, "right")) - 1
    lower = np.interp(head, curve.x, curve.band.lower) if cut else curve.band.lower[place]
    upper = curve.band.upper[np.searchsorted(curve.x, head)]
    return float(min(design.b * upper / head, 1) - design.b * lower / head)


def look_at_thresholds(name: str, design: Design, draws: int) -> dict[str, float]:
    """Return how often intervals of metrics at a threshold hold, and how wide they are."""
    shape, (n, size, b) = shapes()[name], design
    rows: dict[str, list[float]] = {}
    for sample in samples(name, design, draws, "thresholds"):
        for head in (0.05, 0.1, 0.3):
            ranking, beta = sample.ranking, np.array([b])
            place = int(np.searchsorted(ranking.rank, head * (n + size), "right")) - 1
            if not place:  # the best score alone is of more rows
                continue
            edge = float(ranking.threshold[place])
            tpr, fpr = (float(each.above(np.array([edge]))[0]) for each in shape[:2])
            positives, negatives = n + b * size, (1 - b) * size
            counts = positives * tpr, negatives * fpr, positives * (1 - tpr), negatives * (1 - fpr)
            for metric in ("precision", "f1", "informedness"):
                true = float(METRICS[metric](*map(np.asarray, counts)))
                for kind in ("plain", "monotone"):
                    asked = replace(ranking, monotone=kind == "monotone")
                    found = future_metric_at_threshold(
                        asked, beta, METRICS[metric], edge, Settings(LEVEL)
                    )
                    held = found.lower[0] - NEAR <= true <= found.upper[0] + NEAR
                    key = f"{kind}: {metric}, top {head:g}"
                    rows.setdefault(f"{key}: held", []).append(float(held))
                    width = float(found.upper[0] - found.lower[0])
                    rows.setdefault(f"{key}: width", []).append(width)
    return {key: float(np.mean(each)) for key, each in rows.items()}


def look_at_lists(name: str, design: Design, goal: Goal, draws: int) -> dict[str, float]:
    """Return how long lists are, how often there is one, and how often it keeps its word."""
    shape, (n, size, b) = shapes()[name], design
    found = [
        find_future_cutoff(sample.ranking, b, goal, LEVEL, True)
        for sample in samples(name, design, draws, f"lists {goal.name} {goal.value}")
    ]
    edge = np.array([each.threshold for each in found])
    value = _true_rate(goal.name, shape.positive.above(edge), shape.negative.above(edge), design)
    good = value <= goal.value + 1e-9 if goal.name == "fpr" else value >= goal.value - 1e-9
    rank = np.array([each.rank for each in found])
    x, tpr = true_curve(name, b)
    rates = _true_rate(goal.name, tpr, (x - b * tpr) / (1 - b), design)
    met = rates <= goal.value if goal.name == "fpr" else rates >= goal.value
    best = np.flatnonzero(met)
    cutoff = best[0 if goal.name == "recall" else -1] if best.size else 0
    return {
        "median rows": float(np.median(rank)),
        "mean rows": float(rank.mean()),
        "oracle's rows": float(n * tpr[cutoff] + size * x[cutoff]),
        "given": float((rank > 0).mean()),
        "kept": float((good | (rank == 0)).mean()),
    }


def _true_rate(name: str, tpr: FloatArray, fpr: FloatArray, design: Design) -> FloatArray:
    positives = (design.known + design.b * design.rest) * tpr
    negatives = (1 - design.b) * design.rest * fpr
    with np.errstate(invalid="ignore"):
        precision = positives / (positives + negatives)
    return {"precision": precision, "recall": tpr, "fpr": fpr}[name]


def look_at_estimates(name: str, design: Design, draws: int) -> dict[str, float]:
    """Return the errors of the monotone completion and of the unbiased estimates."""
    errors: dict[str, list[float]] = {}
    for sample in samples(name, design, draws, "estimates", "all"):
        true = _of_labels(*_steps(sample.ranking, sample), design)
        n = design.known
        beta = float(sample.truth[n:].mean())
        for kind, values in (
            ("monotone", _completed(sample.ranking, beta * design.rest, design)),
            ("unbiased", _unbiased(sample.ranking, beta)),
        ):
            for quantity in true:
                key = f"{kind}: RMSE of {quantity}"
                errors.setdefault(key, []).append((values[quantity] - true[quantity]) ** 2)
    return {key: float(np.sqrt(np.mean(each))) for key, each in errors.items()}


def _steps(ranking: Ranking, sample: Sample) -> tuple[FloatArray, FloatArray]:
    """Return the true positives of each step, and its examples."""
    step = np.searchsorted(-ranking.threshold, -sample.score)
    positives = np.bincount(step, sample.truth, ranking.rank.size)[1:]
    return positives.astype(np.float64), np.diff(ranking.rank).astype(np.float64)


def _completed(ranking: Ranking, m: float, design: Design) -> dict[str, float]:
    kinds = ranking.known_positive, ranking.known_negative, ranking.unlabeled
    known, negatives, unlabeled = (np.diff(kind) for kind in kinds)
    latent = monotone_hidden(known, negatives, unlabeled, m)
    return _of_labels(known + latent, np.diff(ranking.rank).astype(np.float64), design)


def _of_labels(positives: FloatArray, size: FloatArray, design: Design) -> dict[str, float]:
    """Return the values of a completed ranking."""
    negatives = size - positives
    tp, rank = np.cumsum(positives), np.cumsum(size)
    below = negatives.sum() - np.cumsum(negatives)
    auroc = positives @ (below + negatives / 2) / (positives.sum() * negatives.sum())
    return {
        "auroc": float(auroc),
        "average precision": float(positives @ (tp / rank) / tp[-1]),
        "precision at 50": float(np.interp(50, np.append(0, rank), np.append(0, tp)) / 50),
    }


def _unbiased(ranking: Ranking, beta: float) -> dict[str, float]:
    betas, rule = np.array([beta]), Settings(LEVEL)
    at = metric_at_cutoff(ranking, betas, METRICS["precision"], read_at(50), rule).value
    return {
        "auroc": float(estimate_auroc(ranking, betas, rule).value[0]),
        "average precision": float(estimate_ap(ranking, betas, rule).value[0]),
        "precision at 50": float(at[0]),
    }


# ---------------------------------------------------------------------------------------------
# All cells

BANDS = [Design(64, 2000), Design(64, 100_000), Design(200, 2000), Design(200, 2000, 0.05)]
POWER = [Design(64, 2000), Design(200, 2000), Design(1000, 10_000)]
ESTIMATES = [Design(20, 500, 0.3), Design(64, 505), Design(200, 2000, 0.1)]
Cell = tuple[str, str, Design, Callable[[int], dict[str, float]]]


def cells() -> Iterator[Cell]:
    """Return each question, shape and design, and how it is answered."""
    for name, shape in shapes().items():
        designs = BANDS if shape.monotone else POWER
        if shape.monotone and name not in (
            "normal, shift 2",
            "normal, shift 1",
            "normal, shift 3",
        ):
            designs = [BANDS[0], BANDS[2], BANDS[3]]
        for design in designs:
            yield "bands", name, design, lambda draws, a=name, b=design: look_at_bands(a, b, draws)  # type: ignore[misc]
        for design in ESTIMATES:
            if name != "5 scores":
                yield (
                    "estimates",
                    name,
                    design,
                    lambda draws, a=name, b=design: look_at_estimates(a, b, draws // 4 + 1),  # type: ignore[misc]
                )
        for design in [Design(64, 2000), Design(200, 2000, 0.1)] * shape.monotone:
            yield (
                "thresholds",
                name,
                design,
                lambda draws, a=name, b=design: look_at_thresholds(a, b, draws),  # type: ignore[misc]
            )
    for name, design, goal in sorted(GOALS):
        yield (
            f"{goal.name} {goal.value:g}",
            name,
            design,
            lambda draws, a=name, b=design, c=goal: look_at_lists(a, b, c, draws),  # type: ignore[misc]
        )


def main(arguments: list[str] | None = None) -> None:
    """Measure all cells."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path, default=TABLE)
    given = parser.parse_args(arguments)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    rows = _others(given.out, given.only)
    for question, name, design, look in cells():
        if not question.startswith(given.only):
            continue
        for measure, value in look(given.draws).items():
            monotone = shapes()[name].monotone
            row = Row(question, name, monotone, *design, measure, round(value, 4), given.draws)
            rows.append([*map(str, row)])
        with given.out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([Row._fields, *rows])


def _others(table: Path, only: str) -> list[list[str]]:
    """Return what was measured before of other questions."""
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return [row for row in list(csv.reader(file))[1:] if not row[0].startswith(only)]


if __name__ == "__main__":
    main()

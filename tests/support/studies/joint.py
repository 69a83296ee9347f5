"""Do intervals hold jointly with an estimated beta? ``python -m tests.support.studies.joint``.

Scores of many shapes are drawn, a simple random sample of the positives is known, and beta is
estimated from labels made by hand, from known negatives, or as a limit. Numbers with intervals are
asked with that estimate, and with the estimate taken as if it were exact. Prints the cells that
``docs/measured/joint.csv`` sums up.
"""

import argparse
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from pu_accessor.beta import Beta
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.errors import PUDataError, PUWarning
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.estimate_metric import estimate_metric
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.prior.estimators import estimate_prior
from pu_accessor.inference.settings import Settings
from pu_accessor.priors import beta_from_labels
from pu_accessor.ranking import FloatArray, Ranking
from tests.support.studies.shapes import CHOSEN, OTHERS, Draw, Shape, normal

SEED, LEVEL = 20261121, 0.95
TRUTH = 200_000  # scores of each kind that a true value is computed from
SLOW = ("AP, these",)  # asked with one source of beta alone
APART = {"perfect": Shape(normal(10)), "nearly perfect": Shape(normal(3.5))}
SHAPES: Mapping[str, Shape] = {**CHOSEN, **OTHERS, **APART}

Rng = np.random.Generator


class Design(NamedTuple):
    """A shape of scores, and how many examples of each kind there are."""

    shape: str
    known: int
    positives: int
    negatives: int
    labeled: int = 100  # by hand
    against: int = 100  # known negatives


class Drawn(NamedTuple):
    """One data set: without and with known negatives, and what is true of it."""

    plain: Ranking
    both: Ranking
    score: FloatArray
    truth: dict[str, float]
    beta: tuple[float, float]  # of the one and of the other
    by_hand: int  # positives among those labeled by hand


class Cell(NamedTuple):
    """How often an interval held the truth, and its mean width."""

    below: float  # share of draws with the truth below the interval
    above: float
    none: float  # without an interval: a miss, too
    width: float  # of the others

    @property
    def coverage(self) -> float:
        return 1 - self.below - self.above - self.none


def _ranking(score: FloatArray, known: int, against: int) -> Ranking:
    """Rank examples: the known positives come first, known negatives last."""
    positive = np.zeros(score.size, np.bool_)
    negative = np.zeros(score.size, np.bool_)
    positive[:known] = True
    if against:
        negative[-against:] = True
    return rank_examples(score, positive, negative, ranks="breakpoints")


def population(draw: Draw, prevalence: float, rank: float) -> dict[str, float]:
    """Return AUROC and average precision of new examples, and where the best lie."""
    rng = np.random.default_rng(SEED)
    good, bad = draw(rng, TRUTH, TRUTH)
    place = rankdata(np.concatenate([good, bad]))[:TRUTH]
    auroc = (place.mean() - (TRUTH + 1) / 2) / TRUTH
    good, bad = np.sort(good), np.sort(bad)
    tpr = 1 - np.searchsorted(good, good, "left") / TRUTH
    fpr = 1 - np.searchsorted(bad, good, "left") / TRUTH
    precision = prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr)
    every = np.concatenate([good, bad])
    weight = np.repeat([prevalence, 1 - prevalence], TRUTH)
    order = np.argsort(-every)
    last = int(np.searchsorted(np.cumsum(weight[order]) / TRUTH, rank))
    threshold = float(every[order[last]])
    high = (good >= threshold).mean() * prevalence
    share = high / (high + (bad >= threshold).mean() * (1 - prevalence))
    return {
        "AUROC, new": float(auroc),
        "AP, new": float(precision.mean()),
        "threshold": threshold,
        "precision, new": float(share),
    }


def draw(design: Design, fixed: dict[str, float], rng: Rng) -> Drawn:
    """Draw a data set."""
    positives, known = design.positives, design.known
    score = np.concatenate(SHAPES[design.shape].draw(rng, positives, design.negatives))
    size, unlabeled = score.size, score.size - known
    place = rankdata(-score)[:positives]
    auroc = 1 - (place.mean() - (positives + 1) / 2) / (size - positives)
    last = rankdata(-score, "max")[:positives]
    head = np.searchsorted(np.sort(last), last, "right")
    plain = _ranking(score, known, 0)
    cutoff = plain.at(np.array([_rank(design)]))
    threshold = cutoff.threshold[0]
    attained = int((score >= threshold).sum())
    truth = {
        **fixed,
        "AUROC, these": float(auroc),
        "AP, these": float((head / last).mean()),
        "precision, these": float((score[:positives] >= threshold).sum() / max(attained, 1)),
        "recall, these": float((score[:positives] >= threshold).mean()),
    }
    left = positives - known
    return Drawn(
        plain,
        _ranking(score, known, design.against),
        score,
        truth,
        (left / unlabeled, left / (unlabeled - design.against)),
        int(rng.hypergeometric(left, unlabeled - left, design.labeled)),
    )


def _rank(design: Design) -> int:
    return round(0.6 * design.positives)


def sources(design: Design) -> dict[str, Callable[[Drawn, float], tuple[Ranking, Beta]]]:
    """Return ways to get an estimate of beta at a level, and the ranking it is for."""

    def hand(method: str) -> Callable[[Drawn, float], tuple[Ranking, Beta]]:
        def source(drawn: Drawn, level: float) -> tuple[Ranking, Beta]:
            found = beta_from_labels(
                drawn.by_hand,
                design.labeled,
                drawn.plain.total.unlabeled,
                method=method,
                level=level,
            )
            beta, lower, upper = found[["beta", "lower", "upper"]].iloc[0].tolist()
            ends = min(lower, beta), max(upper, beta)
            return drawn.plain, Beta(np.array([beta]), ends, level)

        return source

    def estimated(method: str) -> Callable[[Drawn, float], tuple[Ranking, Beta]]:
        def source(drawn: Drawn, level: float) -> tuple[Ranking, Beta]:
            ranking = drawn.plain if method == "feasible" else drawn.both
            beta, lower, upper, *_ = estimate_prior(ranking, method, level)
            low, high = min(lower, beta), max(upper, beta)
            limits = {"feasible": "upper", "two_sided": "both"}.get(method, "none")
            return ranking, Beta(np.array([beta]), (low, high), level, limits)

        return source

    return {
        "by hand": hand("exact"),
        "by hand, hpd": hand("hpd"),
        "mean_matching": estimated("mean_matching"),
        "two_sided": estimated("two_sided"),
        "feasible": estimated("feasible"),
    }


Limits = tuple[float, float]
Question = Callable[[Ranking, Beta, float], Limits]


def ask(name: str, target: str, rank: int | None = None, *, at_cutoff: bool = False) -> Question:
    """Return a question for an area, or for a metric at a rank, or at a threshold."""

    def question(ranking: Ranking, beta: Beta, threshold: float) -> Limits:
        cutoff = Cutoff("rank", rank) if rank else Cutoff("threshold", threshold)
        at = cutoff if rank or at_cutoff else None
        found = estimate_metric(METRICS[name], ranking, beta, Settings(LEVEL), target, at)
        return float(found.lower[0]), float(found.upper[0])

    return question


def questions(design: Design) -> dict[str, Question]:
    """Return what is asked."""
    return {
        "AUROC, new": ask("auroc", "population"),
        "AUROC, these": ask("auroc", "examples"),
        "AP, new": ask("average_precision", "population"),
        "AP, these": ask("average_precision", "examples"),
        "precision, these": ask("precision", "examples", _rank(design)),
        "recall, these": ask("recall", "examples", _rank(design)),
        "precision, new": ask("precision", "population", at_cutoff=True),
    }


def simulate(
    design: Design, draws: int, ways: Sequence[str], only: Sequence[str], asked: Sequence[str]
) -> dict[tuple[str, str, str], Cell]:
    """Return how often intervals hold, by source of beta, question and way."""
    rng = np.random.default_rng([SEED, *design[1:], *design.shape.encode()])
    prevalence = design.positives / (design.positives + design.negatives)
    share = _rank(design) / (design.positives + design.negatives)
    fixed = population(SHAPES[design.shape].draw, prevalence, share)
    misses: dict[tuple[str, str, str], list[tuple[bool, bool, bool, float]]] = {}
    for _ in range(draws):
        drawn = draw(design, fixed, rng)
        for name, source in sources(design).items():
            if name not in only:
                continue
            ranking, beta = source(drawn, LEVEL)
            for way in ways:
                said = Beta(beta.values) if way == "as if exact" else beta
                for key, question in questions(design).items():
                    if (key in SLOW and name != "by hand") or key not in asked:
                        continue
                    try:
                        low, high = question(ranking, said, fixed["threshold"])
                    except PUDataError:  # nothing is negative at an estimate of 1
                        continue
                    truth, none = drawn.truth[key], bool(np.isnan(low + high))
                    miss = truth < low - 1e-9, truth > high + 1e-9, none, high - low
                    misses.setdefault((name, key, way), []).append(miss)
    return {
        key: Cell(*np.nanmean(np.array(rows, float), axis=0).tolist())
        for key, rows in misses.items()
    }


WAYS = ("approximate", "as if exact")
DESIGNS = (
    Design("normal, AUROC .80", 100, 400, 1600),
    Design("beta, skewed", 50, 500, 1500),
    Design("101 scores", 50, 300, 2700),
    Design("hard negatives", 50, 300, 1700, 50),
    Design("worse than chance, skewed", 50, 300, 1700),
    Design("normal, AUROC .96", 50, 120, 2880, 200),
    Design("exponential", 200, 400, 1600, 400),
    # Estimates are often too high for the ranking: of beta, and so of an area.
    Design("perfect", 200, 650, 300, 200),
    Design("nearly perfect", 200, 650, 300, 200),
    Design("perfect", 100, 300, 700),
)


def main() -> None:
    """Simulate, and print a table for each source of beta."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--sources", nargs="*", default=["by hand", "mean_matching", "feasible"])
    parser.add_argument("--questions", nargs="*", default=list(questions(DESIGNS[0])))
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=WAYS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", PUWarning)
    ways = options.ways
    print("| scores | beta | metric | " + " | ".join(f"{way}, width" for way in ways) + " |")
    print("|---|---|---|" + "---|" * len(ways))
    for design in DESIGNS:
        found = simulate(design, options.draws, ways, options.sources, options.questions)
        for source, key in dict.fromkeys((name, key) for name, key, _ in found):
            cells = [found.get((source, key, way)) for way in ways]
            told = " | ".join(f"{c.coverage:.3f} {c.width:.3f}" if c else "–" for c in cells)
            print(f"| {design.shape} | {source} | {key} | {told} |", flush=True)


if __name__ == "__main__":
    main()

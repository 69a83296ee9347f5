"""Do the intervals of practice hold what they promise?

Run ``python -m tests.support.studies.practice``.

Scores of the shapes of `shapes.py` are drawn, a simple random sample of the positives
is known, and the metrics that practice asks for get the true beta. Shapes on which nothing was
chosen say so. Prints the cells that ``docs/measured/practice.csv`` sums up: a name chooses one,
``--draws`` says how many populations are drawn for each row.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from pu_accessor.beta import Beta
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.comparison.pair_tests import GroupValue, estimate_gaps
from pu_accessor.inference.estimates.calibration import estimate_bin_shares
from pu_accessor.inference.estimates.cutoff_spec import read_at
from pu_accessor.inference.estimates.early_recognition import estimate_early_recognition
from pu_accessor.inference.estimates.estimate_metric import estimate_metric
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.metric_at_rate import metric_at_rate
from pu_accessor.inference.metrics import METRICS, bedroc
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, FloatArray, Ranking
from tests.support.studies.shapes import CHOSEN, OTHERS, Rng, Shape

SEED, LEVEL = 20261122, 0.95
MOST = 60_000  # examples
SHAPES: Mapping[str, Shape] = {**CHOSEN, **OTHERS}


class Sample(NamedTuple):
    """Scores, the truth, a ranking by what is known of it, and beta."""

    score: FloatArray
    truth: BoolArray
    ranking: Ranking
    beta: float


class Held(NamedTuple):
    """How often an interval held the truth, and its mean width."""

    below: float  # share of draws with the truth below the interval
    above: float
    width: float
    draws: int

    @property
    def coverage(self) -> float:
        return 1 - self.below - self.above

    @classmethod
    def of(cls, truth: FloatArray, lower: FloatArray, upper: FloatArray) -> "Held":
        """Hold intervals against the truth; one that is missing holds nothing."""
        below, above = truth < lower - 1e-9, ~(truth <= upper + 1e-9)
        width = float(np.nanmean(upper - lower))
        return cls(float(below.mean()), float(above.mean()), width, truth.size)


Found = list[tuple[float, float, float]]  # truth, lower, upper of each draw
# From a shape, a number of known positives, their share, draws and a generator to what each of
# some intervals found.
Study = Callable[[Shape, int, float, int, Rng], dict[str, Held]]


def samples(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> Iterator[Sample]:
    """Draw populations, and the known positives of each."""
    positives = max(round(known / share), known + 1)
    examples = min(round(positives / shape.prevalence), MOST)
    truth, label = np.arange(examples) < positives, np.arange(examples) < known
    for _ in range(draws):
        score = np.concatenate(shape.draw(rng, positives, examples - positives))
        yield Sample(score, truth, rank(score, label), (positives - known) / (examples - known))


def rank(score: FloatArray, label: BoolArray) -> Ranking:
    """Rank examples of which some are known to be positive."""
    return rank_examples(score, label, np.zeros(label.size, np.bool_))


def held(found: Mapping[str, Found]) -> dict[str, Held]:
    """Sum up what each interval found."""
    return {name: Held.of(*np.array(rows, np.float64).T) for name, rows in found.items() if rows}


GOALS = ({"recall": 0.95}, {"recall": 0.8}, {"fpr": 0.1}, {"precision": 0.5})


def at_points(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> dict[str, Held]:
    """Metrics at points of the true curve, of these examples."""
    found: dict[str, Found] = {}
    for one in samples(shape, known, share, draws, rng):
        whole = rank(one.score, one.truth)
        for goal, name in product(GOALS, ("precision", "recall")):
            asked = METRICS[name], read_at(goal), Settings(LEVEL), "examples"
            try:
                true = metric_at_rate(whole, np.zeros(1), *asked).value[0]
                got = metric_at_rate(one.ranking, np.array([one.beta]), *asked)
            except ValueError:  # a precision is reached by no cutoff
                continue
            ((kind, value),) = goal.items()
            if name != kind and np.isfinite(true):
                rows = found.setdefault(f"{name} at {kind} {value}", [])
                rows.append((true, got.lower[0], got.upper[0]))
    return held(found)


def enrichment(ranking: Ranking, betas: FloatArray, fraction: float) -> Estimates:
    """Return the enrichment factor of the top."""
    top = read_at({"fraction": fraction})
    return estimate_metric(METRICS["lift"], ranking, Beta(betas), Settings(LEVEL), "examples", top)


def early(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> dict[str, Held]:
    """BEDROC, and the enrichment factor of the top 1%, 5% and 20%."""
    found: dict[str, Found] = {}
    for one in samples(shape, known, share, draws, rng):
        betas, whole = np.array([one.beta]), rank(one.score, one.truth)
        for alpha in (5.0, 20.0, 100.0):
            got = estimate_early_recognition(
                bedroc(alpha), one.ranking, betas, Settings(LEVEL), "examples"
            )
            every = estimate_early_recognition(
                bedroc(alpha), whole, np.zeros(1), Settings(LEVEL), "examples"
            )
            rows = found.setdefault(f"BEDROC, alpha {alpha:g}", [])
            rows.append((every.value[0], got.lower[0], got.upper[0]))
        for fraction in (0.01, 0.05, 0.2):
            lift = enrichment(one.ranking, betas, fraction)
            truth = enrichment(whole, np.zeros(1), fraction).value[0]
            rows = found.setdefault(f"enrichment, top {fraction:.0%}", [])
            rows.append((truth, lift.lower[0], lift.upper[0]))
    return held(found)


def gaps(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> dict[str, Held]:
    """Gaps of recall and precision between a group of this shape and one of normal scores."""
    found: dict[str, Found] = {}
    other = SHAPES["normal, AUROC .80"]
    limit = Settings(LEVEL)
    truth = [
        np.concatenate([np.stack(one.draw(rng, 100_000, 100_000)) for _ in range(3)], axis=1)
        for one in (shape, other)
    ]
    place = float(np.median(truth[0][0]))
    at = read_at({"threshold": place})
    rates = [(both >= place).mean(axis=1) for both in truth]
    two = samples(shape, known, share, draws, rng), samples(other, 2 * known, share, draws, rng)
    for pair in zip(*two, strict=True):
        for name in ("recall", "precision"):
            for target in ("population", "examples"):
                groups, true = [], []
                for one, (tpr, fpr) in zip(pair, rates, strict=True):
                    prevalence = one.truth.mean()
                    if target == "population":
                        head = tpr * prevalence, fpr * (1 - prevalence)
                        # The known ones of new examples are drawn from these, not given.
                    else:
                        above = one.score >= place
                        head = (above & one.truth).mean(), (above & ~one.truth).mean()
                    whole = prevalence if name == "recall" else sum(head)
                    true.append(head[0] / whole if whole else np.nan)
                    beta = Beta(np.array([one.beta]))
                    value = estimate_metric(METRICS[name], one.ranking, beta, limit, target, at)
                    interval = value.value, value.lower, value.upper
                    groups.append(GroupValue(one.ranking.total.known_positive, *interval))
                gap = estimate_gaps(groups)
                row = true[0] - true[1], gap.lower[0, 0], gap.upper[0, 0]
                if not np.isnan(row).any():
                    found.setdefault(f"gap of {name}, {target}", []).append(row)
    return held(found)


def probabilities(score: FloatArray) -> FloatArray:
    """Return scores as probabilities, in their order."""
    odds: FloatArray = 1 / (1 + np.exp(-np.clip(score, -30, 30) + 1))
    return odds


def net_benefits(
    ranking: Ranking, beta: Beta, thresholds: FloatArray, rule: Settings
) -> FloatArray:
    """Return the lower limit, the estimate and the upper limit at each threshold."""
    entry, each = METRICS["net_benefit"], []
    for threshold in thresholds.tolist():
        found = estimate_metric(
            entry, ranking, beta, rule, "examples", read_at({"threshold": threshold})
        )
        each.append([found.lower[0], found.value[0], found.upper[0]])
    return np.array(each)


def reliable(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> dict[str, Held]:
    """Shares of positives in ten bins, and net benefit: at each, and everywhere at once.

    What holds everywhere at once is 1 where it does, held against limits of 1.
    """
    found: dict[str, Found] = {}
    edges, thresholds = np.arange(11) / 10, np.arange(1, 20) / 20
    for one in samples(shape, known, share, draws, rng):
        score, betas = probabilities(one.score), np.array([one.beta])
        few, whole = (rank(score, some) for some in (np.arange(score.size) < known, one.truth))
        for band in ("exact", "simultaneous"):
            rule = Settings(LEVEL, band)
            bins, every = (
                estimate_bin_shares(some, b, edges, rule).value[..., 0]
                for some, b in ((few, betas), (whole, np.zeros(1)))
            )
            worth, best = (
                net_benefits(some, Beta(b), thresholds, rule)
                for some, b in ((few, betas), (whole, np.zeros(1)))
            )
            for what, limits, truth in (("bins", bins, every), ("net benefit", worth, best)):
                there = ~np.isnan(limits[:, 1])
                rows = np.stack([truth[there, 1], limits[there, 0], limits[there, 2]], axis=1)
                if band == "exact":
                    place = rng.integers(len(rows))
                    found.setdefault(f"{what}, each", []).append(tuple(rows[place].tolist()))
                low, high = rows[:, 0] >= rows[:, 1] - 1e-9, rows[:, 0] <= rows[:, 2] + 1e-9
                held_at_all = float((low & high).all())
                width = float((rows[:, 2] - rows[:, 1]).mean())
                if band == "simultaneous":
                    jointly = (held_at_all, 1.0, 1.0 + width)
                    found.setdefault(f"{what}, jointly", []).append(jointly)
    return held(found)


STUDIES: Mapping[str, tuple[Study, Sequence[tuple[int, float]]]] = {
    "points": (at_points, [(10, 0.5), (50, 0.1), (50, 0.5)]),
    "early": (early, [(5, 0.1), (10, 0.5), (20, 0.1), (50, 0.9)]),
    "reliable": (reliable, [(5, 0.1), (10, 0.5), (50, 0.1), (50, 0.9)]),
    "gap": (gaps, [(5, 0.1), (10, 0.5), (50, 0.1)]),
}


def run(name: str, shape: str, known: int, share: float, draws: int) -> dict[str, Held]:
    """Simulate a row."""
    study, _ = STUDIES[name]
    words: list[int] = [SEED, known, round(1000 * share), *f"{name} {shape}".encode()]
    return study(SHAPES[shape], known, share, draws, np.random.default_rng(words))


def main() -> None:
    """Simulate, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*STUDIES, []], default=[*STUDIES])
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    for name in options.names:
        print("| interval | known | shape | truth below | truth above | coverage | width |")
        print("|---|---|---|---|---|---|---|")
        for known, share in STUDIES[name][1]:
            for shape in SHAPES:
                if known / share / SHAPES[shape].prevalence > MOST:
                    continue
                new = " (not chosen on)" if shape in OTHERS else ""
                for what, cell in run(name, shape, known, share, options.draws).items():
                    shown = " | ".join(f"{x:.3f}" for x in (cell.below, cell.above, cell.coverage))
                    print(
                        f"| {what} | {known} of {round(known / share)} | {shape}{new} | {shown} | "
                        f"{cell.width:.3f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()

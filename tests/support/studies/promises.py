"""Do promises hold where they once fell short? ``python -m tests.support.studies.promises``.

The tightest kind where known positives and negatives say as much, areas between bounding curves of
rankings that are nearly perfect, partial AUROC where many are positive, and weights that are worth
few examples: coverage in each cell, and how often a warning is raised. Writes
``build/measured/shapes_*.csv``.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.inference.diagnostics import diagnose
from pu_accessor.inference.estimates.areas_on_this_sample import estimate_ap, estimate_auroc
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import make_tables
from pu_accessor.inference.tables.curves import area
from pu_accessor.questions.evaluation import _MIN_EFFECTIVE_SIZE
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking
from tests.support.studies.coverage import rank_quickly
from tests.support.studies.tables import write_table
from tests.support.studies.weighted import Cell, probabilities

SEED, LEVEL, MAX = 20261122, 0.95, 0.1
Rng: TypeAlias = np.random.Generator


class Held(NamedTuple):
    """Whether a draw was covered, None without an interval, and whether a warning was raised."""

    covered: bool | None
    warned: bool = False


Draws: TypeAlias = Callable[[Rng], Mapping[str, Held]]


def draw(rng: Rng, positives: int, negatives: int, mean: float) -> tuple[FloatArray, BoolArray]:
    """Draw scores, the positives N(mean, 1) first."""
    truth = np.arange(positives + negatives) < positives
    return rng.normal(mean * truth), truth


def rank_all(score: FloatArray, truth: BoolArray, known: BoolArray) -> tuple[Ranking, IntArray]:
    """Return a ranking at all cutoffs, and the latent positives in each head."""
    order = np.argsort(-score, kind="stable")
    kinds = known & truth, known & ~truth, ~known, truth & ~known
    above = [np.append(0, np.cumsum(kind[order])).astype(np.int64) for kind in kinds]
    positive, negative, unlabeled, latent = above
    total = Counts(int(positive[-1]), int(negative[-1]), int(unlabeled[-1]))
    rank = np.arange(truth.size + 1)
    return Ranking(rank, -rank.astype(float), positive, negative, unlabeled, total), latent


# ---------------------------------------------------------------------------------------------
# The tightest kind


def tightest(positives: int, negatives: int, share: float, other: float, mean: float) -> Draws:
    """Whole curves of the simultaneous band, and each cutoff of the exact one."""

    def simulate(rng: Rng) -> dict[str, Held]:
        score, truth = draw(rng, positives, negatives, mean)
        known = np.zeros(truth.size, bool)
        known[rng.choice(positives, round(share * positives), replace=False)] = True
        known[positives + rng.choice(negatives, round(other * negatives), replace=False)] = True
        ranking, latent = rank_all(score, truth, known)
        beta = np.array([latent[-1] / ranking.total.unlabeled])
        place = int(rng.integers(1, latent.size - 1))
        found = {}
        for band, reference in product(("simultaneous", "exact"), ("tightest", "positives")):
            tables = make_tables(ranking, beta, Settings(LEVEL, band, reference))
            low, _, high = (tables.tp[..., 0] - ranking.known_positive[:, np.newaxis]).T
            inside = (low <= latent) & (latent <= high)
            held = inside.all() if band == "simultaneous" else inside[place]
            found[f"{'curve' if band == 'simultaneous' else 'cutoff'}, {reference}"] = Held(held)
        return found

    return simulate


TIGHTEST = {
    f"{p} + {q}, {100 * s:.0f}% and {100 * o:.0f}% known, mean {mean:g}": tightest(
        p, q, s, o, mean
    )
    for (p, q), (s, o), mean in product(
        [(500, 500)], [(0.1, 0.1), (0.4, 0.4), (0.2, 0.4)], [0.0, 0.15, 1.0]
    )
} | {"300 + 1500, 40% and 10% known, mean 0.5": tightest(300, 1500, 0.4, 0.1, 0.5)}


# ---------------------------------------------------------------------------------------------
# Areas


def between(known: int, mean: float, prevalence: float = 0.1) -> Draws:
    """AUROC between bounding curves; half of the positives are known."""

    def simulate(rng: Rng) -> dict[str, Held]:
        count = 2 * known
        score, positive = draw(rng, count, round(count / prevalence) - count, mean)
        chosen = np.zeros(score.size, bool)
        chosen[rng.choice(count, known, replace=False)] = True
        rank = np.flatnonzero(np.argsort(-score) < count) + 1
        truth = 1 - (rank.mean() - (count + 1) / 2) / (score.size - count)
        ranking, _ = rank_all(score, positive, chosen)
        beta, found = np.array([known / (score.size - known)]), {}
        for band in ("exact", "simultaneous"):
            counts = make_tables(ranking, beta, Settings(LEVEL, band)).table
            low, _, high = area("roc", *(np.moveaxis(count, 0, -1) for count in counts))[:, 0]
            found[f"between {band}"] = Held(bool(low - 1e-9 <= truth <= high + 1e-9))
        limits = estimate_auroc(ranking, beta, Settings(LEVEL))
        found["auroc"] = Held(bool(limits.lower[0] - 1e-9 <= truth <= limits.upper[0] + 1e-9))
        return found

    return simulate


BETWEEN = {
    f"{'perfect' if mean > 9 else f'mean {mean:g}'}, n = {n}": between(n, mean)
    for mean, n in product([99.0, 3.0, 1.2], [20, 200, 1000])
}


def partial(prevalence: float, known: int, share: float, mean: float) -> Draws:
    """AUROC up to a false positive rate of .1."""

    def simulate(rng: Rng) -> dict[str, Held]:
        count = round(known / share)
        size = round(count / prevalence)
        score, _ = draw(rng, count, size - count, mean)
        rank = np.flatnonzero(np.argsort(-score) < count) + 1
        false = rank - np.arange(1, count + 1)
        height = np.maximum(MAX * (size - count) - false, 0).sum() / count / (size - count)
        truth = (1 + (height - MAX**2 / 2) / (MAX - MAX**2 / 2)) / 2
        ranking = rank_quickly(np.sort(rng.choice(rank, known, replace=False)), size)
        beta = np.array([(count - known) / (size - known)])
        found = estimate_auroc(ranking, beta, Settings(LEVEL), max_fpr=MAX)
        held = bool(found.lower[0] - 1e-9 <= truth <= found.upper[0] + 1e-9)
        beyond = not 0 <= found.value[0] <= 1  # NaN, too: it is said
        beyond |= bool(diagnose(ranking, LEVEL).beyond(beta).size)
        return {"partial AUROC": Held(None if np.isnan(found.lower[0]) else held, beyond)}

    return simulate


PARTIAL = {
    f"prevalence {p:g}, n = {n} ({100 * s:.0f}%), mean {mean:g}": partial(p, n, s, mean)
    for p, (n, s), mean in product(
        [0.1, 0.3, 0.5, 0.7, 0.9], [(10, 0.1), (50, 0.1), (50, 0.5), (200, 0.5)], [1.2, 3.0]
    )
}


# ---------------------------------------------------------------------------------------------
# Weights


def weighted(cell: Cell, strata: tuple[float, ...] | None = None) -> Draws:
    """AUROC and average precision with propensities, of strata or of odds that rise or fall."""

    def simulate(rng: Rng) -> dict[str, Held]:
        count = cell.positives
        score, _ = draw(rng, count, cell.examples - count, cell.mean)
        order = np.argsort(-score)
        rank, best = np.flatnonzero(order < count) + 1, np.sort(score[:count])[::-1]
        if strata:
            near = best + 0.7 * rng.standard_normal(count)
            edges = np.quantile(near, np.arange(1, len(strata)) / len(strata))
            chance = np.array(strata)[np.searchsorted(edges, near)]
        else:
            chance = probabilities(cell, best, rng)
        labeled = rng.random(count) < chance
        known = int(labeled.sum())
        if known < 3:
            return {}
        ranking = rank_quickly(rank[labeled], cell.examples)
        ranking = replace(ranking, inverse_propensity=1 / chance[labeled])
        beta = np.array([(count - known) / (cell.examples - known)])
        few = diagnose(ranking, LEVEL).n_effective < _MIN_EFFECTIVE_SIZE
        truths = {
            "AUROC": 1 - (rank.mean() - (count + 1) / 2) / (cell.examples - count),
            "AP": float(np.mean(np.arange(1, count + 1) / rank)),
        }
        found = {}
        for name, ask in (("AUROC", estimate_auroc), ("AP", estimate_ap)):
            limits, truth = ask(ranking, beta, Settings(LEVEL)), truths[name]
            held = bool(limits.lower[0] <= truth <= limits.upper[0])
            warned = bool(few) or not 0 <= limits.value[0] <= 1
            found[name] = Held(None if np.isnan(limits.lower[0]) else held, warned)
        return found

    return simulate


_STRATA = (0.05, 0.2, 0.6)
WEIGHTED = {
    f"strata {way}, {p} of {size}, mean {mean:g}": weighted(
        Cell("strata", 1.0, p, 0, size, mean), _STRATA[:: 1 if way == "rising" else -1]
    )
    for (p, size, mean), way in product(
        [(200, 1500, 1.0), (200, 1500, 2.0), (150, 3000, 1.0)], ["rising", "falling"]
    )
} | {
    f"odds {way} {ratio:g}, n = {n}, mean {mean:g}": weighted(
        Cell(way, ratio, 1000, n, size, mean)
    )
    for (way, ratio), (n, size, mean) in product(
        [
            ("rising", 5.0),
            ("falling", 2.0),
            ("falling", 3.0),
            ("falling", 5.0),
            ("independent", 3.0),
        ],
        [(50, 6000, 1.0), (200, 6000, 1.0), (200, 11000, 2.0)],
    )
}
PARTS: Mapping[str, Mapping[str, Draws]] = {
    "tightest": TIGHTEST,
    "between_curves": BETWEEN,
    "partial_auroc": PARTIAL,
    "propensities": WEIGHTED,
}


def look(name: str, simulate: Draws, draws: int) -> dict[str, tuple[float, float]]:
    """Return coverage of each method, where there is an interval, and the share of warnings."""
    rng = np.random.default_rng([SEED, *name.encode()])
    found: dict[str, list[Held]] = {}
    for _ in range(draws):
        for method, held in simulate(rng).items():
            found.setdefault(method, []).append(held)
    cells = {}
    for method, some in found.items():
        there = [held.covered for held in some if held.covered is not None]
        warned = float(np.mean([held.warned for held in some]))
        cells[method] = float(np.mean(there)) if there else np.nan, warned
    return cells


def table(cells: Mapping[str, Draws], draws: int) -> Iterator[list[str]]:
    """Return the head of a table, and a row for each cell."""
    for place, (name, simulate) in enumerate(cells.items()):
        found = look(name, simulate, draws)
        if not place:
            yield ["cell", *(told for method in found for told in (method, f"{method}, warned"))]
        yield [name, *(told for c, w in found.values() for told in (f"{c:.3f}", f"{w:.2f}"))]


def main() -> None:
    """Simulate, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    options = parser.parse_args()
    warnings.simplefilter("error")
    for part in options.parts:
        head, *body = table(PARTS[part], options.draws)
        write_table(f"shapes_{part}", head, body)


if __name__ == "__main__":
    main()

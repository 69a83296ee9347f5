"""Do bounds hold where labels are not random? ``python -m tests.support.studies.selection``.

Positives are labeled with odds that differ by a factor, in many ways that make the most of it. The
bounds are asked for labels at random, and within the factor; beyond it, how much is lost. Prints
the cells that ``docs/measured/selection.csv`` sums up.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy import integrate, optimize, special, stats

from pu_accessor.beta import Beta
from pu_accessor.inference.bands.exact import Bounds
from pu_accessor.inference.bands.lookup import latent_bounds_of_many
from pu_accessor.inference.comparison.paired_models import compare_paired
from pu_accessor.inference.comparison.worst_case_labels import compare_worst_case
from pu_accessor.inference.estimates.estimate_metric import estimate_metric
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, PairedRanks, Ranking
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.label_states import Labels
from pu_accessor.sources.pairs import pair_scores
from tests.support.oracles import selection_oracle as oracle

SEED, LEVEL = 20261121, 0.95
WHAT = ("within", "at 1", "width")

# From the share of the positives that rank below one to the exponent of its odds, from 0 to 1.
Selection = Callable[[FloatArray, np.random.Generator], FloatArray]


def _step(at: float, *, rising: bool = True) -> Selection:
    return lambda u, _: ((u > at) == rising).astype(np.float64)


SELECTIONS: Mapping[str, Selection] = MappingProxyType(
    {
        "top half more": _step(0.5),
        "top half less": _step(0.5, rising=False),
        "top tenth more": _step(0.9),
        "top tenth less": _step(0.9, rising=False),
        "bottom tenth less": _step(0.1),
        "bottom tenth more": _step(0.1, rising=False),
        "rising": lambda u, _: u,
        "falling": lambda u, _: 1 - u,
        "rising late": lambda u, _: special.expit(20 * (u - 0.7)),
        "falling early": lambda u, _: special.expit(-20 * (u - 0.3)),
        "both ends more": lambda u, _: np.abs(2 * u - 1),
        "middle more": lambda u, _: 1 - np.abs(2 * u - 1),
        "waves": lambda u, _: (1 + np.sin(6 * np.pi * u)) / 2,
        "whatever the score": lambda u, rng: (rng.random(u.size) < 0.5).astype(np.float64),
    }
)


class Cell(NamedTuple):
    """A setting: `odds` are those of the labels, `asked` those that bounds are asked for."""

    selection: str
    odds: float
    asked: float
    positives: int = 300
    known: int = 60  # expected
    negatives: int = 1200
    mean: float = 1.0  # of the scores of positives

    def rng(self) -> np.random.Generator:
        """Return what the draws of this cell start from, whatever else is simulated."""
        words = [SEED, round(100 * self.odds), self.positives, self.known]
        return np.random.default_rng([*words, *self.selection.encode()])


def draw_labels(cell: Cell, place: FloatArray, rng: np.random.Generator) -> BoolArray:
    """Label positives, given the share of all positives that rank below each; True where known."""
    odds = cell.odds ** SELECTIONS[cell.selection](place, rng)

    def expected(shift: float) -> float:
        return float(special.expit(np.log(odds) + shift).sum()) - cell.known

    shift = optimize.brentq(expected, -30, 30)
    labeled: BoolArray = rng.random(place.size) < special.expit(np.log(odds) + shift)
    return labeled


@lru_cache(maxsize=4096)
def table(band: str, n: int, m: int, odds: float) -> Bounds:
    """Return a band's lookup table."""
    lower, upper = latent_bounds_of_many(band, n, (m,), LEVEL, odds)
    return lower[0], upper[0]


def band_coverage(cell: Cell, draws: int) -> dict[str, float]:
    """Return how often bands hold: "exact" at the worst cutoff, "simultaneous" at all."""
    rng, count = cell.rng(), cell.positives
    place = 1 - (np.arange(count) + 0.5) / count
    inside, whole = np.zeros(count + 1), 0
    for _ in range(draws):
        labeled = draw_labels(cell, place, rng)
        known = np.concatenate([[0], np.cumsum(labeled)]).astype(np.int64)
        latent, n = np.arange(count + 1) - known, int(known[-1])
        lower, upper = table("exact", n, count - n, cell.asked)
        inside += (lower[known] <= latent) & (latent <= upper[known])
        lower, upper = table("simultaneous", n, count - n, cell.asked)
        whole += bool(((lower[known] <= latent) & (latent <= upper[known])).all())
    return {"exact": float(inside.min()) / draws, "simultaneous": whole / draws}


def worst_coverage(n: int, m: int, odds: float, asked: float) -> float:
    """Return the coverage of the exact band at the worst cutoff for the worst selection there."""
    lower, upper = table("exact", n, m, asked)
    worst = 1.0
    for size in range(1, n + m):
        known = np.arange(max(size - m, 0), min(n, size) + 1)
        there = (lower[known] <= size - known) & (size - known <= upper[known])
        for factor in (odds, 1 / odds):
            chance = stats.nchypergeom_fisher.pmf(known, n + m, n, size, factor)
            worst = min(worst, float(chance[there].sum()))
    return worst


def report_worst(factors: Sequence[float]) -> None:
    """Print the table of the exact band within and outside its factor."""
    every = [1.0, *factors]
    _line(["labels", *(f"asked within {asked:g}" for asked in every)])
    _line(["---", *["---:"] * len(every)])
    for odds in every:
        _line([f"{odds:g}", *(f"{worst_coverage(60, 240, odds, asked):.3f}" for asked in every)])


def report_integers(factors: Sequence[float]) -> None:
    """Hold the exact band against rational arithmetic, for all n and m up to 12."""
    for odds in factors:
        differ = 0
        for n in range(1, 13):
            for m in range(13):
                found = tuple(side.tolist() for side in table("exact", n, m, odds))
                differ += found != oracle.band(n, m, Fraction(95, 100), Fraction(str(odds)))
        print(f"{differ} of 156 bands within {odds:g} differ from rational arithmetic", flush=True)


def rank(score: FloatArray, labeled: BoolArray) -> Ranking:
    """Rank examples; the first ones are positives, of which some are known."""
    order = np.argsort(-score, kind="stable")
    is_known = np.zeros(score.size, np.int64)
    is_known[: labeled.size] = labeled
    known = np.concatenate([[0], np.cumsum(is_known[order])])
    place = np.arange(score.size + 1)
    total = Counts(int(known[-1]), 0, int(score.size - known[-1]))
    return Ranking(place, -place.astype(float), known, 0 * known, place - known, total)


def true_areas(score: FloatArray, positives: int) -> dict[str, float]:
    """Return AUROC and average precision of these examples."""
    place = np.flatnonzero(np.argsort(-score, kind="stable") < positives) + 1
    auroc = 1 - (place.mean() - (positives + 1) / 2) / (score.size - positives)
    return {"roc": float(auroc), "pr": float(np.mean(np.arange(1, positives + 1) / place))}


def areas_on_new(cell: Cell) -> dict[str, float]:
    """Return AUROC and average precision of the classifier."""
    p, q = cell.positives, cell.negatives

    def precision(share: float) -> float:
        at = cell.mean - special.ndtri(share)  # the cutoff with that recall
        return float(p * share / (p * share + q * special.ndtr(-at)))

    area = integrate.quad(precision, 0, 1, limit=200)[0]
    return {"roc": float(special.ndtr(cell.mean / 2**0.5)), "pr": float(area)}


AREAS = MappingProxyType({"roc": METRICS["auroc"], "pr": METRICS["average_precision"]})


def area_coverage(cell: Cell, draws: int, curve: str, target: str) -> tuple[float, float, float]:
    """Return how often intervals within the factor and at random held, and the first's width."""
    rng, count = cell.rng(), cell.positives
    of_new, held, width = areas_on_new(cell), np.zeros(2), 0.0
    for _ in range(draws):
        score = rng.standard_normal(count + cell.negatives)
        score[:count] += cell.mean
        labeled = draw_labels(cell, special.ndtr(score[:count] - cell.mean), rng)
        ranking = rank(score, labeled)
        beta = Beta(np.array([(count - ranking.total.known_positive) / ranking.total.unlabeled]))
        truth = (of_new if target == "population" else true_areas(score, count))[curve]
        within, at_random = (
            estimate_metric(AREAS[curve], ranking, beta, settings, target, None)
            for settings in (Settings(LEVEL, selection_odds=cell.asked), Settings(LEVEL))
        )
        held += [_holds(each, truth) for each in (within, at_random)]
        width += float(within.upper[0] - within.lower[0])
    return float(held[0]) / draws, float(held[1]) / draws, width / draws


def pair_coverage(cell: Cell, draws: int, target: str) -> tuple[float, float, float]:
    """Return how often the interval of a difference held, as `area_coverage` does.

    The odds go with how far the first model ranks a positive above the second.
    """
    rng, count, size = cell.rng(), cell.positives, cell.positives + cell.negatives
    of_new = float(special.ndtr(cell.mean / 2**0.5) - special.ndtr(0.7 * cell.mean / 2**0.5))
    held, width, is_positive = np.zeros(2), 0.0, np.arange(size) < count
    for _ in range(draws):
        shared = rng.standard_normal(size)
        apart = rng.standard_normal((2, size))
        scores = (shared + apart) / 2**0.5 + np.outer([1.0, 0.7], cell.mean * is_positive)
        ahead = (apart[0] - apart[1])[:count] / 2**0.5
        labeled = draw_labels(cell, special.ndtr(ahead), rng)
        known = np.flatnonzero(labeled)
        paired = _pair(scores, known)
        betas = np.array([(count - known.size) / (size - known.size)])
        areas = [true_areas(score, count)["roc"] for score in scores]
        truth = of_new if target == "population" else areas[0] - areas[1]
        within = compare_worst_case(paired, betas, LEVEL, target, odds=cell.asked)
        at_random = compare_paired(paired, betas, LEVEL, target)
        held += [bool(x.lower[0, 0] <= truth <= x.upper[0, 0]) for x in (within, at_random)]
        width += float(within.upper[0, 0] - within.lower[0, 0])
    return float(held[0]) / draws, float(held[1]) / draws, width / draws


def _pair(scores: FloatArray, known: IntArray) -> PairedRanks:
    """Return what two models make of the same examples."""
    labels = Labels(
        np.isin(np.arange(scores.shape[1]), known), np.zeros(scores.shape[1], np.bool_)
    )
    return pair_scores(("model",), ("a", "b"), scores, labels, Terms())


def _holds(found: Estimates, truth: float) -> bool:
    return bool(found.lower[0] <= truth <= found.upper[0])


def _line(cells: Iterable[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def report_bands(factors: Sequence[float], draws: int) -> None:
    """Print the table of the bands."""
    head = ["selection"]
    for odds in factors:
        head += [f"exact, {odds:g}", f"at 1, {odds:g}", f"all, {odds:g}", f"all at 1, {odds:g}"]
    _line(head)
    _line(["---", *["---:"] * (len(head) - 1)])
    for name in SELECTIONS:
        line = [name]
        for odds in factors:
            each = [band_coverage(Cell(name, odds, asked), draws) for asked in (odds, 1.0)]
            found = [some[band] for band in ("exact", "simultaneous") for some in each]
            line += [f"{value:.3f}" for value in found]
        _line(line)


def report_pairs(target: str, factors: Sequence[float], draws: int) -> None:
    """Print the table of the difference of two models."""
    _line([f"difference, {target}", *(f"{what}, {odds:g}" for odds in factors for what in WHAT)])
    _line(["---", *["---:"] * (len(WHAT) * len(factors))])
    for name in SELECTIONS:
        found = [pair_coverage(Cell(name, odds, odds), draws, target) for odds in factors]
        _line([name, *(f"{value:.3f}" for some in found for value in some)])


def report_areas(curve: str, target: str, factors: Sequence[float], draws: int) -> None:
    """Print the table of an area."""
    _line([f"{curve}, {target}", *(f"{what}, {odds:g}" for odds in factors for what in WHAT)])
    _line(["---", *["---:"] * (len(WHAT) * len(factors))])
    for name in SELECTIONS:
        found = [area_coverage(Cell(name, odds, odds), draws, curve, target) for odds in factors]
        _line([name, *(f"{value:.3f}" for some in found for value in some)])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=1000, help="of each selection")
    parser.add_argument("--factors", type=float, nargs="+", default=[1.5, 3.0])
    parser.add_argument(
        "--of", nargs="+", default=["worst", "integers", "bands", "pairs", "roc", "pr"]
    )
    parser.add_argument("--targets", nargs="+", default=["population", "examples"])
    asked = parser.parse_args(arguments)
    if "worst" in asked.of:
        report_worst(asked.factors)
    if "integers" in asked.of:
        report_integers(asked.factors)
    if "bands" in asked.of:
        report_bands(asked.factors, asked.draws)
    for target in asked.targets if "pairs" in asked.of else ():
        report_pairs(target, asked.factors, asked.draws)
    for curve in ("roc", "pr"):
        for target in asked.targets if curve in asked.of else ():
            report_areas(curve, target, asked.factors, asked.draws)


if __name__ == "__main__":
    main()

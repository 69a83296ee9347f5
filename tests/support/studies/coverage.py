"""How often do bands, areas and metrics hold the truth?

Run ``python -m tests.support.studies.coverage``.

Run from the root of the project. Scores are drawn, labels are hidden, and everything that has a
level is asked for its interval at the true beta. Writes ``docs/measured/bands.csv``, four other
tables to ``build/measured``, and the picture ``docs/images/coverage.png``.

No frames are sorted: a population is ranked once, its labelings are counted at their breakpoints,
and the private functions behind the public methods answer. The first labeling of each cell goes
through the public methods, too, and scikit-learn: they must agree.
"""

import argparse
import json
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import gammaln

from pu_accessor import PUWarning
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.bands.lookup import latent_bounds
from pu_accessor.inference.bands.simultaneous import narrow_bounds, narrowed_bends
from pu_accessor.inference.estimates.areas_on_this_sample import estimate_ap, estimate_auroc
from pu_accessor.inference.estimates.cutoff_spec import At, read_at
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.metric_at_cutoff import metric_at_cutoff
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables import contingency
from pu_accessor.inference.tables import latent_bounds as heads
from pu_accessor.inference.tables.curves import area as area_under
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking
from tests.support.studies.tables import write_table

Table: TypeAlias = tuple[list[str], list[list[str]]]
SEED = 150406837
LEVEL = 0.95
MAX_FPR = 0.1
LABELINGS = 10  # of each population; metrics are asked in the first few, ranges may be, too
METRIC_LABELINGS = 4
MOST_EXAMPLES, MOST_FOR_METRICS, MOST_FOR_RANGES = 200_000, 20_000, 200
LEVELS = 20  # of rounded scores
NEGATIVES_KNOWN = 0.2

KNOWN = (5, 10, 20, 50, 100, 200, 500, 1000, 2000)
SHARES = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9)
BANDS = ("exact", "simultaneous", "bootstrap", "dkw")
RANGES = ("exact", "simultaneous", "bootstrap")
_JOINT = (2, 3)  # the places of the simultaneous limits
SHAPES = {"equal": 1.0, "narrow": 0.5, "wide": 2.0}  # deviation of the positives
PARTIAL = "partial auroc"
CUTOFFS = ("rank", "recall", "fpr", "youden")


class Cell(NamedTuple):
    """A setting of the simulation."""

    known: int
    share: float
    prevalence: float = 0.1
    shape: str = "equal"
    side: str = ""  # "", "ties" or "negatives"

    @property
    def positives(self) -> int:
        return max(round(self.known / self.share), self.known + 1)

    @property
    def examples(self) -> int:
        return round(self.positives / self.prevalence)

    def seed(self) -> np.random.SeedSequence:
        """Return what the draws of this cell start from, whatever else is simulated."""
        words = [round(1000 * self.share), round(1000 * self.prevalence), *self.side.encode()]
        return np.random.SeedSequence([SEED, self.known, *words, *self.shape.encode()])


class Row(NamedTuple):
    """How often the intervals of a method held the truth in a cell."""

    known: int
    share: float
    prevalence: float
    shape: str
    side: str
    method: str
    coverage: float
    error: float  # of the simulation
    below: float  # share of draws with the truth below the interval
    above: float
    width: float


class BandRow(NamedTuple):
    """How often a band held the latent positives."""

    known: int
    share: float
    band: str
    worst: float  # coverage at the worst cutoff, exact
    mean: float  # over cutoffs, exact
    curve: float  # of all cutoffs at once, simulated
    error: float
    width: float  # share of the latent positives, mean over cutoffs


class Results(NamedTuple):
    """All that was simulated."""

    draws: int
    rows: list[Row]
    bands: list[BandRow]

    @classmethod
    def read(cls, path: Path) -> "Results":
        """Read what `write` wrote."""
        draws, rows, bands = json.loads(path.read_text())
        return cls(draws, [Row(*row) for row in rows], [BandRow(*band) for band in bands])

    def write(self, path: Path) -> None:
        """Write numbers, not tables, to look at them again."""
        path.write_text(json.dumps(self))


class Population(NamedTuple):
    """Examples from the best score down, and what nobody would know."""

    score: FloatArray
    positive: BoolArray
    places: IntArray  # ranks of the positives, from 1
    truth: Mapping[str, float]


class Labeling(NamedTuple):
    """A random sample of the positives, and perhaps of the negatives."""

    known: IntArray  # places, ascending
    negative: IntArray
    ranking: Ranking  # at the breakpoints
    beta: float
    latent: int


class Answer(NamedTuple):
    """An interval, and the truth that it should hold."""

    method: str
    lower: float
    truth: float
    upper: float


def main_grid() -> list[Cell]:
    """Return the cells that vary known positives, their share and shapes."""
    cells = [Cell(n, share, shape=shape) for n in KNOWN for share in SHARES for shape in SHAPES]
    return [cell for cell in cells if cell.examples <= MOST_EXAMPLES]


def side_grid() -> list[Cell]:
    """Return the cells that vary one factor more."""
    cells = []
    for n in (20, 50, 100, 500):
        for share in (0.1, 0.5, 0.9):
            cells += [Cell(n, share, prevalence=prevalence) for prevalence in (0.01, 0.5)]
            cells += [Cell(n, share, side=side) for side in ("ties", "negatives")]
    return [cell for cell in cells if cell.examples <= MOST_EXAMPLES]


# ---------------------------------------------------------------------------------------------
# Bands


def cutoff_coverage(
    n: int, m: int, bounds: Iterable[tuple[IntArray, IntArray]], most: int = 1000
) -> list[FloatArray]:
    """Return the probability that each band holds the latent positives, by cutoff.

    Of the best t positives k are known: k is hypergeometric, so that nothing need be simulated.
    Beyond 100 cutoffs from both ends, only some of them are looked at.
    """
    ends = min(n + m - 1, 100)
    spread = np.linspace(1, n + m - 1, most).round().astype(np.int64)
    top = np.unique(np.r_[np.arange(1, ends + 1), spread, n + m - np.arange(1, ends + 1)])
    t, k = top[:, np.newaxis], np.arange(n + 1)
    possible = (k <= t) & (t - k <= m)  # elsewhere anything finite will do
    v = np.where(possible, t - k, 0)
    ways = _log_choose(n, k) + _log_choose(m, v) - _log_choose(n + m, t)
    chance = np.where(possible, np.exp(np.where(possible, ways, 0.0)), 0.0)
    return [np.sum(chance * ((lower <= v) & (v <= upper)), axis=1) for lower, upper in bounds]


def curve_coverage(
    n: int,
    m: int,
    bounds: Iterable[tuple[IntArray, IntArray]],
    draws: int,
    rng: np.random.Generator,
) -> list[float]:
    """Return how often each band holds the latent positives at all cutoffs of a random order."""
    held = [0 for _ in bounds]
    before, after = np.zeros(1, np.int64), np.full(1, m)
    for _ in range(draws):
        places = np.sort(rng.choice(n + m, n, replace=False, shuffle=False))
        above = np.concatenate([before, places - np.arange(n), after])
        for i, (lower, upper) in enumerate(bounds):
            held[i] += bool((lower <= above[:-1]).all() and (above[1:] <= upper).all())
    return [count / draws for count in held]


def band_rows(n: int, share: float, draws: int) -> list[BandRow]:
    """Look at all bands for so many known positives."""
    m = Cell(n, share).positives - n
    rng = np.random.default_rng(np.random.SeedSequence([SEED, n, round(1000 * share)]))
    bounds = [latent_bounds(band, n, m, LEVEL) for band in BANDS]
    each = cutoff_coverage(n, m, bounds)
    whole = curve_coverage(n, m, bounds, draws, rng)
    return [
        BandRow(
            n,
            share,
            band,
            float(coverage.min()),
            float(coverage.mean()),
            curve,
            (curve * (1 - curve) / draws) ** 0.5,
            float((upper - lower).mean()) / m,
        )
        for band, (lower, upper), coverage, curve in zip(BANDS, bounds, each, whole, strict=True)
    ]


def _log_choose(n: int, k: IntArray) -> FloatArray:
    ways: FloatArray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return ways


# ---------------------------------------------------------------------------------------------
# Populations and labelings


def draw_population(cell: Cell, rng: np.random.Generator) -> Population:
    """Draw scores: the positives N(1.2, deviation), the negatives N(0, 1)."""
    positive = np.arange(cell.examples) < cell.positives
    score = rng.standard_normal(positive.size)
    score[positive] = 1.2 + SHAPES[cell.shape] * score[positive]
    if cell.side == "ties":
        score = np.clip(np.round((score + 3) / 8 * (LEVELS - 1)), 0, LEVELS - 1)
    order = np.argsort(score)[::-1]
    score, positive = score[order], positive[order]
    return Population(score, positive, np.flatnonzero(positive) + 1, true_areas(score, positive))


def true_areas(score: FloatArray, positive: BoolArray) -> dict[str, float]:
    """Return the areas of the full truth, with ties; best score first."""
    ends = np.append(np.flatnonzero(np.diff(score)) + 1, score.size)
    found = np.cumsum(positive)[ends - 1]
    tpr = np.concatenate([[0.0], found / found[-1]])
    fpr = np.concatenate([[0.0], (ends - found) / (score.size - found[-1])])
    precision = float(np.diff(tpr) @ (found / ends))
    inside = fpr <= MAX_FPR
    part_fpr = np.append(fpr[inside], MAX_FPR)
    part = np.trapezoid(np.append(tpr[inside], np.interp(MAX_FPR, fpr, tpr)), part_fpr)
    chance = MAX_FPR**2 / 2
    return {
        "auroc": float(np.trapezoid(tpr, fpr)),
        "partial auroc": float((1 + (part - chance) / (MAX_FPR - chance)) / 2),
        "average precision": precision,
    }


def label_some(population: Population, cell: Cell, rng: np.random.Generator) -> Labeling:
    """Draw a simple random sample of the positives, and of the negatives where some are known."""
    known = rng.choice(cell.positives, cell.known, replace=False, shuffle=False)
    places, examples = np.sort(population.places[known]), cell.examples
    negative = np.empty(0, np.int64)
    if cell.side == "negatives":
        others = np.flatnonzero(~population.positive) + 1
        count = round(NEGATIVES_KNOWN * others.size)
        negative = rng.choice(others, count, replace=False, shuffle=False)
    ranking = (
        rank_quickly(places, examples)
        if not cell.side
        else rank_labeling(population, places, negative, "breakpoints")
    )
    latent = cell.positives - cell.known
    return Labeling(
        places, negative, ranking, latent / (examples - places.size - negative.size), latent
    )


def rank_labeling(
    population: Population, known: IntArray, negative: IntArray, ranks: str
) -> Ranking:
    """Return the ranking as the package makes it."""
    kinds = np.zeros((2, population.score.size), dtype=np.bool_)
    kinds[0, known - 1] = True
    kinds[1, negative - 1] = True
    return rank_examples(population.score, *kinds, ranks=ranks)  # type: ignore[arg-type]


class _Corners(NamedTuple):
    """Finds the cutoffs at which bounds bend, and no others."""

    locate: Callable[[IntArray], Ranking]

    def refine(self, ranking: Ranking, unlabeled: IntArray) -> Ranking:
        return self.locate(unlabeled)

    def add_ranks(self, ranking: Ranking, ranks: IntArray) -> Ranking:
        raise NotImplementedError

    def count_at_or_above(self, thresholds: FloatArray) -> IntArray:
        raise NotImplementedError


def rank_quickly(known: IntArray, examples: int) -> Ranking:
    """Return the ranking at its breakpoints, without ties and known negatives."""
    n = known.size
    above = known - np.arange(1, n + 1)  # unlabeled examples above each

    def count(rank: IntArray) -> Ranking:
        found = np.searchsorted(known, rank, side="right")
        return Ranking(
            rank=rank,
            threshold=0.0 - rank.astype(np.float64),
            known_positive=found,
            known_negative=np.zeros(rank.size, np.int64),
            unlabeled=rank - found,
            total=Counts(n, 0, examples - n),
            extent="breakpoints",
            refiner=_Corners(locate),
        )

    def locate(unlabeled: IntArray) -> Ranking:
        corners = unlabeled + np.searchsorted(above, unlabeled, side="left")
        return count(np.unique(np.concatenate([ends, known - 1, known, corners])))

    ends = np.array([0, examples])
    return count(np.unique(np.concatenate([ends, known - 1, known])))


# ---------------------------------------------------------------------------------------------
# Questions to a labeling


def ask_areas(
    population: Population, labeling: Labeling, methods: Iterable[str]
) -> Iterator[Answer]:
    """Ask for some of the three estimated areas: two have a larger study."""
    betas, rule = np.array([labeling.beta]), Settings(LEVEL)
    for method in methods:
        found = _ESTIMATES[method](labeling.ranking, betas, rule)
        lower, upper = found.lower.item(), found.upper.item()
        yield Answer(method, lower, population.truth[method], upper)


def ask_ranges(population: Population, labeling: Labeling, n: int) -> Iterator[Answer]:
    """Ask for the AUROC between the bounding curves of some bands."""
    latent = np.array([labeling.latent])
    theta = _side_by_side(n, labeling.latent)
    bands = heads.Bands({"positives": theta}, latent)
    corners = heads._band_bends(labeling.ranking, bands)
    ranking = labeling.ranking.refine(corners)
    fitted = _fitted(ranking, theta, latent)[:, _JOINT]
    bent = narrowed_bends(ranking.unlabeled, narrow_bounds(ranking.unlabeled, fitted))
    finer = ranking.refine(np.append(corners, bent))
    sides = _fitted(finer, theta, latent)
    sides[:, _JOINT] = _cut(finer, sides)
    tp = (finer.known_positive[:, np.newaxis] + sides[..., 0]).T
    fp = finer.head - tp
    positives = n + labeling.latent
    areas = area_under("roc", tp, fp, positives - tp, finer.head[-1] - positives - fp)
    for i, band in enumerate(RANGES):
        lower, upper = areas[2 * i : 2 * i + 2].tolist()
        yield Answer(f"range {band}", lower, population.truth["auroc"], upper)


def _fitted(ranking: Ranking, theta: IntArray, latent: IntArray) -> IntArray:
    claims = theta[ranking.known_positive]
    return heads._clip_claims(ranking, latent, claims, ("positives",)).possible


def _cut(ranking: Ranking, fitted: IntArray) -> IntArray:
    """Return the simultaneous bounds, cut."""
    return np.sort(narrow_bounds(ranking.unlabeled, fitted[:, _JOINT]), axis=1)


def ask_metrics(population: Population, labeling: Labeling, n: int) -> Iterator[Answer]:
    """Ask for the precision at the cutoffs that people report."""
    ranking = rank_labeling(population, labeling.known, labeling.negative, "all")
    betas, rule = np.array([labeling.beta]), Settings(LEVEL)
    best, found = reported_rank(population), np.cumsum(population.positive)
    at_rank = metric_at_cutoff(ranking, betas, METRICS["precision"], read_at(best), rule)
    # Inside a block of ties it is the expectation over all orders of the block.
    ends = np.append(np.flatnonzero(np.diff(population.score)) + 1, population.score.size)
    truth = float(np.interp(best, np.append(0, ends), np.append(0, found[ends - 1]))) / best
    yield Answer("precision at rank", at_rank.lower.item(), truth, at_rank.upper.item())
    ranking, table = contingency.completed_table(ranking, betas, rule)
    tp, fp, fn, tn = (count[:, 0] for count in table)
    tpr, fpr = tp / (tp + fn), fp / (fp + tn)
    cutoffs = {
        "recall": np.flatnonzero(tpr >= 0.9 - 1e-12)[0],
        "fpr": np.flatnonzero(fpr <= 0.05 + 1e-12)[-1],
        "youden": np.argmax(tpr - fpr),
    }
    bands = _side_by_side(n, labeling.latent)
    joint = _cut(ranking, _fitted(ranking, bands, np.array([labeling.latent])))
    for name, cutoff in cutoffs.items():
        rank, h = int(ranking.rank[cutoff]), ranking.unlabeled[cutoff]
        theta, rest = bands[ranking.known_positive[cutoff], :, 0], ranking.total.unlabeled - h
        head = np.maximum(np.minimum(theta, h), labeling.latent - rest)
        head[list(_JOINT)] = joint[cutoff, :, 0]
        precision = (ranking.known_positive[cutoff] + head) / rank if rank else head * 0.0 + 1
        truth = float(found[rank - 1] / rank) if rank else 1.0
        first = 2 if name == "youden" else 0  # simultaneous, exact
        yield Answer(f"precision at {name}", *_around(precision[first : first + 2], truth))
        if name == "youden":
            yield Answer("precision at youden, exact", *_around(precision[:2], truth))


def ask_curves(population: Population, labeling: Labeling, n: int) -> Iterator[Answer]:
    """Ask whether bands hold at all cutoffs, where ties leave few of them."""
    ends = np.append(np.flatnonzero(np.diff(population.score)) + 1, population.score.size)
    k = np.searchsorted(labeling.known, ends, side="right")
    latent = np.cumsum(population.positive)[ends - 1] - k
    theta = _side_by_side(n, labeling.latent)[k, :, 0]
    for i, band in enumerate(RANGES):
        lower, upper = theta[:, 2 * i], theta[:, 2 * i + 1]
        outside = np.any((latent < lower) | (latent > upper))
        yield Answer(f"curve {band}", 0.0, 2.0 * outside, 1.0)


def reported_rank(population: Population) -> int:
    """Return a cutoff that is fixed in advance: the best 100, or fewer of few examples."""
    return min(100, population.score.size // 10)


def _around(bounds: FloatArray, truth: float) -> tuple[float, float, float]:
    return float(bounds[0]), truth, float(bounds[1])


@cache
def _side_by_side(n: int, m: int) -> IntArray:
    """Return the lower and upper tables of some bands by known positives, bound and beta."""
    sides = [side for band in RANGES for side in latent_bounds(band, n, m, LEVEL)]
    return np.stack(sides, axis=1)[..., np.newaxis]


_ESTIMATES: Mapping[str, Callable[[Ranking, FloatArray, Settings], Estimates]] = {
    "auroc": estimate_auroc,
    "partial auroc": partial(estimate_auroc, max_fpr=MAX_FPR),
    "average precision": estimate_ap,
}


# ---------------------------------------------------------------------------------------------
# Cells


def ask_all(population: Population, cell: Cell, labeling: Labeling, turn: int) -> Iterator[Answer]:
    """Put all questions to a labeling; the slow ones to some alone."""
    yield from ask_areas(
        population, labeling, [*_ESTIMATES] if turn < METRIC_LABELINGS else [PARTIAL]
    )
    if cell.known <= MOST_FOR_RANGES or turn < METRIC_LABELINGS:
        yield from ask_ranges(population, labeling, cell.known)
    if cell.examples <= MOST_FOR_METRICS and turn < METRIC_LABELINGS:
        yield from ask_metrics(population, labeling, cell.known)
    if cell.side == "ties":
        yield from ask_curves(population, labeling, cell.known)


def cell_rows(cell: Cell, draws: int) -> list[Row]:
    """Simulate a cell."""
    rng = np.random.default_rng(cell.seed())
    populations = max(draws // LABELINGS, 1)
    found: dict[str, list[Answer]] = defaultdict(list)
    for number in range(populations):
        population = draw_population(cell, rng)
        for turn in range(LABELINGS):
            labeling = label_some(population, cell, rng)
            answers = list(ask_all(population, cell, labeling, turn))
            if number == turn == 0:
                check(population, labeling, answers)
            for answer in answers:
                found[answer.method].append(answer)
    return [_row(cell, method, answers, populations) for method, answers in found.items()]


def _row(cell: Cell, method: str, answers: Sequence[Answer], populations: int) -> Row:
    lower, truth, upper = np.array([answer[1:] for answer in answers]).T
    # An interval that is missing holds nothing.
    below, above = truth < lower - 1e-9, ~(truth <= upper + 1e-9)
    held = (~(below | above)).reshape(populations, -1).mean(axis=1)
    error = float(held.std(ddof=1)) / populations**0.5 if populations > 1 else 0.5
    shares = (float(np.nanmean(x)) for x in (below, above, upper - lower))
    return Row(*cell, method, float(held.mean()), error, *shares)


def check(population: Population, labeling: Labeling, answers: Iterable[Answer]) -> None:
    """Raise where the public methods or scikit-learn say something else."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    label = np.full(population.score.size, np.nan)
    label[labeling.known - 1] = 1
    label[labeling.negative - 1] = 0
    negative = {"negative": 0} if labeling.negative.size else {}
    pu = pd.DataFrame({"score": population.score, "label": label}).pu(**negative)
    told = {answer.method: answer for answer in answers}
    beta = labeling.beta

    def at(cutoff: At) -> pd.DataFrame:
        found: pd.DataFrame = pu.metric("precision", beta, at=cutoff)
        return found

    def at_estimated(point: At) -> pd.DataFrame:
        """Return the limits at the one cutoff where the estimate has a rate."""
        return at(int(at(point)["rank"].item()))

    public: dict[str, Callable[[], pd.DataFrame]] = {
        "auroc": lambda: pu.auroc(beta, target="examples"),
        "partial auroc": lambda: pu.auroc(beta, max_fpr=MAX_FPR, target="examples"),
        "average precision": lambda: pu.average_precision(beta, target="examples"),
        "precision at rank": lambda: at(reported_rank(population)),
        "precision at recall": lambda: at_estimated({"recall": 0.9}),
        "precision at fpr": lambda: at_estimated({"fpr": 0.05}),
        "precision at youden": lambda: at("youden"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        for name, ask in public.items():
            if name in told:
                _same(ask()[["lower", "upper"]].to_numpy()[0], told[name])
        for band in RANGES:
            if f"range {band}" in told:
                bounded = pu.contingency(beta, band=band, ranks="breakpoints")
                area = bounded.pu.area("auroc").sel(bound=["lower", "upper"])
                _same(area.to_numpy()[:, 0], told[f"range {band}"])
    truth, score = population.positive, population.score
    expected = {
        "auroc": roc_auc_score(truth, score),
        "partial auroc": roc_auc_score(truth, score, max_fpr=MAX_FPR),
        "average precision": average_precision_score(truth, score),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(population.truth[name], value, atol=1e-9)


def _same(public: FloatArray, answer: Answer) -> None:
    np.testing.assert_allclose(
        [answer.lower, answer.upper], public, atol=1e-9, err_msg=answer.method
    )


def simulate(
    cells: Iterable[Cell], pairs: Iterable[tuple[int, float]], draws: int, jobs: int
) -> Results:
    """Simulate cells, and the bands of some numbers and shares of known positives."""
    costly = sorted(cells, key=lambda cell: (-cell.examples * (1 + bool(cell.side)), cell))
    if jobs == 1:
        areas = [cell_rows(cell, draws) for cell in costly]
        bands = [band_rows(*pair, 4 * draws) for pair in pairs]
    else:
        start = time.perf_counter()
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            running = [pool.submit(cell_rows, cell, draws) for cell in costly]
            waiting = [pool.submit(band_rows, *pair, 4 * draws) for pair in pairs]
            for done, task in enumerate(as_completed(running), 1):
                task.result()  # what fails, fails at once
                if done % 20 == 0 or done == len(running):
                    print(f"{done} of {len(running)} cells, {time.perf_counter() - start:.0f} s")
            areas, bands = [task.result() for task in running], [x.result() for x in waiting]
    return Results(draws, [row for some in areas for row in some], [x for y in bands for x in y])


# ---------------------------------------------------------------------------------------------
# Tables


def report(results: Results) -> None:
    """Write all tables.

    Of bands the coverage at the worst cutoff, the mean over all, and that of the whole curve. Of
    areas and metrics the lowest of three shapes, widths at equal variances.
    """
    tables = {
        "bands": _band_table,
        "bands_partial_auroc": _area_table,
        "bands_between_curves": _range_table,
        "bands_precision": _metric_table,
        "bands_one_factor_more": _side_table,
    }
    for name, table in tables.items():
        write_table(name, *table(results))


def _band_table(results: Results) -> Table:
    found = {(x.share, x.known, x.band): x for x in results.bands}
    head = ["known", "n"]
    for what in ("worst", "mean", "curve", "width"):
        head += [f"{what}: {band}" for band in BANDS]
    body = []
    for share, n in sorted({key[:2] for key in found}):
        some = [found[share, n, band] for band in BANDS]
        numbers = [
            *(x.worst for x in some),
            *(x.mean for x in some),
            *(x.curve for x in some),
            *(x.width for x in some),
        ]
        body.append([_percent(share), str(n), *map(_number, numbers)])
    return head, body


def _main_rows(results: Results) -> tuple[dict[tuple[float, int, str, str], Row], list[Any]]:
    usual = [row for row in results.rows if row.prevalence == 0.1 and not row.side]
    found = {(row.share, row.known, row.shape, row.method): row for row in usual}
    return found, sorted({key[:2] for key in found})


def _area_table(results: Results) -> Table:
    found, pairs = _main_rows(results)
    head = ["known", "n", *SHAPES, "below", "above", "width"]
    body = []
    for share, n in pairs:
        some = [found[share, n, shape, PARTIAL] for shape in SHAPES]
        numbers = [row.coverage for row in some] + [some[0].below, some[0].above, some[0].width]
        body.append([_percent(share), str(n), *map(_number, numbers)])
    return head, body


def _range_table(results: Results) -> Table:
    found, pairs = _main_rows(results)
    head = ["known", "n", *(f"coverage: {band}" for band in RANGES)]
    head += [f"width: {band}" for band in RANGES]
    body = []
    for share, n in pairs:
        least = [
            min(found[share, n, x, f"range {band}"].coverage for x in SHAPES) for band in RANGES
        ]
        width = [found[share, n, "equal", f"range {band}"].width for band in RANGES]
        body.append([_percent(share), str(n), *map(_number, [*least, *width])])
    return head, body


def _metric_table(results: Results) -> Table:
    found, pairs = _main_rows(results)
    asked = [f"precision at {name}" for name in CUTOFFS] + ["precision at youden, exact"]
    head = ["known", "n", *(name.removeprefix("precision at ") for name in asked)]
    head += [f"width: {name}" for name in CUTOFFS]
    body = []
    for share, n in pairs:
        if (share, n, "equal", asked[0]) not in found:
            continue
        least = [
            min(row.coverage for x in SHAPES if (row := found.get((share, n, x, name))))
            for name in asked
        ]
        width = [found[share, n, "equal", name].width for name in asked[:-1]]
        body.append([_percent(share), str(n), *map(_number, [*least, *width])])
    return head, body


def _side_table(results: Results) -> Table:
    methods = [PARTIAL, "range exact", *(f"precision at {name}" for name in CUTOFFS)]
    curves = [f"curve {band}" for band in RANGES]
    found = {(row[:5], row.method): row.coverage for row in results.rows}
    cells = sorted({(row.side, row.prevalence, row.share, row.known) for row in results.rows})
    body = []
    for side, prevalence, share, n in cells:
        if not side and prevalence == 0.1:
            continue
        cell = (n, share, prevalence, "equal", side)
        numbers = [
            _number(found[cell, x]) if (cell, x) in found else "" for x in [*methods, *curves]
        ]
        factor = side or f"prevalence {prevalence:g}"
        body.append([factor, _percent(share), str(n), *numbers])
    return ["factor", "known", "n", *methods, *curves], body


def _number(value: float) -> str:
    return f"{value:.3f}"


def _percent(share: float) -> str:
    return f"{share:.0%}"


# ---------------------------------------------------------------------------------------------
# The picture

# Okabe and Ito's colours, which differ in lightness, too; markers and dashes for print in grey.
_STYLES: Mapping[str, tuple[str, str, str, str]] = {
    "exact": ("exact", "#000000", "-", "D"),
    "simultaneous": ("simultaneous", "#009E73", "--", "o"),
    "bootstrap": ("bootstrap", "#CC79A7", "-.", "^"),
    "dkw": ("dkw", "#E69F00", ":", "s"),
}


def draw(results: Results, path: Path) -> None:
    """Draw coverage against the number of known positives: a column for each share known."""
    import matplotlib.pyplot as plt

    shares = sorted({x.share for x in results.bands})
    figure, axes = plt.subplots(
        2,
        len(shares),
        figsize=(9.6, 5.2),
        sharex=True,
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for column, share in enumerate(shares):
        top, bottom = axes[:, column]
        top.set_title(f"{_percent(share)} known")
        for band in BANDS:
            some = [x for x in sorted(results.bands) if (x.share, x.band) == (share, band)]
            known = [x.known for x in some]
            _line(top, known, np.array([[x.worst, x.mean, x.mean] for x in some]), band)
            _line(bottom, known, np.array([[x.curve] for x in some]), band)
        for ax in (top, bottom):
            ax.axhline(LEVEL, color="0.4", linestyle=(0, (1, 1)), zorder=0, label="promised")
            ax.set_xscale("log")
            ax.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
            ax.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set(ylabel="coverage: one cutoff", ylim=(0.5, 1.02))
    axes[1, 0].set(ylabel="coverage: all cutoffs", ylim=(0, 1.02))
    figure.supxlabel("known positives", fontsize="medium")
    handles, labels = axes[1, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _line(ax: Any, known: Sequence[int], coverage: FloatArray, method: str) -> None:
    """Draw the median, and shade what is between the lowest and the highest."""
    label, color, dashes, marker = _STYLES[method]
    middle = np.median(coverage, axis=1)
    ax.plot(known, middle, dashes, color=color, marker=marker, markersize=3.5, label=label)
    if coverage.shape[1] > 1:
        lowest, highest = coverage.min(axis=1), coverage.max(axis=1)
        ax.fill_between(known, lowest, highest, color=color, alpha=0.15, linewidth=0)


# ---------------------------------------------------------------------------------------------
# The command


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=5000, help="in each cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--out", type=Path, default=Path("docs"), help="the folder of the manual")
    parser.add_argument("--results", type=Path, help="JSON to read; written where it is not there")
    asked = parser.parse_args(arguments)
    if asked.results and asked.results.exists():
        results = Results.read(asked.results)
    else:
        pairs = sorted({(cell.known, cell.share) for cell in main_grid()})
        results = simulate([*main_grid(), *side_grid()], pairs, asked.draws, asked.jobs)
        if asked.results:
            results.write(asked.results)
    (asked.out / "images").mkdir(parents=True, exist_ok=True)
    report(results)
    draw(results, asked.out / "images" / "coverage.png")


if __name__ == "__main__":
    main()

"""What is promised at a level of .95, and the cells in which each promise is measured.

A cell is a shape of scores and a design: how many are known, of how many. Those that a method was
chosen on are kept apart from those that nobody looked at before.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.inference.bands.lookup import latent_bounds
from pu_accessor.inference.bands.simultaneous import joint_coverage
from pu_accessor.ranking import FloatArray
from tests.support.studies import (
    beta,
    coverage,
    matching,
    population,
    propensities,
    references,
    shapes,
)

LEVEL = 0.95
INF = float("inf")


class Found(NamedTuple):
    """What was found in a cell; shares of draws."""

    covers: float
    below: float = np.nan  # the truth below the interval
    above: float = np.nan
    width: float = np.nan
    truth: float = np.nan
    warned: float = np.nan
    silent: float = np.nan  # missed without a warning


class Task(NamedTuple):
    """A cell, and how to look at it with so many draws."""

    shape: str
    design: str
    chosen: bool  # on which the method was chosen
    look: Callable[[int], Found]
    times: float = 1  # as many draws as asked for


class Promise(NamedTuple):
    """What is promised of some cells."""

    name: str
    text: str
    low: float
    high: float
    tasks: Callable[[], Iterator[Task]]
    unless_warned: bool = False  # a miss with a warning is none


# ---------------------------------------------------------------------------------------------
# Bands

GRID = tuple(sorted({(cell.known, cell.share) for cell in coverage.main_grid()}))
OFF_GRID = (
    (3, 0.002), (7, 0.4), (13, 0.8), (33, 0.08), (61, 0.6), (137, 0.02), (150, 0.97),
    (333, 0.25), (613, 0.58), (1400, 0.94), (2500, 0.15),
)  # fmt: skip


def _latent(known: int, share: float) -> int:
    return coverage.Cell(known, share).positives - known


@cache
def _each(known: int, share: float) -> FloatArray:
    limits = latent_bounds("exact", known, _latent(known, share), LEVEL)
    return coverage.cutoff_coverage(known, _latent(known, share), [limits])[0]


def _cutoffs(known: int, share: float, draws: int) -> Found:
    return Found(float(_each(known, share).mean()))


def _worst(known: int, share: float, draws: int) -> Found:
    return Found(float(_each(known, share).min()))


def _curve(known: int, share: float, draws: int) -> Found:
    m = _latent(known, share)
    return Found(joint_coverage(known, m, *latent_bounds("simultaneous", known, m, LEVEL)))


def _bands(look: Callable[[int, float, int], Found]) -> Iterator[Task]:
    """Return cells in which nothing is drawn: probabilities are computed."""
    for pairs, chosen in ((GRID, True), (OFF_GRID, False)):
        for n, share in pairs:
            design = f"n = {n}, {share:.1%} known"
            yield Task("any", design, chosen, partial(look, n, share), 0)


# ---------------------------------------------------------------------------------------------
# This sample

Designs: TypeAlias = tuple[tuple[int, float], ...]
FEW, MORE = ((5, 0.05), (5, 0.9)), (
    *product((10, 20), (0.05, 0.9)), (50, 0.5), (200, 0.5),
)  # fmt: skip
FOR_PRECISION = ((50, 0.05), (50, 0.9), (200, 0.5))
CHOSEN_PRECISION = ((50, 0.9),)
MOST = 60_000  # examples


def _on_these(area: str, name: str, known: int, share: float, draws: int) -> Found:
    shape = {**shapes.CHOSEN, **shapes.OTHERS}[name]
    cell = shapes.look(shape, known, share, draws, name, (area,))[area]
    return Found(cell.coverage, cell.below, cell.above, cell.width)


def _these(area: str, designs: Designs, chosen_designs: Designs | None = None) -> Iterator[Task]:
    for names, chosen in ((shapes.CHOSEN, True), (shapes.OTHERS, False)):
        some = chosen_designs if chosen and chosen_designs else designs
        for (name, shape), (known, share) in product(names.items(), some):
            if known / share / shape.prevalence <= MOST:
                text = f"n = {known}, {share:.0%} known"
                yield Task(name, text, chosen, partial(_on_these, area, name, known, share))


# ---------------------------------------------------------------------------------------------
# Future data


def _of_row(row: population.Row) -> Found:
    return Found(row.coverage, row.above, row.below, row.width, row.truth)


def _on_new(
    look: Callable[[str, population.Design, int], population.Row],
    name: str,
    design: population.Design,
    draws: int,
) -> Found:
    return _of_row(look(name, design, draws))


def _told(design: population.Design) -> str:
    return f"n = {design.known}, {design.rest} others, {design.share:g} of them positive"


def _new(
    look: Callable[[str, population.Design, int], population.Row],
    designs: list[population.Design],
    times: float = 1,
) -> Iterator[Task]:
    for name, design in product(population.SHAPES, designs):
        chosen = name in population.CHOSEN
        yield Task(name, _told(design), chosen, partial(_on_new, look, name, design), times)


def _few() -> Iterator[Task]:
    return _new(population.auroc_row, [d for d in population.AREAS if d.known < 10])


def _enough() -> Iterator[Task]:
    return _new(population.auroc_row, [d for d in population.AREAS if d.known >= 10])


def _at(name: str, cutoff: str, design: population.Design, draws: int) -> Found:
    return _of_row(population.rate_row(name, cutoff, design, draws))


def _thresholds() -> Iterator[Task]:
    for name, cutoff, design in product(population.METRICS, population.CUTOFFS, population.RATES):
        look = partial(_at, name, cutoff, design)
        yield Task(f"{name} at {cutoff}", _told(design), False, look, 2)


def _pairs() -> Iterator[Task]:
    for models, design in product(population.MODELS, population.PAIRS):
        chosen = models in population.CHOSEN_MODELS
        look = partial(_on_new, population.size_row, models, design)
        yield Task(models, _told(design), chosen, look, 2)


# ---------------------------------------------------------------------------------------------
# Beta, and where warnings may stand in


def _matched(cell: beta.Cell, draws: int) -> Found:
    row = beta.simulate(cell, draws)
    below, above = row.below / row.draws, row.above / row.draws
    return Found(row.coverage, below, above, row.width, cell.latent / cell.unlabeled)


def _unlike(name: str, design: matching.Design, draws: int) -> Found:
    return Found(*matching.look(name, design, draws), design.latent / design.unlabeled)


def _matching() -> Iterator[Task]:
    for cell in beta.matching_grid():
        text = (
            f"n = {cell.known}, {cell.negatives} negatives, beta {cell.beta:g} of {cell.unlabeled}"
        )
        shape = f"{cell.name}, tied" if cell.tied else cell.name
        yield Task(shape, text, True, partial(_matched, cell))
    for name, design in product(matching.SHAPES, matching.DESIGNS):
        text = f"n = {design.known}, {design.negatives} negatives, "
        text += f"beta {design.latent / design.unlabeled:g} of {design.unlabeled}"
        yield Task(name, text, False, partial(_unlike, name, design))


def _of_found(found: references.Found) -> Found:
    covers, below, above, width, warned, silent = found
    return Found(covers, below, above, width, warned=warned, silent=silent)


def _sharper(name: str, draws: int) -> Found:
    return _of_found(references.look(name, draws))


def _weighted(area: str, name: str, draws: int) -> Found:
    return _of_found(propensities.look(area, name, draws))


def _tightest() -> Iterator[Task]:
    for names, chosen in ((references.CHOSEN, True), (references.CHECKED, False)):
        for name, design in names.items():
            known, examples = design.known, design.examples
            text = f"{known[0]} of {examples[0]} positives, {known[1]} of {examples[1]} negatives"
            yield Task(name, text, chosen, partial(_sharper, name))


def _propensities(area: str) -> Iterator[Task]:
    for name in propensities.ASKED[area]:
        chosen = name in propensities.CHOSEN
        design = propensities.DESIGNS[name]
        text = f"{design.positives} positives, {design.negatives} negatives"
        yield Task(name, text, chosen, partial(_weighted, area, name))


# ---------------------------------------------------------------------------------------------
# All of them

_PRECISION = population.precision_row
PROMISES = (
    Promise("cutoff", "`exact` at a cutoff, mean of all", 0.945, 0.985,
            lambda: _bands(_cutoffs)),
    Promise("worst cutoff", "`exact` at the worst cutoff", 0.945, INF,
            lambda: _bands(_worst)),
    Promise("curve", "`simultaneous`, whole curve", 0.945, INF, lambda: _bands(_curve)),
    Promise("auroc, new, n = 5", "`auroc`, future data, n = 5", 0.9, INF, _few),
    Promise("auroc, new", "`auroc`, future data, n >= 10", 0.93, 0.97, _enough),
    Promise("auroc, these, n = 5", "`auroc`, this sample, n = 5", 0.9, INF,
            lambda: _these("auroc", FEW)),
    Promise("auroc, these", "`auroc`, this sample, n >= 10", 0.93, 0.97,
            lambda: _these("auroc", MORE)),
    Promise("average precision, new", "`average_precision`, future data, n >= 50", 0.92, 0.97,
            lambda: _new(_PRECISION, population.PRECISIONS)),
    Promise("average precision, these", "`average_precision`, this sample, n >= 50", 0.92,
            0.97, lambda: _these("precision", FOR_PRECISION, CHOSEN_PRECISION)),
    Promise("compare", "`compare` of equally good models", 0.94, 0.96, _pairs),
    Promise("threshold", "`metric` at a threshold, future data", 0.93, INF, _thresholds),
    Promise("mean matching", "`estimate_beta`, mean matching", 0.94, 0.97, _matching),
    Promise("tightest", '`reference="tightest"`, whole curve, or a warning', 0.94, INF, _tightest,
            unless_warned=True),
    Promise("weighted auroc", "`auroc` with propensities, or a warning", 0.94, INF,
            lambda: _propensities("auroc"), unless_warned=True),
    Promise("weighted average precision", "`average_precision` with propensities, or a warning",
            0.94, INF, lambda: _propensities("average_precision"), unless_warned=True),
)  # fmt: skip

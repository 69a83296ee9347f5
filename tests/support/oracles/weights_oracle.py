"""Slow references for areas within selection odds: weights that change at one place, and near it.

What limits are at known weights is the package's, and held against references elsewhere.
"""

from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.inference.estimates import weighted_areas, within_odds
from pu_accessor.inference.estimates.within_odds import estimate_any
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, FloatArray, Ranking
from tests.cases import AREAS, put
from tests.support.oracles import selection_oracle as oracle

INF = float("inf")
Drawn: TypeAlias = tuple[int, int, int]  # a seed, known positives, examples


def scored(seed: int, known: int, size: int) -> tuple[FloatArray, BoolArray]:
    """Draw scores with ties, and which are known to be positive."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 15, size).astype(float), rng.permutation(np.arange(size) < known)


def framed(*drawn: int) -> Any:
    """Draw a frame with ties."""
    score, label = scored(*drawn)
    return pd.DataFrame({"score": score, "label": np.where(label, 1, np.nan)})


@cache
def draw(seed: int, known: int = 5, size: int = 24) -> Ranking:
    """Rank it."""
    ranking: Ranking = framed(seed, known, size).pu._rank("breakpoints").make(0)
    return ranking


def places(ranking: Ranking) -> tuple[list[float], list[int]]:
    """Return mid-rank and end of the block of each known positive."""
    found, rank = np.diff(ranking.known_positive), ranking.rank
    ranks = np.repeat((rank[:-1] + rank[1:] + 1) / 2, found)
    return ranks.tolist(), np.repeat(rank[1:], found).tolist()


@cache
def curves_between(case: Drawn, beta: float, odds: float, curve: str) -> Any:
    """Return the areas that bounding curves allow, at the level 0.9."""
    how: dict[str, Any] = {"level": 0.9, "selection_odds": odds, "ranks": "breakpoints"}
    tables = put(framed(*case).pu, "contingency", beta, **how)
    return oracle.areas_between(tables.isel(beta=0), AREAS[curve])


STEPS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6.5, 8, 10, 13, 17, 22, 30, 100, 1000]


Shape: TypeAlias = tuple[float, ...]  # 0 where a known positive weighs 1, 1 where the factor


# What says an area at some weights, as if these were known.
WEIGHTED: dict[tuple[str, str], Any] = {
    ("roc", "population"): weighted_areas.weighted_population_auroc,
    ("pr", "population"): weighted_areas.weighted_population_precision,
    ("roc", "examples"): weighted_areas.weighted_auroc,
    ("pr", "examples"): weighted_areas.weighted_precision,
}


@cache
def worst_place(
    case: Drawn, beta: float, curve: str, factor: float, side: int
) -> tuple[float, Shape]:
    """Return the lowest or the highest area of weights that change at one place, and these."""
    ranks, stops = places(draw(*case))
    latent, positions = beta * (case[2] - case[1]), np.arange(case[1])
    changes = [place for place in range(case[1] + 1) if place in (0, *draw(*case).known_positive)]
    shapes = [np.equal(positions < place, bool(side)) * 1.0 for place in changes]

    def value(shape: FloatArray) -> float:
        weights = (1 + (factor - 1) * shape).tolist()
        if curve == "roc":
            return oracle.auroc(ranks, weights, latent, case[2])
        return oracle.average_precision(stops, weights, latent)

    shape = (max if side else min)(shapes, key=value)
    return value(shape), tuple(shape.tolist())


@cache
def worst_near(case: Drawn, beta: float, factor: float, side: int) -> Shape:
    """Return those near it, where it is lowest or highest: the range shows that they are right."""
    found = within_odds._find_worst(draw(*case), beta, factor, "pr", "near")
    return tuple(found.heavier[side].tolist())


def limits_on_the_way(
    case: Drawn, betas: FloatArray, odds: float, side: int, asked: tuple[str, str]
) -> float:
    """Return the most extreme limit of all factors up to one, straight between two."""
    known, pick, beta = case[1], (min, max)[side], float(betas[0])
    every = STEPS[: max(int(np.searchsorted(STEPS, odds)), 1) + 2]
    near = [{worst_place(case, beta, asked[0], each, side)[1]} for each in every]
    if asked[0] == "pr" and known > 1:
        near = [
            {*one, worst_near(case, beta, g, side)} for one, g in zip(near, every, strict=True)
        ]
    near[0] = near[1]
    found: list[float] = []
    for step, factor in enumerate(every[:-1]):
        shapes = np.array([*set().union(*near[max(step - 1, 0) :][:3])])
        weights = [*2 + (factor - 1) * shapes] * (known > 4)
        each = [WEIGHTED[asked](draw(*case), one, betas, 0.9) for one in weights]
        ends = [float((one.lower, one.upper)[side][0]) for one in each] or [np.nan]
        found.append(pick([*found[-1:], *ends]))
    part = float(np.log(odds / every[-3]) / np.log(every[-2] / every[-3]))
    return (1 - part) * found[-2] + part * found[-1]


def leave_few(case: Drawn, beta: float, odds: float, curve: str, side: int) -> bool:
    """Tell whether weights leave fewer than 10 known positives in effect, or half of all.

    Or, of two to five scores, 40 by any weights, or 95%.
    """
    few_scores = curve == "pr" and 1 < len({*places(draw(*case))[1]}) <= 5
    if few_scores and 4 * case[1] * odds / (1 + odds) ** 2 < min(40, 0.95 * case[1]):
        return True
    close = [2 ** (step / 8) for step in range(400)]
    close = close[: int(np.searchsorted(close, odds)) + 1]
    shapes = np.array([worst_place(case, beta, curve, factor, side)[1] for factor in close])
    weights = 1 + (np.array(close)[:, np.newaxis] - 1) * shapes
    sizes = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
    return case[1] < 5 or float(sizes.min()) < min(10, case[1] / 2)


def limits_within(
    case: Drawn, beta: float, odds: float, curve: str, target: str
) -> tuple[list[float], list[float]]:
    """Return the range of an area and its limits at 0.9, by all weights within a factor."""
    ranking, betas = draw(*case), np.array([beta])
    known, latent = case[1], beta * (case[2] - case[1])
    base = estimate_any(ranking, betas, Settings(0.9), curve, target)
    value, low, high = (float(one[0]) for one in (base.value, base.lower, base.upper))
    if not beta or np.isnan(value):
        return [value, value], [low, high]

    def off(area: float, side: int) -> float:
        """Move an area under a bounding curve by as much as the limit of random labels is."""
        if target == "population":
            area = min(max(area + ((low, high)[side] - value), 0), 1)
        return area

    certain = curves_between(case, beta, INF, curve)
    ends = [off(certain[side], side) for side in (0, 1)]
    reach, limits = list(certain), list(ends)
    if odds < INF:
        between, stops = curves_between(case, beta, odds, curve), places(ranking)[1]
        for side, pick in enumerate((min, max)):
            reach[side] = worst_place(case, beta, curve, odds, side)[0]
            if curve == "pr":
                reach[side] = oracle.extreme_precision(stops, odds, latent, bool(side))
            reach[side] = float(np.clip(reach[side], *certain))
            walked = limits_on_the_way(case, betas, odds, side, (curve, target))
            limits[side] = float((np.fmax if side else np.fmin)(walked, reach[side]))
            if leave_few(case, beta, odds, curve, side):
                limits[side] = pick(limits[side], off(between[side], side))
    if known < 2:
        limits = [low, high]
    lower = max(min(limits[0], low), min(ends[0], low))
    return reach, [lower, min(max(limits[1], high), max(ends[1], high))]

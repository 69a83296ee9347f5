"""What practice asks of many rankings: net benefit, BEDROC, calibration, Boyce, cutoffs."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pu_accessor.checks import check_count
from pu_accessor.errors import PUValueError, warn_caller
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.early_recognition import check_alpha
from pu_accessor.inference.estimates.guaranteed_cutoffs import (
    Goal,
    Guaranteed,
    band_of,
    find_guaranteed,
    find_on_new,
)
from pu_accessor.inference.estimates.joint import widen
from pu_accessor.inference.estimates.utility import (
    Reliability,
    as_edges,
    check_bin_band,
    reliability,
)
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.metrics import bedroc as make_bedroc
from pu_accessor.inference.settings import Beta, Settings, check_target
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.estimates import estimate_areas
from pu_accessor.questions.macro_average import Averaged, Over, average_over
from pu_accessor.questions.request import (
    Columns,
    Content,
    Request,
    Results,
    as_rows,
    map_rankings,
    name_settings,
)
from pu_accessor.ranking import FloatArray, Ranking, Rankings

_MODEL = "model"
_MOST = 1_000_000  # models


def _ask_at(
    request: Request,
    betas: Betas,
    settings: Settings,
    points: FloatArray,
    ask: Callable[..., Content],
) -> Results[Content]:
    """Ask each ranking for the values of a curve at some points."""

    def question(ranking: Ranking, beta: Beta, own: Settings) -> Content:
        return ask(ranking, beta.grid(own.level), points, own)

    rankings = request.rankings("breakpoints", settings)
    return map_rankings(request, rankings, question, betas, settings, clustered=True)


def _rows(results: Results[Content], columns: Callable[[Content, Beta], Columns]) -> pd.DataFrame:
    """Return a row for each ranking, beta and point of a curve."""
    level, band = results.settings.level, band_name(results.settings.band)
    about = {"level": level, "band": band, "target": "examples"}

    def whole_rows(content: Content, beta: Beta) -> Columns:
        return {"beta": beta.values[:, np.newaxis], **columns(content, beta)}

    return as_rows(results, whole_rows, about)


def _bound_columns(curve: Reliability, beta: Beta) -> dict[str, FloatArray]:
    """Return columns of values over (points, bounds, betas)."""
    lower, estimate, upper = np.moveaxis(curve.value, 1, 0)
    three = widen(lower, estimate, upper, beta.values.size)
    names = ("lower", "estimate", "upper")
    columns = {name: each.T for name, each in zip(names, three, strict=True)}
    return {name: columns[name] for name in ("estimate", "lower", "upper")}


def bedroc(
    request: Request,
    betas: Betas,
    alpha: float,
    settings: Settings,
    target: str,
    *,
    over: Over | None = None,
) -> pd.DataFrame:
    """Estimate BEDROC of each ranking, with an interval."""
    alpha = check_alpha(alpha)
    check_target(target)
    if over is not None:
        entry = replace(METRICS["bedroc"], alpha=alpha)
        averaged = Averaged([(entry, None)], {"alpha": [alpha]})
        return average_over(over, request, betas, settings, target, averaged)
    areas = estimate_areas(request, betas, settings, target, make_bedroc(alpha))
    areas.insert([*areas.columns].index("beta") + 1, "alpha", alpha)
    return areas


def calibration(
    request: Request, betas: Betas, bins: int | Sequence[float], settings: Settings
) -> pd.DataFrame:
    """Estimate the share of positives in bins of the scores of each ranking."""
    edges = as_edges(bins)

    def columns(shares: Reliability, beta: Beta) -> Columns:
        counts = {"examples": shares.examples, "known_positive": shares.known_positive}
        points = {"left": edges[:-1], "right": edges[1:], **counts}
        return {**points, "mean_score": shares.mean_score, **_bound_columns(shares, beta)}

    return _rows(reliabilities(request, betas, edges, settings), columns)


def reliabilities(
    request: Request, betas: Betas, edges: FloatArray, settings: Settings
) -> Results[Reliability]:
    """Ask each ranking for its reliability."""
    check_bin_band(settings)
    return _ask_at(request, *betas.split(settings), edges, reliability)


def guaranteed_cutoffs(
    request: Request, betas: Betas, goal: Goal, settings: Settings, models: int | None, target: str
) -> pd.DataFrame:
    """Find the cutoff of each ranking whose bound meets a goal."""
    check_target(target)
    told = None if models is None else _check_models(models)
    left = betas.leave(settings).level
    rankings = request.rank("breakpoints")
    among = told or _count_models(rankings)
    for_one_model = 1 - (1 - left) / among

    def question(ranking: Ranking, beta: Beta, settings: Settings) -> list[Guaranteed]:
        settings = settings.at_level(for_one_model)
        values = beta.values.tolist()
        if target == "population":
            ends = [*(beta.interval or ())]
            every = [np.array([value, *ends]) for value in values]
            return [find_on_new(ranking, betas, goal, settings.level) for betas in every]
        if beta.interval is not None:
            return [find_guaranteed(ranking, beta.grid(settings.level), goal, settings)]
        return [find_guaranteed(ranking, np.array([b]), goal, settings) for b in values]

    def columns(cutoffs: list[Guaranteed], beta: Beta) -> Columns:
        fields = "rank", "threshold", "clipped", "attainable", "estimate", "lower", "upper"
        return {
            "beta": beta.values,
            **{field: [getattr(cutoff, field) for cutoff in cutoffs] for field in fields},
        }

    results = map_rankings(request, rankings, question, betas, settings)
    about = {
        "metric": goal.name,
        "goal": goal.value,
        **name_settings(settings, target, betas),
        "band": band_of(goal) if target == "examples" else "two samples",
        "models": among,
    }
    cutoffs = as_rows(results, columns, about)
    cutoffs.attrs["statement"] = _state(cutoffs, goal, settings.level, among)
    if unmet := int(cutoffs["lower"].isna().sum()):
        warn_caller(
            f"No cutoff has a {goal.name} of {goal.value:g} for sure in {unmet} of {len(cutoffs)} "
            "rows: the rank is 0. Ask for less, at a lower level, or label more.",
            page="cutoffs",
        )
    return cutoffs


def _check_models(models: int) -> int:
    """Check a number of models."""
    number = check_count("models", models)
    if not 1 <= number <= _MOST:
        raise PUValueError(
            "models must be the number of models that were looked at, from 1 to "
            f"{_MOST:,}, but {models!r} was passed."
        )
    return number


def _count_models(rankings: Rankings) -> int:
    """Return how many models one is chosen among; of groups each has a list."""
    if _MODEL not in rankings.names:
        return 1
    if len(rankings.names) == 1:
        return max(len(rankings.keys), 1)
    level = rankings.names.index(_MODEL)
    return max(len({key[level] for key in rankings.keys}), 1)  # type: ignore[index]


def _state(cutoffs: pd.DataFrame, goal: Goal, level: float, among: int) -> str:
    """Say in a sentence what the guarantee is, or that there is none."""
    unmet = cutoffs["lower"].isna()
    sign = ">=" if goal.name in ("precision", "recall") else "<="
    chosen = f", whichever of {among} models is chosen" if among > 1 else ""
    guarantee = (
        f"With probability {level:g} or more {goal.name} is as bounded at each of these{chosen}."
    )
    if not unmet.any():
        return guarantee
    attainable = cutoffs.loc[unmet, "attainable"]
    if attainable.isna().all():
        return (
            f"In {unmet.sum()} of {len(cutoffs)} rows no cutoff has {goal.name} {sign} "
            f"{goal.value:g} for sure on new examples: the rank is 0. {guarantee}"
        )
    reach = attainable.max() if goal.name in ("precision", "recall") else attainable.min()
    return (
        f"In {unmet.sum()} of {len(cutoffs)} rows no cutoff has {goal.name} {sign} {goal.value:g} "
        f"for sure: the rank is 0. The best bound of any cutoff there is {reach:.4g}. {guarantee}"
    )

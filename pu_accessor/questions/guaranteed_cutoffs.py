"""Cutoffs with a guarantee, of many rankings -> one tidy frame."""

import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.guaranteed_cutoffs import (
    Goal,
    Guaranteed,
    check_guarantee,
    find_guaranteed,
)
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Columns, Request, as_rows, map_rankings
from pu_accessor.ranking import Ranking, Rankings

_MODEL = "model"
_MOST = 1_000_000  # models


def guaranteed_cutoffs(
    request: Request, betas: Betas, goal: Goal, settings: Settings, models: int | None
) -> pd.DataFrame:
    """Find the cutoff of each ranking whose bound meets a goal."""
    check_guarantee(settings.band)
    _check_models(models)
    left = betas.leave(settings).level
    rankings = request.rank("breakpoints")
    among = models or _count_models(rankings)
    for_one_model = 1 - (1 - left) / among

    def question(ranking: Ranking, beta: BetaRange, settings: Settings) -> list[Guaranteed]:
        settings = settings.at_level(for_one_model)
        values = beta.values.tolist()
        return [find_guaranteed(ranking, value, goal, settings, beta.interval) for value in values]

    def columns(cutoffs: list[Guaranteed], beta: BetaRange) -> Columns:
        fields = "rank", "threshold", "estimate", "lower", "upper", "attainable"
        return {
            "beta": beta.values,
            "metric": goal.name,
            "goal": goal.value,
            **{field: [getattr(cutoff, field) for cutoff in cutoffs] for field in fields},
            "level": settings.level,
            "band": str(settings.band),
            "models": among,
        }

    results = map_rankings(request, rankings, question, betas, settings)
    cutoffs = as_rows(results, columns)
    cutoffs.attrs["statement"] = _state(cutoffs, goal, settings.level, among)
    return cutoffs


def _check_models(models: object) -> None:
    """Raise unless it is a number of models."""
    if models is None:
        return
    if isinstance(models, bool) or not isinstance(models, int):
        raise PUTypeError(f"models must be an integer, but {models!r} was passed.")
    if not 1 <= models <= _MOST:
        raise PUValueError(
            "models must be the number of models that were looked at, from 1 to "
            f"{_MOST:,}, but {models!r} was passed."
        )


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
    reach = attainable.max() if goal.name in ("precision", "recall") else attainable.min()
    return (
        f"In {unmet.sum()} of {len(cutoffs)} rows no cutoff has {goal.name} {sign} {goal.value:g} "
        f"for sure: the rank is 0. The best bound of any cutoff there is {reach:.4g}. {guarantee}"
    )

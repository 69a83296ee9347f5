"""Cutoffs with a guarantee, of many rankings -> one tidy frame."""

from dataclasses import replace
from typing import Any

import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.guaranteed_cutoffs import (
    Goal,
    Guaranteed,
    check_guarantee,
    find_guaranteed,
)
from pu_accessor.inference.settings import Rule
from pu_accessor.questions.betas import GroupBeta
from pu_accessor.questions.ranges import read_ranges, tell_of
from pu_accessor.questions.request import Asked, ask_rankings
from pu_accessor.questions.rows import Answer, as_rows
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, Ranking, Rankings

__all__ = ["guaranteed_cutoffs"]

_MODEL = "model"
_MOST = 1_000_000  # models


def guaranteed_cutoffs(
    asked: Asked, beta: GroupBeta, goal: Goal, rules: Rules, models: int | None
) -> pd.DataFrame:
    """Find the cutoff of each ranking whose bound meets a goal."""
    check_guarantee(rules.shared.band)
    _check_models(models)
    ranges = read_ranges(beta, rules, "guaranteed" if _is_frame(beta) else "approximate")
    rankings = asked.rank("breakpoints")
    among = models or _count_models(rankings)
    level = rules.shared.level if ranges is None else ranges.left
    local = 1 - (1 - level) / among

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> list[Guaranteed]:
        inner = replace(rule, level=local)
        return [find_guaranteed(ranking, one, goal, inner) for one in betas.tolist()]

    def joined(ranking: Ranking, one: Any) -> list[Guaranteed]:
        one.check_counts(ranking.total)
        inner = replace(rules.shared, level=local, beta_interval=(one.lower, one.upper))
        return [find_guaranteed(ranking, one.beta, goal, inner)]

    answers = ask_rankings(
        asked._replace(rank=lambda _: rankings),
        "breakpoints",
        beta if ranges is None else ranges,
        rules,
        question,
        joined=joined,
    )
    columns = [
        _columns(a, goal, rules.shared, among) | tell_of(ranges, answers.names, a.key)
        for a in answers.each
    ]
    found = as_rows(answers, columns, betas=True)
    found.attrs["statement"] = _state(found, goal, rules.shared.level, among)
    return found


def _is_frame(beta: object) -> bool:
    return isinstance(beta, pd.DataFrame)


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
    place = rankings.names.index(_MODEL)
    return max(len({key[place] for key in rankings.keys}), 1)  # type: ignore[index]


def _columns(
    answer: Answer[list[Guaranteed]], goal: Goal, rule: Rule, among: int
) -> dict[str, Any]:
    """Return what was found for one ranking, a row for each beta."""
    found, size = answer.content, len(answer.content)
    return {
        "metric": [goal.name] * size,
        "goal": [goal.value] * size,
        "rank": [one.rank for one in found],
        "threshold": [one.threshold for one in found],
        "estimate": [one.estimate for one in found],
        "lower": [one.lower for one in found],
        "upper": [one.upper for one in found],
        "attainable": [one.attainable for one in found],
        "level": [rule.level] * size,
        "band": [str(rule.band)] * size,
        "models": [among] * size,
    }


def _state(found: pd.DataFrame, goal: Goal, level: float, among: int) -> str:
    """Say in a sentence what the guarantee is, or that there is none."""
    none = found["lower"].isna()
    sign = ">=" if goal.name in ("precision", "recall") else "<="
    of = f", whichever of {among} models is chosen" if among > 1 else ""
    told = f"With probability {level:g} or more {goal.name} is as bounded at each of these{of}."
    if not none.any():
        return told
    best = found.loc[none, "attainable"]
    reach = best.max() if goal.name in ("precision", "recall") else best.min()
    return (
        f"In {none.sum()} of {len(found)} rows no cutoff has {goal.name} {sign} {goal.value:g} "
        f"for sure: the rank is 0. The best bound of any cutoff there is {reach:.4g}. {told}"
    )

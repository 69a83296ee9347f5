"""Averages over groups, such as queries or users -> one tidy frame."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten, warn_caller
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.group_contributions import (
    GroupTerm,
    area_under_pr,
    area_under_roc,
    areas_under_roc,
    check_fixed,
    rate_at,
)
from pu_accessor.inference.estimates.joint import BetaRange, join_estimates
from pu_accessor.inference.estimates.macro_average import AREA, RATE, average_groups, find_span
from pu_accessor.inference.settings import Rule, check_target
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.questions.betas import GroupBeta, split_key
from pu_accessor.questions.ranges import Ranges, read_ranges, tell_of
from pu_accessor.questions.request import Asked, ask_rankings
from pu_accessor.questions.rows import Answer, Answers, as_rows
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import BoolArray, Counts, FloatArray, Ranking, Stack

__all__ = [
    "Average",
    "Averaged",
    "Over",
    "average_of_auroc",
    "average_of_metrics",
    "average_of_precision",
    "average_over",
    "read_average",
]

Average: TypeAlias = bool | str | list[str]

_PLAIN = ("band", "reference", "selection_odds", "beta_interval")


class Over(NamedTuple):
    """What is averaged over: all columns that make groups, or some by name; not models."""

    names: Average
    models: bool

    def split(self, names: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return which levels of keys stay, and which are averaged over."""
        groups = [*names][: -1 if self.models else None]
        over = groups if self.names is True else self.names
        over = [over] if isinstance(over, str) else over
        known = isinstance(over, list) and all(isinstance(n, str) and n in groups for n in over)
        if not known or not over:
            raise PUValueError(
                f"average must be True, or name some of the columns that make groups, {groups}, "
                f"but {brief(self.names)} was passed. Name the column of the queries or users: "
                "df.pu(by='query').auroc(0.3, average=True)."
            )
        places = range(len(names))
        return [p for p in places if names[p] not in over], [p for p in places if names[p] in over]


class _Number(NamedTuple):
    """Averages at some betas, by the names of their columns, and which no groups can have."""

    estimate: FloatArray
    standard_error: FloatArray
    lower: FloatArray
    upper: FloatArray
    beyond: BoolArray


_BEYOND = _Number._fields[-1]


class Averaged(NamedTuple):
    """What is averaged.

    Parameters
    ----------
    question : callable
        From a ranking and its betas to what it adds to each number that is asked for.
    scatter : float
        As in `pu_accessor.inference.estimates.macro_average.average_groups`.
    columns : mapping of str to list
        What names these numbers; empty for one alone.
    at_once : callable, optional
        As in `pu_accessor.questions.request.ask_rankings`.
    """

    question: Callable[[Ranking, FloatArray], list[GroupTerm]]
    scatter: float
    columns: Mapping[str, list[Any]]
    at_once: Callable[[Stack, FloatArray], Sequence[list[GroupTerm] | None]] | None = None


def average_of_auroc(target: str, max_fpr: float | None) -> Averaged:
    """Return how AUROC is averaged."""
    if max_fpr is not None and max_fpr < 1:
        raise PUValueError(
            f"max_fpr must be left out with average=True, but {max_fpr!r} was passed: the "
            "area of a part is biased where few positives are known. Average a metric: "
            "df.pu(by='query').metric('recall', 0.3, at={'fraction': 0.1}, average=True)."
        )
    return Averaged(
        lambda ranking, betas: [area_under_roc(ranking, betas, target)],
        AREA,
        {},
        lambda stack, betas: [one and [one] for one in areas_under_roc(stack, betas)],
    )


def average_of_precision() -> Averaged:
    """Return how average precision is averaged."""
    return Averaged(lambda ranking, betas: [area_under_pr(ranking, betas)], AREA, {})


def average_of_metrics(
    each: Sequence[tuple[str | Metric, Cutoff]], named: Mapping[str, list[Any]]
) -> Averaged:
    """Return how metrics at cutoffs are averaged."""
    check_fixed(each[0][1])
    return Averaged(
        lambda ranking, betas: [rate_at(ranking, betas, *one) for one in each],
        RATE,
        named,
    )


def read_average(average: Average, models: bool) -> Over | None:
    """Read what to average over."""
    if not isinstance(average, bool | str | list):
        raise PUTypeError(
            "average must be True, False or names of columns in by, but "
            f"{brief(average)} was passed."
        )
    return None if average is False else Over(average, models)


def average_over(
    over: Over,
    asked: Asked,
    beta: GroupBeta,
    rules: Rules,
    target: str,
    joint: str,
    averaged: Averaged,
) -> pd.DataFrame:
    """Average numbers over groups, with intervals."""
    check_target(target)
    _check_plain(rules)
    ranges = read_ranges(beta, rules, joint)
    one = None if ranges is None else _one(ranges)
    level = rules.shared.level if ranges is None else ranges.left

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> list[GroupTerm]:
        return averaged.question(ranking, betas)

    shared = beta if one is None else one.betas(rules.shared.level, joint)
    at_once = averaged.at_once if target == "population" else None
    answers = ask_rankings(
        asked, "breakpoints", shared, rules, question, at_once=at_once, warn=False
    )
    kept, _ = over.split(answers.names)

    def number(terms: Sequence[GroupTerm]) -> _Number:
        found = average_groups(terms, target, averaged.scatter, level)
        floor, ceiling = find_span(terms)
        if one is not None:
            found = join_estimates(found, one, joint, (float(floor.min()), float(ceiling.max())))
            floor, ceiling = (np.atleast_1d(end)[:1] for end in (floor, ceiling))
        inside = (floor <= found.value) & (found.value <= ceiling)
        return _Number(found.value, found.error, found.lower, found.upper, ~inside)

    names = tuple(answers.names[place] for place in kept)
    each = [
        _averaged(key, some, one, number, bool(answers.skipped))
        for key, some in _together(answers, kept).items()
    ]
    together = Answers(names, answers.own_beta, each, answers.skipped)
    columns = [
        _columns(one_of, averaged, rules, target)
        | tell_of(ranges, names, one_of.key, one_of.betas.size * len(one_of.content[1]))
        for one_of in each
    ]
    found = as_rows(together, columns)
    _warn_of(found, names)
    return found.drop(columns=_BEYOND)


def _check_plain(rules: Rules) -> None:
    """Raise unless bounds are left out, which averages have none of."""
    for name in _PLAIN:
        if (value := getattr(rules, name)) != getattr(Rules(), name):
            raise PUValueError(
                f"{name} must be left out with average=True, but {value!r} was passed: an average "
                "has an interval of its own. Ask each group, without average, for bounds."
            )


def _one(ranges: Ranges) -> BetaRange:
    """Return the one estimate that all groups share."""
    if ranges.names:
        raise PUValueError(
            "beta must be a frame of one row with average=True, but it has one for each "
            f"{', '.join(ranges.names)}: how far they are off together is not known. Pass the "
            f"points, beta=found.set_index({ranges.names[0]!r})['beta'].",
            page="joint",
        )
    return ranges.each[()]


def _together(
    answers: Answers[list[GroupTerm]], kept: Sequence[int]
) -> dict[Hashable, list[Answer[list[GroupTerm]]]]:
    """Return the answers of groups that are averaged, by the key that stays."""
    found: dict[Hashable, list[Answer[list[GroupTerm]]]] = {}
    for answer in answers.each:
        levels = split_key(answers.names, answer.key)
        key = tuple(levels[place] for place in kept)
        found.setdefault(key[0] if len(key) == 1 else key, []).append(answer)
    return found


def _averaged(
    key: Hashable,
    some: Sequence[Answer[list[GroupTerm]]],
    one: BetaRange | None,
    number: Callable[[Sequence[GroupTerm]], _Number],
    incomplete: bool,
) -> Answer[tuple[int, list[_Number]]]:
    """Return what groups answer together, and how many they are."""
    if one is not None and not incomplete:
        totals = [answer.about.total for answer in some if answer.about is not None]
        one.check_counts(Counts(*map(sum, zip(*totals, strict=True))))
    found = [number(terms) for terms in zip(*(answer.content for answer in some), strict=True)]
    betas = np.mean([answer.betas for answer in some], axis=0)
    same = betas if one is None else np.array([one.beta])
    # The mean of equal betas is rounded.
    if all((answer.betas == some[0].betas).all() for answer in some) and one is None:
        same = some[0].betas
    return Answer(key, same, None, (len(some), found))


def _columns(
    answer: Answer[tuple[int, list[_Number]]], averaged: Averaged, rules: Rules, target: str
) -> dict[str, Any]:
    """Return averages as columns, betas first, and what they are about."""
    groups, found = answer.content
    betas = answer.betas
    size = betas.size * len(found)
    return {
        "beta": np.repeat(betas, len(found)),
        **{name: [*values] * betas.size for name, values in averaged.columns.items()},
        **{
            name: np.stack([getattr(one, name) for one in found], axis=1).ravel()
            for name in _Number._fields
        },
        "level": np.full(size, rules.shared.level),
        "target": np.full(size, target, object),
        "n_groups": np.full(size, groups),
    }


def _warn_of(found: pd.DataFrame, names: Sequence[str]) -> None:
    """Warn of averages that no groups can have."""
    which = found[_BEYOND]
    if which.any():
        rows = found.loc[which, [*names, "beta"]].to_dict("records")
        warn_caller(
            f"In {which.sum()} of {len(found)} rows the average lies outside [0, 1], or what else "
            "there can be, and is NaN where by more than its error: beta is too high for these "
            "groups, or the labels are no random sample of the positives. Pass a smaller beta. "
            "They are at "
            f"[{shorten(map(str, rows), most=3, width=100)}].",
            page="beta#too-high",
        )

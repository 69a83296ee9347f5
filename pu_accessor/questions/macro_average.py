"""Averages over groups, such as queries or users -> one tidy frame."""

from collections.abc import Hashable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.joint import join_estimates
from pu_accessor.inference.estimates.macro_average import (
    AREA,
    RATE,
    GroupTerm,
    areas_under_roc,
    average_groups,
    count_clusters,
    find_span,
    group_term,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.settings import Beta, Settings, check_target
from pu_accessor.questions.betas import Betas, split_key
from pu_accessor.questions.request import (
    Columns,
    Request,
    Result,
    Results,
    as_rows,
    check_total,
    map_rankings,
    name_settings,
    warn_of_few_clusters,
    warn_of_rows,
)
from pu_accessor.ranking import FloatArray, Ranking

Average: TypeAlias = bool | str | list[str]

_NESTED = "Each cluster is in one group: groups count, and clusters change no standard error."
_CROSSED = "Clusters are in several groups: the error has what they add to all of these."
_PLAIN = ("band", "reference", "selection_odds", "contamination")
_BEYOND = "beyond"  # what no groups can have
_COLUMNS = ("standard_error", "estimate", "lower", "upper", _BEYOND)


class Over(NamedTuple):
    """What is averaged over: all columns that make groups, or some by name; not models."""

    names: Average
    models: bool

    def kept(self, names: Sequence[str]) -> list[int]:
        """Return the positions of the levels of keys that are not averaged over."""
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
        return [level for level, name in enumerate(names) if name not in over]


class Averaged(NamedTuple):
    """What is averaged: quantities, each at its cutoff where it has one."""

    each: Sequence[tuple[Metric, Cutoff | None]]
    columns: Mapping[str, list[Any]] = MappingProxyType({})  # which name these numbers


def read_average(average: Average, models: bool) -> Over | None:
    """Read what to average over."""
    if not isinstance(average, bool | str | list):
        raise PUTypeError(
            "average must be True, False or names of columns in by, but "
            f"{brief(average)} was passed."
        )
    return None if average is False else Over(average, models)


def average_over(
    over: Over, request: Request, betas: Betas, settings: Settings, target: str, averaged: Averaged
) -> pd.DataFrame:
    """Average numbers over groups, with intervals."""
    check_target(target)
    _check_plain(settings, betas)
    estimate, level = betas.estimate, settings.level
    of_groups = betas
    if estimate is not None:  # which is about the examples of all groups together
        of_groups = Betas(Beta(estimate.grid(settings.level)))

    def question(ranking: Ranking, beta: Beta, _: Settings) -> list[GroupTerm]:
        return [group_term(ranking, beta.values, *asked, target) for asked in averaged.each]

    def columns(group: Sequence[Result[list[GroupTerm]]], beta: Beta) -> Columns:
        averages = [
            _average(terms, target, scatter, level, betas)
            for terms in zip(*(result.content for result in group), strict=True)
        ]
        arrays = np.stack(averages, axis=-1)  # over columns, betas and numbers
        return {
            "beta": beta.values[:, np.newaxis],
            **averaged.columns,
            "n_groups": len(group),
            **dict(zip(_COLUMNS, arrays, strict=True)),
        }

    metric, _ = averaged.each[0]
    scatter = AREA if metric.curve else RATE
    plain = target == "population" and metric.curve == "roc"
    at_once = areas_under_roc if plain else None
    rankings = request.rank("breakpoints")
    results = map_rankings(
        request, rankings, question, of_groups, settings, at_once=at_once, alone=False
    )
    kept = over.kept(results.names)
    groups = _together(results, kept, estimate)
    names = tuple(results.names[level] for level in kept)
    together = Results(names, groups, betas, settings, results.skipped)
    averages = as_rows(together, columns, name_settings(settings, target, betas))
    if betas.are_estimates:  # that is the error at one beta
        del averages["standard_error"]
    averages.attrs |= _tell_clusters(groups, names)
    beyond = averages.pop(_BEYOND) > 0
    warn_of_rows(
        averages,
        beyond,
        names,
        "the average lies outside [0, 1], or what else there can be, and is NaN where by more "
        "than its error: beta is too high for these groups, or the labels are no random sample of "
        "the positives. Pass a smaller beta",
    )
    return averages


def _average(
    terms: Sequence[GroupTerm], target: str, scatter: float, level: float, betas: Betas
) -> FloatArray:
    """Average one number over groups, jointly with an estimate of beta: columns over betas."""
    average = average_groups(terms, target, scatter, level)
    floor, ceiling = find_span(terms)
    if betas.estimate is not None:
        span = float(floor.min()), float(ceiling.max())
        average = join_estimates(average, betas.estimate, span)
        floor, ceiling = (np.atleast_1d(end)[:1] for end in (floor, ceiling))
    beyond = ~((floor <= average.value) & (average.value <= ceiling))
    columns = average.error, average.value, average.lower, average.upper, beyond
    return np.stack(np.broadcast_arrays(*columns))


def _tell_clusters(
    groups: Sequence[Result[list[Result[list[GroupTerm]]]]], names: Sequence[str]
) -> dict[str, str]:
    """Say whether clusters count, if there are any; and warn where few of them do."""
    firsts = [[result.content[0] for result in group.content] for group in groups]
    if all(term.clusters is None for terms in firsts for term in terms):
        return {}
    numbers = [count_clusters(terms) for terms in firsts]
    warn_of_few_clusters(names, zip((group.key for group in groups), numbers, strict=True))
    return {"clusters": _NESTED if min(numbers) == inf else _CROSSED}


def _check_plain(settings: Settings, betas: Betas) -> None:
    """Raise unless bounds are left out, which averages have none of, and beta is one for all."""
    passed = {name: getattr(settings, name) for name in _PLAIN}
    given = [(name, value) for name, value in passed.items() if value != getattr(Settings, name)]
    if betas.interval is not None:
        given.append(("beta_interval", betas.interval))
    for name, value in given:
        raise PUValueError(
            f"{name} must be left out with average=True, but {value!r} was passed: an average "
            "has an interval of its own. Ask each group, without average, for bounds."
        )
    if betas.levels:
        raise PUValueError(
            "beta must be a frame of one row with average=True, but it has one for each "
            f"{', '.join(betas.levels)}: how far they are off together is not known. Pass the "
            f"points, beta=found.set_index({betas.levels[0]!r})['beta'].",
            page="beta#with-its-error",
        )


def _together(
    results: Results[list[GroupTerm]], kept: Sequence[int], estimate: Beta | None
) -> list[Result[list[Result[list[GroupTerm]]]]]:
    """Return the results that are averaged together, by the key that stays."""
    groups: dict[Hashable, list[Result[list[GroupTerm]]]] = {}
    for result in results.each:
        levels = split_key(results.names, result.key)
        key = tuple(levels[level] for level in kept)
        groups.setdefault(key[0] if len(key) == 1 else key, []).append(result)
    if estimate is not None and not results.skipped:
        for group in groups.values():
            check_total(group, estimate)
    return [
        Result(key, _mean_beta(group) if estimate is None else estimate, None, group)
        for key, group in groups.items()
    ]


def _mean_beta(group: Sequence[Result[list[GroupTerm]]]) -> Beta:
    """Return the mean of the betas of groups; equal ones as they are, as a mean is rounded."""
    values = [result.beta.values for result in group]
    if all((betas == values[0]).all() for betas in values):
        return Beta(values[0])
    return Beta(np.mean(values, axis=0))

"""Averages of a metric over groups with equal weights, such as queries."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.beta import NO_BETA, Beta, Betas, split_key
from pu_accessor.errors import PUDataError, PUValueError, brief, shorten, warn_caller
from pu_accessor.inference.answer import join_betas
from pu_accessor.inference.averages import (
    GroupCurve,
    GroupTerms,
    average_groups,
    best_average,
    check_average_cutoff,
    check_best_average,
    count_shared_clusters,
    group_curve,
    group_term,
    group_terms,
    join_groups,
)
from pu_accessor.inference.comparison import compare_averages, list_pairs
from pu_accessor.inference.cutoff_spec import Cutoff
from pu_accessor.inference.estimate_metric import Asked
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.questions import doubts, evaluation
from pu_accessor.ranking import FloatArray, KnownBlocks, Ranking
from pu_accessor.roles_and_assumptions import Terms

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

_Terms: TypeAlias = list[GroupTerms]  # of some groups, one for each that is asked


class _Row(NamedTuple):
    """What a group adds: one row of the terms of some groups."""

    terms: _Terms
    row: int = 0


ADJUSTED = "for all pairs (of a group and beta), by Holm's method"
_NESTED = "Each cluster is in one group: the standard error is that of groups."
_CROSSED = "Clusters are in several groups: the standard error sums over all groups of a cluster."
_OUTSIDE = (
    "the average lies outside its range, such as [0, 1], by more than three standard errors: beta "
    "is too high for these groups, or the known positives are not a random sample of the "
    "positives. Pass a smaller beta."
)


def average_over(
    self: Accessor,
    asked: Sequence[Asked],
    betas: Betas,
    terms: Terms,
    named: Mapping[str, list[Any]],
) -> pd.DataFrame:
    """Average unbiased estimates of metrics over groups, with the standard error of the mean."""
    is_best = any(one.cutoff is not None and one.cutoff.kind == "maximum" for one in asked)
    results = evaluate_terms(self, asked, betas, terms, is_best)
    estimate, level = betas.estimate, terms.level
    average: Any = best_average if is_best else average_groups

    def columns(terms: Sequence[Any], beta: Beta) -> evaluation.Columns:
        averages = [
            join_betas(average(one.metric, added, level), estimate or NO_BETA)
            for one, added in zip(asked, terms, strict=True)
        ]
        located = {**named, "beta": beta.values[:, np.newaxis]}
        numbers = evaluation.answer_columns(averages, "population")
        return {**located, **numbers, "n_groups": len(terms[0] if is_best else terms[0].value)}

    kept = levels_to_keep(self._terms, results.names)
    groups = group_by_key(
        results, kept, estimate, partial(_repeat, len(asked)) if is_best else join_rows
    )
    names = tuple(results.names[level] for level in kept)
    together = evaluation.Results(names, groups, betas, terms, results.skipped)
    averages = evaluation.results_frame(together, columns, self._attrs(terms, "population"))
    if betas.kind == "estimate":  # that is the error at one beta
        del averages["standard_error"]
    if not any(one.metric.takes_beta for one in asked):
        del averages["beta"]
    averages.attrs |= {} if is_best else _describe_clusters(groups, names)
    if (beyond := averages.pop("beyond")).any():
        keys = averages.loc[beyond, [*names, "beta"]].to_dict("records")
        where = shorten(map(str, keys), most=3, width=100)
        warn_caller(f"In {beyond.sum()} of {len(averages)} rows {_OUTSIDE} They are at [{where}].")
    return averages


def evaluate_terms(
    self: Accessor, asked: Sequence[Asked], betas: Betas, terms: Terms, is_best: bool = False
) -> evaluation.Results[Any]:
    """Return what each group adds to averages of metrics, perhaps at the best threshold."""
    if betas.levels:
        raise PUValueError(
            "beta must be a frame of one row with average=True, but it has one for each "
            f"{', '.join(betas.levels)}, whose joint error is unknown. Pass the "
            f"points, beta=found.set_index({betas.levels[0]!r})['beta']."
        )
    of_groups = betas
    if betas.estimate is not None:  # about the examples of all groups
        of_groups = Betas(Beta(betas.estimate.grid(terms.level)))

    def compute(ranking: Ranking, beta: Beta) -> _Row:
        return _Row([group_term(ranking, beta.values, *one[:2]) for one in asked])

    def compute_stack(blocks: KnownBlocks, values: FloatArray) -> list[_Row | None]:
        terms = [group_terms(blocks, values, *one[:2]) for one in asked]
        has_value = ~np.any([np.isnan(one.value).any(axis=1) for one in terms], axis=0)
        return [_Row(terms, row) if has else None for row, has in enumerate(has_value.tolist())]

    def compute_curve(ranking: Ranking, beta: Beta) -> GroupCurve:
        return group_curve(ranking, beta.values)

    if is_best:
        rankings = self._rank("all")
        return evaluation.evaluate(terms, rankings, compute_curve, of_groups, per_group=False)
    rankings = self._rank()
    options: dict[str, Any] = {"compute_stack": compute_stack, "per_group": False}
    return evaluation.evaluate(terms, rankings, compute, of_groups, **options)


def levels_to_keep(terms: Terms, names: Sequence[str]) -> list[int]:
    """Return the positions of the key levels that are not averaged over."""
    groups = [*names][: -1 if terms.is_wide else None]
    over = groups if terms.average is True else terms.average
    over = [over] if isinstance(over, str) else over
    known = isinstance(over, list) and all(isinstance(n, str) and n in groups for n in over)
    if not known or not over:
        raise PUValueError(
            f"average must be True, or name some of the columns in by, {groups}, but "
            f"{brief(terms.average)} was passed. Name the column of the queries or users: "
            "df.pu(by='query', average=True).auroc(0.3)."
        )
    return [level for level, name in enumerate(names) if name not in over]


def pair_groups(
    results: evaluation.Results[_Row], kept: Sequence[int]
) -> evaluation.Results[_Row]:
    """Return the results of groups that all models have; the last level left is the model."""
    models: dict[Any, dict[Any, dict[Any, evaluation.Result[_Row]]]] = {}
    for result in results.each:
        levels = split_key(results.names, result.key)
        *others, model = (levels[level] for level in kept)
        group = tuple(level for place, level in enumerate(levels) if place not in kept)
        models.setdefault(tuple(others), {}).setdefault(model, {})[group] = result
    each = []
    for of_models in models.values():
        groups = [*of_models.values()]
        shared = [group for group in groups[0] if all(group in other for other in groups)]
        if (most := max(map(len, groups))) > len(shared) and results.terms.on_error == "raise":
            raise PUDataError(
                f"Averages are compared over the same groups, but {len(shared)} of {most} have "
                "a value for each model. Pass on_error='skip' to compare over these."
            )
        each += [one[group] for one in groups for group in shared]
    return replace(results, each=each)


def check_average(metric: Metric, cutoff: Cutoff | None) -> None:
    """Raise unless a metric at a cutoff can be averaged."""
    if not metric.serves("average"):
        raise PUValueError(
            f"average must be False for {metric.name!r}, whose mean over groups with few "
            "known positives is biased. Average 'precision', 'recall' or 'f1'."
        )
    if cutoff is not None and cutoff.kind == "maximum":
        check_best_average(metric)
    elif cutoff is not None:
        check_average_cutoff(cutoff)


def _describe_clusters(
    groups: Sequence[evaluation.Result[_Terms]], names: Sequence[str]
) -> dict[str, str]:
    """Return how clusters count, and warn of few clusters; nothing for independent rows."""
    firsts = [group.content[0] for group in groups]
    if all(first.clusters is None for first in firsts):
        return {}
    numbers = [count_shared_clusters(first) for first in firsts]
    few = [
        (group.key, {doubts.FEW_CLUSTERS: f"{number:g}"})
        for group, number in zip(groups, numbers, strict=True)
        if number < doubts.MIN_CLUSTERS
    ]
    doubts.warn_of_groups(names, few)
    return {"clusters": _NESTED if min(numbers) == inf else _CROSSED}


def group_by_key(
    results: evaluation.Results[Any],
    kept: Sequence[int],
    estimate: Beta | None,
    join: Callable[[Sequence[Any]], Any],
) -> list[evaluation.Result[Any]]:
    """Return what groups add together for each remaining key, with their mean beta."""
    groups: dict[Hashable, list[evaluation.Result[_Row]]] = {}
    for result in results.each:
        levels = split_key(results.names, result.key)
        key = tuple(levels[level] for level in kept)
        groups.setdefault(key[0] if len(key) == 1 else key, []).append(result)
    if estimate is not None and not results.skipped:
        for group in groups.values():
            evaluation.check_estimate_total(group, estimate)
    averages: list[evaluation.Result[_Terms]] = []
    for kept_key, group in groups.items():
        values = np.stack([result.beta.values for result in group])
        is_one = (values == values[0]).all()
        beta = estimate or Beta(values[0] if is_one else values.mean(axis=0))
        terms = join([result.content for result in group])
        averages.append(evaluation.Result(kept_key, beta, None, terms))
    return averages


def _repeat(number: int, curves: Sequence[GroupCurve]) -> list[Sequence[GroupCurve]]:
    """Return the curves of all groups for each that is asked."""
    return [curves] * number


def join_rows(rows: Sequence[_Row]) -> _Terms:
    """Return the terms of some groups together."""
    parts = []
    for _, run in groupby(rows, lambda row: id(row.terms)):
        terms, numbers = zip(*run, strict=True)
        parts.append([one.take(numbers) for one in terms[0]])
    return [join_groups(of_one) for of_one in zip(*parts, strict=True)]


def compare_models(
    self: Accessor, asked: Sequence[Asked], betas: Betas, terms: Terms, target: str
) -> pd.DataFrame:
    """Compare the averages of models over the same groups."""
    results = evaluate_terms(self, asked, betas, terms)
    entry, kept = asked[0].metric, levels_to_keep(self._terms, results.names)
    if not kept:
        list_pairs(1)
    groups = group_by_key(pair_groups(results, kept), kept, betas.estimate, join_rows)
    *names, model = (results.names[level] for level in kept)
    each: dict[Hashable, list[evaluation.Result[Any]]] = {}
    for group in groups:
        *others, _ = split_key([*names, model], group.key)
        each.setdefault(others[0] if len(others) == 1 else tuple(others), []).append(group)

    def columns(models: Sequence[evaluation.Result[Any]], beta: Beta) -> evaluation.Columns:
        terms_of = [result.content[0] for result in models]
        compared = compare_averages(entry, terms_of, terms.level)
        tests = join_betas(compared, betas.estimate or NO_BETA)
        at_beta = {"beta": beta.values} if entry.takes_beta else {}
        sign = np.sign(np.nan_to_num(tests.value)).astype(np.int64)
        counted = {"n_groups": len(terms_of[0].value), **tests.columns, "sign": sign}
        size = evaluation.difference_columns(tests)
        shown = {"metric": entry.name, **at_beta, "target": target, **size, **counted}
        keys = [split_key([*names, model], result.key)[-1] for result in models]
        return evaluation.pair_columns([model], keys, shown)

    pairs = [evaluation.Result(key, of[0].beta, None, of) for key, of in each.items()]
    together = evaluation.Results(tuple(names), pairs, betas, terms, results.skipped)
    attrs = self._attrs(terms, target) | {"p_adjusted": ADJUSTED}
    return evaluation.results_frame(together, columns, attrs)

"""Which of several models is better -> one tidy frame."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import refuse_odds
from pu_accessor.errors import brief, shorten, warn_caller
from pu_accessor.inference.comparison.gaps import GroupMetric
from pu_accessor.inference.comparison.paired import PairTests, join_pairs
from pu_accessor.inference.comparison.paired import compare_paired as test_pairs
from pu_accessor.inference.comparison.unpaired import GroupArea, estimate_group
from pu_accessor.inference.comparison.unpaired import compare_unpaired as test_groups
from pu_accessor.inference.comparison.within_odds import compare_within
from pu_accessor.inference.estimates.auroc import estimate_auroc
from pu_accessor.inference.estimates.joint import join_estimates
from pu_accessor.inference.estimates.population_auroc import estimate_population_auroc
from pu_accessor.inference.settings import BetaRange, Settings, check_target, ranking_level
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.joint_gaps import OfGroup, join_gaps
from pu_accessor.questions.request import Request, map_rankings
from pu_accessor.questions.rows import Columns, as_rows, check_names, settings_columns
from pu_accessor.ranking import FloatArray, IntArray, PairedRanks, Ranking

__all__ = [
    "beside_pairs",
    "compare_paired",
    "compare_unpaired",
]

_NO_SIZE = "The size of a difference, and its interval, need beta: compare(beta=0.3, ...)."


def compare_paired(
    request: Request,
    betas: Betas | None,
    on: object,
    settings: Settings,
    target: str,
) -> pd.DataFrame:
    """Compare the AUROC of models that ranked the same examples, in each group of examples."""
    check_target(target)
    level, odds = settings.level, settings.selection_odds
    at_left_level = level
    if betas is not None:
        betas.refuse_odds(odds)
        at_left_level = betas.leave(settings).level

    def question(
        paired: PairedRanks, beta: BetaRange, _: Settings
    ) -> tuple[PairedRanks, PairTests]:
        if odds > 1:
            refuse_odds(odds, paired.weight is not None)
        if betas is None or not beta.is_estimate:
            values = None if betas is None else beta.values
            if odds > 1:
                return paired, compare_within(paired, values, level, target, odds)
            return paired, test_pairs(paired, values, level, target)
        tests = test_pairs(paired, beta.grid(level, betas.joint), at_left_level, target)
        return paired, join_pairs(tests, beta, betas.joint)

    def columns(tested: tuple[PairedRanks, PairTests], beta: BetaRange) -> Columns:
        return _pair_columns(*tested, beta.values, settings, target)

    results = map_rankings(request, request.pair(on), question, betas)
    pairs = as_rows(results, columns)
    _warn_of_chance(pairs, pairs.pop("stuck"), list(results.names))
    if betas is None:
        pairs.attrs["size"] = _NO_SIZE
    return pairs


def compare_unpaired(
    request: Request, betas: Betas, settings: Settings, target: str
) -> pd.DataFrame:
    """Compare the AUROC of groups that share no examples: Welch's two-sample test."""
    check_target(target)
    level = settings.level
    if betas.are_estimates:
        return _areas_apart(request, betas, settings, target)

    def question(ranking: Ranking, beta: BetaRange, _: Settings) -> GroupArea:
        return estimate_group(ranking, beta.values, target=target)

    results = map_rankings(request, request.rank("breakpoints"), question, betas)
    keys = [result.key for result in results.each]
    groups = [result.content for result in results.each]
    _warn_of_lone([key for key, group in zip(keys, groups, strict=True) if group.n == 1])
    found = test_groups(groups, level)
    values = np.stack([result.beta.values for result in results.each])
    first, second = (np.repeat(side, values.shape[1]) for side in (found.first, found.second))
    place = np.tile(np.arange(values.shape[1]), found.first.size)
    own = {"beta_a": first, "beta_b": second} if results.own_beta else {"beta": first}
    sizes = np.array([group.n for group in groups])
    columns = {
        **{name: values[side, place] for name, side in own.items()},
        "difference": found.difference.ravel(),
        "lower": found.lower.ravel(),
        "upper": found.upper.ravel(),
        "level": level,
        "statistic": found.statistic.ravel(),
        "df": found.df.ravel(),
        "p_value": found.p_value.ravel(),
        "p_holm": found.p_holm.ravel(),
        "n_a": sizes[first],
        "n_b": sizes[second],
        "target": target,
    }
    pairs = pd.DataFrame(beside_pairs(name_pairs(results.names, keys, first, second), columns))
    pairs.attrs |= {"skipped": dict(results.skipped)} if results.skipped else {}
    return pairs


def _areas_apart(request: Request, betas: Betas, settings: Settings, target: str) -> pd.DataFrame:
    """Return differences of AUROC that hold jointly with estimates of beta."""
    estimate = estimate_population_auroc if target == "population" else estimate_auroc

    def at(ranking: Ranking, values: FloatArray, level: float) -> GroupMetric:
        found = estimate(ranking, values, Settings(level))
        return GroupMetric(ranking.total.known_positive, found.value, found.lower, found.upper)

    def joined(ranking: Ranking, beta: BetaRange, level: float) -> GroupMetric:
        guaranteed = betas.joint == "guaranteed"
        left = ranking_level(level, beta.level) if guaranteed else level
        found = estimate(ranking, beta.grid(level, betas.joint), Settings(left))
        found = join_estimates(found, beta, betas.joint)
        return GroupMetric(ranking.total.known_positive, found.value, found.lower, found.upper)

    gaps = join_gaps(request, "breakpoints", betas, settings, OfGroup(at, joined))
    first, second = gaps.found.first, gaps.found.second
    sizes = np.array([group.n for group in gaps.groups])
    columns = gaps.told(
        {
            "difference": gaps.found.difference.ravel(),
            "lower": gaps.found.lower.ravel(),
            "upper": gaps.found.upper.ravel(),
            "level": settings.level,
            "n_a": sizes[first],
            "n_b": sizes[second],
            "target": target,
        }
    )
    pairs = pd.DataFrame(beside_pairs(name_pairs(gaps.names, gaps.keys, first, second), columns))
    pairs.attrs |= {"skipped": gaps.skipped} if gaps.skipped else {}
    return pairs


def name_pairs(
    names: Sequence[str], keys: Sequence[Hashable], first: IntArray, second: IntArray
) -> dict[str, pd.Index]:
    """Return columns that name the two models of each pair, for each name of their key."""
    levels = [
        pd.Index(list(level), tupleize_cols=False)
        for level in (zip(*keys, strict=True) if len(names) > 1 else [keys])
    ]
    return {
        f"{name}_{side}": level.take(some)
        for side, some in (("a", first), ("b", second))
        for name, level in zip(names, levels, strict=True)
    }


def _pair_columns(
    paired: PairedRanks, tests: PairTests, betas: FloatArray, settings: Settings, target: str
) -> Columns:
    """Return the tests of one group of examples as columns, a row for each pair and beta."""
    size, sized = tests.size, {}
    rows = np.repeat(np.arange(tests.first.size), 1 if size is None else betas.size)
    if size is not None:
        sized = {
            "beta": betas,
            "difference": size.difference,
            "lower": size.lower,
            "upper": size.upper,
        }
        if size.reach is not None:
            sized |= dict(zip(("range_lower", "range_upper"), size.reach, strict=True))
    stated = settings_columns(settings)
    if size is None:
        stated.pop("level")
    columns = {
        **sized,
        **stated,
        "sign": tests.sign[:, np.newaxis],
        "statistic": tests.statistic,
        "df": tests.df,
        "p_value": tests.p_value,
        "p_holm": tests.p_holm,
        "n": tests.n,
        "target": target,
        "stuck": tests.stuck[:, np.newaxis],
    }
    pairs = name_pairs(paired.names, [*paired.ranks], tests.first[rows], tests.second[rows])
    return beside_pairs(pairs, columns)


def beside_pairs(pairs: dict[str, pd.Index], columns: dict[str, Any]) -> dict[str, Any]:
    """Put columns beside those that name pairs, unless names meet."""
    names = dict.fromkeys(name[:-2] for name in pairs)
    check_names([*names], pairs, columns)
    return {**pairs, **columns}


def _warn_of_chance(pairs: pd.DataFrame, stuck: "pd.Series[bool]", groups: list[str]) -> None:
    """Warn where the known positives do not say how far a difference can be off."""
    lone, stuck = pairs["statistic"].isna(), stuck & np.isinf(pairs["statistic"])
    for which, told in (
        (
            lone,
            "there is one known positive alone, or one other example, so that statistic, p value "
            "and interval are NaN",
        ),
        (stuck, "all known positives differ by the same number of ranks, so that p is 0"),
    ):
        if which.any():
            rows = pairs.loc[which, groups].drop_duplicates() if groups else pairs[:0]
            where = f" ({_first(rows.to_dict('records'))})" if len(rows) else ""
            warn_caller(
                f"In {which.sum()} of {len(pairs)} comparisons{where} {told}. That says nothing "
                "about chance: compare models on more known positives."
            )


def _warn_of_lone(keys: Sequence[Hashable]) -> None:
    """Warn of groups with one known positive."""
    if keys:
        warn_caller(
            f"{len(keys)} groups have one known positive alone, which says nothing about chance: "
            f"{_first(keys)}. Their statistics, p values "
            "and intervals are NaN. Leave them out, or label more."
        )


def _first(places: Sequence[object]) -> str:
    """Name the first few places."""
    return shorten(map(brief, places), width=100)

"""Which of several models is better -> one tidy frame."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import check_level, refuse_odds
from pu_accessor.errors import brief, shorten, warn_caller
from pu_accessor.inference.comparison.gaps import GroupMetric
from pu_accessor.inference.comparison.paired import PairTests, join_pairs
from pu_accessor.inference.comparison.paired import compare_paired as test_pairs
from pu_accessor.inference.comparison.unpaired import compare_unpaired as test_groups
from pu_accessor.inference.comparison.unpaired import estimate_group
from pu_accessor.inference.comparison.within_odds import compare_within
from pu_accessor.inference.estimates.auroc import estimate_auroc
from pu_accessor.inference.estimates.joint import BetaRange, join_estimates, ranking_level
from pu_accessor.inference.estimates.population_auroc import estimate_population_auroc
from pu_accessor.inference.settings import Rule, check_target
from pu_accessor.questions.betas import GroupBeta, check_beta
from pu_accessor.questions.joint_gaps import OfGroup, join_gaps
from pu_accessor.questions.ranges import Ranges, check_random, read_ranges, tell_of
from pu_accessor.questions.request import Asked, ask
from pu_accessor.questions.rows import as_rows, check_names, with_skipped
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, IntArray, PairedRanks, Ranking

__all__ = [
    "beside_pairs",
    "compare_paired",
    "compare_unpaired",
]

_NO_SIZE = "The size of a difference, and its interval, need beta: compare(beta=0.3)."


def compare_paired(
    asked: Asked,
    beta: GroupBeta | None,
    on: object,
    rules: Rules,
    target: str,
    *,
    joint: str = "approximate",
) -> pd.DataFrame:
    """Compare the AUROC of models that ranked the same examples, in each group of examples."""
    check_target(target)
    rule = rules.shared
    odds = rule.selection_odds
    ranges = None if beta is None else read_ranges(beta, rules, joint)
    check_random(ranges, rules)
    if beta is not None and ranges is None:
        check_beta(beta)

    def question(paired: PairedRanks, betas: FloatArray) -> dict[str, Any]:
        given = None if beta is None else betas
        if odds > 1:
            refuse_odds(odds, paired.weight is not None)
            found = compare_within(paired, given, rule.level, target, odds)
        else:
            found = test_pairs(paired, given, rule.level, target)
        return _pair_columns(paired, found, betas, rule, target)

    def joined(paired: PairedRanks, beta: BetaRange) -> dict[str, Any]:
        beta.check_counts(paired.total)
        left = rule.level if ranges is None else ranges.left
        found = test_pairs(paired, beta.betas(rule.level, joint), left, target)
        point = np.array([beta.beta])
        return _pair_columns(paired, join_pairs(found, beta, joint), point, rule, target)

    estimated = beta if ranges is None else ranges
    answers = ask(asked, asked.pair(on), question, estimated, joined)
    columns = [
        a.content | tell_of(ranges, answers.names, a.key, len(a.content["sign"]))
        for a in answers.each
    ]
    pairs = as_rows(answers, columns)
    _warn_of_chance(pairs, pairs.pop("stuck"), list(answers.names))
    if beta is None:
        pairs.attrs["size"] = _NO_SIZE
    return pairs


def compare_unpaired(
    asked: Asked, beta: GroupBeta, level: float, target: str, *, joint: str = "approximate"
) -> pd.DataFrame:
    """Compare the AUROC of groups that share no examples: Welch's two-sample test."""
    level = check_level(level)
    check_target(target)
    ranges = read_ranges(beta, Rules(level), joint)
    if ranges is not None:
        return _areas_apart(asked, ranges, level, target)
    check_beta(beta)
    estimate = partial(estimate_group, target=target)
    answers = ask(asked, asked.rank("breakpoints"), estimate, beta)
    keys, groups = [a.key for a in answers.each], [a.content for a in answers.each]
    _warn_of_lone([key for key, group in zip(keys, groups, strict=True) if group.n == 1])
    found = test_groups(groups, level)
    betas = np.stack([answer.betas for answer in answers.each])
    first, second = (np.repeat(side, betas.shape[1]) for side in (found.first, found.second))
    place = np.tile(np.arange(betas.shape[1]), found.first.size)
    own = {"beta_a": first, "beta_b": second} if answers.own_beta else {"beta": first}
    sizes = np.array([group.n for group in groups])
    columns = {
        **{name: betas[side, place] for name, side in own.items()},
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
    pairs = pd.DataFrame(beside_pairs(name_pairs(answers.names, keys, first, second), columns))
    return with_skipped(pairs, answers)


def _areas_apart(asked: Asked, ranges: Ranges, level: float, target: str) -> pd.DataFrame:
    """Return differences of AUROC that hold jointly with estimates of beta."""
    estimate = estimate_population_auroc if target == "population" else estimate_auroc

    def at(ranking: Ranking, betas: FloatArray, level: float) -> GroupMetric:
        found = estimate(ranking, betas, Rule(level))
        return GroupMetric(ranking.total.known_positive, found.value, found.lower, found.upper)

    def joined(ranking: Ranking, beta: BetaRange, level: float) -> GroupMetric:
        sure = ranges.joint == "guaranteed"
        left = ranking_level(level, beta.level) if sure else level
        found = estimate(ranking, beta.betas(level, ranges.joint), Rule(left))
        found = join_estimates(found, beta, ranges.joint)
        return GroupMetric(ranking.total.known_positive, found.value, found.lower, found.upper)

    gaps = join_gaps(asked, "breakpoints", ranges, Rules(level), OfGroup(at, joined))
    first, second = gaps.found.first, gaps.found.second
    sizes = np.array([group.n for group in gaps.groups])
    columns = gaps.told(
        {
            "difference": gaps.found.difference.ravel(),
            "lower": gaps.found.lower.ravel(),
            "upper": gaps.found.upper.ravel(),
            "level": level,
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
    paired: PairedRanks, found: PairTests, betas: FloatArray, rule: Rule, target: str
) -> dict[str, Any]:
    """Return the tests of one group of examples as columns, a row for each pair and beta."""
    times = 1 if found.size is None else betas.size
    rows = np.repeat(np.arange(found.first.size), times)
    sized: dict[str, FloatArray] = {}
    if found.size is not None:
        sized = {
            "beta": np.tile(betas, found.first.size),
            "difference": found.size.difference.ravel(),
            "lower": found.size.lower.ravel(),
            "upper": found.size.upper.ravel(),
        }
        if found.size.reach is not None:
            sized |= {
                "range_lower": found.size.reach[0].ravel(),
                "range_upper": found.size.reach[1].ravel(),
            }
        sized["level"] = np.full(rows.size, rule.level)
    if rule.selection_odds > 1:
        sized["selection_odds"] = np.full(rows.size, rule.selection_odds)
    columns = {
        **sized,
        "sign": found.sign[rows],
        "statistic": found.statistic.ravel(),
        "df": found.df.ravel(),
        "p_value": found.p_value.ravel(),
        "p_holm": found.p_holm.ravel(),
        "n": np.full(rows.size, found.n),
        "target": [target] * rows.size,
        "stuck": found.stuck[rows],
    }
    pairs = name_pairs(paired.names, [*paired.ranks], found.first[rows], found.second[rows])
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

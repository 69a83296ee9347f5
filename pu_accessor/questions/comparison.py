"""Which of several models, or groups, is better -> one tidy frame."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import refuse_odds
from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten, warn_caller
from pu_accessor.inference.comparison.gaps import (
    GroupValue,
    auroc_of_group,
    compare_groups,
    find_gaps,
    join_gaps,
    recall_of_group,
)
from pu_accessor.inference.comparison.paired import (
    PairedTests,
    compare_paired,
    compare_within,
    join_pairs,
)
from pu_accessor.inference.comparison.pairwise import PairTests
from pu_accessor.inference.estimates.cutoff_spec import CHOSEN, FIXED, At, Cutoff
from pu_accessor.inference.quantities import Quantity, read_quantity
from pu_accessor.inference.settings import BetaRange, Settings, check_target, ranking_level
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.inference.value import value_of
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.estimates import read_target
from pu_accessor.questions.request import (
    Columns,
    Request,
    Results,
    as_rows,
    check_names,
    map_rankings,
    settings_columns,
)
from pu_accessor.ranking import Counts, FloatArray, IntArray, PairedRanks, Ranking, Ranks

_NO_SIZE = "The size of a difference, and its interval, need beta: compare(beta=0.3)."


def compare(
    request: Request,
    betas: Betas | None,
    quantity: str | Metric,
    at: At | None,
    on: object,
    settings: Settings,
    target: str,
) -> pd.DataFrame:
    """Compare a quantity of models that ranked the same examples, in each group of examples."""
    read_quantity(quantity, at, "compare")
    check_target(target)
    joint = "approximate"
    if betas is not None:
        betas.refuse_odds(settings.selection_odds)
        betas.leave(settings)  # raises where no level is left
        joint = betas.joint

    def question(paired: PairedRanks, beta: BetaRange, _: Settings) -> Columns:
        tests = paired_tests(paired, None if betas is None else beta, settings, target, joint)
        return _columns_of_models(paired, tests, beta.values, settings, target)

    results = map_rankings(request, request.pair(on), question, betas)
    pairs = as_rows(results, lambda columns, _: columns)
    _warn_of_chance(pairs, pairs.pop("stuck"), list(results.names))
    if betas is None:
        pairs.attrs["size"] = _NO_SIZE
    return pairs


def paired_tests(
    paired: PairedRanks, beta: BetaRange | None, settings: Settings, target: str, joint: str
) -> PairedTests:
    """Test each pair of models of one group of examples."""
    odds, level = settings.selection_odds, settings.level
    if odds > 1:
        refuse_odds(odds, paired.weight is not None)
        return compare_within(paired, None if beta is None else beta.values, level, target, odds)
    if beta is None or not beta.is_estimate:
        return compare_paired(paired, None if beta is None else beta.values, level, target)
    left = ranking_level(level, beta.level) if joint == "guaranteed" else level
    tests = compare_paired(paired, beta.grid(level, joint), left, target)
    return join_pairs(tests, beta, joint)


def _columns_of_models(
    paired: PairedRanks, tests: PairedTests, betas: FloatArray, settings: Settings, target: str
) -> Columns:
    """Return the tests of one group of examples as columns, a row for each pair and beta."""
    size, of_settings = {}, settings_columns(settings)
    if tests.has_size:
        names = ("difference", "lower", "upper")
        size = {"beta": betas} | {name: getattr(tests, name) for name in names}
        ends = () if tests.reach is None else tests.reach
        size |= dict(zip(("range_lower", "range_upper"), ends, strict=False))
    else:
        of_settings.pop("level")
    columns = {
        **size,
        **of_settings,
        "sign": tests.sign[:, np.newaxis],
        **_test_columns(tests),
        "n": tests.n,
        "target": target,
        "stuck": tests.stuck[:, np.newaxis],
    }
    times = tests.statistic.shape[1]
    first, second = (np.repeat(side, times) for side in (tests.first, tests.second))
    pairs = name_pairs(paired.names, [*paired.ranks], first, second)
    return beside_pairs(pairs, columns)


def gap(
    request: Request,
    quantity: str | Metric,
    betas: Betas | None,
    at: At | None,
    settings: Settings,
    target: str | None,
) -> pd.DataFrame:
    """Return the gap between each pair of groups that share no examples.

    Notes
    -----
    An estimate of beta *for each group* makes an interval of each that holds jointly with it. The
    groups are independent, and so are estimates that were made in each: what both can be off by
    is squared and added. Guaranteed is the gap between the ends of both, each at half of 1 -
    level.

    *One estimate for all* is off by the same in each group: the gap is found at each beta, and
    joined as one number is (`pu_accessor.inference.estimates.joint.join_limits`).
    """
    entry = read_quantity(quantity, at, "gap")
    cutoff = entry.read_cutoff(at)
    target = read_target(target, cutoff, settings)
    if betas is None:
        _check_without_beta(entry, target)
    if betas is not None and betas.are_estimates and betas.shared is not None:
        return _gap_of_shared(request, entry, betas, betas.shared, cutoff, settings, target)
    estimates = betas is not None and betas.are_estimates
    joint = "approximate" if betas is None else betas.joint
    apart = estimates and joint == "guaranteed"
    at_level = settings.at_level(round((1 + settings.level) / 2, 12)) if apart else settings

    def question(ranking: Ranking, beta: BetaRange, _: Settings) -> GroupValue:
        n = ranking.total.known_positive
        if cutoff is not None and betas is None:
            return recall_of_group(ranking, cutoff.value, entry.less_is_better, settings.level)
        if "test" in entry.can and not beta.is_estimate:
            return auroc_of_group(ranking, beta.values, target)
        value = value_of(entry, ranking, beta, at_level, target, cutoff, joint)
        return GroupValue(n, value.estimate, value.lower, value.upper)

    results = _ask_groups(request, entry, cutoff, betas, settings, question)
    groups = [each.content for each in results.each]
    joined = {"joint": joint} if estimates else {}
    if "test" not in entry.can or estimates:
        gaps = find_gaps(groups, apart=apart)
        return _gap_frame(results, gaps, entry, settings, target, joined)
    _warn_of_lone([each.key for each in results.each if each.content.n == 1])
    tests = compare_groups(groups, settings.level)
    of_test = {name: column.ravel() for name, column in _test_columns(tests).items()}
    return _gap_frame(results, tests, entry, settings, target, {}, of_test)


def _gap_of_shared(
    request: Request,
    entry: Quantity,
    betas: Betas,
    shared: BetaRange,
    cutoff: Cutoff | None,
    settings: Settings,
    target: str,
) -> pd.DataFrame:
    """Return gaps that hold jointly with one estimate of beta for all groups."""
    if cutoff is not None and cutoff.kind not in FIXED:
        raise PUValueError(
            f"at must be one of {[*FIXED]} where all groups share an estimate of beta, but "
            f"{cutoff.kind!r} was passed, which is another cutoff at each beta. Estimate beta in "
            "each group: beta=df.pu(by='sex').estimate_beta()."
        )
    grid = BetaRange(shared.grid(settings.level, betas.joint))
    at_left_level = betas.leave(settings)

    def question(ranking: Ranking, _: BetaRange, __: Settings) -> GroupValue:
        value = value_of(entry, ranking, grid, at_left_level, target, cutoff)
        n = ranking.total.known_positive
        return GroupValue(n, value.estimate, value.lower, value.upper)

    results = _ask_groups(
        request, entry, cutoff, Betas(BetaRange(shared.values)), settings, question
    )
    if not results.skipped:
        totals = [each.about.total for each in results.each if each.about is not None]
        shared.check_counts(Counts(*map(sum, zip(*totals, strict=True))))
    gaps = join_gaps(find_gaps([each.content for each in results.each]), shared, betas.joint)
    joined = {"beta_lower": shared.lower, "beta_upper": shared.upper, "joint": betas.joint}
    return _gap_frame(results, gaps, entry, settings, target, joined)


def _check_without_beta(entry: Quantity, target: str) -> None:
    """Raise where a gap needs beta."""
    if "without_beta" not in entry.can or target == "examples":
        raise PUTypeError(
            f"beta must be passed for the gap of {entry.name!r} on "
            f"{'new' if target == 'population' else 'these'} examples: for example 0.3, or one "
            "for each group, {'f': 0.3, 'm': 0.2}. Only the gap of 'recall' or 'fnr' on new "
            "examples, at={'threshold': 0.5}, does without.",
            page="many_models#a-beta-for-each-group",
        )


def _ask_groups(
    request: Request,
    entry: Quantity,
    cutoff: Cutoff | None,
    betas: Betas | None,
    settings: Settings,
    question: Callable[[Ranking, BetaRange, Settings], GroupValue],
) -> Results[GroupValue]:
    """Ask each group for its value."""
    # What a user's function maximises can be anywhere.
    searched = cutoff is not None and cutoff.kind in CHOSEN and callable(entry.metric)
    ranks: Ranks = "all" if searched else "breakpoints"
    told = None if betas is None else settings
    return map_rankings(request, request.rankings(ranks, settings), question, betas, told)


def _gap_frame(
    results: Results[GroupValue],
    tests: PairTests,
    entry: Quantity,
    settings: Settings,
    target: str,
    joined: Mapping[str, Any],
    of_test: Mapping[str, Any] = MappingProxyType({}),
) -> pd.DataFrame:
    """Return gaps as a frame, a row for each pair of groups and beta."""
    times = tests.difference.shape[1]
    first, second = (np.repeat(side, times) for side in (tests.first, tests.second))
    column = np.tile(np.arange(times), tests.first.size)
    betas = np.stack([each.beta.values for each in results.each])
    estimates = np.stack([each.content.estimate for each in results.each])
    known = np.array([each.content.n for each in results.each])
    sides = {"beta_a": first, "beta_b": second} if results.own_beta else {"beta": first}
    columns = {
        **({name: betas[side, column] for name, side in sides.items()} if betas.size else {}),
        "quantity": entry.name,
        "estimate_a": estimates[first, column],
        "estimate_b": estimates[second, column],
        "difference": tests.difference.ravel(),
        "lower": tests.lower.ravel(),
        "upper": tests.upper.ravel(),
        "level": settings.level,
        **of_test,
        "n_a": known[first],
        "n_b": known[second],
        "target": target,
        **joined,
    }
    keys = [each.key for each in results.each]
    gaps = pd.DataFrame(beside_pairs(name_pairs(results.names, keys, first, second), columns))
    if results.skipped:
        gaps.attrs["skipped"] = dict(results.skipped)
    return gaps


def _test_columns(tests: PairTests) -> dict[str, FloatArray]:
    """Return the columns of a test."""
    names = ("statistic", "df", "p_value", "p_holm")
    return {name: getattr(tests, name) for name in names}


def name_pairs(
    names: Sequence[str], keys: Sequence[Hashable], first: IntArray, second: IntArray
) -> dict[str, pd.Index]:
    """Return columns that name the two models of each pair, for each name of their key."""
    levels = [
        pd.Index(list(level), tupleize_cols=False)
        for level in (zip(*keys, strict=True) if len(names) > 1 else [keys])
    ]
    return {
        f"{name}_{side}": level.take(positions)
        for side, positions in (("a", first), ("b", second))
        for name, level in zip(names, levels, strict=True)
    }


def beside_pairs(pairs: dict[str, pd.Index], columns: Columns) -> dict[str, Any]:
    """Put columns beside those that name pairs, unless names meet."""
    names = dict.fromkeys(name[:-2] for name in pairs)
    check_names([*names], pairs, columns)
    return {**pairs, **columns}


def _warn_of_chance(pairs: pd.DataFrame, stuck: "pd.Series[bool]", groups: list[str]) -> None:
    """Warn where the known positives do not say how far a difference can be off."""
    lone, stuck = pairs["statistic"].isna(), stuck & np.isinf(pairs["statistic"])
    for rows, message in (
        (
            lone,
            "there is one known positive alone, or one other example, so that statistic, p value "
            "and interval are NaN",
        ),
        (stuck, "all known positives differ by the same number of ranks, so that p is 0"),
    ):
        if rows.any():
            keys = pairs.loc[rows, groups].drop_duplicates() if groups else pairs[:0]
            where = f" ({_first(keys.to_dict('records'))})" if len(keys) else ""
            warn_caller(
                f"In {rows.sum()} of {len(pairs)} comparisons{where} {message}. That says nothing "
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


def _first(keys: Sequence[object]) -> str:
    """Name the first few keys."""
    return shorten(map(brief, keys), width=100)

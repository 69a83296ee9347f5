"""Which of several models, or groups, is better -> one tidy frame."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import check_option, refuse_odds
from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten, warn_caller
from pu_accessor.inference.comparison.paired import (
    PairedTests,
    compare_paired,
    compare_rows,
    join_pairs,
)
from pu_accessor.inference.comparison.pairwise import (
    GroupValue,
    PairTests,
    adjust_together,
    auroc_of_group,
    compare_groups,
    find_gaps,
    join_gaps,
    recall_of_group,
)
from pu_accessor.inference.comparison.worst_case import compare_contaminated, compare_within
from pu_accessor.inference.estimates.cutoff_spec import FIXED, At, Cutoff
from pu_accessor.inference.estimates.joint import estimate
from pu_accessor.inference.metrics import AnyMetric, Metric, bedroc, read_metric
from pu_accessor.inference.settings import Beta, Settings, check_target
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.estimates import cutoffs_needed, read_target
from pu_accessor.questions.request import (
    Columns,
    Request,
    Results,
    as_rows,
    broadcast,
    check_names,
    check_total,
    key_levels,
    map_rankings,
    name_settings,
)
from pu_accessor.ranking import FloatArray, IntArray, PairedRanks, Ranking

_ADJUSTED = {
    "holm": "p_adjusted is for all pairs (of a group and beta), by Holm's method",
    "max_t": "p_adjusted is for all pairs (of a group and beta), by max-t of their correlations",
}
_NO_SIZE = "The size of a difference, and its interval, need beta: compare(beta=0.3)."


def compare(
    request: Request,
    betas: Betas | None,
    quantity: AnyMetric,
    at: At | None,
    on: object,
    settings: Settings,
    target: str,
    adjust: str,
    alpha: float | None,
) -> pd.DataFrame:
    """Compare a quantity of models that ranked the same examples, in each group of examples."""
    entry, cutoff = _read_compared(quantity, at, alpha)
    check_target(target)
    _check_adjust(adjust, settings)
    if "test" not in entry.can:
        _check_by_row(entry, cutoff, betas, settings, target)
    if betas is not None:
        betas.refuse_odds(settings)

    def question(paired: PairedRanks, beta: Beta, _: Settings) -> Columns:
        asked = None if betas is None else beta
        _check_clusters(paired, settings, target)
        if "test" not in entry.can or (paired.rows and paired.rows.weight is not None):
            by_row = partial(compare_rows, paired, metric=entry, cutoff=cutoff)
            tests = _tests(by_row, asked, settings)
        else:
            tests = paired_tests(paired, asked, settings, target)
        if adjust == "max_t":
            pairs = tests.first, tests.second
            together = adjust_together(tests.p_value, tests.covariance, pairs)
            tests = replace(tests, p_adjusted=together)
        return _columns_of_models(paired, tests, beta.values)

    results = map_rankings(request, request.pair(on), question, betas)
    about = {"quantity": entry.name, "adjust": _ADJUSTED[adjust]}
    pairs = as_rows(results, settings=about | name_settings(settings, target, betas))
    _warn_of_chance(pairs, list(results.names))
    if betas is None:
        pairs.attrs["size"] = _NO_SIZE
    return pairs


def _read_compared(
    quantity: AnyMetric, at: At | None, alpha: float | None
) -> tuple[Metric, Cutoff | None]:
    """Return the entry of a quantity, with what it needs besides beta."""
    entry = read_metric(quantity, at, "compare")
    cutoff = entry.read_cutoff(at)
    if alpha is not None and entry.alpha is None:
        raise PUValueError(
            f"alpha must be left out to compare {entry.name!r}, but {alpha!r} was passed: it says "
            "how early is early for 'bedroc' alone."
        )
    return entry if alpha is None else bedroc(alpha), cutoff


def _check_adjust(adjust: str, settings: Settings) -> None:
    """Raise unless p values can be adjusted like this."""
    check_option("adjust", adjust, [*_ADJUSTED])
    if adjust == "max_t" and settings.failure:
        raise PUValueError(
            "adjust must be 'holm' with selection_odds above 1 or contamination, but 'max_t' was "
            "passed: p values are then the largest for any labels, and have no correlation."
        )


def _check_by_row(
    entry: Metric, cutoff: Cutoff | None, betas: Betas | None, settings: Settings, target: str
) -> None:
    """Raise where a quantity other than AUROC cannot be compared like this."""
    if betas is None:
        raise PUTypeError(
            f"beta must be passed to compare {entry.name!r}, for example 0.3: it is AUROC alone "
            "whose order does not depend on it.",
            page="many_models#which-model-is-better",
        )
    if target == "examples":
        raise PUValueError(
            f"target must be 'population' to compare {entry.name!r}, but 'examples' was passed: "
            "for these examples AUROC alone is compared.",
            page="many_models#which-model-is-better",
        )
    for name, came in settings.failure.items():
        raise PUValueError(
            f"{name} must be left out to compare {entry.name!r}, but {came:g} was passed: it is "
            "AUROC alone that has a range there."
        )
    if cutoff is not None and cutoff.kind not in FIXED:
        raise PUValueError(
            f"at must be one of {[*FIXED]} to compare {entry.name!r}, but {cutoff.kind!r} was "
            "passed, which is another cutoff for each model and beta. Pass for example at=100.",
            page="many_models#which-model-is-better",
        )


def _tests(
    compared: Callable[..., PairedTests], beta: Beta | None, settings: Settings
) -> PairedTests:
    """Test each pair of models of one group at some betas, jointly with an estimate of beta."""
    level = settings.level
    if beta is None or not beta.is_estimate:
        return compared(betas=None if beta is None else beta.values, level=level)
    return join_pairs(compared(betas=beta.grid(level), level=level), beta)


def paired_tests(
    paired: PairedRanks, beta: Beta | None, settings: Settings, target: str
) -> PairedTests:
    """Test each pair of models of one group of examples."""
    odds, wrong = settings.selection_odds, settings.contamination
    asked = None if beta is None else beta.values, settings.level, target
    if odds > 1:
        refuse_odds(odds, paired.weight is not None)
        return compare_within(paired, *asked, odds)
    if wrong:
        return compare_contaminated(paired, *asked, wrong)
    return _tests(partial(compare_paired, paired, target=target), beta, settings)


def _check_clusters(paired: PairedRanks, settings: Settings, target: str) -> None:
    """Raise where nothing is known of clusters."""
    wanted = dict.fromkeys(settings.failure, "left out")
    wanted |= {} if target == "population" else {"target": "'population'"}
    came = settings.failure | {"target": target}
    for name, allowed in wanted.items() if paired.designed else ():
        raise PUValueError(
            f"{name} must be {allowed} for compare with cluster=... or weight=..., but "
            f"{came[name]!r} was passed: clusters are a sample, of which new examples are "
            "another. Leave cluster out, or that.",
            page="clusters",
        )


def _columns_of_models(paired: PairedRanks, tests: PairedTests, betas: FloatArray) -> Columns:
    """Return the tests of one group of examples as columns, a row for each pair and beta."""
    tested = {"n": tests.n, **_test_columns(tests), "sign": tests.sign}
    if tests.has_size:
        ends = () if tests.reach is None else tests.reach
        ranges = dict(zip(("range_lower", "range_upper"), ends, strict=False))
        tested = {"beta": betas, **tested, **ranges, **_size_columns(tests)}
    return pair_columns(paired.names, [*paired.ranks], (tests.first, tests.second), tested)


def gap(
    request: Request,
    quantity: AnyMetric,
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
    is squared and added.

    *One estimate for all* is off by the same in each group: the gap is found at each beta, and
    joined as one number is (`pu_accessor.inference.estimates.joint.join_limits`).
    """
    entry = read_metric(quantity, at, "gap")
    cutoff = entry.read_cutoff(at)
    target = read_target(target, cutoff, settings)
    if betas is None:
        _check_without_beta(entry, target)
    asked, shared, at_level = _split_error(betas, settings)
    estimates = betas is not None and betas.are_estimates
    if shared is not None:
        _check_fixed(cutoff)
    grid = None if shared is None else Beta(shared.grid(settings.level))

    def question(ranking: Ranking, beta: Beta, _: Settings) -> GroupValue:
        if cutoff is not None and betas is None:
            return recall_of_group(ranking, cutoff.value, entry.less_is_better, settings.level)
        if "test" in entry.can and not estimates:
            return auroc_of_group(ranking, beta.values, target)
        value = estimate(entry, ranking, grid or beta, at_level, target, cutoff)
        n = ranking.total.known_positive
        return GroupValue(n, value.value, value.lower, value.upper)

    rankings = request.rankings(cutoffs_needed([entry], cutoff), settings)
    told = None if betas is None else settings
    clustered = target == "population"
    results = map_rankings(request, rankings, question, asked, told, clustered=clustered)
    groups, has_test = [each.content for each in results.each], False
    if shared is not None:
        if not results.skipped:
            check_total(results.each, shared)
        tests = join_gaps(find_gaps(groups), shared)
    elif "test" not in entry.can or estimates:
        tests = find_gaps(groups)
    else:
        _warn_of_lone([each.key for each in results.each if each.content.n == 1])
        tests, has_test = compare_groups(groups, settings.level), True
    gaps = _gap_frame(results, tests, has_test=has_test)
    gaps.attrs |= {"quantity": entry.name, **name_settings(settings, target, betas)}
    return gaps


def _split_error(
    betas: Betas | None, settings: Settings
) -> tuple[Betas | None, Beta | None, Settings]:
    """Return the betas of groups, the one estimate that they share, and their settings."""
    if betas is None or not betas.are_estimates:
        return betas, None, settings
    if betas.shared is not None:
        return Betas(Beta(betas.shared.values)), betas.shared, settings
    return betas, None, settings


def _check_fixed(cutoff: Cutoff | None) -> None:
    """Raise where the cutoff is another one at each beta that an estimate can be."""
    if cutoff is not None and cutoff.kind not in FIXED:
        raise PUValueError(
            f"at must be one of {[*FIXED]} where all groups share an estimate of beta, but "
            f"{cutoff.kind!r} was passed, which is another cutoff at each beta. Estimate beta in "
            "each group: beta=df.pu(by='sex').estimate_beta()."
        )


def _check_without_beta(entry: Metric, target: str) -> None:
    """Raise where a gap needs beta."""
    if "without_beta" not in entry.can or target == "examples":
        raise PUTypeError(
            f"beta must be passed for the gap of {entry.name!r} on "
            f"{'new' if target == 'population' else 'these'} examples: for example 0.3, or one "
            "for each group, {'f': 0.3, 'm': 0.2}. Only the gap of 'recall' or 'fnr' on new "
            "examples, at={'threshold': 0.5}, does without.",
            page="many_models#a-beta-for-each-group",
        )


def _gap_frame(results: Results[GroupValue], tests: PairTests, *, has_test: bool) -> pd.DataFrame:
    """Return gaps as a frame, a row for each pair of groups and beta."""
    first, second, times = tests.first, tests.second, tests.difference.shape[1]
    betas = np.stack([each.beta.values for each in results.each])
    estimates = np.stack([each.content.estimate[:times] for each in results.each])
    known = np.array([[each.content.n] for each in results.each])
    own = {"beta_a": betas[first], "beta_b": betas[second]}
    of_beta = own if results.own_beta else {"beta": betas[0]}
    columns = {
        **(of_beta if betas.size else {}),
        "n_a": known[first],
        "n_b": known[second],
        **(_test_columns(tests) if has_test else {}),
        "estimate_a": estimates[first],
        "estimate_b": estimates[second],
        **_size_columns(tests),
    }
    keys = [each.key for each in results.each]
    gaps = pd.DataFrame(pair_columns(results.names, keys, (first, second), columns))
    if results.skipped:
        gaps.attrs["skipped"] = dict(results.skipped)
    return gaps


def _size_columns(tests: PairTests) -> dict[str, FloatArray]:
    """Return the columns of a difference with its interval."""
    return {name: getattr(tests, name) for name in ("difference", "lower", "upper")}


def _test_columns(tests: PairTests) -> dict[str, FloatArray]:
    """Return the columns of a test."""
    names = ("statistic", "df", "p_value", "p_adjusted")
    return {name: getattr(tests, name) for name in names}


def pair_columns(
    names: Sequence[str],
    keys: Sequence[Hashable],
    pairs: tuple[IntArray, IntArray],
    columns: Columns,
) -> dict[str, Any]:
    """Return columns over pairs, after those of the keys of the two models, unless names meet."""
    flat = broadcast(columns)
    times = len(next(iter(flat.values()))) // pairs[0].size
    named = {
        f"{name}_{side}": level.take(positions.repeat(times))
        for side, positions in zip("ab", pairs, strict=True)
        for name, level in key_levels(names, keys).items()
    }
    check_names(names, named, columns)
    return {**named, **flat}


def _warn_of_chance(pairs: pd.DataFrame, groups: list[str]) -> None:
    """Warn where the known positives do not say how far a difference can be off."""
    alone = pairs["statistic"].isna()
    if not alone.any():
        return
    keys = pairs.loc[alone, groups].drop_duplicates() if groups else pairs[:0]
    where = f" ({_first(keys.to_dict('records'))})" if len(keys) else ""
    warn_caller(
        f"In {alone.sum()} of {len(pairs)} comparisons{where} there is one known positive alone, "
        "or one other example, or no value at the cutoff, so that statistic, p value and interval "
        "are NaN. That says nothing about chance: compare models on more known positives."
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

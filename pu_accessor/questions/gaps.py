"""A metric's gap between groups that share no examples -> one tidy frame."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.errors import PUValueError
from pu_accessor.inference.comparison.gaps import (
    GroupMetric,
    MetricGaps,
    check_beta_given,
    find_gaps,
    metric_of_group,
)
from pu_accessor.inference.estimates.cutoff_spec import At, Cutoff, read_at
from pu_accessor.inference.estimates.joint import BetaRange, join_metric_at, join_metric_on_new
from pu_accessor.inference.settings import Rule
from pu_accessor.inference.tables.rates import Metric, check_metric, metric_name
from pu_accessor.questions.betas import GroupBeta
from pu_accessor.questions.comparison import name_pairs
from pu_accessor.questions.estimates import read_target
from pu_accessor.questions.joint_gaps import OfGroup, join_gaps
from pu_accessor.questions.ranges import Ranges, read_ranges
from pu_accessor.questions.request import Asked, ask, ask_rankings
from pu_accessor.questions.rows import check_names
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, Ranking, Ranks

__all__ = ["gap"]

_FIXED = ("rank", "threshold", "fraction")


def gap(
    asked: Asked,
    name: str | Metric,
    beta: GroupBeta | None,
    at: At,
    rules: Rules,
    target: str | None,
    *,
    joint: str = "approximate",
) -> pd.DataFrame:
    """Return the gap between each pair of groups."""
    check_metric(name)
    cutoff = read_at(at)
    about = read_target(target, cutoff, rules)
    check_beta_given(beta is not None, name, about)
    # What a user's function maximises can be anywhere.
    ranks: Ranks = "all" if cutoff.value != cutoff.value and callable(name) else "breakpoints"
    ranges = None if beta is None else read_ranges(beta, rules, joint)
    if ranges is not None:
        return _with_ranges(asked, name, ranges, cutoff, ranks, rules, about)

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> GroupMetric:
        some = None if beta is None else betas
        return metric_of_group(ranking, some, name, cutoff, about, rule)

    if beta is None:
        answers = ask(asked, asked.rank(ranks), lambda one, _: question(one, _, rules.shared))
    else:
        answers = ask_rankings(asked, ranks, beta, rules, question)
    groups = [answer.content for answer in answers.each]
    found = find_gaps(groups)
    times = found.difference.shape[1]
    first, second = (np.repeat(side, times) for side in (found.first, found.second))
    place = np.tile(np.arange(times), found.first.size)
    own = ["beta_a", "beta_b"] if answers.own_beta else ["beta"]
    sides = [] if beta is None else [*zip(own, (first, second), strict=False)]
    every = [answer.betas for answer in answers.each]
    betas = {key: np.stack(every)[side, place] for key, side in sides}
    columns = betas | _columns(groups, found, metric_name(name), rules, about)
    pairs = name_pairs(answers.names, [a.key for a in answers.each], first, second)
    check_names([*answers.names], pairs, columns)
    return pd.DataFrame({**pairs, **columns})


def _with_ranges(
    asked: Asked,
    name: str | Metric,
    ranges: Ranges,
    cutoff: Cutoff,
    ranks: Ranks,
    rules: Rules,
    about: str,
) -> pd.DataFrame:
    """Return gaps that hold jointly with estimates of beta."""
    if not ranges.names and cutoff.kind not in _FIXED:
        raise PUValueError(
            f"at must be one of {[*_FIXED]} where all groups share an estimate of beta, but "
            f"{cutoff.kind!r} was passed, which is another cutoff at each beta. Estimate beta in "
            "each group: beta=df.pu(by='sex').estimate_beta()."
        )

    def at(ranking: Ranking, betas: FloatArray, level: float) -> GroupMetric:
        rule = replace(rules.shared, level=level)
        return metric_of_group(ranking, betas, name, cutoff, about, rule)

    def joined(ranking: Ranking, beta: BetaRange, level: float) -> GroupMetric:
        rule, joint = replace(rules.shared, level=level), ranges.joint
        if about == "population":
            found = join_metric_on_new(ranking, beta, name, cutoff.value, rule, joint)
        else:
            found = join_metric_at(ranking, beta, name, cutoff, rule, joint)
        n = ranking.total.known_positive
        return GroupMetric(n, found.estimate, found.lower, found.upper)

    gaps = join_gaps(asked, ranks, ranges, rules, OfGroup(at, joined))
    columns = gaps.told(_columns(gaps.groups, gaps.found, metric_name(name), rules, about))
    pairs = name_pairs(gaps.names, gaps.keys, gaps.found.first, gaps.found.second)
    check_names([*gaps.names], pairs, columns)
    return pd.DataFrame({**pairs, **columns})


def _columns(
    groups: list[GroupMetric], found: MetricGaps, name: str, rules: Rules, about: str
) -> dict[str, Any]:
    """Return gaps as columns, a row for each pair and beta."""
    times = found.difference.shape[1]
    first, second = (np.repeat(side, times) for side in (found.first, found.second))
    place = np.tile(np.arange(times), found.first.size)
    estimates = np.stack([group.estimate for group in groups])
    known = np.array([group.n for group in groups])
    return {
        "metric": name,
        "estimate_a": estimates[first, place],
        "estimate_b": estimates[second, place],
        "difference": found.difference.ravel(),
        "lower": found.lower.ravel(),
        "upper": found.upper.ravel(),
        "level": rules.shared.level,
        "n_a": known[first],
        "n_b": known[second],
        "target": about,
    }

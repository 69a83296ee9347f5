"""Gaps between groups that hold jointly with estimates of beta: one for all, or one for each."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.inference.comparison.gaps import GroupMetric, MetricGaps, find_gaps
from pu_accessor.inference.estimates.joint import BetaRange, join_limits, ranking_level
from pu_accessor.questions.ranges import Ranges
from pu_accessor.questions.request import Asked, ask_rankings
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import Counts, FloatArray, Ranking, Ranks

__all__ = ["JointGaps", "OfGroup", "join_gaps"]


class OfGroup(NamedTuple):
    """How a number of one group is found.

    Parameters
    ----------
    at : callable
        From a ranking, betas and a level to the number at each.
    joined : callable
        From a ranking, an estimate of beta and a level to the number, whatever beta is.
    """

    at: Callable[[Ranking, FloatArray, float], GroupMetric]
    joined: Callable[[Ranking, BetaRange, float], GroupMetric]


class JointGaps(NamedTuple):
    """The gaps between groups, and what they come from.

    Parameters
    ----------
    names : tuple of str
        Of the levels of keys.
    keys : list of hashable
        Of the groups.
    groups : list of GroupMetric
        At the estimate of beta.
    found : MetricGaps
        The gaps.
    betas : dict of str to array-like
        What tells of beta, for each pair.
    skipped : dict of str to str
        Groups that are left out, and why.
    """

    names: tuple[str, ...]
    keys: list[Hashable]
    groups: list[GroupMetric]
    found: MetricGaps
    betas: dict[str, Any]
    skipped: dict[str, str]

    def told(self, columns: dict[str, Any]) -> dict[str, Any]:
        """Return columns of gaps with what tells of beta: its point first."""
        first = [name for name in self.betas if name in ("beta", "beta_a", "beta_b")]
        return {name: self.betas[name] for name in first} | columns | self.betas


def join_gaps(
    asked: Asked, ranks: Ranks, ranges: Ranges, rules: Rules, of_group: OfGroup
) -> JointGaps:
    """Return gaps that hold whatever beta is, as far as its interval holds.

    Notes
    -----
    An estimate of beta *for each group* makes an interval of each that holds jointly with it. The
    groups are independent, and so are estimates that were made in each: what both can be off by
    is squared and added. Guaranteed is the gap between the ends of both, each at half of 1 -
    level.

    *One estimate for all* is off by the same in each group: the gap is found at each beta, and
    joined as one number is (`pu_accessor.inference.estimates.joint.join_limits`).
    """
    level, sure = rules.shared.level, ranges.joint == "guaranteed"
    one = None if ranges.names else ranges.each[()]
    every = np.empty(0) if one is None else one.betas(level, ranges.joint)
    left = round((1 + level) / 2, 12) if sure and one is None else level
    inner = ranking_level(level, one.level) if sure and one is not None else left

    def joined(ranking: Ranking, beta: BetaRange) -> GroupMetric:
        if one is not None:
            return of_group.at(ranking, every, inner)
        beta.check_counts(ranking.total)
        return of_group.joined(ranking, beta, left)

    def never(ranking: Ranking, betas: FloatArray, rule: Any) -> GroupMetric:
        raise AssertionError

    answers = ask_rankings(asked, ranks, ranges, rules, never, joined=joined)
    groups = [answer.content for answer in answers.each]
    found = find_gaps(groups, apart=sure and one is None)
    first, second = found.first, found.second
    told: dict[str, Any]
    if one is None:
        betas = [ranges.of(answers.names, answer.key).beta for answer in answers.each]
        told = {"beta_a": np.array(betas)[first], "beta_b": np.array(betas)[second]}
    else:
        totals = [answer.about.total for answer in answers.each if answer.about is not None]
        if not answers.skipped:
            one.check_counts(Counts(*map(sum, zip(*totals, strict=True))))
        limits = join_limits(found.difference, found.lower, found.upper, one, ranges.joint)
        found = MetricGaps(first, second, found.difference[:, :1], *limits)
        groups = [_at_point(group) for group in groups]
        told = {"beta": one.beta, "beta_lower": one.lower, "beta_upper": one.upper}
    keys = [answer.key for answer in answers.each]
    told["joint"] = ranges.joint
    return JointGaps(answers.names, keys, groups, found, told, dict(answers.skipped))


def _at_point(group: GroupMetric) -> GroupMetric:
    """Return a number of a group at the first beta alone."""
    return GroupMetric(group.n, group.estimate[:1], group.lower[:1], group.upper[:1])

"""Gaps between groups that hold jointly with estimates of beta: one for all, or one for each."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.inference.comparison.gaps import GroupMetric, MetricGaps, find_gaps
from pu_accessor.inference.estimates.joint import join_limits
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Request, map_rankings
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
    request: Request, ranks: Ranks, betas: Betas, settings: Settings, of_group: OfGroup
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
    guaranteed, shared = betas.joint == "guaranteed", betas.shared
    level = settings.level
    apart = round((1 + level) / 2, 12) if guaranteed else level
    at_left_level = betas.leave(settings).level

    def question(ranking: Ranking, beta: BetaRange, _: Settings) -> GroupMetric:
        if shared is not None:
            return of_group.at(ranking, shared.grid(level, betas.joint), at_left_level)
        return of_group.joined(ranking, beta, apart)

    # An estimate that all groups share is about all of their examples, which is checked below.
    points = betas if shared is None else Betas(BetaRange(shared.values))
    rankings = request.rankings(ranks, settings)
    results = map_rankings(request, rankings, question, points, settings)
    groups = [result.content for result in results.each]
    found = find_gaps(groups, apart=guaranteed and shared is None)
    first, second = found.first, found.second
    told: dict[str, Any]
    if shared is None:
        values = np.array([result.beta.point for result in results.each])
        told = {"beta_a": values[first], "beta_b": values[second]}
    else:
        totals = [result.about.total for result in results.each if result.about is not None]
        if not results.skipped:
            shared.check_counts(Counts(*map(sum, zip(*totals, strict=True))))
        limits = join_limits(found.difference, found.lower, found.upper, shared, betas.joint)
        found = MetricGaps(first, second, found.difference[:, :1], *limits)
        groups = [_at_point(group) for group in groups]
        told = {"beta": shared.point, "beta_lower": shared.lower, "beta_upper": shared.upper}
    keys = [result.key for result in results.each]
    told["joint"] = betas.joint
    return JointGaps(results.names, keys, groups, found, told, dict(results.skipped))


def _at_point(group: GroupMetric) -> GroupMetric:
    """Return a number of a group at the first beta alone."""
    return GroupMetric(group.n, group.estimate[:1], group.lower[:1], group.upper[:1])

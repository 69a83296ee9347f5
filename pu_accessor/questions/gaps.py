"""A metric's gap between groups that share no examples -> one tidy frame."""

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
from pu_accessor.inference.estimates.joint import join_metric_at, join_metric_on_new
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.inference.tables.rates import Metric, check_metric, metric_name
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.comparison import name_pairs
from pu_accessor.questions.estimates import read_target
from pu_accessor.questions.joint_gaps import OfGroup, join_gaps
from pu_accessor.questions.request import Request, map_rankings
from pu_accessor.questions.rows import check_names
from pu_accessor.ranking import FloatArray, Ranking, Ranks

__all__ = ["gap"]

_FIXED = ("rank", "threshold", "fraction")


def gap(
    request: Request,
    name: str | Metric,
    betas: Betas | None,
    at: At,
    settings: Settings,
    target: str | None,
) -> pd.DataFrame:
    """Return the gap between each pair of groups."""
    check_metric(name)
    cutoff = read_at(at)
    about = read_target(target, cutoff, settings)
    check_beta_given(betas is not None, name, about)
    # What a user's function maximises can be anywhere.
    ranks: Ranks = "all" if cutoff.value != cutoff.value and callable(name) else "breakpoints"
    if betas is not None and betas.are_estimates:
        return _with_estimates(request, name, betas, cutoff, ranks, settings, about)

    def question(ranking: Ranking, beta: BetaRange, _: Settings) -> GroupMetric:
        values = None if betas is None else beta.values
        return metric_of_group(ranking, values, name, cutoff, about, settings)

    described = None if betas is None else settings
    results = map_rankings(request, request.rank(ranks), question, betas, described)
    groups = [result.content for result in results.each]
    found = find_gaps(groups)
    times = found.difference.shape[1]
    first, second = (np.repeat(side, times) for side in (found.first, found.second))
    place = np.tile(np.arange(times), found.first.size)
    own = ["beta_a", "beta_b"] if results.own_beta else ["beta"]
    sides = [] if betas is None else [*zip(own, (first, second), strict=False)]
    values = [result.beta.values for result in results.each]
    own_values = {key: np.stack(values)[side, place] for key, side in sides}
    columns = own_values | _columns(groups, found, metric_name(name), settings, about)
    pairs = name_pairs(results.names, [result.key for result in results.each], first, second)
    check_names([*results.names], pairs, columns)
    return pd.DataFrame({**pairs, **columns})


def _with_estimates(
    request: Request,
    name: str | Metric,
    betas: Betas,
    cutoff: Cutoff,
    ranks: Ranks,
    settings: Settings,
    about: str,
) -> pd.DataFrame:
    """Return gaps that hold jointly with estimates of beta."""
    if betas.shared is not None and cutoff.kind not in _FIXED:
        raise PUValueError(
            f"at must be one of {[*_FIXED]} where all groups share an estimate of beta, but "
            f"{cutoff.kind!r} was passed, which is another cutoff at each beta. Estimate beta in "
            "each group: beta=df.pu(by='sex').estimate_beta()."
        )

    def at(ranking: Ranking, values: FloatArray, level: float) -> GroupMetric:
        return metric_of_group(ranking, values, name, cutoff, about, settings.at_level(level))

    def joined(ranking: Ranking, beta: BetaRange, level: float) -> GroupMetric:
        rule, joint = settings.at_level(level), betas.joint
        if about == "population":
            found = join_metric_on_new(ranking, beta, name, cutoff.value, rule, joint)
        else:
            found = join_metric_at(ranking, beta, name, cutoff, rule, joint)
        n = ranking.total.known_positive
        return GroupMetric(n, found.estimate, found.lower, found.upper)

    gaps = join_gaps(request, ranks, betas, settings, OfGroup(at, joined))
    columns = gaps.told(_columns(gaps.groups, gaps.found, metric_name(name), settings, about))
    pairs = name_pairs(gaps.names, gaps.keys, gaps.found.first, gaps.found.second)
    check_names([*gaps.names], pairs, columns)
    return pd.DataFrame({**pairs, **columns})


def _columns(
    groups: list[GroupMetric], found: MetricGaps, name: str, settings: Settings, about: str
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
        "level": settings.level,
        "n_a": known[first],
        "n_b": known[second],
        "target": about,
    }

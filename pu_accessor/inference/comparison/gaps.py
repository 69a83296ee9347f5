"""The gap between groups that share no examples, from the interval of each."""

from typing import NamedTuple

import numpy as np

from pu_accessor.errors import PUTypeError
from pu_accessor.inference.comparison.pairwise import find_pairs
from pu_accessor.inference.estimates.binomial import metric_on_new, wilson
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.delong import check_unweighted
from pu_accessor.inference.estimates.metric_at import metric_at
from pu_accessor.inference.settings import Rule
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.inference.tables.rates import Metric, metric_name
from pu_accessor.ranking import FloatArray, IntArray, Ranking

__all__ = ["GroupMetric", "MetricGaps", "check_beta_given", "find_gaps", "metric_of_group"]

_OF_POSITIVES = ("recall", "tpr", "fnr")  # what known positives alone say of new examples


class GroupMetric(NamedTuple):
    """A metric of one group at some betas.

    Parameters
    ----------
    n : int
        Known positives.
    estimate, lower, upper : ndarray of float64, shape (betas,)
        One entry where no beta was asked for.
    """

    n: int
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray


class MetricGaps(NamedTuple):
    """The gaps between each pair of groups.

    Parameters
    ----------
    first, second : ndarray of int64, shape (pairs,)
        Positions of the groups.
    difference, lower, upper : ndarray of float64, shape (pairs, betas)
        The metric of the first less that of the second.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray


def check_beta_given(given: bool, name: str | Metric, target: str) -> None:
    """Raise where a gap needs beta and there is none."""
    if not given and (name not in _OF_POSITIVES or target == "examples"):
        raise PUTypeError(
            f"beta must be passed for the gap of {metric_name(name)!r} on "
            f"{'new' if target == 'population' else 'these'} examples: for example 0.3, or one "
            "for each group, {'f': 0.3, 'm': 0.2}. Only the gap of 'recall' or 'fnr' on new "
            "examples, at={'threshold': 0.5}, does without.",
            page="many_models#a-beta-for-each-group",
        )


def metric_of_group(
    ranking: Ranking,
    betas: FloatArray | None,
    name: str | Metric,
    cutoff: Cutoff,
    target: str,
    rule: Rule,
) -> GroupMetric:
    """Evaluate a metric of one group, for `find_gaps`."""
    n = ranking.total.known_positive
    if betas is None:
        return GroupMetric(n, *_rate_on_new(ranking, cutoff.value, name == "fnr", rule.level))
    if target == "population":
        found = metric_on_new(ranking, betas, name, cutoff.value, rule)
    else:
        found = metric_at(ranking, betas, name, cutoff, rule)
    return GroupMetric(n, found.estimate, found.lower, found.upper)


def _rate_on_new(
    ranking: Ranking, threshold: float, missed: bool, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the share of positives above a threshold, or below, with Wilson's interval."""
    check_unweighted(ranking, "gap")
    check_labels(np.zeros(1), ranking.total)
    n = ranking.total.known_positive
    here = ranking.at(np.array([ranking.above(threshold)], np.int64)).known_positive
    found = (n - here if missed else here).astype(np.float64)
    return found / n, *wilson(found, n, level)


def find_gaps(groups: list[GroupMetric], *, apart: bool = False) -> MetricGaps:
    """Return the gap between each pair of groups, with its interval.

    Notes
    -----
    The groups are independent. How far the gap can be off on one side is how far the one estimate
    can be off on that side and the other on its other side, squared and added: the MOVER [1]_.
    With Wilson's intervals of two proportions that is Newcombe's method 10 [2]_.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] R. G. Newcombe, *Interval estimation for the difference between independent
       proportions: comparison of eleven methods*, Statistics in Medicine 17 (1998) 873-890.

    Examples
    --------
    >>> one, other = (
    ...     GroupMetric(n, np.array([k / n]), *wilson(np.array([float(k)]), n, 0.95))
    ...     for k, n in ((56, 70), (48, 80))
    ... )
    >>> gaps = find_gaps([one, other])
    >>> gaps.difference.round(4), gaps.lower.round(4), gaps.upper.round(4)
    (array([[0.2]]), array([[0.0524]]), array([[0.3339]]))
    """
    first, second = find_pairs(len(groups))
    estimate, lower, upper = (
        np.stack([getattr(group, name) for group in groups])
        for name in ("estimate", "lower", "upper")
    )
    down, up = np.maximum(estimate - lower, 0), np.maximum(upper - estimate, 0)
    difference, both = estimate[first] - estimate[second], np.add if apart else np.hypot
    return MetricGaps(
        first,
        second,
        difference,
        difference - both(down[first], up[second]),
        difference + both(up[first], down[second]),
    )

"""Compare the averages of models over the same groups, such as queries or users."""

from collections.abc import Sequence

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.comparison.pair_tests import (
    compare_by_t,
    list_pairs,
    show_estimate,
    subtract,
)
from pu_accessor.inference.estimates.macro_average import (
    GroupTerms,
    count_shared_clusters,
    shared_cluster_variance,
)
from pu_accessor.inference.metrics import Metric


def compare_averages(metric: Metric, models: Sequence[GroupTerms], level: float) -> Answer:
    """Compare the averages of models over the same groups by Student's t: all pairs."""
    # One group that was not seen moves as far as the farthest that was or, where models may differ
    # without a move of a group, as one known positive moves it.
    pairs, (number, _) = list_pairs(len(models)), models[0].value.shape
    if number < 2:
        raise PUDataError(f"average=True needs 2 groups or more, not {number}. Omit average.")
    moved = subtract(np.stack([one.value for one in models]), pairs)
    difference = moved.mean(axis=1)
    farthest = np.abs(moved - difference[:, np.newaxis]).max(axis=1)
    if metric.estimator is None or metric.own_cutoff is not None:
        steps = [((one.high - one.low) / one.known).mean(axis=0) for one in models]
        farthest = np.maximum(farthest, np.max(steps, axis=0))
    variance, df = moved.var(axis=1) / number + farthest**2 / number**2, number - 1.0
    for pair, (a, b) in enumerate(zip(*pairs, strict=True)):
        added = shared_cluster_variance(_subtract_clusters(models[a], models[b]), moved[pair], 1.0)
        variance[pair] += added / number
    df = min(df, min(map(count_shared_clusters, models)) - 1.0)
    span = max(float((one.ceiling - one.floor).mean(axis=0).max()) for one in models)
    tests = compare_by_t(difference, np.sqrt(variance), np.full((1, 1), df), level)
    return show_estimate(tests, difference, span)


def _subtract_clusters(one: GroupTerms, other: GroupTerms) -> GroupTerms:
    """Return the terms of one model, whose clusters add differences from another."""
    if one.clusters is None or other.clusters is None:
        return one
    influence = one.clusters.influence - other.clusters.influence
    return one._replace(clusters=one.clusters._replace(influence=influence))

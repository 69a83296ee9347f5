"""Find the threshold at which averages over groups are best, as protein function prediction does.

At each threshold precision is averaged over the groups with an example there, recall over all; the
metric is taken of both means, and of all thresholds the highest value: Fmax (P. Radivojac et al.,
Nature Methods 10 (2013) 221-227). At a maximum the error of the threshold is of second order, so
that the interval is that at the threshold, by Student's t over groups.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.answer import Answer, join_answers
from pu_accessor.inference.estimates.known_positives import count_positives
from pu_accessor.inference.estimates.macro_average import require_known
from pu_accessor.inference.metrics import Metric
from pu_accessor.ranking import FloatArray, Ranking

_STEP = 1e-6  # of means, for the slope of a metric


class GroupCurve(NamedTuple):
    """The precision and recall of a group at each of its scores, best first."""

    threshold: FloatArray
    precision: FloatArray  # shape (thresholds, betas)
    recall: FloatArray


def check_best_average(metric: Metric) -> None:
    """Raise unless a metric depends on precision and recall alone."""
    if metric.estimator is not None or metric.counts_negatives:
        raise PUValueError(
            f"at must not be 'maximum' for the average of {metric.name!r}, no function of "
            "mean precision and recall. Pass 'f1', or at={'threshold': 0.5}."
        )


def group_curve(ranking: Ranking, betas: FloatArray) -> GroupCurve:
    """Return what a group adds to the means at each threshold."""
    require_known(ranking, betas)
    retrieved = sum(ranking.total) - ranking.unranked
    ranked = slice(1, np.searchsorted(ranking.rank, retrieved, side="right"))
    recall = ranking.known_positive[ranked] / ranking.total.known_positive
    head = ranking.rank[ranked, np.newaxis]
    precision = np.multiply.outer(recall, count_positives(ranking.total, betas)) / head
    return GroupCurve(ranking.threshold[ranked], precision, recall)


def best_average(metric: Metric, groups: Sequence[GroupCurve], level: float) -> Answer:
    """Return the highest value of a metric of mean precision and recall, at each beta."""
    if (number := len(groups)) < 2:
        raise PUDataError(f"average=True needs 2 groups or more, not {number}. Omit average.")
    betas = range(groups[0].precision.shape[1])
    each = [[one._replace(precision=one.precision[:, b]) for one in groups] for b in betas]
    return join_answers([_best_at_beta(metric, of_beta, level) for of_beta in each])


def _best_at_beta(metric: Metric, groups: Sequence[GroupCurve], level: float) -> Answer:
    """Return the highest value at one beta, its threshold and its interval."""
    number, sizes = len(groups), [group.threshold.size for group in groups]
    threshold = np.concatenate([group.threshold for group in groups])
    owner = np.repeat(range(number), sizes)
    # What each score adds to its group, whose first has a prediction from there on.
    means = ([getattr(group, name) for group in groups] for name in ("precision", "recall"))
    steps = [np.concatenate([np.diff(each, prepend=0) for each in mean]) for mean in means]
    added = np.stack([*steps, np.diff(owner, prepend=-1) > 0])
    order = np.argsort(-threshold, kind="stable")
    is_last = np.append(np.diff(threshold[order]) != 0, True)
    precision, recall, predicted = np.cumsum(added[:, order], axis=1)[:, is_last]
    values = _of_means(metric, precision / predicted, recall / number)
    if np.isnan(values).all():
        raise PUDataError(f"{metric.name} has no value at any threshold. Pass 'f1'.")
    best = int(np.nanargmax(values))
    chosen = threshold[order][is_last][best]
    own = np.stack([np.bincount(owner, part * (threshold >= chosen), number) for part in added])
    point = np.array([precision[best] / predicted[best], recall[best] / number])
    influence = (own[0] - own[2] * point[0]) * number / predicted[best], own[1] - point[1]
    beside = point + _STEP * np.array([[0, 0], [1, 0], [0, 1]])
    value, *moved = _of_means(metric, *beside.T).tolist()
    slope = (np.array(moved) - value) / _STEP
    error = float(np.std(slope @ np.stack(influence), ddof=1)) / number**0.5
    half = scipy.special.stdtrit(number - 1, 0.5 + level / 2) * error
    parts = np.clip([[value], [value - half], [value + half]], 0, 1)
    columns = {"threshold": chosen, "standard_error": error, "beyond": False}
    rows = {name: np.array([column]) for name, column in columns.items()}
    return Answer(parts[0], parts[1], parts[2], rows["standard_error"], rows)


def _of_means(metric: Metric, precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Return a metric of precision and recall."""
    with np.errstate(divide="ignore", invalid="ignore"):
        predicted = np.where(recall > 0, recall / precision, 1.0)
        values: FloatArray = metric(recall, predicted - recall, 1 - recall, 0 * recall + np.nan)
    return values

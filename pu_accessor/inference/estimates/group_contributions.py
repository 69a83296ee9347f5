"""What one group, such as a query or a user, adds to an average over groups."""

from typing import NamedTuple

import numpy as np

from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.estimates.auroc import auroc_and_error
from pu_accessor.inference.estimates.average_precision import precision_and_error
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.delong import find_placements, place_stack
from pu_accessor.inference.estimates.known_positives import count_negatives, count_positives
from pu_accessor.inference.estimates.metric_at import fixed_cutoff
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.inference.tables.rates import Metric, evaluate, metric_name
from pu_accessor.ranking import FloatArray, Ranking, Stack

__all__ = [
    "GroupTerm",
    "area_under_pr",
    "area_under_roc",
    "areas_under_roc",
    "check_fixed",
    "rate_at",
]

_ROUNDING = 1e-9
_FIXED = ("rank", "threshold", "fraction")


class GroupTerm(NamedTuple):
    """What one group adds to an average, at some betas.

    Parameters
    ----------
    value : ndarray of float64, shape (betas,)
        Its unbiased estimate, which may lie outside [0, 1].
    low, high : ndarray of float64, shape (betas,)
        What that would be with all known positives at the worst and at the best place.
    square : ndarray of float64, shape (betas,)
        Its squared standard error for these examples: 0 where nothing is hidden, NaN where the
        group cannot tell, as with one known positive.
    hidden : ndarray of float64, shape (betas,)
        The share of its positives that is hidden.
    known : int
        Known positives.
    floor, ceiling : float or ndarray of float64, shape (betas,)
        The least and the most that there can be: 0 and 1, or beyond, as of lift.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    square: FloatArray
    hidden: FloatArray
    known: int
    floor: FloatArray | float = 0.0
    ceiling: FloatArray | float = 1.0


def area_under_roc(ranking: Ranking, betas: FloatArray, target: str) -> GroupTerm:
    """Return what a group adds to the average AUROC."""
    _check(ranking, betas)
    negatives = np.array([float(each) for each in count_negatives(ranking.total, betas)])
    if target == "population":  # where groups are pooled each is among its own
        value, error = find_placements(ranking).auroc(ranking.total, betas), np.nan * betas
    else:
        value, error = auroc_and_error(ranking, betas)
    rest = sum(ranking.total) - ranking.total.known_positive
    least = -(rest - negatives) / (2 * negatives)  # known positives below all others
    floats = np.array([float(each) for each in value])
    return _term(ranking, betas, floats, (least, least + rest / negatives), error)


def areas_under_roc(stack: Stack, betas: FloatArray) -> list[GroupTerm | None]:
    """Return what many groups add to the average AUROC on new groups."""
    known, negative, unlabeled = stack.total.T[:, :, np.newaxis]
    negatives = negative + unlabeled * (1 - betas)
    rest = np.broadcast_to(negative + unlabeled, betas.shape)
    plain = ((known > 0) & (negatives > 0) & ((unlabeled > 0) | (betas == 0))).all(axis=1)
    above = place_stack(stack).above[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        least, stretch = -(rest - negatives) / (2 * negatives), rest / negatives
        value, most = least + above * stretch, least + stretch
    unknown = np.full(betas.shape[1], np.nan)  # of new groups neither is asked for
    parts = zip(value, least, most, known[:, 0].tolist(), strict=True)
    return [
        GroupTerm(one, low, high, unknown, unknown, n) if there else None
        for there, (one, low, high, n) in zip(plain.tolist(), parts, strict=True)
    ]


def area_under_pr(ranking: Ranking, betas: FloatArray) -> GroupTerm:
    """Return what a group adds to the mean average precision."""
    _check(ranking, betas)
    value, error = precision_and_error(ranking, betas)
    if np.isnan(value).any():
        raise PUDataError(
            "average precision needs two known positives where others are hidden: one says "
            "nothing of how many lie above it. Leave such groups out, "
            "df.pu(by='query', on_error='skip'), or average AUROC, which takes them."
        )
    positives = count_positives(ranking.total, betas).as_floats()
    ends = np.zeros(betas.size), positives / ranking.total.known_positive
    return _term(ranking, betas, value, ends, error)


def rate_at(ranking: Ranking, betas: FloatArray, name: str | Metric, cutoff: Cutoff) -> GroupTerm:
    """Return what a group adds to the average of a metric at a cutoff."""
    _check(ranking, betas)
    n, examples = ranking.total.known_positive, sum(ranking.total)
    here = fixed_cutoff(ranking, cutoff)
    positives = count_positives(ranking.total, betas).as_floats()
    share = float(here.known_positive[0]) / n
    predicted = float(here.rank[0])
    found = np.multiply.outer(np.array([share, 0.0, 0.5, 1.0]), positives)
    possible = np.maximum(predicted + positives - examples, 0), np.minimum(predicted, positives)
    found = np.concatenate([found, possible])
    value, least, middle, most, *extremes = evaluate(
        name, found, predicted - found, positives - found, examples - positives - predicted + found
    ).astype(np.float64)
    if np.isnan([least, most]).any():
        raise PUDataError(
            f"{metric_name(name)} has no value at rank {predicted:g} of {examples} examples, but "
            "an average needs one. Take another cutoff, or leave such groups out: "
            "df.pu(by='query', on_error='skip')."
        )
    if (np.abs(middle - (least + most) / 2) > _ROUNDING * (1 + np.abs(most - least))).any():
        raise PUValueError(
            f"average must be False for {metric_name(name)!r}, which does not grow evenly "
            "with the true positives at a cutoff: with few of them known the value of each group "
            "is off to one side. Average 'precision', 'recall' or 'f1'."
        )
    error = _share_error(share, n, positives) * np.abs(most - least)
    ends = np.minimum(least, most), np.maximum(least, most)
    return _term(ranking, betas, value, ends, error)._replace(
        floor=np.minimum(0.0, extremes).min(axis=0), ceiling=np.maximum(1.0, extremes).max(axis=0)
    )


def check_fixed(cutoff: Cutoff) -> None:
    """Raise where groups choose a cutoff each by what they estimate."""
    if cutoff.kind not in _FIXED:
        raise PUValueError(
            f"at must be one of {[*_FIXED]} with average=True, but {cutoff.kind!r} was passed, "
            "which each group would choose by what it estimates. For example at={'rank': 10}."
        )


def _check(ranking: Ranking, betas: FloatArray) -> None:
    """Raise where a group adds nothing."""
    if not ranking.total.known_positive:
        raise PUDataError(
            f"An average needs a known positive in each group, but none of {sum(ranking.total)} "
            "examples is one. Leave such groups out, df.pu(by='query', on_error='skip'): the "
            "average "
            "is then over groups with a known positive."
        )
    check_labels(betas, ranking.total)
    if ranking.weight is not None:
        raise PUValueError(
            "average must be False with propensity=..., but True was passed: the scatter of "
            "groups whose known positives count differently has not been worked out. Leave the "
            "propensities out, or ask each group.",
            page="biased_labels",
        )


def _share_error(share: float, n: int, positives: FloatArray) -> FloatArray:
    """Return the standard error of the share of positives at or above a cutoff, of n known."""
    if n == 1:
        return np.full(positives.size, np.nan)
    error: FloatArray = np.sqrt(share * (1 - share) / (n - 1) * (1 - n / positives))
    return error


def _term(
    ranking: Ranking,
    betas: FloatArray,
    value: FloatArray,
    ends: tuple[FloatArray, FloatArray],
    error: FloatArray,
) -> GroupTerm:
    """Put together what a group adds."""
    n = ranking.total.known_positive
    hidden = 1 - n / count_positives(ranking.total, betas).as_floats()
    return GroupTerm(value, *ends, np.where(hidden > 0, error**2, 0.0), hidden, n)

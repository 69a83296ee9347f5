"""Net benefit: what a threshold is worth, where a probability is worth acting on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import Interval, as_array
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Table, make_tables
from pu_accessor.inference.tables.curves import point_envelopes
from pu_accessor.ranking import FloatArray, IntArray, Ranking


class NetBenefit(NamedTuple):
    """Net benefit of one ranking."""

    rank: IntArray  # examples that are treated
    value: FloatArray  # shape (thresholds, 3, betas)
    treat_all: FloatArray  # shape (thresholds, betas)
    envelope: FloatArray | None  # shape (thresholds, 2, betas), within an interval of beta


def as_thresholds(thresholds: float | Sequence[float] | FloatArray | None) -> FloatArray:
    """Check thresholds and return them as an array."""
    if thresholds is None:
        return np.arange(1, 100) / 100
    found = as_array(thresholds)
    if found.ndim > 1 or (found.size and found.dtype.kind not in "iuf"):
        raise PUTypeError(
            "thresholds must be a number or a one-dimensional array of numbers, but "
            f"{thresholds!r} was passed. For example thresholds=[0.1, 0.2, 0.3]."
        )
    found = np.atleast_1d(found).astype(np.float64)
    outside = found[~((found > 0) & (found < 1))]
    if outside.size or not found.size or np.unique(found).size < found.size:
        came = f"{outside.tolist()[:5]}" if outside.size else f"{found.tolist()[:20]}"
        raise PUValueError(
            f"thresholds must be probabilities above 0 and below 1, each once, but {came} was "
            "passed. At 0 and 1 a false positive costs nothing, or everything: start at 0.01."
        )
    return np.sort(found)


def check_probabilities(ranking: Ranking, question: str) -> None:
    """Raise unless all scores lie in [0, 1]."""
    ends = np.array([np.nextafter(1, 2), 0.0, -np.inf])
    above, inside, every = ranking.above_each(ends).tolist()
    if outside := above + every - inside:
        raise PUDataError(
            f"{question} needs scores that are probabilities, but {outside} of {every} lie "
            "outside [0, 1]. Turn them into probabilities of being positive first, for example "
            "by scikit-learn's CalibratedClassifierCV or 1/(1 + exp(-score)) of log-odds.",
            page="practice#net-benefit",
        )


def net_benefit_at(
    ranking: Ranking,
    betas: FloatArray,
    thresholds: FloatArray,
    rule: Settings,
    interval: Interval | None = None,
) -> NetBenefit:
    """Return the net benefit at some thresholds, with its bounds.

    Notes
    -----
    TP/N - FP/N * t/(1 - t) at the threshold t [1]_: who would treat from the probability t on
    takes a false positive for t/(1 - t) of a true one. It grows with TP where TP + FP is fixed,
    so that it is bounded by the two tables.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin, *Decision curve analysis: a novel method for evaluating
       prediction models*, Medical Decision Making 26 (2006) 565-574.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> score = np.append(np.inf, np.arange(12, 0, -1) / 13)
    >>> ranking = Ranking(rank, score, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = net_benefit_at(ranking, np.array([0.25]), np.array([0.5]), Settings())
    >>> found.value[0, :, 0].round(3), found.treat_all.round(3)
    (array([0.   , 0.333, 0.333]), array([[0.]]))
    """
    check_probabilities(ranking, "net_benefit")
    ranks = ranking.above_each(thresholds)
    some, place = np.unique(ranks, return_inverse=True)
    tables = make_tables(ranking.at(some), betas, rule, interval)
    examples = sum(ranking.total)
    odds = (thresholds / (1 - thresholds))[:, np.newaxis, np.newaxis]

    def worth(table: Table) -> FloatArray:
        true, false = table.tp[place], table.fp[place]
        value: FloatArray = (true - false * odds) / examples
        return value

    treat_all = (tables.positives - tables.negatives * odds[:, 0]) / examples
    envelope = None
    if tables.inner is not None:
        envelope = np.stack(point_envelopes(tables, tables.inner, worth, kinks=False), axis=1)
    return NetBenefit(ranks, worth(tables.table), treat_all, envelope)

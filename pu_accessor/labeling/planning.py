"""Plan the number of labels made by hand, and of known positives."""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import scipy

from pu_accessor.checks import check_count, check_level, check_share, with_example
from pu_accessor.errors import PUDataError, PUTypeError, brief
from pu_accessor.inference.areas_on_future_data import auroc_interval
from pu_accessor.inference.hand_labels import TOLERANCE, LabelPlan
from pu_accessor.inference.influence import Placements, share_above
from pu_accessor.questions.accessor import Accessor
from pu_accessor.questions.constructors import from_arrays
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.ranking import FloatArray, Ranking

Pilot: TypeAlias = Accessor | pd.DataFrame | Mapping[str, Any]

_MAX_KNOWN = 2**30  # known positives
_QUANTILES, _ROWS_PER_QUANTILE = 2000, 10**6  # of normal scores
_STEP = 1e-4  # of a standard error, of derivatives


def labels_needed(
    width: float,
    n_unlabeled: int,
    *,
    beta: float = 0.5,
    level: float = 0.95,
    probability: float = 0.5,
) -> int:
    """Return the number of unlabeled examples to label for an interval of beta of some width.

    Parameters
    ----------
    width : float
        Width of the interval of `beta_from_labels`, in (0, 1).
    n_unlabeled : int
        Number of unlabeled examples to sample from.
    beta : float, default 0.5
        Expected beta, in [0, 1]; 0.5 needs most labels.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).
    probability : float, default 0.5
        Probability that the interval is at most that wide, in (0, 1), if beta is as expected. The
        number of found positives is random: 0.9 is on the safe side.

    Returns
    -------
    int
        The smallest number of labels with that probability, for itself and all larger numbers. At
        most `n_unlabeled`. Widths are not monotone in whole counts: some smaller numbers may do.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument is not allowed.

    Examples
    --------
    >>> labels_needed(0.1, 20_000, beta=0.2)
    261
    >>> labels_needed(0.1, 20_000, beta=0.2, probability=0.9)
    287
    """
    total = check_count("n_unlabeled", n_unlabeled, 1)
    width, beta = check_share("width", width, "(0, 1)"), check_share("beta", beta)
    level, probability = check_level(level), check_share("probability", probability, "(0, 1)")
    counts, at_least = (width * total * (1 + TOLERANCE), probability * (1 - TOLERANCE))
    return LabelPlan(counts, total, round(beta * total), level, at_least).smallest_size()


@with_example("pu_accessor.labeling.positives_needed(0.1, pilot=df, beta=0.3)")
def positives_needed(
    width: float,
    *,
    pilot: Pilot,
    beta: float,
    n_unlabeled: int | None = None,
    level: float = 0.95,
    probability: float = 0.5,
) -> pd.DataFrame:
    """Return the number of known positives for an interval of AUROC of some width.

    Parameters
    ----------
    width : float
        Width of the interval of `auroc` on future data, in (0, 1).
    pilot : DataFrame, accessor or mapping
        The expected scores. A smaller test set: ``df``, or ``df.pu(score="p", label="y")``. Or a
        value, ``{"auroc": 0.8}``, for normal scores with equal variances.
    beta : float
        Fraction of positives among the unlabeled, in [0, 1).
    n_unlabeled : int, optional
        Number of unlabeled examples. By default as many for each known positive as in the pilot;
        required if the pilot is a value.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).
    probability : float, default 0.5
        Probability that the interval is at most that wide, in (0, 1). The width depends on the
        sample: 0.9 is on the safe side.

    Returns
    -------
    DataFrame
        One row: n, the known positives; n_unlabeled; width, probability, level.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument is not allowed, or no number of known positives is enough.

    Notes
    -----
    The expected width follows from the variances of the placements [1]_. Beta is taken as known:
    an estimate of it makes intervals wider.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> positives_needed(0.1, pilot={"auroc": 0.8}, beta=0.1, n_unlabeled=5000)
         n  n_unlabeled  width  probability  level
    0  107         5000    0.1          0.5   0.95
    """
    width = check_share("width", width, "(0, 1)")
    probability = check_share("probability", probability, "(0, 1)")
    level, beta = check_level(level), check_share("beta", beta, "[0, 1)")
    if n_unlabeled is not None:
        n_unlabeled = check_count("n_unlabeled", n_unlabeled, 2)
    ranking = _rank(pilot, beta, n_unlabeled)
    known, negative, unlabeled = ranking.total
    quantile = scipy.special.ndtri(probability)  # the width is about normal
    ratio, share = (negative + unlabeled) / known, beta * unlabeled / (negative + unlabeled)
    moments = _moments(ranking)

    def sizes(n: int) -> tuple[int, int]:
        return n, n_unlabeled or max(round(ratio * n), 2)

    def is_enough(n: int) -> bool:
        expected, spread = _expected_width(moments, sizes(n), share, level)
        return bool(spread * quantile <= width - expected)

    n = 2 + bisect_left(range(2, _MAX_KNOWN), True, key=is_enough)
    if n == _MAX_KNOWN:
        raise PUDataError(
            "width is too small for this number of unlabeled examples, however many positives "
            "are known. Pass a larger n_unlabeled or a larger width."
        )
    row = {"n": n, "n_unlabeled": sizes(n)[1], "width": width}
    return ResultFrame([{**row, "probability": probability, "level": level}])


def _rank(pilot: Any, beta: float, n_unlabeled: int | None) -> Ranking:
    """Return the ranking of a pilot, or of normal scores that have the expected AUROC."""
    if isinstance(pilot, Mapping) and [*pilot] == ["auroc"] and n_unlabeled is not None:
        pilot = _normal_scores(check_share("pilot['auroc']", pilot["auroc"], "(0, 1)"), beta)
    accessor = pilot.pu if isinstance(pilot, pd.DataFrame) else pilot
    if not isinstance(accessor, Accessor):
        raise PUTypeError(
            "pilot must be df, df.pu(...), or an expected AUROC with the number of unlabeled "
            f"examples, but {brief(pilot)} and n_unlabeled={n_unlabeled} were passed. For example "
            "pilot={'auroc': 0.8}, n_unlabeled=10_000."
        )
    rankings = accessor._rank()
    unequal = accessor._terms.facts(["cluster", "weight", "propensity"])
    ranking = rankings.make(0)
    known = ranking.total.known_positive
    if rankings.names or unequal or not 2 <= known <= sum(ranking.total) - 2:
        raise PUDataError(
            "pilot must have one ranking of independent rows of equal chance, two known positives "
            f"and two others, but has {rankings.names or unequal or ranking.total}. Pass one "
            "group and one column of scores, or pilot={'auroc': 0.8} and n_unlabeled."
        )
    return ranking


def _normal_scores(auroc: float, beta: float) -> Accessor:
    """Return known positives and unlabeled rows at quantiles of normal scores."""
    score = scipy.special.ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    higher, hidden = score + 2**0.5 * scipy.special.ndtri(auroc), round(beta * _ROWS_PER_QUANTILE)
    label = np.repeat([1.0, np.nan], [_QUANTILES, 2 * _QUANTILES])
    count = np.repeat([1, hidden, _ROWS_PER_QUANTILE - hidden], _QUANTILES)
    return from_arrays(np.concatenate([higher, higher, score]), label, count=count)


def _moments(ranking: Ranking) -> tuple[FloatArray, FloatArray]:
    """Return the mean placement and both variances, and their scatter by an example of a kind."""
    known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
    below, above = 1 - share_above(rest), share_above(known)
    center, scatter = np.zeros(3), np.zeros((2, 3, 3))
    for kind, (values, count) in enumerate(((below, known), (above, rest))):
        center[0], own = np.average(values, weights=np.diff(count)), [0, kind + 1]
        moved = [values, (values - center[0]) ** 2]
        scatter[kind][np.ix_(own, own)] = np.cov(moved, fweights=np.diff(count), ddof=0)
        center[kind + 1] = scatter[kind, 0, 0]
    return center, scatter


def _expected_width(
    moments: tuple[FloatArray, FloatArray], sizes: tuple[int, int], share: float, level: float
) -> tuple[float, float]:
    """Return the width of the interval of AUROC on future data, and its standard deviation."""
    (center, scatter), size = moments, np.array(sizes, np.float64)[:, np.newaxis]
    variances, directions = np.linalg.eigh((scatter / size[..., np.newaxis]).sum(axis=0))
    moves = _STEP * (directions * np.sqrt(np.maximum(variances, 0))).T
    above, *variance = np.vstack([center, center + moves, center - moves]).T
    placements = Placements(np.tile(size, above.size), np.maximum(variance, 0), above)
    interval = auroc_interval(np.full(above.size, share), placements, level)
    widths = interval.upper - interval.lower
    return widths[0], float(np.linalg.norm(widths[1:4] - widths[4:])) / (2 * _STEP)

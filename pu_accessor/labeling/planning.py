"""Plan the number of labels and known positives, and the power of a comparison."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pandas as pd

from pu_accessor.checks import check_count, check_level, check_share
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference import planning
from pu_accessor.inference.metrics import read_metric
from pu_accessor.inference.prior.hand_labeled import TOLERANCE, LabelPlan
from pu_accessor.questions.accessor import Accessor
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.ranking import Counts

Pilot: TypeAlias = Accessor | pd.DataFrame | Mapping[str, Any]

_MAX_KNOWN = 2**30  # known positives


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


def positives_needed(
    width: float,
    metric: str = "auroc",
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
    metric : {"auroc"}, default "auroc"
        The metric.
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
        One row: n, the known positives; n_unlabeled; metric, width, probability, level.

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
         n  n_unlabeled metric  width  probability  level
    0  107         5000  auroc    0.1          0.5   0.95
    """
    read_metric(metric, None, "plan")
    width = check_share("width", width, "(0, 1)")
    probability = check_share("probability", probability, "(0, 1)")
    level, beta = check_level(level), check_share("beta", beta, "[0, 1)")
    if n_unlabeled is not None:
        n_unlabeled = check_count("n_unlabeled", n_unlabeled, 2)
    scatter, share, ratio = _read_pilot(pilot, beta, n_unlabeled)

    def others(n: int) -> int:
        return max(round(ratio * n), 2) if n_unlabeled is None else n_unlabeled

    def is_enough(n: int) -> bool:
        return (
            planning.probability_of_width(width, scatter, share, (n, others(n)), level)
            >= probability
        )

    n = smallest(is_enough)
    row = {"n": n, "n_unlabeled": others(n), "metric": metric, "width": width}
    return ResultFrame([{**row, "probability": probability, "level": level}])


def power(
    difference: float,
    n_positive: int,
    n_unlabeled: int,
    *,
    pilot: Pilot,
    beta: float,
    level: float = 0.95,
) -> float:
    """Return the probability that `compare` detects a difference of AUROC on future data.

    Parameters
    ----------
    difference : float
        AUROC of one model minus that of the other, in [-1, 1].
    n_positive, n_unlabeled : int
        Known positives and unlabeled examples, at least 2 each.
    pilot : DataFrame, accessor or mapping
        The expected scores. Both models' scores of the same examples,
        ``df.pu(score=["svm", "forest"])``. Or values for normal scores,
        ``{"auroc": 0.8, "correlation": 0.6}``: the mean AUROC of both, and the correlation of
        their scores within each class.
    beta : float
        Fraction of positives among the unlabeled, in [0, 1).
    level : float, default 0.95
        1 - level is the size of the test, in (0, 1).

    Returns
    -------
    float
        The probability that p is below 1 - level, and the interval excludes 0.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument is not allowed.

    Notes
    -----
    Student's noncentral t, with DeLong's variance of the difference of two models. With all
    labels known, `n_unlabeled` negatives and beta 0, this is the power of DeLong's test [1]_.

    References
    ----------
    .. [1] N. A. Obuchowski, D. K. McClish, Statistics in Medicine 16 (1997) 1529-1542.

    Examples
    --------
    >>> expected = {"auroc": 0.8, "correlation": 0.6}
    >>> [round(power(0.05, n, 5000, pilot=expected, beta=0.1), 2) for n in (100, 200, 400)]
    [0.56, 0.85, 0.99]
    """
    level, beta = check_level(level), check_share("beta", beta, "[0, 1)")
    sizes = (check_count("n_positive", n_positive, 2), check_count("n_unlabeled", n_unlabeled, 2))
    difference = check_share("difference", difference, "[-1, 1]")
    variances, share = _read_pair(pilot, beta, difference)
    return planning.power_of_difference(difference, variances, share, sizes, level)


def _read_pilot(
    pilot: Pilot, beta: float, n_unlabeled: int | None
) -> tuple[planning.PlacementMoments, float, float]:
    """Return the placements, the positives among the rest, and the rest per known positive."""
    if isinstance(pilot, Mapping):
        values = _read_values(pilot, {"auroc": "(0, 1)"})
        if n_unlabeled is None:
            raise PUTypeError(
                "n_unlabeled must be passed if pilot is a value, which has no number of unlabeled "
                "examples. For example n_unlabeled=10_000."
            )
        return planning.moments_of_normals(values["auroc"], beta), beta, 1.0
    rankings = _as_accessor(pilot)._rank()
    if rankings.names:
        raise PUValueError(
            f"pilot must be one ranking, but there is one for each {[*rankings.names]}. Pass one "
            "group, or one column of scores."
        )
    ranking = rankings.make(0)
    rest = ranking.total.known_negative + ranking.total.unlabeled
    share = _share(ranking.total, beta)
    return planning.PlacementMoments.of(ranking), share, rest / ranking.total.known_positive


def _read_pair(pilot: Pilot, beta: float, difference: float) -> tuple[tuple[float, float], float]:
    """Return the variances of two models of a pilot, and the positives among the rest."""
    if isinstance(pilot, Mapping):
        values = _read_values(pilot, {"auroc": "(0, 1)", "correlation": "[-1, 1]"})
        ends = values["auroc"] + abs(difference) / 2, values["auroc"] - abs(difference) / 2
        if not 0 < min(ends) <= max(ends) < 1:
            raise PUValueError(
                f"difference must leave both AUROC in (0, 1), but {difference:g} at a mean of "
                f"{values['auroc']:g} gives {ends}. Pass a smaller one."
            )
        return planning.paired_variances_of_normals(ends, values["correlation"], beta), beta
    keyed = _as_accessor(pilot)._pair(None)
    paired = keyed.make(0)
    if keyed.names or len(paired.ranks) != 2 or paired.total.known_positive < 2:
        raise PUValueError(
            "pilot must have the scores of two models for the same examples, with two known "
            "positives or more: df.pu(score=['svm', 'forest']), without groups."
        )
    return planning.paired_variances(paired), _share(paired.total, beta)


def _share(total: Counts, beta: float) -> float:
    """Return the share of positives among all but the known positives."""
    return beta * total.unlabeled / (total.unlabeled + total.known_negative)


def _as_accessor(pilot: Any) -> Accessor:
    """Return the accessor of a pilot's rows."""
    accessor = pilot.pu if isinstance(pilot, pd.DataFrame) else pilot
    if not isinstance(accessor, Accessor):
        raise PUTypeError(
            "pilot must be a frame, its df.pu, or a mapping of what is expected, but "
            f"a {type(pilot).__name__} was passed. For example pilot={{'auroc': 0.8}}."
        )
    if accessor._terms.cluster is not None:
        raise PUValueError(
            f"pilot must have independent rows, but has cluster={accessor._terms.cluster!r}: the "
            "number of clusters cannot be planned. Plan with one row of each."
        )
    return accessor


def _read_values(pilot: Mapping[str, Any], spans: Mapping[str, str]) -> dict[str, float]:
    """Return valid expected values."""
    if sorted(pilot) != sorted(spans):
        raise PUValueError(
            f"pilot must have values of {[*spans]}, but has {[*pilot]}. For example "
            f"pilot={dict(zip(spans, (0.8, 0.6), strict=False))}."
        )
    return {name: check_share(f"pilot[{name!r}]", pilot[name], spans[name]) for name in pilot}


def smallest(is_enough: Callable[[int], bool]) -> int:
    """Return the smallest number from 2 on that is enough."""
    found = 2 + bisect_left(range(2, _MAX_KNOWN), True, key=is_enough)
    if found == _MAX_KNOWN:
        raise PUDataError(
            "width is too small for this number of unlabeled examples, however many positives "
            "are known. Pass a larger n_unlabeled or a larger width."
        )
    return found

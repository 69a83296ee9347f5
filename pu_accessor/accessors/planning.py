"""Planning: how many known positives it takes, and how likely a difference is to be seen."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import pandas as pd

from pu_accessor.accessors.accessor import Accessor
from pu_accessor.checks import check_count, check_level, check_share, is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.metrics import read_metric
from pu_accessor.inference.planning import (
    Scatter,
    chance_of_difference,
    chance_of_width,
    pair_scatter,
    pair_scatter_of_normals,
    scatter_of_normals,
    smallest,
)
from pu_accessor.ranking import Counts

Pilot: TypeAlias = Accessor | pd.DataFrame | Mapping[str, Any]


def positives_needed(
    width: float,
    quantity: str = "auroc",
    *,
    pilot: Pilot,
    beta: float,
    n_unlabeled: int | None = None,
    level: float = 0.95,
    probability: float = 0.5,
) -> pd.DataFrame:
    """Return how many known positives it takes for an interval of some width.

    Parameters
    ----------
    width : float
        Of the interval of `auroc` on new examples, in (0, 1).
    quantity : {"auroc"}, default "auroc"
        What the interval is of.
    pilot : DataFrame, accessor or mapping
        What is expected. Scores and labels of a smaller test set: ``df``, or
        ``df.pu(score="p", label="y")``. Or a value, ``{"auroc": 0.8}``: scores are then taken as
        normal, with equal variances.
    beta : float
        Fraction of positives among the unlabeled, in [0, 1).
    n_unlabeled : int, optional
        How many unlabeled examples there will be. By default as many for each known positive as
        in the pilot; to be passed where that is a value.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    probability : float, default 0.5
        That with which the interval is to be so narrow, in (0, 1). How wide it gets is up to which
        examples turn up: 0.9 is on the safe side.

    Returns
    -------
    DataFrame
        One row: n, the known positives; n_unlabeled; quantity, width, probability, level.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument has a value that is not allowed; if no number of known positives is enough.

    See Also
    --------
    labels_needed : How many unlabeled examples to label by hand, to know beta.
    power : How likely it is that the difference between two models is seen.

    Notes
    -----
    The width of the interval is that of the placements' variances [1]_, which the pilot or the
    normal distributions have, at the numbers that are asked for. It scatters by what turns up,
    which is taken as normal. Beta is taken as given: an estimate of it makes intervals wider.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or more
       correlated receiver operating characteristic curves: a nonparametric approach*, Biometrics
       44 (1988) 837-845.

    Examples
    --------
    >>> positives_needed(0.1, pilot={"auroc": 0.8}, beta=0.1, n_unlabeled=5000)
         n  n_unlabeled quantity  width  probability  level
    0  103         5000    auroc    0.1          0.5   0.95
    """
    read_metric(quantity, None, "plan")
    width = check_share("width", width, "(0, 1)")
    probability = check_share("probability", probability, "(0, 1)")
    level, beta = check_level(level), _check_beta(beta)
    if n_unlabeled is not None:
        n_unlabeled = check_count("n_unlabeled", n_unlabeled, 2)
    scatter, share, ratio = _read_pilot(pilot, beta, n_unlabeled)

    def others(n: int) -> int:
        return max(round(ratio * n), 2) if n_unlabeled is None else n_unlabeled

    n = smallest(
        lambda n: chance_of_width(width, scatter, share, (n, others(n)), level) >= probability
    )
    row = {"n": n, "n_unlabeled": others(n), "quantity": quantity, "width": width}
    return pd.DataFrame([{**row, "probability": probability, "level": level}])


def power(
    difference: float,
    n_positive: int,
    n_unlabeled: int,
    *,
    pilot: Pilot,
    beta: float,
    level: float = 0.95,
) -> float:
    """Return the probability that `compare` sees a difference between two models on new examples.

    Parameters
    ----------
    difference : float
        AUROC of the one less that of the other, in [-1, 1].
    n_positive : int
        Known positives, at least 2.
    n_unlabeled : int
        Unlabeled examples, at least 2.
    pilot : DataFrame, accessor or mapping
        What is expected. Both models' scores of the same examples,
        ``df.pu(score=["svm", "forest"])``: how much they have in common is read off. Or values,
        ``{"auroc": 0.8, "correlation": 0.6}``, of normal scores: the mean AUROC of both, and the
        correlation of their scores among positives and among negatives.
    beta : float
        Fraction of positives among the unlabeled, in [0, 1).
    level : float, default 0.95
        One less the probability that a difference is seen where there is none, in (0, 1).

    Returns
    -------
    float
        That p is below 1 - level, and the interval leaves out 0.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    See Also
    --------
    positives_needed : How many known positives an interval takes.

    Notes
    -----
    Student's noncentral t, with the variance that DeLong's method has for two models: of the
    differences between their placements. Fully labeled, with `n_unlabeled` negatives and beta 0,
    this is the power of DeLong's test [1]_.

    References
    ----------
    .. [1] N. A. Obuchowski, D. K. McClish, *Sample size determination for diagnostic accuracy
       studies involving binormal ROC curve indices*, Statistics in Medicine 16 (1997) 1529-1542.

    Examples
    --------
    >>> expected = {"auroc": 0.8, "correlation": 0.6}
    >>> [round(power(0.05, n, 5000, pilot=expected, beta=0.1), 2) for n in (100, 200, 400)]
    [0.56, 0.85, 0.99]
    """
    level, beta = check_level(level), _check_beta(beta)
    sizes = (check_count("n_positive", n_positive, 2), check_count("n_unlabeled", n_unlabeled, 2))
    difference = check_share("difference", difference, "[-1, 1]")
    variances, share = _read_pair(pilot, beta, difference)
    return chance_of_difference(difference, variances, share, sizes, level)


def _read_pilot(
    pilot: Pilot, beta: float, n_unlabeled: int | None
) -> tuple[Scatter, float, float]:
    """Return what a pilot says: placements, positives among the rest, rest by known positive."""
    if isinstance(pilot, Mapping):
        values = _read_values(pilot, ["auroc"])
        if n_unlabeled is None:
            raise PUTypeError(
                "n_unlabeled must be passed where pilot is a value: it says nothing of how many "
                "there are for each known positive. For example n_unlabeled=10_000."
            )
        return scatter_of_normals(values["auroc"], beta), beta, 1.0
    accessor = _as_accessor(pilot)
    rankings = accessor._request().rank("breakpoints")
    if rankings.names:
        raise PUValueError(
            "pilot must be one ranking, but the rows are ranked apart by "
            f"{[*rankings.names]}. Take one group, or one column of scores."
        )
    ranking = rankings.make(0)
    rest = ranking.total.known_negative + ranking.total.unlabeled
    share = _share(ranking.total, beta)
    return Scatter.of(ranking), share, rest / ranking.total.known_positive


def _read_pair(pilot: Pilot, beta: float, difference: float) -> tuple[tuple[float, float], float]:
    """Return what a pilot says of two models: variances, and positives among the rest."""
    if isinstance(pilot, Mapping):
        values = _read_values(pilot, ["auroc", "correlation"])
        ends = values["auroc"] + abs(difference) / 2, values["auroc"] - abs(difference) / 2
        if not 0 < min(ends) <= max(ends) < 1:
            raise PUValueError(
                f"difference must leave both AUROC in (0, 1), but {difference:g} at a mean of "
                f"{values['auroc']:g} makes {ends}. Pass a smaller one."
            )
        return pair_scatter_of_normals(ends, values["correlation"], beta), beta
    keyed = _as_accessor(pilot)._request().pair(None)
    paired = keyed.make(0)
    if keyed.names or len(paired.ranks) != 2 or paired.total.known_positive < 2:
        raise PUValueError(
            "pilot must have the scores of two models for the same examples, two of them known "
            "positives or more: df.pu(score=['svm', 'forest']), without groups."
        )
    return pair_scatter(paired), _share(paired.total, beta)


def _share(total: Counts, beta: float) -> float:
    """Return the share of positives among all but the known positives."""
    return beta * total.unlabeled / (total.unlabeled + total.known_negative)


def _as_accessor(pilot: object) -> Accessor:
    """Return the accessor of a pilot's rows."""
    if isinstance(pilot, Accessor):
        if pilot._held.cluster is not None:
            raise PUValueError(
                f"pilot must have independent rows, but cluster={pilot._held.cluster!r} is "
                "bound: how many clusters are needed is not known. Plan with one row of each.",
                page="clusters",
            )
        return pilot
    if isinstance(pilot, pd.DataFrame):
        return cast("Any", pilot).pu  # type: ignore[no-any-return]
    raise PUTypeError(
        "pilot must be a frame, its df.pu, or a mapping of what is expected, but "
        f"a {type(pilot).__name__} was passed. For example pilot={{'auroc': 0.8}}."
    )


def _read_values(pilot: Mapping[str, Any], names: list[str]) -> dict[str, float]:
    """Check what is expected, given by values."""
    if sorted(pilot) != sorted(names):
        raise PUValueError(f"pilot must have values of {names}, but has {[*pilot]}.")
    for name, value in pilot.items():
        if not is_number(value):
            raise PUTypeError(f"pilot must map {name!r} to a number, but {value!r} was passed.")
    if not 0 < pilot["auroc"] < 1:
        raise PUValueError(f"pilot must have an auroc in (0, 1), but {pilot['auroc']!r} came.")
    if "correlation" in names and not -1 <= pilot["correlation"] <= 1:
        raise PUValueError(
            f"pilot must have a correlation in [-1, 1], but {pilot['correlation']!r} came."
        )
    return {name: float(value) for name, value in pilot.items()}


def _check_beta(beta: object) -> float:
    share = check_share("beta", beta)
    if share == 1:
        raise PUValueError("beta must lie in [0, 1): at 1 nothing is negative, but it was passed.")
    return share

"""beta from labels made by hand, from a prevalence, or from how often positives are labeled."""

from collections.abc import Callable
from math import sqrt
from numbers import Integral, Real

import numpy as np
import pandas as pd
from scipy import optimize, stats

from pu_accessor.errors import PUTypeError, PUValueError, check_option
from pu_accessor.inference.shares import check_level

__all__ = [
    "beta_from_label_frequency",
    "beta_from_labels",
    "beta_from_prevalence",
    "labels_needed",
]


def beta_from_labels(
    n_positive: int,
    n_labeled: int,
    n_unlabeled: int,
    *,
    method: str = "exact",
    level: float = 0.95,
) -> pd.DataFrame:
    """Estimate beta from unlabeled examples that were drawn at random and labeled by hand.

    Parameters
    ----------
    n_positive : int
        Positives among those labeled.
    n_labeled : int
        Unlabeled examples that were drawn at random, and labeled.
    n_unlabeled : int
        Unlabeled examples they were drawn from, themselves included.
    method : {"exact", "hpd"}, default "exact"
        "exact" inverts the hypergeometric test: it covers with a probability of at least `level`.
        "hpd" is the interval of highest density of the posterior Beta(1 + x, 1 + s - x).
    level : float, default 0.95
        Probability of coverage, in (0, 1).

    Returns
    -------
    DataFrame
        One row: beta, lower, upper, level, method. All of beta are shares of `n_unlabeled`.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_labels(12, 50, 2000)
       beta  lower  upper  level method
    0  0.24  0.132   0.38   0.95  exact
    >>> pu_accessor.beta_from_labels(12, 50, 2000, method="hpd").round(3)
       beta  lower  upper  level method
    0  0.24  0.138  0.368   0.95    hpd
    """
    _check_counts(n_positive=n_positive, n_labeled=n_labeled, n_unlabeled=n_unlabeled)
    if not 0 <= n_positive <= n_labeled <= n_unlabeled or not n_labeled:
        raise PUValueError(
            "There must be 0 <= n_positive <= n_labeled <= n_unlabeled, and something labeled, "
            f"but {n_positive}, {n_labeled} and {n_unlabeled} were passed."
        )
    level = check_level(level)
    check_option("method", method, ["exact", "hpd"], {"hypergeometric": "exact", "hdi": "hpd"})
    interval = _hypergeometric if method == "exact" else _highest_density
    lower, upper = interval(n_positive, n_labeled, n_unlabeled, level)
    row = {"beta": n_positive / n_labeled, "lower": lower, "upper": upper, "level": level}
    return pd.DataFrame([{**row, "method": method}])


def labels_needed(
    width: float, n_unlabeled: int, *, beta: float = 0.5, level: float = 0.95
) -> int:
    """Return how many unlabeled examples to label for an interval of some width.

    Parameters
    ----------
    width : float
        Of the interval of `beta_from_labels`, in (0, 1).
    n_unlabeled : int
        Unlabeled examples to draw from.
    beta : float, default 0.5
        What it is expected to be, in [0, 1]; 0.5 needs most.
    level : float, default 0.95
        Probability of coverage, in (0, 1).

    Returns
    -------
    int
        With so many the interval is that narrow, with one fewer it is not; at most `n_unlabeled`.
        Counts are whole, so that widths fall unevenly: a few fewer may do by luck.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.labels_needed(0.1, 20_000, beta=0.2)
    261
    """
    _check_counts(n_unlabeled=n_unlabeled)
    _check_share("width", width)
    _check_share("beta", beta)
    if not width or not n_unlabeled:
        raise PUValueError(
            f"width and n_unlabeled must not be 0, but {width!r} and {n_unlabeled!r} were passed."
        )
    level = check_level(level)

    def narrow(size: int) -> bool:
        lower, upper = _hypergeometric(round(beta * size), size, n_unlabeled, level)
        return upper - lower <= width

    low, high = 0, n_unlabeled
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle, high)
    return high


def beta_from_prevalence(
    prevalence: float, n_positive: int, n_unlabeled: int, n_negative: int = 0
) -> float:
    """Convert the share of positives among *all* examples to that among the unlabeled.

    Parameters
    ----------
    prevalence : float
        Positives among all examples, known ones included, as a share in [0, 1].
    n_positive, n_unlabeled, n_negative : int
        Known positives, unlabeled examples and known negatives.

    Returns
    -------
    float
        beta.

    Raises
    ------
    PUValueError
        If that prevalence is impossible with these counts, or an argument is not allowed.
    PUTypeError
        If an argument is no number.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_prevalence(0.3, n_positive=100, n_unlabeled=900)
    0.2222222222222222
    """
    _check_counts(n_positive=n_positive, n_unlabeled=n_unlabeled, n_negative=n_negative)
    _check_share("prevalence", prevalence)
    positives = prevalence * (n_positive + n_unlabeled + n_negative)
    return _as_beta(positives - n_positive, n_unlabeled, f"a prevalence of {prevalence!r}")


def beta_from_label_frequency(label_frequency: float, n_positive: int, n_unlabeled: int) -> float:
    """Convert the share of positives that are labeled, often called c, to beta.

    Parameters
    ----------
    label_frequency : float
        Known positives among all positives, as a share in (0, 1].
    n_positive, n_unlabeled : int
        Known positives and unlabeled examples.

    Returns
    -------
    float
        beta.

    Raises
    ------
    PUValueError
        If that share is impossible with these counts, or an argument is not allowed.
    PUTypeError
        If an argument is no number.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_label_frequency(0.25, n_positive=100, n_unlabeled=900)
    0.3333333333333333
    """
    _check_counts(n_positive=n_positive, n_unlabeled=n_unlabeled)
    _check_share("label_frequency", label_frequency)
    if not label_frequency:
        raise PUValueError("label_frequency must lie in (0, 1], but 0 was passed.")
    hidden = n_positive / label_frequency - n_positive
    return _as_beta(hidden, n_unlabeled, f"a label frequency of {label_frequency!r}")


def _as_beta(hidden: float, n_unlabeled: int, told: str) -> float:
    """Return a share of the unlabeled, or say that there is none."""
    if n_unlabeled and -1e-9 * n_unlabeled <= hidden <= n_unlabeled * (1 + 1e-9):
        return min(max(hidden / n_unlabeled, 0.0), 1.0)
    raise PUValueError(
        f"{told} leaves {hidden:g} positives for {n_unlabeled} unlabeled examples, which is no "
        "share in [0, 1]. Check the counts: they are those of this set."
    )


def _hypergeometric(x: int, size: int, total: int, level: float) -> tuple[float, float]:
    """Return the positives that neither tail of the hypergeometric rejects, as shares."""
    tail = (1 - level) / 2

    def enough(positives: int) -> bool:
        return bool(stats.hypergeom.sf(x - 1, total, positives, size) > tail)

    def too_many(positives: int) -> bool:
        return not stats.hypergeom.cdf(x, total, positives, size) > tail

    most = total - (size - x)  # as many negatives have been seen
    return _first(enough, x, most) / total, (_first(too_many, x, most + 1) - 1) / total


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first number from low on for which something holds; it does at high."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _highest_density(x: int, size: int, total: int, level: float) -> tuple[float, float]:
    """Return the interval of highest density of the posterior under a flat prior."""
    posterior = stats.beta(1 + x, 1 + size - x)
    if x == 0:
        return 0.0, float(posterior.ppf(level))
    if x == size:
        return float(posterior.ppf(1 - level)), 1.0

    def tilt(below: float) -> float:  # densities at both ends are the same
        ends = posterior.ppf([below, below + level])
        return float(np.subtract(*posterior.logpdf(ends)))

    edge = 1e-12 * sqrt(1 - level)
    below = optimize.brentq(tilt, edge, 1 - level - edge)
    lower, upper = posterior.ppf([below, below + level])
    return float(lower), float(upper)


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, Integral):
            raise PUTypeError(f"{name} must be an integer, but {count!r} was passed.")
        if count < 0:
            raise PUValueError(f"{name} must not be negative, but {count!r} was passed.")


def _check_share(name: str, share: float) -> None:
    if isinstance(share, bool) or not isinstance(share, Real):
        raise PUTypeError(f"{name} must be a number in [0, 1], but {share!r} was passed.")
    if not 0 <= share <= 1:
        raise PUValueError(f"{name} must lie in [0, 1], but {share!r} was passed.")

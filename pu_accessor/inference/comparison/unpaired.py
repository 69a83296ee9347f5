"""Groups that share no examples: which has the higher AUROC, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pu_accessor.errors import PUValueError
from pu_accessor.inference.comparison.pairwise import adjust_p_values, find_pairs, t_test
from pu_accessor.inference.estimates.auroc import auroc_and_error
from pu_accessor.inference.estimates.delong import find_placements, rest_share, welch_df
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, IntArray, Ranking

__all__ = ["GroupArea", "UnpairedTests", "compare_unpaired", "estimate_group"]


@dataclass(frozen=True, eq=False)
class GroupArea:
    """AUROC of one group at some betas.

    Parameters
    ----------
    n : int
        Known positives.
    auroc : tuple of Fraction, length betas
        Exact: areas that are equal must not differ by a rounding error.
    variance : ndarray of float64, shape (betas,)
        Of the estimates; NaN for one known positive alone.
    df : float
        The degrees of freedom of that; NaN where it is.
    """

    n: int
    auroc: tuple[Fraction, ...]
    variance: FloatArray
    df: float


@dataclass(frozen=True, eq=False)
class UnpairedTests:
    """Tests of each pair of groups at each beta.

    Parameters
    ----------
    first, second : ndarray of int64, shape (pairs,)
        Positions of the groups.
    difference, lower, upper : ndarray of float64, shape (pairs, betas)
        AUROC of the first less that of the second, a share in [-1, 1], and its interval, which is
        not cut off at the ends.
    statistic, df, p_value, p_holm : ndarray of float64, shape (pairs, betas)
        Welch's t, its degrees of freedom, the two-sided p value, and that adjusted for all pairs
        at that beta.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    statistic: FloatArray
    df: FloatArray
    p_value: FloatArray
    p_holm: FloatArray


def estimate_group(ranking: Ranking, betas: FloatArray, target: str) -> GroupArea:
    """Estimate AUROC of one group, for `compare_unpaired`."""
    if ranking.weight is not None:
        raise PUValueError(
            "Groups are compared by known positives that are a simple random sample of all "
            "positives, but these have propensities. Leave propensity=... out, or look at the "
            "interval of each group: df.pu(propensity='p').auroc(0.3, target='examples').",
            page="biased_labels",
        )
    check_labels(betas, ranking.total)
    n = ranking.total.known_positive
    if target == "examples":
        auroc, error = auroc_and_error(ranking, betas)
        return GroupArea(n, auroc, *_or_unknown(n > 1, error**2, n - 1.0))
    share = rest_share(ranking.total, betas)  # raises where there is no rest
    placed = find_placements(ranking)
    sizes = np.array([placed.known, placed.rest]) - 1.0
    squares = np.array(placed.squares)
    variance = squares.sum() / (1 - share) ** 2
    df = float(welch_df(squares, np.maximum(sizes, 1)))
    known = _or_unknown(bool(sizes.min() > 0), variance, df)
    return GroupArea(n, placed.auroc(ranking.total, betas), *known)


def _or_unknown(known: bool, variance: FloatArray, df: float) -> tuple[FloatArray, float]:
    """Return a variance and its degrees of freedom, NaN where they are not known."""
    return (variance, df) if known else (np.full(variance.size, np.nan), np.nan)


def compare_unpaired(groups: Sequence[GroupArea], level: float) -> UnpairedTests:
    """Compare the AUROC of groups that share no examples: Welch's two-sample test.

    Where all groups ranked the same examples,
    `pu_accessor.inference.comparison.paired.compare_paired` sees smaller differences, and needs no
    beta to do so.

    Notes
    -----
    On new examples the variance of each area is DeLong's
    (`pu_accessor.inference.estimates.population_auroc.estimate_population_auroc`).

    For these examples, with n known positives among N examples, U of them unlabeled, P = n +
    beta*U and mid-ranks R, AUROC is 1 - (mean(R) - (P + 1)/2)/(N - P), its standard error
    sd(R)/sqrt(n) * sqrt(1 - n/P)/(N - P): of a mean under sampling without replacement. It treats
    the negatives as given. It is 0 where all positives are known, as with a beta of 0; where it is
    0 in both groups, so is the width of the interval, df [1]_ is infinite, and the p value is 1 if
    the areas are equal and 0 if not.

    References
    ----------
    .. [1] B. L. Welch, *The generalization of 'Student's' problem when several different
       population variances are involved*, Biometrika 34 (1947) 28-35.

    Examples
    --------
    >>> a, b = (GroupArea(9, (Fraction(x, 10),), np.array([0.0025]), 8.0) for x in (9, 7))
    >>> found = compare_unpaired([a, b], 0.95)
    >>> found.difference, found.df, found.p_value.round(4)
    (array([[0.2]]), array([[16.]]), array([[0.0121]]))
    """
    first, second = find_pairs(len(groups))
    pairs = [(groups[a], groups[b]) for a, b in zip(first, second, strict=True)]
    difference = np.array(
        [[float(x - y) for x, y in zip(a.auroc, b.auroc, strict=True)] for a, b in pairs]
    )
    error = np.array([np.sqrt(a.variance + b.variance) for a, b in pairs])
    df = np.array([_welch(a, b) for a, b in pairs])
    test = t_test(difference, error, df, level)
    return UnpairedTests(
        first,
        second,
        difference,
        test.lower,
        test.upper,
        test.statistic,
        df,
        test.p_value,
        p_holm=adjust_p_values(test.p_value),
    )


def _welch(a: GroupArea, b: GroupArea) -> FloatArray:
    """Return Welch's degrees of freedom for each beta, infinite without spread."""
    if np.isnan([a.df, b.df]).any():
        return np.full(a.variance.size, np.nan)
    # Without spread the degrees of freedom of a group may be infinite, too.
    dfs = np.minimum([[a.df], [b.df]], np.finfo(np.float64).max)
    return welch_df(np.stack([a.variance, b.variance]), dfs)

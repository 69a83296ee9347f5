"""Models that ranked the same examples: which has the higher AUROC, and by how much."""

from dataclasses import dataclass

import numpy as np

from pu_accessor.inference.comparison.pairs import adjust_p_values, find_pairs, t_test
from pu_accessor.inference.estimates.sample import count_negatives
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, IntArray, PairedRanks

__all__ = ["Difference", "PairTests", "compare_paired"]


@dataclass(frozen=True, eq=False)
class Difference:
    """AUROC of the first model of each pair less that of the second.

    Parameters
    ----------
    difference, lower, upper : ndarray of float64, shape (pairs, betas)
        A share in [-1, 1], and its interval, which is not cut off at the ends.
    """

    difference: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests of each pair of models; all but the size are arrays of shape (pairs,).

    Parameters
    ----------
    first, second : ndarray of int64
        Positions of the models.
    sign : ndarray of int64
        1 where the first has the higher AUROC, -1 where the second has, 0 where neither has.
    statistic, p_value, p_holm : ndarray of float64
        Student's t, the two-sided p value, and that adjusted for all pairs.
    df, n : ndarray of int64
        Degrees of freedom, known positives.
    size : Difference, optional
        Where there are betas.
    """

    first: IntArray
    second: IntArray
    sign: IntArray
    statistic: FloatArray
    df: IntArray
    p_value: FloatArray
    p_holm: FloatArray
    n: IntArray
    size: Difference | None = None


def compare_paired(paired: PairedRanks, betas: FloatArray | None, level: float) -> PairTests:
    """Compare the AUROC of models that ranked the same examples.

    Which of two models has the higher AUROC, and whether that can be chance, does not depend on
    beta: the difference is the mean difference of the ranks of the known positives, divided by
    the number of negatives. Its size needs betas.

    Parameters
    ----------
    paired : PairedRanks
        Ranks of the known positives by each of the models.
    betas : ndarray of float64, shape (betas,), optional
        Fractions of positives among the unlabeled, in [0, 1].
    level : float
        Probability of coverage of the interval, in (0, 1).

    Returns
    -------
    PairTests
        Statistic, p values and interval are NaN for one known positive alone. The statistic is
        infinite where all known positives differ by the same number of ranks.

    Raises
    ------
    PUDataError
        If nothing is known to be positive, or nothing is negative at some beta.
    PUValueError
        If there are fewer than two models.

    Notes
    -----
    With n known positives among N examples, U of them unlabeled, P = n + beta*U and mid-ranks R,
    AUROC is 1 - (mean(R) - (P + 1)/2)/(N - P), and the mean over a random sample of the
    positives estimates the mean over all. For two models the term in P cancels; what remains is
    the mean of d = R_b - R_a over N - P, and t = mean(d)/(sd(d)/sqrt(n)) [1]_ with n - 1 degrees
    of freedom.

    Neither the statistic nor the interval has the factor sqrt(1 - n/P) for sampling without
    replacement, which depends on beta. So p value and interval agree: at level .95 the interval
    leaves out 0 exactly where p < .05, whatever beta. The price is that both are conservative for
    the positives of these examples where many of them are known. They treat the negatives as
    given.

    References
    ----------
    .. [1] Student, *The probable error of a mean*, Biometrika 6 (1908) 1-25.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> ranks = {"svm": np.array([1.0, 2.0, 4.0]), "forest": np.array([3.0, 3.0, 8.0])}
    >>> paired = PairedRanks(("model",), ranks, Counts(3, 0, 10), np.eye(2) / 50)
    >>> found = compare_paired(paired, np.array([0.2, 0.4]), 0.95)
    >>> found.sign, found.p_value.round(3), found.size.difference.round(3)
    (array([1]), array([0.118]), array([[0.292, 0.389]]))
    """
    first, second = find_pairs(len(paired.ranks))
    check_labels(np.zeros(1) if betas is None else betas, paired.total)
    shift, error = _shifts(list(paired.ranks.values()), first, second)
    n = paired.total.known_positive
    test = t_test(shift, error, n - 1, level)
    size = None
    if betas is not None:
        negatives = [float(number) for number in count_negatives(paired.total, betas)]
        ends = (shift, test.lower, test.upper)
        size = Difference(*(np.divide.outer(ranks, negatives) for ranks in ends))
    return PairTests(
        first,
        second,
        sign=np.sign(shift).astype(np.int64),
        statistic=test.statistic,
        df=np.full(shift.size, n - 1),
        p_value=test.p_value,
        p_holm=adjust_p_values(test.p_value),
        n=np.full(shift.size, n),
        size=size,
    )


def _shifts(
    ranks: list[FloatArray], first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean number of ranks that the first of each pair is ahead, and its error."""
    shifts, errors = np.empty(first.size), np.full(first.size, np.nan)
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        apart = ranks[b] - ranks[a]
        shifts[pair] = apart.mean()
        if apart.size > 1:
            errors[pair] = apart.std(ddof=1) / np.sqrt(apart.size)
    return shifts, errors

"""How far sums over rows of several models scatter: where few rows differ, and in clusters."""

import numpy as np

from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.influence import Design, hold_clusters, kurtosis_df, welch_df
from pu_accessor.ranking import CountArray, FloatArray, PairedRanks, PairedRows

_FEWEST = 3.0  # known positives that differ are taken to be so many at least
_AS_REST = 2.0  # known positives more that are taken to move as the rest does


def rows_of(paired: PairedRanks) -> PairedRows:
    """Return the rows of models, where they are in memory."""
    if paired.rows is None:
        raise PUValueError(
            "metric must be 'auroc' where rows are not in memory, or groups are pooled, and "
            "for models with propensities: what each row adds to another is not kept. Put the "
            "scores of all models into one frame: df.pu(score=['svm', 'forest'])."
        )
    return paired.rows


def sum_squares(
    terms: FloatArray, often: float, move: float, times: CountArray | None = None
) -> tuple[float, float]:
    """Return a sum of squares that few terms may make up, and its degrees of freedom.

    Terms may be there several times each.

    Notes
    -----
    As many terms as differ are counted by (sum of squares)**2 / sum of fourth powers. Fewer than
    three are taken as three of the typical size.

    Examples
    --------
    >>> sum_squares(np.array([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0]), 0.0, 0.0)
    (4.0, 6.0)
    >>> sum_squares(np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.0, 0.0)
    (3.0, 6.0)
    """
    times = np.ones(terms.size, np.int64) if times is None else times
    n, squares = times.sum().item(), terms**2
    own, rest = float(times @ squares), _AS_REST * often * move
    if own + rest == 0:
        return 0.0, n - 1.0
    typical = (float(times @ squares**2) + rest * move) / (own + rest)
    differ = max(own / typical, min(_FEWEST, n - 1.0))
    return differ * typical, float(kurtosis_df(np.array(n / differ), n))


def scatter(terms: FloatArray, rows: PairedRows) -> tuple[float, float]:
    """Return the variance of a sum over rows, of rows in clusters likewise, and its df."""
    times = rows.times
    kinds = rows.positive, ~rows.positive
    sizes = np.array([times[kind].sum() for kind in kinds], np.float64)
    if sizes.min() < 2:
        return np.nan, np.nan
    own = terms / times
    parts = [sum_squares(own[kind], 0.0, 0.0, times[kind]) for kind in kinds]
    squares, df = np.transpose(parts)
    squares *= sizes / (sizes - 1)
    together, most = design(terms, rows)
    return together * float(squares.sum()), min(float(welch_df(squares, df)), most)


def design(terms: FloatArray, rows: PairedRows) -> Design:
    """Return by how much clusters enlarge the variance of a sum over rows, and the most df."""
    if not rows.designed:
        return Design()
    cluster = np.arange(terms.size) if rows.cluster is None else rows.cluster
    size, times = int(cluster.max()) + 1, rows.times
    places = cluster + size * ~rows.positive
    sums = np.bincount(places, terms, 2 * size).reshape(2, size).astype(np.float64)
    sizes = np.bincount(places, times, 2 * size).reshape(2, size)
    number, squares = sizes.sum(axis=1), terms**2 / times
    several = number > 1
    each = np.bincount(~rows.positive, squares, 2)
    plain = float(np.sum((each * number / np.maximum(number - 1, 1))[several]))
    return design_of(sums, sizes, plain)


def design_of(sums: FloatArray, sizes: CountArray, plain: float) -> Design:
    """Return by how much clusters enlarge the variance of independent rows, and the most df."""
    with_positive = int(np.count_nonzero(sizes[0]))
    if with_positive < 2:
        raise PUDataError(
            f"cluster must leave known positives in two or more, but they are in {with_positive}: "
            "nothing says by how much clusters differ. Leave cluster=... out if rows are "
            "independent.",
            page="clusters",
        )
    alike = float(sizes[0].sum()) / with_positive
    return hold_clusters(sums, sizes, with_positive, plain, alike)


def covary(terms: FloatArray, rows: PairedRows) -> FloatArray:
    """Return the covariance of the errors of models, from what rows add to each."""
    if rows.cluster is not None:
        terms = np.stack([np.bincount(rows.cluster, of_model) for of_model in terms])
    covariance: FloatArray = terms @ terms.T
    return covariance

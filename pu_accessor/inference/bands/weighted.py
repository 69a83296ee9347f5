"""The band of known positives that were labeled with known, unequal probabilities.

A known positive that was labeled with the probability e has the weight w = 1/e: it stands for
itself and for w - 1 latent positives with about its score. The weights are scaled such that they
stand for all m latent ones. So equal weights of any size give the band of a simple random sample,
and a positive that was certain to be labeled stands for itself alone.
"""

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view

from pu_accessor.ranking import CountArray, FloatArray, IntArray, Numbers

# Known positives next to a cutoff, from which the largest weight of an unseen one is estimated:
# calibrated by simulation.
NEAREST = 10
_LEAST = 1e-300  # stands for 0 where something is divided by it


def effective_size(weight: FloatArray) -> float:
    """Return the size of a simple random sample that says as much: Kish's [1]_.

    References
    ----------
    .. [1] L. Kish, *Survey Sampling*, Wiley (1965).

    Examples
    --------
    >>> effective_size(np.array([1.0, 1.0, 4.0]))
    2.0
    """
    return float(weight.sum()) ** 2 / float(weight @ weight)


def weighted_bounds(weight: FloatArray, m: int, level: float) -> tuple[IntArray, IntArray]:
    """Bound the latent positives in the head, when labels are selected with known probabilities.

    Notes
    -----
    Of the latent positives, known positive i stands for v_i, proportional to w_i - 1. The
    variance of their sum over the head is that of independent labels, the sum of v_i(1 + v_i).
    The latent positives of the head and of the tail are taken as two independent gamma variables
    with these means and variances, as in [1]_; the share of the head then is that of a beta
    variable with the effective sizes mean**2/variance of head and tail, on a scaled odds axis.
    For `lower` the tail has one positive more, which was not seen, for `upper` the head has. In
    [1]_ it has the largest of all weights; here the largest on its side and among the ten known
    positives next to the cutoff on the other. Where weights grow towards its side it is larger
    still, by the ratio of the geometric means of these ten and of the ten before.

    For equal weights this is the exact band, within a count. Otherwise coverage is approximate: in
    simulations .97 to .99 on average over cutoffs and above .94 at the worst one, where the odds
    of being labeled rise or fall up to five times per standard deviation of the score. What
    lies beyond the last known positive is extrapolated: nothing known can test it.

    References
    ----------
    .. [1] M. P. Fay, E. J. Feuer, *Confidence intervals for directly standardized rates: a method
       based on the gamma distribution*, Statistics in Medicine 16 (1997) 791-801.

    Examples
    --------
    >>> lower, upper = weighted_bounds(np.array([1.5, 2.0, 3.0, 6.5]), 9, 0.95)
    >>> lower.tolist(), upper.tolist()
    ([0, 0, 0, 0, 0], [8, 9, 9, 9, 9])
    """
    latent = latent_shares(weight, float(m))
    tail = (1 - level) / 2
    sums = np.concatenate([[0.0], np.cumsum(latent)])
    central = np.floor(np.minimum(sums, m) + 0.5).astype(np.int64)
    # For `upper` the ranking is read from the bottom.
    lower = np.minimum(_fewest(latent, m, tail), central)
    upper = np.maximum(m - _fewest(latent[::-1], m, tail)[::-1], central)
    return lower, upper


def clustered_bounds(
    cluster: IntArray, weight: CountArray | None, m: int, level: float
) -> tuple[IntArray, IntArray]:
    """Bound the latent positives in the head, when clusters of positives are labeled together.

    `cluster` has the number of each known positive's cluster, best-ranked first, `weight` for how
    many each stands.

    Notes
    -----
    Of the n known positives k are in the head, h_c of the M_c of cluster c. With C clusters the
    share k/n = p has a variance that is C/(C - 1) times the sum of (h_c - p*M_c)**2 over
    n*p*(1 - p) as large as that of a simple random sample: the design effect, at least 1. The band
    is the one of as many independent known positives as say as much: the share of latent ones in
    the head is that of a beta variable with k and n - k known positives over the design effect,
    each worth v/(1 + v), v = m/n. A cluster more was not seen on the far side, of the mean size
    sum(M_c**2)/n of a known positive's cluster.

    Coverage is approximate: in simulations .95 to 1 at a cutoff from 12 clusters on. Where each
    row is labeled by itself, rows of one cluster are taken to say too little: it is too wide.

    Examples
    --------
    >>> cluster = np.array([0, 0, 1, 2, 2, 3, 1, 0])
    >>> lower, upper = clustered_bounds(cluster, None, 20, 0.95)
    >>> lower.tolist(), upper.tolist()
    ([0, 0, 0, 0, 1, 3, 4, 6, 8], [12, 14, 18, 18, 19, 20, 20, 20, 20])
    """
    weight = np.ones(cluster.size, np.int64) if weight is None else weight
    first, number = np.unique(cluster, return_inverse=True)
    size = np.bincount(number, weight, first.size)
    order = np.argsort(number, kind="stable")
    through = np.empty(cluster.size)  # known positives of the same cluster, down to this one
    through[order] = np.cumsum(weight[order]) - (np.cumsum(size) - size)[number[order]]
    terms = weight, weight * (2 * through - weight), weight * size[number]
    known, squares, products = (np.append(0, np.cumsum(term)) for term in terms)
    lower, upper = _limit_clustered(known, squares, products, size, m, level)
    # With more known positives in the head there cannot be fewer latent ones.
    return np.minimum.accumulate(lower[::-1])[::-1], np.maximum.accumulate(upper)


def clustered_bins(
    cluster: IntArray, weight: CountArray | None, ends: IntArray, m: int, level: float
) -> tuple[IntArray, IntArray]:
    """Bound the latent positives in bins of scores, as `clustered_bounds` does those of heads.

    `ends` are the rows of known positives above each bin's lower edge, from 0 on.
    """
    weight = np.ones(cluster.size, np.int64) if weight is None else weight
    first, number = np.unique(cluster, return_inverse=True)
    size, places = np.bincount(number, weight, first.size), ends.size - 1
    bins, rows = np.repeat(np.arange(places), np.diff(ends)), slice(ends[0], ends[-1])
    inside, weight = number[rows], weight[rows]
    shared, pair = np.unique(bins * size.size + inside, return_inverse=True)
    squares = np.bincount(shared // size.size, np.bincount(pair, weight) ** 2, places)
    products = np.bincount(bins, weight * size[inside], places)
    known = np.bincount(bins, weight, places)
    return _limit_clustered(known, squares, products, size, m, level)


def _limit_clustered(
    known: Numbers, squares: Numbers, products: Numbers, size: CountArray, m: int, level: float
) -> tuple[IntArray, IntArray]:
    """Limit the latent positives of some sets of scores, each with so many known positives.

    Of each cluster's number there `squares` has the sum of squares, and `products` the sum of that
    number times its number everywhere, which is in `size`.
    """
    n, clusters, tail = size.sum(), size.size, (1 - level) / 2
    share, unseen = known / n, float(size @ size) / n
    variance = squares - 2 * share * products + share**2 * n * unseen
    scatter = n * share * (1 - share)
    effect = np.full(known.size, float(n))  # one cluster alone says nothing of others
    if clusters > 1:
        spread = variance * clusters / (clusters - 1)
        effect = np.ones(known.size)
        np.divide(spread, scatter, out=effect, where=scatter > 0)
        effect = np.maximum(effect, 1.0)
    worth = max(m, 1) / (n + max(m, 1)) / effect
    inside, outside = worth * known, worth * (n - known)
    more = worth * unseen
    low = scipy.special.betaincinv(np.maximum(inside, _LEAST), outside + more, tail)
    high = scipy.special.betaincinv(np.maximum(outside, _LEAST), inside + more, tail)
    return np.floor(m * low).astype(np.int64), m - np.floor(m * high).astype(np.int64)


def latent_shares(weight: FloatArray, m: float) -> FloatArray:
    """Return how many of the latent positives each known one stands for."""
    hidden = weight - 1
    if not hidden.any():  # all were certain to be labeled, and yet some are hidden
        hidden = np.ones(weight.size)
    return np.asarray(m * hidden / hidden.sum())


def _fewest(latent: FloatArray, m: int, tail: float) -> IntArray:
    """Return, for k = 0..n, the fewest latent positives in the head that are not rejected."""
    spread = latent * (1 + latent)
    head, head_spread = np.cumsum(latent), np.cumsum(spread)
    unseen = unseen_weight(1 + latent) - 1
    below = np.maximum(latent.sum() - head, 0) + unseen
    below_spread = np.maximum(spread.sum() - head_spread, 0) + unseen * (1 + unseen)
    share = np.ones(latent.size)  # where nothing is below; where nothing is above it is cut to 0
    both = (head > 0) & (below > 0) & (below_spread > 0)
    mean, other, variance, other_variance = (
        each[both] for each in (head, below, head_spread, below_spread)
    )
    # The quantile of X/(X + Y), of two gamma variables with these moments.
    beta = scipy.special.betaincinv(mean**2 / variance, other**2 / other_variance, tail)
    x, y = variance / mean * beta, other_variance / other * (1 - beta)
    share[both] = x / (x + y)
    # With more known positives in the head there cannot be fewer latent ones.
    share = np.minimum.accumulate(share[::-1])[::-1]
    return np.concatenate([[0], np.floor(m * share)]).astype(np.int64)


def unseen_weight(stands: FloatArray) -> FloatArray:
    """Return the weight of a positive below each known one that was not seen."""
    n = stands.size
    half = min(NEAREST, n // 2)
    known = np.arange(1, n + 1)
    largest = np.maximum.accumulate(stands[::-1])[::-1]
    weight = largest[np.maximum(known - NEAREST, 0)]
    if half:
        log_mean = sliding_window_view(np.log(stands), half).mean(axis=1)
        growth = log_mean[half:] - log_mean[:-half]
        weight *= np.exp(np.maximum(growth, 0))[np.maximum(known - 2 * half, 0)]
    return weight

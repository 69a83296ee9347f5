"""Count what known positives stand for; bounds for known label probabilities, and for clusters.

A known positive labeled with probability e has the weight w = 1/e: it represents w - 1 hidden
positives of about its score, scaled such that all represent m. Known and hidden positives above
and below a cutoff are taken as two gamma variables with these means and variances [1]; one unseen
positive is added on the far side. Coverage is approximate, and simulated (coverage.csv: "`metric`
at a rank", designs "propensities" and "clusters").

[1] M. P. Fay, E. J. Feuer, Statistics in Medicine 16 (1997) 791-801. [2] L. Kish, Survey Sampling,
Wiley (1965).
"""

from typing import TypeAlias

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view

from pu_accessor.errors import PUDataError
from pu_accessor.ranking import CountArray, Counts, FloatArray, IntArray, Numbers, Ranking

FloatPair: TypeAlias = tuple[FloatArray, FloatArray]
MIN_NEGATIVES = 1e-7  # fewer examples are a rounding error


def block_bounds(ranking: Ranking) -> tuple[IntArray, IntArray]:
    """Return the examples above, and at or above, the cutoff of each known positive."""
    number = np.diff(ranking.known_positive)
    return np.repeat(ranking.rank[:-1], number), np.repeat(ranking.rank[1:], number)


def count_positives(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the positives at each beta, known and hidden."""
    return np.asarray(total.known_positive + total.unlabeled * betas)


def hidden_by_known(ranking: Ranking, betas: FloatArray) -> list[FloatArray]:
    """Return how many hidden positives each known one stands for, best first, at each beta."""
    n, weight = ranking.total.known_positive, ranking.inverse_propensity
    weight = np.ones(n) if weight is None else weight
    return [hidden_shares(weight, m) for m in (count_positives(ranking.total, betas) - n).tolist()]


def linear_errors(added: FloatArray, hidden: FloatArray) -> tuple[float, float]:
    """Return the standard error of a sum over positives; and if there were infinitely many."""
    # Known positives stand for `hidden` more each; labels are independent, their number is known.
    n, weight = hidden.size, 1 + hidden
    if n == 1:
        return (np.nan if hidden.any() else 0.0), 0.0
    off = added - hidden @ added / (hidden.sum() or 1)
    squares = (n - 1) / n * weight * np.square(off / (1 - weight / weight.sum()))
    return float(squares @ hidden) ** 0.5, float(squares @ weight) ** 0.5


def count_negatives(total: Counts, betas: FloatArray, what: str = "This") -> FloatArray:
    """Return the number of negatives at each beta, or raise where there are none."""
    negatives = np.asarray(total.known_negative + total.unlabeled * (1 - betas))
    if negatives.min() < MIN_NEGATIVES:
        raise no_negatives_error(what, float(betas[negatives.argmin()]), total)
    return negatives


def no_negatives_error(what: str, beta: float, total: Counts) -> PUDataError:
    """Return the error that a metric needs negatives."""
    step = "Pass a smaller beta"
    if not total.unlabeled:
        step = "All are known positives: add unlabeled examples or known negatives to the rows"
    return PUDataError(
        f"{what} needs negatives, but at beta = {beta:g} there are none among the {sum(total)} "
        f"examples. {step}."
    )


# Known positives next to a cutoff that set the weight of an unseen one, by simulation
# (coverage.csv: "`metric` at a rank", design "propensities").
NEAREST = 10
_TINY = 1e-300  # replaces 0 as a parameter of the beta distribution


def effective_size(weight: FloatArray) -> float:
    """Return Kish's effective sample size, sum(w)**2/sum(w**2) [2]."""
    return float(weight.sum()) ** 2 / float(weight @ weight)


def weighted_bounds(weight: FloatArray, m: int, level: float) -> tuple[IntArray, IntArray]:
    """Return bounds for labels with known, unequal probabilities, for k = 0..n."""
    # Beyond the last known positive it extrapolates, and nothing known can test it.
    hidden = hidden_shares(weight, float(m))
    tail = (1 - level) / 2
    sums = np.concatenate([[0.0], np.cumsum(hidden)])
    central = np.floor(np.minimum(sums, m) + 0.5).astype(np.int64)
    # For `upper` the ranking is read from the bottom.
    lower, upper = _lowest_counts(hidden, m, tail), m - _lowest_counts(hidden[::-1], m, tail)[::-1]
    return np.minimum(lower, central), np.maximum(upper, central)


def clustered_bounds(
    cluster: IntArray, weight: CountArray | None, m: int, level: float
) -> tuple[IntArray, IntArray]:
    """Return bounds for clusters of positives labeled together, at each known positive."""
    # The size is n over the design effect. If each row is labeled by itself it is too wide.
    weight = np.ones(cluster.size, np.int64) if weight is None else weight
    first, number = np.unique(cluster, return_inverse=True)
    size = np.bincount(number, weight, first.size)
    order = np.argsort(number, kind="stable")
    through = np.empty(cluster.size)  # known positives of the same cluster, up to this one
    through[order] = np.cumsum(weight[order]) - (np.cumsum(size) - size)[number[order]]
    terms = weight, weight * (2 * through - weight), weight * size[number]
    known, squares, products = (np.append(0, np.cumsum(term)) for term in terms)
    lower, upper = _limit_clustered(known, squares, products, size, m, level)
    return np.minimum.accumulate(lower[::-1])[::-1], np.maximum.accumulate(upper)


def clustered_bins(
    cluster: IntArray, weight: CountArray | None, ends: IntArray, m: int, level: float
) -> tuple[IntArray, IntArray]:
    """Return such bounds in bins of scores, given the rows above each lower edge, from 0 on."""
    weight = np.ones(cluster.size, np.int64) if weight is None else weight
    _, number = np.unique(cluster, return_inverse=True)
    size, bin_count = np.bincount(number, weight), ends.size - 1
    bins, rows = np.repeat(np.arange(bin_count), np.diff(ends)), slice(ends[0], ends[-1])
    inside, weight = number[rows], weight[rows]
    shared, pair = np.unique(bins * size.size + inside, return_inverse=True)
    squares = np.bincount(shared // size.size, np.bincount(pair, weight) ** 2, bin_count)
    products = np.bincount(bins, weight * size[inside], bin_count)
    known = np.bincount(bins, weight, bin_count)
    return _limit_clustered(known, squares, products, size, m, level)


def _limit_clustered(
    known: Numbers, squares: Numbers, products: Numbers, size: CountArray, m: int, level: float
) -> tuple[IntArray, IntArray]:
    """Return limits of the hidden positives in sets with so many known positives."""
    # With h known positives of a cluster inside, `squares` sums h**2, `products` h*size.
    n, clusters, tail = size.sum(), size.size, (1 - level) / 2
    share, unseen = known / n, float(size @ size) / n
    variance = squares - 2 * share * products + share**2 * n * unseen
    scatter = n * share * (1 - share)
    effect = np.full(known.size, float(n))  # a single cluster does not show how they differ
    if clusters > 1:
        spread = variance * clusters / (clusters - 1)
        effect = np.ones(known.size)
        np.divide(spread, scatter, out=effect, where=scatter > 0)
        effect = np.maximum(effect, 1.0)
    information = max(m, 1) / (n + max(m, 1)) / effect
    inside, outside = information * known, information * (n - known)
    sides = (inside, outside + information * unseen), (outside, inside + information * unseen)
    quantile = scipy.special.betaincinv  # in scipy 1.15 NaN for some of 1e11 rows: no limit then
    low, high = (np.nan_to_num(quantile(np.maximum(x, _TINY), y, tail)) for x, y in sides)
    return np.floor(m * low).astype(np.int64), m - np.floor(m * high).astype(np.int64)


def hidden_shares(weight: FloatArray, m: float) -> FloatArray:
    """Return how many of the hidden positives each known one represents."""
    hidden = weight - 1
    if not hidden.any():  # all were certain to be labeled, but some are hidden
        hidden = np.ones(weight.size)
    return np.asarray(m * hidden / hidden.sum())


def _lowest_counts(hidden: FloatArray, m: int, tail: float) -> IntArray:
    """Return, for k = 0..n, the fewest hidden positives above the cutoff not rejected."""
    spread = hidden * (1 + hidden)
    head, head_spread = np.cumsum(hidden), np.cumsum(spread)
    unseen = unseen_weight(1 + hidden) - 1
    below = np.maximum(hidden.sum() - head, 0) + unseen
    below_spread = np.maximum(spread.sum() - head_spread, 0) + unseen * (1 + unseen)
    share = np.ones(hidden.size)  # where nothing is below
    both = (head > 0) & (below > 0) & (below_spread > 0)
    mean, variance = head[both], head_spread[both]
    other, other_variance = below[both], below_spread[both]
    # Quantile of X/(X + Y), X and Y gamma variables with these moments.
    beta = scipy.special.betaincinv(mean**2 / variance, other**2 / other_variance, tail)
    x, y = variance / mean * beta, other_variance / other * (1 - beta)
    share[both] = x / (x + y)
    # With more known positives above the cutoff there are no fewer hidden ones.
    share = np.minimum.accumulate(share[::-1])[::-1]
    return np.concatenate([[0], np.floor(m * share)]).astype(np.int64)


def unseen_weight(stands: FloatArray) -> FloatArray:
    """Return the weight of an unseen positive below each: the largest near it, times growth."""
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


def weight_beyond(stands: FloatArray) -> float:
    """Return the weight of an unseen positive below all."""
    return float(unseen_weight(stands[-2 * NEAREST :])[-1])

"""What each example adds to the error of a quantity on new examples: one error for all of them.

The known positives and the rest are samples. A quantity that is estimated from both is off by the
sum of what its examples contribute; whatever is to be known of its error follows from these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.estimates.known_positives import count_negatives
from pu_accessor.ranking import (
    Clusters,
    CountArray,
    Counts,
    FloatArray,
    IntArray,
    Ranking,
    TieBlocks,
)

_SQUARED = 1e-20  # variances that small are of means that were rounded, not of placements
_ALL = 1e-12  # what stands for nothing that is left of a sample
_INTEGERS = 2**62  # products below are int64
_ROUNDING = 1e-14  # relative size of a spread that may be none


class Influence(NamedTuple):
    """What an example of each step of a ranking adds to the error of a quantity.

    A step has the examples between two cutoffs, the best first. The sum over each sample is 0.
    """

    ranking: Ranking
    known: FloatArray  # of a known positive, shape (steps,)
    rest: FloatArray  # of one of the rest
    moved: FloatArray | None = None  # of one of the rest, were it a known positive


class Design(NamedTuple):
    """How much less clustered examples say than as many independent ones."""

    effect: float = 1.0  # by which the variance is larger; samples are as much smaller
    df: float = np.inf  # degrees of freedom at most


def rate_designs(here: Ranking) -> tuple[tuple[Design, ...], FloatArray, float]:
    """Hold the errors of both shares above a threshold against those of independent examples.

    Return the designs of the known positives and of the rest; the correlation of the errors of
    both shares, and of the prevalence; and the standard error of that, 0 where it is given.
    """
    clusters = here.clusters
    if clusters is None:
        return (Design(), Design()), np.eye(3), 0.0
    n, examples = here.total.known_positive, sum(here.total)
    # Where there are no other examples their share is 0, whatever it is divided by.
    sizes, above = np.maximum([n, examples - n], 1), here.known_positive[0]
    shares = np.array([above, here.head[0] - above]) / sizes
    of_known, of_rest = np.stack([1 - shares, -shares], axis=1) / sizes[:, np.newaxis]
    steps = np.array([np.inf, here.threshold[0], np.nan])
    sums = clusters.sums(steps, of_known, of_rest)
    plain = (shares * (1 - shares) / sizes).tolist()
    alike = (sizes / [clusters.n_with_positive, clusters.n_clusters]).tolist()
    designs = tuple(
        hold_clusters(sums * own, clusters.sizes, clusters.n_with_positive, *of_sample)
        for own, *of_sample in zip(np.eye(2)[..., np.newaxis], plain, alike, strict=True)
    )
    errors = np.zeros((3, sums.shape[1]))
    errors[:2] = adjust_sums(sums, clusters.sizes)
    if estimates_prevalence(here):
        own = np.repeat([[1 - n / examples], [-n / examples]], 2, axis=1) / examples
        errors[2] = clusters.sums(steps, *own).sum(axis=0)
    scale = np.sqrt(np.square(errors).sum(axis=1))
    unit = errors / np.where(scale > 0, scale, 1)[:, np.newaxis]
    correlation = unit @ unit.T
    np.fill_diagonal(correlation, 1.0)
    return designs, correlation, float(scale[2])


def wilson(
    found: FloatArray, size: float, level: float, design: Design | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's score interval of a binomial's probability; of a clustered one likewise.

    Examples
    --------
    >>> lower, upper = wilson(np.array([0.0, 5.0]), 10, 0.95)
    >>> lower.round(4), upper.round(4)
    (array([0.    , 0.2366]), array([0.2775, 0.7634]))
    """
    effect, df = design or Design()
    found, size = found / effect, size / effect
    square = scipy.special.stdtrit(df, (1 + level) / 2) ** 2
    middle = found + square / 2
    reach = np.sqrt(square * (found * (size - found) / size + square / 4))
    # At the ends they meet what was found, but for rounding.
    lower = np.where(found > 0, (middle - reach) / (size + square), 0.0)
    upper = np.where(found < size, (middle + reach) / (size + square), 1.0)
    return lower, upper


def estimates_prevalence(ranking: Ranking) -> bool:
    """Tell whether the share of positives is that of rows with weights, all of them labeled.

    No beta says then how many are positive: it is what the rows that were drawn let expect.
    """
    clusters = ranking.clusters
    return clusters is not None and clusters.one_per_row and not ranking.total.unlabeled


def with_prevalence(influences: Sequence[Influence], slope: float) -> list[Influence]:
    """Add what examples add by the share of positives, at so much for each unit of it."""
    total = sum(sum(part.ranking.total) for part in influences)
    share = sum(part.ranking.total.known_positive for part in influences) / total
    return [
        Influence(
            part.ranking,
            part.known + slope * (1 - share) / total,
            part.rest - slope * share / total,
        )
        for part in influences
    ]


def adjust_sums(sums: FloatArray, sizes: CountArray) -> FloatArray:
    """Return what clusters contribute, as though their own part of a sample's mean were left out.

    Both have shape (2, clusters): of the known positives, and of the rest.

    Notes
    -----
    A mean takes its part of each cluster: with a share a of a sample in a cluster, the square of
    its sum is (1 - a) of what it is around the true mean. Where all clusters are of one size the
    sum of squares is C/(C - 1) times as large.
    """
    share: FloatArray = sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1)
    left = np.subtract(1, share, out=share)  # in place, as there can be as many clusters as rows
    np.sqrt(np.maximum(left, _ALL, out=left), out=left)
    return np.divide(sums, left, out=left)


def hold_clusters(
    sums: FloatArray, sizes: CountArray, with_positive: int, plain: float, alike: float
) -> Design:
    """Hold the sum of squares of clusters against the variance of independent examples.

    Few clusters may make up most of it: the degrees of freedom are those of a variance with the
    kurtosis of its terms, at most one less than clusters hold a known positive. `alike` is the
    effect where nothing scatters: examples of one cluster are then taken to be alike.
    """
    together = adjust_sums(sums, sizes).sum(axis=0)
    effect = float(together @ together) / plain if plain else alike
    whole, df = sums.sum(axis=0), with_positive - 1.0
    squares = whole[whole != 0] ** 2
    if squares.size:
        kurtosis = np.mean(squares**2) / np.mean(squares) ** 2
        df = min(df, float(kurtosis_df(kurtosis, squares.size)))
    return Design(max(float(effect), 1.0), df)


def sum_by_cluster(parts: Sequence[Influence]) -> FloatArray:
    """Return the sum of what the examples of each cluster contribute, shape (2, clusters).

    `parts` are strata that are ranked apart, or one ranking. A third row has what the rest would
    contribute as known positives, where that is asked for.
    """
    ranked = [(part, part.ranking.clusters) for part in parts]
    sums = [
        clusters.sums(part.ranking.threshold, *(each for each in part[1:] if each is not None))
        for part, clusters in ranked
        if clusters is not None
    ]
    return sum(sums[1:], start=sums[0])


def is_one_alone(clusters: Clusters) -> bool:
    """Tell if one cluster has all known positives, or all others: how they differ is not known."""
    return bool((np.count_nonzero(clusters.sizes, axis=1) == 1).any())


def find_design(
    clusters: Clusters | None, influences: Callable[[], Sequence[Influence]]
) -> Design:
    """Hold the variance of clustered examples against that of independent ones ([1]_).

    Notes
    -----
    Clusters are independent: the variance is the sum of squares of what each contributes, see
    `adjust_sums`. Where nothing scatters, examples of one cluster are taken to be alike. One
    cluster that is all there is has no scatter: NaN, as of one example alone.

    References
    ----------
    .. [1] N. A. Obuchowski, *Nonparametric analysis of clustered ROC curve data*, Biometrics 53
       (1997) 567-578.
    """
    if clusters is None:
        return Design()
    total, parts = clusters.n_with_positive, influences()
    plain = float(find_spread(parts)[0].sum())
    alike = sum(part.ranking.total.known_positive for part in parts) / total
    design = hold_clusters(sum_by_cluster(parts), clusters.sizes, total, plain, alike)
    return Design(np.nan) if is_one_alone(clusters) else design


def auroc_on_new(ranking: Ranking, betas: FloatArray) -> FloatArray:
    """Return AUROC on new examples; rounded once, so that equal areas do not differ."""
    rest, above = sum(ranking.total) - ranking.total.known_positive, find_above(ranking)
    numbers = count_negatives(ranking.total, betas)
    shares = [1 - Fraction(number) / Fraction(rest) for number in numbers]
    return np.array([float((above - share / 2) / (1 - share)) for share in shares])


class Placed(NamedTuple):
    """Placements of one ranking or of many: known positives first, then the rest."""

    size: FloatArray  # shape (2, rankings)
    variance: FloatArray  # NaN for one alone
    above: FloatArray  # P(a known positive lies above one of the rest), ties half: (rankings,)

    @property
    def squares(self) -> FloatArray:
        """The squared standard errors that both samples add."""
        return self.variance / self.size


def place_stack(stack: TieBlocks) -> Placed:
    """Return the placements of many rankings.

    Examples
    --------
    >>> blocks = np.array([[0, 0], [1, 1], [1, 2], [0, 2], [1, 3]])
    >>> stack = TieBlocks(np.array([[2, 0, 2]]), *blocks, unlabeled=np.array([0, 1]))
    >>> place_stack(stack)
    Placed(size=array([[2.],
           [2.]]), variance=array([[0.125],
           [0.125]]), above=array([0.75]))
    """
    known, rest = stack.total[:, 0], stack.total[:, 1:].sum(axis=1)
    owner, through = (
        stack.ranking_index,
        stack.end - stack.known_through,
    )  # of the rest, at or above each block
    before = stack.start - (stack.known_through - stack.known_inside)
    last = np.diff(owner, append=known.size) > 0
    gap = np.where(last, rest[owner], np.append(before[1:], 0)) - through
    first = np.roll(last, 1)  # the last of all is the last of its ranking

    def per_ranking(values: FloatArray | IntArray) -> FloatArray:
        return np.bincount(owner, values, minlength=known.size).astype(np.float64)

    with np.errstate(divide="ignore", invalid="ignore"):
        below = 1 - (before + through) / (2 * rest[owner])
        above = per_ranking(stack.known_inside * below) / known
        inside = (2 * stack.known_through - stack.known_inside) / (
            2 * known[owner]
        )  # known positives above
        beyond = stack.known_through / known[owner]  # and above what follows the block
        known_squares = per_ranking(stack.known_inside * (below - above[owner]) ** 2)
        rest_squares = per_ranking(
            (through - before) * (inside - above[owner]) ** 2
            + gap * (beyond - above[owner]) ** 2
            + first * before * above[owner] ** 2
        )
        variance = np.stack([known_squares / (known - 1), rest_squares / (rest - 1)])
    variance[variance < _SQUARED] = 0.0
    return Placed(np.stack([known, rest]).astype(np.float64), variance, above)


def find_placements(ranking: Ranking) -> Placed:
    """Return the placements of both samples, from counts alone ([1]_, [2]_).

    Notes
    -----
    The rest between two neighbouring known positives share one placement, so that counts at
    breakpoints say all.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.
    .. [2] X. Sun, W. Xu, *Fast implementation of DeLong's algorithm for comparing the areas under
       correlated receiver operating characteristic curves*, IEEE Signal Processing Letters 21
       (2014) 1389-1393.

    Examples
    --------
    >>> rank, known = np.arange(5), np.array([0, 1, 1, 2, 2])
    >>> found = find_placements(
    ...     Ranking(rank, 4.5 - rank, known, 0 * known, rank - known, Counts(2, 0, 2))
    ... )
    >>> found.above, found.squares.ravel()
    (array([0.75]), array([0.0625, 0.0625]))
    """
    influences = placement_influences(ranking)
    each = [find_spread([part])[0] for part in influences]
    of_known = each[0] if len(each) == 1 else find_spread(influences)[0]
    squares = np.array([of_known[:1], [sum(squares[1] for squares in each)]])
    size = np.array([[ranking.total.known_positive], [sum(ranking.total[1:])]], np.float64)
    return Placed(size, squares * size, np.array([float(find_above(ranking))]))


def placement_influences(ranking: Ranking) -> list[Influence]:
    """Return what examples add to P(a known positive lies above one of the rest), by stratum."""
    n, parts = ranking.total.known_positive, []
    for part in _shared(ranking):
        known, rest = part.known_positive, part.head - part.known_positive
        others = float(rest[-1])
        below = 1 - (rest[:-1] + rest[1:]) / (2 * others)
        parts.append((part, below, (known[:-1] + known[1:]) / (2 * n) / others))
    return center(parts)


def find_above(ranking: Ranking) -> Fraction:
    """Return P(a known positive lies above one of the rest), ties half, without rounding.

    Known positives of strata are one sample of all positives, so that how many are in each stratum
    is left to chance; each is placed in the rest of its own.
    """
    above = Fraction(0)
    for part in _shared(ranking):
        rest = part.head - part.known_positive
        below = 2 * rest[-1] - rest[:-1] - rest[1:]  # doubled, of the known positives of each step
        pairs = 2 * ranking.total.known_positive * rest[-1].item()
        known = np.diff(part.known_positive)
        known = known.astype(object) if pairs >= _INTEGERS else known
        # Floats, of weights, are what they are.
        above += Fraction(np.asarray(known @ below).item()) / Fraction(pairs)
    return above


def _shared(ranking: Ranking) -> list[Ranking]:
    """Return the ranking, or its strata with known positives; raise if these hold no other."""
    parts = [part for part in ranking.strata if part.total.known_positive]
    if not all(sum(part.total[1:]) for part in parts):
        raise PUDataError(
            "Each group that is pooled must hold more than known positives, but one does not: "
            "nothing is there to rank them against. Leave it out, or make folds anew.",
            page="cross_validation#one-answer-for-all-folds",
        )
    return parts or [ranking]


def rest_share(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the share of positives among all but the known ones.

    Examples
    --------
    >>> rest_share(Counts(3, 5, 15), np.array([0.4]))
    array([0.3])
    """
    rest = total.known_negative + total.unlabeled
    return np.array([float(1 - number / rest) for number in count_negatives(total, betas)])


def welch_df(squares: FloatArray, df: FloatArray) -> FloatArray:
    """Return the degrees of freedom of a sum of estimated variances ([1]_).

    References
    ----------
    .. [1] B. L. Welch, *The generalization of 'Student's' problem when several different
       population variances are involved*, Biometrika 34 (1947) 28-35.

    Examples
    --------
    >>> float(welch_df(np.array([0.01, 0.01]), np.array([4, 4])))
    8.0
    """
    whole, parts = np.sum(squares, axis=0), np.sum(squares**2 / df, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(parts == 0, np.inf, whole**2 / parts)
    return found


# A function of the ranks of known positives in each step of a ranking, and its derivatives by the
# known positives, and by the rest, at or above.
Terms: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
# What the examples at or above each cutoff count at another prevalence: examples, each positive
# several times; what known positives are held against; what the completed labeling adds, over the
# number of positives.
Heads: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


def mean_influences(ranking: Ranking, terms: Callable[[Ranking], Terms]) -> list[Influence]:
    """Return what examples add to the mean over known positives of such a function, by stratum.

    Notes
    -----
    A known positive adds its own value, and what it moves all known positives at or below it by;
    one of the rest the latter alone; each over n, less its mean: the influence function [1]_.

    References
    ----------
    .. [1] F. R. Hampel, *The influence curve and its role in robust estimation*, Journal of the
       American Statistical Association 69 (1974) 383-393.
    """
    n, parts = ranking.total.known_positive, []
    for part in ranking.strata or (ranking,):
        (value, by_known, by_rest), count = terms(part), np.diff(part.known_positive)
        own = value + sum_from_below(count * by_known)
        parts.append((part, own, sum_from_below(count * by_rest) / n))
    return center(parts)


def center(parts: Sequence[tuple[Ranking, FloatArray, FloatArray]]) -> list[Influence]:
    """Return what examples add to the mean of what known positives have, each less its mean.

    `parts` are strata, with what a known positive has and one of the rest moves in each step.
    """
    n = sum(part.total.known_positive for part, _, _ in parts)
    mean = sum(float(np.diff(part.known_positive) @ known) for part, known, _ in parts) / n
    influences = []
    for part, known, rest in parts:
        free = np.diff(part.head - part.known_positive)
        average = float(free @ rest) / (float(free.sum()) or 1.0)
        influences.append(Influence(part, _less(known, mean) / n, _less(rest, average)))
    return influences


def precision_influences(ranking: Ranking, heads: Heads | None = None) -> list[Influence]:
    """Return what examples add to average precision, over the number of positives, by stratum.

    At another prevalence a ranking has no strata, and positives count several times in `heads`.
    """
    n = ranking.total.known_positive

    def terms(part: Ranking) -> Terms:
        known, rank = part.known_positive, part.rank.astype(np.float64)
        size, scale, given = heads or (rank, rank, np.zeros(rank.size))
        high, others, head = known[1:], (rank - known)[1:], size[1:]
        own = high / (n * scale[1:]) + given[1:]
        return own, others / head**2 / n, -high / head**2 / n

    return mean_influences(ranking, terms)


def _less(values: FloatArray, mean: float) -> FloatArray:
    """Return values less their mean, 0 where that is but rounding."""
    away = values - mean
    away[np.abs(away) <= _ROUNDING * np.abs(values).max()] = 0.0
    return away


def sum_from_below(terms: FloatArray) -> FloatArray:
    """Return the sums over each step and all below it."""
    return np.cumsum(terms[::-1])[::-1]


def find_spread(parts: Sequence[Influence]) -> tuple[FloatArray, float]:
    """Return how far a quantity scatters, of independent examples.

    That is the squared standard errors of known positives and of the rest, and the degrees of
    freedom of their sum. Where a few examples make up most of a variance, that is not known well:
    its degrees of freedom are those of a variance with the kurtosis of its terms.
    """
    squares, df = np.full(2, np.nan), np.full(2, np.nan)
    for sample in range(2):
        values = np.concatenate([(part.known, part.rest)[sample] for part in parts])
        counts = [(of.known_positive, of.head - of.known_positive)[sample] for of, *_ in parts]
        times = np.concatenate([np.diff(count) for count in counts])
        size = times.sum()
        if size > 1:
            variance, kurtosis = moments(values, times)
            squares[sample] = variance * size
            df[sample] = kurtosis_df(np.array(kurtosis), size)
    return squares, float(welch_df(squares, df))


def mean_and_variance(values: FloatArray, times: CountArray) -> tuple[float, float]:
    """Return both of values that are there several times each; one alone has no variance."""
    n, one = times.sum().item(), float(values[np.argmax(times > 0)])
    away = values - one  # nothing to round where all are the same
    mean = float(times @ away) / n
    square = float(times @ (away - mean) ** 2)
    return one + mean, square / (n - 1) if n > 1 else np.nan


def moments(values: FloatArray, times: CountArray) -> tuple[float, float]:
    """Return the variance and the kurtosis of values that are there several times each."""
    there = times > 0
    values, times = values[there], times[there]
    size = times.sum().item()
    away = values - float(values @ times) / size
    square = away * away
    second = float(times @ square) / size
    # The rounding of what is the same for all is no spread; its square may be too little for a
    # float.
    if not second or np.ptp(values) <= _ROUNDING * np.abs(values).max():
        return 0.0, 1.0
    return second * size / (size - 1), float(times @ (square / second) ** 2) / size


def kurtosis_df(kurtosis: FloatArray, n: float) -> FloatArray:
    """Return the degrees of freedom of a variance with the kurtosis of its terms."""
    return np.minimum(2 * n / np.maximum(kurtosis - 1, 2 / max(n, 1)), n - 1)

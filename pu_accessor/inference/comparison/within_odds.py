"""Models that ranked the same examples, where labels are not quite random."""

from math import inf
from typing import NamedTuple

import numpy as np
from scipy import special

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import effective_size, latent_shares
from pu_accessor.inference.comparison.paired import Difference, PairTests, compare_paired
from pu_accessor.inference.comparison.pairwise import adjust_p_values
from pu_accessor.inference.estimates.delong import welch_df
from pu_accessor.inference.estimates.intervals import kurtosis_df
from pu_accessor.inference.estimates.known_positives import count_negatives, count_positives
from pu_accessor.inference.estimates.weighted_areas import weighted_spread
from pu_accessor.inference.estimates.within_odds import says_little
from pu_accessor.ranking import FloatArray, IntArray, PairedRanks

__all__ = ["compare_within"]

_MOST = 1e300  # of finite odds
_MANY = 1e6  # latent positives for each known one, where nobody says how many there are


class _Hidden(NamedTuple):
    """Numbers of examples at one beta: latent positives, and negatives."""

    latent: float
    negatives: float


class _Side(NamedTuple):
    """A difference at the selection that makes it lowest, or highest.

    Parameters
    ----------
    value : float
        AUROC of the first model less that of the second.
    error : float
        Standard error away from the other end: downwards of the lowest, upwards of the highest.
    df : float
        Its degrees of freedom.
    """

    value: float
    error: float
    df: float


def compare_within(
    paired: PairedRanks, betas: FloatArray | None, level: float, target: str, odds: float
) -> PairTests:
    """Compare the AUROC of models for every selection within a factor of the odds.

    Notes
    -----
    The difference is the mean of d = R_b - R_a over all positives, over the number of negatives. A
    known positive stands for itself and for latent ones, in number as one over its odds. So
    the lowest difference is that where the known positives with the lowest d count up to
    `odds` times those with the highest, split at the place that makes it lowest. Without betas
    the latent positives are taken to be many: then selection can do most.

    At the weights of either end, as if these were known, there is an interval: for these examples
    that of propensities, on new ones DeLong's of two models with each known positive's weight.
    Where these weights leave fewer than 10 known positives in effect, or half of all, nothing
    is concluded: the interval is all from -1 to 1. The correlation of the two models among the
    other examples is taken as that for equal weights.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> ranks = {"svm": np.array([1.0, 2.0, 4.0]), "forest": np.array([3.0, 3.0, 8.0])}
    >>> among = dict.fromkeys(ranks, np.array([1.0, 2.0, 3.0]))
    >>> paired = PairedRanks(("model",), ranks, among, Counts(3, 0, 10), np.eye(2) / 50)
    >>> found = compare_within(paired, np.array([0.2]), 0.95, "population", 2.0)
    >>> found.sign, [end.round(3).tolist() for end in found.size.reach]
    (array([1]), [[[0.275]], [[0.312]]])
    """
    base = compare_paired(paired, betas, level, target)
    ranks, columns = list(paired.ranks), 1 if betas is None else betas.size
    ends = np.full((2, base.first.size, columns), np.nan)
    limits, best = ends.copy(), np.full((3, base.first.size, columns), np.nan)
    for column, hidden in enumerate(_hidden(paired, betas)):
        for pair in range(base.first.size):
            names = ranks[int(base.first[pair])], ranks[int(base.second[pair])]
            sides = _sides(paired, names, hidden, target, odds)
            ends[:, pair, column] = [side.value for side in sides]
            limits[:, pair, column] = _limits(sides, level)
            best[:, pair, column] = _least(sides)
    statistic, df, p_value = best
    if base.size is None:
        return _tested(base, ends, statistic, df, p_value, None)
    same = base.size.lower == base.size.upper  # nothing is hidden
    lower = np.where(same, base.size.lower, np.fmin(limits[0], base.size.lower))
    upper = np.where(same, base.size.upper, np.fmax(limits[1], base.size.upper))
    reach = ends[0], ends[1]
    size = Difference(base.size.difference, lower, upper, reach)
    return _tested(base, ends, statistic, df, p_value, size)


def _tested(
    base: PairTests,
    ends: FloatArray,
    statistic: FloatArray,
    df: FloatArray,
    p_value: FloatArray,
    size: Difference | None,
) -> PairTests:
    """Return tests whose sign holds within the factor."""
    signs = np.sign(ends)
    stands = (signs == signs[:1, :, :1]).all(axis=(0, 2))
    return PairTests(
        base.first,
        base.second,
        sign=base.sign * stands,
        statistic=statistic,
        df=df,
        p_value=p_value,
        p_holm=adjust_p_values(p_value),
        stuck=base.stuck & stands,
        n=base.n,
        size=size,
    )


def _hidden(paired: PairedRanks, betas: FloatArray | None) -> list[_Hidden]:
    """Return how many latent positives, and negatives, there are at each beta."""
    n, total = paired.total.known_positive, paired.total
    if betas is None and sum(total) == n:
        raise PUDataError(
            "selection_odds must be left out where all examples are known positives: nothing is "
            "there to rank them against."
        )
    if betas is None:
        return [_Hidden(_MANY * n, float(sum(total) - n))]
    negatives = [float(number) for number in count_negatives(total, betas)]
    positives = count_positives(total, betas).as_floats().tolist()
    return [_Hidden(p - n, q) for p, q in zip(positives, negatives, strict=True)]


def _sides(
    paired: PairedRanks, names: tuple[object, object], hidden: _Hidden, target: str, odds: float
) -> tuple[_Side, _Side]:
    """Return the difference at its lowest and at its highest."""
    ahead = paired.ranks[names[1]] - paired.ranks[names[0]]
    if odds == inf and hidden.latent:  # nothing is known of where latent positives are
        return _Side(-1.0, inf, inf), _Side(1.0, inf, inf)
    odds, order, sides = min(odds, _MOST), np.argsort(-ahead, kind="stable"), []
    for sign in (-1, 1):
        weight = np.empty(ahead.size)
        weight[order] = _split(sign * ahead[order][::sign], odds)[::sign]
        latent = latent_shares(1 + weight, hidden.latent)
        value = float((1 + latent) @ ahead) / (ahead.size + hidden.latent) / hidden.negatives
        of_this = _on_new if target == "population" else _of_these
        down, up, df = of_this(paired, names, weight, latent, order, hidden)
        error = down if sign < 0 else up
        if hidden.latent and says_little(weight):
            error = inf
        sides.append(_Side(value, error, df))
    return sides[0], sides[1]


def _split(values: FloatArray, odds: float) -> FloatArray:
    """Return the weights, from 1 to `odds`, that make the mean of descending values largest."""
    n = values.size
    through, above = np.concatenate([[0.0], np.cumsum(values)]), np.arange(n + 1)
    mean = (odds * through + through[-1] - through) / (odds * above + n - above)
    return np.where(np.arange(n) < int(np.argmax(mean)), odds, 1.0)


def _of_these(
    paired: PairedRanks,
    names: tuple[object, object],
    weight: FloatArray,
    latent: FloatArray,
    order: IntArray,
    hidden: _Hidden,
) -> tuple[float, float, float]:
    """Return standard errors and their degrees of freedom, where the other examples are given."""
    n = weight.size
    ahead = paired.ranks[names[1]] - paired.ranks[names[0]]
    if n == 1:
        return np.nan, np.nan, np.nan
    pull = ahead / (n + hidden.latent) / hidden.negatives
    found = weighted_spread(pull[order], latent[order])
    return (
        found.down,
        found.up,
        float(np.nan_to_num(kurtosis_df(np.array(found.kurtosis), n), nan=n - 1)),
    )


def _on_new(
    paired: PairedRanks,
    names: tuple[object, object],
    weight: FloatArray,
    latent: FloatArray,
    order: IntArray,
    hidden: _Hidden,
) -> tuple[float, float, float]:
    """Return standard errors and their degrees of freedom on new examples."""
    n, models = weight.size, list(paired.ranks)
    rest = sum(paired.total) - n
    if min(n, rest) < 2:
        return np.nan, np.nan, np.nan
    share = 1 - hidden.negatives / rest
    pulls, scatter = [], []
    for name in names:
        among = paired.among[name]
        above = paired.ranks[name] - among
        pulls.append(_pull(1 - above / rest, among, weight, n / (n + hidden.latent), rest))
        scatter.append(_scatter_ratio(above, rest, 1 + latent))
    size = effective_size(1 + latent)
    apart = pulls[0] - pulls[1]
    a, b = (models.index(name) for name in names)
    own = np.sqrt(np.array([paired.covariance[a, a], paired.covariance[b, b]]))
    joint = paired.covariance[a, b] / max(own[0] * own[1], 1e-300)
    moved = own * np.sqrt(scatter)
    both = float(moved @ moved - 2 * joint * moved[0] * moved[1])
    squares = np.array([float(apart.var(ddof=1)) / n, max(both, 0.0) / rest])
    error = float(squares.sum()) ** 0.5 / (1 - share)
    return error, error, float(welch_df(squares, np.array([max(size - 1, 1), rest - 1.0])))


def _pull(
    below: FloatArray, among: FloatArray, weight: FloatArray, seen: float, rest: int
) -> FloatArray:
    """Return how much each known positive moves an area, times the share of negatives."""
    n, hidden = weight.size, 1 - seen
    _, group = np.unique(among, return_inverse=True)
    within = np.bincount(group, weight)
    behind = 1 - (np.cumsum(within) - within / 2)[group] / weight.sum()  # latent ones below
    moved = hidden * (below - among / rest)  # but for a constant
    turn = weight / weight.mean()
    found: FloatArray = (
        seen * below - hidden * n / rest * behind + turn * (moved - turn @ moved / n)
    )
    return found


def _scatter_ratio(above: FloatArray, rest: int, stands: FloatArray) -> float:
    """Return by how much weights change the variance over the others of what is above them."""
    order = np.argsort(above)
    steps = np.diff(np.concatenate([[0.0], above[order], [float(rest)]]))

    def variance(weight: FloatArray) -> float:
        through = np.concatenate([[0.0], np.cumsum(weight[order])]) / weight.sum()
        mean = steps @ through / rest
        return float(steps @ (through - mean) ** 2)

    equal = variance(np.ones(stands.size))
    return variance(stands) / equal if equal else 1.0


def _limits(sides: tuple[_Side, _Side], level: float) -> tuple[float, float]:
    """Return the interval around both ends."""
    low, high = sides
    quantile = (1 + level) / 2
    down = special.stdtrit(low.df, quantile) * low.error
    up = special.stdtrit(high.df, quantile) * high.error
    return max(float(low.value - down), -1.0), min(float(high.value + up), 1.0)


def _least(sides: tuple[_Side, _Side]) -> tuple[float, float, float]:
    """Return statistic, degrees of freedom and p value at the selection that says least."""
    low, high = sides
    if np.isnan([low.value, low.error, high.error]).any():
        return np.nan, np.nan, np.nan
    side = low if low.value > 0 else high
    if low.value <= 0 <= high.value or np.isinf(side.error):
        return 0.0, side.df, 1.0
    statistic = side.value / side.error if side.error else float(np.copysign(inf, side.value))
    return statistic, side.df, float(2 * special.stdtr(side.df, -abs(statistic)))

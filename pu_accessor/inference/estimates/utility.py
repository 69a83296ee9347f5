"""Scores that are probabilities: how well bins of them are calibrated."""

from collections.abc import Sequence
from math import inf, nan
from numbers import Integral
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import as_array, hidden_counts
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference.bands.lookup import latent_bounds_each
from pu_accessor.inference.bands.weighted import clustered_bins
from pu_accessor.inference.completion import complete
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import CountArray, FloatArray, IntArray, Ranking


def check_probabilities(ranking: Ranking, question: str) -> None:
    """Raise unless all scores lie in [0, 1]."""
    ends = np.array([np.nextafter(1, 2), 0.0, -np.inf])
    above, inside, every = ranking.count_at_or_above(ends).tolist()
    if outside := above + every - inside:
        raise PUDataError(
            f"{question} needs scores that are probabilities, but {outside} of {every} lie "
            "outside [0, 1]. Turn them into probabilities of being positive first, for example "
            "by scikit-learn's CalibratedClassifierCV or 1/(1 + exp(-score)) of log-odds.",
            page="practice#net-benefit",
        )


def scores_are_of_known(ranking: Ranking, betas: FloatArray) -> bool:
    """Tell if the mean score, to a 400th, is the share of known positives, not of all."""
    total = ranking.total
    above = ranking.count_at_or_above(np.arange(_FINE) / _FINE)
    mean = float(above.mean() / sum(total)) - 1 / (2 * _FINE)
    known, *shares = (total.known_positive + np.append(0, betas) * total.unlabeled) / sum(total)
    margin = min((share for share in shares if share > known), default=known) - known
    return bool(margin > known / 4 and abs(mean - known) < margin / 4)


_MOST = 1_000_000  # bins
_FINE = 200  # parts of a bin whose examples are counted for its mean score


class Reliability(NamedTuple):
    """Shares of positives in bins of scores of one ranking."""

    examples: IntArray
    known_positive: IntArray
    mean_score: FloatArray  # NaN where a bin is empty
    value: FloatArray  # share of positives, shape (bins, 3, betas)


def as_edges(bins: int | Sequence[float] | FloatArray) -> FloatArray:
    """Check bins and return their edges."""
    if isinstance(bins, Integral) and not isinstance(bins, bool):
        number = int(bins)
        if not 1 <= number <= _MOST:
            raise PUValueError(f"bins must be from 1 to {_MOST:,}, but {bins!r} was passed.")
        return np.arange(number + 1) / number
    edges = as_array(bins)
    if edges.ndim != 1 or edges.dtype.kind not in "iuf":
        raise PUTypeError(
            "bins must be their number or an array of their edges, but "
            f"{bins!r} was passed. For example bins=10 or bins=[0, 0.05, 0.2, 1]."
        )
    edges = edges.astype(np.float64)
    if edges.size < 2 or edges[0] != 0 or edges[-1] != 1 or not (np.diff(edges) > 0).all():
        raise PUValueError(
            f"bins must have edges that ascend from 0 to 1, but {edges.tolist()[:20]} was passed. "
            "For as many examples in each bin: [0, *df['score'].quantile([0.25, 0.5, 0.75]), 1]."
        )
    return edges


def check_bin_band(rule: Settings) -> None:
    """Raise unless there are such limits for bins."""
    if rule.band not in ("exact", "simultaneous"):
        raise PUValueError(
            "band must be 'exact', for each bin, or 'simultaneous', for all jointly, but "
            f"{rule.band!r} was passed: other bands are about the top of a ranking."
        )


def reliability(
    ranking: Ranking, betas: FloatArray, edges: FloatArray, rule: Settings
) -> Reliability:
    """Estimate the share of positives in bins of scores, with exact limits.

    Notes
    -----
    Of the n + m positives some number T is in a bin, whatever their scores. Known ones are a
    simple random sample of them: k of n are there with the hypergeometric probability. The limits
    are the smallest and the largest T - k that this does not reject at half of 1 - level, those of
    the band "exact": nothing in that argument is about the top of a ranking. So a bin without a
    known positive has limits, too, the lower one 0. With "simultaneous" 1 - level is shared out
    evenly to the bins that hold examples.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> score = np.append(np.inf, np.arange(12, 0, -1) / 13)
    >>> ranking = Ranking(rank, score, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> edges = np.array([0, 0.5, 1])
    >>> found = reliability(ranking, np.array([0.25]), edges, Settings())
    >>> found.examples, found.known_positive, found.value[..., 0].round(3)
    (array([6, 6]), array([1, 3]), array([[0.167, 0.286, 0.5  ],
           [0.5  , 0.714, 0.833]]))
    """
    check_labels(betas, ranking.total)
    check_probabilities(ranking, "calibration")
    bins = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    parts = np.concatenate([np.linspace(*ends, _FINE + 1)[:-1] for ends in bins])
    above = np.append(ranking.count_at_or_above(parts), 0)
    here = ranking.at(np.unique(above[::_FINE]))
    place = np.searchsorted(here.rank, above[::_FINE])
    known, unlabeled = (-np.diff(each[place]) for each in (here.known_positive, here.unlabeled))
    examples = -np.diff(above[::_FINE])
    split = max(int(np.count_nonzero(examples)), 1) if rule.band == "simultaneous" else 1
    level = 1 - (1 - rule.level) / split
    hidden = hidden_counts(betas, ranking.total.unlabeled)
    completed = [-np.diff(each.above(here.unlabeled[place])) for each in complete(ranking, hidden)]
    ends = here.known_rows[place][::-1]
    latent = _latent(ranking, (ends, unlabeled), np.stack(completed, axis=1), hidden, level)
    there = np.where(examples > 0, examples, np.nan)[:, np.newaxis, np.newaxis]
    value = (known[:, np.newaxis, np.newaxis] + latent) / there
    # The mean score of each bin is that of examples in the middle of its parts.
    middle = (parts + np.repeat(np.diff(edges) / _FINE, _FINE) / 2).reshape(-1, _FINE)
    inside = -np.diff(above).reshape(-1, _FINE)
    sums, sizes = np.sum(middle * inside, axis=1), inside.sum(axis=1)
    return Reliability(examples, known, sums / np.where(sizes, sizes, np.nan), value)


def _latent(
    ranking: Ranking,
    counts: tuple[IntArray, IntArray],
    completed: FloatArray,
    latent: IntArray,
    level: float,
) -> FloatArray:
    """Return the latent positives in each bin, shape (bins, 3, betas).

    `counts` are the known positives above the edges of bins, best first, and the unlabeled
    examples in each.
    """
    ends, unlabeled = counts
    total, each = ranking.total, tuple(latent.tolist())
    if ranking.clusters is None:
        bounds = latent_bounds_each("exact", total.known_positive, each, level)
        limits = [side[:, np.diff(ends)[::-1]].T for side in bounds]
    else:
        of_known = ranking.clusters.known_cluster, ranking.clusters.known_weight
        bins = [clustered_bins(*of_known, ends, m, level) for m in each]
        limits = [np.stack(side, axis=1)[::-1] for side in zip(*bins, strict=True)]
    inside = unlabeled[:, np.newaxis]
    most = np.minimum(inside, latent)
    fewest = np.maximum(latent - (total.unlabeled - inside), 0)
    lower, upper = (np.clip(side, fewest, most) for side in limits)
    return np.stack([lower, np.clip(completed, lower, upper), upper], axis=1)


# The continuous Boyce index: known positives relative to the background


_WINDOWS = 101  # that overlap, from the lowest score to the highest
_WIDTH = 0.1  # of each, of the range of scores
_NEAR = 1e-9  # of the range of scores, within which a score is at the end of a window
_DIGITS = 10  # of ratios that are told apart


def estimate_boyce(ranking: Ranking) -> Estimates:
    """Return the rank correlation of the predicted-to-expected ratio with the score: no interval.

    Notes
    -----
    A window of scores, closed at both ends, holds the share p of the known positives and the share
    e of the background, which is all other examples. The index is Spearman's correlation of p/e
    with the middle of the window. Were known positives, a share a of all examples, part of the
    background, the ratio would be p/(a*p + (1 - a)*e), which rises with p/e: the same index.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> score = np.append(np.inf, np.arange(12, 0, -1))
    >>> ranking = Ranking(rank, score, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> estimate_boyce(ranking).value.round(3)
    array([0.504])
    """
    check_labels(np.zeros(1), ranking.total)
    low, high = _ends(ranking)
    span = high - low
    start = np.linspace(low, high - _WIDTH * span, _WINDOWS)
    end = np.linspace(low + _WIDTH * span, high, _WINDOWS)
    known, rest = _shares_inside(ranking, start - _NEAR * span, end + _NEAR * span)
    ratio = np.where(known > 0, inf, nan)
    np.divide(known, rest, out=ratio, where=rest > 0)
    ranks = scipy.stats.rankdata(np.round(ratio[~np.isnan(ratio)], _DIGITS))
    index, unknown = np.full(1, nan), np.full(1, nan)
    if ranks.size > 1 and np.ptp(ranks):
        index[0] = np.corrcoef(np.arange(ranks.size), ranks)[0, 1]
    return Estimates(index, unknown, unknown, unknown)


def _ends(ranking: Ranking) -> tuple[float, float]:
    """Return the lowest and the highest score."""
    total = ranking.total
    if total.known_positive == sum(total):
        raise PUDataError(
            f"boyce needs a background, but all {sum(total)} examples are known positives. Put "
            "unlabeled examples below them, such as random places: pd.concat."
        )
    best = ranking.refine(np.array([min(1, total.unlabeled)]))
    low, high = float(ranking.threshold[-1]), float(best.threshold[1])
    if not 0 < high - low < inf:
        raise PUDataError(
            f"boyce needs scores that differ and a finite range, but they go from {low:g} to "
            f"{high:g}. Windows are parts of it. Leave out missing ones, nan_policy='omit', and "
            "bound others by df['score'].clip."
        )
    return low, high


def _shares_inside(
    ranking: Ranking, start: FloatArray, end: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the known positives, and of all others, in each window."""
    above = ranking.count_at_or_above(np.append(start, end))
    here = ranking.at(np.unique(above))
    first, after = np.searchsorted(here.rank, above).reshape(2, -1)
    total = ranking.total

    def share(heads: CountArray, every: float) -> FloatArray:
        return (heads[first] - heads[after]) / every

    known, every = here.known_positive, total.known_positive
    if ranking.inverse_propensity is not None:
        through = np.append(0, np.cumsum(ranking.inverse_propensity))
        known, every = through[here.known_rows], through[-1]
    rest = here.known_negative + here.unlabeled
    return share(known, every), share(rest, total.known_negative + total.unlabeled)

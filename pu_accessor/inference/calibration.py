"""Estimate the calibration of scores by bins, and the continuous Boyce index."""

from collections.abc import Sequence
from math import inf, nan
from numbers import Integral

import numpy as np
import scipy

from pu_accessor.checks import as_array, hidden_counts
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.bands import hidden_bounds_of_many
from pu_accessor.inference.completion import complete
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.known_positives import FloatPair, clustered_bins
from pu_accessor.inference.worlds import FutureData, Selected, limits_by_shares
from pu_accessor.ranking import CountArray, FloatArray, IntArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_MAX_BINS = 1_000_000
# The overlapping windows of the Boyce index; width and margin are shares of the range of scores.
_NUMBER_OF_WINDOWS, _WINDOW_WIDTH, _WINDOW_MARGIN = 101, 0.1, 1e-9
_RATIO_DIGITS = 10  # digits in which ratios must differ


def check_probability_scores(ranking: Ranking, question: str) -> None:
    """Raise unless all scores are in [0, 1]."""
    ends = np.array([np.nextafter(1, 2), 0.0, -np.inf])
    above, inside, total = ranking.count_at_or_above(ends).tolist()
    if outside := above + total - inside:
        raise PUDataError(
            f"{question} needs scores that are probabilities, but {outside} of {total} lie "
            "outside [0, 1]. Turn them into probabilities of being positive first, for example "
            "by scikit-learn's CalibratedClassifierCV or 1/(1 + exp(-score)) of log-odds."
        )


def scores_match_known_share(ranking: Ranking, betas: FloatArray) -> bool:
    """Tell if the mean score is near the share of known positives, not of all positives."""
    total = ranking.total
    mean = ranking.sums_from(np.zeros(1)).item() / sum(total)
    known, *shares = (total.known_positive + np.append(0, betas) * total.unlabeled) / sum(total)
    margin = min((share for share in shares if share > known), default=known) - known
    return bool(margin > known / 4 and abs(mean - known) < margin / 4)


def read_bin_edges(bins: int | Sequence[float] | FloatArray) -> FloatArray:
    """Check bins and return their edges."""
    if isinstance(bins, Integral) and not isinstance(bins, bool):
        number = int(bins)
        if not 1 <= number <= _MAX_BINS:
            raise PUValueError(f"bins must be from 1 to {_MAX_BINS:,}, but {bins!r} was passed.")
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
            "For bins of equal size: [0, *df['score'].quantile([0.25, 0.5, 0.75]), 1]."
        )
    return edges


def estimate_bin_shares(
    ranking: Ranking, betas: FloatArray, edges: FloatArray, terms: Terms
) -> Answer:
    """Estimate the share of positives in bins of scores.

    Limits are hypergeometric; of weighted rows, which are a sample, those of future data.
    """
    check_labels(betas, ranking.total)
    check_probability_scores(ranking, "calibration")
    above = np.append(ranking.count_at_or_above(edges[:-1]), 0)
    cutoffs = ranking.at(np.unique(above))
    position = np.searchsorted(cutoffs.rank, above)
    counts = cutoffs.known_positive, cutoffs.unlabeled
    known, unlabeled = (-np.diff(count[position]) for count in counts)
    examples = -np.diff(above)
    split = max(int(np.count_nonzero(examples)), 1) if terms.band == "simultaneous" else 1
    level = 1 - (1 - terms.level) / split
    hidden = hidden_counts(betas, ranking.total.unlabeled)
    each_beta = complete(ranking, hidden)
    completed = [-np.diff(each.above(cutoffs.unlabeled[position])) for each in each_beta]
    in_bins, sizes = np.stack(completed, axis=1), np.where(examples > 0, examples, np.nan)
    if ranking.clusters is not None and ranking.clusters.is_sample:
        value = (known[:, np.newaxis] + in_bins) / sizes[:, np.newaxis]
        world = FutureData.of(ranking, betas, terms.at_level(level))
        limits = _limits_on_future_data(world, edges, known, examples)
        lower, upper = np.fmin(limits[0], value), np.fmax(limits[1], value)
    else:
        ends = cutoffs.known_rows[position][::-1]
        in_bins = _bin_hidden_positives(ranking, ends, unlabeled, in_bins, hidden, level)
        value, lower, upper = (known[:, np.newaxis] + in_bins) / sizes[:, np.newaxis]
    mean_score = ranking.sums_from(edges[:-1]) / sizes
    columns = {"mean_score": mean_score, "examples": examples, "known_positive": known}
    columns = {name: each[:, np.newaxis] for name, each in columns.items()}
    return Answer(value, lower, upper, columns=columns)


def _limits_on_future_data(
    world: FutureData, edges: FloatArray, known: CountArray, examples: CountArray
) -> FloatArray:
    """Return the limits of the share of positives in each bin, shape (2, bins, betas)."""
    limits = []
    tops = np.append(edges[1:-1], inf)

    def precision(tp: FloatArray, fp: FloatArray, *_: FloatArray) -> FloatArray:
        return tp / np.where(tp + fp > 0, tp + fp, nan)

    for here, size, *ends in zip(known, examples, edges[:-1], tops, strict=True):
        selected = Selected(float(here), float(size - here), *map(float, ends))
        limits.append(limits_by_shares(world, selected, precision))
    return np.stack(limits, axis=1)


def _bin_hidden_positives(
    ranking: Ranking,
    ends: IntArray,
    unlabeled: IntArray,
    completed: FloatArray,
    hidden: IntArray,
    level: float,
) -> FloatArray:
    """Return the hidden positives in each bin and their limits, shape (3, bins, betas)."""
    total, numbers = ranking.total, tuple(hidden.tolist())
    if ranking.clusters is None:
        bounds = hidden_bounds_of_many("exact", total.known_positive, numbers, level)
        limits = [side[:, np.diff(ends)[::-1]].T for side in bounds]
    else:
        of_known = ranking.clusters.known_cluster, ranking.clusters.known_weight
        bins = [clustered_bins(*of_known, ends, m, level) for m in numbers]
        limits = [np.stack(side, axis=1)[::-1] for side in zip(*bins, strict=True)]
    inside = unlabeled[:, np.newaxis]
    most = np.minimum(inside, hidden)
    fewest = np.maximum(hidden - (total.unlabeled - inside), 0)
    lower, upper = (np.clip(side, fewest, most) for side in limits)
    return np.stack([np.clip(completed, lower, upper), lower, upper])


def estimate_boyce(_: object, ranking: Ranking, betas: FloatArray, __: Terms) -> Answer:
    """Return Spearman's correlation of the predicted-to-expected ratio with the score."""
    check_labels(np.zeros(1), ranking.total)
    low, high = _score_range(ranking)
    span = high - low
    start = np.linspace(low, high - _WINDOW_WIDTH * span, _NUMBER_OF_WINDOWS)
    end = np.linspace(low + _WINDOW_WIDTH * span, high, _NUMBER_OF_WINDOWS)
    margin = _WINDOW_MARGIN * span
    known, rest = _window_shares(ranking, start - margin, end + margin)
    ratio = np.where(known > 0, inf, nan)
    np.divide(known, rest, out=ratio, where=rest > 0)
    ranks = scipy.stats.rankdata(np.round(ratio[~np.isnan(ratio)], _RATIO_DIGITS))
    has_order = ranks.size > 1 and np.ptp(ranks)
    index = np.corrcoef(np.arange(ranks.size), ranks)[0, 1] if has_order else nan
    none = np.full(betas.size, nan)
    return Answer(np.full(betas.size, index), none, none)


def _score_range(ranking: Ranking) -> tuple[float, float]:
    """Return the lowest and the highest score."""
    total = ranking.total
    if total.known_positive == sum(total):
        raise PUDataError(
            f"boyce needs a background, but all {sum(total)} examples are known positives. Add "
            "unlabeled examples, such as random places, by pd.concat."
        )
    best = ranking.refine(np.array([min(1, total.unlabeled)]), exact=True)
    low, high = float(ranking.threshold[-1]), float(best.threshold[1])
    if not 0 < high - low < inf:
        raise PUDataError(
            f"boyce needs scores that differ and a finite range, but they go from {low:g} to "
            f"{high:g}. Omit missing ones, nan_policy='omit', and bound others by "
            "df['score'].clip."
        )
    return low, high


def _window_shares(ranking: Ranking, start: FloatArray, end: FloatArray) -> FloatPair:
    """Return the share of the known positives, and of all others, in each window."""
    above = ranking.count_at_or_above(np.append(start, end))
    cutoffs = ranking.at(np.unique(above))
    first, after = np.searchsorted(cutoffs.rank, above).reshape(2, -1)
    total = ranking.total

    def share(heads: CountArray, every: float) -> FloatArray:
        return (heads[first] - heads[after]) / every

    known, every = cutoffs.known_positive, total.known_positive
    if ranking.inverse_propensity is not None:
        through = np.append(0, np.cumsum(ranking.inverse_propensity))
        known, every = through[cutoffs.known_rows], through[-1]
    rest = cutoffs.known_negative + cutoffs.unlabeled
    return share(known, every), share(rest, total.known_negative + total.unlabeled)

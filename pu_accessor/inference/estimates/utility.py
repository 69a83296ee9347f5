"""Probabilities: the net benefit of thresholds, and how well bins of them are calibrated."""

from collections.abc import Sequence
from numbers import Integral
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import as_array, interval_betas, latent_counts
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference.bands.weighted import clustered_bins
from pu_accessor.inference.completion import complete
from pu_accessor.inference.estimates.binomial import metric_on_new
from pu_accessor.inference.influence import refuse_weights
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.inference.tables.contingency import Table, check_labels, make_tables
from pu_accessor.inference.tables.curves import point_envelopes
from pu_accessor.inference.tables.metrics import Metric
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking


class NetBenefit(NamedTuple):
    """Net benefit of one ranking."""

    rank: IntArray  # examples that are treated
    value: FloatArray  # shape (thresholds, 3, betas)
    treat_all: FloatArray  # shape (thresholds, betas)
    envelope: FloatArray | None  # shape (thresholds, 2, betas), within an interval of beta
    mean_score: float  # of all examples


def as_thresholds(thresholds: float | Sequence[float] | FloatArray | None) -> FloatArray:
    """Check thresholds and return them as an array."""
    if thresholds is None:
        return np.arange(1, 100) / 100
    found = as_array(thresholds)
    if found.ndim > 1 or (found.size and found.dtype.kind not in "iuf"):
        raise PUTypeError(
            "thresholds must be a number or a one-dimensional array of numbers, but "
            f"{thresholds!r} was passed. For example thresholds=[0.1, 0.2, 0.3]."
        )
    found = np.atleast_1d(found).astype(np.float64)
    outside = found[~((found > 0) & (found < 1))]
    if outside.size or not found.size or np.unique(found).size < found.size:
        came = f"{outside.tolist()[:5]}" if outside.size else f"{found.tolist()[:20]}"
        raise PUValueError(
            f"thresholds must be probabilities above 0 and below 1, each once, but {came} was "
            "passed. At 0 and 1 a false positive costs nothing, or everything: start at 0.01."
        )
    return np.sort(found)


def check_probabilities(ranking: Ranking, question: str) -> None:
    """Raise unless all scores lie in [0, 1]."""
    ends = np.array([np.nextafter(1, 2), 0.0, -np.inf])
    above, inside, every = ranking.above_each(ends).tolist()
    if outside := above + every - inside:
        raise PUDataError(
            f"{question} needs scores that are probabilities, but {outside} of {every} lie "
            "outside [0, 1]. Turn them into probabilities of being positive first, for example "
            "by scikit-learn's CalibratedClassifierCV or 1/(1 + exp(-score)) of log-odds.",
            page="practice#net-benefit",
        )


def net_benefit_at(
    ranking: Ranking, beta: BetaRange, thresholds: FloatArray, rule: Settings
) -> NetBenefit:
    """Return the net benefit at some thresholds, with its bounds.

    Notes
    -----
    TP/N - FP/N * t/(1 - t) at the threshold t [1]_: who would treat from the probability t on
    takes a false positive for t/(1 - t) of a true one. It grows with TP where TP + FP is fixed,
    so that it is bounded by the two tables.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin, *Decision curve analysis: a novel method for evaluating
       prediction models*, Medical Decision Making 26 (2006) 565-574.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> score = np.append(np.inf, np.arange(12, 0, -1) / 13)
    >>> ranking = Ranking(rank, score, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = net_benefit_at(ranking, BetaRange(np.array([0.25])), np.array([0.5]), Settings())
    >>> found.value[0, :, 0].round(3), found.treat_all.round(3)
    (array([0.   , 0.214, 0.333]), array([[0.]]))
    """
    check_probabilities(ranking, "net_benefit")
    ranks, mean = _count_above(ranking, thresholds)
    some, place = np.unique(ranks, return_inverse=True)
    tables = make_tables(ranking.at(some), beta.values, rule, beta.interval, every_count=True)
    examples = sum(ranking.total)
    odds = (thresholds / (1 - thresholds))[:, np.newaxis, np.newaxis]

    def worth(table: Table) -> FloatArray:
        true, false = table.tp[place], table.fp[place]
        value: FloatArray = (true - false * odds) / examples
        return value

    treat_all = (tables.positives - tables.negatives * odds[:, 0]) / examples
    envelope = None
    if tables.inner is not None:
        envelope = np.stack(point_envelopes(tables, tables.inner, worth, kinks=True), axis=1)
    return NetBenefit(ranks, worth(tables.table), treat_all, envelope, mean)


def net_benefit_on_new(
    ranking: Ranking, beta: BetaRange, thresholds: FloatArray, rule: Settings
) -> NetBenefit:
    """Return the net benefit on new examples at some thresholds, with its intervals."""
    check_probabilities(ranking, "net_benefit")
    odds = thresholds / (1 - thresholds)
    found = [
        metric_on_new(ranking, beta, worth_of(threshold), threshold, rule)
        for threshold in thresholds.tolist()
    ]
    value = np.stack([(each.lower, each.estimate, each.upper) for each in found])
    total = ranking.total
    share = (total.known_positive + beta.values * total.unlabeled) / sum(total)
    treat_all = share - (1 - share) * odds[:, np.newaxis]
    ends = [(each.envelope_lower, each.envelope_upper) for each in found]
    envelope = None if beta.interval is None else np.array(ends, np.float64)
    ranks, mean = _count_above(ranking, thresholds)
    return NetBenefit(ranks, value, treat_all, envelope, mean)


def _count_above(ranking: Ranking, thresholds: FloatArray) -> tuple[IntArray, float]:
    """Return the examples at or above thresholds, and the mean of all scores, to a 400th."""
    parts = np.arange(_FINE) / _FINE
    counts = ranking.above_each(np.concatenate([thresholds, parts]))
    ranks, above = np.split(counts, [thresholds.size])
    return ranks, float(above.mean() / sum(ranking.total)) - 1 / (2 * _FINE)


def scores_are_of_known(benefit: NetBenefit, total: Counts, betas: FloatArray) -> bool:
    """Tell if the mean score is the share of known positives, far from that of all positives."""
    sizes = sum(total)
    known, *shares = (total.known_positive + np.append(0, betas) * total.unlabeled) / sizes
    margin = min((share for share in shares if share > known), default=known) - known
    return bool(margin > known / 4 and abs(benefit.mean_score - known) < margin / 4)


def worth_of(threshold: float) -> Metric:
    """Return net benefit at a threshold as a metric."""
    cost = threshold / (1 - threshold)

    def net_benefit(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
        return (tp - fp * cost) / (tp + fp + fn + tn)

    return net_benefit


_MOST = 1_000_000  # bins
_FINE = 200  # parts of a bin whose examples are counted for its mean score


class Reliability(NamedTuple):
    """Shares of positives in bins of scores of one ranking."""

    examples: IntArray
    known_positive: IntArray
    mean_score: FloatArray  # NaN where a bin is empty
    value: FloatArray  # share of positives, shape (bins, 3, betas)
    envelope: FloatArray | None  # shape (bins, 2, betas), within an interval of beta


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
    ranking: Ranking, beta: BetaRange, edges: FloatArray, rule: Settings
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
    >>> beta, edges = BetaRange(np.array([0.25])), np.array([0, 0.5, 1])
    >>> found = reliability(ranking, beta, edges, Settings())
    >>> found.examples, found.known_positive, found.value[..., 0].round(3)
    (array([6, 6]), array([1, 3]), array([[0.167, 0.286, 0.5  ],
           [0.5  , 0.714, 0.833]]))
    """
    refuse_weights(ranking, "calibration")
    betas, inside = beta.values, interval_betas(beta.interval, beta.values)
    check_labels(betas, ranking.total)
    check_probabilities(ranking, "calibration")
    bins = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    parts = np.concatenate([np.linspace(*ends, _FINE + 1)[:-1] for ends in bins])
    above = np.append(ranking.above_each(parts), 0)
    here = ranking.at(np.unique(above[::_FINE]))
    place = np.searchsorted(here.rank, above[::_FINE])
    known, unlabeled = (-np.diff(each[place]) for each in (here.known_positive, here.unlabeled))
    examples = -np.diff(above[::_FINE])
    every = np.concatenate([betas, inside])
    split = max(int(np.count_nonzero(examples)), 1) if rule.band == "simultaneous" else 1
    level = 1 - (1 - rule.level) / split
    hidden = latent_counts(every, ranking.total.unlabeled)
    completed = [-np.diff(each.above(here.unlabeled[place])) for each in complete(ranking, hidden)]
    ends = here.known_rows[place][::-1]
    latent = _latent(ranking, (ends, unlabeled), np.stack(completed, axis=1), hidden, level)
    there = np.where(examples > 0, examples, np.nan)[:, np.newaxis, np.newaxis]
    value = (known[:, np.newaxis, np.newaxis] + latent) / there
    envelope = None
    if inside.size:
        low, high = value[:, 0, betas.size :].min(axis=1), value[:, 2, betas.size :].max(axis=1)
        envelope = np.repeat(np.stack([low, high], axis=1)[..., np.newaxis], betas.size, axis=2)
    return Reliability(
        examples,
        known,
        _mean_scores(parts, -np.diff(above), edges),
        value[..., : betas.size],
        envelope,
    )


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
        bounds = Settings(level).bounds(total.known_positive, each, level)
        limits = [side[:, np.diff(ends)[::-1]].T for side in bounds]
    else:
        of_known = ranking.clusters.of_known, ranking.clusters.known_weight
        bins = [clustered_bins(*of_known, ends, m, level) for m in each]
        limits = [np.stack(side, axis=1)[::-1] for side in zip(*bins, strict=True)]
    inside = unlabeled[:, np.newaxis]
    most = np.minimum(inside, latent)
    fewest = np.maximum(latent - (total.unlabeled - inside), 0)
    lower, upper = (np.clip(side, fewest, most) for side in limits)
    return np.stack([lower, np.clip(completed, lower, upper), upper], axis=1)


def _mean_scores(parts: FloatArray, examples: IntArray, edges: FloatArray) -> FloatArray:
    """Return the mean score of each bin, of examples in the middle of its parts."""
    widths = np.repeat(np.diff(edges) / _FINE, _FINE)
    sums = ((parts + widths / 2) * examples).reshape(-1, _FINE).sum(axis=1)
    sizes = examples.reshape(-1, _FINE).sum(axis=1)
    means: FloatArray = sums / np.where(sizes, sizes, np.nan)
    return means

"""Future data: the possible contingency tables at a threshold, and how their errors combine.

A table has three parts: the shares above the threshold of known positives and of the rest, and the
share of positives among all rows. Each is a binomial with Wilson's limits (JASA 22, 1927,
209-212). A limit of a metric is as far from the estimate as the square root of the summed squares
of what each part moves it by (Newcombe, Statistics in Medicine 17, 1998, 873-890; Zou and Donner,
Statistics in Medicine 27, 2008, 1693-1702).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from pu_accessor.inference import future_bands
from pu_accessor.inference.contingency import Table
from pu_accessor.inference.influence import (
    Design,
    adjust_sums,
    design_effect_of_sums,
    wilson_interval,
)
from pu_accessor.inference.known_positives import FloatPair
from pu_accessor.ranking import Clusters, CountArray, FloatArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

if TYPE_CHECKING:
    from pu_accessor.inference.metric_entry import Metric, MetricFunction


_TYPICAL_LEVEL = 0.95  # at which correlations of errors are evaluated
_CURVE_ERROR_SHARE = 0.2  # of 1 - level, for the band of concave curves
_TINY = 1e-12  # replaces a distance of 0
_MAX_ODDS = 1e9  # in place of infinity, which times a share of 0 is no number
_SMALL_SHARE = 1e-12  # of the rest, for metrics that do not depend on how many are above


class Labeling(NamedTuple):
    """How labels depart from random."""

    odds: float = 1.0  # of a hidden positive to be above, relative to a known one
    wrong: float = 0.0  # share of the known positives that are negative
    wrong_above: float = 0.0  # share of these above the threshold


RANDOM = Labeling()


class Shares(NamedTuple):
    """Both shares above a threshold, and that of positives among all rows."""

    known: FloatArray
    rest: FloatArray
    positive: FloatArray


class Selected(NamedTuple):
    """Known positives, and the rest, with scores from a threshold to below another."""

    known: float
    rest: float
    threshold: float
    below: float = np.inf

    @classmethod
    def above(cls, cutoff: Ranking) -> Selected:
        """Return the rows above a cutoff."""
        known = float(cutoff.known_positive[0])
        return cls(known, float(cutoff.head[0]) - known, float(cutoff.threshold[0]))


class PrevalenceError(NamedTuple):
    """The error of the share of positives among all rows."""

    variance: FloatArray  # by beta
    parts: FloatArray  # what clusters add, (clusters, betas); none where rows are independent


class Errors(NamedTuple):
    """Errors of the three shares, relative to those of independent rows of equal weight."""

    known: Design = Design()
    rest: Design = Design()
    of_prevalence: FloatArray = np.ones(1)  # the design effect, by beta
    correlation: FloatArray = np.eye(3)[..., np.newaxis]  # (3, 3, betas)

    @property
    def df(self) -> float:
        """The degrees of freedom."""
        return min(self.known.df, self.rest.df)

    def at(self, beta: int) -> Errors:
        """Return the errors at one of the betas."""
        if self.of_prevalence.size == 1:
            return self
        return self._replace(of_prevalence=self.of_prevalence[[beta]])


@dataclass(frozen=True, eq=False)
class FutureData:
    """The rows of a ranking as two samples of future data: known positives, and the rest."""

    n: float
    rest: float
    hidden: FloatArray  # share of positives among the rest, by beta
    terms: Terms
    clusters: Clusters | None = None

    @classmethod
    def of(cls, ranking: Ranking, betas: FloatArray, terms: Terms) -> FutureData:
        """Return the samples of a ranking."""
        n = ranking.total.known_positive
        rest = sum(ranking.total) - n
        hidden = betas * ranking.total.unlabeled / max(rest, 1)
        return cls(n, rest, hidden, terms, ranking.clusters)

    @property
    def size(self) -> float:
        """The number of rows."""
        return self.n + self.rest

    @property
    def labelings(self) -> list[Labeling]:
        """The extreme ways in which labels may depart from random."""
        odds, wrong = min(self.terms.selection_odds, _MAX_ODDS), self.terms.contamination
        of_wrong = dict.fromkeys([(0.0, 0.0), (wrong, 0.0), (wrong, float(wrong > 0))])
        all_odds = dict.fromkeys((1.0, odds, 1 / odds))
        return [Labeling(each, *wrong) for each, wrong in product(all_odds, of_wrong)]

    def at(self, beta: int) -> FutureData:
        """Return the same at one of the betas."""
        return replace(self, hidden=self.hidden[[beta]])

    def at_level(self, level: float) -> FutureData:
        """Return the same at another level."""
        return replace(self, terms=self.terms.at_level(level))

    def positives(self, labeling: Labeling) -> FloatArray:
        """Return the number of positives, by beta."""
        return self.n * (1 - labeling.wrong) + self.rest * self.hidden

    def true_above(self, known: FloatArray, labeling: Labeling) -> FloatArray:
        """Return the number of positives above a threshold."""
        odds, wrong, wrong_above = labeling
        share = np.clip((known - wrong * wrong_above) / (1 - wrong), 0, 1) if wrong else known
        hidden = odds * share / (1 + (odds - 1) * share)
        return self.n * (1 - wrong) * share + self.rest * self.hidden * hidden

    def rates(self, shares: Shares, labeling: Labeling) -> FloatPair:
        """Return the true and the false positive rate, which may be impossible."""
        true, positives = self.true_above(shares.known, labeling), self.positives(labeling)
        false = self.n * shares.known + self.rest * shares.rest - true
        negatives = self.size - positives
        return true / positives, false / np.where(negatives > 0, negatives, 1)

    def rest_above(
        self, known: FloatArray, fpr: FloatArray | float, labeling: Labeling
    ) -> FloatArray:
        """Return the share of the rest above where the false positive rate is as given."""
        false = (self.size - self.positives(labeling)) * fpr
        true = self.true_above(known, labeling)
        return np.asarray((true + false - self.n * known) / (self.rest or 1))

    def values(
        self, metric: MetricFunction, shares: Shares, labeling: Labeling, *, cut: bool = True
    ) -> FloatArray:
        """Evaluate a metric; unless `cut` where false positives are impossible, too."""
        tpr, fpr = self.rates(shares, labeling)
        fpr = np.clip(fpr, 0, 1) if cut else fpr
        table = Table.of_rates(tpr, fpr, shares.positive, self.size)
        return np.asarray(metric(*np.broadcast_arrays(*table)), np.float64)

    @cached_property
    def prevalence_error(self) -> PrevalenceError:
        """The error of the share of positives, of labels at random."""
        sizes = None if self.clusters is None else self.clusters.sizes
        return prevalence_error(self.n, self.rest, self.hidden, sizes)

    def prevalence(self, labeling: Labeling, level: float, errors: Errors) -> FloatArray:
        """Return the lower limit, the estimate and the upper limit, (3, betas)."""
        positives = self.positives(labeling)
        if self.terms.prevalence is not None:
            return np.full((3, positives.size), self.terms.prevalence)
        counts = positives / errors.of_prevalence, self.size / errors.of_prevalence
        lower, upper = wilson_interval(*counts, level, Design(df=errors.df))
        return np.stack([lower, positives / self.size, upper])


def limits_at_threshold(
    world: FutureData, ranking: Ranking, cutoff: Ranking, metric: Metric, estimates: FloatArray
) -> FloatPair:
    """Return the limits of a metric at one cutoff, by beta."""
    terms = world.terms
    if not ranking.monotone or ranking.clusters is not None or not terms.is_random:
        return limits_by_shares(world, Selected.above(cutoff), metric)
    parts = (1 - _CURVE_ERROR_SHARE, _CURVE_ERROR_SHARE)
    first, second = (world.at_level(1 - part * (1 - terms.level)) for part in parts)
    lower, upper = limits_by_shares(first, Selected.above(cutoff), metric)
    curves = [
        _limits_by_curves(second.at(beta), ranking, cutoff, metric, estimate)
        for beta, estimate in enumerate(estimates)
    ]
    low, high = np.transpose(curves)
    return np.fmax(lower, low), np.fmin(upper, high)


def limits_by_shares(world: FutureData, selected: Selected, metric: MetricFunction) -> FloatPair:
    """Return the limits of a metric of selected rows, by those of the three shares."""
    errors, ends = errors_at(world, selected), []
    counts = np.array([[selected.known], [selected.rest]])

    def values_at_limits(labeling: Labeling, level: float) -> FloatPair:
        """Return a metric with each share at its lower limit, estimate and upper limit.

        The second is cut to what is possible, which the first need not be.
        """
        known, rest = (
            np.insert(wilson_interval(count, size, level, design), 1, count / size, 0)
            for count, size, design in zip(
                counts, (world.n, world.rest or 1), errors[:2], strict=True
            )
        )
        # A beta may need more positives above the threshold, or below it, than there are examples.
        possible = (world.rest_above(known[1], fpr, labeling) for fpr in (0.0, 1.0))
        rest = np.repeat(rest, world.hidden.size, axis=1)
        rest[1] = np.clip(rest[1], *possible)
        positive = world.prevalence(labeling, level, errors)
        shares = Shares(known[:, np.newaxis, np.newaxis], rest[:, np.newaxis], positive)
        cut, uncut = (world.values(metric, shares, labeling, cut=each) for each in (True, False))
        away, farther = cut - cut[1, 1, 1], uncut - cut[1, 1, 1]
        with np.errstate(invalid="ignore"):  # beyond a pole they come back from the other side
            return np.where(farther * away > away**2, uncut, cut), cut

    for labeling in world.labelings:
        values, cut = values_at_limits(labeling, world.terms.level)
        typical = values
        if world.clusters is not None:
            typical, _ = values_at_limits(labeling, _TYPICAL_LEVEL)
        ends.append(_combine_errors(values, cut, typical, errors.correlation))
    lower, upper = zip(*ends, strict=True)
    return np.fmin.reduce(lower), np.fmax.reduce(upper)


def _combine_errors(
    values: FloatArray, cut: FloatArray, typical: FloatArray, correlation: FloatArray
) -> FloatPair:
    """Return limits from a metric at three values of each share, (3, 3, 3, betas)."""
    # Distances that end at what is possible are too short to be combined: limits are cut last.
    estimate, distances = cut[1, 1, 1], []
    moved, typical_moved = _moved_by_one(values), _moved_by_one(typical)
    rises = np.sign(typical_moved[:, 1] - typical_moved[:, 0])
    correlated = (correlation - np.eye(3)[..., np.newaxis]) * rises * rises[:, np.newaxis]
    for side in (-1, 1):
        by, typical_by = (
            np.maximum(np.fmax.reduce(side * (each - estimate), axis=1), 0)
            for each in (moved, typical_moved)
        )
        # Correlations are evaluated at one level, so that intervals grow with the level.
        shared = np.sum(correlated * typical_by * typical_by[:, np.newaxis], axis=(0, 1))
        total = np.sum(typical_by**2, axis=0)
        ratio = np.maximum(1 + shared / np.where(total > 0, total, 1), 0)
        distances.append(np.sqrt(np.sum(by**2, axis=0) * ratio))
    corners = [estimate, *cut[::2, ::2, ::2].reshape(8, -1)]
    low, high = np.fmin.reduce(corners), np.fmax.reduce(corners)
    return np.maximum(estimate - distances[0], low), np.minimum(estimate + distances[1], high)


def _moved_by_one(values: FloatArray) -> FloatArray:
    """Return the values with one share at its limits, (3, 2, betas)."""
    return np.stack([values[::2, 1, 1], values[1, ::2, 1], values[1, 1, ::2]])


def combine_with_prevalence(cut: FloatArray, values: FloatArray) -> FloatPair:
    """Return limits from values at three shares of positives, (3, values), estimates first.

    Distances are those of `values`, and limits are cut last.
    """
    estimate, low, high = values[:, 0], np.fmin.reduce(values, 1), np.fmax.reduce(values, 1)
    # Each of three shares of positives: its estimate, its lower and its upper limit.
    with np.errstate(invalid="ignore"):  # from one infinity to the other
        down, up = (
            max(*(np.fmax.reduce(side * (each - each[0])) for each in (estimate, end)), 0.0)
            for side, end in ((-1, low), (1, high))
        )
    lower = estimate[0] - np.hypot(estimate[0] - low[0], down)
    upper = estimate[0] + np.hypot(high[0] - estimate[0], up)
    ends = np.fmin.reduce(cut, axis=None), np.fmax.reduce(cut, axis=None)
    return np.clip(lower, *ends), np.clip(upper, *ends)


def _limits_by_curves(
    world: FutureData, ranking: Ranking, cutoff: Ranking, metric: Metric, estimate: float
) -> FloatPair:
    """Return the limits of a metric at one cutoff and beta, of concave curves in their band."""
    finer, level = ranking.refine(cutoff.unlabeled, exact=True), world.terms.level
    position = int(np.searchsorted(finer.rank, cutoff.rank[0]))
    rates = future_bands.bound_rates(finer, world.hidden.item(), level, monotone=True)
    limits = rates.lift[np.newaxis] if metric.depends_on == "precision" else np.stack(rates[:2])
    if (limits[:, 0, position] > limits[:, 1, position]).any():  # no curve fits
        return np.array(np.inf), np.array(-np.inf)
    prevalence = world.prevalence(RANDOM, level, Errors())
    if metric.depends_on == "precision":
        known = np.minimum(rates.lift[:, position] * _SMALL_SHARE, 1.0)
        rest = np.full(2, _SMALL_SHARE)
    else:
        known = rates.tpr[:, position].repeat(2)
        rest = world.rest_above(known, np.tile(rates.fpr[:, position], 2), RANDOM)
    values = world.values(metric, Shares(known, rest, prevalence), RANDOM)
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    down, up = max(estimate - low[1], 0.0), max(high[1] - estimate, 0.0)
    lower = estimate - np.hypot(down, low[1] - low.min())
    upper = estimate + np.hypot(up, high.max() - high[1])
    return np.maximum(lower, low.min()), np.minimum(upper, high.max())


def errors_at(world: FutureData, selected: Selected) -> Errors:
    """Return the errors of the three shares of selected rows, with clusters and weights."""
    clusters = world.clusters
    if clusters is None:
        return Errors()
    sizes = np.maximum([world.n, world.rest], 1)
    shares = np.array(selected[:2]) / sizes
    steps = np.array([np.inf, selected.below, selected.threshold, np.nan])
    inside = np.stack([-shares, 1 - shares, -shares], 1) / sizes[:, np.newaxis]
    sums = clusters.sums(steps, *inside)
    variances = (shares * (1 - shares) / sizes).tolist()
    mean_sizes = (sizes / [clusters.n_with_positive, clusters.n_clusters]).tolist()
    known, rest = (
        design_effect_of_sums(sums * own, clusters.sizes, clusters.n_with_positive, *of_sample)
        for own, *of_sample in zip(np.eye(2)[..., np.newaxis], variances, mean_sizes, strict=True)
    )
    variance, parts = world.prevalence_error
    sums = adjust_sums(sums, clusters.sizes)
    scale = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
    unit = sums / np.where(scale > 0, scale, 1)
    correlation = np.repeat(np.eye(3)[..., np.newaxis], variance.size, axis=2)
    correlation[0, 1] = correlation[1, 0] = unit[0] @ unit[1]
    related = unit @ parts / np.sqrt(np.where(variance > 0, variance, 1))
    correlation[2, :2] = correlation[:2, 2] = np.clip(related, -1, 1)
    positive = world.positives(RANDOM) / world.size
    binomial = positive * (1 - positive) / world.size
    effect = np.maximum(variance / np.where(binomial > 0, binomial, 1), 1.0)
    return Errors(known, rest, effect, correlation)


def prevalence_error(
    n: float, rest: float, hidden: FloatArray, sizes: CountArray | None = None
) -> PrevalenceError:
    """Return the error of the share of positives; `sizes` are those of clusters, (2, clusters)."""
    size, positives = n + rest, n + rest * hidden
    share = positives / size
    if sizes is None:
        return PrevalenceError(share * (1 - share) / size, np.empty((0, share.size)))
    known, whole, labeled = sizes[0].astype(np.float64), sizes.sum(axis=0), n / positives
    # Rows, and pairs of rows of a cluster. Where no cluster has both known positives and others,
    # whole clusters are labeled, else rows one by one.
    of_known, of_all = n, size
    if not (sizes > 0).all(axis=0).any():
        of_known, of_all = float(known @ known), float(whole @ whole)
    rows = (1 - 2 * share) * (of_known + hidden * (of_all - of_known)) + share**2 * of_all
    pairs = (known @ known - of_known) / labeled**2 + share**2 * (float(whole @ whole) - of_all)
    pairs = pairs - 2 * share / labeled * (known @ whole - of_known)
    number = int(np.count_nonzero(whole))
    variance = (rows + np.maximum(pairs, 0)) * number / max(number - 1, 1) / size**2
    parts = (np.divide.outer(known, labeled) - np.multiply.outer(whole, share)) / size
    return PrevalenceError(np.asarray(variance), parts)


def add_prevalence_error(
    squared: FloatArray, slope: FloatArray, error: PrevalenceError, sums: FloatArray
) -> FloatArray:
    """Return a squared error with that of the share of positives, at `slope` for each unit of it.

    `sums` are what clusters add to the first, (betas, clusters), if rows are not independent.
    """
    shared = np.sum(sums.T * error.parts, axis=0) if error.parts.size else 0.0
    return np.maximum(squared + slope**2 * error.variance + 2 * slope * shared, 0)


def precision_limit(
    world: FutureData, ranking: Ranking, lift: FloatArray, side: int, level: float
) -> FloatArray:
    """Return the lower (-1) or upper (1) limit of precision, (betas, cutoffs), from the lift's.

    The lift is the share of known positives above a threshold, relative to that of the rest. Its
    error and that of the share of positives are combined on the scale of log odds.
    """
    known, rest, n, size = future_bands.counts_of_samples(ranking)
    ends = scipy.special.logit(world.prevalence(RANDOM, level, Errors()))[..., np.newaxis]
    prevalence, share = ends[1], world.hidden[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_estimate, of_limit = (
            np.log(each * (1 - share) / np.maximum(1 - each * share, 0))
            for each in (known / n / (rest / size), lift)
        )
        first = np.nan_to_num(side * (of_limit - of_estimate), nan=np.inf, posinf=np.inf)
        second = np.abs(ends[1 + side] - prevalence)
        # sqrt(first**2 + second**2) - first, also where the first is infinite
        more = second**2 / (np.hypot(first, second) + np.maximum(first, 0) + _TINY)
        return np.asarray(scipy.special.expit(prevalence + of_limit + side * more))


def lower_precision(world: FutureData, ranking: Ranking, alpha: float | None = None) -> FloatArray:
    """Return lower limits of precision, (betas, cutoffs): jointly, or each missed with alpha/2."""
    samples, level = future_bands.counts_of_samples(ranking), world.terms.level
    if alpha is None:
        alpha = future_bands.local_alpha_of_share(samples[2], level, both=False)
    lift = future_bands.ratio_limit(*samples, alpha, 0)
    return precision_limit(world, ranking, lift, -1, 2 * level - 1)

"""AUROC on new examples by known negatives as well as by beta: two statistics of one number."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUValueError
from pu_accessor.inference.estimates.areas_on_new_examples import (
    binormal_variances,
    estimate_population_auroc,
    reach_ends,
    score_interval,
    ties_of_mixture,
)
from pu_accessor.inference.estimates.intervals import Estimates, at_completed
from pu_accessor.inference.influence import (
    Placed,
    check_new,
    find_placements,
    moments,
    placement_influences,
)
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

_MODELED = 2  # examples that the model of the variances counts for


class Kinds(NamedTuple):
    """Known positives against the unlabeled, and against the known negatives."""

    size: IntArray  # known positives, unlabeled, known negatives
    above: FloatArray  # P(a known positive lies above one), of both kinds, ties half
    place: FloatArray  # of known positives among both kinds, less the mean, shape (2, steps)
    times: IntArray  # known positives in each step
    seen: FloatArray  # variances of placements of both kinds
    squares: FloatArray  # mean squares of those of known positives and of the unlabeled
    scatter: FloatArray  # squared standard errors of both

    @classmethod
    def of(cls, ranking: Ranking) -> "Kinds":
        """Find the placements of all three kinds."""
        n, negatives, unlabeled = ranking.total
        size = np.array([n, unlabeled, negatives])
        held = [hold_against(ranking, kind) for kind in ("unlabeled", "known_negative")]
        parts = [placement_influences(each)[0] for each in held]
        above = np.array([float(find_placements(each).above) for each in held])
        counts = ranking.unlabeled, ranking.known_negative
        seen = [
            moments(number * part.rest, np.diff(count))[0] if number > 1 else 0.0
            for part, count, number in zip(parts, counts, size[1:].tolist(), strict=True)
        ]
        known = ranking.known_positive
        square = ((known[:-1] + known[1:]) / (2 * n)) ** 2
        times = np.diff(known), np.diff(ranking.unlabeled)
        squares = [float(count @ square) / float(count.sum()) for count in times]
        fourth = [float(count @ square**2) / float(count.sum()) for count in times]
        scatter = (np.array(fourth) - np.square(squares)) / [n, unlabeled]
        place = np.stack([n * part.known for part in parts])
        return cls(size, above, place, times[0], np.array(seen), np.array(squares), scatter)

    def by_beta(self, beta: float) -> float:
        """Return AUROC by beta, from the unlabeled alone."""
        return (float(self.above[0]) - beta / 2) / (1 - beta)

    def likely(self, beta: float) -> float:
        """Return AUROC by all negatives alike, with a pair more of each order."""
        n, unlabeled, negatives = map(float, self.size)
        latent = (1 - beta) * unlabeled
        pairs = n * (latent + negatives)
        above = latent * self.by_beta(beta) + negatives * float(self.above[1])
        return (min(max(above / (latent + negatives), 0.0), 1.0) * pairs + 1) / (pairs + 2)

    def of_negatives(self, beta: float) -> float:
        """Return the variance of placements of negatives.

        Few known ones say little of it, and two normal distributions count for two more. The
        unlabeled say it, too, if beta is right: both are averaged, each the less the further it
        can be off. That of k known ones with a variance v can be off by the root of v/k at most.
        """
        negatives = float(self.size[2])
        model = float(binormal_variances(np.array(self.likely(beta)), np.array(0.0))[1])
        own = _MODELED * model + (negatives - 1) * float(self.seen[1])
        own /= _MODELED + negatives - 1
        implied = float(self.squares[1] - beta * self.squares[0]) / (1 - beta)
        implied = max(implied - self.by_beta(beta) ** 2, 0.0)
        doubt = float(self.scatter[1] + beta**2 * self.scatter[0]) / (1 - beta) ** 2
        part = own / negatives / (own / negatives + doubt)
        return max(part * implied + (1 - part) * own, own / 2)


def hold_against(ranking: Ranking, kind: str) -> Ranking:
    """Return the ranking of the known positives and one other kind of examples alone."""
    known, others = ranking.known_positive, getattr(ranking, kind)
    total = Counts(ranking.total.known_positive, 0, getattr(ranking.total, kind))
    counts = {"rank": known + others, "unlabeled": others, "known_negative": 0 * others}
    return replace(ranking, **counts, total=total, refiner=None, whole=None)


def estimate_auroc_of_both(ranking: Ranking, betas: FloatArray, rule: Settings) -> Estimates:
    """Estimate the area under the ROC curve on new examples, from both kinds of known ones.

    Notes
    -----
    A known positive lies above a known negative with a probability of A, the area, and above an
    unlabeled example with b/2 + (1 - b)*A. Both statistics of A are averaged by weights w and
    1 - w for which the variance of the average is the smallest: w is (v2 - c)/(v1 + v2 - 2*c),
    within [0, 1], with their variances and their covariance, as both have the same known
    positives. These are of two normal distributions of equal variance with that area: weights
    that the data chose by their own scatter would prefer what scatters little by chance. The
    average is that of known positives held against a rest of which q = w/(1 - b + w*b) is
    unlabeled and 1 - q known negatives, and has the interval of `estimate_population_auroc`.
    """
    check_new(ranking, betas, "auroc")
    if ranking.clusters is not None or ranking.strata:
        raise PUValueError(
            "reference must be 'positives' where cluster, weight or pool is bound, but 'both' was "
            "passed: their rows are held against all of the rest. Leave reference out.",
            page="known_negatives",
        )
    check_labels(betas, ranking.total, ("positives", "negatives"))
    if not ranking.total.unlabeled:
        return estimate_population_auroc(ranking, betas, rule)
    kinds = Kinds.of(ranking)
    mixed = [_mix(kinds, beta) for beta in betas.tolist()]
    part, above, known, rest, size = np.array(mixed).T
    share = part * betas
    value = (above - share / 2) / (1 - share)
    n = np.full(betas.size, float(kinds.size[0]))
    placed = Placed(np.stack([n, size]), np.stack([known, rest]), above)
    error = np.sqrt(np.sum(placed.variance / placed.size, axis=0)) / (1 - share)
    limits = score_interval(value, share, placed, rule.level)
    ties = ties_of_mixture(ranking, part)
    limits = reach_ends(limits, value, share, placed, ties, rule.level)
    statistic = Estimates(value, error, *limits)
    return at_completed(ranking, betas, rule.level, statistic, np.clip(value, 0, 1))


def _mix(kinds: Kinds, beta: float) -> tuple[float, float, float, float, float]:
    """Return what known positives are held against, a mixture of both kinds of the rest.

    That is the unlabeled part of it, P(a known positive lies above), the variances of both
    placements and the size of the rest.
    """
    n, unlabeled, negatives = kinds.size.tolist()
    part = _unlabeled_part(kinds, beta) if beta < 1 else 0.0
    parts = np.array([part, 1 - part])
    known = moments(parts @ kinds.place, kinds.times)[0] if n > 1 else np.nan
    of_negatives = kinds.of_negatives(beta) if beta < 1 else float(kinds.seen[1])
    terms = parts**2 / [unlabeled, negatives]
    size = 1 / float(terms.sum())
    rest = size * float(terms @ [kinds.seen[0], of_negatives])
    return part, float(parts @ kinds.above), known, rest, size


def _unlabeled_part(kinds: Kinds, beta: float) -> float:
    """Return the part of unlabeled examples in the rest at which the variance is smallest."""
    n, unlabeled, negatives = map(float, kinds.size)
    area = np.array(kinds.likely(beta))
    known, rest = (binormal_variances(area, np.array(share)) for share in (0.0, beta))
    turn = float(scipy.special.owens_t(scipy.special.ndtri(area), 3**-0.5))
    alone = float(known[0]) / n + kinds.of_negatives(beta) / negatives
    by_beta = (float(rest[0]) / n + float(rest[1]) / unlabeled) / (1 - beta) ** 2
    shared = (float(known[0]) + beta / (1 - beta) * turn) / n
    weight = (alone - shared) / (alone + by_beta - 2 * shared)
    weight = min(max(weight, 0.0), 1.0)
    return weight / (1 - beta + weight * beta)

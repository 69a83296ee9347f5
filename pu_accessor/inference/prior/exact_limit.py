"""An upper limit on beta by an exact test: the lower side of the band "simultaneous"."""

from bisect import bisect
from math import sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.bands.exact import SAME, exact, exact_each
from pu_accessor.inference.bands.simultaneous import COUNTED, NEVER, joint_coverage, local_alpha
from pu_accessor.inference.tables.latent_bounds import inner_cutoffs
from pu_accessor.ranking import IntArray, Ranking

_FEW = 30  # cutoffs, up to which it may count that they are few
# p values fall as latent positives grow in number, but for steps of counts. Measured for 2 to 300
# known positives: of M, or one after it, p is at most 1 + 4/sqrt(M) times as high as before.
_UNEVEN = 4.0


class _Heads(NamedTuple):
    """How known and unlabeled examples lie at the cutoffs at which a known positive does."""

    known: IntArray  # at or above each
    unlabeled: IntArray
    n: int  # known positives
    cutoffs: int | None  # between the ends, where they are few

    def tail(self, latent: int) -> float:
        """Return the smallest probability, at one cutoff, of so few latent positives."""
        most = np.minimum(self.unlabeled, latent)
        size = self.n + latent
        heads = self.known + most
        return float(np.min(scipy.stats.hypergeom.sf(self.known - 1, size, self.n, heads)))

    def p_value(self, latent: int, delta: float) -> float:
        """Return the probability of a tail as small at any cutoff; beyond some size at delta."""
        tail = self.tail(latent)
        if tail > delta * (1 + SAME):
            return tail
        if self.n + latent > COUNTED:
            p = tail * 2 * delta / local_alpha(self.n, latent, 1 - delta, 1.0, one_sided=True)
        else:
            lower = exact_each(self.n, np.array([latent]), 1 - 2 * tail)[0][0]
            p = 1 - joint_coverage(self.n, latent, lower, exact(self.n, latent, 1 - NEVER)[1])
        return min(p, self.cutoffs * tail) if self.cutoffs else p


def exact_limit(ranking: Ranking, delta: float) -> float:
    """Return the largest beta that known positives do not rule out, by an exact joint test.

    Notes
    -----
    With M latent positives, k of n known positives and h unlabeled examples at or above a cutoff,
    at most min(h, M) of the M are there. P(V <= min(h, M)), with V the latent positives above the
    k-th known one, is the tail of the band "exact" there. The smallest tail of all cutoffs is the
    statistic. All orders of known and latent positives are equally likely: those with a tail as
    small at any cutoff are counted, or bounded by the number of cutoffs times the tail. So M is
    ruled out if the lower side of the band "simultaneous" at 1 - delta, with the local level that
    this M takes, puts more latent positives into some head than there are examples.

    The limit is the largest M that is not ruled out. Numbers from that on at which p is well below
    delta are taken as ruled out; from there each is tested, one by one. Beyond 20,000 positives p
    is scaled, as the local level of the band is.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> known = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 10])
    >>> unlabeled = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 20])
    >>> rank = known + unlabeled
    >>> ranking = Ranking(rank, 30.5 - rank, known, 0 * known, unlabeled, Counts(10, 0, 20))
    >>> exact_limit(ranking, 0.05)
    0.35
    """
    steps = np.flatnonzero(np.diff(ranking.known_positive)) + 1
    n, _, size = ranking.total
    cutoffs = inner_cutoffs(ranking, _FEW)
    heads = _Heads(ranking.known_positive[steps], ranking.unlabeled[steps], n, cutoffs)

    def ruled_out(latent: int, p: float) -> bool:
        return p * (1 + _UNEVEN / sqrt(latent)) <= delta

    latent, times = 0, 1.0  # p over the tail of one cutoff
    while latent < size:
        more = range(latent + 1, size + 1)
        latent += bisect(more, False, key=lambda m: ruled_out(m, times * heads.tail(m)))
        if latent == size:
            break
        p = heads.p_value(latent + 1, delta)
        if ruled_out(latent + 1, p):
            break
        times = p / heads.tail(latent + 1)
    while latent and heads.p_value(latent, delta) <= delta * (1 + SAME):
        latent -= 1
    return latent / size

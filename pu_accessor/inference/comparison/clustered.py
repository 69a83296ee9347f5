"""Models that ranked the same examples, where these are not independent: AUROC on new examples."""

import numpy as np
from scipy import special

from pu_accessor.inference.comparison.paired import PairedTests, compare_paired
from pu_accessor.inference.comparison.pairwise import compare_by_t
from pu_accessor.inference.comparison.scatter import design_of
from pu_accessor.ranking import FloatArray, PairedRanks

_ROUNDING = 1e-12  # relative size of a variance that may be none


def compare_clustered(
    paired: PairedRanks, betas: FloatArray | None, level: float, target: str
) -> PairedTests:
    """Compare the AUROC of models by rows, or, of new examples, by their clusters.

    Notes
    -----
    The variance of a difference is that of independent rows (`compare_paired`), times what the
    sums of both models' placements by cluster scatter more than placements of independent rows do
    (`pu_accessor.inference.influence.hold_clusters`).
    """
    tests, clusters = (
        compare_paired(paired._replace(rows=None), betas, level, target),
        paired.clusters,
    )
    if clusters is None:
        return tests
    pairs = tests.first, tests.second
    designs = [
        design_of(clusters.sums[a] - clusters.sums[b], clusters.sizes, _of_rows(paired, a, b))
        for a, b in zip(*pairs, strict=True)
    ]
    effect, most = np.transpose(designs)[..., np.newaxis]
    error = (tests.upper - tests.difference) / special.stdtrit(tests.df, (1 + level) / 2)
    df = np.minimum(tests.df, most)
    held = compare_by_t(pairs, tests.difference, error * np.sqrt(effect), df, level)
    whole = clusters.sums.sum(axis=1)
    return PairedTests(
        **vars(held),
        sign=tests.sign,
        n=tests.n,
        has_size=tests.has_size,
        covariance=(whole @ whole.T)[np.newaxis],
    )


def _of_rows(paired: PairedRanks, first: int, second: int) -> float:
    """Return the variance that a difference of shares of pairs has of independent rows."""
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.among))
    n, both = paired.total.known_positive, paired.covariance[[first, second], [first, second]]
    others = sum(paired.total) - n
    ahead = (ranks[first] - among[first]) - (ranks[second] - among[second])
    rest = float(both.sum() - 2 * paired.covariance[first, second])
    rest = 0.0 if abs(rest) <= _ROUNDING * both.sum() else rest
    return float(np.var(ahead, ddof=1)) / n / others**2 + rest / others if n > 1 else np.nan

"""Diagnose a ranking: effective sample size, limit on beta, clusters, rank of the positives."""

from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.future_data import monotone_refuted_at
from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.influence import all_in_one_cluster
from pu_accessor.inference.prior import limit_from_positives, limits_from_positives
from pu_accessor.ranking import Counts, FloatArray, KnownBlocks, Ranking

_MIN_CLUSTERS = 2


class Diagnostics(NamedTuple):
    """What every result reports about its ranking."""

    total: Counts
    n_effective: float = nan  # effective sample size; NaN without propensities
    beta_limit: float = nan  # from known positives; NaN: none
    refuted_at: float = nan  # share of the rest above which monotone scores are refuted; NaN: none
    clusters: float = nan  # with a known positive; NaN: rows are independent
    heaviest: float = 0.0  # largest share of a row in the integer weights of its kind
    above: float = nan  # share of the rest that scores below a known positive, ties half
    above_error: float = nan  # its standard error for scores at random
    single: bool = False  # one known positive, or at most one other example

    def beyond(self, betas: FloatArray) -> FloatArray:
        """Return the betas above the limit, up to the rounding of hidden positives."""
        return betas[betas > self.beta_limit + 0.5 / max(self.total.unlabeled, 1)]


def is_single(total: Counts) -> bool:
    """Return whether there is a single known positive, or at most one other example."""
    return total.known_positive == 1 or total.known_negative + total.unlabeled < 2


def diagnose(ranking: Ranking, level: float, *, random: bool = True) -> Diagnostics:
    """Return the diagnostics of a ranking."""
    total, clusters = ranking.total, ranking.clusters
    diagnostics = Diagnostics(total, single=is_single(total))
    if not (clusters is not None and clusters.one_per_row) and total.known_positive < sum(total):
        diagnostics = diagnostics._replace(**_concordance_of_known(ranking))
    if ranking.inverse_propensity is not None:  # the limit needs a simple random sample
        return diagnostics._replace(n_effective=effective_size(ranking.inverse_propensity))
    if clusters is not None and clusters.one_per_row:  # the limit, and the test, count rows
        single = diagnostics.single or all_in_one_cluster(clusters)
        most = clusters.sizes.max(axis=1)
        is_count = (most > 1) & (clusters.sizes.dtype.kind == "i")
        shares = most / np.maximum(clusters.sizes.sum(axis=1), 1)
        heaviest = float(np.max(shares, where=is_count, initial=0.0))
        return diagnostics._replace(single=single, heaviest=heaviest)
    if clusters is not None:
        return diagnostics._replace(clusters=clusters.n_with_positive)
    if not (total.known_positive and total.unlabeled and random):
        return diagnostics
    whole = ranking.whole or ranking
    refuted_at = monotone_refuted_at(whole, level) if ranking.monotone else diagnostics.refuted_at
    limit = limit_from_positives(whole, 1 - level)
    return diagnostics._replace(beta_limit=limit, refuted_at=refuted_at)


def _concordance_of_known(ranking: Ranking) -> dict[str, Any]:
    """Return how known positives rank among the rest; each cluster counts once in the error."""
    whole = ranking.whole or ranking
    if whole.extent == "all" and np.isnan(whole.threshold[-1]):  # missing scores have no rank
        whole = whole.take(slice(-1))
    known = whole.known_positive[-1]
    rest = float(whole.head[-1] - known)
    if not known or not rest:
        return {}
    independent = 1.0 if ranking.clusters is None else ranking.clusters.n_with_positive / known
    error = sqrt((known + rest) / (12 * known * rest * independent))
    return {"above": float(whole.concordance), "above_error": error}


def diagnose_stack(stack: KnownBlocks, level: float, *, random: bool = True) -> list[Diagnostics]:
    """Return the diagnostics of many rankings of independent rows."""
    known, rest = stack.total[:, 0], stack.total[:, 1:].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = stack.concordance
    error = np.sqrt((known + rest) / np.maximum(12 * known * rest, 1))
    has_limit = random & (known > 0) & (stack.total[:, 2] > 0)
    limit = np.where(has_limit, limits_from_positives(stack, 1 - level), nan)
    each = zip(map(Counts._make, stack.total.tolist()), limit.tolist(), above, error, strict=True)
    return [
        Diagnostics(total, beta_limit=b, above=a, above_error=e, single=is_single(total))
        for total, b, a, e in each
    ]


def check_clusters(ranking: Ranking) -> None:
    """Raise if all known positives are in one cluster."""
    clusters, known = ranking.clusters, ranking.total.known_positive
    if clusters is None or clusters.one_per_row or not known:
        return
    if clusters.n_with_positive < _MIN_CLUSTERS:
        raise PUDataError(
            f"cluster must have known positives in {_MIN_CLUSTERS} clusters or more, but all "
            f"{known} are in one. Label positives of other clusters; or "
            "leave cluster out, for a statement about this cluster only."
        )

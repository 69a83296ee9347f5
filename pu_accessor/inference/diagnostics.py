"""Diagnostics of a ranking, whatever the question: effective size and the limit on beta."""

from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import Any

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.on_new_examples import refute_monotone
from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.influence import is_one_alone, place_stack
from pu_accessor.inference.prior.methods import limit_from_positives
from pu_accessor.ranking import CountArray, Counts, FloatArray, Ranking, TieBlocks

_FEWEST = 2  # clusters from which on they can be told to differ


@dataclass(frozen=True)
class Diagnostics:
    """Numbers of a ranking itself."""

    total: Counts
    n_effective: float = nan  # as large a random sample says as much; NaN without propensities
    beta_limit: float = nan  # from known positives; NaN where they set none
    # The share of the rest above which monotone scores are refuted; NaN where they are not.
    refuted_at: float = nan
    clusters: float = nan  # that hold a known positive; NaN where rows are independent
    heaviest: float = 0.0  # share of the weight of its kind that one row holds, of whole ones
    above: float = nan  # share of the rest that scores below a known positive, ties half
    above_error: float = nan  # its standard error where scores are chance
    single: bool = False  # one known positive, whatever its weight; or one other, or none

    def beyond(self, betas: FloatArray) -> FloatArray:
        """Return the betas above the limit, as numbers of latent positives are rounded."""
        slack = 0.5 / max(self.total.unlabeled, 1)
        return betas[betas > self.beta_limit + slack]


def has_one(total: Counts) -> bool:
    """Tell if there is one known positive alone, or at most one other example."""
    return total.known_positive == 1 or total.known_negative + total.unlabeled < 2


def diagnose(ranking: Ranking, level: float, *, random: bool = True) -> Diagnostics:
    """Return what a reader should know of a ranking."""
    total, clusters = ranking.total, ranking.clusters
    found = Diagnostics(total, single=has_one(total))
    if not (clusters is not None and clusters.one_per_row) and total.known_positive < sum(total):
        found = replace(found, **_place_known(ranking))
    if ranking.inverse_propensity is not None:  # the limit is that of a simple random sample
        return replace(found, n_effective=effective_size(ranking.inverse_propensity))
    if clusters is not None and clusters.one_per_row:  # the limit, and the test, count rows
        single, heaviest = found.single or is_one_alone(clusters), _heaviest(clusters.sizes)
        return replace(found, single=single, heaviest=heaviest)
    if clusters is not None:
        return replace(found, clusters=clusters.n_with_positive)
    if not (total.known_positive and total.unlabeled and random):
        return found
    whole = ranking.whole or ranking
    refuted_at = refute_monotone(whole, level) if ranking.monotone else found.refuted_at
    limit = limit_from_positives(whole, 1 - level)
    return replace(found, beta_limit=limit, refuted_at=refuted_at)


def _place_known(ranking: Ranking) -> dict[str, Any]:
    """Return how the known positives lie to the rest; of each cluster one counts."""
    whole = ranking.whole or ranking
    if whole.extent == "all" and np.isnan(whole.threshold[-1]):  # missing ones rank nowhere
        whole = whole.take(slice(-1))
    known, at_or_above = whole.known_positive[-1], whole.head - whole.known_positive
    rest = float(at_or_above[-1])
    if not known or not rest:
        return {}
    passed = np.diff(whole.known_positive) @ (at_or_above[1:] / rest + at_or_above[:-1] / rest)
    held = 1.0 if ranking.clusters is None else ranking.clusters.n_with_positive / known
    error = sqrt((known + rest) / (12 * known * rest * held))
    return {"above": 1 - passed / (2 * known), "above_error": error}


def _heaviest(sizes: CountArray) -> float:
    """Return the largest share of one row that stands for several whole ones, of its kind."""
    most, every = sizes.max(axis=1), np.maximum(sizes.sum(axis=1), 1)
    counted = (most > 1) & (sizes.dtype.kind == "i")  # what may be meant as a count
    return float(np.max(most / every, where=counted, initial=0.0))


def diagnose_stack(stack: TieBlocks) -> list[Diagnostics]:
    """Return what a reader should know of many rankings of independent rows."""
    placed = place_stack(stack)
    known, rest = placed.size
    error = np.sqrt((known + rest) / np.maximum(12 * known * rest, 1))
    each = zip(map(Counts._make, stack.total.tolist()), placed.above, error, strict=True)
    return [Diagnostics(t, above=a, above_error=e, single=has_one(t)) for t, a, e in each]


def check_clusters(ranking: Ranking) -> None:
    """Raise if known positives are of one cluster, which says nothing of how clusters differ."""
    if (
        ranking.clusters is None
        or ranking.clusters.one_per_row
        or not ranking.total.known_positive
    ):
        return
    if ranking.clusters.n_with_positive < _FEWEST:
        raise PUDataError(
            f"cluster must have known positives in {_FEWEST} clusters or more, but all "
            f"{ranking.total.known_positive} are in one. Label positives of other clusters; or "
            "leave cluster out, for a statement about this one alone.",
            page="clusters",
        )

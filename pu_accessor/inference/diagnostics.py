"""Diagnostics of a ranking, whatever the question: effective size and the limit on beta."""

from dataclasses import dataclass

from pu_accessor.inference.bands.on_new_examples import refute_monotone
from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.prior.methods import limit_from_positives
from pu_accessor.ranking import Counts, FloatArray, Ranking


@dataclass(frozen=True)
class About:
    """Numbers of a ranking itself."""

    total: Counts
    n_effective: float  # a random sample of that size says as much; NaN without propensities
    beta_limit: float  # from known positives; NaN where they set none
    # The share of the rest above which monotone scores are refuted; NaN where they are not.
    refuted_at: float = float("nan")

    def beyond(self, betas: FloatArray) -> FloatArray:
        """Return the betas above the limit, as numbers of latent positives are rounded."""
        slack = 0.5 / max(self.total.unlabeled, 1)
        beyond: FloatArray = betas[betas > self.beta_limit + slack]
        return beyond


def tell_about(ranking: Ranking, level: float, *, random: bool = True) -> About:
    """Return what a reader should know of a ranking."""
    total, nan = ranking.total, float("nan")
    if ranking.weight is not None:  # the limit is that of a simple random sample
        return About(total, effective_size(ranking.weight), nan)
    random = random and ranking.clusters is None
    if not (total.known_positive and total.unlabeled and random):
        return About(total, nan, nan)
    whole = ranking.whole or ranking
    refuted_at = refute_monotone(whole, level) if ranking.monotone else nan
    return About(total, nan, limit_from_positives(whole, 1 - level), refuted_at)

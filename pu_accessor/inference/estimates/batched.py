"""The area under the ROC curve of many small rankings at once."""

import numpy as np

from pu_accessor.inference.estimates.delong import Placed, place_stack
from pu_accessor.inference.estimates.fallbacks import Estimates
from pu_accessor.inference.estimates.population_auroc import score_interval
from pu_accessor.ranking import BoolArray, FloatArray, Stack

__all__ = ["estimate_population_aurocs"]


def estimate_population_aurocs(
    stack: Stack, betas: FloatArray, level: float
) -> list[Estimates | None]:
    """Estimate the area under the ROC curve of each ranking on new examples, with an interval."""
    _, negative, unlabeled = stack.total.T
    plain = (unlabeled > 0) & ~_exceed(stack, betas, level).any(axis=1)
    placed = place_stack(stack)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = betas * (unlabeled / (negative + unlabeled))[:, np.newaxis]
        values = (placed.above[:, np.newaxis] - shares / 2) / (1 - shares)
    plain &= ((values >= 0) & (values <= 1)).all(axis=1)  # there are none without both kinds
    some = np.repeat(np.flatnonzero(plain), betas.shape[1])
    chosen = Placed(*(side[..., some] for side in placed))
    value, share = values[plain].ravel(), shares[plain].ravel()
    error = np.sqrt(np.sum(chosen.variance / chosen.size, axis=0)) / (1 - share)
    limits = score_interval(value, share, chosen, level)
    rows = (side.reshape(-1, betas.shape[1]) for side in (value, error, *limits))
    found = zip(*rows, strict=True)
    return [Estimates(*next(found)) if one else None for one in plain.tolist()]


def _exceed(stack: Stack, betas: FloatArray, level: float) -> BoolArray:
    """Tell which betas may exceed the limit of their ranking: see `limit_from_positives`."""
    known, unlabeled, owner = stack.total[:, :1], stack.total[:, 2:], stack.owner
    # Rounded up, so that none is missed.
    latent = np.minimum(np.ceil(betas * unlabeled + 0.5), unlabeled).clip(min=1)
    share = np.minimum(stack.unlabeled[:, np.newaxis], latent[owner]) / latent[owner]
    with np.errstate(divide="ignore"):
        ahead = stack.known[:, np.newaxis] / known[owner] - share
        allowed = np.sqrt(np.log(1 / (1 - level)) / 2 * (1 / known + 1 / latent))
    distance = np.zeros(betas.shape)
    np.maximum.at(distance, owner, ahead)
    beyond: BoolArray = distance > allowed
    return beyond

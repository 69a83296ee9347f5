"""Contingency tables: a ranking, a band and beta -> a Dataset of bounded counts."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from pu_accessor.errors import PUDataError, check_option
from pu_accessor.inference.bands import Band, band_name
from pu_accessor.inference.envelopes import add_interval
from pu_accessor.inference.feasible import limit_from_positives
from pu_accessor.inference.heads import REFERENCES, Heads, Way, find_heads, references_used
from pu_accessor.inference.shares import (
    Beta,
    Interval,
    as_betas,
    check_level,
    interval_betas,
    latent_counts,
)
from pu_accessor.inference.simultaneous import local_alpha
from pu_accessor.inference.weighted import effective_size
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

__all__ = [
    "BOUNDS",
    "COUNTS",
    "central_tables",
    "check_labels",
    "contingency",
    "own_attrs",
    "rank_cdf",
]

BOUNDS = ("lower", "estimate", "upper")
COUNTS = {
    "tp": "true positives",
    "fp": "false positives",
    "fn": "false negatives",
    "tn": "true negatives",
}
_DIMS = ("rank", "bound", "beta")


def contingency(
    ranking: Ranking,
    beta: Beta,
    *,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    beta_interval: Interval | None = None,
) -> xr.Dataset:
    """Bound the contingency table at each cutoff of a ranking ([1]_, Theorem 1 and section 4).

    Parameters
    ----------
    ranking : Ranking
        Counts at each cutoff.
    beta : float or array-like of float
        Fraction of positives among the unlabeled, in [0, 1].
    level : float, default 0.95
        Probability of coverage, in (0, 1).
    band : {"exact", "simultaneous", "bootstrap", "dkw"} or callable, default "exact"
        Bounds on the latent positives in the head.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from; "both" is what the two bands have in common,
        each at half of 1 - level.
    beta_interval : (float, float), optional
        Where beta may lie, for the envelopes of curves, metrics and areas.

    Returns
    -------
    Dataset
        `tp`, `fp`, `fn`, `tn` (int64, examples) and `clipped` (bool) over (rank, bound, beta).
        ``bound="upper"`` has the most true positives, so the fewest false ones. The coordinate
        `known_positive` (int64) counts them at each cutoff; `known_negative` is there unless the
        reference is "positives"; `tightest` says for each beta, where two kinds of known examples
        were asked, which has the narrower range of AUROC. With an interval `interval_tp` has the
        bounds for some betas within.

    Raises
    ------
    PUValueError
        If an argument has a value that is not allowed, or nothing is known to be positive.
    PUTypeError
        If an argument is of a kind that is not allowed.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    """
    betas, way = as_betas(beta), _way(level, band, reference)
    inner = interval_betas(beta_interval, betas)
    check_labels(betas, ranking.total, references_used(reference, ranking))
    every = np.concatenate([betas, inner])
    latent = latent_counts(every, ranking.total.unlabeled)
    heads = find_heads(ranking, latent, way)
    counts = _count(heads.ranking, heads.found, latent)
    points = slice(betas.size)
    variables = {
        key: (_DIMS, value[..., points], {"long_name": COUNTS[key], "units": "examples"})
        for key, value in counts.items()
    }
    about = {"long_name": "band and beta are infeasible at this cutoff"}
    tables = xr.Dataset(
        {**variables, "clipped": (_DIMS, heads.clipped[..., points], about)},
        coords=_coords(heads, betas, latent[points], way),
        attrs=_attrs(heads.ranking, way),
    )
    if beta_interval is None:
        return tables
    positives = ranking.total.known_positive + latent[betas.size :]
    return add_interval(tables, beta_interval, inner, counts["tp"][..., betas.size :], positives)


def rank_cdf(
    ranking: Ranking,
    beta: Beta,
    *,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
) -> xr.Dataset:
    """Bound the rank CDF of the latent positives by the one of the known ones.

    Parameters
    ----------
    ranking : Ranking
        Counts at each cutoff.
    beta, level, band, reference
        As in `contingency`.

    Returns
    -------
    Dataset
        `rank_cdf` (float64, a share) over (rank, bound, beta): the share of the latent positives
        at or above each cutoff before unlabeled examples are counted there, NaN where there are
        none. For the estimate from known positives it is their share.

    Raises
    ------
    PUValueError, PUTypeError
        As in `contingency`.
    """
    betas, way = as_betas(beta), _way(level, band, reference)
    check_labels(betas, ranking.total, references_used(reference, ranking))
    latent = latent_counts(betas, ranking.total.unlabeled)
    # What known negatives say rises between two cutoffs, where it is not cut off.
    heads = find_heads(ranking, latent, way, refine=reference != "positives")
    ranking = heads.ranking
    with np.errstate(invalid="ignore"):  # no latent positives, no share of them
        share = np.clip(heads.claimed, 0, latent) / latent
    if reference == "positives" and ranking.weight is None:
        known = ranking.known_positive / ranking.total.known_positive
        share[:, BOUNDS.index("estimate"), :] = known[:, np.newaxis]
    about = {"long_name": "share of positives at or above the cutoff"}
    return xr.Dataset(
        {"rank_cdf": (_DIMS, share, about)},
        coords=_coords(heads, betas, latent, way),
        attrs=_attrs(ranking, way),
    )


def central_tables(
    ranking: Ranking,
    beta: float,
    *,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
) -> tuple[Ranking, dict[str, IntArray]]:
    """Return the central table at each cutoff, the bound "estimate" of `contingency`.

    Parameters
    ----------
    ranking : Ranking
        Counts at each cutoff.
    beta : float
        Fraction of positives among the unlabeled, in [0, 1].
    level, band, reference
        As in `contingency`.

    Returns
    -------
    ranking : Ranking
        With the cutoffs at which bounds bend.
    tables : dict of str to ndarray of int64, shape (cutoffs,)
        tp, fp, fn and tn, in examples.
    """
    betas, way = as_betas(beta), _way(level, band, reference)
    check_labels(betas, ranking.total, references_used(reference, ranking))
    latent = latent_counts(betas, ranking.total.unlabeled)
    heads = find_heads(ranking, latent, way)
    counts = _count(heads.ranking, heads.found[:, [BOUNDS.index("estimate")]], latent)
    return heads.ranking, {name: count[:, 0, 0] for name, count in counts.items()}


def own_attrs(ranking: Ranking, level: float) -> dict[str, float]:
    """Return what a reader should know of a ranking itself.

    Parameters
    ----------
    ranking : Ranking
        Counts at each cutoff.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    dict of str to float
        Numbers of examples of each kind; `n_effective`, that of the known positives, where they
        have propensities; otherwise `beta_limit`, the upper limit on beta that they set, where
        anything is unlabeled.
    """
    total = ranking.total
    own: dict[str, float] = {f"n_{kind}": count for kind, count in total._asdict().items()}
    if ranking.weight is not None:  # the limit is that of a simple random sample
        own["n_effective"] = effective_size(ranking.weight)
    elif total.known_positive and total.unlabeled:
        own["beta_limit"] = limit_from_positives(ranking.whole or ranking, 1 - level)
    return own


def check_labels(betas: FloatArray, total: Counts, kinds: Sequence[str] = ("positives",)) -> None:
    """Raise where nothing is known that must be, or beta is a share of nothing.

    Parameters
    ----------
    betas : ndarray of float64, shape (betas,)
        Fractions of positives among the unlabeled.
    total : Counts
        Examples of each kind.
    kinds : sequence of str, default ("positives",)
        The kinds of known examples that are needed.

    Raises
    ------
    PUDataError
        If no example is known to be of such a kind, or none is unlabeled and a beta is above 0.
    """
    if "positives" in kinds and not total.known_positive:
        raise PUDataError(
            f"label must mark at least one known positive, but none of {sum(total)} examples is "
            f"one ({total.known_negative} known negatives, {total.unlabeled} unlabeled). Name the "
            "value that marks them: positive=..."
        )
    if "negatives" in kinds and not total.known_negative:
        raise PUDataError(
            f"reference needs known negatives, but none of {sum(total)} examples is one "
            f"({total.known_positive} known positives, {total.unlabeled} unlabeled). Name the "
            "value that marks them, negative=..., or take reference='positives'."
        )
    if betas.max() > 0 and not total.unlabeled:
        raise PUDataError(
            f"beta must be 0 where nothing is unlabeled, but {betas.max():g} was passed. Pass "
            "beta=0, or mark unlabeled examples: missing in the label column, or unlabeled=..."
        )


def _count(ranking: Ranking, found: IntArray, latent: IntArray) -> dict[str, IntArray]:
    """Fill the tables, given the latent positives in the head."""
    total = ranking.total
    column = (slice(None), np.newaxis, np.newaxis)
    tp = ranking.known_positive[column] + found
    fp = ranking.known_negative[column] + ranking.unlabeled[column] - found
    fn = total.known_positive + latent - tp
    tn = total.known_negative + total.unlabeled - latent - fp
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


def _way(level: float, band: str | Band, reference: str) -> Way:
    """Check how to bound."""
    band_name(band)
    check_option("reference", reference, REFERENCES, {"intersection": "both", "all": "both"})
    return Way(check_level(level), band, reference)


def _coords(heads: Heads, betas: FloatArray, latent: IntArray, way: Way) -> dict[Hashable, Any]:
    """Return the coordinates of a result."""
    ranking = heads.ranking
    threshold = {"long_name": "lowest score predicted positive"}
    coords: dict[Hashable, Any] = {
        "rank": ("rank", ranking.rank, {"long_name": "examples predicted positive"}),
        "bound": ("bound", np.array(BOUNDS, dtype=object)),  # any text length: Zarr stores it
        "beta": ("beta", betas, {"long_name": "β̂"}),
        "threshold": ("rank", ranking.threshold, threshold),
        "known_positive": ("rank", ranking.known_positive, {"units": "examples"}),
    }
    if way.reference != "positives":
        coords["known_negative"] = ("rank", ranking.known_negative, {"units": "examples"})
    if way.reference in ("tightest", "both"):
        coords["tightest"] = ("beta", np.array(heads.tightest[: betas.size], dtype=object))
    if way.band == "simultaneous" and way.reference != "both":
        coords["local_alpha"] = ("beta", _local_alphas(heads, latent, way.level))
    return coords


def _attrs(ranking: Ranking, way: Way) -> dict[str, Any]:
    """Return what a reader needs to redo a result; strings and numbers, as files store them."""
    return {
        "level": way.level,
        "band": band_name(way.band) if ranking.weight is None else "weighted",
        "reference": way.reference,
        **own_attrs(ranking, way.level),
        **ranking.source,
        "n_cutoffs": ranking.rank.size,
    }


def _local_alphas(heads: Heads, latent: IntArray, level: float) -> FloatArray:
    """Return the level of each cutoff at which all hold jointly, one for each beta."""
    total = heads.ranking.total
    return np.array(
        [
            local_alpha(total.known_positive, m, level)
            if kind == "positives"
            else local_alpha(total.known_negative, total.unlabeled - m, level)
            for m, kind in zip(latent.tolist(), heads.tightest, strict=False)
        ]
    )

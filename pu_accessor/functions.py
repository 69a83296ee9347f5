"""The public functions: what ``df.pu`` asks of a frame, asked of arrays; conversions of beta."""

import xarray as xr

from pu_accessor.inference import tables
from pu_accessor.inference.bands import Band
from pu_accessor.inference.groups import ask
from pu_accessor.inference.labeling import (
    beta_from_label_frequency,
    beta_from_labels,
    beta_from_prevalence,
    labels_needed,
)
from pu_accessor.inference.shares import Beta, Interval, as_betas
from pu_accessor.ranking import Ranking, Ranks
from pu_accessor.sources.columns import Coding, Column
from pu_accessor.sources.frames import rank_arrays
from pu_accessor.sources.labels import Values

__all__ = [
    "beta_from_label_frequency",
    "beta_from_labels",
    "beta_from_prevalence",
    "contingency",
    "labels_needed",
]


def contingency(
    score: Column,
    label: Column,
    *,
    beta: Beta,
    propensity: Column | None = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    beta_interval: Interval | None = None,
    ranks: Ranks = "all",
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
    nan_policy: str = "raise",
) -> xr.Dataset:
    """Bound the contingency table at each cutoff ([1]_, Theorem 1 and section 4).

    Parameters
    ----------
    score : array-like of numbers, shape (examples,)
        Higher is more positive. Tied scores share a cutoff; infinities are scores.
    label : array-like, shape (examples,)
        True or 1 for a known positive, False or 0 for a known negative, missing for unlabeled.
    beta : float or array-like of float
        Fraction of positives among the unlabeled, in [0, 1]. 0 treats the unlabeled as negative.
    propensity : array-like of numbers, shape (examples,), optional
        Probabilities in (0, 1] with which positives are labeled, where the known ones are no
        simple random sample of them. Only that of known positives is read. They then count as one
        over it, and the band is a design-based one, called "weighted".
    level : float, default 0.95
        Probability with which a band covers, in (0, 1): at each cutoff for "exact" and
        "bootstrap", at all cutoffs jointly for "simultaneous" and "dkw".
    band : {"exact", "simultaneous", "bootstrap", "dkw"} or callable, default "exact"
        Bounds on the latent positives in the head. A callable is given the number of known
        positives n, of latent positives m and the level, and returns (lower, upper): integer
        arrays of shape (n + 1,), non-decreasing, in 0..m.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from. Known negatives, a random sample of the
        negatives, bound the latent ones below each cutoff. "tightest" takes, for each beta, the
        kind that gives the narrower range of AUROC; "both" what two bands at half of 1 - level
        have in common.
    beta_interval : (float, float), optional
        Where beta may lie, around the point that is passed: curves, metrics and areas of the
        tables get an envelope.
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Every attained cutoff; the few between which all curves are straight in (fp, tp); or the
        last attained cutoff at or before each of these numbers of examples predicted positive.
    positive, negative, unlabeled : value or list of values, optional
        What stands for each state in another coding of `label`.
    nan_policy : {"raise", "omit", "worst"}, default "raise"
        Examples without a score raise, are dropped, or rank last (one shared cutoff).

    Returns
    -------
    Dataset
        Dimensions (rank, bound, beta).

        * `tp`, `fp`, `fn`, `tn` : int64, examples. ``bound="upper"`` has the most true positives
          that the band allows, ``"lower"`` the fewest.
        * `clipped` : bool, where band and beta are infeasible and the nearest feasible table
          stands.
        * coordinate `threshold` : float64, the lowest score predicted positive; +inf at rank 0.
        * coordinate `known_positive` : int64, known positives at or above the cutoff.
        * with an interval `interval_tp` : int64, true positives at betas within, for both bounds.

    Raises
    ------
    PUValueError
        If an argument or a column has a value that is not allowed, labels are ambiguous, or no
        example is a known positive.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.

    Notes
    -----
    With theta latent positives in the head by the band, h unlabeled examples at or above the
    cutoff and m latent positives among all U unlabeled ones, TP among the unlabeled is
    max(min(theta, h), m - (U - h)).

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, True, True, None, None, True, None, None, None]
    >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5, ranks=[3, 6])
    >>> tables["tp"].sel(beta=0.5).to_series().unstack("bound")
    bound  lower  estimate  upper
    rank
    3          2         3      3
    6          3         6      6
    """

    def question(ranking: Ranking, beta: Beta) -> xr.Dataset:
        return tables.contingency(
            ranking,
            beta,
            level=level,
            band=band,
            reference=reference,
            beta_interval=beta_interval,
        )

    coding = Coding(positive, negative, unlabeled, nan_policy)
    rankings = rank_arrays(score, label, propensity=propensity, coding=coding, ranks=ranks)
    return ask(rankings, as_betas(beta), question)

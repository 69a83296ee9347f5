"""Questions to rankings: bounded tables and curves."""

from __future__ import annotations

import xarray as xr

from pu_accessor.accessors.bound import Bound
from pu_accessor.questions import tables
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings
from pu_accessor.ranking import Ranks


def contingency(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    beta_interval: BetaInterval | None = None,
    ranks: Ranks = "all",
    target: str = "examples",
) -> xr.Dataset:
    """Bound the contingency table at each cutoff ([1]_, Theorem 1 and section 4).

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives (or
        negatives, with known ones): 1 for labels at random, infinite for nothing known about them.
        Above 1 the band is "exact" or "simultaneous", and holds for every such selection.
    contamination : float, default 0
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: curves, metrics and areas get an
        envelope. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    ranks : Ranks, default "all"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    target : {"examples", "population"}, default "examples"
        What bounds are about: these examples once all labels were known, or new ones. For new ones
        they hold at all thresholds jointly, and ``df.pu(monotone=True)`` makes the band far
        narrower.

    Returns
    -------
    Dataset
        `tp`, `fp`, `fn`, `tn` (int64, examples) and `clipped` (bool) over (rank, bound, beta), of
        the estimate rounded, with the coordinates `threshold` (float64) and `known_positive`
        (int64, those at or above the cutoff). The coordinates `n_known_positive`,
        `n_known_negative` and `n_unlabeled` count the examples, `beta_limit` is the upper limit on
        beta by `estimate_beta` at this level, `reference` is what was asked. Two kinds of known
        examples add `tightest`, the one with the narrower range of AUROC for each beta; an
        interval of beta adds `interval_tp`, the bounds at some betas within.

        Groups come first: a dimension named after `by`; "model" for a list of scores; "group"
        with a MultiIndex for several. All share one rank axis, where a group's last cutoff
        at or before a rank stands; but breakpoints are each group's own, over the dimension
        "cutoff", with `rank` as a coordinate: shorter groups repeat their last one. `threshold`
        and the numbers of examples are then coordinates over the groups, and so is a `beta` given
        by group.

        Of new examples counts are float64, those expected among as many, at both limits of the
        true and the false positive rate: at a bound ``tp + fp`` need not be the rank.

    Warns
    -----
    PUWarning
        If groups are left out; if a beta exceeds the limit that the known positives set; if
        propensities make the effective number of known positives smaller than 10.

    See Also
    --------
    roc_bounds, pr_bounds : Curves of the tables.
    metric : Metrics at a cutoff, with the interval for new examples.
    pandas.DataFrame.pu.plot_rank_cdf : The band, drawn.

    Notes
    -----
    Of U unlabeled examples h are in the head; of m = beta*U latent positives the band says that
    t are. Then TP_U = max(min(t, h), m - (U - h)), FP_U = h - TP_U, FN_U = m - TP_U, and the
    rest is TN_U ([1]_, section 4.1); the labeled examples are added. A bound is clipped where the
    minimum or the maximum bites. The estimate is one possible labeling, the same for all cutoffs,
    and differs from the t = k/n * m of [1]_: see "One estimate" in the manual. It is clipped
    where the band excludes that, and cut to the nearer bound.

    Where w known positives may be wrong, the lower bound is that of the ranking whose best-ranked
    w known positives are negative, as far as they are in the head, and the upper one that whose
    worst-ranked are, as far as they are not [2]_: these have fewer positives.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    .. [2] J. L. Horowitz, C. F. Manski, *Identification and robustness with contaminated and
       corrupted data*, Econometrica 63 (1995) 281-302.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> tables = df.pu.contingency(beta=0.5, ranks=[3, 6])
    >>> tables["tp"].sel(beta=0.5).to_series().unstack("bound")
    bound  lower  estimate  upper
    rank
    3          2         3      3
    6          3         6      6
    """
    settings = read_settings(level, band, reference, selection_odds, contamination=contamination)
    betas = read_betas(beta, beta_interval)
    return tables.contingency(self._request(ranks), betas, settings, ranks, target=target)


def roc_bounds(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    beta_interval: BetaInterval | None = None,
    ranks: Ranks = "breakpoints",
    target: str = "examples",
) -> xr.Dataset:
    """Bound the ROC curve.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives (or
        negatives, with known ones): 1 for labels at random, infinite for nothing known about them.
        Above 1 the band is "exact" or "simultaneous", and holds for every such selection.
    contamination : float, default 0
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: curves, metrics and areas get an
        envelope. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    target : {"examples", "population"}, default "examples"
        What bounds are about: these examples once all labels were known, or new ones. For new ones
        they hold at all thresholds jointly, and ``df.pu(monotone=True)`` makes the band far
        narrower.

    Returns
    -------
    Dataset
        `fpr` and `tpr` (float64) over (rank, bound, beta); of groups over (group, cutoff, bound,
        beta), each with its own cutoffs. At each cutoff ``bound="upper"`` has the highest tpr and
        the lowest fpr. With an interval of beta also `tpr_envelope` over (fpr_grid, envelope): the
        lowest and highest tpr at each fpr while beta varies.

    See Also
    --------
    plot_roc : The picture.
    auroc : The area, with an interval of its own.
    contingency : The tables behind it.

    Notes
    -----
    tpr = TP/(TP + FN) and fpr = FP/(FP + TN) of each table of `contingency` ([1]_, equations 1
    and 2, section 5). By Theorem 1 of [1]_ the upper curve has the least fpr that the band allows.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> curves = df.pu.roc_bounds(beta=0.5)
    >>> curves["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
    {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
    """
    settings = read_settings(level, band, reference, selection_odds, contamination=contamination)
    betas = read_betas(beta, beta_interval)
    return tables.curve_bounds(self._request(ranks), "roc", betas, settings, ranks, target)


def pr_bounds(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    beta_interval: BetaInterval | None = None,
    ranks: Ranks = "breakpoints",
    target: str = "examples",
) -> xr.Dataset:
    """Bound the precision-recall curve.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives (or
        negatives, with known ones): 1 for labels at random, infinite for nothing known about them.
        Above 1 the band is "exact" or "simultaneous", and holds for every such selection.
    contamination : float, default 0
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: curves, metrics and areas get an
        envelope. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    target : {"examples", "population"}, default "examples"
        What bounds are about: these examples once all labels were known, or new ones. For new ones
        they hold at all thresholds jointly, and ``df.pu(monotone=True)`` makes the band far
        narrower.

    Returns
    -------
    Dataset
        `recall` and `precision` (float64) over (rank, bound, beta); of groups over (group, cutoff,
        bound, beta), each with its own cutoffs. Precision at rank 0 is 1. With an interval of beta
        also `precision_envelope` over (recall_grid, envelope): the lowest and highest precision at
        each recall while beta varies.

    See Also
    --------
    plot_pr : The picture.
    average_precision : One number, with an interval of its own.
    contingency : The tables behind it.

    Notes
    -----
    precision = TP/(TP + FP) and recall = TP/(TP + FN) of each table of `contingency` ([1]_,
    section 5). Between two cutoffs the curve is no straight line [2]_.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    .. [2] J. Davis, M. Goadrich, *The relationship between precision-recall and ROC curves*,
       Proceedings of ICML (2006) 233-240.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> curves = df.pu.pr_bounds(beta=0.5)
    >>> curves["precision"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
    {'lower': 0.667, 'estimate': 1.0, 'upper': 1.0}
    """
    settings = read_settings(level, band, reference, selection_odds, contamination=contamination)
    betas = read_betas(beta, beta_interval)
    return tables.curve_bounds(self._request(ranks), "pr", betas, settings, ranks, target)


def rank_cdf(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    ranks: Ranks = "breakpoints",
) -> xr.Dataset:
    """Return the rank CDF of the known positives, and the band of the latent ones around it.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.

        Not an estimate with its interval: the estimate is that of the known positives, and what
        lies around it is the band at one beta. Pass its point, or several betas.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives (or
        negatives, with known ones): 1 for labels at random, infinite for nothing known about them.
        Above 1 the band is "exact" or "simultaneous", and holds for every such selection.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.

    Returns
    -------
    Dataset
        `rank_cdf` (float64) over (rank, bound, beta); of groups over (group, cutoff, bound, beta),
        each with its own cutoffs: the share of the positives among the first examples. The
        estimate is that of the known positives; lower and upper bound that of the latent ones.

    See Also
    --------
    plot_rank_cdf : The picture.
    contingency : The tables that the band makes.

    Notes
    -----
    The share of the known positives that are among the first r examples is their tpr at the rank r
    ([1]_, equation 6). Where the band starts from known negatives, the estimate is the share of
    the latent positives that these leave.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> cdf = df.pu.rank_cdf(beta=0.5)["rank_cdf"]
    >>> cdf.sel(beta=0.5, rank=[3, 6]).to_series().unstack("bound").round(3)
    bound  lower  estimate  upper
    rank
    3        0.0     0.667    1.0
    6        0.0     1.000    1.0
    """
    settings = read_settings(level, band, reference, selection_odds)
    return tables.rank_cdf(self._request(ranks), read_betas(beta), settings, ranks)

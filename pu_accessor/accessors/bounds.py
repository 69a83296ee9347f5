"""Questions to rankings: bounded tables and curves."""

from __future__ import annotations

import xarray as xr

from pu_accessor.accessors.bound import Bound
from pu_accessor.ranking import Ranks
from pu_accessor.results import tables
from pu_accessor.results.betas import GroupBeta
from pu_accessor.results.rules import GroupInterval, Rules, UserBand

__all__ = ["contingency", "pr_bounds", "roc_bounds"]


def contingency(
    self: Bound,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: GroupInterval | None = None,
    ranks: Ranks = "all",
) -> xr.Dataset:
    """Bound the contingency table at each cutoff ([1]_, Theorem 1 and section 4).

    Parameters
    ----------
    {beta}
    {band}
    {interval}
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Every attained cutoff; the few between which all curves are straight in (fp, tp); or
        the last attained cutoff at or before each of these numbers of examples.

    Returns
    -------
    Dataset
        `tp`, `fp`, `fn`, `tn` (int64, examples) and `clipped` (bool) over
        (rank, bound, beta), with the coordinates `threshold` (float64) and `known_positive`
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

    Raises
    ------
    {errors}

    Warns
    -----
    PUWarning
        If groups are left out; if a beta exceeds the limit that the known positives set; if
        propensities make the effective number of known positives smaller than 10.

    References
    ----------
    {claesen}

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
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    return tables.contingency(self._asked(ranks), beta, rule, ranks)


def roc_bounds(
    self: Bound,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: GroupInterval | None = None,
    ranks: Ranks = "breakpoints",
) -> xr.Dataset:
    """Bound the ROC curve.

    Parameters
    ----------
    {beta}
    {band}
    {interval}
    {ranks}

    Returns
    -------
    Dataset
        `fpr` and `tpr` (float64) over (rank, bound, beta); of groups over (group, cutoff, bound,
        beta), each with its own cutoffs. At each cutoff ``bound="upper"`` has the highest tpr and
        the lowest fpr. With an interval of beta also `tpr_envelope` over (fpr_grid, envelope): the
        lowest and highest tpr at each fpr while beta varies.

    Raises
    ------
    {errors}

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
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    return tables.curve_bounds(self._asked(ranks), "roc", beta, rule, ranks)


def pr_bounds(
    self: Bound,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: GroupInterval | None = None,
    ranks: Ranks = "breakpoints",
) -> xr.Dataset:
    """Bound the precision-recall curve.

    Parameters
    ----------
    {beta}
    {band}
    {interval}
    {ranks}

    Returns
    -------
    Dataset
        `recall` and `precision` (float64) over (rank, bound, beta); of groups over (group, cutoff,
        bound, beta), each with its own cutoffs. Precision at rank 0 is 1. With an interval of beta
        also `precision_envelope` over (recall_grid, envelope): the lowest and highest precision at
        each recall while beta varies.

    Raises
    ------
    {errors}

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
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    return tables.curve_bounds(self._asked(ranks), "pr", beta, rule, ranks)

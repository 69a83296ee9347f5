"""Bounded contingency tables and curves of each ranking, as Datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from pu_accessor.beta import Beta, Betas, UserBeta
from pu_accessor.datasets.layout import Array, RankingArrays, build_dataset
from pu_accessor.datasets.schema import CURVE_RATES, VARIABLES
from pu_accessor.inference.bands import band_name
from pu_accessor.inference.contingency import RankCdf, Table, Tables, tables_in_parts
from pu_accessor.inference.contingency import rank_cdf as bound_rank_cdf
from pu_accessor.inference.curves import bound_curve_on_future_data, curve_rates
from pu_accessor.questions.evaluation import evaluate, ranking_attrs
from pu_accessor.ranking import FloatArray, Ranking, Ranks
from pu_accessor.roles_and_assumptions import Terms, UserBand

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor


def contingency(
    self: Accessor,
    beta: UserBeta,
    *,
    target: str = "examples",
    level: float = 0.95,
    band: UserBand = "exact",
    ranks: Ranks = "all",
) -> xr.Dataset:
    """Bound the contingency table (confusion matrix) at each cutoff ([1]_, Theorem 1).

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as `auroc` explains; 0 takes them as negative. With the error
        of an estimate 1 - level is split between beta and the band.
    target : {"examples", "population"}, default "examples"
        What bounds are about: this sample, or future data, jointly at all thresholds.
    level : float, default 0.95
        Confidence level of the band, in (0, 1): at each cutoff for "exact" and "bootstrap",
        jointly at all cutoffs for "simultaneous" and "dkw".
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff: "exact", "simultaneous", "bootstrap" or
        "dkw"; a function ``(n, m, level) -> (lower, upper)`` that returns two integer arrays, for
        k = 0..n known positives above the cutoff; or such a pair itself.
    ranks : {"all", "breakpoints"}, int or array of int, default "all"
        Cutoffs: all; the few breakpoints between which curves are straight in (fp, tp); or the
        last attained cutoff at or before each of these numbers of examples.

    Returns
    -------
    Dataset
        `tp`, `fp`, `fn`, `tn` (int64, examples; float64 for future data), `clipped` (bool) and
        `rounding` (float64: true positives before they were rounded, less `tp`) over
        (rank, bound, beta). Coordinates over rank: `threshold` (float64), `known_positive` and
        `unlabeled` (int64). Scalar coordinates: the numbers of examples of each kind, and
        `beta_limit`, the upper limit on beta for a random sample of positives (none with clusters,
        weights or propensities). An interval of beta has a grid of betas after its middle; the
        coordinate `inside` (bool) marks them.

        Groups are the first dimension, named after `by`, "model" for a list of scores, "group"
        with a MultiIndex for several keys. They share one rank axis. Breakpoints differ among
        groups: they are over "cutoff", with `rank` as a coordinate.

    Raises
    ------
    PUValueError
        If the band or an assumption does not fit the other arguments.

    Warns
    -----
    PUWarning
        If beta exceeds the limit that the known positives set, or groups are left out.

    See Also
    --------
    roc_bounds, pr_bounds : The rates of curves with these tables.

    Notes
    -----
    Of U unlabeled examples h are above the cutoff, and of m = beta*U hidden positives the band
    puts t there. Then TP_U = max(min(t, h), m - (U - h)), FP_U = h - TP_U, FN_U = m - TP_U, and
    TN_U is the rest ([1]_, section 4.1); labeled examples are added. A bound is clipped if the
    minimum or maximum changes it, or if it is widened to the estimate where no labeling is within
    all bounds. The estimate is one possible labeling for all cutoffs, rounded.
    With contamination the best-ranked known positives are negative at the lower bound [2]_.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, arXiv:1504.06837 (2015).
    .. [2] J. L. Horowitz, C. F. Manski, Econometrica 63 (1995) 281-302.

    Examples
    --------
    >>> import pu_accessor
    >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks=[100, 500])
    >>> tables["tp"].sel(beta=0.17).to_series().unstack("bound")
    bound  lower  estimate  upper
    rank
    100       82       100    100
    500      318       345    370
    """
    read = self._read_arguments("contingency", beta, level=level, band=band, target=target)
    return bounded_tables(self, *read, ranks, target=target)


def roc_bounds(
    self: Accessor,
    beta: UserBeta,
    *,
    target: str = "examples",
    level: float = 0.95,
    band: UserBand = "exact",
    ranks: Ranks = "breakpoints",
) -> xr.Dataset:
    """Bound the ROC curve.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    target : {"examples", "population"}, default "examples"
        What the band is about: this sample, or future data.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    ranks : {"all", "breakpoints"}, int or array of int, default "breakpoints"
        The cutoffs, as `contingency` explains.

    Returns
    -------
    Dataset
        `fpr` = FP/(FP + TN) and `tpr` = TP/(TP + FN) (float64; arXiv:1504.06837, equations 1 and
        2) over (rank, bound, beta), or for groups over (group, cutoff, bound, beta). At each
        cutoff ``bound="upper"`` has the highest tpr and the lowest fpr of the band (Theorem 1).
        The tables, as of `contingency`, go with the rates.

    Raises
    ------
    PUValueError
        If the band or an assumption does not fit the other arguments.

    See Also
    --------
    plot_roc : The curve with its band.
    contingency : The tables.

    Examples
    --------
    >>> import pu_accessor
    >>> curves = pu_accessor.load_example().pu.roc_bounds(0.17, ranks=[200])
    >>> curves["tpr"].sel(beta=0.17, rank=200).to_series().round(3).to_dict()
    {'lower': 0.329, 'estimate': 0.371, 'upper': 0.394}
    """
    read = self._read_arguments("roc_bounds", beta, level=level, band=band, target=target)
    return bounded_tables(self, *read, ranks, target=target, curve="roc")


def pr_bounds(
    self: Accessor,
    beta: UserBeta,
    *,
    target: str = "examples",
    level: float = 0.95,
    band: UserBand = "exact",
    ranks: Ranks = "breakpoints",
) -> xr.Dataset:
    """Bound the precision-recall curve.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    target : {"examples", "population"}, default "examples"
        What the band is about: this sample, or future data.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    ranks : {"all", "breakpoints"}, int or array of int, default "breakpoints"
        The cutoffs, as `contingency` explains.

    Returns
    -------
    Dataset
        `recall` = TP/(TP + FN) and `precision` = TP/(TP + FP) (float64; arXiv:1504.06837, section
        5) over (rank, bound, beta), or for groups over (group, cutoff, bound, beta). Precision at
        rank 0 is 1. The curve is not straight between two cutoffs. The tables go with it.

    Raises
    ------
    PUValueError
        If the band or an assumption does not fit the other arguments.

    See Also
    --------
    plot_pr : The curve with its band.
    contingency : The tables.

    Examples
    --------
    >>> import pu_accessor
    >>> curves = pu_accessor.load_example().pu.pr_bounds(0.17, ranks=[200])
    >>> curves["precision"].sel(beta=0.17, rank=200).to_series().round(3).to_dict()
    {'lower': 0.835, 'estimate': 0.943, 'upper': 1.0}
    """
    read = self._read_arguments("pr_bounds", beta, level=level, band=band, target=target)
    return bounded_tables(self, *read, ranks, target=target, curve="pr")


def rank_cdf(
    self: Accessor,
    beta: UserBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    ranks: Ranks = "breakpoints",
) -> xr.Dataset:
    """Return the rank CDF of the known positives, and a band for that of the hidden positives.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    ranks : {"all", "breakpoints"}, int or array of int, default "breakpoints"
        The cutoffs, as `contingency` explains.

    Returns
    -------
    Dataset
        `rank_cdf` (float64) over (rank, bound, beta), or for groups over (group, cutoff, bound,
        beta): the share of the positives among the first examples. The estimate is that of the
        known positives, their tpr (arXiv:1504.06837, equation 6); lower and upper bound that of
        the hidden ones.

    Raises
    ------
    PUValueError
        If the band or an assumption does not fit the other arguments.

    See Also
    --------
    plot_rank_cdf : The curve with its band.

    Examples
    --------
    >>> import pu_accessor
    >>> cdf = pu_accessor.load_example().pu.rank_cdf(0.17, ranks=[100, 500])["rank_cdf"]
    >>> cdf.sel(beta=0.17).to_series().unstack("bound").round(3)
    bound  lower  estimate  upper
    rank
    100    0.134     0.203  0.281
    500    0.592     0.678  0.761
    """
    betas, terms = self._read_arguments("rank_cdf", beta, level=level, band=band)

    def compute(ranking: Ranking, beta: Beta) -> RankingArrays:
        grid = beta.within()
        cdf = bound_rank_cdf(ranking, grid, terms)
        arrays = {"rank_cdf": cdf.share, **_coordinates(cdf, terms)}
        return RankingArrays(cdf.ranking, grid, arrays)

    return _lay_out(self, ranks, compute, betas, terms, "examples")


def bounded_tables(
    self: Accessor,
    betas: Betas,
    terms: Terms,
    ranks: Ranks,
    *,
    target: str = "examples",
    curve: str | None = None,
    template: bool = True,
) -> xr.Dataset:
    """Bound the table, in whole examples, and the rates of a curve at each cutoff."""
    betas, left = betas.split(terms.level)
    read, band = _READINGS[target]
    terms = replace(terms, level=left, band=band or terms.band)

    def compute(ranking: Ranking, beta: Beta) -> RankingArrays:
        return read(ranking, beta.within(), terms, curve)

    return _lay_out(self, ranks, compute, betas, terms, target, template=template)


def _read_future_data(
    ranking: Ranking, betas: FloatArray, terms: Terms, curve: str | None
) -> RankingArrays:
    """Return the tables, and rates, of the band of a curve on future data."""
    ranking, table = bound_curve_on_future_data(curve or "roc", ranking, betas, terms)
    clipped = np.zeros(table.tp.shape, np.bool_)
    rates = _rates(curve, table) if curve else {}
    arrays = {**rates, **table._asdict(), "clipped": clipped}
    return RankingArrays(ranking, betas, arrays)


def _read_this_sample(
    ranking: Ranking, betas: FloatArray, terms: Terms, curve: str | None
) -> RankingArrays:
    """Return the bounded tables of this sample, and the rates of a curve."""
    arrays: dict[str, Array] = {}
    end = 0
    for tables in tables_in_parts(ranking, betas, terms):
        start, end = end, end + tables.betas.size
        whole, ranking = tables.rounded(), tables.ranking
        rounded = {"clipped": whole.clipped, "rounding": tables.tp - whole.tp}
        rates = _rates(curve, tables.table) if curve else {}
        part = {**rates, **whole.table._asdict(), **rounded}
        _put({**part, **_coordinates(tables, terms)}, arrays, slice(start, end), betas.size)
    return RankingArrays(ranking, betas, arrays)


# By target: the reading, and its only band.
_READINGS: Mapping[str, tuple[Callable[..., RankingArrays], UserBand | None]] = {
    "examples": (_read_this_sample, None),
    "population": (_read_future_data, "simultaneous"),
}


def _rates(curve: str, table: Table) -> dict[str, Array]:
    """Return the rates of a curve."""
    return dict(zip(CURVE_RATES[curve], curve_rates(curve, *table), strict=True))


def _lay_out(
    self: Accessor,
    ranks: Ranks,
    compute: Callable[[Ranking, Beta], RankingArrays],
    betas: Betas,
    terms: Terms,
    target: str,
    *,
    template: bool = True,
) -> xr.Dataset:
    """Compute the page of each ranking, and combine them in a Dataset."""
    rankings = self._rank(ranks)
    results = evaluate(terms, rankings, compute, betas)
    pages = [
        page._replace(arrays={**page.arrays, **(ranking_attrs(one) if one else {})})
        for _, _, one, page in results.each
    ]
    # Files hold no mapping: a line for each group that was left out.
    skipped = "\n".join(f"{group}: {why}" for group, why in results.skipped.items())
    attrs = {
        "level": terms.level,
        "band": pages[0].ranking.design or band_name(terms.band),
        **{name: fact for name, fact in self._assumed().items() if name != "reference"},
        "target": target,
        **({"skipped": skipped} if skipped else {}),
    }
    return build_dataset(
        results.names,
        results.keys,
        pages,
        attrs,
        reference=terms.reference,
        own_beta=results.own_beta,
        points=results.each[0].beta.values.size,
        template=self._source.template if template and results.names else None,
    )


def _put(part: dict[str, Any], arrays: dict[str, Array], columns: slice, betas: int) -> None:
    """Put arrays at some betas into those of all betas."""
    for name, array in part.items():
        if VARIABLES[name].dims[-1:] != ("beta",) or array.shape[-1] == betas:
            arrays[name] = array
            continue
        if name not in arrays:
            arrays[name] = np.empty((betas, *array.T.shape[1:]), array.dtype).T
        arrays[name][..., columns] = array


def _coordinates(bounded: Tables | RankCdf, terms: Terms) -> dict[str, Array]:
    """Return the coordinates that depend on the terms."""
    coordinates: dict[str, Array] = {}
    if terms.reference != "positives":
        coordinates["known_negative"] = bounded.ranking.known_negative
    if terms.reference == "tightest":
        coordinates["tightest"] = np.array(bounded.tightest, dtype=object)
    if bounded.local_alpha is not None:
        coordinates["local_alpha"] = bounded.local_alpha
    return coordinates

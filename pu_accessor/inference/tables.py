"""Contingency tables: a ranking, a band and beta -> a Dataset of bounded counts."""

import reprlib
from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import floor
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import xarray as xr

from pu_accessor.errors import PUDataError, PUTypeError, PUValueError, check_option
from pu_accessor.inference.bands import Band, band_name, central, latent_bounds
from pu_accessor.inference.simultaneous import local_alpha
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking

__all__ = [
    "BOUNDS",
    "COUNTS",
    "Beta",
    "as_betas",
    "central_tables",
    "check_labels",
    "check_level",
    "contingency",
    "latent_counts",
    "rank_cdf",
]

Beta: TypeAlias = npt.ArrayLike

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
    reference : {"positives"}, default "positives"
        Which labeled examples the band starts from.

    Returns
    -------
    Dataset
        `tp`, `fp`, `fn`, `tn` (int64, examples) and `clipped` (bool) over (rank, bound, beta).
        ``bound="upper"`` has the most true positives, so the fewest false ones.

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
    betas = as_betas(beta)
    check_option("reference", reference, ["positives"])
    name, level = band_name(band), check_level(level)
    check_labels(betas, ranking.total)
    latent = latent_counts(betas, ranking.total.unlabeled)
    table = _band_table(ranking, latent, level, band)
    ranking = ranking.refine(_corners(ranking, table, latent))
    counts, clipped = _tables(ranking, table, latent)
    variables = {
        key: (_DIMS, value, {"long_name": COUNTS[key], "units": "examples"})
        for key, value in counts.items()
    }
    about = {"long_name": "band and beta are infeasible at this cutoff"}
    return xr.Dataset(
        {**variables, "clipped": (_DIMS, clipped, about)},
        coords=_coords(ranking, betas),
        attrs=_attrs(ranking, level, name, reference, latent),
    )


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
        `rank_cdf` (float64, a share) over (rank, bound, beta): for the estimate the share of the
        known positives at or above each cutoff, for the bounds the share of the latent ones
        before any clipping, NaN where there are none.

    Raises
    ------
    PUValueError, PUTypeError
        As in `contingency`.
    """
    betas = as_betas(beta)
    check_option("reference", reference, ["positives"])
    name, level = band_name(band), check_level(level)
    check_labels(betas, ranking.total)
    latent = latent_counts(betas, ranking.total.unlabeled)
    table = _band_table(ranking, latent, level, band)
    with np.errstate(invalid="ignore"):  # no latent positives, no share of them
        share = table / latent
    known = ranking.total.known_positive
    share[:, BOUNDS.index("estimate"), :] = (np.arange(known + 1) / known)[:, np.newaxis]
    about = {"long_name": "share of positives at or above the cutoff"}
    return xr.Dataset(
        {"rank_cdf": (_DIMS, share[ranking.known_positive], about)},
        coords=_coords(ranking, betas),
        attrs=_attrs(ranking, level, name, reference, latent),
    )


def central_tables(ranking: Ranking, beta: float) -> dict[str, IntArray]:
    """Return the central table at each cutoff, the bound "estimate" of `contingency`.

    Parameters
    ----------
    ranking : Ranking
        Counts at each cutoff.
    beta : float
        Fraction of positives among the unlabeled, in [0, 1].

    Returns
    -------
    dict of str to ndarray of int64, shape (cutoffs,)
        tp, fp, fn and tn, in examples.
    """
    betas = as_betas(beta)
    check_labels(betas, ranking.total)
    latent = latent_counts(betas, ranking.total.unlabeled)
    theta = central(ranking.total.known_positive, int(latent[0]))
    counts, _ = _tables(ranking, theta[:, np.newaxis, np.newaxis], latent)
    return {name: count[:, 0, 0] for name, count in counts.items()}


def as_betas(beta: Beta) -> FloatArray:
    """Check beta and return it as an array.

    Parameters
    ----------
    beta : float or array-like of float
        Fractions of positives among the unlabeled, in [0, 1], each once.

    Returns
    -------
    ndarray of float64, shape (betas,)

    Raises
    ------
    PUTypeError
        If it is no number or one-dimensional array of numbers.
    PUValueError
        If it is empty, or a value is outside [0, 1] or there twice.
    """
    betas = _as_floats(beta)
    if betas is None or betas.ndim > 1:
        raise PUTypeError(
            "beta must be a number or a one-dimensional array of numbers, but "
            f"{reprlib.repr(beta)} was passed. It is the fraction of positives among the "
            "unlabeled, for example beta=0.3."
        )
    betas = np.atleast_1d(betas)
    outside = betas[~((betas >= 0) & (betas <= 1))]
    if outside.size or not betas.size:
        came = f"{outside.tolist()[:5]} was passed" if outside.size else "nothing was passed"
        raise PUValueError(
            f"beta must lie in [0, 1], but {came}. It is the fraction of positives among the "
            "unlabeled: give a share, not a percentage or a count."
        )
    if np.unique(betas).size < betas.size:
        raise PUValueError(
            f"beta must hold each value once, but {reprlib.repr(betas.tolist())} was passed."
        )
    return betas


def latent_counts(betas: FloatArray, unlabeled: int) -> IntArray:
    """Return the number of latent positives for each beta.

    Parameters
    ----------
    betas : ndarray of float64, shape (betas,)
        Fractions of positives among the unlabeled, in [0, 1].
    unlabeled : int
        Number of unlabeled examples.

    Returns
    -------
    ndarray of int64, shape (betas,)
        beta * unlabeled, rounded half up.

    Examples
    --------
    >>> latent_counts(np.array([0.145, 0.144]), 100)
    array([15, 14])
    """
    # In decimals, as printed: 0.145 * 100 is 14.5, and rounds up, but not in floats.
    shares = [Fraction(str(beta)) for beta in betas.tolist()]
    return np.array([floor(share * unlabeled + Fraction(1, 2)) for share in shares], np.int64)


def _as_floats(beta: Any) -> FloatArray | None:
    """Return numbers as float64, or nothing where they are none."""
    try:
        values = np.asarray(beta)
    except ValueError:  # ragged
        return None
    if values.dtype == object and all(isinstance(value, Real) for value in values.flat):
        values = values.astype(np.float64)
    if values.dtype.kind not in "iuf" or isinstance(beta, np.ma.MaskedArray):
        return None
    if values.dtype.itemsize < 8:  # float32(0.3) is meant as 0.3, not as 0.30000001192092896
        values = np.array([float(str(value)) for value in values.flat]).reshape(values.shape)
    return values.astype(np.float64)


def check_labels(betas: FloatArray, total: Counts) -> None:
    """Raise where nothing is known to be positive, or beta is a share of nothing.

    Parameters
    ----------
    betas : ndarray of float64, shape (betas,)
        Fractions of positives among the unlabeled.
    total : Counts
        Examples of each kind.

    Raises
    ------
    PUDataError
        If no example is a known positive, or none is unlabeled and a beta is above 0.
    """
    if not total.known_positive:
        raise PUDataError(
            f"label must mark at least one known positive, but none of {sum(total)} examples is "
            f"one ({total.known_negative} known negatives, {total.unlabeled} unlabeled). Name the "
            "value that marks them: positive=..."
        )
    if betas.max() > 0 and not total.unlabeled:
        raise PUDataError(
            f"beta must be 0 where nothing is unlabeled, but {betas.max():g} was passed. Pass "
            "beta=0, or mark unlabeled examples: missing in the label column, or unlabeled=..."
        )


def check_level(level: float) -> float:
    """Check a probability of coverage.

    Parameters
    ----------
    level : float
        In (0, 1).

    Returns
    -------
    float

    Raises
    ------
    PUTypeError, PUValueError
        If it is no number, or outside (0, 1).
    """
    if isinstance(level, bool) or not isinstance(level, Real):
        raise PUTypeError(f"level must be a number in (0, 1), but {level!r} was passed.")
    if not 0 < level < 1:
        percent = f" For {level:g} percent, pass {level / 100:g}." if 1 < level < 100 else ""
        raise PUValueError(f"level must lie in (0, 1), but {level!r} was passed.{percent}")
    return float(level)


def _band_table(ranking: Ranking, latent: IntArray, level: float, band: str | Band) -> IntArray:
    """Return latent positives in the head by known positives, bound and beta."""
    known = ranking.total.known_positive
    tables = []
    for m in latent.tolist():
        lower, upper = latent_bounds(band, known, m, level)
        tables.append(np.stack([lower, central(known, m), upper], axis=1))
    return np.stack(tables, axis=2)


def _corners(ranking: Ranking, table: IntArray, latent: IntArray) -> IntArray:
    """Return the counts of unlabeled examples, between two cutoffs, at which curves bend.

    While k is constant, the latent positives in the head are min(theta, h), at least
    m - (|U| - h): straight in h but at theta and at |U| - m + theta.
    """
    theta = table[ranking.known_positive[:-1]]
    here, following = (
        side[:, np.newaxis, np.newaxis] for side in (ranking.unlabeled[:-1], ranking.unlabeled[1:])
    )
    bends = (theta, ranking.total.unlabeled - latent + theta)
    return np.unique(np.concatenate([x[(here < x) & (x < following)] for x in bends]))


def _tables(
    ranking: Ranking, table: IntArray, latent: IntArray
) -> tuple[dict[str, IntArray], BoolArray]:
    """Fill the tables: theta latent positives in the head, as far as the cutoff allows."""
    total = ranking.total
    column = (slice(None), np.newaxis, np.newaxis)
    unlabeled, negative = ranking.unlabeled[column], ranking.known_negative[column]
    known = ranking.known_positive[column]
    theta = table[ranking.known_positive]
    head = np.maximum(np.minimum(theta, unlabeled), latent - (total.unlabeled - unlabeled))
    tp = known + head
    fp = negative + unlabeled - head
    fn = total.known_positive + latent - tp
    tn = total.known_negative + total.unlabeled - latent - fp
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}, head != theta


def _coords(ranking: Ranking, betas: FloatArray) -> dict[Hashable, Any]:
    """Return the coordinates of a result."""
    threshold = {"long_name": "lowest score predicted positive"}
    return {
        "rank": ("rank", ranking.rank, {"long_name": "examples predicted positive"}),
        "bound": ("bound", np.array(BOUNDS, dtype=object)),  # any text length: Zarr stores it
        "beta": ("beta", betas, {"long_name": "β̂"}),
        "threshold": ("rank", ranking.threshold, threshold),
    }


def _attrs(
    ranking: Ranking, level: float, band: str, reference: str, latent: IntArray
) -> Mapping[str, Any]:
    """Return what a reader needs to redo a result; strings and numbers, as files store them."""
    return {
        "level": level,
        "band": band,
        **_local_alpha(ranking.total.known_positive, latent, level, band),
        "reference": reference,
        **{f"n_{kind}": count for kind, count in ranking.total._asdict().items()},
        **ranking.source,
        "n_cutoffs": ranking.rank.size,
    }


def _local_alpha(
    n: int, latent: IntArray, level: float, band: str
) -> Mapping[str, float | list[float]]:
    """Return the level of each cutoff at which all hold jointly, one for each beta."""
    if band != "simultaneous":
        return {}
    alphas = [local_alpha(n, m, level) for m in latent.tolist()]
    return {"local_alpha": alphas[0] if len(alphas) == 1 else alphas}

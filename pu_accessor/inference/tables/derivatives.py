"""How fast counts and rates change with beta."""

from typing import NamedTuple

import numpy as np

from pu_accessor.inference.tables.contingency import Table
from pu_accessor.ranking import BoolArray, FloatArray, IntArray


class Known(NamedTuple):
    """The known examples of each table, as arrays that broadcast against its counts."""

    above: IntArray  # known positives at or above the cutoff
    below: IntArray  # known negatives at or above the cutoff
    positives: IntArray  # in all
    negatives: IntArray
    unlabeled: IntArray
    from_positives: BoolArray  # the band bounds latent positives, not negatives
    shared: BoolArray  # T is the share of known examples in the head


class Derivatives(NamedTuple):
    """Derivatives by beta of three rates and of the four counts, arrays of float64."""

    tpr: FloatArray
    fpr: FloatArray
    precision: FloatArray
    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray


def beta_derivatives(table: Table, clipped: BoolArray, known: Known) -> Derivatives:
    """Return the derivatives of rates and counts by beta ([1]_, Appendix B, corrected).

    T is held fixed: the share of the latent positives in the head by the band, or, from known
    negatives, that of the latent negatives. All counts are then straight in beta: if all unlabeled
    examples were positive instead of none, `T*unlabeled` more positives would be in the head.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    """
    tp, fp, fn, tn = table
    head, positives, negatives = tp + fp, tp + fn, fp + tn
    share = np.where(
        known.from_positives,
        _share(tp - known.above, positives - known.positives, known.above, known.positives, known),
        _share(fp - known.below, negatives - known.negatives, known.below, known.negatives, known),
    )
    more_true = np.where(
        known.from_positives,
        share * known.positives - known.above,
        share * (known.positives + known.unlabeled) - (head - known.below),
    )
    more_false = np.where(
        known.from_positives,
        head - known.above - share * (known.negatives + known.unlabeled),
        known.below - share * known.negatives,
    )
    rates = (
        _over(more_true, positives.astype(np.float64) ** 2),
        _over(more_false, negatives.astype(np.float64) ** 2),
        np.where(head == 0, 0.0, _over(share, head)),
        *(share, -share, 1 - share, share - 1),
    )
    return Derivatives(*(np.where(clipped, 0.0, rate * known.unlabeled) for rate in rates))


def _share(
    latent: IntArray, hidden: IntArray, above: IntArray, whole: IntArray, known: Known
) -> FloatArray:
    """Return T, the share of latent, or for the estimate of known, examples in the head."""
    return np.where(known.shared, _over(above, whole), _over(latent, hidden))


def _over(part: FloatArray | IntArray, whole: FloatArray | IntArray) -> FloatArray:
    """Return a ratio, NaN where there is nothing to divide by."""
    return part / np.where(whole > 0, whole, np.nan)

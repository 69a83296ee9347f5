"""Two models: whether the ROC curve of one lies above that of the other, and where they cross."""

from collections.abc import Hashable, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUValueError
from pu_accessor.inference.comparison import name_pairs
from pu_accessor.inference.metrics import check_whole, roc
from pu_accessor.inference.order import crossings
from pu_accessor.inference.steps import StepFree, limit, step_free
from pu_accessor.inference.tables import BOUNDS
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["dominance"]

# Rates that differ by less are equal. They are ratios of counts and interpolations of them.
_SAME = 1e-12


class _Gap(NamedTuple):
    """Two curves from left to right: both limits at each corner of either, from within."""

    fpr: FloatArray
    first: FloatArray
    second: FloatArray

    @property
    def lead(self) -> FloatArray:
        """By how much the first is above the second; 0 within rounding."""
        apart = self.first - self.second
        return np.where(np.abs(apart) <= _SAME, 0.0, apart)


def dominance(tables: xr.Dataset) -> pd.DataFrame:
    """Compare where the ROC curves of models lie, at each beta.

    A model dominates another if its curve is nowhere below and somewhere above the other's: then
    it is the better one whatever the costs of errors are ([1]_, section 6.2; [2]_).

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn` over (model, rank, bound, beta), whatever the first dimension
        is called, at all cutoffs or at the breakpoints.

    Returns
    -------
    DataFrame
        A row for each pair of models, a before b as in `tables`, and beta. A RangeIndex.

        * ``{name}_a``, ``{name}_b`` : the two models, for each name of their key.
        * beta, or beta_a and beta_b where each model has its own.
        * dominates : the model whose central curve dominates the other's, or None.
        * equal : bool, whether the central curves coincide.
        * disjoint : bool, whether the lower curve of one model lies strictly above the upper curve
          of the other at each false positive rate, save where both are at true positive rate 0,
          or both at 1.
        * crossings : tuple of float, the false positive rates at which the lead passes from one
          central curve to the other, ascending. Where they coincide in between, the rate at
          which the one loses its lead.

        Rates that differ by at most 1e-12 are equal.

    Raises
    ------
    PUKeyError
        If `tables` holds no tables.
    PUValueError
        If its dimensions are others, there are fewer than two models, a bound is not there,
        cutoffs are missing, or nothing is negative at some beta.

    Notes
    -----
    Where a known positive enters the head, a curve steps up and back: a later cutoff has a higher
    true positive rate at a lower false positive rate. What is compared is the highest true
    positive rate that a curve reaches at or left of each false positive rate. It never falls, and
    it may jump. Two curves are compared by their limits from both sides wherever either has a
    corner, in 0 and 1 from within.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    .. [2] F. Provost, T. Fawcett, *Robust classification for imprecise environments*, Machine
       Learning 42 (2001) 203-231.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pd.DataFrame({"label": [1, None, 1, None, 1, None, None, None]})
    >>> df["svm"], df["forest"] = [8, 2, 7, 1, 6, 5, 4, 3], [3, 8, 7, 6, 5, 4, 2, 1]
    >>> tables = df.pu.contingency([0, 0.4], score=["svm", "forest"])
    >>> dominance(tables)[["model_a", "model_b", "beta", "dominates", "crossings"]]
      model_a model_b  beta dominates crossings
    0     svm  forest   0.0       svm        ()
    1     svm  forest   0.4       svm        ()
    """
    curves = roc(tables)
    dim = _check(curves)
    check_whole(tables)
    ordered = curves.transpose(dim, "beta", "bound", "rank").sel(bound=[*BOUNDS])
    fpr, tpr = ordered["fpr"].to_numpy(), ordered["tpr"].to_numpy()
    models, betas = fpr.shape[:2]
    index = curves.get_index(dim)
    paths = {
        key: [step_free(*path) for path in zip(fpr[key], tpr[key], strict=True)]
        for key in product(range(models), range(betas))
    }
    rows = [(a, b, beta) for a, b in combinations(range(models), 2) for beta in range(betas)]
    first, second, place = np.array(rows, dtype=np.int64).T
    verdicts = [
        _verdict(paths[a, beta], paths[b, beta], index[[a, b]].tolist()) for a, b, beta in rows
    ]
    names = [str(name) for name in index.names]
    own = curves["beta"].transpose(..., "beta").to_numpy()
    return pd.DataFrame(
        {
            **name_pairs(names, index.tolist(), first, second),
            **_beta_columns(own, first, second, place),
            "dominates": pd.Series([verdict.dominates for verdict in verdicts], dtype=object),
            "equal": [verdict.equal for verdict in verdicts],
            "disjoint": [verdict.disjoint for verdict in verdicts],
            "crossings": [verdict.crossings for verdict in verdicts],
        }
    )


class _Verdict(NamedTuple):
    dominates: Hashable | None
    equal: bool
    disjoint: bool
    crossings: tuple[float, ...]


def _check(curves: xr.Dataset) -> str:
    """Return the dimension of the models, or say what is wrong with the curves."""
    more = [str(dim) for dim in curves["fpr"].dims if dim not in ("rank", "bound", "beta")]
    if (len(more) == 1 and curves.sizes[more[0]] < 2) or not more:
        raise PUValueError(
            "A comparison needs two or more models, but there is one. Pass score=[...] with two "
            "columns, or by=... with two keys."
        )
    if len(more) != 1 or len(curves["fpr"].dims) != 4:
        raise PUValueError(
            "dominance compares the models along one dimension beside rank, bound and beta, but "
            f"the tables have {dict(curves['fpr'].sizes)}. Stack several dimensions: "
            f"ds.stack(group={more})."
        )
    if lacking := [bound for bound in BOUNDS if bound not in curves["bound"].to_numpy()]:
        raise PUValueError(f"dominance needs the bounds {list(BOUNDS)}, but {lacking} is missing.")
    if np.isnan(curves["fpr"].to_numpy()).any():
        raise PUValueError(
            "An ROC curve needs negatives, but at some beta there are none. Pass a smaller beta."
        )
    return more[0]


def _compare(first: StepFree, second: StepFree) -> _Gap:
    """Put two curves side by side."""
    corners = np.union1d(first.fpr, second.fpr)
    heights = [
        np.stack([limit(curve, corners, "left"), limit(curve, corners, "right")], axis=1)
        for curve in (first, second)
    ]
    a, b = (height.ravel()[1:-1] for height in heights)  # from within
    return _Gap(np.repeat(corners, 2)[1:-1], a, b)


def _verdict(
    first: Sequence[StepFree], second: Sequence[StepFree], keys: Sequence[Hashable]
) -> _Verdict:
    """Compare the curves of two models, each at the lower bound, the estimate and the upper."""
    lead = (gap := _compare(first[1], second[1])).lead
    ahead, behind = bool((lead > 0).any()), bool((lead < 0).any())
    dominates = None if ahead == behind else keys[0] if ahead else keys[1]
    apart = _above(_compare(first[0], second[2])) or _above(_compare(second[0], first[2]))
    return _Verdict(dominates, not (ahead or behind), apart, crossings(gap.fpr, lead))


def _above(gap: _Gap) -> bool:
    """Whether the first curve is strictly above the second, where they are not both at an end."""
    at_end = (gap.first == gap.second) & np.isin(gap.first, [0, 1])
    return bool(((gap.lead > 0) | at_end).all() and (gap.lead > 0).any())


def _beta_columns(
    betas: FloatArray, first: IntArray, second: IntArray, place: IntArray
) -> dict[str, FloatArray]:
    """Return the beta of each row, or that of each model."""
    if betas.ndim == 1:
        return {"beta": betas[place]}
    return {"beta_a": betas[first, place], "beta_b": betas[second, place]}

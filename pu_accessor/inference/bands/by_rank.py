"""Bounds on the rank CDF of the latent positives that are given as functions of the rank.

[C15]'s Theorem 1 takes any bounds on the share of the latent positives in the head, wherever they
come from. A band answers by the known positives in the head; these answer by the head's size.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.checks import as_array
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["RankBand", "Side", "at_some_ranks", "read_side"]

# From the number of examples to shares of the latent positives at ranks 0, 1, ..., examples.
Side: TypeAlias = Callable[[int], FloatArray]

_ULPS = 4  # by which the product of a share and a count may be off, in its last digits


@dataclass(frozen=True, eq=False)
class RankBand:
    """Bounds on the share of the latent positives among the first examples, at each rank.

    Parameters
    ----------
    lower, upper : callable
        From the number of examples to the bound at each rank, as `read_side` makes them.
    """

    lower: Side
    upper: Side

    def of(self, names: Sequence[str], key: Hashable) -> "RankBand":
        """Return the bounds of one ranking: here the same for all."""
        return self

    def latent(self, rank: IntArray, examples: int, latent: IntArray) -> tuple[IntArray, IntArray]:
        """Return bounds on the number of latent positives in some heads.

        Examples
        --------
        >>> band = RankBand(read_side("lower", [0, 0.29, 1]), read_side("upper", [0, 1, 1]))
        >>> band.latent(np.array([1]), 2, np.array([100, 10]))
        (array([[29,  2]]), array([[100,  10]]))
        """
        lower, upper = _check(self.lower(examples), "lower"), _check(self.upper(examples), "upper")
        if (lower > upper).any():
            at = int(np.argmax(lower > upper))
            raise PUValueError(
                f"band must have lower <= upper, but at rank {at} it has lower {lower[at]:g} and "
                f"upper {upper[at]:g}. Pass it as (lower, upper)."
            )
        lower = np.minimum.accumulate(lower[::-1])[::-1]
        upper = np.maximum.accumulate(upper)
        return _times(lower[rank], latent, np.floor), _times(upper[rank], latent, np.ceil)


def read_side(name: str, values: Any) -> Side:
    """Return one bound as a function of the number of examples."""
    if callable(values):
        return lambda examples: _fitting(name, values(np.arange(examples + 1)), examples, True)
    array = _as_array(name, values)
    return lambda examples: _fitting(name, array, examples, False)


def at_some_ranks(name: str, ranks: IntArray, values: Any) -> Side:
    """Return one bound that is known at some ranks alone.

    The rank CDF never falls: in between stands the lower bound of the last rank before, and the
    upper one of the next; at the ends 0 and 1.

    Examples
    --------
    >>> at_some_ranks("lower", np.array([1, 3]), [0.2, 0.6])(4)
    array([0. , 0.2, 0.2, 0.6, 0.6])
    >>> at_some_ranks("upper", np.array([1, 3]), [0.2, 0.6])(4)
    array([0.2, 0.2, 0.6, 0.6, 1. ])
    """
    order = np.argsort(ranks)
    known, array = np.asarray(ranks)[order], _as_array(name, values)[order]

    def side(examples: int) -> FloatArray:
        if known[0] < 0 or known[-1] > examples:
            outside = known[(known < 0) | (known > examples)]
            raise PUValueError(
                f"band must have ranks from 0 to {examples}, the number of examples, but its "
                f"{name} has {outside.tolist()[:5]}."
            )
        every = np.arange(examples + 1)
        if name == "lower":
            return np.append(0.0, array)[np.searchsorted(known, every, side="right")]
        return np.append(array, 1.0)[np.searchsorted(known, every, side="left")]

    return side


def _as_array(name: str, values: Any) -> FloatArray:
    """Return shares as float64, or say that they are none."""
    array = as_array(values)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise PUTypeError(
            "band must hold one-dimensional arrays of shares, or functions of the rank, but its "
            f"{name} is {type(values).__name__} of shape {array.shape}. Pass (lower, upper), each "
            "with a share for every rank from 0 on; one of our bands by its name: band='exact'."
        )
    return array.astype(np.float64)


def _fitting(name: str, values: Any, examples: int, asked: bool) -> FloatArray:
    """Return shares at all ranks, or say that they do not fit."""
    array = _as_array(name, values)
    if array.size != examples + 1:
        came = "returned" if asked else "has"
        raise PUValueError(
            f"band must have a share for each rank from 0 to {examples}, the number of examples: "
            f"{examples + 1} in all, but its {name} {came} {array.size}. At rank 0 it is 0; a "
            "DataArray with a coordinate rank may hold some of them."
        )
    return array


def _check(shares: FloatArray, name: str) -> FloatArray:
    """Raise unless shares lie in [0, 1]."""
    outside = ~((shares >= 0) & (shares <= 1))
    if outside.any():
        at = int(np.argmax(outside))
        raise PUValueError(
            f"band must lie in [0, 1], but its {name} is {shares[at]:g} at rank {at}: it bounds "
            "the share of the latent positives in the head, not their number."
        )
    return shares


def _times(
    shares: FloatArray, latent: IntArray, rounded: Callable[[FloatArray], npt.NDArray[Any]]
) -> IntArray:
    """Return shares of counts, rounded; one that is a count but for its last digits is a count."""
    product = np.multiply.outer(shares, latent.astype(np.float64))
    near = np.rint(product)
    same = np.abs(product - near) <= _ULPS * np.spacing(product)
    return np.where(same, near, rounded(product)).astype(np.int64)

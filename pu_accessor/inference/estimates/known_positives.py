"""The known positives as a sample of all: their blocks of ties, and how many are hidden."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

MIN_NEGATIVES = 1e-7  # examples: where fewer are left, what they say is rounding


class KnownBlocks(NamedTuple):
    """The blocks of tied scores that hold known positives, best first."""

    found: IntArray  # known positives in the block
    known: IntArray  # known positives at or above it
    start: IntArray  # examples above it
    end: IntArray  # examples at or above it


def known_blocks(ranking: Ranking) -> KnownBlocks:
    """Return the blocks of tied scores that hold known positives."""
    found = np.diff(ranking.known_positive)
    there = found > 0
    return KnownBlocks(
        found[there],
        ranking.known_positive[1:][there],
        ranking.rank[:-1][there],
        ranking.rank[1:][there],
    )


def block_bounds(ranking: Ranking) -> tuple[IntArray, IntArray]:
    """Return the examples above, and at or above, the cutoff of each known positive."""
    found = np.diff(ranking.known_positive)
    return np.repeat(ranking.rank[:-1], found), np.repeat(ranking.rank[1:], found)


def exact_positives(total: Counts, betas: FloatArray) -> list[Fraction]:
    """Return the positives at some betas, known and latent ones, not rounded."""
    return [
        total.known_positive + total.unlabeled * Fraction(str(beta)) for beta in betas.tolist()
    ]


def count_positives(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the positives at some betas as floats.

    Examples
    --------
    >>> count_positives(Counts(3, 0, 10), np.array([0.1, 0.9]))
    array([ 4., 12.])
    """
    return np.array([float(number) for number in exact_positives(total, betas)])


def hidden_share(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the share of the positives that is not known."""
    known = total.known_positive
    return np.array([float(1 - known / number) for number in exact_positives(total, betas)])


def count_negatives(total: Counts, betas: FloatArray) -> tuple[Fraction, ...]:
    """Return the number of negatives at some betas, or raise where there are none.

    Examples
    --------
    >>> count_negatives(Counts(3, 1, 10), np.array([0.15]))
    (Fraction(19, 2),)
    """
    known, unlabeled = total.known_negative, total.unlabeled
    found = tuple(known + unlabeled * (1 - Fraction(str(beta))) for beta in betas.tolist())
    if min(found) < MIN_NEGATIVES:
        raise no_negatives_error("This", float(betas[found.index(min(found))]), total)
    return found


def unrounded_negatives(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the number of negatives, not rounded."""
    return total.known_negative + total.unlabeled * (1 - betas)


def check_negatives(total: Counts, betas: FloatArray, method: str) -> None:
    """Raise where nothing is negative."""
    none = betas[unrounded_negatives(total, betas) < MIN_NEGATIVES]
    if none.size:
        raise no_negatives_error(f"{method} on new examples", float(none[0]), total)


def no_negatives_error(what: str, beta: float, total: Counts) -> PUDataError:
    """Return the error that something needs negatives, where there are none."""
    step = "Pass a smaller beta"
    if not total.unlabeled:
        step = "All are known positives: add unlabeled examples or known negatives to the rows"
    return PUDataError(
        f"{what} needs negatives, but at beta = {beta:g} there are none among the {sum(total)} "
        f"examples. {step}.",
        page="beta#too-high",
    )

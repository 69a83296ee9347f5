"""Count known and hidden positives and negatives."""

from fractions import Fraction
from typing import TypeAlias

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import hidden_shares
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

FloatPair: TypeAlias = tuple[FloatArray, FloatArray]
MIN_NEGATIVES = 1e-7  # fewer examples are a rounding error


def block_bounds(ranking: Ranking) -> tuple[IntArray, IntArray]:
    """Return the examples above, and at or above, the cutoff of each known positive."""
    number = np.diff(ranking.known_positive)
    return np.repeat(ranking.rank[:-1], number), np.repeat(ranking.rank[1:], number)


def exact_positives(total: Counts, betas: FloatArray) -> list[Fraction]:
    """Return the positives at each beta, known and hidden, as fractions."""
    return [total.known_positive + total.unlabeled * Fraction(str(b)) for b in betas.tolist()]


def count_positives(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the positives at each beta as floats."""
    return np.array([float(number) for number in exact_positives(total, betas)])


def hidden_share(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the share of the positives that is hidden."""
    known = total.known_positive
    return np.array([float(1 - known / number) for number in exact_positives(total, betas)])


def hidden_by_known(ranking: Ranking, betas: FloatArray) -> list[FloatArray]:
    """Return how many hidden positives each known one stands for, best first, at each beta."""
    n, weight = ranking.total.known_positive, ranking.inverse_propensity
    weight = np.ones(n) if weight is None else weight
    return [hidden_shares(weight, m) for m in (count_positives(ranking.total, betas) - n).tolist()]


def linear_errors(added: FloatArray, hidden: FloatArray) -> tuple[float, float]:
    """Return the standard error of a sum over positives; and if there were infinitely many."""
    # Known positives stand for `hidden` more each; labels are independent, their number is known.
    n, weight = hidden.size, 1 + hidden
    if n == 1:
        return (np.nan if hidden.any() else 0.0), 0.0
    off = added - hidden @ added / (hidden.sum() or 1)
    squares = (n - 1) / n * weight * np.square(off / (1 - weight / weight.sum()))
    return float(squares @ hidden) ** 0.5, float(squares @ weight) ** 0.5


def count_negatives(total: Counts, betas: FloatArray, what: str = "This") -> tuple[Fraction, ...]:
    """Return the number of negatives at each beta as fractions, or raise where there are none."""
    known, unlabeled = total.known_negative, total.unlabeled
    negatives = tuple([known + unlabeled * (1 - Fraction(str(beta))) for beta in betas.tolist()])
    if min(negatives) < MIN_NEGATIVES:
        raise no_negatives_error(what, float(betas[negatives.index(min(negatives))]), total)
    return negatives


def unrounded_negatives(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the number of negatives at each beta as floats."""
    return total.known_negative + total.unlabeled * (1 - betas)


def no_negatives_error(what: str, beta: float, total: Counts) -> PUDataError:
    """Return the error that a metric needs negatives."""
    step = "Pass a smaller beta"
    if not total.unlabeled:
        step = "All are known positives: add unlabeled examples or known negatives to the rows"
    return PUDataError(
        f"{what} needs negatives, but at beta = {beta:g} there are none among the {sum(total)} "
        f"examples. {step}."
    )

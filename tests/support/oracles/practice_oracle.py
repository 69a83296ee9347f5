"""Slow references for what practice asks for, from the papers that define it."""

from fractions import Fraction

from tests.support.oracles import oracle
from tests.support.oracles.selection_oracle import known_in_head


def net_benefit(table: oracle.Table, threshold: Fraction) -> Fraction:
    """Return the net benefit of A. J. Vickers and E. B. Elkin (2006): a sum over patients.

    Who is treated and has the disease counts 1, who is treated and has it not counts minus the
    odds of the threshold. There may be parts of patients.
    """
    patients = table.tp + table.fp + table.fn + table.tn
    worth = Fraction(table.tp) - threshold / (1 - threshold) * Fraction(table.fp)
    return worth / patients


def bin_limits(n: int, m: int, known: int, level: float) -> tuple[int, int]:
    """Return the fewest and the most latent positives of a bin that a test does not reject.

    Known ones are a sample of n of the n + m positives, of which some are in the bin: all samples
    are counted.
    """
    tail = (1 - Fraction(str(level))) / 2
    possible = []
    for latent in range(m + 1):
        inside = known + latent
        chance = known_in_head(n, m, inside, Fraction(1))
        if min(sum(chance[known:]), sum(chance[: known + 1])) > tail:
            possible.append(latent)
    return possible[0], possible[-1]

"""Slow references for what practice asks for, from the papers that define it."""

import math
from collections.abc import Sequence
from fractions import Fraction

from tests.support.oracles import oracle


def net_benefit(table: oracle.Table, threshold: Fraction) -> Fraction:
    """Return the net benefit of A. J. Vickers and E. B. Elkin (2006): a sum over patients.

    Who is treated and has the disease counts 1, who is treated and has it not counts minus the
    odds of the threshold. There may be parts of patients.
    """
    patients = table.tp + table.fp + table.fn + table.tn
    worth = Fraction(table.tp) - threshold / (1 - threshold) * Fraction(table.fp)
    return worth / patients


def bedroc(active: Sequence[bool], alpha: float) -> float:
    """Return BEDROC of J.-F. Truchon and C. I. Bayly (2007), equations 18 and 36, of a ranking.

    RIE is the sum of exponentials over its mean for random ranks; BEDROC lies between the lowest
    and the highest RIE that so many actives can have.
    """
    size, actives = len(active), sum(active)
    ranks = [rank for rank, one in enumerate(active, start=1) if one]

    def rie(some: Sequence[int]) -> float:
        random = sum(math.exp(-alpha * rank / size) for rank in range(1, size + 1)) / size
        return sum(math.exp(-alpha * rank / size) for rank in some) / actives / random

    best, worst = range(1, actives + 1), range(size - actives + 1, size + 1)
    return (rie(ranks) - rie([*worst])) / (rie([*best]) - rie([*worst]))


def unbiased_bedroc(
    score: Sequence[float], known: Sequence[bool], positives: float, alpha: float
) -> float:
    """Return BEDROC where all positives have the mean weight of the known ones.

    There need not be a whole number of them; in a block of ties each has the mean of its ranks.
    """
    size = len(score)

    def weight(start: float, end: float) -> float:
        """Return the mean of exp(-alpha*r/N) over places from one to another, but a factor."""
        steps = math.exp(-alpha * start / size) - math.exp(-alpha * end / size)
        return steps / (end - start)

    blocks = [
        (sum(s > one for s in score), sum(s >= one for s in score))
        for one, yes in zip(score, known, strict=True)
        if yes
    ]
    mean = sum(weight(*block) for block in blocks) / len(blocks)
    best, worst = weight(0, positives), weight(size - positives, size)
    return (mean - worst) / (best - worst)


def enrichment(active: Sequence[bool], fraction: float) -> float:
    """Return the enrichment factor: the share of actives in the top over their share in all."""
    top = math.ceil(Fraction(str(fraction)) * len(active))
    return (sum(active[:top]) / top) / (sum(active) / len(active))


def bin_limits(n: int, m: int, known: int, level: float) -> tuple[int, int]:
    """Return the fewest and the most latent positives of a bin that a test does not reject.

    Known ones are a sample of n of the n + m positives, of which some are in the bin: all samples
    are counted.
    """
    tail = (1 - Fraction(str(level))) / 2
    possible = []
    for latent in range(m + 1):
        inside = known + latent
        ways = [math.comb(inside, k) * math.comb(n + m - inside, n - k) for k in range(n + 1)]
        more, fewer = (
            Fraction(sum(some), sum(ways)) for some in (ways[known:], ways[: known + 1])
        )
        if more > tail and fewer > tail:
            possible.append(latent)
    return possible[0], possible[-1]

"""Slow reference for bounds that start from known negatives, or from the tighter kind.

Known negatives are handled by literally turning the ranking over: scores negated, labels swapped,
latent negatives in the place of latent positives.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from tests.support.oracles import oracle
from tests.support.oracles.oracle import BandRule, Label, Table

BOUNDS = ("lower", "estimate", "upper")
ENDS = ("lower", "upper")
COMPARED = 0.95
Claims = list[tuple[int, int]]
Tables = dict[str, list[Table]]


def claims_of_positives(
    scores: Sequence[float], labels: Sequence[Label], m: int, level: float, band: BandRule
) -> Claims:
    """Return, at each cutoff, the latent positives in the head by the known ones there."""
    n = oracle.count_label(labels, True)
    lower, upper = band(n, m, level)
    return [
        (lower[step.known_positive], upper[step.known_positive])
        for step in oracle.cutoffs(scores, labels)
    ]


def claims_of_negatives(
    scores: Sequence[float], labels: Sequence[Label], m: int, level: float, band: BandRule
) -> Claims:
    """Return, at each cutoff, the latent positives in the head by the known negatives below it."""
    unlabeled = oracle.count_label(labels, None)
    below = claims_of_positives(*oracle.turned(scores, labels), unlabeled - m, level, band)
    steps = oracle.cutoffs(scores, labels)
    # From the other side the same cutoffs come in reverse order. What is no latent negative in
    # the tail is a latent positive there; all further ones are in the head.
    return [
        (m - (unlabeled - step.unlabeled - fewest), m - (unlabeled - step.unlabeled - most))
        for step, (fewest, most) in zip(steps, reversed(below), strict=True)
    ]


def fit(
    scores: Sequence[float], labels: Sequence[Label], beta: float, claims: Claims
) -> list[list[Table]]:
    """Return the tables of each bound, with claims moved to what can be attained."""
    whole, steps = oracle.totals(labels, beta), oracle.cutoffs(scores, labels)
    return [
        [oracle.table_at(step, whole, claim[i]) for step, claim in zip(steps, claims, strict=True)]
        for i in range(len(ENDS))
    ]


def width(scores: Sequence[float], labels: Sequence[Label], claims: Claims) -> int:
    """Return twice the area between the upper and the lower curve, in pairs of examples.

    The curves are those of the claims as they are, possible or not: true positives over the rank,
    between which there is the same area as between those over false positives.
    """
    steps, areas = oracle.cutoffs(scores, labels), []
    for i in range(len(ENDS)):
        tps = [step.known_positive + claim[i] for step, claim in zip(steps, claims, strict=True)]
        ranks = [step.rank for step in steps]
        points = pairwise(zip(ranks, tps, strict=True))
        areas.append(sum((r1 - r0) * (tp0 + tp1) for (r0, tp0), (r1, tp1) in points))
    return areas[1] - areas[0]


def tables(
    scores: Sequence[float],
    labels: Sequence[Label],
    beta: float,
    level: float,
    band: BandRule,
    reference: str,
) -> tuple[Tables, str]:
    """Return the tables of both bounds at all cutoffs, and the tightest kind."""
    m = oracle.totals(labels, beta).latent
    band = oracle.at_scores(band, scores)
    of_kind = {
        "positives": partial(claims_of_positives, scores, labels, m),
        "negatives": partial(claims_of_negatives, scores, labels, m),
    }
    known = {"positives": True in labels, "negatives": False in labels}
    kinds = [kind for kind in of_kind if known[kind] and reference in (kind, "tightest")]
    claims = {kind: of_kind[kind](level, band) for kind in kinds}
    found = {kind: fit(scores, labels, beta, claim) for kind, claim in claims.items()}
    # At a level of their own, whichever is asked for; of two equal ones the first.
    ranges = {kind: width(scores, labels, of_kind[kind](COMPARED, band)) for kind in claims}
    tightest = min(ranges, key=ranges.__getitem__)
    return dict(zip(ENDS, found[tightest], strict=True)), tightest

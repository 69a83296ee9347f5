"""Slow reference for bounds at all cutoffs at once: every path of counts within them is walked.

A path gives each cutoff a number of latent positives in the head that never falls, and grows by at
most one for each unlabeled example. The highest and the lowest paths within some bounds are these
bounds, cut. Where no path is left, the definition stands: what each cutoff makes of all others.
They reach to the lowest and the highest of all paths whose counts at the corners of the estimate
are its own, rounded down or up.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from tests.support.oracles import completion_oracle, oracle
from tests.support.oracles.oracle import BandRule, Cutoff, Label, Table

Tables = dict[str, list[Table]]


def forward(heads: Sequence[int], allowed: Sequence[set[int]]) -> list[set[int]]:
    """Return at each cutoff the counts that some path from the first one on arrives at."""
    reached = [set(allowed[0])]
    for (before, after), here in zip(pairwise(heads), allowed[1:], strict=True):
        steps = range(after - before + 1)
        reached.append({v + step for v in reached[-1] for step in steps} & here)
    return reached


def surviving(heads: Sequence[int], allowed: Sequence[set[int]]) -> list[set[int]]:
    """Return at each cutoff the counts of all paths from end to end."""
    last = heads[-1]
    back = forward(
        [last - head for head in reversed(heads)],
        [{last - v for v in here} for here in reversed(allowed)],
    )
    ways = ({last - v for v in there} for there in reversed(back))
    return [here & there for here, there in zip(forward(heads, allowed), ways, strict=True)]


def by_definition(heads: Sequence[int], lower: list[int], upper: list[int]) -> list[list[int]]:
    """Return what each cutoff makes of all others, lowest and highest."""
    places = range(len(heads))
    return [
        [max(lower[j] - max(heads[j] - heads[i], 0) for j in places) for i in places],
        [min(upper[j] + max(heads[i] - heads[j], 0) for j in places) for i in places],
    ]


def around_estimate(
    steps: Sequence[Cutoff], m: int, scores: Sequence[float], labels: Sequence[Label], kind: str
) -> list[list[int]]:
    """Return the lowest and the highest way from corner to corner of the estimate."""
    last, heads = steps[-1].unlabeled, [step.unlabeled for step in steps]
    if kind == "negatives":
        turned = [-score for score in scores], [None if x is None else not x for x in labels]
        corners = [
            (last - head, m - (head - below))
            for head, below in completion_oracle.find_corners(*turned, last - m)
        ]
    else:
        corners = completion_oracle.find_corners(scores, labels, m)
    allowed = [set(range(m + 1)) for _ in steps]
    for head, latent in corners:
        for here, there in zip(allowed, heads, strict=True):
            if there == head:
                here &= {math.floor(latent), math.ceil(latent)}
    left = surviving(heads, allowed)
    return [[min(here) for here in left], [max(here) for here in left]]


def cut(steps: Sequence[Cutoff], tables: Tables, around: Sequence[Sequence[int]]) -> Tables:
    """Cut the tables of both bounds at all cutoffs."""
    heads = [step.unlabeled for step in steps]
    lower, upper = (
        [table.tp - step.known_positive for table, step in zip(tables[bound], steps, strict=True)]
        for bound in ("lower", "upper")
    )
    ends = by_definition(heads, lower, upper)
    allowed = [set(range(low, high + 1)) for low, high in zip(lower, upper, strict=True)]
    left = surviving(heads, allowed)
    if all(left):
        assert ends == [[min(here) for here in left], [max(here) for here in left]]
    found: Tables = {bound: [] for bound in tables}
    for i, (low, high) in enumerate(zip(*ends, strict=True)):
        nearest = around[0][i], around[1][i]
        for bound, value in zip(
            tables, (min(low, nearest[0]), max(high, nearest[1])), strict=True
        ):
            old = tables[bound][i]
            more = value - (old.tp - steps[i].known_positive)
            found[bound].append(
                Table(
                    old.rank,
                    old.tp + more,
                    old.fp - more,
                    old.fn - more,
                    old.tn + more,
                    old.clipped or low > high,
                )
            )
    return found


def cut_if_joint(
    band: str,
    scores: Sequence[float],
    labels: Sequence[Label],
    tables: Tables,
    kind: str = "positives",
) -> Tables:
    """Cut the tables of the band "simultaneous", and leave those of others."""
    if band != "simultaneous":
        return tables
    steps, first = oracle.cutoffs(scores, labels), tables["lower"][0]
    m = first.tp + first.fn - oracle.count_label(labels, True)
    around = around_estimate(steps, m, scores, labels, kind)
    return cut(steps, {bound: tables[bound] for bound in ("lower", "upper")}, around)


def tables(
    scores: Sequence[float], labels: Sequence[Label], beta: float, level: float, band: BandRule
) -> Tables:
    """Return the tables of known positives, cut."""
    plain = oracle.tables(scores, labels, beta, level, band)
    return cut_if_joint("simultaneous", scores, labels, plain)

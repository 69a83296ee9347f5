"""Slow reference for bounds at all cutoffs at once: every path of counts within them is walked.

A path gives each cutoff a number of latent positives in the head that never falls, and grows by at
most one for each unlabeled example. The highest and the lowest paths within some bounds are these
bounds, cut. Where no path is left, the definition stands: what each cutoff makes of all others.
"""

from collections.abc import Sequence
from itertools import pairwise

from tests.support.oracles import oracle
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


def cut(steps: Sequence[Cutoff], tables: Tables) -> Tables:
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
        for bound, value in {"lower": min(low, high), "upper": max(low, high)}.items():
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
    band: str, scores: Sequence[float], labels: Sequence[Label], tables: Tables
) -> Tables:
    """Cut the tables of the band "simultaneous", and leave those of others."""
    return cut(oracle.cutoffs(scores, labels), tables) if band == "simultaneous" else tables


def tables(
    scores: Sequence[float], labels: Sequence[Label], beta: float, level: float, band: BandRule
) -> Tables:
    """Return the tables of known positives, cut."""
    plain = oracle.tables(scores, labels, beta, level, band)
    return cut(oracle.cutoffs(scores, labels), plain)

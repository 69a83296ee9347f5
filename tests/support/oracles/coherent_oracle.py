"""Slow reference for bounds at all cutoffs at once, by definition: what each makes of all others.

The number of latent positives in the head never falls from a cutoff to the next, and grows by at
most one for each unlabeled example. Bounds reach to the lowest and the highest of all ways whose
counts at the corners of the estimate are its own, rounded down or up.
"""

import math
from collections.abc import Sequence

from tests.support.oracles import completion_oracle, oracle
from tests.support.oracles.oracle import Cutoff, Label, Table

Tables = dict[str, list[Table]]


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
        corners = [
            (last - head, m - (head - below))
            for head, below in completion_oracle.find_corners(
                *oracle.turned(scores, labels), last - m
            )
        ]
    else:
        corners = completion_oracle.find_corners(scores, labels, m)
    at = [[latent for head, latent in corners if head == here] for here in heads]
    fewest = [max([0, *map(math.floor, some)]) for some in at]
    return by_definition(heads, fewest, [min([m, *map(math.ceil, some)]) for some in at])


def cut_if_joint(
    band: str,
    scores: Sequence[float],
    labels: Sequence[Label],
    tables: Tables,
    kind: str = "positives",
) -> Tables:
    """Cut the tables of both bounds if the band is joint."""
    if band != "simultaneous":
        return tables
    steps, first = oracle.cutoffs(scores, labels), tables["lower"][0]
    m = first.tp + first.fn - oracle.count_label(labels, True)
    heads, known = ([s.unlabeled for s in steps], [s.known_positive for s in steps])
    lower, upper = (
        [table.tp - k for table, k in zip(tables[bound], known, strict=True)]
        for bound in ("lower", "upper")
    )
    lowest, highest = by_definition(heads, lower, upper)
    around = around_estimate(steps, m, scores, labels, kind)
    found: Tables = {"lower": [], "upper": []}
    for i, k in enumerate(known):
        tps = {
            "lower": k + min(lowest[i], around[0][i]),
            "upper": k + max(highest[i], around[1][i]),
        }
        for bound, tp in tps.items():
            clipped = tables[bound][i].clipped or lowest[i] > highest[i]
            positives = first.tp + first.fn
            found[bound].append(
                oracle.table_of(steps[i].rank, tp, positives, len(labels), clipped)
            )
    return found

"""Where the point of a true curve may be, by brute force: all pairs of tables around each cutoff.

A labeling passes a goal within one block of tied scores. Each block is tried, and each pair of
whole true positives before and after it that the labels in the block allow, where the band has at
least so many after it, or at most so many before.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

from tests.support.oracles import oracle


def possible_points(
    kind: str,
    goal: float,
    scores: Sequence[float],
    labels: Sequence[Any],
    tables: dict[str, list[oracle.Table]],
) -> list[oracle.Table]:
    """Return all tables that the point can have, by bounds at each cutoff, or at all jointly."""
    steps, found = oracle.cutoffs(scores, labels), []
    size, positives, *_ = tables["lower"][-1]
    least, most = ([table.tp for table in tables[bound]] for bound in ("lower", "upper"))

    def there(place: int, tp: int) -> oracle.Table:
        return oracle.table_of(steps[place].rank, tp, positives, size)

    def meets(place: int, tp: int) -> bool:
        _, tp, fp, fn, tn, _ = there(place, tp)
        part, other = {"recall": (tp, fn), "fpr": (fp, tn), "precision": (tp, fp)}[kind]
        least_part = oracle.decimal(goal) * (part + other)
        return part + other > 0 and (part <= least_part if kind == "fpr" else part >= least_part)

    for before, after in pairwise(range(len(steps))):
        known = steps[after].known_positive - steps[before].known_positive
        free = known + steps[after].unlabeled - steps[before].unlabeled
        here, other = (after, before) if kind == "recall" else (before, after)
        later = range(other, len(steps)) if kind == "precision" else [other]
        if any(meets(place, least[place]) for place in later) or not meets(here, most[here]):
            continue
        unlabeled = steps[-1].unlabeled - steps[here].unlabeled
        below = steps[-1].known_positive - steps[here].known_positive
        for first, gained in product(range(positives + 1), range(known, free + 1)):
            ends = {before: first, after: first + gained}
            tp, hidden = ends[here], positives - ends[here] - below
            fits = steps[here].known_positive <= tp <= most[here] and 0 <= hidden <= unlabeled
            if fits and meets(here, tp) and not meets(other, ends[other]):
                found.append(there(here, tp))
    outside = 0 if kind == "recall" else len(steps) - 1
    if meets(outside, most[outside]):
        found.append(there(outside, most[outside]))
    return found

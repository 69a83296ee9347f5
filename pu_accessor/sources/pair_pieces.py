"""Several models of the same examples, in pieces that no memory holds together -> paired ranks."""

from collections.abc import Hashable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from pu_accessor.counting.placements import Above, PlacementTable, count_above, rank_pairs
from pu_accessor.ranking import Counts, FloatArray, PairedRanks
from pu_accessor.sources.chunks import Pieces
from pu_accessor.sources.first_pass import (
    Labeled,
    Plan,
    Survey,
    group_piece,
    kept_rows,
    read_models,
)
from pu_accessor.sources.pairs import pair_weight
from pu_accessor.sources.refinement import check_same

__all__ = ["pair_pieces", "paired_ranks"]


def pair_pieces(
    pieces: Pieces, plan: Plan, surveyed: Survey
) -> Mapping[Hashable, tuple[Labeled, list[PlacementTable], Above]]:
    """Go through the pieces once, for all groups and models."""
    places = {
        key: [PlacementTable.of(one, _weight(group)) for one in group.positive]
        for key, group in surveyed.groups.items()
    }
    above = pieces.fold(partial(_sum_above, plan, places), _merge, plan.counted())
    found = {}
    for key, group in surveyed.groups.items():
        seen = above.get(key) or count_above(places[key], np.empty((len(plan.models), 0)))
        check_same(pieces, group.size, int(seen.counts[0].sum()))
        for place, some, counts in zip(places[key], group.positive, seen.counts, strict=True):
            own = np.bincount(place.above(some), minlength=counts.size)
            check_same(pieces, some.size, int(np.minimum(own, counts).sum()))
        found[key] = group, places[key], seen
    return found


def paired_ranks(
    models: list[Hashable], group: Labeled, places: list[PlacementTable], above: Above
) -> PairedRanks:
    """Return the paired ranks of one group."""
    ranks, among, covariance = rank_pairs(places, group.positive, above)
    known = group.positive.shape[1], group.negative.shape[1]
    total = Counts(*known, group.size - sum(known))
    by_model, alone = (dict(zip(models, each, strict=True)) for each in (ranks, among))
    return PairedRanks(("model",), by_model, alone, total, covariance, _weight(group))


def _weight(group: Labeled) -> FloatArray | None:
    """Return what the known positives of a group count for."""
    return pair_weight(group.propensity if group.propensity.size else None)


def _sum_above(
    plan: Plan, places: Mapping[Hashable, list[PlacementTable]], frame: pd.DataFrame
) -> dict[Hashable, Above]:
    """Sum over the examples of one piece."""
    if frame.empty:
        return {}
    scores = read_models(plan, frame)
    kept = kept_rows(plan, scores)
    groups, _ = group_piece(plan, frame)
    return {
        key: count_above(places[key], scores[:, rows][:, kept[rows]])
        for key, rows in groups.items()
        if key in places
    }


def _merge(one: dict[Hashable, Above], other: dict[Hashable, Above]) -> dict[Hashable, Above]:
    """Add the sums over two pieces."""
    merged = dict(one)
    for key, above in other.items():
        merged[key] = merged[key].merge(above) if key in merged else above
    return merged

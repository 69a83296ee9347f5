"""Frames in pieces that no memory holds together -> rankings.

A first pass brings the labeled scores to one place, and a sample of the others. A second counts
all scores between them. That is enough for bounds: where these bend, between two scores of the
sample, none are taken to be tied. Ranks and thresholds that are asked for take a third pass over
the few gaps that they lie in. Each pass is one for all groups and models at once. Rows with
weights, counts or clusters, and models in rows, are brought together in one frame instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.checks import check_within
from pu_accessor.counting.cutoffs import rank_counted
from pu_accessor.counting.gaps import (
    Gaps,
    Ordered,
    count_gaps,
    distinct,
    scores_inside,
    sort_scores,
)
from pu_accessor.counting.placements import Above, PlacementTable, count_above
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import (
    Counts,
    FloatArray,
    IntArray,
    Keyed,
    NeedsRefinementError,
    PairedRanks,
    Ranking,
    Rankings,
    Ranks,
)
from pu_accessor.sources.chunks import (
    Chunks,
    FirstPass,
    Part,
    fold_groups,
    read_keys,
    read_labeled,
)
from pu_accessor.sources.columns import check_name, check_scored, join_rows, list_columns
from pu_accessor.sources.frames import FrameSource, Named
from pu_accessor.sources.groups import Groups, name_keys
from pu_accessor.sources.pairs import pair_counted, pair_weight
from pu_accessor.terms import ColumnNames, Terms

GroupModel: TypeAlias = tuple[Hashable, int]  # the key of a group, and the position of a model
Find: TypeAlias = Callable[[Any, Sequence[Ordered]], Any]

_SAMPLE = 1 << 12  # values between which scores are counted, beside the labeled ones, at most


class Passes:
    """What is known of the scores of each group and model, and a pass that fetches some."""

    def __init__(self, pieces: Chunks, roles: Terms, first: FirstPass) -> None:
        self._pieces = pieces
        self._roles = roles
        groups, models = first.groups, range(len(roles.models))
        edges: dict[GroupModel, FloatArray] = {}
        for key, model in ((key, model) for key in groups for model in models):
            values, _ = distinct(groups[key].sample[model])
            known = groups[key].of(model, roles.omits)[:2]
            thin = values[:: 1 + values.size // _SAMPLE]
            edges[key, model] = distinct(np.concatenate([*known, thin]))[0]
        empty = [Ordered.of(np.empty(0))]
        counted = self._pass(edges, count_gaps, Gaps.merge)
        self.gaps = {of: counted.get(of) or count_gaps(edges[of], empty) for of in edges}
        self._fetched: dict[GroupModel, tuple[IntArray, FloatArray]] = {}
        self._wanted: dict[GroupModel, IntArray] = {}
        for (key, model), gaps in self.gaps.items():
            size = int(groups[key].ranked[model])
            check_same(pieces, size, int(gaps.at.sum() + gaps.inside.sum()))
            known = groups[key].of(model, roles.omits)[:2]
            values, number = distinct(np.concatenate(known))
            there = np.take(gaps.at, np.searchsorted(0.0 - gaps.values, 0.0 - values))
            check_same(pieces, int(number.sum()), int(np.minimum(number, there).sum()))

    def fetch(self, of: GroupModel, numbers: IntArray) -> Ordered:
        """Return the scores of a group and model in some gaps, or wait for a pass that does."""
        known, scores = self._fetched.get(of, (numbers[:0], np.empty(0)))
        if not np.isin(numbers, known).all():
            wanted = np.setdiff1d(numbers, known)
            self._wanted[of] = np.union1d(self._wanted.get(of, known[:0]), wanted)
            raise NeedsRefinementError
        return Ordered.of(scores)

    def refine(self) -> None:
        """Go through the pieces once, for all that have to wait, if there are any."""
        if not self._wanted:
            return
        wanted, self._wanted = self._wanted, {}
        probes = {of: (self.gaps[of], numbers) for of, numbers in wanted.items()}
        fetched = self._pass(probes, _fetch, _join)
        for of, numbers in wanted.items():
            scores = fetched.get(of, np.empty(0))
            check_same(self._pieces, int(self.gaps[of].inside[numbers].sum()), scores.size)
            known, before = self._fetched.get(of, (numbers[:0], scores[:0]))
            self._fetched[of] = np.append(known, numbers), np.append(before, scores)

    def _pass(
        self, probes: Mapping[GroupModel, Any], find: Find, join: Callable[[Any, Any], Any]
    ) -> Mapping[Any, Any]:
        """Go through the pieces once."""
        find_each = partial(_find_each, self._roles.omits, probes, find)
        return fold_groups(self._pieces, self._roles, find_each, join)


def _fetch(probe: tuple[Gaps, IntArray], parts: Sequence[Ordered]) -> FloatArray:
    return scores_inside(*probe, parts)


def _join(some: FloatArray, others: FloatArray) -> FloatArray:
    return np.append(some, others)


def _find_each(
    omits: bool, probes: Mapping[GroupModel, Any], find: Find, parts: Sequence[Part]
) -> Iterator[tuple[GroupModel, Any]]:
    """Go through what is found in one piece, of each group and model that it holds."""
    for key, by_model in parts:
        for model, scores in enumerate(by_model):
            if (key, model) in probes:
                kept = scores[~np.isnan(scores)] if omits else scores
                yield (key, model), find(probes[key, model], sort_scores(kept))


def check_same(pieces: Chunks, before: int, now: int) -> None:
    """Raise unless as many scores come as before."""
    if now != before:
        raise PUValueError(
            f"{pieces.name} must hold the same rows each time, but of {before} scores {now} came "
            "when they were read again. Read them from where nothing changes meanwhile, and draw "
            "from a fixed seed what is drawn."
        )


class PiecesSource(FrameSource):
    """A frame in pieces that no memory holds together."""

    def __init__(self, pieces: Chunks, by: Any = None) -> None:
        super().__init__()
        self._pieces = pieces
        self._by = by
        self.name = pieces.name
        self.kind = "pieces" if by is None else "groupby of pieces"

    def rank(self, roles: Terms, ranks: Ranks, *, exact: bool = True) -> Rankings:
        """Rank the rows of all pieces, as a frame of the same rows would.

        Rows with weights, counts or clusters are ranked in one frame.
        """
        if roles.others.keys() - {"propensity"}:
            return super().rank(roles, ranks)
        roles, first, groups = self._first_pass(roles)
        passes = Passes(self._pieces, roles, first)
        check_within(ranks, max(first.groups[key].ranked[model] for key, model in passes.gaps))
        named = {argument: str(name) for argument, name in roles.named()}

        def make(position: int) -> Ranking:
            group, model = divmod(position, len(roles.models))
            of = groups.keys[group], model
            labeled, columns = first.groups[of[0]], {**named, "score": str(roles.models[model])}
            check_scored(columns["score"], int(labeled.ranked[model]))
            *known, propensity = labeled.of(model, roles.omits)
            shares = None if roles.propensity is None else propensity
            fetch = partial(passes.fetch, of)
            ranking = rank_counted(known, passes.gaps[of], fetch, ranks, shares, exact=exact)
            return ranking.with_facts(columns=columns)

        return Rankings(*name_keys(groups, roles), make, passes.refine)

    def pair(self, roles: Terms, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the rows of all pieces by several columns of scores.

        Models in rows, and rows with weights, counts or clusters, are paired in one frame.
        """
        if on is not None or roles.others.keys() - {"propensity"}:
            return super().pair(roles, on)
        roles, first, groups = self._first_pass(roles, paired=True)
        weights = {key: pair_weight(group.propensity) for key, group in first.groups.items()}
        tables = {
            key: [PlacementTable.of(scores, weights[key]) for scores in group.positive]
            for key, group in first.groups.items()
        }
        above = _count_placements(self._pieces, roles, first, tables)

        def make(position: int) -> PairedRanks:
            key = groups.keys[position]
            group = first.groups[key]
            known, by_model = group.positive, tables[key]
            labeled = known.shape[1], group.negative.shape[1]
            total = Counts(*labeled, int(group.ranked[0]) - sum(labeled))
            models = ("model",), roles.models
            return pair_counted(*models, known, by_model, above[key], total, weights[key])

        return Keyed(groups.names, groups.keys, make)

    def rows(self, roles: Terms, named: Named) -> FrameSource:
        """Bring the columns that are named into one frame."""
        there, keys = self._pieces.example().columns, self._by or roles.by
        by = [] if keys is None else keys if isinstance(keys, list) else [keys]
        for argument, name in (named := [*named, *(("by", key) for key in by)]):
            check_name(argument, name, there, "column")
        columns = [*dict.fromkeys(name for _, name in named)]
        frames = self._pieces.fold(_listed, operator.add, columns)
        filled = [frame for frame in frames if len(frame)] or frames[:1]  # whose dtypes count
        frame = join_rows(filled)
        return FrameSource(frame, self._by and frame.groupby(self._by, observed=True))

    def summary(self, roles: Terms) -> dict[str, str]:
        """Name the columns; nothing is counted, which would take a pass over all pieces."""
        return {"columns": list_columns([*self._pieces.example().columns])}

    def _first_pass(self, roles: Terms, paired: bool = False) -> tuple[Terms, FirstPass, Groups]:
        """Return the roles with the keys of a groupby, and what a first pass brings together."""
        roles = roles if self._by is None else roles.update(by=self._by)
        first = read_labeled(self._pieces, roles, paired)
        return roles, first, read_keys(first, roles)


def _listed(frame: pd.DataFrame) -> list[pd.DataFrame]:
    return [frame]


def _count_placements(
    pieces: Chunks, roles: Terms, first: FirstPass, tables: Mapping[Hashable, list[PlacementTable]]
) -> dict[Hashable, Above]:
    """Count the known positives above all examples, of each group by each model, in one pass."""
    count = partial(_count_above, roles.omits, tables)
    above = dict(fold_groups(pieces, roles, count, Above.merge))
    for key, group in first.groups.items():
        if key not in above:
            above[key] = count_above(tables[key], group.positive[:, :0])
        check_same(pieces, int(group.ranked[0]), int(above[key].counts[0].sum()))
        by_model = zip(tables[key], group.positive, above[key].counts, strict=True)
        for table, scores, counts in by_model:
            known = np.bincount(table.above(scores), minlength=counts.size)
            check_same(pieces, scores.size, int(np.minimum(known, counts).sum()))
    return above


def _count_above(
    omits: bool, tables: Mapping[Hashable, list[PlacementTable]], parts: Sequence[Part]
) -> Iterator[tuple[Hashable, Above]]:
    """Count the known positives above the examples of one piece, of each group."""
    for key, scores in parts:
        if key in tables:
            kept = ~(omits & np.isnan(scores).any(axis=0))
            yield key, count_above(tables[key], scores[:, kept].astype(np.float64, copy=False))

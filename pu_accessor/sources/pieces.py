"""Rank and pair the rows of frames in pieces that do not fit into memory.

A first pass collects the labeled scores and a sample of the others; a second counts all scores
between these. That is enough for bounds, which assume no ties between two scores of the sample.
Selected ranks and thresholds take a third pass over the gaps that they lie in. Rows with weights,
counts or clusters, and models in rows, are collected in one frame instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.checks import check_ranks_within
from pu_accessor.counting.cells import Scores
from pu_accessor.counting.cutoffs import Counted, rank_counted
from pu_accessor.counting.placements import (
    PlacementSums,
    PlacementTable,
    pair_ranks,
    sum_placements,
)
from pu_accessor.counting.score_gaps import Gaps, distinct_scores
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import Counts, IntArray, LazyByKey, PairedRanks, Ranking, Rankings, Ranks
from pu_accessor.roles_and_assumptions import ColumnNames, Terms
from pu_accessor.sources.chunks import (
    Chunks,
    FirstPass,
    Part,
    fold_groups,
    read_keys,
    read_labeled,
)
from pu_accessor.sources.column_values import check_scored
from pu_accessor.sources.columns import join_rows, list_columns
from pu_accessor.sources.frames import FrameSource, Named
from pu_accessor.sources.groups import Groups, columns_to_read, name_keys
from pu_accessor.sources.pairs import pair_weight

GroupModel: TypeAlias = tuple[Hashable, int]  # the key of a group, and the position of a model
Result = TypeVar("Result")
Query: TypeAlias = Callable[[Scores], Any]  # of scores in one piece

_MAX_SAMPLE_VALUES = 1 << 12  # between which scores are counted, in addition to labeled ones


class _UnreadError(Exception):
    """Raised where a result waits for another pass over all pieces."""


class Passes:
    """Results of passes over all pieces, each of which serves all groups and models."""

    def __init__(self, pieces: Chunks, roles: Terms, first: FirstPass) -> None:
        self._pieces = pieces
        self._roles = roles
        self._results: dict[tuple[GroupModel, bytes], Any] = {}
        self._pending: dict[GroupModel, tuple[bytes, Query, int]] = {}
        gaps: dict[GroupModel, Gaps] = {}
        for key, model in product(first.groups, range(len(roles.models))):
            labeled = first.groups[key]
            sample, _ = distinct_scores(labeled.sample[model])
            sample = sample[:: 1 + sample.size // _MAX_SAMPLE_VALUES]
            values = np.concatenate([*labeled.of(model, roles.omits)[:2], sample])
            gaps[key, model] = Gaps.of(distinct_scores(values)[0], labeled.sample[model])
        counts = self._pass({of: between.count for of, between in gaps.items()})
        self.counted: dict[GroupModel, Counted] = {}
        for (key, model), found in counts.items():
            of, labeled = (key, model), first.groups[key]
            check_same(pieces, int(labeled.ranked[model]), found.size)
            known = np.concatenate(labeled.of(model, roles.omits)[:2])
            values, number = distinct_scores(known)
            again = np.take(found.at, np.searchsorted(0.0 - found.values, 0.0 - values))
            check_same(pieces, known.size, int(np.minimum(number, again).sum()))
            ask = partial(self._ask, of)
            self.counted[of] = Counted(gaps[of], values, found, ask, in_memory=False)

    def _ask(self, of: GroupModel, gaps: Gaps, numbers: IntArray | None) -> Any:
        """Return what was asked of the scores of a group and model, or raise that it is unread."""
        key = gaps.values.tobytes() + (b"" if numbers is None else numbers.tobytes())
        if (of, key) not in self._results:
            counts = self.counted[of].counts
            query: Query = partial(gaps.count, with_sums=True)
            number = counts.size
            if numbers is not None:
                query, number = partial(gaps.fetch, numbers), int(counts.inside[numbers].sum())
            self._pending[of] = key, query, number
            raise _UnreadError
        return self._results[of, key]

    def visit(
        self, function: Callable[[int], Result], positions: Iterable[int]
    ) -> Iterator[tuple[int, Result]]:
        """Apply a function to positions of rankings; after each pass again to those that wait."""
        waiting = [*positions]
        while waiting:
            later = []
            for position in waiting:
                try:
                    result = function(position)
                except _UnreadError:
                    later.append(position)
                else:
                    yield position, result
            waiting = later
            pending, self._pending = self._pending, {}
            queries = {of: query for of, (_, query, _) in pending.items()}
            for of, result in (self._pass(queries) if queries else {}).items():
                key, _, number = pending[of]
                check_same(self._pieces, number, result.size)
                self._results[of, key] = result

    def _pass(self, queries: Mapping[GroupModel, Query]) -> dict[GroupModel, Any]:
        """Read the pieces once, and return the results of queries."""
        of_piece = partial(_run_queries, self._roles.omits, queries)
        results = fold_groups(self._pieces, self._roles, of_piece)
        none = np.empty(0)
        return {of: results[of] if of in results else query(none) for of, query in queries.items()}


def _run_queries(
    omits: bool, queries: Mapping[GroupModel, Query], parts: Sequence[Part]
) -> Iterator[tuple[GroupModel, Any]]:
    """Yield the results of queries for the groups and models in one piece."""
    for key, by_model in parts:
        for model, scores in enumerate(by_model):
            if (key, model) in queries:
                kept = scores[~np.isnan(scores)] if omits else scores
                yield (key, model), queries[key, model](kept)


def check_same(pieces: Chunks, before: int, now: int) -> None:
    """Raise unless there are as many scores as in the pass before."""
    if now != before:
        raise PUValueError(
            f"{pieces.name} must contain the same rows each time, but of {before} scores {now} "
            "came when they were read again. Read rows that do not change, and draw random ones "
            "from a fixed seed."
        )


class PiecesSource(FrameSource):
    """A frame in pieces that do not fit into memory."""

    def __init__(self, pieces: Chunks, by: Any = None) -> None:
        super().__init__()
        self._pieces = pieces
        self._by = by
        self.name = pieces.name
        self.kind = "pieces" if by is None else "groupby of pieces"

    def rank(self, roles: Terms, ranks: Ranks) -> Rankings:
        """Rank the rows of all pieces, with the results of a frame of the same rows."""
        if roles.others.keys() - {"propensity"}:
            return super().rank(roles, ranks)
        roles, first, groups = self._first_pass(roles)
        passes = Passes(self._pieces, roles, first)
        most = max(first.groups[key].ranked[model] for key, model in passes.counted)
        check_ranks_within(ranks, most)
        named = {argument: str(name) for argument, name in roles.named()}

        def make(position: int) -> Ranking:
            group, model = divmod(position, len(roles.models))
            of = groups.keys[group], model
            labeled, columns = first.groups[of[0]], {**named, "score": str(roles.models[model])}
            check_scored(columns["score"], int(labeled.ranked[model]))
            *known, propensity = labeled.of(model, roles.omits)
            known_propensity = None if roles.propensity is None else propensity
            ranking = rank_counted(known, passes.counted[of], ranks, known_propensity)
            return ranking.with_fields(columns=columns)

        return Rankings(*name_keys(groups, roles), make, passes.visit)

    def pair(self, roles: Terms, on: ColumnNames | None) -> LazyByKey[PairedRanks]:
        """Pair models in columns of scores."""
        if on is not None or roles.others.keys() - {"propensity"}:
            return super().pair(roles, on)
        roles, first, groups = self._first_pass(roles, paired=True)
        weights = {key: pair_weight(group.propensity) for key, group in first.groups.items()}
        tables = {
            key: [
                PlacementTable.of(*of, weights[key])
                for of in zip(group.positive, group.sample, strict=True)
            ]
            for key, group in first.groups.items()
        }
        above = _sum_placements(self._pieces, roles, first, tables)

        def make(position: int) -> PairedRanks:
            key = groups.keys[position]
            group = first.groups[key]
            labeled = group.positive.shape[1], group.negative.shape[1]
            total = Counts(*labeled, int(group.ranked[0]) - sum(labeled))
            counted = tables[key], group.positive, above[key], total
            paired = pair_ranks(("model",), roles.models, *counted)
            return paired._replace(known_weight=weights[key])

        return LazyByKey(groups.names, groups.keys, make)

    def rows(self, roles: Terms, named: Named) -> FrameSource:
        """Collect the named columns in one frame."""
        columns = columns_to_read(self._pieces.example(), self._with_keys(roles), named)
        frames = self._pieces.fold(_in_list, operator.add, columns)
        # The dtypes of empty frames do not matter.
        frame = join_rows([frame for frame in frames if len(frame)] or frames[:1])
        return FrameSource(frame, self._by and frame.groupby(self._by, observed=True))

    def summary(self, roles: Terms) -> dict[str, str]:
        """Return the names of columns; counts would take a pass over all pieces."""
        return {"columns": list_columns([*self._pieces.example().columns])}

    def _with_keys(self, roles: Terms) -> Terms:
        """Return the roles with the keys of a groupby."""
        return roles if self._by is None else roles.update(by=self._by)

    def _first_pass(self, roles: Terms, paired: bool = False) -> tuple[Terms, FirstPass, Groups]:
        """Return the roles with the keys of a groupby, the first pass, and the groups."""
        roles = self._with_keys(roles)
        first = read_labeled(self._pieces, roles, paired)
        return roles, first, read_keys(first, roles)


def _in_list(frame: pd.DataFrame) -> list[pd.DataFrame]:
    return [frame]


def _sum_placements(
    pieces: Chunks, roles: Terms, first: FirstPass, tables: Mapping[Hashable, list[PlacementTable]]
) -> dict[Hashable, PlacementSums]:
    """Sum the known positives above all examples by group, in one pass."""
    count = partial(_sum_parts, roles.omits, tables)
    above = dict(fold_groups(pieces, roles, count))
    for key, group in first.groups.items():
        if key not in above:
            above[key] = sum_placements(tables[key], group.positive[:, :0])
        check_same(pieces, int(group.ranked[0]), int(above[key].counts[0].sum()))
        by_model = zip(tables[key], group.positive, above[key].counts, strict=True)
        for table, scores, counts in by_model:
            known = np.bincount(table.above(scores), minlength=counts.size)
            check_same(pieces, scores.size, int(np.minimum(known, counts).sum()))
    return above


def _sum_parts(
    omits: bool, tables: Mapping[Hashable, list[PlacementTable]], parts: Sequence[Part]
) -> Iterator[tuple[Hashable, PlacementSums]]:
    """Yield the sums over the examples of each group in one piece."""
    for key, scores in parts:
        if key in tables:
            kept = ~(omits & np.isnan(scores).any(axis=0))
            yield key, sum_placements(tables[key], scores[:, kept].astype(np.float64, copy=False))

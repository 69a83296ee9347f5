"""Clusters of rows in pieces: their ids from the first pass, sums by cluster from further ones.

A ranking that asks for sums has to wait, as for refined counts: the next pass adds up what all
rankings asked for. Nothing but ids and sums by cluster leaves a piece.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.counting.clusters import RowClusters, order_known
from pu_accessor.ranking import FloatArray, IntArray, NeedsRefinementError
from pu_accessor.sources.chunks import Pieces, merge_each
from pu_accessor.sources.first_pass import FirstPass, read_piece_labels, split_piece
from pu_accessor.sources.refinement import GroupModel, check_same
from pu_accessor.sources.roles import Roles


class _Steps(NamedTuple):
    """What examples contribute, by the step of a ranking that they are in."""

    threshold: FloatArray
    known: FloatArray
    rest: FloatArray

    @property
    def key(self) -> tuple[bytes, ...]:
        """What is equal where the same is asked again."""
        return tuple(values.tobytes() for values in self)


_COUNT = _Steps(np.array([np.inf, np.nan]), np.ones(1), np.ones(1))

_Asked: TypeAlias = tuple[GroupModel, tuple[bytes, ...]]
_Wanted: TypeAlias = Mapping[Hashable, Mapping[int, Mapping[tuple[bytes, ...], _Steps]]]


class _Sums(NamedTuple):
    """Sums by cluster of the rows of some pieces."""

    rows: int
    sums: FloatArray  # (2, clusters of the group)

    def merge(self, other: _Sums) -> _Sums:
        """Add the sums of other rows."""
        return _Sums(self.rows + other.rows, self.sums + other.sums)


class ClusterSums:
    """Sums by cluster of each group and model, and the passes over all pieces that make them."""

    def __init__(self, pieces: Pieces, roles: Roles, first: FirstPass) -> None:
        self._pieces = pieces
        self._roles = roles
        self._groups = first.groups
        of_groups = ((key, group.members) for key, group in first.groups.items())
        self.members = {key: members for key, members in of_groups if members is not None}
        self._wanted: dict[Hashable, dict[int, dict[tuple[bytes, ...], _Steps]]] = {}
        self._answers: dict[_Asked, FloatArray] = {}

    def of(self, of: GroupModel) -> PieceClusters:
        """Return the clusters of a group, as a model ranks it."""
        return PieceClusters(self, of)

    @cached_property
    def _ids(self) -> pd.Index:
        """The ids of all groups, each once."""
        ids = [members.ids for members in self.members.values()]
        return reduce(pd.Index.append, ids).unique()

    @cached_property
    def _positions(self) -> dict[Hashable, IntArray]:
        """Where the ids of each group are among all."""
        return {key: self._ids.get_indexer(each.ids) for key, each in self.members.items()}

    def of_known(self, of: GroupModel) -> IntArray:
        """Return the number of each known positive's cluster, best-ranked first."""
        key, model = of
        scores = self._groups[key].positive[model]
        kept = ~(self._roles.omits & np.isnan(scores))
        code = self._positions[key][self.members[key].known[kept]]
        ordered: IntArray = code[order_known(scores[kept], code)]
        return ordered

    def ask(self, of: GroupModel, steps: _Steps) -> FloatArray:
        """Return sums by cluster, of the ids of all groups, or say that they take a pass."""
        key, model = of
        sums = self._answers.get((of, steps.key))
        if sums is None:
            asked = self._wanted.setdefault(key, {}).setdefault(model, {})
            asked |= {each.key: each for each in (steps, _COUNT)}  # both in one pass
            raise NeedsRefinementError
        everywhere = np.zeros((2, self._ids.size))
        everywhere[:, self._positions[key]] = sums
        return everywhere

    def refine(self) -> None:
        """Go through the pieces once, for all that have to wait."""
        if not self._wanted:
            return
        wanted, self._wanted = self._wanted, {}
        ids = {key: self.members[key].ids for key in wanted}
        columns = list(
            dict.fromkeys([*(name for _, name in self._roles.named()), *self._roles.keys])
        )
        added = self._pieces.fold(
            partial(_add_piece, self._roles, ids, wanted), merge_each, columns
        )
        for key, by_model in wanted.items():
            for model, asked in by_model.items():
                ranked = int(self._groups[key].ranked[model])
                for question in asked:
                    of = (key, model), question
                    empty = _Sums(0, np.zeros((2, ids[key].size)))
                    rows, self._answers[of] = added.get(of, empty)
                    check_same(self._pieces, ranked, rows)


@dataclass(frozen=True, eq=False)
class PieceClusters:
    """The clusters of a group of rows in pieces, as a model ranks it."""

    _all: ClusterSums
    _of: GroupModel

    alone = False
    known_weight = None

    @property
    def number(self) -> int:
        """Clusters that hold a row."""
        key, model = self._of
        return int(np.count_nonzero(self._all.members[key].ranked[model]))

    @property
    def with_positive(self) -> int:
        """Clusters that hold a known positive."""
        return int(np.unique(self.of_known).size)

    @cached_property
    def of_known(self) -> IntArray:
        """The number of each known positive's cluster, best-ranked first."""
        return self._all.of_known(self._of)

    @property
    def sizes(self) -> IntArray:
        """Known positives, and other rows, in each cluster."""
        return self._all.ask(self._of, _COUNT).astype(np.int64)

    def sums(self, threshold: FloatArray, known: FloatArray, rest: FloatArray) -> FloatArray:
        """Sum by cluster what rows contribute: see `pu_accessor.ranking.Clusters`."""
        return self._all.ask(self._of, _Steps(threshold, known, rest))


def _add_piece(
    roles: Roles, ids: Mapping[Hashable, pd.Index], wanted: _Wanted, frame: pd.DataFrame
) -> Mapping[_Asked, _Sums]:
    """Return the sums of one piece, of each group and model that it holds."""
    return {} if frame.empty else dict(_each_of_piece(roles, ids, wanted, frame))


def _each_of_piece(
    roles: Roles, ids: Mapping[Hashable, pd.Index], wanted: _Wanted, frame: pd.DataFrame
) -> Iterator[tuple[_Asked, _Sums]]:
    """Go through the sums of one piece."""
    positive = read_piece_labels(frame[roles.label], roles).positive
    for key, (rows, scores, code) in split_piece(roles, ids, frame):
        for model, asked in wanted[key].items():
            score = scores[model]
            ranked = score, positive[rows], code
            # A row of an id that was not there is left out, and missed when rows are counted.
            kept = (code >= 0) & ~(roles.omits & np.isnan(score))
            if not kept.all():
                ranked = score[kept], positive[rows][kept], code[kept]
            clusters = RowClusters(*ranked, ids[key].size)
            for question, steps in asked.items():
                yield ((key, model), question), _Sums(ranked[0].size, clusters.sums(*steps))

"""Frames in pieces that no memory holds together -> rankings.

A first pass brings the labeled scores to one place, and a sample of the others. A second counts
all scores between them. That is enough for bounds: where these bend, between two scores of the
sample, none are taken to be tied. Ranks and thresholds that are asked for take a third pass over
the few gaps that they lie in. Each pass is one for all groups and models at once. Rows with
weights, counts or clusters, and models in rows, are brought together in one frame instead.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.checks import check_ranks_within
from pu_accessor.counting.cutoffs import rank_counted
from pu_accessor.counting.placements import PlacementSums, PlacementTable, sum_placements
from pu_accessor.counting.score_gaps import (
    GapCounts,
    SortedScores,
    count_gaps,
    distinct_scores,
    scores_inside,
    sort_scores,
)
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import (
    Counts,
    FloatArray,
    IntArray,
    LazyByKey,
    NeedsAnotherPassError,
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
Probe: TypeAlias = "partial[Any]"  # what a pass finds among sorted scores

_SAMPLE = 1 << 12  # values between which scores are counted, beside the labeled ones, at most


class Passes:
    """What is known of the scores of each group and model, and passes that find out more."""

    def __init__(self, pieces: Chunks, roles: Terms, first: FirstPass) -> None:
        self._pieces = pieces
        self._roles = roles
        groups, models = first.groups, range(len(roles.models))
        probes: dict[GroupModel, Probe] = {}
        for key, model in ((key, model) for key in groups for model in models):
            values, _ = distinct_scores(groups[key].sample[model])
            known = groups[key].of(model, roles.omits)[:2]
            thin = values[:: 1 + values.size // _SAMPLE]
            probes[key, model] = partial(
                count_gaps, distinct_scores(np.concatenate([*known, thin]))[0]
            )
        self.gaps: dict[GroupModel, GapCounts] = self._pass(probes)
        self._found: dict[tuple[GroupModel, bytes], Any] = {}
        self._wanted: dict[GroupModel, tuple[bytes, Probe, int]] = {}
        for (key, model), gaps in self.gaps.items():
            size = int(groups[key].ranked[model])
            check_same(pieces, size, _number(gaps))
            known = groups[key].of(model, roles.omits)[:2]
            values, number = distinct_scores(np.concatenate(known))
            there = np.take(gaps.at, np.searchsorted(0.0 - gaps.values, 0.0 - values))
            check_same(pieces, int(number.sum()), int(np.minimum(number, there).sum()))

    def count(self, of: GroupModel, values: FloatArray) -> GapCounts:
        """Count the scores of a group and model at and between some values."""
        gaps: GapCounts = self._find(
            of, values, partial(count_gaps, values), _number(self.gaps[of])
        )
        return gaps

    def fetch(self, of: GroupModel, numbers: IntArray) -> SortedScores:
        """Return the scores of a group and model in some gaps."""
        gaps = self.gaps[of]
        inside = partial(scores_inside, gaps.values, numbers)
        return SortedScores.of(self._find(of, numbers, inside, int(gaps.inside[numbers].sum())))

    def _find(self, of: GroupModel, asked: Any, probe: Probe, number: int) -> Any:
        """Return what a pass has found, or wait for it; it will be of so many scores."""
        key = probe.func.__name__.encode() + asked.tobytes()
        if (of, key) not in self._found:
            self._wanted[of] = key, probe, number
            raise NeedsAnotherPassError
        return self._found[of, key]

    def refine(self) -> None:
        """Go through the pieces once, for all that have to wait, if there are any."""
        wanted, self._wanted = self._wanted, {}
        found = self._pass({of: probe for of, (_, probe, _) in wanted.items()}) if wanted else {}
        for of, content in found.items():
            key, _, number = wanted[of]
            check_same(self._pieces, number, _number(content))
            self._found[of, key] = content

    def _pass(self, probes: Mapping[GroupModel, Probe]) -> dict[GroupModel, Any]:
        """Go through the pieces once."""
        find = partial(_find_each, self._roles.omits, probes)
        found = fold_groups(self._pieces, self._roles, find, _join)
        none = [SortedScores.of(np.empty(0))]
        return {of: found[of] if of in found else probe(none) for of, probe in probes.items()}


def _number(content: GapCounts | FloatArray) -> int:
    """Return how many scores were counted, or fetched."""
    if isinstance(content, GapCounts):
        return int(content.at.sum() + content.inside.sum())
    return content.size


def _join(some: Any, others: Any) -> Any:
    """Add counts, or put scores together."""
    return some.merge(others) if isinstance(some, GapCounts) else np.append(some, others)


def _find_each(
    omits: bool, probes: Mapping[GroupModel, Probe], parts: Sequence[Part]
) -> Iterator[tuple[GroupModel, Any]]:
    """Go through what is found in one piece, of each group and model that it holds."""
    for key, by_model in parts:
        for model, scores in enumerate(by_model):
            if (key, model) in probes:
                kept = scores[~np.isnan(scores)] if omits else scores
                yield (key, model), probes[key, model](sort_scores(kept))


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
        """Rank the rows of all pieces, as a frame of the same rows would."""
        if roles.others.keys() - {"propensity"}:
            return super().rank(roles, ranks)
        roles, first, groups = self._first_pass(roles)
        passes = Passes(self._pieces, roles, first)
        check_ranks_within(
            ranks, max(first.groups[key].ranked[model] for key, model in passes.gaps)
        )
        named = {argument: str(name) for argument, name in roles.named()}

        def make(position: int) -> Ranking:
            group, model = divmod(position, len(roles.models))
            of = groups.keys[group], model
            labeled, columns = first.groups[of[0]], {**named, "score": str(roles.models[model])}
            check_scored(columns["score"], int(labeled.ranked[model]))
            *known, propensity = labeled.of(model, roles.omits)
            shares = None if roles.propensity is None else propensity
            more = partial(passes.count, of), partial(passes.fetch, of)
            ranking = rank_counted(known, passes.gaps[of], *more, ranks, shares, exact=exact)
            return ranking.with_fields(columns=columns)

        return Rankings(*name_keys(groups, roles), make, passes.refine)

    def pair(self, roles: Terms, on: ColumnNames | None) -> LazyByKey[PairedRanks]:
        """Rank the rows of all pieces by several columns of scores."""
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

        return LazyByKey(groups.names, groups.keys, make)

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
) -> dict[Hashable, PlacementSums]:
    """Count the known positives above all examples, of each group by each model, in one pass."""
    count = partial(_count_above, roles.omits, tables)
    above = dict(fold_groups(pieces, roles, count, PlacementSums.merge))
    for key, group in first.groups.items():
        if key not in above:
            above[key] = sum_placements(tables[key], group.positive[:, :0])
        check_same(pieces, int(group.ranked[0]), int(above[key].counts[0].sum()))
        by_model = zip(tables[key], group.positive, above[key].counts, strict=True)
        for table, scores, counts in by_model:
            known = np.bincount(table.above(scores), minlength=counts.size)
            check_same(pieces, scores.size, int(np.minimum(known, counts).sum()))
    return above


def _count_above(
    omits: bool, tables: Mapping[Hashable, list[PlacementTable]], parts: Sequence[Part]
) -> Iterator[tuple[Hashable, PlacementSums]]:
    """Count the known positives above the examples of one piece, of each group."""
    for key, scores in parts:
        if key in tables:
            kept = ~(omits & np.isnan(scores).any(axis=0))
            yield key, sum_placements(tables[key], scores[:, kept].astype(np.float64, copy=False))

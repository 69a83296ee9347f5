"""Frames in pieces that no memory holds together -> rankings.

A first pass brings the labeled scores to one place, a second counts all scores between them. The
curves' corners take a further pass over the few gaps that they lie in. Each pass is one for all
groups and models at once, see `refinement.py`. Nothing but labeled scores, counts and
the scores of these gaps leaves a piece.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import itemgetter
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.checks import check_within
from pu_accessor.counting.cutoffs import Examples, rank_counted
from pu_accessor.counting.gaps import Gaps, close, count_gaps, distinct
from pu_accessor.counting.order_statistics import (
    OrderStatistics,
    order_statistics,
    scores_inside,
    split,
    with_edges,
)
from pu_accessor.counting.placements import (
    Above,
    PlacementTable,
    RowClusters,
    count_above,
    order_known,
)
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import (
    Annotated,
    BoolArray,
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
    FirstPass,
    Members,
    Part,
    Pieces,
    find_code,
    fold_groups,
    read_keys,
    read_labeled,
    read_piece_labels,
)
from pu_accessor.sources.columns import check_name, check_scored, find_ids, join_rows, list_columns
from pu_accessor.sources.frames import FrameSource, Source
from pu_accessor.sources.groups import Groups, name_keys
from pu_accessor.sources.pairs import pair_counted, pair_weight
from pu_accessor.terms import ColumnNames, Terms

GroupModel: TypeAlias = tuple[Hashable, int]  # the key of a group, and the position of a model

_FETCHED = 1 << 21  # scores that one pass fetches; further gaps are split instead
_OUTER = 1 << 12  # values, at most, by which the first pass splits the outer gaps
_EDGES = 1 << 20  # values by which one pass splits gaps


class _Wanted(NamedTuple):
    """What is to be found out about some gaps: counts about more values in them, or all scores."""

    gaps: IntArray  # their numbers
    edges: FloatArray | None

    def after(self, before: _Wanted | None) -> _Wanted:
        """Put together what one pass finds; if it does not find both, the first comes first."""
        if before is None:
            return self
        if self.edges is None and before.edges is None:
            return _Wanted(np.union1d(before.gaps, self.gaps), None)
        return before


class _Counted(NamedTuple):
    """What a pass finds: how many scores there are, and counts or all scores of some gaps."""

    size: int
    content: Any  # Gaps, or scores that were fetched

    def merge(self, other: _Counted) -> _Counted:
        """Add counts, or put scores together."""
        size, content = self.size + other.size, self.content
        if isinstance(content, Gaps):
            return _Counted(size, content.merge(other.content))
        return _Counted(size, np.concatenate([content, other.content]))


class _Probe(NamedTuple):
    """What a pass counts of the scores of one group and model."""

    values: FloatArray  # distinct, best first: scores are counted about them
    fetched: IntArray | None = None  # gaps, all scores in which are fetched instead

    def apply(self, scores: FloatArray) -> _Counted:
        """Return what is found among the scores of one piece."""
        if self.fetched is None:
            return _Counted(scores.size, count_gaps(self.values, scores))
        return _Counted(scores.size, scores_inside(self.values, self.fetched, scores))


class Refinement:
    """What is known of the scores of each group and model, and passes that find out more.

    The first of these passes counts all scores about some distinct values, best first, and about
    those of a sample that lie beyond: there are too many to fetch where few are labeled. `sizes`
    are the numbers of scores.
    """

    def __init__(
        self,
        pieces: Pieces,
        roles: Terms,
        values: Mapping[GroupModel, FloatArray],
        sizes: Mapping[GroupModel, int],
        samples: Mapping[GroupModel, FloatArray],
    ) -> None:
        self._pieces = pieces
        self._roles = roles
        self._sizes = sizes
        probes = {of: _Probe(_with_outer(each, samples[of])) for of, each in values.items()}
        counted: dict[GroupModel, Gaps] = self._count(probes)
        self.gaps = {of: gaps.about(values[of]) for of, gaps in counted.items()}
        self._known = {of: gaps.closed() for of, gaps in counted.items()}
        self._wanted: dict[GroupModel, _Wanted] = {}

    def above(self, of: GroupModel, values: FloatArray) -> IntArray:
        """Count the scores of a group and model at or above some values."""
        known = self._known[of]
        better, is_known = _find(known.values, values)
        if known.inside[better[~is_known]].any():
            self._wait(of, values)
        _, through = known.blocks()
        return through[2 * better + is_known]

    def best(self, of: GroupModel, targets: IntArray, gaps: Gaps) -> OrderStatistics:
        """Return the n-th best scores of a group and model for some n, as `order_statistics`."""
        wait = partial(self._wait, of)
        return order_statistics(targets, split(gaps, self._known[of]), wait, wait)

    def _wait(self, of: GroupModel, values: FloatArray, gaps: IntArray | None = None) -> NoReturn:
        """Say that counts about values, or all scores in some gaps, take a further pass."""
        edges = None
        if gaps is None:
            above, is_known = _find(self._known[of].values, values)
            gaps, edges = np.unique(above[~is_known]), values[~is_known]
        self._wanted[of] = _Wanted(gaps, edges).after(self._wanted.get(of))
        raise NeedsRefinementError

    def refine(self) -> None:
        """Go through the pieces once, for all that have to wait, if there are any."""
        if not self._wanted:
            return
        wanted, self._wanted = self._limited(), {}
        probes = {of: _focus(self._known[of], want) for of, want in wanted.items()}
        for of, content in self._count(probes).items():
            learn = close if wanted[of].edges is None else _learn
            known = learn(self._known[of], wanted[of].gaps, content)
            check_same(self._pieces, self._sizes[of], int(known.at.sum() + known.inside.sum()))
            self._known[of] = known

    def _limited(self) -> dict[GroupModel, _Wanted]:
        """Return what is wanted, with limits on what one pass finds.

        Where gaps hold too many scores in all, most are split before what is left is fetched.
        """
        wanted = dict(self._wanted)
        sizes = {
            of: int(self._known[of].inside[want.gaps].sum())
            for of, want in wanted.items()
            if want.edges is None
        }
        fetched = 0
        for of, size in sorted(sizes.items(), key=itemgetter(1)):
            fetched += size
            if fetched > _FETCHED:
                edges = with_edges(self._known[of], wanted[of].gaps)
                is_new = ~_find(self._known[of].values, edges)[1]
                wanted[of] = wanted[of]._replace(edges=edges[is_new])
        total = sum(want.edges.size for want in wanted.values() if want.edges is not None)
        step = -(-total // _EDGES)
        return {of: _thin(self._known[of], want, step) for of, want in wanted.items()}

    def _count(self, probes: Mapping[GroupModel, _Probe]) -> dict[GroupModel, Any]:
        """Go through the pieces once."""
        count = partial(_count_parts, self._roles.omits, probes)
        counted = fold_groups(self._pieces, self._roles, count)
        contents = {}
        for of, probe in probes.items():
            size, contents[of] = counted.get(of) or probe.apply(np.empty(0))
            check_same(self._pieces, self._sizes[of], size)
        return contents


def _with_outer(values: FloatArray, sample: FloatArray) -> FloatArray:
    """Return distinct values with the scores of a sample that lie beyond them, not too many."""
    present = values[~np.isnan(values)]
    if not present.size:
        return values
    outer, _ = distinct(sample[(sample > present[0]) | (sample < present[-1])])
    return distinct(np.concatenate([values, outer[:: 1 + outer.size // _OUTER]]))[0]


def check_same(pieces: Pieces, before: int, now: int) -> None:
    """Raise unless as many scores come as before."""
    if now != before:
        raise PUValueError(
            f"{pieces.name} must hold the same rows each time, but of {before} scores {now} came "
            "when they were read again. Read them from where nothing changes meanwhile, and draw "
            "from a fixed seed what is drawn."
        )


def _find(values: FloatArray, wanted: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return how many values are better than each wanted one, and whether it is among them."""
    better, through = (
        np.searchsorted(0.0 - values, 0.0 - wanted, side=side) for side in ("left", "right")
    )
    return better.astype(np.int64), through > better


def _thin(known: Gaps, want: _Wanted, step: int) -> _Wanted:
    """Leave out some of many edges; not the worst score of a gap, so that ties get settled."""
    if want.edges is None or step <= 1:
        return want
    kept = np.isin(want.edges, known.lowest[want.gaps]) | np.isnan(want.edges)
    kept[::step] = True
    return want._replace(edges=want.edges[kept])


def _focus(known: Gaps, want: _Wanted) -> _Probe:
    """Return what to count: nothing of the values but those about the gaps needs to travel."""
    upper = known.values[want.gaps[want.gaps > 0] - 1]
    lower = known.values[want.gaps[want.gaps < known.values.size]]
    if want.edges is not None:
        return _Probe(distinct(np.concatenate([upper, lower, want.edges]))[0])
    values, _ = distinct(np.concatenate([upper, lower]))
    last = np.full(want.gaps.size - lower.size, values.size)
    return _Probe(values, np.append(_find(values, lower)[0], last))


def _learn(known: Gaps, refined: IntArray, counted: Gaps) -> Gaps:
    """Return what is known when some gaps have been refined."""
    above, is_known = _find(known.values, counted.values)
    new = np.flatnonzero(~is_known)
    before = above[new]
    values = np.insert(known.values, before, counted.values[new])
    at = np.insert(known.at, before, counted.at.take(new))
    inside, lowest = np.insert(known.inside, before, 0), np.insert(known.lowest, before, np.inf)
    is_refined = np.zeros(known.inside.size, np.bool_)
    is_refined[refined] = True
    is_refined = np.insert(is_refined, before, True)
    # A gap has the number of the value below it; both its ends are among those that were counted.
    below = np.append(_find(counted.values, values)[0], counted.values.size)[is_refined]
    inside[is_refined], lowest[is_refined] = counted.inside[below], counted.lowest[below]
    return Gaps(values, at, inside, lowest)


def _count_parts(
    omits: bool, probes: Mapping[GroupModel, _Probe], _: pd.DataFrame, parts: Sequence[Part]
) -> Iterator[tuple[GroupModel, _Counted]]:
    """Go through what is found in one piece, of each group and model that it holds."""
    for key, _rows, by_model in parts:
        for model, scores in enumerate(by_model):
            if (key, model) in probes:
                kept = scores[~np.isnan(scores)] if omits else scores
                yield (key, model), probes[key, model].apply(kept)


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
_Asking: TypeAlias = dict[GroupModel, dict[tuple[bytes, ...], _Steps]]


class _Sums(NamedTuple):
    """Sums by cluster of the rows of some pieces."""

    rows: int
    sums: FloatArray  # (2, clusters of the group)

    def merge(self, other: _Sums) -> _Sums:
        """Add the sums of other rows."""
        return _Sums(self.rows + other.rows, self.sums + other.sums)


class ClusterSums:
    """Sums by cluster of each group and model, and the passes over all pieces that make them."""

    def __init__(self, pieces: Pieces, roles: Terms, first: FirstPass) -> None:
        self._pieces = pieces
        self._roles = roles
        self._groups = first.groups
        self.members = first.members
        self._wanted: _Asking = {}
        self._answers: dict[_Asked, FloatArray] = {}

    @cached_property
    def _ids(self) -> pd.Index:
        """The ids of all groups, each once."""
        return reduce(pd.Index.append, [each.ids for each in self.members.values()]).unique()

    @cached_property
    def _positions(self) -> dict[Hashable, IntArray]:
        """Where the ids of each group are among all."""
        return {key: self._ids.get_indexer(each.ids) for key, each in self.members.items()}

    def of_known(self, of: GroupModel) -> IntArray:
        """Return the number of each known positive's cluster, best-ranked first."""
        key, model = of
        scores = self._groups[key].positive[model]
        kept = ~(self._roles.omits & np.isnan(scores))
        code: IntArray = self._positions[key][self.members[key].known[kept]]
        return code[order_known(scores[kept], code)]

    def ask(self, of: GroupModel, steps: _Steps) -> FloatArray:
        """Return sums by cluster, of the ids of all groups, or say that they take a pass."""
        sums = self._answers.get((of, steps.key))
        if sums is None:
            asked = self._wanted.setdefault(of, {})
            asked |= {each.key: each for each in (steps, _COUNT)}  # both in one pass
            raise NeedsRefinementError
        everywhere = np.zeros((2, self._ids.size))
        everywhere[:, self._positions[of[0]]] = sums
        return everywhere

    def refine(self) -> None:
        """Go through the pieces once, for all that have to wait."""
        if not self._wanted:
            return
        wanted, self._wanted = self._wanted, {}
        ids = {key: self.members[key].ids for key, _ in wanted}
        add = partial(_sum_parts, self._roles, ids, wanted)
        names = self._roles.label, self._roles.cluster
        added = fold_groups(self._pieces, self._roles, add, names)
        for of, asked in wanted.items():
            key, model = of
            ranked = int(self._groups[key].ranked[model])
            for question in asked:
                empty = _Sums(0, np.zeros((2, ids[key].size)))
                rows, self._answers[of, question] = added.get((of, question), empty)
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


def _sum_parts(
    roles: Terms,
    ids: Mapping[Hashable, pd.Index],
    wanted: _Asking,
    frame: pd.DataFrame,
    parts: Sequence[Part],
) -> Iterator[tuple[_Asked, _Sums]]:
    """Go through the sums of one piece, of each group and model that it holds."""
    positive = read_piece_labels(frame[roles.label], roles).positive
    of_piece = find_ids(frame[roles.cluster])
    for key, rows, scores in parts:
        if key not in ids:
            continue
        code = find_code(ids[key], of_piece, rows)
        for model, score in enumerate(scores):
            kept = (code >= 0) & ~(roles.omits & np.isnan(score))
            ranked = score[kept].astype(np.float64), positive[rows][kept], code[kept]
            clusters = RowClusters(*ranked, ids[key].size)
            for question, steps in wanted.get((key, model), {}).items():
                yield ((key, model), question), _Sums(code[kept].size, clusters.sums(*steps))


class PiecesSource(Source):
    """A frame in pieces that no memory holds together."""

    def __init__(self, pieces: Pieces, by: Any = None) -> None:
        self._pieces = pieces
        self._by = by
        self.name, self.kind = pieces.name, "data in chunks"

    def rank(self, roles: Terms, ranks: Ranks) -> Rankings:
        """Rank the rows of all pieces, as a frame of the same rows would: see `Source`.

        Raises if `ranks` is "all": all cutoffs take all scores in one place.
        """
        if roles.weight is not None:
            source, roles = self._together(roles)
            return source.rank(roles, ranks)
        roles, first, groups = self._first_pass(roles)
        refinement = _count_all(self._pieces, roles, first)
        sums, clustered = ClusterSums(self._pieces, roles, first), roles.cluster is not None
        check_within(ranks, max(first.groups[key].ranked[model] for key, model in refinement.gaps))
        named = {argument: str(name) for argument, name in roles.named()}

        def make(position: int) -> Ranking:
            group, model = divmod(position, len(roles.models))
            of = groups.keys[group], model
            examples = _examples(refinement, roles, first, of)
            columns = {**named, "score": str(roles.models[model])}
            ranking = rank_counted(examples, refinement.gaps[of], ranks=ranks, columns=columns)
            return ranking.with_facts(clusters=PieceClusters(sums, of)) if clustered else ranking

        def refine() -> None:
            refinement.refine()
            sums.refine()

        return Rankings(*name_keys(groups, roles), make, refine)

    def pair(self, roles: Terms, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the rows of all pieces by several columns of scores: see `Source`.

        Models in rows, and rows with weights, are paired in one frame.
        """
        if on is not None or roles.weight is not None:
            identity = on if isinstance(on, list) else [] if on is None else [on]
            source, roles = self._together(roles, *identity)
            return source.pair(roles, on)
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
            known = group.positive.shape[1], group.negative.shape[1]
            total, by_model = Counts(*known, group.size - sum(known)), group.positive
            of_known = group.members and group.members.known
            return pair_counted(
                roles.models, by_model, tables[key], above[key], total, weights[key], of_known
            )

        return Keyed(groups.names, groups.keys, make)

    def annotate(
        self, roles: Terms, wave: Hashable | None, strata: Hashable | None
    ) -> Keyed[Annotated]:
        """Rank the rows of all pieces, brought together in one frame: see `Source`."""
        named = [name for name in (wave, strata) if name is not None]
        source, roles = self._together(roles, *named)
        return source.annotate(roles, wave, strata)

    def _together(self, roles: Terms, *more: Hashable) -> tuple[FrameSource, Terms]:
        """Bring the columns that are named into one frame: rows with weights are sorted there."""
        if self._by is not None:
            roles = roles.update(by=self._by)
        there = self._pieces.example().columns
        named = [*roles.named(), *(("by", key) for key in roles.keys)]
        for argument, name in [*named, *(("columns", other) for other in more)]:
            check_name(argument, name, there, "column")
        columns = dict.fromkeys([*(name for _, name in roles.named()), *roles.keys, *more])
        frames: list[pd.DataFrame] = self._pieces.fold(_listed, operator.add, [*columns])
        filled = [frame for frame in frames if len(frame)] or frames[:1]  # whose dtypes count
        return FrameSource(join_rows(filled)), roles

    def summary(self, roles: Terms) -> dict[str, str]:
        """Name the columns; nothing is counted, which would take a pass over all pieces."""
        return {"columns": list_columns([*self._pieces.example().columns])}

    def _first_pass(self, roles: Terms, paired: bool = False) -> tuple[Terms, FirstPass, Groups]:
        """Return the roles with the keys of a groupby, and what a first pass brings together."""
        if self._by is not None:
            roles = roles.update(by=self._by)
        first = read_labeled(self._pieces, roles, paired)
        return roles, first, read_keys(first, roles)


def _listed(frame: pd.DataFrame) -> list[pd.DataFrame]:
    return [frame]


def _examples(refinement: Refinement, roles: Terms, first: FirstPass, of: GroupModel) -> Examples:
    """Return the examples of a group, ranked by a model."""
    key, model = of
    size = int(first.groups[key].ranked[model])
    check_scored(str(roles.models[model]), size)
    positive, negative, propensity = first.groups[key].of(model, roles.omits)
    count = partial(refinement.above, of), partial(refinement.best, of)
    known_propensity = None if roles.propensity is None else propensity
    return Examples(positive, negative, size, *count, known_propensity)


def _count_all(pieces: Pieces, roles: Terms, first: FirstPass) -> Refinement:
    """Count all scores between the labeled ones: of all groups and models, in one pass."""
    labeled = {
        (key, model): distinct(np.concatenate(group.of(model, roles.omits)[:2]))
        for key, group in first.groups.items()
        for model in range(len(roles.models))
    }
    values = {of: scores for of, (scores, _) in labeled.items()}
    sizes = {(key, model): int(first.groups[key].ranked[model]) for key, model in labeled}
    samples = {(key, model): first.groups[key].sample[model] for key, model in labeled}
    refinement = Refinement(pieces, roles, values, sizes, samples)
    for of, (_, at) in labeled.items():
        check_same(pieces, at.sum(), np.minimum(at, refinement.gaps[of].at).sum())
    return refinement


def _count_placements(
    pieces: Pieces, roles: Terms, first: FirstPass, tables: Mapping[Hashable, list[PlacementTable]]
) -> dict[Hashable, Above]:
    """Count the known positives above all examples, of each group by each model, in one pass."""
    count = partial(_count_above, roles, tables, first.members)
    names = [] if roles.cluster is None else [roles.cluster]
    above = dict(fold_groups(pieces, roles, count, names))
    for key, group in first.groups.items():
        if key not in above:
            code = None if group.members is None else np.empty(0, np.int64)
            above[key] = _count_group(tables[key], group.positive[:, :0], group.members, code)
        check_same(pieces, group.size, int(above[key].counts[0].sum()))
        by_model = zip(tables[key], group.positive, above[key].counts, strict=True)
        for table, scores, counts in by_model:
            known = np.bincount(table.above(scores), minlength=counts.size)
            check_same(pieces, scores.size, int(np.minimum(known, counts).sum()))
    return above


def _count_above(
    roles: Terms,
    tables: Mapping[Hashable, list[PlacementTable]],
    members: Mapping[Hashable, Members],
    frame: pd.DataFrame,
    parts: Sequence[Part],
) -> Iterator[tuple[Hashable, Above]]:
    """Count the known positives above the examples of one piece, of each group."""
    of_piece = find_ids(frame[roles.cluster]) if members else None
    for key, rows, scores in parts:
        if key not in tables:
            continue
        kept, code = ~(roles.omits & np.isnan(scores).any(axis=0)), None
        if of_piece is not None:
            code = find_code(members[key].ids, of_piece, rows)
            kept &= code >= 0
            code = code[kept]
        paired = scores[:, kept].astype(np.float64, copy=False)
        yield key, _count_group(tables[key], paired, members.get(key), code)


def _count_group(
    tables: list[PlacementTable],
    scores: FloatArray,
    members: Members | None,
    code: IntArray | None,
) -> Above:
    """Count the known positives above some examples of a group, by cluster where there are any."""
    return count_above(tables, scores, code, 0 if members is None else members.ids.size)

"""Frames in pieces that no memory holds together -> rankings.

A first pass brings the labeled scores to one place, a second counts all scores between them. The
curves' corners take a further pass over the few gaps that they lie in. Each pass is one for all
groups and models at once: where one needs more, it says what, and has to wait until all have said
so. Nothing but labeled scores, counts and the scores of these gaps leaves a piece. Rows with
weights, counts or clusters, and models in rows, are brought together in one frame instead.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.checks import check_within
from pu_accessor.counting.cutoffs import rank_counted
from pu_accessor.counting.gaps import Gaps, close, count_gaps, distinct
from pu_accessor.counting.order_statistics import (
    OrderStatistics,
    order_statistics,
    scores_inside,
    split,
    with_edges,
)
from pu_accessor.counting.placements import Above, PlacementTable, count_above
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
    Chunks,
    FirstPass,
    Part,
    fold_groups,
    read_keys,
    read_labeled,
)
from pu_accessor.sources.columns import check_name, check_scored, join_rows, list_columns
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.groups import Groups, key_columns, name_keys
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

    The first of these passes counts all scores about the labeled ones, and about those of a sample
    that lie beyond: there are too many to fetch where few are labeled.
    """

    def __init__(self, pieces: Chunks, roles: Terms, first: FirstPass) -> None:
        self._pieces = pieces
        self._roles = roles
        groups, models = first.groups, range(len(roles.models))
        self._sizes = {(key, m): int(groups[key].ranked[m]) for key in groups for m in models}
        labeled = {
            (key, model): distinct(np.concatenate(groups[key].of(model, roles.omits)[:2]))
            for key, model in self._sizes
        }
        probes = {
            (key, model): _Probe(_with_outer(values, groups[key].sample[model]))
            for (key, model), (values, _) in labeled.items()
        }
        counted: dict[GroupModel, Gaps] = self._count(probes)
        self.gaps = {of: gaps.about(labeled[of][0]) for of, gaps in counted.items()}
        self._known = {of: gaps.closed() for of, gaps in counted.items()}
        self._wanted: dict[GroupModel, _Wanted] = {}
        for of, (_, at) in labeled.items():
            check_same(pieces, at.sum(), np.minimum(at, self.gaps[of].at).sum())

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


def check_same(pieces: Chunks, before: int, now: int) -> None:
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
    omits: bool, probes: Mapping[GroupModel, _Probe], parts: Sequence[Part]
) -> Iterator[tuple[GroupModel, _Counted]]:
    """Go through what is found in one piece, of each group and model that it holds."""
    for key, by_model in parts:
        for model, scores in enumerate(by_model):
            if (key, model) in probes:
                kept = scores[~np.isnan(scores)] if omits else scores
                yield (key, model), probes[key, model].apply(kept)


class PiecesSource(FrameSource):
    """A frame in pieces that no memory holds together."""

    def __init__(self, pieces: Chunks, by: Any = None) -> None:
        super().__init__()
        self._pieces = pieces
        self._by = by
        self.name = pieces.name
        self.kind = "pieces" if by is None else "groupby of pieces"

    def rank(self, roles: Terms, ranks: Ranks) -> Rankings:
        """Rank the rows of all pieces, as a frame of the same rows would.

        Rows with weights, counts or clusters are ranked in one frame.
        """
        if roles.others.keys() - {"propensity"}:
            source, roles = self._together(roles, [])
            return source.rank(roles, ranks)
        roles, first, groups = self._first_pass(roles)
        refinement = Refinement(self._pieces, roles, first)
        check_within(ranks, max(first.groups[key].ranked[model] for key, model in refinement.gaps))
        named = {argument: str(name) for argument, name in roles.named()}

        def make(position: int) -> Ranking:
            group, model = divmod(position, len(roles.models))
            of = groups.keys[group], model
            labeled, columns = first.groups[of[0]], {**named, "score": str(roles.models[model])}
            size = int(labeled.ranked[model])
            check_scored(columns["score"], size)
            above, nth_best = partial(refinement.above, of), partial(refinement.best, of)
            *known, propensity = labeled.of(model, roles.omits)
            shares = None if roles.propensity is None else propensity
            gaps = refinement.gaps[of]
            ranking = rank_counted(known, gaps, size, above, nth_best, ranks, shares)
            return ranking.with_facts(columns=columns)

        return Rankings(*name_keys(groups, roles), make, refinement.refine)

    def pair(self, roles: Terms, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the rows of all pieces by several columns of scores.

        Models in rows, and rows with weights, counts or clusters, are paired in one frame.
        """
        if on is not None or roles.others.keys() - {"propensity"}:
            identity = [] if on is None else key_columns(self._pieces.example(), on, "on")
            source, roles = self._together(roles, [("on", name) for name in identity])
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
            known, by_model = group.positive, tables[key]
            labeled = known.shape[1], group.negative.shape[1]
            total = Counts(*labeled, int(group.ranked[0]) - sum(labeled))
            models = ("model",), roles.models
            return pair_counted(*models, known, by_model, above[key], total, weights[key])

        return Keyed(groups.names, groups.keys, make)

    def annotate(
        self, roles: Terms, wave: Hashable | None, strata: Hashable | None
    ) -> Keyed[Annotated]:
        """Rank the rows of all pieces, brought together in one frame."""
        named = [("wave", wave), ("strata", strata)]
        source, roles = self._together(roles, [both for both in named if both[1] is not None])
        return source.annotate(roles, wave, strata)

    def _together(
        self, roles: Terms, more: list[tuple[str, Hashable]]
    ) -> tuple[FrameSource, Terms]:
        """Bring the columns that are named into one frame, each after its argument."""
        roles = roles if self._by is None else roles.update(by=self._by)
        named = [*roles.named(), *(("by", key) for key in roles.keys), *more]
        there = self._pieces.example().columns
        for argument, name in named:
            check_name(argument, name, there, "column")
        columns = [*dict.fromkeys(name for _, name in named)]
        frames = self._pieces.fold(_listed, operator.add, columns)
        filled = [frame for frame in frames if len(frame)] or frames[:1]  # whose dtypes count
        return FrameSource(join_rows(filled)), roles

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
    above = dict(fold_groups(pieces, roles, count))
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

"""Refinement: passes over all pieces that count more of the scores, for all rankings at a time.

Rankings know of their scores what has been counted. Where one needs more it says what, and has to
wait: when all have said so, the next pass goes through the pieces once, for all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from pu_accessor.counting.gaps import Gaps, count_gaps, distinct
from pu_accessor.counting.order_statistics import (
    OrderStatistics,
    close,
    order_statistics,
    scores_inside,
    split,
    with_edges,
)
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, NeedsRefinementError
from pu_accessor.sources.chunks import Pieces
from pu_accessor.sources.first_pass import ScoresByGroup, fold_scores
from pu_accessor.sources.roles import Roles

GroupModel: TypeAlias = tuple[Hashable, int]  # the key of a group, and the position of a model

_FETCHED = 1 << 21  # scores that one pass fetches; further gaps are split instead
_EDGES = 1 << 20  # values by which one pass splits gaps


class _Wanted(NamedTuple):
    """What is to be found out about some gaps: counts about more values in them, or all scores."""

    gaps: IntArray  # their numbers
    edges: FloatArray | None


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

    The first of these passes counts all scores about some distinct values, best first; `sizes` are
    the numbers of scores.
    """

    def __init__(
        self,
        pieces: Pieces,
        roles: Roles,
        values: Mapping[GroupModel, FloatArray],
        sizes: Mapping[GroupModel, int],
    ) -> None:
        self._pieces = pieces
        self._roles = roles
        self._sizes = sizes
        probes = {of: _Probe(edges) for of, edges in values.items()}
        self.gaps: dict[GroupModel, Gaps] = self._count(probes)
        self._known = dict(self.gaps)
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
        self._wanted[of] = _Wanted(gaps, edges)
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
        count = partial(_count_piece, self._roles.omits, probes)
        counted = fold_scores(self._pieces, self._roles, count)
        contents = {}
        for of, probe in probes.items():
            size, contents[of] = counted.get(of) or probe.apply(np.empty(0))
            check_same(self._pieces, self._sizes[of], size)
        return contents


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


def _count_piece(
    omits: bool, probes: Mapping[GroupModel, _Probe], by_group: ScoresByGroup
) -> Mapping[GroupModel, _Counted]:
    """Return what is found in one piece, of each group and model that it holds."""
    return {
        (key, model): probes[key, model].apply(scores[~np.isnan(scores)] if omits else scores)
        for key, by_model in by_group
        for model, scores in enumerate(by_model)
        if (key, model) in probes
    }

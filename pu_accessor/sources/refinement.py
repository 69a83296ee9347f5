"""Looks at the scores of all pieces: each answers what all groups and models ask at a time.

Rankings know of their scores what has been counted. Where one needs more it says what, and has to
wait: when all have said so, the next look goes through the pieces once, for all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.counting.gaps import Gaps, count_gaps, distinct
from pu_accessor.counting.order_statistics import (
    OrderStatistics,
    order_statistics,
    scores_inside,
    with_edges,
)
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, PendingError
from pu_accessor.sources.chunks import Pieces
from pu_accessor.sources.first_pass import Plan, group_piece, read_models

__all__ = ["Looks", "Place", "check_same"]

Place: TypeAlias = tuple[Hashable, int]  # the key of a group, and the position of a model

_FETCHED = 1 << 21  # scores that one look brings; further gaps are split instead
_EDGES = 1 << 20  # values by which one look splits gaps


class _Want(NamedTuple):
    """What is to be found out about some gaps: counts about more values in them, or all scores."""

    numbers: IntArray
    edges: FloatArray | None


class _Seen(NamedTuple):
    """What a look sees: how many scores there are, and counts or all scores of some gaps."""

    size: int
    found: Gaps | FloatArray


class _Sight(NamedTuple):
    """What a look sees of the scores of one group and model.

    Parameters
    ----------
    values : ndarray of float64, shape (values,)
        Distinct, best first. Scores are counted about them.
    numbers : ndarray of int64, shape (gaps,), optional
        Gaps between the values, all scores in which are fetched; then nothing is counted.
    """

    values: FloatArray
    numbers: IntArray | None = None

    def see(self, scores: FloatArray) -> _Seen:
        """Return what there is to see of the scores of one piece."""
        if self.numbers is None:
            return _Seen(scores.size, count_gaps(self.values, scores))
        return _Seen(scores.size, scores_inside(self.values, self.numbers, scores))

    def gather(self, found: Gaps | FloatArray) -> Gaps:
        """Return the counts that were found, or those at the scores that were."""
        if isinstance(found, Gaps):
            return found
        values, at = distinct(np.concatenate([self.values, found]))
        nothing = np.zeros(values.size + 1, np.int64)
        return Gaps(values, at, nothing, np.full(nothing.size, np.inf))


class Looks:
    """What is known of the scores of each group and model, and looks that find out more.

    Parameters
    ----------
    pieces : Pieces
        A frame in pieces.
    plan : Plan
        What to read of it.
    values : mapping of (key, model) to ndarray of float64
        Distinct, best first: the first look counts all scores about them.
    sizes : mapping of (key, model) to int
        Numbers of scores.
    """

    def __init__(
        self,
        pieces: Pieces,
        plan: Plan,
        values: Mapping[Place, FloatArray],
        sizes: Mapping[Place, int],
    ) -> None:
        self._pieces = pieces
        self._plan = plan
        self._sizes = sizes
        self.gaps = self._see({place: _Sight(some) for place, some in values.items()})
        self._known = dict(self.gaps)
        self._wanted: dict[Place, _Want] = {}

    def above(self, place: Place, values: FloatArray) -> IntArray:
        """Count the scores of a group and model at or above some values."""
        known = self._known[place]
        better, there = _find(known.values, values)
        if known.inside[better[~there]].any():
            self._wait(place, values)
        _, through = known.blocks()
        return through[2 * better + there]

    def best(self, place: Place, targets: IntArray, gaps: Gaps) -> OrderStatistics:
        """Return the n-th best scores of a group and model for some n: `order_statistics`."""
        known = self._known[place]
        at = known.at.copy()
        at[_find(known.values, gaps.values)[0]] = gaps.at
        wait = partial(self._wait, place)
        return order_statistics(targets, replace(known, at=at), wait, wait)

    def _wait(self, place: Place, values: FloatArray, numbers: IntArray | None = None) -> NoReturn:
        """Say that counts about values, or all scores in some gaps, take a further look."""
        edges = None
        if numbers is None:
            above, there = _find(self._known[place].values, values)
            numbers, edges = np.unique(above[~there]), values[~there]
        self._wanted[place] = _Want(numbers, edges)
        raise PendingError

    def look(self) -> None:
        """Go through the pieces once, for all that have to wait."""
        wanted, self._wanted = self._share(), {}
        sights = {place: _focus(self._known[place], want) for place, want in wanted.items()}
        for place, found in self._see(sights).items():
            known = _learn(self._known[place], wanted[place].numbers, found)
            check_same(self._pieces, self._sizes[place], int(known.at.sum() + known.inside.sum()))
            self._known[place] = known

    def _share(self) -> dict[Place, _Want]:
        """Return what is wanted, with limits on what one look brings.

        Where gaps hold too many scores in all, most are split before what is left is fetched.
        """
        wanted = dict(self._wanted)
        sizes = {
            place: int(self._known[place].inside[want.numbers].sum())
            for place, want in wanted.items()
            if want.edges is None
        }
        fetched = 0
        for place, size in sorted(sizes.items(), key=itemgetter(1)):
            fetched += size
            if fetched > _FETCHED:
                numbers = wanted[place].numbers
                edges = with_edges(self._known[place], numbers)
                new = ~_find(self._known[place].values, edges)[1]
                wanted[place] = _Want(numbers, edges[new])
        every = sum(want.edges.size for want in wanted.values() if want.edges is not None)
        step = -(-every // _EDGES)
        return {place: _thin(self._known[place], want, step) for place, want in wanted.items()}

    def _see(self, sights: Mapping[Place, _Sight]) -> dict[Place, Gaps]:
        """Go through the pieces once."""
        seen = self._pieces.fold(partial(_look, self._plan, sights), _merge, self._plan.counted())
        found: dict[Place, Gaps] = {}
        for place, sight in sights.items():
            size, some = seen.get(place) or sight.see(np.empty(0))
            check_same(self._pieces, self._sizes[place], size)
            found[place] = sight.gather(some)
        return found


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


def _thin(known: Gaps, want: _Want, step: int) -> _Want:
    """Leave out some of many edges; not the worst score of a gap, so that ties get settled."""
    if want.edges is None or step <= 1:
        return want
    kept = np.isin(want.edges, known.lowest[want.numbers]) | np.isnan(want.edges)
    kept[::step] = True
    return want._replace(edges=want.edges[kept])


def _focus(known: Gaps, want: _Want) -> _Sight:
    """Return what to look for: nothing of the values but those about the gaps needs to travel."""
    upper = known.values[want.numbers[want.numbers > 0] - 1]
    lower = known.values[want.numbers[want.numbers < known.values.size]]
    if want.edges is not None:
        return _Sight(distinct(np.concatenate([upper, lower, want.edges]))[0])
    values, _ = distinct(np.concatenate([upper, lower]))
    last = np.full(want.numbers.size - lower.size, values.size)
    return _Sight(values, np.append(_find(values, lower)[0], last))


def _learn(known: Gaps, numbers: IntArray, seen: Gaps) -> Gaps:
    """Return what is known when some gaps have been looked into."""
    above, there = _find(known.values, seen.values)
    new = np.flatnonzero(~there)
    where = above[new]
    values = np.insert(known.values, where, seen.values[new])
    at = np.insert(known.at, where, seen.at.take(new))
    inside, lowest = np.insert(known.inside, where, 0), np.insert(known.lowest, where, np.inf)
    looked = np.zeros(known.inside.size, np.bool_)
    looked[numbers] = True
    looked = np.insert(looked, where, True)
    # A gap has the number of the value below it; both its ends are among those that were seen.
    place = np.append(_find(seen.values, values)[0], seen.values.size)[looked]
    inside[looked], lowest[looked] = seen.inside[place], seen.lowest[place]
    return Gaps(values, at, inside, lowest)


def _look(plan: Plan, sights: Mapping[Place, _Sight], frame: pd.DataFrame) -> dict[Place, _Seen]:
    """Return what there is to see in one piece."""
    return {place: sights[place].see(scores) for place, scores in _scores(plan, sights, frame)}


def _scores(
    plan: Plan, places: Mapping[Place, object], frame: pd.DataFrame
) -> Iterator[tuple[Place, FloatArray]]:
    """Return the scores of one piece, of each group and model that is there."""
    if frame.empty:
        return
    scores = read_models(plan, frame)
    groups, _ = group_piece(plan, frame)
    for key, some in groupby(places, key=itemgetter(0)):
        if key not in groups:
            continue
        rows = groups[key]
        for place in some:
            one = scores[place[1]][rows]
            yield place, one[~np.isnan(one)] if plan.omits else one


def _merge(one: dict[Place, _Seen], other: dict[Place, _Seen]) -> dict[Place, _Seen]:
    """Put together what was seen in two pieces."""
    merged = dict(one)
    for place, seen in other.items():
        merged[place] = _join(merged[place], seen) if place in merged else seen
    return merged


def _join(one: _Seen, other: _Seen) -> _Seen:
    """Add counts, or put scores together."""
    size = one.size + other.size
    if isinstance(one.found, Gaps) and isinstance(other.found, Gaps):
        return _Seen(size, one.found.merge(other.found))
    fetched = [found for _, found in (one, other) if not isinstance(found, Gaps)]
    return _Seen(size, np.concatenate(fetched))

"""Frames in pieces that no memory holds together -> rankings.

A first pass brings the labeled scores to one place, a second counts all scores between them. The
curves' corners take a further look at the few gaps that they lie in. Each pass is one for all
groups and models at once, see `refinement.py`. Nothing but labeled scores, counts and
the scores of these gaps leaves a piece.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from pu_accessor.checks import check_within
from pu_accessor.counting.cutoffs import Examples, rank_counted
from pu_accessor.counting.gaps import distinct
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.ranking import FloatArray, IntArray, Keyed, PairedRanks, Ranking, Rankings, Ranks
from pu_accessor.sources.chunks import Pieces, beside
from pu_accessor.sources.first_pass import Labeled, Plan, Survey, read_keys, survey_pieces
from pu_accessor.sources.groups import key_columns
from pu_accessor.sources.in_memory import name_keys
from pu_accessor.sources.pair_pieces import pair_pieces, paired_ranks
from pu_accessor.sources.pairs import check_same_odds
from pu_accessor.sources.refinement import Looks, Place, check_same
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.source import check_no_keys, check_not_pooled, refuse
from pu_accessor.sources.summary import list_columns, or_reason

__all__ = ["PiecesSource"]


class PiecesSource:
    """A frame in pieces that no memory holds together.

    Parameters
    ----------
    pieces : Pieces
        The frame.
    by : hashable or list of hashable, optional
        Columns of a groupby.
    """

    def __init__(self, pieces: Pieces, by: Any = None) -> None:
        self._pieces = pieces
        self._by = by
        self.name = pieces.name

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
        """Rank the rows of all pieces, as a frame of the same rows would: see `Source`.

        Raises if `ranks` is "all": all cutoffs take all scores in one place.
        """
        if isinstance(ranks, str) and ranks == "all":
            raise refuse(
                self.name,
                "ranks must be 'breakpoints' or numbers",
                "All cutoffs take all scores in one place; curves and areas are the same at "
                "ranks='breakpoints'.",
                "'all' was passed",
            )
        pieces, plan = self._pieces, self._plan(roles)
        surveyed = survey_pieces(pieces, plan)
        groups = read_keys(surveyed, plan)
        looks = _count_all(pieces, plan, surveyed)
        check_within(ranks, max(_size(surveyed, plan, place) for place in looks.gaps))
        shared = {"label": str(roles.label)}
        if roles.propensity is not None:
            shared["propensity"] = str(roles.propensity)

        def make(position: int) -> Ranking:
            group, model = divmod(position, len(plan.models))
            place = ((), model) if groups is None else (groups.keys[group], model)
            return rank_counted(
                _examples(looks, plan, surveyed, place),
                looks.gaps[place],
                ranks=ranks,
                columns={"score": str(plan.models[model]), **shared},
            )

        return Rankings(*name_keys(groups, roles), make, looks.look)

    def pair(self, roles: Roles, on: Hashable | list[Hashable] | None) -> Keyed[PairedRanks]:
        """Rank the rows of all pieces by several columns of scores: see `Source`.

        Models in rows are joined where pieces can be, those of dask; else it raises.
        """
        if on is not None and not isinstance(roles.score, list):
            return self._pair_rows(roles, key_columns(self._pieces.example(), on, "on"))
        if not isinstance(roles.score, list) or on is not None:
            raise refuse(
                self.name,
                "score must be a list of columns, one for each model,",
                "Models in rows need the columns by= and on=.",
                f"{roles.score!r} was passed{'' if on is None else f' with on={on!r}'}",
            )
        pieces, plan = self._pieces, self._plan(roles, paired=roles.nan_policy == "omit")
        surveyed = survey_pieces(pieces, plan)
        groups = read_keys(surveyed, plan)
        paired = pair_pieces(pieces, plan, surveyed)

        def make(position: int) -> PairedRanks:
            key = () if groups is None else groups.keys[position]
            return paired_ranks(plan.models, *paired[key])

        return Keyed(*(((), ((),)) if groups is None else (groups.names, groups.keys)), make)

    def _pair_rows(self, roles: Roles, on: list[Hashable]) -> Keyed[PairedRanks]:
        """Pair models in rows: put the rows of each beside those of the others."""
        plan = self._plan(roles)
        surveyed = survey_pieces(self._pieces, plan)
        groups = read_keys(surveyed, plan)
        if groups is None:
            raise PUValueError(
                "by must name the column of the models, whose rows on= pairs, but None was "
                "passed: df.pu(by='model').compare(on='example_id')."
            )
        found_keys: Any = groups.keys
        odds = [] if roles.propensity is None else [roles.propensity]
        columns: list[Any] = [*dict.fromkeys([roles.score, roles.label, *odds])]
        by = plan.roles.by if isinstance(plan.roles.by, list) else [plan.roles.by]
        keys = [dict(zip(by, key if len(by) > 1 else (key,), strict=True)) for key in found_keys]
        joined = self._pieces.join(keys, on, columns)
        if joined is None:
            raise refuse(
                self.name,
                "score must be a list of columns, one for each model,",
                "Rows that belong together may be in any of them: join them first, or use "
                "pu_accessor.dask, which does.",
                f"{roles.score!r} was passed with on={on!r}",
            )
        size = {surveyed.groups[key].size for key in groups.keys}
        labels: list[Any] = [beside(roles.label, number) for number in range(len(keys))]
        paired, differing = joined.fold(partial(_count_differing, labels), np.add, labels).tolist()
        if size != {paired} or differing:
            raise PUValueError(
                f"on={on!r} must pair each row of a group with one of each other group, of the "
                f"same label, but groups have {sorted(size)} rows, {paired} pairs are found, and "
                f"{differing} of these have different labels. Keep the examples that all have."
            )
        scores = [beside(columns[0], number) for number in range(len(keys))]
        wide = roles.update(score=scores, label=labels[0], by=None)
        if odds:
            each = [beside(roles.propensity, number) for number in range(len(keys))]
            _check_odds(joined, wide, each)
            wide = wide.update(propensity=each[0])
        found = PiecesSource(joined).pair(wide, None)

        def make(position: int) -> PairedRanks:
            one = found.make(position)
            ranks = dict(zip(groups.keys, one.ranks.values(), strict=True))
            return one._replace(names=groups.names, ranks=ranks)

        return Keyed((), ((),), make)

    def summary(self, roles: Roles) -> dict[str, str]:
        """Name the columns; nothing is counted, which would take a pass over all pieces."""
        return or_reason(lambda: {"columns": list_columns([*self._pieces.example().columns])})

    def best(self, roles: Roles, sizes: Sequence[int]) -> NoReturn:
        """Refuse: rows are not kept. See `Source`."""
        raise refuse(
            self.name,
            "select is not there",
            "Ask for the cutoff, and take the rows at or above its threshold yourself: "
            "ddf[ddf['score'] >= ddf.pu.cutoff(0.3, recall=0.9)['threshold'].item()].",
        )

    def sample(self, roles: Roles, size: int, random_state: int | np.random.Generator) -> NoReturn:
        """Say that rows in pieces are not drawn."""
        raise refuse(
            self.name,
            "sample_to_label is not there",
            "It draws rows of a frame in memory: draw some of them first, for example "
            "ddf.sample(frac=0.01, random_state=0).compute().pu.sample_to_label().",
        )

    def _plan(self, roles: Roles, paired: bool = False) -> Plan:
        """Return what to read of each piece."""
        check_not_pooled(self.name, roles)
        if self._by is None:
            return Plan(roles, paired)
        check_no_keys(roles.by)
        return Plan(roles.update(by=self._by), paired)


def _count_differing(labels: list[Any], piece: pd.DataFrame) -> IntArray:
    """Count rows, and those in which labels of the same example differ."""
    first = piece[labels[0]]
    differ = np.zeros(len(piece), np.bool_)
    for name in labels[1:]:
        same = (piece[name] == first).fillna(False).to_numpy(np.bool_)
        differ |= ~(same | (piece[name].isna() & first.isna()).to_numpy())
    return np.array([len(piece), np.count_nonzero(differ)])


def _check_odds(joined: Pieces, roles: Roles, names: list[Any]) -> None:
    """Raise unless the known positives have the same propensities whatever the model."""
    found = []
    for name in names:
        for group in survey_pieces(joined, Plan(roles.update(propensity=name))).groups.values():
            # A join may give its rows in another order each time.
            order = np.lexsort((group.propensity, group.positive[0]))
            found.append(group.propensity[order])
    if found:
        check_same_odds(np.stack(found))


def _examples(looks: Looks, plan: Plan, surveyed: Survey, place: Place) -> Examples:
    """Return the examples of a group, ranked by a model."""
    key, model = place
    group = surveyed.groups[key]
    positive, negative = group.positive[model], group.negative[model]
    kept = ~np.isnan(positive) if plan.omits else np.ones(positive.size, np.bool_)
    size = _size(surveyed, plan, place)
    if not size:
        raise PUDataError(
            f"score column {str(plan.models[model])!r} must hold at least one score, but there is "
            "none in the rows to rank."
        )
    return Examples(
        positive[kept],
        negative,  # where these are omitted, those without a score are above none
        size,
        partial(looks.above, place),
        partial(looks.best, place),
        None if plan.roles.propensity is None else group.propensity[kept],
    )


def _size(surveyed: Survey, plan: Plan, place: Place) -> int:
    """Return the number of examples that are ranked."""
    group = surveyed.groups[place[0]]
    return group.size - int(group.missing[place[1]] if plan.omits else 0)


def _count_all(pieces: Pieces, plan: Plan, surveyed: Survey) -> Looks:
    """Count all scores between the labeled ones: of all groups and models, in one pass."""
    labeled = {
        (key, model): distinct(_labeled(plan, group, model))
        for key, group in surveyed.groups.items()
        for model in range(len(plan.models))
    }
    values = {place: some for place, (some, _) in labeled.items()}
    looks = Looks(pieces, plan, values, {place: _size(surveyed, plan, place) for place in labeled})
    for place, (_, at) in labeled.items():
        check_same(pieces, at.sum(), np.minimum(at, looks.gaps[place].at).sum())
    return looks


def _labeled(plan: Plan, group: Labeled, model: int) -> FloatArray:
    """Return the labeled scores of a model that count."""
    labeled = np.concatenate([group.positive[model], group.negative[model]])
    return labeled[~np.isnan(labeled)] if plan.omits else labeled

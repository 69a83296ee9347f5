"""Frames in pieces that no memory holds together -> rankings.

A first pass brings the labeled scores to one place, a second counts all scores between them. The
curves' corners take a further pass over the few gaps that they lie in. Each pass is one for all
groups and models at once, see `refinement.py`. Nothing but labeled scores, counts and
the scores of these gaps leaves a piece.
"""

import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import check_within
from pu_accessor.counting.cutoffs import Examples, rank_counted
from pu_accessor.counting.gaps import distinct
from pu_accessor.counting.placements import Above, PlacementTable, count_above
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import (
    Annotated,
    Counts,
    FloatArray,
    IntArray,
    Keyed,
    PairedRanks,
    Ranking,
    Rankings,
    Ranks,
)
from pu_accessor.sources.chunks import Pieces, beside
from pu_accessor.sources.columns import check_name, check_scored, find_ids, join_rows, list_columns
from pu_accessor.sources.first_pass import (
    FirstPass,
    Members,
    Part,
    find_code,
    fold_groups,
    read_keys,
    read_labeled,
)
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.groups import Groups, key_columns, name_keys
from pu_accessor.sources.pairs import check_same_propensities, pair_counted, pair_weight
from pu_accessor.sources.refinement import (
    ClusterSums,
    GroupModel,
    PieceClusters,
    Refinement,
    check_same,
)
from pu_accessor.sources.roles import ColumnNames, Roles
from pu_accessor.sources.source import Source


class PiecesSource(Source):
    """A frame in pieces that no memory holds together."""

    def __init__(self, pieces: Pieces, by: Any = None) -> None:
        self._pieces = pieces
        self._by = by
        self.name = pieces.name

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
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

    def pair(self, roles: Roles, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the rows of all pieces by several columns of scores: see `Source`.

        Models in rows are joined where pieces can be, those of dask; else it raises.
        """
        if roles.weight is not None:
            source, roles = self._together(
                roles, *(on if isinstance(on, list) else [on] * (on is not None))
            )
            return source.pair(roles, on)
        if on is not None and not roles.is_wide:
            return self._pair_rows(roles, key_columns(self._pieces.example(), on, "on"))
        if on is not None or not roles.is_wide:
            raise self._refuse_rows(roles, on, "Models in rows need the columns by= and on=.")
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
        self, roles: Roles, wave: Hashable | None, strata: Hashable | None
    ) -> Keyed[Annotated]:
        """Rank the rows of all pieces, brought together in one frame: see `Source`."""
        named = [name for name in (wave, strata) if name is not None]
        source, roles = self._together(roles, *named)
        return source.annotate(roles, wave, strata)

    def _together(self, roles: Roles, *more: Hashable) -> tuple[FrameSource, Roles]:
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

    def _pair_rows(self, roles: Roles, on: list[Hashable]) -> Keyed[PairedRanks]:
        """Pair models in rows: put the rows of each beside those of the others."""
        roles, first, groups = self._first_pass(roles)
        if not groups.names:
            raise PUValueError(
                "by must name the column of the models, whose rows on= pairs, but None was "
                "passed: df.pu(by='model').compare(on='example_id')."
            )
        keys = [dict(zip(roles.keys, levels, strict=True)) for levels in groups.levels]
        columns = dict.fromkeys(name for _, name in roles.named())
        joined = self._pieces.join(keys, on, [*columns])
        if joined is None:
            instead = (
                "Rows that belong together may be in any of them: join them first, or use "
                "pu_accessor.dask, which does."
            )
            raise self._refuse_rows(roles, on, instead)
        names: dict[str, list[Hashable]] = {
            role: [beside(name, number) for number in range(len(keys))]
            for role, name in roles.named()
        }
        _check_labels_agree(
            joined, names["label"], {group.size for group in first.groups.values()}, on
        )
        first_of_each = {role: of[0] for role, of in names.items()}
        wide = roles.update(**{**first_of_each, "score": names["score"], "by": None})
        if roles.propensity is not None:
            _check_propensities_agree(joined, wide, names["propensity"])
        if roles.cluster is not None:
            _check_clusters_agree(joined, names["cluster"])
        paired = PiecesSource(joined).pair(wide, None)

        def make(position: int) -> PairedRanks:
            by_column = paired.make(position)
            ranks, among = (
                dict(zip(groups.keys, by_model.values(), strict=True))
                for by_model in (by_column.ranks, by_column.among)
            )
            return by_column._replace(names=groups.names, ranks=ranks, among=among)

        return Keyed((), ((),), make)

    def _refuse_rows(self, roles: Roles, on: object, instead: str) -> Exception:
        """Return the error that says that models are paired as columns."""
        came = f"{roles.score!r} was passed{'' if on is None else f' with on={on!r}'}"
        return PUValueError(
            f"score must be a list of columns, one for each model, for data in {self.name}, but "
            f"{came}. {instead}"
        )

    def summary(self, roles: Roles) -> dict[str, str]:
        """Name the columns; nothing is counted, which would take a pass over all pieces."""
        return {"columns": list_columns([*self._pieces.example().columns])}

    def _first_pass(self, roles: Roles, paired: bool = False) -> tuple[Roles, FirstPass, Groups]:
        """Return the roles with the keys of a groupby, and what a first pass brings together."""
        if self._by is not None:
            roles = roles.update(by=self._by)
        first = read_labeled(self._pieces, roles, paired)
        return roles, first, read_keys(first, roles)


def _listed(frame: pd.DataFrame) -> list[pd.DataFrame]:
    return [frame]


def _check_labels_agree(
    joined: Pieces, labels: list[Hashable], sizes: set[int], on: list[Hashable]
) -> None:
    """Raise unless rows are paired one by one, and have the same label whatever the model."""
    paired, differing = joined.fold(_count_differing, np.add, labels).tolist()
    if sizes != {paired} or differing:
        raise PUValueError(
            f"on={on!r} must pair each row of a group with one of each other group, of the "
            f"same label, but groups have {sorted(sizes)} rows, {paired} pairs are found, and "
            f"{differing} of these have different labels. Keep the examples that all have."
        )


def _check_clusters_agree(joined: Pieces, names: list[Hashable]) -> None:
    """Raise unless each example belongs to one cluster whatever the model."""
    _, differing = joined.fold(_count_differing, np.add, names).tolist()
    if differing:
        raise PUValueError(
            f"cluster must be the same in all groups, but {differing} examples have different "
            "ones. Where an example belongs does not depend on the model."
        )


def _count_differing(piece: pd.DataFrame) -> IntArray:
    """Count rows, and those that differ between columns."""
    columns = [piece[name] for name in piece]
    differ = np.zeros(len(piece), np.bool_)
    for column in columns[1:]:
        same = (column == columns[0]).fillna(False).to_numpy(np.bool_)
        differ |= ~(same | (column.isna() & columns[0].isna()).to_numpy())
    return np.array([len(piece), np.count_nonzero(differ)])


def _check_propensities_agree(joined: Pieces, roles: Roles, names: list[Hashable]) -> None:
    """Raise unless the known positives have the same propensities whatever the model."""
    by_model = []
    for name in names:
        for group in read_labeled(joined, roles.update(propensity=name)).groups.values():
            # A join may give its rows in another order each time.
            order = np.lexsort((group.propensity, group.positive[0]))
            by_model.append(group.propensity[order])
    if by_model:
        check_same_propensities(np.stack(by_model))


def _examples(refinement: Refinement, roles: Roles, first: FirstPass, of: GroupModel) -> Examples:
    """Return the examples of a group, ranked by a model."""
    key, model = of
    size = int(first.groups[key].ranked[model])
    check_scored(str(roles.models[model]), size)
    positive, negative, propensity = first.groups[key].of(model, roles.omits)
    count = partial(refinement.above, of), partial(refinement.best, of)
    known_propensity = None if roles.propensity is None else propensity
    return Examples(positive, negative, size, *count, known_propensity)


def _count_all(pieces: Pieces, roles: Roles, first: FirstPass) -> Refinement:
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
    pieces: Pieces, roles: Roles, first: FirstPass, tables: Mapping[Hashable, list[PlacementTable]]
) -> dict[Hashable, Above]:
    """Count the known positives above all examples, of each group by each model, in one pass."""
    count = partial(_count_parts, roles, tables, first.members)
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


def _count_parts(
    roles: Roles,
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

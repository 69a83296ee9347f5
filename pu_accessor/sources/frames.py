"""Rank and pair the rows of a frame in memory; the class that all sources extend."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import warn_caller
from pu_accessor.ranking import AnnotatedRanking, IntArray, LazyByKey, PairedRanks, Rankings, Ranks
from pu_accessor.roles_and_assumptions import ColumnNames, Terms
from pu_accessor.sources.column_values import read_columns
from pu_accessor.sources.columns import (
    Columns,
    find_columns,
    list_columns,
    look_up_values,
    name_columns,
    pair_arrays,
)
from pu_accessor.sources.groups import (
    ALL_ROWS,
    Grouping,
    Groups,
    group_frame,
    rank_groups,
    read_groups,
)
from pu_accessor.sources.pairs import pair_models

Named: TypeAlias = list[tuple[str, Hashable]]  # names of columns, each after its argument

MAX_ROWS_LOOKED_UP = 1 << 20  # by value, as a repr must be fast
_MISSING = {
    "raise": "nan_policy='omit' or 'worst'",
    "omit": "dropped",
    "worst": "ranked last",
    "unretrieved": "below any cutoff",
}
# Names of columns that look like ids of clusters, of examples, and of models or queries.
_CLUSTER_ID = re.compile(r"(.+_)?id|patient|user|site", re.IGNORECASE)
_EXAMPLE_ID = re.compile(
    rf"{_CLUSTER_ID.pattern}|(doc|row|item|example|sample|compound).*", re.IGNORECASE
)
_MODEL_ID = re.compile(
    r"(.+_)?(model|tool|method|classifier|algorithm|estimator|task|query|topic|q)(_?(id|name))?",
    re.IGNORECASE,
)
_MIXED_SHARE = 0.8  # of rows, in tests of whether several models are mixed
_MIXED_ROWS = 200_000  # first rows that are tested
_MIXED = (
    "Column {0!r} looks like names of models or queries, in which {1!r} repeats, but rows of all "
    "are ranked together. Rank each group: df.pu({2}). If one model scored all rows, those "
    "of one {1!r} are a cluster: df.pu(cluster={1!r})."
)
_REPEATED_ROWS, _MIN_EXAMPLES = 20_000, 10  # in a test of whether examples repeat
_REPEATED = (
    "{0} repeats with the same labels, as the images of a patient or repeats of cross-validation "
    "do. Such rows are dependent, and intervals too short. Name the column: {1}. "
    "If they are of several models, group by these: by='model'."
)


class FrameSource:
    """A frame in memory, or a groupby of it; `name` is that of messages, `kind` of exclusions."""

    def __init__(
        self, frame: pd.DataFrame | None = None, grouped: Grouping | Groups | None = None
    ) -> None:
        self.frame = pd.DataFrame() if frame is None else frame
        self._grouped = grouped
        self.template: xr.Dataset | None = None  # with the dimensions whose product the keys are
        self.kind = "frame" if grouped is None else "groupby"
        keys = getattr(grouped, "keys", None)
        shown = repr(keys) if isinstance(keys, str | list) else "..."
        self.name = "df" if grouped is None else f"df.groupby({shown})"

    def rank(self, roles: Terms, ranks: Ranks) -> Rankings:
        """Rank the rows of each group by each column of scores."""
        named = roles.named()
        rows = self.rows(roles, named)
        columns, groups = find_columns(rows.frame, named), rows.groups(roles)
        scores, labels = read_columns(columns, roles)
        return rank_groups(scores, labels, groups, roles, ranks, name_columns(columns))

    def pair(self, roles: Terms, on: ColumnNames | None) -> LazyByKey[PairedRanks]:
        """Pair models in columns of scores or, with `on`, in groups of rows."""
        identity = on if isinstance(on, list) else [] if on is None else [on]
        rows = self.rows(roles, [*roles.named(), *(("on", name) for name in identity)])
        return pair_models(rows.frame, rows.groups(roles), roles, on)

    def rows(self, roles: Terms, named: Named) -> FrameSource:
        """Return a frame in memory with the named columns, and those of keys."""
        return self

    def groups(self, roles: Terms) -> Groups:
        """Return the groups of `by`, or of the groupby."""
        if isinstance(self._grouped, Groups):
            return self._grouped
        if self._grouped is None:
            return ALL_ROWS if roles.by is None else group_frame(self.frame, roles.by)
        return read_groups(self._grouped)

    def take(self, positions: IntArray, **columns: Sequence[Any]) -> Any:
        """Return some rows, with more columns."""
        return self.frame.iloc[positions].assign(**columns)

    @property
    def names(self) -> list[Hashable]:
        """The names of columns."""
        return [*self.frame.columns]

    def summary(self, roles: Terms) -> dict[str, str]:
        """Return counts of examples and groups for a repr; raises if columns are wrong."""
        named = roles.named()
        rows = self.rows(roles, named)
        counts = _count_columns(find_columns(rows.frame, named), roles)
        groups = rows.groups(roles) if len(rows.frame) <= MAX_ROWS_LOOKED_UP else ALL_ROWS
        if groups.names:
            counts["groups"] = f"{len(groups.keys):,}: {list_columns(groups.names)}"
        return counts

    def repeated(self, roles: Terms) -> list[str]:
        """Return columns without a role that look like ids and repeat within a group."""
        ids = (name for name in self.names if _CLUSTER_ID.fullmatch(str(name)))
        names = [name for name in ids if self.names.count(name) == 1]
        if not names:
            return []
        rows = self.rows(roles, [("cluster", name) for name in names])
        groups = rows.groups(roles)
        taken = [*(name for _, name in roles.named()), *roles.keys, *groups.names]
        numbers = groups.numbers(len(rows.frame))
        repeated = []
        for name in names:
            present = rows.frame[name].notna().to_numpy() & (numbers >= 0)
            values = rows.frame[name][present].array
            with suppress(TypeError):  # lists are no ids
                pairs = pd.DataFrame({"group": numbers[present], "id": values})
                if pairs.duplicated().any() and len(values.unique()) > 1 and name not in taken:
                    repeated.append(str(name))
        return repeated

    def warn_of_mixed(self, roles: Terms) -> None:
        """Warn if rows of several models or queries, or of one example, seem to be mixed."""
        columns = self.frame.columns
        is_read = columns.is_unique and {*map(str, (roles.label, *roles.keys))} <= {*columns}
        if self.kind != "frame" or roles.cluster is not None or not is_read:
            return
        if text := _find_mixed(self.frame, roles) or _find_repeated(self.frame, roles):
            warn_caller(text)


def _find_mixed(frame: pd.DataFrame, roles: Terms) -> str:
    """Return a warning of models or queries that are ranked together, or nothing."""
    keys = roles.keys
    if (keys and not roles.average) or roles.is_wide:
        return ""
    names = [n for n in frame.columns if isinstance(n, str) and n not in (roles.score, *keys)]
    examples, models = filter(_EXAMPLE_ID.fullmatch, names), filter(_MODEL_ID.fullmatch, names)
    rows = frame[:_MIXED_ROWS]
    for name, key in product(examples, models):
        dtype, kinds = rows[key].dtype, pd.api.types
        is_text = isinstance(dtype, pd.CategoricalDtype) or kinds.is_string_dtype(dtype)
        if name == key or not (is_text or kinds.is_integer_dtype(dtype)):
            continue
        pairs = rows[[*keys, key, name]].drop_duplicates()
        is_once_in_each = len(pairs) > _MIXED_SHARE * len(rows)
        examples_of_all = pairs[[*keys, name]].drop_duplicates()
        if is_once_in_each and len(examples_of_all) < _MIXED_SHARE * len(pairs):
            over = roles.by if roles.average is True else roles.average
            by = f"by={[key, *keys]!r}, average={over!r}" if keys else f"by={key!r}"
            return _MIXED.format(key, name, by)
    return ""


def _find_repeated(frame: pd.DataFrame, roles: Terms) -> str:
    """Return a warning of examples with several rows, which share their label, or nothing."""
    keys = [] if roles.average else roles.keys  # an average is over all rows of an example
    taken, first = {roles.label, *keys, *roles.others.values()}, slice(_REPEATED_ROWS)
    named = [n for n in frame.columns if isinstance(n, str) and _EXAMPLE_ID.fullmatch(n)]
    ids: dict[str, tuple[Any, str]] = {
        repr(name): (frame[name].iloc[first], name) for name in named if name not in taken
    }
    if frame.index.nlevels == 1 and not _is_position(frame[first], roles):
        ids |= {"The index": (frame.index[first], "row")}
    for said, (example, name) in ids.items():
        with suppress(TypeError):  # lists are no ids
            if _repeats(example, [frame[key].iloc[first] for key in keys], frame[roles.label]):
                step = ".assign(row=df.index)" * (said == "The index")
                return _REPEATED.format(said, f"df{step}.pu(cluster={name!r})")
    return ""


def _is_position(rows: pd.DataFrame, roles: Terms) -> bool:
    """Tell whether the index counts rows, of each group too, as where frames were joined."""
    if isinstance(rows.index, pd.RangeIndex) or not roles.average:
        return isinstance(rows.index, pd.RangeIndex)
    place = rows.groupby([*roles.keys], observed=True).cumcount()
    return np.array_equal(place.to_numpy(), rows.index.to_numpy())


def _repeats(example: Any, keys: Sequence[Any], label: pd.Series[Any]) -> bool:
    """Tell whether examples have several rows in a group, which share their label."""
    pairs, sizes = pd.factorize(example)[0], []
    present = pairs >= 0
    for column in (*keys, label.iloc[: present.size]):
        codes = pd.factorize(column)[0]
        sizes.append(pd.unique(pairs[present]).size)
        pairs = pairs * (codes.max(initial=0) + 2) + codes + 1
    number, rows = sizes[-1], int(np.count_nonzero(present))
    has_one_label = bool(number == pd.unique(pairs[present]).size)
    return has_one_label and _MIN_EXAMPLES <= number < _MIXED_SHARE * rows


def source_of_arrays(
    score: Any, label: Any, roles: Terms, **others: Any
) -> tuple[FrameSource, Terms]:
    """Return the source of arrays, paired by position, and the roles with those of `others`."""
    given = {role: values for role, values in others.items() if values is not None}
    source = FrameSource(pair_arrays(score, label, **given))
    source.name = source.kind = "arrays"
    return source, roles.update(**{role: role for role in given})


def rank_annotated(
    source: FrameSource, roles: Terms, wave: Hashable | None, strata: Hashable | None
) -> LazyByKey[AnnotatedRanking]:
    """Rank the rows at breakpoints, with the wave and the stratum of each."""
    named = [(role, of) for role, of in (("wave", wave), ("strata", strata)) if of is not None]
    rows = source.rows(roles, [*roles.named(), *named])
    columns, groups = find_columns(rows.frame, roles.named()), rows.groups(roles)
    scores, labels = read_columns(columns, roles)
    keyed = rank_groups(scores, labels, groups, roles, "breakpoints", name_columns(columns))
    values = dict(find_columns(rows.frame, named))
    kind = np.where(labels.positive, 0, 2 - labels.negative)  # as in `Counts`

    def make(position: int) -> AnnotatedRanking:
        group, model = divmod(position, len(scores))
        ranked = np.arange(kind.size)[groups.rows[group]]
        ranked = ranked[labels.take(ranked).rows_to_rank(scores[model][ranked], omits=roles.omits)]
        known = ranked[labels.positive[ranked]]
        known = known[np.argsort(-scores[model][known], kind="stable")]  # NaN last
        known = known.repeat(labels.multiplicities[known])
        fields: dict[str, Any] = {}
        if wave is not None:
            fields["wave"], fields["waves"] = _number_values("wave", values["wave"].iloc[known])
            fields["cluster"] = None if labels.cluster is None else labels.cluster[known]
        if strata is not None:
            numbers, names = _number_values("strata", values["strata"].iloc[ranked])
            inside, cell = ranked[numbers >= 0], (3 * numbers + kind[ranked])[numbers >= 0]
            cells = np.bincount(cell, labels.multiplicities[inside], 3 * len(names))
            fields |= {"strata": names, "counts": cells.reshape(-1, 3).astype(np.int64)}
        return AnnotatedRanking(keyed.make(position), **fields)

    return LazyByKey(keyed.names, keyed.keys, make)


def _number_values(argument: str, column: pd.Series[Any]) -> tuple[IntArray, tuple[Hashable, ...]]:
    """Return the number of each row's value, -1 if it is missing, and the values in order."""
    numbers, values = look_up_values(argument, column)
    with suppress(TypeError):  # some values have no order
        numbers, values = pd.factorize(column, sort=True)
    return numbers.astype(np.int64, copy=False), tuple(pd.Index(values).tolist())


def _count_columns(columns: Columns, roles: Terms) -> dict[str, str]:
    """Count the examples of each kind, clusters, weights, distinct and missing scores."""
    is_small = columns[0][1].size <= MAX_ROWS_LOOKED_UP
    counted = [pair for pair in columns if is_small or pair[0] in ("score", "label", "count")]
    scores, labels = read_columns(counted, replace(roles, nan_policy="worst"))
    kinds = ("known positives", "known negatives", "unlabeled")
    sizes = labels._replace(weight=None).sizes()
    counts = {kind: f"{size:,}" for kind, size in zip(kinds, sizes, strict=True)}
    positive = labels.positive
    if labels.cluster is not None:
        numbers, known = np.unique(labels.cluster), np.unique(labels.cluster[positive])
        rows = np.bincount(labels.cluster)[numbers]
        size = " to ".join(dict.fromkeys(f"{n:,}" for n in (rows.min(), rows.max())))
        counts["clusters"] = f"{rows.size:,} of {size} rows, {known.size:,} with a known positive"
    for role, form in (("weight", ",g"), ("count", ",d")):
        if is_small and (times := getattr(labels, role)) is not None:
            text = f"{times.min():{form}} to {times.max():{form}}, {times.sum():{form}} in all"
            counts[f"{role}s"] = f"{text}, {times[positive].sum():{form}} of known positives"
    missing = sum(int(np.isnan(values).sum()) for values in scores)
    if roles.is_wide:
        counts["models"] = f"{len(scores):,}: {list_columns(roles.models)}"
    elif is_small:
        distinct, scored = np.unique(scores[0]).size - (missing > 0), scores[0].size - missing
        of_scores = "" if distinct == scored else f" in {scored:,} scores (ties share a cutoff)"
        counts["distinct scores"] = f"{distinct:,}{of_scores}"
    if missing:
        counts["missing scores"] = f"{missing:,}: {_MISSING[roles.nan_policy]}"
    return counts

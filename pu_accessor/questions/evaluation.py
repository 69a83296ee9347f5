"""Evaluate a method on each ranking: errors by group, warnings, and the frame of results."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isnan
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.beta import NO_BETA, Beta, Betas, name_group, split_key
from pu_accessor.errors import PUDataError, PUImportError, PUValueError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.assumption_tests import (
    Diagnostics,
    check_clusters,
    diagnose,
    diagnose_stack,
)
from pu_accessor.inference.comparison import list_pairs
from pu_accessor.inference.contingency import check_labels
from pu_accessor.questions import doubts
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.ranking import (
    AnnotatedRanking,
    Counts,
    FloatArray,
    KnownBlocks,
    LazyByKey,
    PairedRanks,
    Ranking,
    Value,
)
from pu_accessor.roles_and_assumptions import Terms

Content = TypeVar("Content")
Ranked = TypeVar("Ranked", Ranking, PairedRanks, AnnotatedRanking)
# Arrays by column name that broadcast against each other, and Index objects of all rows.
Columns: TypeAlias = Mapping[str, Any]

_MANY_GROUPS = 50  # beyond which groups may be meant as clusters
_LOCATED = ("rank", "threshold", "mean_score")  # columns before the target
_OUT_OF_MEMORY = (
    "There is not enough memory for this method, which compares known examples one by one. Keep "
    "fewer known examples, or use auroc for future data."
)


class Result(NamedTuple, Generic[Content]):
    """What a method computed from one ranking."""

    key: Hashable
    beta: Beta
    diagnostics: Diagnostics | None
    content: Content


@dataclass(frozen=True)
class Results(Generic[Content]):
    """The results of all rankings that have one, in the order of their keys."""

    names: tuple[str, ...]  # of the key's levels
    each: list[Result[Content]]
    betas: Betas | None
    terms: Terms
    skipped: Mapping[str, str] = field(default_factory=dict)  # reasons by name of the group
    # With on_error="nan": for all keys the reason of a missing result, or None.
    reasons: Mapping[Hashable, str | None] = field(default_factory=dict)

    @property
    def own_beta(self) -> bool:
        """Whether each ranking has a beta of its own."""
        return self.betas is not None and self.betas.shared is None

    @property
    def keys(self) -> list[Hashable]:
        """The key of each."""
        return [result.key for result in self.each]


def evaluate(
    terms: Terms,
    keyed: LazyByKey[Ranked],
    compute: Callable[[Ranked, Beta], Content],
    betas: Betas | None = None,
    *,
    compute_stack: Callable[[KnownBlocks, FloatArray], Sequence[Content | None]] | None = None,
    warn_limits: bool = True,
    per_group: bool = True,
) -> Results[Content]:
    """Compute a result of each ranking, or of paired ranks, perhaps of many together, and warn."""
    names, keys = keyed.names, keyed.keys
    if len(set(names)) < len(names):
        raise PUValueError(
            f"by must name different columns, but {list(names)} was passed. Name each once."
        )
    by_key = [NO_BETA] * len(keys) if betas is None else betas.of(names, keys)

    def compute_at(position: int) -> Result[Content]:
        ranking, beta, diagnostics = keyed.make(position), by_key[position], None
        if terms.monotone:
            ranking = ranking.with_fields(monotone=True)
        beta.check_counts(ranking.total)
        if isinstance(ranking, Ranking) and per_group:
            check_clusters(ranking)
        moved: Any = ranking
        if terms.sinks:  # unretrieved rows are below every cutoff
            check_labels(np.zeros(1), ranking.total)  # which names numbers of examples
            moved = moved.put_missing_last()
        content = compute(moved, beta)
        if betas is not None and isinstance(ranking, Ranking):
            diagnostics = diagnose(ranking, terms.level, random=terms.is_random)
        return Result(keys[position], beta, diagnostics, content)

    computed = {} if terms.monotone else _evaluate_stack(keyed, by_key, terms, compute_stack)
    each, failed = _evaluate_groups(keyed, compute_at, terms, computed)
    reasons = {name_group(names, keys[position]): why for position, why in failed.items()}
    results = Results(names, each, betas, terms, reasons)
    if terms.on_error == "nan" and each:
        by_key_reason = {key: failed.get(position) for position, key in enumerate(keys)}
        results = Results(names, each, betas, terms, {}, by_key_reason)
    elif reasons:
        doubts.warn_of_skipped(reasons, len(each))
    limits, level = warn_limits and per_group, terms.level
    doubts.warn_of_results(results, lambda r: doubts.doubt_result(r, level, limits, per_group))
    doubts.warn_of_reversed_scores(results, per_group=per_group)
    if terms.is_wide and terms.omits:
        doubts.warn_of_other_rows(results, terms.models)
    return results


def _evaluate_stack(
    keyed: LazyByKey[Any],
    by_key: list[Beta],
    terms: Terms,
    compute_stack: Callable[[KnownBlocks, FloatArray], Sequence[Content | None]] | None,
) -> dict[int, Result[Content]]:
    """Return the results that can be computed together, by position."""
    if compute_stack is None or keyed.stacked is None:
        return {}
    stack = keyed.stacked()
    moved = stack.put_missing_last() if terms.sinks else stack
    contents = compute_stack(moved, np.stack([beta.values for beta in by_key]))
    each = zip(
        keyed.keys,
        by_key,
        diagnose_stack(stack, terms.level, random=terms.is_random),
        contents,
        strict=True,
    )
    return {
        position: Result(key, beta, diagnostics, content)
        for position, (key, beta, diagnostics, content) in enumerate(each)
        if content is not None
    }


def _evaluate_groups(
    keyed: LazyByKey[Value],
    compute_at: Callable[[int], Result[Content]],
    terms: Terms,
    computed: Mapping[int, Result[Content]],
) -> tuple[list[Result[Content]], dict[int, str]]:
    """Return all results, and by position the reasons of groups without one."""
    results, errors = dict(computed), dict[int, PUDataError]()

    def attempt(position: int) -> Result[Content] | PUDataError:
        try:
            return compute_at(position)
        except (PUDataError, MemoryError) as error:
            known = error if isinstance(error, PUDataError) else PUDataError(_OUT_OF_MEMORY)
            return _group_error(known, keyed, position, terms)

    waiting = [position for position in range(len(keyed.keys)) if position not in computed]
    found = keyed.visit(attempt, waiting)
    for position, one in _with_progress_bar(found, len(waiting)) if terms.progress else found:
        if isinstance(one, PUDataError):
            errors[position] = one
        else:
            results[position] = one
    # The first sentence says what is wrong; the others, what to do.
    reasons = {position: str(errors[position]).partition(". ")[0] for position in sorted(errors)}
    return [results[position] for position in sorted(results)], reasons


def _group_error(
    error: PUDataError, keyed: LazyByKey[Any], position: int, terms: Terms
) -> PUDataError:
    """Return the error of a group; raise it unless such groups are skipped."""
    if not keyed.names:
        raise error
    if terms.on_error != "raise":
        return error
    step = " Pass on_error='skip' to skip such groups."
    if len(keyed.keys) > _MANY_GROUPS and len(keyed.names) == 1:
        step += f" Dependent rows are cluster={keyed.names[0]!r}, not groups."
    advice = "" if "on_error" in str(error) else step
    group = name_group(keyed.names, keyed.keys[position])
    raise type(error)(f"{group}: {error}{advice}") from error


def _with_progress_bar(found: Iterable[Content], number: int) -> Iterable[Content]:
    """Return what is found, with a progress bar."""
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise PUImportError(
            "progress=True needs the package tqdm, which is not installed: pip install tqdm."
        ) from error
    bar: Iterable[Content] = tqdm(found, total=number, unit="group")
    return bar


def check_estimate_total(results: Iterable[Result[Any]], estimate: Beta) -> None:
    """Raise if an estimate of beta for all rankings together is about other examples."""
    totals = [each.diagnostics.total for each in results if each.diagnostics is not None]
    estimate.check_counts(Counts(*map(sum, zip(*totals, strict=True))))


# Rows


def results_frame(
    results: Results[Any],
    columns: Callable[[Any, Beta], Columns] = lambda columns, _: columns,
    attrs: Mapping[str, Any] | None = None,
    *,
    join: Callable[[list[Any]], Any] | None = None,
) -> pd.DataFrame:
    """Return the columns of all rankings in one frame, after those of their keys.

    `columns` takes what was computed and beta: of each ranking, or of all joined by `join`.
    """
    contents, betas = [r.content for r in results.each], [r.beta for r in results.each]
    if join is not None:
        contents, betas = [join(contents)], [Beta(np.concatenate([b.values for b in betas]))]
    parts = [broadcast_columns(columns(*one)) for one in zip(contents, betas, strict=True)]
    stacked = parts[0]
    if results.names:
        check_key_names(results.names, results.names, stacked)
        rows = [len(next(iter(part.values()))) for part in parts]
        sizes = rows if join is None else rows[0] // len(results.each)
        keys = key_levels(results.names, results.keys)
        levels = {name: level.repeat(sizes) for name, level in keys.items()}
        joined = {}
        for name in stacked:
            first, *others = (part[name] for part in parts)
            is_index = isinstance(first, pd.Index)
            joined[name] = first.append(others) if is_index else np.concatenate([first, *others])
        stacked = {**levels, **joined}
    frame = ResultFrame(stacked)
    diagnostics = results.each[0].diagnostics
    if not results.names and diagnostics is not None:
        frame.attrs.update(ranking_attrs(diagnostics))
    if results.skipped:
        frame.attrs["skipped"] = dict(results.skipped)
    frame.attrs.update(attrs or {})
    return frame


def answer_columns(answers: Sequence[Answer], target: str | Sequence[str]) -> dict[str, Any]:
    """Return the columns of answers, stacked along a new last axis."""

    def stack(name: str) -> Any:
        columns = [one.columns.get(name) for one in answers]
        known = next(column for column in columns if column is not None)
        empty = np.full(known.shape, False if known.dtype == bool else np.nan)
        return np.stack([empty if column is None else column for column in columns], -1)

    names = dict.fromkeys(chain(*[one.columns for one in answers]))
    columns = {name: stack(name) for name in names}
    located = {name: columns.pop(name) for name in _LOCATED if name in names}
    parts = np.stack([one.parts for one in answers], -1)
    limits = dict(zip(("estimate", "lower", "upper"), parts, strict=True))
    return {**located, "target": target, **limits, **columns}


def add_failed_groups(frame: pd.DataFrame, results: Results[Any]) -> pd.DataFrame:
    """Add a row of NaN and the reason for each group without a result, with on_error="nan"."""
    if not results.reasons:
        return frame
    keys, names = pd.DataFrame(key_levels(results.names, [*results.reasons])), [*results.names]
    nullable = {"i": "Int64", "b": "boolean"}
    dtypes = frame.drop(columns=names).dtypes.items()
    body = frame.astype({name: nullable.get(dtype.kind, dtype) for name, dtype in dtypes})
    reasons = keys.assign(reason=np.array([*results.reasons.values()], dtype=object))
    filled = ResultFrame(reasons.merge(body, how="left", on=names))
    filled["reason"] = filled.pop("reason")
    for name in {"metric", "target"} & {*frame}:
        first = frame[name].iloc[0]
        filled[name] = first if (frame[name] == first).all() else filled[name]
    filled.attrs = frame.attrs
    return filled


def ranking_attrs(diagnostics: Diagnostics) -> dict[str, float]:
    """Return the counts of one ranking, its effective size and its limit on beta, by name."""
    counts = {f"n_{kind}": count for kind, count in diagnostics.total._asdict().items()}
    more = {"n_effective": diagnostics.n_effective, "beta_limit": diagnostics.beta_limit}
    return {**counts, **{name: value for name, value in more.items() if not isnan(value)}}


def key_levels(names: Sequence[str], keys: Sequence[Hashable]) -> dict[str, pd.Index]:
    """Return the levels of keys, by name."""
    levels = zip(*(split_key(names, key) for key in keys), strict=True)
    indexes = (pd.Index(level, tupleize_cols=False) for level in levels)
    return dict(zip(names, indexes, strict=True))


def broadcast_columns(columns: Columns) -> dict[str, Any]:
    """Return columns broadcast to one length."""
    plain = {name: column for name, column in columns.items() if not isinstance(column, pd.Index)}
    arrays = np.broadcast_arrays(*plain.values())
    return {**columns, **{n: array.ravel() for n, array in zip(plain, arrays, strict=True)}}


def check_key_names(names: Sequence[str], written: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if a column of keys has the name of another column."""
    others = list(columns)
    if taken := [name for name in written if name in others]:
        raise PUValueError(
            f"by must not be called {', '.join(names)}: {taken[0]!r} is a column of the result "
            f"({others}). Rename the column first."
        )


def difference_columns(tests: Answer) -> dict[str, FloatArray]:
    """Return the columns of differences and their limits."""
    return dict(zip(("difference", "lower", "upper"), tests.parts, strict=True))


def pair_columns(
    names: Sequence[str], keys: Sequence[Hashable], columns: Columns
) -> dict[str, Any]:
    """Return columns of pairs: the two keys, then others over pairs and betas."""
    pairs, flat = list_pairs(len(keys)), broadcast_columns(columns)
    times = len(next(iter(flat.values()))) // pairs[0].size
    named = {
        f"{name}_{side}": level.take(positions.repeat(times))
        for side, positions in zip("ab", pairs, strict=True)
        for name, level in key_levels(names, keys).items()
    }
    check_key_names(names, named, columns)
    return {**named, **flat}

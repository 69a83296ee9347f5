"""Evaluate a method on each ranking: errors by group, warnings, and the frame of results."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isnan
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.beta import NO_BETA, Beta, Betas, name_group, split_key
from pu_accessor.errors import (
    PUDataError,
    PUImportError,
    PUValueError,
    brief,
    shorten,
    warn_caller,
)
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.assumption_tests import (
    Diagnostics,
    check_clusters,
    diagnose,
    diagnose_stack,
)
from pu_accessor.inference.contingency import check_labels
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

_MIN_EFFECTIVE_SIZE = 10  # known positives
MIN_CLUSTERS = 10  # with a known positive
_MAX_WEIGHT_SHARE = 0.1  # of one row
_LOW_AUROC = 0.35  # of known positives against the rest: scores may be reversed
_LOW_AUROC_ERRORS = 3.5  # standard errors below a half
_MANY_GROUPS = 50  # beyond which groups may be meant as clusters
_LOCATED = ("rank", "threshold", "mean_score")  # columns before the target
_ABOVE_LIMIT = (
    "beta exceeds the upper limit that the known positives set at this level ({}). Pass a "
    "smaller beta (see df.pu.estimate_beta). If beta is right, the known positives are not a "
    "random sample of the positives."
)
_FEW_EFFECTIVE = (
    f"The effective number of known positives is below {_MIN_EFFECTIVE_SIZE} ({{}}): a few "
    "small propensities have most of the weight, and intervals may be wrong. Label more such "
    "examples, or bound the propensities from below: df['propensity'].clip(lower=0.05)."
)
_NOT_MONOTONE = (
    "monotone=True is rejected at level {:g}: no concave curve fits the known positives where "
    "this share of the rest ranks above ({{}}). Leave monotone out: results that assume it are "
    "wrong."
)
FEW_CLUSTERS = (
    f"Fewer than {MIN_CLUSTERS} clusters contain a known positive ({{}}): the variation "
    "among clusters is hardly known, and intervals may be wrong. Label positives of more "
    "clusters."
)
_HEAVY_ROW = (
    "One row has more than a tenth of the weight of its kind, known positives or others ({}). "
    "With weight= it counts as one sampled row, and intervals are long. If it stands for that "
    "many identical rows: df.pu(count=...)."
)
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
        _warn_of_skipped(reasons, len(each))
    limits = warn_limits and per_group
    found = [(r.key, _doubts(r, terms.level, limits, per_group)) for r in each if r.diagnostics]
    warn_of_groups(names, found)
    _warn_of_reversed_scores(results, per_group=per_group)
    if terms.is_wide and terms.omits:
        _warn_of_other_rows(results, terms.models)
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


# Warnings


def _warn_of_skipped(reasons: Mapping[str, str], n_results: int) -> None:
    """Warn of skipped groups; raise if no group has a result."""
    (group, why), *further = reasons.items()
    others = f" The others: {_join_first(other for other, _ in further)}." if further else ""
    if not n_results:
        raise PUDataError(f"No group has a result: {group}: {why}.{others}")
    warn_caller(
        f"{len(reasons)} of {len(reasons) + n_results} groups are left out (on_error='skip'): "
        f"{group}: {why}.{others} attrs['skipped'] has the reason of each."
    )


def _doubts(
    result: Result[Any], level: float, warn_limits: bool, per_group: bool
) -> dict[str, str]:
    """Return warnings about beta, the data or the scores of one ranking, each with a number."""
    one: Any = result.diagnostics
    beta, doubts = result.beta, dict[str, str]()
    lowest = np.array([beta.lower]) if beta.is_estimate else beta.values
    if warn_limits and (high := one.beyond(lowest)).size:
        values = ", ".join(f"{value:g}" for value in np.unique(high).tolist())
        doubts[_ABOVE_LIMIT] = f"{values} > {one.beta_limit:.4g}"
    elif one.n_effective < _MIN_EFFECTIVE_SIZE:
        doubts[_FEW_EFFECTIVE] = f"{one.n_effective:.1f}"
    if not isnan(one.refuted_at):
        doubts[_NOT_MONOTONE.format(level)] = f"{100 * one.refuted_at:.2g}%"
    if per_group and one.clusters < MIN_CLUSTERS:
        doubts[FEW_CLUSTERS] = f"{one.clusters:g}"
    if per_group and one.heaviest > _MAX_WEIGHT_SHARE:
        doubts[_HEAVY_ROW] = f"{one.heaviest:.0%}"
    return doubts


def _warn_of_reversed_scores(results: Results[Any], *, per_group: bool) -> None:
    """Warn of scores that may be lower for positives, in each group or on average."""
    known = [
        (key, one.above, one.above_error)
        for key, _, one, _ in results.each
        if one is not None and not isnan(one.above)
    ]
    if not known:
        return
    keys, *numbers = zip(*known, strict=True)
    (areas, errors), names, terms = np.array(numbers), results.names, results.terms
    if not per_group:
        keys, names, areas = ((),), (), areas.mean(keepdims=True)
        errors = np.sqrt(np.sum(errors**2, keepdims=True)) / errors.size
    # More groups need more standard errors, to warn as rarely as with one.
    needed = _LOW_AUROC_ERRORS + 0.55 * np.log10(areas.size)
    low = np.flatnonzero((areas < _LOW_AUROC) & (0.5 - areas > needed * errors))
    if low.size:
        wide = terms.is_wide and per_group
        model = split_key(names, keys[low[0]])[-1] if wide else terms.models[0]
        text = (
            "Known positives score far below the others: AUROC against them is less than "
            f"{_LOW_AUROC} ({{}}). Higher scores must be more positive. If lower is, as for "
            f"energies, distances and ranks, negate the scores first: df[{model!r}] = "
            f"-df[{model!r}]."
        )
        warn_of_groups(names, [(keys[one], {text: f"{areas[one]:.2g}"}) for one in low.tolist()])


def _warn_of_other_rows(results: Results[Any], models: list[Hashable]) -> None:
    """Warn of models that score different rows, which compare leaves out."""
    totals: dict[tuple[Hashable, ...], dict[Hashable, Counts]] = {}
    for key, _, one, _ in results.each:
        if one is not None:
            totals.setdefault(split_key(results.names, key)[:-1], {})[key] = one.total
    text = (
        "With nan_policy='omit' models are evaluated on different rows ({}), among which beta may "
        f"differ. On common rows, as compare: df.dropna(subset={brief(models)})."
    )
    differing = [
        (key, {text: f"{sum(total):g} rows, {total.known_positive:g} known"})
        for of_models in totals.values()
        for key, total in of_models.items()
        if len({*of_models.values()}) > 1
    ]
    warn_of_groups(results.names, differing)


def warn_of_groups(
    names: Sequence[str], found: Iterable[tuple[Hashable, Mapping[str, str]]]
) -> None:
    """Warn once in each text that some groups have, with the detail of each."""
    details: dict[str, list[str]] = {}
    for key, texts in found:
        group = f"{name_group(names, key)}: " if names else ""
        for text, detail in texts.items():
            details.setdefault(text, []).append(f"{group}{detail}")
    for text, each in details.items():
        warn_caller(text.format(_join_first(each)))


def _join_first(groups: Iterable[str]) -> str:
    """Join the first three names of groups."""
    return shorten(groups, "; ", most=3, width=100)


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

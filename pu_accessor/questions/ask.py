"""Put a question to each ranking: errors by group, warnings, and the rows of the answers."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.beta import NO_BETA, Beta, Betas, name_group, split_key
from pu_accessor.errors import PUDataError, PUImportError, PUValueError, shorten, warn_caller
from pu_accessor.inference.diagnostics import Diagnostics, check_clusters, diagnose, diagnose_stack
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.questions.tidy import TidyFrame
from pu_accessor.ranking import (
    AnnotatedRanking,
    Counts,
    FloatArray,
    LazyByKey,
    NeedsAnotherPassError,
    PairedRanks,
    Ranking,
    TieBlocks,
    Value,
)
from pu_accessor.terms import Terms

Content = TypeVar("Content")
Ranked = TypeVar("Ranked", Ranking, PairedRanks, AnnotatedRanking)
# By name, in the order of the frame: arrays that broadcast against each other, whose rows are
# those of the common shape; numbers and texts stand in every row. An Index has all rows itself.
Columns: TypeAlias = Mapping[str, Any]

_MIN_EFFECTIVE_SIZE = 10  # known positives below which it is said
_MIN_CLUSTERS = 10  # that hold a known positive, likewise
_HEAVY = 0.1  # share of weight that one row holds, beyond which it is said
_FAR_BELOW = 0.35  # AUROC of known positives against the rest, of scores that may run down
_BY_CHANCE = 3.5  # standard errors below a half
_MANY_GROUPS = 50  # beyond which rows of one may be meant to belong together


class Answer(NamedTuple, Generic[Content]):
    """What a question makes of one ranking."""

    key: Hashable
    beta: Beta
    about: Diagnostics | None
    content: Content


@dataclass(frozen=True)
class Answers(Generic[Content]):
    """The answers of all rankings that have one, in the order of their keys."""

    names: tuple[str, ...]  # of the key's levels
    each: list[Answer[Content]]
    betas: Betas | None
    settings: Settings
    skipped: Mapping[str, str] = field(default_factory=dict)  # groups without an answer, and why
    # Of on_error="nan" all keys, and why some have no answer.
    reasons: Mapping[Hashable, str | None] = field(default_factory=dict)

    @property
    def own_beta(self) -> bool:
        """Whether each ranking has a beta of its own."""
        return self.betas is not None and self.betas.shared is None

    @property
    def keys(self) -> list[Hashable]:
        """The key of each."""
        return [answer.key for answer in self.each]


def ask(
    terms: Terms,
    keyed: LazyByKey[Ranked],
    question: Callable[[Ranked, Beta, Settings], Content],
    betas: Betas | None = None,
    settings: Settings | None = None,
    *,
    at_once: Callable[[TieBlocks, FloatArray], Sequence[Content | None]] | None = None,
    limits: bool = True,
    apart: bool = True,
) -> Answers[Content]:
    """Put a question to each ranking, or to the paired ranks of each group.

    Warns where beta exceeds its limit (`limits`) and where few clusters hold a known positive
    (`apart`: rankings have answers of their own). `at_once` answers a stack of many rankings.
    """
    names, keys = keyed.names, keyed.keys
    if len(set(names)) < len(names):
        raise PUValueError(f"by must name different columns, but {list(names)} was passed.")
    by_key = [NO_BETA] * len(keys) if betas is None else betas.of(names, keys)
    shared = Settings() if settings is None else settings
    settings_by_key = [shared.of(names, key) for key in keys]

    def answer(position: int) -> Answer[Content]:
        ranking, beta, about = keyed.make(position), by_key[position], None
        if terms.monotone:
            ranking = ranking.with_fields(monotone=True)
        beta.check_counts(ranking.total)
        if isinstance(ranking, Ranking) and apart:
            check_clusters(ranking)
        content = question(_sink(ranking, terms), beta, settings_by_key[position])
        if settings is not None and isinstance(ranking, Ranking):
            about = diagnose(ranking, settings.level, random=not settings.failure)
        return Answer(keys[position], beta, about, content)

    ready: dict[int, Answer[Any]] = {}
    if at_once is not None and keyed.stacked is not None and not terms.monotone:
        stack = keyed.stacked()
        contents = at_once(stack, np.stack([beta.values for beta in by_key]))
        at_each = enumerate(map(Answer, keys, by_key, diagnose_stack(stack), contents))
        ready = {i: result for i, result in at_each if result.content is not None}
    each, left_out = _collect(keyed, answer, terms, ready)
    whys = {name_group(names, keys[place]): why for place, why in left_out.items()}
    answers = Answers(names, each, betas, shared, whys)
    if terms.on_error == "nan" and each:
        reasons = {key: left_out.get(place) for place, key in enumerate(keys)}
        answers = Answers(names, each, betas, shared, {}, reasons)
    elif whys:
        _warn_of_skipped(whys, len(each))
    _warn_of_rankings(answers, limits=limits and apart)
    _warn_of_order(answers, terms, apart=apart)
    if apart:
        known = [(key, about) for key, _, about, _ in each if about is not None]
        warn_of_few_clusters(names, [(key, about.clusters) for key, about in known])
        heavy = [(k, f"{one.heaviest:.0%}") for k, one in known if one.heaviest > _HEAVY]
        warn_of_groups(names, heavy, _ONE_ROW, "clusters#counts")
    return answers


def _sink(ranking: Any, terms: Terms) -> Any:
    """Return the ranking that is asked: with rows that were never ranked below any cutoff."""
    if not terms.sinks:
        return ranking
    check_labels(np.zeros(1), ranking.total)  # which names numbers of examples
    return ranking.put_missing_last()


def _collect(
    keyed: LazyByKey[Value],
    answer: Callable[[int], Answer[Content]],
    terms: Terms,
    ready: Mapping[int, Answer[Content]],
) -> tuple[list[Answer[Content]], dict[int, str]]:
    """Return all answers, and by position why groups that are left out have none."""
    answers, left_out = dict(ready), dict[int, PUDataError]()
    waiting = [position for position in range(len(keyed.keys)) if position not in ready]
    while waiting:
        later: list[int] = []
        for position in _with_bar(waiting) if terms.progress else waiting:
            try:
                answers[position] = answer(position)
            except NeedsAnotherPassError:
                later.append(position)
            except (PUDataError, MemoryError) as error:
                known = error if isinstance(error, PUDataError) else PUDataError(_TOO_MANY)
                left_out[position] = _left_out(known, keyed, position, terms)
        if later and keyed.refine:
            keyed.refine()
        waiting = later
    # What is wrong, without what others are to do.
    whys = {place: str(left_out[place]).partition(". ")[0] for place in sorted(left_out)}
    return [answers[position] for position in sorted(answers)], whys


def _left_out(
    error: PUDataError, keyed: LazyByKey[Any], position: int, terms: Terms
) -> PUDataError:
    """Return why a group has no answer; raise it unless such groups are left out."""
    if not keyed.names:
        raise error
    if terms.on_error != "raise":
        return error
    step = " Pass on_error='skip' to leave such groups out, 'nan' for rows of NaN."
    if len(keyed.keys) > _MANY_GROUPS and len(keyed.names) == 1:
        step += f" Rows that belong together are cluster={keyed.names[0]!r}, not groups."
    advised = "" if "on_error" in str(error) else step
    group = name_group(keyed.names, keyed.keys[position])
    raise type(error)(f"{group}: {error}{advised}") from error


def _with_bar(positions: Sequence[int]) -> Iterable[int]:
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise PUImportError(
            "progress=True needs the package tqdm, which is not installed: pip install tqdm."
        ) from error
    bar: Iterable[int] = tqdm(positions, unit="group")
    return bar


_TOO_MANY = (
    "There is not enough memory for this answer, which takes known examples one by one. Keep "
    "fewer of them, or ask for the auroc of new examples."
)


# Warnings

_ONE_ROW = (
    "One row holds more than a tenth of the weight of its kind, known positives or others ({}). "
    "With weight= it says as much as one row, and intervals are long. If it stands for so many "
    "identical rows: df.pu(count=...)."
)

_RUNS_DOWN = (
    "Known positives score far below the others: AUROC against them is less than "
    f"{_FAR_BELOW} ({{}}). Higher must be more positive. Where lower is, as of energies, "
    "distances and ranks, turn the scores first: {}."
)


def _warn_of_skipped(skipped: Mapping[str, str], answered: int) -> None:
    (group, why), *further = skipped.items()
    others = f" The others: {_first(other for other, _ in further)}." if further else ""
    if not answered:
        raise PUDataError(f"No group has an answer: {group}: {why}.{others}")
    warn_caller(
        f"{len(skipped)} of {len(skipped) + answered} groups are left out (on_error='skip'): "
        f"{group}: {why}.{others} Tables and numbers say why of each: attrs['skipped']."
    )


def _warn_of_rankings(answers: Answers[Any], *, limits: bool) -> None:
    beyond, few, refuted = [], [], []
    for key, beta, about, _ in answers.each:
        if about is None:
            continue
        least = np.array([beta.lower]) if beta.is_estimate else beta.values  # that it can be
        high = about.beyond(least) if limits and not isnan(about.beta_limit) else NO_BETA.values
        if high.size:
            values = ", ".join(f"{value:g}" for value in np.unique(high).tolist())
            beyond.append((key, f"{values} > {about.beta_limit:.4g}"))
        elif about.n_effective < _MIN_EFFECTIVE_SIZE:
            few.append((key, f"{about.n_effective:.1f}"))
        if not isnan(about.refuted_at):
            refuted.append((key, f"{100 * about.refuted_at:.2g}%"))
    warn_of_groups(
        answers.names,
        beyond,
        "beta exceeds the upper limit that the known positives set at this level ({}). Pass a "
        "smaller beta (see df.pu.estimate_beta); if it is right, labels are no random sample of "
        "the positives.",
        "beta#too-high",
    )
    warn_of_groups(
        answers.names,
        few,
        f"The effective number of known positives is below {_MIN_EFFECTIVE_SIZE} ({{}}): a few "
        "small propensities weigh more than all others, and intervals do not hold. Label more of "
        "such examples, or bound the propensities from below: df['propensity'].clip(lower=0.05).",
        "biased_labels",
    )
    warn_of_groups(
        answers.names,
        refuted,
        f"monotone=True is refuted at level {answers.settings.level:g}: no concave curve fits "
        "the known positives where so much of the rest lies above ({}). Leave monotone out: what "
        "takes it for granted is wrong.",
        "monotone",
    )


def _warn_of_order(answers: Answers[Any], terms: Terms, *, apart: bool) -> None:
    """Warn of scores that run down, as energies do: in each group, or in their mean."""
    there = [(key, about) for key, _, about, _ in answers.each if about is not None]
    known = [(key, about) for key, about in there if not isnan(about.above)]
    keys, names = [key for key, _ in known], answers.names
    above, error = np.array([[one.above, one.above_error] for _, one in known]).reshape(-1, 2).T
    if known and not apart:
        keys, names, above = [()], (), above.mean(keepdims=True)
        error = np.sqrt(np.sum(error**2, keepdims=True)) / error.size
    least = _BY_CHANCE + 0.55 * np.log10(max(above.size, 1))  # so that many warn as rarely as one
    far = np.flatnonzero((above < _FAR_BELOW) & (0.5 - above > least * error))
    if far.size:
        model = split_key(names, keys[far[0]])[-1] if terms.is_wide and apart else terms.models[0]
        turn = f"df[{model!r}] = -df[{model!r}]"
        found = [(keys[place], f"{above[place]:.2g}") for place in far.tolist()]
        warn_of_groups(names, found, _RUNS_DOWN.format("{}", turn), "labels#scores")


def warn_of_few_clusters(names: Sequence[str], held: Iterable[tuple[Hashable, float]]) -> None:
    """Warn of rankings of which few clusters hold a known positive."""
    few = [(key, f"{number:g}") for key, number in held if number < _MIN_CLUSTERS]
    text = (
        f"Fewer than {_MIN_CLUSTERS} clusters hold a known positive ({{}}): how far clusters "
        "differ is hardly known, and intervals may not hold. Label positives of more of them."
    )
    warn_of_groups(names, few, text, "clusters")


def warn_of_groups(
    names: Sequence[str], found: Sequence[tuple[Hashable, str]], text: str, page: str
) -> None:
    """Warn of the groups that were found, if there are any, with what was found in each."""
    if found:
        first = _first(
            f"{name_group(names, key)}: {what}" if names else what for key, what in found
        )
        warn_caller(text.format(first), page=page)


def _first(groups: Iterable[str]) -> str:
    return shorten(groups, "; ", most=3, width=100)


def warn_of_rows(
    frame: pd.DataFrame, rows: "pd.Series[bool]", names: Sequence[str], message: str
) -> None:
    """Warn of some rows of a frame, if there are any."""
    if rows.any():
        keys = frame.loc[rows, [*names, "beta"]].to_dict("records")
        where = shorten(map(str, keys), most=3, width=100)
        text = f"In {rows.sum()} of {len(frame)} rows {message}. They are at [{where}]."
        warn_caller(text, page="beta#too-high" if "beta" in message else None)


def check_total(answers: Iterable[Answer[Any]], estimate: Beta) -> None:
    """Raise if an estimate for all rankings together is about other examples."""
    totals = [each.about.total for each in answers if each.about is not None]
    estimate.check_counts(Counts(*map(sum, zip(*totals, strict=True))))


# Rows


def as_rows(
    answers: Answers[Any],
    columns: Callable[[Any, Beta], Columns] = lambda columns, _: columns,
    attrs: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Put the columns of all rankings below each other, those of their keys first."""
    parts = [broadcast(columns(content, beta)) for _, beta, _, content in answers.each]
    check_names(answers.names, answers.names, parts[0])
    sizes = [len(next(iter(part.values()))) for part in parts]
    keys = key_levels(answers.names, answers.keys)
    levels = {name: level.repeat(sizes) for name, level in keys.items()}
    below = {name: _concatenate([part[name] for part in parts]) for name in parts[0]}
    frame = TidyFrame({**levels, **below})
    about = answers.each[0].about
    if not answers.names and about is not None:
        frame.attrs.update(describe(about))
    if answers.skipped:
        frame.attrs["skipped"] = dict(answers.skipped)
    frame.attrs.update(attrs or {})
    return frame


def with_reasons(frame: pd.DataFrame, answers: Answers[Any]) -> pd.DataFrame:
    """Give each group without an answer a row of NaN that says why, where that is asked for.

    Integers stay integers, in the dtype that can be missing.
    """
    if not answers.reasons:
        return frame
    keys, names = pd.DataFrame(key_levels(answers.names, [*answers.reasons])), [*answers.names]
    nullable = {"i": "Int64", "b": "boolean"}
    dtypes = frame.drop(columns=names).dtypes.items()
    body = frame.astype({name: nullable.get(dtype.kind, dtype) for name, dtype in dtypes})
    why = keys.assign(reason=np.array([*answers.reasons.values()], dtype=object))
    filled = TidyFrame(why.merge(body, how="left", on=names))
    filled["reason"] = filled.pop("reason")
    for name in {"metric", "target"} & {*frame}:  # asked of all
        first = frame[name].iloc[0]
        filled[name] = first if (frame[name] == first).all() else filled[name]
    filled.attrs = frame.attrs
    return filled


def describe(about: Diagnostics) -> dict[str, float]:
    """Return the numbers of one ranking that stand beside its answers, by name."""
    counts = {f"n_{kind}": count for kind, count in about.total._asdict().items()}
    more = {"n_effective": about.n_effective, "beta_limit": about.beta_limit}
    return {**counts, **{name: value for name, value in more.items() if not isnan(value)}}


def key_levels(names: Sequence[str], keys: Sequence[Hashable]) -> dict[str, pd.Index]:
    """Return the levels of keys, by name."""
    levels = zip(*(split_key(names, key) for key in keys), strict=True)
    indexes = (pd.Index(level, tupleize_cols=False) for level in levels)
    return dict(zip(names, indexes, strict=True))


def broadcast(columns: Columns) -> dict[str, Any]:
    """Return columns of one length."""
    arrays = {
        name: column if isinstance(column, pd.Index) else np.asarray(column)
        for name, column in columns.items()
    }
    shape = np.broadcast_shapes(
        *(array.shape for array in arrays.values() if not isinstance(array, pd.Index))
    )
    return {
        name: array if isinstance(array, pd.Index) else np.broadcast_to(array, shape).ravel()
        for name, array in arrays.items()
    }


def _concatenate(parts: Sequence[Any]) -> Any:
    first, *others = parts
    return first.append(others) if isinstance(first, pd.Index) else np.concatenate(parts)


def check_names(names: Sequence[str], written: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if columns of keys would be called as others are."""
    others = list(columns)
    if taken := [name for name in written if name in others]:
        raise PUValueError(
            f"by must not be called {', '.join(names)}, as {taken[0]!r} is a column of the result "
            f"({others}). Rename the column first."
        )

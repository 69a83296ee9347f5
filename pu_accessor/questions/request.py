"""One question is put to many rankings: what each answers, what to warn of, and the rows."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan, nan
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import refuse_odds
from pu_accessor.errors import PUDataError, PUImportError, PUValueError, shorten, warn_caller
from pu_accessor.inference.diagnostics import Diagnostics, check_clusters, diagnose, has_one
from pu_accessor.inference.settings import Beta, Settings
from pu_accessor.questions.betas import Betas, name_group, split_key
from pu_accessor.ranking import (
    Annotated,
    Counts,
    FloatArray,
    Keyed,
    Kind,
    NeedsRefinementError,
    PairedRanks,
    Ranking,
    Rankings,
    Ranks,
    Stack,
)

Content = TypeVar("Content")

# By name, in the order of the frame: arrays that broadcast against each other, whose rows are
# those of the common shape; numbers and texts stand in every row. An Index has all rows itself.
Columns: TypeAlias = Mapping[str, Any]


class Result(NamedTuple, Generic[Content]):
    """What one ranking answers: its betas, what is to be known of it, and the content."""

    key: Hashable
    beta: Beta
    about: Diagnostics | None
    content: Content


@dataclass(frozen=True)
class Results(Generic[Content]):
    """What all rankings answer."""

    names: tuple[str, ...]  # of the key's levels
    each: list[Result[Content]]  # in the order of the keys
    betas: Betas | None  # with which rankings were asked
    settings: Settings
    skipped: Mapping[str, str] = field(default_factory=dict)  # groups without an answer, and why

    @property
    def own_beta(self) -> bool:
        """Whether each ranking has a beta of its own."""
        return self.betas is not None and self.betas.shared is None


def check_total(results: Iterable[Result[Any]], estimate: Beta) -> None:
    """Raise if beta was estimated from other examples than those of all results together."""
    totals = [each.about.total for each in results if each.about is not None]
    estimate.check_counts(Counts(*map(sum, zip(*totals, strict=True))))


def as_rows(
    results: Results[Any],
    columns: Callable[[Any, Beta], Columns] = lambda columns, _: columns,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> pd.DataFrame:
    """Put the columns of all rankings below each other, those of their keys first.

    What all rows share, as `settings` say it, are attributes: a frame is to fit a terminal.
    """
    parts = [broadcast(columns(content, beta)) for _, beta, _, content in results.each]
    check_names(results.names, results.names, parts[0])
    sizes = [len(next(iter(part.values()))) for part in parts]
    keys = key_levels(results.names, [each.key for each in results.each])
    levels = {name: level.repeat(sizes) for name, level in keys.items()}
    below = {name: _concatenate([part[name] for part in parts]) for name in parts[0]}
    frame = pd.DataFrame({**levels, **below})
    about = results.each[0].about
    if not results.names and about is not None:
        frame.attrs.update(describe(about))
    if results.skipped:
        frame.attrs["skipped"] = dict(results.skipped)
    frame.attrs.update(settings)
    return frame


def key_levels(names: Sequence[str], keys: Sequence[Hashable]) -> dict[str, pd.Index]:
    """Return what keys have for each name."""
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
    """Put columns below each other; an Index keeps its dtype."""
    first, *others = parts
    return first.append(others) if isinstance(first, pd.Index) else np.concatenate(parts)


def name_settings(settings: Settings, target: str, betas: Betas | None = None) -> dict[str, Any]:
    """Say with what an answer was found: what is as usual, such as odds of 1, is left out."""
    prevalence = settings.prevalence
    named: dict[str, Any] = {"level": settings.level, "target": target, **settings.failure}
    named |= {} if prevalence is None else {"prevalence": prevalence}
    if betas is not None and betas.are_estimates:
        named |= {} if betas.estimate is None else {"beta_interval": betas.estimate.interval}
    return named


def check_names(names: Sequence[str], written: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if columns of keys would have the names of other columns."""
    others = list(columns)
    if taken := [name for name in written if name in others]:
        raise PUValueError(
            f"by must not be called {', '.join(names)}, as {taken[0]!r} is a column of the result "
            f"({others}). Rename the column first."
        )


def describe(about: Diagnostics) -> dict[str, float]:
    """Return the numbers of a ranking that there are, by name."""
    counts = {f"n_{kind}": count for kind, count in about.total._asdict().items()}
    more = {"n_effective": about.n_effective, "beta_limit": about.beta_limit}
    return {**counts, **{name: value for name, value in more.items() if value == value}}


Ranked = TypeVar("Ranked", Ranking, PairedRanks, Annotated)

FEW_EFFECTIVE = 10  # known positives below which it is said
_MANY_GROUPS = 50  # beyond which rows of one may be meant to belong together
FEW_CLUSTERS = 10  # that hold a known positive, likewise
_NO_BETA = Beta(np.empty(0))


class Request(NamedTuple):
    """Whom a question is put to. Nothing is read before `rank` or `pair` is called."""

    rank: Callable[[Ranks], Rankings]
    pair: Callable[[Any], Keyed[PairedRanks]]  # from what identifies an example, or None
    annotate: Callable[
        [Any, Any], Keyed[Annotated]
    ]  # from columns of waves and of strata, or None
    on_error: str = "raise"  # or "skip": what to do with a ranking that has no answer
    progress: bool = False
    # Coordinates of the dimensions that keys are the product of, where they are one.
    template: Callable[[], xr.Dataset | None] = lambda: None

    def rankings(self, ranks: Ranks, settings: Settings) -> Rankings:
        """Return the rankings at some cutoffs: all where bounds by rank speak of all."""
        return self.rank("all" if settings.is_by_rank and isinstance(ranks, str) else ranks)


def map_rankings(
    request: Request,
    keyed: Keyed[Ranked],
    question: Callable[[Ranked, Beta, Settings], Content],
    betas: Betas | None = None,
    settings: Settings | None = None,
    *,
    at_once: Callable[[Stack, FloatArray], Sequence[Content | None]] | None = None,
    warn: bool = True,
    alone: bool = True,
    clustered: bool = False,
) -> Results[Content]:
    """Put a question to each ranking, or to the paired ranks of each group.

    With `settings` each result says what a reader should know of its ranking. `at_once` answers
    for many small rankings, with None for those to which `question` has to be put. `warn` where
    beta exceeds the limit that the known positives set. `clustered`: the answer knows of examples
    that belong together; others are refused to these. `alone`: it is one for each ranking, whose
    known positives and clusters have to suffice; else it knows of clusters, and warns by itself.
    """
    names, keys = keyed.names, keyed.keys
    by_key = [_NO_BETA] * len(keys) if betas is None else betas.of(names, keys)
    shared = Settings() if settings is None else settings
    settings_by_key = [shared.of(names, key) for key in keys]

    def answer(position: int) -> Result[Content]:
        ranking, beta, about = keyed.make(position), by_key[position], None
        beta.check_counts(ranking.total)
        if alone and not clustered:
            _refuse_clusters(ranking, settings)
        if isinstance(ranking, Ranking) and alone:
            check_clusters(ranking)
        content = question(ranking, beta, settings_by_key[position])
        if settings is not None and isinstance(ranking, Ranking):
            about = diagnose(ranking, settings.level, random=not settings.failure)
        return Result(keys[position], beta, about, content)

    ready: dict[int, Any] = {}
    if at_once is not None and keyed.together is not None:
        stack = keyed.together()
        contents = at_once(stack, np.stack([beta.values for beta in by_key]))
        totals = map(Counts._make, stack.total.tolist())
        # Beta is within the limit.
        abouts = [Diagnostics(total, nan, nan, single=has_one(total)) for total in totals]
        at_each = enumerate(map(Result, keys, by_key, abouts, contents))
        ready = {i: result for i, result in at_each if result.content is not None}
    each, skipped = _collect(keyed, answer, request, ready)
    results = Results(names, each, betas, shared, skipped)
    _warn_of_rankings(results, limits=warn and alone)
    if alone:
        held = [(key, about.clusters) for key, _, about, _ in each if about is not None]
        warn_of_few_clusters(names, held)
    return results


def _refuse_clusters(
    ranking: Ranking | PairedRanks | Annotated, settings: Settings | None
) -> None:
    """Raise where an answer would take rows of one cluster as independent."""
    if isinstance(ranking, Ranking) and ranking.clusters is not None:
        if settings is not None:
            refuse_odds(settings.selection_odds, designed=True)
        role = "weight" if ranking.clusters.alone else "cluster"
        raise PUValueError(
            f"{role} must be left out here, but is bound: this takes each row as one of a random "
            "sample. For others there are tables and curves, calibration, compare, and, with "
            "target='population', auroc, average_precision, bedroc and metric.",
            page="clusters",
        )


def _collect(
    keyed: Keyed[Kind],
    answer: Callable[[int], Result[Content]],
    request: Request,
    ready: Mapping[int, Result[Content]],
) -> tuple[list[Result[Content]], dict[str, str]]:
    """Return the results of all rankings, and why some are left out; an error names its group."""
    if len(set(keyed.names)) < len(keyed.names):
        raise PUValueError(f"by must name different columns, but {list(keyed.names)} was passed.")
    results = dict(ready)
    left_out: dict[int, tuple[str, str]] = {}
    waiting = [position for position in range(len(keyed.keys)) if position not in ready]
    outcomes = _in_rounds(keyed, answer, waiting)
    for position, outcome in _with_bar(outcomes, len(waiting), request.progress):
        if not isinstance(outcome, PUDataError):
            results[position] = outcome
            continue
        if not keyed.names:
            raise outcome
        group = name_group(keyed.names, keyed.keys[position])
        if request.on_error == "raise":
            step = " Pass on_error='skip' to leave such groups out."
            if len(keyed.keys) > _MANY_GROUPS and len(keyed.names) == 1:
                step += f" Rows that belong together are cluster={keyed.names[0]!r}, not groups."
            advised = "" if "on_error" in str(outcome) else step
            raise type(outcome)(f"{group}: {outcome}{advised}") from outcome
        left_out[position] = group, str(outcome)
    skipped = dict(left_out[position] for position in sorted(left_out))
    if skipped:
        _warn_of_skipped(skipped, len(results))
    return [results[position] for position in sorted(results)], skipped


def _in_rounds(
    keyed: Keyed[Kind], answer: Callable[[int], Result[Content]], waiting: Sequence[int]
) -> Iterator[tuple[int, Result[Content] | PUDataError]]:
    """Return the answer of each one, or why there is none: those that have to wait come later.

    Any other error is about the arguments, not about the group.
    """
    while waiting:
        later: list[int] = []
        for position in waiting:
            try:
                outcome: Result[Content] | PUDataError = answer(position)
            except NeedsRefinementError:
                if keyed.refine is None:
                    raise
                later.append(position)
                continue
            except PUDataError as error:
                outcome = error
            yield position, outcome
        if later and keyed.refine:
            keyed.refine()
        waiting = later


def _with_bar(outcomes: Iterable[Kind], total: int, progress: bool) -> Iterable[Kind]:
    """Show a bar while going through the keys."""
    if not progress:
        return outcomes
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise PUImportError(
            "progress=True needs the package tqdm, which is not installed: pip install tqdm."
        ) from error
    bar: Iterable[Kind] = tqdm(outcomes, total=total, unit="group")
    return bar


def _warn_of_skipped(skipped: Mapping[str, str], answered: int) -> None:
    """Name the groups without an answer, or raise if that is all of them."""
    (group, why), *further = skipped.items()
    others = f" The others: {_first(other for other, _ in further)}." if further else ""
    if not answered:
        raise PUDataError(f"No group has an answer: {group}: {why}{others}")
    warn_caller(
        f"{len(skipped)} of {len(skipped) + answered} groups are left out (on_error='skip'): "
        f"{group}: {why}{others} Tables and numbers say why of each: attrs['skipped']."
    )


def _warn_of_rankings(results: Results[Any], limits: bool) -> None:
    """Say once of what kind of ranking numbers are not to be relied on, and where these are."""
    beyond, few, refuted = [], [], []
    for key, beta, about, _ in results.each:
        if about is None:
            continue
        limited = limits and not isnan(about.beta_limit)
        least = np.array([beta.lower]) if beta.is_estimate else beta.values  # that it can be
        high = about.beyond(least) if limited else _NO_BETA.values
        if high.size:
            values = ", ".join(f"{value:g}" for value in np.unique(high).tolist())
            beyond.append((key, f"{values} > {about.beta_limit:.4g}"))
        elif about.n_effective < FEW_EFFECTIVE:
            few.append((key, f"{about.n_effective:.1f}"))
        if not isnan(about.refuted_at):
            refuted.append((key, f"{100 * about.refuted_at:.2g}%"))
    warn = partial(_warn_of, results.names)
    warn(
        beyond,
        "beta exceeds the upper limit that the known positives set at this level ({}). Pass a "
        "smaller beta (see df.pu.estimate_beta); if it is right, labels are no random sample of "
        "the positives.",
        "beta#too-high",
    )
    warn(
        few,
        f"The effective number of known positives is below {FEW_EFFECTIVE} ({{}}): a few small "
        "propensities weigh more than all others, and intervals do not hold. Label more of such "
        "examples, or bound the propensities from below: df['propensity'].clip(lower=0.05).",
        "biased_labels",
    )
    warn(
        refuted,
        f"monotone=True is refuted at level {results.settings.level:g}: no concave curve fits "
        "the known positives where so much of the rest lies above ({}). Leave monotone out: what "
        "takes it for granted is wrong.",
        "monotone",
    )


def warn_of_few_clusters(names: Sequence[str], held: Iterable[tuple[Hashable, float]]) -> None:
    """Say once where known positives are in few clusters."""
    few = [(key, f"{number:g}") for key, number in held if number < FEW_CLUSTERS]
    text = (
        f"Fewer than {FEW_CLUSTERS} clusters hold a known positive ({{}}): how far clusters "
        "differ is hardly known, and intervals may not hold. Label positives of more of them."
    )
    _warn_of(names, few, text, "clusters")


def _warn_of(
    names: Sequence[str], told: Sequence[tuple[Hashable, str]], text: str, page: str
) -> None:
    """Warn of rankings, if there are any, with what is told of the first of them."""
    if told:
        first = _first(
            f"{name_group(names, key)}: {what}" if names else what for key, what in told
        )
        warn_caller(text.format(first), page=page)


def _first(groups: Iterable[str]) -> str:
    """Name the first few, and say how many there are."""
    return shorten(groups, "; ", most=3, width=100)


def warn_of_rows(
    frame: pd.DataFrame, rows: "pd.Series[bool]", names: Sequence[str], message: str
) -> None:
    """Warn of some rows of a frame, and say where they are."""
    if rows.any():
        keys = frame.loc[rows, [*names, "beta"]].to_dict("records")
        where = shorten(map(str, keys), most=3, width=100)
        text = f"In {rows.sum()} of {len(frame)} rows {message}. They are at [{where}]."
        warn_caller(text, page="beta#too-high" if "beta" in message else None)

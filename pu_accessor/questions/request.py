"""One question put to many rankings: what each answers, and what to warn of."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple, TypeVar

import numpy as np
import xarray as xr

from pu_accessor.errors import PUDataError, PUImportError, PUValueError, shorten, warn_caller
from pu_accessor.inference.diagnostics import About, tell_about
from pu_accessor.inference.estimates.joint import BetaRange
from pu_accessor.inference.settings import Rule
from pu_accessor.questions.betas import (
    Estimated,
    GroupBeta,
    KeyBetas,
    beta_by_key,
    check_beta,
    name_group,
)
from pu_accessor.questions.rows import Answer, Answers
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import (
    Counts,
    FloatArray,
    Keyed,
    Kind,
    PairedRanks,
    PendingError,
    Ranking,
    Rankings,
    Ranks,
    Stack,
)

__all__ = [
    "FEW_EFFECTIVE",
    "Asked",
    "ask",
    "ask_rankings",
]

Content = TypeVar("Content")

FEW_EFFECTIVE = 10  # known positives below which it is said


class Asked(NamedTuple):
    """Whom a question is put to. Nothing is read before `rank` or `pair` is called.

    Parameters
    ----------
    rank : callable
        From the cutoffs that are wanted to the rankings.
    pair : callable
        From what identifies an example, or None, to the paired ranks of models.
    on_error : {"raise", "skip"}
        What to do with a ranking that has no answer.
    progress : bool
        Whether to show a bar.
    template : callable
        Coordinates of the dimensions that keys are the product of, where they are one.
    """

    rank: Callable[[Ranks], Rankings]
    pair: Callable[[Any], Keyed[PairedRanks]]
    on_error: str = "raise"
    progress: bool = False
    template: Callable[[], xr.Dataset | None] = lambda: None


def ask_rankings(
    asked: Asked,
    ranks: Ranks,
    beta: GroupBeta | Estimated,
    rules: Rules,
    question: Callable[[Ranking, FloatArray, Rule], Content],
    *,
    at_once: Callable[[Stack, FloatArray], Sequence[Content | None]] | None = None,
    joined: Callable[[Ranking, BetaRange], Content] | None = None,
    warn: bool = True,
) -> Answers[Content]:
    """Put a question about betas to each ranking."""
    check_beta(beta)
    rankings = asked.rank("all" if rules.by_rank and isinstance(ranks, str) else ranks)
    own, betas, ranges = beta_by_key(beta, rankings.names, rankings.keys)
    each = rules.each(rankings.names, rankings.keys)

    def answer(position: int) -> Answer[Content]:
        ranking = rankings.make(position)
        if joined is not None and ranges is not None:
            content = joined(ranking, ranges[position])
        else:
            content = question(ranking, betas[position], each[position])
        about = tell_about(ranking, rules.shared.level, random=rules.selection_odds == 1)
        return Answer(rankings.keys[position], betas[position], about, content)

    ready = {}
    if at_once is not None and rankings.together is not None and ranges is None:
        stack = rankings.together()
        contents = at_once(stack, np.stack(betas))
        ready = dict(_answered(rankings.keys, betas, stack, contents))
    answers = Answers(rankings.names, own, *_collect(rankings, answer, asked, ready))
    _warn_of_rankings(answers, warn)
    return answers


def _answered(
    keys: Sequence[Hashable],
    betas: Sequence[FloatArray],
    stack: Stack,
    contents: Sequence[Content | None],
) -> Iterator[tuple[int, Answer[Content]]]:
    """Return the answers that there are, by position."""
    totals, nan = map(Counts._make, stack.total.tolist()), float("nan")
    for position, (total, content) in enumerate(zip(totals, contents, strict=True)):
        if content is not None:  # beta is within the limit, whatever that is
            about = About(total, nan, nan)
            yield position, Answer(keys[position], betas[position], about, content)


def ask(
    asked: Asked,
    keyed: Keyed[Kind],
    question: Callable[[Kind, FloatArray], Content],
    beta: GroupBeta | Estimated | None = None,
    joined: Callable[[Kind, BetaRange], Content] | None = None,
) -> Answers[Content]:
    """Put a question to each of some keyed things."""
    own, betas, ranges = KeyBetas(False, [np.empty(0)] * len(keyed.keys))
    if beta is not None:
        own, betas, ranges = beta_by_key(beta, keyed.names, keyed.keys)

    def answer(position: int) -> Answer[Content]:
        thing = keyed.make(position)
        if joined is not None and ranges is not None:
            content = joined(thing, ranges[position])
        else:
            content = question(thing, betas[position])
        return Answer(keyed.keys[position], betas[position], None, content)

    return Answers(keyed.names, own, *_collect(keyed, answer, asked, {}))


def _collect(
    keyed: Keyed[Kind],
    answer: Callable[[int], Answer[Content]],
    asked: Asked,
    ready: Mapping[int, Answer[Content]],
) -> tuple[list[Answer[Content]], dict[str, str]]:
    """Get the answer of each one that is not there; name the one that has none.

    Returns them, and why others were left out.
    """
    if len(set(keyed.names)) < len(keyed.names):
        raise PUValueError(f"by must name different columns, but {list(keyed.names)} was passed.")
    answers = dict(ready)
    left_out: dict[int, str] = {}
    open_ones = [position for position in range(len(keyed.keys)) if position not in ready]
    outcomes = _in_rounds(keyed, answer, open_ones)
    for position, outcome in _with_bar(outcomes, len(open_ones), asked.progress):
        if not isinstance(outcome, PUDataError):
            answers[position] = outcome
            continue
        if not keyed.names:
            raise outcome
        if asked.on_error == "raise":
            group = name_group(keyed.names, keyed.keys[position])
            raise type(outcome)(f"{group}: {outcome}") from outcome
        left_out[position] = str(outcome)
    skipped = {
        name_group(keyed.names, keyed.keys[position]): left_out[position]
        for position in sorted(left_out)
    }
    if skipped:
        _warn_of_skipped(skipped, len(answers))
    return [answers[position] for position in sorted(answers)], skipped


def _in_rounds(
    keyed: Keyed[Kind], answer: Callable[[int], Answer[Content]], waiting: Sequence[int]
) -> Iterator[tuple[int, Answer[Content] | PUDataError]]:
    """Return the answer of each one, or why there is none: those that have to wait come later.

    Any other error is about the arguments, not about the group.
    """
    while waiting:
        later: list[int] = []
        for position in waiting:
            try:
                outcome: Answer[Content] | PUDataError = answer(position)
            except PendingError:
                if keyed.look is None:
                    raise
                later.append(position)
                continue
            except PUDataError as error:
                outcome = error
            yield position, outcome
        if later and keyed.look:
            keyed.look()
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
    (group, why), *rest = skipped.items()
    others = f" The others: {_first(other for other, _ in rest)}." if rest else ""
    if not answered:
        raise PUDataError(f"No group has an answer: {group}: {why}{others}")
    warn_caller(
        f"{len(skipped)} of {len(skipped) + answered} groups are left out (on_error='skip'): "
        f"{group}: {why}{others} Tables and numbers say why of each: attrs['skipped']."
    )


def _warn_of_rankings(answers: Answers[Any], limits: bool) -> None:
    """Say once where beta is too high for the known positives, or where these are too few."""
    beyond, few = [], []
    for key, betas, about, _ in answers.each:
        if about is None:
            continue
        high = about.beyond(betas) if limits and not isnan(about.beta_limit) else betas[:0]
        if not (high.size or about.n_effective < FEW_EFFECTIVE):
            continue
        group = f"{name_group(answers.names, key)}: " if answers.names else ""
        if high.size:
            some = ", ".join(f"{beta:g}" for beta in np.unique(high).tolist())
            beyond.append(f"{group}{some} > {about.beta_limit:.4g}")
        else:
            few.append(f"{group}{about.n_effective:.1f}")
    if beyond:
        warn_caller(
            "beta exceeds the upper limit that the known positives set at this level "
            f"({_first(beyond)}). Pass a smaller beta (see df.pu.estimate_beta); if it is right, "
            "labels are no random sample of the positives.",
            page="beta#too-high",
        )
    if few:
        warn_caller(
            f"The effective number of known positives is below {FEW_EFFECTIVE} ({_first(few)}): "
            "a few small propensities weigh more than all others, and intervals do not hold. "
            "Label more of such examples, or bound the propensities from below: "
            "df['propensity'].clip(lower=0.05).",
            page="biased_labels",
        )


def _first(told: Iterable[str]) -> str:
    """Name the first few, and say how many there are."""
    return shorten(told, "; ", most=3, width=100)

"""What the data say against labels at random and beta, by many rankings -> one tidy frame."""

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from math import nan
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.checks import check_level, latent_counts
from pu_accessor.errors import PUDataError, PUValueError, brief
from pu_accessor.inference import assumptions as tests
from pu_accessor.inference.settings import Beta, Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Columns, Request, Results, as_rows, map_rankings
from pu_accessor.ranking import Annotated, FloatArray, IntArray, Keyed, Ranking, Rankings

Content = TypeVar("Content")

_FEWEST = 2  # known positives of a wave, and waves
_PAGE = "assumptions"


class Check(NamedTuple):
    """A row of the answer."""

    check: str
    beta: float
    statistic: float
    odds_at_least: float
    p_value: float
    finding: str


class Shares(NamedTuple):
    """Shares that known positives have of strata, at each beta."""

    names: tuple[Hashable, ...]
    known: FloatArray  # shape (strata,)
    most: FloatArray  # that chance leaves, shape (betas, strata)
    cap: FloatArray  # share of all positives that is known, shape (betas,)


class Waves(NamedTuple):
    """Rank CDFs of waves: how many of each are found against the rest above."""

    names: tuple[Hashable, ...]
    above: FloatArray  # share of the rest, at each cutoff
    found: FloatArray  # shape (waves, cutoffs)


def check_assumptions(
    request: Request,
    betas: Betas | None,
    wave: Hashable | None,
    strata: Hashable | None,
    level: float,
) -> pd.DataFrame:
    """Look whether the data of each ranking contradict labels at random, or beta."""
    level = check_level(level)
    if strata is not None:
        _need_beta(betas, strata)

    def question(rows: Annotated, beta: Beta, _: Settings) -> list[Check]:
        check_labels(np.append(beta.values, 0.0), rows.total)
        checks = [*_checks(rows, beta.values.tolist(), round(1 - level, 12))]
        if not checks:
            raise PUDataError(
                "cluster must be left out without wave=..., but is bound: of rows that belong "
                "together waves are checked alone. Pass wave='labeled_by', or leave cluster out.",
                page=_PAGE,
            )
        return checks

    def columns(checks: list[Check], _: Beta) -> Columns:
        by_name = dict(zip(Check._fields, map(list, zip(*checks, strict=True)), strict=True))
        texts = {name: np.array(by_name.pop(name), object) for name in ("check", "finding")}
        return {"check": texts["check"], **by_name, "finding": texts["finding"]}

    results = _ask(request, betas, wave, strata, question)
    return as_rows(results, columns, {"level": level})


def _need_beta(betas: Betas | None, strata: Hashable) -> Betas:
    """Return the betas; raise if there are none for strata."""
    if betas is None:
        raise PUValueError(
            f"beta must be passed with strata={brief(strata)}: the known share of each is held "
            "against that of all positives. Pass beta=0.3, or leave strata out.",
            page=_PAGE,
        )
    return betas


def _ask(
    request: Request,
    betas: Betas | None,
    wave: Hashable | None,
    strata: Hashable | None,
    question: Callable[[Annotated, Beta, Settings], Content],
) -> Results[Content]:
    """Put a question to each ranking, with the waves and the strata of its rows."""
    if betas is not None:
        betas.refuse_estimates()
    if wave is not None or strata is not None:
        keyed = request.annotate(wave, strata)
        return map_rankings(request, keyed, question, betas)
    plain = request.rank("breakpoints")
    alone = Keyed(plain.names, plain.keys, partial(_alone, plain), plain.refine)
    return map_rankings(request, alone, question, betas)


def _alone(rankings: Rankings, position: int) -> Annotated:
    """Return a ranking of whose examples no column says more."""
    return Annotated(rankings.make(position))


def _checks(rows: Annotated, betas: list[float], alpha: float) -> Iterator[Check]:
    """Yield the checks that the data of one ranking allow."""
    ranking, total = rows.ranking, rows.total
    if rows.wave is not None:
        yield _of_waves(rows, alpha)
    if ranking.clusters is not None:
        return
    if rows.counts is not None:
        yield from (_of_strata(rows, rows.counts, beta, alpha) for beta in betas)
    if total.known_negative and total.unlabeled:
        yield from (_of_negatives(ranking, beta, alpha) for beta in betas if beta < 1)
    if total.unlabeled:
        yield from (_of_limit(ranking, beta, alpha) for beta in betas)
    yield _of_monotone(ranking, alpha)


def _of_waves(rows: Annotated, alpha: float) -> Check:
    """Check whether waves differ in rank."""
    wave, above = _read_waves(rows), tests.rest_above(rows.ranking)
    there = wave >= 0
    cluster = None if rows.cluster is None else rows.cluster[there]
    found = tests.waves_test(-above[there], wave[there], cluster)
    means = np.bincount(wave[there], above[there]) / np.bincount(wave[there])
    first, last = int(np.argmin(means)), int(np.argmax(means))
    span = (
        f"on average {means[first]:.1%} of the rest rank above those of "
        f"{brief(rows.waves[first])}, and {means[last]:.1%} above those of "
        f"{brief(rows.waves[last])}."
    )
    differ = "differ" if found.p_value <= alpha else "do not differ by more than chance"
    text = f"Ranks of the waves {differ}: {span}"
    return Check("waves", nan, found.statistic, nan, found.p_value, text)


def _read_waves(rows: Annotated) -> IntArray:
    """Return the wave of each known positive, -1 for none; raise where waves are too few."""
    wave: IntArray = np.empty(0, np.int64) if rows.wave is None else rows.wave
    sizes = np.bincount(wave[wave >= 0], minlength=len(rows.waves)).tolist()
    for name, size in zip(rows.waves, sizes, strict=True):
        if size < _FEWEST:
            raise PUDataError(
                f"wave must have {_FEWEST} known positives or more of each value, but "
                f"{brief(name)} has {size}: it cannot be held against others. Put it together "
                "with another wave, or make it missing.",
                page=_PAGE,
            )
    if rows.total.known_positive == sum(rows.total):
        raise PUDataError(
            "label must leave rows that are no known positives with wave=..., but all "
            f"{sum(rows.total):,} are: waves are compared by the rest that ranks above them. Add "
            "unlabeled rows.",
            page=_PAGE,
        )
    if len(sizes) < _FEWEST:
        raise PUDataError(
            f"wave must have {_FEWEST} values or more among known positives, but has "
            f"{brief([*rows.waves])}. Name a column of when, where or by whom they were labeled.",
            page=_PAGE,
        )
    return wave


def _test_strata(counts: IntArray, ranking: Ranking, beta: float, alpha: float) -> tests.Strata:
    """Hold the known positives of strata against chance."""
    total = ranking.total
    latent = int(latent_counts(np.array([beta]), total.unlabeled)[0])
    room = counts[:, 0] + counts[:, 2]
    return tests.strata_test(counts[:, 0], room, total.known_positive, latent, 1 - alpha)


def _of_strata(rows: Annotated, counts: IntArray, beta: float, alpha: float) -> Check:
    """Check whether too many positives are known in a stratum."""
    found = _test_strata(_read_strata(counts), rows.ranking, beta, alpha)
    share = _known_share(counts)
    worst = np.lexsort((-share, found.p_value))[0]
    known, room = int(counts[worst, 0]), int(counts[worst, 0] + counts[worst, 2])
    of_worst = f"{brief(rows.strata[worst])} has {known:,} of {room:,} rows"
    if found.p_value[worst] <= alpha:
        text = (
            f"More positives are known than random labels leave: {of_worst}, where "
            f"{found.cap:.1%} of all positives are known. Labels favour it, or beta is too high."
        )
    else:
        text = f"No stratum has more known positives than chance leaves; nearest is {of_worst}."
    odds = float(found.odds_at_least.max())
    return Check("strata", beta, float(share[worst]), odds, float(found.p_value[worst]), text)


def _read_strata(counts: IntArray) -> IntArray:
    """Return the counts of strata; raise where there is none."""
    if not len(counts):
        raise PUDataError(
            "strata must have a value for some rows, but all are missing. Name a column of what "
            "rows have in common, such as their site or year.",
            page=_PAGE,
        )
    return counts


def _known_share(counts: IntArray) -> FloatArray:
    """Return the share of each stratum that is known, of the rows that may be positive."""
    share: FloatArray = counts[:, 0] / np.maximum(counts[:, 0] + counts[:, 2], 1)
    return share


def _of_negatives(ranking: Ranking, beta: float, alpha: float) -> Check:
    """Check whether AUROC by beta is that against known negatives."""
    found = tests.negatives_test(ranking, beta)
    by_beta = min(max(found.by_beta, 0.0), 1.0)
    pair = f"AUROC is {by_beta:.3f} by beta, and {found.against_known:.3f} against known"
    if found.p_value <= alpha:
        off = "high" if found.statistic > 0 else "low"
        agree = f" Both agree at beta = {found.agree_at:.3g}." * (0 <= found.agree_at <= 1)
        text = f"{pair} negatives: beta is too {off}, or a kind is no random sample.{agree}"
    else:
        text = f"{pair} negatives: no more apart than by chance."
    return Check("negatives", beta, found.statistic, nan, found.p_value, text)


def _of_limit(ranking: Ranking, beta: float, alpha: float) -> Check:
    """Check whether known positives leave room for so many latent ones."""
    found = tests.limit_test(ranking, beta)
    if found.p_value <= alpha:
        text = (
            f"The best {found.place:.1%} of the unlabeled leave no room for so many latent "
            "positives: beta is too high, or labels favour the top."
        )
    else:
        text = "Known positives leave room for so many latent ones."
    return Check("limit", beta, found.statistic, nan, found.p_value, text)


def _of_monotone(ranking: Ranking, alpha: float) -> Check:
    """Check whether a higher score can never mean a smaller probability of being positive."""
    found = tests.monotone_test(ranking, 1 - alpha)
    if found.p_value <= alpha:
        text = (
            f"Scores are not monotone: no concave curve fits near the top {found.place:.1%} of "
            "the rest. Leave monotone=True out; other answers do not need it."
        )
    else:
        text = "A higher score may never mean a smaller probability of being positive."
    return Check("monotone", nan, found.statistic, nan, found.p_value, text)


# What is drawn


def waves(request: Request, wave: Hashable) -> Results[Waves]:
    """Return the rank CDFs of the waves of each ranking."""

    def question(rows: Annotated, _: Beta, __: Settings) -> Waves:
        codes = _read_waves(rows)
        found = np.cumsum(codes == np.arange(len(rows.waves))[:, np.newaxis], axis=1)
        found = np.insert(found / found[:, -1:], 0, 0.0, axis=1)
        ranking = rows.ranking
        rest = ranking.head - ranking.known_positive
        return Waves(rows.waves, rest / rest[-1], found[:, ranking.known_positive])

    return _ask(request, None, wave, None, question)


def strata(
    request: Request, betas: Betas | None, column: Hashable, level: float
) -> Results[Shares]:
    """Return the known share of strata of each ranking, with what chance leaves."""
    alpha = 1 - check_level(level)

    def question(rows: Annotated, beta: Beta, _: Settings) -> Shares:
        check_labels(np.append(beta.values, 0.0), rows.total)
        counts = _read_strata(np.empty((0, 3), np.int64) if rows.counts is None else rows.counts)
        test = partial(_test_strata, counts, rows.ranking, alpha=alpha)
        found = [test(beta) for beta in beta.values.tolist()]
        room = np.maximum(counts[:, 0] + counts[:, 2], 1)
        most, cap = np.stack([one.most for one in found]), np.array([one.cap for one in found])
        return Shares(rows.strata, _known_share(counts), most / room, cap)

    return _ask(request, _need_beta(betas, column), None, column, question)

"""Bounded tables and curves of many rankings -> one Dataset."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from pu_accessor.datasets.assemble import Page, lay_out
from pu_accessor.datasets.curves import curve as trace
from pu_accessor.datasets.schema import COUNTS, INTERVAL, TRACES
from pu_accessor.inference.settings import Rule
from pu_accessor.inference.tables.contingency import RankCdf, Tables, make_tables
from pu_accessor.inference.tables.contingency import rank_cdf as bound_rank_cdf
from pu_accessor.inference.tables.envelopes import curve_envelope
from pu_accessor.questions.betas import GroupBeta, with_baseline
from pu_accessor.questions.ranges import with_interval
from pu_accessor.questions.request import Asked, ask_rankings
from pu_accessor.questions.rows import Answers
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, Ranking, Ranks

__all__ = ["contingency", "curve_bounds", "rank_cdf"]

Array = npt.NDArray[Any]


def contingency(
    asked: Asked,
    beta: GroupBeta,
    rules: Rules,
    ranks: Ranks,
    *,
    warn: bool = True,
    baseline: bool = False,
    envelope_of: str | None = None,
) -> xr.Dataset:
    """Bound the contingency table at each cutoff of each ranking.

    With the tables at betas within an interval; or with the envelope of a curve in their place,
    which takes little memory: of many rankings only one has these tables at a time.
    """
    fixed, rules = with_interval(beta, rules)
    beta = with_baseline(fixed.beta) if baseline else fixed.beta

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> Page:
        fixed.check_counts(ranking.total)
        tables = make_tables(ranking, betas, rule)
        counts = dict(zip(COUNTS, tables.table, strict=True))
        arrays = {**counts, "clipped": tables.clipped, **_interval(tables, envelope_of)}
        return Page(tables.ranking, {**arrays, **_sides(tables, rule)})

    answers = ask_rankings(asked, ranks, beta, rules, question, warn=warn)
    if rules.intervals is not None and envelope_of is None:
        answers = _as_long(answers)
    arrays = answers.each[0].content.arrays
    data = [*COUNTS, "clipped", *INTERVAL, *(envelope for *_, envelope in TRACES.values())]
    return lay_out(answers, [name for name in data if name in arrays], rules, asked)


def _interval(tables: Tables, envelope_of: str | None) -> dict[str, Array]:
    """Return the arrays of betas within an interval, or the envelope of a curve alone."""
    inner = tables.inner
    if inner is None:
        return {}
    if envelope_of is None:
        kinks = {"interval_kinks": inner.kinks, "interval_beta": inner.betas}
        return {"interval_tp": inner.tp, "interval_positives": inner.positives, **kinks}
    if tables.ranking.extent == "selected":
        return {}
    *_, envelope = TRACES[envelope_of]
    points = tables.tp[:, [0, 2]], tables.positives
    arrays = tables.ranking.rank, sum(tables.ranking.total), *points, inner.tp, inner.positives
    return {envelope: curve_envelope(envelope_of, *arrays)}


def _as_long(answers: Answers[Page]) -> Answers[Page]:
    """Let all rankings have as many betas within their intervals: shorter ones repeat the last."""
    every = [answer.content.arrays for answer in answers.each]
    size = max(arrays["interval_beta"].size for arrays in every)
    each = []
    for answer in answers.each:
        ranking, arrays = answer.content
        repeated = np.minimum(np.arange(size), arrays["interval_beta"].size - 1)
        longer = {
            name: arrays[name][..., repeated]
            for name in ("interval_tp", "interval_positives", "interval_beta")
        }
        each.append(answer._replace(content=Page(ranking, arrays | longer)))
    return replace(answers, each=each)


def curve_bounds(
    asked: Asked, curve: str, beta: GroupBeta, rules: Rules, ranks: Ranks
) -> xr.Dataset:
    """Bound the ROC or the precision-recall curve of each ranking."""
    return trace(contingency(asked, beta, rules, ranks, envelope_of=curve), curve)


def rank_cdf(asked: Asked, beta: GroupBeta, rules: Rules, ranks: Ranks) -> xr.Dataset:
    """Bound the rank CDF of the latent positives of each ranking."""

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> Page:
        cdf = bound_rank_cdf(ranking, betas, rule)
        return Page(cdf.ranking, {"rank_cdf": cdf.share, **_sides(cdf, rule)})

    answers = ask_rankings(asked, ranks, beta, rules, question)
    return lay_out(answers, ["rank_cdf"], rules, asked)


def _sides(bounded: Tables | RankCdf, rule: Rule) -> dict[str, Array]:
    """Return the coordinates that the rule calls for."""
    found: dict[str, Array] = {}
    if rule.reference != "positives":
        found["known_negative"] = bounded.ranking.known_negative
    if rule.reference in ("tightest", "both"):
        found["tightest"] = np.array(bounded.tightest, dtype=object)
    if bounded.local_alpha is not None:
        found["local_alpha"] = bounded.local_alpha
    return found

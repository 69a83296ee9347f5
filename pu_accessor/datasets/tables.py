"""Bounded tables and curves of many rankings -> one Dataset."""

from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from pu_accessor.datasets.assemble import Page, lay_out
from pu_accessor.datasets.schema import COUNTS, INTERVAL, SIDES
from pu_accessor.inference.settings import Rule
from pu_accessor.inference.tables.contingency import Inner, RankCdf, Table, Tables, make_tables
from pu_accessor.inference.tables.contingency import rank_cdf as bound_rank_cdf
from pu_accessor.inference.tables.curves import GRID, curve_envelope, inner_table
from pu_accessor.inference.tables.rates import curve_rates
from pu_accessor.questions.betas import GroupBeta, with_baseline
from pu_accessor.questions.ranges import with_interval
from pu_accessor.questions.request import Asked, ask_rankings
from pu_accessor.questions.rows import Answers
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, Ranking, Ranks

__all__ = ["TRACES", "contingency", "curve_bounds", "rank_cdf"]

Array = npt.NDArray[Any]

# The metrics that a curve is drawn of, and where its envelope stands.
TRACES = {
    "roc": ("fpr", "tpr", "fpr_grid", "tpr_envelope"),
    "pr": ("recall", "precision", "recall_grid", "precision_envelope"),
}


def contingency(
    asked: Asked,
    beta: GroupBeta,
    rules: Rules,
    ranks: Ranks,
    *,
    warn: bool = True,
    baseline: bool = False,
) -> xr.Dataset:
    """Bound the contingency table at each cutoff of each ranking."""
    found, rules = with_interval(beta, rules)
    beta = with_baseline(found.beta) if baseline else found.beta

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> Page:
        found.check_counts(ranking.total)
        tables = make_tables(ranking, betas, rule)
        counts = dict(zip(COUNTS, tables.table, strict=True))
        inner: dict[str, Array] = {}
        if tables.inner is not None:
            inner = {
                "interval_tp": tables.inner.tp,
                "interval_positives": tables.inner.positives,
                "interval_beta": tables.inner.betas,
                "interval_bend_tp": tables.inner.bend_tp,
                "interval_bend_positives": tables.inner.bend_positives,
            }
        arrays = {**counts, "clipped": tables.clipped, **inner, **_sides(tables, rule)}
        return Page(tables.ranking, arrays)

    answers = ask_rankings(asked, ranks, beta, rules, question, warn=warn)
    if not rules.has_interval:
        return lay_out(answers, [*COUNTS, "clipped"], rules, asked)
    data = [*COUNTS, "clipped", *INTERVAL]
    return lay_out(_as_long(answers), data, rules, asked).assign_coords(
        interval_bound=("interval_bound", SIDES)
    )


def _as_long(answers: Answers[Page]) -> Answers[Page]:
    """Let all rankings have as many betas within their intervals: shorter ones repeat the last."""
    pages = [answer.content for answer in answers.each]
    size = max(page.arrays["interval_beta"].size for page in pages)

    def stretched(page: Page) -> Page:
        longer = {
            name: np.take(array, np.minimum(np.arange(size), array.shape[-1] - 1), axis=-1)
            for name, array in page.arrays.items()
            if name in ("interval_tp", "interval_positives", "interval_beta")
        }
        return (
            page
            if longer["interval_beta"].size == page.arrays["interval_beta"].size
            else page._replace(arrays=page.arrays | longer)
        )

    each = [a._replace(content=stretched(a.content)) for a in answers.each]
    return Answers(answers.names, answers.own_beta, each)


def curve_bounds(
    asked: Asked, curve: str, beta: GroupBeta, rules: Rules, ranks: Ranks
) -> xr.Dataset:
    """Bound the ROC or the precision-recall curve of each ranking."""
    x, y, grid, envelope = TRACES[curve]
    found, rules = with_interval(beta, rules)

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> Page:
        found.check_counts(ranking.total)
        tables = make_tables(ranking, betas, rule)
        counts = tables.tp, tables.fp, tables.positives, tables.negatives
        arrays = dict(zip((x, y), curve_rates(curve, *counts), strict=True))
        if tables.inner is not None and tables.ranking.extent != "selected":
            arrays |= {envelope: _envelope(curve, tables, tables.inner)}
        return Page(tables.ranking, {**arrays, **_sides(tables, rule)})

    answers = ask_rankings(asked, ranks, found.beta, rules, question)
    data = [name for name in (x, y, envelope) if name in answers.each[0].content.arrays]
    curves = lay_out(answers, data, rules, asked)
    if envelope not in data:
        return curves
    return curves.assign_coords({grid: (grid, GRID), "envelope": ("envelope", SIDES)})


def _envelope(curve: str, tables: Tables, inner: Inner) -> Array:
    """Return the envelope of a curve; the tables at all betas of the interval are never there."""
    ends = Table(*(count[:, [0, 2]] for count in tables.table))
    inside = (tables.betas >= inner.betas[0]) & (tables.betas <= inner.betas[-1])
    points = Table(*(count[..., inside] for count in ends))
    low, high = _paths_envelope(curve, points)
    first = Table(*(count[..., :1] for count in ends))
    for place in range(inner.betas.size):
        some = slice(place, place + 1)
        one = inner._replace(tp=inner.tp[..., some], positives=inner.positives[some])
        within = inner_table(first, tables.betas[:1], one)
        lowest, highest = _paths_envelope(curve, Table(*(count[..., :1] for count in within)))
        low, high = np.fmin(low, lowest), np.fmax(high, highest)
    return np.stack([low, high], axis=1)


def _paths_envelope(curve: str, table: Table) -> Array:
    """Return the lowest and the highest of some curves, cutoffs first."""
    return curve_envelope(curve, Table(*(np.moveaxis(count, 0, -1) for count in table))).T


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

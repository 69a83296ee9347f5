"""Bounded tables and curves of many rankings -> one Dataset."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from pu_accessor.datasets.assemble import Page, lay_out
from pu_accessor.datasets.schema import COUNTS, INTERVAL, SIDES
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.inference.tables.contingency import Inner, RankCdf, Table, Tables, make_tables
from pu_accessor.inference.tables.contingency import rank_cdf as bound_rank_cdf
from pu_accessor.inference.tables.envelopes import GRID, curve_envelope, inner_table
from pu_accessor.inference.tables.rates import curve_rates
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Request, map_rankings
from pu_accessor.questions.rows import Results
from pu_accessor.ranking import Ranking, Ranks

__all__ = ["TRACES", "contingency", "curve_bounds", "rank_cdf"]

Array = npt.NDArray[Any]

# The metrics that a curve is drawn of, and where its envelope stands.
TRACES = {
    "roc": ("fpr", "tpr", "fpr_grid", "tpr_envelope"),
    "pr": ("recall", "precision", "recall_grid", "precision_envelope"),
}


def contingency(
    request: Request,
    betas: Betas,
    settings: Settings,
    ranks: Ranks,
    *,
    warn: bool = True,
    baseline: bool = False,
) -> xr.Dataset:
    """Bound the contingency table at each cutoff of each ranking."""
    settings = betas.leave(settings)
    betas = betas.with_baseline() if baseline else betas

    def question(ranking: Ranking, beta: BetaRange, own: Settings) -> Page:
        tables = make_tables(ranking, beta.values, own, beta.interval)
        arrays: dict[str, Array] = dict(zip(COUNTS, tables.table, strict=True))
        arrays["clipped"] = tables.clipped
        if tables.inner is not None:
            arrays |= {
                "interval_tp": tables.inner.tp,
                "interval_positives": tables.inner.positives,
                "interval_beta": tables.inner.betas,
                "interval_bend_tp": tables.inner.bend_tp,
                "interval_bend_positives": tables.inner.bend_positives,
            }
        return Page(tables.ranking, arrays | _coordinates(tables, own))

    rankings = request.rankings(ranks, settings)
    results = map_rankings(request, rankings, question, betas, settings, warn=warn)
    if not betas.vary:
        return lay_out(results, [*COUNTS, "clipped"], request)
    data = [*COUNTS, "clipped", *INTERVAL]
    return lay_out(_as_long(results), data, request).assign_coords(
        interval_bound=("interval_bound", SIDES)
    )


def _as_long(results: Results[Page]) -> Results[Page]:
    """Let all rankings have as many betas within their intervals: shorter ones repeat the last."""
    pages = [result.content for result in results.each]
    size = max(page.arrays["interval_beta"].size for page in pages)

    def lengthen(page: Page) -> Page:
        if page.arrays["interval_beta"].size == size:
            return page
        longer = {
            name: np.take(array, np.minimum(np.arange(size), array.shape[-1] - 1), axis=-1)
            for name, array in page.arrays.items()
            if name in ("interval_tp", "interval_positives", "interval_beta")
        }
        return page._replace(arrays=page.arrays | longer)

    return replace(results, each=[r._replace(content=lengthen(r.content)) for r in results.each])


def curve_bounds(
    request: Request, curve: str, betas: Betas, settings: Settings, ranks: Ranks
) -> xr.Dataset:
    """Bound the ROC or the precision-recall curve of each ranking."""
    x, y, grid, envelope = TRACES[curve]
    settings = betas.leave(settings)

    def question(ranking: Ranking, beta: BetaRange, own: Settings) -> Page:
        tables = make_tables(ranking, beta.values, own, beta.interval)
        counts = tables.tp, tables.fp, tables.positives, tables.negatives
        arrays = dict(zip((x, y), curve_rates(curve, *counts), strict=True))
        if tables.inner is not None and tables.ranking.extent != "selected":
            arrays |= {envelope: _envelope(curve, tables, tables.inner)}
        return Page(tables.ranking, {**arrays, **_coordinates(tables, own)})

    rankings = request.rankings(ranks, settings)
    results = map_rankings(request, rankings, question, betas, settings)
    data = [name for name in (x, y, envelope) if name in results.each[0].content.arrays]
    curves = lay_out(results, data, request)
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


def rank_cdf(request: Request, betas: Betas, settings: Settings, ranks: Ranks) -> xr.Dataset:
    """Bound the rank CDF of the latent positives of each ranking."""
    betas.refuse_estimates()

    def question(ranking: Ranking, beta: BetaRange, own: Settings) -> Page:
        cdf = bound_rank_cdf(ranking, beta.values, own)
        return Page(cdf.ranking, {"rank_cdf": cdf.share, **_coordinates(cdf, own)})

    rankings = request.rankings(ranks, settings)
    results = map_rankings(request, rankings, question, betas, settings)
    return lay_out(results, ["rank_cdf"], request)


def _coordinates(bounded: Tables | RankCdf, settings: Settings) -> dict[str, Array]:
    """Return the coordinates that the settings call for."""
    coordinates: dict[str, Array] = {}
    if settings.reference != "positives":
        coordinates["known_negative"] = bounded.ranking.known_negative
    if settings.reference in ("tightest", "both"):
        coordinates["tightest"] = np.array(bounded.tightest, dtype=object)
    if bounded.local_alpha is not None:
        coordinates["local_alpha"] = bounded.local_alpha
    return coordinates

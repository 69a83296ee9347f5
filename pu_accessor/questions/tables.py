"""Questions whose answers are Datasets: tables and curves of each ranking, and what lies above."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import interval_betas
from pu_accessor.datasets.layout import Array, Page, lay_out
from pu_accessor.datasets.schema import COUNTS, TRACES, VARIABLES
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.comparison.dominance import dominance as compare_curves
from pu_accessor.inference.settings import BetaRange, Settings, check_target
from pu_accessor.inference.tables.contingency import (
    RankCdf,
    Table,
    Tables,
    curve_on_new,
    tables_in_parts,
)
from pu_accessor.inference.tables.contingency import rank_cdf as bound_rank_cdf
from pu_accessor.inference.tables.metrics import curve_rates
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.comparison import pair_columns
from pu_accessor.questions.request import Request, Results, describe, map_rankings
from pu_accessor.ranking import FloatArray, Ranking, Ranks


def contingency(
    request: Request,
    betas: Betas,
    settings: Settings,
    ranks: Ranks,
    *,
    warn: bool = True,
    baseline: bool = False,
    rounded: bool = True,
    target: str = "examples",
    curve: str = "roc",
    rates: bool = False,
) -> xr.Dataset:
    """Bound the contingency table at each cutoff of each ranking.

    Where beta has an interval, tables at betas within it come after those asked for. Curves and
    metrics are read from estimates that are not `rounded` to whole examples. Those of new examples
    never are, and bound both rates of a ROC `curve`, or precision and recall. With `rates` these
    come in place of all counts, which takes less memory.
    """
    check_target(target)
    on_new = target == "population"
    if on_new:
        settings = _settings_on_new(betas, settings)
    else:
        betas, settings = betas.split(settings)
    betas = betas.with_baseline() if baseline else betas
    names = TRACES[curve]

    def read(table: Table, clipped: Array) -> dict[str, Array]:
        if not rates:
            return {**dict(zip(COUNTS, table, strict=True)), "clipped": clipped}
        tp, fp, fn, tn = table
        return dict(zip(names, curve_rates(curve, tp, fp, tp + fn, fp + tn), strict=True))

    def question(ranking: Ranking, beta: BetaRange, own: Settings) -> Page:
        grid = _grid(beta)
        if on_new:
            ranking, table = curve_on_new(curve, ranking, grid, own.level)
            return Page(ranking, grid, read(table, np.zeros(table.tp.shape, np.bool_)))
        arrays: dict[str, Array] = {}
        end = 0
        for tables in tables_in_parts(ranking, grid, own, rounded=rounded):
            start, end = end, end + tables.betas.size
            ranking = tables.ranking
            part = {**read(tables.table, tables.clipped), **_coordinates(tables, own)}
            _put(part, arrays, slice(start, end), grid.size)
        return Page(ranking, grid, arrays)

    return _ask(request, ranks, question, betas, settings, target, warn=warn)


def curve_bounds(
    request: Request, curve: str, betas: Betas, settings: Settings, ranks: Ranks, target: str
) -> xr.Dataset:
    """Bound the ROC or the precision-recall curve of each ranking."""
    asked = request, betas, settings, ranks
    return contingency(*asked, rounded=False, target=target, curve=curve, rates=True)


def rank_cdf(request: Request, betas: Betas, settings: Settings, ranks: Ranks) -> xr.Dataset:
    """Bound the rank CDF of the latent positives of each ranking."""
    betas.refuse_estimates()

    def question(ranking: Ranking, beta: BetaRange, own: Settings) -> Page:
        grid = _grid(beta)
        cdf = bound_rank_cdf(ranking, grid, own)
        return Page(cdf.ranking, grid, {"rank_cdf": cdf.share, **_coordinates(cdf, own)})

    return _ask(request, ranks, question, betas, settings, "examples")


def dominance(request: Request, betas: Betas, settings: Settings) -> pd.DataFrame:
    """Compare where the ROC curves of models lie, at each beta."""
    in_one_row = request._replace(template=lambda: None)
    curves = curve_bounds(in_one_row, "roc", betas, settings, "breakpoints", "examples")
    dim = curves["fpr"].dims[0]
    if dim not in curves.indexes or dim == "rank" or curves.sizes[dim] < 2:
        raise PUValueError(
            "A comparison needs two or more models, but there is one. Name two columns of scores, "
            "df.pu(score=['svm', 'forest']), or a column with two keys, df.pu(by='model').",
            page="many_models#which-model-is-better",
        )
    ordered = curves.transpose(dim, "beta", "bound", ...)
    verdicts = compare_curves(ordered["fpr"].to_numpy(), ordered["tpr"].to_numpy())
    index = curves.get_index(dim)
    keys, values = index.tolist(), ordered["beta"].to_numpy()
    first, second = verdicts.first, verdicts.second
    own = {"beta_a": values[first], "beta_b": values[second]} if values.ndim > 1 else {}
    winners = np.array([*keys, None], dtype=object)[verdicts.dominates.ravel()]
    crossings = [of_beta for pair in verdicts.crossings for of_beta in pair]
    columns = {
        **(own or {"beta": values}),
        "dominates": pd.Index(winners, dtype=object, tupleize_cols=False),
        "equal": verdicts.equal,
        "disjoint": verdicts.disjoint,
        "crossings": pd.Index(crossings, dtype=object, tupleize_cols=False),
    }
    return pd.DataFrame(pair_columns([*map(str, index.names)], keys, (first, second), columns))


def _ask(
    request: Request,
    ranks: Ranks,
    question: Callable[[Ranking, BetaRange, Settings], Page],
    betas: Betas,
    settings: Settings,
    target: str,
    *,
    warn: bool = True,
) -> xr.Dataset:
    """Ask each ranking for its page, and lay these side by side."""
    rankings = request.rankings(ranks, settings)
    results: Results[Page] = map_rankings(
        request, rankings, question, betas, settings, warn=warn, clustered=True
    )
    pages = [
        page._replace(arrays={**page.arrays, **({} if about is None else describe(about))})
        for _, _, about, page in results.each
    ]
    # Files hold no mapping: a line for each group that was left out.
    skipped = "\n".join(f"{group}: {why}" for group, why in results.skipped.items())
    attrs = {
        "level": settings.level,
        "band": pages[0].ranking.design or band_name(settings.band),
        **settings.failure,
        **({"monotone": True} if pages[0].ranking.monotone else {}),
        "target": target,
        **({"skipped": skipped} if skipped else {}),
    }
    return lay_out(
        results.names,
        [result.key for result in results.each],
        pages,
        attrs,
        reference=settings.reference,
        own_beta=results.own_beta or isinstance(betas.interval, Mapping),
        points=results.each[0].beta.values.size,
        template=request.template() if results.names else None,
    )


def _grid(beta: BetaRange) -> FloatArray:
    """Return the betas asked for, then those at which bounds may be widest within the interval."""
    within = interval_betas(beta.interval, beta.values)
    return np.concatenate([beta.values, np.setdiff1d(within, beta.values)])


def _put(part: dict[str, Any], arrays: dict[str, Array], columns: slice, betas: int) -> None:
    """Put arrays at some of the betas beside those at others."""
    for name, array in part.items():
        if VARIABLES[name].dims[-1:] != ("beta",) or array.shape[-1] == betas:
            arrays[name] = array
            continue
        if name not in arrays:
            arrays[name] = np.empty((betas, *array.T.shape[1:]), array.dtype).T
        arrays[name][..., columns] = array


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


def _settings_on_new(betas: Betas, settings: Settings) -> Settings:
    """Return the settings of the band for new examples, or raise where there is none."""
    allowed = [Settings(settings.level, band) for band in ("exact", "simultaneous")]
    if settings not in allowed:
        raise PUValueError(
            "band, reference, selection_odds and contamination must be left out with "
            f"target='population', but {band_name(settings.band)!r}, {settings.reference!r}, "
            f"{settings.selection_odds:g} and {settings.contamination:g} were passed: for new "
            "examples there is one band, from known positives against the rest. Leave them out, "
            "or pass target='examples'.",
            page="population",
        )
    if betas.vary:
        raise PUValueError(
            "beta must be a number with target='population', and beta_interval be left out: the "
            "band for new examples is at one beta. Ask at both ends: beta=[low, high].",
            page="population",
        )
    return allowed[-1]

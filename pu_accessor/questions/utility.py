"""Net benefit, BEDROC and calibration of many rankings -> a frame, or curves."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import Interval
from pu_accessor.datasets.assemble import key_coordinates
from pu_accessor.datasets.schema import BOUND, SIDES
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.calibration import (
    Reliability,
    as_edges,
    check_bin_band,
    reliability,
)
from pu_accessor.inference.estimates.early_recognition import (
    check_alpha,
    estimate_bedroc,
)
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.utility import NetBenefit, as_thresholds, net_benefit_at
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.estimates import estimate_areas
from pu_accessor.questions.request import Columns, Request, Results, as_rows, map_rankings
from pu_accessor.ranking import FloatArray, Ranking

Thresholds: TypeAlias = float | Sequence[float] | FloatArray | None


def net_benefit(
    request: Request, betas: Betas, thresholds: Thresholds, settings: Settings
) -> pd.DataFrame:
    """Return the net benefit of each ranking at some thresholds."""
    probabilities, settings = as_thresholds(thresholds), betas.leave(settings)

    def columns(benefit: NetBenefit, beta: BetaRange) -> Columns:
        return {
            "beta": beta.values[:, np.newaxis],
            "threshold": probabilities,
            "rank": benefit.rank,
            **_bound_columns(benefit.value, benefit.envelope),
            "treat_all": benefit.treat_all.T,
            "treat_none": 0.0,
            "level": settings.level,
            "band": band_name(settings.band),
            "target": "examples",
        }

    results = _net_benefits(request, betas, probabilities, settings)
    return as_rows(results, columns, beta_interval=False)


def decision_curves(
    request: Request, betas: Betas, thresholds: Thresholds, settings: Settings
) -> xr.Dataset:
    """Return the net benefit of each ranking as curves to draw."""
    probabilities, settings = as_thresholds(thresholds), betas.leave(settings)
    results = _net_benefits(request, betas, probabilities, settings)
    dims = {"value": ("threshold", "bound", "beta"), "treat_all": ("threshold", "beta")}
    if betas.vary:
        dims["envelope"] = ("threshold", "side", "beta")
    return _curves(results, dims).assign_coords(threshold=probabilities)


def _net_benefits(
    request: Request, betas: Betas, thresholds: FloatArray, settings: Settings
) -> Results[NetBenefit]:
    """Ask each ranking for its net benefit."""

    def question(ranking: Ranking, beta: BetaRange, settings: Settings) -> NetBenefit:
        return net_benefit_at(ranking, beta.values, thresholds, settings, beta.interval)

    rankings = request.rankings("breakpoints", settings)
    return map_rankings(request, rankings, question, betas, settings)


def _bound_columns(value: FloatArray, envelope: FloatArray | None) -> dict[str, FloatArray]:
    """Return columns of values over (places, bounds, betas), and of their envelope."""
    by_bound = dict(zip(BOUND, np.moveaxis(value, 1, 0), strict=True))
    columns = {name: by_bound[name].T for name in ("estimate", "lower", "upper")}
    if envelope is None:
        return columns
    by_side = zip(SIDES, np.moveaxis(envelope, 1, 0), strict=True)
    return columns | {f"envelope_{side}": end.T for side, end in by_side}


def _curves(results: Results[Any], dims: Mapping[str, tuple[str, ...]]) -> xr.Dataset:
    """Lay what rankings answer side by side, to be drawn."""
    keys = key_coordinates(results)
    by_key = tuple(keys.sizes)
    data = {}
    for name, own_dims in dims.items():
        arrays = [getattr(result.content, name) for result in results.each]
        data[name] = ((*by_key, *own_dims), np.stack(arrays) if by_key else arrays[0])
    betas = [result.beta for result in results.each]
    values = np.stack([beta.values for beta in betas])
    intervals = [beta.interval for beta in betas if beta.interval is not None]
    ends = (
        [min(low for low, _ in intervals), max(high for _, high in intervals)] if intervals else []
    )
    return xr.Dataset(
        data,
        attrs={
            "level": results.settings.level,
            "band": band_name(results.settings.band),
            "target": "examples",
        },
    ).assign_coords(
        {
            **keys,
            "bound": BOUND,
            "beta": ((*by_key, "beta"), values) if results.own_beta else ("beta", values[0]),
            "interval_beta": ("ends", ends),
        }
    )


def bedroc(request: Request, betas: Betas, alpha: float, settings: Settings) -> pd.DataFrame:
    """Estimate BEDROC of each ranking, with an interval."""
    alpha = check_alpha(alpha)

    def estimate(
        ranking: Ranking, values: FloatArray, settings: Settings, interval: Interval | None
    ) -> Estimates:
        return estimate_bedroc(ranking, values, alpha, settings, interval)

    areas = estimate_areas(request, betas, settings, "examples", estimate)
    areas.insert([*areas.columns].index("estimate"), "alpha", alpha)
    return areas


def calibration(
    request: Request, betas: Betas, bins: int | Sequence[float], settings: Settings
) -> pd.DataFrame:
    """Estimate the share of positives in bins of the scores of each ranking."""
    edges, settings = as_edges(bins), betas.leave(settings)

    def columns(shares: Reliability, beta: BetaRange) -> Columns:
        return {
            "beta": beta.values[:, np.newaxis],
            "left": edges[:-1],
            "right": edges[1:],
            "examples": shares.examples,
            "known_positive": shares.known_positive,
            "mean_score": shares.mean_score,
            **_bound_columns(shares.value, shares.envelope),
            "level": settings.level,
            "band": band_name(settings.band),
            "target": "examples",
        }

    results = _reliabilities(request, betas, edges, settings)
    return as_rows(results, columns, beta_interval=False)


def calibration_curves(
    request: Request, betas: Betas, bins: int | Sequence[float], settings: Settings
) -> xr.Dataset:
    """Return the share of positives in bins as curves to draw."""
    edges, settings = as_edges(bins), betas.leave(settings)
    results = _reliabilities(request, betas, edges, settings)
    dims = {"value": ("bin", "bound", "beta"), "mean_score": ("bin",)}
    if betas.vary:
        dims["envelope"] = ("bin", "side", "beta")
    coordinates = {"bin": edges[:-1], "right": ("bin", edges[1:])}
    return _curves(results, dims).assign_coords(coordinates)


def _reliabilities(
    request: Request, betas: Betas, edges: FloatArray, settings: Settings
) -> Results[Reliability]:
    """Ask each ranking for its reliability."""
    check_bin_band(settings)

    def question(ranking: Ranking, beta: BetaRange, settings: Settings) -> Reliability:
        return reliability(ranking, beta.values, edges, settings, beta.interval)

    rankings = request.rank("breakpoints")
    return map_rankings(request, rankings, question, betas, settings)

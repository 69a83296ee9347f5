"""What practice asks for of many rankings -> one tidy frame, or curves to draw."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

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
    Enrichment,
    as_fractions,
    check_alpha,
    enrichment_at,
    estimate_bedroc,
)
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.joint import BetaRange, join_limits
from pu_accessor.inference.estimates.utility import NetBenefit, as_thresholds, net_benefit_at
from pu_accessor.inference.settings import Rule
from pu_accessor.questions.betas import GroupBeta
from pu_accessor.questions.estimates import Area, with_intervals
from pu_accessor.questions.ranges import Fixed, read_ranges, tell_of, with_interval
from pu_accessor.questions.request import Asked, ask_rankings
from pu_accessor.questions.rows import Answers, as_rows
from pu_accessor.questions.rules import Rules
from pu_accessor.ranking import FloatArray, Ranking

__all__ = [
    "Thresholds",
    "bedroc",
    "calibration",
    "calibration_curves",
    "curves_of",
    "decision_curves",
    "enrichment_factor",
    "net_benefit",
]

Thresholds: TypeAlias = float | Sequence[float] | FloatArray | None


def net_benefit(
    asked: Asked, beta: GroupBeta, thresholds: Thresholds, rules: Rules
) -> pd.DataFrame:
    """Return the net benefit of each ranking at some thresholds."""
    places = as_thresholds(thresholds)
    found, rules = with_interval(beta, rules)
    answers = _ask_net_benefit(asked, found, places, rules)

    def columns(found: NetBenefit, betas: FloatArray) -> dict[str, Any]:
        size = betas.size * places.size
        ends = (
            {}
            if found.envelope is None
            else zip(SIDES, np.moveaxis(found.envelope, 1, 0), strict=True)
        )
        bounds = zip(BOUND, np.moveaxis(found.value, 1, 0), strict=True)
        values = {name: value.T.ravel() for name, value in bounds}
        return {
            "beta": np.repeat(betas, places.size),
            "threshold": np.tile(places, betas.size),
            "rank": np.tile(found.rank, betas.size),
            **{name: values[name] for name in ("estimate", "lower", "upper")},
            **{f"envelope_{side}": end.T.ravel() for side, end in dict(ends).items()},
            "treat_all": found.treat_all.T.ravel(),
            "treat_none": np.zeros(size),
            "level": np.full(size, rules.shared.level),
            "band": np.full(size, band_name(rules.shared.band), object),
            "target": np.full(size, "examples", object),
        }

    return as_rows(answers, [columns(answer.content, answer.betas) for answer in answers.each])


def decision_curves(
    asked: Asked, beta: GroupBeta, thresholds: Thresholds, rules: Rules
) -> xr.Dataset:
    """Return the net benefit of each ranking as curves to draw."""
    places = as_thresholds(thresholds)
    found, rules = with_interval(beta, rules)
    answers = _ask_net_benefit(asked, found, places, rules)
    dims = {"value": ("threshold", "bound", "beta"), "treat_all": ("threshold", "beta")}
    if rules.has_interval:
        dims["envelope"] = ("threshold", "side", "beta")
    return curves_of(answers, dims, rules).assign_coords(threshold=places)


def curves_of(
    answers: Answers[Any], dims: Mapping[str, tuple[str, ...]], rules: Rules
) -> xr.Dataset:
    """Lay what rankings answer side by side, to be drawn."""
    keys = key_coordinates(answers)
    first = tuple(keys.sizes)
    data = {}
    for name, own in dims.items():
        arrays = [getattr(answer.content, name) for answer in answers.each]
        data[name] = ((*first, *own), np.stack(arrays) if first else arrays[0])
    betas = np.stack([answer.betas for answer in answers.each])
    beta = ((*first, "beta"), betas) if answers.own_beta else ("beta", betas[0])
    ends = [*(rules.intervals or {}).values()]
    if rules.shared.beta_interval is not None:
        ends = [rules.shared.beta_interval]
    interval = [min(low for low, _ in ends), max(high for _, high in ends)] if ends else []
    return xr.Dataset(
        data,
        attrs={
            "level": rules.shared.level,
            "band": band_name(rules.shared.band),
            "target": "examples",
        },
    ).assign_coords({**keys, "bound": BOUND, "beta": beta, "interval_beta": ("ends", interval)})


def _ask_net_benefit(
    asked: Asked, fixed: Fixed, thresholds: FloatArray, rules: Rules
) -> Answers[NetBenefit]:
    """Ask each ranking for its net benefit."""

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> NetBenefit:
        fixed.check_counts(ranking.total)
        return net_benefit_at(ranking, betas, thresholds, rule)

    return ask_rankings(asked, "breakpoints", fixed.beta, rules, question)


def bedroc(asked: Asked, beta: GroupBeta, alpha: float, rules: Rules) -> pd.DataFrame:
    """Estimate BEDROC of each ranking, with an interval."""
    alpha = check_alpha(alpha)

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> Estimates:
        return estimate_bedroc(ranking, betas, alpha, rule)

    found = with_intervals(asked, beta, Area(rules, "examples", "approximate", question))
    found.insert([*found.columns].index("estimate"), "alpha", alpha)
    return found


def enrichment_factor(
    asked: Asked, beta: GroupBeta, fraction: float | Sequence[float], rules: Rules
) -> pd.DataFrame:
    """Estimate enrichment factors of each ranking, with intervals."""
    fractions = as_fractions(fraction)
    ranges = read_ranges(beta, rules, "approximate")

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> Enrichment:
        return enrichment_at(ranking, betas, fractions, rule)

    def joined(ranking: Ranking, beta: BetaRange) -> Enrichment:
        beta.check_counts(ranking.total)
        betas = beta.betas(rules.shared.level, "approximate")
        found = enrichment_at(ranking, betas, fractions, rules.shared)
        limits = join_limits(found.value, found.lower, found.upper, beta, "approximate")
        return Enrichment(found.rank, found.value[:, :1], found.error[:, :1], *limits)

    def columns(found: Enrichment, betas: FloatArray) -> dict[str, Any]:
        size = betas.size * fractions.size
        return {
            "beta": np.repeat(betas, fractions.size),
            "fraction": np.tile(fractions, betas.size),
            "rank": np.tile(found.rank, betas.size),
            "estimate": found.value.T.ravel(),
            "standard_error": found.error.T.ravel(),
            "lower": found.lower.T.ravel(),
            "upper": found.upper.T.ravel(),
            "level": np.full(size, rules.shared.level),
            "target": np.full(size, "examples", object),
        }

    given = beta if ranges is None else ranges
    answers = ask_rankings(asked, "breakpoints", given, rules, question, joined=joined)
    return as_rows(
        answers,
        [
            columns(a.content, a.betas) | tell_of(ranges, answers.names, a.key, fractions.size)
            for a in answers.each
        ],
    )


def calibration(
    asked: Asked, beta: GroupBeta, bins: int | Sequence[float], rules: Rules
) -> pd.DataFrame:
    """Estimate the share of positives in bins of the scores of each ranking."""
    edges = as_edges(bins)
    found, rules = with_interval(beta, rules)
    answers = _ask_calibration(asked, found, edges, rules)
    number = edges.size - 1

    def columns(found: Reliability, betas: FloatArray) -> dict[str, Any]:
        size = betas.size * number
        bounds = zip(BOUND, np.moveaxis(found.value, 1, 0), strict=True)
        values = {name: value.T.ravel() for name, value in bounds}
        ends = np.empty((0, 0, 0)) if found.envelope is None else found.envelope
        sides = zip(SIDES, np.moveaxis(ends, 1, 0), strict=False)
        return {
            "beta": np.repeat(betas, number),
            "left": np.tile(edges[:-1], betas.size),
            "right": np.tile(edges[1:], betas.size),
            "examples": np.tile(found.examples, betas.size),
            "known_positive": np.tile(found.known_positive, betas.size),
            "mean_score": np.tile(found.mean_score, betas.size),
            **{name: values[name] for name in ("estimate", "lower", "upper")},
            **{f"envelope_{side}": end.T.ravel() for side, end in sides},
            "level": np.full(size, rules.shared.level),
            "band": np.full(size, band_name(rules.shared.band), object),
            "target": np.full(size, "examples", object),
        }

    return as_rows(answers, [columns(answer.content, answer.betas) for answer in answers.each])


def calibration_curves(
    asked: Asked, beta: GroupBeta, bins: int | Sequence[float], rules: Rules
) -> xr.Dataset:
    """Return the share of positives in bins as curves to draw."""
    edges = as_edges(bins)
    found, rules = with_interval(beta, rules)
    answers = _ask_calibration(asked, found, edges, rules)
    dims = {"value": ("bin", "bound", "beta"), "mean_score": ("bin",)}
    if rules.has_interval:
        dims["envelope"] = ("bin", "side", "beta")
    places = {"bin": edges[:-1], "right": ("bin", edges[1:])}
    return curves_of(answers, dims, rules).assign_coords(places)


def _ask_calibration(
    asked: Asked, fixed: Fixed, edges: FloatArray, rules: Rules
) -> Answers[Reliability]:
    """Ask each ranking for its reliability."""
    check_bin_band(rules.shared)

    def question(ranking: Ranking, betas: FloatArray, rule: Rule) -> Reliability:
        fixed.check_counts(ranking.total)
        return reliability(ranking, betas, edges, rule)

    return ask_rankings(asked, "breakpoints", fixed.beta, rules, question)

"""What practice asks of many rankings: net benefit, BEDROC, calibration, Boyce, cutoffs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.checks import check_count
from pu_accessor.errors import PUValueError, warn_caller
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.boyce import Boyce, boyce_index, check_windows
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.early_recognition import check_alpha, estimate_bedroc
from pu_accessor.inference.estimates.guaranteed_cutoffs import (
    Goal,
    Guaranteed,
    band_of,
    check_guarantee,
    check_population,
    find_guaranteed,
    find_on_new,
)
from pu_accessor.inference.estimates.utility import (
    NetBenefit,
    Reliability,
    as_edges,
    as_thresholds,
    check_bin_band,
    net_benefit_at,
    net_benefit_on_new,
    reliability,
    scores_are_of_known,
    worth_of,
)
from pu_accessor.inference.quantities import QUANTITIES
from pu_accessor.inference.settings import BetaRange, Settings, check_target
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.estimates import estimate_areas
from pu_accessor.questions.macro_average import Averaged, Over, average_over
from pu_accessor.questions.request import (
    Columns,
    Content,
    Request,
    Results,
    as_rows,
    map_rankings,
    name_settings,
)
from pu_accessor.ranking import FloatArray, Ranking, Rankings

Thresholds: TypeAlias = float | Sequence[float] | FloatArray | None

_MODEL = "model"
_ENVELOPE = ("envelope_lower", "envelope_upper")
_MOST = 1_000_000  # models


def net_benefit(
    request: Request,
    betas: Betas,
    thresholds: Thresholds,
    settings: Settings,
    target: str,
    *,
    over: Over | None = None,
) -> pd.DataFrame:
    """Return the net benefit of each ranking at some thresholds."""
    probabilities = as_thresholds(thresholds)
    if over is not None:
        values, entry = probabilities.tolist(), QUANTITIES["net_benefit"]
        each = [(replace(entry, metric=worth_of(t)), Cutoff("threshold", t)) for t in values]
        averaged = Averaged(each, {"threshold": values})
        return average_over(over, request, betas, settings, target, averaged)

    def columns(benefit: NetBenefit) -> Columns:
        points = {"threshold": probabilities, "rank": benefit.rank}
        treated = {"treat_all": benefit.treat_all.T, "treat_none": 0.0}
        return {**points, **treated, **_bound_columns(benefit)}

    benefits = net_benefits(request, betas, probabilities, settings, target)
    return _rows(benefits, columns, target)


def net_benefits(
    request: Request, betas: Betas, thresholds: FloatArray, settings: Settings, target: str
) -> Results[NetBenefit]:
    """Ask each ranking for its net benefit."""
    check_target(target)
    if target == "population" and settings != Settings(settings.level):
        check_target(target, "a band, reference or selection_odds, which bound these examples")
    ask = net_benefit_on_new if target == "population" else net_benefit_at
    benefits = _ask_at(request, *betas.split(settings), thresholds, ask)
    _warn_of_known(benefits)
    return benefits


def _warn_of_known(benefits: Results[NetBenefit]) -> None:
    """Warn of scores that look like probabilities of being known."""
    means = [
        benefit.mean_score
        for _, beta, about, benefit in benefits.each
        if about is not None and scores_are_of_known(benefit, about.total, beta.values)
    ]
    if means:
        warn_caller(
            "Scores look like probabilities of being known, not of being positive: their mean, "
            f"{means[0]:.3g}, is the share of known positives (in {len(means)} of "
            f"{len(benefits.each)} rankings). Divide them by the share of positives that are "
            "known, n/(n + beta*n_unlabeled).",
            page="practice#calibration",
        )


def _ask_at(
    request: Request,
    betas: Betas,
    settings: Settings,
    points: FloatArray,
    ask: Callable[..., Content],
) -> Results[Content]:
    """Ask each ranking for the values of a curve at some points."""

    def question(ranking: Ranking, beta: BetaRange, own: Settings) -> Content:
        return ask(ranking, beta, points, own)

    rankings = request.rankings("breakpoints", settings)
    return map_rankings(request, rankings, question, betas, settings, clustered=True)


def _rows(
    results: Results[Content], columns: Callable[[Content], Columns], target: str = "examples"
) -> pd.DataFrame:
    """Return a row for each ranking, beta and point of a curve."""
    level, band = results.settings.level, band_name(results.settings.band)
    band = "binomial" if target == "population" else band
    about = {"level": level, "band": band, "target": target}

    def whole_rows(content: Content, beta: BetaRange) -> Columns:
        return {"beta": beta.values[:, np.newaxis], **columns(content)}

    return as_rows(results, whole_rows, about)


def _bound_columns(curve: NetBenefit | Reliability) -> dict[str, FloatArray]:
    """Return columns of values over (points, bounds, betas), and of their envelope."""
    lower, estimate, upper = np.moveaxis(curve.value, (1, 2), (0, 1))
    columns = {"estimate": estimate, "lower": lower, "upper": upper}
    if curve.envelope is None:
        return columns
    return dict(zip(_ENVELOPE, np.moveaxis(curve.envelope, (1, 2), (0, 1)), strict=True)) | columns


def bedroc(
    request: Request,
    betas: Betas,
    alpha: float,
    settings: Settings,
    target: str,
    *,
    over: Over | None = None,
) -> pd.DataFrame:
    """Estimate BEDROC of each ranking, with an interval."""
    alpha = check_alpha(alpha)
    check_target(target)
    if over is not None:
        entry = replace(QUANTITIES["bedroc"], alpha=alpha)
        averaged = Averaged([(entry, None)], {"alpha": [alpha]})
        return average_over(over, request, betas, settings, target, averaged)
    ask = partial(estimate_bedroc, alpha=alpha, target=target)
    areas = estimate_areas(request, betas, settings, target, ask)
    areas.insert([*areas.columns].index("beta") + 1, "alpha", alpha)
    return areas


def calibration(
    request: Request, betas: Betas, bins: int | Sequence[float], settings: Settings
) -> pd.DataFrame:
    """Estimate the share of positives in bins of the scores of each ranking."""
    edges = as_edges(bins)

    def columns(shares: Reliability) -> Columns:
        counts = {"examples": shares.examples, "known_positive": shares.known_positive}
        points = {"left": edges[:-1], "right": edges[1:], **counts}
        return {**points, "mean_score": shares.mean_score, **_bound_columns(shares)}

    return _rows(reliabilities(request, betas, edges, settings), columns)


def reliabilities(
    request: Request, betas: Betas, edges: FloatArray, settings: Settings
) -> Results[Reliability]:
    """Ask each ranking for its reliability."""
    check_bin_band(settings)
    return _ask_at(request, *betas.split(settings), edges, reliability)


def boyce_indices(request: Request, windows: int, width: float) -> Results[Boyce]:
    """Ask each ranking for its continuous Boyce index: an answer without beta or an interval."""
    windows, width = check_windows(windows, width)

    def question(ranking: Ranking, _beta: BetaRange, _settings: Settings) -> Boyce:
        return boyce_index(ranking, windows, width)

    return map_rankings(request, request.rank("breakpoints"), question, alone=False)


def guaranteed_cutoffs(
    request: Request, betas: Betas, goal: Goal, settings: Settings, models: int | None, target: str
) -> pd.DataFrame:
    """Find the cutoff of each ranking whose bound meets a goal."""
    check_guarantee(settings.band)
    check_target(target)
    if target == "population":
        check_population(goal, settings.reference)
    told = None if models is None else _check_models(models)
    left = betas.leave(settings).level
    rankings = request.rank("breakpoints")
    among = told or _count_models(rankings)
    for_one_model = 1 - (1 - left) / among

    def question(ranking: Ranking, beta: BetaRange, settings: Settings) -> list[Guaranteed]:
        settings = settings.at_level(for_one_model)
        values = beta.values.tolist()
        if target == "population":
            level, interval = settings.level, beta.interval
            return [find_on_new(ranking, value, goal, level, interval) for value in values]
        return [find_guaranteed(ranking, value, goal, settings, beta.interval) for value in values]

    def columns(cutoffs: list[Guaranteed], beta: BetaRange) -> Columns:
        fields = "rank", "threshold", "clipped", "attainable", "estimate", "lower", "upper"
        return {
            "beta": beta.values,
            **{field: [getattr(cutoff, field) for cutoff in cutoffs] for field in fields},
        }

    results = map_rankings(request, rankings, question, betas, settings)
    about = {
        "metric": goal.name,
        "goal": goal.value,
        **name_settings(settings, target, betas),
        "band": band_of(goal) if target == "examples" else "two samples",
        "models": among,
    }
    cutoffs = as_rows(results, columns, about)
    cutoffs.attrs["statement"] = _state(cutoffs, goal, settings.level, among)
    if unmet := int(cutoffs["lower"].isna().sum()):
        warn_caller(
            f"No cutoff has a {goal.name} of {goal.value:g} for sure in {unmet} of {len(cutoffs)} "
            "rows: the rank is 0. Ask for less, at a lower level, or label more.",
            page="cutoffs",
        )
    return cutoffs


def _check_models(models: int) -> int:
    """Check a number of models."""
    number = check_count("models", models)
    if not 1 <= number <= _MOST:
        raise PUValueError(
            "models must be the number of models that were looked at, from 1 to "
            f"{_MOST:,}, but {models!r} was passed."
        )
    return number


def _count_models(rankings: Rankings) -> int:
    """Return how many models one is chosen among; of groups each has a list."""
    if _MODEL not in rankings.names:
        return 1
    if len(rankings.names) == 1:
        return max(len(rankings.keys), 1)
    level = rankings.names.index(_MODEL)
    return max(len({key[level] for key in rankings.keys}), 1)  # type: ignore[index]


def _state(cutoffs: pd.DataFrame, goal: Goal, level: float, among: int) -> str:
    """Say in a sentence what the guarantee is, or that there is none."""
    unmet = cutoffs["lower"].isna()
    sign = ">=" if goal.name in ("precision", "recall") else "<="
    chosen = f", whichever of {among} models is chosen" if among > 1 else ""
    guarantee = (
        f"With probability {level:g} or more {goal.name} is as bounded at each of these{chosen}."
    )
    if not unmet.any():
        return guarantee
    attainable = cutoffs.loc[unmet, "attainable"]
    if attainable.isna().all():
        return (
            f"In {unmet.sum()} of {len(cutoffs)} rows no cutoff has {goal.name} {sign} "
            f"{goal.value:g} for sure on new examples: the rank is 0. {guarantee}"
        )
    reach = attainable.max() if goal.name in ("precision", "recall") else attainable.min()
    return (
        f"In {unmet.sum()} of {len(cutoffs)} rows no cutoff has {goal.name} {sign} {goal.value:g} "
        f"for sure: the rank is 0. The best bound of any cutoff there is {reach:.4g}. {guarantee}"
    )

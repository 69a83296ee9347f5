"""Numbers with intervals of many rankings -> one tidy frame."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import check_option
from pu_accessor.errors import PUValueError, brief
from pu_accessor.inference.estimates.areas_on_new_examples import estimate_population_aurocs
from pu_accessor.inference.estimates.cutoff_spec import (
    CHOSEN,
    At,
    Cutoff,
    are_several,
    read_cutoffs,
)
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.joint import estimate as estimate_one
from pu_accessor.inference.estimates.macro_average import check_fixed
from pu_accessor.inference.influence import find_design, placement_influences
from pu_accessor.inference.metrics import METRICS, AnyMetric, Metric, read_metrics
from pu_accessor.inference.settings import Beta, Settings, check_target
from pu_accessor.inference.tables.curves import check_max_fpr
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.macro_average import Averaged, Over, average_over
from pu_accessor.questions.request import (
    Columns,
    Request,
    Result,
    Results,
    as_rows,
    check_names,
    map_rankings,
    name_settings,
    warn_of_rows,
)
from pu_accessor.ranking import FloatArray, Ranking, Ranks, Stack

_RANGE = ("range_lower", "range_upper")
_ENVELOPE = ("envelope_lower", "envelope_upper")


def auroc(
    request: Request,
    betas: Betas,
    settings: Settings,
    target: str,
    *,
    max_fpr: float | None = None,
    over: Over | None = None,
) -> pd.DataFrame:
    """Estimate the area under the ROC curve of each ranking, with an interval."""
    entry = replace(METRICS["auroc"], max_fpr=check_max_fpr(max_fpr))
    check_target(target)
    check_option("reference", settings.reference, ("positives",))
    if over is not None:
        _refuse_part(max_fpr)
        averaged = Averaged([(METRICS["auroc"], None)])
        return average_over(over, request, betas, settings, target, averaged)

    def at_once(stack: Stack, values: FloatArray) -> list[Estimates | None]:
        return estimate_population_aurocs(stack, values, settings.level)

    plain = target == "population" and not settings.failure and max_fpr in (None, 1)
    plain = plain and not betas.vary
    return estimate_areas(
        request, betas, settings, target, entry, at_once=at_once if plain else None
    )


def _refuse_part(max_fpr: float | None) -> None:
    """Raise if a part of the area is to be averaged."""
    if max_fpr is not None and max_fpr < 1:
        raise PUValueError(
            f"max_fpr must be left out with average=True, but {max_fpr!r} was passed: the "
            "area of a part is biased where few positives are known. Average a metric: "
            "df.pu(by='query').metric('recall', 0.3, at={'fraction': 0.1}, average=True)."
        )


def average_precision(
    request: Request, betas: Betas, settings: Settings, target: str, *, over: Over | None = None
) -> pd.DataFrame:
    """Estimate the average precision of each ranking, with an interval."""
    check_target(target)
    if over is not None:
        averaged = Averaged([(METRICS["average_precision"], None)])
        return average_over(over, request, betas, settings, target, averaged)
    return estimate_areas(request, betas, settings, target, METRICS["average_precision"])


def estimate(
    request: Request,
    quantity: Metric,
    betas: Betas,
    at: At | None,
    settings: Settings,
    target: str | None,
) -> pd.DataFrame:
    """Estimate an area, or a metric at its cutoff, whichever it is."""
    if at is not None:
        return metric(request, quantity, betas, at, settings, target)
    goal = "population" if target is None else target
    if quantity.name == "auroc":
        return auroc(request, betas, settings, goal)
    return estimate_areas(request, betas, settings, goal, quantity)


def estimate_areas(
    request: Request,
    betas: Betas,
    settings: Settings,
    target: str,
    entry: Metric,
    *,
    at_once: Callable[[Stack, FloatArray], list[Estimates | None]] | None = None,
) -> pd.DataFrame:
    """Estimate an area of each ranking at each beta.

    `at_once` is as in `map_rankings`.
    """
    betas.refuse_odds(settings)

    def question(ranking: Ranking, beta: Beta, own: Settings) -> Estimates:
        return estimate_one(entry, ranking, beta, own, target, None)

    def columns(estimates: Estimates, beta: Beta) -> Columns:
        ranges = estimates.reach or ()
        error = {} if betas.vary else {"standard_error": estimates.error}  # that at one beta
        return {
            "beta": beta.values,
            **error,
            **dict(zip(_RANGE, ranges, strict=False)),
            "estimate": estimates.value,
            "lower": estimates.lower,
            "upper": estimates.upper,
        }

    rankings = request.rankings("breakpoints", settings)
    clustered = target == "population" and not settings.failure
    results = map_rankings(
        request, rankings, question, betas, settings, at_once=at_once, clustered=clustered
    )
    areas = as_rows(results, columns, name_settings(settings, target, betas))
    # A first look into a column of a frame takes as long as ten of arrays.
    if np.isnan(np.concatenate([each.content.lower for each in results.each])).any():
        warn_of_areas(areas, results)
    return areas


def metric(
    request: Request,
    quantity: AnyMetric | Sequence[AnyMetric],
    betas: Betas,
    at: At,
    settings: Settings,
    target: str | None,
    *,
    over: Over | None = None,
) -> pd.DataFrame:
    """Evaluate metrics of each ranking at the cutoffs that a person reports."""
    cutoffs = read_cutoffs(at)
    each = [(entry, cutoff) for entry in read_metrics(quantity, "metric") for cutoff in cutoffs]
    if all(entry.of_rates for entry, _ in each):
        each[0][0].check_prevalence(settings.prevalence)
    named: dict[str, list[Any]] = {"metric": [entry.name for entry, _ in each]}
    if are_several(at):
        named["at"] = [cutoff.value for _, cutoff in each]
    if over is not None:
        goal = "population" if target is None else target
        check_fixed(cutoffs[0])
        return average_over(over, request, betas, settings, goal, Averaged(each, named))
    target = read_target(target, cutoffs[0], settings)
    betas.refuse_odds(settings)

    def question(ranking: Ranking, beta: Beta, own: Settings) -> list[Estimates]:
        return [estimate_one(entry, ranking, beta, own, target, cut) for entry, cut in each]

    def columns(metrics: list[Estimates], beta: Beta) -> Columns:
        fields = ["rank", "threshold", "clipped"]
        if cutoffs[0].kind in ("rank", "fraction"):
            fields.append("examples_at_threshold")
        fields += ["value", "lower", "upper"]
        stacked = {name: np.stack([getattr(one, name) for one in metrics], 1) for name in fields}
        return {
            "beta": beta.values[:, np.newaxis],
            **named,
            **{{"value": "estimate"}.get(name, name): each for name, each in stacked.items()},
        }

    ranks = cutoffs_needed([entry for entry, _ in each], cutoffs[0])
    rankings = request.rankings(ranks, settings)
    results = map_rankings(request, rankings, question, betas, settings, clustered=True)
    bands = dict.fromkeys(str(one.band) for each in results.each for one in each.content)
    named_settings = {**name_settings(settings, target, betas), "band": ", ".join(bands)}
    return as_rows(results, columns, named_settings)


def roc_region(request: Request, betas: Betas, at: At, settings: Settings) -> pd.DataFrame:
    """Bound both rates of the ROC curve jointly at thresholds, each at the root of the level."""
    if read_cutoffs(at)[0].kind != "threshold":
        raise PUValueError(
            "at must be a threshold for a region of the ROC curve of new examples, but "
            f"{brief(at)} was passed, which is a cutoff of these. Pass at={{'threshold': 0.5}}."
        )
    each = settings.at_level(settings.level**0.5)
    both = metric(request, ["tpr", "fpr"], betas, at, each, "population")
    numbers = [name for name in ("estimate", "lower", "upper", *_ENVELOPE) if name in both]
    rates = [
        both.loc[both["metric"] == rate, numbers]
        .set_axis([rate, *(f"{rate}_{name}" for name in numbers[1:])], axis=1)
        .reset_index(drop=True)
        for rate in ("tpr", "fpr")
    ]
    rest = both[both["metric"] == "tpr"].reset_index(drop=True)
    rest = rest.drop(columns=["metric", "clipped", *numbers])
    keys = [*rest][: [*rest].index("beta")]
    check_names(keys, keys, [*rates[0], *rates[1]])
    region = pd.concat([rest, *rates], axis=1)
    region.attrs = {**both.attrs, "level": settings.level}
    return region


def cutoffs_needed(entries: Sequence[Metric], cutoff: Cutoff | None) -> Ranks:
    """Return the ranks that are needed: what a user's function maximises can be anywhere."""
    chosen = cutoff is not None and cutoff.kind in CHOSEN
    return "all" if chosen and any(entry.is_function for entry in entries) else "breakpoints"


def read_target(target: str | None, cutoff: Cutoff | None, settings: Settings) -> str:
    """Return what a quantity is about, or say what it cannot be about at its cutoff."""
    if cutoff is None:
        target = "population" if target is None else target
        check_target(target)
        return target
    fixed = cutoff.kind == "threshold"
    plain = replace(settings, contamination=0.0) == Settings(
        settings.level, prevalence=settings.prevalence
    )
    if target is None:
        return "population" if fixed and plain else "examples"
    check_target(target)
    return target


def warn_of_areas(areas: pd.DataFrame, results: Results[Any]) -> None:
    """Warn of intervals that are missing, where that is not said already."""
    if not areas["lower"].hasnans:
        return
    sizes = [each.beta.values.size for each in results.each]
    alone = np.repeat([_has_one(each) for each in results.each], sizes)
    missing = areas["lower"].isna()
    warn_of_rows(
        areas,
        missing & alone,
        results.names,
        "there is one known positive alone, or one other example, which has no standard "
        "error: the interval is NaN. Label more, or take the areas under bounding curves: "
        "df.pu.contingency(0.3).pu.area('auroc')",
    )
    # Of random labels the limit is known, and that beta exceeds it was said.
    limits = [each.about.beta_limit if each.about else nan for each in results.each]
    warn_of_rows(
        areas,
        missing & ~alone & np.isnan(np.repeat(limits, sizes)),
        results.names,
        "the known positives rule beta out, as it needs more latent ones than there is room for, "
        "or one cluster holds all others: the interval is NaN. Pass a smaller beta",
    )


def _has_one(result: Result[Any]) -> bool:
    """Tell if there is one known positive alone, or at most one other example."""
    return result.about is not None and result.about.single


def describe_clusters(request: Request) -> pd.DataFrame:
    """Return how many clusters each ranking has, and how much less their rows say of AUROC."""
    rankings = request.rank("breakpoints")
    return as_rows(map_rankings(request, rankings, _count_clusters, clustered=True))


def _count_clusters(ranking: Ranking, *_: object) -> dict[str, float]:
    """Return the columns about the clusters of a ranking."""
    clusters = ranking.clusters
    number, held = (clusters.number, clusters.with_positive) if clusters else (0, 0)
    design = find_design(clusters, partial(placement_influences, ranking))
    return {
        "clusters": number,
        "with_positive": held,
        "rows_per_cluster": sum(ranking.total) / max(number, 1),
        "design_effect": design.effect,
    }

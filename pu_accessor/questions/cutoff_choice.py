"""Cutoffs at which a metric is guaranteed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pu_accessor.beta import Beta, Betas, UserBeta
from pu_accessor.checks import check_count
from pu_accessor.errors import PUValueError, warn_caller
from pu_accessor.inference.estimates.guaranteed_cutoffs import (
    Cost,
    Goal,
    Guaranteed,
    band_of,
    find_guaranteed,
    find_on_new,
    read_goal,
)
from pu_accessor.inference.settings import Settings
from pu_accessor.questions.evaluation import Columns, add_failed_groups, evaluate, results_frame
from pu_accessor.ranking import Ranking, Rankings

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

_MODEL = "model"
_MAX_MODELS = 1_000_000


def cutoff(
    self: Accessor,
    beta: UserBeta,
    *,
    precision: float | None = None,
    recall: float | None = None,
    fpr: float | None = None,
    cost: Cost | None = None,
    models: int | None = None,
    target: str = "examples",
    level: float = 0.95,
) -> pd.DataFrame:
    """Find the cutoff that is guaranteed to reach a goal.

    One of `precision`, `recall`, `fpr` and `cost` is passed. With a probability of at least
    `level` it is reached at the cutoff that is returned, although that is chosen by looking.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as in `auroc`; the guarantee holds at any beta of an
        interval or estimate, which must hold at a higher level than `level`.
    precision : float, optional
        The deepest rank whose lower bound of precision is at least that.
    recall : float, optional
        The shallowest rank whose lower bound of recall is at least that.
    fpr : float, optional
        The deepest rank whose upper bound of the false positive rate is at most that.
    cost : (float, float), optional
        What a false positive and a false negative cost: the rank with the smallest upper bound
        of the cost of all examples.
    models : int, optional
        How many models were looked at: 1 - level is split over them. By default the number of
        those in `score`, or along "model".
    target : {"examples", "population"}, default "examples"
        What the guarantee is about: this sample, or future data at the threshold.
    level : float, default 0.95
        Probability with which the goal is reached, in (0, 1), at least.

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, metric, goal, beta, rank (int64), threshold,
        target, estimate, lower, upper (float64), clipped (bool), and attainable, the best goal
        for which there is a cutoff. Where no cutoff reaches the goal rank is 0, the threshold
        inf, and the bounds are NaN. The rows above it are ``df[df["score"] >= threshold]``.
        ``.attrs["statement"]`` says in a sentence what is guaranteed.

    Raises
    ------
    PUValueError
        If not one goal is passed, or with propensities, clusters or weights.

    Warns
    -----
    PUWarning
        If no cutoff reaches the goal.

    See Also
    --------
    metric : Metrics at a cutoff that is given.

    Notes
    -----
    For precision and cost lower limits hold at all cutoffs jointly. Recall and the false positive
    rate only grow with the rank: cutoffs are tested one by one by exact limits, and the last one
    before the first that fails is taken [1]_.

    References
    ----------
    .. [1] A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei, *Learn then test*,
       Annals of Applied Statistics 19 (2025) 1641-1662.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(3 * truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(4000) < 500, 1, np.nan)})
    >>> found = df.pu.cutoff(1 / 7, precision=0.9)
    >>> found[["rank", "attainable", "lower"]].round(3)
       rank  attainable  lower
    0   782         1.0    0.9
    """
    goal = read_goal(precision, recall, fpr, cost)
    betas, settings = self._begin("cutoff", beta, level=level, target=target, cost=cost)
    _check_level(betas, level)
    betas, left = betas.split(level)
    rankings = self._rank()
    among = _count_models(rankings) if models is None else _check_models(models)
    settings = replace(settings, level=left, band="simultaneous")
    for_one_model = 1 - (1 - left) / among

    def compute(ranking: Ranking, beta: Beta, own: Settings) -> list[Guaranteed]:
        each, own = beta.values[:, np.newaxis], own.at_level(for_one_model)
        if target == "population":
            each = each if beta.interval is None else np.array([[beta.point, *beta.interval]])
            return [find_on_new(ranking, betas, goal, own.level) for betas in each]
        each = each if beta.interval is None else beta.within()[np.newaxis]
        return [find_guaranteed(ranking, betas, goal, own) for betas in each]

    def columns(cutoffs: list[Guaranteed], beta: Beta) -> Columns:
        def of(name: str) -> list[Any]:
            return [getattr(cutoff, name) for cutoff in cutoffs]

        located = {name: of(name) for name in ("rank", "threshold")}
        if self._terms.pool:
            located["threshold"] = [np.nan]
        ends = ("estimate", "lower", "upper", "clipped", "attainable")
        asked = {"metric": goal.name, "goal": goal.value, "beta": beta.values}
        return {**asked, **located, "target": target, **{name: of(name) for name in ends}}

    results = evaluate(self._terms, rankings, compute, betas, settings)
    band = band_of(goal) if target == "examples" else "two samples"
    attrs = {**self._attrs(settings, target, band=band), "level": level, "models": among}
    cutoffs = results_frame(results, columns, attrs)
    cutoffs.attrs["statement"] = _state(cutoffs, goal, level, among)
    if cutoffs["lower"].isna().any():
        step = "Ask for less, at a lower level, or label more."
        warn_caller(f"{cutoffs.attrs['statement']} {step}", page="cutoffs")
    return add_failed_groups(cutoffs, results)


def _check_level(betas: Betas, level: float) -> None:
    """Raise unless the error of an estimate leaves some of 1 - level to the ranking."""
    if betas.level is None or betas.level > level:
        return
    half = round((1 + level) / 2, 12)
    raise PUValueError(
        f"beta must hold at a higher level than the {level:g} of the guarantee, but it holds at "
        f"{betas.level:g}: 1 - level is shared between beta and the ranking. Pass level={half:g} "
        "to estimate_beta or beta_from_labels, or a lower level here.",
        page="beta#with-its-error",
    )


def _check_models(models: int) -> int:
    number = check_count("models", models)
    if not 1 <= number <= _MAX_MODELS:
        raise PUValueError(
            "models must be the number of models that were looked at, from 1 to "
            f"{_MAX_MODELS:,}, but {models!r} was passed."
        )
    return number


def _count_models(rankings: Rankings) -> int:
    if _MODEL not in rankings.names:
        return 1
    if len(rankings.names) == 1:
        return max(len(rankings.keys), 1)
    level = rankings.names.index(_MODEL)
    return max(len({key[level] for key in rankings.keys}), 1)  # type: ignore[index]


def _state(cutoffs: pd.DataFrame, goal: Goal, level: float, among: int) -> str:
    """Say in a sentence what is guaranteed, or that nothing is."""
    unmet = cutoffs["lower"].isna()
    above = goal.name in ("precision", "recall")
    words = {"cost": f"the {goal.name} is at most its upper limit"}
    reached = words.get(
        goal.name, f"{goal.name} is at {'least' if above else 'most'} {goal.value:g}"
    )
    where = "each of these cutoffs" if len(cutoffs) > 1 else "this cutoff"
    chosen = f", whichever of {among} models is chosen" if among > 1 else ""
    guarantee = (
        f"With a probability of at least {level:g} {reached} at {where}{chosen}, if beta is right "
        "and what is assumed holds."
    )
    if not unmet.any():
        return guarantee
    rows = "" if len(cutoffs) == 1 else f"In {unmet.sum()} of {len(cutoffs)} rows: "
    none = f"{rows}no cutoff has a {goal.name} of {goal.value:g} for sure, and the rank is 0."
    attainable = cutoffs.loc[unmet, "attainable"].dropna()
    if attainable.size:
        best = attainable.max() if above else attainable.min()
        none += f" The best bound of any cutoff is {best:.4g}."
    none = none[:1].upper() + none[1:]
    return none if unmet.all() else f"{none} At the others: {guarantee}"

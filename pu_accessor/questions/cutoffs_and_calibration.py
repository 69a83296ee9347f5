"""Cutoffs at which a metric is guaranteed, and the calibration of scores in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pu_accessor.beta import Beta, Betas, UserBeta, split_key
from pu_accessor.checks import check_count, check_option
from pu_accessor.errors import PUValueError, warn_caller
from pu_accessor.inference import guaranteed_cutoffs
from pu_accessor.inference.answer import Answer, join_answers, join_betas
from pu_accessor.inference.bands import band_name
from pu_accessor.inference.calibration import estimate_bin_shares, read_bin_edges
from pu_accessor.questions import evaluation
from pu_accessor.ranking import Ranking

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
    cost: guaranteed_cutoffs.Cost | None = None,
    models: int | None = None,
    target: str = "examples",
    level: float = 0.95,
) -> pd.DataFrame:
    """Find the cutoff at which a precision, recall, false positive rate or cost is guaranteed.

    Exactly one of `precision`, `recall`, `fpr` and `cost` is passed. The returned cutoff meets the
    goal with a probability of at least `level`, although it is chosen from the data.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as `auroc` explains. The guarantee is for all betas of an
        interval, or includes the error of an estimate, whose level must be higher than `level`.
    precision : float, optional
        Largest rank whose lower limit of precision is at least this.
    recall : float, optional
        Smallest rank whose lower limit of recall is at least this.
    fpr : float, optional
        Largest rank whose upper limit of the false positive rate is at most this.
    cost : (float, float), optional
        Costs of a false positive and a false negative: the rank with the smallest upper limit of
        the total cost.
    models : int, optional
        Number of models that were compared: 1 - level is split among them. By default the number
        in `score`, or along "model".
    target : {"examples", "population"}, default "examples"
        What the guarantee is about: this sample, or future data at the threshold.
    level : float, default 0.95
        Smallest probability that the goal is met, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, metric, goal, beta, rank (int64), threshold,
        target, estimate, lower, upper (float64), clipped (bool), and attainable, the best goal
        that some cutoff meets. If no cutoff meets the goal, rank is 0, the threshold inf, and the
        limits are NaN. Select the rows above it by ``df[df["score"] >= threshold]``.
        ``.attrs["statement"]`` states the guarantee in a sentence.

    Raises
    ------
    PUValueError
        If not exactly one goal is passed, or with propensities, clusters or weights.

    Warns
    -----
    PUWarning
        If no cutoff meets the goal.

    See Also
    --------
    metric : Metrics at a cutoff that is given.

    Notes
    -----
    For precision and cost the limits cover jointly at all cutoffs. For recall and the false
    positive rate cutoffs are tested in order, up to the first failure [1]_.

    References
    ----------
    .. [1] A. N. Angelopoulos et al., Annals of Applied Statistics 19 (2025) 1641-1662.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu.cutoff(0.17, precision=0.8)[["rank", "threshold", "attainable", "lower"]].round(3)
       rank  threshold  attainable  lower
    0   121      0.859       0.835  0.802
    """
    goal = guaranteed_cutoffs.read_goal(precision, recall, fpr, cost)
    betas, terms = self._read_arguments("cutoff", beta, level=level, target=target, cost=cost)
    find = guaranteed_cutoffs.find_sample_cutoff
    band = guaranteed_cutoffs.band_for_goal(goal)
    if target == "population":
        find, band = guaranteed_cutoffs.find_future_cutoff, "two samples"
    _check_level(betas, level)
    betas, left = betas.split(level)
    rankings = self._rank()
    keys = [split_key(rankings.names, key) for key in rankings.keys]
    of_models = {
        levels[rankings.names.index(_MODEL)] for levels in keys if _MODEL in rankings.names
    }
    n_models = max(len(of_models), 1) if models is None else _check_models(models)
    terms = replace(terms, level=left, band="simultaneous")
    of_model = terms.at_level(1 - (1 - left) / n_models)

    def compute(ranking: Ranking, beta: Beta) -> Answer:
        each = beta.values[:, np.newaxis] if beta.interval is None else beta.within()[np.newaxis]
        return join_answers([find(ranking, betas, goal, of_model) for betas in each])

    def columns(cutoffs: Answer, beta: Beta) -> evaluation.Columns:
        goals = {"metric": goal.name, "goal": goal.value, "beta": beta.values[:, np.newaxis]}
        return goals | evaluation.answer_columns([cutoffs], target)

    results = evaluation.evaluate(terms, rankings, compute, betas)
    shown = self._attrs(terms, target, band=band)
    attrs = {**shown, "level": level, "models": n_models}
    cutoffs = evaluation.results_frame(results, columns, attrs, join=join_answers)
    cutoffs.attrs["statement"] = _state_guarantee(cutoffs, goal, level, n_models)
    if cutoffs["lower"].isna().any():
        warn_caller(f"{cutoffs.attrs['statement']} Lower the goal or the level, or label more.")
    return evaluation.add_failed_groups(cutoffs, results)


def _check_level(betas: Betas, level: float) -> None:
    """Raise unless the level of an estimate of beta is above the level of the guarantee."""
    if betas.level is None or betas.level > level:
        return
    half = round((1 + level) / 2, 12)
    raise PUValueError(
        f"beta must be estimated at a higher level than the guarantee ({level:g}), but it has "
        f"{betas.level:g}: 1 - level is split between beta and the ranking. Pass level={half:g} "
        "to estimate_beta or beta_from_labels, or a lower level here."
    )


def _check_models(models: int) -> int:
    """Return a valid number of compared models."""
    number = check_count("models", models)
    if not 1 <= number <= _MAX_MODELS:
        raise PUValueError(
            "models must be the number of models that were compared, from 1 to "
            f"{_MAX_MODELS:,}, but {models!r} was passed."
        )
    return number


def _state_guarantee(
    cutoffs: pd.DataFrame, goal: guaranteed_cutoffs.Goal, level: float, n_models: int
) -> str:
    """Return a sentence that states the guarantee, or that there is none."""
    unmet = cutoffs["lower"].isna()
    above = goal.name in ("precision", "recall")
    claim = f"{goal.name} is at {'least' if above else 'most'} {goal.value:g}"
    if goal.name == "cost":
        claim = "the cost is at most its upper limit"
    where = "each of these cutoffs" if len(cutoffs) > 1 else "this cutoff"
    chosen = f", whichever of {n_models} models is chosen" if n_models > 1 else ""
    guarantee = (
        f"With a probability of at least {level:g} {claim} at {where}{chosen}, if beta and the "
        "assumptions are right."
    )
    if not unmet.any():
        return guarantee
    rows = "" if len(cutoffs) == 1 else f"In {unmet.sum()} of {len(cutoffs)} rows: "
    none = f"{rows}no cutoff guarantees a {goal.name} of {goal.value:g}, and the rank is 0."
    attainable = cutoffs.loc[unmet, "attainable"].dropna()
    if attainable.size:
        best = attainable.max() if above else attainable.min()
        none += f" The best limit of any cutoff is {best:.4g}."
    none = none[:1].upper() + none[1:]
    return none if unmet.all() else f"{none} At the others: {guarantee}"


# Calibration


def calibration(
    self: Accessor,
    beta: UserBeta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
) -> pd.DataFrame:
    """Compare predicted probabilities with the share of positives, in bins.

    Known positives are a simple random sample of all positives, so their number in a bin is
    hypergeometric; the limits invert its test. Weighted rows are a sample, and limits are those of
    future data. A model trained to tell known positives from the
    rest gives the probability of being *known*.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    bins : int, or array of float, default 10
        Number of bins of equal width, or their edges, from 0 to 1.
    level : float, default 0.95
        Confidence level of intervals, in (0, 1).
    band : {"exact", "simultaneous"}, default "exact"
        Whether limits cover in each bin, or jointly in all bins.

    Returns
    -------
    DataFrame
        A row for each group, beta and bin: the group, beta, left, right, mean_score, target,
        estimate, lower, upper (float64), the share of positives with its limits, and examples and
        known_positive (int64). A bin without examples has NaN.

    Raises
    ------
    PUValueError
        If scores are not probabilities, or labels have propensities.

    See Also
    --------
    plot_calibration : The reliability diagram.

    Examples
    --------
    >>> import pu_accessor
    >>> bins = pu_accessor.load_example().pu.calibration(0.17, bins=2)
    >>> bins[["left", "right", "examples", "estimate", "lower", "upper"]].round(2)
       left  right  examples  estimate  lower  upper
    0   0.0    0.5      1593      0.14   0.12   0.15
    1   0.5    1.0       407      0.72   0.65   0.78
    """
    edges, weighted = read_bin_edges(bins), self._terms.weight is not None
    target = "population" if weighted else "examples"
    betas, terms = self._read_arguments("calibration", beta, level=level, band=band)
    check_option("band", band, ("exact", "simultaneous"))
    betas, left = betas.split(level)
    of_band = terms.at_level(left)

    def compute(ranking: Ranking, beta: Beta) -> Answer:
        bins = estimate_bin_shares(ranking, beta.within(), edges, of_band)
        return join_betas(bins, beta._replace(level=None))

    def columns(bins: Answer, beta: Beta) -> evaluation.Columns:
        located = {"beta": beta.values[:, np.newaxis], "left": edges[:-1], "right": edges[1:]}
        shown = evaluation.answer_columns([bins], target).items()  # over bins and betas
        return located | {name: np.transpose(column) for name, column in shown}

    results = evaluation.evaluate(of_band, self._rank(), compute, betas)
    band_used = "binomial" if weighted else band_name(terms.band)
    attrs = self._attrs(terms, target, band=band_used)
    return evaluation.add_failed_groups(evaluation.results_frame(results, columns, attrs), results)

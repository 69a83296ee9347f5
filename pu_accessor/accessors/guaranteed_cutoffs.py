"""Questions to rankings: a cutoff with a guarantee, and the rows above it."""

from __future__ import annotations

import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.guaranteed_cutoffs import Cost, read_goal
from pu_accessor.questions.betas import Beta, read_betas
from pu_accessor.questions.rank_bands import read_settings
from pu_accessor.questions.utility import guaranteed_cutoffs


def cutoff(
    self: Bound,
    beta: Beta,
    *,
    precision: float | None = None,
    recall: float | None = None,
    fpr: float | None = None,
    cost: Cost | None = None,
    level: float = 0.95,
    band: str | Band = "simultaneous",
    reference: str = "positives",
    models: int | None = None,
    target: str = "examples",
) -> pd.DataFrame:
    """Find the cutoff that is guaranteed to reach what is asked, whatever was looked at before.

    One of `precision`, `recall`, `fpr` and `cost` is passed. Bounds hold at all cutoffs jointly,
    with a probability of at least `level`, and so at the one that is chosen by them.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands, whose level must be lower, get an envelope.
    precision : float, optional
        The deepest rank whose lower bound of precision is at least that.
    recall : float, optional
        The shallowest rank whose lower bound of recall is at least that.
    fpr : float, optional
        The deepest rank whose upper bound of the false positive rate is at most that.
    cost : (float, float), optional
        What a false positive and a false negative cost: the rank with the smallest upper bound of
        the cost of all examples.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : {"simultaneous"}, default "simultaneous"
        No other band holds at all cutoffs jointly.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    models : int, optional
        How many models were looked at. 1 - level is split over them, so that the guarantee holds
        for whichever is chosen. By default the number of those in `score`, or along "model";
        groups are not counted, as a list is made of each. Pass more where others were tried
        before, and 1 for models none of which is preferred for its list.
    target : {"examples", "population"}, default "examples"
        What the guarantee is about: these examples once all labels were known, or new ones from
        where these come from, at the threshold. Lists on new examples are for one goal that was
        fixed before; with ``df.pu(monotone=True)`` they are far longer.

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, beta, metric, goal, rank, threshold, estimate,
        lower, upper, clipped, attainable, level, band, models, target.

        * rank, threshold : what scores at or above the threshold are predicted positive, rank of
          them. Where no cutoff reaches the goal rank is 0, the threshold inf, and the bounds NaN.
        * clipped : whether a bound is cut to what the unlabeled examples allow.
        * band : on new examples "two samples", known positives and the rest; the other limit of
          the goal is then 0 or 1, and attainable NaN.
        * attainable : the best bound of any cutoff: what could be asked for.

        ``.attrs["statement"]`` says in a sentence what is guaranteed, or that nothing is.

    Raises
    ------
    PUValueError
        If not one goal is passed; for another band, or propensities.

    See Also
    --------
    select : The rows above it.

    Notes
    -----
    With an estimate of beta the bounds are those at any beta in its interval, as in
    ``joint="guaranteed"`` of `auroc`: it must hold at a higher level than `level`.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(3 * truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(4000) < 500, 1, np.nan)})
    >>> found = df.pu.cutoff(beta=1 / 7, precision=0.9)
    >>> found[["metric", "goal", "rank", "lower", "attainable"]].round(3)
          metric  goal  rank  lower  attainable
    0  precision   0.9   777  0.901         1.0
    """
    goal = read_goal(precision, recall, fpr, cost)
    settings, betas = read_settings(level, band, reference), read_betas(beta)
    return guaranteed_cutoffs(self._request(), betas, goal, settings, models, target)


def select(
    self: Bound,
    beta: Beta,
    *,
    precision: float | None = None,
    recall: float | None = None,
    fpr: float | None = None,
    cost: Cost | None = None,
    level: float = 0.95,
    band: str | Band = "simultaneous",
    reference: str = "positives",
    models: int | None = None,
    target: str = "examples",
) -> pd.DataFrame:
    """Return the rows at or above the cutoff that is guaranteed to reach what is asked.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands, whose level must be lower, get an envelope.
    precision : float, optional
        The deepest rank whose lower bound of precision is at least that.
    recall : float, optional
        The shallowest rank whose lower bound of recall is at least that.
    fpr : float, optional
        The deepest rank whose upper bound of the false positive rate is at most that.
    cost : (float, float), optional
        What a false positive and a false negative cost: the rank with the smallest upper bound of
        the cost of all examples.

        One of these four is passed.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : {"simultaneous"}, default "simultaneous"
        No other band holds at all cutoffs jointly.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    models : int, optional
        How many models were looked at. 1 - level is split over them, so that the guarantee holds
        for whichever is chosen. By default the number of those in `score`, or along "model";
        groups are not counted, as a list is made of each. Pass more where others were tried
        before, and 1 for models none of which is preferred for its list.
    target : {"examples", "population"}, default "examples"
        What the guarantee is about: these examples once all labels were known, or new ones from
        where these come from, at the threshold. Lists on new examples are for one goal that was
        fixed before; with ``df.pu(monotone=True)`` they are far longer.

    Returns
    -------
    DataFrame
        Rows of the frame with their index, the best first, group by group; none where no cutoff
        reaches the goal. Known positives are among them.

    Raises
    ------
    PUValueError
        Also for several betas or models: a list is made by one.

    See Also
    --------
    cutoff : Where that is, with the bounds there.

    Notes
    -----
    The first rows by score, as many as the rank of `cutoff`: rows with the same score come
    together.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(3 * truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(4000) < 500, 1, np.nan)})
    >>> chosen = df.pu.select(beta=1 / 7, precision=0.9)
    >>> len(chosen), round(float(truth[chosen.index].mean()), 3)
    (777, 0.959)
    """
    if isinstance(self._roles.score, list):
        first = self._roles.score[0] if self._roles.score else "score"
        raise PUValueError(
            f"score must name one column for select, but {self._roles.score!r} was passed. Choose "
            "one, and say among how many it was chosen: "
            f"df.pu(score={first!r}).select(0.3, recall=0.9, models={len(self._roles.score)})."
        )
    goal = read_goal(precision, recall, fpr, cost)
    settings, betas = read_settings(level, band, reference), read_betas(beta)
    cutoffs = guaranteed_cutoffs(self._request(), betas, goal, settings, models, target)
    keys = [*cutoffs.columns[: cutoffs.columns.get_loc("beta")]]
    if (cutoffs.duplicated(keys) if keys else cutoffs.index > 0).any():
        raise PUValueError("beta must be one for select, but several were passed: take one.")
    return self._source.best(self._roles, cutoffs["rank"].tolist())

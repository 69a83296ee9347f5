"""Questions to rankings: what practice asks for, and a cutoff with a guarantee."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from pu_accessor.accessors.bound import Bound
from pu_accessor.datasets import curves, tables
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.guaranteed_cutoffs import Cost, read_goal
from pu_accessor.inference.settings import Settings
from pu_accessor.questions import utility as practice
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.macro_average import Average, read_average
from pu_accessor.questions.rank_bands import read_settings


def bedroc(
    self: Bound,
    beta: Beta,
    *,
    alpha: float = 20.0,
    level: float = 0.95,
    beta_interval: BetaInterval | None = None,
    target: str = "examples",
    average: Average = False,
) -> pd.DataFrame:
    """Estimate BEDROC, which asks whether positives come early in the ranking of these examples.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    alpha : float, default 20
        How early is early, above 0: the rank r of N counts exp(-alpha*r/N). At 20 the first 8% of
        the examples make 80% of the score.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: adds envelope_lower and
        envelope_upper, the lowest and highest limit while it varies. A pair, or by group a
        mapping, a Series, or a frame with columns low and high.
    target : Target, default "examples"
        What the interval is about: "population", new examples from where these come from; or
        "examples", these alone, once all their labels were known.
    average : bool, str or list of str, default False
        Average over groups, such as queries: True over all of `by`, a name over that one. Each
        group counts once, by an unbiased estimate. The interval is over new groups with
        ``target="population"``, over these with ``"examples"``. One known positive is enough (for
        average precision two); groups without any are left out by ``on_error="skip"``. There is a
        row for what is not averaged over, with n_groups, and the mean of betas.

    Returns
    -------
    DataFrame
        As `auroc`, with alpha; with `average`, and n_groups.

    Raises
    ------
    PUValueError
        If there are no negatives, or alpha is not 1e-4 to 1e9.

    Warns
    -----
    PUWarning
        As `auroc`.

    See Also
    --------
    metric : "lift", of the top alone.
    average_precision : Of the whole ranking.

    Notes
    -----
    The mean over the positives of exp(-alpha*r/N), scaled so that it is 0 with all of them at the
    bottom and 1 with all at the top [1]_: of one possible labeling, see "One estimate" in
    the manual. Where all is labeled it is RDKit's ``CalcBEDROC``, save that tied examples
    count as over all their orders. The interval is what latent positives make that are shared out
    at random to the gaps between known ones; it holds the estimate. On new examples it is that of
    known positives and the rest as two samples, by what each example contributes. Half positive
    test sets saturate it: read it where positives are rare.

    References
    ----------
    .. [1] J.-F. Truchon, C. I. Bayly, *Evaluating virtual screening methods: good and bad metrics
       for the "early recognition" problem*, Journal of Chemical Information and Modeling 47 (2007)
       488-508.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.bedroc(beta=0.25, alpha=5)[["estimate", "lower", "upper"]].round(3)
       estimate  lower  upper
    0     0.705  0.436    1.0
    """
    settings, betas = Settings(level), read_betas(beta, beta_interval)
    over = read_average(average, isinstance(self._roles.score, list))
    return practice.bedroc(self._request(), betas, alpha, settings, target, over=over)


def calibration(
    self: Bound,
    beta: Beta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
    beta_interval: BetaInterval | None = None,
) -> pd.DataFrame:
    """Compare probabilities with the share of positives among the examples that have them.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    bins : int, or array-like of float, default 10
        How many bins of one width, or their edges, from 0 to 1. An edge belongs to the bin above
        it, 1 to the last.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : {"exact", "simultaneous"}, default "exact"
        Whether limits hold for each bin, or for all jointly.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: adds envelope_lower and
        envelope_upper, the lowest and highest limit while it varies. A pair, or by group a
        mapping, a Series, or a frame with columns low and high.

    Returns
    -------
    DataFrame
        A row for each group, beta and bin: the group, beta, left, right, examples, known_positive,
        mean_score, which is that of the bin's examples to a 400th of its width, estimate, lower,
        upper; level, band and target in ``.attrs``. The estimate is that of one possible labeling,
        see "One estimate" in the manual. A bin without examples has NaN. One without a known
        positive has limits like any other.

    Raises
    ------
    PUValueError
        If scores are no probabilities, `bins` are none, or the band is another one.

    See Also
    --------
    plot_calibration : The picture, a reliability diagram.

    Notes
    -----
    Of the n + m positives some number is in a bin. Known ones are a simple random sample of them:
    how many of the n are there is hypergeometric, and the limits are the numbers that it does not
    reject at half of 1 - level. That is the argument of the band "exact" for the top of a ranking,
    and holds for any set of examples that was chosen without their labels. With "simultaneous"
    1 - level is shared out evenly to the bins with examples.

    A model that was trained to tell known positives from all the rest gives the probability of
    being *known*: its shares lie above the diagonal.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> found = df.pu.calibration(beta=0.5, bins=2)
    >>> found[["left", "right", "examples", "known_positive", "mean_score"]].round(2)
       left  right  examples  known_positive  mean_score
    0   0.0    0.5         4               1        0.25
    1   0.5    1.0         5               2        0.70
    >>> found[["estimate", "lower", "upper"]].round(2)
       estimate  lower  upper
    0      0.25   0.25    1.0
    1      1.00   0.40    1.0
    """
    settings, betas = read_settings(level, band), read_betas(beta, beta_interval)
    return practice.calibration(self._request(), betas, bins, settings)


def gain(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
) -> xr.Dataset:
    """Return cumulative gains: how many of the positives the best-ranked examples hold.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives (or
        negatives, with known ones): 1 for labels at random, infinite for nothing known about them.
        Above 1 the band is "exact" or "simultaneous", and holds for every such selection.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: adds envelope_lower and
        envelope_upper, the lowest and highest limit while it varies. A pair, or by group a
        mapping, a Series, or a frame with columns low and high.

    Returns
    -------
    Dataset
        `gain` (float64) over (rank, bound, beta), with the coordinate `fraction` of the examples
        that are predicted positive; of groups over (group, cutoff, bound, beta), each with its own
        cutoffs. Gains run straight between them. `prevalence` is the fraction of positives, at
        which a perfect ranking has found all. With an interval of beta also the bounds
        envelope_lower and envelope_upper.

    See Also
    --------
    plot_gain : The picture.
    metric : Recall at a cutoff, with its interval.

    Notes
    -----
    TP/(TP + FN) against (TP + FP)/N, of the tables of `contingency`.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> gains = df.pu.gain(beta=0.5)
    >>> gains["gain"].sel(beta=0.5, rank=[3, 6]).to_series().unstack("bound").round(3)
    bound  lower  estimate  upper
    rank
    3      0.333       0.5    0.5
    6      0.500       1.0    1.0
    """
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    bounded = tables.contingency(self._request(), betas, settings, "breakpoints", rounded=False)
    return curves.gain(bounded)


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
    """Find the cutoff that is guaranteed to reach what is asked.

    One of `precision`, `recall`, `fpr` and `cost` is passed. With a probability of at least
    `level` it is reached at the cutoff that is chosen, although it is chosen by looking.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
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
        Probability with which the goal is reached, in (0, 1), at least.
    band : {"simultaneous"}, default "simultaneous"
        No other is taken: limits of precision and cost hold at all cutoffs jointly. Those of
        recall and fpr hold at each by itself, as cutoffs are tested one by one; the attribute band
        then says "exact".
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    models : int, optional
        How many models were looked at. 1 - level is split over them, so that the guarantee holds
        for whichever is chosen. By default the number of those in `score`, or along "model";
        groups are not counted, as a list is made of each. Pass more where others were tried
        before, or other goals, and 1 for models none of which is preferred for its list.
    target : {"examples", "population"}, default "examples"
        What the guarantee is about: these examples once all labels were known, or new ones from
        where these come from, at the threshold. With ``df.pu(monotone=True)`` lists on new
        examples are far longer.

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, beta, rank, threshold, clipped, attainable,
        estimate, lower, upper. ``.attrs`` has metric, goal, level, band, models and target.

        * rank, threshold : what scores at or above the threshold are predicted positive, rank of
          them. Where no cutoff reaches the goal rank is 0, the threshold inf, and the bounds NaN.
        * lower, upper : what is guaranteed; the other limit is 0 or 1.
        * clipped : whether a bound is cut to what the unlabeled examples allow.
        * attainable : the best goal for which there is a list; NaN on new examples.
        * band : of these examples "simultaneous", for precision and cost, or "exact"; on new ones
          "two samples", known positives and the rest.

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
    A guarantee is about one side, so that lower limits of true positives hold with `level` by
    themselves. For precision and cost they hold at all cutoffs jointly, and so for any goal.

    Recall and the false positive rate only grow with the list, and cutoffs are tested one by one,
    by exact limits: recall from the longest list on, the false positive rate from the shortest on.
    The last list before the first that fails is taken. It is wrong only if the first list that
    misses the goal passes its own test, which it does with a probability of 1 - level at most
    [1]_. That holds for one goal that was fixed before, as do all lists on new examples; of
    several that are tried, say how many by `models`.

    With an estimate of beta the bounds are those at any beta in its interval, as in
    ``joint="guaranteed"`` of `auroc`: it must hold at a higher level than `level`.

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
    >>> found = df.pu.cutoff(beta=1 / 7, precision=0.9)
    >>> found[["rank", "attainable", "lower"]].round(3)
       rank  attainable  lower
    0   782         1.0    0.9
    """
    goal = read_goal(precision, recall, fpr, cost)
    settings, betas = read_settings(level, band, reference), read_betas(beta)
    return practice.guaranteed_cutoffs(self._request(), betas, goal, settings, models, target)


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
        bands get an envelope for which 1 - level is split.
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
        Probability with which the goal is reached, in (0, 1), at least.
    band : {"simultaneous"}, default "simultaneous"
        No other is taken: limits of precision and cost hold at all cutoffs jointly. Those of
        recall and fpr hold at each by itself, as cutoffs are tested one by one; the attribute band
        then says "exact".
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    models : int, optional
        How many models were looked at. 1 - level is split over them, so that the guarantee holds
        for whichever is chosen. By default the number of those in `score`, or along "model";
        groups are not counted, as a list is made of each. Pass more where others were tried
        before, or other goals, and 1 for models none of which is preferred for its list.
    target : {"examples", "population"}, default "examples"
        What the guarantee is about: these examples once all labels were known, or new ones from
        where these come from, at the threshold. With ``df.pu(monotone=True)`` lists on new
        examples are far longer.

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
    (782, 0.957)
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
    cutoffs = practice.guaranteed_cutoffs(self._request(), betas, goal, settings, models, target)
    keys = [*cutoffs.columns[: cutoffs.columns.get_loc("beta")]]
    if (cutoffs.duplicated(keys) if keys else cutoffs.index > 0).any():
        raise PUValueError("beta must be one for select, but several were passed: take one.")
    return self._source.best(self._roles, cutoffs["rank"].tolist())

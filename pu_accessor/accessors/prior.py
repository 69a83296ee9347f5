"""Beta: what it can be, and which rows to label by hand to know it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.questions import prior
from pu_accessor.sources.sampling import Draw


def estimate_beta(self: Bound, *, method: str = "feasible", level: float = 0.95) -> pd.DataFrame:
    """Estimate the fraction of positives among the unlabeled, as far as the data allow.

    Parameters
    ----------
    method : {"feasible", "simultaneous", "two_sided", "mean_matching"}, default "feasible"
        From known positives and unlabeled rows alone there is an *upper limit* only, and the
        largest beta that is still plausible: "feasible". "simultaneous" has an upper limit of
        its own, which is lower where few are known or negatives reach the top, and takes longer.
        The other two need known negatives that are a random sample of the negatives; choosing
        one says that they are.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group: the group, beta, lower, upper, level, method; n, the known
        positives, and n_unlabeled, which it is about. It goes into ``beta=`` of other questions
        as it is. ``.attrs["assumptions"]`` says what the method takes for granted.

    Raises
    ------
    PUValueError
        If nothing is unlabeled, or a method lacks known negatives.

    Warns
    -----
    PUWarning
        If the data say little or nothing about beta, or speak against the assumptions: known
        positives above nearly all unlabeled rows, or above them even at the very top.

    See Also
    --------
    sample_to_label : Rows to label by hand, which says more.
    pu_accessor.beta_from_labels : What their labels say.
    plot_against_beta : How much depends on it.

    Notes
    -----
    With M latent positives, k of n known positives and h unlabeled rows at or above a cutoff,
    M is feasible at delta if max(k/n - min(h, M)/M) is at most sqrt(ln(1/delta)/2 * (1/n +
    1/M)). "feasible" takes the largest such M, at delta = 1 - level for the upper limit and
    0.5 for beta, which equals the true one only where negatives never reach the top of the
    ranking. "simultaneous" takes for its upper limit the largest M for which the lower side of
    the band "simultaneous" leaves room: it counts the orders of known and latent positives, and
    holds with a probability of `level` or more at any number of rows. In-sample scores and labels
    that are no random sample break every method, unless they were selected with propensities that
    are known: then known positives stand for latent ones in proportion to 1/e - 1.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000  # 500 of them known: beta is 500/3500
    >>> score = np.random.default_rng(0).normal(3 * truth)
    >>> label = np.where(np.arange(4000) < 500, 1, np.nan)
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> df.pu.estimate_beta()[["beta", "lower", "upper", "method"]].round(3)
        beta  lower  upper    method
    0  0.126    0.0  0.155  feasible
    """
    return prior.estimate_beta(self._request(), method, level)


def sample_to_label(
    self: Bound,
    size: int,
    *,
    strata: Any = None,
    allocate: str = "proportional",
    expected_beta: float | None = None,
    below: float | None = None,
    above: float | None = None,
    random_state: int | np.random.Generator,
) -> pd.DataFrame:
    """Draw unlabeled rows at random, to label by hand.

    Their labels give beta with an interval that needs no assumption at all:
    `pu_accessor.beta_from_labels`. `pu_accessor.labeling.labels_needed` says how many it takes.
    The same number of labels says more of beta where they are shared between rows of different
    scores.

    Parameters
    ----------
    size : int
        How many rows to draw, of each group.
    strata : float, list of float, or hashable, optional
        A threshold of the score: rows at or above it are one stratum, the others the second. Or up
        to five thresholds, which tell up to six strata apart; or a column of two to six values.
    allocate : {"proportional", "neyman"}, default "proportional"
        How labels are shared between the strata: in proportion to their unlabeled rows; or more
        where a label tells more, that is where positives and negatives are mixed.
    expected_beta : float, optional
        For "neyman" about what beta is: from it and the known positives follows how many positives
        each stratum holds. A wrong guess makes intervals longer, not wrong.
    below, above : float, optional
        Scores: draw rows that score less than `below`, such as those that would be discarded; or
        at least as much as `above`.
    random_state : int or Generator
        Seed, so that the same rows are drawn again.

    Returns
    -------
    DataFrame
        Rows of the frame with their index, in the order drawn. With `strata`, `below` or `above`
        there are the further columns stratum; and n, n_negative, n_unlabeled: the known positives,
        known negatives and unlabeled rows of that stratum. Fill in the column of labels.

    Raises
    ------
    PUDataError
        If there are not as many unlabeled rows, or none in a stratum; if a column does not say in
        which of two to six strata each unlabeled row is.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    See Also
    --------
    pu_accessor.labeling.labels_needed : How many it takes.
    pu_accessor.beta_from_labels : What their labels say of beta.
    pu_accessor.labeling.rates_from_labels : What they say of precision and recall.
    pu_accessor.labeling.weigh_labels : What they say of all else, AUROC among it.
    pu_accessor.labeling.add_labels : Puts them with the known ones.

    Notes
    -----
    Neyman's shares are in proportion to the number of rows and to sqrt(p(1 - p)) [1]_, where p is
    the share of positives that is expected, at least .05 and at most .95. Each stratum gets one
    label at least; each further one goes where it lowers the variance of beta most [2]_.

    References
    ----------
    .. [1] J. Neyman, *On the two different aspects of the representative method*, Journal of the
       Royal Statistical Society 97 (1934) 558-625.
    .. [2] T. Wright, *The equivalence of Neyman optimum allocation for sampling and equal
       proportions for apportioning the U.S. House of Representatives*, The American Statistician
       66 (2012) 217-224.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> nan = float("nan")
    >>> df = pd.DataFrame({"score": range(6), "label": [nan, 1, nan, nan, 1, nan]})
    >>> sorted(df.pu.sample_to_label(2, random_state=0).index)
    [3, 5]
    >>> df.pu.sample_to_label(2, strata=2.5, random_state=0)
       score  label stratum  n  n_negative  n_unlabeled
    2      2    NaN   < 2.5  1           0            2
    5      5    NaN  >= 2.5  1           0            2
    >>> rows = df.pu.sample_to_label(3, strata=[2.5, 0.5], random_state=0)
    >>> rows["stratum"].value_counts(sort=False).to_dict()
    {'< 0.5': 1, '>= 0.5, < 2.5': 1, '>= 2.5': 1}
    """
    draw = Draw(size, strata, allocate, expected_beta, below, above)
    return self._source.sample(self._roles, draw, random_state)

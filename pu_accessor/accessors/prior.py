"""Beta: what it can be, which rows to label by hand to know it, and what their labels add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.checks import check_share
from pu_accessor.datasets.values import over_labels
from pu_accessor.errors import PUDataError
from pu_accessor.questions import prior
from pu_accessor.questions.hand_labels import check_series, drawn_labels, read_found, row_weights
from pu_accessor.sources.columns import read_labels
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.sampling import Draw

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing


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
    `pu_accessor.beta_from_labels`. `pu_accessor.labels_needed` says how many it takes. The same
    number of labels says more of beta where they are shared between rows of different scores.

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
    pu_accessor.labels_needed : How many it takes.
    pu_accessor.beta_from_labels : What their labels say of beta.
    pu_accessor.rates_from_labels : What they say of precision and recall.
    pu_accessor.weigh_labels : What they say of all else, AUROC among it.
    pu_accessor.add_labels : Puts them with the known ones.

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
    draw = Draw(size, strata, allocate, expected_beta, below, above, random_state)
    return self._source.sample(self._roles, draw)


def add_labels(label: pd.Series[Any], found: pd.Series[Any]) -> pd.Series[Any]:
    """Add labels that were made by hand, of unlabeled rows that were drawn at random.

    Positives that are found extend the known ones: together they are a random sample of all
    positives as much as these were. Negatives that are found are a random sample of all negatives.
    What is left unlabeled has the beta of `pu_accessor.beta_from_labels` with ``rest=True``.

    Parameters
    ----------
    label : Series, shape (examples,)
        True or 1, False or 0, missing: known positive, known negative, unlabeled.
    found : Series of bool, shape (labeled,)
        What each row that was labeled by hand is. Its index says which rows they are.

    Returns
    -------
    Series of boolean, shape (examples,)
        True, False and missing; the index and the name of `label`.

    Raises
    ------
    PUTypeError
        If an argument is no Series.
    PUDataError
        If a row was labeled before, is there twice or not at all, or has no label yet.
    PUValueError
        If labels are neither of these, or of two values with nothing missing.

    See Also
    --------
    pu_accessor.beta_from_labels : Beta of what is left, with ``rest=True``.

    Examples
    --------
    >>> label = pd.Series([1, None, None, None], name="label")
    >>> add_labels(label, pd.Series({1: True, 3: False})).tolist()
    [True, True, <NA>, False]
    """
    check_series("label", label)
    check_series("found", found)
    if not (label.index.is_unique and found.index.is_unique):
        raise PUDataError("label and found must have each row once, but an index repeats.")
    places = label.index.get_indexer(found.index)
    if (places < 0).any():
        raise PUDataError(
            f"found must hold rows of label, but {found.index[places < 0].tolist()[:5]} are none."
        )
    known, new = read_labels(label, Roles()), read_found(found)
    before = (known.positive | known.negative)[places]
    if before.any():
        raise PUDataError(
            f"found must hold rows that are unlabeled, but {found.index[before].tolist()[:5]} are "
            "labeled. Draw them by df.pu.sample_to_label."
        )
    states = pd.array([None] * label.size, dtype="boolean")
    states[known.positive] = True
    states[known.negative] = False
    states[places] = new
    return pd.Series(states, index=label.index, name=label.name)


def weigh_labels(label: pd.Series[Any], found: pd.Series[Any] | pd.DataFrame) -> pd.DataFrame:
    """Let labels that were made by hand stand for all unlabeled rows.

    Each row that was drawn and labeled stands for as many unlabeled rows as there are for each
    label, known ones for themselves. With these weights all rows are labeled, so that all numbers
    on new examples need neither beta nor that known positives are a random sample: AUROC, average
    precision, a rate at a threshold, `compare`. Where known positives *are* a random sample,
    `add_labels` may give a shorter interval of AUROC.

    Parameters
    ----------
    label : Series, shape (examples,)
        True or 1, False or 0, missing: known positive, known negative, unlabeled.
    found : Series of bool, shape (labeled,), or DataFrame
        What each row that was labeled by hand is, drawn at random of all that are unlabeled; its
        index says which rows they are. Or the rows that `sample_to_label` drew of strata, with
        their column of labels filled in.

    Returns
    -------
    DataFrame, shape (examples, 2)
        label, as `add_labels` returns it, and weight: 1 for known rows, unlabeled over labeled
        rows of its stratum for one that was labeled by hand, 0 for those that are left.

    Raises
    ------
    PUDataError
        If strata do not cover the unlabeled rows, or as `add_labels` does.
    PUTypeError, PUValueError
        As `add_labels` does.

    See Also
    --------
    add_labels : Adds labels without weights.
    sample_to_label : Draws the rows.

    Notes
    -----
    The weights are one over the probabilities of being drawn ([1]_), so that sums over labeled
    rows are unbiased for sums over all. Pass ``beta=0`` with them: nothing is unlabeled.

    Intervals see what the labels hold. With some ten positives found and an AUROC near 1 the few
    that rank low may be missed: in simulations 95% intervals then covered .635 to .9.

    References
    ----------
    .. [1] D. G. Horvitz, D. J. Thompson, *A generalization of sampling without replacement from a
       finite universe*, Journal of the American Statistical Association 47 (1952) 663-685.

    Examples
    --------
    >>> df = pd.DataFrame({"score": range(6), "label": [None, None, None, None, None, True]})
    >>> weighed = weigh_labels(df["label"], pd.Series({1: False, 4: True}))
    >>> weighed["weight"].tolist()
    [0.0, 2.5, 0.0, 0.0, 2.5, 1.0]
    """
    check_series("label", label)
    labels = drawn_labels(found) if isinstance(found, pd.DataFrame) else found
    added = add_labels(label, labels)
    known = read_labels(label, Roles())
    unlabeled = ~(known.positive | known.negative)
    weight = pd.Series(1.0, index=label.index).mask(unlabeled, 0.0)
    weight[labels.index] = row_weights(found, int(unlabeled.sum()))
    return pd.DataFrame({"label": added, "weight": weight})


def plot_beta_from_labels(
    found: pd.Series[Any] | pd.DataFrame,
    n_unlabeled: int | None = None,
    *,
    level: float = 0.95,
    width: float | None = None,
    **options: Unpack[PlotOptions],
) -> Drawing:
    """Draw the interval of beta as labels come in.

    Parameters
    ----------
    found : Series of bool, or DataFrame
        What each labeled row is, in the order in which rows were labeled; or rows that
        `sample_to_label` drew of one stratum, with their column of labels filled in.
    n_unlabeled : int, optional
        Unlabeled examples they were drawn from, themselves included; a DataFrame says it itself.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    width : float, optional
        In (0, 1]: a cross marks the first interval that is no wider.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Options` has each.

    Returns
    -------
    Axes
        Of matplotlib.

    Raises
    ------
    PUDataError, PUValueError, PUTypeError
        As `beta_from_labels` does.

    See Also
    --------
    pu_accessor.beta_from_labels : The numbers, with ``sequential=True``.

    Notes
    -----
    A confidence sequence [1]_, see `pu_accessor.beta_from_labels`.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, *Confidence sequences for sampling without replacement*,
       Advances in Neural Information Processing Systems 33 (2020).

    Examples
    --------
    >>> labels = pd.Series([True, False] * 10 + [False] * 20)
    >>> ax = plot_beta_from_labels(labels, 100)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('labeled by hand', 'β')
    """
    from pu_accessor import plots

    checked = plots.Options(**options)
    if width is not None:
        width = check_share("width", width)
    steps = prior.beta_from_labels(found, n_unlabeled=n_unlabeled, level=level, sequential=True)
    return plots.plot_beta_from_labels(over_labels(steps, width), checked)

"""Questions to rankings: how far labels may be from random before a conclusion breaks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Unpack

import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.settings import Rule
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.questions.betas import GroupBeta
from pu_accessor.questions.robustness import breaking_points, read_quantity, values_by_odds

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing

__all__ = ["breaking_point", "plot_robustness"]


def breaking_point(
    self: Bound,
    quantity: str | Metric,
    beta: GroupBeta,
    *,
    above: float | None = None,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
) -> pd.DataFrame:
    """Return by which factor the odds of being labeled may differ before a conclusion breaks.

    Labels are seldom a random sample of the positives. This says how far from one they must be
    before an interval reaches the value that it was to exceed: the largest `selection_odds` at
    which it does not.

    Parameters
    ----------
    quantity : Metric
        "auroc", "average_precision", or a metric, whose conclusion is that it is above a value; or
        "difference", of the AUROC of models that ranked the same examples, whose conclusion is
        that one is better than the other.
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.

        Not an estimate with its interval: that takes labels to be selected at random, and what is
        asked here is how far from that they may be. Pass its point, and its ends.
    above : float, default 0.5
        The conclusion is that the lower limit is above this. Not for a difference, which is to be
        other than 0.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last cutoff with an
        estimated ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with
        ``{"recall": 0.9}``, or tpr, at least; "youden" and "maximum", where the estimated
        informedness, or the metric itself, is highest.

        Not for an area.
    on : hashable or list of hashable, optional
        Columns that identify an example, to pair the rows of models in rows.

        For a difference.
    target : Target, optional
        What the numbers are about: "population", new examples, which is the default but for a
        metric; or "examples", these alone.
    level : float, default 0.95
        Probability with which interval or band cover, in (0, 1).
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` that returns two integer arrays with an
        entry for each k = 0..n known positives in the head. Or a pair ``(lower, upper)``, bounds
        on their share among the first r = 0, 1, ... examples: two arrays, DataArrays over "rank",
        or functions of an array of r.

        For a metric alone: "exact" or "simultaneous".
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from. Known negatives, a random sample of the
        negatives, bound the latent ones below each cutoff. "tightest" takes the kind with the
        narrower range of AUROC at each beta, "both" what two bands at half of 1 - level have in
        common.

    Returns
    -------
    DataFrame
        A row for each group, or pair of models, and beta: the group, beta, quantity, estimate (at
        labels at random), above, breaking_point, level, target. 1 where the conclusion does not
        hold at random labels, infinite where it holds for every selection.

    Raises
    ------
    PUKeyError
        If there is no such column, or beta lacks a group.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.
    PUValueError
        If one has a value that is not allowed, labels are ambiguous, or no row is a known
        positive. In a group, the error names it.

        Also if a number has no cutoff, or a metric lacks one; if the columns have propensities.

    See Also
    --------
    plot_robustness : The picture.
    auroc : Has `selection_odds`, too: the interval at one factor.

    Notes
    -----
    Found by halving, to a thousandth. At such a factor the conclusion *may* be wrong: that takes a
    selection that depends on the score as unfavourably as it can.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(truth)
    >>> label = np.where(np.arange(4000) < 300, 1, np.nan)
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> broken = df.pu.breaking_point("auroc", beta=700 / 3700)
    >>> broken[["quantity", "estimate", "above", "breaking_point"]].round(2)
      quantity  estimate  above  breaking_point
    0    auroc      0.75    0.5            7.45
    """
    _check_selected(self)
    asked = read_quantity(quantity, at, above, target, Rule(level, band, reference), on)
    return breaking_points(self._asked(), beta, asked)


def plot_robustness(
    self: Bound,
    quantity: str | Metric,
    beta: GroupBeta,
    *,
    selection_odds: Sequence[float] = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5),
    above: float | None = None,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    **options: Unpack[PlotOptions],
) -> Drawing:
    """Draw a number against the factor by which odds of being labeled may differ.

    The inner band has what the estimate can be for a selection within the factor, the outer one
    the interval that holds for all of them. A cross marks where the conclusion breaks.

    Parameters
    ----------
    quantity : Metric
        "auroc", "average_precision", or a metric, whose conclusion is that it is above a value; or
        "difference", of the AUROC of models that ranked the same examples, whose conclusion is
        that one is better than the other.
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.

        Not an estimate with its interval: that takes labels to be selected at random, and what is
        asked here is how far from that they may be. Pass its point, and its ends.
    selection_odds : array-like of float, default (1, 1.25, 1.5, 2, 2.5, 3, 4, 5)
        The factors: two or more, from 1 on.
    above : float, default 0.5
        The conclusion is that the lower limit is above this. Not for a difference, which is to be
        other than 0.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last cutoff with an
        estimated ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with
        ``{"recall": 0.9}``, or tpr, at least; "youden" and "maximum", where the estimated
        informedness, or the metric itself, is highest.

        Not for an area.
    on : hashable or list of hashable, optional
        Columns that identify an example, to pair the rows of models in rows.

        For a difference.
    target : Target, optional
        What the numbers are about: "population", new examples, which is the default but for a
        metric; or "examples", these alone.
    level : float, default 0.95
        Probability with which interval or band cover, in (0, 1).
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` that returns two integer arrays with an
        entry for each k = 0..n known positives in the head. Or a pair ``(lower, upper)``, bounds
        on their share among the first r = 0, 1, ... examples: two arrays, DataArrays over "rank",
        or functions of an array of r.

        For a metric alone: "exact" or "simultaneous".
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from. Known negatives, a random sample of the
        negatives, bound the latent ones below each cutoff. "tightest" takes the kind with the
        narrower range of AUROC at each beta, "both" what two bands at half of 1 - level have in
        common.
    hue, col, row : str, optional
        What colours, columns and rows of panels tell apart: "beta", "model" for a list of scores,
        or names of `by` or dimensions. Where one is left, it gets the hues.
    ax : Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon; a band has its line's
        colour.
    palette : Palette, optional
        Colours of the hues, as in seaborn: a name, such as "deep" or "viridis", colours in order,
        or that of each key. By default the next ones of your colour cycle that are not on the
        Axes.
    legend : {"auto", "brief", "full"} or False, default "auto"
        What is named: beside a figure of ours, or within Axes of yours. "auto" leaves out some of
        more than six betas, "full" none; "brief" names curves alone; False nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUKeyError
        If there is no such column, or beta lacks a group.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.
    PUValueError
        If one has a value that is not allowed, labels are ambiguous, or no row is a known
        positive. In a group, the error names it.

        Also if a number has no cutoff, or a metric lacks one; if the columns have propensities; if
        a dimension has no hue, column or row.

    See Also
    --------
    breaking_point : Where the cross is.

    Notes
    -----
    At each factor G the interval is that of ``selection_odds=G``: the odds that two positives are
    labeled have a ratio of at most G [1]_.

    References
    ----------
    .. [1] P. R. Rosenbaum, *Observational studies*, 2nd edition, Springer, 2002, chapter 4.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(400) < 100
    >>> score = np.random.default_rng(0).normal(truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(400) < 50, 1, np.nan)})
    >>> ax = df.pu.plot_robustness("auroc", beta=1 / 7, selection_odds=[1, 2, 4])
    >>> ax.get_ylabel()
    'AUROC'
    """
    from pu_accessor import plots

    _check_selected(self)
    checked = plots.Options(**options)
    asked = read_quantity(quantity, at, above, target, Rule(level, band, reference), on)
    return plots.plot_robustness(
        values_by_odds(self._asked(), beta, asked, selection_odds), checked
    )


def _check_selected(bound: Bound) -> None:
    """Raise if columns say what the odds of being labeled are."""
    if bound._roles.propensity is not None:
        raise PUValueError(
            f"propensity must not be bound, but {bound._roles.propensity!r} is: it says what the "
            "odds of being labeled are, and robustness is asked where they are not known. Leave "
            "one of the two out."
        )

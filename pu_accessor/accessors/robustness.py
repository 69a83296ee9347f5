"""Questions to rankings: how far labels may be from random before a conclusion breaks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Unpack

import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.datasets.values import over_odds
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.questions.betas import Beta, read_betas
from pu_accessor.questions.robustness import check_drawn, read_conclusion
from pu_accessor.questions.robustness import robustness as ask_robustness

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing


def robustness(
    self: Bound,
    quantity: str | Metric,
    beta: Beta,
    *,
    selection_odds: float | Sequence[float] = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5),
    above: float | None = None,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
) -> pd.DataFrame:
    """Return a quantity for several factors of the odds of being labeled, and which one breaks it.

    Labels are seldom a random sample of the positives. This says what a quantity can be where the
    odds differ by some factor, and how far they may differ before its interval reaches the value
    that it was to exceed: the breaking point.

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
    selection_odds : float or array-like of float, default (1, 1.25, 1.5, 2, 2.5, 3, 4, 5)
        The factors, from 1 on. For the breaking point alone pass 1.
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
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
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
        A row for each group, or pair of models, beta and factor.

        * The group, or the two models; beta; selection_odds, the factor; quantity.
        * estimate : that for labels at random.
        * range_lower, range_upper (not of a metric) : what it can be for a selection within the
          factor.
        * lower, upper : the interval, or the bounds of a band, that hold for all of these.
        * above : what the conclusion is about.
        * breaking_point : the factor from which on the conclusion does not hold for every
          selection, the same in all rows of a group and beta. 1 where it does not hold at random
          labels, infinite where it holds for every selection.
        * level, band (of a metric), target.

    Raises
    ------
    PUValueError
        If a number has no cutoff, or a metric lacks one; if the columns have propensities.

    See Also
    --------
    plot_robustness : The picture of this.
    auroc : Has `selection_odds`, too: the interval at one factor.

    Notes
    -----
    The breaking point is found by halving, to a thousandth. At such a factor the conclusion *may*
    be wrong: that takes a selection that depends on the score as unfavourably as it can.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(truth)
    >>> label = np.where(np.arange(4000) < 300, 1, np.nan)
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> found = df.pu.robustness("auroc", beta=700 / 3700, selection_odds=[1, 2])
    >>> found[["selection_odds", "estimate", "lower", "upper", "breaking_point"]].round(2)
       selection_odds  estimate  lower  upper  breaking_point
    0             1.0      0.75   0.71   0.79            7.45
    1             2.0      0.75   0.64   0.85            7.45
    """
    _check_selected(self)
    settings = Settings(level, band, reference)
    conclusion = read_conclusion(quantity, at, above, target, settings, on)
    return ask_robustness(self._request(), conclusion, read_betas(beta), selection_odds)


def plot_robustness(
    self: Bound,
    quantity: str | Metric,
    beta: Beta,
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
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
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
    PUValueError
        If a number has no cutoff, or a metric lacks one; if the columns have propensities; if a
        dimension has no hue, column or row.

    See Also
    --------
    robustness : The numbers, and where the cross is.

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
    settings, betas = Settings(level, band, reference), read_betas(beta)
    conclusion = read_conclusion(quantity, at, above, target, settings, on)
    check_drawn(betas, selection_odds)
    found = ask_robustness(self._request(), conclusion, betas, selection_odds)
    return plots.plot_robustness(over_odds(found, conclusion.quantity.label), checked)


def _check_selected(bound: Bound) -> None:
    """Raise if columns say what the odds of being labeled are."""
    if bound._roles.propensity is not None:
        raise PUValueError(
            f"propensity must not be bound, but {bound._roles.propensity!r} is: it says what the "
            "odds of being labeled are, and robustness is asked where they are not known. Leave "
            "one of the two out."
        )

"""Questions to rankings: how far labels may be from random before a conclusion breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.at import At
from pu_accessor.inference.rule import Rule
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.results.betas import GroupBeta
from pu_accessor.results.robustness import breaking_points, read_quantity, values_by_odds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style

__all__ = ["breaking_point", "plot_robustness"]


def breaking_point(
    self: Bound,
    quantity: str | Metric,
    beta: GroupBeta,
    *,
    above: float | None = None,
    at: At | None = None,
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
    {quantity}
    {beta}
    {conclusion}

    Returns
    -------
    DataFrame
        A row for each group, or pair of models, and beta: the group, beta, quantity, estimate (at
        labels at random), above, breaking_point, level, target. 1 where the conclusion does not
        hold at random labels, infinite where it holds for every selection.

    Raises
    ------
    {errors}
        Also if a number has no cutoff, or a metric lacks one; if the columns have propensities.

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
    asked = read_quantity(quantity, at, above, target, Rule(level, band, reference))
    return breaking_points(self._asked(), beta, asked)


def plot_robustness(
    self: Bound,
    quantity: str | Metric,
    beta: GroupBeta,
    *,
    selection_odds: Sequence[float] = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5),
    above: float | None = None,
    at: At | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    hue: str | None = None,
    col: str | None = None,
    row: str | None = None,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
    palette: Palette = None,
    legend: str | bool = "auto",
    height: float | None = None,
) -> Drawing:
    """Draw a number against the factor by which odds of being labeled may differ.

    The inner band has what the estimate can be for a selection within the factor, the outer one
    the interval that holds for all of them. A cross marks where the conclusion breaks.

    Parameters
    ----------
    {quantity}
    {beta}
    selection_odds : array-like of float, default (1, 1.25, 1.5, 2, 2.5, 3, 4, 5)
        The factors: two or more, from 1 on.
    {conclusion}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also as in `breaking_point`; if a dimension has no hue, column or row.

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
    look = plots.Look(hue, col, row, False, ax, line_kws, band_kws, palette, legend, height)
    asked = read_quantity(quantity, at, above, target, Rule(level, band, reference))
    return plots.plot_robustness(values_by_odds(self._asked(), beta, asked, selection_odds), look)


def _check_selected(bound: Bound) -> None:
    """Raise if columns say what the odds of being labeled are."""
    if bound._roles.propensity is not None:
        raise PUValueError(
            f"propensity must not be bound, but {bound._roles.propensity!r} is: it says what the "
            "odds of being labeled are, and robustness is asked where they are not known. Leave "
            "one of the two out."
        )

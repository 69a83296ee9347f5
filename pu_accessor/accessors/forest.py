"""Questions to rankings: numbers of many models in one picture."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from pu_accessor.accessors.bound import Bound
from pu_accessor.inference.estimates.at import At
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.results import estimates
from pu_accessor.results.betas import GroupBeta, with_baseline
from pu_accessor.results.forest import check_number, name_number, over_places
from pu_accessor.results.rules import Rules, UserBand

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style

__all__ = ["plot_forest"]


def plot_forest(
    self: Bound,
    quantity: str | Metric,
    beta: GroupBeta,
    *,
    at: At | None = None,
    order: Sequence[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    joint: str = "approximate",
    hue: str | None = None,
    col: str | None = None,
    row: str | None = None,
    baseline: bool = False,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
    palette: Palette = None,
    legend: str | bool = "auto",
    height: float | None = None,
) -> Drawing:
    """Draw a number of each model or group with its interval, one below the other.

    Parameters
    ----------
    quantity : str or callable
        "auroc", "average_precision", or a metric.
    {beta}
    at : int, mapping of str to float, or {"youden", "maximum"}, optional
        The one cutoff of a metric, as in `metric`.
    order : list of hashable, optional
        Models or groups from the top: some or all of their keys, tuples where several columns
        make them. As they come if not given.
    target : {"population", "examples"}, optional
        What the numbers are about: new examples by default, but for a metric, which is as in
        `metric`.
    level : float, default 0.95
        Probability with which each interval covers, in (0, 1).
    band, reference
        For a metric: how it is bounded, as in `metric`.
    selection_odds, joint
        As in `auroc`.
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if a metric has no cutoff, an area has one, or `order` holds other keys.

    Notes
    -----
    Each interval holds by itself. Two that overlap say little about a difference, as the same
    known positives count for both: `compare` tests it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(400) < 100
    >>> score = np.random.default_rng(0).normal(truth)
    >>> df = pd.DataFrame({"good": score, "bad": score[::-1], "label": np.arange(400) < 50})
    >>> df["label"] = df["label"].where(df["label"])
    >>> ax = df.pu(score=["good", "bad"]).plot_forest("auroc", beta=1 / 7)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_yticklabels()]
    ('AUROC', ['good', 'bad'])
    """
    from pu_accessor import plots

    check_number(quantity, at, band, reference)
    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    rule = Rules(level, band, reference, selection_odds=selection_odds)
    betas = with_baseline(beta) if baseline else beta
    found = _ask(self, quantity, betas, at, rule, target, joint)
    values = over_places(found, (hue, col, row), order)
    return plots.plot_forest(values, name_number(quantity, at), look)


def _ask(
    bound: Bound,
    quantity: str | Metric,
    beta: GroupBeta,
    at: At | None,
    rule: Rules,
    target: str | None,
    joint: str,
) -> pd.DataFrame:
    """Ask for an area, or for a metric at its cutoff."""
    about = "population" if target is None else target
    if quantity == "auroc":
        return estimates.auroc(bound._asked(), beta, rule, about, max_fpr=None, joint=joint)
    if quantity == "average_precision":
        return estimates.average_precision(bound._asked(), beta, rule, about, joint=joint)
    assert at is not None  # as was checked
    return estimates.metric(bound._asked(), quantity, beta, at, rule, target, joint=joint)

"""The calibration of scores that are probabilities, by bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pu_accessor.beta import Beta, UserBeta
from pu_accessor.checks import check_option
from pu_accessor.inference.answer import Answer, join_betas
from pu_accessor.inference.bands import band_name
from pu_accessor.inference.calibration import estimate_bin_shares, read_bin_edges
from pu_accessor.questions import evaluation
from pu_accessor.ranking import Ranking

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor


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

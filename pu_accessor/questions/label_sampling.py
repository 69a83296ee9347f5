"""Sampling of rows to label by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pu_accessor.roles_and_assumptions import Seed
from pu_accessor.sources.rows_to_label import Draw, sample_unlabeled

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor


def sample_to_label(
    self: Accessor,
    size: int,
    *,
    strata: Any = None,
    allocate: str = "proportional",
    expected_beta: float | None = None,
    below: float | None = None,
    above: float | None = None,
    random_state: Seed,
) -> pd.DataFrame:
    """Sample unlabeled rows at random, to label by hand.

    Parameters
    ----------
    size : int
        Number of rows.
    strata : float, list of float, or hashable, optional
        Up to five thresholds of the score that separate strata, or a column of two to six values.
    allocate : {"proportional", "neyman"}, default "proportional"
        Labels of strata, at least one each: in proportion to their unlabeled rows, or to minimize
        the variance of beta [1]_, [2]_.
    expected_beta : float, optional
        A guess of beta for "neyman". A wrong guess makes intervals longer, not wrong.
    below, above : float, optional
        Sample rows with a score less than `below`, or at least `above`.
    random_state : int or Generator
        Seed of the random numbers.

    Returns
    -------
    DataFrame
        Rows of the frame with their index, in random order. With `strata`, `below` or `above`
        there are further columns: stratum (str), and n, n_negative and n_unlabeled (int64), the
        examples of each kind in that stratum. Fill in the column of labels.

    Raises
    ------
    PUDataError, PUValueError, PUTypeError
        If there are fewer unlabeled rows, none in a stratum, or an argument is not allowed.

    References
    ----------
    .. [1] J. Neyman, Journal of the Royal Statistical Society 97 (1934) 558-625.
    .. [2] T. Wright, The American Statistician 66 (2012) 217-224.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu.sample_to_label(2, random_state=0)[["site", "score", "label"]].round(3)
          site  score  label
    1695  west  0.324    NaN
    1270  east  0.407    NaN
    >>> rows = df.pu.sample_to_label(2, strata=0.5, random_state=0)
    >>> rows[["score", "label", "stratum", "n", "n_negative", "n_unlabeled"]].round(3)
          score  label stratum    n  n_negative  n_unlabeled
    1701  0.112    NaN   < 0.5   86           0         1507
    1160  0.884    NaN  >= 0.5  116           0          291
    """
    self._read_arguments("sample_to_label", strata=strata, below=below, above=above)
    draw = Draw(size, strata, allocate, expected_beta, below, above, random_state)
    sample: pd.DataFrame = sample_unlabeled(self._source, self._terms, draw)
    return sample

"""Beta: what it can be, which rows to label by hand to know it, and what their labels add."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.errors import PUDataError, PUTypeError
from pu_accessor.questions import prior
from pu_accessor.sources.labels import read_labels


def estimate_beta(self: Bound, *, method: str = "feasible", level: float = 0.95) -> pd.DataFrame:
    """Estimate the fraction of positives among the unlabeled, as far as the data allow.

    Parameters
    ----------
    method : {"feasible", "two_sided", "mean_matching"}, default "feasible"
        From known positives and unlabeled rows alone there is an *upper limit* only, and the
        largest beta that is still plausible: "feasible". The other two need known negatives
        that are a random sample of the negatives; choosing one says that they are.
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
    ranking. In-sample scores and labels that are no random sample break every method, unless they
    were selected with propensities that are known: then known positives stand for latent ones in
    proportion to 1/e - 1.

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
    self: Bound, size: int, *, random_state: int | np.random.Generator
) -> pd.DataFrame:
    """Draw unlabeled rows at random, to label by hand.

    Their labels give beta with an interval that needs no assumption at all:
    `pu_accessor.beta_from_labels`. `pu_accessor.labels_needed` says how many it takes.

    Parameters
    ----------
    size : int
        How many rows to draw, of each group.
    random_state : int or Generator
        Seed, so that the same rows are drawn again.

    Returns
    -------
    DataFrame
        Rows of the frame with their index, in the order drawn.

    Raises
    ------
    PUValueError
        If there are not as many unlabeled rows.

    See Also
    --------
    pu_accessor.labels_needed : How many it takes.
    pu_accessor.beta_from_labels : What their labels say.
    pu_accessor.add_labels : Puts them with the known ones.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> df = pd.DataFrame({"score": range(6), "label": [None, 1, None, None, 1, None]})
    >>> sorted(df.pu.sample_to_label(2, random_state=0).index)
    [3, 5]
    """
    return self._source.sample(self._roles, size, random_state)


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
    for name, column in (("label", label), ("found", found)):
        if not isinstance(column, pd.Series):
            raise PUTypeError(
                f"{name} must be a Series, but a {type(column).__name__} was passed."
            )
    if not (label.index.is_unique and found.index.is_unique):
        raise PUDataError("label and found must have each row once, but an index repeats.")
    places = label.index.get_indexer(found.index)
    if (places < 0).any():
        raise PUDataError(
            f"found must hold rows of label, but {found.index[places < 0].tolist()[:5]} are none."
        )
    if found.isna().any():
        raise PUDataError(
            f"found must say True or False of each row, but {int(found.isna().sum())} are "
            "missing. Drop them: found.dropna()."
        )
    shown = found.rename("found") if found.name is None else found
    known, new = read_labels(label), read_labels(shown, negative=False)
    before = (known.positive | known.negative)[places]
    if before.any():
        raise PUDataError(
            f"found must hold rows that are unlabeled, but {found.index[before].tolist()[:5]} are "
            "labeled. Draw them by df.pu.sample_to_label."
        )
    states = pd.array([None] * label.size, dtype="boolean")
    states[known.positive] = True
    states[known.negative] = False
    states[places] = new.positive
    return pd.Series(states, index=label.index, name=label.name)

"""Beta: what it can be, which rows to label by hand to know it, and what their labels add."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError, brief
from pu_accessor.inference.prior.labeling import beta_from_labels as infer_beta
from pu_accessor.questions import prior
from pu_accessor.sources.labels import Labels, read_labels
from pu_accessor.sources.roles import Roles


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


def beta_from_labels(
    found: int | pd.Series[Any] | pd.DataFrame,
    n_labeled: int | None = None,
    n_unlabeled: int | None = None,
    *,
    method: str = "exact",
    level: float = 0.95,
    prior: tuple[float, float] = (1, 1),
    rest: bool = False,
) -> pd.DataFrame:
    """Estimate beta from unlabeled examples that were drawn at random and labeled by hand.

    Parameters
    ----------
    found : int, or Series or DataFrame of shape (labeled,)
        Positives among those labeled; or what each of them is: a Series of True or 1 and False or
        0, or the frame of `sample_to_label` with its column of labels filled in.
    n_labeled : int, optional
        Unlabeled examples that were drawn at random, and labeled. Left out where `found` holds
        them.
    n_unlabeled : int, optional
        Unlabeled examples they were drawn from, themselves included. A frame of `sample_to_label`
        knows it.
    method : {"exact", "hpd"}, default "exact"
        "exact" inverts the hypergeometric test: it covers with a probability of at least `level`.
        "hpd" is the interval of highest density of the posterior Beta(a + x, b + s - x).
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    prior : (float, float), default (1, 1)
        For "hpd" a and b, both above 0: Beta(1, 1) is flat, Beta(0.5, 0.5) Jeffreys'.
    rest : bool, default False
        Give the shares of the examples that were not labeled, for when the labels are put to use
        by `pu_accessor.add_labels`.

    Returns
    -------
    DataFrame
        One row: beta, lower, upper, level, method, n_unlabeled. All of beta are shares of the
        latter; with `rest` that are the examples that were not labeled.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument has a value that is not allowed, or is left out.
    PUDataError
        If a row has no label.

    See Also
    --------
    pu_accessor.labels_needed : How many labels it takes.
    pu_accessor.add_labels : Puts them with the known ones.

    Notes
    -----
    With x positives among s labeled examples beta is x/s. The limits are the smallest and largest
    number of positives among all unlabeled examples at which x or more, and x or fewer, come up
    with a probability above half of 1 - level, by the hypergeometric distribution.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_labels(12, 50, 2000)
       beta  lower  upper  level method  n_unlabeled
    0  0.24  0.132   0.38   0.95  exact         2000
    >>> df = pu_accessor.load_example()
    >>> rows = df.pu.sample_to_label(200, random_state=0)
    >>> rows["label"] = rows["truth"]  # by hand
    >>> pu_accessor.beta_from_labels(rows).round(3)
        beta  lower  upper  level method  n_unlabeled
    0  0.215  0.164  0.275   0.95  exact         1798
    """
    x, size, total = _read_found(found, n_labeled, n_unlabeled)
    estimate = infer_beta(x, size, total, method=method, level=level, prior=prior, rest=rest)
    shares_of = total - size if rest else total
    about = {"level": float(level), "method": method, "n_unlabeled": int(shares_of)}
    return pd.DataFrame([{**estimate._asdict(), **about}])


def _read_found(
    found: int | pd.Series[Any] | pd.DataFrame, n_labeled: int | None, n_unlabeled: int | None
) -> tuple[int, int, int]:
    """Return the positives found, the examples labeled, and those they were drawn from."""
    if isinstance(found, pd.DataFrame):
        drawn = found.attrs
        if "n_unlabeled" not in drawn or drawn["label"] not in found.columns:
            raise PUValueError(
                "found must be a frame that sample_to_label drew of one group, but this one does "
                "not know from how many rows it is. Pass its labels: "
                "beta_from_labels(found['label'], n_unlabeled=...)."
            )
        total = drawn["n_unlabeled"] if n_unlabeled is None else n_unlabeled
        return _read_found(found[drawn["label"]], n_labeled, total)
    if isinstance(found, pd.Series):
        if n_labeled is not None:
            raise PUValueError(
                f"n_labeled must be left out where found holds the labels, but {n_labeled!r} was "
                "passed. Write beta_from_labels(found, n_unlabeled=...)."
            )
        positive = _read_by_hand(found).positive
        found, n_labeled = int(positive.sum()), positive.size
    for name, count in (("n_labeled", n_labeled), ("n_unlabeled", n_unlabeled)):
        if count is None:
            raise PUTypeError(
                f"{name} must be passed: beta_from_labels(found, n_labeled, n_unlabeled) with "
                "counts, beta_from_labels(found, n_unlabeled=...) with a Series of labels."
            )
    return found, cast("int", n_labeled), cast("int", n_unlabeled)


def _read_by_hand(found: pd.Series[Any]) -> Labels:
    """Read labels that were made by hand, of which none may be missing."""
    if open_rows := int(found.isna().sum()):
        column = "" if found.name is None else f" in {brief(found.name)}"
        raise PUDataError(
            f"found must say True or False of each row, but {open_rows} of {found.size} are "
            f"missing{column}. Label these, too; leave them out, found.dropna(), only if what "
            "they are has nothing to do with it."
        )
    shown = found.rename("found") if found.name is None else found
    return read_labels(shown, Roles(negative=False))


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
    known, new = read_labels(label, Roles()), _read_by_hand(found)
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

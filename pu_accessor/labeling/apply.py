"""Labels that were made by hand, put to use: added, weighted, or read as rates of a list."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import check_level
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.prior.stratified import sum_limits
from pu_accessor.questions.hand_labels import Labeled, label_column, read_found, read_strata
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.ranking import FloatArray
from pu_accessor.sources.columns import read_labels
from pu_accessor.terms import Terms


def add_labels(label: "pd.Series[Any]", found: "pd.Series[Any]") -> "pd.Series[Any]":
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
            came = type(column).__name__
            raise PUTypeError(f"{name} must be a Series, but a {came} was passed.")
    if not (label.index.is_unique and found.index.is_unique):
        raise PUDataError("label and found must have each row once, but an index repeats.")
    places = label.index.get_indexer(found.index)
    if (places < 0).any():
        raise PUDataError(
            f"found must hold rows of label, but {found.index[places < 0].tolist()[:5]} are none."
        )
    known, new = read_labels(label, Terms()), read_found(found)
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


def weigh_labels(label: "pd.Series[Any]", found: "pd.Series[Any] | pd.DataFrame") -> pd.DataFrame:
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
    labels: Any = found
    if isinstance(found, pd.DataFrame):
        column = label_column(found)
        if column not in found.columns:
            raise PUKeyError(
                f"found must have rows as sample_to_label draws them, but column {column!r} of "
                f"their labels is not among {[*found.columns]}."
            )
        labels = found[column]
    added = add_labels(label, labels)
    if not len(found):
        raise PUValueError(
            "found must hold the label of one row or more, but is empty. Label some of the rows "
            "that df.pu.sample_to_label draws."
        )
    weight, n_unlabeled = added.notna().astype(np.float64), int(added.isna().sum()) + len(labels)
    weight[labels.index] = n_unlabeled / len(found)
    if isinstance(found, pd.DataFrame) and "stratum" in found.columns:
        strata = {name: part.found for name, part in read_strata(found).items()}
        covered = {name: stratum.total for name, stratum in strata.items()}
        if sum(covered.values()) != n_unlabeled:
            raise PUDataError(
                f"found must be drawn of strata that cover the unlabeled rows, {n_unlabeled}, but "
                f"its strata hold {covered}. Draw rows without below or above, of the same frame."
            )
        each = {name: stratum.total / stratum.labeled for name, stratum in strata.items()}
        weight[labels.index] = found["stratum"].map(each).to_numpy(np.float64)
    return pd.DataFrame({"label": added, "weight": weight})


def rates_from_labels(
    found: pd.DataFrame, listed: Hashable | list[Any], *, level: float = 0.95
) -> pd.DataFrame:
    """Return precision, recall and false omission rate of a list, from labels made by hand.

    The list is a stratum or several: the rows at or above a threshold, for example. Nothing is
    taken for granted of scores, of beta, or of how known positives were found.

    Parameters
    ----------
    found : DataFrame
        Rows that `sample_to_label` drew of the list, or of it and the rest, with their column of
        labels filled in.
    listed : hashable, or list of them
        The stratum that is the list, such as ">= 0.5", or a list of the strata that make it up:
        [">= 0.9", ">= 0.5, < 0.9"].
    level : float, default 0.95
        Probability with which each interval covers, in (0, 1).

    Returns
    -------
    DataFrame
        A row for "precision"; where the rest is labeled, too, for "recall" and "for", the share of
        positives in the rest: metric, estimate, lower, upper, level, target. All are of these
        examples, known ones included. Recall is NaN where no positive turned up and none is known.

    Raises
    ------
    PUDataError
        If a stratum has no labels, or a row is labeled twice or not at all.
    PUKeyError
        If there is no such stratum, or a column is missing.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    See Also
    --------
    pu_accessor.beta_from_labels : Beta from the same labels; of the rest alone that is elusion.
    weigh_labels : Rates on new examples, and all other numbers.

    Notes
    -----
    The positives M among the unlabeled rows of a stratum have exact hypergeometric limits, and
    those of several strata the limits of `pu_accessor.beta_from_labels`, which are no proof.
    Precision is (n + M)/(n + n_negative + n_unlabeled) at these limits of M. The recall's are
    those of the list and of the rest at the square root of `level`, so that it covers with a
    probability of `level` or more.

    Examples
    --------
    >>> from pu_accessor.labeling import rates_from_labels
    >>> rows = pd.DataFrame({"stratum": [">= 0.5"] * 40 + ["< 0.5"] * 60, "n_negative": 0})
    >>> rows["n"] = [30] * 40 + [10] * 60
    >>> rows["n_unlabeled"] = [170] * 40 + [790] * 60
    >>> rows["label"] = [True] * 20 + [False] * 79 + [True]
    >>> rates = rates_from_labels(rows, ">= 0.5")
    >>> rates.round(3)
           metric  estimate  lower  upper  level    target
    0  precision     0.575  0.455  0.695   0.95  examples
    1     recall     0.832  0.503  0.928   0.95  examples
    2        for     0.029  0.014  0.098   0.95  examples
    """
    level = check_level(level)
    strata = read_strata(found)
    names = [*listed] if isinstance(listed, list) else [listed]
    known = all(isinstance(name, Hashable) and name in strata for name in names)
    if not names or not known or len({*names}) < len(names):
        raise PUKeyError(
            "listed must be a stratum, or a list of strata that holds each once, but "
            f"{brief(listed)} was passed, and there are {[*strata]}."
        )
    of_list = [strata.pop(name) for name in names]
    rates = {"precision": _positives(of_list, level) / sum(part.rows for part in of_list)}
    if rest := [*strata.values()]:
        listed_positives, others = (_positives(part, level**0.5) for part in (of_list, rest))
        with np.errstate(invalid="ignore"):
            rates["recall"] = listed_positives / (listed_positives + others[[0, 2, 1]])
        rates["for"] = _positives(rest, level) / sum(part.rows for part in rest)
    frame = pd.DataFrame([*rates.values()], columns=["estimate", "lower", "upper"])
    frame.insert(0, "metric", [*rates])
    return ResultFrame(frame.assign(level=level, target="examples"))


def _positives(parts: list[Labeled], level: float) -> FloatArray:
    """Return the expected, the fewest and the most positives of strata, with those known."""
    found = [part.found for part in parts]
    expected = sum(stratum.expected for stratum in found)
    return sum(part.n for part in parts) + np.array([expected, *sum_limits(found, level)])

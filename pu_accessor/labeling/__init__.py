"""Use labels made by hand: add them, weight them, estimate rates from them, or plan them."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pu_accessor.checks import check_level
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.hand_labels import Stratum, stratified_limits
from pu_accessor.labeling.planning import labels_needed, positives_needed
from pu_accessor.questions.hand_labels import found_labels, read_found, read_strata
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.ranking import FloatArray
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.label_states import read_labels
from pu_accessor.words import suggest

__all__ = ["add_labels", "labels_needed", "positives_needed", "rates_from_labels", "weigh_labels"]


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # to a type checker the module would have every attribute

    def __getattr__(name: str) -> Any:
        meant = suggest(name, __all__, places=(".",))
        raise AttributeError(f"module 'pu_accessor.labeling' has no attribute {name!r}.{meant}")


def add_labels(label: "pd.Series[Any]", found: "pd.Series[Any]") -> "pd.Series[Any]":
    """Add labels made by hand, of unlabeled rows that were sampled at random.

    Found positives and known ones together are as random a sample of all positives as the known
    ones were. Found negatives are a random sample of all negatives. The beta of the rows that stay
    unlabeled is that of `pu_accessor.beta_from_labels` with ``rest=True``.

    Parameters
    ----------
    label : Series, shape (examples,)
        True or 1, False or 0, missing: known positive, known negative, unlabeled.
    found : Series of bool, shape (labeled,)
        The class of each row that was labeled by hand, with the index of the rows.

    Returns
    -------
    Series of boolean, shape (examples,)
        True, False and missing, with the index and the name of `label`.

    Raises
    ------
    PUDataError, PUValueError, PUTypeError
        If a row was labeled before, is repeated or unknown, or has no label yet; if labels have
        other values, or an argument is not a Series.

    Examples
    --------
    >>> label = pd.Series([1, None, None, None], name="label")
    >>> add_labels(label, pd.Series({1: True, 3: False})).tolist()
    [True, True, <NA>, False]
    """
    for name, column in (("label", label), ("found", found)):
        if not isinstance(column, pd.Series):
            came = type(column).__name__
            raise PUTypeError(
                f"{name} must be a Series, but a {came} was passed. Pass {name}=df['label']."
            )
    if not (label.index.is_unique and found.index.is_unique):
        raise PUDataError(
            "label and found must have each row once, but an index repeats. Number the rows "
            "first: df.reset_index(drop=True)."
        )
    positions = label.index.get_indexer(found.index)
    if (positions < 0).any():
        raise PUDataError(
            f"found must have rows of label, but {found.index[positions < 0].tolist()[:5]} "
            "are not. Pass label=df['label'] of the frame that was sampled."
        )
    known, new = read_labels(label, Terms()), read_found(found)
    before = (known.positive | known.negative)[positions]
    if before.any():
        raise PUDataError(
            f"found must have unlabeled rows, but {found.index[before].tolist()[:5]} are labeled. "
            "Sample them by df.pu.sample_to_label."
        )
    states = pd.array([None] * label.size, dtype="boolean")
    states[known.positive] = True
    states[known.negative] = False
    states[positions] = new
    return pd.Series(states, index=label.index, name=label.name)


def weigh_labels(label: "pd.Series[Any]", found: "pd.Series[Any] | pd.DataFrame") -> pd.DataFrame:
    """Weight rows labeled by hand so that they represent all unlabeled rows.

    Each labeled row represents as many unlabeled rows as there are for each label; known rows
    represent themselves. With these weights all results for future data need neither beta nor
    SCAR: AUROC, average precision, a rate at a threshold, `compare`. If known positives *are* a
    random sample, `add_labels` may give a shorter interval of AUROC.

    Parameters
    ----------
    label : Series, shape (examples,)
        True or 1, False or 0, missing: known positive, known negative, unlabeled.
    found : Series of bool, shape (labeled,), or DataFrame
        The class of each row that was sampled at random and labeled, with the index of the rows.
        Or the frame of `sample_to_label` with strata, with its column of labels filled in.

    Returns
    -------
    DataFrame, shape (examples, 2)
        label, as from `add_labels`, and weight: 1 for known rows, unlabeled over labeled rows of
        its stratum for a row labeled by hand, and 0 for the rest.

    Raises
    ------
    PUDataError, PUValueError, PUTypeError
        If strata do not cover the unlabeled rows, and as in `add_labels`.

    Notes
    -----
    The weights are inverse sampling probabilities ([1]_), so that sums over labeled rows are
    unbiased for sums over all. Pass ``beta=0`` with them: nothing is unlabeled.

    With some ten found positives and an AUROC near 1, the few positives that rank low may be
    missed: in simulations 95% intervals then covered .635 to .9.

    References
    ----------
    .. [1] D. G. Horvitz, D. J. Thompson, J. Am. Stat. Assoc. 47 (1952) 663-685.

    Examples
    --------
    >>> df = pd.DataFrame({"score": range(6), "label": [None, None, None, None, None, True]})
    >>> weighed = weigh_labels(df["label"], pd.Series({1: False, 4: True}))
    >>> weighed["weight"].tolist()
    [0.0, 2.5, 0.0, 0.0, 2.5, 1.0]
    """
    labels = found_labels(found)
    added = add_labels(label, labels)
    if not len(found):
        raise PUValueError(
            "found must have at least one label, but is empty. Label rows of "
            "df.pu.sample_to_label."
        )
    weight, n_unlabeled = added.notna().astype(np.float64), int(added.isna().sum()) + len(labels)
    weight[labels.index] = n_unlabeled / len(found)
    if isinstance(found, pd.DataFrame) and "stratum" in found.columns:
        strata = read_strata(found)
        covered = {name: stratum.total for name, stratum in strata.items()}
        if sum(covered.values()) != n_unlabeled:
            raise PUDataError(
                f"found must have strata that cover the {n_unlabeled} unlabeled rows, but they "
                f"cover {covered}. Sample rows without below or above, from the same frame."
            )
        each = {name: stratum.total / stratum.labeled for name, stratum in strata.items()}
        weight[labels.index] = found["stratum"].map(each).to_numpy(np.float64)
    return pd.DataFrame({"label": added, "weight": weight})


def rates_from_labels(
    found: pd.DataFrame, listed: Hashable | list[Any], *, level: float = 0.95
) -> pd.DataFrame:
    """Estimate precision, recall and false omission rate of a list, from labels made by hand.

    The list is one or more strata, such as the rows at or above a threshold. Nothing is assumed
    about scores, beta or the selection of known positives.

    Parameters
    ----------
    found : DataFrame
        Rows that `sample_to_label` sampled from the list, or from the list and the rest, with
        their column of labels filled in.
    listed : hashable, or list of them
        The strata of the list, such as ">= 0.5" or [">= 0.9", ">= 0.5, < 0.9"].
    level : float, default 0.95
        Confidence level of each interval, in (0, 1).

    Returns
    -------
    DataFrame
        A row for "precision"; if the rest is labeled, also for "recall" and "for", the share of
        positives in the rest: metric, estimate, lower, upper, level, target. All are for this
        sample, with known examples. Recall is NaN if no positive is known or found.

    Raises
    ------
    PUDataError, PUKeyError, PUValueError, PUTypeError
        If a stratum has no labels, a row is labeled twice or not at all, a stratum or column is
        missing, or an argument is not allowed.

    Notes
    -----
    The positives M among the unlabeled rows of one stratum have exact hypergeometric limits; those
    of several strata have the limits of `pu_accessor.beta_from_labels`, which are not proven.
    Precision is (n + M)/(n + n_negative + n_unlabeled) at these limits. Recall combines the limits
    of the list and of the rest, each at the square root of `level`.

    Examples
    --------
    >>> from pu_accessor.labeling import rates_from_labels
    >>> rows = pd.DataFrame({"stratum": [">= 0.5"] * 40 + ["< 0.5"] * 60, "n_negative": 0})
    >>> rows["n"] = [30] * 40 + [10] * 60
    >>> rows["n_unlabeled"] = [170] * 40 + [790] * 60
    >>> rows["label"] = [True] * 20 + [False] * 79 + [True]
    >>> rates_from_labels(rows, ">= 0.5").round(3)
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
            f"listed must be one of {[*strata]}, or a list of different ones, but "
            f"{brief(listed)} was passed."
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


def _positives(strata: list[Stratum], level: float) -> FloatArray:
    """Return the expected number of positives of strata, with the known ones, and its limits."""
    expected = sum(stratum.expected for stratum in strata)
    return sum(stratum.n for stratum in strata) + np.array(
        [expected, *stratified_limits(strata, level)]
    )

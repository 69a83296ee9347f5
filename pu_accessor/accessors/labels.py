"""Labels that were made by hand, put with those that were there."""

from typing import Any

import pandas as pd

from pu_accessor.errors import PUDataError, PUTypeError
from pu_accessor.sources.labels import read_labels
from pu_accessor.sources.roles import Roles


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
    known, new = read_labels(label, Roles()), read_labels(shown, Roles(negative=False))
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

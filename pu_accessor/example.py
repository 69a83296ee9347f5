"""A small simulated data set with its true classes."""

from importlib.resources import files

import pandas as pd


def load_example() -> pd.DataFrame:
    """Return 2,000 simulated patients: the scores of two models, labels and the true classes.

    A quarter of the patients have a disease. Four in ten of these, drawn at random, have a
    diagnosis: they are the known positives, all others are unlabeled. The rows come from a fixed
    seed (``tests/support/example.py``).

    Returns
    -------
    DataFrame
        A row for each patient. ``site`` is the hospital, "east" or "west". ``score`` is the
        probability of the disease from a new model, which is better in the east. ``old_score`` is
        that of an old model. ``label`` is 1.0 with a diagnosis and NaN without. ``truth`` is True
        for a patient with the disease; real data do not have this column.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu
    <df.pu>
    known positives  202
    known negatives  0
    unlabeled        1,798
    distinct scores  1,995 in 2,000 scores (ties share a cutoff)
    """
    with files("pu_accessor").joinpath("example.csv").open(encoding="utf-8") as rows:
        return pd.read_csv(rows).astype({"truth": bool})

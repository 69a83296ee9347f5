"""Evaluate binary classifiers from known positives and unlabeled examples.

Importing registers ``df.pu`` on pandas DataFrames and their groupbys, and ``ds.pu`` on xarray
Datasets.
"""

from importlib.metadata import version

from pu_accessor.accessors import register
from pu_accessor.accessors.accessor import ranking_from_arrays, ranking_from_chunks
from pu_accessor.accessors.labels import add_labels
from pu_accessor.accessors.planning import positives_needed, power
from pu_accessor.errors import (
    PUDataError,
    PUError,
    PUImportError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    PUWarning,
)
from pu_accessor.inference.prior.labeling import (
    beta_from_label_frequency,
    beta_from_prevalence,
    labels_needed,
)
from pu_accessor.inference.tables.rates import fbeta
from pu_accessor.questions.prior import beta_from_labels

__all__ = [
    "PUDataError",
    "PUError",
    "PUImportError",
    "PUKeyError",
    "PUTypeError",
    "PUValueError",
    "PUWarning",
    "add_labels",
    "beta_from_label_frequency",
    "beta_from_labels",
    "beta_from_prevalence",
    "fbeta",
    "labels_needed",
    "positives_needed",
    "power",
    "ranking_from_arrays",
    "ranking_from_chunks",
]
__version__ = version("pu_accessor")

register()

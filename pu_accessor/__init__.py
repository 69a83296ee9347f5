"""Evaluate binary classifiers from known positives and unlabeled examples.

Importing registers ``df.pu`` on pandas DataFrames and their groupbys, and ``ds.pu`` on xarray
Datasets; ``pu_accessor.pu(df)`` is the same as a function.
"""

from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING

from pu_accessor.accessors import register
from pu_accessor.accessors.constructors import from_arrays, from_chunks, pu
from pu_accessor.accessors.planning import positives_needed, power
from pu_accessor.accessors.prior import add_labels, plot_beta_from_labels, weigh_labels
from pu_accessor.errors import (
    PUDataError,
    PUError,
    PUImportError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    PUWarning,
)
from pu_accessor.example import load_example
from pu_accessor.inference.prior.labeling import beta_from_label_frequency, labels_needed
from pu_accessor.inference.tables.metrics import fbeta
from pu_accessor.questions.hand_labels import rates_from_labels
from pu_accessor.questions.prior import beta_from_labels, beta_from_prevalence

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
    "from_arrays",
    "from_chunks",
    "labels_needed",
    "load_example",
    "plot_beta_from_labels",
    "positives_needed",
    "power",
    "pu",
    "rates_from_labels",
    "weigh_labels",
]
__version__ = version("pu_accessor")

register()

if TYPE_CHECKING:
    from pu_accessor import sklearn as sklearn
else:  # to a type checker the package would have every attribute

    def __getattr__(name: str) -> ModuleType:
        """Load the module for scikit-learn, or say what an old name has become."""
        if name == "sklearn":
            import pu_accessor.sklearn as loaded

            return loaded
        message = f"module 'pu_accessor' has no attribute {name!r}."
        if name in ("ranking_from_arrays", "ranking_from_chunks"):
            arguments = "score, label" if name.endswith("arrays") else "chunks"
            new = name.removeprefix("ranking_")
            message += f" It is called {new} now: pu_accessor.{new}({arguments})."
        raise AttributeError(message)


def __dir__() -> list[str]:
    """List the public names alone."""
    return [*__all__, "sklearn", "__version__"]

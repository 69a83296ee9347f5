"""Evaluate binary classifiers from known positives and unlabeled examples.

Importing registers ``df.pu`` on pandas DataFrames and their groupbys, and ``ds.pu`` on xarray
Datasets; ``pu_accessor.pu(df)`` is the same as a function.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pu_accessor.accessors import register
from pu_accessor.accessors.constructors import from_arrays, from_chunks, pu
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
from pu_accessor.inference.tables.metrics import fbeta
from pu_accessor.priors import beta_from_label_frequency, beta_from_labels, beta_from_prevalence

__all__ = [
    "PUDataError",
    "PUError",
    "PUImportError",
    "PUKeyError",
    "PUTypeError",
    "PUValueError",
    "PUWarning",
    "beta_from_label_frequency",
    "beta_from_labels",
    "beta_from_prevalence",
    "fbeta",
    "from_arrays",
    "from_chunks",
    "load_example",
    "pu",
]
__version__ = version("pu_accessor")

register()

_LAZY = ("labeling", "sklearn")  # modules that are loaded when they are touched

if not TYPE_CHECKING:  # to a type checker the package would have every attribute

    def __getattr__(name: str) -> Any:
        """Load a module, or say what an old name has become."""
        if name in _LAZY:
            return import_module(f"pu_accessor.{name}")
        message = f"module 'pu_accessor' has no attribute {name!r}."
        if name in ("ranking_from_arrays", "ranking_from_chunks"):
            arguments = "score, label" if name.endswith("arrays") else "chunks"
            new = name.removeprefix("ranking_")
            message += f" It is called {new} now: pu_accessor.{new}({arguments})."
        raise AttributeError(message)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LAZY})

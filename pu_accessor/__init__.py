"""Evaluate binary classifiers from known positives and unlabeled examples.

Importing this package gives pandas DataFrames and xarray Datasets an accessor ``pu``:
``df.pu(roles).assume(assumptions).method(beta)``.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pu_accessor.errors import (
    PUDataError,
    PUError,
    PUImportError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    PUWarning,
)
from pu_accessor.priors import beta_from_label_frequency, beta_from_labels, beta_from_prevalence
from pu_accessor.questions.accessor import Accessor
from pu_accessor.questions.call_errors import explain_attribute
from pu_accessor.questions.constructors import (
    bedroc,
    fbeta,
    from_arrays,
    from_chunks,
    load_example,
    pu,
    register,
)

__all__ = [
    "PUDataError",
    "PUError",
    "PUImportError",
    "PUKeyError",
    "PUTypeError",
    "PUValueError",
    "PUWarning",
    "bedroc",
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
_LAZY = ("labeling", "sklearn")  # modules that are imported on first use

register()


def __dir__() -> list[str]:
    return [*__all__, *_LAZY, "__version__"]


if TYPE_CHECKING:
    from pu_accessor import labeling as labeling
    from pu_accessor import sklearn as sklearn
else:  # to a type checker the package would have every attribute

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            return import_module(f"{__name__}.{name}")
        meant = explain_attribute(Accessor, name)
        if name in import_module(f"{__name__}.labeling").__all__:
            meant = f" It is pu_accessor.labeling.{name}."
        raise AttributeError(f"module 'pu_accessor' has no attribute {name!r}.{meant}")

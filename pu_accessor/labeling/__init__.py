"""Labels made by hand, and the sizes of studies."""

from typing import TYPE_CHECKING, Any

from pu_accessor.labeling.apply import add_labels, rates_from_labels, weigh_labels
from pu_accessor.labeling.planning import labels_needed, positives_needed
from pu_accessor.words import suggest

__all__ = ["add_labels", "labels_needed", "positives_needed", "rates_from_labels", "weigh_labels"]


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # to a type checker the module would have every attribute

    def __getattr__(name: str) -> Any:
        meant = suggest(name, __all__, places=(".",))
        raise AttributeError(f"module 'pu_accessor.labeling' has no attribute {name!r}.{meant}")

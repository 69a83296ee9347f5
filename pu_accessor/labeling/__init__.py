"""Labels made by hand, and the sizes of studies."""

from pu_accessor.labeling.apply import add_labels, rates_from_labels, weigh_labels
from pu_accessor.labeling.planning import labels_needed, positives_needed, power

__all__ = [
    "add_labels",
    "labels_needed",
    "positives_needed",
    "power",
    "rates_from_labels",
    "weigh_labels",
]


def __dir__() -> list[str]:
    return __all__

"""Labels by hand: what they add, and how many labels and known positives a study takes."""

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

"""Names of a user's columns, keys and functions -> text that a picture shows as it is."""

from collections.abc import Hashable
from typing import Any

import pandas as pd

from pu_accessor.inference.quantities import write_label


def write_name(name: object) -> str:
    r"""Write a name for a legend, a title or an axis.

    Examples
    --------
    >>> write_name("_gain in $"), write_name("tree")
    (' _gain in \\$', 'tree')
    """
    text = str(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") or not text else text


def write_key(key: Hashable) -> str:
    """Write a key."""
    if isinstance(key, tuple):
        return ", ".join(map(write_key, key))
    if isinstance(key, pd.Timestamp) and key == key.normalize():
        return str(key.date())
    return write_name(key)


def write_panel(name: str, value: Any) -> str:
    """Write the title of a panel."""
    return f"β̂ = {value:g}" if name == "beta" else f"{write_name(name)} = {write_key(value)}"


def write_quantity(name: str) -> str:
    """Write what an axis shows in words.

    Examples
    --------
    >>> write_quantity("npv"), write_quantity("f0.5"), write_quantity("balanced_accuracy")
    ('negative predictive value', 'F0.5', 'balanced accuracy')
    """
    return write_name(write_label(name))

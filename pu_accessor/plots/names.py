"""Names of a user's columns, keys and functions -> text that a picture shows as it is."""

from collections.abc import Hashable
from typing import Any

import pandas as pd

__all__ = ["tell_key", "tell_panel", "write_name"]


def write_name(name: object) -> str:
    r"""Write a name for a legend, a title or an axis.

    Parameters
    ----------
    name : object
        Of a column, a key, a function.

    Returns
    -------
    str
        Without mathematics between dollars; neither empty nor with an underscore first, which
        keep a label out of legends.

    Examples
    --------
    >>> write_name("_gain in $"), write_name("tree")
    (' _gain in \\$', 'tree')
    """
    text = str(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") or not text else text


def tell_key(key: Hashable) -> str:
    """Write a key.

    Parameters
    ----------
    key : hashable
        Of a group; a tuple for several levels.

    Returns
    -------
    str
        A day without its time.
    """
    if isinstance(key, tuple):
        return ", ".join(map(tell_key, key))
    if isinstance(key, pd.Timestamp) and key == key.normalize():
        return str(key.date())
    return write_name(key)


def tell_panel(name: str, value: Any) -> str:
    """Write the title of a panel.

    Parameters
    ----------
    name : str
        Of a dimension.
    value : hashable
        A place along it.

    Returns
    -------
    str
    """
    return f"β̂ = {value:g}" if name == "beta" else f"{write_name(name)} = {tell_key(value)}"

"""Names of a user's columns, keys and functions -> text that a picture shows as it is."""

__all__ = ["write_name"]


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

"""Reprs that fit a terminal."""

from collections.abc import Mapping
from textwrap import wrap

_WIDTH = 80


def fold(head: str, rows: Mapping[str, str]) -> str:
    """Write a repr in lines that are no longer than a terminal is wide.

    Examples
    --------
    >>> print(fold("<df.pu>", {"unlabeled": "12", "models": "2: svm, forest"}))
    <df.pu>
    unlabeled  12
    models     2: svm, forest
    """
    lines = wrap(head, _WIDTH, subsequent_indent="  ")
    indent = " " * (max(map(len, rows), default=0) + 2)
    for name, text in rows.items():
        first = f"{name:<{len(indent)}}"
        lines += wrap(text, _WIDTH, initial_indent=first, subsequent_indent=indent)
    return "\n".join(lines)

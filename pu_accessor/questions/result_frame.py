"""A frame that prints four significant digits, and no column or text cut off."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pandas as pd

_DIGITS, _MAX_DIGITS = 4, 15
_DEFAULT_PRECISION = 6  # of pandas


def _format_number(number: float) -> str:
    """Return a number with four significant digits, or with all digits before the point."""
    text = f"{number:.{_DIGITS}g}"
    return f"{round(number):.{_MAX_DIGITS}g}" if "e+" in text else text


def _display_options() -> AbstractContextManager[None]:
    """Set display options of pandas, except those that a user has set."""
    float_format: Callable[[float], str] | None = pd.get_option("display.float_format")
    if float_format is None and pd.get_option("display.precision") == _DEFAULT_PRECISION:
        float_format = _format_number
    uncut = "display.max_columns", None, "display.max_colwidth", None
    return pd.option_context("display.float_format", float_format, *uncut)


class _AnyFrame(type):
    """The type of a class whose instances are all frames."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, pd.DataFrame)


# All frames are instances, for comparisons in either order by pandas.testing.
class ResultFrame(pd.DataFrame, metaclass=_AnyFrame):
    """A frame that prints well; frames made from it are plain, and all digits are stored."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        with _display_options():
            return super().__repr__()

    def _repr_html_(self) -> str | None:
        with _display_options():
            html: str | None = super()._repr_html_()  # type: ignore[misc]
            return html

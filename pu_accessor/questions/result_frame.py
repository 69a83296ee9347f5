"""How answers are shown: four significant digits, and no column or sentence cut off."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pandas as pd

_DIGITS, _WHOLE = 4, 15
_USUAL_PRECISION = 6  # that pandas shows unless somebody chooses another


def _write(number: float) -> str:
    """Write a number with four significant digits, of a large one all before the point."""
    text = f"{number:.{_DIGITS}g}"
    return f"{round(number):.{_WHOLE}g}" if "e+" in text else text


def _shown() -> AbstractContextManager[None]:
    """Set the options of pandas for one answer, but for what a user has chosen."""
    chosen: Callable[[float], str] | None = pd.get_option("display.float_format")
    if chosen is None and pd.get_option("display.precision") == _USUAL_PRECISION:
        chosen = _write
    whole = "display.max_columns", None, "display.max_colwidth", None
    return pd.option_context("display.float_format", chosen, *whole)


class _AnyFrame(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, pd.DataFrame)


# Any frame is an instance, so that pandas.testing compares it with a plain one in either order.
class ResultFrame(pd.DataFrame, metaclass=_AnyFrame):
    """A frame that is easily read; what is made of it is a plain DataFrame, with all digits."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        with _shown():
            return super().__repr__()

    def _repr_html_(self) -> str | None:
        with _shown():
            html: str | None = super()._repr_html_()  # type: ignore[misc]
            return html

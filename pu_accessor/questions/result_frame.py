"""A frame that prints four significant digits, and no column or text cut off."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from html import escape
from textwrap import fill
from typing import Any

import pandas as pd

_DIGITS, _MAX_DIGITS = 4, 15
_DEFAULT_PRECISION = 6  # of pandas
_SHARED = ("metric", "beta", "target", "level", "method")  # often the same in all rows


def _format_number(number: float) -> str:
    """Return a number with four significant digits, or with all digits before the point."""
    text = f"{number:.{_DIGITS}g}"
    return f"{round(number):.{_MAX_DIGITS}g}" if "e+" in text else text


def _float_format() -> Callable[[float], str] | None:
    """Return how numbers are printed: as a user has set, or with four digits."""
    float_format: Callable[[float], str] | None = pd.get_option("display.float_format")
    is_set = float_format is not None or pd.get_option("display.precision") != _DEFAULT_PRECISION
    return float_format if is_set else _format_number


def _display_options() -> AbstractContextManager[None]:
    """Set display options of pandas, except those that a user has set."""
    uncut = "display.max_columns", None, "display.max_colwidth", None
    return pd.option_context("display.float_format", _float_format(), *uncut)


def split_shared(
    frame: pd.DataFrame, form: Callable[[float], str] = _format_number
) -> tuple[pd.DataFrame, str]:
    """Return a frame without settings that all rows share, and these as a text."""
    names = [n for n in _SHARED if n in frame and (frame[n] == frame[n].iloc[0]).all()]
    shared = {name: frame[name].iloc[0] for name in names}
    texts = (f"{n} {form(one) if n == 'beta' else one}" for n, one in shared.items())
    return pd.DataFrame(frame).drop(columns=names), ", ".join(texts)


def _number_format(value: object) -> str | None:
    """Return the style of a number in a spreadsheet, which keeps all of its digits."""
    if not isinstance(value, float) or value.is_integer():
        return None
    return f"number-format: {'0.000' if abs(value) >= 0.0005 else '0.0E+00'}"


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

    @property
    def _has_index(self) -> bool:
        return not isinstance(self.index, pd.RangeIndex)

    @property
    def _note(self) -> str:
        """What must be known to read the numbers."""
        return str(self.attrs.get("assumptions", ""))

    def __repr__(self) -> str:
        """Return the table; what all rows share stands below one that is too wide."""
        with _display_options():
            text = super().__repr__()
            if text.partition("\n")[0].endswith("\\"):
                rows, shared = split_shared(self)
                text = f"{rows!r}\n[all rows: {shared}]"
        return f"{text}\n{fill(f'[{self._note}]', 80)}" if self._note else text

    def _repr_html_(self) -> str | None:
        with _display_options():
            html: str | None = super()._repr_html_()  # type: ignore[misc]
        return f"{html}\n<p>{escape(self._note)}</p>" if html and self._note else html

    def to_latex(self, buf: Any = None, **options: Any) -> Any:
        """Return or write a table of LaTeX with the digits that are printed, as pandas does."""
        digits = {"float_format": _float_format(), "na_rep": "--"}
        usual = {"index": self._has_index, "escape": True, **digits}
        return super().to_latex(buf, **usual | options)

    def to_excel(self, excel_writer: Any, **options: Any) -> None:  # type: ignore[misc]
        """Write a sheet of Excel that shows three decimals and keeps all digits."""
        cells = self.style.map(_number_format)
        cells.to_excel(excel_writer, **{"index": self._has_index} | options)

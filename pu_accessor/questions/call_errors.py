"""Errors of wrong calls: unknown methods and arguments, with the line to write instead."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from pu_accessor.checks import check_flag
from pu_accessor.errors import PUError, PUTypeError, brief, explain_signaling_nan
from pu_accessor.inference.metrics import METRICS, metrics_for
from pu_accessor.roles_and_assumptions import TERMS
from pu_accessor.words import LINES, nearest, suggest

Kind = TypeVar("Kind", bound=type)

_LITERALS = (str, int, float, list, dict, tuple, type(None))  # whose repr is code
_MAX_ARGUMENTS = 60  # characters of a line in a message


def explain_call_errors(kind: Kind) -> Kind:
    """Check the arguments of the public methods of a class."""
    for name, method in list(vars(kind).items()):
        if callable(method) and (name == "__call__" or not name.startswith("_")):
            setattr(kind, name, _checked_method(method))
    return kind


def _checked_method(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that checks its arguments before it runs."""
    expected = signature(method)
    flags = {name for name, one in expected.parameters.items() if one.annotation in (bool, "bool")}

    @wraps(method)
    def checked(self: Any, *args: Any, **keywords: Any) -> Any:
        try:
            passed = expected.bind(self, *args, **keywords).arguments
        except TypeError as error:
            raise PUTypeError(_explain_call(self, method, args, keywords, str(error))) from None
        if passed.get("looks") and not {*keywords} <= {*_parameters(method)}:
            raise PUTypeError(_explain_call(self, method, args, keywords, ""))
        for name in flags & passed.keys():
            check_flag(name, passed[name])
        with explain_signaling_nan():
            return method(self, *args, **keywords)

    return checked


def _parameters(method: Callable[..., Any]) -> list[str]:
    """Return what a method takes; of a plot with its looks."""
    parameters = [*signature(method).parameters][1:]
    if "looks" not in parameters:
        return parameters
    from pu_accessor.plots import Options

    return [*parameters[:-1], *Options.__annotations__]


def _explain_call(
    pu: Any,
    method: Callable[..., Any],
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    error: str,
) -> str:
    """Return the error of a wrong call, with what to write."""
    name, allowed = method.__name__, _parameters(method)
    if name == "__call__":
        line = "df.pu(score='score', label='label').roc_bounds(0.3)"
        return (
            f"df.pu takes roles of columns, by keyword, and an analysis is a method. Write {line}."
        )
    word = next((word for word in keywords if word not in allowed), None)
    if word is None:
        lacks_beta = "'beta'" in error
        beta = "; beta is the share of positives among the unlabeled: see df.pu.estimate_beta()"
        return f"{name}: {error}. Write for example {example_of(method)}{beta * lacks_beta}."
    text, is_plot = f"{name} has no argument {brief(word)}.", name.startswith("plot_")
    places = ["=", *["plot("] * is_plot, f"{name}("]
    lines = {one for of in places for one in LINES.get(of, ())}
    meant = nearest(word, [*TERMS, *lines, *allowed])
    if meant in TERMS and meant not in lines and not method.__qualname__.startswith("Tables"):
        terms = {one: value for one, value in keywords.items() if one in TERMS}
        terms[meant] = keywords[word]
        known = {one: value for one, value in keywords.items() if one in allowed}
        return f"{text} {_write_with_terms(pu, terms, name, args, known)}"
    looks = " Properties of lines and bands go into line_kws={...} and band_kws={...}." * is_plot
    every = f" It takes {', '.join(allowed) or 'none'}."
    return text + (suggest(word, allowed, places=places) or looks or every)


def _write_with_terms(
    pu: Any, terms: Mapping[str, Any], name: str, args: Sequence[Any], keywords: Mapping[str, Any]
) -> str:
    """Return the line of a call with roles and assumptions set before, or why there is none."""
    named = {one: of if isinstance(of, Hashable | list) else one for one, of in terms.items()}
    try:
        root = pu._with(**named)._code()
    except PUError as error:
        return str(error)
    texts = [*map(repr, args), *(f"{one}={value!r}" for one, value in keywords.items())]
    is_code = all(isinstance(value, _LITERALS) for value in (*args, *keywords.values()))
    is_short = len(", ".join(texts)) <= _MAX_ARGUMENTS
    return f"Write {root}.{name}({', '.join(texts) if is_code and is_short else '...'})."


def example_of(method: Callable[..., Any]) -> str:
    """Return the code of a working call of a method."""
    root = "ds" if method.__qualname__.startswith("TablesAccessor") else "df"
    beta = signature(method).parameters.get("beta")
    needed = "0.3" if beta is not None and beta.default is Parameter.empty else ""
    line = f"{root}.pu.{method.__name__}({needed})"
    return LINES["ds." if root == "ds" else "."].get(method.__name__, line)


def explain_attribute(accessor: type, name: str) -> str:
    """Return what to write for an unknown method, or nothing."""
    if name.startswith("_"):
        return ""
    lines = {metric: entry.example.partition(";")[0] for metric, entry in METRICS.items()}
    at_cutoffs = metrics_for("tables")
    lines |= {f"plot_{metric}": f"df.pu.plot_metric({metric!r}, 0.3)" for metric in at_cutoffs}
    lines |= {method: example_of(getattr(accessor, method)) for method in public_names(accessor)}
    return suggest(name, lines=lines, places=["."])


def public_names(kind: type) -> list[str]:
    """Return the public methods of a class in order."""
    named = [name for base in reversed(kind.__mro__[:-1]) for name in vars(base)]
    return [name for name in dict.fromkeys(named) if not name.startswith("_")]

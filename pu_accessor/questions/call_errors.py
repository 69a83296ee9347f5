"""Errors of wrong calls: unknown methods and arguments, with the line to write instead."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import wraps
from inspect import Parameter, signature
from operator import index
from typing import Any, NamedTuple, TypeVar

from pu_accessor.checks import check_flag
from pu_accessor.errors import (
    PUError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    brief,
    explain_signaling_nan,
)
from pu_accessor.inference.metrics import METRICS, metrics_for
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.roles_and_assumptions import TERMS
from pu_accessor.words import LINES, nearest, suggest

Kind = TypeVar("Kind", bound=type)

_PRIORS = ("class_prior", "pi", "prior", "prevalence")  # the share of positives among all examples
_LITERALS = (str, int, float, list, dict, tuple, type(None))  # whose repr is code
_IN_MEMORY = ("frame", "arrays", "samples")  # of sources
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
        call = _Call(self, method, args, keywords)
        try:
            passed = expected.bind(self, *args, **keywords).arguments
        except TypeError as error:
            raise PUTypeError(_explain_call(call, str(error))) from None
        if passed.get("looks") and call.unknown:
            raise PUTypeError(_explain_call(call, ""))
        for name in flags & passed.keys():
            check_flag(name, passed[name])
        try:
            with explain_signaling_nan():
                return method(self, *args, **keywords)
        except PUValueError as error:
            why, _, step = str(error).partition(". ")
            line = _line_of_prior(call) if step == "Leave prevalence out." else ""
            if not line:
                raise
            raise PUValueError(f"{why}. Write {line}.") from None

    return checked


class _Call(NamedTuple):
    """A call of a method of an accessor."""

    pu: Any
    method: Callable[..., Any]
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.method.__name__

    @property
    def parameters(self) -> list[str]:
        """What the method takes; of a plot with its looks."""
        parameters = [*signature(self.method).parameters][1:]
        if "looks" not in parameters:
            return parameters
        from pu_accessor.plots import Options

        return [*parameters[:-1], *Options.__annotations__]

    @property
    def unknown(self) -> list[str]:
        """The keywords that the method does not take."""
        parameters = self.parameters
        return [word for word in self.keywords if word not in parameters]

    def under(self, terms: Mapping[str, Any]) -> _Call:
        """Return the call with roles and assumptions set before, and known keywords alone."""
        unknown = self.unknown
        terms = {**{name: self.keywords[name] for name in unknown if name in TERMS}, **terms}
        terms = {
            name: of if isinstance(of, Hashable | list) else name for name, of in terms.items()
        }
        keywords = {name: one for name, one in self.keywords.items() if name not in unknown}
        return self._replace(pu=self.pu._with(**terms), keywords=keywords)

    def refusal(self) -> str:
        """Return why the call is refused before rows are read, or nothing."""
        try:
            self.method(self.pu._without_rows(), *self.args, **self.keywords)
        except PUKeyError:  # there are no columns: all else is as it should be
            return ""
        except (PUError, TypeError) as error:
            return str(error)
        return ""

    def code(self, **lines: str) -> str:
        """Return the line that makes the call; some keywords are lines themselves."""
        texts = [repr(value) for value in self.args]
        texts += [f"{name}={value!r}" for name, value in self.keywords.items()]
        is_code = all(isinstance(v, _LITERALS) for v in (*self.args, *self.keywords.values()))
        texts = texts if is_code and len(", ".join(texts)) <= _MAX_ARGUMENTS else ["..."]
        texts += [f"{name}={line}" for name, line in lines.items()]
        return f"{self.pu._code()}.{self.name}({', '.join(texts)})"


def _explain_call(call: _Call, error: str) -> str:
    """Return the error of a wrong call, with what to write."""
    if call.name == "__call__":
        line = "df.pu(score='score', label='label').roc_bounds(0.3)"
        return (
            f"df.pu takes roles of columns, by keyword, and an analysis is a method. Write {line}."
        )
    if call.unknown:
        word = call.unknown[0]
        return f"{call.name} has no argument {brief(word)}{_explain_argument(call, word)}"
    text = f"{call.name}: {error}."
    source = getattr(call.pu, "_source", None)
    if type(getattr(source, "frame", None)) is ResultFrame:
        line = "df.pu(score=['svm', 'forest']).plot_forest('auroc', 0.3)"
        return f"{text} These rows are results. A plot is asked of the data: {line}."
    if "'beta'" not in error:
        return f"{text} Write for example {example_of(call.method)}."
    if "prevalence" in call.pu._terms.facts() and (line := _line_of_prior(call)):
        return f"{text} Write {line}."
    return (
        f"{text} Write for example {example_of(call.method)}; beta is the share of positives "
        "among the unlabeled: see df.pu.estimate_beta() or pu_accessor.beta_from_prevalence."
    )


def _explain_argument(call: _Call, word: str) -> str:
    """Return what to write for an unknown argument of a method."""
    is_plot = call.name.startswith("plot_")
    places = ["=", *["plot("] * is_plot, f"{call.name}("]
    lines = {one for of in places for one in LINES.get(of, ())}
    if is_plot and word not in lines and (advice := _explain_look(word)):
        return f". {advice}"
    of_rows = not call.method.__qualname__.startswith("Tables")
    meant = nearest(word, [*TERMS, *lines, *call.parameters])
    if of_rows and word in _PRIORS and (line := _line_of_prior(call, word)):
        return (
            ", the share of positives among all examples: beta is the share among the unlabeled. "
            f"Write {line}."
        )
    if of_rows and meant in TERMS and (meant not in lines or call.unknown[1:]):
        try:
            moved = call.under({meant: call.keywords[word]})
            return f". {moved.refusal() or f'Write {moved.code()}.'}"
        except PUError as error:
            return f". {error}"
    advice = suggest(word, call.parameters, places=places)
    return f".{advice}" if advice else f". It takes {', '.join(call.parameters) or 'none'}."


def _line_of_prior(call: _Call, word: str = "prevalence") -> str:
    """Return the call with beta from the share of positives among all examples, or nothing."""
    # As an assumption this share is one of future data, which some methods allow, too.
    if "beta" not in call.parameters:
        return ""
    prior = call.keywords.get(word, call.pu._terms.prevalence)
    line = f"pu_accessor.beta_from_prevalence({_counts(call.pu, prior)})"
    first = call.parameters.index("beta")
    others = {name: value for name, value in call.keywords.items() if name not in ("beta", word)}
    without = call._replace(args=call.args[:first], keywords=others)
    with suppress(PUError):  # it may be no prevalence
        if word == "prevalence" and not (moved := call.under({word: prior})).refusal():
            return moved.code()
        for terms in [{word: prior}] * (word == "prevalence") + [{"prevalence": None}]:
            moved = without.under(terms)
            if not moved._replace(keywords={**moved.keywords, "beta": 0.1}).refusal():
                return moved.code(beta=line)
    return ""


def _counts(pu: Any, prior: Any) -> str:
    """Return what converts a prior to beta, with the counts of one ranking in memory."""
    with suppress(PUError, TypeError):
        if pu._source.kind in _IN_MEMORY and {*(ranked := pu._rank()).names} <= {"model"}:
            known, negative, unlabeled = map(index, ranked.make(0).total)
            if 0 <= prior * (known + negative + unlabeled) - known <= unlabeled:
                counts = f"{prior}, {known}, {unlabeled}"
                return counts + f", n_negative={negative}" * bool(negative)
    return "0.25, n_positive=100, n_unlabeled=1900"


def _explain_look(word: str) -> str:
    """Return where to pass a property of matplotlib, if it is one."""
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    places: dict[type, str] = {
        Line2D: f"Pass it in line_kws={{{word!r}: ...}}, or for the band in band_kws.",
        Polygon: f"Pass it in band_kws={{{word!r}: ...}}.",
        Axes: f"Set it on what is returned: ax.set({word}=...).",
    }
    return next((text for kind, text in places.items() if hasattr(kind, f"set_{word}")), "")


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

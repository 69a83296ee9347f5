"""Errors of wrong calls: unknown methods and arguments, with the line to write instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from pu_accessor.checks import check_flag
from pu_accessor.errors import PUError, PUTypeError, brief, explain_signaling_nan
from pu_accessor.inference.metrics import METRICS, metrics_for
from pu_accessor.roles_and_assumptions import ASSUMPTIONS, ROLES
from pu_accessor.words import suggest

Kind = TypeVar("Kind", bound=type)

# Other names of the share of positives among all examples.
_PRIORS = ("class_prior", "pi", "prior")
# Arguments of the example calls in messages, where beta is not enough.
_EXAMPLE_ARGUMENTS: Mapping[str, str] = {
    "df.pu.compare": "'auroc', 0.3",
    "df.pu.contingency": "0.3, ranks=100",
    "df.pu.cutoff": "0.3, recall=0.9",
    "df.pu.gap": "'auroc', 0.3",
    "df.pu.metric": "'recall', 0.3, at=100",
    "df.pu.plot_forest": "'auroc', 0.3",
    "df.pu.plot_metric": "'recall', 0.3",
    "df.pu.robustness": "'auroc', 0.3",
    "df.pu.sample_to_label": "50, random_state=0",
    "ds.pu.area": "'auroc'",
    "ds.pu.at": "rank=100",
    "ds.pu.metric": "'recall'",
    "ds.pu.plot_metric": "'recall'",
}


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
            if word := next((word for word in keywords if word in _PRIORS), None):
                raise PUTypeError(_explain_prior(self, method, word, keywords[word])) from None
            raise PUTypeError(_explain_call(method, str(error), keywords)) from None
        if unknown := _unknown_look(passed.get("looks", {})):
            raise PUTypeError(_explain_call(method, "", {unknown: keywords[unknown]}))
        for name in flags & passed.keys():
            check_flag(name, passed[name])
        with explain_signaling_nan():
            return method(self, *args, **keywords)

    return checked


def _explain_prior(pu: Any, method: Callable[..., Any], word: str, prior: Any) -> str:
    """Return the error of a prior, with its conversion to beta for these examples."""
    counts, number = "0.25, n_positive=100, n_unlabeled=1900", ""
    with suppress(PUError, AttributeError, TypeError, ZeroDivisionError):  # tables have no rows
        rankings = pu._rank()
        known, negative, unlabeled = rankings.make(0).total
        beta = (prior * (known + negative + unlabeled) - known) / unlabeled
        if len(rankings.keys) == 1 and 0 <= beta <= 1:
            counts = f"{prior}, {known}, {unlabeled}" + f", n_negative={negative}" * bool(negative)
            number = f", here {beta:.4g}"
    return (
        f"{method.__name__} has no argument {word!r}, the share of positives among all examples: "
        "beta is the share among the unlabeled. Write "
        f"beta=pu_accessor.beta_from_prevalence({counts}){number}."
    )


def _unknown_look(looks: Mapping[str, Any]) -> str:
    """Return the first unknown keyword of a plot, or nothing."""
    if not looks:
        return ""
    from pu_accessor.plots import Options

    return next((name for name in looks if name not in Options.__annotations__), "")


def _explain_call(method: Callable[..., Any], error: str, keywords: Mapping[str, Any]) -> str:
    """Return the error of a wrong call, with what to write."""
    name, parameters = method.__name__, [*signature(method).parameters][1:]
    if name == "__call__":
        line = "df.pu(score='score', label='label').roc_bounds(0.3)"
        return (
            f"df.pu takes roles of columns, by keyword, and an analysis is a method. Write {line}."
        )
    word = next((word for word in keywords if word not in parameters or word == "looks"), "")
    if "looks" in parameters:
        from pu_accessor.plots import Options

        parameters = [*parameters[:-1], *Options.__annotations__]
    if not word:
        text = f"{name}: {error}. Write for example {example_of(method)}"
        if "'beta'" in error:
            text += "; beta is the share of positives among the unlabeled: see "
            text += "df.pu.estimate_beta() or pu_accessor.beta_from_prevalence"
        return f"{text}."
    return f"{name} has no argument {brief(word)}. {_explain_argument(word, name, parameters)}"


def _explain_argument(word: str, method: str, parameters: list[str]) -> str:
    """Return what to write for an unknown argument of a method."""
    if method.startswith("plot_") and (advice := _explain_look(word)):
        return advice
    before = {
        **{role: f"df.pu({role}=...).{method}(...)" for role in ROLES},
        **{name: f"df.pu.assume({name}=...).{method}(...)" for name in ASSUMPTIONS},
    }
    meant = suggest(word, parameters, before, places=["="]).strip()
    return meant or f"It takes {', '.join(parameters) or 'none'}."


def _explain_look(word: str) -> str:
    """Return where to pass a property of matplotlib, if it is one."""
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    from pu_accessor.plots import Options

    if hasattr(Line2D, f"set_{word}"):
        return f"Pass it in line_kws={{{word!r}: ...}}, or for the band in band_kws."
    if hasattr(Polygon, f"set_{word}"):
        return f"Pass it in band_kws={{{word!r}: ...}}."
    if hasattr(Axes, f"set_{word}"):
        return f"Set it on what is returned: ax.set({word}=...)."
    return suggest(word, Options.__annotations__, places=()).strip()


def example_of(method: Callable[..., Any]) -> str:
    """Return the code of a working call of a method."""
    root = "ds" if method.__qualname__.startswith("TablesAccessor") else "df"
    call = f"{root}.pu.{method.__name__}"
    beta = signature(method).parameters.get("beta")
    needed = "0.3" if beta is not None and beta.default is Parameter.empty else ""
    return f"{call}({_EXAMPLE_ARGUMENTS.get(call, needed)})"


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

"""Errors of calls that do not fit: each shows the line to write instead, and the line works.

No name from elsewhere is accepted: there is one spelling of each thing.
"""

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.checks import check_flag
from pu_accessor.errors import (
    PUTypeError,
    PUValueError,
    brief,
    nearest,
    refuse_signals,
    suggestion,
)
from pu_accessor.inference.tables.rates import METRICS
from pu_accessor.sources.roles import ROLE_NAMES

__all__ = ["explains_keywords", "refuse_roles", "tell_of_methods", "tell_of_samples"]

Kind = TypeVar("Kind", bound=type)

_WIDTH = 40  # of a value that is written as it is

# What a line to write says where a user has said nothing: for all methods, and for some.
_VALUES: Mapping[str, object] = MappingProxyType(
    {"beta": 0.3, "name": "f1", "curve": "roc", "quantity": "auroc", "at": 100, "size": 50}
    | {"random_state": 0, "path": "report.html"}
)
_VALUES_OF: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "at": {"rank": 100},
        "cutoff": {"recall": 0.9},
        "gap": {"beta": 0.3},
        "metric": {"quantity": "f1"},
        "plot_against_beta": {"name": "roc", "beta": [0.1, 0.2, 0.3]},
        "plot_metric": {"quantity": "f1"},
        "select": {"recall": 0.9},
    }
)
# What is no method of df.pu, and the call that does it.
_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "area": "contingency(0.3).pu.area('roc')",
        "at": "contingency(0.3).pu.at(rank=100)",
        "beta_derivatives": "contingency(0.3).pu.beta_derivatives()",
        # the names of the releases before
        "breaking_point": "robustness('auroc', 0.3)",
        "compare_unpaired": "gap('auroc', 0.3)",
        "enrichment_factor": "metric('lift', 0.3, at={'fraction': 0.01})",
        "plot_decision": "plot_net_benefit(0.3)",
    }
)
_AREAS_OF_TABLES = MappingProxyType({"auroc": "area('roc')", "average_precision": "area('pr')"})


def explains_keywords(kind: Kind) -> Kind:
    """Make the methods of an accessor explain arguments that do not fit."""
    for name, method in list(vars(kind).items()):
        if callable(method) and (name == "__call__" or not name.startswith("_")):
            setattr(kind, name, _explained(method))
    return kind


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method whose calls are checked before."""
    expected = signature(method)
    annotations = {name: one.annotation for name, one in expected.parameters.items()}
    flags = {name for name, annotation in annotations.items() if annotation in (bool, "bool")}

    @wraps(method)
    def checked(self: Any, *args: Any, **keywords: Any) -> Any:
        try:
            passed = expected.bind(self, *args, **keywords).arguments
        except TypeError as error:
            explain = _explain_roles if method.__name__ == "__call__" else _explain
            raise PUTypeError(explain(self, method, args, keywords, str(error))) from None
        for name in flags & passed.keys():
            check_flag(name, passed[name])
        _refuse_betas_of_models(self, passed.get("beta"))
        with refuse_signals():
            return method(self, *args, **keywords)

    return checked


def _refuse_betas_of_models(accessor: Any, beta: object) -> None:
    """Raise where estimates of beta differ between models that rank the same rows."""
    roles = getattr(accessor, "_roles", None)
    if not isinstance(beta, pd.DataFrame) or "model" not in beta.columns or roles is None:
        return
    if isinstance(roles.score, list):
        raise PUValueError(
            "beta must be the same for all models, as they rank the same rows, but a frame with "
            "a row for each was passed. Pass the rows of one model: "
            f"beta=beta[beta['model'] == {brief(roles.score[0])}].drop(columns='model').",
            page="many_models#which-model-is-better",
        )


def _explain(
    accessor: Any,
    method: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    error: str,
) -> str:
    """Say how to write a question that does not fit."""
    name, parameters = method.__name__, [*signature(method).parameters][1:]
    roles = ROLE_NAMES if isinstance(accessor, Bound) else ()
    word = next((word for word in keywords if word not in parameters), None)
    if word is None:
        return f"{name}: {error}. Write for example {_example(accessor, method)}."
    if word in ROLE_NAMES and word not in roles and not name.startswith("plot_"):
        return (
            f"{name} has no argument {word!r}, which says what variables of samples mean: the "
            "examples of tables have been counted already. Leave it out."
        )
    typed = [_typed(value, key) for key, value in zip(parameters, args, strict=False)]
    if name.startswith("plot_") and word not in roles:
        write = partial(_write, f"{_root(accessor)}.{name}", typed)
        if picture := _explain_picture(word, keywords, parameters, write):
            return f"{name} has no argument {word!r}. {picture}"
    if word == "alpha" and "level" in parameters:
        return f"{name} has no argument 'alpha'. It is 1 - level: level=0.95."
    meant = {key: nearest(key, [*parameters, *roles]) or key for key in keywords}
    if meant[word] == word and word not in roles:
        return f"{name} has no argument {word!r}. It takes {', '.join(parameters) or 'none'}."
    named = {meant[key]: _typed(value, key) for key, value in keywords.items()}
    said = {key: text for key, text in named.items() if key in roles}
    asked = {key: text for key, text in named.items() if key not in said}
    line = _write(f"{_root(accessor, said)}.{name}", typed, asked)
    if not said:
        return f"{name} has no argument {word!r}. Did you mean {meant[word]!r}? Write {line}."
    legend = ""
    if word == "label" and name.startswith("plot_"):
        legend = f" The name of a curve goes into line_kws={{'label': {said['label']}}}."
    return f"What the data mean is said once, for all questions: {line}.{legend}"


def _explain_picture(
    word: str,
    keywords: Mapping[str, Any],
    parameters: list[str],
    write: Callable[[Mapping[str, str]], str],
) -> str:
    """Return the line that does with a picture what matplotlib does by a keyword, or nothing."""
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    value = _typed(keywords[word], word)
    given = {key: _typed(value, key) for key, value in keywords.items() if key in parameters}
    if word in ("figsize", "dpi"):
        if {"col", "row"} & {*given}:
            line = write({**given, "height": "3"})
            return f"A grid is as large as its panels, height in inches: {line}."
        line = write({**given, "ax": f"plt.subplots({word}={value})[1]"})
        return f"Make the Axes first: {line}."
    artists = {"line_kws": Line2D, "band_kws": Patch}
    for argument, artist in artists.items():
        if hasattr(artist, f"set_{word}"):
            options = {**(keywords.get(argument) or {}), word: keywords[word]}
            items = ", ".join(f"{key!r}: {_typed(option, key)}" for key, option in options.items())
            whose = (
                "It is the band's"
                if artist is Patch
                else "It is the curve's; band_kws has the band's"
            )
            return f"{whose}: {write({**given, argument: f'{{{items}}}'})}."
    if hasattr(Axes, f"set_{word}"):
        return f"Set it on what is returned: {write(given)}.set({word}={value})."
    return ""


def _explain_roles(
    accessor: Any,
    method: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    error: str,
) -> str:
    """Say that what is asked goes into a method."""
    parameters = [*signature(method).parameters][1:]
    word = next((word for word in keywords if word not in parameters), None)
    if word is None:
        return (
            f"What the columns mean is named, and a question goes into a method: {error}. Write "
            "for example df.pu(score='score', label='label').roc_bounds(0.3)."
        )
    roles = {key: _typed(value, key) for key, value in keywords.items() if key in parameters}
    for question in _public(getattr(accessor, "_answers", type(accessor))).values():
        if word in signature(question).parameters:
            return (
                f"{word} belongs to a question, not to what the columns mean: "
                f"{_example(accessor, question, {word: _typed(keywords[word], word)}, roles)}."
            )
    return (
        f"There is no {word!r} among what can be said of columns, {', '.join(parameters)}."
        f"{suggestion(word, parameters)}"
    )


def refuse_roles(names: Iterable[str]) -> NoReturn:
    """Raise as tables are asked what samples are asked."""
    raise PUTypeError(
        f"The Dataset holds tables or curves ({', '.join(names)}), whose examples have been "
        "counted already: there are no samples to name score and label of. Ask the tables: "
        "ds.pu.metric('f1'), ds.pu.area('roc')."
    )


def tell_of_samples(name: str, accessor: Any, counted: bool) -> NoReturn:
    """Raise as an attribute is not there, and say where it is."""
    lines = {**_AREAS_OF_TABLES, **_calls(type(accessor))}
    lines |= {metric: f"metric({metric!r})" for metric in METRICS}
    instead = nearest(name, lines)
    write = f" Write ds.pu.{lines[instead]}." if instead else ""
    call = _calls(accessor._answers).get(name)
    if call and counted:
        raise AttributeError(
            f"{name} is asked of examples, which tables have no more: ask what they were made of, "
            f"df.pu.{call}.{write.replace('Write', 'Of tables:')}"
        )
    if call:
        raise AttributeError(
            f"{name} is asked of samples: say what their variables mean first, "
            f"ds.pu(score='score', label='label', dim='sample').{call}."
        )
    raise AttributeError(f"ds.pu has no attribute {brief(name)}.{write}")


def tell_of_methods(name: str, accessor: Any) -> NoReturn:
    """Raise as an attribute is not there, and say which one does what it promises."""
    lines = {metric: f"metric({metric!r}, 0.3, at=100)" for metric in METRICS}
    lines |= {f"plot_{metric}": f"plot_metric({metric!r}, 0.3)" for metric in METRICS}
    lines |= {**_ELSEWHERE, **_calls(type(accessor))}
    instead = None if name.startswith("_") else nearest(name, lines)
    write = f" Write {_root(accessor)}.{lines[instead]}." if instead else ""
    raise AttributeError(f"df.pu has no attribute {brief(name)}.{write}")


def _public(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the methods of an accessor and of what it is made from."""
    attributes = {name: value for base in kind.__mro__ for name, value in vars(base).items()}
    return {name: m for name, m in attributes.items() if name[0] != "_" and callable(m)}


def _calls(kind: type) -> dict[str, str]:
    """Return a call of each method that works."""
    return {name: _call(method) for name, method in _public(kind).items()}


def _call(method: Callable[..., Any], given: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a call of a method that works, with some arguments."""
    parameters = {p.name: p for p in [*signature(method).parameters.values()][1:]}
    needed = {name: _VALUES.get(name) for name, p in parameters.items() if p.default is p.empty}
    usual = {**needed, **_VALUES_OF.get(method.__name__, {})}
    texts = {name: repr(value) for name, value in usual.items() if name in parameters}
    texts |= given
    by_position = [
        texts.pop(name)
        for name, p in parameters.items()
        if p.kind is not Parameter.KEYWORD_ONLY and name in texts
    ]
    return _write(method.__name__, by_position, texts)


def _example(
    accessor: Any,
    method: Callable[..., Any],
    given: Mapping[str, str] = MappingProxyType({}),
    roles: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a line that asks what is bound, and works."""
    return f"{_root(accessor, roles)}.{_call(method, given)}"


def _root(accessor: Any, roles: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write what is bound, and more roles, as it is typed."""
    if not isinstance(accessor, Bound):
        return _write("ds.pu", [], roles) if roles else "ds.pu"
    root = accessor._line(roles)
    # A groupby has its keys already: all of them are named at once, for the frame.
    return re.sub(r"^df\.group_?by\(.*?\)\.pu\(", "df.pu(", root) if "by" in roles else root


def _write(function: str, args: Iterable[str], keywords: Mapping[str, str]) -> str:
    """Write a call of what is written already."""
    return (
        f"{function}({', '.join([*args, *(f'{key}={text}' for key, text in keywords.items())])})"
    )


def _typed(value: object, name: str) -> str:
    """Write a value as it is typed: what is long, or no literal, by its name.

    Examples
    --------
    >>> _typed(np.float64(0.3), "beta"), _typed(np.arange(99), "beta")
    ('0.3', 'beta')
    """
    text = repr(value.item() if isinstance(value, np.generic) else value)
    try:
        literal_eval(text)
    except (ValueError, SyntaxError):
        return name
    return text if len(text) <= _WIDTH else name

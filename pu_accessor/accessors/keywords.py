"""Errors for keywords at the wrong place: they show the line to write instead."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import pandas as pd

from pu_accessor.accessors.advice import (
    METHOD_NAMES,
    OPTION_NAMES,
    ROLE_WORDS,
    TABLE_NAMES,
    say_where,
)
from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.checks import check_flag
from pu_accessor.errors import PUTypeError, PUValueError, brief, refuse_signals, suggestion
from pu_accessor.sources.roles import ROLE_NAMES

__all__ = ["explains_keywords", "refuse_roles", "tell_of_methods", "tell_of_samples"]

Kind = TypeVar("Kind", bound=type)

_OPTIONS = tuple(PlotOptions.__annotations__)

# What stands in a line to write where a user has not said it.
_EXAMPLES: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "": {"beta": 0.3, "name": "f1", "at": 100, "size": 50, "random_state": 0, "curve": "roc"}
        | {"quantity": "auroc"},
        "plot_against_beta": {"name": "roc", "beta": [0.1, 0.2, 0.3]},
    }
)


def explains_keywords(kind: Kind) -> Kind:
    """Make the methods of an accessor explain arguments that do not fit."""
    for name, method in list(vars(kind).items()):
        if callable(method) and (name == "__call__" or not name.startswith("_")):
            setattr(kind, name, _explained(method))
    return kind


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method whose calls are checked before."""
    expected = Signature([*parameters(method).values()])
    kinds = {name: one.annotation for name, one in expected.parameters.items()}
    flags = {name for name, kind in kinds.items() if kind in (bool, "bool")}

    @wraps(method)
    def checked(self: Any, *args: Any, **keywords: Any) -> Any:
        try:
            passed = expected.bind(self, *args, **keywords).arguments
        except TypeError as error:
            told = _explain(self, method, args, keywords, str(error))
            raise PUTypeError(told) from None
        for name in flags & passed.keys():
            check_flag(name, passed[name])
        _refuse_betas_of_models(self, passed.get("beta"))
        with refuse_signals():
            return method(self, *args, **keywords)

    return checked


def parameters(method: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of a method; for `**options` of a plot, each option."""
    named = dict(signature(method).parameters)
    if named.pop("options", None) is not None:
        kind = Parameter.KEYWORD_ONLY
        named |= {name: Parameter(name, kind, default=None) for name in _OPTIONS}
    return named


def _refuse_betas_of_models(accessor: Any, beta: object) -> None:
    """Raise where estimates of beta differ between models that rank the same rows."""
    roles = getattr(accessor, "_roles", None)
    if not isinstance(beta, pd.DataFrame) or "model" not in beta.columns or roles is None:
        return
    if isinstance(roles.score, list):
        raise PUValueError(
            "beta must be the same for all models, as they rank the same rows, but a frame with "
            "a row for each was passed. Pass the rows of one model: "
            f"beta=found[found['model'] == {brief(roles.score[0])}].drop(columns='model')."
        )


def _explain(
    accessor: Any,
    method: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    error: str,
) -> str:
    """Say how to write a call that does not fit."""
    name, allowed = method.__name__, [*parameters(method)][1:]
    unknown = {key: value for key, value in keywords.items() if key not in allowed}
    if name == "__call__":
        roles = {key: _shown(value) for key, value in keywords.items() if key in allowed}
        return _explain_call(accessor, allowed, unknown, roles, error)
    roles = {key: _shown(value) for key, value in unknown.items() if key in ROLE_NAMES}
    if roles and not isinstance(accessor, Bound):
        return (
            f"{next(iter(roles))} is not for tables, whose examples have been counted already: it "
            f"says what variables of samples mean, ds.pu({_written(roles, str)})."
        )
    if roles:
        asked = {key: value for key, value in keywords.items() if key not in roles}
        written = ", ".join([*map(_shown, args), _written(asked)]).removesuffix(", ")
        legend = ""
        if "label" in roles and name.startswith("plot_"):
            legend = f" The name of a curve goes into line_kws={{'label': {roles['label']}}}."
        return (
            "What the data mean is said once, for all questions: "
            f"{accessor._line(roles)}.{name}({written}).{legend}"
        )
    if unknown and name.startswith("plot_"):
        word, value = next(iter(unknown.items()))
        given = {key: there for key, there in keywords.items() if key in allowed}
        call = [_root(accessor) + f".{name}", *map(_shown, args), *_pairs(given)]
        if where := say_where(word, _shown(value), call):
            return f"{name} has no argument {word!r}. {where}"
    if unknown:
        near = suggestion(next(iter(unknown)), [*allowed, *ROLE_NAMES], _meant(allowed))
        before = ""
        if isinstance(accessor, Bound):
            before = (
                f"; what the columns mean goes before: df.pu(score=..., label=...).{name}(...)"
            )
        return (
            f"{name} has no argument {next(iter(unknown))!r}.{near} It takes "
            f"{', '.join(allowed) or 'none'}{before}."
        )
    return f"{name}: {error}. Write for example {_line(accessor, method, {})}."


def _explain_call(
    accessor: Any,
    allowed: list[str],
    unknown: Mapping[str, Any],
    roles: Mapping[str, str],
    error: str,
) -> str:
    """Say that what is asked goes into a method."""
    if not unknown:
        return (
            f"What the columns mean is named, and a question goes into a method: {error}. Write "
            "for example df.pu(score='p', label='y').roc_bounds(0.3)."
        )
    first, value = next(iter(unknown.items()))
    for method in _public(getattr(accessor, "_answers", type(accessor))).values():
        if first in parameters(method):
            return (
                f"{first} belongs to a question, not to what the columns mean: "
                f"{_line(accessor, method, {first: value}, roles)}."
            )
    return (
        f"There is no {first!r} among what can be said of columns, {', '.join(allowed)}."
        f"{suggestion(first, allowed, ROLE_WORDS)}"
    )


def refuse_roles(names: Iterable[str]) -> NoReturn:
    """Raise as tables are asked what samples are asked."""
    raise PUTypeError(
        f"The Dataset holds tables or curves ({', '.join(names)}), whose examples have been "
        "counted already: there are no samples to name score and label of. Ask the tables: "
        "ds.pu.metric('f1'), ds.pu.area('roc')."
    )


def tell_of_samples(name: str, kind: type, counted: bool) -> NoReturn:
    """Raise as an attribute is not there, and say where it is."""
    of_tables = f" Of tables: ds.pu.{TABLE_NAMES[name]}." if name in TABLE_NAMES else ""
    if name in _public(kind) and counted:
        raise AttributeError(
            f"{name} is asked of examples, which tables have no more: ask what they were made of, "
            f"df.pu.{name}(...).{of_tables}"
        )
    if name in _public(kind):
        raise AttributeError(
            f"{name} is asked of samples: say what their variables mean first, "
            f"ds.pu(score='score', label='label', dim='sample').{name}(...)."
        )
    near = of_tables or suggestion(name, _public(kind))
    raise AttributeError(f"ds.pu has no attribute {brief(name)}.{near}")


def tell_of_methods(name: str, accessor: Any) -> NoReturn:
    """Raise as an attribute is not there, and say which one does what it promises."""
    near = ""
    if not name.startswith("_"):
        near = suggestion(name, _public(type(accessor)))
        near = f" Write {_root(accessor)}.{METHOD_NAMES[name]}." if name in METHOD_NAMES else near
    raise AttributeError(f"df.pu has no attribute {brief(name)}.{near}")


def _public(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the methods of an accessor and of what it is made from."""
    every = {name: item for base in kind.__mro__ for name, item in vars(base).items()}
    return {name: m for name, m in every.items() if name[0] != "_" and callable(m)}


def _line(
    accessor: Any,
    method: Callable[..., Any],
    given: Mapping[str, Any],
    roles: Mapping[str, str] | None = None,
) -> str:
    """Return a call that works, with some arguments."""
    expected = list(parameters(method).values())[1:]
    usual = {**_EXAMPLES[""], **_EXAMPLES.get(method.__name__, {})}
    needed = {p.name: usual.get(p.name, ...) for p in expected if p.default is p.empty}
    every = {**needed, **({"rank": 100} if method.__name__ == "at" else {}), **given}
    first = [p.name for p in expected if p.kind is not Parameter.KEYWORD_ONLY and p.name in every]
    rest = _written({key: value for key, value in every.items() if key not in first})
    written = ", ".join([*(_shown(every[key]) for key in first), rest]).removesuffix(", ")
    return f"{_root(accessor, roles)}.{method.__name__}({written})"


def _root(accessor: Any, roles: Mapping[str, str] | None = None) -> str:
    """Write what is bound, and more roles, as it is typed."""
    if isinstance(accessor, Bound):
        return accessor._line(roles)
    return f"ds.pu({_written(roles, str)})" if roles else "ds.pu"


def _meant(allowed: Iterable[str]) -> dict[str, str]:
    """Return what others call the arguments that there are."""
    there = {*allowed}
    meant = {word: name for word, name in OPTION_NAMES.items() if name in there}
    return {**meant, "alpha": "It is 1 - level: level=0.95."} if "level" in there else meant


def _written(arguments: Mapping[str, Any], show: Callable[[Any], str] | None = None) -> str:
    """Write keyword arguments as they are typed."""
    return ", ".join(_pairs(arguments, show))


def _pairs(arguments: Mapping[str, Any], show: Callable[[Any], str] | None = None) -> list[str]:
    """Write each keyword argument as it is typed."""
    return [f"{key}={(show or _shown)(value)}" for key, value in arguments.items()]


def _shown(value: Any) -> str:
    """Write a value as it is typed, if that is short."""
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else "..."

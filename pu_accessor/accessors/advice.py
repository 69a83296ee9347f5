"""Errors of calls that do not fit: each shows the line to write instead, and the line works.

No name from elsewhere is accepted: there is one spelling of each thing.
"""

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.checks import check_flag
from pu_accessor.errors import (
    PUTypeError,
    PUValueError,
    brief,
    nearest,
    refuse_signals,
    suggestion,
)
from pu_accessor.inference.settings import TARGETS
from pu_accessor.inference.tables.metrics import METRICS
from pu_accessor.sources.roles import ROLE_NAMES

Kind = TypeVar("Kind", bound=type)

_WIDTH = 40  # of a value that is written as it is

# What a line to write says where a user has said nothing: for all methods, and for some.
_VALUES: Mapping[str, object] = {
    "beta": 0.3,
    "quantity": "auroc",
    "at": 100,
    "size": 50,
    "random_state": 0,
    "path": "report.html",
}
_VALUES_OF: Mapping[str, Mapping[str, object]] = {
    "at": {"rank": 100},
    "cutoff": {"recall": 0.9},
    "gap": {"beta": 0.3},
    "metric": {"quantity": "f1"},
    "plot_against_beta": {"beta": [0.1, 0.2, 0.3]},
    "plot_check_assumptions": {"wave": "site"},
    "plot_metric": {"quantity": "f1"},
    "roc_region": {"at": {"threshold": 0.5}},
    "select": {"recall": 0.9},
}
# What is no method of df.pu, and the call that does it.
_ELSEWHERE: Mapping[str, str] = {
    "area": "contingency(0.3).pu.area('auroc')",
    "at": "contingency(0.3).pu.at(rank=100)",
    "beta_derivatives": "contingency(0.3).pu.beta_derivatives()",
    # the names of the releases before
    "breaking_point": "robustness('auroc', 0.3)",
    "compare_unpaired": "gap('auroc', 0.3)",
    "enrichment_factor": "metric('lift', 0.3, at={'fraction': 0.01})",
    "plot_decision": "plot_net_benefit(0.3)",
}
# What others call the share of positives among all examples, which beta is not.
_PREVALENCE = ("class_prior", "prior", "pi", "prevalence")
_NOT_A_LEVEL = ("False", "None", "True")
_OF_TABLES: Mapping[str, str] = {
    "auroc": "area('auroc')",
    "average_precision": "area('average_precision')",
    # the names of the releases before
    "roc": "roc_bounds()",
    "pr": "pr_bounds()",
}


def explains_keywords(kind: Kind) -> Kind:
    """Make the methods of an accessor explain arguments that do not fit."""
    for name, method in list(vars(kind).items()):
        if callable(method) and (name == "__call__" or not name.startswith("_")):
            setattr(kind, name, _explained(method))
    return kind


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method whose calls are checked before."""
    expected = Signature([*_parameters(method).values()])
    annotations = {name: one.annotation for name, one in expected.parameters.items()}
    flags = {name for name, annotation in annotations.items() if annotation in (bool, "bool")}

    @wraps(method)
    def checked(self: Any, *args: Any, **keywords: Any) -> Any:
        try:
            passed = expected.bind(self, *args, **keywords).arguments
        except TypeError as error:
            raise PUTypeError(_Call(self, method, args, keywords).explain(str(error))) from None
        for name in flags & passed.keys():
            check_flag(name, passed[name])
        _refuse_betas_of_models(self, passed.get("beta"))
        with refuse_signals():
            return method(self, *args, **keywords)

    return checked


def _parameters(method: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of a method by name; for `**options` of a plot, each option."""
    named = dict(signature(method).parameters)
    if named.pop("options", None) is not None:
        kind = Parameter.KEYWORD_ONLY
        named |= {
            name: Parameter(name, kind, default=None) for name in PlotOptions.__annotations__
        }
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
            f"beta=beta[beta['model'] == {brief(roles.score[0])}].drop(columns='model').",
            page="many_models#which-model-is-better",
        )


class _Call:
    """A call that does not fit, with its values as they are typed."""

    def __init__(self, accessor: Any, method: Any, args: Any, keywords: Any) -> None:
        self.accessor, self.name = accessor, method.__name__
        self.parameters = [*_parameters(method)][1:]
        self.args = [_typed(*pair) for pair in zip(args, self.parameters, strict=False)]
        self.keywords = {key: _typed(value, key) for key, value in keywords.items()}
        self.given = {key: self.keywords[key] for key in self.keywords if key in self.parameters}
        self.unknown = next((key for key in self.keywords if key not in self.given), "")
        self.example = f"{_root(accessor)}.{_call(method)}"

    def explain(self, error: str) -> str:
        """Say how to write the call."""
        if self.name == "__call__":
            return self._explain_roles(error)
        answers = getattr(self.accessor, "_answers", None)
        if answers and "tp" not in self.accessor._dataset and self.name in _public(answers):
            return _of_samples(_public(answers)[self.name])
        if not self.unknown:
            return f"{self.name}: {error}. Write for example {self.example}."
        return self._explain_role() or self._explain_picture() or self._explain_keyword()

    def _explain_roles(self, error: str) -> str:
        """Say that what is asked goes into a method."""
        if not self.unknown:
            return (
                "df.pu takes keywords that say what columns mean; a method asks a question: "
                f"{error}. For example df.pu(score='score', label='label').roc_bounds(0.3)."
            )
        word, value = self.unknown, self.keywords[self.unknown]
        for method in _public(getattr(self.accessor, "_answers", type(self.accessor))).values():
            if word in _parameters(method):
                return (
                    f"{word} is an argument of a question, and says nothing of columns. Write "
                    f"{_root(self.accessor, self.given)}.{_call(method, {word: value})}."
                )
        return (
            f"df.pu has no argument {word!r}. It takes {', '.join(self.parameters)}."
            f"{suggestion(word, self.parameters)}{self._explain_groups()}"
        )

    def _explain_groups(self) -> str:
        """Return what else groups may be, or nothing."""
        if self.unknown != "groups":
            return ""
        return f" To rank each group apart: by={self.keywords['groups']}."

    def _explain_role(self) -> str:
        """Return the line that says first what the data mean, if that is what a keyword says."""
        if self.unknown == "target" and self.keywords["target"] in map(repr, TARGETS):
            return (
                f"{self.name} has no argument 'target': it is about these examples. Write "
                f"{self._write()}."
            )
        meant = {key: nearest(key, [*self.parameters, *ROLE_NAMES]) for key in self.keywords}
        role = meant[self.unknown]
        if role not in ROLE_NAMES:
            return ""
        if not isinstance(self.accessor, Bound):
            return (
                f"{self.name} has no argument {self.unknown!r}: it says what variables of samples "
                "mean, and tables hold counts. Leave it out."
            )
        roles = {name: self.keywords[key] for key, name in meant.items() if name in ROLE_NAMES}
        root = _root(self.accessor, roles)
        asked = {key: text for key, text in self.keywords.items() if meant[key] not in roles}
        legend = ""
        if self.unknown == "label" and self.name.startswith("plot_"):
            legend = f" The name of a curve goes into line_kws={{'label': {roles['label']}}}."
        line = _write(f"{root}.{self.name}", self.args, asked)
        told = f"Say once, for all questions, what columns mean: {line}."
        return f"{told}{legend}{self._explain_groups()}"

    def _explain_picture(self) -> str:
        """Return the line that does with a picture what matplotlib does by a keyword."""
        from matplotlib.axes import Axes
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        if not self.name.startswith("plot_"):
            return ""
        word, value = self.unknown, self.keywords[self.unknown]
        if word in ("figsize", "dpi") and {"col", "row"} & {*self.given}:
            line = self._write(height="3")
            told = f"A grid is as large as its panels, height in inches: {line}"
        elif word in ("figsize", "dpi"):
            told = f"Make the Axes first: {self._write(ax=f'plt.subplots({word}={value})[1]')}"
        elif hasattr(Line2D, f"set_{word}"):
            line = self._write_style("line_kws")
            told = f"It is the curve's, or its band's in band_kws: {line}"
        elif hasattr(Patch, f"set_{word}"):
            told = f"It is the band's: {self._write_style('band_kws')}"
        elif hasattr(Axes, f"set_{word}"):
            told = f"Set it on what is returned: {self._write()}.set({word}={value})"
        else:
            return ""
        return f"{self.name} has no argument {word!r}. {told}."

    def _write_style(self, argument: str) -> str:
        """Write the call with the unknown keyword among properties of matplotlib's."""
        before = f"{self.given[argument]} | " if argument in self.given else ""
        style = f"{before}{{{self.unknown!r}: {self.keywords[self.unknown]}}}"
        return self._write(**{argument: style})

    def _write(self, **more: str) -> str:
        """Write the call without the unknown keyword, and with more."""
        given = {**self.given, **more}
        in_order = {name: given[name] for name in self.parameters if name in given}
        return _write(f"{_root(self.accessor)}.{self.name}", self.args, in_order)

    def _explain_keyword(self) -> str:
        """Return the line with the keyword that is meant."""
        word, told = self.unknown, f"{self.name} has no argument {self.unknown!r}."
        if word == "alpha" and "level" in self.parameters:
            return f"{told} It is 1 - level: level=0.95."
        if (word, self.name) == ("prevalence", "auroc"):
            return (
                f"{told} AUROC is the same at any prevalence. What it needs is beta, the share of "
                "positives among the unlabeled: pu_accessor.beta_from_prevalence converts it."
            )
        if word in _PREVALENCE and "beta" in self.parameters:
            return self._explain_prevalence()
        if (word, self.name) == ("at", "metric"):  # of tables
            metric = "".join(self.args[:1]) or repr("f1")
            return f"{told} Select the cutoff first: ds.pu.at(rank=100).pu.metric({metric})."
        if (meant := nearest(word, self.parameters)) is None:
            return f"{told} It takes {', '.join(self.parameters) or 'none'}."
        if meant == "level" and self.keywords[word] in _NOT_A_LEVEL:
            return f"{told} {self._explain_no_interval()}"
        line = self._write(**{meant: self.keywords[word]})
        return f"{told} Did you mean {meant!r}? Write {line}."

    def _explain_prevalence(self) -> str:
        """Return the line that converts a share among all examples to beta."""
        word = self.unknown
        told = (
            f"{self.name} has no argument {word!r}, the share of positives among all examples: "
            "beta is that among the unlabeled."
        )
        if "beta" in (*self.parameters[: len(self.args)], *self.given):
            return f"{told} It was passed, so leave {word} out: {self._write()}."
        counts = self.accessor._counts()
        kinds = {"n_positive": "known positives", "n_unlabeled": "unlabeled"}
        known = {name: counts.get(kind, "").replace(",", "") for name, kind in kinds.items()}
        if not all(map(str.isdigit, known.values())):
            known = {"n_positive": "200", "n_unlabeled": "1800"}
            told += " Convert it by your counts, for example"
        else:
            told += " Convert it:"
        convert = _write("pu_accessor.beta_from_prevalence", [self.keywords[word]], known)
        return f"{told} {self._write(beta=convert)}."

    def _explain_no_interval(self) -> str:
        """Return the line without an interval in sight, or with the usual one."""
        hidden = self.keywords[self.unknown] != "True"
        if hidden and "band_kws" in self.parameters and "band_kws" not in self.given:
            style = "{'visible': False}"
            return f"A band can be hidden: {self._write(band_kws=style)}."
        return f"There is always an interval, so leave it out: {self._write()}."


def refuse_roles(names: Iterable[str]) -> NoReturn:
    """Raise as tables are asked what samples are asked."""
    raise PUTypeError(
        f"The Dataset holds tables or curves ({', '.join(names)}), which have no samples with "
        "score and label. Ask the tables: ds.pu.metric('f1'), ds.pu.area('auroc')."
    )


def tell_of_samples(name: str, accessor: Any, counted: bool) -> NoReturn:
    """Raise as an attribute is not there, and say where it is."""
    calls = {**_OF_TABLES, **{metric: f"metric({metric!r})" for metric in METRICS}}
    write = _write_nearest(name, accessor, calls)
    of_examples = _public(accessor._answers).get(name)
    if of_examples and not counted:
        raise AttributeError(_of_samples(of_examples))
    if of_examples:
        raise AttributeError(
            f"{name} needs examples, and tables hold counts. Ask what they were made of: "
            f"df.pu.{_call(of_examples)}.{write.replace('Write', 'Of tables:')}"
        )
    raise AttributeError(f"ds.pu has no attribute {brief(name)}.{write}")


def tell_of_methods(name: str, accessor: Any) -> NoReturn:
    """Raise as an attribute is not there, and say which one does what it promises."""
    calls = {metric: f"metric({metric!r}, 0.3, at=100)" for metric in METRICS}
    calls |= {f"plot_{metric}": f"plot_metric({metric!r}, 0.3)" for metric in METRICS}
    write = _write_nearest(name, accessor, {**calls, **_ELSEWHERE})
    raise AttributeError(f"df.pu has no attribute {brief(name)}.{write}")


def _of_samples(method: Callable[..., Any]) -> str:
    """Say that a method is asked of samples."""
    return (
        f"{method.__name__} needs samples. Say first what their variables mean: "
        f"ds.pu(score='score', label='label', dim='sample').{_call(method)}."
    )


def _write_nearest(name: str, accessor: Any, calls: Mapping[str, str]) -> str:
    """Return ' Write ...', the line that does what an attribute promises, or nothing."""
    calls = {**calls, **{method: _call(m) for method, m in _public(type(accessor)).items()}}
    meant = None if name.startswith("_") else nearest(name, calls)
    return f" Write {_root(accessor)}.{calls[meant]}." if meant else ""


def _public(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the methods of an accessor and of what it is made from."""
    attributes = {name: value for base in kind.__mro__ for name, value in vars(base).items()}
    return {name: m for name, m in attributes.items() if name[0] != "_" and callable(m)}


def _call(method: Callable[..., Any], given: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a call of a method that works, with some arguments."""
    parameters = _parameters(method)
    parameters.pop("self")
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


def _root(accessor: Any, roles: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write what is bound, and more roles, as it is typed."""
    if not isinstance(accessor, Bound):
        return _write("ds.pu", [], roles) if roles else "ds.pu"
    root = accessor._line(roles)
    # A groupby has its keys already: all of them are named at once, for the frame.
    return re.sub(r"^df\.group_?by\(.*?\)\.pu\(", "df.pu(", root) if "by" in roles else root


def _write(function: str, args: Iterable[str], keywords: Mapping[str, str]) -> str:
    """Write a call of what is written already."""
    arguments = [*args, *(f"{name}={text}" for name, text in keywords.items())]
    return f"{function}({', '.join(arguments)})"


def _typed(value: object, name: str) -> str:
    """Write a value as it is typed: what is long, or no literal, by its name.

    Examples
    --------
    >>> _typed(np.float64(0.3), "beta"), _typed(np.arange(99), "beta")
    ('0.3', 'beta')
    """
    text = repr(value.item() if isinstance(value, np.generic) else value)
    if len(text) > _WIDTH:
        return name
    try:
        literal_eval(text)
    except (ValueError, SyntaxError):
        return name
    return text

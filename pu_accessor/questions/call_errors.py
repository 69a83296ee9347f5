"""Errors of wrong calls: unknown methods and arguments, with the line to write instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from pu_accessor.checks import check_flag
from pu_accessor.errors import (
    PUError,
    PUTypeError,
    brief,
    explain_signaling_nan,
    nearest,
    suggestion,
)
from pu_accessor.inference.estimates.cutoff_spec import SYNONYMS
from pu_accessor.inference.metrics import METRICS
from pu_accessor.roles_and_assumptions import ARGUMENTS, ASSUMPTIONS, PRIORS, ROLES

Kind = TypeVar("Kind", bound=type)

# Methods of other packages, and what to write here.
_METHODS: Mapping[str, str] = {
    word: line
    for words, line in {
        "area": "df.pu.contingency(0.3).pu.area('auroc')",
        "at": "df.pu.contingency(0.3).pu.at(rank=100)",
        "beta_derivatives": "df.pu.contingency(0.3).pu.beta_derivatives()",
        "beta_from_labels": "pu_accessor.beta_from_labels(12, 100, n_unlabeled=1900)",
        "plot_boyce": "df.pu.metric('boyce')",
        "compare_unpaired": "df.pu(by='site').gap('auroc', 0.3)",
        "beta_from_label_frequency": "pu_accessor.beta_from_label_frequency(0.5, 100, 1900)",
        "beta_from_prevalence": "pu_accessor.beta_from_prevalence(0.25, 100, 1900)",
        "breaking_point": "df.pu.robustness('auroc', 0.3)",
        "confusion_matrix plot_confusion_matrix": "df.pu.contingency(0.3, "
        "ranks=100).pu.to_frame().set_index('bound')[['tp', 'fp', 'fn', 'tn']]",
        "bootstrap ci delong": "df.pu.auroc(0.3, level=0.95)",
        "class_prior estimate_prior prior": "df.pu.estimate_beta()",
        "decision_curve plot_decision plot_net_benefit": "df.pu.plot_metric('net_benefit', 0.3, "
        "x='threshold')",
        "ef": "df.pu.metric('lift', 0.3, at={'fraction': 0.01})",
        "evaluate summary describe": "df.pu.report(0.3)",
        "f2 fbeta": "df.pu.metric(pu_accessor.fbeta(2), 0.3, at=100)",
        "from_arrays": "pu_accessor.from_arrays(df['score'], df['label'])",
        "from_chunks": "pu_accessor.from_chunks([df])",
        "from_frame": "df.pu(score='score', label='label')",
        "gain": "df.pu.metric('recall', 0.3, at={'fraction': [0.1, 0.2]})",
        "labels_needed": "pu_accessor.labeling.labels_needed(0.1, 1900)",
        "load_example": "pu_accessor.load_example()",
        "net_benefit": "df.pu.metric('net_benefit', 0.3, at={'threshold': [0.1, 0.2]})",
        "partial_auc": "df.pu.auroc(0.3, max_fpr=0.1)",
        "plot_against_beta": "df.pu.plot_metric('auroc', [0.1, 0.2, 0.3], x='beta')",
        "plot_gain": "df.pu.plot_metric('recall', 0.3, x='fraction')",
        "plot_robustness": "df.pu.plot_metric('auroc', 0.3, x='selection_odds')",
        "plot_table": "df.pu.contingency(0.3, ranks=100).pu.to_frame()",
        "roc_curve": "df.pu.roc_bounds(0.3)",
        "roc_region": "df.pu.metric(['recall', 'fpr'], 0.3, at={'threshold': 0.5}, "
        "level=0.95**0.5)",
        "cross_val_score make_scorer scorer": "pu_accessor.sklearn.scorer('auroc', beta=0.1, "
        "unlabeled=0)",
        "threshold threshold_for choose_threshold": "df.pu.cutoff(0.3, recall=0.9)",
        "select": "df[df['score'] >= df.pu.cutoff(0.3, recall=0.9)['threshold'].item()]",
    }.items()
    for word in words.split()
}
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
            if word := next((word for word in keywords if word in PRIORS), None):
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
    if word in ARGUMENTS:
        return f"Write {ARGUMENTS[word]}."
    if word in ASSUMPTIONS:
        return f"Assumptions are set before: df.pu.assume({word}=...).{method}(...)."
    if meant := suggestion(word, parameters):
        return meant.strip()
    if role := nearest(word, ROLES):
        return f"Roles of columns are set before: df.pu({role}=...).{method}(...)."
    return f"It takes {', '.join(parameters) or 'none'}."


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
    return suggestion(word, Options.__annotations__).strip()


def example_of(method: Callable[..., Any]) -> str:
    """Return the code of a working call of a method."""
    root = "ds" if method.__qualname__.startswith("TablesAccessor") else "df"
    call = f"{root}.pu.{method.__name__}"
    beta = signature(method).parameters.get("beta")
    needed = "0.3" if beta is not None and beta.default is Parameter.empty else ""
    return f"{call}({_EXAMPLE_ARGUMENTS.get(call, needed)})"


def explain_attribute(accessor: type, name: str) -> str:
    """Return what to write for an unknown method, or nothing."""
    metrics = {word: entry.example.partition(";")[0] for word, entry in METRICS.items()}
    calls = metrics | {word: metrics[meant] for word, meant in SYNONYMS.items()}
    at_cutoffs = [word for word, entry in METRICS.items() if "tables" in entry.purposes]
    calls |= {f"plot_{word}": f"df.pu.plot_metric({word!r}, 0.3)" for word in at_cutoffs}
    public = [word for word, method in vars(accessor).items() if callable(method)]
    methods = {word: getattr(accessor, word) for word in public if not word.startswith("_")}
    calls |= {**_METHODS, **{word: example_of(method) for word, method in methods.items()}}
    meant = None if name.startswith("_") else nearest(name, calls)
    return f" Write {calls[meant]}." if meant else ""

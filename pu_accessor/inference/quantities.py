"""The quantities: what each is called, what it needs, and what can be asked of it.

Whoever takes the name of a quantity reads it here, by `read_quantity`; nothing else decides by the
name what is done. A quantity says what it is made of: the area under a *curve*, or a *metric* of
contingency tables, which needs a cutoff.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from pu_accessor.checks import as_array
from pu_accessor.errors import PUTypeError, PUValueError, brief, suggestion
from pu_accessor.inference.estimates.cutoff_spec import At, Cutoff, read_at
from pu_accessor.inference.tables.metrics import METRICS, Metric, metric_name

# What can be asked of quantities, and how an error calls it.
PURPOSES: Mapping[str, str] = {
    "against_beta": "to be drawn against beta",
    "area": "as the area under a curve of tables",
    "average": "for an average over groups",
    "compare": "to compare models of the same rows (groups: gap)",
    "forest": "for numbers below each other",
    "gap": "for the gap between groups that share no rows",
    "metric": "at a cutoff",
    "plan": "to plan",
    "robustness": "for robustness",
    "score": "for a scorer",
    "tables": "of tables",
    # What methods say of a quantity, and no name is read for.
    "examples": "about these examples",
    "population": "about new examples",
    "propensity": "with propensities",
    "selection_odds": "with selection_odds",
}
_OF_TABLES = ("area", "tables")  # at all their cutoffs
_OF_ALL = (
    *("against_beta", "average", "compare", "examples", "forest", "gap", "population"),
    *("propensity", "robustness", "score", "selection_odds"),
)
_AREA = (*_OF_ALL, "area")
_METRIC = (*_OF_ALL, "metric", "tables")


@dataclass(frozen=True)
class Quantity:
    """A number that says how good a ranking is."""

    name: str  # in results
    label: str  # on axes
    can: tuple[str, ...]  # keys of PURPOSES; "pairs", "test", "without_beta"
    ask: str  # the line that asks for it
    metric: str | Metric = ""  # what evaluates it on tables
    curve: str | None = None  # that it is the area under: roc or pr
    needs: tuple[str, ...] = ()  # arguments, besides beta
    chance: float = 0.5  # what conclusions mostly say that it exceeds
    less_is_better: bool = False
    span: float = 1.0  # how far two values can be apart
    of_rates: bool = False  # it follows from both rates of the ROC curve, whatever the prevalence
    of_head: bool = False  # it follows from the precision of the head, and the prevalence
    rounds_up: bool = False  # a fraction of the examples to a whole number of them
    of_probabilities: bool = False  # scores must be, and a cutoff is one of them
    alpha: float = 20.0  # how early is early

    @property
    def needs_cutoff(self) -> bool:
        """Whether it has a value at one cutoff alone."""
        return "at" in self.needs

    def at_whole(self, cutoff: Cutoff, examples: int) -> Cutoff:
        """Return the rank that a fraction of the examples is rounded up to, where it is."""
        if self.rounds_up and cutoff.kind == "fraction":
            return Cutoff("rank", ceil(Fraction(str(cutoff.value)) * examples))
        return cutoff

    def read_cutoff(self, at: At | None) -> Cutoff | None:
        """Check that there is one cutoff where it needs one, and none where it has none."""
        if not self.needs_cutoff:
            if at is not None:
                raise PUValueError(
                    f"at must be left out with {self.name!r}, which has no cutoff, but "
                    f"{brief(at)} was passed."
                )
            return None
        values = [*at.values()] if isinstance(at, Mapping) else [at]
        if at is None or any(as_array(value).ndim for value in values):
            raise PUValueError(
                f"at must say the one cutoff of {self.name!r}, but {brief(at)} was passed. Pass "
                "for example at=100 or at={'threshold': 0.5}."
            )
        return read_at(at)


def _write_words(name: str) -> str:
    """Write a name as words; an F measure with its capital."""
    is_f_measure = name[:1] == "f" and name[1:].replace(".", "", 1).isdigit()
    return name.capitalize() if is_f_measure else name.replace("_", " ")


def _metric_quantity(metric: str | Metric, label: str = "", **more: Any) -> Quantity:
    """Return the quantity that a metric is."""
    name = metric_name(metric)
    written = repr(name) if isinstance(metric, str) else name
    return Quantity(
        name,
        label or _write_words(name),
        **{"can": _METRIC, **more},
        ask=f"df.pu.metric({written}, 0.3, at=100)",
        metric=metric,
        needs=("at",),
    )


# Labels where the name is not the words, and what else is particular to a metric.
_OF_METRICS: Mapping[str, Mapping[str, Any]] = {
    "balanced_accuracy": {"of_rates": True},
    "f1": {"label": "F1"},
    "fdr": {"label": "false discovery rate", "less_is_better": True, "of_head": True},
    "fnr": {
        "label": "false negative rate",
        "less_is_better": True,
        "can": (*_METRIC, "without_beta"),
        "of_rates": True,
    },
    "fpr": {"label": "false positive rate", "less_is_better": True, "of_rates": True},
    # It does not grow evenly with the true positives, so that its average would be biased.
    "jaccard": {"label": "Jaccard index", "can": tuple({*_METRIC} - {"average"})},
    "informedness": {"of_rates": True, "span": 2.0},
    "kappa": {"label": "Cohen's kappa", "span": 2.0},
    # Rounded up as enrichment factors have it.
    "lift": {"rounds_up": True, "span": np.inf, "of_head": True},
    "mcc": {"label": "Matthews correlation", "span": 2.0},
    "npv": {"label": "negative predictive value"},
    "precision": {"of_head": True},
    "recall": {"can": (*_METRIC, "without_beta"), "of_rates": True},
    "tnr": {"label": "true negative rate", "of_rates": True},
    "tpr": {"label": "true positive rate", "can": (*_METRIC, "without_beta"), "of_rates": True},
}

QUANTITIES: Mapping[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity(
            "auroc",
            "AUROC",
            can=(*_AREA, "plan", "test"),
            ask="df.pu.auroc(0.3); of tables, ds.pu.area('auroc')",
            curve="roc",
        ),
        Quantity(
            "average_precision",
            "average precision",
            can=_AREA,
            ask="df.pu.average_precision(0.3); of tables, ds.pu.area('average_precision')",
            curve="pr",
        ),
        *(_metric_quantity(name, **_OF_METRICS.get(name, {})) for name in METRICS),
        Quantity(
            "bedroc",
            "BEDROC",
            can=("average", "compare", "examples", "population"),
            ask="df.pu.bedroc(0.3, alpha=20)",
            needs=("alpha",),
        ),
        Quantity(
            "net_benefit",
            "net benefit",
            can=("average", "compare", "examples", "population", "propensity", "selection_odds"),
            ask="df.pu.net_benefit(0.3)",
            needs=("at",),
            span=np.inf,
            of_probabilities=True,
        ),
        Quantity(
            "difference",
            "difference in AUROC",
            can=("robustness", "pairs"),
            ask="df.pu(score=['svm', 'forest']).compare(0.3)",
            chance=0.0,
        ),
    )
}

# What is no quantity of its own: where it is found.
_FUNCTIONS: Mapping[str, str] = {
    "for": "Pass a function: lambda tp, fp, fn, tn: fn / (fn + tn). It is 1 - npv.",
    "fbeta": "Pass a function: for F2, pu_accessor.fbeta(2).",
}


def names_for(purpose: str) -> list[str]:
    """Return the quantities that can be asked for something, sorted.

    Examples
    --------
    >>> names_for("area"), names_for("plan")
    (['auroc', 'average_precision'], ['auroc'])
    """
    return sorted(name for name, quantity in QUANTITIES.items() if purpose in quantity.can)


def read_quantity(quantity: str | Metric, at: At | None, purpose: str) -> Quantity:
    """Return the entry of a quantity; raise unless it, its cutoff and a purpose go together.

    Examples
    --------
    >>> read_quantity("auroc", None, "compare").label
    'AUROC'
    >>> read_quantity("recall", {"fpr": 0.1}, "gap").needs
    ('at',)
    """
    entry = _find(quantity, purpose)
    if purpose not in _OF_TABLES:
        entry.read_cutoff(at)
    return entry


def read_quantities(
    quantities: str | Metric | Sequence[str | Metric], purpose: str
) -> list[Quantity]:
    """Return the entries of one metric, or of several in a list, whose cutoffs are read apart."""
    if isinstance(quantities, str) or callable(quantities):
        quantities = [quantities]
    if not isinstance(quantities, Sequence):
        raise PUTypeError(
            f"quantity must be a name, a function, or a list of these, but {brief(quantities)} "
            "was passed. For example ['precision', 'recall']."
        )
    entries = [_find(quantity, purpose) for quantity in quantities]
    names = [entry.name for entry in entries]
    if not names or len({*names}) < len(names):
        raise PUValueError(
            f"quantity must name at least one, and each once, but {names} was passed. Functions "
            "are told apart by their names."
        )
    return entries


def _find(quantity: str | Metric, purpose: str) -> Quantity:
    """Return the entry of a quantity that can be asked for something."""
    allowed = names_for(purpose)
    if callable(quantity) and purpose in _METRIC:
        return _metric_quantity(quantity, span=np.inf)
    if isinstance(quantity, str) and quantity in allowed:
        return QUANTITIES[quantity]
    name = metric_name(quantity) if callable(quantity) else quantity
    functions = ", or a function of tp, fp, fn and tn" if purpose in _METRIC else ""
    which = "" if len(allowed) == 1 else "one of "
    raise PUValueError(
        f"quantity must be {which}{', '.join(allowed)}{functions} {PURPOSES[purpose]}, but "
        f"{brief(name)} was passed.{_advise(name, allowed)}"
    )


def _advise(name: object, allowed: Sequence[str]) -> str:
    """Say which quantity is meant, or how one that cannot do this is asked for."""
    asks = {other: f"That is {quantity.ask}." for other, quantity in QUANTITIES.items()}
    others = {other: ask for other, ask in asks.items() if other not in allowed}
    return suggestion(name, allowed, {**others, **_FUNCTIONS})


def check_moves(entries: Sequence[Quantity], prevalence: float | None) -> None:
    """Raise if another prevalence is asked for and changes nothing."""
    if prevalence is not None and all(entry.of_rates for entry in entries):
        raise PUValueError(
            f"prevalence changes nothing for {entries[0].name!r}, a rate among positives or among "
            f"negatives, but {prevalence!r} was passed. Leave it out.",
            page="population#another-prevalence",
        )


def refuse_band(quantity: Quantity, band: object, reference: object) -> None:
    """Raise if a band was chosen for what takes none."""
    usual = ((band, "exact"), (reference, "positives"))  # an array is equal to none as a whole
    if not quantity.needs_cutoff and not all(isinstance(x, str) and x == y for x, y in usual):
        raise PUValueError(
            f"band and reference must be left out with {quantity.name!r}, which takes no band. "
            "They go with a metric at a cutoff."
        )


def name_cutoff(cutoff: Cutoff | None) -> str:
    """Say in words what a cutoff is, for the label of an axis.

    Examples
    --------
    >>> name_cutoff(read_at(100)), name_cutoff(read_at({"fpr": 0.1})), name_cutoff(None)
    (' among the top 100', ' at fpr 0.1', '')
    """
    if cutoff is None:
        return ""
    words = {
        "youden": " where informedness is highest",
        "maximum": ", at its maximum",
        "fraction": f" among the top {100 * cutoff.value:g}%",
        "rank": f" among the top {np.nan_to_num(cutoff.value):,.0f}",
    }
    return words.get(cutoff.kind, f" at {cutoff.kind} {cutoff.value:g}")


def write_label(name: str) -> str:
    """Return what axes call a quantity, or a metric of a user's own.

    Examples
    --------
    >>> write_label("npv"), write_label("f0.5"), write_label("balanced_accuracy")
    ('negative predictive value', 'F0.5', 'balanced accuracy')
    """
    return QUANTITIES[name].label if name in QUANTITIES else _write_words(name)

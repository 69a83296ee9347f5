"""Define the metrics: names, cutoffs, purposes, and the function or estimator of each.

A metric at a cutoff is a function of contingency tables; one of a whole ranking has an estimator.
Only `read_metric` and `read_metrics` read names of metrics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from math import inf
from operator import add
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.errors import PUTypeError, PUValueError, brief, name_function, shorten
from pu_accessor.inference import areas_on_future_data, retrieval
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.areas_on_this_sample import estimate_ap, estimate_auroc
from pu_accessor.inference.calibration import estimate_boyce
from pu_accessor.inference.cutoff_spec import At, Cutoff, read_cutoffs
from pu_accessor.ranking import FloatArray, KnownBlocks, Ranking, Ranks
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.words import READ, suggest

Array: TypeAlias = npt.NDArray[Any]
# From the arrays tp, fp, fn and tn to an array of numbers.
MetricFunction: TypeAlias = Callable[[Array, Array, Array, Array], Any]

# Kinds of metrics, each with more of them.
_AREAS = ("auroc", "average_precision")
_SCORED = ("at a cutoff", *_AREAS)
_PAIRED = (*_SCORED, "net_benefit")
_LINEARIZED = (*_PAIRED, "bedroc")
_WITH_BETA = (*_LINEARIZED, "ndcg", "at its own cutoff")
_WITH_MEAN = (*_WITH_BETA, "bpref")
# What a metric can be used for, as an error writes it, and the kinds that can.
PURPOSES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "against_beta": ("to be drawn against beta", _WITH_BETA),
    "area": ("as the area under a curve of tables", _AREAS),
    "average": ("for an average over groups", _WITH_MEAN),
    "compare": ("to compare models of the same rows (groups: gap)", _LINEARIZED),
    "forest": ("for numbers below each other", _WITH_MEAN),
    "gap": ("for the gap between groups that share no rows", _PAIRED),
    "metric": ("of a ranking", (*_WITH_MEAN, "boyce")),
    "robustness": ("for robustness", (*_SCORED, "difference")),
    "score": ("for a scorer", _SCORED),
    "tables": ("of tables", ("at a cutoff",)),
}
# Tables from which it is read what a function depends on, and steps to others.
_TP, _FP, _FN, _TN, _MORE_TP, _MORE_FP = np.random.default_rng(0).uniform(1, 9, (6, 40))
_TRIED = "np.array([[3], [1], [2], [4]])"  # tables on which a user can try a metric


@dataclass(frozen=True)
class Metric:
    """A metric: a function of tables at a cutoff, or an estimator of a whole ranking."""

    key: str  # in METRICS
    label: str  # on axes
    function: MetricFunction | None = None  # of tables at a cutoff
    function_at: Callable[[float], MetricFunction] | None = None  # if it depends on the cutoff
    turns: Turns | None = None  # where a function can peak between breakpoints
    estimator: Estimators | None = field(default=None, hash=False)  # of a ranking, by target
    of_known: OfKnown | None = None  # for averages
    # Which cutoff it takes: "any", a "rank", a threshold that is a "probability", or its own.
    cutoff: str | Cutoff | None = "any"
    depth: int | None = None  # ranks that count
    takes_beta: bool = True  # an estimator that takes none has no interval
    curve: str | None = None  # whose area it is: roc or pr
    max_fpr: float | None = None
    alpha: float | None = None  # of BEDROC
    low: float = 0.0
    high: float = 1.0
    is_function: bool = False  # of a user
    asked: str = ""  # another name of it, by which it was asked for

    @property
    def name(self) -> str:
        """Its name in results: the one by which it was asked for."""
        return self.asked or self.key

    @property
    def kind(self) -> str:
        """By which its purposes are found: "at a cutoff", "at its own cutoff", or its key."""
        if self.own_cutoff is not None:
            return "at its own cutoff"
        return "at a cutoff" if self.cutoff == "any" else self.key

    def serves(self, purpose: str) -> bool:
        """Tell whether it can be used for one of PURPOSES."""
        return self.kind in PURPOSES[purpose][1]

    @property
    def example(self) -> str:
        """Code that asks for it."""
        if self.key == "difference":
            return "df.pu(score=['svm', 'forest']).compare('auroc', 0.3)"
        if self.curve is not None:
            return f"df.pu.{self.key}(0.3); of tables, ds.pu.area({self.key!r})"
        word = repr(self.key) if self.key in METRICS else self.key
        at = {"any": "100", "rank": "10", "probability": "{'threshold': 0.2}"}
        beta, cutoff = ", 0.3" * self.takes_beta, at.get(str(self.cutoff))
        return f"df.pu.metric({word}{beta}{f', at={cutoff}' if cutoff else ''})"

    @property
    def needs_cutoff(self) -> bool:
        """Whether a cutoff must be passed."""
        return isinstance(self.cutoff, str)

    @property
    def own_cutoff(self) -> Cutoff | None:
        """The cutoff that nobody passes."""
        return self.cutoff if isinstance(self.cutoff, Cutoff) else None

    @cached_property
    def depends_on(self) -> str:
        """What a function of tables depends on: "recall", both "rates", "precision", or "all"."""
        others = {
            "recall": (_TP, 2 * _FP, _FN, 3 * _TN),
            "rates": (_TP, 2 * _FP, _FN, 2 * _TN),
            "precision": (_TP / 2, _FP / 2, _FN + _TP / 2, _TN + _FP / 2),
        }
        return next((what for what, tables in others.items() if self._same_on(*tables)), "all")

    @cached_property
    def counts_negatives(self) -> bool:
        """Whether it depends on the number of negatives below the cutoff."""
        if self.estimator is not None:
            return self.curve == "roc" or self.key in ("bedroc", "boyce")
        return not self._same_on(_TP, _FP, _FN, 2 * _TN)

    @cached_property
    def less_is_better(self) -> bool:
        """Whether a function falls where more of the examples above a cutoff are positive."""
        better = self._values_on(_TP + 1, _FP - 1, _FN - 1, _TN + 1)
        return bool((better < self._values_on(_TP, _FP, _FN, _TN)).all())

    @cached_property
    def is_ratio(self) -> bool:
        """Whether a function is a ratio of two that are linear in tp and the examples above."""
        # Between two breakpoints tp is linear in the examples above, and such a ratio is monotone.
        # At four places of equal distance it keeps their cross ratio.
        steps = [np.stack([_MORE_TP, _MORE_FP, -_MORE_TP, -_MORE_FP]) * i for i in range(4)]
        tables = np.stack([_TP, _FP, _FN + 30, _TN + 30])
        a, b, c, d = (self._values_on(*(tables + step)) for step in steps)
        return np.allclose(3 * (c - a) * (d - b), 4 * (c - b) * (d - a), rtol=1e-9, atol=1e-14)

    def _values_on(self, *tables: FloatArray) -> FloatArray:
        """Return the values of a function; NaN of one of a user, of which nothing is known."""
        if self.function is None or self.is_function:
            return np.full(_TP.size, np.nan)
        return np.asarray(self.function(*tables))

    def _same_on(self, *tables: FloatArray) -> bool:
        """Tell whether the values on other tables are the same."""
        return np.allclose(self._values_on(_TP, _FP, _FN, _TN), self._values_on(*tables))

    def ranks_needed(self, cutoff: Cutoff | None) -> Ranks:
        """Return "all" if its cutoff may be any, or "breakpoints" (Youden's is always one)."""
        kind = "" if cutoff is None else cutoff.kind
        anywhere = kind == "maximum" and not (self.is_ratio or self.turns)
        return "all" if anywhere or kind == "first" else "breakpoints"

    @property
    def span(self) -> float:
        """Largest possible difference of two values."""
        return self.high - self.low

    def __call__(self, tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
        """Evaluate the metric on contingency tables."""
        if self.function is None:
            raise PUValueError(f"{self.name} is no function of one contingency table.")
        counts = tp, fp, fn, tn
        if not self.is_function:  # products of whole counts overflow
            return np.asarray(self.function(*(np.asarray(count, np.float64) for count in counts)))
        named = f"metric {self.name!r} must be a function of the arrays tp, fp, fn and tn"
        with np.errstate(all="ignore"), name_function(named, f"metric(*{_TRIED})"):
            returned = self.function(*map(np.array, counts))
        values = np.asarray(returned)
        if values.shape != tp.shape or values.dtype.kind not in "biuf":
            raise PUTypeError(
                f"metric {self.name!r} must return an array of numbers, one for each table "
                f"(shape {tp.shape}), but returned {type(returned).__name__} of shape "
                f"{values.shape}. Compute it from tp, fp, fn and tn by arithmetic of whole arrays."
            )
        return values

    def __reduce__(self) -> Any:
        """Pickle entries of the table by name."""
        if named(self.name) == self:
            return named, (self.name,)
        return super().__reduce__()

    def at_cutoff(self, cutoff: Cutoff) -> Metric:
        """Return the metric with the parameters that a cutoff sets."""
        if self.of_known is not None and cutoff.kind == "rank":
            return replace(self, depth=int(cutoff.value))
        if self.function_at is None:
            return self
        return replace(self, function=self.function_at(cutoff.value), function_at=None)

    def check_cutoff(self, cutoff: Cutoff | None) -> Cutoff | None:
        """Raise unless a metric that needs a cutoff has one, and no other has."""
        if not self.needs_cutoff:
            if cutoff is None:
                return self.own_cutoff
            part = {"roc": "auroc(0.3, max_fpr=0.1)", "pr": "metric('precision', 0.3, at=100)"}
            step = f" Of a part: df.pu.{part[self.curve]}." if self.curve in part else ""
            raise PUValueError(
                f"at must be left out with {self.name!r}, which has no cutoff, but "
                f"{brief(cutoff.kind)} was passed.{step}"
            )
        if cutoff is None:
            raise self._error_of_cutoff(None)
        kind, value = cutoff.kind, cutoff.value
        if self.cutoff == "rank" and not (kind == "rank" and value):
            raise PUValueError(
                f"at must be a rank from 1 on for {self.name!r}, but {kind} {value:g} was passed. "
                "For example at=10."
            )
        if self.cutoff == "probability" and not (kind == "threshold" and 0 < value < 1):
            raise PUValueError(
                f"at must be a threshold above 0 and below 1 for {self.name!r}, but {kind} "
                f"{value:g} was passed. Pass the smallest probability that leads to action, "
                "at={'threshold': 0.2}."
            )
        return cutoff

    def read_cutoff(self, at: At | None) -> Cutoff | None:
        """Read and check the single cutoff, or None."""
        cutoffs = [None] if at is None else read_cutoffs(at)
        if len(cutoffs) > 1:
            raise self._error_of_cutoff(at)
        return self.check_cutoff(cutoffs[0])

    def _error_of_cutoff(self, at: At | None) -> PUValueError:
        return PUValueError(
            f"at must be one cutoff for {self.name!r}, but {brief(at)} was passed. Pass "
            "for example at=100 or at={'threshold': 0.5}."
        )

    def check_prevalence(self, prevalence: float | None) -> None:
        """Raise if another prevalence would change nothing."""
        if prevalence is not None and self.depends_on in ("recall", "rates"):
            raise PUValueError(
                f"prevalence changes nothing for {self.name!r}, a rate among positives or among "
                f"negatives, but {prevalence!r} was passed. Leave it out."
            )


AnyMetric: TypeAlias = str | MetricFunction | Metric
# From tp and the examples above each cutoff, the positives and all examples to the examples above
# a turn on the way from each cutoff to the next.
Turns: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, float], FloatArray]
# From a metric, a ranking, betas and terms to an answer, by target.
Estimator: TypeAlias = Callable[..., Answer]
Estimators: TypeAlias = Mapping[str, Estimator]
# From a metric, known positives and betas to an unbiased value, its smallest and largest possible
# value, all of shape (rankings, betas).
OfKnown: TypeAlias = Callable[[Metric, KnownBlocks, FloatArray], tuple[FloatArray, ...]]


def _share(part: Array, whole: Array) -> FloatArray:
    """Return a ratio, NaN for a denominator of 0."""
    return part / np.where(whole == 0, np.nan, whole)


def _mcc(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return the Matthews correlation."""
    with np.errstate(invalid="ignore"):
        scale = ((tp + fp) * (tn + fn)) ** 0.5 * ((tp + fn) * (tn + fp)) ** 0.5
    return _share(tp * tn - fp * fn, scale)


def _mcc_turns(tp: FloatArray, head: FloatArray, positives: FloatArray, size: float) -> FloatArray:
    """Return the examples above the turn of MCC on the way from each cutoff to the next."""
    # There N*tp - P*h is a + b*h, and MCC turns only at h = a*N/(2*a + b*N): a maximum only where
    # it is negative.
    excess = size * tp - positives * head
    if (excess[1:-1] >= 0).any():
        return np.full(head.size - 1, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.diff(excess) / np.diff(head)
        start = excess[:-1] - slope * head[:-1]
        return np.asarray(start * size / (2 * start + slope * size))


def _kappa(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return Cohen's kappa."""
    return _share(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def f_measure(square: float, tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return an F measure by the square of its weight."""
    return _share((1 + square) * tp, (1 + square) * tp + square * fn + fp)


def _net_benefit(threshold: float) -> MetricFunction:
    """Return net benefit at a threshold, the odds of which are the cost of a false positive."""
    cost = threshold / (1 - threshold)
    return lambda tp, fp, fn, tn: (tp - fp * cost) / (tp + fp + fn + tn)


def _auroc_of_sample(metric: Metric, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    return estimate_auroc(ranking, betas, terms, metric.max_fpr)


def _auroc_on_future_data(
    metric: Metric, ranking: Ranking, betas: FloatArray, terms: Terms
) -> Answer:
    if metric.max_fpr is None:
        return areas_on_future_data.estimate_population_auroc(ranking, betas, terms)
    return areas_on_future_data.estimate_population_pauc(ranking, betas, terms, metric.max_fpr)


def _by_target(examples: Estimator, population: Estimator | None = None) -> Estimators:
    return {"examples": examples, "population": population or examples}


def _ratio(part: str, whole: str) -> MetricFunction:

    def function(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
        counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        each = ([counts[name] for name in names.split()] for names in (part, whole))
        return _share(*(reduce(add, terms) for terms in each))

    return function


_EARLY: Mapping[str, Any] = {
    "estimator": _by_target(retrieval.estimate_on_this_sample, retrieval.estimate_on_future_data),
    "of_known": retrieval.early_recognition_of_known,
}
_ENTRIES = (
    Metric(
        "auroc",
        "AUROC",
        estimator=_by_target(_auroc_of_sample, _auroc_on_future_data),
        of_known=areas_on_future_data.auroc_of_known,
        cutoff=None,
        curve="roc",
    ),
    Metric(
        *("average_precision", "average precision"),
        estimator=_by_target(
            lambda _, *args: estimate_ap(*args),
            lambda _, *args: areas_on_future_data.estimate_population_ap(*args),
        ),
        of_known=areas_on_future_data.ap_of_known,
        cutoff=None,
        curve="pr",
    ),
    Metric("bedroc", "BEDROC", **_EARLY, cutoff=None, alpha=20.0),
    Metric("ndcg", "NDCG", **_EARLY, cutoff="rank"),
    Metric(
        *("reciprocal_rank", "reciprocal rank"),
        estimator=_by_target(retrieval.estimate_reciprocal_rank),
        of_known=retrieval.reciprocal_rank_of_known,
        cutoff=Cutoff("first"),
    ),
    Metric(
        *("bpref", "bpref"),
        estimator=_by_target(retrieval.estimate_bpref),
        of_known=retrieval.bpref_of_known,
        cutoff=None,
        takes_beta=False,
    ),
    Metric(
        *("boyce", "continuous Boyce index"),
        estimator=_by_target(lambda _, ranking, betas, __: estimate_boyce(ranking, betas)),
        cutoff=None,
        takes_beta=False,
        low=-1.0,
    ),
    Metric("accuracy", "accuracy", _ratio("tp tn", "tp fp fn tn")),
    Metric(
        *("balanced_accuracy", "balanced accuracy"),
        lambda tp, fp, fn, tn: (_share(tp, tp + fn) + _share(tn, fp + tn)) / 2,
    ),
    Metric("f1", "F1", _ratio("tp tp", "tp tp fp fn")),
    Metric("fdr", "false discovery rate", _ratio("fp", "tp fp")),
    Metric("fnr", "false negative rate", _ratio("fn", "tp fn")),
    Metric("for", "false omission rate", _ratio("fn", "fn tn")),
    Metric("fpr", "false positive rate", _ratio("fp", "fp tn")),
    Metric(
        *("informedness", "informedness"),
        lambda tp, fp, fn, tn: _share(tp, tp + fn) - _share(fp, fp + tn),
        low=-1.0,
    ),
    Metric("jaccard", "Jaccard index", _ratio("tp", "tp fp fn")),
    Metric("kappa", "Cohen's kappa", _kappa, low=-1.0),
    Metric(
        *("lift", "lift"),
        lambda tp, fp, fn, tn: _share(_share(tp, tp + fp), _share(tp + fn, tp + fp + fn + tn)),
        high=inf,
    ),
    Metric("mcc", "Matthews correlation", _mcc, turns=_mcc_turns, low=-1.0),
    Metric("npv", "negative predictive value", _ratio("tn", "tn fn")),
    Metric("precision", "precision", _ratio("tp", "tp fp")),
    Metric("recall", "recall", _ratio("tp", "tp fn")),
    Metric("r_precision", "R-precision", _ratio("tp", "tp fn"), cutoff=Cutoff("positives")),
    Metric("tnr", "true negative rate", _ratio("tn", "fp tn")),
    Metric(
        *("net_benefit", "net benefit"), function_at=_net_benefit, cutoff="probability", low=-inf
    ),
    Metric("difference", "difference in AUROC", cutoff=None),
)
METRICS: Mapping[str, Metric] = {metric.key: metric for metric in _ENTRIES}


def named(name: str) -> Metric | None:
    """Return the entry of a name or of its synonym, under the name as it was asked for."""
    key = READ.get(name.lower(), name.lower())
    entry = METRICS.get(key)
    if entry is None or name == key:
        return entry
    label = entry.label if name.lower() == key else name.replace("_", " ")
    return replace(entry, asked=name, label=label)


_AT_RANK = re.compile(r"(\w+?)(?:@|_at_)(\d+|k)")  # as in precision@10


def _metric_of_function(function: MetricFunction) -> Metric:
    name = str(getattr(function, "__name__", type(function).__name__))
    return Metric(name, name.replace("_", " "), function, low=-inf, high=inf, is_function=True)


def metrics_for(purpose: str) -> list[str]:
    """Return the metrics that can be used for a purpose, sorted."""
    return sorted(name for name, metric in METRICS.items() if metric.serves(purpose))


def read_metrics(metrics: AnyMetric | Sequence[AnyMetric], purpose: str) -> list[Metric]:
    """Return the entries of one metric or a list, whose cutoffs are read separately."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if not isinstance(metrics, Sequence):
        raise PUTypeError(
            f"metric must be a name, a function, or a list of these, but {brief(metrics)} "
            "was passed. For example ['precision', 'recall']."
        )
    entries = [read_metric(metric, purpose) for metric in metrics]
    names = [entry.name for entry in entries]
    if not names or len({*names}) < len(names):
        raise PUValueError(
            f"metric must name at least one, and each once, but {names} was passed. Functions "
            "must have different names."
        )
    return entries


def read_metric(metric: AnyMetric, purpose: str) -> Metric:
    """Return the entry of a metric that can be used for a purpose, or raise."""
    if isinstance(metric, list | tuple):
        raise PUTypeError(
            f"metric must be one metric {PURPOSES[purpose][0]}, but {brief(metric)} was passed. "
            "Pass each in a call of its own, of a plot with the same ax=."
        )
    entry = find_metric(metric)
    if entry is not None and entry.serves(purpose):
        return entry
    name = metric if entry is None else entry.name
    if isinstance(name, str) and (match := _AT_RANK.fullmatch(name.lower())):
        base = named({"p": "precision", "r": "recall"}.get(match[1], match[1]))
        if base is not None and base.cutoff in ("any", "rank"):
            line = f"df.pu.metric({base.key!r}, 0.3, at={match[2] if match[2] != 'k' else 100})"
            raise PUValueError(f"metric must be a name, but {name!r} was passed. Write {line}.")
    (words, kinds), allowed = PURPOSES[purpose], metrics_for(purpose)
    functions = ", or a function of tp, fp, fn and tn" if "at a cutoff" in kinds else ""
    which = ("" if len(allowed) == 1 else "one of ") + shorten(allowed, most=30, width=120)
    others = {key: other.example for key, other in METRICS.items() if key not in allowed}
    if purpose in ("compare", "gap") and entry is not None and entry.serves("average"):
        models = "df.pu(score=['svm', 'forest'], by='query', average=True)"
        others[entry.key] = entry.example.replace("df.pu", models).replace("metric", "compare")
    meant = suggest(name if entry is None else entry.key, allowed, others)
    if entry is None and meant.startswith(" Write"):
        which = "a name"
    raise PUValueError(
        f"metric must be {which}{functions} {words}, but {brief(name)} was passed.{meant}"
    )


def find_metric(metric: AnyMetric) -> Metric | None:
    """Return the entry of a metric by name, of a function, or itself."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        return named(metric)
    return _metric_of_function(metric) if callable(metric) else None

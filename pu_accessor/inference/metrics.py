"""Define the metrics: names, cutoffs, purposes, and the function or estimator of each.

A metric at a cutoff is a function of contingency tables; one of a whole ranking has an estimator.
Only `read_metric` and `read_metrics` read names of metrics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from math import ceil, inf
from operator import add
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.checks import as_array, is_number
from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten
from pu_accessor.inference.estimates import areas_on_future_data, early_recognition, retrieval
from pu_accessor.inference.estimates.areas_on_this_sample import estimate_ap, estimate_auroc
from pu_accessor.inference.estimates.calibration import estimate_boyce
from pu_accessor.inference.estimates.cutoff_spec import At, Cutoff, read_at
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import FloatArray, Ranking
from pu_accessor.words import READ, suggest

Array: TypeAlias = npt.NDArray[Any]
# From the arrays tp, fp, fn and tn to an array of numbers.
MetricFunction: TypeAlias = Callable[[Array, Array, Array, Array], Any]

# What a metric can be used for, as an error writes it.
PURPOSES: Mapping[str, str] = {
    "against_beta": "to be drawn against beta",
    "area": "as the area under a curve of tables",
    "average": "for an average over groups",
    "compare": "to compare models of the same rows (groups: gap)",
    "forest": "for numbers below each other",
    "gap": "for the gap between groups that share no rows",
    "metric": "of a ranking",
    "robustness": "for robustness",
    "score": "for a scorer",
    "tables": "of tables",
}
_OF_TABLES = ("area", "tables")  # at all their cutoffs
_OF_ALL = ("against_beta", "average", "compare", "forest", "gap", "metric", "robustness", "score")
_AREA = (*_OF_ALL, "area")
_AT_CUTOFF = (*_OF_ALL, "tables")
_OF_LISTS = ("against_beta", "average", "forest", "metric", "retrieval")


@dataclass(frozen=True)
class Metric:
    """A metric of a ranking and what it can be used for."""

    name: str  # in results
    label: str  # on axes
    question: str = "at a cutoff"  # its row in the table of exclusions
    purposes: tuple[str, ...] = ()  # PURPOSES; pairs, test, retrieval, without_beta, no interval
    example: str = ""
    function: MetricFunction | None = None  # of tables at a cutoff
    function_at: Callable[[float], MetricFunction] | None = None  # if it depends on the cutoff
    estimator: Estimator | None = None  # of a whole ranking, at betas
    of_known: OfKnown | None = None  # for averages
    own_cutoff: Cutoff | None = None  # which nobody passes
    any_cutoff: bool = False  # its cutoff may be between breakpoints
    depth: int | None = None  # ranks that count
    curve: str | None = None  # whose area it is: roc or pr
    max_fpr: float | None = None
    alpha: float | None = None  # of BEDROC
    takes_beta: bool = True
    needs_cutoff: bool = True
    chance: float = 0.5  # default threshold of conclusions
    less_is_better: bool = False
    low: float = 0.0
    high: float = 1.0
    of_rates: bool = False  # it is a function of both rates of the ROC curve
    of_head: bool = False  # it is a function of precision and prevalence
    rounds_up: bool = False  # a fraction of the examples to a whole number of them
    of_probabilities: bool = False  # scores and cutoffs must be probabilities
    peaks_between: bool = False  # its maximum may be between two breakpoints
    is_function: bool = False  # of a user

    @property
    def span(self) -> float:
        """Largest possible difference of two values."""
        return self.high - self.low

    def __call__(self, tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
        """Evaluate the metric on contingency tables."""
        if self.function is None:
            raise PUValueError(f"{self.name} is no function of one contingency table.")
        if not self.is_function:
            return np.asarray(self.function(*(np.asarray(count) for count in (tp, fp, fn, tn))))
        with np.errstate(all="ignore"):
            try:
                returned = self.function(*(np.array(count) for count in (tp, fp, fn, tn)))
            except TypeError as error:
                raise PUTypeError(
                    f"metric {self.name!r} must be a function of the arrays tp, fp, fn and tn, "
                    f"but raised: {error}."
                ) from error
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
        if METRICS.get(self.name) == self:
            return _entry, (self.name,)
        return super().__reduce__()

    def at_cutoff(self, cutoff: Cutoff) -> Metric:
        """Return the metric with the parameters that a cutoff sets."""
        if self.of_known is not None and cutoff.kind == "rank":
            return replace(self, depth=int(cutoff.value))
        if self.function_at is None:
            return self
        return replace(self, function=self.function_at(cutoff.value), function_at=None)

    def at_whole(self, cutoff: Cutoff, examples: int) -> Cutoff:
        """Return a fraction of the examples as a rank, rounded up if the metric does."""
        if self.rounds_up and cutoff.kind == "fraction":
            return Cutoff("rank", ceil(Fraction(str(cutoff.value)) * examples))
        return cutoff

    def check_cutoff(self, cutoff: Cutoff | None) -> Cutoff | None:
        """Raise unless a metric that needs a cutoff has one, and no other has."""
        if not self.needs_cutoff:
            if cutoff is not None:
                part = {"roc": "auroc(0.3, max_fpr=0.1)", "pr": "metric('precision', 0.3, at=100)"}
                step = f" Of a part: df.pu.{part[self.curve]}." if self.curve in part else ""
                raise PUValueError(
                    f"at must be left out with {self.name!r}, which has no cutoff, but "
                    f"{brief(cutoff.kind)} was passed.{step}"
                )
            return self.own_cutoff
        if cutoff is None:
            raise self._error_of_cutoff(None)
        if self.of_known is not None and not (cutoff.kind == "rank" and cutoff.value):
            raise PUValueError(
                f"at must be a rank from 1 on for {self.name!r}, but {cutoff.kind} "
                f"{cutoff.value:g} was passed. For example at=10."
            )
        if self.of_probabilities and not (cutoff.kind == "threshold" and 0 < cutoff.value < 1):
            raise PUValueError(
                f"at must be a threshold above 0 and below 1 for {self.name!r}, but "
                f"{cutoff.kind} {cutoff.value:g} was passed. Pass the smallest probability that "
                "leads to action, at={'threshold': 0.2}."
            )
        return cutoff

    def read_cutoff(self, at: At | None) -> Cutoff | None:
        """Read and check the single cutoff, or None."""
        values = [*at.values()] if isinstance(at, Mapping) else [at]
        if self.needs_cutoff and any(as_array(value).ndim for value in values):
            raise self._error_of_cutoff(at)
        return self.check_cutoff(None if at is None else read_at(at))

    def _error_of_cutoff(self, at: At | None) -> PUValueError:
        return PUValueError(
            f"at must be one cutoff for {self.name!r}, but {brief(at)} was passed. Pass "
            "for example at=100 or at={'threshold': 0.5}."
        )

    def check_prevalence(self, prevalence: float | None) -> None:
        """Raise if another prevalence would change nothing."""
        if prevalence is not None and self.of_rates:
            raise PUValueError(
                f"prevalence changes nothing for {self.name!r}, a rate among positives or among "
                f"negatives, but {prevalence!r} was passed. Leave it out."
            )


AnyMetric: TypeAlias = str | MetricFunction | Metric
# From a metric, a ranking, betas, settings and the target to estimates.
Estimator: TypeAlias = Callable[[Metric, Ranking, FloatArray, Settings, str], Estimates]
# From a metric, a ranking and betas to an unbiased value, its smallest and largest possible value.
OfKnown: TypeAlias = Callable[[Metric, Ranking, FloatArray], tuple[FloatArray, ...]]


def _share(part: Array, whole: Array) -> FloatArray:
    """Return a ratio, NaN for a denominator of 0."""
    return part / np.where(whole == 0, np.nan, whole)


def curve_rates(
    curve: str, tp: Array, fp: Array, positives: Array, negatives: Array
) -> tuple[FloatArray, FloatArray]:
    """Return the x and y values of a curve at each cutoff."""
    recall = _share(tp, positives)
    if curve == "roc":
        return _share(fp, negatives), recall
    head = tp + fp
    precision = _share(tp, head)
    precision[head == 0] = 1.0
    return recall, precision


def _mcc(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return the Matthews correlation; in floats, as products of four counts overflow."""
    tp, fp, fn, tn = (np.asarray(count, np.float64) for count in (tp, fp, fn, tn))
    with np.errstate(invalid="ignore"):
        scale = ((tp + fp) * (tn + fn)) ** 0.5 * ((tp + fn) * (tn + fp)) ** 0.5
    return _share(tp * tn - fp * fn, scale)


def _kappa(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return Cohen's kappa; in floats, as products of counts overflow."""
    tp, fp, fn, tn = (np.asarray(count, np.float64) for count in (tp, fp, fn, tn))
    return _share(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def _net_benefit(threshold: float) -> MetricFunction:
    """Return net benefit at a threshold, the odds of which are the cost of a false positive."""
    cost = threshold / (1 - threshold)
    return lambda tp, fp, fn, tn: (tp - fp * cost) / (tp + fp + fn + tn)


def _auroc(
    metric: Metric, ranking: Ranking, betas: FloatArray, settings: Settings, target: str
) -> Estimates:
    if target == "examples":
        return estimate_auroc(ranking, betas, settings, metric.max_fpr)
    if metric.max_fpr is None or metric.max_fpr == 1:
        return areas_on_future_data.estimate_population_auroc(ranking, betas, settings)
    return areas_on_future_data.estimate_population_pauc(ranking, betas, settings, metric.max_fpr)


def _average_precision(
    _: Metric, ranking: Ranking, betas: FloatArray, settings: Settings, target: str
) -> Estimates:
    estimate = estimate_ap if target == "examples" else areas_on_future_data.estimate_population_ap
    return estimate(ranking, betas, settings)


def _ratio(part: str, whole: str) -> MetricFunction:

    def function(tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
        counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        each = ([counts[name] for name in names.split()] for names in (part, whole))
        return _share(*(reduce(add, terms) for terms in each))

    return function


def _at_cutoff(name: str, function: MetricFunction, label: str = "", **more: Any) -> Metric:
    example = f"df.pu.metric({name!r}, 0.3, at=100)"
    label = label or _as_words(name)
    usual: dict[str, Any] = {"purposes": _AT_CUTOFF, "example": example}
    return Metric(name, label, function=function, **(usual | more))


def _of_ranking(name: str, label: str, estimator: Estimator, **more: Any) -> Metric:
    beta = ", 0.3" if more.get("takes_beta", True) else ""
    example = f"df.pu.metric({name!r}{beta})"
    usual: dict[str, Any] = {"question": name, "needs_cutoff": False, "example": example}
    return Metric(name, label, estimator=estimator, **(usual | more))


def _as_words(name: str) -> str:
    """Return a name as words; an F measure with its capital."""
    is_f_measure = name[:1] == "f" and name[1:].replace(".", "").isdigit()
    return name.capitalize() if is_f_measure else name.replace("_", " ")


_TP_FN, _ALL = "tp fn", "tp fp fn tn"
_RATE: Mapping[str, Any] = {"of_rates": True}
_ERROR: Mapping[str, Any] = {"less_is_better": True}
_WITHOUT_BETA: Mapping[str, Any] = {
    "purposes": (*_AT_CUTOFF, "retrieval", "without_beta"),
    "of_rates": True,
}
_RETRIEVAL: Mapping[str, Any] = {"purposes": (*_AT_CUTOFF, "retrieval")}  # no true negative counts
_ENTRIES = (
    _of_ranking(
        *("auroc", "AUROC", _auroc),
        purposes=(*_AREA, "test"),
        example="df.pu.auroc(0.3); of tables, ds.pu.area('auroc')",
        curve="roc",
    ),
    _of_ranking(
        *("average_precision", "average precision", _average_precision),
        purposes=(*_AREA, "retrieval"),
        example="df.pu.average_precision(0.3); of tables, ds.pu.area('average_precision')",
        curve="pr",
    ),
    _of_ranking(
        *("bedroc", "BEDROC", early_recognition.estimate_early_recognition),
        purposes=("against_beta", "average", "compare", "forest", "metric"),
        of_known=early_recognition.early_recognition_of_known,
        alpha=20.0,
    ),
    _of_ranking(
        *("ndcg", "NDCG", early_recognition.estimate_early_recognition),
        purposes=_OF_LISTS,
        example="df.pu.metric('ndcg', 0.3, at=10)",
        question="early",
        of_known=early_recognition.early_recognition_of_known,
        needs_cutoff=True,
    ),
    _of_ranking(
        *("reciprocal_rank", "reciprocal rank", retrieval.estimate_reciprocal_rank),
        purposes=_OF_LISTS,
        question="at a cutoff",
        of_known=retrieval.reciprocal_rank_of_known,
        own_cutoff=Cutoff("first"),
        any_cutoff=True,
    ),
    _of_ranking(
        *("bpref", "bpref", retrieval.estimate_bpref),
        purposes=("average", "forest", "metric", "no interval", "retrieval", "without_beta"),
        of_known=retrieval.bpref_of_known,
        takes_beta=False,
    ),
    _of_ranking(
        *("boyce", "continuous Boyce index"),
        estimator=lambda _, ranking, *__: estimate_boyce(ranking),
        purposes=("metric", "no interval", "without_beta"),
        takes_beta=False,
        low=-1.0,
    ),
    _at_cutoff("accuracy", _ratio("tp tn", _ALL)),
    _at_cutoff(
        "balanced_accuracy",
        lambda tp, fp, fn, tn: (_share(tp, tp + fn) + _share(tn, fp + tn)) / 2,
        **_RATE,
    ),
    _at_cutoff("f1", _ratio("tp tp", "tp tp fp fn"), **_RETRIEVAL),
    _at_cutoff(
        *("fdr", _ratio("fp", "tp fp"), "false discovery rate"),
        **{"of_head": True, **_RETRIEVAL, **_ERROR},
    ),
    _at_cutoff("fnr", _ratio("fn", _TP_FN), "false negative rate", **_WITHOUT_BETA, **_ERROR),
    _at_cutoff("for", _ratio("fn", "fn tn"), "false omission rate", **_ERROR),
    _at_cutoff("fpr", _ratio("fp", "fp tn"), "false positive rate", **_RATE, **_ERROR),
    _at_cutoff(
        "informedness",
        lambda tp, fp, fn, tn: _share(tp, tp + fn) - _share(fp, fp + tn),
        low=-1.0,
        **_RATE,
    ),
    # It is not linear in the true positives, so its average would be biased.
    _at_cutoff(
        *("jaccard", _ratio("tp", "tp fp fn"), "Jaccard index"),
        purposes=tuple(name for name in _AT_CUTOFF if name != "average"),
    ),
    _at_cutoff("kappa", _kappa, "Cohen's kappa", low=-1.0),
    # Fractions are rounded up, as in enrichment factors.
    _at_cutoff(
        "lift",
        lambda tp, fp, fn, tn: _share(_share(tp, tp + fp), _share(tp + fn, tp + fp + fn + tn)),
        rounds_up=True,
        high=inf,
        of_head=True,
    ),
    _at_cutoff("mcc", _mcc, "Matthews correlation", low=-1.0, peaks_between=True),
    _at_cutoff("npv", _ratio("tn", "tn fn"), "negative predictive value"),
    _at_cutoff("precision", _ratio("tp", "tp fp"), of_head=True, **_RETRIEVAL),
    _at_cutoff("recall", _ratio("tp", _TP_FN), **_WITHOUT_BETA),
    _at_cutoff(
        *("r_precision", _ratio("tp", _TP_FN), "R-precision"),
        purposes=_OF_LISTS,
        example="df.pu.metric('r_precision', 0.3)",
        needs_cutoff=False,
        own_cutoff=Cutoff("positives"),
    ),
    _at_cutoff("tnr", _ratio("tn", "fp tn"), "true negative rate", **_RATE),
    Metric(
        *("net_benefit", "net benefit"),
        purposes=("against_beta", "average", "compare", "forest", "gap", "metric"),
        example="df.pu.metric('net_benefit', 0.3, at={'threshold': 0.2})",
        function_at=_net_benefit,
        low=-inf,
        of_probabilities=True,
    ),
    Metric(
        *("difference", "difference in AUROC"),
        purposes=("robustness", "pairs"),
        example="df.pu(score=['svm', 'forest']).compare('auroc', 0.3)",
        needs_cutoff=False,
        chance=0.0,
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ENTRIES}


def _entry(name: str) -> Metric:
    return METRICS[name]


_AT_RANK = re.compile(r"(\w+?)(?:@|_at_)(\d+|k)")  # as in precision@10


def _metric_of_function(function: MetricFunction, name: str = "") -> Metric:
    name = name or str(getattr(function, "__name__", type(function).__name__))
    example = f"df.pu.metric({name}, 0.3, at=100)"
    return _at_cutoff(name, function, example=example, low=-inf, high=inf, is_function=True)


def fbeta(weight: float) -> Metric:
    """Return the F measure that weights recall `weight` times as much as precision.

    Parameters
    ----------
    weight : float
        Above 0: 2 for F2, 0.5 for F0.5; 1 gives "f1". It is not the `beta` of other methods.

    Returns
    -------
    Metric
        (1 + weight**2)*tp / ((1 + weight**2)*tp + weight**2*fn + fp), for all methods that take a
        metric at a cutoff, named "f2" in results. Called with arrays tp, fp, fn and tn it returns
        an array.

    Raises
    ------
    PUTypeError
        If `weight` is not a number.
    PUValueError
        If it is not above 0, or infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> f2 = df.pu.metric(pu_accessor.fbeta(2), 0.25, at=6)
    >>> f2[["metric", "rank", "estimate", "lower", "upper"]].round(3)
      metric  rank  estimate  lower  upper
    0     f2     6     0.714    0.5  0.833
    """
    if not is_number(weight):
        raise PUTypeError(f"weight must be a number, but {weight!r} was passed: fbeta(2) for F2.")
    square = float(weight) * float(weight)
    if not (weight > 0 and 0 < square < inf):
        raise PUValueError(
            f"weight must be above 0 and finite, but {weight!r} was passed. For only precision or "
            "recall write df.pu.metric('recall', 0.3, at=100)."
        )
    metric = _metric_of_function(partial(_f_measure, square), f"f{float(weight):g}")
    return replace(metric, purposes=(*metric.purposes, "retrieval"))


def _f_measure(square: float, tp: Array, fp: Array, fn: Array, tn: Array) -> FloatArray:
    """Return an F measure by the square of its weight."""
    return _share((1 + square) * tp, (1 + square) * tp + square * fn + fp)


def bedroc(alpha: float = 20.0) -> Metric:
    """Return BEDROC, a metric of early recognition, with another `alpha`.

    Parameters
    ----------
    alpha : float, default 20
        Ranks have the weights exp(-alpha*rank/N): at 20 the top 8% make up 80% of the score, at
        80.5 the top 2%.

    Returns
    -------
    Metric
        For all methods that take a metric of a whole ranking, named "bedroc" in results.

    Raises
    ------
    PUTypeError
        If `alpha` is not a number.
    PUValueError
        If it is too small or too large to differ from AUROC, or from the very top.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.bedroc(80.5).alpha
    80.5
    """
    return replace(METRICS["bedroc"], alpha=early_recognition.check_alpha(alpha))


def metrics_for(purpose: str) -> list[str]:
    """Return the metrics that can be used for a purpose, sorted."""
    return sorted(name for name, metric in METRICS.items() if purpose in metric.purposes)


def read_metric(metric: AnyMetric, at: At | None, purpose: str) -> Metric:
    """Return the entry of a metric; raise unless it, its cutoff and the purpose go together."""
    entry = _entry_for(metric, purpose)
    if purpose not in _OF_TABLES:
        entry.read_cutoff(at)
    return entry


def read_metrics(metrics: AnyMetric | Sequence[AnyMetric], purpose: str) -> list[Metric]:
    """Return the entries of one metric or a list, whose cutoffs are read separately."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if not isinstance(metrics, Sequence):
        raise PUTypeError(
            f"metric must be a name, a function, or a list of these, but {brief(metrics)} "
            "was passed. For example ['precision', 'recall']."
        )
    entries = [_entry_for(metric, purpose) for metric in metrics]
    names = [entry.name for entry in entries]
    if not names or len({*names}) < len(names):
        raise PUValueError(
            f"metric must name at least one, and each once, but {names} was passed. Functions "
            "must have different names."
        )
    return entries


def _entry_for(metric: AnyMetric, purpose: str) -> Metric:
    """Return the entry of a metric that can be used for a purpose, or raise."""
    allowed, name = metrics_for(purpose), metric
    if isinstance(metric, Metric):
        if purpose in metric.purposes:
            return metric
        name = metric.name
    elif callable(metric):
        if purpose in _AT_CUTOFF:
            return _metric_of_function(metric)
        name = _metric_of_function(metric).name
    elif isinstance(metric, str):
        name = READ.get(metric.lower(), metric.lower())
        if name in allowed:
            return METRICS[name]
        name = name if name in METRICS else metric
    if isinstance(name, str) and (match := _AT_RANK.fullmatch(name.lower())):
        base_name = {"p": "precision", "r": "recall"}.get(match[1], match[1])
        base_name = READ.get(base_name, base_name)
        if "tables" in METRICS.get(base_name, METRICS["auroc"]).purposes:
            line = f"df.pu.metric({base_name!r}, 0.3, at={match[2] if match[2] != 'k' else 100})"
            raise PUValueError(f"metric must be a name, but {name!r} was passed. Write {line}.")
    functions = ", or a function of tp, fp, fn and tn" if purpose in _AT_CUTOFF else ""
    which = ("" if len(allowed) == 1 else "one of ") + shorten(allowed, most=30, width=120)
    others = {other: METRICS[other].example for other in METRICS if other not in allowed}
    raise PUValueError(
        f"metric must be {which}{functions} {PURPOSES[purpose]}, but "
        f"{brief(name)} was passed.{suggest(name, allowed, others)}"
    )


def describe_cutoff(cutoff: Cutoff | None) -> str:
    """Return a cutoff in words, for the label of an axis."""
    if cutoff is None:
        return ""
    words = {
        "youden": " where informedness is highest",
        "maximum": ", at its maximum",
        "fraction": f" among the top {100 * cutoff.value:g}%",
        "rank": f" among the top {np.nan_to_num(cutoff.value):,.0f}",
    }
    return words.get(cutoff.kind, f" at {cutoff.kind} {cutoff.value:g}")


def axis_label(name: str) -> str:
    """Return the axis label of a metric or of a user's function."""
    return METRICS[name].label if name in METRICS else _as_words(name)

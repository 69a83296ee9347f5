"""Define the metrics: names, cutoffs, purposes, and the formula or estimator of each.

A metric at a cutoff is a formula of contingency tables; one of a whole ranking has an estimator.
Only `read_metric` and `read_metrics` read names of metrics.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isinf
from textwrap import fill
from typing import Any

import numpy as np

from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten
from pu_accessor.inference import areas_on_future_data, areas_on_this_sample, retrieval
from pu_accessor.inference.calibration import estimate_boyce
from pu_accessor.inference.cutoff_spec import Cutoff
from pu_accessor.inference.metric_entry import (
    PURPOSES,
    AnyMetric,
    Estimator,
    Estimators,
    Metric,
    MetricFunction,
)
from pu_accessor.ranking import FloatArray
from pu_accessor.words import READ, suggest


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


def _by_target(examples: Estimator, population: Estimator | None = None) -> Estimators:
    return {"examples": examples, "population": population or examples}


_EARLY: Mapping[str, Any] = {
    "estimator": _by_target(retrieval.estimate_on_sample, retrieval.estimate_on_future),
    "of_known": retrieval.early_recognition_of_known,
}
# Sources of several.
_RATES = "D. G. Altman, J. M. Bland, BMJ 308 (1994) 1552"
_VALUES = "D. G. Altman, J. M. Bland, BMJ 309 (1994) 102"
_TREC = "C. Buckley, E. M. Voorhees, SIGIR (2000) 33-40"
_DELONG = "E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845"
_ENTRIES = (
    Metric(
        *("auroc", "AUROC"),
        "share of the pairs of a positive and a negative in order of their scores, ties by half",
        "J. A. Hanley, B. J. McNeil, Radiology 143 (1982) 29-36",
        estimator=_by_target(
            areas_on_this_sample.estimate_auroc, areas_on_future_data.estimate_auroc
        ),
        of_known=areas_on_future_data.auroc_of_known,
        cutoff=None,
        curve="roc",
    ),
    Metric(
        *("average_precision", "average precision"),
        "mean over the positives of the precision at their cutoff",
        _TREC,
        estimator=_by_target(areas_on_this_sample.estimate_ap, areas_on_future_data.estimate_ap),
        of_known=areas_on_future_data.ap_of_known,
        cutoff=None,
        curve="pr",
    ),
    Metric(
        *("bedroc", "BEDROC"),
        "mean over the positives of exp(-alpha*rank/N), scaled: 1 if all are at the top, 0 if at "
        "the bottom",
        "J.-F. Truchon, C. I. Bayly, J. Chem. Inf. Model. 47 (2007) 488-508",
        **_EARLY,
        cutoff=None,
        alpha=20.0,
    ),
    Metric(
        *("ndcg", "NDCG"),
        "sum over the positives of the first k of 1/log2(1 + rank), divided by its maximum",
        "K. Järvelin, J. Kekäläinen, ACM Trans. Inf. Syst. 20 (2002) 422-446",
        **_EARLY,
        cutoff="rank",
    ),
    Metric(
        *("reciprocal_rank", "reciprocal rank"),
        "1/rank of the first positive",
        "E. M. Voorhees, TREC-8 (1999) 77-82",
        estimator=_by_target(retrieval.estimate_reciprocal_rank),
        of_known=retrieval.reciprocal_rank_of_known,
        cutoff=Cutoff("first"),
    ),
    Metric(
        *("bpref", "bpref"),
        "mean over the n known positives of 1 - min(m, n)/min(M, n), with m of the M known "
        "negatives above",
        "C. Buckley, E. M. Voorhees, SIGIR (2004) 25-32",
        estimator=_by_target(retrieval.estimate_bpref),
        of_known=retrieval.bpref_of_known,
        cutoff=None,
        takes_beta=False,
    ),
    Metric(
        *("boyce", "continuous Boyce index"),
        "rank correlation of windows of the score with the density of known positives in them, "
        "relative to the rest",
        "A. H. Hirzel et al., Ecol. Modell. 199 (2006) 142-152",
        estimator=_by_target(estimate_boyce),
        cutoff=None,
        takes_beta=False,
        low=-1.0,
    ),
    Metric(
        *("accuracy", "accuracy", "(tp + tn)/(tp + fp + fn + tn)"),
        "T. Fawcett, Pattern Recognit. Lett. 27 (2006) 861-874",
    ),
    Metric(
        *("balanced_accuracy", "balanced accuracy", "(tp/(tp + fn) + tn/(fp + tn))/2"),
        "K. H. Brodersen et al., ICPR (2010) 3121-3124",
    ),
    Metric(
        "f1", "F1", "2*tp/(2*tp + fp + fn)", "C. J. van Rijsbergen, Information Retrieval (1979)"
    ),
    Metric("fdr", "false discovery rate", "fp/(tp + fp)", _VALUES),
    Metric("fnr", "false negative rate", "fn/(tp + fn)", _RATES),
    Metric("for", "false omission rate", "fn/(fn + tn)", _VALUES),
    Metric("fpr", "false positive rate", "fp/(fp + tn)", _RATES),
    Metric(
        *("informedness", "informedness", "tp/(tp + fn) - fp/(fp + tn)"),
        "W. J. Youden, Cancer 3 (1950) 32-35",
        low=-1.0,
    ),
    Metric(
        *("jaccard", "Jaccard index", "tp/(tp + fp + fn)"),
        "P. Jaccard, Bull. Soc. Vaud. Sci. Nat. 37 (1901) 547-579",
    ),
    Metric(
        *("kappa", "Cohen's kappa"),
        "2*(tp*tn - fp*fn)/((tp + fp)*(fp + tn) + (tp + fn)*(fn + tn))",
        "J. Cohen, Educ. Psychol. Meas. 20 (1960) 37-46",
        low=-1.0,
    ),
    Metric(
        *("lift", "lift", "(tp/(tp + fp))/((tp + fn)/(tp + fp + fn + tn))"),
        "G. Piatetsky-Shapiro, B. Masand, KDD (1999) 185-193",
        high=inf,
    ),
    Metric(
        *("mcc", "Matthews correlation"),
        "(tp*tn - fp*fn)/(sqrt((tp + fp)*(tn + fn))*sqrt((tp + fn)*(tn + fp)))",
        "B. W. Matthews, Biochim. Biophys. Acta 405 (1975) 442-451",
        turns=_mcc_turns,
        low=-1.0,
    ),
    Metric("npv", "negative predictive value", "tn/(tn + fn)", _VALUES),
    Metric("precision", "precision", "tp/(tp + fp)", _VALUES),
    Metric("recall", "recall", "tp/(tp + fn)", _RATES),
    Metric("r_precision", "R-precision", "tp/(tp + fn)", _TREC, cutoff=Cutoff("positives")),
    Metric("tnr", "true negative rate", "tn/(fp + tn)", _RATES),
    Metric(
        *("net_benefit", "net benefit", "(tp - fp*{odds})/(tp + fp + fn + tn)"),
        "A. J. Vickers, E. B. Elkin, Med. Decis. Making 26 (2006) 565-574",
        cutoff="probability",
        low=-inf,
    ),
    Metric(
        *("difference", "difference in AUROC", "AUROC of one model less that of the other"),
        _DELONG,
        cutoff=None,
        low=-1.0,
    ),
)
METRICS: Mapping[str, Metric] = {metric.key: metric for metric in _ENTRIES}


# The cutoff of metrics that do not take any.
_OWN_CUTOFFS: Mapping[str | Cutoff | None, str] = {
    "probability": " at a threshold t",
    "rank": " at a rank k",
    Cutoff("positives"): " at the rank tp + fn",
}


def describe_metrics() -> str:
    """Return a list of the metrics of a ranking: synonyms, range, formula and source of each."""
    rows = ["Synonyms, range, formula and source of each metric:\n"]
    for key in metrics_for("metric"):
        one = METRICS[key]
        also = ", ".join(word for word, meaning in READ.items() if meaning == key)
        low, high = (f"{end:g}" for end in (one.low, one.high))
        span = f"{'(' if isinf(one.low) else '['}{low}, {high}{')' if isinf(one.high) else ']'}"
        formula = one.formula.format(odds="t/(1 - t)")
        formula = f"``{formula}``" if one.estimator is None else formula
        head = f"``{key}``{f' ({also})' * bool(also)}{_OWN_CUTOFFS.get(one.cutoff, '')}, in {span}"
        text = fill(
            f"{formula}. {one.source}.", 95, initial_indent="    ", subsequent_indent="    "
        )
        rows.append(f"{head}\n{text}")
    return "\n".join(rows)


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
    return Metric(name, name.replace("_", " "), function=function, low=-inf, high=inf)


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

"""A metric at the one cutoff that a person reports, with its interval."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, floor
from numbers import Real
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUTypeError, PUValueError, check_option
from pu_accessor.inference.bands import Band
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.inference.envelopes import ENVELOPE
from pu_accessor.inference.groups import ask_rows
from pu_accessor.inference.heads import REFERENCES
from pu_accessor.inference.metrics import Metric, metric
from pu_accessor.inference.shares import Beta, Interval, as_betas
from pu_accessor.inference.tables import central_tables, contingency, own_attrs
from pu_accessor.ranking import FloatArray, IntArray, Ranking, Rankings

__all__ = ["At", "metric_at"]

# Cutoffs with their central tables and the values of a metric.
_Central: TypeAlias = tuple[Ranking, xr.Dataset, FloatArray]
_Estimated: TypeAlias = Callable[..., _Central]
At: TypeAlias = int | str | Mapping[str, float]

_BEST = {"youden": "informedness", "maximum": None}  # what a chosen cutoff maximises


def metric_at(
    rankings: Rankings,
    name: str | Metric,
    beta: GroupBeta,
    *,
    at: At,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    beta_interval: Interval | None = None,
    on_error: str = "raise",
    progress: bool = False,
) -> pd.DataFrame:
    """Evaluate a metric at one cutoff, with its interval.

    Parameters
    ----------
    rankings : Rankings
        At the breakpoints, or at all cutoffs, which a function of yours may need to find its
        maximum.
    name : str or callable
        As in `pu_accessor.inference.metrics.metric`.
    beta : float, array-like of float, or mapping, Series or DataArray of float by key
        Fraction of positives among the unlabeled, in [0, 1].
    at : int, mapping of str to float, or {"youden", "maximum"}
        The cutoff: a rank; ``{"rank": 100}``, ``{"threshold": 0.5}``, ``{"fraction": 0.1}``;
        ``{"fpr": 0.05}``, the last one whose estimated false positive rate is at most that;
        ``{"recall": 0.9}``, the first one whose estimated recall is at least that; "youden",
        where the estimated informedness is highest, or "maximum", where that of the metric is.
    level : float, default 0.95
        Probability of coverage, in (0, 1).
    band : {"exact", "simultaneous", "bootstrap", "dkw"} or callable, default "exact"
        Where the interval comes from. A cutoff that is chosen by a maximum looks better than it
        is: for it "exact" becomes "simultaneous", which holds at all cutoffs jointly.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from.
    beta_interval : (float, float), optional
        Where beta may lie: adds what the bounds get at this cutoff while it varies.
    on_error, progress
        As in `pu_accessor.inference.groups.ask`.

    Returns
    -------
    DataFrame
        A row for each group and beta: the key, beta, metric, rank, threshold, estimate, lower,
        upper, level, band; with an interval of beta also envelope_lower, envelope_upper. A
        RangeIndex. Lower is the smaller number, also of an error rate.

    Raises
    ------
    PUDataError
        If nothing is known to be positive.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed, or `at` lies outside the curve.

    Examples
    --------
    >>> from pu_accessor.sources.frames import rank_arrays
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> rankings = rank_arrays(range(12, 0, -1), label)
    >>> columns = ["metric", "rank", "threshold", "estimate", "lower", "upper", "band"]
    >>> metric_at(rankings, "precision", 0.25, at=4)[columns].round(3)
          metric  rank  threshold  estimate  lower  upper   band
    0  precision     4        9.0      0.75    0.5    1.0  exact
    >>> metric_at(rankings, "precision", 0.25, at="youden")[columns].round(3)
          metric  rank  threshold  estimate  lower  upper          band
    0  precision     6        7.0     0.833    0.5  0.833  simultaneous
    """
    target, value = _read(at)
    chosen = "simultaneous" if target in _BEST and band == "exact" else band

    check_option("reference", reference, REFERENCES)
    how: dict[str, Any] = {"level": level, "band": chosen, "reference": reference}

    def question(ranking: Ranking, beta: Beta) -> pd.DataFrame:
        if ranking.weight is not None and target in _BEST:
            raise PUValueError(
                f"at must be no maximum with propensity=..., but {at!r} was passed: no band holds "
                "at all cutoffs jointly there. Pass a rank, or {'recall': 0.9}."
            )
        rows = []
        for share in as_betas(beta).tolist():
            estimated = partial(_estimate, beta=share, how=how)
            if target in _BEST:
                here = _best(ranking, partial(estimated, best=_BEST[target] or name))
            else:
                here = _FINDERS[target](ranking, estimated, value)
            tables = contingency(here, share, beta_interval=beta_interval, **how)
            values = metric(tables, name)
            place = {"rank": here.rank[0], "threshold": here.threshold[0]}
            about = {"level": level, "band": tables.attrs["band"]}
            first = {"beta": share, "metric": values.name, **place}
            rows.append({**first, **_interval(values), **about})
        found = pd.DataFrame(rows)
        found.attrs.update(own_attrs(ranking, level))
        return found

    return ask_rows(rankings, beta, question, on_error=on_error, progress=progress)


def _interval(values: xr.DataArray) -> dict[str, float]:
    """Return the estimate of a metric at one cutoff and its limits, the smaller first."""
    found = dict(zip(values["bound"].to_numpy(), values.to_numpy()[0, :, 0].tolist(), strict=True))
    limits = {"estimate": found["estimate"]}
    for low, high in (("lower", "upper"), ENVELOPE):
        if low in found:
            ends = found[low], found[high]
            limits |= {low: min(ends), high: max(ends)}
    return limits


def _read(at: At) -> tuple[str, float]:
    """Return what the cutoff is given by, and its value."""
    if isinstance(at, str):
        check_option("at", at, _BEST, {"best": "maximum", "max": "maximum", "j": "youden"})
        return at, float("nan")
    if isinstance(at, int | np.integer) and not isinstance(at, bool):
        return "rank", int(at)
    if not isinstance(at, Mapping) or len(at) != 1:
        raise PUTypeError(
            f"at must be a rank, one of {sorted(_BEST)}, or a mapping of one of "
            f"{sorted(_FINDERS)} to a number, but {at!r} was passed. For example at=100 or "
            "at={'fpr': 0.05}."
        )
    ((target, value),) = at.items()
    check_option("at", target, _FINDERS, {"tpr": "recall", "k": "rank", "score": "threshold"})
    if isinstance(value, bool) or not isinstance(value, Real):
        raise PUTypeError(f"at must map {target!r} to a number, but {value!r} was passed.")
    return target, value


def _estimate(
    ranking: Ranking, beta: float, how: Mapping[str, Any], best: str | Metric
) -> _Central:
    """Return the cutoffs at which curves bend, with their central tables and a metric of these."""
    finer, counts = central_tables(ranking, beta, **how)
    tables = xr.Dataset({key: ("rank", count) for key, count in counts.items()})
    return finer, tables, metric(tables, best).to_numpy()


def _pick(ranking: Ranking, position: int) -> Ranking:
    """Return a ranking of one of its cutoffs."""
    one = slice(position, position + 1)
    return replace(
        ranking,
        rank=ranking.rank[one],
        threshold=ranking.threshold[one],
        known_positive=ranking.known_positive[one],
        known_negative=ranking.known_negative[one],
        unlabeled=ranking.unlabeled[one],
        finder=None,
        whole=ranking,
    )


def _best(ranking: Ranking, estimated: Callable[[Ranking], _Central]) -> Ranking:
    """Find the cutoff at which a metric is highest: one at which curves bend, or the first."""
    first = np.array([1] if ranking.total.unlabeled else [], np.int64)
    finer, _, values = estimated(ranking.refine(first))
    if np.isnan(values).all():
        raise PUValueError("at needs a cutoff at which the metric has a value, but there is none.")
    return _pick(finer, int(np.nanargmax(values)))


def _at_rank(ranking: Ranking, estimated: _Estimated, value: float) -> Ranking:
    """Find the last cutoff at or before a rank."""
    examples = sum(ranking.total)
    if value != floor(value) or not 0 <= value <= examples:
        raise PUValueError(
            f"at must be a rank from 0 to {examples}, the number of examples, but {value!r} was "
            "passed. For a share of them, pass at={'fraction': 0.1}."
        )
    here = ranking.at(np.array([value], np.int64))
    return replace(here, rank=here.known_positive + here.known_negative + here.unlabeled)


def _at_threshold(ranking: Ranking, estimated: _Estimated, value: float) -> Ranking:
    """Find the cutoff that predicts positive all scores at or above a threshold."""
    if np.isnan(value):
        raise PUValueError("at must map 'threshold' to a number, but NaN was passed.")
    return _at_rank(ranking, estimated, ranking.above(value))


def _at_fraction(ranking: Ranking, estimated: _Estimated, value: float) -> Ranking:
    """Find the last cutoff at or before a share of the examples."""
    _check_share("fraction", value)
    return _at_rank(ranking, estimated, floor(Fraction(str(value)) * sum(ranking.total)))


def _at_fpr(ranking: Ranking, estimated: _Estimated, value: float) -> Ranking:
    """Find the last cutoff whose estimated false positive rate is at most a value."""
    _check_share("fpr", value)
    finer, tables, rates = estimated(ranking, best="fpr")
    last = int(np.flatnonzero(_reached(rates, "fpr") <= value)[-1])
    # Up to the next bend each further example is a false positive.
    fp = tables["fp"].to_numpy()
    negatives = int(tables["fp"][0] + tables["tn"][0])
    most = floor(value * negatives)
    most += ((most + 1) / negatives <= value) - (most / negatives > value)  # as floats compare
    room = most - fp[last]
    finer = finer.refine(_between(finer, last, finer.unlabeled[last] + room))
    _, _, rates = estimated(finer, best="fpr")
    return _pick(finer, int(np.flatnonzero(rates <= value)[-1]))


def _at_recall(ranking: Ranking, estimated: _Estimated, value: float) -> Ranking:
    """Find the first cutoff whose estimated recall is at least a value."""
    _check_share("recall", value)
    finer, tables, rates = estimated(ranking, best="tpr")
    first = int(np.flatnonzero(_reached(rates, "recall") >= value)[0])
    # Since the last bend each further example is a true positive, or none is.
    positives = int(tables["tp"][0] + tables["fn"][0])
    least = ceil(value * positives)
    least += (least / positives < value) - ((least - 1) / positives >= value)
    spare = tables["tp"].to_numpy()[first] - least
    finer = finer.refine(_between(finer, first - 1, finer.unlabeled[first] - spare))
    _, _, rates = estimated(finer, best="tpr")
    return _pick(finer, int(np.flatnonzero(rates >= value)[0]))


def _between(ranking: Ranking, position: int, unlabeled: int) -> IntArray:
    """Return a count of unlabeled examples if cutoffs between two others may have it."""
    here, following = max(position, 0), min(position + 1, ranking.rank.size - 1)
    alike = (
        ranking.known_positive[here] == ranking.known_positive[following]
        and ranking.known_negative[here] == ranking.known_negative[following]
    )
    inside = ranking.unlabeled[here] < unlabeled < ranking.unlabeled[following]
    return np.array([unlabeled] if alike and inside else [], np.int64)


def _reached(rates: FloatArray, target: str) -> FloatArray:
    """Raise where a rate has no denominator."""
    if np.isnan(rates).any():
        raise PUValueError(
            f"at={{{target!r}: ...}} needs negatives, but at this beta there are none. Pass a "
            "smaller beta, or a rank."
        )
    return rates


def _check_share(target: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise PUValueError(
            f"at must map {target!r} to a share in [0, 1], but {value!r} was passed."
        )


_FINDERS: Mapping[str, Callable[[Ranking, _Estimated, Any], Ranking]] = MappingProxyType(
    {
        "rank": _at_rank,
        "threshold": _at_threshold,
        "fraction": _at_fraction,
        "fpr": _at_fpr,
        "recall": _at_recall,
    }
)

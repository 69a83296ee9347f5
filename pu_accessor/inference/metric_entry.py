"""An entry of the table of metrics: its formula or estimator, its cutoff, what it depends on."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.errors import PUTypeError, PUValueError, brief, name_function
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.cutoff_spec import At, Cutoff, read_cutoffs
from pu_accessor.ranking import FloatArray, KnownBlocks, Ranks

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
_ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_TRIED = "np.array([[3], [1], [2], [4]])"  # tables on which a user can try a metric


@dataclass(frozen=True)
class Metric:
    """A metric: a formula of tables at a cutoff, or an estimator of a whole ranking."""

    key: str  # in METRICS
    label: str  # on axes
    # Of tables in tp, fp, fn and tn, where {odds} are those of the threshold; else in words.
    formula: str = ""
    source: str = ""  # where it is defined
    function: MetricFunction | None = None  # of a user, in place of a formula
    turns: Turns | None = None  # where a formula can peak between breakpoints
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
    asked: str = ""  # another name of it, by which it was asked for

    @property
    def name(self) -> str:
        """Its name in results: the one by which it was asked for."""
        return self.asked or self.key

    @property
    def is_function(self) -> bool:
        """Whether it is a function of a user."""
        return self.function is not None

    @property
    def takes_tables(self) -> bool:
        """Whether it can be evaluated on tables."""
        is_set = "{" not in self.formula
        return self.is_function or (self.estimator is None and self.cutoff is not None and is_set)

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
        word = repr(self.key) if self.source else self.key
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
        """What a formula of tables depends on: "recall", both "rates", "precision", or "all"."""
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
        """Whether a formula falls where more of the examples above a cutoff are positive."""
        better = self._values_on(_TP + 1, _FP - 1, _FN - 1, _TN + 1)
        return bool((better < self._values_on(_TP, _FP, _FN, _TN)).all())

    @cached_property
    def is_ratio(self) -> bool:
        """Whether a formula is a ratio of two that are linear in tp and the examples above."""
        # Between two breakpoints tp is linear in the examples above, and such a ratio is monotone.
        # At four places of equal distance it keeps their cross ratio.
        steps = [np.stack([_MORE_TP, _MORE_FP, -_MORE_TP, -_MORE_FP]) * i for i in range(4)]
        tables = np.stack([_TP, _FP, _FN + 30, _TN + 30])
        a, b, c, d = (self._values_on(*(tables + step)) for step in steps)
        return np.allclose(3 * (c - a) * (d - b), 4 * (c - b) * (d - a), rtol=1e-9, atol=1e-14)

    def _values_on(self, *tables: FloatArray) -> FloatArray:
        """Return the values of a formula; NaN of a function, of which nothing is known."""
        if self.is_function or not self.takes_tables:
            return np.full(_TP.size, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            counts = dict(zip(("tp", "fp", "fn", "tn"), tables, strict=True))
            return np.asarray(_evaluate(_parse(self.formula).body, counts))

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
        if not self.takes_tables:
            raise PUValueError(f"{self.name} is no function of one contingency table.")
        counts = tp, fp, fn, tn
        if self.function is None:  # products of whole counts overflow
            return self._values_on(*(np.asarray(count, np.float64) for count in counts))
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

    def at_cutoff(self, cutoff: Cutoff) -> Metric:
        """Return the metric with the parameters that a cutoff sets."""
        if self.of_known is not None and cutoff.kind == "rank":
            return replace(self, depth=int(cutoff.value))
        if self.cutoff != "probability":
            return self
        return replace(self, formula=self.formula.format(odds=cutoff.value / (1 - cutoff.value)))

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

    def label_at(self, at: At | None) -> str:
        """Return its label, with the cutoff in words."""
        if (cutoff := self.read_cutoff(at)) is None:
            return self.label
        words = {
            "youden": " where informedness is highest",
            "maximum": ", at its maximum",
            "fraction": f" among the top {100 * cutoff.value:g}%",
            "rank": f" among the top {cutoff.value:,.0f}",
        }
        return self.label + words.get(cutoff.kind, f" at {cutoff.kind} {cutoff.value:g}")

    def check_prevalence(self, prevalence: float | None) -> None:
        """Raise if another prevalence would change nothing."""
        if prevalence is not None and self.depends_on in ("recall", "rates"):
            raise PUValueError(
                f"prevalence changes nothing for {self.name!r}, a rate among positives or among "
                f"negatives, but {prevalence!r} was passed. Leave it out."
            )


_parse = lru_cache(partial(ast.parse, mode="eval"))


def _evaluate(node: ast.AST, counts: Mapping[str, Array]) -> Any:
    """Return the value of a formula, or of a part of it: arithmetic of counts, and sqrt."""
    match node:
        case ast.BinOp(left, sign, right):
            return _ARITHMETIC[type(sign)](_evaluate(left, counts), _evaluate(right, counts))
        case ast.Call(_, [argument]):
            return np.sqrt(_evaluate(argument, counts))
        case ast.Name(name):
            return counts[name]
    return ast.literal_eval(node)


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

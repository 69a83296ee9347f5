"""How scores are drawn: shapes of positives and negatives, pairs of models, and what is true."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

Rng: TypeAlias = np.random.Generator
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Draw: TypeAlias = Callable[[Rng, int], Floats]

FINE = 500_000  # scores of each kind that true values are computed from


class Shape(NamedTuple):
    """How scores of positives and of negatives are drawn."""

    positive: Draw
    negative: Draw


def normal(mean: float = 0, sd: float = 1, step: float = 0) -> Draw:
    """Return normal scores, rounded to multiples of a step."""

    def draw(rng: Rng, size: int) -> Floats:
        score = rng.normal(mean, sd, size)
        return np.round(score / step) * step if step else score

    return draw


def of(kind: str, *of_it: float) -> Draw:
    """Return scores of a distribution of numpy."""
    return lambda r, s: getattr(r, kind)(*of_it, size=s) + 0.0


def mixed(share: float, one: Draw, other: Draw) -> Draw:
    """Return a mixture of two."""
    return lambda r, s: np.where(r.random(s) < share, one(r, s), other(r, s))


@cache
def cancer() -> tuple[Floats, Floats]:
    """Return scores of a logistic regression by cross-validation, of both classes."""
    features, target = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    score = cross_val_predict(model, features, target == 0, method="decision_function")
    return score[target == 0], score[target != 0]


# Shapes of the first block were looked at while intervals of areas were chosen.
CHOSEN: Mapping[str, Shape] = {
    "normal .60": Shape(normal(0.36), normal()),
    "normal .76": Shape(normal(1), normal()),
    "normal .96": Shape(normal(2.5), normal()),
    "wide positives": Shape(normal(1.2, 2), normal()),
    "worse than chance": Shape(normal(-0.8), normal()),
    "exponential": Shape(of("exponential", 4), of("exponential")),
    "13 scores": Shape(normal(1.2, step=0.5), normal(step=0.5)),
    "10% hard negatives": Shape(normal(2), mixed(0.1, normal(2.5, 0.5), normal(-1))),
    "10% hidden positives": Shape(mixed(0.1, normal(), normal(2.5)), normal()),
}
FRESH: Mapping[str, Shape] = {
    "log-normal": Shape(of("lognormal", 1.2, 1), of("lognormal", 0, 1.5)),
    "beta, skewed": Shape(of("beta", 4, 1), of("beta", 1, 2)),
    "gamma, skewed down": Shape(lambda r, s: 2 - r.gamma(0.5, 1, s), normal()),
    "Student, 2 df": Shape(lambda r, s: 2 + r.standard_t(2, s), of("standard_t", 2)),
    "5 scores": Shape(of("binomial", 4, 0.75), of("binomial", 4, 0.35)),
    "101 scores": Shape(
        lambda r, s: np.round(r.beta(3, 1, s), 2), lambda r, s: np.round(r.beta(1, 6, s), 2)
    ),
    "3% hard negatives": Shape(normal(2), mixed(0.03, normal(4, 0.3), normal())),
    "20% hidden positives": Shape(mixed(0.2, normal(), normal(3)), normal()),
    "normal .999": Shape(normal(4.37), normal()),
    "cancer, logistic regression": Shape(
        lambda r, s: r.choice(cancer()[0], s), lambda r, s: r.choice(cancer()[1], s)
    ),
}
SHAPES = {**CHOSEN, **FRESH}


# ---------------------------------------------------------------------------------------------
# What is true of new rows


@cache
def pools(name: str) -> tuple[Floats, Floats]:
    """Return many scores of positives and of negatives, ascending."""
    rng = np.random.default_rng([7, *name.encode()])
    positive, negative = (np.sort(draw(rng, FINE)) for draw in SHAPES[name])
    return positive, negative


def rates(name: str, threshold: Any) -> tuple[Any, Any]:
    """Return the true and the false positive rate at thresholds."""
    true, false = (1 - np.searchsorted(kind, threshold) / FINE for kind in pools(name))
    return true, false


def rates_in_top(name: str, prevalence: float, fraction: float) -> tuple[float, float]:
    """Return both rates in the top fraction of new rows, ties in any order."""
    threshold = np.unique(np.concatenate([pool[::50] for pool in pools(name)]))[::-1]
    both = np.array(rates(name, np.append(np.inf, threshold)))
    size = prevalence * both[0] + (1 - prevalence) * both[1]
    true, false = (float(np.interp(fraction, size, rate)) for rate in both)
    return true, false


@cache
def threshold_at(name: str, recall: float) -> float:
    """Return the threshold with a recall."""
    return float(np.quantile(pools(name)[0], 1 - recall))


@cache
def true_auroc(name: str, shift: float = 0) -> float:
    """Return AUROC if positives score higher by a shift."""
    positive, negative = pools(name)
    sides = [np.searchsorted(negative, positive + shift, side) for side in ("left", "right")]
    return float(np.mean(sides)) / FINE


def true_precision(name: str, prevalence: float, threshold: Any) -> Any:
    """Return precision at thresholds."""
    true, false = rates(name, threshold)
    return prevalence * true / (prevalence * true + (1 - prevalence) * false)


def true_average_precision(name: str, prevalence: float) -> float:
    """Return average precision: the mean of precision at positives."""
    return float(np.mean(true_precision(name, prevalence, pools(name)[0][50::100])))


# ---------------------------------------------------------------------------------------------
# Two models that are equally good: from the truth to scores of both


Pair: TypeAlias = Callable[[Rng, Bools], Floats]


def _noise(rng: Rng, size: int) -> Floats:
    joint, own = rng.normal(size=size), rng.normal(size=(2, size))
    noise: Floats = 0.6**0.5 * joint + 0.4**0.5 * own
    return noise


def twins(rng: Rng, truth: Bools) -> Floats:
    """Normal scores of AUROC .76."""
    return _noise(rng, truth.size) + truth


def wide_and_narrow(rng: Rng, truth: Bools) -> Floats:
    """Curves of the same area that cross."""
    area = float(special.ndtri(0.8)) * np.array([[5.0], [1.25]]) ** 0.5
    scores: Floats = _noise(rng, truth.size) * np.where(truth, [[2.0], [0.5]], 1.0) + truth * area
    return scores


def others_hidden(rng: Rng, truth: Bools) -> Floats:
    """Each model takes another tenth of the positives for negatives."""
    return _noise(rng, truth.size) + 2 * (truth & (rng.random((2, truth.size)) > 0.1))


def hard_for_both(rng: Rng, truth: Bools) -> Floats:
    """A twentieth of the negatives is above most positives, by both models."""
    hard = ~truth & (rng.random(truth.size) < 0.05)
    scores: Floats = _noise(rng, truth.size) + 1.5 * truth + 3.5 * hard
    return scores


def few_differ(rng: Rng, truth: Bools) -> Floats:
    """Models that differ in a tenth of the rows."""
    scores, others = (np.tile(rng.normal(size=truth.size), (2, 1)) + truth for _ in range(2))
    some = rng.random(truth.size) < 0.1
    scores[1, some] = others[1, some]
    return scores


ALIKE: Mapping[str, Pair] = {
    "twins": twins,
    "other positives hidden": others_hidden,
    "5% hard negatives": hard_for_both,
    "a tenth of the rows differs": few_differ,
}
PAIRS: Mapping[str, Pair] = {**ALIKE, "wide against narrow": wide_and_narrow}

"""How scores are drawn: shapes of positives and negatives, pairs of models, and what is true."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

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


def mixed(share: float, one: Draw, other: Draw) -> Draw:
    """Return a mixture of two."""
    return lambda r, s: np.where(r.random(s) < share, one(r, s), other(r, s))


def real(data: str, kind: int) -> Shape:
    """Return scores of a logistic regression, drawn out of those of cross-validation."""

    @cache
    def pools() -> tuple[Floats, Floats]:
        from sklearn import datasets
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import cross_val_predict
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        features, target = getattr(datasets, data)(return_X_y=True)
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
        score = cross_val_predict(model, features, target == kind, method="decision_function")
        return score[target == kind], score[target != kind]

    return Shape(
        lambda r, s: r.choice(pools()[0], s) + 0.0, lambda r, s: r.choice(pools()[1], s) + 0.0
    )


# Shapes of the first block were looked at while intervals of areas were chosen.
CHOSEN: Mapping[str, Shape] = {
    "normal .60": Shape(normal(0.36), normal()),
    "normal .76": Shape(normal(1), normal()),
    "normal .96": Shape(normal(2.5), normal()),
    "normal .99": Shape(normal(3.3), normal()),
    "wide positives": Shape(normal(1.2, 2), normal()),
    "narrow positives": Shape(normal(1.2, 0.5), normal()),
    "worse than chance": Shape(normal(-0.8), normal()),
    "exponential": Shape(
        lambda r, s: 4 * r.exponential(size=s), lambda r, s: r.exponential(size=s)
    ),
    "13 scores": Shape(normal(1.2, step=0.5), normal(step=0.5)),
    "10% hard negatives": Shape(normal(2), mixed(0.1, normal(2.5, 0.5), normal(-1))),
    "10% hidden positives": Shape(mixed(0.1, normal(), normal(2.5)), normal()),
}
FRESH: Mapping[str, Shape] = {
    "log-normal": Shape(lambda r, s: r.lognormal(1.2, 1, s), lambda r, s: r.lognormal(0, 1.5, s)),
    "beta, skewed": Shape(lambda r, s: r.beta(4, 1, s), lambda r, s: r.beta(1, 2, s)),
    "gamma, skewed down": Shape(lambda r, s: 2 - r.gamma(0.5, 1, s), normal()),
    "Student, 2 df": Shape(lambda r, s: 2 + r.standard_t(2, s), lambda r, s: r.standard_t(2, s)),
    "5 scores": Shape(
        lambda r, s: r.binomial(4, 0.75, s) + 0.0, lambda r, s: r.binomial(4, 0.35, s) + 0.0
    ),
    "101 scores": Shape(
        lambda r, s: np.round(r.beta(3, 1, s), 2), lambda r, s: np.round(r.beta(1, 6, s), 2)
    ),
    "3% hard negatives": Shape(normal(2), mixed(0.03, normal(4, 0.3), normal())),
    "20% hidden positives": Shape(mixed(0.2, normal(), normal(3)), normal()),
    "two kinds of positives": Shape(mixed(0.4, normal(3, 0.5), normal(0.5, 0.5)), normal()),
    "normal .999": Shape(normal(4.37), normal()),
    "cancer, logistic regression": real("load_breast_cancer", 0),
    "digits, logistic regression": real("load_digits", 8),
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


@cache
def threshold_at(name: str, recall: float) -> float:
    """Return the threshold with a recall."""
    return float(np.quantile(pools(name)[0], 1 - recall))


@cache
def true_auroc(name: str, shift: float = 0, max_fpr: float | None = None) -> float:
    """Return AUROC if positives score higher by a shift; partial AUROC is McClish's."""
    positive, negative = pools(name)
    if max_fpr is None:
        sides = [np.searchsorted(negative, positive + shift, side) for side in ("left", "right")]
        return float(np.mean(sides)) / FINE
    true, false = rates(name, np.unique(np.concatenate([positive, negative]))[::-1])
    grid = np.linspace(0, max_fpr, 100_001)
    area = float(np.trapezoid(np.interp(grid, np.append(0, false), np.append(0, true)), grid))
    least = max_fpr**2 / 2
    return (1 + (area - least) / (max_fpr - least)) / 2


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


def _noise(rng: Rng, size: int, shared: float = 0.6) -> Floats:
    joint, own = rng.normal(size=size), rng.normal(size=(2, size))
    noise: Floats = shared**0.5 * joint + (1 - shared) ** 0.5 * own
    return noise


def twins(shared: float) -> Pair:
    """Return normal scores of AUROC .76 with so much of their variance in common."""
    return lambda rng, truth: _noise(rng, truth.size, shared) + truth


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


ALIKE: Mapping[str, Pair] = {
    "twins": twins(0.6),
    "near twins": twins(0.95),
    "other positives hidden": others_hidden,
    "5% hard negatives": hard_for_both,
}
PAIRS: Mapping[str, Pair] = {**ALIKE, "wide against narrow": wide_and_narrow}

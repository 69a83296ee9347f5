"""Time and memory next to scikit-learn and a bootstrap: ``make bench``.

Each case is a row of one table. ``__main__.py`` runs them, with and without NumPy's fast sort.
"""

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, roc_auc_score, roc_curve
from sklearn.model_selection import cross_val_score

from pu_accessor.sklearn import scorer

mpl.use("Agg")
pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")  # small groups are odd

BETA, KNOWN, SEED = 0.3, 5_000, 150406837
MILLION = 1_000_000
SIZES = {10_000: "10,000", 100_000: "100,000", MILLION: "10⁶", 10 * MILLION: "10⁷"}


@cache
def rows(size: int, known: int = KNOWN, seed: int = SEED) -> pd.DataFrame:
    """Draw distinct scores, N(1.2, 1) for positives and N(0, 1), some of the positives known."""
    rng = np.random.default_rng([seed, size, known])
    positive = rng.random(size) < BETA
    positive[:known] = True
    label = np.full(size, np.nan)
    label[rng.choice(np.flatnonzero(positive), known, replace=False)] = 1
    score = rng.standard_normal(size) + 1.2 * positive
    patient, weight = rng.integers(0, 1 + size // 10, size), rng.integers(1, 10, size)
    other = score + rng.standard_normal(size)
    columns = {"score": score, "label": label, "other": other}
    return pd.DataFrame(columns | {"patient": patient, "weight": np.where(label == 1, 1, weight)})


@cache
def models(number: int) -> pd.DataFrame:
    """Draw scores of many models of 100,000 rows."""
    frame, rng = rows(100_000, 1_000), np.random.default_rng(number)
    scores = {str(i): frame["score"] + rng.standard_normal(len(frame)) for i in range(number)}
    return pd.DataFrame(scores | {"label": frame["label"]})


@cache
def groups(number: int, size: int) -> pd.DataFrame:
    """Draw groups of so many rows, a tenth of them known positives."""
    frame = rows(number * size, number * size // 10)[["score", "label"]].sort_values("label")
    return frame.assign(group=np.arange(len(frame)) % number)


def arrays(frame: pd.DataFrame) -> tuple[Any, Any]:
    """Return labels and scores as scikit-learn takes them."""
    return frame["label"].eq(1).to_numpy(), frame["score"].to_numpy()


def bootstrap(frame: pd.DataFrame, resamples: int = 2_000) -> Any:
    """Bound the rank CDF of the positives at each cutoff, literally as the paper does."""
    label, score = arrays(frame)
    places, rng = np.flatnonzero(label[np.argsort(-score)]), np.random.default_rng(SEED)
    found = np.empty((resamples, score.size), np.int32)
    for one in found:
        drawn = rng.choice(places, places.size)
        np.cumsum(np.bincount(drawn, minlength=score.size), out=one)
    return np.quantile(found, [0.025, 0.975], axis=0) / places.size


def each_group(frame: pd.DataFrame, function: Any, most: int) -> Any:
    """Call a function of scikit-learn for each of the first groups."""
    return [
        function(*arrays(part)) for key, part in frame.groupby("group") if int(str(key)) < most
    ]


def picture(draw: Callable[[], Any]) -> None:
    """Draw a picture until its last pixel."""
    draw().figure.canvas.draw()
    plt.close("all")


def one_line() -> Any:
    """Draw a line of matplotlib."""
    ax = plt.figure().subplots()
    ax.plot(np.linspace(0, 1, 1_000), np.linspace(0, 1, 1_000) ** 2)
    return ax


def start(code: str) -> object:
    """Run code in a Python of its own."""
    return subprocess.run([sys.executable, "-c", code], check=True)


def cross_validate(score: Any) -> Any:
    """Score a model in five folds of 20,000 rows."""
    label, x = arrays(rows(20_000, 2_000))
    return cross_val_score(
        LogisticRegression(), x[:, np.newaxis], label.astype(int), scoring=score
    )


def ours(frame: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Return what is asked of most frames, and what scikit-learn takes for less."""
    return {
        "roc_bounds": lambda: frame.pu.roc_bounds(BETA),
        "auroc": lambda: frame.pu.auroc(BETA),
        "roc_curve": lambda: roc_curve(*arrays(frame)),
        "roc_auc_score": lambda: roc_auc_score(*arrays(frame)),
    }


def questions(frame: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Return one call of each kind."""
    pu: Any = frame.pu
    return {
        "auroc": lambda: pu.auroc(BETA),
        "auroc, this sample": lambda: pu.auroc(BETA, target="examples"),
        "auroc, clusters": lambda: pu(cluster="patient").auroc(BETA),
        "auroc, weights": lambda: pu(weight="weight").auroc(BETA),
        "auroc, interval of beta": lambda: pu.auroc(pd.Interval(0.2, 0.4)),
        "auroc, 50 betas": lambda: pu.auroc(np.linspace(0.05, 0.35, 50)),
        "roc_bounds, 50 betas": lambda: pu.roc_bounds(np.linspace(0.05, 0.35, 50)),
        "roc_bounds, monotone": lambda: pu.assume(monotone=True).roc_bounds(BETA),
        "roc_bounds, future data": lambda: pu.roc_bounds(BETA, target="population"),
        "contingency, all cutoffs": lambda: pu.contingency(BETA, ranks="all"),
        "average_precision": lambda: pu.average_precision(BETA),
        "metric, f1": lambda: pu.metric("f1", BETA, at={"threshold": 1.0}),
        "compare": lambda: pu(score=["score", "other"]).compare("auroc", BETA),
        "cutoff": lambda: pu.cutoff(BETA, recall=0.9),
        "estimate_beta": pu.estimate_beta,
    }


def designs(frame: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Return one call for each design of rows, and for independent ones."""
    return {
        "auroc, weights": lambda: frame.pu(weight="weight").auroc(BETA),
        "auroc, clusters": lambda: frame.pu(cluster="patient").auroc(BETA),
        "auroc, plain": lambda: frame.pu.auroc(BETA),
    }


def averages(frame: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Return averages over groups, and what scikit-learn takes for a tenth of the groups."""
    pu: Any = frame.pu(by="group", average=True)
    return {
        "recall": lambda: pu.metric("recall", 0.05, at=10),
        "precision": lambda: pu.metric("precision", 0.05, at=10),
        "ndcg": lambda: pu.metric("ndcg", 0.05, at=10),
        "reciprocal_rank": lambda: pu.metric("reciprocal_rank", 0.05),
        "a tenth": tenth(frame),
    }


def of_each_group(frame: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Return calls for each group, and what scikit-learn takes for a tenth of the groups."""
    pu: Any = frame.pu(by="group")
    return {
        "average_precision": lambda: pu.average_precision(0.05),
        "precision": lambda: pu.metric("precision", 0.05, at=10),
        "roc_bounds": lambda: pu.roc_bounds(0.05),
        "cutoff": lambda: pu.cutoff(0.05, recall=0.8),
        "a tenth": tenth(frame),
    }


def tenth(frame: pd.DataFrame) -> Callable[[], Any]:
    """Return a call of roc_auc_score for each group of a tenth."""
    number = frame["group"].nunique() // 10
    part = frame[frame["group"] < number]
    return lambda: each_group(part, roc_auc_score, number)


def cases(group: str) -> dict[str, Callable[[], Any]]:
    """Return the calls of a group, made when one is timed."""
    for size, name in SIZES.items():
        if group == f"{name} rows":
            return ours(rows(size, min(KNOWN, size // 10)))
    wide, names = models(50), [str(i) for i in range(50)]
    tables = rows(MILLION).pu.contingency(BETA, ranks="all")
    if group == "10⁶ rows, designs":
        return designs(rows(MILLION))
    if group == "20,000 groups of 100 rows, averages":
        return averages(groups(20_000, 100))
    if group == "3,000 groups of 100 rows":
        return of_each_group(groups(3_000, 100))
    known, many, small = rows(MILLION, 50_000), groups(200, 20_000), groups(10_000, 100)
    found: dict[str, dict[str, Callable[[], Any]]] = {
        "10⁶ rows, all cutoffs": {
            "contingency": lambda: rows(MILLION).pu.contingency(BETA, ranks="all"),
            "roc_curve": lambda: roc_curve(*arrays(rows(MILLION))),
        },
        "10⁶ rows, 50,000 known": ours(known),
        "questions, 10⁶ rows": questions(rows(MILLION)),
        "50 models of 100,000 rows": {
            "roc_bounds": lambda: wide.pu(score=names).roc_bounds(BETA),
            "roc_curve": lambda: [roc_curve(wide["label"] == 1, wide[name]) for name in names],
        },
        "200 groups of 20,000 rows": {
            "roc_bounds": lambda: many.pu(by="group").roc_bounds(BETA),
            "roc_curve": lambda: each_group(many, roc_curve, 200),
        },
        "10,000 groups of 100 rows": {
            "auroc": lambda: small.pu(by="group").auroc(0.05),
            "roc_auc_score": lambda: each_group(small, roc_auc_score, 10_000),
        },
        "40,000 rows": {
            "roc_bounds": lambda: rows(40_000, 1_000).pu.roc_bounds(BETA),
            "bootstrap": lambda: bootstrap(rows(40_000, 1_000)),
        },
        "pictures, 10⁶ rows": {
            "plot_roc": lambda: picture(tables.pu.plot_roc),
            "plot_metric": lambda: picture(lambda: tables.pu.plot_metric("f1", x="threshold")),
            "a line": lambda: picture(one_line),
        },
        "start": {
            "import pu_accessor": lambda: start("import pu_accessor"),
            "import pandas, xarray": lambda: start("import pandas, xarray"),
            "1,000 times df.pu": lambda: [known.pu for _ in range(1_000)],
        },
        "five folds of 20,000 rows": {
            "scorer": lambda: cross_validate(scorer("auroc", beta=BETA, unlabeled=0)),
            "roc_auc": lambda: cross_validate(get_scorer("roc_auc")),
        },
    }
    return found[group]


TWO, THREE = ["roc_bounds", "roc_curve"], ["import pu_accessor", "import pandas, xarray"]
CASES = {f"{name} rows": [*ours(rows(1_000, 100))] for name in SIZES.values()}
CASES |= {"10⁶ rows, 50,000 known": [*ours(rows(1_000, 100))]}
CASES |= {"questions, 10⁶ rows": [*questions(rows(1_000, 100))]}
CASES |= {"50 models of 100,000 rows": TWO, "200 groups of 20,000 rows": TWO}
CASES |= {"10,000 groups of 100 rows": ["auroc", "roc_auc_score"]}
CASES |= {"20,000 groups of 100 rows, averages": [*averages(groups(20, 100))]}
CASES |= {"3,000 groups of 100 rows": [*of_each_group(groups(20, 100))]}
CASES |= {"10⁶ rows, designs": [*designs(rows(1_000, 100))]}
CASES |= {"10⁶ rows, all cutoffs": ["contingency", "roc_curve"]}
CASES |= {"40,000 rows": ["roc_bounds", "bootstrap"], "start": [*THREE, "1,000 times df.pu"]}
CASES |= {"pictures, 10⁶ rows": ["plot_roc", "plot_metric", "a line"]}
CASES |= {"five folds of 20,000 rows": ["scorer", "roc_auc"]}
held = cache(cases)


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, names in CASES.items() for name in names]
)
def test_speed(benchmark: Any, group: str, name: str) -> None:
    call = held(group)[name]
    benchmark.group = group
    slow = name == "bootstrap" or "10⁷" in group or "000 groups" in group
    benchmark.pedantic(call, rounds=2 if slow else 5, warmup_rounds=0 if slow else 1)
    tracemalloc.start()
    call()
    benchmark.extra_info["peak"] = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

"""How long things take, next to scikit-learn, a bootstrap and one pass over the memory."""

import subprocess
import sys
from functools import partial

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, roc_auc_score, roc_curve
from sklearn.model_selection import cross_val_score

from pu_accessor.sklearn import scorer
from tests.support.benchmarks.contestants import (
    BETA,
    KNOWN,
    Benchmark,
    Contestant,
    Rows,
    bootstrap,
    bootstrap_known,
    one_pass,
    race,
)

mpl.use("Agg")

DOUBLED = [100_000 << times for times in range(11)]


@pytest.mark.parametrize(
    ("size", "rounds"), [(10_000, 20), (100_000, 15), (1_000_000, 9), (10_000_000, 3)]
)
def test_rows(benchmark: Benchmark, size: int, rounds: int) -> None:
    rows = Rows(size, min(KNOWN, size // 10))
    pu = rows.frame.pu
    contestants: dict[str, Contestant] = {
        "roc_bounds": lambda: pu.roc_bounds(BETA),
        "auroc": lambda: pu.auroc(BETA),
        "all cutoffs": lambda: pu.contingency(BETA, ranks="all"),
        "roc_curve": lambda: roc_curve(rows.label, rows.score),
        "roc_auc_score": lambda: roc_auc_score(rows.label, rows.score),
        "one pass": lambda: one_pass(rows.score),
    }
    if size > 1_000_000:
        del contestants["all cutoffs"]  # whose result alone is larger than 1 GB
    race(benchmark, "rows", {"rows": size, "known": int(rows.label.sum())}, contestants, rounds)


@pytest.mark.parametrize("known", [100, 1_000, 5_000, 50_000])
def test_known(benchmark: Benchmark, known: int) -> None:
    rows = Rows(1_000_000, known)
    pu = rows.frame.pu
    contestants: dict[str, Contestant] = {
        "roc_bounds": lambda: pu.roc_bounds(BETA),
        "auroc": lambda: pu.auroc(BETA),
        "roc_curve": lambda: roc_curve(rows.label, rows.score),
        "one pass": lambda: one_pass(rows.score),
    }
    race(benchmark, "known", {"rows": 1_000_000, "known": known}, contestants, 5)


@pytest.mark.parametrize("method", ["roc_bounds", "auroc"])
def test_betas(benchmark: Benchmark, method: str) -> None:
    pu = Rows(1_000_000, KNOWN).frame.pu
    betas = {count: np.linspace(0.05, 0.35, count) if count > 1 else BETA for count in (1, 10, 50)}
    contestants: dict[str, Contestant] = {
        str(count): lambda some=some: getattr(pu, method)(some)  # type: ignore[misc]
        for count, some in betas.items()
    }
    race(benchmark, "betas", {"method": method, "rows": 1_000_000, "known": KNOWN}, contestants, 7)


def test_envelopes(benchmark: Benchmark) -> None:
    pu = Rows(1_000_000, KNOWN).frame.pu
    between = pd.Interval(0.2, 0.4)
    contestants: dict[str, Contestant] = {
        "roc_bounds": lambda: pu.roc_bounds(BETA),
        "roc_bounds, envelope": lambda: pu.roc_bounds(between),
        "auroc": lambda: pu.auroc(BETA),
        "auroc, envelope": lambda: pu.auroc(between),
    }
    race(benchmark, "envelopes", {"rows": 1_000_000, "known": KNOWN}, contestants, 7)


def test_questions(benchmark: Benchmark) -> None:
    rows = Rows(1_000_000, KNOWN)
    rng, frame = np.random.default_rng(0), rows.frame
    frame["patient"] = rng.integers(0, 100_000, len(frame))
    frame["weight"] = np.where(rows.label, 1, rng.integers(1, 10, len(frame)))
    frame["other"] = rows.score + rng.standard_normal(len(frame))
    contestants: dict[str, Contestant] = {
        "roc_bounds": lambda: frame.pu.roc_bounds(BETA),
        "roc_bounds, monotone": lambda: frame.pu.assume(monotone=True).roc_bounds(BETA),
        "roc_bounds, new examples": lambda: frame.pu.roc_bounds(BETA, target="population"),
        "auroc": lambda: frame.pu.auroc(BETA),
        "auroc, clusters": lambda: frame.pu(cluster="patient").auroc(BETA),
        "auroc, weights": lambda: frame.pu(weight="weight").auroc(BETA),
        "auroc, these examples": lambda: frame.pu.auroc(BETA, target="examples"),
        "average_precision": lambda: frame.pu.average_precision(BETA),
        "compare": lambda: frame.pu(score=["score", "other"]).compare("auroc", BETA),
        "cutoff": lambda: frame.pu.cutoff(BETA, recall=0.9),
        "estimate_beta": lambda: frame.pu.estimate_beta(),
        "one pass": lambda: one_pass(rows.score),
    }
    race(benchmark, "questions", {"rows": 1_000_000, "known": KNOWN}, contestants, 5)


def test_scorer(benchmark: Benchmark) -> None:
    rows = Rows(20_000, 2_000)
    examples, known = rows.score[:, np.newaxis], rows.label.astype(int)
    model, last = LogisticRegression().fit(examples, known), (examples[-200:], known[-200:])
    contestants: dict[str, Contestant] = {}
    scorers = {"": scorer("auroc", beta=BETA, unlabeled=0), ", roc_auc": get_scorer("roc_auc")}
    for name, each in scorers.items():
        contestants[f"cross_val_score{name}"] = partial(
            cross_val_score, model, examples, known, scoring=each
        )
        contestants[f"1,000 calls{name}"] = lambda score=each: [  # type: ignore[misc]
            score(model, *last) for _ in range(1_000)
        ]
    race(benchmark, "scorer", {"rows": 20_000, "known": 2_000}, contestants, 3)


def test_start(benchmark: Benchmark) -> None:
    frame = Rows(1_000, 100).frame

    def run(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    contestants: dict[str, Contestant] = {
        "import pu_accessor": lambda: run("import pu_accessor"),
        "import pandas, xarray": lambda: run("import pandas, xarray"),
        "1,000 times df.pu": lambda: [frame.pu for _ in range(1_000)],
    }
    race(benchmark, "start", {}, contestants, 7)


@pytest.mark.parametrize(("models", "rounds"), [(1, 9), (10, 5), (50, 3), (200, 2)])
def test_models(benchmark: Benchmark, models: int, rounds: int) -> None:
    size, known = 100_000, 1_000
    rows = Rows(size, known)
    noise = np.random.default_rng(models).standard_normal((models, size))
    scores = dict(zip(map(str, range(models)), rows.score + noise, strict=True))
    frame = pd.DataFrame({**scores, "label": rows.frame["label"]})
    contestants: dict[str, Contestant] = {
        "roc_bounds": lambda: frame.pu(score=list(scores)).roc_bounds(BETA),
        "auroc": lambda: frame.pu(score=list(scores)).auroc(BETA),
        "roc_curve": lambda: [roc_curve(rows.label, score) for score in scores.values()],
    }
    about = {"models": models, "rows": size, "known": known}
    race(benchmark, "models", about, contestants, rounds)


@pytest.mark.parametrize(("groups", "rounds"), [(1, 9), (10, 7), (50, 5), (200, 2)])
def test_groups(benchmark: Benchmark, groups: int, rounds: int) -> None:
    size, known = 20_000, 500
    parts = [Rows(size, known, seed=seed) for seed in range(groups)]
    frame = pd.concat([part.frame for part in parts], ignore_index=True)
    frame["model"] = np.random.default_rng(0).permutation(groups).repeat(size)
    contestants: dict[str, Contestant] = {
        "roc_bounds": lambda: frame.groupby("model").pu.roc_bounds(BETA),
        "auroc": lambda: frame.groupby("model").pu.auroc(BETA),
        "roc_curve": lambda: [roc_curve(part.label, part.score) for part in parts],
    }
    about = {"groups": groups, "rows": size, "known": known}
    race(benchmark, "groups", about, contestants, rounds)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")  # some groups have odd estimates
def test_many_groups(benchmark: Benchmark) -> None:
    groups, size, timed = 100_000, 100, 2_000
    rng = np.random.default_rng(0)
    score, known = rng.standard_normal(groups * size), rng.random(groups * size) < 0.1
    known[::size] = True
    score += known
    label = np.where(known, 1.0, np.nan)
    frame = pd.DataFrame({"score": score, "label": label, "query": np.arange(groups).repeat(size)})
    some = list(zip(known.reshape(groups, size), score.reshape(groups, size), strict=True))[:timed]
    contestants: dict[str, Contestant] = {
        "auroc": lambda: frame.pu(by="query").auroc(0.05),
        "roc_auc_score": lambda: [roc_auc_score(*rows) for rows in some],
        "one pass": lambda: one_pass(score),
    }
    about = {"groups": groups, "rows": size, "timed": timed}
    race(benchmark, "many groups", about, contestants, 3)


@pytest.mark.parametrize("method", ["plot_roc", "plot_metric"])
def test_plots(benchmark: Benchmark, method: str) -> None:
    tables = Rows(1_000_000, KNOWN).frame.pu.contingency(BETA, ranks="all")

    def draw() -> None:
        if method == "plot_roc":
            ax = tables.pu.plot_roc()
        else:
            ax = tables.pu.plot_metric("precision", x="threshold")
        save(ax)

    def line() -> None:
        _, ax = plt.subplots()
        ax.plot(np.linspace(0, 1, 1_000), np.linspace(0, 1, 1_000) ** 2)
        save(ax)

    def save(ax: Axes) -> None:
        ax.figure.canvas.draw()
        plt.close("all")

    race(benchmark, "plots", {"method": method}, {method: draw, "a line": line}, 3)


def test_bootstrap(benchmark: Benchmark) -> None:
    size, known = 40_000, 1_000
    rows = Rows(size, known)
    contestants: dict[str, Contestant] = {
        "roc_bounds": lambda: rows.frame.pu.roc_bounds(BETA),
        "roc_bounds, bootstrap": lambda: rows.frame.pu.roc_bounds(BETA, band="bootstrap"),
        "all cutoffs": lambda: rows.frame.pu.contingency(BETA, ranks="all"),
        "bootstrap": lambda: bootstrap(rows.score, rows.label),
        "bootstrap at known positives": lambda: bootstrap_known(rows.score, rows.label),
    }
    race(benchmark, "bootstrap", {"rows": size, "known": known}, contestants, 5)


@pytest.mark.parametrize("method", ["roc_bounds", "auroc"])
def test_doubling(benchmark: Benchmark, method: str) -> None:
    frames = {size: Rows(size, KNOWN).frame for size in DOUBLED}
    contestants: dict[str, Contestant] = {
        str(size): lambda frame=frame: getattr(frame.pu, method)(BETA)  # type: ignore[misc]
        for size, frame in frames.items()
    }
    race(benchmark, "doubling", {"method": method, "known": KNOWN}, contestants, 3)

"""What is chosen by known positives alone?

Run ``python -m tests.support.studies.choice``, from the root.

Four estimators, each with a grid, on five data sets of scikit-learn whose positives are hidden in
part. Searches choose by a scorer of ours, by scikit-learn's own with the unlabeled as negatives,
and by the hidden truth; what is told is the true value, in the same folds, of what each chose.
Writes ``build/measured/choice.csv``.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pu_accessor.sklearn import scorer
from tests.support.studies.tables import write_table

KNOWN, FOLDS, THRESHOLD = 0.5, 5, 0.3


class Task(NamedTuple):
    """Features, and which examples are positive."""

    features: Any
    truth: Any


class Chosen(NamedTuple):
    """The value that a score gave what it chose, and its true one."""

    told: float
    true: float


def tasks() -> Iterator[tuple[str, Task]]:
    """Return data sets by name."""
    breast, digits, wine, iris, diabetes = (
        load(return_X_y=True)
        for load in (load_breast_cancer, load_digits, load_wine, load_iris, load_diabetes)
    )
    yield "breast cancer, malignant", Task(breast[0][:, :6], breast[1] == 0)
    yield "digits, eights", Task(digits[0][:, 24:], digits[1] == 8)
    yield "wine, second cultivar", Task(wine[0][:, 1:6], wine[1] == 1)
    yield "iris, versicolor", Task(iris[0][:, :3], iris[1] == 1)
    yield "diabetes, above the median", Task(diabetes[0], diabetes[1] > 140)


def searches() -> Iterator[tuple[str, Any, dict[str, list[Any]]]]:
    """Return estimators with what to try of each."""
    yield (
        "logistic regression",
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        {"logisticregression__C": [0.001, 0.01, 0.1, 1, 10]},
    )
    yield (
        "nearest neighbours",
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [1, 3, 9, 25, 51]},
    )
    yield "decision tree", DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5, 9]}
    yield (
        "random forest",
        RandomForestClassifier(50, random_state=0),
        {"min_samples_leaf": [1, 3, 9, 20, 40]},
    )


def choices(task: Task, model: Any, grid: dict[str, list[Any]], seed: int) -> dict[str, Chosen]:
    """Return what each score chooses: those of the F1 at a threshold, and AUROC."""
    rng = np.random.default_rng(seed)
    known = task.truth & (rng.random(task.truth.size) < KNOWN)
    labels = known.astype(int)
    beta = float((task.truth & ~known).sum() / (~known).sum())
    at = {"threshold": THRESHOLD}
    ours = {
        "auroc": scorer("auroc", beta=beta, unlabeled=0),
        "f1": scorer("f1", beta=beta, at=at, unlabeled=0),
    }
    kinds = ("ours", "naive", "truth")
    sums = {(name, kind): [] for name in ours for kind in kinds}  # type: ignore[var-annotated]
    for parameters in ParameterGrid(grid):
        found = {key: [] for key in sums}  # type: ignore[var-annotated]
        split = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(task.features, labels)
        for train, test in split:
            fitted = model.set_params(**parameters).fit(task.features[train], labels[train])
            score = fitted.predict_proba(task.features[test])[:, 1]
            for name, one in ours.items():
                found[name, "ours"].append(one(fitted, task.features[test], labels[test]))
            for kind, against in (("naive", labels[test]), ("truth", task.truth[test])):
                found["auroc", kind].append(roc_auc_score(against, score))
                found["f1", kind].append(f1_score(against, score >= THRESHOLD))
        for key, values in found.items():
            sums[key].append(np.mean(values))
    chosen = {}
    for name, kind in sums:
        best = int(np.nanargmax(sums[name, kind]))
        chosen[f"{name} {kind}"] = Chosen(sums[name, kind][best], sums[name, "truth"][best])
    return chosen


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    body = []
    for place, (data, task) in enumerate(tasks()):
        for name, model, grid in searches():
            each = [choices(task, model, grid, 100 * place + seed) for seed in range(seeds)]
            mean = {key: np.mean([one[key] for one in each], axis=0) for key in each[0]}
            body.append((data, name, *_cells(mean)))
            print(body[-1], flush=True)
    kinds = ("by ours", "by ours, said", "by the naive", "by the naive, said", "best")
    columns = [f"{metric}, {kind}" for metric in ("F1", "AUROC") for kind in kinds]
    write_table("choice", ["data", "estimator", *columns], body)


def _cells(mean: dict[str, Any]) -> list[str]:
    """Return the true value of what each chose, and what it said of it."""
    cells = []
    for name in ("f1", "auroc"):
        for kind in ("ours", "naive"):
            told, true = mean[f"{name} {kind}"]
            cells += [f"{true:.3f}", f"{told:.3f}"]
        cells.append(f"{mean[f'{name} truth'][1]:.3f}")
    return cells


if __name__ == "__main__":
    main()

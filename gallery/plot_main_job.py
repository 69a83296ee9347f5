"""
The main job: bounds on the ROC and PR curves of real scores
============================================================

scikit-learn's breast-cancer data, with all labels hidden but those of 30% of the malignant cases,
the known positives. A logistic regression is cross-validated on what is left, known positives
against all others, and so are the bounds. The dashed curves take the unlabeled as negative, and
are far too low. The black ones are the truth, which nobody would know in practice.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_curve
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import pu_accessor
from pu_accessor.plots import shared_legend

SEED, KNOWN, OUT = 2, 0.3, Path("build")

# %%
# Real scores, and labels as they would come from a database: true or missing.
features, target = load_breast_cancer(return_X_y=True)
features, malignant = features[:, 10:20], target == 0  # how much the cells of a sample differ
shuffled = np.random.default_rng(SEED).permutation(np.flatnonzero(malignant))
known = np.isin(np.arange(malignant.size), shuffled[: round(KNOWN * malignant.sum())])

model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
score = cross_val_predict(model, features, known, cv=10, method="decision_function")
rival = DecisionTreeClassifier(max_depth=4, random_state=SEED)  # to compare it with
tree = cross_val_predict(rival, features, known, cv=10, method="predict_proba")[:, 1]
df = pd.DataFrame({"score": score, "tree": tree, "label": np.where(known, 1.0, np.nan)})
beta = round(float(malignant[~known].mean()), 2)  # an input; here the truth is at hand

# %%
# Bounded tables, and questions put to them.
tables = df.pu.contingency(beta=[0, beta])
truth = pu_accessor.from_arrays(score, malignant, negative=False).contingency(0)


def answers(tables: xr.Dataset, beta: float) -> pd.DataFrame:
    """Ask for two areas, and what the 100 and the 200 best-ranked cases hold."""
    tables = tables.sel(beta=beta)
    top, more = tables.sel(rank=100), tables.sel(rank=200)
    asked = {
        "AUROC": tables.pu.area("auroc"),
        "area under PR": tables.pu.area("average_precision"),
        "precision, top 100": top.pu.metric("precision"),
        "recall, top 100": top.pu.metric("tpr"),
        "F1, top 200": more.pu.metric("f1"),
        "TNR, top 200": more.pu.metric("tnr"),
    }
    return pd.DataFrame({name: value.to_series() for name, value in asked.items()}).T


table = answers(tables, beta)
table["true"] = answers(truth, 0)["estimate"]
table["unlabeled as negative"] = answers(tables, 0)["estimate"]
print(f"{malignant.size} cases, {known.sum()} of {malignant.sum()} malignant ones known, ", end="")
print(f"beta = {beta}, {tables.attrs['level']:.0%} {tables.attrs['band']} band\n")
print(table.round(3).to_string(), "\n")

# %%
# ROC and PR curves, for scores of which a higher one never means less.
rising = df.pu.assume(monotone=True)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4), layout="constrained")
rising.plot_roc(beta, baseline=True, ax=left)
rising.plot_pr(beta, baseline=True, ax=right)
precision, recall, _ = precision_recall_curve(malignant, score)
left.plot(*roc_curve(malignant, score)[:2], color="black", linewidth=1, label="truth")
right.plot(recall[:-1], precision[:-1], color="black", linewidth=1, label="truth")
shared_legend(figure)

OUT.mkdir(exist_ok=True)
df.to_csv(OUT / "scores.csv", index=False)
figure.savefig(OUT / "main_job.png", dpi=120)
print(f"The scores are in {(OUT / 'scores.csv').resolve()}")
print(f"The picture is in {(OUT / 'main_job.png').resolve()}")

"""
ROC and PR curves of real scores
================================

scikit-learn's breast-cancer data: 30% of the malignant cases are known, the other labels are
hidden. The blue bands contain the true curves, which are black. The dashed curves count the
unlabeled as negative, and are far too low.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
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
features, malignant = features[:, 10:20], target == 0  # the standard errors
shuffled = np.random.default_rng(SEED).permutation(np.flatnonzero(malignant))
known = np.isin(np.arange(malignant.size), shuffled[: round(KNOWN * malignant.sum())])

model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
score = cross_val_predict(model, features, known, cv=10, method="decision_function")
rival = DecisionTreeClassifier(max_depth=4, random_state=SEED)  # to compare it with
tree = cross_val_predict(rival, features, known, cv=10, method="predict_proba")[:, 1]
df = pd.DataFrame({"score": score, "tree": tree, "label": np.where(known, 1.0, np.nan)})
beta = round(float(malignant[~known].mean()), 2)  # an input; here the truth is at hand

# %%
# Confusion matrices with bounds, and metrics of them.
tables = df.pu.contingency(beta=[0, beta])
truth = pu_accessor.from_arrays(score, malignant, negative=False).contingency(0)


def answers(tables: xr.Dataset, beta: float) -> pd.DataFrame:
    """Return two areas, and metrics of the 100 and the 200 best-ranked cases."""
    tables = tables.sel(beta=beta)
    top, more = tables.sel(rank=100), tables.sel(rank=200)
    asked = {
        "AUROC": tables.pu.area("auroc"),
        "average precision": tables.pu.area("average_precision"),
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
# ROC and PR curves, if a higher score never means a lower probability.
rising = df.pu.assume(monotone=True)
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 4.4), layout="constrained")
rising.plot_roc(beta, baseline=True, ax=left)
rising.plot_pr(beta, baseline=True, ax=right)
precision, recall, _ = precision_recall_curve(malignant, score)
style = {"color": plt.rcParams["text.color"], "linewidth": 1, "label": "truth"}
left.plot(*roc_curve(malignant, score)[:2], **style)
right.plot(recall[:-1], precision[:-1], **style)
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
figure.suptitle("The bands contain the true curves; the dashed ones are too low")

OUT.mkdir(exist_ok=True)
df.to_csv(OUT / "scores.csv", index=False)
figure.savefig(OUT / "main_job.png", dpi=120)
print(f"The scores are in {(OUT / 'scores.csv').resolve()}")
print(f"The picture is in {(OUT / 'main_job.png').resolve()}")

"""
Three models on one test set
============================

Three classifiers of the breast-cancer data, with 30% of the malignant cases known. Left: their
estimated ROC curves at one class prior. Right: their average precision, with 95% bands, at every
class prior; the dots are the true values. The estimate of the logistic model is always the
highest.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

SEED, KNOWN, OUT = 4, 0.3, Path("build")
MODELS = {
    "logistic": (LogisticRegression(), [0, 1, 4]),
    "bayes": (GaussianNB(), [4, 5, 8]),
    "neighbours": (KNeighborsClassifier(15), [1, 4, 9]),
}

# %%
# A wide frame: a column of scores for each model, one of labels.
features, target = load_breast_cancer(return_X_y=True)
malignant = target == 0
shuffled = np.random.default_rng(SEED).permutation(np.flatnonzero(malignant))
known = np.isin(np.arange(malignant.size), shuffled[: round(KNOWN * malignant.sum())])
df = pd.DataFrame(
    {
        name: cross_val_predict(
            make_pipeline(StandardScaler(), model),
            features[:, columns],
            known,
            cv=10,
            method="predict_proba",
        )[:, 1]
        for name, (model, columns) in MODELS.items()
    }
)
df["label"] = np.where(known, 1.0, np.nan)

# %%
# A test of the order needs no beta. With a beta: which ROC curve is above the other.
models = df.pu(score=list(MODELS))
print(models.compare().round(4).to_string(index=False), "\n")
print(models.dominance(beta=0.29).round(3).to_string(index=False), "\n")

# %%
# ROC curves at one beta, and average precision at every beta.
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 4.4), layout="constrained")
palette = ["#004488", "#bb5566", "#ddaa33"]  # Paul Tol's, which differ in grey
models.plot_roc(beta=0.29, ax=left, palette=palette, band_kws={"visible": False, "label": "_"})
betas, same = np.linspace(0, 0.36, 19), {"band_kws": {"label": "95% band, pointwise"}}
models.plot_metric(
    "average_precision", betas, x="beta", target="examples", ax=right, palette=palette, **same
)
for name, color, size in zip(MODELS, palette, (6, 12, 6), strict=True):
    true = average_precision_score(malignant, df[name])
    print(f"{name}: true average precision {true:.3f}")
    dot = {"color": color, "markeredgecolor": "white", "markersize": size, "zorder": 9 - size / 3}
    right.plot(0.29, true, "o", label="truth at β = 0.29" if name == "logistic" else None, **dot)
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False, title="")
left.set_title("Estimated ROC at β = 0.29:\nlogistic is the highest", loc="left")
right.set_title("Estimated average precision:\nlogistic leads at every β", loc="left")

OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "many_models.png", dpi=120)
print(f"The picture is in {(OUT / 'many_models.png').resolve()}")

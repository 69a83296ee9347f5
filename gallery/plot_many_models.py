"""
Three models: which is better, am I sure, does it depend on beta?
=================================================================

Three classifiers are cross-validated on scikit-learn's breast-cancer data, with a tenth of the
features each so that none is perfect. 30% of the malignant cases are known, the rest is unlabeled.
Which model has the higher AUROC can be tested without knowing how many positives hide there.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
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
# No beta: sign, t test, p value. With one: the size of the difference.
models = df.pu(score=list(MODELS))
print(models.compare().round(4).to_string(index=False), "\n")
print(models.dominance(beta=0.29).round(3).to_string(index=False), "\n")

# %%
# Curves, the precision of a screening, and areas against beta.
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.5, 4.6), layout="constrained")
models.plot_roc(beta=0.29, ax=left)
models.plot_metric("precision", beta=0.29, ax=middle)
models.plot_metric("average_precision", x="beta", beta=np.linspace(0, 0.36, 19), ax=right)
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=4, frameon=False)

OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "many_models.png", dpi=120)
print(f"The picture is in {(OUT / 'many_models.png').resolve()}")

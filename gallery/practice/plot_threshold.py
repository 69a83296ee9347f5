"""
Choosing a threshold by cost
============================

A missed tumour costs as much as ten needless biopsies, and three in ten of the malignant cases
are known. The cost is a function of the four counts of the confusion matrix. The interval of the
minimum comes from the simultaneous band, because the minimum was chosen from the curve.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
import xarray as xr
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

features, target = load_breast_cancer(return_X_y=True)
malignant, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression())
known = malignant & (np.random.default_rng(2).random(malignant.size) < 0.3)
score = cross_val_predict(model, features[:, :2], known, cv=10, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = malignant[~known].mean()  # an input; here the truth is at hand


def cost(tp: xr.DataArray, fp: xr.DataArray, fn: xr.DataArray, tn: xr.DataArray) -> xr.DataArray:
    """Return the cost per patient: a miss costs as much as ten needless biopsies."""
    return (10 * fn + fp) / (tp + fp + fn + tn)


# %%
# The least cost is the maximum of minus the cost.
best = df.pu.metric(lambda tp, fp, fn, tn: -cost(tp, fp, fn, tn), beta, at="maximum").iloc[0]
figure, ax = plt.subplots(figsize=(5, 4.8), layout="constrained")
df.pu.plot_metric(cost, beta, x="threshold", band="simultaneous", ax=ax)
ink = {"color": plt.rcParams["text.color"]}
order = np.argsort(-score)
hits, rank = malignant[order].cumsum(), np.arange(1, score.size + 1)
true = (10 * (malignant.sum() - hits) + rank - hits) / score.size
ax.plot(score[order], true, linewidth=1, label="truth", **ink)
ends = [[best["estimate"] - best["lower"]], [best["upper"] - best["estimate"]]]
place = f"{best['threshold']:.1f}".replace("-", "\N{MINUS SIGN}")
label = f"least cost, at a score of {place}"
ax.errorbar(best["threshold"], -best["estimate"], ends[::-1], fmt="o", **ink, label=label)
ax.axhline((~malignant).mean(), **ink, linestyle="--", linewidth=1, label="biopsy for all")
shared_legend(figure)
ax.set(xlim=(-4.5, -1.5), ylim=(0, 1.4), xlabel="threshold (raw score of the model)")
ax.set_ylabel("cost per patient (needless biopsies)")
ax.set_title(
    "The least estimated cost is half that of\nbiopsy for all, but its interval is wide",
    loc="left",
)
sns.despine()
plt.show()

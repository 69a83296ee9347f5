"""
Choosing a threshold
====================

A missed malignant tumour costs as much as ten needless biopsies. Where should the threshold be,
when only three in ten of the malignant cases are known? The cost is a function of the four counts
of a table. A minimum looks better than it is, so its interval comes from the simultaneous band.
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

features, target = load_breast_cancer(return_X_y=True)
malignant, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression())
known = malignant & (np.random.default_rng(2).random(malignant.size) < 0.3)
score = cross_val_predict(model, features[:, :2], known, cv=10, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = malignant[~known].mean()  # an input; here the truth is at hand


def cost(tp: xr.DataArray, fp: xr.DataArray, fn: xr.DataArray, tn: xr.DataArray) -> xr.DataArray:
    """Weigh misses against false alarms: in needless biopsies for each patient."""
    return (10 * fn + fp) / (tp + fp + fn + tn)


# %%
# The least cost is the largest of minus the cost.
best = df.pu.metric(lambda tp, fp, fn, tn: -cost(tp, fp, fn, tn), beta, at="maximum").iloc[0]
ax = df.pu.plot_metric(cost, beta, x="threshold", band="simultaneous")
black = {"color": "black", "linewidth": 1}
ax.plot([best["threshold"]] * 2, [-best["lower"], -best["upper"]], **black)
ax.plot(best["threshold"], -best["estimate"], "o", color="black")
text = f"biopsy from {best['threshold']:.1f} on:\n{best['rank']} of {len(df)} patients"
ax.annotate(text, (best["threshold"], -best["lower"]), (-4.2, 1.2), arrowprops={"arrowstyle": "-"})
ax.axhline((~malignant).mean(), **black, linestyle=":")
ax.annotate("biopsy for all", (-4.45, 0.63), (0, -4), textcoords="offset points", va="top")
ax.set(xlim=(-4.5, -1.5), ylim=(0, 1.4), ylabel="net cost per patient, in biopsies")
sns.despine()
plt.show()

"""
Calibration
===========

A classifier of known positives against the rest predicts the probability of being *known*. The
reliability diagram shows that this is too low. Divided by the label frequency, 0.4, as Elkan and
Noto do, the scores come closer to the diagonal. A hollow bin has no known positive, and its
interval says little.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

features, target = load_breast_cancer(return_X_y=True)
malignant, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression(C=0.1))
known = malignant & (np.random.default_rng(2).random(malignant.size) < 0.4)
raw = cross_val_predict(model, features[:, [1, 4, 8]], known, cv=10, method="predict_proba")[:, 1]
df = pd.DataFrame({"as learned": raw, "divided by 0.4": np.minimum(raw / 0.4, 1)})
df["label"] = np.where(known, True, None)
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
scores = ["as learned", "divided by 0.4"]
grid = df.pu(score=scores).plot_calibration(beta, bins=5, col="model")
grid.figure.set_size_inches(7, 4.4)
grid.set_titles("")
titles = "Learned probabilities\nare too low", "Divided by 0.4 they come\ncloser to the diagonal"
for ax, name, title in zip(grid.axes.flat, scores, titles, strict=True):
    bins = pd.cut(df[name], np.linspace(0, 1, 6))
    mean = df.assign(truth=malignant).groupby(bins, observed=True)[[name, "truth"]].mean()
    ax.plot(*mean.T.values, "_", color=plt.rcParams["text.color"], ms=14, zorder=5, label="truth")
    ax.set_title(title, loc="left")
shared_legend(grid.figure)
sns.move_legend(grid.figure, "outside lower center", ncols=2, frameon=False)
sns.despine()
plt.show()

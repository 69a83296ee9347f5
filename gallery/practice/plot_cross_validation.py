"""
Cross-validation
================

A model for each of ten folds. Scores of different folds are not comparable, so that each fold is
evaluated alone, and folds are averaged: one estimate and one interval. Single folds have wide
intervals.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import pu_accessor

images, digit = load_digits(return_X_y=True)
eight, folds = digit == 8, 10
known = eight & (np.random.default_rng(1).random(digit.size) < 0.4)

# %%
# Fit on nine folds and score the tenth. Folds are stratified, so that each has known positives.
df = pd.DataFrame({"fold": 0, "score": 0.0, "label": np.where(known, 1, np.nan)})
split = StratifiedKFold(folds, shuffle=True, random_state=0).split(images, known)
for fold, (train, test) in enumerate(split):
    model = DecisionTreeClassifier(min_samples_leaf=20, random_state=fold)
    model.fit(images[train], known[train])
    df.loc[test, "fold"] = fold
    df.loc[test, "score"] = model.predict_proba(images[test])[:, 1]
beta = pu_accessor.beta_from_prevalence(0.1, known.sum(), (~known).sum())
average = df.pu(by="fold", average="fold")
print(average.auroc(beta).round(3).to_string(index=False))

# %%
# The AUROC of each fold and of all, for future data.
single, whole = df.pu(by="fold").auroc(beta), average.auroc(beta)
true = [roc_auc_score(eight[df["fold"] == f], df.loc[df["fold"] == f, "score"]) for f in range(10)]
blue, orange = sns.color_palette("colorblind", 2)
figure, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
for place, rows, color, name in [
    (single["fold"], single, blue, "one fold, 95% interval"),
    ([folds + 0.5], whole, orange, "all folds, 95% interval"),
]:
    ends = [rows["estimate"] - rows["lower"], rows["upper"] - rows["estimate"]]
    ax.errorbar(place, rows["estimate"], ends, fmt="o", color=color, label=name)
ticks, ink = [*range(folds), folds + 0.5], plt.rcParams["text.color"]
ax.plot(ticks, [*true, np.mean(true)], "_", color=ink, markersize=12, zorder=5, label="truth")
ax.set_xticks(ticks[::3] + ticks[-1:], ["0", "3", "6", "9", "all"])
ax.set(xlabel="fold", ylabel="AUROC", ylim=(0.4, 1.02))
ax.set_title("The average of ten folds has a far\nshorter interval than one of them", loc="left")
figure.legend(loc="outside lower center", ncols=2, frameon=False)
sns.despine()
plt.show()

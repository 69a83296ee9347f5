"""
Cross-validation with hidden positives
======================================

Known eights are told from all other images by a model for each of ten folds. Scores of different
folds are on no common scale, so that examples are ranked within their fold, and folds are pooled:
one estimate, one interval, one curve. Single folds say little. The truth is drawn beside them.
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
# Fit to the known positives of nine folds, score the tenth. Stratified on the labels, so that each
# fold has known positives; those of the fold that is scored are the ones that count.
df = pd.DataFrame({"fold": 0, "score": 0.0, "label": np.where(known, 1, np.nan)})
split = StratifiedKFold(folds, shuffle=True, random_state=0).split(images, known)
for fold, (train, test) in enumerate(split):
    model = DecisionTreeClassifier(min_samples_leaf=20, random_state=fold)
    model.fit(images[train], known[train])
    df.loc[test, "fold"] = fold
    df.loc[test, "score"] = model.predict_proba(images[test])[:, 1]
beta = pu_accessor.beta_from_prevalence(0.1, known.sum(), (~known).sum())
pooled = df.pu(by="fold", pool=True)
print(pooled.auroc(beta).round(3).to_string(index=False))

# %%
# Left: each fold and all of them, with 95% intervals for new examples. Right: the curve of all.
single, whole = df.pu(by="fold").auroc(beta), pooled.auroc(beta).iloc[0]
true = [roc_auc_score(eight[df["fold"] == f], df.loc[df["fold"] == f, "score"]) for f in range(10)]
blue, orange = sns.color_palette("colorblind", 2)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
left.vlines(single["fold"], single["lower"], single["upper"], color=blue, linewidth=1)
left.plot(single["fold"], single["estimate"], "o", color=blue, label="a fold")
left.plot(single["fold"], true, "_", color="black", markersize=12, label="its truth")
left.vlines(folds + 0.5, whole["lower"], whole["upper"], color=orange, linewidth=2)
left.plot(folds + 0.5, whole["estimate"], "o", color=orange)
left.plot(folds + 0.5, np.mean(true), "_", color="black", markersize=12)
left.set_xticks([*range(folds), folds + 0.5], [*map(str, range(folds)), "pooled"])
left.set(xlabel="fold", ylabel="AUROC", ylim=(0.3, 1.02))
left.legend(loc="lower left", ncols=2, frameon=False)
pooled.plot_roc(beta, baseline=True, ax=right)
sns.despine()
plt.show()

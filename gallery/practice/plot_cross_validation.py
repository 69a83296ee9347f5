"""
Cross-validation with hidden positives
======================================

A model for each of ten folds. Scores of different folds are not comparable, so that examples are
ranked within their fold, and folds are pooled: one estimate, one interval, one curve. Single
folds have wide intervals.
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
from pu_accessor.plots import shared_legend

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
pooled = df.pu(by="fold", pool=True)
print(pooled.auroc(beta).round(3).to_string(index=False))

# %%
# Left: the AUROC of each fold and of all, for future data. Right: the ROC curve of all.
single, whole = df.pu(by="fold").auroc(beta), pooled.auroc(beta)
true = [roc_auc_score(eight[df["fold"] == f], df.loc[df["fold"] == f, "score"]) for f in range(10)]
blue, orange = sns.color_palette("colorblind", 2)
figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 4.6), layout="constrained")
for place, rows, color, name in [
    (single["fold"], single, blue, "one fold, 95% interval"),
    ([folds + 0.5], whole, orange, "all folds, 95% interval"),
]:
    ends = [rows["estimate"] - rows["lower"], rows["upper"] - rows["estimate"]]
    left.errorbar(place, rows["estimate"], ends, fmt="o", color=color, label=name)
ticks, ink = [*range(folds), folds + 0.5], plt.rcParams["text.color"]
left.plot(ticks, [*true, np.mean(true)], "_", color=ink, markersize=10, label="truth")
left.set_xticks(ticks[::3] + ticks[-1:], ["0", "3", "6", "9", "all"])
left.set(xlabel="fold", ylabel="AUROC", ylim=(0.4, 1.02))
left.set_title("Pooled folds give a precise AUROC", loc="left")
pooled.plot_roc(beta, ax=right, line_kws={"color": orange})
right.set_title("The ROC curve of all folds", loc="left")
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
sns.despine()
plt.show()

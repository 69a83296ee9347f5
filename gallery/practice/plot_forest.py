"""
Forest plot of many models
==========================

A forest plot of eight classifiers of digits: the AUROC of each on future data, with its 95%
interval, and its true AUROC. Crosses take the unlabeled as negative. The test of whether one
model is better than another is ``compare``, not the overlap of intervals.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn import discriminant_analysis, linear_model, naive_bayes, neighbors, tree
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

import pu_accessor

images, digit = load_digits(return_X_y=True)
eight = digit == 8
known = eight & (np.random.default_rng(8).random(digit.size) < 0.4)
models = {
    "logistic regression": linear_model.LogisticRegression(C=0.01, max_iter=2000),
    "linear discriminants": discriminant_analysis.LinearDiscriminantAnalysis(),
    "naive Bayes": naive_bayes.GaussianNB(),
    "5 neighbours": neighbors.KNeighborsClassifier(5),
    "50 neighbours": neighbors.KNeighborsClassifier(50),
    "a small tree": tree.DecisionTreeClassifier(max_depth=3, random_state=0),
    "a large tree": tree.DecisionTreeClassifier(min_samples_leaf=20, random_state=0),
    "a stump": tree.DecisionTreeClassifier(max_depth=1, random_state=0),
}

# %%
# Each is fitted to known positives against the rest, and scores images it has not seen.
df = pd.DataFrame({"label": np.where(known, True, None)})
for name, model in models.items():
    df[name] = cross_val_predict(model, images, known, cv=5, method="predict_proba")[:, 1]
beta = pu_accessor.beta_from_prevalence(0.1, known.sum(), (~known).sum())

# %%
every = df.pu(score=[*models])
best = every.auroc(beta).sort_values("estimate", ascending=False)["model"]
figure, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
every.plot_forest("auroc", beta, order=best, baseline=True, ax=ax, legend=False)
ax.lines[-1].remove()  # chance, 0.5, is out of view
for text in ax.texts[len(best) :]:
    text.remove()  # the numbers of the crosses
true = [roc_auc_score(eight, df[name]) for name in best]
ink = plt.rcParams["text.color"]
ax.plot(true, range(len(best)), "|", color=ink, markersize=14, zorder=5, label="truth")
figure.legend(loc="outside lower center", ncols=2, frameon=False)
ax.set(xlim=(0.6, 1.02), xlabel="AUROC")
figure.suptitle("50 neighbours have the highest AUROC, estimated and true")
sns.despine(left=True)
plt.show()

"""
Model selection in scikit-learn
===============================

A tree that finds malignant tumours, of which half are known: how many leaves should it have? The
scorer of this package estimates the AUROC of each tree. The naive score takes the unlabeled as
negative: it chooses the same tree, but is too low. The true best tree has 3 leaves.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from pu_accessor.sklearn import scorer

features, target = load_breast_cancer(return_X_y=True)
malignant = target == 0
known = malignant & (np.random.default_rng(0).random(malignant.size) < 0.5)
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
# The scorer works in any search of scikit-learn.
leaves = [2, 3, 4, 6, 8, 12, 16, 24, 32]
scoring = {"ours": scorer("auroc", beta=beta, unlabeled=0), "naive": "roc_auc"}
tree = DecisionTreeClassifier(random_state=0)
search = GridSearchCV(tree, {"max_leaf_nodes": leaves}, scoring=scoring, refit="ours", cv=10)
search.fit(features, known.astype(int))
print(f"chosen: {search.best_params_}")

# %%
# The truth, which is unknown in practice: the same models evaluated with all labels.
split = [*StratifiedKFold(10).split(features, known)]
truth = []
for most in leaves:
    tree.set_params(max_leaf_nodes=most)
    scores = [tree.fit(features[a], known[a]).predict_proba(features[b])[:, 1] for a, b in split]
    each = zip(scores, split, strict=True)
    truth.append(np.mean([roc_auc_score(malignant[b], score) for score, (_, b) in each]))
blue, orange = sns.color_palette("colorblind", 2)
figure, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
means = search.cv_results_
ax.plot(leaves, truth, color=plt.rcParams["text.color"], label="truth")
ax.plot(leaves, means["mean_test_ours"], "o-", color=blue, label="estimate with β")
ax.plot(leaves, means["mean_test_naive"], "x--", color=orange, label="unlabeled as negative")
best = search.best_params_["max_leaf_nodes"], search.best_score_
ax.annotate("chosen", best, (best[0], 0.84), ha="center", arrowprops={"arrowstyle": "->"})
ax.set(xlabel="maximum number of leaves", ylabel="mean AUROC of ten folds")
ax.set(xscale="log", ylim=(0.6, 0.94))
ax.set_title(
    "Both estimates choose 4 leaves; only the\none with β is near the true AUROC", loc="left"
)
ax.set_xticks(leaves, [str(most) for most in leaves])
ax.minorticks_off()
ax.legend(loc="lower left", frameon=False)
sns.despine()
plt.show()

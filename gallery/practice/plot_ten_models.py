"""
Ten models, and what they are worth
===================================

Ten classifiers predict which diabetes patients get worse. 40% of these are known, nothing is
known of the others. A groupby asks the same question of each model; the bars are the 95% intervals
of their AUROC. Crosses take the unlabeled as negative, ticks are the truth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn import (
    discriminant_analysis,
    ensemble,
    linear_model,
    naive_bayes,
    neighbors,
    svm,
    tree,
)
from sklearn.datasets import load_diabetes
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

features, progression = load_diabetes(return_X_y=True)
truth = progression > 150
known = truth & (np.random.default_rng(3).random(truth.size) < 0.4)
models = {
    "logistic regression": linear_model.LogisticRegression(),
    "linear discriminants": discriminant_analysis.LinearDiscriminantAnalysis(),
    "naive Bayes": naive_bayes.GaussianNB(),
    "support vectors": svm.SVC(),
    "3 neighbours": neighbors.KNeighborsClassifier(3),
    "30 neighbours": neighbors.KNeighborsClassifier(30),
    "random forest": ensemble.RandomForestClassifier(random_state=0),
    "extra trees": ensemble.ExtraTreesClassifier(random_state=0),
    "boosting": ensemble.GradientBoostingClassifier(random_state=0),
    "one small tree": tree.DecisionTreeClassifier(max_depth=3, random_state=0),
}

# %%
# A long frame has a row for each model and patient.
frames = []
for name, model in models.items():
    how = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    score = cross_val_predict(model, features, known, cv=5, method=how)
    score = score if score.ndim == 1 else score[:, 1]
    frames += [pd.DataFrame({"model": name, "score": score, "label": np.where(known, 1, np.nan)})]
long = pd.concat(frames)
beta = truth[~known].mean()
found = long.groupby("model").pu.auroc(beta).sort_values("estimate", ascending=False)["model"]

# %%
ax = long.groupby("model").pu.plot_forest(
    "auroc", beta, target="examples", order=found, baseline=True
)
scores = long.groupby("model")["score"]
areas = scores.agg(lambda score: roc_auc_score(truth, score))
ax.plot(areas[found], range(len(found)), "|", color="black", markersize=16, label="truth")
shared_legend(ax.figure)
sns.despine(left=True)
plt.show()

"""
Is A better than B? Without knowing beta
========================================

Two models rank the same examples. The model with the higher AUROC is the one that ranks the known
positives higher, whatever beta is, and DeLong's test says whether that can be
chance. Only the size of the difference depends on beta.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor  # registers df.pu

features, target = load_breast_cancer(return_X_y=True)
malignant = target == 0
known = malignant & (np.random.default_rng(4).random(malignant.size) < 0.3)
models = {"A": (LogisticRegression(), [0, 1, 4]), "B": (GaussianNB(), [4, 5, 8])}
df = pd.DataFrame({"label": np.where(known, True, None)})
for name, (model, columns) in models.items():
    steps, some = make_pipeline(StandardScaler(), model), features[:, columns]
    df[name] = cross_val_predict(steps, some, known, cv=10, method="predict_proba")[:, 1]

# %%
# On the left no beta is needed: a point below the line is a known positive that A ranks higher. On
# the right the interval of the difference stays on one side of zero, at any beta.
both = df.pu(score=["A", "B"])
test, sized = both.compare().iloc[0], both.compare("auroc", np.linspace(0, 0.4, 41))
ranks = df[["A", "B"]].rank(ascending=False)[known]
blue = sns.color_palette("colorblind")[0]

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
left.plot([1, len(df)], [1, len(df)], color="0.6", linewidth=1)
left.scatter(ranks["B"], ranks["A"], s=18, color=blue, alpha=0.7, linewidth=0)
left.set_box_aspect(1)
left.set(xlabel="rank of a known positive by B", ylabel="rank by A")
left.set_title(
    f"{test['n']} known positives: t = {test['statistic']:.1f}, p = {test['p_value']:.4f}",
    loc="left",
)
right.fill_between(
    sized["beta"], sized["lower"], sized["upper"], color=blue, alpha=0.25, linewidth=0
)
right.plot(sized["beta"], sized["difference"], color=blue)
right.axhline(0, color="black", linewidth=1)
right.set(xlabel="β̂", ylabel="AUROC of A minus that of B", xlim=(0, 0.4))
right.set_title("difference on new examples, with its 95% interval", loc="left")
sns.despine()
plt.show()

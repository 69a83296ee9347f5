"""
Are these probabilities?
========================

A classifier that learned to tell known positives from all the rest gives the probability of being
*known*: never much more than the share of positives that are. The reliability diagram of known
positives and unlabeled rows shows it, with exact limits for each bin: where it says a quarter,
three quarters of the tumours are malignant. Divided by that share, as Elkan and Noto do, the
scores come to the diagonal. A bin without known positives, hollow, says next to nothing.
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

features, target = load_breast_cancer(return_X_y=True)
malignant, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression(C=0.1))
known = malignant & (np.random.default_rng(2).random(malignant.size) < 0.4)
raw = cross_val_predict(model, features[:, [1, 4, 8]], known, cv=10, method="predict_proba")[:, 1]
df = pd.DataFrame({"as learned": raw, "divided by 0.4": np.minimum(raw / 0.4, 1)})
df["label"] = np.where(known, True, None)
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
ax = df.pu(score=["as learned", "divided by 0.4"]).plot_calibration(beta, bins=5)
sns.despine()
plt.show()

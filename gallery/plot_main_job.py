"""The main job: bound ROC and PR curves of real scores, with the true curves beside them.

A logistic regression is cross-validated on scikit-learn's breast-cancer data. Then all labels are
hidden but those of 30% of the malignant cases, and the bounds are computed from what is left.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor

features, target = load_breast_cancer(return_X_y=True)
malignant = target == 0
model = make_pipeline(StandardScaler(), LogisticRegression())
score = cross_val_predict(model, features, malignant, cv=10, method="decision_function")

rng = np.random.default_rng(20150427)
known = rng.permutation(np.flatnonzero(malignant))[: round(0.3 * malignant.sum())]
label = pd.array([pd.NA] * malignant.size, dtype="boolean")
label[known] = True
df = pd.DataFrame({"score": score, "label": label})
beta = float(malignant[label.isna()].mean())  # known here; otherwise an input

bounds = df.pu.contingency(beta)
truth = pu_accessor.contingency(score, malignant, beta=0, negative=False)

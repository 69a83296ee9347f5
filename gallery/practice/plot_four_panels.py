"""
Four panels, one legend
=======================

Two models of breast cancer, looked at from four sides. Each plot goes to Axes that are there and
leaves them where they are; ``shared_legend`` names what is in all of them, once.
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
malignant = target == 0
known = malignant & (np.random.default_rng(4).random(malignant.size) < 0.4)
df, model = pd.DataFrame({"label": np.where(known, True, None)}), LogisticRegression()
for name, columns in {"size": [0, 3], "texture": [1, 4]}.items():
    steps = make_pipeline(StandardScaler(), model)
    score = cross_val_predict(steps, features[:, columns], known, cv=10, method="predict_proba")
    df[name] = score[:, 1]
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
models = df.pu(score=["size", "texture"], monotone=True)
figure, axes = plt.subplots(2, 2, figsize=(7.5, 8), layout="constrained")
models.plot_roc(beta, ax=axes[0, 0])
models.plot_pr(beta, ax=axes[0, 1])
models.plot_gain(beta, ax=axes[1, 0])
models.plot_metric("f1", beta, x="fraction", ax=axes[1, 1])
shared_legend(figure)
sns.despine()
plt.show()

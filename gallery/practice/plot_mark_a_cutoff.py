"""
A cutoff on the curve, and its table
====================================

The 150 tumours with the highest scores get a biopsy. Where is that on the ROC curve, and how many
of the biopsies are needless? The confusion matrix has limits for each cell, as only two in five of
the malignant cases are known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor  # registers df.pu

features, target = load_breast_cancer(return_X_y=True)
malignant, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
known = malignant & (np.random.default_rng(4).random(malignant.size) < 0.4)
score = cross_val_predict(model, features[:, 10:20], known, cv=10, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
pu = df.pu.assume(monotone=True)
table = pu.contingency(beta, ranks=150).pu.to_frame().set_index("bound")
ax = pu.plot_roc(beta)
here = table.loc["estimate"]
ax.plot(here["fp"] / (here["fp"] + here["tn"]), here["tp"] / (here["tp"] + here["fn"]), "o")
cells = table[["tp", "fp", "fn", "tn"]].T.round().astype(int)
names = {"rowLabels": [*cells.index], "colLabels": [*cells]}
ax.table(cells.astype(str).to_numpy(), bbox=(0.6, 0.1, 0.36, 0.36), **names)
plt.show()

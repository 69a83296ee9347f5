"""
One model in five lines
=======================

How well are high digits, seven to nine, told from the others, if a third of them is known and
nothing is known of the rest? Two columns and a number are all it takes: scores, labels, and beta,
the share of high digits among the unlabeled. The dashed curve takes all of these as negative.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import pu_accessor

images, digit = load_digits(return_X_y=True)
known = (digit >= 7) & (np.random.default_rng(5).random(digit.size) < 1 / 3)
lower_half, model = images[:, 32:] / 16, LogisticRegression(max_iter=1000)

# %%
# The model learns to tell known ones from all else, and scores rows it has not seen.
score = cross_val_predict(model, lower_half, known, cv=5, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = pu_accessor.beta_from_prevalence(0.3, known.sum(), (~known).sum())
print(df.pu.auroc([0, beta]).round(3).to_string(index=False))
ax = df.pu.plot_roc(beta, baseline=True)

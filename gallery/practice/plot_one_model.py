"""
One model in five lines
=======================

How well are nines told from the other digits, if a third of them is known to be a nine and
nothing is known of the rest? Two columns and a number are all it takes: scores, labels, and beta,
the share of nines among the unlabeled.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import pu_accessor

images, digit = load_digits(return_X_y=True)
known = (digit == 9) & (np.random.default_rng(5).random(digit.size) < 1 / 3)
lower_half, model = images[:, 32:], LogisticRegression(max_iter=1000)

# %%
# The model learns to tell known nines from all else, and scores rows it has not seen.
score = cross_val_predict(model, lower_half, known, cv=10, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = pu_accessor.beta_from_prevalence(0.1, known.sum(), (~known).sum())
print(df.pu.auroc(beta).round(3).to_string(index=False))
ax = df.pu.plot_roc(beta, baseline=True)
sns.despine()
plt.show()

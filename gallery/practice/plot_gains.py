"""
How much of it is in the top tenth?
===================================

A screen looks at the best-ranked images first. Cumulative gains say what share of the eights it
has found by then, between chance and a ranking that has all of them first. The enrichment factor
of the top twentieth and BEDROC are numbers of it, with intervals.
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
eight, model = digit == 8, LogisticRegression(max_iter=2000)
known = eight & (np.random.default_rng(8).random(digit.size) < 0.4)
score = cross_val_predict(model, images / 16, known, cv=5, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = pu_accessor.beta_from_prevalence(0.1, known.sum(), (~known).sum())

# %%
ax = df.pu.plot_metric("recall", beta, x="fraction")
factor = df.pu.metric("lift", beta, at={"fraction": 0.05}).iloc[0]
bedroc = df.pu.metric("bedroc", beta).iloc[0]
told = [
    f"{name}: {found['estimate']:.2f} ({found['lower']:.2f} to {found['upper']:.2f})"
    for name, found in (("enrichment of the top 5%", factor), ("BEDROC", bedroc))
]
ax.text(0.98, 0.04, "\n".join(told), ha="right")
sns.despine()
plt.show()

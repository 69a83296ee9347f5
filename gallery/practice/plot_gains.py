"""
How much of it is in the top tenth?
===================================

Cumulative gains: the share of the eights among the best-ranked images, between a random and a
perfect ranking. The enrichment factor of the top twentieth and BEDROC are summaries, with 95%
intervals.
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
lift = df.pu.metric("lift", beta, at={"fraction": 0.05}).iloc[0]
bedroc = df.pu.metric("bedroc", beta).iloc[0]
lines = [
    f"{name}: {row['estimate']:.2f} ({row['lower']:.2f} to {row['upper']:.2f})"
    for name, row in (("enrichment factor of the top 5%", lift), ("BEDROC", bedroc))
]
ax.text(0.98, 0.04, "\n".join(lines), ha="right")
share = df.pu.metric("recall", beta, at={"fraction": 0.1})["estimate"].item()
ax.set_title(f"The top tenth contains {share:.0%} of the eights", loc="left")
sns.despine()
plt.show()

"""
Gains chart
===========

Cumulative gains: the share of the eights among the best-ranked images, between a random and a
perfect ranking. The point is the share in the best tenth, with its 95% interval. The true curve
is dashed.
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
figure, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
df.pu.plot_metric("recall", beta, x="fraction", ax=ax)
found = df.pu.metric("recall", beta, at={"fraction": 0.1}).iloc[0]
share, ink = found["estimate"], {"color": plt.rcParams["text.color"]}
true = eight[np.argsort(-score)].cumsum() / eight.sum()
ax.plot(np.arange(1, 1_798) / 1_797, true, linestyle="--", linewidth=1, label="truth", **ink)
ends = [[share - found["lower"]], [found["upper"] - share]]
ax.errorbar(0.1, share, ends, fmt="o", capsize=3, zorder=5, label="top tenth, 95% interval", **ink)
ax.legend(loc="lower right", frameon=False)
ax.set_title(f"The top tenth contains an estimated\n{share:.0%} of the eights", loc="left")
sns.despine()
plt.show()

"""
Four panels, one legend
=======================

A paper has room for one figure, of a given width: both curves, gains, and F1 by threshold. Each
panel is drawn on Axes of one's own, which keep their place, and `shared_legend` names what is in
them once.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit

from pu_accessor.plots import shared_legend

rng = np.random.default_rng(7)
truth = rng.random(3_000) < 0.2
known = truth & (rng.random(3_000) < 0.3)
score = rng.normal(2 * truth)
df = pd.DataFrame({"label": np.where(known, 1, np.nan)})
df["boosting"] = expit(2 * (score + 0.2 * rng.normal(size=3_000)) - 3)
df["logistic"] = expit(2 * (score + 1.0 * rng.normal(size=3_000)) - 3)
models, beta = df.pu(score=["boosting", "logistic"]), truth[~known].mean()

# %%
figure, axes = plt.subplots(2, 2, figsize=(7, 6.6), layout="constrained")
models.plot_roc(beta, ax=axes[0, 0])
models.plot_pr(beta, ax=axes[0, 1])
models.plot_metric("recall", beta, x="fraction", ax=axes[1, 0])
models.plot_metric("f1", beta, x="threshold", ax=axes[1, 1])
for letter, ax in zip("abcd", axes.flat, strict=True):
    ax.set_title(letter, loc="left", fontweight="bold")
shared_legend(figure)
plt.show()

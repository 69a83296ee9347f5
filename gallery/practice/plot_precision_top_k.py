"""
Precision among the top k
=========================

1,797 images are screened for eights, and the k best get a second look. A pointwise band covers
the precision at one k that was fixed in advance. A simultaneous band covers all k at once, also a
k that was chosen from the curve.
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
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
wide = {
    "line_kws": {"label": "_", "color": "0.55"},
    "band_kws": {"facecolor": "none", "edgecolor": "0.5", "linewidth": 1.2},
}
df.pu.plot_metric("precision", beta, band="simultaneous", ax=ax, **wide)
df.pu.plot_metric("precision", beta, ax=ax, line_kws={"color": "C0", "label": "estimate"})
ranks = np.arange(1, eight.size + 1)
truth = eight[np.argsort(-score)].cumsum() / ranks
ax.plot(ranks, truth, color=plt.rcParams["text.color"], linestyle="--", label="truth")
ax.set(xlim=(0, 320), ylim=(0, 1.02))
ax.set_title("The simultaneous band is somewhat\nwider than the pointwise one", loc="left")
ax.legend(loc="lower left", frameon=False)
sns.despine()
plt.show()

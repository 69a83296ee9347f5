"""
Precision among the top k
=========================

1,797 images are screened for eights, the k best get a second look. How many of these are eights?
A k that was fixed in advance takes the exact band, which holds at each k. Who looks at the curve
and picks k then takes the wider simultaneous one, which holds at all of them at once.
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
blue, light = sns.color_palette("colorblind")[0], sns.color_palette("colorblind")[9]
ax = df.pu.plot_metric(
    "precision",
    beta,
    band="simultaneous",
    line_kws={"alpha": 0},
    band_kws={"color": light, "alpha": 0.4},
    legend=False,
)
df.pu.plot_metric(
    "precision",
    beta,
    ax=ax,
    line_kws={"color": blue},
    band_kws={"color": blue, "alpha": 0.4},
    legend=False,
)
best = eight[np.argsort(-score)].cumsum() / np.arange(1, eight.size + 1)
ax.plot(np.arange(1, eight.size + 1), best, color="black", linewidth=1)
line = {"arrowstyle": "-", "color": "0.4"}
ax.annotate("truth", (130, best[129]), (150, 0.95), arrowprops=line)
estimate = df.pu.metric("precision", beta, at=100)["estimate"].item()
ax.annotate("estimate", (100, estimate), (20, 0.3), arrowprops=line)
ax.annotate("95% exact band", (125, 0.64), (60, 0.2), arrowprops=line)
ax.annotate("95% simultaneous band", (160, 0.52), (110, 0.1), arrowprops=line)
ax.set(xlim=(0, 320), ylim=(0, 1.02))
sns.despine()
plt.show()

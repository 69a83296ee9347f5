"""
The class prior and chance
==========================

Lemma 4: if a ranking is better than chance, a larger beta moves its ROC curve up; if it is worse,
down. A curve that crosses the diagonal moves both ways. So the ends of an interval for beta are
not the lower and the upper bound of such a curve.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

rng, truth = np.random.default_rng(3), np.arange(100_000) < 30_000
spread = np.where(truth, 3.0, 1.0)  # half of the positives are very good, half are very bad
df = pd.DataFrame({"score": rng.normal(0, spread)})
df["label"] = np.where(np.arange(truth.size) < 10_000, True, None)  # beta is 2 in 9
curves = df.pu.roc_bounds(beta=[0, 0.1, 0.2]).sel(bound="estimate")

# %%
figure, ax = plt.subplots(figsize=(4.8, 4.8), layout="constrained")
ax.axline((0, 0), slope=1, color="0.5", linestyle=":", linewidth=1, label="chance")
arrow = {"arrowstyle": "-", "color": "0.5"}
for beta, color in zip(curves["beta"], plt.get_cmap("Blues")([0.4, 0.65, 0.95]), strict=True):
    one = curves.sel(beta=beta)
    ax.plot(one["fpr"], one["tpr"], color=color, label=f"β = {beta:g}")
ax.annotate("better than chance:\nup with β", (0.1, 0.36), (0.03, 0.66), arrowprops=arrow)
ax.annotate("worse than chance:\ndown with β", (0.92, 0.62), (0.6, 0.34), arrowprops=arrow)
ax.legend(loc="lower right", frameon=False, reverse=True)
ax.set(xlabel="false positive rate", ylabel="true positive rate", box_aspect=1)
ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
ax.set_title("A larger β moves the curve away from chance", loc="left")
sns.despine()
plt.show()

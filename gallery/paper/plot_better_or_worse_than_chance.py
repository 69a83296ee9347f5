"""
A larger beta exaggerates: better than chance and worse
=======================================================

Lemma 4: where a ranking is better than chance, a larger beta-hat moves its ROC curve up; where it
is worse, down. Both happen to one curve that crosses the diagonal. So the two ends of an interval
for beta do not bound such a curve, the lower end below and the upper end above: an envelope needs
both.
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
figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.axline((0, 0), slope=1, color="0.5", linestyle=":", linewidth=1)
for beta, color in zip(curves["beta"], sns.color_palette("viridis", 3), strict=True):
    one = curves.sel(beta=beta)
    ax.plot(one["fpr"], one["tpr"], color=color, label=f"β̂ = {beta:g}")
ax.annotate(
    "better than chance:\nup with β̂", (0.08, 0.36), (0.03, 0.66), arrowprops={"arrowstyle": "-"}
)
ax.annotate(
    "worse than chance:\ndown with β̂", (0.92, 0.62), (0.62, 0.3), arrowprops={"arrowstyle": "-"}
)
ax.set(xlabel="false positive rate", ylabel="true positive rate", box_aspect=1)
ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
ax.legend(loc="lower right", frameon=False)
sns.despine()
plt.show()

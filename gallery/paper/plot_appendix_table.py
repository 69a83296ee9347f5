"""
A table of the paper as a forest
================================

2,000 positives and 10,000 negatives; 10% to 90% of the positives are known, and beta-hat is a
fifth too low, right, or a fifth too high. Bars are the bounds on AUROC that the paper's bootstrap
gives; the line is the truth; one draw, as in the paper. With few known positives the bars hold
it; with many, an error in beta counts little, but the bootstrap is so sure of itself that even a
right beta-hat misses.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import roc_auc_score

import pu_accessor  # noqa: F401

truth = np.arange(12_000) < 2_000
score = np.random.default_rng(11).normal(1.03 * truth)
bars = {}
for share in [0.1, 0.3, 0.5, 0.7, 0.9]:
    known = np.arange(truth.size) < share * 2_000
    df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
    beta = truth[~known].mean()
    tables = df.pu.contingency(
        beta * np.array([0.8, 1, 1.2]), band="bootstrap", ranks="breakpoints"
    )
    bars[share] = tables.pu.area("roc").transpose("beta", "bound").to_numpy()

# %%
figure, ax = plt.subplots(figsize=(6.6, 5), layout="constrained")
colors = sns.color_palette("colorblind", 3)
for place, bounds in enumerate(bars.values()):
    for ratio, color, (low, middle, high) in zip([0.8, 1, 1.2], colors, bounds, strict=True):
        y = place + 1.3 * (ratio - 1)
        ax.plot([low, high], [y, y], color=color, linewidth=3, solid_capstyle="butt")
        ax.plot(middle, y, "o", color="white", markeredgecolor=color, markersize=5)
        if place == 0:
            ax.text(high + 0.002, y, f"β̂ = {ratio:.1f} β", color=color, va="center")
ax.axvline(roc_auc_score(truth, score), color="black", linewidth=1, zorder=0)
ax.annotate("truth", (roc_auc_score(truth, score), -0.55), (4, 0), textcoords="offset points")
ax.set(
    yticks=range(5),
    yticklabels=[f"{share:.0%} known" for share in bars],
    ylim=(4.5, -0.7),
    xlim=(None, 0.855),
)
ax.set(xlabel="AUROC, range of the 95% bootstrap band")
sns.despine(left=True)
ax.tick_params(left=False)
plt.show()

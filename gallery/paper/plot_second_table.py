"""
From whichever side is tightest: the paper's second table
=========================================================

2,000 positives, a tenth of them known, and 10,000 negatives, of which none to 80% are known. Bars
are the range of AUROC by the band of the paper, from the kind of known examples that makes it
narrower; the line is the truth; one draw, as in the paper. From known negatives the range gets
narrow, and an error in beta-hat works the other way round: the more positives are said to be
among the unlabeled, the more these look like them.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import roc_auc_score

import pu_accessor  # noqa: F401

truth, shares = np.arange(12_000) < 2_000, [0, 0.2, 0.4, 0.6, 0.8]
rng = np.random.default_rng(12)
score, chance, tables = rng.normal(1.03 * truth), rng.random(truth.size), []
for share in shares:
    known = chance < np.where(truth, 0.1, share)
    df = pd.DataFrame({"score": score, "label": np.where(known, truth, None)})
    betas = truth[~known].mean() * np.array([0.8, 1, 1.2])
    way = {"band": "bootstrap", "reference": "tightest", "ranks": "breakpoints"}
    tables.append(df.pu.contingency(betas, **way))

# %%
figure, ax = plt.subplots(figsize=(6.8, 5), layout="constrained")
colors = sns.color_palette("colorblind", 3)
for place, table in enumerate(tables):
    areas = table.pu.area("roc").transpose("beta", "bound").to_numpy()
    for i, (low, middle, high) in enumerate(areas):
        y, color = place + 0.26 * (i - 1), colors[i]
        face = "white" if table["tightest"].values[i] == "positives" else color
        ax.plot([low, high], [y, y], color=color, linewidth=3, solid_capstyle="butt")
        ax.plot(middle, y, "o", color=face, markeredgecolor=color, markersize=7)
        if place == 0:
            ax.text(high + 0.002, y, f"β̂ = {[0.8, 1, 1.2][i]} β", color=color, va="center")
for face, text in [("white", "from known positives"), ("0.3", "from known negatives")]:
    ax.plot([], [], "o", color=face, markeredgecolor="0.3", markersize=7, label=text)
ax.legend(loc="lower right", frameon=False)
ax.axvline(roc_auc_score(truth, score), color="black", linewidth=1, zorder=0)
ax.annotate("truth", (roc_auc_score(truth, score), -0.55), (4, 0), textcoords="offset points")
ax.set(yticks=range(5), yticklabels=[f"{share:.0%} known" for share in shares])
ax.set(xlabel="AUROC, range of the 95% bootstrap band", ylabel="negatives")
ax.set(xlim=(None, 0.92), ylim=(4.5, -0.7))
sns.despine(left=True)
ax.tick_params(left=False)
plt.show()

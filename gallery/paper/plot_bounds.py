"""
From a band on a CDF to bounds on every curve
=============================================

Theorem 1: a band says how many latent positives the head of the ranking can hold. The most of
them make the upper curve, the fewest the lower one. By Lemma 1 more true positives at a cutoff
are fewer false ones, so that the true positive rate rises, the false positive rate falls and
precision rises, all at once; by Lemma 3 no better bound can be had from that band.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

BETA, CUTOFF = 800 / 2_800, 800
truth = np.arange(3_000) < 1_000
df = pd.DataFrame({"score": np.random.default_rng(16).normal(1.2 * truth)})
df["label"] = np.where(np.arange(3_000) < 200, True, None)  # of 2,800 others 800 are positive

# %%
# A cutoff is a vertical line on the left and three points in the other two pictures, one for each
# bound: what is up in one picture is up in all.
tables = df.pu.contingency(beta=BETA, ranks="breakpoints")
cutoff = tables.sel(rank=CUTOFF, method="ffill").squeeze()
tpr, fpr, precision = (cutoff.pu.metric(name) for name in ("tpr", "fpr", "precision"))

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.5, 4.4), layout="constrained")
df.pu.plot_rank_cdf(beta=BETA, ax=left)
tables.pu.plot_roc(ax=middle)
tables.pu.plot_pr(ax=right)
left.axvline(CUTOFF, ymin=0.3, color="0.3", linewidth=1)
left.annotate(f"the {CUTOFF} best", (CUTOFF, 1), (6, -4), textcoords="offset points", va="top")
for ax, x, y in [(middle, fpr, tpr), (right, tpr, precision)]:
    ax.plot(x, y, "o-", color="0.2", markersize=5, zorder=5)
    end = int(x.argmax("bound"))
    ax.annotate(f"the {CUTOFF} best", (x[end], y[end]), (8, -3), textcoords="offset points")
right.set_xlim(0.01, 1.01)
for ax, title in [(left, "rank CDF"), (middle, "ROC"), (right, "precision and recall")]:
    ax.set_title(title, loc="left")
    ax.set_box_aspect(1)
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
sns.despine()
plt.show()

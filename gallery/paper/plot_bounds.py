"""
Bounds on the rank CDF, ROC and PR curves
=========================================

Theorem 1: a band on the rank CDF bounds the number of hidden positives above each cutoff. The
most of them give the upper curve, the fewest the lower one. By Lemma 1 the true positive rate and
precision then rise, and the false positive rate falls. By Lemma 3 no better bound can be had from
that band. The dashed curves are the truth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import precision_recall_curve, roc_curve

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

BETA, CUTOFF = 800 / 2_800, 800
truth = np.arange(3_000) < 1_000
df = pd.DataFrame({"score": np.random.default_rng(16).normal(1.2 * truth)})
df["label"] = np.where(np.arange(3_000) < 200, True, None)  # of 2,800 others 800 are positive

# %%
# A cutoff is three points: the estimate, the lower and the upper bound.
tables = df.pu.contingency(beta=BETA, ranks="breakpoints")
cutoff = tables.sel(rank=CUTOFF, method="ffill").squeeze()
tpr, fpr, precision = (cutoff.pu.metric(name) for name in ("tpr", "fpr", "precision"))

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.2, 3.1), layout="constrained")
band = {"band_kws": {"label": "95% band, pointwise"}}
df.pu.plot_rank_cdf(beta=BETA, ax=left, line_kws={"color": "C2"}, **band)
tables.pu.plot_roc(ax=middle)
tables.pu.plot_pr(ax=right)
share = df.pu.rank_cdf(BETA).sel(rank=CUTOFF, method="ffill")["rank_cdf"].squeeze()
ink, found = {"color": plt.rcParams["text.color"]}, truth[np.argsort(-df["score"])].cumsum()
for ax, x, y in [(left, 0 * share + CUTOFF, share), (middle, fpr, tpr), (right, tpr, precision)]:
    ax.plot(x, y, "o-", **ink, markersize=4, zorder=7, label=f"three points of the top {CUTOFF}")
reached, recall, _ = precision_recall_curve(truth, df["score"])
for ax, x, y in [
    (left, np.arange(1, 3_001), found / 1_000),
    (middle, *roc_curve(truth, df["score"])[:2]),
    (right, recall[:-1], reached[:-1]),
]:
    ax.plot(x, y, "--", **ink, linewidth=1, zorder=6, label="truth")
for ax, title in [(left, "rank CDF"), (middle, "ROC"), (right, "precision-recall")]:
    ax.set_title(title, loc="left")
    ax.set_box_aspect(1)
left.set_xlabel("rank of the cutoff")
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
figure.suptitle("Bounds on the share of positives found give bounds on ROC and PR")
sns.despine()
plt.show()

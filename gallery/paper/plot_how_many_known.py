"""
How many known positives does it take?
======================================

100,000 unlabeled examples, a fifth of them positive, and from 10 to 10,000 known positives. The
wide band is the area between the curves that bound the ROC curve, the narrow one the interval of
the direct estimate of AUROC; means of 30 repeats. Ten times as many known positives make both
about a third as wide.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm

import pu_accessor  # noqa: F401

UNLABELED, BETA, REPEATS, KNOWN = 100_000, 0.2, 30, [10, 30, 100, 300, 1_000, 3_000, 10_000]
rng, rows = np.random.default_rng(6), []
for known in KNOWN * REPEATS:
    truth = np.arange(known + UNLABELED) < known + BETA * UNLABELED
    df = pd.DataFrame({"score": rng.normal(truth)})
    df["label"] = np.where(np.arange(truth.size) < known, 1, np.nan)
    area = df.pu.contingency(BETA, ranks="breakpoints").pu.area("roc").to_series()
    rows += [(known, "bounding curves", area.iloc[0], area.iloc[2])]
    direct = df.pu.auroc(BETA, target="examples").iloc[0]
    rows += [(known, "direct estimate", direct["lower"], direct["upper"])]
told = pd.DataFrame(rows, columns=["known", "how", "lower", "upper"])
mean = told.groupby(["how", "known"]).mean()

# %%
figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for (_, one), color in zip(mean.groupby("how"), sns.color_palette("colorblind"), strict=False):
    ax.fill_between(KNOWN, one["lower"], one["upper"], color=color, alpha=0.5, linewidth=0)
ax.axhline(norm.cdf(1 / np.sqrt(2)), color="black", linewidth=1)
line = {"arrowstyle": "-", "color": "0.4"}
ax.annotate("area between 95% exact curves", (60, 0.61), (200, 0.56), arrowprops=line)
ax.annotate("95% interval of the estimate", (120, 0.71), (200, 0.62), arrowprops=line)
ax.annotate("true AUROC", (2_000, 0.76), (3_000, 0.84), arrowprops=line)
ax.set(xscale="log", xlim=(10, 10_000), ylim=(0.45, 1))
ax.set_xticks(KNOWN[::2], [f"{known:,}" for known in KNOWN[::2]])
ax.set(xlabel="known positives", ylabel="AUROC")
sns.despine()
plt.show()

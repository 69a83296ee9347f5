"""
How fast does the false positive rate change with beta?
=======================================================

At a cutoff with a share T of the known positives and a share H of the unlabeled examples, the
estimated false positive rate is (H - beta T) / (1 - beta). Its slope is (H - T) / (1 - beta)², as
the tangents show. Appendix B of the paper lacks the factor 1/U of it: its slopes are 36,000 times
as steep here.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

truth = np.arange(40_000) < 12_000
df = pd.DataFrame({"score": np.random.default_rng(8).normal(0.7 * truth)})
df["label"] = np.where(np.arange(truth.size) < 4_000, True, None)  # beta is 2 in 9
betas, ranks, at = np.linspace(0, 0.45, 46), [5_000, 10_000, 20_000], 0.25
tables = df.pu.contingency(beta=betas, ranks=ranks).sel(bound="estimate")
fpr = tables.pu.metric("fpr")

# %%
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for rank, color in zip(fpr["rank"], sns.color_palette("colorblind"), strict=False):
    naive, y = fpr.sel(rank=rank, beta=0).item(), fpr.sel(rank=rank, beta=at, method="nearest")
    found = (
        rank - naive * 36_000
    ) / 4_000  # T; H is the rate that takes the unlabeled as negative
    ax.plot(betas, fpr.sel(rank=rank), color=color)
    x, slope = np.array([at - 0.12, at + 0.12]), (naive - found) / (1 - at) ** 2
    ax.plot(x, y.item() + slope.item() * (x - at), color="0.2", linewidth=1)
    ax.annotate(f"the {rank:,} best", (0, naive), (4, 6), textcoords="offset points", color=color)
ax.plot([], [], color="0.2", linewidth=1, label="tangent by (H - T) / (1 - β̂)²")
ax.legend(loc="upper right", frameon=False)
ax.set(xlabel="β̂", ylabel="false positive rate", xlim=(0, 0.45), ylim=(0, 0.52))
sns.despine()
plt.show()

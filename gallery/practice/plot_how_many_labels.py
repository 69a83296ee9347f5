"""
How many labels do I need?
==========================

Nobody knows beta, but somebody could label a random sample of the 20,000 unlabeled examples. How
many? The funnel is the 95% interval that s labels are expected to give if a fifth of the examples
is positive, the line is one sample as it grows. No assumption about scores or models is needed.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor
from pu_accessor import labeling

UNLABELED, BETA, WIDTH = 20_000, 0.2, 0.1
needed = labeling.labels_needed(WIDTH, UNLABELED, beta=BETA)
print(f"{needed} labels for an interval of width {WIDTH}")

# %%
sizes = np.unique(np.geomspace(10, 2_000, 60).round(-1)).astype(int)
expected = pd.concat(
    pu_accessor.beta_from_labels(round(BETA * size), size, UNLABELED) for size in sizes.tolist()
)
found = np.random.default_rng(4).permutation(np.arange(UNLABELED) < BETA * UNLABELED)[:2_000]
blue, orange = sns.color_palette("colorblind", 2)

figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
ax.fill_between(sizes, expected["lower"], expected["upper"], color=blue, alpha=0.25, linewidth=0)
ax.plot(np.arange(10, 2_001), found.cumsum()[9:] / np.arange(10, 2_001), color=orange)
at = pu_accessor.beta_from_labels(round(BETA * needed), needed, UNLABELED).iloc[0]
ax.plot([needed, needed], [at["lower"], at["upper"]], color="black", linewidth=1)
ax.annotate(
    f"{needed} labels:\nwidth {WIDTH}", (needed, at["upper"]), (8, 12), textcoords="offset points"
)
ax.annotate("one sample, growing", (34, 0.09), (14, 0.03), color=orange)
ax.set(
    xscale="log",
    xlim=(10, 2_000),
    ylim=(0, 0.6),
    xlabel="labeled by hand",
    ylabel="β, with its 95% interval",
)
ax.set_xticks([10, 100, 1_000], ["10", "100", "1,000"])
sns.despine()
plt.show()

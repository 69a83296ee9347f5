"""
How many positives must be known?
=================================

Before anything is labeled: how many known positives it takes for an interval of AUROC of some
width, and how likely it is that the difference between two models is seen.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from pu_accessor.labeling import positives_needed, power

OTHERS = 10_000
plan = positives_needed(0.05, pilot={"auroc": 0.85}, beta=0.1, n_unlabeled=OTHERS)
print(plan.to_string(index=False))
safe = positives_needed(0.05, pilot={"auroc": 0.85}, beta=0.1, n_unlabeled=OTHERS, probability=0.9)
print(safe.to_string(index=False))

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
widths = np.geomspace(0.05, 0.2, 9)
for auroc, color in zip((0.7, 0.85, 0.95), sns.color_palette("colorblind"), strict=False):
    plans = [
        positives_needed(width, pilot={"auroc": auroc}, beta=0.1, n_unlabeled=OTHERS)
        for width in widths.tolist()
    ]
    needed = [plan["n"].item() for plan in plans]
    left.loglog(widths, needed, color=color, label=f"AUROC {auroc}")
left.set(xlabel="width of the 95% interval of AUROC", ylabel="known positives")
left.set_xticks([0.05, 0.1, 0.2], ["0.05", "0.1", "0.2"])
left.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
left.minorticks_off()
left.legend(frameon=False)
sizes = np.arange(20, 420, 20)
for correlation, color in zip((0, 0.5, 0.9), sns.color_palette("colorblind"), strict=False):
    model = {"auroc": 0.85, "correlation": correlation}
    seen = [power(0.03, int(n), OTHERS, pilot=model, beta=0.1) for n in sizes]
    right.plot(sizes, seen, color=color, label=f"correlation {correlation}")
right.set(
    xlabel="known positives", ylabel="probability that a lead of .03 is seen", ylim=(0, 1.01)
)
right.legend(frameon=False)
sns.despine()
plt.show()

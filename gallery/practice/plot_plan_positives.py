"""
Sample size
===========

The number of known positives for a 95% interval of AUROC of a given width. It can be planned
before anything is labeled.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from pu_accessor.labeling import positives_needed

OTHERS = 10_000
plan = positives_needed(0.05, pilot={"auroc": 0.85}, beta=0.1, n_unlabeled=OTHERS)
print(plan.to_string(index=False))
safe = positives_needed(0.05, pilot={"auroc": 0.85}, beta=0.1, n_unlabeled=OTHERS, probability=0.9)
print(safe.to_string(index=False))

# %%
figure, ax = plt.subplots(figsize=(4.5, 3.8), layout="constrained")
widths = np.geomspace(0.05, 0.2, 9)
shades = plt.get_cmap("Blues")([0.4, 0.6, 0.8])
for auroc, color in zip((0.7, 0.85, 0.95), shades, strict=True):
    pilot = {"auroc": auroc}
    plans = [positives_needed(w, pilot=pilot, beta=0.1, n_unlabeled=OTHERS) for w in widths]
    needed = [plan["n"].item() for plan in plans]
    ax.loglog(widths, needed, color=color)
    ax.annotate(
        f"AUROC {auroc}", (0.2, needed[-1]), xytext=(4, -3), textcoords="offset points", fontsize=9
    )
ax.set(xlabel="width of the 95% interval of AUROC", ylabel="known positives")
ax.set_xticks([0.05, 0.1, 0.2], ["0.05", "0.1", "0.2"])
ax.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
ax.minorticks_off()
ax.set_title("Half the width needs about 3 to 4\ntimes the known positives", loc="left")
sns.despine()
plt.show()

"""
Sample size and power
=====================

The number of known positives for a 95% interval of AUROC of a given width, and the power of a
test of the difference between two models. Both can be planned before anything is labeled.
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
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.8), layout="constrained")
widths, sizes = np.geomspace(0.05, 0.2, 9), np.arange(20, 420, 20)
label = {"xytext": (4, -3), "textcoords": "offset points", "fontsize": 9}
shades = plt.get_cmap("Blues")([0.4, 0.6, 0.8])
for auroc, correlation, color in zip((0.7, 0.85, 0.95), (0, 0.5, 0.9), shades, strict=True):
    pilot = {"auroc": auroc}
    plans = [positives_needed(w, pilot=pilot, beta=0.1, n_unlabeled=OTHERS) for w in widths]
    left.loglog(widths, [plan["n"].item() for plan in plans], color=color)
    left.annotate(f"AUROC {auroc}", (0.2, plans[-1]["n"].item()), **label)
    pilot = {"auroc": 0.85, "correlation": correlation}
    seen = [power(0.03, int(n), OTHERS, pilot=pilot, beta=0.1) for n in sizes]
    right.plot(sizes, seen, color=color)
    right.annotate(f"correlation {correlation}", (400, seen[-1]), **label)
left.set(xlabel="width of the 95% interval of AUROC", ylabel="known positives")
left.set_xticks([0.05, 0.1, 0.2], ["0.05", "0.1", "0.2"])
left.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
left.minorticks_off()
left.set_title("Half the width needs 3 to 4\ntimes the known positives", loc="left")
right.set(xlabel="known positives", ylim=(0, 1.01))
right.set_ylabel("power to detect a difference\nof 0.03 in AUROC")
right.set_title("Correlated scores need\nfewer known positives", loc="left")
sns.despine()
plt.show()

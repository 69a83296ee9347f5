"""
Known negatives: from which side?
=================================

2,000 positives, a tenth of them known, and 6,000 negatives, 40% known. If both are random samples,
a band can start from the positives, from the negatives, or from both: what the two have in
common, each at half the error. Negatives say more about the top of the ranking, where few of them
are; positives say more about its foot.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

rng, truth = np.random.default_rng(5), np.arange(8_000) < 2_000
score = rng.normal(1.2 * truth)
known = rng.random(truth.size) < np.where(truth, 0.1, 0.4)
df = pd.DataFrame({"score": score, "label": np.where(known, truth, None)})
beta = truth[~known].mean()  # an input; here the truth is at hand

# %%
figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
blue, orange, green = sns.color_palette("colorblind", 3)
found = truth[np.argsort(-score)].cumsum()
looks = {
    "positives": {"facecolor": (*blue, 0.3), "edgecolor": blue, "linewidth": 0.6},
    "negatives": {"facecolor": (*orange, 0.3), "edgecolor": orange, "linewidth": 0.6},
    "both": {"facecolor": "none", "edgecolor": "black", "linewidth": 1.2},
}
for reference, look in looks.items():
    tp = df.pu.contingency(beta, reference=reference)["tp"].sel(beta=beta)[1:]
    off = tp - found[:, np.newaxis]
    ax.fill_between(tp["rank"], off[:, 0], off[:, 2], label=f"from {reference}", **look)
ax.axhline(0, color="0.4", linewidth=1)
ax.set(xlabel="examples predicted positive", ylabel="true positives: 95% exact band minus truth")
ax.set(xlim=(0, truth.size))
ax.legend(frameon=False)
sns.despine()
plt.show()

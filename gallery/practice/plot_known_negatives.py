"""
Known negatives: from which side?
=================================

2,000 positives, a tenth of them known, and 6,000 negatives, 40% known. If both are random samples,
a band can start from the positives, from the negatives, or from both: what the two have in
common, each at half the error. Negatives say more about the top of the ranking, where few of them
are; positives say more about its foot. The band of both has the better of the two everywhere, or
nearly so.
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
figure, axes = plt.subplots(3, 1, figsize=(6, 6), sharex=True, sharey=True, layout="constrained")
true_positives = truth[np.argsort(-score)].cumsum()
colors = sns.color_palette("colorblind", 3)
for ax, reference, color in zip(axes, ["positives", "negatives", "both"], colors, strict=True):
    tp = df.pu.assume(reference=reference).contingency(beta)["tp"].sel(beta=beta)[1:]
    off = tp - true_positives[:, np.newaxis]
    ax.fill_between(tp["rank"], off[:, 0], off[:, 2], color=color, alpha=0.5, linewidth=0)
    ax.axhline(0, color="black", linewidth=1)
    width = float((off[:, 2] - off[:, 0]).mean())
    ax.set_title(f"from {reference}: {width:.0f} wide on average", loc="left")
figure.supylabel("true positives: 95% exact band minus truth", fontsize="medium")
axes[2].set(xlabel="examples predicted positive", xlim=(0, truth.size))
sns.despine()
plt.show()

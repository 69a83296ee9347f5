"""
Figure 2: how many known positives does it take?
================================================

100,000 unlabeled examples, a fifth of them positive, no known negatives, 10 to 10,000 known
positives; the paper's bootstrap bounds on AUROC, at the right beta-hat. As in the paper each
number of known positives is drawn 200 times: a line is the mean of a bound, the band around it
holds it in 95% of the draws.

The paper prints no numbers here, and does not say what its scores are; ours are normal, with an
AUROC of .76. What its figure shows holds: both bounds close in on the truth, and a hundred times
as many known positives take about nine tenths off the distance between them. They hold the truth
in 95% of the draws and more. That is so where few of the positives are known, here a third at the
most: with 90% of them known, it is 62% (:doc:`/coverage`).
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm

from pu_accessor import PUWarning

warnings.simplefilter("ignore", PUWarning)  # by chance a draw is at odds with the right beta
UNLABELED, BETA, REPEATS, KNOWN = 100_000, 0.2, 200, [10, 100, 1_000, 10_000]
TRUE = norm.cdf(1 / np.sqrt(2))
rng, bounds = np.random.default_rng(6), np.empty((len(KNOWN), REPEATS, 2))
for known, drawn in zip(KNOWN, bounds, strict=True):
    truth = np.arange(known + UNLABELED) < known + BETA * UNLABELED
    df = pd.DataFrame({"label": np.where(np.arange(truth.size) < known, 1, np.nan)})
    for repeat in range(REPEATS):
        df["score"] = rng.normal(truth)
        tables = df.pu.contingency(BETA, band="bootstrap", ranks="breakpoints")
        drawn[repeat] = tables.pu.area("auroc").sel(bound=["lower", "upper"]).to_numpy().ravel()
low, high = np.moveaxis(bounds, -1, 0)
told = pd.DataFrame({"lower": low.mean(1), "upper": high.mean(1)}, index=KNOWN)
told["width"] = (high - low).mean(1)
told["hold .76"] = ((low < TRUE) & (high > TRUE)).mean(1)
print(told.round(3))

# %%
figure, ax = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
blue, orange = sns.color_palette("colorblind")[0], sns.color_palette("colorblind")[3]
for drawn, color, name in [(high, orange, "upper bound"), (low, blue, "lower bound")]:
    ax.fill_between(KNOWN, *np.quantile(drawn, [0.025, 0.975], axis=1), color=color, alpha=0.25)
    ax.plot(KNOWN, drawn.mean(1), "o-", color=color, label=f"{name}: mean, and 95% of 200 draws")
ax.axhline(TRUE, color="black", linewidth=1, label="true AUROC")
ax.set(xscale="log", xlim=(10, 10_000), ylim=(0.2, 1))
ax.set_xticks(KNOWN, [f"{known:,}" for known in KNOWN])
ax.set(xlabel="known positives", ylabel="AUROC")
ax.legend(loc="lower right", frameon=False)
sns.despine()
plt.show()

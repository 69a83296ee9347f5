"""
Figure 2: how many known positives does it take?
================================================

100,000 unlabeled examples, a fifth of them positive, and 10 to 10,000 known positives, each drawn
200 times. A line is the mean of a bootstrap bound on AUROC at the true beta; its band contains
95% of the draws.

The paper prints no numbers here, and its scores are not published; ours are normal, with an AUROC
of 0.76. With a hundred times as many known positives the distance between the bounds falls by
about 90%. They contain the truth in 95% of the draws and more. That is so if few of the positives
are known, here at most a third: with 90% of them known, it is 62% (:doc:`/coverage`).
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm

from pu_accessor import PUWarning

warnings.simplefilter("ignore", PUWarning)  # by chance the true beta seems too high
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
table = pd.DataFrame({"lower": low.mean(1), "upper": high.mean(1)}, index=KNOWN)
table["width"] = (high - low).mean(1)
table["contain 0.76"] = ((low < TRUE) & (high > TRUE)).mean(1)
print(table.round(3))

# %%
figure, ax = plt.subplots(figsize=(5, 3.8), layout="constrained")
blue, orange = sns.color_palette("colorblind")[0], sns.color_palette("colorblind")[3]
for drawn, color, name, place in [
    (high, orange, "upper bound", (150, 0.89)),
    (low, blue, "lower bound", (300, 0.58)),
]:
    ax.fill_between(KNOWN, *np.quantile(drawn, [0.025, 0.975], axis=1), color=color, alpha=0.25)
    ax.plot(KNOWN, drawn.mean(1), "o-", color=color, clip_on=False)
    ax.annotate(f"{name}: mean, and\n95% of 200 draws", place, color=color)
ax.axhline(TRUE, color=plt.rcParams["text.color"], linewidth=1)
ax.annotate("truth", (10_000, TRUE), (8, -4), textcoords="offset points")
ax.set(xscale="log", xlim=(10, 10_000), ylim=(0.2, 1))
ax.set_xticks(KNOWN, [f"{known:,}" for known in KNOWN])
ax.set(xlabel="known positives", ylabel="AUROC")
ax.set_title("More known positives bring the bounds\ncloser to the truth", loc="left")
sns.despine()
plt.show()

"""
Biased labels with known propensities
=====================================

The odds of being labeled triple with each standard deviation of the score, as if severe cases are
found first. As a random sample they give a curve that is too high. With the propensity of each
row the band contains the truth; it ends in a step, as some hidden positives may rank last.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import roc_curve

import pu_accessor
from pu_accessor.plots import shared_legend

rng, truth = np.random.default_rng(17), np.arange(6_000) < 1_000
score = rng.normal(1.2 * truth)
odds = 0.09 * 3**score
df = pd.DataFrame({"score": score, "propensity": odds / (1 + odds)})
known = truth & (rng.random(truth.size) < df["propensity"])
df["label"] = np.where(known, True, None)
beta = truth[~known].mean()  # an input; here the truth is at hand

# %%
# A warning says that the known positives rank too high for this class prior.
figure, ax = plt.subplots(figsize=(5, 6), layout="constrained")
blue, orange = sns.color_palette("colorblind", 2)
plain = {"color": orange, "label": "as a random sample"}
weighted = {"color": blue, "label": "weighted by propensity"}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", pu_accessor.PUWarning)
    bands = [{"label": f"95% band, {kind}"} for kind in ("random sample", "weighted")]
    df.pu(propensity=None).plot_roc(beta, ax=ax, line_kws=plain, band_kws=bands[0])
    df.pu(propensity="propensity").plot_roc(beta, ax=ax, line_kws=weighted, band_kws=bands[1])
print(*[warning.message for warning in caught], sep="\n")
ink = plt.rcParams["text.color"]
ax.plot(*roc_curve(truth, score)[:2], color=ink, linestyle="--", zorder=6, label="truth")
ax.set_title(
    "The band weighted by the chance of\nbeing labeled contains the true curve", loc="left"
)
shared_legend(figure)
sns.despine()
plt.show()

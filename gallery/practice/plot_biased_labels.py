"""
Biased labels: easy positives are known
=======================================

1,000 positives are labeled with odds that triple with each standard deviation of the score, as
where severe cases are found first. Taken for a random sample they promise too much, and are sure
of it: the band misses the truth nearly everywhere. With its probability of being labeled each of
them counts for those like it that were not found.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import roc_curve

import pu_accessor

rng, truth = np.random.default_rng(17), np.arange(6_000) < 1_000
score = rng.normal(1.2 * truth)
odds = 0.09 * 3**score
df = pd.DataFrame({"score": score, "propensity": odds / (1 + odds)})
known = truth & (rng.random(truth.size) < df["propensity"])
df["label"] = np.where(known, True, None)
beta = truth[~known].mean()  # an input; here the truth is at hand

# %%
# Known positives that rank so high leave no room for so many latent ones: there is a warning.
figure, ax = plt.subplots(figsize=(5.6, 5.6), layout="constrained")
blue, orange = sns.color_palette("colorblind", 2)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", pu_accessor.PUWarning)
    for column, color in [(None, orange), ("propensity", blue)]:
        look = {"line_kws": {"color": color}, "band_kws": {"color": color, "alpha": 0.3}}
        drawn = df.pu(propensity=column).plot_roc(beta, ax=ax, **look)
print(*[warning.message for warning in told], sep="\n")
ax.plot(*roc_curve(truth, score)[:2], color="black", linewidth=1, zorder=6)
texts = {
    orange: "as a random sample, 95% exact band",
    blue: "by propensity, 95% weighted band",
    "black": "truth",
}
for place, (color, text) in enumerate(texts.items()):
    ax.text(0.97, 0.22 - 0.06 * place, text, color=color, ha="right")
drawn.get_legend().remove()
sns.despine()
plt.show()

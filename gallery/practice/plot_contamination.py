"""
How many known positives may be wrong?
======================================

Half of the malignant tumours are known, as far as the files say. If some of these are benign, and
nobody knows which, numbers are known less well. The areas are what precision among the 100 highest
can be, for a score that ranks well and one that does not. The cross is the share of wrong ones
with which it is no longer certain that the precision is above .3, about that of a random list.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from sklearn.datasets import load_breast_cancer

import pu_accessor  # registers df.pu

data = load_breast_cancer(as_frame=True)
malignant = data.target.to_numpy() == 0
known = malignant & (np.random.default_rng(0).random(malignant.size) < 0.5)
df = data.data.rename(columns=lambda name: name.removeprefix("worst "))
df["label"] = np.where(known, 1, np.nan)
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
shares = np.arange(0, 0.31, 0.02)
models = ["concave points", "texture"]
found = df.pu(score=models).robustness("precision", beta, at=100, above=0.3, contamination=shares)

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for color, (model, rows) in zip(sns.color_palette(), found.groupby("model"), strict=False):
    share = rows["contamination"]
    ax.fill_between(share, rows["lower"], rows["upper"], color=color, alpha=0.25)
    ax.plot(share, rows["estimate"], color=color, label=model)
    ax.plot(rows["breaking_point"].iloc[0], 0.3, "x", color=color, markersize=9)
ax.axhline(0.3, color=".6", linewidth=1, linestyle="--")
ax.set(xlabel="share of known positives that may be wrong", ylabel="precision among the top 100")
ax.set(xlim=(0, 0.3), ylim=(0, 1.02))
ax.legend(frameon=False, loc="lower left")
sns.despine()
plt.show()

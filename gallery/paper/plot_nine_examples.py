"""
Nine examples: the rank CDF
===========================

Three of nine ranked examples are known to be positive. Their rank CDF is the share of them at or
above each rank. As they are a random sample of all positives, it is also the best guess of where
the positives are that nobody knows of: that is the whole method.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # noqa: F401

label = [None, True, True, None, None, True, None, None, None]
df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
known, rank = df["label"].notna().to_numpy(), np.arange(1, 10)

# %%
# If a third of the six unlabeled examples is positive, one of these two should be in the head of
# four, where two thirds of the known ones are: with them, three true positives.
print(df.pu.contingency(beta=1 / 3, ranks=4).sel(bound="estimate").squeeze()[["tp", "fp"]])

# %%
blue = sns.color_palette("colorblind")[0]
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
ax.axvspan(0.5, 4.5, color="0.94", zorder=0)
ax.text(0.6, 1.0, "head of four", color="0.4", va="center")
ax.step([0.5, *rank, 9.5], [0, *known.cumsum() / 3, 1], where="post", color=blue)
for at, share, text in [(2, 1 / 3, "1/3"), (3, 2 / 3, "2/3"), (6, 1, "3/3")]:
    ax.annotate(text, (at, share), (-4, 3), textcoords="offset points", ha="right", color=blue)
for those, color, place, text in [
    (known, blue, 6, "known positive"),
    (~known, "white", 8, "unlabeled"),
]:
    ax.scatter(rank[those], np.full(those.sum(), -0.16), s=110, color=color, edgecolor="0.3")
    ax.annotate(text, (place, -0.16), (0, -10), textcoords="offset points", ha="center", va="top")
ax.set(xticks=rank, yticks=[0, 1 / 3, 2 / 3, 1], xlim=(0.5, 9.5), ylim=(-0.36, 1.12))
ax.set(xlabel="rank, the best score first", ylabel="share of known positives")
ax.set_yticklabels(["0", "1/3", "2/3", "1"])
sns.despine()
plt.show()

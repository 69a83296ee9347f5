"""
Figure 1: the rank CDF of two sets
==================================

Nine examples, the best score first: B, E, D, G, H, A, F, C, I. The rank CDF of a set is the share
of it at or above each rank. For the sets of the paper, {B, D, A, C} and {E, G, F}, it rises at
ranks 1, 3, 6, 8 and at 2, 4, 7, by a fourth and by a third: that follows from the sets, and is
what Figure 1 shows.

It is also the true positive rate at each rank, if exactly that set is positive. That is how the
steps below are made: the set is known to be positive, and beta is 0.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

ranking, rank = list("BEDGHAFCI"), np.arange(10)
sets = {"{B, D, A, C}": list("BDAC"), "{E, G, F}": list("EGF")}
df = pd.DataFrame({"example": ranking, "score": range(9, 0, -1)})
cdf = {}
for name, members in sets.items():
    labeled = df.assign(label=np.where(df["example"].isin(members), True, None))
    tables = labeled.pu.contingency(beta=0, ranks=rank).sel(bound="estimate")
    cdf[name] = tables.pu.metric("tpr").to_numpy().ravel()
print(pd.DataFrame(cdf, index=["none", *ranking]).T.round(2))

# %%
figure, ax = plt.subplots(figsize=(6.6, 4), layout="constrained")
colors = sns.color_palette("colorblind")[::3]
for (name, share), color, side in zip(cdf.items(), colors, [-1, 1], strict=False):
    ax.step(rank, share, where="post", color=color, linewidth=2, label=name)
    new, size = np.flatnonzero(np.diff(share)) + 1, len(sets[name])
    ax.plot(new, share[new], "o", color=color)
    for at in new:
        ax.text(
            at + 0.1 * side,
            share[at] - 0.015 * side,
            f"{round(share[at] * size)}/{size}",
            color=color,
            ha="left" if side > 0 else "right",
            va="top" if side > 0 else "bottom",
        )
ax.set_xticks(
    rank[1:], [f"{place}\n{example}" for place, example in zip(rank[1:], ranking, strict=True)]
)
ax.set(xlim=(0, 9.4), ylim=(0, 1.12), yticks=[0, 0.25, 0.5, 0.75, 1])
ax.set(xlabel="rank and example, the best score first", ylabel="share of the set: rank CDF")
ax.legend(loc="lower right", frameon=False)
sns.despine()
plt.show()

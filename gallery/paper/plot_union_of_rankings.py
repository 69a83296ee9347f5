"""
Lemma 2 and Corollary 1: what more positives do
===============================================

Lemma 2: at each rank the true positive rate of the union of two disjoint sets lies between those
of the two, as it is their mean, weighted by their sizes. Left: the sets of Figure 1.

Corollary 1: a known set A, to which either of two sets B and C of equal size is added. At each
rank A with B is below A with C where B is below C, and nowhere else. So to bound the positives as
a whole it is enough to bound those among the unlabeled, which is the second step of the proof of
Theorem 1. Right: B and C cross, and the unions do at the same ranks. Both hold at all ranks: the
script checks them, and prints how many there were.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu


def rank_cdf(examples: int, *sets: np.ndarray) -> list[np.ndarray]:
    """Return the true positive rate at each rank if exactly that set is positive."""
    df, found = pd.DataFrame({"score": -np.arange(examples)}), []
    for members in sets:
        df["label"] = np.where(np.isin(np.arange(examples), members), True, None)
        tables = df.pu.contingency(beta=0).sel(bound="estimate")
        found.append(tables.pu.metric("tpr").to_numpy().ravel())
    return found


one, two = ([list("BEDGHAFCI").index(x) for x in members] for members in ("BDAC", "EGF"))
first, second, union = rank_cdf(9, np.array(one), np.array(two), np.array(one + two))
np.testing.assert_allclose(union, (4 * first + 3 * second) / 7)
apart = first != second
low, high = np.minimum(first, second)[apart], np.maximum(first, second)[apart]
assert ((low < union[apart]) & (union[apart] < high)).all()
print(f"Lemma 2: at all {apart.sum()} ranks at which the two sets differ")

# %%
rng = np.random.default_rng(2)
place = rng.permutation(200)
a = place[:20]  # known positives; B are in the middle, C at the top and at the foot
rest = np.sort(place[20:])
b, c = rest[60:120:3], np.concatenate([rest[:26:2], rest[-14::2]])
of_b, of_c, with_b, with_c = rank_cdf(200, b, c, np.append(a, b), np.append(a, c))
assert b.size == c.size
assert ((of_b < of_c) == (with_b < with_c)).all()
print(f"Corollary 1: at all {of_b.size} ranks; B is below C at {(of_b < of_c).sum()} of them")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4), layout="constrained")
blue, orange, green = sns.color_palette("colorblind")[:3]
rank = np.arange(10)
left.fill_between(rank, first, second, step="post", color="0.9")
for share, color, text in [
    (first, blue, "{B, D, A, C}"),
    (second, orange, "{E, G, F}"),
    (union, "black", "the union"),
]:
    left.step(rank, share, where="post", color=color, linewidth=2, label=text)
for share, color, style, text in [
    (of_b, blue, ":", "B"),
    (of_c, orange, ":", "C"),
    (with_b, blue, "-", "A and B"),
    (with_c, orange, "-", "A and C"),
]:
    right.step(np.arange(201), share, style, where="post", color=color, linewidth=2, label=text)
equal = np.flatnonzero(of_b[50:150] == of_c[50:150]) + 50  # where they cross
right.axvspan(equal[0], equal[-1] + 1, color="0.85", zorder=0)
right.annotate("equal", (equal[0], 0.9), (-5, 0), textcoords="offset points", ha="right")
left.set(title="Lemma 2: between the two", xlim=(0, 9.4), xticks=rank[1:])
right.set(title="Corollary 1: the order of B and C, kept", xlim=(0, 200))
for ax in (left, right):
    ax.set(xlabel="rank", ylabel="true positive rate", ylim=(0, 1.03))
    ax.legend(loc="lower right", frameon=False)
sns.despine()
plt.show()

"""
Difference between groups
=========================

A screen has the same threshold in two hospitals. The gap in recall needs no class prior, even if
one hospital knows more of its sick patients. The gap in precision needs the class prior of each.
Both intervals exclude 0.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

rng = np.random.default_rng(20)
hospital = rng.choice(["north", "south"], 6_000)
sick = rng.random(6_000) < 0.2
score = rng.normal(np.where(hospital == "north", 1.8, 1.3) * sick)
known = sick & (rng.random(6_000) < np.where(hospital == "north", 0.5, 0.2))
df = pd.DataFrame({"score": score, "hospital": hospital, "label": np.where(known, True, None)})
beta = pd.Series(sick[~known]).groupby(hospital[~known]).mean()  # here the truth is at hand

# %%
pu, at = df.pu(by="hospital"), {"threshold": 1.2}
gaps = pd.concat([pu.gap("recall", at=at), pu.gap("precision", beta, at=at)])
shown = ["metric", "estimate_a", "estimate_b", "difference", "lower", "upper"]
print(gaps[shown].round(2).to_string(index=False))

figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for place, row in enumerate(gaps.itertuples()):
    ends = 100 * np.array([[row.difference - row.lower], [row.upper - row.difference]])
    ax.errorbar(100 * row.difference, place, xerr=ends, fmt="o", color="C0", capsize=4)
    text = f"{row.estimate_a:.0%} minus {row.estimate_b:.0%}"
    ax.annotate(text, (100 * row.difference, place - 0.15), ha="center")
ax.axvline(0, color="0.5", linewidth=1)
ax.set(yticks=[0, 1], yticklabels=gaps["metric"], ylim=(1.4, -0.6))
ax.set_xlabel("north minus south, in percentage points, with 95% interval")
points = 100 * gaps["difference"].iloc[0]
ax.set_title(f"Recall is {points:.0f} percentage points higher\nin the north", loc="left")
sns.despine()
plt.show()

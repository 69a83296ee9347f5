"""
Difference between groups
=========================

A screen has the same threshold in two hospitals. The gap in recall needs no class prior, even if
one hospital knows more of its sick patients. The gap in precision needs the class prior of each.
Both intervals exclude 0; the crosses are the true gaps.
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

above = score >= 1.2
true = {"recall": (above, sick), "precision": (sick, above)}  # the share of the first in the other
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for place, row in enumerate(gaps.itertuples()):
    ends = 100 * np.array([[row.difference - row.lower], [row.upper - row.difference]])
    ax.errorbar(100 * row.difference, place, xerr=ends, fmt="o", color="#0173b2", capsize=4)
    part, whole = true[row.metric]
    shares = [part[whole & (hospital == name)].mean() for name in ("north", "south")]
    label = {"color": plt.rcParams["text.color"], "label": "_" if place else "truth"}
    ax.plot(100 * (shares[0] - shares[1]), place, "x", zorder=5, markersize=8, **label)
    text = f"{row.estimate_a:.0%} minus {row.estimate_b:.0%}"
    ax.annotate(text, (100 * row.difference, place - 0.15), ha="center")
ax.axvline(0, color="0.5", linewidth=1)
ax.set(yticks=[0, 1], yticklabels=gaps["metric"], ylim=(1.4, -0.6))
ax.set_xlabel("north minus south, in percentage points, with 95% interval")
ax.legend(loc="lower right", frameon=False)
points = 100 * gaps["difference"].iloc[0]
ax.set_title(
    f"Recall is an estimated {points:.0f} percentage\npoints higher in the north", loc="left"
)
sns.despine()
plt.show()

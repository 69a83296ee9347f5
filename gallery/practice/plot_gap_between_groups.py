"""
Does it miss more of one group?
===============================

A screen is put to work at one threshold in two hospitals. Does it find as many of the sick in the
one as in the other? Known positives of each say it without beta, also where one hospital knows far
more of its sick than the other; how precise it is takes the beta of each. A gap whose interval
leaves out 0 is more than chance.
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

ax, blue = (
    plt.subplots(figsize=(5.2, 2.8), layout="constrained")[1],
    sns.color_palette("colorblind")[0],
)
for place, row in enumerate(gaps.itertuples()):
    ax.plot([100 * row.lower, 100 * row.upper], [place, place], color=blue, linewidth=3, alpha=0.4)
    ax.plot(100 * row.difference, place, "o", color=blue)
    ax.annotate(
        f"{row.estimate_a:.0%} minus {row.estimate_b:.0%}",
        (100 * row.difference, place),
        (0, 8),
        textcoords="offset points",
        ha="center",
    )
ax.axvline(0, color="0.4", linewidth=1)
ax.set(yticks=[0, 1], yticklabels=gaps["metric"], ylim=(-0.5, 1.6))
ax.set_xlabel("north minus south, in points, with 95% intervals")
points = 100 * gaps["difference"].iloc[0]
ax.set_title(f"The screen finds {points:.0f} points less\nof the sick in the south", loc="left")
sns.despine()
plt.show()

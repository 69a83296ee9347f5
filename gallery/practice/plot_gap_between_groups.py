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
shown = ["quantity", "estimate_a", "estimate_b", "difference", "lower", "upper"]
print(gaps[shown].round(2).to_string(index=False))

ax = plt.subplots(figsize=(6, 2.4), layout="constrained")[1]
for place, row in enumerate(gaps.itertuples()):
    ax.plot([row.lower, row.upper], [place, place], color="C0", linewidth=3, alpha=0.4)
    ax.plot(row.difference, place, "o", color="C0")
ax.axvline(0, color="0.4", linewidth=1)
ax.set(yticks=[0, 1], yticklabels=gaps["quantity"], ylim=(-0.6, 1.6))
ax.set_xlabel("north less south, 95% interval")
sns.despine()
plt.show()

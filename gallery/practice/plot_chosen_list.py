"""
A list with a guarantee
=======================

How long may a list of the best be, if four in five of it are to be positive? The longest one whose
*estimated* precision is .8 was chosen by looking, and is too long about half of the time. The one
whose lower bound is .8, where lower bounds hold at all ranks jointly, keeps its promise.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor

rng, truth = np.random.default_rng(5), np.arange(6_000) < 1_500
known = np.arange(6_000) < 600  # 900 of the 5,400 others are positive
df = pd.DataFrame({"score": rng.normal(3 * truth), "label": np.where(known, 1, np.nan)})
beta = 900 / 5_400
found = df.pu.cutoff(beta, precision=0.8).iloc[0]
print(found[["rank", "threshold", "lower", "estimate", "upper"]].to_string())
chosen = df[df["score"] >= found["threshold"]]
print("true precision of the list:", truth[chosen.index].mean().round(3))

# %%
# The same for thirty other choices of which positives are known.
order, true = np.argsort(-df["score"].to_numpy()), np.cumsum(truth[np.argsort(-df["score"])])
warnings.simplefilter("ignore", pu_accessor.PUWarning)  # beta is true, if high for some draws
kept: dict[str, list[float]] = {"longest estimate": [], "with a guarantee": []}
for _ in range(30):
    labeled = rng.choice(1_500, 600, replace=False)
    again = df.assign(label=np.where(np.isin(np.arange(6_000), labeled), 1, np.nan))
    tables = again.pu.contingency(beta).sel(bound="estimate").squeeze()
    precise = tables["tp"] / tables["rank"].where(tables["rank"] > 0)
    longest = int(tables["rank"][(precise >= 0.8).to_numpy()][-1])
    guaranteed = again.pu.cutoff(beta, precision=0.8)["rank"].item()
    for name, rank in zip(kept, (longest, guaranteed), strict=True):
        kept[name].append(true[rank - 1] / rank)
for name, values in kept.items():
    print(f"{name}: true precision >= .8 in {np.mean(np.array(values) >= 0.8):.0%} of draws")

# %%
# The black line is the truth, which nobody has. A guarantee takes the lower side of the band: by
# itself it holds with 95% where both sides hold with 90%.
ax = df.pu.plot_metric("precision", beta, band="simultaneous", level=0.9)
ranks, share = np.arange(1, 6_001), true / np.arange(1, 6_001)
ax.plot(ranks, share, color="black", linewidth=1)
ax.annotate("truth", (1_350, share[1_349]), (1_500, 0.98), arrowprops={"arrowstyle": "-"})
ax.plot([0, found["rank"], found["rank"]], [0.8, 0.8, 0.5], color="black", linestyle=":")
ax.annotate(f"{found['rank']} rows", (found["rank"], 0.52), (4, 0), textcoords="offset points")
ax.set(xlim=(0, 2_500), ylim=(0.5, 1.01))
sns.despine(ax=ax)
plt.show()

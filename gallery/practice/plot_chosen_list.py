"""
A list with guaranteed precision
================================

How long may a list be, if four in five of its rows must be positive? The longest list with an
*estimated* precision of 0.8 is too long in about half of the samples. The longest list with a
lower bound of 0.8 keeps the guarantee, because these bounds cover all ranks at once.
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
# The same for thirty other samples of known positives.
order, true = np.argsort(-df["score"].to_numpy()), np.cumsum(truth[np.argsort(-df["score"])])
warnings.simplefilter("ignore", pu_accessor.PUWarning)  # by chance beta seems too high
precisions: dict[str, list[float]] = {"longest estimate": [], "with a guarantee": []}
for _ in range(30):
    labeled = rng.choice(1_500, 600, replace=False)
    again = df.assign(label=np.where(np.isin(np.arange(6_000), labeled), 1, np.nan))
    tables = again.pu.contingency(beta).sel(bound="estimate").squeeze()
    precise = tables["tp"] / tables["rank"].where(tables["rank"] > 0)
    longest = int(tables["rank"][(precise >= 0.8).to_numpy()][-1])
    guaranteed = again.pu.cutoff(beta, precision=0.8)["rank"].item()
    for name, rank in zip(precisions, (longest, guaranteed), strict=True):
        precisions[name].append(true[rank - 1] / rank)
for name, values in precisions.items():
    print(f"{name}: true precision >= .8 in {np.mean(np.array(values) >= 0.8):.0%} of draws")

# %%
# Only the lower bound matters: a band of 90% has lower bounds of 95%.
figure, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
band = {"band_kws": {"label": "90% band, simultaneous:\neach bound has 95%"}}
df.pu.plot_metric("precision", beta, band="simultaneous", level=0.9, ax=ax, **band)
ranks, share = np.arange(1, 6_001), true / np.arange(1, 6_001)
ink = plt.rcParams["text.color"]
ax.plot(ranks, share, color=ink, linewidth=1, label="truth")
corner = [0, found["rank"], found["rank"]], [0.8, 0.8, 0]
ax.plot(*corner, color=ink, linestyle=":", label="lower bound 0.8")
ax.legend(loc="lower left", frameon=False)
ax.set(xlim=(0, 2_500), ylim=(0, 1.02))
title = f"At least 80% of the best {found['rank']:,} rows\nare positive, with 95% confidence"
ax.set_title(title, loc="left")
sns.despine()
plt.show()

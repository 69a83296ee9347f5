"""
Early recognition
=================

A screen can test a hundredth of a library. The enrichment factor compares the share of hits there
with that of the library. The sharp model has the lower AUROC, but far more of the hits at the
top. The dashed curves are the truth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

rng = np.random.default_rng(12)
truth = np.arange(20_000) < 400
known = np.arange(20_000) < 100  # of 19,900 others 300 are positive
sharp = rng.normal(np.where(rng.random(20_000) < 0.4, 3.4, 0.3) * truth)
steady = rng.normal(1.25 * truth)
df = pd.DataFrame({"sharp": sharp, "steady": steady, "label": np.where(known, True, None)})
models, beta = df.pu(score=["sharp", "steady"]), 300 / 19_900

# %%
fractions = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1]
found = models.metric("lift", beta, at={"fraction": fractions})
for table in (models.auroc(beta, target="examples"), models.metric("bedroc", beta)):
    print(table[["model", "estimate", "lower", "upper"]].round(3).to_string(index=False))

ax = plt.subplots(figsize=(5, 4), layout="constrained")[1]
for (name, rows), marker, color in zip(
    found.groupby("model"), "os", sns.color_palette("colorblind", 2), strict=True
):
    ax.plot(rows["at"], rows["estimate"], f"{marker}-", color=color, label=name)
    ax.fill_between(rows["at"], rows["lower"], rows["upper"], color=color, alpha=0.25)
    hits = truth[np.argsort(-df[name])].cumsum()
    true = [hits[round(20_000 * share) - 1] / (400 * share) for share in fractions]
    label = "truth of both" if name == "steady" else None
    ax.plot(fractions, true, "--", color=plt.rcParams["text.color"], linewidth=1, label=label)
ax.axhline(1, color="0.5", linestyle=":", label="chance")
ax.set(xscale="log", xlabel="share of the library predicted positive")
ax.set_ylabel("enrichment factor (times chance)")
ax.set_xticks(fractions[::3], [f"{fraction * 100:g}%" for fraction in fractions[::3]])
ax.minorticks_off()
ax.set_ylim(bottom=0)
ax.legend(frameon=False, title="model, with 95% band, pointwise")
ax.set_title("In the top 1% the sharp model finds more", loc="left")
sns.despine()
plt.show()

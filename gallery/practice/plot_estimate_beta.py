"""
Estimating beta, and when not to believe it
===========================================

From known positives and unlabeled examples alone, the data give an upper limit for beta. The
largest beta that is plausible, the dot, is the true one only if no negative reaches the top of
the ranking. Two things break even the limit: scores of rows that the model was trained on, and
labels that are no random sample of the positives. Labels by hand never break.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor

rng, truth = np.random.default_rng(12), np.arange(6_000) < 1_600
known = np.arange(6_000) < 400  # 1,200 of the 5,600 others are positive
easy = np.where(known, 1.2, 0)
cases = {
    "separate classes": rng.normal(4 * truth),
    "overlapping classes": rng.normal(1.2 * truth),
    "scores of training rows": rng.normal(2 * truth + 4 * known),
    "easy cases are known": rng.normal(2 * truth + easy),
}

# %%
# Where the data themselves speak against an assumption, the package warns. Often they cannot.
rows = {}
for name, score in cases.items():
    df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rows[name] = df.pu.estimate_beta().iloc[0]
    print(f"{name}: {len(told)} warning(s)", *(warning.message for warning in told), sep="\n  ")
sample = df.pu.sample_to_label(200, random_state=1).index
hand = pu_accessor.beta_from_labels(int(truth[sample].sum()), sample.size, (~known).sum())
rows["200 labels by hand"] = hand.iloc[0]

# %%
# Misleading are the two whose upper limit is below the truth.
figure, ax = plt.subplots(figsize=(6.8, 3.2), layout="constrained")
blue, red = sns.color_palette("colorblind")[0], sns.color_palette("colorblind")[3]
true_beta = 1_200 / 5_600
for name, row in rows.items():
    misleads = row["upper"] < true_beta
    ax.hlines(name, row["lower"], row["upper"], color=red if misleads else blue, linewidth=2)
    ax.plot(row["beta"], name, "x" if misleads else "o", color=red if misleads else blue)
    if misleads:
        ax.annotate(
            "misleads",
            (row["upper"], name),
            (8, 0),
            textcoords="offset points",
            color=red,
            va="center",
        )
ax.axvline(true_beta, color="black", linewidth=1, zorder=0)
ax.annotate("true β", (true_beta, -0.6), (4, 0), textcoords="offset points")
ax.set(xlabel="β, with its 95% limits", xlim=(-0.005, None), ylim=(4.5, -0.8))
sns.despine(left=True)
ax.tick_params(left=False)
plt.show()

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
figure, ax = plt.subplots(figsize=(6.8, 3.4), layout="constrained")
table, blue = pd.DataFrame(rows).T, sns.color_palette("colorblind")[0]
ax.hlines(table.index, table["lower"].tolist(), table["upper"].tolist(), color=blue, linewidth=2)
ax.plot(table["beta"], table.index, "o", color=blue, clip_on=False)
ax.axvline(1_200 / 5_600, color="black", linewidth=1)
ax.annotate("true β", (1_200 / 5_600, -0.6), (4, 0), textcoords="offset points")
ax.set(xlabel="β, with its 95% limits", xlim=(0, None), ylim=(4.5, -0.7))
sns.despine(left=True)
ax.tick_params(left=False)
plt.show()

"""
Estimating the class prior
==========================

Known positives and unlabeled examples give an upper limit for the class prior. The dot is the
largest plausible value, which is right only if no negative is at the top of the ranking. Scores
of training rows, and labels that are no random sample of the positives, make even the limit
wrong: it is below the truth.
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
# The package warns if the data contradict an assumption. Often they cannot.
rows = {}
for name, score in cases.items():
    df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows[name] = df.pu.estimate_beta().iloc[0]
    print(
        f"{name}: {len(caught)} warning(s)", *(warning.message for warning in caught), sep="\n  "
    )
sample = df.pu.sample_to_label(200, random_state=1).index
hand = pu_accessor.beta_from_labels(int(truth[sample].sum()), sample.size, (~known).sum())
rows["200 labels by hand"] = hand.iloc[0]

# %%
# The crosses are the two cases with an upper limit below the truth.
figure, ax = plt.subplots(figsize=(5, 3.8), layout="constrained")
blue, red = sns.color_palette("colorblind")[0], sns.color_palette("colorblind")[3]
true_beta = 1_200 / 5_600
order = ["separate classes", "overlapping classes", "200 labels by hand"]
order += ["scores of training rows", "easy cases are known"]
for place, name in zip([0, 1, 2, 4, 5], order, strict=True):
    row, is_wrong = rows[name], place > 3
    color, marker = (red, "X") if is_wrong else (blue, "o")
    ax.plot([row["lower"], row["upper"]], [place, place], color=color, linewidth=3, alpha=0.5)
    ax.plot(row["beta"], place, marker, color=color)
ax.axvline(true_beta, color="0.5", linewidth=1, linestyle="--", zorder=0)
ax.annotate("true β", (true_beta, 5.3), (4, 0), textcoords="offset points")
for height, text in [(-0.75, "assumptions true"), (3.25, "assumption violated")]:
    ax.text(0, height, text, style="italic", va="center")
ax.set_yticks([0, 1, 2, 4, 5], order)
ax.set(xlabel="estimate of the class prior β, with 95% limits", ylim=(5.5, -1.1))
figure.suptitle("Two violated assumptions put the upper limit\nof β below the truth")
sns.despine(left=True)
ax.tick_params(left=False)
plt.show()

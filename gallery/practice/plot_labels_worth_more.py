"""
What are a hundred labels worth?
================================

Somebody labels rows by hand, drawn from 5,000 that are unlabeled. On the left the interval of beta
closes as labels come in. It holds at all times at once, so that labeling may stop at the cross. On
the right are intervals that 100 labels give. Precision of a list takes labels of the list itself.
AUROC from beta misses the truth, the dashed line, as the best positives were found more easily;
with weights the same labels hold.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import pu_accessor
from pu_accessor import labeling

rng = np.random.default_rng(11)
truth = np.arange(5_300) < 800
score = rng.normal(1.5 * truth)
known = truth & (rng.random(5_300) < 0.1 * np.exp(0.5 * score - 0.75))
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
unlabeled = int((~known).sum())

# %%
# One label after the other: stop when the interval is .15 wide.
rows = df.pu.sample_to_label(400, random_state=3)
found = pd.Series(truth[rows.index], index=rows.index)
steps = pu_accessor.beta_from_labels(found, n_unlabeled=unlabeled, sequential=True)
print(steps[["n_labeled", "beta", "lower", "upper"]].iloc[[49, 99, 199, 399]].round(3))

# %%
# The same number of labels, drawn in other places or read in another way.
high, hundred = df["score"] >= 2, found.head(100)
listed = df.pu.sample_to_label(100, above=2, random_state=1)
cut = df.pu.sample_to_label(100, strata=2.0, random_state=5)
beta = pu_accessor.beta_from_labels(hundred, n_unlabeled=unlabeled)
weighed = df.assign(**labeling.weigh_labels(df["label"], hundred)).pu(weight="weight")
answers = {
    "precision, labels\nof all rows": labeling.rates_from_labels(
        cut.assign(label=truth[cut.index]), ">= 2"
    ),
    "precision, labels\nof the list": labeling.rates_from_labels(
        listed.assign(label=truth[listed.index]), ">= 2"
    ),
    "AUROC,\nwith beta": df.pu.auroc(beta),
    "AUROC,\nwith weights": weighed.auroc(0),
}
shown = pd.concat(answers).groupby(level=0, sort=False).first()[["estimate", "lower", "upper"]]
shown["truth"] = np.repeat([truth[high].mean(), (score[truth, None] > score[~truth]).mean()], 2)
print(shown.round(3).to_string())

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4), layout="constrained")
left.fill_between(steps["n_labeled"], steps["lower"], steps["upper"], alpha=0.4)
left.plot(steps["n_labeled"], steps["beta"])
left.set(xlabel="labeled by hand", ylabel="β")
left.axhline(truth[~known].mean(), color="black", linestyle="--", linewidth=1)
for place, row in enumerate(shown.to_dict("records")):
    right.plot([row["lower"], row["upper"]], [place, place], color="C0", linewidth=6, alpha=0.4)
    right.plot(row["estimate"], place, "o", color="C0")
    right.plot([row["truth"]] * 2, [place - 0.35, place + 0.35], "k--", linewidth=1)
right.set_yticks(range(4), shown.index)
right.invert_yaxis()
right.set(xlabel="100 labels, 95% intervals")
plt.show()

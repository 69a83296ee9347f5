"""
How much does a number depend on beta?
======================================

How many of the 300 best of 1,797 images are sevens, eights or nines, if a third of these is known?
On the left for all betas that the data allow, with 95% confidence. On the right for small errors:
by how much metrics change at each cutoff, if beta is a hundredth higher. Precision depends on beta
most at the top, recall hardly at all.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import pu_accessor  # registers df.pu

images, digit = load_digits(return_X_y=True)
high, model = digit >= 7, LogisticRegression(max_iter=1000)
known = high & (np.random.default_rng(5).random(high.size) < 1 / 3)
score = cross_val_predict(model, images[:, 32:] / 16, known, cv=5, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = high[~known].mean()  # an input; here the truth is at hand

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
limit = df.pu.estimate_beta()["upper"].item()
df.pu.plot_metric("precision", np.linspace(0, limit, 26), x="beta", at=300, ax=left)
left.plot(beta, high[np.argsort(-score)[:300]].mean(), "o", color="black")
left.get_legend().remove()
near = {"xytext": (6, -4), "textcoords": "offset points", "va": "top"}
left.annotate("truth", (beta, high[np.argsort(-score)[:300]].mean()), **near)

tables = df.pu.contingency(beta)
slopes = tables.pu.beta_derivatives().where(~tables["clipped"]).sel(bound="estimate", beta=beta)
slopes *= 0.01
names = {"precision": "precision", "tpr": "recall", "fpr": "false positive rate"}
for (name, text), color in zip(names.items(), sns.color_palette("colorblind"), strict=False):
    right.plot(slopes["rank"][10:], slopes[name][10:], color=color)
    at = (1_000, slopes[name].sel(rank=1_000))
    right.annotate(
        text, at, (0, -18 if name == "fpr" else 6), color=color, textcoords="offset points"
    )
right.set(xlabel="examples predicted positive", ylabel="change if β̂ is .01 higher")
right.set_ylim(bottom=-0.012)
sns.despine()
plt.show()

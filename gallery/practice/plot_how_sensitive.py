"""
How much does a number depend on beta?
======================================

Left: the precision of the 300 best of 1,797 images, at every class prior up to the 95% upper
limit. Right: the change of three metrics at each cutoff if the class prior is 0.01 higher.
Precision depends on it most, recall hardly at all.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

images, digit = load_digits(return_X_y=True)
high, model = digit >= 7, LogisticRegression(max_iter=1000)
known = high & (np.random.default_rng(5).random(high.size) < 1 / 3)
score = cross_val_predict(model, images[:, 32:] / 16, known, cv=5, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = high[~known].mean()  # an input; here the truth is at hand

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 4.4), layout="constrained")
limit = df.pu.estimate_beta()["upper"].item()
df.pu.plot_metric("precision", np.linspace(0, limit, 26), x="beta", at=300, ax=left)
truth = high[np.argsort(-score)[:300]].mean()
left.plot(beta, truth, "o", color=plt.rcParams["text.color"], label="truth")
left.set_title("Precision grows with β", loc="left")

tables = df.pu.contingency(beta)
slopes = tables.pu.beta_derivatives().where(~tables["clipped"]).sel(bound="estimate", beta=beta)
names = {"precision": "precision", "tpr": "recall", "fpr": "false positive rate"}
for (name, text), style in zip(names.items(), ("-", ":", "--"), strict=True):
    right.plot(slopes["rank"][10:], 0.01 * slopes[name][10:], "C1", linestyle=style, label=text)
right.set(xlabel="examples predicted positive", ylabel="change if β is 0.01 higher")
right.set_title("Recall does not depend on it", loc="left")
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
sns.despine()
plt.show()

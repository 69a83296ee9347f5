"""
Polars: a curve for each ward
=============================

Which tumours are malignant? In two wards some of them are known to be, and nothing is known of the
others; the south has the worse instruments. The frame is one of polars: ``import
pu_accessor.polars`` gives it the methods of a pandas frame. Dashed lines are the truth, which
nobody would know.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import StandardScaler

import pu_accessor.polars  # registers df.pu
from pu_accessor.plots import shared_legend

features, benign = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(3)
malignant = benign == 0
known = malignant & (rng.random(malignant.size) < 0.5)
ward = rng.choice(["north", "south"], malignant.size)
# The south measures with twice as much noise as tumours differ.
noise = rng.normal(scale=np.where(ward == "south", 2, 0), size=(2, ward.size)).T
measured = StandardScaler().fit_transform(features[:, [0, 4]]) + noise
score = cross_val_predict(LogisticRegression(), measured, known, cv=5, method="decision_function")

# %%
# Known positives are True, all others null. Columns that no question names are not looked at.
df = pl.DataFrame({"ward": ward, "score": score, "known": known, "truth": malignant})
df = df.with_columns(label=pl.when("known").then(True), notes=pl.lit("..."))
left = df.filter(~pl.col("known")).group_by("ward").agg(pl.col("truth").mean())
beta = dict(left.iter_rows())

# %%
# A group-by asks the same question of each ward, with a beta of its own.
table = df.group_by("ward").pu.auroc(beta, target="examples").set_index("ward")
parts = {name: rows for (name,), rows in df.partition_by("ward", as_dict=True).items()}
table["truth"] = [roc_auc_score(rows["truth"], rows["score"]) for _, rows in sorted(parts.items())]
print(table.round(3).to_string())
figure, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
df.group_by("ward").pu.plot_roc(beta, hue="ward", ax=ax)
for name, color in zip(table.index, sns.color_palette("colorblind"), strict=False):
    fpr, tpr, _ = roc_curve(parts[name]["truth"], parts[name]["score"])
    ax.plot(fpr, tpr, "--", color=color, label=f"{name}, truth")
shared_legend(figure)
sns.despine()
plt.show()

"""
A figure for a paper
====================

Two models in two hospitals. Panels are a seaborn FacetGrid, and matplotlib does the rest: a size
in inches that fits the column, one font size, and a file for print.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_curve
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

features, target = load_breast_cancer(return_X_y=True)
malignant, rng = target == 0, np.random.default_rng(4)
known = malignant & (rng.random(malignant.size) < 0.4)
df = pd.DataFrame({"hospital": rng.choice(["Ghent", "Leuven"], malignant.size)})
df["label"] = np.where(known, True, None)
for name, model in {"logistic": LogisticRegression(), "naive Bayes": GaussianNB()}.items():
    score = cross_val_predict(model, features[:, [0, 1, 4]], known, cv=10, method="predict_proba")
    df[name] = score[:, 1]

# %%
# seaborn's methods change the titles and move the legend. savefig(..., dpi=300) writes a file.
with plt.rc_context({"font.size": 9, "axes.titlesize": 9, "axes.linewidth": 0.6}):
    pu = df.pu(score=["logistic", "naive Bayes"], by="hospital")
    grid = pu.plot_roc(0.27, hue="hospital", col="model")
    areas = pu.auroc(0.27).set_index(["model", "hospital"]).round(2)
    for model, ax in grid.axes_dict.items():
        lines = []
        for hospital, rows in df.groupby("hospital"):
            area = areas.loc[(model, hospital)]
            between = f"{area['lower']:.2f} to {area['upper']:.2f}"
            lines.append(f"{hospital} {area['estimate']:.2f} ({between})")
            curve = roc_curve(malignant[rows.index], rows[model])[:2]
            ax.plot(*curve, color=plt.rcParams["text.color"], linewidth=0.8, label="truth")
        ax.text(0.99, 0.03, "\n".join(["AUROC", *lines]), ha="right")
    grid.set_titles("{col_name}")
    ticks, names = [0, 0.5, 1], ["0", "0.5", "1"]
    grid.set(xticks=ticks, yticks=ticks, xticklabels=names, yticklabels=names)
    grid.figure.set_size_inches(6, 4.3)
    shared_legend(grid.figure)
    sns.move_legend(grid.figure, "outside lower center", ncols=2, frameon=False)
    grid.figure.suptitle("Both models rank well in both hospitals", fontsize="large")
    sns.despine()
plt.show()

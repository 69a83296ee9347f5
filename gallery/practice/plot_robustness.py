"""
Robustness to selection odds
============================

Half of the malignant tumours are known. If they are no random sample, the odds of being labeled
differ between tumours. A cross marks the factor from which on a difference in AUROC may be 0. The
dashed lines are the true differences.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

data = load_breast_cancer(as_frame=True)
malignant = data.target.to_numpy() == 0
known = malignant & (np.random.default_rng(0).random(malignant.size) < 0.5)
df = data.data.rename(columns=lambda name: name.removeprefix("worst "))
df["label"] = np.where(known, 1, np.nan)
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 4.2), sharey=True, layout="constrained")
for ax, models in [(left, ["concave points", "compactness"]), (right, ["compactness", "texture"])]:
    df.pu(score=models).plot_metric("difference", beta, x="selection_odds", ax=ax)
    true = np.subtract(*[roc_auc_score(malignant, df[name]) for name in models])
    ax.axhline(true, color=plt.rcParams["text.color"], linestyle="--", linewidth=1, label="truth")
    plt.setp(ax.texts, fontsize=9)
    ax.set_xlabel("selection odds, at most")
    ax.set_title(" minus ".join(models), loc="left", fontsize="medium")
right.set(ylabel="")
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=2, frameon=False)
figure.suptitle(
    "Concave points beat compactness up to selection odds of 2.9,\n"
    "compactness beats texture up to 1.2"
)
sns.despine()
plt.show()

models = ["concave points", "compactness", "texture"]
broken = df.pu(score=models).robustness("difference", beta, over={"selection_odds": [1]})
print(broken[["model_a", "model_b", "estimate", "breaking_point"]].round(2).to_string(index=False))

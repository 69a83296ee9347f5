"""
How far from random may labels be?
==================================

Half of the malignant tumours are known, and which half is taken for chance. If it is not, the odds
of being found differ from one to another. The cross is where a conclusion no longer stands for
every such selection: that concave points rank tumours better than compactness outlives a factor of
3, that compactness ranks them better than texture does not outlive 1.3.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from sklearn.datasets import load_breast_cancer

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

data = load_breast_cancer(as_frame=True)
malignant = data.target.to_numpy() == 0
known = malignant & (np.random.default_rng(0).random(malignant.size) < 0.5)
df = data.data.rename(columns=lambda name: name.removeprefix("worst "))
df["label"] = np.where(known, 1, np.nan)
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4), sharey=True, layout="constrained")
for ax, models in [(left, ["concave points", "compactness"]), (right, ["compactness", "texture"])]:
    df.pu(score=models).plot_metric("difference", beta, x="selection_odds", ax=ax)
    ax.set_title(" minus ".join(models))
right.set(ylabel="")
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
sns.despine()
plt.show()

models = ["concave points", "compactness", "texture"]
broken = df.pu(score=models).robustness("difference", beta, over={"selection_odds": [1]})
print(broken[["model_a", "model_b", "estimate", "breaking_point"]].round(2).to_string(index=False))

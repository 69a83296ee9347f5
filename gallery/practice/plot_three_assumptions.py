"""
A conclusion, and how it could fail
===================================

Real data: cells of breast tumours from scikit-learn, half of the malignant ones known and all else
unlabeled. The model learns known against unlabeled, as it has to;
on the other half it ranks tumours, where again only some malignant ones are known. *The forty
highest are malignant, nearly all of them*, is the conclusion. It could fail in three ways: beta is
known from a few labels made by hand, the forty were chosen by looking, and the malignant tumours
that are known may be no random ones.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor
from pu_accessor.plots import shared_legend

data = load_breast_cancer()
malignant, rng = data.target == 0, np.random.default_rng(3)
known = malignant & (rng.random(malignant.size) < 0.5)
train = rng.random(malignant.size) < 0.5
model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
model.fit(data.data[train], known[train])  # known against all others
score = model.decision_function(data.data[~train])
df = pd.DataFrame({"score": score, "label": np.where(known[~train], 1, np.nan)})
truth = malignant[~train]  # which nobody has
print(df.pu)

# %%
# A hundred of the unlabeled are looked at by a pathologist, at random: beta, with its error.
rows = df.pu.sample_to_label(100, random_state=2).index
found, free = int(truth[rows].sum()), int(df["label"].isna().sum())
beta = pu_accessor.beta_from_labels(found, 100, free)
print(beta.round(3).to_string(index=False))
print("the truth:", round(float(truth[df["label"].isna()].mean()), 3))

# %%
# The first way to fail: beta is off. With its error in it the interval is wider, and still says
# that most of the forty are malignant.
point = df.pu.metric("precision", beta["beta"].item(), at=40)
joint = df.pu.metric("precision", beta, at=40)
both = pd.concat([point, joint], keys=["beta taken as exact", "with its error"])
print(both[["estimate", "lower", "upper"]].round(3).to_string())

# %%
# The second: the cutoff was chosen by looking. Bounds that hold at all cutoffs jointly, and at any
# beta that the labels leave, say how long a list may be of which three in five are malignant.
sure = pu_accessor.beta_from_labels(found, 100, free, level=0.975)
chosen = df.pu.cutoff(sure, precision=0.6)
print(chosen[["rank", "lower", "estimate", "attainable"]].round(3).to_string(index=False))
print(chosen.attrs["statement"])
rows = df[df["score"] >= chosen["threshold"].item()].index
print("malignant among them:", int(truth[rows].sum()), "of", len(rows))

# %%
# The third: some malignant tumours were likelier to become known than others. By which factor may
# the odds differ until the bound on the share of malignant ones among the forty is below a half?
at_random = {"selection_odds": [1]}
kept = df.pu.robustness("precision", beta["beta"].item(), at=40, above=0.5, over=at_random)
print(kept[["estimate", "breaking_point"]].round(2).to_string(index=False))

# %%
# The black line is the truth, which nobody has.
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 5), layout="constrained")
df.pu.plot_metric("precision", sure, band="simultaneous", ax=left)
places = np.arange(1, len(df) + 1)
share = np.cumsum(truth[np.argsort(-score)]) / places
left.plot(places, share, color="black", linewidth=1, label="truth")
left.axhline(0.6, color="0.4", linestyle="--", linewidth=1, label="three in five")
left.set(xlim=(1, 150), ylim=(0, 1.02), ylabel="", title="precision of the list")
df.pu.plot_metric("precision", beta["beta"].item(), x="selection_odds", at=40, ax=right)
right.set(ylim=(0, 1.02), ylabel="", title="precision of the forty")
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
sns.despine()
plt.show()

"""
Decision curve
==============

A decision curve is the net benefit of a model at each threshold probability, compared with
biopsies for all and for none. Three in ten of the tumours are known. The band is simultaneous,
because a threshold is often chosen from the whole curve.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

features, target = load_breast_cancer(return_X_y=True)
malignant, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression())
known = malignant & (np.random.default_rng(2).random(malignant.size) < 0.3)
# It learns who is known: three in ten of the malignant cases.
learned = cross_val_predict(model, features[:, :2], known, cv=10, method="predict_proba")[:, 1]
score = np.minimum(learned / 0.3, 1)
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
at = {"threshold": np.arange(2, 71) / 100}
figure, ax = plt.subplots(figsize=(5, 4.8), layout="constrained")
df.pu.plot_metric("net_benefit", beta, x="threshold", at=at, band="simultaneous", ax=ax)
every = df.assign(label=malignant.astype(float)).pu(negative=0).metric("net_benefit", 0, at=at)
ink = plt.rcParams["text.color"]
ax.plot(every["at"], every["estimate"], color=ink, linewidth=1, label="truth")
ax.axvspan(0.2, 0.6, color="0.5", alpha=0.15, linewidth=0, zorder=0, label="20% to 60%")
shared_legend(figure)
ax.set_ylim(-0.1, 0.4)
ax.set_title("Between thresholds of 20% and 60%\nthe model is worth using", loc="left")
sns.despine()
plt.show()

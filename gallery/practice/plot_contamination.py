"""
How many known positives may be wrong?
======================================

Half of the malignant tumours are known, as far as the files say. If some of these are benign, and
nobody knows which, numbers are known less well. The areas are what precision among the 100 highest
can be, for a score that ranks well and one that does not. The cross is the share of wrong ones
with which it is no longer certain that the precision is above a half.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

import pu_accessor  # registers df.pu

data = load_breast_cancer(as_frame=True)
malignant = data.target.to_numpy() == 0
known = malignant & (np.random.default_rng(0).random(malignant.size) < 0.5)
df = data.data.rename(columns=lambda name: name.removeprefix("worst "))
df["label"] = np.where(known, 1, np.nan)
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
models = df.pu(score=["concave points", "texture"])
ax = models.plot_metric("precision", beta, x="contamination", at=100)

# %%
# The same for the whole curve of the better one: what it can be if up to a tenth are wrong.
ax = df.pu(score="concave points").assume(contamination=0.1).plot_roc(beta)

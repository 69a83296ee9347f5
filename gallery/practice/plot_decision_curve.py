"""
Is it worth acting on?
======================

Who would take a biopsy from a probability of 20% on takes four needless ones for each tumour. A
decision curve says what a model is worth to each such person: its net benefit, beside that of
biopsies for all, and for none. Three in ten of the tumours are known. Whoever picks a threshold
from the whole curve takes the simultaneous band. The black line is what all labels say.
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

features, target = load_breast_cancer(return_X_y=True)
malignant, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression())
known = malignant & (np.random.default_rng(2).random(malignant.size) < 0.3)
# It learns who is known; of the malignant cases three in ten are.
learned = cross_val_predict(model, features[:, :2], known, cv=10, method="predict_proba")[:, 1]
score = np.minimum(learned / 0.3, 1)
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = malignant[~known].mean()  # an input; here the truth is at hand

# %%
thresholds = np.arange(2, 71) / 100
ax = df.pu.plot_metric(
    "net_benefit", beta, x="threshold", at={"threshold": thresholds}, band="simultaneous"
)
every = df.assign(label=malignant.astype(float)).pu(negative=0)
full = every.metric("net_benefit", 0, at={"threshold": thresholds})
ax.plot(full["at"], full["estimate"], color="black", linewidth=1)
at = full.iloc[40]
ax.annotate(
    "all labels",
    (at["at"], at["estimate"]),
    (0.5, 0.3),
    arrowprops={"arrowstyle": "-", "color": "0.4"},
)
sns.despine()
plt.show()

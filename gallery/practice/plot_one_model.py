"""
ROC curve with a band
=====================

High digits, seven to nine, are the positives; a third of them is known. Scores, labels and the
class prior beta give the ROC curve with its band. The dashed curve takes the unlabeled as
negative; the black one is the truth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_curve
from sklearn.model_selection import cross_val_predict

import pu_accessor

images, digit = load_digits(return_X_y=True)
known = (digit >= 7) & (np.random.default_rng(5).random(digit.size) < 1 / 3)
lower_half, model = images[:, 32:] / 16, LogisticRegression(max_iter=1000)

# %%
# The model learns known positives against all others, and scores rows it has not seen.
score = cross_val_predict(model, lower_half, known, cv=5, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = pu_accessor.beta_from_prevalence(0.3, known.sum(), (~known).sum())
print(df.pu.auroc([0, beta]).round(3).to_string(index=False))
figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
df.pu.plot_roc(beta, baseline=True, ax=ax, line_kws={"label": f"estimate, β = {beta:.3f}"})
ax.plot(*roc_curve(digit >= 7, score)[:2], color=plt.rcParams["text.color"], lw=1, label="truth")
ax.legend(loc="lower right", frameon=False)
ax.set_title("Estimated AUROC is 0.85;\nwith the unlabeled as negative 0.77", loc="left")
sns.despine()

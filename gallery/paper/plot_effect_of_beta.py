"""
Figure 3: the effect of beta-hat on a ROC curve
===============================================

2,000 known positives, 100,000 unlabeled examples, 30% of them positive. Too small a beta-hat is
too pessimistic, and 0, which takes the unlabeled as negative, is the worst. Too large a one
promises too much: at .4 there are not as many unlabeled examples at the top as it asks for, and
the curve runs up the edge.
The numbers of examples and beta are those of the paper, which does not say what its scores are.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import roc_curve

import pu_accessor  # registers df.pu

truth = np.arange(102_000) < 32_000
df = pd.DataFrame({"score": np.random.default_rng(7).normal(1.5 * truth)})
df["label"] = np.where(np.arange(truth.size) < 2_000, True, None)

# %%
figure, ax = plt.subplots(figsize=(5.4, 5.4), layout="constrained")
df.pu.plot_roc(beta=[0, 0.15, 0.3, 0.4], ax=ax)
ax.plot(*roc_curve(truth, df["score"])[:2], color="black", linewidth=1, zorder=6)
ax.annotate("truth", (0.2, 0.738), (0.4, 0.55), arrowprops={"arrowstyle": "-"})
ax.set_xlim(-0.02, 1.02)
sns.despine()
plt.show()

"""
Figure 3: the effect of beta on a ROC curve
===========================================

2,000 known positives and 100,000 unlabeled examples, 30% of them positive, as in the paper; its
scores are not published. Too small a beta is too pessimistic. Too large a beta is too optimistic:
at 0.4 there are too few unlabeled examples at the top, and the curve follows the edge.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import roc_auc_score, roc_curve

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

truth = np.arange(102_000) < 32_000
df = pd.DataFrame({"score": np.random.default_rng(7).normal(1.5 * truth)})
df["label"] = np.where(np.arange(truth.size) < 2_000, True, None)

# %%
figure, ax = plt.subplots(figsize=(5, 5.8), layout="constrained")
ink = plt.rcParams["text.color"]
name = f"truth  {roc_auc_score(truth, df['score']):.3f}"
ax.plot(*roc_curve(truth, df["score"])[:2], color=ink, linestyle=":", zorder=6, label=name)
df.pu.plot_roc(beta=[0, 0.15, 0.3, 0.4], ax=ax)
shared_legend(figure, title="β, and AUROC with its 95% interval")
ax.set_title("The curve at the true β, 0.3,\nis closest to the truth", loc="left")
sns.despine()
plt.show()

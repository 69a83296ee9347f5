"""
Figure 5: an interval for beta on real scores
=============================================

Cross-validated scores of 1,797 images of digits; a third of the sevens, eights and nines is
known. The ROC and PR bands cover all class priors from 20% below to 20% above the true one. The
paper uses covtype, which cannot be had without a network.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_curve
from sklearn.model_selection import cross_val_predict

import pu_accessor  # registers df.pu
from pu_accessor.plots import shared_legend

images, digit = load_digits(return_X_y=True)
high, model = digit >= 7, LogisticRegression(max_iter=1000)
known = high & (np.random.default_rng(5).random(high.size) < 1 / 3)
score = cross_val_predict(model, images[:, 32:] / 16, known, cv=5, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = high[~known].mean()  # an input; here the truth is at hand

# %%
tables = df.pu.contingency(pd.Interval(0.8 * beta, 1.2 * beta), ranks="breakpoints")
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.2, 3.4), layout="constrained")
df.pu.plot_rank_cdf(
    beta, ax=left, line_kws={"color": "C2"}, band_kws={"label": "95% band, pointwise"}
)
tables.pu.plot_roc(ax=middle)
tables.pu.plot_pr(ax=right)
precision, recall, _ = precision_recall_curve(high, score)
truth = [
    (left, np.arange(1, high.size + 1), high[np.argsort(-score)].cumsum() / high.sum()),
    (middle, *roc_curve(high, score)[:2]),
    (right, recall[:-1], precision[:-1]),
]
for (ax, x, y), title in zip(truth, ["rank CDF", "ROC", "precision-recall"], strict=True):
    ax.plot(x, y, color=plt.rcParams["text.color"], linestyle="--", zorder=6, label="truth")
    ax.set_title(title, loc="left")
    ax.set_box_aspect(1)
left.set_xlabel("rank of the cutoff")
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=3, frameon=False)
figure.suptitle("With β from 0.18 to 0.27 the bands contain the true curves")
sns.despine()
plt.show()

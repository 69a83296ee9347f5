"""
Figure 4: does the order of models depend on beta?
==================================================

45,000 unlabeled examples, 5,000 known positives, two models. The paper prints areas of 0.725 and
0.732 at beta = 0, and of 0.755 and 0.747 at 0.1: the order changes. By (A - b/2) / (1 - b) they
would be 0.750 and 0.758, in the same order. So no two models give that table if 0.1 is possible
for both.

These two models give three of the four numbers. Model 2 ranks 42% of the known positives above
all else, as if it was trained on them. Its upper limit on beta is nearly 0. At 0.1 there are too
few unlabeled examples at the left edge, and its area falls from 0.758 to 0.747. We could not
reproduce the fourth number: model 1 has 0.750, not 0.755. Clipping can raise 0.725 to 0.754 at
most, as far as we can see. The scores of the paper are not published.

The lines cross at 0.075, far above the upper limit on beta for model 2.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm

from pu_accessor import PUWarning
from pu_accessor.plots import shared_legend

warnings.simplefilter("ignore", PUWarning)  # 0.1 is too high for model 2, as shown below


def quantiles(size: int, mean: float) -> np.ndarray:
    """Return normal scores, evenly spread."""
    return norm.ppf((np.arange(size) + 0.5) / size, mean)


one = [quantiles(5_000, 0.954), quantiles(4_500, 0.954), quantiles(40_500, 0)]
two = [quantiles(2_125, 9), quantiles(2_875, 0.1215), quantiles(45_000, 0)]
df = pd.DataFrame({"model 1": np.concatenate(one), "model 2": np.concatenate(two)})
df["label"] = np.where(np.arange(50_000) < 5_000, True, None)
models = df.pu(score=["model 1", "model 2"])
tables = models.contingency([0, 0.1], ranks="breakpoints")
areas = tables.pu.area("auroc").sel(bound="estimate").to_pandas().T
areas.columns = [f"{name}, here" for name in areas]
areas["model 1, printed"], areas["model 2, printed"] = [0.725, 0.755], [0.732, 0.747]
print(areas.sort_index(axis=1).round(3))
print(models.estimate_beta().loc[:, ["model", "upper"]].round(4))

# %%
figure, ax = plt.subplots(figsize=(5, 4.4), layout="constrained")
models.plot_metric("auroc", np.linspace(0, 0.2, 41), x="beta", ax=ax, palette="colorblind")
ax.set(xlim=(-0.01, 0.2), xticks=[0, 0.05, 0.1, 0.15, 0.2])
ax.set_title(
    "The estimates change order at β = 0.075,\nfar above the upper limit for model 2",
    loc="left",
    pad=12,
)
shared_legend(figure)
sns.move_legend(figure, "outside lower center", ncols=2, frameon=False, title="")
sns.despine()
plt.show()

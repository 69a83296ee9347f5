"""
Figure 4: does the order of models depend on beta?
==================================================

45,000 unlabeled examples, 5,000 known positives, two models. The paper prints areas of 72.5% and
73.2% at beta = 0, and of 75.5% and 74.7% at 0.1: the order changes. By (A - b/2) / (1 - b) they
would be 75.0% and 75.8%, in the same order. So no two models give that table if 0.1 is possible
for both.

These two models give three of the four numbers. Model 2 ranks 42% of the known positives above
all else, as if it was trained on them. Its upper limit on beta is nearly 0. At 0.1 there are too
few unlabeled examples at the left edge, and its area falls from 75.8% to 74.7%. We could not
reproduce the fourth number: model 1 has 75.0%, not 75.5%. Clipping can raise 72.5% to 75.4% at
most, as far as we can see. The scores of the paper are not published.

Right: the lines cross long after the upper limit on beta for model 2.
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
print((100 * areas.sort_index(axis=1)).round(1))
print(models.estimate_beta().loc[:, ["model", "upper"]].round(4))

# %%
figure, axes = plt.subplots(1, 3, figsize=(8, 4), layout="constrained")
curves, colors = tables.pu.roc_bounds().sel(bound="estimate"), sns.color_palette("colorblind")
for ax, beta in zip(axes, [0, 0.1], strict=False):
    ax.axline((0, 0), slope=1, color="0.6", linestyle=":", linewidth=1)
    for name, color in zip(["model 1", "model 2"], colors, strict=False):
        curve, area = curves.sel(model=name, beta=beta), areas.loc[beta, f"{name}, here"]
        ax.plot(curve["fpr"], curve["tpr"], color=color, label=name)
        ax.text(
            0.97, 0.16 - 0.08 * (name == "model 2"), f"AUROC {area:.1%}", color=color, ha="right"
        )
    ax.set(xlabel="false positive rate", ylabel="true positive rate", title=f"β = {beta:g}")
    ax.set(xlim=(-0.01, 1.01), ylim=(0, 1.01), box_aspect=1)
models.plot_metric("auroc", np.linspace(0, 0.2, 41), x="beta", ax=axes[2], palette="colorblind")
axes[2].set_title("AUROC against β")
shared_legend(figure, title="model")
sns.move_legend(figure, "outside lower center", ncols=4, frameon=False)
figure.suptitle("The order changes only where β is impossible for model 2")
sns.despine()
plt.show()

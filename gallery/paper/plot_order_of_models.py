"""
Does the order of models depend on beta?
========================================

By AUROC it does not, contrary to the paper: as long as beta-hat is possible, the estimated areas
of all models grow together. Two of them swap places here, at the cross, but long after the strip
at the foot says that beta-hat is too high for one of them.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # noqa: F401

rng, truth = np.random.default_rng(5), np.arange(10_000) < 3_000
half = truth & (np.arange(truth.size) % 2 == 0)  # one model finds half of the positives at once
df = pd.DataFrame(
    {
        "even": rng.normal(1.15 * truth),
        "weak": rng.normal(0.9 * truth),
        "early": rng.normal(0.4 * truth + 2.6 * half),
        "label": np.where(np.arange(truth.size) < 1_000, True, None),
    }
)
true_beta = 2_000 / 9_000

# %%
ax = df.pu(score=["even", "weak", "early"]).plot_against_beta("roc", beta=np.linspace(0, 0.5, 51))
ax.axvline(true_beta, color="black", linewidth=1)
ax.annotate("true β", (true_beta, 0.66), (-4, 0), textcoords="offset points", ha="right")
sns.despine()
plt.show()

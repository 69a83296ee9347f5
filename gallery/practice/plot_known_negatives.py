"""
Known negatives as the reference
================================

A tenth of 2,000 positives and 40% of 6,000 negatives are known. If both are random samples, a
band can use the known positives, the known negatives, or both: what two 97.5% bands have in common
has 95%. The lines are means of 20 samples. Negatives give a narrower band than positives in the
upper half of the ranking, and in most of the lower half a wider one.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

rng, truth = np.random.default_rng(5), np.arange(8_000) < 2_000
ranks = np.arange(0, 8_001, 100)
widths = {"positives": 0.0 * ranks, "negatives": 0.0 * ranks, "both": 0.0 * ranks}


def limits(df: pd.DataFrame, beta: float, level: float) -> np.ndarray:
    """Return limits of the true positives, by the reference, bound and rank."""
    found = [
        df.pu.assume(reference=reference).contingency(beta, ranks=ranks, level=level)["tp"]
        for reference in ("positives", "negatives")
    ]
    return np.stack([tp.sel(bound=["lower", "upper"]).squeeze().T for tp in found])


for _ in range(20):
    known = rng.random(truth.size) < np.where(truth, 0.1, 0.4)
    df = pd.DataFrame({"score": rng.normal(1.2 * truth)})
    df["label"] = np.where(known, truth, None)
    beta = truth[~known].mean()  # an input; here the truth is at hand
    for reference, (lower, upper) in zip(widths, limits(df, beta, 0.95), strict=False):
        widths[reference] += (upper - lower) / 20
    lower, upper = limits(df, beta, 0.975).swapaxes(0, 1)
    widths["both"] += (upper.min(axis=0) - lower.max(axis=0)) / 20

# %%
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
for (name, width), style, color in zip(
    widths.items(), ["--", ":", "-"], ["#de8f05", "#0173b2", "0.5"], strict=True
):
    ax.plot(ranks, width, style, color=color, linewidth=2, label=name)
ax.set(xlabel="examples predicted positive", xlim=(0, truth.size), ylim=(0, 340))
ax.set_ylabel("width of the 95% band (true positives)")
ax.set_title(
    "The band from both kinds is the narrowest,\nor close to it, at every cutoff", loc="left"
)
ax.legend(title="known labels that are used", frameon=False, loc="upper right")
sns.despine()
plt.show()

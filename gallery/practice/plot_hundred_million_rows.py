"""
A million rows with dask, or a hundred million
==============================================

Unlabeled scores are only counted, partition by partition: nothing but counts and labeled scores
travels. Here 40 partitions of 25,000 rows stand for as many files; with 2,500,000 rows each, the
same lines take a minute on two cores, and a few hundred megabytes of memory.
"""

import dask.dataframe as dd
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor.dask  # registers ddf.pu

ROWS, FILES = 25_000, 40


def read(number: int) -> pd.DataFrame:
    """Stand for a file: one row in a hundred is positive, and a fifth of these are known."""
    rng = np.random.default_rng(number)
    truth = rng.random(ROWS) < 0.01
    known = truth & (rng.random(ROWS) < 0.2)
    score = rng.normal(2.2 * truth)
    return pd.DataFrame({"score": score, "label": np.where(known, 1.0, np.nan)})


ddf = dd.from_map(read, range(FILES))  # or dd.read_parquet(...)
beta = 0.008 / 0.998

# %%
# The methods are those of a frame in memory.
auroc = ddf.pu.auroc(beta).iloc[0]
print(f"AUROC {auroc['estimate']:.4f}, 95% interval {auroc['lower']:.4f} to {auroc['upper']:.4f}")

# %%
# Decisions fall at the top of such a ranking, where few negatives are: hence the logarithmic axis.
ax = ddf.pu.plot_roc(beta, band="simultaneous", baseline=True)
ax.set(xscale="log", xlim=(1e-4, 1), title=f"{ROWS * FILES:,} rows in {FILES} partitions")
rates = [0.0001, 0.001, 0.01, 0.1, 1]
ax.set_xticks(rates, [f"{rate:g}" for rate in rates])
sns.despine(ax=ax)
plt.show()

"""
Known negatives: from which side?
=================================

A tenth of 2,000 positives and 40% of 6,000 negatives are known. If both are random samples, a
band can use the known positives, the known negatives, or both. Negatives give a narrower band at
the top of the ranking, positives at its foot.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor  # registers df.pu

rng, truth = np.random.default_rng(5), np.arange(8_000) < 2_000
score = rng.normal(1.2 * truth)
known = rng.random(truth.size) < np.where(truth, 0.1, 0.4)
df = pd.DataFrame({"score": score, "label": np.where(known, truth, None)})
beta = truth[~known].mean()  # an input; here the truth is at hand

# %%
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for reference, style in [("positives", "--"), ("negatives", ":"), ("both", "-")]:
    tp = df.pu.assume(reference=reference).contingency(beta)["tp"].sel(beta=beta)
    width = tp.sel(bound="upper") - tp.sel(bound="lower")
    ax.plot(width["rank"], width, style, label=f"{reference}: {width.mean():.0f} on average")
ax.set(xlabel="examples predicted positive", xlim=(0, truth.size), ylim=(0, 330))
ax.set_ylabel("width of the 95% band (true positives)")
ax.set_title("The band from both kinds is the narrowest on average", loc="left")
ax.legend(title="known labels that are used", frameon=False, loc="upper right")
sns.despine()
plt.show()

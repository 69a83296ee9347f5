"""
Do the data contradict random labels?
=====================================

Three readers have labeled 250 of 800 positives. Two took them as they came, the third looked at
severe cases. And of the patients of one ward, most of whom are positive, each was looked at. Both
can be seen: on the left one curve differs, on the right one ward has more known positives than
random labels leave if all its patients were positive. What all readers have in common cannot be
seen: no check proves that labels are random.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor

rng = np.random.default_rng(3)
truth = np.arange(5_000) < 800
severity = rng.normal(size=5_000)
df = pd.DataFrame({"score": 1.5 * truth + 0.9 * severity + 0.4 * rng.normal(size=5_000)})
ward = np.where(rng.random(5_000) < np.where(truth, 0.12, 0.005), "hepatology", "")
df["ward"] = np.where(ward == "", rng.choice(["surgery", "general"], 5_000), ward)
df["reader"] = rng.choice(["Ann", "Bob", "Cleo"], 5_000)
odds = np.where(df["reader"] == "Cleo", np.exp(2 * severity), 1.0)
odds *= np.where(df["ward"] == "hepatology", 8.0, 1.0)
found = rng.choice(800, 250, replace=False, p=odds[:800] / odds[:800].sum())
df["label"] = np.nan
df.loc[found, "label"] = 1
beta = 550 / 4_750

# %%
# Each row is a test, and a sentence says what it found. Where a stratum has too many known
# positives, their odds of being labeled are higher by a factor of that much, at least.
checks = df.pu.check_assumptions(beta, wave="reader", strata="ward")
print(checks[["check", "p_value", "odds_at_least"]].round(3).to_string(index=False))
for finding in checks["finding"]:
    print("*", finding)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
known = df.assign(above=df["score"].rank(ascending=False, pct=True))[df["label"] == 1]
sns.ecdfplot(known, x="above", hue="reader", ax=left)
left.set(xlabel="share of examples ranked above", ylabel="share of the known positives")
df["label"].notna().groupby(df["ward"]).mean().plot.barh(ax=right)
right.axvline(250 / 800, color="black", linestyle=":")
right.set(xlabel="share of rows that is known (dotted: of all positives)", ylabel="")
sns.despine()
plt.show()

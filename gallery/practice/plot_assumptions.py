"""
Tests of random labels
======================

Three readers have labeled 250 of 800 positives. One reader labeled severe cases, and one ward was
looked at more closely. Both can be detected: the curve of one reader differs, and one ward has
more known positives than random labels allow. A bias that all readers share cannot be detected.
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
# Each row is a test, with its finding in words. If a stratum has too many known positives, the
# last column is the least factor between their odds of being labeled and those of others.
checks = df.pu.check_assumptions(beta, wave="reader", strata="ward")
print(checks[["check", "p_value", "odds_at_least"]].round(3).to_string(index=False))
for finding in checks["finding"]:
    print("*", finding)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.8), layout="constrained")
known = df.assign(above=df["score"].rank(ascending=False, pct=True))[df["label"] == 1]
colors = {"Ann": "0.75", "Bob": "0.45", "Cleo": "#004488"}
sns.ecdfplot(known, x="above", hue="reader", hue_order=[*colors], palette=colors, ax=left)
sns.move_legend(left, "lower right", frameon=False)
left.set(xlabel="share of examples ranked above", ylabel="share of the known positives")
left.set_ylim(0, 1.02)
left.set_title("Positives known to Cleo\nrank higher", loc="left")
shares = df["label"].notna().groupby(df["ward"]).mean()
right.barh(shares.index, shares, color=["0.6", "#004488", "0.6"], height=0.5)
right.axvline(250 / 800, color="0.5", linestyle="--")
right.annotate("highest possible if\nlabels are random: 31%", (0.33, 1.75))
right.set(xlabel="known positives / all rows", xlim=(0, 0.75), ylim=(-0.5, 2.6))
right.set_title("More of hepatology is labeled\nthan random labels allow", loc="left")
sns.despine()
plt.show()

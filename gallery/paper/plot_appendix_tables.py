"""
The two tables of the appendix, row by row
==========================================

2,000 positives and 10,000 negatives; 10% to 70% of the positives are known, and none to 80% of
the negatives; beta-hat is a fifth too low, right, or a fifth too high. Bars are the range of
AUROC by the paper's bootstrap band, thin black lines what the paper prints, dashed the AUROC.
Both are one draw, of scores of the same AUROC.

First table: bounds from the known positives. Known negatives hardly matter, how many positives
are known does, as the paper says. Second table: from whichever kind of known examples makes the
range narrower. From known negatives an error in beta-hat works the other way round.

What agrees is printed below: widths, the kind of known examples that wins in each cell of the
second table, and which way an error in beta-hat works. Limits are off by as much as another draw
moves them: where few are known, all cells of a column at once. What does not agree looks like
misprints of the first table. At the right beta-hat, 10% of the positives and 60% or 80% of the
negatives have the upper limits .8059 and .8055 of the column to their left, .012 and .013 below
the row without known negatives; ours are .002 and .009 below it. And 50% and 0% has limits .0040
below those of the four rows beneath it, where ours are equal.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

import pu_accessor  # registers df.pu

KNOWN, NEGATIVES, RATIOS = [0.1, 0.3, 0.5, 0.7], [0, 0.2, 0.4, 0.6, 0.8], [0.8, 1, 1.2]
# Ten thousandths, as printed: low and high for each beta-hat; a row for each share of negatives.
PRINTED = {
    "positives": """
7099 8063 7163 8182 7235 8303  7099 8062 7163 8180 7235 8299  7099 8060 7163 8176 7235 8289
7099 8059 7163 8059 7235 8270  7099 8055 7163 8055 7235 8160  7328 7732 7378 7823 7434 7915
7328 7732 7378 7823 7434 7915  7328 7732 7378 7823 7434 7914  7328 7732 7378 7823 7434 7914
7328 7732 7378 7822 7434 7907  7455 7682 7502 7739 7573 7807  7455 7682 7542 7779 7573 7807
7455 7682 7542 7779 7573 7807  7455 7682 7542 7779 7573 7807  7455 7682 7542 7779 7573 7804
7533 7646 7594 7727 7676 7778  7533 7646 7594 7727 7676 7778  7533 7646 7594 7727 7676 7778
7533 7646 7594 7727 7676 7778  7533 7646 7594 7727 7676 7778""",
    "tightest": """
7081 8044 7143 8160 7214 8277  7081 8043 7143 8159 7214 8274  7950 8724 7420 8215 7067 7742
8106 8531 7564 8003 7182 7538  8072 8287 7534 7729 7165 7301  7367 7803 7417 7896 7474 7989
7367 7802 7417 7896 7474 7988  7367 7802 7417 7895 7474 7987  7964 8347 7567 7996 7256 7638
7935 8125 7539 7727 7235 7386  7488 7706 7524 7773 7564 7841  7488 7706 7524 7773 7564 7841
7488 7706 7524 7773 7564 7840  7488 7706 7524 7773 7564 7840  7807 7992 7537 7724 7313 7475
7554 7667 7576 7709 7599 7751  7554 7667 7576 7709 7599 7751  7554 7667 7576 7709 7599 7751
7554 7667 7576 7709 7599 7751  7554 7667 7576 7709 7599 7751""",
}
BLUE, ORANGE = sns.color_palette("colorblind", 2)
TURNED = {(0.1, 0.4), (0.1, 0.6), (0.1, 0.8), (0.3, 0.6), (0.3, 0.8), (0.5, 0.8)}  # in the paper

truth, rng = np.arange(12_000) < 2_000, np.random.default_rng(13)
score, chance = rng.normal(np.sqrt(2) * norm.ppf(0.768) * truth), rng.random(truth.size)
rows = pd.MultiIndex.from_product([KNOWN, NEGATIVES], names=["positives", "negatives"])
printed = {
    way: np.array(text.split(), int).reshape(20, 3, 2) / 1e4 for way, text in PRINTED.items()
}
found = {way: np.empty((20, 3, 2)) for way in PRINTED}
turned = np.zeros((20, 3), bool)
for row, shares in enumerate(rows):
    known = chance < np.where(truth, *shares)
    df = pd.DataFrame({"score": score, "label": np.where(known, truth, None)})
    betas = truth[~known].mean() * np.array(RATIOS)
    for way, ranges in found.items():
        tables = df.pu.assume(reference=way).contingency(
            betas, band="bootstrap", ranks="breakpoints"
        )
        ranges[row] = (
            tables.pu.area("auroc").sel(bound=["lower", "upper"]).transpose("beta", "bound")
        )
    turned[row] = tables["tightest"] == "negatives"

# %%
for way, ranges in found.items():
    off, width = (
        np.abs(ranges - printed[way]),
        np.ptp(ranges, axis=-1) / np.ptp(printed[way], axis=-1),
    )
    print(f"{way}: limits differ by {off.mean():.4f} on average, {off.max():.4f} at most;")
    print(f"  our ranges are {np.median(width):.2f} times as wide as the printed ones (median)")
theirs = np.array([row in TURNED for row in rows])[:, np.newaxis]
print(f"tightest: another kind than in the paper in {(turned != theirs).sum()} of 60 cells")
fallen = found["positives"].reshape(4, 5, 6)
print(f"positives: known negatives move a limit by {np.ptp(fallen, axis=1).max():.4f} at most,")
print(f"  by {np.median(np.ptp(fallen, axis=1)):.4f} in half of the columns")


def draw(way: str) -> None:
    """Draw a table: a column for each beta-hat."""
    figure, axes = plt.subplots(
        1, 3, figsize=(9.6, 6.4), sharey=True, sharex=True, layout="constrained"
    )
    height = np.arange(20) + np.repeat(np.arange(4), 5) * 0.6
    from_negatives = turned & (way == "tightest")
    for column, (ax, ratio) in enumerate(zip(axes, RATIOS, strict=True)):
        low, high = found[way][:, column].T
        colors = [ORANGE if negatives else BLUE for negatives in from_negatives[:, column]]
        ax.barh(height, high - low, left=low, height=0.7, color=colors, alpha=0.7)
        ax.hlines(height, *printed[way][:, column].T, color="black", linewidth=1.2)
        ax.axvline(roc_auc_score(truth, score), color="black", linestyle="--", linewidth=0.8)
        title = "β̂ = β" if ratio == 1 else f"β̂ = {ratio:g} β"
        ax.set(title=title, xlabel="AUROC", ylim=(height[-1] + 0.7, -0.7))
    names = [f"{p:.0%} and {q:.0%}" for p, q in rows]
    axes[0].set_yticks(height, names)
    axes[0].set_ylabel("known: positives and negatives")
    told = {"from known positives": BLUE, "from known negatives": ORANGE, "as printed": "black"}
    for name, color in told.items():
        if name != "from known negatives" or way == "tightest":
            style = {"linewidth": 1.2} if color == "black" else {"linewidth": 7, "alpha": 0.7}
            axes[1].plot([], [], color=color, label=name, **style)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    sns.despine()


# %%
# The first table: from known positives.
draw("positives")
plt.show()

# %%
# The second one: from the kind that makes the range narrower.
draw("tightest")
plt.show()

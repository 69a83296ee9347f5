"""
The threshold under the pointer
===============================

Where should the threshold be? Move the pointer over the second picture: it shows the threshold
below it, how many examples are predicted positive there, and what precision and recall can be.
`to_frame` gives a row for each cutoff and bound, which Altair draws.
"""

import altair as alt
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit

import pu_accessor

rng = np.random.default_rng(7)
truth = rng.random(800) < 0.25
known = truth & (rng.random(800) < 0.4)
score = expit(2 * rng.normal(1.8 * truth) - 3)
df = pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan)})
beta = truth[~known].mean()

# %%
# On paper there is one cutoff, or there are a few.
ax = df.pu.plot_pr(beta)
at = {"threshold": [0.25, 0.5, 0.75]}
found = df.pu.metric(["recall", "precision"], beta, at=at, target="examples")
points = found.set_index("metric")["estimate"]
ax.plot(points["recall"], points["precision"], "o")
plt.show()

# %%
# On a screen there is each of them, with its bounds.
rows = df.pu.pr_bounds(beta, ranks="all").pu.to_frame()
at = rows.set_index(["threshold", "rank", "bound"])[["precision", "recall"]]
wide = at.unstack("bound")  # noqa: PD010
wide.columns = [f"{rate}, {bound}" for rate, bound in wide.columns]
cutoffs = wide.reset_index().query("rank > 0")

pointer = alt.selection_point(nearest=True, on="pointermove", fields=["threshold"], empty=False)
here = alt.when(pointer)
told = [
    alt.Tooltip("threshold:Q", format=".2f"),
    alt.Tooltip("rank:Q", title="predicted positive"),
]
told += [alt.Tooltip(f"{name}:Q", format=".2f") for name in wide.columns]
base = alt.Chart(cutoffs).encode(alt.X("threshold:Q"))
band = base.mark_area(opacity=0.25).encode(
    alt.Y("precision, lower:Q", title="precision"), alt.Y2("precision, upper:Q")
)
line = base.mark_line().encode(alt.Y("precision, estimate:Q"))
rule = base.mark_rule().encode(
    opacity=here.then(alt.value(0.7)).otherwise(alt.value(0)), tooltip=told
)
chart = (band + line + rule.add_params(pointer)).properties(width=560, height=320)

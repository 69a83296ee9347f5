"""
Several rows of one patient
===========================

Each patient has eight similar images. If images count as independent, intervals are too short,
and many miss the true AUROC of 0.5. With patients as clusters, intervals have the stated
coverage.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

import pu_accessor

PATIENTS, IMAGES, BETA, SEED = 100, 8, 0.25, 4


def draw(seed: int) -> pd.DataFrame:
    """Draw patients, a fifth of them known to be ill, with random scores."""
    rng = np.random.default_rng(seed)
    known = np.arange(PATIENTS) < 20
    level = rng.normal(0, 0.8, PATIENTS)  # what the images of a patient have in common
    patient = np.repeat(np.arange(PATIENTS), IMAGES)
    score = level[patient] + rng.normal(0, 0.6, patient.size)
    label = np.where(known[patient], 1, np.nan)
    return pd.DataFrame({"patient": patient, "score": score, "label": label})


# %%
# The scores are random: AUROC is 0.5. The 95% interval of images excludes it, that of patients
# contains it.
df = draw(SEED)
by_image, by_patient = df.drop(columns="patient").pu, df.pu(cluster="patient")
print(by_patient)
columns = ["estimate", "standard_error", "lower", "upper"]
for pu in (by_image, by_patient):
    print(pu.auroc(BETA)[columns].round(3).to_string(index=False))

# %%
# How many of 40 intervals miss the truth? (Of 400 it is 36% for images, and 2% for patients.)
drawn = [draw(seed) for seed in range(100, 140)]
asked = {
    "images": [frame.drop(columns="patient").pu for frame in drawn],
    "patients": [frame.pu(cluster="patient") for frame in drawn],
}
found: dict[str, Any] = {
    kind: pd.concat([pu.auroc(BETA) for pu in each], ignore_index=True)
    for kind, each in asked.items()
}

blue, red = sns.color_palette("colorblind")[0], sns.color_palette("colorblind")[3]
figure, axes = plt.subplots(1, 2, figsize=(7, 4.6), sharex=True, sharey=True, layout="constrained")
titles = (
    "By image, {} of 40 intervals\nmiss the truth (orange)",
    "By patient, {} of 40 intervals\nmiss the truth",
)
for ax, areas, title in zip(axes, found.values(), titles, strict=True):
    missed = (areas["lower"] > 0.5) | (areas["upper"] < 0.5)
    colors = np.where(missed, "red", "blue")
    for color, name, width in ((blue, "blue", 1), (red, "red", 2.5)):
        part = areas[colors == name]
        ax.hlines(part.index, part["lower"], part["upper"], color=color, linewidth=width)
        ax.plot(part["estimate"], part.index, "o", color=color, markersize=4)
    ax.axvline(0.5, color="0.5", linewidth=1, linestyle="--")
    ax.annotate("true AUROC, 0.5", (0.51, -2.4))
    ax.set_title(title.format(missed.sum()), loc="left")
    ax.set_xlabel("AUROC, with 95% interval")
axes[0].set(ylabel="sample of patients", ylim=(-2.8, 40))
sns.despine()
plt.show()

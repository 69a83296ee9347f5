"""A picture of the band, with thirty examples whose truth is known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import pu_accessor  # noqa: F401


def band() -> None:
    """Draw bounds on the number of hidden positives above each cutoff, and the true labels."""
    kinds = np.array([*"klknlknlnlnnklnnnlnnnknnlnnnnn"])  # known, latent and negative, best first
    known, hidden = kinds == "k", kinds == "l"
    df = pd.DataFrame({"score": range(30, 0, -1), "label": np.where(known, 1, np.nan)})
    tables = df.pu.contingency(7 / 25).squeeze("beta").isel(rank=slice(1, None))
    ranks, found = tables["rank"], tables["tp"] - tables["known_positive"]
    low, middle, high = (found.sel(bound=bound) for bound in ("lower", "estimate", "upper"))
    clipped = found.where(tables["clipped"]).sel(bound="upper")
    _, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
    ax.fill_between(ranks, low, high, step="post", alpha=0.25, label="95% band, pointwise")
    ax.step(ranks, middle, where="post", label="estimate")
    ax.step(ranks, hidden.cumsum(), where="post", label="truth")
    ax.plot(ranks, clipped, ".", color="black", label="clipped: too few examples")
    ax.plot(ranks[known], np.full(5, -0.4), "s", color="tab:blue", label="known positives")
    ax.plot(ranks[hidden], np.full(7, -0.4), "s", color="tab:orange", label="hidden positives")
    ax.set(xlabel="rank of the cutoff", ylabel="hidden positives above the cutoff")
    ax.figure.legend(loc="outside upper center", ncols=2)

"""Four pictures of concepts, with thirty examples whose truth is known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import pu_accessor  # noqa: F401

KNOWN, HIDDEN, NEGATIVE = "tab:blue", "tab:orange", "0.75"
KINDS = {"known positive": KNOWN, "hidden positive": HIDDEN, "negative": NEGATIVE}


def examples() -> pd.DataFrame:
    """Return thirty ranked examples: 12 positives, five of which are known."""
    kinds = list("klknlknlnlnnklnnnlnnnknnlnnnnn")
    names = {"k": "known positive", "l": "hidden positive", "n": "negative"}
    score = np.arange(len(kinds), 0, -1)
    kind = [names[letter] for letter in kinds]
    label = np.where(np.array(kinds) == "k", 1.0, np.nan)
    return pd.DataFrame({"score": score, "kind": kind, "label": label})


def squares(ax: Axes, colors: list[str], y: float) -> None:
    """Draw a row of squares, the best-ranked example first."""
    ax.scatter(np.arange(1, len(colors) + 1), np.full(len(colors), y), s=90, c=colors, marker="s")


def bare(ax: Axes) -> Axes:
    """Remove the frame and the y ticks."""
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.set_xlabel("rank, the highest score first")
    ax.set_yticks([])
    ax.set_xticks([1, 5, 10, 15, 20, 25, 30])
    return ax


def data() -> None:
    """Draw the true labels and the known ones."""
    kinds = examples()["kind"]
    _, ax = plt.subplots(figsize=(8, 2.4), layout="constrained")
    squares(ax, kinds.map(KINDS).tolist(), 1)
    squares(ax, [KNOWN if kind == "known positive" else "white" for kind in kinds], 0)
    hidden = 1 + np.flatnonzero(kinds != "known positive")
    ax.scatter(hidden, np.zeros(hidden.size), s=90, marker="s", c="white", edgecolors="0.5")
    bare(ax).set_yticks([1, 0], ["true labels", "known labels"])
    ax.tick_params(left=False)
    ax.set_ylim(-0.5, 1.5)
    handles = [ax.scatter([], [], s=60, c=color, marker="s") for color in KINDS.values()]
    handles.append(ax.scatter([], [], s=60, c="white", edgecolors="0.5", marker="s"))
    ax.figure.legend(handles, [*KINDS, "unlabeled"], loc="outside upper center", ncols=4)


def band() -> None:
    """Draw bounds on the number of hidden positives above each cutoff."""
    df = examples()
    hidden = (df["kind"] == "hidden positive").to_numpy()
    tables = df.pu.contingency(hidden.sum() / df["label"].isna().sum())
    tables = tables.squeeze("beta").isel(rank=slice(1, None))
    ranks, found = tables["rank"], tables["tp"] - tables["known_positive"]
    clipped = found.where(tables["clipped"]).sel(bound="upper")
    _, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
    low, high = found.sel(bound="lower"), found.sel(bound="upper")
    ax.fill_between(ranks, low, high, step="post", alpha=0.25, label="95% band, pointwise")
    middle = found.sel(bound="estimate")
    ax.step(ranks, middle, where="post", label="estimate")
    ax.step(ranks, hidden.cumsum(), where="post", color=HIDDEN, label="truth")
    ax.plot(ranks, clipped, ".", color="black", label="clipped: too few examples")
    known = 1 + np.flatnonzero(df["label"].notna())
    ax.plot(known, np.full(known.size, -0.4), "s", color=KNOWN, label="known positives")
    ax.set(xlabel="rank of the cutoff", ylabel="hidden positives above the cutoff")
    ax.figure.legend(loc="outside upper center", ncols=2)

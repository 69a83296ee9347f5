"""A call for the page of each method, and the picture of those that draw."""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

import pu_accessor  # noqa: F401

# Calls on `df`: 1,000 rows with scores of two models, one of them also as a probability.
LINES = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").splitlines()
CALLS = dict(line.split(": ", 1) for line in LINES)


def example() -> tuple[pd.DataFrame, float]:
    """Return the frame and the beta that the calls use."""
    rng = np.random.default_rng(3)
    truth = rng.random(1_000) < 0.25
    label = np.where(truth & (rng.random(1_000) < 0.4), 1, np.nan)
    score = rng.normal(1.6 * truth)
    df = pd.DataFrame({"score": score, "label": label, "p": expit(1.6 * score - 2.3)})
    df["svm"], df["forest"] = score, rng.normal(1.2 * truth, 1 + 0.5 * truth)
    df["site"] = rng.choice(["north", "south"], 1_000)
    return df, round(float(truth[df["label"].isna()].mean()), 2)


def place_in_gallery(path: str) -> int:
    """Return the place of a script in the order of the work, in which `gallery.txt` has them."""
    order = Path(__file__).with_name("gallery.txt").read_text(encoding="utf-8").split()
    return order.index(Path(path).stem.removeprefix("plot_"))

"""A picture for the page of each method that draws, with the line that draws it."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit

import pu_accessor  # noqa: F401

# On `df`, with known positives among 1,000 examples and scores of three models, one a probability.
LINES = {
    "DataFrame.pu.plot_roc": "df.pu.plot_roc(beta, baseline=True)",
    "DataFrame.pu.plot_pr": "df.pu.plot_pr(beta, baseline=True)",
    "DataFrame.pu.plot_rank_cdf": "df.pu.plot_rank_cdf(beta)",
    "DataFrame.pu.plot_metric": 'both.plot_metric("auroc", beta, x="selection_odds")',
    "DataFrame.pu.plot_calibration": 'df.pu(score="p").plot_calibration(beta)',
    "DataFrame.pu.plot_forest": 'both.plot_forest("auroc", beta)',
    "Dataset.pu.plot_roc": "df.pu.contingency([0.1, 0.2]).pu.plot_roc()",
    "Dataset.pu.plot_pr": "df.pu.contingency([0.1, 0.2]).pu.plot_pr()",
    "Dataset.pu.plot_metric": 'both.contingency(beta).pu.plot_metric("f1", x="fraction")',
}


def draw(folder: Path) -> None:
    """Draw what is not there yet.

    Parameters
    ----------
    folder : Path
        Where to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = _names()
    for method, line in LINES.items():
        path = folder / f"{method}.png"
        if path.is_file():
            continue
        drawn = eval(line, dict(names))
        drawn.figure.set_size_inches(8.4, 4.4)  # all of one size, whatever their legends say
        drawn.figure.savefig(path, dpi=120)
        plt.close("all")


def _names() -> dict[str, object]:
    """Return what the lines speak of."""
    rng = np.random.default_rng(3)
    truth = rng.random(1_000) < 0.25
    label = np.where(truth & (rng.random(1_000) < 0.4), 1, np.nan)
    score = rng.normal(1.6 * truth)
    df = pd.DataFrame({"score": score, "label": label, "p": expit(1.6 * score - 2.3)})
    df["svm"], df["forest"] = score, rng.normal(1.2 * truth, 1 + 0.5 * truth)
    beta = round(float(truth[df["label"].isna()].mean()), 2)
    return {"df": df, "beta": beta, "both": df.pu(score=["svm", "forest"])}

"""A call for the page of each method, and the picture of those that draw."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit

import pu_accessor  # noqa: F401

# Calls on `df`: 1,000 rows with scores of two models, one of them also as a probability.
CALLS = {
    "DataFrame.pu.assume": "df.pu.assume(selection_odds=2).auroc(beta)",
    "DataFrame.pu.auroc": "df.pu.auroc(beta)",
    "DataFrame.pu.average_precision": "df.pu.average_precision(beta)",
    "DataFrame.pu.calibration": 'df.pu(score="p").calibration(beta)',
    "DataFrame.pu.check_assumptions": 'df.pu.check_assumptions(beta, wave="site")',
    "DataFrame.pu.compare": 'df.pu(score=["svm", "forest"]).compare()',
    "DataFrame.pu.contingency": "df.pu.contingency(beta)",
    "DataFrame.pu.cutoff": "df.pu.cutoff(beta, precision=0.7)",
    "DataFrame.pu.dominance": 'df.pu(score=["svm", "forest"]).dominance(beta)',
    "DataFrame.pu.estimate_beta": "df.pu.estimate_beta()",
    "DataFrame.pu.gap": 'df.pu(by="site").gap("auroc", beta)',
    "DataFrame.pu.metric": 'df.pu.metric("precision", beta, at=50)',
    "DataFrame.pu.plot_calibration": 'df.pu(score="p").plot_calibration(beta)',
    "DataFrame.pu.plot_forest": 'df.pu(score=["svm", "forest"]).plot_forest("auroc", beta)',
    "DataFrame.pu.plot_metric": 'df.pu.plot_metric("auroc", beta, x="selection_odds")',
    "DataFrame.pu.plot_pr": "df.pu.plot_pr(beta, baseline=True)",
    "DataFrame.pu.plot_rank_cdf": "df.pu.plot_rank_cdf(beta)",
    "DataFrame.pu.plot_roc": "df.pu.plot_roc(beta, baseline=True)",
    "DataFrame.pu.pr_bounds": "df.pu.pr_bounds(beta)",
    "DataFrame.pu.rank_cdf": "df.pu.rank_cdf(beta)",
    "DataFrame.pu.report": "df.pu.report(beta)",
    "DataFrame.pu.robustness": 'df.pu.robustness("auroc", beta, above=0.7)',
    "DataFrame.pu.roc_bounds": "df.pu.roc_bounds(beta)",
    "DataFrame.pu.sample_to_label": "df.pu.sample_to_label(50, random_state=0)",
    "Dataset.pu.area": 'df.pu.contingency(beta).pu.area("auroc")',
    "Dataset.pu.beta_derivatives": "df.pu.contingency(beta).pu.beta_derivatives()",
    "Dataset.pu.metric": 'df.pu.contingency(beta).pu.metric("precision")',
    "Dataset.pu.plot_metric": 'df.pu.contingency(beta).pu.plot_metric("f1", x="fraction")',
    "Dataset.pu.plot_pr": "df.pu.contingency([0.1, 0.2]).pu.plot_pr()",
    "Dataset.pu.plot_roc": "df.pu.contingency([0.1, 0.2]).pu.plot_roc()",
    "Dataset.pu.pr_bounds": "df.pu.contingency(beta).pu.pr_bounds()",
    "Dataset.pu.roc_bounds": "df.pu.contingency(beta).pu.roc_bounds()",
    "Dataset.pu.to_frame": "df.pu.roc_bounds(beta).pu.to_frame()",
}


def draws(method: str) -> bool:
    """Whether a method draws a picture."""
    return ".plot_" in method


def draw(folder: Path) -> None:
    """Draw the pictures that are missing in a folder.

    Parameters
    ----------
    folder : Path
        Where to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = example()
    for method, call in CALLS.items():
        path = folder / f"{method}.png"
        if path.is_file() or not draws(method):
            continue
        drawn = eval(call, dict(names))
        drawn.figure.set_size_inches(8.4, 4.4)  # all of one size, whatever their legends say
        drawn.figure.savefig(path, dpi=120)
        plt.close("all")


def example() -> dict[str, object]:
    """Return the names that the calls use."""
    rng = np.random.default_rng(3)
    truth = rng.random(1_000) < 0.25
    label = np.where(truth & (rng.random(1_000) < 0.4), 1, np.nan)
    score = rng.normal(1.6 * truth)
    df = pd.DataFrame({"score": score, "label": label, "p": expit(1.6 * score - 2.3)})
    df["svm"], df["forest"] = score, rng.normal(1.2 * truth, 1 + 0.5 * truth)
    df["site"] = rng.choice(["north", "south"], 1_000)
    return {"df": df, "beta": round(float(truth[df["label"].isna()].mean()), 2)}


GALLERY = """main_job many_models estimate_beta beta_with_its_error one_model precision_top_k gains
calibration decision_curve threshold early_recognition chosen_list cross_validation clusters forest
choose_a_model gap_between_groups how_sensitive robustness biased_labels assumptions
known_negatives plan_positives paper_figure bounds how_many_known effect_of_beta
better_or_worse_than_chance order_of_models results"""


def place_in_gallery(path: str) -> int:
    """Return the place of a script in the order of the work."""
    return GALLERY.split().index(Path(path).stem.removeprefix("plot_"))

"""Pictures of the story: a function draws each."""

import seaborn as sns
from matplotlib.axes import Axes
from sklearn.metrics import roc_curve

import pu_accessor

df = pu_accessor.load_example()


def draw_truth(ax: Axes) -> None:
    """Add the curve of the true labels, and a legend that names it."""
    ax.plot(*roc_curve(df["truth"], df["score"])[:2], color="0.5", linewidth=2, label="truth")
    ax.legend(loc="lower right")


def known() -> None:
    """Draw the scores of the known positives and of the unlabeled."""
    kind = df["label"].eq(1).map({True: "known positive", False: "unlabeled"})
    how = {"bins": 20, "stat": "density", "common_norm": False, "multiple": "dodge"}
    sns.histplot(df.assign(patients=kind).sort_values("label"), x="score", hue="patients", **how)


def naive() -> None:
    """Draw the naive curve below the true one."""
    draw_truth(df.pu.plot_roc(0, legend=False))


def betas() -> None:
    """Draw a curve for each of several betas."""
    df.pu.plot_roc([0, 0.1, 0.17, 0.2])


def band() -> None:
    """Draw the band for the right beta over the true curve."""
    draw_truth(df.pu.plot_roc(0.17, legend=False))


def decision() -> None:
    """Draw precision by the number of patients."""
    df.pu.plot_metric("precision", 0.17)


def biased() -> None:
    """Draw the band of labels that favour high scores, above the true curve."""
    positive = df[df["truth"]]
    severe = positive.sample(202, weights=positive["score"] + 0.5, random_state=0).index
    labeled = df.assign(label=df.index.isin(severe)).pu(unlabeled=False)
    draw_truth(labeled.plot_roc(0.17, legend=False))

"""Names that people bring from elsewhere, and what to write here instead: for errors alone.

No such name is accepted: there is one spelling of each thing.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

__all__ = ["METHOD_NAMES", "OPTION_NAMES", "ROLE_WORDS", "TABLE_NAMES", "say_where"]

# What a method of df.pu is called elsewhere: the line to write.
METHOD_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(["auc", "roc_auc", "roc_auc_score"], "auroc(0.3)"),
        **dict.fromkeys(
            ["ap", "auprc", "aupr", "pr_auc", "average_precision_score"], "average_precision(0.3)"
        ),
        **dict.fromkeys(["roc", "roc_curve"], "roc_bounds(0.3)"),
        **dict.fromkeys(["pr", "pr_curve", "precision_recall_curve"], "pr_bounds(0.3)"),
        **dict.fromkeys(["confusion_matrix", "tables", "to_frame"], "contingency(0.3)"),
        "area": "contingency(0.3).pu.area('roc')",
        "at": "contingency(0.3).pu.at(rank=100)",
        "beta_derivatives": "contingency(0.3).pu.beta_derivatives()",
        **dict.fromkeys(["beta", "prior", "class_prior", "prevalence"], "estimate_beta()"),
        **dict.fromkeys(["plot", "plot_auroc", "plot_auc", "plot_roc_curve"], "plot_roc(0.3)"),
        **dict.fromkeys(
            ["plot_ap", "plot_pr_curve", "plot_precision_recall", "plot_precision_recall_curve"],
            "plot_pr(0.3)",
        ),
        "plot_decision": "plot_net_benefit(0.3)",
        "plot_precision": "plot_metric('precision', 0.3)",
        "plot_recall": "plot_metric('recall', 0.3)",
        "plot_f1": "plot_metric('f1', 0.3)",
        "precision": "metric('precision', 0.3, at=100)",
        "recall": "metric('recall', 0.3, at=100)",
        "f1": "metric('f1', 0.3, at=100)",
        "sample": "sample_to_label(50, random_state=0)",
    }
)

# The same for ds.pu of tables.
TABLE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(["auroc", "auc", "roc_auc", "roc_auc_score"], "area('roc')"),
        **dict.fromkeys(["average_precision", "ap", "auprc", "pr_auc"], "area('pr')"),
        **dict.fromkeys(["roc_bounds", "roc_curve"], "roc()"),
        **dict.fromkeys(["pr_bounds", "pr_curve", "precision_recall_curve"], "pr()"),
        "precision": "metric('precision')",
        "recall": "metric('recall')",
        "f1": "metric('f1')",
    }
)

# What an argument of a question, and what a role, is called elsewhere.
OPTION_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(["confidence", "confidence_level", "conf_level", "ci"], "level"),
        **dict.fromkeys(["prior", "class_prior", "pi", "alpha_hat"], "beta"),
        **dict.fromkeys(["k", "top", "top_k", "cutoff"], "at"),
        **dict.fromkeys(["style", "size", "units"], "hue"),
        **dict.fromkeys(["seed", "rng"], "random_state"),
        **dict.fromkeys(["n", "n_samples"], "size"),
    }
)
ROLE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(["model", "models", "group", "groups", "groupby", "key", "fold"], "by"),
        **dict.fromkeys(["y", "y_true", "target", "labels", "truth"], "label"),
        **dict.fromkeys(["y_score", "y_pred", "scores", "pred", "proba"], "score"),
        **dict.fromkeys(["pos_label", "pos", "positives"], "positive"),
        **dict.fromkeys(["neg_label", "neg", "negatives"], "negative"),
        **dict.fromkeys(["unl", "unknown"], "unlabeled"),
        **dict.fromkeys(["odds", "propensities"], "propensity"),
        **dict.fromkeys(["nan", "missing", "dropna"], "nan_policy"),
    }
)

_OF_FIGURES = {"figsize", "dpi", "facecolor_figure"}
_OF_AXES = {"title", "xlim", "ylim", "xlabel", "ylabel", "xscale", "yscale", "xticks", "yticks"}
_OF_AXES |= {"aspect"}
_OF_LINES = {"color", "c", "linewidth", "lw", "linestyle", "ls", "marker", "markersize", "ms"}
_OF_LINES |= {"alpha", "zorder", "drawstyle", "label"}
_OF_BANDS = {"facecolor", "fc", "edgecolor", "ec", "hatch", "fill"}
_OF_HUES = {"cmap", "colors", "colormap"}


def say_where(word: str, value: str, call: Iterable[str]) -> str:
    """Return the line that does with a picture what a keyword does elsewhere, or nothing.

    Examples
    --------
    >>> say_where("title", "'A'", ["df.pu.plot_roc", "0.3"])
    "Set it on what is returned: df.pu.plot_roc(0.3).set(title='A')."
    """
    method, *arguments = call

    def written(*more: str) -> str:
        return f"{method}({', '.join([*arguments, *more])})"

    if word in _OF_AXES:
        return f"Set it on what is returned: {written()}.set({word}={value})."
    if word in _OF_FIGURES and any(one.startswith(("col=", "row=")) for one in arguments):
        return f"A grid is as large as its panels, height in inches: {written('height=3')}."
    if word in _OF_FIGURES:
        arguments = [one for one in arguments if not one.startswith("ax=")]
        return f"Make the Axes first: {written(f'ax=plt.subplots({word}={value})[1]')}."
    if word in _OF_BANDS:
        return f"It is the band's: {written(f'band_kws={{{word!r}: {value}}}')}."
    if word in _OF_LINES:
        line = written(f"line_kws={{{word!r}: {value}}}")
        return f"It is the curve's, or its band's in band_kws: {line}."
    if word in _OF_HUES:
        return f"Colours of hues are a palette: {written(f'palette={value}')}."
    return ""

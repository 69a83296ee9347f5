"""Our errors and our one warning class: what came, what is allowed, what to do next.

Each error is also the builtin that a caller would expect, so ``except ValueError`` works.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import InvalidOperation
from difflib import get_close_matches
from functools import cache
from importlib.metadata import metadata
from types import MappingProxyType
from typing import Any
from warnings import warn

_ALIKE = 0.76  # "color" and "col" are not
_LONGEST, _END = 300, 120  # of a message, and of its end, which says what to do

# The manual's page about an argument. A message begins with the argument that it is about; where
# another page says more, the error names that one: PUValueError(text, page="beta#with-its-error").
_PAGES: Mapping[str, str] = {
    "at": "tables#numbers-with-intervals",
    "band": "bands",
    "beta": "beta",
    "bins": "practice#calibration",
    "chunks": "large_data#chunks",
    "cluster": "clusters",
    "count": "clusters#counts",
    "label": "labels",
    "monotone": "monotone",
    "pilot": "planning",
    "pool": "cross_validation#one-answer-for-all-folds",
    "propensity": "biased_labels",
    "ranks": "large_data#cutoffs-that-suffice",
    "reference": "known_negatives",
    "selection_odds": "selection_odds",
    "target": "population",
    "weight": "clusters#weights",
}
_ADDRESS = re.compile(r" See https?://\S+\.html[\w#-]*\.")

# What others call things, by the name that they have here: for messages alone.
_SYNONYMS: Mapping[str, str] = {
    # quantities
    "auroc": "auc roc roc_auc roc_auc_score roc_curve",
    "average_precision": "ap pr prauc pr_auc auprc aupr average_precision_score",
    "accuracy": "acc accuracy_score",
    "balanced_accuracy": "bacc balanced_accuracy_score",
    "f1": "f1_score f_score f1-score fscore f_1 dice",
    "fbeta": "f2 f0.5 f_beta fbeta_score",
    "fdr": "false_discovery_rate",
    "fnr": "miss_rate false_negative_rate",
    "for": "false_omission_rate",
    "fpr": "fall_out false_positive_rate",
    "informedness": "youden bookmaker j",
    "jaccard": "iou jaccard_score",
    "kappa": "cohen_kappa cohen_kappa_score",
    "lift": "ef enrichment enrichment_factor",
    "mcc": "matthews matthews_corrcoef phi",
    "npv": "negative_predictive_value",
    "precision": "ppv positive_predictive_value precision_score",
    "recall": "sensitivity hit_rate true_positive_rate recall_score",
    "tnr": "specificity selectivity true_negative_rate",
    # methods
    "boyce": "cbi boyce_index continuous_boyce",
    "contingency": "confusion_matrix tables to_frame",
    "estimate_beta": "beta prior class_prior prevalence",
    "plot_pr": "plot_ap plot_pr_curve plot_precision_recall plot_precision_recall_curve",
    "plot_roc": "plot plot_auc plot_auroc plot_roc_curve",
    "pr_bounds": "pr pr_curve precision_recall_curve",
    "roc_bounds": "roc roc_curve",
    "sample_to_label": "sample",
    # arguments of questions, and their values
    "at": "k top top_k cutoff",
    "beta": "alpha_hat",
    "examples": "sample these",
    "fraction": "share percent quantile top_fraction",
    "level": "ci confidence confidence_level conf_level",
    "maximum": "best max",
    "palette": "cmap colors colormap",
    "population": "new",
    "metric": "name quantity curve",
    "random_state": "rng seed",
    "rank": "count head k n top top_k",
    "size": "n n_samples",
    "threshold": "cutoff score thr value",
    "youden": "j",
    # roles
    "by": "fold group groupby key model models",
    "cluster": "clusters groups",  # of scikit-learn: rows that belong together
    "label": "labels target truth y y_true",
    "nan_policy": "dropna missing nan",
    "negative": "neg neg_label negatives",
    "positive": "pos pos_label positives",
    "propensity": "odds propensities",
    "score": "pred proba scores y_pred y_score",
    "unlabeled": "unknown unl",
    "count": "counts freq frequency multiplicity",
    "weight": "case_weight case_weights sample_weight weights",
}


class PUError(Exception):
    """Base of everything that pu_accessor raises on purpose.

    Parameters
    ----------
    *args
        The message.
    page : str, optional
        The page of the manual that says more, where it is not that of the argument.
    """

    def __init__(self, *args: Any, page: str | None = None) -> None:
        super().__init__(*(_fit(arg, page) if isinstance(arg, str) else arg for arg in args))


class PUValueError(PUError, ValueError):
    """An argument or a column holds a value that is not allowed."""


class PUDataError(PUValueError):
    """What the rows hold leaves a question without an answer, whatever the arguments."""


class PUTypeError(PUError, TypeError):
    """An argument or a column is of a kind that is not allowed."""


class PUImportError(PUError, ImportError):
    """A package that is not required, and not there, is needed for what was asked."""


class PUKeyError(PUError, KeyError):
    """A column or variable is not there."""

    def __str__(self) -> str:
        """Show the message itself; KeyError would show its repr, newlines escaped."""
        return str(self.args[0])


class PUWarning(UserWarning):
    """Base of our warnings: filter it to silence pu_accessor and nothing else."""


@cache
def _manual() -> str:
    """Return the address of the manual: "Documentation" in pyproject.toml, or nothing."""
    urls = metadata("pu_accessor").get_all("Project-URL") or []
    address = dict(url.split(", ", 1) for url in urls).get("Documentation", "")
    return str(address).rstrip("/")


def _address(page: str | None) -> str:
    """Say where a page can be read. Without a manual on the web there is nothing to say."""
    if not page or not _manual():
        return ""
    name, mark, heading = page.partition("#")
    return f" See {_manual()}/{name}.html{mark}{heading}."


def _fit(message: str, page: str | None) -> str:
    """Add where the manual says more; leave out the middle of what is longer than anyone reads."""
    address_within = _ADDRESS.search(message)  # of an error within this one
    text = _ADDRESS.sub("", message)
    argument = re.split(r"\W", text, maxsplit=1)[0]
    address = address_within[0] if address_within else _address(page or _PAGES.get(argument))
    most = _LONGEST - len(address)
    if len(text) > most:
        text = f"{text[: most - _END - 5]} ... {text[-_END:]}"
    return text + address


def brief(value: object) -> str:
    """Write a value for a message, without its middle where it is long.

    Examples
    --------
    >>> brief("site"), brief("x" * 100)
    ("'site'", "'xxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxx'")
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:25]}...{text[-25:]}"


def shorten(texts: Iterable[str], between: str = ", ", *, most: int = 5, width: int = 160) -> str:
    """Join the first of some texts, as many as fit, and say how many more there are.

    Examples
    --------
    >>> shorten("abcdefgh"), shorten("ab")
    ('a, b, c, d, e and 3 more', 'a, b')
    """
    every = list(texts)
    kept = every[:1]
    for text in every[1:most]:
        if len(between.join([*kept, text])) > width:
            break
        kept.append(text)
    more = len(every) - len(kept)
    return between.join(kept) + (f" and {more} more" if more else "")


def nearest(value: object, names: Iterable[object]) -> Any:
    """Return the name that is meant: one that is alike, or that others call so; None for no name.

    One letter in five may differ: a name that is less alike is another one, and misleads.

    Examples
    --------
    >>> nearest("Recal", ["recall", "fpr"]), nearest("sensitivity", ["recall", "fpr"])
    ('recall', 'recall')
    >>> nearest("fdr", ["recall", "fpr"]) is None
    True
    """
    by_word: dict[str, object] = {}
    for name in names:
        for word in _SYNONYMS.get(str(name), "").split():
            by_word.setdefault(word, name)
        by_word[str(name).lower()] = name
    words = get_close_matches(str(value).lower(), by_word, n=1, cutoff=_ALIKE)
    return by_word[words[0]] if words else None


def suggestion(
    value: object, allowed: Iterable[object], hints: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return ' Did you mean ...?' for an allowed name that is near, or nothing.

    A hint is what to write for a name that is not allowed: an allowed one, or a sentence.

    Examples
    --------
    >>> suggestion("Recal", ["recall", "fpr"])
    " Did you mean 'recall'?"
    >>> suggestion("auc", ["recall", "fpr"], {"auroc": "Write df.pu.auroc(0.3)."})
    ' Write df.pu.auroc(0.3).'
    """
    names = [*allowed]
    name = nearest(value, [*names, *hints])
    meant = hints.get(name, name)
    if meant is None:
        return ""
    return f" Did you mean {meant!r}?" if meant in names else f" {meant}"


@contextmanager
def refuse_signals() -> Iterator[None]:
    """Say which value it is that refuses to be compared, wherever it stands."""
    try:
        yield
    except InvalidOperation as error:
        raise PUValueError(
            "A column holds Decimal('sNaN'), a number that raises when it is looked at. Put None "
            "in its place: "
            "[None if isinstance(x, Decimal) and x.is_snan() else x for x in column]."
        ) from error


def warn_caller(message: str, page: str | None = None) -> None:
    """Warn at the line, outside this package, that called into it."""
    package, depth = __name__.partition(".")[0], 1
    while sys._getframe(depth).f_globals.get("__name__", "").partition(".")[0] == package:
        depth += 1
    warn(_fit(message, page), PUWarning, stacklevel=depth + 1)

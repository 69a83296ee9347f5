"""What a report says in words: a paragraph to copy, and what is taken for granted."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pu_accessor.report.page import number

__all__ = ["Facts", "assumptions", "for_a_paper", "references"]

_MOST = 6  # rankings that a paragraph names one by one
_SOURCES: Mapping[str, str] = {
    "exact": "from labels made by hand for a random sample of the unlabeled",
    "hpd": "from labels made by hand for a random sample of the unlabeled, as a posterior",
    "feasible": "the largest that the known positives leave plausible; its interval is a limit",
    "two_sided": "between the limits that known positives and known negatives set",
    "mean_matching": "matched to the scores of known positives and known negatives",
}
_JOINTLY = ("simultaneous", "dkw")
_UNKNOWN = "[say where it comes from]"


class Facts(NamedTuple):
    """What a report has found, all of it by public methods.

    Parameters
    ----------
    counts : mapping of str to str
        Of the examples, as the repr of the accessor tells them.
    beta : object
        As it was passed.
    keys : list of str
        The columns that name rankings.
    level : float
        Of all intervals.
    band : str
        Of the curves.
    areas : mapping of str to DataFrame
        "AUROC" and "average precision", as far as there are some.
    rates : DataFrame, optional
        Metrics at cutoffs.
    breaking : DataFrame, optional
        By which factor the odds of being labeled may differ.
    propensity : object, optional
        The column that has the probabilities of being labeled.
    version : str
        Of this package.
    """

    counts: Mapping[str, str]
    beta: Any
    keys: list[str]
    level: float
    band: str
    areas: Mapping[str, pd.DataFrame]
    rates: pd.DataFrame | None
    breaking: pd.DataFrame | None
    propensity: object
    version: str


def for_a_paper(facts: Facts) -> str:
    """Return the paragraph that states what was done and found."""
    told = [_counts(facts.counts), _beta(facts), _labels(facts)]
    for name, found in facts.areas.items():
        new = _target(found) == "population"
        where = f"on new examples{' [2]' * (name == 'AUROC')}" if new else "on these examples"
        told.append(f"{name[0].upper()}{name[1:]} {where} is {_each(found, facts)}.")
    if facts.rates is not None and len(facts.rates) <= _MOST:
        told.append(f"Among these examples, {_rates(facts.rates, facts)}.")
    together = ", together with the interval of β," if _is_joint(facts) else ""
    told.append(
        f"Bounds on curves are about these examples [1]: those of the band “{facts.band}”, which "
        f"is to hold{together} with a probability of {facts.level:g} "
        f"{'at all cutoffs jointly' if facts.band in _JOINTLY else 'at each cutoff'}."
    )
    if facts.breaking is not None and len(facts.breaking) <= _MOST:
        told.append(
            "That AUROC is above 0.5 holds at this β as long as the odds of being labeled differ "
            f"between any two positives by a factor of less than Γ = {_factors(facts)}."
        )
    told.append(f"All numbers were computed with pu_accessor {facts.version}.")
    return " ".join(told)


def assumptions(facts: Facts) -> list[str]:
    """Return what is taken for granted."""
    return [
        _labels(facts),
        f"{_beta(facts)} All numbers but the sign of a comparison depend on it.",
        "The scores come from a classifier that was not trained on these rows.",
        "“population” speaks of new examples, from where these come from and with their "
        "prevalence; “examples” of these, once all their labels were known.",
        f"Each interval holds by itself, with a probability of {facts.level:g}; where many are "
        "looked at, some miss.",
        "Tied scores cannot be told apart by any threshold, and share a cutoff.",
    ]


def references() -> list[str]:
    """Return what to cite."""
    return [
        "[1] M. Claesen, J. Davis, F. De Smet, B. De Moor, Assessing Binary Classifiers Using "
        "Only Positive and Unlabeled Data, arXiv:1504.06837, 2015.",
        "[2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Comparing the areas under two or "
        "more correlated receiver operating characteristic curves: a nonparametric approach, "
        "Biometrics 44 (1988) 837-845.",
    ]


def _counts(counts: Mapping[str, str]) -> str:
    """Say how many examples of each kind there are."""
    kinds = [f"{counts[kind]} {kind}" for kind in _KINDS if counts.get(kind, "0") != "0"]
    return f"The data hold {_listed(kinds)} examples."


_KINDS = ("known positives", "known negatives", "unlabeled")


def _beta(facts: Facts) -> str:
    """Say what beta is, and where it comes from."""
    beta = facts.beta
    start = "The share of positives among the unlabeled, β, was taken to be"
    if isinstance(beta, pd.DataFrame):
        method = str(beta["method"].iloc[0]) if "method" in beta else ""
        source = _SOURCES.get(method, _UNKNOWN)
        if len(beta) > 1:
            return f"{start} one for each group, {source}."
        row = beta.iloc[0]
        ends = f"{number(row['lower'])} to {number(row['upper'])}"
        return (
            f"{start} {number(float(row['beta']))} ({100 * row['level']:g}% interval {ends}), "
            f"{source}; intervals hold jointly with its error."
        )
    if hasattr(beta, "__len__"):
        return f"{start} one for each group, {_UNKNOWN}."
    return f"{start} {number(float(beta))}, {_UNKNOWN}."


def _labels(facts: Facts) -> str:
    """Say how labels are taken to be selected."""
    if facts.propensity is not None:
        return (
            "Positives are taken to have been labeled with the probabilities in the column "
            f"{facts.propensity!r}."
        )
    return "Known positives are taken to be a random sample of all positives."


def _is_joint(facts: Facts) -> bool:
    """Tell whether curves have the envelope of an estimate of beta."""
    beta = facts.beta
    return isinstance(beta, pd.DataFrame) and float(beta["level"].iloc[0]) > facts.level


def _target(found: pd.DataFrame) -> str:
    """Return what a number is about."""
    return str(found["target"].iloc[0])


def _each(found: pd.DataFrame, facts: Facts) -> str:
    """Write an estimate with its interval, for each ranking."""
    if len(found) > _MOST:
        return f"in the table for each of {len(found)} rankings"
    return _listed(
        [f"{_interval(row, facts.level)}{_of(row, facts.keys)}" for row in _records(found)]
    )


def _rates(found: pd.DataFrame, facts: Facts) -> str:
    """Write metrics at cutoffs."""
    return _listed(
        [
            f"{row['metric']} in the first {number(row['rank'])}{_of(row, facts.keys)} is "
            f"{number(row['estimate'])} ({number(row['lower'])} to {number(row['upper'])})"
            for row in _records(found)
        ]
    )


def _factors(facts: Facts) -> str:
    """Write the factors at which a conclusion breaks."""
    rows = [] if facts.breaking is None else _records(facts.breaking)
    return _listed([f"{_short(row['breaking_point'])}{_of(row, facts.keys)}" for row in rows])


def _short(value: float) -> str:
    """Write a factor."""
    return f"{value:.1f}" if value < 1e6 else "∞"


def _interval(row: Mapping[str, Any], level: float) -> str:
    """Write an estimate with its interval."""
    return (
        f"{number(row['estimate'])} ({100 * level:g}% interval {number(row['lower'])} to "
        f"{number(row['upper'])})"
    )


def _of(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Say which ranking a row is about."""
    return f" for {', '.join(str(row[key]) for key in keys)}" if keys else ""


def _records(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows by the names of their columns."""
    return [{str(name): value for name, value in row.items()} for row in found.to_dict("records")]


def _listed(texts: Sequence[str]) -> str:
    """Join texts as a sentence does."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"

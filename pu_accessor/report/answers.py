"""What a report is about: the answers of public methods, and what words say of them."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import pandas as pd

from pu_accessor.errors import PUError, PUWarning
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.questions.betas import read_betas
from pu_accessor.questions.estimates import describe_clusters
from pu_accessor.report.page import number

_AT_EDGE = 0.9995  # from here on, numbers are written as 1
_MOST = 6  # rankings that a paragraph names one by one
_SOURCES: Mapping[str, str] = {
    "exact": "from labels made by hand for a random sample of the unlabeled",
    "hpd": "from labels made by hand for a random sample of the unlabeled, as a posterior",
    "feasible": "the largest that the known positives leave plausible; its interval is a limit",
    "simultaneous": "the largest that known positives leave plausible; its interval is a limit",
    "two_sided": "between the limits that known positives and known negatives set",
    "mean_matching": "matched to the scores of known positives and known negatives",
}
_JOINTLY = ("simultaneous", "dkw")
_OF_A_FACTOR = ("selection_odds", "range_lower", "range_upper", "lower", "upper")
_UNKNOWN = "[say where it comes from]"


class Answers:
    """What public methods of an accessor answer, and what they warn of meanwhile."""

    def __init__(
        self, pu: Any, beta: Any, at: At, level: float, band: str, columns: Mapping[str, Any]
    ) -> None:
        self.pu, self.beta, self.level, self.band = pu, beta, level, band
        self.propensity, self.counts = pu._held.propensity, pu._counts()
        self.cluster, self.weight = pu._held.cluster, pu._held.weight
        self.is_simple = self.cluster is None and self.weight is None
        self.notes: list[str] = []
        # What is wrong with rows or arguments raises here, before anything else is asked.
        targets = {"these": "examples"} if self.is_simple else {}  # that count rows
        targets = {"new": "population", **targets}
        checked = self._note(pu.auroc, beta, target=[*targets.values()][-1], level=level)
        self.keys = [str(name) for name in checked.columns[: list(checked).index("beta")]]
        self.areas: dict[str, list[Any]] = {}
        for area, method in (("AUROC", pu.auroc), ("Average precision", pu.average_precision)):
            self.areas[area] = []
            for name, target in targets.items():
                options = {"target": target, "level": level}
                caption = f"{area} on {name} examples"
                self.areas[area] += self.ask(caption, method, beta, **options)
        options = {"at": at, "target": "examples", "level": level, "band": band}
        metrics = ["precision", "recall"]
        self.rates = self.ask("Metrics at cutoffs", pu.metric, metrics, beta, **options)
        caption = "How far labels may be from random"
        options = {"selection_odds": 1, "level": level}
        self.breaking, self.clusters = [], []
        if self.is_simple:
            broken = self.ask(caption, pu.robustness, "auroc", self.point(), **options)
            self.breaking = [answer.drop(columns=[*_OF_A_FACTOR]) for answer in broken]
        else:
            self.clusters = self.ask("The design effect", describe_clusters, pu._request())
        self.checks: list[Any] = []
        asked = {name: column for name, column in columns.items() if column is not None}
        if asked or (self.is_simple and self.propensity is None and not pu._roles.pool):
            options = {**asked, "level": level}
            caption = "A check of the assumptions"
            self.checks = self.ask(caption, pu.check_assumptions, self.point(), **options)
        if self.cluster is None:
            self.notes += map(_ask_for_cluster, pu._source.repeated(pu._roles))

    def point(self) -> Any:
        """Return beta without its interval."""
        if not isinstance(self.beta, pd.DataFrame):
            return self.beta
        return read_betas(self.beta).points()

    def ask(self, name: str, method: Callable[..., Any], *args: Any, **options: Any) -> list[Any]:
        """Return an answer in a list, or note why there is none."""
        try:
            return [self._note(method, *args, **options)]
        except PUError as error:
            self.notes.append(f"{name} is not there: {error}")
            return []

    def _note(self, method: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return an answer, and note what it warns of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PUWarning)
            answer = method(*args, **options)
        for told in caught:
            if issubclass(told.category, PUWarning):
                self.notes.append(str(told.message))
            else:
                warnings.warn_explicit(told.message, told.category, told.filename, told.lineno)
        return answer


def for_a_paper(answers: Answers) -> str:
    """Return the paragraph that states what was done and found."""
    kinds = ("known positives", "known negatives", "unlabeled")
    counts = [
        f"{answers.counts[kind]} {kind}" for kind in kinds if answers.counts.get(kind, "0") != "0"
    ]
    held = [f"The data hold {_listed(counts)} examples."] if counts else []
    sentences = [*held, _beta(answers), _labels(answers)]
    for name, frames in answers.areas.items():
        for areas in frames[:1]:
            is_new = areas.attrs["target"] == "population"
            cited = "on new examples [2]" if name == "AUROC" else "on new examples"
            where = cited if is_new else "on these examples"
            sentences.append(f"{name} {where} is {_each_area(areas, answers)}.")
    for rates in answers.rates:
        if len(rates) <= _MOST:
            sentences.append(f"Among these examples, {_each(rates, answers, _rate)}.")
    weighted = answers.propensity is not None or answers.weight is not None
    band = "weighted" if weighted else answers.band
    band = band if answers.cluster is None else "clustered"
    is_estimate = isinstance(answers.beta, pd.DataFrame)
    together = ", together with the interval of β," if is_estimate else ""
    sentences.append(
        f"Bounds on curves are about these examples [1]: those of the band “{band}”, which is to "
        f"hold{together} with a probability of {answers.level:g} "
        f"{'at all cutoffs jointly' if band in _JOINTLY else 'at each cutoff'}."
    )
    for breaking in answers.breaking:
        if len(breaking) <= _MOST:
            sentences.append(
                "That AUROC is above 0.5 holds at this β as long as the odds of being labeled "
                "differ between any two positives by a factor of less than Γ = "
                f"{_each(breaking, answers, _factor)}."
            )
    sentences.append(f"All numbers were computed with pu_accessor {version('pu_accessor')}.")
    return " ".join(sentences)


def assumptions(answers: Answers) -> list[str]:
    """Return what is taken for granted."""
    weighed = [f"Each row stands for as many as its {str(answers.weight)!r} says."]
    return [
        *(weighed if answers.weight is not None else []),
        _labels(answers),
        f"{_beta(answers)} All numbers but the sign of a comparison depend on it.",
        "The scores come from a classifier that was not trained on these rows.",
        "Rows are independent of each other."
        if answers.cluster is None
        else f"Rows of different clusters, by {str(answers.cluster)!r}, are independent.",
        "“population” speaks of new examples, from where these come from and with their "
        "prevalence; “examples” of these, once all their labels were known.",
        f"Each interval holds by itself, with a probability of {answers.level:g}; where many are "
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


def _ask_for_cluster(name: str) -> str:
    """Ask whether rows are independent."""
    return (
        f"Are rows independent, although {name!r} repeats, or do those of one belong together, so "
        f"that intervals on new examples need cluster={name!r}?"
    )


def _beta(answers: Answers) -> str:
    """Say what beta is, and where it comes from."""
    beta = answers.beta
    start = "The share of positives among the unlabeled, β, was taken to be"
    if isinstance(beta, pd.DataFrame):
        method = str(beta["method"].iloc[0]) if "method" in beta else ""
        source = _SOURCES.get(method, _UNKNOWN)
        if len(beta) > 1:
            return f"{start} one for each group, {source}."
        row = beta.iloc[0]
        interval = f"({100 * row['level']:g}% interval {_limits(row)})"
        point = number(float(row["beta"]))
        return f"{start} {point} {interval}, {source}; intervals hold jointly with its error."
    if hasattr(beta, "__len__"):
        return f"{start} one for each group, {_UNKNOWN}."
    return f"{start} {number(float(beta))}, {_UNKNOWN}."


def _labels(answers: Answers) -> str:
    """Say how labels are taken to be selected."""
    if answers.propensity is not None:
        return (
            "Positives are taken to have been labeled with the probabilities in the column "
            f"{answers.propensity!r}."
        )
    return "Known positives are taken to be a random sample of all positives."


def _each_area(areas: pd.DataFrame, answers: Answers) -> str:
    """Write an area with its interval, for each ranking."""
    if len(areas) > _MOST:
        return f"in the table for each of {len(areas)} rankings"
    level = f"{100 * answers.level:g}%"

    def area(row: Any, about: str) -> str:
        return f"{_estimate(row)} ({level} interval {_limits(row)}){about}"

    return _each(areas, answers, area)


def _rate(row: Any, about: str) -> str:
    """Write a metric at a cutoff with its interval."""
    cutoff = f"{row['metric']} in the first {row['rank']:,g}{about}"
    return f"{cutoff} is {_estimate(row)} ({_limits(row)})"


def _estimate(row: Any) -> str:
    """Write an estimate; one at the edge is no perfect classifier, as its interval says."""
    at_edge = row["estimate"] >= _AT_EDGE > row["lower"]
    return "consistent with 1" if at_edge else number(row["estimate"])


def _factor(row: Any, about: str) -> str:
    """Write the factor at which a conclusion breaks."""
    factor = row["breaking_point"]
    return f"{factor:.1f}{about}" if factor < 1e6 else f"∞{about}"


def _each(frame: pd.DataFrame, answers: Answers, write: Callable[[Any, str], str]) -> str:
    """Write each row of a frame; what is written also says which ranking it is about."""
    texts = []
    for row in frame.to_dict("records"):
        keys = ", ".join(str(row[key]) for key in answers.keys)
        texts.append(write(row, f" for {keys}" if keys else ""))
    return _listed(texts)


def _limits(row: Any) -> str:
    """Write the limits of an interval."""
    return f"{number(row['lower'])} to {number(row['upper'])}"


def _listed(texts: Sequence[str]) -> str:
    """Join texts as a sentence does."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"

"""Roles of columns, assumptions, and the table of arguments that exclude each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from pu_accessor.checks import check_flag, check_option, check_selection_odds, check_share
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.words import read_rows, suggest

Values: TypeAlias = Any  # a value, or a list of values
ColumnNames: TypeAlias = Hashable | list[Any]  # a column, or several
Over: TypeAlias = bool | str | list[str]  # whether, or over which columns of `by`
Seed: TypeAlias = int | np.random.Generator
Pair: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]  # lower and upper, for k = 0..n
Band: TypeAlias = Callable[[int, int, float], Pair]
UserBand: TypeAlias = str | Band | Pair


class Reading(TypedDict, total=False):
    """The coding of labels, and the policy for missing scores and failed groups."""

    positive: Values
    negative: Values
    unlabeled: Values
    nan_policy: Literal["raise", "omit", "worst", "unretrieved"]
    on_error: Literal["raise", "skip", "nan"]
    progress: bool


class ArrayRoles(Reading, total=False):
    """Roles of arrays other than scores and labels."""

    cluster: npt.ArrayLike | None
    weight: npt.ArrayLike | None
    count: npt.ArrayLike | None
    propensity: npt.ArrayLike | None


class RowRoles(Reading, total=False):
    """Roles of columns in any source with names."""

    label: Hashable
    cluster: Hashable | None
    weight: Hashable | None
    count: Hashable | None
    propensity: Hashable | None


class SampleRoles(RowRoles, total=False):
    """Roles of the variables of samples."""

    score: Hashable
    dim: Hashable


class GroupRoles(RowRoles, total=False):
    """Roles of the columns of a groupby."""

    score: ColumnNames
    average: Over


class FrameRoles(GroupRoles, total=False):
    """Roles of the columns of a frame."""

    by: ColumnNames | None


class Assumed(TypedDict, total=False):
    """Assumptions about labels and scores."""

    reference: str
    selection_odds: float
    contamination: float
    monotone: bool
    prevalence: float | None


OTHERS = ("propensity", "cluster", "weight", "count")


@dataclass(frozen=True)
class Terms:
    """The roles of columns, the assumptions about labels and scores, the level and the band."""

    score: ColumnNames = "score"  # or one column for each model; higher is more positive
    label: Hashable = "label"
    by: ColumnNames | None = None  # columns whose values make groups
    propensity: Hashable | None = None  # probabilities that positives are labeled
    cluster: Hashable | None = None  # dependent rows: of a patient, a user, a site
    weight: Hashable | None = None  # how many rows of a larger sample each stands for
    count: Hashable | None = None  # how many identical rows each stands for
    positive: Values = None  # values of each state in another coding
    negative: Values = None
    unlabeled: Values = None
    # "worst": ranked last, in one shared cutoff; "unretrieved": below any cutoff.
    nan_policy: str = "raise"
    on_error: str = "raise"  # a group without a result: "skip" it, or "nan"
    progress: bool = False  # whether to show a bar
    average: Over = False  # whether, or over which columns of by, results are averaged
    # The assumptions.
    reference: str = "positives"  # which known examples are a random sample
    selection_odds: float = 1.0  # largest ratio of the odds of being labeled
    contamination: float = 0.0  # largest share of wrong known positives
    monotone: bool = False  # whether a higher score never means a smaller share of positives
    prevalence: float | None = None  # of future data; None: that of this sample
    # Of a question.
    level: float = 0.95
    band: UserBand = "exact"
    one_sided: bool = False  # the level is that of lower and of upper limits, each

    def update(self, **passed: Any) -> Terms:
        """Return a copy with what a user passed, after checks."""
        # The caller may change a list later.
        copied: dict[str, Any] = {
            name: [*term] if isinstance(term, list) else term for name, term in passed.items()
        }
        changed = replace(self, **copied)._checked()
        refuse(changed.facts())
        return changed

    def _checked(self) -> Terms:
        """Return the terms with numbers as floats, or raise for a value that is not allowed."""
        check_option("nan_policy", self.nan_policy, ("omit", "raise", "unretrieved", "worst"))
        check_option("on_error", self.on_error, ("raise", "skip", "nan"))
        check_option("reference", self.reference, ("positives", "negatives", "tightest"))
        for name in ("progress", "monotone"):
            check_flag(name, getattr(self, name))
        if not isinstance(self.average, bool | str | list):
            raise PUTypeError(
                "average must be True, False or names of columns in by, but "
                f"{brief(self.average)} was passed. Pass average='fold'."
            )
        shares = {"contamination": "[0, 0.5)"}
        if self.prevalence is not None:
            shares["prevalence"] = "[1e-30, 1)"
        numbers: dict[str, Any] = {
            name: check_share(name, getattr(self, name), span) for name, span in shares.items()
        }
        return replace(self, selection_odds=check_selection_odds(self.selection_odds), **numbers)

    @property
    def is_random(self) -> bool:
        """Whether labels are taken as a random sample of the positives."""
        return self.selection_odds == 1 and not self.contamination

    @property
    def at_random(self) -> Terms:
        """The same for labels that are a random sample."""
        return self if self.is_random else replace(self, selection_odds=1.0, contamination=0.0)

    def at_level(self, level: float) -> Terms:
        """Return the same terms at another level."""
        return self if level == self.level else replace(self, level=level)

    def facts(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the roles and assumptions that differ from the defaults, by name."""
        return {
            name: term
            for name in names or TERMS
            if type(term := getattr(self, name)) is not type(default := getattr(Terms, name))
            or term != default
        }

    @property
    def is_wide(self) -> bool:
        """Whether there is a column of scores for each of several models."""
        return isinstance(self.score, list)

    @property
    def models(self) -> list[Hashable]:
        """The columns of scores."""
        models: list[Hashable] = self.score if isinstance(self.score, list) else [self.score]
        if not models or len(set(map(str, models))) < len(models):
            raise PUValueError(
                "score must name one column or a list of different ones, but "
                f"{models!r} was passed. For example score=['svm', 'forest']."
            )
        return models

    @property
    def keys(self) -> list[Hashable]:
        """The columns that make groups."""
        return self.by if isinstance(self.by, list) else [] if self.by is None else [self.by]

    @property
    def others(self) -> dict[str, Hashable]:
        """The columns other than scores and labels, by role."""
        return {role: name for role in OTHERS if (name := getattr(self, role)) is not None}

    @property
    def omits(self) -> bool:
        """Whether rows without a score are left out."""
        return self.nan_policy == "omit"

    @property
    def sinks(self) -> bool:
        """Whether rows without a score rank below every cutoff."""
        return self.nan_policy == "unretrieved"

    def named(self) -> list[tuple[str, Hashable]]:
        """Return the role and name of each column read; raise if one has two roles."""
        scores = [("score", model) for model in self.models]
        named = [*scores, ("label", self.label), *self.others.items()]
        roles: dict[Hashable, str] = {}
        for role, name in named:
            if isinstance(name, Hashable) and roles.setdefault(name, role) != role:
                raise PUValueError(
                    f"{role} must name another column than {roles[name]}, but {brief(name)} was "
                    f"passed for both. Pass the name of its own column, {role}=..."
                )
        return named


ROLES = tuple(one.name for one in fields(Terms) if one.name in FrameRoles.__annotations__)
ASSUMPTIONS = tuple(Assumed.__annotations__)
TERMS = (*ROLES, *ASSUMPTIONS)


def check_known(call: str, passed: Mapping[str, object], allowed: Iterable[str]) -> None:
    """Raise for an unknown role or assumption."""
    allowed = [*allowed]
    every = f" It takes {', '.join(allowed)}."
    for name, value in passed.items():
        if name not in allowed:
            calls = {**dict.fromkeys(ROLES, "df.pu"), **dict.fromkeys(ASSUMPTIONS, "df.pu.assume")}
            lines = {term: f"{calls[term]}({term}={brief(value)})" for term in calls}
            meant = suggest(name, allowed, lines, places=("=", "pu("))
            raise PUTypeError(f"{call} has no argument {name!r}.{meant or every}")


class Exclusion(NamedTuple):
    """Facts that exclude each other; a user is to change the first."""

    facts: tuple[str, ...]
    why: str
    step: str


# The assumptions each method supports; all support monotone scores. "at a cutoff" is any metric at
# a cutoff.
SUPPORTED_ASSUMPTIONS: Mapping[str, tuple[str, ...]] = {
    "contingency": ("reference", "selection_odds", "contamination"),
    "rank_cdf": ("reference", "selection_odds", "contamination"),
    "dominance": ("reference", "selection_odds", "contamination"),
    "auroc": ("selection_odds", "contamination"),
    "average_precision": ("selection_odds", "contamination", "prevalence"),
    "bedroc": (),
    "ndcg": (),
    "bpref": (),
    "boyce": (),
    "at a cutoff": ("reference", "selection_odds", "contamination", "prevalence"),
    "calibration": (),
    "cutoff": ("reference",),
    "compare": ("selection_odds", "contamination"),
    "gap": (),
    "estimate_beta": (),
    "check_assumptions": (),
    "sample_to_label": ASSUMPTIONS,
}

OF_TABLES = ("contingency", "roc_bounds", "pr_bounds", "plot_roc", "plot_pr", "plot_metric")

NO_METHOD = "no method is known under that assumption"


def _read_table() -> Iterator[Exclusion]:
    """Yield an exclusion for each combination of alternatives."""
    for row in read_rows("exclusions.txt"):
        facts, rest = row.split(": ", 1)
        why, _, step = rest.partition(" > ")
        first, others = facts.split(", ", 1)
        for alternative in others.split(" | "):
            for combined in product(*(f.split("/") for f in (first, *alternative.split(", ")))):
                yield Exclusion(combined, why, step or "Leave one of the two out.")


EXCLUSIONS = tuple(_read_table())
_BY_FACTS = [(frozenset(exclusion.facts), exclusion) for exclusion in EXCLUSIONS]


def refuse(facts: Mapping[str, object], method: str = "") -> None:
    """Raise if facts, the method among them, exclude each other."""
    question = "contingency" if method in OF_TABLES else method
    facts = {**facts, **({question: method} if method else {})}
    supported = ("monotone", *SUPPORTED_ASSUMPTIONS.get(question, ASSUMPTIONS))
    for name in ASSUMPTIONS:
        if name in facts and name not in supported:
            raise _explain(Exclusion((name, question), NO_METHOD, f"Leave {name} out."), facts)
    for excluded, exclusion in _BY_FACTS:
        if excluded <= facts.keys():
            raise _explain(exclusion, facts)


def _explain(exclusion: Exclusion, facts: Mapping[str, object]) -> PUValueError:
    """Return the error of an exclusion."""
    first, *others = exclusion.facts
    name, equals, value = first.partition("=")
    passed = ""
    if equals:
        verdict = f"must not be {value}"
    elif isinstance(facts[first], str) and first == facts[first]:  # a method
        verdict = "is not available"
    else:
        verdict, passed = "must be left out", f", but {brief(facts[first])} was passed"
    with_others = " and ".join(_write(fact, facts) for fact in others)
    text = f"{name} {verdict} with {with_others}{passed}: {exclusion.why}. {exclusion.step}"
    return PUValueError(text)


def _write(fact: str, facts: Mapping[str, object]) -> str:
    """Return a fact as messages write it."""
    if fact in TERMS:
        return f"{fact}={brief(facts[fact])}"
    if fact == "contingency":  # by the name that was called
        return str(facts[fact])
    fact = "a metric at a cutoff" if fact == "at a cutoff" else fact
    return fact if "='" in fact else fact.rpartition("=")[2]

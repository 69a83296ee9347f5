"""Roles of columns, assumptions, and the table of arguments that exclude each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from pu_accessor.checks import check_flag, check_option, check_selection_odds, check_share
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.words import suggest

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

# Facts that exclude each other: why > what to do. The first fact is what a user is to change.
# "/" separates alternatives, "|" those of all facts but the first.
_TABLE = """
count, weight: rows with a weight are sampled one at a time
  > Write the rows out: df.loc[df.index.repeat(df['n'])].pu(weight='w').
nan_policy='unretrieved', a metric that counts
  negatives/contingency/rank_cdf/dominance/calibration/cutoff/compare/gap/estimate_beta
  /check_assumptions/sample_to_label/robustness/weight/cluster/reference/prevalence:
  the number of negatives that were not retrieved is unknown
  > Pass nan_policy='worst', which ranks these rows last.
nan_policy='unretrieved'/at=the first positive, data in chunks: it needs all scores in memory
  > Read them first: ddf.compute().pu.
nan_policy='unretrieved', at=a share or rate of all examples: the number of examples is unknown
  > Pass a rank: at=10.
cluster/weight, ndcg/bpref/at=a metric's own cutoff: its interval takes documents as independent
monotone, propensity: if labels depend on more than the class, known positives may not become rarer
  down the ranking
cluster/weight, propensity: no standard error is known where labels have unequal probabilities
selection_odds/contamination/reference, cluster/weight/propensity: under this assumption no method
  is known for rows that are no simple random sample
prevalence, average_precision, contamination/selection_odds: no method covers both
propensity, gap, auroc: it takes the known positives of each group as a simple random sample
average, propensity: the error of an average is unknown if known positives count unequally
average, data in a Dataset: only groups of frames can be averaged
  > Make a frame: ds.to_dataframe().reset_index().pu.
by, a groupby: a groupby already defines its groups
  > Group by all keys at once: df.groupby(['site', 'model']).pu.
by, data in a Dataset: each other dimension already makes groups
  > Leave it out, or make a frame: ds.to_dataframe().reset_index().pu(by='model').
on, data in a Dataset/a list of scores: rows already pair the scores of models > Leave it out.
a list of scores, gap: models of the same rows are not independent
  > Compare them: df.pu(score=['svm', 'forest']).compare().
at=a cutoff that depends on beta, one estimate for all groups: each beta within the estimate has
  another cutoff > Estimate beta in each group: beta=df.pu(by='sex').estimate_beta().
on, robustness, a metric of one model: it pairs the rows of models > Leave it out.
above, robustness, over=a prevalence: a prevalence violates no assumption > Leave above out.
above, robustness, a difference: the conclusion is that one model is better than the other
  > Leave it out.
at=a cutoff that depends on beta, compare: each model and beta has another cutoff
  > Pass for example at=100.
wave/strata, check_assumptions, data in a Dataset: it names a column of a frame
  > Make a frame: ds.to_dataframe().reset_index().pu.
strata, check_assumptions, data in arrays: arrays have no columns
  > Put the arrays into a frame: pd.DataFrame({'score': score, 'label': label}).pu.
score/label/by/wave, data in arrays: arrays have no columns
  > Put the arrays into a frame: pd.DataFrame({'score': score, 'label': label}).pu.
compare, data in arrays: two arrays are the scores and labels of one model
  > Put the scores of all models into a frame: df.pu(score=['svm', 'forest']).compare().
sample_to_label, data in chunks: rows are sampled in memory
  > Sample some first: ddf.sample(frac=0.01, random_state=0).compute().pu.sample_to_label(50).
sample_to_label, data in a LazyFrame: rows are sampled in memory
  > Collect it first: lf.collect().pu.sample_to_label(50).
ranks='all', data in chunks: all cutoffs need all scores in memory
  > Curves and areas are the same with ranks='breakpoints'.
strata/below/above, sample_to_label, by/a groupby/a list of scores: rows are sampled from one
  ranking > Sample one group at a time: df[df['site'] == 'a'].pu(score='svm').
band/beta=an interval/max_fpr/reference/selection_odds/contamination/prevalence, average: an
  average has its own interval > Evaluate each group, without average.
average,
  contingency/rank_cdf/dominance/calibration/cutoff/gap/estimate_beta/check_assumptions
  /sample_to_label/robustness:
  the result is for each group > Leave average out.
on, average: groups are paired by their names > Leave it out.
on_error='nan', contingency/rank_cdf/dominance/average/gap: the result has no row of a single group
  that could be NaN > Pass on_error='skip', which leaves groups without a result out.
target='examples', average: an average is of new groups like these > Leave target out.
beta=an estimate, selection_odds/contamination/rank_cdf/robustness/check_assumptions/dominance: no
  method includes the error of beta > Pass its point, beta=found['beta'].item(), or one of its
  limits.
beta=an interval, contamination, contingency: such tables have one number of positives
  > Pass both ends: beta=[0.1, 0.3].
beta=an interval/beta=an estimate, contingency, target='population': the band for future data has
  one beta > Pass both ends: beta=[0.1, 0.3].
target='population', at=a cutoff chosen from the data, selection_odds: the errors of the cutoff and
  of the metric are dependent, and no method is known
  > Pass target='examples', or at={'threshold': 0.5}.
target='population',
  contingency, band/reference/selection_odds/contamination/cluster/weight/propensity
  | at=a cutoff that only this sample has | at a cutoff, band/reference | cutoff, cost/reference
  | auroc/average_precision/at a cutoff/gap, propensity: there is no interval for future data then
  > Pass target='examples'.
prevalence, target='examples', average_precision/at a cutoff: this sample has its own prevalence
  > Pass target='population', and a metric at={'threshold': 0.5}.
target='examples', auroc/average_precision/bedroc/compare/gap, cluster/weight: intervals for this
  sample take rows as independent and of equal weight > Pass target='population'.
max_fpr, propensity: with propensities only the whole area has an interval
  > Use the bounding curves: df.pu.contingency(0.3).pu.area('auroc', max_fpr=0.1).
band=one for labels selected at random, selection_odds: it assumes labels selected at random
  > Pass band='exact' or 'simultaneous'.
at=a cutoff chosen from the data, cluster/weight/propensity: the cutoff is chosen among all, and no
  such band covers jointly > Pass a rank.
band, contingency/rank_cdf/dominance/at a cutoff, cluster/weight/propensity: rows that are no
  simple random sample have their own band > Leave band out.
band, auroc/average_precision/bedroc/boyce/bpref/ndcg: it has no band > Leave band out.
contamination, at=a cutoff chosen from the data: wrong labels would change the cutoff
  > Pass a rank, a fraction or a threshold.
cluster, cutoff/estimate_beta/robustness: it takes rows as independent
  > Keep one row of each: df.groupby('patient').sample(1, random_state=0).pu.
weight, cutoff/estimate_beta/robustness: it takes rows as equally likely
  > Sample rows by weight: df.sample(1000, weights='w', replace=True, random_state=0).pu.
propensity, robustness/calibration/bedroc/ndcg/bpref/cutoff: it assumes labels selected at random
propensity/weight, check_assumptions: it checks random labels of rows that count once
  > Leave it out: df.pu.check_assumptions().
strata, check_assumptions, cluster: the test of strata takes rows as independent
  > Leave one of the two out; the test of waves allows clusters.
cluster, check_assumptions, no wave: dependent rows allow a test of waves of labels alone
  > Name their column, wave='labeled_by', or leave cluster out.
weight, sample_to_label: beta is a weighted share, but rows are sampled with equal probabilities
  > Sample by weight: df[df['label'].isna()].sample(100, weights='w', replace=True).
count, sample_to_label: rows are sampled one by one
  > Write them out: df.loc[df.index.repeat(df['n'])].reset_index(drop=True).pu.
propensity/selection_odds/contamination, compare, a metric other than AUROC: under these only AUROC
  can be compared > Use compare('auroc', 0.3).
target='examples', compare, a metric other than AUROC: on this sample only AUROC can be compared
  > Pass target='population'.
"""


NO_METHOD = "no method is known under that assumption"


def _read_table() -> Iterator[Exclusion]:
    """Yield an exclusion for each combination of alternatives."""
    for row in re.sub(r"\n  (?=/)", "", _TABLE).replace("\n  ", " ").strip().splitlines():
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

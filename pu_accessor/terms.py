"""What is bound before a question is asked: roles, assumptions, and what excludes what."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from pu_accessor.checks import check_flag, check_option, check_selection_odds, check_share
from pu_accessor.errors import PUTypeError, PUValueError, brief, suggestion

Values: TypeAlias = Any  # a value, or a list of values
ColumnNames: TypeAlias = Hashable | list[Any]  # a column, or several
Over: TypeAlias = bool | str | list[str]  # whether, or over which columns of `by`
Seed: TypeAlias = int | np.random.Generator
NanPolicy: TypeAlias = Literal["raise", "omit", "worst", "unretrieved"]
OnError: TypeAlias = Literal["raise", "skip", "nan"]


class Reading(TypedDict, total=False):
    """How labels are coded, and what becomes of rows and groups that cannot be read."""

    positive: Values
    negative: Values
    unlabeled: Values
    nan_policy: NanPolicy
    on_error: OnError
    progress: bool


class ArrayRoles(Reading, total=False):
    """What arrays besides scores and labels mean, and how to read them."""

    cluster: npt.ArrayLike | None
    weight: npt.ArrayLike | None
    count: npt.ArrayLike | None
    propensity: npt.ArrayLike | None


class RowRoles(Reading, total=False):
    """What columns mean, for every source with names."""

    label: Hashable
    cluster: Hashable | None
    weight: Hashable | None
    count: Hashable | None
    propensity: Hashable | None


class SampleRoles(RowRoles, total=False):
    """What variables of samples mean."""

    score: Hashable
    dim: Hashable


class GroupRoles(RowRoles, total=False):
    """What columns of a groupby mean."""

    score: ColumnNames
    pool: Over
    average: Over


class FrameRoles(GroupRoles, total=False):
    """What columns of a frame mean."""

    by: ColumnNames | None


class Assumed(TypedDict, total=False):
    """What is taken for granted."""

    reference: str
    selection_odds: float
    contamination: float
    monotone: bool
    prevalence: float | None


NAN_POLICIES = ("omit", "raise", "unretrieved", "worst")
ON_ERROR = ("raise", "skip", "nan")
REFERENCES = ("positives", "negatives", "tightest", "both")
OTHERS = ("propensity", "cluster", "weight", "count")


@dataclass(frozen=True)
class Terms:
    """The roles of columns, and what is taken for granted of labels and scores."""

    score: ColumnNames = "score"  # or one column for each model; higher is more positive
    label: Hashable = "label"
    by: ColumnNames | None = None  # columns whose values make groups
    propensity: Hashable | None = None  # probabilities with which positives are labeled
    cluster: Hashable | None = None  # whose rows belong together: a patient, a user, a site
    weight: Hashable | None = None  # how many rows of a larger sample each stands for
    count: Hashable | None = None  # how many identical rows each stands for
    positive: Values = None  # what stands for each state in another coding
    negative: Values = None
    unlabeled: Values = None
    # "worst": ranked last, in one shared cutoff; "unretrieved": below any cutoff.
    nan_policy: str = "raise"
    on_error: str = "raise"  # a ranking without an answer: "skip" it, or "nan"
    progress: bool = False  # whether to show a bar
    pool: Over = False  # whether, or over which columns of by, groups are pooled
    average: Over = False  # whether, or over which columns of by, answers are averaged
    # The assumptions.
    reference: str = "positives"  # which known examples are a random sample
    selection_odds: float = 1.0  # of being labeled, between two examples of a kind, at most
    contamination: float = 0.0  # share of the known positives that is negative, at most
    monotone: bool = False  # whether a higher score never means a smaller share of positives
    prevalence: float | None = None  # of new examples; None: that of these

    def __post_init__(self) -> None:
        check_option("nan_policy", self.nan_policy, NAN_POLICIES)
        check_option("on_error", self.on_error, ON_ERROR)
        check_option("reference", self.reference, REFERENCES)
        for name in ("progress", "monotone"):
            check_flag(name, getattr(self, name))
        for name in ("pool", "average"):
            if not isinstance(getattr(self, name), bool | str | list):
                raise PUTypeError(
                    f"{name} must be True, False or names of columns in by, but "
                    f"{brief(getattr(self, name))} was passed."
                )
        odds = check_selection_odds(self.selection_odds)
        wrong = check_share("contamination", self.contamination, "[0, 0.5)")
        object.__setattr__(self, "selection_odds", odds)
        object.__setattr__(self, "contamination", wrong)
        if self.prevalence is not None:
            prevalence = check_share("prevalence", self.prevalence, "[1e-30, 1)")
            object.__setattr__(self, "prevalence", prevalence)
        refuse(self.facts())

    def update(self, **terms: Any) -> Terms:
        """Return these with some terms changed."""
        # A list of the caller's may change later.
        copied: dict[str, Any] = {
            name: [*term] if isinstance(term, list) else term for name, term in terms.items()
        }
        return replace(self, **copied)

    def facts(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the terms that are not the default ones, by name."""
        terms = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {
            name: term
            for name, (term, default) in terms.items()
            if type(term) is not type(default) or term != default
            if names is None or name in names
        }

    def described(self, names: Iterable[str]) -> dict[str, str]:
        """Return some of the terms that are not the default ones, as a reader would type them."""
        return {
            name: repr(term) if isinstance(term, str) else reprlib.repr(term)
            for name, term in self.facts(names).items()
        }

    @property
    def is_wide(self) -> bool:
        """Whether each column of several is the scores of a model."""
        return isinstance(self.score, list)

    @property
    def models(self) -> list[Hashable]:
        """The columns of scores."""
        models: list[Hashable] = self.score if isinstance(self.score, list) else [self.score]
        if not models or len(set(map(str, models))) < len(models):
            raise PUValueError(
                "score must name one column or a list of different ones, but "
                f"{models!r} was passed."
            )
        return models

    @property
    def keys(self) -> list[Hashable]:
        """The columns that make groups."""
        return self.by if isinstance(self.by, list) else [] if self.by is None else [self.by]

    @property
    def others(self) -> dict[str, Hashable]:
        """The columns besides scores and labels, by role."""
        return {role: name for role in OTHERS if (name := getattr(self, role)) is not None}

    @property
    def omits(self) -> bool:
        """Whether rows without a score are left out."""
        return self.nan_policy == "omit"

    @property
    def sinks(self) -> bool:
        """Whether rows without a score lie below any cutoff."""
        return self.nan_policy == "unretrieved"

    def named(self) -> list[tuple[str, Hashable]]:
        """Return each column that is read, with its role."""
        scores = [("score", model) for model in self.models]
        return [*scores, ("label", self.label), *self.others.items()]


TERMS = tuple(field.name for field in fields(Terms))
ASSUMPTIONS = tuple(Assumed.__annotations__)
ROLES = tuple(name for name in TERMS if name not in ASSUMPTIONS)


# Words that people type as arguments, and the line that is meant.
ARGUMENTS: Mapping[str, str] = {
    word: line
    for words, line in {
        "alpha": "level=0.95: it is 1 - alpha",
        "at": "df.pu.metric('recall', 0.3, at=100), or of tables "
        "ds.pu.at(rank=100).pu.metric('recall')",
        "ascending": "df.assign(score=-df['score']).pu.auroc(0.3) if lower is more positive",
        "average": "df.pu(by='query', average=True).auroc(0.3)",
        "beta_interval": "beta=pd.Interval(0.1, 0.3)",
        "ci": "level=0.95, or for a picture without bands band_kws={'alpha': 0}",
        "figsize": "ax=plt.subplots(figsize=(6, 4))[1]",
        "dpi": "ax=plt.subplots(dpi=150)[1]",
        "groups": "df.pu(cluster='patient') for rows that belong together, df.pu(by='site') for "
        "answers apart",
        "k": "df.pu.metric('precision', 0.3, at=100), or df.pu.contingency(0.3, ranks=100)",
        "joint": "beta=df.pu.estimate_beta(): answers hold jointly with an estimate",
        "n_boot n_bootstrap n_bootstraps n_resamples": "level=0.95: intervals have closed forms "
        "and draw no samples",
        "mark": "df.pu.metric(['recall', 'fpr'], 0.3, at={'threshold': 0.5}) and ax.plot",
        "max_fpr": "df.pu.auroc(0.3, max_fpr=0.1)",
        "n_jobs": "df.pu.auroc(0.3): what takes long runs in threads by itself",
        "quantity": "metric='auroc'",
        "random_state": "df.pu.auroc(0.3): nothing is drawn at random, but by sample_to_label",
        "specificity": "df.pu.cutoff(0.3, fpr=0.1) or at={'fpr': 0.1}: it is 1 - fpr",
        "sample_weight": "df.pu(weight='w')",
        "threshold": "df.pu.metric('recall', 0.3, at={'threshold': 0.5})",
        "thresholds": "df.pu.metric('net_benefit', 0.3, at={'threshold': [0.1, 0.2]})",
    }.items()
    for word in words.split()
}
# What others call the share of positives: of all examples, not of the unlabeled ones.
PRIORS = ("class_prior", "pi", "prior")


def check_known(call: str, names: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise for a role or an assumption that there is not."""
    allowed = [*allowed]
    for name in names:
        if name in allowed:
            continue
        meant = suggestion(name, allowed) or f" It takes {', '.join(allowed)}."
        if name in ARGUMENTS:
            meant = f" Write {ARGUMENTS[name]}."
        elif name in PRIORS:
            meant = " It belongs to a question, as beta: pu_accessor.beta_from_prevalence(...)."
        if name in ASSUMPTIONS:
            meant = f" It is taken for granted: df.pu.assume({name}=...)."
        elif name in ROLES:
            meant = f" It says what columns mean: df.pu({name}=...)."
        elif name in ("beta", "level", "at", "metric", "target", "band"):
            meant = f" It belongs to a question: df.pu.metric('recall', 0.3, {name}=...)."
        raise PUTypeError(f"{call} has no argument {name!r}.{meant}")


# Facts, as a message says them.
_WORDS: Mapping[str, str] = {
    "at a cutoff": "a metric at a cutoff",
    "at=chosen": "a cutoff at which something is highest",
    "at=cutoff of these": "a cutoff that these examples alone have",
    "at=estimated": "a cutoff that depends on beta",
    "at=first": "the first positive",
    "at=its own": "a metric that finds its own cutoff",
    "at=of all examples": "a share of examples, or a rate",
    "early": "NDCG",
    "negatives count": "a metric that counts negatives",
    "band=at random": "one for labels at random",
    "band=by rank": "bounds by rank",
    "beta=estimate": "an estimate",
    "beta=interval": "an interval",
    "no test": "a metric other than AUROC",
}


class Exclusion(NamedTuple):
    """Facts that do not go together: the first is what a user is to change."""

    facts: tuple[str, ...]
    why: str
    step: str
    page: str | None = None


# What a question takes for granted at the most; monotone scores are a matter of the ranking, and
# go with every question. "at a cutoff" is a metric at a cutoff, whatever its name.
TAKEN: Mapping[str, tuple[str, ...]] = {
    "contingency": ("reference", "selection_odds", "contamination"),
    "rank_cdf": ("reference", "selection_odds", "contamination"),
    "dominance": ("reference", "selection_odds", "contamination"),
    "auroc": ("selection_odds", "contamination"),
    "average_precision": ("selection_odds", "contamination", "prevalence"),
    "bedroc": (),
    "early": (),
    "bpref": (),
    "boyce": (),
    "net_benefit": ("reference", "selection_odds", "contamination"),
    "at a cutoff": ("reference", "selection_odds", "contamination", "prevalence"),
    "calibration": (),
    "cutoff": ("reference",),
    "compare": ("selection_odds", "contamination"),
    "gap": (),
    "estimate_beta": (),
    "check_assumptions": (),
    "sample_to_label": ASSUMPTIONS,
}

# What excludes what: facts, of which a "/" separates those that are alike; why; after ">" the next
# step, after "@" the page of the manual. The first fact is what a user is to change.
_TABLE = """
count, weight: each row with a weight is drawn by itself
  > Write the rows out: df.loc[df.index.repeat(df['n'])].pu(weight='w').
nan_policy='unretrieved', negatives count/contingency/rank_cdf/dominance/calibration: how many
  negatives were never retrieved is not known
  > Pass nan_policy='worst', which ranks these rows last.
nan_policy='unretrieved', cutoff/compare/gap/estimate_beta/check_assumptions/sample_to_label: how
  many negatives were never retrieved is not known
  > Pass nan_policy='worst', which ranks these rows last.
nan_policy='unretrieved', robustness/pool/weight/cluster/reference/prevalence: how many negatives
  were never retrieved is not known > Pass nan_policy='worst', which ranks these rows last.
nan_policy='unretrieved', data in chunks: all scores are needed in one place
  > Read them first: ddf.compute().pu(nan_policy='unretrieved').
nan_policy='unretrieved', at=of all examples: how many examples there are is not known
  > Pass a rank: at=10.
cluster/weight, early/bpref/at=its own: it takes each document as drawn by itself
at=first, data in chunks: all scores are needed in one place > Read them first: ddf.compute().pu.
monotone, propensity: where labels depend on more than being positive, known positives need not
  become rarer down the ranking @monotone
cluster/weight, propensity: there is no error for it where labels were selected with unequal
  probabilities @clusters
selection_odds, cluster/weight/propensity: propensities say what the odds of being labeled are, and
  how they differ among clusters and rows with weights is not known @selection_odds
selection_odds, pool: odds are compared within one ranking > Ask each group: df.pu(by='fold').
contamination, cluster/weight/propensity/pool: labels are then no simple random sample of the
  positives, and nobody worked it out
prevalence, contamination: what both do together is not known @population
reference, cluster/weight/propensity: these say how known positives were drawn, and nothing of
  known negatives @known_negatives
propensity, gap, auroc: the known positives of each group are compared as a simple random sample
prevalence, pool: each of the pooled groups has a prevalence of its own @population
prevalence, selection_odds: what both do together is not known @population
average, propensity: how far an average is off is not known where known positives count unequally
  @biased_labels
pool/average, data in a Dataset: groups are put together in a frame alone
  > Make a frame: ds.to_dataframe().reset_index().pu.
pool, data in chunks: groups are put together in a frame alone > Ask each group: df.pu(by='fold').
by, a groupby: a groupby has its groups already > Group by all
  keys at once: df.groupby(['site', 'model']).pu.
by, data in a Dataset: each other dimension makes groups by itself
  > Leave it out, or make a frame: ds.to_dataframe().reset_index().pu(by='model').
on, data in a Dataset: samples are paired along their dimension > Leave it out.
on, a list of scores: a row pairs its own scores > Leave it out.
a list of scores, gap: models of the same rows are not independent
  > Compare them: df.pu(score=['svm', 'forest']).compare().
at=estimated, one estimate for all groups: each beta that the estimate allows has another cutoff
  > Estimate beta in each group: beta=df.pu(by='sex').estimate_beta().
on, robustness, a metric of one model: it pairs the rows of models > Leave it out.
above, robustness, a difference: the conclusion is that one model is better than the other
  > Leave it out.
at=estimated, compare: it is another cutoff for each model and beta > Pass for example at=100.
  @many_models#which-model-is-better
wave/strata, check_assumptions, data in a Dataset: it is a column of a frame
  > Make a frame: ds.to_dataframe().reset_index().pu.
wave/strata, check_assumptions, data in arrays: it is a column of a frame
  > Put them into a frame: pd.DataFrame({'score': score, 'label': label}).pu.
score/label/by, data in arrays: arrays have no columns
  > Put them into a frame: pd.DataFrame({'score': score, 'label': label}).pu.
compare, data in arrays: two arrays are the scores and labels of one model
  > Put the scores of all into a frame: df.pu(score=['svm', 'forest']).compare().
sample_to_label, data in chunks: rows are drawn in memory
  > Draw some first: ddf.sample(frac=0.01, random_state=0).compute().pu.sample_to_label(50).
sample_to_label, data in a LazyFrame: rows are drawn in memory
  > Collect it first: lf.collect().pu.sample_to_label(50).
ranks='all', data in chunks: all cutoffs need all scores in memory at once
  > Curves and areas are the same at ranks='breakpoints'. @large_data#cutoffs-that-suffice
strata/below/above, sample_to_label, by/a groupby/a list of scores: rows are drawn from one ranking
  > Draw rows of one after the other: df[df['site'] == 'a'].pu(score='svm').
pool, compare, propensity/weight: pairs are within one ranking
  > Compare within each group: df.pu(by='fold'). @clusters
band/beta=interval/max_fpr/reference/selection_odds/contamination/prevalence, average: an average
  has an interval of its own > Ask each group, without average.
average, contingency/rank_cdf/dominance/calibration/cutoff/compare/gap/estimate_beta: it answers
  for each group > Leave average out.
average, check_assumptions/sample_to_label/robustness: it answers for each group
  > Leave average out.
on_error='nan', contingency/rank_cdf/dominance: tables and curves are of whole numbers, which
  cannot be NaN > Leave groups without an answer out: df.pu(by='site', on_error='skip').
on_error='nan', average/gap: it has no row of one group alone
  > Leave groups without an answer out: df.pu(by='site', on_error='skip').
target='examples', average, cluster: nothing is known of clusters that were not labeled
  > Leave cluster out, or pass target='population'. @clusters
beta=estimate, selection_odds/contamination: an estimate of beta takes labels as selected at random
  > Pass its point, beta=found['beta'].item(), or its ends one after the other. @beta
beta=estimate, rank_cdf/robustness/check_assumptions/dominance: it cannot include the error of an
  estimate > Pass its point, beta=found['beta'].item(), or its ends one after the other. @beta
beta=interval, contamination, contingency: tables are bounded at one number of positives
  > Ask at both ends: beta=[0.1, 0.3].
beta=interval/beta=estimate, contingency, target='population': the band for new examples is at one
  beta > Ask at both ends: beta=[0.1, 0.3]. @population
target='population', contingency, band/reference/selection_odds/contamination: there is no interval
  for new examples then > Pass target='examples'. @population
target='population', contingency, cluster/weight/propensity: there is no interval for new examples
  then > Pass target='examples'. @population
target='population', at=cutoff of these: there is no interval for new examples then
  > Pass target='examples'. @population
target='population', at=estimated, cluster/weight/selection_odds/contamination: the errors of the
  cutoff and of the metric depend on each other, and nobody worked that out
  > Pass target='examples', or at={'threshold': 0.5}. @population
target='population', at a cutoff, band/reference: there is no interval for new
  examples then > Pass target='examples'. @population
target='population', net_benefit, reference: there is no interval for new examples
  then > Pass target='examples'.
target='population', auroc/average_precision/bedroc/at a cutoff/gap/cutoff, propensity: there is no
  interval for new examples then > Pass target='examples'.
prevalence, target='examples', average_precision/at a cutoff: these examples have the prevalence
  that they have > Pass target='population', and a metric at={'threshold': 0.5}. @population
target='examples', auroc/average_precision/bedroc/compare/gap, cluster/weight: intervals for
  these examples take each row as drawn by itself > Pass target='population'.
target='population', cutoff, cost/reference: there is no interval for new examples then
  > Pass target='examples'.
max_fpr, propensity: with propensities the whole area has an interval, and no part of it
  > Take the range between bounding curves: df.pu.contingency(0.3).pu.area('auroc', max_fpr=0.1).
max_fpr, target='population', pool: new examples have one ranking
  > Pass target='examples', or ask each group: df.pu(by='fold').
band=at random, selection_odds: it holds for labels at random alone
  > Pass band='exact' or 'simultaneous'.
band=by rank, reference: bounds by rank are taken as they are, whichever examples are known
at=chosen, propensity: it is chosen among all cutoffs, and no band with propensities holds at all
  > Pass a rank, or at={'recall': 0.9}.
at=chosen, cluster/weight: it is chosen among all cutoffs, and no such band holds at all
  > Pass a rank.
band, contingency/rank_cdf/dominance/at a cutoff/net_benefit, cluster/weight/propensity: rows that
  are no simple random sample have a band of their own > Leave band out.
band, auroc/average_precision/bedroc/boyce/bpref/early: it takes no band > Leave band out. @bands
contamination, at=chosen: wrong labels would choose another cutoff
  > Pass a rank, a fraction or a threshold.
cluster, cutoff/estimate_beta/robustness: it takes each row as drawn by itself
  > Keep one row of each: df.groupby('patient').sample(1, random_state=0).pu. @clusters
weight, cutoff/estimate_beta/robustness: it takes each row as drawn by itself
  > Draw rows by weight: df.sample(1000, weights='w', replace=True, random_state=0).pu. @clusters
propensity, robustness/calibration/bedroc/early/bpref/cutoff: it takes labels as selected at random
  @biased_labels
propensity/weight/pool, check_assumptions: it checks labels at random of rows that count once
  > Leave it out: df.pu.check_assumptions().
strata, check_assumptions, cluster: how many rows of a stratum are known by chance is not known
  where rows belong together > Leave one of the two out; waves count clusters. @assumptions
weight, sample_to_label: beta is the weighted share, and rows are drawn with equal probabilities
  > Draw them by weight: df[df['label'].isna()].sample(100, weights='w', replace=True).
  @clusters#weights
count, sample_to_label: rows are drawn one by one
  > Write them out: df.loc[df.index.repeat(df['n'])].reset_index(drop=True).pu.
selection_odds/contamination, compare, no test: under these models are compared by AUROC only
  > Ask for compare('auroc', 0.3).
target='examples', compare, no test: these examples are compared by AUROC only
  > Pass target='population'. @many_models#which-model-is-better
adjust='max_t', selection_odds/contamination: p values are then the largest for any labels, and
  have no correlation > Pass adjust='holm'.
"""


_NO_ANSWER = "it has no answer under that assumption"


def _read_table() -> Iterator[Exclusion]:
    """Return a row for each combination of the facts that are alike."""
    for row in re.sub(r"\n  ", " ", _TABLE).strip().splitlines():
        facts, rest = row.split(": ", 1)
        rest, _, page = rest.partition(" @")
        why, _, step = rest.partition(" > ")
        for combined in product(*(alike.split("/") for alike in facts.split(", "))):
            yield Exclusion(combined, why, step or "Leave one of the two out.", page or None)


EXCLUSIONS = tuple(_read_table())
_BY_FACTS = [(frozenset(exclusion.facts), exclusion) for exclusion in EXCLUSIONS]


def refuse(facts: Mapping[str, object], question: str = "") -> None:
    """Raise where facts exclude each other; a question, too, is one."""
    facts = {**facts, **({question: question} if question else {})}
    for name in ASSUMPTIONS:
        if question in TAKEN and name in facts and name not in (*TAKEN[question], "monotone"):
            raise _explain(Exclusion((name, question), _NO_ANSWER, f"Leave {name} out."), facts)
    there = {*facts}
    for excluded, exclusion in _BY_FACTS:
        if excluded <= there:
            raise _explain(exclusion, facts)


def _explain(exclusion: Exclusion, facts: Mapping[str, object]) -> PUValueError:
    first, *others = exclusion.facts
    name, equals, value = first.partition("=")
    came = f"must not be {_WORDS.get(first, value)}" if equals else "must be left out"
    came = came if equals or first != facts[first] else "has no answer"
    passed = f", but {brief(facts[first])} was passed" if came.endswith("out") else ""
    with_others = " and ".join(_write(fact, facts) for fact in others)
    text = f"{name} {came} with {with_others}{passed}: {exclusion.why}. {exclusion.step}"
    return PUValueError(text, page=exclusion.page)


def _write(fact: str, facts: Mapping[str, object]) -> str:
    return f"{fact}={brief(facts[fact])}" if fact in TERMS else _WORDS.get(fact, fact)

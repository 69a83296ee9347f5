"""What is promised: questions to `df.pu`, what is true, and the cells in which both are compared.

What is true of these rows is what the same question says with all labels: that it does so rightly
is for the tests of the package. What is true of new rows is computed from the shapes of scores.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

import pu_accessor
from pu_accessor import labeling
from tests.support.oracles.cluster_oracle import METRICS
from tests.support.studies import designs, shapes
from tests.support.studies.designs import Size, World, sampled

INF, NO, LABELS = float("inf"), float("nan"), 100  # labels made by hand


class Answer(NamedTuple):
    """Limits, and what is true: of several numbers each alone, or all at once."""

    lower: Any
    upper: Any
    truth: Any
    jointly: bool = False


Ask: TypeAlias = Callable[[World], Answer]
Names: TypeAlias = Sequence[str]
Sizes: TypeAlias = Sequence[Size]


def put(pu: Any, metric: Any, beta: Any, target: str, **more: Any) -> Any:
    """Ask for a metric by the method that is meant for it."""
    named = metric in ("auroc", "average_precision")
    ask: Any = getattr(pu, metric) if named else partial(pu.metric, metric)
    return ask(beta, target=target, **more)


def limits(found: pd.DataFrame) -> tuple[Any, Any]:
    """Return both limits of each row."""
    return found["lower"].to_numpy(float), found["upper"].to_numpy(float)


# ---------------------------------------------------------------------------------------------
# Numbers: of new rows, of these rows, and with a beta that is estimated


def true_metric(w: World, metric: Any, threshold: float | None = None) -> float:
    """Return a number of new rows, at a threshold or at none."""
    if metric == "auroc":
        return w.design.auroc(w.shape)
    if metric == "average_precision":
        return shapes.true_average_precision(w.shape, w.prevalence)
    true, false = map(float, shapes.rates(w.shape, threshold))
    return of_rates(metric, true, false, w.prevalence, w.design.scale(threshold))


def of_rates(metric: str, true: float, false: float, p: float, threshold: float = 0) -> float:
    """Return a metric of both rates and a prevalence; NaN where it has no denominator."""
    tp, fp, fn, tn = p * true, (1 - p) * false, p * (1 - true), (1 - p) * (1 - false)
    if metric == "net_benefit":
        return tp - fp * threshold / (1 - threshold)
    return METRICS[metric](tp, fp, fn, tn)


@cache
def of_many(shape: str, prevalence: float, metric: Any, max_fpr: float | None = None) -> float:
    """Return a number of very many rows."""
    size, rng = 200_000, np.random.default_rng(1)
    truth = np.arange(size) < round(prevalence * size)
    frame = pd.DataFrame({"score": designs.draw_scores(rng, shape, truth), "label": truth})
    more = {"max_fpr": max_fpr} if max_fpr else {}
    found = put(frame.pu(negative=0), metric, 0, "population", **more)
    return float(found["estimate"].iloc[0])


Source: TypeAlias = Callable[[World], Any]


def future(metric: Any, recall: Any = None, beta: Source | None = None, **more: Any) -> Ask:
    """Ask for a number of new rows: at the threshold that has a recall, or at none."""

    def ask(w: World) -> Answer:
        threshold = None if recall is None else shapes.threshold_at(w.shape, recall)
        at = {} if recall is None else {"at": {"threshold": w.design.scale(threshold)}}
        found = put(
            w.pu, metric, beta(w) if beta else w.beta("population"), "population", **at, **more
        )
        many = more or callable(metric)  # what nothing else computes
        true = of_many(w.shape, round(w.prevalence, 3), metric, **more) if many else None
        return Answer(*limits(found), true or true_metric(w, metric, threshold))

    return ask


def top(metric: str, fraction: float) -> Ask:
    """Ask for a number of the top fraction of new rows."""

    def ask(w: World) -> Answer:
        found = put(w.pu, metric, w.beta("population"), "population", at={"fraction": fraction})
        both = shapes.rates_in_top(w.shape, w.prevalence, fraction)
        return Answer(*limits(found), of_rates(metric, *both, w.prevalence))

    return ask


def these(metric: Any, beta: Source = lambda w: w.beta("examples"), **more: Any) -> Ask:
    """Ask for numbers of these rows."""

    def ask(w: World) -> Answer:
        found = put(w.pu, metric, beta(w), "examples", **more)
        rest = {key: value for key, value in more.items() if key != "band"}
        true = put(w.all_known(), metric, 0, "examples", **rest)["estimate"].to_numpy(float)
        return Answer(*limits(found), true, more.get("band") == "simultaneous")

    return ask


def chosen(at: str) -> Ask:
    """Ask for F1 at the cutoff that is chosen by these rows."""

    def ask(w: World) -> Answer:
        found = w.pu.metric("f1", w.beta("examples"), at=at)
        true = w.all_known().metric("f1", 0, at={"rank": int(found["rank"].item())})
        return Answer(*limits(found), true["estimate"].to_numpy(float))

    return ask


def by_hand(w: World, **options: Any) -> Any:
    """Label some of the unlabeled."""
    rows = w.frame.pu.sample_to_label(LABELS, random_state=int(w.rng.integers(2**31)), **options)
    rows["label"] = rows["truth"].astype(float)
    return rows


def hand(w: World) -> Any:
    """Return beta, as labels made by hand say."""
    return pu_accessor.beta_from_labels(by_hand(w))


def hand_as_exact(w: World) -> Any:
    """Return the same without its error."""
    return hand(w)["beta"].item()


def estimated(method: str) -> Source:
    """Return beta as a method estimates it."""
    return lambda w: w.frame.pu.estimate_beta(method=method)


# ---------------------------------------------------------------------------------------------
# Curves


def curve(**more: Any) -> Ask:
    """Ask for the true positives among the best of these rows, at all ranks."""

    def ask(w: World) -> Answer:
        tp = w.pu.contingency(w.beta("examples"), **more)["tp"].isel(beta=0)
        true = w.all_known().contingency(0)["tp"].isel(beta=0).sel(bound="estimate")
        lower, upper = (tp.sel(bound=bound).values for bound in ("lower", "upper"))
        return Answer(lower, upper, true.values, True)

    return ask


def future_curve(w: World) -> Answer:
    """Ask for both rates of new rows, at all thresholds."""
    found = w.pu.roc_bounds(w.beta("population"), target="population").isel(beta=0)
    ends = np.sort(
        np.stack([found[name].sel(bound=["lower", "upper"]) for name in ("tpr", "fpr")])
    )
    true = np.stack(shapes.rates(w.shape, found["threshold"].values))
    return Answer(ends[..., 0], ends[..., 1], true, True)


def bins(band: str) -> Ask:
    """Ask for the share of positives in each bin of predicted probabilities."""

    def ask(w: World) -> Answer:
        found = w.pu.calibration(w.beta("examples"), band=band)
        true = w.all_known().calibration(0)["estimate"].to_numpy(float)
        some = found["examples"].to_numpy() > 0
        lower, upper = limits(found)
        return Answer(lower[some], upper[some], true[some], band == "simultaneous")

    return ask


# ---------------------------------------------------------------------------------------------
# Differences, lists, beta, tests and plans


def difference(metric: str = "auroc", target: str = "population", **more: Any) -> Ask:
    """Ask for the difference of two models, which are equally good on new rows."""
    two: Any = {"score": ["score", "other"]}

    def ask(w: World) -> Answer:
        found = w.bind(w.frame, **two).compare(metric, w.beta(target), target=target, **more)
        if target == "population":
            return Answer(*limits(found), 0.0)
        true = w.all_known(**two).compare(metric, 0, target=target)["difference"].item()
        return Answer(*limits(found), true)

    return ask


def gap(metric: str, target: str) -> Ask:
    """Ask for the difference between two sites at a threshold: what most positives exceed."""

    def ask(w: World) -> Answer:
        threshold = shapes.threshold_at(w.shape, 0.6)
        more = {"at": {"threshold": w.design.scale(threshold)}, "target": target}
        is_share = target == "population" and not w.design.at_random
        found = w.pu.gap(metric, w.size.beta if is_share else by("site")(w), **more)
        if target == "examples":
            true = w.all_known().gap(metric, 0, **more)["difference"].item()
        else:
            other = w._replace(shape="normal .76")
            true = true_metric(w, metric, threshold) - true_metric(other, metric, threshold)
        return Answer(*limits(found), true)

    return ask


def by(name: str) -> Source:
    """Return beta by group."""
    return lambda w: w.frame[w.frame["label"].isna()].groupby(name)["truth"].mean()


@cache
def of_many_queries(shape: str, size: Size, metric: str, at: int | None) -> float:
    """Return the average of very many queries."""
    many = size._replace(known=200 * size.known, rest=200 * size.rest)
    frame, _ = designs.queries(np.random.default_rng(1), shape, many)
    every = frame.assign(label=frame["truth"]).pu(by="query", average=True, negative=0)
    return float(every.metric(metric, 0, at=at)["estimate"].iloc[0])


def of_queries(metric: str, at: int | None = None) -> Ask:
    """Ask for an average over queries."""

    def ask(w: World) -> Answer:
        found = w.pu.metric(metric, by("query")(w), at=at, target="population")
        return Answer(*limits(found), of_many_queries(w.shape, w.size, metric, at))

    return ask


def cutoff(name: str, target: str, goal: float = np.nan, models: int = 1) -> Ask:
    """Ask for a list that meets a goal: precision is that at a recall of .8.

    Of several models, the first one's scores with noise, the longest list is taken.
    """

    def ask(w: World) -> Answer:
        usual = true_metric(w, "precision", shapes.threshold_at(w.shape, 0.8))
        value = usual if np.isnan(goal) else goal
        names = [f"model {i}" for i in range(models)]
        noise = 0.5 * w.rng.normal(size=(models, len(w.frame)))
        scores = dict(zip(names, w.frame["score"].to_numpy() + noise * (models > 1), strict=True))
        pu = w.bind(w.frame.assign(**scores), score=names if models > 1 else names[0])
        found = pu.cutoff(w.beta(target), target=target, **{name: value})
        best = int(found["rank"].argmax())
        threshold, true = found["threshold"].iloc[best], value
        if found["rank"].iloc[best] and target == "population":
            true = true_metric(w, name, threshold)
        elif found["rank"].iloc[best]:
            full = w._replace(frame=w.frame.assign(score=scores[names[best]])).all_known()
            at = {"at": {"threshold": threshold}, "target": target}
            true = full.metric(name, 0, **at)["estimate"].item()
        return Answer(-INF, value, true) if name == "fpr" else Answer(value, INF, true)

    return ask


def cost(w: World) -> Answer:
    """Ask for the list of the smallest upper bound of cost."""
    found = w.pu.cutoff(w.beta("examples"), cost=(1, 10))
    listed, truth = w.frame["score"] >= found["threshold"].item(), w.frame["truth"]
    true = (listed & ~truth).sum() + 10 * (truth & ~listed).sum()
    return Answer(-INF, found["upper"].item(), true)


def beta(source: Source, jointly: bool = False) -> Ask:
    """Ask for beta itself."""
    return lambda w: Answer(*limits(source(w)), w.actual, jointly)


def registry(w: World) -> Any:
    """Return beta as the prevalence of the population says."""
    known = int(w.frame["label"].eq(1).sum())
    more = (w.design.prevalence or 0.0, known, len(w.frame) - known)
    return pu_accessor.beta_from_prevalence(*more, of="population")


def prior(w: World) -> Any:
    """Return the same, or beta of these rows where the population is ignored."""
    return registry(w) if w.design.assumed else w.actual


def hand_strata(w: World) -> Any:
    """Return beta of labels in two strata."""
    cut = float(w.frame.loc[w.frame["label"].isna(), "score"].quantile(0.8))
    return pu_accessor.beta_from_labels(by_hand(w, strata=cut))


def counted(**options: Any) -> Source:
    """Return beta of labels one by one."""

    def source(w: World) -> Any:
        rest = int(w.frame["label"].isna().sum())
        return pu_accessor.beta_from_labels(by_hand(w)["label"], n_unlabeled=rest, **options)

    return source


def hand_rates(w: World) -> Answer:
    """Ask for precision and recall of a list, of labels above and below it."""
    cut = shapes.threshold_at(w.shape, 0.6)
    rows = by_hand(w, strata=cut)
    found = labeling.rates_from_labels(rows, f">= {cut:.12g}").set_index("metric")
    truth, listed = w.frame["truth"], w.frame["score"] >= cut
    true = [truth[listed].mean(), listed[truth].mean()]
    return Answer(*limits(found.loc[["precision", "recall"]]), np.array(true))


def hand_weights(w: World) -> Answer:
    """Ask for AUROC of hand-labeled rows that stand for the unlabeled."""
    weighed = labeling.weigh_labels(w.frame["label"], by_hand(w)["label"])
    found = w.frame.assign(**weighed).pu(weight="weight").auroc(0)
    return Answer(*limits(found), shapes.true_auroc(w.shape))


def check(name: str) -> Ask:
    """Ask for the p value of a check: the truth of an interval from .05."""

    def ask(w: World) -> Answer:
        frame = w.frame.assign(stratum=w.rng.random(len(w.frame)) < 0.3)
        found = frame.pu.check_assumptions(w.actual, wave="wave", strata="stratum")
        return Answer(0.05, 1.0, found.set_index("check")["p_value"][name])

    return ask


@cache
def _plan(shape: str, share: float, rest: int) -> int:
    """Return how many known positives a width of .1 needs, as a large pilot says."""
    goal: Any = {"beta": share, "n_unlabeled": rest, "probability": 0.9}
    pilot: Any = designs.plain(np.random.default_rng(1), shape, Size(4000, 4000, share))[0].pu
    return int(labeling.positives_needed(0.1, pilot=pilot, **goal)["n"].item())


def planned(w: World) -> Answer:
    """Plan a width, draw as many known positives, and ask for the width."""
    size = w.size._replace(known=_plan(w.shape, w.size.beta, w.size.rest))
    lower, upper = limits(designs.plain(w.rng, w.shape, size)[0].pu.auroc(size.beta))
    return Answer(-INF, 0.1, upper - lower)


# ---------------------------------------------------------------------------------------------
# All promises


class Cell(NamedTuple):
    """A promise, a design of rows, a shape of scores and a size."""

    promise: str
    design: str
    shape: str
    size: str


class Promise(NamedTuple):
    """What is promised of some cells: the lowest share, or NaN where nothing is."""

    name: str
    ask: Ask
    low: float
    design: str
    shapes: Names
    sizes: Sizes
    unless_warned: bool = False  # a miss with a warning is none

    def cells(self) -> dict[Cell, Size]:
        """Return its cells."""
        pairs = product(self.shapes, self.sizes)
        return {Cell(self.name, self.design, shape, str(size)): size for shape, size in pairs}


Some: TypeAlias = list[Promise]
Asks: TypeAlias = Mapping[str, Ask]
ALL, PAIRS, ALIKE = (*shapes.SHAPES,), (*shapes.PAIRS,), (*shapes.ALIKE,)
FEW = ("normal .76", "5 scores", "log-normal", "3% hard negatives")
SOME = (*FEW, "20% hidden positives", "cancer, logistic regression")
MONOTONE = ("normal .76", "normal .96", "normal .60", "exponential", "5 scores")
NOT_MONOTONE = ("3% hard negatives", "worse than chance", "10% hidden positives")

FIVE = (Size(5, 300, 0.1), Size(5, 2000, 0.01))
NEW = (Size(10, 300, 0.4), Size(20, 2000, 0.01), Size(200, 500, 0.1))
SAMPLE = (Size(10, 100, 0.02), Size(20, 400, 0.4), Size(200, 800, 0.25))
FIFTY = (Size(50, 2000, 0.02), Size(200, 600, 0.1))
KNOWN = (Size(50, 400, 0.02), Size(100, 400, 0.25))
ONE, TWO = (Size(60, 400, 0.2),), (Size(20, 200, 0.2), Size(100, 600, 0.2))
MANY = (Size(50, 500, 0.2), Size(200, 1000, 0.2))
CLUSTERED = (Size(100, 900, 0.3), Size(400, 1600, 0.3))
MOST, QUERIES = (Size(60, 3000, 0.1),), (Size(25, 200, 0.1), Size(100, 800, 0.1))

# Shares of positives from .02 to .5, of which all, half or a third are labeled
AT_RANDOM = (
    *(sampled(750, 0.14, 1), sampled(3000, 0.02, 0.5), sampled(600, 0.1, 0.5)),
    *(sampled(2000, 0.25, 0.33), sampled(200, 0.5, 0.33), sampled(3000, 0.02, 1)),
)
VARIED = ("beta, skewed", "5 scores", "3% hard negatives", "cancer, logistic regression")
OF_SHARE = ("precision", "f1", "npv", "net_benefit", "mcc", "lift")
ACTED = {"threshold": designs.as_probability(1.0)}

TARGETS, BANDS = ("population", "examples"), ("exact", "simultaneous")
AUROC: Asks = {"`auroc`, future data": future("auroc")}
AP: Asks = {"`average_precision`, future data": future("average_precision")}
AUROC_HERE: Asks = {"`auroc`, this sample": these("auroc")}
AP_HERE: Asks = {"`average_precision`, this sample": these("average_precision")}
TOPS, ACTING = {"fraction": [0.02, 0.1, 0.3, 0.6]}, {"threshold": [0.1, 0.3, 0.5]}
RANKS: Asks = {"`metric` at a rank": these("recall", at=TOPS)}
CURVE: Asks = {"band `simultaneous`, whole curve": curve(band="simultaneous")}
HERE = {**AUROC_HERE, **AP_HERE, **RANKS, **CURVE}
FUTURE_CURVE: Asks = {"curves of future data": future_curve}
PRECISION: Asks = {"`metric` at a threshold: precision": future("precision", 0.5)}
AT: Asks = {
    "`metric` at a threshold: recall": future("recall", 0.8),
    "`metric` at a threshold: fpr": future("fpr", 0.8),
    "`metric` at a threshold: f1": future("f1", 0.5),
    **PRECISION,
}
NUMBERS = {**AUROC, **AP, **AT}
COMPARE: Asks = {"`compare`: AUROC, future data": difference()}
POINTS = "`metric` at a recall, FPR or precision"


def asked(low: float, design: str, over: Names, sizes: Sizes, *asks: Asks, **more: bool) -> Some:
    """Promise the same of several questions."""
    every = [pair for some in asks for pair in some.items()]
    return [Promise(name, ask, low, design, over, sizes, **more) for name, ask in every]


def ignored(low: float, design: str, over: Names, sizes: Sizes, *asks: Asks) -> Some:
    """Promise it where an assumption is told, and nothing where it is ignored."""
    told = asked(low, design, over, sizes, *asks)
    return told + asked(NO, f"{design}, ignored", over, sizes, *asks)


def with_beta(low: float, name: str, design: str, source: Source) -> Some:
    """Promise answers that have the error of beta."""
    asks = {
        "`auroc`, future data": future("auroc", beta=source),
        "`average_precision`, future data": future("average_precision", beta=source),
        "`precision` at a threshold": future("precision", 0.5, beta=source),
        "`auroc`, this sample": these("auroc", beta=source),
        "`recall` at a rank": these("recall", beta=source, at={"fraction": 0.2}),
    }
    return asked(low, design, FEW, ONE, {f"{name}: {of}": ask for of, ask in asks.items()})


PROMISES = (
    # These rows: bands and metrics at a cutoff
    *asked(0.95, "plain", FEW, (*FIVE, *SAMPLE), RANKS, CURVE),
    *asked(
        *(NO, "plain", FEW, SAMPLE),
        {"band `dkw`, whole curve": curve(band="dkw")},
        {"band `bootstrap`, at a rank": these("recall", at=TOPS, band="bootstrap")},
    ),
    *asked(
        *(0.95, "plain", SOME, TWO),
        {f"`metric` at a chosen cutoff: {at}": chosen(at) for at in ("youden", "maximum")},
        {"`lift` of the top": these("lift", at={"fraction": [0.01, 0.05, 0.2]})},
        {"`ndcg` of the first 20": these("ndcg", at=20)},
    ),
    *asked(
        *(0.95, "probabilities", SOME, TWO),
        {f"net benefit: {x}": these("net_benefit", at=ACTING, band=x) for x in BANDS},
        {f"`calibration`: {x}": bins(x) for x in BANDS},
    ),
    *asked(
        *(0.93, "plain", SOME, TWO),
        {f"{POINTS}: recall {x:g}": these("fpr", at={"recall": x}) for x in (0.8, 0.95)},
        {f"{POINTS}: fpr .1": these("recall", at={"fpr": 0.1})},
        {f"{POINTS}: precision .35": these("recall", at={"precision": 0.35})},
        {"BEDROC: this sample": these(pu_accessor.bedroc(20))},
        {"BEDROC: future data": future(pu_accessor.bedroc(20))},
        {"`auroc(max_fpr=0.2)`, future data": future("auroc", max_fpr=0.2)},
        {"`auroc(max_fpr=0.2)`, this sample": these("auroc", max_fpr=0.2)},
    ),
    # Areas and metrics of new rows, and areas of these
    *asked(
        *(0.93, "plain", SOME, FIVE),
        {f"{name}: n = 5": ask for name, ask in {**AUROC, **AUROC_HERE}.items()},
    ),
    *asked(0.93, "plain", ALL, NEW, AUROC),
    *asked(0.93, "plain", ALL, SAMPLE, AUROC_HERE),
    *asked(0.92, "plain", ALL, FIFTY, AP),
    *asked(0.92, "plain", ALL, KNOWN, AP_HERE),
    *asked(
        0.93, "plain", SOME, NEW, AT, {"`metric` at a threshold: high": future("recall", 0.95)}
    ),
    *asked(0.95, "plain", SOME, TWO, FUTURE_CURVE),
    # Comparisons
    *asked(0.93, "plain", PAIRS, (*TWO, Size(50, 1000, 0.1)), COMPARE),
    *asked(0.93, "plain", PAIRS, TWO, {"`compare`: AUROC, here": difference(target="examples")}),
    *asked(
        *(0.92, "plain", ALIKE, TWO),
        {"`compare`: average precision": difference("average_precision")},
        {"`compare`: F1 at a rank": difference("f1", at={"fraction": 0.2})},
    ),
    *asked(
        *(0.92, "two sites", SOME, TWO),
        {f"`gap`: {x}, {of}": gap(x, of) for x in ("recall", "precision") for of in TARGETS},
    ),
    # Lists with a guarantee
    *asked(
        *(0.95, "plain", SOME, TWO),
        {f"`cutoff`: precision, {of}": cutoff("precision", of) for of in TARGETS},
        {f"`cutoff`: recall, {of}": cutoff("recall", of, 0.8) for of in TARGETS},
        {f"`cutoff`: fpr, {of}": cutoff("fpr", of, 0.1) for of in TARGETS},
        {"`cutoff`: cost": cost},
    ),
    *asked(
        *(0.95, "plain", FEW, TWO),
        {"`cutoff`: longest list of 10 models": cutoff("fpr", "examples", 0.1, 10)},
    ),
    # Beta, and answers that have its error
    *asked(
        *(0.95, "plain", FEW, TWO),
        {"`beta_from_labels`: exact": beta(hand)},
        {"`beta_from_labels`: after each label": beta(counted(sequential=True), True)},
    ),
    *asked(
        *(0.94, "plain", SOME, TWO),
        {"`beta_from_labels`: strata": beta(hand_strata)},
        {"`rates_from_labels`": hand_rates},
        {"`estimate_beta`: feasible": beta(estimated("feasible"))},
    ),
    *asked(
        *(0.94, "negatives known", SOME, TWO),
        {"`estimate_beta`: mean_matching": beta(estimated("mean_matching"))},
    ),
    *with_beta(0.9, "beta from labels", "plain", hand),
    *with_beta(NO, "beta from labels as if exact", "plain", hand_as_exact),
    *with_beta(0.9, "beta by mean matching", "negatives known", estimated("mean_matching")),
    *with_beta(0.9, "beta up to its limit", "plain", estimated("feasible")),
    *asked(NO, "beta too high by half", FEW, ONE, AUROC, AP, PRECISION),
    # What is assumed of labels and scores
    *asked(0.95, "monotone", MONOTONE, TWO, FUTURE_CURVE),
    *asked(0.93, "monotone", MONOTONE, TWO, PRECISION),
    *asked(NO, "monotone", NOT_MONOTONE, TWO, {"monotone, but false: curves": future_curve}),
    *ignored(0.94, "selection odds of 3", FEW, ONE, AUROC, AP, HERE),
    *ignored(0.94, "selection odds of 3", ("twins",), ONE, COMPARE),
    *asked(0.92, "propensities", SOME, TWO, AUROC_HERE, AP_HERE, RANKS, unless_warned=True),
    *asked(0.92, "propensities", ("twins",), TWO, COMPARE),
    *ignored(0.94, "5% wrong labels", FEW, ONE, AUROC, AUROC_HERE, RANKS, CURVE),
    *asked(0.95, "negatives as the reference", FEW, ONE, RANKS, CURVE),
    *asked(0.93, "tightest reference", FEW, ONE, RANKS, CURVE),
    *asked(0.92, "used at a prevalence of .02", SOME, TWO, AP, PRECISION),
    *ignored(
        *(0.93, "rows of a population", FEW, (*ONE, Size(200, 1000, 0.04))),
        {"`average_precision`, future data": future("average_precision", beta=prior)},
        {"`metric` at a threshold: precision": future("precision", 0.5, beta=prior)},
    ),
    *asked(
        *(0.93, "rows of a population, ignored", FEW, ONE),
        {"beta from a prevalence: `auroc`, future data": future("auroc", beta=registry)},
        {"beta from a prevalence: beta": beta(registry)},
    ),
    # The share of positives varies, too
    *asked(
        *(0.92, "rows at random", VARIED, AT_RANDOM),
        {f"`metric` at a threshold: {x}": future(x, 0.5) for x in OF_SHARE},
    ),
    *asked(0.92, "rows at random", VARIED, (*AT_RANDOM[:4:3], sampled(500, 0.2, 0.8)), AP),
    *asked(
        *(0.92, "rows at random", VARIED, AT_RANDOM[1:4]),
        {f"`metric` at a fraction: {x}": top(x, 0.05) for x in ("recall", "lift", "precision")},
    ),
    *asked(
        *(0.94, "rows at random", ALIKE, AT_RANDOM[1:4:2]),
        {f"`compare`: {x}": difference(x, at=ACTED) for x in ("precision", "net_benefit")},
    ),
    *asked(
        *(0.94, "two sites, rows at random", VARIED, AT_RANDOM[1:4:2]),
        {f"`gap`: {x}": gap(x, "population") for x in ("precision", "net_benefit")},
    ),
    *asked(*(0.92, "weights", FEW, MANY), {"`metric` at a fraction: recall": top("recall", 0.1)}),
    # Clusters, weights, folds and groups
    *ignored(0.92, "clusters", FEW, CLUSTERED, NUMBERS),
    *asked(0.92, "clusters", FEW, CLUSTERED[1:], RANKS),
    *ignored(0.92, "clusters", ("twins",), CLUSTERED[1:], COMPARE),
    *ignored(0.92, "weights", FEW, MANY, NUMBERS),
    *asked(0.92, "average over folds", FEW, MANY, AUROC),
    *asked(
        *(0.92, "average over queries", FEW, QUERIES),
        {"`auroc`, future data": future("auroc", beta=by("query"))}
        | {f"`metric` at a rank: {name}": of_queries(name, 10) for name in ("ndcg", "recall")}
        | {"reciprocal rank": of_queries("reciprocal_rank")},
    ),
    *asked(0.92, "plain", FEW, ONE, {"`weigh_labels`": hand_weights}),
    *asked(0.92, "plain", SOME[-1:], MOST, {"`weigh_labels`": hand_weights}),
    *asked(0.92, "selection odds of 3, ignored", FEW, ONE, {"`weigh_labels`": hand_weights}),
    # Tests and plans
    *asked(
        *(0.94, "negatives known", FEW, TWO),
        {f"`check_assumptions`: {x}": check(x) for x in ("waves", "strata", "negatives", "limit")},
    ),
    *asked(0.94, "plain", MONOTONE, TWO, {"`check_assumptions`: monotone": check("monotone")}),
    *asked(0.87, "plain", SOME, (Size(0, 2000, 0.1),), {"`positives_needed` for .9": planned}),
)

"""What beta can be, whether data contradict the assumptions, and how much breaks a conclusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.beta import Beta, UserBeta
from pu_accessor.checks import as_array, check_level, check_option, is_number, latent_counts
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError, brief, warn_caller
from pu_accessor.inference import assumptions as tests
from pu_accessor.inference.comparison.pairwise import find_pairs
from pu_accessor.inference.estimates.cutoff_spec import At, Cutoff
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.joint import estimate
from pu_accessor.inference.metrics import AnyMetric, Metric, read_metric
from pu_accessor.inference.prior.methods import METHODS, Prior, estimate_prior
from pu_accessor.inference.search import find_breaking_point
from pu_accessor.inference.settings import Settings, count_wrong
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.questions.comparison import pair_columns, paired_tests
from pu_accessor.questions.estimation import default_target, exclusion_facts, warn_of_areas
from pu_accessor.questions.evaluation import Columns, add_failed_groups, evaluate, results_frame
from pu_accessor.ranking import (
    Annotated,
    BoolArray,
    Counts,
    FloatArray,
    IntArray,
    Keyed,
    PairedRanks,
    Ranking,
)
from pu_accessor.sources.frames import annotate
from pu_accessor.terms import Terms

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

_FEWEST = 2  # known positives of a wave, and waves
_PAGE = "assumptions"
_HALF = 0.5 - 1e-9  # the largest share of known positives that may be wrong
# What a sweep goes over unless somebody says.
SWEEPS: Mapping[str, tuple[float, ...]] = {
    "selection_odds": (1, 1.25, 1.5, 2, 2.5, 3, 4, 5),
    "contamination": (0, 0.02, 0.05, 0.1, 0.15, 0.2),
}


def estimate_beta(
    self: Accessor, *, method: str = "feasible", level: float = 0.95
) -> pd.DataFrame:
    """Estimate the class prior of the unlabeled, as far as the data allow.

    Parameters
    ----------
    method : {"feasible", "two_sided", "mean_matching"}, default "feasible"
        From known positives and unlabeled rows alone there is an *upper limit* only, and the
        largest beta that is plausible: "feasible". The other two need known negatives that are a
        random sample of the negatives.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group: the group, beta, lower, upper, level (float64), method (str), n, the
        known positives, and n_unlabeled (int64). It goes into ``beta=`` of other questions as it
        is. ``.attrs["assumptions"]`` says what the method takes for granted.

    Raises
    ------
    PUValueError
        If nothing is unlabeled, or a method lacks known negatives.

    Warns
    -----
    PUWarning
        If the data say little or nothing about beta, or speak against the assumptions.

    See Also
    --------
    sample_to_label : Rows to label by hand, which says more.
    pu_accessor.beta_from_labels : What their labels say.

    Notes
    -----
    With M latent positives, k of n known positives and h unlabeled rows at or above a cutoff,
    M is feasible at delta if max(k/n - min(h, M)/M) is at most sqrt(ln(1/delta)/2 * (1/n +
    1/M)). "feasible" takes the largest such M, at delta = 1 - level for the upper limit and
    0.5 for beta, which equals the true one only where negatives never reach the top of the
    ranking. Scores of training rows and labels that are no random sample break every method.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000  # 500 of them known: beta is 500/3500
    >>> score = np.random.default_rng(0).normal(3 * truth)
    >>> label = np.where(np.arange(4000) < 500, 1, np.nan)
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> df.pu.estimate_beta()[["beta", "lower", "upper", "method"]].round(3)
        beta  lower  upper    method
    0  0.126    0.0  0.155  feasible
    """
    level = check_level(level)
    check_option("method", method, METHODS)
    self._begin("estimate_beta", level=level)

    def compute(ranking: Ranking, _: Beta, __: Settings) -> tuple[Prior, Counts]:
        return estimate_prior(ranking, method, level), ranking.total

    def columns(content: tuple[Prior, Counts], _: Beta) -> Columns:
        prior, total = content
        ends = {"beta": [prior.beta], "lower": prior.lower, "upper": prior.upper}
        counts = {"n": total.known_positive, "n_unlabeled": total.unlabeled}
        return {**ends, "level": level, "method": method, **counts}

    results = evaluate(self._terms, self._rank(), compute)
    priors = [result.content[0] for result in results.each]
    warnings = Counter(text for prior in priors for text in prior.warnings)
    for text, times in warnings.items():
        where = f" (in {times} of {len(priors)} groups)" if results.names else ""
        warn_caller(f"{text}{where}", page="beta#when-not-to-believe-it")
    frame = results_frame(
        results, columns, {"assumptions": priors[0].assumptions}
    )  # the same for all
    return add_failed_groups(frame, results)


# Checks


def check_assumptions(
    self: Accessor,
    beta: UserBeta | None = None,
    *,
    wave: Hashable | None = None,
    strata: Hashable | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Look whether the data contradict labels at random, or beta.

    Each check is a test that sees some failures and is blind to others. A small p value speaks
    against an assumption; a large one proves nothing.

    Parameters
    ----------
    beta : float, array, mapping, Series or DataArray, optional
        Class prior of the unlabeled, as in `auroc`; without it what needs it is left out.
    wave : hashable, optional
        Column that says when, where or by whom each known positive was labeled.
    strata : hashable, optional
        Column that says what rows have in common, such as site, year or sex.
    level : float, default 0.95
        Level of the tests, in (0, 1): `finding` speaks of a contradiction where p is at most
        1 - level.

    Returns
    -------
    DataFrame
        A row for each group, check and beta: the group, check (str), beta, statistic,
        odds_at_least (by which factor the odds of being labeled differ at least, if beta is
        right), p_value (float64), and finding, a sentence. The checks:

        * "waves", with `wave`: known positives of all waves have the same ranks among the rest.
        * "strata", with `strata` and beta: no stratum has more known positives than chance
          leaves.
        * "negatives", with known negatives and beta: AUROC by beta is that against them.
        * "limit", with beta: known positives leave room for so many latent ones.
        * "monotone": scores are such that ``assume(monotone=True)`` can be.

        With clusters, waves alone are checked.

    Raises
    ------
    PUDataError
        If a wave has one known positive, or there are fewer than two.
    PUValueError
        If `strata` is passed without beta, or with clusters; with propensities, weights or pools.

    See Also
    --------
    robustness : How far labels may be from random before a conclusion breaks.
    estimate_beta : What beta can be.

    Notes
    -----
    Waves: the statistic of Kruskal and Wallis [1]_ on shares of the rest above, by permutations.
    Strata: hypergeometric tails, with Holm's p value [2]_. Negatives: Student's t. Limit:
    p = exp(-2*D**2/(1/n + 1/m)) with D = max(k/n - min(h, m)/m). Monotone: the smallest of some
    levels at which the simultaneous band holds no concave curve.

    References
    ----------
    .. [1] W. H. Kruskal, W. A. Wallis, *Use of ranks in one-criterion variance analysis*, Journal
       of the American Statistical Association 47 (1952) 583-621.
    .. [2] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal
       of Statistics 6 (1979) 65-70.

    Examples
    --------
    Site b labels positives that are easy to see:

    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(2000) < 400
    >>> score = np.random.default_rng(0).normal(1.5 * truth)
    >>> site = np.where(np.arange(2000) % 2, "a", "b")
    >>> known = truth & np.where(site == "a", np.arange(2000) < 120, score > 2)
    >>> df = pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan), "site": site})
    >>> found = df.pu.check_assumptions(wave="site")
    >>> found[["check", "statistic", "p_value"]].round(3)
          check  statistic  p_value
    0     waves     28.922      0.0
    1  monotone        NaN      1.0
    >>> print(found["finding"][0].split(":")[0])
    Ranks of the waves differ
    """
    level = check_level(level)
    betas, _ = self._begin("check_assumptions", beta, level=level, strata=strata, wave=wave)
    if beta is None and strata is not None:
        raise PUValueError(
            f"beta must be passed with strata={brief(strata)}: the known share of each is tested "
            "against that of all positives. Pass beta=0.3, or leave strata out.",
            page=_PAGE,
        )
    if wave is None and strata is None:
        plain = self._rank()
        keyed = Keyed(
            plain.names, plain.keys, lambda place: Annotated(plain.make(place)), plain.refine
        )
    else:
        keyed = annotate(self._source, self._terms, wave, strata)

    def compute(rows: Annotated, beta: Beta, _: Settings) -> list[Check]:
        check_labels(np.append(beta.values, 0.0), rows.total)
        checks = [*_checks(rows, beta.values.tolist(), round(1 - level, 12))]
        if not checks:
            raise PUDataError(
                "wave must be passed with cluster: where rows belong together only waves of "
                "labels can be checked. Name their column, wave='labeled_by', or leave clusters "
                "out: df.pu(cluster=None).check_assumptions().",
                page=_PAGE,
            )
        return checks

    def columns(checks: list[Check], _: Beta) -> Columns:
        by_name = dict(zip(Check._fields, map(list, zip(*checks, strict=True)), strict=True))
        texts = {name: np.array(by_name.pop(name), object) for name in ("check", "finding")}
        return {"check": texts["check"], **by_name, "finding": texts["finding"]}

    results = evaluate(self._terms, keyed, compute, None if beta is None else betas)
    return add_failed_groups(results_frame(results, columns, {"level": level}), results)


class Check(NamedTuple):
    """A row of the result."""

    check: str
    beta: float
    statistic: float
    odds_at_least: float
    p_value: float
    finding: str


def _checks(rows: Annotated, betas: list[float], alpha: float) -> Iterator[Check]:
    """Yield the checks that the data of one ranking allow."""
    ranking, total = rows.ranking, rows.total
    if rows.wave is not None:
        yield _of_waves(rows, alpha)
    if ranking.clusters is not None:
        return
    if rows.counts is not None:
        yield from (_of_strata(rows, rows.counts, beta, alpha) for beta in betas)
    if total.known_negative and total.unlabeled:
        yield from (_of_negatives(ranking, beta, alpha) for beta in betas if beta < 1)
    if total.unlabeled:
        yield from (_of_limit(ranking, beta, alpha) for beta in betas)
    yield _of_monotone(ranking, alpha)


def _of_waves(rows: Annotated, alpha: float) -> Check:
    """Check whether waves differ in rank."""
    wave, above = _read_waves(rows), tests.rest_above(rows.ranking)
    there = wave >= 0
    cluster = None if rows.cluster is None else rows.cluster[there]
    found = tests.waves_test(-above[there], wave[there], cluster)
    means = np.bincount(wave[there], above[there]) / np.bincount(wave[there])
    first, last = int(np.argmin(means)), int(np.argmax(means))
    span = (
        f"on average {means[first]:.1%} of the rest rank above those of "
        f"{brief(rows.waves[first])}, and {means[last]:.1%} above those of "
        f"{brief(rows.waves[last])}."
    )
    differ = "differ" if found.p_value <= alpha else "do not differ by more than chance"
    text = f"Ranks of the waves {differ}: {span}"
    return Check("waves", nan, found.statistic, nan, found.p_value, text)


def _read_waves(rows: Annotated) -> IntArray:
    """Return the wave of each known positive, -1 for none; raise where waves are too few."""
    wave: IntArray = np.empty(0, np.int64) if rows.wave is None else rows.wave
    sizes = np.bincount(wave[wave >= 0], minlength=len(rows.waves)).tolist()
    for name, size in zip(rows.waves, sizes, strict=True):
        if size < _FEWEST:
            raise PUDataError(
                f"wave must have {_FEWEST} known positives or more of each value, but "
                f"{brief(name)} has {size}: it cannot be held against others. Put it together "
                "with another wave, or make it missing.",
                page=_PAGE,
            )
    if rows.total.known_positive == sum(rows.total):
        raise PUDataError(
            "label must leave rows that are no known positives with wave=..., but all "
            f"{sum(rows.total):,} are: waves are compared by the rest that ranks above them. Add "
            "unlabeled rows.",
            page=_PAGE,
        )
    if len(sizes) < _FEWEST:
        raise PUDataError(
            f"wave must have {_FEWEST} values or more among known positives, but has "
            f"{brief([*rows.waves])}. Name a column of when, where or by whom they were labeled.",
            page=_PAGE,
        )
    return wave


def _of_strata(rows: Annotated, counts: IntArray, beta: float, alpha: float) -> Check:
    """Check whether too many positives are known in a stratum."""
    if not len(counts):
        raise PUDataError(
            "strata must have a value for some rows, but all are missing. Name a column of what "
            "rows have in common, such as their site or year.",
            page=_PAGE,
        )
    total, known, room = rows.total, counts[:, 0], counts[:, 0] + counts[:, 2]
    latent = int(latent_counts(np.array([beta]), total.unlabeled)[0])
    found = tests.strata_test(known, room, total.known_positive, latent, 1 - alpha)
    share = known / np.maximum(room, 1)  # of the rows that may be positive
    worst = np.lexsort((-share, found.p_value))[0]
    name, held = brief(rows.strata[worst]), f"{known[worst]:,} of {room[worst]:,} rows"
    if found.p_value[worst] <= alpha:
        text = (
            f"More positives are known than random labels leave: {name} has {held}, where "
            f"{found.cap:.1%} of all positives are known. Labels favour it, or beta is too high."
        )
    else:
        text = (
            "No stratum has more known positives than chance leaves; nearest is "
            f"{name}, with {held}."
        )
    odds = float(found.odds_at_least.max())
    return Check("strata", beta, float(share[worst]), odds, float(found.p_value[worst]), text)


def _of_negatives(ranking: Ranking, beta: float, alpha: float) -> Check:
    """Check whether AUROC by beta is that against known negatives."""
    found = tests.negatives_test(ranking, beta)
    by_beta = min(max(found.by_beta, 0.0), 1.0)
    pair = f"AUROC is {by_beta:.3f} by beta, and {found.against_known:.3f} against known"
    if found.p_value <= alpha:
        off = "high" if found.statistic > 0 else "low"
        agree = f" Both agree at beta = {found.agree_at:.3g}." * (0 <= found.agree_at <= 1)
        text = f"{pair} negatives: beta is too {off}, or a kind is no random sample.{agree}"
    else:
        text = f"{pair} negatives: no more apart than by chance."
    return Check("negatives", beta, found.statistic, nan, found.p_value, text)


def _of_limit(ranking: Ranking, beta: float, alpha: float) -> Check:
    """Check whether known positives leave room for so many latent ones."""
    found = tests.limit_test(ranking, beta)
    if found.p_value <= alpha:
        text = (
            f"The best {found.place:.1%} of the unlabeled leave no room for so many latent "
            "positives: beta is too high, or labels favour the top."
        )
    else:
        text = "Known positives leave room for so many latent ones."
    return Check("limit", beta, found.statistic, nan, found.p_value, text)


def _of_monotone(ranking: Ranking, alpha: float) -> Check:
    """Check whether a higher score can never mean a smaller probability of being positive."""
    found = tests.monotone_test(ranking, 1 - alpha)
    if found.p_value <= alpha:
        text = (
            f"Scores are not monotone: no concave curve fits near the top {found.place:.1%} of "
            "the rest. Leave monotone=True out; other results do not need it."
        )
    else:
        text = "A higher score may never mean a smaller probability of being positive."
    return Check("monotone", nan, found.statistic, nan, found.p_value, text)


# Robustness


def robustness(
    self: Accessor,
    metric: AnyMetric,
    beta: UserBeta,
    *,
    over: Mapping[str, Sequence[float]] | None = None,
    above: float | None = None,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return a metric under stronger and stronger failures of an assumption, and what breaks it.

    Labels are seldom a random sample of the positives. This asks the same question under each
    value of one assumption, and finds the least at which a conclusion may be wrong.

    Parameters
    ----------
    metric : str, callable or Metric
        "auroc", "average_precision", a metric at a cutoff, or "difference", of the AUROC of
        two models.
    beta : float, array, mapping, Series or DataArray
        Class prior of the unlabeled, as in `auroc`.
    over : mapping, default {"selection_odds": (1, 1.25, 1.5, 2, 2.5, 3, 4, 5)}
        The assumption that is varied, "selection_odds" or "contamination", and its values.
    above : float, optional
        The conclusion is that the metric exceeds this: by default what chance gives.
    at : int, str or mapping, optional
        The cutoff, as in `metric`.
    on : hashable or list of hashable, optional
        Columns that identify an example, for "difference", as in `compare`.
    target : {"population", "examples"}, optional
        What the interval is about, as in `metric`.
    level : float, default 0.95
        Confidence level of each interval, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group, or pair of models, beta and value: the group, metric, beta, the
        assumption, target, estimate, lower, upper, and breaking_point: the least value at which
        the conclusion does not hold for every selection; infinite where it always holds.

    Raises
    ------
    PUValueError
        For propensities, clusters or weights; or a metric without its cutoff.

    See Also
    --------
    plot_metric : With ``x="selection_odds"`` the picture of this.

    Notes
    -----
    The breaking point is found by halving, to a thousandth. At such a value the conclusion *may*
    be wrong: that takes a selection that depends on the score as unfavourably as it can.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(truth)
    >>> label = np.where(np.arange(4000) < 300, 1, np.nan)
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> found = df.pu.robustness("auroc", 700 / 3700, over={"selection_odds": [1, 2]})
    >>> found[["selection_odds", "estimate", "lower", "upper", "breaking_point"]].round(2)
       selection_odds  estimate  lower  upper  breaking_point
    0             1.0      0.75   0.71   0.79            4.32
    1             2.0      0.75   0.61   0.86            4.32
    """
    entry = read_metric(metric, at, "robustness")
    fails, values = _read_sweep(
        {"selection_odds": SWEEPS["selection_odds"]} if over is None else over
    )
    cutoff = entry.read_cutoff(at)
    target = default_target(cutoff) if target is None else target
    if above is not None and (not is_number(above) or not isfinite(above)):
        raise PUTypeError(f"above must be a finite number, but {brief(above)} was passed.")
    of_one: dict[str, Any] = {"a difference": is_difference(entry)}
    of_one["a metric of one model"] = not is_difference(entry)
    asked: dict[str, Any] = {"level": level, "target": target, "on": on, "above": above}
    betas, settings = self._begin("robustness", beta, **asked, **of_one)
    # Each value is refused where the assumption itself would be.
    assumed: list[dict[str, Any]] = [{fails: value} for value in values]
    sweeps = [self.assume(**each) for each in assumed]  # type: ignore[arg-type, unused-ignore]
    is_pair = is_difference(entry)
    method, facts = ("compare", {}) if is_pair else exclusion_facts(entry, cutoff)
    sweeps[-1]._begin(method, beta, level=level, target=target, **facts)
    threshold = entry.chance if above is None else float(above)
    sweep = Sweep(entry, cutoff, target, settings, fails, threshold)

    def compute(ranked: Ranking | PairedRanks, beta: Beta, _: Settings) -> Columns:
        points = _breaking_points(ranked, beta, sweep)
        found = [sweep.value(ranked, beta, value) for value in values]
        columns = _of_sweep(sweep, beta.values, values, found, points)
        if isinstance(ranked, Ranking):
            return columns
        models = [*ranked.ranks]
        return pair_columns(ranked.names, models, find_pairs(len(models)), columns)

    attrs = {"above": threshold, **self._attrs(settings, target)}
    of_pairs = is_difference(entry)
    keyed: Any = self._pair(on) if of_pairs else self._rank()
    results = evaluate(self._terms, keyed, compute, betas, None if of_pairs else settings)
    frame = results_frame(results, attrs=attrs)
    if cutoff is None and not of_pairs:
        warn_of_areas(frame, results)
    return add_failed_groups(frame, results)


def is_difference(metric: Metric) -> bool:
    """Tell whether a metric is the difference of two models."""
    return "pairs" in metric.can


@dataclass(frozen=True)
class Sweep:
    """A metric, and the conclusion that it exceeds a number, under some failure of labels."""

    metric: Metric
    cutoff: Cutoff | None
    target: str
    settings: Settings  # for labels at random
    fails: str  # the assumption that is varied
    above: float  # for a difference, which is not 0, that is 0

    def value(self, ranked: Ranking | PairedRanks, beta: Beta, failure: float) -> Estimates:
        """Return the metric, or the difference of models, under a failure."""
        changed: dict[str, Any] = {self.fails: failure}
        settings = replace(self.settings, **changed)
        if isinstance(ranked, Ranking):
            return estimate(self.metric, ranked, beta, settings, self.target, self.cutoff)
        tests = paired_tests(ranked, beta, settings, self.target)
        unknown = np.full(tests.difference.shape, nan)
        return Estimates(tests.difference, unknown, tests.lower, tests.upper)

    def holds(self, value: Estimates) -> BoolArray:
        """Return whether the conclusion holds."""
        two_sided = is_difference(self.metric)
        return (value.lower > self.above) | (two_sided & (value.upper < self.above))


def _read_sweep(over: Mapping[str, Sequence[float]]) -> tuple[str, list[float]]:
    """Return the assumption that is varied, and its values in order."""
    if not isinstance(over, Mapping) or len(over) != 1:
        raise PUTypeError(
            f"over must be a mapping of one of {[*SWEEPS]} to its values, but {brief(over)} was "
            "passed. For example over={'selection_odds': [1, 1.5, 2]}."
        )
    ((fails, values),) = over.items()
    check_option("over", fails, SWEEPS)
    numbers = np.atleast_1d(as_array(values))
    if numbers.ndim > 1 or numbers.dtype.kind not in "iuf" or not numbers.size:
        raise PUTypeError(
            f"over must hold numbers, but {brief(values)} was passed for {fails!r}. For example "
            f"over={{{fails!r}: {[*SWEEPS[fails][:3]]}}}."
        )
    return fails, sorted({float(getattr(Terms(**{fails: v}), fails)) for v in numbers.tolist()})


def _breaking_points(ranked: Ranking | PairedRanks, beta: Beta, sweep: Sweep) -> FloatArray:
    """Return the least failure at which the conclusion does not hold, of each pair and beta."""

    def holds(failure: float, at: Beta, pair: tuple[int, ...]) -> bool:
        return bool(sweep.holds(sweep.value(ranked, at, failure))[*pair, 0])

    at_random = sweep.value(ranked, beta, SWEEPS[sweep.fails][0]).lower
    points = np.full(at_random.shape, nan)
    for *pair, column in np.argwhere(~np.isnan(at_random)).tolist():
        at = Beta(beta.values[[column]]) if beta.interval is None else beta
        still = partial(holds, at=at, pair=tuple(pair))
        if sweep.fails == "contamination":
            points[*pair, column] = _breaking_share(ranked.total.known_positive, still)
        else:
            points[*pair, column] = find_breaking_point(still)
    return points


def _breaking_share(known: int, holds: Callable[[float], bool]) -> float:
    """Return the least share of wrong known positives with which a conclusion does not hold."""
    wrong = 0
    highest = count_wrong(known, _HALF)
    if holds(highest / max(known, 1)):
        return inf
    while highest - wrong > 1:
        middle = (wrong + highest) // 2
        wrong, highest = (middle, highest) if holds(middle / known) else (wrong, middle)
    return highest / known if holds(0.0) else 0.0


def _of_sweep(
    sweep: Sweep,
    betas: FloatArray,
    values: Sequence[float],
    found: Sequence[Estimates],
    points: FloatArray,
) -> dict[str, Any]:
    ends = {"estimate": "value", "lower": "lower", "upper": "upper"}
    return {
        "metric": sweep.metric.name,
        "beta": betas[:, np.newaxis],
        sweep.fails: np.array(values),
        "target": sweep.target,
        **{
            name: np.stack([getattr(one, part) for one in found], -1)
            for name, part in ends.items()
        },
        "breaking_point": points[..., np.newaxis],
    }

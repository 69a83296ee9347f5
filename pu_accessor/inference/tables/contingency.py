"""Contingency tables: a ranking, betas and a rule -> bounded counts at each cutoff."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.on_new_examples import (
    bound_on_new,
    concave_majorant,
    to_precision,
)
from pu_accessor.inference.bands.simultaneous import (
    local_alpha,
    narrow,
    narrow_between,
    share_among,
)
from pu_accessor.inference.completion import ROUNDING, Completion, weigh_known
from pu_accessor.inference.settings import Settings, count_wrong
from pu_accessor.inference.tables.latent_bounds import (
    Bands,
    LatentBounds,
    add_bends,
    bound_by,
    choose_kinds,
    complete_at,
    complete_by,
    count_above,
    few_cutoffs,
    make_bands,
    references_used,
)
from pu_accessor.ranking import (
    BoolArray,
    Counts,
    FloatArray,
    IntArray,
    Numbers,
    Ranking,
    sorted_unique,
)

BOUNDS = ("lower", "estimate", "upper")
_ESTIMATE = BOUNDS.index("estimate")
_LEAST = 1e-9  # precision, or true positives, that stand for none
_ENDS = slice(None, None, 2)  # lower and upper of `BOUNDS`: a slice takes no copy


class Table(NamedTuple):
    """Contingency tables: four arrays of examples, of int64 or, where estimated, float64."""

    tp: Numbers
    fp: Numbers
    fn: Numbers
    tn: Numbers

    @classmethod
    def of(cls, tp: Numbers, head: Numbers, positives: Numbers, size: Numbers | int) -> "Table":
        """Return the tables with so many true positives in heads of so many examples."""
        fp = head - tp
        return cls(tp, fp, positives - tp, size - positives - fp)

    def at_prevalence(self, prevalence: float | None) -> "Table":
        """Return tables of as many examples and the same rates, where so many are positive.

        Examples
        --------
        >>> table = Table(*np.array([3.0, 1.0, 1.0, 5.0]))
        >>> [round(float(count), 3) for count in table.at_prevalence(0.1)]
        [0.75, 1.5, 0.25, 7.5]
        """
        if prevalence is None:
            return self
        positives, negatives = self.tp + self.fn, self.fp + self.tn
        size = positives + negatives
        more = prevalence * size / positives
        fewer = (1 - prevalence) * size / np.where(negatives > 0, negatives, np.nan)
        return Table(more * self.tp, fewer * self.fp, more * self.fn, fewer * self.tn)


@dataclass(frozen=True, eq=False)
class Tables:
    """Bounded contingency tables of one ranking."""

    ranking: Ranking  # with the cutoffs at which bounds bend
    betas: FloatArray
    tp: Numbers  # shape (cutoffs, 3, betas)
    head: Numbers  # examples at or above each cutoff
    # Known and latent ones, shape (betas,); as `tp` where known positives may be wrong.
    positives: IntArray
    negatives: IntArray
    clipped: BoolArray  # where band and beta are infeasible
    tightest: tuple[str, ...]  # for each beta the known examples with the narrower range of AUROC
    local_alpha: FloatArray | None = None  # of each cutoff, where all hold jointly

    @property
    def fp(self) -> Numbers:
        """Shape (cutoffs, 3, betas)."""
        return self.head[:, np.newaxis, np.newaxis] - self.tp

    @property
    def table(self) -> Table:
        """The four counts, shape (cutoffs, 3, betas)."""
        size = self.positives + self.negatives
        return Table.of(self.tp, self.head[:, np.newaxis, np.newaxis], self.positives, size)


class RankCdf(NamedTuple):
    """The rank CDF of the latent positives."""

    ranking: Ranking  # with the cutoffs at which it bends
    share: FloatArray  # of latent positives, shape (cutoffs, 3, betas); NaN: there are none
    tightest: tuple[str, ...]  # these two as in `Tables`
    local_alpha: FloatArray | None


def make_tables(ranking: Ranking, betas: FloatArray, rule: Settings) -> Tables:
    """Bound the contingency table at each cutoff of a ranking ([1]_, Theorem 1 and section 4).

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    """
    first, *others = tables_in_parts(ranking, betas, rule)
    if not others:
        return first
    parts = [first, *others]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts], axis=-1)
        for name in ("betas", "tp", "positives", "negatives", "clipped", "local_alpha")
        if getattr(first, name) is not None
    }
    return replace(first, **joined, tightest=tuple(chain(*(part.tightest for part in parts))))


def tables_in_parts(
    ranking: Ranking, betas: FloatArray, rule: Settings, *, rounded: bool = False
) -> Iterator[Tables]:
    """Make tables at some of the betas at a time, of one ranking, as `make_tables` does at all.

    With `rounded` the estimate is, half up: it is a possible labeling again.
    """
    rounded = rounded and ranking.head.dtype.kind != "f"  # with weights no number of rows is whole
    total = ranking.total
    check_labels(betas, total, references_used(rule.reference, ranking))
    latent = hidden_counts(betas, total.unlabeled)
    completions = complete_by(rule, ranking, latent)
    bands = make_bands(ranking, latent, rule)
    ranking = add_bends(ranking, bands, rule, completions)
    parts = bands.in_parts(ranking.rank.size)
    ranking, held = _refine_where_cut(ranking, parts, completions, rule)
    known, missing = _known_positives(ranking, rule)
    start = 0
    for part in parts:
        bounds = held or bound_by(part, ranking, rule)
        here = slice(start, start + part.latent.size)
        tp, clipped = _with_estimate(bounds, part, completions[here], rule, rounded=rounded)
        tp += known
        tightest = bounds.tightest[: part.latent.size]
        del bounds  # counts at all cutoffs, as many as are now made of the tables
        held, start = None, here.stop
        positives = total.known_positive + part.latent - missing
        alphas = _local_alphas(ranking, part.latent, tightest, rule)
        counts = tp, ranking.head, positives, sum(total) - positives
        yield Tables(ranking, betas[here], *counts, clipped, tightest, alphas)


def _known_positives(ranking: Ranking, rule: Settings) -> tuple[IntArray, IntArray]:
    """Return the known positives in the head that are positive, and all that are not.

    Of shape (cutoffs, 3, 1). Each further wrong one above the cutoff makes any metric worse, and
    each further one below it makes it better.
    """
    n, above = ranking.total.known_positive, ranking.known_positive
    wrong = count_wrong(n, rule.contamination)
    if not wrong:
        return above[:, np.newaxis, np.newaxis], np.zeros(1, np.int64)
    missing = np.minimum(above, wrong), 0 * above, np.minimum(n - above, wrong)
    known = above - missing[0], above, above
    right, wrong_ones = (np.stack(each, axis=1)[..., np.newaxis] for each in (known, missing))
    return right, wrong_ones


def _round(counts: Numbers) -> IntArray:
    """Round counts that nobody else holds, half up."""
    np.add(counts, 0.5 + ROUNDING, out=counts)
    np.floor(counts, out=counts)
    return counts.astype(np.int64)


def mean_of_ends(part: FloatArray, counts: Numbers) -> FloatArray:
    """Return counts at one cutoff, or between two; one after the other, so that they round alike.

    Examples
    --------
    >>> mean_of_ends(np.array([0.25, 0.75]), np.array([[4, 0], [8, 2]]))
    array([7. , 1.5])
    """
    return np.asarray(sum(weight * count for weight, count in zip(part, counts, strict=True)))


def mix(tables: Tables, part: FloatArray) -> Tables:
    """Return the tables of one head from those at both ends of the block of ties it ends in.

    They are the expectation over all orders of the block; `part` is the weight of each end.
    """
    if part.size == 1:
        return tables

    def mean(counts: Numbers) -> FloatArray:
        return mean_of_ends(part, counts)[np.newaxis]

    clipped = np.asarray(tables.clipped.any(axis=0, keepdims=True))
    names = ("tp", "head", "positives", "negatives")[: 4 if tables.positives.ndim > 1 else 2]
    mixed: dict[str, Any] = {name: mean(getattr(tables, name)) for name in names}
    return replace(tables, clipped=clipped, **mixed)


def _with_estimate(
    bounds: LatentBounds,
    bands: Bands,
    completions: Sequence[Completion],
    rule: Settings,
    *,
    rounded: bool,
) -> tuple[Numbers, BoolArray]:
    """Put the estimate between both bounds; also tell what was moved to what is possible.

    Where a band excludes the estimate, that is cut to the limits of all labelings inside the band.
    These limits and the estimate never fall down the ranking, nor grow by more than the unlabeled
    examples that are passed, and neither does what is cut. Where a band has no labeling inside,
    its limits have changed places, and the estimate may lie outside of it.
    """
    betas = len(completions)
    ends = bounds.possible[..., :betas]
    shape = betas, len(BOUNDS), bounds.ranking.rank.size  # cutoffs lie side by side, as in claims
    in_head: Numbers = np.empty(shape, np.int64).T if rounded else np.empty(shape).T
    clipped = np.empty(shape, np.bool_).T
    in_head[:, _ENDS] = ends
    clipped[:, _ENDS] = bounds.clipped[..., :betas]
    completed = count_above(completions, bounds.ranking)
    limits = _running_limits(bounds, bands, completed, rule)
    estimate = np.clip(completed, *(limits or np.moveaxis(ends, 1, 0)))
    # Moved itself, or outside of a band that has no labeling inside.
    moved = np.abs(np.subtract(completed, estimate, out=completed), out=completed)
    if limits:
        np.maximum(moved, np.abs(estimate - np.clip(estimate, ends[:, 0], ends[:, 1])), out=moved)
    np.greater(moved, ROUNDING, out=clipped[:, _ESTIMATE])
    in_head[:, _ESTIMATE] = _round(estimate) if rounded else estimate
    return in_head, clipped


def _running_limits(
    bounds: LatentBounds, bands: Bands, completed: FloatArray, rule: Settings
) -> tuple[Numbers, Numbers] | None:
    """Return the lower and the upper limits of all labelings inside a band, (cutoffs, betas).

    They are not needed where the band holds all of the estimate.
    """
    ranking, ends = bounds.ranking, bounds.possible[..., : completed.shape[1]]
    low, high = ends[:, 0], ends[:, 1]
    if rule.band == "simultaneous":  # which has such limits, and reaches to the estimate
        return None
    if ranking.whole is not None:
        whole = bound_by(bands, ranking.whole, rule).possible[..., : completed.shape[1]]
        narrowed = narrow(ranking.whole.unlabeled, whole)
        narrowed = narrow_between(ranking, ends, ranking.whole, narrowed)
    elif (completed < low - ROUNDING).any() or (completed > high + ROUNDING).any():
        narrowed = narrow(ranking.unlabeled, ends)
    else:
        return None
    low, high = np.moveaxis(narrowed, 1, 0)  # which may have changed places
    return np.minimum(low, high), np.maximum(low, high)


def _refine_where_cut(
    ranking: Ranking, parts: Sequence[Bands], completions: Sequence[Completion], rule: Settings
) -> tuple[Ranking, LatentBounds | None]:
    """Add the cutoffs on both sides of where the band begins, or ends, to cut the estimate.

    Also return the bounds at all betas, if these are few and no cutoff is added.
    """
    if ranking.refiner is None:
        return ranking, None
    cuts, start = [np.empty(0, np.int64)], 0
    for part in parts:
        bounds, end = bound_by(part, ranking, rule), start + part.latent.size
        cuts.append(_find_cuts(bounds, part, completions[start:end], rule))
        start = end
    finer = ranking.refine(sorted_unique(np.concatenate(cuts)))
    return finer, bounds if len(parts) == 1 and finer is ranking else None


def _find_cuts(
    bounds: LatentBounds, bands: Bands, completions: Sequence[Completion], rule: Settings
) -> IntArray:
    """Return the counts of unlabeled examples on both sides of where the cut estimate bends.

    Between two cutoffs a running limit is level and then grows by one for each unlabeled example,
    or grows first. The estimate is straight, and crosses either part.
    """
    ranking, completed = bounds.ranking, count_above(completions, bounds.ranking)
    limits, head = _running_limits(bounds, bands, completed, rule), ranking.unlabeled
    if limits is None:
        return np.empty(0, np.int64)
    outside = (completed < limits[0] - ROUNDING) | (completed > limits[1] + ROUNDING)
    step, beta = np.nonzero(outside[:-1] | outside[1:])
    start, end = head[step], head[step + 1]
    here, following = completed[step, beta], completed[step + 1, beta]
    places = []
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (following - here) / (end - start)
        for limit in limits:
            first, last = limit[step, beta], limit[step + 1, beta]
            places += [end - (last - first), start + (last - first)]
            lines = (first, 0), (first, 1), (last, 0), (last - (end - start), 1)
            places += [start + (level - here) / (slope - growth) for level, growth in lines]
    between = np.stack(places)
    between = between[(between > start) & (between < end)]
    cuts = sorted_unique(np.concatenate([np.floor(between), np.ceil(between)]).astype(np.int64))
    return np.asarray(cuts[head[np.searchsorted(head, cuts)] != cuts])


def rank_cdf(ranking: Ranking, betas: FloatArray, rule: Settings) -> RankCdf:
    """Bound the rank CDF of the latent positives by the one of the known ones."""
    check_labels(betas, ranking.total, references_used(rule.reference, ranking))
    latent = hidden_counts(betas, ranking.total.unlabeled)
    # Known positives have a share of their own in the head, and nothing bends between cutoffs.
    counted = rule.reference == "positives"
    completions = [] if counted else complete_by(rule, ranking, latent)
    bands, finer, held = make_bands(ranking, latent, rule), ranking, None
    if not counted:
        finer = add_bends(ranking, bands, rule, completions)
        finer, held = _refine_where_cut(finer, [bands], completions, rule)
    bounds = held or bound_by(bands, finer, rule)
    in_head = np.zeros((bounds.ranking.rank.size, len(BOUNDS), latent.size))
    in_head[:, _ENDS] = np.clip(bounds.claimed, 0, latent)
    if not counted:
        cut, _ = _with_estimate(bounds, bands, completions, rule, rounded=False)
        in_head[:, _ESTIMATE] = cut[:, _ESTIMATE]
    with np.errstate(invalid="ignore"):  # no latent positives, no share of them
        share = in_head / latent
    if counted:
        known = weigh_known(bounds.ranking, bounds.ranking.known_positive)
        share[:, _ESTIMATE] = np.minimum(known / ranking.total.known_positive, 1)[:, np.newaxis]
    alphas = _local_alphas(ranking, latent, bounds.tightest, rule)
    return RankCdf(bounds.ranking, share, bounds.tightest, alphas)


def completed_table(
    ranking: Ranking, betas: FloatArray, rule: Settings | None = None, *, on_new: bool = False
) -> tuple[Ranking, Table]:
    """Return the table of the one estimate at each cutoff, shape (cutoffs, betas).

    It is the bound "estimate" of `make_tables`, wherever no band excludes that. Of new examples
    that are monotone only the probabilities are estimated, not where known positives lie: then
    examples of one probability are a block of ties, and the ROC curve is concave.
    """
    rule = Settings() if rule is None else rule
    total = ranking.total
    check_labels(betas, total, references_used(rule.reference, ranking))
    latent = hidden_counts(betas, total.unlabeled)
    ranking, tp = complete_at(ranking, latent, choose_kinds(ranking, latent, rule))
    tp += ranking.known_positive[:, np.newaxis]
    if on_new and ranking.monotone:
        tp = _tie_equal_shares(ranking, latent)
    positives = total.known_positive + latent
    return ranking, Table.of(tp, ranking.head[:, np.newaxis], positives, sum(total))


def _tie_equal_shares(ranking: Ranking, latent: IntArray) -> FloatArray:
    """Spread true positives evenly over examples that are positive with one probability.

    These lie between corners of the least concave majorant of the estimated curve.
    """
    whole, in_head = complete_at(ranking.whole or ranking, latent, ("positives",) * latent.size)
    curves, heads = (
        (whole.known_positive[:, np.newaxis] + in_head).T,
        whole.head.astype(np.float64),
    )
    concave = [concave_majorant(heads, tp)[0] for tp in curves]
    return np.stack([np.interp(ranking.head, heads, tp) for tp in concave], axis=1)


def curve_on_new(
    curve: str, ranking: Ranking, betas: FloatArray, level: float
) -> tuple[Ranking, Table]:
    """Bound a curve of new examples at all thresholds jointly, shape (cutoffs, 3, betas).

    The tables are those of as many new examples. At the bounds they have both rates of the ROC
    curve, or precision and recall; all else of them means nothing.
    """
    if ranking.whole is not None:  # at some cutoffs limits are those that hold at all of them
        every = ranking.whole.refine(ranking.unlabeled)
        every, table = curve_on_new(curve, every, betas, level)
        chosen = np.searchsorted(every.head, ranking.head)
        return ranking, Table(*(count[chosen] for count in table))
    ranking, completed = completed_table(ranking, betas, on_new=True)
    positives, negatives = (part[-1] for part in (completed.tp, completed.fp))
    if not negatives.all():
        raise PUDataError(
            "target must be 'examples' where nothing is negative, but 'population' was passed: "
            "it has no false positive rate. Pass a smaller beta, or add rows that are not known.",
            page="beta#too-high",
        )
    n = ranking.total.known_positive
    rest = max(sum(ranking.total) - n, 1)
    least = _LEAST if curve == "pr" else 0  # without true positives there is no precision
    tp = np.repeat(completed.tp[:, np.newaxis].astype(np.float64), len(BOUNDS), axis=1)
    fp = np.repeat(completed.fp[:, np.newaxis].astype(np.float64), len(BOUNDS), axis=1)
    np.maximum(tp, least, out=tp)
    for column, share in enumerate(((positives - n) / rest).tolist()):
        rates = bound_on_new(ranking, share, level, ranking.monotone)
        true, false = tp[:, _ESTIMATE, column].copy(), completed.fp[:, column]
        ends = _reach_to(positives[column] * rates.tpr, true)
        tp[:, _ENDS, column] = np.maximum(ends, least)
        if curve == "roc":
            fp[:, _ENDS, column] = _reach_to(negatives[column] * rates.fpr, false)[:, ::-1]
            continue
        with np.errstate(invalid="ignore"):
            estimate = true / (true + false)
        precision = _reach_to(to_precision(rates.lift, n, rest, share), estimate)
        fp[:, _ENDS, column] = tp[:, _ENDS, column] * (1 / np.maximum(precision, _LEAST) - 1)
    return ranking, Table(tp, fp, positives - tp, negatives - fp)


def _reach_to(limits: FloatArray, estimate: Numbers) -> FloatArray:
    """Return limits that reach to the estimate, shape (cutoffs, 2); from (2, cutoffs)."""
    return np.stack([np.fmin(limits[0], estimate), np.fmax(limits[1], estimate)], axis=1)


def check_labels(betas: FloatArray, total: Counts, kinds: Sequence[str] = ("positives",)) -> None:
    """Raise where known examples of a needed kind are missing, or beta is a share of nothing."""
    if "positives" in kinds and not total.known_positive:
        raise PUDataError(
            f"label must mark at least one known positive, but none of {sum(total)} examples is "
            f"one ({total.known_negative} known negatives, {total.unlabeled} unlabeled). Name the "
            "value that marks them: df.pu(positive=1)."
        )
    if "negatives" in kinds and not total.known_negative:
        raise PUDataError(
            f"reference needs known negatives, but none of {sum(total)} examples is one "
            f"({total.known_positive} known positives, {total.unlabeled} unlabeled). Name the "
            "value that marks them, df.pu(negative=0), or take reference='positives'."
        )
    if betas.max() > 0 and not total.unlabeled:
        raise PUDataError(
            f"beta must be 0 where nothing is unlabeled, but {betas.max():g} was passed. Pass "
            "beta=0, or mark unlabeled examples: missing in the label column, or "
            "df.pu(unlabeled=0)."
        )


def _local_alphas(
    ranking: Ranking, latent: IntArray, kinds: Sequence[str], rule: Settings
) -> FloatArray | None:
    """Return the level of each cutoff at which all hold jointly, one for each beta."""
    if rule.band != "simultaneous" or rule.reference == "both":
        return None
    total, alphas = ranking.total, []
    right = total.known_positive - count_wrong(total.known_positive, rule.contamination)
    of_kind = {"positives": (right, latent)}
    of_kind["negatives"] = total.known_negative, total.unlabeled - latent
    for i, kind in enumerate(kinds):
        n, m = of_kind[kind][0], int(of_kind[kind][1][i])
        alpha = local_alpha(n, m, rule.level, rule.selection_odds, rule.one_sided)
        cutoffs = few_cutoffs(ranking, n, [m], rule)
        alphas.append(share_among(cutoffs, alpha, rule.level, rule.one_sided))
    return np.array(alphas)

"""Contingency tables: a ranking, betas and a rule -> bounded counts at each cutoff."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.checks import latent_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.on_new_examples import (
    bound_on_new,
    concave_majorant,
    to_precision,
)
from pu_accessor.inference.bands.simultaneous import local_alpha, share_among
from pu_accessor.inference.completion import ROUNDING, Completion, weigh_known
from pu_accessor.inference.contamination import count_wrong, missing_positives, relabel
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.latent_bounds import (
    Bands,
    LatentBounds,
    add_bends,
    bound_by,
    bound_latent,
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
    NeedsRefinementError,
    Numbers,
    Ranking,
    each_once,
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
    if rule.contamination:
        found = _contaminated(ranking, betas, rule)
        yield replace(found, tp=_round(found.tp)) if rounded else found
        return
    total = ranking.total
    check_labels(betas, total, references_used(rule.reference, ranking))
    latent = latent_counts(betas, total.unlabeled)
    completions = complete_by(rule, ranking, latent)
    ranking, parts, held = _refine(ranking, latent, completions, rule)
    start = 0
    for part in parts:
        bounds = held or bound_by(part, ranking, rule)
        here = slice(start, start + part.latent.size)
        tp, clipped = _with_estimate(bounds, completions[here], rounded=rounded)
        tp += ranking.known_positive[:, np.newaxis, np.newaxis]
        tightest = bounds.tightest[: part.latent.size]
        del bounds  # counts at all cutoffs, as many as are now made of the tables
        held, start = None, here.stop
        positives = total.known_positive + part.latent
        alphas = _local_alphas(ranking, part.latent, tightest, rule)
        counts = tp, ranking.head, positives, sum(total) - positives
        yield Tables(ranking, betas[here], *counts, clipped, tightest, alphas)


def _refine(
    ranking: Ranking, latent: IntArray, completions: Sequence[Completion], rule: Settings
) -> tuple[Ranking, list[Bands], LatentBounds | None]:
    """Add all cutoffs at which a bound bends or cuts the estimate, before any are counted at.

    Also return the bands in parts, and what `_refine_where_cut` does.
    """
    bands = make_bands(ranking, latent, rule)
    try:
        ranking = add_bends(ranking, bands, rule, completions)
    except NeedsRefinementError:  # ask for what seems to come next, too: one pass finds both
        _refine_where_cut(ranking, bands.in_parts(ranking.rank.size), completions, rule)
        raise
    parts = bands.in_parts(ranking.rank.size)
    ranking, held = _refine_where_cut(ranking, parts, completions, rule)
    return ranking, parts, held


def _round(counts: Numbers) -> IntArray:
    """Round counts that nobody else holds, half up."""
    np.add(counts, 0.5 + ROUNDING, out=counts)
    np.floor(counts, out=counts)
    return counts.astype(np.int64)


def _contaminated(ranking: Ranking, betas: FloatArray, rule: Settings) -> Tables:
    """Bound the tables where a share of the known positives may be wrong.

    Notes
    -----
    The lower bound is that of the ranking whose best known positives are wrong, the upper one that
    whose worst are. Whichever are wrong, bounds from the others lie between: with each known
    positive less in the head, or less in the tail, the band says that as many latent positives lie
    there, or fewer.
    """
    plain, n = replace(rule, contamination=0.0), ranking.total.known_positive
    wrong = count_wrong(n, rule.contamination)

    def sides(ranking: Ranking) -> list[Ranking]:
        return [relabel(ranking, wrong, 0), ranking, relabel(ranking, wrong, n - wrong)]

    if ranking.refiner is not None:
        bends = [make_tables(side, betas, plain).ranking.unlabeled for side in sides(ranking)]
        ranking = ranking.refine(each_once(np.concatenate(bends)))
    every = slice(None)  # cutoffs stay as they are
    worst, base, best = (make_tables(side.take(every), betas, plain) for side in sides(ranking))
    above = ranking.known_positive
    moved = above - best.ranking.known_positive  # positive where too few others are below
    missing = np.stack(missing_positives(above, n, wrong), axis=1)[..., np.newaxis]
    sources = worst, base, best
    tp, clipped = (
        np.stack([getattr(each, name)[:, bound] for bound, each in enumerate(sources)], axis=1)
        for name in ("tp", "clipped")
    )
    tp[:, -1] += moved[:, np.newaxis]
    positives, negatives = base.positives - missing, base.negatives + missing
    alpha = worst.local_alpha
    counts = {"tp": tp, "positives": positives, "negatives": negatives, "clipped": clipped}
    return replace(base, ranking=ranking, local_alpha=alpha, **counts)


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
    head = mean(tables.head)
    return replace(tables, tp=mean(tables.tp), head=head, clipped=clipped)


def _with_estimate(
    bounds: LatentBounds, completions: Sequence[Completion], *, rounded: bool
) -> tuple[Numbers, BoolArray]:
    """Put the estimate between both bounds; also tell what was moved to what is possible.

    Where a band excludes the estimate, it is cut to the nearer bound.
    """
    betas = len(completions)
    ends = bounds.possible[..., :betas]
    shape = betas, len(BOUNDS), bounds.ranking.rank.size  # cutoffs lie side by side, as in claims
    in_head: Numbers = np.empty(shape, np.int64).T if rounded else np.empty(shape).T
    clipped = np.empty(shape, np.bool_).T
    in_head[:, _ENDS] = ends
    clipped[:, _ENDS] = bounds.clipped[..., :betas]
    completed = count_above(completions, bounds.ranking)
    estimate = np.clip(completed, ends[:, 0], ends[:, 1])
    completed -= estimate
    np.greater(np.abs(completed, out=completed), ROUNDING, out=clipped[:, _ESTIMATE])
    in_head[:, _ESTIMATE] = _round(estimate) if rounded else estimate
    return in_head, clipped


def _refine_where_cut(
    ranking: Ranking, parts: Sequence[Bands], completions: Sequence[Completion], rule: Settings
) -> tuple[Ranking, LatentBounds | None]:
    """Add the cutoffs on both sides of where a bound begins, or ends, to cut the estimate.

    Also return the bounds at all betas, if these are few and no cutoff is added.
    """
    if ranking.refiner is None:
        return ranking, None
    cuts, start = [np.empty(0, np.int64)], 0
    for part in parts:
        bounds, end = bound_by(part, ranking, rule), start + part.latent.size
        cuts.append(_find_cuts(bounds, completions[start:end]))
        start = end
    finer = ranking.refine(each_once(np.concatenate(cuts)))
    return finer, bounds if len(parts) == 1 and finer is ranking else None


def _find_cuts(bounds: LatentBounds, completions: Sequence[Completion]) -> IntArray:
    """Return the counts of unlabeled examples on both sides of where bounds begin, or end, to cut.

    What they cut is the estimate.
    """
    ranking = bounds.ranking
    completed, unlabeled = count_above(completions, ranking), ranking.unlabeled
    above = completed.T[:, np.newaxis] - bounds.possible.T[: len(completions)]
    cut = above[..., :-1] * above[..., 1:] < 0
    *which, cutoff = np.unravel_index(np.flatnonzero(cut), cut.shape)  # quicker than np.nonzero
    start, end = above[*which, cutoff], above[*which, cutoff + 1]
    places = unlabeled[cutoff] + (unlabeled[cutoff + 1] - unlabeled[cutoff]) * start / (
        start - end
    )
    cuts = each_once(np.concatenate([np.floor(places), np.ceil(places)]).astype(np.int64))
    return np.asarray(cuts[unlabeled[np.searchsorted(unlabeled, cuts)] != cuts])


def rank_cdf(ranking: Ranking, betas: FloatArray, rule: Settings) -> RankCdf:
    """Bound the rank CDF of the latent positives by the one of the known ones."""
    check_labels(betas, ranking.total, references_used(rule.reference, ranking))
    latent = latent_counts(betas, ranking.total.unlabeled)
    # Known positives have a share of their own in the head, and nothing bends between cutoffs.
    counted = rule.reference == "positives"
    completions = [] if counted else complete_by(rule, ranking, latent)
    bounds = bound_latent(ranking, latent, rule, refine=not counted, completions=completions)
    if completions and ranking.refiner is not None:  # ranks that were chosen are in any order
        finer = bounds.ranking.refine(_find_cuts(bounds, completions))
        if finer is not bounds.ranking:
            bounds = bound_latent(finer, latent, rule, refine=False)
    in_head = np.zeros((bounds.ranking.rank.size, len(BOUNDS), latent.size))
    in_head[:, _ENDS] = np.clip(bounds.claimed, 0, latent)
    if not counted:
        in_head[:, _ESTIMATE] = _with_estimate(bounds, completions, rounded=False)[0][:, _ESTIMATE]
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
    latent = latent_counts(betas, total.unlabeled)
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
            "there is no false positive rate. Pass a smaller beta.",
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
    of_kind = {"positives": (total.known_positive, latent)}
    of_kind["negatives"] = total.known_negative, total.unlabeled - latent
    for i, kind in enumerate(kinds):
        n, m = of_kind[kind][0], int(of_kind[kind][1][i])
        alpha = local_alpha(n, m, rule.level, rule.selection_odds, rule.one_sided)
        cutoffs = few_cutoffs(ranking, n, [m], rule)
        alphas.append(share_among(cutoffs, alpha, rule.level, rule.one_sided))
    return np.array(alphas)

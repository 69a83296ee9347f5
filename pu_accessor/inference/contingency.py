"""Make contingency tables: bounded counts at each cutoff of a ranking, at some betas."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference import future_bands
from pu_accessor.inference.bands import alpha_of_cutoffs, local_alpha
from pu_accessor.inference.completion import COUNT_TOLERANCE, Completion, represented_positives
from pu_accessor.inference.hidden_bounds import (
    Bands,
    HiddenBounds,
    add_bend_cutoffs,
    bound_hidden,
    choose_references,
    complete_at_bends,
    complete_for,
    count_above,
    count_wrong,
    few_cutoff_count,
    make_bands,
    narrow_between,
    narrow_bounds,
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
from pu_accessor.roles_and_assumptions import Terms

BOUNDS = ("lower", "estimate", "upper")
ESTIMATE = BOUNDS.index("estimate")
LIMITS = slice(None, None, 2)  # lower and upper of `BOUNDS`, as a view


class Table(NamedTuple):
    """Contingency tables: four arrays of counts, int64 or, if estimated, float64."""

    tp: Numbers
    fp: Numbers
    fn: Numbers
    tn: Numbers

    @classmethod
    def of(cls, tp: Numbers, head: Numbers, positives: Numbers, size: Numbers | int) -> "Table":
        """Return the tables with so many true positives among `head` examples above."""
        fp = head - tp
        return cls(tp, fp, positives - tp, size - positives - fp)

    @classmethod
    def of_rates(cls, tpr: Numbers, fpr: Numbers, prevalence: Any, size: float) -> "Table":
        """Return the tables of both rates at a prevalence."""
        positives, negatives = prevalence * size, (1 - prevalence) * size
        return cls(positives * tpr, negatives * fpr, positives * (1 - tpr), negatives * (1 - fpr))

    def at_prevalence(self, prevalence: float | None) -> "Table":
        """Return tables of as many examples and the same rates at another prevalence."""
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
    tp: Numbers  # shape (cutoffs, 3, betas); floats, or integers once they are rounded
    positives: IntArray  # shape (betas,); as `tp` if known positives may be wrong
    clipped: BoolArray  # where band and beta are infeasible
    tightest: tuple[str, ...]  # the kind of known examples used at each beta
    local_alpha: FloatArray | None = None  # of a simultaneous band

    @property
    def table(self) -> Table:
        """The four counts, shape (cutoffs, 3, betas)."""
        head = self.ranking.head[:, np.newaxis, np.newaxis]
        return Table.of(self.tp, head, self.positives, sum(self.ranking.total))

    def rounded(self) -> "Tables":
        """Return tables of whole examples, unless rows have weights."""
        if self.ranking.head.dtype.kind == "f":
            return self
        return replace(self, tp=np.floor(self.tp + (0.5 + COUNT_TOLERANCE)).astype(np.int64))


class _Estimated(NamedTuple):
    """Bounds at some betas, and the estimate before it is cut to the limits of all labelings."""

    bounds: HiddenBounds
    completed: FloatArray  # hidden positives, shape (cutoffs, betas)
    limits: Sequence[Numbers] | None  # lower and upper; None if they are not needed

    @property
    def ends(self) -> IntArray:
        """Bounds on the hidden positives, shape (cutoffs, side, betas)."""
        return self.bounds.possible[..., : self.completed.shape[1]]


class RankCdf(NamedTuple):
    """The rank CDF of the hidden positives."""

    ranking: Ranking  # with the cutoffs at which it bends
    share: FloatArray  # of hidden positives, shape (cutoffs, 3, betas); NaN: there are none
    tightest: tuple[str, ...]
    local_alpha: FloatArray | None


def make_tables(ranking: Ranking, betas: FloatArray, terms: Terms) -> Tables:
    """Bound the contingency table at each cutoff ([C15], Theorem 1 and section 4)."""
    first, *others = tables_in_parts(ranking, betas, terms)
    if not others:
        return first
    parts = [first, *others]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts], axis=-1)
        for name in ("betas", "tp", "positives", "clipped", "local_alpha")
        if getattr(first, name) is not None
    }
    return replace(first, **joined, tightest=tuple(chain(*(part.tightest for part in parts))))


def tables_in_parts(ranking: Ranking, betas: FloatArray, terms: Terms) -> Iterator[Tables]:
    """Yield tables at some betas at a time."""
    total = ranking.total
    check_labels(betas, total, references_used(terms.reference, ranking))
    hidden = hidden_counts(betas, total.unlabeled)
    completions = complete_for(terms, ranking, hidden)
    bands = make_bands(ranking, hidden, terms)
    ranking = add_bend_cutoffs(ranking, bands, terms, completions)
    parts = bands.in_parts(ranking.rank.size)
    ranking, reusable = _refine_where_clipped(ranking, parts, completions, terms)
    known, missing = ranking.known_positive[:, np.newaxis, np.newaxis], np.zeros(1, np.int64)
    if wrong := count_wrong(total.known_positive, terms.contamination):
        # Wrong ones above a cutoff worsen any metric, wrong ones below improve it.
        above, below = ranking.known_positive, total.known_positive - ranking.known_positive
        by_bound = np.minimum(above, wrong), 0 * above, np.minimum(below, wrong)
        missing = np.stack(by_bound, axis=1)[..., np.newaxis]
        known = known - missing * np.array([[1], [0], [0]])
    first = 0
    for part in parts:
        here = slice(first, first + part.hidden.size)
        each = reusable or _estimate_part(part, ranking, completions[here], terms)
        tp, clipped = _with_estimate(each)
        tp += known
        tightest = each.bounds.tightest[: part.hidden.size]
        del each  # frees memory
        reusable, first = None, here.stop
        positives = total.known_positive + part.hidden - missing
        alphas = _local_alphas(ranking, part.hidden, tightest, terms)
        yield Tables(ranking, betas[here], tp, positives, clipped, tightest, alphas)


def mean_of_ends(part: FloatArray, counts: Numbers) -> FloatArray:
    """Return the weighted mean of counts at one or two cutoffs, in one order of summation."""
    return np.asarray(sum(weight * count for weight, count in zip(part, counts, strict=True)))


def _estimate_part(
    bands: Bands, ranking: Ranking, completions: Sequence[Completion], terms: Terms
) -> _Estimated:
    """Return bounds and estimate at some betas."""
    bounds = bound_hidden(bands, ranking, terms)
    completed = count_above(completions, bounds.ranking)
    return _Estimated(bounds, completed, _running_limits(bounds, bands, completed, terms))


def _with_estimate(each: _Estimated) -> tuple[FloatArray, BoolArray]:
    """Return counts with the estimate between both bounds, and where they were moved."""
    # It is clipped to the limits of all labelings in the band; these cross if there are none.
    ends, completed = each.ends, each.completed
    shape = completed.shape[1], len(BOUNDS), completed.shape[0]  # cutoffs are contiguous
    in_head, clipped = np.empty(shape).T, np.empty(shape, np.bool_).T
    low, high = each.limits or (ends[:, 0], ends[:, 1])
    is_crossed = each.limits is not None and bool((low > high).any())
    if is_crossed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    estimate = np.minimum(np.maximum(completed, low), high)
    is_moved = np.abs(np.subtract(completed, estimate, out=completed), out=completed)
    np.greater(is_moved, COUNT_TOLERANCE, out=clipped[:, ESTIMATE])
    in_head[:, ESTIMATE] = estimate
    in_head[:, LIMITS] = ends
    clipped[:, LIMITS] = each.bounds.clipped[..., : completed.shape[1]]
    if is_crossed:  # where no labeling is inside, bounds are widened to the estimate
        outside = estimate < ends[:, 0] - COUNT_TOLERANCE, estimate > ends[:, 1] + COUNT_TOLERANCE
        for side, is_outside in zip((0, 2), outside, strict=True):
            clipped[:, side] |= is_outside
            clipped[:, ESTIMATE] |= is_outside
            np.copyto(in_head[:, side], estimate, where=is_outside)
    return in_head, clipped


def _running_limits(
    bounds: HiddenBounds, bands: Bands, completed: FloatArray, terms: Terms
) -> Sequence[Numbers] | None:
    """Return both limits of all labelings in a band, (cutoffs, betas); None if not needed."""
    # They cross where the band contains no labeling.
    ranking, ends = bounds.ranking, bounds.possible[..., : completed.shape[1]]
    low, high = ends[:, 0], ends[:, 1]
    if terms.band == "simultaneous":  # it includes the estimate
        return None
    if ranking.whole is not None:
        whole = bound_hidden(bands, ranking.whole, terms).possible[..., : completed.shape[1]]
        narrowed = narrow_bounds(ranking.whole.unlabeled, whole)
        narrowed = narrow_between(ranking, ends, ranking.whole, narrowed)
    elif (completed < low - COUNT_TOLERANCE).any() or (completed > high + COUNT_TOLERANCE).any():
        narrowed = narrow_bounds(ranking.unlabeled, ends)
    else:
        return None
    return narrowed[:, 0], narrowed[:, 1]


def _refine_where_clipped(
    ranking: Ranking, parts: Sequence[Bands], completions: Sequence[Completion], terms: Terms
) -> tuple[Ranking, _Estimated | None]:
    """Add the cutoffs next to where the band clips the estimate; also return what is reusable."""
    if ranking.refiner is None:
        return ranking, None
    cuts, start = [np.empty(0, np.int64)], 0
    for part in parts:
        end = start + part.hidden.size
        each = _estimate_part(part, ranking, completions[start:end], terms)
        cuts.append(_clip_bends(each))
        start = end
    finer = ranking.refine(sorted_unique(np.concatenate(cuts)))
    return finer, each if len(parts) == 1 and finer is ranking else None


def _clip_bends(each: _Estimated) -> IntArray:
    """Return the unlabeled counts next to where a running limit starts to clip the estimate."""
    if each.limits is None:
        return np.empty(0, np.int64)
    head, completed, ends = each.bounds.ranking.unlabeled, each.completed, each.ends
    (low, high), (least, most) = each.limits, (ends[:, 0], ends[:, 1])
    outside = (completed < low - COUNT_TOLERANCE) | (completed > high + COUNT_TOLERANCE)
    step, beta = np.nonzero(outside[:-1] | outside[1:])
    start, end = head[step], head[step + 1]
    here, following = completed[step, beta], completed[step + 1, beta]
    bends = []
    for gap in (low - high, least - high, low - most):  # where they cross
        bends += [start + gap[step, beta], end - gap[step + 1, beta]]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (following - here) / (end - start)
        for limit in (low, high, least, most):
            first, last = limit[step, beta], limit[step + 1, beta]
            bends += [end - (last - first), start + (last - first)]
            lines = (first, 0), (first, 1), (last, 0), (last - (end - start), 1)
            bends += [start + (level - here) / (slope - growth) for level, growth in lines]
    between = np.stack(bends)
    between = between[(between > start) & (between < end)]
    cuts = sorted_unique(np.concatenate([np.floor(between), np.ceil(between)]).astype(np.int64))
    return np.asarray(cuts[head[np.searchsorted(head, cuts)] != cuts])


def rank_cdf(ranking: Ranking, betas: FloatArray, terms: Terms) -> RankCdf:
    """Bound the rank CDF of the hidden positives by that of the known ones."""
    check_labels(betas, ranking.total, references_used(terms.reference, ranking))
    hidden = hidden_counts(betas, ranking.total.unlabeled)
    # The estimate is the share of known positives, and nothing bends between cutoffs.
    by_known = terms.reference == "positives"
    tables = None if by_known else make_tables(ranking, betas, terms)
    finer = ranking if tables is None else tables.ranking
    bounds = bound_hidden(make_bands(finer, hidden, terms), finer, terms)
    in_head = np.zeros((bounds.ranking.rank.size, len(BOUNDS), hidden.size))
    in_head[:, LIMITS] = np.clip(bounds.claimed, 0, hidden)
    if tables is not None:
        in_head[:, ESTIMATE] = tables.tp[:, ESTIMATE] - finer.known_positive[:, np.newaxis]
    with np.errstate(invalid="ignore"):  # no hidden positives
        share = in_head / hidden
    if by_known:
        known = represented_positives(bounds.ranking, bounds.ranking.known_positive)
        share[:, ESTIMATE] = np.minimum(known / ranking.total.known_positive, 1)[:, np.newaxis]
    alphas = _local_alphas(ranking, hidden, bounds.tightest, terms)
    return RankCdf(bounds.ranking, share, bounds.tightest, alphas)


def completed_table(
    ranking: Ranking, betas: FloatArray, terms: Terms | None = None, *, on_new: bool = False
) -> tuple[Ranking, Table]:
    """Return the table of the estimate, (cutoffs, betas); of a concave curve for future data."""
    terms = Terms() if terms is None else terms
    total = ranking.total
    check_labels(betas, total, references_used(terms.reference, ranking))
    hidden = hidden_counts(betas, total.unlabeled)
    ranking, tp = complete_at_bends(ranking, hidden, choose_references(ranking, hidden, terms))
    tp += ranking.known_positive[:, np.newaxis]
    if on_new and ranking.monotone:
        kinds = ("positives",) * hidden.size
        whole, in_head = complete_at_bends(ranking.whole or ranking, hidden, kinds)
        curves = (whole.known_positive[:, np.newaxis] + in_head).T
        concave = [future_bands.concave_majorant(whole.head, curve)[0] for curve in curves]
        tp = np.stack([np.interp(ranking.head, whole.head, curve) for curve in concave], axis=1)
    positives = total.known_positive + hidden
    return ranking, Table.of(tp, ranking.head[:, np.newaxis], positives, sum(total))


def check_labels(betas: FloatArray, total: Counts, kinds: Sequence[str] = ("positives",)) -> None:
    """Raise if known examples of a needed kind are missing, or beta has no unlabeled examples."""
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
            f"beta must be 0 if nothing is unlabeled, but {betas.max():g} was passed. Pass "
            "beta=0, or mark unlabeled examples: missing in the label column, or "
            "df.pu(unlabeled=0)."
        )


def _local_alphas(
    ranking: Ranking, hidden: IntArray, kinds: Sequence[str], terms: Terms
) -> FloatArray | None:
    """Return the local level of a simultaneous band, one for each beta."""
    if terms.band != "simultaneous":
        return None
    total, alphas = ranking.total, []
    right = total.known_positive - count_wrong(total.known_positive, terms.contamination)
    of_kind = {"positives": (right, hidden)}
    of_kind["negatives"] = total.known_negative, total.unlabeled - hidden
    for i, kind in enumerate(kinds):
        n, m = of_kind[kind][0], int(of_kind[kind][1][i])
        alpha = local_alpha(n, m, terms.level, terms.selection_odds, terms.one_sided)
        cutoffs = few_cutoff_count(ranking, n, [m], terms)
        alphas.append(alpha_of_cutoffs(cutoffs, alpha, terms.level, terms.one_sided))
    return np.array(alphas)

"""Bound the hidden positives above each cutoff, from known positives or negatives.

Known negatives bound the hidden negatives below the cutoff. The other unlabeled examples there are
hidden positives; the remaining hidden positives are above.

[1] J. L. Horowitz, C. F. Manski, Econometrica 63 (1995) 281-302 (contamination).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from pu_accessor.inference import bands
from pu_accessor.inference.bands import hidden_bounds_of_many, stack_bounds
from pu_accessor.inference.completion import COUNT_TOLERANCE, Completion, complete
from pu_accessor.inference.known_positives import clustered_bounds, weighted_bounds
from pu_accessor.ranking import (
    BoolArray,
    CountArray,
    FloatArray,
    IntArray,
    Ranking,
    increments,
    sorted_unique,
)
from pu_accessor.roles_and_assumptions import Terms

_BATCH_SIZE = 1 << 17  # cutoffs times betas that fit into a cache
_LOWER, _UPPER = 0, 1
_COMPARED_LEVEL = 0.95  # at which known positives and negatives are compared, at any level


class HiddenBounds(NamedTuple):
    """Bounds on the hidden positives above each cutoff."""

    ranking: Ranking  # with the cutoffs at which bounds bend
    claimed: IntArray  # by the band, shape (cutoffs, side, beta), lower first
    possible: IntArray  # nearest counts that the unlabeled examples allow
    tightest: tuple[str, ...]  # as in `Tables`
    contradicted: BoolArray | None = None  # None: where `possible` is not `claimed`

    @property
    def clipped(self) -> BoolArray:
        """Where band and beta are infeasible."""
        return self.possible != self.claimed if self.contradicted is None else self.contradicted


class Bands(NamedTuple):
    """Limits of one or both kinds of known examples, each of shape (known + 1, side, beta)."""

    tables: Mapping[str, IntArray]
    hidden: IntArray

    def in_parts(self, cutoffs: int) -> list["Bands"]:
        """Return the limits in batches of betas, small enough for all cutoffs."""
        size, parts = max(_BATCH_SIZE // max(cutoffs, 1), 1), []
        for at in range(0, self.hidden.size, size):
            tables = {kind: table[..., at : at + size] for kind, table in self.tables.items()}
            parts.append(Bands(tables, self.hidden[at : at + size]))
        return parts

    def claims(self, ranking: Ranking) -> dict[str, IntArray]:
        """Return the hidden positives above each cutoff by the band of each kind."""
        total, claims = ranking.total, {}
        for kind, table in self.tables.items():
            # Contiguous cutoffs halve the time for few betas.
            if kind == "positives":
                claims[kind] = np.take(table.T, ranking.known_rows, axis=-1).T
                continue
            tail = (total.unlabeled - ranking.unlabeled)[:, np.newaxis, np.newaxis]
            behind = total.known_negative - ranking.known_negative
            claims[kind] = self.hidden - tail + np.take(table.T, behind, axis=-1).T
        return claims


def references_used(reference: str, ranking: Ranking) -> tuple[str, ...]:
    """Return the kinds of known examples that a reference uses."""
    if reference != "tightest":
        return (reference,)
    total = ranking.total
    known_of = {"positives": total.known_positive, "negatives": total.known_negative}
    return tuple(kind for kind, known in known_of.items() if known) or ("positives",)


def make_bands(ranking: Ranking, hidden: IntArray, terms: Terms) -> Bands:
    """Return the bands at some numbers of hidden positives."""
    kinds = references_used(terms.reference, ranking)
    return Bands({kind: _kind_limits(ranking, kind, hidden, terms) for kind in kinds}, hidden)


def add_bend_cutoffs(
    ranking: Ranking, bands: Bands, terms: Terms, completions: Sequence[Completion]
) -> Ranking:
    """Add the cutoffs at which bounds and completions bend."""
    if ranking.refiner is None:
        return ranking
    corners = [_band_bends(ranking, part) for part in bands.in_parts(ranking.rank.size)]
    corners.append(_completion_bends(ranking, completions))
    ranking = ranking.refine(sorted_unique(np.concatenate(corners)))
    for bends_of in (narrowed_bends, _crossings) if terms.band == "simultaneous" else ():
        bends = []
        for part in bands.in_parts(ranking.rank.size):
            bounds = _bound_each(ranking, part, terms)
            completions = complete_for(terms, ranking, part.hidden)
            bends.append(bends_of(ranking.unlabeled, _narrow(ranking, bounds, completions)))
        ranking = ranking.refine(sorted_unique(np.concatenate(bends)))
    return ranking


def complete_for(terms: Terms, ranking: Ranking, hidden: IntArray) -> list[Completion]:
    """Complete a ranking by the kind of known examples that is assumed."""
    return complete(ranking, hidden, choose_references(ranking, hidden, terms))


def bound_hidden(bands: Bands, ranking: Ranking, terms: Terms) -> HiddenBounds:
    """Bound the hidden positives above each cutoff."""
    bound = _bound_jointly if terms.band == "simultaneous" else _bound_each
    return bound(ranking, bands, terms)


def complete_at_bends(
    ranking: Ranking, hidden: IntArray, kinds: Sequence[str]
) -> tuple[Ranking, FloatArray]:
    """Return the ranking with cutoffs where the estimate bends, and its hidden positives there."""
    completions = complete(ranking, hidden, kinds)
    ranking = ranking.refine(_completion_bends(ranking, completions))
    return ranking, count_above(completions, ranking)


def count_above(completions: Sequence[Completion], ranking: Ranking) -> FloatArray:
    """Return hidden positives above each cutoff, shape (cutoffs, completions)."""
    return np.stack([each.above(ranking.unlabeled) for each in completions]).T


def choose_references(ranking: Ranking, hidden: IntArray, terms: Terms) -> tuple[str, ...]:
    """Return the kind with the narrower range of AUROC, for each number of hidden positives."""
    # At a fixed level; before claims are clipped, as a wrong band would look narrow after it.
    kinds = references_used(terms.reference, ranking)
    if len(kinds) == 1:
        return kinds * hidden.size
    ranking = ranking.whole or ranking
    bands = make_bands(ranking, hidden, replace(terms.at_random, level=_COMPARED_LEVEL))
    # Areas between bounding ROC curves, times 2: sums of true positives over all ranks.
    widths = [claim[:, 1] - claim[:, 0] for claim in bands.claims(ranking).values()]
    ranges = [increments(ranking.rank) @ (width[1:] + width[:-1]) for width in widths]
    return tuple(kinds[int(first > second)] for first, second in zip(*ranges, strict=True))


def _completion_bends(ranking: Ranking, completions: Sequence[Completion]) -> IntArray:
    """Return the unlabeled counts, between two cutoffs, at which estimates bend."""
    # Completions of one kind differ mainly in their last corner.
    of_first, *others = (completion.unlabeled for completion in completions)
    new = [each[each != of_first] if each.size == of_first.size else each for each in others]
    corners = sorted_unique(np.concatenate([of_first, *new]))
    heads = np.append(ranking.unlabeled, -1)  # some cutoffs may end before the last corner
    nearest = heads[np.searchsorted(ranking.unlabeled, corners)]
    return np.asarray(corners[nearest != corners])


def _bound_each(ranking: Ranking, bands: Bands, terms: Terms) -> HiddenBounds:
    """Bound the hidden positives at each cutoff separately."""
    kinds, claims, hidden = tuple(bands.tables), bands.claims(ranking), bands.hidden
    tightest = choose_references(ranking, hidden, terms)
    if len(kinds) == 1:
        return _clip_claims(ranking, hidden, claims[kinds[0]], tightest)
    chosen = np.stack([claims[kind][..., i] for i, kind in enumerate(tightest)], axis=-1)
    return _clip_claims(ranking, hidden, chosen, tightest)


def _bound_jointly(ranking: Ranking, bands: Bands, terms: Terms) -> HiddenBounds:
    """Bound the hidden positives jointly: narrowed, and extended to include the estimate."""
    # Otherwise bounds could be empty, and would not be nested in those of a higher level.
    whole, hidden = ranking.whole or ranking, bands.hidden
    completions = complete_for(terms, whole, hidden)
    if ranking.whole is not None:
        bends = _band_bends(whole, bands), _completion_bends(whole, completions)
        whole = whole.refine(sorted_unique(np.concatenate(bends)))
    bounds = _bound_each(whole, bands, terms)
    narrowed = _narrow(whole, bounds, completions)
    if ranking.whole is not None:
        bounds = _bound_each(ranking, bands, terms)
        unknown = np.zeros_like(bounds.possible)
        unknown[:, 1] = hidden
        ends = np.concatenate([bounds.possible, unknown], axis=-1)
        narrowed = narrow_between(ranking, ends, whole, narrowed)
    (low, nearest_low), (high, nearest_high) = (
        np.split(side, 2, axis=-1) for side in np.moveaxis(narrowed, 1, 0)
    )
    possible = np.stack([np.minimum(low, nearest_low), np.maximum(high, nearest_high)], axis=1)
    contradicted = bounds.clipped | (low > high)[:, np.newaxis]
    return bounds._replace(possible=possible, contradicted=contradicted)


def _narrow(ranking: Ranking, bounds: HiddenBounds, completions: Sequence[Completion]) -> IntArray:
    """Narrow bounds to counts possible at all cutoffs, with integers around the estimate."""
    ends = np.zeros_like(bounds.possible)
    ends[:, 1] = [round(each.hidden[-1]) for each in completions]
    for i, each in enumerate(completions):
        corners = np.isin(ranking.unlabeled, each.unlabeled)
        above = each.above(ranking.unlabeled[corners])
        ends[corners, 0, i] = np.floor(above + COUNT_TOLERANCE)
        ends[corners, 1, i] = np.ceil(above - COUNT_TOLERANCE)
    both = np.concatenate([bounds.possible, ends], axis=-1)
    return narrow_bounds(ranking.unlabeled, both)


def _crossings(head: IntArray, narrowed: IntArray) -> IntArray:
    """Return the counts, between two cutoffs, where bounds and those of the estimate cross."""
    bounds, nearest = np.split(narrowed, 2, axis=-1)
    apart = np.abs(bounds - nearest)[:-1]  # one is constant, the other grows by one per example
    crossed = (bounds - nearest)[:-1] * (bounds - nearest)[1:] < 0
    return sorted_unique((head[:-1, np.newaxis, np.newaxis] + apart)[crossed])


def count_wrong(known: int, contamination: float) -> int:
    """Return how many known positives may be negative: floor(contamination*known)."""
    return floor(Fraction(str(contamination)) * known) if contamination else 0


def _kind_limits(ranking: Ranking, kind: str, hidden: IntArray, terms: Terms) -> IntArray:
    """Return the limits of one kind, shape (known + 1, side, beta)."""
    # Wrong known positives are above the cutoff for the lower limit, below for the upper one [1].
    total, weight, clusters = ranking.total, ranking.inverse_propensity, ranking.clusters
    level = terms.level
    known = total.known_positive if kind == "positives" else total.known_negative
    wrong = count_wrong(known, terms.contamination) if kind == "positives" else 0
    right = known - wrong
    numbers = (hidden if kind == "positives" else total.unlabeled - hidden).tolist()
    if weight is not None:
        sides = stack_bounds(lambda m: weighted_bounds(weight, m, level), numbers)
    elif clusters is not None:
        of_known = clusters.known_cluster, clusters.known_weight
        sides = stack_bounds(lambda m: clustered_bounds(*of_known, m, level), numbers)
    else:
        cutoffs = None
        if terms.band == "simultaneous":
            cutoffs = few_cutoff_count(ranking, right, numbers, terms)
        options = terms.selection_odds, terms.one_sided, cutoffs
        sides = hidden_bounds_of_many(terms.band, right, tuple(numbers), level, *options)
    table = np.stack([side.T for side in sides], axis=1)
    if not wrong:
        return table
    count = np.arange(known + 1)
    known_rows = np.stack([np.maximum(count - wrong, 0), np.minimum(count, right)], axis=1)
    return np.take_along_axis(table, known_rows[..., np.newaxis], axis=0)


def few_cutoff_count(ranking: Ranking, n: int, m: Sequence[int], terms: Terms) -> int | None:
    """Return the number of cutoffs between the ends, if small enough to narrow the band."""
    sided = terms.selection_odds, terms.one_sided
    alphas = [bands.local_alpha(n, hidden, terms.level, *sided) for hidden in m]
    most = bands.error_probability(terms.level, terms.one_sided) / min(alphas)
    ranking = ranking.whole or ranking
    while ranking.rank.size - 2 <= most:
        following = sorted_unique(ranking.unlabeled[:-1] + 1)
        finer = ranking.refine(following[following <= ranking.total.unlabeled])
        if finer is ranking:
            return max(ranking.rank.size - 2, 1)
        ranking = finer
    return None


def _band_bends(ranking: Ranking, bands: Bands) -> IntArray:
    """Return the unlabeled counts h, between two cutoffs, at which bounds bend."""
    # Claims of known positives are constant in h, clipped at h and m - (|U| - h); those of known
    # negatives grow with h, clipped at 0 and m.
    steps = np.flatnonzero(increments(ranking.unlabeled))
    here, following = (
        side[:, np.newaxis, np.newaxis]
        for side in (ranking.unlabeled[steps], ranking.unlabeled[steps + 1])
    )
    claims = {kind: claim[steps] for kind, claim in bands.claims(ranking).items()}
    hidden = bands.hidden
    negatives = ranking.total.unlabeled - hidden  # hidden ones
    corners: list[IntArray] = []
    if "positives" in claims:
        level = claims["positives"]
        corners += [level, negatives + level]
    if "negatives" in claims:
        ahead = here - claims["negatives"]  # the claim is h minus this
        corners += [ahead, hidden + ahead]
    return counts_within_steps(corners, here, following)


def _clip_claims(
    ranking: Ranking, hidden: IntArray, claimed: IntArray, tightest: tuple[str, ...]
) -> HiddenBounds:
    """Clip claims to what the unlabeled examples above and below allow."""
    head, most = ranking.unlabeled, hidden[:, np.newaxis, np.newaxis]
    least = head + (most - ranking.total.unlabeled)
    np.maximum(least, 0, out=least)
    possible = np.minimum(claimed.T, np.minimum(head, most))
    np.maximum(possible, least, out=possible)
    return HiddenBounds(ranking, claimed, possible.T, tightest)


def narrow_bounds(head: CountArray, bounds: CountArray) -> CountArray:
    """Narrow bounds to counts that never fall, nor grow by more than the unlabeled examples."""
    narrowed = np.array(bounds.T, np.result_type(bounds, head), order="C")
    for side, extreme, step in ((_LOWER, np.maximum, 1), (_UPPER, np.minimum, -1)):
        forward, back = narrowed[:, side, ::step], narrowed[:, side, ::-step]
        extreme.accumulate(forward, axis=1, out=forward)
        narrowed[:, side] -= head
        extreme.accumulate(back, axis=1, out=back)
        narrowed[:, side] += head
    return narrowed.T


def narrow_between(
    ranking: Ranking, bounds: IntArray, whole: Ranking, narrowed: IntArray
) -> IntArray:
    """Narrow bounds at some cutoffs, given the narrowed ones of the whole ranking."""
    rank = ranking.head
    last, next_ = np.searchsorted(whole.rank, rank, "right") - 1, np.searchsorted(whole.rank, rank)
    back = np.abs(ranking.unlabeled - whole.unlabeled[last])[:, np.newaxis]
    ahead = np.abs(ranking.unlabeled - whole.unlabeled[next_])[:, np.newaxis]
    before, after = narrowed[last], narrowed[next_]
    lower = np.maximum(bounds[:, _LOWER], before[:, _LOWER])
    lower = np.maximum(lower, after[:, _LOWER] - ahead)
    upper = np.minimum(bounds[:, _UPPER], after[:, _UPPER])
    upper = np.minimum(upper, before[:, _UPPER] + back)
    return np.stack([lower, upper], axis=1)


def narrowed_bends(head: IntArray, narrowed: IntArray) -> IntArray:
    """Return the unlabeled counts, between two cutoffs, at which narrowed bounds bend."""
    here, following = (side[:, np.newaxis, np.newaxis] for side in (head[:-1], head[1:]))
    before, after = narrowed[:-1], narrowed[1:]
    # Lines of positives only that end at the next lower bound, or start at the last upper bound.
    lines = [following - after[:, [_LOWER]], here - before[:, [_UPPER]]]
    corners = [line + value for line in lines for value in (before, after)]
    return counts_within_steps(corners, here, following)


def counts_within_steps(corners: list[IntArray], start: IntArray, end: IntArray) -> IntArray:
    """Return the distinct counts that lie strictly between the two cutoffs of their step."""
    inside = [corner[(start < corner) & (corner < end)] for corner in corners]
    return sorted_unique(np.concatenate(inside))

"""Bounds on the latent positives in each head, from known positives, known negatives or both.

Known negatives bound the latent negatives in the tail. The other unlabeled examples of the tail
are latent positives, and all further latent positives are in the head.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.bands.lookup import RankBand, for_each, latent_bounds_each
from pu_accessor.inference.bands.simultaneous import (
    allowed,
    find_corners,
    inside_steps,
    local_alpha,
    narrow,
    narrow_between,
)
from pu_accessor.inference.bands.weighted import clustered_bounds, weighted_bounds
from pu_accessor.inference.completion import ROUNDING, Completion, complete
from pu_accessor.inference.settings import Settings, count_wrong
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking, sorted_unique

_AT_ONCE = 1 << 17  # bounds at some cutoffs and betas, computed together: a cache holds them
_COMPARED = 0.95  # level at which kinds of known examples are compared, whatever is asked for


class LatentBounds(NamedTuple):
    """Latent positives in the head at each cutoff."""

    ranking: Ranking  # with the cutoffs at which bounds bend
    claimed: IntArray  # by the band alone, shape (cutoffs, side, beta), the lower side first
    possible: IntArray  # the nearest that the unlabeled examples allow
    tightest: tuple[str, ...]  # as in `Tables`
    contradicted: BoolArray | None = None  # None: where `possible` is not `claimed`

    @property
    def clipped(self) -> BoolArray:
        """Where band and beta are infeasible."""
        return self.possible != self.claimed if self.contradicted is None else self.contradicted


class Bands(NamedTuple):
    """Bands of one kind of known examples, or of both, each of shape (known + 1, bound, beta)."""

    tables: Mapping[str, IntArray]  # none of bounds by rank
    latent: IntArray

    def take(self, columns: slice) -> "Bands":
        """Return those at some of the betas."""
        tables = {kind: table[..., columns] for kind, table in self.tables.items()}
        return Bands(tables, self.latent[columns])

    def in_parts(self, cutoffs: int) -> list["Bands"]:
        """Return those at some betas at a time: as many as take little memory at all cutoffs."""
        size = max(_AT_ONCE // max(cutoffs, 1), 1)
        return [self.take(slice(at, at + size)) for at in range(0, self.latent.size, size)]

    def claims(self, ranking: Ranking) -> dict[str, IntArray]:
        """Return the latent positives in the head by the band of each kind of examples."""
        total, claims = ranking.total, {}
        for kind, table in self.tables.items():
            # Cutoffs, of which there are most, lie side by side: what follows is done in half
            # the time where there are few betas.
            if kind == "positives":
                claims[kind] = np.take(table.T, ranking.known_rows, axis=-1).T
                continue
            tail = (total.unlabeled - ranking.unlabeled)[:, np.newaxis, np.newaxis]
            behind = total.known_negative - ranking.known_negative
            claims[kind] = self.latent - tail + np.take(table.T, behind, axis=-1).T
        return claims


def references_used(reference: str, ranking: Ranking) -> tuple[str, ...]:
    """Return the kinds of known examples that a reference takes."""
    if reference == "both":
        return ("positives", "negatives")
    if reference != "tightest":
        return (reference,)
    total = ranking.total
    known_of = {"positives": total.known_positive, "negatives": total.known_negative}
    return tuple(kind for kind, known in known_of.items() if known) or ("positives",)


def make_bands(ranking: Ranking, latent: IntArray, rule: Settings) -> Bands:
    """Return the bands at some numbers of latent positives; none of bounds by rank."""
    if isinstance(rule.band, RankBand):
        return Bands({}, latent)
    kinds = references_used(rule.reference, ranking)
    # Where both count they share the error.
    level = (1 + rule.level) / 2 if rule.reference == "both" else rule.level
    return _bands(ranking, kinds, latent, rule.at_level(level))


def add_bends(
    ranking: Ranking, bands: Bands, rule: Settings, completions: Sequence[Completion] = ()
) -> Ranking:
    """Add the cutoffs at which bounds bend, and completions do."""
    if ranking.refiner is None or not bands.tables:
        return ranking
    parts = bands.in_parts(ranking.rank.size)
    corners = [_corners(ranking, part) for part in parts]
    corners += [_bends(ranking, completions)] if completions else []
    ranking = ranking.refine(sorted_unique(np.concatenate(corners)))
    for find in (find_corners, _find_crossings) if rule.band == "simultaneous" else ():
        parts = bands.in_parts(ranking.rank.size)
        bends = [  # of one part after the other, which takes little memory
            find(ranking.unlabeled, _narrow(ranking, _bound_each(ranking, part, rule), completed))
            for part in parts
            for completed in [complete_by(rule, ranking, part.latent)]
        ]
        ranking = ranking.refine(sorted_unique(np.concatenate(bends)))
    return ranking


def complete_by(rule: Settings, ranking: Ranking, latent: IntArray) -> list[Completion]:
    """Complete a ranking by the kind of known examples that a rule takes."""
    return complete(ranking, latent, choose_kinds(ranking, latent, rule))


def bound_by(bands: Bands, ranking: Ranking, rule: Settings) -> LatentBounds:
    """Bound the latent positives in the head at each cutoff that there is."""
    if isinstance(rule.band, RankBand):
        sides = rule.band.latent(ranking.head, sum(ranking.total), bands.latent)
        kinds = ("positives",) * bands.latent.size
        return _fit(ranking, bands.latent, np.stack(sides, axis=1), kinds)
    bound = _bound_jointly if rule.band == "simultaneous" else _bound_each
    return bound(ranking, bands, rule)


def complete_at(
    ranking: Ranking, latent: IntArray, kinds: Sequence[str]
) -> tuple[Ranking, FloatArray]:
    """Return latent positives in the head by the one estimate, shape (cutoffs, betas).

    Also the ranking with the cutoffs at which that bends.
    """
    completions = complete(ranking, latent, kinds)
    ranking = ranking.refine(_bends(ranking, completions))
    return ranking, count_above(completions, ranking)


def count_above(completions: Sequence[Completion], ranking: Ranking) -> FloatArray:
    """Return latent positives in the head by each completion, shape (cutoffs, completions)."""
    return np.stack([each.above(ranking.unlabeled) for each in completions]).T


def choose_kinds(ranking: Ranking, latent: IntArray, rule: Settings) -> tuple[str, ...]:
    """Return for each number of latent positives the kind of known examples it is taken from.

    That is the kind with the narrower range of AUROC, at one level and with labels selected at
    random, whichever level and factor are asked for: so bounds of all of these are of one kind,
    around one estimate. The range is that of the claims, before they are moved to what is
    possible. A wrong band is moved a lot and looks narrow then: it would win against a right one.
    """
    kinds = references_used(rule.reference, ranking)
    if len(kinds) == 1:
        return kinds * latent.size
    ranking = ranking.whole or ranking
    bands = _bands(ranking, kinds, latent, replace(rule.at_random, level=_COMPARED))
    # Areas between bounding ROC curves, in half pairs of examples: one more true positive is one
    # false positive less at a cutoff, so that an area is a sum of true positives over all ranks.
    widths = [claim[:, 1] - claim[:, 0] for claim in bands.claims(ranking).values()]
    ranges = [np.diff(ranking.rank) @ (width[1:] + width[:-1]) for width in widths]
    return tuple(kinds[int(first > second)] for first, second in zip(*ranges, strict=True))


def _bends(ranking: Ranking, completions: Sequence[Completion]) -> IntArray:
    """Return the counts of unlabeled examples, between two cutoffs, at which estimates bend."""
    # Those of one kind differ in little but where the last one is.
    of_first, *others = (completion.unlabeled for completion in completions)
    new = [each[each != of_first] if each.size == of_first.size else each for each in others]
    corners = sorted_unique(np.concatenate([of_first, *new]))
    reached = np.append(ranking.unlabeled, -1)  # some cutoffs need not reach to the end
    nearest = reached[np.searchsorted(ranking.unlabeled, corners)]
    return np.asarray(corners[nearest != corners])


def _bound_each(ranking: Ranking, bands: Bands, rule: Settings) -> LatentBounds:
    """Bound the latent positives at each cutoff by itself."""
    kinds, claims, latent = tuple(bands.tables), bands.claims(ranking), bands.latent
    tightest = choose_kinds(ranking, latent, rule)
    if len(kinds) == 1:
        return _fit(ranking, latent, claims[kinds[0]], tightest)
    if rule.reference == "tightest":
        chosen = np.stack([claims[kind][..., i] for i, kind in enumerate(tightest)], axis=-1)
        return _fit(ranking, latent, chosen, tightest)
    first, second = claims["positives"], claims["negatives"]
    lower, upper = np.maximum(first[:, 0], second[:, 0]), np.minimum(first[:, 1], second[:, 1])
    # What both have in common reaches to the share of the tightest kind in the head: so it is
    # never empty, and bounds of each higher level, or wider factor, hold it.
    shares = _central(ranking, bands).claims(ranking)
    share = np.stack([shares[kind][:, 0, i] for i, kind in enumerate(tightest)], axis=-1)
    ends = np.minimum(lower, share), np.maximum(upper, share)
    common = _fit(ranking, latent, np.stack([lower, upper], axis=1), tightest)
    contradicted = common.clipped | (lower > upper)[:, np.newaxis]
    bounds = _fit(ranking, latent, np.stack(ends, axis=1), tightest)
    return bounds._replace(contradicted=contradicted)


def _bound_jointly(ranking: Ranking, bands: Bands, rule: Settings) -> LatentBounds:
    """Bound the latent positives by bounds that hold at all cutoffs jointly.

    They reach to whole numbers around the estimate. What all of them allow can be nothing, and
    bounds of each higher level, or wider factor, are to hold what stands then.
    """
    whole, latent = ranking.whole or ranking, bands.latent
    completions = complete_by(rule, whole, latent)
    if ranking.whole is not None:
        bends = _corners(whole, bands), _bends(whole, completions)
        whole = whole.refine(sorted_unique(np.concatenate(bends)))
    bounds = _bound_each(whole, bands, rule)
    narrowed = _narrow(whole, bounds, completions)
    if ranking.whole is not None:
        bounds = _bound_each(ranking, bands, rule)
        ends = np.concatenate([bounds.possible, _unknown(bounds.possible, latent)], axis=-1)
        narrowed = narrow_between(ranking, ends, whole, narrowed)
    (low, nearest_low), (high, nearest_high) = (
        np.split(side, 2, axis=-1) for side in np.moveaxis(narrowed, 1, 0)
    )
    possible = np.stack([np.minimum(low, nearest_low), np.maximum(high, nearest_high)], axis=1)
    contradicted = bounds.clipped | (low > high)[:, np.newaxis]
    return bounds._replace(possible=possible, contradicted=contradicted)


def _narrow(ranking: Ranking, bounds: LatentBounds, completions: Sequence[Completion]) -> IntArray:
    """Narrow bounds to what can hold at all cutoffs; also whole numbers around the estimate.

    These are the lowest and the highest ways to get from corner to corner of the estimate, on
    betas of their own, after all others.
    """
    latent = np.array([round(each.latent[-1]) for each in completions])
    ends = _unknown(bounds.possible, latent)
    for i, each in enumerate(completions):
        corners = np.isin(ranking.unlabeled, each.unlabeled)
        above = each.above(ranking.unlabeled[corners])
        ends[corners, :, i] = np.stack([np.floor(above + ROUNDING), np.ceil(above - ROUNDING)], 1)
    return narrow(ranking.unlabeled, np.concatenate([bounds.possible, ends], axis=-1))


def _unknown(bounds: IntArray, latent: IntArray) -> IntArray:
    """Return bounds that say nothing."""
    ends = np.zeros_like(bounds)
    ends[:, 1] = latent
    return ends


def _find_crossings(head: IntArray, narrowed: IntArray) -> IntArray:
    """Return the counts, between two cutoffs, at which bounds and those of the estimate cross."""
    bounds, nearest = np.split(narrowed, 2, axis=-1)
    apart = np.abs(bounds - nearest)[:-1]  # one is level, the other grows by one for each example
    crossed = (bounds - nearest)[:-1] * (bounds - nearest)[1:] < 0
    return sorted_unique((head[:-1, np.newaxis, np.newaxis] + apart)[crossed])


def _bands(ranking: Ranking, kinds: Sequence[str], latent: IntArray, rule: Settings) -> Bands:
    """Return the bands of some kinds of known examples."""
    return Bands({kind: _table(ranking, kind, latent, rule) for kind in kinds}, latent)


def _central(ranking: Ranking, bands: Bands) -> Bands:
    """Return the share of each kind's known examples, of the hidden ones, rounded."""
    hidden = {"positives": bands.latent, "negatives": ranking.total.unlabeled - bands.latent}
    tables = {}
    for kind, table in bands.tables.items():
        n = table.shape[0] - 1
        known = np.arange(n + 1)[:, np.newaxis, np.newaxis]
        tables[kind] = (2 * known * hidden[kind] + n) // (2 * n)
    return Bands(tables, bands.latent)


def _table(ranking: Ranking, kind: str, latent: IntArray, rule: Settings) -> IntArray:
    """Return the bands of one kind of examples, shape (known + 1, bound, beta).

    Of the known positives some may be wrong. At the lower bound all of these are above the cutoff,
    at the upper one all are below it. With each known positive less in the head, or less in the
    tail, a band says that as many latent positives lie there, or fewer: so whichever are wrong,
    bounds from the others lie between [1]_.

    References
    ----------
    .. [1] J. L. Horowitz, C. F. Manski, *Identification and robustness with contaminated and
       corrupted data*, Econometrica 63 (1995) 281-302.
    """
    total, weight, clusters, level = (
        ranking.total,
        ranking.inverse_propensity,
        ranking.clusters,
        rule.level,
    )
    known = total.known_positive if kind == "positives" else total.known_negative
    wrong = count_wrong(known, rule.contamination) if kind == "positives" else 0
    right = known - wrong
    hidden = (latent if kind == "positives" else total.unlabeled - latent).tolist()
    if weight is not None:
        sides = for_each(lambda m: weighted_bounds(weight, m, level), hidden)
    elif clusters is not None:
        of_known = clusters.known_cluster, clusters.known_weight
        sides = for_each(lambda m: clustered_bounds(*of_known, m, level), hidden)
    else:
        cutoffs = None
        if rule.band == "simultaneous":
            cutoffs = few_cutoffs(ranking, right, hidden, rule)
        sided = rule.selection_odds, rule.one_sided, cutoffs
        sides = latent_bounds_each(rule.band, right, tuple(hidden), level, *sided)
    table = np.empty((sides[0].shape[1], len(sides), len(hidden)), np.int64)
    for bound, side in enumerate(sides):
        table[:, bound] = side.T
    if not wrong:
        return table
    every = np.arange(known + 1)
    sure = np.stack([np.maximum(every - wrong, 0), np.minimum(every, right)], axis=1)
    return np.take_along_axis(table, sure[..., np.newaxis], axis=0)


def few_cutoffs(ranking: Ranking, n: int, m: Sequence[int], rule: Settings) -> int | None:
    """Return how many cutoffs there are between the ends, if so few that the band is narrower.

    These are the cutoffs of all distinct scores: labels have no say in them.
    """
    sided = rule.selection_odds, rule.one_sided
    alphas = [local_alpha(n, latent, rule.level, *sided) for latent in m]
    return inner_cutoffs(ranking, allowed(rule.level, rule.one_sided) / min(alphas))


def inner_cutoffs(ranking: Ranking, most: float) -> int | None:
    """Return the number of cutoffs between the ends where it is at most so many."""
    ranking = ranking.whole or ranking
    while ranking.rank.size - 2 <= most:
        next_ones = sorted_unique(ranking.unlabeled[:-1] + 1)
        finer = ranking.refine(next_ones[next_ones <= ranking.total.unlabeled])
        if finer is ranking:
            return max(ranking.rank.size - 2, 1)
        ranking = finer
    return None


def _corners(ranking: Ranking, bands: Bands) -> IntArray:
    """Return the counts of unlabeled examples, between two cutoffs, at which bounds bend.

    Let h be the number of unlabeled examples in the head. Between two labeled scores a claim of
    the known positives is constant in h, and is cut off at h and at m - (|U| - h). A claim of the
    known negatives grows with h, and is cut off at 0 and m. Where both count, one passes the
    other.
    """
    steps = np.flatnonzero(np.diff(ranking.unlabeled))
    here, following = (
        side[:, np.newaxis, np.newaxis]
        for side in (ranking.unlabeled[steps], ranking.unlabeled[steps + 1])
    )
    start = ranking.take(steps)
    claims, latent = bands.claims(start), bands.latent
    if len(claims) == 2:  # the share of either kind in the head is reached to
        shares = _central(ranking, bands).claims(start)
        claims = {kind: np.concatenate([claims[kind], shares[kind]], axis=1) for kind in claims}
    free = ranking.total.unlabeled - latent
    corners: list[IntArray] = []
    if "positives" in claims:
        level = claims["positives"]
        corners += [level, free + level]
    if "negatives" in claims:
        ahead = here - claims["negatives"]  # the claim is h less this
        corners += [ahead, latent + ahead]
    if len(claims) == 2:
        corners += [level[:, [bound]] + ahead for bound in range(ahead.shape[1])]
    return inside_steps(corners, here, following)


def _fit(
    ranking: Ranking, latent: IntArray, claimed: IntArray, tightest: tuple[str, ...]
) -> LatentBounds:
    """Move claims to what the unlabeled examples in the head and the tail allow."""
    head, hidden = ranking.unlabeled, latent[:, np.newaxis, np.newaxis]
    fewest = head + (hidden - ranking.total.unlabeled)
    np.maximum(fewest, 0, out=fewest)
    possible = np.minimum(claimed.T, np.minimum(head, hidden))
    np.maximum(possible, fewest, out=possible)
    return LatentBounds(ranking, claimed, possible.T, tightest)

"""The one estimate: a labeling of the unlabeled examples that is possible.

Each curve, area and rate is read from the same completed counts, so that none is outside [0, 1]
and none contradicts another.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.bands.weighted import latent_shares
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking

ROUNDING = 1e-6  # of an example, by which an estimate may be off


class Edges(NamedTuple):
    """Both edges of each block of tied scores that holds known examples, best first.

    Of one ranking, whose last three have one entry, or of many, one after the other.
    """

    unlabeled: IntArray  # examples above the edge
    share: FloatArray  # of the latent positives, expected above it
    last: IntArray  # unlabeled examples above the last edge of the ranking
    several: BoolArray  # whether the ranking has several known examples
    owner: IntArray  # the position of the ranking, ascending


class Completion(NamedTuple):
    """Latent positives above each place of a ranking: corners, straight between them."""

    unlabeled: IntArray  # examples above the corner, from 0 to all
    latent: FloatArray  # positives among them

    def above(self, unlabeled: IntArray) -> FloatArray:
        """Return the latent positives among the first unlabeled examples.

        Examples
        --------
        >>> Completion(np.array([0, 4, 8]), np.array([0.0, 2.0, 2.0])).above(np.arange(6))
        array([0. , 0.5, 1. , 1.5, 2. , 2. ])
        """
        return np.interp(unlabeled, self.unlabeled, self.latent)


def complete(
    ranking: Ranking, latent: IntArray, kinds: Sequence[str] | None = None
) -> list[Completion]:
    """Say where the latent positives of a ranking are, for each of some numbers of them.

    Notes
    -----
    At the edge of a block of tied scores with t of n known positives above it, (t - 1/4)/(n - 1/2)
    of the m latent ones are expected above; an untied known positive counts half of itself there.
    The other unlabeled examples above are false positives. These numbers are noisy, and can fall
    from one edge to the next. False positives only become more: so there are at most as many as
    the smallest number from there on, and at least the largest up to there. Both limits are
    possible, and so is the middle between them. No latent positive lies below the last known one,
    as long as there is room above, so that a perfect ranking stays one. Inside a gap, or a block
    of ties, the latent positives are spread evenly.

    It is possible, as both limits grow by at most the unlabeled examples that are passed. From
    known negatives the same is done from the bottom, for the latent negatives.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> complete(ranking, np.array([2]))[0].above(ranking.unlabeled).round(2)
    array([0.  , 0.43, 0.43, 0.43, 0.86, 1.29, 1.29, 2.  , 2.  , 2.  , 2.  ,
           2.  , 2.  ])
    """
    whole = ranking.whole or ranking
    unlabeled, kinds = whole.total.unlabeled, kinds or ("positives",) * latent.size
    turned = turn(whole) if "negatives" in kinds else whole
    of_kind = {"positives": whole, "negatives": turned}
    edges = {} if whole.monotone else {kind: _find_edges(of_kind[kind]) for kind in {*kinds}}

    def complete_one(kind: str, m: int) -> Completion:
        hidden = m if kind == "positives" else unlabeled - m
        if whole.monotone:
            completed = _fall(of_kind[kind], hidden)
        else:
            heads = edges[kind].unlabeled
            above = latent_above(edges[kind], np.array([hidden]), np.array([unlabeled]))
            completed = _end(np.append(0, heads), np.append(0.0, above), hidden, unlabeled)
        if kind == "positives":
            return completed
        # That of latent positives from that of latent negatives from the bottom.
        corners = completed.unlabeled[-1] - completed.unlabeled[::-1]
        return Completion(corners, corners - (hidden - completed.latent[::-1]))

    return [complete_one(kind, m) for kind, m in zip(kinds, latent.tolist(), strict=False)]


def turn(ranking: Ranking) -> Ranking:
    """Return a ranking from the bottom, with known negatives in place of known positives."""
    n, negatives, unlabeled = ranking.total
    known, others, free = (
        count[-1] - count[::-1]
        for count in (ranking.known_negative, ranking.known_positive, ranking.unlabeled)
    )
    counts = {"known_positive": known, "known_negative": others, "unlabeled": free}
    return replace(
        ranking, **counts, total=Counts(negatives, n, unlabeled), inverse_propensity=None
    )


def _fall(ranking: Ranking, latent: int) -> Completion:
    """Complete a ranking whose share of positives never rises from the best score down."""
    counts = ranking.known_positive, ranking.known_negative, ranking.unlabeled
    positive, negative, unlabeled = (np.diff(count) for count in counts)
    above = np.append(0.0, np.cumsum(monotone_latent(positive, negative, unlabeled, latent)))
    heads = np.append(0, np.cumsum(unlabeled))
    last = int(np.flatnonzero(positive)[-1]) + 1
    return _end(heads[: last + 1], np.minimum(above[: last + 1], latent), latent, heads[-1])


def _end(heads: IntArray, above: FloatArray, latent: int, unlabeled: int) -> Completion:
    """Put what has no room above the last known example right after it."""
    end = min(ceil(heads[-1] + latent - above[-1] - ROUNDING), unlabeled)
    corners = np.concatenate([heads, [end, unlabeled]])
    return Completion(corners, np.concatenate([above, [latent, latent]]))


def edges_of(
    unlabeled: IntArray, known: FloatArray, size: IntArray, last: IntArray, owner: IntArray
) -> Edges:
    """Return edges, upper and lower in turn; those of untied blocks are one place.

    Above each there are so many unlabeled examples, and known ones, each counting what it stands
    for, of n in all, the `size` of the ranking. The others are as in `Edges`.
    """
    pairs = known.reshape(-1, 2)
    untied = unlabeled[::2] == unlabeled[1::2]
    middle = (pairs[:, :1] + pairs[:, 1:]) / 2
    counted = np.where(untied[:, np.newaxis], middle, pairs)
    share = np.clip((counted.ravel() - 0.25) / (size - 0.5), 0, 1)
    return Edges(unlabeled, share, last, size > 1, owner)


def _find_edges(ranking: Ranking) -> Edges:
    """Return the edges of the blocks that hold known positives."""
    known, unlabeled = ranking.known_positive, ranking.unlabeled
    blocks = np.flatnonzero(np.diff(known))
    sides = np.stack([blocks, blocks + 1], axis=1).ravel()
    counted, heads = weigh_known(ranking, known[sides]), unlabeled[sides]
    return edges_of(heads, counted, known[-1:], heads[-1:], np.zeros(1, np.int64))


def weigh_known(ranking: Ranking, known: IntArray) -> FloatArray:
    """Count what known positives stand for in place of their number, where labels are weighted."""
    weight = ranking.unequal_weight
    if weight is None:
        return known.astype(np.float64)
    through = np.append(0.0, np.cumsum(latent_shares(weight, float(weight.size))))
    return through[known]


def latent_above(edges: Edges, latent: IntArray, unlabeled: IntArray) -> FloatArray:
    """Return the latent positives above each edge.

    `latent` and `unlabeled` have a number for each ranking.
    """
    head, owner = edges.unlabeled, edges.owner
    hidden, free, apart = latent, unlabeled - latent, 0.0 * owner
    if latent.size > 1:  # rankings stand so far apart that the limits of one never reach another
        hidden, free = hidden[owner], free[owner]
        apart = owner * (2.0 * float(unlabeled.max()) + 1)
    raw = head - hidden * edges.share
    raw += apart
    false: FloatArray = np.minimum.accumulate(raw[::-1])[::-1]
    false += np.maximum.accumulate(raw, out=raw)
    false /= 2
    false -= apart
    np.clip(false, np.maximum(head - hidden, 0), np.minimum(head, free), out=false)
    # One known positive alone says nothing of where the last one is.
    highest = np.where(edges.several, np.maximum(edges.last - hidden, 0), free)
    np.minimum(false, highest, out=false)
    return head - false


def monotone_latent(
    known: IntArray, negatives: IntArray, unlabeled: IntArray, m: float
) -> FloatArray:
    """Return how many of the unlabeled examples of each step are expected to be positive.

    A step holds the examples between two cutoffs, the best first: known positives, known
    negatives, unlabeled. `m` of the unlabeled are positive, all in all.

    Notes
    -----
    Labels are a random sample: of the examples of one score the share q that is known as positive
    is proportional to that of the positives, and never rises from the best score down. The
    isotonic regression of "is a known positive" on the rank estimates it [1]_. Of the unlabeled
    ones there the share that is positive is then proportional to q/(1 - q), and at most 1: a
    factor makes the shares sum to `m`. They fall from step to step, so that they are 1 up to some
    step, and the factor is (m - unlabeled up to there)/(sum of q/(1 - q) beyond). What no step
    with q > 0 can hold is spread evenly over the others; a completion puts it right after the last
    known positive.

    References
    ----------
    .. [1] R. E. Barlow, D. J. Bartholomew, J. M. Bremner, H. D. Brunk, *Statistical Inference
       under Order Restrictions*, Wiley (1972).

    Examples
    --------
    >>> known, unlabeled = np.array([3, 1, 0]), np.array([2, 9, 10])
    >>> monotone_latent(known, 0 * known, unlabeled, 4.0)
    array([2., 2., 0.])
    >>> monotone_latent(known, 0 * known, unlabeled, 13.0)
    array([2., 9., 2.])
    """
    odds = _odds(known, known + negatives + unlabeled)
    weighted = unlabeled * odds
    full = np.cumsum(unlabeled) - unlabeled  # above each step
    left = np.cumsum(weighted[::-1])[::-1]
    # From the first step on that is not full. Steps without an example between scale nothing.
    open_ = (weighted > 0) & ((m - full) * odds <= left)
    if not open_.any():
        held = np.where(odds > 0, unlabeled, 0).astype(np.float64)
        others: FloatArray = unlabeled - held
        share = max(m - float(held.sum()), 0.0) / max(float(others.sum()), 1.0)
        return held + share * others
    first = int(np.argmax(open_))
    factor = max(m - full[first], 0.0) / left[first]
    return np.where(np.arange(known.size) < first, unlabeled, factor * weighted)


def _odds(known: IntArray, size: IntArray) -> FloatArray:
    """Return the odds of being known as positive in each step, never rising; 0 where all are."""
    odds = np.zeros(size.size)
    held = np.flatnonzero(size)
    if held.size:
        share, weight = known[held] / size[held], size[held].astype(np.float64)
        blocks = scipy.optimize.isotonic_regression(share, weights=weight, increasing=False).blocks
        positive, all_ = (np.add.reduceat(each[held], blocks[:-1]) for each in (known, size))
        odds[held] = np.repeat(positive / np.maximum(all_ - positive, 1), np.diff(blocks))
        odds[held] *= np.repeat(positive < all_, np.diff(blocks))
    return odds

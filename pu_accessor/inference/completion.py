"""Estimate where the hidden positives rank: one possible labeling of the unlabeled examples.

All rates and areas come from it, so none leaves [0, 1] and none contradicts another. With t of n
known positives above the edge of a block of tied scores, (t - 1/4)/(n - 1/2) of the m hidden ones
are expected above. False positives never fall down the ranking: the estimate is the middle of the
running minimum and maximum. No hidden positive ranks below the last known one while there is room
above. Monotone scores use isotonic regression [1].

[1] R. E. Barlow et al., Statistical Inference under Order Restrictions, Wiley (1972).
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.known_positives import hidden_shares
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking, increments

COUNT_TOLERANCE = 1e-6  # rounding error of estimated counts


class Edges(NamedTuple):
    """Both edges of each block of ties with known examples, best first, of some rankings."""

    unlabeled: IntArray  # examples above the edge
    share: FloatArray  # of the hidden positives, expected above it
    last: IntArray  # unlabeled examples above the last edge of the ranking
    several: BoolArray  # whether the ranking has several known examples
    owner: IntArray  # index of the ranking, ascending


class Completion(NamedTuple):
    """Hidden positives at each rank: linear between corners."""

    unlabeled: IntArray  # examples above the corner, from 0 to all
    hidden: FloatArray  # positives among them

    def above(self, unlabeled: IntArray) -> FloatArray:
        """Return the hidden positives among the first unlabeled examples."""
        return np.interp(unlabeled, self.unlabeled, self.hidden)


def complete(
    ranking: Ranking, hidden: IntArray, kinds: Sequence[str] | None = None
) -> list[Completion]:
    """Return the completed labeling of a ranking, for each number of hidden positives."""
    whole = ranking.whole or ranking
    unlabeled, kinds = whole.total.unlabeled, kinds or ("positives",) * hidden.size
    reversed_ = reverse_ranking(whole) if "negatives" in kinds else whole
    by_kind = {"positives": whole, "negatives": reversed_}
    edges = {} if whole.monotone else {kind: _block_edges(by_kind[kind]) for kind in {*kinds}}

    def complete_one(kind: str, m: int) -> Completion:
        of_kind = m if kind == "positives" else unlabeled - m
        if whole.monotone:
            completed = _complete_monotone(by_kind[kind], of_kind)
        else:
            heads = edges[kind].unlabeled
            above = hidden_positives_above(edges[kind], np.array([of_kind]), np.array([unlabeled]))
            completed = _add_end(heads, above, of_kind, unlabeled)
        if kind == "positives":
            return completed
        # Convert hidden negatives from the bottom to hidden positives from the top.
        corners = completed.unlabeled[-1] - completed.unlabeled[::-1]
        return Completion(corners, corners - (of_kind - completed.hidden[::-1]))

    return [complete_one(kind, m) for kind, m in zip(kinds, hidden.tolist(), strict=False)]


def reverse_ranking(ranking: Ranking) -> Ranking:
    """Return a ranking from the bottom, with known negatives in place of known positives."""
    n, negatives, unlabeled = ranking.total
    counts = {
        name: count[-1] - count[::-1]
        for name, count in (
            ("known_positive", ranking.known_negative),
            ("known_negative", ranking.known_positive),
            ("unlabeled", ranking.unlabeled),
        )
    }
    total = Counts(negatives, n, unlabeled)
    return replace(ranking, **counts, total=total, inverse_propensity=None)


def _complete_monotone(ranking: Ranking, hidden: int) -> Completion:
    """Complete a ranking whose share of positives never rises from the best score down."""
    counts = ranking.known_positive, ranking.known_negative, ranking.unlabeled
    positive, negative, unlabeled = (increments(count) for count in counts)
    above = np.cumsum(monotone_hidden(positive, negative, unlabeled, hidden))
    heads, last = np.cumsum(unlabeled), int(np.flatnonzero(positive)[-1]) + 1
    return _add_end(heads[:last], np.minimum(above[:last], hidden), hidden, heads[-1])


def _add_end(heads: IntArray, above: FloatArray, hidden: int, unlabeled: int) -> Completion:
    """Add both ends: hidden positives without room above rank after the last known one."""
    end = min(ceil(heads[-1] + hidden - above[-1] - COUNT_TOLERANCE), unlabeled)
    corners = np.concatenate([[0], heads, [end, unlabeled]])
    return Completion(corners, np.concatenate([[0.0], above, [hidden, hidden]]))


def make_edges(
    unlabeled: IntArray, known: FloatArray, size: IntArray, last: IntArray, owner: IntArray
) -> Edges:
    """Return edges, upper and lower in turn; an untied known positive counts half at its edges."""
    pairs = known.reshape(-1, 2)
    untied = unlabeled[::2] == unlabeled[1::2]
    counted = np.where(untied[:, np.newaxis], (pairs[:, :1] + pairs[:, 1:]) / 2, pairs)
    share = np.clip((counted.ravel() - 0.25) / (size - 0.5), 0, 1)
    return Edges(unlabeled, share, last, size > 1, owner)


def _block_edges(ranking: Ranking) -> Edges:
    """Return the edges of the blocks with known positives."""
    known, unlabeled = ranking.known_positive, ranking.unlabeled
    blocks = np.flatnonzero(increments(known))
    sides = np.repeat(blocks, 2)
    sides[1::2] += 1
    counted, heads = represented_positives(ranking, known[sides]), unlabeled[sides]
    return make_edges(heads, counted, known[-1:], heads[-1:], np.zeros(1, np.int64))


def represented_positives(ranking: Ranking, known: IntArray) -> FloatArray:
    """Return the known positives above, weighted by what they represent."""
    weight = ranking.unequal_weight
    if weight is None:
        return known.astype(np.float64)
    return np.append(0.0, np.cumsum(hidden_shares(weight, float(weight.size))))[known]


def hidden_positives_above(edges: Edges, hidden: IntArray, unlabeled: IntArray) -> FloatArray:
    """Return the hidden positives above each edge, given two numbers for each ranking."""
    head, owner = edges.unlabeled, edges.owner
    hidden, negatives = hidden[owner], (unlabeled - hidden)[owner]
    # So far apart that the running limits of one do not affect another.
    offset = owner * (2.0 * float(unlabeled.max()) + 1)
    raw = head - hidden * edges.share
    raw += offset
    false: FloatArray = np.minimum.accumulate(raw[::-1])[::-1]
    false += np.maximum.accumulate(raw, out=raw)
    false /= 2
    false -= offset
    np.clip(false, np.maximum(head - hidden, 0), np.minimum(head, negatives), out=false)
    # A single known positive does not show where the last one is.
    most = np.where(edges.several, np.maximum(edges.last - hidden, 0), negatives)
    np.minimum(false, most, out=false)
    return head - false


def monotone_hidden(
    known: IntArray, negatives: IntArray, unlabeled: IntArray, m: float
) -> FloatArray:
    """Return the hidden positives of each step, of m in all, if scores are monotone."""
    # Proportional to q/(1 - q), q the isotonic regression of known positives on the rank [1].
    size = known + negatives + unlabeled
    odds, nonempty = np.zeros(size.size), np.flatnonzero(size)
    if nonempty.size:  # odds q/(1 - q), 0 where all are known positives
        share, weight = known[nonempty] / size[nonempty], size[nonempty].astype(np.float64)
        blocks = scipy.optimize.isotonic_regression(share, weights=weight, increasing=False).blocks
        positive, all_ = (np.add.reduceat(each[nonempty], blocks[:-1]) for each in (known, size))
        odds[nonempty] = np.repeat(positive / np.maximum(all_ - positive, 1), increments(blocks))
        odds[nonempty] *= np.repeat(positive < all_, increments(blocks))
    weighted = unlabeled * odds
    full = np.cumsum(unlabeled) - unlabeled  # above each step
    weighted_below = np.cumsum(weighted[::-1])[::-1]
    # Steps before the first one that is not full are all positive.
    not_full = (weighted > 0) & ((m - full) * odds <= weighted_below)
    if not not_full.any():
        filled = np.where(odds > 0, unlabeled, 0).astype(np.float64)
        rest: FloatArray = unlabeled - filled
        part = max(m - float(filled.sum()), 0.0) / max(float(rest.sum()), 1.0)
        return filled + part * rest
    first = int(np.argmax(not_full))
    factor = max(m - full[first], 0.0) / weighted_below[first]
    return np.where(np.arange(known.size) < first, unlabeled, factor * weighted)

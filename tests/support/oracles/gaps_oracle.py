"""Slow references for latent positives that are shared out at random to gaps between known ones.

Random shares have a weighted sum whose quantiles are those of a saddlepoint; of average precision
there are draws, that are put in place one by one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from tests.support.oracles import completion_oracle, estimates_oracle, oracle
from tests.support.oracles.completion_oracle import Labels, Scores
from tests.support.oracles.estimates_oracle import Beta

SEED, DRAWS = 150406837, 1000  # of the method
Draws = npt.NDArray[np.float64]
Limits = tuple[float, float]
Quantile = Callable[[list[float], float], float]
Sums = Callable[[Draws], Draws]
SIDES = estimates_oracle.positives, estimates_oracle.negatives


def saddlepoint(values: Sequence[float], tail: float, shapes: Any = 1, scales: Any = 1) -> float:
    """Return the same by a saddlepoint, for values weighted by gamma variables over their sum.

    The mean of values is at most x where the sum S of (value - x)*G is at most 0, of which the
    cumulants' generating function is known. Shapes and scales are 1 if nothing is said.
    """
    value = np.array(values, float)
    shape, scale = (np.ones(value.size) * one for one in (shapes, scales))

    def excess(x: float) -> float:
        apart = scale * (value - x)

        def slope(tilt: float) -> float:
            return float(np.sum(shape * apart / (1 - tilt * apart)))

        start, stop = ((1 - 1e-12) / float(end) for end in (apart.min(), apart.max()))
        tilt = optimize.brentq(slope, start, stop, xtol=1e-300, rtol=1e-14)
        way = math.copysign(math.sqrt(2 * float(np.sum(shape * np.log1p(-tilt * apart)))), tilt)
        width = math.sqrt(float(np.sum(shape * (apart / (1 - tilt * apart)) ** 2)))
        return float(way + math.log(tilt * width / way) / way - special.ndtri(tail))

    low, high = float(value.min()), float(value.max())
    edge = 1e-7 * (high - low)  # nearer there is the end itself
    if low == high or not excess(low + edge) < 0 < excess(high - edge):
        return low if tail < 0.5 else high
    return float(optimize.brentq(excess, low + edge, high - edge, rtol=1e-13))


def in_groups(values: Sequence[float]) -> tuple[list[float], list[int]]:
    """Return values and how often each is there: of many all but 200 at each end are 200 means."""
    size = len(values)
    edges = [*range(200), *(200 + int(step * (size - 400) / 200) for step in range(200))]
    edges = [*edges, *range(size - 200, size + 1)] if size > 600 else [*range(size + 1)]
    parts = [values[begin:stop] for begin, stop in pairwise(edges)]
    return [sum(part) / len(part) for part in parts], [len(part) for part in parts]


def beyond(ranks: Sequence[float], size: int) -> Limits:
    """Return how far above and below known positives latent ones may lie."""
    way = min(2.5 / len(ranks), 1)
    far = min(max(2 * ranks[-1] - ranks[0], ranks[-1] + way * (size - ranks[-1])), size)
    near = max(min(2 * ranks[0] - ranks[-1], ranks[0] - way * (ranks[0] - 1)), 1)
    return near, far


def quantile_of_few(values: Sequence[float], tail: float, latent: float, find: Quantile) -> float:
    """Return a quantile of the mean of so many latent positives that are shared out to gaps."""
    mean = sum(values) / len(values)
    return mean + math.sqrt(1 + len(values) / latent) * (find(list(values), tail) - mean)


def limits_of_ranks(
    ranks: Sequence[float], latent: float, size: int, tails: Limits, quantile: Quantile
) -> Limits:
    """Return limits of the mean rank of latent positives in gaps of equal parts, on average."""
    near, far = beyond(ranks, size)
    middles = [(a + b) / 2 for a, b in pairwise(ranks)]
    low = quantile_of_few([near, *middles, (ranks[-1] + far) / 2], tails[0], latent, quantile)
    high = quantile_of_few([(near + ranks[0]) / 2, *middles, far], tails[1], latent, quantile)
    return low, high


def limits_of_weighted_ranks(
    ranks: Sequence[float], weight: Sequence[float], latent: float, size: int, level: float
) -> Limits:
    """Return the same where each known positive stands for a gamma variable."""
    hidden = np.array(weight) - 1
    share = latent * hidden / hidden.sum()

    def limit(place: float, stands: Draws, tail: float) -> float:
        mean = np.append(share, unseen(stands) - 1).clip(min=1e-9)
        return saddlepoint([*ranks, place], tail / 2, mean / (1 + mean), 1 + mean)

    near, far = beyond(ranks, size)
    return limit(near, 1 + share[::-1], 1 - level), limit(far, 1 + share, 1 + level)


def unseen(stands: Draws) -> float:
    """Return the weight of one that lies below all of some and was not seen."""
    half = min(10, stands.size // 2)
    logs = np.log(stands[-2 * half :])
    growth = logs[half:].mean() - logs[:half].mean()
    return float(stands[-10:].max() * math.exp(max(growth, 0)))


def auroc(scores: Scores, labels: Labels, beta: float, level: float) -> Limits:
    """Return the limits that latent positives make of AUROC; beta above 0."""
    p, q = (float(side(labels, beta)) for side in SIDES)
    known = estimates_oracle.blocks(scores, labels)
    ranks = sorted((start + end + 1) / 2 for start, end in known)
    tails, m = ((1 - level) / 2, (1 + level) / 2), p - len(ranks)
    best, worst = limits_of_ranks(ranks, m, len(scores), tails, saddlepoint)
    low, high = (1 - ((sum(ranks) + m * latent) / p - (p + 1) / 2) / q for latent in (worst, best))
    return low, high


def possible_aurocs(scores: Scores, labels: Labels, beta: float) -> Limits:
    """Return AUROC with all latent positives at the bottom, and at the top.

    Unlabeled ones that tie with no known one are all apart.
    """
    p, q = (side(labels, beta) for side in SIDES)
    steps, found = oracle.cutoffs(scores, labels), [Fraction(0), Fraction(0)]
    m, unlabeled = p - steps[-1].known_positive, steps[-1].unlabeled
    for a, b in pairwise(steps):
        is_apart = b.unlabeled - a.unlabeled == b.rank - a.rank
        for best in (False, True):
            low, high = (
                step.known_positive
                + (min(step.unlabeled, m) if best else max(step.unlabeled - unlabeled + m, 0))
                for step in (a, b)
            )
            height = (high if best else low) if is_apart else (low + high) / Fraction(2)
            found[best] += (b.rank - a.rank - (high - low)) * height / (p * q)
    return float(found[0]), float(found[1])


def early(
    metric: str, scores: Scores, labels: Labels, beta: Beta, how: float, level: float
) -> tuple[float, float, Limits]:
    """Return BEDROC or NDCG if all rank as known ones do, its error and its limits; beta above 0.

    Latent positives have weights of known ones, or at the far end one that no known one has.
    """
    size, p = len(scores), float(estimates_oracle.positives(labels, beta))
    each = completion_oracle.weights(metric, size, how)
    ends = each(size - p, p) if metric == "bedroc" else 0.0, each(0, p)

    def weight(start: float, length: float) -> float:
        return (each(start, length) - ends[0]) / (ends[1] - ends[0])

    blocks = estimates_oracle.blocks(scores, labels)
    known = [weight(start, end - start) for start, end in blocks]
    n, latent, found = len(known), p - len(known), []
    worst, best = weight(size - latent, latent), weight(0, latent)
    for start, tail in ((size - 1, 1 - level), (0, 1 + level)):
        limit = quantile_of_few([*known, weight(start, 1)], tail / 2, latent, saddlepoint)
        found.append((sum(known) + latent * min(max(limit, worst), best)) / p)
    error = float(np.std(known, ddof=1)) * math.sqrt((1 - n / p) / n) if n > 1 else math.nan
    return sum(known) / n, error, (found[0], found[1])


def average_precision(scores: Scores, labels: Labels, latent: int, level: float) -> Limits:
    """Return the limits that draws of latent positives make of average precision."""
    known = estimates_oracle.blocks(scores, labels)
    blocks = [(known.count(one), *one) for one in sorted(set(known))]
    (number, start, end), second = blocks[0], blocks[min(1, len(blocks) - 1)]
    first = min(end**2 / (2 * (end if number > 1 else second[2])), start)
    first *= max(1 - 10 / len(known), 0)
    worst, best = drawn_precisions(blocks, len(scores), latent, first)
    below = (1 - level) / 2 * (DRAWS - 1)
    high = float(np.sort(best)[math.ceil(DRAWS - 1 - below)])
    return float(np.sort(worst)[math.floor(below)]), min(high, 1.0)


def harmonic(number: Draws) -> Draws:
    """Return harmonic numbers, less a constant, as the method has them."""
    return np.asarray(np.log(number + 0.5 + 1 / (24 * number + 12)))


def drawn_precisions(
    blocks: Sequence[Any], examples: int, latent: int, first: float, sums: Sums = harmonic
) -> tuple[Draws, Draws]:
    """Draw average precision with latent positives at the worst and the best places of gaps.

    Blocks of ties are the known positives in each, and the examples above it, and above its end.
    Those of the first gap come after the place `first` at best. The draws are those that are part
    of the method: a thousand, from its seed.
    """
    n, size = sum(found for found, _, _ in blocks), len(blocks)

    def at_the_end(number: Draws) -> Draws:
        above = n + latent - number
        return _run(number, above, np.maximum(examples - number, above), sums)

    edges, each = _shared_out(blocks, latent)
    low, high = np.zeros(DRAWS), np.zeros(DRAWS)
    known, passed, before = 0, np.zeros(DRAWS), next(each)  # known and latent ones above
    crowded = np.maximum(before - blocks[0][1], 0)
    high += _run(before - crowded, 0, first, sums)
    for number, (found, start, end) in enumerate(blocks[: edges[0]]):
        within = next(each)
        after = next(each) if number < edges[0] - 1 or edges == [size] else 0 * within
        is_last = number == size - 1
        room = np.maximum(end - start - found - within, 0)
        lost = np.maximum(after - (examples - end), 0) if is_last else 0 * after
        # At worst latent ones are at the end of their gap, tied with what follows.
        tied = np.minimum(before, room)
        above, free = known + passed, before - tied
        low += _run(free, above, np.maximum(start - free, above), sums)
        through = known + found + passed + before + within + lost
        low += (found + within + tied + lost) * np.minimum(through / end, 1)
        if is_last:
            low += at_the_end(after - lost)
        # At best at its start, tied with what precedes.
        tied = np.minimum(after, room)
        through = known + found + passed + before + within + tied
        high += (found + within + tied) * through / end
        high += crowded * through / end if number == 0 else 0
        high += _run(after - tied, through, end, sums)
        known, passed, before = known + found, passed + before + within, after
    for begin, stop in pairwise(edges):
        inside, many, shared = 0, sum(found for found, _, _ in blocks[begin:stop]), next(each)
        spread = np.zeros(DRAWS)
        for found, _, end in blocks[begin:stop]:
            inside += found
            spread += found * (known + inside + passed + shared * inside / many) / end
        high += (1 + shared / many) * spread
        low += (1 + shared / many) * np.minimum(spread, many)
        known, passed = known + many, passed + shared
    if size > 90:
        after = next(each)
        low += at_the_end(after)
        high += _run(after, n + latent - after, blocks[-1][2], sums)
    return low / (n + latent), high / (n + latent)


def _shared_out(blocks: Sequence[Any], latent: int) -> tuple[list[int], Iterator[Draws]]:
    """Return the edges of groups of blocks, and draws of the latent positives of each gap."""
    size = len(blocks)
    edges = [size]
    if size > 90:  # the same ratio of each place to the next, as far as they are whole
        edges = sorted({round(60 * (size / 60) ** (step / 30)) for step in range(31)})
    # One before each block that stands for itself, some within; groups; one at the end.
    gaps = [one for found, _, _ in blocks[: edges[0]] for one in (1, found - 1)]
    gaps += [sum(one[0] for one in blocks[begin:stop]) for begin, stop in pairwise(edges)]
    rng = np.random.default_rng(SEED)  # shared out to units of several gaps each
    parts = rng.standard_gamma(np.array([*gaps, 1], float), (DRAWS, len(gaps) + 1))
    return edges, iter(rng.multinomial(latent, parts / parts.sum(axis=1, keepdims=True)).T * 1.0)


def _run(number: Draws, positives: Any, rank: Any, sums: Sums) -> Draws:
    """Return the sum of (P + j)/(r + j) over j = 1..number, that come right after a rank."""
    start = 0 * number + rank
    return np.asarray(number - (start - positives) * (sums(start + number) - sums(start)))


def drawn_weighted(
    end: Sequence[int], last: Sequence[int], weight: Sequence[float], latent: float, sums: Sums
) -> tuple[Draws, Draws]:
    """Draw average precision where known positives stand for gamma variables, at both ends.

    The draws are part of the method: a thousand for each end, that are quantiles of each variable
    at evenly spread probabilities, in orders from its seed.
    """
    n, ends, hidden = len(end), np.array(end), np.array(weight) - 1
    order = np.tile(np.arange(DRAWS)[:, np.newaxis], n + 1)
    order = np.random.default_rng(SEED).permuted(order, axis=0)
    share = latent * hidden / hidden.sum()

    def draw(beyond: float, times: float) -> Draws:
        mean = np.append(share, beyond - 1).clip(min=1e-9)
        shape = mean / (1 + mean) * np.append(np.ones(n), times)
        found: Draws = np.asarray(stats.gamma.ppf((order + 0.5) / DRAWS, shape, scale=1 + mean))
        # Where all are too small for a number, one of them is all that there is.
        none = np.flatnonzero(found.sum(axis=1) < 1e-290)
        if none.size:
            one = np.random.default_rng(SEED).choice(n + 1, none.size, p=shape / shape.sum())
            found[none] = np.eye(n + 1)[one]
        return np.asarray(found * latent / found.sum(axis=1, keepdims=True))

    above = unseen(1 + share[::-1])
    found = draw(above, min(max(above / (4 * (1 + share.mean())), 1.0), 3.0))
    top, found = found[:, n], found[:, :n]
    first = end[0] ** 2 / (2 * end[1]) * max(1 - 10 / n, 0)
    through = np.stack([top + (1 + found[:, :k]).sum(axis=1) for k in last], axis=1)
    high = ((1 + found) * through / ends).sum(axis=1)
    high += _run(top, 0, first, sums)
    found = draw(unseen(1 + share), 1.0)[:, :n]
    through = np.stack([(1 + found[:, :k]).sum(axis=1) for k in last], axis=1) - found / 2
    low = ((1 + found) * np.minimum(through / ends, 1)).sum(axis=1)
    return low / (n + latent), high / (n + latent)

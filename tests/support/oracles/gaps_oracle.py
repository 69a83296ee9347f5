"""Slow references for areas of this sample, of which known positives are a part.

A mean over all positives has limits of a mean in [0, 1]; of average precision there are draws of
the latent positives between known ones, that are put in place one by one.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from tests.support.oracles import completion_oracle, estimates_oracle, oracle
from tests.support.oracles.completion_oracle import Labels, Scores
from tests.support.oracles.estimates_oracle import Beta

SEED, DRAWS = 150406837, 1000  # of the method
Draws = npt.NDArray[np.float64]
Limits = tuple[float, float]
SIDES = estimates_oracle.positives, estimates_oracle.negatives


def unseen(stands: Draws) -> float:
    """Return the weight of one that lies below all of some and was not seen."""
    half = min(10, stands.size // 2)
    logs = np.log(stands[-2 * half :])
    growth = logs[half:].mean() - logs[:half].mean()
    return float(stands[-10:].max() * math.exp(max(growth, 0)))


def quantile_of_mean(mean: float, scatter: float, size: float, more: float, tail: float) -> float:
    """Return a quantile of a mean in [0, 1], of so many values that scatter around it.

    A beta distribution has the mean and the variance of the Bayesian bootstrap where so much more
    counts an unseen value, at 0 for quantiles below the middle, and at 1 for those above it.
    """
    end, total = float(tail > 0.5), size + more
    if abs(mean - end) <= 1e-12:
        return end
    center = (size * mean + more * end) / total
    square = (scatter + size * more / total * (mean - end) ** 2) / total
    nu = center * (1 - center) * (total + 1) / square - 1
    return float(stats.beta.ppf(tail, center * nu, (1 - center) * nu))


def limits_of_mean(values: Draws, latent: Draws, level: float) -> Limits:
    """Return limits of the mean of all positives, if known ones stand for latent ones.

    Values of known ones, best first, are in [0, 1].
    """
    stands, n = 1 + latent, values.size
    share = stands / stands.sum()
    mean, size = float(share @ values), float(1 / (share @ share))
    off = (values - latent @ values / latent.sum()) / (1 - share)
    each = (n - 1) / n * stands * off**2 / float(stands.sum()) ** 2
    # Of the distance from the mean a part is left, as the positives are not many.
    part, scatter = math.sqrt(each @ latent / (each @ stands)), float(each @ stands) * size
    limits = []
    for tail, ordered in (((1 - level) / 2, stands), ((1 + level) / 2, stands[::-1])):
        more = unseen(ordered) / float(stands.mean()) / 2
        limit = quantile_of_mean(mean, (size - 1) * scatter, size, more, tail)
        limits.append(mean + part * (limit - mean))
    return limits[0], limits[1]


def auroc(ranks: Draws, latent: Draws, size: int, level: float) -> Limits:
    """Return the limits of AUROC if known positives, best first, stand for latent ones."""
    positives = ranks.size + float(latent.sum())
    below = limits_of_mean(1 - (ranks - 0.5) / size, latent, level)
    low, high = (
        1 - ((1 - one) * size + 0.5 - (positives + 1) / 2) / (size - positives) for one in below
    )
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

    Latent positives have weights between those of the last and the first ranks.
    """
    size, p = len(scores), float(estimates_oracle.positives(labels, beta))
    each = completion_oracle.weights(metric, size, how)
    ends = each(size - p, p) if metric == "bedroc" else 0.0, each(0, p)

    def weight(start: float, length: float) -> float:
        return float((each(start, length) - ends[0]) / (ends[1] - ends[0]))

    blocks = estimates_oracle.blocks(scores, labels)
    known = np.array([weight(start, end - start) for start, end in blocks])
    n, latent, value, limits = known.size, p - known.size, float(known.mean()), []
    last, part = weight(size - 1, 1), math.sqrt(1 - n / p)
    span = weight(0, 1) - last
    for start, tail in ((size - latent, 1 - level), (0, 1 + level)):
        farthest = (known.sum() + latent * weight(start, latent)) / p
        scatter = n * float(known.var()) / span**2
        limit = quantile_of_mean((value - last) / span, scatter, n, 1.0, tail / 2)
        limit = value + part * (last + span * limit - value)
        limits.append((min if start == 0 else max)(limit, farthest))
    error = float(np.std(known, ddof=1)) * part / math.sqrt(n) if n > 1 else math.nan
    return value, error, (limits[0], limits[1])


def average_precision(
    scores: Scores, labels: Labels, each: Draws, latent: int, level: float
) -> Limits:
    """Return the limits that draws of latent positives make of average precision.

    There are `latent` of them; known positives, best first, stand for `each` in the mean.
    """
    known = sorted(estimates_oracle.blocks(scores, labels))
    blocks = [(known.count(one), *one) for one in sorted(set(known))]
    (number, start, end), second = blocks[0], blocks[min(1, len(blocks) - 1)]
    first = min(end**2 / (2 * (end if number > 1 else second[2])), start)
    first *= max(1 - 10 / len(known), 0)
    worst, best = drawn_precisions(blocks, len(scores), each, latent, first)
    below = (1 - level) / 2 * (DRAWS - 1)
    high = float(np.sort(best)[math.ceil(DRAWS - 1 - below)])
    return float(np.sort(worst)[math.floor(below)]), min(high, 1.0)


def drawn_precisions(
    blocks: Sequence[Any], examples: int, each: Draws, latent: int, first: float
) -> tuple[Draws, Draws]:
    """Draw average precision with latent positives at the worst and the best places of gaps.

    Blocks of ties are the known positives in each, and the examples above it, and above its end.
    Latent ones of a gap are tied with a known positive as far as its block has room, and of those
    that no known one stands for none is beyond the first or the last rank.
    """
    p, top, bottom = each.size + latent, blocks[0][1], blocks[-1][2]
    edges, beyond, mean = edges_of_groups(blocks), [], 1 + float(each.mean())
    for stands in (unseen(1 + each), unseen(1 + each[::-1])):
        beyond.append((stands - 1) * math.sqrt(max(stands / mean, 1)))
    low, high = np.zeros(DRAWS), np.zeros(DRAWS)
    beside, within, grouped, apart = shared_out(blocks, edges, each, latent, beyond[0])
    (grouped if len(edges) > 1 else within)[-1] += np.maximum(apart - (examples - bottom), 0)
    apart = np.minimum(apart, examples - bottom)
    known, passed = 0, np.zeros(DRAWS)
    for (found, start, end), before, tied in zip(blocks, beside, within, strict=False):
        inside = np.minimum(before, np.maximum(end - start - found - tied, 0))
        free, above = before - inside, known + passed
        low += run(free, above, np.maximum(start - free, above))
        known, passed = known + found, passed + before + tied
        low += (found + tied + inside) * np.minimum((known + passed) / end, 1)
    for number, many, spread in groups(blocks, edges, grouped, passed):
        low += (1 + many / number) * np.minimum(spread, number)
    low += run(apart, p - apart, np.maximum(examples - apart, p - apart))
    beside, within, grouped, apart = shared_out(blocks, edges, each, latent, beyond[1])
    within[0] += np.maximum(apart - top, 0)
    apart = np.minimum(apart, top)
    high += run(apart, 0, first)
    known, passed = 0, apart
    for (found, start, end), after, tied in zip(blocks, beside, within, strict=False):
        inside = np.minimum(after, np.maximum(end - start - found - tied, 0))
        known, passed = known + found, passed + tied
        through = known + passed + inside
        high += (found + tied + inside) * through / end + run(after - inside, through, end)
        passed = passed + after
    for number, many, spread in groups(blocks, edges, grouped, passed):
        high += (1 + many / number) * spread
    return low / p, high / p


def edges_of_groups(blocks: Sequence[Any]) -> list[int]:
    """Return the edges of groups of blocks, of which the first stand for themselves."""
    size = len(blocks)
    if size <= 90:
        return [size]  # the same ratio of each place to the next, as far as they are whole
    return sorted({round(60 * (size / 60) ** (step / 30)) for step in range(31)})


def groups(
    blocks: Sequence[Any], edges: Sequence[int], grouped: Draws, passed: Draws
) -> Iterator[tuple[int, Draws, Draws]]:
    """Yield known positives of each group, latent ones, and the sum of precisions of the known."""
    known = sum(found for found, _, _ in blocks[: edges[0]])
    for (begin, stop), many in zip(pairwise(edges), grouped, strict=True):
        inside, number = 0, sum(found for found, _, _ in blocks[begin:stop])
        spread = np.zeros(DRAWS)
        for found, _, end in blocks[begin:stop]:
            inside += found
            spread += found * (known + inside + passed + many * inside / number) / end
        yield number, many, spread
        known, passed = known + number, passed + many


def shared_out(
    blocks: Sequence[Any], edges: Sequence[int], each: Draws, latent: int, beyond: float
) -> tuple[Draws, Draws, Draws, Draws]:
    """Draw latent positives beside blocks, within them, in groups, and beyond all known ones.

    The draws are those that are part of the method: a thousand, from its seed.
    """
    place = np.cumsum([0, *(found for found, _, _ in blocks)])
    stands = [each[a:b] for a, b in pairwise(place)]
    own = [(one.mean(), (one**2).mean(), one.size - 1) for one in stands]
    of_gaps = [(mean, square) for mean, square, _ in own[: edges[0]]]
    of_gaps += [(mean * more, square * more) for mean, square, more in own[: edges[0]]]
    for a, b in pairwise(edges):
        joint = np.concatenate(stands[a:b])
        of_gaps.append((joint.sum(), (joint**2).sum()))
    of_gaps.append((round(beyond, 6), round(beyond, 6) ** 2))
    shape = [round(mean**2 / square, 6) if square else 0.0 for mean, square in of_gaps]
    scale = [mean / k if k else 0.0 for (mean, _), k in zip(of_gaps, shape, strict=True)]
    rng = np.random.default_rng(SEED)
    gammas = rng.standard_gamma(shape, (DRAWS, len(shape))) * scale
    drawn: Draws = rng.multinomial(latent, gammas / gammas.sum(axis=1, keepdims=True)).T.astype(
        float
    )
    size = edges[0]
    return drawn[:size], drawn[size : 2 * size], drawn[2 * size : -1], drawn[-1]


def run(number: Draws, positives: Any, rank: Any) -> Draws:
    """Return the sum of (P + j)/(r + j) over j = 1..number, that come right after a rank."""
    start = 0 * number + rank
    sums = [np.log(each + 0.5 + 1 / (24 * each + 12)) for each in (start + number, start)]
    return np.asarray(number - (start - positives) * (sums[0] - sums[1]))

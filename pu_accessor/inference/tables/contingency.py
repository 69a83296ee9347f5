"""Contingency tables: a ranking, betas and a rule -> bounded counts at each cutoff."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import Interval, interval_betas, latent_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.lookup import RankBand
from pu_accessor.inference.bands.simultaneous import local_alpha_within
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.latent_bounds import bound_latent, references_used
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking

BOUNDS = ("lower", "estimate", "upper")
_ESTIMATE = BOUNDS.index("estimate")
_AT_ONCE = 1 << 22  # bounds at some cutoffs and betas that are computed together
_ENDS = [BOUNDS.index("lower"), BOUNDS.index("upper")]


class Table(NamedTuple):
    """Contingency tables: four arrays of int64, in examples."""

    tp: IntArray
    fp: IntArray
    fn: IntArray
    tn: IntArray


class Inner(NamedTuple):
    """The bounds at betas within an interval."""

    betas: FloatArray  # both ends of the interval among them
    tp: IntArray  # shape (cutoffs, 2, betas), the lower bound first
    positives: IntArray
    kinks: IntArray  # pairs of both where bounds bend, shape (cutoffs, 2, kinks, 2)


@dataclass(frozen=True, eq=False)
class Tables:
    """Bounded contingency tables of one ranking."""

    ranking: Ranking  # with the cutoffs at which bounds bend
    betas: FloatArray
    tp: IntArray  # shape (cutoffs, 3, betas)
    fp: IntArray
    positives: IntArray  # known and latent ones, shape (betas,)
    negatives: IntArray
    clipped: BoolArray  # where band and beta are infeasible
    tightest: tuple[str, ...]  # for each beta the known examples with the narrower range of AUROC
    local_alpha: FloatArray | None = None  # of each cutoff, where all hold jointly
    inner: Inner | None = None  # at betas within an interval

    @property
    def table(self) -> Table:
        """The four counts, shape (cutoffs, 3, betas)."""
        return Table(self.tp, self.fp, self.positives - self.tp, self.negatives - self.fp)


class RankCdf(NamedTuple):
    """The rank CDF of the latent positives."""

    ranking: Ranking  # with the cutoffs at which it bends
    share: FloatArray  # of latent positives, shape (cutoffs, 3, betas); NaN: there are none
    tightest: tuple[str, ...]  # these two as in `Tables`
    local_alpha: FloatArray | None


def make_tables(
    ranking: Ranking, betas: FloatArray, rule: Settings, interval: Interval | None = None
) -> Tables:
    """Bound the contingency table at each cutoff of a ranking ([1]_, Theorem 1 and section 4).

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
    """
    inside = interval_betas(interval, betas)
    check_labels(betas, ranking.total, references_used(rule.reference, ranking))
    total, points = ranking.total, slice(betas.size)
    latent = latent_counts(betas, total.unlabeled)
    within = _within(inside, total.unlabeled)
    latent = np.concatenate([latent, within])
    positives = total.known_positive + latent
    first, *others = _split(latent, betas.size, ranking.rank.size)
    for part in [first, *others] if others else []:  # add all cutoffs, then count at them
        ranking = bound_latent(ranking, part, rule).ranking
    bounds = bound_latent(ranking, first, rule, refine=not others)
    inner = None
    if inside.size:
        ends = np.empty((bounds.ranking.rank.size, len(_ENDS), within.size), np.int64)
        start = first.size - betas.size
        ends[..., :start] = bounds.possible[:, _ENDS, betas.size :]
        for part in others:
            further = bound_latent(ranking, part, rule, refine=False)
            ends[..., start : start + part.size] = further.possible[:, _ENDS]
            start += part.size
        inner = _inner(bounds.ranking, inside, ends, within)
    ranking, tightest = bounds.ranking, bounds.tightest
    clipped, in_head = bounds.clipped[..., points], bounds.possible[..., points]
    del bounds  # the claims take as much memory as the counts at all cutoffs
    return Tables(
        ranking,
        betas,
        *_predicted(ranking, in_head.copy() if inside.size else in_head),
        positives[points],
        (sum(total) - positives)[points],
        clipped,
        tightest[points],
        _local_alphas(total, latent[points], tightest, rule),
        inner,
    )


def _within(inside: FloatArray, unlabeled: int) -> IntArray:
    """Return latent positives at betas within an interval, and just beyond both ends."""
    latent = latent_counts(inside, unlabeled)
    if not latent.size:
        return latent
    below, above = beyond_ends(latent, unlabeled)
    return np.concatenate([[below], latent, [above]])


def _inner(ranking: Ranking, betas: FloatArray, in_head: IntArray, latent: IntArray) -> Inner:
    """Make tables of the latent positives in the head at betas within an interval."""
    kink_in_head, kink_latent = find_kinks(in_head, latent, ranking.unlabeled)
    known = ranking.total.known_positive
    above = ranking.known_positive[:, np.newaxis, np.newaxis]
    in_head += above
    inner_tp, inner_positives = in_head[..., 1:-1], known + latent[1:-1]
    kinks = np.stack([kink_in_head + above, known + kink_latent], axis=-1)
    return Inner(betas, inner_tp, inner_positives, kinks)


def _split(latent: IntArray, points: int, cutoffs: int) -> list[IntArray]:
    """Split latent positives at many betas into parts that fit into memory, points together."""
    size = max(_AT_ONCE // max(cutoffs, 1), 1)
    return np.split(latent, np.arange(max(points, size), latent.size, size))


def rank_cdf(ranking: Ranking, betas: FloatArray, rule: Settings) -> RankCdf:
    """Bound the rank CDF of the latent positives by the one of the known ones."""
    check_labels(betas, ranking.total, references_used(rule.reference, ranking))
    latent = latent_counts(betas, ranking.total.unlabeled)
    # The bounds of known negatives rise between two cutoffs, where they are not cut off.
    bounds = bound_latent(ranking, latent, rule, refine=rule.reference != "positives")
    with np.errstate(invalid="ignore"):  # no latent positives, no share of them
        share = np.clip(bounds.claimed, 0, latent) / latent
    plain = rule.reference == "positives" and ranking.weight is None
    if plain and not isinstance(rule.band, RankBand):
        known = bounds.ranking.known_positive / ranking.total.known_positive
        share[:, _ESTIMATE, :] = known[:, np.newaxis]
    alphas = _local_alphas(ranking.total, latent, bounds.tightest, rule)
    return RankCdf(bounds.ranking, share, bounds.tightest, alphas)


def central_table(ranking: Ranking, beta: float, rule: Settings) -> tuple[Ranking, Table]:
    """Return the central table at each cutoff, the bound "estimate" of `make_tables`."""
    betas = np.array([beta])
    check_labels(betas, ranking.total, references_used(rule.reference, ranking))
    latent = latent_counts(betas, ranking.total.unlabeled)
    bounds = bound_latent(ranking, latent, rule)
    counts = _predicted(bounds.ranking, bounds.possible[:, [_ESTIMATE]])
    tp, fp = (count[:, 0, 0] for count in counts)
    positives = ranking.total.known_positive + int(latent[0])
    return bounds.ranking, Table(tp, fp, positives - tp, sum(ranking.total) - positives - fp)


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


def _predicted(ranking: Ranking, in_head: IntArray) -> tuple[IntArray, IntArray]:
    """Return true and false positives, overwriting the latent positives in the head."""
    column = (slice(None), np.newaxis, np.newaxis)
    tp: IntArray = ranking.known_positive[column] + in_head
    others = (ranking.known_negative + ranking.unlabeled)[column]
    return tp, np.subtract(others, in_head, out=in_head)


def _local_alphas(
    total: Counts, latent: IntArray, kinds: Sequence[str], rule: Settings
) -> FloatArray | None:
    """Return the level of each cutoff at which all hold jointly, one for each beta."""
    if rule.band != "simultaneous" or rule.reference == "both":
        return None
    return np.array(
        [
            local_alpha_within(total.known_positive, m, rule.level, rule.selection_odds)
            if kind == "positives"
            else local_alpha_within(
                total.known_negative, total.unlabeled - m, rule.level, rule.selection_odds
            )
            for m, kind in zip(latent.tolist(), kinds, strict=False)
        ]
    )


# Where bounds bend between two betas of an interval, at each cutoff. As beta grows a bound grows,
# until it is cut off at the unlabeled examples in the head, or is pushed up by too few of them in
# the tail. A metric at equal rank can be lowest or highest at such a kink.
MOST_KINKS = 4  # of one bound at one cutoff, the sharpest
_SHARP = 1.0  # least distance from a straight line, in counts
_KINKS_AT_ONCE = 1 << 17  # slopes that are compared together


def beyond_ends(latent: IntArray, unlabeled: int) -> IntArray:
    """Return numbers of latent positives just beyond the ends of an interval."""
    ends = 2 * latent[0] - latent[min(1, latent.size - 1)], 2 * latent[-1] - latent[-2:][0]
    return np.clip(np.array(ends, np.int64), 0, unlabeled)


def find_kinks(bounds: IntArray, latent: IntArray, head: IntArray) -> tuple[IntArray, IntArray]:
    """Return bounds, and numbers of latent positives, at the kinks between two betas.

    A kink lies where straight lines through the two betas before and the two after meet. Where
    there are fewer kinks, the first beta takes their place.
    """
    shape = (*bounds.shape[:2], MOST_KINKS)
    kinks = np.empty(shape, np.int64), np.empty(shape, np.int64)
    kinks[0][:], kinks[1][:] = bounds[..., 1:2], latent[1]
    size = max(_KINKS_AT_ONCE // (2 * latent.size), 1)
    for start in range(0, bounds.shape[0] if latent.size > 3 else 0, size):
        rows = slice(start, start + size)
        _put_kinks(bounds[rows], latent, head[rows], (kinks[0][rows], kinks[1][rows]))
    return kinks


def _put_kinks(
    bounds: IntArray, latent: IntArray, head: IntArray, kinks: tuple[IntArray, IntArray]
) -> None:
    """Write the sharpest kinks of each bound at some cutoffs, at whole numbers."""
    step = np.diff(latent)
    slope = np.diff(bounds, axis=-1) / np.maximum(step, 1)
    # From each beta to the next: along the line before and the line after.
    width, before, here, after = step[1:-1], slope[..., :-2], slope[..., 1:-1], slope[..., 2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        away = (after - here) * width / (after - before)  # from the first to where lines meet
        off = np.abs(before - here) * away
    off[~((away > 0) & (away < width) & (off > _SHARP))] = 0
    bent = off.max(axis=-1) > 0
    cutoff, side = np.nonzero(bent)
    size = min(MOST_KINKS, width.size)
    sharpest = np.argpartition(off[bent], width.size - size, axis=-1)[:, -size:]
    for order, beta in enumerate(sharpest.T):
        sharp = off[cutoff, side, beta] > 0
        row, bound, left = cutoff[sharp], side[sharp], beta[sharp]
        kink = row, bound, left
        meet = np.rint(latent[left + 1] + away[kink]).astype(np.int64)
        level = bounds[row, bound, left + 1] + before[kink] * (meet - latent[left + 1])
        other = bounds[row, bound, left + 2] - after[kink] * (latent[left + 2] - meet)
        concave = after[kink] < before[kink]
        level = np.where(concave, np.minimum(level, other), np.maximum(level, other))
        kinks[0][row, bound, order] = np.clip(np.rint(level), 0, np.minimum(head[row], meet))
        kinks[1][row, bound, order] = meet

"""Contingency tables: a ranking, betas and a rule -> bounded counts at each cutoff."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import Interval, interval_betas, latent_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.by_rank import RankBand
from pu_accessor.inference.bands.simultaneous_within_odds import local_alpha_within
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.kinks import beyond, find_kinks
from pu_accessor.inference.tables.latent_bounds import find_heads, references_used
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking

__all__ = [
    "BOUNDS",
    "Inner",
    "RankCdf",
    "Table",
    "Tables",
    "central_table",
    "check_labels",
    "make_tables",
    "rank_cdf",
]

BOUNDS = ("lower", "estimate", "upper")
_ESTIMATE = BOUNDS.index("estimate")
_HELD = 1 << 22  # cutoffs at some betas, whose bounds are found at once
_ENDS = [BOUNDS.index("lower"), BOUNDS.index("upper")]


class Table(NamedTuple):
    """Contingency tables: four arrays of int64, in examples."""

    tp: IntArray
    fp: IntArray
    fn: IntArray
    tn: IntArray


class Inner(NamedTuple):
    """What the bounds get to at betas within an interval.

    Parameters
    ----------
    betas : ndarray of float64, shape (inner betas,)
        Both ends of the interval among them.
    tp : ndarray of int64, shape (cutoffs, 2, inner betas)
        True positives, the lower bound first.
    positives : ndarray of int64, shape (inner betas,)
        Known and latent ones.
    kinks : ndarray of int64, shape (cutoffs, 2, kinks, 2)
        Pairs of both where a bound bends between these betas, of each bound at each cutoff.
    """

    betas: FloatArray
    tp: IntArray
    positives: IntArray
    kinks: IntArray


@dataclass(frozen=True, eq=False)
class Tables:
    """Bounded contingency tables of one ranking.

    Parameters
    ----------
    ranking : Ranking
        With the cutoffs at which bounds bend.
    betas : ndarray of float64, shape (betas,)
        Fractions of positives among the unlabeled.
    tp, fp : ndarray of int64, shape (cutoffs, 3, betas)
        True and false positives of the bounds lower, estimate, upper.
    positives, negatives : ndarray of int64, shape (betas,)
        In all, known and latent ones.
    clipped : ndarray of bool, shape (cutoffs, 3, betas)
        Where band and beta are infeasible.
    tightest : tuple of str
        For each beta the kind of known examples with the narrower range of AUROC, of those that
        were asked.
    local_alpha : ndarray of float64, shape (betas,), optional
        The level of each cutoff at which all hold jointly, where that was asked.
    inner : Inner, optional
        At betas within an interval, where there is one.
    """

    ranking: Ranking
    betas: FloatArray
    tp: IntArray
    fp: IntArray
    positives: IntArray
    negatives: IntArray
    clipped: BoolArray
    tightest: tuple[str, ...]
    local_alpha: FloatArray | None = None
    inner: Inner | None = None

    @property
    def table(self) -> Table:
        """The four counts, shape (cutoffs, 3, betas)."""
        return Table(self.tp, self.fp, self.positives - self.tp, self.negatives - self.fp)


class RankCdf(NamedTuple):
    """The rank CDF of the latent positives.

    Parameters
    ----------
    ranking : Ranking
        With the cutoffs at which it bends.
    share : ndarray of float64, shape (cutoffs, 3, betas)
        Of the latent positives at or above each cutoff; NaN where there are none.
    tightest : tuple of str
    local_alpha : ndarray of float64, shape (betas,), optional
        As in `Tables`.
    """

    ranking: Ranking
    share: FloatArray
    tightest: tuple[str, ...]
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
    first, *more = _split(latent, betas.size, ranking.rank.size)
    for some in [first, *more] if more else []:  # all cutoffs, before what is counted at them
        ranking = find_heads(ranking, some, rule).ranking
    heads = find_heads(ranking, first, rule, refine=not more)
    inner = None
    if inside.size:
        found = np.empty((heads.ranking.rank.size, len(_ENDS), within.size), np.int64)
        start = first.size - betas.size
        found[..., :start] = heads.found[:, _ENDS, betas.size :]
        for some in more:
            rest = find_heads(ranking, some, rule, refine=False)
            found[..., start : start + some.size] = rest.found[:, _ENDS]
            start += some.size
        inner = _inner(heads.ranking, inside, found, within)
    ranking, tightest = heads.ranking, heads.tightest
    clipped, found = heads.clipped[..., points], heads.found[..., points]
    del heads  # what was claimed takes as much memory as the counts of all cutoffs
    return Tables(
        ranking,
        betas,
        *_predicted(ranking, found.copy() if inside.size else found),
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
    below, above = beyond(latent, unlabeled)
    return np.concatenate([[below], latent, [above]])


def _inner(ranking: Ranking, betas: FloatArray, found: IntArray, latent: IntArray) -> Inner:
    """Make tables of the latent positives in the head at betas within an interval."""
    kinks = find_kinks(found, latent, ranking.unlabeled)
    known = ranking.total.known_positive
    above = ranking.known_positive[:, np.newaxis, np.newaxis]
    found += above
    kinks[..., 0] += above
    kinks[..., 1] += known
    return Inner(betas, found[..., 1:-1], known + latent[1:-1], kinks)


def _split(latent: IntArray, points: int, cutoffs: int) -> list[IntArray]:
    """Split latent positives at many betas into parts that fit into memory, points together."""
    size = max(_HELD // max(cutoffs, 1), 1)
    return np.split(latent, np.arange(max(points, size), latent.size, size))


def rank_cdf(ranking: Ranking, betas: FloatArray, rule: Settings) -> RankCdf:
    """Bound the rank CDF of the latent positives by the one of the known ones."""
    check_labels(betas, ranking.total, references_used(rule.reference, ranking))
    latent = latent_counts(betas, ranking.total.unlabeled)
    # What known negatives say rises between two cutoffs, where it is not cut off.
    heads = find_heads(ranking, latent, rule, refine=rule.reference != "positives")
    with np.errstate(invalid="ignore"):  # no latent positives, no share of them
        share = np.clip(heads.claimed, 0, latent) / latent
    plain = rule.reference == "positives" and ranking.weight is None
    if plain and not isinstance(rule.band, RankBand):
        known = heads.ranking.known_positive / ranking.total.known_positive
        share[:, _ESTIMATE, :] = known[:, np.newaxis]
    alphas = _local_alphas(ranking.total, latent, heads.tightest, rule)
    return RankCdf(heads.ranking, share, heads.tightest, alphas)


def central_table(ranking: Ranking, beta: float, rule: Settings) -> tuple[Ranking, Table]:
    """Return the central table at each cutoff, the bound "estimate" of `make_tables`."""
    betas = np.array([beta])
    check_labels(betas, ranking.total, references_used(rule.reference, ranking))
    latent = latent_counts(betas, ranking.total.unlabeled)
    heads = find_heads(ranking, latent, rule)
    tp, fp = (count[:, 0, 0] for count in _predicted(heads.ranking, heads.found[:, [_ESTIMATE]]))
    positives = ranking.total.known_positive + int(latent[0])
    return heads.ranking, Table(tp, fp, positives - tp, sum(ranking.total) - positives - fp)


def check_labels(betas: FloatArray, total: Counts, kinds: Sequence[str] = ("positives",)) -> None:
    """Raise where nothing is known that must be, or beta is a share of nothing."""
    if "positives" in kinds and not total.known_positive:
        raise PUDataError(
            f"label must mark at least one known positive, but none of {sum(total)} examples is "
            f"one ({total.known_negative} known negatives, {total.unlabeled} unlabeled). Name the "
            "value that marks them: df.pu(positive=...)."
        )
    if "negatives" in kinds and not total.known_negative:
        raise PUDataError(
            f"reference needs known negatives, but none of {sum(total)} examples is one "
            f"({total.known_positive} known positives, {total.unlabeled} unlabeled). Name the "
            "value that marks them, df.pu(negative=...), or take reference='positives'."
        )
    if betas.max() > 0 and not total.unlabeled:
        raise PUDataError(
            f"beta must be 0 where nothing is unlabeled, but {betas.max():g} was passed. Pass "
            "beta=0, or mark unlabeled examples: missing in the label column, or "
            "df.pu(unlabeled=...)."
        )


def _predicted(ranking: Ranking, found: IntArray) -> tuple[IntArray, IntArray]:
    """Return true and false positives, given the latent positives in the head: in their place."""
    column = (slice(None), np.newaxis, np.newaxis)
    tp: IntArray = ranking.known_positive[column] + found
    others = (ranking.known_negative + ranking.unlabeled)[column]
    return tp, np.subtract(others, found, out=found)


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

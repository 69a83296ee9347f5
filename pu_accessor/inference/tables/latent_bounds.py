"""How many latent positives are in each head, by the known positives, the known negatives or both.

Known negatives say the same of the tail: it holds that many latent negatives, so the other
unlabeled examples there are latent positives, and all further ones are in the head.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import refuse_odds
from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.by_rank import RankBand
from pu_accessor.inference.bands.coherent import bends, narrow, narrow_between, settle
from pu_accessor.inference.bands.lookup import band_name, central
from pu_accessor.inference.bands.weighted import weighted_bounds
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, IntArray, Ranking

__all__ = ["Heads", "check_selection", "find_heads", "references_used"]


class Heads(NamedTuple):
    """Latent positives in the head at each cutoff.

    Parameters
    ----------
    ranking : Ranking
        With the cutoffs at which bounds bend.
    claimed : ndarray of int64, shape (cutoffs, bound, beta)
        What the known examples say.
    found : ndarray of int64, shape (cutoffs, bound, beta)
        The nearest number that the unlabeled examples at the cutoff allow.
    tightest : tuple of str
        For each beta the kind of known examples with the narrower range of AUROC, the one there
        is where no other was asked.
    contradicted : ndarray of bool, shape (cutoffs, bound, beta), optional
        Where no number is possible, if that is not where another was found than claimed: where the
        two kinds of known examples contradict each other, or one cutoff another.
    """

    ranking: Ranking
    claimed: IntArray
    found: IntArray
    tightest: tuple[str, ...]
    contradicted: BoolArray | None = None

    @property
    def clipped(self) -> BoolArray:
        """Where band and beta are infeasible."""
        return self.found != self.claimed if self.contradicted is None else self.contradicted


def references_used(reference: str, ranking: Ranking) -> tuple[str, ...]:
    """Return the kinds of known examples that a reference takes."""
    if ranking.weight is not None and reference != "positives":
        raise PUValueError(
            f"reference must be 'positives' with propensity=..., but {reference!r} was passed: "
            "propensities are those of the positives. Leave one of the two out."
        )
    if reference == "both":
        return ("positives", "negatives")
    if reference != "tightest":
        return (reference,)
    total = ranking.total
    there = {"positives": total.known_positive, "negatives": total.known_negative}
    return tuple(kind for kind, known in there.items() if known) or ("positives",)


def check_selection(ranking: Ranking, rule: Settings) -> None:
    """Raise if odds are said to be unknown where propensities say them, or groups are pooled."""
    refuse_odds(rule.selection_odds, ranking.weight is not None, bool(ranking.strata))


def find_heads(
    ranking: Ranking, latent: IntArray, rule: Settings, *, refine: bool = True
) -> Heads:
    """Bound the latent positives in the head at each cutoff."""
    if ranking.weight is not None and rule.band != "exact":
        raise PUValueError(
            f"band must be left at 'exact' with propensity=..., but {band_name(rule.band)!r} was "
            "passed: the "
            "band is a design-based one of its own. Leave one of the two out."
        )
    check_selection(ranking, rule)
    if isinstance(rule.band, RankBand):
        return _find_given(ranking, latent, rule.band)
    kinds = references_used(rule.reference, ranking)
    tables = {kind: _tables(ranking, kind, latent, rule) for kind in kinds}
    if refine:
        ranking = ranking.refine(_corners(ranking, tables, latent))
    if rule.band == "simultaneous":
        return _find_coherent(ranking, tables, latent, rule, refine=refine)
    return _find_each(ranking, tables, latent, rule)


def _find_each(
    ranking: Ranking, tables: Mapping[str, IntArray], latent: IntArray, rule: Settings
) -> Heads:
    """Bound the latent positives by what is known at each cutoff."""
    kinds = tuple(tables)
    claims = {kind: _claim(ranking, kind, table, latent) for kind, table in tables.items()}
    tightest = _tightest(ranking, tables, latent)
    if len(kinds) == 1:
        return _fit(ranking, latent, claims[kinds[0]], tightest)
    chosen = np.stack([claims[kind][..., i] for i, kind in enumerate(tightest)], axis=-1)
    if rule.reference == "tightest":
        return _fit(ranking, latent, chosen, tightest)
    claimed, contradict = _intersect(claims["positives"], claims["negatives"], chosen)
    heads = _fit(ranking, latent, claimed, tightest)
    return heads._replace(contradicted=heads.clipped | contradict)


def _find_given(ranking: Ranking, latent: IntArray, band: RankBand) -> Heads:
    """Bound the latent positives by what is given for each rank; the estimate stays within."""
    rank = ranking.known_positive + ranking.known_negative + ranking.unlabeled
    lower, upper = band.latent(rank, sum(ranking.total), latent)
    middle = [central(ranking.total.known_positive, m) for m in latent.tolist()]
    estimate = np.stack(middle, axis=1)[ranking.known_positive].clip(lower, upper)
    claimed = np.stack([lower, estimate, upper], axis=1)
    return _fit(ranking, latent, claimed, ("positives",) * latent.size)


def _find_coherent(
    ranking: Ranking,
    tables: Mapping[str, IntArray],
    latent: IntArray,
    rule: Settings,
    *,
    refine: bool,
) -> Heads:
    """Bound the latent positives by what is known at all cutoffs, which must hold jointly."""
    whole = ranking.whole or ranking
    if ranking.whole is not None:
        whole = whole.refine(_corners(whole, tables, latent))
    every = _find_each(whole, tables, latent, rule)
    narrowed = narrow(whole.unlabeled, every.found)
    if ranking.whole is not None:
        places = np.stack([whole.rank, whole.unlabeled])
        every = _find_each(ranking, tables, latent, rule)
        rank = ranking.known_positive + ranking.known_negative + ranking.unlabeled
        narrowed = narrow_between(ranking.unlabeled, every.found, narrowed, places, rank)
    elif refine and whole.finder is not None:
        finer = whole.refine(bends(whole.unlabeled, narrowed))
        if finer is not whole:
            every = _find_each(finer, tables, latent, rule)
            narrowed = narrow(finer.unlabeled, every.found)
    found, contradict = settle(narrowed)
    return every._replace(found=found, contradicted=every.clipped | contradict)


def _tables(ranking: Ranking, kind: str, latent: IntArray, rule: Settings) -> IntArray:
    """Return latent examples of a kind by known ones on their side, bound and beta."""
    level = (1 + rule.level) / 2 if rule.reference == "both" else rule.level
    total, weight = ranking.total, ranking.weight
    known = total.known_positive if kind == "positives" else total.known_negative
    hidden = (latent if kind == "positives" else total.unlabeled - latent).tolist()
    if weight is None:
        lower, upper = rule.bounds(known, tuple(hidden), level)
        middle = np.stack([central(known, m) for m in hidden])
        sides = [lower, middle, upper]
    else:
        each = [weighted_bounds(weight, m, level) for m in hidden]
        sides = [np.stack(side) for side in zip(*each, strict=True)]
    table = np.empty((known + 1, len(sides), len(hidden)), np.int64)
    for bound, side in enumerate(sides):
        table[:, bound] = side.T
    return table


def _claim(ranking: Ranking, kind: str, table: IntArray, latent: IntArray) -> IntArray:
    """Return the latent positives in the head by what known examples of a kind say."""
    if kind == "positives":
        return np.take(table, ranking.known_positive, axis=0)
    total = ranking.total
    tail = (total.unlabeled - ranking.unlabeled)[:, np.newaxis, np.newaxis]
    behind = total.known_negative - ranking.known_negative
    return latent - tail + np.take(table, behind, axis=0)


def _corners(ranking: Ranking, tables: Mapping[str, IntArray], latent: IntArray) -> IntArray:
    """Return the counts of unlabeled examples, between two cutoffs, at which bounds bend.

    Between two labeled scores a claim of the known positives is constant in the number h of
    unlabeled examples in the head, and is cut off at h and at m - (|U| - h); one of the known
    negatives grows with it, and is cut off at 0 and m. Where both count, one passes the other.
    """
    if ranking.finder is None:
        return np.empty(0, np.int64)
    moves = np.flatnonzero(np.diff(ranking.unlabeled))
    here, following = (
        side[:, np.newaxis, np.newaxis]
        for side in (ranking.unlabeled[moves], ranking.unlabeled[moves + 1])
    )
    start = ranking.take(moves)
    free = ranking.total.unlabeled - latent
    claims = {kind: _claim(start, kind, table, latent) for kind, table in tables.items()}
    bends: list[IntArray] = []
    if "positives" in claims:
        level = claims["positives"]
        bends += [level, free + level]
    if "negatives" in claims:
        ahead = here - claims["negatives"]  # the claim is h less this
        bends += [ahead, latent + ahead]
    if len(claims) == 2:
        bends += [level[:, [bound]] + ahead for bound in range(ahead.shape[1])]
    return np.unique(np.concatenate([bend[(here < bend) & (bend < following)] for bend in bends]))


def _fit(
    ranking: Ranking, latent: IntArray, claimed: IntArray, tightest: tuple[str, ...]
) -> Heads:
    """Move claims to what the unlabeled examples in the head and the tail allow."""
    head = ranking.unlabeled[:, np.newaxis, np.newaxis]
    fewest = np.maximum(latent - (ranking.total.unlabeled - head), 0)
    found = np.minimum(claimed, np.minimum(head, latent))
    np.maximum(found, fewest, out=found)
    return Heads(ranking, claimed, found, tightest)


def _intersect(first: IntArray, second: IntArray, chosen: IntArray) -> tuple[IntArray, BoolArray]:
    """Return what two claims have in common, and where they have nothing.

    There the gap between the two stands. The estimate is the chosen one, moved into the bounds.
    """
    lower = np.maximum(first[:, 0], second[:, 0])
    upper = np.minimum(first[:, 2], second[:, 2])
    contradict = lower > upper
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    middle = np.maximum(np.minimum(chosen[:, 1], upper), lower)
    return np.stack([lower, middle, upper], axis=1), contradict[:, np.newaxis]


def _tightest(
    ranking: Ranking, tables: Mapping[str, IntArray], latent: IntArray
) -> tuple[str, ...]:
    """Return for each beta the kind of known examples with the narrower range of AUROC.

    That is the range before claims are moved to what is possible. A band that is off is moved a
    lot, which makes it look narrow: of two alike the wrong one would be taken.
    """
    kinds = tuple(tables)
    if len(kinds) == 1:
        return kinds * latent.size
    ranking = ranking.whole or ranking
    ranges = [
        _area_range(ranking, _claim(ranking, kind, table, latent))
        for kind, table in tables.items()
    ]
    return tuple(kinds[int(one > other)] for one, other in zip(*ranges, strict=True))


def _area_range(ranking: Ranking, claimed: IntArray) -> IntArray:
    """Return the area between the bounding ROC curves for each beta, in half pairs of examples.

    One more true positive at a cutoff is one false positive less there: the area under a curve is
    a sum of true positives over all ranks, less what does not depend on the curve.
    """
    width = claimed[:, 2] - claimed[:, 0]
    area: IntArray = np.diff(ranking.rank) @ (width[1:] + width[:-1])
    return area

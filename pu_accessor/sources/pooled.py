"""Groups whose scores are on scales of their own, such as folds -> one ranking by shares."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.errors import PUDataError, PUValueError, brief
from pu_accessor.ranking import Counts, FloatArray, IntArray, PairedRanks
from pu_accessor.sources.groups import Groups
from pu_accessor.sources.roles import Pool

__all__ = ["Pooled", "pool_groups", "pool_pairs", "shares_below"]


class Pooled(NamedTuple):
    """Groups that remain, and the rows of those that were pooled in each.

    Parameters
    ----------
    groups : Groups
        Without the keys that are pooled over.
    parts : list of list of ndarray or slice
        For each of them, the rows of each group in it.
    """

    groups: Groups
    parts: list[list[IntArray | slice]]


def pool_groups(groups: Groups | None, pool: Pool, examples: int) -> Pooled:
    """Pool groups over some of their keys."""
    if groups is None:
        raise PUValueError(
            f"pool must be False without groups to pool, but {pool!r} was passed. Name the column "
            "of the folds: df.pu(by='fold', pool=True)."
        )
    over = list(groups.names) if pool is True else [pool] if isinstance(pool, str) else pool
    if not over or any(name not in groups.names for name in over):
        raise PUValueError(
            f"pool must be True, or name some of the columns of by, {list(groups.names)}, but "
            f"{brief(pool)} was passed."
        )
    kept = [place for place, name in enumerate(groups.names) if name not in over]
    numbers = np.arange(examples)
    parts: dict[tuple[Hashable, ...], list[IntArray | slice]] = {}
    each: Any = groups.keys  # tuples, unless there is one name, which is not kept
    for key, rows in zip(each, groups.rows, strict=True):
        parts.setdefault(tuple(key[place] for place in kept), []).append(rows)
    keys = [key[0] if len(kept) == 1 else key for key in parts]
    together: list[IntArray | slice] = [
        np.concatenate([numbers[rows] for rows in some]) for some in parts.values()
    ]
    names = tuple(groups.names[place] for place in kept)
    return Pooled(Groups(names, tuple(keys), together), list(parts.values()))


def shares_below(
    score: FloatArray, parts: Sequence[IntArray | slice], nan_policy: str
) -> FloatArray:
    """Return the share of its group that ranks below each row.

    Examples
    --------
    >>> score = np.array([3.0, 9.0, 9.0, 0.1, 0.2])
    >>> shares_below(score, [slice(0, 3), slice(3, 5)], "raise")
    array([0.        , 0.33333333, 0.33333333, 0.        , 0.5       ])
    """
    found = np.full(score.size, np.nan)
    for rows in parts:
        here = score[rows]
        missing = np.isnan(here)
        worst = missing.sum() if nan_policy == "worst" else 0
        ordered = np.sort(here[~missing])
        number = worst + np.searchsorted(ordered, here)
        below = number / max(ordered.size + worst, 1)
        below[missing] = 0.0 if worst else np.nan
        found[rows] = below
    return found


def pool_pairs(parts: Sequence[PairedRanks]) -> PairedRanks:
    """Pool pairs of several groups, each ranked by itself."""
    if any(part.weight is not None for part in parts):
        raise PUValueError(
            "pool must be False for compare with propensity=..., but groups are pooled. Leave the "
            "propensities out, or compare within each group: df.pu(by='fold', propensity='p')."
        )
    total = Counts(*(sum(counts) for counts in zip(*(part.total for part in parts), strict=True)))
    n, rest = total.known_positive, total.known_negative + total.unlabeled
    shared = [part for part in parts if part.total.known_positive]
    others = [part.total.known_negative + part.total.unlabeled for part in shared]
    if not all(others):
        raise PUDataError(
            "Each group that is pooled must hold more than known positives, but one does not: "
            "nothing is there to rank them against. Leave it out, or make folds anew.",
            page="cross_validation#one-answer-for-all-folds",
        )
    among = {
        model: np.concatenate([part.among[model] for part in shared] or [np.empty(0)])
        for model in parts[0].ranks
    }
    ahead = {
        model: np.concatenate(
            [
                (part.ranks[model] - part.among[model]) * (rest / size)
                for part, size in zip(shared, others, strict=True)
            ]
            or [np.empty(0)]
        )
        for model in parts[0].ranks
    }
    covariance = sum(
        (
            part.covariance * ((part.total.known_positive / n) ** 2 * (rest / size))
            for part, size in zip(shared, others, strict=True)
        ),
        start=np.zeros(parts[0].covariance.shape),
    )
    ranks = {model: among[model] + ahead[model] for model in among}
    return PairedRanks(parts[0].names, ranks, among, total, covariance)

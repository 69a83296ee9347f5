"""Unlabeled rows, drawn at random: to be labeled by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.sources.columns import read_states
from pu_accessor.sources.groups import Groups
from pu_accessor.sources.roles import Roles

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["sample_unlabeled"]


def sample_unlabeled(
    frame: pd.DataFrame,
    labels: pd.Series[Any],
    groups: Groups | None,
    roles: Roles,
    size: int,
    random_state: int | np.random.Generator,
) -> pd.DataFrame:
    """Draw unlabeled rows at random, without replacement."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise PUTypeError(f"size must be an integer, but {size!r} was passed.")
    _check_seed(random_state)
    states = read_states(labels, roles)
    free = ~(states.positive | states.negative)
    group = np.zeros(free.size, np.int64) if groups is None else np.full(free.size, -1)
    for number, rows in enumerate([] if groups is None else groups.rows):
        group[rows] = number
    free &= group >= 0
    there = np.bincount(group[free], minlength=1 if groups is None else len(groups.keys))
    for number, rows_there in enumerate(there.tolist()):
        if not 0 < size <= rows_there:
            raise PUDataError(
                f"size must lie between 1 and the number of unlabeled rows, {rows_there}"
                f"{f' in group {groups.keys[number]!r}' if groups else ''}, but {size} was passed."
            )
    seed = np.random.default_rng(random_state)
    if groups is None:
        return frame[free].sample(n=int(size), random_state=seed)
    return frame[free].groupby(group[free]).sample(n=int(size), random_state=seed)


def _check_seed(random_state: object) -> None:
    """Raise unless pandas takes it as a seed, and draws the same rows again with it."""
    if isinstance(random_state, np.random.Generator):
        return
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise PUTypeError(
            "random_state must be an integer or a numpy Generator, but a "
            f"{type(random_state).__name__} was passed."
        )
    if not 0 <= random_state < 2**32:
        raise PUValueError(
            f"random_state must lie between 0 and 2**32 - 1, but {random_state} was passed."
        )

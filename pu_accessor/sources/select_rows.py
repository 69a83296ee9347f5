"""Rows that are taken out of a frame: unlabeled ones at random, and those with the best scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.sources.columns import read_scores, read_states
from pu_accessor.sources.groups import Groups
from pu_accessor.sources.roles import Roles, Seed

if TYPE_CHECKING:
    import pandas as pd


def sample_unlabeled(
    frame: pd.DataFrame,
    labels: pd.Series[Any],
    groups: Groups,
    roles: Roles,
    size: int,
    random_state: Seed,
) -> pd.DataFrame:
    """Draw unlabeled rows at random, without replacement."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise PUTypeError(f"size must be an integer, but {size!r} was passed.")
    _check_seed(random_state)
    known = read_states(labels, roles)
    numbers = groups.numbers(len(frame))
    unlabeled = ~(known.positive | known.negative) & (numbers >= 0)
    available = np.bincount(numbers[unlabeled], minlength=len(groups.keys))
    for key, most in zip(groups.keys, available.tolist(), strict=True):
        if not 0 < size <= most:
            raise PUDataError(
                f"size must lie between 1 and the number of unlabeled rows, {most}"
                f"{f' in group {key!r}' if groups.names else ''}, but {size} was passed."
            )
    seed = np.random.default_rng(random_state)
    rows = frame[unlabeled]
    if not groups.names:  # pandas draws other rows of a single group
        return rows.sample(n=int(size), random_state=seed)
    return rows.groupby(numbers[unlabeled]).sample(n=int(size), random_state=seed)


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


def take_best(
    frame: pd.DataFrame, score: pd.Series[Any], groups: Groups, sizes: Sequence[int]
) -> pd.DataFrame:
    """Return the rows with the best scores, of each group."""
    best_first = np.argsort(-read_scores(score), kind="stable")  # NaN last
    numbers = groups.numbers(len(frame))[best_first]
    taken = [best_first[numbers == number][:size] for number, size in enumerate(sizes)]
    return frame.iloc[np.concatenate(taken)]

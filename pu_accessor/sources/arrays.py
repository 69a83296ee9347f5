"""Array-likes of scores and labels -> one ranking."""

from collections.abc import Hashable, Sequence
from typing import NoReturn

import numpy as np
import pandas as pd

from pu_accessor.errors import PUValueError
from pu_accessor.ranking import Rankings, Ranks
from pu_accessor.sources.columns import Column, as_series
from pu_accessor.sources.in_memory import rank_columns
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.sampling import sample_unlabeled
from pu_accessor.sources.source import refuse
from pu_accessor.sources.summary import count_columns, or_reason
from pu_accessor.sources.top_rows import take_best

__all__ = ["ArraySource"]


class ArraySource:
    """Scores and labels of the same examples, paired by position.

    Parameters
    ----------
    score : array-like of numbers, shape (examples,)
        Higher is more positive.
    label : array-like, shape (examples,)
        A label for each example.
    propensity : array-like of numbers, shape (examples,), optional
        Probability with which each positive is labeled, in (0, 1]. That of others is not read.
    """

    name = "arrays"

    def __init__(self, score: Column, label: Column, propensity: Column | None = None) -> None:
        self._score = score
        self._label = label
        self._propensity = propensity

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
        """Rank the examples: see `Source`.

        A single ranking. Raises if arrays differ in length, or roles name columns.
        """
        scores, labels, odds = self._columns(roles)
        return rank_columns([scores], labels, odds, None, roles, ranks)

    def pair(self, roles: Roles, on: Hashable | list[Hashable] | None) -> NoReturn:
        """Say that there is one model alone."""
        raise refuse(
            self.name,
            "compare is not there",
            "Put the scores of all models into a frame: df.pu(score=['svm', 'forest']).compare().",
        )

    def summary(self, roles: Roles) -> dict[str, str]:
        """Count what the arrays hold, or say what is not ready: see `Source`."""

        def count() -> dict[str, str]:
            scores, labels, _ = self._columns(roles)
            return count_columns([scores], labels, roles)

        return or_reason(count)

    def sample(
        self, roles: Roles, size: int, random_state: int | np.random.Generator
    ) -> pd.DataFrame:
        """Draw unlabeled examples at random: see `Source`.

        Columns "score" and "label", and "propensity" where there is one; their positions are the
        index.
        """
        scores, labels, odds = self._columns(roles)
        columns = {"score": scores.array, "label": labels.array}
        if odds is not None:
            columns["propensity"] = odds.array
        return sample_unlabeled(pd.DataFrame(columns), labels, None, roles, size, random_state)

    def best(self, roles: Roles, sizes: Sequence[int]) -> pd.DataFrame:
        """Return the examples with the best scores, their positions as index: see `Source`."""
        scores, labels, _ = self._columns(roles)
        frame = pd.DataFrame({"score": scores.array, "label": labels.array})
        return take_best(frame, scores, None, sizes)

    def _columns(self, roles: Roles) -> "tuple[pd.Series, pd.Series, pd.Series | None]":
        """Return the arrays as columns, each under its name where it has one."""
        named = roles.described()
        for role in ("score", "label", "by", "propensity"):
            if role in named:
                raise refuse(
                    self.name,
                    f"{role} must not name a column",
                    f"Put them into a frame: df.pu({role}={named[role]}).",
                    f"{named[role]} was passed",
                )
        scores, labels = as_series("score", self._score), as_series("label", self._label)
        if scores.size != labels.size:
            raise PUValueError(
                f"score and label must have the same length, but have {scores.size} and "
                f"{labels.size}. They are paired by position."
            )
        if self._propensity is None:
            return scores, labels, None
        odds = as_series("propensity", self._propensity)
        if odds.size != labels.size:
            raise PUValueError(
                f"propensity must have a value for each of the {labels.size} examples, but has "
                f"{odds.size}. It is paired with them by position."
            )
        return scores, labels, odds

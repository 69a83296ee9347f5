"""Draw unlabeled rows to label by hand, from all of them or from strata by score."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import MAX_STRATA, check_count, check_option, check_share, is_number
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError, brief
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Seed, Terms
from pu_accessor.sources.column_values import read_values
from pu_accessor.sources.columns import find_columns
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.label_states import read_labels

ADDED = ("stratum", "n", "n_negative", "n_unlabeled")  # columns of rows that strata draw
_MIN_SHARE = 0.05  # expected shares of positives in strata are this far from 0 and 1


@dataclass(frozen=True)
class Draw:
    """How many rows to draw, and from where."""

    size: int
    strata: Any = None  # thresholds of the score, or a column
    allocate: str = "proportional"
    expected_beta: float | None = None
    below: float | None = None
    above: float | None = None
    random_state: Seed = 0

    def __post_init__(self) -> None:
        if not isinstance(self.random_state, np.random.Generator):
            check_count("random_state", self.random_state)
        check_count("size", self.size)
        check_option("allocate", self.allocate, ["neyman", "proportional"])
        for name in ("below", "above"):
            value = getattr(self, name)
            if value is not None and not is_number(value):
                raise PUTypeError(f"{name} must be a score, but {brief(value)} was passed.")
        if self.expected_beta is not None:
            check_share("expected_beta", self.expected_beta)
        thresholds = np.zeros(1) if self.thresholds is None else self.thresholds
        different = {f"{threshold:.12g}" for threshold in thresholds[np.isfinite(thresholds)]}
        if not 1 <= len(different) == thresholds.size < MAX_STRATA:
            raise PUValueError(
                f"strata must contain one to {MAX_STRATA - 1} thresholds, finite and different, "
                f"but {brief(self.strata)} was passed. For example strata=[0.2, 0.5]."
            )

    @property
    def has_strata(self) -> bool:
        """Whether rows are drawn from parts of the unlabeled."""
        return any(part is not None for part in (self.strata, self.below, self.above))

    @property
    def thresholds(self) -> FloatArray | None:
        """Ascending thresholds of the score between strata; None if strata are a column."""
        if isinstance(self.strata, Hashable) and not is_number(self.strata):
            return None
        values = [*np.atleast_1d(np.asarray(self.strata, dtype=object))]
        if not all(map(is_number, values)):
            raise PUTypeError(
                "strata must be a threshold of the score, a list of them, or a column, but "
                f"{brief(self.strata)} was passed. For example strata=[0.2, 0.5]."
            )
        return np.sort([float(value) for value in values])

    @property
    def column(self) -> Hashable | None:
        """The name of the column of strata, or None."""
        return None if self.thresholds is not None else self.strata


def sample_unlabeled(source: FrameSource, roles: Terms, draw: Draw) -> Any:
    """Draw unlabeled rows at random, without replacement."""
    named = [("label", roles.label), *[("score", roles.models[0])] * draw.has_strata]
    named += [("strata", draw.column)] * (draw.column is not None)
    rows = source.rows(roles, named)
    columns = dict(find_columns(rows.frame, named))
    known = read_labels(columns["label"], roles)
    kinds = known.positive, known.negative, ~(known.positive | known.negative)
    rng = np.random.default_rng(draw.random_state)
    added: dict[str, Any] = {}
    attrs = {"label": roles.label}
    if draw.has_strata:
        code, names = _number_strata(source, columns, kinds[2], roles, draw)
        counts = [np.bincount(code[kind & (code >= 0)], minlength=len(names)) for kind in kinds]
        sizes = _allocate(draw, names, counts[0], counts[2])
        parts = [np.flatnonzero(kinds[2] & (code == number)) for number in range(len(names))]
        drawn = rng.permutation(_draw_each(parts, sizes, rng))
        stratum = pd.Categorical([names[number] for number in code[drawn]], categories=names)
        added = dict(zip(ADDED, (stratum, *(n[code[drawn]] for n in counts)), strict=True))
    else:
        groups, every = rows.groups(roles), np.arange(known.positive.size)
        parts = [every[part][kinds[2][part]] for part in groups.rows]
        for key, part in zip(groups.keys, parts, strict=True):
            _check_size(draw, 1, part.size, f" in group {key!r}" if groups.names else "")
        drawn = _draw_each(parts, [int(draw.size)] * len(parts), rng)
        attrs |= {} if groups.names else {"n_unlabeled": parts[0].size}
    sample = source.take(drawn, **added)
    if isinstance(sample, pd.DataFrame):
        sample.attrs.update(attrs)
    return sample


def _draw_each(parts: list[IntArray], sizes: list[int], rng: np.random.Generator) -> IntArray:
    """Draw rows of each part, without replacement."""
    drawn = [rng.choice(part, n, replace=False) for part, n in zip(parts, sizes, strict=True)]
    return np.concatenate(drawn)


def _number_strata(
    source: FrameSource,
    columns: dict[str, pd.Series[Any]],
    unlabeled: BoolArray,
    roles: Terms,
    draw: Draw,
) -> tuple[IntArray, list[Any]]:
    """Return the number of each row's stratum, -1 if it is in none, and the strata's names."""
    if taken := [name for name in ADDED if name in source.names]:
        raise PUValueError(
            f"df must not have columns {taken} with strata, below or above: drawn rows get "
            "columns of these names. Rename or drop them first."
        )
    values, column = read_values(columns["score"], roles), columns.get("strata")
    eligible = ~(np.isnan(values) & roles.omits)
    if draw.below is not None:
        eligible &= ~(values >= draw.below)  # missing scores rank last
    if draw.above is not None:
        eligible &= values >= draw.above
    if column is None:
        thresholds = np.empty(0) if draw.thresholds is None else draw.thresholds
        edges = [None, *thresholds.tolist(), None] if thresholds.size else [draw.above, draw.below]
        code = (values[:, np.newaxis] >= thresholds).sum(axis=1)
        names = [_name_stratum(*ends) for ends in pairwise(edges)]
    else:
        names = _name_values(column, eligible & unlabeled)
        code = pd.Index(names).get_indexer(pd.Index(column))  # -1 for known examples elsewhere
    code[~eligible] = -1
    return code, names


def _name_values(column: pd.Series[Any], eligible: BoolArray) -> list[Any]:
    """Return the values of a column of strata among the rows to draw from."""
    missing = column[column.isna().to_numpy() & eligible].index
    if missing.size:
        raise PUDataError(
            f"strata must cover the unlabeled rows, but column {column.name!r} is missing in "
            f"{missing.size} of {np.count_nonzero(eligible)}, row {missing.tolist()[0]!r} first. "
            "Give these a stratum, too."
        )
    names = [*dict.fromkeys(sorted(column[eligible].tolist(), key=str))]
    if not 2 <= len(names) <= MAX_STRATA:
        raise PUDataError(
            f"strata must have two to {MAX_STRATA} values among unlabeled rows, but column "
            f"{column.name!r} has {len(names)}: {brief(names)}. Join some, or leave it out."
        )
    return names


def _name_stratum(low: float | None, high: float | None) -> str:
    """Name the scores from `low` on and below `high`."""
    ends = [(">=", low), ("<", high)]
    return ", ".join(f"{sign} {float(end):.12g}" for sign, end in ends if end is not None)


def _allocate(draw: Draw, names: list[Any], known: IntArray, unlabeled: IntArray) -> list[int]:
    """Return how many rows to draw of each stratum, at least one (Wright, 2012)."""
    # T. Wright, The equivalence of Neyman optimum allocation for sampling and equal proportions
    # for apportioning the U.S. House of Representatives, The American Statistician 66 (2012)
    # 217-224: each further label goes where it lowers the variance of the sum of strata most.
    for name, number in zip(names, unlabeled.tolist(), strict=True):
        if not number:
            raise PUDataError(
                "strata, above and below must leave unlabeled rows in each part, but there is "
                f"none in {name!r}. Pass other thresholds, or leave them out."
            )
    size, total = int(draw.size), int(unlabeled.sum())
    where = " of these strata" if len(names) > 1 else " that above and below leave"
    _check_size(draw, len(names), total, where)
    deviation = np.ones(unlabeled.size)  # expected of one label of each stratum
    if draw.expected_beta is not None:
        share = (known + 0.5) / (known.sum() + 0.5 * known.size)
        positive = draw.expected_beta * unlabeled.sum() * share / unlabeled
        positive = positive.clip(_MIN_SHARE, 1 - _MIN_SHARE)
        deviation = np.sqrt(positive * (1 - positive))
    deviation *= unlabeled
    further = np.minimum(unlabeled, size) - 1  # labels after the first
    stratum = np.repeat(np.arange(len(names)), further)
    labels = np.concatenate([np.arange(1, number + 1) for number in further.tolist()])
    gain = deviation[stratum] / np.sqrt(labels * (labels + 1))
    chosen = stratum[np.argsort(-gain, kind="stable")[: size - len(names)]]
    sizes: list[int] = (1 + np.bincount(chosen, minlength=len(names))).tolist()
    return sizes


def _check_size(draw: Draw, least: int, most: int, where: str) -> None:
    """Raise unless the size lies between two numbers of rows."""
    if not least <= draw.size <= most:
        raise PUDataError(
            f"size must lie between {least} and the number of unlabeled rows{where}, {most}, but "
            f"{draw.size} was passed."
        )

"""Unlabeled rows to label by hand: drawn from all of them, or from strata by score."""

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
from pu_accessor.sources.column_values import read_values
from pu_accessor.sources.columns import find_columns
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.label_states import read_labels
from pu_accessor.terms import Seed, Terms

ADDED = ("stratum", "n", "n_negative", "n_unlabeled")  # columns that rows of strata get
_RAREST = 0.05  # an expected share of positives in a stratum is at least this far from 0 and 1


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
                f"strata must hold one to {MAX_STRATA - 1} thresholds, finite and different, but "
                f"{brief(self.strata)} was passed. For example strata=[0.2, 0.5]."
            )

    @property
    def is_apart(self) -> bool:
        """Whether rows are drawn from parts of the unlabeled."""
        return any(part is not None for part in (self.strata, self.below, self.above))

    @property
    def thresholds(self) -> FloatArray | None:
        """Thresholds of the score between strata, rising, where there are some."""
        if isinstance(self.strata, Hashable) and not is_number(self.strata):
            return None
        values = [*np.atleast_1d(np.asarray(self.strata, dtype=object))]
        if not all(map(is_number, values)):
            raise PUTypeError(
                "strata must be a threshold of the score, a list of them, or a column, but "
                f"{brief(self.strata)} was passed. For example strata=[0.2, 0.5]."
            )
        return np.sort(np.array(values, np.float64))

    @property
    def column(self) -> Hashable | None:
        """The column of the strata, where there is one."""
        return None if self.thresholds is not None else self.strata


def sample_unlabeled(source: FrameSource, roles: Terms, draw: Draw) -> Any:
    """Draw unlabeled rows at random, without replacement, as a user sees them."""
    apart = [("score", roles.models[0]), ("strata", draw.column)] if draw.is_apart else []
    named = [("label", roles.label), *(both for both in apart if both[1] is not None)]
    rows = source.rows(roles, named)
    columns = dict(find_columns(rows.frame, named))
    known = read_labels(columns["label"], roles)
    kinds = known.positive, known.negative, ~(known.positive | known.negative)
    seed = np.random.default_rng(draw.random_state)
    added: dict[str, Any] = {}
    facts = {"label": roles.label}
    if draw.is_apart:
        code, names = _find_strata(source, columns, kinds[2], roles, draw)
        counts = [np.bincount(code[kind & (code >= 0)], minlength=len(names)) for kind in kinds]
        sizes = _allocate(draw, names, counts[0], counts[2])
        parts = [np.flatnonzero(kinds[2] & (code == number)) for number in range(len(names))]
        drawn = seed.permutation(_draw_each(parts, sizes, seed))
        stratum = pd.Categorical([names[number] for number in code[drawn]], categories=names)
        added = dict(zip(ADDED, (stratum, *(n[code[drawn]] for n in counts)), strict=True))
    else:
        groups, every = rows.groups(roles), np.arange(known.positive.size)
        parts = [every[part][kinds[2][part]] for part in groups.rows]
        for key, part in zip(groups.keys, parts, strict=True):
            _check_size(draw, 1, part.size, f" in group {key!r}" if groups.names else "")
        drawn = _draw_each(parts, [int(draw.size)] * len(parts), seed)
        facts |= {} if groups.names else {"n_unlabeled": parts[0].size}
    sample = source.take(drawn, **added)
    if isinstance(sample, pd.DataFrame):
        sample.attrs.update(facts)
    return sample


def _draw_each(parts: list[IntArray], sizes: list[int], seed: np.random.Generator) -> IntArray:
    """Draw rows of each part, without replacement."""
    drawn = [seed.choice(part, n, replace=False) for part, n in zip(parts, sizes, strict=True)]
    return np.concatenate(drawn)


def _find_strata(
    source: FrameSource,
    columns: dict[str, pd.Series[Any]],
    unlabeled: BoolArray,
    roles: Terms,
    draw: Draw,
) -> tuple[IntArray, list[Any]]:
    """Return the number of each row's stratum, -1 where it is in none, and the strata's names."""
    if taken := [name for name in ADDED if name in source.names]:
        raise PUValueError(
            f"df must not have columns {taken} with strata, below or above: drawn rows get "
            "columns of these names. Rename or drop them first."
        )
    values, column = read_values(columns["score"], roles), columns.get("strata")
    eligible = ~(np.isnan(values) & roles.omits)
    if draw.below is not None:
        eligible &= ~(values >= draw.below)  # what has no score ranks last
    if draw.above is not None:
        eligible &= values >= draw.above
    if column is None:
        thresholds = np.empty(0) if draw.thresholds is None else draw.thresholds
        edges = [None, *thresholds.tolist(), None] if thresholds.size else [draw.above, draw.below]
        code = (values[:, np.newaxis] >= thresholds).sum(axis=1)  # what has no score ranks last
        names = [_name_part(*ends) for ends in pairwise(edges)]
    else:
        names = _name_values(column, eligible & unlabeled)
        code = pd.Index(names).get_indexer(pd.Index(column))  # -1 of known examples elsewhere
    code[~eligible] = -1
    return code, names


def _name_values(column: pd.Series[Any], free: BoolArray) -> list[Any]:
    """Return the values of a column of strata among the rows to draw from."""
    missing = column[column.isna().to_numpy() & free].index
    if missing.size:
        raise PUDataError(
            f"strata must cover the unlabeled rows, but column {column.name!r} is missing in "
            f"{missing.size} of {np.count_nonzero(free)}, row {missing.tolist()[0]!r} first. Give "
            "these a stratum, too."
        )
    names = [*dict.fromkeys(sorted(column[free].tolist(), key=str))]
    if not 2 <= len(names) <= MAX_STRATA:
        raise PUDataError(
            f"strata must have two to {MAX_STRATA} values among unlabeled rows, but column "
            f"{column.name!r} has {len(names)}: {brief(names)}. Join some, or leave it out."
        )
    return names


def _name_part(low: float | None, high: float | None) -> str:
    """Name the scores from one on and below another."""
    ends = [(">=", low), ("<", high)]
    return ", ".join(f"{sign} {float(end):.12g}" for sign, end in ends if end is not None)


def _allocate(draw: Draw, names: list[Any], known: IntArray, unlabeled: IntArray) -> list[int]:
    """Return how many rows to draw of each stratum: at least one."""
    for name, number in zip(names, unlabeled.tolist(), strict=True):
        if not number:
            raise PUDataError(
                f"strata, above and below must leave unlabeled rows in each part, but {name!r} "
                "holds none. Pass other thresholds, or leave them out."
            )
    size, total = int(draw.size), int(unlabeled.sum())
    left = " of these strata" if len(names) > 1 else " that above and below leave"
    _check_size(draw, len(names), total, left)
    spread = np.ones(unlabeled.size)  # of one label of each stratum, as a guess lets expect
    if draw.expected_beta is not None:
        among = (known + 0.5) / (known.sum() + 0.5 * known.size)
        positive = np.clip(
            draw.expected_beta * unlabeled.sum() * among / unlabeled, _RAREST, 1 - _RAREST
        )
        spread = np.sqrt(positive * (1 - positive))
    spread *= unlabeled
    further = np.minimum(unlabeled, size) - 1  # labels after the first
    stratum = np.repeat(np.arange(len(names)), further)
    labels = np.concatenate([np.arange(1, number + 1) for number in further.tolist()])
    gain = spread[stratum] / np.sqrt(labels * (labels + 1))
    chosen = stratum[np.argsort(-gain, kind="stable")[: size - len(names)]]
    sizes: list[int] = (1 + np.bincount(chosen, minlength=len(names))).tolist()
    return sizes


def _check_size(draw: Draw, least: int, most: int, where: str) -> None:
    """Raise unless as many rows are there, and enough are wanted."""
    if not least <= draw.size <= most:
        raise PUDataError(
            f"size must lie between {least} and the number of unlabeled rows{where}, {most}, but "
            f"{draw.size} was passed."
        )

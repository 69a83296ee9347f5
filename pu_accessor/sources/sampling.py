"""Unlabeled rows to label by hand: drawn from all of them, or from strata by score."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import check_option, check_share
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError, brief
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from pu_accessor.sources.columns import as_series, read_column, read_values
from pu_accessor.sources.groups import Groups
from pu_accessor.sources.labels import Labels, read_labels
from pu_accessor.sources.roles import Roles, Seed

ADDED = ("stratum", "n", "n_negative", "n_unlabeled")  # columns that rows of strata get
_RAREST = 0.05  # an expected share of positives in a stratum is at least this far from 0 and 1


@dataclass(frozen=True)
class Draw:
    """How many rows to draw, and from where."""

    size: int
    strata: Any = None  # a threshold of the score, or a column
    allocate: str = "proportional"
    expected_beta: float | None = None
    below: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int | np.integer):
            raise PUTypeError(f"size must be an integer, but {self.size!r} was passed.")
        check_option("allocate", self.allocate, ["neyman", "proportional"])
        for name in ("below", "above"):
            value = getattr(self, name)
            if value is not None and not _is_number(value):
                raise PUTypeError(f"{name} must be a score, but {brief(value)} was passed.")
        if (self.allocate == "neyman") != (self.expected_beta is not None):
            raise PUValueError(
                "expected_beta must be passed with allocate='neyman' and with nothing else, but "
                f"{self.expected_beta!r} was passed with {self.allocate!r}: it says about how "
                "many positives each stratum holds. A guess will do: expected_beta=0.1."
            )
        if self.expected_beta is not None:
            check_share("expected_beta", self.expected_beta)
        if self.allocate == "neyman" and self.strata is None:
            raise PUValueError(
                "strata must be passed with allocate='neyman', but None was: labels are shared "
                "between two strata. For example strata=0.5, a threshold of the score."
            )

    @property
    def is_apart(self) -> bool:
        """Whether rows are drawn from parts of the unlabeled."""
        return any(part is not None for part in (self.strata, self.below, self.above))

    @property
    def column(self) -> Hashable | None:
        """The column of the strata, where there is one."""
        return None if _is_number(self.strata) else self.strata


def sample_unlabeled(
    frame: pd.DataFrame, groups: Groups, roles: Roles, draw: Draw, random_state: Seed
) -> pd.DataFrame:
    """Draw unlabeled rows at random, without replacement."""
    known = _read(frame, roles, random_state)
    numbers = groups.numbers(len(frame))
    unlabeled = ~(known.positive | known.negative) & (numbers >= 0)
    available = np.bincount(numbers[unlabeled], minlength=len(groups.keys))
    for key, most in zip(groups.keys, available.tolist(), strict=True):
        _check_size(draw, 1, most, f" in group {key!r}" if groups.names else "")
    seed = np.random.default_rng(random_state)
    rows = frame[unlabeled]
    if groups.names:
        return rows.groupby(numbers[unlabeled]).sample(n=int(draw.size), random_state=seed)
    sample = rows.sample(n=int(draw.size), random_state=seed)  # other rows than of a single group
    sample.attrs.update(label=roles.label, n_unlabeled=int(available[0]))
    return sample


def sample_strata(
    frame: pd.DataFrame,
    score: pd.Series[Any],
    column: pd.Series[Any] | None,
    groups: Groups,
    roles: Roles,
    draw: Draw,
    random_state: Seed,
) -> pd.DataFrame:
    """Draw unlabeled rows of each stratum, in random order, with what the strata hold."""
    if groups.names:
        raise PUValueError(
            f"by must be left out with strata, below or above, but {[*groups.names]} was passed. "
            "Draw rows of one group after the other: df[df['site'] == 'a'].pu."
        )
    check_free(frame.columns)
    known, values = _read(frame, roles, random_state), read_values(score, roles)
    unlabeled = ~(known.positive | known.negative)
    eligible = ~(np.isnan(values) & roles.omits)
    if draw.below is not None:
        eligible &= ~(values >= draw.below)  # what has no score ranks last
    if draw.above is not None:
        eligible &= values >= draw.above
    code, names = _find_strata(draw, values, column, eligible & unlabeled)
    code[~eligible] = -1
    counts = [
        np.bincount(code[kind & (code >= 0)], minlength=len(names))
        for kind in (known.positive, known.negative, unlabeled)
    ]
    sizes = _allocate(draw, names, counts[0], counts[2])
    seed = np.random.default_rng(random_state)
    drawn = [
        seed.choice(np.flatnonzero(unlabeled & (code == number)), size, replace=False)
        for number, size in enumerate(sizes)
    ]
    rows = seed.permutation(np.concatenate(drawn))
    stratum = pd.Categorical([names[number] for number in code[rows]], categories=names)
    columns = zip(ADDED, (stratum, *(count[code[rows]] for count in counts)), strict=True)
    sample = frame.iloc[rows].assign(**dict(columns))
    sample.attrs.update(label=roles.label)
    return sample


def single_score(roles: Roles) -> Hashable:
    """Return the column of scores, of one model."""
    if len(roles.models) > 1:
        raise PUValueError(
            f"score must name one column with strata, below or above, but {roles.models} was "
            "passed. Draw rows by the score of one model: df.pu(score='svm')."
        )
    return roles.models[0]


def check_free(columns: Collection[Hashable]) -> None:
    """Raise if a column has the name of one that is added."""
    if taken := [name for name in ADDED if name in columns]:
        raise PUValueError(
            f"df must not have columns {taken} with strata, below or above: drawn rows get "
            "columns of these names. Rename or drop them first."
        )


def _find_strata(
    draw: Draw, values: FloatArray, column: pd.Series[Any] | None, free: BoolArray
) -> tuple[IntArray, list[Any]]:
    """Return the number of each row's stratum, and the strata's names."""
    if column is not None:
        missing = int(np.count_nonzero(column.isna().to_numpy() & free))
        if missing:
            raise PUDataError(
                f"strata must cover the unlabeled rows, but column {column.name!r} is missing in "
                f"{missing} of {np.count_nonzero(free)}. Give these a stratum, too."
            )
        names = sorted(column.to_numpy()[free].tolist(), key=str)
        names = [*dict.fromkeys(names)]
        if len(names) != 2:
            raise PUDataError(
                f"strata must tell two kinds of unlabeled rows apart, but column {column.name!r} "
                f"has {len(names)}: {brief(names)}. Join some of them."
            )
        return pd.Categorical(column, categories=names).codes.astype(np.int64), names
    if draw.strata is not None:
        cutoff = f"{float(draw.strata):.12g}"
        return (values >= draw.strata).astype(np.int64), [f"< {cutoff}", f">= {cutoff}"]
    ends = [(">=", draw.above), ("<", draw.below)]
    name = ", ".join(f"{sign} {float(end):.12g}" for sign, end in ends if end is not None)
    return np.zeros(values.size, np.int64), [name]


def _allocate(draw: Draw, names: list[Any], known: IntArray, unlabeled: IntArray) -> list[int]:
    """Return how many rows to draw of each stratum: at least one."""
    for name, number in zip(names, unlabeled.tolist(), strict=True):
        if not number:
            raise PUDataError(
                f"Each stratum must hold unlabeled rows, but {name!r} holds none. Pass another "
                "threshold, or leave strata out."
            )
    size, total = int(draw.size), int(unlabeled.sum())
    _check_size(draw, len(names), total, " of these strata" if len(names) > 1 else f" {names[0]}")
    if len(names) == 1:
        return [size]
    share = _shares(draw, known, unlabeled)[0]
    first, second = unlabeled.tolist()
    part = min(max(round(size * share), size - second, 1), first, size - 1)
    return [part, size - part]


def _shares(draw: Draw, known: IntArray, unlabeled: IntArray) -> FloatArray:
    """Return the share of all labels that each stratum gets.

    Neyman's are in proportion to its size and to the standard deviation of one label ([1]_). It is
    that of the share of positives that a guess of beta and the known positives let expect.

    References
    ----------
    .. [1] J. Neyman, *On the two different aspects of the representative method*, Journal of the
       Royal Statistical Society 97 (1934) 558-625.
    """
    spread = np.ones(unlabeled.size)
    if draw.expected_beta is not None:
        among = (known + 0.5) / (known.sum() + 0.5 * known.size)
        positive = np.clip(
            draw.expected_beta * unlabeled.sum() * among / unlabeled, _RAREST, 1 - _RAREST
        )
        spread = np.sqrt(positive * (1 - positive))
    shares: FloatArray = unlabeled * spread / (unlabeled * spread).sum()
    return shares


def _read(frame: pd.DataFrame, roles: Roles, random_state: Seed) -> Labels:
    """Read the labels of rows that may be drawn, and check the seed."""
    labels = read_column(frame, "label", roles.label)
    if roles.weight is not None:
        raise PUValueError(
            f"weight must be left out of sample_to_label, but {roles.weight!r} was bound: beta is "
            "the weighted share, and rows are drawn with equal probabilities. Draw them by "
            "weight: df[df['label'].isna()].sample(100, weights='w', replace=True).",
            page="clusters#weights",
        )
    _check_seed(random_state)
    return read_labels(as_series("label", labels), roles)


def _check_size(draw: Draw, least: int, most: int, where: str) -> None:
    """Raise unless as many rows are there, and enough are wanted."""
    if not least <= draw.size <= most:
        raise PUDataError(
            f"size must lie between {least} and the number of unlabeled rows, {most}{where}, but "
            f"{draw.size} was passed."
        )


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


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

"""The methods of ``df.pu`` for data in pieces that no memory holds together."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.accessors.frames import FrameAccessor
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.ranking import Keyed, PairedRanks, Rankings, Ranks
from pu_accessor.sources.chunks import Chunks, Pieces
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.labels import Values
from pu_accessor.sources.pieces import pair_pieces, rank_pieces

__all__ = ["PiecesAccessor", "ranking_from_chunks"]


class PiecesAccessor(FrameAccessor):
    """The methods of ``df.pu``, for a frame in pieces.

    Parameters
    ----------
    pieces : Pieces
        The frame.
    by : hashable or list of hashable, optional
        Columns of a groupby that the accessor sits on.
    """

    def __init__(self, pieces: Pieces, by: Any = None) -> None:
        self._pieces = pieces
        self._by = by

    def __repr__(self) -> str:
        columns = ", ".join(map(str, self._pieces.example().columns))
        return f"<df.pu of data in pieces, with the columns {columns}>"

    def _repr_html_(self) -> str:
        return f"<pre>{repr(self)[1:-1]}</pre>"

    def contingency(
        self, beta: GroupBeta, *, ranks: Ranks = "breakpoints", **keywords: Any
    ) -> xr.Dataset:
        """Bound the contingency table at the breakpoints, or at some ranks.

        Parameters
        ----------
        beta : float, array-like of float, or mapping or Series of float by group
            As in ``df.pu.contingency``.
        ranks : "breakpoints", int or array-like of int, default "breakpoints"
            As there, but not all cutoffs: these take all scores in one place.
        **keywords
            As there.

        Returns
        -------
        Dataset
            As there.
        """
        return super().contingency(beta, ranks=ranks, **keywords)

    def sample_to_label(
        self,
        size: int,
        *,
        random_state: int | np.random.Generator,
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
    ) -> pd.DataFrame:
        """Say that rows in pieces are not drawn.

        Raises
        ------
        PUTypeError
            Always.
        """
        raise PUTypeError(
            "sample_to_label draws rows of a frame in memory, but this one is in pieces. Draw "
            "some of its rows first: ddf.sample(frac=0.01, random_state=0).compute()."
        )

    def _rank(
        self,
        score: Hashable | list[Hashable],
        label: Hashable,
        by: Hashable | list[Hashable] | None,
        coding: Coding,
        ranks: Ranks,
        propensity: Hashable | None = None,
    ) -> Rankings:
        """Rank the rows of all pieces, of each group, by each column of scores."""
        return rank_pieces(
            self._pieces,
            score=score,
            label=label,
            by=self._keys(by),
            propensity=propensity,
            coding=coding,
            ranks=ranks,
        )

    def _pair(
        self,
        score: Hashable | list[Hashable],
        label: Hashable,
        by: Hashable | list[Hashable] | None,
        on: Hashable | list[Hashable] | None,
        coding: Coding,
    ) -> Keyed[PairedRanks]:
        """Rank the rows of all pieces by several columns of scores."""
        return pair_pieces(
            self._pieces, score=score, label=label, by=self._keys(by), on=on, coding=coding
        )

    def _keys(self, by: Hashable | list[Hashable] | None) -> Any:
        """Return the columns of keys, from `by` or the groupby."""
        if self._by is not None and by is not None:
            raise PUValueError(
                f"by must not be passed on a groupby, but {by!r} was. Group by all keys at once: "
                "ddf.groupby([...]).pu."
            )
        return self._by if by is None else by


def ranking_from_chunks(
    chunks: Iterable[Any] | Callable[[], Iterable[Any]],
) -> PiecesAccessor:
    """Rank scores that come in chunks, in memory that does not grow with their number.

    Chunks are gone through a few times: for the labeled scores, to count all others between them,
    and for the corners of curves. Only labeled scores and counts are kept. Results are those of
    ``df.pu`` for the same rows in one frame.

    Parameters
    ----------
    chunks : iterable, or callable that returns one
        Of DataFrames, or of pairs (score, label) of array-likes, whose columns then are called
        "score" and "label". An iterator that can be gone through once is refused; pass a function
        that opens it.

    Returns
    -------
    accessor
        With the methods of ``df.pu``: `roc_bounds`, `contingency` (at ``ranks="breakpoints"``),
        `auroc`, plots and all others but `sample_to_label`.

    Raises
    ------
    PUTypeError
        If `chunks` is no such iterable.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> chunks = [(range(9, 5, -1), label[:4]), (range(5, 0, -1), label[4:])]
    >>> ranking = pu_accessor.ranking_from_chunks(chunks)
    >>> ranking.roc_bounds(beta=0.5)["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
    {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
    """
    return PiecesAccessor(Chunks(chunks))

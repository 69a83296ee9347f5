"""``import pu_accessor.dask`` puts ``pu`` on dask DataFrames and their groupbys.

The methods are those of ``df.pu``, and run on dask's scheduler. Partitions return only labeled
scores, a sample of the others, counts, and a few scores near cutoffs.
"""

from collections.abc import Hashable
from functools import reduce
from typing import Any, cast

import pandas as pd

from pu_accessor.counting.threads import one_thread
from pu_accessor.errors import PUError, PUImportError, PUTypeError, PUValueError, brief
from pu_accessor.questions.accessor import Accessor
from pu_accessor.sources.chunks import Apply, Chunks, Merge, Result
from pu_accessor.sources.pieces import PiecesSource

try:
    import dask.dataframe as dd
    from dask.base import compute
    from dask.dataframe.extensions import register_dataframe_accessor
    from dask.delayed import delayed
except ImportError as error:
    raise PUImportError(
        "pu_accessor.dask needs dask, which is not installed: pip install 'pu_accessor[dask]'."
    ) from error

__all__ = ["Partitions"]

_MERGED_TOGETHER = 16  # results of partitions


class Partitions(Chunks):
    """The partitions of a dask DataFrame."""

    name = "ddf"

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def example(self) -> pd.DataFrame:
        """Return an empty frame with the same columns."""
        return cast("pd.DataFrame", self._frame._meta)

    def fold(
        self, function: Apply[Result], merge: Merge[Result], columns: list[Hashable]
    ) -> Result:
        """Apply a function to some columns of each partition, and merge the results."""
        partitions = self._frame[columns].to_delayed()
        # As one node of the graph the function, with its data, is sent once to each worker.
        applied = delayed(function, pure=True)
        results = [delayed(_apply, pure=True)(applied, partition) for partition in partitions]
        while len(results) > 1:
            starts = range(0, len(results), _MERGED_TOGETHER)
            groups = [results[start : start + _MERGED_TOGETHER] for start in starts]
            results = [delayed(reduce)(merge, group) for group in groups]
        try:
            return cast("Result", compute(results[0])[0])
        except Exception as error:
            # By name, as distributed may not be installed.
            if type(error).__module__ != "distributed.scheduler":
                raise
            raise PUError(
                "ddf could not be read, as the workers of the cluster died or are gone "
                f"({type(error).__name__}: {brief(str(error))}). There is no result, not even a "
                "partial one. Give workers more memory, or make partitions smaller: "
                "ddf.repartition(partition_size='50MB')."
            ) from error


def _apply(function: Apply[Result], partition: pd.DataFrame) -> Result:
    """Apply a function to a partition, in the thread of dask only."""
    with one_thread():
        return function(partition)


def _groupby_source(grouped: Any) -> PiecesSource:
    """Return the source of a groupby of columns."""
    if getattr(grouped, "_slice", None) is not None:
        raise PUTypeError(
            "A groupby must be one of a whole frame, but some of its columns are selected. "
            "Leave the selection out: ddf.groupby('key').pu."
        )
    keys = list(grouped.by)
    if not all(key in grouped.obj.columns for key in keys):
        raise PUTypeError(
            "A groupby must be one of columns, but it groups by other values. Make these a "
            "column first: ddf.assign(key=ddf['score'] > 0).groupby('key')."
        )
    for name in ("sort", "dropna"):
        if getattr(grouped, name) is False:
            raise PUValueError(
                f"A groupby of data in partitions must have {name}=True, the default, but False "
                "was passed: keys are sorted, and rows without one are left out."
            )
    return PiecesSource(Partitions(grouped.obj), keys[0] if len(keys) == 1 else keys)


def _register() -> None:
    """Add ``pu`` to dask DataFrames and their groupbys."""
    groupby = type(dd.from_pandas(pd.DataFrame({"key": [0]}), npartitions=1).groupby("key"))
    groupby.pu = property(lambda grouped: Accessor(_groupby_source(grouped)))
    if getattr(dd.DataFrame, "pu", None) is None:
        register_dataframe_accessor("pu")(lambda frame: Accessor(PiecesSource(Partitions(frame))))


_register()

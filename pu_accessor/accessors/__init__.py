"""Accessors: methods that put a question to a source or to tables, and their registration."""

from collections.abc import Callable

import pandas as pd
import xarray as xr

from pu_accessor.accessors.accessor import Accessor
from pu_accessor.accessors.tables import TablesAccessor
from pu_accessor.sources.frames import FrameSource

__all__ = ["Accessor", "FrameAccessor", "TablesAccessor", "register"]


class FrameAccessor(Accessor):
    """``df.pu``: bounds on a ranking's performance, from known positives and unlabeled rows.

    Parameters
    ----------
    frame : DataFrame
        A row for each example, with a column of scores and one of labels.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__(FrameSource(frame))


def register() -> None:
    """Put ``pu`` on DataFrames, their groupbys and Datasets, once.

    pandas and xarray warn at the second time; pandas has no registration for groupbys.
    """
    _register(pd.DataFrame, pd.api.extensions.register_dataframe_accessor, FrameAccessor)
    pd.api.typing.DataFrameGroupBy.pu = property(  # type: ignore[attr-defined]
        lambda grouped: Accessor(FrameSource(grouped.obj, grouped))
    )
    _register(xr.Dataset, xr.register_dataset_accessor, TablesAccessor)


def _register(
    kind: type, registration: Callable[[str], Callable[[type], type]], accessor: type
) -> None:
    if getattr(kind, "pu", None) is not accessor:
        registration("pu")(accessor)

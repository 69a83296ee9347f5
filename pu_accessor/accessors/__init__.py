"""Accessors: methods that put a question to a source or to tables, and their registration."""

from collections.abc import Callable
from typing import cast

import pandas as pd
import xarray as xr

from pu_accessor.accessors.accessor import Accessor
from pu_accessor.accessors.tables import TablesAccessor
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.groups import Grouping

__all__ = ["Accessor", "FrameAccessor", "GroupByAccessor", "TablesAccessor", "register"]


class FrameAccessor(Accessor):
    """``df.pu``: bounds on a ranking's performance, from known positives and unlabeled rows.

    Parameters
    ----------
    frame : DataFrame
        A row for each example, with a column of scores and one of labels.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__(FrameSource(frame))


class GroupByAccessor(Accessor):
    """``df.groupby(...).pu``: the methods of ``df.pu``, for each group, without ``by``.

    Parameters
    ----------
    grouped : DataFrameGroupBy
        Its `sort`, `dropna` and `observed` are honoured; a selection of columns is not needed.
    """

    def __init__(self, grouped: Grouping) -> None:
        super().__init__(FrameSource(cast("pd.DataFrame", grouped.obj), grouped))


def register() -> None:
    """Put ``pu`` on DataFrames, their groupbys and Datasets, once.

    pandas and xarray warn at the second time; pandas has no registration for groupbys.
    """
    _register(pd.DataFrame, pd.api.extensions.register_dataframe_accessor, FrameAccessor)
    pd.api.typing.DataFrameGroupBy.pu = property(GroupByAccessor)  # type: ignore[attr-defined]
    _register(xr.Dataset, xr.register_dataset_accessor, TablesAccessor)


def _register(
    kind: type, registration: Callable[[str], Callable[[type], type]], accessor: type
) -> None:
    if getattr(kind, "pu", None) is not accessor:
        registration("pu")(accessor)

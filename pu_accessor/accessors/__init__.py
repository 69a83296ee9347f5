"""Accessors: methods that put a question to a ranking or to tables, and their registration.

An accessor keeps the object it sits on and nothing else; nothing is computed here.
"""

from collections.abc import Callable
from typing import cast

import pandas as pd
import xarray as xr

from pu_accessor.accessors.datasets import DatasetAccessor
from pu_accessor.accessors.frames import FrameAccessor
from pu_accessor.sources.groups import Grouping

__all__ = ["DatasetAccessor", "FrameAccessor", "GroupByAccessor", "register"]


class GroupByAccessor(FrameAccessor):
    """``df.groupby(...).pu``: the methods of ``df.pu``, for each group, without ``by``.

    Parameters
    ----------
    grouped : DataFrameGroupBy
        Its `sort`, `dropna` and `observed` are honoured; a selection of columns is not needed.
    """

    def __init__(self, grouped: Grouping) -> None:
        super().__init__(cast("pd.DataFrame", grouped.obj), grouped)


def register() -> None:
    """Put ``pu`` on DataFrames, their groupbys and Datasets, once.

    pandas and xarray warn at the second time; pandas has no registration for groupbys.
    """
    _register(pd.DataFrame, pd.api.extensions.register_dataframe_accessor, FrameAccessor)
    pd.api.typing.DataFrameGroupBy.pu = property(GroupByAccessor)  # type: ignore[attr-defined]
    _register(xr.Dataset, xr.register_dataset_accessor, DatasetAccessor)


def _register(
    kind: type, registration: Callable[[str], Callable[[type], type]], accessor: type
) -> None:
    if getattr(kind, "pu", None) is not accessor:
        registration("pu")(accessor)

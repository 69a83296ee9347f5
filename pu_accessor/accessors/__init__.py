"""Accessors: methods that put a question to a ranking or to tables, and their registration.

An accessor keeps the object it sits on and nothing else; nothing is computed here.
"""

from collections.abc import Callable

import pandas as pd
import xarray as xr

from pu_accessor.accessors.datasets import DatasetAccessor
from pu_accessor.accessors.frames import FrameAccessor

__all__ = ["DatasetAccessor", "FrameAccessor", "register"]


def register() -> None:
    """Put ``pu`` on DataFrames and Datasets, once: both libraries warn at the second time."""
    _register(pd.DataFrame, pd.api.extensions.register_dataframe_accessor, FrameAccessor)
    _register(xr.Dataset, xr.register_dataset_accessor, DatasetAccessor)


def _register(
    kind: type, registration: Callable[[str], Callable[[type], type]], accessor: type
) -> None:
    if getattr(kind, "pu", None) is not accessor:
        registration("pu")(accessor)

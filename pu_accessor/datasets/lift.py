"""A function of plain arrays -> one of Variables, in memory or in chunks."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr

__all__ = ["lift"]


def lift(
    function: Callable[..., Any],
    arrays: Sequence[xr.DataArray | xr.Variable],
    core: Sequence[Sequence[str]] | None = None,
    outputs: int = 1,
) -> Any:
    """Apply a function of arrays that returns floats to labeled ones, or to each of their chunks.

    Nothing is aligned: they come from one Dataset.
    """
    return xr.apply_ufunc(
        function,
        *(array.variable if isinstance(array, xr.DataArray) else array for array in arrays),
        input_core_dims=core,
        output_core_dims=[[]] * outputs,
        keep_attrs=False,
        dask="parallelized",
        output_dtypes=[np.float64] * outputs,
        dask_gufunc_kwargs={"allow_rechunk": True},
    )

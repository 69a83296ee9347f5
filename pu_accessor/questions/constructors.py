"""The functions that make accessors, the registration of ``pu``, and the example data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Unpack, overload

import pandas as pd
import xarray as xr

from pu_accessor import roles_and_assumptions as terms
from pu_accessor.checks import with_example
from pu_accessor.errors import PUTypeError
from pu_accessor.questions.accessor import Accessor
from pu_accessor.questions.datasets import TablesAccessor
from pu_accessor.sources.chunks import Chunks
from pu_accessor.sources.columns import FROM_SPARSE, Column
from pu_accessor.sources.frames import FrameSource, source_of_arrays
from pu_accessor.sources.groups import Grouping
from pu_accessor.sources.pieces import PiecesSource

if TYPE_CHECKING:
    import dask.dataframe as dd
    import polars as pl
    from polars.dataframe.group_by import GroupBy

# What to do first with data of other packages.
_FIRST_STEPS = {
    "dask": "Import pu_accessor.dask first.",
    "duckdb": "Fetch its rows first: data.df().pu.",
    "polars": "Import pu_accessor.polars first.",
    "pyarrow": "Make it a frame first: data.to_pandas().pu.",
    "scipy": FROM_SPARSE,
}


class FrameAccessor(Accessor):
    """``df.pu``: evaluate classifiers from known positives and unlabeled rows.

    Parameters
    ----------
    frame : DataFrame
        Columns of scores and of labels.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__(FrameSource(frame))


def register() -> None:
    """Register ``pu`` on DataFrames, their groupbys and Datasets, once."""
    if getattr(pd.DataFrame, "pu", None) is not FrameAccessor:
        pd.api.extensions.register_dataframe_accessor("pu")(FrameAccessor)
    pd.api.typing.DataFrameGroupBy.pu = property(  # type: ignore[attr-defined]
        lambda grouped: Accessor(FrameSource(grouped.obj, grouped))
    )
    if getattr(xr.Dataset, "pu", None) is not TablesAccessor:
        xr.register_dataset_accessor("pu")(TablesAccessor)  # type: ignore[no-untyped-call]


@overload
def pu(data: pd.DataFrame, **roles: Unpack[terms.FrameRoles]) -> Accessor: ...
@overload
def pu(data: Grouping, **roles: Unpack[terms.GroupRoles]) -> Accessor: ...
@overload
def pu(data: xr.Dataset) -> TablesAccessor: ...
@overload
def pu(data: xr.Dataset, **roles: Unpack[terms.SampleRoles]) -> Accessor: ...
@overload
def pu(
    data: pl.DataFrame | pl.LazyFrame | dd.DataFrame, **roles: Unpack[terms.FrameRoles]
) -> Accessor: ...
@overload
def pu(data: GroupBy, **roles: Unpack[terms.GroupRoles]) -> Accessor: ...
@with_example("pu_accessor.pu(df, score='score', label='label').auroc(0.3)")
def pu(data: Any, **roles: Any) -> Accessor | TablesAccessor:
    """Return ``data.pu(**roles)`` for data of any kind, with types.

    Parameters
    ----------
    data : DataFrame, groupby or Dataset
        Of pandas, polars, dask or xarray; a Dataset without roles has tables.
    **roles
        As in ``df.pu``.

    Returns
    -------
    Accessor
        The methods of ``df.pu``; of tables those of ``ds.pu``.

    Raises
    ------
    PUTypeError
        If data are of another kind.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.pu(pu_accessor.load_example(), score="score")
    <df.pu>
    known positives  202
    known negatives  0
    unlabeled        1,798
    distinct scores  1,995 in 2,000 scores (ties share a cutoff)
    """
    if not hasattr(type(data), "pu"):
        package = type(data).__module__.replace("_", ".").partition(".")[0]  # or dask_expr
        step = _FIRST_STEPS.get(
            package, "For scores and labels in two arrays: pu_accessor.from_arrays(score, label)."
        )
        raise PUTypeError(
            "data must be a DataFrame, a groupby of one, or a Dataset of samples, but a "
            f"{type(data).__name__} was passed. {step}"
        )
    of_tables = isinstance(data, xr.Dataset) and not roles
    accessor: Accessor | TablesAccessor = data.pu if of_tables else data.pu(**roles)
    return accessor


@with_example("pu_accessor.from_arrays(score, label).auroc(0.3)")
def from_arrays(score: Column, label: Column, **roles: Unpack[terms.ArrayRoles]) -> Accessor:
    """Evaluate scores and labels given as two array-likes of the same length.

    Parameters
    ----------
    score : array-like of float
        Higher is more positive.
    label : array-like
        True, false and missing are positive, negative and unlabeled.
    **roles
        As in ``df.pu``; cluster, weight, count and propensity are array-likes of the same length.

    Returns
    -------
    Accessor

    Raises
    ------
    PUTypeError, PUValueError
        If arrays differ in length or have the wrong dtype, or a role is unknown.

    Examples
    --------
    >>> import pu_accessor
    >>> ranked = pu_accessor.from_arrays([5, 4, 3, 2, 1], [None, 1, 1, None, None])
    >>> ranked.auroc(beta=0.3, target="examples")["estimate"].round(3).item()
    1.0
    """
    terms.check_known("pu_accessor.from_arrays", roles, terms.ArrayRoles.__annotations__)
    arrays: dict[str, Any] = {role: roles.get(role) for role in terms.OTHERS}
    coding = {role: value for role, value in roles.items() if role not in terms.OTHERS}
    return Accessor(*source_of_arrays(score, label, terms.Terms().update(**coding), **arrays))


@with_example("pu_accessor.from_chunks(chunks).auroc(0.3)")
def from_chunks(
    chunks: Iterable[Any] | Callable[[], Iterable[Any]], **roles: Unpack[terms.FrameRoles]
) -> Accessor:
    """Evaluate scores that come in chunks, in bounded memory.

    Parameters
    ----------
    chunks : iterable of DataFrame, or a function that returns one
        Frames with the same columns, of pandas, polars or Arrow. They are read several times: pass
        a generator function, not a generator.
    **roles
        As in ``df.pu``.

    Returns
    -------
    Accessor
        At breakpoints.

    Raises
    ------
    PUTypeError
        If chunks are not such frames, or a role is unknown.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> ranked = pu_accessor.from_chunks([df[:1000], df[1000:]])
    >>> ranked.auroc(0.17).equals(df.pu.auroc(0.17))
    True
    """
    terms.check_known("pu_accessor.from_chunks", roles, terms.ROLES)
    return Accessor(PiecesSource(Chunks(chunks)), terms.Terms().update(**roles))


def load_example() -> pd.DataFrame:
    """Return 2,000 simulated patients: the scores of two models, labels and the true classes.

    A quarter of the patients have a disease. Four in ten of these, drawn at random, have a
    diagnosis: they are the known positives, all others are unlabeled. The rows come from a fixed
    seed (``tests/support/example.py``).

    Returns
    -------
    DataFrame
        A row for each patient. ``site`` is the hospital, "east" or "west". ``score`` is the
        probability of the disease from a new model, which is better in the east. ``old_score`` is
        that of an old model. ``label`` is 1.0 with a diagnosis and NaN without. ``truth`` is True
        for a patient with the disease; real data do not have this column.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu
    <df.pu>
    known positives  202
    known negatives  0
    unlabeled        1,798
    distinct scores  1,995 in 2,000 scores (ties share a cutoff)
    """
    with files("pu_accessor").joinpath("example.csv").open(encoding="utf-8") as rows:
        return pd.read_csv(rows).astype({"truth": bool})

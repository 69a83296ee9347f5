"""Functions that return an accessor: of any data, of arrays, of chunks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import wraps
from inspect import signature
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    ParamSpec,
    Required,
    TypeAlias,
    TypedDict,
    Unpack,
    overload,
)

import pandas as pd
import xarray as xr

from pu_accessor.accessors.accessor import Accessor
from pu_accessor.accessors.tables import TablesAccessor
from pu_accessor.errors import PUTypeError, suggestion
from pu_accessor.sources.chunks import Chunks
from pu_accessor.sources.columns import Column
from pu_accessor.sources.frames import ArraySource
from pu_accessor.sources.groups import Grouping
from pu_accessor.sources.pieces import PiecesSource
from pu_accessor.sources.roles import ColumnNames, Pool, Roles, Values

if TYPE_CHECKING:
    import dask.dataframe as dd
    import polars as pl
    from polars.dataframe.group_by import GroupBy


NanPolicy: TypeAlias = Literal["raise", "omit", "worst"]
OnError: TypeAlias = Literal["raise", "skip"]
Arguments = ParamSpec("Arguments")
# What comes before `pu`, by the package that data are of.
_FIRST = {
    "dask": "Import pu_accessor.dask first.",
    "duckdb": "Fetch its rows first: data.df().pu.",
    "polars": "Import pu_accessor.polars first.",
    "pyarrow": "Make it a frame first: data.to_pandas().pu.",
}


class SharedRoles(TypedDict, total=False):
    """What can be said of data of any kind."""

    label: Hashable
    propensity: Hashable | None
    cluster: Hashable | None
    weight: Hashable | None
    positive: Values
    negative: Values
    unlabeled: Values
    nan_policy: NanPolicy
    on_error: OnError
    progress: bool
    monotone: bool


class SampleRoles(SharedRoles, total=False):
    """What can be said of the variables of samples."""

    score: Hashable
    dim: Required[Hashable]


class GroupRoles(SharedRoles, total=False):
    """What can be said of the columns of groups."""

    score: ColumnNames
    pool: Pool


class FrameRoles(GroupRoles, total=False):
    """What can be said of the columns of a frame."""

    by: ColumnNames | None


@overload
def pu(data: pd.DataFrame, **roles: Unpack[FrameRoles]) -> Accessor: ...
@overload
def pu(data: Grouping, **roles: Unpack[GroupRoles]) -> Accessor: ...
@overload
def pu(data: xr.Dataset) -> TablesAccessor: ...
@overload
def pu(data: xr.Dataset, **roles: Unpack[SampleRoles]) -> Accessor: ...
@overload
def pu(data: pl.DataFrame | dd.DataFrame, **roles: Unpack[FrameRoles]) -> Accessor: ...
@overload
def pu(data: GroupBy, **roles: Unpack[GroupRoles]) -> Accessor: ...
def pu(data: Any, **roles: Any) -> Accessor | TablesAccessor:
    """Say what the columns of any data mean: ``data.pu(**roles)`` as a function with types.

    Type checkers and editors do not know ``df.pu``, which is put on classes of other packages. Of
    what this function returns they know all methods.

    Parameters
    ----------
    data : DataFrame, groupby or Dataset
        A frame of pandas, or its groupby; a Dataset of samples, or of tables; a frame of dask or
        polars, or its groupby, once ``pu_accessor.dask`` or ``pu_accessor.polars`` is imported.
    **roles
        What the columns mean, as in the call of ``df.pu``: score, label, by, propensity, cluster,
        weight, positive, negative, unlabeled, nan_policy, on_error, progress, pool and monotone.
        Of samples also dim, the dimension of the samples, which must be passed, and neither by nor
        pool. None of tables.

    Returns
    -------
    Accessor or TablesAccessor
        With the methods of ``df.pu``; of a Dataset without roles, with those of ``ds.pu``.

    Raises
    ------
    PUTypeError
        If data are of another kind, or there is no such role.
    PUValueError
        If an option has another value.

    See Also
    --------
    pu_accessor.from_arrays : Of two arrays.
    pu_accessor.from_chunks : Of data that do not fit into memory.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> df = pd.DataFrame({"p": range(9, 0, -1), "y": [0, 1, 1, 0, 0, 1, 0, 0, 0]})
    >>> pu = pu_accessor.pu(df, score="p", label="y", unlabeled=0)
    >>> pu.auroc(0.5)[["beta", "estimate"]].round(2)
       beta  estimate
    0   0.5       1.0
    """
    if not hasattr(type(data), "pu"):
        package = type(data).__module__.partition(".")[0]
        step = _FIRST.get(
            package, "For scores and labels in two arrays: pu_accessor.from_arrays(score, label)."
        )
        raise PUTypeError(
            "data must be a DataFrame, a groupby of one, or a Dataset of samples, but a "
            f"{type(data).__name__} was passed. {step}"
        )
    of_tables = isinstance(data, xr.Dataset) and not roles
    accessor: Accessor | TablesAccessor = data.pu if of_tables else data.pu(**roles)
    return accessor


def _names_arguments(function: Callable[Arguments, Accessor]) -> Callable[Arguments, Accessor]:
    """Make a function name its arguments where another one is passed."""
    expected = signature(function)

    @wraps(function)
    def checked(*args: Arguments.args, **keywords: Arguments.kwargs) -> Accessor:
        try:
            expected.bind(*args, **keywords)
        except TypeError as error:
            name, names = function.__name__, [*expected.parameters]
            unknown = next((word for word in keywords if word not in names), "")
            raise PUTypeError(
                f"pu_accessor.{name}: {error}.{suggestion(unknown, names)} It takes "
                f"{', '.join(names)}; a question goes into a method of what it returns."
            ) from None
        return function(*args, **keywords)

    return checked


@_names_arguments
def from_arrays(
    score: Column,
    label: Column,
    *,
    propensity: Column | None = None,
    cluster: Column | None = None,
    weight: Column | None = None,
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
    nan_policy: NanPolicy = "raise",
) -> Accessor:
    """Rank examples given as two array-likes, paired by position.

    Parameters
    ----------
    score : array-like of numbers, shape (examples,)
        Higher is more positive.
    label : array-like, shape (examples,)
        True or 1 for a known positive, False or 0 for a known negative, missing for unlabeled.
    propensity : array-like of numbers, shape (examples,), optional
        Probability with which each positive is labeled, in (0, 1]. That of others is not read.
    cluster : array-like, shape (examples,), optional
        Which examples belong together: several of one patient, user or site.
    weight : array-like of numbers, shape (examples,), optional
        For how many rows each example stands, 1 or more.
    positive, negative, unlabeled : value or list of values, optional
        What stands for each state in another coding of the labels.
    nan_policy : {"raise", "omit", "worst"}, default "raise"
        Examples without a score raise, are dropped, or rank last (one shared cutoff).

    Returns
    -------
    Accessor
        With the methods of ``df.pu``.

    Raises
    ------
    PUTypeError
        If there is no such argument. When a question is asked: if scores are no numbers.
    PUValueError
        When a question is asked: if the two differ in length, scores are missing, or labels are
        ambiguous or of an unknown value.

    See Also
    --------
    pu_accessor.from_chunks : Where they do not fit into memory.
    pu_accessor.pu : Of a frame.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> pu = pu_accessor.from_arrays(range(9, 0, -1), label)
    >>> pu.contingency(0.5, ranks=3)["tp"].sel(rank=3, beta=0.5).to_series().to_dict()
    {'lower': 2, 'estimate': 3, 'upper': 3}
    """
    roles = Roles(positive=positive, negative=negative, unlabeled=unlabeled, nan_policy=nan_policy)
    others = {"propensity": propensity, "cluster": cluster, "weight": weight}
    return Accessor(ArraySource(score, label, **others), roles)


@_names_arguments
def from_chunks(
    chunks: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    score: ColumnNames = "score",
    label: Hashable = "label",
    by: ColumnNames | None = None,
    propensity: Hashable | None = None,
    cluster: Hashable | None = None,
    weight: Hashable | None = None,
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
    nan_policy: NanPolicy = "raise",
    on_error: OnError = "raise",
    progress: bool = False,
    monotone: bool = False,
) -> Accessor:
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
    score : hashable or list of hashable, default "score"
        Column of numbers, higher is more positive; tied scores share a cutoff. A list has a
        column for each model.
    label : hashable, default "label"
        Column of labels: True or 1 for a known positive, False or 0 for a known negative,
        missing for unlabeled.
    by : hashable or list of hashable, optional
        Columns whose values make groups, each ranked apart, as ``df.groupby(by).pu`` does.
    propensity : hashable, optional
        Column of the probabilities in (0, 1] with which positives are labeled, where the known
        ones are no simple random sample. That of known positives alone is read.
    cluster : hashable, optional
        Column that says which rows belong together: several of one patient, user or site.
        Intervals on new examples then count clusters, not rows: sums by cluster take a further
        pass, and memory for each cluster.
    weight : hashable, optional
        Column that says for how many rows each stands, 1 or more. Rows with weights are sorted in
        memory: the columns that are named are read into one frame.
    positive, negative, unlabeled : value or list of values, optional
        What stands for each state in another coding of the labels.
    nan_policy : {"raise", "omit", "worst"}, default "raise"
        Examples without a score raise, are dropped, or rank last (one shared cutoff).
    on_error : {"raise", "skip"}, default "raise"
        A group that cannot be bounded is named in an error, or left out with a warning.
    progress : bool, default False
        Show a bar while going through the groups (needs tqdm).
    monotone : bool, default False
        Take for granted that a higher score never means a smaller probability of being positive.

    Returns
    -------
    Accessor
        With the methods of ``df.pu``: `roc_bounds`, `contingency` (at ``ranks="breakpoints"``),
        `auroc`, plots and all others but `sample_to_label` and `select`.

    Raises
    ------
    PUTypeError
        If `chunks` is no such iterable, or there is no such argument.
    PUValueError
        If an option has another value. When a question is asked, as ``df.pu``.

    See Also
    --------
    pu_accessor.from_arrays : Of two arrays.
    pu_accessor.pu : Of a frame.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> chunks = [(range(9, 5, -1), label[:4]), (range(5, 0, -1), label[4:])]
    >>> pu = pu_accessor.from_chunks(chunks)
    >>> pu.roc_bounds(beta=0.5)["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
    {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
    """
    return Accessor(PiecesSource(Chunks(chunks)), Roles().told(locals()))

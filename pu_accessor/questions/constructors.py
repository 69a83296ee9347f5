"""The functions that make accessors and metrics, the registration of ``pu``, the example data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.resources import files
from math import inf
from typing import TYPE_CHECKING, Any, Unpack, overload

import pandas as pd
import xarray as xr

from pu_accessor import roles_and_assumptions as terms
from pu_accessor.checks import is_number, with_example
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.retrieval import check_alpha
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
        Roles of the columns, as a call of ``df.pu`` takes them.

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
        Roles of ``df.pu``: cluster, weight, count and propensity are array-likes of the same
        length; and the coding of labels.

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
        Roles of the columns, as a call of ``df.pu`` takes them.

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


# Metrics with a parameter


def fbeta(weight: float) -> Metric:
    """Return the F measure that weights recall `weight` times as much as precision.

    Parameters
    ----------
    weight : float
        Above 0: 2 for F2, 0.5 for F0.5; 1 gives "f1". It is not the `beta` of other methods.

    Returns
    -------
    Metric
        (1 + weight**2)*tp / ((1 + weight**2)*tp + weight**2*fn + fp), for all methods that take a
        metric at a cutoff, named "f2" in results. Called with arrays tp, fp, fn and tn it returns
        an array.

    Raises
    ------
    PUTypeError
        If `weight` is not a number.
    PUValueError
        If it is not above 0, or infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> f2 = df.pu.metric(pu_accessor.fbeta(2), 0.25, at=6)
    >>> f2[["metric", "rank", "estimate", "lower", "upper"]].round(3)
      metric  rank  estimate  lower  upper
    0     f2     6     0.714    0.5  0.833
    """
    if not is_number(weight):
        raise PUTypeError(f"weight must be a number, but {weight!r} was passed: fbeta(2) for F2.")
    square = float(weight) * float(weight)
    if not (weight > 0 and 0 < square < inf):
        raise PUValueError(
            f"weight must be above 0 and finite, but {weight!r} was passed. For only precision or "
            "recall write df.pu.metric('recall', 0.3, at=100)."
        )
    name = f"f{float(weight):g}"
    formula = f"{1 + square}*tp/({1 + square}*tp + {square}*fn + fp)"
    return Metric(name, name.capitalize(), formula)


def bedroc(alpha: float = 20.0) -> Metric:
    """Return BEDROC, a metric of early recognition, with another `alpha`.

    Parameters
    ----------
    alpha : float, default 20
        Ranks have the weights exp(-alpha*rank/N): at 20 the top 8% make up 80% of the score, at
        80.5 the top 2%.

    Returns
    -------
    Metric
        For all methods that take a metric of a whole ranking, named "bedroc" in results.

    Raises
    ------
    PUTypeError
        If `alpha` is not a number.
    PUValueError
        If it is too small or too large to differ from AUROC, or from the very top.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.bedroc(80.5).alpha
    80.5
    """
    return replace(METRICS["bedroc"], alpha=check_alpha(alpha))

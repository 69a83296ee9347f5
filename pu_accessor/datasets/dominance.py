"""TODO."""

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.curves import curve
from pu_accessor.datasets.schema import AXIS, BOUND, axis_of, check_whole
from pu_accessor.errors import PUValueError
from pu_accessor.inference.comparison.dominance import dominance as compare_curves
from pu_accessor.questions.comparison import beside_pairs, name_pairs
from pu_accessor.ranking import FloatArray, IntArray

__all__ = [
    "dominance",
]


def dominance(tables: xr.Dataset) -> pd.DataFrame:
    """Compare where the ROC curves of models lie, at each beta."""
    curves = curve(tables, "roc")
    dim, axis = _models(curves), axis_of(curves.dims)
    check_whole(tables)
    ordered = curves.transpose(dim, "beta", "bound", axis, ...).sel(bound=BOUND)
    verdicts = compare_curves(ordered["fpr"].to_numpy(), ordered["tpr"].to_numpy())
    index = curves.get_index(dim)
    keys = index.tolist()
    betas = curves["beta"].transpose(..., "beta").to_numpy()
    times = betas.shape[-1]
    first, second = (np.repeat(side, times) for side in (verdicts.first, verdicts.second))
    place = np.tile(np.arange(times), verdicts.first.size)
    own = {"beta": betas[place]} if betas.ndim == 1 else _own_betas(betas, first, second, place)
    named = [keys[place] if place >= 0 else None for place in verdicts.dominates.ravel().tolist()]
    columns = {
        **own,
        "dominates": pd.Series(named, dtype=object),
        "equal": verdicts.equal.ravel(),
        "disjoint": verdicts.disjoint.ravel(),
        "crossings": [some for pair in verdicts.crossings for some in pair],
    }
    pairs = name_pairs([str(name) for name in index.names], keys, first, second)
    return pd.DataFrame(beside_pairs(pairs, columns))


def _own_betas(
    betas: FloatArray, first: IntArray, second: IntArray, place: IntArray
) -> dict[str, FloatArray]:
    """Return the beta of each model of a row."""
    return {"beta_a": betas[first, place], "beta_b": betas[second, place]}


def _models(curves: xr.Dataset) -> str:
    """Return the dimension of the models, or say what is wrong with the curves."""
    dims = curves["fpr"].dims
    more = [str(dim) for dim in dims if dim not in (AXIS, "rank", "bound", "beta")]
    if (len(more) == 1 and curves.sizes[more[0]] < 2) or not more:
        raise PUValueError(
            "A comparison needs two or more models, but there is one. Name two columns of scores, "
            "df.pu(score=['svm', 'forest']), or a column with two keys, df.pu(by='model').",
            page="many_models#which-model-is-better",
        )
    if len(more) != 1 or len(dims) != 4:
        raise PUValueError(
            "dominance compares the models along one dimension beside cutoffs, bound and beta, "
            f"but the tables have {dict(curves['fpr'].sizes)}. Stack several dimensions: "
            f"ds.stack(group={more})."
        )
    if lacking := [bound for bound in BOUND if bound not in curves["bound"].to_numpy()]:
        raise PUValueError(f"dominance needs the bounds {[*BOUND]}, but {lacking} is missing.")
    if np.isnan(curves["fpr"].to_numpy()).any():
        raise PUValueError(
            "An ROC curve needs negatives, but at some beta there are none. Pass a smaller beta.",
            page="beta#too-high",
        )
    return more[0]

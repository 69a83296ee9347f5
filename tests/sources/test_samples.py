"""Samples in a Dataset: each place along the other dimensions is a ranking of its own."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUError, PUWarning
from tests.cases import check_place, put
from tests.worlds import fuzzed

BETAS = [0.4, 0, 1]
COORDS: dict[str, Any] = {"model": ["svm", "forest"], "fold": [2, 0, 1], "lead": [6.5, 0.5]}


def draw(dims: str, label: str = "", seed: int = 0) -> xr.Dataset:
    """Draw 24 tied scores and hidden labels over named dimensions."""
    rng = np.random.default_rng(seed)
    over = [[*names.split(), "sample"] for names in (dims, label)]
    shape, where = ([len(COORDS.get(d, range(24))) for d in names] for names in over)
    values = np.where(rng.random(where) < 0.4, rng.random(where) < 0.5, np.nan)
    values[..., 0], values[..., 1] = 1, np.nan
    coords = {d: COORDS[d] for d in COORDS if d in over[0] + over[1]}
    score = rng.normal(size=shape).round(1)
    return xr.Dataset({"score": (over[0], score), "label": (over[1], values)}, coords)


ONE, TWO, THREE = draw("fold"), draw("model fold"), draw("model fold lead", "lead fold")
PLACES = [(model, fold) for model in COORDS["model"] for fold in COORDS["fold"]]
BY_PLACE = {(model, fold): len(model) / 10 + fold / 100 for model, fold in PLACES}
ARRAY = xr.DataArray.from_series(pd.Series(BY_PLACE).rename_axis(["model", "fold"]))
SPOILT = TWO.assign(score=TWO["score"].where((TWO["model"] != "svm") | (TWO["fold"] != 0)))


def check(tables: xr.Dataset, ds: xr.Dataset, beta: Any = BETAS, **keywords: Any) -> None:
    """Compare each place with its samples alone, at its last cutoff at or before each rank."""
    scores, labels = xr.broadcast(ds["score"], ds["label"])
    others = [dim for dim in scores.dims if dim != "sample"]
    # Several rankings have breakpoints of their own.
    axis = "cutoff" if others and keywords.get("ranks") == "breakpoints" else "rank"
    assert tables["tp"].dims == (*others, axis, "bound", "beta")
    betas = beta.broadcast_like(scores.isel(sample=0)) if isinstance(beta, xr.DataArray) else None
    for position in np.ndindex(*(ds.sizes[dim] for dim in others)):
        place = dict(zip(others, position, strict=True))
        alone = pu_accessor.from_arrays(*(one.isel(place).to_numpy() for one in (scores, labels)))
        own_beta = beta if betas is None else betas.isel(place).item()
        check_place(tables.isel(place), put(alone, "contingency", own_beta, **keywords))


DIMS = [("", ""), ("", "fold"), ("fold", ""), ("model", "fold"), ("model fold", "")]
DIMS += [("model fold lead", "lead fold")]


@fuzzed(3)
@given(st.integers(0, 2**32), st.sampled_from(DIMS), st.sampled_from(["raise", "omit", "worst"]))
def test_any_number_of_dimensions(seed: int, dims: tuple[str, str], policy: str) -> None:
    ds = draw(*dims, seed=seed)
    gone = np.random.default_rng(seed).random(ds["score"].shape) < 0.2
    gone[..., :2] = False
    ds = ds if policy == "raise" else ds.assign(score=ds["score"].where(~gone))
    ranks: Any = ["all", "breakpoints", [8, 0, 4]][seed % 3]
    how = {"ranks": ranks, "level": 0.8, "band": "dkw", "nan_policy": policy}
    tables, bare = put(ds.pu(), "contingency", BETAS, **how), ds.drop_vars([*ds.coords])
    check(tables, ds, **how)
    check(put(bare.pu(), "contingency", BETAS, **how), bare, **how)
    turned = ds.transpose(*[*ds.sizes][1:], ...)  # samples amidst the others
    again = put(turned.pu(), "contingency", BETAS, **how)
    xr.testing.assert_identical(again.transpose(*tables["tp"].dims), tables)


BY_FOLD = ARRAY[0].drop_vars("model")


@pytest.mark.parametrize("given", [BY_FOLD, ARRAY[:, 0], ARRAY.T, BY_PLACE, pd.Series(BY_PLACE)])
def test_beta_of_each_place(given: Any) -> None:
    beta = given if isinstance(given, xr.DataArray) else ARRAY  # its coordinates are sorted
    beta = beta.sel({dim: TWO[dim] for dim in beta.dims})
    tables = TWO.pu().contingency(given, ranks="all")
    check(tables, TWO, beta)
    assert tables["beta"].dims == ("model", "fold", "beta")
    bare = TWO.drop_vars(["model", "fold"])
    check(bare.pu().contingency(beta.drop_vars([*beta.coords]), ranks="all"), bare, beta)


DAYS = pd.to_datetime(["2024-03-01", "2024-01-01", "2024-02-01"])
FOLDS = [DAYS, DAYS - DAYS[0], DAYS.to_period("M"), DAYS.tz_localize("UTC"), list("bab")]
FOLDS += [[True, False, True], np.array([2, -1, 0], "int8"), np.array([0.1, np.nan, 3], "f4")]


@pytest.mark.parametrize("fold", FOLDS)
def test_coordinates_are_kept(fold: Any) -> None:
    ds = TWO.assign_coords(fold=fold, lead=("fold", [3, 1, 2], {"units": "h"}))
    ds = ds.assign_coords(first=ds["score"][..., 0], id=("sample", range(24)))
    check(tables := ds.pu().contingency(0.3, ranks="all"), ds, 0.3)
    for name in ("model", "fold", "lead", "first"):
        kept, was = tables[name].variable, ds[name].variable
        assert kept.identical(was) and kept.dtype == was.dtype
    assert not np.shares_memory(tables["lead"], ds["lead"])
    assert tables.indexes["fold"].equals(ds.indexes["fold"]) and "id" not in tables.coords
    beta = xr.DataArray([0.1, 0.2, 0.3], dims="fold", coords={"fold": ds["fold"]})
    if ds.indexes["fold"].is_unique:
        check(ds.pu().contingency(beta[::-1], ranks="all"), ds, beta)
    else:
        with pytest.raises(PUError):
            ds.pu().contingency(beta, ranks="all")


def test_multi_indexes() -> None:
    sample = pd.MultiIndex.from_product([range(6), list("abcd")], names=["day", "site"])
    indexed = TWO.assign_coords(xr.Coordinates.from_pandas_multiindex(sample, "sample"))
    check(indexed.pu().contingency(BETAS, ranks="all"), TWO, ranks="all")
    stacked = THREE.stack(place=["fold", "model"]).transpose("place", "lead", "sample")
    tables = stacked.pu().contingency(ARRAY.stack(place=["fold", "model"])[::-1], ranks="all")
    flat = THREE.pu().contingency(ARRAY, ranks="all").stack(place=["fold", "model"])
    xr.testing.assert_equal(tables["tp"], flat["tp"].transpose(*tables["tp"].dims))
    assert tables["model"].dtype == stacked["model"].dtype


def test_places_left_out() -> None:
    kept = [place for place in PLACES if place != ("svm", 0)]
    svm, named = SPOILT.sel(model="svm"), SPOILT.assign_coords(group=range(5))  # as keys would be
    for ds, beta, left in ((svm, ARRAY.sel(model="svm"), [2, 1]), (named, ARRAY, kept)):
        with pytest.warns(PUWarning, match="(?s)are left out .*fold=0: score column") as told:
            tables = ds.pu(nan_policy="omit", on_error="skip").contingency(beta, ranks="all")
        assert told[0].filename == __file__
        assert tables.indexes[tables["tp"].dims[0]].tolist() == left
        for (model, fold), one in zip(kept, tables["tp"], strict=False):
            alone = TWO.sel(model=model, fold=fold)
            own = alone.pu().contingency(BY_PLACE[model, fold], ranks="all")
            np.testing.assert_array_equal(one.sel(rank=own["rank"]).values, own["tp"].values)


BARE, TAKEN = ONE.drop_vars("fold"), ("rank", "bound", "beta")  # dimensions of the result
NONE = xr.Dataset({"score": ONE["score"][0], "label": ONE["label"].expand_dims(none=0)})
ROW = BY_FOLD.drop_vars("fold")
REFUSED: list[tuple[xr.Dataset, Any]] = [
    *((ONE, ARRAY[:, 0]), (BARE, xr.concat([ROW, ROW], "fold")), (NONE, 0.3), (ONE, ROW)),
    *((TWO.rename(fold=name).stack(at=["model", name]), 0.3) for name in TAKEN),
]


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_betas_and_dimensions_that_do_not_fit(place: int) -> None:
    ds, beta = REFUSED[place]
    with pytest.raises(PUError):
        ds.pu().contingency(beta, ranks="all")


def test_dimensions_without_an_index_and_called_like_groups() -> None:
    bare, named = ONE.drop_indexes("fold"), TWO.rename(model="group", fold="groups")
    found = bare.pu().contingency({2: 0.1, 0: 0.2, 1: 0}, ranks="all")["beta"]
    assert found.values.ravel().tolist() == [0.1, 0.2, 0]
    assert named.pu().contingency(0.3, ranks="all")["beta"] == 0.3

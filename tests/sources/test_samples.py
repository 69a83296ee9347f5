"""Samples in a Dataset: each place along the other dimensions is a ranking of its own."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUError, PUWarning
from tests.cases import check_place, put

BETAS = [0.4, 0, 1]
COORDS: dict[str, Any] = {"model": ["svm", "forest"], "fold": [2, 0, 1], "lead": [6.5, 0.5]}


def draw(dims: str, label: str = "") -> xr.Dataset:
    """Draw 24 tied scores and hidden labels over named dimensions."""
    rng = np.random.default_rng(0)
    over = [[*names.split(), "sample"] for names in (dims, label)]
    shape, where = ([len(COORDS.get(d, range(24))) for d in names] for names in over)
    values = np.where(rng.random(where) < 0.4, rng.random(where) < 0.5, np.nan)
    values[..., 0], values[..., 1] = 1, np.nan
    coords = {d: COORDS[d] for d in COORDS if d in over[0] + over[1]}
    score = rng.normal(size=shape).round(1)
    return xr.Dataset({"score": (over[0], score), "label": (over[1], values)}, coords)


ONE, TWO, THREE = draw("fold"), draw("model fold"), draw("model fold lead", "lead fold")
ALONE = TWO.isel(model=0, fold=1, drop=True)
PLACES = [(model, fold) for model in COORDS["model"] for fold in COORDS["fold"]]
BY_PLACE = {(model, fold): len(model) / 10 + fold / 100 for model, fold in PLACES}
ARRAY = xr.DataArray.from_series(pd.Series(BY_PLACE).rename_axis(["model", "fold"]))
BY_MODEL, BY_FOLD = ARRAY[:, 0], ARRAY[0].drop_vars("model")
CROSSED = [draw("", "fold"), draw("model", "fold")]
SPOILT = TWO.assign(score=TWO["score"].where((TWO["model"] != "svm") | (TWO["fold"] != 0)))
PADDED = TWO.assign(score=TWO["score"].where(TWO["sample"] < 4 * (TWO["model"] == "svm") + 16))


def check(tables: xr.Dataset, ds: xr.Dataset, beta: Any = BETAS, **keywords: Any) -> None:
    """Compare each place with its samples alone, at its last cutoff at or before each rank."""
    scores, labels = xr.broadcast(ds["score"], ds["label"])
    others = [dim for dim in scores.dims if dim != "sample"]
    # Several rankings have breakpoints of their own.
    axis = "cutoff" if others and keywords.get("ranks") == "breakpoints" else "rank"
    assert tables["tp"].dims == (*others, axis, "bound", "beta")
    for position in np.ndindex(*(ds.sizes[dim] for dim in others)):
        place = dict(zip(others, position, strict=True))
        values, states = scores.isel(place).to_numpy(), labels.isel(place).to_numpy()
        array = isinstance(beta, xr.DataArray)
        own_beta = beta.isel({dim: place[dim] for dim in beta.dims}).item() if array else beta
        own = put(pu_accessor.from_arrays(values, states), "contingency", own_beta, **keywords)
        check_place(tables.isel(place), own)


DIMENSIONS: list[Any] = [
    *((ds, "breakpoints", "omit") for ds in (ALONE, TWO, THREE, PADDED, *CROSSED)),
    *((ds, ranks, "omit") for ds in (ALONE, TWO) for ranks in ("all", [8, 0, 4])),
    *((PADDED, ranks, "worst") for ranks in ("all", "breakpoints", [8, 0, 4])),
]


@pytest.mark.parametrize(("ds", "ranks", "policy"), DIMENSIONS)
def test_any_number_of_dimensions(ds: xr.Dataset, ranks: Any, policy: str) -> None:
    keywords = {"ranks": ranks, "level": 0.8, "band": "dkw", "nan_policy": policy}
    tables, bare = put(ds.pu(), "contingency", BETAS, **keywords), ds.drop_vars([*ds.coords])
    check(tables, ds, **keywords)
    check(put(bare.pu(), "contingency", BETAS, **keywords), bare, **keywords)
    turned = ds.transpose(*[*ds.sizes][1:], ...)  # samples amidst the others
    again = put(turned.pu(), "contingency", BETAS, **keywords)
    check(again, turned, **keywords)
    xr.testing.assert_identical(again.transpose(*tables["tp"].dims), tables)


@pytest.mark.parametrize("given", [BY_FOLD, BY_MODEL, ARRAY.T, BY_PLACE, pd.Series(BY_PLACE)])
def test_beta_of_each_place(given: Any) -> None:
    beta = given if isinstance(given, xr.DataArray) else ARRAY  # its coordinates are sorted
    beta = beta.sel({dim: TWO[dim] for dim in beta.dims})
    tables = TWO.pu().contingency(given, ranks="all")
    check(tables, TWO, beta)
    assert tables["beta"].dims == ("model", "fold", "beta")
    bare = TWO.drop_vars(["model", "fold"])
    check(bare.pu().contingency(beta.drop_vars([*beta.coords]), ranks="all"), bare, beta)


DAYS = pd.to_datetime(["2024-03-01", "2024-01-01", "2024-02-01"])
ODD = [*(DAYS, DAYS - DAYS[0], DAYS.to_period("M"), DAYS.tz_localize("UTC"), [True, False, True])]
ODD += [np.array([2, -1, 0], "int8"), np.array([0.1, np.nan, 3], "float32"), list("bab")]


@pytest.mark.parametrize("fold", ODD)
@pytest.mark.parametrize("ds", [ONE, TWO])
def test_coordinates_are_kept(ds: xr.Dataset, fold: Any) -> None:
    ds = ds.assign_coords(fold=fold, lead=("fold", [3, 1, 2], {"units": "h"}))
    ds = ds.assign_coords(first=ds["score"][..., 0], id=("sample", range(24)))
    tables = ds.pu().contingency(0.3, ranks="all")
    check(tables, ds, 0.3)
    for name in {"model", "fold", "lead", "first"} & set(ds.coords):
        kept, was = tables[name].variable, ds[name].variable
        assert kept.identical(was) and kept.dtype == was.dtype
    assert tables.indexes["fold"].equals(ds.indexes["fold"]) and "id" not in tables.coords
    if ds.indexes["fold"].is_unique:
        beta = xr.DataArray([0.1, 0.2, 0.3], dims="fold", coords={"fold": ds["fold"]})
        check(ds.pu().contingency(beta[::-1], ranks="all"), ds, beta)


def test_multi_indexes() -> None:
    sample = pd.MultiIndex.from_product([range(6), list("abcd")], names=["day", "site"])
    indexed = TWO.assign_coords(xr.Coordinates.from_pandas_multiindex(sample, "sample"))
    xr.testing.assert_identical(
        indexed.pu().contingency(BETAS, ranks="all"), TWO.pu().contingency(BETAS, ranks="all")
    )
    stacked = THREE.stack(place=["fold", "model"]).transpose("place", "lead", "sample")
    tables = stacked.pu().contingency(ARRAY.stack(place=["fold", "model"])[::-1], ranks="all")
    flat = THREE.pu().contingency(ARRAY, ranks="all").stack(place=["fold", "model"])
    xr.testing.assert_equal(tables["tp"], flat["tp"].transpose(*tables["tp"].dims))


def left_out(ds: xr.Dataset, beta: Any = 0.3) -> Any:
    with pytest.warns(PUWarning, match="(?s)are left out .*fold=0: score column") as told:
        tables = ds.pu(nan_policy="omit", on_error="skip").contingency(beta, ranks="all")
    assert told[0].filename == __file__
    return tables, tables.indexes[tables["tp"].dims[0]].tolist()


def test_places_left_out_of_several_dimensions() -> None:
    tables, keys = left_out(SPOILT, ARRAY)
    assert keys == [place for place in PLACES if place != ("svm", 0)]
    for (model, fold), one in zip(keys, tables["tp"], strict=True):
        own = (
            TWO.sel(model=model, fold=fold)
            .pu()
            .contingency(BY_PLACE[model, fold], ranks="all")["tp"]
        )
        np.testing.assert_array_equal(one.sel(rank=own["rank"]).values, own.values)


NAMED = {"positive": "p", "negative": "n", "unlabeled": "u"}
CODED: Any = [(np.array([1, -1, 0, -1]), {"unlabeled": -1}), (np.array(list("punu")), NAMED)]
CODED += [(np.array([True, None, False, None]), {}), (pd.array([1, None, 0, None], "Int8"), {})]


@pytest.mark.parametrize(("label", "coding"), CODED)
@pytest.mark.parametrize("dtype", ["uint16", ">f8", "object"])
def test_codings_dtypes_and_names(label: Any, coding: dict[str, Any], dtype: str) -> None:
    read = np.array([1, np.nan, 0, np.nan]).repeat(6)
    plain = TWO.assign(score=(TWO["score"] * 10 + 40).round(), label=("sample", read))
    ds = plain.assign(score=plain["score"].astype(dtype), label=("sample", label.repeat(6)))
    ds = ds.rename(score="s", label="y", sample="rank").assign_coords(beta=("rank", range(24)))
    tables = ds.pu(score="s", label="y", dim="rank", **coding).contingency(0.3, ranks="all")
    named = tables.assign_attrs(score="score", label="label")
    xr.testing.assert_identical(named, plain.pu().contingency(0.3, ranks="all"))


def betas(ds: xr.Dataset, beta: Any) -> Any:
    return ds.pu().contingency(beta, ranks="all")["beta"].values.ravel().tolist()


SVM, TWICE = SPOILT.sel(model="svm"), ONE.assign_coords(fold=[1, 1, 2])
BIG, GROUPS = TWO.assign(label=TWO["label"].astype(">f8")), SPOILT.assign_coords(group=range(5))
ROW, BARE, INDEXLESS = BY_FOLD.drop_vars("fold"), ONE.drop_vars("fold"), ONE.drop_indexes("fold")
STACK, LEAD = TWO.stack(at=["model", "fold"]), ONE.assign_coords(lead=("fold", [1, 2, 3]))
RANK, PAIR = STACK.unstack().rename(fold="rank"), TWO.rename(model="group", fold="groups")
NONE = xr.Dataset({"score": ONE["score"][0], "label": ONE["label"].expand_dims(none=0)})
TABLES, FRAME = TWO.pu().contingency(0.3, ranks="all"), TWO.to_dataframe().reset_index()
ONCE_WRONG: dict[str, Callable[[], Any]] = {
    "refuse beta by another dimension: two for all": lambda: betas(ONE, BY_MODEL),
    "refuse baseline": lambda: FRAME.pu(by="model").plot_roc(BY_MODEL, col="beta", baseline=True),
    "refuse 6 betas for 3": lambda: betas(BARE, xr.concat([ROW, ROW], "fold")),
    "refuse, no TypeError": lambda: TWO.pu(score=TWO["score"]).contingency(0.3, ranks="all"),
    "refuse labels along an empty dimension, no IndexError": lambda: betas(NONE, 0.3),
    "skip along one dimension: AlignmentError": lambda: left_out(SVM)[1] == [2, 1],
    "skip: keys are those of another group": lambda: ("svm", 2) in left_out(GROUPS)[1],
    "refuse beta by position": lambda: betas(ONE, ROW),
    "no index: keys are positions": lambda: betas(INDEXLESS, {2: 0.1, 0: 0.2, 1: 0})[0] == 0.1,
    "refuse beta where coordinates repeat": lambda: betas(TWICE, TWICE["fold"] / 9),
    "big-endian labels: ValueError": lambda: betas(BIG, 0.3) == [0.3],
    "refuse level 'rank'": lambda: betas(RANK.stack(at=["model", "rank"]), 0.3),
    "dimensions group and groups: ValueError": lambda: betas(PAIR, 0.3) == [0.3],
    "area in examples": lambda: "units" not in TABLES.pu.area("auroc").attrs,
    "area has a threshold": lambda: "threshold" not in TABLES.pu.area("average_precision").coords,
    "dtype lost": lambda: (
        STACK.pu().contingency(0.3, ranks="all")["model"].dtype == STACK["model"].dtype
    ),
    "shared": lambda: (
        not np.shares_memory(LEAD.pu().contingency(0, ranks="all")["lead"], LEAD["lead"])
    ),
}


@pytest.mark.parametrize("reason", ONCE_WRONG)
def test_what_once_went_wrong(reason: str) -> None:
    with pytest.raises(PUError) if reason.startswith("refuse") else nullcontext():
        assert ONCE_WRONG[reason]()

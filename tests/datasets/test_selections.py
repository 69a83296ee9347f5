"""Tables after selections: cutoffs that are asked for, whole curves, empty places."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor  # noqa: F401
from pu_accessor.errors import PUValueError
from tests.cases import binormal

FRAME, BETA, _ = binormal(60, 240, 0.4, seed=3)
FRAME = FRAME.assign(g=np.where(np.arange(300) % 2, "a", "b"), h=np.arange(300) % 3)
WHOLE, BY = FRAME.pu.contingency(0.1, ranks="all"), FRAME.pu(by="g")
GROUPS = FRAME.pu(by=["g", "h"]).contingency([0.1], ranks="breakpoints").isel(group=slice(0, 5))
HOLE = GROUPS.unstack("group")


SELECTED: list[Any] = [
    FRAME.pu.contingency(0.1, ranks=[200, 100]),
    WHOLE.sel(rank=[200, 100]),
    WHOLE.sortby("threshold"),
    FRAME.pu(by="g").contingency(0.1, ranks="breakpoints").isel(cutoff=slice(None, None, -1)),
]


@pytest.mark.parametrize("tables", SELECTED, ids=["ranks", "sel", "sortby", "reversed"])
def test_last_cutoff_whatever_their_order(tables: xr.Dataset) -> None:
    axis = "cutoff" if "cutoff" in tables.dims else "rank"
    rank = tables["rank"].transpose(..., axis).to_numpy()
    expected = np.where(rank <= 150, rank, -1).max(axis=-1)
    np.testing.assert_array_equal(tables.pu.at(rank=150)["rank"], expected)


def test_shared_ranks_give_way_to_each_groups_own() -> None:
    tied = pd.concat([FRAME.assign(g="a"), FRAME.head(50).assign(g="b", score=1.0)])
    found = tied.pu(by="g").contingency(0.1, ranks="all").pu.at(rank=30)
    assert found["rank"].sel(g=["a", "b"]).values.tolist() == [30, 0]
    head = (found["tp"] + found["fp"]).isel(bound=0, beta=0)
    np.testing.assert_array_equal(found["rank"], head)


@pytest.mark.parametrize("bound", [0, [0], [1], [2, 0]], ids=str)
@pytest.mark.parametrize("asked", [{"rank": [30, 50]}, {"fraction": 0.25}], ids=str)
def test_cutoffs_of_one_bound_are_those_of_all(bound: Any, asked: dict[str, Any]) -> None:
    tables = BY.contingency([0.1, 0.3], ranks="all")
    found = tables.isel(bound=bound).pu.at(**asked)
    xr.testing.assert_identical(found, tables.pu.at(**asked).isel(bound=bound))


def test_areas_are_of_cutoffs_in_order_and_once() -> None:
    last = WHOLE.sizes["rank"] - 1
    shuffled = [0, *np.random.default_rng(0).permutation(np.arange(1, last)), last]
    repeated = [0] * 150 + [*range(150, last + 1)]
    own = FRAME.pu(by="g").contingency(0.1, ranks="breakpoints")
    size = own.sizes["cutoff"]
    for tables in (
        WHOLE.isel(rank=shuffled),
        WHOLE.isel(rank=repeated),
        own.isel(cutoff=[0] * 9 + [*range(9, size)]),
    ):
        with pytest.raises(PUValueError, match="in their order"):
            tables.pu.area("auroc")


def test_an_empty_place_stays_empty() -> None:
    derivatives = HOLE.pu.beta_derivatives()
    expected = GROUPS.pu.beta_derivatives().unstack("group")
    for name in ("tpr", "fpr", "precision"):
        xr.testing.assert_equal(derivatives[name], expected[name])
    assert len(HOLE.pu.to_frame()) == len(GROUPS.pu.to_frame())
    for asked in ({"fraction": 0.3}, {"rank": 20}):
        ranks = HOLE.pu.at(**asked)["rank"]
        assert int(ranks.isnull().sum()) == 1
        xr.testing.assert_equal(ranks, GROUPS.pu.at(**asked)["rank"].unstack("group"))


def test_ranks_stand_in_a_frame_where_cutoffs_stand() -> None:
    for tables, names in (
        (GROUPS, ["g", "h", "rank", "bound", "beta"]),
        (GROUPS.isel(bound=1), ["g", "h", "rank", "beta"]),
        (GROUPS.transpose("bound", "cutoff", ...), ["bound", "rank", "g", "h", "beta"]),
    ):
        assert tables.pu.to_frame().columns[: len(names)].tolist() == names


def test_a_rank_that_is_asked_for_twice_has_two_rows() -> None:
    twice = GROUPS.pu.at(rank=[10, 10, 20])
    once = GROUPS.pu.at(rank=[10, 20])
    assert len(twice.pu.to_frame()) == 1.5 * len(once.pu.to_frame())
    assert twice["rank"].attrs["n_cutoffs"] == 0


@pytest.mark.parametrize("name", ["wanted", "is a cutoff of its own", "beta position"])
def test_no_key_is_lost_to_a_name_of_ours(name: str) -> None:
    tables = FRAME.assign(**{name: FRAME["g"]}).pu(by=name).contingency(0.1, ranks="breakpoints")
    assert tables.pu.at(rank=[10, 20])["tp"].dims[:2] == (name, "cutoff")
    assert set(tables.pu.to_frame()[name]) == {"a", "b"}


def test_answers_say_what_they_are() -> None:
    tables = FRAME.pu.contingency(0.1, band="simultaneous", ranks="breakpoints")
    shared = {"level": 0.95, "target": "examples", "score": "score", "label": "label"}
    joint, exact = shared | {"band": "simultaneous"}, shared | {"band": "exact"}
    area, part = tables.pu.area("average_precision"), WHOLE.pu.area("auroc", max_fpr=0.2)
    ours = "the true area lies between the bounds with a probability of at least level"
    none = "none: bounds hold at each cutoff; for the area between them: band='simultaneous'"
    for told, expected in (
        (tables.attrs, joint),
        (tables.pu.metric("recall").attrs, joint | {"long_name": "recall"}),
        (area.attrs, joint | {"long_name": "area under the PR curve", "promise": ours}),
        (part.attrs, exact | {"long_name": "AUROC", "promise": none, "max_fpr": 0.2}),
        (tables.pu.beta_derivatives()["fp"].attrs, {"long_name": "derivative of fp by β̂"}),
    ):
        assert told == expected


def test_a_band_that_holds_jointly_is_mixed_inside_ties_at_its_level() -> None:
    score = FRAME["score"].rank(ascending=False)
    frame = FRAME.assign(score=np.where((score > 100) & (score <= 120), -110, -score))
    for band, level in (("simultaneous", 0.95), ("exact", 0.975)):
        ends = frame.pu.contingency(0.2, band=band, ranks=[100, 120], level=level)
        expected = (ends["tp"] / (ends["tp"] + ends["fn"])).squeeze("beta").mean("rank")
        found = frame.pu.metric("tpr", 0.2, at=110, band=band, target="examples").iloc[0]
        limits = expected.sel(bound=["lower", "upper"]).to_numpy()
        assert found[["lower", "upper"]].tolist() == pytest.approx(limits)

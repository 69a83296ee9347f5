"""What no argument can be is refused in our own words, by name: what fuzzing found."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUTypeError, PUWarning
from tests.sources.test_pieces import FRAME
from tests import worlds as draws

ROWS = FRAME.replace([np.inf, -np.inf], 0).assign(p=1 / (1 + FRAME["other"] ** 2), id=FRAME.index)
PU = ROWS.pu(score="p")
TABLES = PU.contingency([0.1, 0.3], ranks="all")
API: Any = pu_accessor

ARRAYS: dict[str, Callable[[Any], Any]] = {
    "ranks": lambda value: PU.contingency(0.3, ranks=value),
    "beta": lambda value: PU.contingency(value, ranks="all"),
    "bins": lambda value: PU.calibration(0.3, bins=value),
    "'threshold'": lambda value: PU.metric("net_benefit", 0.3, at={"threshold": value}),
    "fraction": lambda value: PU.metric("lift", 0.3, at={"fraction": value}),
    "selection_odds": lambda value: PU.assume(selection_odds=value).auroc(0.3),
    "over": lambda value: PU.robustness("auroc", 0.3, over={"selection_odds": value}),
    "band": lambda value: PU.contingency(0.3, band=(value, value), ranks="all"),
    "rank": lambda value: TABLES.pu.at(rank=value),
    "threshold": lambda value: TABLES.pu.at(threshold=value),
    "score": lambda value: pu_accessor.from_arrays(value, [1, None]).auroc(0.3),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_no_array_is_named(name: str) -> None:
    for value in (xr.Dataset(), range(10**12), [[0.1, 0.2], [0.3]]):
        with pytest.raises(PUTypeError, match=name) as told:
            ARRAYS[name](value)
        assert len(str(told.value)) <= 300


def test_values_that_look_odd_and_are_right() -> None:
    one, other = (PU.assume(selection_odds=odds).auroc(0.3) for odds in (1e308, np.inf))
    pd.testing.assert_frame_equal(one, other)
    label = [1, 1, None, None]
    found = pu_accessor.from_arrays([4, 3, 2, 1], label, positive=xr.DataArray(1))
    assert found.auroc(0).equals(pu_accessor.from_arrays([4, 3, 2, 1], label).auroc(0))
    how = {"pilot": {"auroc": 0.8}, "beta": 0.1, "n_unlabeled": 5000}
    needed = [API.labeling.positives_needed(width, **how) for width in (np.longdouble("0.1"), 0.1)]
    assert needed[0].equals(needed[1])


# Questions without an answer


def test_draws_that_vanish() -> None:
    rows = pd.DataFrame({"score": [4, 1, 2, 3], "label": [np.nan, 1, 1, 1]})
    found = rows.pu.assume(selection_odds=1.5).average_precision(
        2**-8, target="examples", level=0.5
    )
    assert 0 <= found["lower"].item() <= found["estimate"].item() <= found["upper"].item() <= 1
    # Of weights, too: some draws of .003 latent positives are too small for a number.
    rows = pd.DataFrame({"score": range(6), "label": [1, 1, 1, *[np.nan] * 3]})
    rows["p"] = [0.5, 0.6, 0.7, *[np.nan] * 3]
    with pytest.warns(PUWarning, match="effective number"):
        found = rows.pu(propensity="p").average_precision(0.001, target="examples")
    near = found[["lower", "estimate", "upper"]].to_numpy().ravel()
    assert near == pytest.approx(23 / 60, abs=0.002) and (np.diff(near) > 0).all()


@pytest.mark.parametrize("kind", [draws.FRAMES, draws.TABLES])
def test_fuzzers_draw_every_argument(kind: type) -> None:
    asked = {
        f"{method} {name}"
        for method in draws.public(kind)
        for name in {*draws.parameters(getattr(kind, method))} - {*draws.LOOKS, *draws.GOALS}
    }
    assert len(asked) > 10
    assert not [one for one in asked if not {one, one.partition(" ")[2]} & draws.VALID.keys()]


def test_precisions_next_to_nothing() -> None:
    assert PU.cutoff(0.3, precision=5e-324)["rank"].item() == len(ROWS)
    found = [PU.metric("accuracy", 0.3, at={"precision": least}) for least in (2.0**-1022, 0.0)]
    pd.testing.assert_frame_equal(*found)


def test_where_no_example_is_negative_in_whole_numbers_there_is_no_area() -> None:
    pu: Any = pd.DataFrame({"score": [2.0, 1.0], "label": [1, None]}).pu
    with pytest.warns(PUWarning, match="one other example"):
        assert pu.assume(prevalence=0.5).average_precision(0.9)["lower"].isna().all()
    with pytest.warns(PUWarning, match="one other example"):
        assert pu.auroc(pd.Interval(0, 0.5), max_fpr=0.05)["lower"].isna().all()

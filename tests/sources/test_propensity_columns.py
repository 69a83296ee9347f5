"""Columns of propensities: read for known positives, or refused by name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUKeyError, PUTypeError, PUValueError, from_arrays
from tests.arguments.test_propensity import FRAME, TIED, shuffled
from tests.cases import put_of_these


def test_groups_and_models_have_the_propensities_of_their_rows() -> None:
    groups = shuffled(pd.concat([FRAME.assign(g="a"), TIED.assign(g="b"), FRAME.assign(g="c")]))
    groups["other"] = -groups["score"]
    models = groups.pu(by="g", score=["score", "other"], propensity="propensity")
    tables = models.contingency(0.3)
    areas = {name: put_of_these(models, name, 0.3) for name in ("auroc", "average_precision")}
    for key, rows in groups.groupby("g"):
        for model in ("score", "other"):
            pu = rows.pu(score=model, propensity="propensity")
            alone = pu.contingency(0.3)
            here = tables.sel(group=(key, model)).sel(rank=alone["rank"])
            np.testing.assert_array_equal(here["tp"], alone["tp"])
            for name, every in areas.items():
                there = every[(every["g"] == key) & (every["model"] == model)]
                there = there.drop(columns=["g", "model"]).reset_index(drop=True)
                pd.testing.assert_frame_equal(there, put_of_these(pu, name, 0.3))


def test_arrays_and_samples_take_them_too() -> None:
    frame = shuffled(FRAME)
    propensity = frame["propensity"]
    expected = frame.pu(propensity="propensity").contingency(0.3)
    for column in (propensity, propensity.to_numpy(), propensity.tolist()):
        arrays = from_arrays(frame["score"], frame["label"], propensity=column)
        xr.testing.assert_equal(arrays.contingency(0.3), expected)
    samples = xr.Dataset.from_dataframe(frame.rename_axis("sample"))
    objects = ("sample", propensity.astype(object).where(propensity.notna(), None))
    for ds in (samples, samples.assign(propensity=objects)):
        xr.testing.assert_identical(ds.pu(propensity="propensity").contingency(0.3), expected)
    # Over models in any order of dimensions, and of two propensities.
    two = [samples, samples.assign(propensity=samples["propensity"] ** 2)]
    wide = xr.concat(two, "model").transpose().assign(label=samples["label"])
    tables = wide.pu(propensity="propensity").contingency(0.3)
    squared = frame.assign(propensity=propensity**2).pu(propensity="propensity").contingency(0.3)
    for found, one in zip(tables["tp"], (expected, squared), strict=True):
        np.testing.assert_array_equal(found, one["tp"])
    assert not np.array_equal(expected["tp"], squared["tp"])


@pytest.mark.parametrize("policy", ["omit", "worst"])
def test_rows_without_a_score(policy: str) -> None:
    gone = np.random.default_rng(0).random(len(FRAME)) < 0.3
    frame = shuffled(FRAME.assign(score=FRAME["score"].mask(gone)))
    there = frame[frame["score"].notna()] if policy == "omit" else frame.fillna({"score": -99.0})
    both = frame.pu(propensity="propensity", nan_policy=policy), there.pu(propensity="propensity")
    for name in ("auroc", "average_precision"):
        pd.testing.assert_frame_equal(*(put_of_these(pu, name, 0.2) for pu in both))
    np.testing.assert_array_equal(*(pu.contingency(0.2)["tp"] for pu in both))


ROWS = FRAME.iloc[:62].assign(extra=1)


BEYOND = [0.0, -0.1, 1.0001, np.inf]
NO_NUMBERS: list[Any] = [*(True, "half", 0.5j, [[0.5]] * 62), pd.to_timedelta(np.ones(62))]
NO_NUMBERS += [pd.Series([True] * 62, dtype=object), pd.Categorical(["0.5"] * 62)]
REFUSED: list[tuple[Any, type[Exception], str]] = [
    *((one, PUValueError, rf"must lie in \(0, 1\], but \[{one}") for one in BEYOND),
    (np.nan, PUValueError, "must have a value for each known positive, but 60 of 60 are"),
    *((one, PUTypeError, "must hold numbers") for one in NO_NUMBERS),
]


@pytest.mark.parametrize(("propensity", "error", "message"), REFUSED)
@pytest.mark.parametrize("name", ["contingency", "auroc"])
def test_what_is_no_propensity(name: str, propensity: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=f"propensity column 'propensity' {message}"):
        put_of_these(ROWS.assign(propensity=propensity).pu(propensity="propensity"), name, 0.1)


@pytest.mark.parametrize("propensity", [9.9e-13, 1e-200, 5e-324])
def test_a_propensity_that_is_nearly_none(propensity: float) -> None:
    # One over it, or its square, is more than a float holds, or all that is left of the others.
    frame = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index == 0, propensity))
    with pytest.raises(PUValueError, match="propensity column 'propensity' must"):
        frame.pu(propensity="propensity").contingency(0.1)


@pytest.mark.filterwarnings("ignore:The effective number")
def test_the_smallest_propensity() -> None:
    frame = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index == 0, 1e-12))
    tables = frame.pu(propensity="propensity").contingency(0.5)
    assert tables["n_effective"].item() == pytest.approx(1)
    found = frame.pu(propensity="propensity").auroc(0.5, target="examples")
    assert np.isfinite(found[["lower", "estimate", "upper"]]).all(axis=None)


def test_one_missing_propensity_of_a_known_positive() -> None:
    frame = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index == 3))
    arrays = from_arrays(frame["score"], frame["label"], propensity=frame["propensity"].to_numpy())
    for pu in (frame.pu(propensity="propensity"), arrays):
        with pytest.raises(PUValueError, match=r"must have a value .* but 1 of 60 are missing"):
            pu.metric("f1", 0.1, at=3)


@pytest.mark.parametrize("dtype", ["Float64", "double[pyarrow]", object])
def test_that_of_unlabeled_rows_is_not_read(dtype: Any) -> None:
    expected, column = FRAME.pu(propensity="propensity").contingency(0.3), FRAME["propensity"]
    others = [column.fillna(other) for other in (-7.0, np.inf)]
    for propensity in (*others, column.astype("Float64").astype(dtype)):
        found = FRAME.assign(propensity=propensity).pu(propensity="propensity").contingency(0.3)
        xr.testing.assert_identical(found, expected)


def test_arrays_and_variables_that_do_not_fit() -> None:
    samples = xr.Dataset.from_dataframe(FRAME.rename_axis("sample"))
    with pytest.raises(PUKeyError, match="propensity must name a variable"):
        samples.pu(propensity="ods").contingency(0.1)
    with pytest.raises(PUValueError, match="dim must be"):
        samples.assign(propensity=0.5).pu(propensity="propensity").contingency(0.1)

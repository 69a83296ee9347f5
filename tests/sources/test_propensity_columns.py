"""Columns of propensities: read for known positives, or refused by name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUKeyError, PUTypeError, PUValueError
from tests.arguments.test_propensity import FRAME, TIED, shuffled
from tests.cases import put_of_these


def test_groups_and_models_have_the_propensities_of_their_rows() -> None:
    groups = shuffled(pd.concat([FRAME.assign(g="a"), TIED.assign(g="b"), FRAME.assign(g="c")]))
    groups["other"] = -groups["score"]
    tables = groups.pu(by="g", score=["score", "other"], propensity="propensity").contingency(0.3)
    for key, rows in groups.groupby("g"):
        for model in ("score", "other"):
            alone = rows.pu(score=model, propensity="propensity").contingency(0.3)
            here = tables.sel(group=(key, model)).sel(rank=alone["rank"])
            np.testing.assert_array_equal(here["tp"], alone["tp"])
    for name in ("auroc", "average_precision"):
        every = put_of_these(
            groups.pu(by="g", score=["score", "other"], propensity="propensity"), name, 0.3
        )
        for key, rows in groups.groupby("g"):
            alone = put_of_these(rows.pu(score="other", propensity="propensity"), name, 0.3)
            there = every[(every["g"] == key) & (every["model"] == "other")]
            pd.testing.assert_frame_equal(
                there.drop(columns=["g", "model"]).reset_index(drop=True), alone
            )


def test_arrays_and_samples_take_them_too() -> None:
    frame = shuffled(FRAME)
    expected = frame.pu(propensity="propensity").contingency(0.3)
    arrays = pu_accessor.from_arrays(
        frame["score"], frame["label"], propensity=frame["propensity"]
    ).contingency(0.3)
    xr.testing.assert_identical(arrays, expected)
    listed = pu_accessor.from_arrays(
        frame["score"], frame["label"], propensity=frame["propensity"].tolist()
    ).contingency(0.3)
    xr.testing.assert_equal(listed, expected)
    samples = xr.Dataset.from_dataframe(frame.rename_axis("sample"))
    xr.testing.assert_identical(samples.pu(propensity="propensity").contingency(0.3), expected)
    objects = frame["propensity"].astype(object).where(frame["propensity"].notna(), None)
    as_objects = samples.assign(propensity=("sample", objects))
    xr.testing.assert_identical(as_objects.pu(propensity="propensity").contingency(0.3), expected)
    # Over models in any order of dimensions, and of two propensities.
    wide = xr.concat(
        [samples, samples.assign(propensity=samples["propensity"] ** 2)], "model"
    ).transpose()
    tables = wide.assign(label=samples["label"]).pu(propensity="propensity").contingency(0.3)
    np.testing.assert_array_equal(tables["tp"][0], expected["tp"])
    squared = (
        frame.assign(propensity=frame["propensity"] ** 2)
        .pu(propensity="propensity")
        .contingency(0.3)
    )
    np.testing.assert_array_equal(tables["tp"][1], squared["tp"])
    assert not np.array_equal(tables["tp"][0], tables["tp"][1])


@pytest.mark.parametrize("policy", ["omit", "worst"])
def test_rows_without_a_score(policy: str) -> None:
    gone = np.random.default_rng(0).random(len(FRAME)) < 0.3
    frame = shuffled(FRAME.assign(score=FRAME["score"].mask(gone)))
    there = frame[frame["score"].notna()] if policy == "omit" else frame.fillna({"score": -99.0})
    for name in ("auroc", "average_precision"):
        one = put_of_these(frame.pu(propensity="propensity", nan_policy=policy), name, 0.2)
        pd.testing.assert_frame_equal(
            one, put_of_these(there.pu(propensity="propensity"), name, 0.2)
        )
    tables = frame.pu(propensity="propensity", nan_policy=policy).contingency(0.2)
    np.testing.assert_array_equal(
        tables["tp"], there.pu(propensity="propensity").contingency(0.2)["tp"]
    )


ROWS = FRAME.iloc[:62].assign(extra=1)


@pytest.mark.parametrize(
    ("propensity", "error", "message"),
    [
        (0.0, PUValueError, r"propensity column 'propensity' must lie in \(0, 1\], but \[0.0"),
        (-0.1, PUValueError, r"propensity .* must lie in \(0, 1\]"),
        (1.0001, PUValueError, r"propensity .* must lie in \(0, 1\], but \[1.0001"),
        (np.inf, PUValueError, r"propensity .* must lie in \(0, 1\], but \[inf"),
        (np.nan, PUValueError, "propensity .* value for each known positive, but 60 of 60 are"),
        (None, PUValueError, "propensity .* value for each known positive, but 60 of 60 are"),
        (True, PUTypeError, "propensity column 'propensity' must hold numbers"),
        ("half", PUTypeError, "propensity column 'propensity' must hold numbers"),
        (0.5j, PUTypeError, "propensity column 'propensity' must hold numbers"),
        ([[0.5]] * 62, PUTypeError, "propensity column 'propensity' must hold numbers"),
    ],
)
@pytest.mark.parametrize("name", ["contingency", "auroc", "plot_roc", "roc_bounds"])
def test_what_is_no_propensity(
    name: str, propensity: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        put_of_these(ROWS.assign(propensity=propensity).pu(propensity="propensity"), name, 0.1)


NO_NUMBERS = {
    "text": ["0.5"] * 62,
    "times": pd.to_timedelta(np.ones(62)),
    "dates": pd.to_datetime(np.ones(62)),
    "objects": pd.Series([True] * 62, dtype=object),
    "categories": pd.Categorical(["0.5"] * 62),
}


@pytest.mark.parametrize("propensity", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_text_and_times_are_no_propensities(propensity: Any) -> None:
    with pytest.raises(PUTypeError, match="propensity column 'propensity' must hold numbers"):
        ROWS.assign(propensity=propensity).pu(propensity="propensity").contingency(0.1)


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
    estimate = frame.pu(propensity="propensity").auroc(0.5, target="examples")[
        ["lower", "estimate", "upper"]
    ]
    assert np.isfinite(estimate).all(axis=None)


def test_one_missing_propensity_of_a_known_positive() -> None:
    frame = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index == 3))
    with pytest.raises(
        PUValueError, match=r"'propensity' must have a value .* but 1 of 60 are missing"
    ):
        frame.pu(propensity="propensity").metric("f1", 0.1, at=3)
    with pytest.raises(PUValueError, match=r"propensity .* but 1 of 60 are missing"):
        pu_accessor.from_arrays(
            frame["score"], frame["label"], propensity=frame["propensity"].to_numpy()
        ).contingency(0.1)


@pytest.mark.parametrize("propensity", [np.nan, -7.0, 0.0, np.inf, 1e9])
def test_that_of_unlabeled_rows_is_not_read(propensity: float) -> None:
    frame = FRAME.assign(propensity=FRAME["propensity"].fillna(propensity))
    xr.testing.assert_identical(
        frame.pu(propensity="propensity").contingency(0.3),
        FRAME.pu(propensity="propensity").contingency(0.3),
    )


@pytest.mark.parametrize("dtype", ["Float64", "double[pyarrow]", object])
def test_propensities_of_any_dtype(dtype: Any) -> None:
    propensity = FRAME["propensity"].astype("Float64").astype(dtype)
    xr.testing.assert_identical(
        FRAME.assign(propensity=propensity).pu(propensity="propensity").contingency(0.3),
        FRAME.pu(propensity="propensity").contingency(0.3),
    )


def test_arrays_and_variables_that_do_not_fit() -> None:
    score, label = FRAME["score"], FRAME["label"]
    with pytest.raises(PUValueError, match=r"propensity must have .* 260 examples, but has 259"):
        pu_accessor.from_arrays(score, label, propensity=[0.5] * 259).contingency(0.1)
    for propensity in (0.5, np.full((260, 1), 0.5)):
        with pytest.raises(PUTypeError, match="propensity must be one-dimensional"):
            pu_accessor.from_arrays(score, label, propensity=propensity).contingency(0.1)
    samples = xr.Dataset.from_dataframe(FRAME.rename_axis("sample"))
    with pytest.raises(PUKeyError, match="propensity must name a variable"):
        samples.pu(propensity="ods").contingency(0.1)
    with pytest.raises(PUValueError, match="dim must be"):
        samples.assign(propensity=0.5).pu(propensity="propensity").contingency(0.1)


def test_an_array_of_propensities_has_one_dimension() -> None:
    ranking = pu_accessor.from_arrays([2, 1], [1, None], propensity=[[0.5], [0.5]])
    with pytest.raises(PUTypeError, match=r"^propensity must be one-dimensional"):
        ranking.contingency(0.5)

"""Columns of propensities: read for known positives, or refused by name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import from_arrays
from tests.arguments.test_propensity import FRAME, TIED, shuffled
from tests.cases import put_of_these


def test_groups_and_models_have_the_propensities_of_their_rows() -> None:
    groups = shuffled(pd.concat([FRAME.assign(g="a"), TIED.assign(g="b"), FRAME.assign(g="c")]))
    groups["other"] = -groups["score"]
    models = groups.pu(by="g", score=["score", "other"], propensity="propensity")
    tables = models.contingency(0.3, ranks="all")
    areas = {name: put_of_these(models, name, 0.3) for name in ("auroc", "average_precision")}
    for key, rows in groups.groupby("g"):
        for model in ("score", "other"):
            pu = rows.pu(score=model, propensity="propensity")
            alone = pu.contingency(0.3, ranks="all")
            here = tables.sel(group=(key, model)).sel(rank=alone["rank"])
            np.testing.assert_array_equal(here["tp"], alone["tp"])
            for name, every in areas.items():
                there = every[(every["g"] == key) & (every["model"] == model)]
                there = there.drop(columns=["g", "model"]).reset_index(drop=True)
                pd.testing.assert_frame_equal(there, put_of_these(pu, name, 0.3))


def test_arrays_and_samples_take_them_too() -> None:
    frame = shuffled(FRAME)
    propensity = frame["propensity"]
    expected = frame.pu(propensity="propensity").contingency(0.3, ranks="all")
    for column in (propensity, propensity.to_numpy(), propensity.tolist()):
        arrays = from_arrays(frame["score"], frame["label"], propensity=column)
        xr.testing.assert_equal(arrays.contingency(0.3, ranks="all"), expected)
    samples = xr.Dataset.from_dataframe(frame.rename_axis("sample"))
    objects = ("sample", propensity.astype(object).where(propensity.notna(), None))
    for ds in (samples, samples.assign(propensity=objects)):
        xr.testing.assert_identical(
            ds.pu(propensity="propensity").contingency(0.3, ranks="all"), expected
        )
    # Over models in any order of dimensions, and of two propensities.
    two = [samples, samples.assign(propensity=samples["propensity"] ** 2)]
    wide = xr.concat(two, "model").transpose().assign(label=samples["label"])
    tables = wide.pu(propensity="propensity").contingency(0.3, ranks="all")
    squared = (
        frame.assign(propensity=propensity**2)
        .pu(propensity="propensity")
        .contingency(0.3, ranks="all")
    )
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
    np.testing.assert_array_equal(*(pu.contingency(0.2, ranks="all")["tp"] for pu in both))


ROWS = FRAME.iloc[:62].assign(extra=1)


@pytest.mark.filterwarnings("ignore:The effective number")
def test_the_smallest_propensity() -> None:
    frame = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index == 0, 1e-12))
    tables = frame.pu(propensity="propensity").contingency(0.5, ranks="all")
    assert tables["n_effective"].item() == pytest.approx(1)
    found = frame.pu(propensity="propensity").auroc(0.5, target="examples")
    assert np.isfinite(found[["lower", "estimate", "upper"]]).all(axis=None)


@pytest.mark.parametrize("dtype", ["Float64", "double[pyarrow]", object])
def test_that_of_unlabeled_rows_is_not_read(dtype: Any) -> None:
    expected, column = (
        FRAME.pu(propensity="propensity").contingency(0.3, ranks="all"),
        FRAME["propensity"],
    )
    others = [column.fillna(other) for other in (-7.0, np.inf)]
    for propensity in (*others, column.astype("Float64").astype(dtype)):
        found = (
            FRAME.assign(propensity=propensity)
            .pu(propensity="propensity")
            .contingency(0.3, ranks="all")
        )
        xr.testing.assert_identical(found, expected)

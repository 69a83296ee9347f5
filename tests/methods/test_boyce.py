"""The continuous Boyce index, against its definition in fractions, and its picture."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import spearmanr

import pu_accessor
from pu_accessor import PUDataError, PUWarning
from tests.cases import as_frame, draw_case


def draw(seed: int) -> pd.DataFrame:
    """Draw a small ranking, most of it tied."""
    return as_frame(draw_case(seed)).astype({"label": float})


def define(frame: pd.DataFrame, windows: int, width: Fraction) -> tuple[list[float], float]:
    """Go through the windows one by one, in fractions: the ratio of each, and the index."""
    scores = [Fraction(str(score)) for score in frame["score"]]
    known = [score for score, one in zip(scores, frame["label"].eq(1), strict=True) if one]
    rest = [score for score, one in zip(scores, frame["label"].eq(1), strict=True) if not one]
    low, span = min(scores), max(scores) - min(scores)
    ratios = []
    for number in range(windows):
        start = low + span * (1 - width) * Fraction(number, windows - 1)
        found, expected = (
            sum(start <= score <= start + width * span for score in some) for some in (known, rest)
        )
        if expected:
            ratios.append(float(Fraction(found * len(rest), len(known) * expected)))
        else:
            ratios.append(np.inf if found else np.nan)
    there = [ratio for ratio in ratios if not np.isnan(ratio)]
    if len({*there}) < 2:
        return ratios, np.nan
    places = [sorted({*there}).index(ratio) for ratio in there]
    return ratios, float(spearmanr(places, range(len(there))).statistic)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_its_definition(seed: int) -> None:
    frame = draw(seed)
    windows, width = [(101, "0.1"), (21, "0.25"), (10, "0.1"), (7, "0.9")][seed % 4]
    found = frame.pu.metric("boyce")
    ratios, index = define(frame, windows, Fraction(width))
    np.testing.assert_allclose(found["ratio"], ratios, rtol=1e-12)
    np.testing.assert_allclose(found["boyce"], index, rtol=1e-12)
    assert found["ratio"].dims == found["score"].dims == ("window",) and found["boyce"].dims == ()
    step = np.ptp(frame["score"]) * (1 - float(width)) / (windows - 1)
    np.testing.assert_allclose(np.diff(found["score"]), step)


def test_it_is_nan_where_the_ratio_does_not_vary() -> None:
    found = pu_accessor.from_arrays([0, 0, 1, 1], [1, None, 1, None]).metric("boyce")
    assert np.isnan(found["boyce"]) and found["ratio"].dropna("window").to_numpy().max() == 1


# Every source


def test_samples_keep_their_dimensions() -> None:
    rng = np.random.default_rng(1)
    label = np.where(rng.random((2, 40)) < 0.3, 1, np.nan)
    score = (("model", "fold", "place"), rng.normal(size=(3, 2, 40)))
    coords = {"model": ["x", "y", "z"], "window": ("fold", [1, 2])}
    samples = xr.Dataset({"score": score, "label": (("fold", "place"), label)}, coords)
    found = samples.pu(score="score", label="label", dim="place").metric("boyce")
    assert dict(found["ratio"].sizes) == {"model": 3, "fold": 2, "window": 9}
    expected = pu_accessor.from_arrays(score[1][2, 1], label[1]).metric("boyce")
    np.testing.assert_array_equal(found["ratio"][2, 1], expected["ratio"])
    assert found["boyce"][2, 1] == expected["boyce"]


def same(one: xr.Dataset, other: xr.Dataset) -> bool:
    """Tell if ratios and index are the same."""
    pairs = ((one[name], other[name]) for name in ("ratio", "boyce"))
    return all(np.allclose(*pair, rtol=1e-12, equal_nan=True) for pair in pairs)


@pytest.mark.parametrize("times", [2, 2.5])
def test_weights_stand_for_rows(times: float) -> None:
    frame = draw(4).assign(weight=lambda df: np.where(df["label"].isna(), 2 * times, times))
    twice = pd.concat([frame, frame[frame["label"].isna()]])
    assert same(frame.pu(weight="weight").metric("boyce"), twice.pu.metric("boyce"))


def test_propensities_weigh_known_positives() -> None:
    frame = draw(1).assign(propensity=lambda df: np.where(df["score"] > 0, 0.5, 0.25))
    times = np.where(frame["label"].eq(1), 1 / frame["propensity"], 1).astype(int)
    found = frame.pu(propensity="propensity").metric("boyce")
    assert same(found, frame.loc[frame.index.repeat(times)].pu.metric("boyce"))
    assert not same(found, frame.pu.metric("boyce"))


# What is not allowed

FRAME = draw(2)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("row", [0, 1])  # a known positive, and an unlabeled example
def test_scores_are_finite(value: float, row: int) -> None:
    frame = FRAME.copy()
    frame.loc[row, "score"] = value
    with pytest.raises(PUDataError, match="needs scores that differ and a finite range"):
        frame.pu(nan_policy="worst").metric("boyce")
    if np.isnan(value):
        omitted = frame.pu(nan_policy="omit").metric("boyce")
        xr.testing.assert_identical(omitted, frame.drop(index=row).pu.metric("boyce"))


GROUPS = pd.concat([draw(seed).assign(site=site) for seed, site in [(3, "a"), (5, "b"), (9, "c")]])
GROUPS["half"] = GROUPS.groupby(["site", "label"], dropna=False).cumcount() % 2


def test_groups_without_an_answer_are_skipped() -> None:
    flat = GROUPS.assign(score=GROUPS["score"].where(GROUPS["site"] != "b", 0))
    with pytest.raises(PUDataError, match=r"group site='b': boyce needs .* on_error='skip'"):
        flat.pu(by="site").metric("boyce")
    with pytest.warns(PUWarning, match="1 of 3 groups"):
        found = flat.pu(by="site", on_error="skip").metric("boyce")
    assert [*found["site"].values] == ["a", "c"] and "site='b'" in found.attrs["skipped"]


# The picture

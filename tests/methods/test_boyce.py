"""The continuous Boyce index, against its definition in fractions."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import pu_accessor
from pu_accessor import PUDataError
from tests.cases import as_frame, draw_case


def draw(seed: int) -> pd.DataFrame:
    """Draw a small ranking, most of it tied."""
    return as_frame(draw_case(seed)).astype({"label": float})


def define(frame: pd.DataFrame) -> float:
    """Go through 101 windows of a tenth of the scores' span one by one, in fractions."""
    scores = [Fraction(str(score)) for score in frame["score"]]
    known = [score for score, one in zip(scores, frame["label"].eq(1), strict=True) if one]
    rest = [score for score, one in zip(scores, frame["label"].eq(1), strict=True) if not one]
    low, span = min(scores), max(scores) - min(scores)
    ratios = []
    for number in range(101):
        start = low + span * Fraction(9, 10) * Fraction(number, 100)
        found, expected = (
            sum(start <= score <= start + span / 10 for score in some) for some in (known, rest)
        )
        if expected:
            ratios.append(float(Fraction(found * len(rest), len(known) * expected)))
        elif found:
            ratios.append(np.inf)
    if len({*ratios}) < 2:
        return np.nan
    places = [sorted({*ratios}).index(ratio) for ratio in ratios]
    return float(spearmanr(places, range(len(ratios))).statistic)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_its_definition(seed: int) -> None:
    frame = draw(seed)
    row = frame.pu.metric("boyce").iloc[0]
    assert row["estimate"] == pytest.approx(define(frame), rel=1e-12, nan_ok=True)
    assert row[["lower", "upper"]].isna().all()


def test_it_is_nan_where_the_ratio_does_not_vary() -> None:
    found = pu_accessor.from_arrays([0, 0, 1, 1], [1, None, 1, None]).metric("boyce")
    assert found["estimate"].isna().all()


# Every source


def same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Tell if the index is the same."""
    return bool(np.allclose(one["estimate"], other["estimate"], rtol=1e-12, equal_nan=True))


@pytest.mark.filterwarnings("ignore:One row has")
@pytest.mark.parametrize("times", [2, 2.5])
def test_weights_stand_for_rows(times: float) -> None:
    frame = draw(4).assign(weight=lambda df: np.where(df["label"].isna(), 2 * times, times))
    twice = pd.concat([frame, frame[frame["label"].isna()]])
    assert same(frame.pu(weight="weight").metric("boyce"), twice.pu.metric("boyce"))


@pytest.mark.filterwarnings("ignore:The effective number")
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
        pd.testing.assert_frame_equal(omitted, frame.drop(index=row).pu.metric("boyce"))


GROUPS = pd.concat([draw(seed).assign(site=site) for seed, site in [(3, "a"), (5, "b"), (9, "c")]])
GROUPS["half"] = GROUPS.groupby(["site", "label"], dropna=False).cumcount() % 2

"""Bounds on the rank CDF that are given by rank: [C15]'s Theorem 1, cutoff by cutoff."""

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUValueError
from pu_accessor.inference.bands.lookup import RankBand, bound_at_all_ranks, bound_at_some_ranks
from tests.cases import binormal

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
SIZE = 40
RANKS = np.arange(SIZE + 1)
LOWER, UPPER = np.round(RANKS / SIZE * 0.7, 3), np.round(np.minimum(RANKS / SIZE + 0.25, 1), 3)


def frame(seed: int, decimals: int = 6) -> pd.DataFrame:
    """Draw scores, some of them tied, and labels of all three kinds."""
    drawn = binormal(16, SIZE - 16, 0.5, seed)[0].round(decimals)
    return drawn.assign(label=drawn["label"].mask(drawn.index >= SIZE - 4, 0.0))


def theorem_1(df: pd.DataFrame, m: int, threshold: float) -> list[int]:
    """Return the lowest and the highest number of true positives at a cutoff, by hand."""
    head = df[df["score"] >= threshold]
    r = len(head)
    known, h = (head["label"] == 1).sum(), head["label"].isna().sum()
    tail = df["label"].isna().sum() - h
    claims = floor(Fraction(str(LOWER[r])) * m), ceil(Fraction(str(UPPER[r])) * m)
    return [int(known + max(min(claim, h), m - tail)) for claim in claims]


@pytest.mark.parametrize("decimals", [6, 0])
@pytest.mark.parametrize("seed", range(4))
def test_tables_are_those_of_theorem_1(seed: int, decimals: int) -> None:
    df = frame(seed, decimals)
    for beta, m in ((0.25, 7), (0.5, 14), (0.0, 0), (1.0, 28)):
        tables = df.pu(negative=0).contingency(beta, band=(LOWER, UPPER), ranks="all").isel(beta=0)
        assert tables.attrs["band"] == "by rank"
        assert (tables["tp"].diff("bound") >= 0).all()
        wanted = [theorem_1(df, m, threshold) for threshold in tables["threshold"].values]
        assert tables["tp"].sel(bound=["lower", "upper"]).values.tolist() == wanted


def test_all_ways_to_give_bounds_say_the_same() -> None:
    pu, sides = frame(3).pu(negative=0), [xr.DataArray(s, dims="rank") for s in (LOWER, UPPER)]
    expected = pu.contingency(0.4, band=(LOWER, UPPER), ranks="all")
    ways: list[Any] = [
        (LOWER.tolist(), pd.Series(UPPER)),
        (lambda r: LOWER[r], lambda r: UPPER[r]),
        (sides[0], UPPER),
        tuple(side.assign_coords(rank=RANKS)[::-1] for side in sides),
    ]
    for way in ways:
        xr.testing.assert_identical(pu.contingency(0.4, band=way, ranks="all"), expected)


def test_all_questions_take_bounds_by_rank() -> None:
    pu, how = frame(3).pu(negative=0), dict[str, Any](band=(LOWER, UPPER))
    expected, curves = pu.contingency(0.4, **how), pu.roc_bounds(0.4, **how)
    ends = ["lower", "upper"]
    rounded = expected.pu.roc_bounds()["tpr"].sel(bound=ends)
    xr.testing.assert_identical(curves["tpr"].sel(bound=ends), rounded)
    row = pu.metric("precision", 0.4, at=12, **how).iloc[0]
    value = pu.pr_bounds(0.4, ranks="all", **how)["precision"].sel(rank=12, beta=0.4)
    assert row.attrs["band"] == "by rank"
    assert [row["lower"], row["estimate"], row["upper"]] == pytest.approx(value.values)
    some = pu.contingency(0.4, ranks=[5, 12], **how)
    np.testing.assert_array_equal(some["tp"], expected["tp"].sel(rank=[5, 12]))
    axes = pu.plot_roc(pd.Interval(0.2, 0.4), **how)
    assert len(axes.collections) + len(axes.patches) > 0
    point, within = (
        pu.contingency(beta, **how).pu.metric("recall").isel(beta=0)
        for beta in (0.3, pd.Interval(0.2, 0.4))
    )
    assert (within.sel(bound="lower") <= point.sel(bound="lower")).all()


def test_each_model_has_bounds_of_its_own() -> None:
    df, models = frame(2).assign(other=frame(4)["score"]), {"score": LOWER, "other": LOWER / 2}
    lower = xr.DataArray([*models.values()], {"model": [*models]}, ("model", "rank"))
    both = df.pu(score=[*models], negative=0).contingency(0.3, band=(lower, UPPER), ranks="all")
    for model, own in models.items():
        alone = df.pu(score=model, negative=0).contingency(0.3, band=(own, UPPER), ranks="all")
        np.testing.assert_array_equal(both["tp"].sel(model=model), alone["tp"])


def test_some_ranks_are_enough() -> None:
    def sides(ranks: Any, shares: Any) -> list[Any]:
        return [bound_at_some_ranks(name, np.array(ranks), shares) for name in ("lower", "upper")]

    lower, upper = (side(SIZE) for side in sides([30, 10], [0.8, 0.3]))
    assert lower[[0, 9, 10, 29, 30, 40]].tolist() == [0, 0, 0.3, 0.3, 0.8, 0.8]
    assert upper[[0, 10, 11, 30, 31, 40]].tolist() == [0.3, 0.3, 0.8, 0.8, 1, 1]
    lower, upper = (side(SIZE) for side in sides([SIZE, 0], [0.9, 0.1]))
    assert lower.tolist() == [0.1] * SIZE + [0.9] and upper.tolist() == [0.1] + [0.9] * SIZE
    for outside, told in (([*range(41, 48)], "41, 42, 43, 44, 45"), ([-1, 3, 41], "-1, 41")):
        none = sides(outside, [0] * len(outside))
        for name, side in zip(("lower", "upper"), none, strict=True):
            text = rf"from 0 to 40, the number of examples, but its {name} has \[{told}\]\."
            with pytest.raises(PUValueError, match=text):
                side(SIZE)


def test_a_bound_that_falls_is_widened() -> None:
    band = RankBand(
        bound_at_all_ranks("lower", [0, 0.4, 0.2, 1]),
        bound_at_all_ranks("upper", [0.5, 0.9, 0.6, 1]),
    )
    lower, upper = band.latent(np.arange(4), 3, np.array([10]))
    assert (lower[:, 0].tolist(), upper[:, 0].tolist()) == ([0, 2, 2, 10], [5, 9, 9, 10])


def test_shares_of_counts_are_those_of_decimals() -> None:
    shares = np.round(np.arange(0, 1001) / 1000, 3)
    band = RankBand(bound_at_all_ranks("lower", shares), bound_at_all_ranks("upper", shares))
    for m in (100, 1000, 12_345, 10**9):
        lower, upper = band.latent(np.arange(1001), 1000, np.array([m]))
        exact = [Fraction(str(share)) * m for share in shares.tolist()]
        assert lower[:, 0].tolist() == [floor(each) for each in exact]
        assert upper[:, 0].tolist() == [ceil(each) for each in exact]

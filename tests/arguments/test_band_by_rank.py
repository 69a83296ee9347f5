"""Bounds on the rank CDF that are given by rank: [C15]'s Theorem 1, cutoff by cutoff."""

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUTypeError, PUValueError
from pu_accessor.inference.bands.lookup import RankBand, at_some_ranks, read_side

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
SIZE = 40
RANKS = np.arange(SIZE + 1)
LOWER, UPPER = np.round(RANKS / SIZE * 0.7, 3), np.round(np.minimum(RANKS / SIZE + 0.25, 1), 3)


def frame(seed: int, decimals: int = 6) -> pd.DataFrame:
    """Draw scores, some of them tied, and labels of all three kinds."""
    rng = np.random.default_rng(seed)
    label = np.where(np.arange(SIZE) < 8, 1.0, np.nan)
    label[-4:] = 0.0
    score = np.round(rng.normal(size=SIZE) + (np.arange(SIZE) < 16), decimals)
    return pd.DataFrame({"score": score, "label": label})


def theorem_1(df: pd.DataFrame, m: int, threshold: float) -> list[int]:
    """Return the lowest and the highest number of true positives at a cutoff, by hand."""
    head = df[df["score"] >= threshold]
    r = len(head)
    known, h = (head["label"] == 1).sum(), head["label"].isna().sum()
    tail = df["label"].isna().sum() - h
    claims = floor(Fraction(str(LOWER[r])) * m), ceil(Fraction(str(UPPER[r])) * m)
    return [int(known + max(min(claim, h), m - tail)) for claim in claims]


@pytest.mark.parametrize("decimals", [6, 0])
@pytest.mark.parametrize("seed", range(6))
def test_tables_are_those_of_theorem_1(seed: int, decimals: int) -> None:
    df = frame(seed, decimals)
    for beta, m in ((0.25, 7), (0.5, 14), (0.0, 0), (1.0, 28)):
        tables = df.pu(negative=0).contingency(beta, band=(LOWER, UPPER)).isel(beta=0)
        assert tables.attrs["band"] == "by rank"
        for at, threshold in enumerate(tables["threshold"].values):
            found = tables["tp"].isel(rank=at)
            assert found.sel(bound=["lower", "upper"]).values.tolist() == theorem_1(
                df, m, threshold
            )
            assert found.values.tolist() == sorted(found.values.tolist())


def test_all_ways_to_give_bounds_say_the_same() -> None:
    df = frame(3)
    ways: list[Any] = [
        (LOWER, UPPER),
        (LOWER.tolist(), pd.Series(UPPER)),
        (lambda r: LOWER[r], lambda r: UPPER[r]),
        (xr.DataArray(LOWER, dims="rank"), UPPER),
        tuple(
            xr.DataArray(side, dims="rank", coords={"rank": RANKS})[::-1]
            for side in (LOWER, UPPER)
        ),
    ]
    pu = df.pu(negative=0)
    expected = pu.contingency(0.4, band=ways[0])
    for way in ways[1:]:
        xr.testing.assert_identical(pu.contingency(0.4, band=way), expected)
    curves = pu.roc_bounds(0.4, band=ways[0])
    ends = ["lower", "upper"]
    rounded = expected.pu.roc_bounds()["tpr"].sel(bound=ends)
    xr.testing.assert_identical(curves["tpr"].sel(bound=ends), rounded)
    rank = 12
    row = pu.metric("precision", 0.4, at=rank, band=ways[0]).iloc[0]
    value = pu.pr_bounds(0.4, band=ways[0], ranks="all")["precision"].sel(rank=rank, beta=0.4)
    assert row.attrs["band"] == "by rank"
    assert [row["lower"], row["estimate"], row["upper"]] == pytest.approx(value.values)
    some = pu.contingency(0.4, band=ways[0], ranks=[5, rank])
    np.testing.assert_array_equal(some["tp"], expected["tp"].sel(rank=[5, rank]))


def test_functions_and_accessor_agree_on_arrays() -> None:
    df = frame(1)
    label = [None if np.isnan(x) else bool(x) for x in df["label"]]
    pu = pu_accessor.from_arrays(df["score"], label)
    one, other = (
        ask.contingency(0.3, band=(LOWER, UPPER))["tp"] for ask in (pu, df.pu(negative=0))
    )
    np.testing.assert_array_equal(one, other)


def test_each_model_has_bounds_of_its_own() -> None:
    df = frame(2).assign(other=frame(4)["score"])
    lower = xr.DataArray(
        np.stack([LOWER, LOWER / 2]), dims=("model", "rank"), coords={"model": ["score", "other"]}
    )
    both = df.pu(score=["score", "other"], negative=0).contingency(0.3, band=(lower, UPPER))
    for model, own in (("score", LOWER), ("other", LOWER / 2)):
        alone = df.pu(score=model, negative=0).contingency(0.3, band=(own, UPPER))
        np.testing.assert_array_equal(both["tp"].sel(model=model), alone["tp"])


def test_some_ranks_are_enough() -> None:
    lower, upper = (
        at_some_ranks(name, np.array([30, 10]), [0.8, 0.3])(SIZE) for name in ("lower", "upper")
    )
    assert lower[[0, 9, 10, 29, 30, 40]].tolist() == [0, 0, 0.3, 0.3, 0.8, 0.8]
    assert upper[[0, 10, 11, 30, 31, 40]].tolist() == [0.3, 0.3, 0.8, 0.8, 1, 1]


def test_some_ranks_from_the_first_to_the_last() -> None:
    ends = np.array([SIZE, 0])
    lower, upper = (at_some_ranks(name, ends, [0.9, 0.1])(SIZE) for name in ("lower", "upper"))
    assert lower.tolist() == [0.1] * SIZE + [0.9] and upper.tolist() == [0.1] + [0.9] * SIZE
    for outside, told in (([*range(41, 48)], [*range(41, 46)]), ([-1, 3, 41], [-1, 41])):
        for name in ("lower", "upper"):
            side = at_some_ranks(name, np.array(outside), np.linspace(0, 1, len(outside)))
            with pytest.raises(PUValueError) as error:
                side(SIZE)
            assert f"from 0 to 40, the number of examples, but its {name} has {told}." in str(
                error.value
            )


def test_a_bound_that_falls_is_widened() -> None:
    band = RankBand(read_side("lower", [0, 0.4, 0.2, 1]), read_side("upper", [0.5, 0.9, 0.6, 1]))
    lower, upper = band.latent(np.arange(4), 3, np.array([10]))
    assert (lower[:, 0].tolist(), upper[:, 0].tolist()) == ([0, 2, 2, 10], [5, 9, 9, 10])


def test_shares_of_counts_are_those_of_decimals() -> None:
    shares = np.round(np.arange(0, 1001) / 1000, 3)
    band = RankBand(read_side("lower", shares), read_side("upper", shares))
    for m in (100, 1000, 12_345, 10**9):
        lower, upper = band.latent(np.arange(1001), 1000, np.array([m]))
        exact = [Fraction(str(share)) * m for share in shares.tolist()]
        assert lower[:, 0].tolist() == [floor(each) for each in exact]
        assert upper[:, 0].tolist() == [ceil(each) for each in exact]


def test_plots_and_envelopes_take_bounds_by_rank() -> None:
    df = frame(5)
    axes = df.pu(negative=0).plot_roc(0.3, band=(LOWER, UPPER), beta_interval=(0.2, 0.4))
    assert len(axes.collections) + len(axes.patches) > 0
    tables = df.pu(negative=0).contingency(0.3, band=(LOWER, UPPER), beta_interval=(0.2, 0.4))
    values = tables.pu.metric("recall").isel(beta=0)
    assert (values.sel(bound="envelope_lower") <= values.sel(bound="lower")).all()


@pytest.mark.parametrize(
    ("band", "error", "told"),
    [
        ((LOWER[:-1], UPPER), PUValueError, "0 to 40, .* 41 in all, but its lower has 40"),
        ((LOWER, lambda r: r[1:] * 0), PUValueError, "its upper returned 40"),
        ((UPPER, LOWER), PUValueError, "lower <= upper, but at rank 0"),
        ((LOWER, UPPER * 10), PUValueError, r"\[0, 1\], but its upper is 2.5 at rank 0"),
        ((LOWER, UPPER * np.nan), PUValueError, "upper is nan at rank 0"),
        ((LOWER, np.where(RANKS == 5, 1.5, UPPER)), PUValueError, "upper is 1.5 at rank 5"),
        ((np.where(RANKS == 6, -0.1, LOWER), UPPER), PUValueError, "lower is -0.1 at rank 6"),
        (
            (RANKS / SIZE, np.where(RANKS == 7, 0.1, RANKS / SIZE)),
            PUValueError,
            "at rank 7 it has lower 0.175 and upper 0.1",
        ),
        ((LOWER,), PUTypeError, "pair of bounds .* but 1 were passed"),
        (("exact", "dkw"), PUTypeError, "arrays of shares, .* lower is str"),
        ((xr.DataArray(LOWER, dims="cutoff"), UPPER), PUTypeError, "over the dimension 'rank'"),
        (
            (xr.DataArray([0.1], dims="rank", coords={"rank": [99]}), UPPER),
            PUValueError,
            r"ranks from 0 to 40, .* lower has \[99\]",
        ),
        (
            (xr.DataArray([0.1, 0.2], dims="rank", coords={"rank": [1, 1]}), UPPER),
            PUValueError,
            "each rank once",
        ),
    ],
)
def test_bounds_that_do_not_fit(band: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        frame(1).pu(negative=0).contingency(0.3, band=band)


def test_what_does_not_go_with_bounds_by_rank() -> None:
    df = frame(1).assign(chance=0.5)
    with pytest.raises(PUValueError, match="reference must be 'positives' with bounds by rank"):
        df.pu(negative=0).contingency(0.3, band=(LOWER, UPPER), reference="both")
    with pytest.raises(
        PUValueError, match=r"band must be left at 'exact' .* 'by rank' was passed"
    ):
        df.pu(negative=0, propensity="chance").contingency(0.3, band=(LOWER, UPPER))
    models = xr.DataArray(LOWER[np.newaxis], dims=("model", "rank"), coords={"model": ["another"]})
    with pytest.raises(PUValueError, match="band must have bounds for model='score'"):
        df.pu(score=["score", "chance"], negative=0).contingency(0.3, band=(models, UPPER))
    with pytest.raises(PUTypeError, match=r"and keys, .* its lower has .*model"):
        df.pu(negative=0).contingency(0.3, band=(models, UPPER))

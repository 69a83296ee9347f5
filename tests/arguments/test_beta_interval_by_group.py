"""An interval of beta for each group: envelopes as if each were asked alone."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUKeyError, PUTypeError, PUValueError

INTERVALS = {"a": (0.1, 0.3), "b": (0.15, 0.45)}


def sites() -> pd.DataFrame:
    """Draw two groups of scores, 120 each."""
    rng = np.random.default_rng(4)
    truth = rng.random(240) < 0.4
    known = truth & (rng.random(240) < 0.5)
    score = np.round(rng.normal(truth * 1.3), 1)
    label = np.where(known, 1, np.nan)
    return pd.DataFrame({"score": score, "label": label, "site": ["a", "b"] * 120})


SITES = sites()


def test_all_ways_to_give_intervals_say_the_same() -> None:
    ways = [pd.Series(INTERVALS), pd.DataFrame(INTERVALS, index=["low", "high"]).T]
    expected, *others = (
        SITES.pu(by="site").contingency(0.2, beta_interval=way, ranks=[9, 30])
        for way in (INTERVALS, *ways)
    )
    for other in others:
        xr.testing.assert_identical(other, expected)


def test_each_group_is_as_alone() -> None:
    def ask(pu: Any, interval: Any) -> tuple[Any, ...]:
        how: dict[str, Any] = {"beta": 0.2, "beta_interval": interval}
        precision = pu.metric("precision", at=30, **how)
        tables = pu.contingency(ranks="breakpoints", **how)
        return tables, pu.pr_bounds(**how), pu.auroc(**how), precision

    tables, curves, *frames = ask(SITES.pu(by="site"), INTERVALS)
    for site, interval in INTERVALS.items():
        own, alone, *rows = ask(SITES[SITES["site"] == site].pu, interval)
        one = tables.sel(site=site).isel(cutoff=slice(own.sizes["rank"]))
        np.testing.assert_array_equal(one["tp"], own["tp"])
        for name in ("f1", "fpr"):
            np.testing.assert_allclose(one.pu.metric(name), own.pu.metric(name))
        areas = tables.pu.area("auroc").sel(site=site)
        np.testing.assert_allclose(areas, own.pu.area("auroc"))
        envelope = curves["precision_envelope"].sel(site=site)
        np.testing.assert_allclose(envelope, alone["precision_envelope"])
        for found, row in zip(frames, rows, strict=True):
            assert found.set_index("site").loc[site].to_dict() == row.iloc[0].to_dict()


def test_a_baseline_outside_one_interval_does_not_widen_it() -> None:
    every, ends = SITES.pu(by="site"), ["envelope_lower", "envelope_upper"]
    one, two = (
        every.contingency(beta, beta_interval=INTERVALS).pu.metric("accuracy")
        for beta in (0.2, [0.0, 0.2])
    )
    xr.testing.assert_equal(one.sel(bound=ends, beta=0.2), two.sel(bound=ends, beta=0.2))
    plain, more = (
        every.pr_bounds(beta, beta_interval=INTERVALS)["precision_envelope"]
        for beta in (0.2, [0.0, 0.2])
    )
    xr.testing.assert_equal(plain, more)


@pytest.mark.parametrize(
    ("intervals", "error", "told"),
    [
        ({"a": (0.1, 0.3)}, PUKeyError, r"beta_interval must .* none for \['b'\]"),
        ({"a": (0.1, 0.3), "b": 0.2}, PUTypeError, "site='b': beta_interval must be a pair"),
        ({"a": (0.1, 0.3), "b": (0.5, 0.2)}, PUValueError, "site='b': .* low <= high"),
        (pd.DataFrame({"l": [0.1], "h": [0.2]}), PUValueError, r"columns \['low', 'high'\]"),
        (pd.Series([(0.1, 0.3)] * 2, index=["a", "a"]), PUValueError, "each key once"),
        ({"a": (0.1, 0.3), "b": (0.3, 0.45)}, PUValueError, "beta must lie in beta_interval"),
    ],
)
def test_intervals_that_do_not_fit(intervals: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        SITES.pu(by="site").contingency(0.2, beta_interval=intervals)


def test_intervals_by_key_need_groups() -> None:
    with pytest.raises(PUTypeError, match=r"beta_interval must be a pair .*by='site'"):
        SITES.pu.contingency(0.2, beta_interval=INTERVALS)

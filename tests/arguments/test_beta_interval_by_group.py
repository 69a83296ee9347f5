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


@pytest.mark.parametrize(
    "intervals",
    [
        INTERVALS,
        pd.Series(INTERVALS),
        pd.DataFrame({"low": [0.1, 0.15], "high": [0.3, 0.45]}, index=["a", "b"]),
    ],
)
def test_each_group_is_as_alone(intervals: Any) -> None:
    every = SITES.pu(by="site")
    tables = every.contingency(0.2, beta_interval=intervals, ranks="breakpoints")
    curves = every.pr_bounds([0.0, 0.2], beta_interval=intervals)
    for site, interval in INTERVALS.items():
        alone = SITES[SITES["site"] == site].pu
        own = alone.contingency(0.2, beta_interval=interval, ranks="breakpoints")
        one = tables.sel(site=site).isel(cutoff=slice(own.sizes["rank"]))
        np.testing.assert_array_equal(one["tp"], own["tp"])
        for name in ("f1", "fpr"):
            np.testing.assert_allclose(one.pu.metric(name), own.pu.metric(name))
        areas = tables.pu.area("auroc").sel(site=site)
        np.testing.assert_allclose(areas, own.pu.area("auroc"))
        envelope = alone.pr_bounds(0.2, beta_interval=interval)["precision_envelope"]
        np.testing.assert_allclose(curves["precision_envelope"].sel(site=site), envelope)
        numbers = every.auroc(0.2, beta_interval=intervals).set_index("site").loc[site]
        assert numbers.to_dict() == alone.auroc(0.2, beta_interval=interval).iloc[0].to_dict()
        at = {"quantity": "precision", "beta": 0.2, "at": 30}
        row = every.metric(**at, beta_interval=intervals).set_index("site").loc[site]
        same = alone.metric(**at, beta_interval=interval).iloc[0]
        assert row["envelope_upper"] == same["envelope_upper"]


def test_a_baseline_outside_one_interval_does_not_widen_it() -> None:
    every = SITES.pu(by="site")
    one, two = (
        every.contingency(beta, beta_interval=INTERVALS).pu.metric("accuracy")
        for beta in (0.2, [0.0, 0.2])
    )
    ends = ["envelope_lower", "envelope_upper"]
    xr.testing.assert_equal(one.sel(bound=ends, beta=0.2), two.sel(bound=ends, beta=0.2))


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

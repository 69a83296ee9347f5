"""Bands of one's own: functions of n, m and level."""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr

import pu_accessor

# A user's own band


RANKING = pu_accessor.from_arrays([4, 3, 2, 1], [True, None, None, None])


def halves(n: int, m: int, level: float) -> tuple[list[int], list[int]]:
    """Return a band from 0 to half of the latent positives, all of them at the end."""
    return [0] * (n + 1), [m // 2] * n + [m]


def test_a_callable_is_a_band() -> None:
    tables = RANKING.contingency(1, band=halves, ranks="all")
    assert tables.attrs["band"] == "halves"
    for bound in ("lower", "upper"):
        assert tables["tp"].sel(beta=1, bound=bound).values.tolist() == [0, 1, 2, 3, 4]
    assert RANKING.contingency(1, band=partial(halves), ranks="all").attrs["band"] == "partial"


def test_a_callable_sees_n_m_and_level_and_may_return_one_array_of_unsigned_integers() -> None:
    seen = []

    def spy(*seen_here: Any) -> Any:
        seen.append(seen_here)
        return np.array(halves(*seen_here), dtype=np.uint16)

    pu = pu_accessor.from_arrays(range(6), [True, True, None, None, None, None])
    one, other = (
        pu.contingency([0.25, 0.5], band=b, level=0.8, ranks="all") for b in (spy, halves)
    )
    xr.testing.assert_equal(one, other)
    assert seen == [(2, 1, 0.8), (2, 2, 0.8)]

"""Numbers may be NumPy's or fractions: what is answered is the same as for Python's own."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import beta_from_label_frequency, beta_from_labels, beta_from_prevalence

QUARTER = [0.25, Fraction(1, 4), np.float16(0.25), np.float32(0.25)]
SEVERAL = [kind([0.25]) for kind in (list, tuple, np.array, pd.Series, pd.Index)]
COUNT = [100, np.int8(100), np.uint8(100), np.int64(100)]
PLACE = np.arange(300)
FRAME = pd.DataFrame({"score": PLACE * 37 % 101, "label": np.where(PLACE % 5 == 0, 1, np.nan)})
PU = FRAME.assign(label=FRAME["label"].mask(PLACE % 5 == 1, 0)).pu
ASKED: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "max_fpr": (lambda x: PU.auroc(0.3, max_fpr=x), QUARTER),
    "max_fpr on new examples": (lambda x: PU.auroc(0.3, max_fpr=x, target="population"), QUARTER),
    "at": (lambda x: PU.metric("recall", 0.3, at={"fpr": x}), [*QUARTER, np.array(0.25)]),
    "at, several": (lambda x: PU.metric("recall", 0.25, at={"fpr": x}), SEVERAL),
    "models": (lambda x: PU.cutoff(0.3, recall=0.5, models=x), COUNT),
    "prevalence": (lambda x: beta_from_prevalence(x, 20, 100), QUARTER),
    "label_frequency": (lambda x: beta_from_label_frequency(x, 20, 100), QUARTER),
    "n_positive": (lambda x: beta_from_prevalence(0.9, x, x), COUNT),
    "n_unlabeled": (lambda x: beta_from_labels(pd.Series([True, False]), n_unlabeled=x), COUNT),
}


@pytest.mark.parametrize("name", ASKED)
def test_kinds_of_numbers(name: str) -> None:
    ask, (plain, *others) = ASKED[name]
    expected = ask(plain)
    for number in others:
        found = ask(number)
        if isinstance(found, pd.DataFrame):
            pd.testing.assert_frame_equal(found, expected, check_exact=True)
        else:
            assert (found, type(found)) == (expected, type(expected))


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

"""Areas under curves, against scikit-learn and the oracle."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import pu_accessor
from tests.cases import Case, as_frame, as_tables, cases, draw_case
from tests.support.oracles import oracle
from tests.support.oracles.reference_oracle import BOUNDS


def fully_labeled(seed: int) -> tuple[list[bool], list[float], xr.Dataset]:
    """Return truth, scores with ties, and tables where everything is labeled."""
    rng = np.random.default_rng(seed)
    truth = [True, False, *(rng.random(60) < 0.4).tolist()]
    score = np.round(rng.normal(truth), 1).tolist()
    return (
        truth,
        score,
        pu_accessor.from_arrays(score, truth, negative=False).contingency(0, ranks="all"),
    )


def check_areas(case: Case, max_fpr: float | None = None) -> int:
    """Compare areas with the oracle, and return how often the curve of a bound steps back."""
    tables, back = as_frame(case).pu.contingency(case.beta, ranks="all"), 0
    pr = tables.pu.area("average_precision").isel(beta=0)
    roc = tables.pu.area("auroc", max_fpr=max_fpr).isel(beta=0)
    for bound in BOUNDS:
        written = as_tables(tables, bound)
        back += sum(end.fp < start.fp for start, end in pairwise(written))
        assert pr.sel(bound=bound).item() == pytest.approx(oracle.pr_area(written), abs=1e-9)
        want = float(oracle.roc_area(written, max_fpr)) if written[-1].fp else math.nan
        assert roc.sel(bound=bound).item() == pytest.approx(want, abs=1e-12, nan_ok=True)
    return back


@settings(max_examples=20)
@given(case=cases(), max_fpr=st.sampled_from([None, 0.1, 0.5, 0.75]))
def test_areas_are_those_of_the_oracle(case: Case, max_fpr: float | None) -> None:
    check_areas(case, max_fpr)


@pytest.mark.parametrize("seed", [4, 50, 55])
def test_areas_with_steps_back_are_those_of_the_oracle(seed: int) -> None:
    assert check_areas(draw_case(seed)) > 0


# Bad input


def test_areas_whose_products_need_more_than_53_bits() -> None:
    """A curve of three cutoffs of a billion examples, drawn by hand."""
    half = 500_000_001
    tp, fp = np.array([0, half, 2 * half]), np.array([0, 1, 2 * half])
    counts = {"tp": tp, "fp": fp, "fn": 2 * half - tp, "tn": 2 * half - fp}
    tables = xr.Dataset({name: ("rank", values) for name, values in counts.items()})
    tables = tables.assign_coords(rank=[0, half + 1, 4 * half])
    # Twice the area, in pairs of examples: 1 * half, then (2 * half - 1) * (3 * half).
    twice = Fraction(half + (2 * half - 1) * 3 * half, (2 * half) ** 2)
    assert tables.pu.area("auroc").item() == pytest.approx(float(twice / 2), rel=1e-15)


def test_an_area_keeps_no_cutoff() -> None:
    tables = fully_labeled(0)[2]
    area = tables.pu.area("auroc", max_fpr=0.25)
    plain = tables.reset_index("rank").rename_dims(rank="cutoff").pu.area("auroc")
    assert area.attrs["max_fpr"] == 0.25 and "max_fpr" not in plain.attrs
    assert not {"rank", "threshold", "known_positive"} & {*area.coords, *plain.coords}

"""Derivatives by beta: against exact fractions, and against differences of tables."""

from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import pu_accessor
from tests.cases import Case, cases

COUNTS = ("tp", "fp", "fn", "tn")
RATES = ("tpr", "fpr", "precision")
EVERY = (*RATES, *COUNTS)


class Line(NamedTuple):
    """A count that is straight in beta: what it is, and how fast it grows."""

    value: Fraction
    slope: Fraction = Fraction(0)


def ratio_slope(top: Line, bottom: Line) -> float:
    """Return the derivative of a ratio, nan without a denominator."""
    if not bottom.value:
        return np.nan
    return float((top.slope * bottom.value - top.value * bottom.slope) / bottom.value**2)


def expected(tables: xr.Dataset, kind: str, place: dict[str, Any]) -> dict[str, float]:
    """Return the derivatives at one place from the counts there, in fractions."""
    one = tables.sel(place)
    if bool(one["clipped"]):
        return dict.fromkeys(EVERY, 0.0)
    tp, fp, fn, tn = (Fraction(int(one[name])) for name in COUNTS)
    n, against, unlabeled = (
        int(tables[f"n_{name}"]) for name in ("known_positive", "known_negative", "unlabeled")
    )
    k, g = int(one["known_positive"]), int(one.coords.get("known_negative", 0))
    m, head = tp + fn - n, tp + fp
    latent = {"positives": m, "negatives": unlabeled - m}[kind]
    if place["bound"] == "estimate" and not latent:
        share: tuple[Any, Any] = {"positives": (k, n), "negatives": (g, against)}[kind]
    else:
        share = {"positives": (tp - k, m), "negatives": (fp - g, unlabeled - m)}[kind]
    if not share[1]:
        rates = dict.fromkeys(EVERY, np.nan)
        return rates if head else {**rates, "precision": 0.0}
    part = Fraction(*share)
    # As beta grows, there are fewer latent negatives.
    inside = k + part * latent if kind == "positives" else head - g - part * latent
    true = Line(inside, part * unlabeled)
    # Rates have the counts of the table in the denominator, which rounds none of them.
    positives, negatives = Line(tp + fn, Fraction(unlabeled)), Line(fp + tn, Fraction(-unlabeled))
    false = Line(head - true.value, -true.slope)
    return {
        "tp": float(true.slope),
        "fp": float(false.slope),
        "fn": float(positives.slope - true.slope),
        "tn": float(negatives.slope - false.slope),
        "tpr": ratio_slope(true, positives),
        "fpr": ratio_slope(false, negatives),
        "precision": ratio_slope(true, Line(head)) if head else 0.0,
    }


@settings(max_examples=10)
@given(
    case=cases(),
    band=st.sampled_from(["exact", "bootstrap", "dkw", "simultaneous"]),
    reference=st.sampled_from(["positives", "negatives", "tightest"]),
    ranks=st.sampled_from(["all", "breakpoints"]),
)
def test_slopes_are_those_in_fractions(case: Case, reference: Any, **how: Any) -> None:
    score, label = [*case.score, 2.0], [*case.label, False]
    betas = [case.beta, 0.4]
    pu = pu_accessor.from_arrays(score, label).assume(reference=reference)
    tables = pu.contingency(betas, **how)
    slopes = tables.pu.beta_derivatives()
    assert set(slopes.data_vars) == set(EVERY)
    for name in EVERY:
        assert (slopes[name].dims, slopes[name].dtype) == (tables["tp"].dims, np.float64)
    for beta, bound in product(betas, ("lower", "estimate", "upper")):
        tightest = str(tables["tightest"].sel(beta=beta).item()) if "tightest" in tables else ""
        for rank in tables["rank"].values[:: max(1, tables.sizes["rank"] // 5)]:
            place = {"rank": rank, "bound": bound, "beta": beta}
            want = expected(tables, tightest or reference, place)
            found = {name: float(one) for name, one in slopes.sel(place).data_vars.items()}
            assert found == pytest.approx(want, rel=1e-9, abs=1e-9, nan_ok=True)


def test_slopes_are_no_numbers_of_examples() -> None:
    tables = pu_accessor.from_arrays([3, 2, 1], [True, None, None]).contingency(0.5, ranks="all")
    with xr.set_options(keep_attrs=True):  # type: ignore[no-untyped-call]  # the default of new ones
        assert "units" not in tables.pu.beta_derivatives()["tpr"].attrs

"""What tables are asked: areas, curves, cutoffs, frames."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUKeyError
from tests.cases import Case, as_frame, as_tables, binormal, cases, draw_case
from tests.methods.test_bedroc import ranked
from tests.methods.test_contingency import ENDS, check_rounded
from tests.support.oracles import oracle, practice_oracle
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


FRAME = as_frame(draw_case(8))
TABLES = FRAME.pu.contingency([0, 0.4], ranks="all")
SITES = pd.concat([FRAME.assign(site="a"), FRAME.iloc[:9].assign(site="b")]).pu(by="site")


@pytest.mark.parametrize(
    "tables",
    [
        *(TABLES, TABLES.drop_indexes("rank")),  # ranks need no index
        FRAME.pu.contingency([0, 0.4], ranks="breakpoints"),
        *(SITES.contingency([0, 0.4], ranks=ranks) for ranks in ("breakpoints", "all")),
    ],
)
def test_tables_at_some_cutoffs(tables: xr.Dataset) -> None:
    for site in tables["site"].values.tolist() if "site" in tables.coords else [None]:
        of = {} if site is None else {"site": site}
        one, median = tables.sel(of), float(np.median(FRAME["score"]))
        size = int(one["n_known_positive"] + one["n_known_negative"] + one["n_unlabeled"])
        questions: list[tuple[dict[str, float], Any]]
        questions = [({"rank": asked}, one["rank"] <= asked) for asked in (0, 3, 4, size)]
        questions += [({"fraction": x}, one["rank"] <= int(x * size)) for x in (0, 0.2, 0.75, 1)]
        questions += [({"threshold": median}, one["threshold"] >= median)]
        for question, is_above in questions:
            last = np.flatnonzero(is_above)[-1]
            expected = one["tp"].isel({one["tp"].dims[0]: last}).values
            got = tables.pu.at(**question).sel(of)["tp"].values
            np.testing.assert_array_equal(got.squeeze(), expected.squeeze())


def test_a_fraction_is_the_decimal_that_it_is_written_as() -> None:
    assert int(0.29 * 100) == 28  # in floats
    frame = pd.DataFrame({"score": np.arange(100.0), "label": [np.nan, 1] * 50})
    tables = frame.pu.contingency(0.2, ranks="all")
    assert tables.pu.at(fraction=0.29)["rank"] == 29
    assert frame.pu.metric("f1", 0.2, at={"fraction": 0.29})["rank"].item() == 29


def test_to_frame_is_long() -> None:
    tables = as_frame(draw_case(3)).pu.contingency([0, 0.5], ranks="all")
    frame = tables.pu.to_frame()
    assert isinstance(frame.index, pd.RangeIndex)
    assert len(frame) == tables.sizes["rank"] * 3 * 2
    assert frame["tp"].dtype == np.int64
    row = frame[(frame["rank"] == 0) & (frame["bound"] == "upper") & (frame["beta"] == 0.5)]
    assert row["threshold"].tolist() == [np.inf]
    assert row["fp"].tolist() == [0]
    curves = tables.pu.pr_bounds().pu.to_frame()
    assert {"rank", "bound", "beta", "recall", "precision"} <= set(curves.columns)
    with pytest.raises(PUKeyError, match=r"rank or cutoff, but its dimensions are \[\]"):
        xr.Dataset({"a": 1}).pu.to_frame()


def test_repeated_cutoffs_are_left_out_however_cutoffs_stand() -> None:
    frame = as_frame(draw_case(3))
    models = frame.assign(other=1.0 * (frame["score"] > frame["score"].median()))
    pu = models.pu(score=["score", "other"])
    tables = pu.contingency(pd.Interval(0.4, 0.6), ranks="breakpoints")
    assert (tables["rank"].diff("cutoff") == 0).any()  # the shorter one has repeats
    plain = tables.pu.to_frame()
    order = np.random.default_rng(0).permutation(tables.sizes["cutoff"])
    keys = ["model", "rank", "bound", "beta"]
    turned = tables[list(tables.data_vars)[::-1]]
    for other in (tables.reset_coords(), tables.isel(cutoff=order), turned):
        found = other.pu.to_frame()[plain.columns]
        in_order = [each.sort_values(keys, ignore_index=True) for each in (found, plain)]
        pd.testing.assert_frame_equal(*in_order)


RANKED = as_frame(draw_case(8))


@pytest.mark.parametrize("ranks", ["breakpoints", "all", 5])
def test_roc_bounds_and_pr_bounds_are_curves_of_tables(ranks: str | int) -> None:
    tables = RANKED.pu.contingency(0.4, ranks=ranks, band="dkw", level=0.9)
    roc = RANKED.pu.roc_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    pr = RANKED.pu.pr_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    xr.testing.assert_identical(roc.sel(bound=ENDS), tables.pu.roc_bounds().sel(bound=ENDS))
    xr.testing.assert_identical(pr.sel(bound=ENDS), tables.pu.pr_bounds().sel(bound=ENDS))
    check_rounded(tables, roc)  # the estimate of tables is in whole examples
    np.testing.assert_allclose(pr["recall"], roc["tpr"])
    found = (pr["precision"] * (tables["tp"] + tables["fp"])).where(pr["rank"] > 0, 0)
    wanted = (roc["tpr"] * (tables["tp"] + tables["fn"])).transpose(*roc["tpr"].dims)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert list(roc.data_vars) == ["fpr", "tpr"]
    assert list(pr.data_vars) == ["recall", "precision"]
    assert roc["tpr"].dims == pr["recall"].dims == ("rank", "bound", "beta")


def test_curves_come_at_breakpoints() -> None:
    pu = binormal(60, 200, 0.3, seed=1)[0].pu
    breakpoints, every = pu.contingency(0.2, ranks="breakpoints"), pu.contingency(0.2, ranks="all")
    for curves in (pu.roc_bounds(0.2), pu.pr_bounds(0.2)):
        assert curves["rank"].values.tolist() == breakpoints["rank"].values.tolist()
        assert curves["rank"].attrs["n_cutoffs"] == breakpoints.sizes["rank"]
        assert curves["rank"].attrs["cutoffs"] == "breakpoints"
        shown = repr(curves)  # what is asked for is seen, and nothing is cut off
        assert all(name in shown for name in (*curves.coords, *curves.data_vars))
        assert shown[: shown.index("Data variables")].count("\n") <= 13
    some = every.isel(rank=[0, 1])  # so that it is known that some are missing
    assert some["rank"].attrs["n_cutoffs"] == every.sizes["rank"] > breakpoints.sizes["rank"]
    assert pu.contingency(0.2, ranks=[3, 2])["rank"].attrs["n_cutoffs"] == 0


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.25, 0.3, 1])
@pytest.mark.parametrize("seed", range(4))
def test_fully_labeled_enrichment_is_that_of_the_paper(seed: int, fraction: float) -> None:
    rng = np.random.default_rng(seed)
    active = rng.random(47) < 0.3
    found = ranked(active).pu(negative=0).metric("lift", 0, at={"fraction": fraction})
    wanted = practice_oracle.enrichment(active.tolist(), fraction)
    numbers = found.loc[0, ["estimate", "lower", "upper"]].tolist()
    assert numbers == pytest.approx([wanted] * 3, abs=1e-12)

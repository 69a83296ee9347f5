"""Areas under curves, against scikit-learn and the oracle."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import pu_accessor
from pu_accessor import PUError, PUKeyError, PUTypeError, PUValueError
from tests.cases import Case, as_frame, as_tables, cases, draw_case
from tests.support.oracles import oracle
from tests.support.oracles.reference_oracle import BOUNDS

SEEDS = range(15)


def fully_labeled(seed: int) -> tuple[list[bool], list[float], xr.Dataset]:
    """Return truth, scores with ties, and tables where everything is labeled."""
    rng = np.random.default_rng(seed)
    truth = [True, False, *(rng.random(60) < 0.4).tolist()]
    score = np.round(rng.normal(truth), 1).tolist()
    return (
        truth,
        score,
        pu_accessor.from_arrays(score, truth, negative=False).contingency(0),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_fully_labeled_areas_are_those_of_scikit_learn(seed: int) -> None:
    truth, score, tables = fully_labeled(seed)
    for max_fpr in (None, 0.05, 0.3, 1.0):
        expected = roc_auc_score(truth, score, max_fpr=max_fpr)
        areas = tables.pu.area("auroc", max_fpr=max_fpr)
        assert areas.dims == ("bound", "beta")
        np.testing.assert_allclose(areas.values, expected, rtol=0, atol=1e-14)


@given(case=cases(), max_fpr=st.sampled_from([None, 0.1, 0.5, 0.75]))
def test_areas_are_those_of_the_oracle(case: Case, max_fpr: float | None) -> None:
    tables = as_frame(case).pu.contingency(case.beta)
    for bound in BOUNDS:
        written = as_tables(tables, bound)
        pr = float(tables.pu.area("average_precision").sel(bound=bound, beta=case.beta))
        assert pr == pytest.approx(oracle.pr_area(written), abs=1e-9)
        roc = float(tables.pu.area("auroc", max_fpr=max_fpr).sel(bound=bound, beta=case.beta))
        if written[-1].fp:
            assert roc == pytest.approx(float(oracle.roc_area(written, max_fpr)), abs=1e-12)
        else:
            assert np.isnan(roc)


def test_a_step_back_counts_against_the_area() -> None:
    # A known positive brings latent ones along: of n = 1 and m = 3 the band at level .4 has at
    # least 0 and 1 (by hand in the tests of bands).
    label = [None, None, True, None, None, None, None]
    ranking = pu_accessor.from_arrays([7, 6, 5, 4, 3, 2, 1], label)
    tables = ranking.contingency(0.5, level=0.4)
    one = tables.sel(beta=0.5, bound="lower")
    points = list(zip(one["fp"].values.tolist(), one["tp"].values.tolist(), strict=True))
    assert points == [(0, 0), (1, 0), (2, 0), (1, 2), (2, 2), (3, 2), (3, 3), (3, 4)]
    # -1 (from 2 to 1, heights 0 and 2) + 2 + 2 = 3 of 3 * 4
    assert float(tables.pu.area("auroc").sel(beta=0.5, bound="lower")) == pytest.approx(3 / 12)
    # Recall rises by 2 of 4 where the head grows from 2 to 3: precision is 2t/(2 + t) on the way;
    # and by 1 of 4 from ranks 5 and 6 on: (2 + t)/(5 + t) and (3 + t)/(6 + t).
    area = tables.pu.area("average_precision").sel(beta=0.5, bound="lower")
    rises = 2 * (2 - 4 * math.log(1.5)), 1 - 3 * math.log(6 / 5), 1 - 3 * math.log(7 / 6)
    assert float(area) == pytest.approx(sum(rises) / 4)
    assert (tables["fp"].sel(bound="estimate").diff("rank") >= 0).all()


@pytest.mark.parametrize("seed", [4, 50, 55])
def test_areas_with_steps_back_are_those_of_the_oracle(seed: int) -> None:
    case = draw_case(seed)
    tables, back = as_frame(case).pu.contingency(case.beta), 0
    for bound in BOUNDS:
        written = as_tables(tables, bound)
        back += sum(end.fp < start.fp for start, end in pairwise(written))
        pr, roc = (
            float(tables.pu.area(c).sel(bound=bound, beta=case.beta))
            for c in ("average_precision", "auroc")
        )
        assert pr == pytest.approx(oracle.pr_area(written), abs=1e-9)
        assert roc == pytest.approx(float(oracle.roc_area(written)), abs=1e-12)
    assert back


# Bad input


@pytest.mark.parametrize(
    "ask",
    [
        lambda ds: ds.pu.roc_bounds(),
        lambda ds: ds.pu.pr_bounds(),
        lambda ds: ds.pu.metric("f1"),
        lambda ds: ds.drop_vars("n_unlabeled").pu.area("auroc"),
        lambda ds: ds.drop_vars("n_known_positive").pu.plot_roc(),
        lambda ds: ds.drop_vars("rank").pu.plot_pr(),
    ],
)
def test_questions_need_tables(ask: object) -> None:
    curves = pu_accessor.from_arrays([2, 1], [True, None]).contingency(0).pu.roc_bounds()
    assert callable(ask)
    with pytest.raises(PUKeyError, match=r"must hold contingency tables, .* \['fpr', 'tpr'\]"):
        ask(curves)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda ds: ds.pu.metric("F1"), PUValueError, r"quantity must be one of .* mean 'f1'\?"),
        (lambda ds: ds.pu.metric(3), PUValueError, r"quantity must be one of .* but 3 was passed"),
        (lambda ds: ds.pu.area("ROC"), PUValueError, "quantity must be one of auroc, average_p"),
        (
            lambda ds: ds.pu.area("average_precision", max_fpr=0.1),
            PUValueError,
            r"max_fpr must be None with 'av",
        ),
        (lambda ds: ds.pu.area("auroc", max_fpr=0), PUValueError, r"max_fpr must lie in \(0, 1\]"),
        (
            lambda ds: ds.pu.area("auroc", max_fpr="a"),
            PUTypeError,
            r"max_fpr must be a number",
        ),
        (lambda ds: ds.isel(rank=[]).pu.area("auroc"), PUValueError, r"'rank' is empty"),
        (lambda ds: ds.isel(rank=[0, -1]).pu.area("auroc"), PUValueError, r"selection of 2 ranks"),
        (lambda ds: ds.pu.metric("sensitivity"), PUValueError, r"Did you mean 'recall'\?"),
        (lambda ds: ds.pu.metric("PPV"), PUValueError, r"Did you mean 'precision'\?"),
        (
            lambda ds: ds.isel(rank=[1, 2]).pu.area("average_precision"),
            PUValueError,
            r"2 ranks \(1, 2, ...\)",
        ),
        (
            lambda ds: ds.isel(rank=1).pu.area("average_precision"),
            PUValueError,
            r"selection of 1 ranks \(1, ",
        ),
    ],
)
def test_bad_questions(ask: object, error: type[PUError], message: str) -> None:
    tables = pu_accessor.from_arrays([3, 2, 1], [True, None, None]).contingency(0.5)
    assert callable(ask)
    with pytest.raises(error, match=message):
        ask(tables)


def test_an_area_needs_the_whole_curve() -> None:
    tables = pu_accessor.from_arrays([3, 2, 1], [True, None, None]).contingency(
        0.5, ranks=[0, 1, 3]
    )
    with pytest.raises(PUValueError, match=r"a selection of 3 ranks \(0, 1, 3, ...\). Make them"):
        tables.pu.area("auroc")


def test_areas_whose_products_need_more_than_53_bits() -> None:
    """A curve of three cutoffs of a billion examples, drawn by hand."""
    half = 500_000_001
    counts = {"tp": [0, half, 2 * half], "fp": [0, 1, 2 * half]}
    rest = {"fn": [2 * half - x for x in counts["tp"]], "tn": [2 * half - x for x in counts["fp"]]}
    tables = xr.Dataset({name: ("rank", values) for name, values in {**counts, **rest}.items()})
    tables = tables.assign_coords(rank=[0, half + 1, 4 * half])
    # Twice the area, in pairs of examples: 1 * half, then (2 * half - 1) * (3 * half).
    twice = Fraction(half + (2 * half - 1) * 3 * half, (2 * half) ** 2)
    assert tables.pu.area("auroc").item() == pytest.approx(float(twice / 2), rel=1e-15)


def test_an_area_keeps_no_cutoff() -> None:
    _, _, tables = fully_labeled(0)
    area = tables.pu.area("auroc", max_fpr=0.25)
    assert area.attrs["max_fpr"] == 0.25 and "max_fpr" not in tables.pu.area("auroc").attrs
    plain = tables.reset_index("rank").rename_dims(rank="cutoff").pu.area("auroc")
    for values in (area, plain):
        assert not {"rank", "threshold", "known_positive"} & {*values.coords}

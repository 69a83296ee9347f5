"""Curves, metrics and areas against scikit-learn and the oracle."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

import pu_accessor
from pu_accessor import PUError, PUKeyError, PUTypeError, PUValueError
from pu_accessor.inference.quantities import QUANTITIES
from pu_accessor.inference.tables.rates import METRICS
from pu_accessor.ranking import FloatArray, IntArray
from tests.cases import Case, as_frame, as_tables, cases, draw_case
from tests.support.oracles import oracle
from tests.support.oracles.reference_oracle import BOUNDS

SEEDS = range(30)


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
def test_fully_labeled_curves_are_those_of_scikit_learn(seed: int) -> None:
    truth, score, tables = fully_labeled(seed)
    fpr, tpr, thresholds = roc_curve(truth, score, drop_intermediate=False)
    precision, recall, _ = precision_recall_curve(truth, score)
    for bound in BOUNDS:
        roc = tables.pu.roc_bounds().sel(beta=0, bound=bound)
        np.testing.assert_array_equal(roc["fpr"], fpr)
        np.testing.assert_array_equal(roc["tpr"], tpr)
        np.testing.assert_array_equal(roc["threshold"], thresholds)
        pr = tables.pu.pr_bounds().sel(beta=0, bound=bound)
        np.testing.assert_array_equal(pr["precision"], precision[::-1])
        np.testing.assert_array_equal(pr["recall"], recall[::-1])


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
    # Known positives bring latent ones along: (fp, tp) runs 0,0 1,0 2,0 1,2 2,2 of 2 and 2.
    # The trapezoids under it: 0, 0, -1, 2, of 4.
    label = [None, True, None, None, None]
    tables = pu_accessor.from_arrays([5, 3, 4, 2, 1], label).contingency(0.25)
    one = tables.sel(beta=0.25, bound="estimate")
    points = list(zip(one["fp"].values.tolist(), one["tp"].values.tolist(), strict=True))
    assert points == [(0, 0), (1, 0), (2, 0), (1, 2), (2, 2), (3, 2)]
    # -1 (from 2 to 1, heights 0 and 2) + 2 + 2 = 3 of 3 * 2
    assert float(tables.pu.area("auroc").sel(beta=0.25, bound="estimate")) == pytest.approx(3 / 6)
    # Recall rises by 2 of 2 where the head grows from 2 to 3: precision is 2t/(2 + t) on the way.
    area = tables.pu.area("average_precision").sel(beta=0.25, bound="estimate")
    assert float(area) == pytest.approx(2 - 4 * math.log(1.5))


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


@pytest.mark.parametrize("seed", SEEDS)
def test_metrics_are_those_of_the_oracle(seed: int) -> None:
    case = draw_case(seed)
    tables = as_frame(case).pu.contingency(case.beta)
    written = [as_tables(tables, bound) for bound in BOUNDS]
    for name in METRICS:
        values = tables.pu.metric(name)
        assert values.dims == ("rank", "bound", "beta")
        assert values.dtype == np.float64
        assert values.name == name
        expected = [[oracle.metric(name, table) for table in bound] for bound in written]
        found = values.isel(beta=0).sel(bound=list(BOUNDS)).to_numpy().T
        np.testing.assert_allclose(
            found, expected, rtol=1e-12, atol=1e-12, equal_nan=True, err_msg=name
        )


@given(case=cases())
def test_metrics_improve_with_the_bound(case: Case) -> None:
    tables = as_frame(case).pu.contingency(case.beta)
    for name in sorted(name for name in METRICS if not QUANTITIES[name].less_is_better):
        values = tables.pu.metric(name).transpose("bound", ...).to_numpy()
        assert not (np.diff(values, axis=0) < -1e-12).any(), name


def test_products_of_counts_do_not_overflow() -> None:
    count = xr.DataArray(np.array([4 * 10**9, 8 * 10**9], dtype=np.int64), dims="rank")
    tables = xr.Dataset({"tp": count, "fp": count // 2, "fn": count // 4, "tn": count})
    small = xr.Dataset({name: value // 10**8 for name, value in tables.items()})
    for name in METRICS:
        np.testing.assert_allclose(tables.pu.metric(name), small.pu.metric(name), rtol=1e-12)


def test_a_callable_is_a_metric() -> None:
    tables = as_frame(draw_case(2)).pu.contingency(0.3)

    def cost(tp: IntArray, fp: IntArray, fn: IntArray, tn: IntArray) -> IntArray:
        assert {type(count) for count in (tp, fp, fn, tn)} == {np.ndarray}
        assert {count.shape for count in (tp, fp, fn, tn)} == {tables["tp"].shape}
        return 5 * fn + fp + 0 * tp + 0 * tn

    values = tables.pu.metric(cost)
    assert values.dims == tables["tp"].dims
    np.testing.assert_array_equal(values, 5 * tables["fn"] + tables["fp"])
    assert values.name == "cost"
    with pytest.raises(PUTypeError, match="metric 'bad' must return an array"):
        tables.pu.metric(bad)


def bad(tp: object, fp: object, fn: object, tn: object) -> int:
    return 1


def test_to_frame_is_long() -> None:
    tables = as_frame(draw_case(3)).pu.contingency([0, 0.5])
    frame = tables.pu.to_frame()
    assert isinstance(frame.index, pd.RangeIndex)
    assert len(frame) == tables.sizes["rank"] * 3 * 2
    assert frame["tp"].dtype == np.int64
    row = frame[(frame["rank"] == 0) & (frame["bound"] == "upper") & (frame["beta"] == 0.5)]
    assert row["threshold"].tolist() == [np.inf]
    assert row["fp"].tolist() == [0]
    curves = tables.pu.pr_bounds().pu.to_frame()
    assert {"rank", "bound", "beta", "recall", "precision"} <= set(curves.columns)


# Bad input


@pytest.mark.parametrize(
    "ask",
    [
        lambda ds: ds.pu.roc_bounds(),
        lambda ds: ds.pu.pr_bounds(),
        lambda ds: ds.pu.metric("f1"),
        lambda ds: ds.pu.area("auroc"),
        lambda ds: ds.pu.plot_roc(),
        lambda ds: ds.pu.plot_pr(),
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


def test_to_frame_needs_ranks() -> None:
    with pytest.raises(
        PUKeyError, match=r"over the dimension rank or cutoff, but its dimensions are \[\]"
    ):
        xr.Dataset({"a": 1}).pu.to_frame()


def test_unsigned_counts_do_not_wrap_around() -> None:
    tables = pu_accessor.from_arrays([5, 4, 3, 2, 1], [None, True, None, None, None]).contingency(
        0.5
    )
    expected = tables.pu.area("auroc")
    xr.testing.assert_equal(tables.astype(np.uint64).pu.area("auroc"), expected)


def test_a_callable_cannot_change_the_tables() -> None:
    tables = pu_accessor.from_arrays([3, 2, 1], [True, None, None]).contingency(0.5)
    before = tables.copy(deep=True)

    def greedy(tp: IntArray, fp: object, fn: object, tn: object) -> IntArray:
        tp += 1
        return tp

    xr.testing.assert_equal(tables.pu.metric(greedy), before["tp"] + 1)
    xr.testing.assert_identical(tables, before)


def test_a_function_may_divide_by_nothing() -> None:
    tables = pu_accessor.from_arrays([3, 2, 1], [1, None, None]).contingency(0.5)

    def precision(tp: IntArray, fp: IntArray, fn: IntArray, tn: IntArray) -> FloatArray:
        share: FloatArray = tp / (tp + fp)
        return share

    xr.testing.assert_equal(tables.pu.metric(precision), tables.pu.metric("precision"))


@pytest.mark.parametrize("weight", [0, -1, 1e-200, 1e200, math.inf, math.nan])
def test_a_weight_whose_square_floats_cannot_hold_is_refused(weight: float) -> None:
    with pytest.raises(PUValueError, match="weight must be above 0 and finite"):
        pu_accessor.fbeta(weight)

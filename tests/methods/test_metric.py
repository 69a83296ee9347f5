"""A metric at the cutoff that a person reports, against tables from enumerated surrogate sets."""

import math
import warnings
from functools import cache
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given

import pu_accessor
from pu_accessor import PUError, PUTypeError, PUValueError, PUWarning
from pu_accessor.inference.quantities import QUANTITIES
from pu_accessor.inference.tables.metrics import METRICS
from pu_accessor.ranking import FloatArray, IntArray
from tests.cases import Case, as_frame, as_tables, cases, draw_case
from tests.methods.test_area import SEEDS as ALL_SEEDS
from tests.support.oracles import coherent_oracle, oracle
from tests.support.oracles.reference_oracle import BOUNDS

COLUMNS = ["beta", "metric", "rank", "threshold", "estimate", "lower", "upper", "level", "band"]
COLUMNS += ["target"]
NEAR: dict[str, Any] = {"rel": 1e-12, "abs": 1e-12, "nan_ok": True}
RULES = {
    "exact": oracle.exact_band,
    "simultaneous": oracle.simultaneous_band,
    "bootstrap": oracle.bootstrap_band,
    "dkw": oracle.dkw_band,
}
SEEDS = range(8)


def pu(data: Any) -> Any:
    """Return the accessor of a frame or its groups, of which type checkers know nothing."""
    return data.pu


def drawn(seed: int) -> Case:
    """Draw a ranking with something unlabeled, and a known negative."""
    score, label, beta = draw_case(seed)
    return Case([*score, 0.5, -0.25], [*label, False, None], beta)


def row(case: Case, name: str, at: Any, **options: Any) -> "pd.Series[Any]":
    """Return the one row for one beta."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        got = pu(as_frame(case)).metric(name, case.beta, at=at, target="examples", **options)
    assert list(got.columns) == COLUMNS and isinstance(got.index, pd.RangeIndex)
    assert len(got) == 1
    found: pd.Series[Any] = got.iloc[0]
    return found


def tables(case: Case, band: str) -> dict[str, list[oracle.Table]]:
    """Return the tables of the oracle at all cutoffs."""
    return tables_once(tuple(case.score), tuple(case.label), case.beta, band)


@cache
def tables_once(
    score: tuple[float, ...], label: tuple[bool | None, ...], beta: float, band: str
) -> dict[str, list[oracle.Table]]:
    """Return the tables of rows that several cutoffs are asked of."""
    plain = oracle.tables([*score], [*label], beta, 0.95, RULES[band])
    return coherent_oracle.cut_if_joint(band, [*score], [*label], plain)


def check(case: Case, name: str, found: "pd.Series[Any]", place: int, band: str) -> None:
    """Compare a row with the tables at one cutoff."""
    cutoff = oracle.cutoffs(case.score, case.label)[place]
    assert (found["rank"], found["threshold"]) == (cutoff.rank, cutoff.threshold)
    values = {k: oracle.metric(name, of[place]) for k, of in tables(case, band).items()}
    ends = sorted((values["lower"], values["upper"]))
    want = [values["estimate"], *(ends if not any(map(math.isnan, ends)) else [math.nan] * 2)]
    assert found[["estimate", "lower", "upper"]].tolist() == pytest.approx(want, **NEAR)
    assert found[["metric", "level", "band", "target"]].tolist() == [name, 0.95, band, "examples"]


def rate(name: str, table: oracle.Table) -> float:
    """Return a metric of a table, nan as the least."""
    value = oracle.metric(name, table)
    return -math.inf if math.isnan(value) else value


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("band", RULES)
def test_metric_at_a_rank(seed: int, band: str) -> None:
    case = drawn(seed)
    cuts = oracle.cutoffs(case.score, case.label)
    places = range(seed % 2, len(cuts), 2)
    for place, name in zip(places, cycle(["precision", "fpr", "f1", "mcc", "npv"]), strict=False):
        for at in (cuts[place].rank, {"rank": cuts[place].rank}):
            check(case, name, row(case, name, at, band=band), place, band)


@pytest.mark.parametrize("seed", SEEDS)
def test_metric_at_a_threshold_or_fraction(seed: int) -> None:
    case = drawn(seed)
    cuts = oracle.cutoffs(case.score, case.label)
    for threshold in (cuts[2].threshold, cuts[2].threshold - 0.001, 0.3, -0.1):
        place = max(i for i, cut in enumerate(cuts) if cut.threshold >= threshold)
        check(case, "f1", row(case, "f1", {"threshold": threshold}), place, "exact")
    for fraction in (0.1, 0.37, 0.5, 1.0):
        place = max(i for i, cut in enumerate(cuts) if cut.rank <= fraction * len(case.score))
        check(case, "tpr", row(case, "tpr", {"fraction": fraction}), place, "exact")


@pytest.mark.parametrize("seed", SEEDS)
def test_metric_at_an_error_rate(seed: int) -> None:
    case = drawn(seed)
    estimate = tables(case, "exact")["estimate"]
    for limit in (0.05, 0.33, 0.71):
        place = max(i for i, t in enumerate(estimate) if rate("fpr", t) <= limit)
        check(case, "tpr", row(case, "tpr", {"fpr": limit}), place, "exact")
        place = min(i for i, t in enumerate(estimate) if rate("tpr", t) >= limit)
        check(case, "f1", row(case, "f1", {"recall": limit}), place, "exact")


@pytest.mark.parametrize("seed", SEEDS)
def test_metric_at_a_maximum(seed: int) -> None:
    case = drawn(seed)
    for at, name, by in (
        ("youden", "tpr", "informedness"),
        ("maximum", "f1", "f1"),
        ("maximum", "mcc", "mcc"),
    ):
        ranks = [cut.rank for cut in oracle.cutoffs(case.score, case.label)]
        for band, options in (("simultaneous", {}), ("dkw", {"band": "dkw"})):
            values = [rate(by, t) for t in tables(case, band)["estimate"]]
            found = row(case, name, at, **options)
            place = ranks.index(found["rank"])
            assert values[place] == pytest.approx(max(values))
            check(case, name, found, place, band)


def test_the_best_cutoff_may_be_the_one_before_all_examples() -> None:
    # With all of them there is no MCC; at rank r from 2 on tp = r - 1, fp = 1, tn = 0 of P = 5.
    frame = pd.DataFrame({"score": range(6, 0, -1), "label": [0, 1, None, None, None, None]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        found = pu(frame).metric("mcc", 1.0, at="maximum", target="examples").iloc[0]
    assert found["rank"] == 5 and found["estimate"] == pytest.approx(-0.2)


@pytest.mark.parametrize("label", [[1, None], [1, None, 0], [None, 1], [1, 1, None, None]])
@pytest.mark.parametrize("at", ["maximum", "youden"])
def test_the_best_cutoff_where_hardly_anything_is_unlabeled(at: str, label: list[Any]) -> None:
    frame = pd.DataFrame({"score": range(len(label), 0, -1), "label": label})
    found = pu(frame)(negative=0).metric("accuracy", 0, at=at, target="examples").iloc[0]
    # Right at rank k are t positives among the k, and what is no positive below.
    right = [2 * label[:k].count(1) + len(label) - k for k in range(1, len(label) + 1)]
    wanted = (max(right) - label.count(1)) / len(label)
    assert found["estimate"] == pytest.approx(wanted)


def test_several_betas_and_groups() -> None:
    parts = {"b": drawn(3), "a": drawn(8)}
    frame = pd.concat([as_frame(case).assign(site=key) for key, case in parts.items()])
    got = pu(frame)(by="site").metric("f1", [0.1, 0.4], at={"fraction": 0.3})
    alone = [
        pu(as_frame(parts[key])).metric("f1", [0.1, 0.4], at={"fraction": 0.3}).assign(site=key)
        for key in "ab"
    ]
    want = pd.concat(alone, ignore_index=True)[["site", *COLUMNS]]
    pd.testing.assert_frame_equal(got, want)
    grouped = pu(frame.groupby("site")).metric("f1", [0.1, 0.4], at={"fraction": 0.3})
    pd.testing.assert_frame_equal(grouped, want)


def test_metric_of_ones_own() -> None:
    case = drawn(4)

    def found(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return tp / (tp + fn)

    own, named = row(case, found, 5), row(case, "tpr", 5)  # type: ignore[arg-type]
    assert own["metric"] == "found"
    same = ["rank", "estimate", "lower", "upper"]
    assert own[same].tolist() == pytest.approx(named[same].tolist())


@pytest.mark.parametrize(
    "at",
    [
        *(-1, 10_000, {"rank": -1}, {"fraction": 1.2}, {"fraction": -0.1}, {"fpr": 1.5}),
        *({"recall": -0.5}, {"recall": math.nan}, "best", {"depth": 3}, {}, None, True, 0.5),
        *({"rank": 3, "fpr": 0.1}, np.array([1, 2])),
    ],
)
def test_cutoffs_that_are_none(at: Any) -> None:
    with pytest.raises(PUError, match=r"\bat\b|rank"):
        row(drawn(1), "f1", at)


def test_unknown_metric() -> None:
    with pytest.raises(PUValueError, match="precision"):
        row(drawn(1), "precison", 3)


@pytest.mark.parametrize("seed", ALL_SEEDS)
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

"""A metric at the cutoff that a person reports, against tables from enumerated surrogate sets."""

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, cycle, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given

from pu_accessor import PUTypeError
from pu_accessor.inference.metrics import metrics_for
from pu_accessor.ranking import IntArray
from tests.cases import ORACLES, Case, as_frame, as_tables, cases, draw_case, estimates_of
from tests.support.oracles import coherent_oracle, completion_oracle, oracle
from tests.support.oracles.reference_oracle import BOUNDS

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
COLUMNS = ["metric", "at", "beta", "rank", "threshold", "target", "estimate", "lower", "upper"]
COLUMNS += ["clipped"]
OF_RANKS = [*COLUMNS, "examples_at_threshold"]  # which may be inside of ties
SETTINGS = ("level", "band", "target")
NEAR: dict[str, Any] = {"rel": 1e-12, "abs": 1e-12, "nan_ok": True}
SEEDS = range(6)


def drawn(seed: int) -> Case:
    """Draw a ranking with something unlabeled, and a known negative."""
    score, label, beta = draw_case(seed)
    return Case([*score, 0.5, -0.25], [*label, False, None], beta)


def ask(case: Case, name: Any, at: Any, beta: Any = None, **options: Any) -> pd.DataFrame:
    """Return metrics of these examples at cutoffs."""
    how = {"at": at, "target": "examples", **options}
    found: pd.DataFrame = as_frame(case).pu.metric(
        name, case.beta if beta is None else beta, **how
    )
    return found


def row(case: Case, name: Any, at: Any, beta: Any = None, **options: Any) -> "pd.Series[Any]":
    """Return the one row for one beta."""
    got = ask(case, name, at, beta, **options)
    kind = next(iter(at)) if isinstance(at, dict) else "" if isinstance(at, str) else "rank"
    columns = OF_RANKS if kind in ("rank", "fraction") else COLUMNS
    columns = [*COLUMNS, "rank_lower", "rank_upper"] if kind in ("fpr", "recall") else columns
    assert [*got.columns] == columns
    assert isinstance(got.index, pd.RangeIndex) and len(got) == 1
    found: pd.Series[Any] = got.iloc[0]
    return found


@cache
def tables_once(
    score: tuple[float, ...], label: tuple[Any, ...], beta: float, band: str, level: float = 0.95
) -> dict[str, list[oracle.Table]]:
    """Return the tables of rows that several cutoffs are asked of; the estimate not rounded."""
    plain = oracle.tables([*score], [*label], beta, level, ORACLES[band])
    found = coherent_oracle.cut_if_joint(band, [*score], [*label], plain)
    m = oracle.latent_count(beta, label.count(None))
    bounds = found["lower"], found["upper"]
    found["estimate"] = completion_oracle.estimates(score, label, m, bounds)
    return found


def rate(name: str, table: oracle.Table) -> float:
    """Return a metric of a table, nan as the least."""
    value = oracle.metric(name, table)
    return -math.inf if math.isnan(value) else value


def completed(case: Case) -> list[oracle.Table]:
    """Return the tables of the estimate, by which cutoffs are sought, where no band cuts it."""
    return estimates_of(as_frame(case), case.beta)


def check(case: Case, name: str, found: "pd.Series[Any]", place: int, band: str) -> None:
    """Compare a row with the tables at one cutoff."""
    cutoff = oracle.cutoffs(case.score, case.label)[place]
    of = tables_once(tuple(case.score), tuple(case.label), case.beta, band)
    assert (found["rank"], found["threshold"]) == (cutoff.rank, cutoff.threshold)
    values = {bound: oracle.metric(name, every[place]) for bound, every in of.items()}
    ends = sorted((values["lower"], values["upper"]))
    want = [values["estimate"], *(ends if not any(map(math.isnan, ends)) else [math.nan] * 2)]
    assert found[["estimate", "lower", "upper"]].tolist() == pytest.approx(want, **NEAR)
    assert found["clipped"] == any(of[bound][place].clipped for bound in ("lower", "upper"))
    assert found.get("examples_at_threshold", cutoff.rank) == cutoff.rank
    told = [{"tpr": "recall"}.get(name, name), 0.95, band, "examples"]
    assert [found["metric"], *map(found.attrs.get, SETTINGS)] == told


def check_any(case: Case, name: str, rank: int, found: Any, band: str, level: float) -> None:
    """Compare a row with the tables at a rank, or around the block of ties that it falls into."""
    cuts = oracle.cutoffs(case.score, case.label)
    place = next(i for i, cut in enumerate(cuts) if cut.rank >= rank)
    if cuts[place].rank == rank:
        check(case, name, found, place, band)
        return
    size, inside = cuts[place].rank - cuts[place - 1].rank, rank - cuts[place - 1].rank
    # What is left to error is shared by both ends, but where bounds hold jointly as it is.
    shared = level if band == "simultaneous" else (1 + level) / 2
    around = tables_once(tuple(case.score), tuple(case.label), case.beta, band, shared)
    values = {}
    for bound, every in around.items():
        pairs = zip(every[place - 1][1:5], every[place][1:5], strict=True)
        tp, fp, fn, tn = (Fraction(a * (size - inside) + b * inside, size) for a, b in pairs)
        mixed: Any = (rank, tp, fp, fn, tn, False)
        values[bound] = oracle.metric(name, oracle.Table(*mixed))
    want = [values["estimate"], *sorted((values["lower"], values["upper"]))]
    assert found[["estimate", "lower", "upper"]].tolist() == pytest.approx(want, **NEAR)
    where = found[["rank", "threshold", "examples_at_threshold"]].tolist()
    assert where == [rank, cuts[place].threshold, cuts[place].rank]
    sides = around["lower"], around["upper"]
    assert found["clipped"] == any(s[i].clipped for s in sides for i in (place - 1, place))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("band", ORACLES)
def test_metric_at_a_rank(seed: int, band: str) -> None:
    case = drawn(seed)
    cuts = oracle.cutoffs(case.score, case.label)
    places = range(seed % 2, len(cuts), 2)
    for place, name in zip(places, cycle(["precision", "fpr", "f1", "mcc", "npv"]), strict=False):
        at: Any = cuts[place].rank if place % 3 else {"rank": cuts[place].rank}
        check(case, name, row(case, name, at, band=band), place, band)


@pytest.mark.parametrize("seed", SEEDS)
def test_metric_at_a_threshold_or_fraction(seed: int) -> None:
    case = drawn(seed)
    cuts = oracle.cutoffs(case.score, case.label)
    for threshold in (cuts[2].threshold, cuts[2].threshold - 0.001, 0.3, -0.1):
        place = max(i for i, cut in enumerate(cuts) if cut.threshold >= threshold)
        check(case, "f1", row(case, "f1", {"threshold": threshold}), place, "exact")
    for fraction in (0.1, 0.37, 0.5, 1.0):
        rank = math.floor(oracle.decimal(fraction) * len(case.score))
        check_any(case, "tpr", rank, row(case, "tpr", {"fraction": fraction}), "exact", 0.95)


@pytest.mark.parametrize("seed", [*SEEDS, 169])  # of the last a recall is .05, in fractions
def test_the_estimated_cutoff_at_an_error_rate(seed: int) -> None:
    case = drawn(seed)
    estimate, cuts = completed(case), oracle.cutoffs(case.score, case.label)
    for limit in (0.05, 0.33, 0.71):
        last = max(i for i, t in enumerate(estimate) if rate("fpr", t) <= limit)
        first = min(i for i, t in enumerate(estimate) if rate("tpr", t) >= limit)
        for name, at, place in (("tpr", {"fpr": limit}, last), ("f1", {"recall": limit}, first)):
            found = row(case, name, at)
            assert (found["rank"], found["threshold"]) == (cuts[place].rank, cuts[place].threshold)
            assert found["estimate"] == pytest.approx(oracle.metric(name, estimate[place]), **NEAR)


@pytest.mark.parametrize("seed", [*SEEDS, 140842])  # of the last MCC is negative everywhere
def test_metric_at_a_maximum(seed: int) -> None:
    case = drawn(seed)
    ranks = [cut.rank for cut in oracle.cutoffs(case.score, case.label)]
    for at, name in (("youden", "tpr"), ("maximum", "f1"), ("maximum", "mcc")):
        by = name if at == "maximum" else "informedness"
        values = [rate(by, t) for t in completed(case)]
        for band, options in (("simultaneous", {}), ("dkw", {"band": "dkw"})):
            found = row(case, name, at, **options)
            place = ranks.index(found["rank"])
            assert values[place] == pytest.approx(max(values))
            check(case, name, found, place, band)


def test_the_best_cutoff_may_be_the_one_before_all_examples() -> None:
    # With all of them there is no MCC; at rank r from 2 on tp = r - 1, fp = 1, tn = 0 of P = 5.
    found = row(Case([6, 5, 4, 3, 2, 1], [False, True, *[None] * 4], 1.0), "mcc", "maximum")
    assert found["rank"] == 5 and found["estimate"] == pytest.approx(-0.2)


def test_the_best_cutoff_of_a_users_function_may_be_anywhere() -> None:
    found = row(drawn(0), lambda tp, fp, fn, tn: -abs(tp + fp - 9.0), "maximum")
    assert found["rank"] == 9  # where nothing bends


@pytest.mark.parametrize("label", [[1, None], [1, None, 0], [None, 1], [1, 1, None, None]])
@pytest.mark.parametrize("at", ["maximum", "youden"])
def test_the_best_cutoff_where_hardly_anything_is_unlabeled(at: str, label: list[Any]) -> None:
    frame = pd.DataFrame({"score": range(len(label), 0, -1), "label": label})
    found = frame.pu(negative=0).metric("accuracy", 0, at=at, target="examples").iloc[0]
    # Right at rank k are t positives among the k, and what is no positive below.
    right = [2 * label[:k].count(1) + len(label) - k for k in range(1, len(label) + 1)]
    assert found["estimate"] == pytest.approx((max(right) - label.count(1)) / len(label))


@pytest.mark.parametrize("seed", range(7))
def test_metrics_are_those_of_the_oracle(seed: int) -> None:
    case = draw_case(seed)
    tables = as_frame(case).pu.contingency(case.beta, ranks="all")
    written = [as_tables(tables, bound) for bound in BOUNDS]
    for name in metrics_for("tables"):
        values = tables.pu.metric(name)
        assert values.dims == ("rank", "bound", "beta")
        assert (values.dtype, values.name) == (np.float64, name)
        expected = [[oracle.metric(name, table) for table in bound] for bound in written]
        found = values.isel(beta=0).sel(bound=list(BOUNDS)).to_numpy().T
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=name)


def test_products_of_counts_do_not_overflow() -> None:
    count = xr.DataArray(np.array([4 * 10**9, 8 * 10**9], dtype=np.int64), dims="rank")
    tables = xr.Dataset({"tp": count, "fp": count // 2, "fn": count // 4, "tn": count})
    small = xr.Dataset({name: value // 10**8 for name, value in tables.items()})
    for name in metrics_for("tables"):
        np.testing.assert_allclose(tables.pu.metric(name), small.pu.metric(name), rtol=1e-12)


def test_a_callable_is_a_metric_and_cannot_change_the_tables() -> None:
    tables = as_frame(draw_case(2)).pu.contingency(0.3, ranks="all")
    before = tables.copy(deep=True)

    def cost(tp: IntArray, fp: IntArray, fn: IntArray, tn: IntArray) -> IntArray:
        assert {type(count) for count in (tp, fp, fn, tn)} == {np.ndarray}
        assert {count.shape for count in (tp, fp, fn, tn)} == {tables["tp"].shape}
        fn *= 5
        return fn + fp

    values = tables.pu.metric(cost)
    assert (values.dims, values.name) == (tables["tp"].dims, "cost")
    np.testing.assert_array_equal(values, 5 * before["fn"] + before["fp"])
    xr.testing.assert_identical(tables, before)
    ratio = tables.pu.metric(lambda tp, fp, fn, tn: tp / (tp + fp))  # which may divide by nothing
    xr.testing.assert_equal(ratio, tables.pu.metric("precision"))
    with pytest.raises(PUTypeError, match="metric '<lambda>' must return an array"):
        tables.pu.metric(lambda tp, fp, fn, tn: 1)


# A rank inside a block of ties

BLOCK = Case([9.0, *[5.0] * 7, 3, 3, *range(2, -8, -1)], [], 0.25)
# Of the block, and of what is above it and next to it.
IN_BLOCK: dict[str, tuple[bool | None, list[bool | None]]] = {
    "both kinds": (None, [True, None, None, None, True, None, False]),
    "no label": (True, [None] * 7),
    "no unlabeled": (True, [True, False, True, False, False, True, True]),
    "one kind": (None, [None] * 6 + [True]),
}


def block_of(kind: str, beta: float = BLOCK.beta) -> Case:
    """Return a ranking with a block of seven ties from rank 1 to 8."""
    first, inside = IN_BLOCK[kind]
    return Case(BLOCK.score, [first, *inside, None, True, None, True, *[None] * 8], beta)


def linear(name: str, tp: Fraction, rank: int, positives: int, size: int) -> float:
    """Return a metric by its definition, from counts that need not be whole."""
    fp, fn = rank - tp, positives - tp
    margins = rank * (size - rank) * positives * (size - positives)
    values: dict[str, Any] = {
        "precision": tp / rank,
        "recall": tp / positives,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "lift": tp / rank * size / positives,
        "mcc": float(tp * (size - positives - fp) - fp * fn) / math.sqrt(margins),
    }
    return float(values[name])


@pytest.mark.parametrize("kind", IN_BLOCK)
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "mcc", "lift"])
def test_a_rank_inside_of_ties_has_the_mean_over_all_orders(kind: str, name: str) -> None:
    case = block_of(kind)
    at = {table.rank: table for table in completed(case)}
    before, after = Fraction(at[1].tp), Fraction(at[8].tp)
    gained, size = after - before, len(case.score)
    positives = case.label.count(True) + oracle.latent_count(case.beta, case.label.count(None))
    whole = math.floor(gained)
    for rank in (2, 4, 7):
        mean = 0.0
        # Where the block holds no whole number of positives, it is one or the other number.
        for number, share in ((whole, whole + 1 - gained), (whole + 1, gained - whole)):
            if share:
                orders = [*combinations([True] * number + [False] * (7 - number), rank - 1)]
                each = [linear(name, before + sum(o), rank, positives, size) for o in orders]
                mean += float(share) * sum(each) / len(each)
        found = row(case, name, rank)
        assert found["estimate"] == pytest.approx(mean, rel=1e-12)
        assert found[["rank", "threshold", "examples_at_threshold"]].tolist() == [rank, 5, 8]


@pytest.mark.parametrize("band", ["exact", "simultaneous"])
@pytest.mark.parametrize("kind", IN_BLOCK)
def test_limits_inside_of_ties_lie_between_those_of_both_ends(kind: str, band: str) -> None:
    case = block_of(kind)
    for name, rank in product(["precision", "recall", "f1", "mcc"], (2, 5, 7)):
        check_any(case, name, rank, row(case, name, rank, band=band, level=0.9), band, 0.9)


def test_all_examples_tied_have_the_prevalence_at_each_rank() -> None:
    case = Case([1.0] * 20, [True, True, *[None] * 18], 1 / 3)
    found = ask(case, "precision", {"rank": [*range(1, 21)]})  # 2 known positives and 6 of 18
    np.testing.assert_allclose(found[["estimate", "lower", "upper"]], 8 / 20)
    assert found["rank"].tolist() == [*range(1, 21)]
    assert (found["examples_at_threshold"] == 20).all()


# Limits that are cut to one value


@given(case=cases())
def test_no_width_is_0_without_a_word(case: Case) -> None:
    size, unlabeled = len(case.score), case.label.count(None)
    if not 0 < oracle.latent_count(case.beta, unlabeled) < unlabeled:
        return  # nothing is hidden
    # From 39 known positives on a band can leave no latent one by itself: 1/40 is .025.
    for band in ("exact", "simultaneous"):
        found = ask(case, "precision", {"rank": [*range(1, size)]}, band=band)
        assert found.loc[found["lower"] == found["upper"], "clipped"].all()
        assert found["rank"].tolist() == [*range(1, size)]
    sure = as_frame(case).pu.cutoff(case.beta, recall=0.5)
    sure = sure[(sure["rank"] > 0) & (sure["rank"] < size)]
    assert sure.loc[sure["lower"] == sure["upper"], "clipped"].all()

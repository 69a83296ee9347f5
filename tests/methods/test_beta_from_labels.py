"""Beta from labels by hand: reference values and exact tails."""

import operator
from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pu_accessor
from pu_accessor import PUValueError, PUWarning

FROM_LABELS: Any = pu_accessor.beta_from_labels
ENDS = ["lower", "upper"]


def ask(*args: Any, **how: Any) -> "pd.Series[Any]":
    """Return the last row of the answer."""
    row: pd.Series[Any] = FROM_LABELS(*args, **how).iloc[-1]
    return row


def test_few_positives_among_billions_are_drawn_each_by_itself() -> None:
    found = ask(10, 10**10, 10**11)[ENDS].to_list()
    m = np.arange(10, 400)
    kept = m[(stats.binom.sf(9, m, 0.1) > 0.025) & (stats.binom.cdf(10, m, 0.1) > 0.025)]
    assert found == pytest.approx(kept[[0, -1]] / 10**11, rel=1e-12)
    turned = ask(10**10 - 10, 10**10, 10**11)
    assert turned["lower"] == pytest.approx(1 - kept[-1] / 10**11, rel=1e-15)


@pytest.mark.parametrize("kind", [0, 1])
def test_what_nearly_all_labels_say_is_true_of_the_rest(kind: int) -> None:
    found = ask(kind * (10**12 - 45), 10**12 - 45, 10**12)
    assert found[["beta", *ENDS]].to_list() == [kind] * 3


@pytest.mark.parametrize(
    ("x", "size", "total", "level"),
    [
        *((1500, 5000, 20_000, 0.95), (3, 4000, 5000, 0.9), (3990, 4000, 5000, 0.9)),
        *((30_000, 60_000, 100_000, 0.99), (0, 900, 10**6, 0.5), (900, 900, 10**6, 0.95)),
        (470, 1000, 10**6, 0.95),
        *(
            (x, size, total, level)
            for total, level in ((1, 0.9), (7, 0.9), (20, 0.9), (7, 0.1), (8, 0.4))
            for size in range(1, total + 1)
            for x in range(size + 1)
        ),
    ],
)
def test_no_tail_rejects_the_exact_limits(x: int, size: int, total: int, level: float) -> None:
    low, high = (round(end * total) for end in ask(x, size, total, level=level)[ENDS])
    tail, drawn = (1 - level) / 2 * (1 + 1e-9), stats.hypergeom
    assert drawn.sf(x - 1, total, low, size) > tail and drawn.cdf(x, total, high, size) > tail
    assert low == x or drawn.sf(x - 1, total, low - 1, size) <= tail
    assert high == total - size + x or drawn.cdf(x, total, high + 1, size) <= tail


@pytest.mark.parametrize("prior", [(0.5, 0.5), (2, 8), (8, 2)])
@pytest.mark.parametrize("x", [0, 3, 20])
def test_highest_density_of_other_priors(x: int, prior: tuple[float, float]) -> None:
    low, high = ask(x, 20, 500, method="hpd", prior=prior)[ENDS]
    posterior = stats.beta(prior[0] + x, prior[1] + 20 - x)
    assert posterior.cdf(high) - posterior.cdf(low) == pytest.approx(0.95)
    grid = np.linspace(1e-6, 1 - 1e-6, 2001)
    density, off = posterior.pdf(grid), np.maximum(low - grid, grid - high)
    assert density[off > 1e-3].max() <= density[off < 0].min() * (1 + 1e-6)


@pytest.mark.parametrize("level", [1e-9, 0.5, 1 - 1e-6, 1 - 1e-13])
def test_highest_density_of_any_level(level: float) -> None:
    low, high = ask(12, 50, 2000, method="hpd", level=level)[ENDS]
    posterior = stats.beta(13, 39)
    assert posterior.cdf(low) + posterior.sf(high) == pytest.approx(1 - level, rel=0.01)
    assert posterior.logpdf(low) == pytest.approx(posterior.logpdf(high), abs=0.01)


REST = [(12, 50, 200, 0.95), (0, 10, 11, 0.9), (10, 10, 11, 0.9), (5, 10, 11, 0.01)]
REST += [(9, 10, 11, 0.1), (2, 10, 12, 0.2)]


@pytest.mark.parametrize("method", ["exact", "hpd"])
@pytest.mark.parametrize(("x", "size", "total", "level"), REST)
def test_shares_of_the_rest(x: int, size: int, total: int, level: float, method: str) -> None:
    """They are those of all, less what was found."""
    how = {"method": method, "level": level}
    whole, rest = (ask(x, size, total, rest=flag, **how) for flag in (False, True))
    ends = [min(max((whole[end] * total - x) / (total - size), 0), 1) for end in ENDS]
    assert rest[ENDS].to_list() == pytest.approx(ends, abs=1e-12)
    assert rest["beta"] == pytest.approx(min(max(x / size, ends[0]), ends[1]), abs=1e-12)


# As labels come in


def ruled_in(labels: list[bool], total: int, level: Fraction, prior: int) -> set[int]:
    """Return the numbers of positives that no label rules out, in rational arithmetic.

    Under a uniform prior, `prior` 1, or one that falls: beta-binomial with 1 and 2, `prior` 2.
    """
    kept = set(range(total + 1))
    weights = [comb(total - m + prior - 1, prior - 1) for m in range(total + 1)]
    for t in range(1, len(labels) + 1):
        x = sum(labels[:t])
        likely = [comb(m, x) * comb(total - m, t - x) for m in range(total + 1)]
        evidence = Fraction(sum(map(operator.mul, weights, likely)), sum(weights))
        kept &= {m for m in range(total + 1) if evidence * (1 - level) <= likely[m]}
    return kept


@pytest.mark.parametrize("prior", [1, 2])
def test_limits_as_labels_come_in_are_those_that_no_label_rules_out(prior: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        total = int(rng.integers(1, 25))
        labels = (rng.permutation(total) < rng.integers(0, total + 1))[: rng.integers(1, 25)]
        level = Fraction(int(rng.choice([50, 80, 95])), 100)
        kept = ruled_in(labels.tolist(), total, level, prior)
        if kept:
            how = {"n_unlabeled": total, "sequential": True, "prior": (1, prior)}
            low, beta, high = ask(pd.Series(labels), level=float(level), **how)[
                ["lower", "beta", "upper"]
            ]
            assert [low, high] == pytest.approx([min(kept) / total, max(kept) / total])
            assert low <= beta <= high


def test_a_row_of_each_label_goes_into_other_questions() -> None:
    found = pd.Series([True, False, False, False] * 5, index=np.arange(20) * 3 + 100)
    steps, rest = (
        FROM_LABELS(found, n_unlabeled=500, sequential=True, rest=flag) for flag in (False, True)
    )
    assert steps.index.equals(found.index)
    assert steps["n_labeled"].tolist() == [*range(1, 21)]
    assert steps["n_positive"].tolist() == found.cumsum().tolist()
    assert rest["n_unlabeled"].tolist() == (500 - steps["n_labeled"]).tolist()
    assert rest["upper"].iloc[-1] == pytest.approx((steps["upper"].iloc[-1] * 500 - 5) / 480)
    frame = pd.DataFrame({"score": range(520), "label": [True] * 20 + [None] * 500})
    plain = steps.tail(1)[["beta", "lower", "upper", "level"]]
    pd.testing.assert_frame_equal(frame.pu.auroc(steps.tail(1)), frame.pu.auroc(plain))


def test_labels_in_no_random_order_leave_nothing_and_warn() -> None:
    found = pd.Series([True] * 50 + [False] * 50)
    with pytest.warns(PUWarning, match="No beta fits the labels"):
        assert ask(found, n_unlabeled=100, sequential=True)[["beta", *ENDS]].isna().all()


# Of strata


Counts = tuple[int, ...]  # of each stratum


def drawn(x: Counts, labeled: Counts, total: Counts, known: int = 0) -> pd.DataFrame:
    """Return rows of strata with labels, as they come back from a person."""
    parts = [
        pd.DataFrame({"stratum": name, "n_unlabeled": size, "label": np.arange(s) < found})
        for name, found, s, size in zip("abcdef", x, labeled, total, strict=False)
    ]
    return pd.concat(parts, ignore_index=True).assign(n=known, n_negative=0)


@pytest.mark.parametrize(
    ("labeled", "total", "level"),
    [((5, 4), (14, 9), 0.95), ((1, 8), (5, 12), 0.95), ((3, 2, 4), (8, 6, 4), 0.8)],
)
def test_limits_of_strata_cover_in_all_worlds(
    labeled: Counts, total: Counts, level: float
) -> None:
    whole, chance = sum(total), stats.hypergeom.pmf
    samples = [*product(*(range(size + 1) for size in labeled))]
    found = pd.concat([FROM_LABELS(drawn(x, labeled, total), level=level) for x in samples])
    expected = [
        sum(n * count / size for n, count, size in zip(total, x, labeled, strict=True)) / whole
        for x in samples
    ]
    assert found["beta"].tolist() == pytest.approx(expected)
    low, high = (found[end].to_numpy() for end in ENDS)
    assert (low - 1e-9 <= expected).all() and (expected <= high + 1e-9).all()
    for world in product(*(range(size + 1) for size in total)):
        parts = zip(total, world, labeled, strict=True)
        each = [chance(np.arange(size + 1), n, m, size) for n, m, size in parts]
        truth = sum(world) / whole
        held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
        assert reduce(np.multiply.outer, each).ravel()[held].sum() >= level


def test_strata_that_are_all_labeled_are_known() -> None:
    one, known = ask(drawn((3,), (40,), (900,))), ask(drawn((3, 6), (40, 10), (900, 10)))
    assert known["method"] == "stratified"
    for end in ENDS:
        assert known[end] * 910 == pytest.approx(one[end] * 900 + 6)
    assert ask(drawn((3, 6), (5, 10), (5, 10)))[["beta", *ENDS]].tolist() == [0.6] * 3


def test_limits_of_many_labels_and_rows_are_found() -> None:
    found = ask(drawn((8, 9, 30, 50), (400, 150, 100, 60), (10**9, 10**8, 10**7, 10**6)))
    assert 0.008 < found["lower"] < found["beta"] < found["upper"] < 0.06


def test_rows_of_one_stratum_are_a_sample_of_it() -> None:
    rows = drawn((3,), (40,), (900,))
    pd.testing.assert_frame_equal(FROM_LABELS(rows), FROM_LABELS(3, 40, 900))
    by_row = FROM_LABELS(rows["label"], n_unlabeled=900, sequential=True)
    pd.testing.assert_frame_equal(FROM_LABELS(rows, sequential=True), by_row)


# Where they are


EXAMPLE: Any = pu_accessor.load_example()
BY_HAND = EXAMPLE.pu.sample_to_label(40, random_state=0).assign(label=lambda df: df["truth"])


def test_labels_are_counted_where_they_are() -> None:
    unlabeled = int(EXAMPLE["label"].isna().sum())
    expected = FROM_LABELS(int(BY_HAND["truth"].sum()), 40, unlabeled)
    for kind in ("bool", "float", "boolean", "Int64"):
        found = FROM_LABELS(BY_HAND["label"].astype(kind), n_unlabeled=unlabeled)
        pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(FROM_LABELS(BY_HAND), expected)
    assert ask(BY_HAND, rest=True)["n_unlabeled"] == unlabeled - 40


# What cannot be counted


def labels(*values: Any, index: str = "ab") -> "pd.Series[Any]":
    return pd.Series(values, index=[*index])


# Labels made by hand, and other units

PREVALENCE: Any = pu_accessor.beta_from_prevalence
FREQUENCY: Any = pu_accessor.beta_from_label_frequency


def test_units_at_their_ends_but_for_rounding() -> None:
    assert 0.29 * 100 < 29 and 0.07 * 100 > 7
    assert PREVALENCE(0.29, 29, 71) == 0 and PREVALENCE(0.25, 0, 10**12) == 0.25
    assert PREVALENCE(0.07, 0, 7, 93) == 1
    assert PREVALENCE(1, 100, 900) == 1 and PREVALENCE(0.1, 100, 900) == 0
    assert 0.29 * 10**8 < 29 * 10**6 and PREVALENCE(0.29, 29 * 10**6, 71 * 10**6) == 0
    beta = PREVALENCE(0.3, n_positive=100, n_unlabeled=800, n_negative=100)
    assert beta == pytest.approx((300 - 100) / 800)
    assert FREQUENCY(0.25, 100, 900) == pytest.approx(300 / 900)
    assert FREQUENCY(1, 100, 900) == 0


def test_of_a_population_the_limits_are_binomial() -> None:
    found = PREVALENCE(0.25, 200, 950, 50, of="population", level=0.9)
    low, high = stats.binom.interval(0.9, 1200, 0.25)
    want = [100 / 950, (low - 200) / 950, (high - 200) / 950, 0.9]
    assert found.iloc[0, :4].tolist() == pytest.approx(want)
    assert found[["method", "n_unlabeled", "n"]].iloc[0].tolist() == ["prevalence", 950, 200]
    share = PREVALENCE(0.25, 200, 950, 50, of="rows")
    assert found["beta"].item() == pytest.approx(share)
    # Known positives from elsewhere say nothing of the rest, and are not counted.
    alone = PREVALENCE(0.25, 0, 950, of="population")
    assert alone["beta"].item() == 0.25 and "n" not in alone


def test_of_a_population_limits_are_cut_to_what_there_is_room_for() -> None:
    few = PREVALENCE(0.1, 105, 895, of="population").iloc[0]
    assert few["beta"] == few["lower"] == 0 < few["upper"] < 0.03
    all_of_it = PREVALENCE(1, 100, 900, of="population").iloc[0]
    assert all_of_it[["beta", "lower", "upper"]].tolist() == [1, 1, 1]


def test_of_a_population_intervals_hold_jointly() -> None:
    rng = np.random.default_rng(1)
    score = rng.normal(2.5 * (np.arange(1200) < 250))
    pu = pu_accessor.from_arrays(score, np.where(np.arange(1200) < 200, 1, np.nan))
    beta = PREVALENCE(250 / 1200, 200, 1000, of="population")
    wide, narrow = pu.auroc(beta).iloc[0], pu.auroc(0.05).iloc[0]
    assert wide["estimate"] == pytest.approx(narrow["estimate"])
    assert wide["lower"] < narrow["lower"] < narrow["upper"] <= wide["upper"]
    with pytest.raises(PUValueError, match="beta must be estimated from these rows"):
        pu.auroc(PREVALENCE(0.2, 199, 1000, of="population"))

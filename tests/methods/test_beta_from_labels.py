"""Beta from labels by hand: reference values and exact tails."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pu_accessor
from pu_accessor import PUDataError, PUTypeError, PUValueError


@pytest.mark.parametrize(
    ("x", "total", "limits"),
    [(12, 2000, (0.132, 0.380)), (12, 200, (0.145, 0.360)), (0, 2000, (0, 0.07))],
)
def test_exact_limits_of_reference(x: int, total: int, limits: tuple[float, float]) -> None:
    found = pu_accessor.beta_from_labels(x, 50, total).iloc[0]
    assert (found["lower"], found["upper"]) == pytest.approx(limits, abs=1e-12)
    assert found["beta"] == x / 50


@pytest.mark.parametrize(("x", "limits"), [(12, (0.137556, 0.367824)), (0, (0, 0.057048))])
def test_highest_density_of_reference(x: int, limits: tuple[float, float]) -> None:
    found = pu_accessor.beta_from_labels(x, 50, 2000, method="hpd").iloc[0]
    assert (found["lower"], found["upper"]) == pytest.approx(limits, abs=5e-7)
    turned = pu_accessor.beta_from_labels(50 - x, 50, 2000, method="hpd").iloc[0]
    assert (turned["lower"], turned["upper"]) == pytest.approx(
        (1 - limits[1], 1 - limits[0]), abs=5e-7
    )


@pytest.mark.parametrize(("total", "level"), [(1, 0.9), (7, 0.9), (30, 0.9), (7, 0.1), (8, 0.4)])
def test_exact_limits_are_those_no_tail_rejects(total: int, level: float) -> None:
    tail = (1 - level) / 2 * (1 + 1e-9)
    for size in range(1, total + 1):
        for x in range(size + 1):
            kept = [
                m
                for m in range(x, total - (size - x) + 1)
                if stats.hypergeom.sf(x - 1, total, m, size) > tail
                and stats.hypergeom.cdf(x, total, m, size) > tail
            ]
            found = pu_accessor.beta_from_labels(x, size, total, level=level).iloc[0]
            expected = (min(kept) / total, max(kept) / total)
            assert (found["lower"], found["upper"]) == pytest.approx(expected)


def test_few_positives_among_billions_are_drawn_each_by_itself() -> None:
    found = pu_accessor.beta_from_labels(10, 10**10, 10**11).iloc[0]
    m = np.arange(10, 400)
    kept = m[(stats.binom.sf(9, m, 0.1) > 0.025) & (stats.binom.cdf(10, m, 0.1) > 0.025)]
    assert found[["lower", "upper"]].to_list() == pytest.approx(kept[[0, -1]] / 10**11, rel=1e-12)
    turned = pu_accessor.beta_from_labels(10**10 - 10, 10**10, 10**11).iloc[0]
    assert turned["lower"] == pytest.approx(1 - kept[-1] / 10**11, rel=1e-15)


@pytest.mark.parametrize("kind", [0, 1])
def test_what_nearly_all_labels_say_is_true_of_the_rest(kind: int) -> None:
    size = 10**15
    found = pu_accessor.beta_from_labels(kind * size, size, size + 45).iloc[0]
    assert found[["beta", "lower", "upper"]].to_list() == [kind] * 3


def test_a_tail_of_exactly_half_of_what_is_left_is_rejected() -> None:
    # One label of 20 is positive with a probability of 1/20 where one positive is there.
    found = [pu_accessor.beta_from_labels(x, 1, 20, level=0.9).iloc[0] for x in (0, 1)]
    assert [(row["lower"], row["upper"]) for row in found] == [(0, 0.9), (0.1, 1)]


@pytest.mark.parametrize(
    ("x", "size", "total", "level"),
    [
        (1500, 5000, 20_000, 0.95),
        (3, 4000, 5000, 0.9),
        (3990, 4000, 5000, 0.9),
        (30_000, 60_000, 100_000, 0.99),
        (0, 900, 10**6, 0.5),
        (900, 900, 10**6, 0.95),
        (470, 1000, 10**6, 0.95),
    ],
)
def test_exact_limits_of_many_labels(x: int, size: int, total: int, level: float) -> None:
    found = pu_accessor.beta_from_labels(x, size, total, level=level).iloc[0]
    low, high = (round(found[end] * total) for end in ("lower", "upper"))
    tail = (1 - level) / 2

    def tails(m: int) -> tuple[float, float]:
        """Return the probabilities of as many positives or more, and of as many or fewer."""
        drawn = stats.hypergeom(total, m, size)
        return float(drawn.sf(x - 1)), float(drawn.cdf(x))

    assert tails(low)[0] > tail and tails(high)[1] > tail
    assert low == x or tails(low - 1)[0] <= tail
    assert high == total - size + x or tails(high + 1)[1] <= tail


@pytest.mark.parametrize("prior", [(0.5, 0.5), (2, 8), (8, 2)])
@pytest.mark.parametrize("x", [0, 3, 20])
def test_highest_density_of_other_priors(x: int, prior: tuple[float, float]) -> None:
    row = pu_accessor.beta_from_labels(x, 20, 500, method="hpd", prior=prior).iloc[0]
    posterior = stats.beta(prior[0] + x, prior[1] + 20 - x)
    low, high = row["lower"], row["upper"]
    assert posterior.cdf(high) - posterior.cdf(low) == pytest.approx(0.95)
    grid = np.linspace(1e-6, 1 - 1e-6, 2001)
    outside = grid[(grid < low - 1e-3) | (grid > high + 1e-3)]
    within = grid[(grid > low) & (grid < high)]
    assert posterior.pdf(outside).max() <= posterior.pdf(within).min() * (1 + 1e-6)


@pytest.mark.parametrize("level", [1e-9, 0.5, 1 - 1e-6, 1 - 1e-13])
def test_highest_density_of_any_level(level: float) -> None:
    row = pu_accessor.beta_from_labels(12, 50, 2000, method="hpd", level=level).iloc[0]
    posterior = stats.beta(13, 39)
    outside = posterior.cdf(row["lower"]) + posterior.sf(row["upper"])
    assert outside == pytest.approx(1 - level, rel=0.01)
    ends = posterior.logpdf([row["lower"], row["upper"]])
    assert ends[0] == pytest.approx(ends[1], abs=0.01)


def test_shares_of_the_rest_are_those_of_all_less_what_was_found() -> None:
    whole = pu_accessor.beta_from_labels(12, 50, 200).iloc[0]
    rest = pu_accessor.beta_from_labels(12, 50, 200, rest=True).iloc[0]
    assert rest["beta"] == pytest.approx(12 / 50)
    for end in ("lower", "upper"):
        assert rest[end] == pytest.approx((whole[end] * 200 - 12) / 150)


@pytest.mark.parametrize("method", ["exact", "hpd"])
@pytest.mark.parametrize(
    ("x", "size", "total", "level"),
    [(0, 10, 11, 0.9), (10, 10, 11, 0.9), (5, 10, 11, 0.01), (9, 10, 11, 0.1), (2, 10, 12, 0.2)],
)
def test_shares_of_the_rest_are_shares(
    x: int, size: int, total: int, level: float, method: str
) -> None:
    ask: Any = {"method": method, "level": level}
    whole = pu_accessor.beta_from_labels(x, size, total, **ask).iloc[0]
    rest = pu_accessor.beta_from_labels(x, size, total, rest=True, **ask).iloc[0]
    ends = [
        min(max((whole[end] * total - x) / (total - size), 0), 1) for end in ("lower", "upper")
    ]
    assert rest[["lower", "upper"]].to_list() == pytest.approx(ends, abs=1e-12)
    assert rest["beta"] == pytest.approx(min(max(x / size, ends[0]), ends[1]), abs=1e-12)


def drawn() -> pd.DataFrame:
    """Draw 40 rows of the example, and label them by hand."""
    rows: pd.DataFrame = pu_accessor.load_example().pu.sample_to_label(40, random_state=0)
    return rows.assign(label=rows["truth"])


def test_labels_are_counted_where_they_are() -> None:
    rows = drawn()
    unlabeled = int(pu_accessor.load_example()["label"].isna().sum())
    expected = pu_accessor.beta_from_labels(int(rows["truth"].sum()), 40, unlabeled)
    for labels in (rows["label"], rows["label"].astype(float), rows["label"].astype("boolean")):
        found = pu_accessor.beta_from_labels(labels, n_unlabeled=unlabeled)
        pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(pu_accessor.beta_from_labels(rows), expected)
    of_rest = pu_accessor.beta_from_labels(rows, rest=True)
    assert of_rest["n_unlabeled"].item() == unlabeled - 40


def test_labels_that_cannot_be_counted_say_why() -> None:
    rows = drawn()
    by_site = pu_accessor.load_example().pu(by="site").sample_to_label(3, random_state=0)
    open_rows = rows.assign(label=rows["label"].astype("boolean").where(rows.index > 99))
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: pu_accessor.beta_from_labels(rows["label"]), PUTypeError, "n_unlabeled must be"),
        (lambda: pu_accessor.beta_from_labels(3), PUTypeError, "n_labeled must be passed"),
        (lambda: pu_accessor.beta_from_labels(rows["label"], 40, 900), PUValueError, "left out"),
        (lambda: pu_accessor.beta_from_labels(by_site), PUValueError, "drew of one group"),
        (lambda: pu_accessor.beta_from_labels(open_rows), PUDataError, "True or False of each"),
    ]
    for ask, kind, message in cases:
        with pytest.raises(kind, match=message):
            ask()

"""Beta from labels by hand: reference values and exact tails."""

import operator
import warnings
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
from pu_accessor import PUDataError, PUKeyError, PUTypeError, PUValueError, PUWarning


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
    for _ in range(60):
        total = int(rng.integers(1, 25))
        labels = (rng.permutation(total) < rng.integers(0, total + 1))[: rng.integers(1, 25)]
        level = Fraction(int(rng.choice([50, 80, 95])), 100)
        kept = ruled_in(labels.tolist(), total, level, prior)
        if not kept:
            continue
        found = pu_accessor.beta_from_labels(
            pd.Series(labels),
            n_unlabeled=total,
            sequential=True,
            level=float(level),
            prior=(1, prior),
        ).iloc[-1]
        assert found["lower"] == pytest.approx(min(kept) / total)
        assert found["upper"] == pytest.approx(max(kept) / total)
        assert found["lower"] <= found["beta"] <= found["upper"]


@pytest.mark.parametrize(("positives", "prior"), [(0, (1, 1)), (40, (1, 1)), (200, (1, 9))])
def test_intervals_hold_after_all_labels_at_once(
    positives: int, prior: tuple[float, float]
) -> None:
    rng, held = np.random.default_rng(positives), 0
    for _ in range(100):
        labels = pd.Series(rng.permutation(np.arange(400) < positives))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)
            steps = pu_accessor.beta_from_labels(
                labels, n_unlabeled=400, sequential=True, prior=prior
            )
        held += steps["lower"].iloc[-1] <= positives / 400 <= steps["upper"].iloc[-1]
        width = (steps["upper"] - steps["lower"]).dropna()
        assert (width.diff().dropna() <= 1e-12).all()
    assert held >= 88  # of .95, less three standard errors


def test_a_row_of_each_label_goes_into_other_questions() -> None:
    found = pd.Series([True, False, False, False] * 5, index=np.arange(20) * 3 + 100)
    steps = pu_accessor.beta_from_labels(found, n_unlabeled=500, sequential=True)
    assert steps.index.equals(found.index)
    assert steps["n_labeled"].tolist() == [*range(1, 21)]
    assert steps["n_positive"].tolist() == found.cumsum().tolist()
    rest = pu_accessor.beta_from_labels(found, n_unlabeled=500, sequential=True, rest=True)
    assert rest["n_unlabeled"].tolist() == (500 - steps["n_labeled"]).tolist()
    assert rest["upper"].iloc[-1] == pytest.approx((steps["upper"].iloc[-1] * 500 - 5) / 480)
    frame = pd.DataFrame({"score": range(520), "label": [True] * 20 + [None] * 500})
    plain = steps.tail(1)[["beta", "lower", "upper", "level"]]
    pd.testing.assert_frame_equal(frame.pu.auroc(steps.tail(1)), frame.pu.auroc(plain))


def test_a_series_of_labels_is_counted() -> None:
    found = pd.Series([1, 0, 0, 1, 0], dtype="Int64")
    expected = pu_accessor.beta_from_labels(2, 5, 40)
    pd.testing.assert_frame_equal(pu_accessor.beta_from_labels(found, n_unlabeled=40), expected)


def test_labels_in_no_random_order_leave_nothing_and_warn() -> None:
    found = pd.Series([True] * 50 + [False] * 50)
    with pytest.warns(PUWarning, match="leave no beta"):
        steps = pu_accessor.beta_from_labels(found, n_unlabeled=100, sequential=True)
    assert steps.iloc[-1][["beta", "lower", "upper"]].isna().all()


LABELS = pd.Series([True, False], index=["a", "b"])


@pytest.mark.parametrize(
    ("found", "how", "error", "message"),
    [
        (
            pd.Series([True, False, False], index=["a", "b", "a"]),
            {},
            PUDataError,
            "row 'a' is labeled True first and False later",
        ),
        (pd.Series([True, True], index=["a", "a"]), {}, PUDataError, "row 'a' is labeled twice"),
        (pd.Series([True, None], index=["a", "b"]), {}, PUDataError, "row 'b' first"),
        (pd.Series([1, 2], index=["a", "b"]), {}, PUValueError, "row 'b' holds 2"),
        (3, {}, PUTypeError, "must be a Series .* but 3 was"),
        (LABELS, {"n_unlabeled": 1}, PUValueError, "n_unlabeled must .* but 1 was"),
        (LABELS, {"n_unlabeled": None}, PUTypeError, "n_unlabeled must be passed"),
        (LABELS[:0], {}, PUValueError, "n_unlabeled must"),
        (LABELS, {"n_labeled": 2}, PUValueError, "n_labeled must be left out with a Series"),
        (LABELS, {"method": "hpd"}, PUValueError, "method must be 'exact'"),
        (LABELS, {"prior": (0, 1)}, PUValueError, "prior must hold"),
        (LABELS, {"n_unlabeled": 2, "rest": True}, PUValueError, "rest=True needs"),
        (LABELS, {"sequential": 1}, PUTypeError, "sequential must be"),
    ],
)
def test_sequences_of_labels_that_are_none(
    found: Any, how: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pu_accessor.beta_from_labels(found, **{"n_unlabeled": 9, "sequential": True, **how})


# Of strata


def limits_by_hand(
    x: tuple[int, ...], labeled: tuple[int, ...], total: tuple[int, ...], level: float
) -> list[int]:
    """Return the sums that are not ruled out, by going through all compositions and all counts."""
    spared, kinds = 0.1 * (1 - level), range(len(x))
    counts = [np.arange(size + 1) for size in labeled]
    chances = [
        [stats.hypergeom.pmf(counts[i], total[i], m, labeled[i]) for m in range(total[i] + 1)]
        for i in kinds
    ]
    tail = (1 - (1 - spared) ** (1 / len(x))) / 2
    allowed = [
        [
            m
            for m in range(total[i] + 1)
            if chances[i][m][x[i] :].sum() > tail and chances[i][m][: x[i] + 1].sum() > tail
        ]
        for i in kinds
    ]
    tail = (1 - level - spared) / 2

    def statistic(sign: int) -> Any:
        each = []
        for i in kinds:
            p = (counts[i] + 0.5) / (labeled[i] + 1)
            error = (labeled[i] * p * (1 - p) * (1 - labeled[i] / total[i])) ** 0.5
            less = 2 / len(x) ** 0.5 * error
            value = total[i] / labeled[i] * (sign * counts[i] - less)
            each.append(np.maximum.accumulate(value[::sign])[::sign])
        return reduce(np.add.outer, each)

    high, low = statistic(1), statistic(-1)
    most: dict[int, list[float]] = {}
    for numbers in product(*allowed):
        joint = reduce(
            np.multiply.outer, [chances[i][m] for i, m in zip(kinds, numbers, strict=True)]
        )
        likely = [float(joint[each >= each[x] - 1e-9].sum()) for each in (high, low)]
        known = most.setdefault(sum(numbers), [0.0, 0.0])
        most[sum(numbers)] = [max(pair) for pair in zip(known, likely, strict=True)]
    return sorted(whole for whole, each in most.items() if min(each) > tail * (1 - 1e-6))


def drawn(
    x: tuple[int, ...], labeled: tuple[int, ...], total: tuple[int, ...], known: int = 0
) -> pd.DataFrame:
    """Return rows of strata with labels, as they come back from a person."""
    parts = [
        pd.DataFrame({"stratum": name, "n_unlabeled": size, "label": np.arange(s) < found})
        for name, found, s, size in zip("abcdef", x, labeled, total, strict=False)
    ]
    return pd.concat(parts, ignore_index=True).assign(n=known, n_negative=0)


def limits_of_all(
    labeled: tuple[int, ...], total: tuple[int, ...], level: float
) -> "np.ndarray[Any, Any]":
    """Return the limits of the number of positives for all counts that labels may have."""
    shape = tuple(size + 1 for size in labeled)
    limits = np.zeros((2, *shape))
    for x in np.ndindex(*shape):
        row = pu_accessor.beta_from_labels(drawn(x, labeled, total), level=level).iloc[0]
        limits[(slice(None), *x)] = row[["lower", "upper"]].to_list()
    return np.rint(limits * sum(total))


@pytest.mark.parametrize(
    ("labeled", "total", "level"),
    [
        ((5, 4), (14, 9), 0.95),
        ((3, 2, 2), (8, 6, 4), 0.8),
        pytest.param((3, 3, 2), (9, 7, 5), 0.95, marks=pytest.mark.long),
        ((2, 1, 2, 1), (5, 4, 3, 3), 0.6),
        pytest.param((2, 2, 2, 1), (6, 5, 4, 3), 0.8, marks=pytest.mark.long),
        pytest.param((2, 1, 1, 1, 2), (4, 3, 3, 2, 3), 0.5, marks=pytest.mark.long),
        pytest.param((1, 1, 2, 1, 1, 1), (3, 2, 3, 2, 2, 2), 0.5, marks=pytest.mark.long),
    ],
)
def test_limits_of_strata_are_those_of_all_compositions(
    labeled: tuple[int, ...], total: tuple[int, ...], level: float
) -> None:
    limits = limits_of_all(labeled, total, level)
    for x in product(*(range(size + 1) for size in labeled)):
        kept = limits_by_hand(x, labeled, total, level)
        expected = sum(n * count / size for n, count, size in zip(total, x, labeled, strict=True))
        assert limits[(0, *x)] == min(kept[0], round(expected))
        assert limits[(1, *x)] == max(kept[-1], sum(total) - round(sum(total) - expected))
        rows = drawn(x, labeled, total)
        found = pu_accessor.beta_from_labels(rows, level=level).iloc[0]
        assert found["beta"] == pytest.approx(expected / sum(total))
        assert found["lower"] - 1e-9 <= found["beta"] <= found["upper"] + 1e-9
        assert (found["n_unlabeled"], found["method"]) == (sum(total), "stratified")


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    ("labeled", "total"),
    [
        ((6, 3), (24, 8)),
        ((3, 7), (15, 15)),
        ((3, 2, 2), (12, 9, 5)),
        pytest.param((5, 4, 3), (20, 12, 6), marks=pytest.mark.long),
        pytest.param((3, 2, 2, 2), (12, 8, 5, 3), marks=pytest.mark.long),
    ],
)
def test_limits_of_strata_cover_in_all_worlds(
    labeled: tuple[int, ...], total: tuple[int, ...], level: float
) -> None:
    low, high = limits_of_all(labeled, total, level)
    chances = [
        [stats.hypergeom.pmf(np.arange(n + 1), size, m, n) for m in range(size + 1)]
        for n, size in zip(labeled, total, strict=True)
    ]
    for numbers in product(*(range(size + 1) for size in total)):
        held = (low <= sum(numbers)) & (sum(numbers) <= high)
        each = [chances[i][m] for i, m in enumerate(numbers)]
        assert float((reduce(np.multiply.outer, each) * held).sum()) >= level


def test_limits_of_a_higher_level_hold_those_of_a_lower() -> None:
    rng = np.random.default_rng(0)
    for _ in range(4):
        total = tuple(rng.integers(30, 300, 3).tolist())
        labeled = tuple(rng.integers(4, 25, 3).tolist())
        x = tuple(rng.binomial(labeled, [0.1, 0.4, 0.8]).tolist())
        rows = drawn(x, labeled, total)
        levels = [0.6, 0.8, 0.95, 0.99]
        found = [pu_accessor.beta_from_labels(rows, level=level).iloc[0] for level in levels]
        assert (np.diff([each["lower"] for each in found]) <= 0).all()
        assert (np.diff([each["upper"] for each in found]) >= 0).all()


def test_limits_of_many_labels_and_rows_are_found() -> None:
    rows = drawn((8, 9, 30, 50), (400, 150, 100, 60), (10**9, 10**8, 10**7, 10**6))
    found = pu_accessor.beta_from_labels(rows).iloc[0]
    assert 0.008 < found["lower"] < found["beta"] < found["upper"] < 0.06


def test_strata_that_tell_positives_apart_give_shorter_intervals() -> None:
    strata = pu_accessor.beta_from_labels(drawn((4, 105), (270, 130), (8000, 2000))).iloc[0]
    simple = pu_accessor.beta_from_labels(70, 400, 10_000).iloc[0]
    assert strata["upper"] - strata["lower"] < 0.7 * (simple["upper"] - simple["lower"])
    rows = drawn((4, 105), (270, 130), (8000, 2000))
    rest = pu_accessor.beta_from_labels(rows, rest=True).iloc[0]
    assert rest["n_unlabeled"] == 9600
    assert rest["lower"] * 9600 + 109 == pytest.approx(strata["lower"] * 10_000)


def test_rows_of_one_stratum_are_a_sample_of_it() -> None:
    rows = drawn((3,), (40,), (900,))
    expected = pu_accessor.beta_from_labels(3, 40, 900)
    pd.testing.assert_frame_equal(pu_accessor.beta_from_labels(rows), expected)
    steps = pu_accessor.beta_from_labels(rows, sequential=True)
    by_row = pu_accessor.beta_from_labels(rows["label"], n_unlabeled=900, sequential=True)
    pd.testing.assert_frame_equal(steps, by_row)


ROWS = drawn((1, 2), (3, 4), (9, 9))


@pytest.mark.parametrize(
    ("rows", "how", "error", "message"),
    [
        (ROWS.drop(columns=["n", "label"]), {}, PUKeyError, r"lacks \['label', 'n'\]"),
        (
            ROWS.assign(stratum=pd.Categorical(["a"] * 7, ["a", "b"])),
            {},
            PUDataError,
            "stratum must have labels, but 'b' has none",
        ),
        (
            ROWS.assign(label=pd.Series([*[True] * 6, None])),
            {},
            PUDataError,
            "stratum 'b': found .* row 6",
        ),
        (ROWS.assign(label=[2] * 7), {}, PUValueError, "stratum 'a': found .* row 0 holds 2"),
        (ROWS.assign(n_unlabeled=range(5, 12)), {}, PUDataError, "'a' must say the same .* row 1"),
        (
            ROWS.assign(n_unlabeled=2),
            {},
            PUDataError,
            "'a' must have no more labels than",
        ),
        (
            ROWS.assign(stratum=[*"aaabbba"], n=[*[0] * 3, *[2] * 4]),
            {},
            PUDataError,
            r"'a' must say the same .* row 6 says \[2.0, 0.0, 9.0\], and others say \[0.0, 0.0",
        ),
        (ROWS.assign(stratum=pd.Series([*"aaabbb", None])), {}, PUDataError, "but row 6 has none"),
        (ROWS.assign(stratum=range(7)), {}, PUDataError, "at most 6 strata, but there are 7"),
        (ROWS, {"sequential": True}, PUValueError, "one stratum with sequential=True"),
        (ROWS, {"method": "hpd"}, PUValueError, "method must be 'exact'"),
        (ROWS, {"n_unlabeled": 18}, PUValueError, "n_unlabeled must be left out"),
        (drawn((1, 2), (3, 4), (3, 4)), {"rest": True}, PUValueError, "rest=True needs"),
    ],
)
def test_rows_of_strata_that_are_none(
    rows: pd.DataFrame, how: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pu_accessor.beta_from_labels(rows, **how)


# Where they are


def by_hand() -> pd.DataFrame:
    """Draw 40 rows of the example, and label them by hand."""
    rows: pd.DataFrame = pu_accessor.load_example().pu.sample_to_label(40, random_state=0)
    return rows.assign(label=rows["truth"])


def test_labels_are_counted_where_they_are() -> None:
    rows = by_hand()
    unlabeled = int(pu_accessor.load_example()["label"].isna().sum())
    expected = pu_accessor.beta_from_labels(int(rows["truth"].sum()), 40, unlabeled)
    for labels in (rows["label"], rows["label"].astype(float), rows["label"].astype("boolean")):
        found = pu_accessor.beta_from_labels(labels, n_unlabeled=unlabeled)
        pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(pu_accessor.beta_from_labels(rows), expected)
    of_rest = pu_accessor.beta_from_labels(rows, rest=True)
    assert of_rest["n_unlabeled"].item() == unlabeled - 40


def test_labels_that_cannot_be_counted_say_why() -> None:
    rows = by_hand()
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

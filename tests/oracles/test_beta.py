"""Beta: what scores and labels by hand say of it, what contradicts it, and what its error adds."""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pu_accessor
from pu_accessor import PUDataError, PUWarning
from tests.cases import binormal, quiet

FROM_LABELS: Any = pu_accessor.beta_from_labels
PREVALENCE: Any = pu_accessor.beta_from_prevalence
ENDS, NUMBERS = ["lower", "upper"], ["beta", "lower", "upper"]
Row = pd.Series  # of an answer
Counts = tuple[int, ...]  # of each kind, or stratum
SEEDS = st.integers(0, 10**6)


def told(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    """Return what a call warns of."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        call()
    return caught


# What scores say


def kinds(positive: Any, unlabeled: Any, negative: Any = ()) -> pd.DataFrame:
    """Return rows of scores of each kind."""
    scores = [np.asarray(kind, float) for kind in (positive, unlabeled, negative)]
    label = np.repeat([1.0, np.nan, 0.0], [kind.size for kind in scores])
    return pd.DataFrame({"score": np.concatenate(scores), "label": label})


def estimate(frame: pd.DataFrame, method: str = "feasible", level: float = 0.95) -> "Row[Any]":
    return quiet(frame, "estimate_beta", method=method, level=level).iloc[0]


def largest_feasible(frame: pd.DataFrame, delta: float) -> float:
    """Try each number of latent positives, as the definition says."""
    is_known, is_rest = frame["label"] == 1, frame["label"].isna()
    known, rest = (frame.loc[kind, "score"].to_numpy() for kind in (is_known, is_rest))
    for latent in range(rest.size, 0, -1):
        gaps = [(known >= t).mean() - min((rest >= t).sum(), latent) / latent for t in known]
        if max(gaps) <= math.sqrt(math.log(1 / delta) / 2 * (1 / known.size + 1 / latent)):
            return latent / rest.size
    return 0.0


@given(seed=SEEDS)
def test_feasible_betas_are_the_largest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes, decimals = rng.integers(1, (12, 40, 12)), int(rng.integers(0, 3))
    scores = rng.normal(1, 1, sizes[0]), rng.normal(rng.random(sizes[1]) < 0.3)
    frame = kinds(*(kind.round(decimals) for kind in (*scores, rng.normal(size=sizes[2]))))
    for level, alpha in ((0.9, 0.1), (0.2, 0.8), (0.01, 0.99)):
        found = estimate(frame, level=level)
        # The limit is never below the estimate.
        assert found["upper"] == largest_feasible(frame, min(alpha, 0.5))
        assert (found["beta"], found["lower"]) == (largest_feasible(frame, 0.5), 0)


def matched_by_hand(frame: pd.DataFrame, level: float) -> list[float]:
    """Return beta and its interval by means, from variances of every example and np.roots."""
    known = [frame.loc[frame["label"] == kind, "score"].to_numpy() for kind in (1, 0)]
    rest = frame.loc[frame["label"].isna(), "score"].to_numpy()
    up, down, middle = (
        np.mean([[(k < x).mean() / 2 + (k <= x).mean() / 2 for x in some] for k in known], axis=0)
        for some in (*known, rest)
    )
    share, weighted = np.full(up.size, 1 / up.size), "propensity" in frame
    if weighted:
        extra = 1 / frame.loc[frame["label"] == 1, "propensity"].to_numpy() - 1
        share = extra / extra.sum()
    apart = share @ up - down.mean()
    beta = (middle.mean() - down.mean()) / apart
    nearest = min(max(beta, 0.0), 1.0)
    if min(up.size, down.size) == 1:
        return [nearest, 0, 1]
    variance = share @ (up - share @ up) ** 2
    error = (share**2 @ (up - share @ up) ** 2) * up.size / (up.size - 1)
    n = variance / error if weighted else up.size
    variance *= 1 if weighted else up.size / (up.size - 1)
    each, sizes = (variance, np.var(down, ddof=1)), (n, down.size, middle.size)
    # Of the squared error at a beta: for known positives, known negatives, the unlabeled.
    terms = [
        np.poly1d([each[0] / n, 0, 0]),
        np.poly1d([-1, 1]) ** 2 * (each[1] / down.size),
        np.poly1d([each[0] - each[1], each[1]]) / middle.size,
    ]
    parts = [float(term(nearest)) for term in terms]
    pairs = zip(parts, sizes, strict=True)
    square = sum(part**2 / (size - 1) for part, size in pairs if size > 1)
    reach = stats.t.ppf((1 + level) / 2, sum(parts) ** 2 / square if square else np.inf)
    away = np.poly1d([apart, -beta * apart]) ** 2 - reach**2 * (terms[0] + terms[1] + terms[2])
    if away.coef[0] <= 0:
        return [nearest, 0, 1]
    ends = np.roots(away)
    if np.iscomplex(ends).any():
        return [nearest] * 3
    return [nearest, *(min(max(end, 0), 1) for end in sorted(ends.real))]


SIZES = [(30, 20, 200), (5, 40, 60), (12, 15, 1), (3, 3, 5), (9, 1, 30), (1, 9, 30)]


@pytest.mark.parametrize("propensity", [None, "propensity"])
@given(sizes=st.sampled_from(SIZES), shift=st.sampled_from([2.0, 0.7, -2.5]), seed=SEEDS)
def test_mean_matching_by_hand(propensity: Any, sizes: Counts, shift: float, seed: int) -> None:
    rng, level = np.random.default_rng(seed), [0.5, 0.95, 0.9][seed % 3]
    up, down = (np.round(rng.normal(shift * k, 1, sizes[1 - k]), 1) for k in (1, 0))
    middle = rng.normal(shift * (rng.random(sizes[2]) < rng.uniform(0.3, 0.9)))
    frame = kinds(up, np.round(middle + shift * (seed % 3 > 1), 1), down)
    if propensity:
        frame[propensity] = rng.uniform(0.1, 0.9, len(frame))
    how: dict[str, Any] = {"method": "mean_matching", "level": level, "propensity": propensity}
    found = quiet(frame, "estimate_beta", **how).iloc[0]
    assert found[NUMBERS].to_list() == pytest.approx(matched_by_hand(frame, level), abs=1e-6)


ALIKE = [kinds([2] * 3, [2] * 4, [0, 1, 0.5]), kinds([9, 5, 3, 8, 7], [2] * 4, [2] * 3)]
ALIKE += [kinds([2, 2], [2] * found + [0] * (10 - found), [0, 0]) for found in (0, 3, 10)]


@pytest.mark.parametrize("frame", ALIKE)
def test_mean_matching_by_hand_where_some_do_not_vary(frame: pd.DataFrame) -> None:
    numbers = estimate(frame, "mean_matching", 0.8)[NUMBERS].to_list()
    assert numbers == pytest.approx(matched_by_hand(frame, 0.8), abs=1e-6)


@pytest.mark.parametrize("size", [1, 49, 300])
def test_known_ones_that_rank_alike_match_nothing(size: int) -> None:
    """An AUROC of one half is not always one half in floating point."""
    frame = kinds([1.0] * 3 * size, [0.5, 2.0, 8.0], [*[0.0, 9.0] * size, 1.0])
    with pytest.raises(PUDataError, match="mean ranks are equal"):
        estimate(frame, "mean_matching")


def normal(size: int) -> np.ndarray:
    return np.asarray(stats.norm.ppf((np.arange(size) + 0.5) / size), dtype=np.float64)


STEPS = kinds(range(10, 0, -1), [9.5, 8.5, 7.5, 6.5, *[0.5] * 16])
NEARLY, BEST = "rank above nearly all unlabeled examples: beta", "even among the best: neg"
FITS = "contradict each other: no beta in [0, 1] fits"
DOUBTS: list[tuple[str, pd.DataFrame, str, list[int] | None]] = [
    ("feasible", kinds([1, 2], [1, 2]), "say nothing about beta: its upper limit is near 1", None),
    ("feasible", STEPS, "is not known well: its upper limit is more than 0.1 above the est", None),
    ("mean_matching", kinds(normal(300), normal(900) - 3, normal(300) + 2), FITS, [1, 1, 1]),
    # What the mean over 10 unlabeled may be off by grows with beta, and is less than it is.
    ("mean_matching", kinds(normal(1000) + 1, normal(10) - 30, [0.0] * 40), FITS, [0, 0, 0]),
]
GRANTED = {
    "mean_matching": "random sample of all negatives",
    "feasible": "too high, unless no negative reaches the top of the ranking",
}


@pytest.mark.parametrize(("method", "frame", "text", "numbers"), DOUBTS)
def test_what_scores_do_not_say_is_told(method: str, frame: Any, text: str, numbers: Any) -> None:
    found: list[pd.DataFrame] = []
    (one,) = told(lambda: found.append(frame.pu.estimate_beta(method=method)))
    assert one.filename == __file__ and text in str(one.message)
    assert found[0].attrs["assumptions"].endswith(GRANTED[method])
    assert numbers in (None, found[0][NUMBERS].iloc[0].tolist())


TOP = [([397.5, 396.5, 394.5], True), ([397.5, 396.5, 392.5], False)]  # 2, 3, 5 of 400 are above
TOP += [([396.0, 396.0, 395.5], True), ([396.0, 395.0, 395.0], False)]  # a tie is half above
TOP += [([396.0, 396.0, 395.0], True)]


@pytest.mark.parametrize(("known", "doubted"), TOP)
def test_known_positives_above_nearly_all_are_doubted(known: list[float], doubted: bool) -> None:
    caught = told(kinds(known, range(400)).pu.estimate_beta)
    assert any(NEARLY in str(one.message) for one in caught) == doubted


@given(seed=SEEDS, decimals=st.sampled_from([9, 0]))
def test_doubts_are_those_of_a_rank_test_among_the_best(seed: int, decimals: int) -> None:
    # The best are those down to the known positive at a quarter of them, rounded up.
    rng = np.random.default_rng(seed)
    known = np.round(rng.normal(1, 1.5, rng.integers(5, 60)), decimals)
    unlabeled = np.round(rng.normal(rng.uniform(-0.5, 0.5), 1, 400), decimals)
    # Ties of unlabeled examples alone are not looked at.
    unlabeled += np.where(np.isin(unlabeled, known), 0, np.linspace(0, 1e-6, 400))
    last = np.sort(known)[-math.ceil(known.size / 4)]
    best = known[known >= last], unlabeled[unlabeled >= last]
    expected = False
    if best[1].size and np.unique(np.concatenate(best)).size > 1:
        test = stats.mannwhitneyu(*best, alternative="greater", method="asymptotic")
        expected = bool(test.pvalue < 0.05)
    caught = told(kinds(known, unlabeled).pu.estimate_beta)
    assert any(BEST in str(one.message) for one in caught) == expected


# Betas that scores contradict

FRAME = binormal(200, 600, 0.3, seed=1)[0]
SHARP = FRAME.assign(score=lambda d: d["score"] + 0.3 * (d["label"] == 1))
FLAT = binormal(20, 60, 0.5, seed=3)[0]
GROUPS = pd.concat({"a": FRAME, "b": SHARP, "c": FLAT}, names=["g"]).reset_index("g")


def upper(frame: pd.DataFrame, level: float = 0.95) -> float:
    return float(estimate(frame, level=level)["upper"])


LIMIT, HALF = upper(FRAME), upper(FRAME, 0.5)
ABOVE, BELOW = 0.48, 0.43  # about the limit at level .5; there estimates are in [0, 1]
PUT: list[tuple[str, dict[str, Any]]] = [
    *(("contingency", {"ranks": "all"}), ("contingency", {"ranks": [3, 7]}), ("pr_bounds", {})),
    *(("metric", {"metric": "f1", "at": at}) for at in (40, "youden")),
    *(("auroc", {"max_fpr": 0.5, "target": "examples"}), ("average_precision", {})),
    *(("plot_roc", {"baseline": True}), ("plot_metric", {"metric": "f1"}), ("plot_rank_cdf", {})),
]


@pytest.mark.parametrize(("method", "how"), PUT)
def test_a_beta_above_the_limit_is_told_once_with_its_group(method: str, how: Any) -> None:
    ask = partial(getattr(FRAME.pu, method), level=0.5, **how)
    (one,) = told(partial(ask, beta=ABOVE))
    assert one.category is PUWarning and one.filename == __file__
    assert "beta exceeds the upper limit" in str(one.message)
    assert f"({ABOVE:g} > {HALF:.4g})" in str(one.message) and not told(partial(ask, beta=BELOW))
    more: dict[str, Any] = {"col": "g"} if method.startswith("plot") else {}
    by_group = partial(getattr(GROUPS.pu(by="g"), method), level=0.5, **how, **more)
    caught = told(partial(by_group, beta=[0.0, 0.01, 0.27, 0.28]))
    (text,) = (str(each.message) for each in caught if "beta exceeds" in str(each.message))
    assert f"group g='b': 0.27, 0.28 > {upper(SHARP, 0.5):.4g}" in text
    assert "'a'" not in text and "'c'" not in text


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_the_limit_is_that_of_estimate_beta_at_the_same_level(level: float) -> None:
    limit, one = upper(FRAME, level), 1 / FRAME["label"].isna().sum()
    for part, is_above in ((0.45, False), (0.55, True)):  # of one row: betas are rounded to these
        caught = told(partial(FRAME.pu.contingency, limit + part * one, level=level, ranks=3))
        assert len(caught) == is_above
    facts = FRAME.pu.auroc(0.01, level=level).attrs
    names = ["beta_limit", "n_known_positive", "n_unlabeled"]
    assert [facts[name] for name in names] == [limit, 60, 740]
    tables = GROUPS.pu(by="g").contingency(0.01, level=level, ranks="all")
    wanted = [upper(rows, level) for _, rows in GROUPS.groupby("g")]
    assert tables["beta_limit"].values.tolist() == wanted and "beta_limit" not in tables.attrs


def test_no_limit_where_none_is_known() -> None:
    whole, turned = FRAME.fillna({"label": 0}), FRAME.replace({"label": {1.0: 0.0}})
    assert not told(partial(whole.pu(negative=0).metric, "f1", 0, at=40))
    assumed = turned.pu.assume(reference="negatives"), FRAME.pu.assume(selection_odds=3)
    for pu in (*assumed, FRAME.assign(e=0.4).pu(propensity="e")):
        assert not told(partial(pu.metric, "f1", 0.9, at=40))
        assert "beta_limit" not in pu.contingency(0.9, ranks="all").coords
    both = pd.concat([whole.assign(g="a"), FRAME.assign(g="b")])
    limits = both.pu(by="g").contingency(0, ranks="all")["beta_limit"]
    assert np.isnan(limits[0]) and limits[1] == LIMIT


def test_an_envelope_a_beta_of_zero_tables_and_an_estimate_do_not_warn() -> None:
    around = pd.Interval(BELOW - 0.42, BELOW + 0.42)
    assert not told(partial(FRAME.pu.contingency, around, ranks="all"))
    assert not told(partial(SHARP.pu.contingency, 0, ranks="all"))
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = FRAME.pu.contingency([0, 0.7], ranks="all")
    assert not told(partial(tables.pu.area, "auroc")) and not told(tables.pu.plot_roc)
    # Nor one of an interval that reaches below the limit.
    assert not told(partial(FRAME.pu.auroc, FROM_LABELS(70, 120, 740)))
    with pytest.warns(PUWarning, match="beta exceeds"):
        FRAME.pu.auroc(FROM_LABELS(90, 120, 740))


# What labels by hand say


def by_hand(*args: Any, **how: Any) -> "Row[Any]":
    """Return the last row of the answer."""
    row: Row[Any] = FROM_LABELS(*args, **how).iloc[-1]
    return row


def test_few_positives_among_billions_are_drawn_each_by_itself() -> None:
    found, m = by_hand(10, 10**10, 10**11)[ENDS].to_list(), np.arange(10, 400)
    kept = m[(stats.binom.sf(9, m, 0.1) > 0.025) & (stats.binom.cdf(10, m, 0.1) > 0.025)]
    assert found == pytest.approx(kept[[0, -1]] / 10**11, rel=1e-12)
    turned = by_hand(10**10 - 10, 10**10, 10**11)
    assert turned["lower"] == pytest.approx(1 - kept[-1] / 10**11, rel=1e-15)
    for kind in (0, 1):  # what nearly all labels say is true of the rest
        sure = by_hand(kind * (10**12 - 45), 10**12 - 45, 10**12)
        assert sure[NUMBERS].to_list() == [kind] * 3


LARGE = [(1500, 5000, 20_000, 0.95), (3, 4000, 5000, 0.9), (3990, 4000, 5000, 0.9)]
LARGE += [(30_000, 60_000, 100_000, 0.99), (0, 900, 10**6, 0.5), (900, 900, 10**6, 0.95)]
SMALL = [
    [(x, size, total, level) for size in range(1, total + 1) for x in range(size + 1)]
    for total, level in ((1, 0.9), (7, 0.9), (20, 0.9), (7, 0.1), (8, 0.4))
]


@pytest.mark.parametrize("some", [LARGE, *SMALL])
def test_no_tail_rejects_the_exact_limits(some: list[tuple[int, int, int, float]]) -> None:
    for x, size, total, level in some:
        low, high = (round(end * total) for end in by_hand(x, size, total, level=level)[ENDS])
        tail, drawn = (1 - level) / 2 * (1 + 1e-9), stats.hypergeom
        assert drawn.sf(x - 1, total, low, size) > tail < drawn.cdf(x, total, high, size)
        assert low == x or drawn.sf(x - 1, total, low - 1, size) <= tail
        assert high == total - size + x or drawn.cdf(x, total, high + 1, size) <= tail


REST = [(12, 50, 200, 0.95), (0, 10, 11, 0.9), (10, 10, 11, 0.9), (5, 10, 11, 0.01)]
REST += [(9, 10, 11, 0.1), (2, 10, 12, 0.2)]


@pytest.mark.parametrize(("x", "size", "total", "level"), REST)
def test_shares_of_the_rest(x: int, size: int, total: int, level: float) -> None:
    """They are those of all, less what was found."""
    whole, rest = (by_hand(x, size, total, rest=flag, level=level) for flag in (False, True))
    ends = [min(max((whole[end] * total - x) / (total - size), 0), 1) for end in ENDS]
    assert rest[ENDS].to_list() == pytest.approx(ends, abs=1e-12)
    assert rest["beta"] == pytest.approx(min(max(x / size, ends[0]), ends[1]), abs=1e-12)
    assert rest["n_unlabeled"] == total - size


def ruled_in(labels: list[bool], total: int, level: Fraction) -> set[int]:
    """Return the numbers of positives that no label rules out, in rational arithmetic."""
    every = range(total + 1)
    kept = {*every}
    for t in range(1, len(labels) + 1):
        x = sum(labels[:t])
        likely = [comb(m, x) * comb(total - m, t - x) for m in every]
        evidence = Fraction(sum(likely), len(every))
        kept &= {m for m in every if evidence * (1 - level) <= likely[m]}
    return kept


@given(seed=SEEDS)
def test_limits_as_labels_come_in_are_those_that_no_label_rules_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    total = int(rng.integers(1, 25))
    labels = (rng.permutation(total) < rng.integers(0, total + 1))[: rng.integers(1, 25)]
    level = Fraction(int(rng.choice([50, 80, 95])), 100)
    kept = ruled_in(labels.tolist(), total, level)
    how: dict[str, Any] = {"n_unlabeled": total, "sequential": True}
    ask = partial(FROM_LABELS, pd.Series(labels), level=float(level), **how)
    if not kept:
        with pytest.warns(PUWarning, match="No beta fits the labels"):
            assert ask().iloc[-1][NUMBERS].isna().all()
        return
    beta, low, high = ask().iloc[-1][NUMBERS]
    assert [low, high] == pytest.approx([min(kept) / total, max(kept) / total])
    assert low <= beta <= high


def test_a_row_of_each_label_goes_into_other_questions() -> None:
    found = pd.Series([True, False, False, False] * 5, index=np.arange(20) * 3 + 100)
    ask = partial(FROM_LABELS, found, n_unlabeled=740, sequential=True)
    steps, rest = ask(), ask(rest=True)
    assert steps.index.equals(found.index)
    assert rest["n_unlabeled"].tolist() == (740 - steps["n_labeled"]).tolist()
    rest_by_hand = (steps["upper"] * 740 - found.cumsum()) / rest["n_unlabeled"]
    assert rest["upper"].tolist() == pytest.approx(rest_by_hand.clip(0, 1).tolist())
    last = steps.tail(1)
    one, other = (FRAME.pu.auroc(beta) for beta in (last, last[[*NUMBERS, "level"]]))
    pd.testing.assert_frame_equal(one, other)


def drawn(x: Counts, labeled: Counts, total: Counts, known: int = 0) -> pd.DataFrame:
    """Return rows of strata with labels, as they come back from a person."""
    parts = [
        pd.DataFrame({"stratum": name, "n_unlabeled": size, "label": np.arange(s) < found})
        for name, found, s, size in zip("abcdef", x, labeled, total, strict=False)
    ]
    return pd.concat(parts, ignore_index=True).assign(n=known, n_negative=0)


STRATA = [((5, 4), (14, 9), 0.95), ((1, 8), (5, 12), 0.95), ((3, 2, 4), (8, 6, 4), 0.8)]


@pytest.mark.parametrize(("labeled", "total", "level"), STRATA)
def test_limits_of_strata_cover_in_all_worlds(
    labeled: Counts, total: Counts, level: float
) -> None:
    whole, samples = sum(total), [*product(*(range(size + 1) for size in labeled))]
    found = pd.concat([FROM_LABELS(drawn(x, labeled, total), level=level) for x in samples])
    expected = np.array(samples) / labeled @ total / whole
    np.testing.assert_allclose(found["beta"], expected)
    low, high = found["lower"].to_numpy() - 1e-9, found["upper"].to_numpy() + 1e-9
    assert (low <= expected).all() and (expected <= high).all()
    for world in product(*(range(size + 1) for size in total)):
        parts = zip(total, world, labeled, strict=True)
        each = [stats.hypergeom.pmf(np.arange(size + 1), n, m, size) for n, m, size in parts]
        held = (low <= sum(world) / whole) & (sum(world) / whole <= high)
        assert reduce(np.multiply.outer, each).ravel()[held].sum() >= level


def test_strata_that_are_all_labeled_are_known_and_one_is_a_sample() -> None:
    rows = drawn((3,), (40,), (900,))
    pd.testing.assert_frame_equal(FROM_LABELS(rows), FROM_LABELS(3, 40, 900))
    by_row = FROM_LABELS(rows["label"], n_unlabeled=900, sequential=True)
    pd.testing.assert_frame_equal(FROM_LABELS(rows, sequential=True), by_row)
    one, known = by_hand(rows), by_hand(drawn((3, 6), (40, 10), (900, 10)))
    assert known["method"] == "stratified"
    assert (known[ENDS] * 910).tolist() == pytest.approx((one[ENDS] * 900 + 6).tolist())
    assert by_hand(drawn((3, 6), (5, 10), (5, 10)))[NUMBERS].tolist() == [0.6] * 3
    alike, one = by_hand(drawn((30, 30), (100, 100), (10**6, 10**6))), by_hand(60, 200, 2 * 10**6)
    assert alike[ENDS].tolist() == pytest.approx(one[ENDS].tolist(), rel=2e-3)


def test_labels_are_counted_where_they_are() -> None:
    rows = FRAME.pu.sample_to_label(40, random_state=0).assign(label=[True, False] * 20)
    expected = FROM_LABELS(20, 40, 740)
    for kind in ("bool", "float", "boolean"):
        found = FROM_LABELS(rows["label"].astype(kind), n_unlabeled=740)
        pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(FROM_LABELS(rows), expected)


# What the prevalence says


# Some are ends but for rounding: .29 * 100 is below 29, and .07 * 100 above 7.
SHARES: list[tuple[Any, float]] = [((0.29, 29, 71), 0), ((0.07, 0, 7, 93), 1), ((1, 100, 900), 1)]
SHARES += [((0.29, 29 * 10**6, 71 * 10**6), 0), ((0.25, 0, 10**12), 0.25)]
SHARES += [((0.3, 100, 800, 100), (300 - 100) / 800)]


@pytest.mark.parametrize(("passed", "beta"), SHARES)
def test_betas_of_a_prevalence_of_rows(passed: Any, beta: float) -> None:
    assert PREVALENCE(*passed) == (pytest.approx(beta) if len(passed) == 4 else beta)
    frequency: Any = pu_accessor.beta_from_label_frequency
    assert frequency(0.25, 100, 900) == pytest.approx(300 / 900) and frequency(1, 100, 900) == 0


def test_of_a_population_the_limits_are_binomial_and_cut() -> None:
    found = PREVALENCE(0.25, 200, 950, 50, of="population", level=0.9)
    low, high = stats.binom.interval(0.9, 1200, 0.25)
    want = [100 / 950, (low - 200) / 950, (high - 200) / 950, 0.9]
    assert found.iloc[0, :4].tolist() == pytest.approx(want)
    assert found[["method", "n_unlabeled", "n"]].iloc[0].tolist() == ["prevalence", 950, 200]
    # Known positives from elsewhere say nothing of the rest, and are not counted.
    alone = PREVALENCE(0.25, 0, 950, of="population")
    assert alone["beta"].item() == 0.25 and "n" not in alone
    few = PREVALENCE(0.1, 105, 895, of="population").iloc[0]
    assert few["beta"] == few["lower"] == 0 < few["upper"] < 0.03
    assert PREVALENCE(1, 100, 900, of="population")[NUMBERS].iloc[0].tolist() == [1, 1, 1]

"""What scores say of beta: reference values, a literal oracle, simulations, warnings."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pu_accessor import PUDataError, PUWarning
from pu_accessor.ranking import FloatArray

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
silent = pytest.mark.filterwarnings("error")


def warns(frame: pd.DataFrame, text: str) -> bool:
    """Tell if a warning of the limit of beta has this text."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        frame.pu.estimate_beta()
    return any(text in str(one.message) for one in told)


def normal(size: int) -> FloatArray:
    return np.asarray(stats.norm.ppf((np.arange(size) + 0.5) / size), dtype=np.float64)


def framed(positive: Any, unlabeled: Any, negative: Any = ()) -> pd.DataFrame:
    kinds = [np.asarray(kind, float) for kind in (positive, unlabeled, negative)]
    label = np.repeat([1.0, np.nan, 0.0], [kind.size for kind in kinds])
    return pd.DataFrame({"score": np.concatenate(kinds), "label": label})


def estimate(frame: pd.DataFrame, method: str = "feasible", level: float = 0.95) -> pd.Series:
    answer: pd.DataFrame = frame.pu.estimate_beta(method=method, level=level)
    assert len(answer) == 1 and answer["method"].item() == method
    return answer.iloc[0]


def drawn(seed: Any, most: int) -> pd.DataFrame:
    """Draw a few known positives, and fewer unlabeled rows than so many; some are tied."""
    rng = np.random.default_rng(seed)
    decimals = int(rng.integers(0, 3))
    known = np.round(rng.normal(1, 1, rng.integers(1, 12)), decimals)
    hidden = rng.normal(rng.random(rng.integers(1, most)) < 0.3)
    return framed(known, np.round(hidden, decimals))


BINORMAL = framed(normal(200) + 2, [*(normal(300) + 2), *normal(700)])

STEPS = framed(range(10, 0, -1), [9.5, 8.5, 7.5, 6.5, *[0.5] * 16])


def largest_feasible(frame: pd.DataFrame, delta: float) -> float:
    """Try each number of latent positives, as the definition says."""
    known = frame.loc[frame["label"] == 1, "score"].tolist()
    unlabeled = frame.loc[frame["label"].isna(), "score"].tolist()
    best = 0
    for latent in range(1, len(unlabeled) + 1):
        gaps = []
        for t in set(known):
            k, h = sum(s >= t for s in known), sum(s >= t for s in unlabeled)
            gaps.append(k / len(known) - min(h, latent) / latent)
        if max(gaps) <= math.sqrt(math.log(1 / delta) / 2 * (1 / len(known) + 1 / latent)):
            best = latent
    return best / len(unlabeled)


@pytest.mark.parametrize("seed", range(10))
def test_feasible_is_the_largest_that_is_feasible(seed: int) -> None:
    frame = drawn(seed, 40)
    for level, delta in ((0.9, 0.1), (0.2, 0.5)):  # the limit is never below the estimate
        found = estimate(frame, level=level)
        assert found["upper"] == largest_feasible(frame, delta)
        assert found["beta"] == largest_feasible(frame, 0.5)


@pytest.mark.parametrize("seed", range(6))
def test_two_sides_are_the_limit_of_the_problem_and_of_the_reversed_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = rng.normal(1, 1, 20), rng.normal(rng.random(60) < 0.4), rng.normal(0, 1, 20)
    frame = framed(*(kind.round(1) for kind in kinds))
    turned = frame.assign(score=-frame["score"], label=1 - frame["label"])
    for level, half in ((0.9, 0.05), (0.5, 0.25), (0.2, 0.4), (0.01, 0.495)):
        found = estimate(frame, "two_sided", level=level)
        assert found["upper"] == largest_feasible(frame, half)
        assert found["lower"] == 1 - largest_feasible(turned, half)
        middle = (largest_feasible(frame, 0.5) + 1 - largest_feasible(turned, 0.5)) / 2
        inside = min(max(middle, found["lower"]), found["upper"])
        wanted = inside if found["lower"] <= found["upper"] else middle
        assert found["beta"] == pytest.approx(wanted, abs=1e-12)


def matched_by_hand(frame: pd.DataFrame, level: float) -> list[float]:
    """Return beta and its interval by means, from variances of every example and np.roots."""
    kinds = [frame.loc[frame["label"] == kind, "score"].to_numpy() for kind in (1, 0)]
    rest = frame.loc[frame["label"].isna(), "score"].to_numpy()
    up, down, middle = (
        np.mean([[(k < x).mean() / 2 + (k <= x).mean() / 2 for x in some] for k in kinds], axis=0)
        for some in (*kinds, rest)
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


SIZES = [(30, 20, 200), (5, 40, 60), (40, 4, 60), (12, 15, 1), (3, 3, 5), (9, 1, 30), (1, 9, 30)]
SIZES += [(8, 8, 30), (60, 60, 90)]
SHIFTS = [2.0, 1.5, 1.5, 2.0, 3.0, 1.0, 1.0, 0.2, -2.5]


@pytest.mark.parametrize("propensity", [None, "propensity"])
@pytest.mark.parametrize(("sizes", "shift"), [*zip(SIZES, SHIFTS, strict=True)])
def test_mean_matching_by_hand(sizes: Any, shift: float, propensity: str | None) -> None:
    for seed, level in ((0, 0.5), (1, 0.95), (2, 0.9)):  # the last are beyond all betas
        rng = np.random.default_rng([seed, *sizes])
        up, down = (np.round(rng.normal(shift * k, 1, sizes[1 - k]), 1) for k in (1, 0))
        middle = rng.normal(shift * (rng.random(sizes[2]) < 0.3 + 0.3 * seed)) + shift * (seed > 1)
        frame = framed(up, np.round(middle, 1), down)
        if propensity:
            frame[propensity] = rng.uniform(0.1, 0.9, len(frame))
        ask: Any = frame.pu(propensity=propensity)
        found = ask.estimate_beta(method="mean_matching", level=level).iloc[0]
        numbers = found[["beta", "lower", "upper"]].to_list()
        assert numbers == pytest.approx(matched_by_hand(frame, level), abs=1e-9)


@silent
@pytest.mark.parametrize("up", [True, False])
def test_mean_matching_by_hand_at_an_end_where_nothing_varies(up: bool) -> None:
    alike, others = [2.0] * 3, [0.0, 1.0, 0.5, 0.7, 0.1] if up else [9.0, 5.0, 3.0, 8.0, 7.0]
    frame = framed(alike, [2.0] * 4, others) if up else framed(others, [2.0] * 4, alike)
    numbers = estimate(frame, "mean_matching", 0.8)[["beta", "lower", "upper"]].to_list()
    assert numbers == pytest.approx(matched_by_hand(frame, 0.8), abs=1e-9)
    assert numbers[0] == up and numbers[1] < numbers[2]


NEARLY, BEST = "above nearly all", "even among the best"
SOME = [*range(40, 33, -1), *np.linspace(0, -9, 32)]


@pytest.mark.parametrize(
    ("known", "rest", "text", "doubted"),
    [
        ([397.5, 396.5, 394.5], range(400), NEARLY, True),  # 2, 3 and 5 of 400 are above
        ([397.5, 396.5, 392.5], range(400), NEARLY, False),
        ([396.0, 396.0, 395.5], range(400), NEARLY, True),  # a tie is half above: 3.5 of 400
        ([396.0, 395.0, 395.0], range(400), NEARLY, False),  # 3.5, 4.5 and 4.5
        ([396.0, 396.0, 395.0], range(400), NEARLY, True),
        # Of the best 20, 10 are known: 7 above all others, one above 2 or 3 of them. For 72 pairs
        # p is .052, and .048 without the correction for continuity; for 73 it is .044.
        ([*SOME, 2.5], range(1, 11), BEST, False),
        ([*SOME, 3.5], range(1, 11), BEST, True),
        # Of the best 63 the first, the second and the last are known: that is nothing (p = .17),
        # and unlabeled ones between two known positives are no ties.
        ([70, 69, *range(0, -10, -1)], range(1, 61), BEST, False),
    ],
)
def test_high_known_positives_are_doubted(known: Any, rest: Any, text: str, doubted: bool) -> None:
    assert warns(framed(known, rest), text) == doubted


@pytest.mark.parametrize("size", [1, 3, 7, 49, 300])
def test_known_ones_that_rank_alike_match_nothing(size: int) -> None:
    """An AUROC of one half is not always one half in floating point."""
    ends = [0.0, 9.0] * size
    with pytest.raises(PUDataError, match="mean ranks are equal"):
        estimate(framed([1.0] * 3 * size, [0.5, 2.0, 8.0], [*ends, 1.0]), "mean_matching")


@pytest.mark.parametrize("method", ["feasible", "two_sided", "mean_matching"])
def test_an_estimate_says_what_it_takes_for_granted(method: str) -> None:
    sample = "known positives are a simple random sample of all positives; "
    other = "known negatives are a simple random sample of all negatives"
    if method == "feasible":
        other = "the estimate is the largest plausible beta, and the true one only if no negative "
        other += "reaches the top of the ranking"
    pu = framed(normal(60) + 1, normal(90), normal(40) - 1).pu
    found = pu.estimate_beta(method=method, level=0.98)
    assert found.attrs["assumptions"] == sample + other
    answer = pu.auroc(found, target="examples").iloc[0]  # which takes any of them
    assert answer["lower"] < answer["estimate"] < answer["upper"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (framed([1, 2], [1, 2]), "The data say nothing about beta: its upper limit is near 1"),
        (STEPS, "beta is not known well: its upper limit is more than 0.1 above the estimate"),
        (framed(normal(500) + 9, normal(2000)), "rank above nearly all unlabeled examples: beta"),
        (framed(normal(500) + 1, normal(5000)), "above the unlabeled even among the best: neg"),
    ],
)
def test_feasible_warns(frame: pd.DataFrame, message: str) -> None:
    with pytest.warns(PUWarning, match=message) as told:
        frame.pu.estimate_beta()
    assert [one.filename for one in told] == [__file__]


@pytest.mark.parametrize("decimals", [9, 0])
def test_doubts_are_those_of_a_rank_test_among_the_best(decimals: int) -> None:
    # The best are those down to the known positive at a quarter of them, rounded up.
    rng, doubted = np.random.default_rng(7), 0
    for _ in range(30):
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
        assert warns(framed(known, unlabeled), "even among the best") == expected
        doubted += expected
    assert 3 < doubted < 27


@silent
def test_feasible_is_silent_where_it_knows() -> None:
    frame = framed(normal(500) + 4, [*(normal(1000) + 4), *normal(4000)])
    assert frame.pu.estimate_beta()["upper"].item() > 0.2


@pytest.mark.parametrize(
    ("method", "frame", "numbers"),
    [
        ("two_sided", framed(normal(300) + 9, normal(900), normal(300) - 9), None),
        ("mean_matching", framed(normal(300), normal(900) - 3, normal(300) + 2), [1, 1, 1]),
        # What the mean over 10 unlabeled may be off by grows with beta, and is less than it is.
        ("mean_matching", framed(normal(1000) + 1, normal(10) - 30, [0.0] * 40), [0, 0, 0]),
    ],
)
def test_contradictions_warn(method: str, frame: pd.DataFrame, numbers: Any) -> None:
    with pytest.warns(PUWarning, match=r"contradict each other: no beta in \[0, 1\] fits") as told:
        found = estimate(frame, method)
    assert len(told) == 1
    assert numbers in (None, found[["beta", "lower", "upper"]].tolist())


@silent
@pytest.mark.parametrize("positives", [0, 1, 3, 7, 10])
def test_scores_of_two_values_that_tell_all_contradict_nothing(positives: int) -> None:
    frame = framed([2, 2], [2] * positives + [0] * (10 - positives), [0, 0])
    numbers = estimate(frame, "mean_matching")[["beta", "lower", "upper"]].tolist()
    assert numbers == pytest.approx([positives / 10] * 3, abs=1e-7)

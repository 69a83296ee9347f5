"""AUROC, and what average precision shares with it, against a slow oracle and scikit-learn."""

import math
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from pu_accessor import PUWarning
from pu_accessor.inference.estimates.hidden_positive_limits import harmonic
from pu_accessor.inference.estimates.intervals import logit_interval
from tests.cases import Case, Labels, binormal, draw_case, framed, quiet
from tests.support.oracles import (
    completion_oracle,
    gaps_oracle,
    population_oracle,
    selection_oracle,
)
from tests.support.oracles import estimates_oracle as oracle

SMALL = [
    ([9, 8, 7, 6, 5, 4, 3, 2, 1], [1, 0, 1, 1, 0, 0, 1, 0, 0], []),
    ([5, 5, 4, 4, 4, 3, 2, 2, 1], [0, 1, 1, 0, 1, 0, 1, 0, 1], [0, 3]),
    ([1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 1, 1], [2]),
    ([3, 3, 2, 2, 1, 1, 0], [0, 0, 1, 0, 1, 1, 1], []),
]


def hidden(truth: list[int], n: int, known_negatives: list[int]) -> Fraction:
    """Return beta when n of the positives are known."""
    return Fraction(sum(truth) - n, len(truth) - n - len(known_negatives))


def draw(seed: int) -> Case:
    """Draw a ranking that has a negative for sure, and a beta."""
    score, label, beta = draw_case(seed)
    return Case([*score, 0.5], [*label, False], beta)


COLUMNS = ["beta", "standard_error", "estimate", "lower", "upper"]

both = pytest.mark.parametrize("method", ["auroc", "average_precision"])

NEAR: dict[str, Any] = {"rel": 1e-9, "abs": 1e-12, "nan_ok": True}


ask = partial(quiet, target="examples")


def limits(frame: Any, method: str, beta: float, level: float, **limit: float) -> list[float]:
    """Return the areas that bounds allow."""
    tables = frame.pu(negative=False).contingency(beta, level=level, ranks="breakpoints")
    return selection_oracle.areas_between(tables.isel(beta=0), method, **limit)


def within(value: float) -> float:
    """Return the nearest number in [0, 1]."""
    return min(max(value, 0.0), 1.0)


def nowhere(found: oracle.Estimate) -> bool:
    """Tell if an unbiased statistic is outside [0, 1] by more than its error."""
    value, error = float(found.value), found.standard_error
    most = 1.0 if math.isnan(error) else stats.t.ppf(0.975, max(found.n - 1, 1)) * error
    return max(value - 1, -value) > most + 1e-9


def is_refuted(frame: pd.DataFrame, found: oracle.Estimate, beta: float, level: float) -> bool:
    """Tell if a statistic is impossible, and beta above its limit: there is no interval."""
    unlabeled = int(frame["label"].isna().sum())
    if not unlabeled or not nowhere(found):
        return False
    limit = quiet(frame, "estimate_beta", level=level, negative=False)["upper"].item()
    return bool(beta > limit + 0.5 / unlabeled)


def reaching(ends: list[float], estimate: float) -> list[float]:
    """Return limits that hold the one estimate."""
    low, high = ends
    if math.isnan(low):
        return [math.nan] * 2
    return [within(min(low, estimate)), within(max(high, estimate))]


def expected_limits(case: Case, found: oracle.Estimate, doubt: float, limit: float) -> list[float]:
    """Return the limits of a partial AUROC at .95, around the unbiased statistic."""
    frame, beta = framed(case.score, case.label), case.beta
    if (found.n == 1 and found.squared is None) or is_refuted(frame, found, beta, 0.95):
        return [math.nan] * 2
    if beta == 0 or frame["label"].notna().all():
        return [float(found.value)] * 2
    if found.n == 2 or not found.squared or doubt > 0.1:
        return limits(frame, "auroc", beta, 0.95, max_fpr=limit)
    return list(oracle.interval(found, 0.95))


def expected_whole(case: Case, level: float, off: float) -> list[float]:
    """Return the limits of an AUROC, if the tails of the gaps are so much larger.

    They are those around the unbiased statistic.
    """
    score, label, beta = case
    found = oracle.auroc(score, label, beta)
    if found.squared is None or is_refuted(framed(score, label), found, beta, level):
        return [math.nan] * 2
    if beta == 0 or None not in label:
        return [float(found.value)] * 2
    if not found.squared:  # one score says nothing of what is below it
        return limits(framed(score, label), "auroc", beta, level)
    low, high = gaps_oracle.auroc(score, label, beta, (1 - level) / 2 + off)
    if found.n > 2:
        student = oracle.interval(found, level)
        low, high = min(low, student[0]), max(high, student[1])
    least, most = gaps_oracle.possible_aurocs(score, label, beta)
    return [min(max(end, least), most) for end in (low, high)]


@pytest.mark.parametrize("seed", range(12))
def test_auroc_agrees_with_oracle(seed: int) -> None:
    score, label, beta = draw(seed)
    frame, level = framed(score, label), [0.95, 0.8][seed % 2]
    betas = [0.3, beta] if beta != 0.3 and None in label else [beta]
    got = ask(frame, "auroc", betas, level=level, negative=False)
    assert list(got.columns) == ["metric", "beta", "target", *COLUMNS[2:], "standard_error"]
    assert got["beta"].tolist() == betas and isinstance(got.index, pd.RangeIndex)
    assert got.attrs["level"] == level and (got["target"] == "examples").all()
    for one, (_, error, middle, *ends) in zip(
        betas, got[COLUMNS].to_numpy().tolist(), strict=True
    ):
        found = oracle.auroc(score, label, one)
        estimate = completion_oracle.area("auroc", score, label, one)
        off = found.standard_error if one < 1 else 0.0  # where nothing is open
        assert [error, middle] == pytest.approx([off, estimate], **NEAR)
        if one == 1:
            assert ends == pytest.approx([estimate] * 2, **NEAR)
            continue
        wide, narrow = (
            reaching(expected_whole(Case(score, label, one), level, off), estimate)
            for off in (-0.006, 0.006)
        )
        if math.isnan(wide[0]):
            assert np.isnan(ends).all()
            continue
        assert wide[0] - 1e-6 <= ends[0] <= narrow[0] + 1e-6
        assert narrow[1] - 1e-6 <= ends[1] <= wide[1] + 1e-6


@pytest.mark.parametrize("limit", [0.05, 0.3, 0.77, 1.0])
def test_partial_auroc_agrees_with_oracle(limit: float) -> None:
    plain = sure = 0
    for score, label, beta in map(draw, range(30)):
        frame = framed(score, label)
        asked = ask(frame, "auroc", beta, max_fpr=limit, negative=False)
        row = asked[COLUMNS].to_numpy().tolist()[0]
        estimate = completion_oracle.area("auroc", score, label, beta, limit)
        assert row[2] == pytest.approx(estimate, **NEAR)
        if not oracle.is_plain(score, label, beta, limit):
            continue
        plain += 1
        found = oracle.partial_auroc(score, label, beta, limit)
        off = found.standard_error if beta < 1 else 0.0
        assert row[1] == pytest.approx(off, **NEAR)
        if limit < 1:
            doubt = oracle.doubt(score, label, beta, limit)
            sure += doubt <= 0.1 and found.n > 2
            want = expected_limits(Case(score, label, beta), found, doubt, limit)
            want = reaching(want, estimate) if beta < 1 else [estimate] * 2
            assert row[3:5] == pytest.approx(want, **NEAR)
    assert plain > 12 and (sure > 1 or limit in (0.05, 1.0))


# P = 6 and n = 3: one known positive among two tied examples adds no false positive.
DOWN = [9.0, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 0, -1, -2]
FLAT = Case(DOWN, [True if place in (0, 3, 7) else None for place in range(15)], 0.25)
# Two blocks of five, with one and two known positives: .3 * M is reached within the first.
KINDS: Labels = [True, None, None, None, False, True, True, None, None, False]
BLOCKS = Case([2.0] * 5 + [1.0] * 5, KINDS, 0.2)


def test_errors_of_partial_auroc_that_ends_in_blocks_of_ties() -> None:
    value, squared, *_ = oracle.clipped_auroc(*BLOCKS, 0.3)
    assert value == oracle.partial_auroc(*BLOCKS, 0.3).value
    cases = [(BLOCKS, 0.3, math.sqrt(squared or 0))]
    for limit in (0.2, 0.35, 0.6):
        assert oracle.is_plain(*FLAT, limit)
        cases.append((FLAT, limit, oracle.partial_auroc(*FLAT, limit).standard_error))
    for (score, label, beta), limit, error in cases:
        row = ask(framed(score, label), "auroc", beta, max_fpr=limit).iloc[0]
        wanted = [error, completion_oracle.area("auroc", score, label, beta, limit)]
        assert row[COLUMNS[1:3]].tolist() == pytest.approx(wanted, **NEAR)


# ---------------------------------------------------------------------------------------------
# Intervals


@pytest.mark.parametrize("seed", range(5))
def test_intervals_end_where_the_last_labeling_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    label: Labels = [True] * 3 + [None] * 8 + [False] * int(rng.integers(1, 6))
    hidden, tied = rng.random(len(label)) * 4 - 1, rng.integers(3, size=len(label))
    score = np.where([y is None for y in label], hidden, tied)
    frame, reached = framed(score.tolist(), label), []
    for latent in (2, 4, 8):
        chosen = combinations(range(3, 11), latent)
        truth = [[i < 3 or i in few for i in range(len(label))] for few in chosen]
        areas = [roc_auc_score(each, score) for each in truth]
        row = ask(frame, "auroc", latent / 8, level=0.99, negative=False).iloc[0]
        assert min(areas) - 1e-12 <= row["lower"] <= row["upper"] <= max(areas) + 1e-12
        reached += [row["lower"] < min(areas) + 1e-9, row["upper"] > max(areas) - 1e-9]
    assert any(reached)
    sure = [i < 11 for i in range(len(label))]  # the last of these betas leaves nothing open
    metrics = {"auroc": roc_auc_score, "average_precision": average_precision_score}
    for method, metric in metrics.items():
        row = ask(frame, method, 1, negative=False).iloc[0]
        assert row[COLUMNS[1:]].tolist() == pytest.approx([0] + [metric(sure, score)] * 3)
    row = ask(frame, "metric", "bedroc", 1, negative=False).iloc[0]
    assert row["lower"] == row["estimate"] == row["upper"] and row["standard_error"] == 0


@pytest.mark.parametrize("top", [False, True])
def test_limits_are_not_rounded_past_0_and_1(top: bool) -> None:
    size = 8 + np.arange(100) % 23
    parts = [np.where(np.arange(n) < 2 + k % 4, 1, np.nan) for k, n in enumerate(size.tolist())]
    place = np.concatenate([np.arange(n) for n in size.tolist()])
    frame = pd.DataFrame({"label": np.concatenate(parts), "g": np.repeat(np.arange(100), size)})
    frame["score"] = -place if top else place
    found = ask(frame, "auroc", [0.05, 0.17, 0.31], by="g").dropna()
    assert found["lower"].min() >= 0 and found["upper"].max() <= 1
    assert (found["upper"].max() if top else 1 - found["lower"].min()) == 1


@pytest.mark.filterwarnings("ignore:In 2 of 6 rows a limit is the estimate itself")
@both
def test_one_known_positive_is_told_once(method: str) -> None:
    poor = framed([4, 3, 2, 1], [None, True, None, False])
    with pytest.warns(PUWarning) as record:
        row = getattr(poor.pu, method)(0.5, target="examples").iloc[0]
    assert [one.filename for one in record] == [__file__]
    assert row[["standard_error", "lower", "upper"]].isna().all()
    estimate = completion_oracle.area(method, [4, 3, 2, 1], [None, True, None, False], 0.5)
    assert row["estimate"] == pytest.approx(estimate)
    frame = pd.concat([framed(*draw(11)[:2]), poor, poor], keys=[*"ade"], names=["site"])
    with pytest.warns(PUWarning, match="'d'.*'e'") as record:
        got = getattr(frame.reset_index("site").pu(by="site"), method)([0.1, 0.2])
    assert sum("only one known positive" in str(one.message) for one in record) == 1
    assert got["standard_error"].isna().tolist() == [False] * 2 + [True] * 4


@pytest.mark.filterwarnings("ignore:In 1 of 1 rows a limit is the estimate itself")
@both
def test_known_positives_at_the_top_refute_a_high_beta(method: str) -> None:
    score: list[float] = [*range(48, 0, -1)]
    label: Labels = [True] * 8 + [None] * 40  # many more latent ones than can follow them
    found = getattr(oracle, method)(score, label, 0.9)
    assert found.value > 1 and nowhere(found)
    with pytest.warns(PUWarning, match="beta exceeds") as record:
        row = getattr(framed(score, label).pu, method)(0.9, target="examples").iloc[0]
    assert [one.filename for one in record] == [__file__]
    assert row[["lower", "upper"]].isna().all()
    assert row["estimate"] == pytest.approx(1)  # the best that is possible
    # Known positives can be the last ones by chance: no beta is too high for that.
    label = [None] * 40 + [True] * 8
    assert (getattr(oracle, method)(score, label, 0.9).value < 0) == (method == "auroc")
    row = getattr(framed(score, label).pu, method)(0.9, target="examples").iloc[0]
    assert row["estimate"] == pytest.approx(completion_oracle.area(method, score, label, 0.9))
    assert 0 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1
    assert row["lower"] < row["upper"]


def test_a_share_that_is_all_has_no_way_up_and_none_that_is_known_down() -> None:
    one, off = np.ones(1), np.full(1, 0.1)
    lower, upper = logit_interval(0.9 * one, one, one, off, off)
    assert np.isnan(lower).all() and upper.tolist() == [0.9]
    lower, upper = logit_interval(0.1 * one, 0.0, one, off, off)
    assert lower.tolist() == [0.1] and np.isnan(upper).all()


# ---------------------------------------------------------------------------------------------
# What is refused


@pytest.mark.parametrize("seed", range(12))
def test_average_precision_agrees_with_oracle(seed: int) -> None:
    case = draw(seed)
    row = ask(framed(*case[:2]), "average_precision", case[2], negative=False).iloc[0]
    error = oracle.average_precision(*case).standard_error if case[2] < 1 else 0.0
    estimate = completion_oracle.area("average_precision", *case)
    assert row[COLUMNS[1:3]].tolist() == pytest.approx([error, estimate], **NEAR)


def drawn_limits(case: Case, level: float) -> tuple[float, float]:
    """Return the limits of average precision, from the draws that are part of the method."""
    score, label, beta = case
    pairs = list(zip(score, label, strict=True))
    value = within(float(oracle.average_precision(score, label, beta).value))
    estimate = completion_oracle.area("average_precision", score, label, beta)
    latent = int(Fraction(str(beta)) * label.count(None) + Fraction(1, 2))
    if not latent:
        low, high = limits(framed(score, label), "average_precision", beta, level)
        value = estimate
    else:
        blocks = []
        for at in sorted({s for s, y in pairs if y is True}, reverse=True):
            start, end = sum(s > at for s in score), sum(s >= at for s in score)
            blocks.append((sum(s == at and y is True for s, y in pairs), start, end))
        following = blocks[0][2] if blocks[0][0] > 1 or len(blocks) == 1 else blocks[1][2]
        first = min(blocks[0][2] ** 2 / (2 * following), blocks[0][1])
        first *= max(1 - 10 / label.count(True), 0)
        sides = gaps_oracle.drawn_precisions(blocks, len(score), latent, first, harmonic)
        below = (1 - level) / 2 * 999
        low, high = sorted(sides[0])[math.floor(below)], sorted(sides[1])[math.ceil(999 - below)]
    return min(low, value, estimate), min(max(high, value, estimate), 1)


@pytest.mark.parametrize(("seed", "level"), [(0, 0.9), (1, 0.5), (2, 0.9), (3, 0.95), (5, 0.9)])
def test_limits_of_average_precision_are_those_of_draws(seed: int, level: float) -> None:
    score, label, beta = draw(seed)
    unlabeled = label.count(None)
    # Latent positives are rounded, a half up; those that are next to none leave the bounds.
    for one in (beta, 2.5 / unlabeled, 1.49 / unlabeled, 0.5 / unlabeled, 0.3 / unlabeled):
        row = ask(framed(score, label), "average_precision", one, level=level).iloc[0]
        if not nowhere(oracle.average_precision(score, label, one)) and one:
            wanted = drawn_limits(Case(score, label, one), level)
            assert row[["lower", "upper"]].tolist() == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("propensity", [None, [0.3, 0.4, 0.5, 0.9]])
@pytest.mark.parametrize("above", [1, 2])
def test_limits_end_at_1_below_the_statistic(above: int, propensity: list[float] | None) -> None:
    score = [30.0, 29.0, 28.0, 27.0, *[28.5, 26.0][:above], *map(float, range(20))]
    hidden, betas = len(score) - 4, [0.1, 0.15, 0.2]
    frame = framed(score, [True] * 4 + [None] * hidden)
    weights = [1 / e - 1 for e in propensity or [0.5] * 4]
    of = selection_oracle.average_precision
    is_above = np.array([of([1, 2, 4, 5], weights, beta * hidden) for beta in betas]) > 1
    frame["propensity"] = [*(propensity or [np.nan] * 4), *[np.nan] * hidden]
    rows = ask(frame, "average_precision", betas, propensity=propensity and "propensity")
    assert rows["estimate"].between(0.5, 1).all() and is_above.any()
    assert (rows["upper"] == 1)[is_above].all()
    assert (rows["lower"] < rows["estimate"])[is_above].all()


def test_a_cutoff_at_which_nothing_changes_does_not_count() -> None:
    # Of three latent positives 1.5 are among the two examples right below the known one.
    score = [0.08, 1.26, 2.02, -0.23, -0.48, -0.25, -0.6, 0.77, 0.5]
    case = score, [True, *[None] * 7, False], 0.371
    found = ask(framed(*case[:2]), "average_precision", case[2], negative=False)["estimate"]
    assert found.item() == pytest.approx(completion_oracle.area("average_precision", *case))


NUMBERS = ["estimate", "standard_error", "lower", "upper"]
BETA = 70 / 440


def draw_sites(seed: int, known: int = 60) -> pd.DataFrame:
    """Draw 500 examples, 130 of them positive."""
    return binormal(130, 370, known / 130, seed, 1.5)[0].assign(site=np.resize(["a", "b"], 500))


@pytest.mark.parametrize(
    ("seed", "digits", "limit"), [(0, 1, 0.033), (1, 1, 0.217), (2, 6, 0.217), (0, 6, 0.83)]
)
def test_all_labeled_its_error_is_of_derivatives(seed: int, digits: int, limit: float) -> None:
    rng, truth = np.random.default_rng(seed), np.arange(60) < 25
    score = np.round(rng.normal(1.3 * truth), digits)
    pu = pd.DataFrame({"score": score, "label": truth}).pu(negative=False)
    row = pu.auroc(0, max_fpr=limit).iloc[0]
    assert row["estimate"] == pytest.approx(roc_auc_score(truth, score, max_fpr=limit))

    def area(of_known: Any, of_rest: Any) -> float:
        weight = np.concatenate([of_known, of_rest])
        return float(roc_auc_score(truth, score, max_fpr=limit, sample_weight=weight))

    pulls = population_oracle.pulls_on(area, [np.full(25, 1 / 25), np.full(35, 1 / 35)])
    error = math.sqrt(sum(float(np.var(pull, ddof=1)) / pull.size for pull in pulls))
    assert row["standard_error"] == pytest.approx(error, rel=1e-4)
    assert 0 <= row["lower"] < row["estimate"] < row["upper"] <= 1


@pytest.mark.parametrize("seed", [0, 1])
def test_nearly_the_whole_area_has_nearly_the_same_error(seed: int) -> None:
    pu = draw_sites(seed).pu
    whole, same = pu.auroc(BETA), pu.auroc(BETA, max_fpr=1)
    pd.testing.assert_frame_equal(same, whole)
    part = pu.auroc(BETA, max_fpr=1 - 1e-9).loc[0, NUMBERS[:2]].tolist()
    assert part == pytest.approx(whole.loc[0, NUMBERS[:2]].tolist(), rel=1e-6)
    new, these = (
        pu.auroc(BETA, max_fpr=0.2, target=target).iloc[0] for target in ("population", "examples")
    )
    assert new["estimate"] == pytest.approx(these["estimate"])
    assert new["standard_error"] > these["standard_error"]


@pytest.mark.parametrize("limit", [0.05, 0.115, 0.3])
def test_the_error_counts_ranks_below_the_limit_after_known_positives(limit: float) -> None:
    # Blocks of tied scores; where many known ones enter there are fewer false positives after.
    known, size = [0, 12, 3, 12, 2, 1, 0], [30, 14, 16, 13, 60, 90, 77]
    n, positives, negatives, fine = 30, 60, 240, 4000
    blocks = [[1.0] * k + [np.nan] * (s - k) for k, s in zip(known, size, strict=True)]
    score = np.repeat(np.arange(7, 0, -1), size)
    pu = pd.DataFrame({"score": score, "label": np.concatenate(blocks)}).pu
    row = pu.auroc(30 / 270, max_fpr=limit, target="examples").iloc[0]
    rank = np.concatenate([[0], np.cumsum(size)])
    false = rank - positives * np.concatenate([[0], np.cumsum(known)]) / n
    place = np.linspace(0, 300, 300 * fine + 1)
    below = np.interp(place, rank, false) < limit * negatives
    later = below[::-1].cumsum()[::-1] / fine
    means = [later[a * fine : b * fine].mean() for a, b in pairwise(rank)]
    scale = negatives * (2 * limit - limit**2)
    spread = np.std(np.repeat(means, known), ddof=1)
    error = spread / math.sqrt(n) * math.sqrt(1 - n / positives) / scale
    assert row["standard_error"] == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize("sign", [1, -1])
def test_where_nothing_scatters_there_is_an_interval(sign: int) -> None:
    truth = np.arange(60) < 20
    frame = pd.DataFrame({"score": sign * truth.astype(float), "label": truth})
    row = frame.pu(negative=False).auroc(0, max_fpr=0.3).iloc[0]
    assert 0 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1
    assert row["lower"] < row["upper"]

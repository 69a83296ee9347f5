"""Average precision and its limits, against a slow oracle and draws."""

import math
from fractions import Fraction

import numpy as np
import pytest

from pu_accessor.inference.estimates.latent_gaps import harmonic
from tests.cases import Case, framed
from tests.methods.test_auroc import COLUMNS, NEAR, ask, draw, limits, nowhere, within
from tests.support.oracles import completion_oracle, gaps_oracle, selection_oracle
from tests.support.oracles import estimates_oracle as oracle


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

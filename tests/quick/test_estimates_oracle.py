"""Checks of the slow reference of areas: by hand, unbiased, and against scikit-learn."""

from fractions import Fraction

import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.cases import Labels
from tests.methods.test_auroc import SMALL, hidden, labeled
from tests.support.oracles import comparison_oracle
from tests.support.oracles import estimates_oracle as oracle


@pytest.mark.parametrize(("scores", "truth", "known_negatives"), SMALL)
def test_oracle_is_unbiased(
    scores: list[float], truth: list[int], known_negatives: list[int]
) -> None:
    labels = [yes == 1 for yes in truth]
    for n in range(1, sum(truth) + 1):
        beta = hidden(truth, n, known_negatives)
        ways = oracle.all_labels(labels, n, known_negatives)
        areas = [oracle.auroc(scores, way, beta) for way in ways]
        value = comparison_oracle.mean([one.value for one in areas])
        assert value == comparison_oracle.won_pairs(scores, labels)
        if n == 1:
            continue
        precise = [oracle.average_precision(scores, way, beta) for way in ways]
        average = comparison_oracle.mean([one.value for one in precise])
        assert average == oracle.true_average_precision(scores, labels)
        # The squared standard error of AUROC is unbiased, too: the mean of a simple random sample.
        spread = comparison_oracle.mean([(one.value - value) ** 2 for one in areas])
        assert comparison_oracle.mean([one.squared or Fraction(0) for one in areas]) == spread


@pytest.mark.parametrize("seed", range(8))
def test_oracle_agrees_with_scikit_learn_when_all_is_labeled(seed: int) -> None:
    score, label = labeled(seed)
    area = oracle.auroc(score, list(label), 0)
    assert area.squared == 0
    assert float(area.value) == pytest.approx(roc_auc_score(label, score))
    for limit in (0.05, 0.3, 0.5, 0.77, 1.0):
        part = oracle.partial_auroc(score, list(label), 0, limit).value
        assert float(part) == pytest.approx(roc_auc_score(label, score, max_fpr=limit))
    average = oracle.average_precision(score, list(label), 0).value
    assert float(average) == pytest.approx(average_precision_score(label, score))
    assert average == oracle.true_average_precision(score, label)


def test_oracle_by_hand() -> None:
    # Ten examples, the known positives at ranks 1, 3 and 6; P = 3 + .3 * 5 = 4.5, M = 5.5.
    label: Labels = [True, None, True, None, False, True, None, None, False, None]
    score = list(map(float, range(10, 0, -1)))
    area = oracle.auroc(score, label, 0.3)
    assert area.value == 1 - (Fraction(10, 3) - Fraction(11, 4)) / Fraction(11, 2)
    assert area.squared == Fraction(19, 3) / 3 * Fraction(1, 3) / Fraction(11, 2) ** 2
    # False positives r - 4.5 F at r = 0..6: 0, -.5, .5, 0, 1, 2, 1.5; then 2.5, ... 5.5. Half of
    # the 5.5 is reached for good at r = 7.25. Trapezoids (F0 + F1)/2 * dFP of the curve:
    steps = [(0, 1, -1), (1, 1, 2), (1, 2, -1), (2, 2, 4), (2, 3, -1), (3, 3, 2), (3, 3, 0.5)]
    whole = sum(Fraction(a + b, 6) * Fraction(d) / 2 for a, b, d in steps) / Fraction(11, 2)
    part = oracle.partial_auroc(score, label, 0.3, 0.5)
    assert part.value == (1 + (whole - Fraction(1, 8)) / Fraction(3, 8)) / 2
    assert part.squared == area.squared * Fraction(16, 9)  # all known positives lie above
    # k = 1, 2, 3 and r = 1, 3, 6 give precisions 1, (1 + 1.75)/3, (1 + 3.5)/6.
    average = oracle.average_precision(score, label, 0.3)
    assert average.value == (1 + Fraction(11, 12) + Fraction(3, 4)) / 3
    # Left out in turn: k = (1, 2), (1, 2), (1, 2) at r = (3, 6), (1, 6), (1, 3); 1 + 3.5 (k - 1)
    left = [
        Fraction(1, 2) * (Fraction(first) + Fraction(9, 2) / last)
        for first, last in ((Fraction(1, 3), 6), (1, 6), (1, 3))
    ]
    middle = sum(left) / 3
    spread = sum((one - middle) ** 2 for one in left) * Fraction(2, 3) * Fraction(1, 3)
    assert average.squared == spread

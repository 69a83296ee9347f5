"""Checks of the slow reference of areas: by hand, unbiased, and against scikit-learn."""

from fractions import Fraction

import pytest

from tests.methods.test_auroc import SMALL, hidden
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

"""The slow reference itself, against hand arithmetic."""

from tests.support.oracles import completion_oracle, oracle


def test_bootstrap_band_by_hand() -> None:
    # n = 2, m = 4, quantiles 1/4 and 3/4. k = 1: Binomial(2, 1/2) has the CDF 1/4, 3/4, 1, so
    # the quantiles are 0 (1/4 >= 1/4) and 1 (3/4 >= 3/4): T = 0 and 1/2, heads 0 and 2.
    # k = 0 and k = 2 are degenerate: T = 0 and T = 1.
    assert oracle.bootstrap_band(2, 4, 0.5) == ([0, 0, 4], [0, 2, 4])
    # Quantiles .05 and .95 move k = 1 to j = 0 and j = 2.
    assert oracle.bootstrap_band(2, 4, 0.9) == ([0, 0, 4], [0, 4, 4])


def test_the_exact_band_is_that_of_all_arrangements() -> None:
    for one in ((1, 5, 0.8), (3, 4, 0.5), (5, 4, 0.95)):
        assert oracle.exact_band(*one) == oracle.exact_band_by_enumeration(*one)


def test_tables_by_hand() -> None:
    # n = 2, one known negative, |U| = 3, and beta = .4 gives m = floor(.4 * 3 + .5) = 1. The band
    # at level .5 is lower 0 0 0, upper 1 1 1. One of the three unlabeled is in P*, so that with
    # h = 0 above the cutoff the head is 0, with h = 2 it is 0 or 1, with h = 3 it is 1. By the
    # estimate all of it is above the last known positive, where there is room.
    #
    # rank  k q h  heads  lower  estimate  upper
    #  0    0 0 0  0      0      0         1 -> 0
    #  1    1 0 0  0      0      0         1 -> 0
    #  3    1 0 2  0 1    0      1         1
    #  4    1 1 2  0 1    0      1         1
    #  5    2 1 2  0 1    0      1         1
    #  6    2 1 3  1      0 -> 1 1         1
    #
    # and tp = k + TP_U, fp = q + h - TP_U, fn = (2 - k) + (1 - TP_U),
    # tn = (1 - q) + (3 - h) - (1 - TP_U).
    scores, labels = [9.0, 8.0, 8.0, 7.0, 6.0, 5.0], [True, None, None, False, True, None]
    bounds = oracle.tables(scores, labels, 0.4, 0.5, oracle.exact_band)
    found = completion_oracle.with_estimate(scores, labels, 1, bounds)
    best = [(0, 0, 0, 3, 3), (1, 1, 0, 2, 3), (3, 2, 1, 1, 2), (4, 2, 2, 1, 1), (5, 3, 2, 0, 1)]
    least = [*best[:2], (3, 1, 2, 2, 1), (4, 1, 3, 2, 0), (5, 2, 3, 1, 0)]
    cuts = {"lower": {6}, "estimate": {}, "upper": {0, 1}}
    for bound, wanted in (("lower", least), ("estimate", best), ("upper", best)):
        counts = [*wanted, (6, 3, 3, 0, 0)]
        assert found[bound] == [
            oracle.Table(*row, clipped=row[0] in cuts[bound]) for row in counts
        ]

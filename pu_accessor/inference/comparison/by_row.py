"""Models of the same rows: any quantity on new examples, by what each row adds to its error."""

import numpy as np

from pu_accessor.inference.comparison.paired import PairedTests
from pu_accessor.inference.comparison.pairwise import compare_by_t, find_pairs
from pu_accessor.inference.comparison.scatter import covary, rows_of, scatter
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.known_positives import count_negatives
from pu_accessor.inference.estimates.linearized import linearize
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, PairedRanks


def compare_rows(
    paired: PairedRanks,
    betas: FloatArray | None,
    level: float,
    metric: Metric,
    cutoff: Cutoff | None,
) -> PairedTests:
    """Compare any quantity of models that ranked the same rows, on new examples.

    Without betas it is AUROC, and the test alone counts: no beta changes it.

    Notes
    -----
    A quantity is off by the sum of what its rows contribute, those of the known positives and
    those of the rest. So is a difference of two models, by what a row contributes to the one less
    what it contributes to the other ([1]_ for AUROC). Its variance is the sum of both samples', a
    metric's by its derivatives in the shares of both samples above the cutoff. At a rank, or a
    share of the rows, as many are above in each sample, so that known positives alone count; the
    error of the score where that is has no term, which in simulations makes intervals rather too
    wide. Of clustered rows the variance is that of the sums by cluster, but never less. Student's
    t has Welch's degrees of freedom, of variances with the kurtosis of their terms, and with
    clusters at most one less than clusters hold a known positive.

    The test is of statistics that need not lie in [0, 1], and the interval is around these. The
    difference is that of the estimates, of one completed ranking each, and the interval reaches
    to it.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.
    """
    rows, has_size = rows_of(paired), betas is not None
    betas = np.zeros(1) if betas is None else betas
    check_labels(betas, paired.total)
    count_negatives(paired.total, betas)
    models = [linearize(ranking, betas, metric, cutoff) for ranking in rows.rankings()]
    first, second = find_pairs(len(models))
    influences = [model.influences() for model in models]
    completed = [model.estimate() for model in models]
    shape = first.size, betas.size
    difference, estimate, error, df = (np.empty(shape) for _ in range(4))
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        difference[pair] = models[a].value - models[b].value
        estimate[pair] = completed[a] - completed[b]
        for column, terms in enumerate(influences[a] - influences[b]):
            variance, df[pair, column] = scatter(terms, rows)
            error[pair, column] = variance**0.5
    tests = compare_by_t((first, second), difference, error, df, level)
    lower, upper = (np.clip(end, -metric.span, metric.span) for end in (tests.lower, tests.upper))
    named = {"difference": estimate}
    named |= {"lower": np.minimum(lower, estimate), "upper": np.maximum(upper, estimate)}
    by_beta = np.stack(influences, axis=1)  # shape (betas, models, rows)
    return PairedTests(
        **vars(tests) | named,
        sign=np.sign(np.nan_to_num(difference)).astype(np.int64),
        n=paired.total.known_positive,
        has_size=has_size,
        covariance=np.stack([covary(terms, rows) for terms in by_beta]),
    )

"""Models of the same rows: any quantity on new examples, by what each row adds to its error."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.comparison.paired import PairedTests
from pu_accessor.inference.comparison.pairwise import compare_by_t, find_pairs
from pu_accessor.inference.comparison.scatter import covary, rows_of, scatter
from pu_accessor.inference.estimates.areas_on_new_examples import precision_values
from pu_accessor.inference.estimates.binomial import of_shares
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.known_positives import count_negatives, count_positives
from pu_accessor.inference.estimates.metric_at import fixed_head
from pu_accessor.inference.influence import Influence, precision_influences, sum_by_cluster
from pu_accessor.inference.quantities import Quantity
from pu_accessor.inference.tables.contingency import check_labels, completed_table
from pu_accessor.inference.tables.curves import completed_area
from pu_accessor.inference.tables.metrics import evaluate
from pu_accessor.ranking import FloatArray, PairedRanks, Ranking

_STEP = 1e-6  # of a share, to see how a metric changes with it


class Model(NamedTuple):
    """A quantity of one model at some betas, and what each row adds to its error."""

    value: FloatArray  # that errors are around
    estimate: FloatArray  # of the completed ranking
    rows: FloatArray  # what each row adds to some means, shape (means, rows)
    slope: FloatArray  # of the quantity in each of these, shape (means, betas)

    def influences(self) -> FloatArray:
        """Return what each row adds to the error at each beta, shape (betas, rows)."""
        influences: FloatArray = self.slope.T @ self.rows
        return influences


def compare_rows(
    paired: PairedRanks, betas: FloatArray, level: float, quantity: Quantity, cutoff: Cutoff | None
) -> PairedTests:
    """Compare any quantity of models that ranked the same rows, on new examples.

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
    rows = rows_of(paired)
    check_labels(betas, paired.total)
    count_negatives(paired.total, betas)
    models = [_model(ranking, betas, quantity, cutoff) for ranking in rows.rankings()]
    first, second = find_pairs(len(models))
    influences = [model.influences() for model in models]
    shape = first.size, betas.size
    difference, estimate, error, df = (np.empty(shape) for _ in range(4))
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        difference[pair] = models[a].value - models[b].value
        estimate[pair] = models[a].estimate - models[b].estimate
        for column, terms in enumerate(influences[a] - influences[b]):
            variance, df[pair, column] = scatter(terms, rows)
            error[pair, column] = variance**0.5
    tests = compare_by_t((first, second), difference, error, df, level)
    lower, upper = (
        np.clip(end, -quantity.span, quantity.span) for end in (tests.lower, tests.upper)
    )
    named = {"difference": estimate}
    named |= {"lower": np.minimum(lower, estimate), "upper": np.maximum(upper, estimate)}
    by_beta = np.stack(influences, axis=1)  # shape (betas, models, rows)
    return PairedTests(
        **vars(tests) | named,
        sign=np.sign(np.nan_to_num(difference)).astype(np.int64),
        n=paired.total.known_positive,
        has_size=True,
        covariance=np.stack([covary(terms, rows) for terms in by_beta]),
    )


def _model(
    ranking: Ranking, betas: FloatArray, quantity: Quantity, cutoff: Cutoff | None
) -> Model:
    """Return a quantity of one model, with what its rows contribute."""
    if cutoff is not None:
        return _metric(ranking, betas, quantity, cutoff)
    positives = count_positives(ranking.total, betas).as_floats()
    return Model(
        precision_values(ranking, betas),
        completed_area("pr", ranking, betas, on_new=True),
        sum_by_cluster(precision_influences(ranking)).sum(axis=0, keepdims=True),
        positives[np.newaxis],
    )


def _metric(ranking: Ranking, betas: FloatArray, quantity: Quantity, cutoff: Cutoff) -> Model:
    """Return a metric at a cutoff, with what rows add to both shares above it."""
    ends, part = fixed_head(ranking, quantity.at_whole(cutoff, sum(ranking.total)))
    n, size = ranking.total.known_positive, sum(ranking.total)
    sizes = np.array([n, size - n])
    known = float(part @ ends.known_positive)
    above = np.array([known, float(part @ ends.head) - known]) / sizes
    hidden = betas * ranking.total.unlabeled / sizes[1]
    whole = (n + hidden * sizes[1]) / size
    value = of_shares(quantity.metric, whole, hidden, size, cut=False)
    shares = np.repeat(above[:, np.newaxis], betas.size, axis=1)
    steps = np.eye(2)[..., np.newaxis] * _STEP
    of_known, of_rest = (
        np.nan_to_num(value(*(shares + step)) - value(*(shares - step))) / (2 * _STEP)
        for step in steps
    )
    if cutoff.kind != "threshold":  # as many rows are above whatever the sample
        of_known, of_rest = of_known - of_rest * sizes[0] / sizes[1], 0 * of_rest
    _, table = completed_table(ends, betas, on_new=True)
    mixed = (np.tensordot(part, count, 1) for count in table)
    estimate = evaluate(quantity.metric, *mixed).astype(np.float64)
    return Model(value(*shares), estimate, _rows_above(ends, part), np.stack([of_known, of_rest]))


def _rows_above(ends: Ranking, part: FloatArray) -> FloatArray:
    """Return what each row adds to the shares of known positives, and of the rest, in a head."""
    sizes = ends.total.known_positive, sum(ends.total) - ends.total.known_positive
    inside = np.append(np.cumsum(part[::-1])[::-1], 0.0)  # the second part is of a block of ties
    counted = ends.known_positive, ends.head - ends.known_positive
    known, rest = (
        (inside - part @ count / size) / size for count, size in zip(counted, sizes, strict=True)
    )
    steps = replace(ends, threshold=np.concatenate([[np.inf], ends.threshold, [np.nan]]))
    return sum_by_cluster([Influence(steps, known, rest)])

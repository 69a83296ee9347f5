"""A part of the area under the ROC curve on new examples, up to a false positive rate."""

import numpy as np

from pu_accessor.errors import PUValueError
from pu_accessor.inference.estimates.binomial import check_negatives, wilson
from pu_accessor.inference.estimates.intervals import Estimates, at_completed, rank_interval, reach
from pu_accessor.inference.influence import (
    Influence,
    check_new,
    find_design,
    find_spread,
    rest_share,
)
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import completed_table
from pu_accessor.inference.tables.curves import completed_area
from pu_accessor.ranking import FloatArray, Ranking


def estimate_population_partial(
    ranking: Ranking, betas: FloatArray, rule: Settings, max_fpr: float
) -> Estimates:
    """Estimate the standardised area up to a false positive rate on new examples.

    Notes
    -----
    With F and G the shares of known positives and of the rest above a score, b the share of
    positives among the rest, and f = (G - b*F)/(1 - b), the area up to f0 is that of F over f. As
    F and G change by dF and dG, it changes by the integral of dF over G less that of dG over F,
    over 1 - b, both from the top to where f is f0: what moves the threshold cancels. So what an
    example adds are placements that stop there: for a known positive the rest between it and that
    threshold, for one of the rest the known positives between ([1]_, here with b). The threshold
    is that of the completed labeling. Limits are Student's t on the logit scale of the area over
    f0. Where nothing scatters they are those of a curve that rises to Wilson's lowest true
    positive rate at his highest false positive rate.

    References
    ----------
    .. [1] L. E. Dodd, M. S. Pepe, *Partial AUC estimation and regression*, Biometrics 59 (2003)
       614-623.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_population_partial(ranking, np.array([0.25]), Settings(), 0.5)
    >>> [float(part[0].round(3)) for part in (*found.parts, found.error)]
    [0.73, 0.352, 0.991, 0.283]
    """
    if ranking.strata:
        raise PUValueError(
            f"max_fpr must be left out with pool=True on new examples, but {max_fpr!r} was "
            "passed. Pass target='examples', or ask each group: df.pu(by='fold')."
        )
    check_new(ranking, betas, "auroc")
    check_negatives(ranking.total, betas, "auroc")
    value = completed_area("roc", ranking, betas, max_fpr, on_new=True)
    finer, table = completed_table(ranking, betas, on_new=True)
    shares = rest_share(ranking.total, betas).tolist()
    limits = [
        _limits(stop_at(finer, fp / fp[-1], max_fpr), area, share, max_fpr, rule.level)
        for fp, area, share in zip(table.fp.T, value.tolist(), shares, strict=True)
    ]
    statistic = Estimates(value, *np.transpose(limits))
    return at_completed(ranking, betas, rule.level, statistic, value)


def stop_at(ranking: Ranking, fpr: FloatArray, max_fpr: float) -> Influence:
    """Return what examples add to the area, times 1 - b, up to a false positive rate."""
    known, others = ranking.known_positive, ranking.rank - ranking.known_positive
    n, rest = int(known[-1]), max(int(others[-1]), 1)
    width = np.diff(fpr)
    part = np.where(width > 0, (max_fpr - fpr[:-1]) / np.where(width > 0, width, 1), np.inf)
    part = np.clip(np.where(fpr[:-1] < max_fpr, part, 0), 0, 1)
    values = []
    for size, count in ((rest, others), (n, known)):
        step = np.diff(count) * part / size
        through = np.append(0.0, np.cumsum(step))
        values.append(part * (through[-1] - (through[:-1] + through[1:]) / 2))
    found, free = np.diff(known), np.diff(others)
    first, second = values[0] - found @ values[0] / n, values[1] - free @ values[1] / rest
    return Influence(ranking, first / n, -second / rest)


def _limits(
    influence: Influence, value: float, share: float, max_fpr: float, level: float
) -> tuple[float, float, float]:
    """Return the standard error of a standardised area, and its limits."""
    spread = find_spread([influence])
    design = find_design(influence.ranking.clusters, lambda: [influence])
    chance = max_fpr**2 / 2
    scale = 2 * (max_fpr - chance)
    error = float(np.sqrt(design.effect * spread.squares.sum())) / (1 - share) / scale
    place = ((2 * value - 1) * (max_fpr - chance) + chance) / max_fpr
    if error == 0:
        total = influence.ranking.total
        n, rest = total.known_positive, sum(total) - total.known_positive
        true = float(wilson(np.array([float(n)]), n, level, design)[0][0])
        false = float(wilson(np.array([0.0]), rest, level, design)[1][0])
        area = true * max(max_fpr - false / (1 - share), 0.0)
        return error, (1 + (area - chance) / (max_fpr - chance)) / 2, 1.0
    one = np.array([1.0])
    away = reach(error * one, min(spread.df, design.df), level)
    lower, upper = rank_interval(value * one, place, max_fpr / scale * one, away, away)
    return error, float(lower[0]), float(upper[0])

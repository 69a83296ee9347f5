"""A metric at the one cutoff that a person reports, with limits that hold jointly with beta's."""

from dataclasses import replace

import numpy as np

from pu_accessor.inference.estimates.at import Cutoff
from pu_accessor.inference.estimates.binomial import metric_on_new
from pu_accessor.inference.estimates.cutoff import AtCutoff, evaluate_at, find_cutoff, rule_at
from pu_accessor.inference.estimates.joint import BetaRange, join_limits, ranking_level
from pu_accessor.inference.rule import Rule
from pu_accessor.inference.shares import latent_counts
from pu_accessor.inference.tables.contingency import Table, check_labels
from pu_accessor.inference.tables.heads import find_heads, references_used
from pu_accessor.inference.tables.rates import Metric, evaluate
from pu_accessor.ranking import FloatArray, Ranking

__all__ = ["join_metric_at", "join_metric_on_new"]

_LOWER, _ESTIMATE, _UPPER = range(3)  # bounds
_OFF = np.sin(np.linspace(0, np.pi / 2, 5))[1:]  # how far beta is off, of how far it can be


def join_metric_at(
    ranking: Ranking, beta: BetaRange, name: str | Metric, at: Cutoff, rule: Rule, joint: str
) -> AtCutoff:
    """Evaluate a metric of these examples at one cutoff, whatever beta is within its interval.

    Parameters
    ----------
    ranking, name, at, rule
        As in `pu_accessor.inference.estimates.cutoff.metric_at`; the level of the rule is that of
        the answer.
    beta : BetaRange
        The estimate of beta; it says which cutoff it is, where that takes a beta.
    joint : {"approximate", "guaranteed"}
        As in `pu_accessor.inference.estimates.joint.join_limits`.

    Returns
    -------
    AtCutoff
        At the estimate of beta.

    Notes
    -----
    Where beta is off by a share t of the distance to its limit, the band counts sqrt(1 - t**2) of
    its distance from the central number of latent positives in the head. Where that is cut to what
    the unlabeled examples there allow, errors no longer add by squares: a metric then depends on
    the nearer of two ends. Such a bound counts as a whole at all betas.
    """
    check_labels(np.array([beta.upper]), ranking.total, references_used(rule.reference, ranking))
    rule = rule_at(ranking, at, rule)
    here = find_cutoff(ranking, beta.beta, name, at, rule)
    if joint == "guaranteed":
        inner = replace(rule, level=ranking_level(rule.level, beta.level))
        found = evaluate_at(here, beta.betas(rule.level, joint), name, inner)
        return _put(found, *join_limits(found.estimate, found.lower, found.upper, beta, joint))
    betas, share = _walk(beta, rule.level)
    point = evaluate_at(here, betas[:1], name, rule)
    values = evaluate(name, *_tables(here, betas, share, rule)).astype(np.float64)
    ends = np.append(values.ravel(), [point.lower, point.upper])
    return _put(point, np.fmin.reduce(ends, keepdims=True), np.fmax.reduce(ends, keepdims=True))


def join_metric_on_new(
    ranking: Ranking, beta: BetaRange, name: str | Metric, threshold: float, rule: Rule, joint: str
) -> AtCutoff:
    """Evaluate a metric of new examples at a threshold, whatever beta is within its interval.

    Parameters
    ----------
    ranking, name, threshold, rule
        As in `pu_accessor.inference.estimates.binomial.metric_on_new`.
    beta, joint
        As in `join_metric_at`.

    Returns
    -------
    AtCutoff
        At the estimate of beta.
    """
    level = ranking_level(rule.level, beta.level) if joint == "guaranteed" else rule.level
    inner, betas = replace(rule, level=level), beta.betas(rule.level, joint)
    found = metric_on_new(ranking, betas, name, threshold, inner)
    return _put(found, *join_limits(found.estimate, found.lower, found.upper, beta, joint))


def _walk(beta: BetaRange, level: float) -> tuple[FloatArray, FloatArray]:
    """Return betas from the estimate to its limits, and what each leaves of the band."""
    point, lower, upper, *between = beta.betas(level, "approximate").tolist()
    left = np.sqrt(1 - _OFF**2)
    up = point + _OFF * (upper - point)
    if beta.limits == "both":
        return (every := beta.betas(level, "approximate")), np.ones(every.size)
    if beta.limits == "upper":
        free = [point, lower, *between]
        return np.concatenate([free, up]), np.concatenate([np.ones(len(free)), left])
    down = point - _OFF * (point - lower)
    return np.concatenate([[point], down, up]), np.concatenate([[1.0], left, left])


def _tables(here: Ranking, betas: FloatArray, share: FloatArray, rule: Rule) -> Table:
    """Return the tables of both bounds, each with a share of its distance from the estimate."""
    unlabeled, head = here.total.unlabeled, int(here.unlabeled[0])
    latent = latent_counts(betas, unlabeled)
    claimed = find_heads(here, latent, rule, refine=False).claimed[0]
    least, most = np.maximum(latent - (unlabeled - head), 0), np.minimum(latent, head)
    middle, low, high = (claimed[bound] for bound in (_ESTIMATE, _LOWER, _UPPER))
    one = np.ones(share.size)
    below, above = one if (low < least).any() else share, one if (high > most).any() else share
    ends = np.stack(
        [np.floor(middle - below * (middle - low)), np.ceil(middle + above * (high - middle))]
    )
    ends = np.clip(ends.astype(np.int64), least, most)
    tp = int(here.known_positive[0]) + ends
    fp = int(here.known_negative[0]) + head - ends
    positives = here.total.known_positive + latent
    return Table(tp, fp, positives - tp, sum(here.total) - positives - fp)


def _put(found: AtCutoff, lower: FloatArray, upper: FloatArray) -> AtCutoff:
    """Return what was found at the first beta, with other limits."""
    first = slice(1)
    return replace(
        found,
        rank=found.rank[first],
        threshold=found.threshold[first],
        estimate=found.estimate[first],
        lower=lower,
        upper=upper,
    )

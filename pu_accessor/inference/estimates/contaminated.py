"""Numbers where some known positives may be wrong: what they are at the worst."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pu_accessor.errors import PUValueError
from pu_accessor.inference.contamination import check_right, count_wrong, relabel, sets_to_try
from pu_accessor.inference.estimates.cutoff_spec import FIXED, Cutoff
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.metric_at import AtCutoff, fixed_head
from pu_accessor.inference.search import may_be_lowest
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import Ranking

_MANY, _FEW = 3000, 100  # cutoffs
_ENDS, _ENVELOPE = ("lower", "upper"), ("envelope_lower", "envelope_upper")


def estimate_contaminated(
    ranking: Ranking, rule: Settings, ask: Callable[[Ranking, Settings], Estimates]
) -> Estimates:
    """Estimate an area where a share of the known positives may be wrong.

    Notes
    -----
    At most w = floor(contamination * n) of n known positives are negative [1]_. AUROC is lowest
    where the best-ranked ones are, and highest where the worst-ranked are. If it is known which
    ones are wrong, there is an interval; the limits are the lowest and the highest of those where
    none is, or up to w that follow each other among the known ones: at the top, at the bottom, and
    at places between, where the others scatter more.

    References
    ----------
    .. [1] J. L. Horowitz, C. F. Manski, *Identification and robustness with contaminated and
       corrupted data*, Econometrica 63 (1995) 281-302.
    """
    check_right(ranking, rule.contamination)
    plain = replace(rule, contamination=0.0)
    base, n = ask(ranking, plain), ranking.total.known_positive
    most = count_wrong(n, rule.contamination)
    wrong = sets_to_try(n, most)
    if ranking.rank.size > _MANY:
        few = _few_cutoffs(ranking)
        wrong = _worst([ask(relabel(few, *each), plain) for each in wrong], wrong)
    found = [base, *(ask(relabel(ranking, *each), plain) for each in wrong)]
    values = np.stack([each.value for each in found])
    lower, upper = (np.stack([getattr(each, name) for each in found]) for name in _ENDS)
    reach = values.min(axis=0), values.max(axis=0)
    if n - most < 2:  # one alone has no interval
        ends = lower.min(axis=0), upper.max(axis=0)
    else:
        ends = np.fmin.reduce(lower), np.fmax.reduce(upper)
    # Of some there may be a value alone, as where nothing else is negative.
    low, high = np.minimum(ends[0], reach[0]), np.maximum(ends[1], reach[1])
    return replace(base, lower=low, upper=high, reach=reach)


def _few_cutoffs(ranking: Ranking) -> Ranking:
    """Return the ranking with a few of its cutoffs as if there were no others: the rest are ties.

    There are all at both ends, where each wrong one can matter.
    """
    last, ends = ranking.rank.size - 1, np.arange(_FEW)
    between = np.linspace(0, last, 4 * _FEW).astype(np.int64)
    few = ranking.take(np.unique(np.concatenate([ends, between, last - ends])))
    return replace(few, whole=None)


def _worst(found: Sequence[Estimates], wrong: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the sets of wrong ones that may have the lowest or the highest limit, or value."""
    if not wrong:
        return []
    value, lower, upper = np.stack([each.parts for each in found], axis=1)
    worst = may_be_lowest(value, value - lower) | may_be_lowest(-value, upper - value)
    return [wrong[at] for at in np.unique(np.nonzero(worst)[0]).tolist()]


def contaminated_metric(
    ranking: Ranking, at: Cutoff, rule: Settings, ask: Callable[[Ranking, Settings], AtCutoff]
) -> AtCutoff:
    """Evaluate a metric at one cutoff where a share of the known positives may be wrong.

    `ask` evaluates it where none is.

    Notes
    -----
    With k of n known positives in the head and w wrong ones, up to min(w, k) of them there, the
    fewest true positives are those of min(w, k) wrong ones in the head: n - w known positives,
    k - w of them in the head, through the band, and w false positives more. The most are those of
    min(w, n - k) wrong ones below the cutoff. As each further wrong one in the head takes a true
    positive away and adds a false one, no other number is worse. Where all known positives in the
    head are wrong, or all below, the others are on the other side, or are right: both are tried.
    """
    check_right(ranking, rule.contamination)
    if at.kind not in FIXED:
        raise PUValueError(
            f"at must be one of {[*FIXED]} with contamination={rule.contamination:g}, but "
            f"{at.kind!r} was passed: a cutoff that is chosen by the labels is another one where "
            "some are wrong. Pass for example at=100."
        )
    plain = replace(rule, contamination=0.0)
    base, n = ask(ranking, plain), ranking.total.known_positive
    most = count_wrong(n, rule.contamination)
    above = fixed_head(ranking, at).ends.known_positive.tolist()
    numbers = {min(most, each) for k in above for each in (k, n - k)} | {most}
    found = [base] + [
        ask(relabel(ranking, wrong, first), plain)
        for wrong in sorted(numbers - {0})
        for first in (0, n - wrong)
    ]
    names = [*_ENDS] if base.envelope_lower is None else [*_ENDS, *_ENVELOPE]
    ends: dict[str, Any] = {
        name: extreme.reduce([getattr(each, name) for each in found])
        for name, extreme in zip(names, (np.fmin, np.fmax) * 2, strict=False)
    }
    clipped = np.asarray(np.logical_or.reduce([each.clipped for each in found]))
    return replace(base, **ends, clipped=clipped)

"""Models that ranked the same examples, where labels fail: their difference in AUROC at the worst.

Odds of being labeled differ by up to a factor, or known positives are wrong.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import latent_shares
from pu_accessor.inference.comparison.paired import PairedTests, compare_paired
from pu_accessor.inference.comparison.pairwise import adjust_p_values
from pu_accessor.inference.estimates.known_positives import count_positives
from pu_accessor.inference.settings import count_wrong
from pu_accessor.ranking import FloatArray, PairedRanks

_LARGEST_ODDS = 1e9  # a larger factor counts as unlimited
_MANY = 1e6  # latent positives for each known one, where nobody says how many there are


def compare_worst(
    paired: PairedRanks,
    betas: FloatArray | None,
    level: float,
    target: str,
    *,
    odds: float = 1.0,
    contamination: float = 0.0,
) -> PairedTests:
    """Compare the AUROC of models where labels fail as much as is assumed.

    Notes
    -----
    The difference is the mean of d = R_b - R_a over all positives, over the number of negatives.
    Of n known positives at most w = floor(contamination*n) are negative: it is lowest where those
    with the highest d are. A known positive stands for itself and for latent ones, in number as
    one over its odds: it is lowest where those with the lowest d count up to `odds` times those
    with the highest, split where that makes it lowest. Without betas the latent positives are
    taken to be many: then selection can do most.

    At either end, as if it were known, there is the interval of `compare_paired`, with weights.
    Limits and p values are the most extreme of both and of labels that do not fail. That these
    cover is no theorem; it was found by simulation.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> ranks = {"svm": np.array([1.0, 2.0, 4.0]), "forest": np.array([3.0, 3.0, 8.0])}
    >>> among = dict.fromkeys(ranks, np.array([1.0, 2.0, 3.0]))
    >>> of_rest = np.eye(2) / 50, np.full((2, 2, 2), 0.01), np.eye(2, dtype=bool)
    >>> paired = PairedRanks(("model",), ranks, among, Counts(3, 0, 10), *of_rest)
    >>> tests = compare_worst(paired, np.array([0.2]), 0.95, "population", odds=2.0)
    >>> tests.sign, tests.lower.round(2), tests.upper.round(2)
    (array([[1]]), array([[-0.56]]), array([[1.15]]))
    """
    if odds > 1 and betas is None and sum(paired.total) == paired.total.known_positive:
        raise PUDataError(
            "selection_odds must be left out where all examples are known positives: nothing is "
            "there to rank them against."
        )
    plain = compare_paired(paired, betas, level, target)
    pairs = zip(plain.first.tolist(), plain.second.tolist(), strict=True)
    two_models = [_of_two(paired, pair) for pair in pairs]
    each, fails = [None] if betas is None else [*betas[:, np.newaxis]], (odds, contamination)
    low, high = (
        [
            [
                compare_paired(_at_worst(both, beta, *fails, side), beta, level, target)
                for beta in each
            ]
            for both in two_models
        ]
        for side in (-1, 1)
    )

    def every(name: str) -> FloatArray:
        ends = [[[getattr(t, name)[0, 0] for t in row] for row in end] for end in (low, high)]
        own = np.broadcast_to(getattr(plain, name), np.shape(ends[0]))
        return np.stack([own, *np.array(ends)])

    signs, unlimited = every("sign"), odds > _LARGEST_ODDS and bool(paired.total.unlabeled)
    holds = (signs == signs[0]).all(axis=0) & (not unlimited)
    statistic, df, p_value = _largest(*map(every, ("statistic", "df", "p_value")))
    none = ~holds & ~np.isnan(p_value)
    p_value = np.where(none, 1.0, p_value)
    worst = replace(
        plain,
        sign=plain.sign * holds,
        statistic=np.where(none, 0.0, statistic),
        df=df,
        p_value=p_value,
        p_adjusted=adjust_p_values(p_value),
    )
    if not plain.has_size:
        return worst
    lower, upper = np.fmin.reduce(every("lower")), np.fmax.reduce(every("upper"))
    if unlimited:  # nothing is known of where latent positives are
        lower, upper = np.fmin(lower, -1.0), np.fmax(upper, 1.0)
    return replace(worst, lower=lower, upper=upper)


def _largest(*tests: FloatArray) -> Sequence[FloatArray]:
    """Return the statistic, df and p value of the test with the largest p value."""
    largest = np.argmax(np.nan_to_num(tests[2], nan=np.inf), axis=0)[np.newaxis]
    return [np.take_along_axis(each, largest, axis=0)[0] for each in tests]


def _of_two(paired: PairedRanks, models: tuple[int, int]) -> PairedRanks:
    """Return two of the models alone."""
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.ranks_among_known))
    both = np.ix_(models, models)
    return paired._replace(
        ranks={model: ranks[model] for model in models},
        ranks_among_known={model: among[model] for model in models},
        covariance=paired.covariance[both],
        moves=paired.moves[:, both[0], both[1]],
        equal=paired.equal[both],
        rows=paired.rows and paired.rows._replace(scores=paired.rows.scores[[*models]]),
    )


def _at_worst(
    both: PairedRanks, beta: FloatArray | None, odds: float, contamination: float, side: int
) -> PairedRanks:
    """Return two models with labels at which their difference is lowest (-1), or highest (1)."""
    wrong = count_wrong(both.total.known_positive, contamination)
    both = _turn_negative(both, wrong, side)
    n, (a, b) = both.total.known_positive, both.ranks.values()
    latent = _MANY * n if beta is None else float(count_positives(both.total, beta)[0]) - n
    if odds == 1 or not latent:
        return both
    value = side * (b - a)
    order, weight = np.argsort(-value, kind="stable"), np.empty(n)
    weight[order] = _split(value[order], min(odds, _LARGEST_ODDS))
    return both._replace(known_weight=1 + latent_shares(1 + weight, latent))


def _split(values: FloatArray, odds: float) -> FloatArray:
    """Return the weights, from 1 to `odds`, that make the mean of descending values largest."""
    n = values.size
    through, above = np.concatenate([[0.0], np.cumsum(values)]), np.arange(n + 1)
    mean = (odds * through + through[-1] - through) / (odds * above + n - above)
    return np.where(np.arange(n) < int(np.argmax(mean)), odds, 1.0)


def _turn_negative(both: PairedRanks, wrong: int, side: int) -> PairedRanks:
    """Return two models for which the known positives at one end are negative."""
    if not wrong:
        return both
    (a, b), total = both.ranks.values(), both.total
    right = np.sort(np.argsort(side * (b - a), kind="stable")[wrong:])
    ranks = {model: of_model[right] for model, of_model in both.ranks.items()}
    return both._replace(
        ranks=ranks,
        ranks_among_known={
            model: scipy.stats.rankdata(of_model) for model, of_model in ranks.items()
        },
        total=total._replace(
            known_positive=total.known_positive - wrong,
            known_negative=total.known_negative + wrong,
        ),
    )

"""What beta can be, by many rankings -> one tidy frame."""

from collections import Counter

import pandas as pd

from pu_accessor.checks import check_level, check_option
from pu_accessor.errors import warn_caller
from pu_accessor.inference.prior.methods import METHODS, Prior, estimate_prior
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.questions.request import Columns, Request, as_rows, map_rankings
from pu_accessor.ranking import Counts, Ranking


def estimate_beta(request: Request, method: str, level: float) -> pd.DataFrame:
    """Estimate the fraction of positives among the unlabeled, as far as the data allow."""
    level = check_level(level)
    check_option("method", method, METHODS)

    def question(ranking: Ranking, _: BetaRange, __: Settings) -> tuple[Prior, Counts]:
        return estimate_prior(ranking, method, level), ranking.total

    def columns(content: tuple[Prior, Counts], _: BetaRange) -> Columns:
        prior, total = content
        return {
            "beta": [prior.beta],
            "lower": prior.lower,
            "upper": prior.upper,
            "level": level,
            "method": method,
            "n": total.known_positive,
            "n_unlabeled": total.unlabeled,
        }

    results = map_rankings(request, request.rank("breakpoints"), question)
    priors = [result.content[0] for result in results.each]
    warnings = Counter(text for prior in priors for text in prior.warnings)
    for text, times in warnings.items():
        where = f" (in {times} of {len(priors)} groups)" if results.names else ""
        warn_caller(f"{text}{where}", page="beta#when-not-to-believe-it")
    estimates = as_rows(results, columns)
    estimates.attrs["assumptions"] = priors[0].assumptions  # the same for all
    return estimates

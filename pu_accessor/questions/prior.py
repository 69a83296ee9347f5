"""What beta can be, by many rankings -> one tidy frame; and conversions of beta."""

from collections import Counter
from typing import Literal, overload

import pandas as pd

from pu_accessor.checks import check_level, check_option
from pu_accessor.errors import warn_caller
from pu_accessor.inference.prior.labeling import beta_of_population, beta_of_rows
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


@overload
def beta_from_prevalence(
    prevalence: float,
    n_positive: int,
    n_unlabeled: int,
    n_negative: int = 0,
    *,
    of: Literal["rows"] = "rows",
    level: float = 0.95,
) -> float: ...
@overload
def beta_from_prevalence(
    prevalence: float,
    n_positive: int,
    n_unlabeled: int,
    n_negative: int = 0,
    *,
    of: Literal["population"],
    level: float = 0.95,
) -> pd.DataFrame: ...
def beta_from_prevalence(
    prevalence: float,
    n_positive: int,
    n_unlabeled: int,
    n_negative: int = 0,
    *,
    of: str = "rows",
    level: float = 0.95,
) -> float | pd.DataFrame:
    """Convert the share of positives among *all* examples to that among the unlabeled.

    Parameters
    ----------
    prevalence : float
        Positives among all examples, known ones included, as a share in [0, 1].
    n_positive, n_unlabeled, n_negative : int
        Known positives, unlabeled examples and known negatives.
    of : {"rows", "population"}, default "rows"
        What has that prevalence: "rows", these examples themselves; or "population", the one they
        were drawn from, all at random: how many of these are positive is then left to chance.
        Where known examples come from elsewhere, leave them out: pass 0.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).

    Returns
    -------
    float or DataFrame
        beta; of a population an estimate of it, as of `beta_from_labels`, with which intervals
        hold jointly: beta, lower, upper, level, method, n_unlabeled, and n, known positives.

    Raises
    ------
    PUValueError
        If that prevalence is impossible with these counts, or an argument is not allowed.
    PUTypeError
        If an argument is no number.

    See Also
    --------
    pu_accessor.beta_from_label_frequency : From the share of positives that are labeled.

    Notes
    -----
    With n known positives, N examples and U of them unlabeled it is (prevalence*N - n)/U. Of a
    population the limits are those with the quantiles of the binomial of N and the prevalence.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_prevalence(0.3, n_positive=100, n_unlabeled=900)
    0.2222222222222222
    >>> pu_accessor.beta_from_prevalence(0.3, 100, 900, of="population").round(3)
        beta  lower  upper  level      method  n_unlabeled    n
    0  0.222  0.191  0.254   0.95  prevalence          900  100
    """
    check_option("of", of, ["population", "rows"])
    if of == "rows":
        return beta_of_rows(prevalence, n_positive, n_unlabeled, n_negative)
    found = beta_of_population(prevalence, n_positive, n_unlabeled, n_negative, level)
    known = {"n": int(n_positive)} if n_positive else {}
    about = {"level": float(level), "method": "prevalence", "n_unlabeled": int(n_unlabeled)}
    return pd.DataFrame([{**found._asdict(), **about, **known}])

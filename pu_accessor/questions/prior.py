"""What beta can be, by many rankings -> one tidy frame; and conversions of beta."""

from collections import Counter
from typing import Any, Literal, overload

import numpy as np
import pandas as pd

from pu_accessor.checks import check_count, check_flag, check_level, check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief, warn_caller
from pu_accessor.inference.prior.labeling import (
    LabeledBeta,
    as_prior,
    beta_of_population,
    beta_of_rows,
    confidence_sequence,
    shares_of_rest,
)
from pu_accessor.inference.prior.labeling import beta_from_labels as infer_beta
from pu_accessor.inference.prior.methods import METHODS, Prior, estimate_prior
from pu_accessor.inference.prior.stratified import Stratum, sum_limits
from pu_accessor.inference.settings import Beta, Settings
from pu_accessor.questions.hand_labels import label_column, read_found, read_strata
from pu_accessor.questions.request import Columns, Request, as_rows, map_rankings
from pu_accessor.ranking import BoolArray, Counts, FloatArray, Ranking


def estimate_beta(request: Request, method: str, level: float) -> pd.DataFrame:
    """Estimate the fraction of positives among the unlabeled, as far as the data allow."""
    level = check_level(level)
    check_option("method", method, METHODS)

    def question(ranking: Ranking, _: Beta, __: Settings) -> tuple[Prior, Counts]:
        return estimate_prior(ranking, method, level), ranking.total

    def columns(content: tuple[Prior, Counts], _: Beta) -> Columns:
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


def beta_from_labels(
    found: "int | pd.Series[Any] | pd.DataFrame",
    n_labeled: int | None = None,
    n_unlabeled: int | None = None,
    *,
    method: str = "exact",
    level: float = 0.95,
    prior: tuple[float, float] = (1, 1),
    rest: bool = False,
    sequential: bool = False,
) -> pd.DataFrame:
    """Estimate beta from unlabeled examples that were drawn at random and labeled by hand.

    Parameters
    ----------
    found : int, or Series or DataFrame of shape (labeled,)
        Positives among those labeled; or what each of them is, in the order in which they were
        labeled: a Series of True or 1 and False or 0, or the frame of `sample_to_label` with its
        column of labels filled in.
    n_labeled : int, optional
        Unlabeled examples that were drawn at random, and labeled. Left out where `found` holds
        them.
    n_unlabeled : int, optional
        Unlabeled examples they were drawn from, themselves included. A frame of `sample_to_label`
        knows it.
    method : {"exact", "hpd"}, default "exact"
        "exact" inverts the hypergeometric test: it covers with a probability of at least `level`.
        "hpd" is the interval of highest density of the posterior Beta(a + x, b + s - x).
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    prior : (float, float), default (1, 1)
        For "hpd" a and b, both above 0: Beta(1, 1) is flat, Beta(0.5, 0.5) Jeffreys'. With
        `sequential` it says where intervals will be narrowest, and they hold whatever it is:
        (2, 8) if beta is expected to be about .2.
    rest : bool, default False
        Give the shares of the examples that were not labeled, for when the labels are put to use
        by `pu_accessor.add_labels`.
    sequential : bool, default False
        Give a row for each label, in order. All of these intervals hold at once with a probability
        of at least `level`, so that labeling may stop as soon as one is narrow enough.

    Returns
    -------
    DataFrame
        One row: beta, lower, upper, level, method, n_unlabeled. All of beta are shares of the
        latter; with `rest` that are the examples that were not labeled. With `sequential` a row
        for each label, with its index, and n_positive, n_labeled, so far: an interval is what all
        labels so far have in common, and never gets wider. It is NaN once nothing is left, which
        random rows do with a probability of at most 1 - level.

    Raises
    ------
    PUDataError
        If a row is labeled twice or not at all, or a stratum has no labels.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    See Also
    --------
    pu_accessor.labels_needed : How many labels it takes.
    pu_accessor.plot_beta_from_labels : The interval as labels come in.
    pu_accessor.rates_from_labels : Precision and recall from labels of strata.
    pu_accessor.add_labels : Puts them with the known ones.

    Notes
    -----
    With x positives among s labeled examples beta is x/s. The limits are the smallest and largest
    number of positives among all unlabeled examples at which x or more, and x or fewer, come up
    with a probability above half of 1 - level, by the hypergeometric distribution.

    With `sequential` a number m is ruled out as soon as Q(x)/P(x) exceeds 1/(1 - level), where P
    is that distribution's probability at m, and Q that under the prior: prior over posterior of m,
    which is a martingale for the true one [1]_.

    Of strata beta is the sum of N_h x_h/s_h, over all N. A sum is ruled out if the estimate, less
    standard errors of the strata, would be as far off with a small probability however the sum is
    made up of numbers that the limits of each stratum allow [2]_: the interval covers with a
    probability of at least `level`. The search for the likeliest way is given up after about a
    second. Then the interval is longer than necessary: the more strata, the longer.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, *Confidence sequences for sampling without replacement*,
       Advances in Neural Information Processing Systems 33 (2020).
    .. [2] R. L. Berger, D. D. Boos, *P values maximized over a confidence set for the nuisance
       parameter*, Journal of the American Statistical Association 89 (1994) 1012-1016.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_labels(12, 50, 2000)
       beta  lower  upper  level method  n_unlabeled
    0  0.24  0.132   0.38   0.95  exact         2000
    >>> pu_accessor.beta_from_labels(12, 50, 2000, method="hpd").round(3)
       beta  lower  upper  level method  n_unlabeled
    0  0.24  0.138  0.368   0.95    hpd         2000
    >>> labels = pd.Series([True, False] * 10 + [False] * 20)
    >>> steps = pu_accessor.beta_from_labels(labels, n_unlabeled=100, sequential=True)
    >>> steps.loc[[9, 19, 39], ["n_positive", "n_labeled", "beta", "lower", "upper"]]
        n_positive  n_labeled  beta  lower  upper
    9            5         10  0.50   0.17   0.85
    19          10         20  0.50   0.25   0.76
    39          10         40  0.25   0.25   0.43
    """
    check_flag("rest", rest)
    check_flag("sequential", sequential)
    check_option("method", method, ("exact", "hpd"))
    of_strata = isinstance(found, pd.DataFrame) and "stratum" in found.columns
    if method != "exact" and (sequential or of_strata):
        raise PUValueError(
            f"method must be 'exact' with sequential=True or rows of strata, but {method!r} was "
            "passed. Leave it out."
        )
    before = as_prior(prior, "hpd" if sequential else method)
    if isinstance(found, pd.DataFrame) and "stratum" in found.columns:
        _refuse("rows of strata", n_labeled=n_labeled, n_unlabeled=n_unlabeled)
        strata = [stratum.found for stratum in read_strata(found).values()]
        if len(strata) > 1:
            return _of_strata(strata, check_level(level), rest, sequential)
        found, n_unlabeled = found[label_column(found)], strata[0].total
    elif isinstance(found, pd.DataFrame):
        found, n_unlabeled = _of_draw(found, n_unlabeled)
    if isinstance(found, pd.Series):
        _refuse("a Series of labels", n_labeled=n_labeled)
        positive = read_found(found)
        total = _check_unlabeled(n_unlabeled, positive.size)
        if sequential:
            limits = confidence_sequence(positive, total, check_level(level), before)
            return _step_by_step(found.index, positive, limits, total, level, rest)
        found, n_labeled = int(positive.sum()), positive.size
    elif sequential:
        raise PUTypeError(
            f"found must be a Series of labels in their order with sequential=True, but "
            f"{brief(found)} was passed. For example pd.Series([True, False], index=rows)."
        )
    labeled, total = _check_passed(n_labeled, n_unlabeled)
    estimate = infer_beta(
        found, labeled, total, method=method, level=level, prior=prior, rest=rest
    )
    return pd.DataFrame([_about(estimate, level, method, total - rest * labeled)])


def _check_passed(n_labeled: int | None, n_unlabeled: int | None) -> tuple[int, int]:
    """Return both counts; raise if one is left out."""
    for name, count in (("n_labeled", n_labeled), ("n_unlabeled", n_unlabeled)):
        if count is None:
            raise PUTypeError(
                f"{name} must be passed: beta_from_labels(found, n_labeled, n_unlabeled) with "
                "counts, beta_from_labels(found, n_unlabeled=...) with a Series of labels."
            )
    return check_count("n_labeled", n_labeled), check_count("n_unlabeled", n_unlabeled)


def _of_draw(rows: pd.DataFrame, n_unlabeled: int | None) -> "tuple[pd.Series[Any], int]":
    """Return the labels of rows that were drawn of all, and of how many these are."""
    drawn, label = rows.attrs, label_column(rows)
    if "n_unlabeled" not in drawn or label not in rows.columns:
        raise PUValueError(
            "found must be a frame that sample_to_label drew of one group, but this one does not "
            "know from how many rows it is. Pass its labels: "
            "beta_from_labels(found['label'], n_unlabeled=...)."
        )
    return rows[label], drawn["n_unlabeled"] if n_unlabeled is None else n_unlabeled


def _of_strata(strata: list[Stratum], level: float, rest: bool, sequential: bool) -> pd.DataFrame:
    """Estimate beta of several strata together."""
    if sequential:
        raise PUValueError(
            "found must hold rows of one stratum with sequential=True, but has "
            f"{len(strata)} strata. Leave sequential out, or draw rows without strata."
        )
    positives, labeled, total = (sum(counts) for counts in zip(*strata, strict=True))
    expected = sum(stratum.expected for stratum in strata)
    shares = np.array([expected, *sum_limits(strata, level)]) / total
    if rest:
        shares = shares_of_rest(shares, positives, labeled, total)
    estimate = LabeledBeta(*shares.tolist())
    return pd.DataFrame([_about(estimate, level, "stratified", total - rest * labeled)])


def _step_by_step(
    rows: pd.Index, positive: BoolArray, limits: FloatArray, total: int, level: float, rest: bool
) -> pd.DataFrame:
    """Make a row of each label."""
    found = np.cumsum(positive, dtype=np.int64)
    size = np.arange(1, positive.size + 1)
    shares = np.array([np.clip(found / size, *limits / total), *limits / total])
    if rest:
        shares = shares_of_rest(shares, found, size, total)
    if np.isnan(shares[1, -1]):
        warn_caller(
            "The labels leave no beta: rows in random order do that with a probability of at most "
            f"{1 - level:.3g}. Look whether they were drawn at random, and kept their order."
        )
    columns = _about(LabeledBeta(*shares), level, "sequential", total - rest * size)
    return pd.DataFrame({"n_positive": found, "n_labeled": size, **columns}, index=rows)


def _about(estimate: LabeledBeta, level: float, method: str, n_unlabeled: Any) -> dict[str, Any]:
    """Return the columns of an estimate from labels."""
    about = {"level": float(level), "method": method, "n_unlabeled": n_unlabeled}
    return {**estimate._asdict(), **about}


def _refuse(what: str, **counts: int | None) -> None:
    """Raise if counts are passed that labels say themselves."""
    for name, count in counts.items():
        if count is not None:
            raise PUValueError(f"{name} must be left out with {what}, but {count!r} was passed.")


def _check_unlabeled(n_unlabeled: int | None, labeled: int) -> int:
    """Return the number of unlabeled rows; raise unless as many were labeled, and any."""
    if n_unlabeled is None:
        raise PUTypeError(
            "n_unlabeled must be passed with a Series of labels: the number of rows that these "
            "were drawn from, themselves included."
        )
    total = check_count("n_unlabeled", n_unlabeled)
    if not 0 < labeled <= total:
        raise PUValueError(
            f"n_unlabeled must be the number of rows that {labeled} labeled ones were drawn from, "
            f"themselves included, and one must be labeled, but {n_unlabeled!r} was passed."
        )
    return total


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

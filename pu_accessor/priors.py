"""Beta from labels made by hand, from a prevalence, or from a label frequency."""

from typing import Any, Literal, overload

import numpy as np
import pandas as pd
import scipy

from pu_accessor import checks
from pu_accessor.errors import PUTypeError, PUValueError, brief, warn_caller
from pu_accessor.inference.hand_labels import Stratum, confidence_sequence, stratified_limits
from pu_accessor.questions.hand_labels import found_labels, read_found, read_strata
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.ranking import Counts, FloatArray, IntArray


@checks.with_example("pu_accessor.beta_from_labels(12, 50, n_unlabeled=1798)")
def beta_from_labels(
    found: "int | pd.Series[Any] | pd.DataFrame",
    n_labeled: int | None = None,
    n_unlabeled: int | None = None,
    *,
    level: float = 0.95,
    rest: bool = False,
    sequential: bool = False,
) -> pd.DataFrame:
    """Estimate beta from unlabeled examples that were sampled at random and labeled by hand.

    Parameters
    ----------
    found : int, or Series or DataFrame of shape (labeled,)
        The number of positives among those labeled; or a Series of labels in their order, True or
        1 and False or 0; or the frame of `sample_to_label` with its column of labels filled in.
    n_labeled : int, optional
        Number of labeled examples, if `found` is a number.
    n_unlabeled : int, optional
        Number of unlabeled examples they were sampled from, themselves included. A frame of
        `sample_to_label` has it.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1). It inverts the hypergeometric test, with a
        coverage of at least `level`.
    rest : bool, default False
        Return the shares of the examples that were not labeled, for use with
        `pu_accessor.labeling.add_labels`.
    sequential : bool, default False
        Return a row after each label, in order. These intervals cover jointly, so that labeling
        may stop as soon as one is narrow enough.

    Returns
    -------
    DataFrame
        One row: beta, lower, upper, level, method, n_unlabeled. Beta is a share of n_unlabeled;
        with `rest` these are the examples that were not labeled. With `sequential` a row for each
        label, with its index, and n_positive and n_labeled so far. An interval is then the
        intersection of all so far, and NaN once that is empty, which random rows make with a
        probability of at most 1 - level.

    Raises
    ------
    PUDataError, PUValueError, PUTypeError
        If a row is labeled twice or not at all, a stratum has no labels, or an argument is not
        allowed.

    See Also
    --------
    pu_accessor.labeling.labels_needed : Compute the number of labels.

    Notes
    -----
    With `sequential` a number m of positives is excluded as soon as Q(x)/P(x) exceeds
    1/(1 - level). P is the hypergeometric probability at m, and Q that if all m were equally
    likely; the ratio is a martingale for the true m [1]_.

    With strata beta is the sum of N_h x_h/s_h, divided by N, with the limits of Clopper and
    Pearson at the effective size [2]_. These are not proven: at a level of .95 they covered at
    least .96 in 200 simulated cells, and .94 with one label in each stratum.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, Advances in Neural Information Processing Systems 33 (2020).
    .. [2] E. L. Korn, B. I. Graubard, Survey Methodology 24 (1998) 193-201.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_labels(12, 50, 2000)
       beta  lower  upper  level method  n_unlabeled
    0  0.24  0.132   0.38   0.95  exact         2000
    >>> labels = pd.Series([True, False] * 10 + [False] * 20)
    >>> steps = pu_accessor.beta_from_labels(labels, n_unlabeled=100, sequential=True)
    >>> steps.loc[[19, 39], ["n_positive", "n_labeled", "beta", "lower", "upper"]]
        n_positive  n_labeled  beta  lower  upper
    19          10         20  0.50   0.25   0.76
    39          10         40  0.25   0.25   0.43
    """
    checks.check_flag("rest", rest)
    checks.check_flag("sequential", sequential)
    level = checks.check_level(level)
    if sequential and not isinstance(found, pd.Series | pd.DataFrame):
        raise PUTypeError(
            "found must be a Series of labels in their order with sequential=True, but "
            f"{brief(found)} was passed. For example pd.Series([True, False], index=rows)."
        )
    labels, strata = _read_labels(found, n_labeled, n_unlabeled)
    if sequential:
        return _after_each_label(labels, strata, level, rest)
    positives, labeled, total = (sum(counts) for counts in [*zip(*strata, strict=True)][:3])
    expected = sum(stratum.expected for stratum in strata)
    shares = np.array([expected, *stratified_limits(strata, level)]) / total
    method = "exact" if len(strata) == 1 else "stratified"
    if rest:
        shares = _shares_of_rest(shares, positives, labeled, total)
    return ResultFrame([_columns(shares, level, method, total - rest * labeled)])


def _read_labels(
    found: Any, n_labeled: int | None, n_unlabeled: int | None
) -> "tuple[pd.Series[Any], list[Stratum]]":
    """Return the labels, if there are any, and the counts of each stratum."""
    if isinstance(found, pd.DataFrame) and "stratum" in found.columns:
        _refuse_counts("rows of strata", n_labeled=n_labeled, n_unlabeled=n_unlabeled)
        return found_labels(found), [*read_strata(found).values()]
    if isinstance(found, pd.DataFrame):
        if "n_unlabeled" not in found.attrs:
            raise PUValueError(
                "found must be a frame of sample_to_label from one group, but it lacks the "
                "number of unlabeled rows. Pass its labels: "
                "beta_from_labels(found['label'], n_unlabeled=...)."
            )
        n_unlabeled = found.attrs["n_unlabeled"] if n_unlabeled is None else n_unlabeled
        found = found_labels(found)
    labels = found if isinstance(found, pd.Series) else pd.Series(dtype=np.bool_)
    if isinstance(found, pd.Series):
        _refuse_counts("a Series of labels", n_labeled=n_labeled)
        found, n_labeled = int(read_found(found).sum()), found.size
    counts = {"n_positive": found, "n_labeled": n_labeled, "n_unlabeled": n_unlabeled}
    if missing := [name for name, count in counts.items() if count is None]:
        raise PUTypeError(
            f"{missing[0]} must be passed: beta_from_labels(found, n_labeled, n_unlabeled) with "
            "counts, beta_from_labels(found, n_unlabeled=...) with a Series of labels."
        )
    stratum = Stratum(*(checks.check_count(name, count) for name, count in counts.items()))
    if not stratum.positives <= stratum.labeled <= stratum.total or not stratum.labeled:
        raise PUValueError(
            "There must be 0 <= n_positive <= n_labeled <= n_unlabeled, and a labeled example, "
            f"but {', '.join(map(str, stratum[:3]))} were passed."
        )
    return labels, [stratum]


def _refuse_counts(what: str, **counts: int | None) -> None:
    """Raise if counts are passed that the labels already contain."""
    for name, count in counts.items():
        if count is not None:
            raise PUValueError(f"{name} must be left out with {what}, but {count!r} was passed.")


def _after_each_label(
    labels: "pd.Series[Any]", strata: list[Stratum], level: float, rest: bool
) -> pd.DataFrame:
    """Return a row after each label."""
    if len(strata) > 1:
        raise PUValueError(
            "found must have rows of one stratum with sequential=True, but has "
            f"{len(strata)} strata. Leave sequential out, or sample rows without strata."
        )
    positive, total = read_found(labels), strata[0].total
    found, size = np.cumsum(positive, dtype=np.int64), np.arange(1, positive.size + 1)
    limits = confidence_sequence(positive, total, level) / total
    shares = np.array([np.clip(found / size, *limits), *limits])
    if rest:
        shares = _shares_of_rest(shares, found, size, total)
    if np.isnan(shares[1, -1]):
        warn_caller(
            "No beta fits the labels. With rows in random order this has a probability of at most "
            f"{1 - level:.3g}. Check that rows were sampled at random, and are in their order."
        )
    columns = _columns(shares, level, "sequential", total - rest * size)
    return ResultFrame({"n_positive": found, "n_labeled": size, **columns}, index=labels.index)


def _shares_of_rest(
    shares: FloatArray, positives: IntArray | int, labeled: IntArray | int, total: int
) -> FloatArray:
    """Return an estimate and its limits as shares of the examples that were not labeled."""
    not_labeled = total - np.asarray(labeled)
    if not not_labeled.all():
        raise PUValueError(
            f"rest=True needs examples that were not labeled, but all {total} were."
        )
    beta, lower, upper = np.clip((shares * total - positives) / not_labeled, 0, 1)
    return np.array([np.clip(beta, lower, upper), lower, upper])


def _columns(shares: FloatArray, level: float, method: str, n_unlabeled: Any) -> dict[str, Any]:
    """Return the columns of an estimate of beta."""
    estimate = dict(zip(("beta", "lower", "upper"), shares, strict=True))
    return {**estimate, "level": level, "method": method, "n_unlabeled": n_unlabeled}


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
@checks.with_example("pu_accessor.beta_from_prevalence(0.25, n_positive=100, n_unlabeled=1900)")
def beta_from_prevalence(
    prevalence: float,
    n_positive: int,
    n_unlabeled: int,
    n_negative: int = 0,
    *,
    of: str = "rows",
    level: float = 0.95,
) -> float | pd.DataFrame:
    """Convert the share of positives among *all* examples to beta, that among the unlabeled.

    With n known positives among N examples, U of them unlabeled, beta is (prevalence*N - n)/U. For
    a population the limits use quantiles of the binomial of N and the prevalence.

    Parameters
    ----------
    prevalence : float
        Share of positives among all examples, with the known ones, in [0, 1].
    n_positive, n_unlabeled, n_negative : int
        Known positives, unlabeled examples and known negatives.
    of : {"rows", "population"}, default "rows"
        What has that prevalence: these rows, or the population of which they are a random sample.
        Then their number of positives is random. Pass 0 for known examples from elsewhere.
    level : float, default 0.95
        Confidence level of the interval, in (0, 1).

    Returns
    -------
    float or DataFrame
        beta. For a population an estimate, as from `beta_from_labels`: beta, lower, upper, level,
        method, n_unlabeled, and n, the known positives.

    Raises
    ------
    PUValueError, PUTypeError
        If that prevalence is impossible with these counts, or an argument is not allowed.

    Examples
    --------
    >>> import pu_accessor
    >>> pu_accessor.beta_from_prevalence(0.3, n_positive=100, n_unlabeled=900)
    0.2222222222222222
    >>> pu_accessor.beta_from_prevalence(0.3, 100, 900, of="population").round(3)
        beta  lower  upper  level      method  n_unlabeled    n
    0  0.222  0.191  0.254   0.95  prevalence          900  100
    """
    checks.check_option("of", of, ["population", "rows"])
    total = _read_counts(n_positive, n_unlabeled, n_negative)
    share, source = checks.check_share("prevalence", prevalence), f"a prevalence of {prevalence!r}"
    hidden = share * sum(total) - total.known_positive
    if of == "rows":
        return _as_beta(hidden, total.unlabeled, source)
    tail = (1 - checks.check_level(level)) / 2
    quantiles = np.asarray(scipy.stats.binom.ppf([tail, 1 - tail], sum(total), share))
    low, high = (quantiles - total.known_positive).tolist()
    if not total.unlabeled or high < 0 or low > total.unlabeled:
        _as_beta(hidden, total.unlabeled, source)  # raises
    shares = np.clip([hidden, low, high], 0, total.unlabeled) / total.unlabeled
    known = {"n": total.known_positive} if n_positive else {}
    columns = _columns(shares, float(level), "prevalence", total.unlabeled)
    return ResultFrame([{**columns, **known}])


@checks.with_example(
    "pu_accessor.beta_from_label_frequency(0.5, n_positive=100, n_unlabeled=1900)"
)
def beta_from_label_frequency(label_frequency: float, n_positive: int, n_unlabeled: int) -> float:
    """Convert the label frequency, the share of positives that are labeled (often c), to beta.

    With n known positives and U unlabeled examples, beta is (n/c - n)/U.

    Parameters
    ----------
    label_frequency : float
        Known positives among all positives, as a share in (0, 1].
    n_positive, n_unlabeled : int
        Known positives and unlabeled examples.

    Returns
    -------
    float

    Raises
    ------
    PUValueError, PUTypeError
        If that share is impossible with these counts, or an argument is not allowed.

    Examples
    --------
    >>> beta_from_label_frequency(0.25, n_positive=100, n_unlabeled=900)
    0.3333333333333333
    """
    total = _read_counts(n_positive, n_unlabeled, 0)
    share = checks.check_share("label_frequency", label_frequency, "(0, 1]")
    hidden = total.known_positive / share - total.known_positive
    return _as_beta(hidden, total.unlabeled, f"a label frequency of {label_frequency!r}")


def _read_counts(n_positive: int, n_unlabeled: int, n_negative: int) -> Counts:
    """Return valid counts of examples of each kind."""
    counts = {"n_positive": n_positive, "n_negative": n_negative, "n_unlabeled": n_unlabeled}
    return Counts(*(checks.check_count(name, count) for name, count in counts.items()))


def _as_beta(hidden: float, n_unlabeled: int, source: str) -> float:
    """Return hidden positives as a share of the unlabeled, or raise."""
    if n_unlabeled and -1e-9 * n_unlabeled <= hidden <= n_unlabeled * (1 + 1e-9):
        return min(max(hidden / n_unlabeled, 0.0), 1.0)
    raise PUValueError(
        f"{source} leaves {hidden:g} positives for {n_unlabeled} unlabeled examples, which is no "
        "share in [0, 1]. Check the counts: they are those of this set."
    )

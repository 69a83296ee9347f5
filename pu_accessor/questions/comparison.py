"""Comparisons of models, and of groups."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pu_accessor.beta import NO_BETA, Beta, Betas, UserBeta
from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten, warn_caller
from pu_accessor.inference import comparison, paired_models
from pu_accessor.inference.answer import Answer, join_betas
from pu_accessor.inference.comparison import compare_curves, list_pairs
from pu_accessor.inference.cutoff_spec import FIXED, At
from pu_accessor.inference.estimate_metric import Asked, estimate_metric
from pu_accessor.inference.metric_entry import AnyMetric
from pu_accessor.inference.metrics import read_metric
from pu_accessor.inference.paired_models import compare_worst_case
from pu_accessor.questions import average, evaluation
from pu_accessor.questions.estimation import (
    default_target,
    exclusion_facts,
    is_of_known,
    read_questions,
)
from pu_accessor.questions.evaluation import difference_columns, pair_columns
from pu_accessor.questions.result_frame import ResultFrame
from pu_accessor.questions.tables import bounded_tables
from pu_accessor.ranking import FloatArray, PairedRanks, Ranking
from pu_accessor.roles_and_assumptions import Terms, UserBand

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

_NO_SIZE = "A difference and its interval need beta: compare('auroc', 0.3)."


def compare(
    self: Accessor,
    metric: AnyMetric = "auroc",
    beta: UserBeta | None = None,
    *,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str = "population",
    level: float = 0.95,
) -> pd.DataFrame:
    """Compare models that ranked the same examples, or their averages; AUROC needs no beta.

    Parameters
    ----------
    metric : str, callable or Metric, default "auroc"
        "auroc", "average_precision", "bedroc", or a metric at a cutoff, listed in `metric`. With
        `average=` also "ndcg", "reciprocal_rank" and "bpref".
    beta : float, array, mapping, Series, DataArray or DataFrame, optional
        Class prior of the unlabeled, as `auroc` explains. Without it, AUROC has a test and no
        interval.
    at : int or mapping, optional
        The cutoff: a rank, fraction or threshold of each model.
    on : hashable or list of hashable, optional
        Columns that identify an example, if models are in separate rows.
    target : {"population", "examples"}, default "population"
        What the comparison is about: future data from the same source, or this sample.
    level : float, default 0.95
        Confidence level of intervals, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each pair of models and beta: model_a, model_b, metric, beta, target,
        difference, lower, upper (with `beta`), n (known positives; of averages n_groups),
        statistic, df, p_value,
        p_adjusted (by Holm's method [1]_), and sign: 1 if a is higher, -1 if b is higher, 0 if
        they are equal.

    Raises
    ------
    PUValueError
        If there are fewer than two models, or their rows cannot be paired.
    PUDataError
        If averages are not over the same groups.

    Warns
    -----
    PUWarning
        If the standard error of a difference is unknown.

    See Also
    --------
    gap : For groups that share no examples.
    dominance : Whether one curve is above the other.

    Notes
    -----
    Let d and e be the differences between what both models give to a known positive, and to one
    of the rest: for AUROC their placements [2]_, else influences. The variance of a difference is
    ((n - 1)*var(d) + D**2)/n**2 + var(e)/U, with Student's t and n - 1 degrees of freedom. D is
    the move of one known positive that was not seen: as far as the farthest example that was, and
    at least as that of one which a model ranks as the rest, or at a cutoff of one that crosses it.
    The error of the share of positives is added where a metric depends on it, and clusters are
    summed. On this sample the variance of AUROC is the first term times 1 - n/P.

    With `average=` the differences of groups are tested: with G of them the variance of a mean is
    (var + D**2/G)/G, with D the move of one group that was not seen, as far as the farthest that
    was, and G - 1 degrees of freedom.

    The difference in AUROC is the mean difference of ranks divided by the number of negatives, so
    at level .95 the interval excludes 0 exactly where p < .05, for any beta.

    References
    ----------
    .. [1] S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> import pu_accessor
    >>> models = pu_accessor.load_example().pu(score=["score", "old_score"])
    >>> models.compare()[["model_a", "model_b", "sign", "p_value"]].round(3)
      model_a    model_b  sign  p_value
    0   score  old_score     1      0.0
    >>> sized = models.compare("auroc", 0.17)
    >>> sized[["model_a", "model_b", "beta", "difference", "lower", "upper"]].round(2)
      model_a    model_b  beta  difference  lower  upper
    0   score  old_score  0.17        0.13   0.09   0.17
    """
    entry = read_metric(metric, "average" if self._terms.average else "compare")
    cutoff = entry.read_cutoff(at)
    allowed = (*FIXED, "first", "positives") if self._terms.average else FIXED
    facts: dict[str, Any] = {
        "a metric other than AUROC": entry.curve != "roc",
        "at=a cutoff that depends on beta": cutoff is not None and cutoff.kind not in allowed,
        "on": on,
    }
    betas, terms = self._read_arguments("compare", beta, level=level, target=target, **facts)
    if beta is None and entry.curve != "roc" and entry.takes_beta:
        raise PUTypeError(
            f"beta must be passed to compare {entry.name!r}, for example 0.3: only the order by "
            "AUROC does not depend on it."
        )

    if self._terms.average:
        read = read_questions(self, [entry], at, target, beta, level, "exact")
        return average.compare_models(self, *read, target)

    def compute(paired: PairedRanks, beta: Beta) -> evaluation.Columns:
        if entry.curve != "roc" or (paired.rows and paired.rows.has_design):
            by_row = partial(paired_models.compare_rows, paired, metric=entry, at=cutoff)
            tests = _compare_betas(by_row, beta, level)
        else:
            tests = paired_tests(paired, beta, terms, target)
        size = difference_columns(tests) if beta.values.size else {}
        at_beta = {"beta": beta.values} if size else {}
        columns = {"metric": entry.name, **at_beta, "target": target, **size, **tests.columns}
        return pair_columns(paired.names, [*paired.ranks], columns)

    results = evaluation.evaluate(terms, self._pair(on), compute, None if beta is None else betas)
    about = {"p_adjusted": average.ADJUSTED} | ({} if beta is not None else {"size": _NO_SIZE})
    pairs = evaluation.results_frame(results, attrs=self._attrs(terms, target) | about)
    _warn_of_unknown_errors(pairs, list(results.names))
    return evaluation.add_failed_groups(pairs, results)


def _compare_betas(compared: Callable[..., Answer], beta: Beta, level: float) -> Answer:
    """Compare models at each beta, over its interval, or jointly with an estimate."""
    betas = beta.grid(level) if beta.values.size else None
    return join_betas(compared(betas=betas, level=level), beta)


def paired_tests(paired: PairedRanks, beta: Beta, terms: Terms, target: str) -> Answer:
    """Compare the AUROC of models, under the violations of the terms."""

    def compare(betas: FloatArray | None, level: float) -> Answer:
        if terms.is_random:
            return paired_models.compare_paired(paired, betas, level, target)
        return compare_worst_case(paired, betas, terms, target)

    return _compare_betas(compare, beta, terms.level)


def _warn_of_unknown_errors(pairs: pd.DataFrame, groups: list[str]) -> None:
    """Warn of pairs whose standard error is unknown."""
    unknown = pairs["statistic"].isna()
    if not unknown.any():
        return
    keys = pairs.loc[unknown, groups].drop_duplicates() if groups else pairs[:0]
    first = shorten(map(brief, keys.to_dict("records")), width=100)
    where = f" ({first})" if first else ""
    warn_caller(
        f"In {unknown.sum()} of {len(pairs)} comparisons{where} there is only one known positive, "
        "or one other example, or no value at the cutoff: statistic, p value and interval are "
        "NaN. Compare models on more known positives."
    )


# Groups


def gap(
    self: Accessor,
    metric: AnyMetric,
    beta: UserBeta | None = None,
    *,
    at: At | None = None,
    target: str | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Compare a metric of groups that share no examples, such as recall of women and of men.

    Parameters
    ----------
    metric : str, callable or Metric
        "auroc", "average_precision", or a metric at a cutoff, listed in `metric`.
    beta : float, array, mapping, Series, DataArray or DataFrame, optional
        Class prior of the unlabeled, as `auroc` explains; not needed for recall and fnr at a
        threshold.
    at : int, str or mapping, optional
        The cutoff in each group, as `metric` explains.
    target : {"population", "examples"}, optional
        Future data, or this sample; the default is that of `metric`.
    level : float, default 0.95
        Confidence level of intervals, in (0, 1), not adjusted for the number of pairs.

    Returns
    -------
    DataFrame
        A row for each pair of groups and beta: the two groups, metric, beta (beta_a and beta_b if
        each has its terms), target, difference, lower, upper, estimate_a, estimate_b, n_a, n_b
        (known positives); for AUROC also statistic, df, p_value and p_adjusted.

    Raises
    ------
    PUValueError
        If there are fewer than two groups, or a list of scores.

    Warns
    -----
    PUWarning
        For AUROC of a group with one known positive.

    See Also
    --------
    compare : For models that ranked the same examples: more precise, and without beta.

    Notes
    -----
    AUROC has Welch's test [3]_. For other metrics the distances of both estimates to their limits
    are squared and added [1]_; for recall on future data this is Newcombe's interval [2]_. Known
    positives are a random sample of the positives *in each group*.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890.
    .. [3] B. L. Welch, Biometrika 34 (1947) 28-35.

    Examples
    --------
    >>> import pu_accessor
    >>> sites = pu_accessor.load_example().pu(by="site")
    >>> recall = sites.gap("recall", at={"threshold": 0.5})
    >>> recall[["site_a", "site_b", "difference", "lower", "upper"]].round(3)
      site_a site_b  difference  lower  upper
    0   east   west       0.212  0.065  0.348
    >>> auroc = sites.gap("auroc", {"east": 0.2, "west": 0.1})
    >>> auroc[["site_a", "site_b", "difference", "lower", "upper"]].round(3)
      site_a site_b  difference  lower  upper
    0   east   west       0.112  0.041   0.19
    """
    entry = read_metric(metric, "gap")
    cutoff = entry.read_cutoff(at)
    target = default_target(self, cutoff) if target is None else target
    method, facts = exclusion_facts(entry, cutoff)
    of_auroc: dict[str, Any] = {"auroc": entry.curve == "roc"}
    betas, terms = self._read_arguments("gap", beta, level=level, target=target, **of_auroc)
    facts["one estimate for all groups"] = betas.estimate
    self._read_arguments(method, beta, level=level, target=target, **facts)
    asked = Asked(entry, cutoff, target)
    if beta is None and not is_of_known(asked):
        raise PUTypeError(
            f"beta must be passed for the gap of {entry.name!r}: for example 0.3, or one for each "
            "group, {'f': 0.3, 'm': 0.2}. Only the gap of 'recall' or 'fnr' on future data, "
            "at={'threshold': 0.5}, needs none."
        )
    shared = betas.estimate
    grid = None if shared is None else Beta(shared.grid(level))
    has_test = entry.curve == "roc" and betas.kind == "points" and beta is not None

    def compute(ranking: Ranking, own_beta: Beta) -> tuple[Answer, int]:
        if beta is None and cutoff is not None:
            missed = entry.less_is_better
            answer = comparison.recall_of_group(ranking, cutoff.value, missed, level)
        elif has_test:
            answer = comparison.auroc_of_group(ranking, own_beta.values, target)
        else:
            answer = estimate_metric(asked, ranking, grid or own_beta, terms)
        return answer, ranking.total.known_positive

    rankings = self._rank(entry.ranks_needed(cutoff))
    own_betas = Betas(Beta(shared.values)) if shared is not None else betas
    results = evaluation.evaluate(terms, rankings, compute, None if beta is None else own_betas)
    groups = [answer for _, _, _, (answer, _) in results.each]
    if shared is not None and not results.skipped:
        evaluation.check_estimate_total(results.each, shared)
    if has_test:
        _warn_of_single([each.key for each in results.each if each.content[1] == 1])
        tests = comparison.compare_groups(groups, level)
    else:
        tests = join_betas(
            comparison.estimate_gaps(groups, entry.low, entry.high), shared or NO_BETA
        )
    gaps = _gap_frame(results, tests, {"metric": entry.name}, target)
    gaps.attrs |= self._attrs(terms, target)
    return gaps


def _warn_of_single(keys: Sequence[Hashable]) -> None:
    """Warn of groups with one known positive."""
    if keys:
        warn_caller(
            f"{len(keys)} groups have only one known positive and no standard error: "
            f"{shorten(map(brief, keys), width=100)}. Their statistics, p values and intervals "
            "are NaN. Leave them out, or label more."
        )


def _gap_frame(
    results: evaluation.Results[tuple[Answer, int]],
    tests: Answer,
    named: dict[str, str],
    target: str,
) -> pd.DataFrame:
    """Return the frame of gaps, one row for each pair of groups and beta."""
    answers, counts = zip(*(each.content for each in results.each), strict=True)
    (first, second), times = list_pairs(len(answers)), tests.value.shape[1]
    betas = np.stack([each.beta.values for each in results.each])
    estimates = np.stack([answer.value[:times] for answer in answers])
    known = np.array(counts)[:, np.newaxis]
    own = {"beta_a": betas[first], "beta_b": betas[second]}
    of_beta = own if results.own_beta else {"beta": betas[0]}
    columns = {
        **named,
        **(of_beta if betas.size else {}),
        "target": target,
        **difference_columns(tests),
        "estimate_a": estimates[first],
        "estimate_b": estimates[second],
        "n_a": known[first],
        "n_b": known[second],
        **tests.columns,
    }
    gaps = ResultFrame(pair_columns(results.names, results.keys, columns))
    if results.skipped:
        gaps.attrs["skipped"] = dict(results.skipped)
    return gaps


def dominance(
    self: Accessor, beta: UserBeta, *, level: float = 0.95, band: UserBand = "exact"
) -> pd.DataFrame:
    """Compare the positions of the ROC curves of models (arXiv:1504.06837, section 6.2).

    Parameters
    ----------
    beta : float, array, mapping, Series or DataArray
        Class prior of the unlabeled: numbers, or one for each group.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.

    Returns
    -------
    DataFrame
        A row for each pair of models and beta: model_a, model_b, beta (beta_a and beta_b if each
        has its terms); dominates, the model whose estimated curve is nowhere below and somewhere
        above the other's, or None; equal (bool), whether curves coincide; disjoint (bool), whether
        the bands do not overlap; crossings, a tuple of the false positive rates at which the lead
        changes.

    Raises
    ------
    PUValueError
        If there are fewer than two models, or no negatives.

    See Also
    --------
    compare : The difference in AUROC with its interval and test.

    Examples
    --------
    >>> import pu_accessor
    >>> models = pu_accessor.load_example().pu(score=["score", "old_score"])
    >>> models.dominance(0.17).loc[0, "dominates"]
    'score'
    """
    betas, terms = self._read_arguments("dominance", beta, level=level, band=band)
    curves = bounded_tables(self, betas, terms, "breakpoints", curve="roc", template=False)
    dim = curves["fpr"].dims[0]
    is_of_models = dim in curves.indexes and dim != "rank"
    first, second = list_pairs(curves.sizes[dim] if is_of_models else 1)
    curves = curves.transpose(dim, "beta", "bound", ...)
    rates = np.stack([curves["fpr"], curves["tpr"]], axis=3)
    if np.isnan(rates).any():
        raise PUValueError(
            "An ROC curve needs negatives, but at some beta there are none. Pass a smaller beta, "
            "or add rows without labels."
        )
    pairs = zip(np.concatenate(rates[first]), np.concatenate(rates[second]), strict=True)
    verdicts = [compare_curves(*pair) for pair in pairs]
    table = np.array([verdict[:3] for verdict in verdicts]).reshape(first.size, -1, 3)
    ahead, behind, disjoint = np.moveaxis(table, -1, 0)
    index, values = curves.get_index(dim), curves["beta"].to_numpy()
    keys = index.tolist()
    winner = np.where(ahead, first[:, np.newaxis], second[:, np.newaxis])
    winner = np.where(ahead == behind, len(keys), winner)
    has_own = values.ndim > 1
    columns = {
        **({"beta_a": values[first], "beta_b": values[second]} if has_own else {"beta": values}),
        "dominates": _as_index([*keys, None][place] for place in winner.ravel()),
        "equal": ~(ahead | behind),
        "disjoint": disjoint,
        "crossings": _as_index(verdict.crossings for verdict in verdicts),
    }
    return ResultFrame(pair_columns([*map(str, index.names)], keys, columns))


def _as_index(values: Iterable[Any]) -> pd.Index:
    """Return objects, which may be tuples, as a column."""
    return pd.Index([*values], dtype=object, tupleize_cols=False)

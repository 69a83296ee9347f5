"""Two models: which has the higher AUROC, and by how much."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from pu_accessor.errors import PUValueError, warn_caller
from pu_accessor.inference.betas import GroupBeta, beta_by_key
from pu_accessor.inference.groups import ask_rows, collect
from pu_accessor.inference.shares import Beta, as_betas, check_level
from pu_accessor.inference.tables import check_labels
from pu_accessor.inference.unbiased import auroc_and_error, count_negatives
from pu_accessor.ranking import Counts, FloatArray, IntArray, Keyed, PairedRanks, Ranking, Rankings

__all__ = ["compare_paired", "compare_unpaired", "name_pairs"]


_NO_SIZE = "The size of a difference, and its interval, need beta: compare(beta=0.3, ...)."


class _Test(NamedTuple):
    """A t test and its interval, an array of each."""

    statistic: FloatArray
    p_value: FloatArray
    lower: FloatArray
    upper: FloatArray


class _Group(NamedTuple):
    """AUROC of one group for each beta: exact, and the variance of its estimate."""

    n: int
    betas: FloatArray
    auroc: list[Fraction]
    variance: FloatArray


def compare_paired(
    models: Keyed[PairedRanks],
    beta: GroupBeta | None = None,
    *,
    level: float = 0.95,
    on_error: str = "raise",
    progress: bool = False,
) -> pd.DataFrame:
    """Compare the AUROC of models that ranked the same examples, in each group of examples.

    Which of two models has the higher AUROC, and whether that can be chance, does not depend on
    beta: the difference is the mean difference of the ranks of the known positives, divided by
    the number of negatives. Its size needs `beta`.

    Parameters
    ----------
    models : Keyed of PairedRanks
        Ranks of the known positives by each of the models, for each group.
    beta : float, array-like of float, or mapping or Series of float by group, optional
        Fraction of positives among the unlabeled, in [0, 1].
    level : float, default 0.95
        Probability of coverage of the interval, in (0, 1).
    on_error, progress
        As in `pu_accessor.inference.groups.ask`.

    Returns
    -------
    DataFrame
        A row for each pair of models, a before b; with `beta` for each pair and beta. A
        RangeIndex.

        * the key of the group, if there are groups.
        * ``{name}_a``, ``{name}_b`` : the two models, for each name of their key.
        * beta, difference, lower, upper, level (only with `beta`) : AUROC of a minus that of b,
          a share in [-1, 1], and its interval, which is not cut off at the ends.
        * sign : 1 where a has the higher AUROC, -1 where b has, 0 where neither has.
        * statistic, df, p_value : Student's t, its degrees of freedom, two-sided p value.
        * p_holm : the p value adjusted for all pairs of a group [2]_.
        * n : known positives.

        Without `beta` the attribute ``size`` says that it is needed for that.

    Raises
    ------
    PUValueError
        If there are fewer than two models; if in a group nothing is known to be positive, or
        nothing is negative at some beta; if an argument has a value that is not allowed.
    PUTypeError
        If an argument is of a kind that is not allowed.

    Warns
    -----
    PUWarning
        If there is one known positive alone: statistic, p values and interval are NaN. If all
        known positives differ by the same number of ranks: the interval has no width.

    Notes
    -----
    With n known positives among N examples, U of them unlabeled, P = n + beta*U and mid-ranks R,
    AUROC is 1 - (mean(R) - (P + 1)/2)/(N - P), and the mean over a random sample of the
    positives estimates the mean over all. For two models the term in P cancels; what remains is
    the mean of d = R_b - R_a over N - P, and t = mean(d)/(sd(d)/sqrt(n)) [1]_ with n - 1 degrees
    of freedom.

    Neither the statistic nor the interval has the factor sqrt(1 - n/P) for sampling without
    replacement, which depends on beta. So p value and interval agree: at level .95 the interval
    leaves out 0 exactly where p < .05, whatever beta. The price is that both are conservative for
    the positives of these examples where many of them are known. They treat the negatives as
    given.

    References
    ----------
    .. [1] Student, *The probable error of a mean*, Biometrika 6 (1908) 1-25.
    .. [2] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
       Journal of Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> ranks = {"svm": np.array([1.0, 2.0, 4.0]), "forest": np.array([3.0, 3.0, 8.0])}
    >>> total = Counts(known_positive=3, known_negative=0, unlabeled=10)
    >>> models = Keyed((), ((),), lambda _: PairedRanks(("model",), ranks, total))
    >>> compare_paired(models)[["model_a", "model_b", "sign", "p_value"]].round(3)
      model_a model_b  sign  p_value
    0     svm  forest     1    0.118
    >>> sized = compare_paired(models, [0.2, 0.4])
    >>> sized[["beta", "difference", "lower", "upper", "p_value"]].round(3)
       beta  difference  lower  upper  p_value
    0   0.2       0.292 -0.183  0.766    0.118
    1   0.4       0.389 -0.244  1.021    0.118
    """
    level = check_level(level)

    def question(paired: PairedRanks, beta: Beta | None) -> pd.DataFrame:
        return _compare_pairs(paired, beta, level)

    pairs = ask_rows(models, beta, question, on_error=on_error, progress=progress)
    _warn_of_chance(pairs, list(models.names))
    if beta is None:
        pairs.attrs["size"] = _NO_SIZE
    return pairs


def compare_unpaired(
    rankings: Rankings,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    on_error: str = "raise",
    progress: bool = False,
) -> pd.DataFrame:
    """Compare the AUROC of groups that share no examples: Welch's two-sample test.

    Where all groups ranked the same examples, `compare_paired` sees smaller differences, and needs
    no beta to do so.

    Parameters
    ----------
    rankings : Rankings
        Of the groups, at the breakpoints or at all cutoffs.
    beta : float, array-like of float, or mapping or Series of float by key
        Fraction of positives among the unlabeled, in [0, 1]: the same for all groups, or one for
        each.
    level : float, default 0.95
        Probability of coverage of the interval, in (0, 1).
    on_error, progress
        As in `pu_accessor.inference.groups.ask`.

    Returns
    -------
    DataFrame
        A row for each pair of groups, a before b as in `rankings`, and beta. A RangeIndex.

        * ``{name}_a``, ``{name}_b`` : the two groups, for each name of their key.
        * beta, or beta_a and beta_b where each group has its own.
        * difference, lower, upper, level : AUROC of a minus that of b, a share in [-1, 1], and
          its interval, which is not cut off at the ends.
        * statistic, df, p_value : Welch's t, its degrees of freedom [1]_, two-sided p value.
        * p_holm : the p value adjusted for all pairs at that beta [2]_.
        * n_a, n_b : known positives.

    Raises
    ------
    PUValueError
        If there are fewer than two groups; if nothing in a group is known to be positive, or
        nothing is negative at some beta; if an argument has a value that is not allowed.
    PUTypeError
        If an argument is of a kind that is not allowed.
    PUKeyError
        If `beta` lacks a group.

    Warns
    -----
    PUWarning
        If a group has one known positive alone: its statistics, p values and intervals are NaN,
        and are not counted in the adjustment of the others.

    Notes
    -----
    With n known positives among N examples, U of them unlabeled, P = n + beta*U and mid-ranks R,
    AUROC is 1 - (mean(R) - (P + 1)/2)/(N - P), its standard error
    sd(R)/sqrt(n) * sqrt(1 - n/P)/(N - P): of a mean under sampling without replacement. It treats
    the negatives as given. It is 0 where all positives are known, as with ``beta=0``; where it is
    0 in both groups, so is the width of the interval, df is infinite, and the p value is 1 if the
    areas are equal and 0 if not.

    References
    ----------
    .. [1] B. L. Welch, *The generalization of 'Student's' problem when several different
       population variances are involved*, Biometrika 34 (1947) 28-35.
    .. [2] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
       Journal of Statistics 6 (1979) 65-70.
    """
    level = check_level(level)
    own, betas = beta_by_key(beta, rankings.names, rankings.keys)
    answers = collect(rankings, betas, _estimate, on_error, progress)
    keys, groups = [answer.key for answer in answers], [answer.content for answer in answers]
    first, second = _pairs(len(keys), "Pass by=... with two keys.")
    _warn_of_lone([key for key, group in zip(keys, groups, strict=True) if group.n == 1])
    pairs = [(groups[a], groups[b]) for a, b in zip(first, second, strict=True)]
    # Exact until here: areas that are equal must not differ by a rounding error.
    difference = np.array(
        [[float(x - y) for x, y in zip(a.auroc, b.auroc, strict=True)] for a, b in pairs]
    )
    df = np.array([_satterthwaite(a, b) for a, b in pairs])
    error = np.array([np.sqrt(a.variance + b.variance) for a, b in pairs])
    test = _t_test(difference, error, df, level)
    rows = np.repeat(np.arange(len(pairs)), difference.shape[1])
    return pd.DataFrame(
        {
            **name_pairs(rankings.names, keys, first[rows], second[rows]),
            **_beta_columns(pairs, own),
            "difference": difference.ravel(),
            "lower": test.lower.ravel(),
            "upper": test.upper.ravel(),
            "level": level,
            "statistic": test.statistic.ravel(),
            "df": df.ravel(),
            "p_value": test.p_value.ravel(),
            "p_holm": np.apply_along_axis(_holm, 0, test.p_value).ravel(),
            "n_a": np.array([a.n for a, _ in pairs])[rows],
            "n_b": np.array([b.n for _, b in pairs])[rows],
        }
    )


def name_pairs(
    names: Sequence[str],
    keys: Sequence[Hashable],
    first: IntArray,
    second: IntArray,
) -> dict[str, pd.Index]:
    """Return columns that name the two models of each pair, for each name of their key.

    Parameters
    ----------
    names : sequence of str
        Names of the key's levels.
    keys : sequence of hashable
        Of the models; tuples where there are several levels.
    first, second : ndarray of int64, shape (pairs,)
        Positions of the models.

    Returns
    -------
    dict of str to Index
        All columns of a, then all of b.
    """
    levels = [
        pd.Index(list(level), tupleize_cols=False)
        for level in (zip(*keys, strict=True) if len(names) > 1 else [keys])
    ]
    return {
        f"{name}_{side}": level.take(some)
        for side, some in (("a", first), ("b", second))
        for name, level in zip(names, levels, strict=True)
    }


def _compare_pairs(paired: PairedRanks, beta: Beta | None, level: float) -> pd.DataFrame:
    """Compare each pair of models on the same examples."""
    check_labels(np.zeros(1), paired.total)
    first, second = _pairs(len(paired.ranks), "Pass score=[...] with two columns.")
    table, n = np.stack(list(paired.ranks.values())), paired.total.known_positive
    apart = table[second] - table[first]
    shift, error = apart.mean(axis=1), _standard_error(apart)
    test = _t_test(shift, error, np.full(shift.size, n - 1.0), level)
    pairs = pd.DataFrame(
        {
            **name_pairs(paired.names, list(paired.ranks), first, second),
            "sign": np.sign(shift).astype(np.int64),
            "statistic": test.statistic,
            "df": n - 1,
            "p_value": test.p_value,
            "p_holm": _holm(test.p_value),
            "n": n,
        }
    )
    if beta is None:
        return pairs
    effect = {"difference": shift, "lower": test.lower, "upper": test.upper}
    return _with_size(pairs, effect, as_betas(beta), paired.total, level)


def _pairs(models: int, advice: str) -> tuple[IntArray, IntArray]:
    """Return the positions of the two models of each pair."""
    if models < 2:
        raise PUValueError(
            f"A comparison needs two or more models, but there is {models or 'none'}. {advice}"
        )
    first, second = np.array(list(combinations(range(models), 2)), dtype=np.int64).T
    return first, second


def _standard_error(apart: FloatArray) -> FloatArray:
    """Return the standard error of the mean along the last axis, NaN for a single value."""
    n = apart.shape[-1]
    if n == 1:
        return np.full(apart.shape[:-1], np.nan)
    error: FloatArray = apart.std(axis=-1, ddof=1) / np.sqrt(n)
    return error


def _t_test(mean: FloatArray, error: FloatArray, df: FloatArray, level: float) -> _Test:
    """Test whether a mean is 0; without spread it is so for certain, or certainly not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where((error == 0) & (mean == 0), 0.0, mean / error)
    reach = special.stdtrit(df, (1 + level) / 2) * error
    return _Test(
        statistic=statistic,
        p_value=2 * special.stdtr(df, -np.abs(statistic)),
        lower=mean - reach,
        upper=mean + reach,
    )


def _holm(p_value: FloatArray) -> FloatArray:
    """Adjust p values for their number, NaN apart."""
    order = np.argsort(p_value)  # NaN last
    weight = np.count_nonzero(~np.isnan(p_value)) - np.arange(p_value.size)
    adjusted = np.empty_like(p_value)
    adjusted[order] = np.maximum.accumulate(np.minimum(p_value[order] * weight, 1))
    return adjusted


def _with_size(
    pairs: pd.DataFrame,
    effect: Mapping[str, FloatArray],
    betas: FloatArray,
    total: Counts,
    level: float,
) -> pd.DataFrame:
    """Repeat the pairs for each beta and add the difference of the areas."""
    check_labels(betas, total)
    negatives = [float(count_negatives(total, beta)) for beta in betas.tolist()]
    size = pd.DataFrame(
        {
            "beta": np.tile(betas, len(pairs)),
            **{name: np.divide.outer(ranks, negatives).ravel() for name, ranks in effect.items()},
            "level": level,
        }
    )
    repeated = pairs.loc[pairs.index.repeat(betas.size)].reset_index(drop=True)
    place = repeated.columns.to_list().index("sign")
    return pd.concat([repeated.iloc[:, :place], size, repeated.iloc[:, place:]], axis=1)


def _estimate(ranking: Ranking, beta: Beta) -> _Group:
    """Estimate AUROC for each beta; one known positive alone has no variance."""
    betas, n = as_betas(beta), ranking.total.known_positive
    check_labels(betas, ranking.total)
    found = [auroc_and_error(ranking, share) for share in betas.tolist()]
    variance = np.array([error**2 if n > 1 else np.nan for _, error in found])
    return _Group(n, betas, [value for value, _ in found], variance)


def _satterthwaite(a: _Group, b: _Group) -> FloatArray:
    """Return Welch's degrees of freedom for each beta, infinite without spread."""
    if 1 in (a.n, b.n):
        return np.full(a.variance.size, np.nan)
    below = a.variance**2 / (a.n - 1) + b.variance**2 / (b.n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        df: FloatArray = np.where(below == 0, np.inf, (a.variance + b.variance) ** 2 / below)
    return df


def _beta_columns(pairs: Sequence[tuple[_Group, _Group]], own: bool) -> dict[str, FloatArray]:
    """Return the beta of each row, or that of each group."""
    sides = zip(*((a.betas, b.betas) for a, b in pairs), strict=True)
    first, second = (np.concatenate(side) for side in sides)
    return {"beta_a": first, "beta_b": second} if own else {"beta": first}


def _warn_of_chance(pairs: pd.DataFrame, groups: list[str]) -> None:
    """Warn where the known positives do not say how far a difference can be off."""
    lone, stuck = pairs["statistic"].isna(), np.isinf(pairs["statistic"])
    for which, told in (
        (
            lone,
            "there is one known positive alone, so that statistic, p value and interval are NaN",
        ),
        (stuck, "all known positives differ by the same number of ranks, so that p is 0"),
    ):
        if which.any():
            rows = pairs.loc[which, groups].drop_duplicates() if groups else pairs[:0]
            where = f" ({rows.head(5).to_dict('records')})" if len(rows) else ""
            warn_caller(
                f"In {which.sum()} of {len(pairs)} comparisons{where} {told}. That says nothing "
                "about chance: compare models on more known positives."
            )


def _warn_of_lone(keys: Sequence[Hashable]) -> None:
    """Warn of groups with one known positive."""
    if keys:
        warn_caller(
            f"{len(keys)} groups have one known positive alone, which says nothing about chance: "
            f"{list(keys)[:5]}{' and more' if len(keys) > 5 else ''}. Their statistics, p values "
            "and intervals are NaN. Leave them out, or label more."
        )

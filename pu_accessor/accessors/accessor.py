"""``df.pu``: the questions that can be put to a frame, its groups, samples, chunks or arrays.

The class is a table of contents: each method is one statement, and lives with those of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from html import escape
from typing import Any, Final, NoReturn

from pu_accessor.accessors import (
    bounds,
    comparison,
    estimates,
    guaranteed_cutoffs,
    plots,
    prior,
    robustness,
    utility,
    utility_plots,
)
from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.keywords import explains_keywords, tell_of_methods
from pu_accessor.accessors.repr import fold
from pu_accessor.report.report import report
from pu_accessor.sources.arrays import ArraySource
from pu_accessor.sources.chunks import Chunks
from pu_accessor.sources.columns import Column
from pu_accessor.sources.labels import Values
from pu_accessor.sources.pieces import PiecesSource
from pu_accessor.sources.roles import ROLE_NAMES, Pool, Roles

__all__ = ["Accessor", "Kept", "ranking_from_arrays", "ranking_from_chunks"]


class Kept:
    """Stands for what is bound already, the default at first."""

    def __repr__(self) -> str:
        return "as it is"


KEPT: Final[Any] = Kept()


@explains_keywords
class Accessor(Bound):
    """Bounds on a ranking's performance, from known positives and unlabeled examples.

    Called with what the columns mean it returns a new accessor; then come the questions. Made of a
    source, rows of any kind, and of its roles.
    """

    def __call__(
        self,
        *,
        score: Hashable | list[Hashable] = KEPT,
        label: Hashable = KEPT,
        by: Hashable | list[Hashable] | None = KEPT,
        propensity: Hashable | None = KEPT,
        positive: Values = KEPT,
        negative: Values = KEPT,
        unlabeled: Values = KEPT,
        nan_policy: str = KEPT,
        on_error: str = KEPT,
        progress: bool = KEPT,
        pool: Pool = KEPT,
    ) -> Accessor:
        """Say once what the columns mean, for all questions that follow.

        Nothing is read, and nothing changes: a new accessor is returned, which starts from what
        this one has been told.

        Parameters
        ----------
        score : hashable or list of hashable, default "score"
            Column of numbers, higher is more positive; tied scores share a cutoff. A list has a
            column for each model.
        label : hashable, default "label"
            Column of labels: True or 1 for a known positive, False or 0 for a known negative,
            missing for unlabeled.
        by : hashable or list of hashable, optional
            Columns whose values make groups, each ranked apart, as ``df.groupby(by).pu`` does.
        propensity : hashable, optional
            Column of the probabilities in (0, 1] with which positives are labeled, where the known
            ones are no simple random sample. That of known positives alone is read. They then
            count as one over it, and the band is a design-based one, called "weighted".
        positive, negative, unlabeled : value or list of values, optional
            What stands for each state in another coding of the labels.
        nan_policy : {"raise", "omit", "worst"}, default "raise"
            Examples without a score raise, are dropped, or rank last (one shared cutoff).
        on_error : {"raise", "skip"}, default "raise"
            A group that cannot be bounded is named in an error, or left out with a warning;
            ``.attrs["skipped"]`` of tables and numbers says why of each.
        progress : bool, default False
            Show a bar while going through the groups (needs tqdm).
        pool : bool, str or list of str, default False
            Answer for all groups together though their scores are not on one scale, as those of
            cross-validation folds: examples are ranked within their group. True pools over all
            columns of `by`, a name over that one. AUROC and average precision on new examples,
            and `compare`, hold known positives against the rest of their own group alone; for all
            else examples are put in one order by the share of their group that ranks below them.

        Returns
        -------
        Accessor

        Raises
        ------
        PUTypeError, PUValueError
            If something else is passed, or an option has another value.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> df = pd.DataFrame({"p": range(9, 0, -1), "y": [0, 1, 1, 0, 0, 1, 0, 0, 0]})
        >>> pu = df.pu(score="p", label="y", unlabeled=0)
        >>> pu.auroc(0.5).round(2)
           beta  estimate  standard_error  lower  upper  level      target
        0   0.5      0.94            0.39    0.1    1.0   0.95  population
        """
        asked = (score, label, by, propensity, positive, negative, unlabeled)
        roles = zip(ROLE_NAMES, (*asked, nan_policy, on_error, progress, pool), strict=True)
        changed = {name: role for name, role in roles if role is not KEPT}
        return Accessor(self._source, self._roles.update(**changed))

    contingency = bounds.contingency
    roc_bounds = bounds.roc_bounds
    pr_bounds = bounds.pr_bounds
    rank_cdf = bounds.rank_cdf
    auroc = estimates.auroc
    average_precision = estimates.average_precision
    metric = estimates.metric
    estimate_beta = prior.estimate_beta
    sample_to_label = prior.sample_to_label
    cutoff = guaranteed_cutoffs.cutoff
    select = guaranteed_cutoffs.select
    compare = comparison.compare
    compare_unpaired = comparison.compare_unpaired
    dominance = comparison.dominance
    breaking_point = robustness.breaking_point
    gap = comparison.gap
    calibration = utility.calibration
    bedroc = utility.bedroc
    enrichment_factor = utility.enrichment_factor
    net_benefit = utility.net_benefit
    gain = utility.gain
    plot_roc = plots.plot_roc
    plot_pr = plots.plot_pr
    plot_rank_cdf = plots.plot_rank_cdf
    plot_metric = plots.plot_metric
    plot_against_beta = plots.plot_against_beta
    plot_forest = utility_plots.plot_forest
    plot_robustness = robustness.plot_robustness
    plot_net_benefit = utility_plots.plot_net_benefit
    plot_gain = utility_plots.plot_gain
    plot_calibration = utility_plots.plot_calibration
    report = report

    def __getattr__(self, name: str) -> NoReturn:
        tell_of_methods(name, self)

    def __repr__(self) -> str:
        return fold(f"<{self._line()}>", self._counts())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align: left'>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in self._counts().items()
        )
        return f"<table><caption>{escape(self._line())}</caption>{rows}</table>"

    def _counts(self) -> dict[str, str]:
        """Count what is there, or say what to do first."""
        counts = self._source.summary(self._roles)
        if "not ready" in counts:
            counts["other columns"] = "df.pu(score='my_score', label='my_label')"
        return counts


def ranking_from_arrays(
    score: Column,
    label: Column,
    *,
    propensity: Column | None = None,
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
    nan_policy: str = "raise",
) -> Accessor:
    """Rank examples given as two array-likes, paired by position.

    Parameters
    ----------
    score : array-like of numbers, shape (examples,)
        Higher is more positive.
    label : array-like, shape (examples,)
        True or 1 for a known positive, False or 0 for a known negative, missing for unlabeled.
    propensity : array-like of numbers, shape (examples,), optional
        Probability with which each positive is labeled, in (0, 1]. That of others is not read.
    positive, negative, unlabeled : value or list of values, optional
        What stands for each state in another coding of the labels.
    nan_policy : {"raise", "omit", "worst"}, default "raise"
        Examples without a score raise, are dropped, or rank last (one shared cutoff).

    Returns
    -------
    Accessor
        With the methods of ``df.pu``.

    Raises
    ------
    PUTypeError, PUValueError
        When a question is asked: if the two differ in length, scores are missing or no numbers,
        or labels are ambiguous or of an unknown value.

    See Also
    --------
    pu_accessor.ranking_from_chunks : Where they do not fit into memory.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> ranking = pu_accessor.ranking_from_arrays(range(9, 0, -1), label)
    >>> ranking.contingency(0.5, ranks=3)["tp"].sel(rank=3, beta=0.5).to_series().to_dict()
    {'lower': 2, 'estimate': 3, 'upper': 3}
    """
    coding = Roles(
        positive=positive, negative=negative, unlabeled=unlabeled, nan_policy=nan_policy
    )
    return Accessor(ArraySource(score, label, propensity), coding)


def ranking_from_chunks(
    chunks: Iterable[Any] | Callable[[], Iterable[Any]], **roles: Any
) -> Accessor:
    """Rank scores that come in chunks, in memory that does not grow with their number.

    Chunks are gone through a few times: for the labeled scores, to count all others between them,
    and for the corners of curves. Only labeled scores and counts are kept. Results are those of
    ``df.pu`` for the same rows in one frame.

    Parameters
    ----------
    chunks : iterable, or callable that returns one
        Of DataFrames, or of pairs (score, label) of array-likes, whose columns then are called
        "score" and "label". An iterator that can be gone through once is refused; pass a function
        that opens it.
    **roles
        What the columns mean, as in the call of ``df.pu``: score, label, by, propensity, positive,
        negative, unlabeled, nan_policy, on_error, progress.

    Returns
    -------
    accessor
        With the methods of ``df.pu``: `roc_bounds`, `contingency` (at ``ranks="breakpoints"``),
        `auroc`, plots and all others but `sample_to_label`.

    Raises
    ------
    PUTypeError
        If `chunks` is no such iterable.

    See Also
    --------
    pu_accessor.ranking_from_arrays : Of two arrays.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> chunks = [(range(9, 5, -1), label[:4]), (range(5, 0, -1), label[4:])]
    >>> ranking = pu_accessor.ranking_from_chunks(chunks)
    >>> ranking.roc_bounds(beta=0.5)["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
    {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
    """
    return Accessor(PiecesSource(Chunks(chunks)))(**roles)

"""``df.pu``: the questions that can be put to a frame, its groups, samples, chunks or arrays.

The class is a table of contents: each method is one statement, and lives with those of its kind.
"""

from __future__ import annotations

from collections.abc import Hashable
from html import escape
from typing import NoReturn

from pu_accessor.accessors import (
    assumptions,
    bounds,
    comparison,
    estimates,
    plots,
    prior,
    utility,
    utility_plots,
)
from pu_accessor.accessors.advice import explains_keywords, tell_of_methods
from pu_accessor.accessors.bound import Bound, fold
from pu_accessor.errors import PUError, refuse_signals
from pu_accessor.report import report
from pu_accessor.sources.roles import KEPT, ColumnNames, Pool, Values


@explains_keywords
class Accessor(Bound):
    """Bounds on a ranking's performance, from known positives and unlabeled examples.

    Called with what the columns mean it returns a new accessor; then come the questions. Made of a
    source, rows of any kind, and of its roles.

    Raises
    ------
    PUKeyError
        By each question: if there is no such column, or beta lacks a group.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.
    PUValueError
        If one has a value that is not allowed, labels are ambiguous, or no row is a known
        positive. In a group, the error names it.
    """

    def __call__(
        self,
        *,
        score: ColumnNames = KEPT,
        label: Hashable = KEPT,
        by: ColumnNames | None = KEPT,
        propensity: Hashable | None = KEPT,
        cluster: Hashable | None = KEPT,
        weight: Hashable | None = KEPT,
        positive: Values = KEPT,
        negative: Values = KEPT,
        unlabeled: Values = KEPT,
        nan_policy: str = KEPT,
        on_error: str = KEPT,
        progress: bool = KEPT,
        pool: Pool = KEPT,
        monotone: bool = KEPT,
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
        cluster : hashable, optional
            Column that says which rows belong together: several of one patient, user or site.
            Intervals on new examples then count clusters, not rows.
        weight : hashable, optional
            Column that says for how many rows each stands, 1 or more: 10 where one in ten was
            kept. Beta is then the weighted share. Numbers are as of so many rows, and intervals
            as of one cluster for each row.
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
        monotone : bool, default False
            Take for granted that a higher score never means a smaller probability of being
            positive. Estimates are then those of such scores, and far more precise where that is
            so; bounds on these examples do not change.

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
           beta  standard_error  estimate  lower  upper
        0   0.5            0.39       1.0    0.1    1.0
        """
        return Accessor(self._source, self._roles.told(locals()))

    contingency = bounds.contingency
    roc_bounds = bounds.roc_bounds
    pr_bounds = bounds.pr_bounds
    rank_cdf = bounds.rank_cdf
    auroc = estimates.auroc
    average_precision = estimates.average_precision
    metric = estimates.metric
    roc_region = estimates.roc_region
    estimate_beta = prior.estimate_beta
    sample_to_label = prior.sample_to_label
    check_assumptions = assumptions.check_assumptions
    cutoff = utility.cutoff
    select = utility.select
    compare = comparison.compare
    dominance = comparison.dominance
    robustness = comparison.robustness
    gap = comparison.gap
    boyce = utility.boyce
    calibration = utility.calibration
    bedroc = utility.bedroc
    net_benefit = utility.net_benefit
    gain = utility.gain
    plot_roc = plots.plot_roc
    plot_pr = plots.plot_pr
    plot_rank_cdf = plots.plot_rank_cdf
    plot_metric = plots.plot_metric
    plot_table = plots.plot_table
    plot_against_beta = plots.plot_against_beta
    plot_check_assumptions = assumptions.plot_check_assumptions
    plot_forest = utility_plots.plot_forest
    plot_robustness = utility_plots.plot_robustness
    plot_net_benefit = utility_plots.plot_net_benefit
    plot_gain = utility_plots.plot_gain
    plot_boyce = utility_plots.plot_boyce
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
        try:
            with refuse_signals():
                return self._source.summary(self._roles)
        except PUError as error:
            names = "df.pu(score='my_score', label='my_label')"
            return {"not ready": str(error), "other columns": names}

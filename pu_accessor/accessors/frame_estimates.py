"""A part of ``df.pu``: numbers with intervals."""

from collections.abc import Hashable

import pandas as pd

from pu_accessor.accessors.frame_tables import FrameTables
from pu_accessor.inference import estimates, targets
from pu_accessor.inference.bands import Band
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.shares import Interval
from pu_accessor.inference.targets import At
from pu_accessor.ranking import Ranks
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.labels import Values

__all__ = ["FrameEstimates"]


class FrameEstimates(FrameTables):
    """Areas and metrics of a frame, or of each of its groups, with intervals."""

    def auroc(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        beta_interval: Interval | None = None,
        max_fpr: float | None = None,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> pd.DataFrame:
        """Estimate the area under the ROC curve, with an interval.

        It comes from the ranks of the known positives alone and is unbiased at any beta; the
        interval is narrower than the range between bounding curves where few positives are known.

        Parameters
        ----------
        beta : float, array-like of float, or mapping, Series or DataArray of float by group
            Fraction of positives among the unlabeled, in [0, 1).
        score, label, by
            As in `contingency`.
        propensity : hashable, optional
            Column of the probabilities with which positives are labeled, as in `contingency`: the
            ranks of the known ones are then weighted by one over it.
        level : float, default 0.95
            Probability with which the interval covers, in (0, 1).
        beta_interval : (float, float), optional
            Where beta may lie, around the point that is passed: adds the columns envelope_lower
            and envelope_upper, the lowest lower and the highest upper limit while beta varies.
        max_fpr : float in (0, 1], optional
            Take the curve up to this false positive rate, standardised [1]_ so that chance is 0.5
            and perfection 1, as ``sklearn.metrics.roc_auc_score(max_fpr=...)`` does.
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        DataFrame
            A row for each group and beta: the group, beta, estimate, standard_error, lower,
            upper, level.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if there are no negatives, or `max_fpr` is not in (0, 1].

        Warns
        -----
        PUWarning
            If there is one known positive alone (no standard error: the interval is NaN), or an
            estimate lies outside [0, 1]: beta is infeasible.

        Notes
        -----
        With R the mid-ranks from the top of the n known positives among N examples, P = n +
        beta*U and M = N - P, the estimate is 1 - (mean(R) - (P + 1)/2)/M and its standard error
        sd(R)/sqrt(n) * sqrt(1 - n/P)/M. The interval is Student's t on the logit scale of the
        share of examples that rank below a known positive, on average, which lies in (0, 1) at any
        beta; cut off at 0 and 1. For two known positives, or where all have one rank, the areas
        under the bounding curves of the band "exact" stand instead.

        References
        ----------
        .. [1] D. K. McClish, *Analyzing a portion of the ROC curve*, Medical Decision Making 9
           (1989) 190-195.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
        >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
        >>> df.pu.auroc(beta=0.25).round(3)
           beta  estimate  standard_error  lower  upper  level
        0  0.25     0.792           0.132  0.341    1.0   0.95
        """
        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, "breakpoints", propensity)
        return estimates.auroc(
            rankings,
            beta,
            level=level,
            beta_interval=beta_interval,
            max_fpr=max_fpr,
            on_error=on_error,
            progress=progress,
        )

    def average_precision(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        beta_interval: Interval | None = None,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> pd.DataFrame:
        """Estimate the average precision, with an interval.

        Parameters
        ----------
        beta : float, array-like of float, or mapping, Series or DataArray of float by group
            Fraction of positives among the unlabeled, in [0, 1].
        score, label, by, propensity, level, beta_interval
            As in `auroc`.
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        DataFrame
            As `auroc`.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`.

        Warns
        -----
        PUWarning
            As `auroc`; for one known positive alone there is no estimate at all.

        Notes
        -----
        The mean over all positives of the precision at their cutoff, the end of their block of
        ties, as in scikit-learn. For a known positive with k known ones among the r examples at or
        above that, precision is estimated by [1 + (P - 1)/(n - 1)*(k - 1)]/r. Their mean is
        unbiased; its standard error is that of the jackknife [1]_ times sqrt(1 - n/P). The
        interval is Student's t on the scale of 1/AP, at most 1, with degrees of freedom by the
        kurtosis of the jackknife's pseudo-values. For two known positives the areas under the
        bounding curves of the band "exact" stand instead.

        References
        ----------
        .. [1] J. N. Arvesen, *Jackknifing U-statistics*, Annals of Mathematical Statistics 40
           (1969) 2076-2100.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
        >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
        >>> df.pu.average_precision(beta=0.25).round(3)
           beta  estimate  standard_error  lower  upper  level
        0  0.25     0.715           0.137  0.374    1.0   0.95
        """
        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, "breakpoints", propensity)
        return estimates.average_precision(
            rankings,
            beta,
            level=level,
            beta_interval=beta_interval,
            on_error=on_error,
            progress=progress,
        )

    def metric(
        self,
        name: str | Metric,
        beta: GroupBeta,
        *,
        at: At,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> pd.DataFrame:
        """Evaluate a metric at the cutoff that a person reports, with its interval.

        Parameters
        ----------
        name : str or callable
            As in ``ds.pu.metric``: "precision", "f1", ..., or a function of tp, fp, fn, tn.
        beta : float, array-like of float, or mapping, Series or DataArray of float by group
            Fraction of positives among the unlabeled, in [0, 1].
        at : int, mapping of str to float, or {"youden", "maximum"}
            The cutoff: a rank, which is a number of examples predicted positive, or one of
            ``{"rank": 100}``; ``{"threshold": 0.5}``; ``{"fraction": 0.1}``; ``{"fpr": 0.05}``,
            the last cutoff whose estimated false positive rate is at most that;
            ``{"recall": 0.9}``, the first whose estimated recall is at least that. "youden" is
            where the estimated informedness is highest, "maximum" where that of the metric is.
        score, label, by, propensity, level, reference
            As in `contingency`.
        beta_interval : (float, float), optional
            Where beta may lie: adds the columns envelope_lower and envelope_upper, the lowest and
            highest that the bounds get at this cutoff while beta varies.
        band : {"exact", "simultaneous", "bootstrap", "dkw"} or callable, default "exact"
            Where the interval comes from. A cutoff chosen by a maximum looks better than it is:
            for it "exact" becomes "simultaneous", which holds at all cutoffs jointly.
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        DataFrame
            A row for each group and beta: the group, beta, metric, rank, threshold, estimate,
            lower, upper, level, band. Lower is the smaller number, also of an error rate.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if `at` is unknown, or outside the curve.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
        >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
        >>> df.pu.metric("precision", beta=0.25, at=4)[["estimate", "lower", "upper"]]
           estimate  lower  upper
        0      0.75    0.5    1.0
        """
        coding = Coding(positive, negative, unlabeled, nan_policy)
        ranks: Ranks = "all" if callable(name) and isinstance(at, str) else "breakpoints"
        rankings = self._rank(score, label, by, coding, ranks, propensity)
        return targets.metric_at(
            rankings,
            name,
            beta,
            at=at,
            level=level,
            band=band,
            reference=reference,
            beta_interval=beta_interval,
            on_error=on_error,
            progress=progress,
        )

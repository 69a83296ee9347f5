"""The first half of ``df.pu``: a frame's columns -> bounded tables and curves."""

from collections.abc import Hashable

import pandas as pd
import xarray as xr

from pu_accessor.errors import PUValueError
from pu_accessor.inference import metrics, tables
from pu_accessor.inference.bands import Band
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.inference.groups import ask
from pu_accessor.inference.shares import Beta, Interval
from pu_accessor.ranking import Keyed, PairedRanks, Ranking, Rankings, Ranks
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.frames import rank_frame
from pu_accessor.sources.groups import Grouping, Groups, group_frame, read_groups
from pu_accessor.sources.labels import Values
from pu_accessor.sources.pairs import pair_models

__all__ = ["FrameTables"]


class FrameTables:
    """Bounded tables and curves of a frame, or of each of its groups.

    Parameters
    ----------
    frame : DataFrame
        A row for each example, with columns of scores and of labels.
    grouped : DataFrameGroupBy, optional
        The groupby that the accessor sits on.
    """

    def __init__(self, frame: pd.DataFrame, grouped: Grouping | None = None) -> None:
        self._frame = frame
        self._grouped = grouped

    def contingency(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
        ranks: Ranks = "all",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> xr.Dataset:
        """Bound the contingency table at each cutoff ([1]_, Theorem 1 and section 4).

        Parameters
        ----------
        beta : float, array-like of float, or mapping or Series of float by group
            Fraction of positives among the unlabeled, in [0, 1]. 0 treats them as negative.
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
        level : float, default 0.95
            Probability with which a band covers, in (0, 1): at each cutoff for "exact" and
            "bootstrap", at all cutoffs jointly for "simultaneous" and "dkw".
        band : {"exact", "simultaneous", "bootstrap", "dkw"} or callable, default "exact"
            Bounds on the latent positives in the head; a callable as in
            `pu_accessor.contingency`.
        reference : {"positives", "negatives", "tightest", "both"}, default "positives"
            Which known examples the band starts from. Known negatives, a random sample of the
            negatives, bound the latent ones below each cutoff. "tightest" takes, for each beta,
            the kind that gives the narrower range of AUROC; "both" what two bands at half of
            1 - level have in common.
        beta_interval : (float, float), optional
            Where beta may lie, around the point that is passed: curves, metrics and areas of
            the tables get an envelope, which is drawn hatched.
        ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
            Every attained cutoff; the few between which all curves are straight in (fp, tp); or
            the last attained cutoff at or before each of these numbers of examples.
        positive, negative, unlabeled : value or list of values, optional
            What stands for each state in another coding of the labels.
        nan_policy : {"raise", "omit", "worst"}, default "raise"
            Rows without a score raise, are dropped, or rank last (one shared cutoff).
        on_error : {"raise", "skip"}, default "raise"
            A group that cannot be bounded is named in an error, or left out with a warning.
        progress : bool, default False
            Show a bar while going through the groups (needs tqdm).

        Returns
        -------
        Dataset
            `tp`, `fp`, `fn`, `tn` (int64, examples) and `clipped` (bool) over
            (rank, bound, beta), with the coordinates `threshold` (float64) and `known_positive`
            (int64, those at or above the cutoff). The attribute `beta_limit` is the upper limit on
            beta by `estimate_beta` at this level. Two kinds of known examples add `tightest`, the
            one with the narrower range of AUROC for each beta; an interval of beta adds
            `interval_tp`, the bounds at some betas within.

            Groups come first: a dimension named after `by`; "model" for a list of scores; "group"
            with a MultiIndex for several. All share one rank axis: where a group has no cutoff,
            its last one at or before that rank stands. `threshold` and the numbers of examples
            are then coordinates over the groups, and so is a `beta` given by group.

        Raises
        ------
        PUKeyError
            If there is no such column, or beta lacks a group.
        PUValueError
            If an argument or a column has a value that is not allowed, labels are ambiguous, or
            no row is a known positive. In a group, the error names it.
        PUTypeError
            If an argument or a column is of a kind that is not allowed.

        Warns
        -----
        PUWarning
            If groups are left out; if a beta exceeds the limit that the known positives set; if
            propensities make the effective number of known positives smaller than 10.

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> tables = df.pu.contingency(beta=0.5, ranks=[3, 6])
        >>> tables["tp"].sel(beta=0.5).to_series().unstack("bound")
        bound  lower  estimate  upper
        rank
        3          2         3      3
        6          3         6      6
        """

        def question(ranking: Ranking, beta: Beta) -> xr.Dataset:
            return tables.contingency(
                ranking,
                beta,
                level=level,
                band=band,
                reference=reference,
                beta_interval=beta_interval,
            )

        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, ranks, propensity)
        return ask(rankings, beta, question, on_error=on_error, progress=progress)

    def roc_bounds(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
        ranks: Ranks = "breakpoints",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> xr.Dataset:
        """Bound the ROC curve.

        Parameters
        ----------
        beta, score, label, by, propensity, level, band, reference, beta_interval
            As in `contingency`.
        ranks : {"breakpoints", "all"}, int or array-like of int, default "breakpoints"
            As in `contingency`. Between breakpoints the curve is straight.
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        Dataset
            `fpr` and `tpr` (float64) over (rank, bound, beta), groups first as in `contingency`.
            At each cutoff ``bound="upper"`` has the highest tpr and the lowest fpr. With an
            interval of beta also `tpr_envelope` over (fpr_grid, envelope): the lowest and highest
            tpr at each fpr while beta varies.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> curves = df.pu.roc_bounds(beta=0.5)
        >>> curves["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
        """

        def question(ranking: Ranking, beta: Beta) -> xr.Dataset:
            return metrics.roc(
                tables.contingency(
                    ranking,
                    beta,
                    level=level,
                    band=band,
                    reference=reference,
                    beta_interval=beta_interval,
                )
            )

        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, ranks, propensity)
        return ask(rankings, beta, question, on_error=on_error, progress=progress)

    def pr_bounds(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
        ranks: Ranks = "breakpoints",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> xr.Dataset:
        """Bound the precision-recall curve.

        Parameters
        ----------
        beta, score, label, by, propensity, level, band, reference, beta_interval
            As in `contingency`.
        ranks : {"breakpoints", "all"}, int or array-like of int, default "breakpoints"
            As in `contingency`. Between breakpoints tp and fp run straight, precision does not.
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        Dataset
            `recall` and `precision` (float64) over (rank, bound, beta), groups first as in
            `contingency`; precision at rank 0 is 1. With an interval of beta also
            `precision_envelope` over (recall_grid, envelope): the lowest and highest precision at
            each recall while beta varies.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> curves = df.pu.pr_bounds(beta=0.5)
        >>> curves["precision"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.667, 'estimate': 1.0, 'upper': 1.0}
        """

        def question(ranking: Ranking, beta: Beta) -> xr.Dataset:
            return metrics.pr(
                tables.contingency(
                    ranking,
                    beta,
                    level=level,
                    band=band,
                    reference=reference,
                    beta_interval=beta_interval,
                )
            )

        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, ranks, propensity)
        return ask(rankings, beta, question, on_error=on_error, progress=progress)

    def _rank(
        self,
        score: Hashable | list[Hashable],
        label: Hashable,
        by: Hashable | list[Hashable] | None,
        coding: Coding,
        ranks: Ranks,
        propensity: Hashable | None = None,
    ) -> Rankings:
        """Rank the rows of the frame, of each group, by each column of scores."""
        groups = self._groups(by)
        return rank_frame(
            self._frame,
            score=score,
            label=label,
            propensity=propensity,
            groups=groups,
            coding=coding,
            ranks=ranks,
        )

    def _pair(
        self,
        score: Hashable | list[Hashable],
        label: Hashable,
        by: Hashable | list[Hashable] | None,
        on: Hashable | list[Hashable] | None,
        coding: Coding,
    ) -> Keyed[PairedRanks]:
        """Rank the same rows, or examples, by several models."""
        groups = self._groups(by)
        return pair_models(
            self._frame, score=score, label=label, groups=groups, on=on, coding=coding
        )

    def _groups(self, by: Hashable | list[Hashable] | None) -> Groups | None:
        """Return the rows of each group, from `by` or the groupby."""
        if self._grouped is None:
            return None if by is None else group_frame(self._frame, by)
        if by is not None:
            raise PUValueError(
                f"by must not be passed on a groupby, but {by!r} was. Group by all keys at once: "
                "df.groupby([...]).pu."
            )
        return read_groups(self._grouped)

"""A part of ``df.pu``: which of several models is better."""

from collections.abc import Hashable

import pandas as pd

from pu_accessor.accessors.frame_tables import FrameTables
from pu_accessor.errors import PUValueError
from pu_accessor.inference import comparison, dominance
from pu_accessor.inference.bands import Band
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.labels import Values

__all__ = ["FrameComparison"]


class FrameComparison(FrameTables):
    """Comparisons of the models in a frame, or of its groups."""

    def compare(
        self,
        beta: GroupBeta | None = None,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        on: Hashable | list[Hashable] | None = None,
        level: float = 0.95,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> pd.DataFrame:
        """Compare the AUROC of models that ranked the same examples: no beta is needed.

        The difference between two models is the mean difference of the ranks of the known
        positives, divided by the number of negatives. Its sign, and whether it can be chance, do
        not depend on beta. Its size does: for that, pass `beta`.

        Parameters
        ----------
        beta : float, array-like of float, or mapping or Series of float by group, optional
            Fraction of positives among the unlabeled, in [0, 1]. Without it there is no size.
        score : hashable or list of hashable, default "score"
            A list has a column for each model.
        label : hashable, default "label"
            As in `contingency`.
        by : hashable or list of hashable, optional
            Columns whose values are the models, where a row is an example and a model; with a
            list of scores, groups in each of which the models are compared.
        on : hashable or list of hashable, optional
            Columns that identify an example, to pair the rows of the models in `by`.
        level : float, default 0.95
            Probability of coverage of the interval, in (0, 1).
        positive, negative, unlabeled : value or list of values, optional
            As in `contingency`.
        nan_policy : {"raise", "omit", "worst"}, default "raise"
            As in `contingency`; "omit" drops an example that any model has no score for.
        on_error, progress
            As in `contingency`, for groups in each of which models are compared.

        Returns
        -------
        DataFrame
            A row for each pair of models, a before b; with `beta` for each pair and beta.

            * model_a, model_b (after the name of `by`) : the two models.
            * beta, difference, lower, upper, level (only with `beta`) : AUROC of a minus that of
              b, a share in [-1, 1], and its interval.
            * sign : 1 where a has the higher AUROC, -1 where b has, 0 where neither has.
            * statistic, df, p_value : Student's t, its degrees of freedom, two-sided p value.
            * p_holm : the p value adjusted for all pairs (of a group) [1]_.
            * n : known positives.

            Without `beta`, ``.attrs["size"]`` says what the size of the difference needs.

        Raises
        ------
        PUKeyError
            If there is no such column.
        PUValueError
            If there are fewer than two models; if examples are not in every group of rows, are
            there twice, or have different labels (the message counts them); if an argument or a
            column has a value that is not allowed.
        PUTypeError
            If an argument or a column is of a kind that is not allowed.

        Warns
        -----
        PUWarning
            If the known positives do not say how far the difference can be off: there is one
            alone, or all differ by the same number of ranks.

        See Also
        --------
        compare_unpaired : For groups that share no examples.

        Notes
        -----
        With R the mid-ranks from the top of the n known positives among N examples, P = n +
        beta*U, and d = R_b - R_a, the difference is mean(d)/(N - P), and t =
        mean(d)/(sd(d)/sqrt(n)) with n - 1 degrees of freedom. P value and interval agree: at level
        .95 the interval leaves out 0 exactly where p < .05, whatever beta. They treat the
        negatives as given, and are conservative for these examples where many of the positives
        are known.

        References
        ----------
        .. [1] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
           Journal of Statistics 6 (1979) 65-70.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> df = pd.DataFrame({"label": [1, None, 1, None, 1, None, None, None]})
        >>> df["svm"], df["forest"] = [8, 2, 7, 1, 6, 5, 4, 3], [3, 8, 7, 6, 5, 4, 2, 1]
        >>> compared = df.pu.compare(score=["svm", "forest"])
        >>> compared[["model_a", "model_b", "sign", "p_value"]].round(3)
          model_a model_b  sign  p_value
        0     svm  forest     1    0.321
        >>> sized = df.pu.compare(beta=0.2, score=["svm", "forest"])
        >>> sized[["model_a", "model_b", "beta", "difference", "lower", "upper"]].round(2)
          model_a model_b  beta  difference  lower  upper
        0     svm  forest   0.2         0.5  -1.14   2.14
        """
        models = self._pair(
            score, label, by, on, Coding(positive, negative, unlabeled, nan_policy)
        )
        return comparison.compare_paired(
            models, beta, level=level, on_error=on_error, progress=progress
        )

    def compare_unpaired(
        self,
        beta: GroupBeta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        level: float = 0.95,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> pd.DataFrame:
        """Compare the AUROC of groups that share no examples: Welch's two-sample test.

        Parameters
        ----------
        beta : float, array-like of float, or mapping or Series of float by group
            Fraction of positives among the unlabeled, in [0, 1].
        score, label : hashable
            As in `contingency`; one column of scores.
        by : hashable or list of hashable
            Columns whose values make the groups, unless the accessor sits on a groupby.
        level : float, default 0.95
            Probability of coverage of the interval, in (0, 1).
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        DataFrame
            A row for each pair of groups, a before b, and beta: the columns of `compare` with
            `beta`, without sign; n_a, n_b are the known positives of each; beta_a, beta_b stand
            for beta where it is given by group. P values are adjusted for all pairs at a beta.

        Raises
        ------
        PUKeyError
            If there is no such column, or beta lacks a group.
        PUValueError, PUTypeError
            As in `contingency`; also if there are fewer than two groups, or no negatives in one.

        Warns
        -----
        PUWarning
            If a group has one known positive alone: its statistics are NaN.

        See Also
        --------
        compare : For models that ranked the same examples: sharper, and without beta.

        Notes
        -----
        With R the mid-ranks from the top of the n known positives among N examples, P = n +
        beta*U and M = N - P, AUROC is 1 - (mean(R) - (P + 1)/2)/M, and its standard error
        sd(R)/sqrt(n) * sqrt(1 - n/P)/M.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [1, None, 1, None, None, 1, None, None, None, 1, None, 1, 1, None]
        >>> df = pd.DataFrame({"hospital": list("ab" * 7), "score": range(14), "label": label})
        >>> compared = df.pu.compare_unpaired(beta={"a": 0.3, "b": 0.1}, by="hospital")
        >>> compared[["hospital_a", "hospital_b", "difference", "lower", "upper"]].round(2)
          hospital_a hospital_b  difference  lower  upper
        0          a          b       -0.42  -1.85    1.0
        """
        if isinstance(score, list):
            raise PUValueError(
                f"score must name one column, but {score!r} was passed. Models of the same rows "
                "are compared with df.pu.compare(score=[...])."
            )
        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, "breakpoints")
        return comparison.compare_unpaired(
            rankings, beta, level=level, on_error=on_error, progress=progress
        )

    def dominance(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> pd.DataFrame:
        """Compare where the ROC curves of models lie, at each beta ([1]_, section 6.2).

        Parameters
        ----------
        beta, score, label, by, level, band, reference
            As in `contingency`. With both `by` and a list of scores each model of each group is
            compared with all others.
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        DataFrame
            A row for each pair of models, a before b, and beta.

            * model_a, model_b (after the name of `by`) : the two models.
            * beta, or beta_a and beta_b where it is given by group.
            * dominates : the model whose central curve is nowhere below and somewhere above the
              other's, or None.
            * equal : bool, whether the central curves coincide.
            * disjoint : bool, whether the lower curve of one model lies above the upper curve of
              the other at each false positive rate, save where both are at an end.
            * crossings : tuple of float, the false positive rates at which the lead passes from
              one central curve to the other.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if there are fewer than two models, or no negatives.

        Notes
        -----
        A curve counts as high as it gets at or left of a false positive rate: it never falls.

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> df = pd.DataFrame({"label": [1, None, 1, None, 1, None, None, None]})
        >>> df["svm"], df["forest"] = [8, 2, 7, 1, 6, 5, 4, 3], [3, 8, 7, 6, 5, 4, 2, 1]
        >>> df.pu.dominance(beta=0.2, score=["svm", "forest"]).loc[0, "dominates"]
        'svm'
        """
        tables = self.contingency(
            beta,
            score=score,
            label=label,
            by=by,
            level=level,
            band=band,
            reference=reference,
            ranks="breakpoints",
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
            on_error=on_error,
            progress=progress,
        )
        return dominance.dominance(tables)

"""A part of ``df.pu``: what beta can be."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from pu_accessor.accessors.frame_tables import FrameTables
from pu_accessor.inference import prior
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.frames import sample_unlabeled
from pu_accessor.sources.labels import Values

__all__ = ["FramePrior"]


class FramePrior(FrameTables):
    """Limits and estimates of beta for a frame, or each of its groups."""

    def estimate_beta(
        self,
        *,
        method: str = "feasible",
        score: Hashable | list[Hashable] = "score",
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
        """Estimate the fraction of positives among the unlabeled, as far as the data allow.

        Parameters
        ----------
        method : {"feasible", "two_sided", "mean_matching"}, default "feasible"
            From known positives and unlabeled rows alone there is an *upper limit* only, and the
            largest beta that is still plausible: "feasible". The other two need known negatives
            that are a random sample of the negatives; choosing one says that they are.
        score, label, by
            As in `contingency`.
        level : float, default 0.95
            Probability of coverage, in (0, 1).
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in `contingency`.

        Returns
        -------
        DataFrame
            A row for each group: the group, beta, lower, upper, level, method, and assumptions,
            a sentence.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if nothing is unlabeled, or a method lacks known negatives.

        Warns
        -----
        PUWarning
            If the data say little or nothing about beta, or speak against the assumptions: known
            positives above nearly all unlabeled rows, or above them even at the very top.

        Notes
        -----
        With M latent positives, k of n known positives and h unlabeled rows at or above a cutoff,
        M is feasible at delta if max(k/n - min(h, M)/M) is at most sqrt(ln(1/delta)/2 * (1/n +
        1/M)). "feasible" takes the largest such M, at delta = 1 - level for the upper limit and
        0.5 for beta, which equals the true one only where negatives never reach the top of the
        ranking. In-sample scores and labels that are no random sample break every method.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> import pu_accessor
        >>> truth = np.arange(4000) < 1000  # 500 of them known: beta is 500/3500
        >>> score = np.random.default_rng(0).normal(3 * truth)
        >>> label = np.where(np.arange(4000) < 500, 1, np.nan)
        >>> df = pd.DataFrame({"score": score, "label": label})
        >>> df.pu.estimate_beta()[["beta", "lower", "upper", "method"]].round(3)
            beta  lower  upper    method
        0  0.126    0.0  0.155  feasible
        """
        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, "breakpoints")
        return prior.estimate_beta(
            rankings, method=method, level=level, on_error=on_error, progress=progress
        )

    def sample_to_label(
        self,
        size: int,
        *,
        random_state: int | np.random.Generator,
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
    ) -> pd.DataFrame:
        """Draw unlabeled rows at random, to label by hand.

        Their labels give beta with an interval that needs no assumption at all:
        `pu_accessor.beta_from_labels`. `pu_accessor.labels_needed` says how many it takes.

        Parameters
        ----------
        size : int
            How many rows to draw, of each group.
        random_state : int or numpy Generator
            Seed, so that the same rows are drawn again.
        label, by
            As in `contingency`.
        positive, negative, unlabeled : value or list of values, optional
            As in `contingency`.

        Returns
        -------
        DataFrame
            Rows of the frame with their index, in the order drawn.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if there are not as many unlabeled rows.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> df = pd.DataFrame({"score": range(6), "label": [None, 1, None, None, 1, None]})
        >>> sorted(df.pu.sample_to_label(2, random_state=0).index)
        [3, 5]
        """
        coding = Coding(positive, negative, unlabeled)
        return sample_unlabeled(
            self._frame,
            size,
            label=label,
            groups=self._groups(by),
            coding=coding,
            random_state=random_state,
        )

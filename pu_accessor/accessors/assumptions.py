"""Questions to rankings: whether the data contradict what all answers take for granted."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.errors import PUValueError
from pu_accessor.questions import assumptions
from pu_accessor.questions.betas import Beta, read_betas

if TYPE_CHECKING:
    pass


def check_assumptions(
    self: Bound,
    beta: Beta | None = None,
    *,
    wave: Hashable | None = None,
    strata: Hashable | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Look whether the data contradict labels at random, or beta.

    Each check is a test that sees some failures and is blind to others. A small p value speaks
    against an assumption. A large one proves nothing: no check shows that labels are random.

    Parameters
    ----------
    beta : Beta, optional
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.

        Without it what needs beta is left out. Not an estimate with its interval: pass its point,
        and its ends.
    wave : hashable, optional
        Column that says when, where or by whom each known positive was labeled. It is not read of
        other rows, and known positives without one are in no wave.
    strata : hashable, optional
        Column that says what rows have in common, such as site, year or sex. Not made from labels.
    level : float, default 0.95
        At which `finding` speaks of a contradiction, where p is at most 1 - level; and at which
        `odds_at_least` is a lower limit.

    Returns
    -------
    DataFrame
        A row for each group, check that the data allow, and beta where it needs one: the group,
        check, beta, statistic, odds_at_least, p_value and finding, a sentence; level is an
        attribute. `odds_at_least` is by which factor the odds of being labeled differ between some
        two positives, at least, if beta is right; 1 where random labels will do, NaN where a check
        does not say. Checks:

        * "waves", with `wave`: known positives of all waves have the same ranks among the rest.
          Sees that one source labels easier positives than another. Blind to what all share.
        * "strata", with `strata` and beta: no stratum has more known positives, of its rows that
          may be positive, than n/(n + m) leaves to chance. Sees favour in strata where most
          rows are positive. Blind to strata that are never labeled, and wherever few are.
        * "negatives", with known negatives and beta: AUROC by beta is that against the known
          negatives, which needs no beta. Sees a beta that is too high or too low, and labels that
          favour one end of the ranking. Blind to two errors that make up for each other.
        * "limit", with beta: known positives leave room for so many latent ones. The test behind
          the limit of `estimate_beta`. Sees a beta that is too high. Blind to one too low.
        * "monotone": scores are such that ``monotone=True`` can be. Sees blocks of scores that
          hold more positives than higher ones. Other answers do not need it.

        With ``cluster=`` bound, waves alone are checked. Of 20 checks one is below .05 by chance.

    Raises
    ------
    PUDataError
        If a wave has one known positive, or there are fewer than two.
    PUTypeError
        If beta is an estimate; or `wave` or `strata` is passed for rows that are in no frame.
    PUValueError
        If `strata` is passed without beta, or with clusters; if the columns have propensities or
        weights, or groups are pooled.

    See Also
    --------
    robustness : How far labels may be from random before a conclusion breaks.
    estimate_beta : What beta can be.

    Notes
    -----
    * Waves: the statistic of Kruskal and Wallis [1]_ on the shares of the rest above, with
      p from 999 to 9,999 permutations. Clusters trade waves as a whole.
    * Strata: with s of n + m positives in a stratum, of which n are known, the known ones there
      are hypergeometric; s is at most the number of its rows that may be positive. Holm's p value
      over strata [2]_. The statistic is the share of the stratum with the least. The odds are the
      least at which Fisher's noncentral hypergeometric is no surprise.
    * Negatives: known positives lie above an unlabeled row with a probability of
      T = beta/2 + (1 - beta)*A, and above a known negative with A; Student's t of the difference.
    * Limit: D = max(k/n - min(h, m)/m) over cutoffs with k known positives and h unlabeled rows;
      p = exp(-2*D**2/(1/n + 1/m)).
    * Monotone: p is the smallest of .5, .2, .1, .05, .02, .01 and so on, and 1 - level, at which
      the simultaneous band of that level holds no concave curve.

    References
    ----------
    .. [1] W. H. Kruskal, W. A. Wallis, *Use of ranks in one-criterion variance analysis*, Journal
       of the American Statistical Association 47 (1952) 583-621.
    .. [2] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal
       of Statistics 6 (1979) 65-70.

    Examples
    --------
    Site b labels positives that are easy to see:

    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(2000) < 400
    >>> score = np.random.default_rng(0).normal(1.5 * truth)
    >>> site = np.where(np.arange(2000) % 2, "a", "b")
    >>> known = truth & np.where(site == "a", np.arange(2000) < 120, score > 2)
    >>> df = pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan), "site": site})
    >>> found = df.pu.check_assumptions(wave="site")
    >>> found[["check", "statistic", "p_value"]].round(3)
          check  statistic  p_value
    0     waves     28.922      0.0
    1  monotone        NaN      1.0
    >>> print(found["finding"][0].split(":")[0])
    Ranks of the waves differ
    """
    _refuse_roles(self, strata)
    betas = None if beta is None else read_betas(beta)
    return assumptions.check_assumptions(self._request(), betas, wave, strata, level)


def _refuse_roles(bound: Bound, strata: Hashable | None) -> None:
    """Raise if columns say that labels are not random, or that rows are not ranked as they are."""
    roles = bound._held
    for role, none in (("propensity", None), ("weight", None), ("pool", False)):
        if (value := getattr(roles, role)) not in (none, []):
            raise PUValueError(
                f"{role} must be left out of check_assumptions, but {value!r} is bound: what is "
                "checked is that labels are random, of rows that are ranked together and count "
                f"once. Leave it out: {role}={none}."
            )
    if strata is not None and roles.cluster is not None:
        raise PUValueError(
            f"strata must be left out with cluster={roles.cluster!r}, but {strata!r} was passed: "
            "how many are known by chance is not known of rows that belong together. Leave one "
            "of the two out; waves count clusters.",
            page="assumptions",
        )

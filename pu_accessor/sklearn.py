"""``pu_accessor.sklearn.scorer`` chooses models in scikit-learn by known positives alone.

scikit-learn itself is imported where metadata is routed, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from pu_accessor.beta import Beta
from pu_accessor.checks import as_betas, with_example
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.areas_on_future_data import unbiased_ap
from pu_accessor.inference.estimates.cutoff_spec import At, read_at
from pu_accessor.inference.estimates.estimate_metric import estimate_metric
from pu_accessor.inference.estimates.weighted_areas import weighted_ap, weighted_auroc
from pu_accessor.inference.influence import auroc_on_new
from pu_accessor.inference.metrics import AnyMetric, Metric, read_metric
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import Ranking
from pu_accessor.sources.columns import as_series
from pu_accessor.sources.frames import source_of_arrays
from pu_accessor.sources.label_states import read_labels
from pu_accessor.terms import Terms, Values

__all__ = ["scorer"]

RESPONSES = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class Scorer:
    """What `scorer` makes: called with an estimator, examples and labels it returns a number."""

    metric: Metric
    beta: float | None = None  # fraction of positives among the unlabeled
    at: At | None = None
    positive: Values = None
    negative: Values = None
    unlabeled: Values = None
    responses: tuple[str, ...] = RESPONSES  # methods of the estimator, the first that it has
    # Whether propensities, and weights, are asked for where metadata is routed.
    requested: tuple[bool | str | None, bool | str | None] = (None, None)

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, propensity: Any = None, sample_weight: Any = None
    ) -> float:
        """Score an estimator on examples that it was not fitted to: greater is better."""
        if issparse(y):
            raise PUTypeError(
                "y must be a one-dimensional array of labels, but a sparse matrix was passed. "
                "Make it dense: y.toarray().ravel()."
            )
        columns, others = (
            (self._score(estimator, X), as_series("y", y)),
            {"propensity": propensity, "weight": sample_weight},
        )
        source, roles = source_of_arrays(*columns, self._roles(), **others)
        every = self.metric.is_function and self.at in ("maximum", "youden")
        rankings = source.rank(roles, "all" if every else "breakpoints")
        value = self._estimate(rankings.make(0))
        return -value if self.metric.less_is_better else value

    def set_score_request(
        self, *, propensity: bool | str | None = None, sample_weight: bool | str | None = None
    ) -> Scorer:
        """Ask for propensities, or weights, where scikit-learn routes metadata.

        Parameters
        ----------
        propensity, sample_weight : bool, str or None
            Whether they are passed on to this scorer, or the name under which they come; None
            raises where they come.

        Returns
        -------
        Scorer
            A new one.
        """
        return replace(self, requested=(propensity, sample_weight))

    def get_metadata_routing(self) -> Any:
        """Return what metadata this scorer asks for."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="scorer")
        for name, alias in zip(("propensity", "sample_weight"), self.requested, strict=True):
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        names = ("beta", "at", "positive", "negative", "unlabeled")
        values = [(name, getattr(self, name)) for name in names]
        said = [f"{name}={value!r}" for name, value in values if value is not None]
        name = self.metric.name
        first = name if self.metric.is_function else repr(name)
        return f"scorer({', '.join([first, *said])})"

    def _roles(self) -> Terms:
        """Return how labels are read."""
        return Terms(positive=self.positive, negative=self.negative, unlabeled=self.unlabeled)

    def _score(self, estimator: Any, examples: Any) -> Any:
        """Return the scores of examples, higher for the positive class."""
        name = next((name for name in self.responses if hasattr(estimator, name)), None)
        if name is None:
            raise PUTypeError(
                f"estimator must have {' or '.join(self.responses)}, to rank examples by, but "
                f"{type(estimator).__name__} has not. Wrap it, for example in "
                "sklearn.calibration.CalibratedClassifierCV(estimator)."
            )
        response = np.asarray(getattr(estimator, name)(examples))
        classes = getattr(estimator, "classes_", None)
        if classes is None:  # of a detector of outliers, say: what it was fitted to is high
            return response
        states = read_labels(pd.Series(classes, name="y"), self._roles(), whole=False)
        if len(classes) != 2 or states.positive.sum() != 1:
            raise PUValueError(
                "estimator must be fitted to two classes, one of them positive, but its classes "
                f"are {list(classes)!r}. Pass positive=... and unlabeled=... to scorer, or fit to "
                "the known positives against all others."
            )
        place = int(np.argmax(states.positive))  # of the positive class
        if response.ndim == 2:
            return response[:, place]
        return response if place else -response

    def _estimate(self, ranking: Ranking) -> float:
        """Return the estimate for a ranking, cut to what there can be."""
        betas, weight = np.array([self.beta or 0.0]), ranking.unequal_weight
        check_labels(betas, ranking.total)
        is_roc = self.metric.curve == "roc"
        values: Any
        if self.at is not None:
            asked = self.metric, ranking, Beta(betas), Settings(), "examples", read_at(self.at)
            values = estimate_metric(*asked).value
        elif weight is not None:
            weighted = weighted_auroc if is_roc else weighted_ap
            values = weighted(ranking, weight, betas, Settings().level).value
        elif is_roc:
            values = auroc_on_new(ranking, betas)
        else:
            values = unbiased_ap(ranking, betas)
        return float(np.clip(values[0], self.metric.low, self.metric.high))


@with_example("pu_accessor.sklearn.scorer('auroc', beta=0.1, unlabeled=0)")
def scorer(
    metric: AnyMetric,
    *,
    beta: float | None = None,
    at: At | None = None,
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
) -> Scorer:
    """Make a scorer for ``cross_val_score``, ``cross_validate`` and ``GridSearchCV``.

    Parameters
    ----------
    metric : {"auroc", "average_precision"}, or a metric by name, or callable
        What to estimate: an area, or a metric at a cutoff, as ``df.pu.metric`` knows them. An
        error rate such as "fpr" is negated, as in scikit-learn, so that greater is better; what a
        function returns is taken as it is.
    beta : float in [0, 1], optional
        Fraction of positives among the unlabeled. AUROC puts models in the same order at any, so
        that it may be left out where a model is chosen; the number then is that of all unlabeled
        examples taken as negative. Recall and fnr at a threshold do without. All else needs it.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        A threshold is one of probabilities.
    positive, negative, unlabeled : value or list of values, optional
        What stands for each state in another coding of the labels.

        At least one is needed. Estimators are mostly fitted to 1 for known positives and 0 for
        all others: then say ``unlabeled=0``. scikit-learn turns the errors of each fold into
        warnings; so this one comes before any fit.

    Returns
    -------
    callable
        From an estimator, examples and labels to a number. Where metadata is routed,
        ``scorer(...).set_score_request(propensity=True)`` asks for propensities, and
        ``sample_weight=True`` for how many rows each stands for.

    Raises
    ------
    PUTypeError, PUValueError
        If nothing has that name, a beta or cutoff is missing, or there is one that plays no role;
        if nothing says what labels mean.

    See Also
    --------
    pandas.DataFrame.pu.auroc : The number with an interval.

    Notes
    -----
    Known positives of the fold that is scored count, and no others. AUROC and average precision
    are unbiased statistics, cut to [0, 1], which small folds exceed. A metric is that of
    ``df.pu.metric``. Intervals come from ``df.pu``, for all folds
    together by ``df.pu(by="fold", pool=True)``.

    Rows that belong together, such as those of a patient, change no estimate, and so no score:
    only how far it can be off. They belong into one fold, ``cv=GroupKFold()`` with
    ``groups=patient``; an interval has ``df.pu(cluster="patient", by="fold", pool=True)``.

    Examples
    --------
    >>> import numpy as np
    >>> import pu_accessor.sklearn
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(4000) < 0.5
    >>> known = truth & (rng.random(4000) < 0.5)
    >>> X = rng.normal(size=(4000, 2)) + truth[:, np.newaxis]
    >>> scoring = pu_accessor.sklearn.scorer("auroc", beta=1 / 3, unlabeled=0)
    >>> cross_val_score(LogisticRegression(), X, known.astype(int), scoring=scoring).round(2)
    array([0.9 , 0.86, 0.84, 0.87, 0.89])
    """
    entry = read_metric(metric, at, "score")
    at_threshold = at is not None and read_at(at).kind == "threshold"
    of_known = at_threshold and "without_beta" in entry.purposes
    if beta is None and not (entry.curve == "roc" or of_known):
        raise PUValueError(
            f"beta must be passed for {entry.name!r}, as it says which model is better, but was "
            "not. Where nobody knows it: scorer('auroc', unlabeled=0), or 'recall' with "
            "at={'threshold': 0.5}, put models in the same order at any."
        )
    # Decision values are on another scale than thresholds.
    responses = ("predict_proba",) if at_threshold else RESPONSES
    if beta is not None and (np.ndim(beta) or as_betas(beta).size != 1):
        raise PUTypeError(
            f"beta must be one number for a scorer, but {beta!r} was passed. Make a scorer for "
            "each: {b: scorer('f1', beta=b, at=100) for b in betas}."
        )
    number = None if beta is None else float(as_betas(beta)[0])
    if positive is None and negative is None and unlabeled is None:
        raise PUTypeError(
            "scorer must be told what labels mean, but got none of positive, negative and "
            "unlabeled. Estimators are mostly fitted to 1 for known positives and 0 for all "
            "others: scorer(..., unlabeled=0). Where all labels are known pass negative=0; where "
            "they are missing, unlabeled=numpy.nan."
        )
    return Scorer(entry, number, at, positive, negative, unlabeled, responses)

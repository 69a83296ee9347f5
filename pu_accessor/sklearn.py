"""``pu_accessor.sklearn.scorer`` selects models in scikit-learn by known positives only.

scikit-learn is imported only where metadata are routed.
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
from pu_accessor.inference.areas_on_this_sample import ap_and_error, full_auroc
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.cutoff_spec import At, Cutoff
from pu_accessor.inference.estimate_metric import Asked, estimate_metric
from pu_accessor.inference.metric_entry import AnyMetric, Metric
from pu_accessor.inference.metrics import METRICS, read_metric
from pu_accessor.ranking import Ranking
from pu_accessor.roles_and_assumptions import Terms, Values
from pu_accessor.sources.columns import as_series
from pu_accessor.sources.frames import source_of_arrays
from pu_accessor.sources.label_states import read_labels

__all__ = ["scorer"]

RESPONSES = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class Scorer:
    """The callable that `scorer` returns."""

    code: str  # that makes it
    metric: Metric
    cutoff: Cutoff | None
    beta: float | None  # fraction of positives among the unlabeled
    terms: Terms  # the coding of labels
    # Whether propensities, and weights, are requested where metadata are routed.
    requested: tuple[bool | str | None, bool | str | None] = (None, None)

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, propensity: Any = None, sample_weight: Any = None
    ) -> float:
        """Return the score of an estimator on examples not used to fit it; greater is better."""
        if issparse(y):
            raise PUTypeError(
                "y must be a one-dimensional array of labels, but a sparse matrix was passed. "
                "Make it dense: y.toarray().ravel()."
            )
        columns = self._score(estimator, X), as_series("y", y), self.terms
        others = {"propensity": propensity, "weight": sample_weight}
        source, roles = source_of_arrays(*columns, **others)
        rankings = source.rank(roles, self.metric.ranks_needed(self.cutoff))
        value = self._estimate(rankings.make(0))
        return -value if self.metric.less_is_better else value

    def set_score_request(
        self, *, propensity: bool | str | None = None, sample_weight: bool | str | None = None
    ) -> Scorer:
        """Request propensities, or weights, from scikit-learn's metadata routing.

        Parameters
        ----------
        propensity, sample_weight : bool, str or None
            Whether they are passed to this scorer, or the name of their metadata; None raises if
            they are passed.

        Returns
        -------
        Scorer
            A new one.
        """
        return replace(self, requested=(propensity, sample_weight))

    def get_metadata_routing(self) -> Any:
        """Return the metadata that this scorer requests."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="scorer")
        for name, alias in zip(("propensity", "sample_weight"), self.requested, strict=True):
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        return self.code

    def _score(self, estimator: Any, examples: Any) -> Any:
        """Return the scores of examples, higher for the positive class."""
        # Decision values have another scale than thresholds.
        by_threshold = self.cutoff is not None and self.cutoff.kind == "threshold"
        responses = RESPONSES[by_threshold:]
        name = next((name for name in responses if hasattr(estimator, name)), None)
        if name is None:
            raise PUTypeError(
                f"estimator must have {' or '.join(responses)}, to rank examples, but "
                f"{type(estimator).__name__} has none. Wrap it, for example in "
                "sklearn.calibration.CalibratedClassifierCV(estimator)."
            )
        response = np.asarray(getattr(estimator, name)(examples))
        classes = getattr(estimator, "classes_", None)
        if classes is None:  # such as a detector of outliers
            return response
        states = read_labels(pd.Series(classes, name="y"), self.terms, whole=False)
        if len(classes) != 2 or states.positive.sum() != 1:
            raise PUValueError(
                "estimator must be fitted to two classes, one of them positive, but its classes "
                f"are {list(classes)!r}. Pass positive=... and unlabeled=... to scorer, or fit to "
                "the known positives against all others."
            )
        positive_class = int(np.argmax(states.positive))
        if response.ndim == 2:
            return response[:, positive_class]
        return response if positive_class else -response

    def _estimate(self, ranking: Ranking) -> float:
        """Return the estimate for a ranking, clipped to its possible range."""
        betas = np.array([self.beta or 0.0])
        check_labels(betas, ranking.total)
        if self.cutoff is not None:
            asked = Asked(self.metric, self.cutoff, "examples")
            values = estimate_metric(asked, ranking, Beta(betas), Terms()).value
        elif self.metric.curve == "roc":
            values = full_auroc(ranking, betas).value
        else:
            values = ap_and_error(ranking, betas)[0]
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
        An area, or a metric at a cutoff of ``df.pu.metric``. Error rates such as "fpr" are
        negated, as in scikit-learn, so that greater is better; functions are not.
    beta : float in [0, 1], optional
        Class prior of the unlabeled. The order of models by AUROC does not depend on it; without
        beta the number takes all unlabeled examples as negative. Recall and fnr at a threshold do
        not need it; other metrics do.
    at : At, optional
        The cutoff, as ``df.pu.metric`` explains; a threshold is one of probabilities.
    positive, negative, unlabeled : value or list of values, optional
        Values of each state of the labels; at least one is required. For estimators fitted to 1
        for known positives and 0 for all others: ``unlabeled=0``.

    Returns
    -------
    callable
        A function of an estimator, examples and labels that returns a number. With metadata
        routing ``scorer(...).set_score_request(propensity=True)`` requests propensities, and
        ``sample_weight=True`` how many rows each row stands for.

    Raises
    ------
    PUTypeError, PUValueError
        For an unknown metric, a beta or cutoff that is missing or not used, or labels without a
        coding.

    Notes
    -----
    AUROC and average precision are unbiased estimates, clipped to [0, 1], which small folds can
    exceed. For an interval over all folds use ``df.pu(by="fold", average="fold")``. Put dependent
    rows, such as those of a patient, into one fold: ``cv=GroupKFold()`` and ``groups=patient``.

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
    entry = read_metric(metric, "score")
    cutoff = entry.read_cutoff(at)
    at_threshold = cutoff is not None and cutoff.kind == "threshold"
    of_known = at_threshold and entry.depends_on == "recall"
    if beta is None and not (entry.curve == "roc" or of_known):
        raise PUValueError(
            f"beta must be passed for {entry.name!r}, whose order of models depends on it. If it "
            "is unknown, use scorer('auroc', unlabeled=0), or 'recall' with "
            "at={'threshold': 0.5}, whose order does not."
        )
    if beta is not None and (np.ndim(beta) or as_betas(beta).size != 1):
        raise PUTypeError(
            f"beta must be one number for a scorer, but {beta!r} was passed. Make a scorer for "
            "each: {b: scorer('f1', beta=b, at=100) for b in betas}."
        )
    number = None if beta is None else float(as_betas(beta)[0])
    terms = Terms(positive=positive, negative=negative, unlabeled=unlabeled)
    if not terms.facts():
        raise PUTypeError(
            "scorer needs one of positive, negative and unlabeled, but none was passed. "
            "Estimators are mostly fitted to 1 for known positives and 0 for all others: "
            "scorer(..., unlabeled=0). If all labels are known pass negative=0; if unlabeled ones "
            "are missing, unlabeled=numpy.nan."
        )
    passed = {"beta": number, "at": at, **terms.facts()}.items()
    first = repr(entry.name) if entry.key in METRICS else entry.key
    code = [first, *(f"{name}={value!r}" for name, value in passed if value is not None)]
    return Scorer(f"scorer({', '.join(code)})", entry, cutoff, number, terms)

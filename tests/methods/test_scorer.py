"""Scorers, put to real searches over real estimators."""

import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import IsolationForest, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pu_accessor import PUTypeError, PUValueError
from pu_accessor.inference.estimates.weighted_areas import weighted_ap, weighted_auroc
from pu_accessor.sklearn import scorer
from tests.support.oracles import estimates_oracle

BETA = 0.25
FOLDS = StratifiedKFold(4)
RNG = np.random.default_rng(5)
TRUTH = RNG.random(600) < 0.4
WEIGHTED = {"auroc": weighted_auroc, "average_precision": weighted_ap}
KNOWN = TRUTH & (RNG.random(600) < 0.5)
X = RNG.normal(size=(600, 3)) + 0.8 * TRUTH[:, np.newaxis]
Y = KNOWN.astype(int)


def sensible(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + 1) / (tp + fp + 2)


CASES: list[dict[str, Any]] = [
    {"metric": "auroc"},
    {"metric": "auroc", "beta": BETA},
    {"metric": "average_precision", "beta": BETA},
    {"metric": "precision", "beta": BETA, "at": {"fraction": 0.1}},
    {"metric": "fpr", "beta": BETA, "at": {"recall": 0.8}},
    {"metric": "fdr", "beta": BETA, "at": {"fraction": 0.2}},
    {"metric": "fnr", "beta": BETA, "at": {"rank": 20}},
    {"metric": "f1", "beta": BETA, "at": {"threshold": 0.5}},
    {"metric": "mcc", "beta": BETA, "at": "maximum"},
    {"metric": sensible, "beta": BETA, "at": "maximum"},
]


def by_hand(case: dict[str, Any], estimator: Any, rows: Any) -> float:
    """Score by ``df.pu``; areas by the unbiased statistics."""
    probability = estimator.predict_proba(X[rows])[:, 1]
    if "at" not in case:
        labels = [True if known else None for known in Y[rows].tolist()]
        ask = getattr(estimates_oracle, case["metric"])
        return float(np.clip(ask(probability.tolist(), labels, case.get("beta", 0.0)).value, 0, 1))
    pu = pd.DataFrame({"score": probability, "label": Y[rows]}).pu(unlabeled=0)
    asked = {"beta": 0.0, **case}
    name = asked.pop("metric")
    sign = -1 if name in ("fdr", "fnr", "for", "fpr") else 1
    return sign * float(pu.metric(name, target="examples", **asked)["estimate"].iloc[0])


@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_the_frame_or_unbiased(case: dict[str, Any]) -> None:
    model = LogisticRegression()
    found = cross_val_score(model, X, Y, scoring=scorer(**case, unlabeled=0), cv=FOLDS)
    for score, (train, test) in zip(found, FOLDS.split(X, Y), strict=True):
        assert score == pytest.approx(by_hand(case, model.fit(X[train], Y[train]), test))


@pytest.mark.parametrize(
    ("coding", "labels"),
    [
        ({"unlabeled": -1}, np.where(KNOWN, 1, -1)),
        ({"positive": "a", "unlabeled": "b"}, np.where(KNOWN, "a", "b")),  # first in order
        ({"unlabeled": False}, KNOWN),
        ({"positive": 0, "unlabeled": 1}, 1 - Y),
    ],
)
@pytest.mark.parametrize("kind", [LogisticRegression, GaussianNB, RidgeClassifier])
def test_any_coding(coding: dict[str, Any], labels: Any, kind: type) -> None:
    """Whichever class comes first, and whether it has probabilities or decision values."""
    found = cross_val_score(kind(), X, labels, scoring=scorer("auroc", **coding), cv=FOLDS)
    plain = cross_val_score(kind(), X, Y, scoring=scorer("auroc", unlabeled=0), cv=FOLDS)
    np.testing.assert_allclose(found, plain, rtol=1e-9)


def test_pipelines_frames_and_several_scorers() -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression())
    scoring = {str(place): scorer(**case, unlabeled=0) for place, case in enumerate(CASES)}
    frame, labels = pd.DataFrame(X, columns=["a", "b", "c"]), pd.Series(Y)
    found = cross_validate(model, frame, labels, scoring=scoring, cv=FOLDS)
    for place, case in enumerate(CASES):
        alone = cross_val_score(model, X, Y, scoring=scorer(**case, unlabeled=0), cv=FOLDS)
        np.testing.assert_allclose(found[f"test_{place}"], alone, rtol=1e-12)


def test_what_was_fitted_to_positives_alone() -> None:
    model = IsolationForest(random_state=0).fit(X[KNOWN])
    expected = roc_auc_score(KNOWN, model.decision_function(X))
    assert scorer("auroc", unlabeled=0)(model, X, Y) == pytest.approx(expected, rel=1e-12)


def test_is_pickled_and_shown() -> None:
    one = scorer("precision", beta=0.2, at={"rank": 10}, unlabeled=0)
    assert repr(one) == "scorer('precision', beta=0.2, at={'rank': 10}, unlabeled=0)"
    own = scorer(sensible, beta=BETA, at="maximum", unlabeled=0)
    assert repr(own).startswith("scorer(sensible, beta=0.25")
    model = LogisticRegression().fit(X, Y)
    assert pickle.loads(pickle.dumps(one))(model, X, Y) == one(model, X, Y)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("name", ["auroc", "average_precision"])
def test_propensities_are_routed(name: str) -> None:
    propensity = np.where(X[:, 0] > 0.5, 0.6, 0.3)
    known = TRUTH & (np.random.default_rng(1).random(600) < propensity)
    labels, model = known.astype(int), LogisticRegression()
    scoring = scorer(name, beta=0.1, unlabeled=0).set_score_request(propensity=True)
    params = {"propensity": propensity}
    found = cross_val_score(model, X, labels, scoring=scoring, cv=FOLDS, params=params)
    for value, (train, test) in zip(found, FOLDS.split(X, labels), strict=True):
        score = model.fit(X[train], labels[train]).decision_function(X[test])
        columns = {"score": score, "label": labels[test], "propensity": propensity[test]}
        pu = pd.DataFrame(columns).pu(unlabeled=0, propensity="propensity")
        ranking = pu._rank().make(0)
        weight, ask = ranking.unequal_weight, WEIGHTED[name]
        ours = float(ask(ranking, weight, np.array([0.1]), 0.95).value[0])
        assert value == pytest.approx(ours, rel=1e-12)
        equal = ask(ranking, np.ones(len(weight)), np.array([0.1]), 0.95).value[0]
        assert value != pytest.approx(float(equal), rel=1e-6)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(
    ("name", "at"), [("auroc", None), ("average_precision", None), ("precision", 40)]
)
def test_weights_are_routed_under_their_usual_name(name: str, at: Any) -> None:
    """A row of weight 3 scores as three rows: of the test folds, which are weighted alone."""
    weight = np.random.default_rng(2).integers(1, 4, 600)
    asked = scorer(name, beta=0.1, at=at, unlabeled=0).set_score_request(sample_weight=True)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    params = {"sample_weight": weight}
    found = cross_val_score(model, X, Y, scoring=asked, cv=FOLDS, params=params)
    plain = scorer(name, beta=0.1, at=at, unlabeled=0)
    for value, (train, test) in zip(found, FOLDS.split(X, Y), strict=True):
        copies = np.repeat(test, weight[test])
        expected = plain(model.fit(X[train], Y[train]), X[copies], Y[copies])
        assert value == pytest.approx(expected, rel=1e-12)


class Known(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fits known positives against all others, however these are written."""

    def fit(self, X: Any, y: Any) -> "Known":  # noqa: N803
        known = pd.Series(y).reset_index(drop=True).astype(object).isin([1, True])
        self.inner_ = LogisticRegression().fit(X, known.astype(int))
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.decision_function(X)


@pytest.mark.parametrize("dtype", ["float", "Int64", "boolean", "object", "Float64"])
def test_labels_may_be_missing_in_any_dtype(dtype: str) -> None:
    """As they are in a frame: the others are unlabeled, whatever the estimator was fitted to."""
    label: Any = pd.Series([True if known else None for known in KNOWN], dtype=object)
    labels = label if dtype == "object" else label.astype("boolean").astype(dtype)
    asked = scorer("auroc", beta=BETA, unlabeled=pd.NA)
    found = cross_val_score(Known(), X, labels, scoring=asked, cv=KFold(4))
    plain = cross_val_score(
        Known(), X, Y, scoring=scorer("auroc", beta=BETA, unlabeled=0), cv=KFold(4)
    )
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("case", CASES[::3])
def test_searches_and_importances_take_it(case: dict[str, Any]) -> None:
    one, model = scorer(**case, unlabeled=0), LogisticRegression()
    search = GridSearchCV(model, {"C": [1e-4, 1.0]}, scoring=one, cv=FOLDS).fit(X, Y)
    first = cross_val_score(model.set_params(C=1e-4), X, Y, scoring=one, cv=FOLDS)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(first))
    asked = {"scoring": one, "n_repeats": 2, "random_state": 0}
    found = permutation_importance(model.fit(X, Y), X, Y, **asked)
    weighed = permutation_importance(model, X, Y, sample_weight=np.ones(600), **asked)
    np.testing.assert_array_equal(found.importances, weighed.importances)


def test_recall_at_a_threshold_needs_no_beta_and_all_else_says_why() -> None:
    at = {"threshold": 0.3}
    model = LogisticRegression().fit(X, Y)
    recall = scorer("recall", at=at, unlabeled=0)(model, X, Y)
    assert recall == np.mean(model.predict_proba(X[KNOWN])[:, 1] >= 0.3)
    assert recall == scorer("recall", at=at, unlabeled=0, beta=None)(model, X, Y)
    assert scorer("fnr", at=at, unlabeled=0)(model, X, Y) == pytest.approx(recall - 1)
    for metric, cutoff in (("precision", at), ("recall", 20), ("average_precision", None)):
        with pytest.raises(PUValueError, match="whose order of models depends on it"):
            scorer(metric, at=cutoff, unlabeled=0)


@pytest.mark.parametrize("metric", ["auroc", "average_precision"])
def test_no_score_is_above_one(metric: str) -> None:
    """The unbiased statistic of the first of these folds is."""
    shifted = X + 3 * TRUTH[:, np.newaxis]
    asked = scorer(metric, beta=0.35, unlabeled=0)
    found = cross_val_score(LogisticRegression(), shifted, Y, scoring=asked, cv=10)
    assert found.max() == 1 and found.min() > 0.8


CALLS = ["scorer('auroc', 0.1)", "scorer()", "scorer('auroc', unlabelled=0)", "scorer('ap', k=3)"]


@pytest.mark.parametrize("call", CALLS)
def test_calls_that_do_not_fit_show_one_that_does(call: str) -> None:
    with pytest.raises(
        PUTypeError, match=r"Write for example pu_accessor\.sklearn\.(.*)\.$"
    ) as told:
        eval(call)
    assert eval(str(told.value).partition("pu_accessor.sklearn.")[2][:-1]).beta == 0.1


THREE, WORDS = np.where(KNOWN, 1, np.arange(600) % 2 * 2), np.where(KNOWN, "yes", "no")
VOTES = partial(VotingClassifier, [("one", GaussianNB())])  # predicts classes, nothing else
ACTS = {"metric": "f1", "beta": 0.2, "at": {"threshold": 0.5}}


@pytest.mark.parametrize(
    ("kind", "labels", "asked", "told"),
    [
        (VOTES, Y, {}, r"predict_proba, .*VotingClassifier has none.*CalibratedClassifier"),
        (RidgeClassifier, Y, ACTS, "must have predict_proba,"),
        (GaussianNB, THREE, {"negative": 2}, "two classes, one of them positive"),
        (GaussianNB, WORDS, {}, "stands for no state"),
    ],
)
def test_refused_estimators_and_classes(kind: Any, labels: Any, asked: Any, told: str) -> None:
    one = scorer(**{"metric": "auroc", "unlabeled": 0, **asked})
    with pytest.raises((PUTypeError, PUValueError), match=told):
        one(kind().fit(X, labels), X, labels)
    with pytest.raises(PUTypeError, match=r"y\.toarray\(\)\.ravel\(\)"):
        scorer("auroc", unlabeled=0)(GaussianNB().fit(X, Y), X, sparse.csr_array(Y[:, None]))


def test_missing_labels_are_those_of_a_class_that_is_missing() -> None:
    model = GaussianNB().fit(X, Y)
    model.classes_ = np.array([np.nan, 1])
    plain = scorer("auroc", unlabeled=0)(GaussianNB().fit(X, Y), X, Y)
    assert scorer("auroc", unlabeled=np.nan)(model, X, np.where(KNOWN, 1, np.nan)) == plain


def test_a_fold_without_known_positives_is_scored_as_an_error() -> None:
    """error_score applies, with our message."""
    order = np.argsort(-Y, kind="stable")
    ordered, labels = X[order], Y[order]
    scoring = scorer("auroc", unlabeled=0)
    with pytest.warns(UserWarning, match="Scoring failed") as caught:
        found = cross_val_score(GaussianNB(), ordered, labels, scoring=scoring, cv=KFold(3))
    assert np.isnan(found[1:]).all()
    assert "known positive" in str(caught[0].message)

"""Scorers of scikit-learn, put to real estimators and searches."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.ensemble import IsolationForest, VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pu_accessor import PUDataError, PUTypeError, PUValueError
from pu_accessor.sklearn import scorer
from tests.support.oracles import comparison_oracle as oracle

BETA = 0.25
FOLDS = StratifiedKFold(4)
RNG = np.random.default_rng(5)
TRUTH = RNG.random(600) < 0.4
KNOWN = TRUTH & (RNG.random(600) < 0.5)
X = RNG.normal(size=(600, 3)) + 0.8 * TRUTH[:, np.newaxis]
Y = KNOWN.astype(int)
MODEL = LogisticRegression().fit(X, Y)


def sensible(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + 1) / (tp + fp + 2)


CASES: list[Any] = [
    *(("auroc", None, None), ("auroc", BETA, None), ("average_precision", BETA, None)),
    *(("precision", BETA, {"fraction": 0.1}), ("fpr", BETA, {"recall": 0.8})),
    *(("fnr", BETA, {"rank": 20}), ("f1", BETA, {"threshold": 0.5})),
    *(("fnr", None, {"threshold": 0.3}), ("mcc", BETA, "maximum"), (sensible, BETA, "maximum")),
]


@pytest.mark.parametrize("shift", [0, 3])  # of which the unbiased statistics are above 1
@pytest.mark.parametrize(("name", "beta", "at"), CASES)
def test_scores_are_those_of_the_frame_or_unbiased(
    name: Any, beta: Any, at: Any, shift: float
) -> None:
    frame = pd.DataFrame(X + shift * TRUTH[:, np.newaxis])
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, Y)
    found = scorer(name, beta=beta, at=at, unlabeled=0)(model, frame, pd.Series(Y))
    score = model.predict_proba(frame)[:, 1]
    if at is None:
        value = oracle.functional(name, score, KNOWN, beta or 0, 0)
        expected = min(float(value(KNOWN / KNOWN.sum(), ~KNOWN / (~KNOWN).sum())), 1.0)
        assert (expected == 1) == (shift > 0 and beta is not None)
    else:
        pu: Any = pd.DataFrame({"score": score, "label": Y}).pu(unlabeled=0)
        expected = pu.metric(name, beta or 0, at=at, target="examples")["estimate"].item()
    assert found == pytest.approx(-expected if name in ("fnr", "fpr") else expected, rel=1e-9)


@pytest.mark.parametrize(
    ("coding", "labels"),
    [
        ({"positive": "a", "unlabeled": "b"}, np.where(KNOWN, "a", "b")),  # first in order
        ({"unlabeled": False}, KNOWN),
        ({"positive": 0, "unlabeled": 1}, 1 - Y),
    ],
)
@pytest.mark.parametrize("kind", [GaussianNB, RidgeClassifier])
def test_any_coding(coding: dict[str, Any], labels: Any, kind: type) -> None:
    """Whichever class comes first, and whether it has probabilities or decision values."""
    plain = cross_val_score(kind(), X, Y, scoring=scorer("auroc", unlabeled=0), cv=FOLDS)
    found = cross_val_score(kind(), X, labels, scoring=scorer("auroc", **coding), cv=FOLDS)
    np.testing.assert_allclose(found, plain, rtol=1e-9)
    alone = IsolationForest(n_estimators=9, random_state=0).fit(X[KNOWN])  # has no classes
    expected = roc_auc_score(KNOWN, alone.decision_function(X))
    assert scorer("auroc", **coding)(alone, X, labels) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dtype", ["float", "Int64", "object"])
def test_labels_may_be_missing_in_any_dtype(dtype: str) -> None:
    label: Any = pd.Series([True if known else None for known in KNOWN], dtype="boolean")
    model = GaussianNB().fit(X, Y)
    plain = scorer("auroc", beta=BETA, unlabeled=0)(model, X, Y)
    model.classes_ = np.array([np.nan, 1])  # a class that is missing itself
    for unlabeled in (pd.NA, np.nan):
        asked = scorer("auroc", beta=BETA, unlabeled=unlabeled)
        assert asked(model, X, label.astype(dtype)) == plain


def test_is_pickled_and_shown() -> None:
    one = scorer("precision", beta=0.2, at={"rank": 10}, unlabeled=0)
    assert repr(one) == "scorer('precision', beta=0.2, at={'rank': 10}, unlabeled=0)"
    own = scorer(sensible, beta=BETA, at="maximum", unlabeled=0)
    assert repr(own).startswith("scorer(sensible, beta=0.25")
    assert pickle.loads(pickle.dumps(one))(MODEL, X, Y) == one(MODEL, X, Y)


@sklearn.config_context(enable_metadata_routing=True)  # type: ignore[untyped-decorator]
@pytest.mark.parametrize("name", ["auroc", "average_precision"])
def test_propensities_are_routed(name: str) -> None:
    propensity = np.where(X[:, 0] > 0.5, 0.6, 0.3)
    labels = (TRUTH & (np.random.default_rng(1).random(600) < propensity)).astype(int)
    asked = scorer(name, beta=0.1, unlabeled=0).set_score_request(propensity=True)
    model, params = LogisticRegression(), {"propensity": propensity}
    found = cross_val_score(model, X, labels, scoring=asked, cv=FOLDS, params=params)
    for value, (train, test) in zip(found, FOLDS.split(X, labels), strict=True):
        score = model.fit(X[train], labels[train]).decision_function(X[test])
        known, m = labels[test] == 1, 0.1 * (labels[test] == 0).sum()
        odds, n, size = 1 / propensity[test][known] - 1, known.sum(), known.size
        w = 1 + m * odds / odds.sum()  # what known positives stand for
        own = score[known][:, np.newaxis]
        head, tied = score >= own, score == own
        if name == "auroc":
            rank = (head.sum(axis=1) - (tied.sum(axis=1) - 1) / 2) @ w / (n + m)
            expected = 1 - (rank - (n + m + 1) / 2) / (size - n - m)
        else:
            own = w / head.sum(axis=1)
            pairs = own @ (head[:, known] - np.eye(n)) @ w
            expected = own.sum() / w.sum() + (n + m - 1) * pairs / (w.sum() ** 2 - w @ w)
        assert value == pytest.approx(expected, rel=1e-9)


@sklearn.config_context(enable_metadata_routing=True)  # type: ignore[untyped-decorator]
@pytest.mark.parametrize("at", [None, 40])
def test_weights_are_routed_under_their_usual_name(at: Any) -> None:
    """A row of weight 3 scores as three rows: of the test folds, which are weighted alone."""
    weight = np.random.default_rng(2).integers(1, 4, 600)
    plain = scorer("precision" if at else "average_precision", beta=0.1, at=at, unlabeled=0)
    asked, params = plain.set_score_request(sample_weight=True), {"sample_weight": weight}
    model = LogisticRegression().set_fit_request(sample_weight=False)
    found = cross_val_score(model, X, Y, scoring=asked, cv=FOLDS, params=params)
    for value, (train, test) in zip(found, FOLDS.split(X, Y), strict=True):
        copies = np.repeat(test, weight[test])
        expected = plain(model.fit(X[train], Y[train]), X[copies], Y[copies])
        assert value == pytest.approx(expected, rel=1e-12)


VOTES = VotingClassifier([("one", GaussianNB())])  # predicts classes, nothing else
ACTS = {"metric": "f1", "beta": 0.2, "at": {"threshold": 0.5}}


@pytest.mark.parametrize(
    ("model", "labels", "asked", "told"),
    [
        (VOTES, Y, {}, r"predict_proba, .*VotingClassifier has none.*CalibratedClassifier"),
        (RidgeClassifier(), Y, ACTS, "must have predict_proba,"),
        (GaussianNB(), Y + 2 * (Y == 0) * (X[:, 0] > 0), {"negative": 2}, "two classes, one of"),
        (GaussianNB(), np.where(KNOWN, "yes", "no"), {}, "stands for no state"),
        (MODEL, sparse.csr_array(Y[:, np.newaxis]), {}, r"y\.toarray\(\)\.ravel\(\)"),
        (MODEL, 0 * Y, {}, "at least one known positive"),
    ],
)
def test_refused_estimators_and_labels(model: Any, labels: Any, asked: Any, told: str) -> None:
    fitted = model if model is MODEL else model.fit(X, labels)
    with pytest.raises((PUDataError, PUTypeError, PUValueError), match=told):
        scorer(**{"metric": "auroc", "unlabeled": 0, **asked})(fitted, X, labels)

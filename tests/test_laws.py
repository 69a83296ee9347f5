"""Laws that hold of every question: the fuzzers' at draws of one seed, and what scikit-learn says.

`tests/support/long` has each law, and draws rows, roles and questions: `make fuzz` draws anew.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from sklearn import metrics
from sklearn.calibration import calibration_curve

import pu_accessor
from tests.cases import put
from tests.support.long.fuzz_corners import test_corners as test_corners
from tests.support.long.fuzz_laws import test_laws as test_laws
from tests.support.long.fuzz_sources import (
    test_every_source_answers_alike as test_every_source_answers_alike,
)
from tests.support.long.fuzz_tables import TestTravels as TestTravels
from tests.support.long.fuzz_tables import test_rows_of_any_kind as test_rows_of_any_kind

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")


@pytest.fixture(autouse=True)
def many_draws() -> Iterator[None]:
    """Draw more examples than of other tests, which the laws share among them."""
    settings.load_profile("laws")
    yield
    settings.load_profile("pu_accessor")


# Where all is labeled

RNG = np.random.default_rng(3)
TRUTH = RNG.random(300) < 0.4
SCORE = (1 / (1 + np.exp(0.5 - RNG.normal(1.2 * TRUTH)))).round(2)
LABELED = pd.DataFrame({"score": SCORE, "label": TRUTH.astype(float), "site": np.arange(300) % 7})
LABELED["weight"] = RNG.integers(1, 4, 300)
PREDICTED = SCORE >= 0.5
AT, RATES, THESE = {"at": {"threshold": 0.5}}, np.array([0.05, 0.3, 1.0]), {"target": "examples"}
BY_SITE: list[Any] = [(each["label"], each["score"]) for _, each in LABELED.groupby("site")]
AVERAGED: dict[str, Any] = {"by": "site", "average": True}
FULLY: dict[str, tuple[str, dict[str, Any], Any]] = {
    "auroc": ("auroc", {}, metrics.roc_auc_score(TRUTH, SCORE)),
    **{
        f"auroc up to {most}": (
            "auroc",
            {"max_fpr": most},
            metrics.roc_auc_score(TRUTH, SCORE, max_fpr=most),
        )
        for most in RATES.tolist()
    },
    "average precision": ("average_precision", {}, metrics.average_precision_score(TRUTH, SCORE)),
    **{
        name: ("metric", {"metric": name, **AT}, function(TRUTH, PREDICTED))
        for name, function in {
            **{"precision": metrics.precision_score, "recall": metrics.recall_score},
            **{"f1": metrics.f1_score, "accuracy": metrics.accuracy_score},
            **{"mcc": metrics.matthews_corrcoef, "kappa": metrics.cohen_kappa_score},
            **{"jaccard": metrics.jaccard_score},
            "balanced_accuracy": metrics.balanced_accuracy_score,
        }.items()
    },
    **{
        f"f{weight:g}": (
            "metric",
            {"metric": pu_accessor.fbeta(weight), **AT},
            metrics.fbeta_score(TRUTH, PREDICTED, beta=weight),
        )
        for weight in (0.5, 2, 3.5)
    },
    "calibration": ("calibration", {"bins": 7}, calibration_curve(TRUTH, SCORE, n_bins=7)[0]),
    **{
        f"mean of {name}": (name, AVERAGED, np.mean([function(*one) for one in BY_SITE]))
        for name, function in {
            "auroc": metrics.roc_auc_score,
            "average_precision": metrics.average_precision_score,
        }.items()
    },
    **{
        f"weighted {name}": (
            name,
            {"weight": "weight"},
            function(TRUTH, SCORE, sample_weight=LABELED["weight"]),
        )
        for name, function in {
            "auroc": metrics.roc_auc_score,
            "average_precision": metrics.average_precision_score,
        }.items()
    },
}


@pytest.mark.parametrize("name", FULLY)
def test_fully_labeled_numbers_are_those_of_scikit_learn(name: str) -> None:
    method, keywords, expected = FULLY[name]
    sure = "weight" not in keywords  # nothing is hidden: of these examples nothing is in doubt
    about = THESE if sure and method != "calibration" else {}
    found = put(LABELED.pu(negative=0), method, beta=0, **keywords, **about)
    for column in ("estimate", "lower", "upper") if sure else ("estimate",):
        np.testing.assert_allclose(found[column], expected, rtol=1e-12)


@pytest.mark.parametrize("read", [lambda pu: pu, lambda pu: pu.contingency(0, ranks="all").pu])
def test_fully_labeled_curves_are_those_of_scikit_learn(read: Callable[[Any], Any]) -> None:
    fpr, tpr, threshold = metrics.roc_curve(TRUTH, SCORE, drop_intermediate=False)
    precision, recall, _ = metrics.precision_recall_curve(TRUTH, SCORE)
    pu = read(LABELED.pu(negative=0))
    how = {} if hasattr(pu, "area") else {"beta": 0, "ranks": "all"}
    roc, pr = (getattr(pu, name)(**how).sel(beta=0) for name in ("roc_bounds", "pr_bounds"))
    for bound in ("lower", "estimate", "upper"):
        found = [roc[name].sel(bound=bound) for name in ("fpr", "tpr")]
        np.testing.assert_allclose(found, [fpr, tpr], rtol=1e-12)
        found = [pr[name].sel(bound=bound) for name in ("precision", "recall")]
        np.testing.assert_allclose(found, [precision[::-1], recall[::-1]], rtol=1e-12)
    np.testing.assert_array_equal(roc["threshold"], threshold)

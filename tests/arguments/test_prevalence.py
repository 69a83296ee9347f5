"""Another prevalence of new examples: weights of scikit-learn, oracles, what has none."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor.inference.metrics import metrics_for
from tests.arguments.test_target import METRICS as FORMULAS
from tests.arguments.test_target import ask, asked_at, completed_at, draw, framed
from tests.cases import binormal, put
from tests.support.oracles import completion_oracle
from tests.support.oracles import population_oracle as oracle

SEEDS = range(6)
NUMBERS = ["estimate", "lower", "upper"]
PREVALENCES = (0.003, 0.1, 0.6)
OF_RATES = {"tpr", "recall", "fpr", "tnr", "fnr", "balanced_accuracy", "informedness"}


def enriched(seed: int = 0, known: int = 80) -> pd.DataFrame:
    """Draw 600 examples, a third of them positive; with 80 of these known beta is 3/13."""
    frame = binormal(200, 400, known / 200, seed, shift=1.5)[0]
    return frame.assign(site=np.resize(["a", "b"], 600))


BETA = 0.2
HAND = pu_accessor.beta_from_labels(40, 200, 520)


@pytest.mark.parametrize("prevalence", [1e-9, *PREVALENCES])
@pytest.mark.parametrize("seed", SEEDS)
def test_average_precision_agrees_with_oracle(seed: int, prevalence: float) -> None:
    score, label, beta = draw(seed)
    row = ask(framed(score, label), "average_precision", beta, prevalence=prevalence).iloc[0]
    want = oracle.average_precision_error_at(score, label, beta, prevalence)
    want = min(want, 0.5)
    assert row["standard_error"] == pytest.approx(want, rel=1e-3 if prevalence < 0.001 else 1e-4)
    latent = completion_oracle.latent_positives(label, beta)
    tables = completion_oracle.completed(score, label, latent)
    share = Fraction(str(prevalence))
    factor = share / (1 - share) * tables[-1].fp / tables[-1].tp
    want = completion_oracle.average_precision(score, label, tables, factor)
    assert row["estimate"] == pytest.approx(want, rel=1e-9)
    assert 0 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_metrics_agree_with_oracle(seed: int) -> None:
    score, label, beta = draw(seed)
    threshold, p = float(np.median(score)), PREVALENCES[seed % 3]
    tp, fp, fn, tn = completed_at(score, label, beta, threshold)
    tpr, fpr = tp / (tp + fn), fp / (fp + tn)
    for name in {*FORMULAS} - OF_RATES:
        formula = FORMULAS[name]
        estimate = formula(p * tpr, (1 - p) * fpr, p * (1 - tpr), (1 - p) * (1 - fpr))
        _, low, high = oracle.metric(score, label, beta, threshold, 0.95, formula, p)
        found = asked_at(framed(score, label), name, beta, threshold, prevalence=p)
        want = [estimate, min(low, estimate), max(high, estimate)]
        assert found == pytest.approx(want, rel=1e-7)


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("cluster", [None, "patient"])
def test_the_prevalence_of_these_examples_changes_nothing(monotone: bool, cluster: Any) -> None:
    frame = enriched().assign(patient=np.arange(600) % 150)
    pu: Any = frame.pu(cluster=cluster).assume(monotone=monotone)
    names = sorted({*metrics_for("tables")} - OF_RATES)
    own, share = (80 + 0.25 * 520) / 600, 0.25
    for how in ({"metric": "average_precision"}, {"metric": names, "at": {"threshold": [0.5, 2]}}):
        same = pu.assume(prevalence=own).metric(beta=share, **how)
        pd.testing.assert_frame_equal(same, pu.metric(beta=share, **how), rtol=1e-12)


def test_errors_of_beta_and_groups_count() -> None:
    frame, how = enriched(), dict[str, Any](prevalence=0.05)
    joint, exact = (put(frame.pu, "average_precision", b, **how).iloc[0] for b in (HAND, BETA))
    assert joint["lower"] <= exact["lower"] < exact["upper"] <= joint["upper"]
    wide = put(frame.pu, "average_precision", pd.Interval(0.15, 0.25), **how).iloc[0]
    assert wide["lower"] < exact["lower"] < exact["upper"] <= wide["upper"]
    groups = put(frame.pu(by="site"), "average_precision", BETA, **how)
    alone = put(frame[frame["site"] == "b"].pu, "average_precision", BETA, **how)
    assert groups[NUMBERS].iloc[1].tolist() == pytest.approx(alone[NUMBERS].iloc[0].tolist())


def test_perfect_separation_has_an_interval() -> None:
    frame = framed(range(30), [False] * 20 + [True] * 10)
    rare = ask(frame, "average_precision", 0, prevalence=0.01, negative=False).iloc[0]
    same = ask(frame, "average_precision", 0, negative=False).iloc[0]
    assert rare[["estimate", "upper"]].tolist() == pytest.approx([1, 1])
    assert 0 < rare["lower"] < same["lower"]
    none = framed([2.0, 1.0, 3.0], [None, None, True]).pu(positive=True)  # is left negative
    assert none.assume(prevalence=0.5).metric("accuracy", 0.9, **AT)["estimate"].isna().all()


AT: dict[str, Any] = {"at": {"threshold": 1}}

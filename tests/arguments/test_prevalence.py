"""Another prevalence of new examples: weights of scikit-learn, oracles, what has none."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import pu_accessor
from pu_accessor import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference.tables.metrics import METRICS
from tests.arguments.test_target import METRICS as FORMULAS
from tests.arguments.test_target import ask, draw, framed
from tests.support.oracles import completion_oracle
from tests.support.oracles import population_oracle as oracle

SEEDS = range(6)
NUMBERS = ["estimate", "lower", "upper"]
PREVALENCES = (0.003, 0.1, 0.6)
OF_RATES = {"tpr", "recall", "fpr", "tnr", "fnr", "balanced_accuracy", "informedness"}


def enriched(seed: int = 0, known: int = 80) -> pd.DataFrame:
    """Draw 600 examples, a third of them positive; with 80 of these known beta is 3/13."""
    rng, truth = np.random.default_rng(seed), np.arange(600) < 200
    label = np.where(np.arange(600) < known, 1, np.nan)
    site = np.where(rng.random(600) < 0.5, "a", "b")
    return pd.DataFrame({"score": rng.normal(1.5 * truth), "label": label, "site": site})


BETA = 0.2


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("seed", range(4))
def test_all_labeled_it_is_that_of_weighted_examples(seed: int, prevalence: float) -> None:
    rng, truth = np.random.default_rng(seed), np.arange(300) < 100
    frame = framed(np.round(rng.normal(1.2 * truth), seed), truth)
    weight = np.where(truth, prevalence / 100, (1 - prevalence) / 200)
    row = ask(frame, "average_precision", 0, prevalence=prevalence, negative=False).iloc[0]
    want = metrics.average_precision_score(truth, frame["score"], sample_weight=weight)
    assert (
        row["estimate"] == pytest.approx(want, rel=1e-9) and row.attrs["prevalence"] == prevalence
    )
    predicted = frame["score"] >= 0.5
    for name, function in (
        ("precision", metrics.precision_score),
        ("mcc", metrics.matthews_corrcoef),
        ("kappa", metrics.cohen_kappa_score),
        ("accuracy", metrics.accuracy_score),
    ):
        at = {"at": {"threshold": 0.5}, "prevalence": prevalence, "negative": False}
        got = ask(frame, "metric", name, 0, **at)["estimate"].item()
        assert got == pytest.approx(function(truth, predicted, sample_weight=weight), rel=1e-9)


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("seed", SEEDS)
def test_average_precision_agrees_with_oracle(seed: int, prevalence: float) -> None:
    score, label, beta = draw(seed)
    row = ask(framed(score, label), "average_precision", beta, prevalence=prevalence).iloc[0]
    want = oracle.average_precision_error_at(score, label, beta, prevalence)
    assert row["standard_error"] == pytest.approx(want, rel=1e-4)
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
    threshold, prevalence = float(np.median(score)), PREVALENCES[seed % 3]
    latent = completion_oracle.latent_positives(label, beta)
    tables = completion_oracle.completed(score, label, latent)
    there = next(t for t in tables if t.rank == sum(s >= threshold for s in score))
    tpr, fpr = float(there.tp / tables[-1].tp), float(there.fp / tables[-1].fp)
    p, q = prevalence, 1 - prevalence
    for name, formula in FORMULAS.items():
        if name in OF_RATES:
            continue
        at = {"at": {"threshold": threshold}, "prevalence": prevalence}
        row = ask(framed(score, label), "metric", name, beta, **at).iloc[0]
        estimate = formula(p * tpr, q * fpr, p * (1 - tpr), q * (1 - fpr))
        _, low, high = oracle.metric(score, label, beta, threshold, 0.95, formula, prevalence)
        want = [estimate, min(low, estimate), max(high, estimate)]
        assert row[NUMBERS].tolist() == pytest.approx(want, rel=1e-7)


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("cluster", [None, "patient"])
def test_at_the_prevalence_of_these_examples_nothing_changes(
    monotone: bool, cluster: str | None
) -> None:
    frame = enriched().assign(patient=np.arange(600) % 150)
    pu = frame.pu(monotone=monotone, cluster=cluster)
    beta = [0.1, 0.25]
    for share in beta:
        own = (80 + share * 520) / 600
        plain = pu.average_precision(share)
        same = pu.average_precision(share, prevalence=own)
        pd.testing.assert_frame_equal(same, plain, rtol=1e-12)
        names = sorted({*METRICS} - OF_RATES)
        plain = pu.metric(names, share, at={"threshold": [0.5, 2]})
        same = pu.metric(names, share, at={"threshold": [0.5, 2]}, prevalence=own)
        pd.testing.assert_frame_equal(same, plain, rtol=1e-12)


def test_all_sources_and_kinds_of_beta_answer_alike() -> None:
    frame = enriched()
    arrays = pu_accessor.from_arrays(frame["score"], frame["label"])
    chunks = pu_accessor.from_chunks([frame.head(250), frame.tail(350)])
    hand = pu_accessor.beta_from_labels(40, 200, 520)
    asked: Any
    for asked in (BETA, [0.1, 0.2], hand):
        want = frame.pu.average_precision(asked, prevalence=0.05)
        for pu in (arrays, chunks):
            got = pu.average_precision(asked, prevalence=0.05)
            pd.testing.assert_frame_equal(got, want, rtol=1e-12)
        want = frame.pu.metric("precision", asked, at={"threshold": 1}, prevalence=0.05)
        got = arrays.metric("precision", asked, at={"threshold": 1}, prevalence=0.05)
        pd.testing.assert_frame_equal(got, want, rtol=1e-12)
    joint, exact = (frame.pu.average_precision(b, prevalence=0.05).iloc[0] for b in (hand, BETA))
    assert joint["lower"] <= exact["lower"] < exact["upper"] <= joint["upper"]
    ranged = frame.pu.average_precision(BETA, prevalence=0.05, beta_interval=(0.15, 0.25)).iloc[0]
    assert ranged["envelope_lower"] < exact["lower"] < exact["upper"] <= ranged["envelope_upper"]
    groups = frame.pu(by="site").average_precision(BETA, prevalence=0.05)
    alone = frame[frame["site"] == "b"].pu.average_precision(BETA, prevalence=0.05)
    assert groups[NUMBERS].iloc[1].tolist() == pytest.approx(alone[NUMBERS].iloc[0].tolist())


def test_numbers_grow_with_the_prevalence() -> None:
    shares = [1e-6, 0.01, 0.1, 0.5, 0.99]
    rows = [enriched(1).pu.average_precision(BETA, prevalence=p).iloc[0] for p in shares]
    for name in ("estimate", "lower"):
        assert (np.diff([row[name] for row in rows]) > 0).all()
    assert rows[0]["estimate"] < 0.2 and rows[-1]["estimate"] > 0.99
    at = {"threshold": 1.0}
    lift, precision = (
        enriched().pu.metric(name, BETA, at=at, prevalence=0.01).iloc[0]
        for name in ("lift", "precision")
    )
    assert lift[NUMBERS].tolist() == pytest.approx((precision[NUMBERS] / 0.01).tolist())


def test_perfect_separation_has_an_interval() -> None:
    frame = framed(range(30), [False] * 20 + [True] * 10)
    rare = ask(frame, "average_precision", 0, prevalence=0.01, negative=False).iloc[0]
    same = ask(frame, "average_precision", 0, negative=False).iloc[0]
    assert rare[["estimate", "upper"]].tolist() == pytest.approx([1, 1])
    assert 0 < rare["lower"] < same["lower"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda pu: pu.auroc(BETA, prevalence=0.1), PUTypeError, "What it needs is beta"),
        (
            lambda pu: pu.metric("recall", BETA, at={"threshold": 1}, prevalence=0.1),
            PUValueError,
            "^prevalence changes nothing for 'recall'",
        ),
        (
            lambda pu: pu.metric(["fpr", "tnr"], BETA, at={"threshold": 1}, prevalence=0.1),
            PUValueError,
            "^prevalence changes nothing for 'fpr'",
        ),
        (
            lambda pu: pu.metric("precision", BETA, at=50, prevalence=0.1),
            PUValueError,
            "^prevalence must be left out with target='examples'",
        ),
        (
            lambda pu: pu.average_precision(BETA, target="examples", prevalence=0.1),
            PUValueError,
            "^prevalence must be left out with target='examples'",
        ),
        (
            lambda pu: pu.average_precision(BETA, prevalence=0.1, selection_odds=2),
            PUValueError,
            "^prevalence must be left out with selection_odds",
        ),
        (
            lambda pu: pu(by="site").average_precision(BETA, prevalence=0.1, average=True),
            PUValueError,
            "^prevalence must be left out with average=True",
        ),
        (
            lambda pu: pu(by="site", pool=True).average_precision(BETA, prevalence=0.1),
            PUValueError,
            "^prevalence must be left out with pool=True",
        ),
        (lambda pu: pu.average_precision(1, prevalence=0.1), PUDataError, "needs negatives"),
        (lambda pu: pu.average_precision(BETA, prevalence="0.1"), PUTypeError, "^prevalence must"),
        *(
            (
                lambda pu, share=share: pu.average_precision(BETA, prevalence=share),
                PUValueError,
                r"^prevalence must lie in \(0, 1\)",
            )
            for share in (0, 1, -0.1, 5, math.nan)
        ),
    ],
)
def test_what_has_no_other_prevalence(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(enriched().pu)

"""Comparisons of models, against a slow oracle, scipy and scikit-learn."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from pu_accessor import PUWarning
from tests.cases import Labels, placements, quiet
from tests.support.oracles import comparison_oracle as oracle

MODELS = ["svm", "forest", "nb", "copy", "flipped"]

TESTED = ["n", "statistic", "df", "p_value", "p_adjusted", "sign"]
PLAIN = ["model_a", "model_b", *TESTED]
SIZE = ["difference", "lower", "upper"]


class Draw(NamedTuple):
    """Scores of some models, labels, and a beta."""

    scores: dict[str, list[float]]
    labels: Labels
    beta: float


def draw(seed: int) -> Draw:
    """Draw correlated, mostly tied scores; one model is a copy, one a reversal of another."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(6, 30))
    truth = rng.random(size) < rng.uniform(0.2, 0.8)
    base = rng.normal(rng.uniform(-0.5, 2) * truth)
    digits = int(rng.integers(0, 3))
    svm, forest, nb = (np.round(base + rng.normal(size=size), digits) for _ in range(3))
    models = zip(MODELS, (svm, forest, nb, svm, -svm), strict=True)
    shown = rng.random(size) < rng.uniform(0.1, 0.7)
    labels = [bool(true) if seen else None for seen, true in zip(shown, truth, strict=True)]
    labels[:4] = True, True, None, False
    beta = float(rng.choice([0, 1, 0.3, round(rng.random(), 3)]))
    return Draw({name: list(map(float, score)) for name, score in models}, labels, beta)


def wide(case: Draw) -> pd.DataFrame:
    """Return one column per model."""
    return pd.DataFrame({**case.scores, "label": pd.array(case.labels, dtype="boolean")})


def expected(
    case: Draw, names: list[str], *betas: float, level: float = 0.95, target: str = "population"
) -> pd.DataFrame:
    """Return what the oracle says of all pairs of models."""
    rows = oracle.compare({k: case.scores[k] for k in names}, case.labels, betas, level, target)
    size = ["beta", *SIZE, "level"] if betas else []
    of_oracle = ["sign", "statistic", "df", "p_value", "p_adjusted", "n", "target"]
    every = pd.DataFrame(rows, columns=[*PLAIN[:2], *size, *of_oracle]).assign(metric="auroc")
    return every[[*PLAIN[:2], "metric", *size[:1], "target", *size[1:4], *TESTED]]


def assert_same(got: pd.DataFrame, want: pd.DataFrame) -> None:
    assert isinstance(got.index, pd.RangeIndex)
    pd.testing.assert_frame_equal(got, want, rtol=1e-9, atol=1e-13, check_dtype=False)


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("seed", range(5))
def test_compare_agrees_with_oracle(seed: int, target: str) -> None:
    case = draw(seed)
    betas, level = sorted({0.0, 0.4, case.beta}), [0.95, 0.8][seed % 2]
    for asked in ((), betas):
        got = quiet(
            wide(case), "compare", "auroc", asked or None, score=MODELS, level=level, target=target
        )
        assert_same(got, expected(case, MODELS, *asked, level=level, target=target))


def many(seed: int) -> Draw:
    """Draw models that differ in all examples, of which many are known positives."""
    rng = np.random.default_rng(seed)
    truth = np.arange(200) < 80
    base = rng.normal(truth)
    scores = {name: list(base + rng.uniform(-1, 1, 200)) for name in ("svm", "nb")}
    return Draw(scores, [True] * 60 + [None] * 140, 1 / 7)


@pytest.mark.filterwarnings("error")
def test_nothing_is_left_to_chance_where_all_positives_are_known() -> None:
    frame: Any = wide(draw(20))
    frame = frame.assign(label=np.arange(len(frame)) < 3)
    got = frame.pu(score=["svm", "nb", "copy"], negative=False).compare(
        "auroc", 0, target="examples"
    )
    assert got["lower"].tolist() == got["difference"].tolist() == got["upper"].tolist()
    assert set(got["p_value"]) <= {0.0, 1.0}


def test_delong_of_two_models_as_proc_has_it() -> None:
    """A difference has the variance of both placements, as DeLong's contrast of a covariance."""
    case = many(21)
    known = np.array([label is True for label in case.labels])
    frame = wide(case).assign(label=known)
    placed = [placements(frame, name) for name in ("svm", "nb")]
    whole = sum(np.cov([one[i] for one in placed]) / placed[0][i].size for i in (0, 1))
    apart = placed[0][0].mean() - placed[1][0].mean()
    want = apart / np.sqrt(np.array([1, -1]) @ whole @ [1, -1])
    got = quiet(frame, "compare", "auroc", 0, score=["svm", "nb"], negative=False)
    area = [roc_auc_score(known, frame[name]) for name in ("svm", "nb")]
    assert got[["difference", "statistic"]].iloc[0].tolist() == pytest.approx([apart, want])
    assert apart == pytest.approx(area[0] - area[1])


def small(label: list[float | None]) -> pd.DataFrame:
    """Return four examples, ranked by two models that differ and by a copy of the first."""
    return pd.DataFrame({"a": [4, 3, 2, 1], "b": [3, 2, 4, 1], "c": [4, 3, 2, 1], "label": label})


@pytest.mark.parametrize(
    ("label", "odds", "apart"),
    [([1, None, None, None], 1, 1 / 2.25), ([1, 1, 1, None], 1, 0), ([1, 1, 1, None], 1.5, 0)],
)
def test_one_known_positive_or_other_has_no_test(label: Any, odds: float, apart: float) -> None:
    with pytest.warns(PUWarning) as record:
        got = (
            small(label)
            .pu(score=["a", "b", "c"])
            .assume(selection_odds=odds)
            .compare("auroc", 0.25)
        )
    assert [one.filename for one in record] == [__file__]
    missing = ["lower", "upper", "statistic", "df", "p_value", "p_adjusted"]
    assert got[missing].isna().all(axis=None)
    assert got["difference"].tolist() == pytest.approx([apart, 0, -apart])
    assert got["sign"].tolist() == np.sign([apart, 0, -apart]).tolist()


@pytest.mark.parametrize("beta", [None, [0.05, 0.1]])
@pytest.mark.parametrize("odds", [1.2, 5.0, np.inf])
def test_what_odds_change_is_up_to_each_pair(beta: Any, odds: float) -> None:
    rng, truth = np.random.default_rng(0), np.arange(60) < 20
    frame = pd.DataFrame({"a": rng.normal(truth), "b": rng.normal(2 * truth)})
    frame["c"] = frame["b"] + rng.normal(size=60) / 2
    frame["label"] = np.where(np.arange(60) < 14, 1, np.nan)
    found, *parts = (
        frame.pu(score=[*names])
        .assume(selection_odds=odds)
        .compare("auroc", beta)
        .drop(columns="p_adjusted")
        for names in ("abc", "ab", "ac", "bc")
    )
    pd.testing.assert_frame_equal(found, pd.concat(parts).reset_index(drop=True))
    signs = {tuple(part["sign"]) for part in parts}
    assert (len(signs) > 1) == (odds < np.inf)  # what changes one pair changes no other


def test_folds_without_a_test_are_told_once() -> None:
    folds = small([1, None, None, None]), small([1, 1, None, None]), small([1, None, None, None])
    frame = pd.concat(folds, keys=list("xyz"), names=["fold"]).reset_index(level="fold")
    with pytest.warns(PUWarning, match="x.*z") as record:
        frame.pu(score=["a", "c"], by="fold").compare()
    assert len(record) == 1


# ---------------------------------------------------------------------------------------------
# What is claimed

"""Rows that stand for several each: as so many rows, with the error of one cluster for each."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUWarning
from pu_accessor.ranking import FloatArray
from tests.support.oracles import cluster_oracle as oracle

# Said of few rows; `test_one_row_that_holds_most_of_the_weight_names_counts` is about it.
pytestmark = pytest.mark.filterwarnings("ignore:One row has")
BETA, AT = 0.3, {"threshold": 0.5}
WORTH: dict[str, Any] = {"at": {"threshold": [0.2, 0.5]}, "target": "population"}
MODELS = ["score", "svm"]
Question = Callable[[Any], Any]


def draw(seed: int, rows: int = 240) -> pd.DataFrame:
    """Draw rows with whole weights, some of them 0; ids, sites and folds."""
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < 0.4
    score = rng.normal(size=rows) + 1.2 * positive
    label = np.where(positive & (rng.random(rows) < 0.5), 1.0, np.nan)
    if seed % 3 == 1:
        score = np.round(score, 1)
    if seed % 3 == 2:
        label = np.where(~positive & (rng.random(rows) < 0.2), 0.0, label)
    df = pd.DataFrame({"score": score, "label": label, "id": np.arange(rows)})
    df["chance"], df["svm"] = 1 / (1 + np.exp(-score)), score + rng.normal(size=rows)
    df["w"] = rng.integers(0, 6, rows)
    df["site"], df["fold"] = rng.integers(0, 30, rows), rng.integers(0, 3, rows)
    return df


def repeat(df: pd.DataFrame) -> pd.DataFrame:
    """Let each row stand as often as its weight says."""
    return df.loc[df.index.repeat(df["w"])]


def same(answer: Any, expected: Any) -> None:
    """Raise unless two answers are equal, but for the name of the band."""
    if isinstance(answer, xr.Dataset):
        bands = answer.attrs.pop("band"), expected.attrs.pop("band")
        assert bands in (("weighted", "clustered"), ("clustered", "clustered"))
        xr.testing.assert_allclose(answer, expected, atol=1e-12)
        return
    if "band" in answer:
        answer = answer.replace({"band": {"weighted": "clustered"}})
    pd.testing.assert_frame_equal(answer, expected, atol=1e-12, rtol=1e-9)


ALONE: dict[str, Question] = {
    "auroc": lambda pu: pu.auroc([0.1, BETA]),
    "average precision": lambda pu: pu.average_precision([0.1, BETA]),
    "prevalence": lambda pu: pu.assume(prevalence=0.1).average_precision(BETA),
    "part": lambda pu: pu.auroc(BETA, max_fpr=0.2),
    "interval": lambda pu: pu.auroc(pd.Interval(0.2, 0.4)),
    "threshold": lambda pu: pu.metric(["precision", "recall", "mcc"], BETA, at=AT),
    "rank": lambda pu: pu.metric(["precision", "recall"], BETA, at=50),
    "fraction": lambda pu: pu.metric("f1", BETA, at={"fraction": 0.1}),
    "at recall": lambda pu: pu.metric("precision", BETA, at={"recall": 0.5}),
    "bedroc": lambda pu: pu.metric("bedroc", BETA, target="population"),
    "tables": lambda pu: pu.contingency([0.1, BETA], ranks="all"),
    "all cutoffs": lambda pu: pu.contingency(BETA, ranks="all"),
    "some cutoffs": lambda pu: pu.contingency(BETA, ranks=[10, 50]),
    "roc": lambda pu: pu.roc_bounds(BETA),
    "pr": lambda pu: pu.pr_bounds(BETA),
    "calibration": lambda pu: pu(score="chance").calibration(BETA, bins=[0, 0.3, 0.6, 1]),
    "net benefit": lambda pu: pu(score="chance").metric("net_benefit", BETA, **WORTH),
}
OF_MODELS: dict[str, Question] = {
    "auroc": lambda pu: pu.compare("auroc", BETA),
    "no beta": lambda pu: pu.compare(),
    "average precision": lambda pu: pu.compare("average_precision", BETA),
    "precision": lambda pu: pu.compare("precision", BETA, at=AT),
    "top": lambda pu: pu.compare("recall", BETA, at={"fraction": 0.1}),
    "max-t": lambda pu: pu.compare("auroc", BETA, adjust="max_t"),
    "each": lambda pu: pu.auroc(BETA),
}
ROLES: dict[str, dict[str, Any]] = {
    "rows": {"cluster": "id"},
    "monotone": {"cluster": "id", "monotone": True},
    "by": {"cluster": "id", "by": "fold"},
    "pool": {"cluster": "id", "by": "fold", "pool": True},
}


# Of groups that are pooled scores are on no common scale.
NOT_POOLED = ("prevalence", "part", "threshold", "calibration", "net benefit")
PAIRS = [pair for pair in product(ALONE, ROLES) if pair not in product(NOT_POOLED, ["pool"])]
ASKED = [(place, *pair) for place, pair in enumerate(PAIRS)]
# Where nothing is rounded to a whole number of rows.
ROUNDED = ("fraction", "at recall", "all cutoffs", "some cutoffs", "tables", "roc", "pr")
SMOOTH = [name for name in ALONE if name not in (*ROUNDED, "calibration")]


def hold_against_repeated(df: pd.DataFrame, ask: Question, roles: dict[str, Any]) -> None:
    """Compare an answer about weighted rows with that about as many rows."""
    assumed: Any = {"monotone": "monotone" in roles}
    roles = {name: role for name, role in roles.items() if name != "monotone"}
    of_weights = {name: role for name, role in roles.items() if role != "id"}  # no id is needed
    expected = ask(repeat(df).pu(**roles).assume(**assumed))
    same(ask(df.pu(weight="w", **of_weights).assume(**assumed)), expected)


@pytest.mark.filterwarnings("ignore:Fewer than 10 clusters")
@pytest.mark.parametrize(("place", "name", "roles"), ASKED)
def test_whole_weights_are_repeated_rows(place: int, name: str, roles: str) -> None:
    hold_against_repeated(draw(place % 2), ALONE[name], ROLES[roles])


@pytest.mark.filterwarnings("ignore:Fewer than 10 clusters")
@pytest.mark.parametrize("name", OF_MODELS)
@pytest.mark.parametrize("roles", ["rows", "by"])
def test_models_of_whole_weights_are_those_of_repeated_rows(name: str, roles: str) -> None:
    hold_against_repeated(draw(5), OF_MODELS[name], {"score": MODELS, **ROLES[roles]})


@pytest.mark.parametrize("name", ["auroc", "average precision", "threshold", "tables"])
def test_weights_go_with_clusters(name: str) -> None:
    hold_against_repeated(draw(7), ALONE[name], {"cluster": "site"})


def test_rows_of_weight_1_have_none_whatever_other_groups_have() -> None:
    df = draw(1).assign(w=lambda df: np.where(df["fold"] == 1, df.index % 2, df["w"]))
    ones = df[(df["fold"] == 1) & (df["w"] == 1)]
    for ask in OF_MODELS.values():
        found = ask(df.pu(by="fold", weight="w", score=MODELS))
        alone = found[found["fold"] == 1].drop(columns="fold").reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, ask(ones.pu(score=MODELS)))


@pytest.mark.parametrize("name", SMOOTH)
def test_weights_just_off_whole_ones_change_next_to_nothing(name: str) -> None:
    """Fractions take a path of their own, with counts that are floats."""
    df = draw(6)
    whole = ALONE[name](df.pu(weight="w"))
    close = ALONE[name](df.assign(w=df["w"] * (1 + 1e-9)).pu(weight="w"))
    if isinstance(whole, xr.Dataset):
        whole, close = whole.to_dataframe(), close.to_dataframe()
    one, other = (frame.select_dtypes("number") for frame in (whole, close))
    np.testing.assert_allclose(other.to_numpy(float), one.to_numpy(float), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", ["plain", "ties", "known negatives"])
@pytest.mark.parametrize("metric", ["auroc", "average_precision"])
def test_errors_are_sums_of_squares_of_weighted_influences(metric: str, shape: str) -> None:
    """Fractions, against derivatives of the functional by each row's weight."""
    seed = ["plain", "ties", "known negatives"].index(shape)
    df = draw(seed, 120)
    rng = np.random.default_rng(seed)
    df["w"] = 1 + 4 * rng.random(len(df))
    functional, weight = oracle_of(metric, df), df["w"].to_numpy()
    steps = 1e-4 * np.eye(len(df))
    slopes = np.array([functional(weight + s) - functional(weight - s) for s in steps]) / 2e-4
    known = (df["label"] == 1).to_numpy()
    variance = 0.0
    for kind in (known, ~known):
        left = 1 - weight[kind] / weight[kind].sum()
        variance += float(((slopes * weight)[kind] ** 2 / left).sum())
    found = getattr(df.pu(weight="w"), metric)(BETA).iloc[0]
    expected = min(variance**0.5, 0.5)
    assert found["standard_error"] == pytest.approx(expected, rel=1e-4)


def oracle_of(metric: str, df: pd.DataFrame) -> oracle.Functional:
    """Return AUROC, or average precision, as a function of the rows' weights."""
    score, known = df["score"].to_numpy(), (df["label"] == 1).to_numpy()
    negative, base = (df["label"] == 0).to_numpy(), df["w"].to_numpy()
    n, unlabeled = base[known].sum(), base[~known & ~negative].sum()
    rest = base[~known].sum()
    hidden, prevalence = BETA * unlabeled / rest, (n + BETA * unlabeled) / (n + rest)
    above = (score[:, np.newaxis] <= score).astype(np.float64)  # row by row, ties at the end
    wins = (np.sign(score[:, np.newaxis] - score) + 1) / 2

    def functional(weight: FloatArray) -> float:
        f, g = (weight * kind / weight[kind].sum() for kind in (known, ~known))
        if metric == "auroc":
            return float((f @ wins @ g - hidden / 2) / (1 - hidden))
        true = above @ f
        head = n / (n + rest) * true + rest / (n + rest) * (above @ g)
        return float(f[known] @ (prevalence * true[known] / head[known]))

    return functional


def test_the_unit_of_large_weights_does_not_matter() -> None:
    """Products of such counts are beyond integers."""
    df = draw(0)
    units = [df.assign(w=df["w"] * unit).pu(weight="w") for unit in (1e6, 1e11)]
    one, other = (pu.auroc(BETA)[["lower", "upper"]] for pu in units)
    np.testing.assert_allclose(one, other, atol=1e-5)


OF_GROUPS: dict[str, Question] = {
    "gap": lambda pu: pu.gap("auroc", BETA),
    "gap of precision": lambda pu: pu.gap("average_precision", BETA),
    "auroc": lambda pu: pu(average=True).auroc(0.05),
    "average precision": lambda pu: pu(average=True).average_precision(0.05),
    "bedroc": lambda pu: pu(average=True).metric("bedroc", 0.05, target="population"),
}


@pytest.mark.filterwarnings("ignore:Fewer than 10 clusters")
@pytest.mark.parametrize("name", OF_GROUPS)
def test_gaps_and_averages_over_groups_count_weights(name: str) -> None:
    hold_against_repeated(draw(4), OF_GROUPS[name], {"by": "fold", "cluster": "id"})


@pytest.mark.parametrize("at", [60, {"threshold": 0.5}], ids=str)
def test_betas_of_an_interval_take_weights_that_are_not_whole(at: Any) -> None:
    pu = draw(0).assign(w=lambda rows: rows["w"] + 1.25).pu(weight="w")
    asked: dict[str, Any] = {"at": at, "target": "examples"}
    each = pu.metric("recall", [0.2, 0.25, 0.3, 0.4], **asked)
    found = pu.metric("recall", pd.Interval(0.2, 0.4), **asked).iloc[0]
    ends = found["lower"], found["upper"]
    assert ends == pytest.approx((each["lower"].min(), each["upper"].max()), abs=5e-3)
    assert pu.contingency(pd.Interval(0.2, 0.4), ranks="all")["tp"].dtype == np.float64


def test_few_weighted_positives_have_an_interval_and_one_has_none() -> None:
    df = pd.DataFrame({"score": [9.0, 8, 3, 7, 6, 5, 4, 2, 1], "label": 1.0, "w": [1, 2, 3] * 3})
    df.loc[3:, "label"] = np.nan
    found = df.pu(weight="w").auroc([0, 0.1])
    assert (found["lower"] < found["estimate"]).all() and (found["upper"] >= 0.9).all()
    one = df.drop(index=[0, 1]).pu(weight="w")
    for ask in (
        one.auroc,
        one.average_precision,
        partial(one.metric, "bedroc", target="population"),
    ):
        with pytest.warns(PUWarning, match="only one known positive"):
            assert ask(0)[["standard_error", "lower", "upper"]].isna().all(axis=None)
    known = pd.concat([df, df], ignore_index=True).reset_index().assign(label=1)
    for pu in (known.pu(weight="w"), known.pu(cluster="index")):
        with pytest.warns(PUWarning, match="one other example"):
            pu.average_precision(0)


def test_a_rate_is_found_among_as_many_rows_as_weights_stand_for() -> None:
    df = pd.DataFrame({"score": [5.0, 4, 3, 2, 1], "label": [1, None, 1, None, 1], "w": 1e12})
    found = df.pu(weight="w").metric("recall", 0.5, at={"fpr": 0.5}).iloc[0]
    assert (found["rank"], found["threshold"]) == (3e12, 3)

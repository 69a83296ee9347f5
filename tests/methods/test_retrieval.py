"""Metrics of searches, against trec_eval, all labelings, and documents that are written out."""

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pytrec_eval

import pu_accessor
from pu_accessor import PUValueError

# What trec_eval calls it; what it is called here.
NAMES: dict[str, tuple[str, int | None]] = {
    "P_10": ("precision", 10),
    "P_100": ("precision", 100),  # more than two of the queries returned
    "recall_10": ("recall", 10),
    "recall_100": ("recall", 100),
    "ndcg_cut_10": ("ndcg", 10),
    "ndcg_cut_100": ("ndcg", 100),
    "map": ("average_precision", None),
    "Rprec": ("r_precision", None),
    "recip_rank": ("reciprocal_rank", None),
    "bpref": ("bpref", None),
}


def collect(seed: int) -> pd.DataFrame:
    """Return judgments of 500 documents for three queries, a third of which no search returned."""
    rng = np.random.default_rng(seed)
    query = rng.choice(["q1", "q2", "q3"], 500, p=[0.6, 0.3, 0.1])
    relevant = rng.random(500) < 0.25
    score = np.where(rng.random(500) < 0.35, np.nan, rng.normal(1.2 * relevant))
    label = np.where(rng.random(500) < 0.6, relevant, np.nan)
    return pd.DataFrame({"query": query, "score": score, "label": label})


def trec_eval(documents: pd.DataFrame) -> pd.DataFrame:
    """Return what trec_eval says of each query."""
    named = documents.assign(name=documents.get("name", documents.index.astype(str)))
    relevant: dict[str, Any] = {query: {} for query in named["query"]}
    run: dict[str, Any] = {query: {} for query in named["query"]}
    for row in named.to_dict("records"):
        if row["label"] == row["label"]:
            relevant[row["query"]][row["name"]] = int(row["label"])
        if row["score"] == row["score"]:
            run[row["query"]][row["name"]] = row["score"]
    asked = {"map", "Rprec", "recip_rank", "bpref", "P", "recall", "ndcg_cut"}
    found = pytrec_eval.RelevanceEvaluator(relevant, asked).evaluate(run)
    return pd.DataFrame(found).T.sort_index()


def ask(documents: Any, name: str, beta: Any = 0, **roles: Any) -> pd.Series:
    """Ask for a metric of these queries, as trec_eval calls it."""
    metric, at = NAMES[name]
    betas = () if metric == "bpref" else (beta,)
    target = None if metric == "bpref" else "examples"
    pu = documents.pu(by="query", nan_policy="unretrieved", **roles)
    found: pd.DataFrame = pu.metric(metric, *betas, at=at, target=target)
    return found.iloc[0] if "average" in roles else found["estimate"]


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_those_of_trec_eval(name: str) -> None:
    for seed in range(3):
        documents = collect(seed)
        wanted = trec_eval(documents)[name]
        assert ask(documents, name).tolist() == pytest.approx(wanted.tolist(), abs=1e-9)
        mean = ask(documents, name, average=True)["estimate"]
        assert mean == pytest.approx(wanted.mean(), abs=1e-9)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "map"])  # of whole blocks
def test_ties_are_the_mean_over_the_orders_that_names_make(name: str) -> None:
    score = [5.0, 4, 4, 4, 4, 3, 3, 2, 2, np.nan, np.nan]
    documents = pd.DataFrame({"score": score, "label": [0, 1, 0, None, 1, 0, 1, 1, 1, 1, 0]})
    documents["label"] = documents["label"].astype(float)
    orders = []
    for four in permutations("abcd"):
        for turned in (False, True):
            rest = "hgji" if turned else "ghij"
            documents["name"] = ["k", *four, *rest, "l", "m"]
            orders.append(trec_eval(documents.assign(query="q"))[name].item())
    found = ask(documents.assign(query="q"), name)
    assert found.tolist() == pytest.approx([np.mean(orders)], abs=1e-9)


def draw(seed: int) -> tuple[pd.DataFrame, float]:
    """Return two queries, partly judged, and a beta."""
    documents = collect(seed).iloc[:80]
    return documents.assign(query=np.arange(80) % 2), 0.2


@pytest.mark.parametrize("target", ["examples", "population"])
@pytest.mark.parametrize(
    ("metric", "at"),
    [
        *((name, None) for name in ("average_precision", "reciprocal_rank", "r_precision")),
        *(("precision", 70), ("ndcg", 20), (pu_accessor.fbeta(2), 7)),
    ],
)
def test_not_retrieved_is_below_more_negatives_than_count(
    metric: Any, at: int | None, target: str
) -> None:
    documents, beta = draw(5)
    between = pd.DataFrame({"query": [0, 1], "score": -8.0, "label": 0.0, "count": 10**9})
    written = pd.concat([documents.assign(count=1).fillna({"score": -9.0}), between])
    found, wanted = (
        pu(average=target == "population").metric(metric, beta, at=at, target=target)
        for pu in (
            documents.pu(by="query", nan_policy="unretrieved"),
            written.pu(by="query", count="count"),
        )
    )
    numbers = ["estimate", "lower", "upper"]
    assert np.allclose(found[numbers], wanted[numbers], atol=1e-6)
    assert (found["estimate"] < 1).any()


def test_rows_below_any_cutoff_are_told_from_those_that_are_ranked_last() -> None:
    documents, beta = draw(5)
    pu = documents.pu(by="query", nan_policy="unretrieved")
    for ask_for in (pu.auroc, pu.roc_bounds, pu.report):
        with pytest.raises(PUValueError, match=r"nan_policy must not be 'unretrieved'.*'worst'"):
            ask_for(beta)
    with pytest.raises(PUValueError, match=r"a share of all examples, or a rate.*at=10"):
        pu.metric("recall", beta, at={"fraction": 0.1})
    with pytest.raises(PUValueError, match="nan_policy='unretrieved'"):
        documents.pu(nan_policy="omit").metric("ndcg", beta, at=1_000)


TRUTH = np.array([*map(int, "00101100010000")])


def labelings(n: int) -> list[pd.DataFrame]:
    """Return the query with each choice of so many known positives."""
    score, each = -np.arange(14.0), combinations(np.flatnonzero(TRUTH), n)
    labels = [np.where(np.isin(np.arange(14), known), 1, np.nan) for known in each]
    return [pd.DataFrame({"score": score, "label": label}) for label in labels]


def ndcg(relevant: np.ndarray[Any, Any], at: int) -> float:
    """Return NDCG by its definition."""
    discount = 1 / np.log2(np.arange(2, relevant.size + 2))
    ideal = np.sort(relevant)[::-1]
    return float((relevant * discount)[:at].sum() / (ideal * discount)[:at].sum())


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(("metric", "at"), [("ndcg", 6), ("reciprocal_rank", None)])
def test_averages_over_all_labelings_are_the_truth(metric: str, at: int | None, n: int) -> None:
    beta, found = (4 - n) / (14 - n), []
    for frame in labelings(n):
        twice = pd.concat([frame.assign(query=query) for query in (1, 2)]).pu(by="query")
        found.append(twice(average=True).metric(metric, beta, at=at)["estimate"].item())
    wanted = ndcg(TRUTH, 6) if at else 1 / 3
    # Of the first rank there is no estimate without bias; the last rank is not looked at.
    assert np.mean(found) == pytest.approx(wanted, abs=1e-9 if at else 0.1)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize(("metric", "at"), [("ndcg", 6), ("reciprocal_rank", None)])
def test_limits_of_one_query_hold_in_nearly_all_labelings(
    metric: str, at: int | None, n: int
) -> None:
    wanted, inside = ndcg(TRUTH, 6) if at else 1 / 3, []
    for frame in labelings(n):
        found = frame.pu.metric(metric, (4 - n) / (14 - n), at=at).iloc[0]
        inside.append(found["lower"] - 1e-9 <= wanted <= found["upper"] + 1e-9)
        assert found["lower"] <= found["estimate"] <= found["upper"]
        if not at:
            assert found["lower"] == pytest.approx(1 / (1 + frame["label"].first_valid_index()))
    assert np.mean(inside) >= 0.95


@pytest.mark.long
@pytest.mark.parametrize("shift", [0.0, 1.0, 2.0])
@pytest.mark.parametrize(("metric", "at"), [("ndcg", 10), ("reciprocal_rank", None)])
def test_averages_over_new_queries_cover(metric: str, at: int | None, shift: float) -> None:
    rng, inside, values = np.random.default_rng(3), [], []
    for _ in range(100):
        relevant = np.tile(np.arange(100) < 10, (40, 1))
        score = rng.normal(shift * relevant)
        known = relevant & (rng.random(relevant.shape) < 0.3)
        known[~known.any(axis=1), rng.integers(10)] = True
        order = np.argsort(-score, axis=1)
        values += [
            ndcg(one, 10) if at else 1 / (1 + int(np.argmax(one)))
            for one in np.take_along_axis(relevant, order, axis=1)
        ]
        frame = pd.DataFrame({"score": score.ravel(), "query": np.arange(4000) // 100})
        frame["label"] = np.where(known, 1, np.nan).ravel()
        beta = pd.Series((10 - known.sum(axis=1)) / (100 - known.sum(axis=1)), name="beta")
        pu = frame.pu(by="query", average=True)
        inside.append(pu.metric(metric, beta.rename_axis("query"), at=at, target="population"))
    found = pd.concat(inside)
    cover = (found["lower"] <= np.mean(values)) & (found["upper"] >= np.mean(values))
    assert cover.mean() >= 0.89

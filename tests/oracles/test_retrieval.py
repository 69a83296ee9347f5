"""Metrics of searches, against trec_eval, all labelings, and documents that are written out."""

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

import pu_accessor

# What trec_eval calls it; what it is called here.
NAMES: dict[str, tuple[str, int | None]] = {
    "map": ("average_precision", None),
    "Rprec": ("r_precision", None),
    "recip_rank": ("reciprocal_rank", None),
    "bpref": ("bpref", None),
}
for short, name in {"P": "precision", "recall": "recall", "ndcg_cut": "ndcg"}.items():
    # Two of the queries returned fewer than a hundred.
    NAMES |= {f"{short}_10": (name, 10), f"{short}_100": (name, 100)}


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


def ask(documents: Any, name: str, **roles: Any) -> Any:
    """Ask for a metric of these queries, as trec_eval calls it."""
    metric, at = NAMES[name]
    how: dict[str, Any] = {} if metric == "bpref" else {"beta": 0}
    how |= {} if "average" in roles else {"target": "examples"}
    pu = documents.pu(by="query", nan_policy="unretrieved", **roles)
    return pu.metric(metric, at=at, **how)["estimate"].tolist()


@pytest.mark.parametrize("seed", range(2))
def test_numbers_are_those_of_trec_eval(seed: int) -> None:
    documents = collect(seed)
    later = documents.groupby(["query", "label"]).cumcount().gt(0) & documents["label"].eq(1)
    documents = documents[~later | documents["query"].ne("q3")]  # which has one relevant document
    wanted = trec_eval(documents)
    for name in NAMES:
        assert ask(documents, name) == pytest.approx(wanted[name].tolist(), abs=1e-9), name
        mean = ask(documents, name, average=True)
        assert mean == pytest.approx([wanted[name].mean()], abs=1e-9), name


@pytest.mark.parametrize("last", [0, 1])
def test_ties_are_the_mean_over_the_orders_that_names_make(last: int) -> None:
    score = [5.0, 4, 4, 4, 4, 3, 3, 2, 2, np.nan, np.nan]
    documents = pd.DataFrame({"score": score, "label": [0, 1, 0, None, 1, 0, 1, 1, 1, 1, last]})
    documents = documents.assign(label=documents["label"].astype(float), query="q")
    orders = [
        trec_eval(documents.assign(name=["k", *four, *rest, "l", "m"]))
        for four, rest in product(permutations("abcd"), ("hgji", "ghij"))
    ]
    for name, mean in pd.concat(orders).mean().items():
        if name in NAMES and name != "map":  # of whole blocks
            assert ask(documents, str(name)) == pytest.approx([mean], abs=1e-9), name


ANY: list[Any] = [("average_precision", None), ("reciprocal_rank", None), ("r_precision", None)]
ANY += [("precision", 70), ("ndcg", 20), (pu_accessor.fbeta(2), 7)]


@pytest.mark.parametrize("target", ["examples", "population"])
@pytest.mark.parametrize(("metric", "at"), ANY)
def test_not_retrieved_is_below_more_negatives_than_count(
    metric: Any, at: int | None, target: str
) -> None:
    documents = collect(5).iloc[:80].assign(query=np.arange(80) % 2)
    between = pd.DataFrame({"query": [0, 1], "score": -8.0, "label": 0.0, "count": 10**9})
    written = pd.concat([documents.assign(count=1).fillna({"score": -9.0}), between])
    both: Any = documents.pu(nan_policy="unretrieved"), written.pu(count="count")
    asked = [pu(by="query", average=target == "population") for pu in both]
    found, wanted = (pu.metric(metric, 0.2, at=at, target=target) for pu in asked)
    numbers = ["estimate", "lower", "upper"]
    np.testing.assert_allclose(found[numbers], wanted[numbers], atol=1e-6)


def test_rows_that_were_not_retrieved_are_in_no_count() -> None:
    pu, retrieved = collect(5).pu(nan_policy="unretrieved"), collect(5)["score"].notna().sum()
    best, far = pu.metric("recall", 0, at="maximum"), pu.metric("recall", 0, at=10_000)
    assert best["rank"].item() <= retrieved and best["threshold"].notna().item()
    assert far["rank"].item() == far["examples_at_threshold"].item() == 10_000
    assert pu.metric(["f1", "ndcg"], 0, at=9)["clipped"].dtype == bool


@pytest.mark.parametrize("seed", [2, 5])
def test_the_mean_reciprocal_rank_of_a_very_good_model_has_limits(seed: int) -> None:
    score = np.random.default_rng(seed).normal(size=(100, 30))
    score[:, :4] += 3  # of 4 positives, one of which is known
    frame = pd.DataFrame({"score": score.ravel(), "label": np.tile([1, *[np.nan] * 29], 100)})
    pu = frame.assign(query=np.repeat(range(100), 30)).pu(by="query", average=True)
    row = pu.metric("reciprocal_rank", 3 / 29, target="population").iloc[0]
    best, others = score[:, :4].max(axis=1)[:, np.newaxis], score[:, 4:]
    true = (1 / (1 + (others > best).sum(axis=1))).mean()
    assert row["lower"] < true <= row["upper"] == row["estimate"] == 1


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(("metric", "at"), [("ndcg", 6), ("reciprocal_rank", None)])
def test_averages_and_limits_over_all_labelings(metric: str, at: int | None, n: int) -> None:
    truth = np.array([*map(int, "00101100010000")])
    wanted = ndcg_score([truth], [-np.arange(14)], k=6) if at else 1 / 3
    beta, means, inside = (4 - n) / (14 - n), [], []
    for known in combinations(np.flatnonzero(truth), n):
        label = np.where(np.isin(np.arange(14), known), 1, np.nan)
        frame = pd.DataFrame({"score": -np.arange(14.0), "label": label})
        twice = pd.concat([frame.assign(query=query) for query in (1, 2)]).pu(by="query")
        means.append(twice(average=True).metric(metric, beta, at=at)["estimate"].item())
        same = twice(average=True, nan_policy="unretrieved").metric(metric, beta, at=at)
        assert same["estimate"].item() == pytest.approx(means[-1])
        found = frame.pu.metric(metric, beta, at=at).iloc[0]
        inside.append(found["lower"] - 1e-9 <= wanted <= found["upper"] + 1e-9)
        assert at or found["lower"] == pytest.approx(1 / (1 + known[0]))
    # Of the first rank there is no estimate without bias; the last rank is not looked at.
    assert np.mean(means) == pytest.approx(wanted, abs=1e-9 if at else 0.1)
    assert n == 1 or np.mean(inside) >= 0.95

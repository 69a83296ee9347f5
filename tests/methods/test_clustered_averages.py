"""Averages over groups that share clusters, against pairs of groups and derivatives by rows."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUDataError, PUWarning
from tests.cases import put
from tests.support.oracles import averages_oracle, cluster_oracle
from tests.support.oracles.cluster_oracle import unbiased_precision_of

BETA, AT = 0.2, 0.7
RECALL = cluster_oracle.METRICS["recall"]
ASKED: dict[str, dict[str, Any]] = {
    "auroc": {},
    "average_precision": {},
    "recall": {"at": {"threshold": AT}},
    "precision": {"at": {"rank": 6}, "target": "population"},
    "f1": {"at": {"fraction": 0.25}, "target": "population"},
}


def draw(seed: int, patients: int = 25, groups: int = 9, known: int = 3) -> pd.DataFrame:
    """Draw queries of 20 rows: a patient has the same gain of score in each of them."""
    rng = np.random.default_rng([seed, patients])
    query, place = np.divmod(np.arange(20 * groups), 20)
    patient, gain = rng.integers(0, patients, query.size), rng.normal(size=patients)
    score = rng.normal(size=query.size) + (place < 6) * (1 + gain[patient])
    label = np.where(place < np.minimum(known + query % 2, 5), 1.0, np.nan)
    return pd.DataFrame({"query": query, "patient": patient, "score": score, "label": label})


def ask(df: pd.DataFrame, name: str, cluster: str | None = "patient", **how: Any) -> pd.DataFrame:
    """Return the average of a quantity over queries."""
    return average(df.pu(by="query", cluster=cluster), name, **how)


def average(pu: Any, name: str, **how: Any) -> pd.DataFrame:
    """Return the average of a quantity over groups."""
    area = name in ("auroc", "average_precision")
    method, args = (name, (BETA,)) if area else ("metric", (name, BETA))
    found: pd.DataFrame = put(pu, method, *args, **{"average": True, **ASKED[name], **how})
    return found


NUMBERS = ["estimate", "standard_error", "lower", "upper"]


def of_group(part: pd.DataFrame, name: str) -> averages_oracle.Clustered:
    """Return the estimate of a query, and what each row adds to it."""
    scores, known = part["score"].tolist(), part["label"].notna().to_numpy()
    labels, n = [True if one else None for one in known], known.sum()
    if name in ("precision", "f1"):  # so many rows are above whatever the sample
        rank = 6 if name == "precision" else 5
        positives = n + BETA * (~known).sum()
        whole = {"precision": positives / rank, "f1": 2 * positives / (rank + positives)}[name]
        place = part["score"].rank(ascending=False).to_numpy()
        hit, around = place <= rank, (place - rank / 2, 1.5 * rank - place + 1)
        value = hit[known].mean() * whole
        # A row moves the score of the rank, and with it as many known positives as lie there.
        near = np.clip(np.minimum(*around), 0, 1)
        density = near[known].mean() / (rank / len(part))
        added = np.where(known, (hit - hit[known].mean()) / n, 0.0)
        for kind in (known, ~known):
            added[kind] -= density * (hit[kind] - hit[kind].mean()) / len(part)
        added *= whole
    else:
        functional = {
            "auroc": lambda: cluster_oracle.auroc_of(scores, labels, BETA),
            "average_precision": lambda: unbiased_precision_of(scores, labels, BETA),
            "recall": lambda: cluster_oracle.metric_of(scores, labels, BETA, AT, RECALL),
        }[name]()
        value = functional(np.ones(len(part)))
        added = cluster_oracle.contributions(functional, len(part))
    patients = part["patient"].tolist()
    return averages_oracle.Clustered(value, added.tolist(), known.tolist(), patients)


@pytest.mark.filterwarnings("ignore:Fewer than 10 clusters")
@pytest.mark.parametrize(("seed", "patients"), [(0, 2), (1, 25), (0, 60), (2, 25)])
@pytest.mark.parametrize("name", ASKED)
def test_errors_are_those_of_all_pairs_of_groups(name: str, seed: int, patients: int) -> None:
    df = draw(seed, patients)
    if name not in ("precision", "f1") and seed == 2:
        df["score"] = df["score"].round(1)  # with ties
    groups = [of_group(part, name) for _, part in df.groupby("query")]
    values, shared = [group.value for group in groups], averages_oracle.covariance(groups)
    plain = float(np.var(values, ddof=1)) / len(groups)
    row = ask(df, name).iloc[0]
    assert row["estimate"] == pytest.approx(np.mean(values), rel=1e-9)
    assert row["standard_error"] == pytest.approx((plain + shared) ** 0.5, rel=1e-6)
    if name == "auroc":
        terms, ends = [], (-BETA / 2 / (1 - BETA), (1 - BETA / 2) / (1 - BETA))
        for group in groups:
            pairs = zip(group.cluster, group.known, strict=True)
            counts = [*Counter(cluster for cluster, known in pairs if known).values()]
            n = sum(counts) ** 2 / sum(count**2 for count in counts)  # in effect
            terms.append(averages_oracle.Term(group.value, *ends, np.nan, n, np.inf))
        holding = df.loc[df["label"].notna(), "patient"].nunique()
        asked: dict[str, Any] = {"new": True, "shared": shared, "clusters": holding}
        wanted = averages_oracle.average(terms, 1 / 3, 0.95, **asked)
        ends = wanted.lower, wanted.upper
        assert (row["lower"], row["upper"]) == pytest.approx(ends, abs=1.1e-5)


@pytest.mark.parametrize("name", ASKED)
def test_clusters_of_one_group_each_change_no_number(name: str) -> None:
    df = draw(3).assign(patient=lambda df: df["patient"] + 100 * df["query"])
    clustered, plain = ask(df, name), ask(df, name, cluster=None)
    pd.testing.assert_frame_equal(clustered, plain, check_exact=True)
    assert "Each cluster is in one group" in clustered.attrs["clusters"]
    assert "several groups" in ask(draw(3), name).attrs["clusters"]
    assert "clusters" not in plain.attrs


@pytest.mark.parametrize("name", ["auroc", "average_precision", "precision", "f1"])
def test_one_fold_that_is_pooled_is_the_group_itself(name: str) -> None:
    df = draw(2, 13).assign(fold=0)
    found = average(df.pu(by=["query", "fold"], pool="fold", cluster="patient"), name)
    np.testing.assert_allclose(found[NUMBERS], ask(df, name)[NUMBERS], rtol=1e-9)
    assert (found["standard_error"] > ask(df, name, cluster=None)["standard_error"]).all()


def test_what_is_averaged_apart_has_clusters_of_its_own() -> None:
    both = pd.concat([draw(6).assign(site="a"), draw(7).assign(site="b")])
    found = both.pu(by=["site", "query"], cluster="patient", average="query").auroc(BETA)
    for site, part in both.groupby("site"):
        row = found[found["site"] == site]["standard_error"].item()
        assert row == pytest.approx(ask(part, "auroc")["standard_error"].item(), rel=1e-12)


def test_clusters_that_say_too_little() -> None:
    df = draw(8)
    with pytest.warns(PUWarning, match=r"Fewer than 10 clusters .* \(2\)"):
        ask(draw(0, 2), "auroc")
    with pytest.raises(PUDataError, match="those of all 9 groups are in one"):
        ask(df.assign(patient=df["patient"].where(df["label"].isna(), 99)), "auroc")

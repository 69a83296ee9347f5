"""Averages over groups: against what each adds, a grid of limits, and pairs of groups.

Of a fault in what is averaged `test_population.py` and `test_designs.py` know more.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pu_accessor
from pu_accessor import PUDataError, PUValueError
from tests.cases import put
from tests.support.oracles import averages_oracle, cluster_oracle, estimates_oracle

# Of few clusters, and of what lies outside; the table of messages is about these.
pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
WHOLE = ("auroc", "average_precision", "bedroc")
NUMBERS = ["estimate", "standard_error", "lower", "upper"]


def draw(seed: int, groups: int = 30, known: int = 3) -> pd.DataFrame:
    """Draw queries of 20 examples, 4 of them positive, 1 to `known` known; shared patients."""
    rng = np.random.default_rng(seed)
    query, place = np.divmod(np.arange(20 * groups), 20)
    truth, patient, gain = place < 4, np.arange(query.size) * 7 % 23, rng.normal(size=23)
    score = 1 / (1 + np.exp(-rng.normal(1.2 * truth) - truth * gain[patient]))
    label = np.where(place < 1 + query % known, 1.0, np.nan)
    df = pd.DataFrame({"query": query, "patient": patient, "score": score, "label": label})
    return df.assign(truth=truth, other=score + rng.normal(size=score.size))


def ask(df: pd.DataFrame, name: Any, beta: Any, **how: Any) -> pd.DataFrame:
    """Ask for the average of a metric over queries."""
    how = {"by": "query", "average": True, **how}
    found: pd.DataFrame = put(df.pu, "metric", name, beta, **how)
    return found


# ---------------------------------------------------------------------------------------------
# Intervals


ALPHA, ACTS = 5.0, 0.35


def worth(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return net benefit at a threshold."""
    return (tp - fp * ACTS / (1 - ACTS)) / (tp + fp + fn + tn)


METRICS = {**cluster_oracle.METRICS, "net_benefit": worth}


def predicted(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return a share that no label changes."""
    return (tp + fp) / (tp + fp + fn + tn)


def term_of(part: pd.DataFrame, beta: float, name: Any, rank: int) -> tuple[Any, list[float]]:
    """Return what a group adds, from its scores; and the ends of what it can be, 0 and 1 too."""
    n, size, ends = int((part["label"] == 1).sum()), len(part), [0.0, 1.0]
    positives = n + beta * int(part["label"].isna().sum())
    negatives = size - positives
    if name == "average_precision":
        label = [None if pd.isna(one) else bool(one) for one in part["label"]]
        found = estimates_oracle.average_precision(part["score"].tolist(), label, beta)
        return averages_oracle.Term(float(found.value), 0.0, positives / n, n), ends
    below, least = part["score"].rank()[part["label"] == 1], -(size - n - negatives)
    if name == "auroc":
        each = (below - (positives + 1) / 2) / negatives  # if all were like one of the known
        low, high = least / (2 * negatives), least / (2 * negatives) + (size - n) / negatives
    elif name == "bedroc":

        def mean(start: Any, number: float) -> Any:
            return np.exp(-ALPHA * start / size) * (1 - np.exp(-ALPHA * number / size)) / number

        top, bottom = mean(0, positives), mean(size - positives, positives)
        weights = mean(size - below, 1), mean(size - n, n), mean(0, n)
        each, low, high = ((weight - bottom) / (top - bottom) for weight in weights)
    else:
        rank = int((part["score"] >= ACTS).sum()) if name == "net_benefit" else rank

        def of_hits(tp: float) -> float:
            counts = tp, rank - tp, positives - tp, negatives - rank + tp
            return float(METRICS.get(name, name)(*counts))

        low, high = sorted(map(of_hits, (0.0, positives)))
        each = (below > size - rank).map({True: of_hits(positives), False: of_hits(0.0)})
        ends += map(of_hits, (max(rank + positives - size, 0.0), min(rank, positives)))
    return averages_oracle.Term(each.mean(), low, high, n), ends


def check_average(df: Any, betas: Any, name: Any, level: float, rank: int = 4) -> None:
    """Hold an average against the slow reference, which is brought to [0, 1]."""
    parts = [term_of(part, betas[query], name, rank) for query, part in df.groupby("query")]
    floor, ceiling = np.mean([(min(ends), max(ends)) for _, ends in parts], axis=0)
    width = ceiling - floor
    shift, unit = floor * (np.arange(4) < 3), [*[width] * 3, 1]
    scaled: Any = [(term - shift) / unit for term, _ in parts]
    scatter = 1 / 3 if name in WHOLE[:2] else 1.0
    wanted = averages_oracle.average(scaled, scatter, level, rate=name not in WHOLE)
    at = {} if name in WHOLE else {"at": {"threshold": ACTS} if name == "net_benefit" else rank}
    metric = pu_accessor.bedroc(ALPHA) if name == "bedroc" else name
    row = ask(df, metric, betas, level=level, **at).iloc[0]
    found = [floor + width * wanted.value, width * wanted.error]
    assert row[NUMBERS[:2]].tolist() == pytest.approx(found, rel=1e-9, abs=1e-15, nan_ok=True)
    limits = (row[["lower", "upper"]] - floor) / width
    assert limits.tolist() == pytest.approx(wanted[2:], abs=2.5e-5, nan_ok=True)


# How many are known, how much groups differ, the level and the rank.
DRAWS = [(1, 0, 0.95, 4), (1, 1.5, 0.8, 4), (4, 1.5, 0.9, 4), (4, 1.5, 0.95, 11)]
NAMES: list[Any] = [*WHOLE, "net_benefit", "precision", "fpr", "lift", "informedness"]


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("name", [*NAMES, predicted])
def test_averages_are_those_of_a_slow_reference(name: Any, draws: Any) -> None:
    known, apart, level, rank = draws
    known = max(known, 2) if name == "average_precision" else known  # which needs two
    rng, parts, betas = np.random.default_rng([3, known]), [], {}
    for query in range(7):  # of different sizes, with known negatives
        size, n = 12 + 3 * query, 1 + (3 + query) % 3 if known == 1 else known
        label = np.repeat([1, 0, np.nan], [n, query % 3, size - n - query % 3])
        score = rng.normal(1 + (label == 1) * (apart * (-1) ** query + 1))
        score *= -1 if name == "informedness" else 1  # worse than chance
        score = 1 / (1 + np.exp(1 - score))
        parts.append(pd.DataFrame({"query": query, "score": score, "label": label}))
        betas[query] = [0.1, 0.05, 0.2, 0.0][query % 4] if known == 1 else 0.15
    check_average(pd.concat(parts, ignore_index=True), betas, name, level, rank)


# Groups, each with its size, the ranks of its known positives and its beta.
LAYOUTS: dict[str, list[tuple[int, list[int], float]]] = {
    "all on top": [(12, [1, 2], 0.05), (17, [1, 2], 0.1), (14, [1], 0.02), (30, [1, 2, 3], 0.08)],
    "all at the bottom": [(30, [29, 30], 0.02), (47, [47], 0.05), (44, [44], 0.03)],
    "on top, each by itself": [(12, [1], 0.02), (17, [1], 0.01), (14, [1], 0.04)],
    "alike": [(12, [2, 5], 0.1)] * 4,
    "alike, each by itself": [(12, [3], 0.1)] * 4,
    "alike, with nothing hidden": [(12, [3, 7], 0.0)] * 3,
    "two": [(12, [2, 5], 0.1), (15, [3, 4], 0.2)],
    "two, each by itself": [(12, [2], 0.1), (15, [4], 0.2)],
    "some with nothing hidden": [(12, [2], 0), (15, [3, 9], 0.2), (13, [4], 0.1), (9, [2, 4], 0)],
    "one that hides something": [(12, [2], 0.0), (15, [3, 9], 0.2), (13, [4, 6], 0.0)],
    "beyond": [(60, [1, 2, 3], 0.3)] * 9 + [(60, [1, 2, 4], 0.3)] * 9,
    "below": [(60, [58, 59, 60], 0.3)] * 9 + [(60, [57, 59, 60], 0.3)] * 9,
}


@pytest.mark.parametrize("which", LAYOUTS)
def test_averages_at_the_edge_are_those_of_a_slow_reference(which: str) -> None:
    parts, betas = [], {}
    for query, (size, ranks, beta) in enumerate(LAYOUTS[which]):
        label = np.where(np.isin(np.arange(1, size + 1), ranks), 1, np.nan)
        parts.append(pd.DataFrame({"query": query, "score": -np.arange(size), "label": label}))
        betas[query] = beta
    for level in (0.6, 0.95):
        check_average(pd.concat(parts), betas, "auroc", level)


# ---------------------------------------------------------------------------------------------
# Clusters of which some have rows in several groups

RATES: dict[str, dict[str, Any]] = {
    **{name: {} for name in WHOLE},
    "recall": {"at": {"threshold": 0.6}},
    "net_benefit": {"at": {"threshold": ACTS}},
    "precision": {"at": {"rank": 6}},
    "f1": {"at": {"fraction": 0.25}},
}
BETA = 0.2


def shared(df: pd.DataFrame, name: str, cluster: Any = "patient", **how: Any) -> pd.DataFrame:
    """Return the average of clustered rows."""
    how = {"cluster": cluster, **RATES[name], **how}
    return ask(df, pu_accessor.bedroc(ALPHA) if name == "bedroc" else name, BETA, **how)


def of_group(part: pd.DataFrame, name: str) -> tuple[float, np.ndarray]:
    """Return the estimate of a query, and what each row adds to it."""
    scores, known = part["score"].tolist(), part["label"].notna().to_numpy()
    of = cluster_oracle.shares([True if one else None for one in known], BETA)
    functionals: dict[str, cluster_oracle.Functional] = {
        "auroc": cluster_oracle.auroc_of(scores, of),
        "average_precision": cluster_oracle.unbiased_precision_of(scores, of),
        "bedroc": cluster_oracle.bedroc_of(scores, of, ALPHA),
        "recall": cluster_oracle.metric_of(scores, of, 0.6, METRICS["recall"]),
        "net_benefit": cluster_oracle.metric_of(scores, of, ACTS, worth),
    }
    if functional := functionals.get(name):
        return functional(np.ones(len(part))), cluster_oracle.contributions(functional, len(part))
    rank = 6 if name == "precision" else 5  # so many rows are above whatever the sample
    whole = of.positives * (1 / rank if name == "precision" else 2 / (rank + of.positives))
    place = part["score"].rank(ascending=False).to_numpy()
    hit, around = place <= rank, (place - rank / 2, 1.5 * rank - place + 1)
    # A row moves the score of the rank, and with it as many known positives as lie there.
    density = np.clip(np.minimum(*around), 0, 1)[known].mean() / (rank / len(part))
    added = np.where(known, (hit - hit[known].mean()) / of.n, 0.0)
    for kind in (known, ~known):
        added[kind] -= density * (hit[kind] - hit[kind].mean()) / len(part)
    return hit[known].mean() * whole, added * whole


@pytest.mark.parametrize(("seed", "patients"), [(0, 2), (1, 25), (2, 60)])
@pytest.mark.parametrize("name", RATES)
def test_errors_are_those_of_all_pairs_of_groups(name: str, seed: int, patients: int) -> None:
    df = draw(seed, 9).assign(patient=lambda df: df["patient"] % patients)
    df["label"] = np.where(df.index % 20 < 3 + df["query"] % 2, 1.0, np.nan)
    if name in ("auroc", "average_precision", "recall") and seed == 2:
        df["score"] = df["score"].round(2)  # with ties
    if seed == 0:  # all queries are alike
        df["score"] = np.tile(df["score"][:20], 9)
    each = [(part, *of_group(part, name)) for _, part in df.groupby("query")]
    values = np.array([value for _, value, _ in each])
    known = [(part["patient"], part["label"].notna()) for part, *_ in each]
    counts = np.array([np.bincount(*one, minlength=patients) for one in known])
    added = np.array([np.bincount(part["patient"], by, patients) for part, _, by in each])
    share = counts / counts.sum(axis=1)[:, np.newaxis]
    by_pairs, row = averages_oracle.covariance(values, added, share), shared(df, name).iloc[0]
    assert row["estimate"] == pytest.approx(min(values.mean(), 1), rel=1e-9)
    squared = values.var(ddof=1) / values.size + by_pairs
    assert row["standard_error"] == pytest.approx(squared**0.5, rel=1e-6)
    if name == "auroc":
        ends = -BETA / 2 / (1 - BETA), (1 - BETA / 2) / (1 - BETA)
        both = zip(values, 1 / (share**2).sum(axis=1), strict=True)
        terms = [averages_oracle.Term(one, *ends, n) for one, n in both]
        more: dict[str, Any] = {"shared": by_pairs, "some": (counts > 0).any(axis=0).sum()}
        wanted = averages_oracle.average(terms, 1 / 3, 0.95, **more)
        assert row[["lower", "upper"]].tolist() == pytest.approx(wanted[2:], abs=2e-5)


@pytest.mark.parametrize("name", RATES)
def test_clusters_of_one_group_each_change_no_number(name: str) -> None:
    df = draw(3, 12).assign(own=lambda df: df["patient"] + 100 * df["query"])
    df["label"] = df["label"].where(df.index % 20 > 1, 1.0)  # two known ones at least
    crossed, nested, plain = (shared(df, name, each) for each in ("patient", "own", None))
    pd.testing.assert_frame_equal(nested, plain, check_exact=True)
    told = [found.attrs["clusters"] for found in (nested, crossed)]
    assert "one group" in told[0] and "several groups" in told[1]


# ---------------------------------------------------------------------------------------------
# Which groups, and what of each


@pytest.mark.parametrize("groups", [6, 130])  # of many all are ranked together
@pytest.mark.parametrize("odd", [(np.nan, 0.1), (None, 1.0), (1.0, 0.1), (1.0, 0.0), (0.0, 0.0)])
def test_groups_without_area_are_left_out(odd: Any, groups: int) -> None:
    (label, beta), df = odd, draw(3, groups)
    betas = dict.fromkeys(range(groups), 0.1) | {2: beta}
    if label is not None:
        df.loc[df["query"] == 2, "label"] = label
    found = ask(df, "auroc", betas, on_error="skip")
    assert found.attrs["skipped"] and found["n_groups"].item() == groups - 1
    rest = ask(df[df["query"] != 2], "auroc", 0.1)
    pd.testing.assert_frame_equal(found, rest)


def test_a_group_among_many_where_nothing_is_unlabeled_has_a_beta_of_0() -> None:
    df = draw(3, groups=130)
    df["label"] = df["label"].where(df["query"] != 7, df["truth"])
    with pytest.raises(PUDataError, match="if nothing is unlabeled"):
        ask(df, "auroc", 0.1, negative=0)
    betas = {query: 0.1 * (query != 7) for query in range(130)}
    parts = [df, df[df["query"] < 6], df[df["query"] >= 6]]
    found = [ask(part, "auroc", betas, negative=0)["estimate"].item() for part in parts]
    assert found[0] == pytest.approx((6 * found[1] + 124 * found[2]) / 130, rel=1e-12)


def test_many_groups_that_are_ranked_together_have_the_areas_of_each() -> None:
    df = draw(3, 130, 4).round({"score": 1})
    df.loc[df["query"] % 3 == 0, "score"] *= -1
    found = df.sample(frac=1, random_state=0).pu(by="query").auroc(0.1)
    for query in range(0, 130, 11):
        alone = df[df["query"] == query].pu.auroc(0.1)[NUMBERS]
        np.testing.assert_allclose(found.loc[[query], NUMBERS], alone, rtol=1e-9)


ALL: dict[str, Any] = dict.fromkeys((*WHOLE, "bpref", "reciprocal_rank", "r_precision"))
ALL |= {"ndcg": 10, "recall": {"rank": [3, 9]}, "lift": {"fraction": 0.13}}
ALL |= {"net_benefit": {"threshold": ACTS}, "fpr": {"threshold": 0.6}}
COUNTS_ALL = ("auroc", "bedroc", "lift", "net_benefit", "fpr")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ALL)
def test_groups_that_are_ranked_together_add_what_each_adds(name: str, seed: int) -> None:
    rng, sizes = np.random.default_rng(seed), [1, 2, *range(3, 60, 3), 300]
    df = pd.DataFrame({"query": np.repeat(range(22), sizes), "count": 1})
    score = rng.random(len(df))
    df["score"] = np.where(df["query"] % 3 > 0, score, score.round(1))
    df["label"] = rng.choice([1, 0, np.nan], len(df), p=[0.2, 0.2, 0.6])
    how: dict[str, Any] = {"at": ALL[name], "on_error": "skip"}
    if name not in COUNTS_ALL:
        df["score"], how["nan_policy"] = (
            df["score"].where(rng.random(len(df)) > 0.3),
            "unretrieved",
        )
    beta = None if name == "bpref" else [0.0, 0.145, {q: q / 200 for q in range(22)}][seed]
    together, each = (ask(df, name, beta, **how, **one) for one in ({}, {"count": "count"}))
    pd.testing.assert_frame_equal(together, each, rtol=1e-12)
    assert together.attrs["skipped"] == each.attrs["skipped"]


def test_averages_over_some_keys_and_of_models_are_those_alone() -> None:
    df = pd.concat([draw(seed, 7).assign(site=f"s{seed}") for seed in (4, 5)])
    how: dict[str, Any] = {"by": ["site", "query"], "cluster": "patient"}
    found = ask(df, "auroc", [0.1, 0.2], score=["score", "other"], average="query", **how)
    assert len(found) == 8
    for _, row in found.iterrows():
        part = df[df["site"] == row["site"]]
        alone = ask(part, "auroc", row["beta"], score=row["model"], cluster="patient").iloc[0]
        assert row[NUMBERS].tolist() == pytest.approx(alone[NUMBERS].tolist(), rel=1e-12)
    assert ask(df, "auroc", 0.1, **how)["n_groups"].item() == 14


def test_averages_of_a_beta_with_errors_are_those_of_its_estimate_and_wider() -> None:
    joint = pu_accessor.beta_from_labels(13, 100, n_unlabeled=540, level=0.98)
    counts: list[Any] = [lambda tp, *_: 10 * tp, lambda tp, *_: 1 - tp, lambda tp, *_: tp]
    numbers = ["estimate", "lower", "upper"]
    tens, turned, found = (ask(draw(7), count, joint, at=9)[numbers].iloc[0] for count in counts)
    assert tens.tolist() == pytest.approx((10 * found).tolist(), rel=1e-6)
    assert turned.tolist() == pytest.approx((1 - found.iloc[[0, 2, 1]]).tolist(), rel=1e-6)
    point = ask(draw(7), counts[2], 0.13, at=9).iloc[0]
    assert found["estimate"] == pytest.approx(point["estimate"], rel=1e-12)
    assert 1 < found["lower"] < point["lower"] < point["upper"] < found["upper"]


def test_lift_at_a_share_rounds_up_in_each_group() -> None:
    df = draw(5).assign(label=lambda df: df["truth"].astype(float))
    how: dict[str, Any] = {"at": {"fraction": 0.13}, "negative": 0}
    hits = df.sort_values("score", ascending=False).groupby("query").head(3)["truth"].sum()
    wanted = hits / 30 / 3 / (4 / 20)  # 2.6 of 20 rows, rounded up
    assert ask(df, "lift", 0.0, **how)["estimate"].item() == pytest.approx(wanted, rel=1e-12)


# ---------------------------------------------------------------------------------------------
# Models over the same groups

MODELS = ["score", "other"]
ONE: dict[str, tuple[Any, Any]] = {  # of a ranking without ties, from the best down
    "recall": (4, lambda y: y[:4].sum() / y.sum()),
    "precision": (4, lambda y: y[:4].mean()),
    "reciprocal_rank": (None, lambda y: 1 / (1 + np.argmax(y))),
    "auroc": (None, lambda y: np.cumsum(y)[~y].mean() / y.sum()),
    "average_precision": (None, lambda y: (np.cumsum(y) / np.arange(1, y.size + 1))[y].mean()),
}


@pytest.mark.parametrize("name", ONE)
def test_averages_of_models_differ_by_paired_groups(name: str) -> None:
    df = draw(5, 12).assign(label=lambda df: df["truth"].astype(float))
    at, value = ONE[name]
    pu: Any = df.pu(score=MODELS, by="query", average=True, negative=0)
    found = pu.compare(name, 0, at=at, level=0.9).iloc[0]
    ordered = {m: df.sort_values(m, ascending=False).groupby("query")["truth"] for m in MODELS}
    each = [ordered[model].agg(lambda y: value(y.to_numpy())) for model in MODELS]
    moved = (each[0] - each[1]).to_numpy()
    apart, n = moved - moved.mean(), moved.size
    farthest = np.abs(apart).max()
    if at or name == "reciprocal_rank":  # one known positive of a query moves it
        farthest = max(farthest, {"precision": 1 / 4, "recall": 1 / 4}.get(name, 0.2))
    error = np.sqrt(moved.var() / n + farthest**2 / n**2)
    assert found["difference"] == pytest.approx(moved.mean(), rel=1e-9)
    wanted = moved.mean() / error, 2 * stats.t.sf(abs(moved.mean() / error), n - 1)
    assert found[["statistic", "p_value"]].tolist() == pytest.approx(wanted, rel=1e-9)
    half = stats.t.ppf(0.95, n - 1) * error
    assert found["upper"] - found["lower"] == pytest.approx(2 * half, rel=1e-9)
    assert (found["n_groups"], found["df"], found["sign"]) == (n, n - 1, np.sign(moved.mean()))
    assert [found["model_a"], found["model_b"]] == MODELS
    # The same of models in rows, of groups that only one has, and with patients in one group.
    long = df.melt(["query", "patient", "label"], MODELS, "model", "points")
    rows: Any = long[(long["query"] != 3) | (long["model"] == "other")].pu(
        score="points", by=["model", "query"], average="query", negative=0, on_error="skip"
    )
    turned = rows.compare(name, 0, at=at).iloc[0]
    kept: Any = df[df["query"] != 3].pu(score=MODELS[::-1], by="query", average=True, negative=0)
    alone = kept.compare(name, 0, at=at).iloc[0]
    pd.testing.assert_series_equal(turned, alone)
    if name == "reciprocal_rank":  # which takes documents as independent
        return
    nested: Any = df.assign(own=df["patient"] + 100 * df["query"])
    clustered = nested.pu(score=MODELS, by="query", average=True, negative=0, cluster="own")
    pd.testing.assert_series_equal(clustered.compare(name, 0, at=at, level=0.9).iloc[0], found)


def test_patients_of_several_groups_count_in_differences() -> None:
    df = draw(2, 9).assign(patient=lambda df: df["patient"] % 5)
    df["label"] = np.where(df.index % 20 < 3, 1.0, np.nan)
    df["score"] += 0.3 * df["truth"] * np.sin(df["patient"])  # as good as the patient
    pu: Any = df.pu(score=MODELS, by="query", average=True)
    plain, shared_ = (one.compare("auroc", 0.1).iloc[0] for one in (pu, pu(cluster="patient")))
    assert shared_["difference"] == plain["difference"] and shared_["df"] == 4
    assert abs(shared_["statistic"]) <= abs(plain["statistic"])


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("beta", [0.0, 0.1])
def test_the_best_threshold_of_averages_is_that_of_a_search(missing: float, beta: float) -> None:
    df, rng = draw(6, 9).round({"score": 1}), np.random.default_rng(0)
    if beta == 0:
        df["label"] = df["truth"].astype(float)
    df["score"] = df["score"].where(rng.random(len(df)) >= missing)
    policy = "unretrieved" if missing else "raise"
    parts = [part for _, part in df.groupby("query")]

    def means(threshold: float) -> tuple[Any, Any]:
        precision, recall = [], []
        for part in parts:
            known, hit = part["label"] == 1, part["score"] >= threshold
            share = (hit & known).sum() / known.sum()
            positives = known.sum() + beta * part["label"].isna().sum()
            if hit.any():
                precision.append(share * positives / hit.sum())
            recall.append(share)
        return np.mean(precision), np.mean(recall)

    def fmax(weight: float) -> list[tuple[float, float]]:
        each = [(*means(t), t) for t in df["score"].dropna().unique()]
        return [((1 + weight) * p * r / (weight * p + r), t) for p, r, t in each if p + r]

    how: dict[str, Any] = {"nan_policy": policy, "at": "maximum"}
    how |= {"negative": 0} if beta == 0 else {}
    found = ask(df, ["f1", pu_accessor.fbeta(2)], beta, **how)
    for weight, (_, row) in zip((1.0, 4.0), found.iterrows(), strict=True):
        value, threshold = max(fmax(weight))
        assert row["estimate"] == pytest.approx(value, rel=1e-9)
        assert row["threshold"] == threshold and row["n_groups"] == 9
    # The interval is that of the jackknife over queries, at the threshold.
    whole, threshold = max(fmax(1.0))
    left_out = []
    every = parts
    for one in range(9):
        parts = [part for place, part in enumerate(every) if place != one]
        p, r = means(threshold)
        left_out.append(2 * p * r / (p + r))
    jackknife = np.sqrt(8 / 9 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
    assert found["standard_error"][0] == pytest.approx(jackknife, rel=0.15)
    half = stats.t.ppf(0.975, 8) * found["standard_error"][0]
    assert found["upper"][0] == pytest.approx(min(whole + half, 1), rel=1e-9)


@pytest.mark.parametrize("at", ["maximum", "youden", {"recall": 0.8}])
def test_a_cutoff_that_each_model_chooses_is_refused_in_comparisons_of_averages(at: Any) -> None:
    pu: Any = draw(1).pu(score=MODELS, by="query", average=True)
    with pytest.raises(PUValueError, match="each model and beta has another cutoff"):
        pu.compare("f1", 0.1, at=at)

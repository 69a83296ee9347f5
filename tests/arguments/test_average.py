"""Averages over groups: intervals found on a grid, groups beside each other, what has none."""

from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUDataError, PUValueError, PUWarning
from tests.arguments.test_target import METRICS
from tests.cases import put
from tests.sources import test_pooled
from tests.support.oracles import averages_oracle, estimates_oracle

# Scores, the truth, and how many positives are known; hidden ones differ between groups.
AT = {"rank": 4}
AREAS = ("auroc", "average_precision")


def draw(seed: int, groups: int = 30, known: int = 3) -> pd.DataFrame:
    """Draw queries of 20 examples, 4 of them positive, 1 to `known` known."""
    rng = np.random.default_rng(seed)
    number = np.repeat(np.arange(groups), 20)
    place = np.tile(np.arange(20), groups)
    truth = place < 4
    label = np.where(place < 1 + number % known, 1.0, np.nan)
    score = rng.normal(1.2 * truth)
    other = score + rng.normal(size=score.size)
    columns = {"query": number, "score": score, "other": other, "label": label, "truth": truth}
    return pd.DataFrame(columns)


def ask(frame: pd.DataFrame, name: Any, beta: Any, **how: Any) -> dict[Any, Any]:
    """Ask for one average of the groups."""
    question = {} if name in AREAS else {"metric": name, "at": AT}
    how = {"by": "query", "beta": beta, "average": True, **question, **how}
    row = put(frame.pu, name if name in AREAS else "metric", **how).iloc[0]
    return dict(row)


def draw_mixed(seed: int, apart: float, known: int) -> tuple[pd.DataFrame, dict[Any, float]]:
    """Draw queries of different sizes, with known negatives; how much they differ; and betas."""
    rng = np.random.default_rng([seed, known])
    parts, betas = [], {}
    for query in range(7):
        size, n = 12 + 3 * query, 1 + (seed + query) % 3 if known == 1 else known
        score = rng.normal(1.0, 1.0, size)
        score[:n] += apart * (-1) ** query + 1
        label = np.full(size, np.nan)
        label[:n], label[n : n + query % 3] = 1, 0
        parts.append(pd.DataFrame({"query": query, "score": score, "label": label}))
        betas[query] = [0.1, 0.05, 0.2, 0.0][query % 4] if known == 1 else 0.15
    return pd.concat(parts, ignore_index=True), betas


RATES, BEYOND = ("precision", "recall", "fpr", "accuracy"), ("lift", "informedness")


def predicted(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return a share that no label changes."""
    return (tp + fp) / (tp + fp + fn + tn)


def term_of(part: pd.DataFrame, beta: float, name: Any) -> averages_oracle.Term:
    """Return what a group adds, from its scores."""
    n, size = int((part["label"] == 1).sum()), len(part)
    positives = n + beta * int(part["label"].isna().sum())
    negatives, hidden = size - positives, 1 - n / positives
    if name == "average_precision":
        label = [None if pd.isna(one) else bool(one) for one in part["label"]]
        found = estimates_oracle.average_precision(part["score"].tolist(), label, beta)
        value, square, most = float(found.value), found.standard_error**2, positives / n
        return averages_oracle.Term(value, 0.0, most, square, n, positives)
    below = part["score"].rank()[part["label"] == 1]
    with np.errstate(invalid="ignore"):
        spread = np.nan if n == 1 else float(below.var(ddof=1)) / n / negatives**2
    if name == "auroc":
        value = (below.mean() - (positives + 1) / 2) / negatives
        least = -(size - n - negatives) / (2 * negatives)
        most = least + (size - n) / negatives
    else:
        share = float((below > size - AT["rank"]).mean())
        values = []
        for one in (share, 0.0, 1.0):
            tp, rank = one * positives, AT["rank"]
            counts = tp, rank - tp, positives - tp, negatives - rank + tp
            values.append((METRICS[name] if isinstance(name, str) else name)(*counts))
        value, (least, most) = values[0], sorted(values[1:])
        spread = np.nan if n == 1 else share * (1 - share) / (n - 1) * (most - least) ** 2
    square = spread * hidden if hidden else 0.0
    return averages_oracle.Term(value, least, most, square, n, positives)


def check(row: Any, wanted: averages_oracle.Average, floor: float = 0, width: float = 1) -> None:
    """Hold a row against the slow reference, which was brought to [0, 1]."""
    estimate = pytest.approx(floor + width * wanted.value, rel=1e-12, nan_ok=True)
    assert row["estimate"] == estimate
    error = pytest.approx(width * wanted.error, rel=1e-9, abs=1e-15, nan_ok=True)
    assert row["standard_error"] == error
    limits = floor + width * np.array([wanted.lower, wanted.upper])
    found = [row["lower"], row["upper"]]
    assert found == pytest.approx(limits, abs=2.5e-5 * width, nan_ok=True)


def span_of(part: pd.DataFrame, term: averages_oracle.Term, name: Any) -> list[float]:
    """Return the ends of what a metric can be in a group, 0 and 1 included."""
    if name not in METRICS:
        return [0.0, 1.0]
    positives, size, rank = term.positives, len(part), AT["rank"]
    ends = [
        METRICS[name](tp, rank - tp, positives - tp, size - positives - rank + tp)
        for tp in (max(rank + positives - size, 0.0), min(rank, positives))
    ]
    return [min(ends[0], 0.0), max(ends[1], 1.0)]


# How many are known, how much groups differ, the level and the rank.
DRAWS = [(1, 0, 0.95, 4), (1, 1.5, 0.8, 4), (4, 1.5, 0.9, 4), (4, 1.5, 0.95, 11)]


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("name", ["auroc", "average_precision", *RATES, *BEYOND, predicted])
def test_averages_are_those_of_a_slow_reference(
    name: Any, target: str, draws: tuple[int, float, float, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    known, apart, level, rank = draws
    monkeypatch.setitem(AT, "rank", rank)
    if name == "average_precision":
        known = max(known, 2)  # which needs two
    frame, betas = draw_mixed(3, apart, known)
    frame["score"] *= -1 if name == "informedness" else 1  # worse than chance
    parts = dict(list(frame.groupby("query")))
    terms = [term_of(part, betas[query], name) for query, part in parts.items()]
    spans = [span_of(*pair, name) for pair in zip(parts.values(), terms, strict=True)]
    floor, ceiling = np.mean(spans, axis=0)
    width = ceiling - floor
    scaled = [
        each._replace(
            **{key: (getattr(each, key) - floor) / width for key in ("value", "low", "high")},
            square=each.square / width**2,
        )
        for each in terms
    ]
    scatter = 1 / 3 if name in AREAS else 1.0
    wanted = averages_oracle.average(scaled, scatter, level, new=target == "population")
    row = ask(frame, name, betas, target=target, level=level)
    assert (0 <= row["estimate"] <= 1) or name in BEYOND
    check(row, wanted, floor, width)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_averages_of_counts_go_with_their_units(target: str, joint: bool) -> None:
    beta: Any = 0.1
    how: dict[str, Any] = {"at": 9, "average": True, "target": target}
    if joint:
        beta = pu_accessor.beta_from_labels(13, 100, n_unlabeled=540, level=0.98)
    pu: Any = draw(7).pu(by="query")
    plain = put(pu, "metric", lambda tp, fp, fn, tn: tp, beta, **how).iloc[0]
    tens = put(pu, "metric", lambda tp, fp, fn, tn: 10 * tp, beta, **how).iloc[0]
    missed = put(pu, "metric", lambda tp, fp, fn, tn: 1 - tp, beta, **how).iloc[0]
    numbers = ["estimate", "lower", "upper"]
    assert plain["upper"] > 1
    assert tens[numbers].tolist() == pytest.approx((10 * plain[numbers]).tolist(), rel=1e-6)
    turned = (1 - plain[["estimate", "upper", "lower"]]).tolist()
    assert missed[numbers].tolist() == pytest.approx(turned, rel=1e-6)
    assert ("standard_error" in plain) == (not joint)
    if not joint:
        assert missed["standard_error"] == pytest.approx(plain["standard_error"], rel=1e-9)


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


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("which", LAYOUTS)
def test_averages_at_the_edge_are_those_of_a_slow_reference(which: str, target: str) -> None:
    parts, betas = [], {}
    for query, (size, ranks, beta) in enumerate(LAYOUTS[which]):
        label = np.where(np.isin(np.arange(1, size + 1), ranks), 1, np.nan)
        parts.append(pd.DataFrame({"query": query, "score": -np.arange(size), "label": label}))
        betas[query] = beta
    terms = [term_of(part, betas[query], "auroc") for query, part in enumerate(parts)]
    outside = not 0 <= np.mean([term.value for term in terms]) <= 1
    for level in (0.6, 0.95):
        wanted = averages_oracle.average(terms, 1 / 3, level, new=target == "population")
        told = pytest.warns(PUWarning, match="average lies outside") if outside else nullcontext()
        with told:
            check(ask(pd.concat(parts), "auroc", betas, target=target, level=level), wanted)


@pytest.mark.parametrize("groups", [6, 130])  # of many all are ranked together
@pytest.mark.parametrize(
    ("label", "betas", "told"),
    [
        *((np.nan, (0.1, 0.1), "known positive"), (None, (0.1, 1.0), "needs negatives")),
        *((1.0, (0.1, 0.1), "unlabeled"), (1.0, (0.1, 0.0), "This needs negatives")),
    ],
)
@pytest.mark.parametrize("target", ["population", "examples"])
def test_groups_without_area(label: Any, betas: Any, told: str, groups: int, target: str) -> None:
    frame, beta = draw(3, groups), dict.fromkeys(range(groups), betas[0]) | {2: betas[1]}
    if label is not None:
        frame.loc[frame["query"] == 2, "label"] = label
    with pytest.raises(PUDataError, match=f"query=2.*{told}.*on_error='skip'"):
        ask(frame, "auroc", beta, target=target)
    with pytest.warns(PUWarning, match=f"left out.*query=2.*{told}"):
        found = frame.pu(by="query", on_error="skip", average=True).auroc(beta, target=target)
    assert found.attrs["skipped"] and found["n_groups"].item() == groups - 1
    rest = frame[frame["query"] != 2].pu(by="query", average=True).auroc(0.1, target=target)
    pd.testing.assert_frame_equal(found, rest)


def test_a_group_among_many_where_nothing_is_unlabeled_has_a_beta_of_0() -> None:
    frame = draw(3, groups=130)
    frame["label"] = frame["label"].where(frame["query"] != 7, frame["truth"])
    pu = frame.pu(by="query", negative=0)
    with pytest.raises(PUDataError, match="if nothing is unlabeled"):
        pu(average=True).auroc(0.1)
    betas = {query: 0.1 * (query != 7) for query in range(130)}
    assert pu(average=True).auroc(betas)["n_groups"].item() == 130


def test_over_some_keys_and_for_models() -> None:
    frame = pd.concat([draw(seed).assign(site=f"s{seed}") for seed in (4, 5)])
    pu = frame.pu(by=["site", "query"], score=["score", "other"])
    found = pu(average="query").auroc([0.1, 0.2])
    assert list(found.columns[:4]) == ["site", "model", "metric", "beta"] and len(found) == 8
    for row in found.itertuples():
        part = frame[frame["site"] == row.site].pu(by="query", score=row.model)
        alone = part(average=True).auroc(row.beta).iloc[0]
        assert (row.estimate, row.upper) == pytest.approx((alone["estimate"], alone["upper"]))
    assert pu(average=True).auroc(0.1)["n_groups"].tolist() == [60, 60]
    assert pu(average=True).metric("precision", 0.1, at=3)["model"].tolist() == ["score", "other"]
    grouped = frame.groupby(["site", "query"]).pu(score=["score", "other"])
    pd.testing.assert_frame_equal(grouped(average=["query"]).auroc([0.1, 0.2]), found)


def unbiased(frame: pd.DataFrame, beta: float, target: str) -> float:
    """Return the unbiased AUROC of folds that are pooled."""
    if target == "examples":
        return float(estimates_oracle.auroc(*test_pooled.as_shares(frame), beta).value)
    known = frame.groupby("fold")["label"].transform("count") > 0
    below = np.concatenate(test_pooled.placed(frame[known])[0]).mean()
    b = test_pooled.share_of_rest(frame, beta)
    return float((below - b / 2) / (1 - b))


@pytest.mark.parametrize("target", ["population", "examples"])
def test_folds_are_pooled_before_queries_are_averaged(target: str) -> None:
    frame = draw(10, groups=6).assign(fold=lambda df: df.groupby("query").cumcount() % 3)
    frame["score"] += 2.0 * frame["fold"]  # which must not count
    pu = frame.pu(by=["query", "fold"], pool="fold")
    found = pu(average=True).auroc([0.05, 0.1], target=target)
    # What is averaged is unbiased, other than the estimate of each.
    each = [q for _, q in frame.groupby("query")]
    wanted = [np.mean([unbiased(q, beta, target) for q in each]) for beta in (0.05, 0.1)]
    assert found["n_groups"].tolist() == [6, 6]
    assert found["estimate"].tolist() == pytest.approx(wanted, rel=1e-12)


def test_an_estimate_of_beta_widens() -> None:
    beta = pu_accessor.beta_from_labels(13, 100, n_unlabeled=540)
    pu, frame = FRAME.pu(by="query"), FRAME
    found, at_point = (ask(frame, "auroc", b) for b in (beta, beta["beta"].item()))
    assert found["estimate"] == pytest.approx(at_point["estimate"], rel=1e-12)
    assert found["lower"] < at_point["lower"] < at_point["upper"] < found["upper"]
    with pytest.raises(PUValueError, match="unlabeled examples, but its estimate has 541"):
        pu(average=True).auroc(beta.assign(n_unlabeled=541))
    each = pd.concat([beta.assign(query=query) for query in range(30)])
    with pytest.raises(PUValueError, match=r"set_index\('query'\)\['beta'\]"):
        pu(average=True).auroc(each)


FRAME = draw(9)

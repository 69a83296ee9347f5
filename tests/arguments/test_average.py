"""Averages over groups: all samples of known positives are drawn, intervals found on a grid."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import pu_accessor
from pu_accessor import PUDataError, PUTypeError, PUValueError, PUWarning
from tests.sources import test_pooled
from tests.support.oracles import averages_oracle, estimates_oracle

# Scores, the truth, and how many positives are known; hidden ones differ between groups.
GROUPS: list[tuple[list[float], list[int], int]] = [
    ([9.0, 8, 7, 6, 5, 4, 3, 2], [1, 0, 1, 0, 0, 1, 0, 0], 1),
    ([5.0, 5, 4, 3, 3, 2, 1, 1, 0], [1, 0, 1, 1, 0, 0, 1, 0, 0], 2),
    ([1.0, 2, 3, 4, 5, 6], [1, 0, 1, 0, 0, 0], 1),
    ([0.5, 0.5, 0.4, 0.4, 0.1, 0.1, 0.0], [0, 1, 1, 0, 1, 0, 0], 3),
]
AT = {"rank": 4}


def make_frame(labels: list[Any]) -> pd.DataFrame:
    """Put groups below each other."""
    parts = [
        pd.DataFrame({"query": f"q{number}", "score": score, "label": label, "truth": truth})
        for number, ((score, truth, _), label) in enumerate(zip(GROUPS, labels, strict=True))
    ]
    return pd.concat(parts, ignore_index=True)


BETAS = {
    f"q{number}": (sum(truth) - known) / (len(truth) - known)
    for number, (_, truth, known) in enumerate(GROUPS)
}
FIRST = make_frame([next(averages_oracle.every_label(t, k)) for _, t, k in GROUPS])


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


def beta_of(frame: pd.DataFrame) -> dict[Any, float]:
    """Return the share of hidden positives of each query."""
    hidden = frame[frame["label"].isna()]
    return dict(hidden.groupby("query")["truth"].mean().items())


def ask(frame: pd.DataFrame, name: str, **keywords: Any) -> dict[str, Any]:
    """Ask for one average of the groups."""
    pu = frame.pu(by="query")
    if name == "precision":
        found = pu.metric(name, BETAS, at=AT, average=True, **keywords)
    else:
        found = getattr(pu, name)(BETAS, average=True, **keywords)
    (row,) = found.to_dict("records")
    return {str(column): value for column, value in row.items()}


@pytest.mark.parametrize("name", ["auroc", "precision"])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_the_mean_over_all_samples_is_the_truth(name: str, target: str) -> None:
    """Each group's part is linear in it: all samples of one after the other, others fixed."""

    def truth(score: list[float], positive: list[int]) -> float:
        if name == "auroc":
            return averages_oracle.true_auroc(score, positive)
        return averages_oracle.true_precision(score, positive, AT["rank"])

    first = [next(averages_oracle.every_label(t, k)) for _, t, k in GROUPS]
    base = ask(FIRST, name, target=target)["estimate"]
    mean = base
    for number, (_, positive, known) in enumerate(GROUPS):
        values = [
            ask(make_frame([*first[:number], label, *first[number + 1 :]]), name, target=target)
            for label in averages_oracle.every_label(positive, known)
        ]
        mean += np.mean([one["estimate"] for one in values]) - base
    scores = [(s, t) for s, t, _ in GROUPS]
    if name == "precision":  # of ties the last cutoff at or before the rank stands
        scores, parts = scores[::2], [0, 2]
        mean = np.mean([_one(number, name, target) for number in parts])
    assert mean == pytest.approx(np.mean([truth(s, t) for s, t in scores]), rel=1e-12)


def _one(number: int, name: str, target: str) -> float:
    """Return what a group adds, on average over all samples: twice the same group."""
    _, positive, known = GROUPS[number]
    found = []
    for label in averages_oracle.every_label(positive, known):
        part = pd.DataFrame({"score": GROUPS[number][0], "label": label})
        frame = pd.concat([part.assign(query="a"), part.assign(query="b")])
        pu, beta = frame.pu(by="query"), BETAS[f"q{number}"]
        row = pu.metric(name, beta, at=AT, average=True, target=target)
        found.append(row["estimate"].item())
    return float(np.mean(found))


def test_average_precision_over_all_samples() -> None:
    score, positive, known = GROUPS[1]
    found = []
    for label in averages_oracle.every_label(positive, known):
        part = pd.DataFrame({"score": score, "label": label})
        frame = pd.concat([part.assign(query="a"), part.assign(query="b")])
        found.append(frame.pu(by="query").average_precision(BETAS["q1"], average=True))
    truth = averages_oracle.true_average_precision(score, positive)
    assert np.mean([one["estimate"].item() for one in found]) == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_the_error_for_these_examples_is_that_over_all_samples(number: int) -> None:
    """Of two known or more it is unbiased; of one known it is no less."""
    score, positive, known = GROUPS[number]
    labels = [*averages_oracle.every_label(positive, known)]
    squares = []
    for label in labels:
        part = pd.DataFrame({"score": score, "label": label})
        far = part.assign(query="b", score=-part["score"])  # as far off, on the other side
        pu = pd.concat([part.assign(query="a"), far]).pu(by="query")
        row = pu.auroc(BETAS[f"q{number}"], average=True, target="examples")
        squares.append(row["standard_error"].item() ** 2)
    variance = float(np.var([_mean_rank(score, label) for label in labels]))
    expected = 2 * variance / (len(score) - sum(positive)) ** 2 / 4
    assert np.mean(squares) == pytest.approx(expected, rel=1e-9) if known > 1 else True
    assert np.mean(squares) >= expected * (1 - 1e-9)


def _mean_rank(score: list[float], label: list[Any]) -> float:
    """Return the mean of the mid-ranks of the known positives."""
    ranks = pd.Series(score).rank()
    return float(ranks[[one is not None for one in label]].mean())


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


RATES: dict[str, Any] = {
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn),
    "fpr": lambda tp, fp, fn, tn: fp / (fp + tn),
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
}
BEYOND: dict[str, Any] = {
    "lift": lambda tp, fp, fn, tn: tp / (tp + fp) / ((tp + fn) / (tp + fp + fn + tn)),
    "informedness": lambda tp, fp, fn, tn: tp / (tp + fn) - fp / (fp + tn),
}


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
        return averages_oracle.Term(
            float(found.value), 0.0, positives / n, found.standard_error**2, n, positives
        )
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
            values.append(((RATES | BEYOND)[name] if isinstance(name, str) else name)(*counts))
        value, (least, most) = values[0], sorted(values[1:])
        spread = np.nan if n == 1 else share * (1 - share) / (n - 1) * (most - least) ** 2
    square = spread * hidden if hidden else 0.0
    return averages_oracle.Term(value, least, most, square, n, positives)


@pytest.mark.parametrize(("known", "apart", "level"), [(1, 0, 0.95), (1, 1.5, 0.8), (4, 1.5, 0.9)])
@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("name", ["auroc", "average_precision", *RATES, predicted])
def test_averages_are_those_of_a_slow_reference(
    name: Any, target: str, apart: float, known: int, level: float
) -> None:
    if name == "average_precision":
        known = max(known, 2)  # which needs two
    frame, betas = draw_mixed(3, apart, known)
    pu = frame.pu(by="query")
    if name in ("auroc", "average_precision"):
        found = getattr(pu, name)(betas, average=True, target=target, level=level)
    else:
        found = pu.metric(name, betas, at=AT, average=True, target=target, level=level)
    terms = [term_of(part, betas[query], name) for query, part in frame.groupby("query")]
    scatter = 1 / 3 if name in ("auroc", "average_precision") else 1.0
    wanted = averages_oracle.average(terms, scatter, level, new=target == "population")
    row = found.iloc[0]
    assert row["estimate"] == pytest.approx(wanted.value, rel=1e-12)
    assert row["standard_error"] == pytest.approx(wanted.error, rel=1e-9, abs=1e-15)
    limits = (wanted.lower, wanted.upper)
    assert (row["lower"], row["upper"]) == pytest.approx(limits, abs=1.1e-5)


@pytest.mark.parametrize("rank", [4, 11])
@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("name", BEYOND)
def test_averages_beyond_0_and_1(
    name: str, target: str, rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AT, "rank", rank)
    frame, betas = draw_mixed(3, 1.5, 4)
    frame["score"] *= -1 if name == "informedness" else 1  # worse than chance
    terms, spans = [], []
    for query, part in frame.groupby("query"):
        terms.append(term_of(part, betas[query], name))
        positives, size = terms[-1].positives, len(part)
        least, most = (
            BEYOND[name](tp, rank - tp, positives - tp, size - positives - rank + tp)
            for tp in (max(rank + positives - size, 0.0), min(rank, positives))
        )
        spans.append((min(least, 0.0), max(most, 1.0)))
    floor, ceiling = np.mean(spans, axis=0)
    width = ceiling - floor
    scaled = [
        each._replace(
            **{key: (getattr(each, key) - floor) / width for key in ("value", "low", "high")},
            square=each.square / width**2,
        )
        for each in terms
    ]
    wanted = averages_oracle.average(scaled, 1.0, 0.95, new=target == "population")
    row = frame.pu(by="query").metric(name, betas, at=AT, average=True, target=target).iloc[0]
    assert not 0 <= row["estimate"] <= 1
    found = row[["estimate", "lower", "upper"]].to_numpy(float)
    expected = floor + width * np.array([wanted.value, wanted.lower, wanted.upper])
    assert found == pytest.approx(expected, abs=1.1e-5 * width)
    assert row["standard_error"] == pytest.approx(wanted.error * width, rel=1e-9)


@pytest.mark.parametrize("joint", ["approximate", "guaranteed", None])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_averages_of_counts_go_with_their_units(target: str, joint: str | None) -> None:
    frame, asked = draw(7), {"at": 9, "average": True, "target": target}
    beta: Any = 0.1
    if joint:
        beta = pu_accessor.beta_from_labels(13, 100, n_unlabeled=540, level=0.98)
        asked["joint"] = joint
    plain, tens, missed = (
        frame.pu(by="query").metric(count, beta, **asked).iloc[0]
        for count in (
            lambda tp, fp, fn, tn: tp,
            lambda tp, fp, fn, tn: 10 * tp,
            lambda tp, fp, fn, tn: 1 - tp,
        )
    )
    numbers = ["estimate", "lower", "upper"]
    assert plain["upper"] > 1
    assert tens[numbers].tolist() == pytest.approx((10 * plain[numbers]).tolist(), rel=1e-6)
    turned = (1 - plain[["estimate", "upper", "lower"]]).tolist()
    assert missed[numbers].tolist() == pytest.approx(turned, rel=1e-6)
    assert ("standard_error" in plain) == (joint is None)
    if joint is None:
        assert missed["standard_error"] == pytest.approx(plain["standard_error"], rel=1e-9)


# Groups, each with its size, the ranks of its known positives and its beta.
Layout = list[tuple[int, list[int], float]]
LAYOUTS: dict[str, Layout] = {
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


@pytest.mark.filterwarnings("ignore:In 1 of 1 rows the average lies outside")
@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("which", LAYOUTS)
def test_averages_at_the_edge_are_those_of_a_slow_reference(which: str, target: str) -> None:
    parts, betas = [], {}
    for query, (size, ranks, beta) in enumerate(LAYOUTS[which]):
        label = np.where(np.isin(np.arange(1, size + 1), ranks), 1, np.nan)
        parts.append(pd.DataFrame({"query": query, "score": -np.arange(size), "label": label}))
        betas[query] = beta
    terms = [term_of(part, betas[query], "auroc") for query, part in enumerate(parts)]
    pu = pd.concat(parts).pu(by="query")
    for level in (0.6, 0.95):
        wanted = averages_oracle.average(terms, 1 / 3, level, new=target == "population")
        row = pu.auroc(betas, average=True, target=target, level=level).iloc[0]
        assert row["estimate"] == pytest.approx(wanted.value, rel=1e-12, nan_ok=True)
        error = pytest.approx(wanted.error, rel=1e-9, abs=1e-15, nan_ok=True)
        assert row["standard_error"] == error
        limits = (wanted.lower, wanted.upper)
        assert (row["lower"], row["upper"]) == pytest.approx(limits, abs=1.1e-5, nan_ok=True)


@pytest.mark.parametrize("target", ["population", "examples"])
def test_what_cannot_be_otherwise_is_its_own_interval(target: str) -> None:
    pu = FIRST[FIRST["query"] == "q0"].pipe(lambda one: pd.concat([one, one.assign(query="b")]))
    same = pu.pu(by="query").metric(predicted, 0.25, at=AT, average=True, target=target).iloc[0]
    assert same[["lower", "estimate", "upper"]].tolist() == [0.5] * 3
    known = draw(2).assign(label=lambda df: df["truth"]).pu(by="query", negative=False)
    row = known.metric("recall", 0, at=AT, average=True, target="examples").iloc[0]
    assert row["lower"] == row["estimate"] == row["upper"] < 1


@pytest.mark.parametrize(
    ("name", "known", "seed"), [("auroc", 3, 5), ("auroc", 1, 4), ("average_precision", 3, 5)]
)
def test_two_groups_and_two_betas_are_each_beta_alone(name: str, known: int, seed: int) -> None:
    frame, _ = draw_mixed(seed, -0.7, known)
    pu = frame[frame["query"] > 4].pu(by="query")
    for target in ("population", "examples"):
        both = getattr(pu, name)([0.02, 0.1], average=True, target=target)
        each = [getattr(pu, name)(b, average=True, target=target) for b in (0.02, 0.1)]
        expected = pd.concat(each, ignore_index=True)
        pd.testing.assert_frame_equal(both, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "beta", "told"),
    [
        ({"label": np.nan}, 0.1, "needs a known positive"),
        ({}, 1.0, "needs negatives"),
        ({"label": 1.0}, 0.1, "unlabeled"),
    ],
)
def test_groups_among_many_that_have_no_area(
    change: dict[str, float], beta: float, told: str
) -> None:
    frame = draw(3, groups=130)
    frame.loc[frame["query"] == 7, [*change]] = [*change.values()]
    betas = {query: beta if query == 7 else 0.1 for query in range(130)}
    with pytest.raises(PUDataError, match=told):
        frame.pu(by="query").auroc(betas, average=True)
    with pytest.warns(PUWarning, match="left out"):
        found = frame.pu(by="query", on_error="skip").auroc(betas, average=True)
    rest = frame[frame["query"] != 7].pu(by="query")
    pd.testing.assert_frame_equal(found, rest.auroc(0.1, average=True), check_exact=False)


def test_a_group_among_many_where_nothing_is_unlabeled_has_a_beta_of_0() -> None:
    frame = draw(3, groups=130)
    frame["label"] = frame["label"].where(frame["query"] != 7, frame["truth"])
    pu = frame.pu(by="query", negative=0)
    with pytest.raises(PUDataError, match="where nothing is unlabeled"):
        pu.auroc(0.1, average=True)
    betas = {query: 0.1 * (query != 7) for query in range(130)}
    assert pu.auroc(betas, average=True)["n_groups"].item() == 130


def test_a_metric_that_no_known_positive_moves_has_the_interval_of_student() -> None:
    frame = draw(1)
    found = frame.pu(by="query").metric(
        lambda tp, fp, fn, tn: (tp + fp) / (tp + fp + fn + tn),
        0.1,
        at={"threshold": 1.0},
        average=True,
    )
    each = (frame["score"] >= 1).groupby(frame["query"]).mean()
    error = each.std() / 30**0.5
    limits = each.mean() + stats.t.ppf([0.025, 0.975], 29) * error
    assert found["standard_error"].item() == pytest.approx(error)
    assert found[["lower", "upper"]].iloc[0].tolist() == pytest.approx(limits, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "oracle"), [("auroc", roc_auc_score), ("average_precision", average_precision_score)]
)
def test_fully_labeled_it_is_the_mean_of_scikit_learn(name: str, oracle: Any) -> None:
    frame = draw(2).assign(label=lambda df: df["truth"])
    pu = frame.pu(by="query", positive=True, negative=False)
    expected = [oracle(part["truth"], part["score"]) for _, part in frame.groupby("query")]
    these = getattr(pu, name)(0, average=True, target="examples").iloc[0]
    assert these[["estimate", "lower", "upper"]].tolist() == pytest.approx([np.mean(expected)] * 3)
    new = getattr(pu, name)(0, average=True).iloc[0]
    error = np.std(expected, ddof=1) / 30**0.5
    assert new["standard_error"] == pytest.approx(error, rel=1e-9)
    assert new["lower"] < new["estimate"] - 1.9 * error < new["upper"] - 3.5 * error


def test_many_groups_at_once_say_the_same() -> None:
    parts = [draw_mixed(seed, 0.4, 1)[0].assign(seed=seed) for seed in range(15)]
    frame = pd.concat(parts, ignore_index=True)
    frame["query"] += 7 * frame["seed"]
    parts = [part for _, part in frame.groupby("query")]
    for row in frame.pu(by="query").auroc([0.0, 0.08], average=True).to_dict("records"):
        terms = [term_of(part, row["beta"], "auroc") for part in parts]
        wanted = averages_oracle.average(terms, 1 / 3, 0.95, new=True)
        assert row["n_groups"] == 105
        assert row["estimate"] == pytest.approx(wanted.value, rel=1e-12)
        assert row["standard_error"] == pytest.approx(wanted.error, rel=1e-9)
        limits = (wanted.lower, wanted.upper)
        assert (row["lower"], row["upper"]) == pytest.approx(limits, abs=1.1e-5)


def test_over_some_keys_and_for_models() -> None:
    frame = pd.concat([draw(seed).assign(site=f"s{seed}") for seed in (4, 5)])
    pu = frame.pu(by=["site", "query"], score=["score", "other"])
    found = pu.auroc([0.1, 0.2], average="query")
    assert list(found.columns[:3]) == ["site", "model", "beta"] and len(found) == 8
    for row in found.itertuples():
        part = frame[frame["site"] == row.site].pu(by="query", score=row.model)
        alone = part.auroc(row.beta, average=True).iloc[0]
        assert (row.estimate, row.upper) == pytest.approx((alone["estimate"], alone["upper"]))
    assert pu.auroc(0.1, average=True)["n_groups"].tolist() == [60, 60]
    grouped = frame.groupby(["site", "query"]).pu(score=["score", "other"])
    pd.testing.assert_frame_equal(grouped.auroc([0.1, 0.2], average=["query"]), found)


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
    found = pu.auroc([0.05, 0.1], average=True, target=target)
    # What is averaged is unbiased, other than the estimate of each.
    wanted = [
        np.mean([unbiased(q, beta, target) for _, q in frame.groupby("query")])
        for beta in (0.05, 0.1)
    ]
    assert found["n_groups"].tolist() == [6, 6]
    assert found["estimate"].tolist() == pytest.approx(wanted, rel=1e-12)


def test_several_metrics_and_cutoffs() -> None:
    pu = draw(6).pu(by="query")
    names, at = ["precision", "recall", pu_accessor.fbeta(2)], {"rank": [3, 5]}
    found = pu.metric(names, [0.1, 0.15], at=at, average=True)
    assert len(found) == 12 and found.attrs["target"] == "population"
    row = found[(found["metric"] == "f2") & (found["at"] == 5) & (found["beta"] == 0.15)]
    alone = pu.metric(names[2], 0.15, at=5, average=True)
    assert row["lower"].item() == pytest.approx(alone["lower"].item())
    assert "at" not in alone.columns


def test_an_estimate_of_beta_widens() -> None:
    frame = draw(7)
    beta = pu_accessor.beta_from_labels(13, 100, n_unlabeled=540)
    pu = frame.pu(by="query")
    found, at_point = pu.auroc(beta, average=True), pu.auroc(beta["beta"].item(), average=True)
    assert found["estimate"].item() == pytest.approx(at_point["estimate"].item(), rel=1e-12)
    assert found["lower"].item() < at_point["lower"].item()
    assert found["upper"].item() > at_point["upper"].item()
    wrong = pu_accessor.beta_from_labels(13, 100, n_unlabeled=541)
    with pytest.raises(PUValueError, match="unlabeled examples, but it is for 541"):
        pu.auroc(wrong, average=True)
    each = pd.concat([beta.assign(query=query) for query in range(30)])
    with pytest.raises(PUValueError, match=r"set_index\('query'\)\['beta'\]"):
        pu.auroc(each, average=True)


def test_groups_without_known_positives_are_left_out_when_told() -> None:
    frame = draw(8, groups=6)
    frame.loc[frame["query"] == 2, "label"] = np.nan
    with pytest.raises(PUDataError, match=r"query=2.*on_error='skip'"):
        frame.pu(by="query").auroc(0.1, average=True)
    with pytest.warns(PUWarning, match="left out"):
        found = frame.pu(by="query", on_error="skip").auroc(0.1, average=True)
    rest = frame[frame["query"] != 2].pu(by="query").auroc(0.1, average=True)
    assert found.attrs["skipped"] and found["n_groups"].item() == 5
    pd.testing.assert_frame_equal(found, rest)


def test_all_on_top_is_no_certainty() -> None:
    part = pd.DataFrame({"score": range(10, 0, -1), "label": [1] + [None] * 9})
    frame = pd.concat([part.assign(query=number) for number in range(5)])
    for target in ("population", "examples"):
        with pytest.warns(PUWarning, match="average lies outside"):
            row = frame.pu(by="query").auroc(0.2, average=True, target=target).iloc[0]
        assert row["standard_error"] == 0 and row["lower"] < 0.9 and row["upper"] == 1


def test_an_average_outside_is_nan() -> None:
    part = pd.DataFrame({"score": range(10, 0, -1), "label": [1, 1] + [None] * 8})
    frame = pd.concat([part.assign(query=number) for number in range(30)])
    with pytest.warns(PUWarning, match="average lies outside"):
        found = frame.pu(by="query").auroc(0.3, average=True)
    assert found[["estimate", "standard_error", "lower", "upper"]].isna().all(axis=None)


FRAME = draw(9)


@pytest.mark.parametrize(
    ("roles", "call", "error", "told"),
    [
        ({}, lambda pu: pu.auroc(0.1, average=True), PUValueError, "by='query'"),
        ({"by": "query"}, lambda pu: pu.auroc(0.1, average="user"), PUValueError, "'user'"),
        ({"by": "query"}, lambda pu: pu.auroc(0.1, average=1), PUTypeError, "True, False or"),
        (
            {"by": "query"},
            lambda pu: pu.auroc(0.1, average=True, max_fpr=0.1, target="examples"),
            PUValueError,
            "max_fpr must be left out",
        ),
        (
            {"by": "query"},
            lambda pu: pu.auroc(0.1, average=True, selection_odds=2),
            PUValueError,
            "selection_odds must be left out",
        ),
        (
            {"by": "query"},
            lambda pu: pu.metric("recall", 0.1, at={"fpr": 0.1}, average=True),
            PUValueError,
            "'rank', 'threshold', 'fraction'",
        ),
        (
            {"by": "query"},
            lambda pu: pu.metric("jaccard", 0.1, at=3, average=True),
            PUValueError,
            "'jaccard'",
        ),
        (
            {"by": "query"},
            lambda pu: pu.average_precision(0.1, average=True),
            PUDataError,
            "two known positives",
        ),
        (
            {"by": "query", "propensity": "propensity"},
            lambda pu: pu.auroc(0.1, average=True),
            PUValueError,
            "propensity",
        ),
        (
            {"by": "query"},
            lambda pu: pu.metric("precision", 0.1, at={"threshold": 99.0}, average=True),
            PUDataError,
            "has no value at rank 0",
        ),
    ],
)
def test_bad_input(roles: dict[str, Any], call: Any, error: type[Exception], told: str) -> None:
    frame = FRAME.assign(propensity=0.5)
    with pytest.raises(error, match=told):
        call(frame.pu(**roles))


def test_one_group_is_no_average() -> None:
    with pytest.raises(PUDataError, match="two groups"):
        FRAME[FRAME["query"] == 0].pu(by="query").auroc(0.1, average=True)


@pytest.mark.parametrize("target", ["population", "examples"])
def test_groups_of_known_positives_alone_are_left_out(target: str) -> None:
    alone = pd.DataFrame({"query": "alone", "score": [0.3, 0.2], "label": 1.0})
    with pytest.raises(PUDataError, match=r"query='alone': AUROC needs negatives"):
        pd.concat([FIRST, alone]).pu(by="query").auroc(0, average=True, target=target)
    with pytest.warns(PUWarning, match="query='alone': AUROC needs negatives"):
        found = (
            pd.concat([FIRST, alone])
            .pu(by="query", on_error="skip")
            .auroc(0, average=True, target=target)
        )
    want = FIRST.pu(by="query").auroc(0, average=True, target=target)
    pd.testing.assert_frame_equal(found, want)

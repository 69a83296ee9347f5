"""Rows that are clustered, weighted, or labeled with known propensities, against references."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special

import pu_accessor
from tests.cases import AREAS, framed, put, put_of_these
from tests.support.oracles import cluster_oracle, completion_oracle, oracle, population_oracle
from tests.support.oracles import gaps_oracle as gaps
from tests.support.oracles import selection_oracle as selection
from tests.support.oracles.comparison_oracle import unseen
from tests.worlds import check_alike

# Of few clusters, of few rows in effect; the table of messages is about these.
pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
BETA, AT, ALPHA = 0.25, 0.6, 8.0


# ---------------------------------------------------------------------------------------------
# Errors on new examples are what each row adds


def draw(kind: str, seed: int, clusters: int = 30, size: int = 4) -> pd.DataFrame:
    """Draw rows of clusters: scores of one cluster correlate, and so do its labels."""
    rng = np.random.default_rng([seed, *kind.encode()])
    sizes = rng.geometric(1 / size, clusters) if kind == "unlike sizes" else size
    patient = np.repeat(np.arange(clusters), sizes)
    tendency, common = np.round(rng.random(clusters), 0 if kind == "one kind each" else 9), 1.0
    if kind == "by row":  # all clusters are alike: the rows of each are held against each other
        tendency[:], common = 0.5, 3.0
    positive = rng.random(patient.size) < tendency[patient]
    noise = common * rng.normal(size=clusters)[patient] + rng.normal(size=patient.size)
    score = 1 / (1 + np.exp(-noise - 1.5 * positive))
    asked = rng.random(clusters)[patient] if kind != "by row" else rng.random(patient.size)
    label = np.where(positive & (asked < 0.6), 1.0, np.nan)
    if kind == "negatives":
        label[~positive & (rng.random(patient.size) < 0.3)] = 0
    if kind == "all labeled":
        label = positive.astype(float)
    score = np.round(score, 1) if kind == "tied" else score
    rows = pd.DataFrame({"score": score, "label": label, "patient": patient})
    times = 1 + 4 * rng.random(len(rows))
    return rows.assign(times=times / times.min()).sample(frac=1, random_state=seed)


KINDS = ("plain", "tied", "negatives", "unlike sizes", "one kind each", "by row", "all labeled")
DESIGNS: dict[str, dict[str, Any]] = {
    **{"rows": {}, "clusters": {"cluster": "patient"}, "weights": {"weight": "times"}},
    "both": {"cluster": "patient", "weight": "times"},
}
WORLDS = [*product(KINDS, ["clusters", "weights"])]
WORLDS += [*product(KINDS[:3], ["rows", "both"]), ("all labeled", "rows"), ("all labeled", "both")]
worlds = pytest.mark.parametrize(("kind", "design"), WORLDS)


class World:
    """Rows with what is bound of them, and the same as the reference reads it."""

    def __init__(self, kind: str, design: str, seed: int) -> None:
        rows, roles = draw(kind, seed), DESIGNS[design]
        self.pu: Any = rows.pu(negative=0, **roles)
        self.beta, self.level = BETA * (kind != "all labeled"), [0.95, 0.8][len(kind) % 2]
        labels = [None if math.isnan(one) else one == 1 for one in rows["label"]]
        base = rows["times"].to_numpy() if "weight" in roles else None
        self.of = cluster_oracle.shares(labels, self.beta, base)
        own = rows["patient"].tolist() if "cluster" in roles else [*range(len(rows))]
        self.scores, self.clusters = rows["score"].tolist(), own if roles else None

    def ask(self, metric: Any, **how: Any) -> Any:
        """Ask for a metric of new examples."""
        return self.pu.metric(metric, self.beta, target="population", level=self.level, **how)


@worlds
@pytest.mark.parametrize("name", AREAS.values())
def test_areas_have_errors_and_limits_of_what_rows_add(kind: str, design: str, name: str) -> None:
    world = World(kind, design, 0)
    row = world.ask(name).iloc[0]
    wanted = getattr(population_oracle, name)(world.scores, world.of, world.level, world.clusters)
    assert row["standard_error"] == pytest.approx(wanted.error, rel=1e-6)
    ends = [min(wanted.lower, row["estimate"]), max(wanted.upper, row["estimate"])]
    assert row[["lower", "upper"]].tolist() == pytest.approx(ends, abs=1e-7)


CANCELLED = [("124333022210432443223443", "101101111110010011000000")]  # what a cluster adds is 0
CANCELLED += [("203110113141200001", "101110111100011101")]


@pytest.mark.parametrize(("score", "known"), CANCELLED)
def test_what_cancels_in_a_cluster_depends_on_no_order_of_rows(score: str, known: str) -> None:
    frame = pd.DataFrame({"score": map(int, score), "label": [x == "1" or None for x in known]})
    frame["patient"] = np.arange(len(frame)) // 6
    rows = [frame.sample(frac=1, random_state=seed) for seed in range(5)]
    pus: list[Any] = [one.pu(cluster="patient") for one in rows]
    found = [pu.metric("precision", 0.1, at={"threshold": 2})[["lower", "upper"]] for pu in pus]
    np.testing.assert_allclose(found, [found[0]] * 5, rtol=1e-9)


@worlds
def test_bedroc_has_the_error_of_what_rows_add(kind: str, design: str) -> None:
    world = World(kind, design, 2)
    of = world.of
    functional = cluster_oracle.bedroc_of(world.scores, of, ALPHA)
    found = cluster_oracle.errors(functional, of, world.clusters or range(of.known.size))
    squared = found.plain.sum() * (found.effect if world.clusters else 1)
    row = world.ask(pu_accessor.bedroc(ALPHA)).iloc[0]
    assert row["standard_error"] == pytest.approx(squared**0.5, rel=1e-6)


RATES = {**cluster_oracle.METRICS, "net_benefit": lambda tp, fp, fn, tn: tp - fp * AT / (1 - AT)}


@worlds
def test_limits_at_a_threshold_are_those_of_two_samples(kind: str, design: str) -> None:
    world, at = World(kind, design, 1), AT
    if kind == "tied":  # all known positives are above
        at = min(np.array(world.scores)[world.of.known].tolist())
    names = ["fpr", "precision", "mcc", *(["net_benefit"] if at == AT else [])]
    for row in world.ask(names, at={"threshold": at}).itertuples():
        found: list[Any] = [row.estimate, row.lower, row.upper]
        args = world.scores, world.of, at, world.level, RATES[str(row.metric)]
        low, high = population_oracle.metric(*args, clusters=world.clusters)
        wanted = [min(low, found[0]), max(high, found[0])]
        assert found[1:] == pytest.approx(wanted, rel=1e-6, abs=1e-9), row.metric


def test_clusters_of_one_row_may_leave_one_that_is_not_known() -> None:
    rows = framed([3.0, 2, 1, 0, 5, 6], [True] * 5 + [None]).assign(row=range(6))
    found = rows.pu(cluster="row").metric("precision", 0, at={"threshold": 2}).iloc[0]
    # As the reference has it, by way of 0/0.
    assert [found["lower"], found["upper"]] == pytest.approx([0.085258, 0.998122], abs=1e-6)


def test_bins_of_clusters_are_limited_by_their_definition() -> None:
    rows, edges = draw("unlike sizes", 4, 60), [0, 0.2, 0.35, 0.65, 1]
    rows["label"] = rows["label"].where(rows["score"] >= 0.2)  # the first bin has no known one
    known = rows["label"].notna().to_numpy()
    times = np.arange(len(rows)) % 3 + 1
    counted = rows.assign(times=times).pu(cluster="patient", count="times")
    repeated = rows.loc[rows.index.repeat(times)].pu(cluster="patient")
    check_alike(*(pu.calibration(BETA, bins=edges) for pu in (counted, repeated)))
    _, code, sizes = np.unique(rows["patient"][known], return_inverse=True, return_counts=True)
    score, n, m = rows["score"][known], code.size, math.floor(BETA * (~known).sum() + 0.5)
    for row in rows.pu(cluster="patient").calibration(BETA, bins=edges).itertuples():
        inside = ((score >= row.left) & (score < row.right)).to_numpy()
        here, k = np.bincount(code[inside], minlength=sizes.size), inside.sum()
        square = np.sum((here - k / n * sizes) ** 2) * sizes.size / (sizes.size - 1)
        worth = m / (n + m) / max(square / max(k * (1 - k / n), 1e-9), 1)
        own = np.array([k, n - k])
        other = n - own + sizes @ sizes / n
        limits = special.betaincinv(np.maximum(own * worth, 1e-300), other * worth, 0.025)
        few, many = np.floor(m * limits)
        wanted = k + few, k + min(m - many, row.examples - k)
        found = np.array([row.lower, row.upper]) * row.examples
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize("design", [design for design in DESIGNS if "weight" in DESIGNS[design]])
@pytest.mark.parametrize("kind", ["plain", "negatives", "all labeled"])
def test_bins_of_weighted_rows_are_limited_as_future_data(kind: str, design: str) -> None:
    world, edges = World(kind, design, 3), [0, 0.4, 0.7, 1]
    found = world.pu.calibration(world.beta, bins=edges, level=world.level)
    assert set(found["target"]) == {"population"}
    for row in found.itertuples():
        inside = [float(row.left <= one < row.right) for one in world.scores]  # above 1/2
        args = inside, world.of, 0.5, world.level, cluster_oracle.METRICS["precision"]
        low, high = population_oracle.metric(*args, clusters=world.clusters)
        wanted = [min(low, row.estimate), max(high, row.estimate)]
        assert [row.lower, row.upper] == pytest.approx(wanted, rel=1e-6, abs=1e-9)


# ---------------------------------------------------------------------------------------------
# Whole weights are repeated rows, each of which is a cluster

MODELS, AREAS_TOO = ["score", "svm"], ["auroc", "average_precision", "bedroc"]
CUT, SPAN = {"threshold": 0.5}, pd.Interval(0.2, 0.4)
THESE, NEW = {"target": "examples"}, {"target": "population"}
# By what is asked of: a method, a metric and a beta if it takes these, and keywords.
ANYWHERE: dict[str, Any] = {
    "areas": ("metric", AREAS_TOO, 0.3),
    "interval": ("auroc", SPAN),
    "rank": ("metric", ["precision", "recall"], 0.3, {"at": 50, **THESE}),
    "rank and interval": ("metric", "recall", SPAN, {"at": 50, **THESE}),
    "fraction": ("metric", "f1", 0.3, {"at": {"fraction": 0.1}, **THESE}),
    "at recall": ("metric", "precision", 0.3, {"at": {"recall": 0.5}, **THESE}),
    "top of future data": ("metric", "f1", 0.3, {"at": {"fraction": 0.1}, **NEW}),
    "at recall of future data": ("metric", ["fpr", "f1"], 0.3, {"at": {"recall": 0.5}, **NEW}),
    "tables": ("contingency", [0.1, 0.3], {"ranks": "all"}),
    "some cutoffs": ("contingency", 0.3, {"ranks": [10, 50]}),
    "curves": ("roc_bounds", 0.3),
}
ALONE: dict[str, Any] = {  # which take scores on a common scale
    **ANYWHERE,
    "prevalence": ("average_precision", 0.3, {"prevalence": 0.1}),
    "part": ("auroc", 0.3, {"max_fpr": 0.2}),
    "threshold": ("metric", ["precision", "mcc"], 0.3, {"at": CUT}),
}
OF_MODELS: dict[str, Any] = {
    "compare": ("compare",),
    **{f"compare {name}": ("compare", name, 0.3) for name in AREAS.values()},
    "compare precision": ("compare", "precision", 0.3, {"at": CUT}),
    "compare the top": ("compare", "recall", 0.3, {"at": {"fraction": 0.1}}),
}
OF_GROUPS: dict[str, Any] = {
    **{f"gap of {name}": ("gap", name, 0.3) for name in AREAS.values()},
    "means": ("metric", AREAS_TOO, 0.05, {"average": True}),
}
ROWS: dict[str, Any] = {"cluster": "id"}
FEW = {name: ALONE[name] for name in ("areas", "threshold", "part", "curves", "prevalence")}
WAYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "rows": (ALONE, ROWS),
    "clusters": (FEW, {"cluster": "patient"}),
    "monotone": (FEW, {**ROWS, "monotone": True}),
    "models": (OF_MODELS, {**ROWS, "score": MODELS}),
    "models by group": (OF_MODELS, {**ROWS, "score": MODELS, "by": "fold"}),
    "groups": (OF_GROUPS, {**ROWS, "by": "fold"}),
}


def answer(df: pd.DataFrame, asked: tuple[Any, ...], **roles: Any) -> Any:
    """Ask a question of rows."""
    method, *args = asked
    more = args.pop() if args and isinstance(args[-1], dict) else {}
    return put(df.pu, method, *args, negative=0, **more, **roles)


def draw_whole(seed: int) -> pd.DataFrame:
    """Draw rows with whole weights, some of them 0; ids, folds and another score."""
    df, rng = draw(["negatives", "tied"][seed % 2], seed, 38), np.random.default_rng(seed)
    whole = {"w": rng.integers(0, 6, len(df)), "fold": rng.integers(0, 3, len(df))}
    other = df["score"] + rng.normal(size=len(df))
    return df.assign(**whole, svm=other, id=range(len(df))).reset_index(drop=True)


UNITS = (1, 100, 1e-5, 1e9)
ASKED = [(way, name) for way, (asked, _) in WAYS.items() for name in asked]


@pytest.mark.parametrize(("way", "name"), ASKED)
def test_whole_weights_are_repeated_rows(way: str, name: str) -> None:
    (asked, roles), df = WAYS[way], draw_whole(len(name))
    weighted = {role: column for role, column in roles.items() if column != "id"}
    found = answer(df, asked[name], weight="w", **weighted)
    found = found.replace("weighted", "clustered") if isinstance(found, pd.DataFrame) else found
    check_alike(found, answer(df.loc[df.index.repeat(df["w"])], asked[name], **roles))


@pytest.mark.parametrize("name", ["prevalence", "part", "rank", "rank and interval", "threshold"])
def test_weights_just_off_whole_ones_change_next_to_nothing(name: str) -> None:
    """Fractions take a path of their own, with counts that are floats."""
    df = draw_whole(6)
    many = [df, df.assign(w=df["w"] * (1 + 1e-9))]
    whole, close = (answer(one, ALONE[name], weight="w") for one in many)
    off = 0.021 if "rank" in name else 1e-5  # a row of 50
    pd.testing.assert_frame_equal(close, whole, rtol=0, atol=off, check_dtype=False)


@pytest.mark.parametrize("weight", [1, 4, 0.3, None])
def test_weights_of_a_group_are_those_of_its_rows_alone(weight: float | None) -> None:
    """Their scale is that of the group; where all are equal there are none."""
    df = draw_whole(1).assign(w=lambda df: df["w"] / (7 * 3.3 ** df["fold"]))
    if weight:
        df["w"] = np.where(df["fold"] == 1, df.index % 2 * weight, df["w"])
    rows = df[(df["fold"] == 1) & (df["w"] > 0)]
    roles = {"score": MODELS} if weight else {"score": MODELS, "weight": "w"}
    few = {name: ANYWHERE[name] for name in ("areas", "interval", "top of future data")}
    at_rank = ("metric", "recall", 0.3, {"at": 9, **NEW})
    tables = [("contingency", 0.3, {"ranks": [10, 20]}), *([] if weight else [at_rank])]
    for asked in (*OF_MODELS.values(), *few.values(), *tables):
        found = answer(df, asked, by="fold", weight="w", score=MODELS)
        if not isinstance(found, pd.DataFrame):
            xr.testing.assert_equal(found.sel(fold=1, drop=True), answer(rows, asked, **roles))
            continue
        alone = found[found["fold"] == 1].drop(columns="fold").reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, answer(rows, asked, **roles))


@pytest.mark.parametrize("name", ALONE)
def test_weights_have_no_scale(name: str) -> None:
    df = draw_whole(2).assign(w=lambda df: df["w"] / 7)
    one, *others = (answer(df.assign(w=df["w"] * unit), ALONE[name], weight="w") for unit in UNITS)
    for other in others:
        check_alike(other, one)
    df.loc[0, "w"] = 1e6  # products of such counts are beyond integers
    assert answer(df, ALONE["threshold"], weight="w").notna().all(axis=None)


def test_one_row_or_one_cluster_of_known_positives_has_no_interval() -> None:
    df = pd.DataFrame({"score": [3.0, 7, 6, 5, 4, 2, 1], "label": 1.0, "w": [3, 1, 2, 3, 1, 2, 3]})
    for names, rows in ((AREAS_TOO, df), ([*AREAS.values()], df[:2])):
        rows = rows.assign(label=rows["label"].where(rows.index == 0))
        for name in names:
            found = rows.pu(weight="w").metric(name, 0, target="population")
            assert found[["standard_error", "lower", "upper"]].isna().all(axis=None), name


# ---------------------------------------------------------------------------------------------
# Known positives that were labeled with unequal, known probabilities


def drawn(known: int, rest: int, decimals: int, seed: int, least: float = 0.1) -> pd.DataFrame:
    """Draw scores of two models, and propensities of the known positives alone."""
    rng = np.random.default_rng(seed)
    truth, positive = np.arange(known + rest) < known + rest * 0.3, np.arange(known + rest) < known
    score = rng.normal(truth)
    frame = pd.DataFrame({"score": score, "svm": score + rng.normal(size=truth.size)})
    chance = np.where(positive, rng.uniform(least, 1, truth.size), np.nan)
    frame = frame.round(decimals).assign(label=np.where(positive, 1, np.nan), propensity=chance)
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


FRAME, TIED = drawn(60, 200, 6, seed=1), drawn(60, 200, 0, seed=2)


def weighed(frame: pd.DataFrame, **roles: Any) -> Any:
    """Return the accessor of rows with propensities."""
    return frame.pu(propensity="propensity", **roles)


def completed(frame: pd.DataFrame, beta: float) -> tuple[Any, ...]:
    """Return scores, labels, latent positives, and what each known one stands for of n, slowly."""
    best = frame[frame["label"] == 1].sort_values("score", ascending=False)
    extra = [1 / Fraction(float(one)) - 1 for one in best["propensity"]]
    labels = [None if np.isnan(one) else True for one in frame["label"]]
    m = oracle.latent_count(beta, labels.count(None))
    return frame["score"].tolist(), labels, m, [len(extra) * e / sum(extra) for e in extra]


@pytest.mark.parametrize("beta", [0.05, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_known_positives_stand_for_what_their_weights_say(decimals: int, beta: float) -> None:
    frame = drawn(25, 60, decimals, decimals, 0.3)
    frame["propensity"] = frame["propensity"].mask(frame["propensity"] > 0.9, 1.0)  # certain
    score, labels, m, stands = completed(frame, beta)
    every = completion_oracle.estimates(score, labels, m, stands=stands)
    tables = weighed(frame).contingency(beta, ranks="all")
    lower, estimate, upper = tables["tp"].isel(beta=0).transpose("bound", ...).to_numpy()
    assert tables["rank"].values.tolist() == [table.rank for table in every]
    wanted = [float(table.tp) for table in every]
    assert (abs(estimate - np.clip(wanted, lower, upper)) <= 0.5 + 1e-9).all()  # it is rounded
    assert (tables["tp"].diff("bound") >= 0).all() and (tables["tp"].diff("rank") >= 0).all()
    if beta < 0.7:  # limits that are not cut
        middle = weighed(frame).roc_bounds(beta, ranks="all")["tpr"].sel(bound="estimate")
        np.testing.assert_allclose(middle[:, 0], np.divide(wanted, wanted[-1]), atol=1e-12)
        for table in every[10:40:9]:
            row = weighed(frame).metric("f1", beta, at=table.rank).iloc[0]
            assert row["estimate"] == pytest.approx(oracle.metric("f1", table), rel=1e-12)


@pytest.mark.parametrize("propensity", [1e-6, 0.3, 1.0])
@pytest.mark.parametrize("frame", [FRAME, TIED], ids=["untied", "tied"])
def test_equal_propensities_give_what_none_do(frame: pd.DataFrame, propensity: float) -> None:
    pus: list[Any] = [weighed(frame.assign(propensity=propensity)), frame.pu]
    away = abs(np.subtract(*(pu.contingency([0.05, 0.4], ranks="all")["tp"] for pu in pus)))
    assert int(away.sel(bound="estimate").max()) <= 1 and int(away.max()) <= 2
    for name in AREAS.values():
        weighted, plain = (put_of_these(pu, name, [0.05, 0.4]) for pu in pus)
        pd.testing.assert_frame_equal(weighted, plain, rtol=0, atol=1e-9)
        if propensity < 1:  # nothing jumps where they differ
            near = weighed(
                frame.assign(propensity=propensity - 1e-9 * propensity * frame["score"])
            )
            found = put_of_these(near, name, [0.05, 0.4])
            pd.testing.assert_frame_equal(found, plain, rtol=0, atol=1e-6)
    assert pus[0].estimate_beta().to_dict() == pus[1].estimate_beta().to_dict()


SCORES = [[9, 7, 7, 7], [9, 9, 4, 4], [9, 5, 5], [7, 7, 6, 5, 5, 2, 0], [9.5, 9, 7, 7, 3.5, 3, 0]]


@pytest.mark.parametrize("name", AREAS.values())
@pytest.mark.parametrize("known", SCORES, ids=str)
def test_errors_are_those_of_leaving_each_known_positive_out(name: str, known: list[int]) -> None:
    rest, n = [9, 8, 8, 7, 6, 5, 5, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0], len(known)
    propensity, size = np.random.default_rng(n).uniform(0.2, 0.9, n), n + len(rest)
    frame = pd.DataFrame({"score": [*known, *rest], "label": [1.0] * n + [np.nan] * len(rest)})
    frame["propensity"] = [*propensity, *[np.nan] * len(rest)]
    rank = frame["score"].rank(ascending=False, method="average" if name == "auroc" else "max")
    part, area = rank[:n].to_numpy(), getattr(selection, name)
    for beta in (0.1, 0.3):
        latent = (1 / propensity - 1) / (1 / propensity - 1).sum() * beta * len(rest)
        stands, positives = 1 + latent, n + beta * len(rest)
        others = [(np.delete(part, i), np.delete(stands, i)) for i in range(n)]
        without = np.array([area(*other, positives, size) for other in others])
        pull = area(part, stands, positives, size) - without
        pull *= (1 - stands / stands.sum()) / stands
        apart = pull - latent @ pull / latent.sum()
        squares = (apart / (1 - stands / stands.sum())) ** 2 * stands * latent
        row = put_of_these(weighed(frame), name, beta).iloc[0]
        score, labels, m, of_n = completed(frame, beta)
        tables = completion_oracle.completed(score, labels, m, stands=of_n)
        wanted: Any = completion_oracle.auroc(tables)
        if name == "average_precision":
            wanted = completion_oracle.average_precision(score, labels, tables)
        assert row["estimate"] == pytest.approx(float(wanted), rel=1e-12)
        error = ((n - 1) / n * squares.sum()) ** 0.5
        assert row["standard_error"] == pytest.approx(min(error, 0.5), rel=1e-9)


def test_the_effective_number_is_that_of_each_ranking() -> None:
    squares = [(1 / frame["propensity"].dropna()).to_numpy() for frame in (FRAME, TIED)]
    expected = [weight.sum() ** 2 / (weight @ weight) for weight in squares]
    pu = weighed(pd.concat([FRAME.assign(g="a"), TIED.assign(g="b")]), by="g")
    assert pu.contingency(0.2)["n_effective"].values.tolist() == pytest.approx(expected)
    for name in AREAS.values():
        attrs = put_of_these(weighed(FRAME), name, 0.2).attrs
        assert attrs["n_effective"] == pytest.approx(expected[0])


DRAWN: list[Any] = [([1.5, 1.5, 0.5], 0.0, 0.1, 0.9), ([3.5, 3.0, 0.3, -0.2], 1.0, 0.3, 0.8)]
DRAWN += [(np.linspace(-2, 2.4, 12), 0.0, 0.05, 0.95), (np.linspace(-0.3, 1.5, 40), 0.0, 0.4, 0.9)]


@pytest.mark.parametrize("slope", [-1.2, 0.7, 2.0])  # of the log odds of being labeled
@pytest.mark.parametrize("drawn", DRAWN, ids=["few", "good", "some", "many"])
def test_limits_are_those_of_the_definition(drawn: Any, slope: float) -> None:
    known, shift, beta, level = drawn
    rng, n = np.random.default_rng(8), len(known)
    score = np.round([*known, *rng.normal(shift, 1.5, 60)], 1)
    chance = np.append(0.1 + 0.8 * special.expit(slope * score[:n]), [np.nan] * 60)
    frame = pd.DataFrame({"score": score, "label": [1] * n + [None] * 60, "propensity": chance})
    order = np.lexsort((chance[:n] if slope < 0 else -chance[:n], -score[:n]))
    here, others, odds = score[order], score[:, np.newaxis], 1 / chance[order] - 1
    ends = (others >= here).sum(axis=0)
    ranks, latent = ((others > here).sum(axis=0) + ends + 1) / 2, round(beta * 60)
    stands, positives = odds / odds.sum() * latent, n + latent
    labels = [True] * n + [None] * 60
    possible = gaps.possible_aurocs([*map(float, score)], labels, beta)
    wanted = [tuple(np.clip(gaps.auroc(ranks, stands, n + 60, level), *possible).tolist())]
    value = selection.average_precision(ends, 1 + stands, positives, 0)
    low, high = gaps.average_precision([*map(float, score)], labels, stands, latent, level)
    wanted += [(min(low, value), max(high, min(value, 1)))]
    for name, limits in zip(AREAS.values(), wanted, strict=True):
        rows = frame.sample(frac=1, random_state=0)
        row = put_of_these(weighed(rows), name, [0.0, beta], level=level).iloc[1]
        assert row[["lower", "upper"]].tolist() == pytest.approx(limits, abs=1e-6)


def test_the_propensity_of_unlabeled_rows_is_not_read() -> None:
    expected, column = weighed(FRAME).contingency(0.3, ranks="all"), FRAME["propensity"]
    others = [column.fillna(-7.0), column.fillna(np.inf), column.astype("Float64").astype(object)]
    for propensity in others:
        found = weighed(FRAME.assign(propensity=propensity)).contingency(0.3, ranks="all")
        xr.testing.assert_identical(found, expected)


# Comparisons, and beta


def by_hand(df: pd.DataFrame, target: str) -> tuple[float, float]:
    """Return the mean rank difference and its squared error, from all pairs of examples."""
    known = df["label"].notna().to_numpy()
    chance = df["propensity"].to_numpy()[known]
    share = 1 / chance / (1 / chance).sum()
    # By how many examples more the second model has a known positive below others, pair by pair.
    scores = df[MODELS].to_numpy().T
    won = [(np.sign(s[:, np.newaxis] - s[known]) + 1) / 2 for s in scores]
    each, apart = (won[1] - won[0]) @ share, (won[1] - won[0]).sum(axis=0)
    mean, pull = float(share @ apart), share * (apart - share @ apart)
    is_new, others, n = target == "population", each[~known], chance.size
    drawn = np.ones(n) if is_new else 1 - chance
    if is_new:  # what known positives add as those above
        pull = pull + each[known] - each[known].mean()
    moved = np.concatenate([apart - mean, others.size * each])
    areas = [1 - float(one[~known].mean(axis=0) @ share) for one in won]
    more = others.size**2 * unseen(moved / others.size, areas) * float(share**2 @ drawn) / n
    rest = others.size * float(others.var(ddof=1)) * is_new
    return mean, float(pull**2 @ drawn) + more + rest


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("seed", range(4))
def test_compare_agrees_with_all_pairs(seed: int, target: str) -> None:
    df = drawn(12 + 4 * seed, 40, 1, seed)
    pu = weighed(df, score=MODELS)
    row = pu.compare(target=target).iloc[0]
    mean, square = by_hand(df, target)
    wanted = [row["n"] - 1, np.sign(mean), mean / square**0.5]
    assert row[["df", "sign", "statistic"]].tolist() == pytest.approx(wanted, rel=1e-9)
    sized = pu.compare("auroc", [0.1, 0.3], target=target)
    np.testing.assert_allclose(sized["difference"], mean / (1 - sized["beta"]) / 40)
    assert sized["p_value"].tolist() == [row["p_value"]] * 2  # it does not contain beta
    copy = weighed(df.assign(svm=df["score"]), score=MODELS).compare("auroc", 0.2, target=target)
    assert (copy[["difference", "lower", "upper", "statistic", "sign"]] == 0).all(axis=None)


def largest_feasible(frame: pd.DataFrame, delta: float) -> float:
    """Return the largest share of latent positives that weighted known ones do not rule out."""
    ranked = frame.sort_values(["score", "propensity"], ascending=[False, True])
    known, others = ranked[ranked["label"] == 1], ranked.loc[ranked["label"].isna(), "score"]
    odds = (1 / known["propensity"] - 1).to_numpy()
    shares = odds / odds.sum()
    spare = (gaps.unseen(1 / known["propensity"].to_numpy()) - 1) / odds.sum()

    def ruled_out(latent: int) -> bool:
        ahead, variance = [], []
        for score in known["score"].unique():
            above = (known["score"] >= score).to_numpy()
            found = shares[above].sum()
            ahead.append(found - min((others >= score).sum(), latent) / latent)
            scatter = (1 - found) ** 2 * (shares[above] ** 2).sum()
            scatter += found**2 * ((shares[~above] ** 2).sum() + spare**2)
            variance.append(scatter + found * (1 - found) / latent)
        return bool(max(ahead) > math.sqrt(2 * math.log(1 / delta) * max(variance)))

    return sum(not ruled_out(latent) for latent in range(1, others.size + 1)) / others.size


@pytest.mark.parametrize("seed", range(6))
def test_weighted_limits_are_the_largest_that_are_not_ruled_out(seed: int) -> None:
    frame = drawn((4, 7, 14)[seed % 3], 36, (0, 1, 4)[seed % 3], seed, 0.2)
    frame["score"] += 1.5 * (frame["label"] == 1)
    if seed == 3:  # the best are known more often
        frame["propensity"] = 1 / (1.5 + np.exp(frame["score"]))
    found = weighed(frame).estimate_beta(level=0.9).iloc[0]
    assert found["beta"] == pytest.approx(largest_feasible(frame, 0.5))
    assert found["upper"] == pytest.approx(largest_feasible(frame, 0.1))

"""Known positives that were labeled with unequal, known probabilities."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats

import pu_accessor
from pu_accessor import PUWarning
from pu_accessor.ranking import FloatArray
from tests.cases import AREAS, put_of_these
from tests.support.oracles import completion_oracle, gaps_oracle, oracle, selection_oracle
from tests.support.oracles.reference_oracle import BOUNDS


def drawn(known: int, rest: int, decimals: int, seed: int, least: float = 0.1) -> pd.DataFrame:
    """Draw scores, and propensities of the known positives alone."""
    rng = np.random.default_rng(seed)
    truth = np.arange(known + rest) < known + rest * 0.3
    positive = np.arange(truth.size) < known
    frame = pd.DataFrame({"score": np.round(rng.normal(truth), decimals)})
    chance = np.where(positive, rng.uniform(least, 1, truth.size), np.nan)
    return frame.assign(label=np.where(positive, 1, np.nan), propensity=chance)


FRAME = drawn(60, 200, 6, seed=1)

TIED = drawn(60, 200, 0, seed=2)


def completed(frame: pd.DataFrame, beta: float) -> tuple[Any, ...]:
    """Return scores, labels, latent positives, and what each known one stands for of n, slowly."""
    best = frame[frame["label"] == 1].sort_values("score", ascending=False)
    extra = [1 / Fraction(float(one)) - 1 for one in best["propensity"]]
    stands = [len(extra) * one / sum(extra) for one in extra]
    labels = [None if np.isnan(one) else True for one in frame["label"]]
    m = oracle.latent_count(beta, labels.count(None))
    return frame["score"].tolist(), labels, m, stands


def estimates(frame: pd.DataFrame, beta: float) -> dict[int, oracle.Table]:
    """Return the table of the estimate at each cutoff, not rounded, by rank."""
    score, labels, m, stands = completed(frame, beta)
    every = completion_oracle.estimates(score, labels, m, stands=stands)
    return {table.rank: table for table in every}


def area_of(frame: pd.DataFrame, name: str, beta: float) -> float:
    """Return the area of the completed labeling."""
    score, labels, m, stands = completed(frame, beta)
    tables = completion_oracle.completed(score, labels, m, stands=stands)
    if name == "auroc":
        return float(completion_oracle.auroc(tables))
    return completion_oracle.average_precision(score, labels, tables)


def shuffled(frame: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def weighed(frame: pd.DataFrame, **roles: Any) -> Any:
    return frame.pu(propensity="propensity", **roles)


# The table of the estimate


@pytest.mark.parametrize("beta", [0.05, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_known_positives_stand_for_what_their_weights_say(decimals: int, beta: float) -> None:
    frame = shuffled(drawn(25, 60, decimals, decimals, 0.3))
    tables = weighed(frame).contingency(beta, ranks="all")
    expected = estimates(frame, beta)
    lower, estimate, upper = (tables["tp"].sel(bound=one, beta=beta) for one in BOUNDS)
    assert estimate["rank"].values.tolist() == sorted(expected)
    wanted = [float(expected[rank].tp) for rank in sorted(expected)]
    away = abs(estimate - np.clip(wanted, lower, upper))
    assert (away <= 0.5 + 1e-9).all()  # it is rounded
    assert (tables["tp"].diff("bound") >= 0).all() and (tables["tp"].diff("rank") >= 0).all()
    assert (tables["tp"] + tables["fp"] == tables["rank"]).all()
    if beta == 0.7:
        assert tables["clipped"].sel(bound=["lower", "upper"]).any()


@pytest.mark.filterwarnings("ignore:The effective number")
def test_certain_labels_stand_for_themselves() -> None:
    # Labels at odds .5 and 1: all six latent positives come with the first one.
    label, propensity = [1, None, None, None, 1, *[None] * 6], [0.5, *[None] * 3, 1.0, *[None] * 6]
    chance = pd.Series(propensity, dtype="Float64")
    pu = pu_accessor.from_arrays(range(11, 0, -1), label, propensity=chance)
    estimate = pu.contingency(6 / 9, ranks="all")["tp"].sel(bound="estimate").values[:, 0]
    assert estimate.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8]


@pytest.mark.parametrize("propensity", [1e-6, 0.3, 1.0])
@pytest.mark.parametrize("frame", [FRAME, TIED], ids=["untied", "tied"])
def test_equal_propensities_give_what_none_do(frame: pd.DataFrame, propensity: float) -> None:
    betas, equal = [0.05, 0.25, 0.4], frame.assign(propensity=propensity)
    tables = weighed(equal).contingency(betas, ranks="all")
    away = abs(tables["tp"] - equal.pu.contingency(betas, ranks="all")["tp"])
    assert int(away.sel(bound="estimate").max()) <= 1 and int(away.max()) <= 2
    for name in AREAS.values():
        weighted, plain = (put_of_these(pu, name, betas) for pu in (weighed(equal), equal.pu))
        pd.testing.assert_frame_equal(weighted, plain, rtol=0, atol=1e-9)
    assert tables["n_effective"].item() == pytest.approx(60, abs=1e-9)


def slow_area(name: str, part: Any, stands: Any, positives: float, size: int) -> float:
    """Return an area from ranks, or ends of blocks, and what each known positive stands for."""
    if name == "auroc":
        mean = (stands * part).sum() / stands.sum()
        return float(1 - (mean - (positives + 1) / 2) / (size - positives))
    total = pairs = 0.0
    for i, end in enumerate(part):
        total += stands[i] / end
        others = [j for j, other in enumerate(part) if other <= end and i != j]
        pairs += sum(stands[i] * stands[j] / end for j in others)
    square = stands.sum() ** 2 - (stands**2).sum()
    return float(total / stands.sum() + (positives - 1) * pairs / square)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("name", AREAS.values())
@pytest.mark.parametrize(
    "known",
    [
        *([9, 7, 7, 7], [9, 9, 9, 3], [9, 9, 4, 4], [9, 5, 5], [8, 6, 4, 4, 1], [6, 5, 3]),
        *([7, 7, 6, 5, 5, 2, 0], [9.5, 9, 8.5, 7, 7, 6.5, 6, 5, 3.5, 3, 2.5, 0]),
    ],
)
def test_errors_are_those_of_leaving_each_known_positive_out(name: str, known: list[int]) -> None:
    rest, n = [9, 8, 8, 7, 6, 5, 5, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0], len(known)
    propensity = np.random.default_rng(n).uniform(0.2, 0.9, n)
    frame = pd.DataFrame({"score": [*known, *rest], "label": [1.0] * n + [np.nan] * len(rest)})
    frame["propensity"] = [*propensity, *[np.nan] * len(rest)]
    rank = frame["score"].rank(ascending=False, method="average" if name == "auroc" else "max")
    part, size = rank[:n].to_numpy(), n + len(rest)
    for beta in (0.1, 0.3):
        latent = (1 / propensity - 1) / (1 / propensity - 1).sum() * beta * len(rest)
        stands, positives = 1 + latent, n + beta * len(rest)
        value = slow_area(name, part, stands, positives, size)
        others = [(np.delete(part, i), np.delete(stands, i)) for i in range(n)]
        without = [slow_area(name, *other, positives, size) for other in others]
        pull = (value - np.array(without)) * (1 - stands / stands.sum()) / stands
        apart = pull - latent @ pull / latent.sum()
        squares = (apart / (1 - stands / stands.sum())) ** 2 * stands * latent
        row = put_of_these(weighed(frame), name, beta).iloc[0]
        assert row["estimate"] == pytest.approx(area_of(frame, name, beta), rel=1e-12)
        error = ((n - 1) / n * squares.sum()) ** 0.5
        assert row["standard_error"] == pytest.approx(min(error, 0.5), rel=1e-9)


def test_the_effective_number() -> None:
    weights = {key: 1 / frame["propensity"].dropna() for key, frame in (("a", FRAME), ("b", TIED))}
    expected = {key: weight.sum() ** 2 / (weight**2).sum() for key, weight in weights.items()}
    tables = weighed(FRAME).contingency(0.2, ranks="all")
    assert tables["n_effective"].item() == pytest.approx(expected["a"])
    assert tables.attrs["propensity"] == "propensity" and tables.attrs["band"] == "weighted"
    groups = pd.concat([FRAME.assign(g="a"), TIED.assign(g="b")])
    by = weighed(groups, by="g").contingency(0.2, ranks="all")["n_effective"]
    assert by.to_series().to_dict() == pytest.approx(expected)
    for name in AREAS.values():
        attrs = put_of_these(weighed(FRAME), name, 0.2).attrs
        assert attrs["n_effective"] == tables["n_effective"].item() > 10
        assert "beta_limit" not in attrs and attrs["n_known_positive"] == 60
        grouped = put_of_these(weighed(FRAME.assign(g="a"), by="g"), name, 0.2)
        assert "n_effective" not in grouped.attrs  # that of a ranking is none of a row's


# Which row has which propensity


# A single block of ties, with propensities that fall down the rows.
BLOCK = pd.DataFrame({"score": [2.0, *[1.0] * 30, *np.arange(60) / 29.7], "label": np.nan})
BLOCK.loc[:30, "label"], BLOCK["propensity"] = 1.0, [0.5, *np.linspace(1, 0.05, 30), *[0.5] * 60]


def test_curves_and_metrics_are_those_of_the_tables() -> None:
    pu = weighed(FRAME)
    tables, wanted = pu.contingency(0.3, ranks="breakpoints"), estimates(FRAME, 0.3)
    for name, recall in (("roc_bounds", "tpr"), ("pr_bounds", "recall")):
        curves, read = getattr(pu, name)(0.3), getattr(tables.pu, name)()
        ends = {"bound": ["lower", "upper"]}
        xr.testing.assert_identical(curves.sel(ends), read.sel(ends))
        tpr = [oracle.metric("tpr", wanted[rank]) for rank in curves["rank"].values.tolist()]
        middle = curves[recall].sel(bound="estimate", beta=0.3)
        np.testing.assert_allclose(middle, tpr, atol=1e-12)
    every = pu.contingency(0.3, ranks="all").pu.metric("f1")
    row = pu.metric("f1", 0.3, at=70).iloc[0]
    ends = every.sel(rank=70, beta=0.3, bound=["lower", "upper"]).values.tolist()
    assert row[["lower", "upper"]].tolist() == ends
    assert row["estimate"] == pytest.approx(oracle.metric("f1", wanted[70]), rel=1e-12)
    assert row.attrs["band"] == "weighted"
    reached = pu.metric("f1", 0.3, at={"recall": 0.5}).iloc[0]
    enough = [rank for rank, table in wanted.items() if oracle.metric("tpr", table) >= 0.5]
    assert reached["rank"] == min(enough)


# Bad input


@pytest.mark.parametrize("name", ["contingency", "roc_bounds", "plot_rank_cdf", *AREAS.values()])
def test_a_small_effective_number_warns_once(name: str) -> None:
    small = FRAME.assign(propensity=FRAME["propensity"].mask(FRAME.index < 3, 1e-4))
    about = {"target": "examples"} if name in AREAS.values() else {}
    with pytest.warns(PUWarning, match=r"effective number of .* below 10 \(3\.") as caught:
        getattr(weighed(small), name)([0.1, 0.2], **about)
    assert len(caught) == 1 and caught[0].filename == __file__
    groups = pd.concat([small.assign(g="a"), FRAME.assign(g="b"), small.assign(g="c")])
    with pytest.warns(PUWarning, match="group g='a': 3.*group g='c': 3") as caught:
        getattr(weighed(groups, by="g"), name)(0.1, **about)
    assert len(caught) == 1 and "'b'" not in str(caught[0].message)


# Areas of these examples


@pytest.mark.filterwarnings("ignore:The effective number")
@pytest.mark.parametrize("name", AREAS.values())
def test_two_known_positives_have_the_areas_under_bounding_curves(name: str) -> None:
    label = [None, 1, None, None, 1, *[None] * 15]
    propensity = [None, 0.5, None, None, 0.2, *[None] * 15]
    frame = pd.DataFrame({"score": range(20, 0, -1), "label": label, "propensity": propensity})
    row = put_of_these(weighed(frame), name, 0.25).iloc[0]
    tables = weighed(frame).contingency(0.25, ranks="breakpoints").isel(beta=0)
    wanted = selection_oracle.areas_between(tables, name)
    assert row[["lower", "upper"]].tolist() == pytest.approx(wanted, rel=1e-9)


def limits_of_auroc(
    ranks: FloatArray, weight: FloatArray, latent: float, size: int, level: float
) -> tuple[float, float]:
    """Return the wider of two intervals: Student's t for ranks, and that of gamma variables."""
    n, positives = ranks.size, ranks.size + latent
    v = latent * (weight - 1) / (weight - 1).sum()
    stands, negatives = 1 + v, size - positives
    mean = stands @ ranks / positives
    pull = (mean - ranks) / positives / negatives
    apart = pull - v @ pull / latent
    squares = stands * v * (apart / (1 - stands / positives)) ** 2
    square = (n - 1) / n * squares.sum()
    limits = []
    place, stretch = 1 - (mean - 0.5) / size, size / negatives
    middle = special.logit(place)
    for sign, one, end in ((-1, stands, apart.min()), (1, stands[::-1], apart.max())):
        if not square:
            limits.append(np.nan)
            continue
        kurtosis = n * (squares**2).sum() / squares.sum() ** 2
        df = min(2 * n / max(kurtosis - 1, 2 / n), n - 1)
        more = max(gaps_oracle.unseen(one) - stands.mean(), 0) * end
        away = stats.t.ppf((1 + level) / 2, df) * np.sqrt(square + more**2)
        moved = special.expit(middle + sign * away / stretch / place / (1 - place)) - place
        limits.append(1 - (mean - (positives + 1) / 2) / negatives + moved * stretch)
    known = ranks.tolist(), weight.tolist()
    best, worst = gaps_oracle.limits_of_weighted_ranks(*known, latent, size, level)
    low, high = (
        1 - ((ranks.sum() + latent * rank) / positives - (positives + 1) / 2) / negatives
        for rank in (worst, best)
    )
    return max(np.fmin(limits[0], low), 0), min(np.fmax(limits[1], high), 1)


def limits_of_average_precision(
    ends: FloatArray, weight: FloatArray, latent: float, level: float
) -> tuple[float, float]:
    """Return quantiles of draws, and the estimate if it lies beyond them."""
    last = [int((ends <= end).sum()) for end in ends]
    drawn = gaps_oracle.drawn_weighted(
        ends.tolist(), last, weight.tolist(), latent, lambda number: special.digamma(number + 1)
    )
    value = selection_oracle.average_precision(ends.tolist(), (weight - 1).tolist(), latent)
    inside = min(max(value, 0.0), 1.0)
    low, high = np.quantile(drawn[0], (1 - level) / 2), np.quantile(drawn[1], (1 + level) / 2)
    return min(low, inside), max(min(high, 1), inside)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("slope", [-1.2, 0.7, 2.0])  # of the log odds of being labeled
@pytest.mark.parametrize(
    ("known", "shift", "beta", "level"),
    [
        ([1.5, 1.5, 0.5], 0.0, 0.1, 0.9),
        ([3.5, 3.0, 0.3, -0.2], 1.0, 0.3, 0.8),
        (np.linspace(-2, 2.4, 12).tolist(), 0.0, 0.05, 0.95),
        (np.linspace(-0.3, 1.5, 40).tolist(), 0.0, 0.4, 0.9),
    ],
)
def test_limits_are_those_of_the_definition(
    known: list[float], shift: float, beta: float, level: float, slope: float
) -> None:
    rng, n = np.random.default_rng(8), len(known)
    score = np.round([*known, *rng.normal(shift, 1.5, 60)], 1)
    chance = np.append(0.1 + 0.8 * special.expit(slope * score[:n]), [np.nan] * 60)
    frame = pd.DataFrame({"score": score, "label": [1] * n + [None] * 60, "propensity": chance})
    here, others = -np.sort(-score[:n]), score[:, np.newaxis]
    ends = (others >= here).sum(axis=0).astype(float)
    ranks, weight = ((others > here).sum(axis=0) + ends + 1) / 2, -np.sort(-chance[:n])
    weight = 1 / (weight if slope > 0 else weight[::-1])
    latent = beta * 60
    for name, wanted in (
        ("auroc", limits_of_auroc(ranks, weight, latent, n + 60, level)),
        ("average_precision", limits_of_average_precision(ends, weight, latent, level)),
    ):
        row = put_of_these(weighed(shuffled(frame)), name, [0.0, beta], level=level).iloc[1]
        off = 1e-6 if name == "auroc" else 3e-4  # harmonic numbers are not exact
        assert row[["lower", "upper"]].tolist() == pytest.approx(wanted, abs=off)


ROWS = FRAME.iloc[:62].assign(extra=1)


@pytest.mark.filterwarnings("ignore:The effective number")
def test_the_smallest_propensity() -> None:
    frame = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index == 0, 1e-12))
    tables = frame.pu(propensity="propensity").contingency(0.5, ranks="all")
    assert tables["n_effective"].item() == pytest.approx(1)
    found = frame.pu(propensity="propensity").auroc(0.5, target="examples")
    assert np.isfinite(found[["lower", "estimate", "upper"]]).all(axis=None)


@pytest.mark.parametrize("dtype", ["Float64", "double[pyarrow]", object])
def test_that_of_unlabeled_rows_is_not_read(dtype: Any) -> None:
    expected, column = (
        FRAME.pu(propensity="propensity").contingency(0.3, ranks="all"),
        FRAME["propensity"],
    )
    others = [column.fillna(other) for other in (-7.0, np.inf)]
    for propensity in (*others, column.astype("Float64").astype(dtype)):
        found = (
            FRAME.assign(propensity=propensity)
            .pu(propensity="propensity")
            .contingency(0.3, ranks="all")
        )
        xr.testing.assert_identical(found, expected)

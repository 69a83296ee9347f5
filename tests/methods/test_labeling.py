"""Rows to label by hand, what their labels say, and how many are needed."""

from contextlib import nullcontext
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special, stats

import pu_accessor
from pu_accessor import PUDataError, labeling
from tests.support import example as example_rows

SEEDS = st.integers(0, 10**6)
WAYS: tuple[dict[str, Any], ...] = (
    *({}, {"by": "site"}, {"strata": "site"}, {"strata": 0.5}, {"strata": [1.0, 0.25]}),
    *({"strata": pd.Series([0.2, 2.0, 1.0])}, {"below": 1.0}, {"above": 0.5}),
    *({"below": 1.5, "above": 0}, {"strata": [0.5], "nan_policy": "worst"}),
)


def draw(seed: int) -> tuple[pd.DataFrame, Any]:
    """Draw scores of one decimal, few of which have a label, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.random(90) < 0.4
    score = (rng.normal(truth) + 0.5).round(1)
    label = np.where(rng.random(90) < 0.3, truth, np.nan)
    label[:2] = truth[:2] = 1, 0
    frame = pd.DataFrame({"score": score, "label": label, "site": rng.choice([*"abc"], 90)})
    return frame.set_index(rng.permutation(90) * 2), truth.astype(bool)


def parts_of(frame: pd.DataFrame, how: dict[str, Any]) -> dict[Any, Any]:
    """Return the rows of each stratum or group, by its name."""
    if "site" in map(str, how.values()):
        return {name: frame["site"] == name for name in "abc"}
    inner = np.sort(np.atleast_1d(how.get("strata", []))).tolist()
    edges = [how.get("above", -np.inf), *inner, how.get("below", np.inf)]
    score, parts = frame["score"].fillna(-np.inf), {}
    for low, high in pairwise(edges):
        ends = [f">= {low:g}"] * (low > -np.inf) + [f"< {high:g}"] * (high < np.inf)
        parts[", ".join(ends)] = score.between(low, high, inclusive="left")
    return parts


def spread_of(known: Any, free: Any, beta: float | None) -> Any:
    """Return the error of one label of each stratum, by a guess of beta if there is one."""
    if beta is None:
        return free
    share = (known + 0.5) / (known.sum() + 0.5 * known.size)
    p = np.clip(beta * free.sum() * share / free, 0.05, 0.95)
    return free * np.sqrt(p * (1 - p))


@given(SEEDS, st.sampled_from(WAYS), st.integers(4, 11), st.sampled_from([None, 0, 0.1, 0.6]))
def test_rows_are_drawn_from_their_strata_and_weigh_what_they_stand_for(
    seed: int, how: Any, size: int, beta: float | None
) -> None:
    frame, truth = draw(seed)
    roles = {name: how[name] for name in how if name in ("by", "nan_policy")}
    if "nan_policy" in roles:
        frame["score"] = frame["score"].mask(frame.index % 5 == 0)
    asked = {name: how[name] for name in how if name not in roles}
    asked |= {} if beta is None else {"expected_beta": beta}
    ask = partial(frame.pu(**roles).sample_to_label, size, **asked)
    drawn, again = (ask(random_state=random) for random in (seed, np.random.default_rng(seed)))
    pd.testing.assert_frame_equal(drawn, again)
    pd.testing.assert_frame_equal(drawn[[*frame]], frame.loc[drawn.index])
    assert drawn["label"].isna().all() and drawn.index.is_unique
    parts = parts_of(frame, how)
    kinds = frame["label"] == 1, frame["label"] == 0, frame["label"].isna()
    counts = np.array([[(part & kind).sum() for kind in kinds] for part in parts.values()])
    known, _, free = counts.T
    sizes = np.array([part[drawn.index].sum() for part in parts.values()])
    if "stratum" not in drawn:
        assert (sizes == size).all() and len(drawn) == size * len(parts)
    else:
        code = drawn["stratum"].cat.codes
        assert [*drawn["stratum"].cat.categories] == [*parts]
        assert (sizes == np.bincount(code, minlength=len(parts))).all()
        told = drawn[["n", "n_negative", "n_unlabeled"]].to_numpy()
        np.testing.assert_array_equal(told, counts[code])
        spread = spread_of(known, free, beta)
        ways = product(*(range(1, min(size, number) + 1) for number in free))
        best = min((spread**2 / way).sum() for way in ways if sum(way) == size)
        assert sizes.sum() == size and (spread**2 / sizes).sum() == pytest.approx(best)
    drawn["label"] = truth[frame.index.get_indexer(drawn.index)]
    found = drawn if "stratum" in drawn else drawn["label"]
    if free.sum() < kinds[2].sum():
        with pytest.raises(PUDataError, match="found must have strata that cover"):
            labeling.weigh_labels(frame["label"], found)
        return
    weighed = labeling.weigh_labels(frame["label"], found)
    expected = frame["label"].astype("boolean")
    expected[drawn.index] = drawn["label"]
    pd.testing.assert_series_equal(weighed["label"], expected)
    stands: Any = (free / sizes)[code] if "stratum" in drawn else free.sum() / len(drawn)
    weight = frame["label"].notna().astype(float)
    weight[drawn.index] = stands
    np.testing.assert_allclose(weighed["weight"], weight)


@pytest.mark.parametrize("how", [{"size": 68}, {"strata": 0.5}, {"above": 0.2}])
def test_arrays_and_datasets_draw_the_rows_of_the_frame(how: dict[str, Any]) -> None:
    frame = draw(3)[0].reset_index(drop=True).drop(columns="site")
    dataset: Any = xr.Dataset({name: ("sample", x) for name, x in frame.items()})
    lists: Any = {str(name): x.tolist() for name, x in frame.items()}
    how = {"size": 9, "random_state": 1, **how}
    expected = frame.pu.sample_to_label(**how)
    for pu in (pu_accessor.from_arrays(**frame), pu_accessor.from_arrays(**lists), dataset.pu()):
        pd.testing.assert_frame_equal(pu.sample_to_label(**how), expected, check_names=False)


# What labels say


def rows(x: Any, labeled: Any, total: Any, **known: int) -> pd.DataFrame:
    """Return rows of strata with labels, as they come back from a person."""
    parts = [
        pd.DataFrame({"stratum": name, "n_unlabeled": size, "label": np.arange(s) < found})
        for name, found, s, size in zip("abcd", x, labeled, total, strict=False)
    ]
    return pd.concat(parts, ignore_index=True).assign(**{"n": 0, "n_negative": 0, **known})


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(
    ("found", "listed"),
    [
        (rows((6, 3), (20, 30), (70, 400), n=11, n_negative=2), "a"),
        (rows((6, 5, 3, 1), (12, 15, 20, 30), (40, 70, 400, 900), n=7), ["b", "a"]),
        (rows((6,), (20,), (70,)), "a"),
        (rows((0, 0), (12, 20), (12, 20)), "a"),
    ],
)
def test_rates_are_those_of_exact_limits(found: pd.DataFrame, listed: Any, level: float) -> None:
    rates = labeling.rates_from_labels(found, listed, level=level).set_index("metric")
    assert (rates["target"] == "examples").all() and (rates["level"] == level).all()
    on_list, strata = found["stratum"].isin([*listed]), found.groupby("stratum").first()
    shown, wide = rates[["estimate", "lower", "upper"]], []
    for name, some in (("precision", on_list), ("for", ~on_list)):
        if not some.any():
            assert [*rates.index] == ["precision"]  # the rest has no labels
            return
        own = strata.loc[found["stratum"][some].unique()]
        unlabeled, known, negative = own[["n_unlabeled", "n", "n_negative"]].sum()
        for confidence in (level, level**0.5):
            beta = pu_accessor.beta_from_labels(found[some], level=confidence).iloc[0]
            ends = beta[["beta", "lower", "upper"]].to_numpy(float) * unlabeled + known
            if confidence == level:
                size = unlabeled + known + negative
                assert shown.loc[name].tolist() == pytest.approx(ends / size)
        wide.append(ends)
    (a, low, high), (b, low_b, high_b) = wide
    recall = [a / (a + b), low / (low + high_b), high / (high + low_b)] if a + b else [np.nan] * 3
    assert shown.loc["recall"].tolist() == pytest.approx(recall, nan_ok=True)
    assert [*rates.index] == ["precision", "recall", "for"]


def test_the_script_draws_the_rows_of_the_example() -> None:
    found = pu_accessor.load_example()
    drawn = example_rows.draw().astype({"label": float, "truth": bool})
    pd.testing.assert_frame_equal(found, drawn, rtol=0, atol=2e-6)
    found["score"] = 0  # each call returns rows of its own
    assert pu_accessor.load_example()["score"].nunique() > 1_900


# How many are needed


def chances(total: int, width: float, beta: float, level: float) -> list[float]:
    """Return the probability of narrow intervals for each number of labels, from all counts."""
    m, found = np.arange(total + 1)[:, np.newaxis], []
    for size in range(1, total + 1):
        x, drawn = np.arange(size + 1), stats.hypergeom(total, m, size)
        kept = np.minimum(drawn.sf(x - 1), drawn.cdf(x)) > (1 - level) / 2 * (1 + 1e-12)
        kept &= (m >= x) & (total - m >= size - x)
        narrow = (kept.sum(axis=0) - 1) / total <= width * (1 + 1e-12)
        found.append(float(stats.hypergeom.pmf(x, total, round(beta * total), size) @ narrow))
    return found


@given(
    *(st.integers(2, 50), st.floats(0.05, 0.6), st.sampled_from([0, 0.02, 0.1, 0.3, 0.9, 1])),
    *(st.sampled_from([0.5, 0.8, 0.95, 0.99]), st.sampled_from([0.2, 0.3, 0.5, 0.8, 0.95])),
)
@example(4, 0.3, 0.25, 0.5, 0.5)  # of 2 labels none is positive with a chance of a half
@example(37, 0.256, 0.9, 0.8, 0.3)  # 10 fall short, after 7 to 9, which are enough
@example(64, 0.1, 0.3, 0.95, 0.95)  # by halving 53, which is enough in .469 of all cases
@example(80, 0.06, 0.05, 0.8, 0.6)
@example(100, 0.2, 0.01, 0.95, 0.8)
def test_labels_needed_are_enough_and_so_are_more(
    total: int, width: float, beta: float, level: float, probability: float
) -> None:
    size = labeling.labels_needed(width, total, beta=beta, level=level, probability=probability)
    short = np.array(chances(total, width, beta, level)) < probability * (1 - 1e-12)
    assert size == np.flatnonzero(np.append(True, short))[-1] + 1


def test_many_labels_needed_are_those_of_single_trials() -> None:
    needed = labeling.labels_needed
    # At half positive no other count is wider.
    assert len({needed(0.2, 1000, probability=p) for p in (0.9, 0.999)}) == 1
    assert len({needed(0.1, 10**12, beta=b) for b in (1e-11, 1 - 1e-11, 1)}) == 1
    # By the definition at every number of labels that is tried, one after the other.
    assert needed(0.0055, 5918, beta=0.01, probability=0.8) == 2987
    assert needed(0.0125, 5426, beta=0.01) == 981
    # Of so many the width at one count decides: that which few are nearer to a half than.
    for width, positives in ((400_000, 3 * 10**7), (1000, 1)):
        size = needed(width / 10**8, 10**8, beta=positives / 10**8, probability=0.8)
        for number in (size, size - 1):
            most = int(stats.hypergeom.ppf(0.8, 10**8, positives, number))
            ends = pu_accessor.beta_from_labels(most, number, 10**8)[["lower", "upper"]]
            assert (round(10**8 * np.ptp(ends)) <= width) == (number == size)


def few() -> pd.DataFrame:
    """Draw tied scores of two models, 12 known positives and 4 known negatives among 40."""
    rng = np.random.default_rng(6)
    label = np.repeat([1.0, 0.0, np.nan], [12, 4, 24])
    truth = np.nan_to_num(label, nan=0.3)
    scores = {name: np.round(rng.normal(truth, 0.7), 1) for name in ("a", "b")}
    return pd.DataFrame({**scores, "label": label})


@pytest.mark.parametrize(("auroc", "beta"), [(0.825, 0), (0.85, 0.5), (0.95, 0.1)])
def test_normal_scores_are_a_pilot_of_their_quantiles(auroc: float, beta: float) -> None:
    score = special.ndtri((np.arange(5000) + 0.5) / 5000)
    apart = 2**0.5 * special.ndtri(auroc)
    hidden = np.where(np.arange(5000) % 10 < 10 * beta, apart, 0)
    label = np.repeat([1.0, np.nan], 5000)
    scores = np.append(score + apart, np.random.default_rng(0).permutation(score) + hidden)
    frame = pd.DataFrame({"score": scores, "label": label})
    ask = partial(labeling.positives_needed, 0.1, n_unlabeled=900, beta=beta, level=0.9)
    needed = [ask(pilot=x, probability=0.8)["n"].item() for x in (frame, {"auroc": auroc})]
    assert needed[0] == pytest.approx(needed[1], rel=0.02)


@pytest.mark.parametrize("probability", [0.5, 0.9])
def test_a_planned_width_is_as_probable_as_stated(probability: float) -> None:
    how: dict[str, Any] = {"beta": 0, "n_unlabeled": 400, "probability": probability}
    n = labeling.positives_needed(0.15, pilot={"auroc": 0.85}, **how)["n"].item()
    label = np.tile(np.repeat([1.0, 0.0], [n, 400]), 300)
    score = np.random.default_rng(5).normal(2**0.5 * special.ndtri(0.85) * label)
    frame = pd.DataFrame(
        {"score": score, "label": label, "draw": np.arange(score.size) // (n + 400)}
    )
    each = frame.pu(by="draw", negative=0).auroc(0)
    narrow = (each["upper"] - each["lower"] <= 0.15).mean()
    assert -0.05 < narrow - probability < 0.12


@pytest.mark.parametrize("n", [16, 20])  # whose share is a sum of binary fractions, and is not
def test_a_width_that_is_just_met_is_enough(n: int) -> None:
    pu: Any = pd.DataFrame({"score": -np.arange(5 * n), "label": [1.0] * n + [np.nan] * 4 * n}).pu
    width = np.ptp(pu.auroc(0)[["lower", "upper"]])
    assert labeling.positives_needed(width, pilot=pu, beta=0, n_unlabeled=4 * n)["n"].item() == n


@pytest.mark.parametrize("kind", [1.0, 0.0])
def test_a_pilot_has_two_of_each(kind: float) -> None:
    for number, told in ((1, "_positive=1," if kind else "_negative=1,"), (2, "")):
        frame = few().assign(label=np.where(np.arange(40) < number, kind, 1 - kind))
        asked: Any = {"pilot": frame.pu(score="a", negative=0), "beta": 0}
        with pytest.raises(PUDataError, match=told) if told else nullcontext():
            assert labeling.positives_needed(0.9, **asked)["n"].item() >= 2

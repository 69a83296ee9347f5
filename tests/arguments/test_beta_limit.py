"""Upper limits on beta: one warning for each call, and an attribute."""

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUWarning
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.estimates.average_precision import precision_and_error
from pu_accessor.ranking import Ranking
from tests.cases import binormal, put

FRAME = binormal(200, 600, 0.3, seed=1)[0]
SHARP = FRAME.assign(score=lambda d: d["score"] + 0.3 * (d["label"] == 1))
FLAT = binormal(20, 60, 0.5, seed=3)[0]
GROUPS = pd.concat(
    [FRAME.assign(g="a"), SHARP.assign(g="b"), FLAT.assign(g="c"), FLAT.assign(g="d")]
)


def upper(frame: pd.DataFrame, level: float = 0.95, **more: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        found: float = put(frame.pu, "estimate_beta", level=level, **more)["upper"].item()
    return found


def rank_frame(frame: pd.DataFrame) -> Ranking:
    known = (frame["label"] == 1).to_numpy()
    return rank_examples(frame["score"].to_numpy(), known, np.zeros(known.size, np.bool_))


@cache
def upper_limits() -> dict[Any, float]:
    return {key: upper(rows, 0.5) for key, rows in GROUPS.groupby("g")}


LIMIT, HALF = upper(FRAME), upper(FRAME, 0.5)
HIGH, LOW = 0.48, 0.43  # about the limit at level .5; there estimates are in [0, 1]
CALLS: dict[str, Callable[..., Any]] = {
    "contingency": lambda pu, b, **k: pu.contingency(b, **k),
    "breakpoints": lambda pu, b, **k: pu.contingency(b, ranks="breakpoints", **k),
    "ranks": lambda pu, b, **k: pu.contingency(b, ranks=[3, 7], **k),
    "interval": lambda pu, b, **k: pu.contingency(b, beta_interval=(0, 0.9), **k),
    "roc_bounds": lambda pu, b, **k: pu.roc_bounds(b, **k),
    "pr_bounds": lambda pu, b, **k: pu.pr_bounds(b, ranks=9, **k),
    "auroc": lambda pu, b, **k: pu.auroc(b, **k),
    "auroc, partial": lambda pu, b, **k: pu.auroc(b, max_fpr=0.5, target="examples", **k),
    "average_precision": lambda pu, b, **k: pu.average_precision(b, **k),
    "metric": lambda pu, b, **k: pu.metric("f1", b, at=40, **k),
    "youden": lambda pu, b, **k: pu.metric("f1", b, at="youden", **k),
    "plot_roc": lambda pu, b, **k: pu.plot_roc(b, **k),
    "plot_roc, baseline": lambda pu, b, **k: pu.plot_roc(b, baseline=True, **k),
    "plot_pr": lambda pu, b, **k: pu.plot_pr(b, **k),
    "plot_metric": lambda pu, b, **k: pu.plot_metric("f1", b, **k),
    "plot_rank_cdf": lambda pu, b, **k: pu.plot_rank_cdf(b, **k),
}
every_call = pytest.mark.parametrize("name", CALLS)


def told(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


@every_call
def test_a_beta_above_the_limit_gives_one_warning_at_the_callers_line(name: str) -> None:
    with pytest.warns(PUWarning, match=r"beta exceeds the upper limit .*\(0\.\d+ > 0\.\d+\)") as c:
        CALLS[name](FRAME.pu, HIGH, level=0.5)
    assert len(c) == 1 and c[0].filename == __file__
    assert f"{HIGH:g} > {HALF:.4g}" in str(c[0].message)
    assert not told(lambda: CALLS[name](FRAME.pu, LOW, level=0.5))


@every_call
def test_a_warning_names_the_groups_and_betas(name: str) -> None:
    limits = upper_limits()
    assert limits["b"] < 0.27 < 0.28 < min(limits["a"], limits["c"])
    more: dict[str, Any] = {"level": 0.5}
    if name.startswith("plot"):
        more["col"] = "g"
    rows = GROUPS[GROUPS["g"] != "d"]
    (one,) = told(lambda: CALLS[name](rows.pu(by="g"), [0.0, 0.01, 0.27, 0.28], **more))
    text = str(one.message)
    assert one.category is PUWarning and one.filename == __file__
    assert f"group g='b': 0.27, 0.28 > {limits['b']:.4g}" in text
    assert "'a'" not in text and "'c'" not in text


def test_a_beta_that_is_rounded_to_the_limit_is_not_above_it() -> None:
    one = 1 / FRAME["label"].isna().sum()
    for part, above in ((0.45, False), (0.55, True)):
        caught = told(partial(FRAME.pu.contingency, HALF + part * one, level=0.5, ranks=3))
        assert len(caught) == above


def test_no_more_than_three_groups_are_named() -> None:
    many = pd.concat([FRAME.assign(g=i) for i in range(6)])
    (one,) = told(lambda: many.pu(by="g").contingency(0.99, ranks=3))
    assert "g=0" in str(one.message) and "g=5" not in str(one.message)
    assert "and 3 more" in str(one.message)


@pytest.mark.parametrize(
    "beta", [{"a": 0.1, "b": 0.5}, {"a": 0.7, "b": 0.0}, {"a": 0.5, "b": 0.0}]
)
def test_groups_have_betas_and_limits_of_their_own(beta: dict[str, float]) -> None:
    some = GROUPS[GROUPS["g"].isin(["a", "b"])]
    caught = told(lambda: some.pu(by="g").contingency(beta))
    assert len(caught) == (1 if beta["b"] else int(beta["a"] > LIMIT))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_the_limit_is_that_of_estimate_beta_at_the_same_level(level: float) -> None:
    limit = upper(FRAME, level)
    for ranks in ("all", "breakpoints", [3, 9]):
        found = FRAME.pu.contingency(0.01, level=level, ranks=ranks)
        assert found["beta_limit"].item() == limit
    assert not told(lambda: FRAME.pu.pr_bounds(round(limit, 4) - 0.002, level=level))
    assert len(told(lambda: FRAME.pu.pr_bounds(round(limit, 4) + 0.002, level=level))) == 1
    roc = FRAME.pu.roc_bounds(0.01, level=level)
    assert roc["beta_limit"].item() == limit


def test_the_limit_of_each_group_is_a_coordinate() -> None:
    tables = GROUPS.pu(by="g").contingency(0.01, level=0.8)
    for key, rows in GROUPS.groupby("g"):
        assert tables["beta_limit"].sel(g=key) == upper(rows, 0.8)
    assert "beta_limit" not in tables.attrs
    models = FRAME.assign(other=-FRAME["score"]).pu(score=["score", "other"]).contingency(0.01)
    assert models["beta_limit"].dims == ("model",)
    assert models["beta_limit"].values.tolist() == [
        upper(FRAME),
        upper(FRAME.assign(score=-FRAME["score"])),
    ]


@pytest.mark.parametrize("name", ["auroc", "average_precision", "metric"])
def test_frames_have_the_limit_in_their_attributes(name: str) -> None:
    found = CALLS[name](FRAME.pu, LOW)
    assert found.attrs["beta_limit"] == LIMIT
    assert (found.attrs["n_known_positive"], found.attrs["n_unlabeled"]) == (60, 740)
    # Limits of several rankings are not those of a row: the frame has none.
    assert "beta_limit" not in CALLS[name](GROUPS.pu(by="g"), 0.0).attrs


def test_samples_and_arrays_have_limits_too() -> None:
    samples = xr.Dataset.from_dataframe(FRAME.rename_axis("sample"))
    with pytest.warns(PUWarning, match="beta exceeds") as caught:
        tables = samples.pu().contingency(0.7)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert tables["beta_limit"].item() == LIMIT
    with pytest.warns(PUWarning, match="beta exceeds") as caught:
        tables = pu_accessor.from_arrays(FRAME["score"], FRAME["label"]).contingency(0.7)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert tables["beta_limit"].item() == LIMIT
    two = xr.concat([samples, samples.assign(score=-samples["score"])], "model")
    with pytest.warns(PUWarning, match="group model=0: ") as caught:
        tables = two.pu().contingency(0.7)
    assert len(caught) == 1 and tables["beta_limit"].dims == ("model",)


def test_a_groupby_warns_once() -> None:
    grouped: Any = GROUPS.groupby("g")
    with pytest.warns(PUWarning, match="group g='b'") as caught:
        grouped.pu.contingency(0.5)
    assert len(caught) == 1 and caught[0].filename == __file__


@pytest.mark.parametrize(("policy", "rows"), [("omit", slice(30, None)), ("worst", slice(None))])
def test_missing_scores_count_as_in_estimate_beta(policy: str, rows: slice) -> None:
    frame = FRAME.assign(score=FRAME["score"].where(np.arange(len(FRAME)) >= 30))
    tables = frame.pu(nan_policy=policy).contingency(0.01)
    assert tables["beta_limit"].item() == upper(frame, nan_policy=policy)
    if policy == "omit":
        assert tables["beta_limit"].item() == upper(frame[rows])


def test_latent_positives_are_counts_where_the_limit_is_one() -> None:
    # 0.302 and 0.3 are the same number of latent positives.
    size = int((FRAME["label"] != 1).sum())
    at = round(LIMIT * size)
    assert not told(lambda: FRAME.pu.contingency((at + 0.4) / size))
    assert told(lambda: FRAME.pu.contingency((at + 0.9) / size))


# Where there is none


def test_no_limit_without_unlabeled_or_known_positives() -> None:
    whole = FRAME.fillna({"label": 0})
    tables = whole.pu(negative=0).contingency(0)
    assert "beta_limit" not in tables.coords
    assert not told(lambda: whole.pu(negative=0).auroc(0))
    negatives = FRAME.assign(label=FRAME["label"].replace(1.0, 0.0))
    caught = told(lambda: negatives.pu.contingency(0.9, reference="negatives"))
    assert not caught
    found = negatives.pu.contingency(0.9, reference="negatives")
    assert "beta_limit" not in found.coords
    both = pd.concat([whole.assign(g="a"), FRAME.assign(g="b")])
    limits = both.pu(by="g").contingency(0)["beta_limit"]
    assert np.isnan(limits.sel(g="a")) and limits.sel(g="b") == LIMIT


def test_no_limit_with_propensities() -> None:
    frame = FRAME.assign(propensity=0.4)
    pu = frame.pu(propensity="propensity")
    for name in ("contingency", "metric", "plot_pr", "plot_rank_cdf"):
        assert not told(partial(CALLS[name], pu, HIGH, level=0.5))
    assert not told(partial(pu.auroc, HIGH, level=0.5, target="examples"))
    assert "beta_limit" not in frame.pu(propensity="propensity").contingency(0.7).coords


def test_the_envelope_may_exceed_the_limit() -> None:
    assert not told(lambda: FRAME.pu.contingency(LOW, beta_interval=(0.01, 0.95)))


def test_a_beta_of_zero_and_tables_that_are_there_do_not_warn() -> None:
    assert not told(lambda: SHARP.pu.contingency(0))
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = FRAME.pu.contingency([0, 0.7])
    assert not told(lambda: tables.pu.area("auroc"))
    assert not told(lambda: tables.pu.plot_roc())


def test_average_precision_warns_of_the_limit() -> None:
    flat = FRAME.assign(score=np.linspace(-3, 3, len(FRAME)))  # known ones: few ranks apart
    known = (flat["label"] == 1).to_numpy()
    flat.loc[known, "score"] = np.linspace(-1.1, -0.9, known.sum())
    limit = upper(flat)
    assert 0.2 < limit < 0.9
    with pytest.warns(PUWarning, match="beta exceeds the upper limit") as caught:
        flat.pu.average_precision(limit + 0.02)
    assert len(caught) == 1 and caught[0].filename == __file__


@pytest.mark.parametrize("name", ["auroc", "average_precision"])
def test_nothing_is_told_of_rows_up_to_the_limit(name: str) -> None:
    below = round(LIMIT - 0.003, 4)
    # There the unbiased statistic is above 1, but the one estimate is possible.
    assert precision_and_error(rank_frame(FRAME), np.array([below]))[0] > 1
    assert not told(lambda: CALLS[name](FRAME.pu, below))
    found = CALLS[name](FRAME.pu, below).iloc[0]
    assert 0 <= found["lower"] <= found["estimate"] <= found["upper"] <= 1
    (one,) = told(lambda: CALLS[name](FRAME.pu, [0.01, below, 0.9]))
    assert f"(0.9 > {LIMIT:.4g})" in str(one.message) and one.filename == __file__


def test_groups_above_their_limits_get_one_warning() -> None:
    two = pd.concat([FRAME.assign(g="a"), SHARP.assign(g="b", score=SHARP["score"] + 1)])
    two.loc[(two["g"] == "b") & (two["label"] == 1), "score"] += 2
    (one,) = told(lambda: two.pu(by="g").auroc(HIGH, level=0.5))
    assert "group g='a'" in str(one.message) and "group g='b'" in str(one.message)


def test_groups_below_their_limits_are_not_told_of() -> None:
    two, beta = GROUPS[GROUPS["g"].isin(["a", "b"])], round(LIMIT - 0.003, 4)
    assert upper(SHARP) < beta
    (one,) = told(lambda: two.pu(by="g").auroc(beta))
    assert "group g='b'" in str(one.message) and "'a'" not in str(one.message)


def test_an_estimate_whose_interval_reaches_below_the_limit_contradicts_nothing() -> None:
    df = pu_accessor.load_example()
    limit = df.pu.estimate_beta()["upper"].item()
    found = pu_accessor.beta_from_labels(33, 120, int(df["label"].isna().sum()))
    assert found["lower"].item() < limit < found["beta"].item()
    df.pu.auroc(found)  # warns of nothing
    df.pu.contingency(found)
    high = pu_accessor.beta_from_labels(60, 120, int(df["label"].isna().sum()))
    with pytest.warns(PUWarning, match="beta exceeds"):
        df.pu.auroc(high)

"""Upper limits on beta: one warning for each call, an attribute, and a mark in pictures."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

import pu_accessor
from cases import binormal
from pu_accessor import PUWarning

FRAME = binormal(200, 600, 0.3, seed=1)[0]
SHARP = FRAME.assign(score=lambda d: d["score"] + 0.3 * (d["label"] == 1))
FLAT = binormal(20, 60, 0.5, seed=3)[0]
GROUPS = pd.concat(
    [FRAME.assign(g="a"), SHARP.assign(g="b"), FLAT.assign(g="c"), FLAT.assign(g="d")]
)


def upper(frame: pd.DataFrame, level: float = 0.95, **more: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        found: float = frame.pu.estimate_beta(level=level, **more)["upper"].item()
    return found


LIMIT, HALF = upper(FRAME), upper(FRAME, 0.5)
HIGH, LOW = 0.48, 0.43  # about the limit at level .5; there estimates are in [0, 1]
CALLS: dict[str, Callable[..., Any]] = {
    "contingency": lambda f, b, **k: f.pu.contingency(b, **k),
    "breakpoints": lambda f, b, **k: f.pu.contingency(b, ranks="breakpoints", **k),
    "ranks": lambda f, b, **k: f.pu.contingency(b, ranks=[3, 7], **k),
    "interval": lambda f, b, **k: f.pu.contingency(b, beta_interval=(0, 0.9), **k),
    "roc_bounds": lambda f, b, **k: f.pu.roc_bounds(b, **k),
    "pr_bounds": lambda f, b, **k: f.pu.pr_bounds(b, ranks=9, **k),
    "auroc": lambda f, b, **k: f.pu.auroc(b, **k),
    "auroc, partial": lambda f, b, **k: f.pu.auroc(b, max_fpr=0.5, **k),
    "average_precision": lambda f, b, **k: f.pu.average_precision(b, **k),
    "metric": lambda f, b, **k: f.pu.metric("f1", b, at=40, **k),
    "youden": lambda f, b, **k: f.pu.metric("f1", b, at="youden", **k),
    "plot_roc": lambda f, b, **k: f.pu.plot_roc(b, **k),
    "plot_roc, baseline": lambda f, b, **k: f.pu.plot_roc(b, baseline=True, **k),
    "plot_pr": lambda f, b, **k: f.pu.plot_pr(b, **k),
    "plot_metric": lambda f, b, **k: f.pu.plot_metric("f1", b, **k),
    "plot_rank_cdf": lambda f, b, **k: f.pu.plot_rank_cdf(b, **k),
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
        CALLS[name](FRAME, HIGH, level=0.5)
    assert len(c) == 1 and c[0].filename == __file__
    assert f"{HIGH:g} > {HALF:.4g}" in str(c[0].message)
    assert not told(lambda: CALLS[name](FRAME, LOW, level=0.5))


@every_call
def test_a_warning_names_the_groups_and_betas(name: str) -> None:
    limits = {key: upper(rows, 0.5) for key, rows in GROUPS.groupby("g")}
    assert limits["b"] < 0.27 < 0.28 < min(limits["a"], limits["c"])
    more: dict[str, Any] = {"by": "g", "level": 0.5}
    if name.startswith("plot"):
        more["col"] = "g"
    rows = GROUPS[GROUPS["g"] != "d"]
    (one,) = told(lambda: CALLS[name](rows, [0.0, 0.01, 0.27, 0.28], **more))
    text = str(one.message)
    assert one.category is PUWarning and one.filename == __file__
    assert f"group g='b': 0.27, 0.28 > {limits['b']:.4g}" in text
    assert "'a'" not in text and "'c'" not in text


def test_no_more_than_three_groups_are_named() -> None:
    many = pd.concat([FRAME.assign(g=i) for i in range(6)])
    (one,) = told(lambda: many.pu.contingency(0.99, by="g", ranks=3))
    assert "g=0" in str(one.message) and "g=5" not in str(one.message)
    assert "and 3 more groups" in str(one.message)


@pytest.mark.parametrize(
    "beta", [{"a": 0.1, "b": 0.5}, {"a": 0.7, "b": 0.0}, {"a": 0.5, "b": 0.0}]
)
def test_groups_have_betas_and_limits_of_their_own(beta: dict[str, float]) -> None:
    some = GROUPS[GROUPS["g"].isin(["a", "b"])]
    caught = told(lambda: some.pu.contingency(beta, by="g"))
    assert len(caught) == (1 if beta["b"] else int(beta["a"] > LIMIT))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_the_limit_is_that_of_estimate_beta_at_the_same_level(level: float) -> None:
    limit = upper(FRAME, level)
    for ranks in ("all", "breakpoints", [3, 9]):
        found = FRAME.pu.contingency(0.01, level=level, ranks=ranks)
        assert found.attrs["beta_limit"] == limit
    assert not told(lambda: FRAME.pu.pr_bounds(round(limit, 4) - 0.002, level=level))
    assert len(told(lambda: FRAME.pu.pr_bounds(round(limit, 4) + 0.002, level=level))) == 1
    roc = FRAME.pu.roc_bounds(0.01, level=level)
    assert roc.attrs["beta_limit"] == limit


def test_the_limit_of_each_group_is_a_coordinate() -> None:
    tables = GROUPS.pu.contingency(0.01, by="g", level=0.8)
    for key, rows in GROUPS.groupby("g"):
        assert tables["beta_limit"].sel(g=key) == upper(rows, 0.8)
    assert "beta_limit" not in tables.attrs
    models = FRAME.assign(other=-FRAME["score"]).pu.contingency(0.01, score=["score", "other"])
    assert models["beta_limit"].dims == ("model",)
    assert models["beta_limit"].values.tolist() == [
        upper(FRAME),
        upper(FRAME.assign(score=-FRAME["score"])),
    ]


@pytest.mark.parametrize("name", ["auroc", "average_precision", "metric"])
def test_frames_have_the_limit_in_their_attributes(name: str) -> None:
    found = CALLS[name](FRAME, LOW)
    assert found.attrs["beta_limit"] == LIMIT
    assert (found.attrs["n_known_positive"], found.attrs["n_unlabeled"]) == (60, 740)
    # Limits of several rankings are not those of a row: the frame has none.
    assert "beta_limit" not in CALLS[name](GROUPS, 0.0, by="g").attrs


def test_samples_and_arrays_have_limits_too() -> None:
    samples = xr.Dataset.from_dataframe(FRAME.rename_axis("sample"))
    with pytest.warns(PUWarning, match="beta exceeds") as caught:
        tables = samples.pu.contingency(0.7)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert tables.attrs["beta_limit"] == LIMIT
    with pytest.warns(PUWarning, match="beta exceeds") as caught:
        tables = pu_accessor.contingency(FRAME["score"], FRAME["label"], beta=0.7)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert tables.attrs["beta_limit"] == LIMIT
    two = xr.concat([samples, samples.assign(score=-samples["score"])], "model")
    with pytest.warns(PUWarning, match="group model=0: ") as caught:
        tables = two.pu.contingency(0.7)
    assert len(caught) == 1 and tables["beta_limit"].dims == ("model",)


def test_a_groupby_warns_once() -> None:
    grouped: Any = GROUPS.groupby("g")
    with pytest.warns(PUWarning, match="group g='b'") as caught:
        grouped.pu.contingency(0.5)
    assert len(caught) == 1 and caught[0].filename == __file__


@pytest.mark.parametrize(("policy", "rows"), [("omit", slice(30, None)), ("worst", slice(None))])
def test_missing_scores_count_as_in_estimate_beta(policy: str, rows: slice) -> None:
    frame = FRAME.assign(score=FRAME["score"].where(np.arange(len(FRAME)) >= 30))
    tables = frame.pu.contingency(0.01, nan_policy=policy)
    assert tables.attrs["beta_limit"] == upper(frame, nan_policy=policy)
    if policy == "omit":
        assert tables.attrs["beta_limit"] == upper(frame[rows])


def test_latent_positives_are_counts_where_the_limit_is_one() -> None:
    # 0.302 and 0.3 are the same number of latent positives.
    size = int((FRAME["label"] != 1).sum())
    at = round(LIMIT * size)
    assert not told(lambda: FRAME.pu.contingency((at + 0.4) / size))
    assert told(lambda: FRAME.pu.contingency((at + 0.9) / size))


# Where there is none


def test_no_limit_without_unlabeled_or_known_positives() -> None:
    whole = FRAME.fillna({"label": 0})
    tables = whole.pu.contingency(0, negative=0)
    assert "beta_limit" not in tables.attrs
    assert not told(lambda: whole.pu.auroc(0, negative=0))
    negatives = FRAME.assign(label=FRAME["label"].replace(1.0, 0.0))
    caught = told(lambda: negatives.pu.contingency(0.9, reference="negatives"))
    assert not caught
    found = negatives.pu.contingency(0.9, reference="negatives")
    assert "beta_limit" not in found.attrs
    both = pd.concat([whole.assign(g="a"), FRAME.assign(g="b")])
    limits = both.pu.contingency(0, by="g")["beta_limit"]
    assert np.isnan(limits.sel(g="a")) and limits.sel(g="b") == LIMIT


def test_no_limit_with_propensities() -> None:
    frame = FRAME.assign(odds=0.4)
    for name in ("contingency", "auroc", "metric", "plot_pr", "plot_rank_cdf"):
        assert not told(partial(CALLS[name], frame, HIGH, propensity="odds", level=0.5))
    assert "beta_limit" not in frame.pu.contingency(0.7, propensity="odds").attrs


def test_the_envelope_may_exceed_the_limit() -> None:
    assert not told(lambda: FRAME.pu.contingency(LOW, beta_interval=(0.01, 0.95)))


def test_a_beta_of_zero_and_tables_that_are_there_do_not_warn() -> None:
    assert not told(lambda: SHARP.pu.contingency(0))
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = FRAME.pu.contingency([0, 0.7])
    assert not told(lambda: tables.pu.area("roc"))
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
def test_an_estimate_outside_is_told_of_rows_up_to_the_limit(name: str) -> None:
    below = round(LIMIT - 0.003, 4)
    (one,) = told(lambda: CALLS[name](FRAME, below))
    assert "In 1 of 1 rows the estimate lies outside [0, 1]" in str(one.message)
    assert one.filename == __file__
    (one,) = told(lambda: CALLS[name](FRAME, 0.9))  # outside, too
    assert "beta exceeds the upper limit" in str(one.message) and one.filename == __file__
    # Each row is told of once: by its limit, or by its estimate.
    two = told(lambda: CALLS[name](FRAME, [0.01, below, 0.9]))
    assert {one.filename for one in two} == {__file__}
    limit, outside = sorted((str(one.message) for one in two), reverse=True)
    assert f"(0.9 > {LIMIT:.4g})" in limit
    assert outside.startswith("In 1 of 3 rows the estimate lies outside [0, 1]")
    assert outside.endswith(f"They are at [{{'beta': {below}}}].")


def test_groups_above_their_limits_and_outside_get_one_warning() -> None:
    two = pd.concat([FRAME.assign(g="a"), SHARP.assign(g="b", score=SHARP["score"] + 1)])
    two.loc[(two["g"] == "b") & (two["label"] == 1), "score"] += 2
    (one,) = told(lambda: two.pu.auroc(HIGH, by="g", level=0.5))
    assert "group g='a'" in str(one.message) and "group g='b'" in str(one.message)


def test_groups_of_different_kinds_get_one_warning_each() -> None:
    two, beta = GROUPS[GROUPS["g"].isin(["a", "b"])], round(LIMIT - 0.003, 4)
    assert upper(SHARP) < beta
    limit, outside = sorted(
        (str(one.message) for one in told(lambda: two.pu.auroc(beta, by="g"))), reverse=True
    )
    assert "group g='b'" in limit and "'a'" not in limit
    assert outside.endswith(f"They are at [{{'g': 'a', 'beta': {beta}}}].")


# Pictures of sensitivity

GRID = np.arange(10) / 10


def marked(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if "upper limit" in str(line.get_label())]


def legend(drawing: Any) -> list[str]:
    box: Any = drawing.get_legend() if isinstance(drawing, Axes) else drawing.legend
    return [text.get_text() for text in box.get_texts()]


@pytest.mark.parametrize(("name", "at"), [("roc", None), ("pr", None), ("f1", 40)])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_limit_is_marked(name: str, at: int | None, level: float) -> None:
    caught: list[Any] = []

    def draw() -> None:
        caught.append(FRAME.pu.plot_sensitivity(name, GRID, at=at, level=level))

    assert not told(draw)
    (line,) = marked(caught[0])
    assert np.ravel(line.get_xdata()).tolist() == [upper(FRAME, level)] * 2
    label = f"{level:.0%} upper limit on β̂"
    assert line.get_label() == label and legend(caught[0]).count(label) == 1


def test_each_model_has_its_mark_in_its_hue() -> None:
    frame = FRAME.assign(other=FRAME["score"] + np.random.default_rng(0).normal(0, 2, len(FRAME)))
    ax = frame.pu.plot_sensitivity("roc", GRID, score=["score", "other"])
    hues = {line.get_label(): to_hex(line.get_color()) for line in ax.lines}
    expected = {
        hues[model]: upper(frame, score=model)
        for model in ("score", "other")
        if upper(frame, score=model) <= 0.9
    }
    found = {to_hex(line.get_color()): line.get_xdata()[0] for line in marked(ax)}
    assert found == expected and len(found) > 0
    assert legend(ax).count("95% upper limit on β̂") == 1


def test_panels_have_their_own_mark() -> None:
    some = GROUPS[GROUPS["g"].isin(["a", "b"])]
    grid = some.pu.plot_sensitivity("pr", [0, 0.01, 0.3, 0.8], by="g", col="g")
    places = [[line.get_xdata()[0] for line in marked(ax)] for ax in grid.axes.flat]
    assert places == [[upper(rows)] for _, rows in some.groupby("g")]


@pytest.mark.parametrize("betas", [GRID[:4], GRID[7:]])
def test_a_limit_outside_the_picture_is_not_marked(betas: Any) -> None:
    assert betas[-1] < LIMIT or betas[0] > LIMIT
    ax = FRAME.pu.plot_sensitivity("pr", betas)
    assert not marked(ax) and not any("upper limit" in text for text in legend(ax))


def test_tables_mark_their_limit_and_propensities_have_none() -> None:
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = FRAME.pu.contingency(GRID)
    (line,) = marked(tables.pu.plot_sensitivity("roc"))
    assert line.get_xdata()[0] == LIMIT
    frame = FRAME.assign(odds=0.4)
    assert not marked(frame.pu.plot_sensitivity("roc", GRID, propensity="odds"))

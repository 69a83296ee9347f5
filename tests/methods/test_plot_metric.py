"""Pictures of a metric, over cutoffs and over beta, read back from their artists."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

from pu_accessor import PUValueError, PUWarning
from tests.arguments.test_beta_limit import FRAME as WITH_LIMIT
from tests.arguments.test_beta_limit import GROUPS, told, upper
from tests.cases import AREAS, as_frame, binormal, draw_case, legend
from tests.plots.test_many import GRID, WIDE, bands, lines, metric, path, wide

FRAME, BETA, TRUTH = binormal(100, 300, 0.4, seed=3)  # of probabilities
FRAME["score"] = 1 / (1 + np.exp(-(FRAME["score"] - 1)))
MODELS = pd.concat([FRAME.assign(m="a"), FRAME.assign(m="b", score=FRAME["score"].round(1))])


def line(ax: Axes, label: str) -> Any:
    """Return the corners of the line of a label."""
    (found,) = (one for one in ax.lines if one.get_label() == label)
    return np.asarray(found.get_xydata())


# Over cutoffs


@pytest.mark.parametrize("x", ["rank", "threshold", "fraction"])
@pytest.mark.parametrize("name", ["precision", "mcc", lambda tp, fp, fn, tn: tp - 2 * fp])
@pytest.mark.parametrize("seed", [3, 39])  # with ties
def test_metric_passes_through_the_values_at_all_cutoffs(name: Any, x: str, seed: int) -> None:
    frame = as_frame(draw_case(seed))
    tables = frame.pu.contingency(0.4, ranks="all").isel(rank=slice(1, None))
    values = tables.pu.metric(name).isel(beta=0).astype(np.float64)
    # The line is that of the estimate as it is, not of whole examples.
    ranks = {"rank": tables["rank"].values}
    found = frame.pu.metric(name, 0.4, at=ranks, target="examples")
    values.loc[{"bound": "estimate"}] = found["estimate"]
    place = {"rank": tables["rank"], "fraction": tables["rank"] / len(frame)}
    at = place.get(x, tables["threshold"]).to_numpy()
    ax = frame.pu.plot_metric(name, 0.4, x=x)
    assert ax.get_ylabel() == {"mcc": "Matthews correlation"}.get(str(values.name), values.name)
    (line,), (band,) = ax.lines, bands(ax)
    up, down = np.split(band.get_xy()[: 2 * len(path(line))], 2)
    for bound, drawn in {"lower": down[::-1], "estimate": path(line), "upper": up}.items():
        there = values.sel(bound=bound).to_numpy()
        known = np.isfinite(there)
        if x == "threshold":
            corners = {*map(tuple, np.round(drawn, 9))}
            assert {*zip(at[known], np.round(there[known], 9), strict=True)} <= corners
        else:  # ranks between two breakpoints are not corners of the line
            np.testing.assert_allclose(np.interp(at, *drawn.T)[known], there[known], atol=1e-4)
    if x == "threshold":  # the value of the next threshold below holds up to the one above
        u, v = path(line).T
        assert all(u[i] == u[i + 1] or v[i] == v[i + 1] for i in range(u.size - 1))
        middle = (at[:-1] + at[1:]) / 2
        drawn = v[np.searchsorted(u, middle)]
        expected = values.sel(bound="estimate").to_numpy()[:-1]
        known = np.isfinite(expected)
        np.testing.assert_allclose(drawn[known], expected[known], rtol=1e-7, atol=1e-12)


def test_lowest_panels_of_a_wrapped_grid_have_labels() -> None:
    frame = wide(5)
    grid = frame.pu(score=list(frame.columns[1:])).plot_metric("f1", 0.2, col="model")
    assert [bool(ax.get_xlabel()) for ax in grid.axes.flat] == [False, True, True, True, True]


def test_a_function_that_fails_leaves_no_figure() -> None:
    with pytest.raises(ZeroDivisionError):
        metric(lambda tp, fp, fn, tn: tp if not tp.size else 1 / 0)()
    assert plt.get_fignums() == []


def test_gains_draw_recall_between_chance_and_perfection() -> None:
    ax = FRAME.pu.plot_metric("recall", 0.2, x="fraction", band="dkw")
    x, y = line(ax, "β = 0.2").T
    for share in (0.05, 0.2, 0.5):
        wanted = FRAME.pu.metric("recall", 0.2, at={"fraction": share}).loc[0, "estimate"]
        assert np.interp(share, x, y) == pytest.approx(wanted)
    positives = (40 + 0.2 * 360) / 400
    np.testing.assert_allclose(line(ax, "perfect"), np.array([[0, 0], [positives, 1], [1, 1]]))
    np.testing.assert_array_equal(line(ax, "chance"), [[0, 0], [1, 1]])
    assert ax.get_ylabel() == "share of positives found"
    ax = FRAME.pu.plot_metric("recall", [0.1, 0.2, 0.3], x="fraction")
    assert sum(one.get_label() == "perfect" for one in ax.lines) == 3
    assert legend(ax)[-2:] == ["chance", "perfect"]


def test_decision_curves_draw_net_benefit() -> None:
    ax = FRAME.pu.plot_metric("net_benefit", 0.15, x="threshold", band="simultaneous")
    x = np.arange(1, 100) / 100
    asked: Any = {"at": {"threshold": x}, "band": "simultaneous", "target": "examples"}
    found = FRAME.pu.metric("net_benefit", 0.15, **asked)
    np.testing.assert_allclose(line(ax, "β = 0.15").T, [x, found["estimate"]])
    share = (40 + 0.15 * 360) / 400
    treat_all = share - (1 - share) * x / (1 - x)
    np.testing.assert_allclose(line(ax, "treat all").T, [x, treat_all])
    assert line(ax, "treat none").tolist() == [[0.01, 0], [0.99, 0]]
    (band,) = ax.patches
    corners = band.get_xy()
    np.testing.assert_allclose(corners[: x.size].T, [x, found["upper"]])
    np.testing.assert_allclose(corners[x.size : 2 * x.size].T, [x[::-1], found["lower"][::-1]])
    assert legend(ax)[1:] == ["95% band, simultaneous", "treat all", "treat none"]
    top = max(found["upper"].max(), treat_all.max())
    assert ax.get_ylim() == pytest.approx((-0.2 * top, 1.05 * top))
    own: Any = {"x": "threshold", "at": {"threshold": [0.1, 0.3]}, "col": "m"}
    grid = MODELS.pu(by="m").plot_metric("net_benefit", {"a": 0.1, "b": 0.2}, **own)
    assert [ax.get_title() for ax in grid.axes.flat] == ["m = a", "m = b"]


# Over beta

BETAS = np.arange(10) / 10


def marked(ax: Axes) -> list[Any]:
    return [one for one in ax.lines if "upper limit" in str(one.get_label())]


def shades(ax: Axes) -> list[Any]:
    return [one for one in ax.patches if one.get_label() == "bounds cut to one value"]


def changes(ax: Axes) -> list[float]:
    drawn = [one for one in ax.lines if one.get_label() == "order changes"]
    return [float(x) for one in drawn for x in path(one)[:, 0]]


@pytest.mark.parametrize(("name", "at"), [("auroc", None), ("f1", 40)])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_limit_is_marked(name: str, at: int | None, level: float) -> None:
    drawn: list[Any] = []
    asked: Any = {"x": "beta", "at": at, "level": level}
    assert not told(lambda: drawn.append(WITH_LIMIT.pu.plot_metric(name, BETAS, **asked)))
    (limit,) = marked(drawn[0])
    assert np.ravel(limit.get_xdata()).tolist() == [upper(WITH_LIMIT, level)] * 2
    label = f"{level:.0%} upper limit on β"
    assert limit.get_label() == label and legend(drawn[0]).count(label) == 1


def test_each_model_has_its_mark_in_its_hue_and_each_panel_its_own() -> None:
    noise = np.random.default_rng(0).normal(0, 2, len(WITH_LIMIT))
    frame = WITH_LIMIT.assign(other=WITH_LIMIT["score"] + noise)
    ax = frame.pu(score=["score", "other"]).plot_metric("auroc", BETAS, x="beta")
    hues = {one.get_label(): to_hex(one.get_color()) for one in ax.lines}
    limits = {hues[model]: upper(frame, score=model) for model in ("score", "other")}
    expected = {hue: limit for hue, limit in limits.items() if limit <= 0.9}
    found = {to_hex(one.get_color()): one.get_xdata()[0] for one in marked(ax)}
    assert found == expected and len(found) > 0
    assert legend(ax).count("95% upper limit on β") == 1
    some = GROUPS[GROUPS["g"].isin(["a", "b"])]
    grid = some.pu(by="g").plot_metric("average_precision", [0, 0.01, 0.3, 0.8], x="beta", col="g")
    places = [[one.get_xdata()[0] for one in marked(ax)] for ax in grid.axes.flat]
    assert places == [[upper(rows)] for _, rows in some.groupby("g")]


def placed(**ranks: Any) -> pd.DataFrame:
    """Return 220 rows and models that put 20 known positives at some ranks, from 1."""
    frame = pd.DataFrame({"label": np.where(np.arange(220) < 20, 1, np.nan)})
    for model, places in ranks.items():
        rest = np.setdiff1d(np.arange(1, 221), places)
        frame[model] = -np.concatenate([places, rest])
    return frame


# Some at the top and some far down; all at one density.
PAIR = placed(peak=[*range(4, 41, 4), *range(55, 218, 18)], even=np.arange(6, 121, 6)).pu(
    score=["peak", "even"]
)


@pytest.mark.parametrize(
    "asked", [("auroc", None), ("average_precision", None), ("precision", 20)]
)
def test_the_numbers_of_the_method_are_drawn_in_the_order_of_beta(asked: Any) -> None:
    name, at = asked
    ax = PAIR.plot_metric(name, GRID[::-1], x="beta", at=at, target="examples")
    found = PAIR.metric(name, GRID, at=at, target="examples")
    for (model, rows), band in zip(found.groupby("model", sort=False), bands(ax), strict=True):
        np.testing.assert_allclose(path(lines(ax)[str(model)]).T, [GRID, rows["estimate"]])
        x, y = band.get_xy()[: 2 * GRID.size].T
        np.testing.assert_array_equal(x, [*GRID, *GRID[::-1]])
        np.testing.assert_allclose(y, [*rows["upper"], *rows["lower"][::-1]])
    label = {"auroc": "AUROC", "precision": "precision among the top 20"}
    assert ax.get_ylabel() == label.get(name, "average precision")


def test_pr_marks_a_change_of_order_that_auroc_does_not_have() -> None:
    asked: Any = {"x": "beta", "target": "examples"}
    roc, pr = (PAIR.plot_metric(name, GRID[:6], **asked) for name in AREAS.values())
    assert changes(roc) == [] and shades(roc) == shades(pr) == []
    (x,) = changes(pr)
    peak, even = (path(lines(pr)[model])[:, 1] for model in ("peak", "even"))
    lead = peak - even
    place = int(np.argmax(lead < 0))
    assert (lead[:place] > 0).all() and (lead[place:] < 0).all() and 0 < place < 6
    near = lead[place - 1], -lead[place]
    assert x == pytest.approx(GRID[place - 1] + 0.1 * near[0] / sum(near))
    band = "95% band"
    assert legend(pr) == ["peak", "even", band, "order changes"]
    assert legend(roc) == ["peak", "even", band]
    twins = WIDE.assign(twin=WIDE["m0"]).pu(score=["m0", "twin"])
    assert changes(twins.plot_metric("average_precision", GRID, x="beta")) == []
    # The AUROC of one labeling is not straight in beta, as an unbiased one is.
    frame = placed(peak=[*range(4, 49, 4), *range(75, 160, 12)], even=np.arange(6, 121, 6))
    ax = frame.pu(score=["peak", "even"]).plot_metric("auroc", GRID[:6], **asked)
    assert changes(ax) and not shades(ax)


def test_shade_is_where_both_bounds_are_clipped_to_one_value() -> None:
    frame = placed(top=np.arange(1, 21), even=np.arange(11, 221, 11)[:20])
    grid, pu = np.linspace(0, 0.9, 19), frame.pu(score=["top", "even"])
    ax = pu.plot_metric("f1", grid, x="beta", at=40)
    with pytest.warns(PUWarning, match="beta exceeds"):
        found = pu.metric("f1", grid, at=40).set_index("model")
    one = found["clipped"] & (found["lower"] == found["upper"])
    beyond = one["top"].to_numpy()
    assert 1 < beyond.sum() < grid.size and not one["even"].any()
    first = int(np.argmax(beyond))
    (strip,) = shades(ax)
    ends = strip.get_x(), strip.get_x() + strip.get_width()
    assert ends == pytest.approx((grid[first - 1 : first + 1].mean(), 0.9))
    assert to_rgb(strip.get_edgecolor()) == to_rgb(lines(ax)["top"].get_color())
    assert to_hex(lines(ax)["top"].get_color()) != to_hex(lines(ax)["even"].get_color())


def test_areas_of_tables_are_shaded_where_the_band_is_impossible_at_some_cutoff() -> None:
    frame = placed(top=np.arange(1, 21), even=np.arange(11, 221, 11)[:20])
    grid, pu = np.linspace(0, 0.9, 19), frame.pu(score=["top", "even"])
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = pu.contingency(grid, ranks="all")
    meet = tables["tp"].sel(bound="lower") == tables["tp"].sel(bound="upper")
    cut = tables["clipped"].sel(bound=["lower", "upper"]).all("bound") & meet
    beyond = cut.any("rank").to_numpy()
    assert beyond[0].any() and not beyond[1].any()
    middle = grid[np.argmax(beyond[0]) - 1 : np.argmax(beyond[0]) + 1].mean()
    ax = tables.pu.plot_metric("auroc", x="beta")
    (strip,) = shades(ax)
    assert (strip.get_x(), strip.get_width()) == pytest.approx((middle, 0.9 - middle))
    assert to_rgb(strip.get_edgecolor()) == to_rgb(lines(ax)["top"].get_color())


@pytest.mark.parametrize(
    ("name", "at"), [("auroc", None), ("precision", 20), ("f1", {"fraction": 0.1})]
)
def test_tables_are_drawn_over_beta(name: str, at: Any) -> None:
    tables = WIDE.pu(score=["m0", "m1"]).contingency(GRID[:6])
    rank = tables if at is None else tables.pu.at(**({"rank": at} if at == 20 else at))
    found = tables.pu.area(name) if at is None else rank.pu.metric(name)
    ax = tables.pu.plot_metric(name, x="beta", at=at)
    for model, band in zip(["m0", "m1"], bands(ax), strict=True):
        own = found.sel(model=model)
        expected = [GRID[:6], own.sel(bound="estimate")]
        np.testing.assert_allclose(path(lines(ax)[model]).T, expected)
        ends = np.append(own.sel(bound="upper"), own.sel(bound="lower")[::-1])
        np.testing.assert_allclose(band.get_xy()[: ends.size, 1], ends)
    assert legend(ax)[2] == "95% band, pointwise"


def test_what_tables_do_not_draw_over_beta_is_told() -> None:
    tables = WIDE.pu(score="m0").contingency(GRID[:6])
    with pytest.raises(PUValueError, match="at must be left out"):
        tables.pu.plot_metric("f1", at=20)
    with pytest.raises(
        PUValueError, match=r"rank, a fraction or a threshold.*df\.pu\.plot_metric"
    ):
        tables.pu.plot_metric("f1", x="beta", at="maximum")
    with pytest.raises(PUValueError, match="dimensions bound and beta"):
        tables.isel(beta=0).pu.plot_metric("auroc", x="beta")
    curves = WIDE.pu(score="m0").roc_bounds(GRID[:6])
    assert not shades(curves.pu.plot_metric("auroc", x="beta"))


def test_reliability_diagrams_draw_bins() -> None:
    gap = FRAME[(FRAME["score"] < 0.4) | (FRAME["score"] > 0.6)]
    ax = gap.pu.plot_calibration(0.2, bins=5, band="simultaneous")
    found = gap.pu.calibration(0.2, bins=5, band="simultaneous").dropna()
    wanted = found[["mean_score", "estimate"]].to_numpy()
    np.testing.assert_allclose(line(ax, "β = 0.2"), wanted)
    counts, *bars = ax.patches
    assert len(found) == len(bars) == 4  # the bin between is empty
    for (_, row), bar in zip(found.iterrows(), bars, strict=True):
        box = bar.get_extents().transformed(ax.transData.inverted())
        np.testing.assert_allclose([box.y0, box.y1], [row["lower"], row["upper"]])
        np.testing.assert_allclose([box.x0, box.x1], row["mean_score"] + np.array([-6, 6]) / 1000)
    dots = next(one for one in ax.lines if one.get_label() == "β = 0.2")
    assert (dots.get_linestyle(), dots.get_marker()) == ("-", "o")
    assert len({*counts.get_facecolor()[:3]}) == 1  # grey
    corners = counts.get_xy()[:-1].reshape(-1, 4, 2)
    most = found["examples"].max()
    np.testing.assert_allclose(corners[:, [0, 2], 0], found[["left", "right"]])
    np.testing.assert_allclose(corners[:, :2, 1].T, [[0] * 4, 0.1 * found["examples"] / most])
    assert legend(ax)[1:] == [
        "95% band, simultaneous",
        "calibrated",
        f"number of examples (at most {most})",
    ]
    ax = MODELS.pu(by="m").plot_calibration(0.2, baseline=True, line_kws={"marker": "s"})
    assert {one.get_marker() for one in ax.lines} >= {"s"}
    with pytest.raises(PUValueError, match="two or more increasing bins"):
        FRAME.pu.plot_calibration(0.2, bins=1)


def test_bins_without_known_positives_are_hollow() -> None:
    ax = FRAME.pu.plot_calibration(0.2, bins=20)
    found = FRAME.pu.calibration(0.2, bins=20).dropna()
    unknown = found[found["known_positive"] == 0]
    assert 0 < len(unknown) < len(found)
    (hollow,) = (one for one in ax.lines if one.get_label() == "no known positive")
    np.testing.assert_allclose(hollow.get_xydata(), unknown[["mean_score", "estimate"]])
    assert to_rgb(hollow.get_markerfacecolor()) == to_rgb(ax.get_facecolor())
    filled = FRAME.pu.plot_calibration(0.2, bins=[0, 0.5, 1])
    assert "no known positive" not in legend(filled)


def test_curves_stand_side_by_side() -> None:
    ax = FRAME.pu.plot_calibration([0.1, 0.2], bins=4)
    mean = FRAME.pu.calibration(0.1, bins=4)["mean_score"]
    for beta, shift in ((0.1, -0.008), (0.2, 0.008)):
        np.testing.assert_allclose(line(ax, f"β = {beta}")[:, 0], mean + shift)
    assert len(ax.patches) == 1 + 8  # the counts are the same

"""Pictures, read back from their artists."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

import pu_accessor
from pu_accessor import PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray, Ranks
from tests.cases import as_frame, binormal, draw_case, legend_of

FRAME, BETA, _ = binormal(200, 600, 0.3, seed=1)
BETAS = [0.1, 0.2, 0.3]


def lines(ax: Axes) -> dict[str, Line2D]:
    return {str(line.get_label()): line for line in ax.lines}


def path(line: Line2D) -> tuple[FloatArray, FloatArray]:
    x, y = np.asarray(line.get_xydata(), dtype=np.float64).T
    return x, y


def bands(ax: Axes) -> list[Polygon]:
    return [patch for patch in ax.patches if isinstance(patch, Polygon)]


def legend(ax: Axes) -> list[str]:
    box = legend_of(ax)
    assert box is not None
    return [text.get_text() for text in box.get_texts()]


def area_between(band: Polygon) -> float:
    """Return the area of a polygon by the shoelace formula."""
    x, y = band.get_xy().T
    return float(abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))) / 2


def test_roc_line_and_band_are_the_bounds() -> None:
    ax = FRAME.pu.plot_roc(0.2)
    curves = FRAME.pu.roc_bounds(0.2).sel(beta=0.2)
    line = lines(ax)["β̂ = 0.2"]
    np.testing.assert_array_equal(line.get_xdata(), curves["fpr"].sel(bound="estimate"))
    np.testing.assert_array_equal(line.get_ydata(), curves["tpr"].sel(bound="estimate"))
    (band,) = bands(ax)
    there_and_back = np.concatenate(
        [curves.sel(bound="upper")["fpr"], curves.sel(bound="lower")["fpr"][::-1]]
    )
    np.testing.assert_array_equal(band.get_xy()[: there_and_back.size, 0], there_and_back)
    areas = FRAME.pu.contingency(0.2).pu.area("auroc").sel(beta=0.2)
    expected = float(areas.sel(bound="upper") - areas.sel(bound="lower"))
    assert area_between(band) == pytest.approx(expected, abs=1e-9)
    x, y = path(lines(ax)["chance"])
    assert x[0] == 0 and x[-1] == 1 and (x == y).all()
    assert legend(ax) == ["β̂ = 0.2", "95% exact band,\nthese examples", "chance"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")
    assert ax.get_box_aspect() == 1


def test_pr_line_bends_between_cutoffs() -> None:
    ax = FRAME.pu.plot_pr(0.2)
    tables = FRAME.pu.contingency(0.2).sel(beta=0.2)
    x, y = path(lines(ax)["β̂ = 0.2"])
    # Each cutoff that finds a positive lies on the line; the area under it is the closed form.
    curve = tables.pu.pr_bounds().sel(bound="estimate").isel(rank=slice(1, None))
    drawn = set(zip(np.round(x, 9), np.round(y, 9), strict=True))
    breakpoints = FRAME.pu.contingency(0.2, ranks="breakpoints")["rank"].values[1:]
    for rank in breakpoints:
        point = curve.sel(rank=rank)
        if not point["recall"]:
            continue
        assert (round(float(point["recall"]), 9), round(float(point["precision"]), 9)) in drawn
    area = float(tables.pu.area("average_precision").sel(bound="estimate"))
    # ... but before the first cutoff that finds a positive, where it is level.
    tp, fp = (tables[name].sel(bound="estimate").to_numpy() for name in ("tp", "fp"))
    at = int(np.argmax(tp > 0))
    part = np.linspace(1e-9, 1, 1001)
    found, wrong = (count[at - 1] + part * (count[at] - count[at - 1]) for count in (tp, fp))
    positives = tp[-1]
    ramp = np.trapezoid(found / (found + wrong), found / positives)
    level = tp[at] / positives * tp[at] / (tp[at] + fp[at])
    assert np.trapezoid(y, x) == pytest.approx(area - ramp + level, abs=1e-3)
    (band,) = bands(ax)
    bounds = tables.pu.area("average_precision")
    expected = float(bounds.sel(bound="upper") - bounds.sel(bound="lower"))
    assert area_between(band) == pytest.approx(expected, abs=3e-3)
    prevalence = (60 + round(0.2 * 740)) / 800
    assert path(lines(ax)["chance (prevalence)"])[1] == pytest.approx(prevalence)
    assert legend(ax) == ["β̂ = 0.2", "95% exact band,\nthese examples", "chance (prevalence)"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")


@pytest.mark.parametrize("ranks", ["all", "breakpoints"])
def test_pr_starts_with_the_precision_of_the_first_cutoff_that_finds_a_positive(
    ranks: Ranks,
) -> None:
    # Above it precision is 0, or 1 by convention: drawn, either would be a spike at recall 0.
    label = [False, True, None, None]
    ranking = pu_accessor.from_arrays([4, 3, 2, 1], label)
    x, y = path(lines(ranking.contingency(0.5, ranks=ranks).pu.plot_pr())["β̂ = 0.5"])
    assert (x[:2].tolist(), y[:2].tolist()) == ([0, 0.5], [0.5, 0.5])
    for line in FRAME.pu.plot_pr(0.2, baseline=True).lines:
        assert path(line)[1][0] > 0


def test_pr_without_any_positive_found_is_level() -> None:
    label = [False, False, None, True]
    tables = pu_accessor.from_arrays([4, 3, 2, 1], label).contingency(0, ranks=[1, 2])
    assert set(path(tables.pu.plot_pr().lines[0])[1]) == {0}


def test_pr_follows_straight_lines_of_counts() -> None:
    # One segment from (tp, fp) = (1, 0) to (2, 8): halfway tp = 1.5, fp = 4.
    label = [True, *[None] * 8, True]
    tables = pu_accessor.from_arrays([2, *[1] * 9], label).contingency(0)
    x, y = path(lines(tables.pu.plot_pr())["β̂ = 0 (unlabeled as negative)"])
    assert np.interp(0.75, x, y) == pytest.approx(1.5 / 5.5)


def test_rank_cdf_steps_at_the_known_positives() -> None:
    frame = as_frame(draw_case(4))
    ax = frame.pu.plot_rank_cdf(0.5, level=0.8)
    tables = frame.pu.contingency(0, ranks="breakpoints").sel(beta=0, bound="estimate")
    x, y = path(lines(ax)["known positives"])
    share = (tables["tp"] / tables["tp"].isel(rank=-1)).values
    np.testing.assert_allclose(y[np.searchsorted(x, tables["rank"], side="right") - 1], share)
    (band,) = bands(ax)
    assert band.get_xy()[:, 1].min() == 0
    assert band.get_xy()[:, 1].max() == 1
    assert legend(ax) == ["known positives", "80% exact band,\nthese examples, β̂ = 0.5", "chance"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "examples predicted positive",
        "share of positives found",
    )


def test_rank_cdf_draws_what_the_method_returns() -> None:
    cdf = FRAME.pu.rank_cdf(0.2)["rank_cdf"].sel(beta=0.2)
    ax = FRAME.pu.plot_rank_cdf(0.2)
    x, y = path(lines(ax)["known positives"])
    held = cdf.sel(bound="estimate").to_numpy()
    np.testing.assert_array_equal(x, np.repeat(cdf["rank"], 2)[1:])
    np.testing.assert_array_equal(y, np.repeat(held, 2)[:-1])


def test_rank_cdf_band_is_that_of_the_latent_positives() -> None:
    # n = 1, m = 3, level .4: lower 0, 1 and upper 2, 3 of 3 (by hand in the tests of bands).
    frame = pd.DataFrame({"score": [4, 3, 2, 1], "label": [None, 1, None, None]})
    ax = frame.pu.plot_rank_cdf(1, level=0.4)
    (band,) = bands(ax)
    heights = set(np.round(band.get_xy()[:, 1] * 3, 9).tolist())
    assert heights == {0, 1, 2, 3}


@pytest.mark.parametrize("name", ["plot_roc", "plot_pr"])
def test_baseline_is_dashed_and_has_no_band(name: str) -> None:
    ax = getattr(FRAME.pu, name)(0.2, baseline=True)
    naive, band = "β̂ = 0 (unlabeled as negative)", "95% exact band,\nthese examples"
    assert legend(ax)[:3] == ["β̂ = 0.2", naive, band]
    baseline = lines(ax)["β̂ = 0 (unlabeled as negative)"]
    assert baseline.get_linestyle() == "--"
    assert len(bands(ax)) == 1
    also = getattr(FRAME.pu, name)([0, 0.2], baseline=True)
    assert len(also.lines) == len(ax.lines)
    by_tables = getattr(FRAME.pu.contingency([0, 0.2], ranks="breakpoints").pu, name)(
        baseline=True
    )
    np.testing.assert_array_equal(
        lines(by_tables)["β̂ = 0 (unlabeled as negative)"].get_xydata(), baseline.get_xydata()
    )


def test_rank_cdf_of_several_betas_has_one_curve() -> None:
    ax = FRAME.pu.plot_rank_cdf(BETAS)
    assert legend(ax) == [
        "known positives",
        *(f"95% exact band, these examples, β̂ = {beta}" for beta in BETAS),
        "chance",
    ]
    assert len(ax.lines) == 2
    assert len({band.get_facecolor() for band in bands(ax)}) == len(BETAS)


@pytest.mark.parametrize("name", ["plot_roc", "plot_pr"])
def test_several_betas_have_a_hue_each_that_grey_keeps_apart(name: str) -> None:
    ax = getattr(FRAME.pu, name)(BETAS)
    drawn = [lines(ax)[f"β̂ = {beta}"] for beta in BETAS]
    grey = [float(np.dot(to_rgb(line.get_color()), [0.299, 0.587, 0.114])) for line in drawn]
    assert grey == sorted(grey)
    assert min(np.diff(grey)) > 0.08
    assert len(bands(ax)) == len(BETAS)
    assert legend(ax)[:4] == ["β̂ = 0.1", "β̂ = 0.2", "β̂ = 0.3", "95% exact band,\nthese examples"]


@pytest.mark.parametrize("name", ["plot_roc", "plot_pr", "plot_rank_cdf"])
def test_axes_and_properties_are_those_given(name: str) -> None:
    _, ax = plt.subplots()
    returned = getattr(FRAME.pu, name)(
        0.2, ax=ax, line_kws={"c": "red", "lw": 3}, band_kws={"fc": "green", "alpha": 0.5}
    )
    assert returned is ax
    line = lines(ax)["known positives" if name == "plot_rank_cdf" else "β̂ = 0.2"]
    assert to_hex(line.get_color()) == "#ff0000"
    assert line.get_linewidth() == 3
    assert to_rgba(bands(ax)[0].get_facecolor()) == to_rgba("green", 0.5)


@pytest.mark.parametrize("name", ["plot_roc", "plot_pr"])
def test_tables_and_frames_draw_the_same(name: str) -> None:
    by_frame = getattr(FRAME.pu, name)(BETAS, band="dkw", level=0.9)
    tables = FRAME.pu.contingency(BETAS, band="dkw", level=0.9, ranks="breakpoints")
    by_tables = getattr(tables.pu, name)()
    assert legend(by_frame) == legend(by_tables)
    assert "90% dkw band,\nthese examples" in legend(by_frame)
    for one, other in zip(by_frame.lines, by_tables.lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())


def test_drawing_twice_on_one_axes_keeps_the_curves_apart() -> None:
    ax = FRAME.pu.plot_roc(0.2)
    FRAME.pu.plot_roc(0.2, ax=ax, line_kws={"label": "another model"}, band="dkw")
    assert legend(ax) == [
        "β̂ = 0.2",
        "another model",
        "95% exact band,\nthese examples",
        "95% dkw band,\nthese examples",
        "chance",
    ]
    one, other = lines(ax)["β̂ = 0.2"], lines(ax)["another model"]
    assert to_hex(one.get_color()) != to_hex(other.get_color())


def test_betas_that_are_near_have_names_of_their_own() -> None:
    assert legend(FRAME.pu.plot_roc([0.3001, 0.3002]))[:2] == ["β̂ = 0.3001", "β̂ = 0.3002"]
    sure = FRAME.pu.plot_roc(0.3, level=0.9999999)
    assert "99.99999% exact band,\nthese examples" in legend(sure)


@pytest.mark.parametrize("color", [{"color": "green"}, {"fc": "green"}])
def test_a_band_in_another_colour_stays_transparent(color: dict[str, str]) -> None:
    (band,) = bands(FRAME.pu.plot_roc(0.2, band_kws=color))
    assert to_rgba(band.get_facecolor()) == to_rgba("green", 0.25)
    assert to_rgba(band.get_edgecolor()) == to_rgba("green", 0.7)


def test_a_part_of_the_ranks_is_a_part_of_the_curve() -> None:
    whole, part = FRAME.pu.plot_pr(0.2), FRAME.pu.plot_pr(0.2, ranks=range(21))
    x, _ = path(lines(part)["β̂ = 0.2"])
    curve = FRAME.pu.contingency(0.2).pu.pr_bounds().sel(beta=0.2, bound="estimate")
    assert x[-1] == pytest.approx(float(curve["recall"].sel(rank=20)))
    for ax in (whole, part):
        _, chance = path(lines(ax)["chance (prevalence)"])
        assert chance == pytest.approx((60 + 148) / 800)


def test_tables_without_attributes_can_be_drawn() -> None:
    assert legend(FRAME.pu.contingency(0.2).drop_attrs().pu.plot_roc())[1] == "band"


def test_curve_without_negatives() -> None:
    with pytest.raises(
        PUValueError, match=r"needs negatives, but at beta = \[1.0\] there are none.* plot_pr"
    ):
        FRAME.pu.plot_roc(1)
    assert path(lines(FRAME.pu.plot_pr(1))["β̂ = 1"])[1].tolist()[-1] == 1


def test_plots_need_all_dimensions_bounds_and_the_baseline() -> None:
    tables = FRAME.pu.contingency([0.2, 0.3], ranks="breakpoints")
    with pytest.raises(PUValueError, match=r"\['beta'\] is missing. Put it back: ds.expand_dims"):
        tables.sel(beta=0.2).pu.plot_roc()
    with pytest.raises(PUValueError, match=r"\['upper'\] is missing"):
        tables.sel(bound=["lower", "estimate"]).pu.plot_pr()
    with pytest.raises(
        PUValueError, match=r"baseline=True needs tables for beta = 0, but there a"
    ):
        tables.pu.plot_roc(baseline=True)
    with pytest.raises(PUValueError, match=r"differ in model, beta: hue, col and row must"):
        xr.concat([tables, tables], "model").pu.plot_pr()
    with pytest.raises(PUValueError, match=r"two or more increasing ranks, but there are 1: \[5"):
        FRAME.pu.plot_roc(0.2, ranks=5)
    with pytest.raises(PUValueError, match=r"increasing ranks, .* or ds.sortby\('rank'\)"):
        tables.isel(rank=slice(None, None, -1)).pu.plot_pr()
    with pytest.raises(PUValueError, match=r"each beta once, but there are \[0.2, 0.2\]"):
        tables.sel(beta=[0.2, 0.2]).pu.plot_roc()
    with pytest.raises(PUValueError, match=r"its dimension 'beta' is empty"):
        tables.sel(beta=[]).pu.plot_roc()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"line_kws": "red"}, r"line_kws must be a mapping of properties .* Line2D, but 'red'"),
        (
            {"line_kws": {"hue": 1}},
            r"line_kws must be a mapping of .* but \{'hue': 1\}",
        ),
        ({"band_kws": {"foo": 1}}, r"band_kws must be a mapping of properties .* Polygon, but"),
        ({"ax": "x"}, r"ax must be a matplotlib Axes, but a str was passed"),
    ],
)
def test_bad_styles_leave_no_figure_behind(arguments: dict[str, object], message: str) -> None:
    for name in ("plot_roc", "plot_pr", "plot_rank_cdf"):
        with pytest.raises(PUTypeError, match=message):
            getattr(FRAME.pu, name)(0.2, **arguments)
    with pytest.raises(PUValueError, match="negatives"):
        FRAME.pu.plot_roc(1)
    assert plt.get_fignums() == []


def test_baseline_does_not_get_round_the_checks_of_beta() -> None:
    with pytest.raises(PUValueError, match="nothing was passed"):
        FRAME.pu.plot_roc([], baseline=True)
    with pytest.raises(PUTypeError, match=r"but '0.3' was passed"):
        FRAME.pu.plot_roc("0.3", baseline=True)


def test_without_latent_positives_there_is_nothing_to_draw() -> None:
    frame = pd.DataFrame({"score": np.arange(60), "label": [1, 0, None] * 20})
    with pytest.raises(PUValueError, match=r"has no value at all at beta = 0, 0\.001\. Try"):
        frame.pu.plot_rank_cdf([0, 0.001], reference="negatives")

"""Tables at one cutoff, as confusion matrices: what is drawn is what the numbers say."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb, to_rgba

from pu_accessor import PUValueError
from tests.cases import binormal

FRAME = binormal(60, 240, 0.5, seed=4)[0]
FRAME["site"] = np.where(FRAME.index % 3, "north", "south")
BETA = 0.12
CELLS = {"tp": (0, 0), "fn": (1, 0), "fp": (0, 1), "tn": (1, 1)}


def written(ax: Axes) -> dict[str, list[int]]:
    """Return the estimate and both limits that each cell says."""
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    numbers = {name: texts[place].replace("\n[", " ").rstrip("]") for name, place in CELLS.items()}
    return {
        name: [int(part.replace(",", "")) for part in text.replace(", ", " ").split()]
        for name, text in numbers.items()
    }


def counts(tables: Any, **place: Any) -> dict[str, list[int]]:
    """Return the same of bounded tables, rounded for people."""
    at = tables.sel(place)
    bounds = {name: at[name].to_series() for name in CELLS}
    return {
        name: [int(one["estimate"]), *sorted(map(int, one[["lower", "upper"]]))]
        for name, one in bounds.items()
    }


def test_cells_of_clusters_are_the_bounded_table() -> None:
    pu = FRAME.assign(patient=np.arange(len(FRAME)) // 2).pu(cluster="patient")
    assert written(pu.plot_table(BETA, at=50)) == counts(
        pu.contingency(BETA, ranks=50), rank=50, beta=BETA
    )


def test_cells_are_the_bounded_table() -> None:
    ax = FRAME.pu.plot_table(BETA, at=50)
    assert written(ax) == counts(FRAME.pu.contingency(BETA, ranks=50), rank=50, beta=BETA)
    assert ax.get_xlabel() == "predicted, among the top 50\n[95% exact band, these examples]"
    assert ax.get_ylabel() == "true"
    names = [tick.get_text() for tick in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    assert names == ["positive", "negative"] * 2
    # A cell is as dense as its share of its row, 0.85 at most.
    table = {CELLS[name]: counts[0] for name, counts in written(ax).items()}
    hue = np.array(to_rgb("#0173b2"))
    for cell in ax.patches:
        x, y = (round(side + 0.5) for side in cell.get_xy())
        density = 0.85 * table[x, y] / (table[0, y] + table[1, y])
        face = to_rgb(cell.get_facecolor())
        np.testing.assert_allclose(face, 1 - density + density * hue, atol=0.01)
        assert (cell.get_width(), cell.get_height(), cell.get_linewidth()) == (1, 1, 1)
        assert to_rgba(cell.get_edgecolor())[3] == 0
    assert {(text.get_ha(), text.get_va()) for text in ax.texts} == {("center", "center")}
    assert (ax.get_xlim(), ax.get_ylim()) == ((-0.5, 1.5), (1.5, -0.5))
    assert ax.get_xticks().tolist() == ax.get_yticks().tolist() == [0, 1]
    stands = {(tick.get_rotation(), tick.get_va()) for tick in ax.get_yticklabels()}
    assert stands == {(90, "center")}
    ticks = [*ax.xaxis.get_major_ticks(), *ax.yaxis.get_major_ticks()]
    assert {tick.tick1line.get_markersize() for tick in ticks} == {0}


@pytest.mark.parametrize("at", [{"threshold": 1.0}, {"fraction": 0.2}, "youden", {"recall": 0.8}])
def test_cutoffs_are_those_of_metric(at: Any) -> None:
    table = written(FRAME.pu.plot_table(BETA, at=at))
    recall = FRAME.pu.metric("recall", BETA, at=at, target="examples").iloc[0]
    assert table["tp"][0] + table["fp"][0] == pytest.approx(recall["rank"], abs=1)
    positives = table["tp"][0] + table["fn"][0]
    for drawn, name in zip(table["tp"], ("estimate", "lower", "upper"), strict=True):
        assert drawn / positives == pytest.approx(recall[name], abs=1 / positives)


def test_groups_betas_and_models_have_panels() -> None:
    grid = FRAME.groupby("site").pu.plot_table(BETA, at={"fraction": 0.1})
    assert [ax.get_title() for ax in grid.axes.flat] == ["site = north", "site = south"]
    for site, ax in grid.axes_dict.items():
        alone = FRAME[FRAME["site"] == site].pu.plot_table(BETA, at={"fraction": 0.1})
        assert written(ax) == written(alone)
    grid = FRAME.pu.plot_table([0, 0.1, 0.2], at=50)
    assert [ax.get_title() for ax in grid.axes.flat] == ["β̂ = 0", "β̂ = 0.1", "β̂ = 0.2"]
    two = FRAME.assign(other=-FRAME["score"]).pu(score=["score", "other"], by="site")
    grid = two.plot_table({"north": 0.1, "south": 0.2}, at=20, col="model", row="site")
    assert grid.axes.shape == (2, 2)
    grid = two.plot_table([0.1, 0.2], at=20, row="beta", col="group")
    assert grid.axes.shape == (2, 4)


def test_tables_of_a_user() -> None:
    tables = FRAME.pu.contingency([0.1, 0.2])
    grid = tables.pu.plot_table(at={"threshold": 1.0})
    rank = int((FRAME["score"] >= 1.0).sum())
    for beta, ax in zip([0.1, 0.2], grid.axes.flat, strict=True):
        assert written(ax) == counts(tables, rank=rank, beta=beta)
    ax = tables.sel(beta=[0.1]).pu.plot_table(at=50, ax=plt.subplots()[1])
    assert written(ax) == counts(tables, rank=50, beta=0.1)
    assert ax.get_xlabel().startswith("predicted, among the top 50")


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (lambda pu: pu.plot_table(BETA, at="maximum"), PUValueError, "at must not be 'maximum'"),
        (lambda pu: pu.contingency(BETA).pu.plot_table(at="youden"), PUValueError, "at must be a"),
        (lambda pu: pu(by="site").plot_table(BETA, at=9, ax=plt.gca()), PUValueError, "ax must "),
        (lambda pu: pu.pr_bounds(BETA).pu.plot_table(at=9), KeyError, "must hold contingency"),
    ],
)
def test_tables_that_cannot_be_drawn(draw: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        draw(FRAME.pu)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_the_axes_of_a_user_keep_their_place(layout: Any) -> None:
    axes = plt.subplots(2, 2, layout=layout)[1]
    before = [ax.get_position().bounds for ax in axes.flat]
    FRAME.pu.plot_table(BETA, at=50, ax=axes[0, 0], palette=["black"])
    np.testing.assert_allclose([ax.get_position().bounds for ax in axes.flat], before, atol=1e-9)
    faces = [to_rgb(cell.get_facecolor()) for cell in axes[0, 0].patches]
    texts = [text.get_color() for text in axes[0, 0].texts]  # stand out, in the same order
    assert texts == ["white" if grey < 0.5 else "black" for grey, *_ in faces]
    assert {*texts} == {"white", "black"} and all(len({*face}) == 1 for face in faces)

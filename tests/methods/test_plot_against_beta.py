"""The upper limit on beta, marked in pictures against beta."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from pu_accessor import PUWarning
from tests.arguments.test_beta_limit import FRAME, GROUPS, LIMIT, told, upper
from tests.cases import legend_of

GRID = np.arange(10) / 10


def marked(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if "upper limit" in str(line.get_label())]


def legend(drawing: Any) -> list[str]:
    return [text.get_text() for text in legend_of(drawing).get_texts()]


@pytest.mark.parametrize(
    ("name", "at"), [("auroc", None), ("average_precision", None), ("f1", 40)]
)
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_limit_is_marked(name: str, at: int | None, level: float) -> None:
    caught: list[Any] = []

    def draw() -> None:
        caught.append(FRAME.pu.plot_against_beta(name, GRID, at=at, level=level))

    assert not told(draw)
    (line,) = marked(caught[0])
    assert np.ravel(line.get_xdata()).tolist() == [upper(FRAME, level)] * 2
    label = f"{level:.0%} upper limit on β̂"
    assert line.get_label() == label and legend(caught[0]).count(label) == 1


def test_each_model_has_its_mark_in_its_hue() -> None:
    frame = FRAME.assign(other=FRAME["score"] + np.random.default_rng(0).normal(0, 2, len(FRAME)))
    ax = frame.pu(score=["score", "other"]).plot_against_beta("auroc", GRID)
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
    grid = some.pu(by="g").plot_against_beta("average_precision", [0, 0.01, 0.3, 0.8], col="g")
    places = [[line.get_xdata()[0] for line in marked(ax)] for ax in grid.axes.flat]
    assert places == [[upper(rows)] for _, rows in some.groupby("g")]


@pytest.mark.parametrize("betas", [GRID[:4], GRID[7:]])
def test_a_limit_outside_the_picture_is_not_marked(betas: Any) -> None:
    assert betas[-1] < LIMIT or betas[0] > LIMIT
    ax = FRAME.pu.plot_against_beta("average_precision", betas)
    assert not marked(ax) and not any("upper limit" in text for text in legend(ax))


def test_tables_mark_their_limit_and_propensities_have_none() -> None:
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = FRAME.pu.contingency(GRID)
    (line,) = marked(tables.pu.plot_against_beta("auroc"))
    assert line.get_xdata()[0] == LIMIT
    frame = FRAME.assign(propensity=0.4)
    assert not marked(frame.pu(propensity="propensity").plot_against_beta("auroc", GRID))

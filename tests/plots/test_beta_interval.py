"""Envelopes over an interval of beta, read back from their polygons."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.patches import Polygon

from tests.arguments.test_beta_interval import GROUPS, PARTS, SIDES, ask
from tests.cases import legend
from tests.plots.test_curves import bands


def hatched(ax: Axes) -> list[Polygon]:
    return [one for one in bands(ax) if str(one.get_label()).startswith("envelope")]


PLOTS: dict[str, tuple[Any, ...]] = {"plot_roc": (), "plot_pr": (), "plot_metric": ("precision",)}
every_plot = pytest.mark.parametrize("plot", PLOTS)


def draw(plot: str, pu: Any, **keywords: Any) -> Any:
    return getattr(pu, plot)(*PLOTS[plot], **keywords)


def count_named(drawing: Any) -> int:
    return [text.startswith("envelope") for text in legend(drawing)].count(True)


@every_plot
def test_a_hatched_polygon_is_in_the_legend(plot: str) -> None:
    ax = draw(plot, PARTS["a"].pu, beta=0.3, beta_interval=(0.2, 0.4), baseline=True)
    (patch,) = hatched(ax)
    assert patch.get_hatch() and to_rgba(patch.get_facecolor())[3] == 0
    label = "envelope for β̂ in [0.2, 0.4]"
    assert patch.get_label() == label and legend(ax).count(label) == 1
    assert "β̂ = 0 (unlabeled as negative)" in legend(ax)
    assert sum(line.get_linestyle() == "--" for line in ax.lines) == 1
    without = draw(plot, PARTS["a"].pu, beta=0.3, baseline=True)
    assert not hatched(without) and label not in legend(without)


@every_plot
def test_several_betas_share_one_envelope(plot: str) -> None:
    label = [0, *[None] * 8] if plot == "plot_roc" else [1, *[None] * 8]
    meeting = pd.DataFrame({"score": range(18, 0, -1), "label": [*label, 1, *[None] * 8]})
    for frame, betas in ((PARTS["b"], [0.2, 0.3, 0.4]), (meeting, [0.2, 0.3])):
        ax = draw(plot, frame.pu, beta=betas, beta_interval=(0.1, 0.4))
        assert len(hatched(ax)) == count_named(ax) == 1


@every_plot
def test_groups_have_envelopes_in_their_hues_or_panels(plot: str) -> None:
    ax = draw(plot, GROUPS.pu(by="site"), beta=0.3, beta_interval=(0.2, 0.4))
    patches = hatched(ax)
    hues = {to_rgb(line.get_color()) for line in ax.lines if line.get_label() in PARTS}
    assert {to_rgb(patch.get_edgecolor()) for patch in patches} == hues
    assert len(patches) == len(hues) == 2 and count_named(ax) == 1
    how = {"beta": [0.25, 0.3], "beta_interval": (0.2, 0.4)}
    grid = draw(plot, GROUPS.pu(by="site"), col="site", **how)
    one, other = (patch.get_xy() for ax in grid.axes.flat for patch in hatched(ax))
    assert one.shape != other.shape or not np.allclose(one, other)
    assert count_named(grid) == 1


def test_the_polygon_is_the_envelope() -> None:
    tables = ask("mixed, wide")
    for plot, curve in (("plot_roc", "roc"), ("plot_pr", "pr")):
        curves = getattr(tables.pu, f"{curve}_bounds")()
        (patch,) = hatched(getattr(curves.transpose(*[*curves.dims][::-1]).pu, plot)())
        envelope = curves[{"roc": "tpr_envelope", "pr": "precision_envelope"}[curve]]
        grid = envelope[envelope.dims[0]].to_numpy()
        x, y = patch.get_xy()[: 2 * grid.size].T
        np.testing.assert_array_equal(x, [*grid, *grid[::-1]])
        low, high = (envelope.sel(envelope=side).to_numpy() for side in SIDES)
        np.testing.assert_array_equal(y, [*high, *low[::-1]])

"""Gain curves: what is drawn is what the numbers say."""

import numpy as np
import pytest

from tests.cases import legend
from tests.methods.test_plot_net_benefit import FRAME, line


def test_gains_draw_recall_between_chance_and_perfection() -> None:
    ax = FRAME.pu.plot_metric("recall", 0.2, x="fraction", band="dkw")
    x, y = line(ax, "β̂ = 0.2").T
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

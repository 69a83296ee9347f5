"""Gain curves: what is drawn is what the numbers say."""

import numpy as np
import pytest

from tests.cases import legend
from tests.methods.test_plot_net_benefit import FRAME, MODELS, line


def test_gains_draw_recall_between_chance_and_perfection() -> None:
    ax = FRAME.pu.plot_gain(0.2, band="dkw")
    x, y = line(ax, "β̂ = 0.2").T
    for share in (0.05, 0.2, 0.5):
        wanted = FRAME.pu.metric("recall", 0.2, at={"fraction": share}).loc[0, "estimate"]
        assert np.interp(share, x, y) == pytest.approx(wanted)
    positives = (40 + 0.2 * 360) / 400
    np.testing.assert_allclose(line(ax, "perfect"), np.array([[0, 0], [positives, 1], [1, 1]]))
    np.testing.assert_array_equal(line(ax, "chance"), [[0, 0], [1, 1]])
    assert ax.get_ylabel() == "share of positives found"
    ax = FRAME.pu.plot_gain([0.1, 0.2, 0.3])
    assert sum(one.get_label() == "perfect" for one in ax.lines) == 3
    assert legend(ax)[-2:] == ["chance", "perfect"]


def test_gains_are_recall_against_the_fraction_of_examples() -> None:
    pu = MODELS.pu(by="m")
    gains = pu.gain([0.1, 0.2], beta_interval=(0.1, 0.2))
    tables = pu.contingency([0.1, 0.2], ranks="breakpoints", beta_interval=(0.1, 0.2))
    rounded = tables.pu.metric("recall")
    ends = ["envelope_lower", "lower", "upper", "envelope_upper"]
    np.testing.assert_allclose(gains["gain"].sel(bound=ends), rounded.sel(bound=ends))
    middle, positives = (rates.sel(bound="estimate") for rates in (gains["gain"], tables["tp"]))
    off = (middle - rounded.sel(bound="estimate")) * positives.max("cutoff")
    assert 0 < np.abs(off).max() <= 0.5 + 1e-6  # an estimate is no number of whole examples
    np.testing.assert_array_equal(gains["fraction"], tables["rank"] / len(FRAME))
    positives = [40 + 0.1 * 360, 40 + 0.2 * 360]
    np.testing.assert_allclose(gains["prevalence"], np.divide([positives] * 2, 400))
    ax = MODELS[MODELS["m"] == "b"].pu.plot_gain(0.2)
    drawn = gains["gain"].sel(m="b", beta=0.2, bound="estimate")
    there = np.interp(gains["fraction"].sel(m="b"), *line(ax, "β̂ = 0.2").T)
    np.testing.assert_allclose(there, drawn)
